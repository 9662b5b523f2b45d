"""Claim: at least 20 times the simulations a second of OpenSpiel's C++ MCTSBot on connect four, breakthrough and othello.

The same game from its start, one uniformly random rollout a simulation, 10,000 simulations a search, exploration 1.4, no
solver, no reuse; one core. Both sides report how many simulations they did and how deep their walks went, so that the work
is seen to be the same. Tic-tac-toe is beside them and does not reach 20: its playouts are over after a few plies, OpenSpiel's
board of nine cells is cheap to copy and to scan, and most of a simulation is the walk down the tree, on either side.
"""

from __future__ import annotations

from typing import Any

from alternate import compare, openspiel, pin

import stratagem
from stratagem.search.tree.mcts import MCTS

SIMULATIONS = 10_000
GAMES = (
    ("connect4", {}, "connect_four"),
    ("tictactoe", {}, "tic_tac_toe"),
    ("breakthrough", {}, "breakthrough"),
    ("othello", {}, "othello"),
)


def walked(node: Any) -> int:
    """The steps that all simulations made below a node of OpenSpiel's tree."""
    return sum(child.explore_count + walked(child) for child in node.children)


def main() -> None:
    pyspiel: Any = openspiel()
    pin()
    for name, options, theirs in GAMES:
        game = stratagem.game(name, **options)
        search = MCTS(game, exploration=1.4, solve=False, reuse=False, seed=7)
        peer = pyspiel.load_game(theirs)

        def peer_tree(peer: Any = peer) -> Any:
            bot = pyspiel.MCTSBot(peer, pyspiel.RandomRolloutEvaluator(1, 7), 1.4, SIMULATIONS, 1000, False, 7, False)
            return bot.mcts_search(peer.new_initial_state())

        def peer_search(tree: Any = peer_tree) -> int:
            return int(tree().explore_count)

        def our_search(search: MCTS = search, game: Any = game) -> int:
            done, _ = search.search(game.start(), simulations=SIMULATIONS)
            return done

        compare(f"MCTS, {name}, {SIMULATIONS:,} simulations", "sims", peer_search, our_search, "OpenSpiel C++")
        theirs_done, ours_done = peer_tree(), our_search()
        our_depth = sum(search.trees[0].visits(node) for node in range(1, search.nodes_used)) / ours_done
        print(
            f"{'':44} simulations done {theirs_done.explore_count:,} and {ours_done:,}, "
            f"mean depth in the tree {walked(theirs_done) / theirs_done.explore_count:.2f} and {our_depth:.2f}",
            flush=True,
        )
        if name == "connect4":
            solving = MCTS(game, reuse=False, pool=1000)
            print(
                f"{'memory':44} {search.trees[0].bytes_per_node:.0f} bytes a node, "
                f"{solving.trees[0].bytes_per_node:.0f} with proofs; {search.nodes_used / SIMULATIONS:.1f} nodes a simulation"
            )


main()
