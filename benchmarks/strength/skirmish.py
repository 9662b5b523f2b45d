"""Matches at Skirmish by pairs: one deal and one order of the cards on one map, played once from each seat, at equal time a turn.

A player that plans whole turns gets a turn's seconds at once, any other one its share of them for each action. Seconds are of
processor time, so that a busy machine hurts nobody: of the thread that thinks in the public program (what its compiler and its
collector of garbage do besides is not counted), of the whole process of ours, Python between moves included; `wall` counts by the
wall clock, and wants as many cores as workers. Before a game counts, both have thought about another position: what must
be compiled has been. Nobody sees the other hand: both are given the same view, in which its cards lie among those of its deck.

Pairs are written to a file as they end, one JSON object a line; the same command goes on where it stopped.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import stratagem
from benchmarks.pairs import keep, kept, played, score
from stratagem.contract.player import Clock, PlayerText
from stratagem.games.skirmish import kernels as k
from stratagem.games.skirmish.game import Skirmish
from stratagem.games.skirmish.telling import CARD_NAMES
from stratagem.kernel import CHANCE
from stratagem.protocols.hero_aicademy import PublicPlayer
from stratagem.rng import below, generator
from stratagem.search.whole_turns import WholeTurnPlayer

PUBLIC = "hero-aicademy"
WARMING = 0.05  # seconds about another position, before a game
ANOTHER = 1 << 40  # the seed of that position


class Match(NamedTuple):
    """What pairs are played with."""

    points: int
    ours: str
    opponent: str
    seconds: float
    clock: str = "processor"

    def __str__(self) -> str:
        time = f"{self.seconds:g} s a turn{' by the wall clock' * (self.clock == 'wall')}"
        return f"{self.ours} against {self.opponent}, {self.points} points, {time}"


class Cards:
    """The draws of a game: for each side an endless row of cards, of which those are passed over that its deck has not.

    Every draw is so any card of the deck, all alike, and the two games of a pair differ as little as their players let them."""

    def __init__(self, game: Skirmish, seed: int) -> None:
        self.game, self.rows = game, [generator(seed, 1 + p) for p in range(2)]
        self.all = [(card, copy) for card, copies in enumerate(game.deck) for copy in range(copies)]

    def draw(self, position: Any) -> str:
        p = int(self.game.rule(k.taker, position.state))
        possible = set(position.moves())
        while True:
            with np.errstate(over="ignore"):
                card, copy = self.all[below(self.rows[p], len(self.all))]
            if copy < position.state[k.DECK + p * k.CARDS + card] and CARD_NAMES[card] in possible:
                return CARD_NAMES[card]


def plans_turns(player: Any) -> bool:
    """Whether a player's clock is for a whole turn."""
    return isinstance(player, PublicPlayer | WholeTurnPlayer) or getattr(player, "course", None) is not None


def spent(player: Any) -> float:
    """Seconds of processor time that a player, or its process, has used so far."""
    return player.spent if isinstance(player, PublicPlayer) else time.process_time()


class Played(NamedTuple):
    """A game: the payoff of the first seat, its turns, and the processor time that each seat used."""

    payoff: float
    turns: int
    thought: tuple[float, float]


def one_game(game: Skirmish, players: Sequence[Any], seed: int, seconds: float) -> Played:
    cards, thought = Cards(game, seed), [0.0, 0.0]
    position = game.start()
    while not position.over:
        if position.turn == CHANCE:
            position = position.play(cards.draw(position))
            continue
        p = position.turn
        clock = Clock(seconds if plans_turns(players[p]) else seconds / game.points)
        began = spent(players[p])
        choice = players[p].choose(position.view(p), clock)
        thought[p] += spent(players[p]) - began
        position = position.play(choice.move)
    return Played(position.payoff[0], int(position.state[k.TURN]), (thought[0], thought[1]))


@cache
def game_of(points: int) -> Any:
    return stratagem.game("skirmish", points=points)  # the public trees end turns early: the clean profile


@cache
def public_player(points: int, text: str, clock: str) -> Any:
    """Kept from pair to pair: to start the program and to warm it up takes longer than some games."""
    return stratagem.player(game_of(points), str(PlayerText.parse(text).having(clock=clock)))


def player_of(match: Match, text: str, seed: int) -> Any:
    if PlayerText.parse(text).name == PUBLIC:
        return public_player(match.points, text, match.clock)
    return stratagem.player(game_of(match.points), text, seed=seed)


def one_pair(match: Match, seed: int) -> dict[str, Any]:
    """Two games of one deal; scores are ours, 0 to 1."""
    game = game_of(match.points)
    players = [player_of(match, text, seed) for text in (match.ours, match.opponent)]
    other = game.start(seed=ANOTHER)
    for player in players:
        player.choose(other.view(0), Clock(WARMING))
    first, second = (one_game(game, seated, seed, match.seconds) for seated in (players, players[::-1]))
    return {
        **match._asdict(),
        "seed": seed,
        "scores": [(1 + first.payoff) / 2, (1 - second.payoff) / 2],
        "turns": [first.turns, second.turns],
        "thought": [round(first.thought[i] + second.thought[1 - i], 2) for i in range(2)],
    }


def reported(rows: Sequence[dict[str, Any]]) -> str:
    """The mean with its 95 % interval."""
    if not rows:
        return "no pair yet"
    counts = [0] * 5
    for row in rows:
        counts[round(2 * sum(row["scores"]))] += 1
    mean, half = score(counts)
    return f"{mean:.3f} ± {half:.3f} over {len(rows)} pair{'s' * (len(rows) != 1)}"


def read(path: Path | None) -> dict[Match, dict[int, dict[str, Any]]]:
    """The pairs of a file by match and seed."""
    found: dict[Match, dict[int, dict[str, Any]]] = {}
    for row in () if path is None else kept(path):
        found.setdefault(match_of(row), {})[row["seed"]] = row
    return found


def match_of(row: dict[str, Any]) -> Match:
    return Match(**{name: row[name] for name in Match._fields if name != "clock"}, clock=row.get("clock", "wall"))


def _job(job: tuple[Match, int]) -> dict[str, Any]:
    return one_pair(*job)


def play(matches: Sequence[Match], pairs: int, workers: int, limit: float, results: Path | None) -> None:
    """Play what is missing, a pair of each match in turn, and say how it stands."""
    rows = read(results)
    jobs = [(match, seed) for seed in range(pairs) for match in matches if seed not in rows.get(match, {})]
    began = time.monotonic()
    try:
        for row in played(_job, jobs, min(workers, len(jobs)), limit, matches[0].clock) if jobs else ():
            match = match_of(row)
            rows.setdefault(match, {})[row["seed"]] = row
            if results is not None:
                keep(results, row)
            print(f"{time.monotonic() - began:6.0f} s   {match}: {reported(list(rows[match].values()))}", flush=True)
    except KeyboardInterrupt:
        print("stopped by hand; the same command goes on")
    for match in matches:
        print(f"{match}: {reported(list(rows.get(match, {}).values()))}")


def against_public(ours: str, opponents: str, points: Sequence[int], seconds: float, clock: str) -> list[Match]:
    named = [str(text) for text in PlayerText.parse_list(ours)]
    theirs = [f"{PUBLIC}:player={name}" for name in opponents.split(",")]
    return [Match(n, one, other, seconds, clock) for n in points for other in theirs for one in named]


def among_ours(ours: str, points: Sequence[int], seconds: float, clock: str) -> list[Match]:
    named = [str(text) for text in PlayerText.parse_list(ours)]
    return [Match(n, one, other, seconds, clock) for n in points for one, other in itertools.combinations(named, 2)]


def table(matches: Sequence[Match], rows: dict[Match, dict[int, dict[str, Any]]]) -> str:
    """A row a pairing, a column a number of points: the score of the first."""
    points = sorted({match.points for match in matches})
    pairings = list(dict.fromkeys(match[1:] for match in matches))
    lines = [f"| pairing | {' | '.join(f'{n} points' for n in points)} |", "|---" * (1 + len(points)) + "|"]
    for ours, opponent, seconds, clock in pairings:
        cells = [reported(list(rows.get(Match(n, ours, opponent, seconds, clock), {}).values())) for n in points]
        lines.append(f"| `{ours}` against `{opponent}`, {seconds:g} s | {' | '.join(cells)} |")
    return "\n".join(lines)
