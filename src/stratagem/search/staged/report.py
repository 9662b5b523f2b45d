"""What a search by stages did, for people and for programs: what each stage proposed, refined and passed over, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from stratagem.contract.player import PARTS_ARE_MEANS, Proposed, StageSeen
from stratagem.search.staged import cell
from stratagem.search.staged.bandit import hope, least
from stratagem.search.staged.nodes import Bandit, Candidate, PositionNode, StageNode
from stratagem.search.staged.records import Law, used_bytes
from stratagem.search.staged.settings import BEST

if TYPE_CHECKING:
    from stratagem.search.staged.search import Staged

SHOWN = 8  # candidates of a stage, and turns
FIRST = "first"  # how a part came that refines none
CHOSEN = ">"  # marks the turn that is played


class CandidateLine(NamedTuple):
    """A part and its statistics."""

    words: str
    visits: int  # trials of turns that used it
    value: float | None  # mean, for the mover
    error: float | None
    prior: float
    origin: str  # "first", "fine of ..", "coarse of ..": of a part, or of a turn that is one part; else empty
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
    turns: tuple[CandidateLine, ...]  # as the choice ranks them; the first is played, and the last were not tried yet
    order: str  # of the turns, in words
    made: int
    exhausted: bool
    spared: int  # turns that were not completed with a new part, for what was thought of them half made
    positions: int  # nodes of the tree
    bytes: int  # of their statistics

    def json(self) -> dict[str, Any]:
        return {
            "turns": [line._asdict() for line in self.turns],
            "order": self.order,
            "stages": [
                {**stage._asdict(), "candidates": [c._asdict() for c in stage.candidates]} for stage in self.stages
            ],
            "made": self.made,
            "exhausted": self.exhausted,
            "spared": self.spared,
            "positions": self.positions,
            "bytes": self.bytes,
        }

    def __str__(self) -> str:
        spared = f", {self.spared} not completed" if self.spared else ""
        made = f"{self.made} turns made{', all there are' if self.exhausted else ''}{spared}"
        held = f"{self.positions} position{'s' if self.positions != 1 else ''}, {self.bytes / 1e6:.1f} MB"
        lines = [f"{made}; the tree holds {held}"]
        lines.append(f"{self.order}; {CHOSEN} marks the one played:")
        lines += [_reported(line, CHOSEN if k == 0 else "") for k, line in enumerate(self.turns)]
        whole = len(self.stages) == 1  # its parts are the turns above
        lines.append("the stage, whose parts are the turns above:" if whole else f"the stages; {PARTS_ARE_MEANS}:")
        for stage in self.stages:
            after = f" after {stage.context}" if stage.context else ""
            made = f"{stage.proposed} proposed, {stage.fine} refined finely, {stage.coarse} coarsely"
            gone = f", {stage.passed_over} passed over" if stage.passed_over else ""
            lines.append(f"{stage.name}{after}: {made}{gone}{', exhausted' if stage.exhausted else ''}")
            lines += [] if whole else [_reported(line) for line in stage.candidates]
        return "\n".join(lines)


def _reported(line: CandidateLine, mark: str = "") -> str:
    value = "       -" if line.value is None else f"{line.value:+8.3f}"
    error = "        " if line.error is None else f" ± {line.error:.3f}"
    why = f"  [{line.origin}]" if line.origin and line.origin != FIRST else ""
    return f"{mark:2}{value}{error} {line.visits:7d}  {line.words}{why}" + (
        f"  ({line.passed_over})" if line.passed_over else ""
    )


def report_on(search: Staged[Any, Any], root: PositionNode) -> Report:
    stages = [_stage_line(search, root, sub) for sub in root.under]
    order = {stage.name: k for k, stage in enumerate(root.stages)}
    stages.sort(key=lambda line: (order[line.name], -line.visits))
    bandit = root.bandit
    gone = _passed_over(search, bandit, search.terms.turns)
    turns = tuple(
        CandidateLine(
            words,
            bandit.visits(row),
            search.worth(bandit, row),
            search.error(bandit, row),
            float(bandit.rows[row, cell.PRIOR]),
            _origin(search, root, root.turn(row).choices[0]) if len(root.stages) == 1 else "",
            gone.get(row, ""),
        )
        for words, row in _listed(search, root).items()
    )
    held = used_bytes(search.tree)
    return Report(
        tuple(stages),
        turns,
        order_of(search),
        len(root.turns),
        search.seen_all(root),
        int(search.tree.counts[cell.SPARED]),
        len(search.places),
        held,
    )


def order_of(search: Staged[Any, Any]) -> str:
    """How turns are ranked, in a line for people."""
    settings = search.settings
    if settings.backup == BEST:
        return "turns by value, those tried seldom last"
    last = ", those tried seldom last" if settings.trust else ""
    return f"turns by value less {settings.caution:g} times its error (of few trials at least the usual one){last}"


def _listed(search: Staged[Any, Any], root: PositionNode) -> dict[str, int]:
    """The first turns in words, as the choice ranks them, and their rows; of those that read alike the first."""
    tried = search._ranked(root.bandit)
    found: dict[str, int] = {}
    for row in (*tried, *sorted(set(range(cell.CHILDREN, root.bandit.n)) - set(tried))):
        if len(found) == SHOWN:
            break
        found.setdefault(search.staging.text(root.position, root.turn(row).turn), row)
    return found


def seen_by_stages(search: Staged[Any, Any], root: PositionNode, row: int, most: int) -> tuple[StageSeen, ...]:
    """What the stages of one turn proposed; short, since it is asked for while others walk. Nothing where a turn has one stage:
    its parts are the turns, which are reported anyway."""
    if len(root.stages) == 1:
        return ()
    found = []
    for choice in root.turn(row).choices:
        sub = choice.node
        bandit = sub.bandit
        order = sorted(sub.candidates, key=lambda c: bandit.visits(c.row), reverse=True)
        shown = [choice, *(c for c in order if c.row != choice.row)][:most]
        reported = tuple(
            Proposed(
                search.staging.words(root.position, sub.stage.name, c.part), bandit.mean(c.row), bandit.visits(c.row)
            )
            for c in shown
        )
        refined = sum(c.proposed.kind != FIRST for c in sub.candidates)
        gone = len(_passed_over(search, bandit, search.terms.parts))
        found.append(StageSeen(sub.stage.name, len(sub.candidates), refined, gone, reported))
    return tuple(found)


def _stage_line(search: Staged[Any, Any], root: PositionNode, sub: StageNode) -> StageLine:
    bandit, parts, name = sub.bandit, sub.proposals.parts, sub.stage.name
    gone = _passed_over(search, bandit, search.terms.parts)
    candidates = []
    for candidate in sorted(sub.candidates, key=lambda c: bandit.visits(c.row), reverse=True)[:SHOWN]:
        candidates.append(
            CandidateLine(
                search.staging.words(root.position, name, parts[candidate.number]),
                bandit.visits(candidate.row),
                bandit.mean(candidate.row),
                bandit.error(candidate.row),
                candidate.proposed.prior,
                _origin(search, root, candidate),
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


def _origin(search: Staged[Any, Any], root: PositionNode, candidate: Candidate) -> str:
    """How a part came, and which one it refines."""
    of, stage = candidate.proposed, candidate.node
    if of.of is None:
        return of.kind
    return f"{of.kind} of {search.staging.words(root.position, stage.stage.name, stage.proposals.parts[of.of])}"


def _context(search: Staged[Any, Any], root: PositionNode, sub: StageNode) -> str:
    """The parts that a stage node came after, by one turn that went through it."""
    if not sub.stage.after:
        return ""
    for turn in root.turns:
        if any(choice.node.k == sub.k for choice in turn.choices):
            parts = turn.parts
            return ", ".join(search.staging.words(root.position, name, parts[name]) for name in sub.stage.after)
    return "a choice that no turn has made"


def _passed_over(search: Staged[Any, Any], bandit: Bandit, law: Law) -> dict[int, str]:
    """The rows that are not explored now, with the reason."""
    if search.settings.pruning == 0:
        return {}
    rows, quick, block, n = search.tree.rows, search.tree.quick, bandit.block, bandit.n
    floor = float(least(rows, quick, block, n, bandit.seat, law))
    hopes = {row: float(hope(rows, quick, block, row, bandit.seat, law)) for row in range(cell.CHILDREN, n)}
    return {
        row: f"at most {most:+.3f}, and the best is at least {floor:+.3f}"
        for row, most in hopes.items()
        if most < floor
    }
