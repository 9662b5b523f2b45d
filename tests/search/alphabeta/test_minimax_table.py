"""Minimax with a table, alpha-beta on plain graphs, and the trees that are drawn of both."""

import json
import math
import random

import pytest
from command import run
from toys.random_trees import RandomTree

import stratagem
from stratagem import Clock, OptionError
from stratagem.errors import UnsuitableSearch
from stratagem.search.minimax import Minimax, graph_alphabeta, graph_minimax
from stratagem.search.trace import as_text, svg, trace

TICTACTOE = stratagem.game("tictactoe")


@pytest.mark.parametrize("alternating", [True, False])
def test_a_table_that_trusts_the_same_depth_only_changes_no_value(alternating):
    for seed in range(60):
        game = RandomTree(seed=seed, alternating=alternating, coarse=seed % 2 == 0)
        plain = Minimax(game, target="python")
        tabled = Minimax(game, target="python", table_bits=8, same_depth=True)
        for depth in (1, 2, 3, 5, 6):
            first, second = plain.search(game.start(), depth), tabled.search(game.start(), depth)
            assert (first.score, first.move, first.scores) == (second.score, second.move, second.scores)
            assert second.nodes <= first.nodes


def test_a_deeper_entry_serves_and_the_value_to_the_end_is_the_same():
    plain, tabled = Minimax(TICTACTOE), Minimax(TICTACTOE, table_bits=16)
    rng, positions = random.Random(5), [TICTACTOE.start()]
    for _ in range(40):
        at = TICTACTOE.start()
        for _ in range(rng.randint(0, 5)):
            if not at.over:
                at = at.play(rng.choice(at.moves()))
        if not at.over:
            positions.append(at)
    for at in positions:
        # to the end nothing is deeper: the very values, distances included
        first, second = plain.search(at, 9), tabled.search(at, 9)
        assert (first.score, first.scores) == (second.score, second.scores)
    fresh = Minimax(TICTACTOE, table_bits=16)
    assert fresh.search(TICTACTOE.start(), 9).nodes < 20_000  # of 549,946 without a table
    assert fresh.search(TICTACTOE.start(), 5).nodes < 100  # everything below is known deeper


def test_the_player_deepens_from_two_and_gives_every_move_a_value():
    player = stratagem.player(TICTACTOE, "minimax:depth=9")
    seen = []
    choice = player.choose(TICTACTOE.parse("XO_______"), Clock(None), report=seen.append, lines=7)
    assert next(one.depth for one in seen) == 2
    assert choice.engine == "minimax" and len(choice.values) == 7
    exact = Minimax(TICTACTOE).search(TICTACTOE.parse("XO_______"), 7)
    assert choice.lines[0].moves_to_end == 5 and choice.value == 1 and exact.score > 0
    quick = stratagem.player(TICTACTOE, "minimax").choose(TICTACTOE.start(), Clock(0.0))
    assert quick.depth == 2  # with any clock the first depth is finished
    assert stratagem.player(TICTACTOE, "minimax:depth=1").choose(TICTACTOE.start(), Clock(None)).depth == 1


def test_minimax_and_expectimax_are_players_one_can_name():
    for name in ("minimax", "expectimax", "alphabeta"):
        choice = stratagem.player(TICTACTOE, f"{name}:depth=3").choose(TICTACTOE.parse("XX_OO____"), Clock(None))
        assert (choice.move, choice.value) == ("c1", 1)
    assert "minimax" not in {**dict.fromkeys(stratagem.registry.players(stratagem.game("pig")))}


@pytest.mark.parametrize("bits", [-1, 29, 2.5])
def test_tables_that_cannot_be_are_refused(bits):
    with pytest.raises(OptionError):
        Minimax(TICTACTOE, table_bits=bits)


# ------------------------------------------------------------------------------------------------------ plain graphs


def random_graph(rng, layers=5, width=4):
    nodes = [[(layer, k) for k in range(width)] for layer in range(layers + 1)]
    edges = {
        node: rng.sample(nodes[layer + 1], rng.randint(0 if layer else 1, 3))
        for layer in range(layers)
        for node in nodes[layer]
    }
    worth = {node: rng.randint(-5, 5) for row in nodes for node in row}
    return (lambda n: edges.get(n, [])), worth.__getitem__


def test_alpha_beta_on_graphs_is_minimax_with_the_whole_window():
    rng = random.Random(7)
    for _ in range(400):
        neighbours, evaluate = random_graph(rng)
        depth, maximising = rng.randint(0, 5), rng.random() < 0.5
        expected = graph_minimax((0, 0), depth, neighbours, evaluate, maximising=maximising)
        table: dict = {}
        for kept in (None, table, table):
            assert graph_alphabeta((0, 0), depth, neighbours, evaluate, maximising=maximising, table=kept) == expected


def test_alpha_beta_on_graphs_keeps_its_promise_at_the_ends_of_a_window():
    """Inside the window the value; below it an upper bound, above it a lower one, with a table or without."""
    rng = random.Random(8)
    for _ in range(400):
        neighbours, evaluate = random_graph(rng)
        expected = graph_minimax((0, 0), 5, neighbours, evaluate)
        table: dict = {}
        for _ in range(4):
            alpha = rng.randint(-6, 4)
            beta = rng.randint(alpha + 1, 6)
            for kept in (None, table):
                found = graph_alphabeta((0, 0), 5, neighbours, evaluate, window=(alpha, beta), table=kept)
                if alpha < found < beta:
                    assert found == expected
                elif found <= alpha:
                    assert expected <= found
                else:
                    assert expected >= found


def test_alpha_beta_on_graphs_looks_at_fewer_leaves_and_refuses_an_empty_window():
    calls = []
    neighbours, evaluate = (lambda n: [2 * n, 2 * n + 1] if n < 64 else []), (lambda n: (calls.append(n), n % 7)[1])
    expected = graph_minimax(1, 6, neighbours, evaluate)
    every = len(calls)
    calls.clear()
    assert graph_alphabeta(1, 6, neighbours, evaluate) == expected
    assert len(calls) < every == 64
    with pytest.raises(OptionError, match="holds no value"):
        graph_alphabeta(1, 6, neighbours, evaluate, window=(1, 1))


# ------------------------------------------------------------------------------------------------------ trees to look at


@pytest.mark.parametrize("engine", ["minimax", "alphabeta"])
def test_the_tree_drawn_has_the_value_of_the_search(engine):
    for text in ("XO_______", "XOX_O____", "XOXOX____", "X___O____"):
        position = TICTACTOE.parse(text)
        for depth in (1, 2, 3):
            root = trace(position, depth, engine)
            score = Minimax(TICTACTOE, distances=False).search(position, depth).score
            sign = 1 if position.turn == 0 else -1
            assert math.copysign(1, root.value) * (root.value != 0) == sign * (score > 0) - sign * (score < 0)
            for node in root.nodes():
                if node.children:
                    pick = max if node.maximises else min
                    assert node.value == pick(child.value for child in node.children)
                    assert node.best == next(c.move for c in node.children if c.value == node.value)
                if node.cut:  # a branch is cut where the window is closed
                    alpha, beta = node.window
                    assert node.value >= beta if node.maximises else node.value <= alpha


def test_alpha_beta_walks_a_part_of_the_tree_of_minimax():
    position = TICTACTOE.parse("X___O____")
    whole, pruned = trace(position, 3, "minimax"), trace(position, 3, "alphabeta")
    assert len(list(whole.nodes())) == 1 + 7 + 42 + 210
    assert len(list(pruned.nodes())) < len(list(whole.nodes()))
    assert any(node.cut for node in pruned.nodes()) and not any(node.cut for node in whole.nodes())


def test_the_tree_is_reported_in_words_and_as_a_picture():
    root = trace(TICTACTOE.parse("XOX_O____"), 2, "alphabeta")
    words = as_text(root, "alphabeta")
    assert "window -1 .. ∞" in words and "cut: c3" in words and words.endswith("branches cut") and "1. root" in words
    drawn = svg(root, "alphabeta", "Tic-tac-toe")
    assert drawn.startswith("<svg") and drawn.count("✂") == sum(len(node.cut) for node in root.nodes())
    assert drawn.count("<polygon") == sum(bool(node.children) for node in root.nodes())


def test_a_tree_of_ones_own_is_walked_as_in_the_books():
    found = stratagem.trace([[3, 5], [2, 9]])
    assert (found.value, found.best, found.visits) == (3, "1", 6)
    second = found.root.children[1]
    assert second.window == (3, math.inf) and second.bound == "at most" and second.cut == ["2"]
    assert [node.visit for node in found.root.nodes()] == [1, 2, 3, 4, 5, 6]
    assert stratagem.trace([[3, 5], [2, 9]], engine="minimax").visits == 7
    assert stratagem.trace([[3, 5], [2, 9]], maximising=False).value == 5
    assert "cut: 2" in str(found) and found._repr_svg_().count("✂") == 1


def test_a_table_changes_no_value_of_a_tree_and_walks_less():
    rng = random.Random(3)

    def grown(level):
        return rng.randint(0, 2) if level == 0 else [grown(level - 1) for _ in range(rng.randint(1, 3))]

    fewer = 0
    for _ in range(200):
        tree = grown(4)
        plain = stratagem.trace(tree, engine="minimax")
        for engine in ("minimax", "alphabeta"):
            with_table = stratagem.trace(tree, engine=engine, table=True)
            assert with_table.value == plain.value
            assert with_table.visits <= stratagem.trace(tree, engine=engine).visits
            fewer += with_table.visits < plain.visits
    assert fewer > 100
    twice = stratagem.trace([[3, 5], [3, 5]], engine="minimax", table=True)
    assert "1 known from the table" in str(twice)


def test_a_table_of_graph_minimax_serves_lesser_depths():
    calls = []

    def neighbours(n):
        calls.append(n)
        return [2 * n, 2 * n + 1] if n < 16 else []

    table: dict = {}
    deep = graph_minimax(1, 4, neighbours, lambda n: n % 7, table=table)
    calls.clear()
    assert graph_minimax(1, 2, neighbours, lambda n: n % 7, table=table) == deep
    assert not calls


def test_the_command_walks_a_tree_of_ones_own(tmp_path):
    file = tmp_path / "tree.json"
    file.write_text("[[3, 5], [2, 9]]")
    for given in ("[[3,5],[2,9]]", str(file)):
        found = run("trace", "--tree", given)
        assert (
            found.code == 0
            and "6 nodes visited" in found.out
            and "window +3 .. ∞, = at most +2 by 1, cut: 2" in found.out
        )
    assert json.loads(run("trace", "--tree", "[[3,5],[2,9]]", "--json").out)["nodes"] == 6
    assert "549,946 nodes" in run("trace", "tictactoe", "--engine", "minimax", "--depth", "9", "--count").out


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        ("[[3,[]]]", "empty"),
        ("[true]", "no leaf"),
        ("[3,", "cannot be read"),
        ("nowhere.json", "no file"),
        ("[1e999]", "no leaf"),
    ],
)
def test_a_tree_that_is_none_is_refused_in_a_line(tree, reason):
    found = run("trace", "--tree", tree)
    assert found.code == 2 and reason in found.err and "Traceback" not in found.err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("tictactoe", "--engine", "mcts"), "minimax, alphabeta"),
        (("tictactoe", "--depth", "0"), "1 or more"),
        (("tictactoe", "--depth", "9"), "more than 5000 nodes"),
        (("tictactoe", "XXXOO____"), "over"),
        (("pig",), "chance"),
        (("goofspiel",), "at once"),
        (("tictactoe", "--most", "0"), "1 or more"),
        (("tictactoe", "--count", "--svg", "tree.svg"), "leave out --svg"),
        (("tictactoe", "--count", "--most", "10"), "leave out --svg and --most"),
        (("tictactoe", "--min"), "tree of your own"),
    ],
)
def test_trees_that_cannot_be_drawn_are_refused(arguments, reason):
    found = run("trace", *arguments)
    assert found.code == 2 and reason in found.err and "Traceback" not in found.err
    with pytest.raises(UnsuitableSearch):
        trace(stratagem.game("pig").start(), 2, "minimax")
    with pytest.raises(OptionError, match="tree of one's own"):
        stratagem.trace(stratagem.game("tictactoe").start(), 2, maximising=False)


def test_the_command_draws_and_answers_programs(tmp_path):
    picture = tmp_path / "tree.svg"
    assert run("trace", "tictactoe", "XOX_O____", "--depth", "2", "--svg", str(picture)).code == 0
    assert picture.read_text().startswith("<svg")
    tree = json.loads(run("trace", "tictactoe", "XOX_O____", "--depth", "2", "--json").out)["tree"]
    assert tree["best"] and len(tree["children"]) == 5


def test_depths_tell_value_and_move_by_depth(tmp_path):
    picture = tmp_path / "depths.svg"
    found = run("depths", "connect4", "4455", "--svg", str(picture), "--json")
    rows = [json.loads(line) for line in found.out.splitlines()]
    assert [row["depth"] for row in rows] == [1, 2, 3]  # proven there
    assert rows[-1]["value"] == 1 and rows[-1]["moves_to_end"] == 3 and picture.read_text().startswith("<svg")
    assert run("depths", "tictactoe", "--engine", "minimax", "--most", "3").out.count("\n") >= 5
    for arguments, reason in (
        (("tictactoe", "--engine", "mcts"), "does not go by depth"),
        (("goofspiel",), "no search of goofspiel goes by depth"),
        (("tictactoe", "--most", "0"), "1 or more"),
        (("tictactoe", "--svg", "no-such-folder/depths.svg"), "there is no folder"),
        (("connect4", "--most", "2", "--svg", str(picture)), "no value to draw"),
    ):
        refused = run("depths", *arguments)
        assert refused.code == 2 and reason in refused.err
