"""What a table needs is compiled from the moment it is opened, and the table says so."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

import stratagem
from stratagem.compile import Compilers, Order
from stratagem.registry import default_engine, players
from stratagem.store.sqlite import Store
from stratagem.web.app import create_app
from stratagem.web.catalogue import Catalogue
from stratagem.web.engines import MOST_PAGES, Engines
from stratagem.web.tables import Tables
from stratagem.web.thinking import Kept, Question, answered

NOTICE = "compiling nim mcts ... (about 3 s, once)"


class Slow(Compilers):
    """Compiles until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go, self.begun = threading.Event(), list[str]()

    def _work_for(self, order: Order) -> None:
        name = order._free.pop(0)
        self.begun.append(name)
        order._say(NOTICE)
        self.let_go.wait(60)
        order._done(name)
        self._finish(order)


@pytest.fixture
def pool(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path / "cache"))  # where no mark says that all is done
    opened: Any = Engines(1, prepare=True)
    opened.preparing = Slow()
    yield opened
    opened.preparing.let_go.set()
    opened.close()


def test_a_table_compiles_when_it_is_opened_and_says_what(tmp_path: Any, pool: Any) -> None:
    with Store(tmp_path / "games.sqlite") as store:
        tables = Tables(store, pool, Catalogue(()))
        table, _, _ = tables.create("nim", {}, ["person", "random"])
        assert pool.preparing.begun == [], "nobody looks at it yet"
        rang: queue.SimpleQueue[Any] = queue.SimpleQueue()
        table.listen(lambda: rang.put(table.shown(0)["compiling"]), 0)
        assert _until(rang, NOTICE) and pool.preparing.begun == ["random"]
        table.move(0, "1:1", 0)
        assert table.shown(0)["places"] == {"1": NOTICE}, "the engine is asked when all is ready"
        pool.preparing.let_go.set()
        assert _until(rang, None)
        for _ in range(200):
            if table.shown(0)["ply"] == 2:
                break
            rang.get(timeout=120)
        assert table.shown(0)["ply"] == 2 and table.shown(0)["compiling"] is None


def test_a_page_compiles_for_its_engine_from_the_moment_it_is_opened(tmp_path: Any, monkeypatch: Any) -> None:
    asked: list[tuple[str, list[str]]] = []

    def note(self: Any, game: Any, engines: Any) -> None:
        asked.append((repr(game), list(engines)))

    monkeypatch.setattr(Engines, "prepare", note)
    app = create_app(Store(tmp_path / "games.sqlite"), workers=1, prepare=True)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        assert client.get("/analyse/hex?size=5&m=c3").status_code == 200
        assert client.get("/analyse/hex?size=999").status_code == 200, "the page itself says what is wrong"
        assert client.get("/games/nim").status_code == 200
    hex_, nim = stratagem.game("hex", size=5), stratagem.game("nim")
    assert asked == [(repr(hex_), [default_engine(hex_, players(hex_))]), (repr(nim), ["medium"])]


def test_few_pages_wait_and_a_table_joins_what_is_under_way(pool: Any) -> None:
    games = [stratagem.game("nim", heaps=(k, 1)) for k in range(1, 30)]
    for game in games:
        pool.prepare(game, ["random"])
    assert pool.preparing.orders == MOST_PAGES
    reported: queue.SimpleQueue[Any] = queue.SimpleQueue()
    assert pool.prepare(games[0], ["random"], reported.put), "although it was asked for a page"
    assert pool.preparing.orders == MOST_PAGES
    pool.preparing.let_go.set()
    assert _until(reported, None)


def _until(rang: queue.SimpleQueue[Any], wanted: Any) -> bool:
    for _ in range(200):
        if rang.get(timeout=120) == wanted:
            return True
    return False


def test_an_engine_that_compiles_says_what_and_about_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Any] = []

    class Compiler(stratagem.Player):
        name = "compiler"

        def answer(self, request: stratagem.Request) -> stratagem.Choice:
            from stratagem.compile.notices import say

            say(NOTICE)
            say("compiled nim mcts in 2.0 s")
            return stratagem.Choice("1:1")

    monkeypatch.setattr("stratagem.web.thinking.player", lambda *_, **__: Compiler())
    view = stratagem.game("nim").start()
    question, kept = Question(view, 0, "compiler"), Kept(1, (1 << 40, 1 << 40))
    assert answered(question, kept, lambda *reported: said.append(reported))[0] == "done"
    assert said == [("compiling", NOTICE), ("compiling", "")]
