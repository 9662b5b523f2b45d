"""Spells of the hand in the attack model.

A card is an attacker that takes no time and no place, so that it has no part in the order: it is cast when all who attack its
target have acted. Spells on the wounded ask for damage of another kind on the same target (beside them an attack may be more
than the sum needs), and a spell that sends back for just one blow that does not kill (chip damage). Cleave and Sunder ask for a
*striker*, which acts before their target goes; it may chip an enemy for that alone. What cards cost is one sum: a card played
gives up what its discard would have given. Stumble puts a wounded enemy out of the way, to a hex that is empty from the start
and that nobody might need.
"""

from __future__ import annotations

from stratagem.games.minions import layout, magic
from stratagem.games.minions.attack.clauses import (
    Model,
    at_least_one,
    at_most,
    at_most_one,
    clause2,
    clause3,
    close,
    put_literal,
    variable,
)
from stratagem.games.minions.attack.graph import CARDS, CREDIT, FOES, MOST, OWN, Graph, strikers_needed, wounds_first
from stratagem.games.minions.maps import apart


def cards(graph: Graph, m: Model) -> None:
    """Variables of casts: a card goes to one enemy, equal cards in their order, and all can be paid for."""
    first, end = graph.tally[OWN], graph.tally[OWN] + graph.tally[CARDS]
    for x in range(first, end):
        m.cast[x] = variable(m)
        n = 0
        for y in range(graph.tally[FOES]):
            pair = x * MOST + y
            if graph.harm[pair] != 0:
                m.hit[pair] = variable(m)
                clause2(m, -m.hit[pair], m.cast[x])
                m.list[n] = m.hit[pair]
                n += 1
        put_literal(m, -m.cast[x])
        at_least_one(m, n)
        at_most_one(m, n)
        if x > first and graph.card[x] == graph.card[x - 1]:
            clause2(m, -m.cast[x], m.cast[x - 1])
    n = 0
    for x in range(first, end):
        for _ in range(magic.mana_when_discarded(graph.card[x]) - magic.mana_when_played(graph.card[x])):
            m.list[n] = m.cast[x]
            n += 1
    if m.might[0] != 0:
        m.list[n] = m.might[0]
        n += 1
    if n > graph.tally[CREDIT]:
        at_most(m, n, graph.tally[CREDIT])


def strikers(graph: Graph, m: Model) -> None:
    """Who has attacked another enemy and has this one in range; it may attack somebody for that alone."""
    if not strikers_needed(graph):
        return
    for x in range(graph.tally[OWN]):
        if m.passive[x] == 0 or graph.lord[x] == 1:
            continue
        for y in range(graph.tally[FOES]):
            pair = x * MOST + y
            if graph.solid[y] == 0:
                m.striker[pair] = variable(m)
            if m.hit[pair] != 0 and 0 < graph.harm[pair] < graph.need[y]:
                m.chip[pair] = variable(m)
    for x in range(graph.tally[OWN]):
        for y in range(graph.tally[FOES]):
            pair = x * MOST + y
            if m.striker[pair] != 0:
                put_literal(m, -m.striker[pair])
                for h in range(MOST):
                    if m.fight[x * MOST + h] != 0 and layout.holds(graph.near[2 * pair], graph.near[2 * pair + 1], h):
                        put_literal(m, m.fight[x * MOST + h])
                close(m)
                put_literal(m, -m.striker[pair])
                for z in range(graph.tally[FOES]):
                    if z != y and m.hit[x * MOST + z] != 0:
                        put_literal(m, m.hit[x * MOST + z])
                close(m)
                if m.leave[x] != 0:
                    clause2(m, -m.striker[pair], -m.leave[x])
            if m.chip[pair] != 0:
                clause2(m, -m.chip[pair], m.hit[pair])
                if graph.hits[pair] > 1:
                    clause2(m, -m.chip[pair], -(m.hit[pair] + 1))
                put_literal(m, -m.chip[pair])
                for z in range(graph.tally[FOES]):
                    if z != y and m.striker[x * MOST + z] != 0:
                        put_literal(m, m.striker[x * MOST + z])
                close(m)
                for w in range(x):
                    if m.chip[w * MOST + y] != 0:
                        clause2(m, -m.chip[pair], -m.chip[w * MOST + y])


def asked_for(graph: Graph, m: Model, y: int) -> None:
    """What the cards cast on an enemy ask for: that it is wounded, or a striker."""
    for c in range(graph.tally[OWN], graph.tally[OWN] + graph.tally[CARDS]):
        cast = m.hit[c * MOST + y]
        if cast == 0:
            continue
        if magic.BY_STRIKER[graph.card[c]] == 1:
            put_literal(m, -cast)
            for x in range(graph.tally[OWN]):
                if m.striker[x * MOST + y] != 0:
                    put_literal(m, m.striker[x * MOST + y])
            close(m)
        if magic.WOUNDED[graph.card[c]] == 1 and graph.sore[y] == 0:
            put_literal(m, -cast)
            for x in range(graph.tally[OWN] + graph.tally[CARDS]):
                if m.hit[x * MOST + y] != 0 and wounds_first(graph, x, y):
                    put_literal(m, m.hit[x * MOST + y])
            close(m)


def spelled(graph: Graph, m: Model, y: int, effect: int) -> int:
    """The variable that says that a spell sends back or pushes an enemy, which one blow wounds and does not kill, or 0."""
    by_spell = 0
    for c in range(graph.tally[OWN], graph.tally[OWN] + graph.tally[CARDS]):
        if m.hit[c * MOST + y] != 0 and graph.harm[c * MOST + y] == effect:
            if by_spell == 0:
                by_spell = variable(m)
            clause2(m, -m.hit[c * MOST + y], by_spell)
            for d in range(graph.tally[OWN], c):  # one card is enough
                if m.hit[d * MOST + y] != 0 and graph.harm[d * MOST + y] == effect:
                    clause2(m, -m.hit[c * MOST + y], -m.hit[d * MOST + y])
    if by_spell == 0:
        return 0
    put_literal(m, -by_spell)
    for c in range(graph.tally[OWN], graph.tally[OWN] + graph.tally[CARDS]):
        if m.hit[c * MOST + y] != 0 and graph.harm[c * MOST + y] == effect:
            put_literal(m, m.hit[c * MOST + y])
    close(m)
    for x in range(graph.tally[OWN] + graph.tally[CARDS]):
        pair = x * MOST + y
        if m.hit[pair] == 0 or graph.harm[pair] <= 0:
            continue
        if graph.sore[y] == 1 or graph.harm[pair] >= graph.need[y]:
            clause2(m, -by_spell, -m.hit[pair])
            continue
        if graph.hits[pair] > 1:
            clause2(m, -by_spell, -(m.hit[pair] + 1))
        for w in range(x):
            if m.hit[w * MOST + y] != 0 and graph.harm[w * MOST + y] > 0:
                clause3(m, -by_spell, -m.hit[pair], -m.hit[w * MOST + y])
    return by_spell


def push_hexes(graph: Graph, m: Model, y: int) -> None:
    """Where a pushed enemy comes to stand: a hex that nobody of ours wants, and that nobody who moves might walk through."""
    put_literal(m, -m.pushed[y])
    lo, hi = graph.push[2 * y], graph.push[2 * y + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        m.shove[y * MOST + h] = variable(m)
        put_literal(m, m.shove[y * MOST + h])
    close(m)
    for h in range(MOST):
        shove = m.shove[y * MOST + h]
        if shove == 0:
            continue
        clause2(m, -shove, m.pushed[y])
        for other in range(h):
            if m.shove[y * MOST + other] != 0:
                clause2(m, -shove, -m.shove[y * MOST + other])
        for z in range(y):
            if m.shove[z * MOST + h] != 0:
                clause2(m, -shove, -m.shove[z * MOST + h])
        for x in range(graph.tally[OWN]):
            passes = apart(graph.own[x], h) <= graph.pace[x] and graph.way[2 * (x * MOST + h) + 1] > 0
            if passes and m.aside[x] != 0:
                clause2(m, -shove, -m.aside[x])
            for to in range(MOST):
                if to == h or (passes and to != graph.own[x]):
                    if m.fight[x * MOST + to] != 0:
                        clause2(m, -shove, -m.fight[x * MOST + to])
                    if m.step[x * MOST + to] != 0:
                        clause2(m, -shove, -m.step[x * MOST + to])


def push_uses(graph: Graph, m: Model) -> None:
    """An enemy is pushed only where somebody goes a way that it stood in."""
    for y in range(graph.tally[FOES]):
        if m.pushed[y] == 0:
            continue
        n = 0
        for x in range(graph.tally[OWN]):
            if m.opened[y * MOST + x] == 0:
                continue
            goes = variable(m)
            clause2(m, -goes, m.opened[y * MOST + x])
            put_literal(m, -goes)
            for h in range(MOST):
                start = graph.way[2 * (x * MOST + h)]
                through = False
                for i in range(graph.way[2 * (x * MOST + h) + 1]):
                    through = through or layout.holds(graph.way_lo[start + i], graph.way_hi[start + i], graph.foe[y])
                if through and m.fight[x * MOST + h] != 0:
                    put_literal(m, m.fight[x * MOST + h])
                if through and m.step[x * MOST + h] != 0:
                    put_literal(m, m.step[x * MOST + h])
            close(m)
            m.list[n] = goes
            n += 1
        put_literal(m, -m.pushed[y])
        at_least_one(m, n)
