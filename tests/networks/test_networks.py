"""Networks: features, whole-number arithmetic, files. Nothing here needs PyTorch."""

import json
import os
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from command import run
from references.othello_patterns import seen as patterns_seen

import stratagem
from stratagem.compile import cuda_target, specialise
from stratagem.errors import OptionError, StratagemError
from stratagem.games.othello import features as othello
from stratagem.kernel import turn
from stratagem.networks import Network, Shape, lift, load, networked, save
from stratagem.networks.batches import Batches
from stratagem.networks.evaluator import ONE, head, prepare
from stratagem.networks.features import check_suits, columns_of, fingerprint, seen_by
from stratagem.networks.networked import check_fits, tree_options
from stratagem.networks.plan import Recipe, TrainingCourse, TrainingPlan, Trial
from stratagem.networks.players import NetworkPlayer, shipped
from stratagem.networks.rounds import keep_plan
from stratagem.networks.weights import cut
from stratagem.rng import generator
from stratagem.search.alphabeta import AlphaBeta
from stratagem.search.alphabeta.score import units
from stratagem.search.tree.mcts import MCTS

ROOT = Path(__file__).parents[2]


def random_network(game, width=16, hidden=8, views=2, seed=0):
    """Weights that fill their range, so that whatever is cut or carried over shows."""
    rng = np.random.default_rng(seed)
    sizes = Shape(int(columns_of(game).max()) + 1, width, hidden, views).sizes()
    ranges = {"columns": 60, "first": 127, "first_bias": 9000, "second": 127, "second_bias": 9000}
    kinds = {"columns": np.int16, "first": np.int8, "second": np.int8}
    made = {
        name: rng.integers(-most, most + 1, sizes[name]).astype(kinds.get(name, np.int32))
        for name, most in ranges.items()
    }
    return Network(**made, card={"game": game.name, "options": game.chosen, "features": fingerprint(game)})


def random_positions(game, games, seed=1):
    found = []
    for k in range(games):
        position, rng = game.start(), generator(seed, k)
        while not position.over:
            found.append(position)
            position = position.play(position.sample(rng))
    return found


def exactly(network, game, position):
    """Value and spread by the slow and obvious form."""
    columns, side = columns_of(game), position.turn
    sides = (side, 1 - side)[: network.shape.views]
    return network.exact(*([int(columns[f]) for f in seen_by(game, position.state, one)] for one in sides))


SMALL = {"rows": 5, "columns": 4, "ranks": 1}


@pytest.mark.parametrize(
    "game",
    [stratagem.game("breakthrough", **SMALL), stratagem.game(str(ROOT / "examples" / "domineering.py"), side=4)],
    ids=lambda game: game.name,
)
def test_sums_that_moves_update_are_those_of_a_full_refresh(game):
    lifted = networked(game, random_network(game, width=8))
    for k in range(8):
        position, rng = lift(lifted, game.start()), generator(2, k)
        while not position.over:
            position = position.play(position.sample(rng))
            anew = position.state.copy()
            anew[game.size + game.scratch : lifted.size] = 0
            lifted.run("refresh_sums", lifted.g, anew)
            assert np.array_equal(anew[: lifted.size], position.state[: lifted.size])


@pytest.mark.parametrize(
    ("game", "views"),
    [(stratagem.game("breakthrough", **SMALL), 2), (stratagem.game("othello"), 1), (stratagem.game("othello"), 2)],
    ids=["breakthrough", "othello, the mover's eyes", "othello, both sides' eyes"],
)
def test_the_interpreter_judges_bit_for_bit_as_the_plain_arithmetic(game, views):
    network = random_network(game, views=views)
    lifted = networked(game, network)
    for position in random_positions(game, 3)[::7]:
        value, spread = exactly(network, game, position)
        state = lift(lifted, position).state.copy()
        assert lifted.run("judged", lifted.g, state, position.turn) == value / np.sqrt(ONE**2 + value**2)
        assert lifted.run("spread", lifted.g, state, position.turn) == max(spread, 0) / ONE


def heads_template(g, states, out):
    """Both outputs of all states."""
    for k in range(len(states)):
        s = states[k]
        side = turn(g, s)
        prepare(g, s, side)
        out[k, 0] = head(g, s, side, 0)
        out[k, 1] = head(g, s, side, 1)


def compiled_heads(game, network, positions):
    lifted = networked(game, network)
    states = np.array([lift(lifted, position).state for position in positions])
    out = np.zeros((len(positions), 2), np.int64)
    specialise(heads_template, lifted.names["value"].names)(lifted.g, states, out)
    return [tuple(row) for row in out.tolist()]


def test_compiled_code_judges_bit_for_bit_as_the_plain_arithmetic():
    game = stratagem.game("breakthrough", **SMALL)
    network = random_network(game, width=32)
    positions = random_positions(game, 60)
    assert compiled_heads(game, network, positions) == [exactly(network, game, position) for position in positions]


@pytest.mark.slow
def test_compiled_code_judges_othello_bit_for_bit():
    game = stratagem.game("othello")
    network = random_network(game, width=32, views=1)
    positions = random_positions(game, 40)
    assert compiled_heads(game, network, positions) == [exactly(network, game, position) for position in positions]


def test_the_patterns_of_othello_are_those_of_a_plain_reading():
    """Columns stand for patterns: equal patterns, and no others, have equal columns."""
    game = stratagem.game("othello")
    columns, named = columns_of(game), {}
    for position in random_positions(game, 4)[::5]:
        board = [[game.stone(position.state, 8 * r + c) for c in range(8)] for r in range(8)]
        for side in (0, 1):
            found = sorted(int(columns[f]) for f in seen_by(game, position.state, side) if f < othello.MOVES)
            wanted = patterns_seen(board, side)
            assert len(found) == len(wanted) == 38
            named.setdefault(tuple(wanted), set()).add(tuple(found))
            for turned in (board[::-1], [row[::-1] for row in board], list(zip(*board, strict=True))):
                state = game.blank()
                state[:] = position.state
                for seat in (0, 1):
                    cells = sum(1 << (8 * r + c) for r in range(8) for c in range(8) if turned[r][c] == 1 + seat)
                    state[seat] = np.uint64(cells).astype(np.int64)
                assert found == sorted(int(columns[f]) for f in seen_by(game, state, side) if f < othello.MOVES)
    assert all(len(found) == 1 for found in named.values())
    assert len({next(iter(found)) for found in named.values()}) == len(named) > 50


def test_alpha_beta_with_a_network_finds_what_plain_minimax_finds():
    game = stratagem.game("breakthrough", **SMALL)
    lifted = networked(game, random_network(game, width=8))
    out, top = np.zeros(2), units(lifted)  # payoffs go from -1 to 1

    def minimax(position, depth):
        if position.over:
            return None
        if depth == 0:
            lifted.run("value", lifted.g, position.state.copy(), out)
            return round(out[position.turn] * top)
        below = [minimax(position.play(move), depth - 1) for move in position.moves()]
        return max(-10 * top if x is None else -x for x in below)

    for position in random_positions(game, 6)[1::9]:
        here = lift(lifted, position)
        found = AlphaBeta(lifted, target="python").search(here, 2)
        if abs(found.score) < top:  # nobody wins within the two plies
            assert found.score == minimax(here, 2)


# ------------------------------------------------------------------------------------------------------------- policies


CONNECT4 = stratagem.game("connect4")


def with_policy(game, network, seed=4):
    rng, shape = np.random.default_rng(seed), network.shape
    return replace(
        network,
        policy=rng.integers(-127, 128, (game.policy_count, shape.views * shape.width)).astype(np.int8),
        policy_bias=rng.integers(-9000, 9001, game.policy_count).astype(np.int32),
    )


def test_sums_of_connect_four_are_kept_with_threats_that_come_and_go():
    lifted = networked(CONNECT4, random_network(CONNECT4, width=8))
    threatened = 0
    for k in range(12):
        position, rng = lift(lifted, CONNECT4.start()), generator(3, k)
        while not position.over:
            position = position.play(position.sample(rng))
            anew = position.state.copy()
            anew[CONNECT4.size : lifted.size] = 0
            lifted.run("refresh_sums", lifted.g, anew)
            assert np.array_equal(anew[: lifted.size], position.state[: lifted.size])
            threatened += any(f >= 2 * 42 for f in seen_by(CONNECT4, position.state, 0))
    assert threatened > 50


def test_threats_are_the_cells_that_would_win():
    position = CONNECT4.parse("1122331")  # Yellow has three in the bottom row; so has Red above them
    own = [f - 2 * 42 for f in seen_by(CONNECT4, position.state, 0) if 2 * 42 <= f < 3 * 42]
    other = [f - 3 * 42 for f in seen_by(CONNECT4, position.state, 0) if f >= 3 * 42]
    assert own == [3 * 6] and other == [3 * 6 + 1]  # by columns, from the bottom


def test_a_policy_is_asked_bit_for_bit_as_the_plain_arithmetic():
    network = with_policy(CONNECT4, random_network(CONNECT4, width=8))
    lifted, wide = networked(CONNECT4, network), network.columns.astype(np.int64)
    for position in random_positions(CONNECT4, 2)[::5]:
        sides = (position.turn, 1 - position.turn)
        seen = [seen_by(CONNECT4, position.state, side) for side in sides]
        inside = cut(np.concatenate([wide[0] + wide[[1 + f for f in on]].sum(axis=0) for on in seen]))
        wanted = [int(x) for x in network.policy.astype(np.int64) @ inside + network.policy_bias]
        state = lift(lifted, position).state.copy()
        for m in position.move_numbers():
            x = wanted[m]
            y = (x + np.sqrt(float(ONE * ONE + x * x))) / ONE
            assert lifted.run("prior", lifted.g, state, position.turn, m) == y * y


def test_tree_search_with_a_network_asks_its_policy_and_its_value(tmp_path):
    network = with_policy(CONNECT4, random_network(CONNECT4, width=8))
    lifted = networked(CONNECT4, network)
    search = MCTS(lifted, target="python", pool=1000, **tree_options(lifted))
    position = lift(lifted, CONNECT4.parse("4455"))
    search.search(position, simulations=30)
    assert sum(arm.visits for arm in search.arms()) == 30
    priors = [search.trees[0].priors[child] for child in search.trees[0].children(0)]
    asked = [lifted.run("prior", lifted.g, position.state.copy(), position.turn, m) for m in position.move_numbers()]
    assert priors == pytest.approx([x / sum(asked) for x in asked]) and max(priors) > 0.2
    save(network, tmp_path / "network.safetensors")
    again = load(tmp_path / "network.safetensors")
    assert np.array_equal(again.policy, network.policy) and again.shape == network.shape
    assert "simulations" in stratagem.players(CONNECT4)["network"].options
    assert "network" not in stratagem.players(stratagem.game("connect4", line=5))
    with pytest.raises(StratagemError, match=r"policy has 3 outputs"):
        networked(CONNECT4, replace(network, policy=network.policy[:3], policy_bias=network.policy_bias[:3]))


@pytest.mark.slow
def test_the_compiled_policy_says_what_the_interpreted_one_says():
    network = with_policy(CONNECT4, random_network(CONNECT4, width=32))
    lifted = networked(CONNECT4, network)
    compiled = specialise(lifted.names["prior"].function, lifted.names["prior"].names)
    for position in random_positions(CONNECT4, 4):
        state = lift(lifted, position).state.copy()
        for m in position.move_numbers():
            assert compiled(lifted.g, state, position.turn, m) == lifted.run("prior", lifted.g, state, position.turn, m)
    search = MCTS(lifted, pool=10_000, **tree_options(lifted))
    search.search(lift(lifted, CONNECT4.parse("112233")), simulations=300)
    assert CONNECT4.move_text(CONNECT4.start().state, 0, search.arms()[0].move) == "4"  # wins at once


@pytest.mark.parametrize("name", ["connect4", "breakthrough"])
def test_mirror_images_are_those_of_the_features(name):
    """A game and its mirror image, move by move."""
    game = CONNECT4 if name == "connect4" else stratagem.game("breakthrough", **SMALL)
    turned, _ = game.feature_mirror

    def mirrored(position, m):
        if name == "connect4":
            return game.width - 1 - m
        cell, way = divmod(m, 3)
        row, column = divmod(cell, game["columns"])
        return 3 * (row * game["columns"] + game["columns"] - 1 - column) + 2 - way

    one, other, rng = game.start(), game.start(), generator(5)
    while not one.over:
        for side in (0, 1):
            seen = [int(turned[f]) for f in seen_by(game, one.state, side)]
            assert sorted(seen) == sorted(seen_by(game, other.state, side))
        m = game.parse_move(one.state, one.turn, one.sample(rng))
        other = other.play(game.move_text(other.state, other.turn, mirrored(other, m)))
        one = one.play(game.move_text(one.state, one.turn, m))
    assert other.over


# -------------------------------------------------------------------------------------------------------------- batches


def test_batches_judge_as_positions_one_by_one():
    game = stratagem.game("breakthrough", **SMALL)
    network = random_network(game, width=8)
    positions = random_positions(game, 4)
    states = np.array([position.state[: game.size] for position in positions])
    batches = Batches(networked(game, network), "python")
    wanted = [exactly(network, game, position) for position in positions]
    assert [tuple(row) for row in batches.outputs(states).tolist()] == wanted
    assert batches.values(states) == pytest.approx([x / np.sqrt(ONE**2 + x**2) for x, _ in wanted])
    with pytest.raises(OptionError, match="no network in it"):
        Batches(game)
    with pytest.raises(OptionError, match="no rows of cells"):
        batches.outputs(np.zeros((3, 400), np.int64))


@pytest.mark.slow
def test_a_simulated_gpu_judges_to_the_last_bit_as_a_core_does():
    code = """
        import numpy as np, stratagem
        from test_networks import SMALL, random_network, random_positions
        from stratagem.networks import networked
        from stratagem.networks.batches import Batches

        game = stratagem.game("breakthrough", **SMALL)
        lifted = networked(game, random_network(game, width=8))
        states = np.array([position.state[: game.size] for position in random_positions(game, 3)])
        one, other = (Batches(lifted, target).outputs(states) for target in ("python", "cuda"))
        print("same" if np.array_equal(one, other) and len(set(one[:, 0])) > 9 else "different")
    """
    paths = os.pathsep.join(str(path) for path in (ROOT / "tests", ROOT / "tests" / "networks"))
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": paths},
        capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert found.stdout.strip() == "same", found.stderr


@pytest.mark.slow
def test_a_gpu_judges_to_the_last_bit_as_a_core_does():
    try:
        cuda = cuda_target()
    except StratagemError as error:
        pytest.skip(str(error))
    if not cuda.is_available():
        pytest.skip("no CUDA GPU was found on this machine")
    for name in ("breakthrough", "connect4", "othello"):
        game = stratagem.game(name)
        lifted = networked(game, random_network(game, width=32))
        states = np.array([position.state[: game.size] for position in random_positions(game, 10)])
        assert np.array_equal(Batches(lifted, "cuda").outputs(states), Batches(lifted).outputs(states))


# ------------------------------------------------------------------------------------- chance, and decisions at once


def test_a_race_of_two_robots_can_have_a_network_and_one_of_four_cannot():
    with pytest.raises(OptionError, match="declares no features"):
        check_suits(stratagem.game("roborally"))
    game = check_suits(stratagem.game("roborally", robots=2))
    assert "network" in stratagem.players(game) and "network" not in stratagem.players(stratagem.game("roborally"))
    with pytest.raises(OptionError, match="--by playouts"):
        TrainingPlan("roborally", {"robots": 2}).rules(stratagem.game)
    network = random_network(game, width=8)
    lifted, out = networked(game, network), np.zeros(2)
    start = game.start(seed=3)
    for side in (0, 1):
        seen = seen_by(game, start.state, side)
        assert len(seen) == len(set(seen)) == len(seen_by(game, start.state, 1 - side)) >= 13
    state = lift(lifted, start).state.copy()
    lifted.run("value", lifted.g, state, out)
    judged = [float(lifted.run("judged", lifted.g, state, side)) for side in (0, 1)]
    assert out.sum() == pytest.approx(1) and out[0] == pytest.approx(0.5 + 0.25 * (judged[0] - judged[1]))


# ---------------------------------------------------------------------------------------------------------------- files


@pytest.fixture
def saved(tmp_path):
    game = stratagem.game("breakthrough", **SMALL)
    network = random_network(game)
    save(network, tmp_path / "network.safetensors")
    return game, network, tmp_path / "network.safetensors"


def test_a_network_is_read_as_it_was_written(saved):
    game, network, file = saved
    again = load(file)
    assert again.card == network.card and again.shape == network.shape
    assert all(
        np.array_equal(x, y) and x.dtype == y.dtype
        for x, y in zip(again.tensors().values(), network.tensors().values(), strict=True)
    )
    wide = replace(network, columns=network.columns * np.int16(9))  # more than 8 bits hold
    save(wide, file)
    assert np.array_equal(load(file).columns, wide.columns)
    networked(game, load(file))


def test_a_file_that_is_cut_short_anywhere_is_refused(saved):
    content = saved[2].read_bytes()
    for length in (0, 4, 8, 100, len(content) // 2, len(content) - 1):
        saved[2].write_bytes(content[:length])
        with pytest.raises(StratagemError, match="no whole safetensors file"):
            load(saved[2])


@pytest.mark.parametrize(
    "header",
    [
        "[" * 100_000,
        " " * (2 << 20),
        json.dumps({"columns": {"dtype": "I8", "shape": [2**32, 2**32], "data_offsets": [0, 0]}}),
        json.dumps({"columns": {"dtype": "I8", "shape": [10**30, 0], "data_offsets": [0, 0]}}),
        json.dumps({"columns": {"dtype": "I8", "shape": [1] * 100, "data_offsets": [0, 1]}}),
        json.dumps({"columns": {"dtype": "I8", "shape": [-1, -1], "data_offsets": [0, 1]}}),
        json.dumps({"columns": {"dtype": "I8", "shape": [1.5], "data_offsets": [0, 1]}}),
    ],
)
def test_deep_headers_and_huge_shapes_are_refused(tmp_path, header):
    file = tmp_path / "hostile.safetensors"
    file.write_bytes(len(header).to_bytes(8, "little") + header.encode() + bytes(8))
    with pytest.raises(StratagemError, match="no whole safetensors file"):
        load(file)


def test_files_of_others_and_of_other_formats_are_refused(saved):
    _, _, file = saved
    content = file.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])

    def rewritten(change):
        changed = json.loads(json.dumps(header))
        change(changed)
        text = json.dumps(changed).encode()
        file.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + length :])
        return file

    with pytest.raises(StratagemError, match="has no card"):
        load(rewritten(lambda h: h.pop("__metadata__")))
    with pytest.raises(StratagemError, match="format 99"):
        load(rewritten(lambda h: h["__metadata__"].update(stratagem=json.dumps({"format": 99}))))
    with pytest.raises(StratagemError, match="lacks second"):
        load(rewritten(lambda h: h.pop("second")))
    with pytest.raises(StratagemError, match="should be"):
        load(rewritten(lambda h: h["second"].update(shape=[1, 16])))
    with pytest.raises(StratagemError, match="no file"):
        load(file.with_name("elsewhere.safetensors"))


def test_a_network_of_another_game_other_options_or_too_large_is_refused(saved):
    game, network, _ = saved
    with pytest.raises(StratagemError, match="trained for 'breakthrough'; this is 'othello'"):
        networked(stratagem.game("othello"), network)
    turned = stratagem.game("breakthrough", rows=4, columns=5, ranks=1)  # as many cells, and others
    assert turned.feature_count == game.feature_count
    with pytest.raises(StratagemError, match="sees other features"):
        networked(turned, network)
    with pytest.raises(StratagemError, match="leave 16 bits"):
        networked(game, replace(network, columns=network.columns * np.int16(30)))


def test_games_without_features_have_no_network():
    for game in (stratagem.game("nim"), stratagem.game("othello", size=6), stratagem.game("blotto")):
        with pytest.raises(OptionError, match="declares no features"):
            check_suits(game)
    assert "network" not in stratagem.players(stratagem.game("othello", size=6))
    assert "network" in stratagem.players(stratagem.game("breakthrough"))
    with pytest.raises(StratagemError, match="no network comes with breakthrough"):
        stratagem.player(stratagem.game("breakthrough"), "network")


@pytest.mark.parametrize(("name", "other"), [("othello", {"size": 6}), ("connect4", {"width": 6, "height": 5})])
def test_a_network_that_comes_with_a_game_fits_it_and_the_levels_play_with_it(name, other):
    game, small = stratagem.game(name), stratagem.game(name, **other)
    network = shipped(game)
    check_fits(game, network)
    assert network.card["trials"][-1]["passed"]
    assert isinstance(stratagem.player(game, "strong"), NetworkPlayer)
    assert not isinstance(stratagem.player(small, "strong"), NetworkPlayer)
    with pytest.raises(StratagemError, match="network"):
        stratagem.player(small, "network")


def test_a_feature_out_of_range_is_reported():
    game = stratagem.game("breakthrough", **SMALL)
    game.feature_count = 7
    with pytest.raises(StratagemError, match=r"feature \d+ of breakthrough is out of range"):
        fingerprint(game)
    game = stratagem.game("breakthrough", **SMALL)
    game.features_at_once = 3
    with pytest.raises((StratagemError, IndexError)):
        fingerprint(game)


def test_plans_that_cannot_be_are_refused_and_a_folder_keeps_to_its_plan(tmp_path):
    for wrong in (
        lambda: Recipe(games=0),
        lambda: Recipe(astray=2),
        lambda: TrainingCourse(passes=0),
        lambda: TrainingCourse(rate=-1),
        lambda: Trial(seconds=0),
        lambda: TrainingPlan("othello", width=6),
    ):
        with pytest.raises(OptionError):
            wrong()
    keep_plan(tmp_path, TrainingPlan("othello"))
    keep_plan(tmp_path, TrainingPlan("othello", rounds=7))  # rounds may become more
    with pytest.raises(StratagemError, match=r"another plan \(recipe.games: 12000, now 7; width: 32, now 64\)"):
        keep_plan(tmp_path, TrainingPlan("othello", width=64, recipe=Recipe(games=7)))


def test_the_command_says_what_cannot_be_trained():
    reported = run("train", "nim")
    assert reported.code == 2 and "nim with these options declares no features" in reported.err
    assert "a width is a multiple of 4" in run("train", "othello", "--width", "5").err


def test_networks_play_without_what_trains_them():
    code = "import sys, stratagem.networks.players, stratagem.cli.train; print({'torch', 'pyarrow'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert found.stdout.strip() == "set()", found.stderr


@pytest.mark.slow
def test_the_library_of_the_format_reads_our_files(saved):
    safetensors = pytest.importorskip("safetensors.numpy", reason="safetensors is not installed")
    found = safetensors.load_file(saved[2])
    assert all(np.array_equal(found[name], x) for name, x in saved[1].tensors().items())
