"""Whole turns of Risk for the campaign search: intents are rows of a scripted player's weights (`scripted`).

Proposed are the base player's own turn, bolder and more careful ones, one that only takes a card, one that stays at home,
one that keeps its cards, and turns with an eye on each continent and on each rival.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.games.risk.atlas import CONTINENT_NAMES, CONTINENTS, LANDS, LETTERS
from stratagem.games.risk.game import Risk
from stratagem.games.risk.kernels import (
    ATTACK,
    OWNS,
    PHASE,
    PLAYER,
    SEATS,
    STATE_SIZE,
    TURN,
    draw,
    owned,
    play,
    turn,
    winner,
)
from stratagem.games.risk.position_worth import FEATURES, value_weights, worths
from stratagem.games.risk.scripted import (
    CHANCE_NEEDED,
    FOCUS,
    GUARD,
    HOLD,
    LOSS,
    RELUCTANCE,
    RIVAL,
    SCRATCH,
    STYLES,
    WEIGHTS,
    decide,
)
from stratagem.games.risk.simulation import GO_ON, NO_DRAFTS, Games, set_draft
from stratagem.kernel import CHANCE, OVER, Ground, Payoffs, State, Unbound
from stratagem.rng import Rng, bits, seed_stream
from stratagem.search.campaign import Limits, Proposals, Scratch, choose_plan

Rows = NDArray[np.float64]
Ints = NDArray[np.int64]

CELLS: int = cast(Any, Unbound("CELLS"))
PLAN_SIZE = WEIGHTS
BASE = np.zeros(WEIGHTS)  # bound: the weights of the player whose turns are varied, and by which all go on
KINDS = ("as usual", "boldly", "carefully", "for the card", "stay at home", "guarded", "keep the cards")
MOST_PLANS = len(KINDS) + CONTINENTS + 6
EXTRA = 3.0  # armies' worth of an eye on a continent or a rival


def propose(g: Ground, s: State, p: int, plans: Rows) -> int:
    n = len(KINDS)
    for k in range(n):
        plans[k] = BASE
    plans[1, LOSS] *= 0.5
    plans[1, RELUCTANCE] -= 1.0
    plans[2, LOSS] *= 1.5
    plans[2, CHANCE_NEEDED] = max(BASE[CHANCE_NEEDED], 0.8)
    plans[3, RELUCTANCE] += 50.0
    plans[4, CHANCE_NEEDED] = 2.0
    plans[5, GUARD] = 1.0
    plans[6, HOLD] = 1.0
    mine = owned(s, p)
    for c in range(CONTINENTS):
        if mine & LANDS[c] != LANDS[c]:
            plans[n] = BASE
            plans[n, FOCUS + c] += EXTRA
            n += 1
    for q in range(SEATS):
        if q != p and s[OWNS + q] > 0:
            plans[n] = BASE
            plans[n, RIVAL + q] += EXTRA
            n += 1
    return n


def described(plan: Rows, base: Rows) -> str:
    """An intent in words."""
    for c in range(CONTINENTS):
        if plan[FOCUS + c] != base[FOCUS + c]:
            return f"towards {CONTINENT_NAMES[c]}"
    for q in range(6):
        if plan[RIVAL + q] != base[RIVAL + q]:
            return f"against {LETTERS[q]}"
    for name, changed in zip(
        KINDS[1:],
        (plan[LOSS] < base[LOSS], plan[LOSS] > base[LOSS], plan[RELUCTANCE] > base[RELUCTANCE], plan[CHANCE_NEEDED] > 1,
         plan[GUARD] != base[GUARD], plan[HOLD] != base[HOLD]),
        strict=True,
    ):  # fmt: skip
        if changed:
            return name
    return KINDS[0]


def carry(g: Ground, s: State, p: int, plan: Rows, r: Rng) -> int:
    return decide(g, s, p, plan, r)


def judge(g: Ground, s: State, out: Payoffs) -> None:
    worths(g, s, np.empty((SEATS, FEATURES)), out)


def turns(g: Ground, s: State) -> int:
    return s[TURN]


def campaign_names(game: Risk, base: str = "expected", value: Rows | None = None) -> dict[str, Any]:
    """What the campaign search needs of a game of Risk; `value` are other weights of the judgement than those shipped."""
    own = dict(game.names["turn"].names)
    own |= {
        "BASE": STYLES[base], "VALUE_WEIGHTS": value_weights(game.players) if value is None else value,
        "MOST_PLANS": MOST_PLANS, "PLAN_SIZE": WEIGHTS,
        "CELLS": STATE_SIZE + SCRATCH, "SECRET": game.hidden, "PLAYERS": game.players,
        "propose": propose, "carry": carry, "judge": judge, "turns": turns,
    }  # fmt: skip
    return own


def two_rounds(game: Risk) -> int:
    """The usual horizon: turns until a seat begins its second turn after this one. One round is quicker and plays worse."""
    return 2 * game.players - 1


# ------------------------------------------------------------------------------- whole games with searching seats


def searched_games(
    g: Ground, start: State, rows: Rows, budgets: Ints, seats: Ints, drafts: Ints, horizons: Ints, again: Ints, seed: int,
    first: int, winners: Ints, lengths: Ints, stop: Ints,
) -> int:  # fmt: skip
    """Like `simulation.games_template`; a seat numbered len(rows) + k plans its turns with budgets[k] samples that
    look horizons[k] turns further. A plan is made when a turn begins and kept, or where again[k] is 1 made anew at each choice
    of an attack."""
    s, x = np.zeros(CELLS, np.int64), np.zeros(CELLS, np.int64)
    r, inner = np.zeros(2, np.int64), np.zeros(2, np.int64)
    plans, alive, stats = np.zeros((MOST_PLANS, PLAN_SIZE)), np.zeros(MOST_PLANS, np.int64), np.zeros((MOST_PLANS, 3))
    usual = BASE.copy()
    proposals, scratch = Proposals(plans, usual, alive, stats), Scratch(x, inner, np.zeros(SEATS))
    chosen, planned = np.zeros((SEATS, PLAN_SIZE)), np.zeros(SEATS, np.int64)
    for i in range(seats.shape[0]):
        if stop[0] != 0:
            return i
        s[:] = 0
        s[:STATE_SIZE] = start[:STATE_SIZE]
        seed_stream(r, seed, first + i)
        if drafts.shape[0] > 0:
            set_draft(s, drafts[i])
        planned[:] = 0
        while True:
            p = turn(g, s)
            if p >= 0:
                row = seats[i, p]
                w = rows[row] if row < rows.shape[0] else usual
                k = row - rows.shape[0]
                if k >= 0 and s[TURN] > 0 and p == s[PLAYER]:
                    if planned[p] != s[TURN] or (again[k] == 1 and s[PHASE] == ATTACK):
                        planned[p] = s[TURN]
                        limits = Limits(budgets[k], horizons[k], bits(r))
                        choose_plan(g, s, p, proposals, scratch, limits, GO_ON)
                        chosen[p] = plans[alive[0]]
                    w = chosen[p]
                m = decide(g, s, p, w, r)
                play(g, s, p, m)
            elif p == CHANCE:
                draw(g, s, r)
            elif p == OVER:
                break
        winners[i] = winner(s)
        lengths[i] = s[TURN]
    return seats.shape[0]


def search_games(
    game: Risk, rows: Rows, budgets: Sequence[int], seats: Ints, *, drafts: Ints | None = None,
    horizon: int | Sequence[int] | None = None, again: bool | Sequence[bool] = False, seed: int = 0, first: int = 0,
    stop: Ints | None = None, base: str = "expected", value: Rows | None = None,
) -> Games:  # fmt: skip
    """`simulation.simulate` with searching seats: those numbered len(rows) + k have budgets[k] samples a turn. The horizon,
    and whether plans are made anew before each attack, are one for all of them or one each."""
    horizons = np.broadcast_to(two_rounds(game) if horizon is None else horizon, len(budgets)).astype(np.int64)
    winners, lengths = np.full(len(seats), -1, np.int64), np.zeros(len(seats), np.int64)
    compiled = specialise(
        searched_games, campaign_names(game, base, value), label=f"risk, searching games of {game.players}"
    )
    done = compiled(
        game.g.copy(), game.start().state.copy(), np.ascontiguousarray(rows), np.array(budgets, np.int64),
        np.ascontiguousarray(seats, np.int64), NO_DRAFTS if drafts is None else np.ascontiguousarray(drafts, np.int64),
        horizons, np.broadcast_to(again, len(budgets)).astype(np.int64),
        seed, first, winners, lengths, np.zeros(1, np.int64) if stop is None else stop,
    )  # fmt: skip
    return Games(winners[:done], lengths[:done])


__all__ = ["campaign_names", "carry", "described", "judge", "propose", "search_games", "turns", "two_rounds"]
