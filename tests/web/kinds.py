"""Every kind of page, opened: what weight, paint and access are asked of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import numpy as np

import stratagem
from stratagem.contract.game import TOGETHER
from stratagem.rng import generator

SHORT = {"minions": {"plies": 6}, "roborally": {"robots": 2, "max_turns": 3}, "risk": {"turn_cap": 2, "claim": "deal"}}


def finished(url: str, name: str) -> str:
    """A table of a game at random that is over."""
    game, rng = stratagem.game(name, **SHORT.get(name, {})), generator(2)
    position = game.start()
    with np.errstate(over="ignore"):
        while not position.over:
            asked = position.asked
            joint = [position.sample(rng, p) if p in asked else "-" for p in range(game.players)]
            position = position.play(joint if position.turn == TOGETHER else position.sample(rng))
    body = {"game": name, "options": SHORT.get(name, {}), "moves": list(position.history)}
    made = httpx.post(f"{url}/api/records", json=body, timeout=60)
    assert made.status_code == 201, made.text
    return str(made.json()["table"])


def table(url: str, name: str) -> str:
    """The address of a new table with the token of its first seat."""
    game = stratagem.game(name)
    seats = ["person"] + ["random"] * (game.players - 1)
    made = httpx.post(f"{url}/api/tables", json={"game": name, "seats": seats}, timeout=60).json()
    return f"/play/{made['table']}#seat={made['tokens']['0']}"


def room(url: str) -> str:
    """The address of a mock draft of twelve teams, its token behind #."""
    league = {"preset": "yahoo-half", "teams": 12, "table": ""}
    made = httpx.post(f"{url}/api/rooms", json={"seats": ["person", "adp"], "league": league}, timeout=60).json()
    return f"/room/{made['room']}#{made['token']}"


KINDS: dict[str, Callable[[str], str]] = {
    "home": lambda _: "/",
    "game": lambda _: "/games/minions",
    "table": lambda url: table(url, "minions"),
    "table of cards": lambda url: table(url, "roborally"),
    "over": lambda url: f"/play/{finished(url, 'othello')}",
    "analysis": lambda _: "/analyse/connect4?m=4",
    "editor": lambda _: "/edit/minions",
    "review": lambda url: f"/review/{finished(url, 'tictactoe')}",
    "puzzles": lambda _: "/puzzles",
    "puzzle": lambda _: "/puzzles/1",
    "drafts": lambda _: "/drafts",
    "draft room": room,
    "error": lambda _: "/nowhere",
}  # with the server's address; each gives a path of it


def opened(page: Any, url: str, kind: str) -> None:
    """Open a page of a kind, and give it a moment to draw what it shows."""
    page.goto("about:blank")  # for another fragment alone loads nothing
    page.goto(url + KINDS[kind](url), wait_until="load")
    if page.locator("#board").count():
        page.wait_for_selector("#board svg, #board table", state="attached")
    page.wait_for_timeout(500)
