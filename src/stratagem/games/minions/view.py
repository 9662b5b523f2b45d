"""The drawing of Minions: boards of hexes, the techline, money, points and reinforcements.

Yellow's units are discs, Blue's are squares, so that colour is never needed to tell them apart. A unit shows its letter,
its damage and its defense; a crown marks necromancers, wings flying units, a bar lumbering ones, a double outline
persistent ones, a dot below those that support spawning. `data-hex` names a hex (`0 c2`), `data-part` what can be
clicked as a whole part of a turn: cards of the techline and units for sale.
"""

from __future__ import annotations

from math import cos, pi, sin, sqrt

from stratagem.drawing import INK, LINE, SEAT_COLOURS, label, part, picture, tag
from stratagem.games.minions.maps import HEXES, TILES, WIDTH, hex_name
from stratagem.games.minions.state import SIDES, Board, GameState, Piece
from stratagem.games.minions.units import Unit

R = 21.0  # from the centre of a hex to its corners
STEP_X, STEP_Y = R * sqrt(3), R * 1.5
BOARD_WIDTH = STEP_X * 14.5 + 30
BOARD_HEIGHT = STEP_Y * 9 + 2 * R + 78
HEAD = 150.0  # height of the part above the boards
SIDE_FILL = (SEAT_COLOURS[1], SEAT_COLOURS[0])
SIDE_INK = (INK, "#ffffff")
TILE_FILL = {
    ".": "#efe9da", "g": "#cfc6d6", "w": "#b9dcee", "W": "#b9dcee", "e": "#d9c19b", "E": "#d9c19b", "a": "#d5e8da",
    "A": "#d5e8da", "f": "#f1b9a0", "F": "#f1b9a0", "s": "#e3d3ef", "t": "#d3efe9", "z": "#dfe8c0", "m": "#e6e6ea",
}  # fmt: skip


def draw(state: GameState) -> str:
    columns = 1 if len(state.boards) == 1 else 2
    rows = -(-len(state.boards) // columns)
    width, height = 20 + columns * BOARD_WIDTH, HEAD + rows * BOARD_HEIGHT + 10
    width = max(width, 25 * 24.0 + 110)
    content = [*_head(state)]
    for board in state.boards:
        x, y = 10 + (board.index % columns) * BOARD_WIDTH, HEAD + (board.index // columns) * BOARD_HEIGHT
        content.append(tag("g", _board(board), transform=f"translate({x:g} {y:g})"))
    return picture(width, height, "Minions", _describe(state), content)


def _describe(state: GameState) -> str:
    words = [
        f"{SIDES[state.side]} to move, ply {state.ply}." if state.winner is None else f"{SIDES[state.winner]} has won."
    ]
    for side in range(2):
        words.append(f"{SIDES[side]}: {state.money[side]} money, {state.points[side]} points.")
    for board in state.boards:
        for side in range(2):
            men = ", ".join(f"{piece.unit.name} {name}" for name, piece in board if piece.side == side)
            words.append(f"Board {board.index}, {SIDES[side]}: {men or 'nothing'}.")
    return " ".join(words)


def _head(state: GameState) -> list[str]:
    """Money, points, the techline and what is for sale."""
    title = (
        f"{SIDES[state.winner]} has won"
        if state.winner is not None
        else f"{SIDES[state.side]} to move, ply {state.ply}"
    )
    found = [label(title, 14, 18, 15, "start", font_weight="bold")]
    for side in range(2):
        text = f"{SIDES[side]}: {state.money[side]} money, {state.points[side]} of {state.config.points} points"
        found.append(_shape(side, 20, 42 + 22 * side, 7) + label(text, 34, 42 + 22 * side, 13, "start"))
    lines = [state.cards(side) for side in range(2)]
    march = lines[state.side].find("L")
    for c, card in enumerate(state.config.techline.cards):
        x, y = 14 + 24.0 * c, 80.0
        box = tag("rect", x=x, y=y, width=22, height=34, rx=3, fill="#ffffff", stroke=LINE)
        box += label(card.letter, x + 11, y + 10, 12)
        for side in range(2):
            status = lines[side][c]
            at = x + 6 + 10 * side
            if status != "L":
                box += _shape(side, at, y + 26, 4.5, filled=status == "A")
        said = f"card {c}, {card.name}: " + ", ".join(f"{SIDES[s]} {_STATUS[lines[s][c]]}" for s in range(2))
        click = f"tech 0 {c}" if lines[state.side][c] == "U" else "tech 1" if c == march else None
        found.append(part(click, box, said) if click else tag("g", tag("title", said) + box))
    x = 14.0
    for unit in state.for_sale():
        box = tag("rect", x=x, y=122, width=30, height=18, rx=3, fill="#ffffff", stroke=LINE)
        box += label(f"{unit.letter} {unit.cost}", x + 15, 131, 11)
        found.append(tag("g", tag("title", f"for sale: {_stats(unit)}") + box))
        x += 33
    return found


_STATUS = {"L": "locked", "U": "unlocked", "A": "acquired"}


def _board(board: Board) -> str:
    state = board.game
    held = " | ".join(f"{SIDES[side]} {board.graveyards(side)}" for side in range(2))
    phase = {"f": "first turn", "n": "", "1": "reset: setup first", "2": "reset: setup first"}[board.state]
    found = [label(f"board {board.index}: {board.map.name}", 4, 10, 13, "start", font_weight="bold")]
    found.append(label(f"graveyards {held}  {phase}", 4, 26, 11, "start"))
    shop = state.for_sale() if board.state in "n2" else []
    for h in range(HEXES):
        found.append(_hex(board, h))
    for side in range(2):
        y = BOARD_HEIGHT - 30 + 16 * side
        found.append(_shape(side, 12, y, 6) + label("reinforcements:", 24, y, 11, "start"))
        x = 116.0
        for unit, n in board.reinforcements(side).items():
            found.append(
                tag(
                    "g",
                    tag("title", _stats(unit)) + label(f"{unit.letter}{f' x{n}' if n > 1 else ''}", x, y, 12, "start"),
                )
            )
            x += 34 if n > 1 else 18
    if state.winner is None:
        x = BOARD_WIDTH - 20
        for unit in reversed([u for u in shop if u.cost <= state.money[state.side]]):
            box = tag("rect", x=x - 24, y=BOARD_HEIGHT - 38, width=22, height=16, rx=3, fill="#ffffff", stroke=LINE)
            box += label(f"+{unit.letter}", x - 13, BOARD_HEIGHT - 30, 11)
            found.append(part(f"board {board.index} buy {unit.letter}", box, f"buy {_stats(unit)}"))
            x -= 25
            if x < 220:
                break
    return "".join(found)


def _centre(h: int) -> tuple[float, float]:
    x, y = h % WIDTH, h // WIDTH
    return 24 + STEP_X * (x + y / 2), 36 + R + STEP_Y * (9 - y)


def _hex(board: Board, h: int) -> str:
    x, y = _centre(h)
    tile, name = board.map.tiles[h], hex_name(h)
    corners = " ".join(f"{x + R * sin(pi / 3 * k):.1f},{y + R * cos(pi / 3 * k):.1f}" for k in range(6))
    shape = tag("polygon", points=corners, fill=TILE_FILL[tile], stroke="#ffffff", stroke_width=1.5)
    if tile == "g":
        # a tombstone
        path = f"M{x - 8:.1f} {y + 11:.1f}v-13a8 8 0 0 1 16 0v13z"
        shape += tag("path", d=path, fill="#f6f3f8", stroke="#8d7f9c", stroke_width=1.3)
    elif tile in "wW":
        path = "".join(f"M{x - 11:.1f} {y + dy:.1f}q4 -4 7.5 0t7.5 0t7.5 0" for dy in (-6, 1, 8))
        shape += tag("path", d=path, fill="none", stroke="#5b9dc4", stroke_width=1.2)
    elif tile != ".":
        shape += label(tile, x, y, 12, fill="#6b5f4d")
    shape += label(name, x, y + R * 0.68, 6.5, fill="#7a7265")
    piece = board.pieces.get(name)
    said = f"{name}, {TILES[tile]}" + (f": {SIDES[piece.side]} {_stats(piece.unit)}{_doings(piece)}" if piece else "")
    return tag(
        "g", tag("title", said) + shape + (_unit(piece, x, y - 2) if piece else ""), data_hex=f"{board.index} {name}"
    )


def _doings(piece: Piece) -> str:
    words = ["moved"] * piece.moved + ["just spawned"] * piece.spawned
    words += [f"{piece.attacks_used} attacks used"] if piece.attacks_used else []
    words += [f"{piece.damage} damage"] if piece.damage else []
    return f" ({', '.join(words)})" if words else ""


def _stats(unit: Unit) -> str:
    blow = {"unsummon": "unsummon", "deathtouch": "deathtouch"}.get(unit.attack, f"{unit.damage} damage")
    blow += f" x{unit.attacks}" if unit.attacks > 1 else ""
    words = [f"{unit.name}: {blow}, defense {unit.defense}, speed {unit.speed}, range {unit.range}, cost {unit.cost}"]
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
    unit, side = piece.unit, piece.side
    ink = SIDE_INK[side]
    found = ""
    if unit.flying:
        wings = "".join(f"M{x + s * 11:.1f} {y - 1:.1f}q{s * 5} -9 {s * 7} -3q{-s * 1} 4 {-s * 7} 5" for s in (-1, 1))
        found += tag("path", d=wings, fill="#ffffff", stroke=INK, stroke_width=1)
    if unit.persistent:
        found += _shape(side, x, y, 14.5, filled=False)
    found += _shape(side, x, y, 12.5, opacity=0.65 if piece.moved or piece.attacks_used or piece.spawned else None)
    if unit.necromancer:
        crown = f"M{x - 8:.1f} {y - 9:.1f}l1 -8l4 4l3 -6l3 6l4 -4l1 8z"
        found += tag("path", d=crown, fill="#ffd75e", stroke=INK, stroke_width=1)
    found += label(unit.letter, x, y - 1.5, 13, fill=ink, font_weight="bold")
    blow = {"unsummon": "u", "deathtouch": "†"}.get(unit.attack, str(unit.damage))
    if unit.attacks > 1:
        blow += f"×{unit.attacks}"
    found += label(f"{blow}/{unit.defense - piece.damage}", x, y + 8, 6.5, fill=ink)
    if unit.lumbering:
        found += tag("rect", x=x - 8, y=y + 12.5, width=16, height=2.2, fill=INK)
    if unit.spawn:
        found += tag("circle", cx=x + 10, cy=y + 10, r=2.6, fill="#ffffff", stroke=INK, stroke_width=1)
    if piece.damage:
        found += tag("circle", cx=x - 11, cy=y + 9, r=5, fill="#d55e00") + label(
            f"-{piece.damage}", x - 11, y + 9, 6.5, fill="#ffffff"
        )
    return found
