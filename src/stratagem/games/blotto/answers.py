"""The answer to `stratagem solve blotto`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stratagem.contract.game import TOGETHER
from stratagem.contract.player import Solution, Solver
from stratagem.equilibrium.double_oracle import Round
from stratagem.errors import GameOver
from stratagem.games.blotto.game import Blotto, BlottoPosition
from stratagem.games.blotto.solve import BlottoEquilibrium, solve

MOST_SHOWN, NEVER = 10, 1e-9


@dataclass(frozen=True, repr=False, kw_only=True)
class BlottoSolution(Solution):
    """An equilibrium with its evidence; the value is the first player's."""

    found: BlottoEquilibrium

    def json(self) -> dict[str, Any]:
        return {**self._worth(), **self.found.json()}


class BlottoSolver(Solver[BlottoPosition]):
    """What `stratagem solve blotto` prints."""

    def __init__(self, game: Blotto) -> None:
        self.game = game

    def solve(self, position: BlottoPosition) -> BlottoSolution:
        if position.turn != TOGETHER:
            raise GameOver(f"the units are placed in {str(position)!r}: there is nothing to solve")
        found = solve(self.game.rules, report=self._report)
        mixtures = tuple({",".join(map(str, plan)): p for plan, p in mixture.items()} for mixture in found.strategies)
        exact = None if found.exact is None else found.exact[0]
        return BlottoSolution(found.payoffs[0], 0, strategies=mixtures, exact=exact, seconds=found.seconds, found=found)

    def _report(self, now: Round) -> None:
        if self.tell is not None:
            seat = self.game.seat_name(0)
            self.tell(
                f"{seat} gets between {now.low:.9g} and {now.high:.9g}, by {now.plans[0]} and {now.plans[1]} plans"
            )

    def show(self, position: BlottoPosition, solution: BlottoSolution) -> str:
        """The answer for people: what each side gets, how sure that is, and what it plays most."""
        answer = solution.json()
        lines = [
            f"{answer['concept'].replace('nash', 'Nash')} equilibrium, by {answer['method']}, in {answer['seconds']:.3f} s"
            + ("" if answer["finished"] else "; STOPPED before its end")
        ]
        for seat in range(self.game.players):
            lines += [
                f"{self.game.seat_name(seat)} gets {answer['payoffs'][seat]:.9g}; "
                f"its best reply would gain {answer['gains'][seat]:.3g}"
            ]
            played = [row for row in answer["strategies"][seat] if row["probability"] > NEVER]
            lines += [
                f"  {row['probability']:8.4f}  {','.join(map(str, row['allocation']))}" for row in played[:MOST_SHOWN]
            ]
            if len(played) > MOST_SHOWN:
                share = sum(row["probability"] for row in played[:MOST_SHOWN])
                more = f"{share:.1%} of the mixture; {len(played) - MOST_SHOWN} more"
                lines += [f"  these are {more} with --json, or by `stratagem blotto solve --top {len(played)}`"]
        return "\n".join(lines)
