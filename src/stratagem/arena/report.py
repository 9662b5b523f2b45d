"""What a match has shown: its games as outcomes for the ratings, tables, plots and lines of JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from stratagem.arena import plots
from stratagem.arena.config import Config
from stratagem.arena.ratings import Outcome, by_seat, rate
from stratagem.errors import ParseError, StratagemError
from stratagem.store import Records
from stratagem.store.stored import Match, Move, Played, Result, StoredGame

FORMAT = 1


def outcome(config: Config, number: int, seats: Iterable[str], result: Result) -> Outcome:
    return Outcome(tuple(seats), result.payoff, number // config.rules.players)


def outcomes(store: Records, match: Match) -> list[Outcome]:
    """The games of a match in the order of its schedule."""
    config = Config.from_json(match.config)
    return [outcome(config, number, seats, result) for number, seats, result in store.results(match.id)]


def fresh_outcomes(config: Config, games: Iterable[Played]) -> list[Outcome]:
    """Games just played."""
    return [outcome(config, game.number, game.seats, game.result) for game in games if game.number is not None]


def reasons(store: Records, match: Match) -> tuple[Counter[str], Counter[tuple[str, str]]]:
    """How games ended, and the faults as (player, reason)."""
    ended: Counter[str] = Counter()
    faults: Counter[tuple[str, str]] = Counter()
    for _, seats, result in store.results(match.id):
        ended[result.reason] += 1
        if result.seat is not None:
            faults[seats[result.seat], result.reason] += 1
    return ended, faults


def crosstable(found: Iterable[Outcome]) -> dict[tuple[str, str], list[int]]:
    """Wins, draws and losses of each player against each other; among more than two, by who came out ahead."""
    table: dict[tuple[str, str], list[int]] = {}
    for game in found:
        for i, a in enumerate(game.players):
            for j, b in enumerate(game.players):
                if a != b:
                    row = table.setdefault((a, b), [0, 0, 0])
                    row[(game.payoff[i] <= game.payoff[j]) + (game.payoff[i] < game.payoff[j])] += 1
    return table


def write_plots(store: Records, match: Match, folder: Path) -> list[Path]:
    """Write the four plots of a match."""
    config = Config.from_json(match.config)
    found = outcomes(store, match)
    if not found:
        raise StratagemError(f"match {match.name!r} has no games to plot")
    lengths: list[int] = []
    times: dict[str, list[float]] = {name: [] for name in config.players}
    for game in store.games(match.id):
        lengths.append(len(game.moves))
        for move in game.moves:
            if move.seat is not None and move.seconds is not None:
                times[game.seats[move.seat]].append(move.seconds)
        for _, decision in store.decisions(game.id):
            if decision.seconds is not None:
                times[game.seats[decision.seat]].append(decision.seconds)
    names = [config.rules.seat_name(seat) for seat in range(config.rules.players)]
    pictures = {
        "ratings": plots.ratings_plot(rate(found), match.name),
        "seats": plots.seats_plot(by_seat(found), names, match.name),
        "lengths": plots.lengths_plot(lengths, match.name),
        "times": plots.times_plot({name: seconds for name, seconds in times.items() if seconds}, match.name),
    }
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, svg in pictures.items():
        files.append(folder / f"{name}.svg")
        files[-1].write_text(svg + "\n")
    return files


# --------------------------------------------------------------------------------------------------- JSON lines


def game_json(game: StoredGame) -> dict[str, Any]:
    """A game as one object; what the web keeps with it, such as who may sit where, stays behind."""
    result = game.result
    return {
        "stratagem": FORMAT,
        "id": game.id,
        "match": game.match,
        "number": game.number,
        "game": game.game,
        "options": game.options,
        "origin": game.origin,
        "seats": game.seats,
        "seed": game.seed,
        "at": game.at,
        "moves": game.texts,
        "seconds": [None if m.seconds is None else round(m.seconds, 6) for m in game.moves],
        "payoff": None if result is None else list(result.payoff),
        "reason": result and result.reason,
        "fault": result and result.seat,
        "detail": result and result.detail,
    }


def games_of_lines(lines: Iterable[str]) -> Iterator[StoredGame]:
    """Games back from exported lines."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
            if found["stratagem"] != FORMAT:
                raise ParseError(
                    f"line {number} is in format {found['stratagem']!r}; this version reads format {FORMAT}"
                )
            ended = found["payoff"] is not None
            yield StoredGame(
                id=int(found["id"]),
                key=None,
                number=found["number"],
                game=str(found["game"]),
                options=dict(found["options"]),
                seats=list(found["seats"]),
                origin=found["origin"],
                seed=int(found["seed"]),
                moves=tuple(Move(str(text)) for text in found["moves"]),
                result=Result(tuple(found["payoff"]), found["reason"], found["fault"], found["detail"])
                if ended
                else None,
            )
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            if isinstance(error, StratagemError):
                raise
            raise ParseError(f"line {number} is not an exported game ({type(error).__name__}: {error})") from None
