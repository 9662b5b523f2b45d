"""The README's code and the tutorial's game run as they are printed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import stratagem
from stratagem.search.alphabeta import AlphaBeta
from stratagem.testing import conform

ROOT = Path(__file__).parent.parent


def blocks(file, language="python"):
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / file).read_text(), re.S)


def test_the_readmes_game_runs():
    code = blocks("README.md")[0]
    assert len(code.strip().splitlines()) <= 16
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr
    assert "wins" in found.stdout or "draw" in found.stdout


def test_the_tutorials_game_is_the_file_shown():
    shown = "".join(blocks("docs/write-your-own-game.md"))
    for line in (ROOT / "examples" / "notakto.py").read_text().splitlines():
        if line.strip() and not line.startswith(('"""', "A whole game", "`stratagem")):
            assert line in shown


def test_the_tutorials_game_keeps_the_contract_and_is_solved():
    game = stratagem.game(str(ROOT / "examples" / "notakto.py"))
    conform(game, games=8)
    solution = AlphaBeta(game).solve(game.start())
    assert (solution.value, solution.best) == (1, ("b2",))  # the first player wins from the centre
    assert repr(game.start()).endswith(".parse('_________')")


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda p: p.stem)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:\s]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target
