"""The drawing of Risk: a map of our own, who holds what with how many armies, cards, arrows, and values as heat.

A territory is filled with its owner's colour and hatched in the owner's pattern; its badge has the owner's letter and
the number of armies, so that colour is never needed. Continents have a hue each, as a rim of their coast and as the
fill of territories that nobody owns yet. Dashed lines are sea routes; the one that leaves the map joins Alaska and
Kamchatka. `data-place` names a territory or a card of the viewer's hand (`alaska`, `wild1`), `data-part` a whole move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from math import atan2, cos, hypot, pi, sin
from typing import TYPE_CHECKING

from stratagem.drawing import BLACK, INK, SEAT_COLOURS, die, label, part, picture, spot, tag
from stratagem.games.risk import dice
from stratagem.games.risk import kernels as k
from stratagem.games.risk.atlas import (
    BONUS,
    CONTINENT,
    CONTINENT_NAMES,
    CONTINENTS,
    IDS,
    LETTERS,
    NAMES,
    NEUTRAL_LETTER,
    SYMBOLS,
    TERRITORIES,
    territory,
)
from stratagem.games.risk.dice import Roll
from stratagem.games.risk.map_shapes import COLUMNS, ROWS, Point, centres, outlines, sea_routes
from stratagem.games.risk.telling import chance_of

if TYPE_CHECKING:
    from stratagem.games.risk.game import RiskPosition

WIDTH = 600.0
EDGE, HEAD = 5.0, 34.0
STEP_X, STEP_Y = (WIDTH - 2 * EDGE) / COLUMNS, 14.6
FOOT = HEAD + STEP_Y * ROWS + 6  # where the map ends
DIE = 25.0  # of a die, with what is between two
ROW = 24.0  # height of a seat's line below it
SEA_FILL = "#e3eef4"
COLOURS = (*SEAT_COLOURS[:6], "#8a8a8a")  # the seats', then neutral's
TINTS = ("#8cc3e3", "#f6cf7f", "#7fd0b5", "#e9bfd5", "#c9e8fa", "#eda67a", "#d0d0d0")
INKS = ("#ffffff", BLACK, "#ffffff", BLACK, BLACK, "#ffffff", "#ffffff")  # on the colours
RIMS = ("#846600", "#9b3d1f", "#3b5fae", "#7a4b1e", "#3f7d3a", "#7d3f98")  # of the continents
FREE = ("#f6ecc4", "#f3d3c4", "#d5def3", "#ead8c5", "#d7ead2", "#e8d8ef")
HEAT = ("#f8f3fb", "#e4d6ef", "#c9aee0", "#a97fcc", "#8650b2", "#5f258f")  # from least to most
ARROWS = {"attack": "#a3180a", "move": "#1b1b1b"}

MOST_BUTTONS = 7  # numbers of armies that can be clicked; any number can be typed

# Names as they stand on the map where they are not in one line: `/` between lines.
WRITTEN = {
    "northwest_territory": "Northwest/Territory",
    "western_united_states": "Western/US",
    "eastern_united_states": "Eastern/US",
    "central_america": "Central/America",
    "great_britain": "Great/Britain",
    "scandinavia": "Scandi-/navia",
    "northern_europe": "Northern/Europe",
    "western_europe": "Western/Europe",
    "southern_europe": "Southern/Europe",
    "north_africa": "North/Africa",
    "east_africa": "East/Africa",
    "south_africa": "South/Africa",
    "middle_east": "Middle/East",
    "afghanistan": "Afghan-/istan",
    "new_guinea": "New/Guinea",
    "western_australia": "Western/Australia",
    "eastern_australia": "Eastern/Australia",
    "madagascar": "Mada-/gascar",
}
# Continents' names with their bonuses, in the sea beside them: the middle of the lines, in cells.
TITLES = ((11.9, 16.6), (12.4, 30.6), (21.9, 0.9), (30.4, 26.0), (28.2, 0.9), (40.9, 22.0))
# Sea routes that would run over a third territory between the middles of their two: where they start and end instead.
PORTS = {
    ("greenland", "ontario"): ((9.4, 6.9), (14.6, 4.6)),
    ("southern_europe", "north_africa"): ((21.2, 16.6), (17.0, 19.4)),
}


@dataclass(frozen=True)
class Arrow:
    """An attack or a move to be shown."""

    start: int
    end: int
    text: str = ""
    kind: str = "attack"


@dataclass(frozen=True)
class SeatView:
    """What everybody may know of a seat."""

    letter: str
    territories: int
    armies: int
    words: str = ""  # income, armies still to place
    cards: int = 0
    out: bool = False


@dataclass(frozen=True)
class Scene:
    """All that a drawing shows, free of how a state is stored."""

    owners: Sequence[int]  # a seat, the number of seats for neutral, or -1
    armies: Sequence[int]
    seats: Sequence[SeatView]
    headline: str
    to_move: int | None = None
    hand: Sequence[int] = ()  # cards of the seat that looks: territories, then two wild ones
    hand_words: str = ""
    arrows: Sequence[Arrow] = ()
    marked: Sequence[int] = ()  # territories that the decision is about
    heat: Mapping[int, float] = field(default_factory=dict)  # chances, by territories
    heat_words: str = ""
    buttons: Sequence[
        tuple[str, str, str]
    ] = ()  # moves that no territory stands for: text, what is shown, what it does
    roll: tuple[Roll, str] | None = None  # dice just rolled, and what they did


def scene_of(position: RiskPosition, heat: Mapping[int, float] | None = None, heat_words: str = "") -> Scene:
    """What a position shows; the hand is that of the seat whose view it is, or, in a true position, of the seat to play."""
    game, s = position.game, position.state
    phase, player = int(s[k.PHASE]), int(s[k.PLAYER])
    owners = [int(x) for x in s[k.OWNER : k.OWNER + TERRITORIES]]
    armies = [int(x) for x in s[k.ARMIES : k.ARMIES + TERRITORIES]]
    looking = player if position.seat is None else position.seat
    hand = [c for c in range(k.DECK) if looking >= 0 and s[k.CARD + c] == k.HAND + looking]
    pair = [int(s[k.FROM]), int(s[k.TO])]
    about = {k.ADD: pair[:1], **dict.fromkeys((k.HOW, k.DEFEND, k.ROLL, k.OCCUPY, k.SHIFT), pair)}.get(phase, [])
    arrows = []
    if len(about) == 2:
        text = f"{s[k.DICE]}" if phase in (k.DEFEND, k.ROLL) else ""
        arrows.append(Arrow(pair[0], pair[1], text, "move" if phase in (k.OCCUPY, k.SHIFT) else "attack"))
    elif phase == k.ATTACK and (battle := _last_battle(position)):
        arrows.append(battle)
    seats = [_seat(position, p, owners, armies) for p in range(game.players)]
    if game.players in owners:
        held = [armies[t] for t in range(TERRITORIES) if owners[t] == game.players]
        seats.append(SeatView(NEUTRAL_LETTER, len(held), sum(held), "neutral"))
    worth = (
        f"the next set is worth {k.escalated(int(s[k.SETS]) + 1)}"
        if game["cards"] == "escalating"
        else "sets are worth 4 to 10"
    )
    deciding = None if position.over else position.turn if position.turn >= 0 else player
    return Scene(
        owners,
        armies,
        seats,
        _headline(position, pair),
        deciding,
        hand=hand,
        hand_words=f"{LETTERS[looking]}'s cards; {worth}" if hand else "",
        arrows=arrows,
        marked=about,
        heat=heat or {},
        heat_words=heat_words if heat else "",
        buttons=_buttons(position),
        roll=_last_roll(position),
    )


def _last_battle(position: RiskPosition) -> Arrow | None:
    """The attack that the last roll belonged to, with what it cost either side, as long as nothing else has happened."""
    if not position.history or not position.history[-1].startswith("lost "):
        return None
    pair = next((text for text in reversed(position.history) if ">" in text), None)
    if pair is None:  # the record begins in the middle of it
        return None
    start, end = (IDS.index(name) for name in pair.split(">"))
    return Arrow(start, end, "{}:{}".format(*dice.losses(position.history[-1])))


def _last_roll(position: RiskPosition) -> tuple[Roll, str] | None:
    """The dice that were just rolled, as far as the record tells them, and what they did, in words."""
    last = position.history[-1] if position.history else ""
    roll = dice.of(last)
    if roll is None:
        return None
    return roll, "rolled {} against {}: the attacker lost {}, the defender {}".format(
        *(" ".join(map(str, side)) for side in roll), *dice.losses(last)
    )


def _seat(position: RiskPosition, p: int, owners: Sequence[int], armies: Sequence[int]) -> SeatView:
    s = position.state
    placing = int(s[k.LEFT + p])
    in_play = s[k.PICKS] == TERRITORIES and not placing
    own = [t for t in range(TERRITORIES) if owners[t] == p]
    words = f"+{k.reinforcement(s, p)} a turn" if in_play else f"{placing} to place" if placing else ""
    return SeatView(LETTERS[p], len(own), sum(armies[t] for t in own), words, int(s[k.HELD + p]), in_play and not own)


def headline(position: RiskPosition) -> str:
    """What is being decided, in a line."""
    return _headline(position, [int(position.state[k.FROM]), int(position.state[k.TO])])


def _headline(position: RiskPosition, pair: Sequence[int]) -> str:
    """What is being decided, in a line."""
    game, s = position.game, position.state
    phase, who = int(s[k.PHASE]), LETTERS[int(s[k.PLAYER])]
    if position.over:
        return game.outcome(position).partition(":")[0].capitalize()  # how each stands is said below the map
    start, end = (NAMES[t] for t in pair)
    if phase < k.TRADE:
        setup = {k.DEALING: "The territories are dealt", k.CLAIM: f"Draft, pick {int(s[k.PICKS]) + 1} of 42: {who}"}
        return setup.get(phase, f"Placing: {who}, " + ("a neutral army" if s[k.STEP] == 2 else "an own army"))
    reported = phase == k.ATTACK and _last_battle(position) and not _last_roll(position)  # dice that are drawn say it
    rolled = "; the last roll cost {} and {}".format(*dice.losses(position.history[-1])) if reported else ""
    words = {
        k.TRADE: f"{who} trades a set of cards" + (" or keeps them" if s[k.HELD + s[k.PLAYER]] < 5 else ""),
        k.CHOOSE_BONUS: f"{who}: which territory on the cards takes 2 armies?",
        k.REINFORCE: f"{who} has {s[k.POOL]} armies to place",
        k.ADD: f"{who}: how many of {s[k.POOL]} on {start}?",
        k.ATTACK: f"{who} attacks, or stops{rolled}",
        k.HOW: f"{who}: {start} attacks {end}",
        k.DEFEND: f"{start} attacks {end} with {s[k.DICE]} dice",
        k.ROLL: f"{start} attacks {end}, {s[k.DICE]} dice to {s[k.DEFENCE]}",
        k.OCCUPY: f"{who} took {end}: how many move in?",
        k.FORTIFY: f"{who} moves armies once, or ends",
        k.SHIFT: f"{who}: how many from {start} to {end}?",
        k.DRAW: f"{who} draws a card",
    }
    return f"Turn {s[k.TURN]}: {words[phase]}"


def _buttons(position: RiskPosition) -> list[tuple[str, str, str]]:
    """The moves of a decision that no territory or card stands for."""
    if position.turn < 0 or position.seat not in (None, position.turn) or not position.trade_known:
        return []
    moves = [move for move in position.moves() if ">" not in move and "+" not in move and move not in IDS]
    if all(move.isdecimal() for move in moves) and len(moves) > MOST_BUTTONS:
        moves = [*moves[: MOST_BUTTONS - 2], moves[len(moves) // 2], moves[-1]]
    rolls = [move for move in moves if not move.startswith("until")]
    untils = [move for move in moves if move.startswith("until")]
    meanings = {"stop": "stop attacking", "end": "end the turn", "keep": "trade nothing"}
    found = [(move, move, meanings.get(move, move)) for move in rolls]
    for move in untils[:3]:
        chance = chance_of(position, move) or 0.0
        said = f"{move}: always the most dice, until so many armies are left; takes it with {chance:.0%}"
        found.append((move, f"{move} ({chance:.0%})", said))
    return found


def draw(scene: Scene) -> str:
    below, height = _below(scene)
    content = [
        _patterns(),
        label(scene.headline, 10, 17, 16, "start", font_weight="bold"),
        tag("rect", x=0, y=HEAD, width=WIDTH, height=FOOT - HEAD, fill=SEA_FILL),
        *_rims(),
        *_routes(),
        *(_land(scene, t) for t in range(TERRITORIES)),
        *_titles(),
        *(_badge(scene, t) for t in range(TERRITORIES)),
        *(_arrow(arrow) for arrow in scene.arrows),
        *_dice(scene),
        *below,
    ]
    return picture(WIDTH, height, "Risk", _describe(scene), content)


def _at(point: Point) -> Point:
    return EDGE + STEP_X * point[0], HEAD + STEP_Y * point[1]


def _centre(t: int) -> Point:
    return _at(centres()[t])


@cache
def _path(t: int) -> str:
    """The outline as a closed path."""
    points = [_at(point) for point in outlines()[t]]
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "Z"


def _letter(scene: Scene, side: int) -> str:
    return scene.seats[side].letter if side < len(scene.seats) else NEUTRAL_LETTER


def _counted(n: int, one: str, more: str) -> str:
    return f"{n} {one if n == 1 else more}"


def _paint(scene: Scene, side: int) -> int:
    """The place of a side in the tables of colours."""
    return len(COLOURS) - 1 if _letter(scene, side) == NEUTRAL_LETTER else side


def _patterns() -> str:
    """One hatching a side: they differ in direction and form, not in colour alone."""
    forms = (
        "",  # A: plain
        "M0 8L8 0M-2 2L2 -2M6 10L10 6",
        "M0 0L8 8M-2 6L2 10M6 -2L10 2",
        "M0 4H8",
        "M4 0V8",
        "M0 4H8M4 0V8",
        "M2 2h1.6v1.6h-1.6zM6 6h1.6v1.6h-1.6z",
    )
    made = []
    for i, form in enumerate(forms):
        body = tag("rect", width=8, height=8, fill=TINTS[i])
        if form:
            body += tag("path", d=form, stroke=COLOURS[i], stroke_width=1.1, fill="none", opacity=0.75)
        made.append(tag("pattern", body, id=f"risk-{i}", width=8, height=8, patternUnits="userSpaceOnUse"))
    return tag("defs", made)


def _rims() -> list[str]:
    """Each continent's coast in its hue, under the land."""
    return [
        tag(
            "path",
            d="".join(_path(t) for t in _lands(c)),
            fill="none",
            stroke=RIMS[c],
            stroke_width=7,
            stroke_linejoin="round",
            opacity=0.55,
        )
        for c in range(CONTINENTS)
    ]


def _lands(c: int) -> list[int]:
    return [t for t in range(TERRITORIES) if CONTINENT[t] == c]


def _routes() -> list[str]:
    found = []
    dashes = {"stroke": "#4d6f86", "stroke_width": 1.8, "stroke_dasharray": "4 3", "fill": "none"}
    wrap = {territory("alaska"), territory("kamchatka")}
    for a, b in sea_routes():
        (xa, ya), (xb, yb) = _centre(a), _centre(b)
        if {a, b} == wrap:
            found += [tag("path", d=f"M{xa:.1f} {ya:.1f}H0M{xb:.1f} {yb:.1f}H{WIDTH:g}", **dashes)]
            continue
        ports = PORTS.get((IDS[a], IDS[b]))
        if ports:
            (xa, ya), (xb, yb) = _at(ports[0]), _at(ports[1])
        found.append(tag("path", d=f"M{xa:.1f} {ya:.1f}L{xb:.1f} {yb:.1f}", **dashes))
    return found


def _titles() -> list[str]:
    found = []
    for c, at in enumerate(TITLES):
        *first, last = CONTINENT_NAMES[c].split()
        x, y = _at(at)
        found += [
            label(line, x, y + 13 * i, 12.5, fill=RIMS[c], font_weight="bold")
            for i, line in enumerate([*first, f"{last} +{BONUS[c]}"])
        ]
    found.append(label("⇠ Kamchatka", *_at((0.1, 1.0)), 11, "start", fill="#33546a"))
    found.append(label("Alaska ⇢", *_at((43.9, 1.0)), 11, "end", fill="#33546a"))
    return found


def _land(scene: Scene, t: int) -> str:
    """A territory's shape."""
    side = scene.owners[t]
    if t in scene.heat:
        fill = _heat_fill(scene, t)
    elif side < 0:
        fill = FREE[int(CONTINENT[t])]
    else:
        fill = f"url(#risk-{_paint(scene, side)})"
    return tag(
        "path",
        d=_path(t),
        fill=fill,
        stroke=INK if t in scene.marked else "#5d5a52",
        stroke_width=3 if t in scene.marked else 0.9,
        stroke_linejoin="round",
    )


def _heat_fill(scene: Scene, t: int) -> str:
    least, most = min(scene.heat.values()), max(scene.heat.values())
    share = (scene.heat[t] - least) / (most - least) if most > least else 0.5
    return HEAT[min(int(share * len(HEAT)), len(HEAT) - 1)]


def _haloed(text: str, x: float, y: float, size: float, fill: str = INK, weight: str | None = None) -> str:
    """Text that reads on any ground."""
    rim = {"stroke": "#ffffff", "stroke_width": 2.8, "stroke_linejoin": "round", "paint_order": "stroke"}
    return label(text, x, y, size, "middle", fill, font_weight=weight, **rim)


def _badge(scene: Scene, t: int) -> str:
    """A territory's name and armies, and over them its shape again, unseen, to be clicked."""
    x, y = _centre(t)
    side, armies = scene.owners[t], scene.armies[t]
    lines = WRITTEN.get(IDS[t], NAMES[t]).split("/")
    top = y - (12.5 * len(lines) + 19) / 2
    shown = "".join(_haloed(line, x, top + 6 + 12.5 * i, 12.6) for i, line in enumerate(lines))
    middle = top + 12.5 * len(lines) + 10.5
    if side >= 0:
        i = _paint(scene, side)
        number = str(armies)
        wide = 21 + 9.3 * len(number)
        pill = {"x": x - wide / 2, "y": middle - 9.5, "width": wide, "height": 19, "rx": 9.5}
        badge = tag("rect", fill=COLOURS[i], stroke=INK, stroke_width=1, **pill)
        badge += label(_letter(scene, side), x - wide / 2 + 9.5, middle + 0.5, 11.5, fill=INKS[i])
        badge += label(number, x + wide / 2 - 6, middle + 0.5, 15.5, "end", fill=INKS[i], font_weight="bold")
        shown += spot(IDS[t], badge)
    elif t in scene.heat:
        shown += tag(
            "rect", x=x - 17, y=middle - 8.5, width=34, height=17, rx=3, fill="#ffffff", stroke=INK, stroke_width=0.8
        )
        shown += label(f"{scene.heat[t]:.0%}", x, middle + 0.5, 12.5, font_weight="bold")
    said = f"{NAMES[t]}, {CONTINENT_NAMES[CONTINENT[t]]}: " + (
        "free" if side < 0 else f"{_letter(scene, side)}, {_counted(armies, 'army', 'armies')}"
    )
    if t in scene.heat:
        said += f", {scene.heat[t]:.1%}"
    cover = tag("path", d=_path(t), fill="#ffffff", fill_opacity=0)
    return tag("g", tag("title", escape(said)) + cover + shown, data_place=IDS[t])


def _arrow(arrow: Arrow) -> str:
    """From badge to badge, bent a little, so that an attack and its answer do not lie on each other."""
    (xa, ya), (xb, yb) = _centre(arrow.start), _centre(arrow.end)
    colour = ARROWS[arrow.kind]
    names = {IDS[arrow.start], IDS[arrow.end]}
    if names == {"alaska", "kamchatka"}:  # the short way leaves the map
        edge, side = (WIDTH, 1) if xa > xb else (0.0, -1)
        out = _shaft((xa + 10 * side, ya), (edge, ya), colour, "")
        return out + _shaft((WIDTH - edge, yb), (xb - 14 * side, yb), colour, arrow.text)
    return _shaft((xa, ya), (xb, yb), colour, arrow.text, bend=0.12)


def _shaft(start: Point, end: Point, colour: str, text: str, bend: float = 0.0) -> str:
    (xa, ya), (xb, yb) = start, end
    far = hypot(xb - xa, yb - ya)
    if far < 1:
        return ""
    # the control point of the bent line, and its direction at the head
    mx, my = (xa + xb) / 2 + bend * (ya - yb), (ya + yb) / 2 + bend * (xb - xa)
    way = atan2(yb - my, xb - mx)
    leave = atan2(my - ya, mx - xa)
    if far > 46:  # from the rim of a badge to the rim of a badge
        xa, ya = xa + 16 * cos(leave), ya + 16 * sin(leave)
    gap = 17 if far > 46 else 4
    hx, hy = xb - gap * cos(way), yb - gap * sin(way)
    head = " ".join(f"{hx - 12 * cos(way + turn):.1f},{hy - 12 * sin(way + turn):.1f}" for turn in (-pi / 7, pi / 7))
    line = tag(
        "path",
        d=f"M{xa:.1f} {ya:.1f}Q{mx:.1f} {my:.1f} {hx - 8 * cos(way):.1f} {hy - 8 * sin(way):.1f}",
        fill="none",
        stroke="#ffffff",
        stroke_width=6.5,
        opacity=0.85,
    )
    line += line.replace('stroke="#ffffff"', f'stroke="{colour}"').replace('stroke-width="6.5"', 'stroke-width="3.4"')
    line += tag("polygon", points=f"{hx:.1f},{hy:.1f} {head}", fill=colour, stroke="#ffffff", stroke_width=1)
    if text:
        x, y = (xa + 2 * mx + xb) / 4, (ya + 2 * my + yb) / 4
        line += _haloed(text, x, y, 13, colour, "bold")
    return tag("g", line, pointer_events="none")


def _dice(scene: Scene) -> list[str]:
    """The dice just rolled, in the upper corner: the attacker's, then the defender's; those that lost are pale."""
    if scene.roll is None:
        return []
    roll, words = scene.roll
    found, x = "", WIDTH - 8 - DIE * (len(roll.attack) + len(roll.defence)) - 12
    lost = [a <= d for a, d in zip(roll.attack, roll.defence, strict=False)]
    for side, (faces, loses) in enumerate(((roll.attack, lost), (roll.defence, [not one for one in lost]))):
        for i, face in enumerate(faces):
            pale = 0.45 if i < len(loses) and loses[i] else None
            shown = die(face, x, 5, DIE - 3)
            under = tag(
                "rect", x=x, y=5 + DIE - 1, width=DIE - 3, height=3, fill=ARROWS["attack" if side == 0 else "move"]
            )
            found += tag("g", shown + under, opacity=pale)
            x += DIE
        x += 12
    return [tag("g", tag("title", escape(words)) + found)]


def _below(scene: Scene) -> tuple[list[str], float]:
    """The seats, the hand, the moves that no territory stands for; and the height of the whole."""
    found = []
    y = FOOT + 16
    for i, seat in enumerate(scene.seats):
        x = 8 + (WIDTH - 16) / 2 * (i % 2)
        found.append(_seat_line(scene, i, seat, x, y + ROW * (i // 2)))
    y += ROW * -(-len(scene.seats) // 2)
    if scene.heat_words:
        found += _scale(scene, y)
        y += ROW
    if scene.hand or scene.hand_words:
        found.append(label(scene.hand_words, 10, y, 13, "start"))
        y += 14
        found += [_card(card, 10 + 72.0 * (i % 8), y + 68.0 * (i // 8)) for i, card in enumerate(scene.hand)]
        y += 68 * -(-len(scene.hand) // 8) + 10
    x = 10.0
    for text, shown, describe in scene.buttons:
        wide = max(14 + 7.6 * len(shown), 38)
        box = tag("rect", x=x, y=y - 8, width=wide, height=38, rx=5, fill="#ffffff", stroke=INK)
        found.append(part(text, box + label(shown, x + wide / 2, y + 11, 14.5), describe))
        x += wide + 6
    y += 42  # also where there are none, so that the map keeps its size
    return found, y + 2


def _seat_line(scene: Scene, side: int, seat: SeatView, x: float, y: float) -> str:
    i = _paint(scene, side)
    fill = f"url(#risk-{i})"
    box = tag(
        "rect",
        x=x,
        y=y - 9,
        width=26,
        height=18,
        rx=3,
        fill=fill,
        stroke=INK,
        stroke_width=2 if side == scene.to_move else 0.8,
    )
    box += tag("circle", cx=x + 13, cy=y, r=8, fill=COLOURS[i], stroke=INK, stroke_width=0.8) + label(
        seat.letter, x + 13, y + 0.5, 11.5, fill=INKS[i], font_weight="bold"
    )
    words = f"{_counted(seat.territories, 'land', 'lands')}, {_counted(seat.armies, 'army', 'armies')}"
    words = "out" if seat.out else words + (f", {seat.words}" if seat.words else "")
    shown = box + label(words, x + 33, y, 12.5, "start")
    if side == scene.to_move:
        shown = tag("rect", x=x - 4, y=y - 11.5, width=(WIDTH - 16) / 2 - 2, height=23, rx=4, fill="#efe7cd") + shown
    for c in range(min(seat.cards, 4)):  # backs of cards
        shown += tag(
            "rect", x=x + 268 - 8 * c, y=y - 8, width=12, height=16, rx=2, fill="#ffffff", stroke=INK, stroke_width=0.8
        )
    if seat.cards:
        shown += label(str(seat.cards), x + 274, y, 11, font_weight="bold")
    return tag("g", tag("title", escape(f"{seat.letter}: {words}, {seat.cards} cards")) + shown)


def _scale(scene: Scene, y: float) -> list[str]:
    found = [label(scene.heat_words, 10, y, 13, "start")]
    least, most = min(scene.heat.values(), default=0.0), max(scene.heat.values(), default=0.0)
    x = 420.0
    found.append(label(f"{least:.0%}", x - 6, y, 12, "end"))
    found += [tag("rect", x=x + 18 * i, y=y - 8, width=18, height=16, fill=fill) for i, fill in enumerate(HEAT)]
    found.append(label(f"{most:.0%}", x + 18 * len(HEAT) + 6, y, 12, "start"))
    return found


def _card(card: int, x: float, y: float) -> str:
    """A card of the viewer's hand: its symbol and territory."""
    wild = card >= k.WILD
    name = f"wild{card - k.WILD + 1}" if wild else IDS[card]
    symbol = "wild" if wild else SYMBOLS[card % 3]
    shown = tag("rect", x=x, y=y, width=67, height=62, rx=5, fill="#ffffff", stroke=INK, stroke_width=1)
    shown += _symbol(symbol, x + 33.5, y + 17)
    lines = [symbol] if wild else WRITTEN.get(name, NAMES[card]).split("/")
    shown += "".join(
        label(line, x + 33.5, y + 41 + 12 * (i - (len(lines) - 1) / 2), 11) for i, line in enumerate(lines)
    )
    said = f"card: {'wild' if wild else f'{NAMES[card]}, {symbol}'}"
    return tag("g", tag("title", escape(said)) + shown, data_place=name)


def _symbol(symbol: str, x: float, y: float) -> str:
    """A soldier, a horse's head, a gun, a star, in a few strokes."""
    if symbol == "infantry":
        return tag("circle", cx=x, cy=y - 7, r=3.6, fill=INK) + tag(
            "path", d=f"M{x - 5} {y + 9}v-9a5 4.5 0 0 1 10 0v9z", fill=INK
        )
    if symbol == "cavalry":
        return tag(
            "path", d=f"M{x - 8} {y + 9}c0 -10 3 -16 10 -19l1.5 3.5c4 2 6 5 6.5 9l-3.5 2.5l-5 -3c0 4 3 4 4 7z", fill=INK
        )
    if symbol == "artillery":
        return tag("path", d=f"M{x - 6} {y + 2}l15 -9", stroke=INK, stroke_width=5, stroke_linecap="round") + tag(
            "circle", cx=x - 4, cy=y + 4, r=5.5, fill="#ffffff", stroke=INK, stroke_width=2.4
        )
    corners = " ".join(
        f"{x + r * sin(pi / 5 * i):.1f},{y - r * cos(pi / 5 * i):.1f}"
        for i, r in ((i, 4.2 if i % 2 else 10.0) for i in range(10))
    )
    return tag("polygon", points=corners, fill=INK)


def _describe(scene: Scene) -> str:
    """The position in words, for screen readers."""
    words = [scene.headline.rstrip(".") + "."]
    for c in range(CONTINENTS):
        held = ", ".join(
            f"{NAMES[t]} " + ("free" if scene.owners[t] < 0 else f"{_letter(scene, scene.owners[t])} {scene.armies[t]}")
            for t in _lands(c)
        )
        words.append(f"{CONTINENT_NAMES[c]}: {held}.")
    words += [f"{seat.letter} holds {seat.cards} cards." for seat in scene.seats if seat.cards]
    return " ".join(words)


def text_art(position: RiskPosition, hands: Sequence[str]) -> str:
    """The position for a terminal: continents in three columns, the seats below, each hand as far as it is known."""
    scene = scene_of(position)
    cells = {}
    for t in range(TERRITORIES):
        side = scene.owners[t]
        holder = f"{_letter(scene, side)}{scene.armies[t]:4}" if side >= 0 else "."
        cells[t] = f"{'>' if t in scene.marked else ' '}{NAMES[t]:21} {holder}"
    lines = [scene.headline, *_columns(cells)]
    for seat, held in zip(scene.seats, [*hands, ""], strict=False):
        words = [_counted(seat.territories, "territory", "territories"), _counted(seat.armies, "army", "armies")]
        words += [seat.words] if seat.words else []
        if seat.cards:
            known = f": {held}" if "?" not in held else ""
            words.append(_counted(seat.cards, "card", "cards") + known)
        lines.append(f"{seat.letter}: " + ("out" if seat.out else ", ".join(words)))
    return "\n".join(lines)


def heat_text(values: Mapping[int, float]) -> str:
    """Chances by territories for a terminal, with a bar each."""
    least, most = min(values.values()), max(values.values())
    span = (most - least) or 1.0
    cells = {
        t: f" {NAMES[t]:21}{value:6.1%} " + "▁▂▃▄▅▆▇█"[min(int(8 * (value - least) / span), 7)]
        for t, value in values.items()
    }
    return "\n".join(_columns(cells))


def _columns(cells: Mapping[int, str]) -> list[str]:
    """A cell a territory, by continents, in three columns."""
    columns = []
    for pair in ((0, 1), (2, 3), (4, 5)):
        rows: list[str] = []
        for c in pair:
            held = [cells[t] for t in _lands(c) if t in cells]
            if held:
                rows += [*([""] if rows else []), f"{CONTINENT_NAMES[c]} +{BONUS[c]}".upper(), *held]
        columns.append(rows)
    high, wide = max(map(len, columns)), max(map(len, cells.values()))
    return [
        "  ".join(f"{column[i] if i < len(column) else '':{wide}}" for column in columns).rstrip() for i in range(high)
    ]
