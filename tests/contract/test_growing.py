"""Plans that grow part by part, and what was decided in words: the code that terminal and web share."""

from __future__ import annotations

from pathlib import Path

import pytest
from toys.caravan import CARGOES, Caravan, CaravanPosition
from toys.kuhn import Kuhn

import stratagem
from stratagem import IllegalMove, StratagemError, Unlistable
from stratagem.contract.companions.wording import Wording
from stratagem.contract.growing import GrowingPlan
from stratagem.contract.words import folded, in_words
from stratagem.kernel import NOBODY
from stratagem.rng import generator
from stratagem.testing import conform


def day() -> CaravanPosition:
    """Ann's first day: she carries saffron, Ben indigo."""
    return Caravan().start().play("saffron/indigo").play("north | south")


def test_the_game_of_these_tests_conforms() -> None:
    conform(Caravan())


def test_a_plan_grows_part_by_part_and_is_full_when_nothing_can_be_added() -> None:
    plan = GrowingPlan(day().view(0), 0)
    assert plan.following.next == ("go", "load", "scout") and not plan.following.complete
    plan = plan.add("load", " scout ")
    assert plan.parts == ("load", "scout") and plan.text == "load;scout" and not plan.full
    assert plan.add("go").full and plan.add("go").settled() == ("load;scout;go",)
    assert plan.drop().parts == ("load",) and plan.parts == ("load", "scout"), (
        "a plan does not change, another one is made"
    )


def test_an_illegal_part_is_refused_at_once_and_a_half_plan_is_no_move() -> None:
    plan = GrowingPlan(day().view(0), 0).add("load")
    with pytest.raises(IllegalMove, match="begins with 'load;fly'"):
        plan.add("fly")
    with pytest.raises(StratagemError):
        plan.settled()


def test_where_parts_cannot_be_listed_a_plan_is_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise Unlistable("too many to list")

    view = day().view(0)
    monkeypatch.setattr(CaravanPosition, "moves", refuse)
    plan = GrowingPlan(view, 0)
    assert plan.following.free == "too many to list" and not plan.following.complete
    assert plan.add("whatever").following.complete


def test_what_all_decide_at_once_is_judged_on_the_seats_view() -> None:
    before = Caravan().start().play("saffron/indigo")
    assert GrowingPlan(before.view(1), 1).add("south").settled() == ("south",)
    with pytest.raises(IllegalMove) as refused:
        GrowingPlan.of(before.view(1), 1, "east").settled()
    assert "saffron" not in str(refused.value)


def test_a_line_of_several_moves_must_be_the_seats_own() -> None:
    game = stratagem.game("risk", claim="deal")
    position = game.start(seed=1)
    while position.turn < 0 or "phase=attack" not in str(position):
        position = position.play(position.sample(stratagem.rng.generator(1)))
    seat = position.turn
    first = next(move for move in position.moves() if ">" in move)
    line = GrowingPlan.of(position.view(seat), seat, f"{first} roll 1").settled()
    assert len(line) == 2 and line[0] == first, "an attack and how it is made are two moves of the record"
    with pytest.raises(IllegalMove, match=r"decides more than . may: 'lost 0:1' is not for . to decide"):
        GrowingPlan.of(position.view(seat), seat, f"{first} roll 1; lost 0:1").settled()


def test_a_game_without_words_has_none() -> None:
    otters = stratagem.game(str(Path(__file__).parents[1] / "toys" / "otters.py")).start(seed=1)
    assert in_words(otters, otters.sample(generator(1), 0), 0) is None


@pytest.mark.parametrize(
    ("viewer", "words"),
    [
        (None, "loads saffron 2 times, scouts 0 times"),
        (0, "loads saffron 2 times, scouts 0 times"),
        (1, "loads ? 2 times, scouts 0 times"),
        (NOBODY, "loads ? 2 times, scouts 0 times"),
    ],
)
def test_words_tell_no_more_than_the_viewer_sees_though_the_game_forgets_who_asks(viewer: int, words: str) -> None:
    assert in_words(day(), "load;load;go", viewer) == words


def test_chance_and_joint_moves_have_words_for_each_seat() -> None:
    start = Caravan().start()
    assert in_words(start, "saffron/indigo", None) == "the camels carry saffron and indigo"
    assert in_words(start, "?/?", NOBODY) == "the camels are laden"
    reported = in_words(start.play("saffron/indigo"), "north | south", 0)
    assert reported == "Ann: takes the northern road with saffron; Ben: takes the southern road with ?"


def test_a_move_that_the_viewer_cannot_follow_keeps_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def describe(self: Caravan, position: CaravanPosition, move: str, mover: int, viewer: int | None = None) -> str:
        if "?" in position.held:
            raise IllegalMove("whose cargo that is cannot be seen")
        return f"carries {CARGOES[0]}"

    monkeypatch.setattr(Caravan, "describe", describe)
    assert in_words(day(), "go", None) == "carries saffron" and in_words(day(), "go", 1) is None


def test_plans_are_told_apart_by_what_not_all_of_them_have() -> None:
    plain = Wording()
    assert plain.differences(stratagem.game("nim").start(), ["a;b;c", "a;c", "a;b;b;c"]) == [["b"], [], ["b", "b"]]
    assert day().game.differences(day(), ["load;go", "go"]) == [["1 loaded"], ["0 loaded"]]
    assert plain.differences(Kuhn().start(), []) == []


def test_parts_that_differ_in_their_last_word_alone_are_reported_as_one() -> None:
    parts = ["tech 1", "board 0 move c1c0", "board 0 move d2e2", "board 1 move b3a4", "board 1 buy Z", "board 1 buy Z"]
    assert folded(parts) == ["tech 1", "board 0 move c1c0, d2e2", "board 1 move b3a4", "board 1 buy Z, Z"]
    assert folded(["load", "go", "go"]) == ["load", "go", "go"]
    assert folded([]) == []
