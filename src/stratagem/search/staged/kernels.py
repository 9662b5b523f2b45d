"""Stages as kernels: a staging whose proposals and judgement are compiled, so that a whole search runs without the interpreter.

A game gives the functions of the first half of this module; `KernelStaging` says how many words a part has. A part is a row of
`part_words` integers, a turn the rows of all its stages, and a generator has `memory_words` integers of its own, zero at first.
The second half answers the core (`core`) with them: these are bound in the place of the functions that ask by mail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from stratagem.kernel import Ground, Payoffs, State
from stratagem.rng import Rng, seed_stream
from stratagem.search.staged import cell, step
from stratagem.search.staged.bandit import SLACK
from stratagem.search.staged.bound import release, take
from stratagem.search.staged.pool import new_node, new_source
from stratagem.search.staged.records import Grid, Tree, Walker, Words
from stratagem.search.staged.stage import Context, Generator, Stage, Staging, Values
from stratagem.search.staged.tables import enter_node

RETRIES = 3  # a generator that gives a part again is asked so often for another

# bound
FINER: bool = False  # whether the game gives `finer`
COARSER: bool = False


# ---------------------------------------------------------------------------------------------------- what a game gives


def prepare(g: Ground, s: State, p: int, stage: int, turn: Grid, memory: Words) -> None:
    """Begin a generator: seat p's stage in position s. The rows of `turn` before this stage are chosen. May be left out."""


def propose(g: Ground, s: State, p: int, stage: int, turn: Grid, memory: Words, r: Rng, part: Words) -> float:
    """One more part of its own accord, the most promising first; returns its prior, or 0.0 where there are no more."""
    return 0.0


def finer(
    g: Ground, s: State, p: int, stage: int, turn: Grid, memory: Words, base: Words, r: Rng, part: Words
) -> float:
    """The same intent as `base`, realised in another way."""
    return 0.0


def coarser(
    g: Ground, s: State, p: int, stage: int, turn: Grid, memory: Words, base: Words, noise: float, r: Rng, part: Words
) -> float:
    """A perturbed intent, the further from that of `base` the greater the noise."""
    return 0.0


def exhausted(g: Ground, s: State, p: int, stage: int, memory: Words) -> bool:
    """Whether every part that this stage could ever have was given: a promise, never a guess."""
    return False


def estimate(g: Ground, s: State, p: int, stage: int, turn: Grid, out: Payoffs) -> float:
    """What a turn is thought to be worth of which only the rows up to this stage are chosen, by seat into `out`; returns the
    spread, or UNKNOWN where nothing can be said."""
    return cell.UNKNOWN


def trial(g: Ground, s: State, p: int, turn: Grid, r: Rng, out: Payoffs) -> None:
    """Play a turn on s, a copy of the position, and judge what comes of it: payoffs by seat in [-1, 1]."""


# ------------------------------------------------------------------------------------------------------ what the core asks


def gather(tree: Tree, turn: Grid, choices: Words, n: int) -> None:
    """The parts of n candidates into the rows of a turn."""
    for i in range(n):
        node = choices[i] >> cell.ROW_BITS
        at = tree.sources[tree.nodes[node, cell.SOURCE], cell.BLOCK] + (choices[i] & cell.ROW_MASK) - cell.CHILDREN
        for c in range(turn.shape[1]):
            turn[i, c] = tree.parts[at, c]


def find_stage_here(g: Ground, tree: Tree, walker: Walker) -> int:
    at = walker.at
    p, stage = at[cell.PLACE], at[cell.STAGE_AT]
    source = new_source(tree)
    node = new_node(tree, p, stage, source)
    enter_node(tree, p, stage, walker.chosen, node)
    gather(tree, walker.turn, walker.chosen, stage)
    memory, own = tree.memories[source], tree.sources[source]
    for c in range(memory.shape[0]):
        memory[c] = 0
    seat = tree.positions[p, cell.SEAT]
    prepare(g, tree.states[p], seat, stage, walker.turn, memory)
    own[cell.CAN_REFINE], own[cell.CAN_PERTURB] = int(FINER), int(COARSER)
    own[cell.DRY] = int(exhausted(g, tree.states[p], seat, stage, memory))
    return step.GO


def ask_here(g: Ground, tree: Tree, walker: Walker) -> int:
    at, mail, said, part = walker.at, walker.mail, walker.said, walker.part
    source, way = mail[cell.ASKED_ABOUT], mail[cell.ASKED_WAY]
    p = at[cell.PLACE]
    stage, seat = tree.nodes[at[cell.SUB], cell.STAGE], tree.positions[p, cell.SEAT]
    gather(tree, walker.turn, walker.chosen, stage)
    s, memory, own = tree.states[p], tree.memories[source], tree.sources[source]
    if way != cell.FIRST:
        for c in range(part.shape[0]):
            walker.base[c] = tree.parts[own[cell.BLOCK] + mail[cell.ASKED_BASE], c]
    release(tree)
    prior = 0.0
    for _ in range(RETRIES):
        if way == cell.FIRST:
            prior = propose(g, s, seat, stage, walker.turn, memory, walker.rng, part)
        elif way == cell.FINE:
            prior = finer(g, s, seat, stage, walker.turn, memory, walker.base, walker.rng, part)
        else:
            prior = coarser(
                g, s, seat, stage, walker.turn, memory, walker.base, said[cell.SAID_NOISE], walker.rng, part
            )
        if prior == 0.0 or not repeated(tree, source, part):
            break
        prior = 0.0
    dry = exhausted(g, s, seat, stage, memory)
    take(tree)
    mail[cell.EMPTIED] = int(dry)
    if not 0.0 <= prior < cell.UNKNOWN:
        return step.BAD_PRIOR
    if prior > 0.0:
        mail[cell.ANSWER], said[cell.SAID_PRIOR] = own[cell.USED], prior
    return step.GO


def repeated(tree: Tree, source: int, part: Words) -> bool:
    """Whether a source, which nobody else may ask meanwhile, gave a part before."""
    block = tree.sources[source, cell.BLOCK]
    for k in range(block, block + tree.sources[source, cell.USED]):
        same = True
        for c in range(part.shape[0]):
            same = same and tree.parts[k, c] == part[c]
        if same:
            return True
    return False


def judge_half_here(g: Ground, tree: Tree, walker: Walker) -> int:
    at, p = walker.at, walker.at[cell.PLACE]
    stage, seat = at[cell.STAGE_AT], tree.positions[p, cell.SEAT]
    gather(tree, walker.turn, walker.chosen, stage + 1)
    spread = estimate(g, tree.states[p], seat, stage, walker.turn, walker.out)
    value = walker.out[seat]
    walker.said[cell.SAID_SPREAD], walker.said[cell.SAID_VALUE] = spread, value
    if spread == cell.UNKNOWN:
        return step.GO
    return step.GO if abs(value) <= 1.0 + SLACK and spread >= 0.0 else step.BAD_ESTIMATE


def join_here(g: Ground, tree: Tree, walker: Walker) -> int:
    walker.mail[cell.ANSWER] = 0
    return step.GO


def try_turn_here(g: Ground, tree: Tree, walker: Walker) -> int:
    at, state = walker.at, walker.state
    p, row = walker.path[at[cell.DEPTH] - 1, 0], walker.path[at[cell.DEPTH] - 1, 1]
    seat, n = tree.positions[p, cell.SEAT], walker.turn.shape[0]
    gather(tree, walker.turn, tree.marks[tree.positions[p, cell.BLOCK] + row, cell.CHOICES :], n)
    s = tree.states[p]
    release(tree)
    for j in range(at[cell.TRIALS]):
        seed_stream(walker.luck, at[cell.SEED], at[cell.FIRST_STREAM] + j)
        for c in range(s.shape[0]):
            state[c] = s[c]
        trial(g, state, seat, walker.turn, walker.luck, walker.out)
        for q in range(walker.out.shape[0]):
            walker.values[j, q] = walker.out[q]
    take(tree)
    return step.GO


HERE: dict[str, Any] = {
    "find_stage": find_stage_here,
    "ask": ask_here,
    "judge_half": judge_half_here,
    "join": join_here,
    "try_turn": try_turn_here,
}


# ---------------------------------------------------------------------------------------------------------- the staging


class Outline(NamedTuple):
    """A stage of kernels: its name, and the stages whose parts it reads."""

    name: str
    after: tuple[str, ...] = ()


class KernelStaging(Staging[State, tuple[tuple[int, ...], ...]]):
    """A staging of kernels, whose positions are flat arrays.

    A subclass gives `outline`, `kernels` and `mover`. For `depth` above 1 it also gives `play`, `payoffs` and `key`,
    which are asked in Python.
    """

    outline: Sequence[Outline]
    kernels: Mapping[str, Any]  # the functions above, by their names
    ground: Ground = np.zeros(1, np.int64)
    cells: int = 1  # of a position
    part_words: int = 1
    memory_words: int = 1

    def stages(self, position: State) -> Sequence[Stage]:
        """Return the stages that `outline` names.

        Args:
            position: the position; it is not used.
        """
        if not hasattr(self, "_stages"):
            self._stages = tuple(Stage(name, _unasked, after) for name, after in self.outline)
        return self._stages

    def join(self, position: State, parts: Mapping[str, Any]) -> tuple[tuple[int, ...], ...]:
        """Return the turn that the parts make: the parts in the order of `outline`.

        Args:
            position: the position; it is not used.
            parts: one part for each stage, by the stage's name.
        """
        return tuple(parts[name] for name, _ in self.outline)

    @property
    def names(self) -> dict[str, Any]:
        """What the core is specialised with."""
        given = {"FINER": "finer" in self.kernels, "COARSER": "coarser" in self.kernels}
        return {**HERE, **given, **self.kernels}

    def sample(self, position: State, turn: Any, seat: int | None, streams: range, seed: int) -> Values:
        """Return the payoffs of a turn that is tried once with each stream of chance, for callers in Python.

        Args:
            position: the position.
            turn: the turn, as `join` made it.
            seat: not used: the kernel `trial` guesses nothing.
            streams: the numbers of the streams of chance.
            seed: the seed of all streams.

        Returns:
            The payoffs, an array [streams, players].
        """
        out, s, rows = np.zeros((len(streams), self.players)), position.copy(), np.array(turn, np.int64)
        r = np.zeros(2, np.int64)
        with np.errstate(over="ignore"):
            for j, stream in enumerate(streams):
                seed_stream(r, seed, stream)
                s[:] = position
                self.kernels["trial"](self.ground, s, self.mover(position), rows, r, out[j])
        return out


def _unasked(context: Context) -> Generator:
    raise AssertionError("stages of kernels make no generators")


__all__ = ["KernelStaging", "Outline"]
