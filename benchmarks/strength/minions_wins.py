"""How many wins in one turn the Minions engine plays, in positions of scripted games that the attack solver wins by a turn.

    python -m benchmarks.strength.minions_wins --wins 60 --seconds 0.1 --clock processor

`--unasked` leaves out the question that the engine puts to the solver before its search.
"""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from unittest import mock

import stratagem
from benchmarks.clocks import add_clock, use_clock
from stratagem import Clock
from stratagem.games.minions import GameConfig, GameState, GameTurn
from stratagem.games.minions.attack.answers import winning_turn
from stratagem.games.minions.engine.player import EnginePlayer
from stratagem.games.minions.wizard import scripted_turn
from stratagem.rng import generator

MAPS = ("BlackenedShores", "MidnightLake")
PLIES = 80  # of a game, at the most


def win_of(seed: int) -> GameState | None:
    """The first position of a scripted game in which a turn wins."""
    state, rng = GameState.start(GameConfig.make(MAPS)), generator(seed, 3)
    for ply in range(PLIES):
        if winning_turn(state) is not None:
            return state
        state = state.play(scripted_turn(state, rng, wild=ply % 2 == 0))
        if state.winner is not None:
            return None
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--wins", type=int, default=200, help="positions (default 200)")
    parser.add_argument("--seconds", type=float, default=0.1, help="for a turn (default 0.1)")
    parser.add_argument("--unasked", action="store_true", help="search without asking the solver for a win first")
    add_clock(parser)
    asked = parser.parse_args()
    use_clock(asked.clock)
    game = stratagem.game("minions", maps=",".join(MAPS))
    found = played = seed = 0
    with mock.patch.object(EnginePlayer, "_won_at_once", return_value=None) if asked.unasked else nullcontext():
        while found < asked.wins:
            state = win_of(seed)
            seed += 1
            if state is None:
                continue
            found += 1
            choice = EnginePlayer(game, seed=seed).choose(game.parse(str(state)), Clock(asked.seconds))
            played += state.play(GameTurn.parse(choice.move, len(MAPS))).winner == state.side
    print(f"{played} of {found} wins in one turn were played ({seed} games)")


if __name__ == "__main__":
    main()
