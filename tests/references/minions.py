"""A slow and plain reading of the rules of Minions, to compare the kernels with.

Boards are dictionaries of hexes, a path is found by walking, spells on a unit are a list with the half turns that each has
left, and a turn is run action by action on a deep copy. It shares the data files with the package and nothing else: it
reads and writes positions and turns in text.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache

from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.maps import Map
from stratagem.games.minions.spells import Spell, by_key, spells
from stratagem.games.minions.units import Unit

STEPS = {"W": (-1, 0), "NW": (-1, 1), "NE": (0, 1), "E": (1, 0), "SE": (1, -1), "SW": (0, -1)}
Hex = tuple[int, int]
START = {0: (2, 2), 1: (7, 7)}
TERRAINS = {"flood": "W", "earthquake": "E", "whirlwind": "A", "firestorm": "F"}
SPAWN_PHASE = ("buy", "spawn", "ability", "rise")


class Illegal(Exception):
    """The turn breaks a rule."""


def need(holds: bool, why: str) -> None:
    if not holds:
        raise Illegal(why)


@dataclass(eq=False)
class Man:
    unit: Unit
    side: int
    moved: bool = False
    spawned: bool = False
    attacks: int = 0
    damage: int = 0
    done: bool = False
    spent: int = 0  # steps of its speed
    tapped: bool = False
    spells: list[list] = field(default_factory=list)  # [name, amount, half turns left], in the order of casting
    victims: list[Man] = field(default_factory=list)  # enemies attacked this turn

    def under(self, name: str) -> int:
        return sum(amount for what, amount, _ in self.spells if what == name)

    @property
    def defense(self) -> int:
        now = self.unit.defense
        for what, amount, _ in self.spells:
            if what == "shield":
                now *= 2
            elif what in ("protection", "bonus"):
                now += amount
        return now

    @property
    def flurry(self) -> bool:
        return self.unit.attack == "flurry"

    @property
    def num_attacks(self) -> int:
        if self.under("freeze_ray") or (self.unit.attack == "damage" and self.unit.damage - self.under("weaken") < 1):
            return 0
        n = max(2, self.unit.attacks) if self.under("unholy_might") else self.unit.attacks
        return max(n - self.under("weaken"), 0) if self.flurry else n

    @property
    def harm(self) -> int:
        if self.unit.attack == "unsummon":
            return 1
        return self.unit.damage - (self.under("weaken") if self.unit.attack == "damage" else 0)

    @property
    def speed(self) -> int:
        return (min(self.unit.speed, 1) if self.under("shackle") else self.unit.speed) - self.spent

    @property
    def range(self) -> int:
        return min(self.unit.range, 1) if self.under("shackle") else self.unit.range

    @property
    def lumbering(self) -> bool:
        return self.unit.lumbering or bool(self.under("lumbering"))

    @property
    def soulbound(self) -> bool:
        return bool(self.under("shield") or self.under("soulbound"))

    @property
    def busy(self) -> bool:
        return self.spawned or self.done


@dataclass
class Field:
    tiles: dict[Hex, str]  # movable terrain aside
    start: dict[str, Hex]  # where movable terrain starts
    state: str
    men: dict[Hex, Man] = field(default_factory=dict)
    zone: list[Counter[Unit]] = field(default_factory=lambda: [Counter(), Counter()])
    hands: list[list[str]] = field(default_factory=lambda: [[], []])
    land: dict[str, Hex] = field(default_factory=dict)
    mana: int = 0
    taken: int = 0
    raised: bool = False
    killed: bool = False
    resigned: bool = False
    phase: str = "-"

    def tile(self, h: Hex) -> str:
        for kind, at in self.land.items():
            if at == h:
                return TERRAINS[kind]
        return self.tiles[h]


def on_board(h: Hex) -> bool:
    return 0 <= h[0] <= 9 and 0 <= h[1] <= 9


def around(h: Hex) -> list[Hex]:
    return [(h[0] + dx, h[1] + dy) for dx, dy in STEPS.values()]


def apart(a: Hex, b: Hex) -> int:
    dx, dy = b[0] - a[0], b[1] - a[1]
    return max(abs(dx), abs(dy), abs(dx + dy))


def read(text: str) -> Hex:
    return ord(text[0]) - ord("a"), int(text[1])


def write(h: Hex) -> str:
    return "abcdefghij"[h[0]] + str(h[1])


def enters(unit: Unit, tile: str) -> bool:
    tile = tile.lower()
    if tile == "w":
        return unit.flying
    if tile == "e":
        return unit.speed >= 2
    if tile == "a":
        return unit.persistent
    if tile == "f":
        return unit.defense >= 4
    return True


@cache
def lay_of(land: Map) -> tuple[dict[Hex, str], dict[str, Hex]]:
    """The tiles of a map, movable terrain aside, and where that starts; neither ever changes."""
    tiles = {(x, y): land.tiles[10 * y + x] for x in range(10) for y in range(10)}
    start = {kind: h for kind, mark in TERRAINS.items() for h, tile in tiles.items() if tile == mark}
    return tiles | dict.fromkeys(start.values(), "."), start


def tally(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for item in filter(None, text.split(".")):
        match = re.fullmatch(r"([A-Za-z_]+)(\d+)", item)
        found[match[1]] = int(match[2])
    return found


def reported(counts: Counter[str]) -> str:
    return ".".join(f"{spell.key}{counts[spell.key]}" for spell in spells() if counts[spell.key])


class Reference:
    """A game between turns."""

    def __init__(self, config: GameConfig, fen: str, lenient: bool = False) -> None:
        self.config, self.lenient, self.rules = config, lenient, config.switches
        self.n = len(config.maps)
        self.by_letter = {u.letter: u for u in config.units if u.group != "necromancer_advanced"}
        self.by_name = {u.name: u for u in config.units}
        plain, _, extension = fen.partition(" + ")
        money, points, cards, *boards, side, ply = plain.split()
        self.money = [int(x) for x in money.split("|")]
        self.points = [int(x) for x in points.split("|")]
        self.cards = [list(x) for x in cards.split("|")]
        self.side, self.ply = int(side), int(ply)
        self.winner: int | None = None
        self.fields = []
        for land, text in zip(config.lands, boards, strict=True):
            tiles, start = lay_of(land)
            state, yellow, blue, *hands, position = text.split("|")
            made = Field(tiles, start, state, land=dict(start))
            made.hands = [[word for word in hand.split(",") if word] for hand in hands]
            for s, zone in enumerate((yellow, blue)):
                made.zone[s].update(self.by_letter[letter.upper()] for letter in zone)
            for y, row in enumerate(position.split("/")):
                x = 0
                for letter in row:
                    if letter.isdigit():
                        x += int(letter)
                    else:
                        made.men[x, y] = Man(self.by_letter[letter.upper()], int(letter.islower()))
                        x += 1
            self.fields.append(made)
        self.ahead: list[list[str]] = [[], []]  # cards that a side knows
        self.given = [0, 0]
        self.deck: list[Counter[str]] = [Counter(), Counter()]
        self.seen: list[Counter[str]] = [Counter(), Counter()]
        self.drawn = 0
        self.used: list[set[str]] = [set(), set()]
        self.sold, self.placed, self.fresh, self.teched = False, 0, set(), False
        extras = dict(item.partition("=")[::2] for item in extension.split())
        for name, value in sorted(extras.items()):
            for entry in value.split(","):
                getattr(self, f"read_{name}")(entry)
        self.start_mana()

    # -- text

    def read_necromancers(self, entry: str) -> None:
        place, name = entry.split(":")
        self.fields[int(place[:-2])].men[read(place[-2:])].unit = self.by_name[name]

    def read_pieces(self, entry: str) -> None:
        """Spells on a unit between turns: each has half a turn left."""
        place, marks = entry.split(":")
        man = self.fields[int(place[:-2])].men[read(place[-2:])]
        words = {"b": "bonus", "h": "soulbound", "f": "freeze_ray", "l": "lumbering", "c": "shackle", "w": "weaken"}
        for letter, number in re.findall(r"([a-z])(\d*)", marks):
            man.spells.append([words[letter], int(number or 1), 1])

    def read_used(self, entry: str) -> None:
        side, name = entry.split(":")
        self.used[int(side)].add(name)

    def read_terrain(self, entry: str) -> None:
        k, _, items = entry.partition(":")
        self.fields[int(k)].land = {item[:-2]: read(item[-2:]) for item in items.split(".") if item}

    def read_ahead(self, entry: str) -> None:
        side, cards = entry.split(":")
        self.ahead[int(side)] = cards.split(".")

    def read_decks(self, entry: str) -> None:
        side, given, left = entry.split(":")
        self.given[int(side)], self.deck[int(side)] = int(given), tally(left)

    def read_seen(self, entry: str) -> None:
        side, counts = entry.split(":")
        self.seen[int(side)] = tally(counts)

    def read_drawn(self, entry: str) -> None:
        self.drawn = int(entry.partition(":")[0])

    def fen(self) -> str:
        words = ["|".join(map(str, self.money)), "|".join(map(str, self.points))]
        words.append("|".join("".join(line) for line in self.cards))
        for f in self.fields:
            zones = ["".join(sorted(u.letter for u in z.elements())) for z in f.zone]
            rows = []
            for y in range(10):
                row = ""
                for x in range(10):
                    man = f.men.get((x, y))
                    row += "." if man is None else man.unit.letter if man.side == 0 else man.unit.letter.lower()
                for gap in range(10, 0, -1):
                    row = row.replace("." * gap, str(gap) if gap < 10 else "0")
                rows.append(row)
            hands = "|".join(",".join(hand) for hand in f.hands)
            words.append(f"{f.state}|{zones[0]}|{zones[1].lower()}|{hands}|{'/'.join(rows)}")
        return " ".join([*words, str(self.side), str(self.ply)])

    def marks(self, f: Field, man: Man) -> str:
        text = "m" * man.moved + "s" * man.spawned + (f"a{man.attacks}" if man.attacks else "")
        text += (f"d{man.damage}" if man.damage else "") + "x" * man.done
        bonus = min(man.defense - man.unit.defense, 4095)
        text += (f"b{bonus}" if bonus else "") + "h" * man.soulbound + "f" * bool(man.under("freeze_ray"))
        text += "l" * bool(man.under("lumbering")) + "c" * bool(man.under("shackle"))
        text += f"w{man.under('weaken')}" if man.under("weaken") else ""
        text += "p" * bool(man.under("spawn")) + "u" * bool(man.under("unholy_might"))
        if man.victims and self.rules.spells:
            where = [h for h, other in f.men.items() if all(victim is other for victim in man.victims)]
            text += f"v{write(where[0])}" if where else "v*"
        return text + (f"n{man.spent}" if man.spent else "") + "t" * man.tapped

    def extended(self) -> str:
        """The state string and all that it does not say, in the middle of a turn too."""
        extra: dict[str, list[str]] = {"necromancers": [], "tech": [], "phases": [], "pieces": []}
        if self.teched or self.sold:
            fresh = ".".join(map(str, sorted(self.fresh)))
            extra["tech"] = [f"{self.placed}:{fresh}" + "s" * self.sold + ("" if self.teched else "-")]
        for name in ("used", "terrain", "mana", "ahead", "decks", "seen", "drawn"):
            extra[name] = []
        for k, f in enumerate(self.fields):
            done = "k" * f.killed + "r" * f.resigned + "z" * f.raised
            extra["phases"] += [f"{k}{f.phase}{done}"] if f.phase != "-" or done else []
            for (x, y), man in sorted(f.men.items(), key=lambda item: (item[0][1], item[0][0])):
                if man.unit.group == "necromancer_advanced":
                    extra["necromancers"].append(f"{k}{write((x, y))}:{man.unit.name}")
                if marks := self.marks(f, man):
                    extra["pieces"].append(f"{k}{write((x, y))}:{marks}")
            if f.land != f.start:
                extra["terrain"].append(f"{k}:" + ".".join(t + write(f.land[t]) for t in TERRAINS if t in f.land))
            if f.mana != (self.sources(f) if self.winner is None else 0):
                extra["mana"].append(f"{k}:{f.mana}")
        for side in range(2):
            order = [u.name for u in self.config.units if u.name in self.used[side]]
            extra["used"] += [f"{side}:{name}" for name in order]
            extra["ahead"] += [f"{side}:{'.'.join(self.ahead[side])}"] if self.ahead[side] else []
            if self.given[side] or +self.deck[side]:
                extra["decks"].append(f"{side}:{self.given[side]}:{reported(self.deck[side])}")
            extra["seen"] += [f"{side}:{reported(self.seen[side])}"] if +self.seen[side] else []
        taken = [f.taken for f in self.fields]
        if self.drawn:
            extra["drawn"] = [str(self.drawn) + (":" + ".".join(map(str, taken)) if any(taken) else "")]
        said = [f"{name}={','.join(items)}" for name, items in extra.items() if items]
        return self.fen() + (" + " + " ".join(said) if said else "")

    def copied(self) -> Reference:
        """A copy that shares what never changes."""
        kept = [
            self.config,
            self.rules,
            self.by_letter,
            self.by_name,
            *self.config.units,
            *(f.tiles for f in self.fields),
        ]
        return copy.deepcopy(self, {id(thing): thing for thing in kept})

    # -- chance

    def full_deck(self) -> Counter[str]:
        return Counter({spell.key: spell.copies or self.rules.rare_spells for spell in spells()})

    def deal(self, cards: list[str]) -> Reference:
        """The game when the side to move has been shown these cards."""
        game = self.copied()
        me = game.side
        first = me == 0 and game.given[0] == 0
        window = (game.n + 1) * (1 if first else 2) + game.rules.spells_ahead
        need(not game.drawn and len(cards) == window - len(game.ahead[me]), "number of cards")
        for card in cards:
            if not +game.deck[me]:
                game.deck[me] = game.full_deck()
            need(game.deck[me][card] > 0, "not in the deck")
            game.deck[me][card] -= 1
            game.ahead[me].append(card)
            game.given[me] += 1
        game.drawn = game.n + 1
        return game

    # -- a turn

    def play(self, parts: list[str]) -> Reference:
        """The game after a turn, or Illegal; this one is left as it is."""
        game = self.copied()
        game.act(parts)
        game.end()
        return game

    def act(self, parts: list[str]) -> None:
        """A turn up to its end, on this very game."""
        need(self.winner is None, "over")
        need(not self.rules.spells or self.drawn > 0, "nothing dealt")
        if "sell_spell" in parts:
            self.sell()
        techs = [p.split()[1:] for p in parts if p.split()[0] == "tech"]
        self.general([int(x) for x in techs[-1]] if techs else [0])
        for part in parts:
            if part.startswith("give_spell"):
                self.take(int(part.split()[1]), part.split()[2])
        for k in range(self.n):
            actions = [p.split()[2:] for p in parts if p.split()[0] == "board" and int(p.split()[1]) == k]
            self.board(k, actions)

    def has(self, card: str) -> bool:
        """Whether a special card was acquired before this turn and means something."""
        at = self.config.techline.letters.index(card)
        return self.rules.special_cards and self.cards[self.side][at] == "A" and at not in self.fresh

    def sell(self) -> None:
        need(self.has("2"), "no Thaumaturgy")
        self.sold = True
        self.money[self.side] += self.n

    def general(self, numbers: list[int]) -> None:
        marched, acquired = numbers[0], numbers[1:]
        self.teched, self.placed = True, marched + len(acquired)
        bought = self.placed if self.sold else max(0, self.placed - 1)
        price = self.rules.spell_price * self.n * bought
        need(price <= self.money[self.side], "money")
        self.money[self.side] -= price
        if self.rules.spells:
            self.drawn += bought
            need(self.drawn <= len(self.ahead[self.side]), "cards known")
        mine, theirs = self.cards[self.side], self.cards[1 - self.side]
        copycat = self.config.techline.letters.index("1")
        had_copycat = mine[copycat] == "A"
        for _ in range(marched):
            need("L" in mine, "end of the line")
            mine[mine.index("L")] = "U"
        for c in acquired:
            need(0 <= c < 25 and mine[c] != "L", "locked")
            if mine[c] == "A":
                need(self.lenient, "owned")
                continue
            copying = had_copycat or (self.lenient and mine[copycat] == "A")
            need(theirs[c] != "A" or c == copycat or copying, "taken")
            mine[c] = "A"
            self.fresh.add(c)

    def take(self, k: int, word: str) -> None:
        need(self.rules.spells, "no spells")
        mine, f = self.ahead[self.side], self.fields[k]
        need(word in mine[: self.drawn], "not drawn")
        need(f.taken == 0 or self.has("3"), "took one")
        need(sum(other.taken for other in self.fields) < self.n, "all taken")
        need(len(f.hands[self.side]) < self.rules.hand_limit, "full")
        mine.remove(word)
        self.drawn -= 1
        f.taken += 1
        f.hands[self.side].append(word)

    def board(self, k: int, actions: list[list[str]]) -> None:
        f = self.fields[k]
        if f.state == "0":
            need(not actions, "pass")
            return
        if ["resign"] in actions:
            need(len(actions) == 1, "resign is not alone")
            f.resigned = True
            return
        phases: list[list[list[str]]] = [[], [], []]
        last = 1
        for a in actions:
            if a[0] in ("cast", "discard"):
                phase = 2 if a[0] == "cast" and by_key()[a[1]].spawn_phase else last
            else:
                phase = 0 if a[0] == "setup" else 2 if a[0] in SPAWN_PHASE else 1
            last = phase or last
            phases[phase].append(a)
        setups, fights, spawns = phases
        if f.state in "12":
            need(bool(setups), "no setup")
            self.setup(f, setups[-1])
            f.phase = "u"
        else:
            need(not setups, "setup")
        for a in fights:
            f.phase = "a"
            getattr(self, a[0])(f, *a[1:])
        for a in spawns:
            floating = a[0] == "discard" or (a[0] == "cast" and not by_key()[a[1]].spawn_phase)
            need(floating or f.state in "n2" or self.rules.open_spawn_phase, "no spawn phase")
            need(a[0] != "spawn" or f.state in "n2", "no spawning yet")
            f.phase = "s"
            getattr(self, a[0])(f, *a[1:])

    def setup(self, f: Field, words: list[str]) -> None:
        name = words[1]
        chosen = self.by_letter["N"] if name == "N" else self.by_name[name]
        if self.rules.advanced_necromancers:
            advanced = {u.name for u in self.config.units if u.group == "necromancer_advanced" and not u.absent}
            left = advanced - self.used[self.side]
            need(chosen.name in left if left else chosen.name == "BasicNecromancer", "necromancer")
            self.used[self.side] |= {chosen.name} & advanced
        else:
            need(chosen.name == "BasicNecromancer", "basic")
        zone = f.zone[self.side]
        if len(words) == 3:
            kept = self.by_letter[words[2]]
            need(zone[kept] > 0, "not in the zone")
            f.zone[self.side] = zone = Counter({kept: 1})
        elif +zone and self.rules.keep_dearest:
            kept = max(+zone, key=lambda u: (u.cost, u.index))
            f.zone[self.side] = zone = Counter({kept: 1})
        else:
            need(not +zone or self.lenient, "nothing kept")
        f.men = {h: m for h, m in f.men.items() if not (m.side == self.side and m.unit.necromancer)}
        f.men[START[self.side]] = Man(chosen, self.side)
        zone[self.by_letter[self.rules.setup_unit]] += 1

    def walks(self, f: Field, start: Hex) -> dict[Hex, int]:
        """Every hex that some path of the unit's speed ends on, whoever of its own side stands there, and how far it is."""
        man = f.men[start]
        found, edge = {start: 0}, {start}
        for step in range(1, man.speed + 1):
            new = set()
            for h in edge:
                for to in around(h):
                    if not on_board(to):
                        if self.lenient:
                            new.add(to)
                        continue
                    enemy = to in f.men and f.men[to].side != man.side
                    if enters(man.unit, f.tile(to)) and (man.unit.flying or not enemy):
                        new.add(to)
            edge = new
            for h in new:
                found.setdefault(h, step)
        return {
            h: far for h, far in found.items()
            if on_board(h) and (h == start or h not in f.men or f.men[h].side == man.side)
        }  # fmt: skip

    def reachable(self, f: Field, start: Hex) -> set[Hex]:
        return set(self.walks(f, start))

    def mover(self, f: Field, a: Hex, b: Hex) -> Man:
        man = f.men.get(a)
        need(man is not None and man.side == self.side and not man.busy and not man.attacks, "may not move")
        need(not man.moved or self.rules.split_moves, "has moved")
        far = self.walks(f, a)
        need(a != b and b in far, "unreachable")
        if self.rules.split_moves:
            man.spent += far[b]
        return man

    def move(self, f: Field, pair: str) -> None:
        a, b = read(pair[:2]), read(pair[2:])
        man = self.mover(f, a, b)
        need(b not in f.men, "occupied")
        man.moved = True
        f.men[b] = f.men.pop(a)

    def move_cyclic(self, f: Field, *names: str) -> None:
        hexes = [read(name) for name in names]
        need(len(set(hexes)) == len(hexes) >= 2, "cycle")
        nexts = hexes[1:] + hexes[:1]
        men = [self.mover(f, a, b) for a, b in zip(hexes, nexts, strict=True)]
        for man, to in zip(men, nexts, strict=True):
            man.moved = True
            f.men[to] = man

    def remove(self, f: Field, h: Hex, dies: bool) -> None:
        """A unit leaves the board: it dies, or goes to its owner's reinforcements."""
        man = f.men.pop(h)
        if not dies or man.soulbound:
            f.zone[man.side][man.unit] += 1
            return
        self.money[man.side] += man.unit.rebate
        f.killed = f.killed or man.unit.necromancer

    def wound(self, f: Field, h: Hex, amount: int) -> None:
        f.men[h].damage += amount
        if f.men[h].damage >= f.men[h].defense:
            self.remove(f, h, dies=True)

    def attack(self, f: Field, pair: str) -> None:
        a, b = read(pair[:2]), read(pair[2:])
        man, target = f.men.get(a), f.men.get(b)
        need(man is not None and target is not None, "nobody")
        need(man.side == self.side and target.side != self.side and not man.busy, "no such attack")
        need(apart(a, b) <= man.range and man.attacks < man.num_attacks, "cannot attack")
        need(not (man.moved and man.lumbering), "lumbering")
        need(not (man.unit.attack == "deathtouch" and target.unit.necromancer), "immune")
        man.attacks += 1
        man.victims.append(target)
        if man.unit.attack == "unsummon" and not target.unit.persistent:
            self.remove(f, b, dies=False)
        elif man.unit.attack == "deathtouch":
            self.remove(f, b, dies=True)
        else:
            self.wound(f, b, man.harm)

    def blink(self, f: Field, name: str) -> None:
        man = f.men.get(read(name))
        need(man is not None and man.side == self.side and man.unit.blink, "no blink")
        self.remove(f, read(name), dies=False)

    def buy(self, f: Field, letter: str) -> None:
        unit = self.by_letter[letter]
        if unit.name != "Zombie":
            at = self.config.techline.letters.find(letter)
            need(
                at >= 0 and self.cards[self.side][at] == "A" and (at not in self.fresh or self.lenient), "not for sale"
            )
        need(unit.cost <= self.money[self.side], "money")
        self.money[self.side] -= unit.cost
        f.zone[self.side][unit] += 1

    def spawn(self, f: Field, letter: str, name: str) -> None:
        unit, h = self.by_letter[letter], read(name)
        supports = [m for a, m in f.men.items() if apart(a, h) == 1 and m.side == self.side and not m.done]
        supports = [m for m in supports if m.unit.spawn or m.under("spawn")]
        if not self.lenient:
            supports = [m for m in supports if not m.spawned]
        need(f.zone[self.side][unit] > 0 and h not in f.men and bool(supports) and enters(unit, f.tile(h)), "spawn")
        f.zone[self.side][unit] -= 1
        f.men[h] = Man(unit, self.side, spawned=True)

    # -- tiles that act

    def teleport(self, f: Field, pair: str) -> None:
        a, b = read(pair[:2]), read(pair[2:])
        man = f.men.get(a)
        need(man is not None and man.side == self.side and f.tiles[a] == "t", "no teleporter")
        need(not (man.busy or man.moved or man.attacks or man.tapped), "has acted")
        need(b not in f.men and enters(man.unit, f.tile(b)), "no room")
        man.done = True
        f.men[b] = f.men.pop(a)

    def rise(self, f: Field, name: str) -> None:
        h = read(name)
        need(not f.raised and f.tiles[h] == "z" and h not in f.men, "spawner")
        f.raised = True
        f.men[h] = Man(self.by_letter["Z"], self.side, spawned=True)

    def ability(self, f: Field, name: str, kind: str, to: str) -> None:
        man = f.men.get(read(name))
        need(man is not None and man.side == self.side and not man.busy and not man.tapped, "nobody")
        can = {"Initiate": ["flood"], "Haunt": ["earthquake"], "Void": ["whirlwind"], "Cerberus": ["firestorm"]}
        can["Elemental"] = list(TERRAINS)
        need(self.rules.live_units and kind in can.get(man.unit.name, []), "ability")
        need(apart(read(name), read(to)) == 1, "adjacent")
        self.lay(f, kind, read(to))
        f.mana -= 1
        self.solvent(f)
        man.tapped = self.rules.ability_once

    def lay(self, f: Field, kind: str, h: Hex) -> None:
        need(h not in f.men and f.tile(h) == ".", "empty ground")
        f.land[kind] = h

    # -- spells

    def worth(self, word: str) -> int:
        return 2 if word == "doubleCantrip" else 1

    def solvent(self, f: Field) -> None:
        need(f.mana + sum(map(self.worth, f.hands[self.side])) >= 0, "mana")

    def discard(self, f: Field, word: str) -> None:
        need(word in f.hands[self.side], "not in hand")
        f.hands[self.side].remove(word)
        self.seen[self.side][word] += 1
        f.mana += self.worth(word)

    def cast(self, f: Field, word: str, *aim: str) -> None:
        need(word in f.hands[self.side], "not in hand")
        spell: Spell = by_key()[word]
        f.hands[self.side].remove(word)
        self.seen[self.side][word] += 1
        f.mana += {"normal": 0, "sorcery": -1, "cantrip": 1, "double_cantrip": 2}[spell.kind]
        self.solvent(f)
        getattr(self, f"cast_{word}")(f, *aim)

    def minion(self, f: Field, h: Hex, side: int | None = None) -> Man:
        man = f.men.get(h)
        need(man is not None and not man.unit.necromancer and side in (None, man.side), "minion")
        return man

    def enemy(self, f: Field, name: str) -> Man:
        return self.minion(f, read(name), 1 - self.side)

    def friend(self, f: Field, name: str) -> Man:
        return self.minion(f, read(name), self.side)

    def beside_friend(self, f: Field, h: Hex) -> None:
        need(any(to in f.men and f.men[to].side == self.side and not f.men[to].busy for to in around(h)), "friend near")

    def put(self, f: Field, a: Hex, b: Hex) -> None:
        need(apart(a, b) == 1 and b not in f.men and enters(f.men[a].unit, f.tile(b)), "room")
        f.men[b] = f.men.pop(a)

    def cast_fester(self, f: Field, name: str) -> None:
        need(self.minion(f, read(name)).damage > 0, "unhurt")
        self.wound(f, read(name), 1)

    def cast_dismember(self, f: Field, name: str) -> None:
        need(self.minion(f, read(name)).damage > 0, "unhurt")
        self.wound(f, read(name), 3)

    def cast_unsummon(self, f: Field, name: str) -> None:
        man = self.minion(f, read(name))
        need(man.damage > 0 and not man.unit.persistent, "unsummon")
        self.remove(f, read(name), dies=False)

    def cast_reposition(self, f: Field, pair: str) -> None:
        man = self.friend(f, pair[:2])
        self.put(f, read(pair[:2]), read(pair[2:]))
        man.done = True

    def cast_shield(self, f: Field, name: str) -> None:
        self.friend(f, name).spells.append(["shield", 1, 2])

    def cast_stumble(self, f: Field, pair: str) -> None:
        need(self.enemy(f, pair[:2]).damage > 0, "unhurt")
        self.put(f, read(pair[:2]), read(pair[2:]))

    def cast_displace(self, f: Field, pair: str) -> None:
        self.enemy(f, pair[:2])
        self.put(f, read(pair[:2]), read(pair[2:]))

    def cast_unholy_might(self, f: Field, name: str) -> None:
        man = f.men.get(read(name))
        need(man is not None and man.unit.necromancer and man.side == self.side, "necromancer")
        man.spells.append(["unholy_might", 1, 1])

    def cast_protection(self, f: Field, name: str) -> None:
        self.friend(f, name).spells.append(["protection", 2, 2])

    def cast_freeze_ray(self, f: Field, name: str) -> None:
        self.enemy(f, name).spells.append(["freeze_ray", 1, 2])

    def cast_weaken(self, f: Field, name: str) -> None:
        self.enemy(f, name).spells.append(["weaken", 1, 2])

    def cast_lumbering(self, f: Field, name: str) -> None:
        self.enemy(f, name).spells.append(["lumbering", 1, 2])

    def cast_shackle(self, f: Field, name: str) -> None:
        self.enemy(f, name).spells.append(["shackle", 1, 2])

    def cast_spawn(self, f: Field, name: str) -> None:
        man = self.friend(f, name)
        need(not man.busy, "spawned")
        man.spells.append(["spawn", 1, 1])

    def cast_raise_zombie(self, f: Field, name: str) -> None:
        h = read(name)
        need(h not in f.men and enters(self.by_letter["Z"], f.tile(h)), "room")
        self.beside_friend(f, h)
        f.men[h] = Man(self.by_letter["Z"], self.side, spawned=True)

    def cast_doubleCantrip(self, f: Field) -> None:
        pass

    def cast_terraform(self, f: Field, kind: str, name: str) -> None:
        self.beside_friend(f, read(name))
        self.lay(f, kind, read(name))

    def cast_earthquake(self, f: Field, name: str) -> None:
        self.cast_terraform(f, "earthquake", name)

    def cast_firestorm(self, f: Field, name: str) -> None:
        self.cast_terraform(f, "firestorm", name)

    def cast_flood(self, f: Field, name: str) -> None:
        self.cast_terraform(f, "flood", name)

    def cast_whirlwind(self, f: Field, name: str) -> None:
        self.cast_terraform(f, "whirlwind", name)

    def cast_normalize(self, f: Field, name: str) -> None:
        kinds = [kind for kind, h in f.land.items() if h == read(name)]
        need(bool(kinds), "no terrain")
        del f.land[kinds[0]]

    def near_striker(self, f: Field, name: str) -> None:
        target = self.enemy(f, name)
        need(
            any(
                m.side == self.side and not m.unit.necromancer and apart(h, read(name)) <= m.range
                and any(victim is not target for victim in m.victims)
                for h, m in f.men.items()
            ), "striker",
        )  # fmt: skip

    def cast_cleave(self, f: Field, name: str) -> None:
        self.near_striker(f, name)
        self.wound(f, read(name), 1)

    def cast_sunder(self, f: Field, name: str) -> None:
        self.near_striker(f, name)
        self.wound(f, read(name), 2)

    def cast_lightning_bolt(self, f: Field, name: str) -> None:
        self.enemy(f, name)
        self.wound(f, read(name), 1)

    def cast_rising_horde(self, f: Field) -> None:
        for man in f.men.values():
            if man.side == self.side:
                man.spells.append(["spawn", 1, 1])

    def cast_blink(self, f: Field, name: str) -> None:
        man = self.friend(f, name)
        if man.unit.persistent and not self.rules.blink_as_meant:
            self.wound(f, read(name), 1)
        else:
            self.remove(f, read(name), dies=False)

    # -- the end of a turn

    def held(self, f: Field, side: int) -> int:
        return sum(f.tiles[h] == "g" for h, man in f.men.items() if man.side == side)

    def sources(self, f: Field) -> int:
        """The mana with which the side to move begins."""
        mine = [(h, man) for h, man in f.men.items() if man.side == self.side]
        return sum((f.tiles[h] == "s") + man.unit.mana for h, man in mine)

    def start_mana(self) -> None:
        for f in self.fields:
            f.mana = self.sources(f)

    def settle(self) -> None:
        for f in self.fields:
            while f.mana < 0 and f.hands[self.side]:
                self.discard(f, f.hands[self.side][0])
        given = sum(f.taken for f in self.fields)
        for f in self.fields:
            room = len(f.hands[self.side]) < self.rules.hand_limit
            room = room and not (f.resigned and self.rules.resigned_takes_none)
            if f.taken == 0 and self.drawn and room and (given < self.n or self.rules.gift_to_all):
                f.hands[self.side].append(self.ahead[self.side].pop(0))
                self.drawn -= 1
                given += 1
            f.taken = 0
        del self.ahead[self.side][: self.drawn]
        self.drawn = 0

    def end(self) -> None:
        me, other = self.side, 1 - self.side
        if self.rules.auto_march and not self.placed and not self.sold and "L" in self.cards[me]:
            self.cards[me][self.cards[me].index("L")] = "U"
        if self.rules.spells:
            self.settle()
        credited = None
        for f in self.fields:
            winner = self.end_field(f)
            credited = credited if winner is None else winner
        self.sold, self.placed, self.fresh, self.teched = False, 0, set(), False
        first = me if credited is None or not self.rules.last_board_decides else credited
        for side in (first, 1 - first):
            if self.winner is None and self.points[side] >= self.config.points:
                self.winner = side
        if self.winner is None:
            self.side = other
            self.ply += 1
            self.start_mana()
            for f in self.fields:
                bringers = [m for m in f.men.values() if m.side == self.side and m.unit.reinforces]
                f.zone[self.side][self.by_letter["Z"]] += len(bringers)

    def end_field(self, f: Field) -> int | None:
        me, other = self.side, 1 - self.side
        for h, man in list(f.men.items()):
            man.moved = man.spawned = man.done = man.tapped = False
            man.attacks = man.damage = man.spent = 0
            man.victims = []
            man.spells = [[what, amount, left - 1] for what, amount, left in man.spells if left > 1]
            if f.tiles[h] == "m" and not man.unit.persistent:
                self.remove(f, h, dies=False)
        if not (f.state == "0" and self.rules.passing_unpaid):
            self.money[me] += self.rules.income + self.held(f, me)
            self.money[me] += sum(m.unit.soul for m in f.men.values() if m.side == me)
        kill_first = self.rules.kill_beats_graveyards and f.killed
        if self.held(f, other) >= 8 and not kill_first:
            winner: int | None = other
        elif f.killed:
            winner = me
        else:
            winner = other if f.resigned else None
        f.state = {"f": "n", "n": "n", "1": "2", "2": "n", "0": "1"}[f.state]
        f.killed = f.resigned = f.raised = False
        f.phase, f.mana = "-", 0
        if winner is not None:
            self.points[winner] += 1
            for side in range(2):
                kinds = set(+f.zone[side]) | {m.unit for m in f.men.values() if m.side == side}
                f.zone[side] = Counter(u for u in kinds if not u.necromancer)
            f.men, f.land = {}, dict(f.start)
            for side, start in START.items():
                f.men[start] = Man(self.by_letter["N"], side)
                for h in around(start):
                    f.men[h] = Man(self.by_letter["Z"], side)
            f.state = "0" if self.rules.winner_first and winner == me else "1"
        return winner
