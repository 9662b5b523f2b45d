"""The template of alpha-beta: fail-soft negamax over kernels, in one loop with an explicit stack.

The running node lives in locals and is saved only on descent. What a call promises, with m the true value: alpha < v < beta:
v = m; v >= beta: m >= v; v <= alpha: m <= v.

Each technique is a function, bound at specialisation; `deepening.parts` binds those that the settings choose, and what is off
is bound to a function that does nothing and costs nothing. None of them changes a value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.contract.game import ArrayGame
from stratagem.hints import row
from stratagem.kernel import OVER, Ground, Moves, Payoffs, State, key, left, moves, safe, turn
from stratagem.search.alphabeta.ordering import Memory, credit, keep_killer, new_memory, sort_moves
from stratagem.search.alphabeta.score import (
    DECIDED,
    INFINITY,
    OUT_OF_RANGE,
    WIN,
    distance,
    heuristic_score,
    is_exact,
    terminal_score,
)
from stratagem.search.alphabeta.table import (
    BOUND_AT,
    BOUNDS,
    DEEPEST,
    EXACT,
    HASH,
    LOWER,
    MOST_MOVES,
    NO_MOVE,
    NO_SLOT,
    UPPER,
    VALUE_AT,
    TranspositionTable,
    depth_in,
    drawn,
    find,
    packed,
    place,
    serves,
    store,
)
from stratagem.search.budget import StopFlag
from stratagem.search.stack import Stack, new_stack, play_below

Words = NDArray[np.int64]

CHECK_EVERY = 1024  # nodes between two looks at the stop flag
STOPPED = -(1 << 40)
UNLISTED = -2  # the width of a node whose moves are not listed yet
NODES, CUT_OFF, ROUNDED = 0, 1, 2  # what is counted: nodes, leaves judged by the heuristic, payoffs no score carries

# the window of the child at work
WHOLE, NULL, AGAIN = 0, 1, 2  # the node's own; a null one; the node's own, because the null one said too little

# columns of a frame: the fields of `EnteredNode`, then what changes while its children are searched
MOVER, WIDTH, KEY, REACH, FLOOR, BETA, ALPHA, BEST, BEST_MOVE, INDEX, NARROW = range(11)
FRAME = 11


class Task(NamedTuple):
    """What is asked about the root."""

    depth: int  # plies, at least 1
    alpha: int
    beta: int
    variant: int  # 0: the search itself; 1 to 3: that share of quarters of the nodes tries its moves in another order


class Variation(NamedTuple):
    """The principal variation from each ply on."""

    moves: Words  # [plies, plies]
    lengths: Words  # [plies]


class Space(NamedTuple):
    """What one thread works on."""

    stack: Stack
    memory: Memory
    line: Variation
    out: Payoffs  # [players], for payoffs and estimates
    counts: Words  # [NODES, CUT_OFF, ROUNDED] of this call

    @property
    def depth(self) -> int:
        """To which there is room."""
        return len(self.stack.states) - 2


def new_space(game: ArrayGame, depth: int) -> Space:
    """Room for searches to a depth."""
    plies = depth + 2
    line = Variation(np.zeros((plies, plies), np.int64), np.zeros(plies, np.int64))
    stack = new_stack(game, plies, FRAME)
    return Space(stack, new_memory(plies), line, np.zeros(game.players), np.zeros(3, np.int64))


class EnteredNode(NamedTuple):
    """What entering a node decides about it."""

    mover: int
    width: int  # the number of its moves
    key: int
    reach: int  # plies searched below it; DEEPEST: to the end of the game
    floor: int  # alpha as it was
    beta: int


class SeenNode(NamedTuple):
    """What is seen of a node without searching it."""

    known: bool  # whether the value is good enough for the window
    certain: bool  # whether it is the true value, in any window
    value: int
    first: int  # the move to try first, or NO_MOVE
    alpha: int  # the window that is left
    beta: int
    width: int  # the number of its moves where they are listed already, else UNLISTED


# -------------------------------------------------------------------------------------------------------------- windows


def child_window(alpha: int, beta: int, same: bool) -> tuple[int, int]:
    """A window for a child, whose mover is the same or the other player."""
    if same:
        return alpha, beta
    return -beta, -alpha


def whole_window(alpha: int, beta: int, same: bool) -> tuple[int, int]:
    """Every value counts: minimax with a table."""
    return -INFINITY, INFINITY


def scout(narrow: int, index: int, alpha: int, beta: int) -> int:
    """Principal variation search (Marsland and Campbell 1982): only the first child gets the whole window at once."""
    if narrow == AGAIN or index == 1 or beta - alpha <= 1:
        return WHOLE
    return NULL


def scout_never(narrow: int, index: int, alpha: int, beta: int) -> int:
    return WHOLE


# ------------------------------------------------------------------------------------------------- seeing before searching


def reach_of(g: Ground, s: State, remaining: int) -> int:
    """How deep a search of so many plies sees: where that is to the end, deeper would see nothing more."""
    remaining = min(remaining, DEEPEST - 1)
    return DEEPEST if remaining >= left(g, s) else remaining


def reach_plainly(g: Ground, s: State, remaining: int) -> int:
    return min(remaining, DEEPEST - 1)


def look_up(table: TranspositionTable, s: State, h: int, reach: int, ply: int, alpha: int, beta: int) -> SeenNode:
    """What the table knows of the state at a ply, and the window that leaves."""
    slot = find(table, h, s)
    if slot == NO_SLOT:
        return SeenNode(False, True, 0, NO_MOVE, alpha, beta, UNLISTED)
    data = table.entries[slot, 1]
    first = (data & MOST_MOVES) - 1
    if not serves(depth_in(data), reach):
        return SeenNode(False, True, 0, first, alpha, beta, UNLISTED)
    v = from_node(data >> VALUE_AT, ply)
    bound = (data >> BOUND_AT) & BOUNDS
    if bound == LOWER:
        alpha = max(alpha, v)
    elif bound == UPPER:
        beta = min(beta, v)
    return SeenNode(bound == EXACT or alpha >= beta, bound == EXACT, v, first, alpha, beta, UNLISTED)


def foresee(g: Ground, s: State, p: int, out: Moves, ply: int, seen: SeenNode) -> SeenNode:
    """Two plies ahead by the kernel `safe`: a win at once, a loss in two; else no win before three, no loss before four."""
    n = safe(g, s, p, out)
    if n == -1:
        return SeenNode(True, True, WIN - distance(ply + 1), seen.first, seen.alpha, seen.beta, n)
    if n == 0:
        return SeenNode(True, True, distance(ply + 2) - WIN, seen.first, seen.alpha, seen.beta, n)
    worst, best = distance(ply + 4) - WIN, WIN - distance(ply + 3)
    if worst >= seen.beta:
        return SeenNode(True, False, worst, seen.first, seen.alpha, seen.beta, n)
    if best <= seen.alpha:
        return SeenNode(True, False, best, seen.first, seen.alpha, seen.beta, n)
    return SeenNode(False, True, 0, seen.first, seen.alpha, seen.beta, n)


def foresee_nothing(g: Ground, s: State, p: int, out: Moves, ply: int, seen: SeenNode) -> SeenNode:
    return seen


def from_node(v: int, ply: int) -> int:
    """A value of the table, whose distances count from the node, as seen from the root."""
    if v > DECIDED:
        return v - distance(ply)
    if v < -DECIDED:
        return v + distance(ply)
    return v


def from_root(v: int, ply: int) -> int:
    """The other way round."""
    if v > DECIDED:
        return v + distance(ply)
    if v < -DECIDED:
        return v - distance(ply)
    return v


# ----------------------------------------------------------------------------------------------- entering and leaving nodes


def save(f: Words, node: EnteredNode, alpha: int, best: int, best_move: int, index: int, narrow: int) -> None:
    f[MOVER] = node.mover
    f[WIDTH] = node.width
    f[KEY] = node.key
    f[REACH] = node.reach
    f[FLOOR] = node.floor
    f[BETA] = node.beta
    f[ALPHA] = alpha
    f[BEST] = best
    f[BEST_MOVE] = best_move
    f[INDEX] = index
    f[NARROW] = narrow


def saved(f: Words) -> EnteredNode:
    return EnteredNode(f[MOVER], f[WIDTH], f[KEY], f[REACH], f[FLOOR], f[BETA])


def list_moves(g: Ground, s: State, p: int, here: Moves, ply: int, memory: Memory, seen: SeenNode, swaps: bool) -> int:
    """The moves of the node at a ply, promising ones first; returns how many. A thread that helps swaps two at times."""
    n = seen.width
    if n < 0:
        n = moves(g, s, p, here)
    sort_moves(g, s, p, here, n, seen.first, ply, memory)
    if swaps and n > 2:
        here[1], here[2] = here[2], here[1]
    return n


def remember(
    table: TranspositionTable, s: State, node: EnteredNode, ply: int, best: int, best_move: int, nodes: int
) -> None:
    """Put a finished node into the table."""
    slot = place(table, node.key, node.reach, nodes)
    if slot != NO_SLOT:
        bound = LOWER if best >= node.beta else UPPER if best <= node.floor else EXACT
        store(table, slot, node.key, s, packed(from_root(best, ply), node.reach, bound, best_move))


def extend(line: Variation, ply: int, m: int) -> None:
    """The variation at a ply is move m and the one below it."""
    n = line.lengths[ply + 1]
    line.moves[ply, 0] = m
    for i in range(n):
        line.moves[ply, i + 1] = line.moves[ply + 1, i]
    line.lengths[ply] = n + 1


# ------------------------------------------------------------------------------------------------------------- the search


def alphabeta_template(
    g: Ground, root_moves: Moves, task: Task, space: Space, table: TranspositionTable, stop: StopFlag
) -> int:
    """The fail-soft score of the state at ply 0 over the root moves given, in the order given, for its mover."""
    states, frames, lists = space.stack
    for i in range(root_moves.shape[0]):
        lists[0, i] = root_moves[i]
    node = EnteredNode(turn(g, row(states, 0)), root_moves.shape[0], 0, 0, task.alpha, task.beta)
    ply = 0
    nodes = 1
    alpha = task.alpha
    best = -INFINITY
    best_move = NO_MOVE
    index = 0
    narrow = WHOLE
    space.line.lengths[0] = 0
    while True:
        if index < node.width and best < node.beta:
            m = lists[ply, index]
            index += 1
            play_below(g, states, ply, node.mover, m)
            s = row(states, ply + 1)
            nodes += 1
            if nodes % CHECK_EVERY == 0 and stop[0] != 0:
                space.counts[NODES] = nodes
                return STOPPED
            space.line.lengths[ply + 1] = 0
            p = turn(g, s)
            certain = True
            if p == OVER:
                v = terminal_score(g, s, node.mover, ply + 1, space.out)
                if v == OUT_OF_RANGE:
                    return OUT_OF_RANGE
                if not is_exact(v, space.out[node.mover]):
                    space.counts[ROUNDED] += 1
            elif ply + 1 == task.depth:
                v = heuristic_score(g, s, node.mover, space.out)
                space.counts[CUT_OFF] += 1
            else:
                narrow = scout(narrow, index, alpha, node.beta)
                upper = alpha + 1 if narrow == NULL else node.beta
                floor, ceiling = child_window(alpha, upper, p == node.mover)
                remaining = task.depth - ply - 1
                reach = reach_of(g, s, remaining)
                h = key(g, s)
                seen = look_up(table, s, h, reach, ply + 1, floor, ceiling)
                if not seen.known and remaining >= 2:
                    seen = foresee(g, s, p, row(lists, ply + 1), ply + 1, seen)
                if not seen.known:
                    save(row(frames, ply), node, alpha, best, best_move, index, narrow)
                    ply += 1
                    swaps = drawn(h * HASH, task.variant)
                    n = list_moves(g, s, p, row(lists, ply), ply, space.memory, seen, swaps)
                    node = EnteredNode(p, n, h, reach, floor, seen.beta)
                    alpha = seen.alpha
                    best = -INFINITY
                    best_move = seen.first
                    index = 0
                    narrow = WHOLE
                    continue
                v = seen.value if p == node.mover else -seen.value
                certain = seen.certain
        else:
            if ply == 0:
                space.counts[NODES] = nodes
                return best
            if best >= node.beta:
                credit(space.memory, node.mover, best_move, task.depth - ply)
                keep_killer(space.memory, ply, best_move)
            remember(table, row(states, ply), node, ply, best, best_move, nodes)
            v = best
            p = node.mover
            certain = node.floor < best < node.beta
            ply -= 1
            f = row(frames, ply)
            node = saved(f)
            alpha, best, best_move, index, narrow = f[ALPHA], f[BEST], f[BEST_MOVE], f[INDEX], f[NARROW]
            m = lists[ply, index - 1]
            if p != node.mover:
                v = -v
        if narrow == NULL:
            if not certain and alpha < v < node.beta:
                # better than all before it: the null window only says so, the whole one says how good
                narrow = AGAIN
                index -= 1
                continue
            narrow = WHOLE
        if v > best:
            best = v
            if v > node.floor:  # a value that fails low names no reliable move
                best_move = m
            if v > alpha:
                alpha = v
                extend(space.line, ply, m)


INLINED = (
    child_window,
    scout,
    reach_of,
    look_up,
    foresee,
    from_node,
    from_root,
    save,
    saved,
    list_moves,
    remember,
    extend,
    play_below,
)
