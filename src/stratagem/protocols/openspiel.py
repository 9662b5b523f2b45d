"""Our games as games of OpenSpiel (extra `neighbours`): `register()` makes them known, and `pyspiel.load_game` loads them.

    import pyspiel
    from stratagem.protocols.openspiel import register
    register("connect4")
    game = pyspiel.load_game("stratagem_connect4(width=6)")

That can be for games that list their moves, say how long they last, and hide nothing: OpenSpiel asks for the first two before
a game begins, and for information states with perfect recall where something is hidden, which our views do not have. An action is
the number of a move as in `protocols.stepping`. Their algorithms written in C++ run on them too, at the speed of Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagem.contract.game import CHANCE, OVER, TOGETHER, UNASKED, ArrayGame, ArrayPosition, Game, Position
from stratagem.errors import OptionError, StratagemError
from stratagem.registry import game_class, game_names

try:
    import pyspiel
except ImportError as error:
    raise StratagemError("games for OpenSpiel need it installed: pip install 'stratagem[neighbours]'") from error

PREFIX = "stratagem_"
PLAIN = (int, float, bool, str)
MOST_OUTCOMES = 4096  # of one chance event, as far as OpenSpiel hears of them

_registered: set[str] = set()


def suits(game: Game) -> str | None:
    """Why a game cannot be one of OpenSpiel's, in words; None if it can."""
    if not isinstance(game, ArrayGame):
        return "it has no kernels that number its moves"
    if game.hidden:
        return "it hides something, and its views have no perfect recall"
    if game.max_length is None:
        return "it does not say how long it can last"
    return None


def register(name: str | None = None) -> list[str]:
    """Make one of our games known to OpenSpiel, or all that can be; their names there."""
    if name is None:
        fitting = [one for one in game_names() if suits(game_class(one)()) is None]
        return [found for one in fitting for found in register(one)]
    game = game_class(name)()
    if why := suits(game):
        raise OptionError(f"{name} cannot be a game of OpenSpiel: {why}")
    short = PREFIX + game.name
    if short not in _registered:
        kind = _type(game, short)
        pyspiel.register_game(kind, _game_of(name, kind))
        _registered.add(short)
    return [short]


def _type(game: Game, short: str) -> Any:
    assert isinstance(game, ArrayGame)
    kinds = pyspiel.GameType
    options = {o.name: o.default for o in game.options if isinstance(o.default, PLAIN)}
    return kinds(
        short_name=short,
        long_name=f"{game.title} (stratagem)",
        dynamics=kinds.Dynamics.SIMULTANEOUS if game.gives("play_together") else kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if game.gives("odds") else kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if game.zero_sum else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=10,
        min_num_players=1,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=options,
    )


def _game_of(name: str, kind: Any) -> Any:
    """The class by which OpenSpiel makes a game of ours."""

    class TheirGame(pyspiel.Game):
        def __init__(self, params: dict[str, Any] | None = None) -> None:
            ours = game_class(name)(**(params or {}))
            if why := suits(ours):
                raise OptionError(f"{ours!r} cannot be a game of OpenSpiel: {why}")
            assert isinstance(ours, ArrayGame) and ours.max_length is not None
            self.ours = _Held(ours.start())
            low, high = ours.payoff_range
            info = pyspiel.GameInfo(
                num_distinct_actions=ours.move_bound or ours.max_moves,
                max_chance_outcomes=MOST_OUTCOMES if ours.gives("odds") else 0,
                num_players=ours.players,
                min_utility=low,
                max_utility=high,
                utility_sum=0.0 if ours.zero_sum else None,
                max_game_length=ours.max_length,
            )
            super().__init__(kind, info, params or {})

        def new_initial_state(self) -> Any:
            return TheirState(self, self.ours)

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
            return _Observer(self.ours.position.game)

    return TheirGame


class _Held:
    """A position, which nobody changes: a copy of a state shares it."""

    def __init__(self, position: Position) -> None:
        self.position = position

    def __deepcopy__(self, memo: Any) -> _Held:
        return self


class TheirState(pyspiel.State):
    """A position of ours as OpenSpiel asks about it."""

    def __init__(self, game: Any, held: _Held) -> None:
        super().__init__(game)
        self.held = held

    @property
    def _at(self) -> ArrayPosition:
        found = self.held.position
        assert isinstance(found, ArrayPosition)
        return found

    def current_player(self) -> int:
        turn = self._at.turn
        if turn >= 0:
            return turn
        ids = pyspiel.PlayerId
        return int({OVER: ids.TERMINAL, CHANCE: ids.CHANCE, TOGETHER: ids.SIMULTANEOUS}[turn])

    def _numbers(self, player: int) -> dict[int, int]:
        """Our moves by their actions."""
        numbers = self._at.move_numbers(player) if player in self._at.asked else []
        if self._at.game.move_bound is not None:
            return {number: number for number in sorted(numbers)}
        return dict(enumerate(numbers))

    def _legal_actions(self, player: int) -> list[int]:
        return list(self._numbers(player))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        game, state = self._at.game, self._at.state
        count = int(game.run("count", game.g, state, CHANCE))
        return [(k, float(game.run("odds", game.g, state, k))) for k in range(count)]

    def _action_to_string(self, player: int, action: int) -> str:
        at = self._at
        if player == int(pyspiel.PlayerId.CHANCE):
            return at.game.move_text(at.state, CHANCE, action)
        return at.game.move_text(at.state, player, self._numbers(player)[action])

    def _apply_action(self, action: int) -> None:
        who = int(pyspiel.PlayerId.CHANCE) if self._at.turn == CHANCE else self._at.turn
        self.held = _Held(self._at.play(self._action_to_string(who, action)))

    def _apply_actions(self, actions: list[int]) -> None:
        at = self._at
        texts = [self._action_to_string(p, actions[p]) if p in at.asked else UNASKED for p in range(at.game.players)]
        self.held = _Held(at.play(texts))

    def is_terminal(self) -> bool:
        return self._at.over

    def returns(self) -> list[float]:
        return list(self._at.payoff) if self._at.over else [0.0] * self._at.game.players

    def __str__(self) -> str:
        return str(self._at)


class _Observer:
    """What a player sees: the text of the position, and its cells."""

    def __init__(self, game: Any) -> None:
        self.tensor = np.zeros(game.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: TheirState, player: int) -> None:
        at = state.held.position
        assert isinstance(at, ArrayPosition)
        self.tensor[:] = at.state[: at.game.size]

    def string_from(self, state: TheirState, player: int) -> str:
        return str(state.held.position)
