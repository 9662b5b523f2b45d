"""What the prophet, the seer and the general are to learn from records of self-play: what the search found good.

Of each turn that the search looked at: which enemies it removes and which own units fight (a *pattern* a board), what it places
where, where units end, the dollars spent on each board, the cards and marches. Turns count by their visits, and less the worse
they turned out. Everything is seen from the mover's side. Of games that are held back it is also reported what the script by hand
would have said, so that the two can be compared.
"""

from __future__ import annotations

import math
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import StratagemError
from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.engine.advisers import Script
from stratagem.games.minions.engine.scratch import PROPHECIES, ROW
from stratagem.games.minions.engine.stages import EngineOptions, MinionsStaging
from stratagem.games.minions.networks import encoder
from stratagem.games.minions.networks.encoder import (
    BOARD_IN,
    CHOICES,
    HEX_IN,
    HEXES,
    PURSES,
    Seen,
    Shape,
    cells_of,
    of_side,
    open_choices,
    purse_of,
)
from stratagem.games.minions.networks.records import FILES, Record, read_file
from stratagem.kernel import State
from stratagem.networks.rounds import over_processes
from stratagem.rng import generator

MOST_BOARDS = 3  # of a game to learn from; others are passed over
PATTERNS = 4  # ways to fight on a board that are kept, the weightiest
WARMTH = 0.05  # in payoffs: by how much worse a turn counts a third
PLACED, ENDS = range(2)  # of a unit: placed this turn, or stood before and ends the turn there
CELLS = 2 * layout.TYPES * HEXES  # of a board: [PLACED or ENDS, type, hex]
VERSION = 1  # of what is taken from records
Tell = Callable[[str, Mapping[str, Any]], None]
ANY_LENGTH = ("cell", "share", "script_wish", "script_units", "script_purse")  # not one entry a row
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
    types: NDArray[np.bool_]  # [rows, MOST_BOARDS, 2, TYPES]: that can be placed, and that stand there
    begins: NDArray[np.int64]  # [rows + 1]: where the units of a row begin in the next two
    cell: NDArray[np.int32]  # board * CELLS + kind * TYPES * HEXES + type * HEXES + hex
    share: NDArray[np.float32]  # of the turns, by weight, in which a unit is there
    purses: NDArray[np.float32]  # [rows, MOST_BOARDS, PURSES]: shares of the turns that spend so many dollars there
    payable: NDArray[np.int8]  # [rows]: classes of dollars that the mover can pay
    choices: NDArray[
        np.float32
    ]  # [rows, CHOICES]: shares of the general's choices, by the cards' numbers; last, marches
    open: NDArray[np.bool_]  # [rows, CHOICES]: that are legal
    # what the script says, of those rows alone that are held back
    script_wish: NDArray[np.float16]  # [held, MOST_BOARDS, HEXES]: the mean of its prophecies, as `patterns`
    script_units: NDArray[np.uint8]  # [held, MOST_BOARDS * CELLS] packed into bits
    script_purse: NDArray[np.int8]  # [held, MOST_BOARDS]: the class of dollars, where money is split evenly
    script_choice: NDArray[np.int8]  # [rows]: of the general; -1 where it was not asked


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
        self.costs = config.ground[layout.UNIT : layout.UNIT + layout.TYPES * layout.COLUMNS].reshape(layout.TYPES, -1)[
            :, layout.COST
        ]

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


class Deeds(NamedTuple):
    """What the words of a turn say that the position after it does not."""

    fought: list[set[int]]  # on each board, where units that attacked stood when the turn began
    dollars: list[int]  # spent on each board
    marched: int
    cards: tuple[int, ...]  # acquired, by their places


def deeds_of(turn: bytes, costs: NDArray[np.int64], boards: int) -> Deeds:
    """Go through the actions of a turn, and keep track of who is where."""
    words = np.frombuffer(turn, np.int64).tolist()
    came: list[dict[int, int]] = [{} for _ in range(boards)]  # where who now stands on a hex stood at first
    fought: list[set[int]] = [set() for _ in range(boards)]
    dollars, marched, cards = [0] * boards, 0, ()
    at = 0
    while at < len(words):
        kind, k, n = words[at : at + 3]
        given = words[at + 3 : at + 3 + n]
        at += 3 + n
        if kind == layout.TECH:
            marched, cards = k, tuple(given)
        elif kind == layout.MOVE:
            came[k][given[1]] = came[k].pop(given[0], given[0])
        elif kind == layout.CYCLE:
            movers = [came[k].pop(h, h) for h in given]
            for i, mover in enumerate(movers):
                came[k][given[(i + 1) % n]] = mover
        elif kind == layout.ATTACK:
            fought[k].add(came[k].get(given[0], given[0]))
        elif kind == layout.BUY:
            dollars[k] += int(costs[given[0]])
    return Deeds(fought, dollars, marched, cards)


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


def lesson_of(record: Record, examiner: Examiner, held: bool) -> dict[str, Any]:
    """A row of `Lessons` from a record, without its place among the units."""
    config, side, n = record.config, record.mover, record.config.boards
    begun = examiner.begun(record.position)
    seen = examiner.look(begun)
    row = _blank()
    row["game"], row["boards"], row["token"] = record.game, n, seen.token.copy()
    row["board"][:n] = seen.board.reshape(n, BOARD_IN)
    row["stands"][:n] = seen.stands.reshape(n, HEXES)
    row["tiles"][:n] = examiner.place.tiles.reshape(2, n, HEXES)[side]
    row["reached"][:n] = 8 * seen.reached.reshape(n, HEXES, HEX_IN)
    weights = weights_of(record)
    shares = np.zeros((MOST_BOARDS, 2, layout.TYPES, HEXES), np.float32)
    found: list[dict[bytes, float]] = [{} for _ in range(n)]
    for turn, weight in zip(record.turns, weights, strict=True):
        deeds = deeds_of(turn, examiner.costs, n)
        after = examiner.after(record.position, turn)
        for k in range(n):
            pattern = _pattern(begun, after, k, side, deeds.fought[k])
            found[k][pattern.tobytes()] = found[k].get(pattern.tobytes(), 0.0) + weight
            for kind, hexes, types in _units(after, k, side):
                np.add.at(shares[k, kind], (types, hexes), weight)
        row["purses"][np.arange(n), purse_of(np.array(deeds.dollars))] += weight
        _add_choice(row["choices"], deeds, examiner.place.cards, weight)
    for k in range(n):
        if examiner.staging.idle(record.position, k):
            continue
        best = sorted(found[k].items(), key=lambda item: -item[1])[:PATTERNS]
        for i, (way, weight) in enumerate(best):
            row["patterns"][k, i] = np.frombuffer(way, np.uint8)
            row["weights"][k, i] = weight / sum(x for _, x in best)
        row["types"][k] = _types(config, begun, k, side)
    row["payable"] = 1 + int(purse_of(record.position[layout.MONEY + side]))
    row["open"] = open_choices(config, record.position, examiner.place.cards) | (row["choices"] > 0)
    row["cell"] = np.flatnonzero(shares).astype(np.int32)
    row["share"] = np.minimum(shares.ravel()[row["cell"]], 1.0)
    if held:
        _ask_script(row, record, begun, examiner)
    return row


def _blank() -> dict[str, Any]:
    return {
        "board": np.zeros((MOST_BOARDS, BOARD_IN), np.float16),
        "stands": np.zeros((MOST_BOARDS, HEXES), np.uint8),
        "tiles": np.zeros((MOST_BOARDS, HEXES), np.uint8),
        "reached": np.zeros((MOST_BOARDS, HEXES, HEX_IN), np.uint8),
        "patterns": np.zeros((MOST_BOARDS, PATTERNS, HEXES), np.uint8),
        "weights": np.zeros((MOST_BOARDS, PATTERNS), np.float32),
        "types": np.zeros((MOST_BOARDS, 2, layout.TYPES), np.bool_),
        "purses": np.zeros((MOST_BOARDS, len(PURSES)), np.float32),
        "choices": np.zeros(CHOICES, np.float32),
        "script_wish": np.zeros((0, MOST_BOARDS, HEXES), np.float16),
        "script_units": np.zeros((0, MOST_BOARDS * CELLS // 8), np.uint8),
        "script_purse": np.zeros((0, MOST_BOARDS), np.int8),
        "script_choice": -1,
    }


def _pattern(begun: State, after: State, k: int, side: int, fought: set[int]) -> NDArray[np.uint8]:
    """1 for enemies that are gone after the turn, and for own units that fought."""
    found = (of_side(cells_of(begun, k), 1 - side) & ~of_side(cells_of(after, k), 1 - side)).astype(np.uint8)
    if fought:
        found[list(fought)] = 1
    return found if side == 0 else found[::-1]


def _units(s: State, k: int, side: int) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int64]]]:
    """(PLACED or ENDS, hexes, types) of a side's units after its actions."""
    cells = cells_of(s, k)
    own, fresh = of_side(cells, side), cells & layout.SPAWNED != 0
    for kind, which in ((PLACED, own & fresh), (ENDS, own & ~fresh)):
        hexes = np.flatnonzero(which)
        yield kind, hexes if side == 0 else HEXES - 1 - hexes, (cells[hexes] & layout.TYPE_MASK) - 1


def _types(config: GameConfig, begun: State, k: int, side: int) -> NDArray[np.bool_]:
    """[2, TYPES]: that the mover can place on a board, for sale or waiting; and that it has there."""
    g, found = config.ground, np.zeros((2, layout.TYPES), np.bool_)
    at = layout.board_of(k)
    if rules.spawns_now(begun[at : at + layout.BOARD_SIZE]):
        line = g[layout.CARD_UNIT : layout.CARD_UNIT + layout.CARDS]
        cards = begun[layout.CARD + side * layout.CARDS : layout.CARD + (side + 1) * layout.CARDS]
        found[PLACED, line[(line >= 0) & (cards == layout.ACQUIRED)]] = True
        found[PLACED, g[layout.ZOMBIE]] = True
        zone = at + layout.ZONE + side * layout.TYPES
        found[PLACED] |= begun[zone : zone + layout.TYPES] > 0
    cells = cells_of(begun, k)
    found[ENDS, (cells[of_side(cells, side)] & layout.TYPE_MASK) - 1] = True
    return found


def _add_choice(choices: NDArray[np.float32], deeds: Deeds, cards: NDArray[np.int64], weight: float) -> None:
    spells = deeds.marched + len(deeds.cards)
    if spells:
        choices[-1] += weight * deeds.marched / spells
        for c in deeds.cards:
            choices[cards[c]] += weight / spells


def _ask_script(row: dict[str, Any], record: Record, begun: State, examiner: Examiner) -> None:
    """What the script by hand says of the same position."""
    staging, script, n, side = examiner.staging, examiner.script, record.config.boards, record.mover
    money = int(record.position[layout.MONEY + side])
    wanted = np.zeros((MOST_BOARDS, HEXES))
    units = np.zeros((MOST_BOARDS, 2, layout.TYPES, HEXES), np.bool_)
    purse = np.zeros(MOST_BOARDS, np.int8)
    tables = staging.tables(record.position, money)
    even = [
        max(np.flatnonzero(np.isfinite(row[: money // n + 1]))) for row in tables[:n]
    ]  # as far as boards can use it
    purse[:n] = purse_of(np.array(even))
    luck = generator(record.game, record.ply)
    for k in range(n):
        setup = staging.setup(record.position, k)
        rows = script.prophet(record.position, k, setup, luck).reshape(PROPHECIES, ROW).mean(axis=0)
        own = of_side(cells_of(begun, k), side)
        said = np.where(own, 1.0 - rows[HEXES:], rows[:HEXES])
        wanted[k] = said if side == 0 else said[::-1]
        staging.played(record.position, setup)
        staging.deploy(k, money // n, luck)
        for kind, hexes, types in _units(staging.scratch().s, k, side):
            units[k, kind, types, hexes] = True
    row["script_wish"], row["script_purse"] = wanted.astype(np.float16)[None], purse[None]
    row["script_units"] = np.packbits(units)[None]
    appeal = script.general(record.position)
    by_number = np.full(CHOICES, -1.0)
    by_number[examiner.place.cards] = appeal[:-1]
    by_number[-1] = appeal[-1]
    row["script_choice"] = int(np.where(row["open"], by_number, -1.0).argmax())


# ---------------------------------------------------------------------------------------------------------- all of them


def lessons_from(records: Iterable[Record], every: int) -> Lessons | None:
    """The lessons of records, of which every so-many-th game is held back; None if there are none."""
    rows: list[dict[str, Any]] = []
    examiner: Examiner | None = None
    for record in records:
        if record.config.boards > MOST_BOARDS or record.config.magical:
            continue
        if examiner is None or examiner.config is not record.config:
            examiner = Examiner(record.config)
        rows.append(lesson_of(record, examiner, record.game % every == every - 1))
    if not rows:
        return None
    return _together(rows)


def _together(rows: list[dict[str, Any]]) -> Lessons:
    kinds = {"game": np.int32, "boards": np.int8, "payable": np.int8, "script_choice": np.int8}
    counts = np.array([0, *(len(row["cell"]) for row in rows)])
    found: dict[str, Any] = {"begins": np.cumsum(counts).astype(np.int64)}
    for name in Lessons._fields:
        if name in ANY_LENGTH:
            found[name] = np.concatenate([row[name] for row in rows])
        elif name != "begins":
            found[name] = np.array([row[name] for row in rows], kinds.get(name))
    return Lessons(**found)


def joined(parts: list[Lessons]) -> Lessons:
    """Lessons of many parts as one."""
    at = np.cumsum([0, *(part.begins[-1] for part in parts)])
    begins = [np.zeros(1, np.int64), *(part.begins[1:] + first for part, first in zip(parts, at[:-1], strict=True))]
    rest = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in Lessons._fields if name != "begins"
    }
    return Lessons(**{**rest, "begins": np.concatenate(begins)})


def all_lessons(folder: Path, every: int, workers: int = 1, tell: Tell = lambda step, news: None) -> Lessons:
    """The lessons of all records below a folder, from what is kept beside each part; what is not there yet is made."""
    parts = make_all(folder, every, workers, tell)
    found = [lessons for part in parts if (lessons := _kept(part, every)) is not None]
    if not found:
        raise StratagemError(f"the records in {str(folder)!r} teach nothing: no games of plain rules on 1 to 3 boards")
    return joined(found)


def make_all(folder: Path, every: int, workers: int, tell: Tell) -> list[Path]:
    """Take the parts below a folder apart that have not been yet, in so many processes; returns all parts."""
    parts = sorted(Path(folder).rglob(FILES))
    if not parts:
        raise StratagemError(f"there are no parts of self-play ({FILES}) in {str(folder)!r}")

    def missing() -> list[Path]:
        return [part for part in parts if not _is_made(part, every)]

    def news(left: int) -> None:
        tell("lessons", {"parts": len(parts) - left, "of": len(parts)})

    for part in missing()[: None if workers <= 1 else 1]:  # the first compiles what processes then load
        make_lessons(part, every)
    over_processes(partial(make_lessons, every=every), missing, workers, news, "take records apart")
    return parts


def lesson_file(part: Path, every: int) -> Path:
    """What it depends on beside its part is in its name."""
    return part.with_suffix(f".lessons-{VERSION}-{encoder.VERSION}-{every}.npz")


def _is_made(part: Path, every: int) -> bool:
    file = lesson_file(part, every)
    return file.exists() and file.stat().st_mtime >= part.stat().st_mtime


def make_lessons(part: Path, every: int) -> None:
    """The lessons of a part, into a file that appears whole or not at all."""
    found = lessons_from(read_file(part), every)
    unfinished = part.with_suffix(f".{os.getpid()}.unfinished")
    with unfinished.open("wb") as file:
        np.savez_compressed(file, **({} if found is None else found._asdict()))
    unfinished.replace(lesson_file(part, every))


def _kept(part: Path, every: int) -> Lessons | None:
    file = lesson_file(part, every)
    try:
        with np.load(file) as found:
            return Lessons(**found) if found.files else None
    except (OSError, ValueError, TypeError, zipfile.BadZipFile) as error:
        raise StratagemError(f"{str(file)!r} cannot be read ({error}); remove it, and it is made again") from None
