"""Battle odds against exact published values, a second way of working them out, and bad input."""

from __future__ import annotations

import json
import random
import time
from fractions import Fraction
from functools import cache

import pytest
from command import run

from stratagem.errors import OptionError
from stratagem.games.risk.atlas import ATTACKER_LOSES, CAPTURES, DEFENDER_LOSES
from stratagem.games.risk.odds import odds, roll

ROLLS = {
    (1, 1): (15, 21),
    (2, 1): (125, 91),
    (3, 1): (855, 441),
    (1, 2): (55, 161),
    (2, 2): (295, 420, 581),
    (3, 2): (2890, 2611, 2275),
}

TABLE = """
.417 .106 .027 .007 .002 .000 .000 .000 .000 .000
.754 .363 .206 .091 .049 .021 .011 .005 .003 .001
.916 .656 .470 .315 .206 .134 .084 .054 .033 .021
.972 .785 .642 .477 .359 .253 .181 .123 .086 .057
.990 .890 .769 .638 .506 .397 .297 .224 .162 .118
.997 .934 .857 .745 .638 .521 .423 .329 .258 .193
.999 .967 .910 .834 .736 .640 .536 .446 .357 .287
1.000 .980 .947 .888 .818 .730 .643 .547 .464 .380
1.000 .990 .967 .930 .873 .808 .726 .646 .558 .480
1.000 .994 .981 .954 .916 .861 .800 .724 .650 .568
"""


@pytest.mark.parametrize(("dice", "outcomes"), ROLLS.items())
def test_a_roll_has_the_published_outcomes(dice: tuple[int, int], outcomes: tuple[int, ...]) -> None:
    assert roll(*dice) == outcomes
    assert sum(outcomes) == 6 ** sum(dice)


@pytest.mark.parametrize(
    ("dice", "attacker", "defender"),
    [
        ((1, 1), 0.5833, 0.4167), ((2, 1), 0.4213, 0.5787), ((3, 1), 0.3403, 0.6597),
        ((1, 2), 0.7454, 0.2546), ((2, 2), 1.2207, 0.7793), ((3, 2), 0.9209, 1.0791),
    ],
)  # fmt: skip
def test_a_roll_costs_the_published_armies(dice: tuple[int, int], attacker: float, defender: float) -> None:
    lost = sum(k * n for k, n in enumerate(roll(*dice))) / 6 ** sum(dice)
    assert round(lost, 4) == attacker
    assert round(min(dice) - lost, 4) == defender


def test_the_two_comparisons_of_a_roll_are_not_independent() -> None:
    both = Fraction(2890, 7776)
    assert round(float(both), 3) == 0.372
    assert abs(float(both) - 0.4716 * 0.6075) > 0.08


def test_the_whole_published_table() -> None:
    for a, row in enumerate(TABLE.split("\n")[1:-1], 1):
        for d, cell in enumerate(row.split(), 1):
            assert f"{odds(a, d).win:.3f}" == f"{float(cell):.3f}", (a, d)


@pytest.mark.parametrize(
    ("a", "d", "exact"),
    [
        (1, 1, "5/12"), (1, 2, "275/2592"), (2, 1, "1955/2592"), (2, 2, "235/648"), (3, 1, "342035/373248"),
        (3, 2, "6610505/10077696"), (3, 3, "511817135/1088391168"),
    ],
)  # fmt: skip
def test_exact_fractions(a: int, d: int, exact: str) -> None:
    assert str(odds(a, d).exact) == exact


def test_from_five_on_equal_sides_favour_the_attacker() -> None:
    known = {5: 0.5062, 10: 0.5676, 15: 0.6052, 20: 0.6334, 30: 0.6761}
    assert {n: round(odds(n, n).win, 4) for n in known} == known
    assert all((odds(n, n).win > 0.5) == (n >= 5) for n in range(1, 31))


@pytest.mark.parametrize(("a", "d", "left"), [(3, 3, 1.110), (5, 5, 1.631), (10, 5, 6.037), (10, 10, 2.692)])
def test_expected_armies_left(a: int, d: int, left: float) -> None:
    assert round(odds(a, d).attacker_left, 3) == left


@cache
def by_recursion(a: int, chain: tuple[int, ...]) -> Fraction:
    """The definition, as it is written down: roll once and look again."""
    if not chain:
        return Fraction(1)
    if chain[0] == 0:
        return by_recursion(a - 1 if len(chain) > 1 else a, chain[1:])
    if a <= 0:
        return Fraction(0)
    dice = min(a, 3), min(chain[0], 2)
    return sum(
        (
            Fraction(n, 6 ** sum(dice)) * by_recursion(a - lost, (chain[0] - min(dice) + lost, *chain[1:]))
            for lost, n in enumerate(roll(*dice))
        ),
        Fraction(0),
    )


@pytest.mark.parametrize("chain", [(4,), (3, 2, 4), (1, 1, 1, 1), (2, 5), (1, 6, 1)])
@pytest.mark.parametrize("a", [1, 2, 3, 5, 12])
def test_chains_agree_with_the_recursion(a: int, chain: tuple[int, ...]) -> None:
    found = odds(a, chain)
    assert found.exact == by_recursion(a, chain)
    assert sum(end.probability for end in found.distribution) == pytest.approx(1, abs=1e-12)
    assert found.reached[-1] == found.win and list(found.reached) == sorted(found.reached, reverse=True)
    for end in found.distribution:
        assert end.probability > 0 and (end.defender == 0) == (end.taken == len(chain))
        assert (end.attacker > 0) == (end.taken == len(chain))
        assert end.attacker <= max(a - (len(chain) - 1), 0)


def test_a_chain_agrees_with_dice() -> None:
    rng, wins, left = random.Random(1), 0, 0
    games = 20_000
    for _ in range(games):
        a, chain = 8, [2, 3]
        while chain and a > 0:
            attack = sorted((rng.randrange(6) for _ in range(min(a, 3))), reverse=True)
            defence = sorted((rng.randrange(6) for _ in range(min(chain[0], 2))), reverse=True)
            for x, y in zip(attack, defence, strict=False):
                if x > y:
                    chain[0] -= 1
                else:
                    a -= 1
            if chain[0] == 0:
                chain.pop(0)
                a -= bool(chain)  # one stays behind, unless this was the last
        wins += not chain
        left += a if not chain else 0
    found = odds(8, (2, 3))
    assert wins / games == pytest.approx(found.win, abs=4 * (0.25 / games) ** 0.5)
    assert left / games == pytest.approx(found.attacker_left, abs=0.08)


def test_the_players_battle_tables_are_the_odds_in_floats() -> None:
    for a, d in ((1, 1), (1, 9), (3, 3), (7, 2), (10, 5), (20, 31), (32, 32)):
        found = odds(a, d)
        assert CAPTURES[a, d] == pytest.approx(found.win, abs=1e-12)
        assert a - ATTACKER_LOSES[a, d] == pytest.approx(found.attacker_left, abs=1e-11)
        assert d - DEFENDER_LOSES[a, d] == pytest.approx(found.defender_left, abs=1e-11)


def test_large_battles_stay_quick_and_floats_agree_with_fractions() -> None:
    start = time.process_time()
    exact, more, most = odds(200, 200), odds(401, 400), odds(1000, 1000)
    assert time.process_time() - start < 5
    assert exact.exact is not None and round(exact.win, 4) == 0.9111
    assert more.exact is None and most.exact is None
    assert odds(400, 400).win < more.win < most.win < 1
    assert sum(end.probability for end in most.distribution) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(("a", "chain"), [(0, (1,)), (-1, (1,)), (3, (0,)), (3, ()), (3, (2, 0)), (1500, (501,))])
def test_impossible_battles_are_refused(a: int, chain: tuple[int, ...]) -> None:
    with pytest.raises(OptionError):
        odds(a, chain)


def test_the_command_prints_json() -> None:
    code, out, _ = run("risk", "odds", 3, 3, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["exact"] == "511817135/1088391168" and found["win"] == pytest.approx(0.470251, abs=1e-6)
    assert found["attacker_left"] == pytest.approx(1.110, abs=1e-3)
    assert sum(end["probability"] for end in found["distribution"]) == pytest.approx(1)
    assert {"taken", "attacker", "defender", "probability"} == set(found["distribution"][0])


def test_the_command_takes_a_chain_and_prints_words() -> None:
    code, out, _ = run("risk", "odds", 12, "3,2,4")
    assert code == 0
    assert "captures all: 0.6886" in out and "captures each: 0.9935, 0.9556, 0.6886" in out


def test_the_command_reads_one_battle_a_line() -> None:
    code, out, _ = run("risk", "odds", "-", stdin="1 1\nnonsense\n2 2,1\n")
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 2
    assert lines[0]["exact"] == "5/12" and "error" in lines[1] and lines[2]["defenders"] == [2, 1]


@pytest.mark.parametrize(
    "given", [("0", "1"), ("3", "0"), ("x", "3"), ("3",), ("3", "2,,4"), ("3", ""), ("²", "1"), ("9" * 40, "1")]
)
def test_bad_input_is_one_clear_line(given) -> None:
    code, out, err = run("risk", "odds", *given)
    assert code == 2 and not out
    assert err.startswith("stratagem: ") and len(err.splitlines()) == 1
