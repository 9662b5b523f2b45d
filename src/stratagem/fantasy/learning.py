"""The other drafters, learnt from the picks they have made.

A hypothesis is a way of drafting (by average position, by value over replacement, by need ..) with a looseness: what a
team takes is a softmax over the items it may take, the scores divided by the looseness. Drafters by average position may
also follow runs on a position. Every pick of another team weighs the hypotheses by Bayes' rule. A team's weights start from
the room's, which are those of its teams together, so that eleven people who draft alike are found out within a round, and
one who does not is believed on his own picks (a mixture fitted by expectation and maximisation).

What somebody said about the room (`stated`) is a prior and no more: half of the weight at the start. Advice is then drawn
over the hypotheses in proportion (`Belief.scenarios`), so that while nothing is known it must do well against all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from stratagem.errors import UnknownName
from stratagem.fantasy import engine
from stratagem.fantasy.advice import Opponents
from stratagem.fantasy.engine import Floats
from stratagem.fantasy.league import League, Room

LEARNT = "learnt"
# the prior of each way of drafting, where nothing was said
PRIOR = {"adp": 0.4, "vor": 0.15, "need": 0.2, "slots": 0.2, "points": 0.05}
STATED = 0.5  # of the prior, what is stated gets
ROOM = 3.0  # teams' worth of prior in a room's weights
LOOSE_PICKS = (0.25, 0.5, 1.0, 2.0)  # of an item's spread: looseness of drafters by average position
LOOSE_POINTS = (0.5, 4.0, 15.0, 50.0)  # points: looseness of the others
RUNS = (0.0, 3.0)  # picks earlier, for each of the last few picks of the position
SLIP = 0.01  # chance of a pick that no way of drafting explains
GUMBEL = 1.283  # standard deviation of the noise that makes a softmax, at looseness 1
LEAST_LOVE = 4.0  # picks earlier that count as a love for a club


class Hypothesis(NamedTuple):
    """A way of drafting."""

    model: str
    loose: float
    runs: float


def hypotheses() -> list[Hypothesis]:
    found = [Hypothesis("adp", loose, runs) for loose in LOOSE_PICKS for runs in RUNS]
    found += [Hypothesis(model, loose, 0.0) for model in PRIOR if model != "adp" for loose in LOOSE_POINTS]
    return found


HYPOTHESES = hypotheses()


def prior(stated: str | None) -> Floats:
    """The weight of each hypothesis before anything was seen."""
    shares = dict(PRIOR)
    if stated is not None and stated != LEARNT:
        if not isinstance(stated, str) or stated not in PRIOR:
            raise UnknownName("model of the others", str(stated), [LEARNT, *PRIOR])
        shares = {m: (1 - STATED) * share + (STATED if m == stated else 0.0) for m, share in PRIOR.items()}
    return np.array([shares[h.model] / sum(other.model == h.model for other in HYPOTHESES) for h in HYPOTHESES])


@dataclass(frozen=True)
class Belief:
    """How the other teams draft, as far as their picks tell."""

    team: int  # whose belief it is
    weights: Floats = field(repr=False)  # [teams, hypotheses]
    loves: dict[int, dict[str, float]]  # team -> club -> picks earlier
    picks: int  # seen so far

    def by_model(self, team: int) -> dict[str, float]:
        """The weight of each way of drafting, for one team."""
        found = dict.fromkeys(PRIOR, 0.0)
        for h, weight in zip(HYPOTHESES, self.weights[team], strict=True):
            found[h.model] += float(weight)
        return found

    def scenarios(self, count: int, seed: int) -> list[Opponents]:
        """Rooms that may be this one: each team's way is drawn by its weight, evenly over the scenarios."""
        rng = np.random.default_rng([seed, self.picks, 28])
        teams = len(self.weights)
        drawn = np.empty((count, teams), np.int64)
        for team in range(teams):
            # points evenly spaced over the weights: a way of one third is in a third of the scenarios
            at = (rng.permutation(count) + rng.random(count)) / count
            drawn[:, team] = np.minimum(np.searchsorted(np.cumsum(self.weights[team]), at), len(HYPOTHESES) - 1)
        found = []
        for row in drawn:
            ways = [HYPOTHESES[h] for h in row]
            loose = [way.loose for way in ways if way.model == "adp"]
            found.append(
                Opponents(
                    by_team={team: way.model for team, way in enumerate(ways)},
                    favourites=self.loves,
                    runs={team: way.runs for team, way in enumerate(ways)},
                    spread=GUMBEL * sum(loose) / len(loose) if loose else 1.0,
                )
            )
        return found

    @property
    def sure(self) -> float:
        """How sure it is: the mean over the other teams of the weight of the likeliest way, from 0 to 1."""
        others = [max(self.by_model(team).values()) for team in range(len(self.weights)) if team != self.team]
        return sum(others) / len(others) if others else 1.0

    def room(self) -> dict[str, float]:
        """The share of each way of drafting among the other teams."""
        found = dict.fromkeys(PRIOR, 0.0)
        others = [team for team in range(len(self.weights)) if team != self.team]
        for team in others:
            for model, weight in self.by_model(team).items():
                found[model] += weight / len(others)
        return found

    def words(self, names: list[str] | None = None) -> list[str]:
        """What was learnt, in sentences."""
        said = {
            "adp": "by average position",
            "vor": "by value over replacement",
            "need": "by what they need",
            "slots": "by value for open slots",
            "points": "by points alone",
        }
        shares = sorted(self.room().items(), key=lambda pair: -pair[1])
        stated = ", ".join(f"{share:.0%} {said[model]}" for model, share in shares if share >= 0.1)
        lines = [f"after {self.picks} picks of the others: {stated} (sure to {self.sure:.0%})"]
        adp = [
            sum(w * HYPOTHESES[k].loose for k, w in enumerate(row) if HYPOTHESES[k].model == "adp")
            for row in self.weights
        ]
        if self.picks >= 8 and shares[0][0] == "adp":
            reach = sum(adp) / max(sum(self.by_model(t)["adp"] for t in range(len(self.weights))), 1e-9)
            word = "close to their list" if reach < 0.4 else "far from their list" if reach > 1.2 else "about as usual"
            lines.append(f"they keep {word}")
        runs = [sum(w for k, w in enumerate(row) if HYPOTHESES[k].runs) for row in self.weights]
        if self.picks >= 8 and sum(runs) / len(runs) > 0.6:
            lines.append("they follow runs on a position")
        for team, clubs in self.loves.items():
            who = names[team] if names else f"team {team + 1}"
            for liked, early in clubs.items():
                lines.append(f"{who} takes players of {liked} about {early:.0f} picks early")
        return lines


class Learner:
    """What the picks of one league tell; those that were looked at once are not looked at again."""

    def __init__(self, league: League, team: int, stated: str | None = None) -> None:
        self.league, self.team, self.prior = league, team, prior(stated)
        self.seen: list[int] = []  # the picks of the rows of `likelihood`
        self.likelihood: list[Floats | None] = []  # log-likelihood of each pick [hypotheses]; None: none of theirs

    def believe(self, room: Room) -> Belief:
        """The belief after the picks of a room."""
        same = 0
        while same < min(len(self.seen), room.turn) and self.seen[same] == room.picks[same]:
            same += 1
        del self.seen[same:], self.likelihood[same:]
        if room.turn > same:
            for turn, row in self._look(room, same):
                self.seen.append(room.picks[turn])
                self.likelihood.append(row)
        teams = self.league.teams
        total = np.zeros((teams, len(HYPOTHESES)))
        count = 0
        for turn, row in enumerate(self.likelihood):
            if row is not None:
                total[self.league.order[turn]] += row
                count += 1
        return Belief(self.team, self._weigh(total), self._loves(room), count)

    def _look(self, room: Room, begin: int) -> Iterator[tuple[int, Floats | None]]:
        """The log-likelihood of each pick from one on."""
        league, rules = self.league, self.league.arrays
        board = Room(league, room.picks[:begin]).board.copy() if begin else Room(league).board.copy()
        matching = rules.matching(board.rosters.shape[1])
        kept = set(league.keepers)
        for turn in range(begin, room.turn):
            team, x = league.order[turn], room.picks[turn]
            if turn in kept:
                yield turn, None
                continue
            if team == self.team:
                yield turn, None
            else:
                lately = [int(rules.positions[y]) for y in room.picks[max(0, turn - engine.RUN_WINDOW) : turn]]
                yield turn, self._explain(board, team, x, lately)
            engine.take(rules, board, team, x, matching)

    def _explain(self, board: engine.RoomBoard, team: int, x: int, lately: list[int]) -> Floats:
        """How likely a pick was by each hypothesis, as logarithms."""
        rules = self.league.arrays
        legal = np.array(board.legal(team, rules) or np.flatnonzero(board.taken == 0))
        if x not in legal:
            return np.zeros(len(HYPOTHESES))
        at = int(np.flatnonzero(legal == x)[0])
        positions = rules.positions[legal]
        needed = (positions & board.opens[team]) != 0
        rounds = np.where((positions & rules.flexible) != 0, engine.BENCH_PENALTY, engine.SPARE_PENALTY)
        vor = rules.vor[legal]
        scores = {
            "adp": -rules.adp[legal] - np.where(needed, 0.0, self.league.teams * rounds),
            "vor": vor,
            "need": np.where(needed, rules.need[legal], rules.bench[legal]),
            "slots": np.where(needed | (vor <= 0.0), vor, engine.SLOTS_BENCH * vor),
            "points": rules.points[legal],
        }
        runs = sum(((positions & bits) != 0).astype(float) for bits in lately) if lately else np.zeros(len(legal))
        front = np.argsort(-scores["adp"])[:12]
        spread = float(np.median(rules.sd[legal][front]))
        found = np.empty(len(HYPOTHESES))
        for k, h in enumerate(HYPOTHESES):
            scale = h.loose * spread if h.model == "adp" else h.loose
            score = (scores[h.model] + h.runs * runs) / max(scale, 1e-9)
            score = score - score.max()
            chance = math.exp(score[at]) / np.exp(score).sum()
            found[k] = math.log((1 - SLIP) * chance + SLIP / len(legal))
        return found

    def _weigh(self, total: Floats) -> Floats:
        """The weights of the hypotheses for each team, with the room's as their prior."""
        others = [team for team in range(len(total)) if team != self.team]
        share = self.prior.copy()
        weights = np.tile(share, (len(total), 1))
        for _ in range(12):
            logs = np.log(share) + total
            weights = np.exp(logs - logs.max(axis=1, keepdims=True))
            weights /= weights.sum(axis=1, keepdims=True)
            if others:
                share = (ROOM * self.prior + weights[others].sum(axis=0)) / (ROOM + len(others))
        return weights

    def _loves(self, room: Room) -> dict[int, dict[str, float]]:
        """Clubs whose players a team takes earlier than others, beyond its own habit."""
        items = self.league.items
        early: dict[int, list[tuple[str, float]]] = {}
        for turn, x in enumerate(room.picks):
            team = self.league.order[turn]
            if team != self.team and turn not in self.league.keepers:
                early.setdefault(team, []).append((items[x].team, items[x].adp - (turn + 1)))
        found: dict[int, dict[str, float]] = {}
        for team, picks in early.items():
            for club in {club for club, _ in picks if club}:
                of_it = [by for liked, by in picks if liked == club]
                rest = [by for liked, by in picks if liked != club]
                if len(of_it) < 2:
                    continue
                habit = sum(rest) / len(rest) if rest else 0.0
                by = sum(x - habit for x in of_it) / (len(of_it) + 2)
                if by >= LEAST_LOVE:
                    found.setdefault(team, {})[club] = round(by, 1)
        return found
