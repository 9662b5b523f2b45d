"""The baselines as players: they think once a turn, and then carry it out.

A clock's seconds are for a whole turn. Where nothing unforeseen comes between its decisions, the first one takes them all and
the others follow the plan; where dice have fallen the rest is thought over again, each time for half of what is left. A move
that is a whole turn is the plan itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from stratagem.compile import specialise
from stratagem.contract.game import Game
from stratagem.contract.player import Choice, Clock, Entry, Line, Player, Request
from stratagem.errors import OptionError, UnsuitableSearch
from stratagem.kernel import State
from stratagem.rng import generator
from stratagem.search.budget import NO_LIMIT, Budget
from stratagem.search.following import RemainingTurn
from stratagem.search.settings import settings_of
from stratagem.search.whole_turns.atoms import Atoms, atoms_of
from stratagem.search.whole_turns.baselines import BASELINES, Baseline
from stratagem.search.whole_turns.core import BEST, DISTINCT, GENES, LOOKS, REPAIRED, TURNS, TurnArrays
from stratagem.search.whole_turns.settings import TurnSettings

SECONDS = 1.0  # of a turn, where neither a clock nor a number of turns is given
SAMPLES = 8  # worlds with dice inside the turn
GUESSES = 4  # worlds where something is hidden and replies are looked at
TRIAL = 64  # turns that tell how many a second there are
LONG_ENOUGH = 0.03  # of the time: a trial that takes less tells too little
PLANNED = 1.1  # times the turns that a time seems enough for: the clock ends the last phase


def core_names(atoms: Atoms, ahead: bool = False, inserts: bool = False) -> dict[str, Any]:
    """What the templates mention, for a game and a search that looks past its own turn or does not, and whose mutations put
    decisions into turns or do not."""
    return {
        **atoms.names,
        "HAS_CHANCE": "draw" in atoms.names and ("odds" in atoms.names or atoms.dice or _own_draw(atoms)),
        "DICE": atoms.dice,
        "SECRET": atoms.secret,
        "COUNTS_TURNS": "turns" in atoms.names,
        "HAS_SAMPLE": "sample" in atoms.names,
        "HAS_ORDER": "order" in atoms.names,
        "AHEAD": ahead,
        "INSERTS": inserts,
    }


def _own_draw(atoms: Atoms) -> bool:
    draw = atoms.names["draw"]
    return getattr(draw, "function", draw).__module__ != "stratagem.kernel"


def new_arrays(atoms: Atoms, rows: int, samples: int = 1, keys: int = 1) -> TurnArrays:
    """The arrays of a search that holds so many rows of genes."""

    def ints(*shape: int) -> Any:
        return np.zeros(shape, np.int64)

    return TurnArrays(
        worlds=ints(samples, atoms.cells),
        s=ints(atoms.cells),
        ahead=ints(atoms.cells),
        r=ints(2),
        dice=ints(2),
        luck=ints(2),
        listed=ints(atoms.most_moves),
        out=np.zeros(atoms.players),
        genes=ints(rows + 2, atoms.longest),
        lengths=ints(rows + 2),
        values=np.zeros(rows + 2),
        keys=ints(keys),
        best=ints(1 + atoms.longest),
        tally=np.zeros(8),
    )


class Found(NamedTuple):
    """What a search has found."""

    turn: tuple[int, ...]
    value: float  # for the seat that searched, in [-1, 1]
    turns: int  # that were judged
    looks: int  # single actions that greed looked at
    repaired: float  # share of genes that could not be played as they were
    distinct: int | None  # outcomes that differ, where they were counted
    seconds: float
    finished: bool


class WholeTurnSearch:
    """A search of the literature, for one game."""

    def __init__(
        self,
        game: Any,
        baseline: str,
        settings: TurnSettings | None = None,
        *,
        atoms: Atoms | None = None,
        **options: Any,
    ):
        self.baseline = BASELINES[baseline]
        own = settings_of(self.baseline.settings, settings, options)
        self.settings, self.game = own, game
        self.atoms = atoms_of(game) if atoms is None else atoms
        if self.atoms.dice and not self.baseline.dice:
            raise UnsuitableSearch(
                f"{baseline} lists turns, and chance falls inside those of {game.name}; use greedy-action or oep"
            )
        usual = SAMPLES if self.atoms.dice else GUESSES if self.atoms.secret and self.baseline.ahead else 1
        self.samples = own.samples or usual
        self.room = new_arrays(self.atoms, own.rows, self.samples, own.outcomes if own.distinct else 1)
        self.records = own.records(self.atoms)
        names = core_names(self.atoms, self.baseline.ahead, getattr(own, "insertion", 0.0) > 0.0)
        label = f"{game.name}, {self.baseline.title}"
        self._search = specialise(self.baseline.search, names, target=own.target, label=label, lean=True)
        self._asked, self._rate, self._ready = 0, 0.0, False

    def consider(
        self,
        root: State,
        seat: int,
        *,
        seconds: float | None = None,
        turns: int | None = None,
    ) -> Found:
        """The best turn that a seat's search finds from a state, by a clock, a number of turns, or both."""
        turns = self.settings.turns if turns is None else turns
        if seconds is None and turns is None:
            seconds = SECONDS
        if not self._ready:  # what must be compiled or loaded is not thinking
            self._run(root, seat, 1, np.zeros(1, np.int64), 0)
            self._ready = True
        self._asked += 1
        budget = Budget(seconds)
        if turns is None:
            phased = self.settings.phases_of(self.atoms) > 1
            turns = self._allowed_for(root, seat, budget) if phased else NO_LIMIT
        if seconds is None and turns <= TRIAL:
            self._run(root, seat, turns, budget.flag, self._asked)
        else:
            budget.run(self._run, root, seat, turns, budget.flag, self._asked)
        room, elapsed = self.room, budget.elapsed
        tally = room.tally
        if tally[TURNS] >= TRIAL:
            self._rate = tally[TURNS] / max(elapsed, 1e-6)
        return Found(
            tuple(int(m) for m in room.best[1 : 1 + room.best[0]]),
            float(tally[BEST]),
            int(tally[TURNS]),
            int(tally[LOOKS]),
            float(tally[REPAIRED] / max(tally[GENES], 1.0)),
            int(tally[DISTINCT]) if self.settings.distinct else None,
            elapsed,
            not budget.interrupted,
        )

    def _allowed_for(self, root: State, seat: int, budget: Budget) -> int:
        """How many turns the time left is enough for: phases are parts of a number, which has to be known."""
        trial = TRIAL
        while not self._rate and not budget.stopped:
            began = budget.elapsed
            budget.run(self._run, root, seat, trial, budget.flag, self._asked)
            took, trial = budget.elapsed - began, 4 * trial
            if took > LONG_ENOUGH * (budget.seconds or 0.0):
                self._rate = self.room.tally[TURNS] / max(took, 1e-6)
        return max(int(PLANNED * self._rate * max(budget.left or 0.0, 0.0)), 1)

    def _run(self, root: State, seat: int, turns: int, stop: Any, asked: int) -> None:
        seed = int(generator(self.settings.seed, asked)[0])  # any Python integer is a seed
        terms = self.settings.terms(turns, seed, self.samples)
        self._search(self.atoms.ground, root, seat, self.room, terms, *self.records, stop)


class WholeTurnPlayer(Player):
    """Plays turns that a baseline finds."""

    def __init__(
        self, game: Any, baseline: str, *, atoms: Atoms | None = None, time: float | None = None, **options: Any
    ) -> None:
        self.name, self.game = baseline, game
        self.seconds = Clock(None if time is None else float(time)).seconds
        self.search = WholeTurnSearch(game, baseline, atoms=atoms, **options)
        self._course = RemainingTurn(game)
        self._turn: int | None = None  # the number of the turn being played, where the rules count them
        self._left = 0.0  # seconds of it

    def answer(self, request: Request) -> Choice:
        view, mover = request.view, request.seat
        if mover < 0 or view.turn != mover:
            raise OptionError(f"a baseline chooses turns, and nobody has one in {str(view)!r}")
        atoms, state = self.search.atoms, self.search.atoms.state(view)
        if not atoms.whole and (m := self._course.next(state, mover)) is not None:
            return Choice(atoms.text(view, (m,)), engine=self.name)
        found = self.search.consider(state, mover, seconds=self._seconds(request.clock, state))
        self._left -= found.seconds
        if not atoms.whole:
            self._course.plan(state, found.turn)
            self._course.next(state, mover)
        return self._reported(view, found)

    def _seconds(self, clock: Clock, state: State) -> float | None:
        """How long to think now: the turn's seconds at once, or with dice inside the turn half of what is left of them."""
        seconds = clock.seconds if clock.seconds is not None else self.seconds
        if seconds is None or not self.search.atoms.dice:
            return seconds
        count = self.search.atoms.turns_of
        which = None if count is None else count(state)
        if which is None or which != self._turn:
            self._turn, self._left = which, seconds
        return max(self._left / 2, 0.0)

    def _reported(self, view: Any, found: Found) -> Choice:
        atoms = self.search.atoms
        low, high = self.game.payoff_range
        value = (low + high + (high - low) * found.value) / 2
        move = atoms.text(view, found.turn)
        shown = (move,) if atoms.whole or atoms.dice else view.line(found.turn)
        details = {"turns": found.turns, "looks": found.looks, "mended": round(found.repaired, 4)}
        if found.distinct is not None:
            details["distinct"] = found.distinct
        return Choice(
            move,
            value,
            (Line(shown, value, visits=found.turns),),
            nodes=found.turns,
            seconds=found.seconds,
            engine=self.name,
            finished=found.finished,
            details=details,
        )


def entries(atoms: Callable[[Any], Atoms], *, dice: bool) -> dict[str, Entry]:
    """The baselines as players of a game whose decisions `atoms` tells; those that cannot deal with dice are left out."""
    return {
        baseline.name: Entry(_maker(baseline, atoms), baseline.summary, baseline.options)
        for baseline in BASELINES.values()
        if baseline.dice or not dice
    }


def _maker(baseline: Baseline, atoms: Callable[[Any], Atoms]) -> Callable[..., Player]:
    def make(game: Game, **options: Any) -> Player:
        return WholeTurnPlayer(game, baseline.name, atoms=atoms(game), **options)

    return make
