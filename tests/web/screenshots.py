"""Pictures of the pages for looking at: `python tests/web/screenshots.py FOLDER [GAME ...]`.

Every page of every game at the widths of a telephone and of a desk, in both themes; home and one play page at the width of a
large screen too. A line is printed for a page that is wider than its screen, for text that is cut off or smaller than can be
read, for something to click that is too small for a finger, for a script error and for anything that the content security
policy refused."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from web.serving import CHROMIUM, FLAGS, Server, bearer

import stratagem
from stratagem.contract.game import TOGETHER
from stratagem.puzzles import shipped
from stratagem.registry import game_names
from stratagem.rng import generator

PLIES = 14  # moves before the picture of the middle of a game; fewer where it would be over
SMALLEST_TEXT, SMALLEST_TARGET = 9.0, 20.0  # pixels of a letter's height as set, and of the shorter side of a target

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
  for (const svg of document.querySelectorAll('.board svg')) {
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


SHORT = {"minions": {"plies": 6}, "roborally": {"robots": 2, "max_turns": 3}, "risk": {"turn_cap": 2, "claim": "deal"}}


def finished_game(url: str, name: str) -> str:
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


def over_after(game: Any, now: Any, moves: dict[int, str]) -> bool:
    position = game.parse(now["text"])
    joint = [moves.get(seat, "-") for seat in range(game.players)]
    return bool(position.play(joint if position.turn == TOGETHER else joint[position.turn]).over)


def half_a_plan(page: Any) -> None:
    """Some parts of a plan, or half of what is written, so that it is seen to grow."""
    for _ in range(3):
        choices, pieces = page.locator("#plan .choice"), page.locator("#plan [data-pick]")
        if not page.locator("#plan").is_visible():
            return
        if pieces.count():
            pieces.nth(pieces.count() // 2).click()
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


def look(page: Any, url: str, games: list[str], folder: Path, name: str, everything: bool) -> None:
    """Each page of each game, saved as PNG."""

    def save(what: str) -> None:
        page.screenshot(path=folder / f"{what}-{name}.png", full_page=True)
        seen: dict[str, list[str]] = {}
        for fault, where in page.evaluate(FAULTS, [SMALLEST_TEXT, SMALLEST_TARGET]):
            seen.setdefault(fault, []).append(where)
        for fault, where in seen.items():
            print(f"{what}, {name}: {fault}, {len(where)} times, such as {where[0]!r}", flush=True)

    for path, what in (("/", "home"), ("/nowhere", "error"), ("/puzzles", "puzzles")):
        page.goto(url + path)
        page.wait_for_timeout(400)
        save(what)
    if everything:
        shared(page, url)
        save("shared")
    for game in games:
        number = next((one.number for one in shipped() if one.game == game), None)
        if number is not None:
            page.goto(f"{url}/puzzles/{number}")
            page.wait_for_selector("#board svg")
            page.wait_for_timeout(300)
            page.click("#solution")
            page.wait_for_timeout(400)
            save(f"{game}-puzzle")
        if everything:
            page.goto(f"{url}/review/{finished_game(url, game)}")
            for _ in range(600):
                if page.inner_text("#work").startswith(("Judged by", "The review failed")):
                    break
                page.wait_for_timeout(200)
            if page.locator("#worst .decision").count():
                page.locator("#worst .decision").first.click()
                page.wait_for_timeout(400)
            save(f"{game}-review")
            page.goto(f"{url}/games/{game}")
            page.wait_for_selector("#seats select")
            save(f"{game}-page")
            page.click("#new button.primary")
            page.wait_for_url("**/play/**")
            page.wait_for_selector("#board svg")
            page.wait_for_timeout(400)
            save(f"{game}-start")
        table, token = middle_of_a_game(url, game)
        page.goto(f"{url}/play/{table}#seat={token}")
        page.wait_for_selector("#board svg")
        page.wait_for_timeout(400)
        half_a_plan(page)
        save(f"{game}-plan")
        if everything:
            page.goto(f"{url}/edit/{game}")
            page.wait_for_timeout(500)
            places = page.locator("#board .may")
            for k in range(min(places.count(), 3)):  # some of which are impossible
                places.nth(places.count() // 2 + k).dispatch_event("click")
                page.wait_for_timeout(150)
            save(f"{game}-edit")
            page.goto(f"{url}/analyse/{game}")
            page.wait_for_timeout(1200)
            save(f"{game}-running")
            for _ in range(60):
                if page.inner_text("#think") != "Stop":
                    break
                page.wait_for_timeout(200)
            save(f"{game}-analysed")


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    games = sys.argv[2:] or game_names()
    server = Server(Path(tempfile.mkdtemp()) / "games.sqlite")
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for width in (390, 1280, 1600):
                for theme in ("light", "dark"):
                    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
                    context.add_init_script("localStorage.setItem('stratagem.speed', '4')")
                    page = context.new_page()
                    page.on("pageerror", lambda error: print(f"script error: {error}"))
                    page.on("console", lambda m: print(m.text) if "Security Policy" in m.text else None)
                    shown = games if width < 1600 else games[-1:]
                    look(page, server.url, shown, folder, f"{width}-{theme}", everything=width < 1600)
                    context.close()
            browser.close()
    finally:
        server.kill()


if __name__ == "__main__":
    main()
