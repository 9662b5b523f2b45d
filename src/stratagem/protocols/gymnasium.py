"""Our games as environments of Gymnasium (extra `neighbours`): one seat learns, players of ours have the others.

    from stratagem.protocols.gymnasium import SeatEnvironment
    env = SeatEnvironment("connect4", opponent="mcts:simulations=200")
    seen, info = env.reset(seed=1)
    seen, reward, terminated, truncated, info = env.step(env.action_space.sample(seen["action_mask"]))

The reward is the seat's payoff, when the game is over. An action outside the mask loses at once, and `info["illegal"]` says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagem.contract.game import OVER, Game
from stratagem.contract.player import Clock
from stratagem.errors import OptionError, StratagemError
from stratagem.protocols.stepping import raster, stepper
from stratagem.registry import game_names
from stratagem.registry import player as make_player

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as error:
    raise StratagemError("this environment needs Gymnasium: pip install 'stratagem[neighbours]'") from error


class SeatEnvironment(gymnasium.Env):
    """One seat of a game."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 2}  # noqa: RUF012  # as Gymnasium declares it

    def __init__(
        self,
        game: str | Game,
        *,
        seat: int = 0,
        opponent: str = "random",
        render_mode: str | None = None,
        compiled: bool = True,
        **options: Any,
    ) -> None:
        self.steps = stepper(game, compiled=compiled, **options)
        if not 0 <= seat < self.steps.game.players:
            raise OptionError(
                f"there is no seat {seat}; {self.steps.game.name} has seats 0 to {self.steps.game.players - 1}"
            )
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise OptionError(f"render mode {render_mode!r} is not known; it is rgb_array or ansi")
        make_player(self.steps.game, opponent)  # says what is wrong with it now
        self.seat, self.opponent, self.render_mode = seat, opponent, render_mode
        limits = np.iinfo(self.steps.dtype)
        self.observation_space = spaces.Dict(
            {
                "observation": spaces.Box(limits.min, limits.max, (self.steps.shape,), self.steps.dtype),
                "action_mask": spaces.Box(0, 1, (self.steps.actions,), np.int8),
            }
        )
        self.action_space = spaces.Discrete(self.steps.actions)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(2**62))
        self.steps.reset(drawn)
        self.others = {
            seat: make_player(self.steps.game, self.opponent, seed=drawn % 2**31 + seat)
            for seat in range(self.steps.game.players)
            if seat != self.seat
        }
        self._lost = False
        self._let_others_play()
        return self._seen(), {}

    def _let_others_play(self) -> None:
        while self.steps.turn != OVER and self.seat not in self.steps.asked:
            self.steps.play(self._chosen())

    def _chosen(self) -> dict[int, int]:
        """What the other seats do now."""
        position = self.steps.position()
        return {
            seat: self.steps.action_of(seat, self.others[seat].choose(position.view(seat), Clock(), seat=seat).move)
            for seat in self.steps.asked
            if seat != self.seat
        }

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self.steps.turn == OVER or self._lost:
            raise StratagemError("the game is over: reset the environment first")
        low = float(self.steps.game.payoff_range[0])
        if int(action) not in self.steps.legal(self.seat):
            self._lost = True
            return self._seen(), low, True, False, {"illegal": True}
        self.steps.play({**self._chosen(), self.seat: int(action)})
        self._let_others_play()
        over = self.steps.turn == OVER
        return self._seen(), float(self.steps.payoff[self.seat]) if over else 0.0, over, False, {}

    def _seen(self) -> dict[str, Any]:
        return {"observation": self.steps.observe(self.seat), "action_mask": self.steps.mask(self.seat)}

    def render(self) -> Any:
        view = self.steps.position().view(self.seat)
        return (
            None
            if self.render_mode is None
            else raster(view.svg())
            if self.render_mode == "rgb_array"
            else view.text_art()
        )


def register() -> list[str]:
    """Make every game known to `gymnasium.make` as `stratagem/NAME-v0`; the ids."""
    made = []
    for name in game_names():
        identity = f"stratagem/{name}-v0"
        if identity not in gymnasium.registry:
            gymnasium.register(identity, entry_point=SeatEnvironment, kwargs={"game": name})
        made.append(identity)
    return made
