"""The public test bed of Skirmish as an outside opponent, driven over pipes: positions and actions translated both ways.

The program is under the GNU General Public License and no part of this project, and so is the small driver that is compiled
with it (`benchmarks/peers/SkirmishDriver.java`). Both are found through the variable HERO_AICADEMY: a Java class path, one
folder or several, with their classes.

What its players see is what their own program shows them: the other hand's cards are put among those of the other deck. Its draws
come from a seed inside each deck, so that its searches foresee their own; here they see draws of a seed that is not the game's.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

from stratagem.contract.game import ArrayPosition
from stratagem.contract.player import Choice, Clock, Player, Request
from stratagem.errors import OptionError, StratagemError
from stratagem.games.skirmish import kernels as k
from stratagem.games.skirmish.game import Skirmish
from stratagem.protocols.children import LastWords
from stratagem.protocols.closing import Closing
from stratagem.search.following import RemainingTurn

VARIABLE = "HERO_AICADEMY"
NEEDED = ("game/GameState.class", "SkirmishDriver.class")
BUILD = "javac -d CLASSES -sourcepath CHECKOUT/src benchmarks/peers/SkirmishDriver.java"
PLAYERS = ("oe", "mcts", "bb-mcts", "ne-mcts", "greedy-turn", "greedy-action", "random")
SECONDS = 1.0  # of a turn, where no clock says it
WARMING = 2.0  # seconds that it thinks before its first turn: its compiler works while it runs, ours before
CLOCKS = ("wall", "processor")
BY_THE_WALL = ("bb-mcts", "greedy-turn")  # players that look at no other clock
CROWD = 100  # seconds that one of processor time may take on a busy machine
GRACE = 20.0  # seconds that an answer may be late


class PublicFault(StratagemError):
    """The public program is missing, died, hung or answered what is no answer."""


def class_path() -> str | None:
    """Where the variable says that the program and our driver are, if it says anything; an error if they are not there."""
    named = os.environ.get(VARIABLE)
    if not named:
        return None
    for needed in NEEDED:
        if not any((Path(folder) / needed).is_file() for folder in named.split(os.pathsep)):
            raise PublicFault(
                f"{VARIABLE} is {named!r}, where there is no {needed}; {BUILD} makes it (docs/games/skirmish.md)"
            )
    if shutil.which("java") is None:
        raise PublicFault("the public program needs Java 8 or later, and no program java is found")
    return named


class Translation:
    """Positions and actions of a game in the words of our driver, and back."""

    def __init__(self, game: Skirmish) -> None:
        self.game = game

    def state_words(self, position: ArrayPosition) -> str:
        s, columns = position.state, self.game.board.columns
        cards = [
            ",".join(str(int(n)) for n in s[at + p * k.CARDS : at + (p + 1) * k.CARDS])
            for at in (k.HAND, k.DECK)
            for p in range(2)
        ]
        pieces = [
            f"{q % columns},{q // columns},{k.kind_of(x)},{k.side_of(x)},{k.health_of(x)},{k.kit_of(x)}"
            for q, x in enumerate(int(x) for x in s[k.BOARD : self.game.size])
            if x
        ]
        return " ".join([str(int(s[k.SEAT])), str(int(s[k.TURN])), str(int(s[k.LEFT])), *cards, *pieces])

    def parsed(self, answer: str) -> dict[str, Any]:
        """Their state in our terms: pieces as words by square, cards as counts."""
        words = answer.split()
        pieces = {}
        for word in words[9:]:
            x, y, kind, side, health, kit = (int(n) for n in word.split(","))
            pieces[y * self.game.board.columns + x] = int(k.piece(kind, side, kit, health))
        counts = [[int(n) for n in word.split(",")] for word in words[5:9]]
        seat, turn, left, over, winner = (int(word) for word in words[:5])
        return {
            "seat": seat,
            "turn": turn,
            "left": left,
            "over": bool(over),
            "winner": winner,
            "hands": counts[:2],
            "decks": counts[2:],
            "pieces": pieces,
        }

    def ours(self, position: ArrayPosition) -> dict[str, Any]:
        """The same of a position of ours."""
        s = position.state

        def counts(at: int) -> list[list[int]]:
            return [[int(n) for n in s[at + p * k.CARDS : at + (p + 1) * k.CARDS]] for p in range(2)]

        return {
            "seat": int(s[k.SEAT]),
            "turn": int(s[k.TURN]),
            "left": int(s[k.LEFT]),
            "over": position.over,
            "winner": int(s[k.WINNER]),
            "hands": counts(k.HAND),
            "decks": counts(k.DECK),
            "pieces": {q: int(x) for q, x in enumerate(s[k.BOARD : self.game.size]) if x},
        }

    def action_words(self, m: int) -> str:
        squares, columns = self.game.board.squares, self.game.board.columns
        a, b = divmod(m, squares)
        there = f"{b % columns} {b // columns}"
        if m == self.game.end:
            return "e"
        if a == squares + k.CARDS:
            return f"s {b}"
        if a >= squares:
            return f"c {a - squares} {there}"
        return f"u {a % columns} {a // columns} {there}"

    def number(self, words: str) -> int:
        """Our move of an action of theirs."""
        squares, columns = self.game.board.squares, self.game.board.columns
        letter, *rest = words.split()
        n = [int(word) for word in rest]
        if letter == "e":
            return self.game.end
        if letter == "s":
            return (squares + k.CARDS) * squares + n[0]
        if letter == "c":
            return (squares + n[0]) * squares + n[2] * columns + n[1]
        return (n[1] * columns + n[0]) * squares + n[3] * columns + n[2]


class Program(Translation, Closing):
    """One process of the public program at one game of ours."""

    def __init__(self, game: Skirmish) -> None:
        path = class_path()
        if path is None:
            raise PublicFault(
                f"say by the variable {VARIABLE} where the public program's classes are; {BUILD} makes them"
            )
        super().__init__(game)
        self._process = subprocess.Popen(
            ["java", "-XX:+UseSerialGC", "-cp", path, "SkirmishDriver"],  # one thread, but for its compiler's
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._errors = LastWords(self._process.stderr)
        board = game.board
        rows = "/".join(board.signs[i : i + board.columns] for i in range(0, board.squares, board.columns))
        self.ask(f"map {rows} {game.points} {game.first_points} {game['turn_cap']}")

    def ask(self, line: str, seconds: float = 0.0) -> str:
        """The answer to a line, which may take so many seconds, and some more."""
        assert self._process.stdin is not None and self._process.stdout is not None
        late = threading.Timer(seconds + GRACE, self._process.kill)
        late.start()
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except OSError:
            answer = ""
        finally:
            late.cancel()
        if not answer:
            raise PublicFault(
                f"the public program died, or gave no answer in time to {line[:60]!r}{self._last_words()}"
            )
        return answer.strip()

    def _last_words(self) -> str:
        said = self._errors.lines()
        parsed = next((line for line in said if "Error" in line or "Exception" in line), said[-1] if said else "")
        return f": {parsed[:300]}" if parsed else ""

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()

    # -- questions

    def position(self, position: ArrayPosition) -> dict[str, Any]:
        """Set up a position of ours; returns what the program then says it is."""
        return self.parsed(self.ask(f"position {self.state_words(position)}"))

    def listed(self) -> set[int]:
        return {self.number(words) for words in self.ask("list").split(";") if words}

    def act(self, m: int) -> dict[str, Any]:
        return self.parsed(self.ask(f"act {self.action_words(m)}"))

    def end(self) -> dict[str, Any]:
        return self.parsed(self.ask("end"))

    def think(self, player: str, seconds: float, *, processor: bool = False) -> list[int]:
        """A whole turn of one of their players, from the position that was set up, by the wall clock or processor time."""
        patience = seconds * (CROWD if processor else 1)
        answer = self.ask(f"think {player} {max(round(1000 * seconds), 1)}{' processor' * processor}", patience)
        return [self.number(words) for words in answer.split(";") if words]


def _clocks(player: str) -> str:
    return "wall alone" if player in BY_THE_WALL else "either"


class PublicPlayer(Player[ArrayPosition], Closing):
    """One of the public program's players at our tables. It plans a turn at once, with all of the turn's time."""

    def __init__(
        self, game: Skirmish, *, player: str = "oe", time: float = SECONDS, clock: str = "wall", seed: int = 0
    ) -> None:
        """`player`: one of PLAYERS; `time`: seconds a turn where nobody's clock says it; `clock`: what they are counted by,
        the wall clock or the processor time of the thread that thinks. Its chance takes no seed."""
        if player not in PLAYERS:
            raise OptionError(f"option player is {player!r}; the public program has {', '.join(PLAYERS)}")
        if clock not in CLOCKS or (clock != "wall" and player in BY_THE_WALL):
            raise OptionError(f"option clock is {clock!r}; it is wall or processor, and for {player} {_clocks(player)}")
        self.processor = clock == "processor"
        self.name, self.player, self.game = f"hero-aicademy:{player}", player, game
        self.seconds = Clock(float(time)).seconds
        self._program: Program | None = None
        self._course = RemainingTurn(game)

    @property
    def program(self) -> Program:
        """Its process, started and warmed up when it is first asked."""
        if self._program is None:
            self._program = Program(self.game)
            self._program.position(self.game.start(seed=0))
            self._program.think(self.player, WARMING, processor=self.processor)
        return self._program

    def _thought(self, view: ArrayPosition, seconds: float) -> list[int]:
        """A turn of the program's; a process that failed, or was interrupted, is ended."""
        try:
            self.program.position(view)
            return self.program.think(self.player, seconds, processor=self.processor)
        except BaseException:
            self.close()
            raise

    @property
    def spent(self) -> float:
        """Seconds of processor time that its process has thought so far."""
        return int(self.program.ask("spent")) / 1e9

    def close(self) -> None:
        """End the process; the next question starts another."""
        program, self._program = self._program, None
        if program is not None:
            program.close()

    def answer(self, request: Request[ArrayPosition]) -> Choice:
        view, mover = request.view, request.seat
        m = self._course.next(view.state, mover)
        if m is None:
            seconds = self.seconds if request.clock.seconds is None else request.clock.seconds
            assert seconds is not None
            planned = self._thought(view, seconds)
            m = planned[0] if planned else self.game.end
            if m in view.move_numbers():
                self._course.plan(view.state, planned or (m,))
                self._course.next(view.state, mover)
        text = self.game.move_text(view.state, view.turn, m)
        if m not in view.move_numbers():
            hint = "; its trees end turns early, which profile=published does not list" if m == self.game.end else ""
            raise PublicFault(f"{self.name} wants {text!r}, which is not possible in {str(view)!r}{hint}")
        return Choice(text, engine=self.name)
