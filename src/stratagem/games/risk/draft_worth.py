"""The worth of a finished draft of Risk: a kernel that serves every model fitted to games, and files with their cards.

A model is one row of numbers, the ground of the kernel that `judge_of` names:

- `linear`, that of Gibson, Desai and Zhao (AIIDE 2010): a regression of the share of wins; a seat's value is its prediction,
  at least 0, as a share of the sum.
- `logistic`: a utility a seat, linear in the features; the softmax over the seats foretells the winner.
- `boosting`: the utility is a sum of small trees, which all have one depth and lie one after another.
- `net`: an encoder of each seat's features, the same for all seats; a second layer sees a seat's code and the sum of all;
  what comes out is added to a linear utility.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from stratagem.bits import lowest, popcount
from stratagem.compile import specialise
from stratagem.errors import OptionError, ParseError
from stratagem.games.risk.atlas import BONUS as BONUSES
from stratagem.games.risk.atlas import CONTINENT_SIZE, CONTINENTS, LANDS, TOUCHES
from stratagem.games.risk.draft_features import (
    BORDER,
    DENIED,
    EDGES,
    ENEMIES,
    FEATURES,
    NAMES,
    ONE_SHORT,
    PAIRS,
    PLACE,
    SIMPLE,
    STEP,
    WHOLE,
    Ints,
    Rows,
    describe,
)
from stratagem.games.risk.game import Risk
from stratagem.kernel import Payoffs

MODELS = ("linear", "logistic", "boosting", "net")
LINEAR, LOGISTIC, BOOSTING, NET = 0.0, 1.0, 2.0, 3.0
KIND = 0  # cell of a row: which model
SIZE, DEPTH = 1, 2  # of boosting: trees and their depth; of a net: width of its layers
WANTS_BLOCKS = 3  # 1: features of connected blocks are used
WEIGHTS = 4  # the weights of features begin here, in a net too; of boosting, the trees


def utility(g: Rows, masks: Ints, i: int) -> float:
    """The weights of a linear or logistic model times the simple features of seat i, without writing them down."""
    mine = masks[i]
    u = g[WEIGHTS + PLACE + i]
    for c in range(CONTINENTS):
        held = popcount(mine & LANDS[c])
        u += g[WEIGHTS + STEP[c] + held]
        if g[KIND] == LOGISTIC:
            if held == CONTINENT_SIZE[c]:
                u += g[WEIGHTS + WHOLE] * BONUSES[c]
            elif held == CONTINENT_SIZE[c] - 1:
                u += g[WEIGHTS + ONE_SHORT] * BONUSES[c]
            if held <= 1:
                for j in range(masks.shape[0]):
                    if j != i and popcount(masks[j] & LANDS[c]) >= CONTINENT_SIZE[c] - 1:
                        u += g[WEIGHTS + DENIED] * BONUSES[c]
    beside, pairs, border, edges = 0, 0, 0, 0
    rest = mine
    while rest != 0:
        t = lowest(rest)
        rest &= rest - 1
        beside |= TOUCHES[t]
        pairs += popcount(TOUCHES[t] & mine)
        out = popcount(TOUCHES[t] & ~mine)
        edges += out
        border += 1 if out > 0 else 0
    return (
        u
        + g[WEIGHTS + ENEMIES] * popcount(beside & ~mine)
        + g[WEIGHTS + PAIRS] * (pairs // 2)
        + g[WEIGHTS + BORDER] * border
        + g[WEIGHTS + EDGES] * edges
    )


def weighed(g: Rows, x: Rows) -> float:
    """The weights times the features of a seat."""
    u = 0.0
    for k in range(FEATURES):
        u += g[WEIGHTS + k] * x[k]
    return u


def through_trees(g: Rows, x: Rows) -> float:
    """The sum of all trees; each is its inner nodes (feature, greatest value that goes left), then its leaves."""
    depth = int(g[DEPTH])
    inner = (1 << depth) - 1
    at = WEIGHTS
    u = 0.0
    for _ in range(int(g[SIZE])):
        k = 0
        for _ in range(depth):
            k = 2 * k + (2 if x[int(g[at + 2 * k])] > g[at + 2 * k + 1] else 1)
        u += g[at + inner + k]
        at += 3 * inner + 1
    return u


def copy_to(y: Rows, w: Rows) -> None:
    """y = w, without the look at whether they overlap for which NumPy would make an array."""
    for k in range(y.shape[0]):
        y[k] = w[k]


def add_times(y: Rows, z: float, w: Rows) -> None:
    """y += z * w"""
    for k in range(y.shape[0]):
        y[k] += z * w[k]


def through_net(g: Rows, x: Rows, room: Rows, out: Payoffs) -> None:
    """The utilities of all seats, worked out in `room`.

    After the weights: first layer [features, width] and its offsets, second layer for one's own code and for the sum of all,
    [width, width] each, its offsets, and the weights of its outputs.
    """
    n, width = x.shape[0], int(g[SIZE])
    first = WEIGHTS + FEATURES
    offset = first + FEATURES * width
    own = offset + width
    every = own + width * width
    second = every + width * width
    last = second + width
    code = room[: n * width].reshape(n, width)
    total, y, seen = room[n * width :][:width], room[(n + 1) * width :][:width], room[(n + 2) * width :][:width]
    for k in range(width):
        total[k] = 0.0
    for i in range(n):
        copy_to(y, g[offset:own])
        for f in range(FEATURES):
            if x[i, f] != 0.0:
                add_times(y, x[i, f], g[first + f * width : first + (f + 1) * width])
        for k in range(width):
            code[i, k] = max(y[k], 0.0)
            total[k] += code[i, k]
    copy_to(seen, g[second:last])
    for j in range(width):
        if total[j] > 0.0:
            add_times(seen, total[j], g[every + j * width : every + (j + 1) * width])
    for i in range(n):
        copy_to(y, seen)
        for j in range(width):
            if code[i, j] > 0.0:
                add_times(y, code[i, j], g[own + j * width : own + (j + 1) * width])
        out[i] = weighed(g, x[i])
        for k in range(width):
            out[i] += max(y[k], 0.0) * g[last + k]


def shared(g: Rows, out: Payoffs) -> None:
    """Turn utilities into chances to win."""
    n = out.shape[0]
    most, total = out[0], 0.0
    for i in range(1, n):
        most = max(most, out[i])
    for i in range(n):
        out[i] = max(out[i], 0.0) if g[KIND] == LINEAR else math.exp(out[i] - most)
        total += out[i]
    for i in range(n):
        out[i] = out[i] / total if total > 0.0 else 1.0 / n


def foretell(g: Rows, x: Rows, room: Rows, out: Payoffs) -> None:
    """Each seat's chance to win by the features of all; a net works in `room`."""
    if g[KIND] == NET:
        through_net(g, x, room, out)
    else:
        for i in range(x.shape[0]):
            out[i] = through_trees(g, x[i]) if g[KIND] == BOOSTING else weighed(g, x[i])
    shared(g, out)


def by_weights(g: Rows, owned: Ints, out: Payoffs) -> None:
    """Each seat's chance to win after a finished draft; `g` is the row of a linear or logistic model."""
    for i in range(owned.shape[0]):
        out[i] = utility(g, owned, i)
    shared(g, out)


def room_of(seats: int, width: int) -> int:
    """The cells that `by_any` works in: the features of all seats, then their codes and three layers of a net."""
    return seats * FEATURES + (seats + 3) * width


def by_any(g: Rows, owned: Ints, out: Payoffs) -> None:
    """`by_weights` for every model, whose row is followed by room to work in (`judge_of`); apart, as it takes longer to
    compile."""
    if g[KIND] > LOGISTIC:
        n = owned.shape[0]
        room = g[g.shape[0] - room_of(n, int(g[SIZE])) :]
        x = room[: n * FEATURES].reshape(n, FEATURES)
        describe(owned, g[WANTS_BLOCKS] > 0.0, x)
        foretell(g, x, room[n * FEATURES :], out)
    else:
        by_weights(g, owned, out)


def judge_of(rows: Rows, seats: int) -> tuple[Callable[[Rows, Ints, Payoffs], None], Rows]:
    """The kernel `evaluate` of UCT drafting for one row, or for several, and its ground: for one thread alone."""
    table = np.atleast_2d(rows)
    if (table[:, KIND] <= LOGISTIC).all():
        return by_weights, np.ascontiguousarray(rows)
    room = np.zeros((*rows.shape[:-1], room_of(seats, int(table[:, SIZE].max()))))
    return by_any, np.concatenate([rows, room], axis=-1)


def foretell_template(g: Rows, x: Rows, room: Rows, out: Rows) -> None:
    for i in range(x.shape[0]):
        foretell(g, x[i], room, out[i])


def predicted(row: Rows, x: Rows) -> Rows:
    """Each seat's chance by a model, [draft, seat]."""
    out = np.zeros(x.shape[:2])
    room = np.zeros(room_of(x.shape[1], int(row[SIZE])))
    specialise(foretell_template, {}, label="risk, models of drafts")(row, np.ascontiguousarray(x), room, out)
    return out


def measures(row: Rows, x: Rows, winners: Ints) -> dict[str, float]:
    """How well a model foretells winners: log loss, Brier score, how often its favourite won."""
    share = predicted(row, x)
    rows = np.arange(len(x))
    hit = np.zeros_like(share)
    hit[rows, winners] = 1.0
    return {
        "log_loss": round(float(-np.log(np.clip(share[rows, winners], 1e-6, 1)).mean()), 4),
        "brier": round(float(((share - hit) ** 2).sum(axis=1).mean()), 4),
        "top_1": round(float((share.argmax(axis=1) == winners).mean()), 4),
    }


def calibration(share: Rows, winners: Ints) -> list[list[float]]:
    """By deciles of what was foretold: [foretold, what came], each a mean."""
    flat = share.reshape(-1)
    came = (np.arange(share.shape[1])[None, :] == winners[:, None]).reshape(-1)
    return [
        [round(float(flat[part].mean()), 3), round(float(came[part].mean()), 3)]
        for part in np.array_split(np.argsort(flat, kind="stable"), 10)
    ]


def stacked(rows: list[Rows]) -> Rows:
    """Rows of different models as one array, filled up with zeros."""
    found = np.zeros((len(rows), max(len(row) for row in rows)))
    for k, row in enumerate(rows):
        found[k, : len(row)] = row
    return found


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
FORMAT = 2


def rules_of(game: Risk) -> dict[str, Any]:
    """The options that decide what an evaluation is worth; the two-player form only where there are two."""
    return {name: game[name] for name in RULES if name != "two_player" or game.players == 2}


@dataclass(frozen=True)
class Evaluation:
    """A learned evaluation of finished drafts and its card."""

    row: Rows
    card: Card

    @property
    def kind(self) -> str:
        return MODELS[int(self.row[KIND])]

    def save(self, path: Path) -> None:
        """Weights by the names of their features; the numbers of trees and nets in the order of the row."""
        found: dict[str, Any] = {"format": FORMAT, "kind": self.kind, "card": asdict(self.card)}
        if self.kind in ("linear", "logistic"):
            found["weights"] = {
                name: round(float(w), 5) for name, w in zip(NAMES[:SIMPLE], self.row[WEIGHTS:], strict=False)
            }
        else:
            found["numbers"] = [float(f"{w:.5g}") for w in self.row]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(found, indent=1 if "weights" in found else None) + "\n")

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
            kind = MODELS.index(found["kind"])
            if kind <= LOGISTIC:
                row = np.zeros(WEIGHTS + FEATURES)
                row[WEIGHTS : WEIGHTS + SIMPLE] = [found["weights"][name] for name in NAMES[:SIMPLE]]
                row[KIND] = kind
            else:
                row = np.array(found["numbers"], np.float64)
            if row[KIND] != kind or not well_formed(row):
                raise ValueError
        except OSError as error:
            raise OptionError(f"there are no weights at {path}: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, IndexError) as error:
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


def well_formed(row: Rows) -> bool:
    """Whether the numbers of a model are as many as its first ones say, and trees mention features there are."""
    size, depth = int(row[SIZE]), int(row[DEPTH])
    if not np.isfinite(row).all() or not (0 <= size < 10_000 and 0 <= depth < 12):
        return False
    if row[KIND] <= LOGISTIC:
        return len(row) == WEIGHTS + FEATURES
    if row[KIND] == NET:
        return len(row) == WEIGHTS + FEATURES + (FEATURES + 2 * size + 3) * size
    inner = (1 << depth) - 1
    if len(row) != WEIGHTS + size * (3 * inner + 1):
        return False
    asked = row[WEIGHTS:].reshape(size, -1)[:, : 2 * inner : 2]
    return bool(((asked >= 0) & (asked < FEATURES)).all())


def shipped(game: Risk) -> Evaluation:
    """The shipped evaluation for a game's rules, or OptionError if there is none."""
    found = Evaluation.load(files(__package__) / "data" / f"draft-{game.players}.json")
    found.check(game)
    return found
