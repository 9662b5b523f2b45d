"""Risk's turn by stages: attack (routes with a stopping rule, or a style), trade and place, occupy, fortify.

A turn is a row of numbers that `carried` turns into moves as the dice fall:

- a scripted player's weights (`scripted`), which decide all that the rest of the row leaves open;
- a route of territories to take in order, and the chance below which it is given up;
- where the new armies go, how many follow a capture, and the march at the end.

The turns that `turns.propose` names are the first proposals; they are refined from the best so far: a style as the route that
it took when it was tried, a route longer, shorter, bolder or more careful, styles by noise.
"""

from __future__ import annotations

import heapq
import math
import random
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.games.risk import atlas, scripted
from stratagem.games.risk import kernels as k
from stratagem.games.risk.game import Risk
from stratagem.games.risk.turns import MOST_PLANS, campaign_names, described, propose, two_rounds
from stratagem.kernel import CHANCE, OVER, SIZE, Ground, State, draw, guess, payoff, play, turn
from stratagem.rng import Rng, seed_stream
from stratagem.search.campaign import one_turn, turns
from stratagem.search.staged import Context, Generator, Proposal, Stage, Staging, Trials

Rows = NDArray[np.float64]
Ints = NDArray[np.int64]

# a row: the weights, then
ROUTE_LENGTH = scripted.WEIGHTS
ROUTE = ROUTE_LENGTH + 1  # territories to take, in order
MOST_ROUTE = 10
ROUTE_CHANCE = ROUTE + MOST_ROUTE  # least chance of the next capture; below it the route is given up
ROUTE_ONLY = ROUTE_CHANCE + 1  # 1: nothing is attacked but the route
PLACED = ROUTE_ONLY + 1  # how many places take new armies as said; the rest as the weights say
PLACES = PLACED + 1  # territory and armies, by turns
MOST_PLACES = 4
TOTAL = PLACES + 2 * MOST_PLACES  # armies to place when the placing begins
FOLLOW = TOTAL + 1  # after a capture: 0 as scripted, 1 the fewest, 2 half, 3 all
MARCH = FOLLOW + 1  # at the end: 0 as scripted, 1 nothing, 2 the march below where it is allowed
MARCH_FROM, MARCH_TO = MARCH + 1, MARCH + 2
ROW = MARCH_TO + 1
AS_SCRIPTED, FEWEST, HALF, EVERYONE = range(4)
FOLLOWING = ("as usual", "the fewest follow", "half follow", "all follow")
SECRET = False


# ---------------------------------------------------------------------------------------------------- carrying it out


def next_of_route(s: State, p: int, plan: Rows) -> int:
    """The first territory of the route that is still to be taken, or -1."""
    for i in range(int(plan[ROUTE_LENGTH])):
        t = int(plan[ROUTE + i])
        if s[k.OWNER + t] != p:
            return t
    return -1


def by_route(s: State, p: int, plan: Rows) -> int:
    """The attack that the route asks for, or -1 where it is done or given up."""
    t = next_of_route(s, p, plan)
    if t < 0:
        return -1
    source, most = -1, 1
    for i in range(atlas.START[t], atlas.START[t + 1]):
        a = atlas.NEXT[i]
        if s[k.OWNER + a] == p and s[k.ARMIES + a] > most:
            source, most = a, s[k.ARMIES + a]
    if source < 0:
        return -1
    attack, defence = most - 1, s[k.ARMIES + t]
    top = max(attack, defence)
    if top >= atlas.FOUGHT:
        attack = max(attack * (atlas.FOUGHT - 1) // top, 1)
        defence = max(defence * (atlas.FOUGHT - 1) // top, 1)
    return source * atlas.TERRITORIES + t if atlas.CAPTURES[attack, defence] >= plan[ROUTE_CHANCE] else -1


def place_of(s: State, p: int, plan: Rows) -> int:
    """Where the next armies go and how many, as territory + 64 * armies, or -1: the weights decide."""
    done = int(plan[TOTAL]) - s[k.POOL]
    if s[k.MIDTURN] == 1 or done < 0:
        return -1
    for i in range(int(plan[PLACED])):
        t, n = int(plan[PLACES + 2 * i]), int(plan[PLACES + 2 * i + 1])
        if done < n:
            return t + 64 * min(n - done, s[k.POOL]) if s[k.OWNER + t] == p else -1
        done -= n
    return -1


def follow(s: State, p: int, plan: Rows) -> int:
    """How many armies move in, or -1: as scripted. All of them while the route leads on from there."""
    fewest, most = s[k.DICE], s[k.ARMIES + s[k.FROM]] - 1
    t = next_of_route(s, p, plan)
    if t >= 0 and atlas.TOUCHES[s[k.TO]] >> t & 1:
        return most
    how = int(plan[FOLLOW])
    if how == FEWEST:
        return fewest
    if how == HALF:
        return max(fewest, (most + 1) // 2)
    return most if how == EVERYONE else -1


def carried(g: Ground, s: State, p: int, plan: Rows, r: Rng) -> int:
    """Player p's next move under a row."""
    phase = s[k.PHASE]
    if phase == k.ATTACK:
        if plan[ROUTE_LENGTH] > 0.0:
            found = by_route(s, p, plan)
            if found >= 0:
                return found
        if plan[ROUTE_ONLY] > 0.0:
            return k.STOP
    elif phase in (k.REINFORCE, k.ADD):
        if plan[PLACED] > 0.0:
            found = place_of(s, p, plan)
            if found >= 0 and phase == k.REINFORCE:
                return found % 64
            if found >= 0 and found % 64 == s[k.FROM]:
                return found // 64
    elif phase == k.OCCUPY:
        found = follow(s, p, plan)
        if found >= 0:
            return found
    elif phase == k.FORTIFY and plan[MARCH] > 0.0:
        if plan[MARCH] == 1.0:
            return k.STOP
        a, b = int(plan[MARCH_FROM]), int(plan[MARCH_TO])
        if s[k.OWNER + a] == p and s[k.ARMIES + a] >= 2 and k.targets(s, p, a, k.owned(s, p)) >> b & 1:
            return a * atlas.TERRITORIES + b
    return scripted.decide(g, s, p, plan, r)


TAKEN = 0  # notes of the last trial: how many territories were taken, and which, in order
NOTES = 1 + atlas.TERRITORIES


class TrialScratch(NamedTuple):
    """What trials of a turn write to."""

    s: State
    r: Rng
    out: Rows  # payoffs of one trial
    values: Rows  # [trials, seats]
    notes: Ints  # NOTES cells


def own_turn(g: Ground, s: State, plan: Rows, r: Rng, notes: Ints) -> None:
    """Carry out a row to the end of the turn, and note what it takes."""
    began = turns(g, s)
    notes[TAKEN] = 0
    while True:
        t = turn(g, s)
        if t == CHANCE:
            draw(g, s, r)
        elif t == OVER or turns(g, s) != began:
            return
        else:
            m = carried(g, s, t, plan, r)
            if s[k.PHASE] == k.OCCUPY and notes[TAKEN] < atlas.TERRITORIES:
                notes[TAKEN] += 1
                notes[TAKEN + notes[TAKEN]] = s[k.TO]
            play(g, s, t, m)


def try_turn(g: Ground, root: State, plan: Rows, usual: Rows, trials: Trials, horizon: int, room: TrialScratch) -> None:
    """Trials of a turn, everybody going on by the usual row until so many turns are over."""
    s, r = room.s, room.r
    for j in range(room.values.shape[0]):
        seed_stream(r, trials.seed, trials.first + j)
        for x in range(SIZE):
            s[x] = root[x]
        if SECRET and trials.guessed >= 0:
            guess(g, s, trials.guessed, r)
        own_turn(g, s, plan, r, room.notes)
        if turn(g, s) == OVER:
            payoff(g, s, room.out)
        else:
            one_turn(g, s, -1, usual, usual, horizon - 1, r, room.out)
        for p in range(room.out.shape[0]):
            room.values[j, p] = room.out[p]


# --------------------------------------------------------------------------------------------------------- proposals


class Assault(NamedTuple):
    """A part of the attack stage."""

    weights: tuple[float, ...]  # of the script that decides what the route leaves open
    route: tuple[int, ...] = ()
    chance: float = 0.0
    only: bool = False


class Placement(NamedTuple):
    """A part of the placing stage; no places: as the weights say."""

    hold: bool = False
    places: tuple[tuple[int, int], ...] = ()  # territory, armies


CHANCES = (0.55, 0.4, 0.7, 0.85, 0.25)
MOST_STEPS = 4  # of a route between two territories that it is for
CONTINENT_LANDS = tuple(
    frozenset(t for t in range(atlas.TERRITORIES) if atlas.LANDS[c] >> t & 1) for c in range(atlas.CONTINENTS)
)
ENTRANCES = tuple(tuple(t for t in sorted(lands) if set(atlas.NEIGHBOURS[t]) - lands) for lands in CONTINENT_LANDS)


class Assaults(Generator):
    """Styles of attack and routes for one position."""

    def __init__(self, staging: RiskStaging, context: Context) -> None:
        self.staging, self.s, self.seat = staging, context.position, context.seat
        self.owner = self.s[k.OWNER : k.OWNER + atlas.TERRITORIES].tolist()  # lists: routes look at single cells
        self.armies = self.s[k.ARMIES : k.ARMIES + atlas.TERRITORIES].tolist()
        self.pool = int(self.s[k.POOL]) if self.s[k.PHASE] < k.ATTACK else 0
        self.draws = random.Random(int(context.rng[0]))
        self.given: set[Assault] = set()
        self._first = self._firsts()
        self._finer: dict[tuple[Any, ...], Iterator[Assault]] = {}

    def first(self) -> Proposal | None:
        found = self._new(self._first)
        return None if found is None else Proposal(found)

    def _new(self, parts: Iterator[Assault]) -> Assault | None:
        for part in parts:
            if part not in self.given:
                self.given.add(part)
                return part
        return None

    def _firsts(self) -> Iterator[Assault]:
        styles = self.staging.styles(self.s, self.seat)
        ways = self.routes()
        for style in styles:  # by turns with routes, so that both kinds are met early
            yield Assault(style)
            way = next(ways, None)
            if way is not None:
                yield Assault(styles[0], way, CHANCES[0])
        for way in ways:
            yield Assault(styles[0], way, CHANCES[0])

    def routes(self) -> Iterator[tuple[int, ...]]:
        """Ways to whole continents, into others' continents, and to the end of a rival, the most promising first."""
        owner, players = self.owner, self.staging.players
        mine = {t for t in range(atlas.TERRITORIES) if owner[t] == self.seat}
        goals: list[tuple[float, frozenset[int]]] = []
        for c, lands in enumerate(CONTINENT_LANDS):
            wanted = lands - mine
            if wanted and len(wanted) <= MOST_ROUTE:
                goals.append((atlas.BONUS[c] / self._cost(wanted), wanted))
            if len(wanted) == len(lands) and len({owner[t] for t in lands}) == 1:
                goals += [(atlas.BONUS[c] / self._cost({t}), frozenset({t})) for t in ENTRANCES[c]]
        for q in range(players):
            rival = frozenset(t for t in range(atlas.TERRITORIES) if owner[t] == q)
            if q != self.seat and 0 < len(rival) <= MOST_ROUTE:
                goals.append(((6.0 + 2 * int(self.s[k.HELD + q])) / self._cost(rival), rival))
        for _, goal in sorted(goals, key=lambda goal: (-goal[0], sorted(goal[1]))):
            way = self._way(mine, set(goal))
            if way:
                yield way

    def _cost(self, lands: Iterable[int]) -> float:
        return 1.0 + float(sum(self.armies[t] for t in lands))

    def _way(self, mine: set[int], goal: set[int]) -> tuple[int, ...]:
        """An order in which the goal can be taken, one stack going as far as it can; empty: out of reach."""
        held, at = set(mine), -1
        way: list[int] = []
        while goal and len(way) < MOST_ROUTE:
            step = self._nearest(held, at, goal)
            if step is None or len(way) + len(step) > MOST_ROUTE:
                break
            way += step
            held |= set(step)
            goal -= set(step)
            at = step[-1]
        return tuple(way) if goal <= held or not goal else ()

    def _nearest(self, held: set[int], at: int, goal: set[int]) -> list[int] | None:
        """The cheapest way from the stack at `at` (at first: from any stack of two or more) to a territory of the goal."""
        armies = self.armies
        beside = [t for t in atlas.NEIGHBOURS[at] if t in goal] if at >= 0 else []
        if beside:  # what must be taken anyway, and lies next to the stack
            return [min(beside, key=lambda t: (armies[t], t))]
        starts = [at] if at >= 0 else [t for t in sorted(held) if armies[t] + self.pool >= 2]
        for begin in (starts, sorted(held)):  # where the stack is stuck, another one goes on
            heap: list[tuple[float, int, tuple[int, ...]]] = [
                (-0.5 * (armies[t] + self.pool) if at < 0 else 0.0, t, ()) for t in begin
            ]
            heapq.heapify(heap)
            seen: set[int] = set()
            while heap:
                cost, t, way = heapq.heappop(heap)
                if t in goal and t not in held:
                    return list(way)
                if t in seen:
                    continue
                seen.add(t)
                if len(way) < MOST_STEPS:
                    for n in atlas.NEIGHBOURS[t]:
                        if n not in held and n not in seen:
                            heapq.heappush(heap, (cost + 1.0 + armies[n], n, (*way, n)))
        return None

    def finer(self, part: Assault) -> Proposal | None:
        """The same intent another way: the route that it took in a trial, more or less of it, more or less boldly."""
        family = (part.weights, part.route[:1])
        if family not in self._finer:
            self._finer[family] = self._variants(part)
        found = self._new(self._finer[family])
        return None if found is None else Proposal(found)

    def _variants(self, part: Assault) -> Iterator[Assault]:
        route = part.route
        if not route:
            route = self.staging.taken.get(part.weights, ())[:MOST_ROUTE]
            if not route:
                return  # it took nothing, so there is nothing to take otherwise
            yield Assault(part.weights, route, CHANCES[1])
            yield Assault(part.weights, route, CHANCES[0], True)
        else:
            yield part._replace(only=not part.only)
        for chance in CHANCES:
            yield Assault(part.weights, route, chance, part.only)
        for end in range(len(route) - 1, 0, -1):
            yield Assault(part.weights, route[:end], CHANCES[0], True)
        for more in self._further(route):
            yield Assault(part.weights, (*route, more), CHANCES[0], part.only)

    def _further(self, route: Sequence[int]) -> list[int]:
        """Territories beside the end of a route, the weakest first."""
        if not route or len(route) >= MOST_ROUTE:
            return []
        beside = [n for n in atlas.NEIGHBOURS[route[-1]] if self.owner[n] != self.seat and n not in route]
        return sorted(beside, key=lambda n: (self.armies[n], n))

    def coarser(self, part: Assault, noise: float) -> Proposal | None:
        """Other weights, the further off the greater the noise; now and then an eye on another continent."""
        weights = list(part.weights)
        for i in range(1, scripted.FOCUS):
            weights[i] = round(weights[i] * math.exp(0.5 * noise * self.draws.gauss(0.0, 1.0)), 3)
        weights[scripted.CHANCE_NEEDED] = min(max(weights[scripted.CHANCE_NEEDED], 0.2), 0.95)
        c = self.draws.randrange(atlas.CONTINENTS)
        weights[scripted.FOCUS + c] = round(weights[scripted.FOCUS + c] + 2.0 * noise * self.draws.gauss(0.0, 1.0), 3)
        found = self._new(iter((part._replace(weights=tuple(weights)),)))
        return None if found is None else Proposal(found)


class Placements(Generator):
    """Where new armies go, for one assault: as its weights say, all in one place, or in two."""

    def __init__(self, staging: RiskStaging, context: Context) -> None:
        self.s, self.border = context.position, staging.border(context.position, context.seat)
        self.assault: Assault = context.parts["attack"]
        self.given: set[Placement] = set()
        self.placing = self.s[k.PHASE] in (k.TRADE, k.REINFORCE)
        self.pool = int(self.s[k.POOL])
        self._first = self._firsts()

    def first(self) -> Proposal | None:
        for part, prior in self._first:
            if part not in self.given:
                self.given.add(part)
                return Proposal(part, prior)
        return None

    def _firsts(self) -> Iterator[tuple[Placement, float]]:
        yield Placement(bool(self.assault.weights[scripted.HOLD])), 4.0
        if not self.placing:
            return
        if self.s[k.PHASE] == k.TRADE:
            yield Placement(not self.assault.weights[scripted.HOLD]), 0.5
            return  # how many armies there will be depends on the set
        fronts = self._fronts()
        for t in fronts[:3]:
            yield Placement(False, ((t, self.pool),)), 1.0
        if self.pool >= 2:
            for a, b in ((0, 1), (0, 2), (1, 2)):
                if b < len(fronts):
                    half = (self.pool + 1) // 2
                    yield Placement(False, ((fronts[a], half), (fronts[b], self.pool - half))), 0.5
        for t in fronts[3:]:
            yield Placement(False, ((t, self.pool),)), 0.5

    def _fronts(self) -> list[int]:
        """Own territories at the border: where the route begins, then by how much stands against them."""
        border, s = self.border, self.s
        if not self.assault.route:
            return border
        starts = [t for t in border if self.assault.route[0] in atlas.NEIGHBOURS[t]]
        starts.sort(key=lambda t: (-int(s[k.ARMIES + t]), t))
        return [*starts, *(t for t in border if t not in starts)]

    def finer(self, part: Placement) -> Proposal | None:
        """A third of the armies somewhere else."""
        if not part.places or self.pool < 3:
            return None
        here, n = part.places[0]
        for t in self._fronts()[:5]:
            moved = max(n // 3, 1)
            found = Placement(part.hold, ((here, n - moved), *part.places[1:], (t, moved)))
            if t != here and len(found.places) <= MOST_PLACES and n > moved and found not in self.given:
                self.given.add(found)
                return Proposal(found)
        return None

    @property
    def exhausted(self) -> bool:
        return not self.placing and bool(self.given)


class Marches(Generator):
    """The march at the end: as scripted, none, or armies of one stack to a neighbour."""

    def __init__(self, staging: RiskStaging, context: Context) -> None:
        s, seat = context.position, context.seat
        self._left: list[tuple[int, int, int]] = [(0, 0, 0), (1, 0, 0)]
        if staging.game["fortify"] != "none":
            stacks = [t for t in range(atlas.TERRITORIES) if s[k.OWNER + t] == seat and s[k.ARMIES + t] >= 3]
            stacks.sort(key=lambda t: (-int(s[k.ARMIES + t]), t))
            pairs = [(2, t, n) for t in stacks[:4] for n in atlas.NEIGHBOURS[t] if s[k.OWNER + n] == seat]
            self._left += pairs
        self._left.reverse()
        self._given = 0

    def first(self) -> Proposal | None:
        if not self._left:
            return None
        part = self._left.pop()
        self._given += 1
        return Proposal(part, 4.0 if part[0] == 0 else 0.3)

    @property
    def exhausted(self) -> bool:
        return not self._left


class Following(Generator):
    """How many armies follow a capture."""

    def __init__(self) -> None:
        self._left = [FEWEST, HALF, EVERYONE, AS_SCRIPTED]

    def first(self) -> Proposal | None:
        if not self._left:
            return None
        part = self._left.pop()
        return Proposal(part, 4.0 if part == AS_SCRIPTED else 0.4)

    @property
    def exhausted(self) -> bool:
        return not self._left


# ------------------------------------------------------------------------------------------------------- the staging


class RiskStaging(Staging[State, Rows]):
    """A turn of Risk for a search by stages; positions are states with scratch cells behind them."""

    def __init__(self, game: Risk, *, style: str = "expected", horizon: int | None = None, target: str = "cpu") -> None:
        self.game, self.players, self.base = game, game.players, scripted.STYLES[style]
        self.horizon = two_rounds(game) if horizon is None else horizon
        names = campaign_names(game, style)
        self._try = specialise(try_turn, names, target=target, label="risk, turns by stages")
        self._propose = specialise(propose, names, target=target, label="risk, styles of turns")
        self.taken: dict[tuple[float, ...], tuple[int, ...]] = {}  # what weights took when they were tried last
        self._rooms = threading.local()
        self._border: tuple[bytes, list[int]] = b"", []
        self._usual = np.zeros(ROW)
        self._usual[: scripted.WEIGHTS] = self.base

    def mover(self, position: State) -> int:
        return int(position[k.PLAYER])

    def stages(self, position: State) -> list[Stage]:
        self.taken = {}
        return [
            Stage("attack", lambda context: Assaults(self, context)),
            Stage("place", lambda context: Placements(self, context), ("attack",), scope=_where_from),
            Stage("occupy", lambda context: Following()),
            Stage("fortify", lambda context: Marches(self, context)),
        ]

    def styles(self, s: State, seat: int) -> list[tuple[float, ...]]:
        """The rows that the campaign sampler proposes."""
        plans = np.zeros((MOST_PLANS, scripted.WEIGHTS))
        n = int(self._propose(self.game.g, s, seat, plans))
        return [tuple(row) for row in plans[:n].tolist()]

    def border(self, s: State, seat: int) -> list[int]:
        """Own territories beside others', those first that most stands against, twice as much so in an own continent."""
        key = self.key(s)
        if self._border[0] != key:
            owner, armies = (
                s[k.OWNER : k.OWNER + atlas.TERRITORIES].tolist(),
                s[k.ARMIES : k.ARMIES + atlas.TERRITORIES].tolist(),
            )
            whole = [
                all(owner[t] == seat for t in range(atlas.TERRITORIES) if atlas.LANDS[c] >> t & 1)
                for c in range(atlas.CONTINENTS)
            ]
            wanted: dict[int, float] = {}
            for t in range(atlas.TERRITORIES):
                against = sum(armies[n] for n in atlas.NEIGHBOURS[t] if owner[n] != seat)
                if owner[t] == seat and against:
                    wanted[t] = (1 + against) / (1 + armies[t]) * (2 if whole[atlas.CONTINENT[t]] else 1)
            self._border = key, sorted(wanted, key=lambda t: (-wanted[t], t))
        return self._border[1]

    def join(self, position: State, parts: Mapping[str, Any]) -> Rows:
        assault: Assault = parts["attack"]
        placement: Placement = parts["place"]
        row = np.zeros(ROW)
        row[: scripted.WEIGHTS] = assault.weights
        row[scripted.HOLD] = placement.hold
        if assault.route:
            row[ROUTE_LENGTH] = len(assault.route)
            row[ROUTE : ROUTE + len(assault.route)] = assault.route
            row[ROUTE_CHANCE], row[ROUTE_ONLY] = assault.chance, assault.only
        if placement.places:
            row[PLACED], row[TOTAL] = len(placement.places), position[k.POOL]
            for i, (t, n) in enumerate(placement.places):
                row[PLACES + 2 * i], row[PLACES + 2 * i + 1] = t, n
        row[FOLLOW] = parts["occupy"]
        row[MARCH : MARCH + 3] = parts["fortify"]
        return row

    def key(self, position: State) -> bytes:
        return position[: k.STATE_SIZE].tobytes()

    def sample(self, position: State, turn: Rows, seat: int | None, streams: range, seed: int) -> Rows:
        room = self.room(len(streams))
        trials = Trials(streams.start, seed, -1 if seat is None else seat)
        self._try(self.game.g, position, turn, self._usual, trials, self.horizon, room)
        if streams.start == 0 and turn[ROUTE_LENGTH] == 0.0:
            taken = room.notes[TAKEN + 1 : TAKEN + 1 + room.notes[TAKEN]]
            self.taken[tuple(turn[: scripted.WEIGHTS].tolist())] = tuple(taken.tolist())
        return room.values

    def room(self, trials: int) -> TrialScratch:
        """Room for so many trials. All but the values, which are kept, is made once a thread and used again."""
        kept: TrialScratch | None = getattr(self._rooms, "kept", None)
        if kept is None:
            kept = self._rooms.kept = TrialScratch(
                np.zeros(k.STATE_SIZE + scripted.SCRATCH, np.int64),
                np.zeros(2, np.int64),
                np.zeros(self.players),
                np.zeros((0, self.players)),
                np.zeros(NOTES, np.int64),
            )
        return kept._replace(values=np.empty((trials, self.players)))

    # -- for people

    def words(self, position: State, stage: str, part: Any) -> str:
        if stage == "attack":
            return self._assault(part)
        if stage == "place":
            kept = "keep the cards, " if part.hold else ""
            return kept + (", ".join(f"{n} in {atlas.IDS[t]}" for t, n in part.places) or "as the style says")
        if stage == "occupy":
            return FOLLOWING[part]
        return ("as usual", "no march", f"{atlas.IDS[part[1]]}>{atlas.IDS[part[2]]}")[part[0]]

    def _assault(self, part: Assault) -> str:
        style = described(np.array(part.weights), self.base)
        if not part.route:
            return style if part.weights != tuple(self.base) else "as usual"
        way = " > ".join(atlas.IDS[t] for t in part.route)
        return f"take {way} while the chance is {part.chance:.0%}" + ("" if part.only else f", then {style}")

    def text(self, position: State, turn: Rows) -> str:
        route = tuple(int(t) for t in turn[ROUTE : ROUTE + int(turn[ROUTE_LENGTH])])
        weights = tuple(float(w) for w in turn[: scripted.WEIGHTS])
        reported = [self._assault(Assault(weights, route, float(turn[ROUTE_CHANCE]), bool(turn[ROUTE_ONLY])))]
        places = turn[PLACES : PLACES + 2 * int(turn[PLACED])].astype(int).reshape(-1, 2)
        if len(places):
            reported.insert(0, "place " + ", ".join(f"{n} in {atlas.IDS[t]}" for t, n in places))
        if turn[FOLLOW]:
            reported.append(FOLLOWING[int(turn[FOLLOW])])
        if turn[MARCH]:
            reported.append(self.words(position, "fortify", tuple(int(x) for x in turn[MARCH : MARCH + 3])))
        return "; ".join(reported)


def _where_from(parts: Mapping[str, Any]) -> Any:
    """Placing depends on where a route begins and whether cards are held, not on the rest of an assault."""
    assault: Assault = parts["attack"]
    return assault.route[:1], assault.weights[scripted.HOLD]


__all__ = ["ROW", "Assault", "Placement", "RiskStaging", "carried", "try_turn"]
