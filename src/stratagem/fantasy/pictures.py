"""Pictures of drafts: who takes what when, by rounds, and survival curves; as SVG and for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from stratagem.drawing import INK, LINE, SEAT_COLOURS, label, picture, tag
from stratagem.fantasy.advice import Survival
from stratagem.fantasy.league import League, Room

CELL, ROW, HEAD = 104, 34, 44
BARS = " ▁▂▃▄▅▆▇█"


def board_rows(
    teams: int, order: Sequence[int], picks: Sequence[str], details: Sequence[str] | None = None
) -> list[list[tuple[int, str, str]]]:
    """Rounds of `teams` picks each: (seat, item, detail) in the column of the seat that picks; more than one where traded."""
    details = details or [""] * len(picks)
    rounds: list[list[tuple[int, str, str]]] = []
    for t, name in enumerate(picks):
        if t % teams == 0:
            rounds.append([])
        rounds[-1].append((order[t], name, details[t]))
    return rounds


def board_text(teams: int, order: Sequence[int], picks: Sequence[str], details: Sequence[str] | None = None) -> str:
    """The board for the terminal, a row a round and a column a seat."""
    rounds = board_rows(teams, order, picks, details)
    cells: list[list[list[str]]] = [[[] for _ in range(teams)] for _ in rounds]
    for r, made in enumerate(rounds):
        for seat, name, detail in made:
            cells[r][seat].append(f"{name} {detail}".strip())
    width = max((len(" + ".join(c)) for row in cells for c in row), default=4)
    width = max(min(width, 24), 6)
    lines = ["     " + " ".join(f"{f'team {s + 1}':{width}}" for s in range(teams)).rstrip()]
    for r, row in enumerate(cells):
        texts = [" + ".join(c) for c in row]
        texts = [x if len(x) <= width else x[: width - 1] + "…" for x in texts]
        lines.append(f"{r + 1:3}  " + " ".join(f"{x:{width}}" for x in texts).rstrip())
    return "\n".join(lines)


def board_svg(
    title: str,
    teams: int,
    order: Sequence[int],
    picks: Sequence[str],
    details: Sequence[str] | None = None,
    kinds: Sequence[str] | None = None,
) -> str:
    """The board as SVG: rounds downwards, seats across; colour tells the kind of item, or the seat where there are none."""
    rounds = board_rows(teams, order, picks, details)
    names = sorted(set(kinds)) if kinds else []
    content = [label(f"team {s + 1}", 40 + CELL * (s + 0.5), 26, 13) for s in range(teams)]
    t = 0
    for r, row in enumerate(rounds):
        y = HEAD + ROW * r
        content.append(label(str(r + 1), 20, y + ROW / 2, 13))
        used = [0] * teams
        for seat, name, detail in row:
            share = sum(1 for other, *_ in row if other == seat)
            width = (CELL - 4) / share
            x = 42 + CELL * seat + used[seat] * width
            used[seat] += 1
            at = names.index(kinds[t]) if kinds else seat
            colour = SEAT_COLOURS[at % len(SEAT_COLOURS)]
            box = tag(
                "rect", x=x, y=y + 2, width=width - 1, height=ROW - 4, rx=4, fill=colour, fill_opacity=0.28, stroke=LINE
            )
            letters = max(int(width / 6.2), 4)
            shown = name if len(name) <= letters else name[: letters - 1] + "…"
            texts = label(shown, x + width / 2, y + (ROW / 2 if not detail else 12), 10)
            if detail:
                texts += label(detail, x + width / 2, y + 24, 9)
            content.append(tag("g", tag("title", _title(t, seat, name, detail)) + box + texts))
            t += 1
    width, height = 56 + CELL * teams, HEAD + ROW * len(rounds) + 16
    said = "; ".join(f"{k + 1} {name} to team {order[k] + 1}" for k, name in enumerate(picks))
    return picture(width, height, title, f"Picks in order: {said or 'none yet'}", content)


def _title(turn: int, seat: int, name: str, detail: str) -> str:
    return escape(f"pick {turn + 1}, team {seat + 1}: {name} {detail}".strip())


def room_board(room: Room) -> tuple[int, tuple[int, ...], list[str], list[str], list[str]]:
    """What the board functions take, of a room."""
    items = room.league.items
    return (
        room.league.teams,
        room.league.order,
        [items[x].name for x in room.picks],
        [items[x].position for x in room.picks],
        [items[x].positions[0] for x in room.picks],
    )


def room_text(room: Room) -> str:
    teams, order, names, details, _ = room_board(room)
    return board_text(teams, order, [f"{name.split()[-1]}" for name in names], details)


def room_svg(room: Room) -> str:
    teams, order, names, details, kinds = room_board(room)
    return board_svg("Draft board", teams, order, names, details, kinds)


def survival_text(league: League, lasting: Survival, items: Sequence[int]) -> str:
    """A line an item: bars for the chance that it is still there at each coming pick."""
    turns = lasting.gone.shape[1]
    step = max(1, -(-turns // 60))
    lines = []
    for x in items:
        chances = [lasting.at(x, lasting.begin + u) for u in range(0, turns + 1, step)]
        bars = "".join(BARS[round(c * 8)] for c in chances)
        lines.append(f"{league.items[x].name[:22]:22} {bars} {chances[-1]:4.0%}")
    first, last = league.pick_name(lasting.begin), league.pick_name(min(lasting.begin + turns, league.turns - 1))
    return "\n".join([*lines, f"{'':22} {first} to {last}"])


def survival_svg(league: League, lasting: Survival, items: Sequence[int]) -> str:
    """Survival curves: chance to be still there, by pick."""
    turns = lasting.gone.shape[1]
    left, top, width, height = 56, 40, 560, 260
    content = [label("chance to be still there", left, 20, 13, "start")]
    for c in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = top + height * (1 - c)
        content.append(tag("line", x1=left, x2=left + width, y1=y, y2=y, stroke=LINE, stroke_width=0.7))
        content.append(label(f"{c:.0%}", left - 8, y, 11, "end"))
    for u in range(0, turns + 1, max(1, turns // 8)):
        x = left + width * u / turns
        turn = min(lasting.begin + u, league.turns - 1)
        content.append(label(league.pick_name(turn), x, top + height + 18, 11))
    dashes = (None, "6 3", "2 3", "8 3 2 3")
    for k, item in enumerate(items):
        points = " ".join(
            f"{left + width * u / turns:.1f},{top + height * (1 - lasting.at(item, lasting.begin + u)):.1f}"
            for u in range(turns + 1)
        )
        colour = SEAT_COLOURS[k % len(SEAT_COLOURS)]
        dash = dashes[k // len(SEAT_COLOURS) % len(dashes)]
        content.append(
            tag("polyline", points=points, fill="none", stroke=colour, stroke_width=2, stroke_dasharray=dash)
        )
        y = top + 8 + 18 * k
        content.append(
            tag("line", x1=left + width + 14, x2=left + width + 34, y1=y, y2=y, stroke=colour, stroke_width=3)
        )
        content.append(label(league.items[item].name, left + width + 40, y, 11, "start", INK))
    said = "; ".join(f"{league.items[x].name} {lasting.at(x, lasting.begin + turns):.0%}" for x in items)
    tall = max(top + height + 40, top + 18 * len(items) + 20)
    return picture(left + width + 190, tall, "Survival curves", f"Chance to last to the end: {said}", content)
