"""The worth of a draft of Risk: features, models, fits, files of weights. Interpreted kernels beside plain readings."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import stratagem
from stratagem.errors import OptionError, ParseError
from stratagem.games.risk import Risk, draft_features, draft_fitting, draft_worth
from stratagem.games.risk.atlas import BONUS, CONTINENT, CONTINENT_SIZE, NEIGHBOURS, TERRITORIES
from stratagem.games.risk.draft_features import FEATURES, GROUPS, HOLDS, NAMES, PAPER, SIMPLE, STEP, STEPS
from stratagem.games.risk.draft_worth import (
    KIND,
    WEIGHTS,
    Evaluation,
    by_any,
    by_weights,
    judge_of,
    predicted,
    shipped,
)
from stratagem.games.risk.drafting import RANDOM_DRAFTER, make_drafts
from stratagem.games.risk.simulation import random_drafts

GAME = Risk(turn_cap=400)
CARD = shipped(GAME).card


def masks(owners: np.ndarray) -> np.ndarray:
    return draft_features.masks_of(owners[None, :], 3)[0]


def described(owners: np.ndarray) -> np.ndarray:
    x = np.zeros((3, FEATURES))
    draft_features.describe(masks(owners), True, x)
    return x


def blocks(mine: set[int]) -> list[set[int]]:
    found: list[set[int]] = []
    for t in sorted(mine):
        touching = [b for b in found if any(n in b for n in NEIGHBOURS[t])]
        found = [b for b in found if b not in touching] + [set().union({t}, *touching)]
    return found


def slowly_described(owners: np.ndarray, p: int) -> dict[str, float]:
    """Features by name, from sets; those that are zero left out. The first of the largest blocks is that with the lowest
    territory."""
    held = {q: {t for t in range(TERRITORIES) if owners[t] == q} for q in range(3)}
    mine, x = held[p], Counter({f"place {p + 1}": 1})
    largest = {q: max(sorted(blocks(held[q]), key=min), key=len) for q in range(3)}
    for c, name in enumerate(draft_features.CONTINENT_IDS):
        counts = [sum(CONTINENT[t] == c for t in held[q]) for q in range(3)]
        rivals = [counts[q] for q in range(3) if q != p]
        x[f"{name} {counts[p]}"] += 1
        x[f"number in {name}"] += counts[p]
        x[f"best rival in {name}"] += max(rivals) / CONTINENT_SIZE[c]
        x[f"rivals in {name}"] += sum(k > 0 for k in rivals)
        x["bonuses"] += BONUS[c] * (counts[p] == CONTINENT_SIZE[c])
        x["bonuses one short"] += BONUS[c] * (counts[p] == CONTINENT_SIZE[c] - 1)
        x["rivals' bonuses one short or whole"] += BONUS[c] * sum(k >= CONTINENT_SIZE[c] - 1 for k in rivals)
    for t in mine:
        x[f"holds {draft_features.IDS[t]}"] += 1
        x["border territories"] += any(n not in mine for n in NEIGHBOURS[t])
        x["border edges"] += sum(n not in mine for n in NEIGHBOURS[t])
        x["friendly pairs"] += sum(n in mine and n < t for n in NEIGHBOURS[t])
    x["enemy neighbours"] = len({n for t in mine for n in NEIGHBOURS[t]} - mine)
    x["blocks"], x["largest block"] = len(blocks(mine)), len(largest[p])
    reach, goal = set(largest[p]), set().union(*(largest[q] for q in range(3) if q != p))
    while not reach & goal:
        reach |= {n for t in reach for n in NEIGHBOURS[t]}
        x["steps from it to a rival's"] += 1
    return {name: value for name, value in x.items() if value}


def test_features_are_those_of_a_plain_reading():
    for owners in random_drafts(GAME, 60, 5):
        x = described(owners)
        for p in range(3):
            named = {name: value for name, value in zip(NAMES, x[p], strict=True) if value}
            assert named == pytest.approx(slowly_described(owners, p))


def test_features_of_a_draft_are_what_they_are_called():
    owners = np.array([0 if CONTINENT[t] == 5 else 1 + t % 2 for t in range(TERRITORIES)])
    named = dict(zip(NAMES, described(owners)[0], strict=True))
    assert named["australia 4"] == 1 and named["asia 0"] == 1 and named["place 1"] == 1 and named["bonuses"] == 2
    assert named["enemy neighbours"] == 1 and named["friendly pairs"] == 5 and named["border territories"] == 1
    assert named["blocks"] == 1 and named["largest block"] == 4 and named["holds indonesia"] == 1
    assert sum(named[name] for name in NAMES[:STEPS]) == 6
    assert sorted(k for group in GROUPS.values() for k in group) == list(range(FEATURES))


def test_the_quick_utility_is_the_weights_times_the_features():
    rng = np.random.default_rng(4)
    for kind, size in ((draft_worth.LINEAR, PAPER), (draft_worth.LOGISTIC, SIMPLE)):
        row = draft_fitting.blank(kind)
        row[WEIGHTS : WEIGHTS + size] = rng.normal(size=size)
        for owners in random_drafts(GAME, 20, 5):
            x = described(owners)
            for p in range(3):
                assert draft_worth.utility(row, masks(owners), p) == pytest.approx(row[WEIGHTS:] @ x[p])
            out = np.zeros(3)
            evaluate, ground = judge_of(row, 3)
            evaluate(ground, masks(owners), out)
            assert out.sum() == pytest.approx(1) and out == pytest.approx(predicted(row, x[None])[0])


# -- fits


def steps(drafts: np.ndarray) -> np.ndarray:
    """Only how many territories of each continent are held, as steps and as numbers, and which."""
    x = np.zeros((len(drafts), 3, FEATURES))
    for p in range(3):
        x[:, p, HOLDS:] = drafts == p
        for c in range(6):
            count = ((drafts == p) & (c == CONTINENT)).sum(axis=1)
            x[np.arange(len(drafts)), p, STEP[c] + count] = 1
            x[:, p, draft_features.COUNTS + c] = count
    return x


def won_by(u: np.ndarray, seed: int) -> np.ndarray:
    """Winners drawn by the softmax of utilities."""
    return (u + np.random.default_rng(seed).gumbel(size=u.shape)).argmax(axis=1)


def test_linear_and_logistic_fits_find_what_made_the_winners():
    """Winners drawn by a known rule: who holds more of Australia. Both models see it."""
    drafts = random_drafts(GAME, 4000, 6)
    x = steps(drafts)
    winners = won_by(x[:, :, draft_features.COUNTS + 5], 6)
    for row in (draft_fitting.fit_linear(x, winners), draft_fitting.fit_logistic(x, winners)):
        found = row[WEIGHTS + STEP[5] :][:4]
        assert (np.diff(found) > 0.05).all()
        assert draft_worth.measures(row, x, winners)["log_loss"] < np.log(3) - 0.1


@pytest.fixture(scope="module")
def both_or_neither() -> tuple[np.ndarray, np.ndarray]:
    """Siam and Peru are good together and bad alone, which no sum of weights can say."""
    drafts = random_drafts(GAME, 6000, 7)
    x = steps(drafts)
    siam, peru = (x[:, :, HOLDS + draft_features.IDS.index(name)] for name in ("siam", "peru"))
    return x, won_by(3.0 * (siam == peru), 8)


@pytest.mark.parametrize("name", ["boosting", "net"])
def test_boosting_and_the_net_see_what_a_sum_of_weights_cannot(both_or_neither, name):
    x, winners = both_or_neither
    columns = np.array([HOLDS + draft_features.IDS.index(name) for name in ("siam", "peru", "japan", "brazil")])
    learn, test = slice(0, 4500), slice(4500, 6000)
    fit = draft_fitting.fit_boosting if name == "boosting" else draft_fitting.fit_net
    settings = {} if name == "boosting" else {"epochs": 15, "pace": 3e-3, "width": 16, "batch": 128}
    plain = draft_fitting.fit_logistic(x[learn], winners[learn], columns=columns)
    row = fit(x[learn], winners[learn], columns, **settings)
    gap = [draft_worth.measures(r, x[test], winners[test])["log_loss"] for r in (plain, row)]
    assert gap[1] < gap[0] - 0.1


def test_slopes_of_the_net_are_those_of_its_loss():
    rng = np.random.default_rng(1)
    shapes = {
        "skip": (5,),
        "first": (5, 4),
        "offset": (4,),
        "own": (4, 4),
        "every": (4, 4),
        "second": (4,),
        "last": (4,),
    }
    p = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    z, winners = rng.normal(size=(7, 3, 5)), rng.integers(0, 3, 7)
    slopes = draft_fitting._slopes(p, z, winners)
    for name, w in p.items():
        at = tuple(0 for _ in w.shape)
        values = []
        for step in (1e-6, -2e-6):
            w[at] += step
            values.append(draft_fitting.log_loss(draft_fitting.softmax(draft_fitting._forward(p, z)[0]), winners))
        w[at] += 1e-6
        assert slopes[name][at] == pytest.approx((values[0] - values[1]) / 2e-6, abs=1e-6)


def test_the_kernel_of_the_net_is_the_net_that_was_fitted():
    rng = np.random.default_rng(2)
    width, x = 6, np.stack([described(owners) for owners in random_drafts(GAME, 5, 3)])
    shapes = {
        "skip": (FEATURES,), "first": (FEATURES, width), "offset": (width,), "own": (width, width), "every": (width, width),
        "second": (width,), "last": (width,),
    }  # fmt: skip
    p = {name: rng.normal(size=shape) * 0.1 for name, shape in shapes.items()}
    row = np.concatenate([[draft_worth.NET, width, 0, 1], *(w.reshape(-1) for w in p.values())])
    assert draft_worth.well_formed(row)
    assert predicted(row, x) == pytest.approx(draft_fitting.softmax(draft_fitting._forward(p, x)[0]))
    out = np.zeros(3)
    evaluate, ground = judge_of(row, 3)
    evaluate(ground, masks(random_drafts(GAME, 5, 3)[4]), out)
    assert out == pytest.approx(predicted(row, x)[4]) and evaluate is by_any


def test_a_tree_goes_right_above_its_limit():
    siam, count = HOLDS + draft_features.IDS.index("siam"), draft_features.COUNTS
    tree = [siam, 0.5, count, 2.0, count, 5.0, 10.0, 20.0, 30.0, 40.0]
    row = np.array([draft_worth.BOOSTING, 2, 2, 0, *tree, *tree])
    for has_siam, held, said in ((0, 2, 20.0), (0, 3, 40.0), (1, 5, 60.0), (1, 6, 80.0)):
        x = np.zeros(FEATURES)
        x[siam], x[count] = has_siam, held
        assert draft_worth.through_trees(row, x) == said


def small(kind: str) -> np.ndarray:
    """A little model that wants Australia."""
    if kind == "boosting":
        return np.array([draft_worth.BOOSTING, 1, 1, 0, draft_features.COUNTS + 5, 2.5, -1.0, 1.0])
    width, row = 2, draft_fitting.blank(draft_worth.NET)
    row[draft_worth.SIZE] = width
    first = np.zeros((FEATURES, width))
    first[draft_features.COUNTS + 5] = 1.0  # codes are the number of territories there
    rest = np.concatenate([np.zeros(2), np.eye(2).reshape(-1), np.zeros(4), np.zeros(2), np.ones(2)])
    return np.concatenate([row, first.reshape(-1), rest])


@pytest.mark.slow
def test_trees_and_nets_draft_too():
    rows = draft_worth.stacked([small("boosting"), small("net")])
    kinds = np.array([[0, RANDOM_DRAFTER, RANDOM_DRAFTER], [1, RANDOM_DRAFTER, RANDOM_DRAFTER]] * 5)
    drafts = make_drafts(GAME, rows, np.array([200, 200]), kinds, seed=1)
    held = ((drafts == 0) & (CONTINENT == 5)).sum(axis=1)
    assert (np.sort(drafts, axis=1) == np.sort(np.arange(42) % 3)).all() and held.mean() > 2.5  # 1.3 by chance


# -- files


def test_shipped_weights_have_their_card_and_refuse_other_rules():
    found = shipped(GAME)
    assert found.card.players == 3 and found.card.games >= 80_000 and found.card.learned_with
    assert found.card.measures["log_loss"] < found.card.measures["log_loss_of_turn_order_alone"] < np.log(3) + 0.01
    with pytest.raises(OptionError, match="other rules: cards escalating, not fixed"):
        found.check(Risk(cards="fixed"))


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_weights_are_shipped_for_every_number_of_seats(seats):
    game = Risk(players=seats, two_player="pure")
    found = shipped(game)
    assert found.card.players == seats and found.card.rules == draft_worth.rules_of(game) and found.card.games >= 80_000
    assert found.card.measures["log_loss"] < np.log(seats)
    if seats == 2:
        with pytest.raises(OptionError, match="two_player pure, not neutral"):
            found.check(Risk(players=2))


@pytest.mark.parametrize("kind", draft_worth.MODELS)
def test_every_model_is_written_and_read_again(tmp_path, kind):
    rng = np.random.default_rng(3)
    number = draft_worth.MODELS.index(kind)
    row = draft_fitting.blank(number)
    row[WEIGHTS : WEIGHTS + SIMPLE] = rng.normal(size=SIMPLE)
    if kind == "boosting":
        row = np.array([number, 1, 1, 0, HOLDS + 3, 0.5, -1.25, 0.75])
    elif kind == "net":
        row[draft_worth.SIZE] = 2
        row = np.concatenate([row, rng.normal(size=(FEATURES + 7) * 2)])
    file = tmp_path / "weights.json"
    Evaluation(row, CARD).save(file)
    found = Evaluation.load(file)
    assert found.kind == kind and found.row == pytest.approx(row, rel=1e-4, abs=1e-5)
    x = np.stack([described(owners) for owners in random_drafts(GAME, 3, 3)])
    assert predicted(found.row, x) == pytest.approx(predicted(row, x), abs=1e-3)


def test_a_file_of_weights_for_other_rules_is_refused_where_it_is_named(tmp_path):
    file = tmp_path / "weights.json"
    shipped(GAME).save(file)
    assert Evaluation.load(file).card.rules["players"] == 3
    with pytest.raises(OptionError, match="players 3, not 4"):
        stratagem.player(Risk(players=4), f"medium:draft={file}")
    broken = json.loads(file.read_text())
    broken["format"] = 9
    file.write_text(json.dumps(broken))
    with pytest.raises(ParseError, match="in format 9; this version reads format 2"):
        Evaluation.load(file)
    for text in (
        "{}",
        "[]",
        "",
        file.read_text().replace('"format": 9', '"format": 2').replace(": -0.", ': NaN, "x": -0.', 1),
    ):
        file.write_text(text)
        with pytest.raises(ParseError, match="does not hold weights"):
            Evaluation.load(file)
    with pytest.raises(OptionError, match="there are no weights at"):
        Evaluation.load(Path(tmp_path / "none.json"))


@pytest.mark.parametrize(
    "numbers",
    [[], [2.0], [2, 1, 1, 0, 500, 0.5, 1, 1], [2, 1, 1, 0, 3, 0.5, 1], [2, -1, 1, 0], [2, 1, 60, 0], [3, 2, 0, 0, 1]],
)
def test_trees_and_nets_that_are_none_are_refused(tmp_path, numbers):
    file = tmp_path / "weights.json"
    shipped(GAME).save(file)
    found = json.loads(file.read_text()) | {"kind": "net" if numbers[:1] == [3] else "boosting", "numbers": numbers}
    file.write_text(json.dumps(found))
    with pytest.raises(ParseError, match="does not hold weights"):
        Evaluation.load(file)


def test_a_row_filled_up_with_zeros_is_the_same_model():
    row = shipped(GAME).row
    wide = draft_worth.stacked([row, np.zeros(1000)])[0]
    owners = random_drafts(GAME, 1, 9)[0]
    one, other = np.zeros(3), np.zeros(3)
    by_weights(row, masks(owners), one)
    by_weights(wide, masks(owners), other)
    assert one == pytest.approx(other) and wide[KIND] == row[KIND]
