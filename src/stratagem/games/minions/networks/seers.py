"""The prophet by a network, at the root of a search; the rest is asked of the script.

The network says all it has to say of a position at once, so that it runs once a position and is remembered. Its prophecies come
by falling likelihood, in the form that the script uses, and those of the script follow.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.games.minions import layout
from stratagem.games.minions.engine.advisers import Script
from stratagem.games.minions.engine.fighting import BY_VALUE
from stratagem.games.minions.engine.fighting import NOTHING as PEACE
from stratagem.games.minions.engine.scratch import PROPHECIES, Reals
from stratagem.games.minions.networks import encoder
from stratagem.games.minions.networks.encoder import HEXES
from stratagem.games.minions.networks.prophet import Vision
from stratagem.kernel import State
from stratagem.rng import Rng

if TYPE_CHECKING:
    from stratagem.games.minions.engine.stages import MinionsStaging

REMEMBERED = 512  # positions
# logits by which enemies are wanted gone more than foretold, and own units readier to fight: an attack on one too many costs
# little, and one who is left out by mistake spoils an attack
EAGER, READY = 2.0, 4.0


class Answer(NamedTuple):
    """What a network says of a position, boards as they lie."""

    hexes: NDArray[np.float32]  # [boards, HEXES, outputs]
    boards: NDArray[np.float32]  # [boards, outputs]


class Eyes:
    """A network that looks at positions of a staging and remembers what it said."""

    def __init__(self, staging: MinionsStaging, vision: Vision, target: str) -> None:
        self.staging, self.vision = staging, vision
        self.place = encoder.place_of(staging.config)
        self._look = encoder.looker(vision.shape, target)
        self._rooms = threading.local()
        self._said: dict[bytes, Answer] = {}

    def say(self, position: State) -> Answer:
        key = position.tobytes()
        found = self._said.get(key)
        if found is None:
            found = self._asked(position)
            while len(self._said) >= REMEMBERED:
                self._said.pop(next(iter(self._said)), None)
            self._said[key] = found
        return found

    def _asked(self, position: State) -> Answer:
        staging, n, shape = self.staging, self.staging.config.boards, self.vision.shape
        if not hasattr(self._rooms, "seen"):
            self._rooms.seen, self._rooms.said = encoder.new_seen(n), encoder.new_said(shape, n)
        seen, said = self._rooms.seen, self._rooms.said
        scratch = staging.scratch()
        staging.played(position, staging.all_setups(position))
        for task in (*range(n), encoder.WHOLE, encoder.ENCODE):
            if task >= 0:
                staging.threaten(task)
            self._look(staging.g, scratch.s, scratch.threat, self.place, seen, self.vision.numbers, said, task)
        hexes = said.hexes.reshape(n, HEXES, shape.hex_out)
        if position[layout.SIDE] == 1:
            hexes = hexes[:, ::-1]
        return Answer(hexes.copy(), said.boards.reshape(n, shape.board_out).copy())


class Foretold(Script):
    """The script with a network as the prophet, which is asked at the root of the search alone: below it asking costs as much
    as searching."""

    def __init__(self, staging: MinionsStaging, vision: Vision, *, target: str) -> None:
        super().__init__(staging)
        self.eyes = Eyes(staging, vision, target)
        self.seen = 8 * layout.board_of(
            staging.config.boards
        )  # bytes of a position without cards, which it does not see

    def warm(self, position: State) -> None:
        self.eyes.say(position)

    def prophet(self, position: State, board: int, setup: bytes, rng: Rng) -> Reals:
        script = super().prophet(position, board, setup, rng)
        root = self.staging.root
        if position.tobytes()[: self.seen] != root[: self.seen]:
            return script
        said = self.eyes.say(np.frombuffer(root, np.int64))
        return mixed(prophecies(self.eyes, said, board, script[BY_VALUE] > 0), script)


def sigmoid(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-np.clip(x, -30.0, 30.0)))


def prophecies(eyes: Eyes, answer: Answer, board: int, standing: NDArray[np.bool_]) -> Reals:
    """[prophecies, ROW]: the likeliest first. `standing` [ROW]: where enemies are, and own units."""
    k = eyes.vision.shape.prophecies
    said = answer.hexes[board].astype(np.float64)
    order = np.argsort(-answer.boards[board], kind="stable")
    rows = np.concatenate([said[:, :k].T + EAGER, -said[:, k:].T - READY], axis=1)
    return np.where(standing, sigmoid(rows[order]), 0.0)


def mixed(rows: Reals, script: Reals) -> Reals:
    """Prophecies that want somebody gone, and no two of them the same ones; then what the script has beside them, as many as
    there is room for. Peace stays where the engine looks for it."""
    wanted: dict[bytes, Reals] = {}
    for row in rows:
        gone = row[:HEXES] > 0.5
        if gone.any():
            wanted.setdefault(gone.tobytes(), row)
    rest = [row for kind, row in enumerate(script) if kind != PEACE]
    found = [*wanted.values(), *rest][: PROPHECIES - 1]
    return np.array([found[0], script[PEACE], *found[1:]])


__all__ = ["Answer", "Eyes", "Foretold", "prophecies"]
