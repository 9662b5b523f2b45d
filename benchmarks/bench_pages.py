"""Claim: every kind of page paints within 0.75 s of being asked for, and weighs at most 150 KB on the wire.

A server of its own, and Chromium without a window and with an empty cache for each page. It prints

- the best and the median first contentful paint of several openings, as the browser itself reports it
  (`PerformancePaintTiming`), from the moment that the page was asked for;
- the median processor time of the page's thread until it has loaded, which other work on the machine hardly changes;
- what went over the wire, fonts and drawings included.

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


def opened(browser: Any, address: str) -> tuple[float, float, int]:
    """The first paint and the processor time of the page's thread in ms, and bytes on the wire."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    wire: list[Any] = []

    def finished(request: Any) -> None:
        wire.append(request)

    page.on("requestfinished", finished)
    measured = context.new_cdp_session(page)
    measured.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(address, wait_until="load")
    painted = page.evaluate(PAINTED)
    while painted is None:
        page.wait_for_timeout(20)
        painted = page.evaluate(PAINTED)
    page.wait_for_timeout(200)
    metrics = {one["name"]: one["value"] for one in measured.send("Performance.getMetrics")["metrics"]}
    heard = [request.sizes() for request in wire if not request.url.endswith("/events")]
    context.close()
    busy = 1000 * metrics["TaskDuration"]
    return float(painted), busy, sum(sizes["responseBodySize"] + sizes["responseHeadersSize"] for sizes in heard)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--runs", type=int, default=7, help="openings of each page")
    given = asked.parse_args()
    server, missed = Server(Path(tempfile.mkdtemp()) / "games.sqlite"), []
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            print(f"{'page':16}{'best ms':>10}{'median ms':>12}{'processor ms':>14}{'KB':>8}")
            for kind, path in KINDS.items():
                address = server.url + path(server.url)
                times, busy, weights = zip(*(opened(browser, address) for _ in range(given.runs)), strict=True)
                shown = f"{kind:16}{min(times):10.0f}{statistics.median(times):12.0f}{statistics.median(busy):14.0f}"
                print(f"{shown}{max(weights) / 1000:8.0f}", flush=True)
                if statistics.median(times) > PAINT_MS or max(weights) > BYTES:
                    missed.append(kind)
            browser.close()
    finally:
        server.kill()
    print("the claim holds" if not missed else f"the claim does not hold for: {', '.join(missed)}")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
