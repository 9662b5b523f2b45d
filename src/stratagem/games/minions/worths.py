"""What things are worth to the scripted general and to the engine's plans, in dollars: one table.

The prices of one thing differ by what they are for. They were chosen apart, and nobody has measured that one would do.
"""

from __future__ import annotations

from stratagem.games.minions import magic

GRAVEYARD_TO_SCRIPT = 6.0  # a graveyard held, to the scripted general
GRAVEYARD = 5.0  # a graveyard held or taken back, to the engine's plans
GRAVEYARD_TO_FIGHT_FROM = 4.0  # a graveyard under a unit that fights
NECROMANCER_KILLED = 60.0
NECROMANCER_AT_STAKE = 40.0  # the own necromancer's life, to where it stands
POINT = 40.0
DOLLARS_A_BOARD = (
    20.0  # what of a side stands on a board on average: the unit of features, and of payoffs at first sight
)
IN_ZONE = 0.7  # share of a unit's price that it is worth in reinforcements
UNLOCKED_SHARE = 0.4  # share of a spell's price that an unlocked card is worth
STEP = 0.6  # a step nearer to its goal, to a unit
PRESS = 0.5  # an enemy within reach next turn
HOME = 0.8  # a step nearer to home, to the necromancer
BLINKED = 2.0  # what a unit taken home costs
DEAR = 3.0  # a removal from which on it is worth a spell
DEBT = 0.8  # what a mana costs where none is left: a card goes for it
NODE = 0.8  # standing on a sorcery node
BARRED = 0.4  # terrain next to a unit that may not enter it
FULL_HAND = 6.0  # a hand at the most: more than that cannot be played
WANTED_POINT = 0.6  # a point of `WANTED`
# how much a board wants a spell in its hand, in points, by number of the spell
WANTED = {
    magic.DISMEMBER: 3.0, magic.SUNDER: 2.6, magic.RAISE_ZOMBIE: 2.6, magic.LIGHTNING_BOLT: 2.4, magic.SHIELD: 2.0,
    magic.UNSUMMON: 2.0, magic.FREEZE_RAY: 1.8, magic.CLEAVE: 1.8, magic.UNHOLY_MIGHT: 1.8, magic.FESTER: 1.6,
    magic.DOUBLE_CANTRIP: 1.4, magic.WEAKEN: 1.4, magic.PROTECTION: 1.3, magic.STUMBLE: 1.2, magic.SHACKLE: 1.2,
    magic.DISPLACE: 1.2, magic.SPAWN_SPELL: 1.1, magic.LUMBERING_SPELL: 1.0, magic.REPOSITION: 1.0, magic.RISING_HORDE: 1.0,
    magic.FLOOD_SPELL: 0.8, magic.EARTHQUAKE_SPELL: 0.8, magic.FIRESTORM_SPELL: 0.8, magic.WHIRLWIND_SPELL: 0.8,
    magic.TERRAFORM: 0.6, magic.NORMALIZE: 0.5, magic.BLINK_SPELL: 0.2,
}  # fmt: skip
