"""What a game may tell alpha-beta and the solver: attributes of its class, each a trait of its own, none of them needed."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from stratagem.contract.game import Game


@runtime_checkable
class JudgesKillers(Protocol):
    """A game that knows whether a move that cut beside a position is worth an early try, whatever `order` says."""

    killers: bool


@runtime_checkable
class FillsWhenDrawn(Protocol):
    """A game that nobody wins lasts as long as its kernel `left` says, and pays the middle of the range."""

    draws_fill: bool


def killers_pay(game: Game) -> bool:
    return game.killers if isinstance(game, JudgesKillers) else True


def draws_fill(game: Game) -> bool:
    return game.draws_fill if isinstance(game, FillsWhenDrawn) else False
