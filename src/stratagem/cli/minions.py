"""`stratagem minions`: what can be removed on a board this turn, proved; and why a turn, in words."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratagem.cli.options import file_text
from stratagem.errors import OptionError, ParseError, StratagemError

if TYPE_CHECKING:
    from stratagem.games.minions import AttackAnswer, GameState, Minions

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Ask which attacks are possible in Minions, and why the engine chose a turn.",
)


@app.callback()
def _root() -> None:
    """Minions: attacks of a turn; the game itself is `stratagem play minions`."""


@app.command()
def attacks(
    position: Annotated[
        str, typer.Argument(help="a state string, a file that holds one, or - for one JSON object a line")
    ],
    board: Annotated[int, typer.Option(help="the board, from 0")] = 0,
    maps: Annotated[str | None, typer.Option(help="the map of each board, with commas between")] = None,
    profile: Annotated[str, typer.Option(help="profile of the rules")] = "spooky",
    remove: Annotated[str, typer.Option(help="hexes of enemies that all have to go, such as e5,d4")] = "",
    keep: Annotated[str, typer.Option(help="hexes of enemies that have to stay")] = "",
    most: Annotated[int, typer.Option(help="plans to list")] = 20,
    seconds: Annotated[float | None, typer.Option(help="time for a question; without it there is no limit")] = None,
    solver: Annotated[str, typer.Option(help="minisat22, minisat-gh, glucose4 or glucose42")] = "minisat22",
    svg: Annotated[Path | None, typer.Option(help="write a drawing of the first plan")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Can these enemies all be removed this turn, how, and if not, which of them conflict?

    Others may go too, unless `--keep` names them; without `--remove`: can anybody be removed? With `-` each line of
    standard input is an object with `position`, and if they differ from the flags `board`, `remove`, `keep`.
    """
    from stratagem.games.minions import Minions
    from stratagem.games.minions import attacks as ask
    from stratagem.games.minions.view import draw

    options: dict[str, Any] = {"profile": profile, **({"maps": maps} if maps else {})}
    game = Minions(**options)
    asked: dict[str, Any] = {"board": board, "remove": _hexes(remove), "keep": _hexes(keep)}
    rest: dict[str, Any] = {"most": most, "seconds": seconds, "solver": solver}
    if position != "-":
        position = _state_text(position)
        state = game.parse(position).state
        found = ask(state, **asked, **rest)
        print(
            json.dumps({"position": position, "board": board, **found.json()})
            if as_json
            else found.describe(state, board)
        )
        if svg is not None:
            svg.write_text(draw(state, found.turns[0] if found.turns else None) + "\n", encoding="utf-8")
        return
    if svg is not None:
        raise OptionError("--svg draws one position; leave out -")
    bad = False
    for line in sys.stdin:
        if not line.strip():
            continue
        answer, wrong = _line(game, line, asked, rest)
        bad = bad or wrong
        print(json.dumps(answer), flush=True)
    if bad:
        raise typer.Exit(2)


@app.command()
def explain(
    position: Annotated[str, typer.Argument(help="a state string, or a file that holds one; empty: the start")] = "",
    turn: Annotated[str, typer.Option(help="the turn to explain; without it the engine's own")] = "",
    maps: Annotated[str | None, typer.Option(help="the map of each board, with commas between")] = None,
    profile: Annotated[str, typer.Option(help="profile of the rules")] = "spooky",
    seconds: Annotated[float, typer.Option(help="time to think where no turn is given")] = 1.0,
    seed: Annotated[int, typer.Option(help="seed of the engine")] = 0,
    svg: Annotated[Path | None, typer.Option(help="write the turn as a drawing")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Explain a turn in words: what it removes, what it holds and risks, where the money goes, what moves the value."""
    from stratagem.compile import before_compiling
    from stratagem.contract.game import CHANCE
    from stratagem.contract.player import Clock, PlayerText
    from stratagem.games.minions import Minions
    from stratagem.games.minions.engine.player import EnginePlayer
    from stratagem.games.minions.turn import GameTurn
    from stratagem.games.minions.view import draw
    from stratagem.readiness import preliminary
    from stratagem.rng import generator

    options: dict[str, Any] = {"profile": profile, **({"maps": maps} if maps else {})}
    game = Minions(**options)
    view = game.parse(_state_text(position))
    if view.over:
        raise OptionError(f"the game is over in {position[:40]!r}: there is no turn to explain")
    if view.turn == CHANCE:  # the spells that are due are dealt by the seed
        view = view.play(view.sample(generator(seed)))
    thinker = EnginePlayer(game, seed=seed)

    def look() -> None:
        if not turn and (found := preliminary(PlayerText("engine"), view, None)):
            head = f"a preliminary answer, by the interpreter, while the engine is compiled; {found.engine}:"
            print(f"{head}\n{found.move}\n", file=sys.stderr, flush=True)

    with before_compiling(look):
        move = turn or thinker.choose(view, Clock(seconds)).move
        why = thinker.explain(view, move)
    print(json.dumps({"position": str(view), "turn": move, "why": why}) if as_json else "\n".join([move, *why]))
    if svg is not None:
        svg.write_text(draw(view.state, GameTurn.parse(move, view.state.config.boards)) + "\n", encoding="utf-8")


def _state_text(position: str) -> str:
    """The state string asked for: the argument itself, or what the file of that name says."""
    try:
        found = Path(position).is_file()
    except OSError:  # too long for the name of a file
        found = False
    return file_text(Path(position)).strip() if found else position


def _line(game: Minions, line: str, asked: dict[str, Any], rest: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """The answer to one line of standard input, and whether something was wrong with it."""
    from stratagem.games.minions import attacks as ask

    echo: dict[str, Any] = {"position": line.strip()[:200]}
    try:
        given = _object(line)
        echo = {"position": given["position"], "board": given.get("board", asked["board"])}
        state: GameState = game.parse(given["position"]).state
        found: AttackAnswer = ask(state, **{**asked, **{k: v for k, v in given.items() if k != "position"}}, **rest)
        return {**echo, **found.json()}, False
    except StratagemError as error:
        return {**echo, "error": str(error)}, True


def _object(line: str) -> dict[str, Any]:
    """One question as an object, with fields of the right kind."""
    form = 'such as {"position": "..", "board": 0, "remove": ["e5"], "keep": []}'
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        raise ParseError(f"{line.strip()[:40]!r} is not a JSON object, {form}") from None
    if not isinstance(given, dict) or not isinstance(given.get("position"), str):
        raise ParseError(f"{line.strip()[:40]!r} names no position: write an object {form}")
    if foreign := set(given) - {"position", "board", "remove", "keep"}:
        raise ParseError(f"field {min(foreign)!r} is unknown: write an object {form}")
    if isinstance(given.get("board", 0), bool) or not isinstance(given.get("board", 0), int):
        raise ParseError(f"board is {given['board']!r}; it is the index of a board, from 0")
    for name in ("remove", "keep"):
        hexes = given.get(name, [])
        if isinstance(hexes, str):
            given[name] = hexes = _hexes(hexes)
        if not isinstance(hexes, list) or not all(isinstance(h, str) for h in hexes):
            raise ParseError(f'{name} is {hexes!r}; it is a list of hexes, such as ["e5"]')
    return given


def _hexes(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
