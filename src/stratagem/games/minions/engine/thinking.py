"""The engine's kernels behind one compiled function. Turns are played by the function of `turns`, which is compiled anyway."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from stratagem.compile import specialise
from stratagem.games.minions import kernels as rules
from stratagem.games.minions import magic
from stratagem.games.minions.engine.deploy import appraise, deploy, room_for, shop, spawns_now
from stratagem.games.minions.engine.desk import HARM, LONGEST, ROW, SEND, THREATS, TOUCH, Desk, Reals
from stratagem.games.minions.engine.fighting import fight, grade_hexes, prophesy
from stratagem.games.minions.engine.threats import threaten
from stratagem.games.minions.engine.vary import survey, vary
from stratagem.games.minions.engine.worth import ALL_BOARDS, conclude, judge, look
from stratagem.games.minions.kernels import MAGIC, Stream
from stratagem.games.minions.networks.oracle import SHAPE, oracle_names
from stratagem.kernel import Ground
from stratagem.networks.weights import Shape
from stratagem.rng import Rng

PROPHESY, FIGHT, DEPLOY, JUDGE, LOOK, THREATEN, PRICE, SURVEY, VARY = range(9)  # tasks

TASK, BOARD, BUDGET, NOISE, THROUGH, KIND, MOVER, ORDER = range(8)  # of an order
PER_MILLE = 1000.0


def think(g: Ground, order: Stream, r: Rng, weights: Reals, desk: Desk) -> int:
    """Do a task on the position on the desk, which is changed; returns what the task says.

    PROPHESY: rows of a board. FIGHT: the attack that follows `desk.rows[KIND]`, or `desk.row` if KIND is below 0; the length
    of its words. DEPLOY: the rest of a board's turn with a budget; the length. JUDGE: what the position after a turn of
    MOVER is worth to it. LOOK: features and value for the side to move. THREATEN: both threat maps of a board; whether
    anybody of the side to move can strike anybody. PRICE: the shop's table; the room. SURVEY: changes of the deployment of
    KIND words in `desk.plan`, with a budget; how many. VARY: the same with MOVER changes made; the length of its words."""
    s, task, k = desk.s, order[TASK], order[BOARD]
    side = s[rules.SIDE]
    b = s[rules.board_of(k) : rules.board_of(k) + rules.BOARD_SIZE]
    noise = order[NOISE] / PER_MILLE
    if task == JUDGE:
        judge(g, s, order[MOVER], ALL_BOARDS, r, weights, desk)
    elif task == LOOK:
        look(g, s, ALL_BOARDS, desk)
        conclude(g, s, weights, desk)
    elif task == PROPHESY:
        prophesy(g, k, b, side, r, desk)
    elif task == FIGHT:
        if order[KIND] >= 0:
            for i in range(ROW):
                desk.row[i] = desk.rows[order[KIND] * ROW + i]
        grade_hexes(g, k, b, side, r, noise, desk)
        return fight(g, s, k, order[THROUGH], desk)
    elif task == DEPLOY:
        return deploy(g, s, k, order[BUDGET], r, noise, desk)
    elif task == SURVEY:
        return survey(g, s, k, order[BUDGET], order[KIND], r, weights, desk)
    elif task == VARY:
        return vary(g, s, k, order[BUDGET], order[KIND], order[MOVER], desk)
    elif task == PRICE:
        appraise(g, s, k, side, r, 0.0, desk)
        room = room_for(g, b, side) if spawns_now(b) else 0
        shop(g, min(order[BUDGET], LONGEST), room, desk)
        return room
    elif task == THREATEN:
        threaten(g, k, b, 0, desk)
        threaten(g, k, b, 1, desk)
        lo, hi = rules.foes(b, side)
        while lo != 0 or hi != 0:
            h, lo, hi = rules.take(lo, hi)
            if struck(h, side, desk):
                return 1
        if MAGIC and g[rules.SPELLS_ON] == 1 and magic.place_in_hand(g, s, k, side, magic.LIGHTNING_BOLT) >= 0:
            return 1
    return 0


def struck(h: int, side: int, desk: Desk) -> bool:
    """Whether a side can do anything to a hex."""
    at = side * THREATS + h
    return desk.threat[at + HARM] + desk.threat[at + TOUCH] + desk.threat[at + SEND] > 0


@cache
def thinker(target: str = "cpu", shape: Shape = SHAPE, unrounded: bool = False) -> Callable[..., Any]:
    """The engine's kernels, ready to call, with room for a network of a shape, in whole numbers or before its rounding."""
    return specialise(
        think, {"MAGIC": False, **oracle_names(shape, unrounded)}, target=target, label="minions engine", lean=True
    )
