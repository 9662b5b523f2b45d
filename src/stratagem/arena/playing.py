"""One game between players, from its task alone: any rules, any number of seats, chance and joint moves included.

A player that crashes, is late or plays an illegal move loses, and the record says why; the match goes on.
"""

from __future__ import annotations

import json
import time
from functools import lru_cache
from typing import Any

import numpy as np

from stratagem.arena.config import CHANCE_STREAM, OPENING_STREAM, VALUE, Config, Task, derived_seed, unnumbered
from stratagem.compile import before_compiling
from stratagem.contract.game import CHANCE, JOINT, TOGETHER, UNASKED, ArrayGame, ArrayPosition, Game, Position
from stratagem.contract.player import Clock, Player
from stratagem.errors import OptionError, StratagemError
from stratagem.registry import check_harmless
from stratagem.registry import game as make_game
from stratagem.registry import player as make_player
from stratagem.rng import Rng, generator
from stratagem.store.stored import (
    ADJUDICATED,
    CRASH,
    ILLEGAL,
    OVER,
    TIME,
    TURN_LIMIT,
    Decision,
    Move,
    Played,
    Result,
    StoredGame,
)

OPENING_TRIES = 100

_seen: set[str] = set()  # players that have moved in this process: what they need is compiled


class Fault(Exception):
    """A seat has lost by its own doing."""

    def __init__(self, seat: int, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.seat, self.reason, self.detail = seat, reason, detail


class Journal:
    """Hears of everything as it happens, so that the game of a killed process can be reported; the default forgets."""

    def begin(self, number: int) -> None: ...

    def thinking(self, seat: int, limit: float) -> None: ...

    def resting(self) -> None: ...

    def moved(self, move: Move) -> None: ...


def play_game(config: Config, task: Task, journal: Journal | None = None) -> Played:
    """Play one game of a match to its end."""
    return _Table(config, task, journal or Journal()).play()


def forfeit(game: Game, seat: int) -> tuple[float, ...]:
    """The payoffs when a seat has lost by its own doing: the least for it; the others share the gain, or get the most."""
    low, high = game.payoff_range
    others = -low / (game.players - 1) if game.zero_sum else high
    return tuple(low if p == seat else others for p in range(game.players))


def level(game: Game) -> tuple[float, ...]:
    """The payoffs of a game stopped undecided: nobody is ahead."""
    even = 0.0 if game.zero_sum else sum(game.payoff_range) / 2
    return (even,) * game.players


def opening(config: Config, round: int) -> Position:
    """Where the games of a round begin."""
    game = config.rules
    base = game.parse(config.openings[round % len(config.openings)]) if config.openings else game.start()
    for attempt in range(OPENING_TRIES):
        rng = generator(config.seed, OPENING_STREAM + round * OPENING_TRIES + attempt)
        position, plies = base, 0
        while plies < config.opening_plies and not position.over:
            plies += position.turn != CHANCE
            position = position.play(random_move(position, rng))
        if not position.over:
            return position
    raise OptionError(f"{config.opening_plies} random moves end the game of {game.name} every time; ask for fewer")


def random_move(position: Position, rng: Rng) -> str:
    """A random move, joint move or chance outcome."""
    if position.turn != TOGETHER:
        return position.sample(rng)
    asked = position.asked
    return JOINT.join(position.sample(rng, p) if p in asked else UNASKED for p in range(position.game.players))


class _Table:
    """The state of one game while it is played."""

    def __init__(self, config: Config, task: Task, journal: Journal) -> None:
        self.config, self.task, self.journal = config, task, journal
        self.game = config.rules
        self.clock = Clock(config.time)
        self.limits = [config.limit(name) for name in task.seats]
        self.players: list[Player | None] = [None] * self.game.players
        self.chance = generator(config.seed, CHANCE_STREAM + task.round)
        self.moves: list[Move] = []
        self.decisions: list[tuple[int, Decision]] = []
        self.values: list[list[float]] = [[] for _ in task.seats]  # for the first seat, as each seat saw it

    def play(self) -> Played:
        began = time.time()
        self.journal.begin(self.task.number)
        position = opening(self.config, self.task.round)
        for text in position.history:
            self._note(Move(text))
        try:
            while (result := self._ended(position)) is None:
                position = self._step(position)
        except Fault as fault:
            result = Result(forfeit(self.game, fault.seat), fault.reason, fault.seat, fault.detail)
        return Played(
            self.task.number,
            self.config.game,
            self.game.chosen,
            self.task.seats,
            self.moves,
            result,
            self.decisions,
            position.origin,
            self.task.seed,
            at=began,
        )

    def _ended(self, position: Position) -> Result | None:
        if position.over:
            return Result(position.payoff)
        limit = self.config.turn_limit
        if limit is not None and len(self.moves) >= limit and position.turn != CHANCE:
            payoff = estimate(position) if self.config.at_limit == VALUE else level(self.game)
            return Result(payoff, TURN_LIMIT, detail=f"stopped after {len(self.moves)} plies")
        if self.config.adjudicate is not None:
            bound, count = self.config.adjudicate
            recent = [value for seen in self.values for value in seen[-count:]]
            if len(recent) == 2 * count:
                for sign, loser in ((1, 1), (-1, 0)):
                    if all(sign * value >= bound for value in recent):
                        return Result(
                            forfeit(self.game, loser), ADJUDICATED, detail=f"both saw {recent[-1]:+.3g} for the first"
                        )
        return None

    def _step(self, position: Position) -> Position:
        turn = position.turn
        if turn == CHANCE:
            after = position.play(position.sample(self.chance))
            self._note(Move(after.history[-1]))
            return after
        if turn == TOGETHER:
            return self._together(position)
        choice, seconds = self._ask(position, turn)
        after = self._try(position, turn, choice.move)
        self._note(Move(after.history[-1], turn, seconds, _evidence(choice)))
        if self.config.adjudicate is not None and choice.value is not None:
            self.values[turn].append(choice.value if turn == 0 else -choice.value)
        return after

    def _together(self, position: Position) -> Position:
        asked = position.asked
        texts, times = [UNASKED] * self.game.players, [0.0] * self.game.players
        for seat in asked:
            choice, times[seat] = self._ask(position, seat)
            texts[seat] = choice.move
        try:
            after = position.play(texts)
        except Exception as error:
            for seat in asked:  # who is at fault shows against legal moves of the others
                rng = generator(0)
                others = [position.sample(rng, p) if p in asked and p != seat else x for p, x in enumerate(texts)]
                self._try(position, seat, others)
            raise Fault(asked[0], ILLEGAL, f"no seat alone is at fault: {error}"[:500]) from error
        played = after.history[-1].split(JOINT)
        self.decisions += [(len(self.moves), Decision(seat, played[seat], times[seat])) for seat in asked]
        self._note(Move(after.history[-1], None, max(times)))
        return after

    def _ask(self, position: Position, seat: int) -> tuple[Any, float]:
        """A seat's choice and the seconds it took."""
        name, view = self.task.seats[seat], position.view(seat)
        allowed = self.limits[seat] + (0.0 if name in _seen else self.config.first_move)
        self.journal.thinking(seat, allowed)

        def compiles() -> None:  # later moves may need code that the first one did not, such as that of a kept tree
            nonlocal allowed
            allowed = self.limits[seat] + self.config.first_move
            self.journal.thinking(seat, allowed)

        began = time.perf_counter()
        try:
            found = self.players[seat]
            if found is None:
                found = make_player(self.game, unnumbered(name), seed=derived_seed(self.task.seed, seat))
                self.players[seat] = found
                began = time.perf_counter()
            with before_compiling(compiles):
                choice = found.choose(view, self.clock, seat=seat)
        except (Exception, SystemExit) as error:
            raise Fault(seat, CRASH, f"{type(error).__name__}: {error}"[:500]) from error
        finally:
            self.journal.resting()
        seconds = time.perf_counter() - began
        if seconds > allowed:
            raise Fault(seat, TIME, f"thought for {seconds:.2f} s, where {allowed:.2f} s are allowed")
        _seen.add(name)
        if not isinstance(getattr(choice, "move", None), str):
            raise Fault(seat, ILLEGAL, f"chose {choice!r}, which holds no text of a move"[:500])
        return choice, seconds

    def _try(self, position: Position, seat: int, move: str | list[str]) -> Position:
        try:
            return position.play(move)
        except Exception as error:
            raise Fault(seat, ILLEGAL, str(error)[:500]) from error

    def _note(self, move: Move) -> None:
        self.moves.append(move)
        self.journal.moved(move)


def estimate(position: Position) -> tuple[float, ...]:
    """The rules' own estimate of a position, for every seat."""
    game = position.game
    assert isinstance(game, ArrayGame) and isinstance(position, ArrayPosition)
    out = np.zeros(game.players, np.float64)
    game.run("value", game.g, position.state, out)
    return tuple(float(x) for x in out)


def _evidence(choice: Any) -> dict[str, Any] | None:
    """What is worth keeping of an engine's report."""
    found = {"value": choice.value, "depth": choice.depth, "nodes": choice.nodes}
    return {name: x for name, x in found.items() if x is not None} or None


@lru_cache(maxsize=16)
def _rules(name: str, options: str) -> Game:
    """The rules of a record; a match's games share them."""
    return make_game(name, **json.loads(options))


def replay(stored: StoredGame, *, trust: bool = False) -> Position:
    """The last position of a stored game; raises if the record is not a game that the rules allow, or ends differently.

    The rules are asked again for every move and for the result; of a forfeited or stopped game, that it was not over.
    A game that is a Python file not loaded yet is refused unless `trust` allows it.
    """
    where = f"game {stored.id}"
    check_harmless(stored.game, stored.options, trust=trust)
    game = _rules(stored.game, json.dumps(stored.options, sort_keys=True))
    position = game.replay(stored.texts, stored.origin)
    result = stored.result
    if result is None:
        if position.over:
            raise StratagemError(f"{where}: the moves end the game, but no result is recorded")
        return position
    if (result.reason == OVER) != position.over:
        raise StratagemError(
            f"{where}: recorded as {result.reason!r}, but the moves {'end' if position.over else 'do not end'} the game"
        )
    expected = position.payoff if position.over else forfeit(game, result.seat) if result.seat is not None else None
    if expected is not None and list(expected) != list(result.payoff):
        raise StratagemError(
            f"{where}: payoffs {list(result.payoff)} are recorded, but the rules give {list(expected)}"
        )
    return position
