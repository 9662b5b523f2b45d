"""What a game gives to a search by stages: stages that propose parts of a turn, and a staging that joins and judges them.

A turn is too large to list, so it is put together from parts. Each *stage* decides one part; it names the stages whose parts
it must know first, and makes a *generator* that proposes lazily. The game's *staging* joins the parts into a legal turn, plays
it and judges what comes out. Selection, widening, pruning, statistics, reuse and threads are the search's (`search`).

Values are payoffs by seat in [-1, 1], for any number of players. A position here is whatever the game finds handy; the search
only hands it back.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from stratagem.contract.game import ArrayGame
from stratagem.errors import IllegalMove, StratagemError
from stratagem.kernel import OVER, State
from stratagem.rng import Rng, generator

P = TypeVar("P")  # a position, in the game's own form
T = TypeVar("T")  # a whole turn, in the game's own form

Values = NDArray[np.float64]


class StageError(StratagemError):
    """A stage or a judge broke its promise: no candidate at all, a value that is no payoff, an unknown dependency."""


class IllegalJoin(IllegalMove):
    """Parts that do not make a legal turn; the message names them."""

    def __init__(self, reason: str, parts: Mapping[str, Any]) -> None:
        self.reason, self.parts = reason, dict(parts)
        reported = "; ".join(f"{name}: {part!r}" for name, part in parts.items())
        super().__init__(f"the parts make no legal turn ({reason}): {reported}")

    def __reduce__(self) -> tuple[type[IllegalJoin], tuple[str, dict[str, Any]]]:
        return IllegalJoin, (self.reason, self.parts)


class Trials(NamedTuple):
    """Which trials of a turn are made, for stagings whose trials are compiled."""

    first: int  # stream of chance of the first; the others follow
    seed: int
    guessed: int  # the seat whose secrets are guessed; -1: nobody's


class Judgement(NamedTuple):
    """What a judge says of a position: each seat's payoff, and how far off that may be."""

    values: Sequence[float]
    spread: float = 0.0  # standard deviation of its error; 0: exact


class Proposal(NamedTuple):
    """A part that a generator proposes."""

    part: Any  # hashable: equal parts are one candidate
    prior: float = 1.0  # how promising it looks beside the others of its generator, above 0


def no_clock() -> float | None:
    return None


class Context(NamedTuple):
    """Where a stage proposes: the position, the seat, and the parts chosen in the stages that it comes after."""

    position: Any
    seat: int
    parts: Mapping[str, Any]
    rng: Rng
    left: Callable[[], float | None] = no_clock  # seconds that the search under way has left; None: there is no clock


class _Gives:
    """Knows which of its optional methods a class gives, so that a search does not ask in vain."""

    optional_methods: ClassVar[frozenset[str]] = frozenset()  # those that do nothing in the class that names them
    given_methods: ClassVar[frozenset[str]] = frozenset()  # those of them that a subclass gives

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        above = [kind for kind in cls.__mro__ if "optional_methods" not in vars(kind)]
        cls.given_methods = frozenset(
            name for name in cls.optional_methods if any(name in vars(kind) for kind in above)
        )


class Generator(_Gives, ABC):
    """Proposes parts one at a time, each once. A subclass gives `first`, and what refinement it can."""

    optional_methods = frozenset({"finer", "coarser", "learn"})

    @abstractmethod
    def first(self) -> Proposal | None:
        """Return one more proposal of its own accord, the most promising first; None when there are no more."""

    def finer(self, part: Any) -> Proposal | None:
        """Return the same intent as a part, realised in another way; None when that family has no other.

        Args:
            part: a part that this generator proposed.
        """
        return None

    def coarser(self, part: Any, noise: float) -> Proposal | None:
        """Return a perturbed intent; None when nothing new was found.

        Args:
            part: a part that this generator proposed.
            noise: how far the new intent lies from the part's; 1 is usual.
        """
        return None

    @property
    def exhausted(self) -> bool:
        """Whether every part that this stage could ever have was given: a promise, never a guess."""
        return False

    def learn(self, part: Any, value: float, weight: float) -> None:
        """Take note that turns with a part were worth so much. The default takes no note.

        Args:
            part: a part that this generator proposed.
            value: what a turn with it was worth to its mover, from -1 to 1.
            weight: how many times that was seen.
        """


class Listed(Generator):
    """A generator over a list. It proposes in the order of the priors, and is exhausted with the last part.

    Args:
        parts: the parts, which must be hashable.
        priors: how promising each part looks beside the others, above 0; all alike if not given.
    """

    def __init__(self, parts: Sequence[Any], priors: Sequence[float] | None = None) -> None:
        weights = [1.0] * len(parts) if priors is None else list(priors)
        order = sorted(range(len(parts)), key=lambda k: -weights[k])
        self._left = [Proposal(parts[k], weights[k]) for k in reversed(order)]

    def first(self) -> Proposal | None:
        """Return the most promising part that is left; None when there are no more."""
        return self._left.pop() if self._left else None

    @property
    def exhausted(self) -> bool:
        """Whether every part was given."""
        return not self._left


@dataclass(frozen=True)
class Stage:
    """One part of a turn: its name, what it depends on, and how a generator for it is made."""

    name: str
    make: Callable[[Context], Generator]
    after: tuple[str, ...] = ()  # the stages whose parts its generator reads
    # what of those parts matters to it: contexts with equal scopes share candidates and statistics; None: each part as it is
    scope: Callable[[Mapping[str, Any]], Hashable] | None = None
    # equal memories share what was proposed, though not the statistics, between positions; None: nothing is shared
    memory: Callable[[Any], Hashable] | None = None


class Staging(_Gives, ABC, Generic[P, T]):
    """A game as a search by stages sees it.

    A subclass gives `mover`, `stages` and `join`. It also gives `play`, `payoffs` and `judge`, or a `sample` that does
    without them.
    """

    optional_methods = frozenset({"half_made"})
    players: int = 2
    certain: bool = False  # True: turns hold no chance, nothing is hidden, and `judge` says the same each time

    @abstractmethod
    def mover(self, position: P) -> int:
        """Return the seat whose turn begins.

        Args:
            position: the position, in the form that this staging uses.
        """

    @abstractmethod
    def stages(self, position: P) -> Sequence[Stage]:
        """Return the stages of a turn, in any order.

        Args:
            position: the position, in the form that this staging uses.
        """

    @abstractmethod
    def join(self, position: P, parts: Mapping[str, Any]) -> T:
        """Return the turn that the parts make.

        Args:
            position: the position, in the form that this staging uses.
            parts: one part for each stage, by the stage's name.

        Raises:
            IllegalJoin: the parts make no legal turn.
        """

    def play(self, position: P, turn: T, rng: Rng) -> P:
        """Return the position after a turn, where the next turn begins or the game is over.

        Args:
            position: the position, in the form that this staging uses.
            turn: the turn, as `join` made it.
            rng: the generator from which chance is drawn, anew at each call.
        """
        raise self._lacks("play")

    def payoffs(self, position: P) -> Sequence[float] | None:
        """Return each seat's payoff, from -1 to 1, if the game is over; else None.

        Args:
            position: the position, in the form that this staging uses.
        """
        raise self._lacks("payoffs")

    def judge(self, position: P, rng: Rng) -> Judgement:
        """Return what each seat may expect where a turn begins.

        Args:
            position: the position, in the form that this staging uses.
            rng: the generator of a judge that draws random numbers.
        """
        raise self._lacks("judge")

    def _lacks(self, name: str) -> StageError:
        return StageError(
            f"{type(self).__name__} gives no `{name}`, which a staging needs unless its own `sample` tries turns"
        )

    def guess(self, position: P, seat: int, rng: Rng) -> P:
        """Return a position drawn from those that look alike to a seat. The default is for games that hide nothing.

        Args:
            position: the position, in the form that this staging uses.
            seat: the seat that looks.
            rng: the generator from which hidden things are drawn.
        """
        return position

    def key(self, position: P) -> Hashable | None:
        """Return a key by which equal positions are found again, whatever turns led to them.

        Args:
            position: the position, in the form that this staging uses.

        Returns:
            The key; None where positions are never shared and never found again.
        """
        return None

    def estimate(self, position: P, turn: T) -> Judgement | None:
        """Return a judgement of a finished turn before it is tried, which lets the search prune it.

        Args:
            position: the position, in the form that this staging uses.
            turn: the turn, as `join` made it.

        Returns:
            The judgement; None where the turn must be tried.
        """
        return None

    def half_made(self, position: P, parts: Mapping[str, Any]) -> Judgement | None:
        """Return a judgement of a turn of which only some parts are chosen.

        Args:
            position: the position in which the turn begins.
            parts: the parts chosen so far, by the stages' names.

        Returns:
            The judgement; None where nothing can be said.
        """
        return None

    def sample(self, position: P, turn: T, seat: int | None, streams: range, seed: int) -> Values:
        """Return the payoffs of a turn that is tried once with each stream of chance.

        The default calls `play`, `payoffs` and `judge`. Compiled games do it in bulk, and let other threads run.

        Args:
            position: the position, in the form that this staging uses.
            turn: the turn, as `join` made it.
            seat: the seat whose view the position is. What it cannot see is guessed in each trial; None where that was
                guessed already.
            streams: the numbers of the streams of chance.
            seed: the seed of all streams.

        Returns:
            The payoffs, an array [streams, players].
        """
        out = np.empty((len(streams), self.players))
        for k, stream in enumerate(streams):
            rng = generator(seed, stream)
            start = position if seat is None else self.guess(position, seat, rng)
            after = self.play(start, turn, rng)
            paid = self.payoffs(after)
            out[k] = self.judge(after, rng).values if paid is None else paid
        return out

    def words(self, position: P, stage: str, part: Any) -> str:
        """Return the text of a part for people. The default is `str(part)`.

        Args:
            position: the position, in the form that this staging uses.
            stage: the name of the stage.
            part: a part of that stage.
        """
        return str(part)

    def text(self, position: P, turn: T) -> str:
        """Return the text of a turn for people. The default is `str(turn)`.

        Args:
            position: the position, in the form that this staging uses.
            turn: the turn, as `join` made it.
        """
        return str(turn)


def in_words(position: Any) -> str:
    """A position for an error, cut short."""
    return str(position)[:200]


def ordered(stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """The stages so that each comes after those it depends on, otherwise as given."""
    if not stages:
        raise StageError("a turn without stages cannot be put together; give at least one stage")
    names = [stage.name for stage in stages]
    if len(set(names)) < len(names):
        raise StageError(f"two stages have one name among {names!r}; each has its own")
    done: list[Stage] = []
    left = list(stages)
    while left:
        ready = [stage for stage in left if all(name in {d.name for d in done} for name in stage.after)]
        if not ready:
            stage = left[0]
            unknown = [name for name in stage.after if name not in names]
            why = f"no stage is called {unknown[0]!r}" if unknown else "it depends on itself, by way of others"
            raise StageError(f"stage {stage.name!r} comes after {stage.after!r}, but {why}; there are: {names!r}")
        done.append(ready[0])
        left.remove(ready[0])
    return tuple(done)


class GameStaging(Staging[State, T]):
    """What stagings have in common whose positions are the states of a game."""

    game: ArrayGame

    def mover(self, position: State) -> int:
        return int(self.game.run("turn", self.game.g, position))

    def payoffs(self, position: State) -> tuple[float, ...] | None:
        if self.mover(position) != OVER:
            return None
        out = np.zeros(self.players)
        self.game.run("payoff", self.game.g, position, out)
        low, high = self.game.payoff_range
        return tuple(float(x) for x in (2 * out - high - low) / (high - low))

    def guess(self, position: State, seat: int, rng: Rng) -> State:
        if not self.game.hidden:
            return position
        s = position.copy()
        self.game.run("guess", self.game.g, s, seat, rng)
        return s

    def key(self, position: State) -> bytes:
        return position[: self.game.size].tobytes()
