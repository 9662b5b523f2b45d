"""Counting attacking turns: a test of move generation that knows no search.

An attacking turn is a set of units, a destination for each, and the sets of enemies that they kill and unsummon, with all
other friendly units off the board. It is minimal if no unit can be left out. Two facts make counting quick. A unit that
has attacked may not move, so it attacks from its destination alone. And all attacks on one enemy may be put off until
the moment it goes, since whoever has arrived stays. So a turn is feasible if the enemies can be removed one after
another, each by attackers that have arrived by then, whose paths need only those enemies gone that went before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from math import prod

from stratagem.errors import StratagemError
from stratagem.games.minions.maps import HEXES, distance, hex_index, may_enter, neighbours
from stratagem.games.minions.state import Board, Piece
from stratagem.games.minions.units import Unit

LARGEST = 30_000_000  # combinations of destinations that are looked at


@dataclass(frozen=True)
class Fighter:
    """A unit with a destination, as far as feasibility depends on it."""

    unit: Unit
    opened_by: tuple[int, ...]  # sets of enemies (as bits) after whose removal the way is free; (0,) if it is free now
    aims: int  # enemies within range of the destination that it may attack, as bits
    waits_for: int  # the place in the team of the fighter that starts on the destination, or -1


@dataclass(frozen=True)
class Enemy:
    defense: int
    persistent: bool


def perft(board: Board) -> int:
    """The number of distinct minimal attacking turns of the side to move on a board, the empty one included."""
    side = board.game.side
    foes = [(hex_index(name), piece) for name, piece in board if piece.side != side]
    enemies = tuple(Enemy(piece.unit.defense, piece.unit.persistent) for _, piece in foes)
    places: dict[int, list[tuple[int, Fighter]]] = {}
    for name, piece in board:
        if piece.side == side:
            h = hex_index(name)
            found = list(_destinations(board, h, piece.unit, foes))
            if found:
                places[h] = found
    combinations_in_all = prod(1 + len(found) for found in places.values())
    if combinations_in_all > LARGEST:
        raise StratagemError(
            f"perft of board {board.index} would look at {combinations_in_all:.1e} combinations of destinations; "
            f"up to {LARGEST:.0e} are counted"
        )
    feasible = _Feasible(enemies)
    total = 1
    # every unit of a minimal turn has a share in some removal, and no more units than its defense share in one
    for size in range(1, min(len(places), sum(enemy.defense for enemy in enemies)) + 1):
        for team in combinations(places, size):
            for choice in product(*(places[h] for h in team)):
                hexes = [to for to, _ in choice]
                if len(set(hexes)) == size:
                    total += _minimal(feasible, team, hexes, [fighter for _, fighter in choice])
    return total


def _minimal(feasible: _Feasible, team: tuple[int, ...], hexes: list[int], fighters: list[Fighter]) -> int:
    """How many results (killed, unsummoned) a team on these destinations has that no smaller team has."""
    results = feasible(_linked(team, hexes, fighters))
    for left_out in range(len(team)):
        if not results:
            return 0
        keep = [k for k in range(len(team)) if k != left_out]
        rest = _linked(tuple(team[k] for k in keep), [hexes[k] for k in keep], [fighters[k] for k in keep])
        results = results - feasible(rest)
    return len(results)


def _linked(team: tuple[int, ...], hexes: list[int], fighters: list[Fighter]) -> tuple[Fighter, ...]:
    """The fighters, each knowing who has to leave its destination first."""
    linked = []
    for k, (to, fighter) in enumerate(zip(hexes, fighters, strict=True)):
        waits_for = team.index(to) if to in team and to != team[k] else -1
        linked.append(Fighter(fighter.unit, fighter.opened_by, fighter.aims, waits_for))
    return tuple(linked)


def _destinations(board: Board, start: int, unit: Unit, foes: list[tuple[int, Piece]]) -> Iterator[tuple[int, Fighter]]:
    """The destinations from which a unit could attack somebody, if enough enemies went first."""
    if unit.range == 0:
        return
    standing = {h: 1 << k for k, (h, _) in enumerate(foes)}
    ways = {start: (0,)} if unit.lumbering else _ways(board, start, unit, standing)
    for to, opened_by in ways.items():
        aims = 0
        for k, (h, piece) in enumerate(foes):
            immune = unit.attack == "deathtouch" and piece.unit.necromancer
            if distance(to, h) <= unit.range and not immune:
                aims |= 1 << k
        if aims:
            yield to, Fighter(unit, opened_by, aims, -1)


def _ways(board: Board, start: int, unit: Unit, standing: dict[int, int]) -> dict[int, tuple[int, ...]]:
    """For each hex within speed: the smallest sets of enemies whose removal opens a path to it."""
    tiles = board.map.tiles
    ways: list[set[int]] = [set() for _ in range(HEXES)]
    ways[start] = {0}
    edge = {start: {0}}
    for _ in range(unit.speed):
        reached: dict[int, set[int]] = {}
        for h, conditions in edge.items():
            for to in neighbours(h):
                if may_enter(unit, tiles[to]):
                    blocker = 0 if unit.flying else standing.get(to, 0)
                    reached.setdefault(to, set()).update(c | blocker for c in conditions)
        edge = reached
        for to, conditions in reached.items():
            ways[to] |= conditions
    found = {}
    for to in range(HEXES):
        # a flyer passes over enemies but may not end on one
        conditions = {c | standing.get(to, 0) for c in ways[to]} if to != start else ways[to]
        least = tuple(sorted(c for c in conditions if not any(d != c and d & c == d for d in conditions)))
        if least:
            found[to] = least
    return found


class _Feasible:
    """The results (killed, unsummoned) that a team can bring about with everybody on his destination at the end."""

    def __init__(self, enemies: tuple[Enemy, ...]) -> None:
        self.enemies = enemies
        self.known: dict[tuple[Fighter, ...], frozenset[tuple[int, int]]] = {}

    def __call__(self, team: tuple[Fighter, ...]) -> frozenset[tuple[int, int]]:
        if team not in self.known:
            self.known[team] = self._search(team)
        return self.known[team]

    def _search(self, team: tuple[Fighter, ...]) -> frozenset[tuple[int, int]]:
        found = set()
        start = (0, 0, tuple(fighter.unit.attacks for fighter in team))
        seen, stack = {start}, [start]
        while stack:
            killed, unsummoned, left = stack.pop()
            here = arrived(team, killed | unsummoned)
            if here == (1 << len(team)) - 1:
                found.add((killed, unsummoned))
            for y, enemy in enumerate(self.enemies):
                if (killed | unsummoned) >> y & 1:
                    continue
                for how, after in self._removals(team, here, left, y, enemy):
                    kills = killed | (1 << y if how == "kill" else 0)
                    gone = unsummoned | (1 << y if how == "unsummon" else 0)
                    if (kills, gone, after) not in seen:
                        seen.add((kills, gone, after))
                        stack.append((kills, gone, after))
        return frozenset(found)

    def _removals(
        self, team: tuple[Fighter, ...], here: int, left: tuple[int, ...], y: int, enemy: Enemy
    ) -> Iterator[tuple[str, tuple[int, ...]]]:
        """The ways to remove an enemy now, as what they leave of everybody's attacks."""
        hits: list[tuple[int, int]] = []  # who can add damage, and how much an attack
        for k, fighter in enumerate(team):
            if not (here >> k & 1 and fighter.aims >> y & 1 and left[k]):
                continue
            once = (*left[:k], left[k] - 1, *left[k + 1 :])
            if fighter.unit.attack == "deathtouch":
                yield "kill", once
            elif fighter.unit.attack == "unsummon" and not enemy.persistent:
                yield "unsummon", once
            else:
                hits.append((k, 1 if fighter.unit.attack == "unsummon" else fighter.unit.damage))
        most = [min(left[k], -(-enemy.defense // harm)) for k, harm in hits]
        for numbers in product(*(range(n + 1) for n in most)):
            dealt = sum(n * harm for n, (_, harm) in zip(numbers, hits, strict=True))
            spare = min((harm for n, (_, harm) in zip(numbers, hits, strict=True) if n), default=0)
            if dealt >= enemy.defense > dealt - spare:  # no attack in it is wasted
                after = list(left)
                for n, (k, _) in zip(numbers, hits, strict=True):
                    after[k] -= n
                yield "kill", tuple(after)


def arrived(team: tuple[Fighter, ...], gone: int) -> int:
    """Who can be on his destination when these enemies have gone: the largest set in which nobody waits for one outside.

    Cycles among its members move at once, chains from their far end.
    """
    here = {k for k, f in enumerate(team) if any(way & ~gone == 0 for way in f.opened_by)}
    while True:
        stuck = {k for k in here if team[k].waits_for >= 0 and team[k].waits_for not in here}
        if not stuck:
            return sum(1 << k for k in here)
        here -= stuck
