"""What a table needs is compiled from the moment it is opened, and the table says so."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

import stratagem
from stratagem.registry import default_engine, players
from stratagem.store.sqlite import Store
from stratagem.web import preparing
from stratagem.web.app import create_app
from stratagem.web.catalogue import Catalogue
from stratagem.web.engines import Engines
from stratagem.web.tables import Tables
from stratagem.web.thinking import Kept, Question, answered

NOTICE = "compiling nim mcts ... (about 3 s, once)"


class Slow:
    """Compiles until it is let go."""

    let_go = threading.Event()
    begun: list[str] = []  # noqa: RUF012

    def __init__(self, position: Any, engines: Any) -> None:
        self.waiting, self.notice = list(engines), ""
        Slow.begun.append(position.game.name)

    def heard(self, seconds: float) -> bool:
        self.notice = NOTICE
        if Slow.let_go.wait(0.01):
            self.waiting, self.notice = [], ""
        return True

    def stop(self) -> None:
        self.waiting = []


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Engines]:
    monkeypatch.setattr(preparing, "Ahead", Slow)
    Slow.let_go.clear()
    Slow.begun.clear()
    opened = Engines(1, prepare=True)
    yield opened
    Slow.let_go.set()
    opened.close()


def test_a_table_compiles_when_it_is_opened_and_says_what(tmp_path: Any, pool: Engines) -> None:
    with Store(tmp_path / "games.sqlite") as store:
        tables = Tables(store, pool, Catalogue(()))
        table, _, _ = tables.create("nim", {}, ["person", "random"])
        assert Slow.begun == [], "nobody looks at it yet"
        rang: queue.SimpleQueue[Any] = queue.SimpleQueue()
        table.listen(lambda: rang.put(table.shown(0)["compiling"]), 0)
        assert _until(rang, NOTICE) and Slow.begun == ["nim"]
        table.move(0, "1:1", 0)
        assert table.shown(0)["places"] == {"1": NOTICE}, "the engine is asked when all is ready"
        Slow.let_go.set()
        assert _until(rang, None)
        for _ in range(200):
            if table.shown(0)["ply"] == 2:
                break
            rang.get(timeout=30)
        assert table.shown(0)["ply"] == 2 and table.shown(0)["compiling"] is None


def test_a_page_compiles_for_its_engine_from_the_moment_it_is_opened(tmp_path: Any, monkeypatch: Any) -> None:
    asked: list[tuple[str, list[str]]] = []

    def note(self: Any, game: Any, engines: Any) -> None:
        asked.append((repr(game), list(engines)))

    monkeypatch.setattr(preparing.Preparing, "ask_for_page", note)
    app = create_app(Store(tmp_path / "games.sqlite"), workers=1, prepare=True)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        assert client.get("/analyse/hex?size=5&m=c3").status_code == 200
        assert client.get("/analyse/hex?size=999").status_code == 200, "the page itself says what is wrong"
        assert client.get("/games/nim").status_code == 200
    hex_, nim = stratagem.game("hex", size=5), stratagem.game("nim")
    assert asked == [(repr(hex_), [default_engine(hex_, players(hex_))]), (repr(nim), ["medium"])]


def test_pages_give_way_to_tables_and_few_of_them_wait(pool: Engines) -> None:
    games = [stratagem.game("nim", heaps=(k, 1)) for k in range(1, 30)]
    assert pool.preparing is not None
    for game in games:
        pool.preparing.ask_for_page(game, ["random"])
    assert len(pool.preparing._waiting) <= preparing.MOST_PAGES
    told: queue.SimpleQueue[Any] = queue.SimpleQueue()
    pool.preparing.ask(stratagem.game("pig"), ["random"], told.put)
    assert _until(told, NOTICE), "although what came first is not done"
    assert Slow.begun in (["nim", "pig"], ["pig"])


def _until(rang: queue.SimpleQueue[Any], wanted: Any) -> bool:
    for _ in range(200):
        if rang.get(timeout=20) == wanted:
            return True
    return False


def test_an_engine_that_compiles_says_what_and_about_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Any] = []

    class Pipe:
        def send(self, message: Any) -> None:
            said.append(message)

    class Compiler(stratagem.Player):
        name = "compiler"

        def choose(self, view: Any, clock: Any, **_: Any) -> stratagem.Choice:
            from stratagem.compile.notices import say

            say(NOTICE)
            say("compiled nim mcts in 2.0 s")
            return stratagem.Choice("1:1")

    monkeypatch.setattr("stratagem.web.thinking.player", lambda *_, **__: Compiler())
    view = stratagem.game("nim").start()
    pipe: Any = Pipe()
    assert answered(Question(view, 0, "compiler"), Kept(1, (1 << 40, 1 << 40)), pipe)[0] == "done"
    assert said == [("compiling", NOTICE), ("compiling", "")]
