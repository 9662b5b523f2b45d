"""A puzzle, the file of puzzles that comes with the package, and how an answer is judged."""

from __future__ import annotations

import datetime
import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import Game, Position
from stratagem.contract.growing import GrowingPlan
from stratagem.contract.player import Clock
from stratagem.errors import OptionError, ParseError, UnknownName
from stratagem.registry import check_harmless, game, player
from stratagem.review import Asking, weighed
from stratagem.store.record import check_types

SHIPPED = "data/puzzles.jsonl"
EPOCH = datetime.date(2026, 1, 1)  # the day of the first puzzle
GOLDEN = (math.sqrt(5) - 1) / 2  # steps of this share of the file keep games and kinds apart from day to day
CLAUSE = re.compile(r"[,;]| then ")  # what stands between the parts of a plan in words
AS_GOOD = 0.5  # of the margin: an answer that loses no more is as good as the best plan


@dataclass(frozen=True)
class PuzzleVerdict:
    """What an answer is worth."""

    right: bool
    move: str  # as the record of a game would have it
    value: float | None  # None: nobody can tell
    best_value: float
    apart: tuple[str, ...] = ()  # of a plan of many parts: those that the best plan does not have

    @property
    def loss(self) -> float | None:
        """How much less the answer is worth than the best plan; None where it was not compared."""
        return None if self.value is None else max(self.best_value - self.value, 0.0)

    def json(self) -> dict[str, Any]:
        """Return the verdict as data."""
        return {**vars(self), "apart": list(self.apart), "loss": self.loss}


@dataclass(frozen=True)
class Puzzle:
    """A position and whose plan is asked for. Values are for that seat, in units of payoff."""

    game: str
    options: dict[str, Any]
    position_text: str  # as the seat sees it: what is hidden from it is not in here
    seat: int
    task: str
    best: tuple[str, ...]  # the best plan, and those that come to the same
    value: float
    second: str  # the best plan that does not
    second_value: float
    margin: float  # how far the best plan is ahead of it at least, as its game declares it
    proved: bool  # whether values are proved; else they are an engine's, weighed twice
    judge: str  # the player that weighs answers which are not known
    decoy: str  # what a hasty player does, which is not the best
    values: dict[str, float] = field(default_factory=dict)  # of the plans that were compared; all there are, if proved
    number: int = 0  # in its file, from 1
    played: bool = False  # whether it is a mistake of a game, which the decoy is then
    goal: bool = False  # whether every plan that does the task is right, and values say no more than that

    @property
    def id(self) -> str:
        """A name that stays when files are made anew."""
        said = json.dumps([self.game, self.options, self.position_text, self.seat], sort_keys=True)
        return hashlib.sha256(said.encode()).hexdigest()[:10]

    @property
    def title(self) -> str:
        """The title of the game."""
        return self.rules().title

    @property
    def question(self) -> str:
        """What is asked for, in a sentence."""
        return f"You are {self.rules().seat_name(self.seat)}: {self.task}."

    def rules(self) -> Game:
        """Return the game, with the options of the puzzle."""
        return _game(self.game, json.dumps(self.options, sort_keys=True))

    def position(self) -> Position:
        """Return the position as the seat sees it that is asked."""
        found: Position = self.rules().parse(self.position_text)
        return found.view(self.seat)

    # -- answers

    def read(self, text: str) -> str:
        """An answer as the record would have it; IllegalMove if it is none."""
        plan = GrowingPlan.of(self.position(), self.seat, text)
        return ";".join(plan.settled())

    def known(self, move: str) -> PuzzleVerdict | None:
        """The verdict on an answer that was compared when the puzzle was made; None: an engine has to be asked."""
        if move in self.best:
            return PuzzleVerdict(True, move, self.values.get(move, self.value), self.value)
        if move in self.values or self.proved:
            value = self.values.get(move, self.second_value)
            return PuzzleVerdict(False, move, value, self.value, self._apart(move))
        return None

    def judged(self, move: str, worth: Mapping[str, float]) -> PuzzleVerdict:
        """The verdict on an answer by what an engine says it and the best plan are worth."""
        value, best = worth.get(move), worth.get(self.best[0], self.value)
        right = value is not None and best - value <= AS_GOOD * self.margin
        return PuzzleVerdict(right, move, value, best, () if right else self._apart(move))

    def _apart(self, move: str) -> tuple[str, ...]:
        position, game = self.position(), self.rules()
        return tuple(Wording.of(game).differences(position, [move, self.best[0]])[0]) if game.plan.by_parts else ()

    def check(self, text: str, *, seconds: float | None = None, asking: Asking | None = None) -> PuzzleVerdict:
        """Whether a text is the best plan, or as good; where that is not known, an engine compares the two."""
        move = self.read(text)
        found = self.known(move)
        if found is not None:
            return found
        plans, view = (move, self.best[0]), self.position()
        if asking is not None:
            return self.judged(move, asking.compare(view, self.seat, plans))
        thinker = player(self.rules(), self.judge, seed=1)
        return self.judged(move, weighed(thinker, view, self.seat, plans, Clock(seconds)))

    def hints(self) -> list[str]:
        """What helps, a little more each time: what not to do, then where the plan begins."""
        clauses = [clause.strip() for clause in CLAUSE.split(self.said(self.best[0])) if clause.strip()]
        if self.goal:  # of so many plans that do not do it, one says little
            clauses = [clause for clause in clauses if not clause.startswith("who ")]  # what becomes of a piece
            return [f"{len(clauses)} steps are enough", f"it begins so: {clauses[0]}", f"it ends so: {clauses[-1]}"]
        known = "what was played" if self.played else "this, though it looks natural"
        found = [f"not {known}: {self.said(self.decoy)}"]
        if len(clauses) > 1:
            found.append(f"it begins so: {clauses[0]}")
        return found

    def said(self, move: str) -> str:
        """A plan in words."""
        return Wording.of(self.rules()).describe(self.position(), move, self.seat, self.seat)

    # -- files

    def json(self) -> dict[str, Any]:
        """Return the puzzle as data, a line of a file of puzzles."""
        unset = [name for name in ("played", "goal") if not getattr(self, name)]
        left_out = ("number", "position_text", *unset)
        held = {name: value for name, value in vars(self).items() if name not in left_out}
        values = {move: round(value, 4) for move, value in self.values.items()}
        return {**held, "position": self.position_text, "best": list(self.best), "values": values}

    @classmethod
    def of_json(cls, data: Mapping[str, Any], number: int = 0) -> Puzzle:
        """Return the puzzle that `json` gave as data.

        Args:
            data: the puzzle as `json` returns it.
            number: its number in the file, from 1.

        Raises:
            TypeError: a field is of a wrong type.
            ValueError: there is no best plan.
        """
        rest = {name: value for name, value in data.items() if name not in ("position", "best")}
        found = cls(**rest, position_text=data["position"], best=tuple(data["best"]), number=number)
        check_types(found)
        if not found.best:
            raise ValueError("it has no best plan")
        return found


@cache
def _game(name: str, options: str) -> Game:
    chosen = {key: tuple(x) if isinstance(x, list) else x for key, x in json.loads(options).items()}
    return game(name, **chosen)


def load(file: Path, *, trust: bool = False) -> list[Puzzle]:
    """The puzzles of a file, numbered from 1 in its order.

    Raises:
        Untrusted: if one names a Python file or a program, unless `trust` allows it.
        ParseError: a line is not a puzzle.
    """
    found = read_lines(file.read_text(encoding="utf-8"), str(file))
    for puzzle in found:
        check_harmless(puzzle.game, puzzle.options, [puzzle.judge], trust=trust)
        if not 0 <= puzzle.seat < puzzle.rules().players:
            raise ParseError(
                f"puzzle {puzzle.number} of {file} asks seat {puzzle.seat}, which {puzzle.game} does not have"
            )
    return found


def read_lines(text: str, source: str) -> list[Puzzle]:
    """Return the puzzles of a file's text.

    Args:
        text: one JSON object a line.
        source: the name of the file, for messages.

    Raises:
        ParseError: a line is not a puzzle.
    """
    found: list[Puzzle] = []
    for number, line in enumerate(filter(str.strip, text.splitlines()), 1):
        try:
            found.append(Puzzle.of_json(json.loads(line), number))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ParseError(
                f"line {number} of {source} is no puzzle; stratagem puzzles make writes such files"
            ) from None
    return found


@cache
def shipped() -> tuple[Puzzle, ...]:
    """The puzzles that come with the package."""
    return tuple(read_lines(files("stratagem.puzzles").joinpath(SHIPPED).read_text(encoding="utf-8"), SHIPPED))


def numbered(number: int, among: Sequence[Puzzle] | None = None) -> Puzzle:
    """Return the puzzle with a number.

    Args:
        number: the number, from 1.
        among: the puzzles; those of the package if not given.

    Raises:
        OptionError: there is no such puzzle.
    """
    known = shipped() if among is None else among
    if not 1 <= number <= len(known):
        raise OptionError(f"there is no puzzle {number}; they are numbered from 1 to {len(known)}")
    return known[number - 1]


def of_game(name: str, among: Sequence[Puzzle] | None = None) -> list[Puzzle]:
    """The puzzles of one game."""
    known = shipped() if among is None else among
    found = [puzzle for puzzle in known if puzzle.game == name]
    if not found:
        raise UnknownName("game with puzzles", name, sorted({puzzle.game for puzzle in known}))
    return found


def today(day: datetime.date | None = None, among: Sequence[Puzzle] | None = None) -> Puzzle:
    """The puzzle of a day: all of a file in turn, and seldom the same game twice running."""
    known = shipped() if among is None else among
    if not known:
        raise OptionError("the file has no puzzles")
    step = next(
        k for k in range(max(round(GOLDEN * len(known)), 1), 2 * len(known) + 1) if math.gcd(k, len(known)) == 1
    )
    days = ((day or datetime.date.today()) - EPOCH).days
    return known[days * step % len(known)]
