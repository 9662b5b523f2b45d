"""Engines in visitors' browsers: what the server tells them, and what it does where it has no module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import stratagem
from stratagem.compile.cache import write_code
from stratagem.search import browser
from stratagem.store.sqlite import Store
from stratagem.web import here
from stratagem.web.app import create_app


class Kept:
    """In the place of the processes that build: keeps what is ordered."""

    def __init__(self) -> None:
        self.orders: dict[str, Any] = {}

    def order(self, jobs: dict[str, Any], *, key: str, urgent: bool, tell: Any) -> None:
        self.orders[key] = tell

    def close(self) -> None:
        pass


class Done:
    """An order that is done."""

    def __init__(self, **failed: str) -> None:
        self.waiting: list[str] = []
        self.failed = failed


@pytest.fixture
def builder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Kept:
    found = Kept()
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(here, "Compilers", lambda: found)
    monkeypatch.setattr(here, "cannot_build", lambda: None)
    return found


@pytest.fixture
def client(builder: Kept, tmp_path: Path) -> Iterator[TestClient]:
    with Store(tmp_path / "games.sqlite") as store, TestClient(create_app(store), base_url="http://127.0.0.1") as found:
        yield found


def module_of(name: str, **options: object) -> str:
    start = stratagem.game(name, **options).start()
    return browser.begun(start.game, start).module


def test_a_position_is_reported_as_arrays_moves_and_the_name_of_a_module(client: TestClient, tmp_path: Path) -> None:
    name = module_of("tictactoe")
    (tmp_path / "cache").mkdir(mode=0o700, exist_ok=True)
    write_code(tmp_path / "cache" / f"{name}.wasm", b"\0asm the module")
    reported = client.post("/api/here", json={"game": "tictactoe", "moves": ["b2", "a1"]}).json()
    assert reported["module"] == name and reported["seat"] == 0 and reported["low"] == -1.0
    assert [move["move"] for move in reported["moves"]] == ["b1", "c1", "a2", "c2", "a3", "b3", "c3"]
    assert (
        reported["moves"][0]["number"] == 1
        and reported["moves"][0]["words"] == "marks b1"
        and reported["moves"][0]["marks"]
    )
    sent = client.get(f"/modules/{name}.wasm")
    assert sent.content == b"\0asm the module" and sent.headers["content-type"] == "application/wasm"
    assert "immutable" in sent.headers["cache-control"]


def test_modules_alone_are_served(client: TestClient) -> None:
    for name in ("simulate_" + "0" * 20 + "." + "0" * 12, "x", "..%2Fgames", "x" * 200):
        assert client.get(f"/modules/{name}.wasm").status_code in (404, 422)


def test_lines_are_put_into_words_and_wrong_ones_refused(client: TestClient) -> None:
    line = {"game": "breakthrough"}
    assert client.post("/api/here/lines", json={**line, "lines": [[27], []]}).json() == {"lines": [["b2-a3"], []]}
    refused = client.post("/api/here/lines", json={**line, "lines": [[27, 27]]})
    assert refused.status_code == 422 and "is no move" in refused.json()["error"]
    for wrong in ([[2**40]], [[0] * 17], [[]] * 51):
        assert client.post("/api/here/lines", json={**line, "lines": wrong}).status_code == 422


def test_a_game_with_secrets_is_refused_with_the_reason(client: TestClient) -> None:
    for path in ("/api/here", "/api/here/lines"):
        for game, why in (("skirmish", "hidden"), ("minions", "kernels"), ("goofspiel", "bid")):
            refused = client.post(path, json={"game": game} | ({} if path == "/api/here" else {"lines": [[0]]}))
            assert refused.status_code == 422 and why in refused.json()["error"], (path, game)
    assert client.post("/api/here", json={"game": "tictactoe", "position": "XXX_OO___"}).status_code == 422


def test_a_module_is_built_once_and_its_failure_is_reported(
    client: TestClient, builder: Kept, caplog: pytest.LogCaptureFixture
) -> None:
    ask = {"game": "hex", "options": {"size": 5}}
    for _ in range(3):
        assert client.post("/api/here", json=ask).json() == {"module": None, "why": here.BEING_MADE}
    (name,) = builder.orders
    assert name == module_of("hex", size=5)
    builder.orders.pop(name)(Done(**{name: "/secret/folder is full"}))
    assert client.post("/api/here", json=ask).json() == {"module": None, "why": here.NO_MODULE}
    assert "/secret/folder is full" in caplog.text, "the log has the reason"
    assert builder.orders == {}, "it is not tried again"


def test_few_modules_wait_at_once(client: TestClient, builder: Kept) -> None:
    answers = [client.post("/api/here", json={"game": "hex", "options": {"size": n}}).json() for n in range(2, 12)]
    assert len(builder.orders) == here.MOST_ORDERS
    assert [a["why"] == here.BEING_MADE for a in answers] == [True] * here.MOST_ORDERS + [False] * 2


def test_a_server_without_a_linker_says_so(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(here, "cannot_build", lambda: "no linker")
    assert client.post("/api/here", json={"game": "nim"}).json() == {"module": None, "why": here.NO_MODULE}


def test_the_engine_here_comes_first_where_there_is_one(client: TestClient) -> None:
    assert 'value="here" checked' in client.get("/analyse/connect4").text
    assert 'value="here"' not in client.get("/analyse/goofspiel").text
