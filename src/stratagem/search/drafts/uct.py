"""UCT drafting: search over the picks of a draft, with an evaluation of finished drafts given as a kernel.

Every node maximises its own mover's value (max^n); a simulated draft is completed at random or by rankings and then
scored, so no game has to be played out (Gibson, Desai, Zhao: An Automated Technique for Drafting Territories in the Board
Game Risk, AIIDE 2010). Use it where worths depend on who holds what, or where exact drafting is too large; with static
worths and few items the exact methods (`exact`) are better. It cannot see a plan that only one long line of precise picks
reveals, and it is only as good as the evaluation.

The tree is that of `search.tree`: a draft is a game of few kernels, a seat that is modelled goes on by its model in place
of the upper confidence bound, and new children are shuffled, so that a search of few simulations favours no item.

The evaluation is `evaluate(g, owned, out)`: `owned` are the items of each player as bitmasks (int64, one a player), `out`
takes one value a player (float64) in [0, 1]; `g` is any array the kernel wants.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.bits import lowest, popcount
from stratagem.compile import Bound, specialise
from stratagem.errors import CompileError, GameOver, IllegalMove, MissingKernel, OptionError, StratagemError
from stratagem.hints import index, nth
from stratagem.kernel import OVER, Moves, Payoffs, State
from stratagem.plans.draft import MOST_ITEMS, UNIT, Draft, Ints, Node
from stratagem.rng import Rng, below, generator, unit
from stratagem.search.budget import Budget, StopFlag
from stratagem.search.sampling.playouts import playout
from stratagem.search.settings import settings_of
from stratagem.search.tree import cell, proofs, traffic
from stratagem.search.tree.records import Tree, TreeLimits, Walk, Walker, plant
from stratagem.search.tree.selection import below_or_fresh, no_priors, select, select_uct
from stratagem.search.tree.templates import INLINED, copy_subtree, expand, simulate

# how a seat is modelled
SEARCH, RANKING, RANDOM = 0, 1, 2
MODELS = {"search": SEARCH, "ranking": RANKING, "random": RANDOM}
COMPILED_SEATS = (2, 4, 8, 16, 62)  # numbers of players that there is code for; fewer leave seats empty
SAMPLES = 64  # completed drafts that tell the spread of values
MOMENT = 100_000  # simulations that are over before anyone could interrupt
FOR_EVER = 1 << 62  # simulations, where time alone decides


class DraftGround(NamedTuple):
    """A draft to its kernels."""

    order: Ints  # [turns]: the player
    lists: Ints  # [players, items]: of each, best first
    models: Ints  # [players]: SEARCH, RANKING or RANDOM, in the tree
    rollouts: Ints  # [players]: RANKING or RANDOM, where a draft is completed
    slip: float  # the chance that a drafter by ranking passes over an item
    judged_by: NDArray[Any]  # the evaluation's own ground


# --------------------------------------------------------------------------------------------------- the draft as kernels

# state: [turns that are over, free items as a bitmask, items of player 0 as a bitmask, of player 1, ..]
TURN, FREE, OWNED = 0, 1, 2


def evaluate(g: Any, owned: Ints, out: Payoffs) -> None:
    """Bound for each draft."""
    raise MissingKernel("bound for each draft")


def turn(g: DraftGround, s: State) -> int:
    return int(g.order[s[TURN]]) if s[TURN] < g.order.shape[0] else OVER


def count(g: DraftGround, s: State, p: int) -> int:
    return popcount(s[FREE])


def moves(g: DraftGround, s: State, p: int, out: Moves) -> int:
    n = 0
    free = s[FREE]
    while free:
        out[n] = lowest(free)
        free &= free - 1
        n += 1
    return n


def play(g: DraftGround, s: State, p: int, m: int) -> None:
    s[OWNED + p] |= np.int64(1) << m
    s[FREE] ^= np.int64(1) << m
    s[TURN] += 1


def payoff(g: DraftGround, s: State, out: Payoffs) -> None:
    players = g.models.shape[0]
    evaluate(g.judged_by, s[OWNED : OWNED + players], out[:players])


def at_random(g: DraftGround, s: State, p: int, r: Rng) -> int:
    """Any free item, all alike."""
    return lowest(nth(s[FREE], below(r, popcount(s[FREE]))))


def by_ranking(g: DraftGround, s: State, p: int, r: Rng) -> int:
    """The best free item of a player's list, each one passed over with the chance `slip`."""
    last = np.int64(-1)
    for at in range(g.lists.shape[1]):
        x = g.lists[p, at]
        if s[FREE] >> x & 1:
            last = x
            if g.slip == 0.0 or unit(r) >= g.slip:
                break
    return int(last)


def by_model(g: DraftGround, s: State, p: int, r: Rng) -> int:
    """A pick as the player completes a draft."""
    return by_ranking(g, s, p, r) if g.rollouts[p] == RANKING else at_random(g, s, p, r)


# ------------------------------------------------------------------------------------------------------ the tree's parts


def grow_shuffled(g: Any, s: State, t: int, tree: Tree, walker: Walker, node: int) -> int:
    """Children for every free item, in any order; returns the first, or an error."""
    first = expand(g, s, t, tree, walker, node)
    if first > 0:
        for k in range(popcount(s[FREE]) - 1, 0, -1):
            one, other = (
                cell.PAIR * index(first + k) + cell.MOVE,
                cell.PAIR * index(first + below(walker.rng, k + 1)) + cell.MOVE,
            )
            tree.nodes[one], tree.nodes[other] = tree.nodes[other], tree.nodes[one]
    return first


def step_by_model(
    g: DraftGround, tree: Tree, walker: Walker, walk: Walk, t: int, node: int, first: int, c: float
) -> tuple[int, int]:
    """A player goes on by its model, or by the upper confidence bound where it has none."""
    if g.models[t] == SEARCH:
        return select(tree, node, first, t, c)
    x = by_model(g, walk.state, t, walker.rng)
    child = first
    while tree.nodes[cell.PAIR * index(child) + cell.MOVE] != x:
        child += 1
    return child, below_or_fresh(tree, child)


def spread_of_values(g: Any, start: State, walker: Walker, samples: int) -> float:
    """The standard deviation of a player's value over completed drafts, averaged over the players."""
    players, s, out = g.models.shape[0], walker.walk.state, walker.out
    sums, squares = walker.sums, walker.arms  # that nobody reads here
    for j in range(players):
        sums[j] = 0.0
        squares[j] = 0.0
    for _ in range(samples):
        for i in range(s.shape[0]):
            s[i] = start[i]
        playout(g, s, walker.rng, walker.joint, 0, MOST_ITEMS, out)
        for j in range(players):
            sums[j] += out[j]
            squares[j] += out[j] * out[j]
    spread = 0.0
    for j in range(players):
        spread += math.sqrt(max(squares[j] / samples - (sums[j] / samples) ** 2, 0.0)) / players
    return spread


def search_draft(
    g: Any, start: State, tree: Tree, walker: Walker, limits: TreeLimits, samples: int, stop: StopFlag
) -> int:
    """Simulations of a draft; returns how many, or an error. The exploration is in units of the spread of `samples` values."""
    unit_of = max(spread_of_values(g, start, walker, samples), UNIT) if samples > 0 else 1.0
    c = limits.exploration * unit_of
    scaled = TreeLimits(c, limits.cut, limits.cap, limits.at_least, limits.at_most)
    return simulate(g, start, tree, walker, scaled, stop)


def draft_template(
    g: DraftGround, start: State, tree: Tree, walker: Walker, limits: TreeLimits, samples: int, stop: StopFlag
) -> int:
    """To the tree the ground is any one; this says which, so that it is taken apart when it is called."""
    return search_draft(g, start, tree, walker, limits, samples, stop)


PARTS = (*INLINED, simulate, grow_shuffled, step_by_model)


def seats_for(players: int) -> int:
    """The number of seats that the code for so many players has."""
    return next(seats for seats in COMPILED_SEATS if seats >= players)


def composed(evaluate: Callable[..., None], seats: int) -> dict[str, Any]:
    """The names of a search of a draft: its kernels, and a choice of each part of the tree; the evaluation keeps its own."""
    judge = evaluate if isinstance(evaluate, Bound) else Bound(evaluate)
    sizes = {"PLAYERS": seats, "SIZE": OWNED + seats, "LOW": 0.0, "HIGH": 1.0}
    rules = {"turn": turn, "count": count, "moves": moves, "play": play, "payoff": payoff, "evaluate": judge}
    ends = {"rollout": by_model, "HAS_CHANCE": False, "HAS_TOGETHER": False, "CUTS": False}
    tree = {"select": select_uct, "give_priors": no_priors, "grow": grow_shuffled}
    return sizes | rules | ends | tree | proofs.WITHOUT | traffic.ALONE | {"step": step_by_model}


def draft_walker(players: int, items: int, seed: int) -> Walker:
    """What one thread works with in the tree of a draft."""
    seats = seats_for(players)
    return Walker(
        walk=Walk(np.zeros(OWNED + seats, np.int64), np.zeros(cell.PATH, np.int64), np.zeros(cell.PATH, np.int64)),
        rng=generator(seed),
        batches=np.zeros(1),  # for threads in one tree alone
        listed=np.zeros(items, np.int64),
        joint=np.zeros(1, np.int64),  # nobody decides at once
        out=np.zeros(seats),
        pool=np.zeros(3, np.int64),
        arms=np.zeros(cell.ARM * max(items + 1, seats)),
        sums=np.zeros(seats),
    )


def draft_state(players: int, items: int, node: Node) -> State:
    """A node as the kernels see it."""
    s = np.zeros(OWNED + seats_for(players), np.int64)
    s[TURN], s[FREE] = node.turn, ((1 << items) - 1) & ~node.taken
    s[OWNED : OWNED + players] = node.owned
    return s


# ------------------------------------------------------------------------------------------------------------- the drafter


def additive(g: Ints, owned: Ints, out: Payoffs) -> None:
    """Static worths, as a share of the most that a player can hold. ground: [items; for each player most, worths..]"""
    m = g[0]
    for i in range(owned.shape[0]):
        base = 1 + i * (m + 1)
        rest = owned[i]
        total = np.int64(0)
        while rest:
            total += g[index(base + 1 + lowest(rest))]
            rest &= rest - 1
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


@dataclass(frozen=True, eq=False)
class JudgedDraft:
    """A draft whose worth a kernel tells when it is finished: see the module's docstring."""

    items: int
    order: Sequence[int]  # the player of each turn
    players: int
    evaluate: Callable[[Any, Ints, Payoffs], None]
    ground: NDArray[Any] | None = None  # the evaluation's `g`
    lists: Ints | None = None  # [players, items]: of each, best first; for those who draft by ranking

    def __post_init__(self) -> None:
        if not 1 <= self.items <= MOST_ITEMS:
            raise OptionError(f"UCT drafting takes from 1 to {MOST_ITEMS} items, not {self.items}")
        if not 1 <= self.players <= COMPILED_SEATS[-1]:
            raise OptionError(f"UCT drafting takes from 1 to {COMPILED_SEATS[-1]} players, not {self.players}")
        if len(self.order) > self.items or any(not 0 <= i < self.players for i in self.order):
            raise OptionError(f"the order must have at most {self.items} turns of players 0 to {self.players - 1}")

    @classmethod
    def of(cls, draft: Draft) -> JudgedDraft:
        """A draft with static worths."""
        if draft.limits:
            raise OptionError("UCT drafting knows no limits; use kth, greedy, reply or exact")
        ground = additive_ground(draft)
        return cls(draft.size, draft.order, draft.players, additive, ground, draft.lists)


@dataclass(frozen=True)
class DraftUctSettings:
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
        if self.nodes <= MOST_ITEMS:
            raise OptionError(f"a tree of {self.nodes} nodes may not hold the first picks; give more than {MOST_ITEMS}")


@dataclass(frozen=True)
class ConsideredItem:
    """An item that was considered for a pick."""

    item: int
    visits: int
    value: float  # mean value to the player who picks


class ForEvaluation:
    """A template compiled for one evaluation of drafts: lean, which is quicker, unless the evaluation makes arrays of its own."""

    def __init__(
        self, template: Callable[..., Any], evaluate: Callable[..., None], players: int, label: str, **names: Any
    ) -> None:
        self._template, self._names, self._label = template, composed(evaluate, seats_for(players)) | names, label
        self._build, self._lean = self._specialised(lean=True), True

    def _specialised(self, *, lean: bool) -> Callable[..., Any]:
        return specialise(self._template, self._names, label=self._label, lean=lean, inline=PARTS)

    def __call__(self, *args: Any) -> Any:
        try:
            return self._build(*args)
        except CompileError:
            if not self._lean:
                raise
            self._build, self._lean = self._specialised(lean=False), False
            return self._build(*args)


@cache
def _search(evaluate: Callable[..., None], seats: int) -> ForEvaluation:
    """Specialising reads sources and hashes them: once is enough for all drafts of a kind."""
    return ForEvaluation(draft_template, evaluate, seats, "UCT drafting")


@cache
def _copy() -> Callable[..., int]:
    return specialise(copy_subtree, {}, label="UCT drafting, reuse", lean=True)


class UctDrafter:
    """Drafts by UCT; keeps its tree between picks. `play` tells it what was really picked.

    models: for each seat `search` (its own value is maximised), `ranking` (takes the best of its list, slipping now and
    then) or `random`. Parameters may be given whole, as `settings`, or by name.
    """

    def __init__(
        self,
        draft: JudgedDraft,
        *,
        models: Sequence[str] | None = None,
        settings: DraftUctSettings | None = None,
        seed: int = 0,
        node: Node | None = None,
        **changes: Any,
    ) -> None:
        self.settings = settings_of(DraftUctSettings, settings, changes)
        self.draft = draft
        players = draft.players
        models = tuple(models or ("search",) * players)
        if len(models) != players or not set(models) <= set(MODELS):
            raise OptionError(f"models {models!r}: give one of {', '.join(MODELS)} a player, for {players} players")
        # a seat with a model follows it in completions too
        completing = [self.settings.rollout if model == "search" else model for model in models]
        if "ranking" in completing and draft.lists is None:
            raise OptionError("drafting by ranking needs `lists`: each player's items, best first")
        self.ground = DraftGround(
            order=np.array(draft.order, np.int64),
            lists=np.zeros((players, 0), np.int64) if draft.lists is None else draft.lists,
            models=np.array([MODELS[model] for model in models], np.int64),
            rollouts=np.array([MODELS[model] for model in completing], np.int64),
            slip=self.settings.slip,
            judged_by=np.zeros(1, np.int64) if draft.ground is None else draft.ground,
        )
        self._search = _search(draft.evaluate, seats_for(players))
        self._tree = self._plant()
        self._spare: Tree | None = None
        self._walker = draft_walker(players, draft.items, seed)
        self.restart(node or Node((0,) * players))

    def _plant(self) -> Tree:
        return plant(self.settings.nodes, proofs=False, priors=False)

    def restart(self, node: Node) -> None:
        """Go to a node, without what is known of it."""
        self.node = node
        self._tree.clear()
        self._begin(1)

    def _begin(self, used: int) -> None:
        """Go on with a tree of so many nodes; a flat one has room for the first picks alone."""
        pool, end = self._walker.pool, self._tree.size
        if self.settings.flat:
            end = used if self._tree.children(cell.ROOT) else used + self.free.bit_count()
        pool[cell.NEXT], pool[cell.END], pool[cell.BEGIN] = used, end, used

    @property
    def free(self) -> int:
        """The free items as a bitmask."""
        return ((1 << self.draft.items) - 1) & ~self.node.taken

    @property
    def over(self) -> bool:
        return self.node.turn >= len(self.draft.order)

    @property
    def visits(self) -> int:
        """How many simulations of this node are known."""
        return int(self._tree.visits(cell.ROOT))

    def play(self, item: int) -> None:
        """Make a real pick; what the tree knows below it is kept."""
        if self.over:
            raise GameOver(f"the draft is over after {len(self.draft.order)} turns")
        if not (0 <= item < self.draft.items and self.free >> item & 1):
            raise IllegalMove(f"item {item} is not free")
        tree, after = self._tree, self.node.plus(int(self.draft.order[self.node.turn]), item)
        child = next((child for child in tree.children(cell.ROOT) if tree.move(child) == item), None)
        if child is None:
            self.restart(after)
            return
        spare = self._spare or self._plant()
        used = _copy()(tree, child, spare, np.empty(tree.size, np.int64), tree.size)
        self.node, self._tree, self._spare = after, spare, tree
        self._begin(int(used))

    def consider(
        self, *, simulations: int | None = None, seconds: float | None = None, budget: Budget | None = None
    ) -> list[ConsideredItem]:
        """Search, and return the free items: most visited first, ties by mean value, then by index.

        Ctrl-C raises KeyboardInterrupt, but with a budget of the caller's own it ends the search and the budget tells.
        """
        if self.over:
            raise GameOver(f"the draft is over after {len(self.draft.order)} turns: there is no pick to make")
        own = budget is None
        budget = budget or Budget(seconds)
        at_least = 0
        if simulations is None and budget.seconds is None:
            simulations = self.settings.simulations
        elif simulations is None:
            simulations, at_least = FOR_EVER, self.free.bit_count()  # with any clock every item is tried once
        start = draft_state(self.draft.players, self.draft.items, self.node)
        exploration, samples = self.settings.exploration, SAMPLES
        if self.settings.spread is not None:
            exploration, samples = exploration * max(self.settings.spread, UNIT), 0
        limits = TreeLimits(exploration, 0, MOST_ITEMS, at_least, simulations)
        arguments = self.ground, start, self._tree, self._walker, limits, samples, budget.flag
        if budget.seconds is None and simulations <= MOMENT:
            done = self._search(*arguments)
        else:
            done = budget.run(self._search, *arguments)
            if budget.interrupted and own:
                raise KeyboardInterrupt
        if done < 0:
            self.restart(self.node)
            raise StratagemError("the evaluation gave NaN or a value out of 0 to 1 for a finished draft")
        tree = self._tree
        found = (
            ConsideredItem(tree.move(child), int(visits), tree.total(child) / max(visits, 1.0))
            for child in tree.children(cell.ROOT)
            for visits in (tree.visits(child),)
        )
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


def uct_drafter(draft: Draft, **options: Any) -> UctDrafter:
    """UCT drafting for static worths; options as of UctDrafter."""
    return UctDrafter(JudgedDraft.of(draft), **options)
