"""Games to learn from: two equal sides search a little, and every position is kept with what it came to.

A game begins with some random moves; then both sides play the best of a search, and where few plies are left the rest is solved.
The search is alpha-beta to a depth, or tree search, whose visits are kept for a policy to learn. Where neither can play, because
of chance or because both decide at once, everybody follows a playout strategy, and whole games run compiled.

A *part* is so many games, made from a seed of its own and written as one Parquet file that appears whole or not at all: work that
was stopped anywhere goes on with the parts that are missing, and no game counts twice.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame
from stratagem.errors import StratagemError
from stratagem.kernel import CHANCE, OVER, TOGETHER, Ground, Moves, Payoffs, State, draw, moves, payoff, play, turn
from stratagem.networks.features import bound, check_suits, features, policy_count, rules_of
from stratagem.networks.networked import lift, networked, tree_options
from stratagem.networks.plan import MCTS, PLAYOUTS, Recipe
from stratagem.networks.weights import Network
from stratagem.rng import Rng, generator
from stratagem.search.alphabeta import AlphaBeta
from stratagem.search.alphabeta.score import verdict
from stratagem.search.sampling.playouts import has_chance, roll_together, rollout
from stratagem.search.tree import mcts as tree_search

TABLE_BITS = 16
MOST_PLIES = 10_000
POOL = 1 << 16  # nodes of a tree, more than a move's simulations make
MOST_KEPT = 1000  # positions of a game by playouts
HAS_CHANCE, HAS_TOGETHER = False, False  # bound for playouts


@dataclass(frozen=True)
class Positions:
    """Positions to learn from: what the mover and the other side see, -1 behind the last; values for the mover in -1 .. 1."""

    own: NDArray[np.int32]
    other: NDArray[np.int32]
    result: NDArray[np.float32]
    searched: NDArray[np.float32]
    game: NDArray[np.int32]  # the number of the game, all through a round
    policy: NDArray[np.float32] | None = None  # [positions, outputs] the share of visits of each; None: nobody counted

    def __len__(self) -> int:
        return len(self.result)


@dataclass(frozen=True)
class Row:
    """A position: what the mover and the other side see, the result and the search's value for the mover, and its visits."""

    own: list[int]
    other: list[int]
    result: float
    searched: float
    visits: list[float]


def play_part(game: ArrayGame[Any], recipe: Recipe, number: int, network: Network | None = None) -> Positions:
    """The positions of part `number`, always the same."""
    first = number * recipe.part
    count = min(recipe.part, recipe.games - first)
    games: list[list[Row]]
    if recipe.by == PLAYOUTS:
        games = playout_rows(game, recipe, number, count)
    else:
        table = SelfPlayTable(game, recipe, network, np.random.default_rng((recipe.seed, number)))
        games = [table.game_rows() for _ in range(count)]
    rows = [row for one in games for row in one]
    width, outputs = check_suits(game).features_at_once, policy_count(game) if recipe.by == MCTS else 0
    return Positions(
        np.array([row.own for row in rows], np.int32).reshape(-1, width),
        np.array([row.other for row in rows], np.int32).reshape(-1, width),
        np.array([row.result for row in rows], np.float32),
        np.array([row.searched for row in rows], np.float32),
        np.repeat(first + np.arange(len(games)), [len(game) for game in games]).astype(np.int32),
        np.array([row.visits for row in rows], np.float32).reshape(-1, outputs) if outputs else None,
    )


# ------------------------------------------------------------------------------------------------------------ by search


@dataclass(frozen=True)
class Thought:
    """What a search found: its value for the mover in -1 .. 1, the move, and the share of visits of each move, if it counts."""

    value: float
    move: int
    visits: dict[int, float]


class ByDepth:
    """Alpha-beta, to the depth of a recipe or to the end."""

    def __init__(self, game: ArrayGame[Any], recipe: Recipe) -> None:
        self.game, self.depth = game, recipe.depth
        self.search = AlphaBeta(game, table_bits=TABLE_BITS)
        low, high = game.payoff_range
        self.middle, self.half = (low + high) / 2, (high - low) / 2
        self.clear = self.search.clear

    def think(self, s: State, listed: list[int], depth: int | None = None) -> Thought:
        position = self.game.position(s[: self.game.size + self.game.scratch])
        found = self.search.search(position, depth or self.depth, root_moves=listed)
        assert found is not None  # nobody stops it
        value = (verdict(self.game, found.score).value - self.middle) / self.half
        return Thought(value, found.moves[0], {})


class ByVisits:
    """Tree search with so many simulations a move. A move that is proven to win has all visits."""

    def __init__(self, game: ArrayGame[Any], recipe: Recipe, judged: bool) -> None:
        self.game, self.simulations = game, recipe.simulations
        options = tree_options(game) if judged else {}
        pool = max(POOL, (recipe.simulations + 2) * game.max_moves)
        self.search = tree_search.MCTS(game, pool=pool, reuse=False, seed=recipe.seed, **options)
        low, high = game.payoff_range
        self.middle, self.half = (low + high) / 2, (high - low) / 2
        self.clear = self.search.clear

    def think(self, s: State, listed: list[int], depth: int | None = None) -> Thought:
        position = self.game.position(s[: self.game.size + self.game.scratch].copy())
        self.search.search(position, simulations=self.simulations)
        arms = self.search.arms()
        best, total = arms[0], sum(arm.visits for arm in arms)
        value = (best.value - self.middle) / self.half
        if best.proven and value > 0:
            return Thought(value, best.move, {best.move: 1.0})
        return Thought(value, best.move, {arm.move: arm.visits / total for arm in arms})


class SelfPlayTable:
    """Where games to learn from are played: the search, and the rules compiled for use from Python."""

    def __init__(self, game: ArrayGame[Any], recipe: Recipe, network: Network | None, rng: np.random.Generator) -> None:
        self.plain, self.recipe, self.rng = game, recipe, rng
        self.width = check_suits(game).features_at_once
        self.game = game if network is None else networked(game, network)
        self.outputs = policy_count(game) if recipe.by == MCTS else 0
        self.search: Any
        if recipe.by == MCTS:
            self.search = ByVisits(self.game, recipe, judged=network is not None and network.policy is not None)
            self.solver = ByDepth(game, recipe)
        else:
            self.search = self.solver = ByDepth(self.game, recipe)
        low, high = game.payoff_range
        self.middle, self.half = (low + high) / 2, (high - low) / 2
        names = {**self.game.names, "features": bound(game, "features")}
        self._look = specialise(look_template, names, label=f"{game.name} self-play")
        self._step = specialise(step_template, names, label=f"{game.name} self-play")
        self._output = (
            partial(specialise(rules_of(game).policy_of, bound(game, "policy_of").names, target="python"), game.g)
            if self.outputs
            else None
        )
        self._list = np.zeros(game.max_moves, np.int64)
        self._payoffs = np.zeros(2)

    def game_rows(self) -> list[Row]:
        """One game: for each position that was searched what both sides saw, the result and the search's value for the mover."""
        g, recipe, rng = self.game.g, self.recipe, self.rng
        s = np.zeros(self.game.size + self.game.scratch, np.int64)
        start = lift(self.game, self.plain.start()) if self.game is not self.plain else self.plain.start()
        s[: len(start.state)] = start.state
        self.search.clear()
        self.solver.clear()
        opening = recipe.opening + int(rng.integers(2))
        found: list[tuple[list[int], list[int], int, Thought, list[float]]] = []
        exact: dict[int, float] = {}  # to the first player, by the number of the row
        for ply in range(MOST_PLIES):
            seen = np.full((2, self.width), -1, np.int64)
            p, n = self._look(g, s, self._list, seen)
            if p < 0:
                break
            listed = [int(m) for m in self._list[:n]]
            if ply < opening:
                self._step(g, s, p, int(rng.choice(listed)), self._payoffs)
                continue
            if 0 < left_of(self.game, s) <= recipe.solved:
                value = self.solver.think(s, listed, self.plain.max_length or MOST_PLIES).value
                exact[len(found)] = value if p == 0 else -value
                if recipe.by != MCTS:  # the rest is known; tree search goes on, for its visits
                    break
            thought = self.search.think(s, listed)
            found.append((list(seen[p]), list(seen[1 - p]), p, thought, self._visits(s, p, thought)))
            move = int(rng.choice(listed)) if rng.random() < recipe.astray else thought.move
            self._step(g, s, p, move, self._payoffs)
        else:
            raise StratagemError(f"a game of {self.plain.name} did not end within {MOST_PLIES} plies")
        # before the first position that was solved its value counts, later each one's own
        result = next(iter(exact.values()), (float(self._payoffs[0]) - self.middle) / self.half)
        rows = []
        for k, (own, other, p, thought, visits) in enumerate(found):
            worth = exact.get(k, result)
            rows.append(Row(own, other, worth if p == 0 else -worth, thought.value, visits))
        return rows

    def _visits(self, s: State, p: int, thought: Thought) -> list[float]:
        """The shares of visits by the outputs of a policy."""
        found = [0.0] * self.outputs
        if self._output is not None:
            for m, share in thought.visits.items():
                found[int(self._output(s, p, m))] += share
        return found


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


# ---------------------------------------------------------------------------------------------------------- by playouts


def playout_rows(game: ArrayGame[Any], recipe: Recipe, number: int, count: int) -> list[list[Row]]:
    """So many games in which everybody follows the playout strategy of the feature rules, or plays at random. Every position is
    kept twice, as either side sees it."""
    given = [name for name in ("features", "rollout", "count") if hasattr(rules_of(game), name)]
    names = {**game.names, **{name: bound(game, name) for name in given}, "HAS_CHANCE": has_chance(game)}
    names["HAS_TOGETHER"] = game.gives("play_together")
    run = specialise(playout_template, names, label=f"{game.name} self-play")
    seen = np.full((MOST_KEPT, 2, check_suits(game).features_at_once), -1, np.int64)
    joint, payoffs = np.zeros(game.players, np.int64), np.zeros(game.players)
    low, high = game.payoff_range
    found = []
    for k in range(count):
        s, rng = game.blank(), generator(recipe.seed, number * recipe.part + k)
        s[: len(game.start().state)] = game.start().state
        seen[:] = -1
        n = run(game.g, s, rng, joint, seen, payoffs)
        if n < 0:
            raise StratagemError(f"a game of {game.name} did not end within {MOST_PLIES} plies")
        result = (2 * float(payoffs[0]) - low - high) / (high - low)
        rows = [(list(seen[i, 0]), list(seen[i, 1])) for i in range(n)]
        found.append(
            [Row(a, b, result, result, []) for a, b in rows] + [Row(b, a, -result, -result, []) for a, b in rows]
        )
    return found


def playout_template(g: Ground, s: State, r: Rng, joint: Moves, seen: Any, payoffs: Payoffs) -> int:
    """One game; what both sides see goes to `seen`, where chance or one player is next. Returns how many positions, or -1."""
    n = 0
    for _ in range(MOST_PLIES):
        t = turn(g, s)
        if t == OVER:
            payoff(g, s, payoffs)
            return n
        if n < MOST_KEPT and not (HAS_CHANCE and t == TOGETHER):  # after chance the same is seen once more
            for side in range(2):
                features(g, s, side, seen[n, side])
            n += 1
        if t == CHANCE:
            if HAS_CHANCE:
                draw(g, s, r)
        elif t == TOGETHER:
            if HAS_TOGETHER:
                roll_together(g, s, r, joint)
        else:
            play(g, s, t, rollout(g, s, t, r))
    return -1


# ---------------------------------------------------------------------------------------------------------------- files


def part_file(folder: Path, number: int) -> Path:
    return folder / f"part-{number:05}.parquet"


def part_bytes(found: Positions) -> bytes:
    """The file of a part."""
    pyarrow, parquet = arrow()
    columns = {name: _lists(pyarrow, getattr(found, name)) for name in ("own", "other")}
    columns |= {name: getattr(found, name) for name in ("result", "searched", "game")}
    if found.policy is not None:
        outputs = found.policy.shape[1]
        columns["policy"] = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(found.policy.ravel()), outputs)
    content = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.table(columns), content, compression="zstd")
    return bytes(content.getvalue())


def keep_part(folder: Path, number: int, content: bytes) -> None:
    """All of it or nothing: a file that is being written has another name."""
    unfinished = part_file(folder, number).with_suffix(f".{os.getpid()}.unfinished")
    unfinished.write_bytes(content)
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
        found = Positions(own, other, *(table[name].to_numpy() for name in ("result", "searched", "game")))
        if "policy" not in table.column_names:
            return found
        shares = table["policy"].combine_chunks()
        return replace(found, policy=shares.flatten().to_numpy().reshape(len(found), -1).astype(np.float32))
    except (OSError, KeyError, ValueError, pyarrow.ArrowException) as error:
        raise StratagemError(
            f"{str(file)!r} is no whole part of self-play ({error}); remove it, and it is played again"
        ) from None


def read_parts(folder: Path, recipe: Recipe, width: int) -> Positions:
    """All positions of a folder, part by part."""
    return joined([read_part(folder, number, width) for number in range(recipe.parts)])


def joined(parts: Sequence[Positions]) -> Positions:
    def whole(name: str) -> Any:
        found = [getattr(part, name) for part in parts]
        return None if any(x is None for x in found) else np.concatenate(found)

    return Positions(*(whole(field.name) for field in fields(Positions)))


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
