"""The base game's positions when either side may move: a graph, for backward induction.

`Graph.explore` lists every board that any order of moves can lead to, up to the base game's symmetries, with both players'
moves, ordered so that what follows a board comes before it. With a `depth` it stops there, and boards at the edge are
leaves. Boards are compared cell by cell, so that no hash has to be trusted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame
from stratagem.errors import StratagemError
from stratagem.games.bidding.kernels import (
    BASE_SIZE,
    NO_CELL,
    base_moves,
    base_payoff,
    base_play,
    base_turn,
    nobodys_turn,
)
from stratagem.kernel import OVER, Ground, Moves, Payoffs, State
from stratagem.rng import mix

Table = NDArray[np.int64]

CHUNK = 20_000  # boards expanded between two looks at the keyboard
LARGEST = 1_000_000  # boards
FULL_UP = -1
PASS = -2  # in place of a child: the move, or the lack of one, leaves the board as it is
KERNELS = ("turn", "moves", "play", "payoff", "sample")

# bound for each game
CELLS_IN_ALL = 12  # a base state with its scratch
SYMMETRIC_WORDS = 0  # leading cells that are bitboards, whose bits symmetries permute; 0: they permute the cells


def image(s: State, permuted: Table, i: int) -> int:
    """Cell i of a board under one of its symmetries."""
    if SYMMETRIC_WORDS == 0:
        return s[permuted[i]]
    if i >= SYMMETRIC_WORDS:
        return s[i]
    x = 0
    for j in range(permuted.shape[0]):
        x |= (s[i] >> permuted[j] & 1) << j
    return x


def canonical(s: State, images: Table, out: State) -> None:
    """The lexicographically least image of a board, into out."""
    for i in range(BASE_SIZE):
        out[i] = s[i]
    for k in range(1, images.shape[0]):
        for i in range(BASE_SIZE):
            x = image(s, images[k], i)
            if x != out[i]:
                if x < out[i]:
                    for j in range(BASE_SIZE):
                        out[j] = image(s, images[k], j)
                break


def find(states: NDArray[np.int64], layers: Table, index: Table, s: State, layer: int, layered: int) -> int:
    """The slot of a board in the open-addressed index: index[slot] is its node, or -1 where it belongs.

    If `layered`, the same board after another number of moves is another node.
    """
    h = mix(layer * layered)
    for i in range(BASE_SIZE):
        h = mix(h ^ s[i])
    slot = h & (index.shape[0] - 1)
    while index[slot] >= 0:
        node = index[slot]
        same = layered == 0 or layers[node] == layer
        for i in range(BASE_SIZE):
            if states[node, i] != s[i]:
                same = False
                break
        if same:
            return slot
        slot = (slot + 1) & (index.shape[0] - 1)
    return slot


def explore_template(
    g: Ground, states: NDArray[np.int64], layers: Table, index: Table, children: Table, firsts: NDArray[np.int64],
    ends: Payoffs, over: Table, images: Table, progress: Table, depth: int, chunk: int,
    s: State, after: State, list_: Moves, out: Payoffs,
) -> int:  # fmt: skip
    """Expand boards in the order found; returns how many are left. progress = [found, expanded, children, layered]."""
    if progress[0] == 0:  # the root
        index[find(states, layers, index, states[0], 0, progress[3])] = 0
        progress[0] = 1
    stop = min(progress[1] + chunk, states.shape[0])
    while progress[1] < progress[0] and progress[1] < stop:
        node = progress[1]
        firsts[node, 0] = progress[2]
        firsts[node, 1] = progress[2]
        firsts[node, 2] = progress[2]
        for i in range(BASE_SIZE):
            s[i] = states[node, i]
        if base_turn(g, s) == OVER:
            base_payoff(g, s, out)
            ends[node] = out[0]
            over[node] = 1
        elif layers[node] == depth:
            over[node] = 2  # a leaf, to be evaluated
        else:
            for p in range(2):
                n = base_moves(g, s, p, list_)
                if progress[2] + n + 2 > children.shape[0]:
                    return FULL_UP
                for k in range(n):
                    for i in range(CELLS_IN_ALL):
                        after[i] = s[i]
                    base_play(g, after, p, list_[k])
                    nobodys_turn(g, after)
                    same = True
                    for i in range(BASE_SIZE):
                        if after[i] != s[i]:
                            same = False
                            break
                    if same:
                        children[progress[2]] = PASS
                        progress[2] += 1
                        continue
                    canonical(after, images, list_[list_.shape[0] - BASE_SIZE :])
                    found = list_[list_.shape[0] - BASE_SIZE :]
                    slot = find(states, layers, index, found, layers[node] + 1, progress[3])
                    if index[slot] < 0:
                        if progress[0] == states.shape[0]:
                            return FULL_UP
                        index[slot] = progress[0]
                        layers[progress[0]] = layers[node] + 1
                        for i in range(BASE_SIZE):
                            states[progress[0], i] = found[i]
                        progress[0] += 1
                    children[progress[2]] = index[slot]
                    progress[2] += 1
                if n == 0:
                    children[progress[2]] = PASS
                    progress[2] += 1
                firsts[node, p + 1] = progress[2]
        progress[1] += 1
    return progress[0] - progress[1]


def order_template(children: Table, firsts: NDArray[np.int64], order: Table, waiting: Table) -> int:
    """A topological order, the first board first; returns how many boards it holds: fewer than all if there is a cycle."""
    n = firsts.shape[0]
    for node in range(n):
        for k in range(firsts[node, 0], firsts[node, 2]):
            if children[k] != PASS:
                waiting[children[k]] += 1
    done = 0
    for node in range(n):
        if waiting[node] == 0:
            order[done] = node
            done += 1
    at = 0
    while at < done:
        node = order[at]
        at += 1
        for k in range(firsts[node, 0], firsts[node, 2]):
            child = children[k]
            if child != PASS:
                waiting[child] -= 1
                if waiting[child] == 0:
                    order[done] = child
                    done += 1
    return done


@dataclass
class Graph:
    """Boards as nodes; node 0 is the root. children[firsts[n, p] : firsts[n, p + 1]] are those after player p's moves."""

    base: ArrayGame
    images: NDArray[np.int64]
    states: NDArray[np.int64]  # [nodes, cells]
    children: NDArray[np.int64]
    firsts: NDArray[np.int64]  # [nodes, 3]
    ends: NDArray[np.float64]  # the first player's payoff, where the game is over
    over: NDArray[np.int64]  # 0: goes on, 1: over, 2: a leaf at the edge
    order: NDArray[np.int64]  # every board before those it leads to
    layers: NDArray[np.int64]  # moves from the root

    @property
    def nodes(self) -> int:
        return len(self.states)

    @cached_property
    def passes(self) -> bool:
        """Whether somewhere a player may have to pass."""
        return bool((self.children == PASS).any())

    @cached_property
    def _places(self) -> dict[bytes, int]:
        return {row.tobytes(): node for node, row in enumerate(self.states)}

    def node(self, state: State) -> int:
        """The node of a board, or -1; of a graph without layers."""
        s = np.asarray(state)[: self.base.size].copy()
        if self.base.turn_cell is not None and s[self.base.turn_cell] != OVER:
            s[self.base.turn_cell] = 0
        return self._places.get(least_image(self.base, s, self.images).tobytes(), -1)

    def after(self, node: int, p: int) -> NDArray[np.int64]:
        return self.children[self.firsts[node, p] : self.firsts[node, p + 1]]


def base_names(base: ArrayGame) -> dict[str, Any]:
    return {
        **{f"base_{name}": base.names[name] for name in KERNELS},
        "BASE_SIZE": base.size, "CELLS_IN_ALL": base.size + base.scratch, "SYMMETRIC_WORDS": base.symmetric_words,
        "TURN_CELL": NO_CELL if base.turn_cell is None else base.turn_cell,
    }  # fmt: skip


@cache
def explorer(base: ArrayGame) -> Callable[..., Any]:
    return specialise(explore_template, base_names(base), label=f"the graph of {base.name}")


@cache
def least(base: ArrayGame) -> Callable[..., Any]:
    return specialise(canonical, base_names(base), target="python")


def least_image(base: ArrayGame, s: State, images: Table) -> State:
    """The board that stands for all that a symmetry makes of this one."""
    found = s.copy()
    least(base)(s, images, found)
    return found


@cache
def sorter() -> Callable[..., Any]:
    return specialise(order_template, label="the order of boards")


def explore(base: ArrayGame, root: State, *, depth: int | None = None, largest: int = LARGEST) -> Graph:
    """The graph below a board; raises if there are more boards than `largest`, or if positions can come again."""
    run = explorer(base)
    # at the edge of a search boards keep their orientation, so that the k-th child is the k-th move
    images = np.ascontiguousarray(base.symmetries() if depth is None else np.arange(base.size)[None, :], np.int64)
    cells = base.size + base.scratch
    capacity = 1 << 12
    while True:
        states = np.zeros((capacity, base.size), np.int64)
        layers, over = np.zeros(capacity, np.int64), np.zeros(capacity, np.int64)
        index = np.full(1 << (2 * capacity).bit_length(), -1, np.int64)  # a power of two, half empty or more
        children = np.zeros(capacity * 2 * min(base.max_moves + 1, 24), np.int64)
        firsts, ends = np.zeros((capacity, 3), np.int64), np.zeros(capacity)
        s, after, moves = (
            np.zeros(cells, np.int64),
            np.zeros(cells, np.int64),
            np.zeros(base.max_moves + base.size, np.int64),
        )
        start = np.array(root[: base.size])
        if base.turn_cell is not None and start[base.turn_cell] != OVER:
            start[base.turn_cell] = 0
        states[0] = least_image(base, start, images)
        progress = np.array([0, 0, 0, depth is not None], np.int64)
        left = 1
        while left > 0:
            left = run(
                base.g, states, layers, index, children, firsts, ends, over, images, progress,
                -1 if depth is None else depth, CHUNK, s, after, moves, np.zeros(2),
            )  # fmt: skip
        if left == 0:
            break
        if capacity >= largest:
            raise StratagemError(
                f"{base.name} has more than {capacity:,} boards from here when either side may move: too many to list"
            )
        capacity = min(8 * capacity, max(largest, 1 << 12))
    n, edges = int(progress[0]), int(progress[2])
    children, firsts = children[:edges].copy(), firsts[:n].copy()
    order, waiting = np.zeros(n, np.int64), np.zeros(n, np.int64)
    if sorter()(children, firsts, order, waiting) < n:
        raise StratagemError(
            f"positions of {base.name} can come again, and backward induction needs games that only go on"
        )
    return Graph(
        base, images, states[:n].copy(), children, firsts, ends[:n].copy(), over[:n].copy(), order, layers[:n].copy()
    )
