"""Risk's drafts against one another: one seat drafting in one way among seats that draft in another, 2 to 6 seats.

kth, greedy by the same ranking of territories (static; kth also by the ranking made anew at every pick), UCT (300 simulations a
pick), preference of continents, and random picks. The same scripted player plays all seats afterwards; seats rotate;
undecided games count as lost.

    python -m benchmarks.experiments.risk_drafts --workers 16 --limit 550 --write
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np

from benchmarks.experiments import Result, Task, arguments, parts, publish, run, share
from stratagem.compile import specialise
from stratagem.games.risk.atlas import TERRITORIES
from stratagem.games.risk.draft_picking import Picker
from stratagem.games.risk.draft_worth import judge_of, shipped
from stratagem.games.risk.game import Risk
from stratagem.games.risk.kernels import OWNER, STATE_SIZE
from stratagem.games.risk.scripted import STYLES, claim_by_preference
from stratagem.games.risk.simulation import simulate
from stratagem.plans.draft import Node
from stratagem.rng import below, generator
from stratagem.search.drafts.uct import JudgedDraft, UctDrafter
from stratagem.search.drafts.uct import Settings as DraftSettings

NAME, PAGE = "risk drafts", "games/risk.md"
POLICIES = ("kth", "kth, node", "greedy", "UCT", "preference", "random")
SEATS = (2, 3, 4, 5, 6)
TURN_CAP = 400
SIMULATIONS = 300
EACH = 60  # games of a part: whole rotations for every number of seats
STYLE = "expected"


@cache
def game_of(players: int) -> Risk:
    return Risk(players=players, two_player="pure", turn_cap=TURN_CAP)


@cache
def picker(players: int, policy: str) -> Picker:
    method, _, ranking = policy.partition(", ")
    return Picker(game_of(players), shipped(game_of(players)), method, ranking or "static")


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
    kernel, row = judge_of(shipped(game_of(players)).row, players)
    drafter = UctDrafter(
        JudgedDraft(TERRITORIES, game_of(players).claimers, players, kernel, row),
        settings=DraftSettings(simulations=SIMULATIONS, nodes=1 << 14),
        seed=int(below(rng, 1 << 30)),
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


def main() -> None:
    parser = arguments("risk_drafts", "drafts of Risk against one another", games=3000)
    parser.add_argument("--players", type=int, choices=SEATS, default=None, help="this number of seats alone")
    given = parser.parse_args()
    counts = [given.players] if given.players else list(SEATS)
    pairs = [(one, others) for one in POLICIES for others in POLICIES if one != others]
    # all rows advance together, so that a run cut short has rows of equal length
    tasks: list[Task] = [
        (players, one, others, *part)
        for part in parts(given.games, EACH)
        for players in counts
        for one, others in pairs
    ]
    found = run(games, tasks, given)
    lines: list[str] = []
    for players in counts:
        rows: dict[tuple[str, str], list[Result]] = {}
        for task, result in found.items():
            if task[0] == players:
                rows.setdefault((task[1], task[2]), []).append(result)
        least = min((sum(r["games"] for r in row) for row in rows.values()), default=0)
        lines += [f"{players} seats, an even share is {1 / players:.1%}, {least:,} games a cell or more:", ""]
        lines += ["| one, among the others: | " + " | ".join(POLICIES) + " |", "|---" * (1 + len(POLICIES)) + "|"]
        for one in POLICIES:
            cells = []
            for others in POLICIES:
                row = rows.get((one, others), [])
                played = sum(r["games"] for r in row)
                cells.append("" if one == others else share(sum(r["won"] for r in row), played))
            lines.append(f"| {one} | {' | '.join(cells)} |")
        lines.append("")
    publish(NAME, PAGE, lines[:-1], given.write)


if __name__ == "__main__":
    main()
