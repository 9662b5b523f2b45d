"""Whole turns in one call: played, tested, drawn at random, made by the script.

Behind all of them is one compiled function, so that the rules are compiled once. With spells and tiles that act the script is
`wizard`'s. `TARGET = "python"` keeps all in the interpreter, where a debugger steps through the kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from stratagem.compile import specialise
from stratagem.games.minions import kernels as rules
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.layout import Stream
from stratagem.games.minions.sampling import random_turn
from stratagem.games.minions.scripted import WORK, chance, greedy
from stratagem.kernel import Ground, State
from stratagem.rng import Rng, generator

TARGET = "cpu"
STEPS_OF_A_QUESTION = 2e5  # of an innermost loop, for the attacks on a board
STEPS_OF_A_TURN = 1e4  # the same, for a turn that is played or made
SCRIPTED: bool = True  # bound to False where the compiled script does not know the rules
WORDS_PER_BOARD = 4096  # room for the actions of a turn

_PLAY, _PLAY_SOME, _RANDOM, _SCRIPTED, _WILD = range(5)  # what `run` can do; each has a function below


def run(g: Ground, s: State, r: Rng, task: int, turn: Stream, out: Stream, work: State) -> int:
    """Do a task on the state s: 0 or the reason of a refusal for turns played, the length of `out` for turns made."""
    if task == _PLAY:
        return rules.play_turn(g, s, turn, turn.size)
    if task == _PLAY_SOME:
        return rules.play_actions(g, s, turn, turn.size)
    if SCRIPTED and task != _RANDOM:
        return greedy(g, s, r, task == _WILD, out, work)
    return random_turn(g, s, r, out)


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


def player_of(target: str) -> Callable[[Ground, State, Stream, bool], int]:
    """A function that plays a turn without spells on a state, whole or in part, for who calls it in an inner loop: 0, or
    place * PLACE + reason of the first action that is illegal."""
    playing = rule(run) if target == "cpu" else interpreted(run)

    def play_it(g: Ground, s: State, turn: Stream, whole: bool) -> int:
        return int(playing(g, s, _NO_LUCK, _PLAY if whole else _PLAY_SOME, turn, _NOTHING, _NOTHING))

    return play_it


@cache
def _whole_turns(magic: bool) -> Callable[..., Any]:
    """The function of whole turns, in the interpreter until much is asked of it. It knows the script where there is no magic."""
    names = {"MAGIC": magic, "SCRIPTED": not magic}
    label = "minions run with spells" if magic else "minions run"
    return specialise(run, names, target=TARGET, label=label, meanwhile=lambda *_: STEPS_OF_A_TURN)


def play(g: Ground, s: State, turn: Stream, *, whole: bool = True, magic: bool = False) -> int:
    """Play a turn on s, or some actions of one: 0, or place * PLACE + reason of the first that is illegal.

    `magic`: by the rules with spells and tiles that act."""
    playing = _whole_turns(magic)
    return int(playing(g, s, _NO_LUCK, _PLAY if whole else _PLAY_SOME, turn, _NOTHING, _NOTHING))


def room(boards: int) -> tuple[Stream, State]:
    """Room for the actions of a turn, and for the lists of a script."""
    return np.zeros(WORDS_PER_BOARD * (boards + 1), np.int64), np.zeros(WORK, np.int64)


def _made(config: GameConfig, s: State, r: Rng, task: int) -> Stream:
    out, work = room(config.boards)
    length = int(_whole_turns(config.magical)(config.ground, s, r, task, _NOTHING, out, work))
    return out[:length]


def random_words(config: GameConfig, s: State, r: Rng) -> Stream:
    """The words of a random legal turn, which s is left in the middle of."""
    return _made(config, s, r, _RANDOM)


def scripted_words(config: GameConfig, s: State, r: Rng, *, wild: bool = False) -> Stream:
    """The words of the script's turn, which s is left in the middle of; `wild` varies its choices."""
    return _made(config, s, r, _WILD if wild else _SCRIPTED)


def winning_chance(g: Ground, s: State, side: int) -> float:
    """A rough probability that a side wins, from what both sides have."""
    return float(rule(chance)(g, s, side))
