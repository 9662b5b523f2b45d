"""Pictures of the pages for looking at: `python tests/web/screenshots.py FOLDER [GAME ...]`.

Every page at the widths of a telephone and of a desk, in both themes; a line is printed for a page that is wider than its
screen, for a script error and for anything that the content security policy refused."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from web.serving import CHROMIUM, FLAGS, Server

from stratagem.registry import game_names


def look(page: Any, url: str, games: list[str], folder: Path, name: str) -> None:
    """Each page of each game, saved as PNG."""

    def save(what: str) -> None:
        page.screenshot(path=folder / f"{what}-{name}.png", full_page=True)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wide > 0:
            print(f"{what}, {name}: {wide} pixels wider than the screen")

    for path, what in (("/", "home"), ("/nowhere", "error")):
        page.goto(url + path)
        page.wait_for_timeout(300)
        save(what)
    for game in games:
        page.goto(f"{url}/games/{game}")
        page.wait_for_selector("#seats select")
        save(f"{game}-page")
        page.click("#new button.primary")
        page.wait_for_url("**/play/**")
        page.wait_for_selector("#board svg")
        page.wait_for_timeout(1000)
        for _ in range(3):  # a few parts of a plan, so that it is seen to grow
            choices = page.locator("#plan .choice")
            if page.locator("#plan").is_visible() and choices.count():
                choices.first.click()
                page.wait_for_timeout(500)
        save(f"{game}-play")
        page.goto(f"{url}/analyse/{game}")
        page.wait_for_timeout(4500)
        save(f"{game}-analyse")


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    games = sys.argv[2:] or game_names()
    server = Server(Path(tempfile.mkdtemp()) / "games.sqlite")
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for width in (390, 1280):
                for theme in ("light", "dark"):
                    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
                    context.add_init_script("localStorage.setItem('stratagem.speed', '4')")
                    page = context.new_page()
                    page.on("pageerror", lambda error: print(f"script error: {error}"))
                    page.on("console", lambda m: print(m.text) if "Security Policy" in m.text else None)
                    look(page, server.url, games, folder, f"{width}-{theme}")
                    context.close()
            browser.close()
    finally:
        server.kill()


if __name__ == "__main__":
    main()
