"""The map of Risk as tables: territories in canonical order, continents, who touches whom; names; and what the dice do.

`data/map.json` is the only source of the graph. Tables in capitals are small constant arrays that kernels may mention.
"""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np

from stratagem.errors import UnknownName
from stratagem.games.risk.odds import roll

_map = json.loads((files(__package__) / "data" / "map.json").read_text())

TERRITORIES = len(_map["territories"])  # 42
CONTINENTS = len(_map["continents"])  # 6
IDS: tuple[str, ...] = tuple(t["id"] for t in _map["territories"])
NAMES: tuple[str, ...] = tuple(t["name"] for t in _map["territories"])
CARD_NAMES = (*IDS, "wild1", "wild2")
SYMBOLS = ("infantry", "cavalry", "artillery", "wild")  # of the cards, in turn; then the wild ones
LETTERS, NEUTRAL_LETTER = "ABCDEF", "N"  # of the seats, and of the side that nobody plays
CONTINENT_IDS: tuple[str, ...] = tuple(c["id"] for c in _map["continents"])
CONTINENT_NAMES: tuple[str, ...] = tuple(c["name"] for c in _map["continents"])
NEIGHBOURS: tuple[tuple[int, ...], ...] = tuple(
    tuple(sorted(IDS.index(n) for n in t["neighbours"])) for t in _map["territories"]
)
BONUS = np.array([c["bonus"] for c in _map["continents"]], np.int64)
CONTINENT = np.array([CONTINENT_IDS.index(t["continent"]) for t in _map["territories"]], np.int64)
CONTINENT_SIZE = np.bincount(CONTINENT, minlength=CONTINENTS).astype(np.int64)

# Neighbours of t: NEXT[START[t] : START[t + 1]], in canonical order; as a mask of bits: TOUCHES[t].
START = np.cumsum([0, *(len(n) for n in NEIGHBOURS)]).astype(np.int64)
NEXT = np.array([n for row in NEIGHBOURS for n in row], np.int64)
TOUCHES = np.array([sum(1 << n for n in row) for row in NEIGHBOURS], np.int64)
LANDS = np.array([sum(1 << t for t in range(TERRITORIES) if CONTINENT[t] == c) for c in range(CONTINENTS)], np.int64)

EDGES = tuple((t, n) for t in range(TERRITORIES) for n in NEIGHBOURS[t] if t < n)

_known = {name: t for t, name in enumerate(IDS)}
_known.update(
    (alias.lower().replace(" ", "_"), IDS.index(name))
    for name, listed in _map["aliases"].items()
    if name in IDS
    for alias in listed
)


def territory(text: str) -> int:
    """The territory of an id, a name, an alias, or a beginning that fits one territory only, in any case."""
    wanted = "_".join(text.lower().replace("-", " ").replace("_", " ").split())
    if wanted in _known:
        return _known[wanted]
    fitting = {t for name, t in _known.items() if wanted and name.startswith(wanted)}
    if len(fitting) == 1:
        return fitting.pop()
    raise UnknownName("territory", text.strip()[:40], [IDS[t] for t in fitting] or IDS)


def _losses() -> np.ndarray[tuple[int, int, int], np.dtype[np.float64]]:
    """LOSSES[a - 1, d - 1, k]: the chance that a dice against d cost the attacker k armies, and the defender the rest."""
    table = np.zeros((3, 2, 3))
    for a in (1, 2, 3):
        for d in (1, 2):
            table[a - 1, d - 1, : min(a, d) + 1] = np.array(roll(a, d)) / 6 ** (a + d)
    return table


LOSSES = _losses()

FOUGHT = 33  # battles of up to 32 armies a side are in the tables


def _battles() -> np.ndarray[tuple[int, int, int], np.dtype[np.float64]]:
    """[chance to capture, armies the attacker loses, armies the defender loses], each by armies that may attack and defend."""
    table = np.zeros((3, FOUGHT, FOUGHT))
    table[0, :, 0] = 1.0
    for a in range(1, FOUGHT):
        for d in range(1, FOUGHT):
            dice, defence = min(3, a), min(2, d)
            compared = min(dice, defence)
            for lost in range(compared + 1):
                chance, killed = LOSSES[dice - 1, defence - 1, lost], compared - lost
                after = table[:, a - lost, d - killed]
                table[:, a, d] += chance * (after + np.array([0, lost, killed]))
    return table


CAPTURES, ATTACKER_LOSES, DEFENDER_LOSES = _battles()
