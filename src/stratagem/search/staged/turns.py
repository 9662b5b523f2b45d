"""A staging whose one stage is the whole turn: turns are bred over the game's atomic kernels, and judged by what follows them.

The generator is online evolutionary planning (`whole_turns.evolution`), continued slice by slice: it proposes the best turns
of its population by their worth at the end of the turn, and refines what the search likes best by changing one decision. A
trial sees further than that. In a world where the hidden part is guessed, the turn is played. Then follow `horizon` turns of
the side to move, each the best that a short evolution finds for it. Only then is the position judged. The turns that were best
in a world are remembered, so that the next trial there begins with them, repaired, in place of random ones.

So the search is at least evolution, and sees the replies as well; where evolution alone is as good (a game whose turns hardly
touch each other), half of the time is lost.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame
from stratagem.errors import OptionError, UnsuitableSearch
from stratagem.kernel import HIGH, LOW, OVER, PLAYERS, Ground, Moves, Payoffs, State, guess, turn, value
from stratagem.rng import Rng, below, seed_stream
from stratagem.search.budget import NO_LIMIT, Budget
from stratagem.search.sampling.playouts import has_chance
from stratagem.search.settings import whole
from stratagem.search.staged.stage import Context, GameStaging, Generator, Proposal, Stage, Trials, Values
from stratagem.search.whole_turns.atoms import Atoms, atoms_of, suits
from stratagem.search.whole_turns.core import (
    LEAST,
    MOST,
    SECRET,
    TURNS,
    Rows,
    TurnArrays,
    TurnTerms,
    carry,
    copy,
    mutate,
    set_out,
    settle,
    weigh,
    worth,
)
from stratagem.search.whole_turns.evolution import Evolution, EvolutionaryPlanningSettings, begin, evolve, go_on
from stratagem.search.whole_turns.player import core_names, new_arrays

Reals = NDArray[np.float64]
Turn = tuple[int, ...]

MOST_TURNS = 64  # that a trial may look ahead, and streams of chance that it uses
SEARCH_STREAMS = 1 << 41  # the streams of a search, far from those of trials
# rows behind a population
PARENT, CHILD, KEPT, MORE_ROWS = 0, 1, 2, 3
ANSWERING = 24  # turns of a population that looks for a reply
REFINEMENTS = 3  # how often a refinement is tried

MARGIN: float = cast(Any, 0.0)  # bound: how much of the worth of a game that is over is by how much it was won


# ------------------------------------------------------------------------------------------------------------ breeding


def brood(
    g: Ground, root: State, seat: int, fresh: bool, room: TurnArrays, terms: TurnTerms, own: Evolution, stop: Moves
) -> None:
    """Breed until so many turns were judged in all."""
    if fresh:
        set_out(g, root, seat, room, terms)
        begin(g, seat, room, terms, own, stop)
    go_on(g, seat, room, terms, own, stop)


def vary(g: Ground, seat: int, tries: int, n: int, room: TurnArrays, terms: TurnTerms) -> None:
    """The best of some turns that differ from the parent's in one decision, into the row that is kept for it; n: how
    many rows are the population's."""
    best = -np.inf
    for _ in range(tries):
        mutate(g, seat, n + PARENT, below(room.r, max(room.lengths[n + PARENT], 1)), n + CHILD, room, terms)
        if room.values[n + CHILD] > best and differs(n + CHILD, n + PARENT, room):
            best = room.values[n + CHILD]
            copy_row(n + CHILD, n + KEPT, room)


def differs(a: int, b: int, room: TurnArrays) -> bool:
    if room.lengths[a] != room.lengths[b]:
        return True
    for k in range(room.lengths[a]):
        if room.genes[a, k] != room.genes[b, k]:
            return True
    return False


def copy_row(a: int, b: int, room: TurnArrays) -> None:
    room.lengths[b], room.values[b] = room.lengths[a], room.values[a]
    for k in range(room.lengths[a]):
        room.genes[b, k] = room.genes[a, k]


# -------------------------------------------------------------------------------------------------------------- trials


def margin_of(g: Ground, s: State, p: int, out: Payoffs) -> float:
    """By how much a game that is over was won, as the rules' `value` tells it, in [-1, 1]."""
    value(g, s, out)
    return (2.0 * out[p] - HIGH - LOW) / (HIGH - LOW)


def play_row(g: Ground, p: int, known: Moves, room: TurnArrays, terms: TurnTerms) -> None:
    """Carry out a turn, its length first, on the position at hand; `known` is left as it is."""
    spare = room.genes[room.genes.shape[0] - 1]
    for k in range(known[0]):
        spare[k] = known[1 + k]
    carry(g, p, spare, known[0], room, terms)


def best_reply(
    g: Ground, p: int, known: Moves, polish: int, room: TurnArrays, terms: TurnTerms, own: Evolution, stop: Moves
) -> None:
    """The best turn of player p in the first world that a short search finds, into `known`: one that was best here before,
    repaired and changed in one decision as often as is said, or where none is known by evolution."""
    for k in range(room.tally.shape[0]):
        room.tally[k] = 0.0
    room.tally[LEAST], room.tally[MOST] = np.inf, -np.inf
    room.best[0] = 0
    if known[0] == 0:
        evolve(g, p, room, terms, own, stop)
    else:
        room.lengths[0] = known[0]
        for k in range(known[0]):
            room.genes[0, k] = known[1 + k]
        weigh(g, p, 0, room, terms)
        for _ in range(polish):
            mutate(g, p, 0, below(room.r, max(room.lengths[0], 1)), 1, room, terms)
            if room.values[1] >= room.values[0]:
                copy_row(1, 0, room)
    for k in range(1 + room.best[0]):
        known[k] = room.best[k]


def foresee(
    g: Ground,
    root: State,
    seat: int,
    planned: Moves,
    trials: Trials,
    polish: int,
    known: Rows,
    room: TurnArrays,
    values: Reals,
    terms: TurnTerms,
    own: Evolution,
    stop: Moves,
) -> None:
    """Trials of a turn, one a stream of chance; known: [worlds * turns ahead, 1 + genes], what was best there before."""
    s, worlds = room.s, known.shape[0] // max(terms.horizon, 1)
    for j in range(values.shape[0]):
        stream = (trials.first + j) * MOST_TURNS
        seed_stream(room.dice, trials.seed, stream)
        copy(s, root)
        if SECRET and trials.guessed >= 0:
            guess(g, s, trials.guessed, room.dice)
        play_row(g, seat, planned, room, terms)
        for h in range(terms.horizon):
            p = settle(g, s, room.dice)
            if p < 0:
                break
            copy(room.worlds[0], s)
            seed_stream(room.r, trials.seed, SEARCH_STREAMS + stream + h)
            at = ((trials.first + j) % worlds) * terms.horizon + h
            if known[at, 0] == 0:  # begin with what was best in the first world
                for k in range(1 + known[h, 0]):
                    known[at, k] = known[h, k]
            best_reply(g, p, known[at], polish, room, terms, own, stop)
            copy(s, room.worlds[0])
            seed_stream(room.dice, trials.seed, stream + 1 + h)
            play_row(g, p, known[at], room, terms)
        settle(g, s, room.dice)
        for p in range(PLAYERS):
            values[j, p] = worth(g, s, p, room.out)
            if MARGIN > 0.0 and turn(g, s) == OVER:
                values[j, p] += MARGIN * (margin_of(g, s, p, room.out) - values[j, p])


# ------------------------------------------------------------------------------------------------------------- staging


class Bred(Generator):
    """Proposes whole turns of one position: the best of an evolution that goes on, each outcome once."""

    def __init__(self, staging: TurnStaging, position: State, seat: int, seed: int) -> None:
        self.staging, self.position, self.seat, self.seed = staging, position, seat, seed
        self.room, self.evolution = staging.new_room(staging.breeding)
        self.judged = 0  # turns of the evolution
        self.outcomes: set[bytes] = set()
        self.waiting: list[Turn] = []  # the ranking, the best last

    def breed(self, more: int, stop: Moves) -> None:
        """Judge so many turns more, or until somebody says stop."""
        own, room, fresh = self.staging, self.room, self.judged == 0
        terms = own.breeding.terms(self.judged + more, self.seed)
        own.brood(own.ground, self.position, self.seat, fresh, room, terms, self.evolution, stop)
        self.judged = int(room.tally[TURNS])
        # all of them: survivors are each of their own value, and of turns that look alike a reply may tell
        n = own.breeding.population
        order = np.argsort(room.values[:n], kind="stable")
        self.waiting = [own.row(room, int(k)) for k in order if room.lengths[k]]

    def first(self) -> Proposal | None:
        """The best turn that was not given yet; the evolution goes on before every one."""
        self.breed(max(self.judged // self.staging.further, self.staging.breeding.population), self.staging.never)
        while self.waiting:
            found = self._new(self.waiting.pop())
            if found is not None:
                return found
        return None

    def _new(self, planned: Turn) -> Proposal | None:
        outcome = self.staging.outcome(self.position, planned)
        if outcome in self.outcomes:
            return None
        self.outcomes.add(outcome)
        return Proposal(planned)

    def finer(self, part: Turn) -> Proposal | None:
        """The best of some turns that differ in one decision."""
        own, room, n = self.staging, self.room, self.staging.breeding.population
        room.lengths[n + PARENT] = len(part)
        room.genes[n + PARENT, : len(part)] = part
        terms = own.breeding.terms(self.judged, self.seed)
        for _ in range(REFINEMENTS):
            room.lengths[n + KEPT] = 0
            own.vary(own.ground, self.seat, own.varied, n, room, terms)
            if room.lengths[n + KEPT] and (found := self._new(own.row(room, n + KEPT))) is not None:
                return found
        return None


class TurnStaging(GameStaging[Turn]):
    """Whole turns of a game whose moves are decisions; positions are its states."""

    def __init__(
        self,
        game: ArrayGame,
        *,
        atoms: Atoms | None = None,
        horizon: int = 1,  # turns after one's own that a trial sees
        bred: int = 20_000,  # turns that are judged before the first is proposed, where there is no clock
        share: float = 0.5,  # of the clock for that, where there is one
        replies: int = 500,  # turns that are judged to find a later one where none is known
        polish: int = 50,  # changes that are tried where one is
        worlds: int = 64,  # whose later turns are remembered
        population: int = 100,
        mutation: float = 0.5,
        kept: float = 0.5,  # share of a population that survives
        insertion: float = 0.0,  # of mutations that put a decision in, where the others replace one
        further: int = 16,  # before each further proposal one in so many turns of those judged so far is bred
        varied: int = 24,  # changes of which a refinement is the best
        margin: float = 0.0,  # how much by how much a game was won counts beside that it was won, from 0 to 1
        target: str = "cpu",
    ) -> None:
        if game.gives("play_together"):
            raise UnsuitableSearch(f"search by stages takes turns, and players of {game.name} decide at once; use mcts")
        if not suits(game) and atoms is None:
            raise UnsuitableSearch(
                f"turns are bred where decisions make turns and `value` judges positions, which {game.name} lacks; "
                "use stages=decisions"
            )
        for name, given, low, high in (
            ("horizon", horizon, 0, MOST_TURNS - 2),
            ("bred", bred, 1, 1 << 40),
            ("replies", replies, 1, 1 << 30),
            ("polish", polish, 0, 1 << 30),
            ("worlds", worlds, 1, 1 << 16),
            ("further", further, 1, 1 << 30),
            ("varied", varied, 1, 1 << 30),
        ):
            if not low <= whole(name, given) <= high:
                raise OptionError(f"option {name} is {given!r}; it goes from {low} to {high}")
        if not 0.0 < float(share) < 1.0:
            raise OptionError(f"option share is {share!r}; it lies between 0 and 1")
        if not 0.0 <= float(margin) <= 1.0:
            raise OptionError(f"option margin is {margin!r}; it goes from 0 to 1")
        self.game, self.players = game, game.players
        self.atoms = atoms_of(game) if atoms is None else atoms
        self.ground = self.atoms.ground
        self.certain = not (self.atoms.dice or self.atoms.secret or has_chance(game)) and horizon == 0
        self.horizon, self.bred, self.share, self.worlds = horizon, bred, float(share), worlds
        self.replies, self.polish, self.further, self.varied = replies, polish, further, varied
        self.breeding = EvolutionaryPlanningSettings(
            population=population, mutation=mutation, kept=kept, insertion=insertion, greedy_start=1
        )
        few = min(ANSWERING, max(replies // 4, 2))
        self.answering = EvolutionaryPlanningSettings(population=few, mutation=mutation, insertion=insertion)
        names = {**core_names(self.atoms, inserts=insertion > 0.0), "MARGIN": float(margin)}
        label = f"{game.name}, whole turns"
        self.brood = specialise(brood, names, target=target, label=f"{label} bred", lean=True)
        self.vary = specialise(vary, names, target=target, label=f"{label} varied", lean=True)
        self._foresee = specialise(foresee, names, target=target, label=f"{label} tried", lean=True)
        self.never = np.zeros(1, np.int64)
        self.root: Bred | None = None  # of the position that is thought about
        self.known: Rows = np.zeros((worlds * max(horizon, 1), 1 + self.atoms.longest), np.int64)
        self._rooms = threading.local()

    def begin(self, position: State, seconds: float | None, seed: int) -> None:
        """Breed turns of a position that is to be thought about: so many, or by a clock for a part of it. What was best after
        the last position is forgotten."""
        self.known[:, 0] = 0
        self.root = Bred(self, position, self.mover(position), seed)
        if seconds is None:
            self.root.breed(self.bred, self.never)
        else:
            watch = Budget(self.share * seconds)
            watch.run(self.root.breed, NO_LIMIT, watch.flag)

    @property
    def usual(self) -> dict[str, Any]:
        """Settings of a search, where nothing is said: trials are dear, so few turns are tried, and often."""
        return {"samples": 1, "turn_factor": 1.0, "turn_power": 0.5}

    def warm(self, position: State) -> None:
        """Compile what a search will call."""
        self.begin(position, None, 0)
        assert self.root is not None
        found = self.root.first()
        if found is not None:
            self.root.finer(found.part)

    def details(self) -> dict[str, Any]:
        """What was done beside trials."""
        return {} if self.root is None else {"bred": self.root.judged}

    def new_room(self, settings: EvolutionaryPlanningSettings) -> tuple[TurnArrays, Evolution]:
        (evolution,) = settings.records(self.atoms)
        return new_arrays(self.atoms, settings.rows + MORE_ROWS), evolution

    def row(self, room: TurnArrays, row: int) -> Turn:
        return tuple(int(m) for m in room.genes[row, : room.lengths[row]])

    # -- what a search asks

    def stages(self, position: State) -> list[Stage]:
        return [Stage("turn", self._maker)]

    def _maker(self, context: Context) -> Bred:
        if self.root is not None and self.key(self.root.position) == self.key(context.position):
            return self.root
        return Bred(self, context.position, context.seat, int(context.rng[0]))

    def join(self, position: State, parts: Mapping[str, Any]) -> Turn:
        return cast(Turn, parts["turn"])

    def play(self, position: State, planned: Turn, rng: Rng) -> State:
        room, _ = self._room()
        seed = int(rng[0] ^ rng[1])
        rng[1] += 1
        self._run(position, planned, np.zeros((1, self.players)), range(1), seed, -1, 0)
        return room.s.copy()

    def outcome(self, position: State, planned: Turn) -> bytes:
        """What a turn leads to before anything that chance brings; with dice inside it is the turn itself."""
        if self.atoms.dice:
            return repr(planned).encode()
        s, mover = position.copy(), self.mover(position)
        for m in planned:
            self.game.run("play", self.game.g, s, mover, m)
        return self.key(s)

    def sample(self, position: State, planned: Turn, seat: int | None, streams: range, seed: int) -> Values:
        values = np.zeros((len(streams), self.players))
        self._run(position, planned, values, streams, seed, -1 if seat is None else seat, self.horizon)
        return values

    def _run(
        self,
        position: State,
        planned: Turn,
        values: Values,
        streams: range,
        seed: int,
        guessed: int,
        horizon: int,
    ) -> None:
        room, evolution = self._room()
        own = np.zeros(1 + self.atoms.longest, np.int64)
        own[0] = len(planned)
        own[1 : 1 + len(planned)] = planned
        trials = Trials(streams.start, seed, guessed)
        terms = self.answering.terms(self.replies, seed)._replace(horizon=horizon)
        mover, known, never = self.mover(position), self.known, self.never
        self._foresee(
            self.ground, position, mover, own, trials, self.polish, known, room, values, terms, evolution, never
        )

    def _room(self) -> tuple[TurnArrays, Evolution]:
        """Each thread tries turns in its own."""
        if not hasattr(self._rooms, "room"):
            self._rooms.room = self.new_room(self.answering)
        return cast(tuple[TurnArrays, Evolution], self._rooms.room)

    def moves_of(self, position: State, planned: Turn, seed: int = 0) -> Turn:
        """The decisions of a turn; with dice inside those that may come of it are decided when they are due."""
        return planned if not self.atoms.dice else planned[:1]

    def first_move(self, position: State, planned: Turn, seed: int = 0) -> int:
        """The decision that a turn begins with."""
        return planned[0]

    # -- for people

    def words(self, position: State, stage: str, part: Turn) -> str:
        return self.text(position, part)

    def text(self, position: State, planned: Turn) -> str:
        s, mover, played = position.copy(), self.mover(position), []
        for m in planned:
            if self.mover(s) != mover or m not in self.game.legal(s, mover):
                break
            played.append(self.game.move_text(s, mover, m))
            self.game.run("play", self.game.g, s, mover, m)
        return "; ".join(played)
