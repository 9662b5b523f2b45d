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
from stratagem.games.risk.draft_features import FEATURES, NAMES, PAPER, STEP, STEPS
from stratagem.games.risk.draft_worth import WEIGHTS, Evaluation, by_weights, predicted, shipped
from stratagem.games.risk.simulation import random_drafts

GAME = Risk(turn_cap=400)
CARD = shipped(GAME).card


def masks(owners: np.ndarray) -> np.ndarray:
    return draft_features.masks_of(owners[None, :], 3)[0]


def described(owners: np.ndarray) -> np.ndarray:
    x = np.zeros((3, FEATURES))
    draft_features.describe(masks(owners), x)
    return x


def slowly_described(owners: np.ndarray, p: int) -> dict[str, float]:
    """Features by name, from sets; those that are zero left out."""
    held = {q: {t for t in range(TERRITORIES) if owners[t] == q} for q in range(3)}
    mine, x = held[p], Counter({f"place {p + 1}": 1})
    for c, name in enumerate(draft_features.CONTINENT_IDS):
        counts = [sum(CONTINENT[t] == c for t in held[q]) for q in range(3)]
        rivals = [counts[q] for q in range(3) if q != p]
        x[f"{name} {counts[p]}"] += 1
        x["bonuses"] += BONUS[c] * (counts[p] == CONTINENT_SIZE[c])
        x["bonuses one short"] += BONUS[c] * (counts[p] == CONTINENT_SIZE[c] - 1)
        x["rivals' bonuses one short or whole"] += BONUS[c] * sum(k >= CONTINENT_SIZE[c] - 1 for k in rivals)
    for t in mine:
        x["border territories"] += any(n not in mine for n in NEIGHBOURS[t])
        x["border edges"] += sum(n not in mine for n in NEIGHBOURS[t])
        x["friendly pairs"] += sum(n in mine and n < t for n in NEIGHBOURS[t])
    x["enemy neighbours"] = len({n for t in mine for n in NEIGHBOURS[t]} - mine)
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
    assert sum(named[name] for name in NAMES[:STEPS]) == 6


def test_the_quick_utility_is_the_weights_times_the_features_up_to_one_number_for_all_seats():
    rng = np.random.default_rng(4)
    for kind, size in ((draft_worth.LINEAR, PAPER), (draft_worth.LOGISTIC, FEATURES)):
        row = draft_fitting.blank(kind)
        row[WEIGHTS : WEIGHTS + size] = rng.normal(size=size)
        for owners in random_drafts(GAME, 20, 5):
            x = described(owners)
            apart = [draft_worth.utility(row, masks(owners)[p], p) - row[WEIGHTS:] @ x[p] for p in range(3)]
            assert apart == pytest.approx([0.0 if kind == draft_worth.LINEAR else apart[0]] * 3, abs=1e-9)
            out = np.zeros(3)
            by_weights(row, masks(owners), out)
            assert out.sum() == pytest.approx(1) and out == pytest.approx(predicted(row, x[None])[0])


# -- fits


def steps(drafts: np.ndarray) -> np.ndarray:
    """Only how many territories of each continent are held."""
    x = np.zeros((len(drafts), 3, FEATURES))
    for p in range(3):
        for c in range(6):
            count = ((drafts == p) & (c == CONTINENT)).sum(axis=1)
            x[np.arange(len(drafts)), p, STEP[c] + count] = 1
    return x


def won_by(u: np.ndarray, seed: int) -> np.ndarray:
    """Winners drawn by the softmax of utilities."""
    return (u + np.random.default_rng(seed).gumbel(size=u.shape)).argmax(axis=1)


def test_linear_and_logistic_fits_find_what_made_the_winners():
    """Winners drawn by a known rule: who holds more of Australia. Both models see it."""
    drafts = random_drafts(GAME, 4000, 6)
    x = steps(drafts)
    winners = won_by(x[:, :, STEP[5] :][:, :, :5] @ np.arange(5), 6)
    for row in (draft_fitting.fit_linear(x, winners), draft_fitting.fit_logistic(x, winners)):
        found = row[WEIGHTS + STEP[5] :][:4]
        assert (np.diff(found) > 0.05).all()
        assert draft_worth.measures(row, x, winners)["log_loss"] < np.log(3) - 0.1


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
    row[WEIGHTS:] = rng.normal(size=FEATURES)
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
