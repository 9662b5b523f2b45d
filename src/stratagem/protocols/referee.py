"""A referee for the bidding tic-tac-toe contest: two programs, each started afresh for every decision.

A program gets the position on standard input and has so many seconds to print one line and end. One that hangs, dies,
prints anything else, bids more than it has or plays a taken cell forfeits that game, the record says why, and the match
goes on. Gold is never taken from a program's word: it follows from the histories of bids, as it does for the programs.

    >>> from stratagem.protocols.referee import Seat, play_game
    >>> play_game((Seat("exact"), Seat("random")), seed=1).winner
    'X'
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from stratagem.errors import OptionError, StratagemError
from stratagem.protocols.children import LastWords, end_marked, marked_environment
from stratagem.protocols.contest import LINES, after_auctions, read
from stratagem.protocols.contest_players import PLAYERS, contest_player, decide

SECONDS = 2.0  # for one decision
LONGEST = 200  # characters that an answer may have
KEPT = 300  # characters of standard error that a record keeps
ILLEGAL = ("forfeit", "clamp")


class Fault(StratagemError):
    """What a program did wrong: the reason of a forfeit."""


@dataclass(frozen=True)
class Seat:
    """Who plays: a player of the package by name, or the command line of a program."""

    command: str
    seconds: float = SECONDS
    folder: Path | None = None  # where the program runs

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise OptionError(f"{self.seconds!r} seconds for a decision are too few; give more than 0")
        if self.own:
            return
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise OptionError(f"{self.command!r} is no command: {error}") from None
        if not words:
            raise OptionError("a program is a command, such as 'python3 bot.py', or one of " + ", ".join(PLAYERS))
        if shutil.which(words[0]) is None and not (self.folder and (self.folder / words[0]).exists()):
            raise OptionError(
                f"there is no program {words[0]!r}, and no player of that name; give a command such as 'python3 bot.py', "
                f"or one of {', '.join(PLAYERS)}"
            )

    @property
    def own(self) -> bool:
        return self.command in PLAYERS

    def ask(self, question: str, seed: str) -> str:
        """The one line that the answer is, or a Fault."""
        if self.own:
            return decide(contest_player(self.command, seed=seed), read(question))
        return run_program(shlex.split(self.command), question, self.seconds, self.folder)


def run_program(words: list[str], question: str, seconds: float, folder: Path | None = None) -> str:
    """Start a program, hand it a question, and take its line; it and all that it started are gone afterwards."""
    began = time.monotonic()
    environment, mark = marked_environment()
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=environment,
            start_new_session=True,  # so that what it starts can be ended with it
        )
    except OSError as error:
        raise Fault(f"could not be started: {error.strerror or error}") from None
    heard, flooded, errors = bytearray(), threading.Event(), LastWords(process.stderr)
    listener = threading.Thread(target=_listen, args=(process.stdout, heard, flooded), daemon=True)
    try:
        listener.start()
        _tell(process.stdin, question)
        while process.poll() is None and not flooded.is_set():
            left = seconds - (time.monotonic() - began)
            if left <= 0:
                raise Fault(f"gave no answer within {seconds:g} s")
            try:
                process.wait(min(left, 0.02))
            except subprocess.TimeoutExpired:
                continue
    finally:
        _end(process)
        end_marked(mark)
    listener.join(1.0)
    if flooded.is_set():
        raise Fault(f"printed more than {LONGEST} characters where one line is asked for")
    if process.returncode != 0:
        last = errors.lines()
        how = (
            f"died by signal {-process.returncode}"
            if process.returncode < 0
            else f"ended with status {process.returncode}"
        )
        raise Fault(how + (f": {last[-1][-KEPT:]}" if last else ""))
    return one_line(heard.decode("utf-8", "replace"))


def _listen(stream: IO[bytes] | None, heard: bytearray, flooded: threading.Event) -> None:
    """Take what a program prints, up to more than an answer may have: it may print for ever."""
    assert stream is not None
    with contextlib.suppress(OSError, ValueError):
        while piece := os.read(stream.fileno(), 4096):
            heard += piece
            if len(heard) > LONGEST:
                flooded.set()
                return


def _tell(stream: IO[bytes] | None, question: str) -> None:
    """Hand over the question; a program that does not read it may still answer."""
    assert stream is not None
    try:
        stream.write(question.encode())
        stream.close()
    except (BrokenPipeError, OSError):
        return


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    with contextlib.suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()


def one_line(printed: str) -> str:
    lines = printed.splitlines()
    if not printed.strip():
        raise Fault("printed nothing")
    if len(lines) != 1:
        raise Fault(f"printed {len(lines)} lines where one is asked for, the first {lines[0][:40]!r}")
    return lines[0].strip()


# ------------------------------------------------------------------------------------------------------------ a game


@dataclass
class GameRecord:
    """What happened, enough to play it again."""

    seats: tuple[str, str]  # X and O
    bids: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    cells: list[str] = field(default_factory=list)  # "row column" of the winner of each auction
    seconds: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))  # of each decision
    notes: list[str] = field(default_factory=list)  # what was put right, where illegal answers are
    board: str = "_________"
    winner: str | None = None  # X, O, or None: a draw, or both forfeit
    reason: str = ""
    forfeits: list[str] = field(default_factory=list)  # the sides that did

    def json(self) -> dict[str, Any]:
        gold, _, _ = after_auctions(*self.bids)
        return {
            "X": self.seats[0],
            "O": self.seats[1],
            "winner": self.winner,
            "reason": self.reason,
            "forfeits": self.forfeits,
            "bids": [list(b) for b in self.bids],
            "cells": self.cells,
            "board": [self.board[k : k + 3] for k in (0, 3, 6)],
            "gold": gold,
            "notes": self.notes,
            "seconds": [[round(x, 4) for x in side] for side in self.seconds],
        }


def question(side: int, asked: str, record: GameRecord) -> str:
    """The input of a program, as the contest prescribes it."""
    rows = [record.board[k : k + 3] for k in (0, 3, 6)]
    return "\n".join(["XO"[side], asked, *(" ".join(map(str, b)) for b in record.bids), *rows]) + "\n"


def finished(board: str) -> str | None:
    """X or O for a line, `draw` for a full board, else None."""
    for letter in "XO":
        if any(all(board[cell] == letter for cell in line) for line in LINES):
            return letter
    return "draw" if "_" not in board else None


def play_game(seats: tuple[Seat, Seat], *, illegal: str = "forfeit", seed: int | str = 0) -> GameRecord:
    """One game, X first in `seats`; faults end it, and never raise."""
    if illegal not in ILLEGAL:
        raise OptionError(f"illegal answers {illegal!r}: they {' or '.join(ILLEGAL)}")
    record = GameRecord((seats[0].command, seats[1].command))
    while finished(record.board) is None:
        gold, _, _ = after_auctions(*record.bids)
        bids: list[int] = []
        for side in (0, 1):
            try:
                answer = _timed(seats, side, "BID", record, seed)
                bids.append(_bid(answer, gold[side], illegal, "XO"[side], record))
            except Fault as fault:
                _forfeit(record, side, fault)
        if record.forfeits:
            break
        for side in (0, 1):
            record.bids[side].append(bids[side])
        _, winners, _ = after_auctions(*record.bids)
        side = winners[-1]
        try:
            cell = _cell(_timed(seats, side, "PLAY", record, seed), illegal, "XO"[side], record)
        except Fault as fault:
            _forfeit(record, side, fault)
            break
        record.cells.append(f"{cell // 3} {cell % 3}")
        record.board = record.board[:cell] + "XO"[side] + record.board[cell + 1 :]
    else:
        how = finished(record.board)
        record.winner = how if how in ("X", "O") else None
        record.reason = "three in a row" if record.winner else "the board is full"
    return record


def _timed(seats: tuple[Seat, Seat], side: int, asked: str, record: GameRecord, seed: int | str) -> str:
    began = time.perf_counter()
    try:
        return seats[side].ask(question(side, asked, record), f"{seed}/{side}/{len(record.bids[0])}/{asked}")
    finally:
        record.seconds[side].append(time.perf_counter() - began)


def _forfeit(record: GameRecord, side: int, fault: Fault) -> None:
    record.forfeits.append("XO"[side])
    record.reason = "; ".join(filter(None, [record.reason, f"{'XO'[side]} forfeits: {fault}"]))
    record.winner = "OX"[side] if len(record.forfeits) == 1 else None


def _bid(answer: str, gold: int, illegal: str, letter: str, record: GameRecord) -> int:
    whole = re.fullmatch(r"[+-]?[0-9]{1,9}", answer)
    if whole and 0 <= int(answer) <= gold:
        return int(answer)
    wrong = f"bid {answer[:40]!r} where a whole number from 0 to its {gold} gold is asked for"
    if illegal == "forfeit":
        raise Fault(wrong)
    bid = min(max(int(answer), 0), gold) if whole else min(1, gold)
    record.notes.append(f"auction {len(record.bids[0]) + 1}: {letter} {wrong}; taken as {bid}")
    return bid


def _cell(answer: str, illegal: str, letter: str, record: GameRecord) -> int:
    fits = re.fullmatch(r"([0-2]) ([0-2])", answer)
    cell = 3 * int(fits[1]) + int(fits[2]) if fits else -1
    if fits and record.board[cell] == "_":
        return cell
    wrong = f"played {answer[:40]!r} where the row and column of an empty cell are asked for"
    if illegal == "forfeit":
        raise Fault(wrong)
    cell = record.board.index("_")
    record.notes.append(f"auction {len(record.bids[0])}: {letter} {wrong}; taken as {cell // 3} {cell % 3}")
    return cell


# ----------------------------------------------------------------------------------------------------------- a match


@dataclass
class ProgramStanding:
    """One program's part of a match."""

    program: str
    games: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    forfeits: int = 0
    slowest: float = 0.0  # seconds of a decision


def match(
    seats: tuple[Seat, Seat], games: int = 2, *, swap: bool = True, illegal: str = "forfeit", seed: int = 0
) -> Iterator[GameRecord]:
    """The games one after another; with `swap` the programs change sides after each."""
    if games < 1:
        raise OptionError(f"{games} games make no match; give 1 or more")
    for number in range(games):
        turned = swap and number % 2 == 1
        yield play_game((seats[1], seats[0]) if turned else seats, illegal=illegal, seed=f"{seed}/{number}")


def count_in(standings: tuple[ProgramStanding, ProgramStanding], record: GameRecord, turned: bool) -> None:
    """Add a game to the table; who forfeits has lost, so both may."""
    for side, letter in enumerate("XO"):
        one = standings[1 - side if turned else side]
        one.games += 1
        one.forfeits += letter in record.forfeits
        if record.winner == letter:
            one.won += 1
        elif record.winner is None and not record.forfeits:
            one.drawn += 1
        else:
            one.lost += 1
        one.slowest = max([one.slowest, *record.seconds[side]])


Watch = Callable[[int, GameRecord], None]


def run_match(
    seats: tuple[Seat, Seat],
    games: int = 2,
    *,
    swap: bool = True,
    illegal: str = "forfeit",
    seed: int = 0,
    watch: Watch | None = None,
) -> tuple[tuple[ProgramStanding, ProgramStanding], list[GameRecord]]:
    """A whole match: the table and the records. Ctrl-C ends it with what was played."""
    standings = ProgramStanding(seats[0].command), ProgramStanding(seats[1].command)
    records: list[GameRecord] = []
    try:
        for number, record in enumerate(match(seats, games, swap=swap, illegal=illegal, seed=seed)):
            count_in(standings, record, swap and number % 2 == 1)
            records.append(record)
            if watch is not None:
                watch(number, record)
    except KeyboardInterrupt:
        print(f"stopped after {len(records)} of {games} games", file=sys.stderr)
    return standings, records
