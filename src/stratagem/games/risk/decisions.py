"""Turns of Risk decision by decision, for the searches that build a turn of single actions (`search.whole_turns`).

Drafting and placing are left to the usual player, and so is the number of a defender's dice. Positions are judged by the
weights that the staged player uses at the end of its horizon. A turn has dice between its decisions: plans are judged by
their mean over sampled worlds, and thought over again when the dice have fallen.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from stratagem.compile import Bound
from stratagem.contract.player import Choice, Entry, Player, Request
from stratagem.games.risk import kernels as k
from stratagem.games.risk.game import Risk, RiskPosition
from stratagem.games.risk.players import RiskPlayer
from stratagem.games.risk.position_worth import value_weights
from stratagem.games.risk.turns import judge, turns
from stratagem.kernel import State
from stratagem.search.whole_turns import Atoms, WholeTurnPlayer, atoms_of, entries

LONGEST = 160  # decisions of a turn that are carried out
OPTIONS = ("style", "draft", "ranking", "simulations")  # of what comes before the turns


@lru_cache(maxsize=16)
def atoms(game: Risk) -> Atoms:
    """The decisions of a game of Risk, dice between them; kept, so that a player made again finds what was compiled."""
    own = dict(game.names["turn"].names)
    own["VALUE_WEIGHTS"] = value_weights(game.players)
    names = {"turns": Bound(turns, own), "value": Bound(judge, own)}
    found = atoms_of(game, dice=True, longest=LONGEST, names=names)
    return Atoms(**{**vars(found), "actions": 10, "turns_of": _turn})


def _turn(s: State) -> int:
    return int(s[k.TURN])


class WholeTurnRisk(WholeTurnPlayer):
    """A baseline that drafts and sets up like the usual player."""

    def __init__(self, game: Risk, baseline: str, **options: Any) -> None:
        before = {name: options.pop(name) for name in OPTIONS if name in options}
        self.before = RiskPlayer(game, seed=options.get("seed", 0), **before)
        super().__init__(game, baseline, atoms=atoms(game), **options)

    def answer(self, request: Request[RiskPosition]) -> Choice:
        if request.seat < 0 or request.view.state[k.PHASE] in (k.CLAIM, k.PLACE, k.DEFEND):
            return self.before.answer(request)
        return super().answer(request)


def whole_turns() -> dict[str, Entry]:
    """The searches of whole turns as players of Risk."""
    found = entries(atoms, dice=True)
    return {name: Entry(_maker(name), entry.summary, (*entry.options, *OPTIONS)) for name, entry in found.items()}


def _maker(name: str) -> Any:
    def make(game: Risk, **options: Any) -> Player:
        return WholeTurnRisk(game, name, **options)

    return make
