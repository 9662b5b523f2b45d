"""Parts of a benchmark on a Ray cluster (`--cluster`): the same functions of the same tasks as in processes of this machine.

Nodes must have this checkout at the same path, and the script is run as a module from its root (`python -m benchmarks...`).
"""

from __future__ import annotations

import argparse
import importlib
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any

from stratagem.arena.cluster import as_done
from stratagem.errors import StratagemError

Task = tuple[Any, ...]


def add_flag(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cluster", default=None, help="play on a Ray cluster: local, auto, or ADDRESS:PORT of its head"
    )


def name_of(work: Callable[..., Any]) -> str:
    """What a function can be imported by, also where its module is the one that was started."""
    module = work.__module__
    if module == "__main__":
        spec = sys.modules["__main__"].__spec__
        if spec is None:
            sys.exit("on a cluster a script is run as a module: python -m benchmarks...")
        module = spec.name
    return f"{module}:{work.__qualname__}"


def call(name: str, task: Task) -> Any:
    """What a host of the cluster does."""
    os.environ["STRATAGEM_QUIET"] = "1"
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)(*task)


def on_cluster(
    address: str,
    workers: int | None,
    work: Callable[..., Any],
    tasks: Sequence[Task],
    until: float = math.inf,
) -> Iterator[tuple[int, Any]]:
    """(number of the task, `work(*task)`) as they end, until the clock (`time.monotonic`) says so; what is under way then is
    dropped. A cluster that cannot be reached, or goes away, is reported in a line."""
    try:
        with closing(as_done(address, workers, f"{__name__}:call", (name_of(work),), tasks)) as found:
            for one in found:
                if one is not None:
                    yield one
                if time.monotonic() >= until:
                    return
    except StratagemError as error:
        sys.exit(str(error))
