"""The public test bed of Skirmish, driven over pipes: positions and actions translated both ways.

The variable HERO_AICADEMY is the folder of its compiled classes (`javac -d CLASSES` of its sources). Our driver,
`SkirmishDriver.java` beside this file, is compiled against them when it is first needed, into a folder of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from stratagem.contract.game import ArrayPosition
from stratagem.contract.player import Choice, Clock, Player, Report
from stratagem.errors import StratagemError
from stratagem.games.skirmish import kernels as k
from stratagem.games.skirmish.game import Skirmish
from stratagem.protocols.closing import Closing

VARIABLE = "HERO_AICADEMY"
DRIVER = Path(__file__).with_name("SkirmishDriver.java")
PLAYERS = ("random", "greedy-action", "greedy-turn", "oe", "mcts", "bb-mcts", "ne-mcts")


def classes() -> Path | None:
    """Their compiled classes, where there are any."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        return None
    if not (Path(folder) / "game" / "GameState.class").is_file():
        raise StratagemError(
            f"{VARIABLE} is {folder!r}, which has no game/GameState.class: name the folder of the classes"
        )
    if shutil.which("javac") is None:
        raise StratagemError("the driver of the public program needs a Java compiler (javac), and none is found")
    return Path(folder)


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

    def told(self, answer: str) -> dict[str, Any]:
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
        theirs = classes()
        if theirs is None:
            raise StratagemError(f"say by the variable {VARIABLE} where the classes of the public program are")
        super().__init__(game)
        self._folder = tempfile.TemporaryDirectory()
        compiling = ["javac", "-nowarn", "-cp", str(theirs), "-d", self._folder.name, str(DRIVER)]
        done = subprocess.run(compiling, capture_output=True, text=True, check=False)
        if done.returncode:
            raise StratagemError(f"the driver does not compile against {theirs}: {done.stderr.strip()[:300]}")
        path = os.pathsep.join((self._folder.name, str(theirs)))
        self._process = subprocess.Popen(
            ["java", "-cp", path, "SkirmishDriver"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        board = game.board
        rows = "/".join(board.signs[i : i + board.columns] for i in range(0, board.squares, board.columns))
        self.ask(f"map {rows} {game.points} {game.first_points} {game['turn_cap']}")

    def ask(self, line: str) -> str:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise StratagemError(f"the public program died of {line!r}")
        return answer.strip()

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    # -- questions

    def position(self, position: ArrayPosition) -> dict[str, Any]:
        """Set up a position of ours; returns what the program then says it is."""
        return self.told(self.ask(f"position {self.state_words(position)}"))

    def listed(self) -> set[int]:
        return {self.number(words) for words in self.ask("list").split(";") if words}

    def act(self, m: int) -> dict[str, Any]:
        return self.told(self.ask(f"act {self.action_words(m)}"))

    def end(self) -> dict[str, Any]:
        return self.told(self.ask("end"))

    def think(self, player: str, seconds: float) -> list[int]:
        """A whole turn of one of their players, from the position that was set up."""
        return [self.number(words) for words in self.ask(f"think {player} {round(1000 * seconds)}").split(";") if words]


class Theirs(Player[ArrayPosition]):
    """One of the public program's players at our tables. It plans a turn at once, with all of the turn's time."""

    def __init__(self, game: Skirmish, player: str, *, seconds: float = 1.0) -> None:
        if player not in PLAYERS:
            raise StratagemError(f"the public program has no player {player!r}; it has {', '.join(PLAYERS)}")
        self.name, self.player, self.seconds = f"their {player}", player, seconds
        self.program = Program(game)
        self._planned: list[int] = []
        self._turn = 0

    def choose(
        self,
        view: ArrayPosition,
        clock: Clock,
        *,
        seat: int | None = None,
        report: Report | None = None,
        lines: int = 1,
    ) -> Choice:
        game, turn = self.program.game, int(view.state[k.TURN])
        if turn != self._turn or not self._planned:
            self.program.position(view)
            seconds = self.seconds if clock.seconds is None else clock.seconds
            self._planned, self._turn = self.program.think(self.player, seconds), turn
        m = self._planned.pop(0)
        if m not in view.move_numbers():
            print(f"{self.name} asks for the illegal {game.move_text(view.state, view.turn, m)}", file=sys.stderr)
            m = view.move_numbers()[0]
        return Choice(game.move_text(view.state, view.turn, m), engine=self.name)
