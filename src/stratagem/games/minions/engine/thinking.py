"""The engine's kernels behind one compiled function, so that the rules are compiled once for all of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from stratagem.compile import specialise
from stratagem.games.minions.engine.deploy import appraise, deploy, room_for, shop, spawns_now
from stratagem.games.minions.engine.desk import LONGEST, ROW, Desk, Reals
from stratagem.games.minions.engine.fighting import fight, grade_hexes, prophesy
from stratagem.games.minions.engine.threats import threaten
from stratagem.games.minions.engine.worth import judge_turn, look, weigh
from stratagem.games.minions.kernels import BOARD_SIZE, SIDE, Stream, board_of, foes, play_actions, play_turn
from stratagem.kernel import Ground, State
from stratagem.rng import Rng

PROPHESY, FIGHT, DEPLOY, JUDGE, LOOK, PLAY, THREATEN, PRICE = range(8)  # tasks

TASK, BOARD, BUDGET, NOISE, THROUGH, KIND, ASKED = range(7)  # of an order
PER_MILLE = 1000.0


def think(g: Ground, position: State, words: Stream, order: Stream, r: Rng, weights: Reals, desk: Desk) -> int:
    """Do a task on a copy of a position, left in `desk.s`, after the actions in `words`; returns what the task says.

    PROPHESY: rows of a board. FIGHT: the attack that follows `desk.rows[KIND]`, or `desk.row` if KIND is below 0; the length
    of its words. DEPLOY: the rest of a board's turn with a budget; the length. JUDGE: `words` are a whole turn; 0 or why it
    is illegal. LOOK: features and value for the side to move. PLAY: play `words` as a whole turn. THREATEN: both threat
    maps of a board; whether anybody of the side to move can strike anybody. PRICE: the shop's table, and the room."""
    s, task, k = desk.s, order[TASK], order[BOARD]
    for i in range(position.size):
        s[i] = position[i]
    if task == JUDGE:
        return judge_turn(g, s, words, r, weights, desk)
    if task == PLAY:
        return play_turn(g, s, words, words.size)
    if play_actions(g, s, words, words.size) != 0:
        return -1
    if task == LOOK:
        look(g, s, desk)
        desk.answer[0] = weigh(desk.x, weights)
        return 0
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    noise = order[NOISE] / PER_MILLE
    if task == PROPHESY:
        prophesy(g, k, b, side, r, desk)
        return 0
    if task == FIGHT:
        if order[KIND] >= 0:
            for i in range(ROW):
                desk.row[i] = desk.rows[order[KIND] * ROW + i]
        grade_hexes(g, k, b, side, r, noise, desk)
        return fight(g, s, k, order[THROUGH] == 1, desk)
    if task == DEPLOY:
        return deploy(g, s, k, order[BUDGET], r, noise, desk)
    if task == PRICE:
        appraise(g, s, k, side, r, 0.0, desk)
        room = room_for(g, b, side) if spawns_now(b) else 0
        shop(g, min(order[BUDGET], LONGEST), room, desk)
        return room
    threaten(g, k, b, 0, desk)
    threaten(g, k, b, 1, desk)
    lo, hi = foes(b, side)
    for h in range(50):
        if (lo >> h) & 1 == 1 and struck(h, side, desk):
            return 1
        if (hi >> h) & 1 == 1 and struck(50 + h, side, desk):
            return 1
    return 0


def struck(h: int, side: int, desk: Desk) -> bool:
    """Whether a side can do anything to a hex."""
    at = side * 300 + h
    return desk.threat[at] + desk.threat[at + 100] + desk.threat[at + 200] > 0


@cache
def thinker(target: str = "cpu") -> Callable[..., Any]:
    """The engine's kernels, ready to call."""
    return specialise(think, {"MAGIC": False}, target=target, label="minions engine")
