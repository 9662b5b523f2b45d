"""The contest's players and the referee, with real programs: good ones, and ones that hang, die, print rubbish or cheat."""

import json
import signal
import subprocess
import sys
import textwrap
import time
import tracemalloc
from pathlib import Path
from random import Random

import pytest
from command import ended, run

from stratagem.errors import OptionError, UnknownName
from stratagem.protocols import contest_players as players
from stratagem.protocols.contest import LINES, TOTAL, ContestDecision, after_auctions, read
from stratagem.protocols.referee import ProgramStanding, Seat, count_in, finished, play_game, question, run_match

EMPTY = (0,) * 9


def ask(side="X", what="BID", first="", second="", board=("___", "___", "___")):
    return "\n".join([side, what, first, second, *board]) + "\n"


@pytest.fixture
def program(tmp_path):
    """The command of a program whose body gets the input's lines as `lines`."""

    def make(body, name="bot"):
        file = tmp_path / f"{name}.py"
        file.write_text("import sys, time, os\nlines = sys.stdin.read().split('\\n')\n" + textwrap.dedent(body))
        return f"{sys.executable} -S {file}"

    return make


HONEST = """
if lines[1] == 'BID':
    print(1 if lines[0] == 'X' else 0)
else:
    board = ''.join(lines[4:7])
    print(board.index('_') // 3, board.index('_') % 3)
"""

# ------------------------------------------------------------------------------------------------------------ players


def random_decisions(count, seed=1):
    draws = Random(seed)
    for _ in range(count):
        board = tuple(draws.choice((0, 0, 1, 2)) for _ in range(9))
        if 0 in board and not any(players.has_line(board, mark) for mark in (1, 2)):
            yield ContestDecision(draws.random() < 0.5, board, draws.randint(0, TOTAL), draws.random() < 0.5)


@pytest.mark.parametrize("name", list(players.PLAYERS))
def test_every_player_answers_legally_and_the_same_for_the_same_seed(name):
    for number, asked in enumerate(random_decisions(60)):
        said = []
        first, second = (
            players.decide(players.contest_player(name, seed=number, say=said.append, depth=2), asked) for _ in range(2)
        )
        assert first == second and said
        if asked.bidding:
            assert min(1, asked.gold) <= int(first) <= asked.gold
        else:
            row, column = map(int, first.split())
            assert asked.board[3 * row + column] == 0


def test_the_sample_never_stakes_everything():
    asked = ContestDecision(True, EMPTY, 4, True)
    bids = {players.contest_player("sample", seed=k).bid(asked) for k in range(200)}
    assert bids == {1, 2, 3}
    assert players.contest_player("sample", seed=1).bid(ContestDecision(True, EMPTY, 1, True)) == 1
    assert players.contest_player("sample", seed=1).bid(ContestDecision(True, EMPTY, 0, True)) == 0


def test_rules_bid_everything_when_a_line_is_near_and_1_when_the_other_is_broke():
    near = (2, 2, 0, 0, 0, 0, 0, 0, 1)
    assert players.contest_player("rules", seed=1).bid(ContestDecision(True, near, 3, False)) == 3
    assert players.contest_player("rules", seed=1).bid(ContestDecision(True, near, TOTAL, False)) == 1
    assert players.contest_player("rules", seed=1).cell(ContestDecision(False, near, 3, False)) == 2
    assert (
        players.contest_player("rules", seed=1).cell(ContestDecision(False, (1, 1, 0, 2, 2, 0, 0, 0, 0), 3, False)) == 2
    )


def test_line_sums_are_100_10_and_1():
    assert players.line_sum((1, 1, 0, 0, 0, 0, 0, 0, 0)) == 10 + 1 + 1 + 1  # row; two columns and a diagonal
    assert (
        players.line_sum((1, 1, 1, 2, 2, 0, 0, 0, 0)) == 100 - 10 + 1
    )  # the third column is X's alone, the others mixed
    assert players.line_sum((1, 0, 0, 0, 2, 0, 0, 0, 0)) == 2 - 3
    assert all(abs(players.line_sum(asked.board)) < players.WON for asked in random_decisions(300))


def plain_minimax(board, mover, depth, ply=0):
    for mark, sign in ((1, 1), (2, -1)):
        if any(all(board[c] == mark for c in line) for line in LINES):
            return sign * (players.WON + 9 - ply)
    free = [c for c in range(9) if not board[c]]
    if not free:
        return 0
    if depth == 0:
        return players.line_sum(board)
    scores = [plain_minimax((*board[:c], mover, *board[c + 1 :]), 3 - mover, depth - 1, ply + 1) for c in free]
    return max(scores) if mover == 1 else min(scores)


def test_minimax_passes_up_what_a_plain_search_does_and_bids_what_moving_gains():
    for asked in random_decisions(40, seed=3):
        said = []
        thinker = players.contest_player("minimax", say=said.append, depth=3)
        scores = [plain_minimax(asked.board, mover, 3) for mover in (1, 2)]
        bid = thinker.bid(asked)
        shares = [max(-1, min(1, score / 100)) for score in scores]
        assert bid == min(max(round(TOTAL * (shares[0] - shares[1]) / 4), min(1, asked.gold)), asked.gold)
        assert f"{scores[0]:+d} if we move, {scores[1]:+d} if they do" in said[-1]
        after = list(asked.board)
        after[thinker.cell(asked)] = 1
        assert plain_minimax(tuple(after), 2, 2, 1) == scores[0]
    one_move = ContestDecision(True, (1, 1, 0, 2, 2, 0, 0, 0, 0), 4, True)
    assert players.contest_player("minimax").bid(one_move) == 4  # who moves wins: half of all gold


def test_alphabeta_answers_as_minimax_does_and_cuts():
    cuts = 0
    for asked in random_decisions(40, seed=3):
        said: dict[str, list[str]] = {"minimax": [], "alphabeta": []}
        one, other = (players.contest_player(name, say=said[name].append, depth=3) for name in said)
        assert (one.bid(asked), one.cell(asked)) == (other.bid(asked), other.cell(asked))
        cuts += sum("cut:" in line for line in said["alphabeta"])
        assert len(said["alphabeta"]) <= len(said["minimax"])
    assert cuts > 100


def test_an_unknown_player_and_a_depth_that_is_none_are_refused():
    with pytest.raises(UnknownName, match="minmax"):
        players.contest_player("minmax")
    with pytest.raises(OptionError, match="1 to 9"):
        players.contest_player("minimax", depth=0)


def test_the_program_takes_a_player_and_tells_on_standard_error_what_it_went_by():
    answered = subprocess.run(
        [sys.executable, "-m", "stratagem", "contest", "--player", "minimax", "--depth", "1", "--debug"],
        input=ask("X", "PLAY", "1 1 1", "1 0 0", ("XX_", "___", "___")),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert answered.stdout == "0 2\n"
    assert "max of" in answered.stderr and "c1 +108" in answered.stderr
    refused = subprocess.run(
        [sys.executable, "-m", "stratagem", "contest", "--player", "oracle"],
        input=ask(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert refused.returncode == 2 and "unknown player" in refused.stderr and "Traceback" not in refused.stderr


# ------------------------------------------------------------------------------------------------------------ referee


def test_two_honest_programs_play_a_game_whose_record_plays_again(program):
    played = play_game((Seat(program(HONEST)), Seat(program(HONEST, "other"))))
    assert (played.winner, played.reason, played.forfeits) == ("X", "three in a row", [])
    _, winners, _ = after_auctions(*played.bids)
    board = ["_"] * 9
    for winner, cell in zip(winners, played.cells, strict=True):
        row, column = map(int, cell.split())
        assert board[3 * row + column] == "_" and finished("".join(board)) is None
        board[3 * row + column] = "XO"[winner]
    assert "".join(board) == played.board and finished(played.board) == "X"


def test_gold_is_kept_from_the_histories(program):
    """A program that checks its input sees purses that follow from the bids, whatever it said before."""
    checking = """
    from stratagem.protocols.contest import read
    asked = read('\\n'.join(lines))
    print(min(2, asked.gold) if asked.bidding else '%d %d' % divmod(asked.board.index(0), 3))
    """
    command = program(checking).replace(" -S ", " ")
    played = play_game((Seat(command, 20), Seat(command, 20)))
    assert not played.forfeits, played.reason
    gold, _, _ = after_auctions(*played.bids)
    assert sum(gold) == TOTAL == sum(played.json()["gold"])


FAULTS = {
    "hangs": ("time.sleep(600)", "no answer within"),
    "answers and stays": ("print(1, flush=True); time.sleep(600)", "no answer within"),
    "dies": ("sys.exit(3)", "status 3"),
    "crashes": ("raise RuntimeError('out of ideas')", "out of ideas"),
    "is killed": ("os.kill(os.getpid(), 9)", "signal 9"),
    "says nothing": ("pass", "printed nothing"),
    "prints rubbish": ("print('I bid one')", "'I bid one'"),
    "prints bytes that are no text": ("os.write(1, b'\\xff\\xfe\\n')", "whole number"),
    "talks too much": ("print('thinking'); print(1)", "2 lines"),
    "prints for ever": ("\nwhile True: print('1' * 1000)", "more than 200"),
    "overbids": ("print(5)", "4 gold"),
    "bids less than nothing": ("print(-1)", "'-1'"),
    "bids a half": ("print(0.5)", "'0.5'"),
}


@pytest.mark.parametrize("fault", list(FAULTS))
def test_a_program_at_fault_forfeits_and_the_record_says_why(program, fault):
    body, reason = FAULTS[fault]
    seconds = 1.0 if "within" in reason else 120.0  # which a busy machine does not use up
    played = play_game((Seat("rules"), Seat(program(body), seconds)))
    assert played.winner == "X" and played.forfeits == ["O"]
    assert reason in played.reason
    assert json.loads(json.dumps(played.json()))["reason"] == played.reason


@pytest.mark.parametrize("cell", ["0 0", "3 0", "1", "b2", "0 0 0", ""])
def test_an_illegal_cell_forfeits(program, cell):
    bot = program(f"print(1) if lines[1] == 'BID' else print({cell!r})")
    played = play_game((Seat(bot, 120), Seat("sample")), seed=5)
    assert played.forfeits == ["X"] and played.winner == "O"
    assert "cell" in played.reason or "nothing" in played.reason


def test_clamping_takes_illegal_answers_as_the_nearest_legal_ones(program):
    greedy = program("print(99) if lines[1] == 'BID' else print('9 9')")
    played = play_game((Seat(greedy, 120), Seat("sample")), illegal="clamp", seed=2)
    assert not played.forfeits and played.notes
    assert played.bids[0][0] == 4 and "taken as 4" in played.notes[0]
    assert any("taken as 0 0" in note for note in played.notes)
    with pytest.raises(OptionError, match="forfeit or clamp"):
        play_game((Seat("exact"), Seat("sample")), illegal="ignore")


def test_two_programs_at_fault_both_lose():
    standings = ProgramStanding("a"), ProgramStanding("b")
    played = play_game((Seat(f"{sys.executable} -S -c pass"), Seat(f"{sys.executable} -S -c pass")))
    count_in(standings, played, False)
    assert played.winner is None and played.forfeits == ["X", "O"]
    assert [one.lost for one in standings] == [one.forfeits for one in standings] == [1, 1]


def test_a_match_goes_on_after_a_fault_and_counts_everything(program, tmp_path):
    """A program that fails as O and plays well as X."""
    moody = program("if lines[0] == 'O': sys.exit('not as O')\n" + textwrap.dedent(HONEST))
    standings, records = run_match((Seat(moody, 120), Seat("sample")), 4, seed=1)
    assert len(records) == 4 and [r.seats[0] == moody for r in records] == [True, False, True, False]
    mine, other = standings
    assert mine.games == other.games == 4 and mine.forfeits == 2
    assert (mine.won, mine.drawn, mine.lost) == (other.lost, other.drawn, other.won)
    assert "not as O" in records[1].reason


def test_a_program_that_floods_standard_error_takes_no_room(program):
    """200 MB of it, where the last bytes are kept."""
    bot = program("for _ in range(200): os.write(2, b'x' * (1 << 20))\nos.write(2, b'\\nout of ideas\\n'); sys.exit(3)")
    tracemalloc.start()
    try:
        record = play_game((Seat(bot, 120), Seat("exact")))
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()
    assert "ended with status 3: out of ideas" in record.reason, record.reason


def test_what_a_program_starts_ends_with_it(program, tmp_path):
    child = tmp_path / "child"
    bot = program(
        f"import subprocess\nopen({str(child)!r}, 'w').write(str(subprocess.Popen(['sleep', '600']).pid))\nprint(1)"
    )
    play_game((Seat(bot, 120), Seat("exact")))
    assert ended(int(child.read_text()))


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="only Linux tells what other processes carry")
def test_what_a_program_starts_in_a_session_of_its_own_ends_with_it_too(program, tmp_path):
    """It has left the group, and its parent is gone."""
    child = tmp_path / "child"
    started = f"['setsid', 'sh', '-c', 'echo $$ > {child}.new; mv {child}.new {child}; exec sleep 600']"
    bot = program(
        f"import subprocess\nif os.fork() == 0:\n    subprocess.Popen({started}); os._exit(0)\n"
        f"while not os.path.exists({str(child)!r}): time.sleep(0.01)\nprint(1)"
    )
    play_game((Seat(bot, 120), Seat("exact")))
    assert ended(int(child.read_text()))


def test_an_interrupted_match_ends_with_130(program):
    bot = program("time.sleep(60)")
    command = [sys.executable, "-m", "stratagem", "contest", "match", bot, "random", "--seconds", "60"]
    with subprocess.Popen(command, start_new_session=True) as match:
        children = Path(f"/proc/{match.pid}/task/{match.pid}/children")
        while match.poll() is None and not children.read_text():
            time.sleep(0.05)
        match.send_signal(signal.SIGINT)
        assert match.wait(60) == 130


def test_the_exact_player_wins_every_game_as_x_against_all():
    for opponent in players.PLAYERS:
        for seed in range(6):
            assert play_game((Seat("exact"), Seat(opponent)), seed=seed).winner == "X"


def test_the_command_prints_a_table_and_writes_a_record(program, tmp_path):
    record = tmp_path / "match.jsonl"
    found = run("contest", "match", program("sys.exit(7)"), "sample", "--games", "2", "--record", str(record))
    assert found.code == 0 and "forfeits" in found.out and "status 7" in found.out
    games = [json.loads(line) for line in record.read_text().splitlines()]
    assert [game["game"] for game in games] == [1, 2] and games[0]["winner"] == "O"
    lines = run("contest", "match", "exact", "random", "--json").out.splitlines()
    assert json.loads(lines[-1])["table"][0]["won"] == 2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("nosuchprogram", "exact"), "no program 'nosuchprogram'"),
        (("'unclosed", "exact"), "no command"),
        (("", "exact"), "a program is a command"),
        (("exact", "exact", "--games", "0"), "1 or more"),
        (("exact", "exact", "--seconds", "0"), "more than 0"),
        (("exact", "exact", "--illegal", "maybe"), "forfeit or clamp"),
    ],
)
def test_matches_that_cannot_be_are_refused_in_a_line(arguments, reason):
    found = run("contest", "match", *arguments)
    assert found.code == 2 and reason in found.err and "Traceback" not in found.err


def test_what_the_referee_asks_is_what_the_program_reads():
    played = play_game((Seat("exact"), Seat("rules")), seed=3)
    played.bids[0].pop(), played.bids[1].pop()
    last = played.cells.pop()
    cell = 3 * int(last[0]) + int(last[2])
    played.board = played.board[:cell] + "_" + played.board[cell + 1 :]
    gold, _, holder = after_auctions(*played.bids)
    for side in (0, 1):
        asked = read(question(side, "BID", played))
        assert (asked.gold, asked.holds, asked.bidding) == (gold[side], holder == side, True)
