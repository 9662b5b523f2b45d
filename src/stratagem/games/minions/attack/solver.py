"""The attack solver: plans for the attack phase of one board, from statements, completely.

One `AttackSolver` belongs to one board of one state and is never built again: it says whether statements can hold together,
which of them conflict, gives a plan, forbids it, gives one more, and says when there is none left, which is then proved.
A solver of Boolean satisfiability does the work (PySAT's MiniSat or Glucose); see `model` for the clauses.
"""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from stratagem.errors import IllegalMove, OptionError, StratagemError
from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout, magic
from stratagem.games.minions.attack.clauses import CLAUSES, LITERALS, VARIABLES, Model, clear, new_model
from stratagem.games.minions.attack.graph import (
    CARDS,
    CREDIT,
    FOES,
    FULL,
    MIGHTS,
    MOST,
    OWN,
    STUMBLES,
    WAYS,
    Graph,
    new_graph,
    survey,
)
from stratagem.games.minions.attack.model import build
from stratagem.games.minions.attack.translate import COLUMNS, STUCK, Reading, perform
from stratagem.games.minions.config import hexes_of
from stratagem.games.minions.maps import hex_index, hex_name
from stratagem.games.minions.spells import spell_of
from stratagem.games.minions.state import GameState
from stratagem.games.minions.turn import BoardAction, GameTurn
from stratagem.games.minions.turns import WORDS_PER_BOARD, interpreted, patient, rule
from stratagem.games.minions.units import units
from stratagem.kernel import Ground, State

SOLVERS = {
    "minisat22": "Minisat22",
    "minisat-gh": "MinisatGH",
    "glucose4": "Glucose4",
    "glucose42": "Glucose42",
}  # of PySAT
SPLIT = "moves in several parts"  # plans are sought without them; what is impossible in spite of them is proved
SLICE = 2000  # conflicts between two looks at the clock
FIRST_SLICE = 100
# cards that remove enemies in an attack phase, or put them out of the way; the others that can be cast there change nothing
# for who can be removed
CARDS_OF_ATTACKS = (
    magic.FESTER,
    magic.DISMEMBER,
    magic.CLEAVE,
    magic.SUNDER,
    magic.LIGHTNING_BOLT,
    magic.UNSUMMON,
    magic.STUMBLE,
)


class Statement(NamedTuple):
    """What is asked of a plan: an enemy removed, killed or unsummoned, an own unit passive; or that it is not so."""

    kind: str  # removed, killed, unsummoned, passive
    hex: int
    holds: bool = True

    def __str__(self) -> str:
        return f"{hex_name(self.hex)} {'' if self.holds else 'not '}{self.kind}"


KINDS = ("removed", "killed", "unsummoned", "passive")


@dataclass(frozen=True)
class Plan:
    """What an attack phase does: who fights from where, who is removed how, and the actions."""

    fighters: tuple[tuple[int, int], ...]  # hexes: where each fighter begins, and where it fights
    killed: tuple[int, ...]  # hexes of enemies
    unsummoned: tuple[int, ...]
    actions: tuple[BoardAction, ...]
    displaced: tuple[tuple[int, int], ...] = ()  # hexes: where each enemy that was pushed stood, and where it stands

    @property
    def casts(self) -> tuple[str, ...]:
        """The spells cast, as parts of the turn."""
        return tuple(str(action) for action in self.actions if action.kind == "cast")

    @property
    def removed(self) -> tuple[int, ...]:
        return tuple(sorted(self.killed + self.unsummoned))


class Work(NamedTuple):
    """Room for building: kept from one solver to the next."""

    graph: Graph
    model: Model


_spare: list[Work] = []  # given back by solvers that are done with them


def hand_on(state: GameState, s: State, board: int) -> list[int]:
    """The cards that the side to move holds on a board, by number of the spell."""
    if not state.config.switches.spells:
        return []
    at = int(layout.hand_of(state.config.ground, board, state.side))
    return s[at + 1 : at + 1 + s[at]].tolist()


def outside_the_model(state: GameState, board: int) -> tuple[str, ...]:
    """Actions that there are and that the model does not have, or not all of: a no is not proved then."""
    config, s = state.config, state.array
    switches = config.switches
    hand = hand_on(state, s, board)
    untaken = switches.spells and not state.awaits_deal and not s[layout.taken_at(config.ground, board)]
    drawn = {spell_of(word).number for word in state.drawn} if untaken else set()
    actions = {
        "spells not yet dealt": state.awaits_deal,
        "spells not yet taken": bool(drawn & {*CARDS_OF_ATTACKS, magic.UNHOLY_MIGHT}),
        "all uses of Stumble": magic.STUMBLE in hand,
        "attacks for the sake of Cleave and Sunder alone": bool({magic.CLEAVE, magic.SUNDER} & {*hand}),
        SPLIT: switches.split_moves,
        "teleporters": any("t" in land.tiles for land in config.lands),
        "the choice of a necromancer at a setup": switches.advanced_necromancers,
    }
    return tuple(name for name, there in actions.items() if there)


def ready(state: GameState, board: int) -> tuple[State, tuple[BoardAction, ...]]:
    """The state at the attack phase of a board, and the setup that leads there if the board was reset."""
    if not 0 <= board < state.config.boards:
        raise OptionError(f"there is no board {board!r}; boards go from 0 to {state.config.boards - 1}")
    if state.winner is not None:
        raise IllegalMove("the game is over: nothing can be attacked")
    s = state.array.copy()
    b = s[layout.board_of(board) : layout.board_of(board) + layout.BOARD_SIZE]
    if b[layout.RESIGNED] or b[layout.PHASE] > layout.ATTACKING:
        raise IllegalMove(f"the attack phase of board {board} is over")
    if b[layout.MODE] == layout.RESET_0:
        raise IllegalMove(f"the loser of board {board} passes a turn on it")
    if state.awaits_deal:  # which spells will be drawn matters to no attack
        s[layout.DRAWN] = state.config.boards + 1
    if b[layout.MODE] < layout.RESET_1 or b[layout.PHASE] != layout.UNTOUCHED:
        return s, ()
    g = state.config.ground
    keep = int(rules.dearest(g, b, state.side))
    kept = units()[keep] if keep >= 0 else None
    chosen = next(u for u in units() if u.necromancer and rules.necromancer_for(g, s, u.index) == layout.LEGAL)
    setup = BoardAction("setup", unit=chosen, keep=kept)
    with np.errstate(over="ignore"):
        rules.act(g, s, np.array(setup.words(board), np.int64))
    return s, (setup,)


def turn_of(state: GameState, actions: Mapping[int, tuple[BoardAction, ...]]) -> GameTurn:
    """A whole turn of these actions; boards without any do no more than their setup, where one is due."""
    boards = [actions.get(k, ()) for k in range(state.config.boards)]
    for k in range(state.config.boards):
        if k not in actions:
            with contextlib.suppress(IllegalMove):
                boards[k] = ready(state, k)[1]
    return GameTurn(boards=tuple(boards))


class AttackSolver:
    """All attack plans of the side to move on one board."""

    def __init__(
        self,
        state: GameState,
        board: int = 0,
        *,
        solver: str = "minisat22",
        alone: bool = False,  # without the spells of the hand
        single: bool = False,  # a single question, not one of many
        target: str = "cpu",  # of the kernels that build, where there are spells
    ) -> None:
        if solver not in SOLVERS:
            raise OptionError(f"solver is {solver!r}; it is one of {', '.join(SOLVERS)}")
        self.state, self.board, self.side = state, board, state.side
        self.array, self.setup = ready(state, board)
        at = layout.board_of(board)
        self.ground: Ground = state.config.ground
        self.words = self.array[at : at + layout.BOARD_SIZE]
        self.outside = tuple(name for name in outside_the_model(state, board) if name != SPLIT)
        self._rule = interpreted if state.config.magical else patient if single else rule
        self.target = target
        self.plans_made = 0
        self.calls = 0
        self.core: list[int] = []  # of the last answer that was no: literals that cannot hold together
        collecting = gc.isenabled()
        gc.disable()  # a collection in the middle of thousands of small lists takes longer than all else
        try:
            self._build(solver, alone)
        finally:
            if collecting:
                gc.enable()

    # -- building

    def _build(self, name: str, alone: bool) -> None:
        work = _spare.pop() if _spare else Work(new_graph(), new_model())
        self.graph, self.model = work
        self._take_cards(alone)
        pairs = int(self._builder(survey)(self.ground, self.board, self.words, self.side, int(alone), self.graph))
        tally = self.graph.tally
        clear(self.model, int(max(tally[OWN] + tally[CARDS], tally[FOES])))
        clauses = int(self._builder(build)(self.graph, self.model)) if pairs >= 0 else -1
        if clauses < 0:
            what = "ways to hexes" if self.graph.tally[FULL] else "clauses"
            raise StratagemError(f"board {self.board} has more {what} than there is room for; it is not solved")
        self.pairs, self.clauses = pairs, clauses
        self.variables = int(self.model.tally[VARIABLES])
        self.split = int(self.model.split[0])
        self.ways = int(self.graph.tally[WAYS])
        self.own = self.graph.own[: self.graph.tally[OWN]].tolist()
        self.foes = self.graph.foe[: self.graph.tally[FOES]].tolist()
        flat = self.model.literals[: self.model.tally[LITERALS]].tolist()
        ends = self.model.ends[: self.model.tally[CLAUSES]].tolist()
        self._sat = _sat(name)
        begin = 0
        lists = []
        for end in ends:
            lists.append(flat[begin:end])
            begin = end
        self._sat.append_formula(lists)
        passive = self.model.passive[: len(self.own)]
        self._calm = passive[passive > 0].tolist()
        self._sat.set_phases(self._calm)
        self._out = np.zeros(WORDS_PER_BOARD, np.int64)
        self._true = np.zeros(self.variables + 1, np.int64)
        self._key = np.zeros(2 * MOST, np.int64)
        self._reading = Reading(self.graph, self.model, self._true, np.zeros(MOST * COLUMNS, np.int64))

    def _builder(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """A kernel that builds: these know spells, but not all of the rules."""
        if not self.state.config.magical:
            return self._rule(kernel)
        return interpreted(kernel) if self.target == "python" else patient(kernel, True)

    def _take_cards(self, alone: bool) -> None:
        """Number the cards of the hand that can remove somebody behind the units, equal ones side by side."""
        hand = [] if alone else sorted(hand_on(self.state, self.array, self.board))
        cards = [card for card in hand if card in CARDS_OF_ATTACKS]
        units_here = int(
            layout.size(*self.words[layout.UNITS + 2 * self.side : layout.UNITS + 2 * self.side + 2].tolist())
        )
        if units_here + len(cards) > MOST:
            cards = cards[: MOST - units_here]
            self.outside += ("so many cards",)
        tally = self.graph.tally
        tally[CARDS], tally[MIGHTS] = len(cards), hand.count(magic.UNHOLY_MIGHT)
        tally[STUMBLES] = cards.count(magic.STUMBLE)
        tally[CREDIT] = int(magic.credit(self.ground, self.array, self.board)) if hand else 0
        self.graph.card[units_here : units_here + len(cards)] = cards

    def close(self) -> None:
        """Free the solver, and give back the room."""
        if self._sat is not None:
            self._sat.delete()
            self._sat = None
            if len(_spare) < 4:
                _spare.append(Work(self.graph, self.model))

    def __enter__(self) -> AttackSolver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_sat", None) is not None:
            self.close()

    # -- statements

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {h: y for y, h in enumerate(self.foes)} | {h: x for x, h in enumerate(self.own)}

    def literal(self, statement: Statement) -> int | None:
        """The literal of a statement; None where it holds anyway. One that can never hold has the literal 0."""
        number = self._numbers.get(statement.hex)
        mine = statement.kind == "passive"
        if statement.kind not in KINDS:
            raise OptionError(f"statement {statement.kind!r} is unknown; it is one of {', '.join(KINDS)}")
        if number is None or (statement.hex in self.own) != mine:
            whose = "unit of one's own" if mine else "enemy"
            raise OptionError(f"no {whose} stands on {hex_name(statement.hex)} of board {self.board}")
        if mine:
            variable = int(self.model.passive[number])
            if variable == 0:  # it can only be passive
                return None if statement.holds else 0
        else:
            table = {"removed": self.model.gone, "killed": self.model.kill, "unsummoned": self.model.unsummon}
            variable = int(table[statement.kind][number])
            if variable == 0:
                return 0 if statement.holds else None
        return variable if statement.holds else -variable

    def literals(self, statements: Iterable[Statement]) -> list[int]:
        """The literals of statements, 0 for one that can never hold; those that hold anyway are left out."""
        return [x for x in map(self.literal, statements) if x is not None]

    # -- solving

    def satisfiable(
        self, statements: Iterable[Statement] = (), seconds: float | None = None, conflicts: int | None = None
    ) -> bool | None:
        """Whether a plan that is not forbidden makes all statements true; None if the time or the conflicts did not suffice."""
        literals = self.literals(statements)
        if 0 in literals:
            self.core = [0]
            return False
        return self.solve(literals, None if seconds is None else time.perf_counter() + seconds, conflicts)

    def refuted(self, statements: Iterable[Statement] = (), seconds: float | None = None) -> bool:
        """Whether a no of `satisfiable` is proved: the model knows all actions, and it holds too where moves may be split."""
        literals = self.literals(statements)
        deadline = None if seconds is None else time.perf_counter() + seconds
        known = not self.split or 0 in literals or self.solve(literals, deadline, split=True) is False
        return known and not self.outside

    def solve(
        self,
        literals: list[int],
        deadline: float | None = None,
        conflicts: int | None = None,
        *,
        split: bool = False,  # whether moves may be split, of which the model does not know all limits
    ) -> bool | None:
        """Solve under literals, in slices, so that the clock and Ctrl-C are heard; None if the time or the conflicts, which
        do not depend on the machine, did not suffice."""
        assert self._sat is not None, "the solver is closed"
        self.calls += 1
        assumed = [*literals, self.split if split else -self.split] if self.split else literals
        budget = FIRST_SLICE if deadline is not None else SLICE
        spent = 0
        while conflicts is None or spent < conflicts:
            if deadline is not None and time.perf_counter() >= deadline:
                return None
            self._sat.conf_budget(budget)
            found: bool | None = self._sat.solve_limited(assumptions=assumed, expect_interrupt=True)
            if found is not None:
                self.core = [] if found else [x for x in self._sat.get_core() or [] if abs(x) != self.split]
                return found
            spent += budget
            budget = min(2 * budget, SLICE)
        return None

    def conflict(self, statements: Sequence[Statement], seconds: float | None = None) -> list[Statement]:
        """Of statements that cannot hold together a part that cannot, and from which none can be left out.

        Where the time does not suffice, some might still be left out.
        """
        impossible = [s for s in statements if self.literal(s) == 0]
        if impossible:
            return impossible[:1]
        deadline = None if seconds is None else time.perf_counter() + seconds
        named = {self.literal(s): s for s in statements if self.literal(s) is not None}
        if self.solve(list(filter(None, named)), deadline, split=True) is not False:
            return list(named.values())
        core = [x for x in named if x in set(self.core)]
        for literal in core[::-1]:  # the least important first
            rest = [x for x in core if x != literal]
            if self.solve(list(filter(None, rest)), deadline, split=True) is False:
                core = [x for x in core if x in set(self.core)]
        return [named[x] for x in core]

    def suggest(self, literals: list[int]) -> None:
        """What the solver tries first where it is free to choose."""
        assert self._sat is not None
        if literals:
            self._sat.set_phases(literals)

    # -- plans

    def read(self) -> None:
        """Keep the model just found."""
        assert self._sat is not None
        found = np.array(self._sat.get_model(), np.int64)
        self._true[1:] = found[: self.variables] > 0

    def key(self) -> list[int]:
        """What tells the plan just read from others: a literal for each own unit that can fight and each enemy."""
        n = int(self._rule(identity)(self._reading, self._key))
        return self._key[:n].tolist()

    def forbid(self, key: list[int]) -> None:
        """Never give this plan again."""
        assert self._sat is not None
        self._sat.add_clause([-x for x in key])

    def forbid_idleness(self) -> None:
        """Give only plans that remove somebody."""
        assert self._sat is not None
        gone = self.model.gone[: len(self.foes)]
        self._sat.add_clause(gone[gone > 0].tolist())

    def end_overrun(self) -> None:
        """Give only plans that leave the enemy too few graveyards to win the board, where it holds enough and that counts more
        than a kill."""
        config = self.state.config
        held = [h for h in config.lands[self.board].graveyards if h in self.foes]
        least = len(held) - int(self.ground[layout.TO_WIN]) + 1
        if config.switches.kill_beats_graveyards or least < 1:
            return
        assert self._sat is not None
        from pysat.card import CardEnc  # with what solves

        gone = [x for h in held if (x := self.literal(Statement("removed", h)))]
        never = [[self.variables], [-self.variables]]
        can = least <= len(gone)
        self._sat.append_formula(CardEnc.atleast(gone, least, top_id=self.variables).clauses if can else never)

    @cached_property
    def fates(self) -> frozenset[int]:
        """The variables that say what becomes of enemies."""
        n = len(self.foes)
        return frozenset(
            int(v) for table in (self.model.gone, self.model.kill, self.model.unsummon) for v in table[:n] if v
        )

    def outlines(self) -> list[Plan]:
        """All plans without their actions, each forbidden as it is found: for counting."""
        found = []
        while self.solve([]):
            self.read()
            self.forbid(self.key())
            fights = self.model.fight[: len(self.own) * MOST].reshape(-1, MOST)
            fighters = tuple((self.own[x], int(h)) for x, h in np.argwhere(fights > 0) if self._true[fights[x, h]])
            found.append(Plan(fighters, *self._removed(), ()))
        return found

    def plan(self) -> Plan:
        """The plan just read, with actions that were played on a copy of the board."""
        s = self.array.copy()
        length = int(self._rule(perform)(self.ground, s, self.board, self._reading, self._out))
        killed, unsummoned = self._removed()
        displaced = self._displaced()
        after = s[layout.board_of(self.board) : layout.board_of(self.board) + layout.BOARD_SIZE]
        if length == STUCK or not self._as_claimed(after, killed, unsummoned, displaced):
            raise StratagemError(
                f"an attack plan could not be played on board {self.board} of {str(self.state)!r}: "
                f"this is a fault of the attack model; it was to kill {_names(killed)} and to unsummon {_names(unsummoned)}"
            )
        turn = GameTurn.from_words(self._out[:length], self.state.config.boards)
        self.plans_made += 1
        rows = self._reading.work.reshape(MOST, COLUMNS)
        fighters = tuple((self.own[x], int(rows[x, 0])) for x in range(len(self.own)) if rows[x, 1])
        return Plan(fighters, killed, unsummoned, self.setup + turn.boards[self.board], displaced)

    def _removed(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        n = len(self.foes)
        kill, unsummon = self.model.kill[:n], self.model.unsummon[:n]
        killed = tuple(h for h, v in zip(self.foes, kill.tolist(), strict=True) if v and self._true[v])
        unsummoned = tuple(h for h, v in zip(self.foes, unsummon.tolist(), strict=True) if v and self._true[v])
        bound = tuple(h for h in killed if int(self.words[layout.CELL + h]) & layout.SHIELDED)  # they go home
        return tuple(h for h in killed if h not in bound), unsummoned + bound

    def _displaced(self) -> tuple[tuple[int, int], ...]:
        """Where the model pushes enemies from and to."""
        if not self.graph.tally[STUMBLES]:
            return ()
        shoves = self.model.shove[: len(self.foes) * MOST].reshape(-1, MOST)
        return tuple((self.foes[y], int(h)) for y, h in np.argwhere(shoves > 0) if self._true[shoves[y, h]])

    def _as_claimed(
        self, after: State, killed: tuple[int, ...], unsummoned: tuple[int, ...], displaced: tuple[tuple[int, int], ...]
    ) -> bool:
        """Whether exactly these enemies are gone or elsewhere, and those unsummoned are in their zone."""
        want = {*self.foes} - {*killed, *unsummoned} - {a for a, _ in displaced} | {b for _, b in displaced}
        zone = layout.ZONE + (1 - self.side) * layout.TYPES
        came = after[zone : zone + layout.TYPES] - self.words[zone : zone + layout.TYPES]
        back = np.zeros(layout.TYPES, np.int64)
        for h in unsummoned:
            back[(int(self.words[layout.CELL + h]) & layout.TYPE_MASK) - 1] += 1
        return want == {*hexes_of(*layout.foes(after, self.side))} and bool(np.array_equal(came, back))

    def turn(self, plan: Plan) -> GameTurn:
        """A whole turn that plays the plan and does nothing else but the setups that are due."""
        return turn_of(self.state, {self.board: plan.actions})

    def plans(
        self, statements: Iterable[Statement] = (), most: int | None = None, seconds: float | None = None
    ) -> Iterator[Plan]:
        """Distinct plans that make the statements true, each forbidden as it is given.

        When it ends without having given `most`, `exhausted` says whether there is no other (proved) or time ran out.
        """
        deadline = None if seconds is None else time.perf_counter() + seconds
        literals = self.literals(statements)
        self.exhausted = False
        if 0 in literals:
            self.exhausted = True
            return
        given = 0
        while most is None or given < most:
            found = self.solve(literals, deadline)
            if not found:
                self.exhausted = found is False
                return
            self.read()
            self.forbid(self.key())
            given += 1
            yield self.plan()
        self.exhausted = self.solve(literals, deadline) is False

    exhausted = False


def identity(p: Reading, out: State) -> int:
    """The literals that tell a plan apart: where each fights or that it does not, what becomes of each enemy."""
    graph, m, true = p.graph, p.model, p.true
    n = 0
    for x in range(graph.tally[OWN]):
        if m.passive[x] == 0:
            continue
        out[n] = m.passive[x]
        if true[m.passive[x]] == 0:
            for h in range(MOST):
                if m.fight[x * MOST + h] != 0 and true[m.fight[x * MOST + h]] == 1:
                    out[n] = m.fight[x * MOST + h]
        n += 1
    for y in range(graph.tally[FOES]):
        if m.gone[y] == 0:
            continue
        out[n] = -m.gone[y]
        if m.kill[y] != 0 and true[m.kill[y]] == 1:
            out[n] = m.kill[y]
        if m.unsummon[y] != 0 and true[m.unsummon[y]] == 1:
            out[n] = m.unsummon[y]
        n += 1
    return n


def _sat(name: str) -> Any:
    try:
        from pysat import solvers
    except ImportError:
        raise StratagemError("attacks are solved with PySAT, which is not installed: pip install python-sat") from None
    return getattr(solvers, SOLVERS[name])()


def _names(hexes: Iterable[int]) -> str:
    return ", ".join(map(hex_name, hexes)) or "nobody"


def statement(kind: str, hex_text: str, holds: bool = True) -> Statement:
    """A statement about the unit on a hex given by its name."""
    return Statement(kind, hex_index(hex_text), holds)
