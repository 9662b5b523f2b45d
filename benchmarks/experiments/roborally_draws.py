"""Are programmes of RoboRally better drawn uniformly from reduced programmes than from all ordered choices of cards?

Races between players that differ in this alone did not tell them apart, so decisions are compared here. In each of thousands of
positions both ways get the same hand and the same number of samples, and the programmes that they choose are judged by the same
new races: what is left of luck is common to both, and the mean of the differences has a small error. Two uses of a draw:

- *programmes to try*: so many are drawn, each is sampled 8 times, two turns deep with everybody going on by the best programme
  for a robot alone, and the best mean is chosen;
- *playouts*: the same 40 programmes are tried either way, but in their samples everybody else, and later the seat itself, draws.

Neither way announces a power-down. Positions are reached by 0 to 5 turns of the best programmes for a robot alone, one time in
ten any cards, on four courses, 4 robots. A programme is worth the share of 300 races to the end that begin with it and are won
(`benchmarks.strength.roborally_decisions`: the others go on as greedy players, the seat by the best programme for a robot alone).

    python -m benchmarks.experiments.roborally_draws --workers 16 --limit 550 --write
"""

from __future__ import annotations

import math
import os
import statistics
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from benchmarks.experiments import Result, Task, arguments, parts, publish, run
from benchmarks.strength.roborally_decisions import ROBOTS, table_of
from stratagem.compile import Bound, specialise
from stratagem.games.roborally import players
from stratagem.games.roborally.choices import classes, programmes
from stratagem.games.roborally.deal import deal_hands
from stratagem.games.roborally.heuristics import any_cards, best_alone, playout, value
from stratagem.games.roborally.kernels import move
from stratagem.games.roborally.layout import DAMAGE, DEALING, PHASE, ROBOT, is_awake, open_registers
from stratagem.games.roborally.layout import ROBOTS as ROBOTS_AT
from stratagem.kernel import (
    CHANCE,
    NO_MOVE,
    OVER,
    PLAYERS,
    SIZE,
    TOGETHER,
    Ground,
    Moves,
    Payoffs,
    State,
    draw,
    payoff,
    play,
    play_together,
    turn,
)
from stratagem.rng import Rng, below, seed_stream

NAME, PAGE = "roborally draws", "games/roborally.md"
COURSES = ("Risky Exchange", "Dizzy Dash", "Island Hop", "Twister")
MOST_TURNS = 6  # that lead to a position, exclusively
ALL, REDUCED, BEST = 0, 1, 2  # how a programme is drawn
TRIED = (1, 10, 40, 160)  # programmes drawn, of which the best is chosen
SAMPLES = 8  # of each, two turns deep
TURNS = 2
IN_PLAYOUTS = 40  # programmes tried where the playouts are what differs
SAMPLED = (8, 32, 128)  # samples of each of these
RACES = 300  # that judge a programme
EACH = 20  # positions of a part

best_programme, strays, decides, chances = best_alone, playout, playout, value  # bound below


class Desk(NamedTuple):
    """What a sample works with."""

    s: State
    r: Rng
    joint: Moves  # [robots]
    out: Payoffs  # [robots]


def drawn(g: Ground, s: State, p: int, way: int, r: Rng) -> int:
    """A programme for a robot, without a power-down."""
    if way == ALL:
        return any_cards(s, p, r)
    if way == REDUCED:
        return move(g, s, p, below(r, programmes(s, p, classes(s, p))))
    return best_programme(g, s, p, r)


def wander(g: Ground, desk: Desk, seat: int, turns: int) -> bool:
    """Play on for so many turns, one time in ten with any cards; whether the seat then has a programme to write."""
    s, r = desk.s, desk.r
    played = 0
    while True:
        t = turn(g, s)
        if t == OVER:
            return False
        if t == CHANCE:
            draw(g, s, r)
        elif t == TOGETHER:
            if played == turns:
                return is_awake(s, seat) and open_registers(s[ROBOTS_AT + ROBOT * seat + DAMAGE]) > 0
            played += 1
            for p in range(PLAYERS):
                desk.joint[p] = strays(g, s, p, r) if is_awake(s, p) else NO_MOVE
            play_together(g, s, desk.joint)
        else:
            play(g, s, t, decides(g, s, t, r))


def chances_after(g: Ground, start: State, seat: int, m: int, way: int, desk: Desk) -> float:
    """The seat's chances two turns after the programme m, all others and the seat's next one drawn in a way."""
    s, r = desk.s, desk.r
    for i in range(SIZE):
        s[i] = start[i]
    deal_hands(s, seat, r)
    played = 0
    while True:
        t = turn(g, s)
        if t == OVER:
            payoff(g, s, desk.out)
            return float(desk.out[seat])
        if t == CHANCE:
            if played == TURNS and s[PHASE] == DEALING:
                chances(g, s, desk.out)
                return float(desk.out[seat])
            draw(g, s, r)
        elif t == TOGETHER:
            for p in range(PLAYERS):
                desk.joint[p] = drawn(g, s, p, way, r) if is_awake(s, p) else NO_MOVE
            if played == 0:
                desk.joint[seat] = m
            played += 1
            play_together(g, s, desk.joint)
        else:
            play(g, s, t, decides(g, s, t, r))


def try_drawn(g: Ground, start: State, seat: int, way: int, seed: int, desk: Desk, chosen: Moves) -> None:
    """The best of the first TRIED[k] programmes that are drawn in a way, into chosen[k]; the j-th samples of all are alike."""
    best, k = -1.0, 0
    for n in range(TRIED[-1]):
        seed_stream(desk.r, seed, n)
        m = drawn(g, start, seat, way, desk.r)
        total = 0.0
        for j in range(SAMPLES):
            seed_stream(desk.r, seed + 1, j)
            total += chances_after(g, start, seat, m, BEST, desk)
        if total > best:
            best = total
            chosen[k:] = m
        if n + 1 == TRIED[k]:
            k += 1


def try_playouts(
    g: Ground, start: State, seat: int, way: int, seed: int, desk: Desk, totals: Payoffs, chosen: Moves
) -> None:
    """The best of IN_PLAYOUTS programmes after SAMPLED[k] samples each in which all draw in a way, into chosen[k].

    totals: [IN_PLAYOUTS]"""
    done = 0
    totals[:] = 0.0
    for k in range(len(SAMPLED)):
        best = -1.0
        for n in range(IN_PLAYOUTS):
            seed_stream(desk.r, seed, n)
            m = drawn(g, start, seat, REDUCED, desk.r)
            for j in range(done, SAMPLED[k]):
                seed_stream(desk.r, seed + 1, j)
                totals[n] += chances_after(g, start, seat, m, way, desk)
            if totals[n] > best:
                best = totals[n]
                chosen[k] = m
        done = SAMPLED[k]


@cache
def compiled(course: str) -> tuple[Any, Any, Any]:
    """The three templates for a course."""
    game = table_of(course).game
    own, straying = players.constants(game, "turns"), players.constants(game, "turns", "straying")
    names = {
        **game.names["turn"].names,
        **game.names,
        "best_programme": Bound(best_alone, own),
        "strays": Bound(playout, straying),
        "decides": Bound(playout, own),
        "chances": Bound(value, own),
    }
    return tuple(specialise(one, names, label="roborally draws") for one in (wander, try_drawn, try_playouts))  # type: ignore[return-value]


def position(course: str, number: int, seat: int) -> State:
    """A position in which the seat has a programme to write, other hands hidden: the same number, the same position."""
    game = table_of(course).game
    desk = Desk(game.blank(), np.zeros(2, np.int64), np.zeros(ROBOTS, np.int64), np.zeros(ROBOTS))
    attempt = 0
    while True:
        desk.s[:] = 0
        desk.s[: game.size] = game.start().state[: game.size]
        with np.errstate(over="ignore"):
            seed_stream(desk.r, 40_000 + number, attempt)
        if compiled(course)[0](game.g, desk, seat, number // 16 % MOST_TURNS):
            found: State = desk.s
            return found
        attempt += 1


def decisions(first: int, count: int) -> Result:
    """Positions first .. first + count - 1: the worths of what each way chooses, [all, reduced] by the rows of the table."""
    os.environ["STRATAGEM_QUIET"] = "1"
    found: dict[str, list[list[float]]] = {key: [] for key in KEYS}
    for number in range(first, first + count):
        course, seat = COURSES[number % len(COURSES)], number // len(COURSES) % ROBOTS
        table = table_of(course)
        start = position(course, number, seat)
        desk = Desk(table.game.blank(), np.zeros(2, np.int64), np.zeros(ROBOTS, np.int64), np.zeros(ROBOTS))
        _, tries, plays = compiled(course)
        programs: dict[str, list[int]] = {key: [] for key in KEYS}
        for way in (ALL, REDUCED):
            by_draw, by_play = np.zeros(len(TRIED), np.int64), np.zeros(len(SAMPLED), np.int64)
            tries(table.game.g, start, seat, way, 2 * number, desk, by_draw)
            plays(table.game.g, start, seat, way, 2 * number, desk, np.zeros(IN_PLAYOUTS), by_play)
            for key, m in zip(KEYS, [*by_draw, *by_play], strict=True):
                programs[key].append(int(m))
        view = table.game.position(start[: table.game.size].copy()).view(seat)
        every = sorted({m for pair in programs.values() for m in pair})
        worth = {m: table.worth(view, seat, m, RACES, 1_000_000 + number) for m in every}
        for key, pair in programs.items():
            found[key].append([worth[m] for m in pair])
    return found


KEYS = (*(f"tried {n}" for n in TRIED), *(f"sampled {n}" for n in SAMPLED))
ROWS = {
    **{f"tried {n}": f"{n} programmes to try" if n > 1 else "1 programme: the draw itself" for n in TRIED},
    **{f"sampled {n}": f"playouts, {n} for each of {IN_PLAYOUTS} programmes" for n in SAMPLED},
}


def row(name: str, pairs: list[list[float]]) -> str:
    """Means, and the mean difference with the interval that it has with 95 % confidence."""
    every, reduced = [a for a, _ in pairs], [b for _, b in pairs]
    apart = [b - a for a, b in pairs]
    half = 1.96 * statistics.stdev(apart) / math.sqrt(len(apart))
    mean = statistics.mean(apart)
    said = "reduced" if mean > half else "all cards" if -mean > half else f"under {abs(mean) + half:.1%}"
    return (
        f"| {name} | {len(pairs):,} | {statistics.mean(every):.2%} | {statistics.mean(reduced):.2%} "
        f"| {mean:+.2%} ± {half:.2%} | {said} |"
    )


def main() -> None:
    about = "programmes drawn from all cards or from reduced programmes"
    given = arguments("roborally_draws", about, games=3000, counted="positions").parse_args()
    tasks: list[Task] = list(parts(given.games, EACH))
    found = run(decisions, tasks, given)
    lines = [
        "| what is drawn | positions | races won, drawn from all cards | from reduced programmes | difference (95 %) | better |",
        "|---" * 6 + "|",
    ]
    for key, name in ROWS.items():
        pairs = [pair for result in found.values() for pair in result[key]]
        if len(pairs) > 1:
            lines.append(row(name, pairs))
    publish(NAME, PAGE, lines, given.write)


if __name__ == "__main__":
    main()
