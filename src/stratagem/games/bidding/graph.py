"""The base game's positions when either side may move: a graph, for backward induction.

`Graph.explore` lists every board that any order of moves can lead to, up to the base game's symmetries, with both players'
moves, ordered so that what follows a board comes before it. With a `depth` it stops there, and boards at the edge are
leaves. Boards are compared cell by cell, so that no hash has to be trusted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame
from stratagem.errors import StratagemError
from stratagem.games.bidding.boards import boards_of
from stratagem.games.bidding.kernels import (
    BASE_SIZE,
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


class Growth(NamedTuple):
    """A graph while it is explored: a row for each board, in the order found, of which `progress` says how many there are."""

    states: Table  # [boards, BASE_SIZE]
    layers: Table  # moves from the root
    children: Table  # boards after the moves of a board, or PASS
    firsts: Table  # [boards, 3]: where in `children` the moves of either player begin, and where they end
    ends: Payoffs  # the first player's payoff, where the game is over
    over: Table  # 0: goes on, 1: over, 2: a leaf at the edge
    slots: Table  # open-addressed: a board, or -1 where none is
    progress: Table  # [boards found, boards expanded, children, whether boards of two layers are distinguished]


class ExploreScratch(NamedTuple):
    """Scratch of `explore_template`."""

    s: State
    after: State
    moves: Moves
    least: State  # the canonical image of `after`
    out: Payoffs


FOUND, EXPANDED, EDGES, LAYERED = 0, 1, 2, 3  # cells of `progress`


def find(graph: Growth, s: State, layer: int) -> int:
    """The slot of a board: slots[slot] is its node, or -1 where it belongs."""
    layered = graph.progress[LAYERED]
    h = mix(layer * layered)
    for i in range(BASE_SIZE):
        h = mix(h ^ s[i])
    slot = h & (graph.slots.shape[0] - 1)
    while graph.slots[slot] >= 0:
        node = graph.slots[slot]
        same = layered == 0 or graph.layers[node] == layer
        for i in range(BASE_SIZE):
            if graph.states[node, i] != s[i]:
                same = False
                break
        if same:
            return slot
        slot = (slot + 1) & (graph.slots.shape[0] - 1)
    return slot


def enter(graph: Growth, s: State, layer: int) -> int:
    """The node of a board, a new one if it is not known; FULL_UP if there is no room for it."""
    slot = find(graph, s, layer)
    if graph.slots[slot] < 0:
        node = graph.progress[FOUND]
        if node == graph.states.shape[0]:
            return FULL_UP
        graph.slots[slot] = node
        graph.layers[node] = layer
        for i in range(BASE_SIZE):
            graph.states[node, i] = s[i]
        graph.progress[FOUND] += 1
    return graph.slots[slot]


def same_board(s: State, other: State) -> bool:
    for i in range(BASE_SIZE):
        if s[i] != other[i]:
            return False
    return True


def expand(g: Ground, graph: Growth, node: int, p: int, images: Table, room: ExploreScratch) -> bool:
    """List where player p's moves lead from a board, which is in room.s; returns whether there was room."""
    progress = graph.progress
    n = base_moves(g, room.s, p, room.moves)
    if progress[EDGES] + n + 2 > graph.children.shape[0]:
        return False
    for k in range(n):
        for i in range(CELLS_IN_ALL):
            room.after[i] = room.s[i]
        base_play(g, room.after, p, room.moves[k])
        nobodys_turn(g, room.after)
        child = PASS
        if not same_board(room.after, room.s):
            canonical(room.after, images, room.least)
            child = enter(graph, room.least, graph.layers[node] + 1)
            if child == FULL_UP:
                return False
        graph.children[progress[EDGES]] = child
        progress[EDGES] += 1
    if n == 0:
        graph.children[progress[EDGES]] = PASS
        progress[EDGES] += 1
    return True


def explore_template(g: Ground, graph: Growth, images: Table, depth: int, chunk: int, room: ExploreScratch) -> int:
    """Expand boards in the order found, so many of them; returns how many are left, or FULL_UP."""
    progress = graph.progress
    if progress[FOUND] == 0:  # the root
        graph.slots[find(graph, graph.states[0], 0)] = 0
        progress[FOUND] = 1
    stop = min(progress[EXPANDED] + chunk, graph.states.shape[0])
    while progress[EXPANDED] < progress[FOUND] and progress[EXPANDED] < stop:
        node = progress[EXPANDED]
        for i in range(3):
            graph.firsts[node, i] = progress[EDGES]
        for i in range(BASE_SIZE):
            room.s[i] = graph.states[node, i]
        if base_turn(g, room.s) == OVER:
            base_payoff(g, room.s, room.out)
            graph.ends[node] = room.out[0]
            graph.over[node] = 1
        elif graph.layers[node] == depth:
            graph.over[node] = 2  # a leaf, to be evaluated
        else:
            for p in range(2):
                if not expand(g, graph, node, p, images, room):
                    return FULL_UP
                graph.firsts[node, p + 1] = progress[EDGES]
        progress[EXPANDED] += 1
    return progress[FOUND] - progress[EXPANDED]


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
        boards_of(self.base).forget_turn(s)
        return self._places.get(least_image(self.base, s, self.images).tobytes(), -1)

    def after(self, node: int, p: int) -> NDArray[np.int64]:
        return self.children[self.firsts[node, p] : self.firsts[node, p + 1]]


def base_names(base: ArrayGame) -> dict[str, Any]:
    """What templates over the boards of a base game need."""
    return {
        **{f"base_{name}": base.names[name] for name in KERNELS},
        "BASE_SIZE": base.size,
        "CELLS_IN_ALL": base.size + base.scratch,
        "SYMMETRIC_WORDS": boards_of(base).words,
        "TURN_CELL": boards_of(base).turn_cell,
    }


@cache
def explorer(base: ArrayGame, target: str = "cpu") -> Callable[..., Any]:
    # a record is many words: passing one costs as much as looking a board up
    inline = (find, enter, same_board, expand)
    label = f"the graph of {base.name}"
    return specialise(explore_template, base_names(base), target=target, label=label, lean=True, inline=inline)


@cache
def least(base: ArrayGame) -> Callable[..., Any]:
    return specialise(canonical, base_names(base), target="python")


def least_image(base: ArrayGame, s: State, images: Table) -> State:
    """The board that stands for all that a symmetry makes of this one."""
    found = s.copy()
    least(base)(s, images, found)
    return found


@cache
def sorter(target: str = "cpu") -> Callable[..., Any]:
    return specialise(order_template, target=target, label="the order of boards")


def blank_growth(base: ArrayGame, capacity: int, layered: bool) -> Growth:
    """Room for so many boards, none found yet."""
    return Growth(
        states=np.zeros((capacity, base.size), np.int64),
        layers=np.zeros(capacity, np.int64),
        children=np.zeros(capacity * 2 * min(base.max_moves + 1, 24), np.int64),
        firsts=np.zeros((capacity, 3), np.int64),
        ends=np.zeros(capacity),
        over=np.zeros(capacity, np.int64),
        slots=np.full(1 << (2 * capacity).bit_length(), -1, np.int64),  # a power of two, half empty or more
        progress=np.array([0, 0, 0, layered], np.int64),
    )


def explore(
    base: ArrayGame,
    root: State,
    *,
    depth: int | None = None,
    largest: int = LARGEST,
    target: str = "cpu",
    report: Callable[[int], None] | None = None,  # called with how many boards are found
) -> Graph:
    """The graph below a board; raises if there are more boards than `largest`, or if positions can come again."""
    run, boards = explorer(base, target), boards_of(base)
    # at the edge of a search boards keep their orientation, so that the k-th child is the k-th move
    images = boards.symmetries if depth is None else boards.identity
    start = np.array(root[: base.size])
    boards.forget_turn(start)
    start = least_image(base, start, images)
    room = ExploreScratch(base.blank(), base.blank(), np.zeros(base.max_moves, np.int64), start.copy(), np.zeros(2))
    capacity = 1 << 12
    while True:
        growth = blank_growth(base, capacity, depth is not None)
        growth.states[0] = start
        left = 1
        while left > 0:
            left = run(base.g, growth, images, -1 if depth is None else depth, CHUNK, room)
            if report is not None:
                report(int(growth.progress[FOUND]))
        if left == 0:
            break
        if capacity >= largest:
            raise StratagemError(
                f"{base.name} has more than {capacity:,} boards from here when either side may move: too many to list"
            )
        capacity = min(8 * capacity, max(largest, 1 << 12))
    n, edges = int(growth.progress[FOUND]), int(growth.progress[EDGES])
    children, firsts = growth.children[:edges].copy(), growth.firsts[:n].copy()
    order, waiting = np.zeros(n, np.int64), np.zeros(n, np.int64)
    if sorter(target)(children, firsts, order, waiting) < n:
        raise StratagemError(
            f"positions of {base.name} can come again, and backward induction needs games that only go on"
        )
    states, layers = growth.states[:n].copy(), growth.layers[:n].copy()
    ends, over = growth.ends[:n].copy(), growth.over[:n].copy()
    return Graph(base, images, states, children, firsts, ends, over, order, layers)
