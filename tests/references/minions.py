"""A slow and plain reading of the rules of Minions, to compare the kernels with.

Boards are dictionaries of hexes, a path is found by walking, and a turn is run action by action on a deep copy. It shares
the data files with the package and nothing else: it reads and writes positions and turns in text.
"""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import dataclass, field

from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.units import Unit, by_letter

STEPS = {"W": (-1, 0), "NW": (-1, 1), "NE": (0, 1), "E": (1, 0), "SE": (1, -1), "SW": (0, -1)}
Hex = tuple[int, int]
START = {0: (2, 2), 1: (7, 7)}


class Illegal(Exception):
    """The turn breaks a rule."""


@dataclass
class Man:
    unit: Unit
    side: int
    moved: bool = False
    spawned: bool = False
    attacks: int = 0
    damage: int = 0


@dataclass
class Field:
    tiles: dict[Hex, str]
    state: str
    men: dict[Hex, Man] = field(default_factory=dict)
    zone: list[Counter[Unit]] = field(default_factory=lambda: [Counter(), Counter()])
    killed: bool = False
    resigned: bool = False


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


class Reference:
    """A game between turns."""

    def __init__(self, config: GameConfig, fen: str, lenient: bool = False) -> None:
        self.config, self.lenient = config, lenient
        self.n = len(config.maps)
        money, points, cards, *boards, side, ply = fen.split()
        self.money = [int(x) for x in money.split("|")]
        self.points = [int(x) for x in points.split("|")]
        self.cards = [list(x) for x in cards.split("|")]
        self.side, self.ply = int(side), int(ply)
        self.winner: int | None = None
        self.fields = []
        for land, text in zip(config.lands, boards, strict=True):
            tiles = {(x, y): land.tiles[10 * y + x] for x in range(10) for y in range(10)}
            state, yellow, blue, _, _, position = text.split("|")
            made = Field(tiles, state)
            for s, zone in enumerate((yellow, blue)):
                made.zone[s].update(by_letter()[letter.upper()] for letter in zone)
            for y, row in enumerate(position.split("/")):
                x = 0
                for letter in row:
                    if letter.isdigit():
                        x += int(letter)
                    else:
                        made.men[x, y] = Man(by_letter()[letter.upper()], int(letter.islower()))
                        x += 1
            self.fields.append(made)

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
            words.append(f"{f.state}|{zones[0]}|{zones[1].lower()}|||{'/'.join(rows)}")
        return " ".join([*words, str(self.side), str(self.ply)])

    # -- a turn

    def play(self, parts: list[str]) -> Reference:
        """The game after a turn, or Illegal; this one is left as it is."""
        game = copy.deepcopy(self)
        if game.winner is not None:
            raise Illegal("over")
        techs = [p.split()[1:] for p in parts if p.split()[0] == "tech"]
        fresh = game.general([int(x) for x in techs[-1]] if techs else [0])
        for k in range(game.n):
            actions = [p.split()[2:] for p in parts if p.split()[0] == "board" and int(p.split()[1]) == k]
            game.board(k, actions, fresh)
        game.end()
        return game

    def general(self, numbers: list[int]) -> set[int]:
        marched, acquired = numbers[0], numbers[1:]
        price = 4 * self.n * max(0, marched + len(acquired) - 1)
        if price > self.money[self.side]:
            raise Illegal("money")
        self.money[self.side] -= price
        mine, theirs = self.cards[self.side], self.cards[1 - self.side]
        copycat = self.config.techline.letters.index("1")
        had_copycat = mine[copycat] == "A"
        for _ in range(marched):
            if "L" not in mine:
                raise Illegal("end of the line")
            mine[mine.index("L")] = "U"
        fresh: set[int] = set()
        for c in acquired:
            if not 0 <= c < 25 or mine[c] == "L":
                raise Illegal("locked")
            if mine[c] == "A":
                if not self.lenient:
                    raise Illegal("owned")
                continue
            copying = had_copycat or (self.lenient and mine[copycat] == "A")
            if theirs[c] == "A" and c != copycat and not copying:
                raise Illegal("taken")
            mine[c] = "A"
            fresh.add(c)
        return fresh

    def board(self, k: int, actions: list[list[str]], fresh: set[int]) -> None:
        f = self.fields[k]
        if ["resign"] in actions:
            if len(actions) > 1:
                raise Illegal("resign is not alone")
            f.resigned = True
            return
        setups = [a for a in actions if a[0] == "setup"]
        fights = [a for a in actions if a[0] in ("move", "move_cyclic", "attack", "blink")]
        spawns = [a for a in actions if a[0] in ("buy", "spawn")]
        if f.state in "12":
            if not setups:
                raise Illegal("no setup")
            self.setup(f, setups[-1])
        elif setups:
            raise Illegal("setup")
        for a in fights:
            getattr(self, a[0])(f, *a[1:])
        if spawns and f.state not in "n2":
            raise Illegal("no spawn phase")
        for a in spawns:
            if a[0] == "buy":
                self.buy(f, a[1], fresh)
            else:
                self.spawn(f, a[1], a[2])

    def setup(self, f: Field, words: list[str]) -> None:
        zone = f.zone[self.side]
        if len(words) == 3:
            kept = by_letter()[words[2]]
            if not zone[kept]:
                raise Illegal("not in the zone")
            f.zone[self.side] = zone = Counter({kept: 1})
        elif +zone and not self.lenient:
            raise Illegal("nothing kept")
        f.men[START[self.side]] = Man(by_letter()["N"], self.side)
        zone[by_letter()["Z"]] += 1

    def reachable(self, f: Field, start: Hex) -> set[Hex]:
        """Every hex that some path of the unit's speed ends on, whoever of its own side stands there."""
        man = f.men[start]
        found, edge = {start}, {start}
        for _ in range(man.unit.speed):
            new = set()
            for h in edge:
                for to in around(h):
                    if not on_board(to):
                        if self.lenient:
                            new.add(to)
                        continue
                    enemy = to in f.men and f.men[to].side != man.side
                    if enters(man.unit, f.tiles[to]) and (man.unit.flying or not enemy):
                        new.add(to)
            edge = new
            found |= new
        return {h for h in found if on_board(h) and (h == start or h not in f.men or f.men[h].side == man.side)}

    def mover(self, f: Field, a: Hex, b: Hex) -> Man:
        man = f.men.get(a)
        if man is None or man.side != self.side or man.moved or man.spawned or man.attacks:
            raise Illegal("may not move")
        if a == b or b not in self.reachable(f, a):
            raise Illegal("unreachable")
        return man

    def move(self, f: Field, pair: str) -> None:
        a, b = read(pair[:2]), read(pair[2:])
        man = self.mover(f, a, b)
        if b in f.men:
            raise Illegal("occupied")
        man.moved = True
        f.men[b] = f.men.pop(a)

    def move_cyclic(self, f: Field, *names: str) -> None:
        hexes = [read(name) for name in names]
        if len(set(hexes)) != len(hexes) or len(hexes) < 2:
            raise Illegal("cycle")
        nexts = hexes[1:] + hexes[:1]
        men = [self.mover(f, a, b) for a, b in zip(hexes, nexts, strict=True)]
        for man, to in zip(men, nexts, strict=True):
            man.moved = True
            f.men[to] = man

    def attack(self, f: Field, pair: str) -> None:
        a, b = read(pair[:2]), read(pair[2:])
        man, target = f.men.get(a), f.men.get(b)
        if man is None or target is None or man.side != self.side or target.side == self.side or man.spawned:
            raise Illegal("no such attack")
        if apart(a, b) > man.unit.range or man.attacks >= man.unit.attacks or (man.moved and man.unit.lumbering):
            raise Illegal("cannot attack")
        if man.unit.attack == "deathtouch" and target.unit.necromancer:
            raise Illegal("immune")
        man.attacks += 1
        if man.unit.attack == "unsummon" and not target.unit.persistent:
            del f.men[b]
            f.zone[target.side][target.unit] += 1
            return
        target.damage += {"unsummon": 1, "deathtouch": 1000}.get(man.unit.attack, man.unit.damage)
        if target.damage >= target.unit.defense:
            del f.men[b]
            self.money[target.side] += target.unit.rebate
            f.killed = f.killed or target.unit.necromancer

    def blink(self, f: Field, name: str) -> None:
        man = f.men.get(read(name))
        if man is None or man.side != self.side or not man.unit.blink:
            raise Illegal("no blink")
        del f.men[read(name)]
        f.zone[self.side][man.unit] += 1

    def buy(self, f: Field, letter: str, fresh: set[int]) -> None:
        unit = by_letter()[letter]
        if unit.name != "Zombie":
            at = self.config.techline.letters.find(letter)
            if at < 0 or self.cards[self.side][at] != "A" or (at in fresh and not self.lenient):
                raise Illegal("not for sale")
        if unit.cost > self.money[self.side]:
            raise Illegal("money")
        self.money[self.side] -= unit.cost
        f.zone[self.side][unit] += 1

    def spawn(self, f: Field, letter: str, name: str) -> None:
        unit, h = by_letter()[letter], read(name)
        supports = [m for a, m in f.men.items() if apart(a, h) == 1 and m.side == self.side and m.unit.spawn]
        if not self.lenient:
            supports = [m for m in supports if not m.spawned]
        if not f.zone[self.side][unit] or h in f.men or not supports or not enters(unit, f.tiles[h]):
            raise Illegal("cannot spawn")
        f.zone[self.side][unit] -= 1
        f.men[h] = Man(unit, self.side, spawned=True)

    # -- the end of a turn

    def held(self, f: Field, side: int) -> int:
        return sum(f.tiles[h] == "g" for h, man in f.men.items() if man.side == side)

    def end(self) -> None:
        me, other = self.side, 1 - self.side
        for f in self.fields:
            for man in f.men.values():
                man.moved, man.spawned, man.attacks, man.damage = False, False, 0, 0
            self.money[me] += 2 + self.held(f, me) + sum(m.unit.soul for m in f.men.values() if m.side == me)
            kill_first = self.config.switches.kill_beats_graveyards and f.killed
            if self.held(f, other) >= 8 and not kill_first:
                winner: int | None = other
            elif f.killed:
                winner = me
            else:
                winner = other if f.resigned else None
            f.state = {"f": "n", "n": "n", "1": "2", "2": "n"}[f.state]
            f.killed = f.resigned = False
            if winner is not None:
                self.points[winner] += 1
                for side in range(2):
                    kinds = set(+f.zone[side]) | {m.unit for m in f.men.values() if m.side == side}
                    f.zone[side] = Counter(u for u in kinds if not u.necromancer)
                f.men = {}
                for side, start in START.items():
                    f.men[start] = Man(by_letter()["N"], side)
                    for h in around(start):
                        f.men[h] = Man(by_letter()["Z"], side)
                f.state = "1"
        if self.points[me] >= self.config.points:
            self.winner = me
        elif self.points[other] >= self.config.points:
            self.winner = other
        else:
            self.side = other
            self.ply += 1
