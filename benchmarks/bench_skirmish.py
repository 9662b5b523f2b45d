"""Claims about Skirmish beside the public test bed: the same rules, ten times its random actions a second.

The public program (GitHub njustesen/hero-aicademy, GPL-2) is found through the variable HERO_AICADEMY, the folder of its
compiled classes; nothing of it is part of this project (`benchmarks/peers/hero_aicademy.py`).

`parity`: random actions one by one, by the published profile: listed actions, states and results are the same. Their draws
are told to ours. `speed`: random actions a second with listing, theirs and ours, alternating. `pairs`: one of our players
against one of theirs at equal time a turn, decks and seats swapped.

    HERO_AICADEMY=CLASSES python benchmarks/bench_skirmish.py [--only parity,speed,pairs] [--actions 10000] [--points 5]
        [--pairs 200] [--ours oep] [--theirs oe] [--seconds 1] [--workers 1] [--results FILE]
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import stratagem
from benchmarks.peers.hero_aicademy import PLAYERS, VARIABLE, Program, Theirs, classes
from stratagem.compile import specialise
from stratagem.contract.game import ArrayPosition
from stratagem.contract.player import Clock
from stratagem.errors import StratagemError
from stratagem.games.skirmish import kernels as k
from stratagem.games.skirmish.game import Skirmish
from stratagem.games.skirmish.telling import CARD_NAMES
from stratagem.kernel import CHANCE, OVER, SIZE, Ground, State, draw, play, sample, turn
from stratagem.rng import Rng, generator
from stratagem.search.rivals import RivalPlayer

FIERCE = 0.6  # share of random actions that are strikes, healings, fires or units that enter, where there are any
BOARDS = (("field", "standard"), ("yard", "small"), ("lane", "tiny"))
WATCHED = ("strikes", "falls", "revivals", "towers", "pushes", "leaps", "wins")


def fierce(position: ArrayPosition, lots: random.Random) -> int:
    """A random action, more often one that does something to somebody: else hardly anything would ever fall."""
    game: Any = position.game
    numbers = position.move_numbers()
    telling = [
        m
        for m in numbers
        if any(sign in (text := game.move_text(position.state, position.turn, m)) for sign in ">+")
        or text.split(" ")[0] in CARD_NAMES[: k.UNITS + 1]
    ]
    return lots.choice(telling if telling and lots.random() < FIERCE else numbers)


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
    lots, seen, compared, games = random.Random(seed), Counter[str](), 0, 0
    for board, deck in BOARDS:
        game: Any = stratagem.game("skirmish", map=board, deck=deck, points=points, profile="published")
        with Program(game) as theirs:
            part = 0
            while part < actions // len(BOARDS) + 1:
                part += one_game(game, theirs, lots, seen)
                games += 1
            compared += part
    watched = ", ".join(f"{seen[name]} {name}" for name in WATCHED)
    print(f"parity: {compared} actions in {games} games, lists and states all the same ({watched})", flush=True)


def one_game(game: Skirmish, theirs: Program, lots: random.Random, seen: Counter[str]) -> int:
    position, n = game.start(seed=lots.randrange(1 << 30)), 0
    theirs.position(position)
    while not position.over:
        numbers = set(position.move_numbers())
        if numbers - {game.end} != (listed := theirs.listed()) - {game.end}:
            sys.exit(f"the lists differ in {position}: only ours {numbers - listed}, only theirs {listed - numbers}")
        m = fierce(position, lots)
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


# ------------------------------------------------------------------------------------------------------------- pairs


def one_match(game: Skirmish, players: list[Any], seed: int, seconds: float) -> float:
    """The payoff of the first seat. `seconds` are for a turn: players of whole turns get them at once, others by the action."""
    position, rng = game.start(seed=seed), generator(seed, 1)
    while not position.over:
        if position.turn == CHANCE:
            position = position.play(position.sample(rng))
            continue
        player = players[position.turn]
        share = seconds if plans_turns(player) else seconds / game.points
        position = position.play(player.choose(position.view(position.turn), Clock(share)).move)
    return position.payoff[0]


def plans_turns(player: Any) -> bool:
    """Whether a player's clock is for a whole turn."""
    return isinstance(player, Theirs | RivalPlayer) or getattr(player, "course", None) is not None


class Match(NamedTuple):
    """What a pair of games is played with."""

    points: int
    ours: str
    theirs: str
    seconds: float


def one_pair(match: Match, seed: int) -> float:
    """Our score in two games of one deal, seats swapped: 0 to 1."""
    game: Any = stratagem.game("skirmish", points=match.points)  # theirs may end a turn early
    mine, other = stratagem.player(game, match.ours, seed=seed), Theirs(game, match.theirs, seconds=match.seconds)
    try:
        seated = (
            one_match(game, [mine, other], seed, match.seconds),
            one_match(game, [other, mine], seed, match.seconds),
        )
    finally:
        other.program.close()
    return (seated[0] - seated[1] + 2) / 4


def pairs(match: Match, n: int, workers: int, results: Path | None) -> None:
    """Pairs are written to the file as they end; the same command goes on where it stopped."""
    named = {**match._asdict()}
    scores: dict[int, float] = {}
    if results is not None and results.is_file():
        found = [json.loads(line) for line in results.read_text().splitlines()]
        scores = {row["seed"]: row["score"] for row in found if all(row[name] == x for name, x in named.items())}
    left = [seed for seed in range(n) if seed not in scores]
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        for done in as_completed([pool.submit(_seeded, match, seed) for seed in left]):
            seed, score = done.result()
            scores[seed] = score
            if results is not None:
                with results.open("a") as file:
                    file.write(json.dumps({**named, "seed": seed, "score": score}) + "\n")
            print(told(match, list(scores.values())), flush=True)
    if not left:
        print(told(match, list(scores.values())))


def _seeded(match: Match, seed: int) -> tuple[int, float]:
    return seed, one_pair(match, seed)


def told(match: Match, scores: list[float]) -> str:
    error = f"± {1.96 * statistics.stdev(scores) / math.sqrt(len(scores)):.3f} " if len(scores) > 1 else ""
    what = f"{match.ours} against their {match.theirs}, {match.points} points, {match.seconds:g} s a turn"
    return f"pairs: {what}: {statistics.fmean(scores):.3f} {error}over {len(scores)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="parity,speed")
    parser.add_argument("--actions", type=int, default=10_000)
    parser.add_argument("--points", type=int, default=5)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--ours", default="oep")
    parser.add_argument("--theirs", default="oe", choices=PLAYERS)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--results", type=Path, help="a file that keeps the pairs that were played")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    wanted = asked.only.split(",")
    try:
        found = classes()
    except StratagemError as error:
        sys.exit(str(error))
    if found is None:
        print(f"skipped: say by the variable {VARIABLE} where the compiled classes of the public program are")
        return
    if "parity" in wanted:
        parity(asked.actions, asked.points, asked.seed)
    if "speed" in wanted:
        speed(asked.points)
    if "pairs" in wanted:
        match = Match(asked.points, asked.ours, asked.theirs, asked.seconds)
        pairs(match, asked.pairs, asked.workers, asked.results)


if __name__ == "__main__":
    main()
