"""The attack stage as clauses: everything that an attack phase can remove, and nothing else, is a model.

Every own unit does one thing: it *stays*, *fights* from a hex (its own or another), *steps* aside to a hex without fighting,
steps aside to *some* hex (where it has more free ones than others could ever take), or *vanishes* (blinks without
fighting). A fighter that can blink may do so after its last attack, and leaves its hex to others.

Three facts keep the model small. A unit that has arrived attacks at once: waiting opens nothing. Every attack on an enemy
is needed, none is wasted, so an enemy goes when the last of its attackers has acted; removal times are not needed, only an
order of own units. And that order is legal if no cycle of it contains a *strict* edge (w acts before x moves, because x's
way needs an enemy gone that w attacks, or w's hex); cycles of *weak* edges (z leaves its hex no later than x enters it)
are cyclic moves. The order is written as levels in unary, only within components of possible edges that contain a strict
one.

Where moves may be split, a unit might leave its hex early, wait elsewhere and go on later. The variable `split` drops what
forbids that: weak edges from such units, and that they stand on their hex all the while. Nothing asks whether there is a hex to
wait on. So plans are sought without it, and what is impossible even with it is proved to be.

A kill is a decision diagram over the attackers by falling damage: a node is (attacker, damage so far), and once the
damage suffices nobody else may attack. Taken in this order that says both that the damage suffices and that no attack is
wasted, and a diagram has at most attackers x defense nodes; they are written anew for each board, which is quicker than
to look them up.

Spells of the hand are in `casts`.

How clauses are written is in `clauses`.
"""

from __future__ import annotations

from stratagem.games.minions import layout, magic
from stratagem.games.minions.attack.casts import asked_for, cards, push_hexes, push_uses, spelled, strikers
from stratagem.games.minions.attack.clauses import (
    CLAUSES,
    LIST,
    OVERFLOW,
    VARIABLES,
    Model,
    at_least_one,
    at_most,
    at_most_one,
    clause2,
    clause3,
    clause4,
    close,
    put_literal,
    variable,
)
from stratagem.games.minions.attack.graph import (
    ALONE,
    CARDS,
    FOES,
    MIGHTS,
    MOST,
    OWN,
    PUSHING,
    SPLITS,
    STUMBLES,
    UNSUMMONING,
    Graph,
    reaches,
)
from stratagem.games.minions.layout import MAGIC

# ----------------------------------------------------------------------------------------------------------------- what units do


def fighting_hexes(graph: Graph, m: Model) -> None:
    """From where each own unit may fight."""
    for x in range(graph.tally[OWN]):
        lo, hi = 0, 0
        for y in range(graph.tally[FOES]):
            lo |= graph.strike[2 * (x * MOST + y)]
            hi |= graph.strike[2 * (x * MOST + y) + 1]
        m.hexes[2 * x] = lo
        m.hexes[2 * x + 1] = hi


def free_hexes(graph: Graph, x: int) -> tuple[int, int]:
    """The empty hexes that a unit reaches as things stand."""
    lo, hi = 0, 0
    for h in range(MOST):
        if graph.at[h] < 0 and graph.way[2 * (x * MOST + h) + 1] == 1:
            start = graph.way[2 * (x * MOST + h)]
            if graph.way_lo[start] == 0 and graph.way_hi[start] == 0:
                lo |= layout.low_bit(h)
                hi |= layout.high_bit(h)
    return lo, hi


def has_room(graph: Graph, x: int) -> bool:
    """Whether a unit has more free hexes than there are others that could ever come to stand on one of them."""
    lo, hi = free_hexes(graph, x)
    rivals = graph.tally[STUMBLES]  # each may put an enemy there
    for w in range(graph.tally[OWN]):
        if w == x or graph.loose[w] & 1 == 0:
            continue
        left_lo, left_hi = lo, hi
        while left_lo != 0 or left_hi != 0:
            h, left_lo, left_hi = layout.take(left_lo, left_hi)
            if graph.way[2 * (w * MOST + h) + 1] > 0:
                rivals += 1
                break
    return layout.size(lo, hi) > rivals


def choose_options(graph: Graph, m: Model) -> None:
    """Make the variables of what each unit does: it steps aside only if somebody could want its hex."""
    n = graph.tally[OWN]
    want_lo, want_hi = 0, 0
    for x in range(n):
        lo, hi = m.hexes[2 * x], m.hexes[2 * x + 1]
        home = graph.own[x]
        want_lo |= lo & ~layout.low_bit(home)
        want_hi |= hi & ~layout.high_bit(home)
        while lo != 0 or hi != 0:
            h, lo, hi = layout.take(lo, hi)
            m.fight[x * MOST + h] = variable(m)
        if m.hexes[2 * x] != 0 or m.hexes[2 * x + 1] != 0:
            m.passive[x] = variable(m)
            m.stay[x] = m.passive[x]
            if graph.loose[x] & 2 != 0 and graph.tally[ALONE] == 0:
                m.leave[x] = variable(m)
    again = graph.tally[ALONE] == 0
    while again:
        again = False
        for x in range(n):
            home = graph.own[x]
            if m.stay[x] != m.passive[x] or graph.loose[x] == 0 or not layout.holds(want_lo, want_hi, home):
                continue
            again = True
            m.stay[x] = variable(m)
            if graph.loose[x] & 2 != 0:
                m.vanish[x] = variable(m)
            if graph.loose[x] & 1 != 0:
                if has_room(graph, x):
                    m.aside[x] = variable(m)
                    continue
                for h in range(MOST):
                    if h != home and reaches(graph, x, h):
                        m.step[x * MOST + h] = variable(m)
                        want_lo |= layout.low_bit(h)
                        want_hi |= layout.high_bit(h)


def one_thing_each(graph: Graph, m: Model) -> None:
    """Every unit does exactly one thing."""
    for x in range(graph.tally[OWN]):
        if m.stay[x] == 0:
            continue
        n = 0
        if m.stay[x] != m.passive[x]:
            m.list[n] = m.stay[x]
            n += 1
            for h in range(MOST):
                if m.step[x * MOST + h] != 0:
                    m.list[n] = m.step[x * MOST + h]
                    n += 1
            if m.aside[x] != 0:
                m.list[n] = m.aside[x]
                n += 1
            if m.vanish[x] != 0:
                m.list[n] = m.vanish[x]
                n += 1
            if m.passive[x] != 0:
                for i in range(n):
                    clause2(m, -m.list[i], m.passive[x])
                put_literal(m, -m.passive[x])
            at_least_one(m, n)
            at_most_one(m, n)
        if m.passive[x] != 0:
            m.list[0] = m.passive[x]
            n = 1
            for h in range(MOST):
                if m.fight[x * MOST + h] != 0:
                    m.list[n] = m.fight[x * MOST + h]
                    n += 1
            at_least_one(m, n)
            at_most_one(m, n)
            if m.leave[x] != 0:
                clause2(m, -m.leave[x], -m.passive[x])


def before(m: Model, w: int, x: int) -> int:
    """The variable that says that w acts before x moves."""
    if m.before[w * MOST + x] == 0:
        m.before[w * MOST + x] = variable(m)
    return m.before[w * MOST + x]


def split(graph: Graph, m: Model, x: int) -> int:
    """The variable that says that moves may be split, where x may split its move; else 0."""
    if not MAGIC or graph.loose[x] & SPLITS == 0 or graph.tally[ALONE] == 1:
        return 0
    if m.split[0] == 0:
        m.split[0] = variable(m)
    return m.split[0]


def unless(m: Model, reason: int, a: int, b: int, c: int) -> None:
    """A clause of two literals, or of three where c is not 0, that a reason other than 0 sets aside."""
    if reason != 0:
        put_literal(m, reason)
    if c != 0:
        put_literal(m, c)
    clause2(m, a, b)


def one_unit_a_hex(graph: Graph, m: Model) -> None:
    """No hex holds two units at once; where a fighter blinks, others may come after it."""
    for h in range(MOST):
        n, passing = (
            0,
            0,
        )  # literals of who comes to stay, in the list; of who may blink away again, in `spare` with their unit
        owner = graph.at[h]
        if owner >= 0 and graph.own[owner] != h:
            owner = -1  # an enemy's hex
        comes = 0
        for x in range(graph.tally[OWN]):
            if x == owner:
                continue
            if m.step[x * MOST + h] != 0:
                m.list[n] = m.step[x * MOST + h]
                m.spare[LIST // 2 + n] = x
                n += 1
                comes += 1
            if m.fight[x * MOST + h] != 0:
                comes += 1
                if m.leave[x] != 0:
                    m.spare[2 * passing] = m.fight[x * MOST + h]
                    m.spare[2 * passing + 1] = x
                    passing += 1
                else:
                    m.list[n] = m.fight[x * MOST + h]
                    m.spare[LIST // 2 + n] = x
                    n += 1
        if comes == 0:
            continue
        share_with_passing(m, h, owner, n, passing, 0 if owner < 0 else split(graph, m, owner))
        if owner >= 0 and m.stay[owner] != 0 and graph.tally[ALONE] == 0:
            m.list[n] = m.stay[owner]
            n += 1
        if owner >= 0 and m.fight[owner * MOST + h] != 0 and m.leave[owner] == 0:
            m.list[n] = m.fight[owner * MOST + h]
            n += 1
        at_most_one(m, n)


def share_with_passing(m: Model, h: int, owner: int, n: int, passing: int, splits: int) -> None:
    """Two on one hex: the earlier has to blink, before the later comes. Who stands there from the start comes first; one that
    may split its move could also make way and come back (`splits`)."""
    if owner >= 0:
        fights = m.fight[owner * MOST + h]
        for i in range(n + passing):
            returns = 0
            if i < n:
                comes, x = m.list[i], m.spare[LIST // 2 + i]
            else:
                comes, x, returns = m.spare[2 * (i - n)], m.spare[2 * (i - n) + 1], splits
                if m.stay[owner] != 0:
                    unless(m, returns, -m.stay[owner], -comes, 0)
                if fights != 0 and m.leave[owner] == 0:
                    unless(m, returns, -fights, -comes, 0)
            if fights != 0 and m.leave[owner] != 0:
                unless(m, returns, -fights, -comes, m.leave[owner])
                unless(m, returns, -fights, -comes, before(m, owner, x))
    for i in range(passing):
        a, w = m.spare[2 * i], m.spare[2 * i + 1]
        for j in range(n):
            c, x = m.list[j], m.spare[LIST // 2 + j]
            if x != w:
                clause3(m, -a, -c, m.leave[w])
                clause3(m, -a, -c, before(m, w, x))
        for j in range(i):
            c, x = m.spare[2 * j], m.spare[2 * j + 1]
            first, second = before(m, w, x), before(m, x, w)
            clause4(m, -a, -c, m.leave[w], m.leave[x])
            clause4(m, -a, -c, m.leave[w], second)
            clause4(m, -a, -c, first, m.leave[x])
            clause4(m, -a, -c, first, second)


# --------------------------------------------------------------------------------------------------------------------- attacks


def attacks(graph: Graph, m: Model) -> None:
    """Variables of hits: from where they can be made, how many there are, and that a fighter attacks somebody."""
    for x in range(graph.tally[OWN]):
        if m.passive[x] == 0:
            continue
        for y in range(graph.tally[FOES]):
            pair = x * MOST + y
            if graph.harm[pair] == 0:
                continue
            m.hit[pair] = m.tally[VARIABLES] + 1
            m.tally[VARIABLES] += graph.hits[pair]
            put_literal(m, -m.hit[pair])
            lo, hi = graph.strike[2 * pair], graph.strike[2 * pair + 1]
            while lo != 0 or hi != 0:
                h, lo, hi = layout.take(lo, hi)
                put_literal(m, m.fight[x * MOST + h])
            close(m)
            for j in range(1, graph.hits[pair]):
                clause2(m, -(m.hit[pair] + j), m.hit[pair] + j - 1)
        for h in range(MOST):
            if m.fight[x * MOST + h] != 0:
                put_literal(m, -m.fight[x * MOST + h])
                for y in range(graph.tally[FOES]):
                    pair = x * MOST + y
                    if layout.holds(graph.strike[2 * pair], graph.strike[2 * pair + 1], h) and graph.harm[pair] != 0:
                        put_literal(m, m.hit[pair])
                close(m)
        n = 0
        for y in range(graph.tally[FOES]):
            if m.hit[x * MOST + y] != 0:
                for j in range(graph.hits[x * MOST + y]):
                    m.list[n] = m.hit[x * MOST + y] + j
                    n += 1
        if MAGIC and graph.extra[x] > 0:
            if m.might[0] == 0:
                m.might[0] = variable(m)
            for _ in range(graph.extra[x]):  # places in the list that are taken unless the spell is cast
                m.list[n] = -m.might[0]
                n += 1
        if n > graph.left[x]:
            if graph.left[x] == 1:
                at_most_one(m, n)
            else:
                at_most(m, n, graph.left[x])


def removals(graph: Graph, m: Model) -> None:
    """An enemy is removed if it is killed or unsummoned; who attacks it does one or the other."""
    attackers = graph.tally[OWN] + graph.tally[CARDS]
    for y in range(graph.tally[FOES]):
        if graph.solid[y] == 1:
            continue
        damaging, n = 0, 0
        for x in range(attackers):
            if m.hit[x * MOST + y] != 0:
                if graph.harm[x * MOST + y] == UNSUMMONING:
                    m.list[n] = m.hit[x * MOST + y]
                    n += 1
                elif graph.harm[x * MOST + y] > 0:
                    damaging += graph.harm[x * MOST + y] * graph.hits[x * MOST + y]
        m.gone[y] = variable(m)
        if damaging >= graph.need[y]:
            m.kill[y] = variable(m) if n > 0 else m.gone[y]
        if n > 0:
            m.unsummon[y] = variable(m) if m.kill[y] != 0 else m.gone[y]
            for i in range(n):
                clause2(m, -m.list[i], m.unsummon[y])
            put_literal(m, -m.unsummon[y])
            at_least_one(m, n)
            at_most_one(m, n)
        if m.kill[y] == 0 and n == 0:  # whoever could remove it has turned out not to
            put_literal(m, -m.gone[y])
            close(m)
        if m.kill[y] != 0 and n > 0:
            clause2(m, -m.kill[y], m.gone[y])
            clause2(m, -m.unsummon[y], m.gone[y])
            clause3(m, -m.gone[y], m.kill[y], m.unsummon[y])
            clause2(m, -m.kill[y], -m.unsummon[y])
        by_spell = 0
        if MAGIC and graph.tally[CARDS] > 0:
            asked_for(graph, m, y)
            by_spell = spelled(graph, m, y, UNSUMMONING)
            if graph.tally[STUMBLES] > 0:
                m.pushed[y] = spelled(graph, m, y, PUSHING)
        for x in range(attackers):
            pair = x * MOST + y
            if m.hit[pair] != 0 and graph.harm[pair] > 0:
                put_literal(m, -m.hit[pair])
                if m.kill[y] != 0:
                    put_literal(m, m.kill[y])
                if by_spell != 0:
                    put_literal(m, by_spell)
                if m.pushed[y] != 0:
                    put_literal(m, m.pushed[y])
                if m.chip[pair] != 0:
                    put_literal(m, m.chip[pair])
                close(m)
                if m.chip[pair] != 0:
                    clause2(m, -m.chip[pair], -m.gone[y])
        if m.pushed[y] != 0:
            clause2(m, -m.pushed[y], -m.gone[y])
            push_hexes(graph, m, y)
        if m.kill[y] != 0:
            kill_diagram(graph, m, y)


def rank(graph: Graph, x: int, y: int) -> int:
    """The order of attackers in a diagram, the greatest first."""
    if MAGIC and x >= graph.tally[OWN] and magic.WOUNDED[graph.card[x]] == 1:
        return graph.harm[x * MOST + y] - MOST
    return graph.harm[x * MOST + y]


def kill_diagram(graph: Graph, m: Model, y: int) -> None:
    """Damage that suffices, with no attack wasted: attackers by falling damage, and none after the one that kills.

    Spells on the wounded come last: they are cast last, and need a wound though they may do damage enough without it."""
    need = graph.need[y]
    n = 0  # attackers into `spare`
    for x in range(graph.tally[OWN] + graph.tally[CARDS]):
        harm = graph.harm[x * MOST + y]
        if m.hit[x * MOST + y] != 0 and harm > 0:
            place = n
            while place > 0 and rank(graph, m.spare[place - 1], y) < rank(graph, x, y):
                m.spare[place] = m.spare[place - 1]
                place -= 1
            m.spare[place] = x
            n += 1
    most = 0  # what all attackers from here on can do
    for i in range(n):
        most += graph.harm[m.spare[i] * MOST + y] * graph.hits[m.spare[i] * MOST + y]
    # nodes of one attacker, by damage so far, are in list[now ..]; dead[i] means that from i on nobody attacks
    now, then = 0, need + 1
    for t in range(2 * (need + 1)):
        m.list[t] = 0
    m.list[now] = m.kill[y]
    dead = 0
    for i in range(n):
        x = m.spare[i]
        pair = x * MOST + y
        harm, cap = graph.harm[pair], graph.hits[pair]
        most -= harm * cap
        for t in range(need + 1):
            m.list[then + t] = 0
        silent = variable(m) if i + 1 < n else 0  # nobody behind this one attacks
        if dead != 0:
            clause2(m, -dead, -m.hit[pair])
            if silent != 0:
                clause2(m, -dead, silent)
        for t in range(need):
            node = m.list[now + t]
            if node == 0:
                continue
            for j in range(cap + 1):
                if j > 0 and t + (j - 1) * harm >= need:
                    # one attack fewer would have sufficed
                    clause2(m, -node, -(m.hit[pair] + j - 1))
                    break
                total = t + j * harm
                if total >= need and silent == 0:
                    continue  # the last attacker ends it: nothing to ask for
                put_literal(m, -node)
                if j > 0:
                    put_literal(m, -(m.hit[pair] + j - 1))
                if j < cap:
                    put_literal(m, m.hit[pair] + j)
                if total >= need:
                    put_literal(m, silent)
                elif total + most >= need:
                    if m.list[then + total] == 0:
                        m.list[then + total] = variable(m)
                    put_literal(m, m.list[then + total])
                close(m)
        dead = silent
        now, then = then, now


# ----------------------------------------------------------------------------------------------------------------------- order


def opened(m: Model, z: int, x: int) -> int:
    """The variable that says that enemy z is gone before x moves."""
    if m.opened[z * MOST + x] == 0:
        m.opened[z * MOST + x] = variable(m)
    return m.opened[z * MOST + x]


def paths(graph: Graph, m: Model) -> None:
    """Who moves has a way: one of its sets of enemies is gone before it moves."""
    for x in range(graph.tally[OWN]):
        kinds = 0  # sets of two enemies and more that have a variable, in `spare`: lo, hi, variable
        for h in range(MOST):
            fights, steps = m.fight[x * MOST + h], m.step[x * MOST + h]
            if h == graph.own[x] or (fights == 0 and steps == 0):
                continue
            start, n = graph.way[2 * (x * MOST + h)], graph.way[2 * (x * MOST + h) + 1]
            if n == 1 and graph.way_lo[start] == 0 and graph.way_hi[start] == 0:
                continue
            for i in range(n):
                lo, hi = graph.way_lo[start + i], graph.way_hi[start + i]
                if layout.size(lo, hi) == 1:
                    m.list[i] = opened(m, graph.at[layout.first_hex(lo, hi)], x)
                    continue
                m.list[i] = 0
                for j in range(kinds):
                    if m.spare[3 * j] == lo and m.spare[3 * j + 1] == hi:
                        m.list[i] = m.spare[3 * j + 2]
                if m.list[i] == 0:
                    m.list[i] = variable(m)
                    m.spare[3 * kinds] = lo
                    m.spare[3 * kinds + 1] = hi
                    m.spare[3 * kinds + 2] = m.list[i]
                    kinds += 1
                    while lo != 0 or hi != 0:
                        z, lo, hi = layout.take(lo, hi)
                        clause2(m, -m.list[i], opened(m, graph.at[z], x))
            if fights != 0:
                put_literal(m, -fights)
                at_least_one(m, n)
            if steps != 0:
                put_literal(m, -steps)
                at_least_one(m, n)


def openings(graph: Graph, m: Model) -> None:
    """Who is gone before x moves is removed, by attackers that act before x."""
    for z in range(graph.tally[FOES]):
        for x in range(graph.tally[OWN]):
            gone_first = m.opened[z * MOST + x]
            if gone_first == 0:
                continue
            put_literal(m, -gone_first)
            put_literal(m, m.gone[z])
            if m.pushed[z] != 0:
                put_literal(m, m.pushed[z])
            close(m)
            for w in range(graph.tally[OWN]):
                if m.hit[w * MOST + z] != 0:
                    if w == x:
                        clause2(m, -gone_first, -m.hit[w * MOST + z])
                    else:
                        clause3(m, -gone_first, -m.hit[w * MOST + z], before(m, w, x))
                if MAGIC and m.striker[w * MOST + z] != 0:
                    if w == x:
                        clause2(m, -gone_first, -m.striker[w * MOST + z])
                    else:
                        clause3(m, -gone_first, -m.striker[w * MOST + z], before(m, w, x))


def close_order(graph: Graph, m: Model) -> None:
    """For each unit those that may have to come before it, through any number of others."""
    n = graph.tally[OWN]
    for x in range(n):
        lo, hi = 0, 0
        for w in range(n):
            home = graph.own[w]
            weak = w != x and (m.fight[x * MOST + home] != 0 or m.step[x * MOST + home] != 0)
            if weak or m.before[w * MOST + x] != 0:
                lo |= layout.low_bit(w)
                hi |= layout.high_bit(w)
        m.follows[2 * x] = lo
        m.follows[2 * x + 1] = hi
    for w in range(n):
        for x in range(n):
            if layout.holds(m.follows[2 * x], m.follows[2 * x + 1], w):
                m.follows[2 * x] |= m.follows[2 * w]
                m.follows[2 * x + 1] |= m.follows[2 * w + 1]


def depth(graph: Graph, m: Model, lo: int, hi: int) -> int:
    """How many levels a component of the order can need: a step up takes a unit, and an enemy removed or a blink."""
    later, causes = 0, 0
    for x in range(graph.tally[OWN]):
        if layout.holds(lo, hi, x):
            causes += m.leave[x] != 0
            for w in range(graph.tally[OWN]):
                if layout.holds(lo, hi, w) and m.before[w * MOST + x] != 0:
                    later += 1
                    break
    for z in range(graph.tally[FOES]):
        for x in range(graph.tally[OWN]):
            if layout.holds(lo, hi, x) and m.opened[z * MOST + x] != 0:
                causes += 1
                break
    return min(later, causes)


def order(graph: Graph, m: Model) -> None:
    """No cycle of the order contains a strict edge: a strict edge goes up a level, a weak one does not go down."""
    close_order(graph, m)
    n = graph.tally[OWN]
    done_lo, done_hi = 0, 0
    for x in range(n):
        if layout.holds(done_lo, done_hi, x) or not layout.holds(m.follows[2 * x], m.follows[2 * x + 1], x):
            continue
        lo, hi = layout.low_bit(x), layout.high_bit(x)
        for w in range(n):
            both = layout.holds(m.follows[2 * x], m.follows[2 * x + 1], w) and layout.holds(
                m.follows[2 * w], m.follows[2 * w + 1], x
            )
            if both:
                lo |= layout.low_bit(w)
                hi |= layout.high_bit(w)
        done_lo |= lo
        done_hi |= hi
        top = depth(graph, m, lo, hi)
        if top == 0:
            continue
        for w in range(n):
            if layout.holds(lo, hi, w):
                m.level[w] = m.tally[VARIABLES]
                m.tally[VARIABLES] += top
                for t in range(2, top + 1):
                    clause2(m, -(m.level[w] + t), m.level[w] + t - 1)
        for w in range(n):
            for v in range(n):
                if v != w and layout.holds(lo, hi, w) and layout.holds(lo, hi, v):
                    order_pair(graph, m, w, v, top)


def order_pair(graph: Graph, m: Model, w: int, x: int, top: int) -> None:
    """The edges from w to x in one component of the order."""
    strict = m.before[w * MOST + x]
    if strict != 0:
        clause2(m, -strict, m.level[x] + 1)
        for t in range(1, top):
            clause3(m, -strict, -(m.level[w] + t), m.level[x] + t + 1)
        clause2(m, -strict, -(m.level[w] + top))
    for literal in (m.fight[x * MOST + graph.own[w]], m.step[x * MOST + graph.own[w]]):
        if literal != 0:
            early = split(graph, m, w)
            for t in range(1, top + 1):
                unless(m, early, -literal, -(m.level[w] + t), m.level[x] + t)


# ---------------------------------------------------------------------------------------------------------------- the whole model


def build(graph: Graph, m: Model) -> int:
    """Write the model of a graph into one that is cleared; returns the number of clauses, or -1 if they do not fit."""
    fighting_hexes(graph, m)
    choose_options(graph, m)
    one_thing_each(graph, m)
    one_unit_a_hex(graph, m)
    attacks(graph, m)
    if MAGIC and (graph.tally[CARDS] > 0 or graph.tally[MIGHTS] > 0):
        cards(graph, m)
        strikers(graph, m)
    removals(graph, m)
    paths(graph, m)
    openings(graph, m)
    if MAGIC and graph.tally[STUMBLES] > 0:
        push_uses(graph, m)
    order(graph, m)
    return -1 if m.tally[OVERFLOW] == 1 else m.tally[CLAUSES]
