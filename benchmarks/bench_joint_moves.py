"""How near search comes to an equilibrium where all decide at once, by rule and number of simulations: what both players could
gain together by best answers at the root, against exact values of all that follows. No peer: the truth is the yardstick.

`--write` puts the table into docs/search/infosets.md and the curves into docs/pictures. Seeds are fixed; about two minutes.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator

import numpy as np

import stratagem
from benchmarks.experiments import PAGES, ROOT, publish
from stratagem.arena.plots import curves_plot
from stratagem.contract.game import ArrayGame, ArrayPosition
from stratagem.equilibrium import zero_sum
from stratagem.search.tree.infosets import RULES, InformationSets

BUDGETS = (1_000, 10_000, 100_000, 1_000_000)
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


def games() -> Iterator[tuple[str, ArrayGame, np.ndarray]]:
    """A name, a game, and the matrix of its first moment."""
    sys.path.insert(0, str(ROOT / "tests"))
    from toys.inspection import Inspection, day  # type: ignore[import-not-found]

    for days, looks in ((4, 2), (6, 2)):
        yield f"inspection, {days} days, {looks} looks", Inspection(days=days, looks=looks), np.array(day(days, looks))
    for cards in (3, 4):
        for order in ("descending", "ascending"):
            game = stratagem.game("goofspiel", cards=cards, order=order)
            start = game.start()
            assert isinstance(game, ArrayGame) and isinstance(start, ArrayPosition)
            yield f"goofspiel, {cards} cards {order}", game, exact_matrix(start, {})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("--most", type=int, default=BUDGETS[-1], help="the largest number of simulations")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    budgets = [n for n in BUDGETS if n <= given.most]
    lines = [f"| game | rule | {' | '.join(f'{n:,}' for n in budgets)} |", "|---" * (2 + len(budgets)) + "|"]
    curves: dict[str, list[tuple[float, float]]] = {}
    for name, game, matrix in games():
        for rule in RULES:
            means = []
            for simulations in budgets:
                found = []
                for seed in range(SEEDS):
                    search = InformationSets(game, rule=rule, seed=seed, pool=100_000)
                    search.search(game.start(), simulations=simulations)
                    found.append(gap(matrix, search, game.start()))
                means.append(statistics.mean(found))
            lines.append(f"| {name} | `{rule}` | {' | '.join(f'{x:.2g}' for x in means)} |")
            print(lines[-1], file=sys.stderr, flush=True)
            if name == "inspection, 4 days, 2 looks":
                curves[rule] = list(zip(map(float, budgets), means, strict=True))
    publish("joint rules", "search/infosets.md", lines, given.write)
    if given.write:
        title = "Inspection game: the gap by simulations"
        svg = curves_plot(title, ("simulations", "what best answers gain both together"), curves, log=True)
        (PAGES / "pictures" / "joint-rules.svg").write_text(svg + "\n")


if __name__ == "__main__":
    main()
