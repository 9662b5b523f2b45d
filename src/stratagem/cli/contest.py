"""`stratagem contest`: the contest program for bidding tic-tac-toe, and a referee for programs of that kind."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

app = typer.Typer(add_completion=False, help="The contest program for bidding tic-tac-toe, and its referee.")


def contest() -> None:
    """Read one position of the bidding tic-tac-toe contest on standard input; print the bid, or `row column`."""
    from stratagem.protocols.contest import answer

    print(answer(sys.stdin.read()))


@app.callback(invoke_without_command=True)
def _decide(
    context: typer.Context,
    player: Annotated[str, typer.Option(help="random, sample, rules, linesum, minimax, alphabeta or exact")] = "exact",
    depth: Annotated[int, typer.Option(help="moves that minimax and alphabeta look ahead")] = 3,
    seed: Annotated[
        int | None, typer.Option(help="seed of random draws; without it they differ from run to run")
    ] = None,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug", help="print the position as it was read, and how the answer was found, to standard error"
        ),
    ] = False,
) -> None:
    """Read one position of the bidding tic-tac-toe contest on standard input; print the bid, or `row column`."""
    if context.invoked_subcommand is not None:
        return
    from stratagem.protocols.contest import read
    from stratagem.protocols.contest_players import contest_player, decide

    text = sys.stdin.read()
    thinker = contest_player(
        player,
        seed=None if seed is None else f"{seed}/{text}",  # one seed, and yet other random draws in every auction
        say=(lambda line: print(line, file=sys.stderr)) if debug else None,
        depth=depth,
    )
    print(decide(thinker, read(text)))


@app.command()
def match(
    first: Annotated[str, typer.Argument(help="a program, as a command in quotes, or a player: exact, sample ..")],
    second: Annotated[str, typer.Argument(help="the second player, in the same form")],
    games: Annotated[int, typer.Option(help="number of games")] = 2,
    swap: Annotated[bool, typer.Option(help="change sides after every game; the first program begins as X")] = True,
    seconds: Annotated[float, typer.Option(help="seconds for one decision, the start of the program included")] = 2.0,
    illegal: Annotated[
        str, typer.Option(help="bids and cells that are not legal: forfeit the game, or clamp to the nearest legal one")
    ] = "forfeit",
    seed: Annotated[int, typer.Option(help="seed of the players of this package")] = 0,
    record: Annotated[typer.FileTextWrite | None, typer.Option(help="write a JSON object a game to this file")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object a game, and one of the table")] = False,
) -> None:
    """Play a match between two programs of the contest. A program that hangs, dies or cheats loses that game alone."""
    import json

    from rich.table import Table

    from stratagem.cli.options import console
    from stratagem.protocols.referee import GameRecord, Seat, run_match

    seats = Seat(first, seconds), Seat(second, seconds)

    def watch(number: int, played: GameRecord) -> None:
        line = json.dumps({"game": number + 1, **played.json()})
        if record is not None:
            print(line, file=record, flush=True)
        if as_json:
            print(line, flush=True)
        else:
            won = f"{played.winner} wins" if played.winner else ("nobody wins" if played.forfeits else "a draw")
            print(f"game {number + 1}: {won}, {played.reason}", flush=True)
            for note in played.notes:
                print(f"  {note}")

    standings, played = run_match(seats, games, swap=swap, illegal=illegal, seed=seed, watch=watch)
    if as_json:
        print(json.dumps({"table": [vars(one) for one in standings]}))
        raise typer.Exit(130 if len(played) < games else 0)
    table = Table(box=None, pad_edge=False)
    for column in ("program", "games", "won", "drawn", "lost", "forfeits", "slowest decision"):
        table.add_column(column, justify="left" if column == "program" else "right", overflow="fold")
    for one in standings:
        table.add_row(
            one.program,
            *(str(x) for x in (one.games, one.won, one.drawn, one.lost, one.forfeits)),
            f"{one.slowest:.2f} s",
        )
    console().print(table)
    if len(played) < games:  # Ctrl-C; what was played has been reported
        raise typer.Exit(130)
