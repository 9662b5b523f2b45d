"""A slow and independent solver of bidding tic-tac-toe: recursion over strings, one rational linear programme a state.

It shares nothing with the package: rules, symmetry, matrices and the programme are written out again here. The value of
a matrix game is found by trying square submatrices (Shapley and Snow 1950), after dominated lines are dropped.
"""

from fractions import Fraction
from functools import cache
from itertools import combinations

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


TURNED = (6, 3, 0, 7, 4, 1, 8, 5, 2)
FLIPPED = (6, 7, 8, 3, 4, 5, 0, 1, 2)


@cache
def result(board):
    for mark, value in (("X", 1), ("O", -1)):
        if any(all(board[c] == mark for c in line) for line in LINES):
            return value
    return None if "_" in board else 0


@cache
def least(board):
    """The same board seen from the side from which it sorts first."""
    seen = []
    for _ in range(4):
        seen += [board, "".join(board[c] for c in FLIPPED)]
        board = "".join(board[c] for c in TURNED)
    return min(seen)


@cache
def after(board, mark):
    return tuple(dict.fromkeys(least(board[:c] + mark + board[c + 1 :]) for c in range(9) if board[c] == "_"))


def half(x):
    """Half a number; whole numbers stay whole, which is quicker than fractions and as exact."""
    x = Fraction(x) / 2
    return int(x) if x.denominator == 1 else x


def paid(payment, winner, a, b, i, j):
    """Purses after bids i and j."""
    price = (i, j)[winner]
    if payment == "richman":
        return (a - price, b + price) if winner == 0 else (a + price, b - price)
    if payment == "poorman":
        return (a - price, b) if winner == 0 else (a, b - price)
    if payment == "allpay":
        return a - i, b - j
    return a - i + j, b - j + i  # allpay-swap


class Reference:
    """The slow solver; `result` and `after` are the base game's rules, tic-tac-toe's unless a subclass says otherwise."""

    result = staticmethod(result)
    after = staticmethod(after)

    def __init__(self, payment, tie, holder=0, min_bid=0, min_bid_second=None):
        self.payment, self.tie, self.fixed = payment, tie, holder
        self.minima = (min_bid, min_bid if min_bid_second is None else min_bid_second)
        self.value = cache(self._value)

    def _value(self, board, a, b, holder):
        over = self.result(board)
        if over is not None:
            return over
        rows = [[self.entry(board, a, b, holder, i, j) for j in range(min(self.minima[1], b), b + 1)]
                for i in range(min(self.minima[0], a), a + 1)]  # fmt: skip
        return game_value(rows)

    def entry(self, board, a, b, holder, i, j):
        if i != j:
            return self.won(board, a, b, holder, 0 if i > j else 1, i, j)
        if self.tie == "marker":
            return self.won(board, a, b, 1 - holder, holder, i, j)
        if self.tie == "fixed":
            return self.won(board, a, b, holder, self.fixed, i, j)
        if self.tie == "coin":
            return half(self.won(board, a, b, holder, 0, i, j) + self.won(board, a, b, holder, 1, i, j))
        use = self.won(board, a, b, 1 - holder, holder, i, j)
        keep = self.won(board, a, b, holder, 1 - holder, i, j)
        return max(use, keep) if holder == 0 else min(use, keep)

    def won(self, board, a, b, holder, winner, i, j):
        a, b = paid(self.payment, winner, a, b, i, j)
        results = [self.value(board, a, b, holder) for board in self.after(board, "XO"[winner])]
        return max(results) if winner == 0 else min(results)


@cache
def _square(rows):
    """The value of a square game in which both mix over everything, or None if they do not."""
    k = len(rows)

    def solve(lines):
        t = [[*map(Fraction, line), Fraction(-1), Fraction(0)] for line in lines] + [
            [Fraction(1)] * k + [Fraction(0), Fraction(1)]
        ]
        for c in range(k + 1):
            at = next((i for i in range(c, k + 1) if t[i][c]), None)
            if at is None:
                return None
            t[c], t[at] = t[at], t[c]
            t[c] = [x / t[c][c] for x in t[c]]
            for i in range(k + 1):
                if i != c and t[i][c]:
                    t[i] = [x - t[i][c] * y for x, y in zip(t[i], t[c], strict=True)]
        return [line[-1] for line in t]

    x, y = solve(list(zip(*rows, strict=True))), solve(rows)
    if x is None or y is None or min(x[:-1]) < 0 or min(y[:-1]) < 0:
        return None
    return x[:-1], y[:-1]


def game_value(rows):
    rows = [list(row) for row in rows]
    low, high = max(min(row) for row in rows), min(max(column) for column in zip(*rows, strict=True))
    if low == high:
        return low
    m, n = len(rows), len(rows[0])
    for k in range(2, min(m, n) + 1):
        for chosen in combinations(range(m), k):
            for columns in combinations(range(n), k):
                found = _square(tuple(tuple(rows[i][j] for j in columns) for i in chosen))
                if found is None:
                    continue
                x, y = found
                worst = min(sum(p * rows[i][j] for p, i in zip(x, chosen, strict=True)) for j in range(n))
                best = max(sum(p * rows[i][j] for p, j in zip(y, columns, strict=True)) for i in range(m))
                if worst == best:
                    return worst
    raise AssertionError("every matrix game has a value")
