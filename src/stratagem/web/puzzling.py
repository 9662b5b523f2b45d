"""Requests about puzzles: the list, one puzzle as its seat sees it, and whether an answer is right.

What a page is sent of a puzzle is its position and what is asked; the solution, and what helps towards it, are sent to
whoever asks for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Annotated, Any

from fastapi import FastAPI, Path, Query, Request, Response
from fastapi.responses import HTMLResponse, StreamingResponse
from starlette.concurrency import run_in_threadpool

from stratagem.contract.growing import GrowingPlan
from stratagem.errors import StratagemError
from stratagem.puzzles import Puzzle, Verdict, shipped, today
from stratagem.web import pages
from stratagem.web.app import Body, Text, job_stream
from stratagem.web.catalogue import Catalogue
from stratagem.web.deltas import pieces, telling
from stratagem.web.engines import Engines, Job
from stratagem.web.guard import client_of
from stratagem.web.showing import UNREADABLE, judged, shown_marks, shown_parts, turn_word
from stratagem.web.table import NotFound
from stratagem.web.thinking import Question

SECONDS = 3.0  # that an engine has to compare an answer with the best plan

Number = Annotated[int, Path(ge=1, le=1_000_000, description="of the puzzle, from 1")]


class Answer(Body):
    move: Text


def add_puzzles(app: FastAPI, catalogue: Catalogue, pool: Engines) -> None:
    _add_pages(app)

    @app.get("/api/puzzles")
    def puzzles() -> dict[str, Any]:
        """The puzzles there are, and which is today's."""
        return {
            "today": today().number if shipped() else None,
            "puzzles": [
                {"number": one.number, "id": one.id, "game": one.game, "question": one.question} for one in shipped()
            ],
        }

    @app.get("/api/puzzles/{number}")
    def puzzle(number: Number) -> dict[str, Any]:
        """A puzzle as its seat sees it: the position, what is asked, and what may come first in a plan."""
        return shown_puzzle(find(number))

    @app.post("/api/puzzles/{number}/check", response_class=StreamingResponse)
    async def check(number: Number, answer: Answer, request: Request) -> StreamingResponse:
        """Whether an answer is the best plan, or as good, as server-sent events: `done` with the verdict, and before it
        what an analysis says where an engine has to be asked."""
        found = find(number)
        move = await run_in_threadpool(lambda: judged(found.position(), partial(found.read, answer.move), UNREADABLE))
        known = await run_in_threadpool(found.known, move)

        def start(tell: Callable[[str, Any], None]) -> Job:
            def shown(kind: str, data: Any) -> None:
                tell(kind, shown_verdict(found, found.judged(move, data)) if kind == "done" else data)

            question = Question(
                found.position(), found.seat, found.judge, SECONDS, table="puzzles", compare=(move, found.best[0])
            )
            job = Job(question, shown, client=client_of(request.scope))
            if known is None:
                pool.submit(job)
            else:
                tell("done", shown_verdict(found, known))
            return job

        return await job_stream(start)

    @app.get("/api/puzzles/{number}/hint")
    def hint(number: Number, after: Annotated[int, Query(ge=0, le=100)] = 0) -> dict[str, Any]:
        """What helps, after so many hints that were given before; null when there are no more."""
        hints = find(number).hints()
        return {"hint": hints[after] if after < len(hints) else None, "left": max(len(hints) - after - 1, 0)}

    @app.get("/api/puzzles/{number}/solution")
    def solution(number: Number) -> dict[str, Any]:
        """The best plan and the next best, in words and on the board."""
        found = find(number)
        return {
            "best": _drawn(found, found.best[0], found.value),
            "second": _drawn(found, found.second, found.second_value),
        }


def _add_pages(app: FastAPI) -> None:
    @app.get("/puzzles", include_in_schema=False)
    def puzzles_page() -> HTMLResponse:
        return HTMLResponse(pages.puzzles([_listed(one) for one in shipped()], _listed(today()) if shipped() else None))

    @app.get("/puzzles/{number}", include_in_schema=False)
    def puzzle_page(number: int) -> HTMLResponse:
        found = find(number)
        return HTMLResponse(pages.puzzle(found.title, found.question, number, len(shipped())))

    @app.get("/puzzles/{number}/picture.svg", include_in_schema=False)
    def picture(number: int) -> Response:
        return Response(_picture(number), media_type="image/svg+xml", headers={"cache-control": "public, max-age=3600"})


def find(number: int) -> Puzzle:
    known = shipped()
    if not 1 <= number <= len(known):
        raise NotFound(f"there is no puzzle {number}; they are numbered from 1 to {len(known)}")
    return known[number - 1]


@lru_cache(64)
def _picture(number: int) -> str:
    return find(number).position().svg()


def _listed(puzzle: Puzzle) -> dict[str, Any]:
    told = {"number": puzzle.number, "id": puzzle.id, "title": puzzle.title, "question": puzzle.question}
    return {**told, "plan": puzzle.rules().plan.name}


def todays() -> dict[str, Any] | None:
    """Today's puzzle, for the front page."""
    return _listed(today()) if shipped() else None


def shown_puzzle(puzzle: Puzzle) -> dict[str, Any]:
    """All that a page is told of a puzzle before it asks for more."""
    view, game = puzzle.position(), puzzle.rules()
    return {
        **_listed(puzzle),
        "game": puzzle.game,
        "options": puzzle.options,
        "position": puzzle.position_text,
        "seat": puzzle.seat,
        "turn": turn_word(view),
        "by_parts": game.plan.by_parts,
        "range": list(game.payoff_range),
        "margin": puzzle.margin,
        "proved": puzzle.proved,
        "svg": view.svg(),
        "marks": shown_marks(game, view.marks),
        "asked": view.question(puzzle.seat),
        "parts": shown_parts(GrowingPlan(view, puzzle.seat)),
    }


def shown_verdict(puzzle: Puzzle, verdict: Verdict) -> dict[str, Any]:
    return {
        **verdict.json(),
        "words": _said(puzzle, verdict.move),
        "drawn": _drawn(puzzle, verdict.move, verdict.value),
    }


def _said(puzzle: Puzzle, move: str) -> str:
    try:
        return puzzle.said(move)
    except StratagemError:
        return move


def _drawn(puzzle: Puzzle, move: str, value: float | None) -> dict[str, Any]:
    """A plan in words and on the board."""
    view = puzzle.position()
    drawing = GrowingPlan.of(view, puzzle.seat, move).drawing()
    return {
        "move": move,
        "words": _said(puzzle, move),
        "value": value,
        "marks": shown_marks(view.game, lambda: view.trace(move, puzzle.seat)),
        "sketch": None if drawing is None else telling(pieces(view.svg()), pieces(drawing)),
    }
