"""Plots of a match as SVG: ratings with intervals, score by seat, game lengths, time per move.

Each takes plain numbers and gives a whole picture with a title and a description for screen readers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from stratagem.arena.ratings import Ratings, SeatRate
from stratagem.drawing import INK, LINE, SEAT_COLOURS, label, picture, tag

WIDTH, LEFT, RIGHT, TOP, ROW = 720, 210, 40, 56, 30
LETTER = 8  # about the width of a letter of 13 points
BARS = 24  # most bars of a histogram


def ratings_plot(ratings: Ratings, title: str) -> str:
    """A dot a player with its 95% interval, best on top."""
    lows = [r.elo - r.error for r in ratings.table]
    highs = [r.elo + r.error for r in ratings.table]
    rows = [
        (r.player, f"{r.elo:+.0f} ± {r.error:.0f}", r.elo, low, high)
        for r, low, high in zip(ratings.table, lows, highs, strict=True)
    ]
    return intervals_plot(f"{title}: ratings", "Elo, 95% intervals", rows, min(lows), max(highs))


def seats_plot(rates: Sequence[SeatRate], names: Sequence[str], title: str) -> str:
    """The share of games that each seat won, with its 95% interval."""
    rows = [(names[r.seat], f"{r.rate:.1%} of {r.games}", 100 * r.rate, 100 * r.low, 100 * r.high) for r in rates]
    return intervals_plot(f"{title}: wins by seat", "games won, %, 95% intervals", rows, 0.0, 100.0)


def lengths_plot(lengths: Sequence[int], title: str) -> str:
    """How many games had so many plies."""
    return _histogram(f"{title}: game lengths", "plies", [float(x) for x in lengths], whole=True)


def times_plot(times: Mapping[str, Sequence[float]], title: str) -> str:
    """Seconds a move by player: a line from the 5th to the 95th percentile, a dot at the median; the scale is logarithmic."""
    rows: list[tuple[str, str, float, float, float]] = []
    for player, seconds in times.items():
        ordered = sorted(max(x, 1e-6) for x in seconds)
        low, middle, high = (ordered[min(int(q * len(ordered)), len(ordered) - 1)] for q in (0.05, 0.5, 0.95))
        words = f"{_time(middle)} ({len(ordered)} moves)"
        rows.append((player, words, math.log10(middle), math.log10(low), math.log10(high)))
    if not rows:
        return picture(
            WIDTH, 100, title, "no move was timed", [label(f"{title}: no move was timed", 20, 50, 15, "start")]
        )
    least, most = min(row[3] for row in rows), max(row[4] for row in rows)
    return intervals_plot(
        f"{title}: time per move",
        "median, and from the 5th to the 95th percentile",
        rows,
        math.floor(least),
        math.ceil(most),
        log=True,
    )


def curves_plot(
    title: str, axes: tuple[str, str], curves: Mapping[str, Sequence[tuple[float, float]]], *, log: bool = False
) -> str:
    """A line for each named curve of points (x, y); with `log` both scales are powers of ten, without points at 0 or below."""
    shown = {
        name: [(math.log10(x), math.log10(y)) if log else (x, y) for x, y in points if not log or min(x, y) > 0]
        for name, points in curves.items()
    }
    xs = [x for points in shown.values() for x, _ in points]
    ys = [y for points in shown.values() for _, y in points]
    if not xs:
        return picture(WIDTH, 100, title, "no points", [label(f"{title}: no points", 20, 50, 15, "start")])
    left, right, top, height = 80, 170, 56, 260
    room = WIDTH - left - right
    across, along = _scale(xs, log), _scale(ys, log)

    def at(x: float, y: float) -> tuple[float, float]:
        return (
            left + (x - across[0]) / (across[-1] - across[0]) * room,
            top + height * (1 - (y - along[0]) / (along[-1] - along[0])),
        )

    content = [label(title, 20, 24, 16, "start", font_weight="bold")]
    for value in across:
        x, y = at(value, along[0])
        content.append(tag("line", x1=x, x2=x, y1=top, y2=y, stroke=LINE))
        content.append(label(_tick(value, log), x, y + 14, 12))
    for value in along:
        x, y = at(across[0], value)
        content.append(tag("line", x1=x, x2=x + room, y1=y, y2=y, stroke=LINE))
        content.append(label(_tick(value, log), x - 8, y, 12, "end"))
    for k, (name, points) in enumerate(shown.items()):
        colour = SEAT_COLOURS[k % len(SEAT_COLOURS)]
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in points))
        content.append(tag("polyline", points=corners, fill="none", stroke=colour, stroke_width=2.5))
        content += [tag("circle", cx=x, cy=y, r=3.5, fill=colour) for x, y in (at(*point) for point in points)]
        y = top + 10 + 22 * k
        content.append(
            tag("line", x1=WIDTH - right + 14, x2=WIDTH - right + 38, y1=y, y2=y, stroke=colour, stroke_width=3)
        )
        content.append(label(name, WIDTH - right + 44, y, 13, "start"))
    content.append(label(axes[0], left + room / 2, top + height + 36, 12))
    content.append(label(axes[1], 20, top - 16, 12, "start"))
    words = "; ".join(
        f"{name}: " + ", ".join(f"{y:.4g} at {x:g}" for x, y in points) for name, points in curves.items()
    )
    return picture(WIDTH, top + height + 52, title, f"{axes[1]} by {axes[0]}. {words}", content)


def _scale(values: Sequence[float], log: bool) -> list[float]:
    """Round numbers that hold all values between the first and the last."""
    low, high = min(values), max(values)
    if log:
        return [float(k) for k in range(math.floor(low), max(math.ceil(high), math.floor(low) + 1) + 1)]
    if high - low < 1e-9:
        low, high = low - 1, high + 1
    ticks = _ticks(low, high)
    if all(float(x).is_integer() for x in values):
        ticks = [x for x in ticks if float(x).is_integer()]  # nothing lies between whole numbers
    step = ticks[1] - ticks[0]
    return (
        ([ticks[0] - step] if ticks[0] > low + 1e-9 else [])
        + ticks
        + ([ticks[-1] + step] if ticks[-1] < high - 1e-9 else [])
    )


def _tick(value: float, log: bool) -> str:
    return f"{10**value:,.10g}" if log else f"{value:g}"


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers over a range, five or so."""
    size = max(high - low, 1e-9) / 5
    step = 10 ** math.floor(math.log10(size))
    step *= next(m for m in (1, 2, 5, 10) if m * step >= size)
    first = math.ceil(low / step - 1e-9)
    return [step * k for k in range(first, math.floor(high / step + 1e-9) + 1)]


def intervals_plot(
    title: str,
    axis: str,
    rows: Sequence[tuple[str, str, float, float, float]],
    low: float,
    high: float,
    log: bool = False,
) -> str:
    """Rows of (name, words, middle, low, high) along one axis."""
    if high - low < 1e-9:
        low, high = low - 1, high + 1
    names = max(LEFT, 30 + LETTER * max(len(name) for name, *_ in rows))  # a longer name makes a wider picture
    width, room = WIDTH - LEFT + names, WIDTH - LEFT - RIGHT - 120
    bottom = TOP + ROW * len(rows)

    def x(value: float) -> float:
        return names + (value - low) / (high - low) * room

    content = [label(title, 20, 24, 16, "start", font_weight="bold")]
    ticks = [float(k) for k in range(math.floor(low), math.ceil(high) + 1)] if log else _ticks(low, high)
    for value in ticks:
        content.append(tag("line", x1=x(value), x2=x(value), y1=TOP - 6, y2=bottom, stroke=LINE))
        content.append(label(_time(10**value) if log else f"{value:g}", x(value), bottom + 14, 12))
    for k, (name, words, middle, left, right) in enumerate(rows):
        y = TOP + ROW * (k + 0.5)
        colour = SEAT_COLOURS[0]
        content.append(label(name, names - 14, y, 13, "end"))
        content.append(tag("line", x1=x(left), x2=x(right), y1=y, y2=y, stroke=colour, stroke_width=3))
        for end in (left, right):
            content.append(tag("line", x1=x(end), x2=x(end), y1=y - 6, y2=y + 6, stroke=colour, stroke_width=2))
        content.append(tag("circle", cx=x(middle), cy=y, r=5, fill=colour))
        content.append(label(words, width - 16, y, 12, "end"))
    content.append(label(axis, names + room / 2, bottom + 34, 12, fill=INK))
    words = "; ".join(f"{name}: {text}" for name, text, *_ in rows)
    return picture(width, bottom + 50, title, f"{axis}. {words}", content)


def _histogram(title: str, axis: str, values: Sequence[float], whole: bool) -> str:
    if not values:
        return picture(WIDTH, 100, title, "no games", [label(f"{title}: no games", 20, 50, 15, "start")])
    low, high = min(values), max(values)
    width = max(math.ceil((high - low + 1) / BARS), 1) if whole else (high - low) / BARS or 1.0
    counts = [0] * (int((high - low) // width) + 1)
    for value in values:
        counts[int((value - low) // width)] += 1
    most, height, left = max(counts), 200, 70
    room = WIDTH - left - RIGHT
    bar = room / len(counts)
    content = [label(title, 20, 24, 16, "start", font_weight="bold")]
    for value in _ticks(0, most):
        y = TOP + height * (1 - value / most)
        content.append(tag("line", x1=left, x2=WIDTH - RIGHT, y1=y, y2=y, stroke=LINE))
        content.append(label(f"{value:g}", left - 8, y, 12, "end"))
    every = max(len(counts) // 12, 1)
    for k, count in enumerate(counts):
        tall = height * count / most
        first = low + k * width
        words = f"{first:g}" if width == 1 else f"{first:g}–{first + width - 1:g}"
        content.append(
            tag(
                "rect",
                tag("title", f"{words}: {count}"),
                x=left + k * bar + 1,
                y=TOP + height - tall,
                width=max(bar - 2, 1.0),
                height=tall,
                fill=SEAT_COLOURS[0],
            )
        )
        if k % every == 0:
            content.append(label(f"{first:g}", left + (k + 0.5) * bar, TOP + height + 14, 12))
    content.append(label(axis, left + room / 2, TOP + height + 36, 12))
    mean = sum(values) / len(values)
    return picture(
        WIDTH, TOP + height + 52, title, f"{len(values)} games, {low:g} to {high:g} {axis}, mean {mean:.1f}", content
    )
