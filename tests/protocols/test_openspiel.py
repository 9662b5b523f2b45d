"""OpenSpiel both ways: its games at our tables, and ours in its hands."""

from __future__ import annotations

import json
import pickle
import random
import subprocess
import sys

import pytest
from starlette.testclient import TestClient
from web.serving import bearer, new_table, until

import stratagem
from stratagem import Clock
from stratagem.arena.config import Config
from stratagem.arena.playing import play_game, replay
from stratagem.errors import OptionError, ParseError, UnknownName
from stratagem.rng import generator
from stratagem.store.sqlite import OVER, Store
from stratagem.testing import conform

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (pip install 'stratagem[neighbours]')")

from stratagem.protocols.openspiel import register  # noqa: E402
from stratagem.search.alphabeta.deepening import AlphaBeta  # noqa: E402
from stratagem.web.app import create_app  # noqa: E402

THEIRS = [
    "tic_tac_toe",
    "kuhn_poker",
    "leduc_poker",
    "goofspiel(num_cards=4,imp_info=False)",
    "pig(players=2,diceoutcomes=3,horizon=20,winscore=6)",
]
OURS = ["tictactoe", "connect4", "hex(board=4)", "nim", "goofspiel", "draft", "breakthrough", "bidding"]


# ---------------------------------------------------------------------------------------------------- theirs in ours


@pytest.mark.parametrize("name", THEIRS)
def test_a_game_of_theirs_keeps_our_contract(name: str) -> None:
    conform(stratagem.game(f"openspiel:{name}"), games=3, compiled=False)


@pytest.mark.parametrize("name", THEIRS)
def test_their_rules_and_ours_agree_on_random_games(name: str) -> None:
    """The same actions, straight through OpenSpiel: legal moves, chances, turns and payoffs are the same all along."""
    game = stratagem.game(f"openspiel:{name}")
    draws = random.Random(name)
    for _ in range(20):
        state, position = pyspiel.load_game(name).new_initial_state(), game.start()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                k = draws.randrange(len(outcomes))
                assert len(position.moves()) == len(outcomes)
                position = position.play(position.moves()[k])
                state.apply_action(outcomes[k][0])
            elif state.is_simultaneous_node():
                chosen = [draws.choice(state.legal_actions(p)) for p in range(game.players)]
                texts = [position.moves(p)[position.move_numbers(p).index(a)] for p, a in enumerate(chosen)]
                position = position.play(texts)
                state.apply_actions(chosen)
            else:
                assert position.turn == state.current_player()
                assert position.move_numbers() == state.legal_actions()
                action = draws.choice(state.legal_actions())
                position = position.play(position.moves()[position.move_numbers().index(action)])
                state.apply_action(action)
            assert game.parse(str(position)) == position
        assert position.over and list(position.payoff) == list(state.returns())


def test_a_view_holds_what_its_seat_knows_and_nothing_else() -> None:
    """Two deals that a seat cannot tell apart give it the same view, cell for cell."""
    game = stratagem.game("openspiel:leduc_poker")
    for mine in range(6):
        views = [game.parse(f"{mine},{other}").view(0) for other in range(6) if other != mine]
        assert all(view == views[0] and str(view) == str(views[0]) for view in views)
        assert pickle.loads(pickle.dumps(views[0])) == views[0]
    assert game.parse("0,3").view(0) != game.parse("3,0").view(0)
    spectators = {str(game.parse(f"{a},{b}").view(None)) for a in range(6) for b in range(6) if a != b}
    assert len(spectators) == 1


def test_our_searches_play_their_games_well() -> None:
    game = stratagem.game("openspiel:tic_tac_toe")
    best = stratagem.player(game, "alphabeta:depth=9").choose(game.parse("0,4,1"), Clock())
    assert best.move == "o(0,2)"  # the only move that does not lose
    assert stratagem.player(game, "mcts:simulations=400").choose(game.parse("0,4,1"), Clock()).move == "o(0,2)"
    kuhn = stratagem.game("openspiel:kuhn_poker")
    king_faces_a_bet = kuhn.parse("2,0,0,1")
    chosen = stratagem.player(kuhn, "mcts:simulations=300").choose(king_faces_a_bet.view(0), Clock(), seat=0)
    assert chosen.move == "Bet"  # to call with the best card


def test_their_games_in_the_arena_replay(tmp_path) -> None:
    config = Config("openspiel:leduc_poker", ("random", "mcts:simulations=10"), games=4)
    with Store(tmp_path / "games.sqlite") as store:
        match = store.open_match("m", config.json())
        played = [play_game(config, config.task(number)) for number in range(4)]
        assert {game.result.reason for game in played} == {OVER}
        store.record(match.id, played)
        for game in store.games():
            replay(game)


def test_their_games_on_the_command_line() -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "stratagem", *words], capture_output=True, text=True, timeout=120)

    found = run("analyse", "openspiel:tic_tac_toe", "0,4,1", "--engine", "mcts:simulations=300", "--json")
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["best"] == "o(0,2)"
    played = run("play", "openspiel:leduc_poker", "--seats", "random,easy", "--seed", "1")
    assert played.returncode == 0, played.stderr
    wrong = run("play", "openspiel:ledoc_poker")
    assert wrong.returncode == 2 and "did you mean leduc_poker" in wrong.stderr and "Traceback" not in wrong.stderr


def test_their_games_on_the_web(tmp_path) -> None:
    name = "openspiel:leduc_poker"
    with Store(tmp_path / "games.sqlite") as store:
        app = create_app(store, files=[name])
        with TestClient(app, base_url="http://127.0.0.1") as client:
            assert name in [game["name"] for game in client.get("/api/games").json()]
            made = new_table(client, name, ["person", "easy"])
            token = made["tokens"]["0"]
            while True:
                state = until(client, made["table"], token, lambda s: s["turn"] == "over" or s["parts"])
                if state["turn"] == "over":
                    break
                assert "<svg" in state["svg"]
                body = {"move": state["parts"]["next"][-1], "ply": state["ply"]}
                answer = client.post(f"/api/tables/{made['table']}/moves", json=body, headers=bearer(token))
                assert answer.status_code == 200, answer.text
            assert sum(state["payoff"]) == 0


def test_what_cannot_be_is_refused_in_a_line() -> None:
    with pytest.raises(UnknownName, match="did you mean leduc_poker"):
        stratagem.game("openspiel:leduc")
    with pytest.raises(OptionError, match="makes no game"):
        stratagem.game("openspiel:leduc_poker(players=99)")
    with pytest.raises(OptionError, match="mean field"):
        stratagem.game("openspiel:mfg_crowd_modelling")
    with pytest.raises(ParseError, match="cannot be done there"):
        stratagem.game("openspiel:tic_tac_toe").parse("0,0")


# ---------------------------------------------------------------------------------------------------- ours in theirs


@pytest.mark.parametrize("text", OURS)
def test_a_game_of_ours_passes_their_checks(text: str) -> None:
    name = text.partition("(")[0]
    (short,) = register(name)
    options = text[len(name) :] if name != "hex" else "(size=4)"
    game = pyspiel.load_game(short + options)
    pyspiel.random_sim_test(game, num_sims=3, serialize=False, verbose=False)


def test_a_playthrough_of_ours_is_reported_whole() -> None:
    from open_spiel.python.algorithms import generate_playthrough

    register("tictactoe")
    reported = generate_playthrough.playthrough("stratagem_tictactoe", [4, 0, 8])
    assert 'GameType.short_name = "stratagem_tictactoe"' in reported and "b2" in reported


def test_their_algorithms_solve_our_games() -> None:
    from open_spiel.python.algorithms import minimax

    register("nim")
    value, _ = minimax.alpha_beta_search(pyspiel.load_game("stratagem_nim"))
    start = stratagem.game("nim").start()
    assert value == AlphaBeta(stratagem.game("nim")).solve(start).value


def test_games_that_cannot_be_theirs_say_why() -> None:
    for name, why in (("minions", "no kernels"), ("roborally", "hides something"), ("pig", "how long")):
        with pytest.raises(OptionError, match=why):
            register(name)
    assert {"stratagem_connect4", "stratagem_othello"} <= set(register())


def test_a_random_game_is_the_same_in_both_hands() -> None:
    register("connect4")
    state, position = pyspiel.load_game("stratagem_connect4").new_initial_state(), stratagem.game("connect4").start()
    rng = generator(4)
    while not position.over:
        text = position.sample(rng)
        action = next(a for a in state.legal_actions() if state.action_to_string(position.turn, a) == text)
        copied = state.clone()
        state.apply_action(action)
        position = position.play(text)
        assert str(state) == str(position) and str(copied) != str(state)
    assert state.is_terminal() and state.returns() == list(position.payoff)
