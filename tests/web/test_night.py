"""Boards in dark themes: pale grounds become dark, ink pale, seats keep their colours; pages and files agree."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.testclient import TestClient
from web.serving import Server

import stratagem
from stratagem.drawing import SEAT_COLOURS, night
from stratagem.registry import game_names
from stratagem.web.catalogue import in_the_middle


def bright(colour: str) -> float:
    channels = [(int(colour[k : k + 2], 16) / 255) ** 2.2 for k in (1, 3, 5)]
    return sum(share * c for share, c in zip((0.2126, 0.7152, 0.0722), channels, strict=True))


def test_paper_becomes_dark_and_ink_is_read_on_it() -> None:
    drawn = night('<rect fill="#fbfaf7"/><text fill="#1b1b1b">x</text><circle fill="#0072b2"/>')
    paper, ink, seat = re.findall(r'fill="(#\w+)"', drawn)
    assert (bright(ink) + 0.05) / (bright(paper) + 0.05) > 7 and seat == SEAT_COLOURS[0]


@pytest.mark.parametrize("name", game_names())
def test_no_large_ground_of_a_game_stays_pale(name: str) -> None:
    drawn = night(in_the_middle(stratagem.game(name)).view(None).svg())
    pale = {c for c in re.findall(r'<rect[^>]* fill="(#[0-9a-f]{6})"', drawn) if bright(c) > 0.5}
    assert not pale - {*SEAT_COLOURS, "#ffd75e", "#fcfbf8"}


def test_pictures_come_in_both_colours(client: TestClient) -> None:
    day, dark = (client.get(f"/games/hex/picture.svg{query}").text for query in ("", "?night=1"))
    assert day != dark == night(day)
    assert client.get("/puzzles/1/picture.svg?night=1").text == night(client.get("/puzzles/1/picture.svg").text)


@pytest.mark.slow
def test_pages_and_files_have_the_same_colours_at_night(browser: Any, server: Server) -> None:
    drawings = {name: in_the_middle(stratagem.game(name)).view(None).svg() for name in game_names()}
    page = browser.new_page()
    page.goto(server.url)
    made = page.evaluate(
        """async (drawings) => {
          const { night } = await import('/static/night.js');
          return Object.fromEntries(Object.entries(drawings).map(([name, text]) => {
            const svg = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
            night(svg);
            const found = [...svg.querySelectorAll('[fill], [stroke]')];
            return [name, found.flatMap((one) => [one.getAttribute('fill'), one.getAttribute('stroke')]).filter(Boolean)];
          }));
        }""",
        drawings,
    )
    page.close()
    for name, text in drawings.items():
        tags = re.findall(r"<\w+[^>]*>", night(text))
        colours = [[re.search(rf' {use}="([^"]*)"', tag) for use in ("fill", "stroke")] for tag in tags[1:]]
        assert made[name] == [found[1] for pair in colours for found in pair if found], name
