"""`stratagem umi`: our engine of the Minions protocol, and matches between such engines."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from stratagem.cli.options import file_text
from stratagem.contract.player import Clock
from stratagem.errors import OptionError
from stratagem.registry import game as make_game
from stratagem.registry import player

app = typer.Typer(
    add_completion=False,
    help="Run an engine of Minions for other programs: the UMI protocol on standard input and output.",
)


@app.callback(invoke_without_command=True)
def umi(context: typer.Context) -> None:
    """Run an engine of Minions on standard input and output, or one of the subcommands."""
    if context.invoked_subcommand is None:
        from stratagem.protocols.umi import run

        raise typer.Exit(run())


@app.command()
def match(
    yellow: Annotated[str, typer.Argument(help="a player: greedy, strong, or umi:command=PROGRAM")],
    blue: Annotated[str, typer.Argument(help="Blue's player, in the same form")],
    maps: Annotated[
        str, typer.Option(help="the map of each board, with commas between")
    ] = "BlackenedShores,MidnightLake",
    profile: Annotated[str, typer.Option(help="profile of the rules: spooky, server or book")] = "spooky",
    seconds: Annotated[float | None, typer.Option(help="thinking time of a turn")] = None,
    plies: Annotated[int, typer.Option(help="plies after which the game is drawn")] = 400,
    seed: Annotated[int, typer.Option(help="seed of players that use chance")] = 0,
    lenient: Annotated[bool, typer.Option(help="judge turns as those of other engines")] = False,
    record: Annotated[Path | None, typer.Option(help="write the record of the game to this file")] = None,
) -> None:
    """Play one game between two players. A player that crashes, hangs or breaks a rule loses, and the record says why."""
    from stratagem.games.minions import Minions, MinionsPosition
    from stratagem.games.minions.notation import RecordedTurn, fen
    from stratagem.protocols import umi as protocol

    game = make_game("minions", maps=maps, lenient=lenient, profile=profile)
    assert isinstance(game, Minions)
    if plies < 1:
        raise OptionError(f"--plies is {plies}; it is 1 or more")
    seats = [player(game, name, seed=seed + side) for side, name in enumerate((yellow, blue))]
    progress = sys.stderr.isatty()

    def report(turn: RecordedTurn, position: MinionsPosition) -> None:
        if progress:
            print(f"\rply {position.state.ply} points {position.state.points}", end="", file=sys.stderr, flush=True)

    made = protocol.match(game, seats, Clock(seconds), plies=plies, report=report, seed=seed)
    if progress:
        print("\r\033[K", end="", file=sys.stderr)
    if record is not None:
        record.write_text(str(made), encoding="utf-8")
    for seat in seats:
        if isinstance(seat, protocol.UmiEngine):
            seat.close()
    print(f"{made.result} after {len(made.turns)} turns" + (f": {made.reason}" if made.reason else ""))
    print(fen(made.final()))


@app.command()
def verify(file: Annotated[Path, typer.Argument(help="a record of a game of Minions")]) -> None:
    """Play a record again and check that it ends as it says."""
    from stratagem.games.minions.notation import MinionsRecord

    made = MinionsRecord.parse(file_text(file))
    print(f"{made.result} after {len(made.turns)} turns" + (f": {made.reason}" if made.reason else ""))
