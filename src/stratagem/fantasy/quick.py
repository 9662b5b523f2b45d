"""Advice at once: while the compiler is still at work the first question is answered in closed form.

`advise` is what the live draft and the page call. Where compiled code lies on disk (a mark beside it says so) it is loaded,
and drafts are simulated at once. Where it does not, `first_look` answers: values by the best line-up, survival from the
average positions and their spreads alone, and the cost of waiting that follows; a thread compiles from then on, and as soon
as it has done so drafts are simulated.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import platform
import threading
from pathlib import Path
from typing import Any

import numpy as np

from stratagem.compile import cache_folder
from stratagem.errors import GameOver
from stratagem.fantasy import engine
from stratagem.fantasy.advice import (
    Advice,
    AdviceSettings,
    Believed,
    Recommendation,
    alerts,
    candidates_for,
    reason,
    recommend,
    values_now,
)
from stratagem.fantasy.league import League, Room
from stratagem.fantasy.table import Item
from stratagem.search.settings import settings_of

PATIENCE = 20.0  # seconds that a question waits for compiled code to be loaded
_warm = threading.Event()
_started = threading.Lock()
_thread: threading.Thread | None = None


def warm_up(wait: float | None = None) -> bool:
    """Start compiling, once in a process, and wait so long (None: until it is done); whether it is."""
    global _thread
    with _started:
        if _thread is None:
            _thread = threading.Thread(target=_compile, name="draft assistant", daemon=True)
            _thread.start()
    _warm.wait(wait)
    return _warm.is_set()


def _compile() -> None:
    """One advice in the smallest league calls every template with the types that it has in all others."""
    items = tuple(Item(f"{k}", ("A",), 9.0 - k, k + 1.0, 1.0) for k in range(6))
    room = Room(League(items, 2, "A:1,BENCH:1"))
    with engine.compiling():
        recommend(room, simulations=1, survival_simulations=1)
        room.lineup(0)
    _warm.set()
    with contextlib.suppress(OSError):
        mark().touch()


def mark() -> Path:
    """The file that says that this engine's compiled code lies beside it."""
    text = Path(engine.__file__).read_bytes() + platform.python_version().encode()
    return cache_folder() / f"draft-assistant-{hashlib.sha256(text).hexdigest()[:16]}.warm"


def advise(room: Room, team: int, *, opponents: Believed, **changes: Any) -> Advice:
    """`recommend`, or a first look where nothing is compiled yet."""
    if _warm.is_set() or (mark().exists() and warm_up(PATIENCE)):
        return recommend(room, team, opponents=opponents, **changes)
    engine.interpret()
    found = first_look(room, team, settings_of(AdviceSettings, None, changes))
    warm_up(0.0)
    return found


_auction = threading.Event()
_auction_thread: threading.Thread | None = None


def auction_ready() -> bool:
    """Whether auctions can be simulated; the first question starts a thread that compiles, and does not wait for it."""
    global _auction_thread
    with _started:
        if _auction_thread is None:
            _auction_thread = threading.Thread(target=_compile_auction, name="auctions", daemon=True)
            _auction_thread.start()
    _auction.wait(0.3)
    return _auction.is_set()


def _compile_auction() -> None:
    from stratagem.fantasy.auction import Auction, advise_bid

    items = tuple(Item(f"{k}", ("A",), 99.0 - 9 * k, k + 1.0, 1.0) for k in range(6))
    auction = Auction.begin(League(items, 2, "A:1,BENCH:1"), 20)
    with engine.compiling():
        advise_bid(auction, 0, 0, simulations=1)
        auction.lineup(0)
    _auction.set()


def begin() -> None:
    """Where nothing is compiled yet, start in the interpreter; for a process that people wait for."""
    if not _warm.is_set() and not mark().exists():
        engine.interpret()


def first_look(room: Room, team: int, settings: AdviceSettings) -> Advice:
    """Recommendations by the cost of waiting, in closed form."""
    if room.over:
        raise GameOver(f"the draft is over after {room.league.turns} picks: there is nothing to recommend")
    turn = room.turn if room.team == team else room.next_turn(team)
    if turn is None:
        raise GameOver(f"team {team + 1} has no pick left")
    league = room.league
    after = room.next_turn(team, turn)
    end = league.turns if after is None else after
    values = values_now(room, team)
    stays = np.array([_stays(item, room.turn, end) for item in league.items])
    later: dict[str, float] = {}
    for position in league.positions:
        # the best that is left is the first of the list that nobody took
        members = [x for x, item in enumerate(league.items) if position in item.positions and x not in room.taken]
        best, nobody = 0.0, 1.0
        for x in sorted(members, key=lambda x: -values[x])[:40]:
            best += nobody * stays[x] * float(values[x])
            nobody *= 1.0 - stays[x]
        later[position] = best
    found = []
    for x in candidates_for(room, team, values):
        item = league.items[x]
        wait = max(later[p] for p in item.positions)
        left = sum(
            1
            for y, other in enumerate(league.items)
            if item.tier
            and other.tier == item.tier
            and y not in room.taken
            and set(other.positions) & set(item.positions)
        )
        value = float(values[x])
        why = reason(room, x, value, wait, float(stays[x]), left, after)
        worth = value - wait
        found.append(
            Recommendation(x, item.name, item.position, worth, 0.0, value, wait, float(stays[x]), item.tier, left, why)
        )
    found.sort(key=lambda r: (-r.worth, -league.vor[r.item], r.item))
    told = ("a first look: drafts are simulated from the next question on", *alerts(room, team))
    return Advice(team, turn, after, tuple(found[: settings.most]), told, 0, 0.0)


def _stays(item: Item, now: int, end: int) -> float:
    """The chance that an item that is there now is still there at a turn, by its average position alone."""
    here, there = (_beyond((t + 0.5 - item.adp) / max(item.sd, 0.1)) for t in (now, end))
    return min(1.0, there / here) if here > 1e-12 else 0.0


def _beyond(z: float) -> float:
    return 0.5 * math.erfc(z / math.sqrt(2))


__all__ = ["advise", "auction_ready", "begin", "first_look", "warm_up"]
