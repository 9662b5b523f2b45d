"""Pictures of Blotto: a battle, the marginals of a solution, and its certificate over time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from stratagem.drawing import INK, LINE, SEAT_COLOURS, label, picture, step, tag
from stratagem.games.blotto.rules import Rules
from stratagem.plans.allocation import Plan

LEFT, TOP = 64.0, 56.0
NARROW = 24.0  # left of a battle
MOST_SHOWN = 40  # fronts drawn; a larger battle says how many are not


def battle(
    rules: Rules,
    plans: Mapping[int, Plan],
    tosses: Mapping[int, int] | None,
    seats: Sequence[str],
    *,
    steps: bool = False,
) -> str:
    """A column of bars a front, a bar for each player whose plan is known; without any the fronts and their values. With
    `steps` each front has one more and one less to click."""
    shown = min(rules.fronts, MOST_SHOWN)
    wide = max(22.0 * rules.players + 16, 340.0 / shown, 76.0)
    bar = (wide - 16) / rules.players
    height = 160.0
    most = max((max(plan) for plan in plans.values()), default=1) or 1
    top = 24.0 * -(-rules.players // 2) + 40
    floor = top + height
    content = [tag("line", x1=NARROW - 8, y1=floor, x2=NARROW + wide * shown, y2=floor, stroke=LINE)]
    for front in range(shown):
        x0 = NARROW + wide * front
        middle = x0 + (wide - 16) / 2
        values = list(dict.fromkeys(str(v[front]) for v in rules.values))
        content.append(label(f"{front + 1}", middle, floor + 16, 16))
        content.append(label("worth " + " / ".join(values), middle, floor + 36, 14))
        for player, plan in plans.items():
            tall = height * plan[front] / most
            x = x0 + bar * player
            box = tag(
                "rect",
                tag("title", escape(f"{seats[player]}: {plan[front]} units on front {front + 1}")),
                x=x,
                y=floor - tall,
                width=bar - 3,
                height=tall,
                fill=SEAT_COLOURS[player % len(SEAT_COLOURS)],
            )
            content += [box, label(str(plan[front]), x + bar / 2 - 1, floor - tall - 9, 14)]
        if steps:
            content += [step(front, by, middle + 19 * by, floor + 66, f"front {front + 1}") for by in (-1, 1)]
        if tosses and front in tosses:
            content.append(label(f"coin: {seats[tosses[front]]}", middle, floor + 54, 13))
    for player, name in enumerate(seats):
        x, y = NARROW - 8 + 170.0 * (player % 2), 10 + 24.0 * (player // 2)
        content.append(tag("rect", x=x, y=y, width=14, height=14, fill=SEAT_COLOURS[player % len(SEAT_COLOURS)]))
        content.append(label(f"{name}: {rules.units[player]} units", x + 20, y + 7, 15, "start"))
    written = [f"{seats[p]} {','.join(map(str, plan))}" for p, plan in plans.items()]
    lines = [] if plans else ["units not yet placed"]
    if rules.fronts > shown:
        lines += written  # whose bars are not all there
        lines.append(f"the first {shown} of {rules.fronts} fronts are drawn")
    if len(plans) == rules.players and (tosses is not None or rules.ties != "coin"):
        payoffs = rules.payoffs([plans[p] for p in range(rules.players)], dict(tosses) if tosses is not None else None)
        lines.append("payoffs " + ", ".join(f"{float(x):g}" for x in payoffs))
    width = max(NARROW + wide * shown + 8, 400.0)
    room = int((width - NARROW) / 8.2)  # characters of a line
    floor += 32 if steps else 0
    for k, line in enumerate(lines):
        text = line if len(line) <= room else line[: room - 3] + "..."
        content.append(label(text, NARROW - 8, floor + 78 + 22 * k, 15, "start"))
    described = f"Colonel Blotto: {'; '.join(dict.fromkeys([*written, *lines]))}"
    return picture(width, floor + 74 + 22 * len(lines), "Colonel Blotto", described, content)


def marginals(rules: Rules, strategies: Sequence[Mapping[Plan, float]], seats: Sequence[str] = ("A", "B")) -> str:
    """How often each player puts x units on each front: a small chart a front, the players above each other."""
    shown = min(rules.fronts, MOST_SHOWN)
    columns = min(shown, 5)
    rows = math.ceil(shown / columns)
    wide, high = 190.0, 150.0
    content: list[str] = []
    for front in range(shown):
        x0, y0 = 40 + wide * (front % columns), 50 + (high + 30) * (front // columns)
        values = " / ".join(dict.fromkeys(str(v[front]) for v in rules.values))
        content.append(label(f"front {front + 1}, worth {values}", x0, y0 - 10, 12, "start"))
        for player, strategy in enumerate(strategies):
            chances: dict[int, float] = {}
            for plan, p in strategy.items():
                chances[plan[front]] = chances.get(plan[front], 0.0) + float(p)
            last = max(max((max(plan) for plan in s), default=1) for s in strategies) or 1
            floor = y0 + (high / 2 - 6) * (player + 1)
            content.append(tag("line", x1=x0, y1=floor, x2=x0 + wide - 30, y2=floor, stroke=LINE))
            step = (wide - 30) / (last + 1)
            for x, chance in sorted(chances.items()):
                tall = (high / 2 - 16) * chance
                content.append(
                    tag(
                        "rect",
                        tag("title", escape(f"{seats[player]}: {x} units with chance {chance:.4f}")),
                        x=x0 + step * x,
                        y=floor - tall,
                        width=max(step - 1, 0.8),
                        height=tall,
                        fill=SEAT_COLOURS[player],
                    )
                )
            content.append(label(f"0 to {last} units" if player else "", x0, floor + 9, 9, "start"))
    for player, name in enumerate(seats):
        content.append(tag("rect", x=40 + 110 * player, y=10, width=12, height=12, fill=SEAT_COLOURS[player]))
        content.append(label(f"{name}: {rules.units[player]} units", 58 + 110 * player, 16, 12, "start"))
    described = f"Chances of each number of units on {shown} fronts, for {' and '.join(seats)}."
    return picture(60 + wide * columns, 70 + (high + 30) * rows, "Marginals of the strategies", described, content)


def certificate(times: Sequence[float], widths: Sequence[float], what: str = "width of the certified interval") -> str:
    """The certificate over time, on a logarithmic scale."""
    points = [(t, w) for t, w in zip(times, widths, strict=True) if w > 0 and math.isfinite(w)]
    wide, high = 560.0, 260.0
    content = [label(what, LEFT, 24, 13, "start")]
    if points:
        last = max(t for t, _ in points) or 1.0
        low = math.floor(math.log10(max(min(w for _, w in points), 1e-16)))
        top = max(math.ceil(math.log10(max(w for _, w in points))), low + 1)

        def place(t: float, w: float) -> tuple[float, float]:
            return LEFT + wide * t / last, TOP + high * (top - math.log10(max(w, 1e-16))) / (top - low)

        for power in range(low, top + 1, max(1, (top - low) // 6)):
            y = place(0, 10.0**power)[1]
            content.append(tag("line", x1=LEFT, y1=y, x2=LEFT + wide, y2=y, stroke=LINE, stroke_width=0.6))
            content.append(label(f"1e{power}", LEFT - 8, y, 11, "end"))
        line = " ".join("{:.1f},{:.1f}".format(*place(t, w)) for t, w in points)
        content.append(tag("polyline", points=line, fill="none", stroke=SEAT_COLOURS[0], stroke_width=2))
        content.append(label(f"{last:.3g} s", LEFT + wide, TOP + high + 18, 12, "end"))
    content.append(tag("line", x1=LEFT, y1=TOP + high, x2=LEFT + wide, y2=TOP + high, stroke=INK))
    described = f"{what}: " + (f"from {points[0][1]:.3g} to {points[-1][1]:.3g}" if points else "0 from the start")
    return picture(LEFT + wide + 40, TOP + high + 40, "Certificate over time", described, content)
