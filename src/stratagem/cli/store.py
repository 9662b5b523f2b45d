"""`stratagem store`: what a store holds, and copies from one database into another."""

from __future__ import annotations

import json
import sys
import time
from typing import Annotated

import typer

from stratagem.errors import OptionError
from stratagem.store import open_store

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Show, check and copy the records of games.")

Address = Annotated[
    str | None, typer.Argument(help="a file, or postgresql://USER@HOST/DATABASE; the user's own if left out")
]


@app.command()
def show(address: Address = None, as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False) -> None:
    """Print how many games and matches a store holds."""
    with open_store(address, create=False) as store:
        found = {"store": store.address, "games": len(store.ids()), "matches": [m.name for m in store.matches()]}
    if as_json:
        print(json.dumps(found))
        return
    print(f"{found['store']}: {found['games']} games, {len(found['matches'])} matches")
    for name in found["matches"]:
        print(f"  {name}")


@app.command()
def check(address: Address = None) -> None:
    """Check a store for damage."""
    with open_store(address, create=False) as store:
        store.check()
        print(f"{store.address} is sound")


@app.command("copy")
def copy_games(
    source: Annotated[str, typer.Argument(help="the store to read: a file, or postgresql://USER@HOST/DATABASE")],
    target: Annotated[str, typer.Argument(help="the store to write; it is made if there is none")],
) -> None:
    """Copy all games from one store into another; asked for again, it goes on where it was."""
    from stratagem.store.copying import copy

    if source == target:
        raise OptionError(f"{source!r} is named twice; a copy goes from one store into another")
    shown = time.monotonic()

    def watch(done: int, here: int) -> None:
        nonlocal shown
        if time.monotonic() - shown > 5.0:
            print(f"{done} games copied", file=sys.stderr, flush=True)
            shown = time.monotonic()

    with open_store(source, create=False) as mine, open_store(target) as other:
        try:
            done, here = copy(mine, other, watch=watch)
        except KeyboardInterrupt:
            print("stopped; the same command goes on where it was", file=sys.stderr)
            raise typer.Exit(130) from None
    print(f"{done} games copied, {here} were there already")
