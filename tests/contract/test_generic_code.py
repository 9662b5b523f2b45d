"""Code that serves every game knows none of them by name: what is special about one, that one declares."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import stratagem
from stratagem.registry import GAMES

PACKAGE = Path(stratagem.__file__).parent

# Subcommands about one game that are not called after it, or about fixed positions of some; the table of subcommands.
OF_GAMES = {"__init__", "contest", "signature", "train", "umi"}
# Names of games that are also words of the language, or of plans in general: these are looked for as whole texts alone.
WORDS = {"bidding", "blotto", "breakthrough", "draft", "hex", "pig", "risk"}
PLAYERS = {"umi"}  # a player of one game
DRAFT_ROOM = {
    "draft",
    "drafts",
    "room",
    "rooms",
    "auction",
    "auction_rooms",
}  # a page of its own: `stratagem draft serve`


def generic() -> list[Path]:
    """The files that serve every game."""
    web = [file for file in PACKAGE.glob("web/**/*") if file.stem not in DRAFT_ROOM]
    rooms = [*web, *PACKAGE.glob("arena/**/*"), *PACKAGE.glob("search/**/*")]
    own = {*GAMES, *OF_GAMES}  # `cli/draft_live.py` is about drafts too
    rooms += [
        file for file in PACKAGE.glob("cli/*.py") if file.stem not in own and file.stem.split("_")[0] not in GAMES
    ]
    rooms += [*PACKAGE.glob("contract/*.py"), *PACKAGE.glob("store/*.py"), PACKAGE / "testing.py"]
    return sorted(file for file in rooms if file.suffix in (".py", ".js", ".css", ".html"))


def texts(code: ast.AST) -> Iterator[str]:
    """The texts of a module, without its docstrings, and without what a message gives as an example after `such as`."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(code)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(code):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value.partition("such as")[0]


def known_games(file: Path) -> list[str]:
    """The games that a file knows."""
    names = {*GAMES, *PLAYERS}
    said = file.read_text(encoding="utf-8")
    if file.suffix != ".py":
        return [name for name in names if re.search(rf"\b{name}\b", said, re.IGNORECASE)]
    code = ast.parse(said)
    found = []
    for text in texts(code):
        found += [name for name in names if text == name or (name not in WORDS and re.search(rf"\b{name}\b", text))]
    for node in ast.walk(code):
        imported = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        imported += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        found += [module for module in imported if module.startswith("stratagem.games.")]
    return found


def test_no_file_that_serves_every_game_knows_one_by_name() -> None:
    files = generic()
    assert len(files) > 60 and {"plan.js", "engines.py", "play.py", "mcts.py", "runner.py"} <= {f.name for f in files}
    known = {str(file.relative_to(PACKAGE)): found for file in files if (found := known_games(file))}
    assert known == {}


@pytest.mark.parametrize(
    ("name", "code", "found"),
    [
        ("a.js", "if (game === 'Minions') draw();", ["minions"]),
        ("a.css", ".hex { fill: none }", ["hex"]),
        ("a.py", "if name != 'umi': pass", ["umi"]),
        ("a.py", "if plan == 'draft': pass", ["draft"]),
        ("a.py", "text = 'a race of roborally'", ["roborally"]),
        ("a.py", "from stratagem.games.pig import Pig", ["stratagem.games.pig"]),
        ("a.py", '"""Solves games such as connect4."""\nraise E("give a game, such as nim")', []),
        ("a.py", "text = 'a draft of a letter'", []),
    ],
)
def test_a_game_that_is_known_would_be_seen(tmp_path: Path, name: str, code: str, found: list[str]) -> None:
    (tmp_path / name).write_text(code)
    assert known_games(tmp_path / name) == found
