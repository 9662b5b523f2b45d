"""Strength of Risk's players and of the learned draft.

`ladder`: one seat of each player among seats of the one below it, seats rotated, each drafting in its own way (at random, by
preference of continents, or by UCT and the shipped evaluation, 300 simulations a pick); the share of wins with its 95% interval.

`draft`: one seat drafting by UCT and the shipped evaluation among seats that draft at random, by preference of continents, or
by UCT and the paper's linear regression (fitted to games from random drafts); the same scripted player on all seats; seats
rotated. Undecided games count as lost.

`value`: one searching seat, 30 samples a turn, among seats of `expected`, from random drafts, with a short
horizon; judging by the value fitted to games of as many seats, and by that of three seats.

`foretold`: how well finished drafts foretell the winner. Each is played often by `expected` on all seats, which gives chances
that no forecast can beat. The searching player (30 samples) plays the same drafts.

    python -m benchmarks.strength.risk ladder [--games 1002]
    python -m benchmarks.strength.risk draft [--players 3] [--games 3000] [--simulations 300]
    python -m benchmarks.strength.risk value [--players 4] [--games 1000]
    python -m benchmarks.strength.risk foretold [--players 4] [--games 20000]

Games are numbered, and a game is the same in whatever part, process or machine it is played: `--workers` and `--cluster` spread
them. Parts that are done are in the file of results, and the same command goes on after them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.experiments import ROOT, Result, add_run_flags, parts, run
from benchmarks.spread import Task
from stratagem.games.risk.draft_features import described
from stratagem.games.risk.draft_worth import Evaluation, predicted, shipped
from stratagem.games.risk.drafting import PREFERENCE_DRAFTER, RANDOM_DRAFTER, make_drafts
from stratagem.games.risk.game import Risk
from stratagem.games.risk.position_worth import value_weights
from stratagem.games.risk.scripted import STYLES
from stratagem.games.risk.simulation import Games, random_drafts, simulate
from stratagem.games.risk.turns import Searching, search_games

Ints = NDArray[np.int64]

TURN_CAP = 400
EACH = 60  # games of a part: whole rotations for every number of seats
SAMPLES = (30, 300)  # of the searching players above the scripted ones; the second is the level `strong`
SCRIPTED = ("random", "border", "continent", "expected")
LADDER = (*SCRIPTED, *(f"campaign, {n} samples" for n in SAMPLES))
DRAFTING = (RANDOM_DRAFTER, PREFERENCE_DRAFTER, PREFERENCE_DRAFTER, 0, 0, 0)  # of the ladder's players
DRAFTERS = {"random": RANDOM_DRAFTER, "preference": PREFERENCE_DRAFTER, "UCT, linear": 0, "UCT, shipped": 1}
PAIRS = (
    ("UCT, shipped", "random"),
    ("UCT, shipped", "preference"),
    ("UCT, shipped", "UCT, linear"),
    ("UCT, linear", "random"),
    ("UCT, linear", "UCT, shipped"),
    ("preference", "random"),
)
PLAYED_BY = ("expected", "continent", "border")
OFTEN = 200  # games of a draft that tell its chances


def rules(players: int) -> Risk:
    return Risk(players=players, two_player="pure", turn_cap=TURN_CAP)


def seated(players: int, first: int, count: int, one: int, others: int) -> tuple[Ints, Ints]:
    """Whose seat is looked at in games first .. first + count - 1, and who sits where."""
    seat_of = np.arange(first, first + count) % players
    seats = np.full((count, players), others)
    seats[np.arange(count), seat_of] = one
    return seat_of, seats


def reported(found: Games, seat_of: Ints, began: float) -> Result:
    return {
        "games": len(found.winners),
        "won": int((found.winners == seat_of).sum()),
        "undecided": int((found.winners < 0).sum()),
        "cpu": round(time.process_time() - began, 3),
    }


# ------------------------------------------------------------------------- parts of the tables, each a function of its task


def ladder(players: int, k: int, first: int, count: int) -> Result:
    """One seat of the ladder's player k among those of k - 1."""
    game, rows = rules(players), np.array([STYLES[name] for name in SCRIPTED])
    seat_of, seats = seated(players, first, count, k, k - 1)
    budget = np.array([300])
    drafts = make_drafts(game, shipped(game).row[None], budget, np.array(DRAFTING)[seats], seed=41, first=first)
    began = time.process_time()
    if k < len(rows):
        return reported(simulate(game, rows, seats, drafts=drafts, seed=5, first=first), seat_of, began)
    return reported(
        search_games(game, rows, Searching(SAMPLES), seats, drafts=drafts, seed=5, first=first), seat_of, began
    )


def draft(players: int, simulations: int, one: str, others: str, first: int, count: int) -> Result:
    """One drafter among others, by the scripted player of all seats."""
    game = rules(players)
    linear = Evaluation.load(files("stratagem.games.risk") / "data" / f"draft-{players}-linear.json")
    models = np.array([linear.row, shipped(game).row])
    seat_of, kinds = seated(players, first, count, DRAFTERS[one], DRAFTERS[others])
    drafts = make_drafts(game, models, np.full(2, simulations), kinds, seed=31, first=first)
    seats = np.zeros((count, players), np.int64)
    found: Result = {}
    for style in PLAYED_BY:
        began = time.process_time()
        games = simulate(game, np.array([STYLES[style]]), seats, drafts=drafts, seed=32, first=first)
        found[style] = reported(games, seat_of, began)
    return found


def value(players: int, fitted: int, first: int, count: int) -> Result:
    """One searching seat, short-sighted, that judges by the value fitted to games of so many seats."""
    game = rules(players)
    seat_of, seats = seated(players, first, count, 1, 0)
    drafts = random_drafts(game, -(-(first + count) // players), 6).repeat(players, axis=0)[first : first + count]
    searching = Searching([30], horizon=2, value=value_weights(fitted))  # short, so that the value decides more
    rows = np.array([STYLES["expected"]])
    began = time.process_time()
    return reported(search_games(game, rows, searching, seats, drafts=drafts, seed=7, first=first), seat_of, began)


def foretold(players: int, simulations: int, drafter: str, searched: int, first: int, count: int) -> Result:
    """Of drafts first .. first + count - 1: the forecast, and the games that each seat wins by the script and by the search."""
    game, rows = rules(players), np.array([STYLES["expected"]])
    model, kinds = shipped(game).row, np.full((count, players), RANDOM_DRAFTER if drafter == "random" else 0)
    drafts = make_drafts(game, model[None], np.array([simulations]), kinds, seed=51, first=first)

    def won(games: Games, each: int) -> list[list[int]]:
        return [[int((row == p).sum()) for p in range(players)] for row in games.winners.reshape(count, each)]

    forecast = predicted(model, described(drafts, players))
    seats = np.zeros((count * OFTEN, players), np.int64)
    often = simulate(game, rows, seats, drafts=drafts.repeat(OFTEN, axis=0), seed=52, first=OFTEN * first)
    found: Result = {"forecast": forecast.tolist(), "scripted": won(often, OFTEN)}
    if searched:
        seats = np.full((count * searched, players), len(rows))
        few = drafts.repeat(searched, axis=0)
        games = search_games(game, rows, Searching([30]), seats, drafts=few, seed=53, first=searched * first)
        found["searched"] = won(games, searched)
    return found


# ----------------------------------------------------------------------------------------------------------- the tables


def line(name: str, rows: Sequence[Result]) -> None:
    games, won, undecided, cpu = (sum(row[field] for row in rows) for field in ("games", "won", "undecided", "cpu"))
    if not games:
        print(f"{name:52} not played")
        return
    share = won / games
    half = 1.96 * np.sqrt(share * (1 - share) / games)
    print(
        f"{name:52} {share:6.1%} ± {half:.1%}   undecided {undecided / games:.1%}   {1e3 * cpu / games:.1f} ms a game"
        f"   {games} games"
    )


def show_ladder(given: argparse.Namespace) -> None:
    numbers = parts(_whole(given.games or 1002, given.players), EACH)
    tasks: list[Task] = [(given.players, k, *part) for part in numbers for k in range(1, len(LADDER))]
    found = run(ladder, tasks, given)
    print(f"one seat among {given.players - 1} of the player below, each with its own draft; {_chance(given)}")
    for k in range(1, len(LADDER)):
        line(f"{LADDER[k]} among {LADDER[k - 1]}", [row for task, row in found.items() if task[1] == k])


def show_draft(given: argparse.Namespace) -> None:
    numbers = parts(_whole(given.games or 3000, given.players), EACH)
    tasks: list[Task] = [(given.players, given.simulations, *pair, *part) for part in numbers for pair in PAIRS]
    found = run(draft, tasks, given)
    print(f"{given.players} seats, {given.simulations} simulations a pick; {_chance(given)}")
    for one, others in PAIRS:
        rows = [row for task, row in found.items() if task[2:4] == (one, others)]
        for style in PLAYED_BY:
            line(f"{one} among {others}, all play {style}", [row[style] for row in rows])


def show_value(given: argparse.Namespace) -> None:
    numbers = parts(_whole(given.games or 1000, given.players), EACH)
    fits = tuple(dict.fromkeys((given.players, 3)))
    tasks: list[Task] = [(given.players, fitted, *part) for part in numbers for fitted in fits]
    found = run(value, tasks, given)
    print(f"campaign, 30 samples, among {given.players - 1} of expected; {_chance(given)}")
    for fitted in fits:
        line(f"value of {fitted} seats", [row for task, row in found.items() if task[1] == fitted])


def show_foretold(given: argparse.Namespace) -> None:
    drafts, n = (given.games or 20_000) // OFTEN, given.players
    print(f"{n} seats: log loss of who wins, ± 95 % by drafts; equal chances {np.log(n):.3f}")
    print(
        "| drafts | played by | games | the forecast | the chances among `expected` | favourite of the forecast wins |"
    )
    print("|---|---|---|---|---|---|")
    for drafter in ("random", "UCT, shipped"):
        tasks: list[Task] = [(n, given.simulations, drafter, given.searched, *part) for part in parts(drafts, 10)]
        rows = list(run(foretold, tasks, given).values())
        forecast, scripted = (np.array([x for row in rows for x in row[key]]) for key in ("forecast", "scripted"))
        chances = (scripted + 0.5) / (scripted.sum(axis=1) + 0.5 * n)[:, None]
        for name, key in (("`expected`", "scripted"), ("the search", "searched")):
            won = np.array([x for row in rows for x in row.get(key, ())], float)
            if not won.size:
                continue
            games, losses = won.sum(axis=1), []
            for share in (forecast, chances):
                each = -(won * np.log(share)).sum(axis=1)
                if share is chances and key == "scripted":
                    each += (n - 1) / 2  # the chances come from these games themselves: Miller and Madow
                error = 1.96 * np.std(each / games) / np.sqrt(len(games))
                losses.append(f"{each.sum() / games.sum():.3f} ± {error:.3f}")
            hits = won[np.arange(len(won)), forecast.argmax(axis=1)].sum() / games.sum()
            print(f"| {len(won)}, {drafter} | {name} | {games.sum():,.0f} | {' | '.join(losses)} | {hits:.1%} |")


def _whole(games: int, players: int) -> int:
    return games // players * players


def _chance(given: argparse.Namespace) -> str:
    return f"chance {1 / given.players:.1%}"


TABLES: dict[str, Any] = {"ladder": show_ladder, "draft": show_draft, "value": show_value, "foretold": show_foretold}


def main() -> None:
    parser = argparse.ArgumentParser(description="Strength of Risk's players and of the learned draft.")
    parser.add_argument("what", choices=tuple(TABLES))
    parser.add_argument("--games", type=int, default=0)
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--simulations", type=int, default=300)
    parser.add_argument(
        "--searched", type=int, default=8, help="games of the searching player from each draft, of `foretold`"
    )
    add_run_flags(parser, ROOT / "build" / "strength-risk-NAME.jsonl")
    given = parser.parse_args()
    given.results = given.results.with_name(given.results.name.replace("NAME", given.what))
    TABLES[given.what](given)


if __name__ == "__main__":
    main()
