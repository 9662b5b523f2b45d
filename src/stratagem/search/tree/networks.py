"""What a network is to the search tree: a function that is asked about many leaves at once, and never believed unseen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stratagem.contract.game import ArrayGame
from stratagem.errors import StratagemError
from stratagem.search.tree.records import Floats, Words

Network = Callable[[Words, Words, Words, Words], tuple[Any, Any]]


def ask(
    network: Network, game: ArrayGame, states: Words, movers: Words, lists: Words, counts: Words
) -> tuple[Floats, Floats]:
    """The network's answer, checked: priors [n, moves] made to add up to 1, values [n, players] in range.

    states [n, cells]; movers [n], who decides in each, or CHANCE; lists [n, moves], of which the first counts [n] are moves.
    """
    answer = network(states.copy(), movers.copy(), lists.copy(), counts.copy())
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise StratagemError(f"a network must return (priors, values), and this one returned {type(answer).__name__}")
    try:
        priors, values = (np.asarray(a, np.float64) for a in answer)
    except (TypeError, ValueError) as error:
        raise StratagemError(f"a network must return arrays of numbers: {error}") from None
    return _likely(priors, lists, counts), _worth(game, values, len(states))


def _likely(priors: Floats, lists: Words, counts: Words) -> Floats:
    if priors.shape != lists.shape:
        raise StratagemError(f"the network's priors have the shape {priors.shape}; {lists.shape} was asked for")
    given = np.where(np.arange(lists.shape[1]) < counts[:, None], priors, 0.0)
    if not np.isfinite(given).all() or (given < 0).any():
        raise StratagemError("the network's priors hold NaN, an infinity or a negative number")
    total = given.sum(axis=1, keepdims=True)
    return np.where(total > 0, given / np.where(total > 0, total, 1.0), 1.0 / np.maximum(counts, 1)[:, None])


def _worth(game: ArrayGame, values: Floats, n: int) -> Floats:
    if values.shape != (n, game.players):
        raise StratagemError(f"the network's values have the shape {values.shape}; {(n, game.players)} was asked for")
    low, high = game.payoff_range
    if not np.isfinite(values).all():
        raise StratagemError("the network's values hold NaN or an infinity")
    if (values < low - 1e-9).any() or (values > high + 1e-9).any():
        raise StratagemError(f"the network's values leave the range of payoffs, {low:g} to {high:g}")
    return values
