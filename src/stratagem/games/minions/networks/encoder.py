"""The encoder of the Death Prophet and what it says, as kernels.

Boards are seen from the mover's side (Blue's are turned by a half turn). Each hex begins as a sum of columns: who stands there,
the tile, the hex, eight numbers that say what both sides can do to it, and the board's and the whole game's share. Layers follow
that add to each hex what they make of it and its six neighbours: a 3 x 3 kernel without the two corners that are no neighbours,
seven taps. Half-way and at the end a token of the whole game (money, points, cards, units of both sides) collects what the boards
hold on average and hands it back to each of them. What is said of a hex and of a board are sums of the last layer.

Numbers are float32, and every sum is made in one order whatever the target: compiled code adds channels side by side and never
reorders a sum, so that the interpreter gives the same bits. Nothing here takes an exponential; chances are made of what these
kernels say by one piece of NumPy (`seers`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.games.minions import layout
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.engine.scratch import HARM, SEND, THREATS, TOUCH
from stratagem.games.minions.layout import Stream
from stratagem.games.minions.maps import TILES as TILE_NAMES
from stratagem.kernel import Ground, State, Unbound

Narrow = NDArray[np.float32]
Codes = NDArray[np.int64]

VERSION = 2  # of what is seen and said: weights of another one do not fit
MODES = 5  # state codes of a board
ABOUT_CARD = 5  # own and theirs unlocked and acquired, and how many marches away it is
PLAIN = 8  # numbers of the whole game before its cards
TOKEN_IN = 200  # PLAIN + ABOUT_CARD * CARDS + 2 * TYPES, filled up to a multiple of four
BOARD_IN = 76  # modes, resigned, graveyards of both, reinforcements of both; filled up likewise
HEX_IN = (
    8  # what the mover can do to a hex: harm, deathtouch, unsummoning, remove who stands there; what the other side can
)
STANDS = 1 + 2 * layout.TYPES  # nobody, own types, enemies' types
TILE_KINDS = len(TILE_NAMES)
HEXES, TAPS = 100, 7
ROUND = ((0, 0), (-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1))  # (x, y) of the taps: the hex and its neighbours

# Bound for each shape
WIDTH: int = cast(Any, Unbound("WIDTH"))
TOKEN: int = cast(Any, Unbound("TOKEN"))
LAYERS: int = cast(Any, Unbound("LAYERS"))
HEX_OUT: int = cast(Any, Unbound("HEX_OUT"))
BOARD_OUT: int = cast(Any, Unbound("BOARD_OUT"))
AT: tuple[int, ...] = cast(Any, Unbound("AT"))  # where each tensor begins, in the order of `TENSORS`

# names of the tensors in their order; a table is [inputs, outputs], laid out flat
TENSORS = (
    "token", "token_bias", "board", "board_token", "board_bias", "stands", "tiles", "hexes", "reached", "layers",
    "layer_bias", "middle_token", "middle_token_bias", "middle_board", "end_token", "end_token_bias", "end_board",
    "end_board_bias", "hex_out", "hex_board", "hex_bias", "board_out", "board_out_bias",
)  # fmt: skip
(TOKEN_AT, TOKEN_BIAS, BOARD_AT, BOARD_TOKEN, BOARD_BIAS, STANDS_AT, TILES_AT, HEXES_AT, REACHED, LAYERS_AT,
 LAYER_BIAS, MIDDLE_TOKEN, MIDDLE_TOKEN_BIAS, MIDDLE_BOARD, END_TOKEN, END_TOKEN_BIAS, END_BOARD,
 END_BOARD_BIAS, HEX_OUT_AT, HEX_BOARD, HEX_BIAS, BOARD_OUT_AT, BOARD_OUT_BIAS) = range(23)  # fmt: skip

NOTHING = np.float32(0.0)
A_HEX = np.float32(0.01)  # share of a hex in a board's average


@dataclass(frozen=True)
class Shape:
    """How large a network is."""

    width: int = 32  # channels of a hex; a multiple of 4
    token: int = 64  # numbers of the token; a multiple of 4
    layers: int = 4  # an even number
    prophecies: int = 6  # of a board

    @property
    def hex_out(self) -> int:
        """What is said of a hex, by each prophecy: that its enemy falls, and that its own unit fights."""
        return 2 * self.prophecies

    @property
    def board_out(self) -> int:
        """What is said of a board: how likely each prophecy is."""
        return self.prophecies

    def sizes(self) -> dict[str, tuple[int, ...]]:
        wide, token, both = self.width, self.token, self.width + self.token
        said = (
            (TOKEN_IN, token), (token,), (BOARD_IN, wide), (token, wide), (wide,), (STANDS, wide), (TILE_KINDS, wide),
            (HEXES, wide), (HEX_IN, wide), (self.layers, TAPS, wide, wide), (self.layers, wide), (both, token),
            (token,), (both, wide), (both, token), (token,), (both, token), (token,), (wide, self.hex_out),
            (token, self.hex_out), (self.hex_out,), (token, self.board_out), (self.board_out,),
        )  # fmt: skip
        return dict(zip(TENSORS, said, strict=True))

    def names(self) -> dict[str, Any]:
        """What the kernels are bound with."""
        begins = np.cumsum([0, *(int(np.prod(size)) for size in self.sizes().values())])
        return {
            "WIDTH": self.width,
            "TOKEN": self.token,
            "LAYERS": self.layers,
            "HEX_OUT": self.hex_out,
            "BOARD_OUT": self.board_out,
            "AT": tuple(int(x) for x in begins[:-1]),
        }


class Seen(NamedTuple):
    """What is seen of a position, from the side to move."""

    token: Narrow  # [TOKEN_IN]
    board: Narrow  # [boards * BOARD_IN]
    stands: Codes  # [boards * HEXES]: who stands there
    reached: Narrow  # [boards * HEXES * HEX_IN]


class Said(NamedTuple):
    """What the network says of it, before chances are made of it; and room to work in."""

    hexes: Narrow  # [boards * HEXES * HEX_OUT]
    boards: Narrow  # [boards * BOARD_OUT]
    room: Narrow  # for layers


class Place(NamedTuple):
    """What does not change in a game."""

    tiles: Codes  # [boards * HEXES]: kinds of tiles, for both sides: of Yellow, then of Blue
    cards: Codes  # [CARDS]: the number, from 0, of the card at each place of the line
    around: Codes  # [HEXES * TAPS]: the hex at each tap, or -1


def new_seen(boards: int) -> Seen:
    return Seen(
        np.zeros(TOKEN_IN, np.float32),
        np.zeros(boards * BOARD_IN, np.float32),
        np.zeros(boards * HEXES, np.int64),
        np.zeros(boards * HEXES * HEX_IN, np.float32),
    )


def new_said(shape: Shape, boards: int) -> Said:
    room = 2 * boards * HEXES * shape.width + boards * (shape.width + shape.token) + 4 * (shape.width + shape.token)
    return Said(
        np.zeros(boards * HEXES * shape.hex_out, np.float32),
        np.zeros(boards * shape.board_out, np.float32),
        np.zeros(room, np.float32),
    )


@cache
def neighbours_by_tap() -> Codes:
    found = np.full((HEXES, TAPS), -1, np.int64)
    for h in range(HEXES):
        for tap, (dx, dy) in enumerate(ROUND):
            x, y = h % 10 + dx, h // 10 + dy
            if 0 <= x < 10 and 0 <= y < 10:
                found[h, tap] = 10 * y + x
    return found.ravel()


def place_of(config: GameConfig) -> Place:
    kinds = "".join(TILE_NAMES)
    tiles = np.array([[kinds.index(tile) for tile in land.tiles] for land in config.lands], np.int64)
    cards = np.array([card.number - 1 for card in config.techline.cards], np.int64)
    return Place(np.concatenate([tiles.ravel(), tiles[:, ::-1].ravel()]), cards, neighbours_by_tap())


# ------------------------------------------------------------------------------------------------------ what is seen


def turned(h: int, side: int) -> int:
    """A hex as a side sees it, and back."""
    return h if side == 0 else HEXES - 1 - h


def see_board(g: Ground, s: State, k: int, threat: Stream, seen: Seen) -> None:
    """A board, of which `threat` says what both sides can do."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    about = seen.board[k * BOARD_IN : (k + 1) * BOARD_IN]
    for i in range(BOARD_IN):
        about[i] = 0.0
    about[b[layout.MODE]] = 1.0
    about[MODES] = b[layout.RESIGNED]
    zones = MODES + 3
    for t in range(layout.TYPES):
        about[zones + t] = min(b[layout.ZONE + side * layout.TYPES + t], 4) / 4.0
        about[zones + layout.TYPES + t] = min(b[layout.ZONE + (1 - side) * layout.TYPES + t], 4) / 4.0
    graves = layout.tiles_of(k)
    for h in range(HEXES):
        at = k * HEXES + turned(h, side)
        cell = b[layout.CELL + h]
        code, own, foe = 0, False, False
        if cell != 0:
            own = layout.owner(cell) == side
            foe = not own
            code = (cell & layout.TYPE_MASK) + (0 if own else layout.TYPES)
            if layout.holds(g[graves], g[graves + 1], h):
                about[MODES + (1 if own else 2)] += 0.125
        seen.stands[at] = code
        for other in range(2):  # what the mover can do, then what the other side can
            doer = side if other == 0 else 1 - side
            harm = threat[doer * THREATS + HARM + h]
            touch = threat[doer * THREATS + TOUCH + h] > 0
            sends = threat[doer * THREATS + SEND + h] > 0
            out = at * HEX_IN + 4 * other
            seen.reached[out] = min(harm, 8) / 8.0
            seen.reached[out + 1] = touch
            seen.reached[out + 2] = sends
            falls = False
            if foe if other == 0 else own:
                falls = touch or sends or harm >= layout.unit(g, cell, layout.DEFENSE) - layout.hurt(cell)
            seen.reached[out + 3] = falls


def see_whole(g: Ground, s: State, cards: Codes, seen: Seen) -> None:
    """The token: what the boards share."""
    side = s[layout.SIDE]
    token = seen.token
    for i in range(TOKEN_IN):
        token[i] = 0.0
    for other in range(2):
        p = side if other == 0 else 1 - side
        token[other] = min(s[layout.MONEY + p], 100) / 20.0
        token[2 + other] = s[layout.POINTS + p] / max(g[layout.TARGET], 1)
    token[4] = g[layout.BOARDS] / 3.0
    token[5] = side
    token[6] = min(s[layout.PLY], 60) / 60.0
    token[7] = g[layout.SPELL_PRICE] / 12.0
    away = 0
    for c in range(layout.CARDS):
        at = PLAIN + ABOUT_CARD * cards[c]
        mine, theirs = s[layout.CARD + side * layout.CARDS + c], s[layout.CARD + (1 - side) * layout.CARDS + c]
        token[at] = mine == layout.UNLOCKED
        token[at + 1] = mine == layout.ACQUIRED
        token[at + 2] = theirs == layout.UNLOCKED
        token[at + 3] = theirs == layout.ACQUIRED
        if mine == layout.LOCKED:
            away += 1
            token[at + 4] = max(9 - away, 0) / 8.0
    units = PLAIN + ABOUT_CARD * layout.CARDS
    for k in range(g[layout.BOARDS]):
        for h in range(HEXES):
            cell = s[layout.board_of(k) + layout.CELL + h]
            if cell != 0:
                t = (cell & layout.TYPE_MASK) - 1
                at = units + t + (0 if layout.owner(cell) == side else layout.TYPES)
                token[at] += max(g[layout.UNIT + t * layout.COLUMNS + layout.COST], 1) / 20.0


# ------------------------------------------------------------------------------------------------------ what is said


def add_product(x: Narrow, n: int, w: Narrow, begin: int, out: Narrow, m: int) -> None:
    """Add to `out[:m]` what a table [n, m] makes of `x[:n]`, four rows at a time: fewer ways through memory."""
    for i in range(0, n, 4):
        p, q, r, t = x[i], x[i + 1], x[i + 2], x[i + 3]
        if p == NOTHING and q == NOTHING and r == NOTHING and t == NOTHING:
            continue
        at = begin + i * m
        a = w[at : at + m]
        b = w[at + m : at + 2 * m]
        c = w[at + 2 * m : at + 3 * m]
        d = w[at + 3 * m : at + 4 * m]
        for j in range(m):
            out[j] += (p * a[j] + q * b[j]) + (r * c[j] + t * d[j])


def copy_to(w: Narrow, begin: int, out: Narrow, m: int) -> None:
    a = w[begin : begin + m]
    for j in range(m):
        out[j] = a[j]


def rectify(x: Narrow, m: int) -> None:
    for j in range(m):
        x[j] = max(x[j], NOTHING)


def average(x: Narrow, out: Narrow) -> None:
    """The mean over the hexes of a board."""
    for j in range(WIDTH):
        out[j] = NOTHING
    for h in range(HEXES):
        a = x[h * WIDTH : (h + 1) * WIDTH]
        for j in range(WIDTH):
            out[j] += a[j]
    for j in range(WIDTH):
        out[j] *= A_HEX


def gather(boards: int, x: Narrow, means: Narrow, both: Narrow, w: Narrow, at: int, bias: int) -> None:
    """The next token of the last one, which `both` begins with, and of the average of the boards; each board's average is
    kept in `means`."""
    share = np.float32(1.0) / np.float32(boards)
    held = both[TOKEN : TOKEN + WIDTH]
    for j in range(WIDTH):
        held[j] = NOTHING
    for k in range(boards):
        mean = means[k * WIDTH : (k + 1) * WIDTH]
        average(x[k * HEXES * WIDTH : (k + 1) * HEXES * WIDTH], mean)
        for j in range(WIDTH):
            held[j] += mean[j] * share
    made = both[TOKEN + WIDTH : 2 * TOKEN + WIDTH]
    copy_to(w, bias, made, TOKEN)
    add_product(both, TOKEN + WIDTH, w, at, made, TOKEN)
    rectify(made, TOKEN)
    for j in range(TOKEN):
        both[j] = made[j]


def begin_hexes(g: Ground, seen: Seen, tiles: Codes, both: Narrow, x: Narrow, w: Narrow) -> None:
    """The first numbers of each hex: sums of columns."""
    shared = both[TOKEN : TOKEN + WIDTH]
    for k in range(g[layout.BOARDS]):
        copy_to(w, AT[BOARD_BIAS], shared, WIDTH)
        add_product(both, TOKEN, w, AT[BOARD_TOKEN], shared, WIDTH)
        add_product(seen.board[k * BOARD_IN : (k + 1) * BOARD_IN], BOARD_IN, w, AT[BOARD_AT], shared, WIDTH)
        for h in range(HEXES):
            i = k * HEXES + h
            out = x[i * WIDTH : (i + 1) * WIDTH]
            at = AT[STANDS_AT] + seen.stands[i] * WIDTH
            stands = w[at : at + WIDTH]
            at = AT[TILES_AT] + tiles[i] * WIDTH
            tile = w[at : at + WIDTH]
            at = AT[HEXES_AT] + h * WIDTH
            here = w[at : at + WIDTH]
            for j in range(WIDTH):
                out[j] = (shared[j] + stands[j]) + (tile[j] + here[j])
            add_product(seen.reached[i * HEX_IN : (i + 1) * HEX_IN], HEX_IN, w, AT[REACHED], out, WIDTH)
            rectify(out, WIDTH)


def layer(number: int, around: Codes, bias: Narrow, x: Narrow, y: Narrow, w: Narrow) -> None:
    """A board through a layer, into y."""
    for h in range(HEXES):
        out = y[h * WIDTH : (h + 1) * WIDTH]
        copy_to(bias, 0, out, WIDTH)
        for tap in range(TAPS):
            n = around[h * TAPS + tap]
            if n >= 0:
                at = AT[LAYERS_AT] + (number * TAPS + tap) * WIDTH * WIDTH
                add_product(x[n * WIDTH : (n + 1) * WIDTH], WIDTH, w, at, out, WIDTH)
        own = x[h * WIDTH : (h + 1) * WIDTH]
        for j in range(WIDTH):
            out[j] = own[j] + max(out[j], NOTHING)


def encode(g: Ground, seen: Seen, place: Place, side: int, w: Narrow, said: Said) -> None:
    """All that the network says of a position."""
    boards = g[layout.BOARDS]
    wide = HEXES * WIDTH
    x = said.room[: boards * wide]
    y = said.room[boards * wide : 2 * boards * wide]
    means = said.room[2 * boards * wide : 2 * boards * wide + boards * WIDTH]
    rest = 2 * boards * wide + boards * (WIDTH + TOKEN)
    both = said.room[rest : rest + 2 * TOKEN + WIDTH]  # the token, then an average or what boards are given, then room
    bias = said.room[rest + 2 * TOKEN + WIDTH : rest + 2 * TOKEN + 2 * WIDTH]
    copy_to(w, AT[TOKEN_BIAS], both, TOKEN)
    add_product(seen.token, TOKEN_IN, w, AT[TOKEN_AT], both, TOKEN)
    rectify(both, TOKEN)
    tiles = place.tiles[side * boards * HEXES : (side + 1) * boards * HEXES]
    begin_hexes(g, seen, tiles, both, x, w)
    for number in range(LAYERS):
        half = number == LAYERS // 2
        if half:
            gather(boards, x, means, both, w, AT[MIDDLE_TOKEN], AT[MIDDLE_TOKEN_BIAS])
        for k in range(boards):
            copy_to(w, AT[LAYER_BIAS] + number * WIDTH, bias, WIDTH)
            if half:
                add_product(both, TOKEN, w, AT[MIDDLE_BOARD], bias, WIDTH)
                mean = means[k * WIDTH : (k + 1) * WIDTH]
                add_product(mean, WIDTH, w, AT[MIDDLE_BOARD] + TOKEN * WIDTH, bias, WIDTH)
            layer(number, place.around, bias, x[k * wide : (k + 1) * wide], y[k * wide : (k + 1) * wide], w)
        x, y = y, x
    gather(boards, x, means, both, w, AT[END_TOKEN], AT[END_TOKEN_BIAS])
    about = both[TOKEN + WIDTH : 2 * TOKEN + WIDTH]
    for k in range(boards):
        copy_to(w, AT[END_BOARD_BIAS], about, TOKEN)
        add_product(both, TOKEN, w, AT[END_BOARD], about, TOKEN)
        add_product(means[k * WIDTH : (k + 1) * WIDTH], WIDTH, w, AT[END_BOARD] + TOKEN * TOKEN, about, TOKEN)
        rectify(about, TOKEN)
        reported = said.boards[k * BOARD_OUT : (k + 1) * BOARD_OUT]
        copy_to(w, AT[BOARD_OUT_BIAS], reported, BOARD_OUT)
        add_product(about, TOKEN, w, AT[BOARD_OUT_AT], reported, BOARD_OUT)
        first = said.hexes[k * HEXES * HEX_OUT : k * HEXES * HEX_OUT + HEX_OUT]
        copy_to(w, AT[HEX_BIAS], first, HEX_OUT)
        add_product(about, TOKEN, w, AT[HEX_BOARD], first, HEX_OUT)
        for h in range(HEXES - 1, -1, -1):  # the first hex last: it holds what all begin with
            i = k * HEXES + h
            out = said.hexes[i * HEX_OUT : (i + 1) * HEX_OUT]
            if h > 0:
                copy_to(first, 0, out, HEX_OUT)
            add_product(x[i * WIDTH : (i + 1) * WIDTH], WIDTH, w, AT[HEX_OUT_AT], out, HEX_OUT)


def look(g: Ground, s: State, threat: Stream, place: Place, seen: Seen, w: Narrow, said: Said, task: int) -> None:
    """A task: WHOLE sees what boards share, from 0 on that board, ENCODE says what there is to say of what was seen."""
    if task == ENCODE:
        encode(g, seen, place, s[layout.SIDE], w, said)
    elif task == WHOLE:
        see_whole(g, s, place.cards, seen)
    else:
        see_board(g, s, task, threat, seen)


WHOLE, ENCODE = -1, -2  # tasks beside the numbers of boards


@cache
def looker(shape: Shape, target: str = "cpu") -> Callable[..., Any]:
    """The kernels for a shape, ready to call."""
    return specialise(look, shape.names(), target=target, label="minions prophet")


# ---------------------------------------------------------------------------------------------- for those who call it


def cells_of(s: State, k: int) -> Codes:
    """The cells of a board."""
    at = layout.board_of(k) + layout.CELL
    return s[at : at + HEXES]


def of_side(cells: Codes, side: int) -> NDArray[np.bool_]:
    """Where a side's units stand."""
    return (cells != 0) & ((cells >> layout.SIDE_SHIFT) & 1 == side)
