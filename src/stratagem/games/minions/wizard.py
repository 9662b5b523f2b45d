"""The scripted general where there are spells and tiles that act: it casts what helps at once, and keeps the rest.

Spells finish what attacks began, guard what stands in danger, hamper the dearest enemies near, and put Zombies, terrain and
units where they hold graveyards or bar the way. There is no search: each spell has one simple use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout, magic, worths
from stratagem.games.minions.config import GameConfig, hexes_of
from stratagem.games.minions.maps import HEXES, distance, neighbours
from stratagem.games.minions.scripted import RANKS, advance, general, rank_foes, recruit, remove
from stratagem.games.minions.spells import spells
from stratagem.games.minions.state import GameState
from stratagem.games.minions.turn import GameTurn
from stratagem.games.minions.turns import interpreted, room
from stratagem.rng import Rng, below

# the spells that lay terrain of one kind, in the order in which they are cast
LAYING = (magic.FLOOD_SPELL, magic.EARTHQUAKE_SPELL, magic.WHIRLWIND_SPELL, magic.FIRESTORM_SPELL)
NEAR = 3  # within so many steps of each other units are in danger
FULL_HAND = 12  # cards, beyond which the oldest one is thrown away


class Wizard:
    """One turn in the making: the state as far as it has come, and the actions so far. The script is that of `scripted`."""

    def __init__(self, state: GameState, rng: Rng, *, wild: bool = False, casts: bool = True) -> None:
        self.state, self.rng, self.wild = state, rng, wild
        self.casts = casts and state.config.switches.spells
        self.g: Any = state.config.ground.tolist()  # the interpreter reads a list faster than an array
        self.s, self.side = state.array.copy(), state.side
        (self.out, self.work), self.at = room(state.config.boards), 0

    def attempt(self, kind: int, k: int, *arguments: int) -> bool:
        """Do it if it is legal."""
        action = np.array([kind, k, len(arguments), *arguments], np.int64)
        after = self.s.copy()
        if interpreted(rules.act)(self.g, after, action) != layout.LEGAL:
            return False
        self.s[:] = after
        self.out[self.at : self.at + action.size] = action
        self.at += action.size
        return True

    def do(self, stage: Callable[..., int], k: int, *more: Any) -> None:
        """A part of the script on a board."""
        self.at = int(interpreted(stage)(self.g, self.s, k, *more))

    def turn(self) -> GameTurn:
        self.general()
        for k in range(self.state.config.boards):
            at = layout.board_of(k)
            self.b = self.s[at : at + layout.BOARD_SIZE]
            mode, phase = int(self.b[layout.MODE]), int(self.b[layout.PHASE])
            if self.b[layout.RESIGNED] or mode == layout.RESET_0:
                continue
            if mode in (layout.RESET_1, layout.RESET_2) and phase == layout.UNTOUCHED:
                self.attempt(layout.SETUP, k, self.necromancer(), int(rules.dearest(self.g, self.b, self.side)))
            if phase != layout.SPAWNING:
                self.fight(k)
                self.advance(k)
            if rules.spawn_phase(self.g, self.b):
                self.recruit(k)
        return GameTurn.from_words(self.out[: self.at].tolist(), self.state.config.boards)

    def necromancer(self) -> int:
        """The necromancer of a setup: the one with most defense that may be chosen."""
        kinds = self.state.config.units
        free = [u for u in kinds if u.necromancer and rules.necromancer_for(self.g, self.s, u.index) == layout.LEGAL]
        return max(free, key=lambda unit: (unit.defense, unit.soul, unit.range, -unit.index)).index

    def own(self) -> list[int]:
        return hexes_of(self.b[layout.UNITS + 2 * self.side], self.b[layout.UNITS + 2 * self.side + 1])

    def foes(self) -> list[int]:
        return hexes_of(*layout.foes(self.b, self.side))

    def ranked(self, k: int) -> list[int]:
        """The enemies of a board, the greatest prize first."""
        n = int(interpreted(rank_foes)(self.g, self.s, k, self.rng, self.wild, self.work[RANKS:]))
        return [int(y) for y in self.work[RANKS + 1 : RANKS + 2 * n : 2]]

    def stat(self, h: int, column: int) -> int:
        return int(layout.unit(self.g, self.b[layout.CELL + h], column))

    def cast(self, k: int, spell: int, *aim: int) -> bool:
        return self.casts and self.attempt(layout.CAST, k, spell, *aim)

    def hand(self, k: int) -> list[int]:
        if not self.state.config.switches.spells:
            return []
        at = int(layout.hand_of(self.g, k, self.side))
        return [int(card) for card in self.s[at + 1 : at + 1 + self.s[at]]]

    def holds(self, k: int, *wanted: int) -> list[int]:
        """The spells of these that a hand has, each once."""
        return [spell for spell in wanted if spell in self.hand(k)] if self.casts else []

    # -- the general

    def general(self) -> None:
        began = bool(self.s[layout.TECHED])
        cards = self.state.cards(self.side)
        if not began and "L" not in cards and "U" not in cards:
            self.attempt(layout.SELL, 0)
        self.at += int(interpreted(general)(self.g, self.s, self.rng, self.wild, self.out[self.at :]))
        if self.casts:
            self.choose_spells()

    def choose_spells(self) -> None:
        """Each board takes the spell that it wants most; one that it holds already is wanted less."""
        for k in range(self.state.config.boards):
            at = int(layout.deck_of(self.g, self.side)) + layout.QUEUE
            drawn = [int(card) for card in self.s[at : at + self.s[layout.DRAWN]]]
            held = self.hand(k)
            jitter = {card: int(interpreted(below)(self.rng, 3)) * 0.5 if self.wild else 0.0 for card in drawn}
            best = max(drawn, key=lambda card: worths.WANTED.get(card, 0.0) / (1 + held.count(card)) + jitter[card])
            self.attempt(layout.GIVE, k, best)

    # -- the attack phase

    def fight(self, k: int) -> None:
        if self.holds(k, magic.UNHOLY_MIGHT):
            for h in self.own():
                beset = any(distance(h, y) == 1 and not self.stat(y, layout.PERSISTENT) for y in self.foes())
                if self.stat(h, layout.NECROMANCER) and beset:
                    self.cast(k, magic.UNHOLY_MIGHT, h)
        sorceries = [card for card in self.hand(k) if spells()[card - 1].mana < 0]
        if sorceries and self.holds(k, magic.DOUBLE_CANTRIP):
            self.cast(k, magic.DOUBLE_CANTRIP)
        while any(self.remove(k, y) for y in self.ranked(k)):
            pass
        self.finish(k)

    def remove(self, k: int, y: int) -> bool:
        """As ever; where attackers alone do not suffice, with a spell that ends it once the enemy is damaged."""
        self.do(remove, k, y, self.out, self.at, self.work)
        if self.b[layout.CELL + y] == 0:
            return True
        aid = self.holds(k, magic.UNSUMMON, magic.FESTER, magic.DISMEMBER)
        if not aid or self.stat(y, layout.NECROMANCER):
            return False
        need = int(layout.defense(self.g, self.b[layout.CELL + y])) - layout.hurt(int(self.b[layout.CELL + y]))
        reach = 0 if self.stat(y, layout.PERSISTENT) or magic.UNSUMMON not in aid else need
        reach = max([reach, *(int(magic.HARM[spell]) for spell in aid)])
        able = [h for h in self.own() if layout.can_attack(self.g, self.b, h) and self.strikes(k, h) > 0]
        able = [h for h in able if distance(h, y) <= layout.reaching(self.g, self.b[layout.CELL + h])]
        if need <= 1 or not able or sum(self.strikes(k, h) for h in able) + reach < need:
            return False
        if self.stat(y, layout.COST) + worths.GRAVEYARD_TO_SCRIPT * (self.tile(k, y) == "g") < 4:
            return False
        for h in able:  # those who stand there strike until a spell can do the rest
            while layout.can_attack(self.g, self.b, h) and self.b[layout.CELL + y] != 0:
                if not self.attempt(layout.ATTACK, k, h, y):
                    break
                if self.end_it(k, y):
                    return True
        return bool(self.b[layout.CELL + y] == 0)

    def strikes(self, k: int, h: int) -> int:
        """The damage that a unit can deal from where it stands."""
        if self.stat(h, layout.KIND) != layout.DEALS_DAMAGE:
            return 0
        cell = self.b[layout.CELL + h]
        return int(layout.damage(self.g, cell)) * (int(layout.attacks(self.g, cell)) - layout.used(int(cell)))

    def end_it(self, k: int, y: int) -> bool:
        """A spell that removes an enemy now, if the hand has one."""
        cell = int(self.b[layout.CELL + y])
        left = int(layout.defense(self.g, cell)) - layout.hurt(cell)
        for spell in self.holds(k, magic.CLEAVE, magic.FESTER, magic.LIGHTNING_BOLT, magic.SUNDER, magic.DISMEMBER):
            if magic.HARM[spell] >= left and not cell & layout.SHIELDED and self.cast(k, spell, y):
                return True
        return bool(self.holds(k, magic.UNSUMMON)) and self.cast(k, magic.UNSUMMON, y)

    def finish(self, k: int) -> None:
        """Spells on enemies that attacks have left, the dearest first."""
        for y in self.ranked(k):
            if not self.stat(y, layout.NECROMANCER) and not self.end_it(k, y):
                self.push(k, y, magic.STUMBLE)

    def push(self, k: int, y: int, spell: int) -> None:
        """An enemy is pushed off a graveyard."""
        if self.tile(k, y) == "g" and self.holds(k, spell):
            for to in neighbours(y):
                if self.tile(k, to) != "g" and self.cast(k, spell, y, to):
                    return

    def advance(self, k: int) -> None:
        self.teleport(k)
        self.do(advance, k, self.rng, self.wild, self.out, self.at, self.work)
        if not self.casts:
            return
        if self.holds(k, magic.RAISE_ZOMBIE):
            self.place(k, lambda h: (magic.RAISE_ZOMBIE, h))
        for spell in self.holds(k, magic.SHIELD, magic.PROTECTION):
            self.each(k, spell, self.in_danger(k))
        for spell in self.holds(k, magic.FREEZE_RAY, magic.WEAKEN, magic.SHACKLE, magic.LUMBERING_SPELL):
            self.each(k, spell, [y for y in self.threats() if self.hampered(y, spell)])

    def each(self, k: int, spell: int, aims: Iterable[int]) -> None:
        """As many cards of a spell as there are, one on each aim."""
        for h in aims:
            if spell not in self.hand(k) or not self.cast(k, spell, h):
                return

    def in_danger(self, k: int) -> list[int]:
        """Own minions near enemies, the dearest first."""
        foes = self.foes()
        near = [h for h in self.own() if any(distance(h, y) <= NEAR for y in foes)]
        worth = {h: self.stat(h, layout.COST) + worths.GRAVEYARD_TO_SCRIPT * (self.tile(k, h) == "g") for h in near}
        return sorted(
            (h for h in near if not self.stat(h, layout.NECROMANCER) and worth[h] > 2), key=lambda h: -worth[h]
        )

    def threats(self) -> list[int]:
        """Enemy minions near our units, the dearest first."""
        own = self.own()
        near = [y for y in self.foes() if any(distance(h, y) <= NEAR for h in own)]
        return sorted(
            (y for y in near if not self.stat(y, layout.NECROMANCER)), key=lambda y: -self.stat(y, layout.COST)
        )

    def hampered(self, y: int, spell: int) -> bool:
        """Whether a spell would hamper an enemy."""
        if spell == magic.WEAKEN:
            return self.stat(y, layout.KIND) == layout.DEALS_DAMAGE
        if spell == magic.SHACKLE:
            return max(self.stat(y, layout.SPEED), self.stat(y, layout.RANGE)) > 1
        if spell == magic.LUMBERING_SPELL:
            return not self.stat(y, layout.LUMBERING)
        return self.stat(y, layout.COST) > 2

    def tile(self, k: int, h: int) -> str:
        return self.state.config.lands[k].tiles[h]

    def free_graves(self, k: int) -> list[int]:
        return [h for h in self.state.config.lands[k].graveyards if self.b[layout.CELL + h] == 0]

    def place(self, k: int, spell: Callable[[int], tuple[int, ...]]) -> None:
        """Cast on an empty hex next to our units: a graveyard, or the one nearest to a graveyard that is not ours."""
        around = {
            to for h in self.own() for to in neighbours(h) if self.b[layout.CELL + to] == 0 and self.tile(k, to) != "m"
        }
        graves = [h for h in self.state.config.lands[k].graveyards if h not in self.own()]
        far = {h: min((distance(h, x) for x in graves), default=0) for h in around}
        for h in sorted(around, key=lambda h: (far[h], h))[:6]:
            if self.cast(k, *spell(h)):
                return

    def teleport(self, k: int) -> None:
        """Units on a teleporter go to a graveyard that is free."""
        for h in self.own():
            if self.tile(k, h) == "t" and not self.stat(h, layout.NECROMANCER):
                for to in self.free_graves(k):
                    if self.attempt(layout.TELEPORT, k, h, to):
                        break

    # -- the spawn phase

    def recruit(self, k: int) -> None:
        for h in range(HEXES):
            if self.tile(k, h) == "z":
                self.attempt(layout.RISE, k, h)
        if self.casts:
            self.open_places(k)
        self.do(recruit, k, self.rng, self.wild, self.out, self.at)
        self.shape_land(k)
        if self.casts:
            for y in self.foes():
                self.push(k, y, magic.DISPLACE)
            self.shuffle(k)
            while len(self.hand(k)) > FULL_HAND:
                self.attempt(layout.DISCARD, k, self.hand(k)[0])

    def open_places(self, k: int) -> None:
        """The spawn keyword for a minion beside a free graveyard, when there is something to spawn."""
        zone = layout.ZONE + self.side * layout.TYPES
        waiting = int(self.b[zone : zone + layout.TYPES].sum())
        rich = int(self.s[layout.MONEY + self.side]) >= 4
        if not (waiting or rich):
            return
        if self.holds(k, magic.RISING_HORDE):
            self.cast(k, magic.RISING_HORDE)
        for h in self.own():
            beside = any(self.b[layout.CELL + to] == 0 and self.tile(k, to) == "g" for to in neighbours(h))
            if beside and not self.stat(h, layout.SPAWN) and self.holds(k, magic.SPAWN_SPELL):
                self.cast(k, magic.SPAWN_SPELL, h)

    def shape_land(self, k: int) -> None:
        """Terrain to empty ground that two enemies or more stand next to; what lies among our own units is removed."""
        own, foes = set(self.own()), set(self.foes())
        bars = [h for h in range(HEXES) if self.b[layout.CELL + h] == 0 and sum(n in foes for n in neighbours(h)) >= 2]
        for spell in self.holds(k, *LAYING, magic.TERRAFORM):
            kinds = [int(magic.TERRAIN[spell])] if spell in LAYING else range(4)
            unlaid = [kind for kind in kinds if layout.land_at(self.b, kind) < 0] or list(kinds)
            for h in bars:
                aim = (h,) if spell in LAYING else (unlaid[0], h)
                if self.cast(k, spell, *aim):
                    break
        if self.holds(k, magic.NORMALIZE):
            for kind in range(4):
                h = int(layout.land_at(self.b, kind))
                if h >= 0 and sum(n in own for n in neighbours(h)) > sum(n in foes for n in neighbours(h)):
                    self.cast(k, magic.NORMALIZE, h)
                    break
        for h in own:
            ability = int(layout.trait(self.g, self.b[layout.CELL + h], layout.ABILITY_KINDS))
            if ability and self.b[layout.MANA] > 0:
                kind = next(kind for kind in range(4) if ability >> kind & 1)
                if any(self.attempt(layout.ABILITY, k, h, kind, to) for to in neighbours(h) if to in bars):
                    break

    def shuffle(self, k: int) -> None:
        """Reposition puts a minion on a graveyard beside it."""
        for h in self.own():
            if not self.holds(k, magic.REPOSITION):
                return
            if self.tile(k, h) != "g":
                for to in neighbours(h):
                    if self.tile(k, to) == "g" and self.cast(k, magic.REPOSITION, h, to):
                        break


def plain_rules(config: GameConfig) -> bool:
    """Whether the compiled script and the plain stages of the engine know all the rules of a configuration."""
    return not (config.magical or config.switches.advanced_necromancers or config.switches.winner_first)


def scripted_turn(state: GameState, rng: Rng, *, wild: bool = False, casts: bool = True) -> GameTurn:
    """The scripted turn; `wild` varies its choices. Without `casts` no spell is chosen or played."""
    if plain_rules(state.config):
        return state.greedy_turn(rng, wild=wild)
    return Wizard(state, rng, wild=wild, casts=casts).turn()


def answered(state: GameState, turn: GameTurn, rng: Rng) -> tuple[GameState, GameTurn | None]:
    """The state after a turn and the scripted answer to it, and the answer; None if the turn ends the game.

    What the other side holds is not known to the mover: each answer is made from another guess."""
    after = state.guessed(state.side, rng).play(turn)
    if after.winner is not None:
        return after, None
    after = after.dealt(rng)
    answer = scripted_turn(after, rng)
    return after.play(answer), answer
