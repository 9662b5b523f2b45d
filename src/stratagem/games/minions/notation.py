"""Text of positions and of games.

The state string (FEN) is the one that Minions engines exchange: money, points, cards, boards, side, ply. It describes
positions between turns and knows one kind of necromancer. The extended form adds what is missing behind the ply, where
other readers ignore it: ` + ` and fields `name=value`, namely `necromancers`, `tech`, `phases`, `pieces`, `used`,
`terrain`, `mana`, `ahead`, `decks`, `seen` and `drawn`. A state that needs none of them has no extension, so the two
forms are one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import NoReturn

import numpy as np

from stratagem.errors import ParseError
from stratagem.games.minions import layout, magic
from stratagem.games.minions.config import LARGEST, MOVABLE, GameConfig, parse_switches, profile_of
from stratagem.games.minions.maps import HEXES, WIDTH, hex_index
from stratagem.games.minions.pieces import Piece, letter_of, marks_of, marks_text
from stratagem.games.minions.spells import TERRAINS, UNKNOWN, by_key, spell_of, spell_word, spells
from stratagem.games.minions.state import BOARD_STATES, CARD_LETTERS, SIDES, Board, GameState
from stratagem.games.minions.turn import GameTurn
from stratagem.games.minions.units import by_letter, units
from stratagem.kernel import State

MOST_REINFORCEMENTS = 4096  # in one zone, when read from text
SPELL_NAMES = ("blank", "unknown", "shield", "reposition")  # placeholders where there are no spells
PHASE_LETTERS = "-uase"  # untouched, set up, attacking, spawning, ended

# -------------------------------------------------------------------------------------------------------- writing


def row_text(letters: Iterable[str]) -> str:
    """A row of hexes: their letters, and numbers of empty ones (an empty text) between."""
    text, gap = "", 0
    for letter in letters:
        if letter:
            text += f"{gap or ''}{letter}"
        gap = 0 if letter else gap + 1
    return f"{text}{gap or ''}" if text else "0"


def _zone(state: GameState, k: int, side: int) -> str:
    letters = "".join(unit.letter * n for unit, n in state.boards[k].reinforcements(side).items())
    return "".join(sorted(letters if side == 0 else letters.lower()))


def fen(state: GameState) -> str:
    """The state string, as other engines write and read it."""
    fields = ["|".join(map(str, state.money)), "|".join(map(str, state.points))]
    fields.append("|".join(state.cards(side) for side in range(2)))
    for k, board in enumerate(state.boards):
        cells = board.words[layout.CELL : layout.CELL + HEXES].tolist()
        letters = [letter_of(cell) if cell else "" for cell in cells]
        rows = "/".join(row_text(letters[at : at + WIDTH]) for at in range(0, HEXES, WIDTH))
        hands = "|".join(",".join(board.hand(side)) for side in range(2))
        fields.append(f"{board.state}|{_zone(state, k, 0)}|{_zone(state, k, 1)}|{hands}|{rows}")
    return " ".join([*fields, str(state.side), str(state.ply)])


def extended_fen(state: GameState) -> str:
    """The state string and, where it does not say all, the extension."""
    s = state.array
    fields = {
        "necromancers": [
            f"{board.index}{name}:{piece.unit.name}"
            for board in state.boards for name, piece in board
            if piece.unit.necromancer and piece.unit.index != by_letter()["N"].index
        ],
        "tech": [_tech(s)] if s[layout.TECHED] or s[layout.SOLD] else [],
        "phases": [text for board in state.boards if (text := _phase(board)) != f"{board.index}-"],
        "pieces": [
            f"{board.index}{name}:{marks}" for board in state.boards for name, piece in board if (marks := marks_text(piece.cell))
        ],
        "used": [
            f"{side}:{unit.name}" for side in range(2) for unit in units()
            if s[layout.USED_NECROMANCERS + side] >> unit.index & 1
        ],
        "terrain": [
            f"{board.index}:{'.'.join(kind + at for kind, at in board.terrain.items())}"
            for board in state.boards if board.words[layout.LAND] != _start_land(state.config, board.index)
        ],
        "mana": [f"{b.index}:{b.mana}" for b in state.boards if b.mana != _start_mana(state, b.index)],
        **(_magic(state) if state.config.switches.spells else {}),
    }  # fmt: skip
    said = [f"{name}={','.join(items)}" for name, items in fields.items() if items]
    return fen(state) + ("" if not said else " + " + " ".join(said))


def _phase(board: Board) -> str:
    flags = (("k", layout.KILLED), ("r", layout.RESIGNED), ("z", layout.RAISED))
    done = "".join(letter for letter, at in flags if board.words[at])
    return f"{board.index}{PHASE_LETTERS[board.words[layout.PHASE]]}{done}"


def _start_land(config: GameConfig, k: int) -> int:
    return int(config.ground[layout.tiles_of(k) + layout.LAND_AT])


def _start_mana(state: GameState, k: int) -> int:
    """The mana that the position alone would say."""
    if not state.config.ground[layout.HAS_MANA] or state.winner is not None:
        return 0
    return int(magic.mana_at_start(state.config.ground, k, state.boards[k].words, state.side))


def _magic(state: GameState) -> dict[str, list[str]]:
    """Decks: the cards known ahead, how many came from decks and what is left in them, the cards seen, what is drawn."""
    g, s = state.config.ground, state.array
    ahead, decks, seen = [], [], []
    for side in range(2):
        if known := state.known(side):
            ahead.append(f"{side}:{'.'.join(known)}")
        given = int(s[layout.given_at(g, side)])
        left = _counts(s, int(layout.unknown_at(g, side)))
        if given or left:
            decks.append(f"{side}:{given}:{left}")
        if shown := _counts(s, int(layout.seen_at(g, side))):
            seen.append(f"{side}:{shown}")
    taken = ".".join(str(board.taken) for board in state.boards)
    drawn = f"{s[layout.DRAWN]}" + (f":{taken}" if taken.strip("0.") else "")
    return {"ahead": ahead, "decks": decks, "seen": seen, "drawn": [drawn] if drawn != "0" else []}


def _counts(s: State, at: int) -> str:
    """Cards counted by number of the spell: `fester3.shield2`."""
    return ".".join(f"{spell.key}{int(s[at + spell.number])}" for spell in spells() if s[at + spell.number])


def _tech(s: State) -> str:
    fresh = ".".join(str(c) for c in range(layout.CARDS) if s[layout.FRESH] >> c & 1)
    return f"{s[layout.SPELLS]}:{fresh}" + ("s" * int(s[layout.SOLD])) + ("" if s[layout.TECHED] else "-")


# -------------------------------------------------------------------------------------------------------- reading


def _bad(where: str, value: str, right: str) -> NoReturn:
    shown = value if len(value) <= 40 else value[:37] + "..."
    raise ParseError(f"FEN field {where}: {shown!r}; {right}")


def _int(text: str, where: str, low: int = 0) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 10 and low <= int(text) <= LARGEST):
        _bad(where, text, f"it is a whole number from {low} to {LARGEST}")
    return int(text)


def _pair(text: str, where: str) -> tuple[str, str]:
    if text.count("|") != 1:
        _bad(where, text, "it has two values, Yellow's and Blue's, with | between")
    yellow, _, blue = text.partition("|")
    return yellow, blue


def parse_fen(text: str, config: GameConfig) -> GameState:
    """A position from the state string of a configuration, with or without an extension."""
    need = 5 + config.boards
    words = text.split(None, need + 1)
    if len(words) < need:
        names = ["money", "points", "cards", *(f"board {k}" for k in range(config.boards)), "side", "ply"]
        raise ParseError(
            f"FEN ends before field {names[len(words)]}: it has {len(words)} of {need} fields, "
            f"namely money, points, cards, a board for each of {config.boards} maps, side and ply"
        )
    s = GameState.blank(config)
    for at, where, word in ((layout.MONEY, "money", words[0]), (layout.POINTS, "points", words[1])):
        s[at : at + 2] = [_int(number, where) for number in _pair(word, where)]
    for side, letters in enumerate(_pair(words[2], "cards")):
        if len(letters) != layout.CARDS or set(letters) - set(CARD_LETTERS):
            _bad(f"cards of {SIDES[side]}", letters, "it is 25 letters L, U or A, one a card of the techline")
        at = layout.CARD + side * layout.CARDS
        s[at : at + layout.CARDS] = [CARD_LETTERS.index(letter) for letter in letters]
    if words[need - 2] not in ("0", "1"):
        _bad("side", words[need - 2], "it is 0 for Yellow or 1 for Blue")
    s[layout.SIDE] = int(words[need - 2])
    s[layout.PLY] = _int(words[need - 1], "ply")
    # who has won is not in the string, but the points say it: the side that moved comes first
    side = int(s[layout.SIDE])
    for who in (side, 1 - side):
        if s[layout.POINTS + who] >= config.points:
            s[layout.WINNER] = who
            break
    with np.errstate(over="ignore"):
        for k in range(config.boards):
            _read_board(s, config, k, words[3 + k])
        extended = len(words) > need and words[need] == "+"
        _extend(s, config, words[need + 1] if extended and len(words) > need + 1 else "")
    return GameState(config, s)


def _read_board(s: State, config: GameConfig, k: int, text: str) -> None:
    where = f"board {k}"
    fields = text.split("|", 6)
    if len(fields) != 6:
        _bad(where, text, "it has six parts with | between: state, two reinforcements, two spells, position")
    mode, *zones, spells_yellow, spells_blue, position = fields
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    known = BOARD_STATES if config.switches.winner_first else BOARD_STATES[:-1]
    if len(mode) != 1 or mode not in known:
        _bad(f"{where} state", mode, f"it is one of {', '.join(known)}")
    b[layout.MODE] = BOARD_STATES.index(mode)
    b[layout.LAND] = _start_land(config, k)
    for side, zone in enumerate(zones):
        name = f"{where} reinforcements of {SIDES[side]}"
        if len(zone) > MOST_REINFORCEMENTS:
            _bad(name, zone, f"{len(zone)} units are too many: up to {MOST_REINFORCEMENTS} are read")
        for letter in sorted(set(zone)):
            unit = by_letter().get(letter.upper())
            if unit is None or unit.necromancer:
                _bad(name, letter, "it holds letters of units, and no necromancer")
            layout.stock(b, side, unit.index, zone.count(letter))
    for side, hand in enumerate((spells_yellow, spells_blue)):
        _read_hand(s, config, k, side, hand)
    _read_position(b, position, where)


def _read_hand(s: State, config: GameConfig, k: int, side: int, text: str) -> None:
    where = f"board {k} spells of {SIDES[side]}"
    limit = config.switches.hand_limit
    names = [name for name in text.split(",", max(limit, 64) + 1) if name]
    if not config.switches.spells:
        for name in names:
            if name not in SPELL_NAMES:
                _bad(where, name, f"spells are {', '.join(SPELL_NAMES)}, and have no effect")
        return
    if len(names) > limit:
        _bad(where, text, f"a hand has at most {limit} cards")
    for name in names:
        magic.add_to_hand(config.ground, s, k, side, _card(name, where))


def _card(name: str, where: str) -> int:
    """The number of a card by its word."""
    if name == UNKNOWN:
        return layout.UNKNOWN
    if name not in by_key():
        _bad(where, name, f"it is {UNKNOWN} or one of {', '.join(by_key())}")
    return by_key()[name].number


def _read_position(b: State, text: str, where: str) -> None:
    rows = text.split("/", WIDTH)
    if len(rows) != WIDTH:
        _bad(f"{where} position", text, f"it has {WIDTH} rows with / between, not {text.count('/') + 1}")
    necromancers = [0, 0]
    for y, row in enumerate(rows):
        name = f"{where} row {y}"
        if row == "0":
            continue
        x = 0
        for letter in row:
            if letter in "123456789":
                x += int(letter)
            else:
                unit = by_letter().get(letter.upper()) if letter.isascii() else None
                if unit is None:
                    _bad(name, row, f"{letter!r} is neither a unit letter nor a digit 1..9 (0 stands alone)")
                if x < WIDTH:
                    side = int(letter.islower())
                    necromancers[side] += unit.necromancer
                    layout.put(b, y * WIDTH + x, (unit.index + 1) | side << layout.SIDE_SHIFT)
                x += 1
            if x > WIDTH:
                break
        if x != WIDTH:
            _bad(name, row, f"it has {f'more than {WIDTH}' if x > WIDTH else x} hexes; a row has {WIDTH}")
    for side in range(2):
        if necromancers[side] > 1:
            _bad(
                f"{where} position",
                text,
                f"{SIDES[side]} has {necromancers[side]} necromancers; a side has at most one",
            )


# ------------------------------------------------------------------------------------------------------ the extension

_PLACE = re.compile(r"(\d{1,3})([a-j][0-9]):(.+)")
_PHASE = re.compile(r"(\d{1,3})([-uase])(k?)(r?)(z?)")
_TECH = re.compile(r"(\d{1,9}):((?:\d{1,2}(?:\.\d{1,2})*)?)(s?)(-?)")
_TERRAIN = re.compile(r"([a-z]+)([a-j][0-9])")
_COUNTED = re.compile(r"([A-Za-z_]+)([1-9]\d{0,5})")


def _extend(s: State, config: GameConfig, text: str) -> None:
    seen: set[str] = set()
    readers = dict(READERS)
    if config.switches.spells:
        readers |= MAGIC_READERS
    items = sorted((item.partition("=") for item in text.split()), key=lambda item: item[0] == "drawn")
    for name, equals, _ in items:
        if not equals or name not in readers or name in seen:
            _bad("extension", name, f"it has the fields {', '.join(readers)}, each as name=value and once")
        seen.add(name)
    for name, _, value in items:
        if name != "mana":
            _each(s, config, readers[name], value)
    if config.ground[layout.HAS_MANA] and s[layout.WINNER] < 0:  # where the necromancers are, is known by now
        for k in range(config.boards):
            b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
            b[layout.MANA] = magic.mana_at_start(config.ground, k, b, int(s[layout.SIDE]))
    for name, _, value in items:
        if name == "mana":
            _each(s, config, readers[name], value)


def _each(s: State, config: GameConfig, reader: Callable[[State, GameConfig, str], None], value: str) -> None:
    for entry in value.split(",", 100 * config.boards + 1):
        reader(s, config, entry)


def _place(s: State, config: GameConfig, entry: str, where: str) -> tuple[State, int, str]:
    match = _PLACE.fullmatch(entry) if entry.isascii() else None
    if match is None or int(match[1]) >= config.boards:
        _bad(where, entry, "an entry is the index of a board, a hex, a colon and a value, such as 0c2:m")
    b = s[layout.board_of(int(match[1])) : layout.board_of(int(match[1])) + layout.BOARD_SIZE]
    h = hex_index(match[2])
    if b[layout.CELL + h] == 0:
        _bad(where, entry, f"no unit stands on {match[2]}")
    return b, h, match[3]


def _read_necromancer(s: State, config: GameConfig, entry: str) -> None:
    b, h, name = _place(s, config, entry, "necromancers")
    kinds = {unit.name: unit for unit in units() if unit.necromancer}
    if name not in kinds or letter_of(int(b[layout.CELL + h])) not in "Nn":
        _bad("necromancers", entry, f"it names a necromancer on the board: {', '.join(kinds)}")
    layout.put(b, h, int(b[layout.CELL + h]) & ~layout.TYPE_MASK | kinds[name].index + 1)


def _read_piece(s: State, config: GameConfig, entry: str) -> None:
    b, h, text = _place(s, config, entry, "pieces")
    marks = marks_of(text)
    if marks is None:
        _bad("pieces", entry, f"marks are {MARKS_IN_WORDS}, in this order")
    piece = Piece.of(int(b[layout.CELL + h]) & layout.STANDING | marks, config)
    on = piece.spells
    most = max(piece.unit.attacks, 2) if on.mighty else piece.unit.attacks
    if piece.attacks_used > most or piece.damage >= piece.defense:
        _bad("pieces", entry, "a has at most the attacks of the unit, and d is below its defense")
    if marks & BY_SPELLS and not config.switches.spells:
        _bad("pieces", entry, "there are no spells in this game")
    strange = (on.done and not _has_tiles(config, "t")) or (on.steps and not config.switches.split_moves)
    if strange or (on.tapped and not config.switches.ability_once):
        _bad("pieces", entry, "x, n and t are of other rules than these")
    layout.put(b, h, piece.cell)


def _has_tiles(config: GameConfig, tiles: str) -> bool:
    return set(tiles) <= set(profile_of(config.profile).tiles)


def _read_phase(s: State, config: GameConfig, entry: str) -> None:
    match = _PHASE.fullmatch(entry) if entry.isascii() else None
    if match is None or int(match[1]) >= config.boards:
        _bad(
            "phases",
            entry,
            "an entry is the index of a board and one of - u a s e, then k if it is won, r if resigned, z if a spawner was used",
        )
    at = layout.board_of(int(match[1]))
    s[at + layout.PHASE] = PHASE_LETTERS.index(match[2])
    s[at + layout.KILLED] = bool(match[3])
    s[at + layout.RESIGNED] = bool(match[4])
    s[at + layout.RAISED] = bool(match[5])


def _read_tech(s: State, config: GameConfig, entry: str) -> None:
    match = _TECH.fullmatch(entry) if entry.isascii() else None
    fresh = [int(c) for c in match[2].split(".") if c] if match else [layout.CARDS]
    if match is None or any(c >= layout.CARDS for c in fresh):
        _bad(
            "tech",
            entry,
            "it is the number of spells placed, a colon, positions of cards acquired with dots between, s if one was sold",
        )
    s[layout.TECHED] = not match[4]
    s[layout.SPELLS] = int(match[1])
    s[layout.FRESH] = sum(1 << c for c in set(fresh))
    s[layout.SOLD] = bool(match[3])


def _sided(entry: str, where: str, right: str) -> tuple[int, str]:
    side, colon, value = entry.partition(":")
    if side not in ("0", "1") or not colon:
        _bad(where, entry, f"an entry is 0 for Yellow or 1 for Blue, a colon and {right}")
    return int(side), value


def _boarded(config: GameConfig, entry: str, where: str, right: str) -> tuple[int, str]:
    index, colon, value = entry.partition(":")
    if not (index.isascii() and index.isdecimal() and len(index) < 4 and int(index) < config.boards and colon):
        _bad(where, entry, f"an entry is the index of a board, a colon and {right}")
    return int(index), value


def _read_used(s: State, config: GameConfig, entry: str) -> None:
    side, name = _sided(entry, "used", "an advanced necromancer")
    kinds = {unit.name: unit for unit in units() if unit.group == "necromancer_advanced"}
    if name not in kinds or not config.switches.advanced_necromancers:
        _bad("used", entry, "it names advanced necromancers, where there are any")
    s[layout.USED_NECROMANCERS + side] |= 1 << kinds[name].index


def _read_terrain(s: State, config: GameConfig, entry: str) -> None:
    right = "the movable terrain with dots between, such as 0:floode4.firestormc3"
    k, value = _boarded(config, entry, "terrain", right)
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    fixed = ["." if tile in MOVABLE else tile for tile in config.lands[k].tiles]
    b[layout.LAND] = 0
    if not _has_tiles(config, MOVABLE):
        _bad("terrain", entry, "there is no movable terrain in this game")
    for item in filter(None, value.split(".", 5)):
        match = _TERRAIN.fullmatch(item) if item.isascii() else None
        if match is None or match[1] not in TERRAINS:
            _bad("terrain", entry, f"it is {right}")
        kind, h = TERRAINS.index(match[1]), hex_index(match[2])
        if fixed[h] != "." or layout.land_at(b, kind) >= 0:
            _bad("terrain", entry, "each lies on ground, once, and alone")
        fixed[h] = "x"
        magic.lay(b, kind, h)


def _read_mana(s: State, config: GameConfig, entry: str) -> None:
    k, value = _boarded(config, entry, "mana", "a whole number")
    if not re.fullmatch(r"-?\d{1,4}", value) or not value.isascii() or not config.ground[layout.HAS_MANA]:
        _bad("mana", entry, "it is a whole number, where there is mana")
    s[layout.board_of(k) + layout.MANA] = int(value)


def _read_ahead(s: State, config: GameConfig, entry: str) -> None:
    g = config.ground
    side, value = _sided(entry, "ahead", "the cards that the side knows, with dots between")
    cards = [_card(name, "ahead") for name in value.split(".", 300)]
    if len(cards) > g[layout.QUEUE_ROOM]:
        _bad("ahead", entry, f"a side knows at most {int(g[layout.QUEUE_ROOM])} cards ahead")
    at = int(layout.deck_of(g, side))
    s[at + layout.KNOWN] = len(cards)
    s[at + layout.QUEUE : at + layout.QUEUE + len(cards)] = cards


def _read_counts(s: State, at: int, text: str, where: str) -> None:
    for item in filter(None, text.split(".", 64)):
        match = _COUNTED.fullmatch(item) if item.isascii() else None
        if match is None or match[1] not in by_key():
            _bad(where, item, "it is spells with their numbers, such as fester3.shield2")
        s[at + by_key()[match[1]].number] = int(match[2])


def _read_deck(s: State, config: GameConfig, entry: str) -> None:
    g = config.ground
    side, value = _sided(entry, "decks", "how many cards its decks have given, a colon and what is left in the deck")
    given, _, left = value.partition(":")
    s[layout.given_at(g, side)] = _int(given, "decks")
    at = int(layout.unknown_at(g, side))
    _read_counts(s, at, left, "decks")
    if np.any(s[at + 1 : at + layout.KINDS - 1] > g[layout.COPIES + 1 : layout.TILES]):
        _bad("decks", entry, "a deck has each spell at most as often as the table says")


def _read_seen(s: State, config: GameConfig, entry: str) -> None:
    side, value = _sided(entry, "seen", "spells with their numbers")
    _read_counts(s, int(layout.seen_at(config.ground, side)), value, "seen")


def _read_drawn(s: State, config: GameConfig, entry: str) -> None:
    g = config.ground
    drawn, _, taken = entry.partition(":")
    numbers = [_int(n, "drawn") for n in taken.split(".", config.boards)] if taken else [0] * config.boards
    known = int(s[layout.deck_of(g, int(s[layout.SIDE])) + layout.KNOWN])
    if _int(drawn, "drawn") > known or len(numbers) != config.boards or sum(numbers) > config.boards:
        _bad(
            "drawn",
            entry,
            "it is the cards left to take, not more than are known, a colon, and what each board has taken",
        )
    s[layout.DRAWN] = int(drawn)
    for k, number in enumerate(numbers):
        s[layout.taken_at(g, k)] = number


BY_SPELLS = (
    layout.BLESSINGS | layout.CURSES | layout.SUPPORTING | layout.MIGHTY | layout.STRUCK_MASK << layout.STRUCK_SHIFT
)
MARKS_IN_WORDS = (
    "m moved, s spawned, a and attacks used, d and damage, x done, b and defense added, h shielded, f frozen, l slowed, "
    "c shackled, w and how much weakened, p supporting, u mighty, v and the hex attacked or *, n and steps, t ability used"
)
READERS: dict[str, Callable[[State, GameConfig, str], None]] = {
    "necromancers": _read_necromancer, "tech": _read_tech, "phases": _read_phase, "pieces": _read_piece,
    "used": _read_used, "terrain": _read_terrain, "mana": _read_mana,
}  # fmt: skip
MAGIC_READERS: dict[str, Callable[[State, GameConfig, str], None]] = {
    "ahead": _read_ahead, "decks": _read_deck, "seen": _read_seen, "drawn": _read_drawn,
}  # fmt: skip

# --------------------------------------------------------------------------------------------------------- records

MAGIC = "minions record 1"


@dataclass(frozen=True)
class RecordedTurn:
    """A turn of a record, with how long it took and what was said about it, and the cards dealt before it."""

    turn: GameTurn
    seconds: float | None = None
    comment: str = ""
    dealt: tuple[int, ...] = ()  # numbers of the spells that chance showed the side to move


def deal_text(cards: Iterable[int]) -> str:
    """What chance dealt, as text: `deal fester shield`."""
    return " ".join(("deal", *map(spell_word, cards)))


def parse_deal(text: str) -> tuple[int, ...]:
    words = text.split(None, 300)
    if not words or words[0] != "deal":
        raise ParseError(f"{text[:40]!r} is nothing that chance deals: write deal and spells with blanks between")
    return tuple(spell_of(word, "deal: card").number for word in words[1:])


@dataclass
class MinionsRecord:
    """A game from its start to its end, in a text of one item a line.

    `config`, `start`, `player` lines come first, then `turn SECONDS TEXT` lines, each with `comment` lines behind it, then
    `result` and `final`. Reading plays every turn again, and the final position has to be the one written down.
    """

    config: GameConfig
    start: GameState
    players: tuple[str, str] = ("?", "?")
    turns: list[RecordedTurn] = field(default_factory=list)
    result: str = "*"  # Yellow, Blue, draw, or * where the game was not finished
    reason: str = ""  # why, where the rules alone do not say: a forfeit, a limit of plies
    lenient: bool = False  # whether turns are judged as those of other engines

    def states(self) -> Iterable[GameState]:
        """Every position of the game, the start first."""
        state = self.start
        yield state
        for number, item in enumerate(self.turns, 1):
            try:
                state = state.deal(item.dealt) if item.dealt else state
                state = state.play(item.turn, lenient=self.lenient)
            except ValueError as error:
                raise ParseError(f"record: turn {number}: {error}") from None
            yield state

    def final(self) -> GameState:
        *_, last = self.states()
        return last

    def __str__(self) -> str:
        plain = profile_of(self.config.profile).switches
        changed = [
            f"{n}={getattr(self.config.switches, n)}"
            for n in vars(plain)
            if getattr(self.config.switches, n) != getattr(plain, n)
        ]
        lines = [MAGIC, f"config {self.config}", f"profile {self.config.profile}"]
        lines += [f"switches {' '.join(changed)}"] if changed else []
        lines += ["lenient"] if self.lenient else []
        lines.append(f"start {self.start}")
        lines += [f"player {side} {_one_line(name)}" for side, name in enumerate(self.players)]
        for item in self.turns:
            lines += [f"chance {deal_text(item.dealt)}"] if item.dealt else []
            lines.append(f"turn {'-' if item.seconds is None else f'{item.seconds:.3f}'} {item.turn}")
            lines += [f"comment {line}" for line in item.comment.splitlines()]
        lines.append(f"result {self.result} {_one_line(self.reason)}".rstrip())
        lines.append(f"final {self.final()}")
        return "\n".join(lines) + "\n"

    @classmethod
    def parse(cls, text: str) -> MinionsRecord:
        """Read a record, play it again and verify that it ends as it says."""
        lines = [line for line in text.splitlines() if line.strip()]
        if not lines or lines[0].strip() != MAGIC:
            raise ParseError(f"record: the first line is {(lines or [''])[0][:40]!r}; it is {MAGIC!r}")
        head: dict[str, str] = {}
        players = ["?", "?"]
        body: list[tuple[str, str]] = []
        for line in lines[1:]:
            word, _, rest = line.partition(" ")
            if word == "player":
                side, _, name = rest.partition(" ")
                if side not in ("0", "1"):
                    raise ParseError(f"record: player {side[:20]!r}; it is 0 or 1 and a name")
                players[int(side)] = name
            elif word in ("turn", "comment", "chance"):
                body.append((word, rest))
            elif word in ("config", "profile", "switches", "lenient", "start", "result", "final") and word not in head:
                head[word] = rest
            else:
                raise ParseError(f"record: line {line[:40]!r} has an unknown or repeated first word")
        for word in ("config", "start", "result", "final"):
            if word not in head:
                raise ParseError(f"record: there is no {word} line")
        config = GameConfig.parse(
            head["config"],
            head.get("profile", "spooky").strip(),
            **parse_switches(head.get("switches", ""), "record: switches"),
        )
        record = cls(config, parse_fen(head["start"], config), (players[0], players[1]), lenient="lenient" in head)
        dealt: tuple[int, ...] = ()
        for word, rest in body:
            if word == "chance":
                dealt = parse_deal(rest)
            elif word == "turn":
                record.turns.append(replace(_recorded(rest, config.boards), dealt=dealt))
                dealt = ()
            elif record.turns:
                last = record.turns[-1]
                record.turns[-1] = replace(last, comment=f"{last.comment}\n{rest}".lstrip("\n"))
            else:
                raise ParseError("record: a comment line stands before the first turn")
        record.result, _, record.reason = head["result"].partition(" ")
        if record.result not in (*SIDES, "draw", "*"):
            raise ParseError(f"record: result is {record.result[:20]!r}; it is Yellow, Blue, draw or *")
        final = record.final()
        if str(final) != head["final"]:
            raise ParseError(f"record: the turns lead to {final}, not to the final position given")
        if final.winner is not None and record.result != SIDES[final.winner]:
            raise ParseError(f"record: result is {record.result}, but the turns end with {SIDES[final.winner]} winning")
        return record


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _recorded(text: str, boards: int) -> RecordedTurn:
    seconds, _, turn = text.partition(" ")
    if seconds != "-" and not re.fullmatch(r"\d{1,9}(\.\d{1,6})?", seconds):
        raise ParseError(f"record: the time of a turn is {seconds[:20]!r}; it is a number of seconds, or -")
    return RecordedTurn(GameTurn.parse(turn, boards), None if seconds == "-" else float(seconds))
