"""Reviews of games that are over: worked out by the server's engines, followed from any page, kept with the game.

A review is a row of questions to engines, each about the view of the seat that decided, and waits in the same queue as all
others. It goes on while nobody looks, can be stopped and gone on with, and what came of it is written to the store.
Only games that are over are reviewed: their records are open to whoever has the table's link, and so is every seat's view."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from stratagem.contract.companions.drawing import Drawing
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import CHANCE, TOGETHER, Position
from stratagem.contract.player import Choice
from stratagem.contract.words import in_words
from stratagem.errors import IllegalMove, StratagemError
from stratagem.puzzles import Puzzle, of_mistake
from stratagem.puzzles.mistakes import MOST as MOST_MISTAKES
from stratagem.registry import default_engine
from stratagem.review import JudgedDecision, Review, judging
from stratagem.review.judging import MOST_LINES
from stratagem.web.deltas import pieces, telling
from stratagem.web.engines import REVIEW, Engines, Job, engines
from stratagem.web.refusals import Busy, NotFound, public
from stratagem.web.showing import drawings, shown_marks, turn_word
from stratagem.web.table import Table
from stratagem.web.thinking import Question

log = logging.getLogger("stratagem.web")

SECONDS = 0.3  # that an engine thinks about a decision
MOST = 8  # reviews under way at once
REMEMBERED = 200  # reviews that are over or were stopped, beside those in the store
WORST = 5  # decisions that a page names first

NONE, RUNNING, STOPPED, FAILED, DONE = "none", "running", "stopped", "failed", "done"


class _Stopped(Exception):
    """Somebody has stopped the review."""


class Work:
    """One review as far as it has come."""

    def __init__(self, table: Table, client: str) -> None:
        self.table, self.client = table, client
        with table.lock:
            self.positions = list(table.positions)
        self.game = table.game
        self.engine = default_engine(self.game, engines(self.game))
        self.state, self.note = RUNNING, ""
        self.ply = 0  # plies that are judged
        self.decisions: list[dict[str, Any]] = []
        self.job: Job | None = None
        self.stopped = threading.Event()

    @property
    def of(self) -> str:
        return fingerprint(self.positions[-1])

    def add(self, ply: int, judged: Sequence[JudgedDecision]) -> None:
        self.decisions += [reported(self.positions[ply], one) for one in judged]
        self.ply = ply + 1

    def stop(self) -> None:
        self.stopped.set()
        if (job := self.job) is not None:
            job.stop()

    def json(self) -> dict[str, Any]:
        return {
            "state": self.state,
            "note": self.note,
            "of": self.of,
            "engine": self.engine,
            "done": self.ply,
            "total": len(self.positions) - 1,
            "decisions": self.decisions,
        }


def fingerprint(last: Position) -> str:
    """What tells a game from one that went on otherwise after a move was taken back."""
    return hashlib.sha256("\n".join(last.history).encode()).hexdigest()[:16]


def reported(before: Position, judged: JudgedDecision) -> dict[str, Any]:
    """A decision as JSON, in words too, as the seat that made it would see it."""
    view, seat = before.view(judged.seat), judged.seat
    said = {name: _words(view, text, seat) for name, text in (("words", judged.move), ("best_words", judged.best))}
    return {**judged.json(), **said}


def _words(view: Position, text: str, seat: int) -> str:
    try:
        return Wording.of(view.game).describe(view, text, seat, seat)
    except Exception:  # a game that fails over its words is shown by its texts
        return text


class _Pool:
    """Asks the pool's engines and waits for each answer."""

    def __init__(self, work: Work, pool: Engines) -> None:
        self.work, self.pool = work, pool
        self.player = f"review {work.table.key}"  # which stays from one decision to the next

    def choose(self, position: Position, seat: int) -> Choice:
        return Choice.of_json(self._ask(position, seat, lines=MOST_LINES))

    def compare(self, position: Position, seat: int, moves: Sequence[str]) -> dict[str, float]:
        found: dict[str, float] = self._ask(position, seat, compare=tuple(moves))
        return found

    def _ask(self, position: Position, seat: int, **more: Any) -> Any:
        answered = threading.Event()
        answer: list[tuple[str, Any]] = []
        work = self.work

        def tell(kind: str, data: Any) -> None:
            if kind in ("done", "failed"):
                answer.append((kind, data))
                answered.set()
            elif kind != "report":
                work.note = {"queued": f"number {data} in the queue", "compiling": str(data)}.get(kind, "")

        question = Question(
            position.view(seat), seat, work.engine, seconds=SECONDS, table=self.player, **{"lines": 0, **more}
        )
        work.job = job = Job(question, tell, client=work.client, rank=REVIEW)
        if work.stopped.is_set():
            raise _Stopped
        self.pool.submit(job)
        while not answered.wait(1.0):
            if self.pool.closed:
                raise _Stopped
        kind, data = answer[0]
        if work.stopped.is_set():
            raise _Stopped
        if kind == "failed":
            raise StratagemError(str(data))
        return data


class Reviews:
    """The reviews of a server."""

    def __init__(self, pool: Engines) -> None:
        self.pool = pool
        self._works: OrderedDict[str, Work] = OrderedDict()
        self._lock = threading.Lock()

    def start(self, table: Table, client: str) -> dict[str, Any]:
        """Begin a review, or go on with one that was stopped; one that runs or is there already is left as it is."""
        must_be_over(table)
        with self._lock:
            work = self._work(table)
            if (work is not None and work.state in (RUNNING, DONE)) or self._kept(table):
                return self.shown(table)
            running = [other for other in self._works.values() if other.state == RUNNING]
            if len(running) >= MOST or any(other.client == client for other in running):
                raise Busy("a review is under way; another one can begin when it is done or was stopped")
            if work is None:
                work = self._works[table.key] = Work(table, client)
            work.state, work.note, work.client = RUNNING, "", client
            work.stopped.clear()
            for key in [key for key, other in self._works.items() if other.state != RUNNING][:-REMEMBERED]:
                del self._works[key]
        threading.Thread(target=self._run, args=(work,), daemon=True, name=f"review {table.number}").start()
        return self.shown(table)

    def stop(self, table: Table) -> dict[str, Any]:
        must_be_over(table)
        if (work := self._work(table)) is not None and work.state == RUNNING:
            work.stop()
        return self.shown(table)

    def shown(self, table: Table, since: int = 0) -> dict[str, Any]:
        """How far a review is: the accuracy of each seat, the worst decisions, and all decisions from one on."""
        must_be_over(table)
        game, work = table.game, self._work(table)
        found = self._kept(table) or (work.json() if work else None)
        if found is None:
            nothing = {"note": "", "engine": "", "done": 0, "total": table.ply, "decisions": []}
            found = {"state": NONE, **nothing}
        decisions = found["decisions"]
        review = Review(game, found["engine"], tuple(_judged(one) for one in decisions))
        worst = [(one.ply, one.seat) for one in review.worst(WORST)]
        return {
            **{name: found[name] for name in ("state", "note", "engine", "done", "total")},
            "range": list(game.payoff_range),
            "shared": game.players == 2 and game.zero_sum and not game.hidden,  # one line stands for both seats
            "accuracy": [review.accuracy(seat) for seat in range(game.players)],
            "worst": [decisions.index(one) for at in worst for one in decisions if (one["ply"], one["seat"]) == at],
            "count": len(decisions),
            "decisions": decisions[since:],
        }

    def moment(self, table: Table, ply: int, seat: int | None) -> dict[str, Any]:
        """A position of the game as a seat saw it (None: with everything), what was decided there, and what was better."""
        must_be_over(table)
        with table.lock:
            if not 0 <= ply <= table.ply:
                raise NotFound(f"there is no ply {ply}; the game has {table.ply}")
            if seat is not None and not 0 <= seat < table.game.players:
                raise NotFound(f"there is no seat {seat}; the game has {table.game.players}")
            before = table.positions[ply]
            text = table.positions[ply + 1].history[-1] if ply < table.ply else None
        work = self._work(table)
        found = self._kept(table) or (work.json() if work else {"decisions": []})
        view = before if seat is None else before.view(seat)
        svg = drawings.of(before, seat)["svg"] if seat is not None else before.svg()
        decided = [one for one in found["decisions"] if one["ply"] == ply and seat in (None, one["seat"])]
        return {
            "ply": ply,
            "seat": seat,
            "turn": turn_word(before),
            "svg": svg,
            "text": str(view),
            "marks": shown_marks(table.game, partial(Drawing.of(table.game).marks, view)),
            "asked": list(before.asked),
            "words": None if text is None else _described_as(before, text, seat),
            "decisions": [{**one, **_drawn(before.view(one["seat"]), svg, one)} for one in decided],
        }

    def mistakes(self, table: Table) -> list[tuple[int, Puzzle]]:
        """The mistakes that were found as puzzles, the worst first, each with its ply."""
        must_be_over(table)
        found, positions = self._found(table)
        judged = sorted((_judged(one) for one in found["decisions"]), key=lambda one: -one.loss)
        made = ((one.ply, of_mistake(positions[one.ply], one, found["engine"])) for one in judged)
        return [(ply, puzzle) for ply, puzzle in made if puzzle is not None][:MOST_MISTAKES]

    def mistake(self, table: Table, ply: int, seat: int) -> Puzzle:
        must_be_over(table)
        found, positions = self._found(table)
        for one in found["decisions"]:
            if (one["ply"], one["seat"]) == (ply, seat):
                puzzle = of_mistake(positions[ply], _judged(one), found["engine"])
                if puzzle is not None:
                    return puzzle
        raise NotFound("no review has found a mistake there; review the game, and its mistakes are puzzles")

    # -- behind it

    def _found(self, table: Table) -> tuple[dict[str, Any], list[Position]]:
        """What is known of a table's review, and the positions of its game."""
        work = self._work(table)
        found = self._kept(table) or (work.json() if work else {"engine": "", "decisions": []})
        with table.lock:
            return found, list(table.positions)

    def _work(self, table: Table) -> Work | None:
        """What is remembered of a table's review, unless its game has gone on otherwise."""
        work = self._works.get(table.key)
        return work if work is not None and work.of == fingerprint(table.position) else None

    def _kept(self, table: Table) -> dict[str, Any] | None:
        kept = table.review
        return kept if kept is not None and kept.get("of") == fingerprint(table.position) else None

    def _run(self, work: Work) -> None:
        try:
            for ply, judged in judging(work.positions, _Pool(work, self.pool), work.ply):
                work.add(ply, judged)
                if work.stopped.is_set():
                    raise _Stopped
            work.state, work.note = DONE, ""
            work.table.keep_review(work.json())
        except _Stopped:
            work.state, work.note = STOPPED, ""
        except StratagemError as error:
            log.warning("the review of table %s: %s", work.table.number, error)
            work.state, work.note = FAILED, public(error)
        except Exception:
            log.exception("the review of table %s failed", work.table.number)
            work.state, work.note = FAILED, "something went wrong here; the server's log has the details"
        finally:
            with suppress(StratagemError):
                self.pool.forget(f"review {work.table.key}")


def must_be_over(table: Table) -> None:
    if not table.over:
        raise IllegalMove("the game is not over yet; it can be reviewed when it is")


def _judged(one: dict[str, Any]) -> JudgedDecision:
    return JudgedDecision(one["ply"], one["seat"], one["move"], one["value"], one["best"], one["best_value"])


def _described_as(before: Position, text: str, seat: int | None) -> str | None:
    """What was decided in words, for a seat as it was shown then."""
    if before.turn == CHANCE and seat is not None:
        return None
    if before.turn == TOGETHER and seat is not None and before.game.hidden:
        return None  # the others' plans were secret; one's own stands among the decisions
    try:
        return in_words(before, text, None if seat is None else seat)
    except Exception:
        return None


def _drawn(view: Position, svg: str, one: dict[str, Any]) -> dict[str, Any]:
    """How the plan played and the better one look on the board, and what tells them apart."""
    seat, plans = one["seat"], (one["move"], one["best"])
    return {
        "differences": _quietly(lambda: _differences(view, plans, seat), [[], []]),
        "named": [Drawing.of(view.game).named(plan) for plan in plans],
        "marks": [shown_marks(view.game, partial(Drawing.of(view.game).trace, view, plan, seat)) for plan in plans],
        "sketches": [_quietly(partial(_sketch, view, svg, plan, seat), None) for plan in plans],
    }


def _differences(view: Position, plans: tuple[str, str], seat: int) -> list[list[str]]:
    """What only one of two plans does, in words: each part as it is meant after those before it."""
    reported, wording = [], Wording.of(view.game)
    for plan, only in zip(plans, wording.differences(view, plans), strict=True):
        parts = [part.strip() for part in plan.split(";")]
        known = [part for part in only if part in parts]
        said = [wording.phrases(view, [part], parts[: parts.index(part)], seat)[0] for part in known]
        reported.append(said if len(said) == len(only) else only)
    return reported


def _sketch(view: Position, svg: str, plan: str, seat: int) -> Any:
    drawing = Drawing.of(view.game).sketch(view, [part.strip() for part in plan.split(";")], seat)
    return None if drawing is None else telling(pieces(svg), pieces(drawing))


def _quietly(ask: Callable[[], Any], otherwise: Any) -> Any:
    """A game that fails over a drawing has none."""
    try:
        return ask()
    except Exception:
        log.exception("a plan of a review could not be drawn")
        return otherwise
