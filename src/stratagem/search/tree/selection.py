"""Which child a walk goes on to, and what that is judged by: UCT, PUCT, chance by its odds. `select` is bound to one of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stratagem.hints import index, pick
from stratagem.kernel import CHANCE, HIGH, LOW, Ground, Moves, State, odds
from stratagem.rng import Rng, unit
from stratagem.search.tree import cell
from stratagem.search.tree.proofs import proven
from stratagem.search.tree.records import Tree

FRESH = -1  # in place of a first child: the walk is the first to come here
BAD_PRIOR = -4  # a prior kernel gives NaN, an infinity or a negative number

# Counts are looked up by the highest eight bits of a float64, its exponent and the start of its mantissa: without a branch, and
# for all counts up to 2**32. Below 256 that is exact, from there to within 0.4 % of a count, in the middle of its bin.
TABULATED = 4096
BELOW_BIN = 45  # bits of a float64 that do not tell
BIN_BITS = 7  # of the mantissa that do
BIN_OF_ONE, BIN_OF_256 = 1023 << BIN_BITS, 8 << BIN_BITS
BINS = np.arange(TABULATED)
COUNTS = ((BINS + BIN_OF_ONE << BELOW_BIN) + (BINS >= BIN_OF_256) * (1 << BELOW_BIN - 1)).view(np.float64)
INVERSE_ROOT = (1.0 / np.sqrt(COUNTS)).astype(np.float32)
ROOT_LOG = np.sqrt(np.log(COUNTS)).astype(np.float32)
ROOT_LOG[0] = 1e-9  # a node of one visit: the bonus is nothing, yet a child never tried still comes first


def first_child(tree: Tree, node: int) -> int:
    return int(tree.firsts[cell.QUICK * node + cell.FIRST])


def child_count(tree: Tree, node: int) -> int:
    return tree.nodes[cell.PAIR * node + cell.KIND] >> cell.FLAG_BITS


def refresh(tree: Tree, node: int, p: int) -> None:
    """What UCT compares, anew from the visits and the total, or the proof, of a node that player p moved into."""
    n = tree.stats[cell.PAIR * node + cell.VISITS]
    k = index(min((int(np.float64(n).view(np.int64)) >> BELOW_BIN) - BIN_OF_ONE, TABULATED - 1))
    tree.quick[cell.QUICK * node + cell.LOGS] = ROOT_LOG[k]
    tree.quick[cell.QUICK * node + cell.SPREAD] = INVERSE_ROOT[k]
    tree.quick[cell.QUICK * node + cell.MEAN] = tree.stats[cell.PAIR * node + cell.TOTAL] * np.divide(1.0, n)
    if proven(tree, node):
        tree.quick[cell.QUICK * node + cell.SPREAD] = 0.0
        tree.quick[cell.QUICK * node + cell.MEAN] = (-tree.exact[node] if p == 1 else tree.exact[node]) - LOW


# ---- among a player's moves


def select_uct(tree: Tree, node: int, first: int, p: int, c: float) -> tuple[int, int]:
    """The child of the highest upper confidence bound, and its own first child; children never tried come first, in order.

    Kocsis and Szepesvari, *Bandit based Monte-Carlo planning*, 2006. Chosen without a branch that depends on the scores.
    """
    bonus = np.float32(c) * tree.quick[cell.QUICK * node + cell.LOGS]
    best = np.float32(-1.0)  # means are above LOW, so every score is at least 0
    chosen = first
    below = 0
    for k in range(child_count(tree, node)):
        child = index(first + k)
        spread = tree.quick[cell.QUICK * child + cell.SPREAD]
        if spread == np.float32(cell.UNTRIED):
            return child, FRESH
        score = tree.quick[cell.QUICK * child + cell.MEAN] + bonus * spread
        better = score > best
        best = max(score, best)
        chosen = pick(better, child, chosen)
        below = pick(better, first_child(tree, child), below)
    return chosen, below


def select_puct(tree: Tree, node: int, first: int, p: int, c: float) -> tuple[int, int]:
    """The child of the highest value plus prior bonus; one never tried counts as the mean of its tried siblings.

    Silver et al., *Mastering the game of Go without human knowledge*, 2017.
    """
    n = child_count(tree, node)
    visited = 0.0
    total = 0.0
    for k in range(n):
        child = index(first + k)
        visited += tree.stats[cell.PAIR * child + cell.VISITS]
        total += tree.stats[cell.PAIR * child + cell.TOTAL]
    untried = total / visited if visited > 0.0 else 0.5 * (HIGH - LOW)
    bonus = c * np.sqrt(max(visited, 1.0))
    best = -np.inf
    chosen = first
    for k in range(n):
        child = index(first + k)
        visits = tree.stats[cell.PAIR * child + cell.VISITS]
        mean = tree.stats[cell.PAIR * child + cell.TOTAL] / visits if visits > 0.0 else untried
        score = mean + bonus * tree.priors[child] / (1.0 + visits)
        if proven(tree, child):
            score = (tree.exact[child] if p == 0 else -tree.exact[child]) - LOW
        if score > best:
            best = score
            chosen = child
    return chosen, below_or_fresh(tree, chosen)


select = select_uct  # or `select_puct`


def below_or_fresh(tree: Tree, node: int) -> int:
    """The first child of a node that a walk goes on to, or that it is the first to come there."""
    return FRESH if tree.stats[cell.PAIR * index(node) + cell.VISITS] == 0.0 else first_child(tree, index(node))


# ---- at chance


def draw_child(g: Ground, s: State, tree: Tree, node: int, first: int, r: Rng) -> int:
    """A child of a chance node by its odds."""
    n = child_count(tree, node)
    x = unit(r)
    for k in range(n - 1):
        x -= odds(g, s, k)
        if x < 0.0:
            return first + k
    return first + n - 1


# ---- priors of new children


def prior(g: Ground, s: State, p: int, m: int) -> float:
    """How likely move m of player p is to be good: a weight of at least 0, made to add up to 1 over a node's moves."""
    return 1.0


def no_priors(g: Ground, s: State, t: int, tree: Tree, listed: Moves, first: int, n: int) -> int:
    """UCT asks for none."""
    return 0


def even_priors(g: Ground, s: State, t: int, tree: Tree, listed: Moves, first: int, n: int) -> int:
    """All alike, until a network has answered."""
    for k in range(n):
        tree.priors[first + k] = 1.0 / n
    return 0


def kernel_priors(g: Ground, s: State, t: int, tree: Tree, listed: Moves, first: int, n: int) -> int:
    """By the prior kernel; at chance all alike. Returns 0, or BAD_PRIOR."""
    if t == CHANCE:
        return even_priors(g, s, t, tree, listed, first, n)
    total = 0.0
    for k in range(n):
        weight = prior(g, s, t, listed[k])
        if not (0.0 <= weight < np.inf):
            return BAD_PRIOR
        tree.priors[first + k] = weight
        total += weight
    if total > 0.0:
        for k in range(n):
            tree.priors[first + k] /= total
    return 0


def list_priors(g: Ground, s: State, p: int, listed: Moves, out: NDArray[np.float64]) -> None:
    """What the prior kernel says of moves, for a root whose children are made from Python."""
    for k in range(listed.shape[0]):
        out[k] = prior(g, s, p, listed[k])


give_priors = no_priors  # or `even_priors`, or `kernel_priors`
PARTS = (
    first_child,
    child_count,
    refresh,
    select_uct,
    select_puct,
    below_or_fresh,
    draw_child,
    no_priors,
    even_priors,
    kernel_priors,
)
