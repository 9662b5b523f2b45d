"""The map of Risk against the published board's figures, and against mistakes that are in print."""

from __future__ import annotations

from collections import Counter

import pytest

from stratagem.errors import UnknownName
from stratagem.games.risk.atlas import (
    BONUS,
    CONTINENT,
    CONTINENT_NAMES,
    EDGES,
    IDS,
    NAMES,
    NEIGHBOURS,
    TERRITORIES,
    territory,
)


def joined(a: str, b: str) -> bool:
    return territory(b) in NEIGHBOURS[territory(a)]


def lands(continent: int) -> set[int]:
    return {t for t in range(TERRITORIES) if CONTINENT[t] == continent}


def test_the_map_has_42_territories_83_edges_and_24_armies_of_bonuses() -> None:
    assert (TERRITORIES, len(EDGES), len(CONTINENT_NAMES)) == (42, 83, 6)
    assert sum(BONUS) == 24
    assert all(t in NEIGHBOURS[n] for t in range(TERRITORIES) for n in NEIGHBOURS[t])


@pytest.mark.parametrize(
    ("name", "size", "bonus", "border", "leaving", "inside"),
    [
        ("North America", 9, 5, "Alaska, Greenland, Central America", 3, 16),
        ("South America", 4, 2, "Venezuela, Brazil", 2, 5),
        ("Europe", 7, 5, "Iceland, Western Europe, Southern Europe, Ukraine", 8, 12),
        ("Africa", 6, 3, "North Africa, Egypt, East Africa", 6, 9),
        ("Asia", 12, 7, "Ural, Kamchatka, Afghanistan, Middle East, Siam", 8, 22),
        ("Australia", 4, 2, "Indonesia", 1, 5),
    ],
)
def test_a_continent_has_its_size_bonus_and_border(
    name: str, size: int, bonus: int, border: str, leaving: int, inside: int
) -> None:
    continent = CONTINENT_NAMES.index(name)
    own = lands(continent)
    ends = Counter((a in own) + (b in own) for a, b in EDGES)
    assert (len(own), BONUS[continent], ends[1], ends[2]) == (size, bonus, leaving, inside)
    assert {t for t in own if not own.issuperset(NEIGHBOURS[t])} == {territory(t) for t in border.split(", ")}


def distance(a: int, b: int) -> int:
    reached, steps = {a}, 0
    while b not in reached:
        reached |= {n for t in reached for n in NEIGHBOURS[t]}
        steps += 1
    return steps


def test_degrees_and_diameter_are_those_of_the_classic_board() -> None:
    assert Counter(map(len, NEIGHBOURS)) == {2: 4, 3: 13, 4: 13, 5: 5, 6: 7}
    assert {IDS[t] for t in range(TERRITORIES) if len(NEIGHBOURS[t]) == 6} == {
        "ontario", "southern_europe", "ukraine", "north_africa", "east_africa", "china", "middle_east",
    }  # fmt: skip
    assert max(distance(a, b) for a in range(TERRITORIES) for b in range(TERRITORIES)) == 10
    assert distance(territory("Quebec"), territory("Eastern Australia")) == 10


def test_14_edges_cross_a_continents_border() -> None:
    listed = """Alaska-Kamchatka, Greenland-Iceland, Central America-Venezuela, Brazil-North Africa,
        Western Europe-North Africa, Southern Europe-North Africa, Southern Europe-Egypt,
        Southern Europe-Middle East, Ukraine-Middle East, Ukraine-Afghanistan, Ukraine-Ural, Egypt-Middle East,
        East Africa-Middle East, Siam-Indonesia"""
    wanted = {frozenset(territory(t) for t in pair.split("-")) for pair in listed.split(",")}
    found = {frozenset(e) for e in EDGES if CONTINENT[e[0]] != CONTINENT[e[1]]}
    assert found == wanted and len(found) == 14


@pytest.mark.parametrize(
    "edge",
    [
        "East Africa-Middle East", "North Africa-Southern Europe", "Greenland-Ontario", "Scandinavia-Northern Europe",
        "Ural-China",
    ],
)  # fmt: skip
def test_an_edge_that_some_maps_lack_is_there(edge: str) -> None:
    assert joined(*edge.split("-"))


def test_edges_that_some_maps_add_are_not_there() -> None:
    def around(name: str) -> set[str]:
        return {NAMES[n] for n in NEIGHBOURS[territory(name)]}

    assert around("Japan") == {"Kamchatka", "Mongolia"}
    assert around("Madagascar") == {"South Africa", "East Africa"}
    assert not joined("Middle East", "China")


def test_a_territory_is_known_by_its_id_its_name_its_other_names_and_a_clear_beginning() -> None:
    for t in range(TERRITORIES):
        assert territory(IDS[t]) == territory(NAMES[t]) == territory(NAMES[t].upper()) == t
    assert territory("Kazakhstan") == territory("afghanistan")
    assert territory("kam") == territory("Kamchatka")


@pytest.mark.parametrize("text", ["atlantis", "", "north", "s"])
def test_an_unknown_or_ambiguous_territory_is_refused_with_near_names(text: str) -> None:
    with pytest.raises(UnknownName, match="unknown territory"):
        territory(text)
