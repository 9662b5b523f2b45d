"""Minions: what the first proposals are worth that follow the script's advice and a network's, on records that were held back.

    python -m benchmarks.strength.minions_advice RECORDS --weights prophet.safetensors

Attacks: of each board of each turn the prophecies are followed as the engine does, in their order, and each attack is judged in
the turn that goes on from there by the script. It is reported how much better than peace the best of the first one, two, four and
eight is judged, in hundredths of a payoff, on boards where any attack is better; and how often the best of one side is better
than that of the other. Judgements are the engine's own, by its fitted weights after a short answer: not strength.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from stratagem.games.minions import layout
from stratagem.games.minions.engine.advisers import Script
from stratagem.games.minions.networks.prophet import load
from stratagem.games.minions.networks.records import FILES, Record, read_file
from stratagem.games.minions.networks.seers import Foretold
from stratagem.games.minions.networks.targets import Examiner
from stratagem.rng import generator

DEPTHS = (1, 2, 4, 8)
SAME = 1e-6  # in payoffs


def gone_on(examiner: Examiner, record: Record, k: int, plan: bytes) -> float:
    """What the turn is worth that plays an attack and goes on by the script on this board alone."""
    staging, position = examiner.staging, record.position
    staging.played(position, plan)
    rest = staging.deploy(k, int(position[layout.MONEY + position[layout.SIDE]]) // record.config.boards)
    others = (staging.setup(position, other) for other in range(record.config.boards) if other != k)
    return examiner.script.turn(position, b"".join([plan, rest, *others])).value


def attacks(examiner: Examiner, record: Record, adviser: Script, k: int, known: dict[bytes, float]) -> list[float]:
    """What the attacks by an adviser's prophecies are worth, in their order."""
    staging, found = examiner.staging, []
    setup = staging.setup(record.position, k)
    for row in adviser.prophet(record.position, k, setup, generator(record.game, record.ply)):
        staging.played(record.position, setup)
        staging.scratch().fight.row[:] = row
        plan = setup + staging.fight(k, generator(0))
        if plan not in known:
            known[plan] = gone_on(examiner, record, k, plan)
        found.append(known[plan])
    return found


def held(folder: Path, every: int, most: int) -> Iterator[Record]:
    left = most
    for file in sorted(folder.rglob(FILES)):
        for record in read_file(file):
            if record.game % every == every - 1 and left > 0:
                left -= 1
                yield record


def main() -> None:
    parser = argparse.ArgumentParser(description="What the first proposals by advice are worth.")
    parser.add_argument("records", type=Path)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--every", type=int, default=20, help="games held back: every so-many-th")
    parser.add_argument("--turns", type=int, default=1000, help="at the most")
    given = parser.parse_args()
    vision = load(given.weights)
    gains: defaultdict[tuple[str, int], float] = defaultdict(float)
    better: defaultdict[tuple[str, int], int] = defaultdict(int)
    boards = 0
    examiner: Examiner | None = None
    for record in held(given.records, given.every, given.turns):
        if examiner is None or examiner.config is not record.config:
            examiner = Examiner(record.config)
            foretold = Foretold(examiner.staging, vision, target="cpu")
        examiner.staging.root = record.position.tobytes()  # where a network is asked
        for k in range(record.config.boards):
            if examiner.staging.idle(record.position, k):
                continue
            setup = examiner.staging.setup(record.position, k)
            peace = gone_on(examiner, record, k, setup)
            known = {setup: peace}
            worths = {
                "script": attacks(examiner, record, examiner.script, k, known),
                "network": attacks(examiner, record, foretold, k, known),
            }
            if max(known.values()) <= peace + SAME:
                continue
            boards += 1
            for depth in DEPTHS:
                best = {name: max(peace, *found[:depth]) for name, found in worths.items()}
                for name, other in (("script", "network"), ("network", "script")):
                    gains[name, depth] += best[name] - peace
                    better[name, depth] += best[name] > best[other] + SAME
    print(f"attacks on {boards} boards where one is better than peace; of the first:")
    for name in ("script", "network"):
        reported = [f"{d}: {100 * gains[name, d] / boards:.2f} ({better[name, d] / boards:.0%} better)" for d in DEPTHS]
        print(f"{name:8} {', '.join(reported)}", flush=True)


if __name__ == "__main__":
    main()
