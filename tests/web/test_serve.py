"""The command `stratagem serve`: started, interrupted, killed, and asked for what cannot be."""

from __future__ import annotations

import os
import socket
import threading
import time
from pathlib import Path

import httpx
import pytest
from web.serving import Server, bearer, children, new_table, until

from stratagem.cli import main
from stratagem.cli.serve import NEXT_PORTS, listening
from stratagem.errors import StratagemError


def test_a_killed_server_goes_on_with_the_secret_move_it_had(tmp_path: Path) -> None:
    server = Server(tmp_path / "games.sqlite")
    try:
        with httpx.Client(base_url=server.url, timeout=120) as client:
            made = new_table(client, "otters", ["person", "person"])
            path, head = f"/api/tables/{made['table']}", bearer(made["tokens"]["0"])
            before = client.post(path + "/moves", json={"move": "raise;2", "ply": 1}, headers=head).json()
            other = client.post(path + "/join", json={"invitation": made["invitations"]["1"]}).json()["token"]
            thinking = new_table(client, "tictactoe", ["person", "strong"])
            body = {"move": "a1", "ply": 0}
            client.post(f"/api/tables/{thinking['table']}/moves", json=body, headers=bearer(thinking["tokens"]["0"]))
        workers = children(server.process.pid)
        server.kill()
        server.start()
        with httpx.Client(base_url=server.url, timeout=120) as client:
            after = client.get(path, headers=head).json()
            same = ("text", "ply", "mine", "ready", "moves", "svg")
            assert [after[name] for name in same] == [before[name] for name in same]
            end = client.post(path + "/moves", json={"move": "fold", "ply": 1}, headers=bearer(other)).json()
            assert end["moves"][-1]["text"] == "raise;2 | fold"
            # the engine that was thinking is asked again
            until(client, thinking["table"], thinking["tokens"]["0"], lambda s: s["ply"] == 2)
        for _ in range(100):
            if not any(Path(f"/proc/{pid}/cmdline").exists() for pid in workers):
                break
            time.sleep(0.1)
        else:
            raise AssertionError("engines outlive the server that was killed")
    finally:
        server.kill()


def test_ctrl_c_ends_it_with_130_though_somebody_watches(tmp_path: Path) -> None:
    server = Server(tmp_path / "games.sqlite")
    with httpx.Client(base_url=server.url, timeout=120) as client:
        made = new_table(client, "tictactoe", ["person", "random"])

        def watch() -> None:
            try:
                with client.stream("GET", f"/api/tables/{made['table']}/events") as events:
                    for _ in events.iter_text():
                        pass
            except httpx.HTTPError:
                pass

        watching = threading.Thread(target=watch, daemon=True)
        watching.start()
        time.sleep(0.5)
        assert server.stop() == 130
        watching.join(5)


def test_what_cannot_be_served_is_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        store = str(tmp_path / "a.sqlite")
        (tmp_path / "junk.sqlite").write_bytes(os.urandom(5000))
        (tmp_path / "none.py").write_text("x = 1\n")
        wrong = {
            ("--port", str(port), "--store", store): f"port {port} of 127.0.0.1 cannot be used",
            ("--port", "0", "--store", str(tmp_path / "junk.sqlite")): "junk.sqlite",
            ("--port", "0", "--store", store, str(tmp_path / "none.py")): "holds no game",
            ("--port", "0", "--store", store, str(tmp_path / "missing.py")): "there is no file",
            ("--port", "70000", "--store", store): "65535",
            ("--port", "0", "--store", store, "--host", "no.such.host.invalid"): "no address",
        }
        for arguments, line in wrong.items():
            with pytest.raises(SystemExit) as ended:
                main(["serve", "--no-open", "--no-warm", *arguments])
            said = capsys.readouterr().err
            assert ended.value.code == 2, (arguments, said)
            assert line in said and len(said.strip().splitlines()) == 1, said


def test_a_second_server_takes_the_next_free_port() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        usual = taken.getsockname()[1]
        taken.listen()
        with listening("127.0.0.1", None, usual) as second, listening("127.0.0.1", None, usual) as third:
            ports = [one.getsockname()[1] for one in (taken, second, third)]
            assert ports == sorted(set(ports)) and ports[-1] < usual + NEXT_PORTS
            with pytest.raises(StratagemError, match=f"port {usual} of 127.0.0.1 cannot be used"):
                listening("127.0.0.1", usual, 8700)


def test_where_no_port_is_free_the_range_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stratagem.cli.serve.NEXT_PORTS", 1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        usual = taken.getsockname()[1]
        taken.listen()
        with pytest.raises(StratagemError, match=f"no port from {usual} to {usual} of 127.0.0.1 can be used"):
            listening("127.0.0.1", None, usual)
