"""How many wins in one turn the Minions engine plays, in positions of scripted games that the attack solver wins by a turn.

    python -m benchmarks.strength.minions_wins --wins 60 --seconds 0.1 --clock processor
    python -m benchmarks.strength.minions_wins --left 10 --nodes 300

`--unasked` leaves out the question that the engine puts to the solver before its search. `--left` counts in so many games of the
engine against itself the turns that leave the opponent a win in one turn.
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


def wins_left(games: int, nodes: int) -> None:
    """Play games, and ask the solver after every turn."""
    game = stratagem.game("minions", maps=",".join(MAPS))
    turns = left = 0
    for seed in range(games):
        position, players = game.start(), [EnginePlayer(game, seed=2 * seed + k, visits=nodes) for k in range(2)]
        for _ in range(PLIES):
            position = position.play(players[position.turn].choose(position.view(position.turn), Clock(None)).move)
            if position.over:
                break
            turns += 1
            left += winning_turn(position.state) is not None
        print(f"{seed + 1} games: {left} of {turns} turns left a win in one turn", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--wins", type=int, default=200, help="positions (default 200)")
    parser.add_argument("--seconds", type=float, default=0.1, help="for a turn (default 0.1)")
    parser.add_argument("--unasked", action="store_true", help="search without asking the solver for a win first")
    parser.add_argument("--left", type=int, default=0, help="games in which to look for wins left to the opponent")
    parser.add_argument("--nodes", type=int, default=300, help="simulations a turn of such a game (default 300)")
    add_clock(parser)
    asked = parser.parse_args()
    use_clock(asked.clock)
    if asked.left:
        wins_left(asked.left, asked.nodes)
        return
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
