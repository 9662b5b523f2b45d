"""Search by stages: whole turns put together from proposed parts, judged, and refined from the best so far.

One simulation walks from the root. At each position a bandit chooses among the turns made so far and a phantom that stands for
those not made yet. Where the phantom wins, a turn is made: the stages are gone through in order of their dependencies. Each
chooses among its candidates by its own bandit, or asks its generator for one more. Then the parts are joined. The last turn of
the walk is tried by sampling, and the payoffs go into every turn of the walk and into every stage that took part. A turn with
chance inside is drawn anew at every visit; what is hidden is guessed anew.

The walk is compiled (`core`); this module begins and ends searches, and answers what the core asks of a staging in Python.

Use it where a move is a turn of many dependent parts. It is as good as its proposals and its judge; the page
docs/search/staged.md says why it finds the best turn in the end, and where it fails. The ideas: progressive widening (Coulom
2007), combinatorial bandits over parts (Ontanon 2013), PUCT (Silver et al. 2017).
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from stratagem.contract.player import StageSeen
from stratagem.errors import OptionError, UnsuitableSearch
from stratagem.rng import mix, word
from stratagem.search.budget import Budget, collect_when_due, uncollected
from stratagem.search.staged import cell, pool, records, scan, tables
from stratagem.search.staged.backup import BACKUPS
from stratagem.search.staged.bandit import SLACK, centre
from stratagem.search.staged.kernels import KernelStaging
from stratagem.search.staged.nodes import Bandit, KernelStageNodes, PositionNode, Proposals, StageNode
from stratagem.search.staged.records import Tree, Walker
from stratagem.search.staged.report import Report, report_on, seen_by_stages
from stratagem.search.staged.settings import BEST, MEAN, Settings, terms_of
from stratagem.search.staged.stage import Context, Judgement, Stage, StageError, Staging, in_words, ordered
from stratagem.search.staged.templates import NO_GROUND, compiled, ready, shared_names
from stratagem.search.staged.worker import Worker

P = TypeVar("P")
T = TypeVar("T")

SELDOM = 0.25  # of the visits of the turn tried most often: one tried less is not played where the best is backed up
SHOWN = 16  # turns that a search tells about
REMEMBERED = 4096  # generators kept for positions that share their proposals
EVER = 1 << 62  # walks where time alone decides


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
        """The best turn that was found."""
        return self.turns[0]

    def listed(self, most: int) -> list[Judged]:
        """Return the turns for people, the best first. Of turns with the same text only the best is kept.

        Args:
            most: the greatest number of turns.
        """
        found: dict[str, Judged] = {}
        for judged in self.turns:
            if len(found) >= most:
                break
            found.setdefault(judged.text, judged)
        return list(found.values())


class Staged(Generic[P, T]):
    """A search by stages. It keeps its tree from call to call, so it must not be shared between callers.

    Args:
        staging: the game as the search sees it.
        settings: the parameters of the search; the defaults if not given.
        seed: the seed of all random draws.
        target: `"cpu"` for compiled code, `"python"` for the interpreter.
    """

    def __init__(
        self, staging: Staging[P, T], settings: Settings | None = None, *, seed: int = 0, target: str = "cpu"
    ) -> None:
        collect_when_due()  # a search before this one may have left its tree
        self.staging, self.settings, self.seed = staging, settings or Settings(), seed
        s = self.settings
        self._minimax = s.backup == BEST
        if (self._minimax or s.trust) and not staging.certain:
            raise OptionError(
                f"backup {BEST!r}, and trust in the best reply, need turns whose worth is certain, and "
                f"{type(staging).__name__} has chance or secrets; use {MEAN!r} and trust 0"
            )
        self.nodes: dict[Hashable, PositionNode] = {}  # by key
        self.places: dict[int, PositionNode] = {}  # by number, and so on
        self.stage_nodes: dict[int, StageNode] = {}
        self.sources: dict[int, Proposals] = {}
        self.remembered: dict[tuple[str, Hashable], int] = {}
        self.root: PositionNode | None = None
        self._given: Sequence[Stage] | None = None  # the stages that were given last, in order, and their plan
        self._stages: tuple[Stage, ...] = ()
        self._plan = 0
        self._plans: dict[tuple[tuple[int, ...], ...], int] = {}
        self._most = 0  # stages of a turn that there is room for
        self._tree: Tree | None = None
        self._asked = 0
        self._streams = 0  # seed of the chance that turns of this call are tried with
        self._watch: Budget | None = None  # of the search under way, or of the last one
        self._workers: list[Worker] = []
        self._lock = threading.Lock()
        self._sizes, self.ground = records.NO_SIZES, NO_GROUND
        self._here = isinstance(staging, KernelStaging)  # whether the core asks nobody
        if isinstance(staging, KernelStaging):
            self.ground = staging.ground
            self._sizes = records.Sizes(staging.part_words, staging.memory_words, staging.cells, s.threads > 1)
            names = {**BACKUPS[s.backup], **staging.names, **shared_names(s.threads, target)}
            self._core = ready(names, target, type(staging).__name__, self._sizes)
            self.stage_nodes = KernelStageNodes(self)
        else:
            self._core = compiled(s.backup, target)
        self._simulate = self._core["simulate"]
        halves = "half_made" in staging.given_methods
        if isinstance(staging, KernelStaging):
            halves = "estimate" in staging.kernels
        self.terms = terms_of(s, certain=staging.certain, halves=halves)

    @property
    def tree(self) -> Tree:
        """The arrays of the tree."""
        assert self._tree is not None
        return self._tree

    @property
    def made(self) -> int:
        """Turns in the tree."""
        return 0 if self._tree is None else int(self._tree.counts[cell.MADE])

    # -- one choice

    def consider(
        self,
        position: P,
        *,
        seconds: float | None = None,
        simulations: int | None = None,
        tick: Callable[[Considered], None] | None = None,
    ) -> Considered:
        """Think about the turn that begins in a position.

        Args:
            position: the position, in the form that the staging uses.
            seconds: how long to think.
            simulations: how many simulations to make, in place of a time or at most.
            tick: called now and then with what is known so far.

        Returns:
            The turns that were tried, the best first.
        """
        began = time.perf_counter()
        watch = self._watch = Budget(seconds)
        limit = (
            simulations if simulations is not None else EVER if watch.seconds is not None else self.settings.simulations
        )
        self._asked += 1
        with self._lock, np.errstate(over="ignore"):
            self._streams = int(mix(word(self.seed * 1_000_003 + self._asked)))
            self._begin(position)
            self._workers = [Worker(self, watch, k) for k in range(self.settings.threads)]
        collect_when_due(seconds)
        root = self.root
        assert root is not None
        counts, workers, trials = self.tree.counts, self._workers, root.bandit.visits()
        counts[cell.WALKS], counts[cell.LIMIT] = 0, limit
        if tick is not None:
            watch.tick = lambda: tick(self._so_far(root, trials, began, watch)) if counts[cell.WALKS] > 1 else None
        # one collection of all that a process holds may take longer than a turn
        with contextlib.nullcontext() if watch.seconds is None else uncollected():
            others = [watch.start(worker.run) for worker in workers[1:]]
            try:
                watch.run(workers[0].run)
            finally:
                if others and limit == EVER:
                    watch.stop()
                for other in others:
                    other.result()
        return self._so_far(root, trials, began, watch)

    def walk(self) -> bool:
        """Make one more walk from the root of the last search, and return whether there was anything left to try.

        Raises:
            OptionError: nothing was considered yet.
        """
        if self.root is None:
            raise OptionError("nothing was considered yet, so there is nothing to walk in")
        counts = self.tree.counts
        before = counts[cell.LIMIT] = counts[cell.WALKS]
        counts[cell.LIMIT] += 1
        self._workers[0].watch = Budget()
        self._workers[0].run()
        return bool(counts[cell.WALKS] > before)

    def left(self) -> float | None:
        """Return how many seconds the search under way has left; None where there is no clock."""
        return None if self._watch is None else self._watch.left

    def stop(self) -> None:
        """End the search that is under way, if there is one. It returns what it has. Any thread may call this."""
        if self._watch is not None:
            self._watch.stop()

    def _so_far(self, root: PositionNode, trials: int, began: float, watch: Budget) -> Considered:
        with self._lock, np.errstate(over="ignore"):
            return self._considered(root, root.bandit.visits() - trials, time.perf_counter() - began, watch)

    def report(self) -> Report:
        """The tree as it stands."""
        with self._lock, np.errstate(over="ignore"):
            if self.root is None:
                raise OptionError("nothing was considered yet, so there is nothing to report")
            return report_on(self, self.root)

    def proposals(self, most: int = 3) -> tuple[StageSeen, ...]:
        """What the stages of the best turn so far proposed, each in the context of that turn."""
        with self._lock:
            ranked = self._ranked(self.root.bandit) if self.root is not None else []
            return seen_by_stages(self, self.root, ranked[0], most) if self.root is not None and ranked else ()

    # -- the tree

    def _begin(self, position: P) -> None:
        """Make the position's node the root, with what is known of it; what cannot be reached from it is forgotten."""
        key = self.staging.key(position)
        known = self.nodes.get(key) if self.settings.reuse and key is not None else None
        self._keep(known)
        self.root = self._node(position, key) if known is None else known
        if self.root is None:
            raise StageError(
                f"a tree of {self.settings.turns} turns has no room for {in_words(position)}; give more turns"
            )
        self.tree.counts[cell.ROOT] = self.root.k

    def _keep(self, root: PositionNode | None) -> None:
        """Forget all that cannot be reached from a position."""
        if self._tree is None:
            return
        if root is None and not self.remembered:
            self.nodes, self.places, self.sources = {}, {}, {}
            self.stage_nodes.clear()
            self._tree, self.root, self._given, self._plans = None, None, None, {}
            return
        tree = self._tree = records.unlisted(self._tree)
        positions, sources = int(tree.counts[cell.POSITIONS_END]), int(tree.counts[cell.SOURCES_END])
        keep, queue, gone = (np.zeros(n, np.int64) for n in (positions, positions, sources))
        lost = self._core["prune"](tree, self.terms, cell.NONE if root is None else root.k, keep, queue, gone)
        for source in gone[:lost].tolist():
            self.sources.pop(source, None)  # those of kernels are not here
        for k in [k for k in self.places if not keep[k]]:
            place = self.places.pop(k)
            for sub in place.sub.values():
                del self.stage_nodes[sub.k]
        self.nodes = {place.key: place for place in self.places.values() if place.key is not None}
        self.root = None
        while self.remembered and not pool.half_free(tree):
            self._let_go()

    def _node(self, position: P, key: Hashable | None) -> PositionNode | None:
        """The node of a position that is new; None: the tree is full."""
        seat = self.staging.mover(position)
        if not 0 <= seat < self.staging.players:
            raise UnsuitableSearch(
                f"search by stages thinks for one player at a time, and in {in_words(position)} `mover` gives {seat}; where all "
                "decide at once use mcts"
            )
        given = self.staging.stages(position)
        if given is not self._given:  # a game whose turns all have the same stages may give the same list
            self._given, self._stages = given, ordered(given)
            self._plan = self._plan_of(self._stages)
        elif self._tree is None:
            self._plan = self._plan_of(self._stages)
        if not pool.room(self.tree, len(self._stages)) and self.places:
            return None
        k = int(self._core["new_position"](self.tree, seat, self._plan))
        node = self.places[k] = PositionNode(self, k, position, key, seat, self._stages)
        if self._here:
            self.tree.states[k] = np.asarray(position)
        if key is not None:
            self.nodes[key] = node
        return node

    def _plan_of(self, stages: tuple[Stage, ...]) -> int:
        """Where the tree has the list of stages, and of those that each comes after."""
        if self._tree is None:
            self._most = len(stages)
            try:
                self._tree = records.plant(self.settings.turns, self.staging.players, self._most, self._sizes)
            except (OSError, MemoryError, OverflowError) as error:
                raise OptionError(f"there is no memory for {self.settings.turns:,} turns; give fewer") from error
            self._plans = {}
        if len(stages) > self._most:
            self._most = len(stages)
            self._tree = records.broader(self._tree, self._most)
            self._core["rehash"](self._tree)
            for worker in self._workers:
                worker.make_room(self._most)
        names = [stage.name for stage in stages]
        after = tuple(tuple(names.index(name) for name in stage.after) for stage in stages)
        if after not in self._plans:
            counts, plans = self._tree.counts, self._tree.plans
            begin = int(counts[cell.PLANS_END])
            lists = begin + 1 + len(stages)
            end = lists + sum(1 + len(of) for of in after)
            if end > len(plans):
                raise StageError(f"positions have more than {len(self._plans)} kinds of turns; give fewer")
            plans[begin] = len(stages)
            for i, of in enumerate(after):
                plans[begin + 1 + i] = lists
                plans[lists : lists + 1 + len(of)] = len(of), *of
                lists += 1 + len(of)
            counts[cell.PLANS_END] = end
            self._plans[after] = begin
        return self._plans[after]

    def step(self, worker: Worker) -> int:
        """Let a worker walk until it ends or asks for something; with the lock."""
        return int(self._simulate(self.ground, self._tree, worker.walker, self.terms, worker.watch.flag))

    def enlarge(self, worker: Worker) -> None:
        """Make room in the tables, if no other thread has; a walk begins only where there is."""
        with self._lock:
            if records.crowded(self.tree):
                self._tree = records.unlisted(self.tree)
                self._core["rehash"](self._tree)

    def parts_of(self, choices: Sequence[int]) -> dict[str, Any]:
        """Parts by the names of their stages."""
        found = {}
        for choice in choices:
            node = self.stage_nodes[choice >> cell.ROW_BITS]
            found[node.stage.name] = node.proposals.parts[(choice & cell.ROW_MASK) - cell.CHILDREN]
        return found

    def enter_stage(self, worker: Worker) -> None:
        """Find the node of a stage in its context, or make it. Generators are made while other threads walk."""
        at, walker = worker.walker.at, worker.walker
        place, i = self.places[int(at[cell.PLACE])], int(at[cell.STAGE_AT])
        stage = place.stages[i]
        before = [other.name for other in place.stages[:i]]
        choices = [int(walker.chosen[before.index(name)]) for name in stage.after]
        parts = self.parts_of(choices)
        scope: Hashable = tuple(choices) if stage.scope is None or not stage.after else stage.scope(parts)
        memory = None if stage.memory is None else (stage.name, (stage.memory(place.position), place.seat, scope))
        with self._lock:
            if self._entered(worker, place, i, (stage.name, scope), memory):
                return
        own = np.array([worker.seeds.getrandbits(63), 0], np.int64)  # a generator with a key of its own
        proposals = Proposals(stage.name, stage.make(Context(place.position, place.seat, parts, own, self.left)))
        with self._lock:
            if not self._entered(worker, place, i, (stage.name, scope), memory):
                self._open(worker, place, i, (stage.name, scope), proposals, cell.NONE)
                if memory is not None:
                    self._remember(memory, place.sub[stage.name, scope].source)

    def _entered(self, worker: Worker, place: PositionNode, i: int, where: tuple[str, Hashable], memory: Any) -> bool:
        """Note the node of a stage where there is one, or a source for it."""
        known = place.sub.get(where)
        if known is not None:
            self._core["open_node"](self.tree, worker.walker, place.k, i, known.source, known.k)
            return True
        source = None if memory is None else self.remembered.get(memory)
        if source is not None:
            self._open(worker, place, i, where, self.sources[source], source)
        return source is not None

    def _open(
        self, worker: Worker, place: PositionNode, i: int, where: tuple[str, Hashable], made: Proposals, source: int
    ) -> None:
        tree, new = self.tree, source == cell.NONE
        k = int(self._core["open_node"](tree, worker.walker, place.k, i, source, cell.NONE))
        if k == cell.NONE:
            raise StageError(f"a tree of {self.settings.turns} turns is full; give more turns")
        node = place.sub[where] = self.stage_nodes[k] = StageNode(
            self, k, int(tree.nodes[k, cell.SOURCE]), place.stages[i], made, place.seat
        )
        if new:
            self.sources[node.source] = made
            own, given = tree.sources[node.source], made.generator.given_methods
            own[cell.CAN_REFINE], own[cell.CAN_PERTURB] = "finer" in given, "coarser" in given
            own[cell.LEARNS] = "learn" in given
            own[cell.DRY] = made.generator.exhausted

    def _remember(self, memory: tuple[str, Hashable], source: int) -> None:
        """Keep a source for other positions, and the one that was kept longest no more."""
        sources = self.tree.sources
        if len(self.remembered) >= min(REMEMBERED, len(sources) // 2):
            self._let_go()
        self.remembered[memory] = source
        sources[source, cell.USERS] += 1

    def _let_go(self) -> None:
        """Keep the source that was kept longest no more, except for the positions that use it."""
        sources, oldest = self.tree.sources, self.remembered.pop(next(iter(self.remembered)))
        sources[oldest, cell.USERS] -= 1
        if not sources[oldest, cell.USERS]:
            pool.free_cell(self.tree, sources, oldest, cell.FREE_SOURCES)
            del self.sources[oldest]

    def forget(self, place: PositionNode) -> None:
        """Give up a position that nothing leads to."""
        gone = np.zeros(len(place.under), np.int64)
        lost = pool.forget(self.tree, place.k, gone, 0)
        for source in gone[:lost].tolist():
            self.sources.pop(source, None)
        for sub in place.sub.values():
            del self.stage_nodes[sub.k]
        del self.places[place.k]

    def estimate(self, walker: Walker, seat: int, said: Judgement | None, what: str) -> None:
        """Tell the core what is thought of a turn before it is tried."""
        if said is None:
            walker.said[cell.SAID_SPREAD] = cell.UNKNOWN
            return
        value, spread = float(said.values[seat]), float(said.spread)
        if not (abs(value) <= 1 + SLACK and spread >= 0):
            raise StageError(f"the estimate of {what} is {value!r} with spread {spread!r}; give payoffs in [-1, 1]")
        walker.said[cell.SAID_VALUE], walker.said[cell.SAID_SPREAD] = value, spread

    def seen_all(self, node: PositionNode) -> bool:
        """Whether every stage has shown all that it ever can and every combination is made; nobody is asked for more."""
        tree = self.tree
        if not node.exhausted and node.bandit.n > cell.CHILDREN and scan.all_used_up(tree, node.k):
            chosen = np.zeros(len(node.stages), np.int64)
            tree.positions[node.k, cell.EXHAUSTED] = self._all_made(node.k, chosen, 0)
        return node.exhausted

    def _all_made(self, p: int, chosen: Any, stage: int) -> bool:
        if stage == len(chosen):
            return tables.turn_of(self.tree, p, chosen) != cell.NONE
        node = tables.node_in(self.tree, p, stage, chosen)
        for row in range(cell.CHILDREN, 0 if node == cell.NONE else self.tree.nodes[node, cell.USED]):
            chosen[stage] = (node << cell.ROW_BITS) | row
            if not self._all_made(p, chosen, stage + 1):
                return False
        return bool(node != cell.NONE)

    # -- results

    def _considered(self, root: PositionNode, trials: int, seconds: float, watch: Budget) -> Considered:
        tried = self._ranked(root.bandit)[:SHOWN]
        if not tried:  # no time for a single trial: the first turn that the stages make
            with np.errstate(over="ignore"):
                tried = [root.turns[0].row if root.turns else self._made_first()]
        return Considered(
            tuple(self.judged(root, row) for row in tried),
            root.seat,
            int(self.tree.counts[cell.WALKS]),
            trials,
            root.bandit.n - cell.CHILDREN,
            self.seen_all(root),
            seconds,
            not watch.interrupted,
        )

    def _made_first(self) -> int:
        """The row of a turn that is made, and not tried."""
        worker, counts = self._workers[0], self.tree.counts
        counts[cell.LIMIT] = counts[cell.WALKS] + 1
        worker.watch = Budget()
        self._lock.release()
        try:
            worker.run(tries=False)
        finally:
            self._lock.acquire()
            counts[cell.WALKS] -= 1
        return int(worker.walker.path[0, 1])

    def _ranked(self, bandit: Bandit) -> list[int]:
        """The rows that were tried, the one to play first: by the mean less `caution` standard errors."""
        table = bandit.rows[cell.CHILDREN : bandit.n]
        visits = table[:, cell.VISITS]
        counted = np.maximum(visits, 1.0)
        mean = table[:, cell.COLUMNS + bandit.seat] / counted
        leaves = np.where(table[:, cell.LEAVES] < cell.UNKNOWN, table[:, cell.LEAVES], mean)
        weight = np.where(table[:, cell.CLOSED] > 0.0, 1.0, counted / (counted + self.settings.trust))
        settled = mean + weight * (leaves - mean)  # as `centre` has it
        error = np.sqrt(np.maximum(table[:, cell.SQUARES] / counted - mean * mean, 0.0) / np.maximum(visits - 1.0, 1.0))
        # a few trials that agree by chance prove nothing: theirs is at least what is usual here
        pooled = (bandit.error(cell.ALL) or 0.0) * np.sqrt(max(bandit.visits() - 1, 1) / counted)
        error = np.where(visits < max(4 * self.settings.samples, 2), np.maximum(error, pooled), error)
        error[table[:, cell.CLOSED] > 0.0] = 0.0
        worth, tries = (settled - self.settings.caution * error).tolist(), visits.tolist()
        # worth what the replies seen leave: those that were hardly looked at look better than they are
        most, trust, enough = visits.max(initial=0.0), self.settings.trust, 0.0
        if self._minimax:
            enough = max(SELDOM * most, min(most, 2.0))
        elif 0 < trust < most:
            enough = min(SELDOM * most, trust)
        often = (visits >= enough) | (table[:, cell.CLOSED] > 0.0)
        if self._minimax:
            worth = mean.tolist()
        order = sorted(range(len(worth)), key=lambda k: (often[k], worth[k], tries[k]), reverse=True)
        return [cell.CHILDREN + k for k in order if tries[k]]

    def error(self, bandit: Bandit, row: int) -> float | None:
        """The standard error of a turn; None where it is not known, as where the best reply is backed up and others may come."""
        return None if self._minimax and not bandit.rows[row, cell.CLOSED] else bandit.error(row)

    def worth(self, bandit: Bandit, row: int) -> float | None:
        """What a turn is taken to be worth to the seat that chooses; None before any visit."""
        if not bandit.visits(row):
            return None
        return float(centre(bandit.rows, row, bandit.seat, 0.0, self.settings.trust))

    def _worths(self, bandit: Bandit, row: int) -> tuple[float, ...]:
        """The same to every seat: what the chooser gains beside the mean of the trials, the others lose."""
        means, worth = bandit.means(row), self.worth(bandit, row)
        if worth is None or len(means) == 1:
            return means
        more = worth - means[bandit.seat]
        return tuple(worth if p == bandit.seat else x - more / (len(means) - 1) for p, x in enumerate(means))

    def judged(self, node: PositionNode, row: int) -> Judged:
        turn = node.turn(row)
        parts = turn.parts
        bandit = node.bandit
        return Judged(
            turn.turn,
            parts,
            self._worths(bandit, row),
            self.error(bandit, row),
            bandit.visits(row),
            partial(self.staging.text, node.position, turn.turn),
        )
