"""Hex, breakthrough and othello against slow, plain rules, on thousands of seeded random positions.

The plain rules know no turn: a side may be asked for its moves, and may move, at any time, as bidding games need.
"""

import random

import numpy as np
import pytest

import stratagem
from stratagem import Clock
from stratagem.errors import IllegalMove, OptionError, ParseError
from stratagem.kernel import OVER
from stratagem.search.alphabeta.deepening import AlphaBeta
from stratagem.testing import conform

ROUND = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]


class PlainHex:
    """A board as a dict from (row, column) to a seat."""

    def __init__(self, game):
        self.n, self.board = game["size"], {}

    def name(self, cell):
        return f"{chr(97 + cell[1])}{cell[0] + 1}"

    def cells(self):
        return [(r, c) for r in range(self.n) for c in range(self.n)]

    def moves(self, p):
        return {self.name(cell): cell for cell in self.cells() if cell not in self.board}

    def play(self, p, cell):
        self.board[cell] = p

    def joined(self, p):
        """Whether stones of p join its edges: flood from the first edge, all neighbours one by one."""
        axis = p
        todo = [cell for cell, owner in self.board.items() if owner == p and cell[axis] == 0]
        seen = set(todo)
        while todo:
            r, c = todo.pop()
            if (r, c)[axis] == self.n - 1:
                return True
            for dr, dc in ((0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1)):
                near = (r + dr, c + dc)
                if near not in seen and self.board.get(near) == p:
                    seen.add(near)
                    todo.append(near)
        return False

    def result(self):
        for p in (0, 1):
            if self.joined(p):
                return (1.0, -1.0) if p == 0 else (-1.0, 1.0)
        return None


class PlainOthello:
    def __init__(self, game):
        self.n = game["size"]
        m = self.n // 2
        self.board = {(m - 1, m - 1): 1, (m, m): 1, (m - 1, m): 0, (m, m - 1): 0}

    def turned(self, p, cell):
        found = []
        for dr, dc in ROUND:
            line, r, c = [], cell[0] + dr, cell[1] + dc
            while self.board.get((r, c)) == 1 - p:
                line.append((r, c))
                r, c = r + dr, c + dc
            if self.board.get((r, c)) == p:
                found += line
        return found

    def places(self, p):
        cells = [(r, c) for r in range(self.n) for c in range(self.n) if (r, c) not in self.board]
        return {f"{chr(97 + c)}{r + 1}": (r, c) for r, c in cells if self.turned(p, (r, c))}

    def moves(self, p):
        return self.places(p) or {"pass": None}

    def play(self, p, cell):
        if cell is not None:
            for turned in self.turned(p, cell):
                self.board[turned] = p
            self.board[cell] = p

    def result(self):
        if self.places(0) or self.places(1):
            return None
        lead = sum(1 if owner == 0 else -1 for owner in self.board.values())
        return (float(np.sign(lead)), float(-np.sign(lead)))


class PlainBreakthrough:
    def __init__(self, game):
        self.rows, self.columns = game["rows"], game["columns"]
        self.board = {}
        for c in range(self.columns):
            for r in range(game["ranks"]):
                self.board[r, c] = 0
                self.board[self.rows - 1 - r, c] = 1

    def moves(self, p):
        found = {}
        ahead = 1 if p == 0 else -1
        for (r, c), owner in self.board.items():
            if owner != p:
                continue
            for side in (-1, 0, 1):
                goal = (r + ahead, c + side)
                if not (0 <= goal[0] < self.rows and 0 <= goal[1] < self.columns):
                    continue
                there = self.board.get(goal)
                if there is None or (there == 1 - p and side != 0):
                    sign = "-" if there is None else "x"
                    text = f"{chr(97 + c)}{r + 1}{sign}{chr(97 + goal[1])}{goal[0] + 1}"
                    found[text] = ((r, c), goal)
        return found

    def play(self, p, move):
        start, goal = move
        del self.board[start]
        self.board[goal] = p

    def result(self):
        for p, far in ((0, self.rows - 1), (1, 0)):
            arrived = any(owner == p and cell[0] == far for cell, owner in self.board.items())
            if arrived or 1 - p not in self.board.values():
                return (1.0, -1.0) if p == 0 else (-1.0, 1.0)
        return None


PLAIN = {"hex": PlainHex, "othello": PlainOthello, "breakthrough": PlainBreakthrough}
MARKS = {"hex": "XO", "othello": "XO", "breakthrough": "WB"}
BOARDS = [
    ("hex", {"size": 3}, 60),
    ("hex", {"size": 6}, 25),
    ("hex", {"size": 11}, 6),
    ("othello", {"size": 4}, 60),
    ("othello", {"size": 6}, 25),
    ("othello", {}, 20),
    ("breakthrough", {}, 12),
    ("breakthrough", {"rows": 5, "columns": 4}, 40),
    ("breakthrough", {"rows": 7, "columns": 9, "ranks": 3}, 6),
    ("breakthrough", {"rows": 32, "columns": 2}, 3),
]
IDS = [f"{name}-{'-'.join(map(str, options.values())) or 'normal'}" for name, options, _ in BOARDS]


@pytest.mark.parametrize(("name", "options", "games"), BOARDS, ids=IDS)
def test_the_rules_follow_the_plain_ones_whoever_moves(name, options, games):
    """In every second game a coin decides who moves; the moves of both sides are compared at every position."""
    game = stratagem.game(name, **options)
    rng = random.Random(f"{name}{options}")
    for k in range(games):
        plain, s = PLAIN[name](game), game.start().state.copy()
        p = 0
        while plain.result() is None:
            turn = int(game.run("turn", game.g, s))
            assert turn == p if k % 2 == 0 else turn in (0, 1)
            if k % 2:
                p = rng.randrange(2)
            for side in (0, 1):
                numbers = game.legal(s, side)
                texts = {game.move_text(s, side, m) for m in numbers}
                assert texts == set(plain.moves(side))
                assert len(numbers) == int(game.run("count", game.g, s, side))
            text = rng.choice(sorted(plain.moves(p)))
            game.run("play", game.g, s, p, game.parse_move(s, p, text))
            plain.play(p, plain.moves(p)[text])
            # the board's text tells all but the turn, also where play did not alternate
            turn = int(game.run("turn", game.g, s))
            mover = "" if turn == OVER else f":{MARKS[name][turn]}"
            assert np.array_equal(game.parse_board(game.board_text(s) + mover)[: game.size], s[: game.size])
            p = 1 - p
        assert int(game.run("turn", game.g, s)) == OVER
        out = np.zeros(2)
        game.run("payoff", game.g, s, out)
        assert tuple(out) == plain.result()


VARIANTS = [
    ("hex", {}), ("hex", {"size": 4, "swap": True}), ("hex", {"size": 1}), ("othello", {}),
    ("othello", {"size": 4, "payoff": "discs"}), ("breakthrough", {}),
    ("breakthrough", {"rows": 4, "columns": 3, "ranks": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=str)
def test_a_game_keeps_the_contract(name, options):
    conform(stratagem.game(name, **options), games=2 if not options else 4, compiled=not options)


# -- text and errors


@pytest.mark.parametrize(
    ("name", "options", "text", "message"),
    [
        ("hex", {"size": 3}, "___/_X_/__", "has 8 cells"),
        ("hex", {"size": 3}, "___/_Z_/___", "holds 'Z'"),
        ("hex", {"size": 3}, "___/_X_/___:Q", "'Q' to move"),
        ("hex", {"size": 3}, "___/_X_/___:X", "O is to move, not X"),
        ("hex", {"size": 3}, "_O_/_X_/_O_", "1 X and 2 O"),
        ("hex", {"size": 3}, "XO_/X_O/XO_", "play went on after the end"),
        ("hex", {"size": 2}, "XO/XO", "play went on after the end"),
        ("othello", {"size": 4}, "____/_OX_/_XO_/____", "does not say who moves"),
        ("othello", {"size": 4}, "____/_O__/_XO_/____:X", "no disc on c2"),
        ("breakthrough", {"rows": 4, "columns": 2}, "BB/BB/WW/WW", "does not say who moves"),
        ("breakthrough", {"rows": 4, "columns": 2}, "BW/__/__/BW:W", "the game ended at the first"),
        ("breakthrough", {"rows": 4, "columns": 2}, "__/__/__/__:W", "has no pieces"),
        ("breakthrough", {"rows": 4, "columns": 2, "ranks": 1}, "_B/__/WW/W_:W", "3 pieces of White; an army has 2"),
    ],
)
def test_a_wrong_position_is_refused_with_its_reason(name, options, text, message):
    with pytest.raises(ParseError, match=message):
        stratagem.game(name, **options).parse(text)


@pytest.mark.parametrize(
    ("name", "move", "message"),
    [
        ("hex", "l1", "names no cell"),
        ("hex", "swap", "swap is only for"),
        ("othello", "a1", "turns nothing over; legal: d3 c4 f5 e6"),
        ("othello", "d4", "already holds O"),
        ("othello", "pass", "may not pass"),
        ("breakthrough", "a2-a5", "cannot go to a5; it can go: a2-a3, a2-b3"),
        ("breakthrough", "a3-a4", "White has no piece on a3"),
        ("breakthrough", "hello", "a move is two cells"),
    ],
)
def test_an_illegal_move_is_refused_with_its_reason(name, move, message):
    with pytest.raises(IllegalMove, match=message):
        stratagem.game(name).start().play(move)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("hex", {"size": 27}, "from 1 to 26"),
        ("othello", {"size": 5}, "one of 4, 6, 8"),
        ("breakthrough", {"rows": 9}, "72 cells; at most 64 fit"),
        ("breakthrough", {"rows": 5, "ranks": 3}, "two armies of 3 rows"),
    ],
)
def test_options_that_make_no_game_are_refused(name, options, message):
    with pytest.raises(OptionError, match=message):
        stratagem.game(name, **options)


def test_the_second_player_of_hex_may_take_the_first_stone_over():
    game = stratagem.game("hex", size=4, swap=True)
    position = game.start().play("b1")
    assert "swap" in position.moves()
    swapped = position.play("swap")
    assert str(swapped) == "____/O___/____/____:X"  # mirrored, as the edges are
    assert "swap" not in swapped.moves()
    assert "swap" not in position.play("a1").moves()


def test_a_player_of_othello_who_can_place_nothing_must_pass():
    walled = stratagem.game("othello", size=4).parse("XXXX/XXXX/XXXO/XXX_:X")
    assert walled.moves() == ["d4"]
    stuck = stratagem.game("othello", size=4).parse("XXXX/XXXX/XXXO/XXX_:O")
    assert stuck.moves() == ["pass"]
    assert stuck.play("pass") == walled


def test_empty_cells_go_to_the_winner_where_discs_are_the_payoff():
    position = stratagem.game("othello", size=4, payoff="discs").parse("XXXX/XXXX/XXXX/____")
    assert position.over
    assert position.payoff == (16.0, -16.0)


def test_losing_the_last_piece_loses_breakthrough():
    position = stratagem.game("breakthrough", rows=5, columns=3).parse("___/___/B__/_W_/___:W").play("b2xa3")
    assert position.over
    assert position.payoff == (1.0, -1.0)


# ------------------------------------------------------------------------------------ lines of another length, and time


@pytest.mark.parametrize("line", [2, 3, 5])
def test_connect_four_with_lines_of_another_length_ends_at_the_first_one(line):
    game = stratagem.game("connect4", width=6, height=5, line=line)
    draws = random.Random(line)
    for _ in range(60):
        at = game.start()
        while not at.over:
            at = at.play(draws.choice(at.moves()))
            cells = {
                (c, r): game.stone(at.state, c, r) for c in range(6) for r in range(5) if game.stone(at.state, c, r)
            }
            rows = [
                stone
                for (c, r), stone in cells.items()
                for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1))
                if all(cells.get((c + k * dc, r + k * dr)) == stone for k in range(line))
            ]
            assert at.over == (bool(rows) or len(cells) == 30)
            if rows:
                assert at.payoff[rows[0] - 1] == 1


def test_lines_of_four_are_the_usual_game():
    assert stratagem.game("connect4", line=4).start().game.bitboards
    three = stratagem.game("connect4", line=3)
    found = AlphaBeta(three, target="python").analyse(three.parse("1122"), Clock(None), depth=2)
    assert (found.move, found.value) == ("3", 1)


def test_the_solver_tells_how_long_such_positions_take():
    from stratagem.cli.solve import duration, reported
    from stratagem.search.alphabeta.solver import Known

    game = stratagem.game("connect4")
    early, late = (game.usual_nodes(game.parse(text)) for text in ("7", "444444332222"))
    assert early > 5e8 > 1e6 > late and stratagem.game("connect4", width=5).usual_nodes(game.start()) is None
    words = reported(Known(-1, 1, 8_000_000, 2.0), early)
    assert "value from -1 to +1" in words and "min to go if it is usual" in words
    assert "longer than usual" in reported(Known(-1, 0, 10**10, 900.0, (2, 7)), early)
    assert "move 2 of 7" in reported(Known(0, 0, 100, 1.0, (2, 7)), None)
    assert [duration(x) for x in (3, 600, 20_000)] == ["3 s", "10 min", "6 h"]
