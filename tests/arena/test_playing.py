"""One game, any rules: who is asked, what is recorded, who loses by its own doing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from stratagem.arena.config import GAUNTLET, Config, differences, split_names
from stratagem.arena.playing import forfeit, opening, play_game, replay
from stratagem.errors import OptionError, ParseError, StratagemError
from stratagem.registry import game
from stratagem.store.sqlite import CRASH, ILLEGAL, TIME, TURN_LIMIT, Store

AUCTION = str(Path(__file__).parents[1] / "toys" / "auction.py")


def stored(config: Config, number: int, folder: Path):
    with Store(folder / "games.sqlite") as store:
        (id,) = store.record(None, [play_game(config, config.task(number))])
        return store.game(id), store.decisions(id)


def test_chance_and_secret_joint_moves_are_recorded_and_replay(tmp_path: Path) -> None:
    config = Config(AUCTION, ("random", "highest", "random:seed=2"), games=6)
    found, decisions = stored(config, 0, tmp_path)
    assert len(found.moves) == 8  # four rounds: a prize, then bids
    assert all(move.text.count(" | ") == (2 if ply % 2 else 0) for ply, move in enumerate(found.moves))
    assert found.texts[1].endswith("| -")  # the last seat is not asked in even rounds
    assert Counter(ply for ply, _ in decisions) == {1: 2, 3: 3, 5: 2, 7: 3}
    position = replay(found)
    assert position.payoff == found.result.payoff


def test_a_game_depends_on_its_number_alone() -> None:
    config = Config("pig", ("random", "random:seed=5"), games=20, seed=3)
    once, again = (play_game(config, config.task(7)) for _ in range(2))
    assert [m.text for m in once.moves] == [m.text for m in again.moves]
    other = play_game(config, config.task(9))
    assert [m.text for m in once.moves] != [m.text for m in other.moves]


def test_rotations_of_a_round_share_opening_and_chance() -> None:
    config = Config("connect4", ("random", "alphabeta:depth=1"), games=40, opening_plies=6)
    tasks = [config.task(k) for k in range(config.total)]
    for a, b in zip(tasks[::2], tasks[1::2], strict=True):
        assert a.seats == b.seats[::-1] and a.group == b.group and a.round == b.round
        assert opening(config, a.round).history == opening(config, b.round).history
        assert len(opening(config, a.round).history) == 6
    assert len({opening(config, task.round).history for task in tasks}) > 15


def test_every_line_up_meets_from_every_seat() -> None:
    config = Config("pig", ("random", "expectimax", "strong", "medium"), {"players": 3}, games=24)
    tasks = [config.task(k) for k in range(config.total)]
    assert config.total == 24  # four line-ups of three, three rotations, two rounds
    assert len({frozenset(task.seats) for task in tasks}) == 4
    for player in config.players:
        assert Counter(task.seats.index(player) for task in tasks if player in task.seats) == {0: 6, 1: 6, 2: 6}


def test_two_players_fill_more_seats() -> None:
    config = Config("pig", ("random", "strong"), {"players": 3}, games=1)
    assert set(config.line_ups) == {("random", "random", "strong"), ("random", "strong", "strong")}
    seats = Counter((seat, name) for k in range(config.total) for seat, name in enumerate(config.task(k).seats))
    assert set(seats.values()) == {3}


def test_in_a_gauntlet_the_others_do_not_meet() -> None:
    config = Config("nim", ("random", "easy", "strong"), format=GAUNTLET)
    assert config.line_ups == [("random", "easy"), ("random", "strong")]


def test_a_longer_match_begins_with_the_shorter() -> None:
    short, long = (Config("nim", ("random", "easy", "strong"), games=n, seed=1) for n in (10, 100))
    assert [short.task(k) for k in range(short.total)] == [long.task(k) for k in range(short.total)]


@pytest.mark.parametrize(
    ("what", "reason", "detail"),
    [
        ("crash", CRASH, "RuntimeError: out of ideas"),
        ("refuse", CRASH, "StratagemError: no"),
        ("leave", CRASH, "SystemExit: 3"),
        ("late", TIME, "thought for 1."),
        ("cheat", ILLEGAL, "'99' is not a legal move"),
        ("mumble", ILLEGAL, "no text of a move"),
    ],
)
def test_a_player_at_fault_loses_with_the_reason(what: str, reason: str, detail: str, tmp_path: Path) -> None:
    config = Config(AUCTION, ("random", what, "highest"), games=3, patience=0.5, grace=0.0, first_move=0.5)
    found, _ = stored(config, 0, tmp_path)
    seat = found.seats.index(what)
    assert (found.result.reason, found.result.seat) == (reason, seat) and detail in found.result.detail
    assert found.result.payoff == tuple(0.0 if p == seat else 1.0 for p in range(3))
    assert len(found.moves) >= 2  # the moves until then are kept
    assert not replay(found).over


def test_a_later_move_that_compiles_has_the_time_of_a_first_one() -> None:
    config = Config(AUCTION, ("random", "compile", "highest"), games=3, patience=0.5, grace=0.0, first_move=20.0)
    found = play_game(config, config.task(0))
    assert max(move.seconds or 0.0 for move in found.moves[2:]) > 1.2
    assert found.result is not None and found.result.reason == "over"


def test_forfeits_keep_a_zero_sum() -> None:
    assert forfeit(game("tictactoe"), 0) == (-1.0, 1.0)
    three = forfeit(game("pig", players=3), 1)
    assert sum(three) == 0 and min(three) == three[1]


def test_a_game_is_stopped_at_the_turn_limit(tmp_path: Path) -> None:
    config = Config("connect4", ("random", "random:seed=1"), turn_limit=6)
    found, _ = stored(config, 0, tmp_path)
    assert (found.result.reason, found.result.payoff, len(found.moves)) == (TURN_LIMIT, (0.0, 0.0), 6)
    worth = Config("pig", ("random", "random:seed=1"), turn_limit=30, at_limit="value")
    results = [play_game(worth, worth.task(k)).result for k in range(10)]
    assert any(result.payoff[0] != result.payoff[1] for result in results if result.reason == TURN_LIMIT)


def test_games_are_adjudicated_when_both_agree() -> None:
    config = Config("connect4", ("alphabeta:depth=8", "random"), openings=("4141",), adjudicate=(0.9, 1), seed=1)
    config.check()
    reasons = {play_game(config, config.task(k)).result.reason for k in range(4)}
    assert "over" in reasons  # random reports no value, so nobody agrees with alpha-beta
    agreed = Config("connect4", ("alphabeta:depth=8", "alphabeta:depth=9"), openings=("41415",), adjudicate=(0.9, 1))
    found = play_game(agreed, agreed.task(0)).result
    assert found.reason == "adjudicated" and sorted(found.payoff) == [-1.0, 1.0]


def test_openings_from_a_file_replay(tmp_path: Path) -> None:
    config = Config("tictactoe", ("random", "random:seed=1"), openings=("X_O______", "__X_O____"), games=4)
    config.check()
    for number in range(4):
        found, _ = stored(config, number, tmp_path)
        replay(found)


def test_a_changed_record_does_not_replay(tmp_path: Path) -> None:
    import dataclasses

    config = Config("tictactoe", ("random", "random:seed=1"))
    found, _ = stored(config, 0, tmp_path)
    for change in (
        {"moves": found.moves[:-1]},
        {"moves": (*found.moves[:2], found.moves[0])},
        {"result": dataclasses.replace(found.result, payoff=(5.0, -5.0))},
        {"result": None},
        {"result": dataclasses.replace(found.result, reason="turn limit")},
    ):
        with pytest.raises(StratagemError):
            replay(dataclasses.replace(found, **change))


@pytest.mark.parametrize(
    ("terms", "complaint"),
    [
        ({"players": ("random", "nobody")}, "unknown player of tictactoe 'nobody'"),
        ({"players": ("random", "alphabeta:depht=2")}, "did you mean depth"),
        ({"players": ("random",)}, "two players"),
        ({"players": ("random", "random")}, "named twice"),
        ({"games": 0}, "at least 1"),
        ({"time": float("nan")}, "no clock"),
        ({"turn_limit": 0}, "no game"),
        ({"at_limit": "luck"}, "one of draw, value"),
        ({"at_limit": "value"}, "give no estimate"),
        ({"openings": ("XXXOO____",)}, "finished game"),
        ({"options": {"rows": 99}}, "option rows"),
        ({"opening_plies": 9, "players": ("random", "easy")}, "ask for fewer"),
    ],
)
def test_terms_that_make_no_match_are_refused(terms: dict, complaint: str) -> None:
    config = Config(**{"game": "tictactoe", "players": ("random", "easy"), **terms})
    with pytest.raises(StratagemError, match=complaint):
        config.check()


def test_names_carry_their_game() -> None:
    assert split_names(["connect4/mcts:time=0.2", "connect4/random"]) == ("connect4", ("mcts:time=0.2", "random"))
    assert split_names(["nim/random", "nim/easy", "nim/random"])[1] == ("random", "easy", "random#2")
    assert split_names(["./a/my.py:Mine/x:book=a/b"]) == ("./a/my.py:Mine", ("x:book=a/b",))
    for names, complaint in (
        (["random"], "lacks its game"),
        (["nim/random", "pig/random"], "one game"),
        ([], "at least two"),
    ):
        with pytest.raises(ParseError, match=complaint):
            split_names(names)


def test_a_players_own_time_is_its_clock() -> None:
    config = Config("connect4", ("a", "b"), grace=1.0, patience=30.0)
    assert [config.limit(name) for name in ("mcts:time=0.2", "mcts:seed=1,time=2#2", "random")] == [1.2, 3.0, 31.0]


def test_differences_are_named() -> None:
    a, b = (Config("nim", ("random", "easy"), seed=seed, games=games) for seed, games in ((1, 10), (2, 10)))
    assert differences(a, b) == ["seed was 1, now 2"]
    assert Config.from_json(a.json()) == a


def test_openings_may_hold_chance_and_joint_moves() -> None:
    position = opening(Config(AUCTION, ("random", "highest"), opening_plies=2), 0)
    assert [" | " in text for text in position.history] == [False, True, False, True]


def test_an_opening_that_ends_the_game_is_drawn_again() -> None:
    config = Config("tictactoe", ("random", "easy"), opening_plies=6, seed=4)
    assert all(not opening(config, k).over for k in range(30))
    with pytest.raises(OptionError, match="ask for fewer"):
        opening(Config("tictactoe", ("random", "easy"), opening_plies=9), 0)
