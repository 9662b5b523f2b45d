"""What is compiled ahead: uses of games and players whose functions a package holds.

A *use* is a job for the compile service. It uses an engine or a command once, in a process that compiles for the level.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection
from functools import partial
from pathlib import Path

from benchmarks.bench_first_use import PAGES, README
from stratagem.compile.processes import Job
from stratagem.compile.service import building
from stratagem.readiness import digest, module_jobs, needs, usual_players
from stratagem.registry import game_class, game_names, players
from stratagem.search.whole_turns import BASELINES

ROOT = Path(__file__).resolve().parent.parent
# besides every game as it is by default: the options that the README plays
VARIANTS: tuple[tuple[str, dict[str, object]], ...] = (
    ("hex", {"size": 7}),
    ("asmacag", {"actions": 6}),
    ("bidding", {"over": "connect4", "chips": "50,50"}),
)
# Commands that are not run: they serve until they are stopped, play matches for minutes with players that are compiled as uses
# of their games, or use a file of one's own.
LEFT_OUT = ("serve", "draft serve", "arena run", ".py")
LONGEST = 1800  # seconds of one command
RUN = """
from stratagem.cli import main
from stratagem.compile import impatient
from stratagem.compile.service import building
with building(), impatient():
    main()
"""


def all_uses(only: Collection[str] = ()) -> tuple[dict[str, dict[str, Job]], dict[str, str]]:
    """Jobs by group, the longest groups first, of the games named or of all; and digests of the engines' uses by job."""
    found: dict[str, dict[str, Job]] = {}
    digests: dict[str, str] = {}
    for name, options in [*((name, {}) for name in game_names()), *VARIANTS]:
        if only and name not in only:
            continue
        start = game_class(name)(**options).start(seed=0)
        engines = usual_players(start.game, levels=bool(options))
        if not options:
            engines += [baseline for baseline in players(start.game) if baseline in BASELINES]
        label = " ".join((name, *(f"{option}={value}" for option, value in options.items())))
        jobs = needs(start, engines, rules_first=True)
        found[label] = {f"{label}: {job}": partial(used, use) for job, use in {**jobs, **module_jobs(start)}.items()}
        digests |= {f"{label}: {job}": digest(start.game, job) for job in jobs}
    found = dict(sorted(found.items(), key=lambda group: -len(group[1])))
    for use in (*README, *PAGES):
        if any(use.command.startswith(part) or part in use.command for part in LEFT_OUT):
            continue
        if not only or set(only) & set(re.split(r"[ /]", use.command)):
            found[use.command] = {use.command: partial(commanded, use.command, use.typed)}
    return found, digests


def used(use: Job) -> None:
    """Do a job of the readiness service, and compile for a package meanwhile."""
    with building():
        use()


def commanded(command: str, typed: str) -> None:
    """Run a command of the README, with what is typed, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", f"{folder}/examples")
        environment = {**os.environ, "STRATAGEM_STORE": f"{folder}/store.sqlite", "XDG_DATA_HOME": f"{folder}/data"}
        done = subprocess.run(
            [sys.executable, "-c", RUN, *shlex.split(command)],
            input=typed,
            text=True,
            capture_output=True,
            cwd=folder,
            env=environment,
            timeout=LONGEST,
        )
    if done.returncode < 0 or "Traceback" in done.stderr:
        raise RuntimeError(f"stratagem {command} ended with {done.returncode}: {done.stderr[-2000:]}")
