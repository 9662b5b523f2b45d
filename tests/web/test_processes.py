"""Two processes of the web on one store: nothing lost, nothing stale, nobody seated twice."""

from __future__ import annotations

import json
import os
import random
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import pytest
from postgres import Server as Postgres
from web.serving import Server, bearer, new_table, until

import stratagem
from stratagem.store import open_store


@pytest.fixture(scope="module")
def pair(postgres: Postgres) -> Iterator[tuple[Server, Server]]:
    address = postgres.address()
    servers = (Server(address, "--workers", "1"), Server(address, "--workers", "1"))
    yield servers
    for server in servers:
        server.kill()


class Wanderer:
    """A client that asks the other process at every request."""

    def __init__(self, pair: tuple[Server, Server]) -> None:
        limits = httpx.Limits(max_connections=4)
        self.clients = [httpx.Client(base_url=server.url, timeout=60, limits=limits) for server in pair]
        self.turn = 0
        self.stale = 0.0  # the longest that a process was behind what another had acknowledged

    def __enter__(self) -> Wanderer:
        return self

    def __exit__(self, *_: object) -> None:
        for client in self.clients:
            client.close()

    def next(self) -> httpx.Client:
        self.turn += 1
        return self.clients[self.turn % 2]

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.next().get(path, **more)

    def post(self, path: str, **more: Any) -> httpx.Response:
        return self.next().post(path, **more)

    def see(self, table: str, token: str | None, ply: int) -> dict[str, Any]:
        """The table at the other process, at the ply that was acknowledged or later."""
        began, late = time.monotonic(), 0.0  # how long it is behind at least: until a request began that saw nothing
        while True:
            asked = time.monotonic()
            answer = self.get(f"/api/tables/{table}", headers=bearer(token) if token else {})
            assert answer.status_code == 200, answer.text
            state: dict[str, Any] = answer.json()
            if state["ply"] >= ply:
                self.stale = max(self.stale, late)
                return state
            late = asked - began
            assert late < 1.0, f"stale for over a second: at {state['ply']}, not {ply}"


def join_from_both_sides(wanderer: Wanderer, table: str, invitation: str) -> str:
    """Two people with one invitation at the same moment, at the two processes: one of them is seated."""
    with ThreadPoolExecutor(2) as both:
        answers = list(
            both.map(
                lambda client: client.post(f"/api/tables/{table}/join", json={"invitation": invitation}),
                wanderer.clients,
            )
        )
    assert sorted(answer.status_code for answer in answers) == [200, 403], [answer.text for answer in answers]
    token: str = next(answer.json()["token"] for answer in answers if answer.status_code == 200)
    return token


def people_play(pair: tuple[Server, Server], seed: int) -> float:
    """A whole game of two people who change the process at every request; how long it was ever behind."""
    draws = random.Random(seed)
    with Wanderer(pair) as wanderer:
        made = new_table(wanderer, "tictactoe", ["person", "person"])
        table = made["table"]
        tokens = [made["tokens"]["0"], join_from_both_sides(wanderer, table, made["invitations"]["1"])]
        played: list[str] = []
        while True:
            state = wanderer.see(table, tokens[len(played) % 2], len(played))
            assert [move["text"] for move in state["moves"]] == played
            if state["turn"] == "over":
                break
            move, head = draws.choice(state["parts"]["next"]), bearer(tokens[len(played) % 2])
            body = {"move": move, "ply": len(played)}
            answer = wanderer.post(f"/api/tables/{table}/moves", json=body, headers=head)
            assert answer.status_code == 200, answer.text
            again = wanderer.post(f"/api/tables/{table}/moves", json=body, headers=head)
            assert again.status_code in (409, 422), "a move sent twice to two processes is played once"
            played.append(move)
        record = wanderer.get(f"/api/tables/{table}/record").json()
        assert stratagem.game("tictactoe").replay(record["moves"]).over and record["moves"] == played
        return wanderer.stale


def engines_play(pair: tuple[Server, Server], seed: int) -> float:
    """A person against an engine: every question is answered by one of the processes, once."""
    with Wanderer(pair) as wanderer:
        made = new_table(wanderer, "nim", ["person", "random"])
        table, token = made["table"], made["tokens"]["0"]
        while True:
            state = until(wanderer, table, token, lambda s: s["turn"] == "over" or s["parts"])
            if state["turn"] == "over":
                break
            prefix, parts = [], state["parts"]
            while parts["next"] and not parts["complete"]:
                prefix.append(parts["next"][0])
                answer = wanderer.post(f"/api/tables/{table}/parts", json={"prefix": prefix}, headers=bearer(token))
                parts = answer.json()
            body = {"move": ";".join(prefix), "ply": state["ply"]}
            answer = wanderer.post(f"/api/tables/{table}/moves", json=body, headers=bearer(token))
            assert answer.status_code == 200, answer.text
        moves = [move["by"] for move in state["moves"]]
        assert moves == [k % 2 for k in range(len(moves))]
        return wanderer.stale


def secrets_meet(pair: tuple[Server, Server], seed: int) -> float:
    """Two people decide in secret at the same moment at two processes: the joint move is played once."""
    with Wanderer(pair) as wanderer:
        made = new_table(wanderer, "goofspiel", ["person", "person"], options={"cards": 3})
        table = made["table"]
        tokens = [made["tokens"]["0"], join_from_both_sides(wanderer, table, made["invitations"]["1"])]
        state = until(wanderer, table, tokens[0], lambda s: s["parts"])
        rounds = 0
        while state["turn"] != "over":
            rounds += 1
            choices = [wanderer.get(f"/api/tables/{table}", headers=bearer(token)).json() for token in tokens]

            def decide(seat: int, choices: list[dict[str, Any]] = choices, rounds: int = rounds) -> httpx.Response:
                body = {"move": choices[seat]["parts"]["next"][0], "ply": choices[seat]["ply"]}
                client = wanderer.clients[(seat + rounds) % 2]
                return client.post(f"/api/tables/{table}/moves", json=body, headers=bearer(tokens[seat]))

            with ThreadPoolExecutor(2) as both:
                answers = list(both.map(decide, range(2)))
            assert [answer.status_code for answer in answers] == [200, 200], [answer.text for answer in answers]
            state = until(wanderer, table, tokens[0], lambda s: s["turn"] == "over" or s["parts"])
        return wanderer.stale


KINDS = (people_play, engines_play, secrets_meet)


def many_games(pair: tuple[Server, Server], games: int, at_once: int) -> list[float]:
    with ThreadPoolExecutor(at_once) as clients:
        running = [clients.submit(KINDS[k % len(KINDS)], pair, k) for k in range(games)]
        return [game.result() for game in running]


def test_games_go_on_though_their_players_change_the_process_at_every_request(pair: tuple[Server, Server]) -> None:
    assert max(many_games(pair, 6, 6)) < 1.0


@pytest.mark.slow
def test_a_hundred_games_at_once_lose_no_move_and_seat_nobody_twice(pair: tuple[Server, Server]) -> None:
    began = time.monotonic()
    stale = many_games(pair, 100, 100)
    print(f"100 games in {time.monotonic() - began:.1f} s; the longest that a process was behind: {max(stale):.3f} s")
    assert max(stale) < 1.0


def test_a_stream_of_one_process_tells_what_the_other_was_given(pair: tuple[Server, Server]) -> None:
    with Wanderer(pair) as wanderer:
        one, two = wanderer.clients
        made = new_table(one, "tictactoe", ["person", "person"])
        head = bearer(made["tokens"]["0"])
        heard: list[tuple[float, dict[str, Any]]] = []
        ready = threading.Event()

        def follow() -> None:
            with two.stream("GET", f"/api/tables/{made['table']}/events") as stream:
                for line in stream.iter_lines():
                    if line.startswith("data: "):
                        heard.append((time.monotonic(), json.loads(line[6:])))
                        ready.set()
                        if heard[-1][1].get("ply") == 1:
                            return

        thread = threading.Thread(target=follow)
        thread.start()
        assert ready.wait(120)
        one.post(f"/api/tables/{made['table']}/moves", json={"move": "a1", "ply": 0}, headers=head)
        reported = time.monotonic()
        thread.join(120)
        assert (
            heard[-1][1]["ply"] == 1 and heard[-1][0] - reported < 20.0
        )  # nobody looks by the clock: without a notice it never comes


def two_people(wanderer: Wanderer) -> tuple[str, list[dict[str, str]]]:
    """A table of two people, and what each says who it is with."""
    made = new_table(wanderer, "tictactoe", ["person", "person"])
    invitation = {"invitation": made["invitations"]["1"]}
    joined = wanderer.post(f"/api/tables/{made['table']}/join", json=invitation).json()
    return f"/api/tables/{made['table']}", [bearer(made["tokens"]["0"]), bearer(joined["token"])]


def test_a_draw_is_agreed_on_through_two_processes(pair: tuple[Server, Server]) -> None:
    with Wanderer(pair) as wanderer:
        one, two = wanderer.clients
        path, (first, second) = two_people(wanderer)
        assert one.post(path + "/draw", headers=first).json()["offers"] == [0]
        assert two.get(path, headers=second).json()["offers"] == [0], "the other process knows of the offer"
        two.post(path + "/moves", json={"move": "a1", "ply": 0}, headers=first)
        assert one.get(path).json()["offers"] == [], "a move ends it"
        assert one.post(path + "/draw", headers=first).json()["offers"] == [0]
        assert one.post(path + "/draw", headers=first).json()["offers"] == [0]
        ended = two.post(path + "/draw", headers=second).json()
        assert ended["turn"] == "over" and ended["outcome"] == "a draw by agreement"
        assert one.get(path).json()["outcome"] == "a draw by agreement"


def test_consents_at_the_same_moment_end_one_game_and_begin_one(pair: tuple[Server, Server]) -> None:
    with Wanderer(pair) as wanderer, ThreadPoolExecutor(2) as both:
        for _ in range(10):
            path, people = two_people(wanderer)

            def ask(seat: int, what: str, body: Any, path: str = path, people: Any = people) -> httpx.Response:
                return wanderer.clients[seat].post(f"{path}/{what}", json=body, headers=people[seat])

            answers = list(both.map(lambda seat, ask=ask: ask(seat, "draw", {}), range(2)))
            assert [answer.status_code for answer in answers] == [200, 200], [answer.text for answer in answers]
            states = [client.get(path).json() for client in wanderer.clients]
            assert [state["outcome"] for state in states] == ["a draw by agreement"] * 2
            answers = list(both.map(lambda seat, ask=ask: ask(seat, "rematch", {"swap": True}), range(2)))
            assert [answer.status_code for answer in answers] == [200, 200], [answer.text for answer in answers]
            reported = {client.get(path, headers=people[0]).json()["next"] for client in wanderer.clients}
            (following,) = reported
            assert following and {answer.json()["next"] for answer in answers} <= {None, following}
            seats = [wanderer.get(f"/api/tables/{following}", headers=head).json()["seat"] for head in people]
            assert seats == [1, 0], "every token opens the one rematch, with seats swapped"


def test_a_question_of_a_process_that_died_is_answered_by_another(postgres: Postgres) -> None:
    address = postgres.address()
    servers = (Server(address, "--workers", "0"), Server(address, "--workers", "1"))
    try:
        with httpx.Client(base_url=servers[0].url, timeout=60) as client:
            made = new_table(client, "tictactoe", ["person", "random"])
            path, token = f"/api/tables/{made['table']}", made["tokens"]["0"]
            client.post(path + "/moves", json={"move": "a1", "ply": 0}, headers=bearer(token))
            until(client, made["table"], token, lambda s: s["ply"] == 2)
            servers[1].kill()
            state = client.get(path, headers=bearer(token)).json()
            move = state["parts"]["next"][0]
            client.post(path + "/moves", json={"move": move, "ply": 2}, headers=bearer(token))
            time.sleep(0.2)
            assert client.get(path, headers=bearer(token)).json()["ply"] == 3
            command = [sys.executable, "-m", "stratagem", "engines", "--store", address, "--workers", "1"]
            engines = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            try:
                until(client, made["table"], token, lambda s: s["ply"] == 4)
            finally:
                engines.terminate()
                assert engines.wait(120) == 0
    finally:
        for server in servers:
            server.kill()


def test_a_file_is_served_by_one_process_and_the_second_is_reported_so(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    server = Server(file)
    try:
        command = [sys.executable, "-m", "stratagem", "serve", "--no-open", "--port", "0", "--store", str(file)]
        second = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert second.returncode == 2 and "is served by another process" in second.stderr
        assert "PostgreSQL" in second.stderr and "Traceback" not in second.stderr
    finally:
        server.kill()
    with open_store(file) as store, store.sole("web", "a lock that outlives its process"):
        pass


KILLS = int(os.environ.get("STRATAGEM_KILLS", "10"))
PATIENCE = 20.0  # seconds for the home page, on a machine that others use too; 1 s is what it should take
IDLE = 2000  # connections that send half a request, or nothing


class Crowd:
    """Connections that wait, in equal parts at every server, opened again where a server has ended them."""

    def __init__(self, servers: list[Server], count: int) -> None:
        self.servers, self.each = servers, count // len(servers)
        self.held: list[list[socket.socket]] = [[] for _ in servers]
        self.most = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._hold, daemon=True)
        self.thread.start()

    def _hold(self) -> None:
        while not self.over.is_set():
            for server, held in zip(self.servers, self.held, strict=True):
                held[:] = [one for one in held if not gone(one)]
                for _ in range(self.each - len(held)):
                    try:
                        one = socket.create_connection(("127.0.0.1", server.port), timeout=5)
                        one.setblocking(False)
                        if len(held) % 2:
                            one.send(b"GET / HTTP/1.1\r\nHost: 127")
                        held.append(one)
                    except OSError:
                        break  # it was killed, or is not there yet
            self.most = max(self.most, sum(map(len, self.held)))
            self.over.wait(1.0)

    def close(self) -> None:
        self.over.set()
        self.thread.join(60)
        for one in (one for held in self.held for one in held):
            one.close()


def gone(one: socket.socket) -> bool:
    """Whether the server has ended a connection, which is closed here then too."""
    try:
        ended = one.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        ended = True
    if ended:
        one.close()
    return ended


def play_through_kills(servers: list[Server], seed: int, over: threading.Event) -> tuple[str, dict[int, str]]:
    """Two people who ask any server until one answers; the table, and every move that was acknowledged, by its ply."""
    dice, acknowledged = random.Random(seed), {}

    def ask(method: str, path: str, **more: Any) -> httpx.Response:
        for _ in range(600):
            with suppress(httpx.HTTPError):
                answer = httpx.request(method, dice.choice(servers).url + path, timeout=30, **more)
                if answer.status_code not in (503, 429):
                    return answer
            time.sleep(0.1)
        raise AssertionError("no server answers")

    made = ask(
        "POST", "/api/tables", json={"game": "nim", "options": {"heaps": "9,9,9,9"}, "seats": ["person", "person"]}
    ).json()
    table, own = f"/api/tables/{made['table']}", "t" * 39 + str(seed % 10)
    joined = ask("POST", f"{table}/join", json={"invitation": made["invitations"]["1"], "token": own})
    assert joined.status_code == 200, joined.text  # also where the first answer was lost
    tokens = [made["tokens"]["0"], own]
    while not over.is_set():
        seat = 0
        state = ask("GET", table, headers=bearer(tokens[0])).json()
        if state["turn"] == "over":
            break
        (seat,) = state["asked"]
        prefix: list[str] = []
        parts = ask("POST", f"{table}/parts", json={"prefix": prefix}, headers=bearer(tokens[seat])).json()
        while parts.get("next") and not parts["complete"]:
            prefix.append(parts["next"][0])
            parts = ask("POST", f"{table}/parts", json={"prefix": prefix}, headers=bearer(tokens[seat])).json()
        body = {"move": ";".join(prefix), "ply": state["ply"]}
        answer = ask("POST", f"{table}/moves", json=body, headers=bearer(tokens[seat]))
        if answer.status_code == 200:
            acknowledged[state["ply"]] = answer.json()["moves"][state["ply"]]["text"]
        time.sleep(0.2)
    return made["table"], acknowledged


@pytest.mark.slow
def test_kills_of_four_servers_lose_no_acknowledged_move_while_many_connections_idle(postgres: Postgres) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 2 * IDLE + soft), hard))
    address, dice, over = postgres.address(), random.Random(1), threading.Event()
    servers = [Server(address, "--workers", "0") for _ in range(4)]
    crowd, home = Crowd(servers, IDLE), []
    try:
        with ThreadPoolExecutor(6) as clients:
            games = [clients.submit(play_through_kills, servers, seed, over) for seed in range(6)]
            try:
                for _ in range(KILLS):
                    time.sleep(1.0)
                    victim = dice.randrange(4)
                    port = servers[victim].port
                    servers[victim].kill()
                    for k, server in enumerate(servers):
                        if k != victim:
                            began = time.monotonic()
                            assert httpx.get(server.url, timeout=60).status_code == 200
                            home.append(time.monotonic() - began)
                    servers[victim].start(port)
            finally:
                over.set()
            played = [game.result() for game in games]
        lost = 0
        for table, acknowledged in played:
            moves = httpx.get(f"{servers[0].url}/api/tables/{table}", timeout=60).json()["moves"]
            lost += sum(ply >= len(moves) or moves[ply]["text"] != text for ply, text in acknowledged.items())
        count = sum(len(acknowledged) for _, acknowledged in played)
        print(
            f"{KILLS} kills, {count} moves, {crowd.most} idle connections, home page after {median(home):.3f} s "
            f"(median of {len(home)}), {max(home):.2f} s at most"
        )
        assert lost == 0 and count >= KILLS
        assert crowd.most >= IDLE * 9 // 10, "silent connections are held, and shut nobody out"
        assert max(home) < PATIENCE, "the machine may be busy, but idle connections keep nobody waiting"
    finally:
        crowd.close()
        for server in servers:
            server.kill()
