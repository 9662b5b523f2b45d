"""Skirmish beside plain rules, action by action, in random games."""

import random
from collections import Counter

import numpy as np
import pytest
from references.skirmish import Plain

import stratagem
from stratagem.games.skirmish import kernels as k
from stratagem.games.skirmish.maps import DRAWN
from stratagem.games.skirmish.telling import CARD_NAMES, PIECE_NAMES
from stratagem.kernel import CHANCE
from stratagem.rng import generator
from stratagem.testing import conform

VARIANTS = [
    ({}, 2),
    ({"profile": "published", "map": "yard", "deck": "small", "points": 9, "turn_cap": 20}, 2),
    ({"map": "lane", "deck": "tiny", "points": 3, "turn_cap": 30}, 5),
    ({"map": "lane", "deck": "tiny", "points": 20, "turn_cap": 9, "profile": "published"}, 5),
]
FIERCE = 0.7  # share of actions that hurt or heal, where any does: else nothing would ever fall


def plain_of(game, position):
    hands = [cards(position.state, k.HAND + p * k.CARDS) for p in range(2)]
    decks = [cards(position.state, k.DECK + p * k.CARDS) for p in range(2)]
    options = {"points": game.points, "first": game.first_points, "cap": game["turn_cap"]}
    return Plain(DRAWN[game["map"]].split(), hands, decks, published=game["profile"] == "published", **options)


def cards(s, at):
    return [name for c, name in enumerate(CARD_NAMES) for _ in range(int(s[at + c]))]


def reported(game, position):
    s = position.state
    pieces = {}
    for q, x in enumerate(int(x) for x in s[k.BOARD : game.size]):
        if x:
            kit = frozenset(CARD_NAMES[k.EDGE + i] for i in range(4) if k.kit_of(x) >> i & 1)
            pieces[game.board.names[q]] = (PIECE_NAMES[k.kind_of(x)], k.side_of(x), k.health_of(x), kit)
    return {
        "seat": int(s[k.SEAT]),
        "turn": int(s[k.TURN]),
        "left": int(s[k.LEFT]),
        "over": position.over,
        "winner": int(s[k.WINNER]) - 1 if s[k.WINNER] else None,
        "pieces": pieces,
        "hands": [sorted(cards(s, k.HAND + p * k.CARDS)) for p in range(2)],
        "decks": [sorted(cards(s, k.DECK + p * k.CARDS)) for p in range(2)],
    }


def chosen(luck, moves):
    """A random action, more often one that does something to somebody."""
    telling = [m for m in moves if ">" in m or "+" in m or m.split(" ")[0] in CARD_NAMES[: k.UNITS]]
    return luck.choice(telling if telling and luck.random() < FIERCE else moves)


def sets_agree_with_the_board(game, s):
    for p in range(2):
        own = [(q, int(x)) for q, x in enumerate(s[k.BOARD : game.size]) if x and k.side_of(int(x)) == p]
        assert s[k.STANDING + p] == sum(1 << q for q, x in own if k.health_of(x))
        assert s[k.FALLEN + p] == sum(1 << q for q, x in own if not k.health_of(x))
        assert s[k.TOWERS + p] == sum(1 << q for q, x in own if k.kind_of(x) == k.TOWER)


@pytest.mark.parametrize(("options", "games"), VARIANTS, ids=str)
def test_random_games_agree_with_the_plain_rules(options, games):
    game, luck = stratagem.game("skirmish", **options), random.Random(7)
    for seed in range(games):
        position = game.start(seed=seed)
        plain = plain_of(game, position)
        for _ in range(250):
            assert reported(game, position) == plain.reported()
            sets_agree_with_the_board(game, position.state)
            assert game.parse(str(position)) == position
            if plain.over:
                break
            if plain.drawing:
                assert position.turn == CHANCE
                assert set(position.moves()) == set(plain.draws())
                card = luck.choice(sorted(plain.draws()))
                position = position.play(card)
                plain.draw(card)
                continue
            assert set(position.moves()) == plain.moves()
            move = chosen(luck, sorted(plain.moves()))
            position = position.play(move)
            plain.play(move)


def test_what_is_allowed_is_what_is_listed():
    for profile in ("clean", "published"):
        game, luck = stratagem.game("skirmish", map="lane", deck="tiny", profile=profile), random.Random(3)
        position = game.start(seed=2)
        for _ in range(40):
            if position.turn == CHANCE:
                position = position.play(luck.choice(position.moves()))
                continue
            listed = set(position.move_numbers())
            said = {m for m in range(-1, game.move_bound + 1) if game.run_allowed(position.state, position.turn, m)}
            assert said == listed
            n = int(game.run("count", game.g, position.state, position.turn))
            walked = [int(game.run("move", game.g, position.state, position.turn, i)) for i in range(n)]
            assert walked == position.move_numbers()
            position = position.play(chosen(luck, position.moves()))


def test_odds_are_those_of_the_cards_that_are_left():
    game = stratagem.game("skirmish", deck="small")
    position = game.start()
    while position.turn == CHANCE:
        odds = [float(game.run("odds", game.g, position.state, i)) for i in range(len(position.moves()))]
        assert np.isclose(sum(odds), 1.0)
        taker = 0 if len(position.history) < 6 else 1
        units = len(position.history) % 6 < 3
        left = [CARD_NAMES.index(text) for text in position.moves()]
        deck = position.state[k.DECK + taker * k.CARDS :]
        assert all((c < k.UNITS) == units for c in left)
        assert np.allclose(odds, [deck[c] / sum(deck[c] for c in left) for c in left])
        position = position.play(position.moves()[-1])


def test_random_moves_are_all_alike():
    game = stratagem.game("skirmish", map="lane", deck="tiny")
    towers = "a2T4500,e2t4500"
    position = game.parse(f"first 3 3 {towers},b1G900,c2S800,d1m400,d3B0 FDE/?2 MH/BV")
    listed, rng, n = position.move_numbers(), generator(4), 4000
    drawn = Counter(int(game.run("sample", game.g, position.state, 0, rng)) for _ in range(n))
    assert set(drawn) == set(listed)
    surprise = sum((drawn[m] - n / len(listed)) ** 2 / (n / len(listed)) for m in listed)
    assert surprise < len(listed) + 4 * (2 * len(listed)) ** 0.5  # four standard deviations


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"map": "lane", "deck": "tiny", "points": 2, "profile": "published"}], ids=str)
def test_compiled_and_interpreted_rules_agree(options):
    conform(stratagem.game("skirmish", turn_cap=20, **options), games=2)
