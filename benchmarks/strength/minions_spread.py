"""Minions: how far off the Oracle says that its values are, and how far off they are, on games that it has not learned from.

    python -m benchmarks.strength.minions_spread RECORDS [--oracle FILE] [--picture FILE.svg]

RECORDS are parts of self-play (`stratagem train minions`). The value of a turn that was played is compared with what the next
search said of the position after it. An interval is the value plus and minus a multiple of the spread, the same multiple
everywhere; it *covers* where the search's value lies in it. The multiples are those of a normal distribution, or (*fitted*)
those that cover as often as they should in the games of even numbers. Coverage is counted in the others.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from stratagem.arena.plots import curves_plot
from stratagem.games.minions.engine.player import staging_of
from stratagem.games.minions.engine.stages import EngineOptions
from stratagem.games.minions.networks.records import Record, read_records

LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SHOWN = (0.5, 0.9)
LEAST = 0.01  # of a spread, which is divided by
NORMAL, FITTED = "normal", "fitted"
Curve = list[tuple[float, float]]  # level, and the share covered or the multiple of the spread


def rows_of(records: Sequence[Record], oracle: str) -> dict[str, NDArray[np.float64]]:
    """[rows, 3] by profile: the game's number, the distance of a value from the next search's, the spread."""
    found: defaultdict[str, list[tuple[int, float, float]]] = defaultdict(list)
    staging = None
    for record, following in pairwise(records):
        if following.game != record.game or following.ply != record.ply + 1:
            continue
        if staging is None or staging.config is not record.config:
            staging = staging_of(record.config, EngineOptions(solver=False, oracle=oracle))
        value, spread = staging.advisers.turn(staging.imagined(record.position), record.turn)
        found[record.config.profile].append((record.game, abs(value + following.value), spread))
    return {name: np.array(rows) for name, rows in found.items()}


def coverage(rows: NDArray[np.float64]) -> tuple[dict[str, Curve], Curve]:
    """The share covered at each level in games of odd numbers, both ways, and the fitted multiples."""
    ratio, odd = rows[:, 1] / np.maximum(rows[:, 2], LEAST), rows[:, 0] % 2 == 1
    multiples = {
        NORMAL: [(level, float(ndtri(0.5 + level / 2))) for level in LEVELS],
        FITTED: [(level, float(np.quantile(ratio[~odd], level))) for level in LEVELS],
    }
    shares = {
        way: [(level, float((ratio[odd] <= most).mean())) for level, most in curve] for way, curve in multiples.items()
    }
    return shares, multiples[FITTED]


def main() -> None:
    parser = argparse.ArgumentParser(description="How far off the Oracle's values are, and say they are.")
    parser.add_argument("records", type=Path)
    parser.add_argument("--oracle", default="network", help="its weights: network, or a file")
    parser.add_argument("--picture", type=Path, help="an SVG to write")
    given = parser.parse_args()
    curves: dict[str, Curve] = {"exact": [(0.0, 0.0), (1.0, 1.0)]}
    print("| profile | games | turns | mean distance | mean spread | 50 % and 90 % cover | fitted | multiples |")
    print("|---" * 8 + "|")
    for name, rows in rows_of(list(read_records(given.records)), given.oracle).items():
        shares, multiples = coverage(rows)
        curves |= {name + (f", {way}" if way == FITTED else ""): curve for way, curve in shares.items()}
        cells = [", ".join(f"{dict(shares[way])[level]:.0%}" for level in SHOWN) for way in (NORMAL, FITTED)]
        cells.append(", ".join(f"{dict(multiples)[level]:.2f}" for level in SHOWN))
        games, means = len(np.unique(rows[:, 0])), f"{rows[:, 1].mean():.3f} | {rows[:, 2].mean():.3f}"
        print(f"| {name} | {games} | {len(rows)} | {means} | {' | '.join(cells)} |")
    if given.picture:
        drawn = curves_plot("minions: intervals", ("level", "share covered"), curves)
        given.picture.write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
