"""Claim: every kind of page paints within 0.75 s of being asked for, and weighs at most 150 KB on the wire.

A server of its own, and Chromium without a window and with an empty cache for each page. The first contentful paint is what the
browser itself reports (`PerformancePaintTiming`), from the moment that the page was asked for; the best and the median of
several openings are printed, and what went over the wire, fonts and drawings included.

`--runs` says how often each page is opened. Needs Chromium and the extra `dev`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from web.kinds import KINDS
from web.serving import CHROMIUM, FLAGS, Server

PAINT_MS, BYTES = 750.0, 150_000
PAINTED = """() => performance.getEntriesByType('paint').filter(({ name }) => name === 'first-contentful-paint')
  .map(({ startTime }) => startTime)[0] ?? null"""


def opened(browser: Any, address: str) -> tuple[float, int]:
    """The first paint in ms, and bytes on the wire."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    wire: list[Any] = []

    def finished(request: Any) -> None:
        wire.append(request)

    page.on("requestfinished", finished)
    page.goto(address, wait_until="load")
    painted = page.evaluate(PAINTED)
    while painted is None:
        page.wait_for_timeout(20)
        painted = page.evaluate(PAINTED)
    page.wait_for_timeout(200)
    heard = [request.sizes() for request in wire if not request.url.endswith("/events")]
    context.close()
    return float(painted), sum(sizes["responseBodySize"] + sizes["responseHeadersSize"] for sizes in heard)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--runs", type=int, default=7, help="openings of each page")
    given = asked.parse_args()
    server, missed = Server(Path(tempfile.mkdtemp()) / "games.sqlite"), []
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            print(f"{'page':16}{'best ms':>10}{'median ms':>12}{'KB':>8}")
            for kind, path in KINDS.items():
                address = server.url + path(server.url)
                times, weights = zip(*(opened(browser, address) for _ in range(given.runs)), strict=True)
                print(
                    f"{kind:16}{min(times):10.0f}{statistics.median(times):12.0f}{max(weights) / 1000:8.0f}", flush=True
                )
                if statistics.median(times) > PAINT_MS or max(weights) > BYTES:
                    missed.append(kind)
            browser.close()
    finally:
        server.kill()
    print("the claim holds" if not missed else f"the claim does not hold for: {', '.join(missed)}")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
