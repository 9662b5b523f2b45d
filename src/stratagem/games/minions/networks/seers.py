"""The prophet, the seer and the general by a network, where the engine is told so; the rest is asked of the advisers behind them.

The network says all it has to say of a position at once, so that it runs once a node and is remembered; below the root it is
asked only where `deep` says so, since there it costs as much as searching. What it says is put in the words that the script uses:

- prophecies by falling likelihood, and those of the script behind them;
- for each type and hex dollars beside the script's, less for each power of e by which a hex is less likely than the best;
- the same for amounts of money on a board;
- the general's appeal as chances, with a share for all that is legal.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.games.minions import kernels as rules
from stratagem.games.minions.engine.advisers import Advisers, Opinion, Sight
from stratagem.games.minions.engine.desk import PROPHECIES, Reals
from stratagem.games.minions.engine.fighting import BY_VALUE
from stratagem.games.minions.engine.fighting import NOTHING as PEACE
from stratagem.games.minions.networks import encoder
from stratagem.games.minions.networks.encoder import CHOICES, HEXES, open_choices, purse_of
from stratagem.games.minions.networks.prophet import Vision
from stratagem.kernel import State
from stratagem.rng import Rng

if TYPE_CHECKING:
    from stratagem.games.minions.engine.stages import MinionsStaging

REMEMBERED = 512  # positions
# logits by which enemies are wished gone more than foretold, and own units readier to fight: an attack on one too many costs
# little, and one who is left out by mistake spoils an attack
EAGER, READY = 2.0, 4.0
DOLLARS_A_NAT = 0.25  # that a place or an amount loses for each power of e by which it is less likely than the best
MOST_NATS = 6.0
OPEN_SHARE = 0.1  # of the general's appeal, for all legal choices alike


class Answer(NamedTuple):
    """What a network says of a position, boards as they lie."""

    hexes: NDArray[np.float32]  # [boards, HEXES, outputs]
    boards: NDArray[np.float32]  # [boards, outputs]
    general: NDArray[np.float32]  # [CHOICES], by the cards' numbers


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
        desk = staging.desk()
        staging.played(position, b"".join(staging.setup(position, k) for k in range(n)))
        for task in (*range(n), encoder.WHOLE, encoder.ENCODE):
            if task >= 0:
                staging.threaten(task)
            self._look(staging.g, desk.s, desk.threat, self.place, seen, self.vision.numbers, said, task)
        hexes = said.hexes.reshape(n, HEXES, shape.hex_out)
        if position[rules.SIDE] == 1:
            hexes = hexes[:, ::-1]
        return Answer(hexes.copy(), said.boards.reshape(n, shape.board_out).copy(), said.general.copy())


class Seers(Advisers):
    """Advisers some of whom are a network; `behind` are asked for the rest."""

    def __init__(
        self, staging: MinionsStaging, behind: Advisers, visions: dict[str, Vision | None], *, deep: bool, target: str
    ) -> None:
        self.staging, self.behind, self.deep = staging, behind, deep
        eyes = {id(vision): Eyes(staging, vision, target) for vision in visions.values() if vision is not None}
        self._eyes = {name: eyes.get(id(vision)) for name, vision in visions.items()}

    def _by(self, name: str, position: State) -> Eyes | None:
        """Who is to be asked for something; None: those behind."""
        eyes = self._eyes[name]
        return eyes if eyes is not None and (self.deep or position.tobytes() == self.staging.root) else None

    def warm(self, position: State) -> None:
        self.behind.warm(position)
        for eyes in filter(None, self._eyes.values()):
            eyes.say(position)

    def oracle(self, position: State) -> Opinion:
        return self.behind.oracle(position)

    def turn(self, position: State, turn: bytes) -> Opinion:
        return self.behind.turn(position, turn)

    def after(self, position: State, board: int, plan: bytes) -> Opinion:
        return self.behind.after(position, board, plan)

    def prophet(self, position: State, board: int, setup: bytes, rng: Rng) -> Reals:
        script = self.behind.prophet(position, board, setup, rng)
        eyes = self._by("prophet", position)
        if eyes is None:
            return script
        return mixed(prophecies(eyes, eyes.say(position), board, script[BY_VALUE] > 0), script)

    def seer(self, position: State, board: int, money: int, setup: bytes) -> Sight:
        sight = self.behind.seer(position, board, money, setup)
        eyes = self._by("seer", position)
        if eyes is None:
            return sight
        answer = eyes.say(position)
        return sight._replace(
            worth=purse_worth(eyes, answer, board, sight.worth, self.staging.slope), places=places(eyes, answer, board)
        )

    def general(self, position: State) -> Reals:
        eyes = self._by("policy", position)
        if eyes is None:
            return self.behind.general(position)
        return appeal(eyes, eyes.say(position), position)


def sigmoid(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-np.clip(x, -30.0, 30.0)))


def prophecies(eyes: Eyes, answer: Answer, board: int, standing: NDArray[np.bool_]) -> Reals:
    """[prophecies, ROW]: the likeliest first. `standing` [ROW]: where enemies are, and own units."""
    k = eyes.vision.shape.prophecies
    said = answer.hexes[board].astype(np.float64)
    order = np.argsort(-answer.boards[board, :k], kind="stable")
    rows = np.concatenate([said[:, :k].T + EAGER, -said[:, k : 2 * k].T - READY], axis=1)
    return np.where(standing, sigmoid(rows[order]), 0.0)


def mixed(rows: Reals, script: Reals) -> Reals:
    """Prophecies that wish somebody gone, and no two of them the same ones; then what the script has beside them, as many as
    there is room for. Peace stays where the engine looks for it."""
    wished: dict[bytes, Reals] = {}
    for row in rows:
        gone = row[:HEXES] > 0.5
        if gone.any():
            wished.setdefault(gone.tobytes(), row)
    rest = [row for kind, row in enumerate(script) if kind != PEACE]
    found = [*wished.values(), *rest][: PROPHECIES - 1]
    return np.array([found[0], script[PEACE], *found[1:]])


def nats(said: Any) -> Any:
    """By how many powers of e each is less likely than the likeliest, at the most so many; along the last axis."""
    return np.maximum(said - said.max(axis=-1, keepdims=True), -MOST_NATS)


def places(eyes: Eyes, answer: Answer, board: int) -> Reals:
    """[TYPES, HEXES]: dollars that a unit of each type is worth on each hex, placed there or gone there."""
    k = eyes.vision.shape.prophecies
    said = answer.hexes[board, :, 2 * k :].astype(np.float64).reshape(HEXES, 2, rules.TYPES)
    chance = np.minimum(sigmoid(said).sum(axis=1), 1.0).T
    found: Reals = DOLLARS_A_NAT * nats(np.log(np.maximum(chance, 1e-6)))
    return found


def purse_worth(eyes: Eyes, answer: Answer, board: int, worth: Reals, slope: float) -> Reals:
    """What amounts are worth by the script, less what unlikely ones lose."""
    said = answer.boards[board, eyes.vision.shape.prophecies :].astype(np.float64)
    amounts = purse_of(np.arange(len(worth)))
    lost = slope * DOLLARS_A_NAT * nats(said[: amounts[-1] + 1])
    found = worth + lost[amounts]
    return np.asarray(np.maximum.accumulate(found - found[0]))  # beside none


def appeal(eyes: Eyes, answer: Answer, position: State) -> Reals:
    """[cards + 1]: chances of a spell on each card and, last, of a march, by places of the line; one on average."""
    numbers = eyes.place.cards
    can = open_choices(eyes.staging.config, position, numbers)
    said = np.where(can, answer.general.astype(np.float64), -np.inf)
    if not can.any():
        return np.ones(CHOICES)
    chance = np.exp(said - said.max())
    chance = (1.0 - OPEN_SHARE) * chance / chance.sum() + OPEN_SHARE * can / can.sum()
    found = np.full(CHOICES, OPEN_SHARE)
    likely = np.where(can, chance * can.sum(), OPEN_SHARE)
    found[:-1], found[-1] = likely[numbers], likely[-1]
    return found


__all__ = ["Answer", "Eyes", "Seers", "appeal", "places", "prophecies", "purse_worth"]
