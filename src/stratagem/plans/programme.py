"""Programmes: ordered choices of k things out of a multiset of classes, numbered without gaps.

A programme is a sequence of class indices that uses class i at most mult[i] times. `count_programmes` says how many there are,
`rank` gives each a number in 0 .. count - 1 by lexicographic order, `unrank` gives it back, and `sample` draws one
uniformly; all of them by counting completions, the number of ways in which a prefix can go on.

The functions here are kernels: plain loops over int64 arrays, no allocation. `mult` is changed while they work and given
back as it was; `scratch` has at least SCRATCH cells. Counts stay within 64 bits: at most LONGEST of at most MOST things.

`rank_mixed` and `unrank_mixed` are another numbering, by mixed radix: each register is a digit, the index of its class
among those not used up, the first register being the least significant. It can be decoded without counting, but it has
gaps: a prefix that uses up a class has fewer continuations than its radix assumes.
"""

from __future__ import annotations

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


def rank_mixed(mult: State, classes: int, programme: State, k: int) -> int:
    """The mixed-radix number of a programme; numbers have gaps."""
    n = 0
    place = 1
    for i in range(k):
        digit = 0
        radix = 0
        for c in range(classes):
            if mult[c] > 0:
                if c < programme[i]:
                    digit += 1
                radix += 1
        n += place * digit
        place *= radix
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
