"""What a search by stages did, for people and for programs: what each stage proposed, refined and passed over, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stratagem.contract.player import Proposed, StageSeen
from stratagem.search.staged.bandit import CHILDREN, PRIOR, Bandit
from stratagem.search.staged.nodes import FIRST, PositionNode, StageNode

if TYPE_CHECKING:
    from stratagem.search.staged.search import Staged

SHOWN = 8  # candidates of a stage, and turns


class CandidateLine(NamedTuple):
    """A part and its statistics."""

    words: str
    visits: int  # trials of turns that used it
    value: float | None  # mean, for the mover
    error: float | None
    prior: float
    origin: str  # "first", "fine of ..", "coarse of .."
    passed_over: str  # why it is not explored now; empty: it is


class StageLine(NamedTuple):
    """One stage in one context."""

    name: str
    context: str  # the parts it came after
    candidates: tuple[CandidateLine, ...]  # most visited first
    proposed: int
    fine: int  # how many of them refine others
    coarse: int
    passed_over: int
    exhausted: bool
    visits: int


@dataclass(frozen=True)
class Report:
    """The root of a search as it stands."""

    stages: tuple[StageLine, ...]
    turns: tuple[CandidateLine, ...]  # most visited first
    made: int
    exhausted: bool
    positions: int  # nodes of the tree
    bytes: int  # of their statistics

    def json(self) -> dict[str, Any]:
        return {
            "turns": [line._asdict() for line in self.turns],
            "stages": [
                {**stage._asdict(), "candidates": [c._asdict() for c in stage.candidates]} for stage in self.stages
            ],
            "made": self.made,
            "exhausted": self.exhausted,
            "positions": self.positions,
            "bytes": self.bytes,
        }

    def __str__(self) -> str:
        lines = [f"{self.made} turns made{', all there are' if self.exhausted else ''}; {self.positions} positions"]
        lines += [_told(line) for line in self.turns]
        for stage in self.stages:
            after = f" after {stage.context}" if stage.context else ""
            made = f"{stage.proposed} proposed, {stage.fine} refined finely, {stage.coarse} coarsely"
            gone = f", {stage.passed_over} passed over" if stage.passed_over else ""
            lines.append(f"{stage.name}{after}: {made}{gone}{', exhausted' if stage.exhausted else ''}")
            lines += [_told(line) for line in stage.candidates]
        return "\n".join(lines)


def _told(line: CandidateLine) -> str:
    value = "       -" if line.value is None else f"{line.value:+8.3f}"
    error = "        " if line.error is None else f" ± {line.error:.3f}"
    why = f"  [{line.origin}]" if line.origin and line.origin != FIRST else ""
    return f"  {value}{error} {line.visits:7d}  {line.words}{why}" + (
        f"  ({line.passed_over})" if line.passed_over else ""
    )


def report_on(search: Staged[Any, Any], root: PositionNode) -> Report:
    stages = [_stage_line(search, root, sub) for sub in root.sub.values()]
    order = {stage.name: k for k, stage in enumerate(root.stages)}
    stages.sort(key=lambda line: (order[line.name], -line.visits))
    bandit = root.bandit
    gone = _passed_over(search, bandit, search._turn_constants)
    rows = sorted(range(CHILDREN, bandit.n), key=bandit.visits, reverse=True)[:SHOWN]
    turns = tuple(
        CandidateLine(
            search.staging.text(root.position, root.turn(row).turn),
            bandit.visits(row),
            search.worth(bandit, row),
            search.error(bandit, row),
            float(bandit.rows[row, PRIOR]),
            "",
            gone.get(row, ""),
        )
        for row in rows
    )
    nodes = {id(node): node for node in (root, *search.nodes.values())}.values()
    held = sum(node.bandit.bytes + sum(sub.bandit.bytes for sub in node.sub.values()) for node in nodes)
    return Report(tuple(stages), turns, len(root.turns), search.seen_all(root), len(nodes), held)


def seen_by_stages(search: Staged[Any, Any], root: PositionNode, row: int, most: int) -> tuple[StageSeen, ...]:
    """What the stages of one turn proposed; short, since it is asked for while others walk."""
    found = []
    for choice in root.turn(row).choices:
        sub = choice.node
        bandit = sub.bandit
        order = sorted(sub.candidates, key=lambda c: bandit.visits(c.row), reverse=True)
        shown = [choice, *(c for c in order if c is not choice)][:most]
        told = tuple(
            Proposed(
                search.staging.words(root.position, sub.stage.name, c.part), bandit.mean(c.row), bandit.visits(c.row)
            )
            for c in shown
        )
        refined = sum(c.proposed.kind != FIRST for c in sub.candidates)
        gone = len(_passed_over(search, bandit, search._stage_constants))
        found.append(StageSeen(sub.stage.name, len(sub.candidates), refined, gone, told))
    return tuple(found)


def _stage_line(search: Staged[Any, Any], root: PositionNode, sub: StageNode) -> StageLine:
    bandit, given, name = sub.bandit, sub.proposals.given, sub.stage.name

    def words(number: int) -> str:
        return search.staging.words(root.position, name, given[number].part)

    gone = _passed_over(search, bandit, search._stage_constants)
    candidates = []
    for candidate in sorted(sub.candidates, key=lambda c: bandit.visits(c.row), reverse=True)[:SHOWN]:
        of = candidate.proposed
        origin = of.kind if of.of is None else f"{of.kind} of {words(of.of)}"
        candidates.append(
            CandidateLine(
                words(candidate.number),
                bandit.visits(candidate.row),
                bandit.mean(candidate.row),
                bandit.error(candidate.row),
                of.prior,
                origin,
                gone.get(candidate.row, ""),
            )
        )
    kinds = [candidate.proposed.kind for candidate in sub.candidates]
    return StageLine(
        name,
        _context(search, root, sub),
        tuple(candidates),
        len(kinds),
        kinds.count("fine"),
        kinds.count("coarse"),
        len(gone),
        sub.exhausted,
        bandit.visits(),
    )


def _context(search: Staged[Any, Any], root: PositionNode, sub: StageNode) -> str:
    """The parts that a stage node came after, by one turn that went through it."""
    if not sub.stage.after:
        return ""
    for turn in root.turns:
        if any(choice.node is sub for choice in turn.choices):
            parts = {choice.node.stage.name: choice.part for choice in turn.choices}
            return ", ".join(search.staging.words(root.position, name, parts[name]) for name in sub.stage.after)
    return "a choice that no turn has made"


def _passed_over(search: Staged[Any, Any], bandit: Bandit, constants: Any) -> dict[int, str]:
    """The rows that are not explored now, with the reason."""
    if search.settings.pruning == 0:
        return {}
    hopes = np.zeros(max(bandit.n - CHILDREN, 1))
    floor = float(search._bandit["least"](bandit.rows, bandit.n, bandit.seat, constants))
    search._bandit["hopes"](bandit.rows, bandit.n, bandit.seat, constants, hopes)
    return {
        row: f"at most {hopes[row - CHILDREN]:+.3f}, and the best is at least {floor:+.3f}"
        for row in range(CHILDREN, bandit.n)
        if hopes[row - CHILDREN] < floor
    }
