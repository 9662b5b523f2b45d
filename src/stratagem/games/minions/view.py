"""The drawing of Minions: boards of hexes, the techline, money, points and reinforcements.

Yellow's units are discs, Blue's are squares, so that colour is never needed to tell them apart. A unit shows its picture,
its damage and the defense it has left; a crown marks necromancers, wings flying units, a bar lumbering ones, a double outline
persistent ones, a dot below those that support spawning. Spells on a unit are letters on a ribbon above it: S shielded,
+ defense added, F frozen, L lumbering, C shackled, W weakened. Each board is a panel (`data-panel`), so that a page may put
two side by side. A card of the techline shows picture, name and price, below them a side's sign, open where it is unlocked and
full where it is acquired, and behind > the pictures of those that it counters. `data-place` names a hex (`0 c2`), `data-part`
what can be clicked as a whole part of a turn: cards of the techline, units for sale, and spells drawn.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import cos, pi, sin, sqrt

from stratagem.contract.companions.drawing import Mark
from stratagem.drawing import BLACK, INK, LINE, SEAT_COLOURS, WHITE, icon, label, moving, part, picture, tag
from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout
from stratagem.games.minions.board_marks import trace
from stratagem.games.minions.icons import ICONS
from stratagem.games.minions.maps import HEXES, TILES, WIDTH, hex_index, hex_name
from stratagem.games.minions.spells import by_key
from stratagem.games.minions.state import SIDES, Board, GameState, Piece
from stratagem.games.minions.turn import GameTurn
from stratagem.games.minions.units import Card, Unit, cards, spaced

R = 21.0  # from the centre of a hex to its corners
STEP_X, STEP_Y = R * sqrt(3), R * 1.5
LEFT, TOP = 18.0, 62.0  # of the hexes within a board: room for the row's numbers, and for what is said above
BOARD_WIDTH = LEFT + STEP_X * 14.5 + 6
WIDTH_IN_ALL = BOARD_WIDTH + 16
HEXES_END = TOP + STEP_Y * 9 + 2 * R + 22
CARDS_A_ROW, CARD_STEP, CARD_HIGH = 5, 110.0, 42.0
BOXES_A_ROW, BOX_STEP, BOX_HIGH = 5, 108.0, 34.0  # units for sale
SIDE_FILL = (SEAT_COLOURS[1], SEAT_COLOURS[0])
SIDE_INK = (BLACK, "#ffffff")
FAINT = "#6b6459"
STRIKE = "#a33a00"
TILE_FILL = {
    ".": "#efe9da", "g": "#cfc6d6", "w": "#b9dcee", "W": "#b9dcee", "e": "#d9c19b", "E": "#d9c19b", "a": "#d5e8da",
    "A": "#d5e8da", "f": "#f1b9a0", "F": "#f1b9a0", "s": "#e3d3ef", "t": "#d3efe9", "z": "#dfe8c0", "m": "#e6e6ea",
}  # fmt: skip


def draw(
    state: GameState, turn: GameTurn | None = None, *, over: bool = False, teched: Mapping[int, str] | None = None
) -> str:
    """The head and below it one board after another: a telephone shows a board across its whole width.

    A turn about to be played is drawn over it: arrows for moves, lines that end in a dot for attacks, thick crosses for
    enemies that it removes, letters in a dashed ring for units that it spawns, thin crosses for blinks and spells. Of a turn
    whose technology is chosen, `teched` has the part for each card that it is about.
    """
    content, y = _head(state, over, teched)
    marks = () if turn is None else trace(state, turn)
    for board in state.boards:
        drawn, high = _board(board)
        drawn += "".join(_mark(mark) for mark in marks if mark.places[0].startswith(f"{board.index} "))
        content.append(tag("g", drawn, transform=f"translate(8 {y:g})", data_panel=f"{BOARD_WIDTH:g} {high:g}"))
        y += high
    said = f" A turn is drawn: {turn}." if turn is not None else ""
    return picture(WIDTH_IN_ALL, y + 6, "Minions", _describe(state) + said, content)


def _mark(mark: Mark) -> str:
    """A mark of a turn, drawn over its board."""
    names = [place.partition(" ")[2] for place in mark.places]
    centres = [_centre(hex_index(name)) for name in names]
    found = ""
    for (x, y), (to_x, to_y) in pairwise(centres):
        if mark.kind == "strike":
            found += tag("line", x1=x, y1=y, x2=to_x, y2=to_y, stroke=STRIKE, stroke_width=2.5)
            found += tag("circle", cx=to_x, cy=to_y, r=5, fill=STRIKE, stroke="#ffffff", stroke_width=1)
        elif mark.kind == "arrow":
            far = sqrt((to_x - x) ** 2 + (to_y - y) ** 2)
            dx, dy = (to_x - x) / far, (to_y - y) / far
            points = f"{to_x:.1f},{to_y:.1f} {to_x - 11 * dx - 5 * dy:.1f},{to_y - 11 * dy + 5 * dx:.1f} "
            points += f"{to_x - 11 * dx + 5 * dy:.1f},{to_y - 11 * dy - 5 * dx:.1f}"
            ends = {"x1": x, "y1": y, "x2": to_x - 9 * dx, "y2": to_y - 9 * dy}
            found += tag("line", **ends, stroke=INK, stroke_width=3, opacity=0.75)
            found += tag("polygon", points=points, fill=INK, opacity=0.75)
    x, y = centres[0]
    if mark.kind == "sign":
        found = tag("title", f"spawn {mark.words} {names[0]}")
        found += tag("circle", cx=x, cy=y, r=15, fill="#ffffff", stroke=INK, stroke_width=2.5, stroke_dasharray="4 3")
        return tag("g", found + icon(ICONS[mark.words], x, y, 17))
    if mark.kind == "gone":
        path = f"M{x - 14:.1f} {y - 14:.1f}l28 28m0 -28l-28 28"
        found = tag("path", d=path, stroke="#ffffff", stroke_width=7)
        found += tag("path", d=path, stroke=STRIKE, stroke_width=4)
    elif mark.kind == "last":
        path = f"M{x - 12:.1f} {y - 12:.1f}l24 24m0 -24l-24 24"
        found = tag("path", d=path, stroke=INK, stroke_width=3, opacity=0.75)
    return tag("g", tag("title", mark.words) + found)


def _describe(state: GameState) -> str:
    words = [
        f"{SIDES[state.side]} to move, turn {state.ply}." if state.winner is None else f"{SIDES[state.winner]} has won."
    ]
    for side in range(2):
        words.append(f"{SIDES[side]}: {state.money[side]} money, {state.points[side]} points.")
    for board in state.boards:
        for side in range(2):
            men = ", ".join(
                f"{spaced(piece.unit.name)} {name}{_charms(piece)}" for name, piece in board if piece.side == side
            )
            hand = f"; in hand {', '.join(board.hand(side)) or 'nothing'}" if state.config.switches.spells else ""
            words.append(f"Board {board.index}, {SIDES[side]}: {men or 'nothing'}{hand}.")
    return " ".join(words)


def _charms(piece: Piece) -> str:
    return f" ({', '.join(piece.spells.names)})" if piece.spells.names else ""


def _head(state: GameState, over: bool, teched: Mapping[int, str] | None) -> tuple[list[str], float]:
    """Money, points, the techline and what is for sale, and how high all that is."""
    if state.winner is not None:
        title = f"{SIDES[state.winner]} has won"
    else:
        title = f"A draw after {state.ply - 1} turns" if over else f"Turn {state.ply}: {SIDES[state.side]} to move"
    found = [label(title, 12, 18, 17, "start", font_weight="bold")]
    for side in range(2):
        text = f"{SIDES[side]}: {state.money[side]} money, {state.points[side]} of {state.config.points} points"
        found.append(_shape(side, 20, 44 + 24 * side, 8) + label(text, 36, 44 + 24 * side, 15, "start"))
    found.append(label("card > units it counters", WIDTH_IN_ALL - 14, 68, 14, "end", fill=FAINT))
    lines = [state.cards(side) for side in range(2)]
    march = lines[state.side].find("L")
    for c, card in enumerate(state.config.techline.cards):
        x, y = 10 + CARD_STEP * (c % CARDS_A_ROW), 86 + (CARD_HIGH + 4) * (c // CARDS_A_ROW)
        box = _tech_card(card, [lines[side][c] for side in range(2)])
        said = f"card {c}, {card.name}: " + ", ".join(f"{SIDES[s]} {_STATUS[lines[s][c]]}" for s in range(2))
        said += f", costs {card.unit.cost}" if card.unit else ""
        said += f", counters {', '.join(card.counters)}" if card.counters else ""
        may = f"tech 0 {c}" if lines[state.side][c] == "U" else "tech 1" if c == march else None
        click = may if teched is None else teched.get(c)
        shown = part(click, box, said) if click else tag("g", tag("title", said) + box)
        found.append(tag("g", shown, transform=f"translate({x:g} {y:g})", data_flow=f"{CARD_STEP:g} {CARD_HIGH + 4:g}"))
    y = 86 + (CARD_HIGH + 4) * -(-len(state.config.techline.cards) // CARDS_A_ROW) + 10
    after, high = _after_techline(state)
    found.append(tag("g", after, transform=f"translate(0 {y:g})", data_after=1))
    return found, y + high


def _after_techline(state: GameState) -> tuple[str, float]:
    """What the side to move may buy, and the spells that each side sees; and how high that is."""
    found, y = "", 0.0
    sold = ", ".join(f"{unit.name} {unit.cost}" for unit in state.for_sale())
    for row in textwrap.wrap(f"{SIDES[state.side]} may buy: {sold or 'nothing'}", 70):
        found += label(row, 12, y, 15, "start")
        y += 19
    y += 6
    if state.config.switches.spells:
        for side in range(2):
            known = [_spell_name(word) for word in state.known(side)]
            drawn = len(state.drawn) if side == state.side else 0
            text = f"drawn: {', '.join(known[:drawn]) or '-'}; then {', '.join(known[drawn:]) or '-'}"
            for row in textwrap.wrap(f"{SIDES[side]} {text}", 76):
                found += label(row, 12, y + 8, 13, "start")
                y += 17
        y += 8
    return found, y


def _tech_card(card: Card, status: Sequence[str]) -> str:
    """A card of the techline: name and price, below them who has unlocked or acquired it, and what it counters."""
    owned = "A" in status
    box = tag(
        "rect",
        x=0,
        y=0,
        width=CARD_STEP - 4,
        height=CARD_HIGH,
        rx=4,
        fill="#fff8e0" if owned else "#ffffff",
        stroke=LINE,
    )
    price = f" {card.unit.cost}" if card.unit else ""
    title = f"{card.name}{price}"
    if card.letter in ICONS:
        box += icon(ICONS[card.letter], 11, 13, 15)
    size = 13.6 if len(title) < 12 else 12
    box += label(title, 21 if card.letter in ICONS else 5, 13, size, "start", font_weight="bold" if owned else None)
    for side in range(2):
        if status[side] != "L":
            box += _shape(side, 12 + 17 * side, 31, 6.5, filled=status[side] == "A")
    countered = [other for other in cards() if other.name in card.counters]
    if countered:
        box += label(">", 44, 31, 14, fill=FAINT)
    return box + "".join(
        icon(ICONS[other.letter], 57 + 16 * k, 31, 12, FAINT)
        if other.letter in ICONS
        else label(other.letter, 57 + 16 * k, 31, 13, fill=FAINT)
        for k, other in enumerate(countered)
    )


def _spell_name(word: str) -> str:
    return by_key()[word].name if word in by_key() else "?"


def _box(k: int, top: float, text: str, left: float) -> str:
    """The k-th of the boxes that hold units for sale."""
    x, y = left + BOX_STEP * (k % BOXES_A_ROW), top + (BOX_HIGH + 4) * (k // BOXES_A_ROW)
    frame = tag("rect", x=x, y=y, width=BOX_STEP - 4, height=BOX_HIGH, rx=4, fill="#ffffff", stroke=LINE)
    return frame + label(text, x + BOX_STEP / 2 - 2, y + BOX_HIGH / 2, 14.5)


def _boxes_high(n: int) -> float:
    return (BOX_HIGH + 4) * -(-n // BOXES_A_ROW)


_STATUS = {"L": "locked", "U": "unlocked", "A": "acquired"}


def _board(board: Board) -> tuple[str, float]:
    """A board and how high it is."""
    state = board.game
    held = ", ".join(f"{SIDES[side]} {board.graveyards(side)}" for side in range(2))
    phase = {
        "f": "first turn",
        "n": "",
        "1": "reset: setup first",
        "2": "reset: setup first",
        "0": "reset: the loser passes",
    }[board.state]
    phases = [phase] if phase else []
    phases += [f"mana {board.mana}"] if state.config.ground[layout.HAS_MANA] else []
    found = [label(f"board {board.index}: {spaced(board.map.name)}", 4, 12, 16, "start", font_weight="bold")]
    found.append(label("; ".join([f"graveyards: {held}", *phases]), 4, 34, 15, "start"))
    for k in range(WIDTH):  # rows are numbered at their left, files lettered below and above their slant
        x, y = _centre(k * WIDTH)
        found.append(label(str(k), x - STEP_X / 2 - 9, y, 14, fill=FAINT))
        x, y = _centre(k)
        found.append(label(chr(97 + k), x - STEP_X / 4, y + R + 7, 14, fill=FAINT))
        x, y = _centre(k + WIDTH * (WIDTH - 1))
        found.append(label(chr(97 + k), x + STEP_X / 4, y - R - 6, 14, fill=FAINT))
    for h in reversed(range(HEXES)):  # from the top down, so that a crown stands before the hex behind it
        found.append(_hex(board, h))
    for side in range(2):
        y, waiting = HEXES_END + 10 + 24 * side, board.reinforcements(side)
        found.append(_shape(side, 12, y, 8) + label(f"reinforcements: {'' if waiting else 'none'}", 28, y, 15, "start"))
        x = 150.0
        for unit, n in waiting.items():
            shown = icon(ICONS[unit.letter], x + 8, y, 16) + (label(f"×{n}", x + 19, y, 14, "start") if n > 1 else "")
            named = f"{board.index} {unit.letter}" if side == state.side else None
            wide = 46 if n > 1 else 24
            felt = tag("rect", x=x - 4, y=y - 12, width=wide, height=24, fill="none", pointer_events="all")
            found.append(tag("g", tag("title", stats(unit)) + felt + shown, data_place=named))
            x += wide
    high = HEXES_END + 54
    if state.config.switches.spells:
        high = _spells(board, found, high)
    if state.winner is None and rules.spawn_phase(state.config.ground, board.words):
        affordable = [unit for unit in state.for_sale() if unit.cost <= state.money[state.side]]
        for k, unit in enumerate(affordable):
            click = f"board {board.index} buy {unit.letter}"
            found.append(part(click, _box(k, high, f"+ {unit.name} {unit.cost}", 2), f"buy {stats(unit)}"))
        high += _boxes_high(len(affordable))
    return "".join(found), high + 14


def _spells(board: Board, found: list[str], high: float) -> float:
    """Both hands, and the spells drawn that the board may take; how high the board is then."""
    state = board.game
    for side in range(2):
        words = Counter(map(_spell_name, board.hand(side)))
        text = ", ".join(f"{name}{f' x{n}' if n > 1 else ''}" for name, n in words.items()) or "-"
        said = "; ".join(
            f"{by_key()[w].name}: {by_key()[w].effect}" for w in dict.fromkeys(board.hand(side)) if w in by_key()
        )
        for row in textwrap.wrap(f"{SIDES[side]}'s hand: {text}", 80):
            found.append(tag("g", tag("title", said) + label(row, 4, high, 14, "start")))
            high += 18
    if state.winner is None and not board.taken and not state.mid_turn:
        for k, word in enumerate(dict.fromkeys(word for word in state.drawn if word in by_key())):
            x, y = 2 + 1.5 * BOX_STEP * (k % 3), high + (BOX_HIGH + 4) * (k // 3)
            frame = tag("rect", x=x, y=y, width=1.5 * BOX_STEP - 6, height=BOX_HIGH, rx=4, fill="#ffffff", stroke=LINE)
            box = frame + label(f"take {_spell_name(word)}", x + 0.75 * BOX_STEP - 3, y + BOX_HIGH / 2, 14)
            found.append(part(f"give_spell {board.index} {word}", box, f"take {by_key()[word].effect}"))
        high += (BOX_HIGH + 4) * -(-len(set(state.drawn)) // 3)
    return high + 6


def _centre(h: int) -> tuple[float, float]:
    x, y = h % WIDTH, h // WIDTH
    return LEFT + STEP_X * (x + y / 2 + 0.5), TOP + R + STEP_Y * (9 - y)


def _hex(board: Board, h: int) -> str:
    x, y = _centre(h)
    tile, name = board.tiles[h], hex_name(h)
    corners = " ".join(f"{x + R * sin(pi / 3 * k):.1f},{y + R * cos(pi / 3 * k):.1f}" for k in range(6))
    shape = tag("polygon", points=corners, fill=TILE_FILL[tile], stroke="#ffffff", stroke_width=1.5)
    if tile == "g":
        # a tombstone
        path = f"M{x - 8:.1f} {y + 9:.1f}v-13a8 8 0 0 1 16 0v13z"
        shape += tag("path", d=path, fill="#f6f3f8", stroke="#8d7f9c", stroke_width=1.3)
    elif tile in "wW":
        path = "".join(f"M{x - 11:.1f} {y + dy:.1f}q4 -4 7.5 0t7.5 0t7.5 0" for dy in (-8, -1, 6))
        shape += tag("path", d=path, fill="none", stroke="#5b9dc4", stroke_width=1.2)
    elif tile != ".":
        shape += label(tile, x, y, 14, fill="#6b5f4d")
    piece = board.pieces.get(name)
    said = f"{name}, {TILES[tile]}" + (f": {SIDES[piece.side]} {stats(piece.now)}{_doings(piece)}" if piece else "")
    shown = moving(f"{board.index} {SIDES[piece.side]} {piece.unit.name}", _unit(piece, x, y)) if piece else ""
    return tag("g", tag("title", said) + shape + shown, data_place=f"{board.index} {name}")


def _doings(piece: Piece) -> str:
    words = ["moved"] * piece.moved + ["just spawned"] * piece.spawned
    words += [f"{piece.attacks_used} attacks used"] if piece.attacks_used else []
    words += [f"{piece.damage} damage"] if piece.damage else []
    words += piece.spells.names
    return f" ({', '.join(words)})" if words else ""


def stats(unit: Unit) -> str:
    blow = {"unsummon": "unsummon", "deathtouch": "deathtouch"}.get(unit.attack, f"{unit.damage} damage")
    blow += f" x{unit.attacks}" if unit.attacks > 1 else ""
    words = [
        f"{spaced(unit.name)}: {blow}, defense {unit.defense}, speed {unit.speed}, range {unit.range}, cost {unit.cost}"
    ]
    return ", ".join([*words, *unit.keywords])


def _shape(side: int, x: float, y: float, r: float, *, filled: bool = True, opacity: float | None = None) -> str:
    fill = SIDE_FILL[side] if filled else "#ffffff"
    if side == 0:
        return tag("circle", cx=x, cy=y, r=r, fill=fill, stroke="#4a3a00", stroke_width=1.2, opacity=opacity)
    return tag(
        "rect", x=x - 0.92 * r, y=y - 0.92 * r, width=1.84 * r, height=1.84 * r, rx=r / 4, fill=fill, stroke="#002b45",
        stroke_width=1.2, opacity=opacity,
    )  # fmt: skip


def _unit(piece: Piece, x: float, y: float) -> str:
    unit, side = piece.now, piece.side
    ink = SIDE_INK[side]
    found = ""
    if unit.flying:
        wings = "".join(f"M{x + s * 13:.1f} {y - 1:.1f}q{s * 5} -9 {s * 7} -3q{-s * 1} 4 {-s * 7} 5" for s in (-1, 1))
        found += tag("path", d=wings, fill="#ffffff", stroke=INK, stroke_width=1)
    if unit.persistent:
        found += _shape(side, x, y, 17.5, filled=False)
    found += _shape(
        side,
        x,
        y,
        15.5,
        opacity=0.65 if piece.moved or piece.attacks_used or piece.spawned or piece.spells.done else None,
    )
    if unit.necromancer:
        crown = f"M{x - 8:.1f} {y - 13:.1f}l-1 -8l5 4l4 -6l4 6l5 -4l-1 8z"
        found += tag("path", d=crown, fill="#ffd75e", stroke=INK, stroke_width=1)
    found += icon(ICONS[unit.letter], x, y - 6.2, 14.5, WHITE if side else BLACK)
    blow = {"unsummon": "u", "deathtouch": "†"}.get(unit.attack, str(unit.damage))
    if unit.attacks > 1:
        blow += f"×{unit.attacks}"
    stats = f"{blow}/{unit.defense - piece.damage}"
    if piece.damage:  # what is left of its defense, on a ground that says so
        found += tag("rect", x=x - 14, y=y, width=28, height=13.5, rx=4, fill="#a33a00")
    found += label(stats, x, y + 6.5, 13 if len(stats) < 4 else 10.5, fill="#ffffff" if piece.damage else ink)
    if unit.lumbering:
        found += tag("rect", x=x - 9, y=y + 15.5, width=18, height=2.4, fill=INK)
    on = piece.spells
    charms = [
        ("S", on.shielded),
        ("+", on.bonus),
        ("F", on.frozen),
        ("L", on.slowed),
        ("C", on.shackled),
        ("W", on.weakened),
    ]
    if ribbon := "".join(letter for letter, there in charms if there):
        found += tag(
            "rect", x=x - 4 - 3.5 * len(ribbon), y=y - 21, width=8 + 7 * len(ribbon), height=11, rx=3, fill="#5b2a86"
        )
        found += label(ribbon, x, y - 15.5, 10, fill="#ffffff")
    if unit.spawn:
        found += tag("circle", cx=x + 13, cy=y + 12, r=3.2, fill="#ffffff", stroke=INK, stroke_width=1)
    return found
