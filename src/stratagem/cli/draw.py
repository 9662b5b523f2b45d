"""`stratagem draw`: a position as SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stratagem.arena.questions import after_moves
from stratagem.cli.options import MOVES_HELP, check_writable, load_game


def draw(
    asked: typer.Context,
    game: Annotated[str, typer.Argument(help="a game")],
    position: Annotated[str, typer.Argument(help="a position")] = "",
    moves: Annotated[str | None, typer.Option(help=MOVES_HELP)] = None,
    out: Annotated[Path | None, typer.Option("--out", help="the file to write; - or left out: standard output")] = None,
    seed: Annotated[int, typer.Option(help="seed of what chance decides before the start")] = 0,
) -> None:
    """Draw a position as SVG."""
    of = load_game(asked, game)
    start = of.parse(position) if position or moves else of.start(seed=seed)
    if moves is not None:
        start = after_moves(start, moves)
    if out is None or str(out) == "-":
        print(start.svg())
    else:
        check_writable(out)
        out.write_text(start.svg() + "\n")
