"""The engine protocol: the worked examples, bad lines, and engines that misbehave."""

from __future__ import annotations

import io
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command import ended

import stratagem
from stratagem.cli import main
from stratagem.contract.player import Clock
from stratagem.games.minions import Minions
from stratagem.games.minions.engine.player import EnginePlayer
from stratagem.games.minions.notation import MinionsRecord, fen
from stratagem.games.minions.turn import GameTurn
from stratagem.protocols.umi import OURS, Engine, EngineFault, UmiEngine, match, serve, turn_lines

LINE = "S,P,W,G,T,H,K,X,A,U,J,V,M,L,O,C,R,Q,B,E,Y,D,1,2,3"
LOCKED = "L" * 25


def talk(*lines: str) -> tuple[list[str], str, int]:
    """What the engine prints, what it complains about, and how it ends."""
    sink, errors = io.StringIO(), io.StringIO()
    status = serve(io.StringIO("".join(line + "\n" for line in lines)), sink, errors)
    return sink.getvalue().splitlines()[1:], errors.getvalue(), status


# -- the worked examples of the protocol page


def test_worked_example_moves_and_a_cycle():
    printed, errors, status = talk(
        "position startpos", "turn", "action tech 1", "action board 0 move c1c0", "action board 0 move c2c1",
        "action board 1 move b3a3", "action board 1 move_cyclic c2 d1 d2", "endturn", "getfen",
    )  # fmt: skip
    assert (errors, status) == ("", 0)
    assert printed == [
        "8|12 0|0 ULLLLLLLLLLLLLLLLLLLLLLLL|LLLLLLLLLLLLLLLLLLLLLLLLL n|I|i|||2Z7/2NZ6/1Z1Z6/1ZZ7/0/0/7zz1/6znz1/6zz2/0 "
        "n|I|i|||0/2ZN6/1ZZZ6/Z1Z7/0/0/7zz1/6znz1/6zz2/0 1 2"
    ]


def test_worked_example_combat_purchase_and_spawning():
    printed, errors, _ = talk(
        f"config 2 AllLand {LINE}",
        "position fen 10|10 0|0 AULLLLLLLLLLLLLLLLLLLLLLL|ULLLLLLLLLLLLLLLLLLLLLLLL "
        "n|Z||||0/0/2N7/0/4Tz4/4z5/4s5/7n2/0/0 0 9",
        "turn", "action tech 1 1", "action board 0 attack e4e5", "action board 0 attack e4f4", "action board 0 attack e4e6",
        "action board 0 attack e4e6", "action board 0 buy S", "action board 0 spawn Z c3", "action board 0 spawn S d2",
        "endturn", "getfen",
    )  # fmt: skip
    assert errors == ""
    assert printed == [
        "5|12 0|0 AAULLLLLLLLLLLLLLLLLLLLLL|ULLLLLLLLLLLLLLLLLLLLLLLL n|||||0/0/2NS6/2Z7/4T5/0/0/7n2/0/0 1 10"
    ]


def test_worked_example_a_board_lost_on_graveyards_and_the_setup_that_follows():
    printed, errors, _ = talk(
        f"config 2 MidnightLake {LINE}",
        f"position fen 10|10 0|0 {LOCKED}|{LOCKED} n|||||1z6z1/0/2N7/z2z6/0/0/1z4z3/7n2/3z6/6z3 0 1",
        "turn", "action tech 1", "endturn", "getfen",
        "turn", "action tech 1", "action board 0 setup N Z", "endturn", "getfen",
        "turn", "action board 0 setup N", "action board 0 spawn Z c4", "endturn", "getfen",
    )  # fmt: skip
    assert errors == ""
    reset = "0/2ZZ6/1ZNZ6/1ZZ7/0/0/7zz1/6znz1/6zz2/0"
    assert printed[0] == f"13|10 0|1 U{LOCKED[1:]}|{LOCKED} 1||z|||{reset} 1 2"
    assert printed[1] == f"13|13 0|1 U{LOCKED[1:]}|U{LOCKED[1:]} 2||zz|||{reset} 0 3"
    assert printed[2].startswith("16|13 0|1")


# -- commands


def test_the_handshake():
    printed, _, status = talk("umi", "", "isready", "quit", "nonsense")
    assert printed[0].startswith("id name ")
    assert any(line.startswith("option name spells") for line in printed)
    assert printed[-2:] == ["umiok", "readyok"]
    assert status == 0


def test_config_replaces_position_and_options():
    printed, _, _ = talk("setoption name strictmode value false", f"config 1 AllLand {LINE}", "getfen")
    assert printed == [f"0|6 0|0 {LOCKED}|{LOCKED} f|I|i|||0/2ZZ6/1ZNZ6/1ZZ7/0/0/7zz1/6znz1/6zz2/0 0 1"]
    _, errors, status = talk("setoption name strictmode value false", f"config 1 AllLand {LINE}", "nonsense", "getfen")
    assert (errors.count("\n"), status) == (1, 2)


@pytest.mark.parametrize("heuristic", ["naive", "random", "answered", "smart"])
def test_go_leaves_the_position_and_play_executes_the_turn(heuristic):
    printed, errors, _ = talk(
        f"setoption name heuristic value {heuristic}", "go movetime 20", "getfen", "play movetime 20 nodes 3", "getfen"
    )
    assert errors == ""
    fens = [line for line in printed if "|" in line]
    assert fens[0].endswith(" 0 1")
    assert fens[1].endswith(" 1 2")
    assert printed.count("turn") == printed.count("endturn") == 2
    assert printed[printed.index("turn") + 1].startswith("action tech ")
    assert any(line.startswith("info eval winprob 0.") for line in printed)
    assert any(line.startswith("info nps ") for line in printed)


@pytest.fixture(scope="module")
def loaded():
    """The engine is compiled and loaded, which may take longer than who says stop is kept waiting."""
    game = stratagem.game("minions", maps="MidnightLake")
    EnginePlayer(game).search_for(game.start().state.config)


@pytest.mark.usefixtures("loaded")
def test_a_search_without_a_limit_ends_when_it_is_stopped_and_is_reported_of_meanwhile():
    printed, errors, status = talk(f"config 1 MidnightLake {LINE}", "go infinite", "isready", "stop", "getfen", "quit")
    assert (errors, status) == ("", 0)
    assert "readyok" in printed[:2]
    reported = next(line for line in printed if line.startswith("info depth 2 turns "))
    assert " nodes " in reported
    assert " value " in reported
    assert " best tech " in reported
    assert printed.count("endturn") == 1
    assert printed[-1].endswith(" 0 1")


@pytest.mark.usefixtures("loaded")
def test_a_search_is_stopped_by_the_stop_that_is_meant_for_it():
    _, errors, status = talk(f"config 1 MidnightLake {LINE}", "go infinite", "getfen", "", "stop", "quit")
    assert (errors, status) == ("", 0)
    printed, _, _ = talk(f"config 1 MidnightLake {LINE}", "go nodes 200", "go infinite", "stop")
    assert any(line.startswith("info nps ") and " nodes 200 " in line for line in printed)


def test_who_is_told_to_stop_while_the_engine_compiles_is_not_kept_waiting(monkeypatch):
    """Without a clock the compiler is waited for, but not for ever."""
    monkeypatch.setattr(Engine, "_is_ready", lambda self, searcher, seconds: False)
    printed, errors, status = talk("go infinite", "isready", "stop", "getfen", "quit")
    assert (errors, status) == ("", 0)
    assert "info string the engine is compiling; the script played" in printed
    assert printed.count("endturn") == printed.count("readyok") == 1
    assert printed[-1].endswith(" 0 1")


def test_nodes_limit_a_search_and_infinite_has_no_limit_beside_it():
    printed, _, _ = talk(f"config 1 MidnightLake {LINE}", "go nodes 5")
    assert any(line.startswith("info nps ") and " nodes 5 " in line for line in printed)
    _, errors, status = talk("go infinite movetime 5")
    assert "infinite" in errors
    assert status == 2


def test_a_resignation_is_sent_with_the_word_more_that_the_reference_engine_wants():
    assert turn_lines(GameTurn.parse("tech 1;board 0 resign", 1)) == [
        "turn",
        "action tech 1",
        "action board 0 resign x",
    ]


def test_ends_of_phases_are_read_and_written_when_asked_for():
    begin = (f"config 1 MidnightLake {LINE}", "setoption name heuristic value naive")
    old, _, _ = talk(*begin, "play", "getfen")
    printed, _, _ = talk(*begin, "setoption name endphase value true", "play", "getfen")
    assert [line for line in printed if line not in old and not line.startswith("info")] == ["action board 0 endphase"]
    again, _, _ = talk(begin[0], *printed[printed.index("turn") : -1], "getfen")
    assert again == printed[-1:]


def test_play_says_who_has_won():
    printed, _, _ = talk(
        f"config 1 AllLand {LINE}", f"position fen 0|0 0|0 {LOCKED}|{LOCKED} n|||||0/0/2N7/0/0/0/0/6Dn2/0/0 0 9",
        "setoption name heuristic value naive", "play",
    )  # fmt: skip
    assert printed[-1] == "endturn winner Yellow"
    printed, _, _ = talk(f"config 1 AllLand {LINE}", "turn", "action board 0 resign x", "endturn")
    assert printed == ["info result winner Blue"]


def test_auto_plays_to_the_end():
    printed, errors, _ = talk(
        f"config 1 MidnightLake {LINE}", "setoption name heuristic value naive", "auto movetime 1"
    )
    assert errors == ""
    assert printed[-1].startswith("info result ")


def test_display_draws_the_boards():
    printed, _, _ = talk("display")
    assert any("BlackenedShores" in line for line in printed)


def test_lenient_is_an_option_for_turns_of_other_engines():
    turn = ("turn", "action tech 1 0", "action board 0 buy S", "endturn", "getfen")
    start = f"position fen 20|20 0|0 {LOCKED}|{LOCKED} n|||||0/0/2N7/0/0/0/0/7n2/0/0 0 9"
    setup = (f"config 1 AllLand {LINE}", start)
    assert "not been acquired" in talk(*setup, *turn)[1]
    assert talk(*setup, "setoption name lenient value true", *turn)[0]


def test_perft_and_reach():
    position = f"position fen 0|0 0|0 {LOCKED}|{LOCKED} n|||||Pz8/1Z8/0/0/0/0/0/0/0/0 0 1"
    printed, errors, _ = talk(f"config 1 AllLand {LINE}", position, "reach 0 a0", "perft 0", "reach 0 b0")
    assert errors == ""
    assert printed[0] == "reach a0 a1 a2 b1"  # b1 holds a friend; b0 holds an enemy and stops the way east
    assert printed[2] == "reach a1 b0 c0"
    # nothing, the Zombie from where it stands, the Serpent from a0, a1 or b1 (the Zombie is then off the board)
    assert printed[1] == "perft 5"


# -- bad lines

BAD = [
    ("nonsense", "command 'nonsense'"), ("setoption name strictmode", "setoption"),
    ("setoption name tempo value 3", "option 'tempo'"),
    ("setoption name heuristic value clever", "heuristic"), ("setoption name spells value true", "spells"),
    ("config 2", "config"), ("config 2 Atlantis " + LINE, "map"), ("position", "position"), ("position fen", "FEN"),
    ("position fen 0|0 0|0", "FEN"), ("action tech 1", "no turn"), ("endturn", "no turn"), ("go movetime", "movetime"),
    ("go movetime x", "movetime"), ("go nodes 0", "nodes"), ("go depth 3", "depth"), ("go spells shield", "spells"),
    ("perft", "board"), ("perft 9", "board"), ("reach 0", "hex"), ("reach 0 z9", "hex"), ("reach 0 a9", "no unit"),
    ("go nodes 9999999999", "nine digits"),
    ("turn spells blank", "spells"), ("x" * 1_500_000, "1000000 characters"), ("\x00\x01", "command"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "names"), BAD, ids=[line[:25] for line, _ in BAD])
def test_a_bad_line_gets_one_message_and_ends_a_strict_engine(line, names):
    _, errors, status = talk(line, "isready")
    assert status == 2
    assert errors.count("\n") == 1
    assert names in errors
    assert len(errors) < 700


def test_a_tolerant_engine_goes_on():
    lines = [line for line, _ in BAD]
    printed, errors, status = talk("setoption name strictmode value false", *lines, "isready")
    assert status == 0
    assert printed[-1] == "readyok"
    assert errors.count("\n") == len(lines)


def test_an_illegal_turn_changes_nothing_and_names_the_action():
    printed, errors, status = talk(
        "setoption name strictmode value false", "turn", "action board 0 move c1c0", "action board 0 move c1c9", "endturn",
        "getfen", "action tech 1",
    )  # fmt: skip
    assert "'board 0 move c1c9' is illegal" in errors
    assert printed[0].endswith(" 0 1")
    assert "no turn is being entered" in errors
    assert status == 0


def test_fuzzed_lines_never_crash_the_engine():
    dice = random.Random(17)
    good = [
        "umi", "isready", "setoption name strictmode value false", f"config 2 AllLand {LINE}", "position startpos",
        f"position fen 0|0 0|0 {LOCKED}|{LOCKED} n|||||0/0/2N7/0/0/0/0/7n2/0/0 0 1", "turn", "action tech 1 0",
        "action board 0 move c2c3", "action board 0 move_cyclic c2 d1 d2", "endturn", "getfen", "display", "perft 0",
        "reach 0 c2",
    ]  # fmt: skip
    engine = Engine()
    for _ in range(4000):
        text = dice.choice(good)
        for _ in range(dice.randrange(3)):
            at = dice.randrange(len(text) + 1)
            cut = dice.randrange(6)
            text = (
                text[:at]
                + dice.choice(["", " ", "9", "|", "-", "½", "\x00", "zz", "board", "99999999999"])
                + text[at + cut :]
            )
        try:
            list(engine.answer(text))
        except stratagem.errors.StratagemError as error:
            assert str(error)  # noqa: PT017


# -- other engines as players


def fake(tmp_path: Path, body: str) -> list[str]:
    """An engine of a few lines of Python; `say` prints and flushes."""
    file = tmp_path / "engine.py"
    file.write_text(
        "import sys, time\n"
        "def say(*lines):\n    print(*lines, sep='\\n', flush=True)\n"
        "say('a banner')\n"
        "for line in sys.stdin:\n"
        "    word = line.split()[0]\n"
        "    if word == 'umi': say('id name fake author nobody', 'umiok')\n"
        "    elif word == 'isready': say('readyok')\n"
        f"    elif word == 'play':\n{body}\n"
    )
    return [sys.executable, str(file)]


FAULTS = {
    "crash": ("        sys.exit(3)", "crashed with status 3"),
    "hang": ("        time.sleep(600)", "hung"),
    "endless": ("        say('turn')\n        while True: say('action tech 0')", "no end|in time"),
    "chatter": ("        while True: say('info nothing new')", "hung"),
    "overspend": ("        say('turn', 'action tech 9', 'endturn')", "overspent: 'tech 9'"),
    "illegal": ("        say('turn', 'action tech 1', 'action board 0 move c1c9', 'endturn')",
                "illegal turn: 'board 0 move c1c9'"),
    "garbage": ("        say('turn', 'action board 0 dance', 'endturn')", "illegal turn"),
    "cut": ("        say('turn', 'action tech 1'); sys.exit(0)", "crashed"),
    "otherwise": ("        say('turn', 'action tech 1', 'endturn', '0|0 nonsense')", "after its turn"),
}  # fmt: skip


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="only Linux tells what other processes carry")
def test_what_an_engine_starts_in_a_session_of_its_own_ends_with_it(tmp_path):
    """The child holds the engine's standard output as well, which does not end with the engine."""
    said = tmp_path / "child"
    body = (
        "        import subprocess\n        child = subprocess.Popen(['setsid', 'sleep', '600'])\n"
        f"        open({str(said)!r}, 'w').write(str(child.pid)); sys.exit(3)"
    )
    game = Minions(maps="AllLand")
    with UmiEngine(game, command=fake(tmp_path, body), seconds=120.0) as engine:
        record = match(game, [engine, stratagem.player(game, "greedy")], Clock(0.05))
    assert record.result == "Blue" and "crashed with status 3" in record.reason
    assert ended(int(said.read_text()))


@pytest.mark.parametrize("kind", FAULTS)
def test_an_engine_that_misbehaves_loses_with_the_reason_recorded(kind, tmp_path):
    body, reason = FAULTS[kind]
    game = Minions(maps="AllLand")
    late = kind in ("hang", "chatter")
    with UmiEngine(game, command=fake(tmp_path, body), seconds=1.0 if late else 120.0) as engine:
        record = match(game, [engine, stratagem.player(game, "greedy")], Clock(0.05))
    assert record.result == "Blue"
    assert record.reason.startswith("Yellow forfeits: engine ")
    assert re.search(reason, record.reason)
    assert MinionsRecord.parse(str(record)).reason == record.reason


def test_an_engine_that_cannot_be_started_is_a_fault():
    game = Minions()
    with pytest.raises(EngineFault, match="cannot be started"):
        UmiEngine(game, command="no-such-program-anywhere").choose(game.start(), Clock())


def test_our_engine_plays_a_match_in_a_subprocess_and_agrees_on_every_position():
    game = Minions(maps="AllLand", plies=6)
    with UmiEngine(game, command=OURS, seconds=60.0) as engine:  # busy machines load for long
        record = match(game, [engine, stratagem.player(game, "greedy")], Clock(0.02), plies=6)
    assert len(record.turns) == 6
    assert record.result == "draw"
    assert fen(record.final()).endswith(" 0 7")


def test_the_command_line_ends_with_status_2_after_a_bad_line():
    done = subprocess.run(OURS, input="isready\nnonsense\n", capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "readyok" in done.stdout
    assert done.stderr.startswith("stratagem umi: unknown command 'nonsense'")
    assert "Traceback" not in done.stderr


def test_match_and_verify_on_the_command_line(tmp_path, capsys):
    file = tmp_path / "game.txt"
    with pytest.raises(SystemExit) as left:
        main(["umi", "match", "greedy", "random", "--maps", "MidnightLake", "--record", str(file)])
    assert left.value.code == 0
    assert capsys.readouterr().out.startswith("Yellow after ")
    with pytest.raises(SystemExit):
        main(["umi", "verify", str(file)])
    assert capsys.readouterr().out.startswith("Yellow after ")
    file.write_text(file.read_text().replace("result Yellow", "result Blue"))
    with pytest.raises(SystemExit) as left:
        main(["umi", "verify", str(file)])
    assert left.value.code == 2
    assert "Yellow winning" in capsys.readouterr().err


def test_a_crashing_engine_loses_in_the_arena_and_the_match_goes_on(tmp_path, capsys):
    program = " ".join(fake(tmp_path, FAULTS["crash"][0]))
    store = str(tmp_path / "arena.db")
    with pytest.raises(SystemExit) as left:
        main(["arena", "run", "minions/greedy", f"minions/umi:command={program}", "--games", "2", "-o", "maps=AllLand",
              "--store", store, "--workers", "1", "--turn-limit", "4", "--time", "0.05"])  # fmt: skip
    assert left.value.code == 0
    assert "crash 2" in capsys.readouterr().out
