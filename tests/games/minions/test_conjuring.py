"""The engine where there are spells, tiles that act, split moves and necromancers to choose from."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from references.minions_positions import position as written

import stratagem
from stratagem import CHANCE
from stratagem.contract.player import Clock
from stratagem.games.minions import GameConfig, GameState, GameTurn, Minions, layout
from stratagem.games.minions.engine.conjuring import FullStaging
from stratagem.games.minions.engine.explain import explain
from stratagem.games.minions.engine.player import EnginePlayer
from stratagem.games.minions.engine.sorcery import KEPT, hand_worth
from stratagem.games.minions.engine.stages import EngineOptions
from stratagem.games.minions.engine.techs import bought
from stratagem.games.minions.maps import hex_name, maps
from stratagem.games.minions.notation import parse_fen
from stratagem.games.minions.spells import by_key
from stratagem.games.minions.units import by_letter
from stratagem.rng import generator
from stratagem.search.staged import Settings, Staged

server = partial(written, profile="server")


def searched(state: GameState, simulations: int = 8, seed: int = 1, target: str = "python", **options: bool) -> Staged:
    """A search in the interpreter, so that nothing is compiled for a few turns."""
    staging = FullStaging(state.config, EngineOptions(solver=False, **options), target=target)
    search = Staged(staging, Settings(depth=1), seed=seed)
    search.consider(state.hidden_from(state.side).array, simulations=simulations)
    assert staging.faults == 0
    return search


def best(state: GameState, simulations: int = 8, **options: bool) -> GameTurn:
    search = searched(state, simulations, **options)
    assert search.root is not None
    turn = search.staging.turn(search.judged(search.root, search._ranked(search.root.bandit)[0]).turn)
    assert state.allows(turn)
    return turn


def proposed(state: GameState, simulations: int = 8, **options: bool) -> list[str]:
    """All turns that were made, as text."""
    search = searched(state, simulations, **options)
    assert search.root is not None
    return [str(search.staging.turn(turn.turn)) for turn in search.root.turns]


# -- turns are legal


@pytest.mark.parametrize(
    ("profile", "names"),
    [
        ("server", ("ChaosDiamond", "Apocalypse")),
        ("server", ("TreacherousPathwaysMist",)),
        ("book", ("MidnightLake", "RiverStyx")),
    ],
)
def test_turns_under_all_rules_are_legal(profile, names):
    config = GameConfig.make(names, profile=profile, points=3)
    state, rng = GameState.start(config), generator(4)
    for ply in range(14):
        state = state.dealt(rng)
        if ply % 6 == 5:
            searched(state, simulations=2, seed=ply)
        state = state.play(state.random_turn(rng))
        if state.winner is not None:
            state = GameState.start(config)


@pytest.mark.slow
@pytest.mark.timeout(1200)  # two minutes of compilation, and more on a busy machine
def test_many_turns_with_spells_are_legal_and_every_kind_of_them_is_made():
    kinds, cast = set(), set()
    for k, name in enumerate(maps()):
        config = GameConfig.make((name,), profile="server", points=1, rare_spells=2)
        state, rng = GameState.start(config), generator(k)
        for ply in range(40):
            state = state.dealt(rng)
            search = searched(state, simulations=20, seed=ply, target="cpu")
            assert search.root is not None
            for made in search.root.turns:
                for action in search.staging.turn(made.turn).boards[0]:
                    kinds.add(action.kind)
                    if action.kind == "cast":
                        cast.add(action.spell.key)
            turn = search.staging.turn(search.judged(search.root, search._ranked(search.root.bandit)[0]).turn)
            state = state.play(turn)
            if state.winner is not None:
                state = GameState.start(config)
    assert {"cast", "discard", "teleport", "rise", "move", "attack", "buy", "spawn"} <= kinds
    assert len(cast) >= 20, cast


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_compiled_and_interpreted_spells_agree():
    state = server(
        "Nc2 Wd3 Sd4 We3 nh7 se4 mf3 wf5", hand="fester,shield,freeze_ray,raise_zombie,unsummon", enemy_hand="fester"
    )
    made = []
    for target in ("cpu", "python"):
        search = searched(state, simulations=6, target=target)
        assert search.root is not None
        made.append(
            [
                (search.staging.turn(turn.turn), search.judged(search.root, turn.row).values)
                for turn in search.root.turns
            ]
        )
    assert made[0] == made[1]


ADVANCED = (
    "necromancers=0c1:BattleNecromancer,1c1:ArcaneNecromancer,2c2:TerrainNecromancer,2e7:BattleNecromancer "
    "used=0:ArcaneNecromancer,0:BattleNecromancer,0:TerrainNecromancer,1:BattleNecromancer,1:ZombieNecromancer"
)


# -- what spells are used for


def test_a_spell_ends_what_an_attack_began():
    # a Warg deals one damage to a Harpy, which has five defense; Dismember and Fester do the rest
    state = server("Na9 We4 yf4 nh0", hand="dismember,fester,fester", drawn="normalize.normalize")
    turn = best(state)
    assert state.during(turn).boards[0]["f4"] is None
    assert "attack" in str(turn)
    assert "cast dismember f4" in str(turn)
    assert "cast fester f4" in str(turn)


def test_a_damaged_enemy_is_sent_home():
    state = server("Na9 We4 mf4 nh0", hand="unsummon", drawn="normalize.normalize")
    turn = best(state)
    assert "cast unsummon f4" in str(turn)
    assert state.during(turn).boards[0].reinforcements(1)[by_letter()["M"]] == 1


def test_lightning_alone_kills_who_is_weak_enough():
    state = server("Na9 zf4 Zf9 nh0", hand="lightning_bolt", drawn="normalize.normalize", rare_spells=2)
    assert any("cast lightning_bolt f4" in text for text in proposed(state))


def test_what_stands_in_danger_is_shielded():
    # a Mummy of one's own in a corner, beside two of the enemy
    state = server("Na9 Ma0 ma1 mb0 nh0", hand="shield", drawn="normalize.normalize")
    assert any("cast shield a0" in text for text in proposed(state))


def test_a_zombie_rises_on_a_graveyard():
    config = GameConfig.make(("MidnightLake",), profile="server")
    grave = config.lands[0].graveyards[0]
    near = next(h for h in range(100) if layout.holds(*layout.within(config.ground, grave, 1), h) and h != grave)
    state = server(f"Nc2 Z{hex_name(near)} nh7", hand="raise_zombie", maps="MidnightLake", drawn="normalize.normalize")
    texts = proposed(state)
    assert any("cast raise_zombie" in text for text in texts), texts


def test_without_spells_none_is_chosen_or_cast():
    state = server("Na9 We4 mf4 nh0", hand="dismember,fester,shield")
    for text in proposed(state, spells=False):
        assert "cast" not in text
        assert "give_spell" not in text
        assert "discard" not in text


def test_a_debt_of_mana_is_paid_by_the_cards_worth_least():
    state = server("Na9 We4 gf4 nh0", hand="shield,normalize,dismember", drawn="terraform.terraform")
    turn = best(state)
    assert "cast dismember f4" in str(turn)
    assert "discard shield" not in str(turn)
    after = state.play(turn)
    assert "shield" in after.boards[0].hand(0) or "cast shield" in str(turn)


def test_the_card_that_a_board_wants_most_is_taken_first():
    state = server("Na9 We4 nh0", drawn="normalize.dismember")
    staging = FullStaging(state.config, EngineOptions(solver=False), target="python")
    search = Staged(staging, Settings(depth=1), seed=1)
    search.consider(state.array, simulations=1)
    assert search.root is not None
    (turn,) = search.root.turns
    assert str(staging.turn(turn.turn).spells[0]) == "give_spell 0 dismember"


def test_bought_spells_are_counted():
    assert bought(np.array([layout.TECH, 2, 1, 0], np.int64).tobytes()) == 2
    assert bought(np.array([layout.TECH, 1, 0], np.int64).tobytes()) == 0
    assert bought(np.array([layout.SELL, 0, 0, layout.TECH, 1, 0], np.int64).tobytes()) == 1


def test_the_free_spell_is_sold_where_nothing_else_can_be_done_with_it():
    state = server("Na9 nh0", cards=("A" * 25, "A" * 25))
    assert any("sell_spell" in text for text in proposed(state, 4))


def test_cards_in_a_hand_are_worth_something_but_not_without_end():
    few, many = (server("Na9 nh0", hand=hand) for hand in ("fester", ",".join(["dismember"] * 30)))
    g = few.config.ground
    assert hand_worth(g, few.array, 0, 0) == KEPT[by_key()["fester"].number]
    assert hand_worth(g, many.array, 0, 0) < 10
    unseen = few.hidden_from(1)
    assert 0 < hand_worth(g, unseen.array, 0, 0) < 3  # the mean of a deck


# -- tiles that act, split moves


def test_spawners_and_teleporters_are_used():
    config = GameConfig.make(("Apocalypse",), profile="server")
    state = GameState.start(config).dealt(generator(1))
    assert any(" rise " in text for text in proposed(state, 3))
    land = GameConfig.make(("ChaosDiamond",), profile="server").lands[0]
    gate = hex_name(land.tiles.index("t"))
    there = server(f"Nc2 W{gate} nh7", maps="ChaosDiamond")
    assert any(" teleport " in text for text in proposed(there, 3))


def test_nobody_stays_in_the_mist():
    land = GameConfig.make(("TreacherousPathwaysMist",), profile="server").lands[0]
    fog = hex_name(land.tiles.index("m"))
    state = server(f"Nc2 Z{fog} nh7", maps="TreacherousPathwaysMist")
    turn = best(state, 8)
    assert state.play(turn).boards[0].reinforcements(0).total() == 0 or not state.boards[0].reach(fog)[1:]


# -- the book


def test_a_setup_of_the_book_names_a_necromancer_that_was_not_used():
    state = written("Nc2 nh7 Zb2 zi7", profile="book", state="1", zones=("SW", "s"), extra="used=0:ArcaneNecromancer")
    texts = proposed(state, 12)
    assert len({text.split("setup ")[1].split(";")[0] for text in texts}) > 1
    assert not any("ArcaneNecromancer" in text for text in texts)


def test_two_boards_that_are_set_up_in_one_turn_choose_different_necromancers():
    config = GameConfig.make(("BlackenedShores", "MidnightLake", "BlackenedShores"), profile="book")
    cards = "AUAUUAUAAUAUAALLLLLLLLLLL|UAAUAUAAUUAUAUUULLLLLLLLL"
    board = "/0/0/0/0/0/7zz1/6znz1/6zz2/0"
    text = (
        f"41|25 2|2 {cards} 2|IX|kz|||0/2N7{board[2:]} 2|IJ|tuz|||0/2N7{board[2:]} n|||||0/0/2N7/0/0/0/0/4n5/0/0 1 44"
    )
    state = parse_fen(f"{text} + {ADVANCED}", config)
    search = searched(state, simulations=12)
    assert search.root is not None and len(search.root.turns) > 1
    for made in search.root.turns:
        turn = search.staging.turn(made.turn)
        assert state.allows(turn)
        assert len({turn.boards[k][0].unit for k in range(2)}) == 2
    explain(search.staging, state, turn)
    assert search.staging.faults == 0


def test_the_loser_of_a_board_passes():
    state = written("Nc2 nh7 Zb2 zi7", profile="book", state="0")
    assert all("board 0" not in text for text in proposed(state, 3))


def test_plans_of_the_attack_solver_cast_spells():
    state = server("Na9 We4 gf4 nh0", hand="dismember", drawn="normalize.normalize")
    staging = FullStaging(state.config, EngineOptions(), target="python")
    staging.root = state.array.tobytes()
    search = Staged(staging, Settings(depth=1), seed=1)
    search.consider(state.array, simulations=30)
    assert search.root is not None
    (attack,) = [sub for (name, _), sub in search.root.sub.items() if name == "attack 0"]
    plans = [str(staging.turn(part)) for part in attack.proposals.generator.families]
    assert any("cast dismember f4" in plan for plan in plans)
    assert staging.faults == 0


# -- what the other side holds plays no part


def test_the_choice_is_the_same_whatever_the_other_side_holds():
    game = Minions(profile="server", maps="SorcerersLair", plies=0, points=9)
    position, rng = game.start(), generator(3)
    while len(position.history) < 20 or position.turn == CHANCE:
        position = position.play(position.sample(rng))
    seat = position.turn
    states = [position.state, position.view(seat).state]
    states += [position.view(seat).guess(seat, generator(k)).state for k in range(2)]
    assert len({str(state) for state in states}) > 2
    found = []
    for state in states:
        search = searched(state, simulations=3)
        assert search.root is not None
        found.append([(turn.turn, search.judged(search.root, turn.row).values) for turn in search.root.turns])
    assert all(made == found[0] for made in found)


def test_trials_have_different_guesses_of_what_is_hidden():
    state = server("Na9 We4 mf4 nh0", hand="fester", enemy_hand="fester,shield,stumble").hidden_from(0)
    staging = FullStaging(state.config, EngineOptions(solver=False), target="python")
    hands = set()
    for k in range(12):
        with np.errstate(over="ignore"):
            guess = GameState(state.config, staging.guess(state.array, 0, generator(k)))
        hands.add(guess.boards[0].hand(1))
        assert guess.boards[0].hand(0) == ("fester",)
        assert "unknown" not in guess.boards[0].hand(1)
    assert len(hands) > 1


# -- the player


def test_a_turn_that_has_begun_is_ended_by_the_script_which_says_so():
    game = Minions(maps="MidnightLake")
    begun = game.start().state.during(GameTurn.parse("tech 1;board 0 move c1c0", 1))
    choice = EnginePlayer(game, seed=1).choose(game.parse(str(begun)), Clock(0.05))
    assert "has begun" in choice.details["note"]
    assert begun.allows(GameTurn.parse(choice.move, 1))


def test_a_turn_with_spells_is_explained():
    state = server("Na9 We4 gf4 nh0", hand="dismember,fester")
    turn = GameTurn.parse("tech 1;give_spell 0 shield;attack e4f4;cast dismember f4;discard fester", 1)
    staging = FullStaging(state.config, EngineOptions(solver=False), target="python")
    said = " ".join(explain(staging, state.hidden_from(0), turn))
    assert "Board 0 takes Shield." in said
    assert "casts Dismember on Ghost f4, who dies" in said
    assert "discards Fester" in said
    assert "judged" in said


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("profile", "names"), [("server", "SorcerersLair,ChaosDiamond"), ("server", "Apocalypse"), ("book", "Puddles")]
)
def test_strong_plays_every_profile_by_its_search(profile, names):
    game = stratagem.game("minions", profile=profile, maps=names, plies=10, points=1)
    seats = [stratagem.player(game, f"strong:visits={visits}", seed=1) for visits in (30, 5)]
    position = game.start(seed=2)
    while not position.over:
        if position.turn == CHANCE:
            position = position.play(position.sample(generator(len(position.history))))
            continue
        choice = seats[position.turn].choose(position.view(position.turn), Clock(None))
        assert choice.nodes >= 5
        assert "script" not in choice.details.get("note", "")
        if profile == "server":
            assert "moves in several parts" in choice.details["note"]
        position = position.play(choice.move)
    assert all(player.staging.faults == 0 for player in seats)
