"""Auctions: budgets and rules, values by need and money, what prices teach, bids and nominations, mock auctions."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest

from stratagem.errors import IllegalMove, OptionError
from stratagem.fantasy.advice import Opponents
from stratagem.fantasy.auction import (
    Auction,
    Bidder,
    advise_bid,
    advise_nomination,
    learn_market,
    mock_auction,
    sold,
)
from stratagem.fantasy.html_report import auction_html, report_html
from stratagem.fantasy.league import League, Room
from stratagem.fantasy.mock import draft_on
from stratagem.fantasy.sample import SAMPLE
from stratagem.fantasy.table import Item, read_table


@pytest.fixture(scope="module")
def league() -> League:
    return League(read_table(SAMPLE))


@pytest.fixture(scope="module")
def small() -> League:
    items = tuple(
        Item(f"{p}{k}", (p,), 100.0 - 7 * k + (20 if p == "A" else 0), k + 1.0, 1.0) for p in "AB" for k in range(12)
    )
    return League(items, 3, "A:1,B:1,A/B:1,BENCH:1")


def test_budgets_places_and_the_most_that_can_be_bid(small):
    auction = Auction.begin(small, 20)
    assert auction.most(0) == 17  # three more places at 1 each
    auction = auction.sell("A0", 0, 15)
    assert (auction.money(0), auction.left(0), auction.most(0)) == (5, 3, 3)
    assert auction.nominator == 1
    with pytest.raises(IllegalMove, match="1 to 3 would be right"):
        auction.sell("A1", 0, 4)
    with pytest.raises(IllegalMove, match="went to team 1 for 15 already"):
        auction.sell("A0", 1, 1)
    with pytest.raises(IllegalMove, match="there is no team 9"):
        auction.sell("A1", 8, 1)
    assert auction.undo().sales == ()
    with pytest.raises(IllegalMove, match="no sale to undo"):
        Auction.begin(small, 20).undo()
    with pytest.raises(OptionError, match="cannot fill 4 places"):
        Auction.begin(small, 3)


def test_a_roster_that_could_not_be_completed_is_not_sold(small):
    auction = Auction.begin(small, 20).sell("A0", 0, 1).sell("A1", 0, 1).sell("A2", 0, 1)
    with pytest.raises(IllegalMove, match="must fill its line-up"):
        auction.sell("A3", 0, 1)
    assert {small.items[x].position for x in auction.legal(0)} == {"B"}


def test_values_share_out_the_money_by_what_is_needed(small):
    auction = Auction.begin(small, 20)
    # all money is in the values of the players that will be bought
    bought = np.sort(auction.values)[::-1][: 3 * 4]
    assert bought.sum() == pytest.approx(3 * 20)
    assert auction.inflation == pytest.approx(1.0)
    # with every slot for A filled, another A is worth what a bench is
    full = auction
    for team in range(3):
        full = full.sell(f"A{team}", team, 5).sell(f"A{team + 3}", team, 5)
    best_a, best_b = (max(full.values[x] for x, i in enumerate(small.items) if p in i.positions) for p in "AB")
    assert best_b > 2 * best_a


def test_money_spent_below_value_makes_the_rest_dearer(league):
    auction = Auction.begin(league)
    order = np.argsort(-auction.values)
    cheap = dear = auction
    for k in range(6):
        cheap = cheap.sell(int(order[k]), k, 10)
        dear = dear.sell(int(order[k]), k, 120)
    assert cheap.inflation > 1.05 > 0.95 > dear.inflation
    later = int(order[20])
    assert cheap.values[later] > auction.values[later] > dear.values[later]


def test_prices_teach_level_position_and_team(league):
    auction = Auction.begin(league)
    order = [int(x) for x in np.argsort(-auction.values)]
    for k, x in enumerate(order[:24]):
        share = 1.5 if league.items[x].position == "RB" else 0.9
        auction = auction.sell(x, k % 12, max(1, round(share * float(auction.values[x]))))
    market = learn_market(auction)
    assert market.by_position["RB"] > 1.1 > market.by_position["WR"]
    assert market.sales == 24
    assert any("RB" in line for line in market.words())
    assert learn_market(Auction.begin(league)).level == 1.0


def test_the_highest_limit_wins_for_one_more_than_the_second(small):
    auction = Auction.begin(small, 20)
    after = sold(auction, 0, {0: 9, 1: 4, 2: 7}, nominator=1)
    assert (after.sales[0].team, after.sales[0].price) == (0, 8)
    after = sold(auction, 0, {0: 5, 2: 5}, nominator=2)
    assert (after.sales[0].team, after.sales[0].price) == (2, 5)
    assert sold(auction, 0, {}, nominator=1).sales[0].team == 1


def test_a_bid_is_pushed_for_a_star_and_dropped_for_who_has_no_place(league):
    auction = Auction.begin(league)
    star = int(np.argmax(auction.values))
    reported = advise_bid(auction, 0, star, simulations=24, seed=1)
    assert 0.5 * reported.value < reported.limit <= reported.most
    assert reported == advise_bid(auction, 0, star, simulations=24, seed=1)
    kickers = [x for x, i in enumerate(league.items) if i.position == "K"]
    with_one = auction.sell(kickers[0], 0, 1)
    assert advise_bid(with_one, 0, kickers[1], simulations=8).limit == 0
    # money that is gone buys nobody
    poor = auction
    for x in [int(x) for x in np.argsort(-auction.values)[1:4]]:
        poor = poor.sell(x, 0, 60)
    assert advise_bid(poor, 0, star, simulations=8).limit <= poor.most(0) == 9
    found = advise_nomination(auction, 0, simulations=8)
    assert len(found) >= 4 and found[0].worth >= found[-1].worth


def test_mock_auctions_end_with_whole_rosters_within_budgets(league):
    done = mock_auction(league, [Bidder("value")] * 6 + [Bidder("table")] * 6, seed=4)
    for team in range(12):
        assert done.left(team) == 0 and done.money(team) >= 0
        assert len(done.lineup(team)[1]) == len(league.starters)
    few = League(league.items, 3, "QB:1,RB:1,WR:1,BENCH:1")
    once, again = (mock_auction(few, [Bidder("assistant"), Bidder("value"), Bidder("table")], seed=4) for _ in range(2))
    assert once.sales == again.sales


def test_random_sales_never_break_the_books(small):
    rng = random.Random(3)
    for _ in range(20):
        auction = Auction.begin(small, 20)
        while not auction.over:
            team = rng.choice([t for t in range(3) if auction.left(t)])
            auction = auction.sell(rng.choice(auction.legal(team)), team, rng.randint(1, auction.most(team)))
            assert auction.values.min() >= 0
        assert all(auction.money(t) >= 0 for t in range(3))


def test_an_auction_at_the_keyboard_is_kept_and_resumed(tmp_path):
    lines = "ivin stone\nsold 3 60\nsold belian mill, 2, 55\nundo\nmarket\nteams\nroster 3\nsold nobody\nquit\n"
    command = [sys.executable, "-m", "stratagem", "draft", "auction", "--save", "a.json", "--json"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2  # one line was wrong, and was reported
    assert "sold NAME, TEAM, PRICE" in done.stdout
    command = [sys.executable, "-m", "stratagem", "draft", "auction", "--resume", "a.json", "--json"]
    again = subprocess.run(command, input="roster 3\nquit\n", capture_output=True, text=True, cwd=tmp_path)
    assert again.returncode == 0 and '["Ivin Stoneridge", 60]' in again.stdout


def test_the_report_is_one_file_with_grades_reasons_and_what_the_engine_would_have_done(league):
    room = draft_on(Room(league), league.turns, Opponents(), 5)
    text = report_html(room, [f"<T{k}>" for k in range(12)], team=3, simulations=4)
    assert "&lt;T3&gt;" in text and "<T3>" not in text
    assert "<script" not in text and "http" not in text.replace("http://www.w3.org", "")
    for part in (
        "Grades",
        "Best picks by value",
        "Worst picks by value",
        "What the engine would have done",
        "plain drafters",
    ):
        assert part in text
    half = report_html(draft_on(Room(league), 30, Opponents(), 5), simulations=2)
    assert "grades when all are made" in half


def test_the_report_of_an_auction_tells_grades_buys_and_limits(league):
    done = mock_auction(league, [Bidder("value")] * 12, seed=2)
    text = auction_html(done, [f"<T{k}>" for k in range(12)], team=4, simulations=4)
    assert "<T4>" not in text and "<script" not in text
    for part in ("Grades", "Best buys", "Worst buys", "How far the engine would have gone", "points above the mean"):
        assert part in text
