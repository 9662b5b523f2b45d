"""Searches that browsers run, and what every array of theirs holds when the CPU has run them."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np

from stratagem import game
from stratagem.contract.game import ArrayPosition
from stratagem.search import browser
from stratagem.search.tree.mcts import MCTS

SMALL = replace(browser.SETTINGS, pool=1 << 15, seed=7)
SLICES = (500, 1, 1499, 1000)
# a game, its options, and moves before the search begins: every game whose searches browsers run
CASES: list[tuple[str, dict[str, object], str]] = [
    ("tictactoe", {}, "b2 a1"),
    ("connect4", {}, "4 4 5"),
    ("hex", {"size": 7}, ""),
    ("othello", {}, "d3"),
    ("breakthrough", {}, ""),
    ("nim", {}, ""),
    ("pig", {}, ""),
]


def position(name: str, options: dict[str, object], moves: str) -> ArrayPosition:
    at = game(name, **options).start()
    for move in moves.split():
        at = at.play(move)
    assert isinstance(at, ArrayPosition)
    return at


def asked(at: ArrayPosition, begun: browser.Begun) -> dict[str, Any]:
    """What a search is given beside its module."""
    return {"manifest": begun.manifest, "seat": at.turn, "low": at.game.payoff_range[0], "slices": SLICES}


def on_the_cpu(at: ArrayPosition, begun: browser.Begun) -> dict[str, Any]:
    """The SHA-256 of every array after all slices, and what was found."""
    native = MCTS(at.game, replace(SMALL, target="cpu"))
    args = native._arguments(native._begin(at), 0, sum(SLICES), sum(SLICES), np.zeros(1, np.int64))
    count = native._simulate(*args)
    arrays = {field: x for field, x in begun.template._fields(args) if isinstance(x, np.ndarray)}
    arms = [
        {
            "move": arm.move,
            "visits": arm.visits,
            "value": None if np.isnan(arm.value) else arm.value,
            "error": arm.error,
            "proven": arm.proven,
            "line": list(arm.line),
        }
        for arm in native.arms()
    ]
    return {
        "digests": {
            field: hashlib.sha256(np.ascontiguousarray(x).tobytes()).hexdigest() for field, x in arrays.items()
        },
        "found": {"arms": arms, "nodes": count, "proven": native.proven()},
    }
