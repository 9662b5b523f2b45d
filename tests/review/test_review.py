"""Reviews: planted blunders are found, hidden games are judged by what the seat knew, and games read back from text."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

import pytest
from command import run

import stratagem
from stratagem import CHANCE, Choice, Clock, Line, Position
from stratagem.review import JudgedDecision, Review, judging, positions_of, review
from stratagem.rng import generator
from stratagem.store.record import Record
from stratagem.store.sgf import read_sgf, write_sgf
from stratagem.store.text import read_game, write_game

TICTACTOE = stratagem.game("tictactoe")
OTHELLO = stratagem.game("othello", size=6)


def test_a_thrown_win_is_the_worst_decision_and_the_better_move_is_named() -> None:
    last = TICTACTOE.replay(["a1", "a2", "b1", "b2", "c3", "c2"])  # X could win at c1, and O then wins at c2
    found = review(last)
    worst = found.worst(1)[0]
    assert (worst.ply, worst.seat, worst.move, worst.best, worst.loss) == (4, 0, "c3", "c1", 2.0)
    accuracy = [found.accuracy(seat) for seat in (0, 1)]
    assert accuracy[0] is not None and accuracy[1] is not None and accuracy[0] < accuracy[1]


def test_perfect_play_loses_nothing() -> None:
    engine, position = stratagem.player(TICTACTOE, "alphabeta"), TICTACTOE.start()
    while not position.over:
        position = position.play(engine.choose(position, Clock()).move)
    found = review(position)
    assert found.worst() == [] and found.accuracy(0) == found.accuracy(1) == 100.0


def test_the_course_of_a_game_is_a_picture_with_words() -> None:
    found = review(TICTACTOE.replay(["a1", "a2", "b1", "b2", "c3", "c2"]))
    drawn = ElementTree.fromstring(found.svg())
    assert drawn.tag.endswith("svg") and "c3 lost 2.00" in found.svg()


def test_what_nobody_knows_costs_nothing() -> None:
    unknown = JudgedDecision(0, 0, "a", None, "b", 1.0)
    assert unknown.loss == 0.0 and Review(TICTACTOE, "mcts", (unknown,)).accuracy(0) is None


def test_a_seat_is_judged_by_what_it_knew() -> None:
    """The same decision in two worlds that differ in what the seat cannot see is worth the same."""
    game = stratagem.game("goofspiel", cards=4)
    start = game.start(seed=3)
    one, other = (start.play([start.moves(0)[0], reply]) for reply in start.moves(1)[:2])
    values = [review(last, engine="mcts:simulations=2000").decisions[0] for last in (one, other)]
    assert values[0] == values[1] and values[0].seat == 0


def test_values_of_secret_bids_are_for_the_seat_that_is_asked() -> None:
    game = stratagem.game("bidding", chips=(1, 7))
    exact = stratagem.player(game, "exact")
    first, second = (exact.choose(game.start(), Clock(), seat=seat) for seat in (0, 1))
    assert first.value is not None and second.value is not None and first.value == -second.value < 0
    known = [line.value for line in second.lines if line.value is not None]
    assert max(known) == second.value > min(known), "some bid gives away what the others keep"
    assert all(line.error == 0.0 for line in second.lines)


def test_a_move_that_the_engine_did_not_list_is_compared_with_its_best_on_equal_terms() -> None:
    asked: list[tuple[str, ...]] = []

    class Hasty:
        """Lists one move, and weighs what it is given."""

        def choose(self, position: Position, seat: int) -> Choice:
            return Choice("b2", 0.9, (Line(("b2",), 0.9),))

        def compare(self, position: Position, seat: int, moves: Sequence[str]) -> dict[str, float]:
            asked.append(tuple(moves))
            return {moves[0]: 0.1, moves[1]: 0.3}

    last = TICTACTOE.replay(["a1", "b2"])
    found = [one for _, judged in judging(positions_of(last), Hasty()) for one in judged]
    assert asked == [("a1", "b2")], "what it lists is not asked for again"
    assert (found[0].value, found[0].best_value) == (0.1, 0.3) and found[0].loss == pytest.approx(0.2)
    assert found[1].loss == 0.0


@pytest.mark.slow
def test_programmes_that_were_not_considered_are_weighed_beside_the_best() -> None:
    game = stratagem.game("roborally", robots=2)
    view = game.start(seed=4)
    while view.turn == CHANCE:
        view = view.play(view.sample(generator(1)))
    view = view.view(0)
    engine = stratagem.player(game, "montecarlo:simulations=2000", seed=1)
    best = engine.choose(view, Clock(), seat=0, lines=3).move
    other = view.sample(generator(9), 0)
    found = engine.weigh(view, [best, other], Clock(), seat=0)
    assert set(found) == {best, other} and found[best] >= found[other] - 0.06


def _with_a_random_move(seed: int) -> tuple[Position, int]:
    """A game of the engine against itself in which one decision, not the engine's own, was drawn by lot."""
    draws, engine = random.Random(seed), stratagem.player(OTHELLO, "alphabeta:depth=5")
    position, planted = OTHELLO.start(), -1
    wanted = draws.randint(4, 24)
    while not position.over:
        move = engine.choose(position, Clock()).move
        others = [other for other in position.moves() if other != move]
        if planted < 0 and len(position.history) >= wanted and others:
            move, planted = draws.choice(others), len(position.history)
        position = position.play(move)
    return position, planted


def _found(seed: int) -> bool:
    last, planted = _with_a_random_move(seed)
    return planted in [judged.ply for judged in review(last, engine="alphabeta:depth=5").worst(3)]


def test_planted_blunders_are_among_the_three_worst() -> None:
    assert sum(_found(seed) for seed in range(6)) >= 5


@pytest.mark.slow
def test_of_a_hundred_planted_blunders_ninety_are_among_the_three_worst() -> None:
    assert sum(_found(seed) for seed in range(100)) >= 90


@pytest.mark.parametrize("name", ["connect4", "bidding", "pig", "risk", "minions", "roborally", "draft", "blotto"])
def test_games_read_back_from_their_text(name: str) -> None:
    game, rng = stratagem.game(name), generator(5)
    position = game.start(seed=1)
    for _ in range(12):
        if position.over:
            break
        asked = position.asked
        move = position.sample(rng) if len(asked) < 2 and position.turn != -3 else None
        joint = [position.sample(rng, p) if p in asked else "-" for p in range(game.players)]
        position = position.play(joint if len(asked) > 1 or move is None else move)
    record = Record.of(position, ["you"] * game.players, 9, "somebody resigned")
    again = read_game(write_game(record))
    assert (again.moves, again.seats, again.seed, again.ended) == (record.moves, record.seats, 9, "somebody resigned")
    assert again.position() == position


def test_board_games_read_back_from_sgf_and_others_say_why_not() -> None:
    position = stratagem.game("othello").replay(["d3", "c3", "c4", "e3"])
    sgf = write_sgf(Record.of(position, ["Ann", "B]en"], 0))
    assert sgf.startswith("(;FF[4]GM[2]GN[othello]SZ[8]PB[Ann]PW[B\\]en]\n;B[dc]\n;W[cc]")
    assert read_sgf(sgf).position() == position
    with pytest.raises(stratagem.OptionError, match="pig is not written as SGF"):
        write_sgf(Record.of(stratagem.game("pig").start(), ["a", "b"], 0))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1. 4\n", "names no game"),
        ('[Game "connect4"]\n2. 4\n', "line 2 is decision 2; 1 comes next"),
        ('[Game "connect4"]\nhello\n', "line 2, 'hello', is neither"),
        ('[Game "connect4"]\n[Colour "red"]\n', "header 'Colour'"),
    ],
)
def test_a_text_that_is_no_game_is_reported_by_its_line(text: str, says: str) -> None:
    with pytest.raises(stratagem.ParseError, match=says):
        read_game(text)


def test_the_command_line_reviews_and_exports_a_saved_game(tmp_path: Path) -> None:
    file, text, svg = tmp_path / "game.json", tmp_path / "game.txt", tmp_path / "game.svg"
    Record.of(TICTACTOE.replay(["a1", "a2", "b1", "b2", "c3", "c2"]), ["you", "easy"], 1).save(file)
    assert run("export", file, "--out", text).code == 0 and text.read_text().startswith('[Game "tictactoe"]')
    for source in (file, text):
        found = run("review", source, "--svg", svg)
        assert found.code == 0, found.err
        assert "X: accuracy" in found.out and "c3" in found.out and "c1" in found.out
    assert svg.read_text().startswith("<svg")
    assert run("export", text, "--as", "json", "--out", tmp_path / "back.json").code == 0
    assert Record.load(tmp_path / "back.json").position() == Record.load(file).position()
    assert "cannot" in run("review", tmp_path / "none.json").err or run("review", tmp_path / "none.json").code == 2
