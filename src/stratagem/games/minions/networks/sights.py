"""What the Oracle learns from: for each turn of the records what it sees after the short answer, and what came of it.

A record gives a row for the turn that was played, with the game's result and what the next search said of it, and rows for a
few other turns that the search looked at, with what it said of them: a search chooses between turns, most of which nobody plays.
Rows of a part are kept beside it and made anew where the features have changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import StratagemError
from stratagem.games.minions import layout
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.engine.player import staging_of
from stratagem.games.minions.engine.scratch import SEEN
from stratagem.games.minions.engine.stages import EngineOptions, MinionsStaging
from stratagem.games.minions.engine.worth import COUNT
from stratagem.games.minions.networks import kept
from stratagem.games.minions.networks.features import AT_ONCE, FEATURES
from stratagem.games.minions.networks.oracle import blank, sight_version
from stratagem.games.minions.networks.records import Record, read_file

OTHERS = 2  # turns of a record beside the one that was played
LEAST_VISITS = 3  # that the search gave to those


@dataclass(frozen=True, eq=False)
class Sights:
    """Rows to learn from; values are to the mover, in -1 .. 1."""

    seen: NDArray[np.int16]  # the features of all rows, one row's behind another's
    count: NDArray[np.int16]  # how many each row has
    x: NDArray[np.float32]  # [rows, COUNT]: what the hand-written judgement looks at
    result: NDArray[np.float32]
    searched: NDArray[np.float32]
    played: NDArray[np.bool_]  # whether the turn was
    game: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.count)

    def padded(self) -> NDArray[np.int16]:
        """[rows, most]: the features, `FEATURES` behind the last of each row."""
        found = np.full((len(self), int(self.count.max(initial=0))), FEATURES, np.int16)
        found[np.arange(found.shape[1]) < self.count[:, None]] = self.seen
        return found


class Looker:
    """Judges turns with a network that corrects nothing, and tells what it saw."""

    def __init__(self) -> None:
        self.config: GameConfig | None = None
        self.staging: MinionsStaging

    def look(self, record: Record, turn: bytes) -> tuple[list[int], list[float]] | None:
        """What the Oracle sees and what the hand-written judgement looks at after a turn and the short answer to it; None where
        the game is over then."""
        if record.config is not self.config:
            self.config, self.staging = record.config, staging_of(record.config, EngineOptions(solver=False))
            self.staging.see_with(blank())
        self.staging.judged(self.staging.imagined(record.position), turn)
        scratch = self.staging.scratch()
        if scratch.s[layout.WINNER] >= 0:
            return None
        at = SEEN - AT_ONCE
        return scratch.judged.seen[at : at + scratch.judged.seen[0]].tolist(), scratch.judged.x[:COUNT].tolist()


def sights_of(records: Sequence[Record], looker: Looker | None = None) -> Sights:
    """The rows that records give, which are those of whole games in order."""
    looker = looker or Looker()
    rows: list[tuple[list[int], list[float], float, float, bool, int]] = []
    for record, following in zip(records, [*records[1:], None], strict=True):
        goes_on = following is not None and following.game == record.game and following.ply == record.ply + 1
        searched = -following.value if goes_on and following is not None else record.result
        found = looker.look(record, record.turn)
        if found is not None:
            rows.append((*found, record.result, searched, True, record.game))
        others = [k for k in range(len(record.turns)) if k != record.played and record.visits[k] >= LEAST_VISITS]
        for k in sorted(others, key=lambda k: -record.visits[k])[:OTHERS]:
            found = looker.look(record, record.turns[k])
            if found is not None:
                value = float(record.values[k])
                rows.append((*found, value, value, False, record.game))
    return Sights(
        np.array([f for row in rows for f in row[0]], np.int16),
        np.array([len(row[0]) for row in rows], np.int16),
        np.array([row[1] for row in rows], np.float32).reshape(-1, COUNT),
        np.array([row[2] for row in rows], np.float32),
        np.array([row[3] for row in rows], np.float32),
        np.array([row[4] for row in rows], np.bool_),
        np.array([row[5] for row in rows], np.int32),
    )


def all_sights(folder: Path, count: int, tell: kept.Tell) -> Sights:
    """The rows of all parts below a folder, those that are missing made over processes. A game's number is the one it has in its
    round, so that games held back are the same ones in all rounds."""
    found = Sights(**kept.all_rows(folder, KIND, count, tell))
    if found.seen.max(initial=0) >= FEATURES or found.seen.min(initial=0) < 0:
        raise StratagemError(f"feature {found.seen.max()} in {str(folder)!r} is out of range; there are {FEATURES}")
    return found


def _arrays(part: Path) -> kept.Arrays:
    return vars(sights_of(read_file(part)))


KIND = kept.Kind(".oracle.npz", sight_version(), _arrays)
