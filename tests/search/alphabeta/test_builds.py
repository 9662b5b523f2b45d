"""Compiled and interpreted searches take the same course, node for node; and what a game or a user says is heard."""

from dataclasses import FrozenInstanceError

import pytest
from toys.random_positions import random_positions
from toys.random_trees import RandomTree

import stratagem
from stratagem import OptionError
from stratagem.search.alphabeta import ordering, solver
from stratagem.search.alphabeta.deepening import AlphaBeta, AlphaBetaSettings
from stratagem.search.alphabeta.settings import parts
from stratagem.search.alphabeta.solver import Solver
from stratagem.search.minimax import Expectimax, ExpectimaxSettings, Minimax, MinimaxSettings
from stratagem.search.perft import Perft

CONNECT4 = stratagem.game("connect4")
BUILDS = ("cpu", "python")


@pytest.mark.parametrize(("name", "depth"), [("connect4", 5), ("othello", 3), ("breakthrough", 3), ("nim", 4)])
def test_compiled_alpha_beta_takes_the_course_of_the_interpreter(name, depth):
    game = stratagem.game(name)
    compiled, plain = (AlphaBeta(game, table_bits=8, target=target) for target in BUILDS)
    for position in random_positions(game, 5, 21, range(2, 12)):
        assert compiled.search(position, depth) == plain.search(position, depth)


def test_compiled_techniques_take_the_course_of_the_interpreter():
    """On random trees, where moves do not alternate and nothing helps: no order, no safe moves, keys that collide."""
    for options in ({}, {"two_tier": False, "deeper": False}, {"table_bits": 0, "scout": False}, {"prune": False}):
        compiled, plain = (AlphaBeta(RandomTree(), **{"table_bits": 5, **options}, target=target) for target in BUILDS)
        for seed in range(10):
            game = RandomTree(seed=seed, alternating=seed % 2 == 0)
            for search in (compiled, plain):
                search.game = game
                search.clear()
            assert compiled.search(game.start(), 6) == plain.search(game.start(), 6), options


@pytest.mark.parametrize("two_tier", [False, True])
def test_the_compiled_solver_takes_the_course_of_the_interpreter(two_tier):
    compiled, plain = (Solver(CONNECT4, table_bits=16, two_tier=two_tier, target=target) for target in BUILDS)
    for position in random_positions(CONNECT4, 6, 22, range(28, 34)):
        assert compiled.solve(position) == plain.solve(position)


def test_compiled_minimax_expectimax_and_perft_agree_with_the_interpreter():
    position, pig = CONNECT4.parse("4455"), stratagem.game("pig", target=7, players=3, faces=3)
    assert len({Minimax(CONNECT4, target=target).search(position, 4) for target in BUILDS}) == 1
    assert len({Expectimax(pig, target=target).values(pig.start(), 6) for target in BUILDS}) == 1
    for start in (position, pig.start()):
        assert len({Perft(start.game, target=target).count(start, 4) for target in BUILDS}) == 1


def test_a_game_says_whether_killers_pay_and_settings_overrule_it():
    def without_killers(game, **options):
        return parts(game, AlphaBetaSettings(**options)).get("killer_units") is ordering.no_killer_units

    assert without_killers(CONNECT4)
    assert not without_killers(CONNECT4, killers=True)
    assert not without_killers(stratagem.game("breakthrough"))  # says nothing
    assert without_killers(stratagem.game("breakthrough"), killers=False)


def test_only_a_game_whose_draws_fill_the_board_goes_to_the_solver():
    assert solver.can_solve(CONNECT4)
    assert not solver.can_solve(stratagem.game("breakthrough"))


@pytest.mark.parametrize(
    ("search", "settings", "option"),
    [
        (AlphaBeta, AlphaBetaSettings, "killers"),
        (Solver, solver.SolverSettings, "ordered"),
        (Minimax, MinimaxSettings, "distances"),
        (Expectimax, ExpectimaxSettings, "evaluate"),
    ],
)
def test_settings_are_given_whole_or_by_name_and_stay(search, settings, option):
    chosen = {option: False, "target": "python"} if option != "evaluate" else {"target": "python"}
    made = settings(**chosen)
    assert search(CONNECT4, made).settings == search(CONNECT4, **chosen).settings == made
    assert search(CONNECT4, made, target="cpu").settings == settings(**{**chosen, "target": "cpu"})
    with pytest.raises(OptionError, match=f"takes no option '{option[:-1]}'; .*did you mean {option}"):
        search(CONNECT4, **{option[:-1]: True})
    with pytest.raises(FrozenInstanceError):
        made.target = "cuda"


def test_a_search_without_pruning_still_tells_the_whole_variation():
    game = stratagem.game("tictactoe")
    found = AlphaBeta(game, prune=False, target="python").search(game.parse("XO_XO____"), 5)
    assert game.parse("XO_XO____").line(found.moves) == ("a3",)
