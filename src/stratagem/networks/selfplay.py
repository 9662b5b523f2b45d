"""Games to learn from: two equal sides search a little, and every position is kept with what it came to.

A game begins with some random moves; then both sides play the best of a search, and where few plies are left the rest is solved.
A *part* is so many games, made from a seed of its own and written as one Parquet file that appears whole or not at all: work that
was stopped anywhere goes on with the parts that are missing, and no game counts twice.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import Bound, specialise
from stratagem.contract.game import ArrayGame
from stratagem.errors import StratagemError
from stratagem.kernel import OVER, Ground, Moves, Payoffs, State, moves, payoff, play, turn
from stratagem.networks.features import check_suits, features, rules_of
from stratagem.networks.networked import lift, networked
from stratagem.networks.plan import Recipe
from stratagem.networks.weights import Network
from stratagem.search.alphabeta import AlphaBeta
from stratagem.search.alphabeta.score import verdict

TABLE_BITS = 16
MOST_PLIES = 10_000
Row = tuple[list[int], list[int], float, float]


@dataclass(frozen=True)
class Positions:
    """Positions to learn from: what the mover and the other side see, -1 behind the last; values for the mover in -1 .. 1."""

    own: NDArray[np.int32]
    other: NDArray[np.int32]
    result: NDArray[np.float32]
    searched: NDArray[np.float32]
    game: NDArray[np.int32]  # the number of the game, all through a round

    def __len__(self) -> int:
        return len(self.result)


def play_part(game: ArrayGame[Any], recipe: Recipe, number: int, network: Network | None = None) -> Positions:
    """The positions of part `number`, always the same."""
    table = Table(game, recipe, network, np.random.default_rng((recipe.seed, number)))
    first = number * recipe.part
    games = [table.game_rows() for _ in range(min(recipe.part, recipe.games - first))]
    rows = [row for one in games for row in one]
    own, other = (np.array([row[k] for row in rows], np.int32).reshape(-1, table.width) for k in (0, 1))
    result, searched = (np.array([row[k] for row in rows], np.float32) for k in (2, 3))
    return Positions(
        own,
        other,
        result,
        searched,
        np.repeat(first + np.arange(len(games)), [len(game) for game in games]).astype(np.int32),
    )


class Table:
    """Where games to learn from are played: the search, and the rules compiled for use from Python."""

    def __init__(self, game: ArrayGame[Any], recipe: Recipe, network: Network | None, rng: np.random.Generator) -> None:
        self.plain, self.recipe, self.rng = game, recipe, rng
        self.width = check_suits(game).features_at_once
        self.game = game if network is None else networked(game, network)
        self.search = AlphaBeta(self.game, table_bits=TABLE_BITS)
        low, high = game.payoff_range
        self.middle, self.half = (low + high) / 2, (high - low) / 2
        names = {**self.game.names, "features": Bound(rules_of(game).features, game.names["turn"].names)}
        self._look = specialise(look_template, names, label=f"{game.name} self-play")
        self._step = specialise(step_template, names, label=f"{game.name} self-play")
        self._list = np.zeros(game.max_moves, np.int64)
        self._payoffs = np.zeros(2)

    def game_rows(self) -> list[Row]:
        """One game: for each position that was searched what both sides saw, the result and the search's value for the mover."""
        g, recipe, rng = self.game.g, self.recipe, self.rng
        s = np.zeros(self.game.size + self.game.scratch, np.int64)
        start = lift(self.game, self.plain.start()) if self.game is not self.plain else self.plain.start()
        s[: len(start.state)] = start.state
        self.search.clear()
        opening = recipe.opening + int(rng.integers(2))
        found: list[tuple[list[int], list[int], int, float]] = []
        for ply in range(MOST_PLIES):
            seen = np.full((2, self.width), -1, np.int64)
            p, n = self._look(g, s, self._list, seen)
            if p < 0:
                break
            moves = [int(m) for m in self._list[:n]]
            if ply < opening:
                self._step(g, s, p, int(rng.choice(moves)), self._payoffs)
                continue
            last = 0 < int(left_of(self.game, s)) <= recipe.solved
            value, best = self._searched(s, moves, self.plain.max_length or MOST_PLIES if last else recipe.depth)
            if last:  # the rest is known
                self._payoffs[0] = self.middle + self.half * (value if p == 0 else -value)
                break
            found.append((list(seen[p]), list(seen[1 - p]), p, value))
            self._step(g, s, p, int(rng.choice(moves)) if rng.random() < recipe.astray else best, self._payoffs)
        else:
            raise StratagemError(f"a game of {self.plain.name} did not end within {MOST_PLIES} plies")
        result = (float(self._payoffs[0]) - self.middle) / self.half
        return [(own, other, result if p == 0 else -result, value) for own, other, p, value in found]

    def _searched(self, s: State, moves: list[int], depth: int) -> tuple[float, int]:
        """The value for the mover, in -1 .. 1, and the best move."""
        found = self.search.search(self.game.position(s[: self.game.size + self.game.scratch]), depth, root_moves=moves)
        assert found is not None  # nobody stops it
        return (verdict(self.game, found.score).value - self.middle) / self.half, found.moves[0]


def left_of(game: ArrayGame[Any], s: State) -> int:
    return int(game.run("left", game.g, s)) if game.gives("left") else 0


def look_template(g: Ground, s: State, listed: Moves, seen: Any) -> tuple[int, int]:
    """Who is to move and with how many moves, which are listed, and what both sides see."""
    p = turn(g, s)
    if p < 0:
        return p, 0
    for side in range(2):
        features(g, s, side, seen[side])
    return p, moves(g, s, p, listed)


def step_template(g: Ground, s: State, p: int, m: int, payoffs: Payoffs) -> None:
    """A move, and the payoffs if it is the last one."""
    play(g, s, p, m)
    if turn(g, s) == OVER:
        payoff(g, s, payoffs)


# ---------------------------------------------------------------------------------------------------------------- files


def part_file(folder: Path, number: int) -> Path:
    return folder / f"part-{number:05}.parquet"


def write_part(folder: Path, number: int, found: Positions) -> None:
    """All of it or nothing: a file that is being written has another name."""
    pyarrow, parquet = arrow()
    columns = {name: _lists(pyarrow, getattr(found, name)) for name in ("own", "other")}
    table = pyarrow.table({**columns, "result": found.result, "searched": found.searched, "game": found.game})
    unfinished = part_file(folder, number).with_suffix(f".{os.getpid()}.unfinished")
    parquet.write_table(table, unfinished, compression="zstd")
    unfinished.replace(part_file(folder, number))


def arrow() -> tuple[Any, Any]:
    """The library that reads and writes Parquet, which an extra brings."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise StratagemError("records of self-play are Parquet files: pip install 'stratagem[train]'") from None
    return pyarrow, parquet


def _lists(pyarrow: Any, rows: NDArray[np.int32]) -> Any:
    lengths = (rows >= 0).sum(axis=1)
    begins = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pyarrow.ListArray.from_arrays(begins, rows[rows >= 0])


def read_part(folder: Path, number: int, width: int) -> Positions:
    pyarrow, parquet = arrow()
    file = part_file(folder, number)
    try:
        table = parquet.read_table(file)
        own, other = (_padded(table[name].combine_chunks(), width) for name in ("own", "other"))
        return Positions(own, other, *(table[name].to_numpy() for name in ("result", "searched", "game")))
    except (OSError, KeyError, ValueError, pyarrow.ArrowException) as error:
        raise StratagemError(
            f"{str(file)!r} is no whole part of self-play ({error}); remove it, and it is played again"
        ) from None


def read_parts(folder: Path, recipe: Recipe, width: int) -> Positions:
    """All positions of a folder, part by part."""
    return joined([read_part(folder, number, width) for number in range(recipe.parts)])


def joined(parts: Sequence[Positions]) -> Positions:
    return Positions(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Positions)))


def _padded(lists: Any, width: int) -> NDArray[np.int32]:
    begins = lists.offsets.to_numpy()
    lengths = np.diff(begins)
    found = np.full((len(lengths), width), -1, np.int32)
    if lengths.max(initial=0) > width:
        raise ValueError(f"a position has {lengths.max()} features; there are {width} at most")
    found[np.arange(width) < lengths[:, None]] = lists.flatten().to_numpy()
    return found


def missing(folder: Path, recipe: Recipe) -> list[int]:
    return [number for number in range(recipe.parts) if not part_file(folder, number).exists()]
