"""How many programmes a hand of RoboRally has when cards that do the same count as one: by hand size, by locked cards, by level;
and how the printed mixed-radix numbering collides. Hands are drawn by fixed seeds.

    python -m benchmarks.experiments.programmes --write
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Iterator

from benchmarks.experiments import Result, Task, arguments, publish, run
from stratagem.games.roborally.equivalence import Locked, MixedNumbers, Numbering

PAGE = "games/roborally.md"
SIZES = (9, 8, 7, 6, 5, 4)
LOCKED = (0, 3, 6, 9, 12)
EACH = 500  # hands of a part
HANDS_NUMBERED = 400  # of 1 to 9 cards, for the mixed-radix numbering


def locks_of_others(rng: random.Random, cards: list[int], count: int) -> tuple[Locked, ...]:
    """Cards locked with others: robots with 5 to 9 damage one after another, whose registers lock from the fifth down."""
    found: list[Locked] = []
    while len(found) < count:
        for register in range(5, 5 - rng.randint(1, 5), -1):
            if len(found) < count:
                found.append(Locked(register, cards.pop()))
    return tuple(found)


def hands(size: int, locked: int, first: int, count: int) -> Result:
    """Programmes by level of hands first .. first + count - 1."""
    levels: dict[str, list[int]] = {"0": [], "1": [], "2": []}
    for number in range(first, first + count):
        rng = random.Random(f"{size}/{locked}/{number}")
        cards = rng.sample(range(1, 85), 84)
        hand = tuple(cards.pop() for _ in range(size))
        own = tuple(Locked(register, cards.pop(), own=True) for register in range(size + 1, 6))
        locks = own + locks_of_others(rng, cards, locked)
        for level, found in levels.items():
            found.append(Numbering(hand, min(5, size), locks, int(level)).count)
    return levels


def numbered(first: int, count: int) -> Result:
    """Hands in which the printed numbering collides, and how much of its range the repaired one fills."""
    collide, filled = 0, []
    for number in range(first, first + count):
        rng = random.Random(f"mixed/{number}")
        size = rng.randint(1, 9)
        figures = MixedNumbers(Numbering(tuple(rng.sample(range(1, 85), size)), min(5, size))).figures()
        collide += figures["printed"] < figures["programmes"]
        filled.append(figures["programmes"] / (figures["largest"] + 1))
    return {"collide": collide, "filled": filled}


def part(kind: str, *task: int) -> Result:
    return hands(*task) if kind == "hands" else numbered(*task)


def means(found: dict[Task, Result], size: int, locked: int) -> Iterator[tuple[str, list[int]]]:
    for level in ("0", "1", "2"):
        yield level, [x for task, result in found.items() if task[1:3] == (size, locked) for x in result[level]]


def main() -> None:
    parser = arguments("programmes", "sizes of reduced sets of programmes")
    parser.add_argument("--hands", type=int, default=10_000, help="hands a row")
    given = parser.parse_args()
    cells = (
        [(size, 0) for size in SIZES] + [(9, locked) for locked in LOCKED[1:]] + [(4, locked) for locked in LOCKED[1:]]
    )
    tasks: list[Task] = [
        ("hands", *cell, first, min(EACH, given.hands - first))
        for cell in cells
        for first in range(0, given.hands, EACH)
    ]
    tasks += [("mixed", first, 50) for first in range(0, min(HANDS_NUMBERED, given.hands), 50)]
    found = run(part, tasks, given)
    lines = ["| hand | registers | all programmes | mean | median | 5 % to 95 % | share of all |", "|---" * 7 + "|"]
    for size in SIZES:
        registers = min(5, size)
        every = math.perm(size, registers)
        _, counts = next(means(found, size, 0))
        if counts:
            low, high = statistics.quantiles(counts, n=20)[::18]
            lines.append(
                f"| {size} | {registers} | {every:,} | {statistics.mean(counts):,.0f} | {statistics.median(counts):,.0f} "
                f"| {low:,.0f} to {high:,.0f} | {statistics.mean(counts) / every:.1%} |"
            )
    publish("reduction", PAGE, lines, given.write)
    lines = [
        "| hand | locked with others | all | level 0 | level 1 | level 2 | hands in which level 2 joins more |",
        "|---" * 7 + "|",
    ]
    for size in (9, 4):
        for locked in LOCKED:
            levels = dict(means(found, size, locked))
            if levels["0"]:
                joins = sum(two < one for one, two in zip(levels["1"], levels["2"], strict=True)) / len(levels["1"])
                shown = " | ".join(f"{statistics.mean(levels[level]):,.1f}" for level in ("0", "1", "2"))
                lines.append(f"| {size} | {locked} | {math.perm(size, min(5, size)):,} | {shown} | {joins:.1%} |")
    publish("locked cards", PAGE, lines, given.write)
    mixed = [result for task, result in found.items() if task[0] == "mixed"]
    if mixed:
        filled = [x for result in mixed for x in result["filled"]]
        collide = sum(result["collide"] for result in mixed)
        text = (
            f"Over {len(filled)} random hands of 1 to 9 cards the printed numbering collides in {collide}; the repaired one "
            f"fills {statistics.mean(filled):.0%} of its range on average, {min(filled):.0%} at worst."
        )
        publish("mixed radix", PAGE, [text], given.write)


if __name__ == "__main__":
    main()
