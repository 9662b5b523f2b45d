"""Rules of hex: players fill cells in turn; X wins by joining the top and the bottom edge, O the left and the right one.

Every stone carries which of its own two edges its group touches, so that a move looks at six neighbours only, and a label
spreads through a group once. The labels follow from the stones alone, so equal boards are equal states.
"""

from __future__ import annotations

from stratagem.kernel import OVER, SIZE, Ground, Moves, Payoffs, State
from stratagem.rng import Rng, below, mix

# state: [to move or OVER, winner + 1 or 0, stones, words of sixteen cells, four bits a cell, row by row]
TURN, WINNER, STONES, BOARD = 0, 1, 2, 3
# A cell is 0, or 1 + p + 2 * label; the label of a group: 0, FIRST (touches the top or left edge), SECOND (the other).
# In a finished game labels are 0.
FIRST, SECOND = 1, 2
NIBBLES = 0x1111111111111111

# ground: six neighbours of each cell (-1: none), then the labels a lone stone has for X + 4 * for O, then all cells from
# the centre outwards
NEIGHBOURS = 0

# bound for each board
SIDE, CELL_COUNT, WORDS = 11, 121, 8
EDGES, CENTRE_FIRST = 6 * CELL_COUNT, 7 * CELL_COUNT  # offsets in the ground
SWAP = False  # whether the second player may take the first stone over
SMALL = False  # whether a key of base 3 fits into a word

# scratch of `distance`, behind SIZE: the marks, and two lists of cells
SEEN_MARK = 1


def cell(s: State, c: int) -> int:
    return (s[BOARD + (c >> 4)] >> ((c & 15) << 2)) & 7


def put(s: State, c: int, x: int) -> None:
    shift = (c & 15) << 2
    s[BOARD + (c >> 4)] = (s[BOARD + (c >> 4)] & ~(7 << shift)) | (x << shift)


def owner(x: int) -> int:
    """Whose stone a cell holds: 0 nobody's, 1 X's, 2 O's."""
    return 0 if x == 0 else 2 - (x & 1)


def turn(g: Ground, s: State) -> int:
    return s[TURN]


def may_swap(s: State, p: int) -> bool:
    """Whether the only stone on the board is X's, and p is O."""
    if s[STONES] != 1 or p != 1:
        return False
    for word in range(WORDS):
        if s[BOARD + word] & NIBBLES:  # X's stones are odd
            return True
    return False


def count(g: Ground, s: State, p: int) -> int:
    n = CELL_COUNT - s[STONES]
    if SWAP and may_swap(s, p):
        n += 1
    return n


def move(g: Ground, s: State, p: int, k: int) -> int:
    """The k-th empty cell from the centre outwards; the swap comes last and is the number behind all cells."""
    for i in range(CELL_COUNT):
        c = g[CENTRE_FIRST + i]
        if cell(s, c) == 0:
            if k == 0:
                return c
            k -= 1
    return CELL_COUNT


def moves(g: Ground, s: State, p: int, out: Moves) -> int:
    n = 0
    for i in range(CELL_COUNT):
        c = g[CENTRE_FIRST + i]
        if cell(s, c) == 0:
            out[n] = c
            n += 1
    if SWAP and may_swap(s, p):
        out[n] = CELL_COUNT
        n += 1
    return n


def sample(g: Ground, s: State, p: int, r: Rng) -> int:
    """Cells are drawn until one is empty, while at least a quarter are; then counted."""
    if 4 * (CELL_COUNT - s[STONES]) >= CELL_COUNT and (not SWAP or s[STONES] != 1):
        while True:
            c = below(r, CELL_COUNT)
            if cell(s, c) == 0:
                return c
    return move(g, s, p, below(r, count(g, s, p)))


def spread(g: Ground, s: State, c: int, p: int, label: int) -> None:
    """Give a label to the group around a cell that has it already. Cells to do are a list behind SIZE."""
    s[SIZE] = c
    n = 1
    while n > 0:
        n -= 1
        c = s[SIZE + n]
        for k in range(6):
            near = g[NEIGHBOURS + 6 * c + k]
            if near >= 0 and cell(s, near) == 1 + p:  # a stone of p without a label
                put(s, near, 1 + p + 2 * label)
                s[SIZE + n] = near
                n += 1


def play(g: Ground, s: State, p: int, m: int) -> None:
    s[TURN] = 1 - p
    if SWAP and m == CELL_COUNT:
        # the stone becomes p's own, mirrored, since the edges are mirrored too
        for c in range(CELL_COUNT):
            if cell(s, c) != 0:
                put(s, c, 0)
                s[STONES] = 0
                m = (c % SIDE) * SIDE + c // SIDE
                break
    s[STONES] += 1
    label = (g[EDGES + m] >> (2 * p)) & 3
    for k in range(6):
        near = g[NEIGHBOURS + 6 * m + k]
        if near >= 0:
            x = cell(s, near)
            if x > 0 and (x & 1) == 1 - p:
                label |= (x - 1 - p) >> 1
    if label == FIRST | SECOND:
        put(s, m, 1 + p)
        s[WINNER] = 1 + p
        s[TURN] = OVER
        clear_labels(s)
    else:
        put(s, m, 1 + p + 2 * label)
        if label != 0:
            spread(g, s, m, p, label)


def clear_labels(s: State) -> None:
    for word in range(WORDS):
        w = s[BOARD + word]
        first = w & NIBBLES
        second = ((w >> 1) | (w >> 2)) & NIBBLES & ~first
        s[BOARD + word] = first | (second << 1)


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    out[0] = 1.0 if s[WINNER] == 1 else -1.0
    out[1] = -out[0]


def key(g: Ground, s: State) -> int:
    """Base 3 with the turn on top where that fits, exact; on larger boards a hash of the words."""
    k = s[TURN] + 1
    if SMALL:
        for c in range(CELL_COUNT):
            k = k * 3 + owner(cell(s, c))
        return k
    for word in range(WORDS):
        k = mix(k ^ s[BOARD + word])
    return k


def left(g: Ground, s: State) -> int:
    n = CELL_COUNT - s[STONES]
    if SWAP and s[STONES] <= 1:
        n += 1
    return n


def distance(g: Ground, s: State, p: int) -> int:
    """How many stones player p still needs, alone on the board: a breadth-first search from its first edge.

    Stones of p cost nothing and are followed at once; empty cells cost one and make the next ring.
    """
    seen = SIZE
    ring = SIZE + CELL_COUNT
    other = SIZE + 2 * CELL_COUNT
    n = 0
    for c in range(CELL_COUNT):
        s[seen + c] = 0
    following = 0
    for i in range(SIDE):
        c = i if p == 0 else i * SIDE
        x = cell(s, c)
        if x == 0:
            s[seen + c] = SEEN_MARK
            s[other + following] = c
            following += 1
        elif (x & 1) == 1 - p:
            s[seen + c] = SEEN_MARK
            s[ring + n] = c
            n += 1
    cost = 0
    while True:
        while n > 0:
            n -= 1
            c = s[ring + n]
            if (g[EDGES + c] >> (2 * p)) & SECOND:
                return cost
            for k in range(6):
                near = g[NEIGHBOURS + 6 * c + k]
                if near >= 0 and s[seen + near] == 0:
                    x = cell(s, near)
                    if x == 0:
                        s[seen + near] = SEEN_MARK
                        s[other + following] = near
                        following += 1
                    elif (x & 1) == 1 - p:
                        s[seen + near] = SEEN_MARK
                        s[ring + n] = near
                        n += 1
        if following == 0:
            return CELL_COUNT  # walled off
        ring, other = other, ring
        n = following
        following = 0
        cost += 1


def value(g: Ground, s: State, out: Payoffs) -> None:
    """By how many stones X is nearer to its goal than O; to move is worth half a stone."""
    lead = 2 * (distance(g, s, 1) - distance(g, s, 0)) + (1 if s[TURN] == 0 else -1)
    x = lead / (2.0 * SIDE + 2.0)
    out[0] = min(max(x, -0.95), 0.95)
    out[1] = -out[0]
