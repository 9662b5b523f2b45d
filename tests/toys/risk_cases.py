"""Options of Risk that cover every pair of set-up and turn, and random play that presses attacks home."""

from __future__ import annotations

import random
from itertools import product

SETUPS = [
    {"players": n, "claim": claim, "draft_order": order}
    for n in (2, 3, 4, 5, 6)
    for claim, order in (("draft", "round_robin"), ("draft", "snake"), ("deal", "round_robin"))
]
TURNS = [
    {"cards": cards, "fortify": fortify, "defence": defence}
    for cards, fortify, defence in product(
        ("escalating", "fixed", "none"), ("adjacent", "connected", "none"), ("max", "choose")
    )
]


def some_move(rng: random.Random, moves: list[str]) -> str:
    """A random move, with a liking for attacks pressed home, so that seats are wiped out and cards change hands."""
    pressing = [m for m in moves if m == "until 1" or ">" in m]
    if pressing and rng.random() < 0.85:
        return rng.choice(pressing)
    if rng.random() < 0.4 and all(m.isdecimal() for m in moves):
        return max(moves, key=int)
    return rng.choice(moves)


def case(k: int) -> dict:
    """Options that between them pair every setup with every kind of turn."""
    options = {**SETUPS[k % len(SETUPS)], **TURNS[k * 7 % len(TURNS)], "turn_cap": 120 if k % 15 == 0 else 20 + k % 20}
    if options["players"] == 2 and k // len(SETUPS) % 2:
        options["two_player"] = "pure"
    return options
