"""The contest program: what it answers, what it refuses, and that it wins."""

import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from references.bidding import Reference, result

from stratagem.errors import ParseError
from stratagem.protocols.contest import TOTAL, answer, best_bid, best_cell, place, read, values
from stratagem.protocols.contest_table import build


def ask(side="X", what="BID", first="", second="", board=("___", "___", "___")):
    return "\n".join([side, what, first, second, *board]) + "\n"


def test_an_empty_history_means_no_auctions():
    asked = read(ask())
    assert (asked.gold, asked.holds) == (4, True)  # and not a tie at 0 that hands the role to O


def test_the_opening_bid_is_the_one_that_wins():
    assert answer(ask()) == "1"


def test_gold_and_the_tie_role_follow_the_auctions():
    asked = read(ask("O", "BID", "1 2 1", "1 0 2", ("X_X", "_O_", "___")))
    # a tie at 1 won by X, then X wins at 2, then O at 2
    assert (asked.gold, asked.holds) == (4 + 1 + 2 - 2, True)


def test_a_winner_completes_its_line():
    assert answer(ask("X", "PLAY", "1 1 1", "1 0 0", ("XX_", "___", "___"))) == "0 2"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "7"),
        (ask()[:-5], "7|row"),
        (ask() + "extra\n", "7"),
        ("X\nBID\n___\n___\n___\n", "7"),  # the empty lines are missing
        (ask("Y"), "X or O"),
        (ask("X", "bid"), "BID or PLAY"),
        (ask(first="1"), "pair"),
        (ask("X", "BID", "1", "0"), "auctions"),
        (ask("X", "PLAY", "0", "1"), "won by O"),
        (ask("O", "BID", "5", "0", ("X__", "___", "___")), "had 4 gold"),
        (ask("O", "BID", "-1", "0", ("X__", "___", "___")), "whole numbers"),
        (ask("O", "BID", "1  1", "0 0", ("XX_", "___", "___")), "single blanks"),
        (ask("O", "BID", "one", "0", ("X__", "___", "___")), "whole numbers"),
        (ask("O", "BID", "1", "0", ("O__", "___", "___")), "has won"),
        (ask("O", "BID", "1", "0", ("Z__", "___", "___")), "X, O and _"),
        (ask("O", "BID", "1", "0", ("X___", "___", "___")), "three of"),
        (ask("X", "BID", "1 1 1", "0 0 0", ("XXX", "___", "___")), "over"),
        (ask("X", "BID", " ".join("0" * 10), " ".join("0" * 10), ("XOX", "OXO", "OXO")), "auctions"),
    ],
)
def test_input_that_contradicts_itself_is_refused(text, reason):
    with pytest.raises(ParseError, match=reason):
        answer(text)


def test_the_table_is_the_solution_of_the_game():
    boards, table = build()
    assert len(boards) == 1582
    reference = Reference("richman", "marker", min_bid=1, min_bid_second=0)
    for board in ("____X____", "X_______O", "XO__X____", "XX_OO____", "OX_X_O___"):
        mine = tuple("_XO".index(mark) for mark in board)
        for gold, holds in product(range(TOTAL + 1), (False, True)):
            expected = reference.value(board, gold, TOTAL - gold, 0 if holds else 1)
            assert values(mine)[9 * holds + gold] == expected
    shipped = [values(tuple(int(x) for x in np.base_repr(int(b), 3).zfill(9))) for b in boards]
    assert np.array_equal(np.array(shipped), table)


def play_contest(seed, opponent):
    """A whole game through the text protocol, as X; the opponent is any pair of functions."""
    draw = np.random.default_rng(seed)
    board, bids, gold, holder = "_" * 9, ([], []), [4, 4], 0
    while result(board) is None:
        lines = [" ".join(map(str, b)) for b in bids]
        rows = tuple(board[k : k + 3] for k in (0, 3, 6))
        ours = int(answer(ask("X", "BID", *lines, rows)))
        theirs = opponent(draw, board, gold)
        assert min(1, gold[0]) <= ours <= gold[0]
        winner = holder if ours == theirs else int(theirs > ours)
        if ours == theirs:
            holder = 1 - holder
        price = max(ours, theirs)
        gold[winner] -= price
        gold[1 - winner] += price
        bids[0].append(ours)
        bids[1].append(theirs)
        if winner == 0:
            row, column = map(int, answer(ask("X", "PLAY", *(" ".join(map(str, b)) for b in bids), rows)).split())
            cell = 3 * row + column
        else:
            cell = int(draw.choice([c for c in range(9) if board[c] == "_"]))
        assert board[cell] == "_"
        board = board[:cell] + "XO"[winner] + board[cell + 1 :]
    return result(board)


@pytest.mark.parametrize(
    "bid", [lambda draw, b, g: int(draw.integers(0, g[1] + 1)), lambda d, b, g: 0, lambda d, b, g: g[1]]
)
def test_as_x_it_wins_every_game(bid):
    assert {play_contest(seed, bid) for seed in range(60)} == {1}


def test_no_reply_at_all_beats_it_as_x():
    """Every bid and cell the opponent could choose, through the whole tree: X always wins."""
    seen = set()

    def wins(board, gold, holds):
        if (board, gold, holds) in seen:
            return
        seen.add((board, gold, holds))
        bid, _ = best_bid(board, gold, holds)
        for theirs in range(TOTAL - gold + 1):
            we = holds if bid == theirs else bid > theirs
            after_gold = gold - bid if we else gold + theirs
            after_holds = not holds if bid == theirs else holds
            cells = [best_cell(board, after_gold, after_holds)] if we else [c for c in range(9) if not board[c]]
            for cell in cells:
                after = place(board, cell, 1 if we else 2)
                text = "".join("_XO"[x] for x in after)
                if result(text) is None:
                    wins(after, after_gold, after_holds)
                else:
                    assert result(text) == 1

    wins((0,) * 9, 4, True)
    assert len(seen) > 50


def test_the_program_answers_and_loads_nothing_heavy():
    def run(text, *flags):
        command = [sys.executable, *flags, "-m", "stratagem", "contest"]
        return subprocess.run(command, input=text, capture_output=True, text=True, check=False)

    good, bad = run(ask()), run("X\n")
    assert (good.returncode, good.stdout, good.stderr) == (0, "1\n", "")
    assert (bad.returncode, bad.stdout, bad.stderr.count("\n")) == (2, "", 1)
    loaded = run(ask(), "-X", "importtime").stderr
    assert "stratagem.protocols.contest" in loaded
    assert not [heavy for heavy in ("numba", "scipy", "fastapi", "highspy") if heavy in loaded]


def shown():
    """The exchanges that the page prints: a command, and what it answers."""
    page = (Path(__file__).parents[2] / "docs" / "contest.md").read_text()
    blocks = re.findall(r"^```\n(.*?)^```", page, re.S | re.M)
    return [
        (command, answered)
        for block in blocks
        for command, answered in re.findall(r"^\$ (printf .*)\n((?:(?!\$ ).*\n)*)", block, re.M)
    ]


@pytest.mark.parametrize(("command", "answered"), shown())
def test_the_page_shows_what_the_program_prints(command, answered):
    said = command.replace("stratagem", f"{sys.executable} -m stratagem")
    found = subprocess.run(["bash", "-c", f"({said}) 2>&1"], capture_output=True, text=True, timeout=60)
    assert found.stdout == answered


def test_debug_prints_board_histories_and_gold_as_read():
    assert str(read("O\nBID\n1 0\n1 1\nXO_\n___\n___\n")).splitlines() == [
        "O is asked to bid",
        "board XO_ ___ ___",
        "player 1 (X): 4 gold, bids 1 0",
        "player 2 (O): 4 gold, bids 1 1",
        "the next tie goes to O",
    ]
