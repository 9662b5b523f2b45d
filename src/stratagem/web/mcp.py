"""Games, analyses and equilibria as tools for other programs, by the Model Context Protocol (extra `mcp`).

A position is known by its text, or by the moves that led to it, as in an address of the analysis page. Nothing is kept between
calls. What comes from outside is bounded as on the web (`Catalogue`): options, texts, engines that run other programs, files.
Searches run one at a time in a process of their own, which is ended when it takes too long.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

from stratagem import __version__
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import TOGETHER, Position
from stratagem.contract.growing import GrowingPlan
from stratagem.contract.words import in_words
from stratagem.errors import OptionError, StratagemError
from stratagem.kernel import CHANCE
from stratagem.web.catalogue import Catalogue, follow
from stratagem.web.engines import engines
from stratagem.web.guard import Limits
from stratagem.web.showing import turn_word
from stratagem.web.table import plain_options
from stratagem.web.thinking import SMALLEST

try:
    from mcp.server.mcpserver import Image, MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from pydantic import Field
except ImportError as error:
    raise StratagemError("the tools for other programs need the SDK of MCP: pip install 'stratagem[mcp]'") from error

LIMITS = Limits()
COMPILING = 120.0  # seconds that a search may take beside its own: it may have to be compiled
MOST_LINES, MOST_LISTED, MOST_MOVES = 20, 200, 2000  # lines of an analysis; moves that are listed; moves of a record
MOST_CELLS = 2_000  # joint moves of a game that is given as numbers
MOST_PICKS = 2_000

Game = Annotated[str, Field(description="a game by its name, of list_games", max_length=200)]
Options = Annotated[dict[str, Any] | None, Field(description="options of the game, as describe_game tells them")]
Text = Annotated[str, Field(description="the text of a position; empty: the start", max_length=LIMITS.body)]
Moves = Annotated[
    list[str] | None, Field(description="moves played from the position, in order", max_length=MOST_MOVES)
]
Seat = Annotated[int | None, Field(description="a seat, counted from 0; whoever is to decide if left out", ge=0, le=63)]
Seconds = Annotated[float, Field(description="thinking time", gt=0, le=LIMITS.seconds)]
Seed = Annotated[int, Field(description="the same seed gives the same answer, where no clock decides", ge=0)]


class Aside:
    """One process for long work, which is ended where that takes too long, and begun again for the next."""

    def __init__(self, files: Sequence[str]) -> None:
        self.files = tuple(files)
        self._process: Any = None
        self._pipe: Any = None
        self._free = threading.Lock()  # one search at a time

    def __call__(self, work: Callable[..., dict[str, Any]], asked: dict[str, Any], seconds: float) -> dict[str, Any]:
        with self._free:
            if self._process is None or not self._process.is_alive():
                self._begin()
            try:
                self._pipe.send((work, self.files, asked))
                if not self._pipe.poll(seconds + COMPILING):
                    self._end()
                    raise StratagemError(
                        f"no answer after {seconds + COMPILING:.0f} s: ask for a smaller position or fewer seconds"
                    )
                found, wrong = self._pipe.recv()
            except (EOFError, OSError):
                status = self._end()
                raise StratagemError(
                    f"the process of searches ended with status {status} before it had answered; -9 means that the system "
                    "ended it, as it does when memory runs out"
                ) from None
        if wrong:
            raise StratagemError(wrong)
        return dict(found)

    def close(self) -> None:
        with self._free:
            self._end()

    def _begin(self) -> None:
        self._end()
        spawning = multiprocessing.get_context("spawn")
        self._pipe, theirs = spawning.Pipe()
        self._process = spawning.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()  # so that its end is reported when the process is gone

    def _end(self) -> int | None:
        """End the process; its status."""
        process, self._process = self._process, None
        if process is None:
            return None
        process.join(0.2)  # one that is ending keeps its status
        process.kill()
        process.join()
        self._pipe.close()
        return int(process.exitcode)


def _serve(pipe: Any) -> None:
    """The process of searches: answer questions until nobody asks any more."""
    _alone()
    with suppress(EOFError, OSError):
        while True:
            pipe.send(_guarded(*pipe.recv()))


def _alone() -> None:
    """What the process of searches begins with: nothing that it prints goes among the messages, and its memory is bounded."""
    os.dup2(2, 1)
    os.nice(5)
    room = max(SMALLEST, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (room, room))


def _guarded(
    work: Callable[..., dict[str, Any]], files: tuple[str, ...], asked: dict[str, Any]
) -> tuple[dict[str, Any], str]:
    """The answer, or a line on what went wrong; errors themselves need not fit through the pipe."""
    try:
        return work(Catalogue(files), **asked), ""
    except StratagemError as error:
        return {}, str(error)
    except MemoryError:
        return {}, "this takes more memory than a search may have"
    except Exception as error:
        return {}, f"{type(error).__name__}: {error}"


# ------------------------------------------------------------------------------------------------------- positions


def position_of(
    catalogue: Catalogue, game: str, options: dict[str, Any] | None, position: str, moves: list[str] | None
) -> Position:
    """The position that a call is about."""
    return follow(catalogue.game(game, options), position.strip() or None, moves or [])


def decided(at: Position, seat: int | None) -> tuple[Position, int | None]:
    """What the seat that is asked sees, and the seat; all of it where nobody decides."""
    if seat is not None and seat >= at.game.players:
        raise OptionError(f"there is no seat {seat}; {at.game.name} has seats 0 to {at.game.players - 1}")
    who = seat if seat is not None else (at.asked[0] if at.asked else None)
    return (at if who is None else at.view(who)), who


def shown(at: Position) -> dict[str, Any]:
    """A position as data: its text, who decides, what may be played, the board in letters, the result."""
    game = at.game
    found: dict[str, Any] = {
        "game": game.name,
        "options": plain_options(game),
        "position": str(at),
        "decides": turn_word(at),  # seat, together, chance or over
        "seats": [game.seat_name(p) for p in range(game.players)],
        "asked": list(at.asked),
        "board": at.text_art(),
    }
    if at.over:
        return {**found, "payoff": list(at.payoff), "outcome": Wording.of(game).outcome(at)}
    asked = at.asked or (None,)
    return {**found, "plans": {str(p if p is not None else "chance"): plans_of(at, p) for p in asked}}


def plans_of(at: Position, seat: int | None, text: str = "") -> dict[str, Any]:
    """What a seat may play: all moves where they can be listed, else the parts that may come next in a plan."""
    view = at if seat is None else at.view(seat)
    if not text:
        try:
            moves = view.moves() if seat is None else view.moves(seat)
            return {"moves": moves[:MOST_LISTED], "count": len(moves)}
        except StratagemError:
            pass
    parts = tuple(part.strip() for part in text.split(";") if part.strip())
    following = GrowingPlan(view, seat, parts).following
    return {
        "next_parts": list(following.next[:MOST_LISTED]),
        "complete": following.complete,
        "between_parts": ";",
        **({} if following.next else {"type": following.free or ""}),
    }


def picture(at: Position) -> Image:
    """The drawing: PNG where it can be made, else SVG."""
    svg = at.svg()
    try:
        import resvg_py
    except ImportError:
        return Image(data=svg.encode(), format="svg+xml")
    return Image(data=bytes(resvg_py.svg_to_bytes(svg_string=svg)), format="png")


def played(at: Position, plans: Sequence[str], seed: int | None) -> tuple[Position, list[str]]:
    """The position after one plan, or one of each seat that decides at once, and what chance then decides; with the moves as
    the record has them."""
    begun = len(at.history)
    if at.turn == TOGETHER:
        if len(plans) != len(at.asked):
            names = ", ".join(at.game.seat_name(p) for p in at.asked)
            raise OptionError(f"{names} decide at once: give {len(at.asked)} plans, in this order")
        chosen = {
            seat: GrowingPlan.of(at.view(seat), seat, plan).settled()[0]
            for seat, plan in zip(at.asked, plans, strict=True)
        }
        at = at.play([chosen.get(p, "-") for p in range(at.game.players)])
    elif len(plans) != 1:
        raise OptionError(f"one seat decides here: give one plan, not {len(plans)}")
    else:
        at = at.play(plans[0])
    if seed is not None:
        at = drawn(at, seed)
    return at, list(at.history[begun:])


def drawn(at: Position, seed: int) -> Position:
    """The position when chance has done its part, by a seed."""
    from stratagem.rng import generator

    rng = generator(seed, len(at.history))
    while at.turn == CHANCE:
        at = at.play(at.sample(rng))
    return at


# --------------------------------------------------------------------------------------- what runs in its own process


def analysed(
    catalogue: Catalogue, about: tuple[Any, ...], engine: str, seconds: float, lines: int, seat: int | None, seed: int
) -> dict[str, Any]:
    """A choice as data, with the lines in words."""
    from stratagem.contract.player import Clock, PlayerText
    from stratagem.registry import default_engine, player

    at = position_of(catalogue, *about)
    known = engines(at.game)
    said = PlayerText.parse(engine or default_engine(at.game, known))
    if said.name not in known:
        raise OptionError(f"{at.game.name} has no engine {said.name[:80]!r} here; there are {', '.join(known)}")
    if said.options:
        raise OptionError("engines are asked by their names alone here; seconds are the call's")
    view, who = decided(at, seat)
    choice = player(at.game, said.name, seed=seed).choose(view, Clock(seconds), seat=who, lines=lines)
    reported = [in_words(view, line.moves[0]) for line in choice.lines[:lines]]
    return {**choice.json(), "lines": [line.json() for line in choice.lines[:lines]], "words": reported}


def solved(catalogue: Catalogue, about: tuple[Any, ...]) -> dict[str, Any]:
    """The exact value as data."""
    from stratagem.questions import solve

    return solve(position_of(catalogue, *about)).json()


def found_equilibria(
    catalogue: Catalogue, payoffs: Any, concept: str, objective: str, every: bool, seed: int, seconds: float
) -> dict[str, Any]:
    """Equilibria of a game that is given as numbers."""
    from stratagem.equilibrium.tables import equilibria

    return equilibria(
        payoffs, concept, objective=objective, every=every, seed=seed, seconds=seconds, most_cells=MOST_CELLS
    )


def advised(
    catalogue: Catalogue,
    table: str,
    preset: str,
    teams: int | None,
    roster: str,
    slot: int,
    picks: list[str],
    seconds: float,
    seed: int,
) -> dict[str, Any]:
    """Whom a team should take now, as data."""
    from stratagem.fantasy.advice import Opponents
    from stratagem.fantasy.league import SLOTS, Room
    from stratagem.fantasy.presets import Setup, preset_of
    from stratagem.fantasy.quick import advise
    from stratagem.fantasy.sample import SAMPLE
    from stratagem.fantasy.table import find_item, read_table

    items = read_table(SAMPLE)
    if table:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "players.csv"
            file.write_text(table, encoding="utf-8")
            items = read_table(file)
    usual = preset_of(preset) if preset else None
    number = teams or (usual.teams if usual else 12)
    slots = roster or (usual.slots if usual else SLOTS)
    setup = Setup(SAMPLE, teams=number, roster=slots, you=slot, best_ball=bool(usual and usual.best_ball))
    league = setup.league(items)
    room = Room(league)
    for name in picks:
        room = room.apply(find_item(items, name))
    advice = advise(room, slot - 1, opponents=Opponents(), seconds=seconds, seed=seed)
    reported = advice.json()
    return {**reported, "on_the_clock": room.team + 1, "picks_made": len(room.picks)}


# ------------------------------------------------------------------------------------------------------------ the tools


class Tools:
    """What other programs may call: each public method is a tool, its docstring what they read about it."""

    def __init__(self, catalogue: Catalogue, aside: Aside) -> None:
        self._catalogue, self._aside = catalogue, aside

    def list_games(self) -> dict[str, Any]:
        """List the games: name, title, what one is about, and what kind of plan a move is."""
        return {"games": [self._catalogue.brief(name) for name in self._catalogue.names()]}

    def describe_game(self, game: Game) -> dict[str, Any]:
        """Tell a game's rules in brief, its options, seats and engines."""
        return self._catalogue.describe(game)

    def show_position(
        self, game: Game, options: Options = None, position: Text = "", moves: Moves = None, seat: Seat = None
    ) -> list[Any]:
        """Show a position as data, with its board in letters what may be played, and a picture. A seat sees its own view."""
        at = position_of(self._catalogue, game, options, position, moves)
        view = decided(at, seat)[0] if seat is not None else at
        return [shown(view), picture(view)]

    def check_plan(
        self,
        game: Game,
        plan: Annotated[str, Field(description="a plan, or its first parts, with ; between parts", max_length=20_000)],
        options: Options = None,
        position: Text = "",
        moves: Moves = None,
        seat: Seat = None,
    ) -> dict[str, Any]:
        """Check whether a plan is legal, say why not, what it does in words, and which parts may come next."""
        at = position_of(self._catalogue, game, options, position, moves)
        view, who = decided(at, seat)
        if who is None:
            raise OptionError("nobody is asked here: the game is over, or chance decides")
        grown = GrowingPlan.of(view, who, plan)
        try:
            grown.settled()
        except StratagemError as wrong:
            try:
                following = plans_of(at, who, plan)
            except StratagemError as refused:
                return {"legal": False, "begins_a_plan": False, "why": str(refused)}
            return {"legal": False, "begins_a_plan": True, "why": str(wrong), **following}
        reported: dict[str, Any] = {"legal": True, "words": Wording.of(at.game).describe(view, grown.text, who, who)}
        with suppress(StratagemError):
            reported |= plans_of(at, who, plan)
        return reported

    def play_plan(
        self,
        game: Game,
        plans: Annotated[
            list[str],
            Field(
                description="the plan of the seat to decide; one of each asked seat where all decide at once",
                max_length=16,
            ),
        ],
        options: Options = None,
        position: Text = "",
        moves: Moves = None,
        chance_seed: Annotated[
            int | None, Field(description="with it chance decides what comes after the plan; else chance waits", ge=0)
        ] = None,
    ) -> dict[str, Any]:
        """Play a plan, or an outcome of chance, and give the position after it. `added` are the moves that the record got."""
        at = position_of(self._catalogue, game, options, position, moves)
        after, added = played(at, plans, chance_seed)
        return {"added": added, "moves": [*(moves or []), *added], **shown(after)}

    def draw_chance(
        self, game: Game, options: Options = None, position: Text = "", moves: Moves = None, seed: Seed = 0
    ) -> dict[str, Any]:
        """Let chance decide (deals, dice, the start of some games), by a seed, until somebody is asked."""
        at = position_of(self._catalogue, game, options, position, moves)
        after = drawn(at, seed)
        return {"moves": [*(moves or []), *after.history[len(at.history) :]], **shown(after)}

    def analyse(
        self,
        game: Game,
        options: Options = None,
        position: Text = "",
        moves: Moves = None,
        engine: Annotated[
            str, Field(description="an engine of describe_game; empty: the usual one", max_length=80)
        ] = "",
        seconds: Seconds = 1.0,
        lines: Annotated[int, Field(description="moves to compare, at most", ge=1, le=MOST_LINES)] = 3,
        seat: Seat = None,
        seed: Seed = 0,
    ) -> dict[str, Any]:
        """Ask an engine for the best plans of the seat to decide, their values for it, and what may follow."""
        about = (game, options, position, moves)
        asked = {"about": about, "engine": engine, "seconds": seconds, "lines": lines, "seat": seat, "seed": seed}
        return self._aside(analysed, asked, seconds)

    def solve(
        self, game: Game, options: Options = None, position: Text = "", moves: Moves = None, seconds: Seconds = 60.0
    ) -> dict[str, Any]:
        """Solve a position exactly: its value, and all best moves or the mixed strategies. Fails where that takes too long."""
        return self._aside(solved, {"about": (game, options, position, moves)}, seconds)

    def equilibrium(
        self,
        payoffs: Annotated[
            list[Any],
            Field(
                description="a matrix (zero-sum, the row player's payoffs), or a table of payoffs a player, with an axis a player"
            ),
        ],
        concept: Annotated[str, Field(description="nash, ce (correlated) or cce (coarse correlated)")] = "nash",
        objective: Annotated[str, Field(description="of ce and cce: best for the sum, or for a player from 0")] = "sum",
        every: Annotated[bool, Field(description="all Nash equilibria that are found, for small games")] = False,
        seconds: Seconds = 10.0,
        seed: Seed = 0,
    ) -> dict[str, Any]:
        """Find equilibria of a game given as numbers, with what a best reply or deviation would gain each player."""
        asked = {"payoffs": payoffs, "concept": concept, "objective": objective, "every": every}
        return self._aside(found_equilibria, {**asked, "seed": seed, "seconds": seconds}, seconds)

    def advise_draft(
        self,
        picks: Annotated[
            list[str] | None, Field(description="names of the items picked so far, in order", max_length=MOST_PICKS)
        ] = None,
        slot: Annotated[int, Field(description="the team that is advised, from 1", ge=1, le=40)] = 1,
        teams: Annotated[int | None, Field(description="teams of the league; the preset's, or 12", ge=1, le=40)] = None,
        preset: Annotated[str, Field(description="a league of a site, such as espn-ppr", max_length=80)] = "",
        roster: Annotated[str, Field(description="places of a roster, such as QB:1,RB:2,BENCH:6", max_length=500)] = "",
        players_csv: Annotated[
            str,
            Field(
                description="the table of players as CSV, ours or an export of a site; empty: a sample",
                max_length=2_000_000,
            ),
        ] = "",
        seconds: Seconds = 1.0,
        seed: Seed = 0,
    ) -> dict[str, Any]:
        """Advise one team of a fantasy draft whom to take now, with what waiting costs and who may come back."""
        asked = {"table": players_csv, "preset": preset, "teams": teams, "roster": roster, "slot": slot}
        return self._aside(advised, {**asked, "picks": picks or [], "seconds": seconds, "seed": seed}, seconds)


def reported(tool: Callable[..., Any]) -> Callable[..., Any]:
    """The tool, with a user's mistake reported in a line; what else goes wrong stays hidden by the SDK."""

    @wraps(tool)
    def work(**asked: Any) -> Any:
        try:
            return tool(**asked)
        except StratagemError as error:
            raise ToolError(str(error)) from None

    return work


def create_server(files: Sequence[str] = ()) -> tuple[Any, Aside]:
    """The server with its tools, and the process of its searches, which is to be closed."""
    aside = Aside(files)
    server = MCPServer(
        "stratagem",
        version=__version__,
        instructions=(
            "Games whose single move is a whole plan. Name a game of list_games, and a position by its text or by moves from "
            "the start. play_plan gives the next position; keep its text, or the moves, for the next call."
        ),
    )
    tools = Tools(Catalogue(files), aside)
    for name, tool in vars(Tools).items():
        if not name.startswith("_"):
            structured = False if tool is Tools.show_position else None  # its answer is a picture too
            server.add_tool(reported(getattr(tools, name)), structured_output=structured)
    return server, aside


def serve(files: Sequence[str] = ()) -> None:
    """Answer on standard input and output until the other side goes away."""
    server, aside = create_server(files)
    try:
        server.run("stdio")
    finally:
        aside.close()
