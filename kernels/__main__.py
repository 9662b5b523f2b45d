"""`python -m kernels`, or `make kernels`: build the wheel `stratagem-kernels` into `dist/`.

Everything takes some 550 seconds of a processor, shared out among its cores. Games can be named, for a wheel that holds only
those. What is compiled lies in `build/kernels` and is used again, so that a stopped build goes on where it was; `--fresh` begins
anew. Two builds of one version give the same bytes.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

ROOT = Path(__file__).resolve().parent.parent
CHILD = "STRATAGEM_KERNELS_BUILD"  # set in the process that builds


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m kernels", description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*", help="games; all of them if none is named")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="the folder for the wheel")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "kernels", help="the folder of compiled code")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes at once; one a core if left out"
    )
    parser.add_argument("--fresh", action="store_true", help="compile everything again")
    asked = parser.parse_args()
    if asked.jobs < 1:
        parser.error(f"{asked.jobs} processes build nothing; give 1 or more")
    if CHILD not in os.environ:
        _begin_again(asked)
    try:
        build(asked)
    except KeyboardInterrupt:
        raise SystemExit("stopped: what is compiled stays, and the next build goes on from there") from None


def _begin_again(asked: argparse.Namespace) -> None:
    """This program once more, where Numba compiles for the level: it reads that when it is imported."""
    from stratagem.compile.levels import LEVEL, reaches_level

    if not reaches_level():
        raise SystemExit(f"code for {LEVEL} is tried while it is compiled, and this processor lacks instructions of it")
    work = asked.work.resolve()
    # what is known of games is found again, so that the functions that find it are used
    shutil.rmtree(work if asked.fresh else work / "solutions", ignore_errors=True)
    work.mkdir(mode=0o700, parents=True, exist_ok=True)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "STRATAGEM_"))},
        CHILD: "1",
        "NUMBA_CPU_NAME": LEVEL,
        "NUMBA_CPU_FEATURES": "",
        "NUMBA_DISABLE_INTEL_SVML": "1",  # a library that a user's machine may lack
        "PYTHONHASHSEED": "0",
        "STRATAGEM_CACHE": str(work),
        "STRATAGEM_CACHE_MB": "100000",
        "STRATAGEM_KERNELS": "off",
        "STRATAGEM_QUIET": "1",
    }
    os.execve(sys.executable, [sys.executable, "-m", "kernels", *sys.argv[1:]], environment)


def build(asked: argparse.Namespace) -> None:
    from kernels.uses import all_uses
    from kernels.wheel import contents, write_wheel
    from stratagem.compile import Compilers
    from stratagem.compile.levels import LEVEL
    from stratagem.errors import StratagemError

    began, since = time.perf_counter(), time.time()
    work = asked.work.resolve()
    try:
        uses, digests = all_uses(asked.games)
    except StratagemError as error:
        raise SystemExit(str(error)) from None
    if not uses:
        raise SystemExit(f"there is no game {', '.join(asked.games)}")
    compilers = Compilers(asked.jobs, niceness=0)
    total = sum(map(len, uses.values()))
    columns = BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}")
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=total)
        orders = [compilers.order(jobs) for jobs in uses.values()]
        untold = dict(zip(uses, orders, strict=True))
        try:
            while left := sum(len(order.waiting) for order in orders):
                compilers.wait(0.5)
                doing = ", ".join(name for order in orders for name in order.under_way)
                bar.update(task, completed=total - left, description=doing)
                for group in [group for group, order in untold.items() if not order.waiting]:
                    del untold[group]
                    if not console.is_terminal:  # no bar: a line a group, for a log
                        print(f"{total - left} of {total}: {group}", file=sys.stderr, flush=True)
        finally:
            compilers.close()
    failed = {name: wrong for order in orders for name, wrong in order.failed.items()}
    for name, wrong in failed.items():
        print(f"{name}: {wrong}", file=sys.stderr)
    files = contents(work, since, [digest for job, digest in digests.items() if job not in failed])
    wheel = write_wheel(files, asked.out)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    functions = sum(path.stat().st_mtime >= since for path in work.glob("*.code"))
    print(
        f"{wheel}: {functions} functions for {LEVEL}, {wheel.stat().st_size / 1e6:.2f} MB, in "
        f"{time.perf_counter() - began:.0f} s ({used.ru_utime + used.ru_stime:.0f} s of processors)"
    )
    if failed:
        raise SystemExit(2)


if __name__ == "__main__":
    main()
