"""What a position is worth to the side to move: a logistic function of a few features, and how far off that may be.

Most features are differences in dollars, so that games of one board and of several are alike: material on boards and in
reinforcements, what a death pays back, graveyards and the income from them, those that the enemy could retake, units in danger,
the necromancers' safety, the techline, money, points. A turn is judged after a short answer of the other side to it: its attacks
by the script and its steps to graveyards (`judge`).
The weights are fitted to who won games of the engine and of the scripts (`fitting`); they lie with their card in
`data/engine.json`. A network may correct the log odds that they give (`networks.oracle`).
"""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout, worths
from stratagem.games.minions.engine.deploy import stroll
from stratagem.games.minions.engine.fighting import fight, grade_hexes, prize
from stratagem.games.minions.engine.scratch import HARM, SEND, THREATS, EngineScratch, Judged, Reals
from stratagem.games.minions.engine.sorcery import hand_worth
from stratagem.games.minions.engine.threats import lord_of, net, risk, threaten
from stratagem.games.minions.layout import MAGIC, Stream
from stratagem.games.minions.scripted import ANSWERED_TYPES, CARD_NUMBERS, nearest
from stratagem.kernel import Ground, State
from stratagem.rng import Rng

# the features, with their weights by hand in log odds
BY_HAND = {
    "to move": 0.2, "units on boards": 1.0, "rebates on boards": -0.3, "reinforcements": 0.7, "graveyards": 0.3,
    "graveyards in danger": -0.1, "enemies in danger": 0.3, "own units in danger": -0.1,
    "danger to the enemy necromancer": 0.2, "danger to the own necromancer": -0.2, "own necromancer could fall": -0.3,
    "enemy necromancer could fall": 0.8, "nearness to graveyards": 0.1, "graveyards beyond five": 0.2, "money": 0.9,
    "cards acquired": 0.8, "cards unlocked": 0.4, "answers to the enemy's units": 0.2, "highest card": 0.1, "points": 2.0,
    "one point from winning": 0.5,
}  # fmt: skip
NAMES = tuple(BY_HAND)
(TO_MOVE, MATERIAL, REBATES, RESERVES, GRAVES, GRAVES_IN_DANGER, ENEMIES_IN_DANGER, OWN_IN_DANGER, THEIR_LORD, OWN_LORD,
 OWN_LORD_FALLS, THEIR_LORD_FALLS, NEARNESS, MANY_GRAVES, CASH, CARDS_OWNED, CARDS_OPEN, ANSWERS, HIGHEST, SCORE,
 NEARLY_WON) = range(21)  # fmt: skip
COUNT = len(NAMES)
FARTHEST = 18  # steps between two hexes
SPREAD = 0.35  # how far off values by hand are thought to be
SURE = 0.995  # values of games that are not over stay inside this


def look_at_side(g: Ground, k: int, b: State, side: int, sign: float, threat: Stream, x: Reals) -> None:
    """Add what a side has on a board, `sign` 1 for the side to move and -1 for the other; threat maps are there."""
    tiles = layout.tiles_of(k)
    unit_of = 1.0 / (worths.DOLLARS_A_BOARD * g[layout.BOARDS])
    hanging, held, shaky = 0.0, 0.0, 0.0
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        t = (b[layout.CELL + h] & layout.TYPE_MASK) - 1
        row = layout.UNIT + t * layout.COLUMNS
        x[MATERIAL] += sign * g[row + layout.COST] * unit_of
        x[REBATES] += sign * g[row + layout.REBATE] * unit_of
        fall = risk(g, t, h, 1 - side, threat)
        if fall > 0.0:
            hanging += fall * net(g, t) * unit_of
        if layout.holds(g[tiles], g[tiles + 1], h):
            held += 1.0
            shaky += fall
    for t in range(layout.TYPES):
        x[RESERVES] += (
            sign
            * g[layout.UNIT + t * layout.COLUMNS + layout.COST]
            * b[layout.ZONE + side * layout.TYPES + t]
            * unit_of
        )
    each = 1.0 / g[layout.BOARDS]
    x[GRAVES] += sign * held * each
    x[GRAVES_IN_DANGER] += sign * shaky * each
    x[MANY_GRAVES] += sign * max(held - 5.0, 0.0) * max(held - 5.0, 0.0) * each
    x[OWN_IN_DANGER if sign > 0.0 else ENEMIES_IN_DANGER] += hanging
    x[NEARNESS] += sign * nearness(g, k, b, side) * each
    lord = lord_of(g, b, side)
    if lord >= 0:
        at = (1 - side) * THREATS + lord
        share = (threat[at + HARM] + threat[at + SEND]) / layout.defense(g, b[layout.CELL + lord])
        x[OWN_LORD if sign > 0.0 else THEIR_LORD] += min(share, 1.0) * each
        if share >= 1.0:
            x[OWN_LORD_FALLS if sign > 0.0 else THEIR_LORD_FALLS] += each


def nearness(g: Ground, k: int, b: State, side: int) -> float:
    """How near a side's units are to the graveyards that it does not hold."""
    tiles = layout.tiles_of(k)
    total = 0.0
    lo, hi = g[tiles] & ~b[layout.UNITS + 2 * side], g[tiles + 1] & ~b[layout.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        far = nearest(h, b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1])
        total += 1.0 / (1.0 + min(far, FARTHEST))
    return total


def answers(g: Ground, s: State, side: int) -> float:
    """Of the enemy's units on boards, in dollars, the share that a type this side may buy answers."""
    mine = 0
    for c in range(layout.CARDS):
        if s[layout.CARD + side * layout.CARDS + c] == layout.ACQUIRED and g[layout.CARD_UNIT + c] >= 0:
            mine |= ANSWERED_TYPES[g[layout.CARD_UNIT + c]]
    total, answered = 1.0, 0.0
    for k in range(g[layout.BOARDS]):
        b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
        lo, hi = layout.foes(b, side)
        while lo != 0 or hi != 0:
            h, lo, hi = layout.take(lo, hi)
            t = (b[layout.CELL + h] & layout.TYPE_MASK) - 1
            total += g[layout.UNIT + t * layout.COLUMNS + layout.COST]
            if (mine >> t) & 1 == 1:
                answered += g[layout.UNIT + t * layout.COLUMNS + layout.COST]
    return answered / total


def look_at_purse(g: Ground, s: State, side: int, sign: float, x: Reals) -> None:
    """Add what a side has beside its boards."""
    x[CASH] += sign * s[layout.MONEY + side] / (worths.DOLLARS_A_BOARD * g[layout.BOARDS])
    if MAGIC and g[layout.SPELLS_ON] == 1:  # cards in hands are held in reserve too
        for k in range(g[layout.BOARDS]):
            x[RESERVES] += sign * hand_worth(g, s, k, side) / (worths.DOLLARS_A_BOARD * g[layout.BOARDS])
    spell = g[layout.SPELL_PRICE] / (worths.DOLLARS_A_BOARD * g[layout.BOARDS])
    highest = 0
    for c in range(layout.CARDS):
        card = s[layout.CARD + side * layout.CARDS + c]
        if card == layout.ACQUIRED:
            x[CARDS_OWNED] += sign * spell
            if g[layout.CARD_UNIT + c] >= 0:
                highest = max(highest, CARD_NUMBERS[g[layout.CARD_UNIT + c]])
        elif card == layout.UNLOCKED:
            x[CARDS_OPEN] += sign * spell
    x[HIGHEST] += sign * highest / 10.0
    x[ANSWERS] += sign * answers(g, s, side)
    x[SCORE] += sign * s[layout.POINTS + side] / g[layout.TARGET]
    if s[layout.POINTS + side] + 1 >= g[layout.TARGET]:
        x[NEARLY_WON] += sign


def look(g: Ground, s: State, threat: Stream, x: Reals) -> None:
    """All features of a position for the side to move, into `x`, with threat maps into `threat`."""
    side = s[layout.SIDE]
    for i in range(COUNT):
        x[i] = 0.0
    x[TO_MOVE] = 1.0
    for k in range(g[layout.BOARDS]):
        b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
        threaten(g, k, b, 0, threat)
        threaten(g, k, b, 1, threat)
        look_at_side(g, k, b, side, 1.0, threat, x)
        look_at_side(g, k, b, 1 - side, -1.0, threat, x)
    look_at_purse(g, s, side, 1.0, x)
    look_at_purse(g, s, 1 - side, -1.0, x)


def log_odds(x: Reals, weights: Reals) -> float:
    """Of winning, by features."""
    z = 0.0
    for i in range(COUNT):
        z += weights[i] * x[i]
    return z


def weigh(x: Reals, weights: Reals) -> float:
    """The value of features, in payoffs: -1 to 1."""
    return SURE * math.tanh(0.5 * log_odds(x, weights))


# Bound to True where the engine is compiled with room for a network, and `corrected` with it (`networks.oracle`)
NETWORKED: bool = False


def corrected(g: Ground, s: State, odds: float, judged: Judged) -> float:
    """The log odds as the Oracle corrects them; leaves the spread in `judged.answer[1]`."""
    raise NotImplementedError


def conclude(g: Ground, s: State, weights: Reals, judged: Judged) -> None:
    """Value and spread of a position whose features were looked at, into `judged.answer`: by the weights, corrected by a
    network if there is one."""
    odds = log_odds(judged.x, weights)
    if NETWORKED and judged.network[0] != 0:
        judged.answer[0] = SURE * math.tanh(0.5 * corrected(g, s, odds, judged))
        return
    judged.answer[0] = SURE * math.tanh(0.5 * odds)
    judged.answer[1] = spread_of(judged.answer[0], weights)


def judge(g: Ground, s: State, mover: int, r: Rng, weights: Reals, scratch: EngineScratch) -> None:
    """What a position after a turn is worth to its mover, after a short answer; into `scratch.judged.answer`."""
    if s[layout.WINNER] < 0:
        for k in range(g[layout.BOARDS]):
            if s[layout.board_of(k) + layout.MODE] < layout.RESET_1:  # nobody fights on a board that was just won
                answer(g, s, k, s[layout.SIDE], r, scratch)
        rules.end_turn(g, s)
    scratch.judged.answer[1] = 0.0
    if s[layout.WINNER] >= 0:
        scratch.judged.answer[0] = 1.0 if s[layout.WINNER] == mover else -1.0
        return
    look(g, s, scratch.threat, scratch.judged.x)
    conclude(g, s, weights, scratch.judged)


def answer(g: Ground, s: State, k: int, side: int, r: Rng, scratch: EngineScratch) -> None:
    """Play the script's attacks on a board, and its steps to graveyards."""
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    for h in range(100):
        scratch.fight.row[h] = 0.0
        scratch.fight.row[100 + h] = 0.0
    lo, hi = layout.foes(b, side)
    while lo != 0 or hi != 0:
        y, lo, hi = layout.take(lo, hi)
        worth = prize(g, k, b, y)
        scratch.fight.row[y] = 0.5 + 0.49 * worth / (worth + 6.0)
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        scratch.fight.row[100 + h] = 0.04 * layout.unit(g, b[layout.CELL + h], layout.COST)
    lord = lord_of(g, b, side)
    if lord >= 0:
        scratch.fight.row[100 + lord] = 0.45
    grade_hexes(g, k, b, side, r, 0.0, scratch)
    fight(g, s, k, scratch)
    stroll(g, s, k, scratch)


def spread_of(value: float, weights: Reals) -> float:
    """How far off a value may be: measured (`weights[COUNT]`, in the middle), and less where the game is all but decided."""
    return weights[COUNT] * (1.0 - value * value)


# ----------------------------------------------------------------------------------------------------------- weights


def unfitted_weights() -> Reals:
    """Weights by hand, towards which others are fitted."""
    return np.array([*BY_HAND.values(), SPREAD])


@cache
def card() -> dict[str, Any]:
    """The shipped weights with how they were fitted."""
    found: dict[str, Any] = json.loads((files("stratagem.games.minions") / "data" / "engine.json").read_text())
    return found


@cache
def fitted_weights() -> Reals:
    """The shipped weights; what the card does not name counts nothing."""
    return np.array([*(card()["weights"].get(name, 0.0) for name in NAMES), card()["spread"]])
