"""UCT drafting: search over the picks of a draft, with an evaluation of finished drafts given as a kernel.

Every node maximises its own mover's value (max^n); a simulated draft is completed at random or by rankings and then
scored, so no game has to be played out (Gibson, Desai, Zhao: An Automated Technique for Drafting Territories in the Board
Game Risk, AIIDE 2010). Use it where worths depend on who holds what, or where exact drafting is too large; with static
worths and few items the exact methods of `plans.draft` are better. It cannot see a plan that only one long line of
precise picks reveals, and it is only as good as the evaluation.

The evaluation is `evaluate(g, owned, out)`: `owned` are the items of each player as bitmasks (int64, one a player), `out`
takes one value a player (float64), best in [0, 1]; `g` is any array the kernel wants.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.errors import GameOver, IllegalMove, MissingKernel, OptionError
from stratagem.kernel import Payoffs
from stratagem.plans.draft import MOST_ITEMS, UNIT, Draft, Ints, Node
from stratagem.rng import Rng, below, generator, unit
from stratagem.search.budget import Budget

# how a seat is modelled
SEARCH, RANKING, RANDOM = 0, 1, 2
MODELS = {"search": SEARCH, "ranking": RANKING, "random": RANDOM}
# tree: one row a node; info: [root, nodes used, simulations done]
FIRST, CHILDREN, OPENED, ITEM, VISITS = 0, 1, 2, 3, 4
FIELDS = 5
ROOT, USED, DONE = 0, 1, 2


def evaluate(g: Any, owned: Ints, out: Payoffs) -> None:
    """Bound for each draft."""
    raise MissingKernel("bound for each draft")


def additive(g: Ints, owned: Ints, out: Payoffs) -> None:
    """Static worths, as a share of the most that a player can hold. ground: [items; for each player most, worths..]"""
    m = g[0]
    for i in range(owned.shape[0]):
        mask = owned[i]
        base = 1 + i * (m + 1)
        total = np.int64(0)
        for x in range(m):
            total += (mask >> x & 1) * g[base + 1 + x]
        out[i] = total / g[base]


def additive_ground(draft: Draft) -> Ints:
    """The ground of `additive`, for worths of at least 0."""
    if (draft.points < 0).any():
        raise OptionError("shares of worth need worths of at least 0; give an evaluation of your own")
    rows: list[int] = [draft.size]
    for i in range(draft.players):
        best = np.sort(draft.points[i])[::-1][: draft.order.count(i)]
        rows += [max(int(best.sum()), 1), *map(int, draft.points[i])]
    return np.array(rows, np.int64)


def by_ranking(lists: Ints, free: int, j: int, slip: float, r: Rng) -> int:
    """The best free item of player j's list, each one passed over with probability `slip`."""
    last = np.int64(-1)
    for at in range(lists.shape[1]):
        x = lists[j, at]
        if free >> x & 1:
            last = x
            if slip == 0.0 or unit(r) >= slip:
                return x
    return int(last)


def complete(
    order: Ints, lists: Ints, rollouts: Ints, plain: bool, slip: float, owned: Ints, free: int, t: int, pool: Ints, r: Rng
) -> None:  # fmt: skip
    """Finish a draft in place: at random, or by rankings where `rollouts` says so; `plain` says that all are random."""
    n = 0
    x = 0
    while free >> x != 0:
        pool[n] = x
        n += free >> x & 1
        x += 1
    for u in range(t, order.shape[0]):
        j = order[u]
        if plain or rollouts[j] == RANDOM:
            at = below(r, n)
        else:
            x = by_ranking(lists, free, j, slip, r)
            at = 0
            while pool[at] != x:
                at += 1
        x = pool[at]
        n -= 1
        pool[at] = pool[n]
        owned[j] |= np.int64(1) << x
        free ^= np.int64(1) << x


def uct_template(
    g: Any, order: Ints, lists: Ints, models: Ints, rollouts: Ints, plain: bool, slip: float, explore: float, depth: int,
    simulations: int, root_owned: Ints, root_free: int, root_turn: int, tree: Ints, stats: NDArray[np.float64],
    info: Ints, owned: Ints, pool: Ints, path: Ints, out: Payoffs, r: Rng, stop: Ints,
) -> None:  # fmt: skip
    """Simulations from the root node info[ROOT] of a tree, at most `depth` picks of it in the tree.

    A node's children are its free items in a shuffled order, allocated together at its second visit. stats[c] is the mean
    value to the player who picks into c, and 1 / sqrt(visits), so that choosing among children costs no division.
    """
    n = root_owned.shape[0]
    turns = order.shape[0]
    for s in range(simulations):
        if s & 255 == 255 and stop[0] != 0:
            return
        for j in range(n):
            owned[j] = root_owned[j]
        free, t, node = root_free, root_turn, info[ROOT]
        length = 0
        while t < turns and length < depth:
            if tree[node, CHILDREN] == 0:
                if (length > 0 and tree[node, VISITS] == 0) or info[USED] + 64 > tree.shape[0]:
                    break
                first = info[USED]
                size = 0
                x = 0
                while free >> x != 0:
                    if free >> x & 1:
                        at = below(r, size + 1)
                        tree[first + size, ITEM] = tree[first + at, ITEM]
                        tree[first + at, ITEM] = x
                        tree[first + size, CHILDREN] = 0
                        tree[first + size, OPENED] = 0
                        tree[first + size, VISITS] = 0
                        stats[first + size, 0] = 0.0
                        size += 1
                    x += 1
                tree[node, FIRST] = first
                tree[node, CHILDREN] = size
                tree[node, OPENED] = 0
                info[USED] = first + size
            j = order[t]
            first = tree[node, FIRST]
            size = tree[node, CHILDREN]
            chosen = first
            if models[j] == RANKING:
                x = by_ranking(lists, free, j, slip, r)
                while tree[chosen, ITEM] != x:
                    chosen += 1
            elif models[j] == RANDOM:
                chosen += below(r, size)
            elif tree[node, OPENED] < size:
                # those that a model or an earlier search has visited are open already
                while tree[node, OPENED] < size - 1 and tree[first + tree[node, OPENED], VISITS] > 0:
                    tree[node, OPENED] += 1
                chosen += tree[node, OPENED]
                tree[node, OPENED] += 1
            else:
                wide = explore * math.sqrt(math.log(tree[node, VISITS] + 1.0))
                best = -1e300
                for c in range(first, first + size):
                    score = stats[c, 0] + wide * stats[c, 1]
                    if score > best:
                        best, chosen = score, c
            x = tree[chosen, ITEM]
            owned[j] |= np.int64(1) << x
            free ^= np.int64(1) << x
            path[length] = chosen
            length += 1
            node = chosen
            t += 1
        complete(order, lists, rollouts, plain, slip, owned, free, t, pool, r)
        evaluate(g, owned, out)
        tree[info[ROOT], VISITS] += 1
        for k in range(length):
            c = path[k]
            tree[c, VISITS] += 1
            stats[c, 0] += (out[order[root_turn + k]] - stats[c, 0]) / tree[c, VISITS]
            stats[c, 1] = 1.0 / math.sqrt(tree[c, VISITS])
        info[DONE] += 1


def spread_template(
    g: Any, order: Ints, lists: Ints, rollouts: Ints, plain: bool, slip: float, root_owned: Ints, root_free: int,
    root_turn: int, samples: int, owned: Ints, pool: Ints, out: Payoffs, r: Rng,
) -> float:  # fmt: skip
    """The standard deviation of a player's value over completed drafts, averaged over the players."""
    n = root_owned.shape[0]
    sums = np.zeros(n)
    squares = np.zeros(n)
    for _ in range(samples):
        for j in range(n):
            owned[j] = root_owned[j]
        complete(order, lists, rollouts, plain, slip, owned, root_free, root_turn, pool, r)
        evaluate(g, owned, out)
        for j in range(n):
            sums[j] += out[j]
            squares[j] += out[j] * out[j]
    spread = 0.0
    for j in range(n):
        spread += math.sqrt(max(squares[j] / samples - (sums[j] / samples) ** 2, 0.0)) / n
    return spread


def replant_template(
    tree: Ints, stats: NDArray[np.float64], info: Ints, new: Ints, new_stats: NDArray[np.float64]
) -> None:
    """Copy the tree below the root into new arrays, breadth first; the root becomes node 0."""
    for f in range(FIELDS):
        new[0, f] = tree[info[ROOT], f]
    new_stats[0] = stats[info[ROOT]]
    used = 1
    node = 0
    while node < used:
        size = new[node, CHILDREN]
        old = new[node, FIRST]
        if size > 0:
            new[node, FIRST] = used
            for c in range(size):
                for f in range(FIELDS):
                    new[used + c, f] = tree[old + c, f]
                new_stats[used + c] = stats[old + c]
            used += size
        node += 1
    info[ROOT] = 0
    info[USED] = used


@dataclass(frozen=True)
class Settings:
    """Parameters of UCT drafting."""

    simulations: int = 3000  # a pick, where no time is given
    exploration: float = 1.4  # c of UCT, in units of `spread`
    spread: float | None = None  # the spread of values; None: measured on random completions at each pick
    rollout: str = "random"  # how simulated drafts are completed: random, or ranking
    slip: float = 0.1  # chance that a drafter by ranking passes over an item
    flat: bool = False  # flat Monte-Carlo: no tree below the first pick
    nodes: int = 1 << 18  # room of the tree

    def __post_init__(self) -> None:
        if self.simulations < 1:
            raise OptionError(f"{self.simulations} simulations decide nothing; give 1 or more")
        if not (math.isfinite(self.exploration) and self.exploration >= 0):
            raise OptionError(f"an exploration of {self.exploration!r} is no constant; give 0 or more")
        if self.rollout not in ("random", "ranking"):
            raise OptionError(f"rollout {self.rollout!r} is unknown; it is random or ranking")
        if not 0 <= self.slip < 1:
            raise OptionError(f"a slip of {self.slip!r} is no chance below 1")


@dataclass(frozen=True)
class Considered:
    """An item that was considered for a pick."""

    item: int
    visits: int
    value: float  # mean value to the player who picks


class UctDrafter:
    """Drafts by UCT; keeps its tree between picks. `play` tells it what was really picked.

    models: for each seat `search` (its own value is maximised), `ranking` (takes the best of its list, slipping now and
    then) or `random`. lists: each player's items, best first, for those and for completions by ranking.
    """

    def __init__(
        self, items: int, order: Sequence[int], players: int, evaluate: Callable[..., None], ground: NDArray[Any] | None = None,
        *, lists: Ints | None = None, models: Sequence[str] | None = None, settings: Settings | None = None, seed: int = 0,
        node: Node | None = None,
    ) -> None:  # fmt: skip
        if not 1 <= items <= MOST_ITEMS:
            raise OptionError(f"UCT drafting takes from 1 to {MOST_ITEMS} items, not {items}")
        if len(order) > items or any(not 0 <= i < players for i in order):
            raise OptionError(f"the order must have at most {items} turns of players 0 to {players - 1}")
        self.settings = settings or Settings()
        self.items, self.players = items, players
        models = tuple(models or ("search",) * players)
        if len(models) != players or not set(models) <= set(MODELS):
            raise OptionError(f"models {models!r}: give one of {', '.join(MODELS)} a player, for {players} players")
        ranking = self.settings.rollout == "ranking"
        if lists is None:
            if ranking or "ranking" in models:
                raise OptionError("drafting by ranking needs `lists`: each player's items, best first")
            lists = np.tile(np.arange(items, dtype=np.int64), (players, 1))
        self.lists = lists
        self.order = np.array(order, np.int64)
        self.models = np.array([MODELS[m] for m in models], np.int64)
        # a seat with a model follows it in completions too
        self.rollouts = np.array(
            [MODELS[m] if m != "search" else RANKING if ranking else RANDOM for m in models], np.int64
        )
        self.plain = bool((self.rollouts == RANDOM).all())
        self.ground = np.zeros(1, np.int64) if ground is None else ground
        names = {"evaluate": evaluate}
        self._search = specialise(uct_template, names, label="UCT drafting")
        self._measure = specialise(spread_template, names, label="UCT drafting, spread")
        self._replant = specialise(replant_template, {}, label="UCT drafting, tree")
        self.rng = generator(seed)
        self.out = np.zeros(players)
        self.owned, self.pool, self.path = np.zeros(players, np.int64), np.zeros(64, np.int64), np.zeros(64, np.int64)
        self.restart(node or Node((0,) * players))

    def restart(self, node: Node) -> None:
        """Go to a node, without what is known of it."""
        self.node = node
        self.tree = np.zeros((self.settings.nodes, FIELDS), np.int64)
        self.stats = np.zeros((self.settings.nodes, 2))
        self.info = np.array([0, 1, 0], np.int64)

    @property
    def free(self) -> int:
        return ((1 << self.items) - 1) & ~self.node.taken

    @property
    def over(self) -> bool:
        return self.node.turn >= len(self.order)

    def play(self, item: int) -> None:
        """Make a real pick; what the tree knows below it is kept."""
        if self.over:
            raise GameOver(f"the draft is over after {len(self.order)} turns")
        if not (0 <= item < self.items and self.free >> item & 1):
            raise IllegalMove(f"item {item} is not free")
        first, size = self.tree[self.info[ROOT], FIRST], self.tree[self.info[ROOT], CHILDREN]
        found = np.flatnonzero(self.tree[first : first + size, ITEM] == item)
        self.node = self.node.plus(int(self.order[self.node.turn]), item)
        if len(found):
            self.info[ROOT] = first + found[0]
        else:
            self.restart(self.node)

    def consider(
        self, *, simulations: int | None = None, seconds: float | None = None, watch: Budget | None = None
    ) -> list[Considered]:
        """Search, and return the free items: most visited first, ties by mean value, then by index.

        Ctrl-C raises KeyboardInterrupt, but with a watch of the caller's own it ends the search and the watch tells."""
        if self.over:
            raise GameOver(f"the draft is over after {len(self.order)} turns: there is no pick to make")
        if self.info[USED] > self.settings.nodes // 2:
            tree, stats = np.zeros_like(self.tree), np.zeros_like(self.stats)
            self._replant(self.tree, self.stats, self.info, tree, stats)
            self.tree, self.stats = tree, stats
        root = np.array(self.node.owned, np.int64)
        spread = self.settings.spread
        if spread is None:
            spread = float(self._measure(
                self.ground, self.order, self.lists, self.rollouts, self.plain, self.settings.slip, root, self.free,
                self.node.turn, 64, self.owned, self.pool, self.out, self.rng,
            ))  # fmt: skip
        own = watch is None
        watch = watch or Budget(seconds)
        seconds = watch.seconds
        if simulations is None:
            simulations = self.settings.simulations if seconds is None else 2**62
        arguments = (
            self.ground, self.order, self.lists, self.models, self.rollouts, self.plain, self.settings.slip,
            self.settings.exploration * max(spread, UNIT), 1 if self.settings.flat else 64, simulations, root, self.free,
            self.node.turn, self.tree, self.stats, self.info, self.owned, self.pool, self.path, self.out, self.rng,
            watch.flag,
        )  # fmt: skip
        if seconds is None and simulations <= 100_000:
            self._search(*arguments)  # over before anyone could interrupt
        else:
            watch.run(self._search, *arguments)
            if watch.interrupted and own:
                raise KeyboardInterrupt
        first, size = self.tree[self.info[ROOT], FIRST], self.tree[self.info[ROOT], CHILDREN]
        found = [
            Considered(int(self.tree[c, ITEM]), int(self.tree[c, VISITS]), float(self.stats[c, 0]))
            for c in range(first, first + size)
        ]
        return sorted(found, key=lambda c: (-c.visits, -c.value, c.item))

    def choose(self, *, simulations: int | None = None, seconds: float | None = None) -> int:
        """The item to pick."""
        return self.consider(simulations=simulations, seconds=seconds)[0].item

    def picks(self, **budget: Any) -> tuple[int, ...]:
        """Draft to the end for every seat."""
        made = []
        while not self.over:
            made.append(self.choose(**budget))
            self.play(made[-1])
        return tuple(made)


def uct_drafter(
    draft: Draft, *, seed: int = 0, settings: Settings | None = None, models: Sequence[str] | None = None,
    node: Node | None = None,
) -> UctDrafter:  # fmt: skip
    """UCT drafting for static worths."""
    if draft.limits:
        raise OptionError("UCT drafting knows no limits; use kth, greedy, reply or exact")
    return UctDrafter(
        draft.size, draft.order, draft.players, additive, additive_ground(draft), lists=draft.lists, models=models,
        settings=settings, seed=seed, node=node,
    )  # fmt: skip
