"""The same games on a Ray cluster: in several local nodes, while workers and nodes are killed, and without a cluster at all."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stratagem.arena.cluster import check_address, each
from stratagem.arena.config import Config
from stratagem.arena.playing import play_game, replay
from stratagem.arena.runner import Progress, open_match, run_match
from stratagem.errors import OptionError, StratagemError
from stratagem.store.sqlite import CRASH, OVER, TIME, Played, Store

AUCTION = str(Path(__file__).parents[1] / "toys" / "auction.py")
NO_RAY = "Ray is not installed (pip install 'stratagem[cluster]')"


class Nodes:
    """A cluster of several nodes on this machine, in a process of its own."""

    def __init__(self, count: int, cores: int) -> None:
        program = (
            "import sys, time\n"
            "from ray.cluster_utils import Cluster\n"
            "c = Cluster(initialize_head=True, head_node_args={'num_cpus': 0, 'include_dashboard': False})\n"
            f"nodes = [c.add_node(num_cpus={cores}) for _ in range({count})]\n"
            "c.wait_for_nodes()\n"
            "print(c.address, *[n.all_processes['raylet'][0].process.pid for n in nodes], flush=True)\n"
            "for line in sys.stdin:\n"
            f"    n = c.add_node(num_cpus={cores})\n"
            "    print(n.all_processes['raylet'][0].process.pid, flush=True)\n"
            "c.shutdown()\n"
        )
        for _ in range(5):  # Ray gives a node half a minute to start, which a busy machine may not have
            self.process = subprocess.Popen(
                [sys.executable, "-c", program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            assert self.process.stdout is not None
            if reported := self.process.stdout.readline().split():
                break
        self.address, *raylets = reported
        self.raylets = [int(pid) for pid in raylets]

    def replace(self, raylet: int) -> None:
        """kill -9 of a node, and a new one in its place."""
        os.kill(raylet, signal.SIGKILL)
        self.raylets.remove(raylet)
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.raylets.append(int(self.process.stdout.readline()))

    def hosts(self) -> list[int]:
        """The processes in which games are played: children of this cluster's own nodes, and of no other on the machine."""
        found = []
        for raylet in self.raylets:
            listed = subprocess.run(["pgrep", "-P", str(raylet)], capture_output=True, text=True).stdout
            for pid in map(int, listed.split()):
                with contextlib.suppress(OSError):
                    if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::Host"):
                        found.append(pid)
        return found

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    pytest.importorskip("ray", reason=NO_RAY)
    found = Nodes(2, 1)
    yield found
    found.close()


def played_at_home(config: Config) -> dict[int, tuple[Any, ...]]:
    found = [play_game(config, config.task(number)) for number in range(config.total)]
    return {
        game.number: (list(game.seats), [move.text for move in game.moves]) for game in found if game.number is not None
    }


def on_cluster(folder: Path, config: Config, address: str, watch: Any = None) -> dict[int, tuple[Any, ...]]:
    with Store(folder / "cluster.sqlite") as store:
        match = open_match(store, config, "m", resume=False)
        run_match(store, match, cluster=address, watch=watch)
        games = list(store.games(match.id))
        assert sorted(game.number for game in games) == list(range(config.total))
        for game in games:
            replay(game)
        return {game.number: (game.seats, game.texts) for game in games}


@pytest.mark.slow
def test_games_on_two_nodes_are_those_at_home(nodes: Nodes, tmp_path: Path) -> None:
    config = Config("pig", ("random", "random:seed=1"), {"target": 30}, games=200, seed=9)
    assert on_cluster(tmp_path, config, nodes.address) == played_at_home(config)


@pytest.mark.slow
def test_players_that_hang_or_die_on_a_node_lose_there(nodes: Nodes, tmp_path: Path) -> None:
    names = ("highest", "hang:after=1", "die:after=1")
    config = Config(AUCTION, names, {"players": 2}, games=4, format="gauntlet", patience=4.0, grace=1.0, first_move=0.0)
    with Store(tmp_path / "games.sqlite") as store:
        match = open_match(store, config, "m", resume=False)
        run_match(store, match, cluster=nodes.address)
        for game in store.games(match.id):
            other = next(name for name in game.seats if name != "highest")
            assert game.result is not None and game.result.seat == game.seats.index(other)
            assert game.result.reason == {"hang": TIME, "die": CRASH}[other.partition(":")[0]]


def killed_again_and_again(nodes: Nodes, folder: Path, games: int, kills: int) -> None:
    """Hosts and whole nodes are killed while a match is played: every game is there once, and as it would be at home."""
    config = Config(AUCTION, ("dawdle:ms=2", "dawdle:ms=2,seed=1"), {"players": 2}, games=games, seed=3)
    draws, killed = random.Random(7), []

    def watch(progress: Progress, fresh: list[Played]) -> None:
        due = (len(killed) + 1) * games // (kills + 1)
        if progress.done >= due and len(killed) < kills:
            hosts = nodes.hosts()
            if len(killed) % 3 == 2 or not hosts:
                nodes.replace(draws.choice(nodes.raylets))
            else:
                os.kill(draws.choice(hosts), signal.SIGKILL)
            killed.append(time.monotonic())

    found = on_cluster(folder, config, nodes.address, watch)
    assert len(killed) == kills
    assert {number: seats for number, (seats, _) in found.items()} == {
        number: list(config.task(number).seats) for number in range(games)
    }
    for number in range(0, games, max(1, games // 10)):
        again = play_game(config, config.task(number))
        assert found[number][1] == [move.text for move in again.moves] and again.result.reason == OVER


@pytest.mark.slow
def test_killing_hosts_and_nodes_loses_and_doubles_nothing(nodes: Nodes, tmp_path: Path) -> None:
    killed_again_and_again(nodes, tmp_path, 200, 3)


@pytest.mark.slow
def test_a_cluster_that_goes_away_is_reported_in_a_line_and_the_match_resumes(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason=NO_RAY)
    gone = Nodes(1, 1)
    config = Config(AUCTION, ("dawdle:ms=2", "dawdle:ms=2,seed=1"), {"players": 2}, games=400)
    with Store(tmp_path / "games.sqlite") as store:
        match = open_match(store, config, "m", resume=False)

        def watch(progress: Progress, fresh: list[Played]) -> None:
            if progress.done >= 20 and gone.process.poll() is None:
                gone.close()

        with pytest.raises(StratagemError, match="go on with --resume"):
            run_match(store, match, cluster=gone.address, watch=watch)
        done = len(store.numbers(match.id))
        assert 20 <= done < 400
        run_match(store, match, workers=2)
        assert store.numbers(match.id) == set(range(400))


@pytest.mark.slow
def test_questions_one_a_line_are_answered_in_their_order(nodes: Nodes) -> None:
    items = list(range(100))
    assert list(each(nodes.address, None, "builtins:pow", (2,), items)) == [2**k for k in items]


@pytest.mark.slow
def test_a_batch_on_a_cluster_is_answered_as_at_home(nodes: Nodes) -> None:
    lines = '{"id": 7, "position": "XX_OO____"}\n{"moves": ["a1"]}\n9\n\n'
    for command in ("solve", "analyse"):
        reported = []
        for more in ([], ["--cluster", nodes.address]):
            done = subprocess.run(
                [sys.executable, "-m", "stratagem", command, "tictactoe", "-", "--moves", "b2", *more],
                input=lines,
                capture_output=True,
                text=True,
                timeout=250,
            )
            assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr
            answers = [json.loads(line) for line in done.stdout.splitlines()]
            reported.append(
                [{k: a.get(k) for k in ("id", "position", "moves", "value", "best", "error")} for a in answers]
            )
        assert reported[0] == reported[1] and len(reported[0]) == 4


# ------------------------------------------------------------------------------- tables and training, spread in parts


@pytest.fixture
def checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """As somebody who runs benchmarks: at the root of a checkout."""
    root = Path(__file__).parents[2]
    monkeypatch.chdir(root)
    monkeypatch.syspath_prepend(str(root))


def options(results: Path, cluster: str | None, **more: Any) -> argparse.Namespace:
    given = {"results": results, "cluster": cluster, "workers": None, "limit": math.inf, "table": False}
    return argparse.Namespace(**{**given, **more})


def without_times(found: Any) -> Any:
    if isinstance(found, dict):
        return {name: without_times(value) for name, value in found.items() if name != "cpu"}
    return found


@pytest.mark.slow
def test_risks_table_in_parts_on_a_cluster_is_that_at_home(checkout: None, nodes: Nodes, tmp_path: Path) -> None:
    from benchmarks.experiments import run
    from benchmarks.strength import risk

    tasks = [(3, 1, first, 30) for first in (0, 30, 60)]
    spread = run(risk.ladder, tasks, options(tmp_path / "spread", nodes.address))
    assert sorted(spread) == tasks
    home = risk.ladder(3, 1, 0, 90)
    for count in ("games", "won", "undecided"):
        assert sum(row[count] for row in spread.values()) == home[count]
    assert without_times(spread[3, 1, 30, 30]) == without_times(risk.ladder(3, 1, 30, 30))
    lines = (tmp_path / "spread").read_text().splitlines(keepends=True)
    (tmp_path / "spread").write_text("".join(lines[:2]))  # as if it had been stopped there
    again = run(risk.ladder, tasks, options(tmp_path / "spread", nodes.address))
    assert without_times(again) == without_times(spread)
    assert len((tmp_path / "spread").read_text().splitlines()) == 3, "what was done is not done again"


@pytest.mark.slow
def test_roborallys_games_on_a_cluster_are_those_at_home(checkout: None, nodes: Nodes) -> None:
    from benchmarks.spread import on_cluster
    from benchmarks.strength import roborally

    row = roborally.Row("own", "greedy", "random", 4)
    tasks = [(row, number, roborally.COURSES, 1) for number in range(4)]
    found = dict(on_cluster(nodes.address, None, roborally.play_compiled, tasks))
    for number, task in enumerate(tasks):
        assert without_times(found[number]) == without_times(roborally.play(task))


@pytest.mark.slow
def test_a_fitted_value_is_the_same_on_a_cluster_in_processes_and_here(nodes: Nodes, tmp_path: Path) -> None:
    from stratagem.games.risk.training import train_value

    said: list[str] = []
    here = train_value(2, 1200, 5, say=said.append)
    assert said[-1] == "1,200 of 1,200 games"

    def spread(function: str, tasks: Any) -> Iterator[Any]:
        return each(nodes.address, None, function, (), tasks)

    assert train_value(2, 1200, 5, spread=spread, folder=tmp_path, say=said.append) == here
    assert len(list(tmp_path.glob("value-*.npz"))) == 3
    said.clear()
    assert train_value(2, 1200, 5, workers=2, folder=tmp_path, say=said.append) == here
    assert said == [], "what was played is not played again"


@pytest.mark.slow
def test_ctrl_c_ends_a_fitting_on_a_cluster_and_the_same_command_goes_on(nodes: Nodes, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "stratagem", "train", "risk-value", "--players", "2", "--folder", str(tmp_path)]
    command += ["--cluster", nodes.address, "--games"]
    long = subprocess.Popen([*command, "200000"], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert long.stderr is not None
    patience = threading.Timer(300.0, long.kill)  # a part that never ends would hold up all other tests
    patience.start()
    for line in long.stderr:
        if " of 200,000 games" in line:
            break
    patience.cancel()
    reported = ""
    for _ in range(4):  # pressed again, since a signal that comes while Ray is at work may be lost
        long.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            reported = long.communicate(timeout=40)[1]
            break
    assert long.wait(20) == 130 and "the same command goes on" in reported and "Traceback" not in reported, reported
    kept = len(list(tmp_path.glob("value-*.npz")))
    assert kept >= 1
    until = time.monotonic() + 60
    while nodes.hosts() and time.monotonic() < until:
        time.sleep(0.1)
    assert not nodes.hosts(), "nothing is left on the cluster"
    done = subprocess.run([*command, "1000"], capture_output=True, text=True, timeout=250)
    assert done.returncode == 0 and '"games": 1000' in done.stdout, done.stderr


@pytest.mark.slow
def test_nobody_at_an_address_is_reported_in_a_line(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason=NO_RAY)
    config = Config("nim", ("random", "random:seed=1"), games=2)
    with Store(tmp_path / "games.sqlite") as store:
        match = open_match(store, config, "m", resume=False)
        with pytest.raises(StratagemError, match="cannot be reached"):
            run_match(store, match, cluster="127.0.0.1:1")


def test_an_address_that_is_none_is_refused() -> None:
    pytest.importorskip("ray", reason=NO_RAY)
    with pytest.raises(OptionError, match="ADDRESS:PORT"):
        check_address("somewhere")


def test_without_ray_a_cluster_is_refused_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(StratagemError, match=r"pip install 'stratagem\[cluster\]'"):
        check_address("local")
