"""The rivals as players: they think once a turn, and then carry it out.

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
from stratagem.contract.player import Choice, Clock, Entry, Line, Player, Report
from stratagem.errors import GameOver, OptionError, UnsuitableSearch
from stratagem.kernel import State
from stratagem.rng import generator
from stratagem.search.budget import NO_LIMIT, Budget
from stratagem.search.following import Course
from stratagem.search.rivals.atoms import Atoms, atoms_of
from stratagem.search.rivals.bandits import naive, tuple_bandit
from stratagem.search.rivals.core import BEST, DISTINCT, GENES, LOOKS, MENDED, TURNS, Room, Terms
from stratagem.search.rivals.evolution import coevolve, evolve
from stratagem.search.rivals.greedy import greedy_turn
from stratagem.search.rivals.mutations import mutation_tree
from stratagem.search.rivals.settings import BURNINGS, FOR_ALL, MENDINGS, RIVALS, Rival, Settings
from stratagem.search.rivals.think import think
from stratagem.search.rivals.trees import atom_tree
from stratagem.search.rivals.turn_tree import turn_tree
from stratagem.search.settings import settings_of

SECONDS = 1.0  # of a turn, where neither a clock nor a number of turns is given
SAMPLES = 8  # worlds with dice inside the turn
GUESSES = 4  # worlds where something is hidden and replies are looked at
TRIAL = 64  # turns that tell how many a second there are
LONG_ENOUGH = 0.03  # of the time: a trial that takes less tells too little
PLANNED = 1.1  # times the turns that a time seems enough for: the clock ends the last phase
TREE_NODES = 1 << 19
TURN_ROWS = 1 << 13  # whole turns that a tree of mutations holds; when it is full, a phase ends
POSITION_ROWS = 1 << 16  # turns that a tree over positions holds; when it is full, the search ends
CELLS = 1 << 17  # of hashed tables
KEYS = 1 << 20  # positions that are known again
FEW_KEYS = 1 << 16


def names_of(atoms: Atoms, rival: Rival) -> dict[str, Any]:
    """What the templates of a rival mention, for a game."""
    return {**core_names(atoms), "search": rival.search, "AHEAD": rival.ahead}


def core_names(atoms: Atoms) -> dict[str, Any]:
    """What the core mentions, for a game."""
    return {
        **atoms.names,
        "LONGEST": atoms.longest,
        "HAS_CHANCE": "draw" in atoms.names and ("odds" in atoms.names or atoms.dice or _own_draw(atoms)),
        "DICE": atoms.dice,
        "SECRET": atoms.secret,
        "COUNTS_TURNS": "turns" in atoms.names,
        "HAS_SAMPLE": "sample" in atoms.names,
        "HAS_ORDER": "order" in atoms.names,
    }


def _own_draw(atoms: Atoms) -> bool:
    draw = atoms.names["draw"]
    return getattr(draw, "function", draw).__module__ != "stratagem.kernel"


def new_room(atoms: Atoms, rival: Rival, settings: Settings, samples: int) -> Room:
    """Room for a rival: the arrays that its search uses."""
    bandit = rival.search in (tuple_bandit, naive)
    rows = {
        evolve: settings.population,
        coevolve: 2 * settings.population,
        mutation_tree: TURN_ROWS,
        turn_tree: POSITION_ROWS,
    }.get(rival.search, 2 + settings.neighbours if bandit else 2)
    nodes = (
        TREE_NODES
        if rival.search is atom_tree
        else rows
        if rival.search in (evolve, coevolve, mutation_tree, turn_tree)
        else 1
    )
    exhausts = rival.search is greedy_turn
    depth = atoms.longest if exhausts else 1

    def ints(*shape: int) -> Any:
        return np.zeros(shape, np.int64)

    return Room(
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
        ranks=ints(rows + 2),
        nodes=ints(nodes, 5),
        stats=np.zeros((nodes, max(3, 1 + atoms.players))),
        path=ints(2 * atoms.longest + 2),
        stack=ints(depth, atoms.cells),
        lists=ints(depth, atoms.most_moves),
        cells=np.zeros((CELLS if bandit else 1, 2)),
        keys=ints(KEYS if exhausts else FEW_KEYS if settings.distinct else 1),
        best=ints(1 + atoms.longest),
        tally=np.zeros(8),
    )


class Found(NamedTuple):
    """What a search has found."""

    turn: tuple[int, ...]
    value: float  # for the seat that searched, in [-1, 1]
    turns: int  # that were judged
    looks: int  # single actions that greed looked at
    mended: float  # share of genes that could not be played as they were
    distinct: int | None  # outcomes that differ, where they were counted
    seconds: float
    finished: bool


class RivalSearch:
    """A search of the literature, for one game."""

    def __init__(
        self, game: Any, rival: str, settings: Settings | None = None, *, atoms: Atoms | None = None, **options: Any
    ):
        self.rival = RIVALS[rival]
        own = settings_of(Settings, settings, {**self.rival.defaults, **options} if settings is None else options)
        self.settings, self.game = own, game
        self.atoms = atoms_of(game) if atoms is None else atoms
        if self.atoms.dice and not self.rival.dice:
            raise UnsuitableSearch(
                f"{rival} lists turns, and chance falls inside those of {game.name}; use greedy-action or oep"
            )
        usual = SAMPLES if self.atoms.dice else GUESSES if self.atoms.secret and self.rival.ahead else 1
        self.samples = own.samples or usual
        self.room = new_room(self.atoms, self.rival, own, self.samples)
        names = names_of(self.atoms, self.rival)
        self._think = specialise(think, names, target=own.target, label=f"{game.name}, {self.rival.title}")
        self._asked, self._rate, self._ready = 0, 0.0, False

    def consider(
        self,
        root: State,
        seat: int,
        *,
        seconds: float | None = None,
        turns: int | None = None,
        phases: int | None = None,
    ) -> Found:
        """The best turn that a seat's search finds from a state, by a clock, a number of turns, or both."""
        turns = self.settings.turns if turns is None else turns
        if seconds is None and turns is None:
            seconds = SECONDS
        if not self._ready:  # what must be compiled or loaded is not thinking
            self._run(root, seat, 1, 1, np.zeros(1, np.int64), 0)
            self._ready = True
        self._asked += 1
        phases = phases or self.settings.phases or max(self.atoms.actions, 1)
        budget = Budget(seconds)
        if turns is None:
            turns = NO_LIMIT if phases == 1 else self._allowed_for(root, seat, phases, budget)
        if seconds is None and turns <= TRIAL:
            self._run(root, seat, turns, phases, budget.flag, self._asked)
        else:
            budget.run(self._run, root, seat, turns, phases, budget.flag, self._asked)
        room, elapsed = self.room, budget.elapsed
        tally = room.tally
        if tally[TURNS] >= TRIAL:
            self._rate = tally[TURNS] / max(elapsed, 1e-6)
        return Found(
            tuple(int(m) for m in room.best[1 : 1 + room.best[0]]),
            float(tally[BEST]),
            int(tally[TURNS]),
            int(tally[LOOKS]),
            float(tally[MENDED] / max(tally[GENES], 1.0)),
            int(tally[DISTINCT]) if self.settings.distinct else None,
            elapsed,
            not budget.interrupted,
        )

    def _allowed_for(self, root: State, seat: int, phases: int, budget: Budget) -> int:
        """How many turns the time left is enough for: phases are parts of a number, which has to be known."""
        trial = TRIAL
        while not self._rate and not budget.stopped:
            began = budget.elapsed
            budget.run(self._run, root, seat, trial, phases, budget.flag, self._asked)
            took, trial = budget.elapsed - began, 4 * trial
            if took > LONG_ENOUGH * (budget.seconds or 0.0):
                self._rate = self.room.tally[TURNS] / max(took, 1e-6)
        return max(int(PLANNED * self._rate * max(budget.left or 0.0, 0.0)), 1)

    def _run(self, root: State, seat: int, turns: int, phases: int, stop: Any, asked: int) -> None:
        terms = self.terms(turns, phases, asked)
        self._think(self.atoms.ground, root, seat, self.room, terms, stop)

    def terms(self, turns: int, phases: int, asked: int) -> Terms:
        """The settings for one question, as compiled code reads them."""
        seed = int(generator(self.settings.seed, asked)[0])  # any Python integer is a seed
        return terms_of(self.settings, turns=turns, seed=seed, samples=self.samples, phases=phases)


def terms_of(own: Settings, *, turns: int, seed: int, samples: int = 1, phases: int = 1) -> Terms:
    """Settings as compiled code reads them."""
    return Terms(
        turns=turns,
        seed=seed,
        samples=samples,
        mending=MENDINGS[own.mending],
        greedy_start=own.greedy_start,
        population=own.population,
        kept=float(own.kept),
        mutation=float(own.mutation),
        exploration=float(own.exploration),
        spread=float(own.spread),
        rollout=float(own.rollout),
        phases=phases,
        children=own.children,
        horizon=own.horizon,
        narrow=own.narrow,
        neighbours=own.neighbours,
        change=float(own.change),
        starts=own.starts,
        meetings=own.meetings,
        local=float(own.local),
        burning=BURNINGS[own.burning],
        distinct=int(own.distinct),
        unique=int(own.unique),
    )


class RivalPlayer(Player):
    """Plays turns that a rival finds."""

    def __init__(
        self, game: Any, rival: str, *, atoms: Atoms | None = None, time: float | None = None, **options: Any
    ) -> None:
        self.name, self.game = rival, game
        self.seconds = Clock(None if time is None else float(time)).seconds
        self.search = RivalSearch(game, rival, atoms=atoms, **options)
        self._course = Course(game)
        self._turn: int | None = None  # the number of the turn being played, where the rules count them
        self._left = 0.0  # seconds of it

    def choose(
        self, view: Any, clock: Clock, *, seat: int | None = None, report: Report | None = None, lines: int = 1
    ) -> Choice:
        if view.over:
            raise GameOver(f"the game is over in {str(view)!r}: there is no move to choose")
        mover = view.turn if seat is None else seat
        if mover < 0 or view.turn != mover:
            raise OptionError(f"a rival chooses turns, and nobody has one in {str(view)!r}")
        atoms, state = self.search.atoms, self.search.atoms.state(view)
        if not atoms.whole and (m := self._course.next(state, mover)) is not None:
            return Choice(atoms.text(view, (m,)), engine=self.name)
        found = self.search.consider(state, mover, seconds=self._seconds(clock, state))
        self._left -= found.seconds
        if not atoms.whole:
            self._course.plan(state, found.turn)
            self._course.next(state, mover)
        return self._told(view, found)

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

    def _told(self, view: Any, found: Found) -> Choice:
        atoms = self.search.atoms
        low, high = self.game.payoff_range
        value = (low + high + (high - low) * found.value) / 2
        move = atoms.text(view, found.turn)
        shown = (move,) if atoms.whole or atoms.dice else view.line(found.turn)
        details = {"turns": found.turns, "looks": found.looks, "mended": round(found.mended, 4)}
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
    """The rivals as players of a game whose decisions `atoms` tells; those that cannot deal with dice are left out."""
    return {
        rival.name: Entry(_maker(rival, atoms), rival.summary, (*FOR_ALL, *rival.reads))
        for rival in RIVALS.values()
        if rival.dice or not dice
    }


def _maker(rival: Rival, atoms: Callable[[Any], Atoms]) -> Callable[..., Player]:
    def make(game: Game, **options: Any) -> Player:
        return RivalPlayer(game, rival.name, atoms=atoms(game), **options)

    return make
