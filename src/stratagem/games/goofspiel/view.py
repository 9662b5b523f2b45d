"""The drawing of goofspiel: the prize, the prizes to come, and each seat's hand."""

from __future__ import annotations

from collections.abc import Sequence

from stratagem.drawing import LINE, SEAT_COLOURS, card, label, moving, named, part, picture, tag

CARD = WIDE, HIGH = 38, 52
GAP = 8
LEFT = 96


def draw(
    prize: int,
    deck: Sequence[int],
    seats: Sequence[str],
    hands: Sequence[Sequence[int]],
    points: Sequence[int],
    cards: int,
    words: tuple[str, str],
    bids: Sequence[int] = (),
) -> str:
    """The table; `words` are its title and a description, `bids` cards that all have just turned over, beside their hands.
    Cards that were played leave a trace where they were."""
    title, description = words
    content = [label("prizes", 16, 16 + HIGH / 2, 14, "start")]
    for k, c in enumerate([*([prize] if prize else []), *reversed(deck)]):
        face = c == prize
        x = LEFT + k * (WIDE + GAP) + (12 if prize and k else 0)
        shown = card(str(c), x, 16, CARD, "#009e73" if face else LINE, face)
        content.append(named(shown, f"prize of {c}, {'bid for now' if face else 'still to come'}"))
    left = int(prize > 0) + len(deck)
    for k, c in enumerate(c for c in range(1, cards + 1) if c != prize and c not in deck):
        content.append(_trace(c, LEFT + (left + k) * (WIDE + GAP) + (12 if prize and left else 0), 16))
    for p, name in enumerate(seats):
        y = 16 + (p + 1) * (HIGH + 20)
        content.append(label(f"{name}: {points[p]}", 16, y + HIGH / 2, 14, "start"))
        spent = [c for c in range(1, cards + 1) if c not in hands[p]]
        content += [_trace(c, LEFT + (c - 1) * (WIDE + GAP), y) for c in spent]
        for c in hands[p]:
            shown = card(str(c), LEFT + (c - 1) * (WIDE + GAP), y, CARD, SEAT_COLOURS[p], True)
            if p < len(bids) and c == bids[p]:
                laid = card(str(c), LEFT + cards * (WIDE + GAP) + 8, y, CARD, SEAT_COLOURS[p], True)
                content.append(moving(f"{name} {c}", laid))
            else:
                held = moving(f"{name} {c}", shown)
                content.append(
                    part(str(c), held, f"{name} bids {c}", p) if prize else named(shown, f"{name} holds {c}")
                )
    width = LEFT + (cards + 1) * (WIDE + GAP) + 16
    return picture(width, 16 + (len(seats) + 1) * (HIGH + 20), title, f"{title}: {description}", content)


def _trace(c: int, x: float, y: float) -> str:
    frame = tag("rect", x=x, y=y, width=WIDE, height=HIGH, rx=5, fill="none", stroke=LINE, stroke_dasharray="4 4")
    return frame + label(str(c), x + WIDE / 2, y + HIGH / 2, 16, fill="#77726a")
