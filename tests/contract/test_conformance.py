"""Every game passes the one conformance test."""

import pytest

import stratagem
from stratagem.compile import Bound
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


# The smallest game of each name: quick to play out in the interpreter. A game that is not here fails below.
SMALLEST = {
    "tictactoe": {},
    "connect4": {"width": 4, "height": 4},
    "hex": {"size": 3},
    "breakthrough": {"rows": 4, "columns": 3},
    "othello": {"size": 4},
    "nim": {},
    "pig": {"target": 10},
    "goofspiel": {"cards": 3},
    "draft": {},
    "bidding": {},
    "blotto": {},
    "roborally": {"robots": 2, "course": "Dizzy Dash", "lives": 1, "max_turns": 2},
    "minions": {"plies": 4},
    "risk": {"players": 2, "turn_cap": 2},
    "asmacag": {"actions": 2, "hand": 3, "board": 5, "highest": 4},
    "skirmish": {"map": "lane", "deck": "tiny", "points": 2, "turn_cap": 6},
}


@pytest.mark.parametrize("name", stratagem.game_names())
def test_every_registered_game_keeps_the_contract_in_its_smallest_form(name):
    conform(stratagem.game(name, **SMALLEST[name]), games=1, compiled=False)


class Lying(type(stratagem.game("tictactoe"))):
    name = "lying"

    def state_text(self, position):
        return "_________"


def no_traps(g, s, p, out, n):
    return False


class Trusting(type(stratagem.game("connect4"))):
    name = "trusting"

    @property
    def names(self):
        found = dict(super().names)
        return {**found, "rank": Bound(no_traps, found["rank"].names)}


def test_a_rank_that_misses_a_win_in_three_plies_is_caught():
    with pytest.raises(ConformanceError, match="rank is wrong about a move"):
        conform(Trusting(), games=20, compiled=False)


def test_a_game_that_breaks_the_contract_is_caught():
    with pytest.raises(ConformanceError, match="does not parse back"):
        conform(Lying(), games=1, compiled=False)
