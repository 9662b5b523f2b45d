"""Every build of the sampling searches against the interpreter: same seed, same tree, same estimates.

Parts of the templates are inlined by force and references are not counted, and forced inlining was once seen to give wrong
code; so each combination of parts that a search can be built from is compared here, down to the last bit.
"""

import numpy as np
import pytest
from toys.kuhn import Kuhn
from toys.node_rows import rows
from toys.three_players import ThreePlayers

import stratagem
from stratagem.search.sampling.montecarlo import MonteCarlo
from stratagem.search.tree.cell import BEGIN, NEXT
from stratagem.search.tree.infosets import InformationSets
from stratagem.search.tree.mcts import MCTS

TICTACTOE = stratagem.game("tictactoe")
PIG = stratagem.game("pig", target=10)


def contents(search):
    """All that a tree holds, as bytes."""
    tree, used = rows(search.trees[0]), search.nodes_used
    return [a[:used].tobytes() for a in (tree.stats, tree.quick, tree.nodes, tree.exact, tree.priors)]


def grown(game, position, target, simulations, **options):
    search = MCTS(game, seed=5, target=target, pool=20_000, **options)
    search.search(position, simulations=simulations)
    assert search.nodes_used > 15
    return contents(search)


def uneven(g, s, p, m):
    """A prior kernel: any weights that differ from move to move and from state to state, some of them 0."""
    return float((m * 7 + s[0] + 3 * p) % 5)


def lead(g, s, out):
    """A value kernel for tic-tac-toe: who holds the better cells."""
    x = 0.0
    for cell in range(9):
        x += ((s[0] >> cell & 1) - (s[1] >> cell & 1)) * (1.0 + cell % 2) / 20.0
    out[0] = x
    out[1] = -x


def first_empty(g, s, p, r):
    """A playout strategy for tic-tac-toe without chance."""
    for cell in range(9):
        if (s[0] | s[1]) >> cell & 1 == 0:
            return cell
    return -1


def some_slow(cases, quick):
    """Cases by name; all but a few are left to the slow tests, since every one compiles a search of its own."""
    return [
        pytest.param(*case, id=name, marks=() if name in quick else pytest.mark.slow) for name, case in cases.items()
    ]


BUILDS = {
    "priors": [{"prior": uneven}],
    "priors without proofs": [{"prior": uneven, "solve": False}],
    "values at the leaves": [{"evaluate": lead}],
    "priors and values": [{"prior": uneven, "evaluate": lead}],
    "values after two plies": [{"evaluate": lead, "playout_depth": 2, "solve": False}],
    "a playout strategy": [{"strategy": first_empty}],
}


@pytest.mark.parametrize("options", some_slow(BUILDS, ("priors", "values after two plies")))
def test_mcts_of_every_build_grows_the_interpreters_tree(options):
    for position in (TICTACTOE.start(), TICTACTOE.parse("XO__X____")):
        compiled, interpreted = (grown(TICTACTOE, position, target, 250, **options) for target in ("cpu", "python"))
        assert compiled == interpreted


CHANCE_AND_THREE = {"pig": (PIG, "5,3 second 2*"), "three players": (ThreePlayers(), "")}


@pytest.mark.parametrize(("game", "text"), some_slow(CHANCE_AND_THREE, ("pig",)))
def test_priors_beside_chance_and_three_players(game, text):
    position = game.parse(text) if text else game.start()
    compiled, interpreted = (grown(game, position, target, 250, prior=uneven) for target in ("cpu", "python"))
    assert compiled == interpreted


def test_priors_of_a_kernel_are_what_it_says_in_compiled_code():
    search = MCTS(TICTACTOE, seed=1, prior=uneven, pool=20_000)
    search.search(TICTACTOE.start(), simulations=300)
    tree, checked = search.trees[0], 0
    for node in tree.children(0):
        state = TICTACTOE.start().play(TICTACTOE.move_text(TICTACTOE.start().state, 0, tree.move(node))).state
        children = tree.children(node)
        if len(children):
            weights = np.array([uneven(None, state, 1, tree.move(child)) for child in children])
            np.testing.assert_allclose(tree.priors[list(children)], weights / weights.sum())
            checked += 1
    assert checked > 3


@pytest.mark.parametrize("solve", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("batch", [1, 16])
def test_a_network_grows_the_interpreters_tree(batch, solve):
    def network(states, movers, lists, counts):
        """Numbers that depend on everything asked about, without meaning."""
        mixed = (states * [3, 5, 0]).sum(axis=1) + movers
        values = ((mixed % 13) - 6) / 10.0
        return (lists * 3 + mixed[:, None]) % 7, np.stack([values, -values], axis=1)

    compiled, interpreted = (
        grown(TICTACTOE, TICTACTOE.start(), target, 200, network=network, batch=batch, solve=solve)
        for target in ("cpu", "python")
    )
    assert compiled == interpreted


@pytest.mark.parametrize("solve", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_the_build_that_threads_share_grows_the_interpreters_tree(solve):
    """One thread of it alone: atomic additions and links change nothing then. Enough walks for batches of several."""

    def alone(target):
        search = MCTS(TICTACTOE, seed=5, threads=2, parallel="tree", pool=20_000, target=target, solve=solve)
        root = search._begin(TICTACTOE.start())
        done = search._simulate(*search._arguments(root, 0, 900, 900, np.zeros(1, np.int64)))
        assert done == 900
        assert search.workers[1].pool[NEXT] == search.workers[1].pool[BEGIN]  # the other thread did nothing
        return contents(search)

    assert alone("cpu") == alone("python")


KUHN = Kuhn()
GOOFSPIEL = stratagem.game("goofspiel", cards=3, order="random")
FLAT = {
    "players in turn": (TICTACTOE, "X_O_X____", None, {}),
    "a playout strategy": (TICTACTOE, "X_O_X____", None, {"strategy": first_empty}),
    "values after two plies": (TICTACTOE, "X_O_X____", None, {"evaluate": lead, "playout_depth": 2}),
    "chance": (PIG, "5,3 second 2", None, {}),
    "chance at the root": (PIG, "5,3 second 2*", None, {}),
    "chance, values at a depth": (PIG, "5,3 second 2", None, {"playout_depth": 3}),
    "all at once": (GOOFSPIEL, "", 1, {}),
    "all at once, replies kept": (GOOFSPIEL, "", 1, {"remember": True}),
}


QUICK_FLAT = ("players in turn", "values after two plies", "chance, values at a depth", "all at once")


@pytest.mark.parametrize(("game", "text", "seat", "options"), some_slow(FLAT, QUICK_FLAT))
def test_monte_carlo_of_every_build_gives_the_interpreters_estimates(game, text, seat, options):
    position = game.parse(text) if text else game.start()
    while position.turn == stratagem.CHANCE and not text:
        position = position.play(position.moves()[0])
    for share, common in (("uniform", True), ("ucb", False), ("halving", True)):
        compiled, interpreted = (
            MonteCarlo(game, seed=4, target=target, share=share, common=common, **options).estimates(
                position, seat=seat, simulations=120
            )
            for target in ("cpu", "python")
        )
        assert compiled == interpreted


SETS = {
    "all at once": (GOOFSPIEL, "", {}),
    "players in turn": (TICTACTOE, "XO__X____", {}),
    "hidden": (KUHN, None, {}),
    "chance": (PIG, "5,3 second 2", {}),
    "a full pool": (GOOFSPIEL, "", {"pool": 40}),
    "values after two plies": (TICTACTOE, "XO__X____", {"evaluate": lead, "playout_depth": 2}),
}


@pytest.mark.parametrize("rule", ["rm", pytest.param("duct", marks=pytest.mark.slow), "exp3"])
@pytest.mark.parametrize(("game", "text", "options"), some_slow(SETS, ("all at once", "hidden", "players in turn")))
def test_information_sets_of_every_build_learn_what_the_interpreter_learns(game, text, options, rule):
    position = KUHN.start().play("2").view(0) if text is None else game.parse(text) if text else game.start()
    while position.turn == stratagem.CHANCE and not text:
        position = position.play(position.moves()[0])
    found = []
    for target in ("cpu", "python"):
        search = InformationSets(game, rule=rule, seed=4, target=target, **{"pool": 5000, **options})
        for simulations in (150, 100):  # the second goes on with what was learned
            search.search(position, simulations=simulations)
        known = search.known
        found.append([known.room.tolist(), known.table.tolist(), known.moves.tolist(), known.arms.round(9).tolist()])
        found[-1].append([round(x, 9) for x in search.values()[0]])
    assert found[0] == found[1]
    assert found[0][0][1] > 2  # decisions


def test_monte_carlo_with_something_hidden_gives_the_interpreters_estimates():
    position = KUHN.start().play("2").view(0)
    compiled, interpreted = (
        MonteCarlo(KUHN, seed=4, target=target).estimates(position, seat=0, simulations=200)
        for target in ("cpu", "python")
    )
    assert compiled == interpreted
