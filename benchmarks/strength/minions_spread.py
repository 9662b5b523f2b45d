"""Minions: how far off the Oracle says that its values are, and how far off they are, on games that it has not learned from.

    python -m benchmarks.strength.minions_spread RECORDS [--oracle FILE] [--picture FILE.svg]

RECORDS are parts of self-play (`stratagem train minions`). The value of a turn that was played is compared with what the next
search said of the position after it. The value of a position *after an attack* on one board, with nothing else done there or
elsewhere, is compared with the best of some turns that go on from it (without spells; the ranks of a board's attacks by both are
compared too). An interval is the value plus and minus a multiple of the spread, the same multiple
everywhere; it *covers* where the search's value lies in it. The multiples are those of a normal distribution, or (*fitted*)
those that cover as often as they should in the games of even numbers. Coverage is counted in the others.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import spearmanr

from stratagem.arena.plots import curves_plot
from stratagem.games.minions import layout
from stratagem.games.minions.engine.player import staging_of
from stratagem.games.minions.engine.stages import EngineOptions, MinionsStaging
from stratagem.games.minions.networks.records import Record, read_records
from stratagem.rng import generator

LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SHOWN = (0.5, 0.9)
LEAST = 0.01  # of a spread, which is divided by
NORMAL, FITTED = "normal", "fitted"
DEPLOYMENTS = (0.0, 0.0, 0.25, 0.25, 0.5, 0.5)  # noise of those that go on from an attack
FEWEST = 4  # attacks on a board whose ranks are compared
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


Valued = tuple[float, float, list[float]]  # of an attack: the value after it, its spread, the values of turns with it


def attacks_of(staging: MinionsStaging, record: Record) -> Iterator[list[Valued]]:
    """The attacks by the prophet on each board."""
    position, boards = record.position, range(record.config.boards)
    share, luck = int(position[layout.MONEY + record.mover]) // len(boards), generator(record.game, record.ply)
    staging.begin(position)
    setups, rests = [staging.setup(position, k) for k in boards], []
    for k in boards:
        staging.played(position, setups[k])
        rests.append(setups[k] + staging.deploy(k, share))
    for k in boards:
        staging.played(position, setups[k])
        if staging.idle(position, k) or not staging.threaten(k):
            continue
        parts = {setups[k]: None}
        for row in staging.advisers.prophet(position, k, setups[k], luck):
            staging.played(position, setups[k])
            staging.scratch().fight.row[:] = row
            parts[setups[k] + staging.fight(k, luck)] = None
        idle, others = (b"".join(words[j] for j in boards if j != k) for words in (setups, rests))
        found: list[Valued] = []
        for part in parts:
            values = []
            for noise in DEPLOYMENTS:
                staging.played(position, part)
                values.append(staging.judged(position, others + part + staging.deploy(k, share, luck, noise)))
            found.append((*staging.advisers.turn(position, idle + part), values))
        yield found


def after_attacks(records: Sequence[Record], oracle: str) -> NDArray[np.float64]:
    """[rows, 3]: the same of positions after an attack. Prints how well the Oracle ranks a board's attacks."""
    rows: list[tuple[int, float, float]] = []
    ranks: list[tuple[float, float, float]] = []
    staging = None
    for record in records:
        if record.config.magical:
            continue
        if staging is None or staging.config is not record.config:
            staging = MinionsStaging(record.config, EngineOptions(solver=False, oracle=oracle, prophet="network"))
        for found in attacks_of(staging, record):
            values, turns = np.array([value for value, _, _ in found]), np.array([turns for _, _, turns in found])
            best, halves = turns.max(axis=1), (turns[:, ::2].max(axis=1), turns[:, 1::2].max(axis=1))
            rows += [(record.game, abs(best[k] - values[k]), spread) for k, (_, spread, _) in enumerate(found)]
            if len(found) >= FEWEST and all(np.ptp(x) > 0 for x in (values, best, *halves)):
                order = np.argsort(-values, kind="stable")
                ranks.append((spearmanr(values, best)[0], spearmanr(*halves)[0], best.max() - best[order[0]]))
    if ranks:
        mean, error = np.mean(ranks, axis=0), 1.96 * np.std(ranks, axis=0) / len(ranks) ** 0.5
        said = [f"{x:.3f} ± {e:.3f}" for x, e in zip(mean, error, strict=True)]
        print(f"attacks on {len(ranks)} boards: rank correlation {said[0]}, of two halves of the turns {said[1]};")
        print(f"the attack that looks best is worth less than the best by {said[2]}\n")
    return np.array(rows)


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
    records = list(read_records(given.records))
    found = rows_of(records, given.oracle)
    if len(attacked := after_attacks(records, given.oracle)):
        found["attack"] = attacked
    print("| of | games | rows | mean distance | mean spread | 50 % and 90 % cover | fitted | multiples |")
    print("|---" * 8 + "|")
    for name, rows in found.items():
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
