"""Seats as people: what they are called, their colours, and what is counted at the end."""

from __future__ import annotations

import re

import pytest

import stratagem
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import TOGETHER
from stratagem.registry import game_names
from stratagem.rng import generator
from stratagem.web.people import seats_shown, tally_shown

SHORT = {"minions": {"plies": 6}, "roborally": {"robots": 2, "max_turns": 3}, "risk": {"turn_cap": 2, "claim": "deal"}}


@pytest.mark.parametrize("name", game_names())
def test_the_seats_of_every_game_differ_in_name_and_colour(name: str) -> None:
    seats = seats_shown(stratagem.game(name))
    assert len({seat["called"] for seat in seats}) == len(seats) == len({seat["colour"] for seat in seats})
    assert all(re.fullmatch("#[0-9a-f]{6}", seat["colour"]) for seat in seats)


@pytest.mark.parametrize("name", [*sorted({*game_names()} - {"minions"})])
def test_whoever_wins_a_game_has_counted_most(name: str) -> None:
    game, rng = stratagem.game(name, **SHORT.get(name, {})), generator(7)
    position = game.start()
    while not position.over:
        asked = position.asked
        joint = [position.sample(rng, p) if p in asked else "-" for p in range(game.players)]
        position = position.play(joint if position.turn == TOGETHER else position.sample(rng))
    tally = tally_shown(position)
    if tally is None:
        assert name not in ("othello", "goofspiel", "asmacag", "pig", "draft", "blotto")
        return
    payoff = list(position.payoff)
    assert len(tally) == game.players
    if max(payoff) > min(payoff):
        assert max(range(len(tally)), key=tally.__getitem__) in [p for p, x in enumerate(payoff) if x == max(payoff)]


def test_othello_counts_discs() -> None:
    game = stratagem.game("othello", size=4)
    assert [seat["called"] for seat in seats_shown(game)] == ["Black", "White"]
    position, rng = game.start(), generator(1)
    assert tally_shown(position) is None
    while not position.over:
        position = position.play(position.sample(rng))
    tally = tally_shown(position)
    assert tally is not None and sum(tally) <= 16 and str(position).count("X") == tally[0]
    said = Wording.of(game).outcome(position)
    assert said.startswith("a draw" if tally[0] == tally[1] else f"{'Black' if tally[0] > tally[1] else 'White'} (")
