"""`stratagem warmup`: compile ahead, so that nothing is compiled while one plays."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from stratagem.errors import StratagemError
from stratagem.game import CHANCE, ArrayGame
from stratagem.player import Clock
from stratagem.registry import game_class, game_names, players
from stratagem.search.perft import Perft


def warmup(
    names: Annotated[list[str] | None, typer.Argument(help="games; all of them if none is named")] = None,
) -> None:
    """Compile the engines of games ahead of their first use."""
    began = time.perf_counter()
    for name in names or game_names():
        game = game_class(name)()
        position = game.start(seed=0)
        if isinstance(game, ArrayGame) and position.turn != CHANCE:
            Perft(game).count(position, 1)
        for player, entry in players(game).items():
            try:
                seat = position.asked[0]
                entry.make(game, seed=0).choose(position.view(seat), Clock(0.0), seat=seat)
            except StratagemError as error:
                print(f"{name} {player}: {error}")
        print(f"{name}: ready", flush=True)
    print(f"warm after {time.perf_counter() - began:.1f} s")
