"""The engine's kernels in one compiled function, which `MinionsStaging` calls by their names.

They share most of what they call, and Numba compiles a function with all that lies below it. So one function takes 14 seconds of
a processor, and one for each kernel 37 (without spells). With spells (`MAGIC`) the rules are in it too, for the same reason; else
turns are played by the function of `turns`, which is compiled anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from stratagem.compile import specialise
from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout, magic
from stratagem.games.minions.engine.deploy import appraise, deploy, room_for, shop
from stratagem.games.minions.engine.fighting import fight, grade_hexes, prophesy, shake
from stratagem.games.minions.engine.scratch import HARM, LONGEST, SEND, THREATS, TOUCH, EngineScratch, Reals
from stratagem.games.minions.engine.threats import threaten
from stratagem.games.minions.engine.worth import conclude, judge, look
from stratagem.games.minions.layout import MAGIC, Stream
from stratagem.games.minions.networks.oracle import oracle_names
from stratagem.kernel import Ground
from stratagem.networks.weights import Shape
from stratagem.rng import Rng

# what the function can do; the last four with spells alone
PROPHESY, SHAKE, FIGHT, DEPLOY, JUDGE, LOOK, THREATEN, PRICE, PLAY, PLAY_SOME, GUESS, DEAL = range(12)


def think(
    g: Ground, task: int, k: int, side: int, budget: int, noise: float, turn: Stream, r: Rng, weights: Reals,
    scratch: EngineScratch,
) -> int:  # fmt: skip
    """Do a task on the position in the scratch arrays, which is changed; returns what the staging's method of that name says."""
    s = scratch.s
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    if MAGIC:
        if task == PLAY:
            return rules.play_turn(g, s, turn, turn.size)
        if task == PLAY_SOME:
            return rules.play_actions(g, s, turn, turn.size)
        if task == GUESS:
            magic.guess(g, s, side, r)
        elif task == DEAL:
            return magic.random_deal(g, s, r, scratch.out)
    if task == JUDGE:
        judge(g, s, side, r, weights, scratch)
    elif task == LOOK:
        look(g, s, scratch.threat, scratch.judged.x)
        conclude(g, s, weights, scratch.judged)
    elif task == PROPHESY:
        prophesy(g, k, b, s[layout.SIDE], r, scratch.fight)
    elif task == SHAKE:
        shake(noise, r, scratch.fight)
    elif task == FIGHT:
        grade_hexes(g, k, b, s[layout.SIDE], r, noise, scratch)
        return fight(g, s, k, scratch)
    elif task == DEPLOY:
        return deploy(g, s, k, budget, r, noise, scratch)
    elif task == PRICE:
        appraise(g, s, k, s[layout.SIDE], r, 0.0, scratch.shop)
        room = room_for(g, b, s[layout.SIDE]) if rules.spawns_now(b) else 0
        shop(g, min(budget, LONGEST), room, scratch.shop)
        return room
    elif task == THREATEN:
        threaten(g, k, b, 0, scratch.threat)
        threaten(g, k, b, 1, scratch.threat)
        lo, hi = layout.foes(b, s[layout.SIDE])
        while lo != 0 or hi != 0:
            h, lo, hi = layout.take(lo, hi)
            if struck(h, s[layout.SIDE], scratch.threat):
                return 1
        if MAGIC and g[layout.SPELLS_ON] == 1:
            return int(magic.place_in_hand(g, s, k, s[layout.SIDE], magic.LIGHTNING_BOLT) >= 0)
    return 0


def struck(h: int, side: int, threat: Stream) -> bool:
    """Whether a side can do anything to a hex."""
    at = side * THREATS + h
    return threat[at + HARM] + threat[at + TOUCH] + threat[at + SEND] > 0


@cache
def thinker(target: str, shape: Shape, magical: bool) -> Callable[..., Any]:
    """The function for a target, with room for an Oracle of a shape."""
    names = {"MAGIC": magical, **oracle_names(shape)}
    label = "minions engine with spells" if magical else "minions engine"
    return specialise(think, names, target=target, label=label, lean=True)
