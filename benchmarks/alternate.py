"""Timing ours beside a peer: they take turns in one process on one core, and medians are compared."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping

Work = Callable[[], int]  # does some work and returns how much, in the unit of the claim


def pin() -> None:
    """Keep this process on one core, where the system lets us; CPU time is measured, so others may use it too."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def rates(works: Mapping[str, Work], rounds: int = 9) -> dict[str, float]:
    """The median rate of each, in units a CPU second; the first round warms up and is left out."""
    seen: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds + 1):
        for name, work in works.items():
            began = time.process_time()
            done = work()
            seen[name].append(done / (time.process_time() - began))
    return {name: statistics.median(found[1:]) for name, found in seen.items()}


def compare(claim: str, unit: str, peer: Work, ours: Work, peer_name: str, rounds: int = 9) -> float:
    """Print one line: both medians and their ratio."""
    found = rates({peer_name: peer, "stratagem": ours}, rounds)
    ratio = found["stratagem"] / found[peer_name]
    print(
        f"{claim:44} {peer_name} {found[peer_name]:>11,.0f} {unit}/s   stratagem {found['stratagem']:>11,.0f} {unit}/s"
        f"   ratio {ratio:6.1f}",
        flush=True,
    )
    return ratio


def openspiel() -> object:
    """The peer, or a line saying why there is nothing to compare with."""
    try:
        import pyspiel
    except ImportError:
        print("skipped: OpenSpiel is not installed; pip install '.[bench]' brings it")
        sys.exit(0)
    return pyspiel
