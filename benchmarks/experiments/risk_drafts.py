"""Risk's drafts against one another: one seat drafting in one way among seats that draft in another, 2 to 6 seats.

kth and greedy by the same ranking of territories, made on the empty map; kth by a ranking made anew at every pick (`pick`) and at
every node of its look-ahead (`node`); UCT (300 simulations a pick), preference of continents, and random picks. The same
scripted player plays all seats afterwards; seats rotate; undecided games count as lost. A row is one way of drafting, against
each of the others in turn; its games are those of its cells together.

    python -m benchmarks.experiments.risk_drafts --workers 16 --limit 550 --write
    python -m benchmarks.experiments.risk_drafts --one "kth, node" --games 480 --write
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np

from benchmarks.experiments import Result, Task, arguments, known, parts, publish, run, share
from stratagem.compile import specialise
from stratagem.games.risk.atlas import TERRITORIES
from stratagem.games.risk.draft_picking import Picker
from stratagem.games.risk.draft_worth import Evaluation, by_weights, shipped
from stratagem.games.risk.game import Risk
from stratagem.games.risk.kernels import OWNER, STATE_SIZE
from stratagem.games.risk.scripted import STYLES, claim_by_preference
from stratagem.games.risk.simulation import simulate
from stratagem.plans.draft import Node
from stratagem.rng import below, generator
from stratagem.search.drafts.uct import DraftUctSettings as DraftSettings
from stratagem.search.drafts.uct import JudgedDraft, UctDrafter

NAME, PAGE = "risk drafts", "games/risk.md"
POLICIES = ("kth", "kth, pick", "kth, node", "greedy", "UCT", "preference", "random")
SEATS = (2, 3, 4, 5, 6)
TURN_CAP = 400
SIMULATIONS = 300
EACH = 60  # games of a part: whole rotations for every number of seats
STYLE = "expected"


@cache
def game_of(players: int) -> Risk:
    return Risk(players=players, two_player="pure", turn_cap=TURN_CAP)


@cache
def evaluation(players: int) -> Evaluation:
    return shipped(game_of(players))


@cache
def picker(players: int, policy: str) -> Picker:
    method, _, ranking = policy.partition(", ")
    return Picker(game_of(players), evaluation(players), method, ranking or "static")


@cache
def preference() -> Any:
    return specialise(claim_by_preference, {"SEATS": 6}, label="risk, a claim by preference")


def choose(players: int, policy: str, node: Node, rng: Any) -> int:
    """A pick of the seat to move."""
    taken = node.taken
    free = [t for t in range(TERRITORIES) if not taken >> t & 1]
    if policy.startswith(("kth", "greedy")):
        return picker(players, policy).pick(node).territory
    with np.errstate(over="ignore"):
        if policy == "random":
            return free[below(rng, len(free))]
        if policy == "preference":
            board = np.full(STATE_SIZE, -1, np.int64)
            for p, mask in enumerate(node.owned):
                for t in range(TERRITORIES):
                    if mask >> t & 1:
                        board[OWNER + t] = p
            return int(preference()(board, game_of(players).claimers[node.turn], rng))
        seed = int(below(rng, 1 << 30))
    drafter = UctDrafter(
        JudgedDraft(TERRITORIES, game_of(players).claimers, players, by_weights, evaluation(players).row),
        settings=DraftSettings(simulations=SIMULATIONS, nodes=1 << 14),
        seed=seed,
        node=node,
    )
    return int(drafter.choose())


def games(players: int, one: str, others: str, first: int, count: int) -> Result:
    """Games first .. first + count - 1: the seat of `one` rotates."""
    os.environ["STRATAGEM_QUIET"] = "1"
    game = game_of(players)
    owners = np.zeros((count, TERRITORIES), np.int64)
    seat_of = np.array([number % players for number in range(first, first + count)])
    for k, number in enumerate(range(first, first + count)):
        rng, node = generator(9000 + number), Node((0,) * players)
        while node.turn < TERRITORIES:
            p = int(game.claimers[node.turn])
            t = choose(players, one if p == seat_of[k] else others, node, rng)
            owners[k, t] = p
            node = node.plus(p, t)
    seats = np.zeros((count, players), np.int64)
    found = simulate(game, np.array([STYLES[STYLE]]), seats, drafts=owners, seed=32, first=first)
    return {"games": count, "won": int((found.winners == seat_of).sum()), "undecided": int((found.winners < 0).sum())}


def total(found: dict[Task, Result], players: int, one: str, others: str | None = None) -> tuple[int, int]:
    """Games and wins of a cell, or of a whole row."""
    cells = [r for task, r in found.items() if task[:2] == (players, one) and others in (None, task[2])]
    return sum(r["games"] for r in cells), sum(r["won"] for r in cells)


def table(found: dict[Task, Result], players: int) -> list[str]:
    """Rows and columns of those who played at all."""
    rows = [one for one in POLICIES if total(found, players, one)[0]]
    columns = [others for others in POLICIES if any(total(found, players, one, others)[0] for one in rows)]
    lines = [
        f"{players} seats, an even share is {1 / players:.1%}:",
        "",
        f"| one, among the others: | games | all of them | {' | '.join(columns)} |",
        "|---" * (3 + len(columns)) + "|",
    ]
    for one in rows:
        games, won = total(found, players, one)
        cells = []
        for others in columns:
            played, wins = total(found, players, one, others)
            cells.append(share(wins, played) if played else "")
        lines.append(f"| {one} | {games:,} | {share(won, games)} | {' | '.join(cells)} |")
    return [*lines, ""]


def main() -> None:
    # five cells of 600 games are a row of 3,000; there are six by now
    parser = arguments(
        "risk_drafts", "drafts of Risk against one another", games=600, counted="games a cell, six a row"
    )
    parser.add_argument("--players", type=int, choices=SEATS, default=None, help="this number of seats alone")
    parser.add_argument("--one", choices=POLICIES, default=None, help="run the rows of this way of drafting alone")
    given = parser.parse_args()
    counts = [given.players] if given.players else list(SEATS)
    ones = [given.one] if given.one else POLICIES
    # all rows advance together, so that a run cut short has rows of equal length
    tasks: list[Task] = [
        (players, one, others, *part)
        for part in parts(given.games, EACH)
        for players in counts
        for one in ones
        for others in POLICIES
        if one != others
    ]
    run(games, tasks, given)
    found = known(given.results)  # of all runs, this one among them
    lines = [line for players in counts for line in table(found, players)]
    publish(NAME, PAGE, lines[:-1], given.write)


if __name__ == "__main__":
    main()
