"""`stratagem equilibrium`: equilibria of a game given as numbers."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from stratagem.cli.options import console, file_text
from stratagem.equilibrium.tables import CONCEPTS, equilibria, parse_table
from stratagem.errors import OptionError

METHODS = {  # how an equilibrium was found, in words
    "dominance": "removing dominated moves",
    "saddle": "a saddle point",
    "simplex": "the simplex method",
    "lp": "linear programming",
    "rational": "exact fractions",
    "pure": "listing pure strategies",
    "support": "trying supports",
    "lemke-howson": "the Lemke-Howson algorithm",
    "newton": "Newton's method",
    "descent": "descent on the gains",
}


def equilibrium(
    game: Annotated[
        str,
        typer.Argument(help="payoffs as JSON, a file of them, or -: a matrix (zero-sum), or a table a player"),
    ],
    concept: Annotated[str, typer.Option(help="nash, ce (correlated) or cce (coarse correlated)")] = "nash",
    objective: Annotated[
        str, typer.Option(help="the correlated equilibrium to find: best for the sum, or for a player from 0")
    ] = "sum",
    every: Annotated[bool, typer.Option("--all", help="all Nash equilibria that are found, for small games")] = False,
    seed: Annotated[int, typer.Option(help="seed of the search with three players and more")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Find an equilibrium of any matrix game, of two or more players, with what a best reply would gain each of them."""
    found = equilibria(_read(game), concept, objective=objective, every=every, seed=seed)
    print(json.dumps(found)) if as_json else _show(found)


def _read(game: str) -> Any:
    if game == "-":
        return parse_table(sys.stdin.read())
    if game.lstrip().startswith("["):
        return parse_table(game)
    if not Path(game).is_file():
        raise OptionError(f"{game!r} is no game such as [[0,-1],[1,0]], and no file to read")
    return parse_table(file_text(Path(game)))


def _show(found: dict[str, Any]) -> None:
    kind, screen = CONCEPTS[found["concept"]], console()
    if "joint" in found:
        wanted = found["objective"]
        best = "the players' sum" if wanted == "sum" else f"player {wanted}"
        print(f"{kind}, the best for {best}: a mediator draws a joint move, and tells everybody only its own")
        table = Table(*(f"player {k}" for k in range(len(found["moves"]))), "probability", box=None)
        for row in found["joint"]:
            table.add_row(*map(str, row["moves"]), f"{row['probability']:.6f}")
        screen.print(table)
        _certificate(found, "a deviation")
        return
    several = found["equilibria"]
    for k, one in enumerate(several):
        which = f" {k + 1} of {len(several)}" if len(several) > 1 else ""
        print(f"{kind}{which}, found by {METHODS.get(one['method'], one['method'])}")
        for seat, mixture in enumerate(one["strategies"]):
            played = "  ".join(f"{move}: {p:.6g}" for move, p in enumerate(mixture) if p > 0)
            print(f"  player {seat} plays  {played}")
        _certificate(one, "a best reply")


def _certificate(found: dict[str, Any], what: str) -> None:
    for seat, (value, gain) in enumerate(zip(found["values"], found["gains"], strict=True)):
        exact = f" = {found['exact']}" if seat == 0 and "/" in found.get("exact", "") else ""
        print(f"  player {seat} gets {value:.9g}{exact}; {what} would gain {gain:.3g}")
