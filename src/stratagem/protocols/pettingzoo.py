"""Our games as environments of PettingZoo (extra `neighbours`): `aec` for turns, `parallel` where all decide at once.

    from stratagem.protocols.pettingzoo import aec
    env = aec("connect4")
    env.reset(seed=1)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, info = env.last()
        env.step(None if terminated or truncated else env.action_space(agent).sample(seen["action_mask"]))

An observation is a dictionary of `observation` (the cells of the seat's view) and `action_mask`; rewards are the payoffs, when
the game is over. Where all decide at once an AEC environment asks one after the other, and what the first chose is not seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagem.contract.game import OVER, Game
from stratagem.errors import OptionError, StratagemError
from stratagem.protocols.stepping import Stepper, raster, stepper

try:
    from gymnasium import spaces
    from gymnasium.utils import EzPickle
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise StratagemError("these environments need PettingZoo: pip install 'stratagem[neighbours]'") from error

RENDER_MODES = ("rgb_array", "ansi")


class _Common(EzPickle):
    """What both kinds of environment have: agents, spaces, drawings."""

    steps: Stepper
    render_mode: str | None

    def _set_up(self, game: str | Game, render_mode: str | None, compiled: bool, options: dict[str, Any]) -> None:
        EzPickle.__init__(self, game, render_mode, compiled=compiled, **options)
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise OptionError(f"render mode {render_mode!r} is not known; it is one of {', '.join(RENDER_MODES)}")
        self.render_mode = render_mode
        self.steps = stepper(game, compiled=compiled, **options)
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "name": f"stratagem_{self.steps.game.name}_v0",
            "is_parallelizable": False,
            "render_fps": 2,
        }
        self.possible_agents = [f"player_{seat}" for seat in range(self.steps.game.players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        limits = np.iinfo(self.steps.dtype)
        cells = spaces.Box(limits.min, limits.max, (self.steps.shape,), self.steps.dtype)
        mask = spaces.Box(0, 1, (self.steps.actions,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": cells, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(self.steps.actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def _seen(self, agent: str) -> dict[str, Any]:
        seat = self._seats[agent]
        return {"observation": self.steps.observe(seat), "action_mask": self.steps.mask(seat)}

    def render(self) -> Any:
        """The position as a spectator sees it: pixels or text."""
        if self.render_mode is None:
            return None
        view = self.steps.position().view(None)
        return raster(view.svg()) if self.render_mode == "rgb_array" else view.text_art()

    def close(self) -> None:
        pass


class TurnEnvironment(_Common, AECEnv):
    """One agent after the other."""

    def __init__(
        self, game: str | Game, render_mode: str | None = None, *, compiled: bool = True, **options: Any
    ) -> None:
        AECEnv.__init__(self)
        self._set_up(game, render_mode, compiled, options)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.steps.reset(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._chosen: dict[int, int] = {}
        self._asked = self.steps.asked
        self.agent_selection = self.possible_agents[self._asked[0] if self._asked else 0]

    def observe(self, agent: str) -> dict[str, Any]:
        seen = self._seen(agent)
        if agent != self.agent_selection:
            seen["action_mask"][:] = 0
        return seen

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        seat = self._seats[agent]
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        assert action is not None
        self._chosen[seat] = int(action)
        waiting = tuple(p for p in self._asked if p not in self._chosen)
        if not waiting:
            try:
                self.steps.play(self._chosen)
            finally:
                self._chosen = {}
            self._asked = waiting = self.steps.asked
            if self.steps.turn == OVER:
                self.rewards = dict(zip(self.possible_agents, self.steps.payoff, strict=True))
                self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.possible_agents[waiting[0] if waiting else (seat + 1) % len(self.possible_agents)]
        self._accumulate_rewards()


class JointEnvironment(_Common, ParallelEnv):
    """All agents at once; what those do who are not asked is not looked at."""

    def __init__(
        self, game: str | Game, render_mode: str | None = None, *, compiled: bool = True, **options: Any
    ) -> None:
        self._set_up(game, render_mode, compiled, options)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        self.steps.reset(seed)
        self.agents = self.possible_agents[:]
        return {agent: self._seen(agent) for agent in self.agents}, {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> tuple[Any, Any, Any, Any, Any]:
        if not self.agents:
            return {}, {}, {}, {}, {}
        self.steps.play({self._seats[agent]: int(action) for agent, action in actions.items()})
        over = self.steps.turn == OVER
        present, payoff = self.agents, self.steps.payoff if over else (0.0,) * len(self.agents)
        seen = {agent: self._seen(agent) for agent in present}
        if over:
            self.agents = []
        return (
            seen,
            dict(zip(present, payoff, strict=True)),
            dict.fromkeys(present, over),
            dict.fromkeys(present, False),
            {agent: {} for agent in present},
        )


def aec(game: str | Game, render_mode: str | None = None, *, compiled: bool = True, **options: Any) -> Any:
    """A game as an AEC environment, with PettingZoo's own wrappers: an illegal action ends the game, and loses."""
    raw = TurnEnvironment(game, render_mode, compiled=compiled, **options)
    low = raw.steps.game.payoff_range[0]
    guarded = wrappers.TerminateIllegalWrapper(raw, illegal_reward=low)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(guarded))


def parallel(game: str | Game, render_mode: str | None = None, *, compiled: bool = True, **options: Any) -> Any:
    """A game as a parallel environment."""
    return JointEnvironment(game, render_mode, compiled=compiled, **options)
