"""The kernels of OpenSpiel's games: they ask OpenSpiel, so they run in the interpreter alone. Which of them a game gives
depends on its kind; see `game.py`."""

from __future__ import annotations

from stratagem.games.openspiel.bridge import LENGTH, at, canonical, digest, resampled, write
from stratagem.kernel import CHANCE, NOBODY, Ground, Moves, Payoffs, State
from stratagem.rng import Rng, unit


def turn(g: Ground, s: State) -> int:
    return at(g, s).turn


def count(g: Ground, s: State, p: int) -> int:
    node = at(g, s)
    return len(node.outcomes) if p == CHANCE else len(node.legal(p))


def move(g: Ground, s: State, p: int, k: int) -> int:
    return at(g, s).legal(p)[k]


def moves(g: Ground, s: State, p: int, out: Moves) -> int:
    found = at(g, s).legal(p)
    out[: len(found)] = found
    return len(found)


def play(g: Ground, s: State, p: int, m: int) -> None:
    action = at(g, s).outcomes[m][0] if p == CHANCE else m
    s[LENGTH] += 1
    s[s[LENGTH]] = action


def play_together(g: Ground, s: State, joint: Moves) -> None:
    for p in range(len(joint)):
        s[LENGTH] += 1
        s[s[LENGTH]] = max(joint[p], 0)


def odds(g: Ground, s: State, k: int) -> float:
    return at(g, s).outcomes[k][1]


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    out[:] = at(g, s).state.returns()


def key(g: Ground, s: State) -> int:
    return digest(s)


def guess(g: Ground, s: State, p: int, r: Rng) -> None:
    node = at(g, s)
    if node.turn >= 0:
        write(s, resampled(node, p, lambda: float(unit(r))))


def hide(g: Ground, s: State, p: int) -> None:
    node = at(g, s)
    if node.state.is_terminal():
        return  # a finished game is open
    if p == NOBODY:
        write(s, [])  # what a spectator may know, OpenSpiel does not say: nothing
    elif node.turn >= 0:
        write(s, canonical(node, p))
