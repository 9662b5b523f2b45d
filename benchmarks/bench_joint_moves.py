"""How near search comes to an equilibrium of small goofspiel, by rule and number of simulations: what both players could gain
together by best answers at the root, against exact values of all that follows. No peer: the truth is the yardstick."""

from __future__ import annotations

import statistics

import numpy as np

import stratagem
from stratagem.contract.game import ArrayGame, ArrayPosition
from stratagem.equilibrium import zero_sum
from stratagem.search.tree.infosets import RULES, InformationSets

BUDGETS = (1_000, 10_000, 100_000)
SEEDS = 3


def exact_matrix(position: ArrayPosition, known: dict[str, float]) -> np.ndarray:
    """The first player's value after every joint move, solved from the end."""

    def value(after: ArrayPosition) -> float:
        if after.over:
            return after.payoff[0]
        if str(after) not in known:
            known[str(after)] = float(zero_sum(exact_matrix(after, known)).value)
        return known[str(after)]

    return np.array([[value(position.play((a, b))) for b in position.moves(1)] for a in position.moves(0)])


def gap(matrix: np.ndarray, search: InformationSets, position: ArrayPosition) -> float:
    x, y = (np.array(search.decision(position, seat).strategy) for seat in (0, 1))
    return float(max(matrix @ y) - min(x @ matrix))


def main() -> None:
    for cards in (3, 4):
        for order in ("descending", "ascending"):
            game = stratagem.game("goofspiel", cards=cards, order=order)
            start = game.start()
            assert isinstance(game, ArrayGame) and isinstance(start, ArrayPosition)
            matrix = exact_matrix(start, {})
            for rule in RULES:
                row = []
                for simulations in BUDGETS:
                    found = []
                    for seed in range(SEEDS):
                        search = InformationSets(game, rule=rule, seed=seed, pool=100_000)
                        search.search(start, simulations=simulations)
                        found.append(gap(matrix, search, start))
                    row.append(f"{simulations:,}: {statistics.mean(found):.4f}")
                print(f"goofspiel, {cards} cards {order}, {rule}: gap at {'; '.join(row)}", flush=True)


if __name__ == "__main__":
    main()
