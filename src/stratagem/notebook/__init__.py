"""A board in a notebook (extra `notebook`): play, step through a record, watch an engine think, without a server.

    from stratagem.notebook import Board
    Board("connect4", seats=["you", "medium"])
    Board.of_record("game.json")
    board = Board("tictactoe"); board.analyse("mcts"); board

Clicks travel over the notebook's own connection to this object in the kernel, which judges them by the same code as the terminal
and the web (`GrowingPlan`). All that the page is shown is made from the view of the seat that looks.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import CHANCE, JOINT, TOGETHER, UNASKED, Game, Position
from stratagem.contract.growing import GrowingPlan
from stratagem.contract.player import Choice, Clock
from stratagem.errors import IllegalMove, OptionError, StratagemError
from stratagem.registry import default_engine, players
from stratagem.registry import game as make_game
from stratagem.registry import player as make_player
from stratagem.rng import generator
from stratagem.store.record import Record

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise StratagemError("a board in a notebook needs anywidget: pip install 'stratagem[notebook]'") from error

YOU = "you"
MOST_BUTTONS = 60  # parts that are offered as buttons; any can be typed


class Board(anywidget.AnyWidget):
    """A game on a notebook's page. `seats` names who plays each: `you`, or a player of the game; without it all are yours."""

    _esm = Path(__file__).parent / "board.js"
    _css = Path(__file__).parent / "board.css"

    svg = traitlets.Unicode("").tag(sync=True)  # the position that is looked at
    status = traitlets.Unicode("").tag(sync=True)  # whose turn it is, or how it ended
    trouble = traitlets.Unicode("").tag(sync=True)  # why something was refused
    moves = traitlets.List([]).tag(sync=True)  # texts of the record, as far as the seat that looks may know them
    ply = traitlets.Int(0).tag(sync=True)  # that is looked at
    parts = traitlets.List([]).tag(sync=True)  # of the move that grows
    offered = traitlets.List([]).tag(sync=True)  # parts that may come next
    asking = traitlets.Unicode("").tag(sync=True)  # what to type, where parts are not listed; empty: nothing is asked
    complete = traitlets.Bool(False).tag(sync=True)  # whether the parts are a whole move
    thoughts = traitlets.List([]).tag(sync=True)  # lines of an analysis: move, value, visits, what follows
    thinking = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self,
        game: str | Game | Position,
        *,
        seats: Sequence[str] | None = None,
        seconds: float | None = None,
        seed: int = 0,
        **options: Any,
    ) -> None:
        super().__init__()
        if isinstance(game, Position):
            start: Position = game
        else:
            start = (make_game(game, **options) if isinstance(game, str) else game).start()
        self.game: Game = start.game
        self.who = list(seats) if seats is not None else [YOU] * self.game.players
        if len(self.who) != self.game.players:
            raise OptionError(f"{len(self.who)} seats are filled; {self.game.name} has {self.game.players}")
        self.engines = {p: make_player(self.game, who, seed=seed + p) for p, who in enumerate(self.who) if who != YOU}
        self.seconds, self.seed = seconds, seed
        self.positions: list[Position] = [start]
        self._pending: dict[int, str] = {}
        self._plan: GrowingPlan | None = None
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.on_msg(self._heard)
        self._advance()

    @classmethod
    def of_record(cls, record: str | Path | Record, *, trust: bool = False, **more: Any) -> Board:
        """A board that steps through a saved game; a move made in the middle goes on from there.

        Raises:
            Untrusted: if the game is a Python file that is not loaded yet, unless `trust` allows it.
        """
        found = record if isinstance(record, Record) else Record.load(Path(record))
        game = found.position(trust=trust).game
        board = cls(game.start() if found.origin is None else game.parse(found.origin), **more)
        del board.positions[1:]
        for text in found.moves:
            board.positions.append(board.positions[-1].play(text))
        board.look(len(found.moves))
        return board

    # -- what is looked at

    @property
    def position(self) -> Position:
        """The position that is looked at."""
        return self.positions[self.ply]

    @property
    def seat(self) -> int | None:
        """Whose move it is to choose on this page now."""
        asked = self.position.asked
        return next((p for p in asked if self.who[p] == YOU and p not in self._pending), None)

    def _viewer(self) -> int | None:
        """Whose view is shown: the seat that decides here, else the only one that is a person's; where all are, everything."""
        mine = [p for p, who in enumerate(self.who) if who == YOU]
        return self.seat if self.seat is not None else mine[0] if mine else None

    def look(self, ply: int) -> None:
        """Look at the position after so many moves."""
        with self._lock:
            if not 0 <= ply < len(self.positions):
                raise OptionError(f"there is no ply {ply}; the game has {len(self.positions) - 1}")
            self.stop()
            self.ply, self._pending = ply, {}
            self.thoughts = []
            self._begin_plan()

    def _begin_plan(self) -> None:
        seat = self.seat
        self._plan = None if seat is None or self.position.over else GrowingPlan(self.position.view(seat), seat)
        self._show()

    def _show(self) -> None:
        position, viewer, plan = self.position, self._viewer(), self._plan
        view = position.view(viewer)
        self.svg = (plan.drawing() if plan is not None else None) or view.svg()
        last = self.positions[-1].view(viewer)
        texts = self.positions[-1].history[-(len(self.positions) - 1) :] if len(self.positions) > 1 else ()
        known = texts if not self.game.hidden else last.history
        self.moves = [str(text) for text in known] if len(known) == len(texts) else ["?"] * len(texts)
        self.parts = list(plan.parts) if plan is not None else []
        following = plan.following if plan is not None else None
        self.offered = list(following.next[:MOST_BUTTONS]) if following is not None else []
        self.complete = following is not None and following.complete
        self.asking = "" if following is None else following.free or "a move, or a part of one"
        if position.over:
            self.status = Wording.of(self.game).outcome(position)
        else:
            deciders = ", ".join(self.game.seat_name(p) for p in position.asked)
            self.status = f"{deciders} to decide" if deciders else "chance decides"

    # -- what is done

    def choose(self, text: str) -> None:
        """Add parts to the move that grows, and play it when nothing can be added."""
        with self._lock:
            if self._plan is None:
                raise IllegalMove("nothing is yours to decide in this position")
            plan = self._plan.add(*text.split(";"))
            self._plan, self.trouble = plan, ""
            if plan.full:
                self.play()
            else:
                self._show()

    def undo(self) -> None:
        """Drop the last part of the move that grows."""
        with self._lock:
            if self._plan is not None and self._plan.parts:
                self._plan = self._plan.drop()
                self._show()

    def play(self) -> None:
        """Play the move that has grown."""
        with self._lock:
            plan = self._plan
            if plan is None or plan.seat is None:
                raise IllegalMove("nothing is yours to decide in this position")
            texts = plan.settled()
            self.stop()
            self.thoughts = []
            if self.position.turn == TOGETHER:
                self._pending[plan.seat] = texts[0]
                if self.seat is None:
                    self._reveal()
            else:
                for text in texts:
                    self._add(text)
            self._advance()

    def _add(self, text: str) -> None:
        del self.positions[self.ply + 1 :]  # another way from here
        self.positions.append(self.position.play(text))
        self.ply, self._pending = self.ply + 1, {}

    def _reveal(self) -> None:
        """All of ours have decided in secret; so do the engines, and the joint move is played."""
        texts = [UNASKED] * self.game.players
        for p in self.position.asked:
            texts[p] = self._pending[p] if p in self._pending else self._engine_move(p)
        self._add(JOINT.join(texts))

    def _engine_move(self, seat: int) -> str:
        return self.engines[seat].choose(self.position.view(seat), Clock(self.seconds), seat=seat).move

    def _advance(self) -> None:
        """Let chance and engines decide until something is ours to decide, or the game is over."""
        while not self.position.over and self.seat is None:
            if self.position.turn == CHANCE:
                self._add(self.position.sample(generator(self.seed, self.ply)))
            elif self.position.turn == TOGETHER:
                self._reveal()
            else:
                self._add(self._engine_move(self.position.turn))
        self._begin_plan()

    # -- analysis

    def analyse(self, engine: str | None = None, *, seconds: float = 10.0, lines: int = 5) -> None:
        """Have an engine think about the position that is looked at, in the background; its lines are shown as they change."""
        with self._lock:
            self.stop()
            seat = self.seat
            if self.position.over or seat is None:
                raise IllegalMove("nobody on this page has anything to decide in this position")
            name = engine or default_engine(self.game, players(self.game))
            thinker = make_player(self.game, name, seed=self.seed)
            view, stop = self.position.view(seat), threading.Event()
            self._stop = stop

            def report(choice: Choice) -> None:
                if stop.is_set():
                    raise _Stopped
                self.thoughts = [
                    {
                        "move": line.moves[0],
                        "value": line.value,
                        "visits": line.visits,
                        "then": " ".join(line.moves[1:6]),
                    }
                    for line in choice.lines[:lines]
                ] or [{"move": choice.move, "value": choice.value, "visits": None, "then": ""}]

            def think() -> None:
                try:
                    found = thinker.choose(view, Clock(seconds), seat=seat, report=report, lines=lines)
                    if not stop.is_set():
                        report(found)
                except _Stopped:
                    pass
                except StratagemError as error:
                    self.trouble = str(error)
                finally:
                    if self._stop is stop:
                        self.thinking = False

            self.thinking = True
            self._thread = threading.Thread(target=think, daemon=True, name="analysis")
            self._thread.start()

    def stop(self) -> None:
        """Let the engine be; it ends at its next report."""
        self._stop.set()
        self.thinking = False

    # -- the page

    def _heard(self, _: Any, message: Any, buffers: Any) -> None:
        """A click: every refusal is shown on the page, in a line."""
        try:
            self._do(message if isinstance(message, dict) else {})
        except StratagemError as error:
            self.trouble = " ".join(str(error).split())
            self._show()

    def _do(self, message: dict[str, Any]) -> None:
        what = message.get("do")
        self.trouble = ""
        if what == "choose":
            self.choose(str(message.get("text", "")))
        elif what == "look":
            given = message.get("ply")
            self.look(given if isinstance(given, int) else -1)
        elif what in ("play", "undo", "analyse", "stop"):
            getattr(self, what)()

    def record(self) -> Record:
        """The game on this page, as it can be saved."""
        return Record.of(self.positions[-1], list(self.who), self.seed)


class _Stopped(Exception):
    """Raised in an engine's thread to end it."""


__all__ = ["Board"]
