"""Kernels of Minions that do much of one thing, for measurements and for comparisons with the reference."""

from __future__ import annotations

from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout, magic
from stratagem.games.minions.layout import MAGIC, Stream
from stratagem.games.minions.sampling import random_turn
from stratagem.kernel import Ground, State
from stratagem.rng import Rng


def reach_sets(g: Ground, k: int, b: State, side: int, out: State) -> int:
    """For each unit of a side: hex, reach lo, hi into `out`; returns how many."""
    n = 0
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    foe_lo, foe_hi = layout.foes(b, side)
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        out[3 * n] = h
        out[3 * n + 1], out[3 * n + 2] = layout.reach(g, layout.tiles_of(k), b, h, foe_lo, foe_hi)
        n += 1
    return n


def attack_sets(g: Ground, k: int, b: State, side: int, out: State) -> int:
    """For each unit of a side: hex, enemies it can attack this turn lo, hi into `out`; returns how many."""
    n = 0
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        out[3 * n] = h
        out[3 * n + 1], out[3 * n + 2] = layout.threat(g, layout.tiles_of(k), b, h)
        n += 1
    return n


def random_turns(g: Ground, s: State, start: State, r: Rng, out: Stream, turns: int) -> int:
    """Play that many random turns, from `start` again whenever a game ends; returns how many games ended."""
    ended = 0
    for _ in range(turns):
        if MAGIC and g[layout.SPELLS_ON] == 1:
            magic.random_deal(g, s, r, out)
        random_turn(g, s, r, out)
        rules.end_turn(g, s)
        if s[layout.WINNER] >= 0:
            ended += 1
            for i in range(s.size):
                s[i] = start[i]
    return ended
