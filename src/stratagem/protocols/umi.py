"""The Universal Minions Interface: our engine on standard input and output, and other engines as players.

`Engine` answers one command a line. With `strictmode` on, the default, a bad line ends the process with status 2 and one
message on standard error; with it off the message is printed and the next line is read. `UmiEngine` runs any engine of
the protocol in a subprocess; whatever goes wrong there becomes an `EngineFault` that names the reason, and `match` turns
that into a lost game.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import shlex
import shutil
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TextIO

from stratagem import __version__
from stratagem.compile import Background
from stratagem.contract.game import CHANCE, Game
from stratagem.contract.player import Choice, Clock, Player, RandomPlayer, Request
from stratagem.errors import GameOver, IllegalMove, OptionError, ParseError, StratagemError, UnknownName
from stratagem.games.minions.config import DEFAULT_CONFIG, GameConfig, profile_of
from stratagem.games.minions.engine.player import FEW, EnginePlayer
from stratagem.games.minions.game import Minions, MinionsPosition, art
from stratagem.games.minions.maps import hex_index
from stratagem.games.minions.notation import (
    SPELL_NAMES,
    MinionsRecord,
    RecordedTurn,
    extended_fen,
    fen,
    parse_deal,
    parse_fen,
)
from stratagem.games.minions.perft import perft
from stratagem.games.minions.players import AnsweredPlayer, GreedyPlayer, ScriptPlayer
from stratagem.games.minions.spells import spell_of
from stratagem.games.minions.state import SIDES, GameState
from stratagem.games.minions.turn import GameTurn, parse_part
from stratagem.numbers import real
from stratagem.protocols.children import Child
from stratagem.protocols.closing import Closing
from stratagem.rng import generator

LONGEST_LINE = 1_000_000  # characters of a command that are read
TOO_LONG = "too long\n"  # stands for a longer line
LONGEST_ANSWER = 1 << 17  # bytes of a line of another engine that are read at once
HEARING = 0.1  # seconds between two looks at what is said while the engine gets ready
PREPARING = 5.0  # seconds that the engine may take to be ready
INFO_EVERY = 0.5  # seconds between two lines about a search
MOST_TURNS = 64  # candidates of a search of our scripted engine
PLIES = 400  # of a match, after which it is a draw
OURS = [sys.executable, "-c", "from stratagem.cli import main; main(['umi'])"]  # our engine as a program
SEARCHES = ("go", "play", "auto")
HEURISTICS = ("naive", "random", "answered", "smart")
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")  # colours that some engines print


# ------------------------------------------------------------------------------------------------------ our engine


class SearchOrder(NamedTuple):
    """What a search is asked for."""

    seconds: float | None  # None: no clock
    nodes: int | None
    infinite: bool
    drawn: list[str]  # spells


class Engine:
    """A UMI engine: `answer` takes a command line and gives the lines to print."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.tell: Callable[[str], None] = lambda line: None  # prints a line while a search goes on
        # asked while a search goes on: the command that ends it, stop or quit; empty at the end of all, None: it goes on
        self.coming: Callable[[], str | None] = lambda: None
        self.strict = True
        self.quit = False
        self.configure(DEFAULT_CONFIG)

    def configure(self, text: str) -> None:
        """A fresh configuration, position and options; a fourth word names a profile of the rules, which is ours alone."""
        words = text.split()
        profile = words.pop() if len(words) == 4 else "spooky"
        self.setup(GameConfig.parse(" ".join(words), profile))
        self.strict = True
        self.heuristic = "smart"
        self.lenient = False
        self.endphase = False  # whether turns are written with what ends an attack phase
        self.entered: list[str] | None = None  # the parts of a turn that is being entered
        self.searches = 0

    def setup(self, config: GameConfig) -> None:
        self.config = config
        self.state = GameState.start(config)
        self.deals = 0
        self.searcher: EnginePlayer | None = None
        self.preparing: tuple[GameConfig, Background] | None = None

    def dealt(self) -> GameState:
        """The position with spells dealt, where chance is to deal some: the engine then is the dealer too."""
        if self.state.awaits_deal:
            self.deals += 1
            self.state = self.state.dealt(generator(self.seed, self.deals))
        return self.state

    def note_drawn(self, words: Sequence[str]) -> None:
        """Somebody else deals: these are the spells that the side to move has drawn."""
        need = self.config.boards + 1
        if not self.config.switches.spells:
            if len(words) != need or set(words) - set(SPELL_NAMES):
                raise ParseError(f"spells {' '.join(words)[:40]!r}: write {need} of {', '.join(SPELL_NAMES)}")
            return
        if len(words) != need:
            raise ParseError(f"spells {' '.join(words)[:40]!r}: {need} are drawn, one more than there are boards")
        cards = [spell_of(word, "spells: spell").number for word in words]
        self.state = self.dealt().with_drawn(cards)

    def answer(self, line: str) -> Iterator[str]:
        words = line.split(None, 1)
        if not words:
            return
        command, rest = words[0], words[1].strip() if len(words) > 1 else ""
        if command not in COMMANDS:
            raise UnknownName("command", command[:40], COMMANDS)
        yield from COMMANDS[command](self, rest)

    # -- settings and positions

    def umi(self, rest: str) -> Iterator[str]:
        yield f"id name Stratagem {__version__} author the Stratagem developers"
        yield f"option name spells type bool default {str(self.config.switches.spells).lower()}"
        yield "option name heuristic type combo default smart var naive var random var answered var smart"
        yield "option name lenient type bool default false"
        yield "option name endphase type bool default false"
        yield "umiok"

    def isready(self, rest: str) -> Iterator[str]:
        """Compiling goes on beyond a while; until it is done the script answers searches with a clock."""
        if self.heuristic == "smart":
            self._is_ready(self._searcher(self._game()), PREPARING)
        yield "readyok"

    def setoption(self, rest: str) -> Iterator[str]:
        words = rest.split()
        if len(words) != 4 or words[0] != "name" or words[2] != "value":
            raise ParseError(f"setoption {rest[:40]!r}: write setoption name NAME value VALUE")
        name, value = words[1], words[3]
        if name == "heuristic":
            if value not in HEURISTICS:
                raise OptionError(f"option heuristic is {value[:20]!r}; it is one of {', '.join(HEURISTICS)}")
            self.heuristic = value
        elif name in ("spells", "strictmode", "lenient", "endphase"):
            if value not in ("true", "false"):
                raise OptionError(f"option {name} is {value[:20]!r}; it is true or false")
            if name == "strictmode":
                self.strict = value == "true"
            elif name == "lenient":
                self.lenient = value == "true"
            elif name == "endphase":
                self.endphase = value == "true"
            elif (value == "true") != self.config.switches.spells:
                if value == "true" and not profile_of(self.config.profile).switches.spells:
                    raise OptionError("option spells cannot be true: this profile has no spells")
                self.setup(replace(self.config, switches=replace(self.config.switches, spells=value == "true")))
        else:
            raise UnknownName("option", name[:40], ("spells", "strictmode", "heuristic", "lenient", "endphase"))
        yield from ()

    def config_command(self, rest: str) -> Iterator[str]:
        strict = self.strict
        try:
            self.configure(rest)
        except StratagemError:
            self.strict = strict
            raise
        yield from ()

    def position(self, rest: str) -> Iterator[str]:
        kind, _, text = rest.partition(" ")
        if kind == "startpos" and not text.strip():
            self.state = GameState.start(self.config)
        elif kind == "fen":
            self.state = parse_fen(text, self.config)
        else:
            raise ParseError(f"position {rest[:30]!r}: write position startpos, or position fen and a state string")
        self.entered = None
        yield from ()

    def getfen(self, rest: str) -> Iterator[str]:
        yield fen(self.state) if self.config.profile == "spooky" else extended_fen(self.state)

    def display(self, rest: str) -> Iterator[str]:
        yield from art(self.state).splitlines()

    # -- a turn entered by hand

    def turn(self, rest: str) -> Iterator[str]:
        words = rest.split()
        if words and words[0] != "spells":
            raise ParseError(f"turn {rest[:40]!r}: write turn alone, or turn spells and the spells drawn")
        if words:
            self.note_drawn(words[1:])
        self.entered = []
        yield from ()

    def action(self, rest: str) -> Iterator[str]:
        if self.entered is None:
            raise ParseError("action: no turn is being entered; write turn first")
        if not rest:
            raise ParseError("action: it is empty; write tech or board behind it")
        parse_part(rest, self.config.boards)
        if len(self.entered) >= 10_000:
            raise ParseError("action: a turn of more than 10000 actions is not read")
        self.entered.append(rest)
        yield from ()

    def endturn(self, rest: str) -> Iterator[str]:
        if self.entered is None:
            raise ParseError("endturn: no turn is being entered; write turn first")
        parts, self.entered = self.entered, None
        self.state = self.dealt().play(GameTurn.parse(parts, self.config.boards), lenient=self.lenient)
        if self.state.winner is not None:
            yield f"info result winner {SIDES[self.state.winner]}"

    # -- search

    def _search(self, rest: str) -> tuple[GameTurn, list[str]]:
        asked = search_arguments(rest)
        if self.state.winner is not None:
            raise GameOver(f"the game is over: {SIDES[self.state.winner]} has won")
        if asked.drawn:
            self.note_drawn(asked.drawn)
        self.dealt()
        game = self._game()
        self.searches += 1
        shown = MinionsPosition(game, self.state).view(self.state.side)
        began = time.perf_counter()
        if self.heuristic == "smart":
            choice = self._by_stages(game, shown, asked)
        else:
            choice = self._other(game, asked.nodes).choose(shown, Clock(asked.seconds))
        spent = max(time.perf_counter() - began, 1e-6)
        count = choice.nodes or 1
        win = 0.5 if choice.value is None else (choice.value + 1) / 2
        info = [f"info eval winprob {win:.4f}", f"info nps {count / spent:.1f} nodes {count} time {spent:.3f}"]
        return GameTurn.parse(choice.move, self.config.boards), info

    def _other(self, game: Minions, nodes: int | None) -> Player:
        """A player that does not search by stages."""
        seed = self.seed + self.searches
        if self.heuristic == "random":
            return RandomPlayer(game, seed=seed)
        if self.heuristic == "naive":
            return GreedyPlayer(game, seed=seed)
        return AnsweredPlayer(game, seed=seed, turns=min(MOST_TURNS, nodes or MOST_TURNS))

    def _searcher(self, game: Minions) -> EnginePlayer:
        if self.searcher is None:
            self.searcher = EnginePlayer(game, seed=self.seed)
        return self.searcher

    def _is_ready(self, searcher: EnginePlayer, seconds: float) -> bool:
        """Whether the engine can begin at once; that is begun if need be, and waited for so long."""
        if searcher.is_ready(self.config):
            return True
        if self.preparing is None or self.preparing[0] != self.config:
            self.preparing = self.config, Background(partial(searcher.prepare, self.config), "the engine")
        return self.preparing[1].wait(seconds)

    def _game(self) -> Minions:
        return Minions(
            maps=",".join(self.config.maps),
            techline=str(self.config.techline),
            points=self.config.points,
            plies=0,
            profile=self.config.profile,
            spells="on" if self.config.switches.spells else "off",
        )

    def _by_stages(self, game: Minions, shown: MinionsPosition, asked: SearchOrder) -> Choice:
        """The engine's choice, with an `info` line now and then; its tree is kept from turn to turn. While the engine compiles,
        the script plays: with a clock at once, else when the search is asked to stop and a while has not helped."""
        searcher, last = self._searcher(game), [0.0]

        def report(choice: Choice) -> None:
            if self.coming() is not None:
                searcher.stop()
            if choice.seconds - last[0] >= INFO_EVERY:
                last[0] = choice.seconds
                self.tell(info_line(choice))

        few = asked.nodes is not None and asked.nodes <= FEW and self.config.magical  # which need nothing loaded
        while not few and not shown.state.mid_turn and not self._is_ready(searcher, 0.0):
            if asked.seconds is not None or (self.coming() and not self._is_ready(searcher, PREPARING)):
                self.tell("info string the engine is compiling; the script played")
                choice = ScriptPlayer(game, seed=self.seed).choose(shown, Clock())
                self.tell(info_line(choice))
                return choice
            self._is_ready(searcher, HEARING)
        choice = searcher.think(
            shown,
            asked.seconds,
            simulations=asked.nodes,
            endless=asked.infinite,
            report=report,
            reasons=False,
        )
        if "note" in choice.details:
            self.tell(f"info string {choice.details['note']}")
        self.tell(info_line(choice))
        return choice

    def go(self, rest: str) -> Iterator[str]:
        turn, info = self._search(rest)
        yield from (*info, *turn_lines(turn, endphase=self.endphase), "endturn")

    def play(self, rest: str) -> Iterator[str]:
        turn, info = self._search(rest)
        self.state = self.state.play(turn)
        over = "" if self.state.winner is None else f" winner {SIDES[self.state.winner]}"
        yield from (*info, *turn_lines(turn, endphase=self.endphase), "endturn" + over)

    def auto(self, rest: str) -> Iterator[str]:
        for _ in range(PLIES):
            yield from self.play(rest)
            if self.state.winner is not None:
                yield f"info result winner {SIDES[self.state.winner]}"
                return
        yield "info result draw"

    # -- commands of our own

    def perft(self, rest: str) -> Iterator[str]:
        yield f"perft {perft(self.state.boards[self._board('perft', rest)])}"

    def reach(self, rest: str) -> Iterator[str]:
        index, _, name = rest.partition(" ")
        k = self._board("reach", index)
        hex_index(name.strip(), "reach: hex")
        yield " ".join(["reach", *self.state.boards[k].reach(name.strip())])

    def _board(self, command: str, text: str) -> int:
        text = text.strip()
        if not (text.isascii() and text.isdecimal() and len(text) < 6 and int(text) < self.config.boards):
            raise ParseError(f"{command}: board is {text[:20]!r}; boards go from 0 to {self.config.boards - 1}")
        return int(text)

    def stop(self, rest: str) -> Iterator[str]:
        """Heard while a search goes on; at any other time there is nothing to stop."""
        yield from ()

    def leave(self, rest: str) -> Iterator[str]:
        self.quit = True
        yield from ()


COMMANDS: dict[str, Callable[[Engine, str], Iterator[str]]] = {
    "umi": Engine.umi, "isready": Engine.isready, "setoption": Engine.setoption, "config": Engine.config_command,
    "position": Engine.position, "go": Engine.go, "play": Engine.play, "turn": Engine.turn, "action": Engine.action,
    "endturn": Engine.endturn, "getfen": Engine.getfen, "display": Engine.display, "auto": Engine.auto,
    "perft": Engine.perft, "reach": Engine.reach, "stop": Engine.stop, "quit": Engine.leave,
}  # fmt: skip


def search_arguments(text: str) -> SearchOrder:
    """`movetime MS`, `nodes N`, `spells a,b,c` and `infinite` in any order; a second where nothing limits the search."""
    words = text.split()
    infinite = "infinite" in words
    if infinite:
        words.remove("infinite")
    seconds, nodes, drawn = None, None, list[str]()
    if len(words) % 2 or len(words) > 6:
        raise ParseError(
            f"search arguments {text[:40]!r}: write movetime MS, nodes N, infinite, spells a,b,c in any order"
        )
    for name, value in zip(words[::2], words[1::2], strict=True):
        if name in ("movetime", "nodes"):
            if not (value.isascii() and value.isdecimal() and len(value) <= 9):
                raise ParseError(f"{name} is {value[:20]!r}; it is a whole number of at most nine digits")
            if name == "movetime":
                seconds = int(value) / 1000
            elif int(value) == 0:
                raise ParseError("nodes is 0; it is 1 or more")
            else:
                nodes = int(value)
        elif name == "spells":
            drawn = value.split(",", 300)
        else:
            raise ParseError(
                f"search argument {name[:20]!r} is unknown; there are movetime, nodes, infinite and spells"
            )
    if infinite and (seconds is not None or nodes is not None):
        raise ParseError(
            f"search arguments {text[:40]!r}: infinite has no limit beside it; leave out movetime and nodes"
        )
    if seconds is None and nodes is None and not infinite:
        seconds = 1.0
    return SearchOrder(seconds, nodes, infinite, drawn)


def info_line(choice: Choice) -> str:
    """What a search has found so far, in a line."""
    turns = choice.details.get("turns", 0)
    return (
        f"info depth {choice.depth or 1} turns {turns} nodes {choice.nodes or 0} time {choice.seconds:.3f} "
        f"value {choice.value or 0.0:+.4f} best {choice.move}"
    )


def turn_lines(turn: GameTurn, *, endphase: bool = False) -> list[str]:
    """A turn as the engine writes it, its last line aside; `endphase`: with what ends each board's attack phase.

    The reference engine reads a resignation only with one more word behind it, which other readers accept too."""
    parts = [f"{part} x" if part.endswith(" resign") else part for part in turn.parts(endphase=endphase)]
    return ["turn", *(f"action {part}" for part in parts)]


class Mailbox:
    """Lines of a stream, read by a thread of its own, so that a search sees what comes while it thinks."""

    def __init__(self, source: TextIO) -> None:
        self._lines: deque[str] = deque()
        self._came = threading.Condition()
        self._source = source
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                line = self._source.readline(LONGEST_LINE)
                if len(line) >= LONGEST_LINE and not line.endswith("\n"):
                    while (more := self._source.readline(LONGEST_LINE)) and not more.endswith("\n"):
                        pass
                    line = TOO_LONG
            except (OSError, ValueError):  # closed under us
                line = ""
            with self._came:
                self._lines.append(line)
                self._came.notify()
            if not line:
                return

    def next(self) -> str:
        """The next line; an empty one at the end."""
        with self._came:
            while not self._lines:
                self._came.wait()
            return self._lines.popleft()

    def waiting(self) -> list[str]:
        """The lines that came and were not read yet."""
        with self._came:
            return list(self._lines)


def serve(source: TextIO, sink: TextIO, errors: TextIO, seed: int = 0) -> int:
    """Run our engine on streams until they end; returns the exit status."""
    engine, box = Engine(seed), Mailbox(source)
    engine.tell = lambda text: print(text, file=sink, flush=True)

    def coming() -> str | None:
        while (lines := box.waiting()) and lines[0].split() == ["isready"]:
            engine.tell("readyok")
            box.next()
        if lines and not lines[0]:
            return ""
        words = [line.split()[0] for line in lines if line.strip()]
        meant = itertools.takewhile(
            lambda word: word not in SEARCHES, words
        )  # a stop behind those is for another search
        return next((word for word in meant if word in ("stop", "quit")), None)

    engine.coming = coming
    engine.tell("Stratagem, a UMI engine; umi lists its options")
    while not engine.quit:
        line = box.next()
        if not line:
            return 0
        try:
            if line is TOO_LONG:
                raise ParseError(f"a line of more than {LONGEST_LINE} characters is not read")
            for text in engine.answer(line):
                engine.tell(text)
        except StratagemError as error:
            print("stratagem umi: " + " ".join(str(error).split()), file=errors, flush=True)
            engine.entered = None if line.startswith("endturn") else engine.entered
            if engine.strict:
                return 2
    return 0


# ----------------------------------------------------------------------------------------------------- other engines


class EngineFault(StratagemError):
    """An engine crashed, hung, overspent or played an illegal turn; whoever runs the game counts it as lost."""


class UmiEngine(Player[MinionsPosition], Closing):
    """Any engine of the protocol as a player, in a subprocess of its own and in a folder of its own."""

    def __init__(
        self, game: Game, *, command: str | Sequence[str] = "", seconds: float = 10.0, think: float = 1.0
    ) -> None:
        """`command`: the program, ours if none is given; `seconds`: how long an answer may take beyond the thinking
        time; `think`: that time where no clock says it."""
        if not isinstance(game, Minions):
            raise OptionError(f"the player umi plays minions, not {game.name}")
        try:
            self.command = (shlex.split(command) if isinstance(command, str) else list(command)) or OURS
        except ValueError as error:
            raise OptionError(f"option command is {command!r}, which cannot be split into words: {error}") from None
        if not 0 < seconds < 100_000:
            raise OptionError(f"option seconds is {seconds!r}; it is more than 0")
        self.game, self.seconds, self.think = game, float(seconds), think
        self.name = f"umi:{self.command[0].rsplit('/', 1)[-1]}"
        self._child: Child | None = None
        self._folder = ""

    # -- the process

    def _start(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="stratagem-umi-")
        try:
            self._child = Child(self.command, LONGEST_ANSWER, folder=self._folder)
        except OSError as error:
            self.close()
            raise EngineFault(f"engine {self.command[0]!r} cannot be started: {error.strerror}") from None
        deadline = time.monotonic() + self.seconds
        self._send("umi")
        self._until("umiok", deadline)
        profile = "" if self.game.config.profile == "spooky" else f" {self.game.config.profile}"
        spells = ["setoption name spells value false"] if profile and not self.game.config.switches.spells else []
        self._send(f"config {self.game.config}{profile}", *spells, "isready")
        self._until("readyok", deadline)

    def close(self) -> None:
        """End the process and remove its folder."""
        child, self._child = self._child, None
        if child is not None:
            child.close()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""

    def _send(self, *lines: str) -> None:
        assert self._child is not None
        try:
            self._child.send("".join(line + "\n" for line in lines).encode())
        except OSError:
            raise EngineFault(f"engine {self.command[0]!r} crashed{self._child.status()}") from None

    def _line(self, deadline: float) -> str:
        assert self._child is not None
        try:
            line = self._child.line(deadline)
        except TimeoutError:
            raise EngineFault(f"engine {self.command[0]!r} hung: it gave no answer in time") from None
        if line is None:
            raise EngineFault(f"engine {self.command[0]!r} crashed{self._child.status()}")
        if time.monotonic() > deadline:
            raise EngineFault(f"engine {self.command[0]!r} hung: its answer did not end in time")
        return _ESCAPES.sub("", line.decode(errors="replace")).strip()

    def _until(self, word: str, deadline: float) -> None:
        while self._line(deadline) != word:
            pass

    # -- the player

    def answer(self, request: Request[MinionsPosition]) -> Choice:
        began = time.monotonic()
        try:
            if self._child is None or self._child.ended:
                self.close()
                self._start()
            text, details = self._ask(request.view, request.clock)
        except EngineFault:
            self.close()
            raise
        value = details.get("winprob")
        return Choice(
            text, value=None if value is None else 2 * value - 1, seconds=time.monotonic() - began, engine=self.name,
            details=details,
        )  # fmt: skip

    def _ask(self, view: MinionsPosition, clock: Clock) -> tuple[str, dict[str, float]]:
        think = self.think if clock.seconds is None else clock.seconds
        deadline = time.monotonic() + think + self.seconds
        written = fen if view.game.config.profile == "spooky" else extended_fen
        self._send(f"position fen {written(view.state)}", f"play movetime {max(int(think * 1000), 1)}")
        details: dict[str, float] = {}
        while not (line := self._line(deadline)).startswith("turn"):
            words = line.split()
            if words[:3] == ["info", "eval", "winprob"] and len(words) == 4:
                with contextlib.suppress(ValueError):
                    details["winprob"] = min(max(real(words[3]), 0.0), 1.0)
        parts: list[str] = []
        while not (line := self._line(deadline)).startswith("endturn"):
            parts.append(line)
            if len(parts) > 10_000:
                raise EngineFault(f"engine {self.command[0]!r} played an illegal turn: it has no end")
        try:
            turn = GameTurn.parse(parts, view.game.config.boards)
            after = view.state.play(turn, lenient=view.game["lenient"])
        except (IllegalMove, ParseError) as error:
            how = "overspent" if "not enough money" in str(error) else "played an illegal turn"
            raise EngineFault(f"engine {self.command[0]!r} {how}: {error}") from None
        self._send("getfen")
        theirs = self._line(deadline)
        while theirs.startswith("info"):
            theirs = self._line(deadline)
        if theirs != written(after):
            raise EngineFault(
                f"engine {self.command[0]!r} holds {theirs[:200]!r} after its turn, and not {written(after)!r}"
            )
        return str(turn), details


def match(
    game: Minions, players: Sequence[Player], clock: Clock, *, start: MinionsPosition | None = None, plies: int = PLIES,
    report: Callable[[RecordedTurn, MinionsPosition], None] | None = None, seed: int = 0,
) -> MinionsRecord:  # fmt: skip
    """A game between two players. One that fails loses, and the record says why; the other is not to suffer for it.

    Spells, where there are any, are dealt by the seed."""
    position = start or game.start()
    record = MinionsRecord(game.config, position.state, (players[0].name, players[1].name), lenient=game["lenient"])
    rng = generator(seed)
    dealt: tuple[int, ...] = ()
    while not position.over and len(record.turns) < plies:
        if position.turn == CHANCE:
            position = position.play(position.sample(rng))
            dealt = parse_deal(position.history[-1])
            continue
        side = position.turn
        began = time.perf_counter()
        try:
            choice = players[side].choose(position.view(side), clock, seat=side)
            after = position.play(choice.move)
        except StratagemError as error:
            record.result, record.reason = SIDES[1 - side], f"{SIDES[side]} forfeits: {error}"
            return record
        except Exception as error:  # a player may fail in any way, and that is its own affair
            record.result, record.reason = SIDES[1 - side], f"{SIDES[side]} forfeits: {type(error).__name__}: {error}"
            return record
        comment = "" if choice.value is None else f"value {choice.value:+.3f}"
        turn = RecordedTurn(
            GameTurn.parse(choice.move, game.config.boards), time.perf_counter() - began, comment, dealt
        )
        record.turns.append(turn)
        position = after
        if report is not None:
            report(turn, position)
    winner = position.state.winner
    record.result = "draw" if winner is None else SIDES[winner]
    record.reason = f"no winner after {len(record.turns)} turns" if winner is None else ""
    return record


def run() -> int:
    """Our engine on the process's own streams."""
    for stream in (sys.stdin, sys.stdout):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")
    return serve(sys.stdin, sys.stdout, sys.stderr)
