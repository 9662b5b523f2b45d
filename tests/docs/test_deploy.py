"""The page for those who run a server: its texts are taken as they stand, and tried."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from postgres import PASSWORD
from postgres import Server as Postgres
from web.serving import Server, bearer, new_table

from stratagem.store import open_store

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "deploy.md").read_text()
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
needs_nginx = pytest.mark.skipif(NGINX is None, reason="nginx is not installed (apt-get install nginx)")
NAME = "games.example.org"


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.S)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def run(command: list[str], **more: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, **more)
    assert done.returncode == 0, f"{command}: {done.stdout[-2000:]} {done.stderr[-2000:]}"
    return done.stdout + done.stderr


# -------------------------------------------------------------------------------------------------------------- systemd


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_the_units_are_sound(tmp_path: Path) -> None:
    pages, engines = blocks("ini")
    names = {"stratagem@.service": pages, "stratagem-engines.service": engines}
    for name, text in names.items():
        (tmp_path / name).write_text(text.replace("/opt/stratagem/bin/stratagem", sys.executable))
    units = [str(tmp_path / name.replace("@", "@8701")) for name in names]
    (tmp_path / "stratagem@8701.service").symlink_to("stratagem@.service")
    reported = run(["systemd-analyze", "verify", "--man=no", *units])
    assert not [line for line in reported.splitlines() if "stratagem" in line], reported


def test_the_units_start_commands_that_there_are() -> None:
    for unit in blocks("ini"):
        words = re.search(r"^ExecStart=/opt/stratagem/bin/stratagem (.*)$", unit, re.M)[1].split()
        command = [sys.executable, "-m", "stratagem", words[0], "--help"]
        reported = run(command, env={**os.environ, "COLUMNS": "200", "TERM": "dumb"})
        assert all(word in reported for word in words[1:] if word.startswith("--") and word != "--no-open"), reported


# ---------------------------------------------------------------------------------------------------------------- nginx


class Proxy:
    """nginx with the text of the page, in a folder of its own."""

    def __init__(self, folder: Path, *ports: int) -> None:
        self.folder, self.port = folder, free_port()
        key, certificate = folder / "privkey.pem", folder / "fullchain.pem"
        made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
        run([*made, "-keyout", str(key), "-out", str(certificate)])
        (text,) = blocks("nginx")
        live = f"/etc/letsencrypt/live/{NAME}"
        put_in = {live: str(folder), "listen 80;": f"listen 127.0.0.1:{free_port()};", "443 ssl": f"{self.port} ssl"}
        put_in |= {f"127.0.0.1:870{k + 1}": f"127.0.0.1:{port}" for k, port in enumerate(ports)}
        for old, new in put_in.items():
            assert old in text, f"the page no longer says {old!r}"
            text = text.replace(old, new)
        (folder / "site").write_text(text)
        user = "user root;" if os.getuid() == 0 else ""
        kept = " ".join(
            f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        self.config = folder / "nginx.conf"
        self.config.write_text(
            f"{user} daemon off; pid {folder}/pid; error_log {folder}/errors;\nevents {{}}\n"
            f"http {{ access_log off; {kept}\ninclude {folder}/site;\n}}\n"
        )
        self.process: subprocess.Popen[bytes] | None = None

    def check(self) -> str:
        return run([str(NGINX), "-t", "-p", str(self.folder), "-c", str(self.config)])

    def start(self) -> None:
        self.process = subprocess.Popen([str(NGINX), "-p", str(self.folder), "-c", str(self.config)])
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            time.sleep(0.05)
        raise AssertionError((self.folder / "errors").read_text())

    def close(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(20)

    def client(self) -> httpx.Client:
        """Somebody outside, who knows the server by its name."""
        return httpx.Client(
            base_url=f"https://127.0.0.1:{self.port}", headers={"host": f"{NAME}:{self.port}"}, verify=False, timeout=60
        )


@needs_nginx
def test_the_proxys_configuration_is_sound(tmp_path: Path) -> None:
    assert "test is successful" in Proxy(tmp_path, 8701, 8702).check()


@pytest.fixture
def behind(postgres: Postgres, tmp_path: Path) -> Iterator[tuple[Proxy, list[Server]]]:
    address = postgres.address()
    servers = [Server(address, "--workers", "1", "--name", NAME) for _ in range(2)]
    proxy = Proxy(tmp_path, *(server.port for server in servers))
    proxy.start()
    yield proxy, servers
    proxy.close()
    for server in servers:
        server.kill()


@needs_nginx
@pytest.mark.slow
def test_two_processes_behind_the_proxy_are_one_server(behind: tuple[Proxy, list[Server]]) -> None:
    proxy, servers = behind
    heard: list[int] = []
    with proxy.client() as client, proxy.client() as watcher:
        made = new_table(client, "tictactoe", ["person", "person"])
        path = f"/api/tables/{made['table']}"
        invitation = {"invitation": made["invitations"]["1"]}
        other = client.post(path + "/join", json=invitation).json()["token"]
        heads = [bearer(made["tokens"]["0"]), bearer(other)]
        ready = threading.Event()

        def follow() -> None:
            with watcher.stream("GET", path + "/events") as stream:
                for line in stream.iter_lines():
                    if line.startswith("data: "):
                        heard.append(json.loads(line[6:]).get("ply", -1))
                        ready.set()
                        if heard[-1] == 3:
                            return

        thread = threading.Thread(target=follow)
        thread.start()
        assert ready.wait(20)
        for ply, move in enumerate(("a1", "b2", "c3")):
            answer = client.post(path + "/moves", json={"move": move, "ply": ply}, headers=heads[ply % 2])
            assert answer.status_code == 200, answer.text
        thread.join(20)
        assert heard[-1] == 3, "the stream flows through the proxy"
        page = client.get(f"/play/{made['table']}", headers={"accept-encoding": "gzip"})
        assert page.status_code == 200 and "content-security-policy" in page.headers
        origin = {"origin": f"https://{NAME}:{proxy.port}", **heads[1]}
        assert client.post(path + "/draw", headers=origin).status_code == 200, "a page of its own may ask"
        assert client.post(path + "/draw", headers={**origin, "origin": "https://elsewhere.org"}).status_code == 403
        servers[0].kill()
        for _ in range(6):
            state = client.get(path, headers=heads[1])
            assert state.status_code == 200 and state.json()["ply"] == 3, "the other process goes on"
        answer = client.post(path + "/moves", json={"move": "a3", "ply": 3}, headers=heads[1])
        assert answer.status_code == 200, answer.text


# -------------------------------------------------------------------------------------------------------------- backups


def with_games(address: str, count: int = 3) -> list[list[str]]:
    """Some games in a store; their moves."""
    with open_store(address) as store:
        for k in range(count):
            game = store.begin("tictactoe", {"rows": 3}, ["person", "person"])
            for ply, move in enumerate(("a1", "b2", "c3")[: k + 1]):
                store.append(game, move, ply=ply, seat=ply % 2)
        return [game.texts for game in store.games()]


def commands(first: str) -> list[str]:
    """The lines of the page's block that begins with a word."""
    (found,) = (block for block in blocks("sh") if block.startswith(first))
    return found.strip().splitlines()


def obey(lines: list[str], folder: Path, **more: str) -> str:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    reported = [run(["bash", "-ec", line], cwd=folder, env={**os.environ, "PATH": path, **more}) for line in lines]
    return "\n".join(reported)


@pytest.mark.slow
def test_a_backup_of_the_database_is_restored_and_replays(postgres: Postgres, tmp_path: Path) -> None:
    for tool in ("pg_dump", "pg_restore", "createdb", "psql"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not on the path")
    settings = {"PGHOST": "127.0.0.1", "PGPORT": str(postgres.port), "PGUSER": "owner", "PGPASSWORD": PASSWORD}
    role = f"create role stratagem login password '{PASSWORD}'"
    obey([f'psql -qc "{role}" postgres', "createdb --owner=stratagem stratagem"], tmp_path, **settings)
    secret = PASSWORD.replace(" ", "%20")
    address = f"postgresql://stratagem:{secret}@127.0.0.1:{postgres.port}/"
    moves = with_games(address + "stratagem")
    reported = obey(commands("pg_dump"), tmp_path, **settings)
    assert "is sound" in reported
    with open_store(address + "restored", create=False) as store:
        assert [game.texts for game in store.games()] == moves
        store.begin("tictactoe", {"rows": 3}, ["person", "person"])  # it is written to as before


@pytest.mark.slow
def test_a_backup_of_a_file_is_a_store(tmp_path: Path) -> None:
    if shutil.which("sqlite3") is None:
        pytest.skip("sqlite3 is not on the path (apt-get install sqlite3)")
    moves = with_games(str(tmp_path / "games.sqlite"))
    with open_store(str(tmp_path / "games.sqlite")):  # while it is open
        reported = obey(commands("sqlite3"), tmp_path)
    assert "is sound" in reported
    with open_store(str(tmp_path / "copy.sqlite"), create=False) as store:
        assert [game.texts for game in store.games()] == moves
