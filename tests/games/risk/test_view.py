"""The map's drawing: borders where neighbours touch and nowhere else, routes over sea, and what a reader may click."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from stratagem.games.risk import Risk
from stratagem.games.risk.atlas import EDGES, IDS, NAMES, TERRITORIES, territory
from stratagem.games.risk.map_shapes import COLUMNS, DRAWN, LETTERS, ROWS, SEA, centres, outlines, sea_routes, touching
from stratagem.games.risk.view import PORTS, Arrow, Scene, SeatView, draw

SVG = "{http://www.w3.org/2000/svg}"
SEATS = [SeatView("A", 20, 40, "next +6", 2), SeatView("B", 22, 41, "", 3), SeatView("C", 0, 0, out=True)]


def scene(**more) -> Scene:
    owners = [t % 2 for t in range(TERRITORIES)]
    return Scene(owners, [t + 1 for t in range(TERRITORIES)], SEATS, "Turn 3, A: attack", 0, **more)


def test_every_territory_is_drawn_in_one_piece() -> None:
    assert all(len(row) == COLUMNS for row in DRAWN) and len(DRAWN) == ROWS
    assert set("".join(DRAWN)) == {*LETTERS, SEA} and len(set(LETTERS)) == TERRITORIES
    for letter in LETTERS:
        cells = {(x, y) for y in range(ROWS) for x in range(COLUMNS) if DRAWN[y][x] == letter}
        reached = {min(cells)}
        while (
            grown := {(x + dx, y + dy) for x, y in reached for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))}
            & cells - reached
        ):
            reached |= grown
        assert reached == cells, letter


def test_territories_that_touch_are_neighbours_and_all_others_are_joined_by_sea() -> None:
    assert touching() <= set(EDGES)
    assert touching() | set(sea_routes()) == set(EDGES)
    assert len(touching()) + len(sea_routes()) == 83
    assert tuple(sorted((territory("alaska"), territory("kamchatka")))) in sea_routes()


def test_outlines_are_closed_rings_around_their_centres() -> None:
    for t, ring in enumerate(outlines()):
        x, y = centres()[t]
        # a ray to the right crosses the outline an odd number of times
        ends = zip(ring, [*ring[1:], ring[0]], strict=True)
        crossings = sum(
            (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax) for (ax, ay), (bx, by) in ends
        )
        assert crossings % 2 == 1, NAMES[t]
        area = sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(ring, [*ring[1:], ring[0]], strict=True)) / 2
        drawn = sum(row.count(LETTERS[t]) for row in DRAWN)
        assert area == pytest.approx(drawn, rel=0.4), NAMES[t]


def test_sea_routes_run_over_sea_and_over_no_third_territory() -> None:
    for a, b in sea_routes():
        names = IDS[a], IDS[b]
        if names == ("alaska", "kamchatka"):
            continue  # it leaves the map on both sides
        (xa, ya), (xb, yb) = PORTS.get(names, (centres()[a], centres()[b]))
        seen = [DRAWN[int(ya + (yb - ya) * i / 300)][int(xa + (xb - xa) * i / 300)] for i in range(301)]
        assert set(seen) <= {SEA, LETTERS[a], LETTERS[b]}, names
        assert SEA in seen and (seen[0], seen[-1]) in {(LETTERS[a], LETTERS[b]), (LETTERS[b], LETTERS[a])}, names


def test_the_drawing_is_well_formed_and_marks_all_places() -> None:
    root = ElementTree.fromstring(
        draw(scene(hand=[0, 4, 43], hand_words="A's cards", buttons=[("stop", "stop", "end attacks")]))
    )
    places = [element.get("data-place") for element in root.iter() if element.get("data-place")]
    assert places[:TERRITORIES] == list(IDS)
    assert places[TERRITORIES:] == ["alaska", "ontario", "wild2"]
    assert [element.get("data-part") for element in root.iter() if element.get("data-part")] == ["stop"]
    assert root.find(f"{SVG}title") is not None and root.find(f"{SVG}desc") is not None
    described = root.findtext(f"{SVG}desc") or ""
    assert "Alaska A 1" in described and "B holds 3 cards." in described
    titles = {element.findtext(f"{SVG}title") for element in root.iter(f"{SVG}g")}
    assert "Alaska, North America: A, 1 army" in titles


def test_the_drawing_fits_a_narrow_screen_with_letters_large_enough() -> None:
    text = draw(scene())
    width = float(re.search(r'viewBox="0 0 (\S+) ', text).group(1))  # type: ignore[union-attr]
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"', text)]
    assert width <= 600  # the page scrolls drawings that are wider
    assert min(sizes) * 390 / width >= 7


def test_owners_differ_by_letter_and_pattern_as_well_as_colour() -> None:
    owners = [t % 7 for t in range(TERRITORIES)]
    seats = [SeatView(letter, 6, 10) for letter in "ABCDEF"]
    text = draw(Scene(owners, [3] * TERRITORIES, seats, "all sides"))
    patterns = re.findall(r'<pattern id="risk-(\d)".*?</pattern>', text)
    bodies = re.findall(r'<pattern id="risk-\d"[^>]*>(.*?)</pattern>', text)
    forms = {re.sub(r"#[0-9a-f]{6}", "", body) for body in bodies}
    assert len(patterns) == 7 and len(forms) == 7
    for side, letter in enumerate("ABCDEFN"):
        assert text.count(f"url(#risk-{side})") >= 6
        assert f": {letter}, 3 armies" in text


def test_heat_is_drawn_with_its_values_and_scale() -> None:
    owners = [-1] * TERRITORIES
    text = draw(
        Scene(owners, [0] * TERRITORIES, SEATS[:2], "Draft", 0, heat={0: 0.31, 1: 0.55}, heat_words="value to A")
    )
    assert ">31%<" in text and ">55%<" in text and "value to A" in text
    assert "55.0%" in text and text.count("#5f258f") >= 2 and "free" in text


def test_arrows_go_around_the_world_between_alaska_and_kamchatka() -> None:
    one = draw(scene(arrows=[Arrow(0, 3, "2")]))
    around = draw(scene(arrows=[Arrow(0, territory("kamchatka"))]))
    assert one.count("<polygon") + 1 == around.count("<polygon")


def test_the_terminal_shows_every_territory_the_decision_and_only_ones_own_cards() -> None:
    board = ",".join(["A3"] * 14 + ["B1"] * 14 + ["C2"] * 14)
    position = Risk(players=3).parse(
        f"phase=dice seat=A turn=9 board={board} from=iceland to=great_britain hands=peru/japan/-"
    )
    shown = position.view(0).text_art()
    assert max(map(len, shown.splitlines())) <= 90
    assert all(name in shown for name in NAMES)
    assert ">Iceland" in shown and ">Great Britain" in shown and "1 card: peru" in shown and "japan" not in shown


def test_values_of_picks_are_a_heat_map_in_the_draft_and_nowhere_else() -> None:
    game = Risk(players=3)
    start = game.start()
    values = {name: 0.01 * t for t, name in enumerate(IDS)}
    drawn, written = game.heat(start, values), game.heat_text(start, values)
    assert drawn is not None and "chance of A to win after each pick" in drawn and ">61%<" in drawn
    assert written is not None and "Eastern Australia" in written and " 60.7% █" in written
    placing = game.parse("phase=attack seat=A turn=3 board=" + ",".join(["A3"] * 14 + ["B1"] * 14 + ["C2"] * 14))
    assert game.heat(placing, values) is None and game.heat_text(placing, values) is None
    assert game.heat(start, {}) is None


def test_the_last_roll_is_shown_with_what_it_cost() -> None:
    board = ",".join(["A3"] * 14 + ["B2"] * 14 + ["C2"] * 14)
    position = Risk(players=3).parse(f"phase=attack seat=A turn=9 board={board}")
    for text in ("iceland>great_britain", "roll 2", "lost 1:1"):
        position = position.play(text)
    assert "the last roll cost 1 and 1" in position.svg() and position.svg().count("<polygon") == 1
    midway = Risk(players=3).parse(
        f"phase=roll seat=A turn=9 board={board} from=iceland to=great_britain dice=2 defence=2"
    )
    assert "the last roll" not in midway.play("lost 1:1").svg()
