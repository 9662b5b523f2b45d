"""A turn of Minions by stages: blotto (the purse), general, an attack a board, and the rest of the turn a board.

The blotto stage splits the purse over the boards, the techline and what is saved; the general stage then knows what it may spend,
and the spawn stage of a board its dollars and its attack. All parts are words of actions (`kernels`) in bytes, so that joining
them is putting them behind each other. Proposals are compiled (`fighting`, `deploy`); the attack solver adds what those miss.
"""

from __future__ import annotations

import itertools
import logging
import math
import random
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import StratagemError
from stratagem.games.minions import kernels as rules
from stratagem.games.minions import turns
from stratagem.games.minions.attack.prophecy import Planner, Prophecy
from stratagem.games.minions.attack.solver import AttackSolver
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.engine import thinking
from stratagem.games.minions.engine.advisers import FIRST_SPREAD, Advisers, Script
from stratagem.games.minions.engine.desk import PROPHECIES, ROW, Desk, Reals, new_desk
from stratagem.games.minions.engine.fighting import NOTHING
from stratagem.games.minions.engine.worth import fitted_weights, unfitted_weights
from stratagem.games.minions.scripted import dearest_in_zone
from stratagem.games.minions.state import GameState
from stratagem.games.minions.turn import GameTurn
from stratagem.kernel import State
from stratagem.plans.allocation import normals
from stratagem.rng import Rng, generator
from stratagem.search.staged import Context, Generator, Judgement, Listed, Proposal, Stage, Staging
from stratagem.search.staged.blotto import Splitter

KEPT_WORTH = 0.95  # what a dollar saved is worth beside one spent, at first sight
MOST_BOUGHT_SPELLS = 2  # in one turn, beside the free one
MOST_GENERALS = 64  # general turns that are listed for one price
SOLVER_TIME = 0.004  # seconds for one candidate of the attack solver where there is a clock
SHIFT = 8.0  # logits that a payoff of one moves a wish by
TRIES = 4  # of a generator for something new


@dataclass(frozen=True)
class Mind:
    """What the engine does and what it leaves out; all but the solver's use is for comparisons."""

    fitted: bool = True  # weights fitted to games, rather than by hand
    refine: bool = True  # better candidates from good ones
    through: bool = True  # attacks through enemies that fall first
    prophecies: int = PROPHECIES  # kinds of prophecies a board
    split: bool = True  # learn how to split money; else evenly
    general: bool = True  # priors for the general; else any turn is as good as another
    solver: bool = True  # let the attack solver add candidates
    shift: bool = False  # shift prophecies by what was found good
    spells: bool = True  # choose and cast spells, where there are any


NO_WORDS = np.zeros(0, np.int64)


class MinionsStaging(Staging[State, bytes]):
    """Minions for a search by stages; a position is its array, a turn the words of its actions in bytes."""

    players = 2
    certain = True

    def __init__(self, config: GameConfig, mind: Mind | None = None, *, target: str = "cpu") -> None:
        self.config, self.mind, self.g = config, mind or Mind(), config.ground
        self.weights = fitted_weights() if self.mind.fitted else unfitted_weights()
        self._prepare(target)
        self._rooms = threading.local()
        self.words_of_state = GameState.blank(config).size
        self.slope = 0.5 / (20.0 * config.boards)  # payoff that a dollar is worth at first sight
        self.advisers: Advisers = Script(self)
        self.faults = 0  # illegal turns that were made
        self.root: bytes = b""  # where the attack solver is asked
        self.solver_time: float | None = None  # seconds for one of its candidates; None: as long as it takes

    # -- the kernels

    def _prepare(self, target: str) -> None:
        """The compiled functions for a target."""
        self._think = thinking.thinker(target)
        self._play = turns.compiled() if target == "cpu" else turns.interpreted(turns.run)

    def desk(self) -> Desk:
        """The desk of this thread."""
        found: Desk | None = getattr(self._rooms, "desk", None)
        if found is None:
            found = self._rooms.desk = new_desk(self.words_of_state, self.config.boards)
            self._rooms.order = np.zeros(thinking.ORDER, np.int64)
            self._rooms.luck = generator(0)
            self._rooms.words = np.zeros(found.out.size, np.int64)
        return found

    def played(self, position: State, words: bytes, *, whole: bool = False) -> int:
        """Put a position on this thread's desk and play actions, or a whole turn, on it; 0, or why that is illegal."""
        desk, room = self.desk(), self._rooms.words
        desk.s[:] = position
        if not words and not whole:
            return 0
        n = len(words) // 8
        room[:n] = np.frombuffer(words, np.int64)  # one type of arrays for the compiled function, which these are not
        task = turns.PLAY if whole else turns.PLAY_SOME
        return int(self._play(self.g, desk.s, self._rooms.luck, task, room[:n], NO_WORDS, NO_WORDS))

    def think(
        self, task: int, board: int = 0, *, budget: int = 0, noise: float = 0.0, kind: int = -1, mover: int = 0,
        rng: Rng | None = None,
    ) -> int:  # fmt: skip
        """One task of the engine's kernels on what `played` has put on this thread's desk, where its result is too."""
        desk, order = self.desk(), self._rooms.order
        order[:] = task, board, budget, int(1000 * noise), self.mind.through, kind, mover
        return int(self._think(self.g, order, self._rooms.luck if rng is None else rng, self.weights, desk))

    def judged(self, position: State, turn: bytes) -> float:
        """What a turn is worth to its mover, after a short answer. An illegal one, which would be a fault of the kernels, is
        told to the log and lost: a game goes on with the others."""
        desk = self.desk()
        if self.played(position, turn, whole=True):
            self._blame(position, turn)
            desk.answer[:2] = -1.0, 0.0
        else:
            self.think(thinking.JUDGE, mover=int(position[rules.SIDE]))
        return float(desk.answer[0])

    def _blame(self, position: State, turn: bytes) -> None:
        self.faults += 1
        state = GameState(self.config, position.copy())
        logging.getLogger(__name__).error("the engine made an illegal turn in %s: %s", state, self.turn(turn))

    def made(self, length: int) -> bytes:
        return self.desk().out[:length].tobytes()

    # -- the game

    def imagined(self, position: State) -> State:
        """A position without anything unknown."""
        return position

    def mover(self, position: State) -> int:
        return int(position[rules.SIDE])

    def key(self, position: State) -> bytes:
        return position.tobytes()

    def payoffs(self, position: State) -> tuple[float, float] | None:
        winner = int(position[rules.WINNER])
        return None if winner < 0 else (1.0, -1.0) if winner == 0 else (-1.0, 1.0)

    def join(self, position: State, parts: Mapping[str, Any]) -> bytes:
        n = range(self.config.boards)
        return parts["general"] + b"".join(parts[f"attack {k}"] + parts[f"spawn {k}"] for k in n)

    def play(self, position: State, turn: bytes, rng: Rng) -> State:
        if self.played(position, turn, whole=True):
            self._blame(position, turn)
            lost = position.copy()
            lost[rules.WINNER] = 1 - position[rules.SIDE]
            return lost
        return self.desk().s.copy()

    def sample(self, position: State, turn: bytes, seat: int | None, streams: range, seed: int) -> Reals:
        value, mover = self.advisers.turn(position, turn).value, int(position[rules.SIDE])
        out = np.empty((len(streams), 2))
        out[:, mover] = value
        out[:, 1 - mover] = -value
        return out

    def judge(self, position: State, rng: Rng) -> Judgement:
        (value, spread), side = self.advisers.oracle(position), int(position[rules.SIDE])
        return Judgement((value, -value) if side == 0 else (-value, value), spread)

    # -- stages

    def stages(self, position: State) -> list[Stage]:
        found = [
            Stage("blotto", self._blotto),
            Stage("general", self._general, ("blotto",), scope=lambda parts: parts["blotto"][-1]),
        ]
        for k in range(self.config.boards):
            found += [
                Stage(f"attack {k}", self._attack_maker(k), memory=self._board_key(k)),
                Stage(f"spawn {k}", self._spawn_maker(k), (f"attack {k}", "blotto"), scope=_board_scope(k)),
            ]
        return found

    def _board_key(self, k: int) -> Any:
        at = rules.board_of(k)
        return lambda position: position[at : at + rules.BOARD_SIZE].tobytes()

    def _attack_maker(self, k: int) -> Any:
        kind = ShiftedAttacks if self.mind.shift else Attacks
        return lambda context: kind(self, context, k)

    def _spawn_maker(self, k: int) -> Any:
        return lambda context: Deployments(self, context, k)

    def _blotto(self, context: Context) -> Generator:
        position = context.position
        money = int(position[rules.MONEY + context.seat])
        tables = self.tables(position, money)
        if not self.mind.split:
            return Listed([self._even(tables, money)])
        return Splitter(money, self.config.boards + 2, context.rng, tables=tables, spread=FIRST_SPREAD)

    def tables(self, position: State, money: int) -> Reals:
        """What dollars are worth at first sight, in payoffs: on each board, saved, and on the techline."""
        n = self.config.boards
        tables = np.full((n + 2, money + 1), -math.inf)
        for k in range(n):
            worth = self.advisers.seer(position, k, money, self.setup(position, k)).worth
            more = np.flatnonzero(np.diff(worth, prepend=-1.0) > 1e-9)  # only amounts that bring more than one less
            tables[k, more] = worth[more]
        tables[n] = KEPT_WORTH * self.slope * np.arange(money + 1)
        price = self.config.spell_price
        for bought in range(min(money // price, MOST_BOUGHT_SPELLS) + 1):
            tables[n + 1, bought * price] = self.slope * price * bought * (1.0 - 0.15 * bought)
        return tables

    def _even(self, tables: Reals, money: int) -> tuple[int, ...]:
        """The purse in equal shares, as far as boards can use them; the rest is saved."""
        n = self.config.boards
        split = []
        for k in range(n):
            can = np.flatnonzero(np.isfinite(tables[k]))
            split.append(int(can[can <= money // n].max()))
        return (*split, money - sum(split), 0)

    def setup(self, position: State, k: int) -> bytes:
        """The words of the setup that a board needs, if it does."""
        at = rules.board_of(k)
        b = position[at : at + rules.BOARD_SIZE]
        if b[rules.MODE] not in (rules.RESET_1, rules.RESET_2) or b[rules.PHASE] != rules.UNTOUCHED:
            return b""
        keep = int(dearest_in_zone(self.g, b, int(position[rules.SIDE])))
        return np.array([rules.SETUP, k, 2, self.g[rules.BASIC], keep], np.int64).tobytes()

    def seen(self, context: Context, k: int) -> State:
        """The position in which the stages of board k propose."""
        position: State = context.position
        return position

    def setup_in(self, context: Context, k: int) -> bytes:
        """The setup that stages of board k begin with."""
        return self.setup(context.position, k)

    def asks_solver(self) -> bool:
        """Whether the attack solver is asked at the root."""
        return self.mind.solver and self.mind.through

    def idle(self, position: State, k: int) -> bool:
        """Whether nothing can be done on a board: it was resigned, or its loser passes."""
        at = rules.board_of(k)
        return bool(position[at + rules.RESIGNED]) or position[at + rules.MODE] == rules.RESET_0

    def _general(self, context: Context) -> Generator:
        position, seat = context.position, context.seat
        spells = 1 + context.parts["blotto"][-1] // self.config.spell_price
        turns = general_turns(self.g, position, seat, spells)
        if not self.mind.general:
            lots = random.Random(int(context.rng[0]))
            lots.shuffle(turns)
            return Listed([tech_words(turn) for turn in turns[:MOST_GENERALS]])
        appeal = self.advisers.general(position).tolist()
        line = {turn: math.prod(appeal[c] for c in turn[1]) * appeal[-1] ** turn[0] for turn in turns}
        best = sorted(line, key=lambda turn: -line[turn])[:MOST_GENERALS]
        return Listed([tech_words(turn) for turn in best], [max(line[turn], 1e-3) for turn in best])

    # -- for people

    def turn(self, turn: bytes) -> GameTurn:
        return GameTurn.from_words(np.frombuffer(turn, np.int64), self.config.boards)

    def text(self, position: State, turn: bytes) -> str:
        return str(self.turn(turn))

    def words(self, position: State, stage: str, part: Any) -> str:
        if stage == "blotto":
            n = self.config.boards
            shares = [f"board {k} {x}" for k, x in enumerate(part[:n])]
            return ", ".join([*shares, f"saved {part[n]}", f"spells {part[n + 1]}"])
        told = self.turn(part)
        if stage == "general":
            cards = [self.config.techline.cards[c].name for c in told.tech.acquire]
            said = [f"march {told.tech.advance}"] * bool(told.tech.advance) + [f"acquire {name}" for name in cards]
            return ", ".join(said) or "nothing"
        return ", ".join(str(action) for actions in told.boards for action in actions) or "nothing"


def _board_scope(k: int) -> Any:
    return lambda parts: (parts[f"attack {k}"], parts["blotto"][k])


def tech_words(turn: tuple[int, tuple[int, ...]]) -> bytes:
    """A general's turn in words."""
    return np.array([rules.TECH, turn[0], len(turn[1]), *turn[1]], np.int64).tobytes()


def general_turns(g: State, position: State, side: int, spells: int) -> list[tuple[int, tuple[int, ...]]]:
    """The general turns of exactly so many spells, as (cards marched, cards acquired); fewer where no more can be placed."""
    cards = position[rules.CARD : rules.CARD + 2 * rules.CARDS].reshape(2, rules.CARDS)
    locked = [c for c in range(rules.CARDS) if cards[side, c] == rules.LOCKED]
    copycat = int(g[rules.COPYCAT_AT])
    copies = copycat >= 0 and cards[side, copycat] == rules.ACQUIRED

    def free(c: int) -> bool:
        return bool(cards[1 - side, c] != rules.ACQUIRED or c == copycat or copies)

    for n in range(spells, 0, -1):
        found = []
        for marched in range(min(n, len(locked)) + 1):
            opened = [c for c in range(rules.CARDS) if cards[side, c] == rules.UNLOCKED] + locked[:marched]
            can = sorted(c for c in opened if free(c))
            found += [(marched, chosen) for chosen in itertools.combinations(can, n - marched)]
        if found:
            return found
    return [(0, ())]


class Attacks(Generator):
    """Attacks on one board: by the script's prophecies, by variations of good ones, and by the attack solver."""

    def __init__(self, staging: MinionsStaging, context: Context, k: int) -> None:
        self.staging, self.position, self.k, self.rng = staging, staging.seen(context, k), k, context.rng
        self.lots = random.Random(int(context.rng[0]))
        self.setup = staging.setup_in(context, k)
        self.at_root = context.position.tobytes() == staging.root
        self.rows: dict[bytes, Reals] = {}
        staging.played(self.position, self.setup)
        self.quiet = staging.idle(self.position, k) or staging.think(thinking.THREATEN, k) <= 0
        self.planner: Planner | None = None
        self.families: dict[bytes, Any] = {}
        self.said: Reals = np.zeros((0, ROW))
        self._first = self._firsts()
        if not self.quiet:
            self.said = staging.advisers.prophet(self.position, k, self.setup, self.rng)

    @property
    def exhausted(self) -> bool:
        return self.quiet and bool(self.rows)

    def first(self) -> Proposal | None:
        return next(self._first, None)

    def _firsts(self) -> Iterator[Proposal]:
        if self.quiet:
            self.rows[self.setup] = np.zeros(ROW)
            yield Proposal(self.setup)
            return
        for kind, row in enumerate(self.said[: self.staging.mind.prophecies]):
            part = self._fought(row, 0.0)
            if part not in self.rows:
                self.rows[part] = row
                yield Proposal(part, 2.0 if kind == 0 else 1.0)
        if self.setup not in self.rows:
            self.rows[self.setup] = self.said[NOTHING]
            yield Proposal(self.setup)
        yield from self._solved()

    def _fought(self, row: Reals, noise: float) -> bytes:
        staging = self.staging
        staging.played(self.position, self.setup)
        staging.desk().row[:] = row
        length = staging.think(thinking.FIGHT, self.k, noise=noise, rng=self.rng)
        return self.setup + staging.made(length)

    def finer(self, part: bytes) -> Proposal | None:
        """The same wishes from other hexes, or by the solver."""
        if self.quiet or not self.staging.mind.refine:
            return None
        if part in self.families and self.planner is not None:
            found = self.planner.finer(self.families[part], self.staging.solver_time)
            if found is not None:
                return self._entered(found)
        return self._new(self.rows[part], 0.0, 0.7)

    def coarser(self, part: bytes, noise: float) -> Proposal | None:
        """Perturbed wishes."""
        return None if self.quiet or not self.staging.mind.refine else self._new(self.rows[part], noise, 0.3)

    def _new(self, row: Reals, shaken: float, noise: float) -> Proposal | None:
        for _ in range(TRIES):
            wishes = row
            if shaken:
                p = np.clip(row, 0.01, 0.99)
                shake = 1.5 * shaken * normals(self.rng, ROW) + self._shifts()
                wishes = np.where(row > 0, 1 / (1 + np.exp(-np.log(p / (1 - p)) - shake)), 0.0)
            part = self._fought(wishes, noise)
            if part not in self.rows:
                self.rows[part] = wishes
                return Proposal(part)
        return None

    def _shifts(self) -> Reals | float:
        """What is added to the logits of wishes by what was found good."""
        return 0.0

    def _solved(self) -> Iterator[Proposal]:
        """What the attack solver makes of the prophecies, at the root alone: building it takes milliseconds."""
        staging = self.staging
        if not (self.at_root and staging.asks_solver()):
            return
        try:
            state = GameState(staging.config, self.position.copy())
            self.planner = Planner(AttackSolver(state, self.k, at_once=True), seed=self.lots.getrandbits(31))
        except StratagemError:  # not installed, or too large a board: the compiled proposals must do
            return
        own, foes = self.planner.solver.own, self.planner.solver.foes
        for kind, row in enumerate(self.said[: staging.mind.prophecies]):
            if kind == NOTHING:
                continue
            wished = {h: float(row[h]) for h in foes if row[h] > 0.5}
            idle = {h: float(row[100 + h]) for h in own if row[100 + h] > 0.5}
            found = self.planner.candidate(Prophecy(passive=idle, removed=wished), staging.solver_time)
            if found is not None:
                proposal = self._entered(found, row)
                if proposal is not None:
                    yield proposal

    def _entered(self, found: Any, row: Reals | None = None) -> Proposal | None:
        words = [x for action in found.plan.actions for x in action.words(self.k)]
        part = np.array(words, np.int64).tobytes()
        self.families[part] = found.family
        if part in self.rows:
            return None
        self.rows[part] = self.said[0] if row is None else row
        return Proposal(part, 1.0)


class ShiftedAttacks(Attacks):
    """Attacks whose wishes are shifted by what was found: enemies whose removal went with good values are wished gone more."""

    def __init__(self, staging: MinionsStaging, context: Context, k: int) -> None:
        self.tallies = np.zeros((2, 2, 100))  # [removed or not, visits and sum of values, hex of the enemy]
        self.gone: dict[bytes, NDArray[np.int64]] = {}
        super().__init__(staging, context, k)

    def learn(self, part: bytes, value: float, weight: float) -> None:
        gone = self.gone.get(part)
        if gone is None:
            self.staging.played(self.position, part)
            at = rules.board_of(self.k) + rules.CELL
            before, after = self.position[at : at + 100], self.staging.desk().s[at : at + 100]
            theirs = 1 - int(self.position[rules.SIDE])
            stood = (before != 0) & ((before >> rules.SIDE_SHIFT) & 1 == theirs)
            stands = (after != 0) & ((after >> rules.SIDE_SHIFT) & 1 == theirs)
            gone = self.gone[part] = np.where(stood & ~stands, 0, 1)
        hexes = np.arange(100)
        self.tallies[gone, 0, hexes] += weight
        self.tallies[gone, 1, hexes] += weight * value

    def _shifts(self) -> Reals:
        visits, sums = self.tallies[:, 0], self.tallies[:, 1]
        known = (visits > 2).all(axis=0)
        gain = np.where(known, sums[0] / np.maximum(visits[0], 1) - sums[1] / np.maximum(visits[1], 1), 0.0)
        return np.concatenate([np.clip(SHIFT * gain, -2.0, 2.0), np.zeros(100)])


class Deployments(Generator):
    """The rest of a board's turn: the script's best, then with more and more noise; around good ones with little."""

    def __init__(self, staging: MinionsStaging, context: Context, k: int) -> None:
        self.staging, self.position, self.k, self.rng = staging, staging.seen(context, k), k, context.rng
        self.attack = context.parts[f"attack {k}"]
        self.budget = context.parts["blotto"][k]
        self.given: set[bytes] = set()
        self.noise = 0.0
        self.over = staging.idle(self.position, k)

    @property
    def exhausted(self) -> bool:
        return self.over and bool(self.given)

    def first(self) -> Proposal | None:
        if self.over:
            self.given.add(b"")
            return Proposal(b"")
        found = self._new(self.noise)
        self.noise = min(self.noise + 0.15, 1.0)
        return found

    def finer(self, part: bytes) -> Proposal | None:
        return self._new(0.1) if self.staging.mind.refine else None

    def coarser(self, part: bytes, noise: float) -> Proposal | None:
        return self._new(0.5 * noise) if self.staging.mind.refine else None

    def _new(self, noise: float) -> Proposal | None:
        for _ in range(TRIES):
            self.staging.played(self.position, self.attack)
            length = self.staging.think(thinking.DEPLOY, self.k, budget=self.budget, noise=noise, rng=self.rng)
            part = self.staging.made(length)
            if part not in self.given:
                self.given.add(part)
                return Proposal(part, 1.0 if self.given else 2.0)
            noise = min(noise + 0.1, 1.0)
        return None


__all__ = ["Mind", "MinionsStaging"]
