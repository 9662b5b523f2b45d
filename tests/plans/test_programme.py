"""Numbering programmes: against plain enumeration, and the worked example."""

import itertools
import random

import numpy as np
import pytest

from stratagem.compile import specialise
from stratagem.plans import programme


def enumerate_plainly(mult, k):
    """All k-sequences in lexicographic order."""
    return [
        p for p in itertools.product(range(len(mult)), repeat=k) if all(p.count(c) <= mult[c] for c in range(len(mult)))
    ]  # fmt: skip


@pytest.fixture(scope="module")
def compiled():
    names = ("count_programmes", "rank", "unrank", "sample", "rank_mixed", "unrank_mixed")
    return {name: specialise(getattr(programme, name)) for name in names}


def hands(n, seed):
    rng = random.Random(seed)
    for _ in range(n):
        cards = rng.randint(1, 9)
        mult = []
        while sum(mult) < cards:
            mult.append(min(rng.randint(1, 4), cards - sum(mult)))
        yield mult, rng.randint(1, min(5, cards))


def test_ranks_are_dense_and_inverse(compiled):
    scratch = np.zeros(programme.SCRATCH, np.int64)
    for mult, k in hands(60, 1):
        m, out = np.array(mult, np.int64), np.zeros(k, np.int64)
        listed = enumerate_plainly(mult, k)
        assert compiled["count_programmes"](m, len(mult), k, scratch) == len(listed)
        for n in sorted(random.Random(2).sample(range(len(listed)), min(40, len(listed)))):
            p = np.array(listed[n], np.int64)
            assert compiled["rank"](m, len(mult), p, k, scratch) == n
            compiled["unrank"](m, len(mult), n, k, out, scratch)
            assert tuple(out) == listed[n]
        assert m.tolist() == mult  # given back as it was


def test_the_worked_example(compiled):
    m, scratch, out = np.array([2, 3, 2, 1, 1]), np.zeros(programme.SCRATCH, np.int64), np.zeros(5, np.int64)
    action = np.array([2, 1, 2, 4, 0])
    assert compiled["count_programmes"](m, 5, 5, scratch) == 1250
    assert compiled["rank"](m, 5, action, 5, scratch) == 766
    assert compiled["rank_mixed"](m, 5, action, 5) == 432
    for n, expected in ((0, (0, 0, 1, 1, 1)), (625, (1, 4, 2, 2, 0)), (1249, (4, 3, 2, 2, 1))):
        compiled["unrank"](m, 5, n, 5, out, scratch)
        assert tuple(out) == expected


def test_the_mixed_numbers_are_distinct_decodable_and_have_gaps(compiled):
    filled = []
    for mult, k in [([2, 3, 2, 1, 1], 5), ([1, 2], 2), *hands(40, 3)]:
        m, out = np.array(mult, np.int64), np.zeros(k, np.int64)
        numbers = {}
        for p in enumerate_plainly(mult, k):
            n = int(compiled["rank_mixed"](m, len(mult), np.array(p, np.int64), k))
            assert n not in numbers
            numbers[n] = p
        for n in range(max(numbers) + 2):
            found = compiled["unrank_mixed"](m, len(mult), n, k, out)
            assert (found == k) == (n in numbers)
            if n in numbers:
                assert tuple(out) == numbers[n]
        filled.append(len(numbers) / (max(numbers) + 1))
        if mult == [1, 2]:
            assert sorted(numbers) == [0, 1, 3]
        if mult == [2, 3, 2, 1, 1]:
            assert max(numbers) == 2780
    assert min(filled) < 1


def test_samples_are_uniform(compiled):
    m, k = np.array([2, 1, 1]), 3
    r, scratch, out = np.array([5, 0]), np.zeros(programme.SCRATCH, np.int64), np.zeros(k, np.int64)
    seen = {}
    for _ in range(12_000):
        compiled["sample"](m, 3, k, r, out, scratch)
        seen[tuple(out)] = seen.get(tuple(out), 0) + 1
    listed = enumerate_plainly([2, 1, 1], k)
    assert set(seen) == set(listed)
    expected = 12_000 / len(listed)
    assert sum((n - expected) ** 2 / expected for n in seen.values()) < 30  # chi-square, 11 degrees, p about 0.002
