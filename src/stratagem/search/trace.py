"""The tree that minimax or alpha-beta walks, kept whole and drawn: for teaching.

Values are the first player's, in units of payoff: its nodes take the largest of their children, the other's the least. Under
alpha-beta every node carries the window it was asked with, and what was cut off is there as branches that were not walked.
Plain Python over positions, in the order in which a game lists its moves, or over nested lists of numbers; small trees only.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from stratagem.contract.game import ArrayPosition, Position
from stratagem.drawing import INK, LINE, SEAT_COLOURS, label, picture, tag
from stratagem.errors import OptionError
from stratagem.search.alphabeta.score import check_suits

ENGINES = ("minimax", "alphabeta")
MOST_NODES = 5000
MOST_LEVELS = 100  # of a tree of one's own
OVER, HORIZON, LEAF, INNER, TABLE = "over", "horizon", "leaf", "inner", "table"  # kinds of node

At = TypeVar("At")


@dataclass
class Node:
    """A node that was walked."""

    move: str  # that leads to it; nothing at the root
    mover: str  # the name of who moves there; nothing where the game is over
    maximises: bool  # whether it takes the largest
    kind: str
    window: tuple[float, float]  # it was asked with
    value: float = 0.0  # what it passed up: exact inside the window, else a bound
    best: str | None = None  # the move that gave it
    children: list[Node] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)  # moves that were not walked
    visit: int = 0  # which node it was, in the order in which they were walked, from 1
    exact: bool = True  # of a node found in the table: whether its value is exact, else a bound

    @property
    def bound(self) -> str:
        """What the value is: exact, or a bound since the window was left. A leaf's is always exact."""
        alpha, beta = self.window
        if not self.children and self.exact:
            return "exactly"
        return "at most" if self.value <= alpha else "at least" if self.value >= beta else "exactly"

    def nodes(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.nodes()

    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"move": self.move, "mover": self.mover, "kind": self.kind, "value": self.value}
        found["visit"] = self.visit
        if self.window != (-math.inf, math.inf):
            found["window"] = [None if math.isinf(x) else x for x in self.window]
            found["bound"] = self.bound
        if self.children:
            found |= {"best": self.best, "cut": self.cut, "children": [child.json() for child in self.children]}
        return found


class Walk(ABC, Generic[At]):
    """What a tree is walked over: the positions of a game, or nested lists."""

    @abstractmethod
    def opened(self, at: At, move: str, plies: float, window: tuple[float, float]) -> Node:
        """The node, without a value yet."""

    @abstractmethod
    def following(self, at: At) -> list[tuple[str, At]]:
        """What a node's moves lead to, in the order in which they are tried."""

    @abstractmethod
    def judged(self, at: At) -> float:
        """What a leaf is worth to the first player."""

    @abstractmethod
    def key(self, at: At) -> Hashable:
        """What tells nodes apart in a table."""


class Positions(Walk[ArrayPosition]):
    """The positions of a game of two players."""

    def opened(self, at: ArrayPosition, move: str, plies: float, window: tuple[float, float]) -> Node:
        kind = OVER if at.over else HORIZON if plies == 0 else INNER
        return Node(move, "" if at.over else at.game.seat_name(at.turn), at.turn == 0, kind, window)

    def following(self, at: ArrayPosition) -> list[tuple[str, ArrayPosition]]:
        return [(text, at.play(text)) for text in at.moves()]

    def judged(self, at: ArrayPosition) -> float:
        return _judge(at)

    def key(self, at: ArrayPosition) -> Hashable:
        return str(at), at.turn


class Lists(Walk[tuple[Any, bool]]):
    """Nested lists of numbers: the two players alternate, and a number is a leaf. Equal lists are the same position."""

    def opened(self, at: tuple[Any, bool], move: str, plies: float, window: tuple[float, float]) -> Node:
        inner = isinstance(at[0], list)
        return Node(move, "", at[1], INNER if inner else LEAF, window)

    def following(self, at: tuple[Any, bool]) -> list[tuple[str, tuple[Any, bool]]]:
        return [(str(k), (child, not at[1])) for k, child in enumerate(at[0], 1)]

    def judged(self, at: tuple[Any, bool]) -> float:
        return float(at[0])

    def key(self, at: tuple[Any, bool]) -> Hashable:
        return repr(at)


def trace(
    position: Position, depth: int, engine: str = "alphabeta", most: int = MOST_NODES, *, table: bool = False
) -> Node:
    """The tree of a position to a depth; refused where it has more nodes than `most`.

    With a `table` a position met again is not walked again: its node has what the table knows as its value.
    """
    if depth < 1:
        raise OptionError(f"a depth of {depth} makes no tree; give 1 or more")
    _check_engine(engine)
    return _walked(Positions(), check_suits(engine, position), depth, engine, most, table)


def trace_lists(
    tree: Any, engine: str = "alphabeta", most: int = MOST_NODES, *, table: bool = False, maximising: bool = True
) -> Node:
    """The same of a tree of one's own: nested lists of numbers, the values of leaves to the first player."""
    _check_engine(engine)
    return _walked(Lists(), (_checked(tree), maximising), math.inf, engine, most, table)


def _check_engine(engine: str) -> None:
    if engine not in ENGINES:
        raise OptionError(f"there is no tree of {engine!r} to draw; the engine is one of {', '.join(ENGINES)}")


def _checked(tree: Any) -> list[Any]:
    """The tree as lists, if it is one."""

    def check(at: Any, level: int) -> Any:
        if isinstance(at, list | tuple):
            if not at:
                raise OptionError("a list of the tree is empty; a node has one child or more, and a leaf is a number")
            if level == MOST_LEVELS:
                raise OptionError(f"the tree has more than {MOST_LEVELS} levels, too many to look at")
            return [check(child, level + 1) for child in at]
        if isinstance(at, bool) or not isinstance(at, int | float) or not abs(at) < math.inf:
            raise OptionError(f"{at!r} is no leaf: the tree is lists in lists of numbers, such as [[3, 5], [2, 9]]")
        return at

    if not isinstance(tree, list | tuple):
        raise OptionError(f"{tree!r} is no tree; give lists in lists of numbers, such as [[3, 5], [2, 9]]")
    found: list[Any] = check(tree, 0)
    return found


def _walked(of: Walk[At], start: At, depth: float, engine: str, most: int, table: bool) -> Node:
    visits = 0
    known: dict[Hashable, tuple[float, float, str | None]] = {}  # the bounds of a value, and the move that gave them

    def walk(at: At, move: str, plies: float, alpha: float, beta: float) -> Node:
        nonlocal visits
        visits += 1
        if visits > most:
            raise OptionError(
                f"the tree has more than {most} nodes, too many to look at; "
                + (f"give a lesser depth than {depth:g}" if math.isfinite(depth) else "give a smaller one, or --most")
            )
        node = of.opened(at, move, plies, (alpha, beta))
        node.visit = visits
        if node.kind != INNER:
            node.value = of.judged(at)
            return node
        entry = (of.key(at), plies)
        low, high, best = known.get(entry, (-math.inf, math.inf, None))
        if table and (low == high or low >= beta or high <= alpha):
            node.kind, node.best = TABLE, best
            node.value = high if high <= alpha else low
            node.exact = low == high
            return node
        walk_moves(node, at, plies, alpha, beta)
        if node.bound != "at most":
            low = max(low, node.value)
        if node.bound != "at least":
            high = min(high, node.value)
        known[entry] = (low, high, node.best)
        return node

    def walk_moves(node: Node, at: At, plies: float, alpha: float, beta: float) -> None:
        node.value = -math.inf if node.maximises else math.inf
        listed = of.following(at)
        for k, (text, after) in enumerate(listed):
            child = walk(after, text, plies - 1, alpha, beta)
            node.children.append(child)
            better = child.value > node.value if node.maximises else child.value < node.value
            if better:
                node.value, node.best = child.value, text
            if engine == "minimax":
                continue
            if node.maximises:
                alpha = max(alpha, node.value)
            else:
                beta = min(beta, node.value)
            if alpha >= beta:
                node.cut = [text for text, _ in listed[k + 1 :]]
                break

    return walk(start, "", depth, -math.inf, math.inf)


def _judge(at: ArrayPosition) -> float:
    """The first player's payoff, or the game's estimate of it; 0 where there is none."""
    if at.over:
        return at.payoff[0]
    low, high = at.game.payoff_range
    if not at.game.gives("value"):
        return (low + high) / 2
    out = np.zeros(2)
    at.game.run("value", at.game.g, at.state.copy(), out)
    return float(out[0])


# ---------------------------------------------------------------------------------------------------------- in words


def shown_number(x: float) -> str:
    return ("-∞" if x < 0 else "∞") if math.isinf(x) else f"{x:+.6g}" if x else "0"


def as_text(root: Node, engine: str) -> str:
    """One line a node: when it was visited, the move, who moves next, the window, what is passed up and what was cut."""
    rows: list[str] = []

    def tell(node: Node, indent: int) -> None:
        words = [f"{node.visit}. {node.move or 'root'}"]
        if node.kind == INNER:
            words.append(("max" if node.maximises else "min") + (f" ({node.mover})" if node.mover else ""))
        else:
            words.append({OVER: "the game is over", TABLE: "known from the table"}.get(node.kind, node.kind))
        if engine == "alphabeta":
            words.append(f"window {shown_number(node.window[0])} .. {shown_number(node.window[1])}")
        bound = "" if node.bound == "exactly" or engine == "minimax" else f"{node.bound} "
        words.append(f"= {bound}{shown_number(node.value)}" + (f" by {node.best}" if node.best else ""))
        if node.cut:
            words.append(f"cut: {' '.join(node.cut)}")
        rows.append("  " * indent + ", ".join(words))
        for child in node.children:
            tell(child, indent + 1)

    tell(root, 0)
    walked = list(root.nodes())
    cut, known = sum(len(node.cut) for node in walked), sum(node.kind == TABLE for node in walked)
    leaves = sum(not node.children for node in walked) - known
    words = f"{len(walked)} nodes visited, the root included, {leaves} of them leaves"
    words += f", {known} known from the table" if known else ""
    rows.append(words + (f", {cut} {'branch' if cut == 1 else 'branches'} cut" if cut else ""))
    return "\n".join(rows)


@dataclass(frozen=True)
class WalkedTree:
    """A tree that was walked: as text when printed, as a picture in a notebook."""

    root: Node
    engine: str
    title: str

    @property
    def value(self) -> float:
        return self.root.value

    @property
    def best(self) -> str | None:
        return self.root.best

    @property
    def visits(self) -> int:
        """Nodes visited, the root and leaves included."""
        return sum(1 for _ in self.root.nodes())

    def json(self) -> dict[str, Any]:
        return self.root.json()

    def svg(self) -> str:
        return svg(self.root, self.engine, self.title)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return as_text(self.root, self.engine)


# ---------------------------------------------------------------------------------------------------------- as a picture

STEP, RISE, MARGIN = 46, 96, 40


def svg(root: Node, engine: str, title: str) -> str:
    """The tree as a drawing: triangles up take the largest, down the least, squares are leaves; cut branches are dashed."""
    across: dict[int, float] = {}
    aside: dict[int, list[float]] = {}  # the columns of a node's cut branches
    column = 0.0

    def settle(node: Node) -> float:
        """Leaves and cut branches take a column each; a parent stands above the middle of its own."""
        nonlocal column
        places = [settle(child) for child in node.children]
        aside[id(node)] = [column + k for k in range(len(node.cut))]
        places += aside[id(node)]
        column += len(node.cut)
        if not places:
            places.append(column)
            column += 1
        across[id(node)] = (places[0] + places[-1]) / 2
        return across[id(node)]

    settle(root)
    levels = _levels(root)
    width, height = 2 * MARGIN + STEP * max(column, 8), 2 * MARGIN + RISE * (levels - 1) + 30
    content: list[str] = []

    def at(place: float, level: int) -> tuple[float, float]:
        return MARGIN + STEP * (place + 0.5), MARGIN + 16 + RISE * level

    def draw(node: Node, level: int) -> None:
        x, y = at(across[id(node)], level)
        for child in node.children:
            cx, cy = at(across[id(child)], level + 1)
            taken = child.move == node.best
            content.append(
                tag(
                    "line",
                    x1=x,
                    y1=y,
                    x2=cx,
                    y2=cy,
                    stroke=INK if taken else LINE,
                    stroke_width=2.5 if taken else 1.2,
                )
            )
            content.append(label(child.move, (x + cx) / 2, (y + cy) / 2, 10))
            draw(child, level + 1)
        for text, place in zip(node.cut, aside[id(node)], strict=True):
            cx, cy = at(place, level + 1)
            dashes = {"stroke": SEAT_COLOURS[5], "stroke_width": 1.2, "stroke_dasharray": "4 4"}
            content.append(tag("line", x1=x, y1=y, x2=cx, y2=cy - 20, **dashes))
            content.append(label(f"{text} ✂", cx, cy - 12, 10, fill=SEAT_COLOURS[5]))
        content.append(_mark(node, x, y))
        content.append(label(shown_number(node.value), x, y, 10, fill="#ffffff"))
        content.append(label(str(node.visit), x + 24, y + 8, 7.5))
        if engine == "alphabeta" and node.kind == INNER:
            content.append(label(f"{shown_number(node.window[0])} .. {shown_number(node.window[1])}", x, y - 22, 8.5))

    draw(root, 0)
    walked = list(root.nodes())
    cut = sum(len(node.cut) for node in walked)
    words = f"{engine}, value {shown_number(root.value)} by {root.best}; {len(walked)} nodes, {cut} branches cut"
    return picture(width, height, title, words, [label(f"{title}: {words}", MARGIN / 2, 16, 13, "start"), *content])


def _levels(node: Node) -> int:
    return 1 + max((_levels(child) for child in node.children), default=0)


def _mark(node: Node, x: float, y: float) -> str:
    about = tag("title", f"visit {node.visit}, {node.move or 'root'}: {node.bound} {shown_number(node.value)}")
    if node.kind != INNER:
        fill = "#555555" if node.kind in (OVER, LEAF) else "#2f6f4f" if node.kind == TABLE else "#8a8378"
        return tag("rect", about, x=x - 14, y=y - 11, width=28, height=22, rx=3, fill=fill)
    up = -1 if node.maximises else 1
    corners = f"{x - 20:.1f},{y - 10 * up:.1f} {x + 20:.1f},{y - 10 * up:.1f} {x:.1f},{y + 20 * up:.1f}"
    return tag("polygon", about, points=corners, fill=SEAT_COLOURS[0] if node.maximises else SEAT_COLOURS[5])
