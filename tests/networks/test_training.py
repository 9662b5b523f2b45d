"""Training, from games to weights. Slow, and only where the extra `train` is installed."""

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import stratagem
from stratagem.errors import StratagemError
from stratagem.networks import lift, load, networked
from stratagem.networks.features import columns_of
from stratagem.networks.plan import Recipe, TrainingCourse, TrainingPlan
from stratagem.networks.rounds import card_of, columned
from stratagem.networks.selfplay import Positions, keep_part, part_bytes, part_file, play_part, read_part

ROOT = Path(__file__).parents[2]
GAME = str(ROOT / "examples" / "domineering.py")
WITHOUT = "not installed (pip install 'stratagem[train]')"
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]
pytest.importorskip("pyarrow", reason=f"pyarrow is {WITHOUT}")
torch = pytest.importorskip("torch", reason=f"PyTorch is {WITHOUT}")

TINY = Recipe(games=24, depth=2, opening=3, solved=4, part=8)


def tiny(side=4):
    return stratagem.game(GAME, side=side)


def test_parts_are_always_the_same_and_read_as_written(tmp_path):
    game = tiny()
    found = play_part(game, TINY, 1)
    keep_part(tmp_path, 1, part_bytes(found))
    for again in (play_part(game, TINY, 1), read_part(tmp_path, 1, game.features_at_once)):
        assert all(np.array_equal(getattr(found, name), getattr(again, name)) for name in vars(found))
    assert len(found) and set(found.game) <= set(range(8, 16)) and set(found.result) <= {-1.0, 1.0}
    part_file(tmp_path, 1).write_bytes(part_file(tmp_path, 1).read_bytes()[:200])
    with pytest.raises(StratagemError, match="no whole part"):
        read_part(tmp_path, 1, game.features_at_once)


def made_up(game, count=3000):
    """Positions of noise whose value is a plain function of what is seen."""
    rng = np.random.default_rng(3)
    own = np.full((count, game.features_at_once), -1, np.int32)
    for row in own:
        on = rng.choice(game.feature_count, rng.integers(1, game.features_at_once), replace=False)
        row[: len(on)] = on
    result = np.array([np.tanh(0.4 * ((row >= 8).sum() - ((row >= 0) & (row < 8)).sum())) for row in own], np.float32)
    return Positions(own, own.copy(), result, result, np.arange(count, dtype=np.int32))


def test_a_network_learns_and_its_whole_numbers_say_nearly_the_same(tmp_path):
    from stratagem.networks.training import judged, train

    game, plan = (
        tiny(),
        TrainingPlan(GAME, {"side": 4}, course=TrainingCourse(passes=12, batch=128, dropped=0, decay=0)),
    )
    positions = made_up(game)
    model, said = train(positions, plan.shape(game), plan.course, tmp_path / "checkpoint.pt", lambda news: None)
    assert said[-1]["held"] < 0.02 < float(np.var(positions.result))
    network = model.whole(card_of(plan, game, 1, positions, said))
    networked(game, network)
    model.eval()
    seen = torch.from_numpy(np.where(positions.own < 0, game.feature_count, positions.own))
    exact = judged(model(seen)).detach().numpy()
    rough = [network.exact([int(f) for f in row if f >= 0])[0] / 8128 for row in positions.own[:500]]
    rough = np.array([x / np.sqrt(1 + x * x) for x in rough])
    assert np.abs(rough - exact[:500]).mean() < 0.02


def test_training_that_was_stopped_ends_as_if_it_had_not_been(tmp_path):
    from stratagem.networks.training import train

    game, plan = tiny(), TrainingPlan(GAME, {"side": 4}, course=TrainingCourse(passes=4, batch=256))
    positions, shape = made_up(game, 600), plan.shape(tiny())

    def stop_at(number):
        def say(news):
            if news["pass"] == number:
                raise KeyboardInterrupt

        return say

    whole, _ = train(positions, shape, plan.course, tmp_path / "whole.pt", stop_at(None))
    for number in (1, 3):
        with pytest.raises(KeyboardInterrupt):
            train(positions, shape, plan.course, tmp_path / "stopped.pt", stop_at(number))
    stopped, said = train(positions, shape, plan.course, tmp_path / "stopped.pt", stop_at(None))
    assert [one["pass"] for one in said] == [1, 2, 3, 4]
    assert all(
        torch.equal(x, y) for x, y in zip(whole.state_dict().values(), stopped.state_dict().values(), strict=True)
    )
    (tmp_path / "stopped.pt").write_bytes(b"torn")
    with pytest.raises(StratagemError, match="cannot be read"):
        train(positions, shape, plan.course, tmp_path / "stopped.pt", stop_at(None))


def test_values_that_are_no_numbers_and_features_out_of_range_are_reported(tmp_path):
    from stratagem.networks.training import train

    game, plan = tiny(), TrainingPlan(GAME, {"side": 4}, recipe=replace(TINY, games=8))
    positions = made_up(game, 100)
    spoilt = replace(positions, result=np.where(positions.game == 7, np.nan, positions.result).astype(np.float32))
    with pytest.raises(StratagemError, match="no finite value"):
        train(spoilt, plan.shape(game), plan.course, tmp_path / "checkpoint.pt", lambda news: None)
    with pytest.raises(StratagemError, match="went astray"):
        train(
            positions,
            plan.shape(game),
            TrainingCourse(rate=1e30, batch=16),
            tmp_path / "checkpoint.pt",
            lambda news: None,
        )
    assert not (tmp_path / "checkpoint.pt").exists()
    strange = replace(positions, own=np.where(positions.own == 3, 999, positions.own))
    (tmp_path / "round-1").mkdir()
    keep_part(tmp_path / "round-1", 0, part_bytes(strange))
    with pytest.raises(StratagemError, match="feature 999"):
        columned(game, plan, tmp_path, 1)


# ------------------------------------------------------------------------------------------------------------- the command


def command(folder, *more):
    return [sys.executable, "-m", "stratagem", "train", GAME, "-o", "side=4", "--folder", str(folder), *more]


SMALL = shlex.split(
    "--games 120 --part 2 --rounds 1 --depth 2 --opening 3 --passes 6 --batch 64 --pairs 4 --seconds 0.01"
)


def children(process):
    """The processes that one has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == process:
            found.append(int(stat.parent.name))
    return found


def as_it_stands(folder):
    """What lies in a folder, and when each file was written last."""
    found = {}
    for file in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # it was there a moment ago
            found[file] = file.stat().st_mtime_ns
    return {file: at for file, at in found.items() if file.name != "lock"}


@pytest.mark.timeout(900)
def test_ten_kills_lose_nothing_and_count_nothing_twice(tmp_path):
    """Trainer and workers are killed whenever something new lies in the folder; what comes out is what comes out undisturbed."""
    environment = {**os.environ, "STRATAGEM_QUIET": "1", "OMP_NUM_THREADS": "1"}
    undisturbed, killed = tmp_path / "undisturbed", tmp_path / "killed"
    subprocess.run(command(undisturbed, *SMALL, "--workers", "2"), check=True, env=environment, capture_output=True)
    draws, kills = np.random.default_rng(7), 0
    while kills < 10:
        before = as_it_stands(killed)
        process = subprocess.Popen(
            command(killed, *SMALL, "--workers", "2"), env=environment, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        while process.poll() is None and as_it_stands(killed) == before:
            time.sleep(0.01)
        if kills % 3 == 1 and process.poll() is None:  # a worker first, which the trainer must get over
            for child in children(process.pid)[-1:]:
                os.kill(child, signal.SIGKILL)
            time.sleep(0.2)
        time.sleep(float(draws.uniform(0, 0.1)))
        assert process.poll() is None, "it was over before ten kills: give it more to do"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        kills += 1
    subprocess.run(command(killed, *SMALL, "--workers", "2"), check=True, env=environment, capture_output=True)
    width = tiny().features_at_once
    for number in range(60):
        one, other = (read_part(folder / "round-1", number, width) for folder in (undisturbed, killed))
        assert set(one.game) <= {2 * number, 2 * number + 1}
        assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in vars(one))
    games = [read_part(killed / "round-1", number, width).game for number in range(60)]
    assert len(set(np.concatenate(games))) > 100  # few games are over before anybody searches
    one, other = (load(folder / "round-1" / "network.safetensors") for folder in (undisturbed, killed))
    assert one.card == other.card
    assert all(np.array_equal(one.tensors()[name], x) for name, x in other.tensors().items())


def test_the_page_trains_a_network_for_a_game_of_ones_own(tmp_path):
    """The command that the page prints, as it stands there."""
    page = (ROOT / "docs" / "networks.md").read_text()
    (printed,) = re.findall(r"^stratagem (train examples/domineering\.py .*)$", page, re.M)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    found = subprocess.run(
        [sys.executable, "-m", "stratagem", *printed.split()], cwd=tmp_path, capture_output=True, text=True, timeout=280,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    reported = json.loads(found.stdout)
    folder = tmp_path / "domineering-network"
    assert (folder / "curves.svg").read_text().startswith("<svg")
    weights = folder / "round-1" / "network.safetensors"
    game = stratagem.game(GAME)
    assert load(weights).shape.features == int(columns_of(game).max()) + 1
    player = stratagem.player(game, f"network:weights={weights},depth=3")
    assert player.choose(game.start(), stratagem.Clock()).move in game.start().moves()
    assert lift(player.game, game.start()).moves() == game.start().moves()
    if reported["network"]:
        card = json.loads((folder / "card.json").read_text())
        assert card["command"] and card["games"] and card["plan"]["recipe"]["seed"] == 1


# ------------------------------------------------------------------------------------------------------------- a cluster


def hosts_below(process):
    """The processes of a cluster that play parts and descend from one, and from no other on the machine."""
    found = []
    for child in children(process):
        with contextlib.suppress(OSError):
            if Path(f"/proc/{child}/cmdline").read_bytes().startswith(b"ray::Host"):
                found.append(child)
        found += hosts_below(child)
    return found


@pytest.mark.timeout(600)
def test_parts_from_a_cluster_are_those_of_home_though_a_worker_is_killed(tmp_path, monkeypatch):
    pytest.importorskip("ray", reason="Ray is not installed (pip install 'stratagem[cluster]')")
    from stratagem.cli.train_network import on_cluster
    from stratagem.networks.rounds import Means, play_missing
    from stratagem.networks.selfplay import missing

    monkeypatch.setenv("STRATAGEM_QUIET", "1")
    plan = TrainingPlan(GAME, {"side": 4}, recipe=replace(TINY, games=60, part=2))
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    away.mkdir()
    for number in range(plan.recipe.parts):
        keep_part(home, number, part_bytes(play_part(tiny(), plan.recipe, number)))
    killed = []

    def tell(step, news):
        if not killed and (hosts := hosts_below(os.getpid())):
            os.kill(hosts[0], signal.SIGKILL)
            killed.append(hosts[0])

    play_missing(plan, plan.recipe, away, None, Means(stratagem.game, None, tell=tell, spread=on_cluster("local", 2)))
    assert killed and not missing(away, plan.recipe)
    for number in range(plan.recipe.parts):
        assert part_file(away, number).read_bytes() == part_file(home, number).read_bytes()
    assert sorted(file.name for file in away.iterdir()) == sorted(file.name for file in home.iterdir())


# ----------------------------------------------------------------------------------------------- policies, and playouts


def test_a_policy_learns_the_visits_of_tree_search_and_the_next_round_plays_by_it(tmp_path):
    from stratagem.networks.training import train

    game = stratagem.game("connect4")
    recipe = Recipe(games=12, part=12, opening=4, solved=12, by="mcts", simulations=60)
    plan = TrainingPlan(
        "connect4", recipe=recipe, width=8, hidden=4, views=2, course=TrainingCourse(passes=30, batch=64, dropped=0)
    )
    found = play_part(game, recipe, 0)
    assert found.policy is not None and np.allclose(found.policy.sum(axis=1), 1) and (found.policy >= 0).all()
    keep_part(tmp_path, 0, part_bytes(found))
    again = read_part(tmp_path, 0, game.features_at_once)
    assert np.array_equal(again.policy, found.policy) and np.array_equal(again.result, found.result)
    (tmp_path / "round-1").mkdir()
    keep_part(tmp_path / "round-1", 0, part_bytes(found))
    positions = columned(game, plan, tmp_path, 1)
    assert len(positions) == 2 * len(found)  # mirror images
    assert np.array_equal(positions.policy[len(found) :], found.policy[:, ::-1])
    model, said = train(positions, plan.shape(game), plan.course, tmp_path / "checkpoint.pt", lambda news: None)
    assert said[-1]["error"] < said[0]["error"]
    network = model.whole(card_of(plan, game, 1, positions, said))
    assert network.shape.policy == 7
    second = play_part(game, replace(recipe, games=2, part=2), 0, network)
    assert len(second) and np.allclose(second.policy.sum(axis=1), 1)
    with pytest.raises(StratagemError, match="do not say which of 7"):
        train(replace(positions, policy=None), plan.shape(game), plan.course, tmp_path / "x.pt", lambda news: None)


def test_positions_near_the_end_have_the_values_of_the_solver():
    game = stratagem.game("connect4")
    recipe = Recipe(games=8, part=8, opening=12, solved=30, by="mcts", simulations=200)
    found = play_part(game, recipe, 0)
    assert set(found.result) <= {-1.0, 0.0, 1.0} and len(found) > 8
    # a position whose search has proven it says what the solver says
    sure = np.abs(found.searched) == 1.0
    assert sure.any() and (found.searched[sure] == found.result[sure]).all()


def test_races_of_robots_are_played_by_playouts_and_seen_from_both_sides():
    game = stratagem.game("roborally", robots=2)
    found = play_part(game, Recipe(games=6, part=6, by="playouts"), 0)
    again = play_part(game, Recipe(games=6, part=6, by="playouts"), 0)
    assert np.array_equal(found.own, again.own) and np.array_equal(found.result, again.result)
    for number in range(6):
        rows = np.flatnonzero(found.game == number)
        half = len(rows) // 2
        assert half > 3 and np.array_equal(found.own[rows[:half]], found.other[rows[half:]])
        assert (found.result[rows[:half]] == -found.result[rows[half:]]).all()
