"""A table: a game under way and who sits at it.

The server holds the true position. What leaves a table is made from `position.view(seat)` alone, and a seat's text is
judged on that view too, so that not even an error message can tell what the seat may not know. Every move is in the store
before it counts. Chance is drawn here from the table's own seed and recorded; secret moves wait until all are in.

A seat is held by whoever has its token; the server keeps only hashes. The one who sets a table up is given the token of
its own seat and an invitation for every other person's: the first to use an invitation gets that seat's token.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from stratagem.contract.companions.drawing import Drawing, Frame, Overlays
from stratagem.contract.companions.panels import Finding, Panels, answered
from stratagem.contract.companions.steps import Steps
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import CHANCE, NOBODY, TOGETHER, Game, Position
from stratagem.contract.growing import GrowingPlan, own_steps
from stratagem.contract.words import in_words
from stratagem.errors import IllegalMove, StratagemError, UnknownName
from stratagem.registry import default_engine
from stratagem.rng import generator
from stratagem.store import Records
from stratagem.store.stored import StoredGame
from stratagem.web.catalogue import Catalogue
from stratagem.web.clocks import Clocks, ClockTerms
from stratagem.web.deltas import brief_frames
from stratagem.web.engines import ASKED, REPLY, Engines, Job, engines
from stratagem.web.people import called, seats_shown, tally_shown
from stratagem.web.refusals import Forbidden, NotFound, Outdated
from stratagem.web.seats import PERSON, Seated
from stratagem.web.showing import UNREADABLE, drawings, judged, shown_heading, shown_marks, turn_word
from stratagem.web.thinking import Question

if TYPE_CHECKING:
    from stratagem.store.queue import Queue  # which needs an extra

log = logging.getLogger("stratagem.web")

ENGINE_LIMIT = 120.0  # seconds of work that an engine may take over a move; compiling starts it anew
RETRIES = 2  # times that a failed engine is asked again before the table says so
DRAW, AGAIN = "draw", "again"  # what people agree to, as the store has it


class Table(Seated):
    """One game under way. All methods may be called from any thread."""

    kind = "web"  # as stores have it

    def __init__(self, store: Records, pool: Engines, catalogue: Catalogue, key: str, queue: Queue | None) -> None:
        super().__init__(store, key)
        self.pool, self.queue, found = pool, queue, self.found
        self.game: Game = catalogue.game(found.game, found.options)
        self.name = found.game
        self.seats = found.seats
        self.client = ""  # who set it up, by whom games under way are counted
        self.seed = found.seed
        self.origin = found.origin
        self.positions = [self.game.start() if found.origin is None else self.game.parse(found.origin)]
        self.touched = time.monotonic()
        self.jobs: dict[int, Job] = {}
        self.places: dict[int, int | str] = {}  # of engines: their place in the queue; 0: thinking; or what is compiled
        self.compiling: str | None = (
            None  # ahead of need, from the moment the table is opened: what, and about how long
        )
        self._prepared = False
        self.failures: dict[int, int]
        self.trouble: str | None
        self._words: dict[tuple[int, int | None], tuple[Position, str, dict[str, Any]]] = {}  # of a ply, for a seat
        self.settled = threading.Condition(self.lock)  # notified of every change
        terms, left = found.meta.get("clock"), found.meta.get("left")
        self.clocks = Clocks(ClockTerms(**terms), len(self.seats), self._fall, left) if terms else None
        self._take_over(found)
        del self.found  # positions hold it now

    def _take_over(self, found: StoredGame) -> None:
        """Be as the store says; positions that stand are kept."""
        self.take_seats(found)
        same = (k for k, text in enumerate(found.texts) if k >= self.ply or self.positions[k + 1].history[-1] != text)
        stands = next(same, len(found.texts))
        if stands < self.ply:
            del self.positions[stands + 1 :]
            self._stop_engines()
        for text in found.texts[stands:]:
            self.positions.append(self.positions[-1].play(text))
            self._stop_engines()
        self.pending: dict[int, str] = {d.seat: d.text for d in found.pending}
        self.finished = found.result is not None
        self.ended: dict[str, Any] | None = found.meta.get("settled")  # how it ended, if not by the rules
        self.next: str | None = found.meta.get("next")  # the table of a rematch
        self.agreed: dict[int, bool] = found.consents.get(AGAIN, {})  # who would play again; whether with seats swapped
        self.offers: dict[int, bool] = found.consents.get(DRAW, {})  # who would take a draw
        self.review: dict[str, Any] | None = found.meta.get("review")  # as `reviews` made it, if somebody asked for it
        trouble = found.meta.get("trouble") or {}
        reported = trouble.get("ply") == self.ply
        self.failures, self.trouble = ({trouble["seat"]: RETRIES + 1}, trouble["text"]) if reported else ({}, None)

    # -- several processes: the store is ahead of us

    def refresh(self) -> None:
        """Be up to date where others may write too."""
        if self.store.shared:
            with self.lock:
                if self.store.changes(self.number) != self.version:
                    self.reload()
                    self.advance()

    def reload(self) -> None:
        self._take_over(self.store.game(self.number))
        self.changed()

    @property
    def position(self) -> Position:
        return self.positions[-1]

    @property
    def ply(self) -> int:
        return len(self.positions) - 1

    @property
    def over(self) -> bool:
        """Whether it has ended, by the rules or otherwise."""
        return self.position.over or self.ended is not None

    @property
    def asked(self) -> tuple[int, ...]:
        return () if self.ended is not None else self.position.asked

    @property
    def people(self) -> list[int]:
        return [seat for seat, who in enumerate(self.seats) if who == PERSON]

    # -- what a seat sees

    def shown(self, seat: int | None) -> dict[str, Any]:
        """All that a seat (None: a spectator) is shown, with the clocks as they stand now."""
        with self.lock:
            return {**self.seen(seat), "clock": self.clocks.shown() if self.clocks else None}

    def snapshot(self, seat: int | None) -> dict[str, Any]:
        """What a seat is shown, made from its view."""
        with self.lock:
            position, game = self.position, self.game
            asked, drawn = self.asked, drawings.of(position, seat)
            ended = self.ended or {}
            mine = seat is not None and seat in asked and seat not in self.pending
            decided = None if seat is None else self.pending.get(seat)
            return {
                "table": self.key,
                "game": self.name,
                "title": game.title,
                "plan": game.plan.name,
                "by_parts": game.plan.by_parts,
                "options": plain_options(game),
                "hidden": game.hidden,
                "looks": isinstance(game, Overlays),
                "panels": [asdict(panel) for panel in Panels.of(game).panels],
                "version": self.version,
                "seats": [
                    {
                        **about,
                        "person": who == PERSON,
                        "player": who,
                        "open": str(p) in self.invitations,
                    }
                    for p, (who, about) in enumerate(zip(self.seats, seats_shown(game), strict=True))
                ],
                "seat": seat,
                "ply": self.ply,
                "turn": "over" if ended else turn_word(position),
                "asked": list(asked),
                "ready": sorted(self.pending),
                "mine": decided,
                "mine_named": None if decided is None else Drawing.of(game).named(decided),
                "places": {str(p): place for p, place in self.places.items() if p in asked},
                "compiling": self.compiling,
                "trouble": self.trouble,
                "svg": drawn["svg"],
                "text": drawn["text"],
                "marks": drawn["marks"],
                "range": list(game.payoff_range),
                "moves": self._record(seat),
                "parts": drawn["parts"] if mine else None,
                "question": drawn["question"] if mine else "",
                "first": drawn["first"] if mine else [],
                "agreed": sorted(self.agreed),
                "next": self.next if seat is not None else None,
                "payoff": ended.get("payoff") or (list(position.payoff) if position.over else None),
                "outcome": ended.get("outcome") or (Wording.of(game).outcome(position) if position.over else None),
                "tally": None if ended else tally_shown(position),
                "clock": self.clocks.shown() if self.clocks else None,
                "offers": sorted(self.offers),
                "here": sorted({p for p in self.looking.values() if p is not None}),
                "watching": sum(p is None for p in self.looking.values()),
                "may": {
                    "take_back": self._may_take_back(seat),
                    "hint": mine and self.people == [seat],
                    "finish": mine and self.people == [seat] and game.plan.by_parts,
                    "analyse": self.over or (not game.hidden and len(self.people) < 2),
                    "resign": seat is not None and self._may_settle,
                    "draw": seat is not None and self._may_settle and len(self.people) == 2,
                },
            }

    def progress(self) -> dict[str, Any]:
        """How far the table is, for somebody whom a stream tells the rest."""
        with self.lock:
            return {"table": self.key, "version": self.version, "ply": self.ply}

    def _record(self, seat: int | None) -> list[dict[str, Any]]:
        """The moves so far as far as a seat may know them: who decided, the text or None, and what the game says of it
        in words, if it has any."""
        known = self._known(seat)
        return [
            {
                "by": before.turn if before.turn >= 0 else turn_word(before),
                "text": known[ply],
                **self._in_words(ply, seat, known[ply]),
            }
            for ply, before in enumerate(self.positions[:-1])
        ]

    def _in_words(self, ply: int, seat: int | None, text: str | None) -> dict[str, Any]:
        """A ply in words and in marks on the board, made once for each seat from what that seat is shown of it."""
        if text is None:
            return {"words": None, "heading": "", "marks": []}
        before, reported = self.positions[ply], self._words.get((ply, seat))
        if reported is None or reported[0] is not before or reported[1] != text:
            try:
                said = in_words(before, text, None if self.over else NOBODY if seat is None else seat)
            except Exception:  # a game that fails over its words is shown by its texts
                log.exception("%s failed over a description", self.game.name)
                said = None
            view = before.view(seat)
            marks = shown_marks(self.game, lambda: Drawing.of(self.game).trace(view, text, before.turn))
            reported = self._words[ply, seat] = (
                before,
                text,
                {"words": said, "heading": shown_heading(view), "marks": marks},
            )
        return reported[2]

    def _known(self, seat: int | None) -> Sequence[str | None]:
        texts = self.position.history[len(self.position.history) - self.ply :] if self.ply else ()
        if not self.game.hidden or self.over:
            return texts
        reported = self.position.view(seat).history
        # A game that tells its seats of the record aligns it with the true one; what does not align is not shown.
        return reported if len(reported) == len(texts) else [None] * len(texts)

    def parts(self, seat: int, prefix: Sequence[str], ply: int | None = None) -> tuple[GrowingPlan, bool]:
        """A seat's plan as far as it has grown; and whether it was played, for with a ply it is as soon as nothing can be
        added to it."""
        with self.lock:
            if ply is not None:
                self._must_be_at(ply, "move")
            self._must_decide(seat)
            plan = GrowingPlan(self.position.view(seat), seat, tuple(prefix))
            play = ply is not None and judged(plan.view, lambda: plan.full, UNREADABLE)
            if play:
                self._take(seat, self._settled(plan))
                self.advance()
            return plan, play

    def frames(self, seat: int | None, ply: int, since: int | None = None) -> list[dict[str, Any]]:
        """One ply step by step, drawn for a seat; the last step is the position after it. Each drawing is given as what is new
        in it since the one before, the first since the drawing of ply `since`, if whoever asks has that."""
        with self.lock:
            if not 0 <= ply <= self.ply or not (since is None or 0 <= since <= self.ply):
                raise NotFound(f"there is no ply {ply if since is None else since}; the game has {self.ply}")
            after = self.positions[ply]
            steps = Drawing.of(self.game).frames(self.positions[ply - 1], after.history[-1], seat) if ply else []
            steps = [*steps, Frame(drawings.of(after, seat)["svg"], steps[-1].words if steps else "")]
            known = None if since is None else drawings.of(self.positions[since], seat)["svg"]
            return brief_frames(known, steps)

    def record(self, seat: int | None) -> dict[str, Any]:
        """The game on paper. While it goes on, only what the seat may know; when it is over, all of it."""
        with self.lock:
            whole = self.over or not self.game.hidden
            texts = list(self.position.history[-self.ply :] if self.ply else ()) if whole else list(self._known(seat))
            return {
                "stratagem": 1,
                "game": self.name,
                "options": plain_options(self.game),
                "moves": texts,
                "origin": self._origin(seat, whole),
                "seats": ["you" if who == PERSON else who for who in self.seats],
                "seed": 0,
            }

    def keep_review(self, review: dict[str, Any]) -> None:
        """Write down what a review found."""
        with self.lock:
            with self.writing():
                self.store.annotate(self.number, review=review)
            self.review = review

    def _origin(self, seat: int | None, whole: bool) -> str | None:
        """What the game began with, as far as the seat may know it."""
        return self.origin if whole or self.origin is None else str(self.positions[0].view(seat))

    # -- what a seat does

    @property
    def _may_settle(self) -> bool:
        """Whether it can end otherwise than by the rules: where what one loses the other wins."""
        return not self.over and self.game.players == 2 and self.game.zero_sum

    def _settle(self, payoff: Sequence[float], outcome: str) -> None:
        ended = {"payoff": list(payoff), "outcome": outcome}
        with self.writing(rows=2):
            self.store.finish(self.number, tuple(payoff), ply=self.ply, meta={"settled": ended})
        self.ended, self.finished, self.pending = ended, True, {}
        self._stop_engines()
        self.pool.forget(self.key)
        self.changed()

    def _lose(self, seat: int, how: str) -> None:
        low, high = self.game.payoff_range
        winner = called(self.game, 1 - seat)
        self._settle([low if p == seat else high for p in range(2)], f"{winner} wins: {called(self.game, seat)} {how}")

    def resign(self, seat: int) -> None:
        with self.lock:
            if not self._may_settle:
                raise IllegalMove(
                    "there is nothing to resign here: the game is over, or is not one of two against each other"
                )
            self._lose(seat, "resigns")

    def offer_draw(self, seat: int) -> None:
        """Offer a draw; when both have, it is one. An offer lasts until the next move."""
        with self.lock:
            if not self._may_settle or len(self.people) != 2:
                raise IllegalMove("a draw is agreed on between two people whose game goes on")
            if seat not in self.offers:
                self.offers = self.agree(DRAW, seat)
                self.changed()
            self._agree_on_a_draw()

    def agree(self, to: str, seat: int, how: bool = True) -> dict[int, bool]:
        """Write that a seat agrees to something; all who do. Whoever asks twice, or here and elsewhere, has agreed once."""
        try:
            with self.writing():
                return self.store.agree(self.number, to, seat, how)
        except Outdated:
            return self.offers if to == DRAW else self.agreed  # as the store has just said

    def _agree_on_a_draw(self) -> None:
        """End the game if both would take a draw; the process that the second one asked may not have come to it."""
        if self._may_settle and len(self.people) == 2 and set(self.offers) == set(self.people):
            middle = sum(self.game.payoff_range) / 2
            with suppress(Outdated):  # another process has
                self._settle([middle, middle], "a draw by agreement")

    def _fall(self, seat: int) -> None:
        """A seat's time is up: of two against each other it loses; else a move is drawn for it."""
        with self.lock:
            if self.clocks is None or self.over or seat in self.pending or not self.clocks.fallen(seat):
                return
            if self._may_settle:
                with suppress(Outdated):  # a clock of another process has fallen first, or a move has arrived there
                    self._lose(seat, "has no time left")
                return
            view, rng = self.position.view(seat), generator(self.seed, 2_000_000 + self.ply)
            try:
                self._take(seat, self._settled(GrowingPlan.of(view, seat, view.sample(rng, seat))))
            except StratagemError as error:
                log.warning("table %s: no move could be drawn for %s: %s", self.number, seat, error)
                return
            self.advance()

    def _must_decide(self, seat: int) -> None:
        if self.over:
            raise IllegalMove("the game is over")
        if seat not in self.position.asked:
            raise IllegalMove(f"it is not {called(self.game, seat)}'s turn")
        if seat in self.pending:
            raise IllegalMove(f"{called(self.game, seat)} has decided already; the others have not")

    def _must_be_at(self, ply: int, do: str) -> None:
        if ply != self.ply:
            raise Outdated(f"the game is at ply {self.ply}, not {ply}: look again before you {do}")

    def move(self, seat: int, text: str, ply: int) -> None:
        """A seat's move at a ply; where all decide at once it stays secret until the last one is in."""
        with self.lock:
            self._must_be_at(ply, "move")
            self._must_decide(seat)
            self._take(seat, self._settled(GrowingPlan.of(self.position.view(seat), seat, text)))
            self.advance()

    def _settled(self, plan: GrowingPlan) -> tuple[str, ...]:
        refusal = f"{plan.text[:80]!r} cannot be read as a move of {self.game.title}"
        settled: tuple[str, ...] = judged(plan.view, plan.settled, refusal)
        return settled

    def _take(self, seat: int, texts: Sequence[str], **more: Any) -> None:
        """Accept a seat's move that is legal as far as the seat can know. A game may play a text as several moves of its
        record, each of which is a ply of its own here."""
        if self.position.turn == TOGETHER:
            (text,) = texts
            joint = {**self.pending, seat: text}
            if set(joint) == set(self.position.asked):
                self._after([joint.get(p, "-") for p in range(self.game.players)])  # refused before it is written
            with self.writing():
                waiting = self.store.decide(self.number, seat, text, ply=self.ply)
            self.pending = {d.seat: d.text for d in waiting}  # with those that other processes were given
            if not self._reveal():
                self.changed()
        else:
            for after in self._allowed(lambda: own_steps(self.position, seat, texts)):
                self._append(after, seat, **more)

    def _reveal(self) -> bool:
        """Play the joint move if all have decided; whether they have."""
        if self.position.turn != TOGETHER or set(self.pending) != set(self.position.asked):
            return False
        self._append(self._after([self.pending.get(p, "-") for p in range(self.game.players)]), None)
        return True

    def _after(self, text: str | list[str]) -> Position:
        after: Position = self._allowed(lambda: self.position.play(text))
        return after

    def _allowed(self, play: Callable[[], Any]) -> Any:
        try:
            return play()
        except StratagemError:
            # The rules may refuse on grounds that the mover cannot see, so their own words stay here.
            raise IllegalMove("the rules do not allow this move here") from None

    def _append(self, after: Position, seat: int | None, **more: Any) -> None:
        try:
            with self.writing():
                self.store.append(self.number, after.history[-1], ply=self.ply, seat=seat, **more)
        except Outdated:
            if seat is not None:
                raise
            return  # chance and joint moves fall the same way everywhere: another process has just written it
        self.positions.append(after)
        self.pending, self.failures, self.trouble, self.offers = {}, {}, None, {}
        self._stop_engines()
        self._finish()
        self.changed()

    def _finish(self) -> None:
        """Write the result of a game that is over."""
        if self.position.over and not self.finished:
            with suppress(Outdated), self.writing():
                self.store.finish(self.number, self.position.payoff, ply=self.ply)
            self.finished = True
            self.pool.forget(self.key)

    def _may_take_back(self, seat: int | None) -> bool:
        """Whether a seat may take back its last decision.

        It always may while it is still its turn: neither another seat nor chance has answered. Later it may against engines
        alone, in a game without secrets, if it decided alone: where all decide at once, it has seen what the others chose.
        """
        if self.ended is not None:
            return False
        if seat is not None and len(self.positions) > 1 and self.position.turn == self.positions[-2].turn == seat:
            return True
        if seat is None or self.people != [seat] or self.game.hidden:
            return False
        last = next((before for before in reversed(self.positions[:-1]) if seat in before.asked), None)
        return last is not None and last.turn != TOGETHER

    def take_back(self, seat: int, ply: int) -> None:
        """Go back to the seat's last decision. Chance falls again as it fell before."""
        with self.lock:
            self._must_be_at(ply, "take back")
            if not self._may_take_back(seat):
                raise IllegalMove(
                    "moves are taken back only against engines, where nothing is hidden and the seat decided alone"
                )
            to = max(k for k in range(self.ply) if seat in self.positions[k].asked)
            with self.writing():
                self.store.take_back(self.number, ply=self.ply, to=to)
            del self.positions[to + 1 :]
            self.pending, self.failures, self.trouble, self.finished = {}, {}, None, False
            self.offers, self.agreed = {}, {}
            self._stop_engines()
            self.changed()
            self.advance()

    # -- chance and engines

    def advance(self) -> None:
        """Draw what chance decides, and ask the engines whose turn it is."""
        with self.lock:
            self._views.clear()
            self.touched = time.monotonic()
            if self.ended is not None:
                return
            self._tick()
            while self.position.turn == CHANCE or self._reveal():  # a process that died may not have come to either
                if self.position.turn == CHANCE:
                    self._append(self._after(self.position.sample(generator(self.seed, self.ply))), None)
            self._finish()
            self._agree_on_a_draw()
            if not self.people and not self.listeners:
                return  # engines among themselves play while somebody looks
            for seat in self.position.asked:
                if self.seats[seat] != PERSON and seat not in self.pending and seat not in self.jobs:
                    if self.failures.get(seat, 0) > RETRIES:
                        continue
                    self._ask(seat)

    def retry(self) -> None:
        """Ask engines that failed again."""
        with self.lock:
            if self.queue is not None and self.trouble:
                with self.writing():
                    self.store.annotate(self.number, trouble=None)
            self.failures, self.trouble, self.places = {}, None, {}
            self.advance()

    def _ask(self, seat: int) -> None:
        """Have a seat's engine think: here, or in whichever process takes the question."""
        if self.compiling is not None:
            self.places[seat] = self.compiling  # it is asked when all is ready
        elif self.queue is None:
            self._think(seat)
        elif seat not in self.places:
            self.places[seat] = self.queue.ask(self.number, self.ply, seat)

    def _prepare(self) -> None:
        """Have what the table's engines need compiled, once, before they are asked; one that is asked now sees to it itself."""
        known = engines(self.game)
        wanted = [who for who in self.seats if who in known]
        asked = any(self.seats[seat] != PERSON for seat in self.asked)
        if self._prepared or not wanted or asked or self.position.over:
            return
        self._prepared = True
        self.pool.prepare(self.game, wanted, self._prepared_so_far)

    def _prepared_so_far(self, text: str | None) -> None:
        with self.lock:
            self.compiling = text
            for seat, place in self.places.items():
                if isinstance(place, str) and text is not None:
                    self.places[seat] = text
            self.changed()
            if text is None:
                self.places = {seat: place for seat, place in self.places.items() if seat in self.jobs}
                self.advance()

    def think(self, seat: int, ply: int) -> None:
        """Let an engine of this process decide for a seat, if it still has to; returns when it has, or has failed for good."""
        with self.settled:
            while self._waits_for(seat, ply) and not self.pool.closed:
                if seat not in self.jobs:
                    self._think(seat)
                self.settled.wait(1.0)

    def _waits_for(self, seat: int, ply: int) -> bool:
        open_to_it = ply == self.ply and seat in self.position.asked and seat not in self.pending
        return open_to_it and self.failures.get(seat, 0) <= RETRIES

    def _think(self, seat: int) -> None:
        ply, position = self.ply, self.position

        def tell(kind: str, data: Any) -> None:
            self._hear(seat, ply, job, kind, data)

        seed = int(generator(self.seed, 1_000_000 + ply * self.game.players + seat)[0]) & 0x7FFFFFFF
        question = Question(position.view(seat), seat, self.seats[seat], seed=seed, table=self.key)
        rank = REPLY if self.people else ASKED  # engines among themselves keep no person waiting
        job = Job(question, tell, client=self.client, rank=rank, limit=ENGINE_LIMIT)
        self.jobs[seat] = job
        try:
            if self.seats[seat] not in (known := engines(self.game)):  # a store from elsewhere may name a program
                raise UnknownName(f"engine of {self.name}", self.seats[seat][:80], known)
            self.pool.submit(job)
        except StratagemError as error:
            del self.jobs[seat]
            self.failures[seat] = RETRIES + 1
            self.trouble = str(error)
            self.changed()

    def _hear(self, seat: int, ply: int, job: Job, kind: str, data: Any) -> None:
        with self.lock:
            if self.jobs.get(seat) is not job or ply != self.ply:
                return
            if kind in ("queued", "thinking", "compiling"):
                self.places[seat] = data or 0
                self.changed()
            elif kind == "done":
                del self.jobs[seat]
                self.places.pop(seat, None)
                try:
                    plan = GrowingPlan.of(self.position.view(seat), seat, data["best"])
                    self._take(seat, self._settled(plan), seconds=data.get("seconds"))
                except Outdated:
                    log.info("table %s: %s was overtaken", self.number, self.seats[seat])
                except StratagemError as error:
                    self._failed(seat, str(error))
                self.advance()
            elif kind == "failed":
                del self.jobs[seat]
                self.places.pop(seat, None)
                self._failed(seat, data)
                self.advance()

    def _failed(self, seat: int, why: str) -> None:
        log.warning("table %s, %s: %s", self.number, self.seats[seat], why)
        self.failures[seat] = self.failures.get(seat, 0) + 1
        if self.failures[seat] > RETRIES:
            self.trouble = f"{called(self.game, seat)}'s engine has failed"
            if self.queue is not None:
                with suppress(Outdated), self.writing():
                    reported = {"ply": self.ply, "seat": seat, "text": self.trouble}
                    self.store.annotate(self.number, trouble=reported)
        self.changed()

    def _stop_engines(self) -> None:
        for job in self.jobs.values():
            job.stop()
        self.jobs, self.places = {}, {}

    def answer(self, seat: int, panel: str, given: Mapping[str, str], seconds: float) -> Finding:
        """The answer to one of the game's own questions, from what the seat sees: only where hints are given."""
        with self.lock:
            self._must_decide(seat)
            if self.people != [seat]:
                raise Forbidden("such questions are answered only against engines")
            view = self.position.view(seat)
        found: Finding = judged(
            view, lambda: answered(view, panel, given, seconds), "this question cannot be answered here"
        )
        return found

    def view(self, seat: int | None) -> Position:
        """The position as a seat sees it."""
        with self.lock:
            return self.position.view(seat)

    def hint(self, seat: int, client: str, tell: Callable[[str, Any], None]) -> Job:
        """What an engine would do in the seat's place: only where the others are engines too."""
        with self.lock:
            self._must_decide(seat)
            if self.people != [seat]:
                raise Forbidden("hints are given only against engines")
            name = default_engine(self.game, engines(self.game))
            question = Question(self.position.view(seat), seat, name, seconds=1.0, lines=3, table=self.key)
            job = Job(question, tell, client=client)
        self.pool.submit(job)
        return job

    def finish(self, seat: int, prefix: Sequence[str], client: str, tell: Callable[[str, Any], None]) -> Job:
        """What an engine would add to a plan begun, where hints are given: the rest of the turn from where it is."""
        with self.lock:
            self._must_decide(seat)
            if self.people != [seat]:
                raise Forbidden("an engine completes plans only against engines")
            view, game = self.position.view(seat), self.game
            plan = GrowingPlan(view, seat, tuple(prefix))
            judged(view, lambda: plan.following, UNREADABLE)
            midway = Steps.of(game).midway(view, plan.parts) if plan.parts else None
            name = default_engine(game, engines(game))

        def reported(kind: str, data: Any) -> None:
            if kind == "done":
                grown = judged(view, lambda: plan.completed(data["best"].split(";")), UNREADABLE)
                tell("done", {"parts": list(grown.parts)})
            elif kind != "report":
                tell(kind, data)

        # a player of its own: what it would go on from is another turn
        job = Job(Question(view if midway is None else midway, seat, name, seconds=1.0), reported, client=client)
        self.pool.submit(job)
        return job

    # -- listeners

    def listen(self, ring: Callable[[], None], seat: int | None = None) -> None:
        with self.lock:
            super().listen(ring, seat)
            self._prepare()
            self.advance()

    def leave(self, ring: Callable[[], None]) -> None:
        super().leave(ring)
        self.touched = time.monotonic()

    def _tick(self) -> None:
        """The clocks of those who are to decide run, once everybody is there."""
        if self.clocks is None:
            return
        deciding = [] if self.invitations else [seat for seat in self.asked if seat not in self.pending]
        before = list(self.clocks.left)
        self.clocks.follow(deciding, self.ply)
        if self.clocks.left != before and not self.clocks.terms.each_move:
            with suppress(Outdated), self.writing():
                self.store.annotate(self.number, left=[round(x, 2) for x in self.clocks.left])

    def changed(self, but: Callable[[], None] | None = None) -> None:
        self._tick()
        self.settled.notify_all()
        super().changed(but)


def plain_options(game: Game) -> dict[str, Any]:
    """The options as JSON has them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in game.chosen.items()}
