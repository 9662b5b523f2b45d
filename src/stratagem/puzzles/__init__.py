"""Puzzles: a position and "find the plan", with a best plan clearly ahead of every other one, checked by an engine.

puzzle = stratagem.puzzles.today()
print(puzzle.position().text_art(), puzzle.question)
print(puzzle.check("b2"))
"""

from stratagem.puzzles.mistakes import of_mistake, of_mistakes
from stratagem.puzzles.puzzle import Puzzle, PuzzleVerdict, load, numbered, of_game, shipped, today

__all__ = ["Puzzle", "PuzzleVerdict", "load", "numbered", "of_game", "of_mistake", "of_mistakes", "shipped", "today"]
