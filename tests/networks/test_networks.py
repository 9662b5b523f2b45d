"""Networks: features, whole-number arithmetic, files. Nothing here needs PyTorch."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from command import run
from references.othello_patterns import seen as patterns_seen

import stratagem
from stratagem.compile import specialise
from stratagem.errors import OptionError, StratagemError
from stratagem.games.othello import features as othello
from stratagem.kernel import turn
from stratagem.networks import Network, Shape, lift, load, networked, save
from stratagem.networks.evaluator import ONE, head, prepare
from stratagem.networks.features import check_suits, columns_of, fingerprint, seen_by
from stratagem.networks.networked import check_fits
from stratagem.networks.plan import Course, Plan, Recipe, Trial
from stratagem.networks.players import NetworkPlayer, shipped
from stratagem.networks.rounds import keep_plan
from stratagem.rng import generator
from stratagem.search.alphabeta import AlphaBeta
from stratagem.search.alphabeta.score import SCALE

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
            lifted.run("refresh", lifted.g, anew)
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
    out = np.zeros(2)

    def minimax(position, depth):
        if position.over:
            return None
        if depth == 0:
            lifted.run("value", lifted.g, position.state.copy(), out)
            return round(out[position.turn] * SCALE)  # payoffs go from -1 to 1
        below = [minimax(position.play(move), depth - 1) for move in position.moves()]
        return max(-10 * SCALE if x is None else -x for x in below)

    for position in random_positions(game, 6)[1::9]:
        here = lift(lifted, position)
        found = AlphaBeta(lifted, target="python").search(here, 2)
        if abs(found.score) < SCALE:  # nobody wins within the two plies
            assert found.score == minimax(here, 2)


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


def test_the_network_that_comes_with_othello_fits_it_and_the_levels_play_with_it():
    game = stratagem.game("othello")
    network = load(shipped(game))
    check_fits(game, network)
    assert network.card["trials"][-1]["passed"] and shipped(game).stat().st_size < 1_000_000
    assert isinstance(stratagem.player(game, "strong"), NetworkPlayer)
    assert not isinstance(stratagem.player(stratagem.game("othello", size=6), "strong"), NetworkPlayer)


def test_a_feature_out_of_range_is_told():
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
        lambda: Course(passes=0),
        lambda: Course(rate=-1),
        lambda: Trial(seconds=0),
        lambda: Plan("othello", width=6),
    ):
        with pytest.raises(OptionError):
            wrong()
    keep_plan(tmp_path, Plan("othello"))
    keep_plan(tmp_path, Plan("othello", rounds=7))  # rounds may become more
    with pytest.raises(StratagemError, match="another plan"):
        keep_plan(tmp_path, Plan("othello", width=64))


def test_the_command_says_what_cannot_be_trained():
    told = run("train", "nim")
    assert told.code == 2 and "nim with these options declares no features" in told.err
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
