"""`stratagem trace`: the tree that a search walks, drawn; `stratagem depths`: how value and move change with the depth."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from stratagem.cli.options import check_writable, console, load_game, plain
from stratagem.cli.terminal import captioned
from stratagem.contract.player import Choice, Clock
from stratagem.errors import OptionError

DEPTH_ENGINES = ("alphabeta", "minimax", "expectimax")


def trace(
    asked: typer.Context,
    game: Annotated[
        str | None, typer.Argument(help="a game of two players who move in turn and see everything")
    ] = None,
    position: Annotated[str, typer.Argument(help="a position")] = "",
    tree: Annotated[
        str | None,
        typer.Option(
            help="a tree of your own instead of a game: lists in lists of numbers as [[3,5],[2,9]], or a file of them"
        ),
    ] = None,
    least: Annotated[
        bool, typer.Option("--min", help="the root of your own tree takes the least, not the largest")
    ] = False,
    depth: Annotated[
        int | None,
        typer.Option(help="depth in plies, 3 unless given; a tree of your own is always walked to its leaves"),
    ] = None,
    engine: Annotated[str, typer.Option(help="the search: minimax or alphabeta")] = "alphabeta",
    table: Annotated[bool, typer.Option("--table", help="look positions up that were met before")] = False,
    count: Annotated[bool, typer.Option("--count", help="only count the nodes of a game's tree, of any size")] = False,
    most: Annotated[int | None, typer.Option(help="refuse trees of more nodes; 5000 unless given")] = None,
    svg: Annotated[Path | None, typer.Option(help="write the tree as a drawing to this file")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the tree as one JSON object")] = False,
) -> None:
    """Show the tree that minimax or alpha-beta walks, with windows, values, cut branches and the order of visits.

    Values are the first player's. The numbers before nodes are the order in which they are visited.
    """
    from stratagem import questions
    from stratagem.search.trace import MOST_NODES

    limit = MOST_NODES if most is None else most
    if limit < 1:
        raise OptionError(f"--most is {limit}; give 1 or more nodes")
    check_writable(svg)
    if (game is None) == (tree is None):
        raise OptionError("give a game, or a tree of your own: stratagem trace --tree '[[3,5],[2,9]]'")
    if count and (svg is not None or most is not None):
        raise OptionError("--count draws no tree and counts one of any size; leave out --svg and --most")
    if tree is not None:
        if count:
            raise OptionError("--count is for games; a tree of your own is counted as it is shown")
        found = questions.trace(_read_tree(tree), depth, engine=engine, table=table, maximising=not least, most=limit)
        head: dict[str, Any] = {"engine": engine}
    else:
        if least:
            raise OptionError("--min is for a tree of your own; in a game the first player takes the largest value")
        of = load_game(asked, game or "")
        start = of.parse(position)
        if start.over:
            raise OptionError(f"the game is over in {str(start)!r}: there is no tree")
        head = {"position": position, "engine": engine, "depth": 3 if depth is None else depth}
        if count:
            _count(of, start, head, table, as_json)
            return
        found = questions.trace(start, depth, engine=engine, table=table, most=limit)
    if svg is not None:
        svg.write_text(found.svg() + "\n", encoding="utf-8")
    if as_json:
        print(json.dumps({**head, "nodes": found.visits, "tree": found.json()}))
    elif svg is None:
        if tree is None:
            print(start.text_art())
        print(found)
    else:
        print(str(found).splitlines()[-1])


def _read_tree(given: str) -> Any:
    """Nested lists from a text or a file."""
    text = given.strip()
    if not text.startswith("["):
        try:
            text = sys.stdin.read() if text == "-" else Path(given).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise OptionError(f"{given!r} is no tree such as [[3,5],[2,9]], and no file to read: {error}") from None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise OptionError(
            f"the tree cannot be read ({error}); give lists in lists of numbers as [[3,5],[2,9]]"
        ) from None


def _count(of: Any, start: Any, head: dict[str, Any], table: bool, as_json: bool) -> None:
    """The nodes of a whole search of one depth, by the compiled searches with nothing that the books do not have."""
    from stratagem.search.alphabeta.deepening import PLAIN, AlphaBeta
    from stratagem.search.minimax import Minimax

    bits, engine, depth = 20 if table else 0, head["engine"], head["depth"]
    if depth < 1:
        raise OptionError(f"a depth of {depth} makes no tree; give 1 or more")
    if engine == "minimax":
        nodes = Minimax(of, distances=False, same_depth=True, table_bits=bits).search(start, depth).nodes
    elif engine == "alphabeta":
        searched = AlphaBeta(of, PLAIN, ordered=False, distances=False, table_bits=bits).search(start, depth)
        if searched is None:
            raise typer.Exit(130)
        nodes = searched.nodes
    else:
        raise OptionError(f"there is no tree of {engine!r} to count; the engine is minimax or alphabeta")
    if as_json:
        print(json.dumps({**head, "nodes": nodes}))
    else:
        print(f"{nodes:,} nodes visited by {engine} to depth {depth}, the root and finished games included")


def depths(
    asked: typer.Context,
    game: Annotated[str, typer.Argument(help="a game")],
    position: Annotated[str, typer.Argument(help="a position")] = "",
    engine: Annotated[str | None, typer.Option(help="alphabeta, minimax or expectimax; the first that suits")] = None,
    most: Annotated[int, typer.Option(help="the greatest depth")] = 10,
    seconds: Annotated[float, typer.Option(help="seconds after which no further depth is begun")] = 10.0,
    svg: Annotated[Path | None, typer.Option(help="write values by depth as a picture to this file")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object a depth")] = False,
) -> None:
    """Show value and move by depth, to see where a search changes its answer. It ends where the result is proven."""
    if most < 1:
        raise OptionError(f"--most is {most}; give a depth of 1 or more")
    check_writable(svg)
    limit = Clock(seconds).seconds or 0.0
    of = load_game(asked, game)
    start = of.parse(position)
    rows: list[Choice] = []
    stopped = False
    thinker = _thinker(of, engine)
    began = time.perf_counter()
    try:
        for depth in range(1, most + 1):
            choice = thinker.analyse(start, Clock(None), depth=depth)
            if not choice.finished:
                stopped = True
                break
            if choice.depth is not None and rows and choice.depth <= (rows[-1].depth or 0):
                break  # there is nothing deeper: the result was proven, or the game is no longer
            rows.append(choice)
            if as_json:
                print(json.dumps({"position": position, **_row(choice)}), flush=True)
            if sys.stderr.isatty():
                print(f"\rdepth {depth}", end="", file=sys.stderr, flush=True)
            if time.perf_counter() - began > limit:
                break
    except KeyboardInterrupt:
        stopped = True
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    who = of.seat_name(start.value_seat())
    if not as_json:
        print(start.text_art())
        table = Table(box=None, pad_edge=False)
        for column in ("depth", "value", "move", "ends in", "nodes", "seconds", "then"):
            table.add_column(column, justify="left" if column in ("move", "then") else "right")
        for row in rows:
            line = row.lines[0]
            table.add_row(
                str(row.depth),
                "" if row.value is None else f"{row.value:+.3f}",
                row.move,
                "" if line.moves_to_end is None else f"{line.moves_to_end} plies",
                f"{row.nodes:,}",
                f"{row.seconds:.2f}",
                " ".join(line.moves[1:10]),
            )
        console().print(captioned(f"values for {who}; {thinker_name(rows)}", table))
    if svg is not None and rows:
        _draw(svg, f"{of.title}: value for {who} by depth", rows)
    if stopped:
        raise typer.Exit(130)


def _draw(svg: Path, title: str, rows: list[Choice]) -> None:
    """Values by depth as a curve; depths at which nothing is known have no place on it."""
    from stratagem.arena.plots import curves_plot

    curve = [(float(row.depth or 0), float(row.value)) for row in rows if row.value is not None]
    if not curve:
        raise OptionError("there is no value to draw: nothing is proven at these depths, and the game has no heuristic")
    svg.write_text(curves_plot(title, ("depth", "value"), {thinker_name(rows): curve}) + "\n", encoding="utf-8")


def _thinker(of: Any, engine: str | None) -> Any:
    """The search itself, kept from depth to depth with its table."""
    from stratagem.registry import player, players

    known = [name for name in DEPTH_ENGINES if name in players(of)]
    if not known:
        raise OptionError(f"no search of {of.name} goes by depth: it has none of {', '.join(DEPTH_ENGINES)}")
    name = engine or known[0]
    if name.partition(":")[0] not in DEPTH_ENGINES:
        raise OptionError(f"{name!r} does not go by depth; it is one of {', '.join(known)}")
    return player(of, name).engine  # type: ignore[attr-defined]


def thinker_name(rows: list[Choice]) -> str:
    return rows[0].engine if rows else ""


def _row(choice: Choice) -> dict[str, Any]:
    line = choice.lines[0]
    return {
        "depth": choice.depth,
        "value": plain(choice.value),
        "best": choice.move,
        "moves_to_end": line.moves_to_end,
        "line": list(line.moves),
        "nodes": choice.nodes,
        "seconds": round(choice.seconds, 6),
    }
