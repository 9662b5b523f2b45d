"""A saved game is data: what it names is run only with --trust."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from command import run

import stratagem
from stratagem.arena.config import Config
from stratagem.arena.report import FORMAT
from stratagem.errors import Untrusted
from stratagem.plans.draft import Draft
from stratagem.store.record import Record
from stratagem.store.sqlite import Store
from stratagem.store.stored import Played, Result

GAME = """
from pathlib import Path
Path(__file__).with_name("ran").write_text("yes")
from stratagem.games.nim import Nim
class Mine(Nim):
    name = "mine"
"""


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A saved game whose game is a Python file that leaves a mark when it is run."""
    (tmp_path / "mine.py").write_text(GAME)
    file = tmp_path / "saved.json"
    start = stratagem.game("nim").start()
    moves = [start.moves()[0]]
    Record(str(tmp_path / "mine.py"), {}, moves, None, ["you", "random"]).save(file)
    return file


def refused(tmp_path: Path, *arguments: str) -> None:
    found = run(*arguments, stdin="quit\n", XDG_DATA_HOME=str(tmp_path / "data"))
    assert found.code == 2 and "--trust" in found.err and len(found.err.strip().splitlines()) == 1, found.err
    assert not (tmp_path / "ran").exists()


def test_a_saved_game_does_not_run_the_python_file_that_it_names(tmp_path, record):
    refused(tmp_path, "play", "--resume", str(record))
    refused(tmp_path, "review", str(record))
    refused(tmp_path, "export", str(record))
    found = run("export", str(record), "--trust")
    assert found.code == 0 and (tmp_path / "ran").exists(), found.err


def test_a_game_named_on_the_command_line_is_trusted(tmp_path, record):
    found = run("play", str(tmp_path / "mine.py"), "--resume", str(record), stdin="quit\n")
    assert found.code == 0 and (tmp_path / "ran").exists(), found.err


def test_an_option_that_names_a_python_file_is_refused_too(tmp_path, record):
    file = tmp_path / "bidding.json"
    Record("bidding", {"base": str(tmp_path / "mine.py")}, []).save(file)
    refused(tmp_path, "review", str(file))


@pytest.mark.parametrize("seat", ["program:command=touch ran", " program:command=touch ran"])
def test_a_saved_game_does_not_run_the_program_that_a_seat_names(tmp_path, monkeypatch, seat):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "saved.json"
    Record("nim", {}, [], None, [seat, "you"]).save(file)
    refused(tmp_path, "play", "--resume", str(file))
    other = run("play", "--resume", str(file), "--seats", "random,random", XDG_DATA_HOME=str(tmp_path / "data"))
    assert other.code == 0 and not (tmp_path / "ran").exists(), other.err
    Record("nim", {}, [], None, [seat, "you"]).save(file)
    run("play", "--resume", str(file), "--trust", stdin="quit\n", XDG_DATA_HOME=str(tmp_path / "data"))
    assert (tmp_path / "ran").exists()


def test_recorded_matches_are_replayed_without_running_what_they_name(tmp_path, record):
    found = {"stratagem": FORMAT, "id": 1, "number": 1, "game": str(tmp_path / "mine.py"), "options": {}, "seed": 1}
    games = tmp_path / "games.jsonl"
    games.write_text(json.dumps(found | {"seats": ["a", "b"], "origin": None, "moves": [], "payoff": None}) + "\n")
    refused(tmp_path, "arena", "replay", "--file", str(games))


@pytest.fixture
def foreign(tmp_path: Path, record: Path) -> Path:
    """A store with a match and a game whose game is a Python file, and a match whose player is a program."""
    file = tmp_path / "foreign.sqlite"
    terms = Config("nim", ("random", "random#2"), games=2).json()
    harmful = terms | {"game": str(tmp_path / "mine.py")}
    with Store(file) as store:
        match = store.open_match("filed", harmful)
        game = Played(1, harmful["game"], {}, ["random", "random#2"], (), Result((1.0, -1.0)), at=1.0)
        store.record(match.id, [game])
        store.open_match("option", terms | {"game": "bidding", "options": {"over": str(tmp_path / "mine.py")}})
        store.open_match("program", terms | {"players": [f"program:command=touch {tmp_path / 'ran'}", "random"]})
        store.open_match("harmless", terms)
    return file


def test_matches_of_a_store_are_listed_without_running_what_they_name(tmp_path, foreign):
    found = run("arena", "show", "--store", str(foreign))
    assert found.code == 0 and not (tmp_path / "ran").exists(), found.err
    of = {line.split()[0]: line.split() for line in found.out.splitlines()}
    assert "?" in of["filed"] and "?" in of["option"] and "?" not in of["harmless"] and "?" not in of["program"]
    assert found.err.count("--trust") == 2
    listed = run("arena", "show", "--store", str(foreign), "--json", "--trust")
    assert [json.loads(line)["of"] for line in listed.out.splitlines()] == [2, 2, 2, 2], listed.err
    assert (tmp_path / "ran").exists()


def test_a_match_of_a_store_is_shown_only_with_trust(tmp_path, foreign):
    refused(tmp_path, "arena", "show", "filed", "--store", str(foreign), "--plots", str(tmp_path / "plots"))
    trusted = run("arena", "show", "option", "--store", str(foreign), "--trust")
    assert trusted.code == 0 and (tmp_path / "ran").exists(), trusted.err


def test_games_of_a_store_are_replayed_without_running_what_they_name(tmp_path, foreign):
    refused(tmp_path, "arena", "replay", "--store", str(foreign))
    refused(tmp_path, "arena", "replay", "filed", "--number", "1", "--store", str(foreign))


@pytest.mark.parametrize(("command", "name"), [("run", "program"), ("test", "filed")])
def test_a_match_of_a_store_goes_on_by_its_name_only_with_trust(tmp_path, foreign, command, name):
    refused(tmp_path, "arena", command, "--resume", "--name", name, "--store", str(foreign))


def test_a_match_that_names_code_says_so_when_it_is_interrupted(tmp_path, record):
    terms = Config("nim", ("random", "random#2"), games=2)
    assert not terms.runs_code
    assert replace(terms, players=("program:command=cat", "random")).runs_code
    assert replace(terms, game=str(tmp_path / "mine.py")).runs_code


def test_a_draft_does_not_run_the_python_file_that_it_names(tmp_path):
    (tmp_path / "worths.py").write_text(GAME + "\ndef worth(owned, player):\n    return len(owned[player])\n")
    file = tmp_path / "draft.json"
    draft = {"items": ["A", "B"], "worths": [[1, 2], [2, 1]], "order": [0, 1], "function": "worths.py:worth"}
    file.write_text(json.dumps(draft))
    refused(tmp_path, "draft", "solve", str(file))
    refused(tmp_path, "draft", "audit", str(file))
    with pytest.raises(Untrusted):
        Draft.read(file)
    assert run("draft", "solve", str(file), "--trust").code == 0 and (tmp_path / "ran").exists()


def test_puzzles_do_not_run_what_they_name(tmp_path, record):
    lines = [json.loads(line) for line in shipped_lines()[:1]]
    file = tmp_path / "puzzles.jsonl"
    for change in ({"game": str(tmp_path / "mine.py")}, {"judge": "program:command=touch ran"}):
        file.write_text(json.dumps(lines[0] | change) + "\n")
        refused(tmp_path, "puzzle", "1", "--file", str(file))


def shipped_lines() -> list[str]:
    from importlib.resources import files

    return files("stratagem.puzzles").joinpath("data/puzzles.jsonl").read_text(encoding="utf-8").splitlines()


# ------------------------------------------------------------------------------------ values that no file should have

SAVED = {"stratagem": 1, "game": "nim", "options": {}, "moves": ["1:1"], "seats": ["you", "random"], "seed": 0}
EXPORTED = {
    "stratagem": FORMAT, "id": 1, "number": 1, "game": "nim", "options": {}, "seed": 1, "seats": ["a", "b"], "origin": None,
    "moves": ["1:1"], "payoff": [1.0, -1.0], "reason": "rules", "fault": None, "detail": None,
}  # fmt: skip
DRAFTED = {
    "draft": 1, "table": "players.csv", "teams": 2, "slots": "QB:1,RB:1", "order": "snake", "trades": {}, "keepers": {},
    "limits": {}, "picks": ["A B"], "team": 1, "opponents": "adp", "seed": 0,
}  # fmt: skip


def refused_in_a_line(file: Path, data: object, *command: str) -> None:
    file.write_text(json.dumps(data) + "\n")
    found = run(*command, str(file), stdin="quit\n", XDG_DATA_HOME=str(file.parent / "data"))
    assert found.code == 2 and len(found.err.strip().splitlines()) == 1, found.err


@pytest.mark.parametrize(
    "wrong",
    [{"moves": None}, {"moves": [5]}, {"options": 1e308}, {"seats": None}, {"seats": [1, 2]}, {"seed": "1"}, {"seed": 10**30},
     {"seed": float("inf")}, {"game": 7}, {"origin": []}, {"ended": 3}, {"more": 1}],
    ids=str,
)  # fmt: skip
def test_a_saved_game_with_a_value_of_a_wrong_type_is_refused_in_a_line(tmp_path, wrong):
    refused_in_a_line(tmp_path / "saved.json", SAVED | wrong, "play", "--resume")
    refused_in_a_line(tmp_path / "saved.json", SAVED | wrong, "export")


@pytest.mark.parametrize(
    "wrong",
    [{"seat": []}, {"seat": 10**6}, {"seat": -1}, {"margin": "x"}, {"value": float("nan")}, {"values": {"a": None}},
     {"best": []}, {"task": None}, {"proved": 3}],
    ids=str,
)  # fmt: skip
def test_a_puzzle_with_a_value_of_a_wrong_type_is_refused_in_a_line(tmp_path, wrong):
    refused_in_a_line(tmp_path / "puzzles.jsonl", json.loads(shipped_lines()[0]) | wrong, "puzzles", "list", "--file")


@pytest.mark.parametrize("wrong", [{"id": float("inf")}, {"seed": float("-inf")}, {"moves": 5}, {"payoff": 1}], ids=str)
def test_an_exported_game_with_a_value_of_a_wrong_type_is_refused_in_a_line(tmp_path, wrong):
    refused_in_a_line(tmp_path / "games.jsonl", EXPORTED | wrong, "arena", "replay", "--file")


@pytest.mark.parametrize(
    "wrong",
    [{"opponents": []}, {"opponents": 1e308}, {"team": 10**6}, {"team": 0}, {"seed": float("inf")}, {"teams": 10**40},
     {"order": [1, 10**30]}, {"bench_share": float("nan")}],
    ids=str,
)  # fmt: skip
def test_a_saved_draft_with_a_value_of_a_wrong_type_is_refused_in_a_line(tmp_path, wrong):
    (tmp_path / "players.csv").write_text("name,pos,adp\nA B,QB,1\nC D,RB,2\nE F,QB,3\nG H,RB,4\n")
    refused_in_a_line(tmp_path / "draft.json", DRAFTED | wrong, "draft", "live", "--resume")
    refused_in_a_line(tmp_path / "draft.json", DRAFTED | wrong, "draft", "report")


@pytest.mark.parametrize(
    "wrong", [[10**6, 1, 5, False], [10**40, 1, 5, False], ["A B", 10**30, 5, False], ["A B", 1, 1e308, False]], ids=str
)
def test_a_saved_auction_with_a_value_of_a_wrong_type_is_refused_in_a_line(tmp_path, wrong):
    players, file = tmp_path / "players.csv", tmp_path / "auction.json"
    players.write_text("name,pos,adp,points\nA B,QB,1,9\nC D,RB,2,8\nE F,QB,3,7\nG H,RB,4,6\n")
    sold = {"auction": 1, "table": str(players), "teams": 2, "roster": "QB:1,RB:1", "budget": 20, "you": 1}
    refused_in_a_line(file, sold | {"sales": [wrong]}, "draft", "auction", "--resume")
    file.write_text(json.dumps(sold | {"sales": [["A B", 1, 5, False]]}))
    assert run("draft", "auction", "--resume", str(file), stdin="quit\n").code == 0
