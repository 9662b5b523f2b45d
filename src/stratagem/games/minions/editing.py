"""A state of Minions laid out for editing: a letter a hex, capitals Yellow's and small ones Blue's, and what each side has."""

from __future__ import annotations

from collections.abc import Mapping

from stratagem.contract.companions.editing import Field, Sheet, Sign
from stratagem.games.minions.maps import HEXES, WIDTH, hex_name
from stratagem.games.minions.notation import extended_fen, row_text
from stratagem.games.minions.state import SIDES, GameState

NOTHING = "."
MOST = 9999


def sheet(state: GameState) -> Sheet:
    cells = {
        f"{board.index} {hex_name(h)}": board.pieces[hex_name(h)].letter if hex_name(h) in board.pieces else NOTHING
        for board in state.boards
        for h in range(HEXES)
    }
    kinds = {
        unit.letter: "Necromancer" if unit.necromancer else unit.name for unit in state.config.units if not unit.absent
    }
    signs = [Sign(NOTHING, "nothing")]
    for side, name in enumerate(SIDES):
        signs += [Sign(letter if side == 0 else letter.lower(), f"{name}'s {kind}") for letter, kind in kinds.items()]
    fields = [Field("side", "to move", SIDES[state.side], SIDES)]
    for side, name in enumerate(SIDES):
        fields.append(Field(f"money {side}", f"money of {name}", str(state.money[side]), most=MOST))
        fields.append(Field(f"points {side}", f"points of {name}", str(state.points[side]), most=state.config.points))
    return Sheet(cells, tuple(signs), tuple(fields))


def written(state: GameState, cells: Mapping[str, str], fields: Mapping[str, str]) -> str:
    """The text of a sheet. Units that stay keep what has been done with them; the rest of the position stays as it was."""
    text, _, extension = extended_fen(state).partition(" + ")
    words = text.split()
    for at, what in ((0, "money"), (1, "points")):
        words[at] = "|".join(fields[f"{what} {side}"] for side in range(2))
    for k in range(state.config.boards):
        head, _, _ = words[3 + k].rpartition("|")
        words[3 + k] = f"{head}|{_rows(cells, k)}"
    words[-2] = str(SIDES.index(fields["side"])) if fields["side"] in SIDES else fields["side"]
    kept = list(filter(None, (_still(word, state, cells) for word in extension.split())))
    return " ".join(words) + (f" + {' '.join(kept)}" if kept else "")


def _rows(cells: Mapping[str, str], k: int) -> str:
    """The hexes of a board as its text has them."""
    letters = [cells[f"{k} {hex_name(h)}"].replace(NOTHING, "") for h in range(HEXES)]
    return "/".join(row_text(letters[at : at + WIDTH]) for at in range(0, HEXES, WIDTH))


def _still(word: str, state: GameState, cells: Mapping[str, str]) -> str:
    """An entry of the text's extension without what it says of units that are no longer there."""
    name, _, items = word.partition("=")
    if name not in ("pieces", "necromancers"):
        return word
    before = sheet(state).cells
    places = {f"{place.replace(' ', '')}": place for place in before}
    left = [item for item in items.split(",") if cells[(at := places[item.partition(":")[0]])] == before[at]]
    return f"{name}={','.join(left)}" if left else ""
