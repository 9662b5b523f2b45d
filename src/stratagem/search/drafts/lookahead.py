"""Look-ahead picking: the kth-best pick, its ascending variant, and exact play by a table of states.

The kth-best pick takes now the worst item of the longest top segment of one's own list that can still be completed later,
provided everybody drafts in this way. With one shared ranking it is greedy picking; where rankings differ it is usually
close to equilibrium with two players, less so with more, and it is a component for static or nearly static worths only.
`docs/drafts.md` says where it fails.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from stratagem.compile import specialise
from stratagem.errors import OptionError, StratagemError
from stratagem.plans.draft import MOST_ITEMS, PASS, Draft, Ints, Node
from stratagem.search.drafts import tables

DEFAULT_STATES = 1 << 22  # most states kept before a question is refused: seconds of work, and under 1 GB


class TooLarge(StratagemError):
    """An exact answer would cost more states or memory than allowed."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Worths that depend on the state, as kernels over `owned`, the items of each player as bitmasks.

    worth(g, owned, i, x): of taking the free item x, for the ranking. final(g, owned, i): of the finished draft, for exact
    play. legal(g, owned, i, x): whether player i may take x; all may be taken if it is not given.
    """

    worth: Callable[..., float]
    final: Callable[..., float] | None = None
    ground: Ints | None = None
    legal: Callable[..., bool] | None = None


def limits_ground(draft: Draft) -> Ints:
    """The ground of `tables.legal_within_limits`."""
    assert draft.positions is not None
    limited = sorted(draft.limits)
    masks = [sum(1 << x for x, p in enumerate(draft.positions) if p == name) for name in limited]
    at = [limited.index(p) if p in draft.limits else -1 for p in draft.positions]
    return np.array([len(limited), *(draft.limits[p] for p in limited), *masks, *at], np.int64)


@cache
def _compiled(template: Callable[..., Any], names: tuple[tuple[str, Any], ...] = ()) -> Callable[..., Any]:
    """Specialising reads sources and hashes them: once is enough for all drafts of a kind."""
    return specialise(template, dict(names), label=f"drafting, {template.__name__.removesuffix('_template')}")


class _Table:
    """A draft with a table of states that is kept between questions; restricted to what is still free it stays valid."""

    template: Callable[..., Any]
    spare: Ints  # scratch: replayed owners, or a child's

    def __init__(
        self, draft: Draft, evaluation: Evaluation | None, values: int, most_states: int, stop: Ints | None
    ) -> None:
        if draft.size > MOST_ITEMS:
            raise TooLarge(
                f"{draft.size} items are too many for sets of one word; at most {MOST_ITEMS}: cut the pool to its horizon"
            )
        self.draft = draft
        self.most_states = most_states
        self.stop = np.zeros(1, np.int64) if stop is None else stop
        bound: dict[str, Any] = {"STATIC": evaluation is None}
        words = 1
        self.ground = np.zeros(1, np.int64)
        if evaluation is not None:
            bound |= {"worth": evaluation.worth, "state_key": tables.key_with_owners}
            bound |= {"final": evaluation.final} if evaluation.final else {}
            bound |= {"legal": evaluation.legal} if evaluation.legal else {}
            words = draft.players + 1
            if evaluation.ground is not None:
                self.ground = evaluation.ground
        elif draft.limits:
            bound |= {"legal": tables.legal_within_limits, "state_key": tables.key_with_counts}
            self.ground = limits_ground(draft)
            words = 2
            radix = (draft.turns + 1) * np.prod([float(k + 1) for k in draft.limits.values()]) ** draft.players
            if radix >= 2.0**62:
                raise TooLarge(
                    f"{len(draft.limits)} limits and {draft.players} players make states that do not fit into two words"
                )
        self._run = _compiled(self.template, tuple(sorted(bound.items())))
        self._rehash = _compiled(tables.rehash_template)
        m, n, depth = draft.size, draft.players, draft.turns + 2
        self.keys = np.zeros((1 << 10, words), np.int64)
        self.values = np.zeros((1 << 10, values), np.int64)
        self.info = np.zeros(3, np.int64)
        self.frames = np.zeros((depth, tables.FRAME), np.int64)
        self.owned = np.zeros((depth, n), np.int64)
        self.tops = np.zeros((depth, m), np.int64)
        self.scratch = np.zeros((3, max(m, depth) + 1), np.int64)
        self.key, self.value = np.zeros(words, np.int64), np.zeros(values, np.int64)

    @property
    def states(self) -> int:
        """Distinct states in the table."""
        return int(self.info[tables.STATES])

    def _ask(self, node: Node, *more: Any) -> Ints:
        """The table's entry of a node, worked out if it is not there."""
        draft = self.draft
        if node.turn >= draft.turns:
            raise OptionError(f"the draft is over after {draft.turns} turns: there is no pick to make")
        self.owned[0] = node.owned
        self.frames[0] = 0
        self.frames[0, tables.TURN] = node.turn
        self.frames[0, tables.FREE] = ((1 << draft.size) - 1) & ~node.taken
        self.info[tables.DEPTH] = 0
        while True:
            status = self._run(
                self.ground, draft.lists, *more, self.owned, self.spare, self.frames, self.tops, self.scratch, self.key,
                self.value, self.keys, self.values, self.info, self.stop,
            )  # fmt: skip
            if status == tables.DONE:
                return self.value
            if status == tables.STOPPED:
                raise KeyboardInterrupt
            if self.states >= self.most_states:
                free = draft.size - node.taken.bit_count()
                raise TooLarge(
                    f"more than {self.most_states:,} states are needed from here ({free} items free, "
                    f"{draft.players} players): use the ascending rule, UCT drafting, or fewer items"
                )
            self._grow()

    def _grow(self) -> None:
        keys = np.zeros((2 * len(self.keys), self.keys.shape[1]), np.int64)
        values = np.zeros((2 * len(self.keys), self.values.shape[1]), np.int64)
        self._rehash(self.keys, self.values, keys, values)
        self.keys, self.values = keys, values


class KthDrafter(_Table):
    """The kth-best pick by replays and a table of picks: `kth_pick` and `gets_all` as the rule states them.

    `prune` skips trials that must fail, which changes no pick; without it `states` counts what the plain rule with a memo
    looks at. `ascending` is the variant that tries k = 1, 2, ... and stops at the first failure.
    """

    template = staticmethod(tables.kth_template)

    def __init__(
        self, draft: Draft, *, ascending: bool = False, prune: bool = True, evaluation: Evaluation | None = None,
        most_states: int = DEFAULT_STATES, stop: Ints | None = None,
    ) -> None:  # fmt: skip
        super().__init__(draft, evaluation, 1, most_states, stop)
        self.prune, self.ascending = prune, ascending
        self.spare = np.zeros_like(self.owned)

    def pick(self, node: Node | None = None) -> int:
        """The item to take, by index, or PASS."""
        return int(
            self._ask(node or self.draft.start(), self.draft.turn_order, self.draft.left, self.prune, self.ascending)[0]
        )

    def gets_all(self, wanted: int, i: int, node: Node) -> bool:
        """Whether player i gets every item of a set (a bitmask) from a node on, if everybody drafts by the rule."""
        while wanted:
            if node.turn >= self.draft.turns:
                return False
            x = self.pick(node)
            if x != PASS and wanted >> x & 1:
                if self.draft.order[node.turn] != i:
                    return False
                wanted ^= 1 << x
            node = play(node, self.draft.order[node.turn], x)
        return True

    def picks(self, node: Node | None = None) -> tuple[int, ...]:
        """The picks from a node to the end."""
        return _run_out(self.draft, node or self.draft.start(), self.pick)


class OutcomeDrafter(_Table):
    """Drafting by a table of outcomes: for each state, what each player gets from there on. No replays.

    rules: for each seat `kth`, `greedy` or `best` (the pick with the largest own final worth). All `best` is subgame
    perfect equilibrium; one `best` among `greedy` ones is the best reply to them. A `kth` drafter believes that everybody
    drafts like him, so `kth` does not mix with the others.
    """

    template = staticmethod(tables.outcome_template)

    def __init__(
        self, draft: Draft, rules: str | tuple[str, ...], *, ascending: bool = False, prune: bool = True,
        evaluation: Evaluation | None = None, most_states: int = DEFAULT_STATES, stop: Ints | None = None,
    ) -> None:  # fmt: skip
        rules = (rules,) * draft.players if isinstance(rules, str) else rules
        codes = {"kth": tables.KTH, "greedy": tables.GREEDY, "best": tables.MAXIMISE}
        if len(rules) != draft.players or not set(rules) <= set(codes):
            raise OptionError(f"rules {rules!r}: give one of {', '.join(codes)} a player, for {draft.players} players")
        if "kth" in rules and len(set(rules)) > 1:
            raise OptionError("a kth drafter believes that all draft like him: kth does not mix with other rules")
        if evaluation is not None and evaluation.final is None and "best" in rules:
            raise OptionError("to play best, the evaluation needs `final`: the worth of a finished draft")
        super().__init__(draft, evaluation, 1 + draft.players, most_states, stop)
        self.prune, self.ascending = prune, ascending
        self.rules = np.array([codes[rule] for rule in rules], np.int64)
        # with two players the mover's best items suffice: he never needs to steer the other by a pick he does not want
        self.narrow = draft.players == 2 and evaluation is None and not draft.limits and set(rules) == {"best"}
        self.spare = np.zeros(draft.players, np.int64)

    def _value(self, node: Node) -> Ints:
        draft = self.draft
        return self._ask(
            node, draft.points, draft.turn_order, draft.left, self.prune, self.ascending, self.rules, self.narrow
        )

    def pick(self, node: Node | None = None) -> int:
        return int(self._value(node or self.draft.start())[0])

    def outcome(self, node: Node | None = None) -> tuple[int, ...]:
        """What each player gets from a node on, as bitmasks."""
        return tuple(int(x) for x in self._value(node or self.draft.start())[1:])

    def picks(self, node: Node | None = None) -> tuple[int, ...]:
        return _run_out(self.draft, node or self.draft.start(), self.pick)


def play(node: Node, i: int, x: int) -> Node:
    """The node after player i takes x, or passes; unchecked."""
    if x == PASS:
        return Node(node.owned, node.turn + 1)
    return Node(tuple(o | 1 << x if j == i else o for j, o in enumerate(node.owned)), node.turn + 1)


def _run_out(draft: Draft, node: Node, pick: Callable[[Node], int]) -> tuple[int, ...]:
    picks = []
    while node.turn < draft.turns:
        x = pick(node)
        picks.append(x)
        node = play(node, draft.order[node.turn], x)
    return tuple(picks)


# ------------------------------------------------------------------------------------------------------------ functions


def greedy_pick(draft: Draft, node: Node | None = None) -> int:
    """The best legal item of the player to move, by the strict order, or PASS."""
    node = node or draft.start()
    taken = node.taken
    i = draft.order[node.turn]
    for x in draft.lists[i]:
        if not taken >> int(x) & 1 and draft.fits(node, i, int(x)):
            return int(x)
    return PASS


def greedy(draft: Draft, node: Node | None = None) -> tuple[int, ...]:
    """Everybody takes his best free item."""
    return _run_out(draft, node or draft.start(), lambda at: greedy_pick(draft, at))


def kth_best_pick(draft: Draft, node: Node | None = None, **options: Any) -> int:
    """The kth-best pick of the player to move; options as of KthDrafter."""
    return KthDrafter(draft, **options).pick(node)


def gets_all(draft: Draft, wanted: int, i: int, node: Node, **options: Any) -> bool:
    """Whether player i gets all of `wanted` (a bitmask) if everybody makes kth-best picks from a node on."""
    return KthDrafter(draft, **options).gets_all(wanted, i, node)


def ascending_pick(draft: Draft, node: Node | None = None, **options: Any) -> int:
    """The ascending variant: cheaper, and not quite the same rule."""
    return KthDrafter(draft, ascending=True, **options).pick(node)


def back_to_front(draft: Draft, node: Node | None = None) -> tuple[int, ...]:
    """The exact picks of two players where everything is taken (Kohler and Chandrasekaran 1971).

    From the last turn to the first, whoever has the turn is given the item that the other ranks lowest among those not
    yet given; the picks are then made in turn order.
    """
    node = node or draft.start()
    free = draft.free(node)
    order = draft.order[node.turn :]
    if draft.players != 2:
        raise OptionError(f"the back-to-front rule is for two players, not {draft.players}; use exact")
    if len(order) != len(free):
        raise OptionError(
            f"the back-to-front rule needs every item taken; {len(free)} items, {len(order)} turns: use exact"
        )
    if draft.limits:
        raise OptionError("the back-to-front rule knows no limits; use exact")
    picks = []
    for i in reversed(order):
        x = next(int(x) for x in reversed(draft.lists[1 - i]) if int(x) in free)
        free.remove(x)
        picks.append(x)
    return tuple(reversed(picks))


__all__ = [
    "DEFAULT_STATES", "Evaluation", "KthDrafter", "OutcomeDrafter", "TooLarge", "ascending_pick",
    "back_to_front", "gets_all", "greedy", "greedy_pick", "kth_best_pick",
]  # fmt: skip
