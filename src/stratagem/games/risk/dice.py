"""Dice of a battle as the record tells them: `lost 1:1 by 641:54` is what a roll cost either side, and what was rolled.

The rules know the losses alone, since nothing else follows from a roll. Dice are drawn after them, by their chances among the
rolls that cost as much, so that they are seen as they would have fallen; a record without dice is as good.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stratagem.errors import IllegalMove
from stratagem.rng import Rng, below, generator

LOST, BY = "lost ", " by "
FACES = "⚀⚁⚂⚃⚄⚅"


class Roll(NamedTuple):
    """What was rolled, the highest first."""

    attack: tuple[int, ...]
    defence: tuple[int, ...]

    @property
    def lost(self) -> int:
        """The armies that the attacker loses: pairs from the highest down, ties for the defender."""
        return sum(a <= d for a, d in zip(self.attack, self.defence, strict=False))

    @property
    def killed(self) -> int:
        return min(len(self.attack), len(self.defence)) - self.lost

    def __str__(self) -> str:
        return ":".join("".join(map(str, side)) for side in self)

    @property
    def shown(self) -> tuple[str, str]:
        """Both sides' dice as signs."""
        attack, defence = ("".join(FACES[face - 1] for face in side) for side in self)
        return attack, defence


def losses(text: str) -> tuple[int, int]:
    """The armies that attacker and defender lose, of an outcome's text."""
    first, _, second = text.partition(BY)[0].removeprefix(LOST).partition(":")
    return int(first), int(second)


def of(text: str) -> Roll | None:
    """The dice that an outcome tells; None where it tells none."""
    _, by, faces = text.partition(BY)
    if not by or not text.startswith(LOST):
        return None
    attack, _, defence = faces.strip().partition(":")
    if not (attack + defence).isascii() or not (attack + defence).isdecimal():
        return None
    return Roll(tuple(map(int, attack)), tuple(map(int, defence)))


def reported(outcome: str, roll: Roll | None) -> str:
    return outcome if roll is None else f"{outcome}{BY}{roll}"


def drawn(attack: int, defence: int, outcome: str, rng: Rng) -> Roll:
    """Dice that cost what the outcome says, each such roll as likely as it is. They come from a stream of their own, so that
    whatever is drawn after them stays as it was."""
    with np.errstate(over="ignore"):
        own = generator(int(rng[0]), int(rng[1]))
    while True:
        with np.errstate(over="ignore"):
            faces = [1 + int(below(own, 6)) for _ in range(attack + defence)]
        found = Roll(*(tuple(sorted(side, reverse=True)) for side in (faces[:attack], faces[attack:])))
        if (found.lost, found.killed) == losses(outcome):
            return found


def read(text: str, attack: int, defence: int) -> tuple[str, Roll | None]:
    """An outcome without its dice, and the dice if it tells them; refused where they cost something else."""
    outcome, by, faces = text.strip().partition(BY)
    if not by:
        return text, None
    roll = of(f"{outcome}{by}{faces}")
    if roll is None or not all(1 <= face <= 6 for side in roll for face in side):
        raise IllegalMove(f"{faces[:40]!r} are no dice; write them like 641:54, the attacker's first")
    if (len(roll.attack), len(roll.defence)) != (attack, defence):
        raise IllegalMove(
            f"{faces!r} are {len(roll.attack)} dice to {len(roll.defence)}; here {attack} roll to {defence}"
        )
    roll = Roll(*(tuple(sorted(side, reverse=True)) for side in roll))
    if outcome.startswith(LOST) and f"{roll.lost}:{roll.killed}" != outcome.removeprefix(LOST).strip():
        raise IllegalMove(f"the dice {roll} cost {roll.lost}:{roll.killed}, not {outcome.removeprefix(LOST)}")
    return outcome, roll
