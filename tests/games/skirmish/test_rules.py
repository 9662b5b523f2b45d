"""The rules of Skirmish, one test a rule or ruling of docs/games/skirmish.md; positions are text.

On the field: gates a1 a5 and i1 i5, towers c2 b4 and g2 h4, a banner on e5, a wall on e1, springs on c3 and g3.
"""

from functools import cache

import numpy as np
import pytest

import stratagem
from stratagem.errors import IllegalMove, OptionError, ParseError
from stratagem.games.skirmish import kernels as k
from stratagem.games.skirmish.position_text import piece_text
from stratagem.games.skirmish.telling import CARD_NAMES
from stratagem.kernel import CHANCE
from stratagem.rng import generator

TOWERS = "c2T4500,b4T4500,g2t4500,h4t4500"


@cache
def made(**options):
    return stratagem.game("skirmish", **options)


def at(pieces, hands="-/-", decks="G/G", seat="first", turn=None, left=5, towers=TOWERS, game=None, **options):
    """A position: pieces beside the towers, hands, decks."""
    game = game or made(**options)
    turn = turn or (3 if seat == "first" else 4)
    board = ",".join(filter(None, (pieces, towers)))
    return game.parse(f"{seat} {turn} {left} {board} {hands} {decks}")


def piece(position, square):
    """What is on a square: `G900EP`, or nothing."""
    x = int(position.state[k.BOARD + position.game.board.numbers[square]])
    return piece_text("", x) if x else ""


def through(position, *texts):
    for text in texts:
        position = position.play(text)
    return position


def may(position, text):
    return text in position.moves()


# -- moving


@pytest.mark.parametrize(("unit", "speed"), [("G", 2), ("B", 2), ("H", 2), ("M", 2), ("S", 3)])
def test_a_unit_goes_as_far_as_its_speed_in_steps(unit, speed):
    position = at(f"e3{unit}800")
    reached = {m[3:] for m in position.moves() if m.startswith("e3-")}
    steps = {"e4": 1, "f4": 2, "c3": 2, "f5": 3, "b3": 3, "a3": 4}
    assert {square for square, n in steps.items() if n <= speed} == reached & set(steps)


def test_nothing_stands_in_the_way_of_a_move():
    assert may(at("a3G1000,b3g1000"), "a3-c3")


def test_no_unit_enters_where_somebody_stands_or_the_gate_of_the_other_side():
    position = at("h1G1000,h2g1000")
    assert not may(position, "h1-h2") and not may(position, "h1-i1")
    with pytest.raises(IllegalMove, match="cannot do anything on i1"):
        position.play("h1-i1")


def test_a_unit_may_stand_on_its_own_gate():
    assert may(at("b1G1000"), "b1-a1")


@pytest.mark.parametrize("fallen", ["d3g0E", "d3G0"])
def test_a_fallen_unit_of_either_side_is_trampled(fallen):
    position = at(f"e3B800,{fallen}").play("e3-d3")
    assert (piece(position, "d3"), piece(position, "e3")) == ("B800", "")


def test_a_healer_tramples_enemies_and_revives_its_own():
    assert piece(at("e3H800,d3g0").play("e3-d3"), "d3") == "H800"
    assert piece(at("e3H800,d3G0").play("e3+d3"), "d3") == "G400"


# -- striking


@pytest.mark.parametrize(
    ("unit", "square", "damage"),
    [
        ("G", "e4", 200),
        ("B", "e4", 150),
        ("B", "e5", 300),
        ("B", "f5", 300),
        ("H", "e4", 200),
        ("H", "e5", 200),
        ("M", "e5", 200),
        ("S", "e4", 400),
        ("S", "e5", 200),
    ],
)
def test_a_strike_does_what_the_kind_and_the_distance_say(unit, square, damage):
    position = at(f"e3{unit}800,{square}b800").play(f"e3>{square}")
    where = square if unit != "G" else "e5"  # a guard pushes
    assert piece(position, where) == f"b{800 - damage}"


@pytest.mark.parametrize(("unit", "reach"), [("G", 1), ("B", 3), ("H", 2), ("M", 2), ("S", 2)])
def test_a_strike_has_its_range(unit, reach):
    for n, square in enumerate(("d3", "c3", "b3", "a3"), 1):
        assert may(at(f"e3{unit}800,{square}b800"), f"e3>{square}") == (n <= reach)


def test_enemies_in_between_block_a_strike_and_own_units_do_not():
    assert not may(at("e3B800,d3b800,c3b800"), "e3>c3")
    assert may(at("e3B800,d3G1000,c3b800"), "e3>c3")
    assert may(at("e3B800,d3b0,c3b800"), "e3>c3")


def test_the_nearest_diagonal_is_never_blocked():
    assert may(at("e3B800,d3b800,e4b800,d4b800"), "e3>d4")


@pytest.mark.parametrize(("blocker", "free"), [("d3", False), ("d4", False), ("e4", True), ("c3", True)])
def test_at_two_and_one_either_square_in_the_middle_blocks(blocker, free):
    assert may(at(f"e3B800,c4b800,{blocker}g1000"), "e3>c4") == free


def test_towers_block_too():
    assert not may(at("f2B800,h2b800"), "f2>h2")


def test_resistance_is_taken_off_in_hundredths():
    assert piece(at("d3B800,f3g1000").play("d3>f3"), "f3") == "g760"  # a guard resists 20
    assert piece(at("d3B800,f3g1000P").play("d3>f3"), "f3") == "g820P"  # and 20 more with a plate
    assert piece(at("d3H800,f3m800").play("d3>f3"), "f3") == "m620"  # a mage resists magic by 10
    assert piece(at("d3H800,f3m800V").play("d3>f3"), "f3") == "m660V"
    assert piece(at("d3B800,f3m800V").play("d3>f3"), "f3") == "m500V"  # which helps against magic alone


def test_a_wall_helps_against_physical_damage_alone():
    assert piece(at("c1B800,e1b800").play("c1>e1"), "e1") == "b560"
    assert piece(at("c1H800,e1b800").play("c1>e1"), "e1") == "b600"


def test_power_is_raised_by_an_edge_then_a_spring_then_a_charm():
    assert piece(at("d3B800E,f3b800").play("d3>f3"), "f3") == "b350"
    assert piece(at("c3B800,e3b800").play("c3>e3"), "e3") == "b400"
    assert piece(at("c3M800EC,e3g1000").play("c3>e3"), "e3") == "g0"  # ((200 + 100) + 100) x 3
    struck = at("e2H800EC").play("e2>g2")  # (200 + 100) x 3, on no spring
    assert piece(struck, "g2") == "t3600"


def test_a_charm_is_spent_by_a_strike_and_by_healing():
    assert piece(at("d3B800C,f3b800").play("d3>f3"), "d3") == "B800"
    assert piece(at("d3H800C,f3B1").play("d3+f3"), "d3") == "H800"
    assert piece(at("d3B800C").play("d3-e3"), "e3") == "B800C"


def test_each_banner_that_the_mover_holds_adds_to_what_hits_a_tower():
    assert piece(at("e2B800,e5G1000").play("e2>g2"), "g2") == "t3900"
    assert piece(at("e2B800,e5G0").play("e2>g2"), "g2") == "t4200"
    assert piece(at("e2B800,e5g1000").play("e2>g2"), "g2") == "t4200"
    assert piece(at("e3B800,e5G1000,g3b800").play("e3>g3"), "g3") == "b500"


# -- pushing


def test_a_guard_pushes_its_victim_away_also_when_it_falls():
    assert piece(at("d3G1000,e3b800").play("d3>e3"), "f3") == "b600"
    assert piece(at("d3G1000,e3b200").play("d3>e3"), "f3") == "b0"


@pytest.mark.parametrize("behind", ["f3g1000", "f3G1000"])
def test_a_victim_stays_where_somebody_stands_behind_it(behind):
    assert piece(at(f"d3G1000,e3b800,{behind}").play("d3>e3"), "e3") == "b600"


def test_a_victim_stays_at_the_edge_and_before_a_gate_of_the_guard():
    assert piece(at("d4G1000,d5b800").play("d4>d5"), "d5") == "b600"
    assert piece(at("c1G1000,b1b800").play("c1>b1"), "b1") == "b600"
    assert piece(at("g1G1000,h1b800").play("g1>h1"), "i1") == "b600"  # its own gate is open to it


def test_what_has_fallen_behind_a_victim_is_gone():
    position = at("d3G1000,e3b800,f3M0").play("d3>e3")
    assert piece(position, "f3") == "b600"


def test_towers_are_not_pushed():
    assert piece(at("f2G1000").play("f2>g2"), "g2") == "t4300"


# -- leaping


def test_a_mages_strike_leaps_on_twice():
    position = at("b3M800,d3b800,e3b800,f3b800,g3s800").play("b3>d3")
    assert [piece(position, q) for q in ("d3", "e3", "f3", "g3")] == ["b600", "b650", "b688", "s800"]


def test_a_leap_goes_straight_on_if_it_can_else_by_the_compass():
    position = at("b3M800,d3b800,d2b800,e3b800").play("b3>d3")
    assert [piece(position, q) for q in ("e3", "d2")] == ["b650", "b688"]  # on, then north-west of it
    position = at("b3M800,d3b800,d2b800,d4s800,e2b800").play("b3>d3")
    assert [piece(position, q) for q in ("d2", "d4", "e2")] == ["b650", "s800", "b688"]  # north, then east


def test_a_leap_never_goes_straight_back_and_spares_own_units_and_the_fallen():
    position = at("b3M800,d3b800,c3b0,e3B800,d2b0").play("b3>d3")
    assert [piece(position, q) for q in ("c3", "e3", "d2")] == ["b0", "B800", "b0"]


def test_the_resistance_of_each_victim_counts_and_banners_at_towers():
    position = at("e5M800,f3M800,f2m800").play("f3>f2")
    assert piece(position, "f2") == "m620"
    assert piece(position, "g2") == "t4050"  # 150 and the banner


def test_a_charm_counts_for_every_leap():
    position = at("b3M800C,d3g1000,e3g1000").play("b3>d3")
    assert [piece(position, q) for q in ("d3", "e3", "b3")] == ["g400", "g550", "M800"]


# -- healing and changing places


def test_a_healer_gives_three_times_its_power_up_to_the_whole():
    assert piece(at("d3H800,f3G100").play("d3+f3"), "f3") == "G700"
    assert piece(at("d3H800,f3G700").play("d3+f3"), "f3") == "G1000"
    assert piece(at("c3H800E,e3G1").play("c3+e3"), "e3") == "G1000"


def test_nobody_is_healed_who_is_whole_far_or_a_tower():
    position = at("d3H800,f3G1000,a3G10", towers="c2T100,b4T4500,g2t4500,h4t4500")
    assert not any("+" in move for move in position.moves())


def test_a_scout_changes_places_with_any_living_unit_of_its_side():
    position = at("a3S800,h5G1000E,d3B0")
    assert may(position, "a3=h5") and not may(position, "a3=c2") and may(position, "a3-b3")
    position = position.play("a3=h5")
    assert (piece(position, "a3"), piece(position, "h5")) == ("G1000E", "S800")


# -- falling


def test_what_still_lies_when_its_own_turn_ends_is_gone():
    position = at("d3B800,f3b300,e5B0", "GGGHHE/GGBBHH", "M/M").play("d3>f3")
    assert piece(position, "f3") == "b0"
    position = position.play("end")
    assert piece(position, "e5") == "" and piece(position, "f3") == "b0"
    assert piece(position.play("end"), "f3") == ""


# -- cards


def test_a_unit_enters_on_an_own_gate_that_nobody_stands_on():
    position = at("a1B800,a5B0", "G/-")
    assert not may(position, "guard a1") and may(position, "guard a5") and not may(position, "guard i1")
    assert piece(position.play("guard a5"), "a5") == "G1000"


def test_fire_hurts_enemies_around_and_takes_what_has_fallen():
    position = at("d3b800,e4g1000V,f3m800,e3B800,e2b0,e5G1000", "F/-").play("fire e3")
    assert [piece(position, q) for q in ("d3", "e4", "f3", "e3", "e2")] == ["b450", "g720V", "m485", "B800", ""]
    assert piece(at("e5G1000", "F/-").play("fire f1"), "g2") == "t3850"
    assert len([m for m in position.game.start(seed=0).moves() if m.startswith("fire")]) in (0, 45)


def test_a_draught_heals_or_revives():
    assert piece(at("d3G100", "D/-").play("draught d3"), "d3") == "G1000"
    assert piece(at("d3G0P", "D/-").play("draught d3"), "d3") == "G100P"
    assert not may(at("d3G1000", "D/-"), "draught d3")


def test_nothing_is_carried_twice_nor_given_to_the_fallen_to_towers_or_to_enemies():
    position = at("d3G1000E,e3B0,f3m800", "E/-")
    assert not any(move.startswith("edge") for move in position.moves())


def test_plates_and_veils_give_a_tenth_more_health():
    position = at("d3G1000", "PV/-").play("plate d3")
    assert piece(position, "d3") == "G1100P"
    assert piece(position.play("veil d3"), "d3") == "G1200PV"
    assert piece(at("d3G555", "P/-").play("plate d3"), "d3") == "G610P"


def test_a_card_is_put_back_unless_the_deck_is_empty():
    position = at("d3G1000", "FF/-", "GV/G")
    after = position.play("back fire")
    assert str(after).split()[4:] == ["F/-", "GFV/G"] and after.state[k.LEFT] == 4
    assert not may(at("d3G1000", "FF/-", "-/G"), "back fire")


# -- the course of a game


def test_both_are_dealt_six_cards_three_of_them_units():
    for seed in range(5):
        s = made().start(seed=seed).state
        for p in range(2):
            hand = s[k.HAND + p * k.CARDS : k.HAND + (p + 1) * k.CARDS]
            assert (hand[: k.UNITS].sum(), hand.sum()) == (3, 6)


def test_the_first_turn_has_three_points_and_each_later_one_five():
    position = made().start(seed=1)
    lefts = []
    rng = generator(1)
    while len(lefts) < 3:
        if position.turn != CHANCE:
            lefts.append(int(position.state[k.LEFT]))
            position = position.play("end")
        while position.turn == CHANCE:
            position = position.play(position.sample(rng))
    assert lefts == [3, 5, 5]


@pytest.mark.parametrize(("points", "first"), [(2, 2), (3, 3), (20, 3)])
def test_the_points_of_a_turn_are_an_option(points, first):
    game = stratagem.game("skirmish", points=points)
    assert (game.first_points, game.actions) == (first, points)
    with pytest.raises(OptionError, match="from 2 to 20"):
        stratagem.game("skirmish", points=21)


def test_a_hand_is_filled_up_to_six_at_the_end_of_the_turn():
    position = at("d3G1000", "EEPPV/-", "GB/G", left=1)
    position = position.play("d3-e3")
    assert position.turn == CHANCE and set(position.moves()) == {"guard", "bowman"}
    position = position.play("bowman")
    assert position.turn == 1 and str(position).split()[4:] == ["BEEPPV/-", "G/G"]
    assert at("d3G1000", "EEP/-", "-/G", left=1).play("d3-e3").turn == 1  # nothing left to draw


def test_the_last_tower_decides_at_once():
    position = at("e2B800", towers="c2T4500,b4T4500,g2t300").play("e2>g2")
    assert position.over and position.payoff == (1.0, -1.0)
    assert "towers are destroyed" in position.game.outcome(position)


def test_a_side_without_units_has_lost_when_the_turn_ends():
    position = at("e2B800,f2b0", decks="G/E").play("e2-f2")
    assert not position.over  # trampled, but the turn goes on
    position = position.play("end")
    while position.turn == CHANCE:
        position = position.play(position.moves()[0])
    assert position.payoff == (1.0, -1.0)
    own = at("e2B0,f2b800", decks="E/G").play("end")
    assert own.payoff == (-1.0, 1.0)


def test_units_in_the_deck_keep_a_side_alive():
    position = at("e2B800,f2b0", decks="G/S").play("e2-f2").play("end")
    assert not position.over


def test_the_game_is_drawn_after_its_turns():
    position = at("e2B800", "-/-", "G/G", seat="second", turn=10, turn_cap=10).play("end")
    assert position.over and position.payoff == (0.0, 0.0)


def test_a_win_in_the_last_turn_counts_but_not_as_published():
    towers = "c2T4500,b4T4500,g2t300"
    for profile, payoff in (("clean", (1.0, -1.0)), ("published", (0.0, 0.0))):
        assert at("e2B800", towers=towers, turn=9, turn_cap=9, profile=profile).play("e2>g2").payoff == payoff


def test_as_published_a_turn_is_ended_early_only_where_nothing_else_is_possible():
    assert may(at("e2B800"), "end")
    with pytest.raises(IllegalMove, match="published"):
        at("e2B800", profile="published").play("end")
    assert at("", decks="G/G", profile="published").moves() == ["end"]


# -- secrets


def test_a_view_hides_the_other_hand_and_keeps_how_many_cards_it_has():
    position = made().start(seed=3)
    view = position.view(0)
    hands, decks = (word.split("/") for word in str(view).split()[4:])
    assert hands[0] == str(position).split()[4].split("/")[0] and hands[1] == "?6"
    assert decks[1] == "GGGBBBHHHMMMSFFDDEEECCPPPVVV"
    assert view.turn == position.turn and view.moves() == position.moves()
    assert str(position.view(None)).split()[4] == "?6/?6"


def test_a_guess_is_a_hand_that_may_be():
    game = made()
    position, rng, seen = game.start(seed=3), generator(5), set()
    for _ in range(20):
        s = position.view(0).state.copy()
        game.run("guess", game.g, s, 0, rng)
        hand = s[k.HAND + k.CARDS : k.HAND + 2 * k.CARDS]
        assert hand.sum() == 6 and hand[: k.UNITS].sum() == 3  # it has not played yet
        assert np.array_equal(hand + s[k.DECK + k.CARDS : k.DECK + 2 * k.CARDS], game.deck)
        assert np.array_equal(s[k.HAND : k.HAND + k.CARDS], position.state[k.HAND : k.HAND + k.CARDS])
        seen.add(tuple(hand.tolist()))
    assert len(seen) > 10


def test_words_do_not_tell_what_another_side_draws_or_puts_back():
    position = at("d3G1000", "FV/-", "GB/G", left=1)
    assert position.game.describe(position, "back fire", 0, 1) == "puts a card back"
    assert position.game.describe(position, "back fire", 0, 0) == "puts a fire back"
    after = position.play("back fire")
    assert after.game.describe(after, "guard", CHANCE, 1) == "first draws a card"
    assert after.game.describe(after, "guard", CHANCE, 0) == "first draws a guard"


def test_moves_are_reported_in_words():
    position = at("d3B800,f3b300,d5H800,d4G0", "GF/-")
    assert (
        position.game.describe(position, "d3>f3", 0, None) == "bowman on d3 strikes the bowman on f3 for 300: it falls"
    )
    assert position.game.describe(position, "d5+d4", 0, None) == "healer on d5 revives the fallen guard on d4"
    assert position.game.describe(position, "guard a1", 0, None) == "brings a guard in at a1"
    assert position.game.describe(position, "fire f4", 0, None) == "plays fire on f4, which hits bowman on f3"


# -- text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("first 1", "is not like"),
        (f"second 3 5 {TOWERS} -/- G/G", "turn 3 is not second's"),
        (f"first 3 6 {TOWERS} -/- G/G", "from 1 to 5"),
        (f"first 3 5 {TOWERS},z9G5 -/- G/G", "is no piece"),
        (f"first 3 5 {TOWERS},c2G5 -/- G/G", "two pieces"),
        (f"first 3 5 {TOWERS},d2G1001 -/- G/G", "more health"),
        (f"first 3 5 {TOWERS},i1G100 -/- G/G", "gate of the other side"),
        (f"first 3 5 {TOWERS},d1T100 -/- G/G", "no tower where it was built"),
        (f"first 3 5 {TOWERS} FFF/- G/G", "has 3 cards F"),
        (f"first 3 5 {TOWERS} X/- G/G", "is no card"),
        (f"first 3 5 {TOWERS} -/?7 G/G", "is no hand"),
        (f"first 3 5 {TOWERS} -/?6 G/G", "more than its deck"),
        ("first 3 5 c2T4500,g2t4500,d3G0GG -/- G/G", "is no piece"),
        ("first 3 5 c2T4500 -/- G/G", "has no tower"),
        (f"first 3 draw {TOWERS} -/- -/G", "nothing to draw"),
        (f"first 3 deal {TOWERS} -/- G/G", "midst of the deal"),
    ],
)
def test_what_is_no_position_is_refused_with_the_reason(text, why):
    with pytest.raises(ParseError, match=why):
        made().parse(text)


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("dance", "is no action"),
        ("a1-b1", "no living unit of first is on a1"),
        ("mage a1", "holds no mage"),
        ("guard b2", "it can on a1, a5"),
        ("d3-i5", "cannot do anything on i5"),
    ],
)
def test_what_is_no_move_is_refused_with_the_reason(move, why):
    with pytest.raises(IllegalMove, match=why):
        at("d3G1000", "G/-").play(move)


def test_the_scripts_take_what_is_there_to_take():
    game = made()
    position = at("e2B800,d5G1000,d4b0", towers="c2T4500,b4T4500,g2t300", game=game)
    for name in ("brawler:slips=0", "greedy"):
        chosen = stratagem.player(game, name, seed=1).choose(position.view(0), stratagem.Clock()).move
        assert chosen in ("e2>g2", "d5-d4")
    assert stratagem.player(game, "greedy").choose(position.view(0), stratagem.Clock()).move == "e2>g2"


def test_a_seats_record_tells_of_the_other_sides_cards_only_that_there_were_some() -> None:
    game = stratagem.game("skirmish", map="lane", deck="small")
    for seed in range(3):
        rng, position = generator(seed), game.start()
        takers: list[int] = []
        for _ in range(150):
            if position.over:
                break
            chance = position.turn == CHANCE
            takers.append(int(game.rule(k.taker, position.state)) if chance else position.turn)
            if len(takers) == 40:  # also where a record begins in the midst of a game
                position, takers = game.parse(str(position)), takers[-1:]
            position = position.play(position.sample(rng))
        assert position.owners() == takers
        for seat in (0, 1, None):
            reported = position.view(seat).history
            assert len(reported) == len(position.history)
            for text, known, owner in zip(position.history, reported, takers, strict=True):
                secret = owner != seat and (text in CARD_NAMES or text.startswith("back "))
                assert known == (text.replace(text.split()[-1], "?") if secret else text)
