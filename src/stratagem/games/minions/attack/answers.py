"""Questions that people ask of the attack phase: can these enemies all be removed this turn, how, and if not, why not."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from stratagem.contract.companions.drawing import Mark
from stratagem.contract.companions.panels import Finding
from stratagem.errors import IllegalMove, OptionError
from stratagem.games.minions.attack.solver import SPLIT, AttackSolver, Plan, Statement, turn_of
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.maps import distance, hex_index, hex_name
from stratagem.games.minions.notation import parse_fen
from stratagem.games.minions.state import SIDES, GameState
from stratagem.games.minions.turn import BoardAction, GameTurn

MOST = 100_000  # plans that are listed
PANEL_PLANS = 8  # on the analysis page
CONFLICTS = 20_000  # of the solver, for one necromancer, before a win in one turn is given up


@dataclass(frozen=True)
class AttackAnswer:
    """Whether enemies can be removed, with plans or with what conflicts."""

    possible: bool | None  # None: not decided
    conflict: tuple[str, ...]  # hexes of `remove` and `keep` that cannot hold together, none of which can be left out
    exhausted: bool  # whether there are no other plans than these, proved
    plans: tuple[Plan, ...]
    turns: tuple[GameTurn, ...]  # a whole turn for each plan
    undecided: str = ""  # why nothing is proved: time, or an action outside the model
    seconds: float = 0.0

    def json(self) -> dict[str, Any]:
        return {
            "possible": self.possible,
            "conflict": list(self.conflict),
            "exhausted": self.exhausted,
            **({"undecided": self.undecided} if self.undecided else {}),
            "plans": [
                {
                    "killed": _names(plan.killed),
                    "unsummoned": _names(plan.unsummoned),
                    "fighters": {hex_name(a): hex_name(b) for a, b in plan.fighters},
                    **({"casts": list(plan.casts)} if plan.casts else {}),
                    "turn": str(turn),
                }
                for plan, turn in zip(self.plans, self.turns, strict=True)
            ],
            "seconds": round(self.seconds, 6),
        }

    def describe(self, state: GameState, board: int) -> str:
        """The answer in words, for people."""
        rows = [self.verdict(state, board)]
        for k, (plan, turn) in enumerate(zip(self.plans, self.turns, strict=True), 1):
            rows.append(f"{k}. {fates_of(plan)}")
            rows += [f"     {action}" for action in turn.boards[board]]
        return "\n".join(rows)

    def verdict(self, state: GameState, board: int) -> str:
        if self.possible is None:
            return f"not decided: {self.undecided}"
        if not self.possible:
            pieces = state.boards[board].pieces
            named = ", ".join(f"{h} ({pieces[h]})" for h in self.conflict)
            if not named:
                return "no: nothing can be removed this turn, which is proved"
            if len(self.conflict) == 1:
                return f"no, which is proved: it fails with {named} alone"
            return f"no, which is proved: these cannot go together: {named}"
        if not self.plans:
            return "yes"
        ways = f"{len(self.plans)} way{'s' if len(self.plans) != 1 else ''}"
        more = "and there is no other" if self.exhausted else "and there may be more"
        return f"yes: {ways} {more}"


def fates_of(plan: Plan) -> str:
    """What becomes of the enemies, in words."""
    fates = [("kills", plan.killed), ("unsummons", plan.unsummoned)]
    said = [f"{verb} {', '.join(_names(hexes))}" for verb, hexes in fates if hexes]
    return " and ".join(said) or "removes nobody"


def words_of(plan: Plan) -> str:
    """A plan in one line: what it removes, and its actions."""
    return f"{fates_of(plan)}: {', '.join(map(str, plan.actions))}"


def _names(hexes: Iterable[int]) -> list[str]:
    return [hex_name(h) for h in hexes]


def _enemies(state: GameState, board: int, hexes: Iterable[str], word: str) -> list[int]:
    """The hexes of enemies that a list names."""
    found = []
    pieces = state.boards[board].pieces
    for name in hexes:
        h = hex_index(name, f"{word}: hex")
        piece = pieces.get(hex_name(h))
        if piece is None:
            raise OptionError(f"{word}: no unit stands on {name!r} of board {board}; name hexes of enemies")
        if piece.side == state.side:
            raise OptionError(
                f"{word}: {name!r} holds a unit of one's own, a {piece.unit.name}; {SIDES[state.side]} is to move, "
                "and enemies are removed"
            )
        found.append(h)
    return list(dict.fromkeys(found))


def attacks(
    position: Any,
    board: int = 0,
    *,
    remove: Sequence[str] = (),
    keep: Sequence[str] = (),
    most: int = 20,
    seconds: float | None = None,
    solver: str = "minisat22",
) -> AttackAnswer:
    """Whether the side to move can remove these enemies, all of them, on a board this turn, and leave others standing.

    `position` is a `MinionsPosition` or a `GameState`; `remove` and `keep` name hexes of enemies. Enemies that are not
    named may go or stay. Without `remove` the question is whether anybody can be removed. `most` plans are listed.
    """
    state: GameState = getattr(position, "state", position)
    if not isinstance(most, int) or not 0 <= most <= MOST:
        raise OptionError(f"most is {most!r}; it is a number of plans from 0 to {MOST}")
    if seconds is not None and not seconds > 0:
        raise OptionError(f"a time of {seconds!r} s decides nothing; give more than 0")
    if not 0 <= board < state.config.boards:
        raise OptionError(f"there is no board {board!r}; boards go from 0 to {state.config.boards - 1}")
    gone, stay = _enemies(state, board, remove, "remove"), _enemies(state, board, keep, "keep")
    if both := sorted(set(gone) & set(stay)):
        raise OptionError(f"remove and keep both name {', '.join(_names(both))}; an enemy goes or stays")
    timed = seconds is not None and not state.config.magical
    if timed:
        compile_ahead()
    began = time.perf_counter()
    statements = [Statement("removed", h) for h in gone] + [Statement("removed", h, False) for h in stay]

    def left() -> float | None:
        return None if seconds is None else max(seconds - (time.perf_counter() - began), 1e-9)

    with AttackSolver(state, board, solver=solver, single=not timed) as of:
        if not gone:
            of.forbid_idleness()
        found = of.satisfiable(statements, left())
        if found is None:
            return AttackAnswer(None, (), False, (), (), _late(seconds), time.perf_counter() - began)
        if not found:
            conflict = tuple(_names(s.hex for s in of.conflict(statements, left())))
            if not of.refuted(statements, left()):
                return AttackAnswer(None, conflict, False, (), (), _outside(of), time.perf_counter() - began)
            return AttackAnswer(False, conflict, True, (), (), "", time.perf_counter() - began)
        plans = tuple(of.plans(statements, most, left()))
        turns = tuple(map(of.turn, plans))
        done = of.exhausted and of.refuted(statements, left())
        why = _outside(of) if of.exhausted and not done else ""
        return AttackAnswer(True, (), done, plans, turns, why, time.perf_counter() - began)


@cache
def compile_ahead() -> None:
    """Compile what the solver needs, once a process and off the clock, on a board where a Zombie kills another."""
    men, line = "0/0/0/0/3Zz5/0/0/0/0/0", "L" * 25
    state = parse_fen(f"0|0 0|0 {line}|{line} n|||||{men} 0 1", GameConfig.make(("AllLand",)))
    with AttackSolver(state) as of:
        list(of.plans(most=1))


def _late(seconds: float | None) -> str:
    return f"{seconds:g} s did not suffice; give more time"


def _outside(of: AttackSolver) -> str:
    return f"the attack model does not know {', '.join(of.outside + (SPLIT,) * bool(of.split))}"


def removable(state: GameState, seconds: float) -> Finding:
    """Every enemy that can be removed this turn, on all boards: marked, with a turn that does it. Each is judged alone."""
    if not state.config.magical:
        compile_ahead()
    deadline = time.perf_counter() + seconds
    turns: list[tuple[str, str]] = []
    gone: list[str] = []
    open_: list[str] = []  # not decided in time, or beyond the model
    for board in state.boards:
        with AttackSolver(state, board.index) as of:
            for h in of.foes:
                place = f"{board.index} {hex_name(h)}"
                found = of.satisfiable([Statement("removed", h)], max(deadline - time.perf_counter(), 1e-9))
                if found:
                    of.read()
                    plan = of.plan()
                    gone.append(place)
                    turns.append(
                        (str(of.turn(plan)), f"board {board.index} {_fate_of(board.pieces, h)}: {words_of(plan)}")
                    )
                elif found is None or not of.refuted([Statement("removed", h)], deadline - time.perf_counter()):
                    open_.append(place)
    said = [f"{len(gone)} can be removed, each taken alone"] if gone else ["nobody can be removed this turn"]
    said += [f"{len(open_)} could not be decided"] if open_ else []
    return Finding("; ".join(said), tuple(turns), (Mark("threat", tuple(gone), said[0]),) if gone else ())


def winning_turn(state: GameState, seconds: float | None = None, conflicts: int = CONFLICTS) -> GameTurn | None:
    """A turn that wins the game at once; None if the attack model knows none, or the time or the conflicts did not suffice.

    A side wins in its own turn by points for killed necromancers alone, and boards share nothing in the attack phase: each
    is asked about on its own. Where too few necromancers are near enough to be struck, nothing is built.
    """
    deadline = None if seconds is None else time.perf_counter() + seconds
    lords = {board.index: near for board in state.boards if (near := _lords_in_danger(state, board.index))}
    missing = state.config.points - state.points[state.side]
    actions: dict[int, tuple[BoardAction, ...]] = {}
    for asked, (k, hexes) in enumerate(lords.items()):
        if len(actions) + len(lords) - asked < missing:
            return None
        with contextlib.suppress(IllegalMove), AttackSolver(state, k, target="python") as of:
            of.end_overrun()
            for h in hexes:
                left = None if deadline is None else max(deadline - time.perf_counter(), 1e-9)
                if of.satisfiable([Statement("killed", h)], left, conflicts):
                    of.read()
                    actions[k] = of.plan().actions
    if len(actions) < missing:
        return None
    turn = turn_of(state, actions)
    return turn if state.play(turn).winner == state.side else None


def _lords_in_danger(state: GameState, board: int) -> list[int]:
    """The enemy necromancers that those near enough would kill if nobody stood in the way: no other can be killed.

    With spells, and before a setup, all of them: what those bring is not counted here."""
    men = [(hex_index(name), piece) for name, piece in state.boards[board]]
    lords = [(h, piece.defense) for h, piece in men if piece.unit.necromancer and piece.side != state.side]
    if state.config.magical or state.boards[board].state in "12":
        return [h for h, _ in lords]
    ours = [(h, piece.unit) for h, piece in men if piece.side == state.side and piece.unit.attack != "deathtouch"]
    found = []
    for y, defense in lords:
        near = [u for h, u in ours if distance(h, y) <= u.range + (0 if u.lumbering else u.speed)]
        if sum(u.attacks * max(u.damage, u.attack == "unsummon") for u in near) >= defense:
            found.append(y)
    return found


def _fate_of(pieces: Mapping[str, Any], h: int) -> str:
    name = hex_name(h)
    return f"{pieces[name].unit.name} {name}" if name in pieces else name


def panel_answer(state: GameState, given: Mapping[str, str], seconds: float) -> Finding:
    """The answer on the analysis page: the verdict, and turns that can be played."""
    text = given.get("board", "").strip() or "0"
    if not (text.isascii() and text.isdecimal() and len(text) < 4):
        raise OptionError(f"board is {text[:20]!r}; it is the index of a board, from 0")
    remove, keep = ([h.strip() for h in given.get(name, "").split(",") if h.strip()] for name in ("remove", "keep"))
    found = attacks(state, int(text), remove=remove, keep=keep, most=PANEL_PLANS, seconds=seconds)
    turns = zip(found.plans, found.turns, strict=True)
    return Finding(found.verdict(state, int(text)), tuple((str(turn), words_of(plan)) for plan, turn in turns))
