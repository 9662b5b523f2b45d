"""The worth of a finished draft of Risk: a kernel that serves both models fitted to games, and files with their cards.

A model is one row of numbers, the ground of the kernel `by_weights`:

- `linear`, that of Gibson, Desai and Zhao (AIIDE 2010): a regression of the share of wins; a seat's value is its prediction,
  at least 0, as a share of the sum.
- `logistic`: a utility a seat, linear in the features; the softmax over the seats foretells the winner.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from stratagem.bits import lowest, popcount
from stratagem.compile import specialise
from stratagem.errors import OptionError, ParseError
from stratagem.games.risk import draft_features
from stratagem.games.risk.atlas import BONUS as BONUSES
from stratagem.games.risk.atlas import CONTINENT, CONTINENT_SIZE, CONTINENTS, LANDS, TOUCHES
from stratagem.games.risk.game import Risk
from stratagem.kernel import Payoffs

MODELS = ("linear", "logistic")
LINEAR, LOGISTIC = 0.0, 1.0
KIND = 0  # cell of a row: which model
WEIGHTS = 1  # the weights of features begin here


def step_worth(g: draft_features.Rows, c: int, held: int) -> float:
    """What so many territories of a continent add to a seat's utility.

    The logistic model also subtracts what the *other* seats have whole or one short. That is the sum over all seats less the own
    part, and the softmax does not see the sum: so the own part is added here, and seats do not depend on one another."""
    u = g[WEIGHTS + draft_features.STEP[c] + held]
    if g[KIND] == LOGISTIC:
        if held == CONTINENT_SIZE[c]:
            u += (g[WEIGHTS + draft_features.WHOLE] - g[WEIGHTS + draft_features.DENIED]) * BONUSES[c]
        elif held == CONTINENT_SIZE[c] - 1:
            u += (g[WEIGHTS + draft_features.ONE_SHORT] - g[WEIGHTS + draft_features.DENIED]) * BONUSES[c]
    return float(u)


def utility(g: draft_features.Rows, mine: int, i: int) -> float:
    """The weights of a model times the features of seat i, up to what is the same for all seats, without writing them down."""
    u = g[WEIGHTS + draft_features.PLACE + i]
    for c in range(CONTINENTS):
        u += step_worth(g, c, popcount(mine & LANDS[c]))
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
        + g[WEIGHTS + draft_features.ENEMIES] * popcount(beside & ~mine)
        + g[WEIGHTS + draft_features.PAIRS] * (pairs // 2)
        + g[WEIGHTS + draft_features.BORDER] * border
        + g[WEIGHTS + draft_features.EDGES] * edges
    )


def around(mine: int) -> int:
    """The territories that touch some of these, these included where they touch one another."""
    beside = np.int64(0)
    rest = mine
    while rest != 0:
        beside |= TOUCHES[lowest(rest)]
        rest &= rest - 1
    return int(beside)


def added(g: draft_features.Rows, mine: int, beside: int, x: int) -> float:
    """What the territory x adds to the utility of the territories `mine`, of which `beside` are those around."""
    c = CONTINENT[x]
    held = popcount(mine & LANDS[c])
    touched = TOUCHES[x]
    inside = popcount(touched & mine)
    outside = popcount(touched) - inside
    after = mine | (np.int64(1) << x)
    border = 1 if outside > 0 else 0
    rest = touched & mine
    while rest != 0:
        if TOUCHES[lowest(rest)] & ~after == 0:
            border -= 1
        rest &= rest - 1
    enemies = popcount((beside | touched) & ~after) - popcount(beside & ~mine)
    return (
        step_worth(g, c, held + 1)
        - step_worth(g, c, held)
        + g[WEIGHTS + draft_features.ENEMIES] * enemies
        + g[WEIGHTS + draft_features.PAIRS] * inside
        + g[WEIGHTS + draft_features.BORDER] * border
        + g[WEIGHTS + draft_features.EDGES] * (outside - inside)
    )


def weighed(g: draft_features.Rows, x: draft_features.Rows) -> float:
    """The weights times the features of a seat."""
    u = 0.0
    for k in range(draft_features.FEATURES):
        u += g[WEIGHTS + k] * x[k]
    return u


def shared(g: draft_features.Rows, out: Payoffs) -> None:
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


def foretell(g: draft_features.Rows, x: draft_features.Rows, out: Payoffs) -> None:
    """Each seat's chance to win by the features of all."""
    for i in range(x.shape[0]):
        out[i] = weighed(g, x[i])
    shared(g, out)


def by_weights(g: draft_features.Rows, owned: draft_features.Ints, out: Payoffs) -> None:
    """Each seat's chance to win after a finished draft; `g` is the row of a model."""
    for i in range(owned.shape[0]):
        out[i] = utility(g, owned[i], i)
    shared(g, out)


def foretell_template(g: draft_features.Rows, x: draft_features.Rows, out: draft_features.Rows) -> None:
    for i in range(x.shape[0]):
        foretell(g, x[i], out[i])


def predicted(row: draft_features.Rows, x: draft_features.Rows) -> draft_features.Rows:
    """Each seat's chance by a model, [draft, seat]."""
    out = np.zeros(x.shape[:2])
    specialise(foretell_template, {}, label="risk, models of drafts")(row, np.ascontiguousarray(x), out)
    return out


def measures(row: draft_features.Rows, x: draft_features.Rows, winners: draft_features.Ints) -> dict[str, float]:
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


def calibration(share: draft_features.Rows, winners: draft_features.Ints) -> list[list[float]]:
    """By deciles of what was foretold: [foretold, what came], each a mean."""
    flat = share.reshape(-1)
    came = (np.arange(share.shape[1])[None, :] == winners[:, None]).reshape(-1)
    return [
        [round(float(flat[part].mean()), 3), round(float(came[part].mean()), 3)]
        for part in np.array_split(np.argsort(flat, kind="stable"), 10)
    ]


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

    row: draft_features.Rows
    card: Card

    @property
    def kind(self) -> str:
        return MODELS[int(self.row[KIND])]

    def save(self, path: Path) -> None:
        """Write the weights by the names of their features."""
        weights = {name: round(float(w), 5) for name, w in zip(draft_features.NAMES, self.row[WEIGHTS:], strict=True)}
        found = {"format": FORMAT, "kind": self.kind, "card": asdict(self.card), "weights": weights}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(found, indent=1) + "\n")

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
            row = np.array([kind, *(found["weights"][name] for name in draft_features.NAMES)], np.float64)
            if not np.isfinite(row).all():
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


def shipped(game: Risk) -> Evaluation:
    """The shipped evaluation for a game's rules, or OptionError if there is none."""
    found = Evaluation.load(files(__package__) / "data" / f"draft-{game.players}.json")
    found.check(game)
    return found
