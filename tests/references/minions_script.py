"""The scripted general in plain Python, to compare the kernel with: turn for turn, draw for draw.

It is the general on whom the script with spells is built (`wizard`); under rules without spells the two make equal turns.
"""

from __future__ import annotations

import math

from stratagem.games.minions.state import GameState
from stratagem.games.minions.turn import GameTurn
from stratagem.games.minions.wizard import General
from stratagem.rng import Rng

GRAVEYARD_VALUE = 6.0  # dollars that a graveyard held is worth
POINT_VALUE = 40.0
IN_ZONE = 0.7  # worth of a unit in reinforcements, beside one on the board


def worth(state: GameState, side: int) -> float:
    """What a side has, in dollars."""
    total = float(state.money[side]) + POINT_VALUE * state.points[side]
    line = state.cards(side)
    total += state.config.spell_price * (line.count("A") + 0.4 * line.count("U"))
    for board in state.boards:
        total += sum(piece.unit.cost for _, piece in board if piece.side == side)
        total += IN_ZONE * sum(unit.cost * n for unit, n in board.reinforcements(side).items())
        total += GRAVEYARD_VALUE * board.graveyards(side)
    return total


def chance(state: GameState, side: int) -> float:
    """A rough probability that a side wins."""
    if state.winner is not None:
        return float(state.winner == side)
    return 1.0 / (1.0 + math.exp(-(worth(state, side) - worth(state, 1 - side)) / 100.0))


def greedy_turn(state: GameState, rng: Rng, *, wild: bool = False) -> GameTurn:
    """The scripted turn in plain Python; `wild` varies its choices."""
    return General(state, rng, wild=wild).turn()
