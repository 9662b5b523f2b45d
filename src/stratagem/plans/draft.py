"""A draft: players take turns picking items from a common pool until the turns are used up.

`Draft` is the pool, what each item is worth to each player, the order of the turns and, where there are any, the limits on
how many items of a position one player may hold. `Node` is a point in it: who owns what, and whose turn it is. Sets of
items are bitmasks. Worths are kept as whole numbers of 1e-9, so that sums are exact and float noise is never an order.

A plan is the picks from a node on, items by index in turn order. `legal` says what may come next, `text` and `parse` write and
read a plan, and `sample` draws one. Without limits `count`, `rank` and `unrank` number them all. How to choose one is in
`search.drafts`.

The strict total order in which a player ranks items, the same in every call: own worth, larger first; then contest, the
sum of the opponents' worths, smaller first (an item that nobody wants will wait); then the index, smaller first. `ties` names
other orders of equals.

Worths may depend on who holds what: `synergies` add to the worth of whoever holds a whole set of items, and `function` is a
Python function of what everybody holds. Such a draft has no lists that hold for all of it; `search.drafts.dependent` drafts it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import IllegalMove, OptionError, ParseError, StratagemError, UnknownName, Untrusted
from stratagem.rng import Rng, below

UNIT = 1e-9  # worths are compared as whole multiples of this
LARGEST_WORTH = 2**62 * UNIT
MOST_ITEMS = 62  # a set of items is one int64
PASS = -1  # the pick of a player for whom every free item would break a limit
PASS_TEXT = "pass"
BETWEEN = ", "  # two picks in a text

TIES = ("least-contested", "most-contested", "index", "index-down", "random")  # orders of items of equal worth

Ints = NDArray[np.int64]
Picks = tuple[int, ...]  # a plan: items by index in turn order, PASS where a player has no legal one


# ------------------------------------------------------------------------------------------------------------- orders


def round_robin(players: int, turns: int) -> tuple[int, ...]:
    """0 1 2 0 1 2 ..."""
    return tuple(t % players for t in range(turns))


def snake(players: int, turns: int) -> tuple[int, ...]:
    """0 1 2 2 1 0 0 1 2 ..."""
    return tuple(t % players if t // players % 2 == 0 else players - 1 - t % players for t in range(turns))


def third_round_reversal(players: int, turns: int) -> tuple[int, ...]:
    """A snake whose third round runs like the second, and which alternates from there on."""
    order = []
    for t in range(turns):
        rounds, seat = divmod(t, players)
        forward = rounds == 0 or (rounds >= 3 and rounds % 2 == 1)
        order.append(seat if forward else players - 1 - seat)
    return tuple(order)


ORDERS = {"round-robin": round_robin, "snake": snake, "third-round-reversal": third_round_reversal}


# -------------------------------------------------------------------------------------------------------------- drafts


@dataclass(frozen=True)
class Node:
    """A point in a draft: the items of each player as a bitmask, and the turns that are over."""

    owned: tuple[int, ...]
    turn: int = 0

    @property
    def taken(self) -> int:
        """All owned items as a bitmask."""
        mask = 0
        for owned in self.owned:
            mask |= owned
        return mask

    def plus(self, i: int, x: int) -> Node:
        """The node after player i takes x, or passes; unchecked."""
        if x == PASS:
            return Node(self.owned, self.turn + 1)
        return Node(tuple(o | 1 << x if j == i else o for j, o in enumerate(self.owned)), self.turn + 1)


class DraftArrays(NamedTuple):
    """A draft's numbers, for templates."""

    lists: Ints  # [players, items]: the items of each in the strict order of the module's docstring, best first
    points: Ints  # [players, items]: worths in units of 1e-9
    order: Ints  # [turns]: the player
    left: Ints  # [turns + 1, players]: how many of the turns from t on are a player's


@dataclass(frozen=True)
class Synergy:
    """Items that are worth more to whoever holds them all; less where the worth is negative."""

    items: tuple[int, ...]
    worth: float
    player: int | None = None  # to whom; None: to everybody


WorthFunction = Callable[[tuple[frozenset[str], ...], int], float]  # of what everybody holds, to a player


@dataclass(frozen=True)
class Draft:
    """Items, what they are worth to each player, and the order of the turns (seats from 0).

    worths: one row a player, one number an item. positions: one for each item. limits: the most items of a position that one
    player may hold; an item that would break a limit is not legal, and a player without a legal item passes.
    """

    items: tuple[str, ...]
    worths: tuple[tuple[float, ...], ...]
    order: tuple[int, ...]
    positions: tuple[str, ...] | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    synergies: tuple[Synergy, ...] = ()
    function: WorthFunction | None = field(default=None, compare=False)  # in the place of worths and synergies
    ties: str = TIES[0]
    tie_seed: int = 0  # of random ties

    def __post_init__(self) -> None:
        for name, value in (("items", self.items), ("order", self.order)):
            object.__setattr__(self, name, tuple(value))
        object.__setattr__(self, "worths", tuple(tuple(row) for row in self.worths))
        if self.positions is not None:
            object.__setattr__(self, "positions", tuple(self.positions))
        object.__setattr__(self, "limits", dict(self.limits))
        object.__setattr__(self, "synergies", tuple(self.synergies))
        self._check()
        self._check_dependence()

    def _check_dependence(self) -> None:
        if self.ties not in TIES:
            raise UnknownName("order of ties", self.ties, TIES)
        for one in self.synergies:
            if len(one.items) < 2 or len(set(one.items)) < len(one.items):
                raise OptionError(f"a synergy joins two different items or more, not {list(one.items)}")
            for x in one.items:
                self.index(x)
            if (
                isinstance(one.worth, bool)
                or not isinstance(one.worth, int | float)
                or not abs(one.worth) < LARGEST_WORTH
            ):
                raise OptionError(f"a synergy is worth {one.worth!r}; it takes a number")
            if one.player is not None and not (isinstance(one.player, int) and 0 <= one.player < self.players):
                raise OptionError(f"a synergy is for player {one.player!r}; players go from 0 to {self.players - 1}")
        if self.synergies and self.size > MOST_ITEMS:
            raise OptionError(f"synergies are for at most {MOST_ITEMS} items; there are {self.size}")
        if self.dependent and self.limits:
            raise OptionError("limits and worths that depend on who holds what do not go together; leave one out")

    @property
    def dependent(self) -> bool:
        """Whether worths depend on who holds what."""
        return bool(self.synergies) or self.function is not None

    def _check(self) -> None:
        m, n = len(self.items), len(self.worths)
        if m == 0:
            raise OptionError("a draft needs items; the list is empty")
        if n == 0:
            raise OptionError("a draft needs players; give one list of worths a player")
        doubled = {name for name in self.items if self.items.count(name) > 1} if len(set(self.items)) < m else set()
        if doubled:
            raise OptionError(f"item {min(doubled)!r} is listed twice; names must differ")
        for i, row in enumerate(self.worths):
            if len(row) != m:
                raise OptionError(f"player {i} has {len(row)} worths for {m} items; the lists must be equally long")
            for x, worth in enumerate(row):
                if isinstance(worth, bool) or not isinstance(worth, int | float) or not abs(worth) < LARGEST_WORTH:
                    raise OptionError(f"player {i} gives item {self.items[x]!r} the worth {worth!r}; it takes a number")
            if sum(abs(worth) for worth in row) >= LARGEST_WORTH:
                raise OptionError(f"the worths of player {i} sum to over {LARGEST_WORTH:.1e}; scale them down")
        for t, i in enumerate(self.order):
            if not isinstance(i, int | np.integer) or isinstance(i, bool) or not 0 <= i < n:
                raise OptionError(f"turn {t + 1} of the order names player {i!r}; players go from 0 to {n - 1}")
        if len(self.order) > m:
            raise OptionError(f"the order has {len(self.order)} turns, but there are only {m} items")
        self._check_limits()

    def _check_limits(self) -> None:
        m, n = len(self.items), len(self.worths)
        if self.positions is not None and len(self.positions) != m:
            raise OptionError(f"there are {len(self.positions)} positions for {m} items; give one for each item")
        if not self.limits:
            return
        if self.positions is None:
            raise OptionError("limits need positions: give one for each item")
        for position, limit in self.limits.items():
            if position not in self.positions:
                raise UnknownName("position in limits", position, set(self.positions))
            if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0:
                raise OptionError(f"the limit of {position} is {limit!r}; it takes a whole number from 0")
        supply = {position: self.positions.count(position) for position in set(self.positions)}
        for i in range(n):
            turns = self.order.count(i)
            room = sum(min(self.limits.get(position, m), left) for position, left in supply.items())
            if turns > room:
                raise OptionError(
                    f"player {i} has {turns} turns, but the limits let it hold only {room} of these items: "
                    "raise a limit, add items or take turns away"
                )
        # Hall's condition on all players together: what each position can give is bounded by its supply and its limits.
        room = sum(min(self.limits.get(position, m) * n, left) for position, left in supply.items())
        if len(self.order) > room:
            raise OptionError(
                f"the order has {len(self.order)} turns, but the limits let the players hold only {room} items in all: "
                "raise a limit or take turns away"
            )

    # -- sizes

    @property
    def players(self) -> int:
        """The number of players."""
        return len(self.worths)

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self.items)

    @property
    def turns(self) -> int:
        """The number of turns."""
        return len(self.order)

    # -- arrays for the kernels

    @cached_property
    def points(self) -> Ints:
        """Worths in units of 1e-9: int64 [players, items]."""
        return np.rint(np.array(self.worths, np.float64).reshape(self.players, self.size) / UNIT).astype(np.int64)

    @cached_property
    def lists(self) -> Ints:
        """Each player's items in the strict order of the module's docstring, best first: int64 [players, items]."""
        self.check_static()
        keys = self.tie_keys(self.points.sum(axis=0) - self.points)
        return np.array([np.lexsort((keys[i], -self.points[i])) for i in range(self.players)], np.int64)

    def check_static(self) -> None:
        """Refuse a draft without lists that hold for all of it."""
        if self.dependent:
            raise OptionError(
                "worths depend on who holds what in this draft, so there are no lists for all of it: "
                "stratagem.search.drafts.dependent drafts it, by kth, ascending, exact, greedy or reply"
            )

    def tie_keys(self, contest: Ints) -> Ints:
        """By player and item, what orders items of equal worth, smaller first; all differ. contest: [players, items]."""
        index = np.arange(self.size)
        if self.ties == "random":
            orders = [np.random.default_rng([self.tie_seed, i]).permutation(self.size) for i in range(self.players)]
            return np.array(orders, np.int64)
        if self.ties.startswith("index"):
            return np.tile(index if self.ties == "index" else -index, (self.players, 1))
        sign = 1 if self.ties == "least-contested" else -1
        places = [np.lexsort((index, sign * contest[i])) for i in range(self.players)]
        return np.array([np.argsort(place) for place in places], np.int64)

    @cached_property
    def turn_order(self) -> Ints:
        """The player of each turn, an array [turns]."""
        return np.array(self.order, np.int64)

    @cached_property
    def left(self) -> Ints:
        """left[t, i]: how many of the turns from t on are player i's: int64 [turns + 1, players]."""
        left = np.zeros((self.turns + 1, self.players), np.int64)
        for t in reversed(range(self.turns)):
            left[t] = left[t + 1]
            left[t, self.order[t]] += 1
        return left

    @cached_property
    def arrays(self) -> DraftArrays:
        """The draft as arrays, for kernels."""
        return DraftArrays(self.lists, self.points, self.turn_order, self.left)

    # -- playing

    def start(self) -> Node:
        """Return the node before the first pick."""
        return Node((0,) * self.players)

    def index(self, item: int | str) -> int:
        """The index of an item given by index or name."""
        if isinstance(item, str):
            if item not in self.items:
                raise UnknownName("item", item, self.items)
            return self.items.index(item)
        if not 0 <= item < self.size:
            raise OptionError(f"there is no item {item}; items go from 0 to {self.size - 1}")
        return int(item)

    def free(self, node: Node) -> list[int]:
        """Return the numbers of the items that nobody has taken.

        Args:
            node: the picks so far.
        """
        taken = node.taken
        return [x for x in range(self.size) if not taken >> x & 1]

    def fits(self, node: Node, i: int, x: int) -> bool:
        """Whether player i may hold item x besides what it has."""
        if not self.limits or self.positions is None or self.positions[x] not in self.limits:
            return True
        same = sum(1 for y in range(self.size) if node.owned[i] >> y & 1 and self.positions[y] == self.positions[x])
        return same < self.limits[self.positions[x]]

    def legal(self, node: Node) -> list[int]:
        """The items that the player to move may take, by index; empty where it passes."""
        if node.turn >= self.turns:
            return []
        return [x for x in self.free(node) if self.fits(node, self.order[node.turn], x)]

    def apply(self, node: Node, item: int | str) -> Node:
        """The node after the next pick; PASS where nothing is legal."""
        if node.turn >= self.turns:
            raise IllegalMove(f"the draft is over after {self.turns} turns")
        i = self.order[node.turn]
        if item == PASS:
            if self.legal(node):
                raise IllegalMove(f"player {i} may not pass: {self.items[self.legal(node)[0]]!r} is legal")
            return Node(node.owned, node.turn + 1)
        x = self.index(item)
        for j, owned in enumerate(node.owned):
            if owned >> x & 1:
                raise IllegalMove(f"item {self.items[x]!r} is already taken, by player {j}")
        if not self.fits(node, i, x):
            assert self.positions is not None
            position = self.positions[x]
            raise IllegalMove(
                f"player {i} may not take {self.items[x]!r}: it holds {self.limits[position]} {position} already"
            )
        return node.plus(i, x)

    def after(self, picks: Sequence[int | str], node: Node | None = None) -> Node:
        """The node after picks made from a node on, the start if not said."""
        node = node or self.start()
        for pick in picks:
            node = self.apply(node, pick)
        return node

    def total(self, i: int, owned: int) -> float:
        """What a set of items is worth to player i."""
        return float(sum(self.points[i][x] for x in range(self.size) if owned >> x & 1) * UNIT)

    def totals(self, node: Node) -> tuple[float, ...]:
        """What each player's items are worth to it, all that everybody holds considered."""
        return tuple(round(self.worth_of(i, node.owned), 9) for i in range(self.players))

    def worth_of(self, i: int, owned: Sequence[int]) -> float:
        """What player i's items are worth to it where everybody holds these, as bitmasks."""
        if self.function is not None:
            held = tuple(frozenset(self.items[x] for x in range(self.size) if mask >> x & 1) for mask in owned)
            found = self.function(held, i)
            if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
                raise OptionError(f"the worth function gives {found!r} for player {i}; it must give a number")
            return float(found)
        extra = 0.0
        for one in self.synergies:
            if one.player in (None, i) and all(owned[i] >> x & 1 for x in one.items):
                extra += one.worth
        return self.total(i, owned[i]) + extra

    # -- plans

    def text(self, picks: Sequence[int]) -> str:
        """Picks in words: `apple, cherry, pass`."""
        self.check_names()
        return BETWEEN.join(PASS_TEXT if x == PASS else self.items[x] for x in picks)

    def parse(self, text: str, node: Node | None = None) -> Picks:
        """The picks of a text, made from a node on; each must be legal where it stands."""
        self.check_names()
        node = node or self.start()
        picks: list[int] = []
        for word in text.split(BETWEEN.strip()) if text.strip() else ():
            word = word.strip()
            try:
                x = PASS if word == PASS_TEXT else self.index(word)
                node = self.apply(node, x)
            except StratagemError as error:
                raise ParseError(f"draft {text!r}, pick {len(picks) + 1}: {error}") from None
            picks.append(x)
        return tuple(picks)

    def check_names(self) -> None:
        """Refuse names that a text could not tell apart."""
        for item in self.items:
            if item.strip() != item or not item or set(item) & set(",;|") or item == PASS_TEXT:
                raise OptionError(
                    f"item {item!r} cannot be a move: no comma, semicolon, bar, outer blank or {PASS_TEXT!r}"
                )

    def count(self, node: Node | None = None) -> int:
        """How many ways there are to draft on from a node."""
        free, turns = self._unlimited(node or self.start())
        return math.perm(len(free), turns)

    def rank(self, picks: Sequence[int], node: Node | None = None) -> int:
        """The number of a whole plan among those from a node on, in lexicographic order of the indices, from 0."""
        free, turns = self._unlimited(node or self.start())
        if len(picks) != turns:
            raise OptionError(f"a plan has {turns} picks here, not {len(picks)}")
        number = 0
        for k, x in enumerate(picks):
            if x not in free:
                raise IllegalMove(f"pick {k + 1} of the plan is item {x}, which is not free")
            number += free.index(x) * math.perm(len(free) - 1, turns - k - 1)
            free.remove(x)
        return number

    def unrank(self, number: int, node: Node | None = None) -> Picks:
        """The plan of a number; see `rank`."""
        free, turns = self._unlimited(node or self.start())
        if not 0 <= number < math.perm(len(free), turns):
            raise OptionError(f"there is no plan {number}; they go from 0 to {math.perm(len(free), turns) - 1}")
        picks = []
        for k in range(turns):
            at, number = divmod(number, math.perm(len(free) - 1, turns - k - 1))
            picks.append(free.pop(at))
        return tuple(picks)

    def _unlimited(self, node: Node) -> tuple[list[int], int]:
        """The free items and the turns left; plans within limits have no numbers."""
        if self.limits:
            raise OptionError(
                "plans within limits are not numbered: what is legal depends on what is owned; use sample"
            )
        return self.free(node), self.turns - node.turn

    def sample(self, rng: Rng, node: Node | None = None) -> Picks:
        """A random plan from a node on: at each turn any legal item, all alike."""
        node = node or self.start()
        picks = []
        while node.turn < self.turns:
            legal = self.legal(node)
            with np.errstate(over="ignore"):  # the generator's words wrap
                x = legal[below(rng, len(legal))] if legal else PASS
            picks.append(x)
            node = node.plus(self.order[node.turn], x)
        return tuple(picks)

    # -- files

    @classmethod
    def from_json(cls, data: Any) -> Draft:
        """The draft of an object with `items`, `worths`, `order` and, if wanted, `positions` and `limits`."""
        if not isinstance(data, dict):
            raise ParseError(f"a draft is an object with items, worths and order, not {type(data).__name__}")
        known = {"items", "worths", "order", "positions", "limits", "synergies", "ties"}
        for name in data:
            if name not in known:
                raise UnknownName("field of a draft", name, known)
        for name in ("items", "worths", "order"):
            if name not in data:
                raise ParseError(f"the draft lacks {name!r}; it needs items, worths and order")
            if not isinstance(data[name], list):
                raise ParseError(f"{name} of the draft is {type(data[name]).__name__}; it takes a list")
        for item in data["items"]:
            if not isinstance(item, str):
                raise ParseError(f"item {item!r} is no name; items are strings")
        for i, row in enumerate(data["worths"]):
            if not isinstance(row, list):
                raise ParseError(f"worths of player {i} are {type(row).__name__}; each player has a list of numbers")
        positions, limits = data.get("positions"), data.get("limits") or {}
        if positions is not None and not (isinstance(positions, list) and all(isinstance(p, str) for p in positions)):
            raise ParseError("positions of the draft take a list of names, one for each item")
        if not isinstance(limits, dict):
            raise ParseError(f'limits of the draft are {type(limits).__name__}; they look like {{"QB": 1}}')
        items = tuple(data["items"])
        return cls(
            items,
            tuple(tuple(row) for row in data["worths"]),
            tuple(data["order"]),
            None if positions is None else tuple(positions),
            limits,
            tuple(_synergy(one, items) for one in _listed(data.get("synergies") or [], "synergies")),
            ties=data.get("ties", TIES[0]),
        )

    @classmethod
    def read(cls, path: str | Path, *, trust: bool = False) -> Draft:
        """The draft of a JSON file; its `function`, FILE.py:NAME beside it, is loaded only with `trust`: that runs it."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ParseError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise ParseError(f"{path} is not JSON: line {error.lineno}, column {error.colno}: {error.msg}") from None
        except (ValueError, RecursionError):  # a number of thousands of digits, or brackets in brackets
            raise ParseError(f"{path} is no draft: its numbers or its nesting go too far") from None
        try:
            named = data.pop("function", None) if isinstance(data, dict) else None
            found = cls.from_json(data)
            if named is not None and not trust:
                raise Untrusted(f"the draft {path} names the Python function {named!r}")
            return found if named is None else replace(found, function=load_function(named, Path(path).parent))
        except (ParseError, OptionError, UnknownName) as error:
            raise ParseError(f"{path}: {error}") from None

    def json(self) -> dict[str, Any]:
        """Return the draft as data, in the form of its file."""
        found: dict[str, Any] = {
            "items": list(self.items),
            "worths": [list(row) for row in self.worths],
            "order": list(self.order),
        }
        if self.positions is not None:
            found["positions"] = list(self.positions)
        if self.limits:
            found["limits"] = dict(self.limits)
        if self.synergies:
            found["synergies"] = [
                {"items": [self.items[x] for x in one.items], "worth": one.worth}
                | ({} if one.player is None else {"player": one.player})
                for one in self.synergies
            ]
        if self.ties != TIES[0]:
            found["ties"] = self.ties
        return found

    def cut(self, keep: Sequence[int]) -> Draft:
        """The draft on some of the items alone, in their old order."""
        self.check_static()
        keep = sorted(keep)
        positions = None if self.positions is None else tuple(self.positions[x] for x in keep)
        return Draft(
            tuple(self.items[x] for x in keep),
            tuple(tuple(row[x] for x in keep) for row in self.worths),
            self.order,
            positions,
            {p: k for p, k in self.limits.items() if positions and p in positions},
            ties=self.ties,
            tie_seed=self.tie_seed,
        )


def _listed(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise ParseError(f"{name} of the draft are {type(value).__name__}; they take a list")
    return value


def _synergy(data: Any, items: tuple[str, ...]) -> Synergy:
    form = 'a synergy looks like {"items": ["A", "B"], "worth": 3}, with "player": 0 if it is for one alone'
    if not isinstance(data, dict) or not {"items", "worth"} <= set(data) <= {"items", "worth", "player"}:
        raise ParseError(f"{data!r} is no synergy; {form}")
    for item in _listed(data["items"], "items of a synergy"):
        if item not in items:
            raise UnknownName("item of a synergy", str(item), items)
    return Synergy(tuple(items.index(item) for item in data["items"]), data["worth"], data.get("player"))


def load_function(named: Any, folder: Path) -> WorthFunction:
    """A worth function, FILE.py:NAME: worth(owned, player), owned being a frozenset of names for each player."""
    file, colon, name = str(named).rpartition(":")
    if not isinstance(named, str) or not colon or not file.endswith(".py"):
        raise ParseError(f"function {named!r} of the draft: it is written FILE.py:NAME")
    try:
        code = (folder / file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ParseError(f"function {named!r}: {getattr(error, 'strerror', None) or error}") from None
    names: dict[str, Any] = {"__name__": Path(file).stem, "__file__": str(folder / file)}
    try:
        exec(compile(code, str(folder / file), "exec"), names)
    except Exception as error:
        raise ParseError(f"function {named!r} does not load: {type(error).__name__}: {error}") from None
    if not callable(names.get(name)):
        raise ParseError(f"function {named!r}: {file} has no function {name!r}")
    found: WorthFunction = names[name]
    return found
