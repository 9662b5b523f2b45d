"""Programs in any language at our tables: the example plays everything, and bad ones lose without hurting anybody."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
import tracemalloc
from pathlib import Path

import pytest
from command import ended, running

import stratagem
from stratagem import Clock
from stratagem.arena.config import Config
from stratagem.arena.playing import play_game
from stratagem.errors import OptionError
from stratagem.protocols.program import ProgramFault, ProgramPlayer
from stratagem.registry import game_names
from stratagem.rng import generator
from stratagem.store.sqlite import CRASH, OVER
from stratagem.web.engines import engines

EXAMPLE = Path(__file__).parents[2] / "examples" / "program.py"


def program(tmp_path: Path, body: str) -> str:
    """A small program that is polite until it is asked for a move."""
    file = tmp_path / "bad.py"
    file.write_text(
        "import sys, json, time, os\n"
        "sys.stdin.readline(); print(json.dumps({'type': 'ready'}), flush=True)\n"
        f"asked = json.loads(sys.stdin.readline())\n{body}\n"
    )
    return f"{sys.executable} {file}"


def test_the_example_is_short_and_needs_nothing() -> None:
    lines = EXAMPLE.read_text().splitlines()
    assert len(lines) < 60 and not any("import stratagem" in line for line in lines)


@pytest.mark.parametrize("name", ["tictactoe", "goofspiel", "bidding", "blotto", "pig", "roborally"])
def test_the_example_plays_whole_games(name: str) -> None:
    game = stratagem.game(name)
    position = game.start(seed=3)
    rng = generator(1)
    with ProgramPlayer(game, command=[sys.executable, str(EXAMPLE)]) as player:
        for _ in range(12):
            if position.over:
                break
            asked = position.asked
            if not asked:
                position = position.play(position.sample(rng))
                continue
            texts = [
                player.choose(position.view(p), Clock(), seat=p).move if p in asked else "-"
                for p in range(game.players)
            ]
            position = position.play(texts if position.turn < 0 else texts[position.turn])
        assert player.name == "program:the example"


@pytest.mark.slow
@pytest.mark.parametrize("name", game_names())
def test_the_example_plays_every_game_there_is(name: str) -> None:
    game = stratagem.game(name)
    position = game.start(seed=3)
    rng = generator(1)
    with ProgramPlayer(game, command=[sys.executable, str(EXAMPLE)]) as player:
        for _ in range(6):
            if position.over:
                break
            while not position.over and not position.asked:
                position = position.play(position.sample(rng))
            asked = position.asked
            texts = [
                player.choose(position.view(p), Clock(), seat=p).move if p in asked else "-"
                for p in range(game.players)
            ]
            position = position.play(texts if position.turn < 0 else texts[position.turn])


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("time.sleep(600)", "hung: it gave no answer in time"),
        ("while True: print('x' * 1000)", "not JSON"),
        ("while True: print(json.dumps({'type': 'info', 'id': 0}))", "flooded: 10000 lines"),
        ("sys.stdout.write('x' * (3 << 20)); sys.stdout.flush(); time.sleep(600)", "flooded: a line"),
        ("sys.exit('out of ideas')", "died with status 1: out of ideas"),
        ("os.kill(os.getpid(), 9)", "died with status -9"),
        ("print(json.dumps({'type': 'move', 'id': 1, 'move': 'z9'}), flush=True); time.sleep(600)", "illegal move"),
        ("print(json.dumps({'type': 'move', 'id': 1, 'move': 5}), flush=True); time.sleep(600)", "is no text"),
        ("print('[1, 2]', flush=True); time.sleep(600)", "no object with a type"),
        ("print('[' * 100_000, flush=True); time.sleep(600)", "not JSON"),
    ],
)
def test_a_bad_program_is_ended_and_named(tmp_path: Path, body: str, said: str) -> None:
    game = stratagem.game("tictactoe")
    grace = 0.3 if said.startswith("hung") else 120.0  # which a busy machine does not use up
    player = ProgramPlayer(game, command=program(tmp_path, body), grace=grace)
    with pytest.raises(ProgramFault, match=said):
        player.choose(game.start(), Clock(0.3))
    assert player._child is None


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="only Linux tells what other processes carry")
def test_what_a_program_started_ends_with_it(tmp_path: Path) -> None:
    """A child in a session of its own, whose number it tells as the value of its move."""
    body = (
        "import subprocess\nchild = subprocess.Popen(['sleep', '60'], start_new_session=True)\n"
        "print(json.dumps({'type': 'move', 'id': 1, 'move': 'b2', 'value': child.pid}), flush=True); time.sleep(60)"
    )
    game = stratagem.game("tictactoe")
    with ProgramPlayer(game, command=program(tmp_path, body), grace=60) as player:
        child = player.choose(game.start(), Clock(60)).value
        assert child is not None and running(int(child))
    assert ended(int(child))


@pytest.mark.skipif(shutil.which("setsid") is None, reason="only Linux has setsid")
def test_a_descendant_that_gets_away_and_writes_for_ever_holds_nobody_up(tmp_path: Path) -> None:
    """It has taken the mark out of its environment, and holds the program's standard output."""
    go = tmp_path / "go"
    flood = f"while [ ! -e {go} ]; do sleep 0.1; done; exec yes"
    body = (
        "import subprocess\n"
        f"child = subprocess.Popen(['setsid', 'sh', '-c', {flood!r}], env={{'PATH': os.environ['PATH']}})\n"
        "print(json.dumps({'type': 'move', 'id': 1, 'move': 'b2', 'value': child.pid}), flush=True); time.sleep(600)"
    )
    player = ProgramPlayer(stratagem.game("tictactoe"), command=program(tmp_path, body), grace=120)
    child = player.choose(player.game.start(), Clock(60)).value
    assert child is not None
    try:
        go.touch()
        while not player._child.lines.full():
            time.sleep(0.01)
        player.close()
        assert running(int(child)), "as the page says"
    finally:
        os.kill(int(child), signal.SIGKILL)


def test_what_a_program_writes_to_standard_error_takes_no_room(tmp_path: Path) -> None:
    """200 MB of it; only the end is kept, in memory and on the disk."""
    body = "for _ in range(200): os.write(2, b'x' * (1 << 20))\nsys.exit('\\nout of ideas')"
    game = stratagem.game("tictactoe")
    tracemalloc.start()
    try:
        with pytest.raises(ProgramFault, match="out of ideas"):
            ProgramPlayer(game, command=program(tmp_path, body), grace=60).choose(game.start(), Clock(60))
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


def test_a_program_may_ask_about_the_rules(tmp_path: Path) -> None:
    body = (
        "def ask(**m): print(json.dumps({**m, 'id': 1}), flush=True); return json.loads(sys.stdin.readline())\n"
        "assert ask(type='parts', prefix=[])['next'][0] == 'a1'\n"
        "assert 'error' in ask(type='check', move='z9')\n"
        "move = ask(type='check', move=' b2 ')['move']\n"
        "assert ask(type='sample')['move'] in asked['moves']\n"
        "print(json.dumps({'type': 'info', 'id': 1, 'move': 'a1', 'value': 0.25}))\n"
        "print(json.dumps({'type': 'move', 'id': 1, 'move': move, 'value': 0.5}), flush=True)\n"
        "time.sleep(5)"
    )
    game = stratagem.game("tictactoe")
    heard: list[tuple[str, float | None]] = []
    with ProgramPlayer(game, command=program(tmp_path, body)) as player:
        choice = player.choose(game.start(), Clock(5), report=lambda found: heard.append((found.move, found.value)))
    assert (choice.move, choice.value, heard) == ("b2", 0.5, [("a1", 0.25)])


def test_a_program_plays_in_the_arena_and_a_bad_one_loses(tmp_path: Path) -> None:
    bad = f"program:command={program(tmp_path, 'sys.exit(3)')}"
    good = f"program:command={sys.executable} {EXAMPLE}"
    config = Config("tictactoe", (good, bad), games=2)
    for number in range(2):
        task = config.task(number)
        result = play_game(config, task).result
        assert result.reason == CRASH and result.seat == task.seats.index(bad) and "died with status 3" in result.detail
    fair = Config("tictactoe", (good, "random"), games=2)
    assert play_game(fair, fair.task(0)).result.reason == OVER


def test_programs_are_never_started_from_the_web() -> None:
    game = stratagem.game("tictactoe")
    assert "program" not in engines(game)
    with pytest.raises(OptionError, match="needs its command"):
        stratagem.player(game, "program")
    with pytest.raises(ProgramFault, match="cannot be started"):
        stratagem.player(game, "program:command=./nothing-here").choose(game.start(), Clock())
