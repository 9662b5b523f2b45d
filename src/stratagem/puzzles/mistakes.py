"""One's own mistakes as puzzles: decisions of a game that a review found to have lost something, asked again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from stratagem.contract.game import Position
from stratagem.errors import StratagemError
from stratagem.puzzles.puzzle import Puzzle
from stratagem.review import JudgedDecision

LOST = 0.05  # of the range of payoffs: a decision that lost less was no mistake
MOST = 20  # of one game, the worst ones


def of_mistakes(
    positions: Sequence[Position], decisions: Iterable[JudgedDecision], engine: str, seats: Iterable[int] | None = None
) -> list[Puzzle]:
    """The mistakes of a game that was reviewed, the worst first, numbered from 1; of some seats alone if they are named.

    `positions` are all of the game (`review.positions_of`); `engine` is who judged, and judges answers."""
    chosen = set(range(positions[0].game.players) if seats is None else seats)
    lost = sorted((one for one in decisions if one.seat in chosen), key=lambda one: -one.loss)
    made = (of_mistake(positions[one.ply], one, engine) for one in lost)
    found = [puzzle for puzzle in made if puzzle is not None][:MOST]
    return [replace(puzzle, number=k) for k, puzzle in enumerate(found, 1)]


def of_mistake(before: Position, judged: JudgedDecision, engine: str) -> Puzzle | None:
    """The puzzle of one decision, if it was a mistake. An answer that loses no more than half of what makes one is right."""
    game, seat = before.game, judged.seat
    low, high = game.payoff_range
    margin = LOST * (high - low)
    if judged.loss < margin:
        return None
    text = str(before.view(seat))
    try:
        if seat not in game.parse(text).view(seat).asked:
            return None
    except StratagemError:  # a game whose views cannot be read back has none
        return None
    assert judged.value is not None and judged.best_value is not None
    options = {name: list(x) if isinstance(x, tuple) else x for name, x in game.chosen.items()}
    return Puzzle(
        game.address, options, text, seat, f"find a better {game.plan.name}", (judged.best,), judged.best_value, judged.move,
        judged.value, margin, False, engine, judged.move, {judged.best: judged.best_value, judged.move: judged.value},
        played=True,
    )  # fmt: skip
