"""One thread of a search by stages: it walks, and answers what the core asks of a staging in Python."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from stratagem.rng import Rng, generator
from stratagem.search.budget import Budget
from stratagem.search.staged import cell, core, records, step
from stratagem.search.staged.bandit import SLACK
from stratagem.search.staged.making import PATIENCE
from stratagem.search.staged.nodes import PositionNode, Turn
from stratagem.search.staged.records import Walker
from stratagem.search.staged.stage import StageError, in_words

if TYPE_CHECKING:
    from stratagem.search.staged.search import Staged

FADING = 0.97  # of what the longest walk took, from walk to walk: so much time is kept for one more like it
WAITING = 0.0002  # seconds until a walk looks again whether another thread's generator has answered


class Worker:
    """One thread of a search: walks until the clock, the limit or the user ends it, and answers what the core asks for."""

    def __init__(self, search: Staged[Any, Any], watch: Budget, number: int) -> None:
        self.search, self.watch = search, watch
        s, stream = search.settings, search._asked * 64 + number
        self.seeds = random.Random(f"{search.seed} {stream}")  # seeds of generators
        self.rng = generator(search.seed, stream)  # the game's own chance
        rng = generator(search.seed, -1 - stream)
        self.walker = self._new_walker(search._most, core.MOST_AGAIN * s.samples, rng)
        self.walker.at[cell.SEED] = search._streams
        self.loose: list[PositionNode] = []  # positions of the walk under way that have no key
        self.answers: dict[int, Callable[[Worker], None]] = {
            step.WANT_STAGE: search.enter_stage,
            step.WANT_PROPOSAL: self._propose,
            step.WANT_HALF: self._judge_half,
            step.WANT_TURN: self._join,
            step.WANT_PLAY: self._play,
            step.WANT_TRIALS: self._try,
            step.WAIT: lambda worker: time.sleep(WAITING),
            step.WANT_ROOM: search.enlarge,
        }

    def _new_walker(self, stages: int, trials: int, rng: Rng) -> Walker:
        search = self.search
        players, depth = search.staging.players, search.settings.depth
        return records.walker(players, stages, depth, trials, PATIENCE, rng, search._sizes)

    def make_room(self, stages: int) -> None:
        """For turns of more stages."""
        old = self.walker
        new = self._new_walker(stages, 1, old.rng)
        for name in ("chosen", "scan", "passed", "lessons", "taught"):
            getattr(new, name)[: len(getattr(old, name))] = getattr(old, name)
        kept = ("at", "path", "ways", "values", "sums", "mail", "said")
        self.walker = new._replace(**{name: getattr(old, name) for name in kept})

    def run(self, tries: bool = True) -> None:
        """Walk; `tries` False: only as far as the first turn that would be tried."""
        search, watch, answers = self.search, self.watch, self.answers
        lock: Any = contextlib.nullcontext() if search._sizes.shared else search._lock
        clock = watch.seconds is not None
        longest, began = 0.0, time.perf_counter()
        with np.errstate(over="ignore"):
            while True:
                with lock:
                    code = search.step(self)
                    if code == step.WANT_LEARN:
                        self._learn()
                        continue
                if code == step.ENDED:
                    return
                if code == step.NOTHING_LEFT:
                    watch.stop()
                    return
                try:
                    if code == step.WANT_TRIALS and not tries:
                        self._give_up()
                        return
                    if code not in answers:
                        self._complain(code)
                    answers[code](self)
                except BaseException:
                    self._give_up()
                    watch.stop()
                    raise
                if clock and code == step.WANT_TRIALS:
                    now = time.perf_counter()
                    longest, began = max(now - began, FADING * longest), now
                    left = watch.left
                    if left is not None and left < longest:
                        watch.stop()

    def _give_up(self) -> None:
        with self.search._lock:
            core.abandon(self.search.tree, self.walker, self.search.terms)

    def _complain(self, code: int) -> None:
        search, walker = self.search, self.walker
        if code == step.NO_CANDIDATE:
            sub = search.stage_nodes[int(walker.at[cell.SUB])]
            place = search.places[int(walker.at[cell.PLACE])]
            raise StageError(
                f"stage {sub.stage.name!r} proposes nothing in {in_words(place.position)}; a stage gives at least one part, "
                "if only the empty one"
            )
        if code == step.BAD_PRIOR:
            sub = search.stage_nodes[int(walker.at[cell.SUB])]
            raise StageError(f"stage {sub.stage.name!r} gave a prior that is no number of 0 or more; give more than 0")
        if code == step.BAD_ESTIMATE:
            stage = search.places[int(walker.at[cell.PLACE])].stages[int(walker.at[cell.STAGE_AT])]
            value, spread = (float(walker.said[k]) for k in (cell.SAID_VALUE, cell.SAID_SPREAD))
            raise StageError(
                f"the estimate of stage {stage.name!r} is {value!r} with spread {spread!r}; give payoffs in [-1, 1] and a spread "
                "of 0 or more, or UNKNOWN"
            )
        values = walker.values[: walker.at[cell.TRIALS]]
        wrong = values[~(np.abs(values) <= 1 + SLACK)][0]
        turn = self._turn()
        raise StageError(
            f"the judge gave {wrong} for the turn {search.staging.text(turn.place.position, turn.turn)!r} in "
            f"{in_words(turn.place.position)}; payoffs lie in [-1, 1]"
        )

    def _turn(self) -> Turn:
        """The last turn of the path."""
        p, row = self.walker.path[self.walker.at[cell.DEPTH] - 1].tolist()
        return Turn(self.search.places[p], row)

    # -- answers

    def _propose(self, _: Any) -> None:
        mail, said = self.walker.mail, self.walker.said
        source, base, way, *_rest = mail.tolist()
        proposals = self.search.sources[source]
        found = proposals.ask(way, base, float(said[cell.SAID_NOISE]))
        if found is not None:
            mail[cell.ANSWER], said[cell.SAID_PRIOR] = len(proposals.parts) - 1, found.prior
        mail[cell.EMPTIED] = proposals.generator.exhausted

    def _judge_half(self, _: Any) -> None:
        search, walker = self.search, self.walker
        place, i = search.places[int(walker.at[cell.PLACE])], int(walker.at[cell.STAGE_AT])
        parts = search.parts_of(walker.chosen[: i + 1].tolist())
        said = search.staging.half_made(place.position, parts)
        name = place.stages[i].name
        search.estimate(walker, place.seat, said, f"stage {name!r}, part {parts[name]!r}")

    def _join(self, _: Any) -> None:
        search, walker = self.search, self.walker
        place, staging = search.places[int(walker.at[cell.PLACE])], search.staging
        made = staging.join(place.position, search.parts_of(walker.chosen[: len(place.stages)].tolist()))
        said = staging.estimate(place.position, made)
        if said is not None:
            search.estimate(walker, place.seat, said, f"turn {staging.text(place.position, made)!r}")
        with search._lock:
            place.made.append(made)
            walker.mail[cell.ANSWER] = len(place.made) - 1

    def _play(self, _: Any) -> None:
        search, walker, staging = self.search, self.walker, self.search.staging
        mail = walker.mail
        place = search.places[int(mail[cell.ASKED_ABOUT])]
        position, turn = place.position, place.made[mail[cell.ASKED_TURN]]
        if walker.at[cell.DEPTH] == 1:
            position = staging.guess(position, place.seat, self.rng)
            self._forget_loose()
        position = staging.play(position, turn, self.rng)
        paid = staging.payoffs(position)
        if paid is not None:
            walker.at[cell.PAID] = 1
            walker.values[0] = paid
            return
        key = staging.key(position)
        with search._lock:
            node = (search.nodes.get(key) if key is not None else None) or search._node(position, key)
            mail[cell.ANSWER], mail[cell.ALONE] = cell.NONE if node is None else node.k, key is None
            if key is None and node is not None:
                self.loose.append(node)

    def _forget_loose(self) -> None:
        with self.search._lock:
            for place in self.loose:
                self.search.forget(place)
            self.loose.clear()

    def _try(self, _: Any) -> None:
        search, walker = self.search, self.walker
        p, handle, first, n, *_rest = walker.mail.tolist()
        place = search.places[p]
        seat = place.seat if walker.at[cell.DEPTH] == 1 else None
        walker.values[:n] = search.staging.sample(
            place.position, place.made[handle], seat, range(first, first + n), search._streams
        )

    def _learn(self) -> None:
        """Tell generators what became of their parts."""
        walker, sources = self.walker, self.search.sources
        n, weight = int(walker.at[cell.LESSONS]), float(walker.at[cell.TRIALS])
        for (source, k), value in zip(walker.lessons[:n].tolist(), walker.taught[:n].tolist(), strict=True):
            proposals = sources[source]
            proposals.generator.learn(proposals.parts[k], value, weight)
