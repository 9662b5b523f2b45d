"""Search by stages: whole turns put together from proposed parts, judged, and refined from the best so far.

One simulation walks from the root. At each position a bandit chooses among the turns made so far and a phantom that stands
for those not made yet; where the phantom wins, the stages are gone through in order of their dependencies, each choosing among
its candidates by its own bandit or asking its generator for one more, and the parts are joined. The last turn of the walk is
tried by sampling, and the payoffs go into every turn of the walk and into every stage that took part. A turn with chance
inside is drawn anew at every visit; what is hidden is guessed anew.

Use it where a move is a turn of many dependent parts. It is as good as its proposals and its judge; the page
docs/search/staged.md says why it finds the best turn in the end, and where it fails. The ideas: progressive widening
(Coulom 2007), combinatorial bandits over parts (Ontanon 2013), PUCT (Silver et al. 2017).
"""

from __future__ import annotations

import contextlib
import itertools
import math
import random
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from stratagem.contract.player import StageSeen
from stratagem.errors import OptionError
from stratagem.rng import Rng, generator, mix, word
from stratagem.search.budget import Budget, check_threads, collect_when_due, uncollected
from stratagem.search.settings import number, switch, whole
from stratagem.search.staged.bandit import (
    ALL,
    CHILDREN,
    CLOSED,
    COLUMNS,
    CONSTANTS,
    EXPLORATION,
    FACTOR,
    GRAIN,
    LEAVES,
    OPEN,
    PHANTOM,
    POWER,
    SLACK,
    SPREAD,
    SQUARES,
    TRUST,
    UNKNOWN,
    VISITS,
    WIDTH,
    Bandit,
    Constants,
    compiled,
)
from stratagem.search.staged.nodes import Candidate, PositionNode, Proposals, StageNode, Turn, scope_of
from stratagem.search.staged.report import Report, report_on, seen_by_stages
from stratagem.search.staged.stage import Context, Judgement, Stage, StageError, Staging, Values, ordered

P = TypeVar("P")
T = TypeVar("T")

PATIENCE = 16  # turns in a row that were known already, after which the turns not made yet are looked for one by one
FADING = 0.97  # of what the longest walk took, from walk to walk: so much time is kept for one more like it
ATTEMPTS = 4  # at a turn that is not known for certain
LOOKED = 200  # combinations that are looked at in one walk
MOST_AGAIN = 8  # visits in one, at the most
MEAN, BEST = "mean", "best"  # what is backed up
SELDOM = 0.25  # of the visits of the turn tried most often: one tried less is not played where the best is backed up
# times `trust`: trials of all turns from which on more of them look for replies to the turn that looks best than for others
LEAD = 20.0
SHOWN = 16  # turns that a search tells about
REMEMBERED = 4096  # generators kept for positions that share their proposals


@dataclass(frozen=True)
class Settings:
    """How a search by stages thinks."""

    samples: int = 1  # trials of a turn at a visit; more where one is cheap and chance is great
    again: float = (
        0.0  # trials at later visits of a turn: this part of those it has had, from `samples` to MOST_AGAIN times that
    )
    depth: int = 1  # turns of all players that a walk may join; 1: judged right after the own turn
    exploration: float = 1.0  # weight of the bonus among candidates of a stage, in units of the deviation seen; above 0
    turn_exploration: float = 1.4  # the same among whole turns
    widening: str = (
        "progressive"  # when a stage asks for one more candidate: by a law of its visits, or by the "phantom"
    )
    factor: float = 2.0  # progressive: fewer than factor * visits ** power candidates
    power: float = 0.5
    turn_factor: float = (
        2.0  # the same for whole turns; 0: by the phantom, under which they grow with the logarithm only
    )
    turn_power: float = 0.7
    fresh: float = 0.35  # how one more candidate is asked for: weights of a first proposal,
    fine: float = 0.4  # of a fine refinement of the best so far,
    coarse: float = 0.25  # and of a coarse one
    noise: float = 1.0  # of coarse refinement; it shrinks towards half as a family is visited
    mixing: float = 0.1  # how often a stage chooses any candidate at random, so that all combinations are met
    pruning: float = 2.0  # half-width of the intervals by which candidates are passed over, in deviations; 0: none are
    caution: float = 1.0  # the turn played has the best mean less so many standard errors
    backup: str = (
        MEAN  # what a turn is worth: the mean of its trials, or, where all is certain, what the best reply leaves
    )
    # of the mean, where all is certain: the trials of a turn from which on what the best reply leaves counts for more than the
    # mean; 0: it does not count
    trust: float = 0.0
    turns: int = 200_000  # turns held at most; after that no new ones are made
    simulations: int = 1000  # visits for one choice where no clock is given
    threads: int = 1
    reuse: bool = True  # begin with what the last search knew about the position

    def __post_init__(self) -> None:
        for name in ("samples", "depth", "turns", "simulations"):
            if whole(name, getattr(self, name)) < 1:
                raise OptionError(f"{name} is {getattr(self, name)}; give 1 or more")
        if self.widening not in ("phantom", "progressive"):
            raise OptionError(f"widening is {self.widening!r}; it is 'phantom' or 'progressive'")
        for name in ("exploration", "turn_exploration", "factor", "power", "turn_power"):
            if not (math.isfinite(number(name, getattr(self, name))) and getattr(self, name) > 0):
                raise OptionError(f"{name} is {getattr(self, name)!r}; give a number above 0")
        for name in ("fresh", "fine", "coarse", "noise", "pruning", "caution", "trust", "turn_factor", "again"):
            if not (math.isfinite(number(name, getattr(self, name))) and getattr(self, name) >= 0):
                raise OptionError(f"{name} is {getattr(self, name)!r}; give a number of at least 0")
        if self.backup not in (MEAN, BEST):
            raise OptionError(f"backup is {self.backup!r}; it is {MEAN!r} or {BEST!r}")
        if self.fresh + self.fine + self.coarse == 0:
            raise OptionError("fresh, fine and coarse are all 0; candidates come from at least one of them")
        if not 0 < number("mixing", self.mixing) < 1:
            raise OptionError(f"mixing is {self.mixing!r}; it lies between 0 and 1")
        check_threads(whole("threads", self.threads))
        switch("reuse", self.reuse)


@dataclass(frozen=True)
class Judged:
    """A turn and what its visits gave."""

    turn: Any
    parts: Mapping[str, Any]
    values: tuple[float, ...]  # the mean payoff of each seat
    error: float | None  # standard error of the mover's; None below two trials
    visits: int  # trials
    words: Callable[[], str] = field(repr=False, compare=False)

    @property
    def text(self) -> str:
        """The turn for people."""
        return self.words()


@dataclass(frozen=True)
class Considered:
    """What a search found: the turns that were tried, best first, and how it went."""

    turns: tuple[Judged, ...]
    seat: int
    simulations: int  # in this call
    trials: int  # of turns, in this call
    made: int  # turns in the root
    exhausted: bool  # whether every turn that there can be was made
    seconds: float
    finished: bool  # False: stopped by hand

    @property
    def best(self) -> Judged:
        return self.turns[0]


class Step(NamedTuple):
    """A turn on the way down."""

    node: PositionNode
    turn: Turn


class Chance(NamedTuple):
    """What one thread draws from: lots of the search, which are many and must be cheap, and the game's own chance."""

    lots: random.Random
    rng: Rng

    @classmethod
    def of(cls, seed: int, stream: int) -> Chance:
        return cls(random.Random(f"{seed} {stream}"), generator(seed, stream))


class Walk(NamedTuple):
    """A walk before its payoffs are known."""

    path: list[Step]
    position: Any  # where the last turn begins
    first: int  # the first stream of chance that the last turn is tried with
    paid: Sequence[float] | None  # what a game that ended on the way pays
    trials: int


def _told(position: Any) -> str:
    return str(position)[:200]


class Staged(Generic[P, T]):
    """Searches turns of one game by stages; keeps its tree between calls. Not to be shared between callers."""

    def __init__(
        self, staging: Staging[P, T], settings: Settings | None = None, *, seed: int = 0, target: str = "cpu"
    ) -> None:
        collect_when_due()  # a search before this one may have left its tree
        self.staging, self.settings, self.seed = staging, settings or Settings(), seed
        self._minimax = self.settings.backup == BEST
        if (self._minimax or self.settings.trust) and not staging.certain:
            raise OptionError(
                f"backup {BEST!r}, and trust in the best reply, need turns whose worth is certain, and "
                f"{type(staging).__name__} has chance or secrets; use {MEAN!r} and trust 0"
            )
        self.nodes: dict[Hashable, PositionNode] = {}
        self.remembered: dict[tuple[str, Hashable], Proposals] = {}
        self.root: PositionNode | None = None
        self._given: Sequence[Stage] | None = None  # the stages that were given last, and in order
        self._stages: tuple[Stage, ...] = ()
        self.made = 0  # turns in the tree
        self._asked = 0
        self._streams = 0  # seed of the chance that turns of this call are tried with
        self._watch: Budget | None = None  # of the search under way, or of the last one
        self._lock = threading.Lock()
        self._bandit = compiled(target)
        self._puct, self._ucb = self._bandit["puct"], self._bandit["ucb"]
        s = self.settings
        self._stage_constants = np.zeros(CONSTANTS)
        self._stage_constants[[EXPLORATION, WIDTH, GRAIN, POWER, OPEN]] = (
            s.exploration,
            s.pruning,
            s.samples,
            s.power,
            1,
        )
        self._stage_constants[FACTOR] = s.factor if s.widening == "progressive" else 0.0
        self._turn_constants = self._stage_constants.copy()
        self._turn_constants[[EXPLORATION, FACTOR, POWER, TRUST]] = (
            s.turn_exploration,
            s.turn_factor,
            s.turn_power,
            s.trust,
        )
        self._closed = self._stage_constants.copy(), self._turn_constants.copy()
        for constants in self._closed:
            constants[OPEN] = 0.0
        self._leading = self._closed[1].copy()
        self._leading[EXPLORATION] = 0.0
        self._unpruned = self._closed[1].copy()
        self._unpruned[WIDTH] = 0.0

    # -- one choice

    def consider(
        self,
        position: P,
        *,
        seconds: float | None = None,
        simulations: int | None = None,
        tick: Callable[[Considered], None] | None = None,
    ) -> Considered:
        """Think about the turn that begins in a position: so many simulations, or as many as fit the clock. `tick` is
        called now and then with what is known so far."""
        began = time.perf_counter()
        watch = self._watch = Budget(seconds)
        limit = (
            simulations if simulations is not None else None if watch.seconds is not None else self.settings.simulations
        )
        self._asked += 1
        with self._lock, np.errstate(over="ignore"):
            self._streams = int(mix(word(self.seed * 1_000_003 + self._asked)))
            self._begin(position)
        collect_when_due(seconds)
        root = self.root
        assert root is not None
        before, trials = [0], root.bandit.visits()
        if tick is not None:
            watch.tick = lambda: tick(self._so_far(root, before[0], trials, began, watch)) if before[0] > 1 else None
        workers = [_Worker(self, watch, limit, before, k) for k in range(self.settings.threads)]
        # one collection of all that a process holds may take longer than a turn
        with contextlib.nullcontext() if watch.seconds is None else uncollected():
            others = [watch.start(worker.run) for worker in workers[1:]]
            try:
                watch.run(workers[0].run)
            finally:
                if others and limit is None:
                    watch.stop()
                for other in others:
                    other.result()
        return self._so_far(root, before[0], trials, began, watch)

    def left(self) -> float | None:
        """Seconds that the search under way has left: work that takes long asks before it begins. None: no clock."""
        return None if self._watch is None else self._watch.left

    def stop(self) -> None:
        """End the search that is under way, if there is one; it returns what it has. Usable from any thread."""
        if self._watch is not None:
            self._watch.stop()

    def _so_far(self, root: PositionNode, done: int, trials: int, began: float, watch: Budget) -> Considered:
        with self._lock:
            return self._considered(root, done, root.bandit.visits() - trials, time.perf_counter() - began, watch)

    def report(self) -> Report:
        """The tree as it stands."""
        with self._lock:
            if self.root is None:
                raise OptionError("nothing was considered yet, so there is nothing to report")
            return report_on(self, self.root)

    def proposals(self, most: int = 3) -> tuple[StageSeen, ...]:
        """What the stages of the best turn so far proposed, each in the context of that turn."""
        with self._lock:
            ranked = self._ranked(self.root.bandit) if self.root is not None else []
            return seen_by_stages(self, self.root, ranked[0], most) if self.root is not None and ranked else ()

    def _begin(self, position: P) -> None:
        """Make the position's node the root, with what is known of it; what cannot be reached from it is forgotten."""
        key = self.staging.key(position)
        known = self.nodes.get(key) if self.settings.reuse and key is not None else None
        if known is None:
            for node in [*self.nodes.values(), *([self.root] if self.root is not None else [])]:
                node.forget()
            self.nodes, self.made = {}, 0
            self.root = self._node(position, key)
            return
        self.root = known
        kept: dict[Hashable, PositionNode] = {key: known}
        waiting = [known]
        while waiting:
            for turn in waiting.pop().turns:
                for child in turn.children & self.nodes.keys():
                    if child not in kept:
                        kept[child] = self.nodes[child]
                        waiting.append(kept[child])
        for gone in self.nodes.keys() - kept.keys():
            self.nodes[gone].forget()
        self.nodes = kept
        self.made = sum(len(node.turns) for node in kept.values())
        if self.settings.depth > 1:  # what was judged at the end of a walk can be looked into now
            for node in kept.values():
                node.bandit.rows[: node.bandit.n, CLOSED] = 0.0

    def _node(self, position: P, key: Hashable | None) -> PositionNode:
        seat = self.staging.mover(position)
        given = self.staging.stages(position)
        if given is not self._given:  # a game whose turns all have the same stages may give the same list
            self._given, self._stages = given, ordered(given)
        node = PositionNode(position, key, seat, self._stages, Bandit(self.staging.players, seat))
        if key is not None:
            self.nodes[key] = node
        return node

    # -- one simulation

    def simulate(self, chance: Chance) -> bool:
        """One walk from the root; False: there is nothing left to try. Several threads may walk at once."""
        assert self.root is not None
        with self._lock:
            walk = self._descend(self.root, chance)
            tallied = self._known(walk)
        if not walk.path:
            return False
        try:
            tallied = self._tried(walk) if tallied is None else tallied
        except BaseException:
            with self._lock:
                self._under_way(walk, -1)
            raise
        with self._lock:
            self._back_up(walk, tallied)
        return True

    def _known(self, walk: Walk) -> Values | None:
        """The payoffs at the end of a walk where they are certain and were seen before; None: they must be found out."""
        if not self.staging.certain or len(walk.path) < self.settings.depth or walk.paid is not None:
            return None
        node, turn = walk.path[-1]
        if not node.bandit.rows[turn.row, VISITS] or turn.children:  # one that was walked beyond is worth a mean
            return None
        payoffs = node.bandit.rows[turn.row, COLUMNS:] / node.bandit.rows[turn.row, VISITS]
        return np.concatenate([walk.trials * payoffs, walk.trials * payoffs * payoffs])

    def _tried(self, walk: Walk) -> Values:
        """The payoffs at the end of a walk, of the finished game or of trials of the last turn: sums by seat, then of squares."""
        node, turn = walk.path[-1]
        if walk.paid is not None:
            values = np.array([walk.paid], np.float64).repeat(walk.trials, axis=0)
        else:
            streams = range(walk.first, walk.first + walk.trials)
            seat = node.seat if len(walk.path) == 1 else None
            values = self.staging.sample(walk.position, turn.turn, seat, streams, self._streams)
        out = np.empty(2 * self.staging.players)
        if not self._bandit["tally"](values, out):
            wrong = values[~(np.abs(values) <= 1 + SLACK)][0]
            raise StageError(
                f"the judge gave {wrong} for the turn {self.staging.text(node.position, turn.turn)!r} in "
                f"{_told(node.position)}; payoffs lie in [-1, 1]"
            )
        return out

    def _descend(self, root: PositionNode, chance: Chance) -> Walk:
        """The turns chosen on the way down; none where nothing is left to try."""
        while True:
            node, position, path = root, root.position, list[Step]()
            while (turn := self._choose_turn(node, chance, len(path) + 1 == self.settings.depth)) is not None:
                visits = node.bandit.visits(turn.row)
                first = visits + node.bandit.pending(turn.row)
                path.append(Step(node, turn))
                if len(path) == self.settings.depth or visits == 0:
                    return self._under_way(Walk(path, position, first, None, self._trials(first)))
                known = self._led_to(turn)
                if known is not None:
                    node, position = known, known.position
                    continue
                if len(path) == 1:
                    position = self.staging.guess(position, root.seat, chance.rng)
                position = self.staging.play(position, turn.turn, chance.rng)
                paid = self.staging.payoffs(position)
                if paid is not None:
                    return self._under_way(Walk(path, position, first, paid, self._trials(first)))
                key = self.staging.key(position)
                if key is not None:
                    turn.children.add(key)
                node = (self.nodes.get(key) if key is not None else None) or self._node(position, key)
            if not path or not (self._minimax or self.settings.trust):
                return Walk([], position, 0, None, 0)
            path[-1].node.bandit.rows[path[-1].turn.row, CLOSED] = 1.0  # every reply to it was tried: look elsewhere

    def _led_to(self, turn: Turn) -> PositionNode | None:
        """The position after a turn without chance that was played before."""
        return self.nodes.get(next(iter(turn.children))) if self.staging.certain and turn.children else None

    def _trials(self, first: int) -> int:
        samples = self.settings.samples
        return min(max(int(self.settings.again * first), samples), MOST_AGAIN * samples)

    def _under_way(self, walk: Walk, sign: int = 1) -> Walk:
        """Note the trials of a walk as pending, so that other threads look elsewhere; or, with sign -1, as given up. Alone,
        nobody looks before they are known."""
        if self.settings.threads == 1:
            return walk
        for node, turn in walk.path:
            node.bandit.await_(turn.row, sign * walk.trials)
            for choice in turn.choices:
                choice.node.bandit.await_(choice.row, sign * walk.trials)
        return walk

    def _choose_turn(self, node: PositionNode, chance: Chance, last: bool) -> Turn | None:
        """The turn to try: the bandit's choice among those made, or one that is put together now. `last`: the walk ends with
        it, so that one which is known for certain may be tried again where no other is found soon."""
        bandit = node.bandit
        if self.settings.trust and node is self.root:
            total = bandit.visits()
            if chance.lots.random() * (total + LEAD * self.settings.trust) < total:
                row = self._ucb(bandit.rows, bandit.n, bandit.seat, self._leading)
                if row != ALL:
                    return node.turn(row)
        wide = not node.exhausted and self.made < self.settings.turns
        constants = self._turn_constants if wide else self._closed[1]
        row = self._ucb(bandit.rows, bandit.n, bandit.seat, constants)
        made: Turn | None = None
        if row == PHANTOM:
            for _ in range(1 if last else ATTEMPTS):
                made = self._make_turn(node, chance)
                if made is None or not bandit.rows[made.row, CLOSED]:
                    break
            known = made is None or bandit.rows[made.row, CLOSED] > 0.0
            if made is not None and not known and (bandit.visits(made.row) or not self._hopeless(bandit, made.row)):
                return made
            row = self._ucb(bandit.rows, bandit.n, bandit.seat, self._closed[1])
        if row == ALL:  # nothing else is left to try than what was passed over
            row = self._ucb(bandit.rows, bandit.n, bandit.seat, self._unpruned)
        if row != ALL:
            return node.turn(row)
        return made if last else None

    def _make_turn(self, node: PositionNode, chance: Chance) -> Turn | None:
        """Go through the stages. The turn may be one that is known, to be tried again, unless its worth is certain; None:
        there are no others."""
        passed: list[tuple[Candidate, int]] = []
        turn: Turn | None = None
        for attempt in range(PATIENCE):
            chosen: dict[str, Candidate] = {}
            pressed = (
                node.stages[-attempt % len(node.stages)] if attempt else None
            )  # to give something new, the last first
            for stage in node.stages:
                chosen[stage.name] = self._choose_part(node, stage, chosen, chance, stage is pressed)
            before = len(node.turns)
            turn = self._joined(node, chosen)
            node.idle = 0 if len(node.turns) > before else node.idle + 1
            if not node.bandit.rows[turn.row, CLOSED] or node.idle >= PATIENCE:
                break
            weight = self.settings.samples << attempt  # known for certain: make its parts look more and more tried
            for choice in turn.choices:
                choice.node.bandit.await_(choice.row, weight)
                passed.append((choice, weight))
        for choice, weight in passed:
            choice.node.bandit.await_(choice.row, -weight)
        return self._unmade(node, chance, turn) if node.idle >= PATIENCE else turn

    def _choose_part(
        self, node: PositionNode, stage: Stage, chosen: Mapping[str, Candidate], chance: Chance, pressed: bool
    ) -> Candidate:
        """One of a stage's candidates, or one more; `pressed`: one more, if it has any to give."""
        sub = self._stage_node(node, stage, chosen, chance)
        bandit, known, lots = sub.bandit, sub.candidates, chance.lots
        if known and lots.random() < self.settings.mixing and not pressed:
            return known[int(lots.random() * len(known))]
        wide = (bandit.open or bandit.visits() >= sub.asked_again) and not sub.exhausted
        if not (pressed and wide):
            row = self._puct(bandit.rows, bandit.n, bandit.seat, self._stage_constants if wide else self._closed[0])
            if row >= CHILDREN:
                return known[row - CHILDREN]
        new = self._widen(sub, self._best_known(sub), chance)
        if new is not None:
            self._judge_half_made(node, chosen, new)
            if not self._hopeless(bandit, new.row, self._closed[0]):
                return new
        if not sub.candidates:
            raise StageError(
                f"stage {stage.name!r} proposes nothing in {_told(node.position)}; a stage gives at least one part, "
                "if only the empty one"
            )
        return sub.candidate(self._best_known(sub))

    def _hopeless(self, bandit: Bandit, row: int, constants: Constants | None = None) -> bool:
        """Whether a new child is passed over by what is said of it: it stays in the list, without a visit."""
        if self.settings.pruning == 0 or bandit.rows[row, SPREAD] == UNKNOWN:
            return False
        constants = self._closed[1] if constants is None else constants
        return bool(self._bandit["hopeless"](bandit.rows, bandit.n, bandit.seat, constants, row))

    def _best_known(self, sub: StageNode) -> int:
        """The row that its bandit would visit if no more could be asked for; ALL: there is none yet."""
        bandit = sub.bandit
        return int(self._puct(bandit.rows, bandit.n, bandit.seat, self._closed[0]))

    def _widen(self, sub: StageNode, known: int, chance: Chance) -> Candidate | None:
        """One more candidate, or None: then the generator is left in peace until the visits have doubled. While a generator
        works, other threads may walk."""
        s = self.settings
        noise = s.noise
        if known >= CHILDREN:
            noise *= 0.5 + 0.5 / math.sqrt(1.0 + sub.bandit.visits(known) / s.samples)
        if not sub.waiting and not self._asked_elsewhere(sub, known, noise, chance):
            return None
        new = sub.take()
        sub.bandit.open = new is not None
        if new is None:
            sub.asked_again = 2 * sub.bandit.visits() + s.samples
        return new

    def _asked_elsewhere(self, sub: StageNode, known: int, noise: float, chance: Chance) -> bool:
        """Ask a generator for one more part, without the tree's lock; False: another thread is asking it, and there are
        candidates to go on with meanwhile."""
        lock = sub.proposals.lock
        if not lock.acquire(blocking=False):
            if sub.candidates:
                return False
            self._lock.release()
            lock.acquire()
            self._lock.acquire()
        s = self.settings
        self._lock.release()
        try:
            sub.ask(known, (s.fresh, s.fine, s.coarse), noise, chance.lots)
        finally:
            self._lock.acquire()
            lock.release()
        return True

    def _judge_half_made(self, node: PositionNode, chosen: Mapping[str, Candidate], new: Candidate) -> None:
        if type(self.staging).half_made is Staging.half_made:
            return
        parts = {name: choice.part for name, choice in chosen.items()}
        said = self.staging.half_made(node.position, {**parts, new.node.stage.name: new.part})
        if said is not None:
            self._enter_estimate(new.node.bandit, new.row, said, f"stage {new.node.stage.name!r}, part {new.part!r}")

    def _enter_estimate(self, bandit: Bandit, row: int, said: Judgement, what: str) -> None:
        value, spread = float(said.values[bandit.seat]), float(said.spread)
        if not (abs(value) <= 1 + SLACK and spread >= 0):
            raise StageError(f"the estimate of {what} is {value!r} with spread {spread!r}; give payoffs in [-1, 1]")
        bandit.estimate(row, value, spread)

    def _stage_node(
        self, node: PositionNode, stage: Stage, chosen: Mapping[str, Candidate], chance: Chance
    ) -> StageNode:
        where = stage.name, scope_of(stage, chosen)
        known = node.sub.get(where)
        if known is not None:
            return known
        memory = None if stage.memory is None else (stage.name, (stage.memory(node.position), node.seat, where[1]))
        proposals = None if memory is None else self.remembered.get(memory)
        if proposals is None:
            parts = {name: chosen[name].part for name in stage.after}
            own = np.array([chance.lots.getrandbits(63), 0], np.int64)  # a generator with a key of its own
            proposals = Proposals(stage.name, stage.make(Context(node.position, node.seat, parts, own, self.left)))
            if memory is not None:
                if len(self.remembered) >= REMEMBERED:
                    self.remembered.pop(next(iter(self.remembered)))
                self.remembered[memory] = proposals
        node.sub[where] = StageNode(stage, proposals, Bandit(self.staging.players, node.seat))
        return node.sub[where]

    def _joined(self, node: PositionNode, chosen: Mapping[str, Candidate]) -> Turn:
        choices = tuple(chosen[stage.name] for stage in node.stages)
        by = tuple(id(choice) for choice in choices)
        turn = node.turns_by_choice.get(by)
        if turn is None:
            made = self.staging.join(node.position, {name: choice.part for name, choice in chosen.items()})
            prior = math.prod(choice.proposed.prior for choice in choices)
            turn = Turn(choices, made, node.bandit.add(prior))
            said = self.staging.estimate(node.position, made)
            if said is not None:
                self._enter_estimate(node.bandit, turn.row, said, f"turn {self.staging.text(node.position, made)!r}")
            node.turns.append(turn)
            node.turns_by_choice[by] = turn
            self.made += 1
        return turn

    def _unmade(self, node: PositionNode, chance: Chance, known: Turn | None) -> Turn | None:
        """A turn that was not made yet, found by going through all combinations; where there is none, every stage has shown
        all its candidates or has no more to give now, and if it is the first, the node is exhausted. A pass over the
        combinations goes on where the last call left it, so that none takes long: after some steps what is known must do."""
        node.idle = 0
        left = LOOKED
        while True:
            made, steps = node.unfinished or (len(node.turns), self._combinations(node, 0, {}, chance))
            node.unfinished = None  # other threads, which come while a generator works, begin their own
            for chosen in steps:
                new = tuple(id(choice) for choice in chosen.values()) not in node.turns_by_choice
                left -= 1
                if new or left <= 0:
                    node.unfinished = made, steps
                    return self._joined(node, chosen) if new else known
            if made == len(node.turns):
                break
        node.exhausted = all(sub.exhausted for sub in node.sub.values())
        return None

    def _combinations(
        self, node: PositionNode, at: int, chosen: dict[str, Candidate], chance: Chance
    ) -> Iterator[dict[str, Candidate]]:
        if at == len(node.stages):
            yield chosen
            return
        stage = node.stages[at]
        sub = self._stage_node(node, stage, chosen, chance)
        k = 0
        while k < len(sub.candidates) or (
            not sub.exhausted and self._widen(sub, CHILDREN if k else ALL, chance) is not None
        ):
            yield from self._combinations(node, at + 1, {**chosen, stage.name: sub.candidates[k]}, chance)
            k += 1
        if k == 0:
            raise StageError(f"stage {stage.name!r} proposes nothing in {_told(node.position)}; give at least one part")

    def seen_all(self, node: PositionNode) -> bool:
        """Whether every stage has shown all that it ever can and every combination is made; nobody is asked for more."""
        if not node.exhausted and node.turns and all(sub.exhausted for sub in node.sub.values()):
            node.exhausted = self._all_made(node, 0, {})
        return node.exhausted

    def _all_made(self, node: PositionNode, at: int, chosen: dict[str, Candidate]) -> bool:
        if at == len(node.stages):
            return tuple(id(choice) for choice in chosen.values()) in node.turns_by_choice
        stage = node.stages[at]
        sub = node.sub.get((stage.name, scope_of(stage, chosen)))
        return sub is not None and all(
            self._all_made(node, at + 1, {**chosen, stage.name: candidate}) for candidate in sub.candidates
        )

    # -- back up

    def _back_up(self, walk: Walk, tallied: Values) -> None:
        if self._minimax:
            self._back_up_best(walk, tallied)
            return
        credit, n, players = self._bandit["credit"], float(walk.trials), self.staging.players
        certain = self.staging.certain and self.settings.depth == 1
        for node, turn in walk.path:
            mean, squares = float(tallied[node.seat]) / n, float(tallied[players + node.seat])
            credit(node.bandit.rows, turn.row, tallied, n, squares)
            self._credit_parts(turn, tallied, n, mean, squares)
            if certain:
                node.bandit.rows[turn.row, CLOSED] = 1.0
        if self.settings.trust:
            self._note_best_replies(walk)

    def _note_best_replies(self, walk: Walk) -> None:
        """For every turn of the walk what the best reply to it leaves. Once a turn is trusted, known replies teach nothing."""
        for (node, turn), (after, reply) in itertools.pairwise(walk.path):
            bandit = after.bandit
            row = self._bandit["best"](bandit.rows, bandit.n, after.seat)
            node.bandit.rows[turn.row, LEAVES] = bandit.means(row)[node.seat]
            if after is walk.path[-1].node and len(walk.path) == self.settings.depth:
                bandit.rows[reply.row, CLOSED] = float(bandit.visits() > self.settings.trust)

    def _back_up_best(self, walk: Walk, tallied: Values) -> None:
        """From the last turn of the walk to the first: each is worth what the best turn known after it leaves."""
        n, depth = float(walk.trials), self.settings.depth
        values = tallied[: self.staging.players] / n
        for at in range(len(walk.path) - 1, -1, -1):
            node, turn = walk.path[at]
            if at + 1 < len(walk.path):
                after = walk.path[at + 1].node.bandit
                row = self._bandit["best"](after.rows, after.n, after.seat)
                values = after.rows[row, COLUMNS:] / after.rows[row, VISITS]
            elif len(walk.path) == depth or walk.paid is not None:
                node.bandit.rows[turn.row, CLOSED] = 1.0  # nothing more can be learned of it
            self._bandit["enter"](node.bandit.rows, turn.row, values, n, node.seat)
            mean = float(values[node.seat])
            if at + 1 == depth:  # what a turn is worth here stays: its parts are worth what the best turn with them is
                for choice in turn.choices:
                    self._bandit["improve"](choice.node.bandit.rows, choice.row, values.copy(), n, node.seat)
                    if choice.node.learns:
                        choice.node.proposals.generator.learn(choice.part, mean, n)
            else:
                self._credit_parts(turn, values * n, n, mean, mean * mean * n)

    def _credit_parts(self, turn: Turn, sums: Values, n: float, mean: float, squares: float) -> None:
        """Enter trials of a turn into the stages that it is made of."""
        credit = self._bandit["credit"]
        for choice in turn.choices:
            sub = choice.node
            credit(sub.bandit.rows, choice.row, sums, n, squares)
            if sub.learns:
                sub.proposals.generator.learn(choice.part, mean, n)

    # -- results

    def _considered(self, root: PositionNode, done: int, trials: int, seconds: float, watch: Budget) -> Considered:
        tried = self._ranked(root.bandit)[:SHOWN]
        if not tried:  # no time for a single trial: the first turn that the stages make
            with np.errstate(over="ignore"):
                tried = [(root.turns[0] if root.turns else self._made_first(root)).row]
        return Considered(
            tuple(self.judged(root, row) for row in tried),
            root.seat,
            done,
            trials,
            len(root.turns),
            self.seen_all(root),
            seconds,
            not watch.interrupted,
        )

    def _made_first(self, root: PositionNode) -> Turn:
        made = self._make_turn(root, Chance.of(self.seed, self._asked))
        assert made is not None
        return made

    def _ranked(self, bandit: Bandit) -> list[int]:
        """The rows that were tried, the one to play first: by the mean less `caution` standard errors."""
        table = bandit.rows[CHILDREN : bandit.n]
        visits = table[:, VISITS]
        counted = np.maximum(visits, 1.0)
        mean = table[:, COLUMNS + bandit.seat] / counted
        leaves = np.where(table[:, LEAVES] < UNKNOWN, table[:, LEAVES], mean)
        weight = np.where(table[:, CLOSED] > 0.0, 1.0, counted / (counted + self.settings.trust))
        settled = mean + weight * (leaves - mean)  # as `centre` has it
        error = np.sqrt(np.maximum(table[:, SQUARES] / counted - mean * mean, 0.0) / np.maximum(visits - 1.0, 1.0))
        # a few trials that agree by chance prove nothing: theirs is at least what is usual here
        pooled = (bandit.error(ALL) or 0.0) * np.sqrt(max(bandit.visits() - 1, 1) / counted)
        error = np.where(visits < max(4 * self.settings.samples, 2), np.maximum(error, pooled), error)
        error[table[:, CLOSED] > 0.0] = 0.0
        worth, tries = (settled - self.settings.caution * error).tolist(), visits.tolist()
        # worth what the replies seen leave: those that were hardly looked at look better than they are
        most, trust, enough = visits.max(initial=0.0), self.settings.trust, 0.0
        if self._minimax:
            enough = max(SELDOM * most, min(most, 2.0))
        elif 0 < trust < most:
            enough = min(SELDOM * most, trust)
        often = (visits >= enough) | (table[:, CLOSED] > 0.0)
        if self._minimax:
            worth = mean.tolist()
        order = sorted(range(len(worth)), key=lambda k: (often[k], worth[k], tries[k]), reverse=True)
        return [CHILDREN + k for k in order if tries[k]]

    def error(self, bandit: Bandit, row: int) -> float | None:
        """The standard error of a turn; None where it is not known, as where the best reply is backed up and others may come."""
        return None if self._minimax and not bandit.rows[row, CLOSED] else bandit.error(row)

    def worth(self, bandit: Bandit, row: int) -> float | None:
        """What a turn is taken to be worth to the seat that chooses; None before any visit."""
        if not bandit.visits(row):
            return None
        return float(self._bandit["centre"](bandit.rows, row, bandit.seat, 0.0, self.settings.trust))

    def _worths(self, bandit: Bandit, row: int) -> tuple[float, ...]:
        """The same to every seat: what the chooser gains beside the mean of the trials, the others lose."""
        means, worth = bandit.means(row), self.worth(bandit, row)
        if worth is None or len(means) == 1:
            return means
        more = worth - means[bandit.seat]
        return tuple(worth if p == bandit.seat else x - more / (len(means) - 1) for p, x in enumerate(means))

    def judged(self, node: PositionNode, row: int) -> Judged:
        turn = node.turn(row)
        parts = {choice.node.stage.name: choice.part for choice in turn.choices}
        bandit = node.bandit
        return Judged(
            turn.turn,
            parts,
            self._worths(bandit, row),
            self.error(bandit, row),
            bandit.visits(row),
            partial(self.staging.text, node.position, turn.turn),
        )


class _Worker:
    """One thread of a search: walks until the clock, the limit or the user ends it."""

    def __init__(
        self, search: Staged[Any, Any], watch: Budget, limit: int | None, done: list[int], number: int
    ) -> None:
        self.search, self.watch, self.limit, self.done = search, watch, limit, done
        self.chance = Chance.of(search.seed, search._asked * 64 + number)

    def run(self) -> None:
        longest = 0.0
        with np.errstate(over="ignore"):
            while self._goes_on(longest):
                began = time.perf_counter()
                try:
                    walked = self.search.simulate(self.chance)
                except BaseException:
                    self.watch.stop()
                    raise
                if not walked:
                    self.watch.stop()
                    return
                longest = max(time.perf_counter() - began, FADING * longest)

    def _goes_on(self, longest: float) -> bool:
        left = self.watch.left
        if self.watch.stopped or (left is not None and left < longest):
            return False
        with self.search._lock:
            if self.limit is not None and self.done[0] >= self.limit:
                return False
            self.done[0] += 1
        return True
