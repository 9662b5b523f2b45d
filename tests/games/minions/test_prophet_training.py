"""Training of the prophet; needs the extra `train`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

WITHOUT = "in the extra train, which is not installed here"
pytest.importorskip("pyarrow", reason=f"pyarrow is {WITHOUT}")
torch = pytest.importorskip("torch", reason=f"PyTorch is {WITHOUT}")

from stratagem.errors import StratagemError  # noqa: E402
from stratagem.games.minions.networks import targets  # noqa: E402
from stratagem.games.minions.networks.prophet import Vision, load, save  # noqa: E402
from stratagem.games.minions.networks.prophet_model import MIRROR, Batch, Model, likelihoods  # noqa: E402
from stratagem.games.minions.networks.prophet_training import (  # noqa: E402
    USUAL,
    by_frequency,
    learn,
    log_loss,
    measures,
    on_device,
    prepare,
    train,
)
from stratagem.games.minions.networks.records import SelfPlay, play_game, record_bytes  # noqa: E402
from stratagem.games.minions.networks.seers import Eyes  # noqa: E402
from stratagem.games.minions.networks.targets import SMALL, Lessons, lessons_from  # noqa: E402
from stratagem.networks.selfplay import keep_part  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")
COURSE = replace(USUAL, passes=2, batch=8, held=2)


@pytest.fixture(scope="module")
def played():
    return play_game(SelfPlay(games=2, part=2, visits=4, opening=40, astray=0.5), 5)[-16:]


@pytest.fixture(scope="module")
def lessons(played) -> Lessons:
    rows = [replace(row, game=k % 4) for k, row in enumerate(played)]
    return lessons_from(rows)


def test_the_model_of_training_says_what_the_kernels_say(played, lessons: Lessons):
    torch.manual_seed(3)
    model = Model(SMALL)
    said = model.on(Batch(on_device(lessons, "cpu"), torch.arange(len(lessons.game)), False))
    vision = Vision.of(SMALL, model.numbers(), {})
    for k in range(0, len(played), 5):
        record = played[k]
        n = record.config.boards
        eyes = Eyes(targets.Examiner(record.config).staging, vision, "cpu")
        answer = eyes.say(record.position)
        hexes = answer.hexes if record.mover == 0 else answer.hexes[:, ::-1]
        for mine, other in ((said[0][k, :n], hexes), (said[1][k, :n], answer.boards)):
            np.testing.assert_allclose(mine.detach().numpy(), other, rtol=1e-3, atol=1e-4)


def test_a_mirrored_batch_is_the_batch_mirrored(lessons: Lessons):
    rows = torch.arange(len(lessons.game))
    plain, mirrored = (Batch(on_device(lessons, "cpu"), rows, flag) for flag in (False, True))
    for name in ("stands", "tiles", "patterns"):
        assert torch.equal(getattr(plain, name)[..., MIRROR], getattr(mirrored, name)), name
    assert torch.equal(plain.reached[..., MIRROR, :], mirrored.reached)
    assert not torch.equal(plain.stands, mirrored.stands)


def test_how_likely_a_way_to_fight_is_sums_over_prophecies(lessons: Lessons):
    shape = replace(SMALL, prophecies=2)
    batch = Batch(on_device(lessons, "cpu"), torch.arange(4), False)
    draws = torch.Generator().manual_seed(1)
    hexes = torch.randn((4, targets.MOST_BOARDS, 100, shape.hex_out), generator=draws)
    boards = torch.randn((4, targets.MOST_BOARDS, shape.board_out), generator=draws)
    found = likelihoods(shape, hexes, boards, batch)
    stands, pattern = batch.stands[0, 0], batch.patterns[0, 0, 0]
    total = 0.0
    for k in range(2):
        chance = float(torch.softmax(boards[0, 0, :2], 0)[k])
        for h in range(100):
            if stands[h] > 0:
                p = float(torch.sigmoid(hexes[0, 0, h, k if stands[h] > 33 else 2 + k]))
                chance *= p if pattern[h] else 1 - p
        total += chance
    assert float(found[0, 0, 0]) == pytest.approx(np.log(total), rel=1e-4)


def test_training_goes_on_after_a_stop_as_if_there_had_been_none(lessons: Lessons, tmp_path: Path):
    whole, said = learn(lessons, SMALL, COURSE, tmp_path / "whole.pt", lambda news: None)
    with pytest.raises(KeyboardInterrupt):
        learn(lessons, SMALL, COURSE, tmp_path / "other.pt", _stop_after(1))
    again, said_again = learn(lessons, SMALL, COURSE, tmp_path / "other.pt", lambda news: None)
    assert said == said_again and len(said) == COURSE.passes
    assert said[-1]["error"] < said[0]["error"]
    assert all(torch.equal(x, y) for x, y in zip(whole.parameters(), again.parameters(), strict=True))
    (tmp_path / "other.pt").write_bytes(b"nothing")
    with pytest.raises(StratagemError, match="cannot be read"):
        learn(lessons, SMALL, COURSE, tmp_path / "other.pt", lambda news: None)


def _stop_after(passes: int):
    def say(news):
        if news["pass"] >= passes:
            raise KeyboardInterrupt

    return say


def test_what_is_no_number_is_refused(lessons: Lessons, tmp_path: Path):
    spoiled = lessons._replace(weights=np.where(np.arange(3)[:, None] == 1, np.nan, lessons.weights))
    with pytest.raises(StratagemError, match="weights that are no numbers"):
        learn(spoiled, SMALL, COURSE, tmp_path / "a.pt", lambda news: None)
    wild = replace(COURSE, rate=1e30, passes=3)
    with pytest.raises(StratagemError, match="training went astray in pass"):
        learn(lessons, SMALL, wild, tmp_path / "b.pt", lambda news: None)


def test_a_rule_is_measured_by_the_frequencies_where_it_says_the_same():
    said, true = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 1.0, 1.0])
    assert by_frequency(said, true).tolist() == [0.5, 0.5, 1.0, 1.0]
    assert log_loss(np.array([0.5, 0.5]), np.array([0.0, 1.0])) == pytest.approx(np.log(2))


def test_a_network_from_records_has_its_measures_in_its_card(played, tmp_path: Path):
    rows = [replace(row, game=k % 4) for k, row in enumerate(played)]
    keep_part(tmp_path, 0, record_bytes(rows))
    reported = []
    prepare(tmp_path, 1, lambda step, news: reported.append(step))
    assert [*tmp_path.glob("*.prophet.npz")]
    course = replace(USUAL, passes=1, batch=32, held=USUAL.held)
    found = train(tmp_path, course, tmp_path / "prophet.pt", lambda step, news: reported.append(step), "cpu")
    assert reported == ["looking", "training of the prophet"]
    save(found, tmp_path / "prophet.safetensors")
    card = load(tmp_path / "prophet.safetensors").card
    assert card["turns"] == len(rows) and card["games"] == 4 and len(card["passes"]) == 1


def test_measures_compare_with_the_script(lessons: Lessons):
    found = measures(Model(SMALL), lessons, 2, "cpu")
    assert found["turns"] == (lessons.game % 2 == 1).sum()
    for what in ("removals", "own units that fight"):
        of_script = found[f"{what}, log loss of the script"]
        assert 0 <= of_script <= found[f"{what}, log loss of their frequency"] + 1e-6
        assert found[f"{what}, log loss"] > 0


def test_a_folder_without_records_says_so(tmp_path: Path):
    with pytest.raises(StratagemError, match="there are no parts of self-play"):
        prepare(tmp_path, 1, lambda step, news: None)
