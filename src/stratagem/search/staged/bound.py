"""What is bound to the core of search by stages: what only a staging knows, and how threads keep out of each other's way.

A staging of kernels answers there and then, without the interpreter (`kernels`); one in Python is asked by *mail*: the function
returns a request, `core.simulate` returns it to Python with what it is about in the walker's mail, and is called again when the
answer is there.
"""

from __future__ import annotations

from typing import Any

from stratagem.kernel import Ground
from stratagem.search.staged import cell, step
from stratagem.search.staged.records import Tree, Walker, Words


def find_stage(g: Ground, tree: Tree, walker: Walker) -> int:
    """Enter the node of stage STAGE_AT, in the context of what is chosen, at the place of the walker."""
    return step.WANT_STAGE


def ask(g: Ground, tree: Tree, walker: Walker) -> int:
    """Ask a source for one more part in one way; ANSWER: whether there is one that is new, with its handle and prior."""
    return step.WANT_PROPOSAL


def judge_half(g: Ground, tree: Tree, walker: Walker) -> int:
    """What is to be thought of a half-made turn: SAID_VALUE and SAID_SPREAD."""
    return step.WANT_HALF


def join(g: Ground, tree: Tree, walker: Walker) -> int:
    """Make a turn of the candidates chosen: its handle as the ANSWER, and what is to be thought of it."""
    return step.WANT_TURN


def play_on(g: Ground, tree: Tree, walker: Walker) -> int:
    """Play the last turn of the path: the position that it leads to as the ANSWER, or the payoffs of the finished game."""
    return step.WANT_PLAY


def try_turn(g: Ground, tree: Tree, walker: Walker) -> int:
    """Try the last turn of the path so many times: the payoffs into `values`."""
    return step.WANT_TRIALS


def claim(counts: Words, at: int) -> bool:
    """Take the lock, if it is free; where threads share a tree, in one step."""
    free = counts[at] == 0
    counts[at] = 1
    return bool(free)


def give_up(counts: Words, at: int) -> None:
    """Let go of the lock."""
    counts[at] = 0


def take_alone(tree: Tree) -> None:
    """Nobody else works on the tree, or Python holds its lock."""


def take_shared(tree: Tree) -> None:
    """Wait until no other thread works on the tree: some microseconds at the most."""
    while not claim(tree.counts, cell.LOCK):
        pass


def release_alone(tree: Tree) -> None:
    """Nobody else waits."""


def release_shared(tree: Tree) -> None:
    give_up(tree.counts, cell.LOCK)


take, release = take_alone, release_alone
SHARED: dict[str, Any] = {"take": take_shared, "release": release_shared}
