"""The wait of a first use: every command of the README, and the first of every page, from an empty cache.

`python -m benchmarks.bench_first_use` prints a table; `--only TEXT` takes the commands that hold a text, `--readme` leaves the
other pages out, and `--source FOLDER` measures another checkout of the project (its `src`), such as one of an older version.
Each command runs in a terminal of its own with an empty cache and an empty folder of saved games. A first useful answer is what
somebody waits for: a value, a table, a board with a prompt. Full speed is the last answer of `analyse` and `solve`, less the
seconds that were asked for, and of `play` the reply to a move that is typed at once; the table marks where a preliminary answer
made it because the engine was still being compiled.

Beside each time by the clock stands the processor's time that the command and all that it began had used by then: on a busy
machine that is the fairer measure, and the wait on an idle one is at most that, and less where two processes compile. A command
that an older version does not know, or refuses, has no times.

`--json FILE` keeps what was measured, and `--compare BEFORE AFTER` prints two such files side by side; with `--write` the table
goes into `docs/command-line.md`, between its two marks.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import re
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PROMPT = r"\w\)?>\s*$"  # of a game that is played
REPLY = r" plays |revealed: "
VALUE = r"value|worth|probab|wins|a draw"  # of an answer
ANYTHING = r"\S"
STAND_IN = "is still being compiled"  # where a cheaper way made the engine's move


@dataclass(frozen=True)
class Use:
    """A command, what its first useful answer looks like, what is typed then, and what its last answer looks like."""

    command: str
    first: str = VALUE
    last: str | None = None  # None: the end of the command
    typed: str = ""
    asked: float = 0.0  # seconds of thinking that were asked for
    printed: str = ""  # how the page prints it, where that stands for something of the reader's own

    @property
    def page(self) -> str:
        return self.printed or self.command


PROGRAMME = "2,8,12,36,33\n"
README = (
    Use("solve tictactoe XX_OO____"),
    Use("analyse connect4 4453 --seconds 2", asked=2),
    Use("blotto solve --units 10,8 --values 1,2,3,4 --exact", "gets"),
    Use("trace tictactoe XOX_O____ --depth 2", r"nodes"),
    Use("draft serve --no-open --port 0", "is at", "is at", printed="draft serve"),
    Use("review examples/game.txt", "accuracy"),
    Use("puzzle", r"puzzle \d+", ANYTHING),
    Use("serve --no-open --no-warm --port 0", "is at", "is at", printed="serve"),
    Use("games", "connect4"),
    Use("games connect4", "players"),
    Use("arena run connect4/medium connect4/random --games 40", r"\d+ of 40|won|%"),
)
FIRST_STEPS = (  # the tables of docs/start.md
    Use("solve nim 3,4,5 --json"),
    Use("play pig", PROMPT, REPLY, "roll\nhold\nroll\nhold\nroll\nhold\nroll\nhold\n"),
    Use("play hex --size 7", PROMPT, REPLY, "d4\n"),
    Use("analyse othello --seconds 1", asked=1),
    Use("analyse breakthrough --seconds 1", asked=1),
    Use("solve bidding --over tictactoe --payment allpay --chips 3,3"),
    Use("play draft --file examples/draft.json", PROMPT, REPLY, "ruby\n"),
    Use("play minions", PROMPT, REPLY, "tech 1;board 0 move c1c0\n"),
    Use("minions explain --seconds 1", "board", asked=1),
    Use("analyse goofspiel --cards 5 --engine mcts:rule=rm", asked=1),
    Use(
        'play roborally --course "Risky Exchange" --robots 4 --seed 1',
        PROMPT,
        REPLY,
        PROGRAMME,
        printed='play roborally --course "Risky Exchange" --robots 4',
    ),
    Use("play risk", PROMPT, REPLY, "alaska\n"),
    Use("risk odds 12 3,2,4", r"\d%|\d\.\d"),
    Use('analyse pig "80,75 first 12" --engine expectimax:depth=8'),
    Use("analyse othello --depth 8"),
    Use("solve connect4 44455554221 --json"),
    Use("draft solve examples/draft.json --method exact --json", "picks"),
    Use("draft live", PROMPT, r"a preliminary answer|worth", "advice\n"),
    Use("play bidding --over connect4 --chips 50,50", PROMPT, REPLY, "5\n"),
    Use("blotto solve --units 50,45 --values 1,2,3,4,5,6,7,8,9,10", "gets|between"),
    Use("analyse othello --engine mcts", asked=1),
    Use("analyse goofspiel --engine mcts", asked=1),
    Use("play risk --level staged", PROMPT, REPLY, "alaska\n"),
    Use("minions attacks examples/attack.txt --maps AllLand --remove c0", "yes: "),
    Use("analyse pig --engine montecarlo", asked=1),
    Use("play skirmish", PROMPT, ANYTHING),
    Use("play skirmish --points 10", PROMPT, ANYTHING),
    Use("play asmacag --actions 6", PROMPT, ANYTHING),
    Use("arena run asmacag/all-baselines --time 0.02", r"\d+ of \d+|won|%"),
)
PAGES = (
    *FIRST_STEPS,
    Use("play connect4", PROMPT, REPLY, "4\n"),
    Use("analyse minions --seconds 1 --lines 3", asked=1),
    Use("analyse roborally --seconds 1", r"value|preliminary", asked=1),
    Use("analyse risk --seconds 1", r"value|preliminary", asked=1),
    Use("analyse draft --lines 3"),
    Use("play blotto --units 10,8 --values 1,2,3,4", PROMPT, REPLY, "1,2,3,4\n"),
    Use("bidding threshold --over hex:size=4", "money"),
    Use("analyse examples/lots.py --engine staged:simulations=300"),
    Use("play examples/three_gates.py --level bold", PROMPT, ANYTHING),
    Use("analyse examples/notakto.py --seconds 1", asked=1),
    Use("analyse tictactoe --engine minimax --depth 9"),
    Use("depths connect4", r"depth"),
    Use("roborally number 11 83 57 49 35 21 3 50 4 --rank 49,35,50,83,3 --unrank 625 --json", "number|rank"),
    Use("perft connect4 4 5", r"\d,?\d\d\d"),
)
USES = (*README, *PAGES)


@dataclass
class Measured:
    first: tuple[float, float] | None = None  # seconds by the clock, and of the processor
    last: tuple[float, float] | None = None
    text: str = ""
    refused: bool = False  # it ended by itself, and with an error


def measure(use: Use, source: Path, limit: float) -> Measured:
    """One command in a terminal of its own, from an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        command = f'exec "{sys.executable}" -m stratagem {use.command}'
        shutil.copytree(ROOT / "examples", f"{folder}/examples")
        environment = {
            **os.environ,
            "STRATAGEM_CACHE": f"{folder}/cache",
            "STRATAGEM_STORE": f"{folder}/store.sqlite",
            "XDG_DATA_HOME": f"{folder}/data",
            "TERM": "xterm",
            "PYTHONPATH": str(source / "src"),
            "COLUMNS": "150",
            "PROMPT_TOOLKIT_NO_CPR": "1",
        }
        child, screen = pty.fork()
        if child == 0:
            os.chdir(folder)
            os.execve("/bin/sh", ["sh", "-c", command], environment)
        found = _watch(use, child, screen, limit)
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            found.refused = os.waitstatus_to_exitcode(status) != 0
            os.close(screen)
            return found
        for kind in (signal.SIGINT, signal.SIGKILL):
            for process in [child, *_below(child)]:
                try:
                    os.kill(process, kind)
                except ProcessLookupError:
                    continue
            time.sleep(0.2)
        os.waitpid(child, 0)
        os.close(screen)
        return found


def _watch(use: Use, child: int, screen: int, limit: float) -> Measured:
    found, typed = Measured(), list(use.typed.splitlines(keepends=True))
    began, used = time.perf_counter(), 0.0

    def now() -> tuple[float, float]:
        return time.perf_counter() - began, max(used, worked(child))

    at = 0  # what was said before this has been answered
    looked = 0.0
    while time.perf_counter() - began < limit:
        ready, _, _ = select.select([screen], [], [], 0.05)
        if time.perf_counter() - looked > 0.3:
            used, looked = max(used, worked(child)), time.perf_counter()
        try:
            found.text += os.read(screen, 65536).decode("utf-8", "replace") if ready else ""
        except OSError:  # the command has ended
            found.last = found.last or now()
            time.sleep(0.2)  # until its status is there
            break
        new = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", found.text[at:])
        if found.first is None and re.search(use.first, new):
            found.first = now()
        if found.first is not None and use.last is not None and re.search(use.last, new) and not typed:
            found.last = now()
            break
        if typed and re.search(PROMPT, new):
            at = len(found.text)
            os.write(screen, typed.pop(0).replace("\n", "\r").encode())
    return found


def worked(process: int) -> float:
    """Seconds of the processor that a process and all that it began have used; who ended is counted by its parent."""
    total = 0.0
    for number in [process, *_below(process)]:
        words = _stat(number)
        total += sum(int(word) for word in words[11:15]) if words else 0
    return total / os.sysconf("SC_CLK_TCK")


def _below(process: int) -> list[int]:
    parents = {int(path.name): _stat(int(path.name)) for path in Path("/proc").iterdir() if path.name.isdecimal()}
    found, ends = [], [process]
    while ends:
        ends = [number for number, words in parents.items() if words and int(words[1]) in ends]
        found += ends
    return found


def _stat(process: int) -> list[str]:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _reported(at: Sequence[float] | None) -> str:
    return "-" if at is None else f"{at[0]:.1f} s ({at[1]:.1f})"


def row_of(use: Use, found: Measured) -> dict[str, Any]:
    """What was measured, as it is kept: seconds by the clock and of the processor, less what was asked for."""
    first, last = (None, None) if found.refused else (found.first, found.last)
    if last is not None:
        last = (max(last[0] - use.asked, 0.0), max(last[1] - use.asked, 0.0))
    by = STAND_IN if STAND_IN in found.text else ""
    return {"command": f"stratagem {use.page}", "first": first, "last": last, "by": by}


def line_of(row: dict[str, Any]) -> str:
    by = ", by a preliminary answer" if row["by"] else ""
    return f"| `{row['command']}` | {_reported(row['first'])} | {_reported(row['last'])}{by} |"


HEAD = "| command | first answer (processor) | full speed (processor) |\n|---|---|---|"
PAGE = ROOT / "docs" / "command-line.md"
BEGIN, END = "<!-- first uses: begin -->", "<!-- first uses: end -->"


def compared(before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]) -> str:
    """Two measurements side by side, in the order of the second: seconds by the clock."""
    old = {row["command"]: row for row in before}

    def seconds(row: dict[str, Any] | None, what: str) -> str:
        reported = "-" if row is None or row[what] is None else f"{row[what][0]:.1f}"
        return reported + (" *" if row is not None and what == "last" and row["by"] else "")

    lines = [
        "| command | first answer before | now | full speed before | now |",
        "|---|---|---|---|---|",
        *(
            f"| `{row['command']}` | {seconds(old.get(row['command']), 'first')} | {seconds(row, 'first')} "
            f"| {seconds(old.get(row['command']), 'last')} | {seconds(row, 'last')} |"
            for row in after
        ),
    ]
    notes = "Seconds by the clock. -: not known to that version, or not within the limit. *: a preliminary answer made the move."
    return "\n".join([*lines, "", notes])


def write(table: str) -> None:
    """Put a table into the page, between its marks."""
    text = PAGE.read_text()
    before, found, rest = text.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        sys.exit(f"{PAGE.name} lacks the marks {BEGIN} and {END}")
    PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}")


def main() -> None:
    arguments = argparse.ArgumentParser(description="the wait of a first use")
    arguments.add_argument("--only", default="", help="commands that hold this text")
    arguments.add_argument("--readme", action="store_true", help="the README's commands alone")
    arguments.add_argument("--source", type=Path, default=ROOT, help="another checkout of the project")
    arguments.add_argument("--limit", type=float, default=180.0, help="seconds after which a command is given up")
    arguments.add_argument("--show", action="store_true", help="print what the terminal showed, too")
    arguments.add_argument("--json", type=Path, help="keep what was measured")
    arguments.add_argument("--compare", type=Path, nargs=2, metavar=("BEFORE", "AFTER"), help="print two such files")
    arguments.add_argument("--write", action="store_true", help="with --compare: put the table into the page")
    given = arguments.parse_args()
    if given.write and not given.compare:
        arguments.error("--write goes with --compare")
    if given.compare:
        table = compared(*(json.loads(path.read_text()) for path in given.compare))
        print(table)
        if given.write:
            write(table)
        return
    print(HEAD)
    rows = []
    for use in README if given.readme else USES:
        if given.only in use.command:
            found = measure(use, given.source.resolve(), given.limit)
            rows.append(row_of(use, found))
            print(line_of(rows[-1]), flush=True)
            if given.json is not None:  # after each, so that nothing is lost
                given.json.write_text(json.dumps(rows, indent=1) + "\n")
            if given.show:
                shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", found.text)
                rows_shown = [row.rstrip() for row in re.split(r"[\r\n]+", shown) if row.strip()]
                print("\n".join(row for k, row in enumerate(rows_shown) if rows_shown[k - 1 : k] != [row]), flush=True)


if __name__ == "__main__":
    main()
