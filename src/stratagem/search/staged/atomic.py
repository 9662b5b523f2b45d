"""A staging for any game whose turn is a row of decisions: the author gives the usual kernels and writes no stages.

A turn is *ordered*: each stage holds an order, and what no order names, or cannot be done when its moment comes, is decided
greedily by looking one decision ahead. So every join is legal, dice may fall between decisions, and the empty order is greedy
play itself. Stages are the decisions of a turn by their position, or, where the game says which unit a move belongs to, its
units: a unit follows its orders, rests, or is left to greed. Candidates are the moves that were seen to be possible, the
greedily best first, then mutations of the best orders so far.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import Bound, specialise
from stratagem.contract.game import ArrayGame
from stratagem.contract.player import Choice, Clock, Line, Player, Request
from stratagem.errors import OptionError, UnsuitableSearch
from stratagem.kernel import (
    CHANCE,
    HIGH,
    LOW,
    OVER,
    PLAYERS,
    SIZE,
    Ground,
    Moves,
    Payoffs,
    State,
    draw,
    guess,
    moves,
    payoff,
    play,
    sample,
    turn,
    value,
)
from stratagem.rng import Rng, below, generator, seed_stream, unit
from stratagem.search.budget import Budget
from stratagem.search.following import RemainingTurn
from stratagem.search.sampling.playouts import check_kernels, has_chance
from stratagem.search.staged.search import Considered, Staged
from stratagem.search.staged.settings import Settings
from stratagem.search.staged.stage import Context, GameStaging, Generator, Proposal, Stage, Trials, Values
from stratagem.search.staged.turns import TurnStaging
from stratagem.search.whole_turns.atoms import Atoms
from stratagem.search.whole_turns.core import HAS_CHANCE, SECRET, begun, goes_on, settle

Rows = NDArray[np.float64]

ANY = -1  # no order: greed decides
REST = -2  # of a unit: it does nothing
NO_UNIT = -1  # a move that belongs to no unit, such as the end of a turn
MOST_DECISIONS = 200  # of one turn; a turn that is longer is cut and judged as it stands
UNIT_ORDERS = 2  # moves ordered for a unit
REMEMBERED = 10_000  # positions whose possible moves are kept

# bound
HAS_VALUE: bool = cast(Any, True)  # whether the rules judge positions; else a game is played out at random
BY_UNIT: bool = cast(Any, False)


def unit_of(g: Ground, s: State, p: int, m: int) -> int:
    """The unit that a move belongs to, from 0, or NO_UNIT; a game gives it to be staged by units."""
    return NO_UNIT


class TrialScratch(NamedTuple):
    """What trials of a turn write to."""

    s: State
    ahead: State  # a copy to look ahead on
    r: Rng
    listed: Moves
    scores: Rows  # [slots, moves]: the greedy judgement of each of those seen, where greed was asked
    out: Payoffs
    values: Rows  # [trials, players], in [-1, 1]
    played: Moves  # the decisions of the last trial, how many first
    seen: Moves  # [slots, moves]: the moves that were possible at each slot of the last trial, how many first
    left: Moves  # orders of a trial that are still to be done


def judge(g: Ground, s: State, r: Rng, out: Payoffs) -> None:
    """What each player may expect, in [-1, 1]: paid, judged by the rules, or played out at random."""
    if not HAS_VALUE:
        for _ in range(1_000_000):
            t = turn(g, s)
            if t == OVER:
                break
            if t == CHANCE:
                if HAS_CHANCE:
                    draw(g, s, r)
            else:
                play(g, s, t, sample(g, s, t, r))
    if turn(g, s) == OVER:
        payoff(g, s, out)
    elif HAS_VALUE:
        value(g, s, out)
    for p in range(PLAYERS):
        out[p] = (2.0 * out[p] - HIGH - LOW) / (HIGH - LOW)


def may(g: Ground, s: State, p: int, m: int, left: Moves) -> bool:
    """Whether greed may choose a move: not for a unit that has orders or rests."""
    if BY_UNIT:
        u = unit_of(g, s, p, m)
        if 0 <= u < left.shape[0] // UNIT_ORDERS:
            return left[u * UNIT_ORDERS] != REST
    return True


def greedy(g: Ground, s: State, p: int, n: int, slot: int, scratch: TrialScratch) -> int:
    """The listed move with the best judgement one decision later; the first of equals."""
    best, found = -np.inf, scratch.listed[0]
    for i in range(n):
        m = scratch.listed[i]
        if not may(g, s, p, m, scratch.left):
            continue
        for x in range(SIZE):
            scratch.ahead[x] = s[x]
        play(g, scratch.ahead, p, m)
        settle(g, scratch.ahead, scratch.r)
        judge(g, scratch.ahead, scratch.r, scratch.out)
        if slot < scratch.scores.shape[0]:
            scratch.scores[slot, i] = scratch.out[p]
        if scratch.out[p] > best:
            best, found = scratch.out[p], m
    return found


def listed_at(listed: Moves, n: int, m: int) -> bool:
    for i in range(n):
        if listed[i] == m:
            return True
    return False


def ordered(slot: int, n: int, scratch: TrialScratch) -> int:
    """The order that can be done now, or ANY. By position: that of this slot. By unit: the first of a unit that is possible."""
    left = scratch.left
    if not BY_UNIT:
        if slot < left.shape[0] and left[slot] >= 0 and listed_at(scratch.listed, n, left[slot]):
            return left[slot]
        return ANY
    for i in range(left.shape[0]):
        m = left[i]
        if m >= 0 and listed_at(scratch.listed, n, m):
            left[i] = ANY
            return m
    return ANY


def own_turn(g: Ground, s: State, p: int, scratch: TrialScratch) -> None:
    """Carry out the orders to the end of player p's turn; what was played and what was possible is noted."""
    which = begun(g, s)
    scratch.played[0] = 0
    for slot in range(MOST_DECISIONS):
        if not goes_on(g, s, p, which, scratch.r):
            return
        n = moves(g, s, p, scratch.listed)
        if slot < scratch.seen.shape[0]:
            scratch.seen[slot, 0] = n
            for i in range(n):
                scratch.seen[slot, 1 + i] = scratch.listed[i]
        m = ordered(slot, n, scratch)
        if m == ANY:
            m = scratch.listed[0] if n == 1 else greedy(g, s, p, n, slot, scratch)
        scratch.played[0] = slot + 1
        scratch.played[slot + 1] = m
        play(g, s, p, m)


def try_orders(g: Ground, root: State, seat: int, orders: Moves, trials: Trials, scratch: TrialScratch) -> None:
    """Trials of a turn, one a row of `values`."""
    for j in range(scratch.values.shape[0]):
        seed_stream(scratch.r, trials.seed, trials.first + j)
        for x in range(SIZE):
            scratch.s[x] = root[x]
        if SECRET and trials.guessed >= 0:
            guess(g, scratch.s, trials.guessed, scratch.r)
        for i in range(scratch.left.shape[0]):
            scratch.left[i] = orders[i]
        for i in range(scratch.seen.shape[0]):
            scratch.seen[i, 0] = 0
        own_turn(g, scratch.s, seat, scratch)
        settle(g, scratch.s, scratch.r)
        if HAS_VALUE:
            judge(g, scratch.s, scratch.r, scratch.out)
        else:
            for x in range(SIZE):
                scratch.ahead[x] = scratch.s[x]
            judge(g, scratch.ahead, scratch.r, scratch.out)
        for p in range(PLAYERS):
            scratch.values[j, p] = scratch.out[p]


Order = tuple[int, ...]


class Orders(Generator):
    """What one stage may order for: nothing, then the moves that were seen to be possible there, then mutations."""

    def __init__(self, staging: AtomicStaging, stage: int, context: Context) -> None:
        self.staging, self.stage, self.rng = staging, stage, context.rng
        self.possible = staging.possible[staging.key(context.position)][stage]  # which grows as turns are tried
        self.given: set[Order] = set()
        self._first = self._firsts()

    def _firsts(self) -> Iterator[Order]:
        yield (ANY,)
        at = 0
        while at < len(self.possible):
            yield (self.possible[at],)
            at += 1

    def first(self) -> Proposal | None:
        for order in self._first:
            found = self._new(order)
            if found is not None:
                return found
        self._first = self._firsts()  # more may have been seen by the next time
        return None

    def _new(self, order: Order) -> Proposal | None:
        if order in self.given:
            return None
        self.given.add(order)
        return Proposal(order)

    def coarser(self, part: Order, noise: float) -> Proposal | None:
        """Another move in a order's place; of a unit also one more, or rest."""
        if not self.possible:
            return None
        m = self.possible[int(below(self.rng, len(self.possible)))]
        if not self.staging.by_unit:
            return self._new((m,))
        if unit(self.rng) < 0.2:
            return self._new((REST,))
        longer = part[0] >= 0 and len(part) < UNIT_ORDERS and unit(self.rng) < 0.5
        return self._new((*part, m) if longer else (m, *part[1:]))

    @property
    def exhausted(self) -> bool:
        """Only of the first decision is it known what there can be."""
        whole = self.stage == 0 and not self.staging.by_unit
        return whole and len(self.given) == 1 + len(self.possible)


class AtomicStaging(GameStaging[Order]):
    """The default staging of a game; positions are its states."""

    def __init__(
        self,
        game: ArrayGame,
        *,
        actions: int | None = None,  # decisions of a turn that have a stage; the game's own `actions`, if not said
        by_unit: Callable[..., int] | None = None,  # a kernel unit_of(g, s, p, m): stages are units, not positions
        units: int = 8,  # units with a stage of their own
        turns_kernel: Callable[..., int] | None = None,  # where one player's turns may follow each other
        target: str = "cpu",
    ) -> None:
        game = check_kernels("search by stages", game)
        if game.gives("play_together"):
            raise UnsuitableSearch(f"search by stages takes turns, and players of {game.name} decide at once; use mcts")
        actions = int(getattr(game, "actions", 1) if actions is None else actions)
        if not 1 <= actions <= MOST_DECISIONS or not 1 <= units <= MOST_DECISIONS:
            raise OptionError(f"{actions} decisions and {units} units make no stages; give 1 to {MOST_DECISIONS}")
        self.game, self.players, self.by_unit = game, game.players, by_unit is not None
        self.count = units if self.by_unit else actions
        self.slots = max(actions, self.count)
        self.certain = not (has_chance(game) or game.hidden) and game.gives("value")
        own = game.names["turn"].names
        names = {
            **game.names,
            "HAS_VALUE": game.gives("value"),
            "HAS_CHANCE": has_chance(game),
            "SECRET": game.hidden,
            "BY_UNIT": self.by_unit,
            "COUNTS_TURNS": turns_kernel is not None,
        }
        if by_unit is not None:
            names["unit_of"] = by_unit if isinstance(by_unit, Bound) else Bound(by_unit, own)
        if turns_kernel is not None:
            names["turns"] = Bound(turns_kernel, own)
        self._try = specialise(try_orders, names, target=target, label=f"{game.name}, turns by stages", lean=True)
        self._scratch = threading.local()
        self.possible: dict[bytes, list[list[int]]] = {}  # the moves seen in each stage, by position
        self._unit = None if by_unit is None else specialise(by_unit, own, target="python")

    @property
    def usual(self) -> dict[str, Any]:
        """Settings of a search, where nothing is said."""
        return {"samples": 1 if self.certain else 8}

    def begin(self, position: State, seconds: float | None, seed: int) -> None:
        """Another position is thought about; there is nothing to prepare."""

    def warm(self, position: State) -> None:
        """Compile what a search will call beside trials: nothing."""

    def details(self) -> dict[str, Any]:
        """What was done beside trials: nothing."""
        return {}

    # -- what a search asks

    def stages(self, position: State) -> list[Stage]:
        """One stage a decision, or a unit; what is possible in each is learned as turns are tried."""
        if len(self.possible) >= REMEMBERED:
            self.possible.clear()
        self.possible[self.key(position)] = [[] for _ in range(self.count)]
        seat = self.mover(position)
        scratch = self.scratch(1)
        self._run(position, (), seat, scratch, range(0, 1), 0)
        for slot in range(self.slots):  # the first to be ordered are those that greed likes
            n = scratch.seen[slot, 0]
            order = np.argsort(-scratch.scores[slot, :n], kind="stable")
            scratch.seen[slot, 1 : 1 + n] = scratch.seen[slot, 1 : 1 + n][order]
        self._note(position, seat, scratch)
        what = "unit" if self.by_unit else "decision"
        return [Stage(f"{what} {i + 1}", self._maker(i)) for i in range(self.count)]

    def _maker(self, i: int) -> Callable[[Context], Generator]:
        return lambda context: Orders(self, i, context)

    def join(self, position: State, parts: Mapping[str, Any]) -> Order:
        if not self.by_unit:
            return tuple(part[0] for part in parts.values())
        return tuple(m for part in parts.values() for m in (*part, *(ANY,) * (UNIT_ORDERS - len(part))))

    def play(self, position: State, turn: Order, rng: Rng) -> State:
        scratch = self.scratch(1)
        self._run(position, turn, self.mover(position), scratch, range(0, 1), int(rng[0] ^ rng[1]))
        rng[1] += 1
        return scratch.s.copy()

    def sample(self, position: State, turn: Order, seat: int | None, streams: range, seed: int) -> Values:
        scratch = self.scratch(len(streams))
        mover = self.mover(position)
        self._run(position, turn, mover, scratch, streams, seed, -1 if seat is None else seat)
        self._note(position, mover, scratch)
        return scratch.values

    def first_move(self, position: State, turn: Order, seed: int = 0) -> int:
        """The decision that a turn begins with."""
        return self.moves_of(position, turn, seed)[0]

    def moves_of(self, position: State, turn: Order, seed: int = 0) -> tuple[int, ...]:
        """The decisions of a turn, as one trial of it makes them."""
        scratch = self.scratch(1)
        self._run(position, turn, self.mover(position), scratch, range(0, 1), seed)
        return tuple(int(m) for m in scratch.played[1 : 1 + scratch.played[0]])

    # -- trials

    def scratch(self, trials: int) -> TrialScratch:
        """Room for so many trials. All but the values, which are kept, is made once a thread and used again."""
        kept: TrialScratch | None = getattr(self._scratch, "kept", None)
        if kept is None:
            blank, most = self.game.blank, max(self.game.max_moves, 1)
            kept = self._scratch.kept = TrialScratch(
                blank(),
                blank(),
                np.zeros(2, np.int64),
                np.zeros(most, np.int64),
                np.zeros((self.slots, most)),
                np.zeros(self.players),
                np.zeros((0, self.players)),
                np.zeros(MOST_DECISIONS + 1, np.int64),
                np.zeros((self.slots, most + 1), np.int64),
                np.zeros(self.count * (UNIT_ORDERS if self.by_unit else 1), np.int64),
            )
        return kept._replace(values=np.zeros((trials, self.players)))

    def _run(
        self,
        position: State,
        turn: Order,
        mover: int,
        scratch: TrialScratch,
        streams: range,
        seed: int,
        guessed: int = -1,
    ) -> None:
        orders = np.full(len(scratch.left), ANY, np.int64)
        orders[: len(turn)] = turn
        self._try(self.game.g, position, mover, orders, Trials(streams.start, seed, guessed), scratch)

    def _note(self, position: State, seat: int, scratch: TrialScratch) -> None:
        """Moves that a trial showed to be possible become candidates."""
        possible = self.possible.get(self.key(position))
        if possible is None:
            return
        for slot, seen in enumerate(scratch.seen):
            for m in seen[1 : 1 + seen[0]].tolist():
                stage = slot if self._unit is None else int(self._unit(self.game.g, position, seat, m))
                if 0 <= stage < self.count and m not in possible[stage]:
                    possible[stage].append(m)

    # -- for people

    def words(self, position: State, stage: str, part: Order) -> str:
        seat = self.mover(position)
        words = {ANY: "as greed says", REST: "rest"}
        return ", ".join(words.get(m) or self._move_words(position, seat, m) for m in part)

    def text(self, position: State, turn: Order) -> str:
        seat = self.mover(position)
        return "; ".join(self._move_words(position, seat, m) for m in self.moves_of(position, turn))

    def _move_words(self, position: State, seat: int, m: int) -> str:
        return self.game.move_text(position, seat, m)


DECISIONS, TURNS = "decisions", "turns"  # what the stages of a turn are
STAGINGS: dict[str, Any] = {DECISIONS: AtomicStaging, TURNS: TurnStaging}


class StagedPlayer(Player):
    """Plays by stages, with the default staging or one of the author's; thinks anew at each decision of a turn, unless `whole`
    says to keep to the turn that was found as long as everything comes as foreseen."""

    def __init__(
        self,
        game: ArrayGame,
        *,
        time: float | None = None,
        simulations: int | None = None,
        seed: int = 0,
        whole: bool = False,
        stages: str = DECISIONS,
        atoms: Atoms | None = None,
        **options: Any,
    ) -> None:
        self.name = "staged"
        if whole not in (True, False):
            raise OptionError(f"option whole is {whole!r}; it is true or false")
        self.course = RemainingTurn(game) if whole else None
        known = set(Settings.__dataclass_fields__)
        settings = {name: options.pop(name) for name in list(options) if name in known}
        if simulations is not None:
            settings["simulations"] = simulations
        self.game, self.seconds = game, Clock(None if time is None else float(time)).seconds
        if stages not in STAGINGS:
            raise OptionError(f"option stages is {stages!r}; it is one of {', '.join(STAGINGS)}")
        if stages == TURNS:
            options["atoms"] = atoms
        self.staging = STAGINGS[stages](game, **options)
        for name, usual in self.staging.usual.items():
            settings.setdefault(name, usual)
        self.search = Staged(self.staging, Settings(**settings), seed=seed)
        self.seed, self._ready, self._asked = seed, False, 0

    def answer(self, request: Request) -> Choice:
        view, report, lines = request.view, request.report, request.lines
        state = view.state.copy()
        if self.course is not None and (m := self.course.next(state, view.turn)) is not None:
            return Choice(self.game.move_text(view.state, view.turn, m), engine=self.name)
        seconds = request.clock.seconds if request.clock.seconds is not None else self.seconds
        if not self._ready:  # what must be compiled or loaded is not thinking
            self.staging.warm(state)
            self.search.consider(state, simulations=1)
            self.search.nodes.clear()  # or the best proposals would have been given already
            self._ready = True
        watch = Budget(seconds)
        self._asked += 1
        self.staging.begin(state, seconds, int(generator(self.seed, self._asked)[0]))
        tick = None if report is None else lambda found: report(self._choice(view, state, found, lines))
        found = self.search.consider(state, seconds=watch.left, tick=tick)
        found = replace(found, seconds=watch.elapsed)
        if self.course is not None:
            self.course.plan(state, self.staging.moves_of(state, found.best.turn, self.seed))
            self.course.next(state, view.turn)
        return self._choice(view, state, found, lines)

    def _choice(self, view: Any, state: State, found: Considered, lines: int) -> Choice:
        low, high = self.game.payoff_range

        def payoff(value: float) -> float:
            return (low + high + (high - low) * value) / 2

        shown = []
        for judged in found.listed(lines):
            error = None if judged.error is None else (high - low) / 2 * judged.error
            value = payoff(judged.values[found.seat])
            shown.append(Line(tuple(judged.text.split("; ")), value, error, judged.visits))
        m = self.staging.first_move(state, found.best.turn, self.seed)
        return Choice(
            self.game.move_text(view.state, view.turn, m),
            shown[0].value if shown else None,
            tuple(shown),
            nodes=found.trials,
            seconds=found.seconds,
            engine=self.name,
            finished=found.finished,
            details={"turns": found.made, "exhausted": found.exhausted, **self.staging.details()},
            stages=tuple(seen.in_units(payoff) for seen in self.search.proposals()),
        )

    def show(self, view: Any, choice: Choice, seat: int | None) -> str | None:
        """What each stage proposed."""
        return str(self.search.report())
