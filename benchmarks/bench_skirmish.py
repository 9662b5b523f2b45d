"""Claims about Skirmish beside the public test bed: the same rules, ten times its random actions a second, and who wins.

The public program (GitHub njustesen/hero-aicademy, GPL-2) and our driver of it are found through the variable HERO_AICADEMY,
the folder of their compiled classes; nothing of the program is part of this project (docs/games/skirmish.md).

`parity`: random actions one by one, by the published profile: listed actions, states and results are the same. Their draws
are sent to ours. `speed`: random actions a second with listing, theirs and ours, alternating. `pairs`: our players against
theirs at equal time a turn, deals alike and seats swapped; `table`: our players against each other, by action points, which
needs nothing of theirs (`benchmarks/strength/skirmish.py`).

    HERO_AICADEMY=CLASSES python -m benchmarks.bench_skirmish [--only parity,speed] [--actions 10000] [--points 5]
    HERO_AICADEMY=CLASSES python -m benchmarks.bench_skirmish --only pairs --opponent oe,mcts --ours oep --points 5
        --seconds 1 --pairs 200 --workers 8 --results FILE [--limit SECONDS]
    python -m benchmarks.bench_skirmish --only table --ours oep,emcts,staged --points 3,5,10,20 --seconds 0.1 --pairs 100
        --workers 8 --results FILE [--limit SECONDS]
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import stratagem
from benchmarks.clocks import add_clock
from benchmarks.strength import skirmish
from stratagem.compile import specialise
from stratagem.contract.game import ArrayPosition
from stratagem.errors import StratagemError
from stratagem.games.skirmish import kernels as k
from stratagem.games.skirmish.game import Skirmish
from stratagem.games.skirmish.telling import CARD_NAMES
from stratagem.kernel import CHANCE, OVER, SIZE, Ground, State, draw, play, sample, turn
from stratagem.protocols.hero_aicademy import BUILD, PLAYERS, VARIABLE, Program, class_path
from stratagem.rng import Rng, generator

PARTS = ("parity", "speed", "pairs", "table")
FIERCE = 0.6  # share of random actions that are strikes, healings, fires or units that enter, where there are any
BOARDS = (("field", "standard"), ("yard", "small"), ("lane", "tiny"))
WATCHED = ("strikes", "falls", "revivals", "towers", "pushes", "leaps", "wins")


def fierce(position: ArrayPosition, luck: random.Random) -> int:
    """A random action, more often one that does something to somebody: else hardly anything would ever fall."""
    game: Any = position.game
    numbers = position.move_numbers()
    telling = [
        m
        for m in numbers
        if any(sign in (text := game.move_text(position.state, position.turn, m)) for sign in ">+")
        or text.split(" ")[0] in CARD_NAMES[: k.UNITS + 1]
    ]
    return luck.choice(telling if telling and luck.random() < FIERCE else numbers)


def same(one: Mapping[str, Any], other: Mapping[str, Any], where: ArrayPosition) -> None:
    for name, ours in one.items():
        if ours != other[name]:
            sys.exit(f"the rules differ in {name}: ours {ours}, theirs {other[name]}, after {where}")


def drawn(position: ArrayPosition, hands: list[list[int]]) -> ArrayPosition:
    """Ours after the draws that lead to their hands."""
    while position.turn == CHANCE:
        p = int(position.state[k.SEAT])
        held = position.state[k.HAND + p * k.CARDS : k.HAND + (p + 1) * k.CARDS]
        missing = [c for c in range(k.CARDS) if hands[p][c] > held[c]]
        if not missing:
            sys.exit(f"their hand {hands[p]} does not come of ours in {position}")
        position = position.play(CARD_NAMES[missing[0]])
    return position


def parity(actions: int, points: int, seed: int) -> None:
    luck, seen, compared, games = random.Random(seed), Counter[str](), 0, 0
    for board, deck in BOARDS:
        game: Any = stratagem.game("skirmish", map=board, deck=deck, points=points, profile="published")
        with Program(game) as theirs:
            part = 0
            while part < actions // len(BOARDS) + 1:
                part += one_game(game, theirs, luck, seen)
                games += 1
            compared += part
    watched = ", ".join(f"{seen[name]} {name}" for name in WATCHED)
    print(f"parity: {compared} actions in {games} games, lists and states all the same ({watched})", flush=True)


def one_game(game: Skirmish, theirs: Program, luck: random.Random, seen: Counter[str]) -> int:
    position, n = game.start(seed=luck.randrange(1 << 30)), 0
    theirs.position(position)
    while not position.over:
        numbers = set(position.move_numbers())
        if numbers - {game.end} != (listed := theirs.listed()) - {game.end}:
            sys.exit(f"the lists differ in {position}: only ours {numbers - listed}, only theirs {listed - numbers}")
        m = fierce(position, luck)
        text = game.move_text(position.state, position.turn, m)
        before = position
        position = position.play(text)
        watch(before, position, text, seen)
        n += 1
        state = theirs.end() if m == game.end else theirs.act(m)
        if not state["over"] and m != game.end and state["left"] == 0:
            state = theirs.end()
        if state["over"]:
            state["left"] = 0  # theirs keeps what was left
        position = drawn(position, state["hands"])
        same(theirs.ours(position), state, before)
    seen["wins"] += position.state[k.WINNER] > 0
    return n


def watch(before: ArrayPosition, after: ArrayPosition, text: str, seen: Counter[str]) -> None:
    """Count what happened, so that one sees that rules were met at all."""
    one, other = before.state, after.state
    q = 1 - before.turn
    seen["strikes"] += ">" in text
    seen["falls"] += int(other[k.FALLEN + q]).bit_count() > int(one[k.FALLEN + q]).bit_count()
    seen["revivals"] += (
        "+" in text and int(one[k.FALLEN + before.turn]).bit_count() > int(other[k.FALLEN + before.turn]).bit_count()
    )
    seen["towers"] += int(one[k.TOWERS + q]).bit_count() - int(other[k.TOWERS + q]).bit_count()
    hit = [
        i for i in range(k.BOARD, before.game.size) if one[i] != other[i] and k.side_of(int(one[i] or other[i])) == q
    ]
    if ">" in text:
        kind = k.kind_of(int(one[k.BOARD + before.game.board.numbers[text[:2]]]))  # type: ignore[attr-defined]
        seen["leaps"] += kind == k.MAGE and len(hit) > 1
        seen["pushes"] += kind == k.GUARD and len(hit) > 1


# ------------------------------------------------------------------------------------------------------------- speed


def random_steps(g: Ground, root: State, s: State, r: Rng, n: int) -> int:
    """Random actions, draws between them not counted; a game that is over begins again."""
    done = 0
    s[:SIZE] = root[:SIZE]
    while done < n:
        p = turn(g, s)
        if p == OVER:
            s[:SIZE] = root[:SIZE]
        elif p == CHANCE:
            draw(g, s, r)
        else:
            play(g, s, p, sample(g, s, p, r))
            done += 1
    return done


def speed(points: int, rounds: int = 5, steps: int = 200_000) -> None:
    game: Any = stratagem.game("skirmish", points=points, profile="published")
    start = game.start(seed=1)
    ours = specialise(random_steps, game.names, label="skirmish random actions")
    s, r = game.blank(), generator(1)
    ours(game.g, start.state.copy(), s, r, 100)
    rates: dict[str, list[float]] = {"theirs": [], "ours": []}
    with Program(game) as theirs:
        theirs.position(start)
        theirs.ask(f"steps {steps}")  # their compiler warms up
        for _ in range(rounds):
            rates["theirs"].append(steps / (int(theirs.ask(f"steps {steps}")) / 1e9))
            began = time.perf_counter()
            ours(game.g, start.state.copy(), s, r, steps)
            rates["ours"].append(steps / (time.perf_counter() - began))
    mid = {who: statistics.median(found) for who, found in rates.items()}
    shown = f"theirs {mid['theirs']:,.0f}, ours {mid['ours']:,.0f}: {mid['ours'] / mid['theirs']:.1f} times"
    print(f"speed: random actions a second, {shown}", flush=True)


# -------------------------------------------------------------------------------------------------------------- main


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="parity,speed", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--actions", type=int, default=10_000, help="of parity")
    parser.add_argument("--points", type=lambda text: [int(n) for n in text.split(",")], default=[5])
    parser.add_argument("--ours", default="oep", help="our players, with commas between")
    parser.add_argument("--opponent", default="oe", help=f"of the public program: {', '.join(PLAYERS)}")
    parser.add_argument("--seconds", type=float, default=1.0, help="a turn")
    add_clock(parser)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--workers", type=int, default=1, help="pairs at once, one a core")
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds until this run ends")
    parser.add_argument("--results", type=Path, help="a file that keeps the pairs that were played")
    parser.add_argument("--seed", type=int, default=1)
    parser.set_defaults(clock="processor")
    return parser.parse_args()


def main() -> None:
    asked = arguments()
    wanted = asked.only.split(",")
    if unknown := [name for name in wanted if name not in PARTS]:
        raise StratagemError(f"there is no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    if "table" in wanted:
        matches = skirmish.among_ours(asked.ours, asked.points, asked.seconds, asked.clock)
        skirmish.play(matches, asked.pairs, asked.workers, asked.limit, asked.results)
        print(skirmish.table(matches, skirmish.read(asked.results)))
    if wanted == ["table"]:
        return
    if class_path() is None:
        print(f"skipped: say by the variable {VARIABLE} where the compiled classes of the public program are; {BUILD}")
        return
    if "parity" in wanted:
        parity(asked.actions, asked.points[0], asked.seed)
    if "speed" in wanted:
        speed(asked.points[0])
    if "pairs" in wanted:
        matches = skirmish.against_public(asked.ours, asked.opponent, asked.points, asked.seconds, asked.clock)
        skirmish.play(matches, asked.pairs, asked.workers, asked.limit, asked.results)


if __name__ == "__main__":
    try:
        main()
    except StratagemError as error:
        sys.exit(str(error))
