"""Finished drafts of Risk by the thousand, in one compiled call: seats pick by UCT on a model of the draft's worth
(`evaluation`), by preference of continents, or at random.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from stratagem.compile import specialise
from stratagem.errors import OptionError
from stratagem.games.risk.atlas import TERRITORIES
from stratagem.games.risk.evaluation import kernel_of
from stratagem.games.risk.features import Ints, Rows
from stratagem.games.risk.game import Risk
from stratagem.games.risk.kernels import OWNER, STATE_SIZE
from stratagem.games.risk.scripted import claim_by_preference
from stratagem.rng import below, bits, seed_stream, unit
from stratagem.search.drafts.uct import FIELDS, ITEM, VISITS, spread_template, uct_template

RANDOM_DRAFTER, PREFERENCE_DRAFTER = -2, -1  # kinds of drafters that need no model


def drafts_template(
    rows: Rows, simulations: Ints, kinds: Ints, order: Ints, explore: float, stray: float, seed: int, first: int,
    owners: Ints, tree: Ints, stats: Rows, stop: Ints,
) -> int:  # fmt: skip
    """Draft number i: seat p picks by UCT on the model rows[kinds[i, p]], or at random, or by preference of continents.

    With the chance `stray` a pick is one of UCT's visited items in proportion to its visits. Returns how many were made."""
    n = kinds.shape[1]
    r = np.zeros(2, np.int64)
    s = np.zeros(STATE_SIZE, np.int64)
    info = np.zeros(3, np.int64)
    root, owned = np.zeros(n, np.int64), np.zeros(n, np.int64)
    pool, path = np.zeros(64, np.int64), np.zeros(64, np.int64)
    models, rollouts = np.zeros(n, np.int64), np.full(n, 2, np.int64)
    lists = np.zeros((n, TERRITORIES), np.int64)
    out = np.zeros(n)
    for i in range(kinds.shape[0]):
        if stop[0] != 0:
            return i
        seed_stream(r, seed, first + i)
        root[:] = 0
        s[OWNER : OWNER + TERRITORIES] = -1
        free = (1 << TERRITORIES) - 1
        for k in range(TERRITORIES):
            p = order[k]
            kind = kinds[i, p]
            item = 0
            if kind == RANDOM_DRAFTER or k == TERRITORIES - 1:
                at = below(r, TERRITORIES - k)
                while at > 0 or free >> item & 1 == 0:
                    at -= free >> item & 1
                    item += 1
            elif kind == PREFERENCE_DRAFTER:
                item = claim_by_preference(s, p, r)
            else:
                for f in range(FIELDS):
                    tree[0, f] = 0
                info[0] = 0
                info[1] = 1
                info[2] = 0
                g = rows[kind]
                spread = spread_template(g, order, lists, rollouts, True, 0.0, root, free, k, 16, owned, pool, out, r)
                uct_template(
                    g, order, lists, models, rollouts, True, 0.0, explore * max(spread, 1e-9), 64, simulations[kind], root,
                    free, k, tree, stats, info, owned, pool, path, out, r, stop,
                )  # fmt: skip
                item = picked(tree, stats, unit(r) < stray, bits(r))
            root[p] |= 1 << item
            free ^= 1 << item
            s[OWNER + item] = p
        for t in range(TERRITORIES):
            owners[i, t] = s[OWNER + t]
    return kinds.shape[0]


def picked(tree: Ints, stats: Rows, strays: bool, luck: int) -> int:
    """The item of the root's most visited child, ties by mean value; or any, in proportion to visits."""
    first, size = tree[0, 0], tree[0, 1]
    total = 0
    best = first
    for c in range(first, first + size):
        total += tree[c, VISITS]
        if tree[c, VISITS] > tree[best, VISITS] or (
            tree[c, VISITS] == tree[best, VISITS] and stats[c, 0] > stats[best, 0]
        ):
            best = c
    if strays and total > 0:
        at = luck % total
        for c in range(first, first + size):
            at -= tree[c, VISITS]
            if at < 0:
                return tree[c, ITEM]
    return tree[best, ITEM]


@cache
def _drafting(evaluate: Any) -> Any:
    return specialise(drafts_template, {"evaluate": evaluate, "SEATS": 6}, label="risk, drafts")


def make_drafts(
    game: Risk, rows: Rows, simulations: Ints, kinds: Ints, *, explore: float = 1.4, stray: float = 0.0, seed: int = 0,
    first: int = 0, stop: Ints | None = None,
) -> Ints:  # fmt: skip
    """Finished drafts, one row of owners each. The same seed gives the same drafts."""
    if game.dealt:
        raise OptionError("territories are dealt with these options: there is nothing to draft")
    owners = np.zeros((len(kinds), TERRITORIES), np.int64)
    order = np.array(game.claimers, np.int64)
    nodes = 42 * (int(simulations.max()) + 4) + 64
    done = _drafting(kernel_of(rows))(
        np.ascontiguousarray(rows), np.ascontiguousarray(simulations, np.int64), np.ascontiguousarray(kinds, np.int64), order,
        explore, stray, seed, first, owners, np.zeros((nodes, FIELDS), np.int64), np.zeros((nodes, 2)),
        np.zeros(1, np.int64) if stop is None else stop,
    )  # fmt: skip
    return owners[:done]
