"""Making puzzles: positions of self-play in which one plan is clearly ahead of every other.

A position becomes a puzzle where
- the judge finds a plan ahead of every other one by the margin that the game declares. Where all values are proved (by a solver,
  or by a player that knows them exactly) every legal move has one, and there is a single best. Else the judge's best plans and
  the decoy's are weighed a second time by a referee with other random draws, and it is those values that count; what is found so
  must hold when it is judged anew twice more;
- of plans that cannot be listed several may come to the same: those within a quarter of the margin of the best are one plan,
  and nothing lies between them and the margin;
- the decoy, a hasty player, does something else.
Where a task is a goal, such as to win at once, every plan that reaches it is right, and the judge knows exactly which do.
Everything is drawn from a seed. A file grows line by line, and beside it stands how far the self-play has come, so that a run
that was interrupted goes on where it was."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from stratagem.contract.companions.puzzling import SOLVE, Puzzles, Puzzling
from stratagem.contract.game import CHANCE, TOGETHER, Game, Position
from stratagem.contract.player import Choice, Clock, Line, Player, Request
from stratagem.errors import GameOver, OptionError, StratagemError, Unlistable
from stratagem.puzzles.puzzle import Puzzle, load
from stratagem.questions import solver
from stratagem.registry import game, game_names, player
from stratagem.review import compared
from stratagem.rng import generator

COMPARED = (*range(12), 21, 34, 55, 89)  # plans that a referee weighs besides the decoy's, by their rank with the judge
MOST_LINES = 100
KEPT = 4  # plans of many parts that come to the same, and as many lesser ones, in a file
EACH_GAME = 3  # puzzles of one game of self-play, so that they are not all alike
AGAIN = 2  # times that what is not proved is judged anew, each with random draws of its own, before it is taken
SAME = 0.25  # of the margin: plans that differ by less come to the same
BARREN = 60  # games of self-play without a single puzzle, after which a declaration is given up

Progress = Callable[[str, int, int, int], None]  # the game, puzzles found, wanted, games of self-play played


class Solved(Player):
    """A game's solver as a player that knows what every move is worth."""

    def __init__(self, rules: Game) -> None:
        self.name, self.solver = SOLVE, solver(rules)

    def answer(self, request: Request) -> Choice:
        view, mover = request.view, request.seat
        worth = {}
        for move in view.moves():
            after = view.play(move)
            if after.over:
                worth[move] = after.payoff[mover]
            else:
                found = self.solver.solve(after)
                worth[move] = float(found.value) if found.seat == mover else 0.0 - found.value
        best = max(worth, key=lambda move: worth[move])
        lines = tuple(Line((move,), value, 0.0) for move, value in sorted(worth.items(), key=lambda item: -item[1]))
        return Choice(best, worth[best], lines, engine=self.name)


def declared(names: Sequence[str] = ()) -> list[tuple[str, int, Puzzling]]:
    """Every declaration of the games named (all, if none is): the game, which of its declarations, and itself."""
    known = {name: Puzzles.of(game(name)).puzzles for name in (names or game_names())}
    for name in names:
        if not known[name]:
            having = [other for other in game_names() if Puzzles.of(game(other)).puzzles]
            raise OptionError(f"{name} declares no puzzles; those that do are {', '.join(having)}")
    return [(name, k, puzzling) for name, found in known.items() for k, puzzling in enumerate(found)]


@dataclass
class Quarry:
    """One declaration at work: its game and players, made once."""

    name: str
    which: int
    puzzling: Puzzling
    seed: int
    rules: Game = field(init=False)

    def __post_init__(self) -> None:
        self.rules = game(self.name, **self.puzzling.options)
        judge, referee = self.puzzling.judge, self.puzzling.referee or self.puzzling.judge
        self.judge = Solved(self.rules) if judge == SOLVE else self._player(judge, 1)
        self.referee = self.judge if judge == SOLVE else self._player(referee, 2)
        self.decoy = self._player(self.puzzling.decoy, 3)

    def _player(self, text: str, number: int) -> Player:
        return player(self.rules, text, seed=self.seed * 10 + number)

    @property
    def key(self) -> str:
        return f"{self.name} {self.which}"

    def positions(self, number: int) -> Iterator[Position]:
        """The positions of one game of self-play that may be looked at."""
        draws = random.Random(f"{self.seed} {self.key} {number}")
        rng = generator(self.seed, draws.randrange(1 << 30))
        players = [
            player(self.rules, self.puzzling.player, seed=draws.randrange(1 << 20)) for _ in range(self.rules.players)
        ]
        position, (first, last) = self.rules.start(), self.puzzling.plies
        while not position.over and len(position.history) <= last:
            if len(position.history) >= first and position.turn != CHANCE:
                yield position
            with np.errstate(over="ignore"):
                position = position.play(self._decided(position, players, draws, rng))

    def _decided(self, position: Position, players: list[Player], draws: random.Random, rng: Any) -> str | list[str]:
        if position.turn == CHANCE:
            return position.sample(rng)
        moves = {}
        for seat in position.asked:
            strays = draws.random() < self.puzzling.stray
            moves[seat] = (
                position.sample(rng, seat) if strays else _asked(players[seat], position.view(seat), seat).move
            )
        if position.turn != TOGETHER:
            return moves[position.turn]
        return [moves.get(seat, "-") for seat in range(self.rules.players)]

    def examine(self, position: Position, seat: int) -> Puzzle | None:
        """The puzzle of a position, if it makes one. It is judged as it will be read back: as the seat sees it."""
        text = str(position.view(seat))
        view = self.rules.parse(text).view(seat)
        if seat not in view.asked:
            return None
        choice = _asked(self.judge, view, seat, MOST_LINES)
        if len(choice.lines) < 2:
            return None
        hasty = _asked(self.decoy, view, seat).move
        proved = is_proved(choice, view, seat)
        if proved:
            values = choice.values
        else:
            if choice.strategy is not None or not _hopeful(choice, self.puzzling):
                return None
            ranked = [choice.lines[k].moves[0] for k in COMPARED if k < len(choice.lines)]
            plans = tuple(dict.fromkeys((choice.move, *ranked, hasty)))
            values = compared(self.referee, view, seat, plans, Clock())
        found = self._puzzle(text, seat, values, hasty, proved)
        seeds = () if proved else range(10 * self.seed + 4, 10 * self.seed + 4 + AGAIN)
        return found if found is not None and all(verify(found, seed=seed) is None for seed in seeds) else None

    def _puzzle(self, text: str, seat: int, values: dict[str, float], hasty: str, proved: bool) -> Puzzle | None:
        own = self.puzzling
        ranked = sorted(values, key=lambda move: -values[move])
        best = [move for move in ranked if values[ranked[0]] - values[move] <= SAME * own.margin]
        rest = ranked[len(best) :]
        if not rest or len(best) > (1 if proved else own.alike) or hasty in best or hasty not in values:
            return None
        ahead = values[best[0]] - values[rest[0]]
        if ahead < own.margin:
            return None
        if not proved:  # a file stays small: an answer that is none of these is weighed when it is given
            best, values = best[:KEPT], {move: values[move] for move in (*best[:KEPT], *rest[:KEPT], hasty)}
        options = {name: list(x) if isinstance(x, tuple) else x for name, x in own.options.items()}
        return Puzzle(
            self.name, options, text, seat, own.task, tuple(best), round(values[best[0]], 4), rest[0],
            round(values[rest[0]], 4), own.margin, proved, own.referee or own.judge, hasty, values,
            goal=own.goal,
        )  # fmt: skip


def _asked(thinker: Player, view: Position, seat: int, lines: int = 1) -> Choice:
    choice = thinker.choose(view, Clock(), seat=seat, lines=lines)
    if not choice.finished:  # searches end early when somebody interrupts, and so does all of this
        raise KeyboardInterrupt
    return choice


def is_proved(choice: Choice, view: Position, seat: int) -> bool:
    """Whether every legal move has a value that is proved."""
    if not all(line.error == 0.0 or line.moves_to_end is not None for line in choice.lines):
        return False
    try:
        return set(choice.values) == set(view.moves(seat))
    except Unlistable:
        return False


def _hopeful(choice: Choice, own: Puzzling) -> bool:
    """Whether the judge's own values leave room for a best plan that is ahead, so that weighing them again is worth while."""
    known = sorted((line.value for line in choice.lines if line.value is not None), reverse=True)
    return len(known) > own.alike and known[0] - known[own.alike] >= own.margin / 2


def make(
    file: Path, *, names: Sequence[str] = (), count: int = 240, seed: int = 0, progress: Progress | None = None
) -> list[Puzzle]:
    """Puzzles of the games named, so many in all, written to a file that may be there already, from a run that was
    interrupted or for more of them."""
    if count < 1:
        raise OptionError(f"{count} puzzles are none; give 1 or more")
    found = load(file) if file.exists() else []
    wanted = declared(names)
    if not wanted:
        raise OptionError("no game declares puzzles")
    shares = sum(puzzling.share for *_, puzzling in wanted)
    notes = _Notes(file, seed)
    for name, which, puzzling in wanted:
        quota = -(-count * puzzling.share // shares)
        own = [one for one in found if one.game == name and one.task == puzzling.task]
        if len(own) < quota:
            quarry = Quarry(name, which, puzzling, seed)
            for puzzle in _dig(quarry, own, quota, notes, progress):
                notes.add(puzzle)
                found.append(puzzle)
    return found


class _Notes:
    """The file of puzzles, and beside it how many games of self-play each declaration has used up."""

    def __init__(self, file: Path, seed: int) -> None:
        self.file, self.seed = file, seed
        self.beside = file.with_name(file.name + ".progress")
        self.played: dict[str, int] = {}
        if self.beside.exists():
            reported = json.loads(self.beside.read_text())
            self.played = reported["played"] if reported.get("seed") == seed else {}

    def add(self, puzzle: Puzzle) -> None:
        with self.file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(puzzle.json(), ensure_ascii=False) + "\n")

    def played_one(self, key: str) -> None:
        self.played[key] = self.played.get(key, 0) + 1
        self.beside.write_text(json.dumps({"seed": self.seed, "played": self.played}))


def _dig(
    quarry: Quarry, own: Iterable[Puzzle], quota: int, notes: _Notes, progress: Progress | None
) -> Iterator[Puzzle]:
    """Puzzles of one declaration, as they are found."""
    known, barren = {one.position_text for one in own}, 0
    while len(known) < quota and barren < BARREN:
        number, before = notes.played.get(quarry.key, 0), len(known)
        for puzzle in _of_one_game(quarry, number):
            if puzzle.position_text not in known and len(known) < quota:
                known.add(puzzle.position_text)
                yield puzzle
        notes.played_one(quarry.key)
        barren = 0 if len(known) > before else barren + 1
        if progress is not None:
            progress(quarry.name, len(known), quota, number + 1)


def _of_one_game(quarry: Quarry, number: int) -> Iterator[Puzzle]:
    draws, found = random.Random(f"{quarry.seed} {quarry.key} {number} seats"), 0
    for position in quarry.positions(number):
        try:
            puzzle = quarry.examine(position, draws.choice(position.asked))
        except (GameOver, StratagemError):  # a judge that cannot take a position leaves it
            continue
        if puzzle is not None:
            yield puzzle
            found += 1
            if found >= EACH_GAME:
                return


def verify(puzzle: Puzzle, *, seed: int = 7) -> str | None:
    """What is wrong with a puzzle, judged anew with other random draws; None: nothing."""
    position = puzzle.position()
    if puzzle.seat not in position.asked:
        return "the seat has nothing to decide"
    judge = Solved(puzzle.rules()) if puzzle.judge == SOLVE else player(puzzle.rules(), puzzle.judge, seed=seed)
    if puzzle.proved:
        choice = judge.choose(position, Clock(), seat=puzzle.seat, lines=MOST_LINES)
        if not is_proved(choice, position, puzzle.seat):
            return "its values are not proved"
        values = choice.values
    else:
        values = compared(judge, position, puzzle.seat, tuple(puzzle.values), Clock())
    rest = max(values[move] for move in values if move not in puzzle.best)
    ahead = values[puzzle.best[0]] - rest
    least = puzzle.margin if puzzle.proved else puzzle.margin / 2
    return None if ahead >= least else f"the best plan is ahead by {ahead:.3f} only, and should be by {least:.3f}"
