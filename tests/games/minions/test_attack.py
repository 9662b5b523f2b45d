"""The attack stage: named positions, samples of the long checks, prophecies, questions of people, bad input."""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

import pytest
from command import run
from references.minions_attacks import board, crowd, melee
from references.minions_positions import position

import stratagem
from stratagem import Clock
from stratagem.errors import IllegalMove, OptionError, ParseError, StratagemError
from stratagem.games.minions import GameConfig, GameState, GameTurn, attacks, hex_index, hex_name
from stratagem.games.minions.attack import AttackSolver, Planner, Prophecy, Statement
from stratagem.games.minions.attack.answers import winning_turn
from stratagem.games.minions.engine.player import EnginePlayer
from stratagem.games.minions.notation import parse_fen
from stratagem.games.minions.wizard import scripted_turn
from stratagem.rng import generator

sys.path.insert(0, str(Path(__file__).parent))
import attack_checks as checks

LAND = GameConfig.make(("AllLand",))
NINE = {
    "d0": "J",
    "a3": "J",
    "b2": "J",
    "c1": "J",
    "b1": "J",
    "c0": "W",
    "a2": "W",
    "d1": "W",
    "b3": "W",
    "a0": "n",
    "b0": "z",
    "a1": "z",
}


def at(side: int = 0, more: str = "", **men: str) -> GameState:
    """A board of one's own: hexes and letters."""
    return board({hex_index(h): letter for h, letter in men.items()}, LAND, side, more)


def actions(state: GameState, *remove: str) -> list[str]:
    """The actions of the only plan that removes these."""
    found = attacks(state, remove=remove)
    assert found.possible and found.exhausted
    assert len(found.plans) == 1
    state.play(found.turns[0])
    return [str(action) for action in found.plans[0].actions]


# ------------------------------------------------------------------------------------------------------------ named positions


def test_the_blocker_is_killed_and_then_stepped_onto() -> None:
    state = at(a0="M", d0="J", b0="z", a1="d", c0="v", b1="d", c1="d", d1="d", e0="d")
    assert actions(state, "c0") == ["attack d0b0", "move a0b0", "attack b0c0"]


def test_a_unit_steps_where_a_friend_steps_out() -> None:
    state = at(a0="M", b0="Z", a1="d", c0="v")
    found = attacks(state, remove=["c0"])
    assert found.possible and found.exhausted and len(found.plans) == 1
    assert [str(a) for a in found.plans[0].actions] == ["move b0b1", "move a0b0", "attack b0c0"]


def test_three_units_change_places_in_a_cycle() -> None:
    state = at(a0="M", b0="K", a1="Z", c0="v", a2="t", b1="d")
    first, *rest = actions(state, "c0", "a2")
    assert first == "move_cyclic a0 b0 a1"
    assert sorted(rest) == ["attack a1a2", "attack b0c0"]


def test_a_unit_blinks_to_free_its_hex() -> None:
    state = at(a0="M", b0="H", a1="d", b1="d", c0="v", e5="Z")
    found = attacks(state, remove=["c0"])
    assert found.possible
    assert [str(a) for a in found.plans[0].actions] == ["blink b0", "move a0b0", "attack b0c0"]


def test_a_fighter_blinks_and_another_fights_from_its_hex() -> None:
    # the Void unsummons b1 from b0, blinks, and the Mummy comes to b0 to kill c0
    state = at(a0="M", b0="O", a1="d", b1="w", c0="v", c1="d", a2="d", b2="d", d0="d", d1="d")
    found = attacks(state, remove=["b1", "c0"])
    assert found.possible
    texts = [[str(a) for a in plan.actions] for plan in found.plans]
    assert ["attack b0b1", "blink b0", "move a0b0", "attack b0c0"] in texts


def test_a_blocker_is_unsummoned_first() -> None:
    state = at(a0="M", b1="O", b0="m", a1="d", c0="v", c1="d", a2="d", b2="d", d0="d")
    found = attacks(state, remove=["b0", "c0"], keep=["a1"])
    assert found.possible
    assert (found.plans[0].unsummoned, found.plans[0].killed) == ((hex_index("b0"),), (hex_index("c0"),))
    assert [str(a) for a in found.plans[0].actions] == ["attack b1b0", "move a0b0", "attack b0c0"]


def test_a_flurry_is_split_over_two() -> None:
    state = at(c3="A", d3="z", b3="z")
    found = attacks(state, remove=["d3", "b3"], most=1000)
    assert found.possible and found.exhausted
    assert all(len(plan.fighters) == 1 for plan in found.plans)


def test_nine_units_kill_a_necromancer() -> None:
    state = at(**NINE)
    found = attacks(state, remove=["a0"], most=50)
    assert found.possible
    assert all(len(plan.fighters) == 9 for plan in found.plans)
    for turn in found.turns:
        assert state.play(turn).winner == 0


# ------------------------------------------------------------------------------------------------------------- with spells


def spelled(pieces: str, hand: str, **more: object) -> GameState:
    """A board under the server's rules with a hand, moves in one part, and nothing of use to be taken."""
    return position(pieces, hand=hand, profile="server", split_moves=False, drawn="shield.shield", **more)


def casts(state: GameState, *remove: str) -> set[tuple[str, ...]]:
    """The spells of all plans that remove these, each played by the rules."""
    found = attacks(state, remove=remove, most=1000)
    assert found.possible and found.exhausted
    for turn, plan in zip(found.turns, found.plans, strict=True):
        after = state.during(turn).boards[0]
        assert all(after[h] is None for h in remove)
        assert len(after.hand(0)) == len(state.boards[0].hand(0)) - len(plan.casts)
    return {plan.casts for plan in found.plans}


def test_a_spell_adds_the_damage_that_attacks_lack() -> None:
    assert casts(spelled("We4 sf4", "fester"), "f4") == {("cast fester f4",)}
    assert attacks(spelled("We4 sf4", ""), remove=["f4"]).possible is False


def test_a_spell_on_the_wounded_needs_a_wound() -> None:
    assert attacks(spelled("Wa9 sf4", "fester,fester,dismember"), remove=["f4"]).possible is False
    hurt = spelled("Wa9 sf4", "fester", extra="pieces=0f4:d1")
    assert casts(hurt, "f4") == {("cast fester f4",)}


def test_chip_damage_is_dealt_where_unsummon_can_use_it() -> None:
    state = spelled("We4 mf4", "unsummon")
    assert casts(state, "f4") == {("cast unsummon f4",)}
    plan = attacks(state, remove=["f4"]).plans[0]
    assert plan.unsummoned == (hex_index("f4"),) and plan.killed == ()
    assert sum(str(action).startswith("attack") for action in plan.actions) == 1


def test_a_blow_that_kills_is_no_chip_damage() -> None:
    found = attacks(spelled("We4 zf4", "unsummon"), most=1000)
    assert found.possible and all(plan.unsummoned == () for plan in found.plans)


def test_unsummon_does_nothing_to_the_persistent() -> None:
    assert attacks(spelled("We4 gf4", "unsummon"), remove=["f4"]).possible is False


def test_a_spell_opens_the_way_for_others() -> None:
    # the Wight wounds b0, Unsummon takes it away, and the Mummy comes to b0 to kill c0
    men = "Ma0 Wb1 mb0 da1 vc0 dc1 da2 db2 dd0"
    assert attacks(spelled(men, ""), remove=["c0"]).possible is False
    state = spelled(men, "unsummon")
    plan = attacks(state, remove=["b0", "c0"]).plans[0]
    texts = [str(action) for action in plan.actions]
    assert texts == ["attack b1b0", "cast unsummon b0", "move a0b0", "attack b0c0"]
    state.play(attacks(state, remove=["b0", "c0"]).turns[0])


def test_stumble_puts_an_enemy_out_of_the_way() -> None:
    # the Wight wounds b2, which stumbles to b3, and the Mummy comes to b2 to kill c1
    state = spelled("Ma2 Wc2 mb2 vc1 da3 db1 da1", "stumble")
    found = attacks(state, remove=["c1"], most=1000)
    assert found.possible and not found.exhausted and "Stumble" in found.undecided
    texts = [[str(action) for action in plan.actions] for plan in found.plans]
    assert ["attack c2b2", "cast stumble b2b3", "move a2b2", "attack b2c1"] in texts
    plan = found.plans[texts.index(["attack c2b2", "cast stumble b2b3", "move a2b2", "attack b2c1"])]
    assert plan.displaced == ((hex_index("b2"), hex_index("b3")),) and plan.removed == (hex_index("c1"),)
    for turn in found.turns:
        assert state.during(turn).boards[0]["c1"] is None


def test_nobody_is_pushed_without_need() -> None:
    found = attacks(spelled("We4 mf4 za9", "stumble"), most=100)
    assert found.possible is None and found.plans == ()


def test_unholy_might_gives_the_necromancer_a_second_attack() -> None:
    assert casts(spelled("Ne4 zf4 zd4", "unholy_might"), "f4", "d4") == {("cast unholy_might e4",)}
    assert attacks(spelled("Ne4 zf4 zd4", ""), remove=["f4", "d4"]).possible is False


def test_a_sorcery_that_nothing_can_pay_is_not_cast() -> None:
    hurt = "pieces=0f4:d1"
    assert attacks(spelled("Wa9 gf4", "dismember", extra=hurt), remove=["f4"]).possible is False
    assert casts(spelled("Wa9 gf4", "dismember,shield", extra=hurt), "f4") == {("cast dismember f4",)}
    assert casts(spelled("Wa9 gf4", "dismember", extra=hurt + " mana=0:1"), "f4") == {("cast dismember f4",)}


def test_cleave_needs_a_striker_and_a_no_is_not_proved() -> None:
    found = attacks(spelled("Ae4 zf4 sd4", "cleave"), remove=["f4", "d4"])
    assert found.possible and not found.exhausted and "Cleave" in found.undecided
    assert found.plans[0].casts == ("cast cleave f4",)
    far = attacks(spelled("Ae4 za9", "cleave"), remove=["a9"])
    assert far.possible is None and "Cleave" in far.undecided


@pytest.mark.parametrize(
    ("hand", "more", "word"),
    [
        ("stumble", {"split_moves": False}, "Stumble"),
        ("", {"split_moves": False, "maps": "ChaosDiamond"}, "teleporters"),
        ("", {"split_moves": False, "drawn": "fester.shield"}, "spells not yet taken"),
    ],
)
def test_an_action_outside_the_model_is_named_and_no_is_not_said(hand: str, more: dict, word: str) -> None:
    given = {"drawn": "shield.shield", **more}
    found = attacks(position("Ze4 da9", hand=hand, profile="server", **given), remove=["a9"])
    assert found.possible is None and not found.exhausted and found.plans == ()
    assert word in found.undecided


def test_out_of_reach_of_moves_in_several_parts_too_is_proved() -> None:
    found = attacks(position("Ze4 da9", profile="server", drawn="shield.shield"), remove=["a9"])
    assert found.possible is False and found.exhausted and found.conflict == ("a9",)


def test_what_only_moves_in_several_parts_bring_is_not_decided() -> None:
    # the Serpent kills a3 from the Banshee's hex; the Banshee must wait elsewhere, and go on to a3 to kill a4
    men = "zP2dd4/1w1dd5/B1dd6/zdd7/dd8/d9/0/0/0/0"
    config = GameConfig.make(("AllLand",), profile="server", spells=False)
    state = parse_fen(f"9|9 0|0 {'L' * 25}|{'L' * 25} n|||||{men} 0 9", config)
    found = attacks(state, remove=["a3", "a4"], keep=["a0", "b1"])
    assert found.possible is None and "moves in several parts" in found.undecided
    assert attacks(state, remove=["a3"]).possible
    turn = "tech 1;board 0 move a2b2;board 0 move b0a2;board 0 attack a2a3;board 0 move b2a3;board 0 attack a3a4"
    after = state.during(GameTurn.parse(turn, 1)).boards[0].pieces
    assert "a4" not in after and after["a3"].unit.letter == "B"


@pytest.mark.slow
def test_what_is_refuted_with_moves_in_several_parts_brute_force_does_not_find() -> None:
    assert "sets refuted" in checks.check_split(150)


@pytest.mark.slow
def test_attacks_with_spells_are_those_of_brute_force() -> None:
    assert "all equal" in checks.check_spells(250, seed=10_000)


# ------------------------------------------------------------------------------------------------------------ what fails


@pytest.mark.parametrize("missing", [h for h, letter in NINE.items() if letter.isupper()])
def test_with_one_unit_fewer_the_necromancer_lives(missing: str) -> None:
    found = attacks(at(**{h: letter for h, letter in NINE.items() if h != missing}), remove=["a0", "b0"])
    assert found.possible is False and found.exhausted
    assert found.conflict == ("a0",)
    assert found.plans == ()


def test_what_cannot_go_together_is_named_and_nothing_else() -> None:
    # one Mummy, two enemies that only it can kill, and a third that somebody else takes
    state = at(c3="M", d3="x", b3="x", g6="W", g7="z")
    found = attacks(state, remove=["g7", "d3", "b3"])
    assert found.possible is False
    assert found.conflict == ("d3", "b3")
    assert attacks(state, remove=["g7", "d3"]).possible


def test_deathtouch_spares_necromancers_and_lumbering_units_stay() -> None:
    assert attacks(at(c3="L", d3="n"), remove=["d3"]).possible is False
    assert attacks(at(c3="L", d3="d"), remove=["d3"]).possible
    assert attacks(at(c3="Z", e3="z"), remove=["e3"]).possible is False
    assert attacks(at(c3="W", e3="z"), remove=["e3"]).possible


def test_damage_and_moves_of_the_turn_so_far_count() -> None:
    state = at(c3="M", d3="d", e3="M", f8="Z")
    middle = state.during(GameTurn.parse("board 0 attack c3d3", 1))
    assert attacks(state, remove=["d3"]).possible
    found = attacks(middle, remove=["d3"])
    assert found.possible
    assert all(len(plan.fighters) == 1 for plan in found.plans)
    moved = state.during(GameTurn.parse("board 0 move c3c4", 1))
    fighters = [dict(plan.fighters) for plan in attacks(moved, remove=["d3"]).plans]
    assert fighters and {where[hex_index("c4")] for where in fighters} == {hex_index("c4")}


# -------------------------------------------------------------------------------------------------------------- long checks


def test_what_can_be_removed_is_what_brute_force_finds() -> None:
    assert "all equal" in checks.check_boards(20)


def test_minimal_attacks_are_as_many_as_perft_counts() -> None:
    assert "as many as perft" in checks.check_perft(25)


def test_plans_are_played_by_the_rules() -> None:
    assert "none refused" in checks.check_plans(400)


def test_a_second_model_agrees() -> None:
    assert "agrees on all" in checks.check_statements(25)


def test_what_is_kept_of_a_prophecy_is_what_one_by_one_keeps() -> None:
    assert "the same kept" in checks.check_greedy(25)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "number"), [("boards", 800), ("perft", 150), ("plans", 6000), ("statements", 150), ("greedy", 150)]
)
def test_the_long_checks_hold_on_a_larger_sample(name: str, number: int) -> None:
    assert checks.CHECKS[name](number, 1_000_000)


# --------------------------------------------------------------------------------------------------------------- prophecies


def test_dropping_the_least_of_each_conflict_is_not_enough() -> None:
    # 1 > 2 > 3 with conflicts {2, 3} and {1, 2}: one by one keeps 1 and 3
    class Fake:
        core: list[int]

        def solve(self, literals: list[int], deadline: float | None = None) -> bool:
            held = set(literals)
            for conflict in ({2, 3}, {1, 2}):
                if conflict <= held:
                    self.core = list(conflict)
                    return False
            return True

    from stratagem.games.minions.attack.prophecy import greedy

    assert greedy(Fake(), [1, 2, 3]).kept == [0, 2]  # type: ignore[arg-type]


def test_candidates_are_different_and_a_family_is_exhausted() -> None:
    state = at(c3="W", d3="z", e4="z", d5="W")
    everything = Prophecy(removed={hex_index("d3"): 0.9, hex_index("e4"): 0.8})
    with AttackSolver(state) as of:
        planner = Planner(of, seed=1)
        first = planner.candidate(everything)
        assert first is not None
        assert [hex_name(h) for h in first.plan.removed] == ["d3", "e4"]
        seen = {(first.plan.fighters, first.plan.killed)}
        while found := planner.finer(first.family):
            assert found.plan.removed == first.plan.removed
            key = (found.plan.fighters, found.plan.killed)
            assert key not in seen
            seen.add(key)
        assert first.family.exhausted and not planner.late
    answer = attacks(state, remove=["d3", "e4"], most=1000)
    assert answer.exhausted and len(answer.plans) == len(seen)


def test_every_plan_is_found_by_refinement_and_by_new_prophecies_until_the_board_is_exhausted() -> None:
    state = crowd(random.Random(5), LAND, 3, 3)
    with AttackSolver(state) as of:
        total = sum(1 for _ in of.plans())
    with AttackSolver(state) as of:
        planner = Planner(of, seed=3)
        dice = random.Random(1)
        found = planner.candidate(checks.random_prophecy(of, dice))
        number = 0
        while found is not None:
            number += 1
            found = planner.finer(found.family) or planner.candidate(checks.random_prophecy(of, dice))
        assert planner.exhausted
    assert number == total


def test_random_phases_make_plans_differ_more() -> None:
    state = checks.contact(8)

    def results(diverse: bool) -> int:
        with AttackSolver(state) as of:
            planner = Planner(of, seed=1, diverse=diverse)
            found = planner.candidate(Prophecy())
            assert found is not None
            plans = [planner.finer(found.family) for _ in range(30)]
            return len({plan.plan.removed for plan in plans if plan})

    assert results(True) > results(False)


def test_a_prophecy_becomes_statements_and_probabilities_are_checked() -> None:
    prophecy = Prophecy(removed={7: 0.9, 8: 0.3}, passive={1: 0.6})
    assert [str(item.statement) for item in prophecy.statements()] == ["h0 removed", "i0 not removed", "b0 passive"]
    with pytest.raises(OptionError, match="goes from 0 to 1"):
        Prophecy(removed={7: 1.5}).statements()
    with pytest.raises(OptionError, match="threshold"):
        prophecy.statements(0.2)


# ----------------------------------------------------------------------------------------------------- questions and bad input


def test_without_names_the_question_is_whether_anybody_can_be_removed() -> None:
    assert attacks(at(c3="W", d3="z")).possible
    assert attacks(at(c3="W", h8="d")).possible is False
    assert attacks(at(c3="W")).possible is False


def test_what_is_to_stay_stays() -> None:
    state = at(c3="A", d3="z", b3="z")
    found = attacks(state, remove=["d3"], keep=["b3"], most=1000)
    assert found.possible and found.exhausted
    assert {plan.removed for plan in found.plans} == {(hex_index("d3"),)}


def test_the_board_of_a_reset_is_set_up_first() -> None:
    state = GameState.start(GameConfig.make(("AllLand",), points=9))
    text = str(state).replace(" f|I|i", " 1|SW|i", 1)
    from stratagem.games.minions.notation import parse_fen

    reset = parse_fen(text, state.config)
    found = attacks(reset)
    assert found.possible is False and found.exhausted
    near = parse_fen(text.replace("/0/0/", "/2z7/0/", 1), state.config)
    found = attacks(near)
    assert found.possible
    assert str(found.turns[0].boards[0][0]) == "setup N W"
    near.play(found.turns[0])


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"remove": ["e5"]}, "no unit stands on 'e5'"),
        ({"remove": ["c3"]}, "unit of one's own"),
        ({"keep": ["zz"]}, "'zz'"),
        ({"remove": ["d3"], "keep": ["d3"]}, "both name d3"),
        ({"board": 3}, "there is no board 3"),
        ({"most": -1}, "most is -1"),
        ({"seconds": 0}, "a time of 0"),
        ({"solver": "magic"}, "solver is 'magic'"),
    ],
)
def test_a_bad_question_names_what_is_wrong(asked: dict, says: str) -> None:
    with pytest.raises((OptionError, ParseError), match=says):
        attacks(at(c3="W", d3="z"), **asked)


def test_an_attack_phase_that_is_over_cannot_be_asked_about() -> None:
    state = at(c3="Z", d3="z")
    spawning = state.during(GameTurn.parse("board 0 buy Z", 1))
    with pytest.raises(IllegalMove, match="is over"):
        attacks(spawning)
    with pytest.raises(StratagemError, match="unknown"):
        AttackSolver(state).literal(Statement("eaten", hex_index("d3")))


def test_twenty_against_twenty_in_reach_are_answered() -> None:
    for seed in range(3):
        state = melee(random.Random(seed), LAND, 20, 20, spread=1.6)
        found = attacks(state, most=20, seconds=20)
        assert found.possible and len(found.plans) == 20
        for turn in found.turns:
            assert state.allows(turn)


def test_a_millisecond_gives_an_answer_or_none_but_never_a_wrong_one() -> None:
    undecided = 0
    for seed in range(12):
        state = checks.contact(seed)
        with AttackSolver(state) as of:
            enemies = [hex_name(h) for h in of.foes]
        asked = random.Random(seed).sample(enemies, 3)
        truth = attacks(state, remove=asked, most=0).possible
        began = time.perf_counter()
        quick = attacks(state, remove=asked, most=0, seconds=0.001)
        assert time.perf_counter() - began < 30  # generous: the machine may be busy
        assert quick.possible in (truth, None)
        undecided += quick.possible is None
        if quick.possible is None:
            assert "did not suffice" in quick.undecided
    assert undecided > 0


# --------------------------------------------------------------------------------------------------------- the command line


def test_the_command_answers_people_and_programs(tmp_path: Path) -> None:
    state = at(a0="M", b0="Z", a1="d", c0="v")
    picture = tmp_path / "plan.svg"
    said = run("minions", "attacks", str(state), "--maps", "AllLand", "--remove", "c0", "--svg", str(picture))
    assert said.code == 0
    assert said.out.startswith("yes: 1 way and there is no other")
    assert "move a0b0" in said.out
    assert "<title>attack b0c0</title>" in picture.read_text()
    reported = json.loads(run("minions", "attacks", str(state), "--maps", "AllLand", "--remove", "c0", "--json").out)
    assert (reported["possible"], reported["exhausted"], reported["conflict"]) == (True, True, [])
    (plan,) = reported["plans"]
    assert plan["killed"] == ["c0"] and plan["unsummoned"] == [] and plan["fighters"] == {"a0": "b0"}
    state.play(GameTurn.parse(plan["turn"], 1))
    no = run("minions", "attacks", str(state), "--maps", "AllLand", "--remove", "a1")
    assert no.out.startswith("no, which is proved: it fails with a1 (Blue Shadowlord) alone")


def test_the_command_answers_a_line_at_a_time_and_goes_on_after_a_bad_one() -> None:
    state = str(at(a0="M", b0="Z", a1="d", c0="v"))
    lines = [
        {"position": state, "remove": ["c0"]},
        {"position": state, "remove": ["c0"], "keep": "a1", "board": 0},
        {"position": state, "remove": ["e5"]},
        {"position": "nonsense"},
        {"position": state, "remoev": []},
        ["no object"],
    ]
    text = "\n".join(map(json.dumps, lines)) + "\n{broken\n"
    said = run("minions", "attacks", "-", "--maps", "AllLand", stdin=text)
    found = [json.loads(line) for line in said.out.splitlines()]
    assert said.code == 2
    assert [("error" in item) for item in found] == [False, False, True, True, True, True, True]
    assert found[0]["possible"] and found[1]["possible"] and found[0]["position"] == state
    assert "Traceback" not in said.err


# ---------------------------------------------------------------------------------------------------------- wins in one turn


def games_of_scripts(seeds: range, plies: int = 60) -> list[tuple[GameState, bool]]:
    """Positions of scripted games on two boards, and whether the script's turn wins there."""
    found = []
    for seed in seeds:
        state, rng = GameState.start(GameConfig.make(("BlackenedShores", "MidnightLake"))), generator(seed, 3)
        for ply in range(plies):
            side, after = state.side, state.play(scripted_turn(state, rng, wild=ply % 2 == 0))
            found.append((state, after.winner == side))
            if after.winner is not None:
                break
            state = after
    return found


def test_a_win_in_one_turn_is_found_wherever_the_script_finds_one() -> None:
    positions = games_of_scripts(range(4))
    wins = [(state, found, turn) for state, found in positions if (turn := winning_turn(state)) is not None]
    assert all(turn is None or state.play(turn).winner == state.side for state, _, turn in wins)
    assert sum(by_script for _, by_script in positions) == sum(by_script for _, by_script, _ in wins) >= 2


def test_a_blocker_is_killed_on_the_way_to_a_win() -> None:
    men = {"a0": "M", "d0": "J", "f0": "J", "b0": "z", "a1": "d", "c0": "n", "b1": "d", "c1": "d", "d1": "d", "e0": "d"}
    assert winning_turn(at(**men)) is None  # a Witch too few
    state = at(**men, c3="J")
    turn = winning_turn(state)
    assert turn is not None and state.play(turn).winner == state.side
    assert "move a0b0" in [str(action) for action in turn.boards[0]]


# Yellow can kill the necromancer on d3 in many ways; Blue holds eight graveyards, and the kill alone wins nothing
OVERRUN = "Sd4 Se3 Sc4 Sc3 Na9 nd3 zg4 zc0 zg0 zf3 zj3 za4 zb6 zj7"


@pytest.mark.parametrize("held", [8, 9])
def test_a_kill_that_wins_no_overrun_board_comes_with_graveyards_taken_back(held: int) -> None:
    state = position(OVERRUN + " zd8" * (held - 8), maps="BlackenedShores", points=1)
    assert state.boards[0].graveyards(1) == held
    turn = winning_turn(state)
    assert turn is not None and state.play(turn).winner == state.side
    assert state.during(turn).boards[0].graveyards(1) < 8


def test_no_win_is_reported_where_too_many_graveyards_stay() -> None:
    assert winning_turn(position(f"{OVERRUN} zd8 zf9", maps="BlackenedShores", points=1)) is None
    kills_count = position(f"{OVERRUN} zd8 zf9", maps="BlackenedShores", points=1, kill_beats_graveyards=True)
    assert winning_turn(kills_count) is not None


def test_the_question_for_a_win_ends_without_a_clock_too() -> None:
    men = {**NINE, "c3": "J"}
    assert winning_turn(at(**men)) is not None
    assert winning_turn(at(**men), conflicts=0) is None


def test_one_necromancer_of_two_wins_nothing_yet() -> None:
    states = [state for state, won in games_of_scripts(range(4)) if won]
    for state in states:
        longer = GameState(GameConfig.make(state.config.maps, points=4), state.array)
        assert winning_turn(state) is not None
        assert winning_turn(longer) is None


def test_the_engine_plays_a_win_before_it_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    state = next(state for state, won in games_of_scripts(range(4)) if won)
    game = stratagem.game("minions", maps="BlackenedShores,MidnightLake")
    monkeypatch.setattr(EnginePlayer, "search_for", lambda *_, **__: None)  # nothing that could search
    choice = EnginePlayer(game).choose(game.parse(str(state)), Clock(None))
    assert choice.value == 1 and state.play(GameTurn.parse(choice.move, 2)).winner == state.side
    assert "wins the game at once" in choice.details["note"]
