"""Players of bidding games and their levels.

`easy` bids by rules of thumb, `medium` looks two moves ahead with auctions inside the search, `strong` plays the exact solution
where there is one and looks further ahead where there is none.
"""

from __future__ import annotations

import time as clock_time
from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from stratagem.contract.game import ArrayGame, ArrayPosition
from stratagem.contract.player import Choice, Clock, Entry, Line, Player, RandomPlayer, Request
from stratagem.errors import StratagemError
from stratagem.games.bidding.boards import boards_of
from stratagem.games.bidding.game import Bidding
from stratagem.games.bidding.induction import Induction
from stratagem.games.bidding.kernels import BIDS, CHOOSE, MOVE, PHASE, PURSE, TIE
from stratagem.games.bidding.lookahead import Lookahead
from stratagem.games.bidding.solver import FEW_PLAYOUTS, Auction, BiddingSolver, Stakes
from stratagem.games.bidding.thresholds import Thresholds, thresholds
from stratagem.kernel import OVER, Ground, Payoffs, State
from stratagem.plans.bid import RICHMAN, Payment
from stratagem.rng import below, generator, unit
from stratagem.search.alphabeta.deepening import AlphaBeta
from stratagem.search.players import general_players

SOLVABLE = 200_000  # boards that `strong` solves before it begins
MOST_WORK = 5e8  # bids, or pairs of bids, that it weighs for that: 2 to 5 s
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def line_sum(g: Ground, s: State, out: Payoffs) -> None:
    """The line sum of tic-tac-toe, as a fraction of 1000: a line of one side only counts 1, 10 or 100 by its marks."""
    total = 0
    for k in range(8):
        own = 0
        other = 0
        for i in range(3):
            own += s[0] >> LINES[k][i] & 1
            other += s[1] >> LINES[k][i] & 1
        if other == 0 and own > 0:
            total += 1 if own == 1 else (10 if own == 2 else 100)
        elif own == 0 and other > 0:
            total -= 1 if other == 1 else (10 if other == 2 else 100)
    out[0] = total / 1000.0
    out[1] = -out[0]


class AuctionPlayer(Player[ArrayPosition]):
    """Asks `bid` in an auction and `move` on the board; takes every tie it may, and moves itself if it may choose."""

    name = "auction"

    def __init__(self, game: Bidding, *, seed: int = 0) -> None:
        self.game = game
        self._rng = generator(seed)

    def answer(self, request: Request[ArrayPosition]) -> Choice:
        p, s = request.seat, request.view.state
        if s[PHASE] == BIDS:
            return Choice(str(self.bid(s, p)), engine=self.name)
        if s[PHASE] == TIE:
            return Choice("take", engine=self.name)
        if s[PHASE] == CHOOSE:
            return Choice(self.game.seats[p], engine=self.name)
        return Choice(self.game.base.move_text(self.game.base_state(s), p, self.move(s, p)), engine=self.name)

    @abstractmethod
    def bid(self, s: State, p: int) -> int: ...

    @abstractmethod
    def move(self, s: State, p: int) -> int: ...

    # -- what rules of thumb look at

    def random_bid(self, s: State, p: int) -> int:
        legal = self.game.legal(s, p)
        with np.errstate(over="ignore"):
            return legal[below(self._rng, len(legal))]

    def winning(self, base: State, p: int) -> list[int]:
        """The moves with which p would win at once."""
        game, found = self.game.base, []
        for m in game.legal(base, p):
            after, out = base.copy(), np.zeros(2)
            game.run("play", game.g, after, p, m)
            if game.run("turn", game.g, after) == OVER:
                game.run("payoff", game.g, after, out)
                if out[p] > 0:
                    found.append(m)
        return found


class RulePlayer(AuctionPlayer):
    """1 if the opponent is broke, everything when either side is one move from winning, else a random bid."""

    name = "rules"

    def bid(self, s: State, p: int) -> int:
        legal, base = self.game.legal(s, p), self.game.base_state(s)
        if s[PURSE + 1 - p] == 0:
            return min(max(1, legal[0]), legal[-1])
        if self.winning(base, 0) or self.winning(base, 1):
            return legal[-1]
        return self.random_bid(s, p)

    def move(self, s: State, p: int) -> int:
        """A move that wins, else one where the opponent would win, else any."""
        base = self.game.base_state(s)
        legal = self.game.base.legal(base, p)
        good = self.winning(base, p) or [m for m in self.winning(base, 1 - p) if m in legal] or legal
        with np.errstate(over="ignore"):
            return good[below(self._rng, len(good))]


class LineSumPlayer(RulePlayer):
    """Bids by rules; the cell by the 100/10/1 line sum, one move ahead or by alpha-beta as if turns alternated."""

    def __init__(self, game: Bidding, *, depth: int = 1, seed: int = 0) -> None:
        super().__init__(game, seed=seed)
        self.depth = int(depth)
        self.name = "linesum" if self.depth == 1 else f"linesum:depth={self.depth}"
        self._search = AlphaBeta(self.game.base, evaluate=line_sum, table_bits=16)

    def answer(self, request: Request[ArrayPosition]) -> Choice:
        """The same choice with what it was made from: a value for every cell, and for a bid that of the board as it stands."""
        chosen = super().answer(request)
        s, p = request.view.state, request.seat
        if s[PHASE] == MOVE:
            found = self.cells(s, p, request.lines)
            return replace(found, move=chosen.move, engine=self.name)
        if s[PHASE] != BIDS:
            return chosen
        out = np.zeros(2)
        line_sum(self.game.base.g, self.game.base_state(s), out)
        after = {self.game.seats[q]: self.cells(s, q, self.game.base.max_moves).values for q in (0, 1)}
        line = Line((chosen.move,), float(out[p]))
        return replace(chosen, value=float(out[p]), lines=(line,), details={"after": after})

    def show(self, view: ArrayPosition, choice: Choice, seat: int | None) -> str | None:
        """The values of the cells that either side would choose from after this auction, as line sums: 100, 10 and 1 a line."""
        if "after" not in choice.details:
            return None
        return "\n".join(
            f"if {who} wins: "
            + "  ".join(f"{cell} {1000 * x:+.0f}" for cell, x in sorted(cells.items(), key=lambda item: -item[1]))
            for who, cells in choice.details["after"].items()
        )

    def cells(self, s: State, p: int, lines: int) -> Choice:
        """The cells of a side by what they are worth to it."""
        base = self.game.base_state(s)
        base[boards_of(self.game.base).turn_cell] = p
        return self._search.analyse(self.game.base.position(base), Clock(None), depth=self.depth, lines=lines)

    def move(self, s: State, p: int) -> int:
        return self.game.base.parse_move(self.game.base_state(s), p, self.cells(s, p, 1).move)


class RichmanPlayer(AuctionPlayer):
    """Plays real-valued Richman theory: bids the critical share of all chips and makes a move of the least threshold."""

    name = "richman"

    def __init__(self, game: Bidding, *, playouts: int = 4000, seed: int = 0) -> None:
        super().__init__(game, seed=seed)
        self.playouts = int(playouts)
        self._last: tuple[State, Thresholds] | None = None

    def bid(self, s: State, p: int) -> int:
        found = self._thresholds(self.game.base_state(s))
        legal = self.game.legal(s, p)
        return min(max(round(float(found.critical_bid) * int(s[PURSE] + s[PURSE + 1])), legal[0]), legal[-1])

    def move(self, s: State, p: int) -> int:
        base = self.game.base_state(s)
        return self.game.base.parse_move(base, p, self._thresholds(base).moves[p][0])

    def _thresholds(self, base: State) -> Thresholds:
        """Those of the last board are kept: the move that follows a bid is on the same one."""
        if self._last is None or not np.array_equal(self._last[0], base):
            found = thresholds(
                self.game.base, base, Payment(RICHMAN), seed=int(self._rng[1]), playouts=self.playouts, listed=5_000
            )
            self._last = base.copy(), found
        return self._last[1]


class SolutionPlayer(Player[ArrayPosition]):
    """Plays a solution, or a look ahead: optimal bids (drawn, where they are mixed) and the best move that leaves most room."""

    def __init__(self, game: Bidding, solver: BiddingSolver, name: str, *, seed: int = 0) -> None:
        self.game, self.solver, self.name = game, solver, name
        self._rng = generator(seed)

    def answer(self, request: Request[ArrayPosition]) -> Choice:
        view, clock, p = request.view, request.clock, request.seat
        began = clock_time.perf_counter()
        if isinstance(self.solver, Lookahead) and clock.seconds is not None:
            self.solver.seconds = clock.seconds
        found, node = self.solver.solution(view)
        stakes, phase = Stakes.of(view.state), view.state[PHASE]
        if phase == BIDS:
            choice = self._bid(self.solver.auction(found, node, stakes), p)
        else:
            compared = self._moves(found, view, p, stakes) if phase == MOVE else self._options(view, p)
            choice = Choice(compared[0].moves[0], compared[0].value, tuple(compared))
        depth = self.solver.reached if isinstance(self.solver, Lookahead) else None
        seconds = clock_time.perf_counter() - began
        return replace(choice, nodes=found.states, depth=depth, seconds=seconds, engine=self.name)

    def _bid(self, auction: Auction, p: int) -> Choice:
        strategy = {str(bid): chance for bid, chance in auction.mixtures[p].items()}
        value = auction.value if p == 0 else -auction.value
        return Choice(str(self._draw(auction.mixtures[p])), value, bid_lines(auction, p, self._error), strategy)

    @property
    def _error(self) -> float | None:
        """Of every value: none where the whole game is solved, not known where it is looked ahead."""
        return None if isinstance(self.solver, Lookahead) else 0.0

    def _moves(self, found: Induction, view: ArrayPosition, p: int, stakes: Stakes) -> list[Line]:
        sign = 1 if p == 0 else -1
        ranked = self.solver.ranked_moves(found, self.game.base_state(view.state), p, stakes)
        return [Line((text,), sign * value, self._error) for text, value, _ in ranked]

    def _options(self, view: ArrayPosition, p: int) -> list[Line]:
        """Taking or leaving a tie, or choosing who moves: each by the value of what it leads to, the best first."""
        sign = 1 if p == 0 else -1
        found = []
        for text in view.moves(p):
            after = view.play(text)
            value = after.payoff[0] if after.over else self.solver.solve(after).value
            found.append(Line((text,), sign * value, self._error))
        return sorted(found, key=lambda line: -(line.value or 0.0))

    def _draw(self, mixture: dict[int, float]) -> int:
        with np.errstate(over="ignore"):
            x = unit(self._rng)
        for bid, chance in mixture.items():
            x -= chance
            if x < 0:
                return bid
        return max(mixture, key=lambda bid: mixture[bid])


def bid_lines(auction: Auction, p: int, error: float | None = None) -> tuple[Line, ...]:
    """Every bid of a seat with what it guarantees that seat and its probability, the best first."""
    worst = auction.matrix.min(axis=1) if p == 0 else -auction.matrix.max(axis=0)
    chances = (auction.mixtures[p].get(auction.lows[p] + k, 0.0) for k in range(len(worst)))
    lines = [
        Line((str(auction.lows[p] + k),), float(x), error, probability=chance)
        for k, (x, chance) in enumerate(zip(worst, chances, strict=True))
    ]
    return tuple(sorted(lines, key=lambda line: (-(line.probability or 0.0), -(line.value or 0.0))))


# ---------------------------------------------------------------------------------------------------------- the register


def exact(game: Bidding, *, seed: int = 0) -> SolutionPlayer:
    return SolutionPlayer(game, BiddingSolver(game), "exact", seed=seed)


def lookahead(
    game: Bidding, *, depth: int | None = None, time: float = 1.0, seed: int = 0, **more: Any
) -> SolutionPlayer:
    if is_tictactoe(game.base):
        more = {"evaluate": line_sum, "sharpness": 40.0, **more}
    searches = Lookahead(game, depth=None if depth is None else int(depth), seconds=float(time), seed=seed, **more)
    return SolutionPlayer(game, searches, "lookahead", seed=seed)


def one_move_ahead(game: Bidding, *, seed: int = 0) -> SolutionPlayer:
    """Values after one move, by a few playouts."""
    found = lookahead(game, depth=1, playouts=FEW_PLAYOUTS, target="python")
    found.name = "a look one move ahead"
    return found


def strong(game: Bidding, *, seed: int = 0) -> SolutionPlayer:
    """The exact solution where the game can be solved, else a look ahead."""
    solver = BiddingSolver(game, largest=SOLVABLE, most_work=MOST_WORK)
    try:
        solver.solution(game.start())
    except StratagemError:
        return lookahead(game, seed=seed)
    return SolutionPlayer(game, solver, "exact", seed=seed)


def medium(game: Bidding, *, seed: int = 0) -> SolutionPlayer:
    return lookahead(game, depth=2, seed=seed)


def is_tictactoe(base: ArrayGame) -> bool:
    return base.name == "tictactoe" and base["rows"] == base["columns"] == base["line"] == 3


def players(game: Bidding) -> dict[str, Entry]:
    found = {
        "random": Entry(RandomPlayer, "any legal bid and move, all alike"),
        "rules": Entry(RulePlayer, "everything when somebody is one move from winning, else a random bid"),
        "richman": Entry(RichmanPlayer, "the critical bid of real-valued money", ("playouts", "seed")),
        "lookahead": Entry(
            lookahead, "auctions inside a search of a few moves", ("depth", "time", "seed"), quick=one_move_ahead
        ),
        "exact": Entry(exact, "the solution of the whole game", quick=one_move_ahead),
        "easy": Entry(RulePlayer, "rules of thumb"),
        "medium": Entry(medium, "looks 2 moves ahead", quick=one_move_ahead),
        "strong": Entry(
            strong, "exact where the game can be solved soon, else looks ahead for 1 s", quick=one_move_ahead
        ),
    }
    general = general_players(game)
    found |= {name: general[name] for name in ("mcts", "montecarlo") if name in general}
    if is_tictactoe(game.base):
        found["linesum"] = Entry(
            LineSumPlayer, "bids by rules, cells by the line sum and alpha-beta", ("depth", "seed")
        )
    return found
