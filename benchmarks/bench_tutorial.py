"""Claim: the tutorial's game, plain Python here, runs at least 200 times as fast as the same game written in Python for
OpenSpiel: MCTS of 10,000 simulations (OpenSpiel's C++ bot) and random playouts, one core."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from alternate import compare, openspiel, pin

import stratagem
from stratagem.search.sampling.montecarlo import MonteCarlo
from stratagem.search.tree.mcts import MCTS

pyspiel: Any = openspiel()
SIMULATIONS = 10_000
LINES = (0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100, 0b100010001, 0b1010100)
TYPE = pyspiel.GameType(
    short_name="python_notakto", long_name="Notakto", dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC, information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM, reward_model=pyspiel.GameType.RewardModel.TERMINAL, max_num_players=2,
    min_num_players=2, provides_information_state_string=True, provides_information_state_tensor=False,
    provides_observation_string=True, provides_observation_tensor=False, parameter_specification={},
)  # fmt: skip
INFO = pyspiel.GameInfo(
    num_distinct_actions=9, max_chance_outcomes=0, num_players=2, min_utility=-1.0, max_utility=1.0, utility_sum=0.0,
    max_game_length=9,
)  # fmt: skip


class Notakto(pyspiel.Game):
    def __init__(self, params: Any = None) -> None:
        super().__init__(TYPE, INFO, params or {})

    def new_initial_state(self) -> Any:
        return State(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> None:
        return None


class State(pyspiel.State):
    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.crosses = 0
        self.player, self.loser = 0, -1

    def current_player(self) -> int:
        return pyspiel.PlayerId.TERMINAL if self.loser >= 0 else self.player

    def _legal_actions(self, player: int) -> list[int]:
        return [cell for cell in range(9) if self.crosses >> cell & 1 == 0]

    def _apply_action(self, action: int) -> None:
        self.crosses |= 1 << action
        if any(self.crosses & line == line for line in LINES):
            self.loser = self.player
        self.player = 1 - self.player

    def _action_to_string(self, player: int, action: int) -> str:
        return str(action)

    def is_terminal(self) -> bool:
        return self.loser >= 0

    def returns(self) -> list[float]:
        if self.loser < 0:
            return [0.0, 0.0]
        return [-1.0, 1.0] if self.loser == 0 else [1.0, -1.0]

    def __str__(self) -> str:
        return "".join("_X"[self.crosses >> cell & 1] for cell in range(9))


def main() -> None:
    pyspiel.register_game(TYPE, Notakto)
    pin()
    peer = pyspiel.load_game("python_notakto")
    game = stratagem.game(str(Path(__file__).parent.parent / "examples" / "notakto.py"))
    search = MCTS(game, exploration=1.4, solve=False, reuse=False, seed=7)
    flat = MonteCarlo(game, share="uniform", seed=7)
    draws = random.Random(7)

    start, their_start = game.start(), peer.new_initial_state()

    def peer_search() -> int:
        bot = pyspiel.MCTSBot(peer, pyspiel.RandomRolloutEvaluator(1, 7), 1.4, SIMULATIONS, 1000, False, 7, False)
        return int(bot.mcts_search(their_start).explore_count)

    def our_search() -> int:
        return sum(search.search(start, simulations=SIMULATIONS)[0] for _ in range(20))

    def peer_playouts() -> int:
        for _ in range(200):
            state = peer.new_initial_state()
            while not state.is_terminal():
                state.apply_action(draws.choice(state.legal_actions()))
        return 200

    def our_playouts() -> int:
        flat.estimates(start, simulations=200_000)
        return 200_000

    name = "OpenSpiel, game in Python"
    compare("MCTS, the tutorial's game, 10,000 simulations", "sims", peer_search, our_search, name, rounds=5)
    compare("random playouts, the tutorial's game", "games", peer_playouts, our_playouts, name, rounds=5)


main()
