"""`stratagem play`: a game in the terminal, against engines or among people at one keyboard."""

from __future__ import annotations

import secrets
import time
from pathlib import Path
from typing import Annotated

import typer

from stratagem.arena.questions import after_moves
from stratagem.cli.options import MOVES_HELP, TrustFlag, given_options, load_game, seat_of
from stratagem.cli.saved import to_resume
from stratagem.cli.session import YOU, Session
from stratagem.cli.terminal import data_folder
from stratagem.contract.player import Clock, PlayerText
from stratagem.errors import OptionError
from stratagem.registry import check_harmless, players
from stratagem.store.record import Record

FRESH_SEEDS = 1_000_000  # few enough to be typed again


def play(
    asked: typer.Context,
    game: Annotated[str | None, typer.Argument(help="a game")] = None,
    position: Annotated[str, typer.Argument(help="a position to start from")] = "",
    seats: Annotated[
        str | None, typer.Option(help="player of each seat, with commas: you,strong or easy,mcts:time=1")
    ] = None,
    level: Annotated[
        str | None, typer.Option(help="the player on the other seats, if --seats is not given; medium if left out")
    ] = None,
    seat: Annotated[int, typer.Option(help="your seat, counted from 0, if --seats is not given")] = 0,
    seconds: Annotated[float | None, typer.Option(help="thinking time of engines, a move")] = None,
    moves: Annotated[str | None, typer.Option(help=MOVES_HELP)] = None,
    seed: Annotated[
        int | None, typer.Option(help="seed of dice, cards and engines, which repeats a game; a fresh one if left out")
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(help="go on with a saved game: a file, a number of `stratagem saved`, or nothing for the latest"),
    ] = None,
    trust: TrustFlag = False,
) -> None:
    """Play a game in the terminal. Type `help` for what can be typed."""
    clock = Clock(seconds)
    if resume is not None:
        if given_options(asked) or position:
            raise OptionError("a resumed game brings its own options and position; leave them out")
        Session.of(*_resumed(game, seats, resume, trust), clock).run()
        return
    if game is None:
        raise OptionError("name a game, such as stratagem play connect4; stratagem games lists them")
    of = load_game(asked, game)
    seed = secrets.randbelow(FRESH_SEEDS) if seed is None else seed
    at = of.parse(position) if position or moves else of.start(seed=seed)
    at = at if moves is None else after_moves(at, moves)
    if seats is not None:
        names = [str(who) for who in PlayerText.parse_list(seats)]
    else:
        seat_of(of, seat)
        other = level or ("medium" if "medium" in players(of) else "random")
        names = [YOU if p == seat else other for p in range(of.players)]
    Session.of(Record.of(at, names, seed), _free_file(of.name), clock).run()


def _resumed(game: str | None, seats: str | None, resume: str, trust: bool) -> tuple[Record, Path]:
    file = to_resume(resume, game)
    record = Record.load(file)
    if game is not None and Path(record.game).name != Path(game).name:
        raise OptionError(f"{file} holds a game of {record.game}; use: stratagem play {record.game} --resume {file}")
    if seats is not None:
        record.seats = [str(who) for who in PlayerText.parse_list(seats)]
    check_harmless(record.game, record.options, record.seats if seats is None else (), trust=trust)
    record.position(trust=trust)  # a file that is trusted is loaded from here on
    return record, file


def _free_file(name: str) -> Path:
    """Where a game is kept that nobody has named a file for: by the time, and never over another game."""
    folder = data_folder()
    stem = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    file, again = folder / f"{stem}.json", 2
    while file.exists():
        file, again = folder / f"{stem}-{again}.json", again + 1
    return file
