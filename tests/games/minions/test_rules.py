"""The rules of Minions, one behaviour a test. Positions are written as pieces on hexes; Yellow's letters are capitals."""

from __future__ import annotations

from pathlib import Path

import pytest
from references.minions_positions import LOCKED, play, position, refused
from references.minions_positions import board as during

from stratagem.errors import ParseError, StratagemError
from stratagem.games.minions import GameConfig, GameState, GameTurn, Techline, layout
from stratagem.games.minions import config as config_module
from stratagem.games.minions import maps as map_module
from stratagem.games.minions import units as unit_module
from stratagem.games.minions.config import (
    DEFAULT_CONFIG,
    hexes_of,
    points_to_win,
    profile_of,
    words_of,
)
from stratagem.games.minions.config import _tiles as tile_table
from stratagem.games.minions.maps import (
    HEXES,
    SYMMETRIES,
    distance,
    hex_index,
    hex_name,
    map_of,
    maps,
    may_enter,
    mirror,
    neighbours,
)
from stratagem.games.minions.notation import fen, parse_fen
from stratagem.games.minions.units import by_letter, by_name, cards, units


def men(state: GameState) -> str:
    return " ".join(f"{piece.letter}{name}" for name, piece in state.boards[0])


# -- 2. geometry


def test_distances_of_the_rules_page():
    for a, b, steps in [("a0", "b1", 2), ("a1", "b0", 1), ("a9", "j0", 9), ("a0", "j9", 18), ("c2", "h7", 10)]:
        assert distance(hex_index(a), hex_index(b)) == steps


def test_the_board_has_261_adjacent_pairs_and_its_corners_few_neighbours():
    assert sum(len(neighbours(h)) for h in range(HEXES)) == 2 * 261
    assert [len(neighbours(hex_index(h))) for h in ("a0", "j9", "a9", "j0")] == [2, 2, 3, 3]
    assert {len(neighbours(10 * y + x)) for x in range(1, 9) for y in range(1, 9)} == {6}
    edge = [h for h in range(HEXES) if (h % 10 in (0, 9)) != (h // 10 in (0, 9))]
    assert {len(neighbours(h)) for h in edge} == {4}


def test_bitboards_grow_by_the_neighbours():
    for h in range(HEXES):
        assert set(hexes_of(*layout.grow(*words_of({h})))) == {h, *neighbours(h)}


def test_symmetries_keep_adjacency_and_two_of_them_swap_the_start_hexes():
    for name in SYMMETRIES:
        for h in range(HEXES):
            assert {mirror(name, n) for n in neighbours(h)} == set(neighbours(mirror(name, h)))
    assert mirror("rotation180", 22) == mirror("antidiagonal", 22) == 77
    assert mirror("diagonal", 22) == 22


# -- 3. tiles and maps


def test_all_fourteen_maps_load_and_are_symmetric():
    assert len(maps()) == 14
    for name, land in maps().items():
        assert set(land.symmetries) & {"rotation180", "antidiagonal"}
        assert len(land.graveyards) == (0 if name == "AllLand" else 10)


def test_maps_with_tiles_of_other_profiles_say_so():
    for name, tile in [("SorcerersLair", "sorcery node"), ("ChaosDiamond", "teleporter"), ("Apocalypse", "zombie spawner"),
                       ("TreacherousPathwaysMist", "mist"), ("TreacherousPathways", "movable")]:  # fmt: skip
        with pytest.raises(ParseError, match=tile):
            GameConfig.make((name,), other_maps=True)


def test_the_profile_knows_three_maps_and_a_switch_admits_more():
    assert set(profile_of("spooky").maps) == {"AllLand", "BlackenedShores", "MidnightLake"}
    with pytest.raises(ParseError, match="other_maps"):
        GameConfig.make(("RiverStyx",))
    assert GameConfig.make(("RiverStyx",), other_maps=True).boards == 1


def test_the_server_has_all_fourteen_maps_and_the_book_those_whose_tiles_it_knows():
    assert set(profile_of("server").maps) == set(maps())
    for name in profile_of("book").maps:
        assert not map_of(name).foreign(profile_of("book").tiles)
    assert len(profile_of("book").maps) == 9


@pytest.mark.parametrize(("tile", "enters", "stays_out"), [
    ("w", "Skeleton", "Zombie"), ("e", "Serpent", "Zombie"), ("a", "Rat", "Zombie"), ("f", "Ghost", "Skeleton"),
])  # fmt: skip
def test_terrain_asks_for_printed_statistics(tile, enters, stays_out):
    assert may_enter(by_name()[enters], tile)
    assert not may_enter(by_name()[stays_out], tile)


def test_terrain_reaches_the_kernels():
    land = map_of("TreacherousPathways")
    table = tile_table(land)
    for unit in units():  # what is movable is not in the table
        expected = [h for h in range(HEXES) if land.tiles[h] in "WEAF" or may_enter(unit, land.tiles[h])]
        assert hexes_of(*table[2 + 2 * unit.index : 4 + 2 * unit.index]) == expected


def test_water_stops_walkers_and_not_flyers():
    state = position("Za0 Sc0", maps="MidnightLake")  # d0 and e0 are water
    assert "d0" in state.boards[0].reach("c0")
    walker = position("Zc0", maps="MidnightLake")
    assert "d0" not in walker.boards[0].reach("c0")
    assert "no free path" in refused(walker, "board 0 move c0d0")


# -- 4. units


def test_the_data_has_33_types_and_25_cards():
    assert len(units()) == 33
    assert len(cards()) == 25
    assert [card.letter for card in cards()][-3:] == ["1", "2", "3"]
    assert not any(unit.letter == "F" for unit in units())


def test_damage_adds_up_within_a_turn_and_kills_at_the_defense():
    state = position("We4 We6 sf4 nh7")
    board = during(state, "board 0 attack e4f4")
    assert board["f4"].damage == 1
    assert during(state, "board 0 attack e4f4", "board 0 move e6e5", "board 0 attack e5f4")["f4"] is None


def test_damage_is_wiped_at_the_end_of_the_turn():
    after = play(position("We4 sf4 nh7 Nc2"), "board 0 attack e4f4")
    assert after.boards[0]["f4"].damage == 0


def test_flurry_spreads_over_targets_and_over_time():
    state = position("Te4 ze5 zf4 Zd5 nh7 Nc2")
    after = during(state, "board 0 attack e4e5", "board 0 move d5e5", "board 0 attack e4f4")
    assert after["e5"].unit.name == "Zombie"
    assert after["f4"] is None


def test_num_attacks_limits_the_attacks_of_a_turn():
    assert "no attack left" in refused(position("We4 vf4"), "board 0 attack e4f4", "board 0 attack e4f4")
    assert during(position("Ce4 vf4"), "board 0 attack e4f4", "board 0 attack e4f4")["f4"].damage == 2


def test_unsummon_returns_the_unit_to_its_owners_reinforcements_without_rebate():
    state = position("Ue4 we5", money="5|5")
    after = state.during(GameTurn.parse("board 0 attack e4e5", 1))
    assert after.boards[0].reinforcements(1) == {by_letter()["W"]: 1}
    assert after.money == (5, 5)


def test_unsummon_deals_one_damage_to_persistent_units():
    board = during(position("Ue4 ge5"), "board 0 attack e4e5")
    assert board["e5"].damage == 1


def test_unsummon_kills_a_persistent_unit_at_its_last_point():
    state = position("Ue4 ae5", money="5|5")
    after = state.during(GameTurn.parse("board 0 attack e4e5", 1))
    assert after.boards[0]["e5"] is None
    assert not after.boards[0].reinforcements(1)
    assert after.money == (5, 6)


def test_deathtouch_kills_whatever_the_defense_but_may_not_aim_at_a_necromancer():
    assert during(position("Le4 df4"), "board 0 attack e4f4")["f4"] is None
    assert "necromancer" in refused(position("Le4 nf4"), "board 0 attack e4f4")


def test_range_is_hex_distance_without_line_of_sight():
    assert during(position("He4 zf4 zh4"), "board 0 attack e4h4")["h4"] is None
    assert "out of range" in refused(position("He4 zi4"), "board 0 attack e4i4")


def test_range_zero_cannot_attack():
    state = position("Ne4 ze5")
    text = f"{fen(state)} + necromancers=0e4:MountedNecromancer"
    assert "out of range" in refused(parse_fen(text, state.config), "board 0 attack e4e5")


def test_the_rebate_goes_to_the_owner_at_once():
    state = position("De4 yf4", money="0|0")
    assert state.during(GameTurn.parse("board 0 attack e4f4", 1)).money == (0, 4)


def test_flying_passes_over_enemies_but_does_not_end_on_one():
    state = position("Xe4 ze5 zf4 zd4 zd5 ze3 zf3")
    assert "e6" in state.boards[0].reach("e4")
    assert "e5" not in state.boards[0].reach("e4")
    assert "enemy stands" in refused(state, "board 0 move e4e5")


def test_a_unit_that_has_moved_reaches_only_its_own_hex():
    assert during(position("Wd4"), "board 0 move d4e4").reach("e4") == ["e4"]


def test_enemies_block_walkers_and_friends_never_do():
    shut_in = position("Pa0 za1 zb0")
    assert shut_in.boards[0].reach("a0") == ["a0"]
    among_friends = position("Pa0 Za1 Zb0")
    assert {"a1", "b0", "a2", "c0", "b1"} <= set(among_friends.boards[0].reach("a0"))


def test_lumbering_units_do_not_attack_after_moving():
    assert "lumbering" in refused(position("Zd4 zf4"), "board 0 move d4e4", "board 0 attack e4f4")
    assert during(position("Ze4 zf4"), "board 0 attack e4f4")["f4"] is None


def test_blink_comes_at_any_time_and_the_unit_may_be_spawned_again():
    state = position("He4 zf4 Nc2", zones=("", ""))
    after = play(state, "board 0 move e4e5", "board 0 attack e5f4", "board 0 blink e5", "board 0 spawn H c3")
    assert after.boards[0]["c3"].unit.name == "Haunt"
    assert "does not have blink" in refused(state, "board 0 blink c2")


def test_a_blinked_unit_frees_its_hex():
    board = during(position("He4 Zd5"), "board 0 blink e4", "board 0 move d5e4")
    assert board["e4"].unit.name == "Zombie"


def test_spawned_units_blink_only_in_the_attack_phase_that_comes_before():
    # however the parts are mixed, all attack-phase actions run first
    after = play(position("Hd2 Nc2", zones=("H", "")), "board 0 spawn H b3", "board 0 blink d2")
    assert after.boards[0].reinforcements(0) == {by_letter()["H"]: 1}


# -- 5. the techline


def test_randomised_techlines_keep_the_first_cards_and_deal_two_sorted_packs():
    line = Techline.randomised(7)
    assert Techline.randomised(7) == line != Techline.randomised(8)
    numbers = [card.number for card in line.cards]
    assert numbers[:2] == [1, 2]
    assert sorted(numbers) == list(range(1, 26))
    assert numbers[2::2] == sorted(numbers[2::2])
    assert numbers[3::2] == sorted(numbers[3::2])
    assert len(numbers[2::2]) == 12  # the first pack is the larger of 23


def test_march_puts_a_spell_on_the_first_free_card():
    assert play(position("Nc2", cards=("UA", LOCKED)), "tech 1").cards(0).startswith("UAUL")


def test_a_card_is_acquired_by_a_second_spell_and_then_barred_to_the_other_side():
    first = play(position("Nc2 nh7", cards=("U", "U")), "tech 0 0")
    assert first.cards(0)[0] == "A"
    assert "opponent has acquired" in refused(first, "tech 0 0")


def test_a_locked_card_cannot_be_acquired_but_marching_and_teching_it_in_one_turn_can():
    state = position("Nc2", money="4|0")
    assert "must hold a spell" in refused(state, "tech 0 0")
    assert play(state, "tech 1 0").cards(0)[0] == "A"


def test_extra_spells_cost_four_a_board():
    assert play(position("Nc2", money="4|0"), "tech 2").money[0] == 0 + 3
    assert "not enough money" in refused(position("Nc2", money="3|0"), "tech 2")
    config = GameConfig.make(("AllLand",) * 3)
    assert config.spell_price == 12


def test_no_spell_at_all_is_legal_and_wasted():
    after = play(position("Nc2 nh7"), "tech 0")
    assert after.cards(0) == LOCKED
    assert "not enough" in refused(play(after, "tech 0"), "tech 20")


def test_marching_past_the_end_is_illegal():
    assert "no card left" in refused(position("Nc2", cards=("U" * 25, LOCKED)), "tech 1")


def test_a_unit_may_be_bought_from_the_turn_after_its_card_is_acquired():
    state = position("Nc2 nh7", cards=("U", LOCKED))
    assert "not been acquired before" in refused(state, "tech 0 0", "board 0 buy S")
    assert play(state, "tech 0 0", "board 0 buy S", lenient=True).boards[0].reinforcements(0)[by_letter()["S"]] == 1
    later = play(play(state, "tech 0 0"), "tech 0")
    assert play(later, "board 0 buy S").boards[0].reinforcements(0)[by_letter()["S"]] == 1


COPYCAT = 22


def test_copycat_lets_a_side_acquire_what_the_other_has_from_the_next_turn_on():
    mine = "U" * 22 + "ULL"
    state = position("Nc2 nh7", cards=(mine, "A"), money="20|0")
    assert "opponent has acquired" in refused(state, f"tech 0 {COPYCAT} 0")
    assert play(state, f"tech 0 {COPYCAT} 0", lenient=True).cards(0)[0] == "A"
    later = play(play(state, f"tech 0 {COPYCAT}"), "tech 0")
    assert play(later, "tech 0 0").cards(0)[0] == "A"


def test_both_sides_may_acquire_copycat():
    line = "U" * 22 + "ULL"
    state = position("Nc2 nh7", cards=(line, line[:22] + "ALL"))
    assert play(state, f"tech 0 {COPYCAT}").cards(0)[COPYCAT] == "A"


def test_acquiring_a_card_twice_is_refused_and_wasted_in_lenient_mode():
    state = position("Nc2", cards=("A", LOCKED), money="0|0")
    assert "acquired already" in refused(state, "tech 0 0")
    assert play(state, "tech 0 0", lenient=True).cards(0)[0] == "A"


def test_thaumaturgy_and_metamagic_have_no_effect_in_this_profile():
    state = position("Nc2 nh7", cards=("A" * 25, LOCKED), money="0|0")
    assert play(state, "tech 0").money == (3, 0)


# -- 6. set-up


def test_the_start_position():
    state = GameState.start(GameConfig.parse(DEFAULT_CONFIG))
    assert state.money == (0, 12)
    for board in state.boards:
        assert board.state == "f"
        yellow = {name for name, piece in board if piece.side == 0}
        assert yellow == {"c2", "b2", "b3", "c1", "c3", "d1", "d2"}
        assert {name for name, p in board if p.side == 1} == {"h7", "g7", "g8", "h6", "h8", "i6", "i7"}
        assert board["c2"].unit.name == "BasicNecromancer"
        assert [board.reinforcements(side) for side in range(2)] == [{by_letter()["I"]: 1}] * 2


def test_points_to_win_by_number_of_boards():
    assert [points_to_win(n) for n in range(1, 9)] == [1, 2, 3, 3, 4, 5, 6, 6]


def test_start_unit_is_a_switch():
    state = GameState.start(GameConfig.make(("AllLand",), start_unit="Z"))
    assert state.boards[0].reinforcements(0) == {by_letter()["Z"]: 1}


def test_initiates_and_necromancers_cannot_be_bought():
    for letter in "IN":
        assert "not for sale" in refused(position("Nc2", cards=("A" * 25, LOCKED)), f"board 0 buy {letter}")


def test_single_moves_at_the_start():
    for name, moves in [("AllLand", 18), ("BlackenedShores", 13), ("MidnightLake", 14)]:
        for side in range(2):
            board = GameState.start(GameConfig.make((name,))).boards[0]
            own = [hex_text for hex_text, piece in board if piece.side == side]
            assert sum(to not in board.pieces for h in own for to in board.reach(h)) == moves


# -- 7. turns and board states


@pytest.mark.parametrize(
    ("state", "after", "spawns"), [("f", "n", False), ("n", "n", True), ("1", "2", False), ("2", "n", True)]
)
def test_phases_and_next_state_of_each_board_state(state, after, spawns):
    before = position("Nc2 nh7", state=state, zones=("Z", ""))
    setup = ["board 0 setup N Z"] if state in "12" else []
    assert play(before, *setup).boards[0].state == after
    if spawns:
        play(before, *setup, "board 0 buy Z", "board 0 spawn Z c3")
    else:
        assert "no spawn phase" in refused(before, *setup, "board 0 spawn Z c3")
        assert "no spawn phase" in refused(before, *setup, "board 0 buy Z")


def test_money_is_one_purse_for_all_boards():
    config = GameConfig.make(("AllLand", "AllLand"))
    state = play(GameState.start(config), "tech 0")  # Blue has 12
    buys = ["board 0 buy Z"] * 3 + ["board 1 buy Z"] * 3
    assert play(state, *buys).money[1] == 0 + 6
    assert "'board 1 buy Z' is illegal: there is not enough money" in refused(state, *buys, "board 1 buy Z")


def test_spells_are_paid_before_purchases():
    state = position("Nc2", money="4|0")
    assert "'board 0 buy Z'" in refused(state, "board 0 buy Z", "tech 2")


def test_an_illegal_turn_is_rejected_whole_and_names_the_first_illegal_action():
    state = position("Nc2 Zd4", money="9|0")
    text = refused(state, "tech 1", "board 0 move c2c3", "board 0 move d4g4", "board 0 attack a0a1")
    assert text.startswith("'board 0 move d4g4' is illegal")


def test_parts_run_in_phase_order_however_they_are_mixed():
    mixed = ["board 0 spawn Z c3", "board 0 move c2c1", "board 0 buy Z", "tech 1"]
    state = position("Nc2", zones=("Z", ""))
    assert "no friendly unit with spawn" in refused(state, *mixed)  # the necromancer has left before


# -- 9.1 setup


def test_setup_is_mandatory_after_a_reset_and_otherwise_illegal():
    assert "begins with a setup" in refused(position("Nc2", state="1"), "tech 1")
    assert "begins with a setup" in refused(position("Nc2", state="1"), "board 0 move c2c3")
    assert "no setup" in refused(position("Nc2"), "board 0 setup N")


def test_setup_keeps_one_unit_and_adds_a_zombie():
    state = position("Nc2", state="2", zones=("SSW", ""))
    assert play(state, "board 0 setup N S").boards[0].reinforcements(0) == {by_letter()["S"]: 1, by_letter()["Z"]: 1}


def test_setup_names_a_unit_if_the_zone_is_not_empty():
    state = position("Nc2", state="1", zones=("SW", ""))
    assert "name the unit to keep" in refused(state, "board 0 setup N")
    assert "hold no such unit" in refused(state, "board 0 setup N G")
    kept = play(state, "board 0 setup N", lenient=True).boards[0].reinforcements(0)
    assert sorted(unit.letter for unit in kept) == ["S", "W", "Z"]
    assert play(position("Nc2", state="1"), "board 0 setup N").boards[0].reinforcements(0) == {by_letter()["Z"]: 1}


def test_setup_puts_the_necromancer_on_the_start_hex_and_only_the_basic_one():
    state = position("Zc2", state="1")
    assert play(state, "board 0 setup N").boards[0]["c2"].unit.name == "BasicNecromancer"
    assert "basic necromancer" in refused(state, "board 0 setup ArcaneNecromancer")


def test_of_several_setups_the_last_counts():
    state = position("Nc2", state="1", zones=("SW", ""))
    after = play(state, "board 0 setup N S", "board 0 setup N W")
    assert by_letter()["W"] in after.boards[0].reinforcements(0)


# -- 9.2 the attack phase


def test_a_unit_moves_once_and_not_after_attacking():
    assert "has moved" in refused(position("Wd4"), "board 0 move d4e4", "board 0 move e4f4")
    assert "has attacked" in refused(position("We4 ve5"), "board 0 attack e4e5", "board 0 move e4d4")


def test_speed_is_not_spent_in_pieces():
    assert "has moved" in refused(position("Wd4"), "board 0 move d4e4", "board 0 move e4e5")


def test_a_move_goes_to_another_and_empty_hex():
    assert "another hex" in refused(position("Wd4"), "board 0 move d4d4")
    assert "one's own" in refused(position("Wd4 We4"), "board 0 move d4e4")
    assert "enemy" in refused(position("Wd4 ze4"), "board 0 move d4e4")


def test_only_ones_own_units_act():
    for action in ("move e4e5", "attack e4d4", "blink e4"):
        assert "other side" in refused(position("he4 Zd4"), f"board 0 {action}")
    assert "no unit" in refused(position("Zd4"), "board 0 move a0a1")


def test_a_cyclic_move_rotates_units_at_once():
    after = play(position("Nc2 Zd1 Sd2"), "board 0 move_cyclic c2 d1 d2")
    assert men(after) == "Nd1 Sc2 Zd2"


def test_every_unit_of_a_cycle_must_reach_its_hex():
    assert "no free path" in refused(position("Wa0 Zd0"), "board 0 move_cyclic a0 d0")
    assert play(position("Wa0 Wd0"), "board 0 move_cyclic a0 d0")


def test_a_cycle_names_each_hex_once_and_two_at_least():
    assert "twice" in refused(position("Za0 Zb0"), "board 0 move_cyclic a0 b0 a0")
    assert "two units" in refused(position("Za0"), "board 0 move_cyclic a0")
    stayed = play(position("Za0"), "board 0 move_cyclic a0", lenient=True)
    assert men(stayed) == "Za0"


def test_removals_open_the_way_for_later_moves():
    state = position("Wa0 Jc1 za1 zb0")
    assert "no free path" in refused(state, "board 0 move a0c0")
    assert during(state, "board 0 attack c1b0", "board 0 move a0c0")["c0"] is not None


def test_attacks_name_an_enemy():
    state = position("We4 Zf4")
    assert "one's own" in refused(state, "board 0 attack e4f4")
    assert "no unit stands on the target" in refused(state, "board 0 attack e4e5")


def test_resigning_gives_the_point_and_excludes_all_else():
    state = position("Nc2 nh7")
    assert play(state, "board 0 resign").points == (0, 1)
    for other in ("move c2c3", "buy Z"):
        assert "whole turn of a board" in refused(state, "board 0 resign", f"board 0 {other}")
    reset = position("Nc2 nh7", state="1", zones=("S", ""))
    assert play(reset, "board 0 resign").points == (0, 1)


def test_actions_after_the_necromancers_death_stay_legal():
    state = position("De4 De3 nf4 Zc1 Nc2", maps="BlackenedShores", cards=(LOCKED, LOCKED), money="0|0")
    after = play(state, "board 0 attack e4f4", "board 0 move c1c0")
    assert after.points == (1, 0)
    assert after.money[0] == 1 + 3  # the graveyard c0 counts


# -- 9.3 the spawn phase


def test_spawning_needs_the_zone_an_empty_hex_a_fitting_tile_and_a_spawner():
    state = position("Nc2 Zd4 Wa9", zones=("ZW", ""))
    assert play(state, "board 0 spawn Z c3", "board 0 spawn W d5")
    assert "hold no such unit" in refused(state, "board 0 spawn S c3")
    assert "not empty" in refused(state, "board 0 spawn Z c2")
    assert "no friendly unit with spawn" in refused(state, "board 0 spawn Z b9")  # a Warg does not support spawning
    shore = position("Nb1", maps="BlackenedShores", zones=("ZS", ""))  # a1 is water
    assert "may not stand" in refused(shore, "board 0 spawn Z a1")
    assert play(shore, "board 0 spawn S a1")


def test_a_spawned_unit_does_nothing_more_this_turn_and_supports_no_spawning():
    state = position("Nc2 nh7", zones=("ZZ", ""))
    assert "no friendly unit with spawn" in refused(state, "board 0 spawn Z c3", "board 0 spawn Z c4")
    assert play(state, "board 0 spawn Z c3", "board 0 spawn Z c4", lenient=True)
    later = play(play(state, "board 0 spawn Z c3"), "tech 0")
    assert play(later, "board 0 spawn Z c4")


def test_buying_costs_the_price_and_fills_the_zone():
    after = play(position("Nc2", money="7|0", cards=("AA", LOCKED)), "board 0 buy P", "board 0 buy Z")
    assert after.money[0] == 7 - 4 - 2 + 3
    assert sorted(unit.letter for unit in after.boards[0].reinforcements(0)) == ["P", "Z"]
    assert "not enough money" in refused(position("Nc2", money="1|0"), "board 0 buy Z")


def test_buying_and_spawning_may_alternate():
    assert play(position("Nc2"), "board 0 buy Z", "board 0 spawn Z c3", "board 0 buy Z", "board 0 spawn Z c1")


# -- 10. the end of a turn


def test_income_is_graveyards_and_two_and_one_for_a_soul():
    state = position("Nc0 Zg0 nh7", maps="BlackenedShores", money="0|0")
    assert play(state, "tech 0").money == (2 + 2 + 1, 0)
    arcane = parse_fen(fen(state) + " + necromancers=0c0:ArcaneNecromancer", state.config)
    assert play(arcane, "tech 0").money == (5, 0)
    mounted = parse_fen(fen(state) + " + necromancers=0c0:MountedNecromancer", state.config)
    assert play(mounted, "tech 0").money == (4, 0)


def test_only_the_side_that_moved_is_paid():
    assert play(position("Nc2 nh7", money="0|0"), "tech 0").money == (3, 0)


GRAVES = ["a3", "b0", "b6", "d3", "d8", "g6", "g9", "i0", "j1", "j8"]


def test_eight_graveyards_win_at_the_end_of_the_opponents_turn():
    blue = " ".join(f"z{name}" for name in GRAVES[:8])
    assert play(position(f"Nc2 nh7 {blue}", maps="MidnightLake"), "tech 0").points == (0, 1)
    seven = " ".join(f"z{name}" for name in GRAVES[:7])
    assert play(position(f"Nc2 nh7 {seven}", maps="MidnightLake"), "tech 0").points == (0, 0)


def test_eight_graveyards_of_the_side_that_moved_do_not_win_yet():
    yellow = " ".join(f"Z{name}" for name in GRAVES[:8])
    state = position(f"Nc2 nh7 {yellow}", maps="MidnightLake")
    after = play(state, "tech 0")
    assert after.points == (0, 0)
    assert play(after, "tech 0").points == (1, 0)


def test_taking_a_graveyard_back_saves_the_board():
    blue = " ".join(f"z{name}" for name in GRAVES[:8])
    state = position(f"Nc2 nh7 Wb1 {blue}", maps="MidnightLake")
    assert play(state, "board 0 attack b1b0").points == (0, 0)


def test_killing_the_necromancer_wins_the_board():
    after = play(position("Dg7 nh7 Nc2"), "board 0 attack g7h7")
    assert after.points == (1, 0)
    assert after.boards[0].state == "1"


def test_eight_graveyards_beat_the_kill_unless_the_switch_says_otherwise():
    blue = " ".join(f"z{name}" for name in GRAVES[:8])
    for switch, points in [(False, (0, 1)), (True, (1, 0))]:
        state = position(f"Dg7 nh7 Nc2 {blue}", maps="MidnightLake", kill_beats_graveyards=switch)
        assert play(state, "board 0 attack g7h7").points == points


def test_income_of_a_won_board_is_paid():
    assert play(position("Dg7 nh7 Nc2", money="0|0"), "board 0 attack g7h7").money == (3, 0)


def test_the_game_stops_at_the_target_without_a_change_of_side_or_ply():
    after = play(position("Dg7 nh7 Nc2", points=1), "board 0 attack g7h7")
    assert after.winner == 0
    assert (after.side, after.ply) == (0, 9)
    assert "over" in refused(after, "tech 0")


def test_when_both_reach_the_target_the_side_that_moved_wins():
    config = GameConfig.make(("AllLand", "AllLand"), points=1)
    won = "n|||||0/0/2N7/0/0/0/0/6Dn2/0/0"
    lost = "n|||||0/0/2N7/0/0/0/0/7n2/0/0"
    state = parse_fen(f"0|0 0|0 {LOCKED}|{LOCKED} {won} {lost} 0 5", config)
    after = play(state, "board 0 attack g7h7", "board 1 resign")
    assert after.points == (1, 1)
    assert after.winner == 0


def test_side_and_ply_advance_otherwise():
    after = play(position("Nc2 nh7"), "tech 0")
    assert (after.side, after.ply) == (1, 10)


# -- 11. resets


def test_a_reset_keeps_every_type_once_and_lays_the_board_out_anew():
    state = position("Dg7 nh7 Nc2 Sa0 Sa1 wj9", zones=("SI", "pp"))
    board = play(state, "board 0 attack g7h7").boards[0]
    assert sorted(unit.letter for unit in board.reinforcements(0).elements()) == ["D", "I", "S"]
    assert sorted(unit.letter for unit in board.reinforcements(1).elements()) == ["P", "W"]
    assert len(board.pieces) == 14
    assert board.state == "1"
    assert board["c2"].unit.name == "BasicNecromancer"


def test_the_side_whose_turn_comes_next_moves_first_on_a_reset_board():
    after = play(position("Dg7 nh7 Nc2"), "board 0 attack g7h7")
    assert after.side == 1
    second = play(after, "board 0 setup N")
    assert second.boards[0].state == "2"
    third = play(second, "board 0 setup N D", "tech 1")
    assert third.boards[0].state == "n"


def test_the_graveyard_test_comes_before_the_reset():
    blue = " ".join(f"z{name}" for name in GRAVES[:8])
    after = play(position(f"Nc2 nh7 {blue}", maps="MidnightLake"), "tech 0")
    assert play(after, "board 0 setup N Z").points == (0, 1)


# -- 14. lenient mode


def test_paths_over_the_edge_are_accepted_in_lenient_mode_only():
    state = position("Wa0 za1 zb0")
    assert "no free path" in refused(state, "board 0 move a0c0")
    assert men(play(state, "board 0 move a0c0", lenient=True)) == "zb0 Wc0 za1"


def test_lenient_mode_is_a_fixed_list_of_switches():
    strict = profile_of("spooky").switches
    changed = {n for n in vars(strict) if getattr(strict, n) != getattr(strict.lenient(), n)}
    assert changed == {
        "buy_fresh",
        "spawned_support",
        "copycat_at_once",
        "acquire_owned",
        "keep_all",
        "lenient_paths",
        "stay_cycles",
    }


def test_identical_units_are_interchangeable():
    a = play(position("Za0 Zb0 nh7"), "board 0 move_cyclic a0 b0")
    b = play(position("Za0 Zb0 nh7"), "tech 0")
    assert a == b
    assert a.key() == b.key()


def test_the_hash_is_that_of_the_position_however_it_came_about():
    state = position("Nc2 nh7 He4", zones=("Z", ""))
    after = play(state, "board 0 blink e4", "board 0 spawn Z c3", "board 0 spawn H d2")
    assert parse_fen(fen(after), after.config).key() == after.key()
    assert hex_name(22) == "c2"


# -- data


def test_letters_are_those_of_the_reference_engine():
    names = {"P": "Serpent", "X": "Spectre", "U": "Sorcerer", "J": "Witch", "C": "Cerberus", "R": "Wraith", "Q": "Horror",
             "A": "Rat", "O": "Void", "Y": "Harpy", "N": "BasicNecromancer", "I": "Initiate"}  # fmt: skip
    assert {letter: by_letter()[letter].name for letter in names} == names


LOADERS = [unit_module.units, unit_module.by_letter, unit_module.cards, map_module.maps, config_module._profiles]


def load_afresh():
    for load in LOADERS:
        load.cache_clear()
    for load in LOADERS:
        load()


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A copy of the data files that the package reads while the test runs."""
    for path in (Path(unit_module.__file__).parent / "data").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    with monkeypatch.context() as patch:
        for module in (unit_module, map_module, config_module):
            patch.setattr(module, "DATA", tmp_path)
        yield tmp_path
    load_afresh()


@pytest.mark.parametrize(("file", "old", "new", "names"), [
    ("units.csv", "1,Skeleton,S", "9,Skeleton,S", "'Skeleton': index"),
    ("units.csv", "2,Serpent,P", "2,Serpent,S", "share a letter"),
    ("units.csv", "tech,1,damage,5", "tech,1,bite,5", "attack_type"),
    ("units.csv", "tech,1,damage,5", "tech,1,damage,x", "Skeleton"),
    ("techline.csv", "1,0,Skeleton,S", "1,0,Skeleton,Z", "differs from units.csv"),
    ("techline.csv", "25,24,Metamagic,3,special,0,,", "", "24 cards"),
    ("maps.json", '"..g...g..."', '"..g...g.."', "10 x 10"),
    ("maps.json", '"..g...g..."', '"..g...gg.."', "BlackenedShores"),
    ("profiles.json", '"spell_price": 4,', "", "spell_price"),
])  # fmt: skip
def test_broken_data_files_are_named_when_they_are_loaded(file, old, new, names, data):
    text = (data / file).read_text()
    assert old in text
    (data / file).write_text(text.replace(old, new, 1))
    with pytest.raises(StratagemError, match=names):
        load_afresh()
