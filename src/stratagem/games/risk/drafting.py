"""Finished drafts of Risk by the thousand, in one compiled call: seats pick by UCT on a model of the draft's worth
(`draft_worth`), by preference of continents, or at random.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from stratagem.errors import OptionError
from stratagem.games.risk.atlas import TERRITORIES
from stratagem.games.risk.draft_features import Ints, Rows
from stratagem.games.risk.draft_worth import by_weights
from stratagem.games.risk.game import Risk
from stratagem.games.risk.kernels import OWNER, STATE_SIZE
from stratagem.games.risk.scripted import claim_by_preference
from stratagem.kernel import State
from stratagem.plans.draft import Node
from stratagem.rng import bits, seed_stream, unit
from stratagem.search.drafts.uct import (
    FREE,
    RANDOM,
    SEARCH,
    DraftGround,
    ForEvaluation,
    at_random,
    draft_state,
    draft_walker,
    play,
    search_draft,
)
from stratagem.search.tree import cell
from stratagem.search.tree.records import Tree, TreeLimits, Walker, plant
from stratagem.search.tree.selection import child_count, first_child

RANDOM_DRAFTER, PREFERENCE_DRAFTER = -2, -1  # kinds of drafters that need no model
EXPLORATION = 1.4  # c of UCT, in units of the spread of values
SAMPLES = 16  # completed drafts that tell that spread


class Drafters(NamedTuple):
    """Who drafts, and how."""

    rows: Rows  # [models, numbers]
    simulations: Ints  # [models]: a pick
    kinds: Ints  # [drafts, seats]: the model of each, or RANDOM_DRAFTER or PREFERENCE_DRAFTER
    explore: float  # c of UCT, in units of the spread of values
    stray: float  # the chance that a pick is one of UCT's visited items, in proportion to its visits
    seed: int
    first: int  # the number of the first draft: the same seed and number, the same draft


class DraftScratch(NamedTuple):
    """What one thread works with."""

    board: State  # [STATE_SIZE]: the territories' owners, for those who draft by preference
    start: State  # the draft so far, as its kernels see it
    tree: Tree
    walker: Walker


def drafts_template(drafters: Drafters, ground: DraftGround, owners: Ints, scratch: DraftScratch, stop: Ints) -> int:
    """Finished drafts into `owners`, a row each; returns how many were made."""
    order, start, r = ground.order, scratch.start, scratch.walker.rng
    for i in range(drafters.kinds.shape[0]):
        if stop[0] != 0:
            return i
        seed_stream(r, drafters.seed, drafters.first + i)
        for x in range(start.shape[0]):
            start[x] = 0
        start[FREE] = (1 << TERRITORIES) - 1
        for t in range(TERRITORIES):
            scratch.board[OWNER + t] = -1
        for k in range(TERRITORIES):
            p = order[k]
            kind = drafters.kinds[i, p]
            if kind == RANDOM_DRAFTER or k == TERRITORIES - 1:
                item = at_random(ground, start, p, r)
            elif kind == PREFERENCE_DRAFTER:
                item = claim_by_preference(scratch.board, p, r)
            else:
                item = searched(drafters, ground, scratch, kind, stop)
            play(ground, start, p, item)
            scratch.board[OWNER + item] = p
        for t in range(TERRITORIES):
            owners[i, t] = scratch.board[OWNER + t]
    return int(drafters.kinds.shape[0])


def searched(drafters: Drafters, ground: DraftGround, scratch: DraftScratch, kind: int, stop: Ints) -> int:
    """A pick by UCT on a model."""
    judged_by = drafters.rows[kind]
    g = DraftGround(ground.order, ground.lists, ground.models, ground.rollouts, ground.slip, judged_by)
    tree, walker, n = scratch.tree, scratch.walker, drafters.simulations[kind]
    clear(tree, walker)
    search_draft(g, scratch.start, tree, walker, TreeLimits(drafters.explore, 0, TERRITORIES, n, n), SAMPLES, stop)
    return picked(tree, unit(walker.rng) < drafters.stray, bits(walker.rng))


def clear(tree: Tree, walker: Walker) -> None:
    """Nothing but a root without children, and all the room there is."""
    tree.stats[cell.PAIR * cell.ROOT + cell.VISITS] = 0.0
    tree.stats[cell.PAIR * cell.ROOT + cell.TOTAL] = 0.0
    tree.nodes[cell.PAIR * cell.ROOT + cell.KIND] = 0
    tree.firsts[cell.QUICK * cell.ROOT + cell.FIRST] = 0
    walker.pool[cell.NEXT] = 1
    walker.pool[cell.END] = tree.stats.shape[0] // cell.PAIR


def picked(tree: Tree, strays: bool, luck: int) -> int:
    """The item of the root's most visited child, ties by mean value; or any, in proportion to visits."""
    first = first_child(tree, cell.ROOT)
    end = first + child_count(tree, cell.ROOT)
    total = 0
    best = first
    for child in range(first, end):
        visits, most = tree.stats[cell.PAIR * child + cell.VISITS], tree.stats[cell.PAIR * best + cell.VISITS]
        total += int(visits)
        # with equal visits the larger total is the larger mean
        if visits > most or (
            visits == most and tree.stats[cell.PAIR * child + cell.TOTAL] > tree.stats[cell.PAIR * best + cell.TOTAL]
        ):
            best = child
    if strays and total > 0:
        at = luck % total
        for child in range(first, end):
            at -= int(tree.stats[cell.PAIR * child + cell.VISITS])
            if at < 0:
                return int(tree.nodes[cell.PAIR * child + cell.MOVE])
    return int(tree.nodes[cell.PAIR * best + cell.MOVE])


@cache
def _drafting(seats: int) -> ForEvaluation:
    return ForEvaluation(drafts_template, by_weights, seats, "risk, drafts", SEATS=6)


def make_drafts(
    game: Risk,
    rows: Rows,
    simulations: Ints,
    kinds: Ints,
    *,
    stray: float = 0.0,
    seed: int = 0,
    first: int = 0,
    stop: Ints | None = None,
) -> Ints:
    """Finished drafts, one row of owners each. The same seed gives the same drafts.

    Seat p of draft i picks by UCT on the model rows[kinds[i, p]], or at random, or by preference of continents. With the
    chance `stray` a pick is one of UCT's visited items in proportion to its visits.
    """
    if game.dealt:
        raise OptionError("territories are dealt with these options: there is nothing to draft")
    seats, order = kinds.shape[1], np.array(game.claimers, np.int64)
    drafters = Drafters(
        rows=np.ascontiguousarray(rows),
        simulations=np.ascontiguousarray(simulations, np.int64),
        kinds=np.ascontiguousarray(kinds, np.int64),
        explore=EXPLORATION,
        stray=stray,
        seed=seed,
        first=first,
    )
    ground = DraftGround(
        order=order,
        lists=np.zeros((seats, 0), np.int64),
        models=np.full(seats, SEARCH),
        rollouts=np.full(seats, RANDOM),
        slip=0.0,
        judged_by=drafters.rows[0],
    )
    nodes = TERRITORIES * (int(simulations.max()) + 4) + 64  # each simulation may open a node
    scratch = DraftScratch(
        board=np.zeros(STATE_SIZE, np.int64),
        start=draft_state(seats, TERRITORIES, Node((0,) * seats)),
        tree=plant(nodes, proofs=False, priors=False),
        walker=draft_walker(seats, TERRITORIES, seed),
    )
    owners = np.zeros((len(kinds), TERRITORIES), np.int64)
    stop = np.zeros(1, np.int64) if stop is None else stop
    return owners[: _drafting(seats)(drafters, ground, owners, scratch, stop)]
