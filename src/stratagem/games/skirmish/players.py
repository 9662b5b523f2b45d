"""Who plays Skirmish: two scripts, the searches of whole turns, and those that suit any game of its kind.

Cards are drawn between turns: nothing falls inside one."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from stratagem.contract.game import ArrayPosition, Game
from stratagem.contract.player import Choice, Entry, Line, Player, Request
from stratagem.errors import OptionError
from stratagem.games.skirmish.game import Skirmish
from stratagem.kernel import OVER
from stratagem.rng import generator, unit
from stratagem.search.players import general_players, staged
from stratagem.search.whole_turns import Atoms, atoms_of, entries

SEARCH = {
    "stages": "turns",
    "whole": True,
    "horizon": 1,
}  # of search by stages: turns that evolve, judged after the reply
SECONDS = 1.0  # that `strong` thinks about a turn


class Script(Player[ArrayPosition]):
    """Decides from the position alone, in the interpreter: a decision takes milliseconds, and compiling it would take seconds."""

    def __init__(self, game: Skirmish, name: str, *, seed: int = 0, slips: float = 0.0) -> None:
        if not 0.0 <= float(slips) <= 1.0:
            raise OptionError(f"option slips is {slips!r}; it is a share of the actions, from 0 to 1")
        self.game, self.name, self.slips = game, name, float(slips)
        self._rng = generator(seed)

    @abstractmethod
    def judge(self, view: ArrayPosition, m: int) -> float:
        """How good an action looks; the best is played."""

    def answer(self, request: Request[ArrayPosition]) -> Choice:
        view = request.view
        with np.errstate(over="ignore"):
            if self.slips and unit(self._rng) < self.slips:
                return Choice(view.sample(self._rng), engine=self.name)
            found = [(self.judge(view, m), unit(self._rng), m) for m in view.move_numbers()]
        found.sort(reverse=True)
        texts = [self.game.move_text(view.state, view.turn, m) for _, _, m in found[: request.lines]]
        return Choice(texts[0], lines=tuple(Line((text,), None) for text in texts), nodes=len(found), engine=self.name)


class Brawler(Script):
    """Takes what looks best at a glance."""

    def __init__(self, game: Skirmish, *, seed: int = 0, slips: float = 0.2) -> None:
        super().__init__(game, "brawler", seed=seed, slips=slips)

    def judge(self, view: ArrayPosition, m: int) -> float:
        return float(self.game.run("order", self.game.g, view.state, view.turn, m))


class Greedy(Script):
    """Tries every action and takes the one after which its side is worth most; draws are not looked into."""

    def __init__(self, game: Skirmish, *, seed: int = 0, slips: float = 0.0) -> None:
        super().__init__(game, "greedy", seed=seed, slips=slips)

    def judge(self, view: ArrayPosition, m: int) -> float:
        game, s, out = self.game, view.state.copy(), np.zeros(2)
        game.run("play", game.g, s, view.turn, m)
        over = int(game.run("turn", game.g, s)) == OVER
        game.run("payoff" if over else "value", game.g, s, out)
        return float(out[view.turn])


def atoms(game: Skirmish) -> Atoms:
    """The decisions of a turn, of which there are never more than it has points."""
    return atoms_of(game, dice=False, longest=max(game.points, game.first_points))


def strong(game: Skirmish, **options: Any) -> Player:
    made: Player = staged(atoms, **SEARCH).make(game, **{"time": SECONDS, **options})
    return made


def _public(game: Skirmish, **options: Any) -> Player:
    from stratagem.protocols.hero_aicademy import PublicPlayer  # which knows Skirmish, and imports it

    return PublicPlayer(game, **options)


def players(game: Game) -> dict[str, Entry]:
    slips = ("slips", "seed")
    return {
        **general_players(game),
        **entries(atoms, dice=False),
        "staged": staged(atoms, **SEARCH),
        "brawler": Entry(Brawler, "takes what looks best at a glance; slips now and then", slips),
        "greedy": Entry(Greedy, "tries every action and keeps the best position; nothing is compiled", slips),
        "hero-aicademy": Entry(
            _public,
            "a search of the public test bed, found through the variable HERO_AICADEMY: player=oe, mcts, greedy-action, ..",
            ("player", "time", "clock", "seed"),
            external=True,
        ),
        "easy": Entry(Brawler, "brawler", slips),
        "medium": Entry(Greedy, "greedy", slips),
        "strong": Entry(
            strong, f"staged: turns bred, and judged after the reply, {SECONDS:g} s a turn", ("time", "seed")
        ),
    }
