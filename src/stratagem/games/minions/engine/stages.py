"""A turn of Minions by stages: general, an attack a board, blotto (the purse), and the rest of the turn a board.

The general and the attacks know the position alone. The blotto stage splits what the general leaves over the boards and what is
saved, and knows the attacks; the spawn stage of a board knows its dollars and its attack. All parts are words of actions
(`kernels`) in bytes, so that joining them is putting them behind each other. Proposals are compiled (`fighting`, `deploy`); the
attack solver adds what those miss.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import StratagemError
from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout, turns, worths
from stratagem.games.minions.attack.prophecy import Planner, Prophecy
from stratagem.games.minions.attack.solver import AttackSolver
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.engine import thinking
from stratagem.games.minions.engine.advisers import FIRST_SPREAD, Script, dollars_of
from stratagem.games.minions.engine.fighting import NOTHING
from stratagem.games.minions.engine.scratch import ROW, EngineScratch, Reals, new_scratch
from stratagem.games.minions.engine.tech_plans import Aims, TechPlans, line_of
from stratagem.games.minions.engine.techs import Techs, bought, most_spells
from stratagem.games.minions.engine.worth import fitted_weights
from stratagem.games.minions.networks.features import turned_hexes
from stratagem.games.minions.networks.oracle import (
    MATERIAL,
    SHAPE,
    numbers_of,
    oracle_of,
    weights_of,
)
from stratagem.games.minions.networks.prophet import SCRIPT, vision_of
from stratagem.games.minions.state import GameState
from stratagem.games.minions.turn import GameTurn
from stratagem.kernel import State
from stratagem.networks.weights import Network
from stratagem.rng import Rng, generator
from stratagem.search.staged import Context, Generator, Proposal, Stage, Staging
from stratagem.search.staged.blotto import Splitter

KEPT_WORTH = 0.95  # what a dollar saved is worth beside one spent, at first sight
SOLVER_TIME = 0.004  # seconds for one candidate of the attack solver where there is a clock
BUILDING = 0.02  # seconds that building the attack solver is thought to take before it was ever built
BUILDINGS = 3.0  # times what building took that a clock must have left
TRIES = 4  # of a generator for something new
PURSES = 4096  # positions whose worths of dollars are kept
NO_WORDS = np.zeros(0, np.int64)
NO_LUCK = generator(0)  # of kernels that draw nothing


@dataclass(frozen=True)
class EngineOptions:
    """Whom the engine asks, and what it leaves out for comparisons."""

    # what corrects the fitted weights: nothing (material), the network that comes with the game (network), or a file
    oracle: str = MATERIAL
    # who foretells attacks: the script, the network that comes with the game (network), or a network's file
    prophet: str = SCRIPT
    solver: bool = True  # the attack solver: wins at once, and plans at the root
    spells: bool = True  # spells chosen and cast, where there are any


Row = NDArray[np.float32]  # [ROW]: a prophecy
# of a position: by what a front of a split is, how much each amount is worth there and how often it was tried
Learned = dict[Hashable, tuple[Reals, Reals]]
NO_FIGHTS: Row = np.concatenate([np.full(100, 0.03, np.float32), np.full(100, 0.97, np.float32)])  # nobody fights


class MinionsStaging(Staging[State, bytes]):
    """Minions for a search by stages; a position is its array, a turn the words of its actions in bytes."""

    players = 2
    certain = True

    def __init__(self, config: GameConfig, options: EngineOptions | None = None, *, target: str = "cpu") -> None:
        self.config, self.options, self.g = config, options or EngineOptions(), config.ground
        self.oracle: Network | None = oracle_of(self.options.oracle)
        self.weights = fitted_weights() if self.oracle is None else weights_of(self.oracle)
        self._prepare(target)
        self._rooms = threading.local()
        self.words_of_state = GameState.blank(config).size
        self.slope = 0.5 / (worths.DOLLARS_A_BOARD * config.boards)  # payoff that a dollar is worth at first sight
        self.advisers = self._advised(target)
        self.faults = 0  # illegal turns that were made
        self.root: bytes = b""  # where the attack solver is asked, and tech plans are made
        self.tech_plans: TechPlans | None = None  # at the root
        self.learned: dict[bytes, Learned] = {}  # what dollars are worth, by position: the last few
        self.solving: list[Attacks] = []  # at the root, those that have a solver
        self.intent: Aims = ()  # what the tech plan of the last turn played was after
        self.building = BUILDING  # seconds that building it took lately, at the most
        self._stages = self._stages_after([Stage("general", self._general)], dict.fromkeys(range(config.boards), ()))

    # -- the kernels

    def _prepare(self, target: str) -> None:
        """The compiled functions for a target."""
        shape = SHAPE if self.oracle is None else self.oracle.shape
        self._think = thinking.thinker(target, shape, self.config.magical)
        self._play = turns.player_of(target)

    def _advised(self, target: str) -> Script:
        """The script, with a network as the prophet where the options name one."""
        vision = vision_of(self.options.prophet)
        if vision is None:
            return Script(self)
        from stratagem.games.minions.networks.seers import Foretold  # which is not loaded where nobody asks

        return Foretold(self, vision, target=target)

    def scratch(self) -> EngineScratch:
        """The scratch arrays of this thread."""
        try:
            found: EngineScratch = self._rooms.scratch
        except AttributeError:  # the first time in a thread
            found = self._rooms.scratch = self._new_scratch()
            self._rooms.words = np.zeros(found.out.size, np.int64)
        return found

    def see_with(self, network: Network | None) -> None:
        """Judge with another Oracle, or none; before anything is judged."""
        self.oracle = network
        self._rooms = threading.local()

    def _new_scratch(self) -> EngineScratch:
        found = new_scratch(self.words_of_state, self.config.boards)
        if self.oracle is None:
            return found
        seeing = found.judged._replace(network=numbers_of(self.oracle), turned=turned_hexes(self.config))
        return found._replace(judged=seeing)

    def played(self, position: State, words: bytes, *, whole: bool = False) -> int:
        """Put a position into this thread's scratch arrays and play actions or a whole turn; 0, or why that is illegal."""
        scratch, room = self.scratch(), self._rooms.words
        scratch.s[:] = position
        if not words and not whole:
            return 0
        n = len(words) // 8
        room[:n] = np.frombuffer(words, np.int64)  # one type of arrays for the compiled function, which these are not
        return self._carried_out(room[:n], whole)

    def _carried_out(self, turn: State, whole: bool) -> int:
        """Play actions, or a whole turn, in this thread's scratch arrays; 0, or why that is illegal."""
        return self._play(self.g, self.scratch().s, turn, whole)

    # Each of these asks a kernel about what `played` has put into the scratch arrays, where its result is too.

    def _ask(
        self, task: int, *, k: int = 0, side: int = 0, budget: int = 0, noise: float = 0.0, turn: State = NO_WORDS,
        rng: Rng | None = None,
    ) -> int:  # fmt: skip
        draws = NO_LUCK if rng is None else rng
        return int(self._think(self.g, task, k, side, budget, noise, turn, draws, self.weights, self.scratch()))

    def look(self) -> None:
        """Features and value of the position for the side to move, into `scratch.judged`."""
        self._ask(thinking.LOOK)

    def threaten(self, k: int) -> bool:
        """Both threat maps of a board; whether the side to move can do anything to anybody there."""
        return self._ask(thinking.THREATEN, k=k) > 0

    def prophesy(self, k: int, rng: Rng) -> None:
        """The script's prophecies for a board, into `scratch.fight.rows`."""
        self._ask(thinking.PROPHESY, k=k, rng=rng)

    def shaken(self, row: Row, rng: Rng, noise: float) -> Row:
        """A prophecy with noise on its logits."""
        said = self.scratch().fight.row
        said[:] = row
        self._ask(thinking.SHAKE, noise=noise, rng=rng)
        return said.astype(np.float32)

    def fight(self, k: int, rng: Rng, noise: float = 0.0) -> bytes:
        """The attack on a board that follows the prophecy `scratch.fight.row`."""
        return self.made(self._ask(thinking.FIGHT, k=k, noise=noise, rng=rng))

    def price(self, k: int, budget: int) -> int:
        """The shop's table for a board, into `scratch.shop.best`; the room there is."""
        return self._ask(thinking.PRICE, k=k, budget=budget)

    def deploy(self, k: int, budget: int, rng: Rng | None = None, noise: float = 0.0) -> bytes:
        """The rest of a board's turn for so many dollars."""
        return self.made(self._ask(thinking.DEPLOY, k=k, budget=budget, noise=noise, rng=rng))

    def judged(self, position: State, turn: bytes) -> float:
        """What a turn is worth to its mover, after a short answer. An illegal one, which would be a fault of the kernels, is
        written to the log and lost: a game goes on with the others."""
        scratch = self.scratch()
        if self.played(position, turn, whole=True):
            self._blame(position, turn)
            scratch.judged.answer[:2] = -1.0, 0.0
        else:
            self._ask(thinking.JUDGE, side=int(position[layout.SIDE]))
        return float(scratch.judged.answer[0])

    def _blame(self, position: State, turn: bytes) -> None:
        self.faults += 1
        state = GameState(self.config, position.copy())
        logging.getLogger(__name__).error("the engine made an illegal turn in %s: %s", state, self.turn(turn))

    def made(self, length: int) -> bytes:
        return self.scratch().out[:length].tobytes()

    # -- the game

    def imagined(self, position: State) -> State:
        """A position without anything unknown."""
        return position

    def mover(self, position: State) -> int:
        return int(position[layout.SIDE])

    def key(self, position: State) -> bytes:
        return position.tobytes()

    def payoffs(self, position: State) -> tuple[float, float] | None:
        winner = int(position[layout.WINNER])
        return None if winner < 0 else (1.0, -1.0) if winner == 0 else (-1.0, 1.0)

    def join(self, position: State, parts: Mapping[str, Any]) -> bytes:
        n = range(self.config.boards)
        return parts["general"] + b"".join(parts[f"attack {k}"] + parts[f"spawn {k}"] for k in n)

    def play(self, position: State, turn: bytes, rng: Rng) -> State:
        if self.played(position, turn, whole=True):
            self._blame(position, turn)
            lost = position.copy()
            lost[layout.WINNER] = 1 - position[layout.SIDE]
            return lost
        return self.scratch().s.copy()

    def sample(self, position: State, turn: bytes, seat: int | None, streams: range, seed: int) -> Reals:
        value, mover = self.advisers.turn(position, turn).value, int(position[layout.SIDE])
        out = np.empty((len(streams), 2))
        out[:, mover] = value
        out[:, 1 - mover] = -value
        return out

    # -- stages

    def stages(self, position: State) -> list[Stage]:
        return self._stages

    def _stages_after(self, first: list[Stage], before: Mapping[int, tuple[str, ...]]) -> list[Stage]:
        """All stages: the first, then those of boards, each after what comes before it there, and the purse."""
        boards = range(self.config.boards)
        attacks = [f"attack {k}" for k in boards]
        known = dict.fromkeys(name for k in boards for name in before[k])
        return [
            *first,
            *(
                Stage(attacks[k], self._attack_maker(k), before[k], self._scope(k), self._board_key(k)) for k in boards
            ),
            Stage("blotto", self._purse, ("general", *known, *attacks), _purse_scope),
            *(
                Stage(
                    f"spawn {k}", self._spawn_maker(k), (*before[k], attacks[k], "blotto"), self._scope(k, whole=True),
                    self._shop_key(k),
                )
                for k in boards
            ),
        ]  # fmt: skip

    def _scope(self, k: int, *, whole: bool = False) -> Callable[[Mapping[str, Any]], Hashable]:
        """What of the parts chosen before matters to board k: what comes before its attack, then its attack and its dollars."""
        return lambda parts: (parts[f"attack {k}"], parts["blotto"][k]) if whole else ()

    def _board_key(self, k: int) -> Any:
        at = layout.board_of(k)
        return lambda position: position[at : at + layout.BOARD_SIZE].tobytes()

    def _shop_key(self, k: int) -> Any:
        """The board, and what may be bought: positions that have these in common share deployments."""
        at, line = layout.board_of(k), layout.CARD + 2 * layout.CARDS
        return lambda position: (
            position[at : at + layout.BOARD_SIZE].tobytes(),
            position[layout.CARD : line].tobytes(),
            int(position[layout.FRESH]),
        )

    def _attack_maker(self, k: int) -> Any:
        return lambda context: Attacks(self, context, k)

    def _spawn_maker(self, k: int) -> Any:
        return lambda context: Deployments(self, context, k)

    def _purse(self, context: Context) -> Generator:
        known = self.learned.setdefault(context.position.tobytes(), {})
        if len(self.learned) > PURSES:
            del self.learned[next(iter(self.learned))]
        return Purse(self, context, known)

    def most_spells(self, position: State) -> int:
        """How many spells a turn can place, the free one included."""
        side = int(position[layout.SIDE])
        most = most_spells(self.g, position, side)
        return 1 + min(int(position[layout.MONEY + side]) // self.config.spell_price, max(most - 1, 0))

    def dollars(self, position: State, k: int, attack: bytes) -> Reals:
        """What dollars are worth at first sight on a board after its attack, in payoffs; -inf: one less is worth as much."""
        money = int(position[layout.MONEY + position[layout.SIDE]])
        worth = self.advisers.seer(position, k, money, attack)
        row = np.full(money + 1, -math.inf)
        row[0] = worth[0]
        more = np.flatnonzero(worth[1:] - worth[:-1] > 1e-9) + 1
        row[more] = worth[more]
        return row

    def setup(self, position: State, k: int) -> bytes:
        """The words of the setup that a board needs, if it does."""
        at = layout.board_of(k)
        b = position[at : at + layout.BOARD_SIZE]
        if b[layout.MODE] not in (layout.RESET_1, layout.RESET_2) or b[layout.PHASE] != layout.UNTOUCHED:
            return b""
        keep = int(rules.dearest(self.g, b, int(position[layout.SIDE])))
        return np.array([layout.SETUP, k, 2, self.g[layout.BASIC], keep], np.int64).tobytes()

    def all_setups(self, position: State) -> bytes:
        """The words of the setups that all boards need, none in the way of another."""
        words = b""
        for k in range(self.config.boards):
            self.played(position, words)
            words += self.setup(self.scratch().s.copy(), k)
        return words

    def seen(self, context: Context, k: int) -> State:
        """The position in which the stages of board k propose."""
        position: State = context.position
        return position

    def setup_in(self, context: Context, k: int) -> bytes:
        """The setup that stages of board k begin with."""
        return self.setup(context.position, k)

    def asks_solver(self) -> bool:
        """Whether the attack solver is asked at the root."""
        return self.options.solver

    def idle(self, position: State, k: int) -> bool:
        """Whether nothing can be done on a board: it was resigned, or its loser passes."""
        at = layout.board_of(k)
        return bool(position[at + layout.RESIGNED]) or position[at + layout.MODE] == layout.RESET_0

    def _general(self, context: Context) -> Generator:
        """Turns of all prices: at the root as beginnings of tech plans, elsewhere by their appeal."""
        position, seat = context.position, context.seat
        turns = Techs(self.g, position, seat, self.most_spells(position), self.advisers.general(position))
        if position.tobytes() != self.root:
            return turns
        line = line_of(self.g, position, dollars_of(self, position, 1 - seat), self.intent)
        self.tech_plans = TechPlans(line, turns)
        return self.tech_plans

    def begin(self, position: State) -> None:
        """A turn is to be thought about: here the attack solver is asked, and tech plans are made."""
        key = position.tobytes()
        if key != self.root:
            self.root, self.tech_plans = key, None
            while self.solving:  # a solver holds megabytes, and proposals are remembered for long
                self.solving.pop().release()

    def aims(self, words: bytes) -> Aims:
        """The cards that a general's turn at the root is on the way to; none where no tech plan is known."""
        return () if self.tech_plans is None else self.tech_plans.aims.get(words, ())

    # -- for people

    def turn(self, turn: bytes) -> GameTurn:
        return GameTurn.from_words(np.frombuffer(turn, np.int64), self.config.boards)

    def text(self, position: State, turn: bytes) -> str:
        return str(self.turn(turn))

    def words(self, position: State, stage: str, part: Any) -> str:
        if stage == "blotto":
            n = self.config.boards
            shares = [f"board {k} {x}" for k, x in enumerate(part[:n])]
            return ", ".join([*shares, f"saved {part[n]}"])
        reported = self.turn(part)
        if stage == "general":
            cards = [self.config.techline.cards[c].name for c in reported.tech.acquire]
            said = [f"march {reported.tech.advance}"] * bool(reported.tech.advance) + [
                f"acquire {name}" for name in cards
            ]
            later = [self.config.techline.cards[c].name for c in self.aims(part) if c not in reported.tech.acquire]
            return (", ".join(said) or "nothing") + (f" (then {', '.join(later)})" if later else "")
        return ", ".join(str(action) for actions in reported.boards for action in actions) or "nothing"


def _purse_scope(parts: Mapping[str, Any]) -> Hashable:
    return (bought(parts["general"]), *(part for stage, part in parts.items() if stage != "general"))


class Purse(Splitter):
    """Splits of what the general leaves over the boards and what is saved. What dollars are worth to a board is learned for each
    of its attacks, by all splits of a position together."""

    def __init__(self, staging: MinionsStaging, context: Context, known: Learned) -> None:
        position, n = context.position, staging.config.boards
        money = int(position[layout.MONEY + context.seat])
        left = money - bought(context.parts["general"]) * staging.config.spell_price
        self.rows: list[tuple[Reals, Reals]] = []  # of each board and of what is saved: worths and counts
        for k in range(n):
            seen, attack = staging.seen(context, k), context.parts[f"attack {k}"]
            where = k, attack, seen.tobytes() if seen is not position else b""
            if where not in known:
                known[where] = staging.dollars(seen, k, attack), np.zeros(money + 1)
            self.rows.append(known[where])
        saved: Reals = KEPT_WORTH * staging.slope * np.arange(money + 1.0)
        self.rows.append(known.setdefault("saved", (saved, np.zeros(money + 1))))
        tables = np.array([row[: left + 1] for row, _ in self.rows])
        super().__init__(left, n + 1, context.rng, tables=tables, spread=FIRST_SPREAD, sure=True)
        self.learned = known.setdefault("all", (self.learned, self.learned))[0]

    def _look_up(self) -> None:
        for i, (row, count) in enumerate(self.rows):
            self.values[i], self.counts[i] = row[: self.budget + 1], count[: self.budget + 1]

    def first(self) -> Proposal | None:
        """The best split by tables with noise."""
        self._look_up()
        return super().first()

    def finer(self, part: Any) -> Proposal | None:
        """The best split that moves dollars from one board to another."""
        self._look_up()
        return super().finer(part)

    def learn(self, part: Any, value: float, weight: float) -> None:
        """Move what is thought of dollars towards what a turn was worth."""
        self._look_up()
        super().learn(part, value, weight)
        for i, (row, count) in enumerate(self.rows):
            row[: self.budget + 1], count[: self.budget + 1] = self.values[i], self.counts[i]


class Attacks(Generator):
    """Attacks on one board: by the script's prophecies, by variations of good ones, and by the attack solver."""

    def __init__(self, staging: MinionsStaging, context: Context, k: int) -> None:
        self.staging, self.position, self.k, self.rng = staging, staging.seen(context, k), k, context.rng
        self.left = context.left
        self.setup = staging.setup_in(context, k)
        self.at_root = context.position.tobytes() == staging.root
        self.rows: dict[bytes, Row] = {}
        staging.played(self.position, self.setup)
        self.quiet = staging.idle(self.position, k) or not staging.threaten(k)
        self.planner: Planner | None = None
        self.families: dict[bytes, Any] = {}
        self.said: Row = np.zeros((0, ROW), np.float32)
        self.fought = self.solved = 0  # prophecies that were followed, and given to the solver
        if not self.quiet:
            said = staging.advisers.prophet(self.position, k, self.setup, self.rng)
            self.said = said.astype(np.float32)  # of which a tree holds many

    @property
    def exhausted(self) -> bool:
        return self.quiet and bool(self.rows)

    def first(self) -> Proposal | None:
        """The prophecies, then peace, then what the solver makes of the prophecies."""
        while self.fought < len(self.said):
            row, prior = self.said[self.fought], 1.0 if self.fought else 2.0
            self.fought += 1
            part = self._fought(row, 0.0)
            if part not in self.rows:
                self.rows[part] = row
                return Proposal(part, prior)
        if self.setup not in self.rows:
            self.rows[self.setup] = NO_FIGHTS
            return Proposal(self.setup)
        return None if self.quiet else self._solved()

    def _fought(self, row: Row, noise: float) -> bytes:
        staging = self.staging
        staging.played(self.position, self.setup)
        staging.scratch().fight.row[:] = row
        return self.setup + staging.fight(self.k, self.rng, noise)

    def finer(self, part: bytes) -> Proposal | None:
        """The same prophecy from other hexes, or by the solver."""
        if self.quiet:
            return None
        if part in self.families and self.planner is not None:
            found = self.planner.finer(self.families[part], self._seconds())
            if found is not None:
                return self._entered(found)
        return self._new(self.rows[part], 0.0, 0.7)

    def coarser(self, part: bytes, noise: float) -> Proposal | None:
        """A perturbed prophecy."""
        return None if self.quiet else self._new(self.rows[part], noise, 0.3)

    def _new(self, row: Row, shaken: float, noise: float) -> Proposal | None:
        for again in range(TRIES):
            shaken_row = self.staging.shaken(row, self.rng, 1.5 * shaken) if shaken else row
            part = self._fought(shaken_row, noise * (1.0 + again))
            if part not in self.rows:
                self.rows[part] = shaken_row
                return Proposal(part)
        return None

    def _solved(self) -> Proposal | None:
        """What the attack solver makes of the next prophecy."""
        while self.solved < len(self.said) and self._planning() and self.planner is not None:
            kind = self.solved
            self.solved += 1
            if kind == NOTHING:
                continue
            row, solver = self.said[kind], self.planner.solver
            wanted = {h: float(row[h]) for h in solver.foes if row[h] > 0.5}
            idle = {h: float(row[100 + h]) for h in solver.own if row[100 + h] > 0.5}
            found = self.planner.candidate(Prophecy(passive=idle, removed=wanted), self._seconds())
            proposal = None if found is None else self._entered(found, row)
            if proposal is not None:
                return proposal
        return None

    def _planning(self) -> bool:
        """Whether the attack solver is there. It is built at the root alone, and where the clock leaves time for it."""
        if self.planner is not None:
            return True
        staging, left = self.staging, self.left()
        if not (self.at_root and staging.asks_solver()):
            return False
        if left is not None and left < BUILDINGS * staging.building:
            return False
        began = time.perf_counter()
        try:
            state = GameState(staging.config, self.position.copy())
            self.planner = Planner(AttackSolver(state, self.k, target="python"), seed=int(self.rng[0]) & 0x7FFFFFFF)
            staging.solving.append(self)
        except StratagemError:  # not installed, or too large a board: the compiled proposals must do
            self.solved = len(self.said)
        staging.building = max(time.perf_counter() - began, 0.9 * staging.building)
        return self.planner is not None

    def release(self) -> None:
        """Let go of the solver: the turn is over."""
        if self.planner is not None:
            self.planner.solver.close()
        self.planner, self.solved = None, len(self.said)
        self.families.clear()

    def _seconds(self) -> float | None:
        """For one candidate of the solver."""
        left = self.left()
        return None if left is None else min(SOLVER_TIME, 0.25 * max(left, 0.0))

    def _entered(self, found: Any, row: Row | None = None) -> Proposal | None:
        words = [x for action in found.plan.actions for x in action.words(self.k)]
        part = np.array(words, np.int64).tobytes()
        self.families[part] = found.family
        if part in self.rows:
            return None
        self.rows[part] = self.said[0] if row is None else row
        return Proposal(part, 1.0)


class Deployments(Generator):
    """The rest of a board's turn: the script's best, then with more and more noise."""

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
        """The script's deployment, each time with more noise."""
        if self.over:
            return None if self.given else self._entered(b"", 1.0)
        found = self._new(self.noise, 1.0 if self.given else 2.0)
        self.noise = min(self.noise + 0.15, 1.0)
        return found

    def finer(self, part: bytes) -> Proposal | None:
        """The script's deployment with little noise."""
        return None if self.over else self._new(0.1)

    def coarser(self, part: bytes, noise: float) -> Proposal | None:
        """The script's deployment with much noise."""
        return None if self.over else self._new(0.5 * noise)

    def _new(self, noise: float, prior: float = 1.0) -> Proposal | None:
        for _ in range(TRIES):
            self.staging.played(self.position, self.attack)
            part = self.staging.deploy(self.k, self.budget, self.rng, noise)
            if part not in self.given:
                return self._entered(part, prior)
            noise = min(noise + 0.15, 1.5)
        return None

    def _entered(self, part: bytes, prior: float) -> Proposal:
        self.given.add(part)
        return Proposal(part, prior)
