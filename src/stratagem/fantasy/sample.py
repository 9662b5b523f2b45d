"""The sample table: made-up names with projections of a plausible shape. `data/sample.csv` is what this writes."""

from __future__ import annotations

import io
import math
import random
from pathlib import Path

SAMPLE = Path(__file__).parent / "data" / "sample.csv"

# position: items, points of the best, share of them that fades, rank over which it fades
SHAPES = {
    "QB": (36, 375.0, 0.62, 17.0),
    "RB": (84, 305.0, 0.93, 26.0),
    "WR": (100, 290.0, 0.92, 36.0),
    "TE": (36, 225.0, 0.78, 11.0),
    "K": (22, 150.0, 0.35, 14.0),
    "DST": (22, 140.0, 0.45, 12.0),
}
STARTERS = {"QB": 12, "RB": 30, "WR": 36, "TE": 12, "K": 12, "DST": 12}  # where replacement begins, in a league of 12
TIER_DROP = 0.055  # of a position's best, the points between one tier and the next
CLUBS = ("ASH", "BAY", "COV", "DUN", "ELM", "FEN", "GLN", "HAV", "ISL", "JUN", "KES", "LOC", "MOR", "NES", "OAK", "PIN")
FIRST = ("Ab", "Bel", "Cor", "Dav", "Eri", "Fen", "Gar", "Hol", "Iv", "Jor", "Kel", "Lor", "Mar", "Nol", "Os", "Per")
SECOND = ("an", "en", "ian", "o", "us", "ric", "ton", "iel", "er", "in")
LAST = (
    "Ash",
    "Bram",
    "Crow",
    "Dun",
    "Ever",
    "Fair",
    "Grim",
    "Hart",
    "Iron",
    "Kirk",
    "Lang",
    "Mill",
    "North",
    "Oak",
    "Stone",
)
ENDS = ("well", "by", "ford", "ley", "man", "wood", "son", "ridge", "shaw", "mere")


def sample_csv(seed: int = 2024) -> str:
    """The text of the table."""
    rng = random.Random(seed)
    people = [f"{a}{b} {c}{d}" for a in FIRST for b in SECOND for c in LAST for d in ENDS]
    names = iter(rng.sample(people, 400))
    rows = []
    for position, (count, best, fades, over) in SHAPES.items():
        points = sorted(
            (best * (1 - fades * (1 - math.exp(-k / over))) * rng.gauss(1, 0.02) for k in range(count)), reverse=True
        )
        base = points[STARTERS[position]]
        tier, opened = 1, points[0]
        for k, x in enumerate(points):
            if opened - x > TIER_DROP * best:
                tier, opened = tier + 1, x
            name = next(names) if position != "DST" else f"{CLUBS[k % 16].title()} {'Guard' if k < 16 else 'Watch'}"
            # kickers and defences are drafted late, whatever they are worth
            worth = x - base - (130 if position in ("K", "DST") else 0)
            rows.append((worth + rng.gauss(0, 9), name, position, rng.choice(CLUBS), x, tier, rng.randrange(5, 15)))
    rows.sort(reverse=True)
    text = io.StringIO()
    text.write("name,position,team,points,adp,sd,tier,bye,status\n")
    for k, (_, name, position, club, x, tier, bye) in enumerate(rows):
        adp = k + 1 + rng.uniform(-0.4, 0.4)
        status = "questionable" if rng.random() < 0.04 else ""
        text.write(f"{name},{position},{club},{x:.1f},{max(adp, 1):.1f},{1.5 + 0.11 * adp:.1f},{tier},{bye},{status}\n")
    return text.getvalue()
