"""Whole turns in one compiled call: played, tested, drawn at random, made by the script, answered by it.

All of them are tasks of one function, so that the rules are compiled once. A few turns played or tested, as people do, run
in the interpreter and wait for no compiler; from the `SOME`-th on, and wherever turns are made, the compiled function is used.
With spells and tiles that act compiling takes most of a minute, and the interpreter serves up to the `MANY`-th turn; the script
is then `wizard`'s, in the interpreter. `TARGET = "python"` keeps all there, where a debugger steps through the kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from stratagem.compile import specialise
from stratagem.games.minions.board import MAGIC, SPELLS_ON, WINNER, Stream
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.kernels import end_turn, play_actions, play_turn
from stratagem.games.minions.magic import random_deal
from stratagem.games.minions.sampling import random_turn
from stratagem.games.minions.scripted import WORK, chance, greedy
from stratagem.kernel import Ground, State
from stratagem.rng import Rng, generator

TARGET = "cpu"
STEPS_OF_A_QUESTION = 2e5  # of the interpreter, for the attacks on a board
SOME = 300  # turns played in the interpreter before compiling is worth while; less than two seconds of work
MANY = 20_000  # the same where there are spells or tiles that act
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
        return play_turn(g, s, turn, turn.size)
    if task == PLAY_SOME:
        return play_actions(g, s, turn, turn.size)
    if task >= RANDOM_GAMES:
        return games(g, s, r, task, turn, out, work)
    if task == ANSWER:
        play_turn(g, s, turn, turn.size)
        if s[WINNER] >= 0:
            return 0
    length = make_one(g, s, r, task, out, work)
    if task == ANSWER:
        end_turn(g, s)
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
        end_turn(g, s)
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
def patient(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The same, in the interpreter until it has been asked much: for single questions, which wait for no compiler."""
    label = f"minions {kernel.__name__}"
    return specialise(kernel, {"MAGIC": False}, target=TARGET, label=label, meanwhile=lambda *_: STEPS_OF_A_QUESTION)


_NOTHING = np.zeros(0, np.int64)
_NO_LUCK = generator(0)
_played = 0
_played_with_magic = 0


def with_magic() -> Callable[..., Any]:
    """The function of whole turns for rules with spells or tiles that act: compiled from the MANY-th turn on."""
    global _played_with_magic
    _played_with_magic += 1
    return compiled_with_magic() if _played_with_magic > MANY else interpreted(run)


@cache
def compiled_with_magic() -> Callable[..., Any]:
    """The same, compiled now: for whoever knows that many turns will come."""
    return specialise(run, {"MAGIC": True, "SCRIPTED": False}, target=TARGET, label="minions run with spells")


def compiled() -> Callable[..., Any]:
    """The function of whole turns to be used from now on: compiled, unless TARGET says otherwise."""
    global _played
    _played = SOME
    return rule(run)


def play(g: Ground, s: State, turn: Stream, *, whole: bool = True, magic: bool = False) -> int:
    """Play a turn on s, or some actions of one: 0, or place * PLACE + reason of the first that is illegal.

    `magic`: by the rules with spells and tiles that act."""
    global _played
    _played += not magic
    play_it = with_magic() if magic else compiled() if _played > SOME else interpreted(run)
    return int(play_it(g, s, _NO_LUCK, PLAY if whole else PLAY_SOME, turn, _NOTHING, _NOTHING))


def room(boards: int) -> tuple[Stream, State]:
    """Room for the actions of a turn, and for the lists of a script."""
    return np.zeros(WORDS_PER_BOARD * (boards + 1), np.int64), np.zeros(WORK, np.int64)


def make(config: GameConfig, s: State, r: Rng, task: int, turn: Stream = _NOTHING) -> Stream:
    """The words of a turn made by a task, which s is left in the middle of (after ANSWER, at the end of)."""
    out, work = room(config.boards)
    maker = with_magic() if config.magical else compiled()
    length = int(maker(config.ground, s, r, task, turn, out, work))
    return out[:length]


def winning_chance(g: Ground, s: State, side: int) -> float:
    """A rough probability that a side wins, from what both sides have."""
    return float(rule(chance)(g, s, side))
