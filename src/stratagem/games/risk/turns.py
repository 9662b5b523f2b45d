"""Whole turns of Risk for the campaign search: intents are rows of a scripted player's weights (`scripted`).

Proposed are the base player's own turn, bolder and more careful ones, one that only takes a card, one that stays at home,
one that keeps its cards, and turns with an eye on each continent and on each rival.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.games.risk import atlas, kernels, scripted
from stratagem.games.risk.game import Risk
from stratagem.games.risk.position_worth import FEATURES, value_weights, worths
from stratagem.games.risk.simulation import GO_ON, Fixtures, Games, Results, begin, fixtures_of, results_of
from stratagem.kernel import CHANCE, OVER, Ground, Payoffs, State, Unbound
from stratagem.rng import Rng, bits
from stratagem.search.campaign import CampaignLimits, Proposals, Scratch, choose_plan

Rows = NDArray[np.float64]
Ints = NDArray[np.int64]

CELLS: int = cast(Any, Unbound("CELLS"))
ALL_CELLS = (
    kernels.STATE_SIZE + scripted.SCRATCH
)  # one object: templates are known again by the very objects bound to them
PLAN_SIZE = scripted.WEIGHTS
BASE = np.zeros(scripted.WEIGHTS)  # bound: the weights of the player whose turns are varied, and by which all go on
KINDS = ("as usual", "boldly", "carefully", "for the card", "stay at home", "guarded", "keep the cards")
MOST_PLANS = len(KINDS) + atlas.CONTINENTS + 6
EXTRA = 3.0  # armies' worth of an eye on a continent or a rival


def propose(g: Ground, s: State, p: int, plans: Rows) -> int:
    n = len(KINDS)
    for k in range(n):
        plans[k] = BASE
    plans[1, scripted.LOSS] *= 0.5
    plans[1, scripted.RELUCTANCE] -= 1.0
    plans[2, scripted.LOSS] *= 1.5
    plans[2, scripted.CHANCE_NEEDED] = max(BASE[scripted.CHANCE_NEEDED], 0.8)
    plans[3, scripted.RELUCTANCE] += 50.0
    plans[4, scripted.CHANCE_NEEDED] = 2.0
    plans[5, scripted.GUARD] = 1.0
    plans[6, scripted.HOLD] = 1.0
    mine = kernels.owned(s, p)
    for c in range(atlas.CONTINENTS):
        if mine & atlas.LANDS[c] != atlas.LANDS[c]:
            plans[n] = BASE
            plans[n, scripted.FOCUS + c] += EXTRA
            n += 1
    for q in range(kernels.SEATS):
        if q != p and s[kernels.OWNS + q] > 0:
            plans[n] = BASE
            plans[n, scripted.RIVAL + q] += EXTRA
            n += 1
    return n


def described(plan: Rows, base: Rows) -> str:
    """An intent in words."""
    for c in range(atlas.CONTINENTS):
        if plan[scripted.FOCUS + c] != base[scripted.FOCUS + c]:
            return f"towards {atlas.CONTINENT_NAMES[c]}"
    for q in range(6):
        if plan[scripted.RIVAL + q] != base[scripted.RIVAL + q]:
            return f"against {atlas.LETTERS[q]}"
    for name, changed in zip(
        KINDS[1:],
        (
            plan[scripted.LOSS] < base[scripted.LOSS],
            plan[scripted.LOSS] > base[scripted.LOSS],
            plan[scripted.RELUCTANCE] > base[scripted.RELUCTANCE],
            plan[scripted.CHANCE_NEEDED] > 1,
            plan[scripted.GUARD] != base[scripted.GUARD],
            plan[scripted.HOLD] != base[scripted.HOLD],
        ),
        strict=True,
    ):
        if changed:
            return name
    return KINDS[0]


def carry(g: Ground, s: State, p: int, plan: Rows, r: Rng) -> int:
    return scripted.decide(g, s, p, plan, r)


def judge(g: Ground, s: State, out: Payoffs) -> None:
    worths(g, s, np.empty((kernels.SEATS, FEATURES)), out)


def turns(g: Ground, s: State) -> int:
    return s[kernels.TURN]


def campaign_names(game: Risk, base: str = "expected", value: Rows | None = None) -> dict[str, Any]:
    """What the campaign search needs of a game of Risk; `value` are other weights of the judgement than those shipped."""
    own = dict(game.names["turn"].names)
    own |= {
        "BASE": scripted.STYLES[base],
        "VALUE_WEIGHTS": value_weights(game.players) if value is None else value,
        "MOST_PLANS": MOST_PLANS,
        "PLAN_SIZE": scripted.WEIGHTS,
        "CELLS": ALL_CELLS,
        "SECRET": game.hidden,
        "PLAYERS": game.players,
        "propose": propose,
        "carry": carry,
        "judge": judge,
        "turns": turns,
    }
    return own


def two_rounds(game: Risk) -> int:
    """The usual horizon: turns until a seat begins its second turn after this one. One round is quicker and plays worse."""
    return 2 * game.players - 1


# ------------------------------------------------------------------------------- whole games with searching seats


class Searchers(NamedTuple):
    """Seats that plan their turns; number k sits where a seat is numbered len(rows) + k."""

    samples: Ints  # a turn
    horizons: Ints  # turns that they look further
    again: Ints  # 1: a plan is made anew at each choice of an attack, 0: when a turn begins


class GameScratch(NamedTuple):
    """What a game with searching seats is played with."""

    s: State
    r: Rng
    usual: Rows  # the weights by which all go on
    proposals: Proposals
    scratch: Scratch
    chosen: Rows  # [seats, PLAN_SIZE]: the plan of each
    planned: Ints  # [seats]: the turn that it is for


def new_scratch() -> GameScratch:
    plans, usual = np.zeros((MOST_PLANS, PLAN_SIZE)), BASE.copy()
    proposals = Proposals(plans, usual, np.zeros(MOST_PLANS, np.int64), np.zeros((MOST_PLANS, 3)))
    scratch = Scratch(np.zeros(CELLS, np.int64), np.zeros(2, np.int64), np.zeros(kernels.SEATS))
    s, r = np.zeros(CELLS, np.int64), np.zeros(2, np.int64)
    return GameScratch(
        s, r, usual, proposals, scratch, np.zeros((kernels.SEATS, PLAN_SIZE)), np.zeros(kernels.SEATS, np.int64)
    )


def planned_weights(g: Ground, p: int, searchers: Searchers, k: int, work: GameScratch) -> Rows:
    """The weights by which searching seat p, number k, decides now; a new plan is made where one is due."""
    s = work.s
    if s[kernels.TURN] == 0 or p != s[kernels.PLAYER]:
        return work.usual
    if work.planned[p] != s[kernels.TURN] or (searchers.again[k] == 1 and s[kernels.PHASE] == kernels.ATTACK):
        work.planned[p] = s[kernels.TURN]
        limits = CampaignLimits(searchers.samples[k], searchers.horizons[k], bits(work.r))
        choose_plan(g, s, p, work.proposals, work.scratch, limits, GO_ON)
        work.chosen[p] = work.proposals.plans[work.proposals.alive[0]]
    return work.chosen[p]


def searched_games(
    g: Ground, start: State, fixtures: Fixtures, searchers: Searchers, results: Results, stop: Ints
) -> int:
    """`simulation.games_template` with searching seats."""
    rows, seats = fixtures.rows, fixtures.seats
    work = new_scratch()
    s, r = work.s, work.r
    for i in range(seats.shape[0]):
        if stop[0] != 0:
            return i
        begin(fixtures, i, start, s, r)
        work.planned[:] = 0
        while True:
            p = kernels.turn(g, s)
            if p >= 0:
                k = seats[i, p] - rows.shape[0]
                w = rows[seats[i, p]] if k < 0 else planned_weights(g, p, searchers, k, work)
                kernels.play(g, s, p, scripted.decide(g, s, p, w, r))
            elif p == CHANCE:
                kernels.draw(g, s, r)
            elif p == OVER:
                break
        results.winners[i] = kernels.winner(s)
        results.turns[i] = s[kernels.TURN]
    return seats.shape[0]


@dataclass(frozen=True)
class Searching:
    """How searching seats think; what is not said for each is said for all."""

    samples: Sequence[int]  # a turn, of each
    horizon: int | Sequence[int] | None = None  # turns that they look further; None: two rounds
    again: bool | Sequence[bool] = False  # whether plans are made anew before each attack
    base: str = "expected"  # the scripted player whose turns are varied
    value: Rows | None = None  # other weights of the judgement than those shipped

    def searchers(self, game: Risk) -> Searchers:
        def each(x: Any) -> Ints:
            return np.broadcast_to(x, len(self.samples)).astype(np.int64)

        horizon = two_rounds(game) if self.horizon is None else self.horizon
        return Searchers(np.array(self.samples, np.int64), each(horizon), each(self.again))


def search_games(
    game: Risk,
    rows: Rows,
    searching: Searching,
    seats: Ints,
    *,
    drafts: Ints | None = None,
    seed: int = 0,
    first: int = 0,
    stop: Ints | None = None,
) -> Games:
    """`simulation.simulate` with searching seats: number k sits where a seat is numbered len(rows) + k."""
    fixtures, results = fixtures_of(rows, seats, drafts, seed, first), results_of(len(seats))
    names = campaign_names(game, searching.base, searching.value)
    compiled = specialise(searched_games, names, label=f"risk, searching games of {game.players}")
    stop, searchers = GO_ON if stop is None else stop, searching.searchers(game)
    done = compiled(game.g.copy(), game.start().state.copy(), fixtures, searchers, results, stop)
    return Games(results.winners[:done], results.turns[:done])


__all__ = [
    "Searching",
    "campaign_names",
    "carry",
    "described",
    "judge",
    "propose",
    "search_games",
    "turns",
    "two_rounds",
]
