"""`stratagem games`: what there is to play."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.table import Table

from stratagem.cli.options import console, option_help
from stratagem.registry import game_class, game_names, players


def games(
    name: Annotated[str | None, typer.Argument(help="a game, to see its flags and players")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object a game")] = False,
) -> None:
    """List the games, or one game's flags and players."""
    if name is not None:
        of = game_class(name)
        if as_json:
            print(json.dumps(_describe(name)))
            return
        print(f"{of.title}: {of.summary}\n\n{option_help(of)}\n\nplayers:")
        for player, entry in players(of()).items():
            print(f"  {player:12} {entry.summary}")
            if takes := [option for option in entry.options if option != "seed"]:
                print(f"  {'':12} takes {', '.join(takes)}: {player}:{takes[0]}=..")
        return
    if as_json:
        for each in game_names():
            print(json.dumps(_describe(each)))
        return
    table = Table(box=None, pad_edge=False)
    for column in ("game", "plan", "what it is", "flags"):
        table.add_column(column, overflow="fold")
    for each in game_names():
        of = game_class(each)
        table.add_row(each, of.plan.name, of.summary, " ".join(f"--{o.name.replace('_', '-')}" for o in of.options))
    console().print(table)


def _describe(name: str) -> dict[str, object]:
    of = game_class(name)
    return {
        "game": name,
        "title": of.title,
        "plan": of.plan.name,
        "summary": of.summary,
        "options": [
            {"name": o.name, "default": o.default, "help": o.help, "choices": list(o.choices)} for o in of.options
        ],
        "players": {player: entry.summary for player, entry in players(of()).items()},
    }
