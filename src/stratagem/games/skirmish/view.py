"""The drawing of Skirmish: the board with its special squares, the pieces with their health, both hands and decks.

The first side's units are discs and the second's are squares, so that colour is never needed to tell them apart; a fallen unit is
drawn faint and crossed. A bar shows the health left, letters below what a unit carries. Squares and cards of the hand are
places: one points at a unit and where it acts, or at a card and where it is played.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stratagem.contract.game import ArrayPosition
from stratagem.drawing import BLACK, INK, LINE, SEAT_COLOURS, WHITE, icon, label, moving, part, picture, place, tag
from stratagem.games.skirmish import kernels as k
from stratagem.games.skirmish.icons import ICONS
from stratagem.games.skirmish.position_text import LETTERS, PIECES
from stratagem.games.skirmish.telling import CARD_NAMES, END, PIECE_NAMES
from stratagem.kernel import State

if TYPE_CHECKING:
    from stratagem.games.skirmish.game import Skirmish

CELL, LEFT, TOP, MARGIN = 64.0, 30.0, 34.0, 14.0
CARD_WIDE, CARD_HIGH, CARD_GAP = 112.0, 58.0, 6.0
TEXT = 17  # the smallest: boards are shown at half their size on a telephone
FILLS = {".": "#efe9da", "1": "#d5e6f2", "2": "#f8e6c4", "b": "#f1c9b5", "w": "#d2d2d6", "s": "#c6e4da"}
SQUARE_WORDS = {
    "1": "gate of the first side, where its units enter",
    "2": "gate of the second side, where its units enter",
    "b": "banner: 300 more against towers",
    "w": "wall: 20 more against physical damage",
    "s": "spring: 100 more power",
}
SQUARES = {  # lines within a square of 24, in its upper left corner
    "1": "M4 22 V12 A8 8 0 0 1 20 12 V22",
    "2": "M4 22 V12 A8 8 0 0 1 20 12 V22",
    "b": "M6 22 V3 L20 8 L6 13",
    "w": "M3 7 H21 V21 H3 Z M3 14 H21 M12 7 V14 M8 14 V21 M16 14 V21",
    "s": "M3 9 Q7 4 12 9 T21 9 M3 16 Q7 11 12 16 T21 16",
}
TERMINAL_SIGNS = {"1": "1", "2": "2", "b": "!", "w": "#", "s": "*"}  # letters are units there
FAINT = "#8a8377"
HURT, HEALTH = "#a33a00", "#2f8a57"


def draw(game: Skirmish, position: ArrayPosition) -> str:
    s = position.state
    content = _coordinates(game)
    content += [_square(game, s, square) for square in range(game.board.squares)]
    width = LEFT + game.board.columns * CELL + MARGIN
    y = TOP + game.board.rows * CELL + 22
    for p in range(2):
        shown, y = _hand(position, p, y, width)
        content.append(shown)
    if position.turn >= 0 and END in position.moves():
        content.append(_button(END, LEFT, y, position.turn))
        y += CARD_HIGH + 8
    return picture(width, y + 6, game.title, f"{game.title}: {headline(game, position)}", content)


def headline(game: Skirmish, position: ArrayPosition) -> str:
    s = position.state
    if position.over:
        return game.outcome(position)
    if position.turn < 0:
        return "cards are drawn"
    left = int(s[k.LEFT])
    return f"turn {int(s[k.TURN])}, {game.seats[position.turn]} has {left} point{'s' * (left != 1)} left"


def _coordinates(game: Skirmish) -> list[str]:
    board = game.board
    columns = [label(chr(97 + c), LEFT + (c + 0.5) * CELL, TOP - 15, TEXT, fill=FAINT) for c in range(board.columns)]
    rows = [label(str(r + 1), LEFT - 15, TOP + (r + 0.5) * CELL, TEXT, fill=FAINT) for r in range(board.rows)]
    return columns + rows


def _square(game: Skirmish, s: State, square: int) -> str:
    row, column = divmod(square, game.board.columns)
    x, y = LEFT + column * CELL, TOP + row * CELL
    sign = game.board.signs[square]
    shown = tag(
        "rect", x=x, y=y, width=CELL, height=CELL, fill=FILLS.get(sign, FILLS["."]), stroke=LINE, stroke_width=1
    )
    words = [game.board.names[square]]
    if sign in SQUARES:
        lines = tag("path", d=SQUARES[sign], fill="none", stroke=FAINT, stroke_width=2)
        shown += tag("g", lines, transform=f"translate({x + 3:g} {y + 3:g})")
        words.append(SQUARE_WORDS[sign])
    found = int(s[k.BOARD + square])
    if found:
        shown += moving(
            f"{PIECE_NAMES[k.kind_of(found)]} {k.side_of(found)}", _piece(found, x + CELL / 2, y + CELL / 2 - 4)
        )
        words.append(_reported(game, found))
    return place(game.board.names[square], shown, ", ".join(words))


def _reported(game: Skirmish, x: int) -> str:
    health, full = k.health_of(x), int(k.full_health(x))
    kit = [CARD_NAMES[k.EDGE + i] for i in range(4) if k.kit_of(x) >> i & 1]
    state = f"{health} of {full}" if health else "fallen"
    carries = f", carries {' and '.join(kit)}" if kit else ""
    return f"{game.seats[k.side_of(x)]}'s {PIECE_NAMES[k.kind_of(x)]}, {state}{carries}"


def _piece(x: int, cx: float, cy: float) -> str:
    side, health, full = k.side_of(x), k.health_of(x), int(k.full_health(x))
    r = 19.0 if k.kind_of(x) != k.TOWER else 22.0
    style = {"fill": SEAT_COLOURS[side], "stroke": INK, "stroke_width": 1.5, "opacity": 1 if health else 0.35}
    if k.kind_of(x) == k.TOWER:
        top = (
            f"M{cx - r:g} {cy + r:g} L{cx - r * 0.6:g} {cy - r:g} L{cx + r * 0.6:g} {cy - r:g} L{cx + r:g} {cy + r:g} Z"
        )
        body = tag("path", d=top, **style)
    elif side == 0:
        body = tag("circle", cx=cx, cy=cy, r=r, **style)
    else:
        body = tag("rect", x=cx - r, y=cy - r, width=2 * r, height=2 * r, rx=4, **style)
    body += icon(ICONS[PIECE_NAMES[k.kind_of(x)]], cx, cy + 1, 24, WHITE if side == 0 else BLACK)
    kit = "".join(LETTERS[k.EDGE + i] for i in range(4) if k.kit_of(x) >> i & 1)
    body += label(kit, cx, cy + 27, TEXT, font_weight="bold") if kit else ""
    if not health:
        cross = f"M{cx - r:g} {cy - r:g} L{cx + r:g} {cy + r:g} M{cx + r:g} {cy - r:g} L{cx - r:g} {cy + r:g}"
        return body + tag("path", d=cross, stroke=HURT, stroke_width=2.5, fill="none")
    bar = tag("rect", x=cx - r, y=cy - r - 6, width=2 * r, height=4, fill="#ffffff", stroke=INK, stroke_width=0.5)
    return body + bar + tag("rect", x=cx - r, y=cy - r - 6, width=2 * r * health / full, height=4, fill=HEALTH)


def _hand(position: ArrayPosition, p: int, y: float, width: float) -> tuple[str, float]:
    """A hand as rows of cards, equal ones together, hidden ones as one that is covered; and where it ends."""
    s = position.state
    at, held = k.HAND + p * k.CARDS, int(s[k.HELD + p])
    seen = [(c, int(s[at + c])) for c in range(k.CARDS) if s[at + c]]
    deck = int(s[k.DECK + p * k.CARDS : k.DECK + (p + 1) * k.CARDS].sum()) - (held if held and not seen else 0)
    shown = [label(f"{position.game.seats[p]}, {deck} in the deck", LEFT, y, TEXT, "start")]
    a_row = max(int((width - LEFT) // (CARD_WIDE + CARD_GAP)), 1)
    y += 16
    for i, (c, n) in enumerate(seen):
        x, top = LEFT + i % a_row * (CARD_WIDE + CARD_GAP), y + i // a_row * (CARD_HIGH + CARD_GAP)
        words = CARD_NAMES[c] + (f" {n}×" if n > 1 else "")
        card = _box(x, top, SEAT_COLOURS[p]) + icon(ICONS[CARD_NAMES[c]], x + CARD_WIDE / 2, top + 19, 24)
        card += label(words, x + CARD_WIDE / 2, top + CARD_HIGH - 13, TEXT)
        shown.append(place(CARD_NAMES[c], card, f"{CARD_NAMES[c]} in the hand") if position.turn == p else card)
    if held and not seen:
        words = f"{held} card{'s' * (held > 1)}"
        shown.append(_box(LEFT, y, LINE) + label(words, LEFT + CARD_WIDE / 2, y + CARD_HIGH / 2, TEXT, fill=FAINT))
    rows = -(-max(len(seen), 1 if held else 0) // a_row)
    return "".join(shown), y + rows * (CARD_HIGH + CARD_GAP) + 16


def _box(x: float, y: float, colour: str) -> str:
    return tag("rect", x=x, y=y, width=CARD_WIDE, height=CARD_HIGH, rx=5, fill="#ffffff", stroke=colour, stroke_width=2)


def _button(text: str, x: float, y: float, seat: int) -> str:
    shown = _box(x, y, SEAT_COLOURS[seat]) + label(text, x + CARD_WIDE / 2, y + CARD_HIGH / 2, TEXT)
    return part(text, shown, f"{text} the turn", seat)


# ------------------------------------------------------------------------------------------------------- the terminal


def art(game: Skirmish, position: ArrayPosition) -> str:
    """The board with letters, then every piece with its health, then the hands."""
    s, board = position.state, game.board
    rows = ["   " + " ".join(chr(97 + c) for c in range(board.columns))]
    for r in range(board.rows):
        signs = [_sign(board.signs[q], int(s[k.BOARD + q])) for q in range(r * board.columns, (r + 1) * board.columns)]
        rows.append(f"{r + 1:2} " + " ".join(signs))
    for p in range(2):
        pieces = [
            f"{board.names[q]} {PIECE_NAMES[k.kind_of(int(x))]} {_health(int(x))}"
            for q, x in enumerate(s[k.BOARD : game.size])
            if x and k.side_of(int(x)) == p
        ]
        rows.append(f"{game.seats[p]}: {', '.join(pieces)}")
        rows.append(f"  hand: {_hand_words(s, p)}")
    return "\n".join([*rows, headline(game, position)])


def _sign(square: str, x: int) -> str:
    if not x:
        return TERMINAL_SIGNS.get(square, ".")
    letter = PIECES[k.kind_of(x)]
    if not k.health_of(x):
        return "%"
    return letter.lower() if k.side_of(x) else letter


def _health(x: int) -> str:
    kit = [CARD_NAMES[k.EDGE + i] for i in range(4) if k.kit_of(x) >> i & 1]
    return " ".join([str(k.health_of(x)) if k.health_of(x) else "fallen", *(f"+{name}" for name in kit)])


def _hand_words(s: State, p: int) -> str:
    at, held = k.HAND + p * k.CARDS, int(s[k.HELD + p])
    seen = [name for c, name in enumerate(CARD_NAMES) for _ in range(int(s[at + c]))]
    return ", ".join(seen) if seen else f"{held} cards" if held else "none"
