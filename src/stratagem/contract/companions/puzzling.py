"""What a game declares so that puzzles can be made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from stratagem.contract.companions.companion import Companion

SOLVE = "solve"


@dataclass(frozen=True)
class Puzzling:
    """Where puzzles of a game are looked for, and who says what the best plan is. Players are texts, such as `mcts:time=1`."""

    task: str  # what is asked for, in a few words behind the name of the seat
    player: str  # who plays the games that positions are taken from, in every seat
    judge: str  # who finds the best plan; SOLVE: the game's solver, asked about every move
    decoy: str  # whose choice must be another one: what is obvious makes no puzzle
    margin: float  # in payoffs: how far the best plan must be ahead of every other one
    referee: str = ""  # who judges what is not proved again, with other random draws; the judge itself if left out
    options: Mapping[str, Any] = field(default_factory=dict)  # of the game
    stray: float = 0.2  # the chance that any move is played instead, so that games differ
    plies: tuple[int, int] = (2, 200)  # from which ply on positions are looked at, and up to which
    alike: int = 1  # plans that come to the same as the best one, as far as the judge can tell, and still make a puzzle
    share: int = 1  # of all puzzles of a file, beside those of other declarations
    goal: bool = False  # every plan that does the task is right: the judge's values say exactly which do


class Puzzles(Companion):
    """A game of which puzzles are made."""

    puzzles: ClassVar[tuple[Puzzling, ...]] = ()
