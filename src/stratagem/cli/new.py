"""`stratagem new` and `stratagem conform`: begin a game of one's own, and check it."""

from __future__ import annotations

import shlex
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from stratagem.cli.options import load_game
from stratagem.errors import OptionError
from stratagem.testing import ConformanceError
from stratagem.testing import conform as check


def new(
    name: Annotated[str, typer.Argument(help="name of the game: letters, figures and _")],
    folder: Annotated[Path, typer.Option(help="folder of the new file")] = Path("."),
) -> None:
    """Write the commented start of a game of your own: a small game that plays already, to be changed into yours."""
    if not name.isidentifier():
        raise OptionError(f"a game cannot be called {name!r}; use letters, figures and _, such as my_game")
    file = folder / f"{name}.py"
    if not folder.is_dir():
        raise OptionError(f"there is no folder {str(folder)!r} to write {file.name!r} into")
    if file.exists():
        raise OptionError(f"{str(file)!r} is there already; choose another name, or remove it")
    start = files("stratagem").joinpath("cli", "data", "new_game.txt").read_text(encoding="utf-8")
    title = "".join(word.capitalize() for word in name.split("_"))
    file.write_text(start.replace("GAME_NAME", name).replace("GameTitle", title), encoding="utf-8")
    said = shlex.quote(str(file))
    print(f"{file} is written, and plays: stratagem play {said}; check it with: stratagem conform {said}")


def conform(
    asked: typer.Context,
    game: Annotated[str, typer.Argument(help="a game, such as my_game.py")],
    games: Annotated[int, typer.Option(help="random games to play", min=1)] = 10,
    seed: Annotated[int, typer.Option(help="seed of the random games")] = 0,
) -> None:
    """Check that a game keeps the contract of games, and print what was checked or the first mistake."""
    try:
        print(check(load_game(asked, game), games=games, seed=seed))
    except ConformanceError as error:
        print(f"stratagem: {error}")
        raise typer.Exit(2) from None
