"""Whole games of Risk in one compiled call: scripted seats, drafts given or made on the way, seeded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.errors import OptionError
from stratagem.games.risk import atlas, kernels
from stratagem.games.risk.game import Risk
from stratagem.games.risk.position_worth import FEATURES, features
from stratagem.games.risk.scripted import SCRATCH, Weights, decide
from stratagem.kernel import CHANCE, OVER, Ground, State
from stratagem.rng import Rng, below, seed_stream

Ints = NDArray[np.int64]


def set_draft(s: State, owners: Ints) -> None:
    """Turn the start of a drafted game into its state after the draft."""
    for t in range(atlas.TERRITORIES):
        s[kernels.OWNER + t] = owners[t]
        s[kernels.ARMIES + t] = 1
        s[kernels.OWNS + owners[t]] += 1
        s[kernels.LEFT + owners[t]] -= 1
    s[kernels.PICKS] = atlas.TERRITORIES
    s[kernels.PHASE] = kernels.PLACE
    s[kernels.PLAYER] = (kernels.claimer(atlas.TERRITORIES - 1) + 1) % kernels.SIDES


def play_out(g: Ground, s: State, rows: Weights, seats: Ints, r: Rng) -> None:
    """Play to the end; seat p decides by the row seats[p] of weights."""
    while True:
        p = kernels.turn(g, s)
        if p >= 0:
            kernels.play(g, s, p, decide(g, s, p, rows[seats[p]], r))
        elif p == CHANCE:
            kernels.draw(g, s, r)
        elif p == OVER:
            return


class Fixtures(NamedTuple):
    """The games to be played."""

    rows: Weights  # [styles, weights]
    seats: Ints  # [games, seats]: the row that decides for each seat
    drafts: Ints  # [games, territories]: whose each is; no rows where the draft is played too
    seed: int
    first: int  # the number of the first game: number i is drawn from stream i of the seed


class Results(NamedTuple):
    """What became of them, a cell each."""

    winners: Ints  # a seat, or -1 at the cap of turns
    turns: Ints


class Noted(NamedTuple):
    """Positions of simulated games, as many as there is room for."""

    features: NDArray[np.float64]  # [positions, seats, FEATURES]
    of: Ints  # [positions]: the game
    winners: Ints  # [games]


def begin(fixtures: Fixtures, i: int, start: State, s: State, r: Rng) -> None:
    """The start of game i, or the end of its draft, into s, and its stream into r."""
    for k in range(s.shape[0]):
        s[k] = start[k] if k < kernels.STATE_SIZE else 0
    seed_stream(r, fixtures.seed, fixtures.first + i)
    if fixtures.drafts.shape[0] > 0:
        set_draft(s, fixtures.drafts[i])


def games_template(g: Ground, start: State, fixtures: Fixtures, results: Results, stop: Ints, s: State, r: Rng) -> int:
    """Play all games; returns how many were played.

    `s` and `r` are room for a state and its stream: nothing is allocated here, so that the build can be lean."""
    seats = fixtures.seats
    for i in range(seats.shape[0]):
        if stop[0] != 0:
            return i
        begin(fixtures, i, start, s, r)
        play_out(g, s, fixtures.rows, seats[i], r)
        results.winners[i] = kernels.winner(s)
        results.turns[i] = s[kernels.TURN]
    return seats.shape[0]


def positions_template(g: Ground, start: State, fixtures: Fixtures, every: int, noted: Noted) -> int:
    """Play like `games_template` and note the features of one turn's beginning in `every`; returns how many were noted."""
    s = np.zeros(kernels.STATE_SIZE + SCRATCH, np.int64)
    r = np.zeros(2, np.int64)
    n = 0
    for i in range(fixtures.seats.shape[0]):
        begin(fixtures, i, start, s, r)
        last = 0
        while True:
            p = kernels.turn(g, s)
            if p >= 0:
                if s[kernels.TURN] != last:
                    last = s[kernels.TURN]
                    if below(r, every) == 0 and n < noted.of.shape[0]:
                        features(s, noted.features[n])
                        noted.of[n] = i
                        n += 1
                kernels.play(g, s, p, decide(g, s, p, fixtures.rows[fixtures.seats[i, p]], r))
            elif p == CHANCE:
                kernels.draw(g, s, r)
            elif p == OVER:
                break
        noted.winners[i] = kernels.winner(s)
    return n


@dataclass(frozen=True)
class Games:
    """What became of simulated games."""

    winners: Ints  # a seat, or -1 at the cap of turns
    turns: Ints

    def share(self, seat_of: Ints) -> tuple[float, float]:
        """How often the seat named for each game won, and the half-width of the 95% interval; undecided games count as lost."""
        won = (self.winners == seat_of).mean()
        return float(won), float(1.96 * np.sqrt(won * (1 - won) / len(self.winners)))


@cache
def _compiled(game: Risk) -> Any:
    return specialise(games_template, game.names["turn"].names, label=f"risk, games of {game.players}", lean=True)


NO_DRAFTS = np.zeros((0, atlas.TERRITORIES), np.int64)
GO_ON = np.zeros(1, np.int64)


def simulate(
    game: Risk,
    rows: Weights,
    seats: Ints,
    *,
    drafts: Ints | None = None,
    seed: int = 0,
    first: int = 0,
    stop: Ints | None = None,
) -> Games:
    """Play one game a row of `seats`: which row of `rows` decides for each seat. The same seed gives the same games."""
    if game["turn_cap"] is None:
        raise OptionError(
            "simulated games of risk need a turn_cap, since scripted seats may never finish; 500 is usual"
        )
    if seats.ndim != 2 or seats.shape[1] != game.players or seats.min() < 0 or seats.max() >= len(rows):
        raise OptionError(f"seats must have {game.players} columns with rows of weights 0 to {len(rows) - 1}")
    if drafts is not None and (drafts.shape != (len(seats), atlas.TERRITORIES) or game.dealt):
        raise OptionError("drafts must be one row of 42 owners a game, in a game that is drafted")
    fixtures, results = fixtures_of(rows, seats, drafts, seed, first), results_of(len(seats))
    s, r = np.zeros(kernels.STATE_SIZE + SCRATCH, np.int64), np.zeros(2, np.int64)
    stop = GO_ON if stop is None else stop
    done = _compiled(game)(game.g.copy(), game.start().state.copy(), fixtures, results, stop, s, r)
    return Games(results.winners[:done], results.turns[:done])


def fixtures_of(rows: Weights, seats: Ints, drafts: Ints | None, seed: int, first: int) -> Fixtures:
    return Fixtures(
        rows=np.ascontiguousarray(rows, np.float64),
        seats=np.ascontiguousarray(seats, np.int64),
        drafts=NO_DRAFTS if drafts is None else np.ascontiguousarray(drafts, np.int64),
        seed=seed,
        first=first,
    )


def results_of(games: int) -> Results:
    return Results(np.full(games, -1, np.int64), np.zeros(games, np.int64))


def positions(
    game: Risk, rows: Weights, seats: Ints, drafts: Ints, *, seed: int = 0, first: int = 0, every: int = 6
) -> tuple[NDArray[np.float64], Ints]:
    """Features of turns' beginnings in simulated games, [position, seat, feature], and who won (-1: nobody); of games from
    number `first` on, which are the same in whatever part they are played."""
    most = (game["turn_cap"] + 1) * len(seats)  # a turn's beginning each; memory that is not written to costs nothing
    noted = Noted(np.zeros((most, game.players, FEATURES)), np.zeros(most, np.int64), np.zeros(len(seats), np.int64))
    compiled = specialise(positions_template, game.names["turn"].names, label=f"risk, positions of {game.players}")
    fixtures = fixtures_of(rows, seats, drafts, seed, first)
    n = compiled(game.g.copy(), game.start().state.copy(), fixtures, every, noted)
    return noted.features[:n], noted.winners[noted.of[:n]]


def random_drafts(game: Risk, n: int, seed: int) -> Ints:
    """Finished drafts in which every pick was random, one row of owners a draft."""
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(game.claimers) for _ in range(n)], np.int64)


__all__ = ["Games", "play_out", "positions", "random_drafts", "set_draft", "simulate"]
