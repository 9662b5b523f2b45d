"""What strangers may not do: other seats' moves, other hosts, files, programs, floods; and headers that say so."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from web.serving import OTTERS, bearer, new_table

from stratagem.store.sqlite import Store
from stratagem.web.app import create_app
from stratagem.web.engines import engines
from stratagem.web.guard import Guard, Limits


def test_every_answer_has_a_policy_without_exceptions(client: TestClient) -> None:
    for path in ("/", "/games/nim", "/static/play.js", "/api/games", "/nowhere"):
        policy = client.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'self'" in policy
        assert "unsafe" not in policy.replace(" 'wasm-unsafe-eval'", "", 1), "modules are compiled, and no text is run"
        assert "http" not in policy and "*" not in policy and "data:" not in policy


def test_forged_swapped_and_missing_tokens_move_nothing(client: TestClient) -> None:
    mine = new_table(client, "tictactoe", ["person", "person"])
    other = new_table(client, "tictactoe", ["person", "person"])
    path, body = f"/api/tables/{mine['table']}/moves", {"move": "a1", "ply": 0}
    joined = client.post(f"/api/tables/{mine['table']}/join", json={"invitation": mine["invitations"]["1"]}).json()
    wrong = [
        {}, bearer("x"), bearer(secrets.token_urlsafe(24)), bearer(other["tokens"]["0"]), bearer(mine["invitations"]["1"]),
        bearer(mine["table"]), {"authorization": mine["tokens"]["0"]}, {"authorization": "Bearer "}, bearer("é" * 30),
    ]  # fmt: skip
    for headers in wrong:
        given = {name: value.encode() for name, value in headers.items()}
        assert client.post(path, json=body, headers=given).status_code == 403, headers
    assert client.post(path, json=body, headers=bearer(joined["token"])).status_code == 422  # not its turn
    assert client.get(f"/api/tables/{mine['table']}").json()["ply"] == 0
    assert client.post(path, json=body, headers=bearer(mine["tokens"]["0"])).status_code == 200


def test_tokens_are_kept_as_hashes_only(client: TestClient) -> None:
    made = new_table(client, "tictactoe", ["person", "person"])
    raw = b"".join(
        file.read_bytes() for file in Path(client.app.app.state.tables.store.path).parent.iterdir() if file.is_file()
    )
    assert made["table"].encode() in raw
    assert made["tokens"]["0"].encode() not in raw and made["invitations"]["1"].encode() not in raw


def test_a_spectator_can_do_nothing(client: TestClient) -> None:
    made = new_table(client, "tictactoe", ["person", "random"])
    for path, body in (("moves", {"move": "a1", "ply": 0}), ("parts", {"prefix": []}), ("back", {"ply": 0}), ("retry", {}),
                       ("hint", {})):  # fmt: skip
        answer = client.post(f"/api/tables/{made['table']}/{path}", json=body)
        assert answer.status_code == 403, path
    seen = client.get(f"/api/tables/{made['table']}").json()
    assert seen["seat"] is None and seen["parts"] is None and made["tokens"]["0"] not in str(seen)


def test_players_that_run_programs_never_start_from_the_web(client: TestClient) -> None:
    from stratagem.registry import game_class

    assert "umi" not in engines(game_class(OTTERS)())
    for who in ("umi", "umi:/bin/sh", "umi:cmd=/bin/sh", "random:seed=1", "tictactoe/random", "./engine"):
        answer = client.post("/api/tables", json={"game": "otters", "seats": ["person", who]})
        assert answer.status_code == 422 and "a seat is for" in answer.json()["error"]
        question = {"game": "otters", "moves": ["quokka/okapi"], "engine": who}
        assert client.post("/api/analyse", json=question).status_code == 422
    assert "umi" not in client.get("/api/games/otters").json()["engines"]


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("blotto", {"values": "1e999"}),
        ("blotto", {"values": "1e400000000,1"}),
        ("bidding", {"payment": "taxman:1e5000"}),
        ("bidding", {"payment": "taxman:1e400000000"}),
        ("bidding", {"payment": "taxman:1/0"}),
    ],
)
def test_hostile_numbers_are_refused_in_a_line(client: TestClient, game: str, options: dict[str, str]) -> None:
    seats = ["person"] * client.get(f"/api/games/{game}").json()["players"]
    asked = {"game": game, "options": options}
    for path, body in (("games", asked), ("position", asked), ("tables", {**asked, "seats": seats})):
        answer = client.post(f"/api/{path}", json=body)
        assert answer.status_code == 422 and next(iter(options)) in answer.json()["error"], answer.text
    assert client.get(f"/analyse/{game}", params=options).status_code < 500


def test_a_table_of_a_store_from_elsewhere_starts_no_program(tmp_path: Path) -> None:
    """The store that a server is given may name anything: a seat's program is not run when somebody opens the table."""
    with Store(tmp_path / "games.sqlite") as store:
        seats = ["person", f"program:command=touch {tmp_path / 'ran'}"]
        store.append(store.begin("nim", {}, seats, key="foreign", meta={"web": 1}), "1:1", ply=0, seat=0)
        with TestClient(create_app(store, workers=1), base_url="http://127.0.0.1") as client:
            shown = client.get("/api/tables/foreign").json()
            assert "unknown engine" in shown["trouble"], shown
    assert not (tmp_path / "ran").exists()


def test_no_option_and_no_name_reads_a_file(client: TestClient, tmp_path: Path) -> None:
    evil = tmp_path / "evil.py"
    evil.write_text(f"open({str(tmp_path / 'ran')!r}, 'w').write('x')")
    for name in (str(evil), f"{evil}:Game", "../otters.py", OTTERS):
        assert client.post("/api/position", json={"game": name}).status_code == 422
        assert client.get("/games/" + name.replace("/", "%2F")).status_code == 404
    for game in client.get("/api/games").json():
        for option in client.get(f"/api/games/{game['name']}").json()["options"]:
            body = {"game": game["name"], "options": {option["name"]: str(evil)}}
            assert client.post("/api/games", json=body).status_code == 422, option
    assert not (tmp_path / "ran").exists()
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py"):
        assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'{"game": 1}', b'{"game": "nim", "seats": "x"}', b"\xff\xfe", b'{"game":"nim","seats":[[]]}',
     b'{"game":"nim","seats":[],"more":1}', b'{"game":"nim","seats":["person","random"],"options":{"heaps":{}}}',
     b'{"game":"nim","seats":["person","random"],"options":{"heaps":"9,9,1e9"}}',
     b'{"game":"nim","seats":["person","random"],"options":{"take":1e400}}',
     b'{"game":"nim","seats":["person","random"],"options":{"take":NaN}}',
     b'{"game":"nim","seats":["person"]}', b"[" * 30_000],
)  # fmt: skip
def test_malformed_bodies_are_refused_in_one_line(client: TestClient, body: bytes) -> None:
    answer = client.post("/api/tables", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422), answer.text
    assert answer.json()["error"] and "\n" not in answer.json()["error"]


def test_oversized_bodies_are_refused_also_when_they_lie_about_their_size(client: TestClient) -> None:
    big = b'{"game": "' + b"x" * 100_000 + b'"}'
    assert client.post("/api/position", content=big).status_code == 413
    guard = client.app
    sent: list[dict] = []
    pieces = [big[i : i + 9000] for i in range(0, len(big), 9000)]

    async def receive() -> dict:
        return {"type": "http.request", "body": pieces.pop(0) if pieces else b"", "more_body": bool(pieces)}

    async def send(message: dict) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "POST", "path": "/api/position", "raw_path": b"/api/position", "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), (b"content-length", b"10"), (b"content-type", b"application/json")],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "scheme": "http", "http_version": "1.1",
    }  # fmt: skip
    # in a thread of its own: a browser of another test may have left a loop running in this one
    thread = threading.Thread(target=lambda: asyncio.run(guard(scope, receive, send)))
    thread.start()
    thread.join(30)
    assert sent[0]["status"] == 413


def test_other_hosts_and_other_sites_are_not_answered(client: TestClient) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", "", "[", "127.0.0.1@evil"):
        assert client.get("/", headers={"host": host}).status_code == 400, host
    for host in ("127.0.0.1:8700", "localhost", "192.168.0.7", "[::1]:80"):
        assert client.get("/", headers={"host": host}).status_code == 200, host
    body = {"game": "nim"}
    assert client.post("/api/position", json=body, headers={"origin": "http://evil.example"}).status_code == 403
    for broken in ("http://[", "http://[::1", "null", "//", "é"):
        assert client.post("/api/position", json=body, headers={"origin": broken.encode()}).status_code == 403, broken
    assert client.post("/api/position", json=body, headers={"origin": "http://127.0.0.1"}).status_code == 200


def test_floods_are_slowed_and_open_games_counted(tmp_path: Path) -> None:
    with Store(tmp_path / "games.sqlite") as store:
        app = create_app(store, limits=Limits(rate=0.01, burst=8, tables=4))
        with TestClient(app, base_url="http://127.0.0.1") as client:
            body = {"game": "nim", "seats": ["person", "person"]}
            answers = [client.post("/api/tables", json=body).status_code for _ in range(4)]
            assert answers == [201, 201, 503, 503]
            statuses = [client.get("/api/games").status_code for _ in range(6)]
            assert statuses == [200] * 4 + [429] * 2
            assert int(client.get("/api/games").headers["retry-after"]) >= 1


def test_requests_of_one_client_that_are_worked_on_are_few_and_others_are_answered_meanwhile() -> None:
    working: Counter[str] = Counter()
    most: Counter[str] = Counter()
    held, streamed = asyncio.Event(), asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        client = scope["client"][0]
        assert (await receive())["body"] == b"whole"
        working[client] += 1
        most[client] = max(most[client], working[client])
        if client == "a":
            await held.wait()
        working[client] -= 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        if client == "stream":  # takes no turn once its answer begins
            await streamed.wait()
        await send({"type": "http.response.body", "body": b""})

    async def asked(client: str, pieces: list[bytes], whole: bool = True) -> int:
        parts = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
        parts += [{"type": "http.request", "body": b"", "more_body": False}] if whole else []
        said: list[Any] = []

        async def receive() -> Any:
            return parts.pop(0) if parts else await asyncio.Event().wait()

        async def send(message: Any) -> None:
            said.append(message)
            if message["type"] == "http.response.start" and client == "stream":
                begun.append(message)

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/",
            "headers": [(b"host", b"127.0.0.1")],
            "client": (client, 1),
        }
        await guard(scope, receive, send)
        return int(said[0]["status"])

    begun: list[Any] = []
    guard = Guard(app, Limits(at_once=2, body=10), frozenset())

    async def all_of_it() -> None:
        half = [asyncio.create_task(asked("b", [b"who"], whole=False)) for _ in range(5)]
        many = [asyncio.create_task(asked("a", [b"wh", b"ole"])) for _ in range(6)]
        assert await asyncio.wait_for(asked("b", [b"whole"]), 60) == 200, "a's requests and half ones hold nobody up"
        assert not any(task.done() for task in many)
        streams = [asyncio.create_task(asked("stream", [b"whole"])) for _ in range(5)]
        while len(begun) < 5:
            await asyncio.sleep(0)
        held.set()
        streamed.set()
        assert await asyncio.gather(*many, *streams) == [200] * 11
        assert await asked("b", [b"far too", b" long"]) == 413
        for task in half:
            task.cancel()

    asyncio.run(all_of_it())
    assert most["a"] == 2
    assert not guard.turns._gates, "clients are forgotten"


def test_engine_work_is_bounded_for_one_client_and_the_place_is_reported(tmp_path: Path) -> None:
    from stratagem.web.engines import Busy, Engines, Job
    from stratagem.web.thinking import Question

    question = Question(__import__("stratagem").game("tictactoe").start(), 0, "random")
    said: list[tuple[str, object]] = []
    pool = Engines(0, longest_queue=5, each_client=2)
    jobs = [Job(question, lambda kind, data: said.append((kind, data)), client="me") for _ in range(3)]
    pool.submit(jobs[0])
    pool.submit(jobs[1])
    assert said == [("queued", 1), ("queued", 2)]
    with pytest.raises(Busy, match="2 analyses of yours"):
        pool.submit(jobs[2])
    jobs[0].stop()
    pool.submit(jobs[2])
    for _ in range(3):
        pool.submit(Job(question, lambda *_: None))
    with pytest.raises(Busy, match="5 others wait"):
        pool.submit(Job(question, lambda *_: None))


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("draft", {"file": "/etc/passwd"}), ("draft", {"file": "Makefile"}), ("roborally", {"course": "course.json"}),
        ("bidding", {"over": "draft:file=Makefile"}), ("bidding", {"over": "game.py"}),
    ],
)  # fmt: skip
def test_no_option_makes_the_server_read_a_file(client: TestClient, game: str, options: dict[str, str]) -> None:
    refused = client.post("/api/tables", json={"game": game, "options": options, "seats": ["person", "random"]})
    assert refused.status_code == 422 and "files are not read" in refused.json()["error"]


def test_a_join_whose_answer_was_lost_is_answered_again_for_whoever_chose_the_token(client: TestClient) -> None:
    made = new_table(client, "tictactoe", ["person", "person"])
    path, invitation = f"/api/tables/{made['table']}/join", made["invitations"]["1"]
    token = secrets.token_urlsafe(24)
    for _ in range(2):
        answer = client.post(path, json={"invitation": invitation, "token": token})
        assert answer.status_code == 200 and answer.json() == {"seat": 1, "token": token}
    for other in ({}, {"token": secrets.token_urlsafe(24)}):
        assert client.post(path, json={"invitation": invitation, **other}).status_code == 403, "it is taken"
    assert client.get(f"/api/tables/{made['table']}", headers=bearer(token)).json()["seat"] == 1
    for weak in ("", "secret", "x" * 31, "x" * 81, "\n" * 40):
        answer = client.post(path, json={"invitation": invitation, "token": weak})
        assert answer.status_code == 422, "one that can be guessed opens no seat"


def test_a_full_disk_answers_507_and_names_no_path(tmp_path: Path) -> None:
    with Store(tmp_path / "games.sqlite") as store:
        app = create_app(store, workers=0)
        with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
            made = new_table(client, "tictactoe", ["person", "person"])
            (pages,) = store._db.execute("PRAGMA page_count").fetchone()
            store._db.execute(f"PRAGMA max_page_count={pages}")
            answers = [
                client.post("/api/tables", json={"game": "nim", "seats": ["person", "person"]}) for _ in range(60)
            ]
            full = answers[-1]
            assert full.status_code == 507 and "no room" in full.json()["error"]
            assert str(tmp_path) not in full.text and "sqlite" not in full.text
            assert client.get(f"/api/tables/{made['table']}").status_code == 200, "what there is can be looked at"


def test_errors_of_the_store_tell_the_public_neither_paths_nor_addresses(caplog: pytest.LogCaptureFixture) -> None:
    from stratagem.store.stored import Conflict, DiskFull, StoreError, Unreachable
    from stratagem.web.refusals import STATUS, public

    for kind, status in ((Conflict, 409), (DiskFull, 507), (StoreError, 503), (Unreachable, 503)):
        line = public(kind("postgresql://me@db.inside/games: /var/lib/games is gone"))
        assert STATUS[kind] == status and "/" not in line and "db.inside" not in line
    assert "db.inside" in caplog.text, "the log has the rest"


def test_a_few_visitors_cannot_use_up_all_tables_and_streams(tmp_path: Path) -> None:
    from stratagem.web.refusals import Busy
    from stratagem.web.streams import Gate
    from stratagem.web.tables import Tables

    def until_refused(take: Callable[[str], object]) -> None:
        for client in ("a", "b", "c", "d"):
            with suppress(Busy):
                for _ in range(100):
                    take(client)

    gate = Gate(100, 60)
    with ExitStack() as held, Store(tmp_path / "games.sqlite") as store:
        until_refused(lambda client: (gate.check(client), held.enter_context(gate.enter(client))))
        assert gate.inside.total() < 100 and min(gate.inside.values()) >= 5, gate.inside
        gate.check("somebody else")
        tables: Tables = create_app(store, workers=0).app.state.tables

        def begin(client: str) -> None:
            tables.make_room(40, client)
            tables.create("tictactoe", {}, ["person", "person"], client=client)

        until_refused(begin)
        tables.make_room(40, "somebody else")
        with pytest.raises(Busy, match="20 of them yours"):
            tables.make_room(40, "a")
