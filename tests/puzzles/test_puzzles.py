"""Puzzles: one plan is ahead, what is hidden stays hidden, answers are judged, and files go on where they were."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from command import run

import stratagem
from stratagem import Clock
from stratagem.contract.companions.puzzling import SOLVE, Puzzling
from stratagem.puzzles import Puzzle, load, making, numbered, of_game, of_mistakes, shipped, today
from stratagem.puzzles.making import Quarry, Solved, make, verify
from stratagem.review import JudgedDecision, positions_of
from stratagem.store.record import Record

# X wins at c1 alone; a player that looks nowhere need not see it
OPEN = Puzzling("find the only move", player="random", judge=SOLVE, decoy="random", margin=1.0, stray=0.5, plies=(3, 7))


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """One small game that makes puzzles, in place of all others."""
    monkeypatch.setattr(making, "declared", lambda names=(): [("tictactoe", 0, OPEN)])


def test_there_are_two_hundred_over_five_games_each_with_a_plan_ahead() -> None:
    found = shipped()
    assert len(found) >= 200 and len({one.game for one in found}) >= 5
    assert len({one.id for one in found}) == len(found), "each is there once"
    for one in found:
        assert one.value - one.second_value >= one.margin - 1e-9, one.number
        assert one.decoy not in one.best and one.second not in one.best
        assert [one.number for one in found] == list(range(1, len(found) + 1))


def test_a_puzzle_holds_what_its_seat_sees_and_its_plans_are_legal() -> None:
    for name in {one.game for one in shipped()}:
        for one in of_game(name)[:3]:
            position = one.rules().parse(one.position_text)
            assert str(position.view(one.seat)) == one.position_text, "nothing is in it that the seat does not see"
            assert one.seat in position.asked
            assert one.read(one.best[0]) == one.best[0] and one.read(one.second) == one.second
            assert one.said(one.best[0]) and len(one.hints()) >= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({one.game for one in shipped()}))
def test_puzzles_hold_when_they_are_judged_anew_with_other_lots(name: str) -> None:
    faults = [verify(one, seed=99) for one in of_game(name)[::8]]
    assert sum(fault is not None for fault in faults) <= len(faults) // 5, faults
    assert all(fault is None for fault, one in zip(faults, of_game(name)[::8], strict=True) if one.proved)


def test_every_puzzle_has_its_day_before_one_comes_again() -> None:
    known = [puzzle(number) for number in range(1, 13)]
    day = datetime.date(2026, 11, 16)
    seen = [today(day + datetime.timedelta(k), known).number for k in range(12)]
    assert sorted(seen) == list(range(1, 13)) and seen != sorted(seen)
    assert today(day + datetime.timedelta(12), known).number == seen[0]


def puzzle(number: int = 1, **changes: Any) -> Puzzle:
    reported: dict[str, Any] = {
        "game": "tictactoe", "options": {}, "position": "XX_OO____", "seat": 0, "task": "win", "best": ["c1"],
        "value": 1.0, "second": "c2", "second_value": 0.0, "margin": 1.0, "proved": True, "judge": SOLVE, "decoy": "c2",
        "values": {"c1": 1.0, "c2": 0.0, "a3": -1.0, "b3": -1.0, "c3": -1.0},
    }  # fmt: skip
    return Puzzle.of_json({**reported, **changes}, number)


def test_an_answer_is_right_or_better_exists() -> None:
    one = puzzle()
    right, wrong = one.check("c1"), one.check("a3")
    assert right.right and right.loss == 0.0
    assert not wrong.right and (wrong.value, wrong.best_value, wrong.loss) == (-1.0, 1.0, 2.0)
    with pytest.raises(stratagem.IllegalMove):
        one.check("a1")


def test_an_answer_that_nobody_compared_is_weighed_by_an_engine_and_may_be_as_good() -> None:
    one = puzzle(proved=False, values={"c1": 1.0}, margin=0.4)
    asked: list[Any] = []

    class Weighing:
        def __init__(self, worth: float) -> None:
            self.worth = worth

        def choose(self, position: Any, seat: int) -> Any:
            raise AssertionError("only a comparison is asked for")

        def compare(self, position: Any, seat: int, moves: Any) -> dict[str, float]:
            asked.append((seat, tuple(moves)))
            return {moves[0]: self.worth, moves[1]: 0.9}

    assert one.check("c2", asking=Weighing(0.75)).right
    verdict = one.check("c2", asking=Weighing(0.6))
    assert not verdict.right and verdict.loss == pytest.approx(0.3)
    assert asked[0] == (0, ("c2", "c1"))


def test_every_turn_of_minions_that_wins_at_once_is_right_and_no_other() -> None:
    one = of_game("minions")[0]
    assert one.goal and one.task == "win the game this turn"
    won = one.check(one.best[0])
    assert won.right and one.position().play(one.best[0]).over
    parts = one.best[0].split(";")
    march = one.check(";".join(["tech 1", *parts[1:]]))
    assert march.right, "another turn that wins"
    assert not one.check("tech 1").right and not one.check(one.decoy).right
    hints = one.hints()
    assert len(hints) == 3 and hints[1].startswith("it begins so: board 0") and "who dies" not in hints[2]


def test_the_solver_tells_what_every_move_is_worth() -> None:
    game = stratagem.game("tictactoe")
    found = Solved(game).choose(game.parse("XX_OO____"), Clock(), lines=9)
    assert found.move == "c1" and found.values["c1"] == 1.0 and found.values["a3"] == -1.0
    assert all(line.error == 0.0 for line in found.lines)


def test_a_position_makes_a_puzzle_only_where_one_move_is_ahead() -> None:
    game = stratagem.game("tictactoe")
    quarry = Quarry("tictactoe", 0, OPEN, 1)

    class Blind(stratagem.RandomPlayer):
        def answer(self, request: stratagem.Request) -> stratagem.Choice:
            return stratagem.Choice("c3")

    quarry.decoy = Blind(game)
    found = quarry.examine(game.parse("XX_OO____"), 0)
    assert found is not None and found.best == ("c1",) and found.proved
    assert quarry.examine(game.start(), 0) is None, "all first moves draw"
    two = game.parse("XX_X__O_O")  # c1 and a3 win alike
    assert quarry.examine(two, 0) is None


def test_a_file_goes_on_where_it_was_and_the_same_seed_makes_the_same(tmp_path: Path, declared: None) -> None:
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    make(whole, count=6, seed=3)
    reported: list[tuple[str, int, int, int]] = []
    make(parts, count=2, seed=3)
    make(parts, count=6, seed=3, progress=lambda *state: reported.append(state))
    assert [one.position_text for one in load(whole)][:2] == [one.position_text for one in load(parts)][:2]
    assert len(load(parts)) == len(load(whole)) == 6 and reported[-1][:3] == ("tictactoe", 6, 6)
    for one in load(whole):
        assert verify(one) is None


def test_an_interrupted_run_keeps_what_it_has_found(
    tmp_path: Path, declared: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, real, found = tmp_path / "puzzles.jsonl", Quarry.examine, 0

    def interrupted(self: Quarry, position: Any, seat: int) -> Any:
        nonlocal found
        made = real(self, position, seat)
        found += made is not None
        if found > 2:
            raise KeyboardInterrupt
        return made

    monkeypatch.setattr(Quarry, "examine", interrupted)
    ran = run("puzzles", "make", "--out", file, "--count", "9")
    assert ran.code == 130 and "2 puzzles are in" in ran.err and len(load(file)) == 2
    monkeypatch.setattr(Quarry, "examine", real)
    ran = run("puzzles", "make", "--out", file, "--count", "4")
    assert ran.code == 0 and len(load(file)) == 4, ran.err


def test_a_file_that_holds_no_puzzles_is_reported_by_its_line(tmp_path: Path) -> None:
    file = tmp_path / "wrong.jsonl"
    file.write_text(json.dumps(puzzle().json()) + "\n{}\n")
    with pytest.raises(stratagem.ParseError, match="line 2 of"):
        load(file)
    with pytest.raises(stratagem.OptionError, match="numbered from 1 to"):
        numbered(10_000)


def test_the_terminal_asks_for_a_plan_and_says_what_it_is_worth(tmp_path: Path) -> None:
    file = tmp_path / "puzzles.jsonl"
    file.write_text(json.dumps(puzzle().json()) + "\n")
    given = "moves\na1\nhint\na3\nc1\n"
    ran = run("puzzle", "1", "--file", file, stdin=given, XDG_DATA_HOME=str(tmp_path))
    assert ran.code == 0, ran.err
    for words in ("X: win.", "not this, though it looks natural", "better exists", "right:"):
        assert words in ran.out, ran.out
    assert "solved" in run("puzzles", "list", "--file", file, XDG_DATA_HOME=str(tmp_path)).out
    shown = json.loads(run("puzzle", "tictactoe", "--file", file, "--json").out)
    assert shown["position"] == "XX_OO____" and "best" not in shown
    assert "next best" in run("puzzle", "--file", file, stdin="solution\n", XDG_DATA_HOME=str(tmp_path)).out
    assert run("puzzle", "chess", "--file", file).code == 2
    assert "1 of 1 puzzles hold" in run("puzzles", "verify", "--file", file).out


def test_making_of_a_game_that_declares_none_is_refused(tmp_path: Path) -> None:
    ran = run("puzzles", "make", "nim", "--out", tmp_path / "x.jsonl")
    assert ran.code == 2 and "nim declares no puzzles" in ran.err


THROWN = ["a1", "a2", "b1", "b2", "c3", "c2"]  # X could win at c1, and O then wins at c2


def test_mistakes_of_a_saved_game_are_asked_until_they_are_found_without_a_miss(tmp_path: Path) -> None:
    file = tmp_path / "thrown.json"
    Record("tictactoe", {}, THROWN, seats=["you", "random"]).save(file)

    def asked(*given: str, which: tuple[str, ...] = ()) -> str:
        ran = run("puzzle", *which, "--from", file, stdin="\n".join(given) + "\n", XDG_DATA_HOME=str(tmp_path))
        assert ran.code == 0, ran.err
        return ran.out

    said = asked("hint", "c3", "c1", "quit")
    assert "mistake 1" in said and "played: " in said and "not what was played" in said and "once more" in said
    assert said.count("right:") == 1 and "1 left" in said
    assert asked("c1").count("right:") == 1, "one that was missed was not learned, and is asked again"
    assert "all 1 mistakes are solved" in asked()
    assert "right:" in asked("c1", which=("1",))
    shown = run("puzzle", "--from", file, "--json", XDG_DATA_HOME=str(tmp_path))
    assert json.loads(shown.out)["position"] == "XX_OO____" and "c1" not in shown.out
    assert run("puzzle", "--from", file, "--file", file).code == 2


def test_mistakes_are_those_of_the_seats_asked_about_and_of_small_losses_there_are_none() -> None:
    game = stratagem.game("tictactoe")
    positions = positions_of(game.replay(THROWN))
    judged = [JudgedDecision(4, 0, "c3", -1.0, "c1", 1.0), JudgedDecision(3, 1, "b2", 0.3, "c1", 0.39)]
    (one,) = of_mistakes(positions, judged, "alphabeta")
    assert (one.seat, one.best, one.decoy, one.number) == (0, ("c1",), "c3", 1) and one.check("c1").right
    assert not one.check("a3").right and of_mistakes(positions, judged, "alphabeta", [1]) == []
    assert Puzzle.of_json(json.loads(json.dumps(one.json())), 1).played
