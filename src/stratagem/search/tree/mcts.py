"""Monte-Carlo tree search for any number of players who decide one after another, with or without chance.

Each simulation walks down the tree by UCT (Kocsis and Szepesvari 2006) or PUCT (Silver et al. 2017), adds what it can,
judges the leaf by a playout, a kernel or a network, and backs the payoffs up; proven results are propagated exactly
(MCTS-solver: Winands, Bjornsson, Saito 2008). Use it where evaluation is hard and moves are many; use alpha-beta where a
tactical result matters, and `infosets` where players decide at once or something is hidden.

The tree is flat arrays. The children of a node lie together, so that a selection reads one or two cache lines; a node
expands at its second visit; logarithms and roots of small counts come from tables; the way down is a path array. A value
in a node is for the player who moved into it, so that selection compares neighbours without a sign.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame, ArrayPosition, Position
from stratagem.contract.player import Choice, Clock, Line, Report
from stratagem.errors import GameOver, IllegalMove, OptionError, StratagemError, UnsuitableSearch
from stratagem.kernel import CHANCE
from stratagem.rng import generator
from stratagem.search.running import StopFlag, Stopwatch, check_threads
from stratagem.search.sampling.montecarlo import deciding_seat
from stratagem.search.sampling.playouts import (
    ENDLESS,
    UNSOUND,
    cap_of,
    check_kernels,
    complaint,
    has_chance,
    number,
    of_game,
    playout_names,
    whole,
)
from stratagem.search.tree.templates import (
    ARM,
    BAD_PRIOR,
    FIRST,
    FLAG_BITS,
    INLINED,
    KIND,
    MOST_NODES,
    MOVE,
    NEXT,
    NO_NODE,
    NODE,
    PARCEL,
    PATH,
    PROVEN,
    QUICK,
    ROOT,
    SAMPLES,
    SLOTS,
    SPREAD,
    SQUARES,
    SUM,
    TOTAL,
    UNTRIED,
    VISITS,
    Firsts,
    Floats,
    Quick,
    Words,
    absorb,
    copy_subtree,
    gather,
    simulate,
)

TASTE = 32  # simulations that tell what one costs
MOMENT = 0.02  # seconds that a keyboard may wait
WEIGHTS = "gave NaN, an infinity or a negative number: it must give weights of at least 0"

Network = Callable[[Words, Words, Words, Words], tuple[Any, Any]]


class Tree:
    """The arrays of one tree: 48 bytes a node, 8 more with proofs, 8 more with priors; pages are touched when used."""

    def __init__(self, size: int, *, proofs: bool, priors: bool) -> None:
        self.size = size
        self.stats = np.zeros((size, 2))
        self.quick = np.zeros((size, QUICK), np.float32)
        self.firsts = self.quick.view(np.int32)
        self.nodes = np.zeros((size, 2), np.int64)
        self.exact = np.zeros(size if proofs else 1)
        self.priors = np.zeros(size if priors else 1)

    @property
    def arrays(self) -> tuple[Floats, Quick, Firsts, Words, Floats, Floats]:
        """What the templates work on: every array flat."""
        flat = self.stats.reshape(-1), self.quick.reshape(-1), self.firsts.reshape(-1), self.nodes.reshape(-1)
        return *flat, self.exact, self.priors

    def clear(self) -> None:
        self.stats[ROOT] = 0.0
        self.quick[ROOT] = 0.0
        self.nodes[ROOT] = 0

    def children(self, node: int) -> range:
        first = int(self.firsts[node, FIRST])
        return range(first, first + (int(self.nodes[node, KIND]) >> FLAG_BITS)) if first else range(0)

    def proven(self, node: int) -> float | None:
        """The exact value to seat 0, where there is a proof."""
        return float(self.exact[node]) if int(self.nodes[node, KIND]) & PROVEN else None

    @property
    def bytes_per_node(self) -> float:
        arrays = self.stats, self.quick, self.nodes, self.exact, self.priors
        return sum(a.nbytes for a in arrays if len(a) >= self.size) / self.size


class Worker:
    """What one thread works with: its range of the pool, a generator, and scratch space."""

    def __init__(self, game: ArrayGame, seed: int, stream: int) -> None:
        self.rng = generator(seed, stream)
        self.s = game.blank()
        self.path = np.zeros(PATH, np.int64)
        self.turns = np.zeros(PATH, np.int64)
        self.parcels = np.zeros(PARCEL * SLOTS)
        self.listed = np.zeros(max(game.max_moves, 1), np.int64)
        self.joint = np.zeros(game.players, np.int64)
        self.out = np.zeros(game.players)
        self.pool = np.zeros(2, np.int64)
        self.first = 0
        self.arms = np.zeros((1, ARM))
        self.sums = np.zeros(game.players)

    def begin(self, arms: int, first: int, end: int) -> None:
        self.first = first
        self.pool[:] = first, end
        self.parcels[NODE::PARCEL] = NO_NODE
        self.arms = np.zeros((arms + 1, ARM))
        self.sums[:] = 0.0


class Leaves:
    """The leaves that wait for a network's answer, a row each."""

    def __init__(self, game: ArrayGame, batch: int) -> None:
        self.states = np.zeros((batch, game.size + game.scratch), np.int64)
        self.paths = np.zeros((batch, PATH), np.int64)
        self.turns = np.zeros((batch, PATH), np.int64)
        self.depths = np.zeros(batch, np.int64)
        self.lists = np.zeros((batch, game.max_moves), np.int64)
        self.counts = np.zeros(batch, np.int64)
        self.number = np.zeros(1, np.int64)  # how many wait


@dataclass(frozen=True)
class Arm:
    """A root move as a search has judged it."""

    move: int
    visits: int
    value: float  # the mean, or the exact value, for the seat that decides
    error: float | None  # standard error of the mean; 0 where proven; None below two samples
    proven: bool
    line: tuple[int, ...]  # the principal variation


class MCTS:
    """Monte-Carlo tree search for one game; keeps its tree between calls. Not to be shared between threads."""

    def __init__(
        self,
        game: ArrayGame,
        *,
        exploration: float = 1.4,  # weight of the bonus, in units of half the range of payoffs; above 0
        simulations: int | None = None,  # budget where the call gives none; None: by the clock alone
        pool: int = 1 << 22,  # nodes; when they are used up, the tree stops growing and goes on learning
        solve: bool = True,  # keep proofs, where two players' payoffs add up to nothing
        reuse: bool = True,  # begin with what the last search knew about the position
        threads: int = 1,
        parallel: str = "root",  # threads grow a tree each, or share one "tree" with virtual losses
        strategy: Any = None,  # playout strategy: a kernel like sample(g, s, p, r); None: the game's sample
        playout_depth: int | None = None,  # plies after which a playout is judged by the value kernel; None: to the end
        evaluate: Any = None,  # a kernel value(g, s, out) in place of the game's; implies playout_depth=0 if not given
        prior: Any = None,  # a kernel prior(g, s, p, m) -> weight: PUCT in place of UCT
        network: Network | None = None,  # (states, movers, moves, counts) -> (priors, values), in batches: PUCT
        batch: int = 32,  # leaves that a network is asked about at once
        playout_cap: int | None = None,  # plies after which a playout counts as endless
        open_hands: bool = False,  # take a position of a game with secrets as it is, as if all were seen
        seed: int = 0,
        target: str = "cpu",
    ) -> None:
        refuse_unsuitable(game, open_hands)
        self.game = game
        self.simulations = None if simulations is None else check_simulations(simulations)
        exploration, threads = number("exploration", exploration), whole("threads", threads)
        pool, batch = whole("pool", pool), whole("batch", batch)
        if not (np.isfinite(exploration) and exploration > 0):
            raise OptionError(f"an exploration of {exploration!r} makes no search; give a number above 0, 1.4 is usual")
        check_threads(threads)
        if parallel not in ("tree", "root"):
            raise OptionError(f"threads cannot be parallel by {parallel!r}; it is tree or root")
        if pool < 2:
            raise OptionError(f"a pool of {pool} nodes holds no tree; give 2 or more")
        if pool > MOST_NODES:
            raise OptionError(f"a pool of {pool} nodes is more than a tree can number; give at most {MOST_NODES}")
        if batch < 1:
            raise OptionError(f"a batch of {batch} leaves asks a network nothing; give 1 or more")
        if network is not None and (threads > 1 or prior is not None or evaluate is not None or strategy is not None):
            raise OptionError("a network gives priors and values: no threads, prior, evaluate or strategy beside it")
        if evaluate is not None and playout_depth is None:
            playout_depth = 0
        low, high = game.payoff_range
        self.exploration = exploration * (high - low) / 2
        self.pool, self.reuse, self.threads, self.parallel = pool, reuse, threads, parallel
        self.network, self.batch, self.seed = network, batch, seed
        self.solve = solve and game.players == 2 and game.zero_sum
        self.cut = whole("playout_depth", playout_depth or 0)
        self.cap = cap_of(game, playout_cap)
        names = playout_names(game, strategy=strategy, depth=playout_depth, evaluate=evaluate)
        self.priors = prior is not None or network is not None
        shared = threads > 1 and parallel == "tree"
        names |= {
            "USE_PRIORS": self.priors, "PRIOR_KERNEL": prior is not None, "SOLVE": self.solve, "SHARED": shared,
        }  # fmt: skip
        if prior is not None:
            names["prior"] = of_game(game, prior)
        if not game.gives("odds"):
            names["odds"] = no_odds
        if shared and target == "cpu":
            from stratagem.compile.intrinsics import atomic_add, atomic_link

            names |= {"link": atomic_link, "add": atomic_add}
        if network is None:
            self._simulate = specialise(
                simulate, names, target=target, label=f"{game.name} mcts", lean=True, inline=INLINED
            )
        else:
            self._gather = specialise(gather, names, target=target, label=f"{game.name} mcts, leaves", lean=True)
            self._absorb = specialise(absorb, names, target=target, label=f"{game.name} mcts, networks", lean=True)
            self._leaves = Leaves(game, batch)
        self._names, self._target = names, target
        self._copy: Callable[..., Any] | None = None
        self.trees = [self._tree() for _ in range(threads if parallel == "root" else 1)]
        self._spare: Tree | None = None
        self.workers = [Worker(game, seed, stream) for stream in range(threads)]
        self.root: ArrayPosition | None = None
        self._kept = 0  # nodes that were there when the last search began
        self._warm = False

    def _tree(self) -> Tree:
        try:
            return Tree(self.pool, proofs=self.solve, priors=self.priors)
        except MemoryError:
            raise OptionError(f"a pool of {self.pool} nodes does not fit into memory; give fewer") from None

    def clear(self) -> None:
        """Forget the tree, and start the generators anew: the next search depends on the seed alone."""
        self.root = None
        for stream, worker in enumerate(self.workers):
            worker.rng[:] = generator(self.seed, stream)

    # -- searching

    def search(
        self, position: Position, clock: Clock | None = None, *, simulations: int | None = None,
        report: Callable[[], None] | None = None,
    ) -> tuple[int, Stopwatch]:  # fmt: skip
        """Grow the tree below a position; returns the simulations done, and the watch. `arms` and `value` read it."""
        clock = clock or Clock(None)
        simulations = self.simulations if simulations is None else check_simulations(simulations)
        if simulations is None and clock.seconds is None:
            raise OptionError("a search needs a budget: give simulations, or a clock with seconds")
        watch = Stopwatch(clock.seconds)
        root = self._begin(position, watch)
        self._warm_up(root, watch)
        at_most = 1 << 62 if simulations is None else simulations
        # with any clock, also zero, every root move is tried once
        at_least = min(max(len(tree.children(ROOT)) for tree in self.trees), at_most)
        done, slice_size = 0, 1 << 62 if report is None else 64
        if watch.seconds == 0:
            watch.flag[0] = 1
        while done < at_most and (done < at_least or not watch.stopped):
            now = min(at_most - done, slice_size)
            began = watch.elapsed
            self.root = None  # what an error leaves behind is not to be gone on with
            new = self._run(root, min(max(at_least - done, 0), now), now, watch)
            self.root = root
            done += new
            if report is not None:
                report()
                slice_size = min(max(2 * slice_size, 64), max(int(0.25 * new / max(watch.elapsed - began, 1e-6)), 64))
            if new < now or (watch.left is not None and watch.left <= 0 and done >= at_least):
                break
        return done, watch

    def _warm_up(self, root: ArrayPosition, watch: Stopwatch) -> None:
        """Compile, off the clock."""
        if self._warm:
            return
        began = watch.elapsed
        if self.network is None:
            self._simulate(*self._arguments(root, 0, 0, 0, np.zeros(1, np.int64)))
        else:
            self._gather(*self._gathering(root, 0, 0))
            self._absorb(*self._absorbing(np.zeros((0, self.game.max_moves)), np.zeros((0, self.game.players)), 0))
        self._warm = True
        watch.began += watch.elapsed - began

    def _begin(self, position: Position, watch: Stopwatch | None = None) -> ArrayPosition:
        """Put the position at the root, with what is known below it, and its moves there."""
        game = self.game
        if position.game != game or not isinstance(position, ArrayPosition):
            raise StratagemError(f"this search is for {game!r}, and the position is of {position.game!r}")
        if position.over:
            raise GameOver(
                f"the game is over in {str(position)!r} ({game.outcome(position)}): there is no move to choose"
            )
        down = self._way_down(position)
        self.root = None
        numbers = position.move_numbers()
        n = len(numbers)
        if self.pool < n + 1:
            raise OptionError(f"a pool of {self.pool} nodes cannot hold the {n} moves here; give {n + 1} or more")
        self._kept = 0
        for k, tree in enumerate(self.trees):
            used = self._keep(tree, k, down, watch or Stopwatch()) if down is not None else 0
            if used == 0:
                self.trees[k].clear()
                used = 1
            if not self.trees[k].children(ROOT):
                if used + n > self.pool:
                    self.trees[k].clear()
                    used = 1
                used = self._list_root(self.trees[k], position, numbers, used)
            self._kept += used
            workers = self.workers if len(self.trees) == 1 else [self.workers[k]]
            room = (self.pool - used) // len(workers)
            for i, worker in enumerate(workers):
                worker.begin(n, used + i * room, used + (i + 1) * room)
        self.root = position
        return position

    def _list_root(self, tree: Tree, position: ArrayPosition, numbers: list[int], first: int) -> int:
        """The root's children are made here, so that threads find them; returns the nodes used."""
        game = self.game
        span = slice(first, first + len(numbers))
        tree.stats[span] = 0.0
        tree.quick[span] = 0.0
        tree.quick[span, SPREAD] = UNTRIED
        tree.nodes[span, MOVE] = numbers
        tree.nodes[span, KIND] = 0
        if self.priors:
            weights = np.full(len(numbers), 1.0)
            if position.turn >= 0 and "prior" in self._names:
                bound = self._names["prior"]
                prior = specialise(bound.function, bound.names, target="python")
                weights = np.array([prior(game.g, position.state, position.turn, m) for m in numbers], np.float64)
                if not np.isfinite(weights).all() or (weights < 0).any():
                    self._checked(BAD_PRIOR)
            elif position.turn >= 0:
                weights = self._ask(
                    position.state[None, :].copy(),
                    np.array([position.turn]),
                    np.array([numbers]),
                    np.array([len(numbers)]),
                )[0][0, : len(numbers)]
            tree.priors[span] = weights / weights.sum() if weights.sum() > 0 else 1.0 / len(numbers)
        tree.nodes[ROOT, KIND] = len(numbers) << FLAG_BITS
        tree.firsts[ROOT, FIRST] = first
        return first + len(numbers)

    def _way_down(self, position: ArrayPosition) -> list[int] | None:
        """The moves that lead from the last root to this position, if they do."""
        old = self.root
        if not self.reuse or old is None or old.origin != position.origin or old.seat != position.seat:
            return None
        known, played = old.history, position.history
        if played[: len(known)] != known or (old.game.hidden and old != position):
            return None
        down, at = [], old
        try:
            for text in played[len(known) :]:
                down.append(self.game.parse_move(at.state, at.turn, text))
                at = at.play(text)
        except (IllegalMove, GameOver):
            return None
        return down if at == position else None

    def _keep(self, tree: Tree, k: int, down: list[int], watch: Stopwatch) -> int:
        """Make the subtree that the moves lead to the whole tree; returns the nodes used, 0 where it was never grown."""
        if not down and len(self.trees) == len(self.workers):
            return int(self.workers[k].pool[NEXT])
        node = ROOT
        for m in down:
            node = next((child for child in tree.children(node) if tree.nodes[child, MOVE] == m), -1)
            if node < 0:
                return 0
        spare = self._spare or self._tree()
        queue = np.zeros(self.pool, np.int64)
        if self._copy is None:
            began = watch.elapsed
            self._copy = specialise(
                copy_subtree, self._names, target=self._target, label=f"{self.game.name} mcts, reuse"
            )
            self._copy(*tree.arrays, node, *spare.arrays, queue, 1)  # compiles, off the clock
            watch.began += watch.elapsed - began
        used = int(self._copy(*tree.arrays, node, *spare.arrays, queue, self.pool))
        self.trees[k], self._spare = spare, tree
        return used

    def _run(self, root: ArrayPosition, at_least: int, at_most: int, watch: Stopwatch) -> int:
        if self.network is not None:  # in a thread, so that Ctrl-C ends the search and not the network's answer
            return int(watch.run(self._run_network, root, at_least, at_most, watch))
        jobs = len(self.workers)
        if jobs == 1:
            return self._run_one(root, at_least, at_most, watch)
        shares = [at_most // jobs + (k < at_most % jobs) for k in range(jobs)]
        found = watch.run(self._run_threads, root, at_least, shares, watch.flag)
        return sum(self._checked(done) for done in found)

    def _run_one(self, root: ArrayPosition, at_least: int, at_most: int, watch: Stopwatch) -> int:
        """A taste here, and the rest too where it is over in a moment; else in a thread that the clock can stop."""
        done = 0
        for taste in (1, TASTE):
            began = watch.elapsed
            taste = min(taste, at_most - done)
            least = min(max(at_least - done, 0), taste)
            new = self._checked(self._simulate(*self._arguments(root, 0, least, taste, watch.flag)))
            done += new
            if new < taste or done == at_most:
                return done
            cost = (watch.elapsed - began) / new
            if cost * TASTE > MOMENT:
                break
        rest = at_most - done
        if cost * rest < MOMENT and (watch.left is None or cost * rest < watch.left):
            work = self._simulate(*self._arguments(root, 0, rest, rest, watch.flag))
        else:
            work = watch.run(self._simulate, *self._arguments(root, 0, at_least - done, rest, watch.flag))
        return done + self._checked(work)

    def _arguments(self, root: ArrayPosition, k: int, at_least: int, at_most: int, stop: StopFlag) -> tuple[Any, ...]:
        w = self.workers[k]
        tree = self.trees[k if len(self.trees) > 1 else 0]
        return (
            self.game.g, root.state, w.s, w.rng, *tree.arrays, w.pool, self.exploration, self.cut, self.cap, w.path,
            w.turns, w.parcels, w.listed, w.joint, w.out, w.arms.reshape(-1), w.sums, at_least, at_most, stop,
        )  # fmt: skip

    def _run_threads(self, root: ArrayPosition, at_least: int, shares: list[int], stop: StopFlag) -> list[int]:
        done = [0] * len(shares)
        failures: list[BaseException] = []

        def work(k: int) -> None:
            try:
                done[k] = int(self._simulate(*self._arguments(root, k, min(at_least, shares[k]), shares[k], stop)))
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(k,), daemon=True) for k in range(len(shares))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        return done

    def _checked(self, done: int) -> int:
        if done >= 0:
            return int(done)
        self.root = None
        if done in (ENDLESS, UNSOUND):
            raise complaint(self.game, done, self.cap)
        if done == BAD_PRIOR:
            raise StratagemError(f"the prior kernel of a search of {self.game.name} {WEIGHTS}")
        raise StratagemError(f"{self.game.name}: a player who must decide has no move, so its rules are at fault")

    # -- networks

    def _run_network(self, root: ArrayPosition, at_least: int, at_most: int, watch: Stopwatch) -> int:
        waiting = self._leaves
        done = 0
        while done < at_most and (done < at_least or not watch.stopped):
            left = at_most - done
            walked = self._checked(self._gather(*self._gathering(root, min(self.batch, left), left)))
            done += walked
            n = int(waiting.number[0])
            if n > 0:
                movers = waiting.turns[np.arange(n), waiting.depths[:n]]
                answer = self._ask(waiting.states[:n, : self.game.size], movers, waiting.lists[:n], waiting.counts[:n])
                self._checked(self._absorb(*self._absorbing(*answer, n)))
            if watch.left is not None and watch.left <= 0:
                watch.flag[0] = 1
            if walked == 0:
                break
        return done

    def _gathering(self, root: ArrayPosition, wanted: int, at_most: int) -> tuple[Any, ...]:
        w, a = self.workers[0], self._leaves
        return (
            self.game.g, root.state, w.rng, *self.trees[0].arrays, w.pool, self.exploration, a.states, a.paths, a.turns,
            w.parcels, a.depths, a.lists, a.counts, w.listed, w.joint, w.out, w.arms.reshape(-1), w.sums, wanted, at_most,
            a.number,
        )  # fmt: skip

    def _absorbing(self, priors: Floats, values: Floats, n: int) -> tuple[Any, ...]:
        w, a = self.workers[0], self._leaves
        return (
            self.game.g, a.states, *self.trees[0].arrays, w.pool, a.paths, a.turns, w.parcels, a.depths, a.lists, a.counts,
            w.listed, priors, values, w.arms.reshape(-1), w.sums, n,
        )  # fmt: skip

    def _ask(self, states: Words, movers: Words, lists: Words, counts: Words) -> tuple[Floats, Floats]:
        """The network's answer, checked: priors [n, moves] made to add up to 1, values [n, players] in range."""
        assert self.network is not None
        n, game = len(states), self.game
        answer = self.network(states.copy(), movers.copy(), lists.copy(), counts.copy())
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise StratagemError(
                f"a network must return (priors, values), and this one returned {type(answer).__name__}"
            )
        try:
            priors, values = (np.asarray(a, np.float64) for a in answer)
        except (TypeError, ValueError) as error:
            raise StratagemError(f"a network must return arrays of numbers: {error}") from None
        if priors.shape != lists.shape:
            raise StratagemError(f"the network's priors have the shape {priors.shape}; {lists.shape} was asked for")
        if values.shape != (n, game.players):
            raise StratagemError(
                f"the network's values have the shape {values.shape}; {(n, game.players)} was asked for"
            )
        given = np.where(np.arange(lists.shape[1]) < counts[:, None], priors, 0.0)
        if not np.isfinite(given).all() or (given < 0).any():
            raise StratagemError("the network's priors hold NaN, an infinity or a negative number")
        low, high = game.payoff_range
        if not np.isfinite(values).all():
            raise StratagemError("the network's values hold NaN or an infinity")
        if (values < low - 1e-9).any() or (values > high + 1e-9).any():
            raise StratagemError(f"the network's values leave the range of payoffs, {low:g} to {high:g}")
        total = given.sum(axis=1, keepdims=True)
        return np.where(
            total > 0, given / np.where(total > 0, total, 1.0), 1.0 / np.maximum(counts, 1)[:, None]
        ), values

    # -- reading the tree

    @property
    def nodes_used(self) -> int:
        return self._kept + sum(int(w.pool[NEXT]) - w.first for w in self.workers)

    def values(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Each seat's mean over this search's simulations, and the standard error for the seat that decides."""
        n = sum(w.arms[-1, SAMPLES] for w in self.workers)
        sums = np.sum([w.sums for w in self.workers], axis=0)
        error = _error(np.sum([w.arms[-1] for w in self.workers], axis=0), n)
        return tuple(float(x) for x in sums / max(n, 1)), (float("nan") if error is None else error,)

    def arms(self) -> list[Arm]:
        """The root's moves, best first: proven wins, then by visits; proven losses come last."""
        root = self.root
        assert root is not None
        seat = max(root.turn, 0)
        sign = -1.0 if seat == 1 else 1.0
        low = self.game.payoff_range[0]
        found = []
        for k in range(len(self.trees[0].children(ROOT))):
            rows = [(tree, tree.children(ROOT)[k]) for tree in self.trees]
            visits = sum(float(tree.stats[node, VISITS]) for tree, node in rows)
            total = sum(float(tree.stats[node, TOTAL]) for tree, node in rows)
            proof = (
                next((x for tree, node in rows if (x := tree.proven(node)) is not None), None) if self.solve else None
            )
            value = total / visits + low if visits else float("nan")
            error = _error(np.sum([w.arms[k] for w in self.workers], axis=0), visits)
            tree, node = max(rows, key=lambda row: float(row[0].stats[row[1], VISITS]))
            found.append(
                Arm(
                    int(tree.nodes[node, MOVE]),
                    int(visits),
                    value if proof is None else sign * proof + 0.0,
                    error if proof is None else 0.0,
                    proof is not None,
                    self._variation(tree, node),
                )
            )
        if root.turn == CHANCE:
            return found
        unproven = [arm for arm in found if not arm.proven and arm.visits]
        favourite = max(unproven, key=lambda arm: arm.visits).value if unproven else -np.inf

        def rank(arm: Arm) -> tuple[float, float, float]:
            if not arm.proven:
                return (1.0, arm.visits, arm.value if arm.visits else low)
            # a proven value stands against the favourite's mean: as good or better goes first, worse goes last
            return (2.0, arm.value, arm.visits) if arm.value >= favourite else (0.0, arm.value, arm.visits)

        return sorted(found, key=rank, reverse=True)

    def _variation(self, tree: Tree, node: int) -> tuple[int, ...]:
        line = [int(tree.nodes[node, MOVE])]
        while len(line) < 64:
            children = [child for child in tree.children(node) if tree.stats[child, VISITS] > 0]
            if not children:
                break
            proof = tree.proven(node) if self.solve else None
            same = [child for child in children if proof is not None and tree.proven(child) == proof]
            node = max(same or children, key=lambda child: float(tree.stats[child, VISITS]))
            line.append(int(tree.nodes[node, MOVE]))
        return tuple(line)

    def proven(self) -> float | None:
        """The exact value of the root for the seat that decides, once it is proven."""
        if not self.solve or self.root is None:
            return None
        proof = next((x for tree in self.trees if (x := tree.proven(ROOT)) is not None), None)
        return proof if proof is None or self.root.turn != 1 else 0.0 - proof

    def analyse(
        self, position: Position, clock: Clock, *, seat: int | None = None, simulations: int | None = None,
        lines: int = 1, report: Report | None = None,
    ) -> Choice:  # fmt: skip
        """Search and report: the move most simulations chose, and for each line its visits, value and error."""
        if lines < 1:
            raise OptionError(f"{lines} lines show nothing; give 1 or more")
        if isinstance(position, ArrayPosition) and not position.over:
            deciding_seat(position, seat)

        def tell() -> None:
            if report is not None:
                report(self._choice(lines, 0, 0.0))

        done, watch = self.search(position, clock, simulations=simulations, report=tell if report else None)
        choice = self._choice(lines, done, watch.elapsed)
        return replace(choice, finished=not watch.interrupted)

    def _choice(self, lines: int, done: int, seconds: float) -> Choice:
        root = self.root
        assert root is not None
        arms = self.arms()
        shown = tuple(
            Line(root.line(arm.line), None if np.isnan(arm.value) else arm.value, arm.error, arm.visits)
            for arm in arms[:lines]
        )
        value: float | None
        if root.turn == CHANCE:
            means, _ = self.values()
            value = means[0]
        else:
            value = shown[0].value
        visits = int(sum(float(tree.stats[ROOT, VISITS]) for tree in self.trees))
        details: dict[str, Any] = {"visits": visits, "tree": self.nodes_used}
        if self.proven() is not None:
            value = self.proven()
            details["proven"] = True
        if self.game.players > 2:
            details["seats"] = list(self.values()[0])
        done = done or int(sum(w.arms[-1, SAMPLES] for w in self.workers))
        return Choice(shown[0].moves[0], value, shown, nodes=done, seconds=seconds, engine="mcts", details=details)


def _error(row: Floats, visits: float) -> float | None:
    """The standard error of a mean, from this search's own samples (count, sum, squares) and all visits known."""
    n = float(row[SAMPLES])
    if n < 2:
        return None
    variance = max(float(row[SQUARES]) / n - (float(row[SUM]) / n) ** 2, 0.0) * n / (n - 1)
    return float(np.sqrt(variance / max(visits, n)))


def check_simulations(simulations: Any) -> int:
    if whole("simulations", simulations) < 1:
        raise OptionError(f"a budget of {simulations!r} simulations searches nothing; give 1 or more")
    return int(simulations)


def refuse_unsuitable(game: ArrayGame, open_hands: bool = False) -> None:
    """The tree is for players who decide one after another and see everything; say which search is for the others."""
    check_kernels("mcts", game)
    other = "use InformationSets (the player mcts does)"
    if game.gives("play_together"):
        raise UnsuitableSearch(f"a tree of single moves cannot hold {game.name}, where players decide at once; {other}")
    if game.hidden and not open_hands:
        raise UnsuitableSearch(f"a tree of states cannot hold {game.name}, where something is hidden; {other}")
    if has_chance(game) and not game.gives("odds"):
        raise UnsuitableSearch(f"a tree cannot number the chance outcomes of {game.name}, which gives no odds; {other}")


def no_odds(g: Any, s: Any, k: int) -> float:
    return 0.0
