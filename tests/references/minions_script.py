"""The scripted general in plain Python, to compare the kernel with: turn for turn, draw for draw.

The script with spells (`wizard`) is built on the kernel.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout
from stratagem.games.minions.config import hexes_of
from stratagem.games.minions.maps import distance
from stratagem.games.minions.state import GameState
from stratagem.games.minions.turn import GameTurn, Tech
from stratagem.games.minions.turns import interpreted
from stratagem.games.minions.units import units
from stratagem.rng import Rng, below

GRAVEYARD_VALUE = 6.0  # dollars that a graveyard held is worth
POINT_VALUE = 40.0
NECROMANCER_VALUE = 60.0
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


class General:
    """One turn in the making: the state as far as it has come, and the actions so far."""

    def __init__(self, state: GameState, rng: Rng, *, wild: bool = False) -> None:
        self.state, self.rng, self.wild = state, rng, wild
        self.g: Any = state.config.ground.tolist()  # the interpreter reads a list faster than an array
        self.s, self.side = state.array.copy(), state.side
        self.words: list[int] = []

    def draw(self, n: int) -> int:
        with np.errstate(over="ignore"):
            return int(below(self.rng, n))

    def act(self, kind: int, k: int, *arguments: int) -> None:
        action = [kind, k, len(arguments), *arguments]
        wrong = interpreted(rules.act)(self.g, self.s, np.array(action, np.int64))
        assert wrong == layout.LEGAL, (wrong, action)
        self.words += action

    def turn(self) -> GameTurn:
        self.general()
        for k in range(self.state.config.boards):
            at = layout.board_of(k)
            self.b = self.s[at : at + layout.BOARD_SIZE]
            self.tiles = layout.tiles_of(k)
            mode, phase = int(self.b[layout.MODE]), int(self.b[layout.PHASE])
            if self.b[layout.RESIGNED] or mode == layout.RESET_0:
                continue
            if mode in (layout.RESET_1, layout.RESET_2) and phase == layout.UNTOUCHED:
                zone = self.state.boards[k].reinforcements(self.side)
                keep = max(zone, key=lambda unit: (unit.cost, unit.index)).index if zone else -1
                self.act(layout.SETUP, k, self.necromancer(), keep)
            if phase != layout.SPAWNING:
                self.fight(k)
                self.advance(k)
            if rules.spawn_phase(self.g, self.b):
                self.recruit(k)
        return GameTurn.from_words(self.words, self.state.config.boards)

    def necromancer(self) -> int:
        """The necromancer of a setup: the one with most defense that may be chosen."""
        kinds = self.state.config.units
        free = [u for u in kinds if u.necromancer and rules.necromancer_for(self.g, self.s, u.index) == layout.LEGAL]
        return max(free, key=lambda unit: (unit.defense, unit.soul, unit.range, -unit.index)).index

    # -- the techline

    def general(self) -> None:
        """Acquire the card that answers the enemy best, else march; buy a spell when rich."""
        if self.s[layout.TECHED]:
            return
        mine, theirs = self.state.cards(self.side), self.state.cards(1 - self.side)
        spells = 2 if self.state.money[self.side] > 3 * self.state.config.spell_price else 1
        free = [
            c for c in range(25) if mine[c] == "U" and theirs[c] != "A" and self.state.config.techline.cards[c].unit
        ]
        chosen: list[int] = []
        if free and (spells > 1 or "L" not in mine or self.draw(4) > 0):
            chosen.append(max(free, key=self.appeal))
        marched = min(spells - len(chosen), mine.count("L"))
        tech = Tech(marched, tuple(chosen))
        self.act(layout.TECH, tech.advance, *tech.acquire)

    def appeal(self, c: int) -> tuple[int, int]:
        """How well a card answers the units that the enemy has."""
        card = self.state.config.techline.cards[c]
        seen = {piece.unit.name for board in self.state.boards for _, piece in board if piece.side != self.side}
        return len(seen.intersection(card.counters)) + (self.draw(3) if self.wild else 0), card.number

    # -- the attack phase

    def own(self) -> list[int]:
        return hexes_of(self.b[layout.UNITS + 2 * self.side], self.b[layout.UNITS + 2 * self.side + 1])

    def foes(self) -> list[int]:
        return hexes_of(*layout.foes(self.b, self.side))

    def stat(self, h: int, column: int) -> int:
        return int(layout.unit(self.g, self.b[layout.CELL + h], column))

    def prize(self, k: int, y: int) -> float:
        """What removing an enemy is worth."""
        value = NECROMANCER_VALUE if self.stat(y, layout.NECROMANCER) else self.stat(y, layout.COST)
        holds = self.state.config.lands[k].tiles[y] == "g"
        return value + GRAVEYARD_VALUE * holds + (self.draw(4) if self.wild else 0)

    def fight(self, k: int) -> None:
        """Go for the enemies in order of their prize, as long as something can be removed."""
        again = True
        while again:
            again = any(self.remove(k, y) for y in sorted(self.foes(), key=lambda y: -self.prize(k, y)))

    def remove(self, k: int, y: int) -> bool:
        """Kill or unsummon an enemy, if those who can reach it suffice."""
        need = int(layout.defense(self.g, self.b[layout.CELL + y])) - layout.hurt(int(self.b[layout.CELL + y]))
        persistent, necromancer = self.stat(y, layout.PERSISTENT), self.stat(y, layout.NECROMANCER)
        strikes: list[tuple[float, int, int, int, int]] = []  # cost, unit, from where, harm an attack, attacks
        for h in self.own():
            if not layout.can_attack(self.g, self.b, h):
                continue
            at = self.stand(k, h, y)
            if at is None or (self.stat(h, layout.NECROMANCER) and at != h and not necromancer):
                continue
            kind = self.stat(h, layout.KIND)
            left = int(layout.attacks(self.g, self.b[layout.CELL + h])) - layout.used(int(self.b[layout.CELL + h]))
            if kind == layout.DEATHTOUCH:
                if necromancer:
                    continue
                harm = need
            elif kind == layout.UNSUMMONS:
                harm = 1 if persistent else need
            else:
                harm = int(layout.damage(self.g, self.b[layout.CELL + h]))
            strikes.append((self.stat(h, layout.COST) + (2 if at != h else 0), h, at, harm, left))
        strikes.sort()
        total = sum(harm * left for _, _, _, harm, left in strikes)
        if total < need:
            return False
        taken: set[int] = set()
        for _, h, at, harm, left in strikes:
            if self.b[layout.CELL + y] == 0:
                break
            if at in taken or (at != h and self.b[layout.CELL + at] != 0):
                continue  # somebody of ours stands there by now
            if at != h:
                self.act(layout.MOVE, k, h, at)
            taken.add(at)
            for _ in range(min(left, -(-need // harm))):
                if self.b[layout.CELL + y] != 0:
                    self.act(layout.ATTACK, k, at, y)
                    need -= harm
        return bool(self.b[layout.CELL + y] == 0)

    def stand(self, k: int, h: int, y: int) -> int | None:
        """Where a unit would attack an enemy from: where it is, else the best empty hex in range."""
        cell = self.b[layout.CELL + h]
        reach = int(layout.reaching(self.g, cell))
        if distance(h, y) <= reach:
            return h
        if layout.lumbers(self.g, cell) or not layout.can_move(self.g, self.b, h):
            return None
        tiles = self.state.config.lands[k].tiles
        goals = hexes_of(*layout.reach(self.g, self.tiles, self.b, h, *layout.foes(self.b, self.side)))
        found = [x for x in goals if distance(x, y) <= reach and self.b[layout.CELL + x] == 0]
        return max(found, key=lambda x: (tiles[x] == "g", distance(x, y), -x), default=None)

    def advance(self, k: int) -> None:
        """Units that have not fought go to graveyards in reach, or nearer to one that is not ours."""
        graves = self.state.config.lands[k].graveyards
        enemy = layout.foes(self.b, self.side)
        home = rules.start_hex(self.side)
        order = sorted(self.own(), key=lambda h: (self.stat(h, layout.NECROMANCER), -self.stat(h, layout.SPEED)))
        for h in order:
            if not layout.can_move(self.g, self.b, h) or h in graves:
                continue
            ours = set(self.own())
            wanted = [x for x in graves if x not in ours]
            if not wanted:
                wanted = [x for x in self.foes() if self.stat(x, layout.NECROMANCER)] or [99 - home]
            goals = [
                x
                for x in hexes_of(*layout.reach(self.g, self.tiles, self.b, h, *enemy))
                if self.b[layout.CELL + x] == 0
            ]
            if not self.stat(h, layout.PERSISTENT):  # mist would send it home
                goals = [x for x in goals if self.state.config.lands[k].tiles[x] != "m"]
            if self.stat(h, layout.NECROMANCER):
                goals = [x for x in goals if x in graves and distance(x, home) <= 3]
            if goals:
                aim = wanted[self.draw(len(wanted))] if self.wild and self.draw(3) == 0 else None
                nearest = {
                    x: distance(x, aim) if aim is not None else min(distance(x, w) for w in wanted) for x in (*goals, h)
                }
                to = min(goals, key=lambda x: (x not in graves, nearest[x], x))
                if to in graves or nearest[to] < nearest[h]:
                    self.act(layout.MOVE, k, h, to)

    # -- the spawn phase

    def recruit(self, k: int) -> None:
        """Buy the dearest units that this board's share of the money allows, and spawn what there is room for."""
        if self.b[layout.MODE] not in (layout.NORMAL, layout.RESET_2):
            return
        boards_left = self.state.config.boards - k
        share = int(self.s[layout.MONEY + self.side]) // boards_left
        zone = layout.ZONE + self.side * layout.TYPES
        room = layout.size(*rules.spawn_places(self.g, self.b, self.side)) - int(
            self.b[zone : zone + layout.TYPES].sum()
        )
        while room > 0:
            sale = [
                t for t in range(layout.TYPES)
                if units()[t].cost <= share and rules.for_sale(self.g, self.s, self.side, t) == layout.LEGAL
            ]  # fmt: skip
            if not sale:
                break
            t = (
                sale[self.draw(len(sale))]
                if self.wild or self.draw(3) == 0
                else max(sale, key=lambda t: (units()[t].cost, t))
            )
            self.act(layout.BUY, k, t)
            share -= units()[t].cost
            room -= 1
        graves = [x for x in self.state.config.lands[k].graveyards if x not in self.own()] or [
            99 - rules.start_hex(self.side)
        ]
        for t in sorted(range(layout.TYPES), key=lambda t: -units()[t].cost):
            for _ in range(int(self.b[zone + t])):
                lo, hi = rules.spawn_places(self.g, self.b, self.side)
                open_lo, open_hi = layout.open_to(self.g, self.tiles, self.b, t)
                places = hexes_of(lo & open_lo, hi & open_hi)
                places = [x for x in places if self.state.config.lands[k].tiles[x] != "m" or units()[t].persistent]
                if not places:
                    break
                to = min(places, key=lambda x: (min(distance(x, w) for w in graves), x))
                self.act(layout.SPAWNS, k, t, to)


def greedy_turn(state: GameState, rng: Rng, *, wild: bool = False) -> GameTurn:
    """The scripted turn in plain Python; `wild` varies its choices."""
    return General(state, rng, wild=wild).turn()
