"""What a second of thinking is: one of the wall's clock, or one that a processor spent on this process.

On a busy machine a second by the clock holds less work than on a quiet one, and not always as much less for both sides of a
game. Counted in processor time a match says the same on either. Searches read `time.perf_counter` and nothing else, one game
is played in one process, so that this is the place to change it. Not for players that use several threads, whose processor
time runs several times as fast, nor for programs of their own.
"""

from __future__ import annotations

import argparse
import time

CLOCKS = ("wall", "processor")


def use_clock(name: str) -> None:
    """Call it where a process begins."""
    if name == "processor":
        time.perf_counter = time.process_time


def add_clock(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="what seconds are counted in")
