"""The Oracle of Minions: what it sees, what it says to the last bit, and what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest
from references.minions_sights import sight

import stratagem
from stratagem.contract.player import Clock
from stratagem.errors import OptionError, StratagemError
from stratagem.games.minions import layout
from stratagem.games.minions.config import GameConfig, Techline
from stratagem.games.minions.engine.conjuring import FullStaging
from stratagem.games.minions.engine.scratch import SEEN
from stratagem.games.minions.engine.stages import EngineOptions, MinionsStaging
from stratagem.games.minions.engine.worth import COUNT, SURE, fitted_weights
from stratagem.games.minions.networks import features
from stratagem.games.minions.networks.oracle import MOST_COLUMN, SHAPE, SHIPPED, blank, sight_version
from stratagem.games.minions.state import GameState
from stratagem.games.minions.wizard import scripted_turn
from stratagem.networks.evaluator import ONE
from stratagem.networks.weights import KINDS, Network, Shape, load, save
from stratagem.rng import generator

MAPS = (("MidnightLake",), ("BlackenedShores", "AllLand"), ("MidnightLake", "MidnightLake", "BlackenedShores"))
CARD = {"game": "minions", "network": "oracle", "features": sight_version()}
CARD["weights"] = fitted_weights().tolist()


def noise(shape=SHAPE, **changes):
    """A network of random numbers."""
    rng, sizes = np.random.default_rng(3), shape.sizes()
    most = {"columns": MOST_COLUMN, "first": 60, "second": 60, "first_bias": 4000, "second_bias": 4000}
    numbers = {
        name: rng.integers(-most[name], most[name] + 1, sizes[name]).astype(kind) for name, kind in KINDS.items()
    }
    return Network(**numbers, card={**CARD, **changes})


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    file = tmp_path_factory.mktemp("oracle") / "oracle.safetensors"
    save(noise(), file)
    return file


def positions(maps, count, seed):
    """Positions of scripted games, of all stages of a game."""
    config = GameConfig.make(maps, techline=Techline.randomised(seed))
    rng, state = generator(seed), GameState.start(config)
    for _ in range(count):
        state = state.play(state.greedy_turn(rng, wild=True))
        if state.winner is not None:
            state = GameState.start(config)
        yield state


def look(staging, state):
    """The features that are seen, and the log odds of the fitted weights."""
    staging.played(state.array, b"")
    staging.look()
    scratch = staging.scratch()
    begin = SEEN - features.AT_ONCE
    return scratch.judged.seen[begin : begin + scratch.judged.seen[0]].tolist(), float(
        scratch.judged.x[:COUNT] @ staging.weights[:COUNT]
    )


@pytest.mark.parametrize("maps", MAPS)
def test_features_are_those_of_the_reference(maps):
    staging = None
    for state in positions(maps, 300, 4):
        if staging is None:
            staging = MinionsStaging(state.config, EngineOptions(solver=False))
            staging.see_with(blank())
        seen, odds = look(staging, state)
        assert sorted(x for x in seen if x < features.LOOK_AT) == sight(state)
        said = [x - features.LOOK_AT for x in seen if features.LOOK_AT <= x < features.ODDS_AT]
        steps = np.floor(staging.scratch().judged.x[1:COUNT] * features.FINENESS) + 5
        assert said == [11 * i + int(min(max(step, 0), 10)) for i, step in enumerate(steps)]
        assert seen[-1] == features.ODDS_AT + min(max(int(np.floor(2 * odds)) + 12, 0), 23)


def test_both_sides_see_a_mirrored_position_alike():
    """The sides swapped and every board turned by its map's symmetry: nothing changes for the mover."""
    for state in positions(("MidnightLake", "BlackenedShores"), 40, 6):
        s, turned = state.array.copy(), features.turned_hexes(state.config)
        s[layout.SIDE] = 1 - s[layout.SIDE]
        for at, n in ((layout.MONEY, 1), (layout.POINTS, 1), (layout.CARD, layout.CARDS)):
            s[at : at + 2 * n] = np.roll(s[at : at + 2 * n], n)
        for k in range(2):
            b = s[layout.board_of(k) :][: layout.BOARD_SIZE]
            cells = b[layout.CELL : layout.CELL + 100].copy()
            b[layout.UNITS : layout.UNITS + 4] = 0
            b[layout.ZONE : layout.ZONE + 2 * layout.TYPES] = np.roll(
                b[layout.ZONE : layout.ZONE + 2 * layout.TYPES], layout.TYPES
            )
            for h in range(100):
                to = int(turned[100 * k + h])
                b[layout.CELL + to] = cells[h] ^ (1 << layout.SIDE_SHIFT) if cells[h] else 0
                if cells[h]:
                    side = 1 - (int(cells[h]) >> layout.SIDE_SHIFT & 1)
                    b[layout.UNITS + 2 * side + (to >= 50)] |= 1 << to % 50
        assert sight(GameState(state.config, s)) == sight(state)
        staging = MinionsStaging(state.config, EngineOptions(solver=False))
        staging.see_with(blank())
        one, other = (
            [x for x in look(staging, now)[0] if x < features.LOOK_AT] for now in (state, GameState(state.config, s))
        )
        assert sorted(one) == sorted(other)


def test_it_says_what_its_slow_form_says_to_the_last_bit(weights):
    network = noise()
    for maps in MAPS:
        staging = None
        for state in positions(maps, 60, 9):
            staging = staging or MinionsStaging(state.config, EngineOptions(solver=False, oracle=str(weights)))
            seen, odds = look(staging, state)
            value, spread = network.exact(seen)
            answer = staging.scratch().judged.answer
            assert answer[0] == pytest.approx(SURE * np.tanh(0.5 * (odds + value / ONE)), abs=1e-12)
            assert answer[1] == min(max(spread, 0) / ONE, 1.0)


def test_the_interpreter_and_compiled_code_judge_turns_alike(weights):
    options = EngineOptions(solver=False, oracle=str(weights))
    config, rng = GameConfig.make(("BlackenedShores",)), generator(5)
    compiled, slow = (MinionsStaging(config, options, target=target) for target in ("cpu", "python"))
    state = GameState.start(config)
    for _ in range(5):
        turn = state.greedy_turn(rng, wild=True)
        words = turn.words().tobytes()
        opinions = [staging.advisers.turn(state.array, words) for staging in (compiled, slow)]
        assert opinions[0] == opinions[1]
        assert abs(opinions[0].value) < 1
        state = state.play(turn)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_with_spells_the_interpreter_and_compiled_code_judge_turns_alike_and_the_network_is_heard(weights):
    options, rng = EngineOptions(solver=False, oracle=str(weights)), generator(5)
    state = GameState.start(GameConfig.make(("ChaosDiamond",), profile="server"))
    compiled, slow = (FullStaging(state.config, options, target=target) for target in ("cpu", "python"))
    for _ in range(12):
        state = state.dealt(rng)
        turn = scripted_turn(state, rng, wild=True)
        words = turn.words().tobytes()
        opinions = [staging.advisers.turn(state.array, words) for staging in (compiled, slow)]
        assert opinions[0] == opinions[1]
        judged = slow.scratch().judged
        seen = judged.seen[SEEN - features.AT_ONCE :][: judged.seen[0]].tolist()
        odds, (added, spread) = float(judged.x[:COUNT] @ slow.weights[:COUNT]), noise().exact(seen)
        assert opinions[0].value == pytest.approx(SURE * np.tanh(0.5 * (odds + added / ONE)), abs=1e-12)
        assert opinions[0].spread == min(max(spread, 0) / ONE, 1.0)
        state = state.play(turn)


def test_a_network_that_says_nothing_changes_nothing_but_the_spread(tmp_path):
    silent = replace(blank(), card=CARD)
    save(silent, tmp_path / "silent.safetensors")
    game = stratagem.game("minions", maps="MidnightLake")
    moves = [
        stratagem.player(game, f"engine:visits=12,solver=false,oracle={oracle}", seed=3).choose(game.start(), Clock())
        for oracle in ("material", tmp_path / "silent.safetensors")
    ]
    assert moves[0].move == moves[1].move and moves[0].value == moves[1].value


def test_the_engine_plays_with_a_network(weights):
    game = stratagem.game("minions", maps="MidnightLake")
    choice = stratagem.player(game, f"strong:visits=12,oracle={weights}", seed=3).choose(game.start(), Clock())
    assert game.start().play(choice.move).turn == 1


def test_weights_that_do_not_fit_are_refused(weights, tmp_path):
    def refused(network, match):
        save(network, tmp_path / "other.safetensors")
        with pytest.raises(StratagemError, match=match):
            MinionsStaging(
                GameConfig.make(("MidnightLake",)), EngineOptions(oracle=str(tmp_path / "other.safetensors"))
            )

    refused(noise(game="othello"), "takes the oracle of minions")
    refused(noise(network="prophet"), "the prophet of minions; the engine of Minions takes the oracle")
    with pytest.raises(StratagemError, match="the prophet of minions, is no network of this kind: it lacks columns"):
        stratagem.player(stratagem.game("minions"), f"engine:oracle={SHIPPED.with_name('prophet.safetensors')}")
    refused(noise(features="0" * 16), "sees other features")
    refused(
        noise(Shape(features.FEATURES - 1, 32, 16, 1)), f"{features.FEATURES - 1} columns; here {features.FEATURES}"
    )
    large = noise()
    refused(replace(large, columns=np.full_like(large.columns, 40)), "may leave 16 bits")
    refused(noise(weights=[1.0, 2.0]), "lacks the 22 weights")
    refused(noise(weights=[float("nan")] * 22), "lacks the 22 weights")
    (tmp_path / "torn.safetensors").write_bytes(weights.read_bytes()[:-9])
    for said, match in (
        (tmp_path / "torn.safetensors", "ends in the middle"),
        ("nowhere", "'nowhere'; it is material"),
    ):
        with pytest.raises(StratagemError, match=match):
            MinionsStaging(GameConfig.make(("MidnightLake",)), EngineOptions(oracle=str(said)))
    for options, match in (("oracle=metal", "'metal'; it is material"),):
        with pytest.raises(OptionError, match=match):
            stratagem.player(stratagem.game("minions"), f"strong:{options}")


def test_what_is_seen_has_not_changed_unnoticed():
    """A network sees by number: whoever changes what is listed must raise VERSION, so that older ones are refused."""
    for state in positions(("MidnightLake",), 12, 1):
        last = sight(state)
    assert (features.VERSION, features.FEATURES, sum(last), len(last)) == (1, 7451, 389623, 78)


def test_the_network_that_comes_with_the_game_has_won_its_trial_and_is_what_the_engine_plays_with():
    game = stratagem.game("minions", maps="MidnightLake")
    shipped = SHIPPED
    network = load(shipped)
    assert network.card["trial"]["passed"] and network.card["command"] and shipped.stat().st_size < 1_000_000
    assert network.card == json.loads(shipped.with_suffix(".json").read_text())
    assert network.card["hours"] and network.card["fails"]
    for level in ("easy", "medium", "strong", "engine"):
        usual, plain = (stratagem.player(game, f"{level}{options}") for options in ("", ":oracle=material"))
        assert (usual.options.oracle, plain.options.oracle) == ("network", "material")
    staging = MinionsStaging(game.config, usual.options)
    assert staging.oracle is not None and np.array_equal(staging.weights, network.card["weights"])


def test_reasons_name_what_the_network_adds(weights):
    game = stratagem.game("minions", maps="MidnightLake")
    position = game.start()
    for _ in range(4):
        position = position.play(str(position.state.greedy_turn(generator(2), wild=True)))
    move = str(position.state.greedy_turn(generator(3)))
    reported = [
        " ".join(stratagem.player(game, f"strong:oracle={oracle}").explain(position, move))
        for oracle in ("material", weights)
    ]
    assert "what the network adds" not in reported[0] and "what the network adds" in reported[1]
