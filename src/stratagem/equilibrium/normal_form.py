"""Games of two and more players given as numbers: one array of payoffs a player, an axis a player in each.

- `correlated`: a correlated equilibrium by a linear programme, the best for the players' sum or for one of them; `coarse`
  gives the larger set in which nobody gains by ignoring the recommendation from the start.
- `mixed`: Nash equilibria. Two players are left to the exact methods of `bimatrix`. With three and more an equilibrium is the
  root of polynomials and may be irrational, so no method is exact. Pure equilibria are listed first. Then supports are tried
  by their size (Porter, Nudelman and Shoham 2008), each by Newton's method. Where supports are too many, descent on the gains
  (McKelvey 1998) finds one. Every answer carries its certificate: how much a best reply would gain each player, measured on
  the payoffs as given. The list need not be complete.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stratagem.equilibrium.bimatrix import MOST_SUPPORTS, lemke_howson, support_enumeration
from stratagem.equilibrium.programme import minimise
from stratagem.equilibrium.result import Vector
from stratagem.errors import OptionError, StratagemError

Payoffs = tuple[NDArray[np.float64], ...]
MOST_PLAYERS, MOST_CELLS = 8, 100_000  # of a game
MOST_MIXED = 4_096  # joint moves of three players and more, for mixed equilibria
MOST_ENTRIES = 20_000_000  # of a linear programme
TOLERANCE = 1e-9  # of the spread of the payoffs: an answer with less to gain is an equilibrium
FEW_SUPPORTS = 5_000  # profiles of supports that are tried one by one
STARTS = 4  # of Newton's method, for each of them
STEPS = 30
DESCENTS = 24
MOST_LOOKS = 4_000  # at the loss, in one descent
SAME = 1e-6  # mixtures nearer than this are one


def payoff_arrays(payoffs: Sequence[ArrayLike]) -> Payoffs:
    """Checked arrays, one a player: all of one shape, with an axis a player."""
    players = len(payoffs)
    if not 2 <= players <= MOST_PLAYERS:
        raise OptionError(f"payoffs of {players} players; a game given as numbers has 2 to {MOST_PLAYERS}")
    found = []
    for k, given in enumerate(payoffs):
        try:
            a = np.ascontiguousarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise OptionError(f"the payoffs of player {k + 1} are no array of numbers with equal rows") from None
        if a.ndim != players or a.size == 0:
            raise OptionError(
                f"the payoffs of player {k + 1} have the shape {a.shape}; with {players} players they have {players} axes, "
                "each with at least one move"
            )
        if not np.isfinite(a).all():
            raise OptionError(f"the payoffs of player {k + 1} hold numbers that are not finite")
        found.append(a)
    if len({a.shape for a in found}) > 1:
        raise OptionError(f"the players' payoffs have the shapes {[a.shape for a in found]}; they must be alike")
    if found[0].size > MOST_CELLS:
        raise OptionError(f"{found[0].size:,} joint moves are too many; at most {MOST_CELLS:,}")
    return tuple(found)


# ------------------------------------------------------------------------------------------- correlated equilibria


@dataclass(frozen=True)
class Correlated:
    """A distribution over joint moves that nobody gains by deviating from, when each hears only its own part.

    `gains` are the most that each player gains by a deviation: from one recommendation, times its probability, or of a coarse
    one by ignoring all of them.
    """

    joint: NDArray[np.float64]  # an axis a player
    values: tuple[float, ...]
    gains: tuple[float, ...]
    coarse: bool = False

    @property
    def exploitability(self) -> float:
        """The mean of the gains."""
        return sum(self.gains) / len(self.gains)


ROLES = {"row": 0, "column": 1}


def correlated(*payoffs: ArrayLike, objective: str | int = "sum", coarse: bool = False) -> Correlated:
    """Return the correlated equilibrium that is best for the players' sum, or for one of them.

    Args:
        *payoffs: one array per player, each with an axis per player.
        objective: `"sum"`, or a player counted from 0; `"row"` and `"column"` are the first two.
        coarse: whether to take the larger set of coarse correlated equilibria, in which a player decides whether to
            follow the recommendation before it hears it.

    Returns:
        A distribution over joint moves, with each player's value and the most that a deviation gains.

    Raises:
        OptionError: the payoffs do not fit, the objective is unknown, or the game is too large.
        StratagemError: the linear programme could not be solved.
    """
    from scipy.sparse import coo_matrix

    arrays = payoff_arrays(payoffs)
    shape, players = arrays[0].shape, len(arrays)
    best_for = ROLES.get(str(objective), objective)
    if best_for != "sum" and not (isinstance(best_for, int) and 0 <= best_for < players):
        raise OptionError(f"unknown objective {objective!r}; it is sum, or a player from 0 to {players - 1}")
    if sum(arrays[0].size * (m - 1 if not coarse else m) for m in shape) > MOST_ENTRIES:
        raise OptionError(f"a game of {' x '.join(map(str, shape))} makes too large a linear programme")
    cells = np.arange(arrays[0].size).reshape(shape)
    entries: list[tuple[Any, Any, Any]] = []  # what a deviation gains in each joint move: values, constraints, cells
    rows = 0
    for i, u in enumerate(arrays):
        mine, places = (np.moveaxis(x, i, 0).reshape(shape[i], -1) for x in (u, cells))
        for advised, to in product(range(shape[i]), repeat=2):
            if coarse and advised == 0:  # `to` whatever is advised
                gain, columns = (mine[to] - mine).ravel(), places.ravel()
            elif coarse or advised == to:
                continue
            else:
                gain, columns = mine[to] - mine[advised], places[advised]
            entries.append((gain, np.full(gain.size, rows), columns))
            rows += 1
    limits: dict[str, Any] = {}
    if entries:
        values = np.concatenate([gain for gain, _, _ in entries])
        lines, columns = (np.concatenate([entry[k] for entry in entries]).astype(np.int64) for k in (1, 2))
        limits = {"A_ub": coo_matrix((values, (lines, columns)), (rows, cells.size)).tocsr(), "b_ub": np.zeros(rows)}
    wanted = sum(arrays) if best_for == "sum" else arrays[int(best_for)]
    found = minimise(-np.ravel(wanted), **limits, A_eq=np.ones((1, cells.size)), b_eq=[1.0])
    if found.x is None:
        raise StratagemError(f"the linear programme of the correlated equilibrium was not solved: {found.message}")
    joint = np.maximum(found.x, 0.0).reshape(shape)
    joint /= joint.sum()
    worth = tuple(float((u * joint).sum()) for u in arrays)
    return Correlated(joint, worth, tuple(_deviation(u, joint, i, coarse) for i, u in enumerate(arrays)), coarse)


def _deviation(u: NDArray[np.float64], joint: NDArray[np.float64], i: int, coarse: bool) -> float:
    """The most that player i gains by one deviation."""
    mine, dealt = (np.moveaxis(x, i, 0).reshape(u.shape[i], -1) for x in (u, joint))
    worth = mine @ dealt.T  # [deviation, advised]
    if coarse:
        return max(float(worth.sum(axis=1).max() - worth.trace()), 0.0)
    return max(float((worth.max(axis=0) - worth.diagonal()).max()), 0.0)


# --------------------------------------------------------------------------------------------------- Nash equilibria


@dataclass(frozen=True)
class Profile:
    """A mixture a player, with its certificate: `gains` are what a best reply would gain each player, and `gap` the largest."""

    strategies: tuple[Vector, ...]
    values: tuple[float, ...]
    gains: tuple[float, ...]
    method: str  # pure, support, lemke-howson, newton or descent
    work: int = 0  # supports or starts that were tried until it was found

    @property
    def gap(self) -> float:
        """The largest of the gains."""
        return max(self.gains)


def measured_profile(payoffs: Sequence[ArrayLike], strategies: Sequence[ArrayLike], method: str = "given") -> Profile:
    """Return given mixtures with what best replies would gain against them.

    Args:
        payoffs: one array per player, each with an axis per player.
        strategies: one mixture per player.
        method: a name for where the mixtures come from.

    Returns:
        The mixtures with their values and gains.

    Raises:
        OptionError: the payoffs or mixtures do not fit.
    """
    arrays = payoff_arrays(payoffs)
    mixtures = [np.asarray(p, np.float64) for p in strategies]
    if [p.shape for p in mixtures] != [(m,) for m in arrays[0].shape]:
        raise OptionError(f"mixtures of {[p.size for p in mixtures]} moves do not fit a game of {arrays[0].shape}")
    return _measured(arrays, mixtures, method, 0)


def mixed(
    *payoffs: ArrayLike,
    most: int | None = 1,
    seed: int = 0,
    tolerance: float = TOLERANCE,
    seconds: float | None = None,
) -> tuple[Profile, ...]:
    """Return Nash equilibria, those of the smallest supports first.

    Args:
        *payoffs: one array per player, each with an axis per player.
        most: how many to look for; None for all that are found. With three players or more there may be others.
        seed: the seed of the starts; the same seed gives the same answer.
        tolerance: the most that a best reply may gain, as a share of the spread of payoffs.
        seconds: with three players or more, the time after which the search ends with what it has.

    Returns:
        The equilibria. Where none is within the tolerance, the one profile with the smallest gap: look at `gap`.

    Raises:
        OptionError: the payoffs do not fit, the game is too large, or `most` is below 1.
        StratagemError: no start led to any profile.
    """
    arrays = payoff_arrays(payoffs)
    if most is not None and most < 1:
        raise OptionError(f"{most} equilibria are none to look for; give 1 or more")
    if len(arrays) == 2:
        return _of_two(arrays, most)
    if arrays[0].size > MOST_MIXED:
        raise OptionError(
            f"{arrays[0].size:,} joint moves of {len(arrays)} players are too many for mixed equilibria; at most {MOST_MIXED:,}"
        )
    ends = math.inf if seconds is None else time.perf_counter() + seconds
    allowed = tolerance * max(1e-300, *(float(np.ptp(u)) for u in arrays))
    found: list[Profile] = []
    nearest: Profile | None = None
    for profile in _candidates(arrays, np.random.default_rng(seed), ends):
        if nearest is None or profile.gap < nearest.gap:
            nearest = profile
        if profile.gap > allowed or any(_alike(profile, known) for known in found):
            continue
        found.append(profile)
        if (most is not None and len(found) == most) or time.perf_counter() > ends:
            break
    if not found and nearest is None:
        raise StratagemError("no start led anywhere; try another seed")
    return tuple(found) or (nearest,)  # type: ignore[return-value]  # one of the two is there


def _of_two(arrays: Payoffs, most: int | None) -> tuple[Profile, ...]:
    m, n = arrays[0].shape
    if most == 1 or comb(m + n, m) > MOST_SUPPORTS:
        found = [lemke_howson(*arrays, label=label) for label in range(1 if most == 1 else m + n)]
    else:
        found = support_enumeration(*arrays)
    profiles: list[Profile] = []
    for one in found:
        made = Profile((one.row, one.column), one.values, one.gains, one.method, one.work)
        if not any(_alike(made, known) for known in profiles):
            profiles.append(made)
    return tuple(profiles[:most])


def _candidates(arrays: Payoffs, rng: np.random.Generator, ends: float) -> Iterator[Profile]:
    """Pure equilibria, then the roots that supports lead to, the smallest first; last what descent finds. After `ends` one
    descent is all that is left."""
    shape = arrays[0].shape
    stable = np.ones(shape, bool)
    for i, u in enumerate(arrays):
        stable &= u >= u.max(axis=i, keepdims=True)
    for cell in np.argwhere(stable):
        yield _measured(arrays, [np.eye(m)[k] for m, k in zip(shape, cell, strict=True)], "pure", 1)
    tried = 0
    if prod((1 << m) - 1 for m in shape) <= FEW_SUPPORTS:
        for supports in sorted(product(*map(_subsets, shape)), key=_size):
            if time.perf_counter() > ends:
                break
            if max(map(len, supports)) == 1:
                continue  # pure
            tried += 1
            for start in range(STARTS):
                given = [_spread(m, s, rng if start else None) for m, s in zip(shape, supports, strict=True)]
                if (root := _newton(arrays, supports, given)) is not None:
                    yield _measured(arrays, root, "support", tried)
                    if start == 0 and _size(supports)[0] <= 2:
                        break  # two players at most mix: the equations are linear, and have one root
    for descent in range(DESCENTS):
        yield from _descend(arrays, rng, descent + 1)


def _subsets(m: int) -> list[tuple[int, ...]]:
    return [kept for k in range(1, m + 1) for kept in combinations(range(m), k)]


def _size(supports: Sequence[Sequence[int]]) -> tuple[int, int]:
    """How many players mix, and how large the supports are in all."""
    return sum(len(s) > 1 for s in supports), sum(map(len, supports))


def _spread(m: int, support: Sequence[int], rng: np.random.Generator | None) -> Vector:
    """A mixture on a support: all alike, or a random one."""
    p = np.zeros(m)
    p[list(support)] = 1 / len(support) if rng is None else rng.dirichlet(np.ones(len(support)))
    return p


def _against(u: NDArray[np.float64], strategies: Sequence[Vector], keep: Sequence[int]) -> NDArray[np.float64]:
    """Payoffs with all axes averaged by the players' mixtures, but those of the players in `keep`, which are in order."""
    for j in reversed(range(len(strategies))):
        if j not in keep:
            u = np.tensordot(u, strategies[j], axes=(j, 0))
    return u


def _measured(arrays: Payoffs, strategies: Sequence[Vector], method: str, work: int) -> Profile:
    replies = [_against(u, strategies, (i,)) for i, u in enumerate(arrays)]
    values = tuple(float(r @ p) for r, p in zip(replies, strategies, strict=True))
    gains = tuple(max(float(r.max()) - v, 0.0) for r, v in zip(replies, values, strict=True))
    return Profile(tuple(strategies), values, gains, method, work)


def _alike(one: Profile, other: Profile) -> bool:
    return all(np.abs(p - q).max() < SAME for p, q in zip(one.strategies, other.strategies, strict=True))


def _newton(arrays: Payoffs, supports: Sequence[Sequence[int]], start: Sequence[Vector]) -> list[Vector] | None:
    """The mixtures on supports that leave everybody indifferent within them; None where no such are found."""
    p = [x.copy() for x in start]
    players = len(arrays)
    firsts = np.cumsum([0, *(len(s) for s in supports)])
    width = int(firsts[-1])
    at = [slice(int(firsts[i]), int(firsts[i + 1])) for i in range(players)]
    worth = [float(_against(u, p, (i,)) @ p[i]) for i, u in enumerate(arrays)]
    spread = max(1e-300, *(float(np.ptp(u)) for u in arrays))
    for _ in range(STEPS):
        system, off = np.zeros((width + players, width + players)), np.zeros(width + players)
        for i, u in enumerate(arrays):
            mine = list(supports[i])
            off[at[i]] = _against(u, p, (i,))[mine] - worth[i]
            system[at[i], width + i] = -1.0
            for j in range(players):
                if j != i:
                    pair = _against(u, p, (min(i, j), max(i, j)))
                    system[at[i], at[j]] = (pair if i < j else pair.T)[np.ix_(mine, list(supports[j]))]
            system[width + i, at[i]] = 1.0
            off[width + i] = p[i].sum() - 1.0
        step = np.linalg.lstsq(system, -off, rcond=None)[0]
        if not np.isfinite(step).all() or np.abs(step[:width]).max() > 1e6:
            return None
        for i in range(players):
            p[i][list(supports[i])] += step[at[i]]
            worth[i] += float(step[width + i])
        if np.abs(step[:width]).max() < 1e-14 or np.abs(off).max() < 1e-15 * spread:
            break
    if any(x.min() < -SAME for x in p):
        return None
    kept = [np.maximum(x, 0.0) for x in p]
    if any(not 0.5 < x.sum() < 2 for x in kept):
        return None
    return [x / x.sum() for x in kept]


def _descend(arrays: Payoffs, rng: np.random.Generator, start: int) -> Iterator[Profile]:
    """Where descent on the squares of all gains ends, from a random start, and the root of the support that it ends in."""
    from scipy.optimize import minimize

    shape = arrays[0].shape
    firsts = np.cumsum([0, *shape])
    spread = max(1e-300, *(float(np.ptp(u)) for u in arrays))

    def mixtures(x: Vector) -> list[Vector]:
        parts = [x[firsts[i] : firsts[i + 1]] for i in range(len(shape))]
        weights = [np.exp(part - part.max()) for part in parts]
        return [w / w.sum() for w in weights]

    def loss(x: Vector) -> float:
        p = mixtures(x)
        total = 0.0
        for i, u in enumerate(arrays):
            reply = _against(u, p, (i,))
            total += float((np.maximum(reply - reply @ p[i], 0.0) ** 2).sum())
        return total / spread**2

    minimum: Any = minimize(loss, rng.normal(size=int(firsts[-1])), method="L-BFGS-B", options={"maxfun": MOST_LOOKS})
    ended = mixtures(minimum.x)
    yield _measured(arrays, ended, "descent", start)
    for least in (1e-2, 1e-4):
        supports = [np.flatnonzero(p > least).tolist() for p in ended]
        if (root := _newton(arrays, supports, [np.where(p > least, p, 0.0) for p in ended])) is not None:
            yield _measured(arrays, root, "newton", start)
