"""Skirmish once more, slowly: squares are pairs of column and row, pieces are objects, hands and decks are lists of names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

UNITS = ("guard", "bowman", "healer", "mage", "scout")
THINGS = ("edge", "charm", "plate", "veil")
CARDS = (*UNITS, "fire", "draught", *THINGS)
HEALTH = {"guard": 1000, "bowman": 800, "healer": 800, "mage": 800, "scout": 800, "tower": 4500}
POWER = {"guard": 200, "bowman": 300, "healer": 200, "mage": 200, "scout": 200}
RANGE = {"guard": 1, "bowman": 3, "healer": 2, "mage": 2, "scout": 2}
SPEED = {"guard": 2, "bowman": 2, "healer": 2, "mage": 2, "scout": 3}
COMPASS = ((0, -1), (1, 0), (-1, 0), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1))  # N E W S NE NW SE SW

Square = tuple[int, int]


@dataclass
class Piece:
    kind: str
    side: int
    health: int
    carries: set[str] = field(default_factory=set)

    @property
    def most(self) -> int:
        return HEALTH[self.kind] + HEALTH[self.kind] // 10 * len(self.carries & {"plate", "veil"})


def name(square: Square) -> str:
    return f"{'abcdefghi'[square[0]]}{square[1] + 1}"


def square_of(text: str) -> Square:
    return "abcdefghi".index(text[0]), int(text[1:]) - 1


def distance(one: Square, other: Square) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def sign(x: int) -> int:
    return (x > 0) - (x < 0)


def between(one: Square, other: Square) -> list[Square]:
    """By hand, for all that a strike can reach."""
    dx, dy = other[0] - one[0], other[1] - one[1]
    x, y = one
    sx, sy = sign(dx), sign(dy)
    if (abs(dx), abs(dy)) in ((1, 0), (0, 1), (1, 1)):
        return []
    if dy == 0:
        return [(x + i * sx, y) for i in range(1, abs(dx))]
    if dx == 0:
        return [(x, y + i * sy) for i in range(1, abs(dy))]
    if (abs(dx), abs(dy)) == (2, 1):
        return [(x + sx, y), (x + sx, y + sy)]
    assert (abs(dx), abs(dy)) == (1, 2)
    return [(x, y + sy), (x + sx, y + sy)]


class Plain:
    """A game under way."""

    def __init__(self, rows: list[str], hands: list[list[str]], decks: list[list[str]], **options: int | bool) -> None:
        self.signs = {(x, y): sign for y, row in enumerate(rows) for x, sign in enumerate(row)}
        self.hands, self.decks = [list(hand) for hand in hands], [list(deck) for deck in decks]
        self.points, self.cap, self.published = options["points"], options["cap"], options["published"]
        self.left, self.turn, self.seat = options["first"], 1, 0
        self.pieces = {
            square: Piece("tower", int(sign == "t"), 4500) for square, sign in self.signs.items() if sign in "Tt"
        }
        self.drawing = self.over = False
        self.winner: int | None = None

    def own(self, side: int) -> dict[Square, Piece]:
        return {q: piece for q, piece in self.pieces.items() if piece.side == side}

    def living(self, side: int) -> dict[Square, Piece]:
        return {q: piece for q, piece in self.own(side).items() if piece.health > 0}

    # -- what may be done

    def moves(self) -> set[str]:
        found = set()
        for a, unit in self.living(self.seat).items():
            if unit.kind != "tower":
                found |= {f"{name(a)}{self.deed(unit, b)}{name(b)}" for b in self.signs if self.may_act(a, unit, b)}
        for card in set(self.hands[self.seat]):
            found |= {f"{card} {name(b)}" for b in self.signs if self.may_play(card, b)}
            if self.decks[self.seat]:
                found.add(f"back {card}")
        if not found or not self.published:
            found.add("end")
        return found

    def deed(self, unit: Piece, b: Square) -> str:
        there = self.pieces.get(b)
        if there is None or (there.health == 0 and (there.side != unit.side or unit.kind != "healer")):
            return "-"
        if there.side != unit.side:
            return ">"
        return "+" if unit.kind == "healer" else "="

    def may_act(self, a: Square, unit: Piece, b: Square) -> bool:
        if a == b:
            return False
        there, deed = self.pieces.get(b), self.deed(unit, b)
        if deed == "-":
            return distance(a, b) <= SPEED[unit.kind] and self.signs[b] != "21"[unit.side]
        assert there is not None
        if deed == ">":
            blocked = any(q in self.living(1 - unit.side) for q in between(a, b)) if distance(a, b) <= 3 else True
            return distance(a, b) <= RANGE[unit.kind] and not blocked
        if there.kind == "tower":
            return False
        if deed == "+":
            return distance(a, b) <= 2 and there.health < there.most
        return unit.kind == "scout"

    def may_play(self, card: str, b: Square) -> bool:
        there = self.pieces.get(b)
        if card in UNITS:
            return self.signs[b] == "12"[self.seat] and (there is None or there.health == 0)
        if card == "fire":
            return True
        if there is None or there.side != self.seat or there.kind == "tower":
            return False
        if card == "draught":
            return there.health < there.most
        return there.health > 0 and card not in there.carries

    # -- what comes of it

    def play(self, move: str) -> None:
        word, _, rest = move.partition(" ")
        if move == "end":
            self.end()
            return
        if word == "back":
            self.hands[self.seat].remove(rest)
            self.decks[self.seat].append(rest)
        elif rest:
            self.hands[self.seat].remove(word)
            self.card(word, square_of(rest))
        else:
            self.act(square_of(move[:2]), move[2], square_of(move[3:]))
        if not self.over:
            self.left -= 1
            if self.left == 0:
                self.end()

    def card(self, card: str, b: Square) -> None:
        if card in UNITS:
            self.pieces[b] = Piece(card, self.seat, HEALTH[card])
        elif card == "fire":
            for q, piece in list(self.own(1 - self.seat).items()):
                if max(abs(q[0] - b[0]), abs(q[1] - b[1])) <= 1:
                    if piece.health == 0:
                        del self.pieces[q]
                    else:
                        self.lose(q, 350 * (100 - self.resistance(q, True)) // 100 + self.banners(piece))
        elif card == "draught":
            piece = self.pieces[b]
            piece.health = min(piece.health + (1000 if piece.health else 100), piece.most)
        else:
            piece = self.pieces[b]
            piece.carries.add(card)
            if card in ("plate", "veil"):
                piece.health = min(piece.health + piece.health // 10, piece.most)

    def act(self, a: Square, deed: str, b: Square) -> None:
        unit = self.pieces[a]
        if deed == "-":
            self.pieces[b] = self.pieces.pop(a)
        elif deed == "=":
            self.pieces[a], self.pieces[b] = self.pieces[b], unit
        elif deed == "+":
            patient = self.pieces[b]
            patient.health = min(patient.health + self.power(a) * (3 if patient.health else 2), patient.most)
            unit.carries.discard("charm")
        else:
            self.strike(a, unit, b)
            unit.carries.discard("charm")

    def strike(self, a: Square, unit: Piece, b: Square) -> None:
        victim = self.pieces[b]
        way = (sign(b[0] - a[0]), sign(b[1] - a[1]))
        self.lose(b, self.damage(a, b) + self.banners(victim))
        if unit.kind == "guard" and victim.kind != "tower":
            to = (b[0] + way[0], b[1] + way[1])
            there = self.pieces.get(to)
            if to in self.signs and self.signs[to] != "12"[unit.side] and (there is None or there.health == 0):
                self.pieces[to] = self.pieces.pop(b)
        if unit.kind == "mage":
            for share in (75, 56):
                ways = [way, *COMPASS]
                ways = [w for w in ways if w != (-way[0], -way[1])]
                ways = [w for w in ways if (b[0] + w[0], b[1] + w[1]) in self.living(1 - unit.side)]
                if not ways:
                    return
                way = ways[0]
                b = (b[0] + way[0], b[1] + way[1])
                self.lose(b, self.damage(a, b) * share // 100 + self.banners(self.pieces[b]))

    def power(self, a: Square) -> int:
        unit = self.pieces[a]
        power = POWER[unit.kind] * (3 if "edge" in unit.carries else 2) // 2
        power += 100 if self.signs[a] == "s" else 0
        return power * (3 if "charm" in unit.carries else 1)

    def resistance(self, b: Square, magical: bool) -> int:
        piece = self.pieces[b]
        if magical:
            return (10 if piece.kind == "mage" else 0) + (20 if "veil" in piece.carries else 0)
        walled = 20 if self.signs[b] == "w" else 0
        return (20 if piece.kind == "guard" else 0) + (20 if "plate" in piece.carries else 0) + walled

    def damage(self, a: Square, b: Square) -> int:
        unit = self.pieces[a]
        factor = {"bowman": 0.5, "scout": 2.0}.get(unit.kind, 1.0) if distance(a, b) == 1 else 1.0
        hundredths = 100 - self.resistance(b, unit.kind in ("healer", "mage"))
        return int(self.power(a) * factor) * hundredths // 100

    def banners(self, victim: Piece) -> int:
        if victim.kind != "tower":
            return 0
        return 300 * sum(self.signs[q] == "b" for q in self.living(self.seat))

    def lose(self, b: Square, points: int) -> None:
        piece = self.pieces[b]
        piece.health = max(piece.health - points, 0)
        if piece.kind == "tower" and piece.health == 0:
            del self.pieces[b]
            if not any(left.kind == "tower" for left in self.own(piece.side).values()):
                self.finish(1 - piece.side)

    def finish(self, winner: int | None) -> None:
        self.over, self.left = True, 0
        self.winner = None if self.published and self.turn >= self.cap else winner

    def end(self) -> None:
        self.left = 0
        for q, piece in list(self.own(self.seat).items()):
            if piece.health == 0:
                del self.pieces[q]
        without = [side for side in range(2) if not self.has_units(side)]
        if without:
            self.finish(1 - without[0] if len(without) == 1 else None)
        elif self.turn >= self.cap:
            self.finish(None)
        else:
            self.drawing = True
            self.draw_on()

    def has_units(self, side: int) -> bool:
        cards = [*self.hands[side], *self.decks[side]]
        return any(c in UNITS for c in cards) or any(x.kind != "tower" for x in self.own(side).values())

    def draws(self) -> Counter[str]:
        """The cards that may come next, and how many of each."""
        return Counter(self.decks[self.seat])

    def draw(self, card: str) -> None:
        self.decks[self.seat].remove(card)
        self.hands[self.seat].append(card)
        self.draw_on()

    def draw_on(self) -> None:
        if len(self.hands[self.seat]) == 6 or not self.decks[self.seat]:
            self.drawing = False
            self.seat, self.turn, self.left = 1 - self.seat, self.turn + 1, self.points

    def reported(self) -> dict[str, object]:
        """All that there is, in plain words."""
        return {
            "seat": self.seat,
            "turn": self.turn,
            "left": self.left,
            "over": self.over,
            "winner": self.winner,
            "pieces": {name(q): (x.kind, x.side, x.health, frozenset(x.carries)) for q, x in self.pieces.items()},
            "hands": [sorted(hand) for hand in self.hands],
            "decks": [sorted(deck) for deck in self.decks],
        }
