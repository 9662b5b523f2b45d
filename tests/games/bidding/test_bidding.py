"""Bidding games: the rules against a plain reference, the solution against an independent solver, and published values."""

import errno
import os
import shutil
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from references.bidding import Reference, least, paid, result

import stratagem
from stratagem.contract.game import CHANCE, TOGETHER
from stratagem.contract.player import Clock
from stratagem.errors import IllegalMove, OptionError, ParseError, StratagemError
from stratagem.games.bidding import solver as solving
from stratagem.games.bidding.graph import Graph, explore
from stratagem.games.bidding.induction import solve_graph
from stratagem.games.bidding.kernels import HOLDER, PURSE
from stratagem.games.bidding.solver import BiddingSolver, Stakes
from stratagem.games.bidding.thresholds import (
    by_fillings,
    discrete_richman,
    estimate,
    graph_thresholds,
    least_purse,
    thresholds,
)
from stratagem.plans.bid import RICHMAN, Payment, critical_bid, discrete_threshold, parse_payment, threshold
from stratagem.registry import players
from stratagem.rng import generator
from stratagem.testing import conform

PAYMENTS = ("richman", "poorman", "allpay", "allpay-swap")
TIES = ("marker", "advantage", "coin", "fixed")
RACE = str(Path(__file__).parents[2] / "toys" / "race.py")
EMPTY = "_" * 9


@cache
def board_graph():
    base = stratagem.game("tictactoe")
    return explore(base, base.start().state)


def solved(chips, *, min_bids=None, all_splits=False, plain=False, **options):
    game = stratagem.game("bidding", chips=chips, **options)
    return solve_graph(game, board_graph(), chips, min_bids=min_bids, all_splits=all_splits, plain=plain)


def value(chips, **options):
    return solved(chips, **options).value(0, 0, options.get("holder", 0), *chips)


def node(board):
    return board_graph().node(stratagem.game("tictactoe").parse_board(board))


# -- rules


def test_a_tied_bid_goes_to_the_marker_holder_who_hands_the_marker_over():
    position = stratagem.game("bidding").start().play("2 | 2")
    assert str(position) == "_________ @ 2:6* X moves"


def test_the_higher_bid_wins_and_is_paid_to_the_loser():
    assert str(stratagem.game("bidding").start().play("1 | 3").play("b2")) == "____O____ @ 7*:1"


def test_the_holder_of_the_advantage_may_decline_a_tie_and_keep_the_token():
    game = stratagem.game("bidding", tie="advantage")
    tied = game.start().play("1 | 1")
    assert tied.moves() == ["leave", "take"]
    assert str(tied.play("leave")) == "_________ @ 5*:3 O moves"
    assert str(tied.play("take")) == "_________ @ 3:5* X moves"


def test_the_winner_may_choose_who_moves():
    chooses = stratagem.game("bidding", over="nim", mover="chosen").start().play("1 | 0")
    assert chooses.play("second").moves()[0] == "1:1" and chooses.play("second").turn == 1


def test_who_takes_the_last_object_wins_bidding_nim():
    game = stratagem.game("bidding", over="nim:heaps=1,1")
    assert game.start().play("1 | 0").play("1:1").play("1 | 0").play("2:1").payoff == (1.0, -1.0)


def test_a_winner_without_a_legal_move_passes_and_four_passes_in_a_row_draw():
    game = stratagem.game("bidding", over="othello:size=4", tie="fixed", holder=1, chips=(0, 0))
    position = game.parse("XXXX/XXXX/XXO_/____")  # X could take the disc, O encloses nothing, and O wins all ties
    for _ in range(4):
        assert not position.over
        position = position.play("0 | 0").play("pass")
    assert position.over and position.payoff == (0.0, 0.0)
    assert game.parse(str(position)) == position


class PlainAuction:
    """The rules once more, on strings, without kernels."""

    def __init__(self, payment, tie, chips):
        self.payment, self.tie = payment, tie
        self.board, self.purses, self.holder = EMPTY, chips, 0

    def settle(self, i, j, coin, take):
        if i != j:
            winner = 0 if i > j else 1
        elif self.tie == "coin":
            winner = coin
        elif self.tie == "fixed":
            winner = self.holder
        elif self.tie == "marker" or take:
            winner, self.holder = self.holder, 1 - self.holder
        else:
            winner = 1 - self.holder
        self.purses = paid(self.payment, winner, *self.purses, i, j)
        return winner

    def mark(self, winner, cell):
        self.board = self.board[:cell] + "XO"[winner] + self.board[cell + 1 :]


@pytest.mark.parametrize("payment", PAYMENTS)
def test_the_rules_agree_with_a_plain_reference_on_random_games(payment):
    positions = 0
    for tie in TIES:
        game = stratagem.game("bidding", payment=payment, tie=tie, chips=(7, 5))
        for seed in range(25):
            draw = np.random.default_rng(seed)
            plain, position = PlainAuction(payment, tie, (7, 5)), game.start()
            while result(plain.board) is None:
                assert position.turn == TOGETHER
                i, j = (int(draw.integers(0, purse + 1)) for purse in plain.purses)
                assert [len(position.moves(p)) for p in (0, 1)] == [purse + 1 for purse in plain.purses]
                coin, take = int(draw.integers(2)), bool(draw.integers(2))
                winner = plain.settle(i, j, coin, take)
                position = position.play([str(i), str(j)])
                if position.turn == CHANCE:
                    position = position.play("XO"[coin])
                elif i == j and tie == "advantage":
                    position = position.play("take" if take else "leave")
                assert position.turn == winner
                cell = int(draw.choice([c for c in range(9) if plain.board[c] == "_"]))
                plain.mark(winner, cell)
                position = position.play("abc"[cell % 3] + str(cell // 3 + 1))
                assert tuple(position.state[PURSE : PURSE + 2]) == plain.purses
                assert tie == "coin" or position.state[HOLDER] == plain.holder
                assert str(position).startswith(plain.board)
                positions += 1
            assert position.over and position.payoff[0] == result(plain.board)
    assert positions > 500


VARIANTS = [
    {"over": "connect4", "tie": "coin", "payment": "allpay", "chips": (6, 5)},
    {"over": "nim", "tie": "advantage", "payment": "poorman", "mover": "chosen"},
    {"over": "hex:size=3", "tie": "fixed", "payment": "allpay-swap", "min_bid": 1},
    {"over": "breakthrough:rows=4,columns=3", "cap": 2},
    {"over": "othello:size=4", "tie": "advantage"},
]


def test_bidding_tic_tac_toe_keeps_the_contract():
    conform(stratagem.game("bidding"), games=4)


@pytest.mark.parametrize("options", VARIANTS, ids=lambda options: options["over"])
def test_bidding_over_every_base_game_keeps_the_contract(options):
    conform(stratagem.game("bidding", **options), games=3, compiled=False)


@pytest.mark.slow
@pytest.mark.parametrize("options", VARIANTS, ids=lambda options: options["over"])
def test_bidding_over_every_base_game_is_the_same_compiled(options):
    conform(stratagem.game("bidding", **options), games=2)


def test_bids_are_refused_with_a_reason():
    start = stratagem.game("bidding", min_bid=1).start()
    for bids, reason in (
        ("5 | 1", "exceeds the 4 chips of X"),
        ("0 | 1", "out of range"),
        ("-1 | 1", "not a whole number"),
    ):
        with pytest.raises(IllegalMove, match=reason):
            start.play(bids)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"chips": (-1, 4)}, "chips"),
        ({"chips": (4,)}, "two numbers"),
        ({"over": "pig"}, "game of chance"),
        ({"over": "bidding"}, "another base game"),
        ({"payment": "taxman:1/2"}, "not chips"),
        ({"payment": "taxman:2"}, "from 0"),
        ({"payment": "barter"}, "unknown"),
        ({"over": "nim:sticks=3"}, "unknown option"),
    ],
)
def test_auctions_that_make_no_game_are_refused(options, reason):
    with pytest.raises(StratagemError, match=reason):
        stratagem.game("bidding", **options)


@pytest.mark.parametrize(
    "text",
    ["XX", "XAX______", "XXXOOO___", "_________ @ 5:5", "_________ @ 4*:4*", "_________ @ 4:4", "_________ @ 9*:0"],
)
def test_positions_that_cannot_be_are_refused(text):
    with pytest.raises(ParseError):
        stratagem.game("bidding").parse(text)


# -- the solution


@cache
def going_on():
    """Every board on which the game goes on, up to symmetry: 1,582 nodes with their texts."""
    graph = board_graph()
    boards = {int(k): str(graph.base.position(graph.states[k].copy())) for k in np.flatnonzero(graph.over == 0)}
    return {k: least(board) for k, board in boards.items()}


def agrees_with_the_reference(payment, tie, total, min_bid=0):
    """On every board, for every split of the chips that can come up, and for either holder; returns how many states."""
    reference = Reference(payment, tie, min_bid=min_bid)
    table = solved((total, 0), payment=payment, tie=tie, min_bid=min_bid, all_splits=True)
    bank = range(total + 1) if payment in ("poorman", "allpay") else (0,)  # chips that have left the table
    splits = [(a, total - gone - a) for gone in bank for a in range(total - gone + 1)]
    holders = (0, 1) if tie in ("marker", "advantage") else (0,)
    states = 0
    for node_, board in going_on().items():
        for a, b in splits:
            for holder in holders:
                expected = reference.value(board, a, b, holder)
                assert abs(table.value(node_, 0, holder, a, b) - expected) < 1e-9, (board, a, b, holder)
                states += 1
    assert len(going_on()) == 1582 and states == 1582 * len(splits) * len(holders)
    return states


@pytest.mark.parametrize("tie", TIES)
@pytest.mark.parametrize("payment", PAYMENTS)
def test_every_auction_agrees_with_an_independent_solver_in_every_state(payment, tie):
    for total in range(4):
        agrees_with_the_reference(payment, tie, total)
    agrees_with_the_reference(payment, tie, 3, min_bid=1)


@pytest.mark.slow
@pytest.mark.parametrize("total", [4, 5, 6])
@pytest.mark.parametrize("tie", TIES)
@pytest.mark.parametrize("payment", PAYMENTS)
def test_more_chips_agree_with_an_independent_solver_in_every_state(payment, tie, total):
    agrees_with_the_reference(payment, tie, total)
    if total <= 4:
        agrees_with_the_reference(payment, tie, total, min_bid=1)


def test_the_boards_are_those_that_can_be_reached_when_turns_are_free():
    graph = board_graph()
    assert (graph.nodes, int((graph.over == 0).sum())) == (2694, 1582)
    marks = [graph.base.marked(state) for state in graph.states]
    orbit = [len({tuple(board[image]) for image in graph.images}) for board in marks]
    going_on = graph.over == 0
    assert (sum(orbit), int(np.array(orbit)[going_on].sum())) == (18753, 11093)


def test_the_states_that_the_contest_can_reach():
    graph, start = board_graph(), (0, 4, 0)
    reached, waiting = {start}, [start]
    while waiting:
        board, a, holder = waiting.pop()
        for i in range(a + 1):
            for j in range(8 - a + 1):
                winner = holder if i == j else int(j > i)
                purse = a - i if winner == 0 else a + j
                for child in graph.after(board, winner):
                    state = (int(child), purse, 1 - holder if i == j else holder)
                    if graph.over[child] == 0 and state not in reached:
                        reached.add(state)
                        waiting.append(state)
    assert len(reached) == 26_465


@pytest.mark.parametrize("tie", ["marker", "advantage"])
def test_equal_purses_win_or_draw_for_the_holder(tie):
    expected = [0, 1, 1, 0, 1, 1] + [0] * 15
    assert [value((n, n), tie=tie) for n in range(21)] == expected
    assert [value((n, n), tie=tie, holder=1) for n in range(6)] == [-x for x in expected[:6]]


def test_equal_purses_with_a_minimum_bid_of_one():
    assert [value((n, n), min_bid=1) for n in range(13)] == [0, 1, 0, 1, 1, 1] + [0] * 7


def test_the_other_auctions_at_four_each():
    assert value((4, 4), tie="fixed") == 1 and value((4, 4), tie="fixed", holder=1) == -1
    assert solved((4, 4), tie="coin").mixed == 0 and value((4, 4), tie="coin") == 0
    assert [value((4, 4), payment="poorman", tie=tie) for tie in ("marker", "advantage", "coin")] == [1, 1, 0]
    assert value((4, 4), payment="allpay", tie="coin") == pytest.approx(0, abs=1e-12)


def test_values_are_printed_as_fractions():
    def exact(chips, **options):
        game = stratagem.game("bidding", chips=chips, **options)
        return BiddingSolver(game).solve(game.start()).exact

    assert exact((4, 4), payment="allpay") == Fraction(3899141798664615, 6425616279258436)
    assert exact((4, 4), payment="allpay", tie="advantage") == Fraction(3899141798664615, 6425616279258436)
    assert exact((2, 1), tie="coin") == Fraction(11, 32)
    assert exact((4, 3), tie="coin") == Fraction(7, 16)


def test_all_pay_needs_mixtures():
    game = stratagem.game("bidding", chips=(3, 3), payment="allpay")
    found = BiddingSolver(game).solve(game.start()).json()
    assert found["exact"] == "59/96" and not found["pure"]
    assert found["bids"] == [
        {"0": pytest.approx(11 / 24), "1": pytest.approx(13 / 24)},
        {"0": pytest.approx(13 / 24), "1": pytest.approx(11 / 24)},
    ]


@pytest.mark.parametrize(
    ("goal", "chips", "payment", "probability"),
    [
        (2, (3, 2), "richman", Fraction(3, 4)),
        (2, (5, 4), "allpay", Fraction(705, 988)),
        (3, (6, 6), "allpay", Fraction(1, 2)),
    ],
)
def test_small_races_have_their_exact_values(goal, chips, payment, probability):
    game = stratagem.game("bidding", over=f"{RACE}:Race:goal={goal}", chips=chips, payment=payment, tie="coin")
    assert (BiddingSolver(game).solve(game.start()).exact + 1) / 2 == probability


def test_the_opening_bid_of_one_is_the_only_one_that_wins():
    game = stratagem.game("bidding")
    solver = BiddingSolver(game)
    found, root = solver.solution(game.start())
    auction = solver.auction(found, root, Stakes(0, 0, 4, 4))
    assert [min(row) for row in auction.matrix] == [-1, 1, -1, -1, -1]
    assert auction.matrix[0, 1] == -1 and list(auction.matrix[2:, 0]) == [-1, -1, -1]
    answer = solver.solve(game.start()).json()
    assert answer["bids"][0] == {"1": 1.0} and len(answer["moves"][0]) == 9  # any cell still wins


def test_every_state_is_pure_under_marker_and_advantage():
    for total in range(17):
        for tie in ("marker", "advantage"):
            assert solved((total, 0), tie=tie).mixed == 0


@pytest.mark.slow
def test_every_state_up_to_forty_chips_is_pure():
    states = 0
    for total in range(41):
        tables = [solved((total, 0), tie=tie) for tie in ("marker", "advantage")]
        assert [table.mixed for table in tables] == [0, 0]
        assert np.array_equal(tables[0].values[0], tables[1].values[0])  # the same opening table
        states += 11093 * 2 * (total + 1)
        if total <= 24:
            assert solved((total, 0), min_bid=1).mixed == 0
    assert states == 19_102_146


@pytest.mark.parametrize(
    "options", [{}, {"tie": "advantage", "min_bid": 1}, {"payment": "poorman", "tie": "coin", "cap": 2}], ids=str
)
def test_the_linear_search_for_saddle_points_agrees_with_whole_matrices(options):
    fast, plain = solved((6, 5), **options), solved((6, 5), plain=True, **options)
    assert np.array_equal(fast.values, plain.values)


# table of bidding.md: by total N, the least purses (win h, win n, safe h, safe n)
LEAST = (
    "1 1 1 1|1 2 1 2|2 3 1 2|2 3 2 3|3 3 3 3|4 4 3 3|4 4 4 4|4 5 4 5|5 6 4 5|5 6 5 6|6 7 5 6|7 7 6 6|7 7 7 7|8 8 7 7|8 9 7 8|"
    "9 9 8 8|9 9 9 9|10 10 9 9|10 11 9 10|11 11 10 10"
)


def test_least_purses_by_the_solution_and_by_the_discrete_richman_function():
    graph = board_graph()
    for total, row in enumerate(LEAST.split("|"), start=1):
        expected = [int(x) for x in row.split()]
        table = solved((total, 0), tie="advantage").values[0, 0]
        by_table = [
            int(np.argmax(table[holder] >= goal)) if (table[holder] >= goal).any() else total + 1
            for goal in (1, 0) for holder in (0, 1)
        ]  # fmt: skip
        assert by_table == expected
        win, safe = (int(discrete_richman(graph, total, goal)[0]) for goal in ("win", "not_lose"))
        assert [least_purse(x, h) for x in (win, safe) for h in (True, False)] == expected
        assert expected[0] == total + 1 - expected[3] and expected[1] == total + 1 - expected[2]


def test_the_discrete_richman_function_holds_on_every_board():
    graph = board_graph()
    for total in (5, 8):
        table = solved((total, 0), tie="advantage").values[:, 0]
        for goal, lowest in (("win", 1), ("not_lose", 0)):
            needed = discrete_richman(graph, total, goal)
            for board in range(graph.nodes):
                for holder in (0, 1):
                    for a in range(total + 1):
                        enough = 2 * a + (holder == 0) >= needed[board]
                        assert enough == (table[board, holder, a] >= lowest)


def test_the_discrete_richman_function_stays_near_the_threshold_and_repeats():
    graph, shares_ = board_graph(), graph_thresholds(board_graph(), parse_payment("richman"), "win")
    for total in (7, 30, 100):
        needed = discrete_richman(graph, total, "win") / 2
        assert all(abs(needed[k] - total * float(shares_[k])) <= 2 for k in range(graph.nodes))
    for total in (60, 61, 62, 63):  # 256 chips more, and the threshold of 133/256 asks for 133 of them
        assert discrete_richman(graph, total + 256, "win")[0] == discrete_richman(graph, total, "win")[0] + 2 * 133


# -- small random games: eight vertices in order, the last two or three are ends


def random_game(rng, partisan, outcomes=(-1, 0, 1), vertices=8, ends=3):
    """Two lists of moves a vertex, one to three of the later vertices, for each side its own if partisan."""
    lists = []
    for v in range(vertices - ends):
        later = range(v + 1, vertices)
        own, other = (
            sorted(rng.choice(later, int(rng.integers(1, min(3, len(later)) + 1)), replace=False).tolist())
            for _ in (0, 1)
        )
        lists.append((own, other if partisan else own))
    return lists, [int(x) for x in rng.choice(outcomes, ends)]


def graph_of(lists, results):
    vertices, children, firsts = len(lists) + len(results), [], []
    for own, other in lists:
        firsts.append([len(children), len(children) + len(own), len(children) + len(own) + len(other)])
        children += [*own, *other]
    firsts += [[len(children)] * 3] * len(results)
    over = np.array([0] * len(lists) + [1] * len(results))
    return Graph(
        stratagem.game("tictactoe"), np.zeros((1, 1), np.int64), np.arange(vertices)[:, None], np.array(children),
        np.array(firsts), np.array([0.0] * len(lists) + results), over, np.arange(vertices), np.zeros(vertices, np.int64),
    )  # fmt: skip


COMMON = {"partisan": False, "outcomes": (-1, 0, 1), "ends": 2}
PARTISAN = {"partisan": True, "outcomes": (-1, 1), "ends": 3}


def games_without_saddle(tie, seed, **kind):
    """How many of 200 random games have a state without a saddle point, with 3 chips each and all splits of them."""
    game, rng = stratagem.game("bidding", chips=(3, 3), tie=tie), np.random.default_rng(seed)
    return sum(solve_graph(game, graph_of(*random_game(rng, **kind)), (3, 3)).mixed > 0 for _ in range(200))


def test_with_the_advantage_or_a_coin_twelve_hundred_small_games_are_pure():
    for tie in ("advantage", "coin"):
        assert sum(games_without_saddle(tie, seed, **kind) for kind in (COMMON, PARTISAN) for seed in range(3)) == 0


def test_with_the_marker_some_small_games_need_mixtures():
    """Rarely with common moves, in 8 to 17 of 200 games where the sides have moves of their own."""
    assert [games_without_saddle("marker", seed, **COMMON) for seed in range(3)] == [0, 0, 1]
    assert [games_without_saddle("marker", seed, **PARTISAN) for seed in range(3)] == [13, 12, 11]


class Small(Reference):
    """The slow solver on a game given by its lists of moves."""

    def __init__(self, lists, results, tie):
        super().__init__("richman", tie)
        self.lists, self.results = lists, results

    def result(self, vertex):
        return None if vertex < len(self.lists) else self.results[vertex - len(self.lists)]

    def after(self, vertex, mark):
        return self.lists[vertex]["XO".index(mark)]


def test_small_games_agree_with_the_independent_solver():
    rng, mixed = np.random.default_rng(0), 0
    for tie in TIES:
        game = stratagem.game("bidding", chips=(3, 3), tie=tie)
        for _ in range(15):
            lists, results = random_game(rng, partisan=True)

            reference, table = Small(lists, results, tie), solve_graph(game, graph_of(lists, results), (3, 3))
            mixed += table.mixed
            for v in range(len(lists)):
                for a in range(7):
                    for holder in (0, 1) if tie in ("marker", "advantage") else (0,):
                        assert abs(table.value(v, 0, holder, a, 6 - a) - reference.value(v, a, 6 - a, holder)) < 1e-9
    assert mixed > 0


def test_adding_half_the_difference_needs_the_token():
    assert [discrete_threshold(*x) for x in ((0, 4), (0, 6), (1, 6), (1, 4), (0, 5))] == [2, 3, 4, 3, 2]


# -- invariants


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2693), st.integers(0, 8), st.sampled_from(["marker", "advantage"]))
def test_the_token_is_worth_less_than_a_chip_and_money_never_hurts(board, a, tie):
    values = solved_eight(tie)[board, 0]
    assert values[0, a] >= values[1, a]
    if a < 8:
        assert values[1, a + 1] >= values[1, a] and values[0, a + 1] >= values[0, a]
        if tie == "advantage":
            assert values[1, a + 1] >= values[0, a]  # a* <= a + 1


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2693), st.integers(0, 4), st.integers(0, 4), st.integers(0, 1))
def test_money_never_hurts_where_the_bank_is_paid(board, a, b, holder):
    table = poorman_five()
    here = table.value(board, 0, holder, a, b)
    assert table.value(board, 0, holder, a + 1, b) >= here >= table.value(board, 0, holder, a, b + 1)


@cache
def poorman_five():
    return solved((5, 5), payment="poorman")


@cache
def solved_eight(tie):
    return solved((4, 4), tie=tie).values


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from("XO_"), min_size=9, max_size=9), st.integers(0, 8), st.integers(0, 1))
def test_swapping_sides_negates_the_value(marks, a, holder):
    board = "".join(marks)
    swapped = board.translate(str.maketrans("XO", "OX"))
    try:
        here, there = node(board), node(swapped)
    except ParseError:
        return
    if here < 0:
        return  # a board beyond the end of a game
    values = solved_eight("marker")[:, 0]
    assert values[here, holder, a] == -values[there, 1 - holder, 8 - a]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(PAYMENTS), st.sampled_from(TIES))
def test_money_is_conserved_or_goes_to_the_bank(seed, payment, tie):
    game, rng = stratagem.game("bidding", payment=payment, tie=tie), generator(seed)
    position, total = game.start(), 8
    while not position.over:
        if position.turn == TOGETHER:
            position = position.play([position.sample(rng, 0), position.sample(rng, 1)])
        else:
            position = position.play(position.sample(rng))
        now = int(position.state[PURSE] + position.state[PURSE + 1])
        assert now == 8 if game.payment.conserves else now <= total
        assert min(position.state[PURSE : PURSE + 2]) >= 0
        total = now


# -- real-valued money


def shares(board="", payment="richman", over="tictactoe"):
    base = stratagem.game(over.partition(":")[0], **dict(x.split("=") for x in over.partition(":")[2].split(",") if x))
    state = base.parse_board(board) if board else base.start().state.copy()
    return thresholds(base, state, parse_payment(payment))


def test_richman_thresholds_of_tic_tac_toe():
    found = shares()
    assert (found.win, found.not_lose, found.critical_bid) == (
        Fraction(133, 256),
        Fraction(123, 256),
        Fraction(41, 256),
    )
    assert found.moves == (("b2",), ("b2",))


def test_win_probabilities_after_the_first_mark():
    after = {
        board: 1 - shares(board).win
        for board in ("____X____", "X________", "_X_______", "____O____", "O________", "_O_______")
    }
    assert list(after.values()) == [
        Fraction(*x) for x in ((41, 64), (39, 64), (77, 128), (41, 128), (45, 128), (23, 64))
    ]


def test_the_value_of_win_draw_and_loss_prefers_an_edge_to_a_corner():
    graph = board_graph()
    win, safe = (graph_thresholds(graph, parse_payment("richman"), goal) for goal in ("win", "not_lose"))
    # 1 - T is a probability only if both goals are served by the same moves; the mean value solves its own recursion
    values = [Fraction(0)] * graph.nodes
    for at in graph.order[::-1]:
        if graph.over[at]:
            values[at] = Fraction(float(graph.ends[at]))
        else:
            values[at] = (max(values[c] for c in graph.after(at, 0)) + min(values[c] for c in graph.after(at, 1))) / 2
    assert [values[node(b)] for b in ("____X____", "X________", "_X_______")] == [
        Fraction(21, 64),
        Fraction(61, 256),
        Fraction(31, 128),
    ]
    assert win[0] > safe[0]


def test_poorman_and_taxman_thresholds():
    poorman = shares(payment="poorman").win
    assert poorman == Fraction(396925, 786688) and float(poorman / (1 - poorman)) * 100 == pytest.approx(
        101.8375, abs=5e-5
    )
    taxman = shares(payment="taxman:1/2").win
    assert float(taxman / (1 - taxman)) == pytest.approx(1.0453091935, abs=1e-10)
    assert shares(payment="taxman:0").win == shares().win and shares(payment="taxman:1").win == poorman


@pytest.mark.parametrize("size", [pytest.param(2, marks=pytest.mark.slow), 3])
def test_random_turn_hex(size):
    expected = {
        2: {"X_/__": (5, 8), "_X/__": (3, 4), "__/X_": (3, 4), "__/_X": (5, 8)},
        3: {"___/_X_/___": (169, 256), "__X/___/___": (167, 256), "___/___/X__": (167, 256), "_X_/___/___": (77, 128),
            "___/X__/___": (77, 128), "___/__X/___": (77, 128), "___/___/_X_": (77, 128),
            "X__/___/___": (141, 256), "___/___/__X": (141, 256)},
    }[size]  # fmt: skip
    assert {b: 1 - shares(b.replace("_", "."), over=f"hex:size={size}").win for b in expected} == {
        b: Fraction(*x) for b, x in expected.items()
    }
    empty = shares(over=f"hex:size={size}")
    assert empty.win == Fraction(1, 2)
    assert size == 2 or empty.critical_bid == Fraction(41, 256)  # half of 169/256 - 87/256


def test_counting_all_fillings_of_hex_gives_the_thresholds_of_listed_boards():
    base = stratagem.game("hex", size=3)
    for board in (".../.../...", ".../.X./...", "XO./.../..O", "X../.O./..X"):
        state = base.parse_board(board)
        listed, counted = thresholds(base, state, Payment(RICHMAN)), by_fillings(base, state)
        assert (counted.win, counted.not_lose, counted.critical_bid) == (
            listed.win,
            listed.not_lose,
            listed.critical_bid,
        )
        assert [set(moves) for moves in counted.moves] == [set(moves) for moves in listed.moves]


def test_random_turn_hex_on_four_by_four_is_exact():
    """2^16 fillings, and 2^15 after a first stone."""
    base = stratagem.game("hex", size=4)
    empty = thresholds(base, base.start().state, Payment(RICHMAN))
    assert empty.method == "fractions" and empty.win == empty.not_lose == Fraction(1, 2)
    assert 2**15 % empty.critical_bid.denominator == 0 and set(empty.moves[0]) == set(empty.moves[1])
    best = thresholds(base, base.start().play(empty.moves[0][0]).state.copy(), Payment(RICHMAN))
    assert best.win == Fraction(1, 2) - empty.critical_bid
    guessed = estimate(base, base.start().state, seed=1, playouts=20_000)
    assert abs(guessed.win - 0.5) < 5 * guessed.error


def test_hex_too_large_to_list_is_estimated():
    base = stratagem.game("hex", size=3)
    found = estimate(base, base.parse_board(".../.X./..."), seed=1, playouts=20000)
    assert abs(found.win - 87 / 256) < 5 * found.error and found.error < 0.005
    assert found == estimate(base, base.parse_board(".../.X./..."), seed=1, playouts=20000)


def test_nobody_bids_for_a_move_that_nobody_wants():
    for tax in (Fraction(0), Fraction(1, 2), Fraction(1)):
        assert critical_bid(Fraction(3, 4), Fraction(1, 4), tax) == 0
        assert threshold(Fraction(3, 4), Fraction(1, 4), tax) == Fraction(3, 4)


def test_all_pay_has_no_threshold():
    with pytest.raises(OptionError, match="no threshold"):
        shares(payment="allpay")


# -- players


def play(game, players, seed=0):
    position, rng = game.start(), generator(seed)
    while not position.over:
        if position.turn == TOGETHER:
            position = position.play([p.choose(position, Clock(), seat=k).move for k, p in enumerate(players)])
        elif position.turn == CHANCE:
            position = position.play(position.sample(rng))
        else:
            position = position.play(players[position.turn].choose(position, Clock(), seat=position.turn).move)
    return position


@pytest.mark.slow
def test_the_exact_player_as_x_wins_at_four_each_whatever_the_opponent_does():
    """Every game that can be played against it: all bids and all cells of O, with all that X answers."""
    game = stratagem.game("bidding")
    exact = stratagem.player(game, "exact")
    seen, waiting = set(), [game.start()]
    ends = 0
    while waiting:
        position = waiting.pop()
        if position.over:
            assert position.payoff == (1.0, -1.0)
            ends += 1
            continue
        if position.turn == 1:
            after = [position.play(cell) for cell in position.moves()]
        else:
            choice = exact.choose(position, Clock(), seat=0)
            assert choice.strategy is None or len(choice.strategy) == 1  # it never mixes here
            if position.turn == TOGETHER:
                after = [position.play([choice.move, bid]) for bid in position.moves(1)]
            else:
                after = [position.play(choice.move)]
        for next_ in after:
            if str(next_) not in seen:
                seen.add(str(next_))
                waiting.append(next_)
    assert ends > 50


# the levels, and how many games of each a quick and a slow test play
WEAKER = {
    "random": (10, 1000), "rules": (10, 1000), "easy": (5, 200), "linesum": (10, 500), "linesum:depth=9": (10, 200),
    "medium": (10, 300), "lookahead:depth=1": (2, 300), "lookahead:depth=4": (2, 100), "lookahead:time=0.02": (1, 100),
    "richman": (1, 15), "mcts:simulations=30": (5, 300), "mcts:simulations=1000": (2, 100),
    "montecarlo:simulations=300": (2, 100),
}  # fmt: skip


def exact_wins(weaker, games):
    game = stratagem.game("bidding")
    exact, other = stratagem.player(game, "exact"), stratagem.player(game, weaker, seed=7)
    return all(play(game, (exact, other), s).payoff == (1.0, -1.0) for s in range(games))


def test_every_level_is_met():
    names = {level.partition(":")[0] for level in WEAKER} | {"exact", "strong"}
    known = players(stratagem.game("bidding"))
    assert names == {name for name, entry in known.items() if not entry.external}


@pytest.mark.parametrize("weaker", WEAKER)
def test_the_exact_player_as_x_wins_at_four_each(weaker):
    assert exact_wins(weaker, WEAKER[weaker][0])


@pytest.mark.slow
@pytest.mark.parametrize("weaker", WEAKER)
def test_the_exact_player_as_x_wins_many_games_at_four_each(weaker):
    assert exact_wins(weaker, WEAKER[weaker][1])


def test_exact_play_of_a_mixed_game_draws_from_its_mixture():
    game = stratagem.game("bidding", payment="allpay", chips=(3, 3))
    player = stratagem.player(game, "exact", seed=3)
    bids = [player.choose(game.start(), Clock(), seat=0).move for _ in range(200)]
    assert set(bids) == {"0", "1"} and 80 < bids.count("1") < 140
    assert player.choose(game.start(), Clock(), seat=0).strategy["0"] == pytest.approx(11 / 24)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"chips": (50, 50)}, "exact"),
        ({"chips": (1000, 1000)}, "lookahead"),
        ({"chips": (80, 80), "payment": "allpay"}, "lookahead"),
        ({"chips": (80, 80), "payment": "allpay-swap"}, "lookahead"),
    ],
)
def test_strong_looks_ahead_where_the_solution_would_take_long(options, name):
    assert stratagem.player(stratagem.game("bidding", **options), "strong").name == name


@pytest.mark.slow
def test_large_games_are_played_by_looking_ahead():
    game = stratagem.game("bidding", over="connect4", chips=(20, 20))
    ahead = stratagem.player(game, "lookahead:depth=3", seed=1)
    games = [play(game, (ahead, stratagem.player(game, "rules", seed=s)), s).payoff[0] for s in range(3)]
    games += [-play(game, (stratagem.player(game, "rules", seed=s), ahead), s).payoff[0] for s in range(3)]
    assert sum(games) >= 4


def test_a_saved_solution_is_read_back(tmp_path):
    game = stratagem.game("bidding", chips=(2, 1))
    solver = BiddingSolver(game)
    found, root = solver.solution(game.start())
    solver._save(tmp_path / "solution.npz", found)
    kept = solver._load(tmp_path / "solution.npz")
    assert np.array_equal(kept.values, found.values) and kept.graph.node(game.base.start().state) == root
    (tmp_path / "broken.npz").write_bytes((tmp_path / "solution.npz").read_bytes()[:500])
    assert solver._load(tmp_path / "broken.npz") is None


def test_saved_solutions_take_a_share_of_the_cache_and_never_fill_the_disk(tmp_path, monkeypatch):
    game = stratagem.game("bidding", chips=(2, 1))
    solver = BiddingSolver(game)
    found, _ = solver.solution(game.start())
    folder = tmp_path / solving.FOLDER
    solver._save(folder / "one.npz", found)
    size = (folder / "one.npz").stat().st_size
    (tmp_path / "kernels_1.code").write_bytes(bytes(4 * size))
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path))
    monkeypatch.setenv("STRATAGEM_CACHE_MB", str(14 * size / 1e6))
    for age, name in enumerate(("one", "two", "three", "four")):
        solver._save(folder / f"{name}.npz", found)
        os.utime(folder / f"{name}.npz", (1e9 + age, 1e9 + age))
        assert solver._load(folder / "one.npz") is not None, "what is read counts as used"
    solver._save(folder / "five.npz", found)
    kept = {path.name for path in folder.iterdir()}
    assert {"one.npz", "five.npz"} <= kept and "two.npz" not in kept and len(kept) <= 3
    assert (tmp_path / "kernels_1.code").exists(), "solutions do not drive code out"

    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    solver._save(folder / "six.npz", found)
    monkeypatch.undo()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1e6))
    solver._save(folder / "seven.npz", found)
    monkeypatch.undo()
    monkeypatch.setenv("STRATAGEM_CACHE_MB", str(size / 1e6))
    solver._save(folder / "eight.npz", found)
    assert {path.name for path in folder.iterdir()} == kept, "neither a part of a file nor one too large stays"


def test_sampling_search_bids_over_connect_four():
    game = stratagem.game("bidding", over="connect4", chips=(20, 20))
    player = stratagem.player(game, "mcts:simulations=2000", seed=1)
    choice = player.choose(game.start(), Clock(), seat=1)
    assert set(choice.strategy) == {str(k) for k in range(21)} and sum(choice.strategy.values()) == pytest.approx(1)
    assert choice.details["rule"] == "rm" and choice.nodes == 2000
    three = game.parse("......./" * 5 + "YYY.... @ 20*:20 Yellow moves")
    assert player.choose(three, Clock(), seat=0).move == "4"
    again = stratagem.player(game, "mcts:simulations=2000", seed=1)
    assert again.choose(game.start(), Clock(), seat=1).strategy == choice.strategy


@pytest.mark.slow
def test_sampling_search_beats_random_play_at_bidding_connect_four():
    game = stratagem.game("bidding", over="connect4", chips=(20, 20))
    search, other = stratagem.player(game, "mcts:simulations=2000", seed=1), stratagem.player(game, "random", seed=2)
    results = [play(game, (search, other)).payoff[0] for _ in range(5)]
    results += [play(game, (other, search)).payoff[1] for _ in range(5)]
    assert sum(results) >= 8


@pytest.mark.slow
def test_sampling_search_learns_good_bids():
    """Regret matching over bids, in the tree: bids that lose at once are dropped, and the value is near the exact one."""
    game = stratagem.game("bidding")
    position = game.parse("XX__O____ @ 4*:4")
    exact = BiddingSolver(game).solve(position)
    choice = stratagem.player(game, "mcts:simulations=30000", seed=1).choose(position, Clock(), seat=0)
    assert choice.value == pytest.approx(exact.value, abs=0.25)
    rows = exact.auction.matrix.min(axis=1)
    mass = sum(p for bid, p in choice.strategy.items() if rows[int(bid)] >= exact.value)
    assert mass > 0.5
