"""How long a race of RoboRally lasts if everybody programmes at random, without end of lives and with three, by course.

python -m benchmarks.experiments.random_races --write
"""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np

import stratagem
from benchmarks.experiments import Result, Task, arguments, parts, publish, run
from stratagem.compile import specialise
from stratagem.games.roborally import layout as k
from stratagem.games.roborally.heuristics import any_cards, quick_entry
from stratagem.games.roborally.layout import PHASE, STAYING, is_awake
from stratagem.kernel import (
    CHANCE,
    OVER,
    PLAYERS,
    SIZE,
    TOGETHER,
    Ground,
    Moves,
    State,
    draw,
    play,
    play_together,
    turn,
)
from stratagem.rng import Rng, generator

NAME, PAGE = "random races", "games/roborally.md"
COURSES = ("Risky Exchange", "Island Hop", "Dizzy Dash", "Checkmate")
MOST_TURNS = 10_000
EACH = 100


def race(g: Ground, start: State, s: State, r: Rng, joint: Moves) -> None:
    """One race to its end, all programmes drawn from all cards."""
    for i in range(SIZE):
        s[i] = start[i]
    while True:
        t = turn(g, s)
        if t == OVER:
            return
        if t == CHANCE:
            draw(g, s, r)
        elif t == TOGETHER:
            for p in range(PLAYERS):
                joint[p] = any_cards(s, p, r) if is_awake(s, p) else -1
            play_together(g, s, joint)
        elif s[PHASE] == STAYING:
            play(g, s, t, 0)
        else:
            play(g, s, t, quick_entry(g, s, t))


def races(course: str, lives: int, first: int, count: int) -> Result:
    game: Any = stratagem.game("roborally", course=course, robots=4, lives=lives, max_turns=MOST_TURNS)
    names = {**game.names["turn"].names, **game.names}
    play_one = specialise(race, names, label="roborally races at random")
    start, s, joint = game.start().state, game.blank(), np.zeros(4, np.int64)
    ends: dict[str, list[int]] = {"flags": [], "alone": [], "nobody": [], "cut": []}
    for number in range(first, first + count):
        play_one(game.g, start, s, generator(7000 + number), joint)
        robots = [s[k.ROBOTS + k.ROBOT * p : k.ROBOTS + k.ROBOT * (p + 1)] for p in range(4)]
        if max(int(a[k.NEXT]) for a in robots) > len(game.course.flags):
            how = "flags"
        elif s[k.TURN] >= MOST_TURNS:
            how = "cut"
        else:
            how = "alone" if sum(int(a[k.STATUS]) != k.GONE for a in robots) == 1 else "nobody"
        ends[how].append(int(s[k.TURN]))
    return ends


def main() -> None:
    parser = arguments("random_races", "how long races last under random play", games=1000)
    given = parser.parse_args()
    tasks: list[Task] = [
        (course, lives, *part) for lives in (0, 3) for course in COURSES for part in parts(given.games, EACH)
    ]
    found = run(races, tasks, given)
    lines = [
        "| course | lives | races | turns, mean | median | won by flags | one robot left | nobody left | cut at 10,000 turns |",
        "|---" * 9 + "|",
    ]
    for lives in (0, 3):
        for course in COURSES:
            rows = [result for task, result in found.items() if task[:2] == (course, lives)]
            ends = {how: [x for row in rows for x in row[how]] for how in ("flags", "alone", "nobody", "cut")}
            turns = [x for some in ends.values() for x in some]
            if turns:
                shares = " | ".join(f"{len(some) / len(turns):.1%}" for some in ends.values())
                lines.append(
                    f"| {course} | {lives or 'without end'} | {len(turns)} | {statistics.mean(turns):,.0f} "
                    f"| {statistics.median(turns):,.0f} | {shares} |"
                )
    publish(NAME, PAGE, lines, given.write)


if __name__ == "__main__":
    main()
