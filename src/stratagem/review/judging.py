"""A review: every decision of a record judged by an engine, on the view of the seat that decided.

A decision is worth what the engine says of it, and its loss is what the best one is worth more, in units of payoff. Where the
engine compares single moves, its lines tell both. Where a move is none of its lines (a plan of many parts, or a move that it
did not look at) and two players decide in turn about one sum, the position that the move led to is analysed in place of it.
A seat is never judged by what it could not see: the engine is given the same view that the seat had.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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
class Judged:
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
        return {**vars(self), "loss": self.loss}


@dataclass(frozen=True)
class Review:
    """All decisions of a game, judged."""

    game: Game
    engine: str
    decisions: tuple[Judged, ...]

    def accuracy(self, seat: int) -> float | None:
        """How much of what could be lost a seat kept, in per cent, over its decisions whose worth is known."""
        low, high = self.game.payoff_range
        shares = [
            1.0 - min(judged.loss / (high - low), 1.0)
            for judged in self.decisions
            if judged.seat == seat and judged.value is not None
        ]
        return 100.0 * sum(shares) / len(shares) if shares else None

    def worst(self, number: int = 3) -> list[Judged]:
        """The decisions that lost most, the worst first; only those that lost something."""
        found = sorted(self.decisions, key=lambda judged: -judged.loss)
        return [judged for judged in found[:number] if judged.loss > 0]

    def json(self) -> dict[str, Any]:
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
    engine: str | None = None,
    seconds: float | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Review:
    """Judge all decisions of the game that led to a position.

    An engine has so many seconds a decision; if nothing is said, what its own text says (`alphabeta:depth=6`), or SECONDS."""
    game = last.game
    name = engine or default_engine(game, players(game))
    own = BUDGETS & PlayerText.parse(name).options.keys()
    judge = _Judge(game, player(game, name, seed=seed), SECONDS if seconds is None and not own else seconds)
    positions = [game.start() if last.origin is None else game.parse(last.origin)]
    for text in last.history:
        positions.append(positions[-1].play(text))
    found: list[Judged] = []
    for ply, text in enumerate(last.history):
        before = positions[ply]
        if before.turn != CHANCE:
            found += judge.moment(ply, before, text, positions[ply + 1])
        if progress is not None:
            progress(ply + 1, len(last.history))
    return Review(game, name, tuple(found))


class _Judge:
    def __init__(self, game: Game, thinker: Player, seconds: float | None) -> None:
        self.game, self.thinker, self.clock = game, thinker, Clock(seconds)

    def moment(self, ply: int, before: Position, text: str, after: Position) -> list[Judged]:
        """What each seat that was asked decided."""
        if before.turn != TOGETHER:
            return [self.decision(ply, before, before.turn, text, after)]
        moves = text.split(JOINT)
        return [self.decision(ply, before, p, moves[p], None) for p in before.asked if moves[p] != UNASKED]

    def decision(self, ply: int, before: Position, seat: int, move: str, after: Position | None) -> Judged:
        choice = self.asked(before, seat)
        best, best_value = choice.move, choice.value
        if choice.lines:  # of a mixed strategy the move drawn need not be the best answer
            known = [line for line in choice.lines if line.value is not None and line.visits != 0]
            top = max(known, key=lambda line: (line.value or 0.0, line.visits or 0), default=None)
            if choice.strategy is not None and top is not None:
                best, best_value = top.moves[0], top.value
        value = choice.values.get(move)
        if move == best:
            value = best_value
        elif value is None and after is not None:
            value = self.afterwards(after, seat)
        return Judged(ply, seat, move, value, best, best_value)

    def asked(self, position: Position, seat: int) -> Choice:
        return self.thinker.choose(position.view(seat), self.clock, seat=seat, lines=MOST_LINES)

    def afterwards(self, after: Position, seat: int) -> float | None:
        """What a position is worth to a seat, where two players decide in turn and one wins what the other loses."""
        if after.over:
            return after.payoff[seat]
        if self.game.players != 2 or not self.game.zero_sum or after.turn < 0 or self.game.hidden:
            return None
        value = self.asked(after, after.turn).value
        return value if value is None or after.turn == seat else -value
