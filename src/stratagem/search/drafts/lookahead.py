"""Look-ahead picking: the kth-best pick, its ascending variant, and exact play by a table of states.

The kth-best pick takes now the worst item of the longest top segment of one's own list that can still be completed later,
provided everybody drafts in this way. With one shared ranking it is greedy picking; where rankings differ it is usually
close to equilibrium with two players, less so with more, and it is a component for static or nearly static worths only.
`docs/search/drafts.md` says where it fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import Bound, specialise
from stratagem.errors import OptionError
from stratagem.plans.draft import MOST_ITEMS, PASS, Draft, Ints, Node, Picks
from stratagem.search.drafts import tables
from stratagem.search.drafts.solution import TooLarge
from stratagem.search.settings import settings_of

DEFAULT_STATES = 1 << 22  # most states kept before a question is refused: seconds of work, and under 1 GB
SLOTS = 1 << 10  # of a table, at first


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Worths that depend on the state, as kernels over `owned`, the items of each player as bitmasks.

    worth(g, owned, i, x): of taking the free item x, for the ranking. final(g, owned, i): of the finished draft, for exact
    play. legal(g, owned, i, x): whether player i may take x; all may be taken if it is not given. worths(g, owned, i, free,
    out): `worth` of all items of the mask `free` into out[x], where that is cheaper than one after another.
    """

    worth: Callable[..., float] | Bound
    final: Callable[..., float] | Bound | None = None
    ground: NDArray[Any] | None = None
    legal: Callable[..., bool] | Bound | None = None
    worths: Callable[..., None] | Bound | None = None


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
    name = template.__name__.removesuffix("_template")
    return specialise(template, dict(names), label=f"drafting, {name}", lean=True, inline=tables.INLINED)


@dataclass(frozen=True)
class LookaheadSettings:
    """Parameters of look-ahead drafting."""

    ascending: bool = False  # try k = 1, 2, ... and stop at the first failure, in place of the longest segment first
    prune: bool = (
        True  # skip trials that must fail, which changes no pick; without it `states` counts all nodes asked about
    )
    most_states: int = DEFAULT_STATES  # kept before a question is refused
    longest: int = MOST_ITEMS  # of a player's best items that are tried; fewer make a pick cheaper and blinder


class _Table:
    """A draft with a table of states that is kept between questions; restricted to what is still free it stays valid."""

    template: Callable[..., Any]
    entry = 1  # words of an entry

    def __init__(
        self,
        draft: Draft,
        rules: Sequence[int],
        evaluation: Evaluation | None,
        settings: LookaheadSettings,
        stop: Ints | None,
    ) -> None:
        if draft.size > MOST_ITEMS:
            raise TooLarge(
                f"{draft.size} items are too many for sets of one word; at most {MOST_ITEMS}: cut the pool to its horizon"
            )
        self.draft, self.settings = draft, settings
        self.stop = np.zeros(1, np.int64) if stop is None else stop
        self.ground, words, names = _bound(draft, evaluation)
        self._run = _compiled(self.template, tuple(sorted(names.items())))
        self._arrays = draft.arrays._replace(left=np.minimum(draft.arrays.left, settings.longest))
        # with two players the mover's best items suffice: he never needs to steer the other by a pick he does not want
        narrow = draft.players == 2 and evaluation is None and not draft.limits and set(rules) == {tables.MAXIMISE}
        self._manner = tables.Manner(settings.prune, settings.ascending, narrow, np.array(rules, np.int64))
        self._stack = tables.Stack.empty(draft.arrays)
        self._states = tables.States.empty(SLOTS, words, self.entry)

    @property
    def states(self) -> int:
        """Distinct states in the table."""
        return int(self._stack.info[tables.STATES])

    def _ask(self, node: Node) -> Ints:
        """The table's entry of a node, worked out if it is not there."""
        draft, stack = self.draft, self._stack
        if node.turn >= draft.turns:
            raise OptionError(f"the draft is over after {draft.turns} turns: there is no pick to make")
        stack.owned[0] = node.owned
        stack.frames[0] = 0
        stack.frames[0, tables.TURN] = node.turn
        stack.frames[0, tables.FREE] = ((1 << draft.size) - 1) & ~node.taken
        stack.info[tables.DEPTH] = 0
        while True:
            status = self._run(self.ground, self._arrays, self._manner, stack, self._states, self.stop)
            if status == tables.DONE:
                return self._states.value
            if status == tables.STOPPED:
                raise KeyboardInterrupt
            if self.states >= self.settings.most_states:
                free = draft.size - node.taken.bit_count()
                raise TooLarge(
                    f"more than {self.settings.most_states:,} states are needed from here ({free} items free, "
                    f"{draft.players} players): use the ascending rule, UCT drafting, or fewer items"
                )
            larger = self._states.twice()
            _compiled(tables.rehash_template)(self._states, larger)
            self._states = larger

    def pick(self, node: Node | None = None) -> int:
        """The item to take, by index, or PASS."""
        return int(self._ask(node or self.draft.start())[0])

    def picks(self, node: Node | None = None) -> Picks:
        """The picks from a node to the end."""
        return run_out(self.draft, node or self.draft.start(), self.pick)


def _bound(draft: Draft, evaluation: Evaluation | None) -> tuple[NDArray[Any], int, dict[str, Any]]:
    """The ground of a draft's kernels, the words of a state's key, and the names that its templates need."""
    if evaluation is not None:
        names: dict[str, Any] = {"STATIC": False, "worth": evaluation.worth, "state_key": tables.key_with_owners}
        names |= {"final": evaluation.final} if evaluation.final else {}
        names |= {"legal": evaluation.legal} if evaluation.legal else {}
        names |= {"worths": evaluation.worths} if evaluation.worths else {}
        ground = np.zeros(1, np.int64) if evaluation.ground is None else evaluation.ground
        return ground, draft.players + 1, names
    if not draft.limits:
        return np.zeros(1, np.int64), 1, {"STATIC": True}
    radix = (draft.turns + 1) * np.prod([float(k + 1) for k in draft.limits.values()]) ** draft.players
    if radix >= 2.0**62:
        raise TooLarge(
            f"{len(draft.limits)} limits and {draft.players} players make states that do not fit into two words"
        )
    names = {"STATIC": True, "legal": tables.legal_within_limits, "state_key": tables.key_with_counts}
    return limits_ground(draft), 2, names


class KthDrafter(_Table):
    """The kth-best pick by replays and a table of picks: `kth_pick` and `gets_all` as the rule states them.

    Parameters may be given whole, as `settings`, or by name: `KthDrafter(draft, ascending=True)`.
    """

    template = staticmethod(tables.kth_template)

    def __init__(
        self,
        draft: Draft,
        *,
        evaluation: Evaluation | None = None,
        settings: LookaheadSettings | None = None,
        stop: Ints | None = None,
        **changes: Any,
    ) -> None:
        rules = (tables.KTH,) * draft.players
        super().__init__(draft, rules, evaluation, settings_of(LookaheadSettings, settings, changes), stop)

    def gets_all(self, wanted: int, i: int, node: Node) -> bool:
        """Whether player i gets every item of a set (a bitmask) from a node on, if everybody drafts by the rule."""
        while wanted:
            if node.turn >= self.draft.turns:
                return False
            x = self.pick(node)
            mover = self.draft.order[node.turn]
            if x != PASS and wanted >> x & 1:
                if mover != i:
                    return False
                wanted ^= 1 << x
            node = node.plus(mover, x)
        return True


class OutcomeDrafter(_Table):
    """Drafting by a table of outcomes: for each state, what each player gets from there on. No replays.

    rules: for each seat `kth`, `greedy` or `best` (the pick with the largest own final worth). All `best` is subgame
    perfect equilibrium; one `best` among `greedy` ones is the best reply to them. A `kth` drafter believes that everybody
    drafts like him, so `kth` does not mix with the others. Parameters as of KthDrafter.
    """

    template = staticmethod(tables.outcome_template)

    def __init__(
        self,
        draft: Draft,
        rules: str | tuple[str, ...],
        *,
        evaluation: Evaluation | None = None,
        settings: LookaheadSettings | None = None,
        stop: Ints | None = None,
        **changes: Any,
    ) -> None:
        rules = (rules,) * draft.players if isinstance(rules, str) else rules
        codes = {"kth": tables.KTH, "greedy": tables.GREEDY, "best": tables.MAXIMISE}
        if len(rules) != draft.players or not set(rules) <= set(codes):
            raise OptionError(f"rules {rules!r}: give one of {', '.join(codes)} a player, for {draft.players} players")
        if "kth" in rules and len(set(rules)) > 1:
            raise OptionError("a kth drafter believes that all draft like him: kth does not mix with other rules")
        if evaluation is not None and evaluation.final is None and "best" in rules:
            raise OptionError("to play best, the evaluation needs `final`: the worth of a finished draft")
        self.entry = 1 + draft.players
        settings = settings_of(LookaheadSettings, settings, changes)
        super().__init__(draft, [codes[rule] for rule in rules], evaluation, settings, stop)

    def outcome(self, node: Node | None = None) -> tuple[int, ...]:
        """What each player gets from a node on, as bitmasks."""
        return tuple(int(x) for x in self._ask(node or self.draft.start())[1:])


def run_out(draft: Draft, node: Node, pick: Callable[[Node], int]) -> Picks:
    """The picks of a rule from a node to the end."""
    picks = []
    while node.turn < draft.turns:
        x = pick(node)
        picks.append(x)
        node = node.plus(draft.order[node.turn], x)
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


def greedy(draft: Draft, node: Node | None = None) -> Picks:
    """Everybody takes his best free item."""
    return run_out(draft, node or draft.start(), lambda at: greedy_pick(draft, at))


def back_to_front(draft: Draft, node: Node | None = None) -> Picks:
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
