"""The engine's kernels by their names. Behind them is one compiled function, so that what they share is compiled once.

Turns are played by the function of `turns`, which is compiled anyway; with spells (`Conjurer`) the rules are in the same function
as the kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from stratagem.compile import specialise
from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout, magic
from stratagem.games.minions.engine.deploy import appraise, deploy, room_for, shop
from stratagem.games.minions.engine.fighting import fight, grade_hexes, prophesy, shake
from stratagem.games.minions.engine.scratch import HARM, LONGEST, SEND, THREATS, TOUCH, EngineScratch, Reals
from stratagem.games.minions.engine.threats import threaten
from stratagem.games.minions.engine.vary import survey, vary
from stratagem.games.minions.engine.worth import ALL_BOARDS, conclude, judge, look
from stratagem.games.minions.layout import MAGIC, Stream
from stratagem.games.minions.networks.oracle import SHAPE, oracle_names
from stratagem.kernel import Ground
from stratagem.networks.weights import Shape
from stratagem.rng import Rng, generator

# what the compiled function can do, each under its name in `Thinker` and `Conjurer`
(_PROPHESY, _SHAKE, _FIGHT, _DEPLOY, _JUDGE, _LOOK, _THREATEN, _PRICE, _SURVEY, _VARY, _PLAY, _PLAY_SOME, _GUESS,
 _DEAL) = range(14)  # fmt: skip

NO_WORDS = np.zeros(0, np.int64)
_NO_WEIGHTS = np.zeros(0)
_NO_LUCK = generator(0)  # of kernels that draw nothing


def think(
    g: Ground, task: int, board: int, side: int, budget: int, noise: float, through: int, length: int, changes: int,
    r: Rng, weights: Reals, scratch: EngineScratch,
) -> int:  # fmt: skip
    """Do a task on the position in the scratch arrays, which is changed; returns what the method of that name says."""
    s, k, mover = scratch.s, board, scratch.s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    if task == _JUDGE:
        judge(g, s, side, ALL_BOARDS, r, weights, scratch)
    elif task == _LOOK:
        look(g, s, ALL_BOARDS, scratch.threat, scratch.judged.x)
        conclude(g, s, weights, scratch.judged)
    elif task == _PROPHESY:
        prophesy(g, k, b, mover, r, scratch.fight)
    elif task == _SHAKE:
        shake(noise, r, scratch.fight)
    elif task == _FIGHT:
        grade_hexes(g, k, b, mover, r, noise, scratch)
        return fight(g, s, k, through, scratch)
    elif task == _DEPLOY:
        return deploy(g, s, k, budget, r, noise, scratch)
    elif task == _SURVEY:
        return survey(g, s, k, budget, length, r, weights, scratch)
    elif task == _VARY:
        return vary(g, s, k, budget, length, changes, scratch)
    elif task == _PRICE:
        appraise(g, s, k, mover, r, 0.0, scratch.shop)
        room = room_for(g, b, mover) if rules.spawns_now(b) else 0
        shop(g, min(budget, LONGEST), room, scratch.shop)
        return room
    elif task == _THREATEN:
        threaten(g, k, b, 0, scratch.threat)
        threaten(g, k, b, 1, scratch.threat)
        lo, hi = layout.foes(b, mover)
        while lo != 0 or hi != 0:
            h, lo, hi = layout.take(lo, hi)
            if struck(h, mover, scratch.threat):
                return 1
        if MAGIC and g[layout.SPELLS_ON] == 1 and magic.place_in_hand(g, s, k, mover, magic.LIGHTNING_BOLT) >= 0:
            return 1
    return 0


def struck(h: int, side: int, threat: Stream) -> bool:
    """Whether a side can do anything to a hex."""
    at = side * THREATS + h
    return threat[at + HARM] + threat[at + TOUCH] + threat[at + SEND] > 0


def conjure(
    g: Ground, task: int, board: int, side: int, budget: int, noise: float, through: int, length: int, changes: int,
    r: Rng, weights: Reals, scratch: EngineScratch, turn: Stream,
) -> int:  # fmt: skip
    """A task of `think`, or of the rules, in one function, so that the rules are compiled once."""
    if task == _PLAY:
        return rules.play_turn(g, scratch.s, turn, turn.size)
    if task == _PLAY_SOME:
        return rules.play_actions(g, scratch.s, turn, turn.size)
    if task == _GUESS:
        magic.guess(g, scratch.s, side, r)
        return 0
    if task == _DEAL:
        return magic.random_deal(g, scratch.s, r, scratch.out)
    return think(g, task, board, side, budget, noise, through, length, changes, r, weights, scratch)


@cache
def _thinking(target: str, shape: Shape) -> Callable[..., Any]:
    names = {"MAGIC": False, **oracle_names(shape)}
    return specialise(think, names, target=target, label="minions engine", lean=True)


@cache
def _conjuring(target: str, shape: Shape) -> Callable[..., Any]:
    names = {"MAGIC": True, **oracle_names(shape)}
    return specialise(conjure, names, target=target, label="minions engine with spells", lean=True)


class Thinker:
    """The engine's kernels on a ground without spells. Each works on the position in scratch arrays, which is changed."""

    def __init__(self, g: Ground, *, through: bool = True, target: str = "cpu", shape: Shape = SHAPE) -> None:
        """With room for a network of a shape."""
        self.g, self.through = g, int(through)
        self._do = _thinking(target, shape)

    def _ask(
        self, task: int, scratch: EngineScratch, *, board: int = 0, side: int = 0, budget: int = 0, noise: float = 0.0,
        length: int = 0, changes: int = 0, rng: Rng | None = None, weights: Reals = _NO_WEIGHTS,
    ) -> int:  # fmt: skip
        luck = _NO_LUCK if rng is None else rng
        return int(
            self._do(
                self.g, task, board, side, budget, float(noise), self.through, length, changes, luck, weights, scratch
            )
        )

    def look(self, scratch: EngineScratch, weights: Reals) -> None:
        """Features and value of the position for the side to move, into `scratch.judged`."""
        self._ask(_LOOK, scratch, weights=weights)

    def judge(self, scratch: EngineScratch, mover: int, weights: Reals) -> None:
        """What the position after a turn of `mover` is worth to it, after a short answer, into `scratch.judged`."""
        self._ask(_JUDGE, scratch, side=mover, weights=weights)

    def threaten(self, scratch: EngineScratch, board: int) -> bool:
        """Both threat maps of a board; whether the side to move can do anything to anybody there."""
        return self._ask(_THREATEN, scratch, board=board) > 0

    def prophesy(self, scratch: EngineScratch, board: int, rng: Rng) -> None:
        """The script's prophecies for a board, into `scratch.fight.rows`."""
        self._ask(_PROPHESY, scratch, board=board, rng=rng)

    def shake(self, scratch: EngineScratch, rng: Rng, noise: float) -> None:
        """Add noise to the logits of the prophecy `scratch.fight.row`."""
        self._ask(_SHAKE, scratch, noise=noise, rng=rng)

    def fight(self, scratch: EngineScratch, board: int, rng: Rng, noise: float) -> int:
        """The attack on a board that follows the prophecy `scratch.fight.row`; the length of its words."""
        return self._ask(_FIGHT, scratch, board=board, noise=noise, rng=rng)

    def price(self, scratch: EngineScratch, board: int, budget: int) -> int:
        """The shop's table for a board, into `scratch.shop.best`; the room there is."""
        return self._ask(_PRICE, scratch, board=board, budget=budget)

    def deploy(self, scratch: EngineScratch, board: int, budget: int, rng: Rng | None, noise: float) -> int:
        """The rest of a board's turn for so many dollars; the length of its words."""
        return self._ask(_DEPLOY, scratch, board=board, budget=budget, noise=noise, rng=rng)

    def survey(self, scratch: EngineScratch, board: int, budget: int, length: int, rng: Rng, weights: Reals) -> int:
        """Judge changes of the deployment of so many words in `scratch.varied.plan`; how many there are."""
        return self._ask(_SURVEY, scratch, board=board, budget=budget, length=length, rng=rng, weights=weights)

    def vary(self, scratch: EngineScratch, board: int, budget: int, length: int, changes: int) -> int:
        """That deployment with so many changes made, which stand in `scratch.varied.plan` too; the length of its words."""
        return self._ask(_VARY, scratch, board=board, budget=budget, length=length, changes=changes)


class Conjurer(Thinker):
    """The same where there are spells or tiles that act, and the rules themselves."""

    def __init__(self, g: Ground, *, through: bool = True, target: str = "cpu", shape: Shape = SHAPE) -> None:
        self.g, self.through = g, int(through)
        self._conjure = _conjuring(target, shape)
        self._do = self._without_turn

    def _without_turn(self, *order: Any) -> int:
        return int(self._conjure(*order, NO_WORDS))

    def _rule(
        self, task: int, scratch: EngineScratch, *, side: int = 0, rng: Rng = _NO_LUCK, turn: Stream = NO_WORDS
    ) -> int:
        return int(self._conjure(self.g, task, 0, side, 0, 0.0, 0, 0, 0, rng, _NO_WEIGHTS, scratch, turn))

    def play(self, scratch: EngineScratch, turn: Stream, *, whole: bool) -> int:
        """Play actions, or a whole turn: 0, or why it is illegal."""
        return self._rule(_PLAY if whole else _PLAY_SOME, scratch, turn=turn)

    def guess(self, scratch: EngineScratch, seat: int, rng: Rng) -> None:
        """Draw what a seat cannot see."""
        self._rule(_GUESS, scratch, side=seat, rng=rng)

    def deal(self, scratch: EngineScratch, rng: Rng) -> None:
        """Draw what is dealt next."""
        self._rule(_DEAL, scratch, rng=rng)
