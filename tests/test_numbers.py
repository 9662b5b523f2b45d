"""Numbers from outside: what is refused, and that the work afterwards stays small."""

import json
import time
from contextlib import suppress
from fractions import Fraction

import numpy as np
import pytest

import stratagem
from stratagem.equilibrium.tables import equilibria
from stratagem.errors import StratagemError
from stratagem.fantasy.imports import parse_export
from stratagem.fantasy.league import parse_limits, parse_pick, parse_slots, parse_trades
from stratagem.fantasy.merging import merge
from stratagem.games.blotto import symmetric
from stratagem.games.blotto.rules import Rules
from stratagem.games.blotto.tournament import read_mixture
from stratagem.numbers import fraction, real, whole
from stratagem.plans.draft import Draft
from stratagem.registry import game_class, game_names
from stratagem.store.text import read_game

HOSTILE = [
    "1e400000000", "1e-400000000", "1e999", "1e5000", "9" * 100, "9" * 5000, "1/" + "9" * 5000, "nan", "inf", "1/0", "",
    "-1", "0", "1000000", "1e30", "\u0661\u0662", "1_000", "taxman:1e400000000", "taxman:1e5000", "taxman:1/" + "9" * 100,
    "100000,100000", ",".join(["1e40"] * 50), 10**400, -(10**400), float("inf"), float("nan"), 1e308, 10**18,
    [10**400], [float("inf"), 1],
]  # fmt: skip
SECONDS = 30.0  # plenty, of processor time, for everything that a game's start takes


@pytest.mark.parametrize(
    "text", ["1e400000000", "1e-400000000", "9" * 61, "1/" + "9" * 50, "inf", "nan", "1_0", "1/0", "x", "", None]
)
def test_a_fraction_that_would_take_long_or_is_none_is_refused(text):
    with pytest.raises(StratagemError):
        fraction(text)


def test_numbers_are_read_as_people_write_them():
    assert [fraction(x) for x in ("2", " 0.5", "1/3", "1e-3", 0.1, 7, Fraction(2, 7))] == [
        2, Fraction(1, 2), Fraction(1, 3), Fraction(1, 1000), Fraction(1, 10), 7, Fraction(2, 7),
    ]  # fmt: skip
    assert (whole("-12"), whole(3.0), whole(4), real("1e-3"), real(2)) == (-12, 3, 4, 0.001, 2.0)
    for read, bad in ((whole, 10**30), (whole, 2.5), (whole, float("inf")), (real, "1e999"), (real, 10**400)):
        with pytest.raises(StratagemError):
            read(bad)


@pytest.mark.parametrize("name", game_names())
def test_every_option_of_every_game_takes_or_refuses_hostile_numbers_at_once(name):
    of = game_class(name)
    of().start(seed=1)  # what it loads is loaded
    for option in of.options:
        for value in [] if option.outside else HOSTILE:
            begun = time.process_time()
            with suppress(StratagemError):
                str(of(**{option.name: value}).start(seed=1))
            assert time.process_time() - begun < SECONDS, (option.name, str(value)[:40])


@pytest.mark.parametrize(
    "options",
    [
        {"objective": "lottery", "power": "1000000"},
        {"objective": "lottery", "power": "50", "values": ",".join(["1"] * 1000), "units": "100000,100000"},
        {"values": ",".join(f"1/{p}" for p in range(10**12, 10**12 + 1000))},
        {"disposal": True, "worth": "1e400000000"},
    ],
)
def test_blotto_refuses_what_would_take_long_to_add_up(options):
    begun = time.process_time()
    with pytest.raises(StratagemError):
        stratagem.game("blotto", **options)
    assert time.process_time() - begun < SECONDS


def test_blottos_largest_lottery_pays_at_once():
    game = stratagem.game("blotto", objective="lottery", power="2", values=",".join(["1"] * 1000), units="100000,99000")
    plan = [f"{40 + k % 97}," for k in range(999)]
    texts = ["".join(plan) + str(units - sum(int(x[:-1]) for x in plan)) for units in (100000, 99000)]
    begun = time.process_time()
    assert sum(game.start().play(texts).payoff) == pytest.approx(1000)
    assert time.process_time() - begun < SECONDS


def test_a_score_that_no_cards_make_is_refused():
    game = stratagem.game("asmacag")
    start = game.start(seed=1)
    while start.turn < 0:
        start = start.play(start.sample(stratagem.rng.generator(1)))
    text = str(start)
    assert " 0/0 " in text
    with pytest.raises(StratagemError):
        game.parse(text.replace(" 0/0 ", " 1e400000000/0 "))


LONG = "9" * 5000  # int() itself gives up beyond 4,300 digits, by a plain ValueError


@pytest.mark.parametrize(
    "read",
    [
        lambda: parse_slots(f"RB:{LONG}"),
        lambda: parse_slots("RB:\u00b2"),
        lambda: parse_limits(f"QB:{LONG}"),
        lambda: parse_pick(LONG, 12),
        lambda: parse_pick(f"3.{LONG}", 12),
        lambda: parse_trades([f"3.05={LONG}"], 12),
        lambda: merge([parse_export(f"name,pos,adp,bye\nA B,QB,1,{LONG}\n", "table")]),
        lambda: merge([parse_export(f"name,pos,adp\nA B,QB,1e{LONG}\n", "table")]),
        lambda: symmetric.verify("\u00b2,1,1\n", "1,1", "value"),
        lambda: symmetric.verify(f"{LONG},1,1\n", "1,1", "value"),
        lambda: read_mixture(json.dumps([{"allocation": [1, 1], "probability": LONG}]), Rules.of((2, 2), "1,1"), 0),
        lambda: read_mixture(json.dumps([{"allocation": [LONG, 1], "probability": 1}]), Rules.of((2, 2), "1,1"), 0),
        lambda: stratagem.game("nim").parse(f"{LONG},4,5"),
        lambda: stratagem.game("goofspiel").parse(f"- 0001{LONG} 1/1 0/0"),
        lambda: equilibria([[[1, 2], [3, 4]]], "ce", objective=LONG),
        lambda: read_game(f'[Game "nim"]\n[Seed "{LONG}"]\n\n'),
        lambda: read_game(f'[Game "nim"]\n\n{LONG}. 1:1\n'),
        lambda: read_game('[Game "ni\\xm"]\n\n'),
        lambda: stratagem.player(stratagem.game("nim"), f"mcts:simulations={LONG}"),
        lambda: stratagem.player(stratagem.game("nim"), "mcts:time=1e999"),
        lambda: stratagem.player(stratagem.game("nim"), "mcts:time=nan"),
        lambda: stratagem.player(stratagem.game("nim"), f"random:seed={'9' * 30}"),
    ],
)
def test_a_number_of_very_many_digits_is_refused_in_a_line(read):
    with pytest.raises(StratagemError):
        read()


def test_a_seed_is_a_whole_number():
    game = stratagem.game("nim")
    for seed in (3, np.int64(3), 2**62):
        assert stratagem.player(game, "random", seed=seed).choose(game.start(), stratagem.Clock()).move
    assert stratagem.player(game, "random:seed=3").choose(game.start(), stratagem.Clock()).move
    for wrong in ("x", "1.5", "9" * 30):
        with pytest.raises(StratagemError, match="a whole number"):
            stratagem.player(game, f"random:seed={wrong}")


@pytest.mark.parametrize("worth", [10**400, float("inf"), float("nan"), "1e9", True])
def test_a_draft_refuses_worths_that_are_none(worth):
    with pytest.raises(StratagemError):
        Draft.from_json({"items": ["A", "B"], "worths": [[1, worth]], "order": [0, 0]})
