"""Drawings given as what is new in them: two drawings of a game have most of their shapes in common.

A drawing is cut before every `<` and after every sentence; a telling is a list of texts that are new, and of pairs
`[first, how many]` of pieces that the drawing before it had. Whoever has that one puts the pieces together again (`redrawn` in
static/drawings.js)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from stratagem.contract.companions.drawing import Frame

CUT = re.compile(r"(?=<)|(?<=[.;] )")
Telling = list[str | list[int]]


def pieces(drawing: str) -> list[str]:
    """The drawing cut before every `<` and after every sentence of its words."""
    return [piece for piece in CUT.split(drawing) if piece]


def telling(before: Sequence[str], after: Sequence[str]) -> Telling:
    """`after` in terms of `before`, both in pieces: what goes on where the last common piece stood is preferred, then the
    first place that has it."""
    where: dict[str, int] = {}
    for k, piece in enumerate(before):
        where.setdefault(piece, k)
    found: Telling = []
    last = -1  # the piece of `before` that was used last
    for piece in after:
        k = last + 1 if last + 1 < len(before) and before[last + 1] == piece else where.get(piece, -1)
        run = found[-1] if found else None
        if k < 0:
            if isinstance(run, str):
                found[-1] = run + piece
            else:
                found.append(piece)
        elif isinstance(run, list) and run[0] + run[1] == k:
            run[1] += 1
        else:
            found.append([k, 1])
        last = k if k >= 0 else last + 1  # a changed piece stands where another stood
    return found


def put_together(before: Sequence[str], reported: Telling) -> str:
    """The drawing that was sent."""
    return "".join(part if isinstance(part, str) else "".join(before[part[0] : part[0] + part[1]]) for part in reported)


def brief_frames(known: str | None, frames: Iterable[Frame]) -> list[dict[str, Any]]:
    """Frames as JSON, each drawing as changes of the one before it, the first of one that is known already."""
    found, before = [], pieces(known or "")
    for frame in frames:
        after = pieces(frame.svg)
        found.append({"drawing": telling(before, after), "words": frame.words})
        before = after
    return found
