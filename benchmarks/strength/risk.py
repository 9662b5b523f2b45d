"""Strength of Risk's players and of the learned draft.

`ladder`: one seat of each player among seats of the one below it, seats rotated, each drafting in its own way (at random, by
preference of continents, or by UCT and the shipped evaluation, 300 simulations a pick); the share of wins with its 95% interval.

`draft`: one seat drafting by UCT and the shipped evaluation among seats that draft at random, by preference of continents, or
by UCT and the paper's linear regression (fitted to games from random drafts); the same scripted player on all seats; seats
rotated. Undecided games count as lost.

`value`: one searching seat, 30 samples a turn, among seats of `expected`, from random drafts, with a short
horizon; judging by the value fitted to games of as many seats, and by that of three seats.

    python benchmarks/strength/risk.py ladder [--games 1002]
    python benchmarks/strength/risk.py draft [--players 3] [--games 3000] [--simulations 300]
    python benchmarks/strength/risk.py value [--players 4] [--games 1000]
"""

from __future__ import annotations

import argparse
import time
from importlib.resources import files

import numpy as np

from stratagem.games.risk.draft_worth import Evaluation, shipped, stacked
from stratagem.games.risk.drafting import PREFERENCE_DRAFTER, RANDOM_DRAFTER, make_drafts
from stratagem.games.risk.game import Risk
from stratagem.games.risk.position_worth import value_weights
from stratagem.games.risk.scripted import STYLES
from stratagem.games.risk.simulation import Games, random_drafts, simulate
from stratagem.games.risk.turns import Searching, search_games

TURN_CAP = 400
LADDER = ("random", "border", "continent", "expected")
SAMPLES = (30, 300)  # of the searching players above them; the second is the level `strong`


def line(name: str, found: Games, seat_of: np.ndarray, began: float) -> None:
    share, half = found.share(seat_of)
    undecided = (found.winners < 0).mean()
    took = 1e3 * (time.process_time() - began) / len(found.winners)
    print(f"{name:52} {share:6.1%} ± {half:.1%}   undecided {undecided:.1%}   {took:.1f} ms a game", flush=True)


def ladder(games: int, players: int = 3) -> None:
    game = Risk(players=players, two_player="pure", turn_cap=TURN_CAP)
    rows = np.array([STYLES[name] for name in LADDER])
    names = [*LADDER, *(f"campaign, {n} samples" for n in SAMPLES)]
    drafting = [RANDOM_DRAFTER, PREFERENCE_DRAFTER, PREFERENCE_DRAFTER, 0, 0, 0]
    evaluation = shipped(game).row[None]
    n = games // players * players
    seat_of = np.arange(n) % players
    print(
        f"one seat among {players - 1} of the player below, each with its own draft; {n} games a row, chance {1 / players:.1%}"
    )
    for k in range(1, len(names)):
        seats = np.full((n, players), k - 1)
        seats[np.arange(n), seat_of] = k
        kinds = np.array(drafting)[seats]
        drafts = make_drafts(game, evaluation, np.array([300]), kinds, seed=41)
        began = time.process_time()
        if k < len(rows):
            found = simulate(game, rows, seats, drafts=drafts, seed=5)
        else:
            found = search_games(game, rows, Searching(SAMPLES), seats, drafts=drafts, seed=5)
        line(f"{names[k]} among {names[k - 1]}", found, seat_of, began)


def draft(games: int, players: int, simulations: int) -> None:
    game = Risk(players=players, two_player="pure", turn_cap=TURN_CAP)
    linear = Evaluation.load(files("stratagem.games.risk") / "data" / f"draft-{players}-linear.json")
    rows = stacked([linear.row, shipped(game).row])
    budget = np.full(2, simulations)
    n = games // players * players
    seat_of = np.arange(n) % players
    drafters = {"random": RANDOM_DRAFTER, "preference": PREFERENCE_DRAFTER, "UCT, linear": 0, "UCT, shipped": 1}
    print(f"{players} seats, {n} games a row, {simulations} simulations a pick; chance {1 / players:.1%}")
    for one, others in (("UCT, shipped", "random"), ("UCT, shipped", "preference"), ("UCT, shipped", "UCT, linear"),
                        ("UCT, linear", "random"), ("UCT, linear", "UCT, shipped"), ("preference", "random")):  # fmt: skip
        kinds = np.full((n, players), drafters[others])
        kinds[np.arange(n), seat_of] = drafters[one]
        drafts = make_drafts(game, rows, budget, kinds, seed=31)
        for style in ("expected", "continent", "border"):
            seats = np.zeros((n, players), np.int64)
            began = time.process_time()
            found = simulate(game, np.array([STYLES[style]]), seats, drafts=drafts, seed=32)
            line(f"{one} among {others}, all play {style}", found, seat_of, began)


def value(games: int, players: int) -> None:
    game = Risk(players=players, two_player="pure", turn_cap=TURN_CAP)
    n = games // players * players
    seat_of, seats = np.arange(n) % players, np.zeros((n, players), np.int64)
    seats[np.arange(n), seat_of] = 1
    drafts = random_drafts(game, n // players, 6).repeat(players, axis=0)
    print(f"campaign, 30 samples, among {players - 1} of expected; {n} games a row, chance {1 / players:.1%}")
    for fitted in dict.fromkeys((players, 3)):
        began = time.process_time()
        searching = Searching([30], horizon=2, value=value_weights(fitted))  # short, so that the value decides more
        found = search_games(game, np.array([STYLES["expected"]]), searching, seats, drafts=drafts, seed=7)
        line(f"value of {fitted} seats", found, seat_of, began)


def main() -> None:
    parser = argparse.ArgumentParser(description="Strength of Risk's players and of the learned draft.")
    parser.add_argument("what", choices=("ladder", "draft", "value"))
    parser.add_argument("--games", type=int, default=0)
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--simulations", type=int, default=300)
    given = parser.parse_args()
    if given.what == "ladder":
        ladder(given.games or 1002, given.players)
    elif given.what == "value":
        value(given.games or 1000, given.players)
    else:
        draft(given.games or 3000, given.players, given.simulations)


if __name__ == "__main__":
    main()
