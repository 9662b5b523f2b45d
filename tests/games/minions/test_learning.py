"""Learning Minions, from games to weights. Slow, and only where the extra `train` is installed."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from stratagem.errors import OptionError, StratagemError
from stratagem.games.minions.engine.worth import COUNT, fitted_weights
from stratagem.games.minions.networks.learning import Means, MinionsPlan, learn, play_missing
from stratagem.games.minions.networks.oracle import SHAPE, check_fits
from stratagem.games.minions.networks.records import SelfPlay, play_part, record_bytes
from stratagem.games.minions.networks.sights import KIND, Sights, all_sights
from stratagem.networks.evaluator import ONE
from stratagem.networks.plan import TrainingCourse
from stratagem.networks.selfplay import keep_part
from stratagem.networks.weights import load

WITHOUT = "not installed (pip install 'stratagem[train]')"
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]
pytest.importorskip("pyarrow", reason=f"pyarrow is {WITHOUT}")
torch = pytest.importorskip("torch", reason=f"PyTorch is {WITHOUT}")

QUICK = SelfPlay(games=4, part=2, visits=6, opening=10)


def quiet(step, news):
    pass


def made_up(count=4000):
    """Rows of noise in which a feature says who wins, which the fitted weights do not know."""
    rng = np.random.default_rng(3)
    seen = np.sort(rng.integers(100, 300, (count, 12)), axis=1).astype(np.int16)
    known = rng.random(count) < 0.5
    seen[:, 0] = np.where(known, 7, 8)
    won = np.where(rng.random(count) < np.where(known, 0.9, 0.1), 1.0, -1.0).astype(np.float32)
    x = rng.normal(0, 0.1, (count, COUNT)).astype(np.float32)
    return Sights(
        seen.ravel(),
        np.full(count, 12, np.int16),
        x,
        won,
        won,
        np.ones(count, np.bool_),
        np.arange(count, dtype=np.int32),
    )


def test_a_network_learns_what_the_weights_do_not_know_and_its_whole_numbers_say_the_same(tmp_path):
    from stratagem.games.minions.networks.oracle_training import fitted

    course, sights = TrainingCourse(passes=6, batch=64, dropped=0.0, searched=0.0), made_up()
    model, said = fitted(sights, fitted_weights(), course, tmp_path / "checkpoint.pt", quiet, "cpu")
    assert said[-1]["held"] < 0.52 < 0.65 < said[-1]["scaled"] <= said[-1]["engine"]
    network = model.whole({})
    model.eval()
    rows = sights.padded()[:300].astype(np.int64)
    exact = model(torch.from_numpy(rows))[:, 0].detach().numpy()
    rough = np.array([network.exact(row.tolist())[0] / ONE for row in rows])
    assert np.abs(rough - exact).mean() < 0.1


def test_training_that_was_stopped_ends_as_if_it_had_not_been(tmp_path):
    from stratagem.games.minions.networks.oracle_training import fitted

    course, sights = TrainingCourse(passes=4, batch=256), made_up(1000)

    def stop_at(number):
        def tell(step, news):
            if news["pass"] == number:
                raise KeyboardInterrupt

        return tell

    whole, _ = fitted(sights, fitted_weights(), course, tmp_path / "whole.pt", quiet, "cpu")
    for number in (1, 3):
        with pytest.raises(KeyboardInterrupt):
            fitted(sights, fitted_weights(), course, tmp_path / "stopped.pt", stop_at(number), "cpu")
    stopped, said = fitted(sights, fitted_weights(), course, tmp_path / "stopped.pt", quiet, "cpu")
    assert [one["pass"] for one in said] == [1, 2, 3, 4]
    assert all(
        torch.equal(x, y) for x, y in zip(whole.state_dict().values(), stopped.state_dict().values(), strict=True)
    )
    (tmp_path / "stopped.pt").write_bytes(b"torn")
    with pytest.raises(StratagemError, match="cannot be read"):
        fitted(sights, fitted_weights(), course, tmp_path / "stopped.pt", quiet, "cpu")


def test_values_that_are_no_numbers_and_features_out_of_range_are_reported(tmp_path):
    from stratagem.games.minions.networks.oracle_training import fitted

    sights = made_up(200)
    spoilt = replace(sights, result=np.where(sights.game == 7, np.nan, sights.result).astype(np.float32))
    with pytest.raises(StratagemError, match="no finite value"):
        fitted(spoilt, fitted_weights(), TrainingCourse(), tmp_path / "checkpoint.pt", quiet, "cpu")
    with pytest.raises(StratagemError, match="went astray"):
        fitted(sights, fitted_weights(), TrainingCourse(rate=1e30, batch=16), tmp_path / "checkpoint.pt", quiet, "cpu")
    keep_part(tmp_path, 0, record_bytes(play_part(QUICK, 0)))
    found = all_sights(tmp_path, 1, quiet)
    kept = KIND.file(tmp_path / "part-00000.parquet")
    again = {name: getattr(found, name) for name in vars(found)}
    with np.load(kept) as stored:
        version = stored["version"]
    np.savez_compressed(kept, version=version, **{**again, "seen": again["seen"] + np.int16(SHAPE.features)})
    with pytest.raises(StratagemError, match="is out of range"):
        all_sights(tmp_path, 1, quiet)
    kept.write_bytes(b"torn")
    assert np.array_equal(all_sights(tmp_path, 1, quiet).seen, found.seen)  # made anew


def test_a_folder_belongs_to_one_recipe_and_a_network_to_one_course(tmp_path):
    plan = MinionsPlan("minions", recipe=QUICK, taught={"passes": 1, "batch": 32})
    learn(plan, tmp_path, Means(None, device="cpu"))
    check_fits(load(tmp_path / "round-1" / "oracle.safetensors"))
    with pytest.raises(StratagemError, match="begun with another plan"):
        learn(replace(plan, recipe=replace(QUICK, visits=7)), tmp_path, Means(None, device="cpu"))
    (tmp_path / "round-1" / "oracle.safetensors").unlink()
    with pytest.raises(StratagemError, match="with another course"):
        learn(replace(plan, taught={"passes": 2}), tmp_path, Means(None, device="cpu"))
    with pytest.raises(OptionError, match="'owl' is no network of minions"):
        replace(plan, networks=("owl",))


# ------------------------------------------------------------------------------------------------------------- the command

SMALL = shlex.split(
    "--games 40 --part 1 --visits 4 --opening 12 --passes 4 --batch 64 --pairs 2 --seconds 0.01 --device cpu"
)


def command(folder):
    return [sys.executable, "-m", "stratagem", "train", "minions", *SMALL, "--workers", "2", "--folder", str(folder)]


def count_of(folder):
    """How many files lie in a folder."""
    return sum(1 for file in folder.rglob("*") if file.suffix != ".unfinished")


@pytest.mark.timeout(900)
def test_ten_kills_lose_nothing_and_count_nothing_twice(tmp_path):
    """Trainer and workers are killed as the folder fills, while games are played, looked at and learned from; what comes out is
    what comes out undisturbed."""
    environment = {**os.environ, "STRATAGEM_QUIET": "1", "OMP_NUM_THREADS": "1"}
    undisturbed, killed = tmp_path / "undisturbed", tmp_path / "killed"
    done = subprocess.run(command(undisturbed), check=True, env=environment, capture_output=True, text=True)
    assert json.loads(done.stdout)["oracle"]["last pass"]["pass"] == 4
    assert (undisturbed / "curves.svg").read_text().startswith("<svg")
    draws = np.random.default_rng(7)
    for kill in range(10):
        process = subprocess.Popen(
            command(killed),
            env=environment,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while process.poll() is None and count_of(killed) < 5 + 9 * kill:  # 86 in the end: the weights are there
            time.sleep(0.01)
        time.sleep(float(draws.uniform(0, 0.2)))
        assert process.poll() is None, "it was over before ten kills: give it more to do"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run(command(killed), check=True, env=environment, capture_output=True)
    parts = sorted(file.name for file in Path(undisturbed / "round-1").glob("part-*.parquet"))
    assert len(parts) == 40
    for name in parts:
        assert (undisturbed / "round-1" / name).read_bytes() == (killed / "round-1" / name).read_bytes()
    one, other = (load(folder / "round-1" / "oracle.safetensors") for folder in (undisturbed, killed))
    assert one.card == other.card
    assert all(np.array_equal(one.tensors()[name], x) for name, x in other.tensors().items())


@pytest.mark.timeout(600)
def test_parts_from_a_cluster_are_those_of_home(tmp_path, monkeypatch):
    pytest.importorskip("ray", reason="Ray is not installed (pip install 'stratagem[cluster]')")
    from stratagem.cli.train_network import on_cluster

    monkeypatch.setenv("STRATAGEM_QUIET", "1")
    home, away = tmp_path / "home", tmp_path / "away"
    for place in (home, away):
        place.mkdir()
    recipe = replace(QUICK, games=2, part=1)
    play_missing(recipe, home, {}, Means(None))
    play_missing(recipe, away, {}, Means(None, spread=on_cluster("local", 1)))
    assert [file.name for file in sorted(away.iterdir())] == [f"part-{k:05}.parquet" for k in range(2)]
    for file in home.iterdir():
        assert (away / file.name).read_bytes() == file.read_bytes()
