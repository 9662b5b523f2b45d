"""What a network sees of a position: numbered things that are on or off, which a game declares as two small functions.

A game that can have a network has a module beside its rules, its `feature_rules`, with

- `features(g, s, side, out)`: those that are on as `side` sees the position (own things first, say, the other's behind them);
- `switched(g, s, side, p, m, out)`, if that is cheaper than to list them all when a position is judged: what player p's move m will
  switch, asked before it is made; f for one that comes on, -1 - f for one that goes off;

and says how many features there are (`feature_count`, each a number from 0) and how many can be listed at most
(`features_at_once`).
"""

from __future__ import annotations

from typing import NoReturn

from stratagem.errors import MissingKernel
from stratagem.kernel import Ground, Moves, State


def features(g: Ground, s: State, side: int, out: Moves) -> int:
    """The features that are on as `side` sees it, into `out`; returns how many."""
    _unbound("features")


def switched(g: Ground, s: State, side: int, p: int, m: int, out: Moves) -> int:
    """What player p's move m will switch, as `side` sees it: f on, -1 - f off; returns how many."""
    _unbound("switched")


def _unbound(name: str) -> NoReturn:
    raise MissingKernel(f"{name!r} is not bound: networks run only through compile.specialise")
