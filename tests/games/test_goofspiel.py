"""Goofspiel against plain rules with lists, and its text."""

import random

import pytest

import stratagem
from stratagem.errors import IllegalMove, OptionError, ParseError
from stratagem.kernel import CHANCE, OVER, TOGETHER
from stratagem.rng import generator
from stratagem.testing import conform

VARIANTS = [
    {},
    {"cards": 5, "order": "random"},
    {"cards": 3, "players": 3, "order": "ascending", "payoff": "win"},
    {"cards": 1, "players": 5},
]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_the_game_keeps_the_contract(options):
    conform(stratagem.game("goofspiel", **options), games=6, compiled=not options)


class Plain:
    """The rules once more, with lists and names."""

    def __init__(self, game):
        self.game, n = game, game["cards"]
        self.hands = [list(range(1, n + 1)) for _ in range(game.players)]
        self.points = [0] * game.players
        self.prizes, self.open = list(range(1, n + 1)), None
        self.next_prize()

    def next_prize(self):
        self.open = None
        if self.prizes and self.game["order"] != "random":
            self.open = max(self.prizes) if self.game["order"] == "descending" else min(self.prizes)
            self.prizes.remove(self.open)

    def bid(self, cards):
        for hand, card in zip(self.hands, cards, strict=True):
            hand.remove(card)
        if cards.count(max(cards)) == 1:
            self.points[cards.index(max(cards))] += self.open
        self.next_prize()

    def payoff(self):
        n, total, best = len(self.points), sum(self.points), max(self.points)
        if self.game["payoff"] == "points":
            return [x - (total - x) / (n - 1) for x in self.points]
        winners = self.points.count(best)
        return [(n - winners) / winners / (n - 1) if x == best else -1 / (n - 1) for x in self.points]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_random_games_agree_with_plain_rules(options):
    game, draws, rng = stratagem.game("goofspiel", **options), random.Random(1), generator(1)
    for _ in range(150):
        plain, position = Plain(game), game.start()
        while position.turn != OVER:
            if position.turn == CHANCE:
                assert [int(m) for m in position.moves()] == plain.prizes
                text = position.sample(rng)
                plain.open = int(text)
                plain.prizes.remove(plain.open)
                position = position.play(text)
                continue
            assert position.turn == TOGETHER
            assert [sorted(map(int, position.moves(p))) for p in range(game.players)] == plain.hands
            bids = [draws.choice(hand) for hand in plain.hands]
            position = position.play([str(c) for c in bids])
            plain.bid(bids)
        assert list(position.payoff) == pytest.approx(plain.payoff())


def test_the_highest_bid_takes_the_prize_and_a_tie_takes_nothing():
    position = stratagem.game("goofspiel").start().play("2 | 4")
    assert str(position) == "3 1,2 1,3,4/1,2,3 0/4"
    assert str(position.play(("3", "3"))) == "2 1 1,4/1,2 0/4"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4 1,2,3", "is not like"),
        ("4 1,2,3 1,2,3,4/1,2,3 0/0", "every hand holds as many cards as prizes are left, 4 here"),
        ("3 1,2,4 1,2,3,4/1,2,3,4 0/0", "descending, so 4 would lie open"),
        ("3 1,2 1,2,3/1,2,3 5/0", "the prizes gone are worth 4 points"),
        ("- 1,2,3 1,2,3/1,2,4 0/4", "one lies open while any is left"),
        ("4 1,2,9 1,2,3,4/1,2,3,4 0/0", "lists different cards from 1 to 4"),
        ("2 1,2 1,3,4/1,2,3 0/4", "lies open and is still to come"),
    ],
)
def test_positions_that_cannot_be(text, message):
    with pytest.raises(ParseError, match=message):
        stratagem.game("goofspiel").parse(text)


def test_bad_moves_and_options():
    with pytest.raises(IllegalMove, match="first: '7' is no card of this hand; it holds 1,2,3,4"):
        stratagem.game("goofspiel").start().play("7 | 1")
    with pytest.raises(OptionError, match="from 1 to 13"):
        stratagem.game("goofspiel", cards=14)


def test_the_drawing_offers_the_cards():
    svg = stratagem.game("goofspiel").start().svg()
    assert svg.count("data-part") == 8
    assert "second bids 3" in svg


def test_values_of_a_fair_game_are_shown_as_nearly_nothing() -> None:
    game = stratagem.game("goofspiel", cards=4)
    choice = stratagem.player(game, "mcts:simulations=100000", seed=1).choose(game.start(), stratagem.Clock(), lines=4)
    assert choice.strategy is not None
    best = choice.lines[0]
    assert best.value is not None and choice.value is not None
    assert abs(choice.value) < 0.02 and abs(best.value) < 0.05, (
        "against the other's strategy, not against its exploring"
    )
