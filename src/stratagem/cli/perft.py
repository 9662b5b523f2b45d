"""`stratagem perft`: count move sequences."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from stratagem.cli.options import answer_lines, load_game, print_answer
from stratagem.contract.game import ArrayGame, Position
from stratagem.errors import UnsuitableSearch
from stratagem.search.budget import Budget
from stratagem.search.perft import Perft


def perft(
    asked: typer.Context,
    game: Annotated[str, typer.Argument(help="a game")],
    position: Annotated[str, typer.Argument(help="a position, or - for one a line on standard input, as text or JSON")],
    depth: Annotated[int, typer.Argument(help="depth in plies")],
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object a line")] = False,
) -> None:
    """Count the move sequences of a given length."""
    of = load_game(asked, game)
    if not isinstance(of, ArrayGame):
        raise UnsuitableSearch(f"perft needs kernels, and {of.name} has none")
    counter = Perft(of)

    def answer(start: Position) -> dict[str, Any]:
        watch = Budget()
        return {"depth": depth, "count": counter.count(start, depth, watch), "seconds": round(watch.elapsed, 6)}

    if position == "-":
        answer_lines(of, answer)
        return
    found = answer(of.parse(position))
    if as_json:
        print_answer(position, found)
    else:
        print(found["count"])
