"""The engine of Minions: what its stages propose is legal, what they judge is right, and it answers in time."""

import itertools
import time

import numpy as np
import pytest

import stratagem
from stratagem.contract.player import Clock
from stratagem.games.minions import kernels as rules
from stratagem.games.minions.config import GameConfig, Techline
from stratagem.games.minions.engine import thinking
from stratagem.games.minions.engine.assign import assign
from stratagem.games.minions.engine.desk import COLUMNS, new_desk
from stratagem.games.minions.engine.explain import explain
from stratagem.games.minions.engine.fitting import logistic
from stratagem.games.minions.engine.player import EnginePlayer
from stratagem.games.minions.engine.stages import Mind, MinionsStaging, general_turns
from stratagem.games.minions.engine.worth import COUNT, NAMES, fitted_weights, unfitted_weights
from stratagem.games.minions.notation import parse_fen
from stratagem.games.minions.state import GameState
from stratagem.games.minions.turn import GameTurn
from stratagem.rng import generator
from stratagem.search.staged import Settings, Staged

LOCKED = "L" * 25
MAPS = (("AllLand",), ("BlackenedShores", "MidnightLake"), ("MidnightLake", "AllLand", "BlackenedShores"))


def positions(maps, count, seed):
    """Positions of scripted games, of all stages of a game."""
    config = GameConfig.make(maps, techline=Techline.randomised(seed))
    rng, found = generator(seed), []
    state = GameState.start(config)
    while len(found) < count:
        state = state.play(state.greedy_turn(rng, wild=True))
        if state.winner is not None:
            state = GameState.start(config)
        found.append(state)
    return found


def board(men, money="20|20", state="n", cards=LOCKED, side=0, maps=("AllLand",)):
    zones = "|||||" if "|" not in state else ""
    return parse_fen(f"{money} 0|0 {cards}|{LOCKED} {state}{zones}{men} {side} 9", GameConfig.make(maps))


def one(state, **mind):
    return MinionsStaging(state.config, Mind(solver=False, **mind))


# -- what is proposed


@pytest.mark.parametrize("maps", MAPS)
def test_every_turn_that_the_stages_make_is_legal(maps):
    tried = 0
    for k, state in enumerate(positions(maps, 40, 5)):
        search = Staged(one(state, shift=k % 2 == 1), Settings(depth=1), seed=k)
        search.consider(state.array, simulations=25)  # each turn is played by the rules
        assert search.staging.faults == 0
        tried += len(search.root.turns)
    assert tried > 500


def test_plans_of_the_attack_solver_take_part_and_are_legal():
    solved = 0
    for state in positions(("BlackenedShores",), 16, 3)[8:]:
        staging = MinionsStaging(state.config)
        staging.root = state.array.tobytes()
        search = Staged(staging, Settings(depth=1), seed=1)
        search.consider(state.array, simulations=60)
        solved += len(search.root.sub["attack 0", ()].proposals.generator.families)
    assert solved > 0


def test_deeper_walks_know_the_answers():
    state = positions(("BlackenedShores", "MidnightLake"), 12, 8)[-1]
    search = Staged(one(state), Settings(depth=2), seed=1)
    search.consider(state.array, simulations=60)
    assert len(search.nodes) > 2
    assert {node.seat for node in search.nodes.values()} == {0, 1}


def test_a_necromancer_in_reach_is_killed():
    state = board("0/0/2N7/0/0/0/5D4/7n2/0/0")
    search = Staged(one(state), Settings(depth=1), seed=1)
    found = search.consider(state.array, simulations=10)
    assert found.best.values[0] == 1.0
    assert state.play(GameTurn.parse(found.best.text, 1)).winner == 0


def test_a_blocker_is_killed_first_and_its_hex_entered():
    # two Mummies must stand next to the necromancer in its corner, and a Zombie of the enemy has one of the two hexes
    state = board("nzZ7/MM8/0/0/0/0/0/7N2/0/0")
    for through, won in ((True, True), (False, False)):
        search = Staged(one(state, through=through), Settings(depth=1), seed=1)
        found = search.consider(state.array, simulations=30)
        assert (found.best.values[0] == 1.0) == won


def test_general_turns_are_all_there_are():
    state = board("0/0/2N7/0/0/0/0/7n2/0/0", money="20|0", cards="UAU" + "L" * 22)
    turns = general_turns(state.config.ground, state.array, 0, 1)
    assert sorted(turns) == [(0, (0,)), (0, (2,)), (1, ())]
    two = general_turns(state.config.ground, state.array, 0, 2)
    assert sorted(two) == [(0, (0, 2)), (1, (0,)), (1, (2,)), (1, (3,)), (2, ())]
    for marched, cards in two:
        assert state.allows(GameTurn.parse(" ".join(map(str, ["tech", marched, *cards])), 1))


def test_money_goes_where_it_can_be_used():
    state = board("0/2ZZ6/1ZNZ6/1ZZ7/0/0/7zz1/6znz1/6zz2/0", money="30|30", cards="A" + "L" * 24)
    staging = one(state)
    tables = staging.tables(state.array, 30)
    assert tables.shape == (3, 31)
    assert tables[0, 0] == 0.0
    finite = tables[0][np.isfinite(tables[0])]
    assert (np.diff(finite) > 0).all()
    first_turn = GameState.start(GameConfig.make(("AllLand",)))
    assert np.isfinite(one(first_turn).tables(first_turn.array, 6)[0]).sum() == 1  # no spawn phase: nothing to spend on


# -- kernels


def test_an_assignment_is_the_best_of_all():
    rng = np.random.default_rng(2)
    desk = new_desk(64, 1)
    for _ in range(40):
        n, columns = int(rng.integers(1, 5)), 6
        scores = rng.normal(size=(n, columns))
        desk.score[:] = -1e7
        for i in range(n):
            desk.score[i * COLUMNS : i * COLUMNS + columns] = scores[i]
        assign(n, columns, desk)
        found = sum(scores[i, desk.to[i]] for i in range(n))
        best = max(
            sum(scores[i, j] for i, j in enumerate(choice)) for choice in itertools.permutations(range(columns), n)
        )
        assert len(set(desk.to[:n].tolist())) == n
        assert found == pytest.approx(best)


def test_a_position_is_worth_the_opposite_to_the_other_side_but_for_the_move():
    state = positions(("BlackenedShores", "MidnightLake"), 18, 4)[-1]
    staging = one(state)
    looks = []
    for side in range(2):
        array = state.array.copy()
        array[rules.SIDE] = side
        staging.played(array, b"")
        staging.think(thinking.LOOK)
        looks.append(staging.desk().x[:COUNT].copy())
    differences = [name for name in NAMES if not name.startswith(("danger", "own", "enem", "to move"))]
    for name in differences:
        k = NAMES.index(name)
        assert looks[0][k] == pytest.approx(-looks[1][k]), name
    pairs = (
        ("enemies in danger", "own units in danger"),
        ("danger to the enemy necromancer", "danger to the own necromancer"),
    )
    for a, b in pairs:
        assert looks[0][NAMES.index(a)] == pytest.approx(looks[1][NAMES.index(b)])


def test_compiled_and_interpreted_kernels_agree():
    state = positions(("MidnightLake",), 16, 9)[-1]
    made = []
    for target in ("cpu", "python"):
        staging = MinionsStaging(state.config, Mind(solver=False), target=target)
        search = Staged(staging, Settings(depth=1), seed=3)
        found = search.consider(state.array, simulations=6)
        made.append([(judged.text, judged.values) for judged in found.turns])
    assert made[0] == made[1]


def test_weights_are_fitted_towards_what_wins():
    rng = np.random.default_rng(1)
    prior = unfitted_weights()[:COUNT]
    x = rng.normal(size=(4000, COUNT))
    true = np.zeros(COUNT)
    material, cash = NAMES.index("units on boards"), NAMES.index("money")
    graves, danger = NAMES.index("graveyards"), NAMES.index("own units in danger")
    true[:] = 2.0 * prior
    true[graves], true[danger] = 1.0, 1.0
    y = (rng.random(4000) < 1 / (1 + np.exp(-x @ true))).astype(float)
    fitted, loss = logistic(x, y, prior, ridge=10.0)
    assert fitted[material] > 1.3
    assert fitted[cash] / fitted[material] == pytest.approx(prior[cash] / prior[material])  # property keeps its ratios
    assert fitted[graves] == pytest.approx(1.0, abs=0.3)
    assert fitted[danger] == 0.0  # no other sign than by hand
    assert loss < np.log(2)


def test_the_shipped_weights_have_a_card():
    from stratagem.games.minions.engine.worth import card

    assert set(card()["weights"]) == set(NAMES)
    assert card()["card"]["games"] >= 500
    assert card()["card"]["log loss on games not fitted to"] < 0.6
    assert len(fitted_weights()) == COUNT + 1


# -- the player


@pytest.fixture(scope="module")
def engine():
    game = stratagem.game("minions", maps="BlackenedShores,MidnightLake")
    made = EnginePlayer(game, seed=1)
    made.choose(game.start(), Clock(0.01))
    return made


@pytest.mark.parametrize("seconds", [0.0, 0.001, 0.1])
def test_the_clock_is_kept(engine, seconds):
    position, late = engine.game.start(), []
    for _ in range(5):
        began = time.perf_counter()
        choice = engine.choose(position.view(position.turn), Clock(seconds))
        late.append(time.perf_counter() - began - seconds)
        position = position.play(choice.move)
    assert sorted(late)[2] < 0.5  # of a machine that may be busy; the strength runs report the worst


def test_hard_positions_have_a_turn():
    reset = "0/2ZZ6/1ZNZ6/1ZZ7/0/0/7zz1/6znz1/6zz2/0"
    states = [
        board("0/0/2N7/0/0/0/0/7n2/0/0", money="0|0"),  # no money, nobody to fight with
        board(reset, state="1|PZ|pz|||", money="0|0"),
        board(reset, state="2|PZ|pz|||", money="40|40"),
        board(reset, state="f|I|i|||", money="0|6"),
        board("Zz8/zN8/0/0/0/0/0/7n2/0/0", money="3|3"),
    ]
    for state in states:
        game = stratagem.game("minions", maps="AllLand")
        made = EnginePlayer(game, seed=1, solver=False, visits=5)
        choice = made.choose(game.parse(str(state)), Clock(0.001))
        assert state.allows(GameTurn.parse(choice.move, 1))


def test_levels_rest_on_the_engine():
    game = stratagem.game("minions", maps="MidnightLake")
    for name in ("easy", "medium", "strong"):
        made = stratagem.player(game, name, seed=2)
        assert isinstance(made, EnginePlayer)
    choice = stratagem.player(game, "easy", seed=2).choose(game.start(), Clock(5.0))
    assert choice.nodes <= 3  # whatever the clock
    assert choice.engine == "easy"


def test_a_profile_with_spells_is_searched_without_waiting_for_the_compiler():
    game = stratagem.game("minions", maps="MidnightLake", profile="server")
    position = game.start(seed=1)
    for name, nodes in (("easy", 3), ("engine:visits=2", 2)):
        choice = stratagem.player(game, name, seed=1).choose(position.view(position.turn), Clock(None))
        assert choice.nodes == nodes
        assert "moves in several parts" in choice.details["note"]
        position.play(choice.move)


def test_the_reason_tells_what_is_killed_and_where_the_money_goes(engine):
    state = board("0/0/2N7/0/0/0/5D4/6Zn2/0/0", money="9|0", cards="A" + "L" * 24)
    turn = GameTurn.parse("tech 1;board 0 move f6g6;board 0 attack g6h7;board 0 buy Z", 1)
    if not state.allows(turn):
        turn = GameTurn.parse("tech 1;board 0 move f6h6;board 0 attack h6h7;board 0 buy Z", 1)
    said = " ".join(explain(one(state), state, turn))
    assert "kills a BasicNecromancer" in said
    assert "2 to board 0 (a Zombie)" in said
    assert "wins the game" in said


def test_the_picture_marks_kills_and_spawns():
    state = board("0/0/2N7/0/3Sz5/0/0/7n2/0/0", money="9|0")
    turn = GameTurn.parse("tech 1;board 0 attack d4e4;board 0 buy Z;board 0 spawn Z c3", 1)
    from stratagem.games.minions.view import draw

    drawn = draw(state, turn)
    assert "Zombie e4 is removed" in drawn
    assert "spawn Z c3" in drawn
