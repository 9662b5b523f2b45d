"""What a match is: who plays whom, from which openings, under which terms; game number k follows from it alone.

Every opening is played by a line-up once from each rotation of the seats, with the same chance draws, so that neither the
seat nor luck decides. Games are numbered round by round: a longer match begins with the games of a shorter one.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np

from stratagem.contract.game import ArrayGame, Game
from stratagem.errors import OptionError, ParseError
from stratagem.registry import check_harmless
from stratagem.registry import game as make_game
from stratagem.registry import player as make_player
from stratagem.registry import players as players_of
from stratagem.rng import below, bits, generator
from stratagem.search.whole_turns import BASELINES

# Streams of the match's seed: a game's own, and those that the rotations of one round share.
CHANCE_STREAM, OPENING_STREAM, ORDER_STREAM = 1 << 40, 1 << 41, 1 << 42

ROUND_ROBIN, GAUNTLET = "round robin", "gauntlet"
DRAW, VALUE = "draw", "value"
ALL_BASELINES = "all-baselines"  # in the place of a player

_NAME = re.compile(r"(?P<game>.*?\.py(?::\w+)?|[^/]+)/(?P<player>.+)")
_TIME = re.compile(r"[:,]time=([0-9.eE+-]+)(?:,|$)")


@dataclass(frozen=True)
class Task:
    """One game of a schedule."""

    number: int
    seats: tuple[str, ...]  # the player of each seat
    round: int  # decides opening and chance
    group: int  # games of one group differ in the rotation of the seats alone
    seed: int


@dataclass(frozen=True)
class Config:
    """The terms of a match; equal terms give equal schedules."""

    game: str
    players: tuple[str, ...]  # entrants, without the game's name
    options: Mapping[str, Any] = field(default_factory=dict)
    games: int = 100  # at least so many, up to whole rounds
    format: str = ROUND_ROBIN
    seed: int = 0
    time: float | None = None  # seconds a move; None: as each player's own options say
    grace: float = 2.0  # seconds a player may be late
    patience: float = 60.0  # seconds before a player without a clock is taken to hang
    first_move: float = 60.0  # seconds more for a player's first move in a process, and for moves that compile
    opening_plies: int = 0  # random moves before the players decide
    openings: tuple[str, ...] = ()  # texts of positions to start from, in turn
    turn_limit: int | None = None  # plies, after which the game is stopped
    at_limit: str = DRAW  # what a stopped game is worth: a draw, or the rules' own estimate
    adjudicate: tuple[float, int] | None = None  # (value, n): stop when both sides' last n values agree on a winner
    sprt: Mapping[str, float] | None = None  # elo0, elo1, alpha, beta of a sequential test

    # -- what follows from the terms

    @cached_property
    def rules(self) -> Game:
        """The game that is played."""
        return make_game(self.game, **self.options)

    @cached_property
    def line_ups(self) -> list[tuple[str, ...]]:
        """Who meets, in no order: every set of as many entrants as there are seats.

        Where entrants are fewer than seats, some sit twice, but nobody plays against itself alone.
        """
        n = self.rules.players
        if self.format == GAUNTLET:
            champion, others = self.players[0], self.players[1:]
            if len(others) >= n - 1:
                return [(champion, *rest) for rest in combinations(others, n - 1)]
            return [
                (champion, *rest)
                for rest in combinations_with_replacement(self.players, n - 1)
                if set(rest) != {champion}
            ]
        if len(self.players) >= n:
            return list(combinations(self.players, n))
        return [found for found in combinations_with_replacement(self.players, n) if len(set(found)) > 1]

    @property
    def round_size(self) -> int:
        """The number of games of one round: every line-up from every rotation of the seats."""
        return len(self.line_ups) * self.rules.players

    @property
    def total(self) -> int:
        """The number of games: `games`, up to whole rounds."""
        return -(-self.games // self.round_size) * self.round_size

    def task(self, number: int) -> Task:
        """Return the terms of one game of the match.

        Args:
            number: the number of the game, from 0.
        """
        n = self.rules.players
        round, within = divmod(number, self.round_size)
        line_up, rotation = divmod(within, n)
        order = list(self.line_ups[line_up])
        if n > 2:  # with two, rotation shows every order already
            rng = generator(self.seed, ORDER_STREAM + number // n)
            with np.errstate(over="ignore"):  # the generator's arithmetic wraps
                for i in range(n - 1, 0, -1):
                    j = below(rng, i + 1)
                    order[i], order[j] = order[j], order[i]
        seats = tuple(order[(seat + rotation) % n] for seat in range(n))
        return Task(number, seats, round, number // n, derived_seed(self.seed, number))

    def limit(self, player: str) -> float:
        """Seconds after which a player has hung."""
        named = _TIME.search(unnumbered(player))
        return (self.time if self.time is not None else float(named[1]) if named else self.patience) + self.grace

    # -- as text

    def json(self) -> dict[str, Any]:
        """Return the terms as data."""
        return json.loads(json.dumps(dataclasses.asdict(self)))  # tuples become lists, as a file gives them

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Config:
        """Return the terms that `json` gave as data.

        Args:
            found: the terms as `json` returns them.
        """
        try:
            given = {
                **found,
                "players": tuple(found["players"]),
                "openings": tuple(found["openings"]),
                "adjudicate": tuple(found["adjudicate"]) if found["adjudicate"] else None,
            }
            return cls(**given)
        except (KeyError, TypeError) as error:
            raise ParseError(f"these are not the terms of a match: {error}") from None

    @property
    def default_name(self) -> str:
        """Return the name of a match that was given none: the game, and a digest of the terms."""
        digest = hashlib.sha256(json.dumps(self.json(), sort_keys=True).encode()).hexdigest()[:8]
        return f"{re.sub(r'[^A-Za-z0-9]+', '-', self.rules.name)}-{digest}"

    # -- checks

    def check_harmless(self, *, trust: bool, playing: bool = False) -> None:
        """Refuse terms out of a store whose rules are code that is not loaded yet; where they are to be played, also players
        that run programs."""
        seats = [unnumbered(player) for player in self.players] if playing else ()
        check_harmless(self.game, self.options, seats, trust=trust)

    @property
    def runs_code(self) -> bool:
        """Whether a Python file or a program is named, so that going on with it from a store takes trust."""
        known = players_of(self.rules)
        names = (unnumbered(player).partition(":")[0] for player in self.players)
        files = any(".py" in str(text) for text in (self.game, *self.options.values()))
        return files or any(name in known and known[name].external for name in names)

    def check(self) -> None:
        """Raise for terms under which no match can be played; every player is made once."""
        rules = self.rules
        for text in self.players:
            make_player(rules, unnumbered(text))
        if len(set(self.players)) < len(self.players):
            twice = next(p for p in self.players if self.players.count(p) > 1)
            raise OptionError(f"player {twice!r} is named twice; tell them apart, such as {twice + '#2'!r}")
        if len(self.players) < 2:
            raise OptionError("a match needs two players or more")
        for name, low in (("games", 1), ("grace", 0), ("patience", 0), ("first_move", 0), ("opening_plies", 0)):
            if getattr(self, name) < low:
                raise OptionError(f"{name.replace('_', ' ')} is {getattr(self, name)}; it is at least {low}")
        if self.time is not None and not 0 <= self.time < 1e6:
            raise OptionError(f"a time of {self.time!r} seconds makes no clock; give 0 or more")
        if self.turn_limit is not None and self.turn_limit < 1:
            raise OptionError(f"a turn limit of {self.turn_limit} leaves no game; give 1 or more")
        if self.at_limit not in (DRAW, VALUE):
            raise OptionError(f"a stopped game is worth {self.at_limit!r}; it is one of {DRAW}, {VALUE}")
        if self.at_limit == VALUE and not (isinstance(rules, ArrayGame) and rules.gives("value")):
            raise OptionError(f"the rules of {rules.name} give no estimate of a position; stop games as a {DRAW}")
        if self.adjudicate is not None:
            if rules.players != 2 or not rules.zero_sum:
                raise OptionError(
                    "games are adjudicated by the players' values only between two, where one's gain is the other's loss"
                )
            if self.adjudicate[1] < 1:
                raise OptionError(f"{self.adjudicate[1]} values in a row decide nothing; give 1 or more")
        for text in self.openings:
            if rules.parse(text).over:
                raise OptionError(f"opening {text!r} is a finished game")
        from stratagem.arena.playing import opening  # which plays by a config, and imports this module

        opening(self, 0)


def derived_seed(seed: int, stream: int) -> int:
    """A seed of its own for each stream of a seed."""
    with np.errstate(over="ignore"):  # the generator's arithmetic wraps
        return int(bits(generator(seed, stream)))


def unnumbered(player: str) -> str:
    """A player without the number that tells it from its equals: `random#2` is `random`."""
    return re.sub(r"#[0-9]+$", "", player)


def split_names(names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The game and the players of `connect4/mcts:time=0.2 connect4/random`; they must all be of one game.

    A player that is named again is numbered, `random#2`. `GAME/all-baselines` are all searches of whole turns that the game has,
    each with the options that are said.
    """
    found: list[tuple[str, str]] = []
    for name in names:
        parts = _NAME.fullmatch(name)
        if parts is None:
            raise ParseError(f"player {name!r} lacks its game; write GAME/PLAYER, such as connect4/random")
        found += [(parts["game"], player) for player in _meant(parts["game"], parts["player"])]
    if not found:
        raise ParseError("name at least two players, such as connect4/mcts connect4/random")
    games = list(dict.fromkeys(game for game, _ in found))
    if len(games) > 1:
        raise ParseError(f"players of one match play one game, not {' and '.join(games)}")
    seen: Counter[str] = Counter()
    players = []
    for _, player in found:
        seen[player] += 1
        players.append(player if seen[player] == 1 else f"{player}#{seen[player]}")
    return _from_anywhere(games[0]), tuple(players)


def _meant(game: str, player: str) -> list[str]:
    """A player, or all the baselines of a game."""
    name, colon, options = player.partition(":")
    if name != ALL_BASELINES:
        return [player]
    known = players_of(make_game(game))
    found = [f"{baseline}{colon}{options}" for baseline in BASELINES if baseline in known]
    if not found:
        raise OptionError(f"{game} has no searches of whole turns: its turns are single moves, or nothing judges them")
    return found


def _from_anywhere(game: str) -> str:
    """A game's address; that of a file with its whole path, so that the match is read and resumed from any folder."""
    file, colon, wanted = game.partition(":")
    return f"{Path(file).resolve()}{colon}{wanted}" if file.endswith(".py") and Path(file).is_file() else game


def differences(stored: Config, asked: Config) -> list[str]:
    """In words, how two configurations differ."""
    mine, other = stored.json(), asked.json()
    return [
        f"{name.replace('_', ' ')} was {mine[name]!r}, now {other[name]!r}"
        for name in mine
        if mine[name] != other[name]
    ]
