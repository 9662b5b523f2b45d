"""Records of self-play: games of the engine against itself, a row for each turn that was searched.

A game begins with some wild turns of the script, so that no two are alike; then both sides search with a fixed number of
simulations and play the best turn, or now and then another that the search looked at. A *part* is so many games that follow
from its number alone, and one Parquet file that appears whole or not at all, so that work that was stopped anywhere goes on
with the parts that are missing.

    for record in read_records(folder):
        staging = MinionsStaging(record.config)
        ...
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import OptionError, StratagemError
from stratagem.games.minions import layout
from stratagem.games.minions import turns as scripts
from stratagem.games.minions.config import GameConfig, Techline, profile_of
from stratagem.games.minions.engine.fitting import MAPS
from stratagem.games.minions.engine.player import staging_of
from stratagem.games.minions.engine.stages import EngineOptions
from stratagem.games.minions.state import GameState
from stratagem.games.minions.wizard import plain_rules, scripted_turn
from stratagem.kernel import State
from stratagem.networks.plan import Recipe
from stratagem.networks.selfplay import arrow
from stratagem.rng import Rng, generator
from stratagem.search.staged import Judged, Settings, Staged

PLAIN = "spooky"  # the profile without spells
BOARDS = (1, 1, 2, 2, 3)  # as many boards has a game of another profile, one as likely as another
MOST_TURNS = 8  # of those that a search looked at, in a row
MOST_PLIES = 120  # after which nobody has won: the result is 0
WARMTH = 0.05  # in payoffs: by how much a turn may be worse that is played now and then in place of the best
FILES = "part-*.parquet"
LEVEL = 9  # of compression
Networks = Mapping[str, Any]  # options of the engine (`EngineOptions`) that name networks


@dataclass(frozen=True)
class SelfPlay(Recipe):
    """How games of Minions to learn from are played."""

    games: int = 4000
    depth: int = 2  # turns of both sides that a walk of the search joins
    opening: int = 8  # wild turns of the script at the start, at the most
    solved: int = 0
    astray: float = 0.1  # the share of turns that are not the best
    part: int = 10
    visits: int = 48  # simulations a turn
    profile: str = PLAIN  # the rules

    def __post_init__(self) -> None:
        super().__post_init__()
        profile_of(self.profile)
        if self.visits < 2:
            raise OptionError(f"{self.visits} simulations a turn compare nothing; give 2 or more")


@dataclass(frozen=True, eq=False)
class Record:
    """A turn of self-play: where it was, what the search looked at, and what came of it."""

    config: GameConfig
    position: State  # at the beginning of the turn, as the mover sees it
    mover: int
    turns: tuple[bytes, ...]  # that the search looked at most, as words of actions in bytes; the best first
    visits: NDArray[np.int32]  # of each
    values: NDArray[np.float32]  # of each, to the mover
    played: int  # which of them was
    value: float  # of the search, to the mover
    result: float  # to the mover: 1 won, -1 lost, 0 nobody had won
    game: int  # its number, all through a round
    ply: int

    @property
    def turn(self) -> bytes:
        """The turn that was played."""
        return self.turns[self.played]


# ------------------------------------------------------------------------------------------------------------ playing


def play_part(recipe: SelfPlay, number: int, networks: Networks | None = None) -> list[Record]:
    """The rows of part `number`, always the same."""
    numbers = range(number * recipe.part, min((number + 1) * recipe.part, recipe.games))
    return [row for k in numbers for row in play_game(recipe, k, networks)]


def config_of(rng: random.Random, profile: str = PLAIN) -> GameConfig:
    """One to three boards, and a techline in the usual order or dealt."""
    rules = profile_of(profile)
    larger = rules.switches.larger_pack
    line = Techline.standard() if rng.random() < 0.5 else Techline.randomised(rng.getrandbits(30), larger=larger)
    if profile == PLAIN:
        return GameConfig.make(rng.choice(MAPS), techline=line)
    names = tuple(rng.choice(rules.maps) for _ in range(rng.choice(BOARDS)))
    return GameConfig.make(names, techline=line, profile=profile)


def play_game(recipe: SelfPlay, number: int, networks: Networks | None = None) -> list[Record]:
    """One game, always the same; with networks, if there are any."""
    rng = random.Random(f"{recipe.seed} {number}")
    config = config_of(rng, recipe.profile)
    staging = staging_of(config, EngineOptions(solver=False, **(networks or {})))
    settings = Settings(depth=recipe.depth, simulations=recipe.visits, turns=20 * recipe.visits)
    search = Staged(staging, settings, seed=rng.getrandbits(30))
    luck = generator(rng.getrandbits(30))
    wild = rng.randint(0, recipe.opening)
    position = GameState.start(config).dealt(luck).array
    rows: list[dict[str, Any]] = []
    for ply in range(MOST_PLIES):
        if staging.payoffs(position) is not None:
            break
        if ply < wild:
            turn = wild_turn(config, position, luck)
        else:
            view = GameState(config, position).hidden_from(int(position[layout.SIDE])).array
            staging.begin(view)
            found = search.consider(view, simulations=recipe.visits)
            looked_at = most_visited(found.turns)
            played = chosen(looked_at, found.seat, recipe.astray, rng)
            turn = looked_at[played].turn
            rows.append(_row(view, found.seat, looked_at, played, ply))
        position = staging.play(position, turn, luck)
    ends = staging.payoffs(position) or (0.0, 0.0)
    return [Record(config, result=ends[row["mover"]], game=number, **row) for row in rows]


def wild_turn(config: GameConfig, position: State, luck: Rng) -> bytes:
    """The script's turn with varied choices, in words."""
    if plain_rules(config):
        return scripts.scripted_words(config, position.copy(), luck, wild=True).tobytes()
    return scripted_turn(GameState(config, position.copy()), luck, wild=True).words().tobytes()


def most_visited(found: tuple[Judged, ...]) -> list[Judged]:
    """Those that were looked at most, the best among them; in the order in which they are found good."""
    by_visits = sorted(range(1, len(found)), key=lambda k: -found[k].visits)
    return [found[k] for k in sorted([0, *by_visits[: MOST_TURNS - 1]])]


def chosen(found: list[Judged], seat: int, astray: float, rng: random.Random) -> int:
    """The best, or now and then one that is not much worse."""
    if rng.random() >= astray:
        return 0
    best = found[0].values[seat]
    weights = [math.exp(min(one.values[seat] - best, 0.0) / WARMTH) * one.visits**0.5 for one in found]
    return rng.choices(range(len(found)), weights)[0]


def _row(position: State, seat: int, found: list[Judged], played: int, ply: int) -> dict[str, Any]:
    values = np.array([one.values[seat] for one in found], np.float32)
    return {
        "position": position.copy(),
        "mover": seat,
        "turns": tuple(one.turn for one in found),
        "visits": np.array([one.visits for one in found], np.int32),
        "values": values,
        "played": played,
        "value": float(values[0]),
        "ply": ply,
    }


# -------------------------------------------------------------------------------------------------------------- files


def config_text(config: GameConfig) -> str:
    """A configuration as JSON; `config_from` reads it."""
    said = {"points": config.points, "maps": config.maps, "techline": str(config.techline), "profile": config.profile}
    return json.dumps({**said, "switches": asdict(config.switches), "money": config.money})


@lru_cache(maxsize=256)
def config_from(text: str) -> GameConfig:
    said = json.loads(text)
    money = said["money"]
    return GameConfig.make(
        tuple(said["maps"]),
        points=said["points"],
        techline=Techline.parse(said["techline"]),
        profile=said["profile"],
        money=None if money is None else (money[0], money[1]),
        **said["switches"],
    )


def record_bytes(rows: list[Record]) -> bytes:
    """The file of a part."""
    pyarrow, parquet = arrow()
    kinds = {
        "config": pyarrow.string(),
        "position": pyarrow.binary(),
        "mover": pyarrow.int8(),
        "turns": pyarrow.list_(pyarrow.binary()),  # words of 16 bits
        "visits": pyarrow.list_(pyarrow.int32()),
        "values": pyarrow.list_(pyarrow.float32()),
        "played": pyarrow.int8(),
        "value": pyarrow.float32(),
        "result": pyarrow.float32(),
        "game": pyarrow.int32(),
        "ply": pyarrow.int16(),
    }
    said: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in kinds}
    said["config"] = [config_text(config) for config in said["config"]]
    said["position"] = [position.tobytes() for position in said["position"]]
    said["turns"] = [[narrow(turn) for turn in found] for found in said["turns"]]
    table = pyarrow.table({name: pyarrow.array(said[name], kind) for name, kind in kinds.items()})
    content = pyarrow.BufferOutputStream()
    parquet.write_table(table, content, compression="zstd", compression_level=LEVEL)
    return bytes(content.getvalue())


def narrow(turn: bytes) -> bytes:
    """The words of a turn in 16 bits each: they are kinds of actions, boards, hexes, types and cards."""
    words = np.frombuffer(turn, np.int64)
    found = words.astype(np.int16)
    if not np.array_equal(found, words):
        raise StratagemError(f"a turn has the word {int(words[found != words][0])}, which no record has room for")
    return found.tobytes()


def wide(turn: bytes) -> bytes:
    return np.frombuffer(turn, np.int16).astype(np.int64).tobytes()


def read_records(folder: Path) -> Iterator[Record]:
    """All rows of a folder (of a round, or of all rounds in it), part by part in the order of their numbers."""
    files = sorted(Path(folder).rglob(FILES))
    if not files:
        raise StratagemError(f"there are no parts of self-play ({FILES}) in {str(folder)!r}")
    for file in files:
        yield from read_file(file)


def read_file(file: Path) -> list[Record]:
    """The rows of a part."""
    pyarrow, parquet = arrow()
    try:
        table = parquet.read_table(file).to_pydict()
        columns = [table[name] for name in ("config", "position", "mover", "turns", "visits", "values")]
        rest = [table[name] for name in ("played", "value", "result", "game", "ply")]
        return [_record(*row) for row in zip(*columns, *rest, strict=True)]
    except (OSError, KeyError, ValueError, TypeError, pyarrow.ArrowException) as error:
        raise StratagemError(
            f"{str(file)!r} is no whole part of Minions' self-play ({error}); remove it, and it is played again"
        ) from None


def _record(
    config: str, position: bytes, mover: int, turns: list[bytes], visits: list[int], values: list[float], *rest: Any
) -> Record:
    rules = config_from(config)
    cells = np.frombuffer(position, np.int64).copy()
    if len(cells) != GameState.blank(rules).size:
        raise ValueError(f"a position has {len(cells)} cells; here it has {GameState.blank(rules).size}")
    words = tuple(wide(turn) for turn in turns)
    return Record(rules, cells, mover, words, np.array(visits, np.int32), np.array(values, np.float32), *rest)
