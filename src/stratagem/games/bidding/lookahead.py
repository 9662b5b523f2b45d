"""Depth-limited search of bidding games that are too large to solve: bids inside minimax.

The boards within a few moves of the position are listed, those at the edge get an estimate of their Richman threshold, and
backward induction (`induction.py`) does the rest for all splits of the chips, auctions included. The estimate at an edge is
the result of random-turn random play, or a heuristic of the base game given as a kernel; a share of the money above the
threshold is good for the first player, one below it bad.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.contract.game import ArrayPosition
from stratagem.errors import StratagemError
from stratagem.games.bidding.game import Bidding
from stratagem.games.bidding.graph import PASS, Graph, base_names, explore
from stratagem.games.bidding.induction import EDGE, Induction, solve_graph
from stratagem.games.bidding.kernels import PURSE, base_payoff, base_play, base_sample, base_turn
from stratagem.games.bidding.solver import BiddingSolver
from stratagem.kernel import OVER, Ground, Payoffs, State, value
from stratagem.rng import Rng, bits, generator

PLAYOUTS = 100  # for one board at the edge
LONGEST = 100_000  # plies of a playout
MOST_BOARDS = 200_000

# bound for each game
HEURISTIC = False  # whether `value` estimates a board, and not random play
SHARPNESS = 1.0  # how much a heuristic value moves the threshold


class Edge(NamedTuple):
    """Boards of a graph, of which those where `over` is EDGE get an estimate."""

    states: NDArray[np.int64]
    over: NDArray[np.int64]
    leaves: NDArray[np.float64]


def edge_template(g: Ground, edge: Edge, cells: int, playouts: int, r: Rng, s: State, out: Payoffs) -> None:
    """The estimated threshold of every board at the edge, into leaves."""
    for node in range(edge.states.shape[0]):
        if edge.over[node] != EDGE:
            continue
        if HEURISTIC:
            for i in range(cells):
                s[i] = edge.states[node, i]
            value(g, s, out)
            edge.leaves[node] = 0.5 - 0.5 * np.tanh(SHARPNESS * out[0])
            continue
        total = 0.0
        for _ in range(playouts):
            for i in range(cells):
                s[i] = edge.states[node, i]
            for _ply in range(LONGEST):
                if base_turn(g, s) == OVER:
                    break
                p = bits(r) & 1
                base_play(g, s, p, base_sample(g, s, p, r))
            base_payoff(g, s, out)
            total += 1.0 if out[0] > 0.0 else (0.5 if out[0] == 0.0 else 0.0)
        edge.leaves[node] = 1.0 - total / playouts


class Lookahead(BiddingSolver):
    """Looks a fixed number of moves ahead, or as many as a time allows."""

    def __init__(
        self,
        game: Bidding,
        *,
        depth: int | None = None,  # None: as deep as the time allows
        seconds: float = 1.0,
        evaluate: Any = None,  # a kernel `value` of the base game; None: random play
        sharpness: float = 1.0,  # how much a heuristic value moves the threshold
        playouts: int = PLAYOUTS,  # for one board at the edge
        seed: int = 0,
        target: str = "cpu",
    ) -> None:
        super().__init__(game)
        self.target = target
        self.depth = depth
        self.seconds = seconds
        self.playouts = playouts
        self.reached = 0  # moves looked ahead last
        self._rng = generator(seed)
        names = {**base_names(game.base), "HEURISTIC": evaluate is not None, "SHARPNESS": float(sharpness)}
        if evaluate is not None:
            names["value"] = evaluate
        label = f"estimates of {game.base.name}"
        self._estimate = specialise(edge_template, names, target=target, label=label, lean=True)

    def solution(self, position: ArrayPosition) -> tuple[Induction, int]:
        """A new look at the boards near the position; its node is 0."""
        s = position.state
        base, chips = self.game.base_state(s), (int(s[PURSE]), int(s[PURSE + 1]))
        began = time.perf_counter()
        found, last, depth = None, 0.0, self.depth or 1
        while True:
            try:
                graph = explore(self.game.base, base, depth=depth, largest=MOST_BOARDS, target=self.target)
            except StratagemError:
                if found is None:
                    raise
                break
            found = solve_graph(self.game, graph, chips, leaves=self.leaves(graph), target=self.target)
            self.reached = depth
            used = time.perf_counter() - began
            growth, last = used - last, used
            # the next depth costs at least several times this one
            if self.depth is not None or not (graph.over == EDGE).any() or used + 4 * growth > self.seconds:
                break
            depth += 1
        assert found is not None
        return found, 0

    def leaves(self, graph: Graph) -> NDArray[np.float64]:
        edge, base = Edge(graph.states, graph.over, np.zeros(graph.nodes)), self.game.base
        self._estimate(base.g, edge, base.size, self.playouts, self._rng, base.blank(), np.zeros(2))
        return edge.leaves

    def child(self, found: Induction, base: State, p: int, k: int, m: int) -> tuple[int, bool]:
        node = int(found.graph.after(0, p)[k])
        return (0, True) if node == PASS else (node, False)

    def exact(self, *_: Any) -> None:
        """Nothing here is."""
        return
