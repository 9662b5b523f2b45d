"""`stratagem draft import`: exports of sites made one table, with what was understood of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import platformdirs
import typer

from stratagem.errors import OptionError, ParseError


def import_command(
    files: Annotated[list[Path], typer.Argument(help="exports: rankings, projections, average draft positions")],
    out: Annotated[Path, typer.Option(help="the table to write")] = Path("league.csv"),
    preset: Annotated[
        str | None, typer.Option(help="count points from statistics as this league does; draft presets lists them")
    ] = None,
    same: Annotated[list[str] | None, typer.Option(help="two names of one player, A=B; may be repeated")] = None,
    different: Annotated[list[str] | None, typer.Option(help="two names of two players, A=B; may be repeated")] = None,
    answers: Annotated[
        Path | None, typer.Option(help="file of the answers about names; a file of this machine if not given")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print what was understood as one JSON object")] = False,
) -> None:
    """Read exports of FantasyPros, Sleeper, ESPN and Yahoo as they come, and merge them into one table."""
    from stratagem.fantasy.imports import read_export
    from stratagem.fantasy.merging import merge
    from stratagem.fantasy.names import Answers, pair_of
    from stratagem.fantasy.presets import preset_of
    from stratagem.fantasy.table import write_table

    chosen = preset_of(preset) if preset else None
    known = Answers.load(answers or Path(platformdirs.user_data_dir("stratagem")) / "draft-names.json")
    for texts, alike in ((same or [], True), (different or [], False)):
        for text in texts:
            left, equals, right = text.partition("=")
            if not equals or not left.strip() or not right.strip():
                raise OptionError(f"{text!r} is not A=B, two names of players")
            known.settle(pair_of(left, right), alike)
    if out.resolve() in {file.resolve() for file in files}:
        raise OptionError(f"{out} is one of the exports; name another file with --out")
    exports = [read_export(file, chosen.column if chosen else None) for file in files]
    scoring = chosen.scoring if chosen else None
    merged = merge(exports, known, scoring)
    if sys.stdin.isatty() and not as_json:
        while merged.doubts:
            for doubt in merged.doubts:
                left, right = (
                    f"{p.name} ({'/'.join(p.positions)}{', ' + p.club if p.club else ''})"
                    for p in (doubt.left, doubt.right)
                )
                known.settle(doubt.pair, typer.confirm(f"{doubt.why}: is {left} the same as {right}?"))
            merged = merge(exports, known, scoring)
    if not merged.items:
        raise ParseError("the files hold no players")
    write_table(merged.items, out)
    doubts = [{"left": d.left.name, "right": d.right.name, "why": d.why} for d in merged.doubts]
    if as_json:
        reported = [
            {
                "file": e.source,
                "kind": e.kind,
                "players": len(e.entries),
                "columns": dict(e.columns),
                "ignored": list(e.ignored),
                "notes": list(e.notes),
            }
            for e in exports
        ]
        print(json.dumps({"files": reported, "players": len(merged.items), "doubts": doubts, "out": str(out)}))
        return
    for e in exports:
        print(f"{e.source}: {e.kind}, {len(e.entries)} players, header in line {e.header_line}")
        meant = ", ".join(f"{heading.strip()} = {meaning.removeprefix('stat ')}" for heading, meaning in e.columns)
        print(f"  understood: {meant}")
        if e.ignored:
            print(f"  left alone: {', '.join(e.ignored)}")
        for note in e.notes:
            print(f"  {note}")
    for note in merged.notes:
        print(note)
    if len(exports) > 1:
        print(f"{merged.joined} rows were about players of an earlier file")
    for d in merged.doubts:
        print(
            f"? {d.left.name} and {d.right.name} ({d.why}) were kept apart; "
            f'if they are one player: --same "{d.left.name}={d.right.name}", else --different'
        )
    print(f"{len(merged.items)} players are in {out}; draft with: stratagem draft live {out}")
