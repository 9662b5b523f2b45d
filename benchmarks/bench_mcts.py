"""Claim: at least 20 times the simulations a second of OpenSpiel's C++ MCTSBot on connect four.

The same game from its start, one uniformly random rollout a simulation, 10,000 simulations a search, exploration 1.4, no
solver, no reuse; one core. Tic-tac-toe, breakthrough and othello beside it.
"""

from __future__ import annotations

from typing import Any

from alternate import compare, openspiel, pin

import stratagem
from stratagem.search.mcts import MCTS

SIMULATIONS = 10_000
GAMES = (
    ("connect4", {}, "connect_four"),
    ("tictactoe", {}, "tic_tac_toe"),
    ("breakthrough", {}, "breakthrough"),
    ("othello", {}, "othello"),
)


def main() -> None:
    pyspiel: Any = openspiel()
    pin()
    for name, options, theirs in GAMES:
        game = stratagem.game(name, **options)
        search = MCTS(game, exploration=1.4, solve=False, reuse=False, seed=7)
        peer = pyspiel.load_game(theirs)

        def peer_search(peer: Any = peer) -> int:
            bot = pyspiel.MCTSBot(peer, pyspiel.RandomRolloutEvaluator(1, 7), 1.4, SIMULATIONS, 1000, False, 7, False)
            bot.mcts_search(peer.new_initial_state())
            return SIMULATIONS

        def our_search(search: MCTS = search, game: Any = game) -> int:
            done, _ = search.search(game.start(), simulations=SIMULATIONS)
            return done

        compare(f"MCTS, {name}, {SIMULATIONS:,} simulations", "sims", peer_search, our_search, "OpenSpiel C++")
        if name == "connect4":
            solving = MCTS(game, reuse=False, pool=1000)
            print(
                f"{'memory':44} {search.trees[0].bytes_per_node:.0f} bytes a node, "
                f"{solving.trees[0].bytes_per_node:.0f} with proofs; {search.nodes_used / SIMULATIONS:.1f} nodes a simulation"
            )


main()
