"""Anybody's program at our tables: one JSON object a line, both ways. The protocol is docs/programs.md.

A program reads the game once, and is then asked for a move at a time with all that its seat may see. It need not know the
rules: legal moves are listed, or, where they are too many, offered part by part. Nothing a program does can hurt a game: one
that hangs, floods, dies or talks nonsense is ended, and whoever runs the game counts it as lost.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import time
from collections.abc import Sequence
from typing import Any

from stratagem.contract.game import TOGETHER, Game, Position
from stratagem.contract.player import Choice, Entry, Player, Request
from stratagem.errors import OptionError, StratagemError, Unlistable
from stratagem.protocols.children import Child, LastWords
from stratagem.protocols.closing import Closing
from stratagem.rng import generator

PROTOCOL = 1
LONGEST_LINE = 1 << 20  # bytes
MOST_LINES = 10_000  # that a program may say about one move
MOST_MOVES = 5_000  # that are listed; beyond, a program asks for parts or for a random move


class ProgramFault(StratagemError):
    """A program hung, flooded, died or said what is no answer; whoever runs the game counts it as lost."""


class ProgramPlayer(Player, Closing):
    """A program in a subprocess of its own, started when it is first asked."""

    def __init__(
        self,
        game: Game,
        *,
        command: str | Sequence[str] = "",
        grace: float = 2.0,
        patience: float = 60.0,
        seed: int = 0,
    ) -> None:
        """`grace`: seconds that an answer may be late; `patience`: seconds for one where no clock says it, and to start."""
        try:
            self.command = shlex.split(command) if isinstance(command, str) else list(command)
        except ValueError as error:
            raise OptionError(f"option command is {command!r}, which cannot be split into words: {error}") from None
        if not self.command:
            raise OptionError("the player program needs its command, such as program:command=python3 my_engine.py")
        for name, value in (("grace", grace), ("patience", patience)):
            if not 0 < float(value) < 100_000:
                raise OptionError(f"option {name} is {value!r}; it is more than 0 seconds")
        self.game, self.grace, self.patience, self.seed = game, float(grace), float(patience), int(seed)
        self.name = f"program:{self.command[0].rsplit('/', 1)[-1]}"
        self._rng = generator(self.seed)
        self._asked = 0  # questions so far
        self._heard = 0  # lines about the present one
        self._child: Child | None = None
        self._errors: LastWords | None = None

    # -- the process

    def _start(self) -> None:
        try:
            self._child = Child(self.command, LONGEST_LINE, stderr=subprocess.PIPE)
        except OSError as error:
            raise ProgramFault(f"program {self.command[0]!r} cannot be started: {error.strerror}") from None
        self._heard, self._errors = 0, LastWords(self._child.process.stderr)
        self._send(
            type="hello",
            protocol=PROTOCOL,
            game=self.game.name,
            options=dict(self.game.chosen),
            players=self.game.players,
            seats=[self.game.seat_name(p) for p in range(self.game.players)],
            seed=self.seed,
        )
        answer = self._answer(("ready",), time.monotonic() + self.patience)
        if isinstance(answer.get("name"), str):
            self.name = f"program:{answer['name'][:60]}"

    def close(self) -> None:
        """End the process, and what it started."""
        child, self._child = self._child, None
        if child is not None:
            child.close()

    def _send(self, **message: Any) -> None:
        assert self._child is not None
        try:
            self._child.send(json.dumps(message, default=list).encode() + b"\n")
        except OSError:
            raise ProgramFault(self._died()) from None

    def _died(self) -> str:
        assert self._child is not None and self._errors is not None
        status, last = self._child.status(), self._errors.lines()
        return f"program {self.command[0]!r} died{status}" + (f": {last[-1][:300]}" if last else "")

    def _answer(self, wanted: tuple[str, ...], deadline: float) -> dict[str, Any]:
        """The next message of a kind that is wanted; others (such as comments) are passed over."""
        assert self._child is not None
        who = f"program {self.command[0]!r}"
        while self._heard < MOST_LINES:
            self._heard += 1
            try:
                line = self._child.line(deadline)
                if time.monotonic() > deadline + self.grace:
                    raise TimeoutError
            except TimeoutError:
                raise ProgramFault(f"{who} hung: it gave no answer in time") from None
            if line is None:
                raise ProgramFault(self._died())
            if not line.endswith(b"\n"):
                raise ProgramFault(f"{who} flooded: a line has more than {LONGEST_LINE} bytes, or no end")
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                raise ProgramFault(f"{who} said {line[:80]!r}, which is not JSON") from None
            if not isinstance(message, dict) or not isinstance(message.get("type"), str):
                raise ProgramFault(f"{who} said {line[:80]!r}, which is no object with a type")
            if message["type"] in wanted:
                return message
        raise ProgramFault(f"{who} flooded: {MOST_LINES} lines and no answer among them")

    # -- the player

    def answer(self, request: Request) -> Choice:
        began = time.monotonic()
        try:
            if self._child is None or self._child.ended:
                self.close()
                self._start()
            return self._ask(request, began)
        except BaseException:
            self.close()
            raise

    def _ask(self, request: Request, began: float) -> Choice:
        view, clock, seat, report = request.view, request.clock, request.seat, request.report
        self._asked, self._heard = self._asked + 1, 0
        think = self.patience if clock.seconds is None else clock.seconds
        deadline = time.monotonic() + think + self.grace
        self._send(
            type="choose",
            id=self._asked,
            seat=seat,
            position=str(view),
            picture=view.text_art(),
            history=list(view.history),
            moves=_listed(view, seat),
            together=view.turn == TOGETHER,
            seconds=clock.seconds,
        )
        while True:
            said = self._answer(("move", "info", "parts", "sample", "check"), deadline)
            if said.get("id") != self._asked:
                continue  # of a question that is over
            if said["type"] == "move":
                return self._choice(view, seat, said, began)
            if said["type"] == "info":
                if report is not None and isinstance(said.get("move"), str):
                    report(Choice(said["move"], value=_number(said.get("value")), engine=self.name, finished=False))
                continue
            self._send(id=self._asked, **self._reported(view, seat, said))

    def _reported(self, view: Position, seat: int, said: dict[str, Any]) -> dict[str, Any]:
        """The answer to a program's own question about the rules."""
        try:
            if said["type"] == "sample":
                return {"type": "sample", "move": view.sample(self._rng, seat)}
            if said["type"] == "check":
                return {"type": "check", "move": view.check(str(said.get("move")), seat)}
            given = said.get("prefix")
            parts = view.parts([str(part) for part in given] if isinstance(given, list) else [], seat)
            return {"type": "parts", "next": list(parts.next), "complete": parts.complete, "free": parts.free}
        except StratagemError as error:
            return {"type": said["type"], "error": str(error)}

    def _choice(self, view: Position, seat: int, said: dict[str, Any], began: float) -> Choice:
        move = said.get("move")
        try:
            if not isinstance(move, str):
                raise ProgramFault(f"{move!r} is no text")
            text = view.check(move, seat)
        except StratagemError as error:
            raise ProgramFault(f"program {self.command[0]!r} played an illegal move: {error}") from None
        value = _number(said.get("value"))
        return Choice(text, value=value, seconds=time.monotonic() - began, engine=self.name)


def _listed(view: Position, seat: int) -> list[str] | None:
    """The legal moves, or None where they are too many to list."""
    try:
        moves = view.moves(seat)
    except Unlistable:
        return None
    return moves if len(moves) <= MOST_MOVES else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9 else None


ENTRY = Entry(
    ProgramPlayer,
    "any program that speaks the JSON protocol of docs/programs.md: command=..",
    ("command", "grace", "patience", "seed"),
    external=True,
)
