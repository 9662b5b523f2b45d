"""Players of the contest program: from random bids to the exact solution, each in plain Python and quick to start.

A player is asked for a bid or a cell by `ContestDecision`, which shows the game from its own side. What it went by it tells
through `say`, a function that takes lines of text: `stratagem contest --debug` prints them on standard error.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from random import Random
from typing import ClassVar

from stratagem.errors import OptionError, UnknownName
from stratagem.protocols.contest import (
    LINES,
    TOTAL,
    Board,
    ContestDecision,
    auction,
    best_bid,
    best_cell,
    place,
    values,
)

Say = Callable[[str], None]

OURS, THEIRS = 1, 2  # marks of a board
LINE_WORTH = {1: 1, 2: 10, 3: 100}  # of a line that holds so many marks of one side and none of the other
WON = 100  # a heuristic sum is less than this: 8 lines of at most 10
WORST = WON + 10  # beyond every score: a win at once is WON + 9
DEPTH = 3


def name(cell: int) -> str:
    """A cell as people write it: a1 is the top left, as everywhere in the program."""
    return "abc"[cell % 3] + "123"[cell // 3]


def empty(board: Board) -> list[int]:
    return [cell for cell in range(9) if not board[cell]]


def has_line(board: Board, mark: int) -> bool:
    return any(all(board[cell] == mark for cell in line) for line in LINES)


def completing(board: Board, mark: int) -> list[int]:
    """The cells with which a side would complete a line."""
    return [cell for cell in empty(board) if has_line(place(board, cell, mark), mark)]


def line_sum(board: Board) -> int:
    """100, 10 or 1 for each line by our marks on it, the same against us for theirs, nothing for lines that both are on."""
    total = 0
    for line in LINES:
        ours, theirs = (sum(board[cell] == mark for cell in line) for mark in (OURS, THEIRS))
        if ours and not theirs:
            total += LINE_WORTH[ours]
        elif theirs and not ours:
            total -= LINE_WORTH[theirs]
    return total


class ContestPlayer(ABC):
    """Asked for one decision, and then gone."""

    summary: ClassVar[str]

    def __init__(self, *, rng: Random, say: Say, depth: int = DEPTH) -> None:
        self.rng, self.say, self.depth = rng, say, depth

    @abstractmethod
    def bid(self, asked: ContestDecision) -> int: ...

    @abstractmethod
    def cell(self, asked: ContestDecision) -> int: ...

    def any_bid(self, gold: int) -> int:
        bid = self.rng.randint(min(1, gold), gold)
        self.say(f"any bid from {min(1, gold)} to {gold}: {bid}")
        return bid

    def any_cell(self, cells: list[int], why: str) -> int:
        cell = self.rng.choice(cells)
        self.say(f"{why}: {name(cell)} of {' '.join(map(name, cells))}")
        return cell


class RandomContest(ContestPlayer):
    summary = "any legal bid of at least 1, any cell"

    def bid(self, asked: ContestDecision) -> int:
        return self.any_bid(asked.gold)

    def cell(self, asked: ContestDecision) -> int:
        return self.any_cell(empty(asked.board), "any cell")


class SampleContest(RandomContest):
    summary = "as the sample program of the contest: never all its gold, any cell"

    def bid(self, asked: ContestDecision) -> int:
        """1 to gold - 1: a draw of 0 .. gold - 1 in which 0 is raised to 1, so that it can never stake everything."""
        bid = max(self.rng.randrange(asked.gold), 1) if asked.gold else 0
        self.say(f"one of 0 to {max(asked.gold - 1, 0)}, at least 1 while there is gold: {bid}")
        return bid


class RulesContest(ContestPlayer):
    summary = "1 if the other is broke, everything when somebody is one move from a line, else any bid"

    def bid(self, asked: ContestDecision) -> int:
        if asked.gold == TOTAL:
            self.say("the other side is broke: 1 is enough")
            return 1
        if completing(asked.board, OURS) or completing(asked.board, THEIRS):
            self.say("somebody is one move from a line: everything")
            return asked.gold
        return self.any_bid(asked.gold)

    def cell(self, asked: ContestDecision) -> int:
        if cells := completing(asked.board, OURS):
            return self.any_cell(cells, "completes a line")
        if cells := completing(asked.board, THEIRS):
            return self.any_cell(cells, "stops a line")
        return self.any_cell(empty(asked.board), "any cell")


class LineSumContest(RulesContest):
    summary = "bids by the rules; the cell of the largest line sum, one move ahead"

    def cell(self, asked: ContestDecision) -> int:
        sums = {cell: line_sum(place(asked.board, cell, OURS)) for cell in empty(asked.board)}
        self.say("line sums: " + "  ".join(f"{name(cell)} {worth:+d}" for cell, worth in sums.items()))
        return max(sums, key=lambda cell: (sums[cell], -cell))


class MinimaxContest(ContestPlayer):
    """Minimax as if turns alternated, the line sum at the leaves, and a bid made from what it says.

    With both sides' scores, if we move now and if they do, a bid follows as in Richman's theory of real-valued money:
    with s from -1 to 1 the share of all gold needed is (1 - s) / 2, and the critical bid half of what moving gains of it.
    """

    summary = "minimax over line sums as if turns alternated; bids half of what moving gains, as a share of all gold"

    def bid(self, asked: ContestDecision) -> int:
        scores = []
        for mover, who in ((OURS, "we"), (THEIRS, "they")):
            self.say(f"if {who} move now:")
            scores.append(self.search(asked.board, mover, self.depth, 0)[0])
        shares = [max(-1.0, min(1.0, score / WON)) for score in scores]
        exact = TOTAL * (shares[0] - shares[1]) / 4
        bid = min(max(round(exact), min(1, asked.gold)), asked.gold)
        self.say(
            f"{scores[0]:+d} if we move, {scores[1]:+d} if they do: {exact:.2f} of {TOTAL} gold is critical; "
            f"with {asked.gold} we bid {bid}"
        )
        return bid

    def cell(self, asked: ContestDecision) -> int:
        _, cell = self.search(asked.board, OURS, self.depth, 0)
        assert cell is not None
        return cell

    def search(self, board: Board, mover: int, depth: int, ply: int) -> tuple[int, int | None]:
        """The score for us and the mover's best cell; each node says what its children passed up.

        The maximiser starts below every score and the minimiser above it.
        """
        for mark, sign in ((OURS, 1), (THEIRS, -1)):
            if has_line(board, mark):
                return sign * (WON + 9 - ply), None  # the sooner the better
        cells = empty(board)
        if not cells:
            return 0, None
        if depth == 0:
            return line_sum(board), None
        below: list[tuple[int, int]] = []
        for cell in cells:
            after = place(board, cell, mover)
            over = depth == 1 or has_line(after, mover) or len(cells) == 1
            if not over:
                self.say(f"{'  ' * (ply + 1)}{name(cell)}:")
            below.append((self.search(after, 3 - mover, depth - 1, ply + 1)[0], cell))
        pick = max if mover == OURS else min
        score, cell = pick(below, key=lambda pair: pair[0])
        listed = " ".join(f"{name(c)} {s:+d}" for s, c in below)
        self.say(f"{'  ' * (ply + 1)}{'max' if mover == OURS else 'min'} of {listed} is {score:+d} by {name(cell)}")
        return score, cell


class AlphaBetaContest(MinimaxContest):
    """The same scores with alpha and beta: what cannot change the answer is cut, so that it may look further."""

    summary = "as minimax, with alpha-beta cuts"

    def search(
        self, board: Board, mover: int, depth: int, ply: int, alpha: int = -WORST, beta: int = WORST
    ) -> tuple[int, int | None]:
        if depth == 0 or has_line(board, 3 - mover) or 0 not in board:
            return super().search(board, mover, 0, ply)
        ours, cells, indent = mover == OURS, empty(board), "  " * (ply + 1)
        score, best, seen = -WORST if ours else WORST, None, []
        for n, cell in enumerate(cells):
            after = place(board, cell, mover)
            if depth > 1 and not has_line(after, mover) and len(cells) > 1:
                self.say(f"{indent}{name(cell)}, window {_bound(alpha)} to {_bound(beta)}:")
            found = self.search(after, 3 - mover, depth - 1, ply + 1, alpha, beta)[0]
            seen.append(f"{name(cell)} {found:+d}")
            if best is None or (found > score if ours else found < score):
                score, best = found, cell
            alpha, beta = (max(alpha, score), beta) if ours else (alpha, min(beta, score))
            if alpha >= beta and n + 1 < len(cells):
                seen.append("cut: " + " ".join(map(name, cells[n + 1 :])))
                break
        assert best is not None
        self.say(f"{indent}{'max' if ours else 'min'} of {' '.join(seen)} is {score:+d} by {name(best)}")
        return score, best


def _bound(score: int) -> str:
    """A bound of a window in text; the first ones are beyond every score."""
    return f"{score:+d}" if abs(score) < WORST else "+inf" if score > 0 else "-inf"


class ExactContest(ContestPlayer):
    summary = "the solution, which ships with the package"

    def bid(self, asked: ContestDecision) -> int:
        bids, rows = auction(asked.board, asked.gold, asked.holds)
        for bid, row in zip(bids, rows, strict=True):
            self.say(f"{bid} guarantees {min(row):+d}; against their 0, 1, ..: {' '.join(f'{x:+d}' for x in row)}")
        return best_bid(asked.board, asked.gold, asked.holds)[0]

    def cell(self, asked: ContestDecision) -> int:
        for cell in empty(asked.board):
            worth = values(place(asked.board, cell, OURS))[(TOTAL + 1) * asked.holds + asked.gold]
            self.say(f"{name(cell)} is worth {worth:+d}")
        return best_cell(asked.board, asked.gold, asked.holds)


PLAYERS: dict[str, type[ContestPlayer]] = {
    "random": RandomContest,
    "sample": SampleContest,
    "rules": RulesContest,
    "linesum": LineSumContest,
    "minimax": MinimaxContest,
    "alphabeta": AlphaBetaContest,
    "exact": ExactContest,
}


def _nobody(line: str) -> None:
    """Nothing is printed unless it is asked for."""


def contest_player(
    player: str, *, seed: int | str | None = None, say: Say | None = None, depth: int = DEPTH
) -> ContestPlayer:
    """A player by name; without a seed its random draws differ from run to run."""
    if player not in PLAYERS:
        raise UnknownName("player", player, PLAYERS)
    if not 1 <= depth <= 9:
        raise OptionError(f"a depth of {depth!r} is no depth of tic-tac-toe; give 1 to 9")
    return PLAYERS[player](rng=Random(seed), say=say or _nobody, depth=depth)


def decide(player: ContestPlayer, asked: ContestDecision) -> str:
    """The line that the program prints."""
    player.say(str(asked))
    if asked.bidding:
        return str(player.bid(asked))
    cell = player.cell(asked)
    return f"{cell // 3} {cell % 3}"
