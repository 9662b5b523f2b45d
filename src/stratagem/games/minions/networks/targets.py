"""What the prophet is to learn from records of self-play: the ways to fight that the search found good.

Of each turn that the search looked at: which enemies it removes and which own units fight, a *pattern* a board. Turns count by
their visits, and less the worse they turned out. Everything is seen from the mover's side. Beside it stands what the script by
hand says of the same position, so that the two can be compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import StratagemError
from stratagem.games.minions import layout
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.engine.advisers import Script
from stratagem.games.minions.engine.scratch import PROPHECIES, ROW
from stratagem.games.minions.engine.stages import EngineOptions, MinionsStaging
from stratagem.games.minions.networks import encoder, kept
from stratagem.games.minions.networks.encoder import BOARD_IN, HEX_IN, HEXES, Seen, Shape, cells_of, of_side
from stratagem.games.minions.networks.records import Record, read_file
from stratagem.kernel import State
from stratagem.rng import generator

MOST_BOARDS = 3  # of a game to learn from; others are passed over
PATTERNS = 4  # ways to fight on a board that are kept, the weightiest
WARMTH = 0.05  # in payoffs: by how much worse a turn counts a third
VERSION = 2  # of what is taken from records
SMALL = Shape(4, 4, 2, 1)  # what is seen does not depend on the shape


class Lessons(NamedTuple):
    """Rows to learn from, an array each; boards that a game does not have are empty."""

    game: NDArray[np.int32]  # [rows]
    boards: NDArray[np.int8]  # [rows]: how many there are
    token: NDArray[np.float32]  # [rows, TOKEN_IN]
    board: NDArray[np.float16]  # [rows, MOST_BOARDS, BOARD_IN]
    stands: NDArray[np.uint8]  # [rows, MOST_BOARDS, HEXES]
    tiles: NDArray[np.uint8]  # the same
    reached: NDArray[np.uint8]  # [rows, MOST_BOARDS, HEXES, HEX_IN], in eighths
    patterns: NDArray[np.uint8]  # [rows, MOST_BOARDS, PATTERNS, HEXES]: enemies removed, own units that fight
    weights: NDArray[np.float32]  # [rows, MOST_BOARDS, PATTERNS]: which sum to one, or to nothing where all is quiet
    script: NDArray[np.float16]  # [rows, MOST_BOARDS, HEXES]: the mean of the script's prophecies, as `patterns`


class Examiner:
    """Sees positions of one configuration as the network does, and takes turns apart."""

    def __init__(self, config: GameConfig) -> None:
        self.config = config
        self.staging = MinionsStaging(config, EngineOptions(solver=False))
        self.script = Script(self.staging)
        self.place = encoder.place_of(config)
        self.seen = encoder.new_seen(config.boards)
        self._look = encoder.looker(SMALL)
        self._said = encoder.new_said(SMALL, config.boards)
        self._weights = np.zeros(1, np.float32)

    def begun(self, position: State) -> State:
        """The position after the setups that are due."""
        self.staging.played(position, self.staging.all_setups(position))
        return self.staging.scratch().s.copy()

    def look(self, begun: State) -> Seen:
        """What the network sees; in room that is used again."""
        scratch, g = self.staging.scratch(), self.staging.g
        scratch.s[:] = begun
        for k in (*range(self.config.boards), encoder.WHOLE):
            if k >= 0:
                self.staging.threaten(k)
            self._look(g, scratch.s, scratch.threat, self.place, self.seen, self._weights, self._said, k)
        return self.seen

    def after(self, position: State, turn: bytes) -> State:
        """The position after the actions of a turn and before its end."""
        wrong = self.staging.played(position, turn)
        if wrong:
            raise StratagemError(f"a turn of a record is illegal (reason {wrong % layout.PLACE}): {self._text(turn)!r}")
        return self.staging.scratch().s

    def _text(self, turn: bytes) -> str:
        return str(self.staging.turn(turn))


def fought_in(turn: bytes, boards: int) -> list[set[int]]:
    """On each board, where units that attack in a turn stood when it began."""
    words = np.frombuffer(turn, np.int64).tolist()
    came: list[dict[int, int]] = [{} for _ in range(boards)]  # where who now stands on a hex stood at first
    fought: list[set[int]] = [set() for _ in range(boards)]
    at = 0
    while at < len(words):
        kind, k, n = words[at : at + 3]
        given = words[at + 3 : at + 3 + n]
        at += 3 + n
        if kind == layout.MOVE:
            came[k][given[1]] = came[k].pop(given[0], given[0])
        elif kind == layout.CYCLE:
            movers = [came[k].pop(h, h) for h in given]
            for i, mover in enumerate(movers):
                came[k][given[(i + 1) % n]] = mover
        elif kind == layout.ATTACK:
            fought[k].add(came[k].get(given[0], given[0]))
    return fought


def weights_of(record: Record) -> NDArray[np.float64]:
    """How much each turn counts: by its visits, and less the worse it turned out."""
    found = record.visits * np.exp(np.minimum(record.values - record.values[0], 0.0) / WARMTH)
    total = float(found.sum())
    if not math.isfinite(total) or total <= 0.0 or not np.isfinite(record.values).all():
        raise StratagemError(
            f"turn {record.ply} of game {record.game} has visits or values that are no numbers: its file is damaged; "
            "remove it to play it again"
        )
    return np.asarray(found / total, np.float64)


def lesson_of(record: Record, examiner: Examiner) -> dict[str, Any]:
    """A row of `Lessons` from a record."""
    side, n = record.mover, record.config.boards
    begun = examiner.begun(record.position)
    seen = examiner.look(begun)
    row: dict[str, Any] = {
        "game": record.game,
        "boards": n,
        "token": seen.token.copy(),
        "board": np.zeros((MOST_BOARDS, BOARD_IN), np.float16),
        "stands": np.zeros((MOST_BOARDS, HEXES), np.uint8),
        "tiles": np.zeros((MOST_BOARDS, HEXES), np.uint8),
        "reached": np.zeros((MOST_BOARDS, HEXES, HEX_IN), np.uint8),
        "patterns": np.zeros((MOST_BOARDS, PATTERNS, HEXES), np.uint8),
        "weights": np.zeros((MOST_BOARDS, PATTERNS), np.float32),
        "script": np.zeros((MOST_BOARDS, HEXES), np.float16),
    }
    row["board"][:n] = seen.board.reshape(n, BOARD_IN)
    row["stands"][:n] = seen.stands.reshape(n, HEXES)
    row["tiles"][:n] = examiner.place.tiles.reshape(2, n, HEXES)[side]
    row["reached"][:n] = 8 * seen.reached.reshape(n, HEXES, HEX_IN)
    found: list[dict[bytes, float]] = [{} for _ in range(n)]
    for turn, weight in zip(record.turns, weights_of(record), strict=True):
        fought = fought_in(turn, n)
        after = examiner.after(record.position, turn)
        for k in range(n):
            way = _pattern(begun, after, k, side, fought[k]).tobytes()
            found[k][way] = found[k].get(way, 0.0) + weight
    for k in range(n):
        if examiner.staging.idle(record.position, k):
            continue
        best = sorted(found[k].items(), key=lambda item: -item[1])[:PATTERNS]
        for i, (way, weight) in enumerate(best):
            row["patterns"][k, i] = np.frombuffer(way, np.uint8)
            row["weights"][k, i] = weight / sum(x for _, x in best)
    luck = generator(record.game, record.ply)
    for k in range(n):
        setup = examiner.staging.setup(record.position, k)
        rows = examiner.script.prophet(record.position, k, setup, luck).reshape(PROPHECIES, ROW).mean(axis=0)
        said = np.where(of_side(cells_of(begun, k), side), 1.0 - rows[HEXES:], rows[:HEXES])
        row["script"][k] = said if side == 0 else said[::-1]
    return row


def _pattern(begun: State, after: State, k: int, side: int, fought: set[int]) -> NDArray[np.uint8]:
    """1 for enemies that are gone after the turn, and for own units that fought."""
    found = (of_side(cells_of(begun, k), 1 - side) & ~of_side(cells_of(after, k), 1 - side)).astype(np.uint8)
    if fought:
        found[list(fought)] = 1
    return found if side == 0 else found[::-1]


# ---------------------------------------------------------------------------------------------------------- all of them


def lessons_from(records: Iterable[Record]) -> Lessons:
    """The lessons of records of plain rules on few boards."""
    rows: list[dict[str, Any]] = []
    examiner: Examiner | None = None
    for record in records:
        if record.config.boards > MOST_BOARDS or record.config.magical:
            continue
        if examiner is None or examiner.config is not record.config:
            examiner = Examiner(record.config)
        rows.append(lesson_of(record, examiner))
    kinds = {"game": np.int32, "boards": np.int8}
    return Lessons(**{name: np.array([row[name] for row in rows], kinds.get(name)) for name in Lessons._fields})


def all_lessons(folder: Path, workers: int, tell: kept.Tell) -> Lessons:
    """The lessons of all records below a folder, from what is kept beside each part; what is not there yet is made."""
    found = Lessons(**kept.all_rows(folder, KIND, workers, tell))
    if not len(found.game):
        raise StratagemError(f"the records in {str(folder)!r} teach nothing: no games of plain rules on 1 to 3 boards")
    return found


def _arrays(part: Path) -> kept.Arrays:
    return lessons_from(read_file(part))._asdict()


KIND = kept.Kind(".prophet.npz", f"{VERSION} {encoder.VERSION}", _arrays)
