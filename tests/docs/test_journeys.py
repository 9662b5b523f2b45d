"""The journeys on the architecture page: the functions are there, and are called in that order."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from starlette.testclient import TestClient
from web.serving import bearer, new_table, until

import stratagem
from stratagem.games.bidding.solver import BiddingSolver
from stratagem.search.budget import _workers
from stratagem.store.sqlite import Store
from stratagem.web.app import create_app

PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"
Place = tuple[str, str]  # a file, and a function's qualified name
Called = dict[Place, int]  # numbered by first calls


def journeys() -> dict[str, list[str]]:
    """The functions of each journey by its heading."""
    reported = PAGE.read_text().split("\n## Five journeys\n")[1].split("\n## ")[0]
    found = {}
    for journey in reported.split("\n### ")[1:]:
        heading, _, text = journey.partition("\n")
        found[heading] = re.findall(r"^\d+\. `([^`]+)`", text, re.M)
    return found


def place_of(name: str) -> Place:
    """Where a function is that the page names: its code knows the file and the qualified name."""
    parts = name.split(".")
    for k in range(len(parts) - 1, 0, -1):
        try:
            found: Any = importlib.import_module(".".join(["stratagem", *parts[:k]]))
        except ModuleNotFoundError:
            continue
        for part in parts[k:]:
            found = inspect.getattr_static(found, part)
        found = inspect.unwrap(getattr(found, "__func__", found))
        code: CodeType = found.__code__
        return code.co_filename, code.co_qualname
    raise AssertionError(f"the page names {name}, and there is no such module")


@contextmanager
def watched() -> Iterator[Called]:
    """Functions called meanwhile, in all threads that begin meanwhile, numbered by their first calls."""
    called: Called = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            called.setdefault((frame.f_code.co_filename, frame.f_code.co_qualname), len(called))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def solve_a_bid(folder: Path, called: Called) -> None:
    stratagem.solve(stratagem.game("bidding", payment="allpay", chips="3,3").start())


def choose_a_minions_turn(folder: Path, called: Called) -> None:
    game = stratagem.game("minions")
    stratagem.player(game, "easy").choose(game.start(), stratagem.Clock(0.2))


def choose_a_programme(folder: Path, called: Called) -> None:
    start = stratagem.game("roborally").start(seed=1)
    player = stratagem.player(start.game, "montecarlo:simulations=8,keep=2,target=python")
    called.clear()  # the deal is no part of it
    player.choose(start.view(0), stratagem.Clock(), seat=0)


def pick_in_a_draft(folder: Path, called: Called) -> None:
    game = stratagem.game("draft")
    stratagem.player(game, "strong").choose(game.start(), stratagem.Clock())


def click_in_the_browser(folder: Path, called: Called) -> None:
    with Store(folder / "games.sqlite") as store, TestClient(create_app(store), base_url="http://127.0.0.1") as client:
        made = new_table(client, "tictactoe", ["person", "random"])
        key, token = made["table"], made["tokens"]["0"]
        called.clear()  # the journey begins; the server's threads are watched from their beginning
        client.post(f"/api/tables/{key}/moves", json={"move": "a1", "ply": 0}, headers=bearer(token))
        until(client, key, token, lambda state: state["ply"] == 2)


MADE: dict[str, Callable[[Path, Called], None]] = {
    "A bid solved": solve_a_bid,
    "A Minions turn chosen": choose_a_minions_turn,
    "A RoboRally programme chosen": choose_a_programme,
    "A draft pick": pick_in_a_draft,
    "A click in the browser": click_in_the_browser,
}


def test_the_page_tells_five_journeys() -> None:
    assert list(journeys()) == list(MADE) and all(len(passed) >= 8 for passed in journeys().values())


@pytest.mark.parametrize("heading", list(MADE))
def test_a_journey_passes_the_functions_that_the_page_lists_in_their_order(
    heading: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = journeys()[heading]
    places = {name: place_of(name) for name in listed}
    monkeypatch.setattr(BiddingSolver, "_load", lambda *_: None)  # solved now, not read from an earlier run
    _workers.cache_clear()  # the searches' threads begin anew
    with watched() as called:
        MADE[heading](tmp_path, called)
    assert not [name for name in listed if places[name] not in called], "listed, and not called"
    assert sorted(listed, key=lambda name: called[places[name]]) == listed
