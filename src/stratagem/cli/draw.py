"""`stratagem draw`: a position as SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stratagem.cli.options import load_game


def draw(
    game: Annotated[str, typer.Argument(help="a game")],
    position: Annotated[str, typer.Argument(help="a position")] = "",
    out: Annotated[Path | None, typer.Option("--out", help="the file to write; standard output if left out")] = None,
    seed: Annotated[int, typer.Option(help="for what chance decides before the start")] = 0,
) -> None:
    """Draw a position as SVG."""
    of = load_game(game)
    start = of.parse(position) if position else of.start(seed=seed)
    if out is None:
        print(start.svg())
    else:
        out.write_text(start.svg() + "\n")
