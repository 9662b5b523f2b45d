"""`stratagem roborally`: numbers of programmes, and scenarios run register by register."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from stratagem.cli.options import file_text
from stratagem.errors import OptionError, ParseError, StratagemError
from stratagem.numbers import whole

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Number the programmes of RoboRally, and run its scenarios."
)


@app.command()
def number(
    cards: Annotated[list[int], typer.Argument(help="the cards of the hand, 1 to 84", metavar="CARD...")],
    registers: Annotated[
        int | None, typer.Option(help="open registers; as many as the hand allows if not said")
    ] = None,
    rank: Annotated[str | None, typer.Option(help="cards with commas: the number of this programme")] = None,
    unrank: Annotated[int | None, typer.Option(help="a number: the programme it stands for")] = None,
    locked: Annotated[str | None, typer.Option(help="REGISTER:CARD[:own] with commas between")] = None,
    level: Annotated[
        int, typer.Option(help="card equivalence: 0, the hand alone; 1, with locked cards; 2, by register too")
    ] = 1,
    numbering: Annotated[
        str, typer.Option(help="dense, or mixed: the mixed-radix numbers, repaired and as printed")
    ] = "dense",
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Number the programmes of a hand: classes of equivalent cards, how many programmes, rank and unrank."""
    from stratagem.games.roborally.equivalence import MixedNumbers, Numbering

    if numbering not in ("dense", "mixed"):
        raise OptionError(f"there is no numbering {numbering!r}; it is dense or mixed")

    locks = tuple(_lock(item) for item in locked.split(",")) if locked else ()
    of = Numbering(tuple(cards), min(5, len(cards)) if registers is None else registers, locks, level)
    found: dict[str, Any] = {"classes": of.classes, "count": of.count}
    mixed = MixedNumbers(of) if numbering == "mixed" else None
    if mixed is not None:
        found |= {f"{name} numbers" if name == "printed" else name: x for name, x in mixed.figures().items()}
    if rank is not None:
        found["rank"] = (mixed or of).rank(_cards(rank))
        if mixed is not None:
            found["printed"] = mixed.printed(_cards(rank))
    if unrank is not None:
        action = (mixed or of).unrank(unrank)
        found["cards"], found["action"] = of.realise(action), action
    if as_json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        shown = " ".join("{" + ",".join(map(str, group)) + "}" for group in value) if name == "classes" else value
        print(f"{name:8} {','.join(map(str, shown)) if isinstance(shown, list) else shown}")


def _cards(text: str) -> list[int]:
    try:
        return [int(item) for item in text.split(",")]
    except ValueError:
        raise OptionError(f"{text!r} is not a list of cards like 49,35,50") from None


def _lock(text: str) -> Any:
    from stratagem.games.roborally.equivalence import Locked

    register, _, rest = text.partition(":")
    card, colon, own = rest.partition(":")
    if not (register.strip().isdecimal() and card.strip().isdecimal()) or (colon and own.strip() != "own"):
        raise OptionError(f"{text!r} is no locked card; one is REGISTER:CARD, or REGISTER:CARD:own")
    return Locked(whole(register), whole(card), bool(colon))


@app.command()
def run(
    scenario: Annotated[str, typer.Argument(help="a JSON file, or - for one scenario a line on standard input")],
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object a scenario")] = False,
    animate: Annotated[Path | None, typer.Option(help="write the replay to this file, as an animated SVG")] = None,
) -> None:
    """Run given programmes on a given floor, and print where everybody ends."""
    from stratagem.games.roborally import scenario as scenarios

    if scenario != "-":
        found = scenarios.run(_read(file_text(Path(scenario))))
        _print(found.answer, as_json)
        if animate is not None:
            animate.write_text(found.animation() + "\n", encoding="utf-8")
        return
    bad = False
    for line in sys.stdin:
        if line.strip():
            try:
                answer = scenarios.run(_read(line)).answer
            except StratagemError as error:
                answer, bad = {"error": str(error)}, True
            print(json.dumps(answer), flush=True)
    if bad:
        raise typer.Exit(2)


def _read(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_once)
    except RecursionError:
        raise ParseError("the scenario is nested too deeply to be one") from None
    except ValueError as error:
        if isinstance(error, StratagemError):
            raise
        raise ParseError(f"the scenario is not JSON: {error}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ParseError(f"{key!r} is given twice in the scenario")
        found[key] = value
    return found


def _print(answer: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(answer))
        return
    for name, robot in answer.items():
        if name == "winner":
            print(f"winner: {', '.join(robot) or 'nobody yet'}")
        else:
            place = "{},{} facing {}".format(*robot["at"]) if robot["alive"] else "destroyed"
            print(f"{name}: {place}, damage {robot['damage']}, lives {robot['lives']}, next flag {robot['next']}")
