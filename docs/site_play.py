"""The page to play on: MkDocs calls this when it collects the files, and adds the games' modules, drawings and scripts.

Rules, drawings and the engine are those of the package. The script of the page is `site_play.js`; it plays by the module of the
rules, and shows pieces as they stand in three drawings of the game: empty, and full of the pieces of either seat.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from stratagem import game as make_game
from stratagem.compile.portable import cannot_build
from stratagem.contract.game import ArrayGame
from stratagem.games.connect4.kernels import HEIGHT, STRIDE
from stratagem.games.hex.kernels import cell, owner
from stratagem.kernel import Ground, State
from stratagem.puzzles import shipped
from stratagem.search import browser_rules
from stratagem.search.browser import MOST_CELLS, SETTINGS

HERE = Path(__file__).parent
STATIC = HERE.parent / "src" / "stratagem" / "web" / "static"
LIBRARY = ("api", "board", "here", "layers", "night", "tween", "wasm")  # the web app's scripts that the page uses
PAGE, FOLDER = "play.md", "play"
POOL = 1 << 17  # nodes: 7 MB of a visitor's memory
BOARD = re.compile(r'<link rel="stylesheet" href="play/play.css">.*?</script>', re.S)


def of_boards(g: Ground, s: State, k: int) -> int:
    """Two bitboards, a bit a place."""
    return (s[0] >> k & 1) + 2 * (s[1] >> k & 1)


def of_columns(g: Ground, s: State, k: int) -> int:
    """Two bitboards, column by column, with a spare bit above each."""
    bit = k // HEIGHT * STRIDE + k % HEIGHT
    return (s[0] >> bit & 1) + 2 * (s[1] >> bit & 1)


def of_cells(g: Ground, s: State, k: int) -> int:
    """The cells of hex."""
    return owner(cell(s, k))


READERS: dict[str, Callable[..., int]] = {
    "connect4": of_columns,
    "othello": of_boards,
    "hex": of_cells,
    "tictactoe": of_boards,
}


def places(game: Any, texts: list[str]) -> list[str]:
    """What the drawing calls the places, in the order in which the reader counts them."""
    if game.name == "connect4":
        return [f"{column}.{row + 1}" for column in texts for row in range(game.height)]
    return texts[: game.cells]


def pictures(game: Any) -> list[str]:
    """Drawings of the empty board, and of boards full of the pieces of each seat."""
    boards = game.boards()
    empty = boards.text(game.blank())
    texts = [empty, *(re.sub(r"[_.]", seat[0], empty) for seat in game.seats)]
    return [game.draw(game.position(boards.parse(text))) for text in texts]


def puzzles(game: Any, texts: list[str]) -> list[dict[str, Any]]:
    """The package's puzzles of a game as it is played here, proved: the moves that lead there, and the best, by their numbers."""
    found = []
    for one in shipped():
        if one.game == game.name and not one.options and one.proved:
            before = one.position().history
            found.append({"moves": [texts.index(m) for m in before], "best": [texts.index(m) for m in one.best]})
            found[-1]["task"] = one.task
    return found


@lru_cache
def built(name: str) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return what the page is given about a game, and the modules by their names."""
    game: Any = make_game(name)
    assert isinstance(game, ArrayGame)
    start = game.blank()
    texts = [game.move_text(start, 0, m) for m in range(game.move_bound or 0)]
    named = places(game, texts)
    rules, given = browser_rules.rules(game, READERS[name], len(named))
    search, begins = browser_rules.anywhere(game, replace(SETTINGS, pool=POOL))
    parts = {"rules": (rules, given), "search": (search, begins)}
    reported = {
        "title": game.title,
        "brief": game.brief,
        "guide": game.guide,
        "seats": game.people or game.seats,
        "low": game.payoff_range[0],
        "pictures": pictures(game),
        "places": named,
        "texts": texts,
        "puzzles": puzzles(game, texts),
    }
    for part, (template, args) in parts.items():
        reported[part] = {"module": template.name(args), "manifest": template.manifest(args, MOST_CELLS)}
    return reported, {template.name(args): template.module(args) for template, args in parts.values()}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the scripts, and what they need of every game, where modules can be built."""
    if cannot_build() is not None:
        return files

    def add(name: str, content: str | bytes) -> None:
        files.append(File.generated(config, f"{FOLDER}/{name}", content=content))

    titles = {}
    for name in READERS:
        reported, modules = built(name)
        titles[name] = reported["title"]
        add(f"{name}.json", json.dumps(reported))
        for module, code in modules.items():
            add(f"{module}.wasm", code)
    add("games.json", json.dumps(titles))
    for script in LIBRARY:
        add(f"{script}.js", (STATIC / f"{script}.js").read_text())
    for own in ("play.js", "play.css"):
        add(own, (HERE / f"site_{own}").read_text())
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Say on the page that there is no board, where no modules could be built."""
    if page.file.src_uri != PAGE or (why := cannot_build()) is None:
        return markdown
    return BOARD.sub(
        lambda _: f"!!! note\n\n    The games were not built into this copy of the site: {why}.\n", markdown
    )
