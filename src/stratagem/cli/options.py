"""What several subcommands share: games with their options, positions one a line, consoles that suit where output goes."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from rich.console import Console

from stratagem.arena.questions import after_moves, read_line
from stratagem.contract.game import Game, Option, Position
from stratagem.errors import OptionError, ParseError, StratagemError
from stratagem.registry import game_class, players

TrustFlag = Annotated[
    bool, typer.Option("--trust", help="let the file name Python files and programs, which are then run")
]


@dataclasses.dataclass(frozen=True)
class GameOptions:
    """The flags of the game that a command is about, taken out of its arguments."""

    given: dict[str, str | bool] = dataclasses.field(default_factory=dict)
    flags: tuple[str, ...] = ()  # that the game has, as they are typed


def take_game_options(arguments: list[str]) -> tuple[list[str], GameOptions]:
    """The arguments without the game's own flags, and those; commands find them in their context, see `load_game`."""
    if len(arguments) < 2 or arguments[1].startswith("-"):
        return arguments, GameOptions()
    declared = {option.name.replace("_", "-"): option for option in game_class(arguments[1]).options}
    given: dict[str, str | bool] = {}
    rest, i = arguments[:2], 2
    while i < len(arguments):
        flag, equals, value = arguments[i].partition("=")
        option = declared.get(flag[2:]) if flag.startswith("--") else None
        if option is None:
            rest.append(arguments[i])
        elif equals:
            given[option.name] = value
        elif option.type is bool:
            given[option.name] = True
        elif i + 1 < len(arguments):
            i += 1
            given[option.name] = arguments[i]
        else:
            raise OptionError(f"{flag} needs a value: {option.help}")
        i += 1
    if "--help" in rest:
        of = game_class(arguments[1])
        print(
            f"{option_help(of)}\nits players: {', '.join(players(of()))} (options of each: stratagem games {of.name})"
        )
    return rest, GameOptions(given, tuple(f"--{name}" for name in declared))


def option_help(of: type[Game]) -> str:
    """The flags of a game in a few lines."""
    rows = [f"flags of {of.name}:"]
    rows += [f"  --{o.name.replace('_', '-'):12} {o.help} (default {shown(o)}{_choices(o)})" for o in of.options]
    return "\n".join(rows) if len(rows) > 1 else f"{of.name} has no flags of its own"


def shown(option: Option) -> str:
    default = option.default
    return ",".join(map(str, default)) if isinstance(default, tuple) else str(default)


def _choices(option: Option) -> str:
    return f"; one of {', '.join(map(str, option.choices))}" if option.choices else ""


def load_game(asked: typer.Context, name: str) -> Game:
    """The game with the flags given for it."""
    return game_class(name)(**given_options(asked))


def given_options(asked: typer.Context) -> dict[str, Any]:
    """The flags of the game that were given."""
    return dict(asked.obj.given)


def file_text(path: Path) -> str:
    """What a file of text says."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ParseError(f"{path} is not text in UTF-8") from None


def seat_of(game: Game, seat: int) -> int:
    """A seat that is there."""
    if not 0 <= seat < game.players:
        raise OptionError(f"there is no seat {seat}; {game.name} has seats 0 to {game.players - 1}")
    return seat


MOVES_HELP = "moves to play from the position, or from the start, with spaces or commas between: 'd3 c3 c4'"


def position_of(game: Game, text: str | None, moves: str | None = None) -> Position:
    """The position asked for: a text, and moves played from there."""
    start: Position = game.parse(text or "")
    return start if moves is None else after_moves(start, moves)


def check_writable(file: Path | None) -> None:
    """Refuse a file that cannot be written, before any work is done for it."""
    if file is None:
        return
    if file.is_dir():
        raise OptionError(f"{str(file)!r} is a folder; name a file in it")
    if not file.parent.is_dir():
        raise OptionError(f"there is no folder {str(file.parent)!r} to write {file.name!r} into")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise OptionError(f"{str(file)!r} cannot be written: its owner does not allow it")


def print_answer(text: str | None, found: dict[str, Any]) -> None:
    """One JSON object for the position asked for, as it was written."""
    print(json.dumps({"position": text or "", **found}), flush=True)


def answer_lines(game: Game, answer: Callable[[Position], dict[str, Any]], moves: str | None = None) -> None:
    """Print one JSON object for each line of standard input (see `arena.questions`); exit with 2 if some line was bad."""
    bad = False
    for line in sys.stdin:
        head: dict[str, Any] = {"position": line.rstrip("\r\n")}
        try:
            asked = read_line(line, moves)
            head = asked.head
            found = answer(asked.position(game))
        except StratagemError as error:
            found, bad = {"error": str(error)}, True
        print(json.dumps({**head, **found}), flush=True)
    if bad:
        raise typer.Exit(2)


Cluster = Annotated[
    str | None,
    typer.Option(help="with -: answer on a Ray cluster: local, auto, or ADDRESS:PORT of its head"),
]


def answer_on_cluster(text: str | None, cluster: str, function: str, shared: tuple[Any, ...]) -> None:
    """The same for lines of standard input, answered on a Ray cluster, in the order of the lines."""
    if text != "-":
        raise OptionError("a cluster answers many positions: give - and one position a line on standard input")
    from stratagem.arena.cluster import each

    bad = False
    for head, found in each(cluster, None, function, shared, (line.rstrip("\r\n") for line in sys.stdin)):
        if "value" in found:
            found["value"] = plain(found["value"])
        bad = bad or "error" in found
        print(json.dumps({**head, **found}), flush=True)
    if bad:
        raise typer.Exit(2)


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """A command that takes a dataclass as one parameter, made one with an option for each field: so commands share options."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if dataclasses.is_dataclass(kind)}
    options: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        given = inspect.signature(groups[name]).parameters.values() if name in groups else (parameter,)
        kinds = get_type_hints(groups[name], include_extras=True) if name in groups else hints
        options += [p.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=kinds[p.name]) for p in given]

    def run(**chosen: Any) -> None:
        for name, kind in groups.items():
            chosen[name] = kind(**{field.name: chosen.pop(field.name) for field in dataclasses.fields(kind)})
        command(**chosen)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__annotations__ = {option.name: option.annotation for option in options}
    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    return run


def plain(value: float | None) -> float | int | None:
    """A number as people would write it: 1, not 1.0."""
    return int(value) if value is not None and float(value).is_integer() else value


def console() -> Console:
    """For tables: they keep to plain text when piped (Rich honours NO_COLOR)."""
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())
