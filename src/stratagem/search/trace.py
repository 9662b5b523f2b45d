"""The tree that minimax or alpha-beta walks, kept whole and drawn: for teaching.

Values are the first player's, in units of payoff: its nodes take the largest of their children, the other's the least. Under
alpha-beta every node carries the window it was asked with, and what was cut off is there as branches that were not walked.
Plain Python over positions, in the order in which a game lists its moves; small trees only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stratagem.contract.game import ArrayPosition, Position
from stratagem.drawing import INK, LINE, SEAT_COLOURS, label, picture, tag
from stratagem.errors import OptionError
from stratagem.search.alphabeta.score import check_suits

ENGINES = ("minimax", "alphabeta")
MOST_NODES = 5000
OVER, HORIZON, INNER = "over", "horizon", "inner"  # kinds of node


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

    @property
    def bound(self) -> str:
        """What the value is: exact, or a bound since the window was left. A leaf's is always exact."""
        alpha, beta = self.window
        if not self.children:
            return "exactly"
        return "at most" if self.value <= alpha else "at least" if self.value >= beta else "exactly"

    def nodes(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.nodes()

    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"move": self.move, "mover": self.mover, "kind": self.kind, "value": self.value}
        if self.window != (-math.inf, math.inf):
            found["window"] = [None if math.isinf(x) else x for x in self.window]
            found["bound"] = self.bound
        if self.children:
            found |= {"best": self.best, "cut": self.cut, "children": [child.json() for child in self.children]}
        return found


def trace(position: Position, depth: int, engine: str = "alphabeta", most: int = MOST_NODES) -> Node:
    """The tree of a position to a depth; refused where it has more nodes than `most`."""
    if engine not in ENGINES:
        raise OptionError(f"there is no tree of {engine!r} to draw; the engine is one of {', '.join(ENGINES)}")
    if depth < 1:
        raise OptionError(f"a depth of {depth} makes no tree; give 1 or more")
    start = check_suits(engine, position)
    left = most

    def walk(at: ArrayPosition, move: str, plies: int, alpha: float, beta: float) -> Node:
        nonlocal left
        left -= 1
        if left < 0:
            raise OptionError(
                f"the tree has more than {most} nodes, too many to look at; give a lesser depth than {depth}"
            )
        first = at.turn == 0
        name = "" if at.over else at.game.seat_name(at.turn)
        node = Node(move, name, first, OVER if at.over else HORIZON if plies == 0 else INNER, (alpha, beta))
        if node.kind == INNER:
            _walk_moves(node, at, plies, alpha, beta)
        else:
            node.value = _judge(at)
        return node

    def _walk_moves(node: Node, at: ArrayPosition, plies: int, alpha: float, beta: float) -> None:
        node.value = -math.inf if node.maximises else math.inf
        listed = at.moves()
        for k, text in enumerate(listed):
            after = at.play(text)
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
                node.cut = list(listed[k + 1 :])
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
    return ("-∞" if x < 0 else "∞") if math.isinf(x) else f"{x:+.3g}" if x else "0"


def as_text(root: Node, engine: str) -> str:
    """One line a node: the move, who moves next, the window, what is passed up and what was cut."""
    rows: list[str] = []

    def tell(node: Node, indent: int) -> None:
        words = [node.move or "root"]
        if node.kind == INNER:
            words.append(f"{'max' if node.maximises else 'min'} ({node.mover})")
        else:
            words.append("the game is over" if node.kind == OVER else "horizon")
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
    cut, leaves = sum(len(node.cut) for node in walked), sum(not node.children for node in walked)
    rows.append(f"{len(walked)} nodes, {leaves} leaves" + (f", {cut} branches cut" if cut else ""))
    return "\n".join(rows)


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
    about = tag("title", f"{node.move or 'root'}: {node.bound} {shown_number(node.value)}")
    if node.kind != INNER:
        fill = "#555555" if node.kind == OVER else "#8a8378"
        return tag("rect", about, x=x - 14, y=y - 11, width=28, height=22, rx=3, fill=fill)
    up = -1 if node.maximises else 1
    corners = f"{x - 20:.1f},{y - 10 * up:.1f} {x + 20:.1f},{y - 10 * up:.1f} {x:.1f},{y + 20 * up:.1f}"
    return tag("polygon", about, points=corners, fill=SEAT_COLOURS[0] if node.maximises else SEAT_COLOURS[5])
