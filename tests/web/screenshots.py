"""Pictures of the pages for looking at: `python tests/web/screenshots.py FOLDER [--widths ..] [--themes ..] [GAME ...]`.

Every page of every game at the widths of a telephone and a desktop, in both themes, and the draft room. A line is printed for a
page that is wider than its screen, for text that is cut off or smaller than 11 pixels, for something to click that is too
small for a finger, for a script error and for anything that the content security policy refused. Games that are played for the
pictures are played, and reviewed, once for all of them. `sheet-WIDTH-THEME.png` has all pages of one kind of screen."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from web.kinds import finished
from web.serving import CHROMIUM, FLAGS, Server, bearer

import stratagem
from stratagem.contract.game import TOGETHER
from stratagem.puzzles import shipped
from stratagem.registry import game_names
from stratagem.rng import generator

PLIES = 14  # moves before the picture of the middle of a game; fewer where it would be over
SMALLEST_TEXT, SMALLEST_TARGET = 10.9, 20.0  # pixels of a letter's height as set, and of the shorter side of a target

# What a page may not do, found in the page itself: [what, where] of each fault.
FAULTS = """([smallestText, smallestTarget]) => {
  const found = [];
  const root = document.documentElement;
  const name = (e) => (e.getAttribute('aria-label') ?? e.textContent ?? '').trim().slice(0, 40);
  if (root.scrollWidth > root.clientWidth) found.push([`${root.scrollWidth - root.clientWidth} pixels too wide`, '']);
  for (const e of document.querySelectorAll('main *:not(svg *)')) {
    if (e.closest('.unseen') || !e.offsetParent) continue;
    const { overflowX } = getComputedStyle(e);
    if (overflowX === 'hidden' && e.scrollWidth > e.clientWidth + 1) found.push(['cut off', name(e)]);
  }
  for (const svg of document.querySelectorAll('.board:not(.still, .thumbnail) svg')) {
    const box = svg.getBoundingClientRect();
    for (const text of svg.querySelectorAll('text')) {
      const at = text.getBoundingClientRect();
      if (!at.width) continue;
      const size = parseFloat(getComputedStyle(text).fontSize) * Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b);
      if (size < smallestText) found.push([`text of ${size.toFixed(1)} pixels`, name(text)]);
      if (at.left < box.left - 1 || at.right > box.right + 1 || at.top < box.top - 1 || at.bottom > box.bottom + 1)
        found.push(['text outside the drawing', name(text)]);
    }
    for (const target of svg.querySelectorAll('.may')) {
      const at = target.getBoundingClientRect();
      if (Math.min(at.width, at.height) < smallestTarget)
        found.push([`a target of ${Math.min(at.width, at.height).toFixed(1)} pixels`, name(target)]);
    }
  }
  return found;
}"""


@cache
def middle_of_a_game(url: str, name: str) -> tuple[str, str]:
    """A table some moves into a game of people, and the token of a seat that must decide."""
    game = stratagem.game(name)
    with httpx.Client(base_url=url, timeout=60) as client:
        made = client.post("/api/tables", json={"game": name, "seats": ["person"] * game.players}).json()
        path, tokens = f"/api/tables/{made['table']}", {int(seat): token for seat, token in made["tokens"].items()}
        for seat, invitation in made["invitations"].items():
            tokens[int(seat)] = client.post(f"{path}/join", json={"invitation": invitation}).json()["token"]

        def state(seat: int) -> Any:
            return client.get(path, headers=bearer(tokens[seat])).json()

        rng = generator(1)
        while (now := state(0))["ply"] < PLIES:
            moves = {}
            for seat in now["asked"]:
                view = game.parse(state(seat)["text"])
                moves[seat] = view.sample(rng, seat if view.turn == TOGETHER else None)
            if not game.hidden and over_after(game, now, moves):
                break
            for seat, move in moves.items():
                body = {"move": move, "ply": now["ply"]}
                assert client.post(f"{path}/moves", json=body, headers=bearer(tokens[seat])).status_code == 200, move
            if state(0)["turn"] == "over":
                break
        asked = state(0)["asked"]
        return made["table"], tokens[asked[0] if asked else 0]


def over_after(game: Any, now: Any, moves: dict[int, str]) -> bool:
    position = game.parse(now["text"])
    joint = [moves.get(seat, "-") for seat in range(game.players)]
    return bool(position.play(joint if position.turn == TOGETHER else joint[position.turn]).over)


def half_a_plan(page: Any) -> None:
    """Some parts of a plan, or half of what is written, so that it is seen to grow."""
    for _ in range(3):
        choices, pieces = page.locator("#plan .choice:visible"), page.locator("#plan [data-pick]")
        if not page.locator("#plan").is_visible():
            return
        if pieces.count():
            pieces.nth(pieces.count() // 2).click()
        elif page.locator("#board .may[data-place]").count():
            places = page.locator("#board .target")
            places = places if places.count() else page.locator("#board .may[data-place]")
            places.nth(places.count() // 2).dispatch_event("click")
        elif choices.count() and page.evaluate("document.querySelector('#plan h2').textContent !== 'Your move'"):
            choices.nth(choices.count() // 2).click()
        page.wait_for_timeout(250)


def shared(page: Any, url: str) -> None:
    """A table with an invitation, whose link is shown as a code."""
    page.goto(f"{url}/games/bidding")
    page.wait_for_selector("#seats select")
    page.select_option("#seat-1", "person")
    page.click("#new button.primary")
    page.wait_for_selector("#invite button:has-text('QR code')")
    page.click("#invite button:has-text('QR code')")
    page.wait_for_selector("#invite .qr svg")


def puzzled(page: Any, url: str, game: str, save: Callable[[str], None]) -> None:
    number = next((one.number for one in shipped() if one.game == game), None)
    if number is None:
        return
    page.goto(f"{url}/puzzles/{number}")
    page.wait_for_selector("#board svg")
    page.wait_for_timeout(300)
    page.click("#solution")
    page.wait_for_timeout(400)
    save("puzzle")


@cache
def over(url: str, game: str) -> str:
    return finished(url, game)


def reviewed(page: Any, url: str, game: str, save: Callable[[str], None]) -> None:
    """A game that is over, as its table shows it and as it is reviewed."""
    table = over(url, game)
    page.goto(f"{url}/play/{table}")
    page.wait_for_selector("#result:not([hidden])")
    page.wait_for_timeout(300)
    save("over")
    page.goto(f"{url}/review/{table}")
    for _ in range(600):
        if page.inner_text("#work").startswith(("Judged by", "The review failed")):
            break
        page.wait_for_timeout(200)
    if page.locator("#worst .decision").count():
        page.locator("#worst .decision").first.click()
        page.wait_for_timeout(400)
    save("review")


def played(page: Any, url: str, game: str, save: Callable[[str], None]) -> None:
    """A game's own page, a game that begins, one some moves on with a plan begun, and the same as others see it."""
    page.goto(f"{url}/games/{game}")
    page.wait_for_selector("#seats select")
    save("page")
    page.click("#new button.primary")
    page.wait_for_url("**/play/**")
    page.wait_for_selector("#board svg")
    page.wait_for_timeout(400)
    save("start")
    table, token = middle_of_a_game(url, game)
    page.goto(f"{url}/play/{table}")
    page.wait_for_selector("#board svg")
    page.wait_for_timeout(400)
    save("watched")
    page.goto(f"{url}/play/{table}#seat={token}")
    page.reload()  # which another hash alone does not do
    page.wait_for_selector("#board svg")
    page.wait_for_timeout(400)
    half_a_plan(page)
    save("plan")


def analysed(page: Any, url: str, game: str, save: Callable[[str], None]) -> None:
    page.goto(f"{url}/edit/{game}")
    page.wait_for_timeout(500)
    places = page.locator("#board .may")
    for k in range(min(places.count(), 3)):  # some of which are impossible
        places.nth(places.count() // 2 + k).dispatch_event("click")
        page.wait_for_timeout(150)
    save("edit")
    page.goto(f"{url}/analyse/{game}")
    begun = False  # it begins by itself, not at once
    for _ in range(100):
        begun = begun or page.inner_text("#think") == "Stop"
        if page.locator("#lines tbody tr").count() > 1 or (begun and page.inner_text("#think") != "Stop"):
            break
        page.wait_for_timeout(200)
    if page.inner_text("#think") == "Stop":
        page.click("#think")
    page.wait_for_timeout(300)
    save("analysed")


PAGES = {"puzzle": puzzled, "review": reviewed, "play": played, "analyse": analysed}


def draft_room(page: Any, url: str, save: Callable[[str], None]) -> None:
    page.goto(url)
    page.wait_for_selector("#advice li")
    for _ in range(3):
        first = page.locator("#advice button.take:not([disabled])")
        if first.count() and first.first.is_visible():
            first.first.click()
            page.wait_for_timeout(600)
    save("draft-room")
    for tab in page.locator("[role=tab]").all():
        if tab.is_visible():
            tab.click()
            page.wait_for_timeout(200)
            save(f"draft-room-{tab.get_attribute('id')}")


def saver(page: Any, folder: Path, name: str) -> Callable[[str], None]:
    """Saves what a page shows as a picture, and prints what is wrong with it."""

    def save(what: str) -> None:
        page.screenshot(path=folder / f"{what}-{name}.png", full_page=True, animations="disabled")
        seen: dict[str, list[str]] = {}
        for fault, where in page.evaluate(FAULTS, [SMALLEST_TEXT, SMALLEST_TARGET]):
            seen.setdefault(fault, []).append(where)
        for fault, where in seen.items():
            print(f"{what}, {name}: {fault}, {len(where)} times, such as {where[0]!r}", flush=True)

    return save


def look(page: Any, url: str, games: list[str], kinds: list[str], save: Callable[[str], None]) -> None:
    """Each page of each game."""
    for path, what in (("/nowhere", "error"), ("/puzzles", "puzzles")):
        page.goto(url + path)
        page.wait_for_timeout(400)
        save(what)
    shared(page, url)
    save("shared")
    for game in games:
        for kind in kinds:
            PAGES[kind](page, url, game, lambda what, game=game: save(f"{game}-{what}"))  # type: ignore[misc]
    page.goto(url)  # last, with the games that were begun
    page.wait_for_timeout(1500)
    for card in page.locator(".thumbnail").all():  # pictures are loaded when they are come to
        card.scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    save("home")


def sheet(browser: Any, folder: Path, screen: str) -> None:
    """All pictures of one kind of screen on one sheet, each cut off below a long screen."""
    pictures = sorted(folder.glob(f"*-{screen}.png"))
    figures = "".join(
        f'<figure><div><img src="{p.name}"></div>{p.stem}</figure>' for p in pictures if p.stem != f"sheet-{screen}"
    )
    style = (
        "body { display: flex; flex-wrap: wrap; gap: 8px; font: 12px sans-serif } figure { margin: 0; width: 230px } "
        "div { max-height: 420px; overflow: hidden } img { width: 100% }"
    )
    page_of_all = folder / f"sheet-{screen}.html"
    page_of_all.write_text(f"<!doctype html><style>{style}</style>{figures}")
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(page_of_all.resolve().as_uri())
    page.screenshot(path=folder / f"sheet-{screen}.png", full_page=True)
    page.close()
    page_of_all.unlink()


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("folder", type=Path)
    asked.add_argument("games", nargs="*")
    asked.add_argument("--widths", type=int, nargs="*", default=[390, 1440])
    asked.add_argument("--themes", nargs="*", default=["light", "dark"])
    asked.add_argument("--pages", nargs="*", choices=list(PAGES), default=list(PAGES))
    given = asked.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    held = Path(tempfile.mkdtemp())
    server = Server(held / "games.sqlite")
    command = [
        sys.executable,
        "-c",
        "from stratagem.cli import main; main()",
        "draft",
        "serve",
        "--no-open",
        "--port",
        "0",
    ]
    room = subprocess.Popen([*command, "--store", str(held / "draft.sqlite")], stdout=subprocess.PIPE, text=True)
    assert room.stdout is not None
    found = re.search(r"http://\S+", room.stdout.readline())
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for width in given.widths:
                for theme in given.themes:
                    context = browser.new_context(
                        viewport={"width": width, "height": 900},
                        color_scheme=theme,
                        has_touch=width < 500,
                        is_mobile=width < 500,
                    )
                    context.add_init_script("localStorage.setItem('stratagem.speed', '4')")
                    page = context.new_page()
                    page.on("pageerror", lambda error: print(f"script error: {error}"))
                    page.on("console", lambda m: print(m.text) if "Security Policy" in m.text else None)
                    save = saver(page, given.folder, f"{width}-{theme}")
                    look(page, server.url, given.games or game_names(), given.pages, save)
                    if found:
                        draft_room(page, found[0], save)
                    context.close()
                    sheet(browser, given.folder, f"{width}-{theme}")
            browser.close()
    finally:
        server.kill()
        room.kill()


if __name__ == "__main__":
    main()
