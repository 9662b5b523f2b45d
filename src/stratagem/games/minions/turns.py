"""Whole turns in one call: played, tested, drawn at random, made by the script, answered by it.

All of them are tasks of one function, so that the rules are compiled once. With spells and tiles that act the script is
`wizard`'s. `TARGET = "python"` keeps all in the interpreter, where a debugger steps through the kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from stratagem.compile import specialise
from stratagem.games.minions import kernels as rules
from stratagem.games.minions.board import MAGIC, SPELLS_ON, WINNER, Stream
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.magic import random_deal
from stratagem.games.minions.sampling import random_turn
from stratagem.games.minions.scripted import WORK, chance, greedy
from stratagem.kernel import Ground, State
from stratagem.rng import Rng, generator

TARGET = "cpu"
STEPS_OF_A_QUESTION = 2e5  # of an innermost loop, for the attacks on a board
STEPS_OF_A_TURN = 1e4  # the same, for a turn that is played or made
SCRIPTED: bool = True  # bound to False where the compiled script does not know the rules
WORDS_PER_BOARD = 4096  # room for the actions of a turn

PLAY, PLAY_SOME, RANDOM, GREEDY, WILD, ANSWER, RANDOM_GAMES, GREEDY_GAMES = range(8)  # tasks


def run(g: Ground, s: State, r: Rng, task: int, turn: Stream, out: Stream, work: State) -> int:
    """Do a task on the state s: 0 or the reason of a refusal for turns played, the length of `out` for turns made.

    PLAY runs `turn` to its end, PLAY_SOME leaves the state in the middle of it. RANDOM, GREEDY and WILD write a turn of
    the side to move and leave the state before its end phase. ANSWER plays `turn` and then the script's answer, which is
    written (nothing if the game is over). The two kinds of games play `work[0]` turns, from `turn` again, which then holds
    a state, whenever a game ends, and return how many ended.
    """
    if task == PLAY:
        return rules.play_turn(g, s, turn, turn.size)
    if task == PLAY_SOME:
        return rules.play_actions(g, s, turn, turn.size)
    if task >= RANDOM_GAMES:
        return games(g, s, r, task, turn, out, work)
    if task == ANSWER:
        rules.play_turn(g, s, turn, turn.size)
        if s[WINNER] >= 0:
            return 0
    length = make_one(g, s, r, task, out, work)
    if task == ANSWER:
        rules.end_turn(g, s)
    return length


def make_one(g: Ground, s: State, r: Rng, task: int, out: Stream, work: State) -> int:
    """A turn at random, or by the script."""
    if SCRIPTED and task != RANDOM and task != RANDOM_GAMES:
        return greedy(g, s, r, task == WILD, out, work)
    return random_turn(g, s, r, out)


def games(g: Ground, s: State, r: Rng, task: int, start: State, out: Stream, work: State) -> int:
    """Many turns in one call; returns how many games ended."""
    ended = 0
    for _ in range(work[0]):
        if MAGIC and g[SPELLS_ON] == 1:
            random_deal(g, s, r, out)
        make_one(g, s, r, task, out, work)
        rules.end_turn(g, s)
        if s[WINNER] >= 0:
            ended += 1
            for i in range(s.size):
                s[i] = start[i]
    return ended


@cache
def specialised(kernel: Callable[..., Any], target: str, magic: bool = False) -> Callable[..., Any]:
    """A kernel for a target, with or without the rules of spells and tiles that act."""
    return specialise(kernel, {"MAGIC": magic}, target=target, label=f"minions {kernel.__name__}")


def interpreted(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel to call in the interpreter, with all rules."""
    return specialised(kernel, "python", True)


def rule(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel of rules without spells to call, compiled unless TARGET says otherwise."""
    return specialised(kernel, TARGET)


@cache
def patient(kernel: Callable[..., Any], magic: bool = False) -> Callable[..., Any]:
    """The same, in the interpreter until much is asked of it: for single questions."""
    label = f"minions {kernel.__name__}"
    return specialise(kernel, {"MAGIC": magic}, target=TARGET, label=label, meanwhile=lambda *_: STEPS_OF_A_QUESTION)


_NOTHING = np.zeros(0, np.int64)
_NO_LUCK = generator(0)


def compiled() -> Callable[..., Any]:
    """The function of whole turns without spells, for who calls it in an inner loop."""
    return rule(run)


@cache
def whole_turns(magic: bool, target: str) -> Callable[..., Any]:
    """The function of whole turns, in the interpreter until much is asked of it. It knows the script where there is no magic."""
    names = {"MAGIC": magic, "SCRIPTED": not magic}
    label = "minions run with spells" if magic else "minions run"
    return specialise(run, names, target=target, label=label, meanwhile=_steps)


def _steps(g: Ground, s: State, r: Rng, task: int, turn: Stream, out: Stream, work: State) -> float:
    return STEPS_OF_A_TURN * (float(work[0]) if task >= RANDOM_GAMES else 1.0)


def play(g: Ground, s: State, turn: Stream, *, whole: bool = True, magic: bool = False) -> int:
    """Play a turn on s, or some actions of one: 0, or place * PLACE + reason of the first that is illegal.

    `magic`: by the rules with spells and tiles that act."""
    play_it = whole_turns(magic, TARGET)
    return int(play_it(g, s, _NO_LUCK, PLAY if whole else PLAY_SOME, turn, _NOTHING, _NOTHING))


def room(boards: int) -> tuple[Stream, State]:
    """Room for the actions of a turn, and for the lists of a script."""
    return np.zeros(WORDS_PER_BOARD * (boards + 1), np.int64), np.zeros(WORK, np.int64)


def make(config: GameConfig, s: State, r: Rng, task: int, turn: Stream = _NOTHING) -> Stream:
    """The words of a turn made by a task, which s is left in the middle of (after ANSWER, at the end of)."""
    out, work = room(config.boards)
    length = int(whole_turns(config.magical, TARGET)(config.ground, s, r, task, turn, out, work))
    return out[:length]


def winning_chance(g: Ground, s: State, side: int) -> float:
    """A rough probability that a side wins, from what both sides have."""
    return float(rule(chance)(g, s, side))
