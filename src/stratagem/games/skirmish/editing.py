"""A position of Skirmish laid out for editing: a letter and health a square, and the turn, hands and decks as fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from stratagem.contract.companions.editing import Field, Sheet, Sign
from stratagem.contract.game import ArrayPosition
from stratagem.errors import ParseError
from stratagem.games.skirmish import kernels as k
from stratagem.games.skirmish.position_text import DRAW, DRAWN, LETTERS, NONE, PIECE, PIECES, WON
from stratagem.games.skirmish.telling import PIECE_NAMES

if TYPE_CHECKING:
    from stratagem.games.skirmish.game import Skirmish

NOTHING = "."
KIT = LETTERS[k.EDGE :]


def sheet(game: Skirmish, position: ArrayPosition) -> Sheet | None:
    """None while the first hands are dealt."""
    s = position.state
    if s[k.PHASE] == k.DEALING:
        return None
    _, turn, left, pieces, hands, decks = game.state_text(position).split()
    cells, kits = dict.fromkeys(game.board.names, NOTHING), []
    for square, letter, health, kit in PIECE.findall(pieces):
        cells[square] = f"{letter}{health}"
        kits += [f"{square}{kit}"] if kit else []
    fields = [
        Field("turn", "turn (odd: the first side's)", turn, most=game["turn_cap"]),
        Field("left", "points left", left, (*(str(n + 1) for n in range(game.points)), DRAW, *WON, DRAWN)),
        Field("kit", f"carried, such as c2{KIT[0]}", ",".join(kits) or NONE),
    ]
    for what, texts in (("hand", hands), ("deck", decks)):
        for p, cards in enumerate(texts.split("/")):
            fields.append(Field(f"{what} {p}", f"{what} of {game.seats[p]}", cards))
    return Sheet(cells, (Sign(NOTHING, "nothing"), *_signs(game)), tuple(fields), counted="health; 0: fallen")


def _signs(game: Skirmish) -> list[Sign]:
    found = []
    for p, side in enumerate(game.seats):
        for kind, (letter, name) in enumerate(zip(PIECES, PIECE_NAMES, strict=True)):
            sign = letter.lower() if p else letter
            found.append(Sign(sign, f"{name} of the {side} side", counted=True, usual=int(k.HEALTH[kind])))
    return found


def written(game: Skirmish, position: ArrayPosition, cells: Mapping[str, str], fields: Mapping[str, str]) -> str:
    """The text of a sheet. What a unit carried goes with it when it is taken away; cards that are on the board or in a hand are
    not in the deck; whose turn it is follows from its number."""
    before = sheet(game, position)
    assert before is not None, "a deal has no sheet"
    kits = _kits(game, cells, fields["kit"], next(field.value for field in before.fields if field.name == "kit"))
    pieces = [
        f"{square}{cells[square]}{kits.get(square, '')}" for square in game.board.names if cells[square] != NOTHING
    ]
    turn = fields["turn"]
    seat = game.seats[(int(turn[:6]) - 1) % 2] if turn.isascii() and turn.isdecimal() else game.seats[0]
    hands, decks = (
        [fields[f"{what} {p}"].replace(" ", "").upper() or NONE for p in range(2)] for what in ("hand", "deck")
    )
    out = ["", ""]  # cards that each side has on the board
    for found in filter(None, map(PIECE.fullmatch, pieces)):
        out[found[2].islower()] += found[2].upper() + found[4]
    decks = [_left(game, decks[p], hands[p] + out[p]) for p in range(2)]
    return f"{seat} {turn or NONE} {fields['left']} {','.join(pieces) or NONE} {'/'.join(hands)} {'/'.join(decks)}"


def _left(game: Skirmish, deck: str, elsewhere: str) -> str:
    """A deck without cards that are elsewhere; letters that are no cards stay, for the parser to refuse."""
    kept = ""
    for letter in deck:
        most = game.deck[LETTERS.index(letter)] - elsewhere.count(letter) if letter in LETTERS else len(deck)
        kept += letter if kept.count(letter) < most else ""
    return kept or NONE


def _kits(game: Skirmish, cells: Mapping[str, str], given: str, before: str) -> dict[str, str]:
    """What is carried, by squares; what was carried on a square that is empty now is gone."""
    found = {}
    for word in given.replace(" ", "").split(",") if given not in ("", NONE) else []:
        square = word.rstrip(KIT + KIT.lower())
        if cells.get(square, NOTHING) != NOTHING:
            found[square] = word[len(square) :].upper()
        elif word not in before.split(","):
            raise ParseError(
                f"{word!r} is carried by nobody: it is a square with a unit on it and letters of {KIT}, as in c2{KIT[0]}"
            )
    return found
