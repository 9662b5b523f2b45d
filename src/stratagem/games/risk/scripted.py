"""Scripted players of Risk as kernels: one decision at a time from the state alone, steered by a row of weights.

A seat values what it could capture (`prizes`): a territory, the turn's card, progress in a continent, breaking a rival's
continent, a rival's last territory. It attacks where the battle tables make the prize worth the armies, places armies
where that is best or where it is threatened most, and moves idle armies to its border. The weights make the player: plain
ones know nothing of continents, and the campaign search tries whole turns by varying them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stratagem.bits import lowest, popcount
from stratagem.games.risk import atlas, kernels
from stratagem.kernel import Ground, State
from stratagem.rng import Rng, unit

Weights = NDArray[np.float64]

# A row of weights. Prizes are in armies.
RANDOM = 0  # 1: any legal move
LAND = 1  # prize of any territory
CARD_PRIZE = 2  # of the first capture of a turn
PROGRESS = 3  # in a continent: times its bonus and the square of the share that would be held
COMPLETE = 4  # of the last territory of a continent, times its bonus
BREAK = 5  # of a territory of a continent that a rival holds whole, times its bonus
ELIMINATE = 6  # of a rival's last territory, and for each of its cards
LOSS = 7  # price of an army lost
HURT = 8  # prize of an army killed
CHANCE_NEEDED = 9  # least chance of a capture to begin an attack
RELUCTANCE = 10  # taken off each prize once a card is earned
FOCUS = 11  # extra prize of territories of each continent, 6 cells
RIVAL = 17  # extra prize of territories of each seat, 6 cells
GUARD = 23  # share of new armies that goes where the threat is greatest, in place of where the prize is
HOLD = 24  # 1: sets are traded only when they must be
WEIGHTS = 25

# scratch cells behind the state
MASK, REGION, THREAT, PRIZE = (
    kernels.STATE_SIZE,
    kernels.STATE_SIZE + 8,
    kernels.STATE_SIZE + 16,
    kernels.STATE_SIZE + 16 + atlas.TERRITORIES,
)
SCRATCH = 16 + 2 * atlas.TERRITORIES
AT_ONCE = 6  # so many new armies go to one place; of more, half
SCALE = 1000.0  # prizes are kept in thousandths


def sides(s: State) -> None:
    """Write each side's territories as bits."""
    for q in range(kernels.SEATS + 1):
        s[MASK + q] = 0
    for t in range(atlas.TERRITORIES):
        if s[kernels.OWNER + t] >= 0:
            s[MASK + s[kernels.OWNER + t]] |= 1 << t


def threats(s: State, p: int) -> None:
    """Write the armies of others beside each own territory; after `sides`."""
    mine = s[MASK + p]
    for t in range(atlas.TERRITORIES):
        s[THREAT + t] = 0
    rest = mine
    while rest != 0:
        t = lowest(rest)
        rest &= rest - 1
        beside = atlas.TOUCHES[t] & ~mine
        while beside != 0:
            s[THREAT + t] += s[kernels.ARMIES + lowest(beside)]
            beside &= beside - 1


def prizes(s: State, p: int, w: Weights) -> None:
    """Write what each territory that p touches is worth to it, in thousandths of an army; after `sides`."""
    mine = s[MASK + p]
    for c in range(atlas.CONTINENTS):
        held = popcount(mine & atlas.LANDS[c]) + 1
        share = held / atlas.CONTINENT_SIZE[c]
        x = w[LAND] + w[FOCUS + c] + w[PROGRESS] * atlas.BONUS[c] * share * share
        if held == atlas.CONTINENT_SIZE[c]:
            x += w[COMPLETE] * atlas.BONUS[c]
        if s[kernels.CAPTURED] == 1:
            x -= w[RELUCTANCE]
        elif kernels.CARDS != kernels.NO_CARDS:
            x += w[CARD_PRIZE]
        s[REGION + c] = int(SCALE * x)
    reach = 0
    rest = mine
    while rest != 0:
        reach |= atlas.TOUCHES[lowest(rest)]
        rest &= rest - 1
    reach &= ~mine
    while reach != 0:
        t = lowest(reach)
        reach &= reach - 1
        c = atlas.CONTINENT[t]
        q = s[kernels.OWNER + t]
        s[PRIZE + t] = s[REGION + c]
        if 0 <= q < kernels.SEATS:
            x = w[RIVAL + q]
            if s[MASK + q] & atlas.LANDS[c] == atlas.LANDS[c]:
                x += w[BREAK] * atlas.BONUS[c]
            if s[kernels.OWNS + q] == 1:
                x += w[ELIMINATE] * (2.0 + s[kernels.HELD + q])
            s[PRIZE + t] += int(SCALE * x)


def judged(s: State, a: int, t: int, more: int, w: Weights) -> float:
    """What attacking t from a is worth with `more` armies there, or below 0."""
    attack, defence = s[kernels.ARMIES + a] - 1 + more, s[kernels.ARMIES + t]
    if attack < 1:
        return -1.0
    most = max(attack, defence)
    if most >= atlas.FOUGHT:
        attack = max(attack * (atlas.FOUGHT - 1) // most, 1)
        defence = max(defence * (atlas.FOUGHT - 1) // most, 1)
    chance = atlas.CAPTURES[attack, defence]
    if chance < w[CHANCE_NEEDED]:
        return -1.0
    return (
        chance * s[PRIZE + t] / SCALE
        + w[HURT] * atlas.DEFENDER_LOSES[attack, defence]
        - w[LOSS] * atlas.ATTACKER_LOSES[attack, defence]
    )


def best_attack(s: State, p: int, more: int, w: Weights) -> int:
    """The best attack as from * 42 + to, or -1 if none is worth it; after `prizes`."""
    best, found = 0.0, -1
    mine = s[MASK + p]
    rest = mine
    while rest != 0:
        a = lowest(rest)
        rest &= rest - 1
        beside = atlas.TOUCHES[a] & ~mine
        if s[kernels.ARMIES + a] + more >= 2:
            while beside != 0:
                t = lowest(beside)
                beside &= beside - 1
                x = judged(s, a, t, more, w)
                if x > best:
                    best, found = x, a * atlas.TERRITORIES + t
    return found


def most_threatened(s: State, p: int) -> int:
    """The own territory that most wants armies: much beside it, little on it, the more so in an own continent."""
    best, found = -1.0, -1
    for t in range(atlas.TERRITORIES):
        if s[kernels.OWNER + t] == p:
            if found < 0:
                found = t
            if s[THREAT + t] > 0:
                x = (1.0 + s[THREAT + t]) / s[kernels.ARMIES + t]
                c = atlas.CONTINENT[t]
                if s[MASK + p] & atlas.LANDS[c] == atlas.LANDS[c]:
                    x *= 1.0 + atlas.BONUS[c]
                if x > best:
                    best, found = x, t
    return found


def march(s: State, p: int) -> int:
    """The fortification: the largest idle stack goes towards the border. from * 42 + to, or STOP."""
    most, source = 1, -1
    for t in range(atlas.TERRITORIES):
        if s[kernels.OWNER + t] == p and s[THREAT + t] == 0 and s[kernels.ARMIES + t] > most:
            most, source = s[kernels.ARMIES + t], t
    if source < 0:
        return kernels.STOP
    mine = s[MASK + p]
    if kernels.FORTIFYING == kernels.CONNECTED:
        joined = kernels.region(mine, source)
        best, goal = -1.0, -1
        for t in range(atlas.TERRITORIES):
            if joined >> t & 1 and s[THREAT + t] > 0:
                x = (1.0 + s[THREAT + t]) / s[kernels.ARMIES + t]
                if x > best:
                    best, goal = x, t
        return kernels.STOP if goal < 0 else source * atlas.TERRITORIES + goal
    # the nearest border: grow from the border territories inwards until the source is reached
    near = 0
    for t in range(atlas.TERRITORIES):
        if mine >> t & 1 and s[THREAT + t] > 0:
            near |= 1 << t
    for _ in range(atlas.TERRITORIES):
        if atlas.TOUCHES[source] & near != 0:
            best, goal = -1.0, -1
            for k in range(atlas.START[source], atlas.START[source + 1]):
                t = atlas.NEXT[k]
                if near >> t & 1:
                    x = (1.0 + s[THREAT + t]) / s[kernels.ARMIES + t]
                    if x > best:
                        best, goal = x, t
            return source * atlas.TERRITORIES + goal
        grown = near
        for t in range(atlas.TERRITORIES):
            if near >> t & 1:
                grown |= atlas.TOUCHES[t] & mine
        if grown == near:
            return kernels.STOP
        near = grown
    return kernels.STOP


def best_set(s: State, p: int) -> int:
    """The set worth most, own territories on it counted, wild cards spared; or KEEP."""
    best, found = -1.0, kernels.KEEP
    for a in range(kernels.DECK):
        if s[kernels.CARD + a] == kernels.HAND + p:
            for b in range(a + 1, kernels.DECK):
                if s[kernels.CARD + b] == kernels.HAND + p:
                    for c in range(b + 1, kernels.DECK):
                        if s[kernels.CARD + c] == kernels.HAND + p and kernels.is_set(a, b, c):
                            x = 1.0 * kernels.worth(s, a, b, c)
                            x += 2.0 * (
                                s[kernels.OWNER + a % kernels.WILD] == p or s[kernels.OWNER + b % kernels.WILD] == p
                            )
                            x -= (b >= kernels.WILD) + (c >= kernels.WILD)
                            if x > best:
                                best, found = x, a + kernels.DECK * (b + kernels.DECK * c)
    return found


def setup_place(s: State, p: int, r: Rng) -> int:
    """Where an army of the setup goes: beside the best prizes, kept in balance with the armies that stand there."""
    side = 2 if kernels.NEUTRAL and s[kernels.STEP] == 2 else p
    best, found = -1.0, 0
    for t in range(atlas.TERRITORIES):
        if s[kernels.OWNER + t] == side:
            x = 0.001 + 0.001 * unit(r)
            if side == p:
                beside = atlas.TOUCHES[t] & ~s[MASK + p]
                while beside != 0:
                    x += max(s[PRIZE + lowest(beside)] / SCALE, 0.0)
                    beside &= beside - 1
                x = x / (1.0 + s[kernels.ARMIES + t])
            if x > best:
                best, found = x, t
    return found


def claim_by_preference(s: State, p: int, r: Rng) -> int:
    """Claim the free territory of the continent that is small, well begun and little disputed."""
    mine, taken = 0, 0
    for t in range(atlas.TERRITORIES):
        taken |= (1 if s[kernels.OWNER + t] >= 0 else 0) << t
        mine |= (1 if s[kernels.OWNER + t] == p else 0) << t
    best, found = -1.0, 0
    for c in range(atlas.CONTINENTS):
        if atlas.LANDS[c] & ~taken != 0:
            held = popcount(mine & atlas.LANDS[c])
            others = popcount(taken & ~mine & atlas.LANDS[c])
            liked = (1.0 + held) * atlas.BONUS[c] / (atlas.CONTINENT_SIZE[c] * (1.0 + others))
            rest = atlas.LANDS[c] & ~taken
            while rest != 0:
                t = lowest(rest)
                rest &= rest - 1
                x = liked + 0.3 * popcount(atlas.TOUCHES[t] & mine) + 0.05 * unit(r)
                if x > best:
                    best, found = x, t
    return found


def decide(g: Ground, s: State, p: int, w: Weights, r: Rng) -> int:
    """The move of seat p by a row of weights."""
    if w[RANDOM] > 0.0:
        return kernels.sample(g, s, p, r)
    phase = s[kernels.PHASE]
    if phase == kernels.ATTACK:
        sides(s)
        prizes(s, p, w)
        found = best_attack(s, p, 0, w)
        return kernels.STOP if found < 0 else found
    if phase == kernels.HOW:
        # look again when about as much is lost as the defence is worth
        return kernels.DICE_MOVES + max(1, s[kernels.ARMIES + s[kernels.FROM]] - s[kernels.ARMIES + s[kernels.TO]] - 2)
    if phase == kernels.OCCUPY:
        return move_in(s, p)
    if phase == kernels.REINFORCE:
        sides(s)
        prizes(s, p, w)
        found = best_attack(s, p, s[kernels.POOL], w)
        if found < 0 or unit(r) < w[GUARD]:
            threats(s, p)
            return most_threatened(s, p)
        return found // atlas.TERRITORIES
    if phase == kernels.ADD:
        return s[kernels.POOL] if s[kernels.POOL] <= AT_ONCE else (s[kernels.POOL] + 1) // 2
    if phase == kernels.FORTIFY:
        sides(s)
        threats(s, p)
        return march(s, p)
    if phase == kernels.TRADE:
        if w[HOLD] > 0.0 and s[kernels.MIDTURN] == 0 and s[kernels.HELD + p] < 5:
            return kernels.KEEP
        return best_set(s, p)
    if phase == kernels.CLAIM:
        return claim_by_preference(s, p, r)
    if phase == kernels.PLACE:
        sides(s)
        prizes(s, p, w)
        return setup_place(s, p, r)
    if phase == kernels.CHOOSE_BONUS:
        sides(s)
        threats(s, p)
        found = s[kernels.FROM] if s[kernels.OWNER + s[kernels.FROM]] == p else s[kernels.TO]
        for k in range(3):
            t = s[kernels.FROM + k]
            if t < kernels.WILD and s[kernels.OWNER + t] == p and s[THREAT + t] > s[THREAT + found]:
                found = t
        return found
    if phase == kernels.DEFEND:
        return 2
    return s[kernels.ARMIES + s[kernels.FROM]] - 1  # SHIFT: all but one


def move_in(s: State, p: int) -> int:
    """How many armies follow a capture: all but one, fewer if the place they leave needs them more."""
    a, t = s[kernels.FROM], s[kernels.TO]
    most = s[kernels.ARMIES + a] - 1
    here, there = 0, 0
    for k in range(atlas.START[a], atlas.START[a + 1]):
        if s[kernels.OWNER + atlas.NEXT[k]] != p:
            here += s[kernels.ARMIES + atlas.NEXT[k]]
    for k in range(atlas.START[t], atlas.START[t + 1]):
        if s[kernels.OWNER + atlas.NEXT[k]] != p:
            there += s[kernels.ARMIES + atlas.NEXT[k]]
    if here == 0:
        return most
    if there == 0:
        return s[kernels.DICE]
    return max(s[kernels.DICE], most - most * here // (2 * (here + there)))


# ------------------------------------------------------------------------------------------------ the scripted players


def row(**weights: float) -> Weights:
    """A row of weights by name, in small letters: row(land=1.0, card_prize=2.0)."""
    w = np.zeros(WEIGHTS)
    for name, x in weights.items():
        w[globals()[name.rstrip("_").upper()]] = x
    return w


STYLES: dict[str, Weights] = {
    "random": row(random=1.0),
    # a chance of 0.4: an even fight, one against one, is taken
    "border": row(land=1.0, card_prize=1.0, chance_needed=0.4, guard=0.1),
    "continent": row(
        land=1.0, card_prize=2.0, progress=1.0, complete=2.0, break_=0.5, loss=0.5, hurt=0.3, chance_needed=0.55
    ),
    "expected": row(
        land=0.41,
        card_prize=5.7,
        progress=1.35,
        complete=1.13,
        break_=2.24,
        eliminate=2.86,
        loss=1.28,
        hurt=0.64,
        chance_needed=0.49,
        reluctance=0.33,
        guard=0.07,
    ),
}
