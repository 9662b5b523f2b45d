"""Every game passes the one conformance test."""

from pathlib import Path

import pytest

import stratagem
from stratagem.testing import ConformanceError, conform

VARIANTS = [
    ("tictactoe", {}),
    ("tictactoe", {"rows": 4, "columns": 5, "line": 4}),
    ("connect4", {}),
    ("connect4", {"width": 9, "height": 9}),
    ("nim", {}),
    ("nim", {"heaps": (5, 1, 4), "take": 3, "misere": True}),
    ("pig", {"target": 25}),
    ("pig", {"players": 3, "target": 20, "faces": 4}),
]


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=str)
def test_a_game_keeps_the_contract(name, options):
    conform(stratagem.game(name, **options), games=6, compiled=name == "connect4" or not options)


def test_every_registered_game_is_checked_somewhere():
    """A game may be checked in a test file of its own."""
    files = [file.read_text() for file in Path(__file__).parents[1].rglob("test_*.py")]
    checking = [text for text in files if "conform(" in text]
    assert [name for name in stratagem.game_names() if not any(f'"{name}"' in text for text in checking)] == []


class Lying(type(stratagem.game("tictactoe"))):
    name = "lying"

    def state_text(self, position):
        return "_________"


def test_a_game_that_breaks_the_contract_is_caught():
    with pytest.raises(ConformanceError, match="does not parse back"):
        conform(Lying(), games=1, compiled=False)
