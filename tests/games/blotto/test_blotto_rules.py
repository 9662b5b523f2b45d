"""The rules of Blotto against the plain reference, on every axis; the face; oracles against brute force."""

import random
from fractions import Fraction

import numpy as np
import pytest
from references import blotto as reference
from toys.blotto_cases import plain, random_rules

import stratagem
from stratagem.contract.player import Clock
from stratagem.errors import IllegalMove, OptionError, ParseError, StratagemError, Unlistable, UnsuitableSearch
from stratagem.games.blotto import Rules
from stratagem.games.blotto import oracle as oracles
from stratagem.games.blotto.constant_sum import ExactPayoffs
from stratagem.games.blotto.oracle import Payoffs, as_plans
from stratagem.kernel import CHANCE
from stratagem.testing import conform


def test_payoffs_are_those_of_the_reference_on_thousands_of_battles():
    rng = random.Random(11)
    battles = 0
    for _ in range(300):
        rules = random_rules(rng)
        rows, columns = (reference.allocations(u, rules.fronts, rules.disposal) for u in rules.units)
        rows, columns = rng.sample(rows, min(len(rows), 6)), rng.sample(columns, min(len(columns), 6))
        full = as_plans([rules.full(a, 0) for a in rows]), as_plans([rules.full(b, 1) for b in columns])
        payoffs, exact = Payoffs(rules), ExactPayoffs(rules)
        got = payoffs.matrix(0, *full), payoffs.matrix(1, *reversed(full)).T
        for i, a in enumerate(rows):
            for j, b in enumerate(columns):
                expected = plain(rules, a, b)
                assert rules.payoffs((a, b)) == expected
                assert (exact.pay(0, rules.full(a, 0), rules.full(b, 1)),
                        exact.pay(1, rules.full(a, 0), rules.full(b, 1))) == expected  # fmt: skip
                assert (got[0][i, j], got[1][i, j]) == pytest.approx([float(x) for x in expected])
                battles += 1
    assert battles > 3000


def test_best_replies_are_those_of_brute_force_on_every_axis():
    rng = random.Random(12)
    for _ in range(150):
        rules = random_rules(rng)
        for player in (0, 1):
            own = reference.allocations(rules.units[player], rules.fronts, rules.disposal)
            other = reference.allocations(rules.units[1 - player], rules.fronts, rules.disposal)
            support = rng.sample(other, min(len(other), 4))
            weights = np.random.default_rng(rng.randint(0, 99)).dirichlet(np.ones(len(support)))
            worth = {
                a: sum(w * float(plain(rules, *((a, b) if player == 0 else (b, a)))[player])
                       for b, w in zip(support, weights, strict=True)) for a in own
            }  # fmt: skip
            value, plan = Payoffs(rules).best(player, [rules.full(b, 1 - player) for b in support], weights)
            assert value == pytest.approx(max(worth.values()))
            assert worth[plan[: rules.fronts]] == pytest.approx(value)


def test_the_mixed_integer_reply_for_win_is_the_enumerated_one(monkeypatch):
    rng = random.Random(13)
    for _ in range(40):
        rules = random_rules(rng, 6)
        rules = Rules(rules.units, rules.values, ("win", "win"), rng.choice(("split", "lost", "first", "second")),
                      disposal=rules.disposal)  # fmt: skip
        player = rng.randint(0, 1)
        other = reference.allocations(rules.units[1 - player], rules.fronts, rules.disposal)
        support = [rules.full(b, 1 - player) for b in rng.sample(other, min(len(other), rng.randint(1, 5)))]
        weights = np.random.default_rng(rng.randint(0, 99)).dirichlet(np.ones(len(support)))
        tried, _ = Payoffs(rules).best(player, support, weights)
        monkeypatch.setattr(oracles, "TRIED", 0)
        programmed, plan = Payoffs(rules).best(player, support, weights)
        monkeypatch.undo()
        assert programmed == pytest.approx(tried)
        assert sum(plan) == rules.units[player]


def test_win_has_no_table_a_front_and_never_a_convolution_over_marginals():
    rules = Rules.of((4, 4), "1,2,3", objective="win")
    with pytest.raises(UnsuitableSearch, match="does not add"):
        rules.table(0)
    with pytest.raises(UnsuitableSearch, match="does not add"):
        Payoffs(rules).worth(0, as_plans([(1, 1, 2)]), np.ones(1))
    coin = Rules.of((400, 400), "1,2,3,4,5", objective="win", ties="coin")
    with pytest.raises(UnsuitableSearch, match="too many"):
        Payoffs(coin).best(0, [(400, 0, 0, 0, 0)], np.ones(1))


def test_the_worked_battles_of_the_course():
    rules = Rules.of((10, 10), "1,2,3,4")
    assert rules.payoffs(((1, 0, 4, 5), (1, 1, 3, 5))) == (Fraction(11, 2), Fraction(9, 2))
    assert rules.payoffs(((2, 2, 2, 4), (3, 4, 2, 1))) == (Fraction(11, 2), Fraction(9, 2))


# ------------------------------------------------------------------------------------------------------------ the face


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"units": (7, 5), "values": "1,2,3", "values_b": "3,2,1", "ties": "lost"},
        {"units": (3, 3), "values": "1,1", "ties": "coin", "objective": "win"},
        {"units": (4, 4, 3), "values": "1,2", "ties": "coin"},
        {"units": (200, 150), "values": "1,2,3,4,5,6,7,8,9,10", "objective": "lottery"},
        {"units": (4, 4), "values": "1,2", "disposal": True, "worth": "0.5"},
        {"units": (2, 3, 4, 5), "values": "1/3,2", "ties": "second", "objective": "win"},
    ],
)
def test_every_kind_of_blotto_keeps_the_contract(options):
    conform(stratagem.game("blotto", **options), games=6)


def test_a_battle_is_played_by_text():
    game = stratagem.game("blotto", units=(3, 3), values="1,2,3")
    after = game.start().play("0,1,2 | 1,2,0")
    assert after.over and after.payoff == (3.0, 3.0)
    assert str(game.parse(str(after))) == "0,1,2 | 1,2,0"
    assert "first" in after.text_art() and after.svg().startswith("<svg")


def test_coins_are_tossed_after_the_units_are_placed():
    game = stratagem.game("blotto", units=(2, 2), values="1,5", ties="coin")
    tied = game.start().play("1,1 | 1,1")
    assert tied.turn == CHANCE
    assert sorted(tied.moves()) == ["first,first", "first,second", "second,first", "second,second"]
    assert tied.play("second,first").payoff == (5.0, 1.0)
    assert str(tied.play("second,first")) == "1,1 | 1,1 / second,first"


def test_three_players_share_what_they_tie_for():
    game = stratagem.game("blotto", units=(2, 2, 1), values="6,3")
    assert game.start().play("1,1 | 1,1 | 1,0").payoff == (3.5, 3.5, 2.0)


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ("1,1,2 | 1,2,0", "adds up to 4"),
        ("1,2 | 1,2,0", "names 2 fronts"),
        ("1,2,x | 1,2,0", "no allocation"),
        ("1,2,0", "1 of 2 allocations"),
        ("-1,2,2 | 1,2,0", "no allocation"),
    ],
)
def test_a_bad_allocation_is_refused_in_one_line(move, words):
    game = stratagem.game("blotto", units=(3, 3), values="1,2,3")
    with pytest.raises((IllegalMove, ParseError), match=words):
        game.start().play(move)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"values": ""}, "at least one front"),
        ({"values": "1,-2"}, "front 2"),
        ({"values": "1,nan"}, "front 2"),
        ({"values": "1,inf"}, "front 2"),
        ({"values": "1,2", "values_b": "1"}, "same fronts"),
        ({"units": (5,)}, "1 players"),
        ({"units": (5, -1)}, "at least 0"),
        ({"units": (5, 200_000)}, "200000 units"),
        ({"ties": "never"}, "one of split"),
        ({"worth": "1"}, "disposal"),
        ({"power": "0"}, "power"),
        ({"units": (1, 1, 1), "values_b": "1,2,3,4"}, "exactly two players"),
    ],
)
def test_options_that_make_no_game_are_refused(options, words):
    with pytest.raises(OptionError, match=words):
        stratagem.game("blotto", **options)


def test_long_lists_are_not_made():
    position = stratagem.game("blotto", units=(100, 100), values="1,2,3,4,5").start()
    with pytest.raises(Unlistable):
        position.moves(0)
    assert position.parts((), 0).free
    assert position.parts(("20,20,20,20,20",), 0).complete
    with pytest.raises(StratagemError):
        position.parts(("20,20",), 0)


# --------------------------------------------------------------------------------------------------------- the players


@pytest.mark.parametrize("level", ["random", "easy", "medium", "strong"])
@pytest.mark.parametrize(
    "options",
    [{"units": (6, 5), "values": "1,2,3"}, {"units": (4, 4, 4), "values": "1,2,3", "objective": "win"}],
)
def test_levels_place_all_their_units_and_follow_their_seed(level, options):
    game = stratagem.game("blotto", **options)
    moves = []
    for _ in range(2):
        player = stratagem.registry.player(game, level, seed=5)
        moves.append([player.choose(game.start(), Clock(), seat=seat).move for seat in range(game.players)])
        for seat, move in enumerate(moves[-1]):
            game.rules.parse_plan(move, seat)
    assert moves[0] == moves[1]


def test_strong_is_not_beaten_on_average_and_beats_easy():
    game = stratagem.game("blotto", units=(10, 10), values="1,2,3,4,5")
    players = {name: stratagem.registry.player(game, name, seed=1) for name in ("easy", "strong")}
    total = 0.0
    for _ in range(400):
        a = players["strong"].choose(game.start(), Clock(), seat=0).move
        b = players["easy"].choose(game.start(), Clock(), seat=1).move
        total += game.start().play([a, b]).payoff[0]
    assert total / 400 > 7.5 + 0.2
