"""What users hear about compilations: standard error, or whoever asked to hear it instead."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator

WORTH_SAYING = 0.5  # seconds; shorter compilations pass unannounced
BEGUN = "compiling"  # how a notice begins that something is compiled now

_tellers: list[Callable[[str], None]] = []  # who hears it, in place of the terminal
_said: set[str] = set()


def say(text: str) -> None:
    if _tellers:
        _tellers[-1](text)
    elif not os.environ.get("STRATAGEM_QUIET"):
        print(text, file=sys.stderr, flush=True)


def say_once(about: str, text: str) -> None:
    """Say something about a subject, unless this process has done so."""
    if about not in _said:
        _said.add(about)
        say(text)


@contextlib.contextmanager
def telling(tell: Callable[[str], None]) -> Iterator[None]:
    """Notices of compilations go to `tell` in place of standard error."""
    _tellers.append(tell)
    try:
        yield
    finally:
        _tellers.remove(tell)


@contextlib.contextmanager
def announced(label: str, expected: float | None = None) -> Iterator[None]:
    """Say that something is being compiled, about how long it takes, and how long it took, unless that is short."""
    began = time.perf_counter()
    about = "" if expected is None else f" (about {expected:.0f} s, once)"
    notice = threading.Timer(WORTH_SAYING, say, (f"{BEGUN} {label} ...{about}",))
    notice.daemon = True
    notice.start()
    try:
        yield
    finally:
        notice.cancel()
    if time.perf_counter() - began > WORTH_SAYING:
        say(f"compiled {label} in {time.perf_counter() - began:.1f} s")
