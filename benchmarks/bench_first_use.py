"""The wait of a first use: every command of the README from an empty cache, to a first useful answer and to full speed.

`python -m benchmarks.bench_first_use` prints a table; `--only TEXT` takes the commands that hold a text, and `--source FOLDER`
measures another checkout of the project (its `src`), such as one of an older version. Each command runs in a terminal of its
own with an empty cache and an empty folder of saved games. A first useful answer is what somebody waits for: a value, a table,
a board with a prompt. Full speed is the last answer of `analyse` and `solve`, less the seconds that were asked for, and of
`play` the engines' reply to a move that is typed at once. User seconds are shown too: on a busy machine they are the fairer
measure.
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import resource
import select
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROMPT = r"> "  # of a game that is played
REPLY = r" plays |revealed: "
VALUE = r"value|worth|probab"  # of an answer


@dataclass(frozen=True)
class Use:
    """A command, what its first useful answer looks like, what is typed then, and what its last answer looks like."""

    command: str
    first: str = VALUE
    last: str | None = None  # None: the end of the command
    typed: str = ""
    asked: float = 0.0  # seconds of thinking that were asked for


USES = (
    Use("solve tictactoe XX_OO____"),
    Use("analyse connect4 4453 --seconds 2", asked=2),
    Use("solve nim 3,4,5 --json"),
    Use("play pig", PROMPT, REPLY, "roll\nhold\nroll\nhold\nroll\nhold\nroll\nhold\n"),
    Use("play hex --size 7", PROMPT, REPLY, "d4\n"),
    Use("analyse othello --seconds 1", asked=1),
    Use("analyse breakthrough --seconds 1", asked=1),
    Use("solve bidding --over tictactoe --payment allpay --chips 3,3"),
    Use("blotto solve --units 10,8 --values 1,2,3,4 --exact"),
    Use("play draft", PROMPT, REPLY, "apple\n"),
    Use("play minions", PROMPT, REPLY, "tech 1;board 0 move c1c0\n"),
    Use("analyse goofspiel --cards 5 --engine mcts:rule=rm", asked=1),
    Use('play roborally --course "Risky Exchange" --robots 4 --seed 1', PROMPT, REPLY, "2,8,12,36,33\n"),
    Use("play risk", PROMPT, REPLY, "alaska\n"),
    Use("risk odds 12 3,2,4", r"\d%|\d\.\d"),
    Use('analyse pig "80,75 first 12" --engine expectimax:depth=8'),
    Use("analyse othello --depth 8"),
    Use("solve connect4 44455554221 --json"),
    Use(f"draft solve {ROOT}/examples/draft.json --method exact --json", "picks"),
    Use("play bidding --over connect4 --chips 50,50", PROMPT, REPLY, "5\n"),
    Use("blotto solve --units 50,45 --values 1,2,3,4,5,6,7,8,9,10"),
    Use("analyse othello --engine mcts", asked=1),
    Use("analyse goofspiel --engine mcts", asked=1),
    Use("analyse pig --engine montecarlo", asked=1),
    Use("arena run connect4/medium connect4/random --games 40", r"\d+ of 40|won"),
)


@dataclass
class Measured:
    first: float | None = None
    last: float | None = None
    user: float = 0.0
    text: str = ""


def measure(use: Use, source: Path, limit: float) -> Measured:
    """One command in a terminal of its own, from an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        command = f'exec "{sys.executable}" -m stratagem {use.command}'
        environment = {
            **os.environ, "STRATAGEM_CACHE": f"{folder}/cache", "XDG_DATA_HOME": f"{folder}/data", "TERM": "xterm",
            "PYTHONPATH": str(source / "src"), "COLUMNS": "150", "PROMPT_TOOLKIT_NO_CPR": "1",
        }  # fmt: skip
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        began = time.perf_counter()
        child, screen = pty.fork()
        if child == 0:
            os.chdir(folder)
            os.execve("/bin/sh", ["sh", "-c", command], environment)
        found = _watch(use, screen, began, limit)
        os.kill(child, signal.SIGINT)
        time.sleep(0.2)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(screen)
        found.user = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        return found


def _watch(use: Use, screen: int, began: float, limit: float) -> Measured:
    found, typed = Measured(), list(use.typed.splitlines(keepends=True))
    at = 0  # what was said before this has been answered
    while time.perf_counter() - began < limit:
        ready, _, _ = select.select([screen], [], [], 0.05)
        try:
            found.text += os.read(screen, 65536).decode("utf-8", "replace") if ready else ""
        except OSError:  # the command has ended
            found.last = found.last or time.perf_counter() - began
            break
        new = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", found.text[at:])
        if found.first is None and re.search(use.first, new):
            found.first = time.perf_counter() - began
        if use.last is not None and re.search(use.last, new):
            found.last = time.perf_counter() - began
            break
        if typed and re.search(PROMPT, new):
            at = len(found.text)
            os.write(screen, typed.pop(0).replace("\n", "\r").encode())
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description="the wait of a first use")
    arguments.add_argument("--only", default="", help="commands that hold this text")
    arguments.add_argument("--source", type=Path, default=ROOT, help="another checkout of the project")
    arguments.add_argument("--limit", type=float, default=180.0, help="seconds after which a command is given up")
    given = arguments.parse_args()
    print("| command | first answer | full speed | user |\n|---|---|---|---|")
    for use in USES:
        if given.only in use.command:
            found = measure(use, given.source.resolve(), given.limit)
            first = "-" if found.first is None else f"{found.first:.1f} s"
            last = "-" if found.last is None else f"{max(found.last - use.asked, 0.0):.1f} s"
            command = use.command.replace(f"{ROOT}/", "")
            print(f"| `stratagem {command}` | {first} | {last} | {found.user:.1f} s |", flush=True)


if __name__ == "__main__":
    main()
