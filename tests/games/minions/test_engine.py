"""The engine of Minions: what its stages propose is legal, what they judge is right, and it answers in time."""

import itertools
import math
import time
from collections import Counter

import numpy as np
import pytest

import stratagem
from stratagem.contract.player import Clock
from stratagem.errors import StratagemError
from stratagem.games.minions import layout
from stratagem.games.minions.attack import answers
from stratagem.games.minions.attack.prophecy import Planner
from stratagem.games.minions.config import GameConfig, Techline
from stratagem.games.minions.engine.advisers import dollars_of
from stratagem.games.minions.engine.assign import assign
from stratagem.games.minions.engine.explain import explain
from stratagem.games.minions.engine.fitting import logistic
from stratagem.games.minions.engine.player import EnginePlayer
from stratagem.games.minions.engine.scratch import COLUMNS, new_scratch
from stratagem.games.minions.engine.stages import Attacks, Deployments, EngineOptions, MinionsStaging, Purse
from stratagem.games.minions.engine.tech_plans import TechPlans, expected_answer, line_of, tech_plans, worth
from stratagem.games.minions.engine.techs import Techs, most_spells, spells_of, tech_words
from stratagem.games.minions.engine.worth import COUNT, NAMES, fitted_weights, unfitted_weights
from stratagem.games.minions.networks.seers import Foretold
from stratagem.games.minions.notation import parse_fen
from stratagem.games.minions.scripted import ANSWERED_TYPES
from stratagem.games.minions.state import GameState
from stratagem.games.minions.turn import GameTurn
from stratagem.rng import generator
from stratagem.search.staged import Context, Settings, Staged

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


def several(boards, money):
    """A position of three boards, each given whole."""
    return parse_fen(f"{money} 0|0 {LOCKED}|{LOCKED} {' '.join(boards)} 0 9", GameConfig.make(MAPS[2]))


def one(state, **options):
    return MinionsStaging(state.config, EngineOptions(solver=False, **options))


# -- what is proposed


@pytest.mark.parametrize("maps", MAPS)
def test_every_turn_that_the_stages_make_is_legal(maps):
    tried = 0
    for k, state in enumerate(positions(maps, 40, 5)):
        search = Staged(one(state), Settings(depth=1), seed=k)
        search.consider(state.array, simulations=25)  # each turn is played by the rules
        assert search.staging.faults == 0
        tried += len(search.root.turns)
    assert tried > 500


def test_plans_of_the_attack_solver_take_part_and_are_legal():
    solved = 0
    for state in positions(("BlackenedShores",), 16, 3)[8:]:
        staging = MinionsStaging(state.config)
        staging.begin(state.array)
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
    found = Staged(one(state), Settings(depth=1), seed=1).consider(state.array, simulations=30)
    assert found.best.values[0] == 1.0


def techs(state, spells):
    appeal = np.random.default_rng(5).uniform(0.1, 2.0, layout.CARDS + 1)
    return Techs(state.config.ground, state.array, 0, spells, appeal)


def general_turns(state, spells):
    """All turns of up to so many spells; those of exactly so many are given back."""
    made = techs(state, max(spells, 1))
    found = list(iter(made.next_step, None))
    liked = [x for _, x in found]
    assert liked == sorted(liked, reverse=True)
    assert made.exhausted and made.count == len(found) == len({step for step, _ in found})
    return [step for step, _ in found if spells_of(step) == spells]


def test_general_turns_are_all_there_are():
    state = board("0/0/2N7/0/0/0/0/7n2/0/0", money="20|0", cards="UAU" + "L" * 22)
    assert sorted(general_turns(state, 1)) == [(0, (0,)), (0, (2,)), (1, ())]
    two = general_turns(state, 2)
    assert sorted(two) == [(0, (0, 2)), (1, (0,)), (1, (2,)), (1, (3,)), (2, ())]
    for marched, cards in two:
        assert state.allows(GameTurn.parse(" ".join(map(str, ["tech", marched, *cards])), 1))


def test_money_goes_where_it_can_be_used():
    state = board("0/2ZZ6/1ZNZ6/1ZZ7/0/0/7zz1/6znz1/6zz2/0", money="30|30", cards="A" + "L" * 24)
    staging = one(state)
    worths = staging.dollars(state.array, 0, b"")
    assert len(worths) == 31
    assert worths[0] == 0.0
    assert (np.diff(worths[np.isfinite(worths)]) > 0).all()
    first_turn = GameState.start(GameConfig.make(("AllLand",)))
    assert (
        np.isfinite(one(first_turn).dollars(first_turn.array, 0, b"")).sum() == 1
    )  # no spawn phase: nothing to spend on


def test_splits_of_one_position_learn_together_and_the_general_takes_its_share():
    state = board("0/2ZZ6/1ZNZ6/1ZZ7/0/0/7zz1/6znz1/6zz2/0", money="12|9", cards="U" * 6 + "L" * 19)
    staging, known = one(state), {}
    words = {spells: tech_words((spells, ())) for spells in (1, 2)}

    def purse(spells):
        parts = {"general": words[spells], "attack 0": b""}
        return Purse(staging, Context(state.array, 0, parts, generator(1)), known)

    free, dear = purse(1), purse(2)
    assert (free.budget, dear.budget) == (12, 8)
    split = free.first().part
    assert sum(split) == 12
    before = dear.values[0].copy()
    free.learn((8, 4), 0.9, 1.0)
    free.learn((8, 4), -0.9, 1.0)
    dear.first()
    assert not np.array_equal(dear.values[0][np.isfinite(before)], before[np.isfinite(before)])


# -- the general's tech plans


def test_a_tech_plan_answers_the_enemy_and_then_the_answer_to_itself():
    state = board("0/0/2N7/0/0/0/5s4/7n2/0/0", money="0|0", cards="U" * 12 + "L" * 13)
    line = line_of(state.config.ground, state.array, dollars_of(one(state), state.array, 1), ())
    found_plans = list(itertools.islice(tech_plans(line), 5))
    worths = [value for value, _ in found_plans]
    assert worths == sorted(worths, reverse=True)
    aims = found_plans[0][1]
    types = [line.types[c] for c in aims]
    enemy = next(piece.unit.index for _, piece in state.boards[0] if piece.unit.letter == "S" and piece.side == 1)
    assert int(ANSWERED_TYPES[types[0]]) >> enemy & 1 or int(ANSWERED_TYPES[types[1]]) >> enemy & 1
    for a, b in itertools.pairwise(aims):
        if expected_answer(line, line.types[a]) >= 0:
            assert worth(line, (a, b))[0] > worth(line, (a,))[0]


def test_what_a_tech_plan_does_this_turn_is_legal_and_all_other_turns_follow():
    for spells, money in ((1, "0|0"), (2, "4|0"), (3, "8|0")):
        state = board("0/0/2N7/0/0/0/5d4/7n2/0/0", money=money, cards="UUA" + "L" * 22)
        turns = general_turns(state, spells)
        line = line_of(state.config.ground, state.array, dollars_of(one(state), state.array, 1), ())
        made = TechPlans(line, techs(state, spells))
        given = []
        while (step := made.next_step()) is not None:
            given.append(step[0])
            assert step[1] > 0
            assert state.allows(GameTurn.parse(" ".join(map(str, ["tech", step[0][0], *step[0][1]])), 1))
        assert sorted(step for step in given if spells_of(step) == spells) == sorted(turns)
        assert made.exhausted
        assert made.aims  # and some of them are the beginning of something


def test_no_turn_of_many_spells_is_left_out_and_none_is_made_before_it_is_asked_for():
    state = board("0/0/2N7/0/0/0/5d4/7n2/0/0", money="40|0", cards="U" * 10 + "L" * 15)
    open_cards = [10 + m for m in range(16)]
    several = (sum(math.comb(n, k - m) for m, n in enumerate(open_cards[: k + 1])) for k in range(1, 7))
    assert techs(state, 6).count == sum(several)
    many = techs(state, 14)
    assert many.count > 50_000 and many.next_step() is not None and len(many._met) < 100
    assert most_spells(state.config.ground, state.array, 0) == 15 + 25
    poor = board("0/0/2N7/0/0/0/5d4/7n2/0/0", money="40|0", cards="A" * 25)
    assert techs(poor, 3).next_step()[0] == (0, ()) and general_turns(poor, 0) == [(0, ())]
    last = board("0/0/2N7/0/0/0/5d4/7n2/0/0", money="0|0", cards="A" * 24 + "L")
    assert general_turns(last, 1) == [(1, ())] and general_turns(last, 0) == []


def test_a_general_refines_a_tech_plan_by_its_order_and_by_its_goal():
    state = board("0/0/2N7/0/0/0/5d4/7n2/0/0", money="8|0", cards="U" * 8 + "L" * 17)
    line = line_of(state.config.ground, state.array, dollars_of(one(state), state.array, 1), ())
    made = TechPlans(line, techs(state, 1))
    part = made.first().part
    finer, coarser = made.finer(part), made.coarser(part, 1.0)
    assert sorted(made.aims[finer.part]) == sorted(made.aims[part]) and finer.part != part
    assert coarser is not None and coarser.part not in (part, finer.part)
    while made.finer(part) is not None:
        pass
    assert not made.exhausted  # other tech plans are left, and other turns


def test_a_tech_plan_is_kept_to_in_the_next_turn():
    state = board("0/0/2N7/0/0/0/5d4/7n2/0/0", money="0|0", cards="U" * 8 + "L" * 17)
    dollars = dollars_of(one(state), state.array, 1)
    plain = [aims for _, aims in tech_plans(line_of(state.config.ground, state.array, dollars, ()))]
    kept = [aims for _, aims in tech_plans(line_of(state.config.ground, state.array, dollars, plain[3]))]
    assert kept.index(plain[3]) < 3


# -- kernels


def test_an_assignment_is_the_best_of_all():
    rng = np.random.default_rng(2)
    scratch = new_scratch(64, 1)
    for _ in range(40):
        n, columns = int(rng.integers(1, 5)), 8
        scores = rng.normal(size=(n, columns))
        scores[:, 4:] = np.where(np.eye(n, 4, dtype=bool), scores[:, 4:], -1e7)  # each may wait, alone
        scores[:, int(rng.integers(4))] = -1e7  # out of everybody's reach
        scratch.posts.score[:] = -1e7
        for i in range(n):
            scratch.posts.score[i * COLUMNS : i * COLUMNS + columns] = scores[i]
        assign(n, columns, scratch.posts)
        found = sum(scores[i, scratch.posts.to[i]] for i in range(n))
        best = max(
            sum(scores[i, j] for i, j in enumerate(choice)) for choice in itertools.permutations(range(columns), n)
        )
        assert len(set(scratch.posts.to[:n].tolist())) == n
        assert found == pytest.approx(best)


def test_a_position_is_worth_the_opposite_to_the_other_side_but_for_the_move():
    state = positions(("BlackenedShores", "MidnightLake"), 18, 4)[-1]
    staging = one(state)
    looks = []
    for side in range(2):
        array = state.array.copy()
        array[layout.SIDE] = side
        staging.played(array, b"")
        staging.look()
        looks.append(staging.scratch().judged.x[:COUNT].copy())
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
        staging = MinionsStaging(state.config, EngineOptions(solver=False), target=target)
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
    assert sorted(late)[2] < 2.0  # of a machine that may be busy; the strength runs report the worst


def test_the_attack_solver_is_built_only_where_the_clock_leaves_time():
    state = board("0/0/2N7/0/3SzZ4/3z6/0/7n2/0/0")
    for left, built in ((0.001, False), (None, True), (10.0, True)):
        staging = MinionsStaging(state.config)
        staging.begin(state.array)
        attacks = Attacks(staging, Context(state.array, 0, {}, generator(1), lambda: left), 0)  # noqa: B023
        while attacks.first() is not None:
            pass
        assert (attacks.planner is not None) == built
        assert attacks._seconds() is None if left is None else attacks._seconds() <= left


def test_the_attack_solver_goes_with_its_turn():
    state = board("0/0/2N7/0/3SzZ4/3z6/0/7n2/0/0")
    staging = MinionsStaging(state.config)
    staging.begin(state.array)
    attacks = Attacks(staging, Context(state.array, 0, {}, generator(1)), 0)
    parts = []
    while (proposal := attacks.first()) is not None:
        parts.append(proposal.part)
    assert attacks.planner is not None
    staging.begin(state.play(GameTurn.parse("tech 1", 1)).array)
    assert attacks.planner is None
    assert not staging.solving
    assert attacks.first() is None
    attacks.finer(parts[-1])  # of those that it had made one may still be refined


def test_stages_are_seen_while_the_engine_thinks(engine):
    position, reports = engine.game.start(), []
    engine.choose(position.view(position.turn), Clock(2.0), report=reports.append, lines=2)
    assert reports
    reported = reports[-1].json()
    assert [stage["name"] for stage in reported["stages"]] == [
        "general",
        "attack 0",
        "attack 1",
        "blotto",
        "spawn 0",
        "spawn 1",
    ]
    assert all(stage["best"] and stage["proposed"] >= len(stage["best"]) for stage in reported["stages"])


RESET = "0/2ZZ6/1ZNZ6/1ZZ7/0/0/7zz1/6znz1/6zz2/0"
HARD = {
    "no money, nobody to fight with": (board("0/0/2N7/0/0/0/0/7n2/0/0", money="0|0"),),
    "no attack within reach": (board("ZZ8/ZN8/0/0/0/0/0/0/8nz/8zz", money="9|9"),),
    "surrounded": (board("Zz8/zN8/0/0/0/0/0/7n2/0/0", money="3|3"),),
    "the first turn": (board(RESET, state="f|I|i|||", money="0|6"),),
    "after a reset": (board(RESET, state="1|PZ|pz|||", money="0|0"), board(RESET, state="2|PZ|pz|||", money="40|40")),
    "all boards reset": tuple(
        several([f"{first}|PZ|pz|||{RESET}", f"{second}|I||||{RESET}", f"{first}||z|||{RESET}"], money=money)
        for first, second, money in (("1", "1", "0|0"), ("2", "2", "40|0"), ("1", "2", "7|7"))
    ),
}


@pytest.mark.parametrize("name", HARD)
def test_hard_positions_have_a_turn_at_once(name):
    for state in HARD[name]:
        game = stratagem.game("minions", maps=",".join(state.config.maps))
        made, late = EnginePlayer(game, seed=1), []
        made.search_for(state.config)
        for seconds in (0.0, 0.001, 0.02):
            began = time.perf_counter()
            choice = made.choose(game.parse(str(state)), Clock(seconds))
            late.append(time.perf_counter() - began - seconds)
            assert state.allows(GameTurn.parse(choice.move, state.config.boards))
        assert min(late) < 2.0  # of a machine that may be busy


def test_two_threads_play_legal_turns_and_count_every_visit():
    game = stratagem.game("minions", maps="BlackenedShores,MidnightLake")
    state = game.start().state
    staging = MinionsStaging(state.config, EngineOptions(solver=False))
    search = Staged(staging, Settings(threads=2, reuse=False), seed=1)
    for _ in range(6):
        found = search.consider(state.array, simulations=60)
        state = state.play(staging.turn(found.best.turn))
        assert search.root is not None
        bandit = search.root.bandit
        assert found.simulations == bandit.visits() == 60
        assert all(bandit.pending(row) == 0 for row in range(bandit.n))
    assert staging.faults == 0


@pytest.mark.slow
def test_a_default_search_uses_every_part_that_is_documented(monkeypatch):
    """1,000 simulations on two boards, three times: each part that the pages tell of gives something."""
    given = Counter()

    def count(of, *names):
        for name in names:
            known, where = getattr(of, name), f"{of.__name__}.{name}"
            given[where] = 0

            def counted(*args, known=known, where=where, **more):
                found = known(*args, **more)
                given[where] += found is not None
                return found

            monkeypatch.setattr(of, name, counted)

    count(Purse, "first", "finer")
    count(TechPlans, "first", "finer", "coarser")
    count(Attacks, "first", "finer", "coarser")
    count(Deployments, "first", "finer", "coarser")
    count(Planner, "candidate", "finer")
    count(Foretold, "prophet")
    count(MinionsStaging, "shaken", "judged")
    count(answers, "_lords_in_danger")  # the question for a win at once
    game, passed_over = stratagem.game("minions", maps="BlackenedShores,MidnightLake"), 0
    met = positions(("BlackenedShores", "MidnightLake"), 24, 5)
    for state in (met[12], met[16], met[23]):
        made = EnginePlayer(game, seed=1)
        assert made.choose(game.parse(str(state)), Clock(None)).nodes == 1000
        stages = made.search_for(game.config).proposals()
        assert [stage.name for stage in stages] == ["general", "attack 0", "attack 1", "blotto", "spawn 0", "spawn 1"]
        passed_over += sum(stage.passed_over for stage in stages)
    assert not [where for where, n in given.items() if n == 0], given
    assert passed_over > 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("visits=0", "visits"),
        ("depth=0", "depth"),
        ("visits=many", "whole number"),
        ("exploration=nan", "exploration"),
        ("trust=-1", "trust"),
        ("backup=worst", "backup"),
        ("oracle=nowhere", "oracle"),
        ("solver=maybe", "solver is 'maybe'; it is true or false"),
        ("capped=7", "capped"),
        ("reuse=2", "reuse"),
        ("seed=x", "seed"),
        ("tempo=3", "tempo"),
    ],
)
def test_a_bad_option_is_named(options, says):
    game = stratagem.game("minions", maps="MidnightLake")
    with pytest.raises(StratagemError, match=says):
        stratagem.player(game, f"engine:{options}")


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


def test_the_reason_tells_of_boards_given_up_and_points():
    lost = several([f"n|I|i|||{RESET}"] * 3, money="3|3")
    said = explain(one(lost), lost, GameTurn.parse("tech 1;board 1 resign", 3))
    assert "Board 1 is given up." in said
    assert f"Blue gains a point and has 1 of {lost.config.points}." in said
    assert not any(line.startswith("Board 1 holds") for line in said)


def test_the_picture_marks_kills_and_spawns():
    state = board("0/0/2N7/0/3Sz5/0/0/7n2/0/0", money="9|0")
    turn = GameTurn.parse("tech 1;board 0 attack d4e4;board 0 buy Z;board 0 spawn Z c3", 1)
    from stratagem.games.minions.view import draw

    drawn = draw(state, turn)
    assert "Zombie e4 is removed" in drawn
    assert "spawn Z c3" in drawn


def test_pages_mark_moves_attacks_kills_and_spawns():
    position = stratagem.game("minions", maps="AllLand").parse(str(board("0/0/2N7/0/3Sz5/0/0/7n2/0/0", money="9|0")))
    reported = position.game.trace(
        position, "tech 1;board 0 attack d4e4;board 0 move c2d2;board 0 buy Z;board 0 spawn Z c3", 0
    )
    assert {(mark.kind, mark.places) for mark in reported} == {
        ("strike", ("0 d4", "0 e4")),
        ("gone", ("0 e4",)),
        ("arrow", ("0 c2", "0 d2")),
        ("sign", ("0 c3",)),
    }
    half = position.game.trace(
        position, "board 0 move c2c1;board 0 attack c2e4", 0
    )  # not legal: what is meant is seen, nobody goes
    assert [mark.kind for mark in half] == ["arrow", "strike"]
    assert position.game.trace(position, "tech 1;board 0 move_cyclic c2 d4", 0)[0].places == ("0 c2", "0 d4", "0 c2")
    with pytest.raises(stratagem.StratagemError):
        position.game.trace(position, "board 0 jump c2", 0)
