"""Every technique of alpha-beta leaves values as they are, and the solver tells the truth.

Most searches here run in the interpreter: the template is the same source, and nothing needs compiling.
"""

import functools
import random
from dataclasses import replace

import pytest
from toys.random_positions import random_positions

import stratagem
from stratagem import Clock, OptionError, StratagemError, UnsuitableSearch
from stratagem.search.alphabeta.deepening import PLAIN, AlphaBeta, AlphaBetaSettings
from stratagem.search.alphabeta.score import verdict
from stratagem.search.alphabeta.solver import Solver
from stratagem.search.budget import Budget
from stratagem.search.minimax import Minimax

SMALL = {
    "tictactoe": stratagem.game("tictactoe"),
    "connect4": stratagem.game("connect4", width=4, height=4),
    "hex": stratagem.game("hex", size=3),
    "breakthrough": stratagem.game("breakthrough", rows=4, columns=3, ranks=1),
    "othello": stratagem.game("othello", size=4),
    "nim": stratagem.game("nim", heaps=(1, 2, 3)),
}
SAME = AlphaBetaSettings(table_bits=8, deeper=False)  # a small table, so that entries displace each other
TECHNIQUES = {
    "all": SAME,
    "killers": replace(PLAIN, table_bits=0, killers=True),
    "history": replace(PLAIN, table_bits=0, history=True),
    "scout": replace(PLAIN, table_bits=0, scout=True),
    "scout with a table": replace(PLAIN, table_bits=6, scout=True),
    "safe": replace(PLAIN, table_bits=0, safe=True),
    "unordered": replace(SAME, ordered=False),
    "unpruned": replace(SAME, prune=False),
    "left": replace(PLAIN, table_bits=8, left=True),
    "two tiers": replace(PLAIN, table_bits=4, two_tier=True),
    "aspiration": replace(SAME, driver="aspiration"),
    "mtdf": replace(SAME, driver="mtdf"),
    "threads": replace(SAME, threads=3),
    "without distances": replace(SAME, distances=False),
}


@pytest.fixture(scope="module", params=list(SMALL))
def small(request):
    """A small game, some of its positions, and for each the minimax score of two depths."""
    game = SMALL[request.param]
    plain, flat = (Minimax(game, distances=d, target="python") for d in (True, False))
    cases = []
    for position in random_positions(game, 6, 3, range(2, 9)):
        for depth in (2, 4):
            scores = (plain.search(position, depth).score, flat.search(position, depth).score)
            cases.append((position, depth, scores))
    return game, cases


@pytest.mark.parametrize("name", list(TECHNIQUES))
def test_a_technique_leaves_values_as_they_are(small, name):
    game, cases = small
    settings = TECHNIQUES[name]
    search = AlphaBeta(game, settings, target="python")
    for position, depth, (with_distances, without) in cases:
        expected = with_distances if settings.distances else without
        found = search.value_of(position, depth, guess=random.Random(depth).randrange(-9999, 9999))
        assert found.score == expected, (str(position), depth)
        assert found.moves[0] in position.move_numbers()


@pytest.mark.parametrize("settings", [SAME, replace(SAME, safe=False)], ids=["safe", "plain moves"])
def test_random_windows_keep_the_promise_of_fail_soft(settings):
    game = SMALL["connect4"]
    plain, search = Minimax(game, target="python"), AlphaBeta(game, settings, target="python")
    rng = random.Random(4)
    for position in random_positions(game, 15, 6, range(2, 9)):
        m = plain.search(position, 4).score
        for _ in range(6):
            around = rng.choice([m, 0])
            alpha = around - rng.randrange(1, 4)
            beta = alpha + rng.randrange(1, 5)
            v = search.search(position, 4, alpha, beta).score
            if v <= alpha:
                assert m <= v
            elif v >= beta:
                assert m >= v
            else:
                assert v == m


def test_the_techniques_reduce_the_nodes():
    game = SMALL["connect4"]
    batch = list(random_positions(game, 6, 8, range(2, 6)))

    def nodes(settings):
        search = AlphaBeta(game, settings, target="python")
        return sum(search.search(position, 8).nodes for position in batch)

    plain = nodes(replace(PLAIN, table_bits=0))
    assert nodes(replace(PLAIN, table_bits=12)) < plain
    assert nodes(replace(PLAIN, table_bits=0, safe=True)) < 0.7 * plain
    assert nodes(AlphaBetaSettings(table_bits=12)) < 0.5 * plain


def test_wrong_settings_are_refused():
    game = SMALL["tictactoe"]
    for options, message in (
        ({"driver": "mtd"}, "unknown driver 'mtd'; did you mean mtdf"),
        ({"driver": "mtdf", "table_bits": 0}, "needs a table"),
        ({"threads": 0}, "1 to 64"),
        ({"threads": 2, "table_bits": 0}, "through the table"),
        ({"killer": True}, "did you mean killers"),
        ({"table_bits": 99}, "from 0 to 30"),
    ):
        with pytest.raises((OptionError, StratagemError), match=message):
            AlphaBeta(game, **options)


def test_several_lines_are_the_best_moves_in_order():
    game = SMALL["othello"]
    search = AlphaBeta(game, SAME, target="python")
    position = game.start().play("a2").play("a1")
    choice = search.analyse(position, Clock(None), depth=3, lines=99)
    values = [line.value for line in choice.lines]
    assert values == sorted(values, reverse=True)
    assert {line.moves[0] for line in choice.lines} == set(position.moves())


# ------------------------------------------------------------------------------------------------------ solved games


def check_solved(game, position, search, plain):
    """A solution against minimax to the end: value, length, and every best move."""
    solution = search.solve(position)
    longest = game.max_length
    score = plain.search(position, longest).score
    result = verdict(game, score)
    assert solution.value == result.value
    if result.moves_to_end is not None:
        assert solution.moves_to_end == result.moves_to_end
    best = set()
    for move in position.moves():
        after = position.play(move)
        if after.over:
            same = after.payoff[position.turn] == result.value and result.moves_to_end in (None, 1)
        else:
            below = plain.search(after, longest).score
            mine = below if after.turn == position.turn else -below
            theirs = verdict(game, mine)
            same = theirs.value == result.value and (
                result.moves_to_end is None or theirs.moves_to_end + 1 == result.moves_to_end)  # fmt: skip
        if same:
            best.add(move)
    assert set(solution.best) == best


def test_othello_endgames_are_solved_as_minimax_says():
    for payoff in ("result", "discs"):
        game = stratagem.game("othello", size=4, payoff=payoff)
        search, plain = AlphaBeta(game, target="python"), Minimax(game, target="python")
        for position in random_positions(game, 8, 5, range(6, 11)):
            check_solved(game, position, search, plain)


def test_breakthrough_on_a_small_board_is_solved_as_minimax_says():
    game = SMALL["breakthrough"]
    search, plain = AlphaBeta(game, target="python"), Minimax(game, target="python")
    for position in random_positions(game, 6, 6, range(4, 8)):
        check_solved(game, position, search, plain)


def test_the_solver_agrees_with_minimax_and_with_plain_solving():
    game = SMALL["connect4"]
    plain = Minimax(game, target="python")
    well, plainly = AlphaBeta(game, target="python"), AlphaBeta(game, target="python", safe=False)
    for position in random_positions(game, 25, 7, range(7, 14)):
        check_solved(game, position, well, plain)
        one, two = well.solve(position), plainly.solve(position)
        assert (one.value, one.moves_to_end, one.best) == (two.value, two.moves_to_end, two.best)


@pytest.mark.parametrize("options", [{"two_tier": True}, {"threads": 3}, {"ordered": False}], ids=str)
def test_the_solvers_variants_agree(options):
    game = SMALL["connect4"]
    batch = list(random_positions(game, 12, 9, range(6, 12)))
    expected = Solver(game, target="python").scores(batch)
    assert Solver(game, target="python", table_bits=16, **options).scores(batch) == expected


def test_the_solver_says_what_it_knows_and_can_be_stopped():
    game = stratagem.game("connect4")
    heard = []
    search = AlphaBeta(game)
    search.solve(game.parse("4455"))
    with pytest.raises(StratagemError, match="stopped by the clock"):
        search.solve(game.start(), Budget(0.8), progress=heard.append)
    assert heard[-1].nodes > 0
    assert heard[-1].low <= 1.0 == heard[-1].high  # the first player wins, and nothing else was ever claimed


def test_the_solver_refuses_games_without_its_kernels():
    with pytest.raises(UnsuitableSearch, match="use alphabeta"):
        Solver(SMALL["hex"])


def test_positions_of_twelve_stones_are_solved():
    """Certified move by move from another table: the best moves keep value and length, all others do not."""
    game = stratagem.game("connect4")
    search, other = AlphaBeta(game), AlphaBeta(game, table_bits=18)
    for position in random_positions(game, 5, 12, [12]):
        solution = search.solve(position, Budget(100))
        for move in position.moves():
            after = other.solve(position.play(move), Budget(100))
            same = (-after.value, after.moves_to_end + 1) == (solution.value, solution.moves_to_end)
            assert same == (move in solution.best)


def plain_hex_winners(n):
    """The first moves that win on an n x n board, by the definition alone: sets of cells and a recursion that remembers."""
    cells = sorted(((r, c) for r in range(n) for c in range(n)), key=lambda cell: abs(cell[0] + cell[1] - n + 1))
    steps = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))

    def joined(stones, axis):
        todo = [cell for cell in stones if cell[axis] == 0]
        seen = set(todo)
        while todo:
            r, c = todo.pop()
            if (r, c)[axis] == n - 1:
                return True
            for dr, dc in steps:
                near = (r + dr, c + dc)
                if near in stones and near not in seen:
                    seen.add(near)
                    todo.append(near)
        return False

    @functools.cache
    def mover_wins(own, other, axis):
        """Whether the player to move, who joins along an axis, wins; the other has not won yet."""
        for cell in cells:
            if cell not in own and cell not in other:
                after = own | {cell}
                if joined(after, axis) or not mover_wins(other, after, 1 - axis):
                    return True
        return False

    empty = frozenset()
    return {f"{chr(97 + c)}{r + 1}" for r, c in cells if not mover_wins(empty, frozenset({(r, c)}), 1)}


@pytest.mark.slow
def test_every_first_move_of_hex_on_four_by_four():
    """The short diagonal wins, all else loses."""
    game = stratagem.game("hex", size=4)
    search = AlphaBeta(game)
    wins = {move for move in game.start().moves() if search.solve(game.start().play(move)).value == -1.0}
    assert wins == {"d1", "c2", "b3", "a4"} == plain_hex_winners(4)
