"""Numbers from outside: what is refused, and that the work afterwards stays small."""

import time
from contextlib import suppress
from fractions import Fraction

import pytest

import stratagem
from stratagem.errors import StratagemError
from stratagem.numbers import fraction, real, whole
from stratagem.plans.draft import Draft
from stratagem.registry import game_class, game_names

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


@pytest.mark.parametrize("worth", [10**400, float("inf"), float("nan"), "1e9", True])
def test_a_draft_refuses_worths_that_are_none(worth):
    with pytest.raises(StratagemError):
        Draft.from_json({"items": ["A", "B"], "worths": [[1, worth]], "order": [0, 0]})
