"""Modules under their names of version 0.1: they still import, with a DeprecationWarning, and go in version 0.3."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

FORMER = {
    "stratagem.game": "stratagem.contract.game",
    "stratagem.player": "stratagem.contract.player",
    "stratagem.native": "stratagem.hints",
    "stratagem.record": "stratagem.store.record",
    "stratagem.arena.store": "stratagem.store.sqlite",
    "stratagem.assistant": "stratagem.fantasy",
    "stratagem.games.blotto.course": "stratagem.games.blotto.symmetric",
    "stratagem.games.risk.evaluation": "stratagem.games.risk.draft_worth",
    "stratagem.games.risk.valuation": "stratagem.games.risk.position_worth",
    "stratagem.games.risk.reading": "stratagem.games.risk.position_text",
    "stratagem.games.risk.outline": "stratagem.games.risk.map_shapes",
    "stratagem.games.risk.features": "stratagem.games.risk.draft_features",
    "stratagem.games.risk.fitting": "stratagem.games.risk.draft_fitting",
    "stratagem.plans.campaign": "stratagem.search.campaign",
    "stratagem.search.decisions": "stratagem.search.tree.decisions",
    "stratagem.search.determinised": "stratagem.search.tree.determinised",
    "stratagem.search.drafting": "stratagem.search.drafts.uct",
    "stratagem.search.gpu": "stratagem.search.sampling.gpu",
    "stratagem.search.infosets": "stratagem.search.tree.infosets",
    "stratagem.search.mcts": "stratagem.search.tree.mcts",
    "stratagem.search.montecarlo": "stratagem.search.sampling.montecarlo",
    "stratagem.search.negamax": "stratagem.search.alphabeta.negamax",
    "stratagem.search.playouts": "stratagem.search.sampling.playouts",
    "stratagem.search.running": "stratagem.search.budget",
    "stratagem.search.score": "stratagem.search.alphabeta.score",
    "stratagem.search.solver": "stratagem.search.alphabeta.solver",
}


class _Former(MetaPathFinder, Loader):
    """Finds a module under its former name, and gives the one that took its place."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname in FORMER else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        now = FORMER[spec.name]
        warnings.warn(f"{spec.name} is called {now} now", DeprecationWarning, stacklevel=2)
        module = _Alias(spec.name)
        module.__dict__.update({k: v for k, v in vars(importlib.import_module(now)).items() if not k.startswith("__")})
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing: the module has run under its own name."""


class _Alias(ModuleType):
    """A module that can be called: importing `stratagem.game` must not hide the function `stratagem.game`."""

    def __call__(self, *args: object, **options: object) -> object:
        registry = importlib.import_module("stratagem.registry")
        return getattr(registry, self.__name__.rpartition(".")[2])(*args, **options)


def install() -> None:
    sys.meta_path.append(_Former())
