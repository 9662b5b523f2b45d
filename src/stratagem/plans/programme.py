"""Programmes: ordered choices of k things out of a multiset of classes, numbered without gaps.

A programme is a sequence of class indices that uses class i at most mult[i] times. `count_programmes` says how many there are,
`rank` gives each a number in 0 .. count - 1 by lexicographic order, `unrank` gives it back, and `sample` draws one
uniformly; all of them by counting completions, the number of ways in which a prefix can go on.

The functions here are kernels: plain loops over int64 arrays, no allocation. `mult` is changed while they work and given
back as it was; `scratch` has at least SCRATCH cells. Counts stay within 64 bits: at most LONGEST of at most MOST things.

`rank_mixed` and `unrank_mixed` are another numbering, by mixed radix: each register is a digit, the index of its class
among those not used up, the first register being the least significant. It can be decoded without counting, but it has
gaps: a prefix that uses up a class has fewer continuations than its radix assumes. `rank_printed` is the same with the first
register as the most significant digit, as it was once printed: later radices depend on earlier digits, so that numbers collide.

`merge_exchanges` is for things that may be exchanged in some places only: programmes that exchanges lead to from one another
are one, the first of them in lexicographic order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stratagem.kernel import State
from stratagem.rng import Rng, below

LONGEST = 12  # registers
MOST = 20  # things in a multiset
SCRATCH = LONGEST + 1
GAP = -1  # what unrank_mixed returns for a number that stands for no programme


def count_programmes(mult: State, classes: int, k: int, scratch: State) -> int:
    """The number of k-sequences over classes with these multiplicities.

    A class that is used j times takes j of the places filled so far in C(places, j) ways: a product of exponential
    generating functions, kept in whole numbers.
    """
    for places in range(k + 1):
        scratch[places] = 0
    scratch[0] = 1
    for c in range(classes):
        for places in range(k, 0, -1):
            ways = 1  # C(places, used), step by step
            total = scratch[places]
            for used in range(1, min(mult[c], places) + 1):
                ways = ways * (places - used + 1) // used
                total += ways * scratch[places - used]
            scratch[places] = total
    return scratch[k]


def rank(mult: State, classes: int, programme: State, k: int, scratch: State) -> int:
    """The number of a programme: how many come before it in lexicographic order."""
    n = 0
    for i in range(k):
        for c in range(programme[i]):
            if mult[c] > 0:
                mult[c] -= 1
                n += count_programmes(mult, classes, k - i - 1, scratch)
                mult[c] += 1
        mult[programme[i]] -= 1
    for i in range(k):
        mult[programme[i]] += 1
    return n


def unrank(mult: State, classes: int, n: int, k: int, programme: State, scratch: State) -> None:
    """The programme of a number, 0 .. count - 1."""
    for i in range(k):
        for c in range(classes):
            if mult[c] == 0:
                continue
            mult[c] -= 1
            completions = count_programmes(mult, classes, k - i - 1, scratch)
            if n < completions:
                programme[i] = c
                break
            n -= completions
            mult[c] += 1
    for i in range(k):
        mult[programme[i]] += 1


def sample(mult: State, classes: int, k: int, r: Rng, programme: State, scratch: State) -> None:
    """A programme drawn uniformly."""
    unrank(mult, classes, below(r, count_programmes(mult, classes, k, scratch)), k, programme, scratch)


def digit_of(mult: State, classes: int, of: int) -> tuple[int, int]:
    """The place of a class among those that are left, and how many are left."""
    digit = 0
    radix = 0
    for c in range(classes):
        if mult[c] > 0:
            if c < of:
                digit += 1
            radix += 1
    return digit, radix


def rank_mixed(mult: State, classes: int, programme: State, k: int) -> int:
    """The mixed-radix number of a programme; numbers have gaps."""
    n = 0
    place = 1
    for i in range(k):
        digit, radix = digit_of(mult, classes, programme[i])
        n += place * digit
        place *= radix
        mult[programme[i]] -= 1
    for i in range(k):
        mult[programme[i]] += 1
    return n


def rank_printed(mult: State, classes: int, programme: State, k: int) -> int:
    """The number by the printed loop, n * radix + digit from the first register on; different programmes share numbers."""
    n = 0
    for i in range(k):
        digit, radix = digit_of(mult, classes, programme[i])
        n = n * radix + digit
        mult[programme[i]] -= 1
    for i in range(k):
        mult[programme[i]] += 1
    return n


def unrank_mixed(mult: State, classes: int, n: int, k: int, programme: State) -> int:
    """The programme of a mixed-radix number; returns k, or GAP if the number stands for none."""
    done = 0
    for i in range(k):
        radix = 0
        for c in range(classes):
            if mult[c] > 0:
                radix += 1
        if radix == 0:
            break
        digit = n % radix
        n //= radix
        for c in range(classes):
            if mult[c] > 0:
                if digit == 0:
                    programme[i] = c
                    mult[c] -= 1
                    break
                digit -= 1
        done += 1
    for i in range(done):
        mult[programme[i]] += 1
    return k if done == k and n == 0 else GAP


# ------------------------------------------------------------------------------------------- exchanges in some places only

NEVER = -1  # in the place of a set of places: two classes are not exchanged anywhere
BASE = 10  # of the code of a programme: more classes than a hand has cards there cannot be


def code_of(programme: State, k: int) -> int:
    """A programme as the digits of a number, the first place in front: codes rise as programmes do."""
    n = 0
    for i in range(k):
        n = n * BASE + programme[i]
    return n


def root_of(parent: State, n: int) -> int:
    """The first programme that n is joined with."""
    while parent[n] != n:
        parent[n] = parent[parent[n]]
        n = parent[n]
    return n


def join(parent: State, a: int, b: int) -> None:
    """Make two programmes one; the lesser number stands for both."""
    a = root_of(parent, a)
    b = root_of(parent, b)
    parent[max(a, b)] = min(a, b)


def next_programme(mult: State, classes: int, programme: State, k: int) -> bool:
    """Go on to the next programme in lexicographic order; `mult` holds what the present one leaves. False after the last."""
    for i in range(k - 1, -1, -1):
        mult[programme[i]] += 1
        c = programme[i] + 1
        while c < classes and mult[c] == 0:
            c += 1
        if c == classes:
            continue
        programme[i] = c
        mult[c] -= 1
        for j in range(i + 1, k):
            c = 0
            while mult[c] == 0:
                c += 1
            programme[j] = c
            mult[c] -= 1
        return True
    return False


def first_programme(mult: State, programme: State, k: int) -> None:
    """The first in lexicographic order; `mult` is left with what it leaves."""
    for j in range(k):
        c = 0
        while mult[c] == 0:
            c += 1
        programme[j] = c
        mult[c] -= 1


def list_programmes(mult: State, classes: int, k: int, programme: State, out: NDArray[np.int64]) -> None:
    """All programmes in lexicographic order into the rows of out."""
    first_programme(mult, programme, k)
    n = 0
    going = True
    while going:
        for i in range(k):
            out[n, i] = programme[i]
        n += 1
        going = next_programme(mult, classes, programme, k)


def join_one(
    mult: State, classes: int, programme: State, k: int, closed: State, place_of: State, parent: State
) -> None:
    """Join a programme with all that one exchange makes of it: of two of its things, or of one with a thing left over."""
    own = place_of[code_of(programme, k)]
    for p in range(k):
        a = programme[p]
        for b in range(classes):
            shut = closed[classes * a + b]
            if a != b and shut != NEVER and mult[b] > 0 and (shut >> p) & 1 == 0:
                programme[p] = b
                join(parent, own, place_of[code_of(programme, k)])
                programme[p] = a
        for q in range(p + 1, k):
            b = programme[q]
            shut = closed[classes * a + b]
            if a != b and shut != NEVER and (shut >> p) & 1 == 0 and (shut >> q) & 1 == 0:
                programme[p] = b
                programme[q] = a
                join(parent, own, place_of[code_of(programme, k)])
                programme[p] = a
                programme[q] = b


def merge_exchanges(
    mult: State, classes: int, k: int, closed: State, programme: State, place_of: State, parent: State
) -> int:
    """Join programmes that exchanges lead to from one another; returns how many are left.

    `closed[classes * a + b]` is the set of places (bit i: place i) in which things of the classes a and b are not exchanged, or
    NEVER. `place_of` has a cell for each code, `parent` one for each programme; afterwards parent[n] is the number, before
    joining, of the first programme that is the same as number n.
    """
    first_programme(mult, programme, k)
    n = 0
    going = True
    while going:
        place_of[code_of(programme, k)] = n
        parent[n] = n
        n += 1
        going = next_programme(mult, classes, programme, k)
    first_programme(mult, programme, k)
    going = True
    while going:
        join_one(mult, classes, programme, k, closed, place_of, parent)
        going = next_programme(mult, classes, programme, k)
    left = 0
    for m in range(n):
        parent[m] = root_of(parent, m)
        if parent[m] == m:
            left += 1
    return left
