"""The drawing of bidding games: the base game's board, both purses, who holds the marker, and optimal bids as bars."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from stratagem.contract.companions.drawing import Drawing
from stratagem.contract.game import ArrayPosition
from stratagem.drawing import INK, LINE, SEAT_COLOURS, label, moving, part, picture, tag
from stratagem.games.bidding.kernels import BID, BIDS, CHOOSE, FLIP, HOLDER, MOVE, PHASE, PURSE, TIE, WHO
from stratagem.plans.bid import COIN

if TYPE_CHECKING:
    from stratagem.games.bidding.game import Bidding

Mixture = Mapping[int, float]  # bids with their probabilities
WIDEST = 24  # cells of a bar in the terminal
BOX, GAP = 38, 6  # of the bids that can be clicked: a finger's breadth on a telephone
MEANING = {
    0: "wins the next tie, then hands ★ on",
    1: "may take a tie, then hands ★ on",
    3: "wins every tie",
}
HOLDING = {0: "holds the marker", 1: "holds the token", 3: "wins ties"}


def situation(game: Bidding, position: ArrayPosition) -> str:
    """What is going on, in words."""
    s = position.state
    if position.over:
        return game.outcome(position)
    if s[PHASE] == BIDS:
        return "both bid"
    if s[PHASE] == TIE:
        return f"both bid {s[BID]}: {game.seats[s[HOLDER]]} takes the tie or leaves it"
    if s[PHASE] == FLIP:
        return f"both bid {s[BID]}: a coin decides"
    return f"{game.seats[s[WHO]]} {'chooses who moves' if s[PHASE] == CHOOSE else 'moves'}"


def purse_line(game: Bidding, position: ArrayPosition) -> str:
    s = position.state
    rows = []
    for p in (0, 1):
        holds = f"  * {HOLDING[game.tie]}" if game.tie != COIN and s[HOLDER] == p else ""
        rows.append(f"{game.seats[p]:>8} {s[PURSE + p]:4} chips{holds}")
    return "\n".join([*rows, f"{'':8} {situation(game, position)}"])


def bars(game: Bidding, mixtures: Sequence[Mixture]) -> str:
    """Optimal bids for the terminal: one bar a bid, as long as it is likely."""
    rows = []
    for p, mixture in enumerate(mixtures):
        for bid, chance in mixture.items():
            rows.append(f"{game.seats[p]:>8} bids {bid:4} {'█' * max(round(chance * WIDEST), 1)} {chance:.1%}")
    return "\n".join(rows)


def draw(game: Bidding, position: ArrayPosition, mixtures: Sequence[Mixture] = (), bids: Sequence[int] = ()) -> str:
    """The picture; in an auction each possible bid of up to 20 chips can be clicked, `mixtures` become bars, and `bids` are
    those that both have just turned over."""
    s = position.state
    board = Drawing.of(game.base).draw(game.base_position(position))
    if position.over or s[PHASE] != MOVE:
        board = re.sub(
            r' data-part="', ' data-at="', board
        )  # nobody moves on the board now, and cells keep their names
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', board)
    width, height = (float(size[1]), float(size[2])) if size else (240.0, 240.0)
    inner = re.sub(
        r'(<svg [^>]*?)width="[^"]*" height="[^"]*"',
        rf'\1x="0" y="0" width="{width:g}" height="{height:g}"',
        board,
        count=1,
    ).replace(' role="img"', "", 1)  # it is a part of a picture, with parts that can be chosen
    content = [inner]
    full = max(width, 320.0)
    y = height + 24
    most = max(int(s[PURSE]), int(s[PURSE + 1]), 1)
    step = min(12.0, (full - 160) / most)
    for p in (0, 1):
        colour = SEAT_COLOURS[p]
        content.append(label(f"{game.seats[p]}: {s[PURSE + p]}", 16, y, 14, "start"))
        for k in range(int(s[PURSE + p])):
            if step >= 2:
                radius = min(5.0, step * 0.45)
                chip = tag("circle", cx=120 + step * k, cy=y, r=radius, fill=colour, stroke=INK, stroke_width=0.5)
                inner_ring = tag("circle", cx=120 + step * k, cy=y, r=radius / 2, fill="none", stroke="#ffffff")
                content.append(moving("chip", chip + inner_ring))
        if step < 2:
            content.append(tag("rect", x=114, y=y - 5, width=float(s[PURSE + p]) * step, height=10, fill=colour))
        if game.tie != COIN and s[HOLDER] == p:
            content.append(
                tag("rect", x=full - 34, y=y - 9, width=18, height=18, rx=3, fill=INK)
                + label("★", full - 25, y, 13, fill="#ffffff")
            )
        y += 26
    content.append(label(situation(game, position), 16, y, 14, "start"))
    y += 24
    if game.tie != COIN and not position.over:
        content.append(label(f"★ {game.seats[s[HOLDER]]} {MEANING[game.tie]}", 16, y, 13, "start"))
        y += 24
    if bids:
        for p, bid in enumerate(bids):
            x = 16 + p * (full - 32) / 2
            card = tag(
                "rect", x=x, y=y - 12, width=64, height=56, rx=6, fill="#ffffff", stroke=SEAT_COLOURS[p], stroke_width=4
            )
            words = label(f"{game.seats[p]} bids", x + 74, y + 16, 14, "start")
            content.append(moving(f"bid {p}", card + label(str(bid), x + 32, y + 16, 24)) + words)
        y += 56
    elif not position.over and s[PHASE] == BIDS:
        top = min(20, most)
        across = int((full - 32 + GAP) // (BOX + GAP))  # boxes in a row
        for bid in range(top + 1):
            row, column = divmod(bid, across)
            x, middle = 16 + column * (BOX + GAP), y + BOX / 4 + row * (BOX + GAP)
            box = tag("rect", x=x, y=middle - BOX / 2, width=BOX, height=BOX, rx=3, fill="#ffffff", stroke=LINE)
            content.append(part(str(bid), box + label(str(bid), x + BOX / 2, middle, 16), f"bid {bid}"))
        y += (top // across + 1) * (BOX + GAP)
    elif not position.over and s[PHASE] != MOVE:
        choices = ("take", "leave") if s[PHASE] == TIE else game.seats
        for k, text in enumerate(choices):
            box = tag("rect", x=16 + 96 * k, y=y - 10, width=88, height=BOX, rx=3, fill="#ffffff", stroke=LINE)
            content.append(part(text, box + label(text, 60 + 96 * k, y - 10 + BOX / 2, 15), text))
        y += BOX + GAP
    for p, mixture in enumerate(mixtures):
        for bid, chance in mixture.items():
            content.append(label(f"{game.seats[p]} bids {bid}", 16, y, 12, "start"))
            content.append(
                tag("rect", x=110, y=y - 7, width=max(chance * (full - 190), 1.0), height=14, fill=SEAT_COLOURS[p])
            )
            content.append(label(f"{chance:.1%}", full - 16, y, 12, "end"))
            y += 20
    return picture(full, y, game.title, f"{game.title}: {position}", content)
