"""Strength tables of the documentation, made by matches with fixed seeds.

`python -m benchmarks.strength.connect4` plays the match of that script and prints its table; `--write` puts it into
docs/strength.md between the marks that carry its name, and its plot into docs/pictures. A match that was interrupted goes on.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from stratagem.arena.config import Config
from stratagem.arena.plots import ratings_plot
from stratagem.arena.ratings import rate
from stratagem.arena.report import outcomes, reasons
from stratagem.arena.runner import Progress, open_match, run_match
from stratagem.store import open_store

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "strength.md"


def make(name: str, config: Config, script: str) -> None:
    """Play a match and print or write its table."""
    arguments = argparse.ArgumentParser(description=f"the strength table {name!r}")
    arguments.add_argument("--write", action="store_true", help="put the table into docs/strength.md")
    arguments.add_argument("--store", default=str(ROOT / "build" / "strength.sqlite"), help="where records go")
    arguments.add_argument("--workers", type=int, default=None)
    arguments.add_argument("--cluster", default=None, help="play on a Ray cluster: local, auto, or ADDRESS:PORT")
    given = arguments.parse_args()
    with open_store(given.store) as store:
        known = {match.name for match in store.matches()}
        match = open_match(store, config, name, resume=name in known)

        def watch(progress: Progress, games: list[object]) -> None:
            if games:
                print(f"\r{progress.done} of {progress.total}", end="", file=sys.stderr)

        run_match(store, match, workers=given.workers, watch=watch, cluster=given.cluster)
        print(file=sys.stderr)
        found = rate(outcomes(store, match))
        ended, _ = reasons(store, match)
    rows = [
        f"`{script}`: {config.total} games, seed {config.seed}, {config.opening_plies} random opening plies"
        f"{'' if config.time is None else f', {config.time:g} s a move'}; ended: "
        f"{', '.join(f'{reason} {count}' for reason, count in ended.items())}.",
        "",
        "| player | Elo | ± (95%) | games | score | better than the next |",
        "|---|---|---|---|---|---|",
    ]
    for k, r in enumerate(found.table):
        los = f"{found.superiority[k, k + 1]:.1%}" if k + 1 < len(found.table) else ""
        rows.append(f"| `{r.player}` | {r.elo:+.0f} | {r.error:.0f} | {r.games} | {r.score:.1%} | {los} |")
    if not found.certain:
        rows += ["", "Somebody has only won or only lost: the ratings are held in by one virtual draw each."]
    print("\n".join(rows))
    if given.write:
        opening, closing = f"<!-- {name} -->", f"<!-- end of {name} -->"
        page = PAGE.read_text()
        if opening not in page:
            page += f"\n## {name}\n\n{opening}\n{closing}\n"
        before, _, rest = page.partition(opening)
        after = rest.partition(closing)[2]
        picture = f"![Ratings with intervals](pictures/strength-{name}.svg)"
        PAGE.write_text("\n".join([before + opening, *rows, "", picture, "", closing + after]))
        (ROOT / "docs" / "pictures" / f"strength-{name}.svg").write_text(ratings_plot(found, name) + "\n")
