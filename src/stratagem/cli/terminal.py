"""The terminal as a place to play: a keyboard with history and completion, a screen with colours.

Where input or output is piped both are plain, so that programs and tests read and write the same words.
"""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import platformdirs
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from stratagem.contract.companions.drawing import Drawing
from stratagem.contract.game import Game

WIDEST = 110  # columns of a text, in any terminal
CHANGED, DECISIVE = "bold underline", "bold reverse"


def data_folder() -> Path:
    """Where saved games and the keyboard's history lie."""
    return Path(platformdirs.user_data_dir("stratagem", appauthor=False))


class Keyboard:
    """Reads lines: with history, completion by Tab and Ctrl-L in a terminal, plainly else."""

    def __init__(self) -> None:
        self.interactive = sys.stdin.isatty() and sys.stdout.isatty()
        self._session: Any = None

    def ask(self, prompt: str, words: Callable[[], Iterable[str]], redraw: Callable[[], None]) -> str:
        """One line. `words` says what may be typed, for completion; `redraw` shows the board again after Ctrl-L."""
        if not self.interactive:
            return input(prompt)
        if self._session is None:
            self._session = _session(redraw)
        text: str = self._session.prompt(prompt, completer=_completer(words))
        return text


def _session(redraw: Callable[[], None]) -> Any:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.application import run_in_terminal
    from prompt_toolkit.history import FileHistory, InMemoryHistory
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("c-l")
    def _(event: Any) -> None:
        event.app.renderer.clear()
        run_in_terminal(redraw)

    folder = data_folder()
    history: FileHistory | InMemoryHistory = FileHistory(str(folder / "typed.history"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "typed.history", "ab"):
            pass
    except OSError:  # a folder that cannot be written to ends no game
        history = InMemoryHistory()
    return PromptSession(history=history, key_bindings=keys, complete_while_typing=False)


def _completer(words: Callable[[], Iterable[str]]) -> Any:
    from prompt_toolkit.completion import Completer, Completion

    class Words(Completer):
        """What begins like the whole line, or like its last part."""

        def get_completions(self, document: Any, complete_event: Any) -> Iterator[Any]:
            typed = document.text_before_cursor.rpartition(";")[2].lstrip()
            for word in words():
                if word.lower().startswith(typed.lower()):
                    yield Completion(word, start_position=-len(typed))

    return Words()


class Screen:
    """Shows drawings of one game: coloured signs, what has changed since the last drawing, what decided the game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.console = Console(highlight=False, soft_wrap=True)
        self._last = ""

    def show(self, drawing: str, decisive: Sequence[tuple[int, int]] = ()) -> None:
        if not self.console.is_terminal:
            print(drawing)
            return
        before, self._last = self._last, drawing
        rows, old = drawing.split("\n"), before.split("\n")
        alike = [len(row) for row in rows] == [len(row) for row in old]
        for y, row in enumerate(rows):
            text = Text(row)
            for sign, ink in Drawing.of(self.game).inks:
                text.highlight_regex(rf"(?<![A-Za-z0-9]){sign}(?![A-Za-z0-9])", ink)
            if alike:
                for x, (new, was) in enumerate(zip(row, old[y], strict=True)):
                    if new != was and new != " ":
                        text.stylize(CHANGED, x, x + 1)
            for at, x in decisive:
                if at == y:
                    text.stylize(DECISIVE, x, x + 1)
            self.console.print(text)


def captioned(caption: str, table: Table) -> Group:
    """A table under its caption, which has the terminal's width: a title of Rich's is broken at the table's."""
    return Group(Text(caption), table)


def natural(text: str) -> list[Any]:
    """To sort moves as people do: a2 before a10, and numbers before letters."""
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", text) if part]


def folded(text: str, indent: str = "") -> str:
    """A text in lines that fit the terminal, broken between words alone."""
    width = min(WIDEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else WIDEST
    lines = textwrap.wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines)


def listed(words: Iterable[str], most: int = 200) -> str:
    """Moves in their order; those of several words by what they begin with, a line each."""
    found = sorted(words, key=natural)
    shown = found[:most]
    single = " ".join(word for word in shown if " " not in word)
    more = f"... ({len(found)} in all)" if len(found) > most else ""
    several = grouped(word for word in shown if " " in word)
    return "\n".join(filter(None, (folded(single), several, more)))


def grouped(parts: Iterable[str]) -> str:
    """Parts of a plan by what they begin with, a line each: `board 0 move: c1c0 c1d0`."""
    groups: dict[str, list[str]] = {}
    for part in parts:
        words = part.split()
        groups.setdefault(" ".join(words[:-1]), []).append(words[-1])
    rows = [f"{head}: {' '.join(tails)}" if head else " ".join(tails) for head, tails in groups.items()]
    return "\n".join(folded(row, "    ") for row in rows)
