"""Matches by pairs (`benchmarks/strength/skirmish.py`): the cards of the two games, and the file of results."""

import json
from collections import Counter
from pathlib import Path

import pytest

import stratagem
from stratagem.kernel import CHANCE


@pytest.fixture
def matches(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[3]))
    from benchmarks.strength import skirmish

    return skirmish


def dealt(matches, game, seed):
    cards, position = matches.Cards(game, seed), game.start()
    while position.turn == CHANCE:
        position = position.play(cards.draw(position))
    return cards, position


def test_both_games_of_a_pair_have_one_deal_and_another_pair_has_another(matches):
    game = stratagem.game("skirmish")
    (_, one), (_, same), (_, other) = (dealt(matches, game, seed) for seed in (1, 1, 2))
    assert str(one) == str(same) != str(other)


def test_a_side_draws_the_same_cards_whatever_the_other_has_drawn(matches):
    game = stratagem.game("skirmish")
    after = []
    for turns in (["end", "end"], ["back", "end", "end"]):  # the first side puts a card back, or does not
        cards, position = dealt(matches, game, 3)
        second = position.view(1)
        for word in turns:
            position = position.play(next(m for m in position.moves() if m.startswith(word)))
            while position.turn == CHANCE:
                position = position.play(cards.draw(position))
        assert position.turn == 0 and second.seat == 1
        after.append(str(position.view(1)).split()[4].split("/")[1])
    assert after[0] == after[1]


def test_every_card_that_may_come_is_drawn_alike(matches):
    game = stratagem.game("skirmish")  # units are dealt first: three of each kind, and one scout
    first = Counter(matches.Cards(game, seed).draw(game.start()) for seed in range(650))
    assert 30 < first.pop("scout") < 75
    assert len(first) == 4 and all(115 < n < 190 for n in first.values()), first


def test_pairs_of_a_file_are_known_again_and_broken_lines_passed_over(matches, tmp_path):
    file = tmp_path / "pairs.jsonl"
    row = {"points": 5, "ours": "oep", "opponent": "emcts", "seconds": 0.1, "seed": 4, "scores": [1.0, 0.5]}
    file.write_text(json.dumps({**row, "clock": "processor"}) + "\n" + json.dumps(row) + "\n" + '{"points": 5, "ou')
    rows = matches.read(file)
    by_processor = matches.Match(5, "oep", "emcts", 0.1)
    assert set(rows) == {by_processor, by_processor._replace(clock="wall")}
    assert matches.reported(list(rows[by_processor].values())).startswith("0.750 ± ")
    assert matches.reported([]) == "no pair yet"
