"""Exact results in the tree: what is proven, and what follows from it. `proven` and `judge_leaf` are bound with proofs or not.

MCTS-solver: Winands, Bjornsson, Saito, *Monte-Carlo tree search solver*, 2008. For two players whose payoffs sum to zero.
"""

from __future__ import annotations

import numpy as np

from stratagem.hints import index
from stratagem.kernel import CHANCE, HIGH, OVER, Ground
from stratagem.search.sampling.playouts import playout
from stratagem.search.tree import cell
from stratagem.search.tree.records import Tree, TreeLimits, Walk, Walker


def no_proof(tree: Tree, node: int) -> bool:
    """Nothing is ever proven."""
    return False


def has_proof(tree: Tree, node: int) -> bool:
    """Whether a node's value is known exactly."""
    return tree.nodes[cell.PAIR * node + cell.KIND] & cell.PROVEN != 0


proven = no_proof  # or `has_proof`


def prove(tree: Tree, walk: Walk, depth: int, v: float) -> None:
    """The leaf of a walk is worth exactly v to seat 0: mark it, and every node above that this proves.

    A player's node is proven by one child of the best payoff there is, or when all children are; a chance node when all
    outcomes are worth the same. Proofs are only ever added, and exact values written before their marks.
    """
    node = index(walk.path[depth])
    tree.exact[node] = v
    tree.nodes[cell.PAIR * node + cell.KIND] |= cell.PROVEN
    for d in range(depth - 1, -1, -1):
        node = index(walk.path[d])
        p = walk.turns[d]
        first = int(tree.firsts[cell.QUICK * node + cell.FIRST])
        n = tree.nodes[cell.PAIR * node + cell.KIND] >> cell.FLAG_BITS
        sign = -1.0 if p == 1 else 1.0
        best = -np.inf
        known = 0
        for child in range(first, first + n):
            if tree.nodes[cell.PAIR * child + cell.KIND] & cell.PROVEN:
                known += 1
                if p == CHANCE:
                    if tree.exact[child] != v:
                        return
                    best = v
                else:
                    best = max(best, sign * tree.exact[child])
        if known < n and (p == CHANCE or best < HIGH):
            return
        v = sign * best
        tree.exact[node] = v
        tree.nodes[cell.PAIR * node + cell.KIND] |= cell.PROVEN


def play_out(g: Ground, tree: Tree, walker: Walker, walk: Walk, depth: int, limits: TreeLimits) -> int:
    """The payoffs of a leaf, by a playout, into the walker's `out`; returns its plies, or an error."""
    return playout(g, walk.state, walker.rng, walker.joint, limits.cut, limits.cap, walker.out)


def play_out_or_prove(g: Ground, tree: Tree, walker: Walker, walk: Walk, depth: int, limits: TreeLimits) -> int:
    """The payoffs of a leaf, exact where they are known; the end of a game proves what it can."""
    leaf = index(walk.path[depth])
    if has_proof(tree, leaf):
        walker.out[0] = tree.exact[leaf]
        walker.out[1] = -walker.out[0]
        return 0
    plies = play_out(g, tree, walker, walk, depth, limits)
    if plies >= 0 and walk.turns[depth] == OVER:
        prove(tree, walk, depth, walker.out[0])
    return plies


judge_leaf = play_out  # or `play_out_or_prove`
WITHOUT = {"proven": no_proof, "judge_leaf": play_out}
WITH = {"proven": has_proof, "judge_leaf": play_out_or_prove}
PARTS = (no_proof, has_proof, prove, play_out, play_out_or_prove)
