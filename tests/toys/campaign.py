"""A toy campaign with all that stages know, small enough to list every turn: boards, a purse, attacks, purchases, n seats.

On each board every seat has some strength. A turn of a seat: on each board it may send fighters against one other seat (each
kills one and every second one falls; with `dice` each kills with even chances), it splits its purse over the boards, and what
it keeps it has next time; on a board it buys guards for 1 (strength 1) or knights for 2 (strength 3), forward or behind.
What a seat has in the end is judged by its share of each board, its purse, and extra for a lead on every board, so that the
parts of a turn are not worth their sum. `secret`: the others' purses are hidden. The rules are plain functions: the tests
list turns by them, the staging proposes by them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from stratagem.plans.allocation import allocations
from stratagem.rng import Rng, below, unit
from stratagem.search.staged import Context, Generator, IllegalJoin, Judgement, Listed, Proposal, Stage, Staging
from stratagem.search.staged.blotto import Splitter

Attack = tuple[int, int] | None  # whom, and how many fighters
Spawn = tuple[int, int]  # knights, and 1 for forward


class Camp(NamedTuple):
    """A position."""

    seat: int
    strength: tuple[tuple[int, ...], ...]  # [board][seat]
    purse: tuple[int, ...]
    ply: int = 0


class TurnOf(NamedTuple):
    """A turn."""

    attacks: tuple[Attack, ...]
    split: tuple[int, ...]  # dollars a board, and kept
    spawns: tuple[Spawn, ...]


class Rules(NamedTuple):
    boards: int = 2
    seats: int = 2
    plies: int = 6  # turns of all seats until the end
    dice: bool = False
    secret: bool = False
    income: int = 1

    # -- what there is to choose

    def attacks(self, camp: Camp, board: int) -> list[Attack]:
        mine = camp.strength[board][camp.seat]
        others = [q for q in range(self.seats) if q != camp.seat and camp.strength[board][q] > 0]
        return [None, *((q, n) for q in others for n in range(1, mine + 1))]

    def spawns(self, money: int) -> list[Spawn]:
        return [(knights, forward) for knights in range(money // 2 + 1) for forward in ((0, 1) if money else (0,))]

    def turns(self, camp: Camp) -> Iterator[TurnOf]:
        """Every turn."""
        for attacks in product(*(self.attacks(camp, b) for b in range(self.boards))):
            for split in allocations(camp.purse[camp.seat], self.boards + 1).tolist():
                for spawns in product(*(self.spawns(split[b]) for b in range(self.boards))):
                    yield TurnOf(attacks, tuple(split), spawns)

    # -- what happens

    def play(self, camp: Camp, turn: TurnOf, rng: Rng) -> Camp:
        me = camp.seat
        boards = [list(row) for row in camp.strength]
        for board, attack, spawn, money in zip(boards, turn.attacks, turn.spawns, turn.split, strict=False):
            if attack is not None:
                foe, fighters = attack
                kills = sum(unit(rng) < 0.5 for _ in range(fighters)) if self.dice else fighters
                board[me] -= fighters // 2
                board[foe] = max(board[foe] - kills, 0)
            knights, forward = spawn
            board[me] += money - 2 * knights + 3 * knights
            if forward and board[me] > max(board[q] for q in range(self.seats) if q != me):
                board[me] += 1  # a bold line, where it is the strongest
        purse = list(camp.purse)
        purse[me] = turn.split[-1] + self.income
        return Camp((me + 1) % self.seats, tuple(map(tuple, boards)), tuple(purse), camp.ply + 1)

    def values(self, camp: Camp) -> tuple[float, ...]:
        """What each seat may expect; adds up to zero."""
        raw = [0.0] * self.seats
        for q in range(self.seats):
            leads = 0
            for board in camp.strength:
                raw[q] += (1 + board[q]) / (self.seats + sum(board))
                leads += board[q] > max(board[p] for p in range(self.seats) if p != q)
            raw[q] += 0.05 * camp.purse[q] + (0.5 if leads == self.boards else 0.0)
        mean = sum(raw) / self.seats
        return tuple((x - mean) / 4 for x in raw)


class Strikes(Generator):
    """Attacks on one board: at first none, and one with everybody; finer: other numbers; coarser: another seat."""

    def __init__(self, attacks: Sequence[Attack], rng: Rng) -> None:
        self.left = list(attacks)
        self.opening = [None, max((a for a in attacks if a), key=lambda a: a[1], default=None)]
        self.rng = rng

    def _give(self, attack: Attack) -> Proposal | None:
        if attack not in self.left:
            return None
        self.left.remove(attack)
        return Proposal(attack)

    def first(self) -> Proposal | None:
        while self.opening:
            found = self._give(self.opening.pop(0))
            if found is not None:
                return found
        return None

    def finer(self, part: Attack) -> Proposal | None:
        same = [a for a in self.left if a is not None and part is not None and a[0] == part[0]]
        return self._give(same[-1]) if same else None

    def coarser(self, part: Attack, noise: float) -> Proposal | None:
        return self._give(self.left[int(below(self.rng, len(self.left)))]) if self.left else None

    @property
    def exhausted(self) -> bool:
        return not self.left


class CampStaging(Staging[Camp, TurnOf]):
    """The toy on stages: attack a board, blotto, spawn a board."""

    def __init__(self, rules: Rules, *, splitter: bool = True) -> None:
        self.rules, self.players, self.splitter = rules, rules.seats, splitter
        self.certain = not (rules.dice or rules.secret)

    def mover(self, position: Camp) -> int:
        return position.seat

    def stages(self, position: Camp) -> list[Stage]:
        boards = range(self.rules.boards)
        stages = [Stage(f"attack {b}", self._attack(b)) for b in boards]
        stages.append(Stage("blotto", self._blotto))
        for b in boards:
            after = (f"attack {b}", "blotto")
            stages.append(Stage(f"spawn {b}", self._spawn(b), after, scope=self._amount(b)))
        return stages

    def _attack(self, board: int) -> Any:
        return lambda context: Strikes(self.rules.attacks(context.position, board), context.rng)

    def _blotto(self, context: Context) -> Generator:
        purse, fronts = context.position.purse[context.seat], self.rules.boards + 1
        if self.splitter:
            return Splitter(purse, fronts, context.rng, spread=0.2)
        return Listed([tuple(split) for split in allocations(purse, fronts).tolist()])

    def _spawn(self, board: int) -> Any:
        return lambda context: Listed(self.rules.spawns(context.parts["blotto"][board]))

    def _amount(self, board: int) -> Any:
        return lambda parts: (parts[f"attack {board}"], parts["blotto"][board])

    def join(self, position: Camp, parts: Mapping[str, Any]) -> TurnOf:
        boards = range(self.rules.boards)
        turn = TurnOf(
            tuple(parts[f"attack {b}"] for b in boards), parts["blotto"], tuple(parts[f"spawn {b}"] for b in boards)
        )
        for b in boards:
            if turn.attacks[b] is not None and turn.attacks[b][1] > position.strength[b][position.seat]:
                raise IllegalJoin(f"{turn.attacks[b][1]} fighters on board {b}", parts)
            if 2 * turn.spawns[b][0] > turn.split[b]:
                raise IllegalJoin(f"{turn.spawns[b][0]} knights for {turn.split[b]} dollars on board {b}", parts)
        if sum(turn.split) != position.purse[position.seat]:
            raise IllegalJoin(f"{sum(turn.split)} dollars spent of {position.purse[position.seat]}", parts)
        return turn

    def play(self, position: Camp, turn: TurnOf, rng: Rng) -> Camp:
        return self.rules.play(position, turn, rng)

    def payoffs(self, position: Camp) -> tuple[float, ...] | None:
        return self.rules.values(position) if position.ply >= self.rules.plies else None

    def judge(self, position: Camp, rng: Rng) -> Judgement:
        return Judgement(self.rules.values(position), 0.1)

    def guess(self, position: Camp, seat: int, rng: Rng) -> Camp:
        if not self.rules.secret:
            return position
        purse = tuple(x if q == seat else int(below(rng, 4)) for q, x in enumerate(position.purse))
        return position._replace(purse=purse)

    def key(self, position: Camp) -> Camp:
        return position


def small(seats: int = 2, purse: int = 3, **rules: Any) -> tuple[Rules, Camp]:
    """A position whose turns are some hundreds."""
    strength = ((2, 3, 2), (2, 1, 3))
    made = Rules(seats=seats, **rules)
    return made, Camp(0, tuple(row[:seats] for row in strength), (purse,) + (2,) * (seats - 1))
