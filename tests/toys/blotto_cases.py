"""Rules of Blotto drawn over all axes, and their payoffs by the reference."""

from fractions import Fraction

from references import blotto as reference

from stratagem.games.blotto import Rules
from stratagem.games.blotto.rules import OBJECTIVES, TIES


def random_rules(rng, most_units=5, most_fronts=3, private=None):
    """Rules drawn over all axes."""
    fronts = rng.randint(1, most_fronts)
    values = [[Fraction(rng.randint(0, 4), rng.choice((1, 1, 2, 3))) for _ in range(fronts)] for _ in range(2)]
    if rng.random() < 0.5 if private is None else not private:
        values[1] = values[0]
    objectives = [rng.choice(OBJECTIVES)] * 2
    if rng.random() < 0.3:
        objectives[1] = rng.choice(OBJECTIVES)
    disposal = rng.random() < 0.3
    worth = Fraction(rng.randint(0, 2), 4) if disposal and "win" not in objectives else Fraction(0)
    return Rules(
        (rng.randint(0, most_units), rng.randint(0, most_units)), (tuple(values[0]), tuple(values[1])),
        tuple(objectives), rng.choice(TIES), Fraction(rng.choice((1, 2, 3))), disposal, worth,
    )  # fmt: skip


def plain(rules, a, b):
    return reference.payoffs(
        a, b, rules.units, rules.values, rules.objectives, rules.ties, int(rules.power), rules.worth
    )


def gains_by_brute_force(rules, first, second):
    """Both payoffs of two mixtures and what the best of all plans gains, from the reference alone."""
    rows, columns = (reference.allocations(u, rules.fronts, rules.disposal) for u in rules.units)
    cache = {}

    def pay(a, b):
        if (a, b) not in cache:
            cache[a, b] = tuple(float(x) for x in plain(rules, a, b))
        return cache[a, b]

    own = [sum(p * q * pay(a, b)[k] for a, p in first.items() for b, q in second.items()) for k in (0, 1)]
    best_a = max(sum(q * pay(a, b)[0] for b, q in second.items()) for a in rows)
    best_b = max(sum(p * pay(a, b)[1] for a, p in first.items()) for b in columns)
    return own, (best_a - own[0], best_b - own[1])
