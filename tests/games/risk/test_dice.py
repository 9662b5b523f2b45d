"""Dice as the record tells them beside what they cost."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from games.risk.test_rules import at, through

from stratagem.errors import IllegalMove
from stratagem.games.risk import dice
from stratagem.games.risk.odds import roll
from stratagem.rng import generator


def battle():  # type: ignore[no-untyped-def]
    return through(at("attack", "alaska=A5 kamchatka=B3"), "alaska>kamchatka", "roll 3")


def test_a_roll_is_sampled_with_the_dice_that_cost_it_and_plays_as_it_would_without() -> None:
    position = battle()
    for seed in range(40):
        text = position.sample(generator(seed))
        reported = dice.of(text)
        assert reported is not None and (reported.lost, reported.killed) == dice.losses(text)
        plain = text.partition(dice.BY)[0]
        assert position.play(text) == position.play(plain) and position.play(text).history[-1] == text
        assert dice.of(plain) is None


def test_every_roll_costs_what_the_table_of_odds_says() -> None:
    for attack, defence in product((1, 2, 3), (1, 2)):
        counted: Counter[int] = Counter()
        for faces in product(range(1, 7), repeat=attack + defence):
            sides = (faces[:attack], faces[attack:])
            counted[dice.Roll(*(tuple(sorted(side, reverse=True)) for side in sides)).lost] += 1
        assert [counted[lost] for lost in range(min(attack, defence) + 1)] == list(roll(attack, defence))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("lost 2:0 by 666:11", "cost 0:2"),
        ("lost 1:1 by 66:11", "2 dice to 2"),
        ("lost 1:1 by 667:11", "no dice"),
        ("lost 1:1 by x:y", "no dice"),
    ],
)
def test_dice_that_cannot_be_are_refused(text: str, says: str) -> None:
    with pytest.raises(IllegalMove, match=says):
        battle().play(text)


def test_the_words_and_the_drawing_show_the_dice() -> None:
    position = battle()
    assert "(⚅⚃⚀ to ⚄⚃)" in position.game.describe(position, "lost 1:1 by 641:54", position.turn)
    drawing = position.play("lost 1:1 by 641:54").svg()
    assert drawing.count("a die that shows") == 5 and "rolled 6 4 1 against 5 4" in drawing
