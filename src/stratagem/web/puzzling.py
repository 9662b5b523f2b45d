"""Requests about puzzles: the list, one puzzle as its seat sees it, and whether an answer is right.

What a page is sent of a puzzle is its position and what is asked; the solution, and what helps towards it, are sent to
whoever asks for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Path, Query, Request, Response
from fastapi.responses import HTMLResponse, StreamingResponse
from starlette.concurrency import run_in_threadpool

from stratagem.contract.companions.drawing import Drawing
from stratagem.contract.companions.wording import Wording
from stratagem.contract.growing import GrowingPlan
from stratagem.drawing import night
from stratagem.errors import StratagemError
from stratagem.puzzles import Puzzle, PuzzleVerdict, shipped, today
from stratagem.web import pages
from stratagem.web.app import Body, Key, Text
from stratagem.web.catalogue import Catalogue
from stratagem.web.deltas import pieces, telling
from stratagem.web.engines import Engines, Job
from stratagem.web.guard import client_of
from stratagem.web.refusals import NotFound
from stratagem.web.reviews import Reviews
from stratagem.web.showing import UNREADABLE, judged, shown_marks, shown_parts, turn_word
from stratagem.web.streams import job_stream
from stratagem.web.tables import Tables
from stratagem.web.thinking import Question

SECONDS = 3.0  # that an engine has to compare an answer with the best plan

Number = Annotated[int, Path(ge=1, le=1_000_000, description="of the puzzle, from 1")]
Ply = Annotated[int, Path(ge=0, le=1_000_000, description="where the decision stands in the game, from 0")]
Seat = Annotated[int, Path(ge=0, le=100, description="whose decision it was")]


class PuzzleAnswer(Body):
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

    _add_answers(app, pool, "/api/puzzles/{number}", find)


def add_mistakes(app: FastAPI, tables: Tables, reviews: Reviews, pool: Engines) -> None:
    """The mistakes of games that are over and were reviewed, as puzzles like the others."""

    @app.get("/api/tables/{key}/mistakes")
    def mistakes(key: Key) -> dict[str, Any]:
        """The mistakes that the review of a game has found, the worst first: puzzles of the same kind as the others, whose
        addresses have their ply and seat."""
        table = tables.get(key)
        return {
            "mistakes": [
                {
                    "table": table.key,
                    "ply": ply,
                    "seat": one.seat,
                    "id": one.id,
                    "title": one.title,
                    "question": one.question,
                }
                for ply, one in reviews.mistakes(table)
            ]
        }

    def mistake(key: Key, ply: Ply, seat: Seat) -> Puzzle:
        return reviews.mistake(tables.get(key), ply, seat)

    @app.get("/mistakes/{key}/{ply}/{seat}", include_in_schema=False)
    def mistake_page(key: Key, ply: Ply, seat: Seat) -> HTMLResponse:
        found = mistake(key, ply, seat)
        return HTMLResponse(pages.mistake(found.title, found.question, key, ply, seat))

    _add_answers(app, pool, "/api/tables/{key}/mistakes/{ply}/{seat}", mistake)


def _add_answers(app: FastAPI, pool: Engines, path: str, find: Callable[..., Puzzle]) -> None:
    """What is asked about one puzzle, found by the parameters of the path."""
    asked = Depends(find)

    @app.get(path)
    def puzzle(found: Puzzle = asked) -> dict[str, Any]:
        """A puzzle as its seat sees it: the position, what is asked, and what may come first in a plan."""
        return shown_puzzle(found)

    @app.post(f"{path}/check", response_class=StreamingResponse)
    async def check(answer: PuzzleAnswer, request: Request, found: Puzzle = asked) -> StreamingResponse:
        """Whether an answer is the best plan, or as good, as server-sent events: `done` with the verdict, and before it
        what an analysis says where an engine has to be asked."""
        move = await run_in_threadpool(lambda: judged(found.position(), partial(found.read, answer.move), UNREADABLE))
        known = await run_in_threadpool(found.known, move)

        def start(tell: Callable[[str, Any], None]) -> Job:
            def shown(kind: str, data: Any) -> None:
                tell(kind, shown_verdict(found, found.judged(move, data)) if kind == "done" else data)

            plans = (move, found.best[0])
            question = Question(
                found.position(), found.seat, found.judge, SECONDS, lines=1, table="puzzles", compare=plans
            )
            job = Job(question, shown, client=client_of(request.scope))
            if known is None:
                pool.submit(job)
            else:
                tell("done", shown_verdict(found, known))
            return job

        return await job_stream(start)

    @app.get(f"{path}/hint")
    def hint(after: Annotated[int, Query(ge=0, le=100)] = 0, found: Puzzle = asked) -> dict[str, Any]:
        """What helps, after so many hints that were given before; null when there are no more."""
        hints = found.hints()
        return {"hint": hints[after] if after < len(hints) else None, "left": max(len(hints) - after - 1, 0)}

    @app.get(f"{path}/solution")
    def solution(found: Puzzle = asked) -> dict[str, Any]:
        """The best plan and the next best, in words and on the board."""
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
    def picture(number: int, dark: Annotated[bool, Query(alias="night")] = False) -> Response:
        return Response(
            _picture(number, dark), media_type="image/svg+xml", headers={"cache-control": "public, max-age=3600"}
        )


def find(number: Number) -> Puzzle:
    known = shipped()
    if not 1 <= number <= len(known):
        raise NotFound(f"there is no puzzle {number}; they are numbered from 1 to {len(known)}")
    return known[number - 1]


@lru_cache(64)
def _picture(number: int, dark: bool) -> str:
    drawn = find(number).position().svg()
    return night(drawn) if dark else drawn


def _listed(puzzle: Puzzle) -> dict[str, Any]:
    reported = {"number": puzzle.number, "id": puzzle.id, "title": puzzle.title, "question": puzzle.question}
    return {**reported, "plan": puzzle.rules().plan.name}


def todays() -> dict[str, Any] | None:
    """Today's puzzle, for the front page."""
    return _listed(today()) if shipped() else None


def shown_puzzle(puzzle: Puzzle) -> dict[str, Any]:
    """All that a page is sent of a puzzle before it asks for more."""
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
        "goal": puzzle.goal,
        "played": None if not puzzle.played else {"words": _said(puzzle, puzzle.decoy), "move": puzzle.decoy},
        "svg": view.svg(),
        "marks": shown_marks(game, partial(Drawing.of(game).marks, view)),
        "asked": Wording.of(game).question(view, puzzle.seat),
        "parts": shown_parts(GrowingPlan(view, puzzle.seat)),
    }


def shown_verdict(puzzle: Puzzle, verdict: PuzzleVerdict) -> dict[str, Any]:
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
        "named": Drawing.of(view.game).named(move),
        "marks": shown_marks(view.game, lambda: Drawing.of(view.game).trace(view, move, puzzle.seat)),
        "sketch": None if drawing is None else telling(pieces(view.svg()), pieces(drawing)),
    }
