"""A process that plays games for a runner: `python -m stratagem.arena.worker CONNECTION JOURNAL` (two open files).

It is sent a configuration and then numbers of games, and answers with the games played. Before every thought it writes
into the journal, an unnamed file that the runner reads when this process hangs or dies: who was thinking, until when, and
the moves so far. When the runner is gone, so is the worker.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
import threading
import time
from multiprocessing.connection import Connection
from typing import Any

from stratagem.arena.config import Config
from stratagem.arena.playing import Journal, play_game
from stratagem.store.stored import Move

HEAD = struct.Struct("<qqd")  # number of the game, seat that thinks or -1, monotonic time by which it must answer
NOBODY_THINKS = -1


class FileJournal(Journal):
    """The head, overwritten in place, and behind it one line of JSON a move."""

    def __init__(self, file: int) -> None:
        self.file = file
        self.number = -1
        self.end = HEAD.size

    def begin(self, number: int) -> None:
        self.number = number
        os.ftruncate(self.file, HEAD.size)
        self.end = HEAD.size
        self.resting()

    def thinking(self, seat: int, limit: float) -> None:
        os.pwrite(self.file, HEAD.pack(self.number, seat, time.monotonic() + limit), 0)

    def resting(self) -> None:
        os.pwrite(self.file, HEAD.pack(self.number, NOBODY_THINKS, 0.0), 0)

    def moved(self, move: Move) -> None:
        line = json.dumps([move.text, move.seat, move.seconds]).encode() + b"\n"
        os.pwrite(self.file, line, self.end)
        self.end += len(line)


def read_journal(file: int) -> tuple[int, int, float, list[Move]]:
    """(number, seat, deadline, moves) of what a worker is or was doing."""
    content = os.pread(file, os.fstat(file).st_size, 0)
    if len(content) < HEAD.size:
        return -1, NOBODY_THINKS, 0.0, []
    number, seat, deadline = HEAD.unpack_from(content)
    moves = []
    for line in content[HEAD.size :].split(b"\n")[:-1]:
        moves.append(Move(*json.loads(line)))
    return number, seat, deadline, moves


def leave_with_parent(parent: int) -> None:
    """End this process when the runner has ended, even in the middle of a thought."""
    while os.getppid() == parent:
        time.sleep(0.5)
    leave()


def leave() -> None:
    """End this process and whatever its players have started: the runner made it the head of a group of its own."""
    os.killpg(os.getpgrp(), signal.SIGKILL)


def main(connection: int, journal_file: int) -> None:
    threading.Thread(target=leave_with_parent, args=(os.getppid(),), daemon=True).start()
    pipe: Any = Connection(connection)
    journal = FileJournal(journal_file)
    config = Config.from_json(pipe.recv())
    try:
        while True:
            task = config.task(pipe.recv())
            pipe.send(play_game(config, task, journal))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        leave()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
