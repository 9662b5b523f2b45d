"""A review: every decision of a record judged by an engine, on the view of the seat that decided.

The engine gives each decision a value. Its loss is how much more the best one is worth, in units of payoff. Where the engine
compares single moves, its lines have both values. A move that is in none of its lines (a plan of many parts, or a move that it
did not look at) is compared with the best one on equal terms. An engine that weighs given moves does so. Else, where two
players decide in turn about one sum, the positions that the two moves lead to are compared.

A seat is never judged by what it could not see: the engine is given the same view that the seat had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from stratagem.contract.game import CHANCE, JOINT, TOGETHER, UNASKED, Game, Position
from stratagem.contract.player import Choice, Clock, Player, PlayerText
from stratagem.drawing import INK, LINE, SEAT_COLOURS, label, picture, tag
from stratagem.registry import default_engine, player, players

SECONDS = 0.2  # a decision
BUDGETS = {"time", "depth", "simulations"}  # options by which an engine says itself when it ends
MOST_LINES = 64  # moves compared at a decision
WIDTH, HEIGHT, MARGIN = 720, 260, 44

Progress = Callable[[int, int], None]  # decisions judged, and all


@dataclass(frozen=True)
class JudgedDecision:
    """One decision of a record."""

    ply: int  # where in the record, from 0
    seat: int
    move: str
    value: float | None  # of the move played, for the seat; None where nobody knows
    best: str
    best_value: float | None

    @property
    def loss(self) -> float:
        """What the best decision is worth more; 0 where that is not known."""
        if self.value is None or self.best_value is None or self.move == self.best:
            return 0.0
        return max(self.best_value - self.value, 0.0)

    def json(self) -> dict[str, Any]:
        """Return the judgement as data."""
        return {**vars(self), "loss": self.loss}


@dataclass(frozen=True)
class Review:
    """All decisions of a game, judged."""

    game: Game
    engine: str
    decisions: tuple[JudgedDecision, ...]

    def accuracy(self, seat: int) -> float | None:
        """How much of what could be lost a seat kept, in per cent, over its decisions whose worth is known."""
        low, high = self.game.payoff_range
        shares = [
            1.0 - min(judged.loss / (high - low), 1.0)
            for judged in self.decisions
            if judged.seat == seat and judged.value is not None
        ]
        return 100.0 * sum(shares) / len(shares) if shares else None

    def worst(self, number: int = 3) -> list[JudgedDecision]:
        """The decisions that lost most, the worst first; only those that lost something."""
        found = sorted(self.decisions, key=lambda judged: -judged.loss)
        return [judged for judged in found[:number] if judged.loss > 0]

    def json(self) -> dict[str, Any]:
        """Return the review as data: accuracy by seat, and every decision."""
        seats = range(self.game.players)
        return {
            "game": self.game.address,
            "engine": self.engine,
            "accuracy": {self.game.seat_name(seat): self.accuracy(seat) for seat in seats},
            "decisions": [judged.json() for judged in self.decisions],
        }

    def svg(self) -> str:
        """The course of the game: what each decision was worth to its seat, a line a seat, the worst ones marked."""
        low, high = self.game.payoff_range
        last = max((judged.ply for judged in self.decisions), default=1) or 1

        def x(ply: int) -> float:
            return MARGIN + (WIDTH - 2 * MARGIN) * ply / last

        def y(value: float) -> float:
            return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (value - low) / (high - low)

        middle = (low + high) / 2
        drawn = [tag("line", x1=MARGIN, x2=WIDTH - MARGIN, y1=y(middle), y2=y(middle), stroke=LINE)]
        for seat in range(self.game.players):
            own = [(j.ply, j.value) for j in self.decisions if j.seat == seat and j.value is not None]
            colour = SEAT_COLOURS[seat % len(SEAT_COLOURS)]
            points = " ".join(f"{x(ply):.1f},{y(value):.1f}" for ply, value in own)
            drawn.append(tag("polyline", points=points, fill="none", stroke=colour, stroke_width=2))
            drawn.append(label(self.game.seat_name(seat), MARGIN + 40 + 130 * seat, HEIGHT - 12, fill=colour))
        for judged in self.worst():
            assert judged.value is not None
            drawn.append(
                tag("circle", cx=x(judged.ply), cy=y(judged.value), r=6, fill="none", stroke=INK, stroke_width=2)
            )
            drawn.append(label(str(judged.ply + 1), x(judged.ply), y(judged.value) - 12, fill=INK))
        words = "; ".join(
            f"decision {j.ply + 1}, {self.game.seat_name(j.seat)}: {j.move} lost {j.loss:.2f}" for j in self.worst()
        )
        return picture(WIDTH, HEIGHT, f"{self.game.title}: the course of the game", words or "nothing was lost", drawn)


def review(
    last: Position,
    *,
    engine: str | Player | None = None,
    seconds: float | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Review:
    """Judge all decisions of the game that led to a position.

    The engine is a player by name, or one made before. It has so many seconds a decision; if nothing is said, what its own text
    says (`alphabeta:depth=6`), or SECONDS."""
    game = last.game
    made = engine if isinstance(engine, Player) else None
    name = engine if isinstance(engine, str) else made.name if made else default_engine(game, players(game))
    own = BUDGETS & PlayerText.parse(name).options.keys()
    thinker = made or player(game, name, seed=seed)
    asked = LocalEngine(thinker, Clock(SECONDS if seconds is None and not own else seconds))
    found: list[JudgedDecision] = []
    for ply, judged in judging(positions_of(last), asked):
        found += judged
        if progress is not None:
            progress(ply + 1, len(last.history))
    return Review(game, name, tuple(found))


def positions_of(last: Position) -> list[Position]:
    """All positions of the game that led to one, the first and this one included."""
    positions = [last.game.start() if last.origin is None else last.game.parse(last.origin)]
    for text in last.history:
        positions.append(positions[-1].play(text))
    return positions


class Asking(Protocol):
    """Whoever passes questions on to an engine, which is given a seat's view and nothing else."""

    def choose(self, position: Position, seat: int) -> Choice:
        """What the engine would do in a seat's place."""

    def compare(self, position: Position, seat: int, moves: Sequence[str]) -> dict[str, float]:
        """What moves are worth to a seat, as `compared` says it."""


@dataclass(frozen=True)
class LocalEngine:
    """An engine of this process."""

    thinker: Player
    clock: Clock

    def choose(self, position: Position, seat: int) -> Choice:
        """Return what the engine would do in a seat's place."""
        return self.thinker.choose(position.view(seat), self.clock, seat=seat, lines=MOST_LINES)

    def compare(self, position: Position, seat: int, moves: Sequence[str]) -> dict[str, float]:
        """Return what moves are worth to a seat, as `compared` says it."""
        return compared(self.thinker, position.view(seat), seat, moves, self.clock)


def judging(
    positions: Sequence[Position], asking: Asking, since: int = 0
) -> Iterator[tuple[int, list[JudgedDecision]]]:
    """Ply by ply, from one on, what each seat that was asked decided."""
    for ply in range(since, len(positions) - 1):
        before, text = positions[ply], positions[ply + 1].history[-1]
        if before.turn == CHANCE:
            yield ply, []
        elif before.turn != TOGETHER:
            yield ply, [_decision(asking, ply, before, before.turn, text)]
        else:
            moves = text.split(JOINT)
            yield ply, [_decision(asking, ply, before, p, moves[p]) for p in before.asked if moves[p] != UNASKED]


def _decision(asking: Asking, ply: int, before: Position, seat: int, move: str) -> JudgedDecision:
    choice = asking.choose(before, seat)
    best, best_value = choice.move, choice.value
    if choice.strategy is not None:  # of a mixed strategy the move drawn need not be the best answer
        known = [line for line in choice.lines if line.value is not None and line.visits != 0]
        top = max(known, key=lambda line: (line.value or 0.0, line.visits or 0), default=None)
        if top is not None:
            best, best_value = top.moves[0], top.value
    value = best_value if move == best else choice.values.get(move)
    if value is None:
        found = asking.compare(before, seat, (move, best))
        value = found.get(move)
        best_value = found.get(best, best_value)
    return JudgedDecision(ply, seat, move, value, best, best_value)


def compared(thinker: Player, view: Position, seat: int, moves: Sequence[str], clock: Clock) -> dict[str, float]:
    """What moves are worth to a seat, on equal terms: as the engine weighs them, or by the positions that they lead to.
    Moves that neither tells about are left out."""
    found = thinker.weigh(view, moves, clock, seat=seat)
    if found or view.turn != seat:
        return found
    after = {move: _afterwards(thinker, view.play(move), seat, clock) for move in moves}
    return {move: worth for move, worth in after.items() if worth is not None}


def weighed(thinker: Player, view: Position, seat: int, moves: Sequence[str], clock: Clock) -> dict[str, float]:
    """The same, and where it says nothing of a move, by what the engine looks at when it decides there itself."""
    found = compared(thinker, view, seat, moves, clock)
    if all(move in found for move in moves):
        return found
    values = thinker.choose(view, clock, seat=seat, lines=MOST_LINES).values
    return {move: values[move] for move in moves if move in values} or found


def _afterwards(thinker: Player, after: Position, seat: int, clock: Clock) -> float | None:
    """What a position is worth to a seat, where two players decide in turn and one wins what the other loses."""
    game = after.game
    if after.over:
        return after.payoff[seat]
    if game.players != 2 or not game.zero_sum or after.turn < 0 or game.hidden:
        return None
    value = thinker.choose(after.view(after.turn), clock, seat=after.turn).value
    return value if value is None or after.turn == seat else -value
