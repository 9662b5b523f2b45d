"""What a draft plan is: its text, its number, a random one; the references list them all."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from stratagem.errors import IllegalMove, OptionError, ParseError
from stratagem.plans.draft import PASS, Draft, round_robin, snake
from stratagem.rng import generator

FRUIT = Draft(("apple", "banana", "cherry", "date", "elder"), ((1, 2, 3, 4, 5),) * 2, snake(2, 4))
LIMITED = Draft(("q1", "q2", "r"), ((3, 2, 1), (3, 2, 1)), (0, 1, 0), ("Q", "Q", "R"), {"Q": 1})


def test_plans_are_numbered_in_the_order_of_a_list_of_them_all():
    every = list(permutations(range(5), 4))
    assert FRUIT.count() == len(every)
    assert [FRUIT.unrank(k) for k in range(len(every))] == every
    assert [FRUIT.rank(plan) for plan in every] == list(range(len(every)))


def test_plans_are_numbered_from_any_node():
    node = FRUIT.after(("cherry", "apple"))
    every = list(permutations((1, 3, 4), 2))
    assert FRUIT.count(node) == 6
    assert [FRUIT.unrank(k, node) for k in range(6)] == every
    assert [FRUIT.rank(plan, node) for plan in every] == list(range(6))


def test_numbers_of_large_drafts_do_not_overflow():
    draft = Draft(tuple(map(str, range(60))), ((1.0,) * 60,) * 3, round_robin(3, 60))
    number = draft.count() * 5 // 7
    assert draft.count() > 2**200
    assert draft.rank(draft.unrank(number)) == number


def test_a_text_is_read_back():
    for number in range(0, FRUIT.count(), 7):
        plan = FRUIT.unrank(number)
        assert FRUIT.parse(FRUIT.text(plan)) == plan
    assert FRUIT.parse("") == ()
    assert FRUIT.text((2, 0)) == "cherry, apple"
    assert LIMITED.text(LIMITED.parse(" q1,r , pass")) == "q1, r, pass"
    assert LIMITED.parse("pass", LIMITED.after(("q1", "r"))) == (PASS,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("apple, apple", r"pick 2: item 'apple' is already taken, by player 0"),
        ("apple, fig", r"pick 2: unknown item 'fig'"),
        ("apple, pass", r"pick 2: player 1 may not pass: 'banana' is legal"),
        ("apple, banana, cherry, date, elder", r"pick 5: the draft is over after 4 turns"),
    ],
)
def test_a_wrong_text_is_refused_with_the_pick(text, message):
    with pytest.raises(ParseError, match=message):
        FRUIT.parse(text)


def test_what_has_no_text_or_number_is_refused():
    with pytest.raises(OptionError, match="'a,b' cannot be a move"):
        Draft(("a,b", "c"), ((1, 2),), (0,)).text((0,))
    with pytest.raises(OptionError, match="plans within limits are not numbered"):
        LIMITED.count()
    with pytest.raises(OptionError, match="there is no plan 120; they go from 0 to 119"):
        FRUIT.unrank(120)
    with pytest.raises(OptionError, match="a plan has 4 picks here, not 2"):
        FRUIT.rank((0, 1))
    with pytest.raises(IllegalMove, match="pick 2 of the plan is item 0, which is not free"):
        FRUIT.rank((0, 0, 1, 2))


def test_random_plans_are_legal_all_alike_and_repeat_by_their_seed():
    rng = generator(1)
    seen = np.bincount([FRUIT.rank(FRUIT.sample(rng)) for _ in range(12_000)], minlength=120)
    assert seen.min() > 60  # 100 each, with a spread of 10
    assert FRUIT.sample(generator(2)) == FRUIT.sample(generator(2))
    for seed in range(20):
        LIMITED.after(LIMITED.sample(generator(seed)))
        assert len(FRUIT.sample(generator(seed), FRUIT.after(("date",)))) == 3
