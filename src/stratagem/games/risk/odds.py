"""Battle odds: what an attack carried to the end does, through one territory or a chain of them, in exact numbers.

Both sides always roll the most dice they may. Armies counted as attackers are those that may fight: all but the one
that stays behind. After each capture all that may fight move in, and one of them stays there before the next attack.

One pass over all (attackers, defenders) carries the probability of reaching each; as every army lost or left behind
multiplies the denominator by 6^5, the probabilities are whole numbers over a power of 6^5, and only the answer is
reduced to a fraction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from stratagem.errors import OptionError

UNIT = 6**5  # outcomes of the largest roll: every roll's odds are multiples of 1 / UNIT
EXACT_ARMIES = 800  # up to so many armies in all, whole numbers; beyond them, floats
MOST_ARMIES = 2000


@cache
def roll(attack_dice: int, defence_dice: int) -> tuple[int, ...]:
    """How many of the 6^(dice) outcomes cost the attacker 0, 1, .. all of the armies at stake."""
    stake = min(attack_dice, defence_dice)
    lost: Counter[int] = Counter()
    for dice in product(range(6), repeat=attack_dice + defence_dice):
        attack = sorted(dice[:attack_dice], reverse=True)
        defence = sorted(dice[attack_dice:], reverse=True)
        lost[sum(a <= d for a, d in zip(attack, defence, strict=False))] += 1
    return tuple(lost[k] for k in range(stake + 1))


@cache
def _shares(attack_dice: int, defence_dice: int) -> tuple[int, ...]:
    """A roll's outcomes, of UNIT."""
    return tuple(n * UNIT // 6 ** (attack_dice + defence_dice) for n in roll(attack_dice, defence_dice))


@dataclass(frozen=True)
class AttackOutcome:
    """One way an attack may end, with its probability."""

    taken: int  # territories captured
    attacker: int  # armies that could still fight: after full success, those that stand on the last territory
    defender: int  # armies left on the territories not taken
    probability: float


@dataclass(frozen=True)
class Odds:
    """What an attack carried to the end does."""

    attackers: int
    defenders: tuple[int, ...]
    win: float
    exact: Fraction | None  # of `win`; None where there are too many armies for exact numbers
    attacker_left: float
    defender_left: float
    reached: tuple[float, ...]  # the probability that each territory of the chain is taken
    distribution: tuple[AttackOutcome, ...]  # those of positive probability, best first

    def json(self) -> dict[str, Any]:
        return {
            "attackers": self.attackers,
            "defenders": list(self.defenders),
            "win": self.win,
            "exact": None if self.exact is None else str(self.exact),
            "attacker_left": self.attacker_left,
            "defender_left": self.defender_left,
            "reached": list(self.reached),
            "distribution": [vars(outcome) for outcome in self.distribution],
        }


def odds(attackers: int, defenders: int | Sequence[int]) -> Odds:
    """The odds of `attackers` that may fight against one territory's defenders, or against a chain's."""
    chain = (defenders,) if isinstance(defenders, int) else tuple(defenders)
    _check(attackers, chain)
    armies = attackers + sum(chain)
    if armies <= EXACT_ARMIES:
        ends, one = _ends(attackers, chain, UNIT), UNIT**armies
    else:
        ends, one = _ends(attackers, chain, 1.0), 1
    # Mass of an end with `left` armies is over UNIT^(armies - left); all are brought over one denominator.
    mass = {end: n * UNIT ** (end[1] + end[2]) if one > 1 else n for end, n in ends.items()}
    won = sum(n for (taken, _, _), n in mass.items() if taken == len(chain))
    return Odds(
        attackers,
        chain,
        win=won / one,
        exact=Fraction(won, one) if one > 1 else None,
        attacker_left=sum(n * end[1] for end, n in mass.items()) / one,
        defender_left=sum(n * end[2] for end, n in mass.items()) / one,
        reached=tuple(sum(n for end, n in mass.items() if end[0] > k) / one for k in range(len(chain))),
        distribution=tuple(
            AttackOutcome(*end, n / one)
            for end, n in sorted(mass.items(), key=lambda item: (-item[0][0], -item[0][1], item[0][2]))
        ),
    )


def _check(attackers: int, chain: tuple[int, ...]) -> None:
    if attackers < 1:
        raise OptionError(
            f"{attackers} armies cannot attack: give those that may fight, 1 or more (one more stays behind)"
        )
    if not chain or min(chain) < 1:
        raise OptionError(f"defenders {','.join(map(str, chain))!r}: every territory has 1 army or more")
    if attackers + sum(chain) > MOST_ARMIES:
        raise OptionError(f"{attackers + sum(chain)} armies in all; odds are worked out for up to {MOST_ARMIES}")


def _ends(attackers: int, chain: tuple[int, ...], unit: Any) -> dict[tuple[int, int, int], Any]:
    """The mass of every (taken, attackers left, defenders left) in which an attack can end.

    With unit = UNIT masses are whole numbers, over a power of UNIT that counts the armies gone; with unit = 1.0, floats.
    """
    ends: dict[tuple[int, int, int], Any] = {}
    exact = unit == UNIT
    shares = {(x, y): [n if exact else n / UNIT for n in _shares(x, y)] for x in (1, 2, 3) for y in (1, 2)}
    arriving: dict[int, Any] = {attackers: 1}  # how many may fight here
    for stage, defenders in enumerate(chain):
        behind = sum(chain[stage + 1 :])
        taken: dict[int, Any] = {}
        rows: list[list[Any]] = [[0] * (defenders + 1) for _ in range(3)]  # of a, a - 1 and a - 2 attackers
        for a in range(attackers, 0, -1):
            here, less, least = rows
            here[defenders] += arriving.get(a, 0)
            for d in range(defenders, 0, -1):
                mass = here[d]
                if not mass:
                    continue
                share = shares[min(a, 3), min(d, 2)]
                if len(share) == 2:
                    here[d - 1] += mass * share[0]
                    less[d] += mass * share[1]
                else:
                    mass *= unit  # two armies go
                    here[d - 2] += mass * share[0]
                    less[d - 1] += mass * share[1]
                    least[d] += mass * share[2]
            if here[0]:
                taken[a] = here[0]
            rows = [less, least, [0] * (defenders + 1)]
        for d in range(1, defenders + 1):
            if rows[0][d]:
                end = (stage, 0, d + behind)
                ends[end] = ends.get(end, 0) + rows[0][d]
        if stage + 1 == len(chain):
            ends.update({(stage + 1, a, 0): mass for a, mass in taken.items()})
        else:
            arriving = {a - 1: mass * unit for a, mass in taken.items() if a > 1}
            if 1 in taken:  # the only army left must stay
                ends[stage + 1, 0, behind] = taken[1] * unit
    return ends
