"""Claim: at least 40 times the random playouts a second of OpenSpiel's C++ rollouts on connect four, breakthrough and othello;
one core. Tic-tac-toe is beside them and does not reach 40: a game is over after seven plies or eight, so that what a playout
costs besides its plies, and one branch that cannot be predicted, its end, weigh most.

OpenSpiel's evaluator is not callable from Python, so its rate is read off an MCTSBot of two simulations that plays N
rollouts in each. Ours are flat Monte-Carlo's playouts, dealt evenly to the first moves.
"""

from __future__ import annotations

from typing import Any

from alternate import compare, openspiel, pin

import stratagem
from stratagem.search.sampling.montecarlo import MonteCarlo

GAMES = (
    ("connect4", "connect_four", 500_000),
    ("tictactoe", "tic_tac_toe", 500_000),
    ("breakthrough", "breakthrough", 50_000),
    ("othello", "othello", 20_000),
)


def main() -> None:
    pyspiel: Any = openspiel()
    pin()
    for name, theirs, playouts in GAMES:
        game = stratagem.game(name)
        search = MonteCarlo(game, share="uniform", seed=7)
        peer, few = pyspiel.load_game(theirs), max(playouts // 100, 500)

        def peer_playouts(peer: Any = peer, few: int = few) -> int:
            bot = pyspiel.MCTSBot(peer, pyspiel.RandomRolloutEvaluator(few // 2, 7), 1.4, 2, 1000, False, 7, False)
            bot.mcts_search(peer.new_initial_state())
            return 2 * (few // 2)

        def our_playouts(search: MonteCarlo = search, game: Any = game, playouts: int = playouts) -> int:
            search.estimates(game.start(), simulations=playouts)
            return playouts

        compare(f"random playouts, {name}", "games", peer_playouts, our_playouts, "OpenSpiel C++")


main()
