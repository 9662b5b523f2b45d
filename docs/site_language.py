"""Warn of long sentences and long lines in the pages; it never fails. `--all` prints every page, not only the worst."""

import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
MOST_WORDS, MOST_COLUMNS = 35, 120
BESIDE = ("README", "CHANGELOG", "CONTRIBUTING")


class Measure(NamedTuple):
    average: float  # words a sentence
    longest: int
    sentences: int  # of more than MOST_WORDS
    lines: int  # of prose, of more than MOST_COLUMNS


def measure(text: str) -> Measure:
    """Return the lengths of a page's sentences and lines; code, tables, headings and HTML are left out."""
    prose = re.sub(r"^ *```.*?^ *```|<!--.*?-->", "", text, flags=re.S | re.M)
    prose = re.sub(r"^(?:\||#|:::|<).*$", "", prose, flags=re.M)
    lines = sum(len(line) > MOST_COLUMNS for line in prose.splitlines())
    prose = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "code", prose))
    paragraphs = re.split(r"\n\s*\n|\n\s*(?:[-*]|\d+\.) ", prose)
    words = [len(s.split()) for p in paragraphs for s in re.split(r"(?<=[.!?])\s+", p) if s.split()] or [0]
    return Measure(sum(words) / len(words), max(words), sum(n > MOST_WORDS for n in words), lines)


def main() -> None:
    pages = [*sorted((ROOT / "docs").rglob("*.md")), *(ROOT / f"{name}.md" for name in BESIDE)]
    found = sorted(((measure(page.read_text()), page) for page in pages), key=lambda f: -f[0].sentences - f[0].lines)
    sentences, lines = sum(m.sentences for m, _ in found), sum(m.lines for m, _ in found)
    if sentences + lines:
        print(
            f"warning: {sentences} sentences of more than {MOST_WORDS} words, {lines} lines over {MOST_COLUMNS} columns"
        )
    for m, page in found if "--all" in sys.argv else [f for f in found if f[0].sentences + f[0].lines][:3]:
        name = page.relative_to(ROOT)
        print(f"  {name!s:36} average {m.average:4.1f}, longest {m.longest:3}, {m.sentences:3} long, {m.lines:3} lines")


if __name__ == "__main__":
    try:
        main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
