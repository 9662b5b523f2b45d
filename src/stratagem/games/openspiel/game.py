"""The face of OpenSpiel's games: a position's text is the numbers of its actions, `1,4,0`, boards are OpenSpiel's own text."""

from __future__ import annotations

import math
import re
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np
import pyspiel  # the bridge has said so if it is not there

from stratagem.contract.companions.drawing import Drawing
from stratagem.contract.game import ArrayGame, ArrayPosition
from stratagem.errors import OptionError, ParseError, UnknownName
from stratagem.games.openspiel import bridge, kernels
from stratagem.games.openspiel.bridge import LENGTH, at, game_of, number_of, replayed
from stratagem.kernel import CHANCE, NOBODY, Ground, State

PREFIX = "openspiel:"
LONGEST = 20_000  # actions of a game that are kept in a state
ALWAYS = ("turn", "count", "move", "moves", "play", "payoff", "key")


class SpielPosition(ArrayPosition):
    """A position of one of OpenSpiel's games."""

    def view(self, seat: int | None) -> ArrayPosition:
        shown = super().view(seat)
        if shown is not self:
            shown.__dict__["turn"] = self.turn  # who decides is no secret
        return shown

    def __str__(self) -> str:
        if self.seat is None or not self.game.hidden:
            return self.game.state_text(self)
        return f"seat {self.seat} sees: {self.text_art()}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.game.name, self.state, self.history, self.origin, self.seat, self.turn)


def _restored(
    name: str, state: State, history: tuple[str, ...], origin: str | None, seat: int | None, turn: int
) -> SpielPosition:
    found = SpielPosition(class_of(name)(), state, history, origin, seat)
    found.__dict__["turn"] = turn
    return found


class OpenSpielGame(ArrayGame[SpielPosition], Drawing):
    """One of OpenSpiel's games; `class_of` makes a class for each."""

    name = PREFIX
    title = "a game of OpenSpiel"
    summary = "a game of OpenSpiel"

    def setup(self) -> None:
        try:
            self.number = number_of(self.name.removeprefix(PREFIX))
        except pyspiel.SpielError as error:
            raise OptionError(f"OpenSpiel makes no game of {self.name!r}: {str(error).splitlines()[0][:300]}") from None
        theirs = game_of(self.number)
        kind = theirs.get_type()
        self.players = theirs.num_players()
        self.seats = tuple(f"player {p}" for p in range(self.players))
        self.zero_sum = kind.utility == pyspiel.GameType.Utility.ZERO_SUM
        low, high = theirs.min_utility(), theirs.max_utility()
        if self.zero_sum and self.players == 2:
            low, high = -max(-low, high), max(-low, high)
        self.payoff_range = (low, high) if math.isfinite(low) and math.isfinite(high) else (-1e6, 1e6)
        self.hidden = kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
        together = kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
        chance = kind.chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC
        self._refuse_what_cannot_be(theirs, kind)
        decisions = theirs.max_game_length() * (self.players if together else 1)
        draws = theirs.max_chance_nodes_in_history() if chance else 0
        self.size = 1 + min(max(decisions + draws, 1), LONGEST)
        self.max_moves = max(theirs.num_distinct_actions(), 1)
        self.move_bound = self.max_moves
        self.max_length = theirs.max_game_length() + draws
        given = [*ALWAYS, *(["odds"] if chance else []), *(["play_together"] if together else [])]
        self.rules = ModuleType(f"kernels of {self.name}")
        for name in given + (["guess", "hide"] if self.hidden else []):
            setattr(self.rules, name, getattr(kernels, name))

    def _refuse_what_cannot_be(self, theirs: Any, kind: Any) -> None:
        dynamics = pyspiel.GameType.Dynamics
        if kind.dynamics not in (dynamics.SEQUENTIAL, dynamics.SIMULTANEOUS):
            raise OptionError(f"{self.name} is a mean field game, which has no tables to sit at")
        if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
            raise OptionError(f"{self.name} does not list its chance outcomes, so its records would not replay")
        if self.hidden and kind.dynamics == dynamics.SIMULTANEOUS:
            raise OptionError(
                f"{self.name} hides something and lets all decide at once; OpenSpiel cannot re-sample that"
            )
        if self.hidden and not _can_resample(theirs):
            raise OptionError(
                f"{self.name} hides something that OpenSpiel cannot re-sample, so no seat's view can be made"
            )

    def ground(self) -> Ground:
        return np.array([self.number], np.int64)

    def position(self, state: State, history: tuple[str, ...] = (), origin: str | None = None) -> SpielPosition:
        return SpielPosition(self, state, history, origin)

    # -- text

    def move_text(self, s: State, p: int, m: int) -> str:
        return self._texts(s, p)[m]

    def _texts(self, s: State, p: int) -> dict[int, str]:
        """The texts of all that may be done, by number; numbers of chance are those of its outcomes."""
        node = at(self.g, s)
        listed = [a for a, _ in node.outcomes] if p == CHANCE else node.legal(p)
        who = int(pyspiel.PlayerId.CHANCE) if p == CHANCE else p
        texts = [_plain(node.state.action_to_string(who, action)) for action in listed]
        numbers = range(len(listed)) if p == CHANCE else listed
        return {
            number: text if texts.count(text) == 1 else f"{text}#{action}"
            for number, text, action in zip(numbers, texts, listed, strict=True)
        }

    def state_text(self, position: SpielPosition) -> str:
        n = int(position.state[LENGTH])
        return ",".join(str(int(action)) for action in position.state[1 : n + 1]) or "start"

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        try:
            actions = [int(item) for item in text.split(",")]
        except ValueError:
            raise ParseError(
                f"{text!r} is no position of {self.name}: the numbers of its actions, as in 1,4,0"
            ) from None
        if len(actions) >= self.size:
            raise ParseError(f"{text!r} has {len(actions)} actions; {self.name} has at most {self.size - 1}")
        state = self._start_state()
        for k, action in enumerate(actions):
            if state.is_terminal() or not (state.is_simultaneous_node() or action in state.legal_actions()):
                raise ParseError(
                    f"{text!r} is no position of {self.name}: action {k + 1}, {action}, cannot be done there"
                )
            try:
                state = replayed(self.number, actions[: k + 1])
            except IndexError:
                continue
            except pyspiel.SpielError:
                raise ParseError(
                    f"{text!r} is no position of {self.name}: action {k + 1} cannot be done there"
                ) from None
        s = self.blank()
        bridge.write(s, actions)
        try:
            at(self.g, s)
        except IndexError:
            raise ParseError(f"{text!r} ends within a joint move of {self.name}") from None
        return s, ()

    def _start_state(self) -> Any:
        return game_of(self.number).new_initial_state()

    def next_seat(self, position: SpielPosition) -> int:
        return 0

    @cached_property
    def theirs(self) -> Any:
        """The game of OpenSpiel itself."""
        return game_of(self.number)

    def art(self, position: SpielPosition) -> str:
        node = at(self.g, position.state)
        if position.seat == NOBODY and not node.state.is_terminal():
            return "what a spectator may see is not said; the cards are shown when the game is over"
        if position.seat is None or not self.hidden or node.state.is_terminal():
            return str(node.state).strip() or "the start"
        return node.seen_by(position.seat).strip() or "nothing is known yet"


def _can_resample(theirs: Any) -> bool:
    """Whether OpenSpiel can tell states apart that a player cannot: tried at the first decision."""
    state = theirs.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    if state.is_terminal():
        return False
    try:
        return state.resample_from_infostate(state.current_player(), np.random.default_rng(0).random) is not None
    except (pyspiel.SpielError, RuntimeError):
        return False


def _plain(text: str) -> str:
    """A move's text without what separates moves and parts."""
    return re.sub(r"\s+", " ", text.replace(";", ",").replace("|", "/")).strip() or "-"


_classes: dict[str, type[OpenSpielGame]] = {}


def class_of(name: str) -> type[OpenSpielGame]:
    """The class of `openspiel:NAME`, or `openspiel:NAME(OPTION=VALUE,..)` as OpenSpiel writes it."""
    if name not in _classes:
        short = name.removeprefix(PREFIX).partition("(")[0]
        known = {kind.short_name: kind for kind in pyspiel.registered_games()}
        if short not in known:
            raise UnknownName("game of OpenSpiel", short, known)
        title = known[short].long_name
        words = {"name": name, "title": f"{title} (OpenSpiel)", "summary": f"{title}, by OpenSpiel's rules"}
        _classes[name] = type(f"OpenSpiel_{short}", (OpenSpielGame,), {**words, "__module__": OpenSpielGame.__module__})
    return _classes[name]
