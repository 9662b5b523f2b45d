"""Servers and a browser for the web's tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from web.serving import CARAVAN, KUHN, OTTERS, Server, chromium

from stratagem.store.sqlite import Store
from stratagem.web.app import create_app
from stratagem.web.guard import Limits


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    path = tmp_path_factory.mktemp("web") / "games.sqlite"
    with Store(path) as store:
        app = create_app(store, limits=Limits(rate=1e6, burst=10**6), files=[OTTERS, KUHN, CARAVAN])
        with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as found:
            yield found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    found = Server(tmp_path_factory.mktemp("serve") / "games.sqlite")
    yield found
    found.kill()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found
