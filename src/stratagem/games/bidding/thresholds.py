"""Bidding with real-valued money: from what share of all money a goal can be forced, on any board of any acyclic game.

The threshold T of a board is the share that the first player must exceed: 0 where the goal is reached, 1 where it failed, and
in between an average of a, the least threshold after a move of its own, and b, the greatest after the opponent's
(`plans.bid.threshold`). Two goals are computed: to win, where a draw is a failure, and not to lose.

Where all boards can be listed, thresholds are fractions (or floats, above `MOST_FRACTIONS` boards). Where not, Richman's
theorem helps: 1 - T is the probability of reaching the goal if a fair coin decides who moves and both play their best. Random
play estimates it. In hex and its like the outcome is a function of which cells each side gets in the end. There the value
under best play *is* that under a random filling (Peres, Schramm, Sheffield, Wilson 2007), so the estimate converges to the
truth. With few cells left all fillings are counted, and the value is a fraction. In other games it only estimates the position
under random play. Poorman and taxman have no such theorem.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame
from stratagem.errors import OptionError, StratagemError
from stratagem.games.bidding.graph import PASS, Graph, base_names, explore
from stratagem.games.bidding.kernels import base_payoff, base_play, base_sample, base_turn
from stratagem.kernel import OVER, Ground, Payoffs, State
from stratagem.plans.bid import Payment, critical_bid, discrete_threshold, threshold
from stratagem.rng import Rng, bits, generator

LISTED = 300_000  # boards that are listed before it is estimated
MOST_FRACTIONS = 60_000  # boards whose thresholds are kept as fractions
PLAYOUTS = 20_000  # for one estimate
LONGEST = 100_000  # plies of a playout
MOST_FILLED = 20  # empty cells whose fillings are all counted

GOALS = ("win", "not_lose")


@dataclass(frozen=True)
class Thresholds:
    """Shares of all money; fractions where they are exact. `moves` are each side's best moves for the goal of winning."""

    win: Fraction | float
    not_lose: Fraction | float
    critical_bid: Fraction | float  # for the goal of winning
    moves: tuple[tuple[str, ...], tuple[str, ...]]
    method: str  # fractions, floats or simulation
    error: float  # standard error of the shares, 0 unless they were estimated

    def json(self) -> dict[str, Any]:
        shares = {"win": self.win, "not_lose": self.not_lose, "critical_bid": self.critical_bid}
        return {
            **{name: float(share) for name, share in shares.items()},
            **{f"{name}_exact": str(x) if isinstance(x, Fraction) else None for name, x in shares.items()},
            "moves": [list(moves) for moves in self.moves],
            "method": self.method,
            "error": self.error,
        }


def reached(graph: Graph, goal: str) -> NDArray[np.bool_]:
    """Where the first player has reached a goal, of the boards where the game is over."""
    return graph.ends > 0 if goal == "win" else graph.ends >= 0


def graph_thresholds(graph: Graph, payment: Payment, goal: str = "win", *, exact: bool = True) -> list[Any]:
    """The threshold of every board of a graph, as fractions or floats."""
    number: Any = Fraction if exact else float
    tax = number(payment.tax)
    zero, one = number(0), number(1)
    found: list[Any] = [one] * graph.nodes
    done = reached(graph, goal)
    for node in graph.order[::-1]:
        if graph.over[node]:
            found[node] = zero if done[node] else one
        else:
            a, b = _sides(graph, found, int(node))
            found[node] = threshold(a, b, tax)
    return found


def _sides(graph: Graph, found: list[Any], node: int) -> tuple[Any, Any]:
    """The best thresholds after the first player's and after the second player's moves.

    Paying for a pass gains nobody anything: who has no move leaves the matter to the other, and the board is worth that.
    """
    own = [found[child] for child in graph.after(node, 0) if child != PASS]
    other = [found[child] for child in graph.after(node, 1) if child != PASS]
    a = min(own) if own else max(other)
    b = max(other) if other else a
    return a, b


def thresholds(
    base: ArrayGame, state: State, payment: Payment, *, seed: int = 0, playouts: int = PLAYOUTS, listed: int = LISTED
) -> Thresholds:
    """The thresholds of a board, exactly where all boards below it can be listed, else estimated."""
    if not payment.first_price:
        raise OptionError(
            "where both pay, optimal bids are random and there is no threshold: use richman, poorman or taxman:T"
        )
    try:
        graph = explore(base, state, largest=listed)
    except StratagemError as error:
        if payment.tax != 0:
            raise StratagemError(f"{error}; and only richman has a theorem that lets random play estimate it") from None
        if getattr(base, "filled", False) and len(base.legal(state, 0)) <= MOST_FILLED:
            return by_fillings(base, state)
        return estimate(base, state, seed=seed, playouts=playouts)
    exact = graph.nodes <= MOST_FRACTIONS
    win = graph_thresholds(graph, payment, "win", exact=exact)
    safe = graph_thresholds(graph, payment, "not_lose", exact=exact)
    if graph.over[0]:
        return Thresholds(win[0], safe[0], win[0] - win[0], ((), ()), "fractions" if exact else "floats", 0.0)
    a, b = _sides(graph, win, 0)
    number: Any = Fraction if exact else float
    moves = tuple(_best(graph, base, state, win, p, best) for p, best in ((0, a), (1, b)))
    return Thresholds(
        win[0],
        safe[0],
        critical_bid(a, b, number(payment.tax)),
        (moves[0], moves[1]),
        "fractions" if exact else "floats",
        0.0,
    )


def _best(graph: Graph, base: ArrayGame, state: State, found: list[Any], p: int, best: Any) -> tuple[str, ...]:
    texts = []
    for m in base.legal(state, p):
        after = state.copy()
        base.run("play", base.g, after, p, m)
        if found[graph.node(after)] == best:
            texts.append(base.move_text(state, p, m))
    return tuple(texts)


# ------------------------------------------------------------------------------------------------------ by simulation


def random_turn_template(
    g: Ground, start: State, s: State, cells: int, playouts: int, r: Rng, out: Payoffs, totals: Payoffs
) -> None:
    """Playouts in which a coin decides who moves, and moves are random; totals = [wins, draws] of the first player."""
    for _ in range(playouts):
        for i in range(cells):
            s[i] = start[i]
        for _ply in range(LONGEST):
            if base_turn(g, s) == OVER:
                break
            p = bits(r) & 1
            base_play(g, s, p, base_sample(g, s, p, r))
        if base_turn(g, s) == OVER:
            base_payoff(g, s, out)
            if out[0] > 0.0:
                totals[0] += 1.0
            elif out[0] == 0.0:
                totals[1] += 1.0
        else:
            totals[1] += 1.0


@cache
def simulator(base: ArrayGame) -> Callable[..., Any]:
    return specialise(random_turn_template, base_names(base), label=f"random-turn {base.name}")


def simulate(base: ArrayGame, state: State, playouts: int, rng: Rng) -> tuple[float, float]:
    """The shares of wins and draws of the first player in random-turn random play."""
    run = simulator(base)
    totals, s = np.zeros(2), base.blank()
    for _ in range(0, playouts, 5000):  # in parts, so that the keyboard is heard
        run(base.g, state, s, base.size + base.scratch, min(playouts, 5000), rng, np.zeros(2), totals)
    done = -(-playouts // 5000) * min(playouts, 5000)
    return float(totals[0]) / done, float(totals[1]) / done


def estimate(base: ArrayGame, state: State, *, seed: int = 0, playouts: int = PLAYOUTS) -> Thresholds:
    """Richman thresholds of a board by simulation; each side's moves are compared by simulations of their own."""
    rng = generator(seed)
    wins, draws = simulate(base, state, playouts, rng)
    error = sqrt(max(wins * (1 - wins), 1 / playouts) / playouts)
    best = []
    moves = []
    for p in (0, 1):
        scores = {}
        for m in base.legal(state, p):
            after = state.copy()
            base.run("play", base.g, after, p, m)
            share = simulate(base, after, max(playouts // 10, 1000), rng)[0]
            scores[base.move_text(state, p, m)] = share
        top = max(scores.values()) if p == 0 else min(scores.values())
        noise = 2 * sqrt(max(top * (1 - top), 1e-3) / max(playouts // 10, 1000))  # moves that cannot be distinguished
        near = [text for text, share in scores.items() if abs(share - top) <= noise]
        near.sort(key=lambda text, p=p, scores=scores: -scores[text] if p == 0 else scores[text])  # type: ignore[misc]
        best.append(1 - top)
        moves.append(tuple(near))
    return Thresholds(
        1 - wins, 1 - wins - draws, max((best[1] - best[0]) / 2, 0.0), (moves[0], moves[1]), "simulation", error
    )


# ------------------------------------------------------------------------------------------------------- by fillings


def fillings_template(
    g: Ground, start: State, s: State, size: int, cells: NDArray[np.int64], out: Payoffs, wins: NDArray[np.int64]
) -> None:
    """Every way to share out the empty cells: wins[c] of them with cell c the first player's are won, wins[-1] in all."""
    n = cells.shape[0]
    for filling in range(1 << n):
        for i in range(size):
            s[i] = start[i]
        for c in range(n):
            if base_turn(g, s) != OVER:
                base_play(g, s, 0 if filling >> c & 1 else 1, cells[c])
        base_payoff(g, s, out)
        if out[0] > 0.0:
            wins[n] += 1
            for c in range(n):
                wins[c] += filling >> c & 1


def by_fillings(base: ArrayGame, state: State) -> Thresholds:
    """Richman thresholds of a board of a game that the final filling decides, as fractions: half of all fillings each way.

    With a fair coin before every move the best cell for either side is the one that is likeliest to be pivotal, and the value
    is the share of fillings that are won.
    """
    cells = np.array(base.legal(state, 0), np.int64)
    n = len(cells)
    wins = np.zeros(n + 1, np.int64)
    count = specialise(fillings_template, base_names(base), label=f"fillings of {base.name}")
    count(base.g, state, base.blank(), base.size + base.scratch, cells, np.zeros(2), wins)
    win = 1 - Fraction(int(wins[n]), 1 << n)
    half = 1 << (n - 1)
    shares = (
        [1 - Fraction(int(wins[c]), half) for c in range(n)],  # thresholds after the first player has taken a cell
        [1 - Fraction(int(wins[n] - wins[c]), half) for c in range(n)],
    )
    best = min(shares[0]), max(shares[1])
    moves = tuple(
        tuple(base.move_text(state, p, int(cells[c])) for c in range(n) if shares[p][c] == best[p]) for p in (0, 1)
    )
    return Thresholds(win, win, (best[1] - best[0]) / 2, (moves[0], moves[1]), "fractions", 0.0)


# ---------------------------------------------------------------------------------------- the discrete Richman function


def discrete_richman(graph: Graph, total: int, goal: str = "win") -> NDArray[np.int64]:
    """For each board, the least purse that forces the goal under richman with the advantage token, of `total` chips.

    Purses are chips * 2, plus 1 with the token; a goal that cannot be reached needs a chip more than there are.
    """
    found = np.zeros(graph.nodes, np.int64)
    done = reached(graph, goal)
    for node in graph.order[::-1]:
        if graph.over[node]:
            found[node] = 0 if done[node] else 2 * (total + 1)
        else:
            own = [int(found[child]) for child in graph.after(node, 0) if child != PASS]
            other = [int(found[child]) for child in graph.after(node, 1) if child != PASS]
            mine = min(own) if own else max(other)
            found[node] = discrete_threshold(mine, max(other) if other else mine)
    return found


def least_purse(value: int, holds: bool) -> int:
    """The chips needed with or without the token, from a value of the discrete Richman function."""
    return value // 2 if holds else (value + 1) // 2
