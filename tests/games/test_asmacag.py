"""ASMACAG against plain rules, its text, its secrets, and its players."""

import random
from fractions import Fraction

import numpy as np
import pytest
from references.asmacag import Plain

import stratagem
from stratagem.compile import specialise
from stratagem.errors import IllegalMove, OptionError, ParseError
from stratagem.games.asmacag.kernels import HAND, HELD, prospect
from stratagem.kernel import CHANCE
from stratagem.rng import generator
from stratagem.search.whole_turns import WholeTurnSearch
from stratagem.testing import conform

SMALL = {"actions": 2, "hand": 4, "board": 7, "highest": 4, "doubles": 2, "halves": 2}
VARIANTS = [
    {},
    {"profile": "published"},
    {"actions": 9, "payoff": "points"},
    {**SMALL, "actions": 3, "board": 3},  # the board may be empty first
]


def dealt(game, seed=0):
    return game.start(seed=seed)


def plain_of(position):
    """The same position by the plain rules; the deal is read from the record, so that hands keep their order."""
    game, cards = position.game, position.history
    n = 2 * game.hand
    hands = [list(cards[0:n:2]), list(cards[1:n:2])]
    return Plain(game.actions, hands, list(cards[n:]), game["profile"] == "published")


def lead(position):
    return position.game.score(position.state, 0) - position.game.score(position.state, 1)


def compare(game, games):
    """Random games move by move against the plain rules; returns how many positions were compared."""
    draws, positions = random.Random(1), 0
    for seed in range(games):
        position = dealt(game, seed)
        plain = plain_of(position)
        while not plain.over:
            assert position.turn == plain.seat
            assert set(position.moves()) == plain.moves()
            move = draws.choice(sorted(plain.moves()))
            position = position.play(move)
            plain.play(move)
            assert [game.score(position.state, p) for p in range(2)] == plain.scores
            assert game.parse(str(position)) == position
            positions += 1
        assert position.over
        first = float(plain.scores[0] - plain.scores[1])
        assert position.payoff[0] == (first if game["payoff"] == "points" else (first > 0) - (first < 0))
    return positions


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_random_games_agree_with_plain_rules(options):
    assert compare(stratagem.game("asmacag", **options), 8 if options.get("actions") == 9 else 30) >= 60


@pytest.mark.slow
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_thousands_of_random_positions_agree_with_plain_rules(options):
    assert compare(stratagem.game("asmacag", **options), 500) >= 1000


@pytest.mark.slow
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_the_game_keeps_the_contract_compiled(options):
    conform(stratagem.game("asmacag", **options), games=6)


def test_the_factor_falls_to_whoever_plays_the_next_number():
    game = stratagem.game("asmacag", **SMALL)
    position = game.parse("first 2 1 0/0 124D/1233 1112344 222223333344DHH")
    position = position.play("4-1").play("double")
    assert position.turn == 1 and str(position).startswith("second 2 2 3/0")
    position = position.play("3-1")
    assert str(position).startswith("second 1 1 3/4"), "the other's double, and back to one"


def test_halves_of_halves_are_kept_exactly():
    game = stratagem.game("asmacag", actions=3, hand=3, board=8)
    rest = "1222" + 5 * "3" + 8 * "4" + 8 * "5" + 5 * "6" + 6 * "D" + 4 * "H"
    position = game.parse(f"first 3 1 0/0 2HH/123 11122233 {rest}")
    position = position.play("half").play("half").play("2-1")
    assert game.score(position.state, 0) == Fraction(1, 4)
    assert " 0.25/0 " in str(position)


def prospect_of(position, seat):
    """What search by stages takes a position to be worth in points."""
    game, out = position.game, np.zeros(2)
    specialise(prospect, game.names["value"].names, target="python")(game.g, position.state, out)
    return out[seat]


@pytest.mark.parametrize(("cards", "worth"), [("135 23456", 9 - 9), ("13H 45566", (3 - 4) + (1 - 5) / 2)])
def test_in_the_last_turn_cards_that_are_kept_are_worth_what_the_best_turn_brings(cards, worth):
    hand, board = cards.split()
    position = stratagem.game("asmacag", payoff="points").parse(f"second 3 1 4/0 -/{hand} {board} 1111222333DDDDDD")
    assert prospect_of(position, 1) == worth - 4
    while not position.over:
        position = position.play(position.moves()[-1])
    assert prospect_of(position, 1) == position.payoff[1], "when the game is over nothing is left"


def test_a_factor_and_low_cards_that_are_left_to_the_other_have_a_price():
    game = stratagem.game("asmacag", payoff="points")
    rest = "1111222334446666" + "6HHHHH"  # of which the other holds six
    plain, doubled, higher = (
        prospect_of(game.parse(f"second 3 {factor} 0/0 13H/?6 {board} {rest}"), 0)
        for factor, board in ((1, "223334445555"), (2, "223334445555"), (1, "333334445555"))
    )
    assert doubled < plain < higher


def test_in_the_published_profile_either_special_may_be_played_and_the_first_one_goes():
    game = stratagem.game("asmacag", **SMALL, profile="published")
    position = game.parse("first 2 1 0/0 12HD/1233 1112344 2222233333444DH")
    assert {"double", "half"} <= set(position.moves())
    after = position.play("double")
    assert str(after).startswith("first 1 2 0/0 12D/")
    assert str(after.play("double")).startswith("second 2 4 0/0 12/")
    clean = stratagem.game("asmacag", **SMALL).parse("first 2 1 0/0 12HH/1233 1112344 2222233333444DD")
    assert "double" not in clean.moves()


def test_a_view_hides_the_other_hand_and_a_guess_fits_what_is_seen():
    game = stratagem.game("asmacag", **SMALL)
    position = dealt(game, 3)
    view = position.view(0)
    assert "/?4 " in str(view) and game.parse(str(view)).state[HELD + 1] == 4
    seen = set()
    for k in range(40):
        s = view.state.copy()
        game.run("guess", game.g, s, 0, generator(1, k))
        own, other = (s[HAND + p * game.kinds : HAND + (p + 1) * game.kinds] for p in range(2))
        assert np.array_equal(own, position.state[HAND : HAND + game.kinds])
        assert other.sum() == 4 and (s[game.rest_at : game.size] >= 0).all()
        seen.add(other.tobytes())
    assert len(seen) > 10
    assert "a card" in position.game.describe(position.game.start(), "3", CHANCE, 1)


def test_larger_settings_grow_with_the_actions():
    for actions, hand, board, deck in ((3, 9, 20, 54), (6, 18, 38, 108), (9, 27, 56, 162)):
        game = stratagem.game("asmacag", actions=actions)
        assert (game.hand, game.on_board, sum(game.deck)) == (hand, board, deck)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("first 2 1 0/0", "is not like"),
        ("first 9 1 0/0 124D/1233 1112344 222223333344DHH", "they go from 1 to 2"),
        ("first 2 3 0/0 124D/1233 1112344 222223333344DHH", "a power of two"),
        ("first 2 1 0/x 124D/1233 1112344 222223333344DHH", "is no score"),
        ("first 2 1 0/0 129D/1233 1112344 222223333344DHH", "is no card that lies there"),
        ("first 2 1 0/0 124D/123 1112344 222223333344DHH", "do not lead to"),
        ("first 2 1 0/0 DDDD/1233 1112344 222223333344DHH", "there are 2"),
    ],
)
def test_positions_that_cannot_be(text, message):
    with pytest.raises(ParseError, match=message):
        stratagem.game("asmacag", **SMALL).parse(text)


def test_bad_moves_and_options():
    position = dealt(stratagem.game("asmacag"))
    with pytest.raises(IllegalMove, match=r"the hand is .* and the board"):
        position.play("7-7")
    with pytest.raises(OptionError, match="do not fill two hands"):
        stratagem.game("asmacag", hand=20)
    with pytest.raises(OptionError, match="must be the larger"):
        stratagem.game("asmacag", lowest=4, highest=4)
    with pytest.raises(OptionError, match="that no word holds"):
        stratagem.game("asmacag", doubles=40, halves=40)


def test_the_drawing_offers_every_move():
    position = dealt(stratagem.game("asmacag", **SMALL))
    svg = position.svg()
    assert all(f'data-part="{move}"' in svg for move in position.moves())
    assert "data-part" not in position.view(1).svg(), "of a hand that is not seen nothing is offered"


def test_the_exact_best_own_turn_is_found_by_greedy_turn():
    game = stratagem.game("asmacag", **SMALL, payoff="points")
    for seed in range(6):
        position = dealt(game, seed)
        player = stratagem.player(game, "greedy-turn:turns=1000000")
        player.search = WholeTurnSearch(
            game, "greedy-turn", atoms=player.search.atoms, target="python", turns=1_000_000
        )
        choice = player.choose(position.view(0), stratagem.Clock())
        assert choice.value == pytest.approx(float(plain_of(position).best_lead()))


def test_a_seats_record_tells_its_own_cards_and_the_boards() -> None:
    game = stratagem.game("asmacag")
    rng, position = generator(1), game.start()
    for _ in range(45):
        position = position.play(position.sample(rng))
    for seat in (0, 1, None):
        reported = position.view(seat).history
        hidden = [k for k, text in enumerate(reported) if text == "?"]
        assert hidden == [k for k in range(2 * game.hand) if k % 2 != seat]
        assert all(reported[k] == text for k, text in enumerate(position.history) if k not in hidden)
    later = game.parse(str(position)).play(position.sample(rng))
    assert later.view(0).history == later.history  # a record that begins after the deal has nothing to hide
