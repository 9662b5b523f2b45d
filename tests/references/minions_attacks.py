"""What an attack phase can remove, by brute force over all sequences of actions; and random boards to try it on.

The search knows nothing of plans: from each state it plays every move into an empty hex, every cycle of two and three units,
every attack, every blink and, where there are spells, every spell of the hand on every unit by the rules, and notes who has
been killed and unsummoned so far. It is written as kernels, so that thousands of boards can be searched.
"""

from __future__ import annotations

import random

import numpy as np
from references.minions_positions import rows

from stratagem.compile import specialise
from stratagem.games.minions import GameConfig, GameState
from stratagem.games.minions.kernels import attack, blink, cycle, step
from stratagem.games.minions.layout import (
    BLINK,
    BOARD,
    BOARD_SIZE,
    CELL,
    LEGAL,
    TYPES,
    UNITS,
    ZONE,
    board_key,
    can_attack,
    can_move,
    first_hex,
    foes,
    hand_of,
    high_bit,
    key,
    low_bit,
    reach,
    targets,
    tiles_of,
    unit,
)
from stratagem.games.minions.magic import AIM, PUSHES, cast, place_in_hand
from stratagem.games.minions.maps import may_enter, neighbours
from stratagem.games.minions.notation import parse_fen
from stratagem.games.minions.units import by_letter, units
from stratagem.rng import mix

KILLED, UNSUMMONED = -2, -1  # words behind a state: sets of enemies by number
WHO = -102  # before them, for each hex: the number of the enemy on it + 1, since a spell may put it elsewhere
CASTS = False  # bound to True where there are spells
TABLE = 1 << 21
STACK = 60_000


def is_new(g, row, seen):
    """Whether a state with its removals was not seen before; it is noted."""
    h = board_key(row[BOARD : BOARD + BOARD_SIZE]) ^ mix(row[KILLED] * 1_000_003 + row[UNSUMMONED] + 7)
    if CASTS:
        h = mix(h ^ key(g, row))
        for x in range(100):
            if row[WHO + x] != 0:
                h = mix(h ^ (row[WHO + x] * 100 + x))
    h |= 1
    at = h & (TABLE - 1)
    while seen[at] != 0:
        if seen[at] == h:
            return False
        at = (at + 1) & (TABLE - 1)
    seen[at] = h
    return True


def zone_total(b, side):
    total = 0
    for t in range(TYPES):
        total += b[ZONE + side * TYPES + t]
    return total


def note_removal(row, before, side, y):
    """Who stood on a hex has been killed or unsummoned, if it is gone."""
    if row[BOARD + CELL + y] == 0 and row[WHO + y] != 0:
        bit = 1 << (row[WHO + y] - 1)
        row[WHO + y] = 0
        if zone_total(row[BOARD:], 1 - side) > zone_total(before[BOARD:], 1 - side):
            row[UNSUMMONED] |= bit
        else:
            row[KILLED] |= bit


def spells_on_all(g, now, side, stack, top, seen):
    """Every spell of the hand on every unit, and to every hex; those on hexes alone are left out."""
    hand = hand_of(g, 0, side)
    for i in range(now[hand]):
        spell = now[hand + 1 + i]
        if AIM[spell] == 0 or place_in_hand(g, now, 0, side, spell) < i:
            continue
        for y in range(100):
            if now[BOARD + CELL + y] == 0:
                continue
            for to in range(100 if PUSHES[spell] == 1 else 1):
                row = stack[top]
                row[:] = now
                if cast(g, row, 0, spell, y, to) != LEGAL:
                    continue
                if PUSHES[spell] == 1:
                    row[WHO + to] = row[WHO + y]
                    row[WHO + y] = 0
                else:
                    note_removal(row, now, side, y)
                top += is_new(g, row, seen)
    return top


def explore(g, side, stack, seen, results, hexes):
    """All (killed, unsummoned) that can come about, as numbers killed << 20 | unsummoned; -1 if there are too many states."""
    found = 0
    top = 1
    count = 0
    if not is_new(g, stack[0], seen):
        return -1
    while top > 0:
        top -= 1
        count += 1
        if top + 400 > STACK or count > TABLE // 4:
            return -1
        now = stack[STACK]  # the state whose actions are tried; rows from `top` on take the states that come of them
        now[:] = stack[top]
        b = now[BOARD : BOARD + BOARD_SIZE]
        result = now[KILLED] << 20 | now[UNSUMMONED]
        known = False
        for i in range(found):
            known = known or results[i] == result
        if not known:
            results[found] = result
            found += 1
        n = 0
        lo, hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
        while lo != 0 or hi != 0:
            hexes[n] = first_hex(lo, hi)
            lo &= ~low_bit(hexes[n])
            hi &= ~high_bit(hexes[n])
            n += 1
        if CASTS:
            top = spells_on_all(g, now, side, stack, top, seen)
        for i in range(n):
            h = hexes[i]
            if unit(g, b[CELL + h], BLINK) == 1:
                stack[top][:] = now
                blink(g, stack[top][BOARD : BOARD + BOARD_SIZE], side, h)
                top += is_new(g, stack[top], seen)
            if can_attack(g, b, h):
                lo, hi = targets(g, b, h, h)
                while lo != 0 or hi != 0:
                    y = first_hex(lo, hi)
                    lo &= ~low_bit(y)
                    hi &= ~high_bit(y)
                    row = stack[top]
                    row[:] = now
                    attack(g, row[BOARD : BOARD + BOARD_SIZE], side, h, y)
                    note_removal(row, now, side, y)
                    top += is_new(g, row, seen)
            if can_move(g, b, h):
                foe_lo, foe_hi = foes(b, side)
                lo, hi = reach(g, tiles_of(0), b, h, foe_lo, foe_hi)
                while lo != 0 or hi != 0:
                    to = first_hex(lo, hi)
                    lo &= ~low_bit(to)
                    hi &= ~high_bit(to)
                    if b[CELL + to] == 0:
                        stack[top][:] = now
                        step(g, tiles_of(0), stack[top][BOARD : BOARD + BOARD_SIZE], side, h, to)
                        top += is_new(g, stack[top], seen)
        for i in range(n):
            for j in range(n):
                for k in range(-1, n):
                    if j == i or k in (i, j):
                        continue
                    hexes[50] = hexes[i]
                    hexes[51] = hexes[j]
                    hexes[52] = hexes[max(k, 0)]
                    stack[top][:] = now
                    new = stack[top][BOARD : BOARD + BOARD_SIZE]
                    if cycle(g, tiles_of(0), new, side, hexes[50:], 2 if k < 0 else 3) == LEGAL:
                        top += is_new(g, stack[top], seen)
    return found


class BruteForce:
    """The search with its room, for states of one board of a configuration, or of one with arrays of the same size."""

    def __init__(self, config: GameConfig) -> None:
        casts = config.switches.spells
        self.run = specialise(explore, {"CASTS": casts, "MAGIC": config.magical}, label="brute force")
        self.stack = np.zeros((STACK + 1, GameState.start(config).array.size + 102), np.int64)
        self.seen = np.zeros(TABLE, np.int64)
        self.results = np.zeros(4096, np.int64)
        self.hexes = np.zeros(64, np.int64)

    def __call__(self, state: GameState) -> set[tuple[frozenset[int], frozenset[int]]] | None:
        """The sets of enemies' hexes that can be killed and unsummoned on the only board; None if it is too large."""
        s = state.array
        self.seen[:] = 0
        self.stack[0] = 0
        self.stack[0, : s.size] = s
        cells = s[BOARD + CELL : BOARD + CELL + 100].tolist()
        enemies = [h for h, cell in enumerate(cells) if cell and cell >> 6 & 1 != state.side]
        for number, h in enumerate(enemies, 1):
            self.stack[0, s.size + h] = number
        n = int(self.run(state.config.ground, state.side, self.stack, self.seen, self.results, self.hexes))
        if n < 0:
            return None

        def named(bits: int) -> frozenset[int]:
            return frozenset(h for k, h in enumerate(enemies) if bits >> k & 1)

        return {(named(int(r) >> 20), named(int(r) & (1 << 20) - 1)) for r in self.results[:n]}


def board(men: dict[int, str], config: GameConfig, side: int = 0, more: str = "", hand: str = "") -> GameState:
    """A position of one board; with spells they are dealt, and the board has taken one."""
    line = "L" * 25
    if config.switches.spells:
        more = f" + ahead={side}:shield.shield drawn=1:1" + more
    hands = f"{hand}|" if side == 0 else f"|{hand}"
    return parse_fen(f"9|9 0|0 {line}|{line} n|||{hands}|{rows(men)} {side} 9{more}", config)


def crowd(dice: random.Random, config: GameConfig, own: int, foes: int, letters: str = "", hand: str = "") -> GameState:
    """A few units of both sides close together."""
    tiles = config.lands[0].tiles
    kinds = [by_letter()[x] for x in letters] if letters else [u for u in by_letter().values() if not u.necromancer]
    while True:
        cloud = [dice.randrange(100)]
        while len(cloud) < own + foes + 2:
            new = dice.choice(neighbours(dice.choice(cloud)))
            if new not in cloud:
                cloud.append(new)
        dice.shuffle(cloud)
        men: dict[int, str] = {}
        for k in range(own + foes):
            unit = dice.choice(kinds)
            if k in (0, own) and dice.random() < 0.2:
                unit = by_letter()["N"]
            if may_enter(unit, tiles[cloud[k]]):
                men[cloud[k]] = unit.letter if k < own else unit.letter.lower()
        if len(men) == own + foes:
            return board(men, config, hand=hand)


def melee(dice: random.Random, config: GameConfig, own: int, foes: int, spread: float = 2.0) -> GameState:
    """Two clouds of units in contact: a few types a side and some zombies, around the middle of the board."""
    tiles = config.lands[0].tiles
    men: dict[int, str] = {}
    tech = [u for u in units() if u.group == "tech"]
    centre = dice.choice([(x, y) for x in range(3, 7) for y in range(3, 7)])
    for side, number in ((0, own), (1, foes)):
        kinds = dice.sample(tech, dice.randint(4, 7))
        sign = 1 if side else -1
        shift = dice.uniform(0.6, 1.5)
        placed = 0
        while placed < number:
            unit = by_letter()["N"] if placed == 0 else by_letter()["Z"] if dice.random() < 0.3 else dice.choice(kinds)
            x = round(centre[0] + sign * shift + dice.gauss(0, spread))
            y = round(centre[1] + sign * shift + dice.gauss(0, spread))
            h = 10 * y + x
            if 0 <= x < 10 and 0 <= y < 10 and h not in men and may_enter(unit, tiles[h]):
                men[h] = unit.letter if side == 0 else unit.letter.lower()
                placed += 1
    return board(men, config)
