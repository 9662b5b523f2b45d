"""Monte-Carlo tree search for any number of players who decide one after another, with or without chance.

Each simulation walks down the tree by UCT (Kocsis and Szepesvari 2006) or PUCT (Silver et al. 2017), adds what it can,
judges the leaf by a playout, a kernel or a network, and backs the payoffs up; proven results are propagated exactly
(MCTS-solver: Winands, Bjornsson, Saito 2008). Use it where evaluation is hard and moves are many; use alpha-beta where a
tactical result matters, and `infosets` where players decide at once or something is hidden.

The tree is in `records`, the walk in `templates`; what makes one search differ from another is put together here (`composed`)
from `selection`, `proofs` and `traffic`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame, ArrayPosition, Position
from stratagem.contract.player import Choice, Clock, Line, Report, check_lines, deciding_seat
from stratagem.errors import GameOver, IllegalMove, OptionError, StratagemError, UnsuitableSearch
from stratagem.kernel import CHANCE
from stratagem.rng import generator
from stratagem.search.budget import Budget, StopFlag, check_threads
from stratagem.search.sampling.playouts import (
    ENDLESS,
    UNSOUND,
    cap_of,
    check_kernels,
    check_position,
    complaint,
    has_chance,
    names_for,
    of_game,
)
from stratagem.search.settings import SamplingSettings, settings_of, whole
from stratagem.search.tree import cell, proofs, traffic
from stratagem.search.tree.networks import Network, ask
from stratagem.search.tree.records import Floats, Tree, TreeLimits, leaves, plant, ready, walker
from stratagem.search.tree.selection import (
    BAD_PRIOR,
    even_priors,
    kernel_priors,
    list_priors,
    no_priors,
    select_puct,
    select_uct,
)
from stratagem.search.tree.templates import INLINED, absorb, await_network, copy_subtree, expand, gather, simulate

WEIGHTS = "gave NaN, an infinity or a negative number: it must give weights of at least 0"
LONGEST_LINE = 64  # moves of a principal variation


@dataclass(frozen=True, kw_only=True)
class MctsSettings(SamplingSettings):
    """How a tree is searched."""

    pool: int = 1 << 22  # nodes, 2 or more; when they are used up, the tree stops growing and goes on learning
    solve: bool = True  # keep proofs, where two players' payoffs sum to zero
    reuse: bool = True  # begin with what the last search knew about the position
    threads: int = 1  # 1 to 64
    parallel: str = "root"  # threads grow a tree each, or share one "tree" with virtual losses
    prior: Any = None  # a kernel prior(g, s, p, m) -> weight of at least 0: PUCT in place of UCT
    network: Network | None = None  # (states, movers, moves, counts) -> (priors, values), in batches: PUCT
    batch: int = 32  # leaves that a network is asked about at once, 1 or more

    def __post_init__(self) -> None:
        super().__post_init__()
        self._hold(**{name: whole(name, getattr(self, name)) for name in ("threads", "pool", "batch")})
        check_threads(self.threads)
        if self.parallel not in ("tree", "root"):
            raise OptionError(f"threads cannot be parallel by {self.parallel!r}; it is tree or root")
        if self.pool < 2:
            raise OptionError(f"a pool of {self.pool} nodes holds no tree; give 2 or more")
        if self.pool > cell.MOST_NODES:
            raise OptionError(
                f"a pool of {self.pool} nodes is more than a tree can number; give at most {cell.MOST_NODES}"
            )
        if self.batch < 1:
            raise OptionError(f"a batch of {self.batch} leaves asks a network nothing; give 1 or more")
        beside = self.prior is not None or self.evaluate is not None or self.strategy is not None
        if self.network is not None and (self.threads > 1 or beside):
            raise OptionError("a network gives priors and values: no threads, prior, evaluate or strategy beside it")

    @property
    def shared(self) -> bool:
        """Whether several threads walk in one tree."""
        return self.threads > 1 and self.parallel == "tree"

    @property
    def by_priors(self) -> bool:
        return self.prior is not None or self.network is not None


def composed(game: ArrayGame, settings: MctsSettings, solve: bool) -> dict[str, Any]:
    """The names of one search: a game's kernels, its playouts, and a choice of each part of the tree."""
    names = names_for(game, settings)
    names |= proofs.WITH if solve else proofs.WITHOUT
    names |= {"select": select_uct, "give_priors": no_priors, "grow": expand} | traffic.ALONE
    if settings.prior is not None:
        names |= {"select": select_puct, "give_priors": kernel_priors, "prior": of_game(game, settings.prior)}
    if settings.network is not None:
        names |= {"select": select_puct, "give_priors": even_priors, "grow": await_network} | traffic.COUNTED
    if settings.shared:
        names |= traffic.BY_PARCEL
    if settings.shared and settings.target == "cpu":
        from stratagem.compile.intrinsics import atomic_add, atomic_link

        names |= {"link": atomic_link, "add": atomic_add}
    if not game.gives("odds"):
        names["odds"] = no_odds
    return names


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

    def __init__(self, game: ArrayGame, settings: MctsSettings | None = None, **options: Any) -> None:
        check_kernels("mcts", game)
        self.game = game
        self.settings = own = settings_of(MctsSettings, settings, options)
        refuse_unsuitable(game, own.open_hands)
        self.solve = own.solve and game.players == 2 and game.zero_sum
        low, high = game.payoff_range
        self.limits = TreeLimits(own.exploration * (high - low) / 2, own.cut, cap_of(game, own.playout_cap))
        self._names = composed(game, own, self.solve)
        if own.network is None:
            self._simulate = self._specialised(simulate, "mcts", lean=True, inline=INLINED)
        else:
            self._gather = self._specialised(gather, "mcts, leaves", lean=True)
            self._absorb = self._specialised(absorb, "mcts, networks", lean=True)
            self._leaves = leaves(game, own.batch)
        self._copy: Callable[..., Any] | None = None
        self._list_priors: Callable[..., Any] | None = None
        self.trees = [self._plant() for _ in range(own.threads if own.parallel == "root" else 1)]
        self._spare: Tree | None = None
        slots = cell.SLOTS if own.shared else 0
        self.workers = [walker(game, own.seed, stream, slots) for stream in range(own.threads)]
        self.root: ArrayPosition | None = None
        self._kept = 0  # nodes that were there when the last search began
        self._warm = False

    def _specialised(self, template: Any, words: str, **flags: Any) -> Callable[..., Any]:
        return specialise(
            template, self._names, target=self.settings.target, label=f"{self.game.name} {words}", **flags
        )

    def _plant(self) -> Tree:
        size = self.settings.pool
        try:
            return plant(size, proofs=self.solve, priors=self.settings.by_priors)
        except MemoryError:
            raise OptionError(f"a pool of {size} nodes does not fit into memory; give fewer") from None

    def clear(self) -> None:
        """Forget the tree, and start the generators anew: the next search depends on the seed alone."""
        self.root = None
        for stream, worker in enumerate(self.workers):
            worker.rng[:] = generator(self.settings.seed, stream)

    # -- searching

    def search(
        self,
        position: Position,
        clock: Clock | None = None,
        *,
        simulations: int | None = None,
        report: Callable[[], None] | None = None,
    ) -> tuple[int, Budget]:
        """Grow the tree below a position; returns the simulations done, and the budget. `arms` and `value` read it."""
        budget = Budget.of(clock, self.settings.simulations_or(simulations), report)
        root = self._begin(position, budget)
        self._warm_up(root, budget)

        def work(at_least: int, at_most: int) -> int:
            self.root = None  # what an error leaves behind is not to be gone on with
            done = self._run(root, budget, at_least, at_most)
            self.root = root
            return done

        # with any clock, also zero, every root move is tried once
        return budget.spend(work, max(len(tree.children(cell.ROOT)) for tree in self.trees)), budget

    def _warm_up(self, root: ArrayPosition, budget: Budget) -> None:
        """Compile, off the clock."""
        if self._warm:
            return
        with budget.paused():
            if self.settings.network is None:
                self._simulate(*self._arguments(root, 0, 0, 0, np.zeros(1, np.int64)))
            else:
                self._gathered(root, 0)
                self._absorbed(np.zeros((0, self.game.max_moves)), np.zeros((0, self.game.players)))
        self._warm = True

    def _begin(self, position: Position, budget: Budget | None = None) -> ArrayPosition:
        """Put the position at the root, with what is known below it, and its moves there."""
        root, pool = check_position(self.game, position), self.settings.pool
        down = self._way_down(root)
        budget = budget or Budget()
        self.root = None
        numbers = root.move_numbers()
        n = len(numbers)
        if pool < n + 1:
            raise OptionError(f"a pool of {pool} nodes cannot hold the {n} moves here; give {n + 1} or more")
        self._kept = 0
        for k in range(len(self.trees)):
            used = self._keep(k, down, budget) if down is not None else 0
            if used == 0:
                self.trees[k].clear()
                used = 1
            if not self.trees[k].children(cell.ROOT):
                if used + n > pool:
                    self.trees[k].clear()
                    used = 1
                used = self._list_root(self.trees[k], root, numbers, used, budget)
            self._kept += used
            mine = range(len(self.workers)) if len(self.trees) == 1 else range(k, k + 1)
            room = (pool - used) // len(mine)
            for i, w in enumerate(mine):
                self.workers[w] = ready(self.workers[w], n, used + i * room, used + (i + 1) * room)
        self.root = root
        return root

    def _list_root(self, tree: Tree, root: ArrayPosition, numbers: list[int], first: int, budget: Budget) -> int:
        """The root's children are made here, so that threads find them; returns the nodes used."""
        if self.settings.by_priors:
            weights = self._root_priors(root, numbers, budget)
            total = weights.sum()
            tree.priors[first : first + len(numbers)] = weights / total if total > 0 else 1.0 / len(numbers)
        return tree.list_root(numbers, first).stop

    def _root_priors(self, root: ArrayPosition, numbers: list[int], budget: Budget) -> Floats:
        own, game = self.settings, self.game
        if root.turn < 0:
            return np.ones(len(numbers))
        if own.network is not None:
            lists, counts = np.array([numbers]), np.array([len(numbers)])
            priors, _ = ask(own.network, game, root.state[None, :], np.array([root.turn]), lists, counts)
            return priors[0, : len(numbers)]
        weights, state = np.zeros(len(numbers)), game.blank()
        state[: len(root.state)] = root.state  # a prior may write to the scratch cells behind it
        given = game.g, state, root.turn, np.array(numbers, np.int64), weights
        if self._list_priors is None:
            with budget.paused():
                self._list_priors = self._specialised(list_priors, "mcts, root")
                self._list_priors(*given)
        self._list_priors(*given)
        if not np.isfinite(weights).all() or (weights < 0).any():
            self._checked(BAD_PRIOR)
        return weights

    def _way_down(self, position: ArrayPosition) -> list[int] | None:
        """The moves that lead from the last root to this position, if they do."""
        old = self.root
        if not self.settings.reuse or old is None or old.origin != position.origin or old.seat != position.seat:
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

    def _keep(self, k: int, down: list[int], budget: Budget) -> int:
        """Make the subtree that the moves lead to the whole tree; returns the nodes used, 0 where it was never grown."""
        tree = self.trees[k]
        if not down and len(self.trees) == len(self.workers):
            return int(self.workers[k].pool[cell.NEXT])
        node = cell.ROOT
        for m in down:
            node = next((child for child in tree.children(node) if tree.move(child) == m), -1)
            if node < 0:
                return 0
        spare = self._spare or self._plant()
        queue = np.zeros(tree.size, np.int64)
        if self._copy is None:
            with budget.paused():
                self._copy = self._specialised(copy_subtree, "mcts, reuse")
                self._copy(tree, node, spare, queue, 1)
        used = int(self._copy(tree, node, spare, queue, tree.size))
        self.trees[k], self._spare = spare, tree
        return used

    def _run(self, root: ArrayPosition, budget: Budget, at_least: int, at_most: int) -> int:
        if (
            self.settings.network is not None
        ):  # in a thread, so that Ctrl-C ends the search and not the network's answer
            return int(budget.run(self._run_network, root, budget, at_least, at_most))
        jobs = len(self.workers)
        if jobs == 1:
            return budget.run_slice(partial(self._simulated, root, 0, budget.flag), at_least, at_most)
        shares = [at_most // jobs + (k < at_most % jobs) for k in range(jobs)]
        works = [
            partial(self._simulated, root, k, budget.flag, min(at_least, share), share)
            for k, share in enumerate(shares)
        ]
        return sum(budget.run_together(works))

    def _simulated(self, root: ArrayPosition, k: int, stop: StopFlag, at_least: int, at_most: int) -> int:
        return self._checked(self._simulate(*self._arguments(root, k, at_least, at_most, stop)))

    def _limits(self, at_least: int, at_most: int) -> TreeLimits:
        return TreeLimits(*self.limits[:3], at_least, at_most)

    def _arguments(self, root: ArrayPosition, k: int, at_least: int, at_most: int, stop: StopFlag) -> tuple[Any, ...]:
        tree = self.trees[k if len(self.trees) > 1 else 0]
        return self.game.g, root.state, tree, self.workers[k], self._limits(at_least, at_most), stop

    def _checked(self, done: int) -> int:
        if done >= 0:
            return int(done)
        self.root = None
        if done in (ENDLESS, UNSOUND):
            raise complaint(self.game, done, self.limits.cap)
        if done == BAD_PRIOR:
            raise StratagemError(f"the prior kernel of a search of {self.game.name} {WEIGHTS}")
        raise StratagemError(f"{self.game.name}: a player who must decide has no move, so its rules are at fault")

    # -- networks

    def _run_network(self, root: ArrayPosition, budget: Budget, at_least: int, at_most: int) -> int:
        network, rows = self.settings.network, self._leaves
        assert network is not None
        done = 0
        while done < at_most and (done < at_least or not budget.stopped):
            walked = self._gathered(root, at_most - done)
            done += walked
            n = int(rows.waiting[0])
            if n > 0:
                movers = rows.turns[np.arange(n), rows.depths[:n]]
                states = rows.states[:n, : self.game.size]
                self._absorbed(*ask(network, self.game, states, movers, rows.lists[:n], rows.counts[:n]))
            if budget.left is not None and budget.left <= 0:
                budget.stop()
            if walked == 0:
                break
        return done

    def _gathered(self, root: ArrayPosition, at_most: int) -> int:
        tree, worker, limits = self.trees[0], self.workers[0], self._limits(0, at_most)
        return self._checked(self._gather(self.game.g, root.state, tree, worker, self._leaves, limits))

    def _absorbed(self, priors: Floats, values: Floats) -> None:
        tree, worker = self.trees[0], self.workers[0]
        self._checked(self._absorb(self.game.g, tree, worker, self._leaves, priors, values))

    # -- reading the tree

    @property
    def nodes_used(self) -> int:
        return self._kept + sum(int(w.pool[cell.NEXT] - w.pool[cell.BEGIN]) for w in self.workers)

    def _samples(self, k: int) -> Floats:
        """What this search itself has seen of a root child, or with -1 of the root: count, sum, squares."""
        return np.asarray(np.sum([w.arms.reshape(-1, cell.ARM)[k] for w in self.workers], axis=0))

    def values(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Each seat's mean over this search's simulations, and the standard error for the seat that decides."""
        row = self._samples(-1)
        n, sums = float(row[cell.SAMPLES]), np.sum([w.sums for w in self.workers], axis=0)
        error = standard_error(row, n)
        return tuple(float(x) for x in sums / max(n, 1)), (float("nan") if error is None else error,)

    def arms(self) -> list[Arm]:
        """The root's moves, best first: proven wins, then by visits; proven losses come last."""
        root = self.root
        assert root is not None
        found = [self._arm(k, max(root.turn, 0)) for k in range(len(self.trees[0].children(cell.ROOT)))]
        if root.turn == CHANCE:
            return found
        low = self.game.payoff_range[0]
        unproven = [arm for arm in found if not arm.proven and arm.visits]
        favourite = max(unproven, key=lambda arm: arm.visits).value if unproven else -np.inf

        def rank(arm: Arm) -> tuple[float, float, float]:
            if not arm.proven:
                return (1.0, arm.visits, arm.value if arm.visits else low)
            # a proven value stands against the favourite's mean: as good or better goes first, worse goes last
            return (2.0, arm.value, arm.visits) if arm.value >= favourite else (0.0, arm.value, arm.visits)

        return sorted(found, key=rank, reverse=True)

    def _arm(self, k: int, seat: int) -> Arm:
        """The k-th move of the root, as all trees together judge it."""
        rows = [(tree, tree.children(cell.ROOT)[k]) for tree in self.trees]
        visits = sum(tree.visits(node) for tree, node in rows)
        total = sum(tree.total(node) for tree, node in rows)
        tree, node = max(rows, key=lambda row: row[0].visits(row[1]))
        move, line = tree.move(node), self._variation(tree, node)
        proof = next((x for tree, node in rows if (x := tree.proven(node)) is not None), None) if self.solve else None
        if proof is not None:
            return Arm(move, int(visits), (-proof if seat == 1 else proof) + 0.0, 0.0, True, line)
        value = total / visits + self.game.payoff_range[0] if visits else float("nan")
        return Arm(move, int(visits), value, standard_error(self._samples(k), visits), False, line)

    def _variation(self, tree: Tree, node: int) -> tuple[int, ...]:
        line = [tree.move(node)]
        while len(line) < LONGEST_LINE:
            children = [child for child in tree.children(node) if tree.visits(child) > 0]
            if not children:
                break
            proof = tree.proven(node) if self.solve else None
            same = [child for child in children if proof is not None and tree.proven(child) == proof]
            node = max(same or children, key=tree.visits)
            line.append(tree.move(node))
        return tuple(line)

    def proven(self) -> float | None:
        """The exact value of the root for the seat that decides, once it is proven."""
        if not self.solve or self.root is None:
            return None
        proof = next((x for tree in self.trees if (x := tree.proven(cell.ROOT)) is not None), None)
        return proof if proof is None or self.root.turn != 1 else 0.0 - proof

    def analyse(
        self,
        position: Position,
        clock: Clock,
        *,
        seat: int | None = None,
        simulations: int | None = None,
        lines: int = 1,
        report: Report | None = None,
    ) -> Choice:
        """Search and report: the move most simulations chose, and for each line its visits, value and error."""
        check_lines(lines)
        if isinstance(position, ArrayPosition) and not position.over:
            deciding_seat(position, seat)

        def tell() -> None:
            if report is not None:
                report(self._choice(lines, 0, 0.0))

        done, budget = self.search(position, clock, simulations=simulations, report=tell if report else None)
        choice = self._choice(lines, done, budget.elapsed)
        return replace(choice, finished=not budget.interrupted)

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
        visits = int(sum(tree.visits(cell.ROOT) for tree in self.trees))
        details: dict[str, Any] = {"visits": visits, "tree": self.nodes_used}
        if self.proven() is not None:
            value = self.proven()
            details["proven"] = True
        if self.game.players > 2:
            details["seats"] = list(self.values()[0])
        done = done or int(self._samples(-1)[cell.SAMPLES])
        work: dict[str, Any] = {"nodes": done, "seconds": seconds, "engine": "mcts", "details": details}
        return Choice(shown[0].moves[0], value, shown, seat=max(root.turn, 0), **work)


def standard_error(row: Floats, visits: float) -> float | None:
    """The standard error of a mean, from this search's own samples (count, sum, squares) and all visits known."""
    n = float(row[cell.SAMPLES])
    if n < 2:
        return None
    variance = max(float(row[cell.SQUARES]) / n - (float(row[cell.SUM]) / n) ** 2, 0.0) * n / (n - 1)
    return float(np.sqrt(variance / max(visits, n)))


def refuse_unsuitable(game: ArrayGame, open_hands: bool = False) -> None:
    """The tree is for players who decide one after another and see everything; say which search is for the others."""
    other = "use InformationSets (the player mcts does)"
    if game.gives("play_together"):
        raise UnsuitableSearch(f"a tree of single moves cannot hold {game.name}, where players decide at once; {other}")
    if game.hidden and not open_hands:
        raise UnsuitableSearch(f"a tree of states cannot hold {game.name}, where something is hidden; {other}")
    if has_chance(game) and not game.gives("odds"):
        raise UnsuitableSearch(f"a tree cannot number the chance outcomes of {game.name}, which gives no odds; {other}")


def no_odds(g: Any, s: Any, k: int) -> float:
    return 0.0


check_simulations = MctsSettings.budget
