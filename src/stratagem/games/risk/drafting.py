"""The worth of a finished draft of Risk, learned from games, and drafting by it.

A finished draft is a set of territories a seat. The *linear* evaluation is that of Gibson, Desai and Zhao (AIIDE 2010): a
regression of the share of wins on the number of territories held in each continent (one weight a number), the place in
the turn order, the distinct enemy neighbours and the adjacent pairs inside the set; a seat's value is its prediction, at
least 0, as a share of the sum. The *logistic* one gives each seat a utility, linear in these and a few more features, and
the softmax over the seats foretells the winner. Both are one row of numbers, the ground of the kernel `evaluate`.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.errors import OptionError, ParseError
from stratagem.games.risk.atlas import BONUS as BONUSES
from stratagem.games.risk.atlas import CONTINENT_IDS, CONTINENT_SIZE, CONTINENTS, LANDS, TERRITORIES, TOUCHES
from stratagem.games.risk.game import Risk
from stratagem.games.risk.kernels import OWNER, STATE_SIZE
from stratagem.games.risk.scripted import bits_in, claim_by_preference
from stratagem.kernel import Payoffs
from stratagem.rng import below, bits, seed_stream, unit
from stratagem.search.drafting import FIELDS, ITEM, VISITS, spread_template, uct_template

Rows = NDArray[np.float64]
Ints = NDArray[np.int64]

# features of one seat
STEP = np.concatenate([[0], np.cumsum(CONTINENT_SIZE + 1)[:-1]]).astype(np.int64)  # where a continent's steps begin
STEPS = int((CONTINENT_SIZE + 1).sum())  # 48: for each continent, how many of its territories are held
PLACE = STEPS  # 6 cells: the place in the turn order
ENEMIES, PAIRS = STEPS + 6, STEPS + 7  # distinct enemy neighbours; adjacent pairs inside
PAPER = STEPS + 8  # the features of the paper end here
WHOLE, ONE_SHORT, BORDER, EDGES, DENIED = PAPER, PAPER + 1, PAPER + 2, PAPER + 3, PAPER + 4
FEATURES = PAPER + 5
NAMES = (
    *(f"{CONTINENT_IDS[c]} {k}" for c in range(CONTINENTS) for k in range(int(CONTINENT_SIZE[c]) + 1)),
    *(f"place {k + 1}" for k in range(6)),
    "enemy neighbours", "friendly pairs", "bonuses", "bonuses one short", "border territories", "border edges",
    "rivals' bonuses one short or whole",
)  # fmt: skip

KIND = 0  # of an evaluation's row: LINEAR or LOGISTIC; the weights follow
LINEAR, LOGISTIC = 0.0, 1.0
ROW = 1 + FEATURES

RANDOM_DRAFTER, PREFERENCE_DRAFTER = -2, -1  # kinds of drafters that need no evaluation


def describe(masks: Ints, i: int, x: Rows) -> None:
    """The features of seat i, its territories being masks[i]."""
    for k in range(FEATURES):
        x[k] = 0.0
    mine = masks[i]
    x[PLACE + i] = 1.0
    for c in range(CONTINENTS):
        held = bits_in(mine & LANDS[c])
        x[STEP[c] + held] = 1.0
        if held == CONTINENT_SIZE[c]:
            x[WHOLE] += BONUSES[c]
        elif held == CONTINENT_SIZE[c] - 1:
            x[ONE_SHORT] += BONUSES[c]
        for j in range(masks.shape[0]):
            if j != i and bits_in(masks[j] & LANDS[c]) >= CONTINENT_SIZE[c] - 1:
                x[DENIED] += BONUSES[c]
    beside, pairs, border, edges = 0, 0, 0, 0
    for t in range(TERRITORIES):
        if mine >> t & 1:
            beside |= TOUCHES[t]
            pairs += bits_in(TOUCHES[t] & mine)
            out = bits_in(TOUCHES[t] & ~mine)
            edges += out
            border += 1 if out > 0 else 0
    x[ENEMIES] = bits_in(beside & ~mine)
    x[PAIRS] = pairs // 2
    x[BORDER] = border
    x[EDGES] = edges


def utility(w: Rows, masks: Ints, i: int) -> float:
    """The weights of an evaluation times the features of seat i, without writing them down."""
    mine = masks[i]
    u = w[1 + PLACE + i]
    for c in range(CONTINENTS):
        held = bits_in(mine & LANDS[c])
        u += w[1 + STEP[c] + held]
        if w[KIND] == LOGISTIC:
            if held == CONTINENT_SIZE[c]:
                u += w[1 + WHOLE] * BONUSES[c]
            elif held == CONTINENT_SIZE[c] - 1:
                u += w[1 + ONE_SHORT] * BONUSES[c]
            elif held <= 1:
                for j in range(masks.shape[0]):
                    if j != i and bits_in(masks[j] & LANDS[c]) >= CONTINENT_SIZE[c] - 1:
                        u += w[1 + DENIED] * BONUSES[c]
    beside, pairs, border, edges = 0, 0, 0, 0
    rest = mine
    while rest != 0:
        t = bits_in((rest & -rest) - 1)
        rest &= rest - 1
        beside |= TOUCHES[t]
        pairs += bits_in(TOUCHES[t] & mine)
        out = bits_in(TOUCHES[t] & ~mine)
        edges += out
        border += 1 if out > 0 else 0
    return (
        u + w[1 + ENEMIES] * bits_in(beside & ~mine) + w[1 + PAIRS] * (pairs // 2) + w[1 + BORDER] * border
        + w[1 + EDGES] * edges
    )  # fmt: skip


def evaluate(g: Rows, owned: Ints, out: Payoffs) -> None:
    """Each seat's chance to win after a finished draft; `g` is an evaluation's row."""
    n = owned.shape[0]
    total = 0.0
    for i in range(n):
        u = utility(g, owned, i)
        out[i] = math.exp(u) if g[KIND] == LOGISTIC else max(u, 0.0)
        total += out[i]
    for i in range(n):
        out[i] = out[i] / total if total > 0.0 else 1.0 / n


# -------------------------------------------------------------------------------------------------- drafts, compiled


def drafts_template(
    rows: Rows, simulations: Ints, kinds: Ints, order: Ints, explore: float, stray: float, seed: int, first: int,
    owners: Ints, tree: Ints, stats: Rows, stop: Ints,
) -> int:  # fmt: skip
    """Draft number i: seat p picks by UCT on the evaluation rows[kinds[i, p]], or at random, or by preference of continents.

    With the chance `stray` a pick is one of UCT's visited items in proportion to its visits. Returns how many were made."""
    n = kinds.shape[1]
    r = np.zeros(2, np.int64)
    s = np.zeros(STATE_SIZE, np.int64)
    info = np.zeros(3, np.int64)
    root, owned = np.zeros(n, np.int64), np.zeros(n, np.int64)
    pool, path = np.zeros(64, np.int64), np.zeros(64, np.int64)
    models, rollouts = np.zeros(n, np.int64), np.full(n, 2, np.int64)
    lists = np.zeros((n, TERRITORIES), np.int64)
    out = np.zeros(n)
    for i in range(kinds.shape[0]):
        if stop[0] != 0:
            return i
        seed_stream(r, seed, first + i)
        root[:] = 0
        s[OWNER : OWNER + TERRITORIES] = -1
        free = (1 << TERRITORIES) - 1
        for k in range(TERRITORIES):
            p = order[k]
            kind = kinds[i, p]
            item = 0
            if kind == RANDOM_DRAFTER or k == TERRITORIES - 1:
                at = below(r, TERRITORIES - k)
                while at > 0 or free >> item & 1 == 0:
                    at -= free >> item & 1
                    item += 1
            elif kind == PREFERENCE_DRAFTER:
                item = claim_by_preference(s, p, r)
            else:
                for f in range(FIELDS):
                    tree[0, f] = 0
                info[0] = 0
                info[1] = 1
                info[2] = 0
                g = rows[kind]
                spread = spread_template(g, order, lists, rollouts, True, 0.0, root, free, k, 16, owned, pool, out, r)
                uct_template(
                    g, order, lists, models, rollouts, True, 0.0, explore * max(spread, 1e-9), 64, simulations[kind], root,
                    free, k, tree, stats, info, owned, pool, path, out, r, stop,
                )  # fmt: skip
                item = picked(tree, stats, unit(r) < stray, bits(r))
            root[p] |= 1 << item
            free ^= 1 << item
            s[OWNER + item] = p
        for t in range(TERRITORIES):
            owners[i, t] = s[OWNER + t]
    return kinds.shape[0]


def picked(tree: Ints, stats: Rows, strays: bool, luck: int) -> int:
    """The item of the root's most visited child, ties by mean value; or any, in proportion to visits."""
    first, size = tree[0, 0], tree[0, 1]
    total = 0
    best = first
    for c in range(first, first + size):
        total += tree[c, VISITS]
        if tree[c, VISITS] > tree[best, VISITS] or (
            tree[c, VISITS] == tree[best, VISITS] and stats[c, 0] > stats[best, 0]
        ):
            best = c
    if strays and total > 0:
        at = luck % total
        for c in range(first, first + size):
            at -= tree[c, VISITS]
            if at < 0:
                return tree[c, ITEM]
    return tree[best, ITEM]


@cache
def _drafting() -> Any:
    return specialise(drafts_template, {"evaluate": evaluate, "SEATS": 6}, label="risk, drafts")


def make_drafts(
    game: Risk, rows: Rows, simulations: Ints, kinds: Ints, *, explore: float = 1.4, stray: float = 0.0, seed: int = 0,
    first: int = 0, stop: Ints | None = None,
) -> Ints:  # fmt: skip
    """Finished drafts, one row of owners each. The same seed gives the same drafts."""
    if game.dealt:
        raise OptionError("territories are dealt with these options: there is nothing to draft")
    owners = np.zeros((len(kinds), TERRITORIES), np.int64)
    order = np.array([int(game.rule("claimer", k)) for k in range(TERRITORIES)], np.int64)
    nodes = 42 * (int(simulations.max()) + 4) + 64
    done = _drafting()(
        np.ascontiguousarray(rows), np.ascontiguousarray(simulations, np.int64), np.ascontiguousarray(kinds, np.int64), order,
        explore, stray, seed, first, owners, np.zeros((nodes, FIELDS), np.int64), np.zeros((nodes, 2)),
        np.zeros(1, np.int64) if stop is None else stop,
    )  # fmt: skip
    return owners[:done]


def masks_of(owners: Ints, players: int) -> Ints:
    """The territories of each seat as bits, [draft, seat]."""
    bit = np.int64(1) << np.arange(TERRITORIES, dtype=np.int64)
    return np.stack([((owners == p) * bit).sum(axis=1) for p in range(players)], axis=1)


def describe_template(masks: Ints, x: Rows) -> None:
    for i in range(masks.shape[0]):
        for p in range(masks.shape[1]):
            describe(masks[i], p, x[i, p])


def described(owners: Ints, players: int) -> Rows:
    """Features [draft, seat, feature]."""
    masks = masks_of(owners, players)
    x = np.zeros((*masks.shape, FEATURES))
    specialise(describe_template, {}, label="risk, features of drafts")(masks, x)
    return x


# ------------------------------------------------------------------------------------------------------------ fitting


def fit_linear(x: Rows, winners: Ints, ridge: float = 1e-2) -> Rows:
    """The paper's regression: a seat's chance to win on its features, each seat of each draft one case."""
    cases = x[:, :, :PAPER].reshape(-1, PAPER)
    label = (np.arange(x.shape[1])[None, :] == winners[:, None]).astype(float).reshape(-1)
    gram = cases.T @ cases / len(cases) + ridge * 1e-2 * np.eye(PAPER)
    row = np.zeros(ROW)
    row[KIND] = LINEAR
    row[1 : 1 + PAPER] = np.linalg.solve(gram, cases.T @ label / len(cases))
    return row


def fit_logistic(x: Rows, winners: Ints, ridge: float = 3e-4, columns: Ints | None = None) -> Rows:
    """The multinomial logistic model: a utility a seat with shared weights. Steps of a continent are drawn together by the
    ridge, so that a number of territories that hardly occurs stays near what its neighbours say."""
    from scipy.optimize import minimize

    used = np.arange(FEATURES) if columns is None else columns
    z, n, rows = x[:, :, used], len(x), np.arange(len(x))
    smooth = np.eye(FEATURES)
    for c in range(CONTINENTS):
        for k in range(int(CONTINENT_SIZE[c])):
            d = np.zeros(FEATURES)
            d[STEP[c] + k], d[STEP[c] + k + 1] = 1.0, -1.0
            smooth += 3.0 * np.outer(d, d)
    smooth = ridge * smooth[np.ix_(used, used)]

    def loss(w: Rows) -> tuple[float, Rows]:
        u = z @ w
        u -= u.max(axis=1, keepdims=True)
        e = np.exp(u)
        share = e / e.sum(axis=1, keepdims=True)
        value = -np.log(np.maximum(share[rows, winners], 1e-300)).mean() + 0.5 * w @ smooth @ w
        share[rows, winners] -= 1.0
        return float(value), np.einsum("ip,ipk->k", share, z) / n + smooth @ w

    found = minimize(loss, np.zeros(len(used)), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    row = np.zeros(ROW)
    row[KIND] = LOGISTIC
    row[1 + used] = found.x
    return row


def predicted(row: Rows, x: Rows) -> Rows:
    """Each seat's chance by an evaluation, [draft, seat]."""
    u = x @ row[1:]
    if row[KIND] == LOGISTIC:
        e = np.exp(u - u.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)
    v = np.maximum(u, 0.0)
    total = v.sum(axis=1, keepdims=True)
    return np.where(total > 0, v / np.where(total > 0, total, 1.0), 1.0 / x.shape[1])


def measures(row: Rows, x: Rows, winners: Ints) -> dict[str, float]:
    """How well an evaluation foretells winners: log loss, Brier score, how often its favourite won."""
    share = predicted(row, x)
    rows = np.arange(len(x))
    hit = np.zeros_like(share)
    hit[rows, winners] = 1.0
    return {
        "log_loss": round(float(-np.log(np.clip(share[rows, winners], 1e-6, 1)).mean()), 4),
        "brier": round(float(((share - hit) ** 2).sum(axis=1).mean()), 4),
        "top_1": round(float((share.argmax(axis=1) == winners).mean()), 4),
    }


# ------------------------------------------------------------------------------------------------------ with their card


@dataclass(frozen=True)
class Card:
    """Where an evaluation comes from and how good it is."""

    players: int  # seats
    rules: dict[str, Any]  # the options it was learned with; it serves no others
    learned_with: tuple[str, ...]  # the scripted players, the same on all seats of a game
    games: int
    seeds: tuple[int, int]  # of the drafts and of the games; each game has its stream, numbered by round and place
    measures: dict[str, Any] = field(default_factory=dict)


RULES = ("players", "claim", "draft_order", "two_player", "cards", "fortify", "defence")
FORMAT = 1


def rules_of(game: Risk) -> dict[str, Any]:
    """The options that decide what an evaluation is worth; the two-player form only where there are two."""
    return {name: game[name] for name in RULES if name != "two_player" or game.players == 2}


@dataclass(frozen=True)
class Evaluation:
    """A learned evaluation of finished drafts and its card."""

    row: Rows
    card: Card

    def save(self, path: Path) -> None:
        weights = {name: round(float(x), 5) for name, x in zip(NAMES, self.row[1:], strict=True)}
        kind = "logistic" if self.row[KIND] == LOGISTIC else "linear"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            json.dumps({"format": FORMAT, "kind": kind, "card": asdict(self.card), "weights": weights}, indent=1) + "\n"
        )

    @classmethod
    def load(cls, path: Any) -> Evaluation:
        """Read a file of weights, or say what is wrong with it."""
        try:
            found = json.loads(path.read_text())
            card = Card(**found["card"])
            if found["format"] != FORMAT:
                raise ParseError(
                    f"{path.name} has weights in format {found['format']!r}; this version reads format {FORMAT}"
                )
            row = np.array(
                [LOGISTIC if found["kind"] == "logistic" else LINEAR, *(found["weights"][name] for name in NAMES)]
            )
        except OSError as error:
            raise OptionError(f"there are no weights at {path}: {error.strerror}") from None
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, ParseError):
                raise
            raise ParseError(f"{path.name} does not hold weights of a draft of risk") from None
        return cls(row, card)

    def check(self, game: Risk) -> None:
        """Refuse a game of other rules than those it was learned with."""
        rules = rules_of(game)
        other = [name for name in rules if self.card.rules.get(name) != rules[name]]
        if other:
            raise OptionError(
                "these weights were learned for other rules: "
                + ", ".join(f"{name} {self.card.rules.get(name)}, not {rules[name]}" for name in other)
                + "; learn others with: stratagem train risk-draft"
            )


def shipped(game: Risk) -> Evaluation:
    """The shipped evaluation for a game's rules, or OptionError if there is none."""
    found = Evaluation.load(files(__package__) / "data" / f"draft-{game.players}.json")
    found.check(game)
    return found
