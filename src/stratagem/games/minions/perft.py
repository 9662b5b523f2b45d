"""Counting attacking turns: a test of move generation that knows no search.

An attacking turn is a set of units, a destination for each, and the sets of enemies that they kill and unsummon, with all
other friendly units off the board. It is minimal if no unit can be left out. Two facts make counting quick. A unit that
has attacked may not move, so it attacks from its destination alone. And all attacks on one enemy may be put off until
the moment it goes, since whoever has arrived stays. So a turn is feasible if the enemies can be removed one after
another, each by attackers that have arrived by then, whose paths need only those enemies gone that went before.

Spells that lie on units count, and so does movable terrain; spells in hand, teleporters and moves in several parts are
outside the definition.
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

LARGEST = 1_000_000  # combinations of kinds of destination that are looked at
MOST_WORK = 1_000_000  # steps of all searches for what teams can do

Result = tuple[int, int]  # the sets of enemies killed and unsummoned, as bits


@dataclass(frozen=True)
class Stand:
    """A unit on a destination, as far as feasibility depends on it: hexes of one kind are not distinguished."""

    unit: Unit
    opened_by: tuple[int, ...]  # sets of enemies (as bits) after whose removal the way is free; (0,) if it is free now
    aims: int  # enemies within range of the destination that it may attack, as bits


# A member of a team: its stand, and the place in the team of who starts on its destination and has to leave it, or -1.
Member = tuple[int, int]
Team = tuple[Member, ...]


@dataclass(frozen=True)
class Enemy:
    defense: int
    persistent: bool
    soulbound: bool = False  # goes to the reinforcements instead of dying


def perft(board: Board) -> int:
    """The number of distinct minimal attacking turns of the side to move on a board, the empty one included."""
    side = board.game.side
    foes = [(hex_index(name), piece) for name, piece in board if piece.side != side]
    stands: dict[Stand, int] = {}
    places: dict[int, dict[int, int]] = {}  # by start hex: destination hex -> number of the stand there
    for name, piece in board:
        if piece.side == side:
            h = hex_index(name)
            found = {to: stands.setdefault(stand, len(stands)) for to, stand in _destinations(board, h, piece, foes)}
            if found:
                places[h] = found
    kinds = prod(1 + len({(s, to if to in places else -1) for to, s in found.items()}) for found in places.values())
    if kinds > LARGEST:
        raise StratagemError(
            f"perft of board {board.index} would look at {kinds:.1e} combinations of destinations; "
            f"up to {LARGEST:.0e} are counted"
        )
    enemies = (Enemy(piece.defense, piece.unit.persistent, piece.spells.shielded) for _, piece in foes)
    feasible = Feasible(tuple(stands), tuple(enemies))
    # every unit of a minimal turn has a share in some removal, and no more units than its defense share in one
    most = min(len(places), sum(enemy.defense for enemy in feasible.enemies))
    return 1 + sum(_count(feasible, team, places) for size in range(1, most + 1) for team in combinations(places, size))


def _count(feasible: Feasible, team: tuple[int, ...], places: dict[int, dict[int, int]]) -> int:
    """The minimal attacking turns of exactly these units."""
    options: list[dict[Member, list[int]]] = []
    for start in team:
        grouped: dict[Member, list[int]] = {}
        for to, stand in places[start].items():
            waits_for = team.index(to) if to in team and to != start else -1
            grouped.setdefault((stand, waits_for), []).append(to)
        options.append(grouped)
    total = 0
    for members in product(*options):
        results = minimal_results(feasible, members)
        if results:
            total += results * _assignments([grouped[member] for grouped, member in zip(options, members, strict=True)])
    return total


def _assignments(choices: list[list[int]], taken: frozenset[int] = frozenset()) -> int:
    """In how many ways each can have a hex of its own list, all different."""
    if not choices:
        return 1
    if not taken and sum(map(len, choices)) == len({h for hexes in choices for h in hexes}):
        return prod(map(len, choices))
    return sum(_assignments(choices[1:], taken | {h}) for h in choices[0] if h not in taken)


def canonical(team: Team) -> Team:
    """Members of whom nobody waits for another can come in any order."""
    return team if any(waits_for >= 0 for _, waits_for in team) else tuple(sorted(team))


def minimal_results(feasible: Feasible, team: Team) -> int:
    """How many results a team has that it does not have with one member left out."""
    team = canonical(team)
    if team not in feasible.counted:
        feasible.counted[team] = _minimal_results(feasible, team)
    return feasible.counted[team]


def _minimal_results(feasible: Feasible, team: Team) -> int:
    results = feasible(team)
    for x in range(len(team)):
        if not results:
            return 0
        rest = tuple(
            (stand, -1 if waits_for == x else waits_for - (waits_for > x))
            for k, (stand, waits_for) in enumerate(team)
            if k != x
        )
        results = results - feasible(rest)
    return len(results)


def _destinations(board: Board, start: int, mover: Piece, foes: list[tuple[int, Piece]]) -> Iterator[tuple[int, Stand]]:
    """The destinations from which a unit could attack somebody, if enough enemies went first."""
    unit = mover.now
    if unit.range == 0 or unit.attacks == 0:
        return
    standing = {h: 1 << k for k, (h, _) in enumerate(foes)}
    ways = {start: (0,)} if unit.lumbering else _ways(board, start, mover, standing)
    for to, opened_by in ways.items():
        aims = 0
        for k, (h, piece) in enumerate(foes):
            immune = unit.attack == "deathtouch" and piece.unit.necromancer
            if distance(to, h) <= unit.range and not immune:
                aims |= 1 << k
        if aims:
            yield to, Stand(unit, opened_by, aims)


def _ways(board: Board, start: int, mover: Piece, standing: dict[int, int]) -> dict[int, tuple[int, ...]]:
    """For each hex within speed: the smallest sets of enemies whose removal opens a path to it."""
    tiles, unit = board.tiles, mover.now
    ways: list[set[int]] = [set() for _ in range(HEXES)]
    ways[start] = {0}
    edge = {start: {0}}
    for _ in range(unit.speed):
        reached: dict[int, set[int]] = {}
        for h, conditions in edge.items():
            for to in neighbours(h):
                if may_enter(mover.unit, tiles[to]):
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


class Feasible:
    """The results that a team can bring about with every member on its destination at the end."""

    def __init__(self, stands: tuple[Stand, ...], enemies: tuple[Enemy, ...]) -> None:
        self.stands = stands
        self.enemies = enemies
        self.known: dict[Team, frozenset[Result]] = {}
        self.counted: dict[Team, int] = {}  # by team: its minimal results
        self.total_defense: dict[int, int] = {0: 0}  # by set of enemies
        self.work = 0

    def __call__(self, team: Team) -> frozenset[Result]:
        team = canonical(team)
        if team not in self.known:
            self.known[team] = self._search(team)
        return self.known[team]

    def _search(self, team: Team) -> frozenset[Result]:
        stands = [self.stands[stand] for stand, _ in team]
        found = set()
        start = (0, 0, self._useful(stands, tuple(stand.unit.attacks for stand in stands), 0))
        seen, stack = {start}, [start]
        while stack:
            killed, unsummoned, left = stack.pop()
            self.work += 1
            if self.work > MOST_WORK:
                raise StratagemError(f"perft of this board takes more than {MOST_WORK:.0e} steps; it is not counted")
            here = self.arrived(team, killed | unsummoned)
            if len(here) == len(team):
                found.add((killed, unsummoned))
            for y in range(len(self.enemies)):
                if (killed | unsummoned) >> y & 1:
                    continue
                for kills, after in self._removals(stands, here, left, y, killed | unsummoned | 1 << y):
                    state = (killed | kills << y, unsummoned | (not kills) << y, after)
                    if state not in seen:
                        seen.add(state)
                        stack.append(state)
        return frozenset(found)

    def _useful(self, stands: list[Stand], left: tuple[int, ...], gone: int) -> tuple[int, ...]:
        """Attacks left, without those that could never find a use: states that differ only in them are one."""
        return tuple(min(n, self._defense(stand.aims & ~gone)) for n, stand in zip(left, stands, strict=True))

    def _defense(self, enemies: int) -> int:
        if enemies not in self.total_defense:
            self.total_defense[enemies] = sum(e.defense for y, e in enumerate(self.enemies) if enemies >> y & 1)
        return self.total_defense[enemies]

    def arrived(self, team: Team, gone: int) -> set[int]:
        """Who can be on its destination when these enemies have gone: the largest set in which nobody waits for one outside.

        Cycles among its members move at once, chains from their far end.
        """
        here = {k for k, (stand, _) in enumerate(team) if any(way & ~gone == 0 for way in self.stands[stand].opened_by)}
        while True:
            stuck = {k for k in here if team[k][1] >= 0 and team[k][1] not in here}
            if not stuck:
                return here
            here -= stuck

    def _removals(
        self, stands: list[Stand], here: set[int], left: tuple[int, ...], y: int, gone: int
    ) -> Iterator[tuple[bool, tuple[int, ...]]]:
        """The ways to remove enemy y now: whether it is killed, and the useful attacks left when `gone` have gone."""
        enemy = self.enemies[y]
        useful = self._useful(stands, left, gone)
        hits: list[tuple[int, int]] = []  # who can add damage, and how much an attack
        for k, stand in enumerate(stands):
            if not (k in here and stand.aims >> y & 1 and left[k]):
                continue
            once = (*left[:k], left[k] - 1, *left[k + 1 :])
            if stand.unit.attack == "deathtouch":
                yield not enemy.soulbound, self._useful(stands, once, gone)
            elif stand.unit.attack == "unsummon" and not enemy.persistent:
                yield False, self._useful(stands, once, gone)
            else:
                hits.append((k, 1 if stand.unit.attack == "unsummon" else stand.unit.damage))
        # attacks that will find no other use cost nothing; the rest of the damage is paid with attacks that would
        free = sum((left[k] - useful[k]) * harm for k, harm in hits)
        if free >= enemy.defense:
            yield not enemy.soulbound, useful
            return
        for numbers in _blows([(useful[k], harm) for k, harm in hits], enemy.defense - free):
            after = list(useful)
            for n, (k, _) in zip(numbers, hits, strict=True):
                after[k] -= n
            yield not enemy.soulbound, tuple(after)


def _blows(strikers: list[tuple[int, int]], need: int, weakest: int = 0) -> Iterator[tuple[int, ...]]:
    """How often each of (attacks, harm) may strike so that the harm reaches what is needed and no strike is wasted."""
    if need <= 0:
        if need + weakest > 0:
            yield (0,) * len(strikers)
    elif strikers and sum(attacks * harm for attacks, harm in strikers) >= need:
        (attacks, harm), rest = strikers[0], strikers[1:]
        for n in range(min(attacks, -(-need // harm)) + 1):
            lighter = min(weakest or harm, harm) if n else weakest
            for others in _blows(rest, need - n * harm, lighter):
                yield (n, *others)
