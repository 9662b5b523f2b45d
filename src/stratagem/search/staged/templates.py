"""The templates of a search by stages, specialised and ready to call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from stratagem.compile import specialise
from stratagem.errors import OptionError
from stratagem.kernel import Ground
from stratagem.rng import generator
from stratagem.search.staged import cell, records
from stratagem.search.staged.backup import BACKUPS
from stratagem.search.staged.bound import SHARED
from stratagem.search.staged.core import simulate
from stratagem.search.staged.pool import new_position
from stratagem.search.staged.settings import MEAN, Settings, terms_of
from stratagem.search.staged.upkeep import open_node, prune, rehash

NO_GROUND: Ground = np.zeros(1, np.int64)


@cache
def compiled(backup: str = MEAN, target: str = "cpu") -> dict[str, Callable[..., Any]]:
    """The templates of the core for stagings that answer by mail, ready to call."""
    return ready(BACKUPS[backup], target, "staged search", records.NO_SIZES)


def ready(names: Mapping[str, Any], target: str, label: str, sizes: records.Sizes) -> dict[str, Callable[..., Any]]:
    """The templates for one kind of staging; called once, so that nothing is compiled or loaded while a clock runs."""
    walk = specialise(simulate, names, target=target, label=label, lean=True)
    tree, none = records.plant(1, 1, 1, sizes), np.zeros(1, np.int64)
    walker = records.walker(1, 1, 1, 1, 1, generator(0), sizes)
    walk(NO_GROUND, tree, walker, terms_of(Settings(), certain=True, halves=False), none)
    return {"simulate": walk, **_upkeep(target)}


@cache
def _upkeep(target: str) -> dict[str, Callable[..., Any]]:
    """The templates that all kinds of staging have in common."""
    parts = (new_position, open_node, prune, rehash)
    made = {
        part.__name__: specialise(
            part, {}, target=target, label=f"staged search, {part.__name__.replace('_', ' ')}", lean=True
        )
        for part in parts
    }
    tree, walker = records.plant(1, 1, 1), records.walker(1, 1, 1, 1, 1, generator(0))
    tree.plans[:3] = 1, 2, 0
    made["new_position"](tree, 0, 0)
    made["open_node"](tree, walker, 0, 0, cell.NONE, cell.NONE)
    room = np.zeros(len(tree.positions), np.int64)
    terms = terms_of(Settings(), certain=True, halves=False)
    made["prune"](tree, terms, cell.NONE, room, room.copy(), room.copy())
    made["rehash"](tree)
    return made


def shared_names(threads: int, target: str) -> dict[str, Any]:
    """How threads that never come back to Python keep out of each other's way."""
    if threads == 1:
        return {}
    if target == "python":
        raise OptionError("stages that are kernels run interpreted in one thread; give threads=1")
    from stratagem.compile.intrinsics import atomic_claim, atomic_give_up

    return {**SHARED, "claim": atomic_claim, "give_up": atomic_give_up}
