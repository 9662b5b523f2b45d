"""What engines need before they are asked, as jobs for the compile service, and a preliminary answer until then.

A job uses an engine once, in another process: afterwards all that it needs lies in the cache. A mark in the cache says that
nothing is left to be done for a game and some engines, so that the next one who opens it starts no process.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from stratagem.compile import cache_folder, impatient, interpreting
from stratagem.compile.portable import cannot_build
from stratagem.compile.processes import Job
from stratagem.compile.shipped import shipped
from stratagem.contract.game import TOGETHER, UNASKED, ArrayGame, Game, Position
from stratagem.contract.player import LEVELS, Choice, Clock, PlayerText
from stratagem.errors import StratagemError, UnsuitableSearch
from stratagem.registry import game_class, player, players
from stratagem.rng import Rng, generator
from stratagem.search.players import whole_turns

RULES = "the rules"
MODULE = "the search for browsers"
BUDGETS = (
    "time",
    "threads",
)  # options that a moment takes the place of; a depth or a count of simulations still bounds it
MOMENT = 0.7  # seconds of a preliminary answer
DECISIONS = 2  # that an engine makes: some of what it needs, such as the reuse of a tree, it needs the second time only
LONGEST_WAIT = 50  # moves of others between two of them


def usual_players(game: Game, *, levels: bool = False) -> list[str]:
    """The players that people ask for: the levels, and unless `levels` is set or where there are none, the others.

    Other programs are not among them, nor are the many searches of whole turns."""
    baselines = whole_turns(game)
    known = [name for name, entry in players(game).items() if not entry.external and name not in baselines]
    return [name for name in LEVELS if name in known] or known if levels else known


def needs(position: Position, engines: Sequence[str], *, rules_first: bool = False) -> dict[str, Job]:
    """Jobs that use a game's engines and its rules once, from a position on.

    The rules come last, since the interpreter runs them at first. With `rules_first` they come first, and whatever the
    interpreter would answer for a while is compiled, too; without, jobs are left out for which all code was shipped."""
    given = position.game.address, pickle.dumps(position)
    uses: dict[str, Job] = {engine: partial(_use, *given, engine, rules_first) for engine in dict.fromkeys(engines)}
    rules: dict[str, Job] = {RULES: partial(_use_rules, *given)}
    if rules_first:
        return {**rules, **uses}
    there = shipped()
    return {name: job for name, job in {**uses, **rules}.items() if not there.does(digest(position.game, name))}


def digest(game: Game, job: str) -> str:
    """The name of a job of a game with its options, in a package of shipped code."""
    chosen = sorted((name, str(value)) for name, value in game.chosen.items())
    return hashlib.sha256(f"{game.address} {chosen} {job}".encode()).hexdigest()[:20]


def mark(game: Game, engines: Sequence[str]) -> Path:
    """The file that says that nothing is left to be done for these engines."""
    from stratagem import __version__

    what = f"{__version__} {game.address} {sorted(game.chosen.items(), key=lambda item: item[0])} {sorted(engines)}"
    return cache_folder() / f"{hashlib.sha256(what.encode()).hexdigest()[:20]}.warm"


def _use(address: str, position: bytes, engine: str, thorough: bool) -> None:
    """Let an engine decide."""
    game_class(address)
    at: Position = pickle.loads(position)
    with impatient() if thorough else contextlib.nullcontext():
        thinker, rng = player(at.game, engine), generator(0)
        for _ in range(DECISIONS):
            if not at.asked:
                return
            seat = at.asked[0]
            move = thinker.choose(at.view(seat), Clock(0.0), seat=seat).move
            at = _played(at, {seat: move}, rng)
            for _ in range(LONGEST_WAIT):
                if seat in at.asked or at.over:
                    break
                at = _played(at, {}, rng)


def module_jobs(position: Position) -> dict[str, Job]:
    """The job that builds the module which browsers run for a game; none where they run none, or it cannot be built here."""
    from stratagem.search import browser

    if not browser.offered(position.game) or cannot_build() is not None:
        return {}
    return {MODULE: partial(build_module, position.game.address, pickle.dumps(position))}


def build_module(address: str, position: bytes) -> None:
    """Build the module which browsers run for a position's game, unless it is there."""
    from stratagem.search import browser

    game_class(address)
    at: Position = pickle.loads(position)
    found = browser.begun(at.game, at)
    found.template.module(found.args)


def use_levels(name: str) -> None:
    """Use the levels of a game, as they are offered."""
    start = game_class(name)().start(seed=0)
    for job in needs(start, usual_players(start.game, levels=True), rules_first=True).values():
        with contextlib.suppress(StratagemError):  # the game itself will say what is wrong
            job()


def _use_rules(address: str, position: bytes) -> None:
    """Count and list moves, and play a few at random."""
    from stratagem.search.perft import Perft

    game_class(address)
    at: Position = pickle.loads(position)
    rng = generator(1)
    with impatient():
        with contextlib.suppress(UnsuitableSearch):
            if isinstance(at.game, ArrayGame):
                Perft(at.game).count(at, 1)
        for _ in range(DECISIONS):
            if at.over:
                return
            for seat in at.asked[:1]:
                with contextlib.suppress(StratagemError):  # too many to be listed
                    at.view(seat).moves(seat)
            at = _played(at, {}, rng)


def _played(position: Position, given: dict[int, str], rng: Rng) -> Position:
    """The position after the moves given, and random ones for all who are asked besides."""
    if position.turn != TOGETHER:
        return position.play(given.get(position.turn) or position.sample(rng))
    asked = position.asked
    seats = range(position.game.players)
    return position.play([given.get(p) or (position.sample(rng, p) if p in asked else UNASKED) for p in seats])


def preliminary(said: PlayerText, view: Position, seat: int | None, lines: int = 1) -> Choice | None:
    """What a player thinks after a moment, with nothing compiled; None where it cannot, or found nothing so soon.

    The answer is that of the player's `quick` one where there is one, else its own, by the same search in the interpreter."""
    game = view.game
    with interpreting(), contextlib.suppress(StratagemError, TypeError, KeyError):
        entry = players(game)[said.name]
        if entry.quick is not None:
            return entry.quick(game, seed=0).choose(view, Clock(MOMENT), seat=seat, lines=lines)
        options: dict[str, Any] = {"seed": 0, **said.options, "target": "python"}
        for name in BUDGETS:
            options.pop(name, None)
        return entry.make(game, **options).choose(view, Clock(MOMENT), seat=seat, lines=lines)
    return None
