"""Spells, modifiers and the tiles of the live server, one behaviour a test. Yellow's letters are capitals."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import partial
from pathlib import Path

import pytest
from references import minions_positions as positions
from references.minions_positions import LOCKED, board, during, play, refused

from stratagem.errors import IllegalMove, ParseError
from stratagem.games.minions import GameConfig, GameState, GameTurn, magic
from stratagem.games.minions.game import board_actions
from stratagem.games.minions.maps import TILES
from stratagem.games.minions.notation import extended_fen, fen, parse_fen
from stratagem.games.minions.pieces import Modifiers
from stratagem.games.minions.spells import spells
from stratagem.games.minions.units import by_letter
from stratagem.games.minions.view import draw
from stratagem.rng import generator

position = partial(positions.position, profile="server")


# ------------------------------------------------------------------------------------------ every spell of the table


def test_the_table_and_the_kernels_agree_on_every_spell():
    names = {spell.key: spell for spell in spells()}
    assert len(names) == 27
    for spell in spells():
        assert magic.mana_when_played(spell.number) == spell.mana
        assert magic.mana_when_discarded(spell.number) == spell.discard
        assert magic.in_spawn_phase_only(spell.number) == spell.spawn_phase
    assert sum(spell.copies for spell in spells()) == 86
    assert [spell.key for spell in spells() if not spell.copies] == [
        "lightning_bolt",
        "displace",
        "rising_horde",
        "blink",
    ]
    for spell in spells():
        k = spell.number
        assert magic.HARM[k] == (
            int(spell.effect[0]) if spell.effect.endswith("damage") and spell.key != "blink" else 0
        ), spell
        assert magic.WOUNDED[k] == ("has taken damage" in spell.condition), spell
        assert magic.BY_STRIKER[k] == ("has hit another enemy" in spell.condition), spell
        assert magic.moves_land(k) == (
            "terrain" in spell.effect or ("movable" in spell.effect and "moves" in spell.effect)
        ), spell


def test_every_spell_has_a_named_test_here():
    tests = [name for name in globals() if name.startswith("test_")]
    for spell in spells():
        word = spell.key.replace("doubleCantrip", "double_cantrip")
        assert any(name.startswith(f"test_{word}_") for name in tests), word


def test_fester_deals_one_damage_to_a_damaged_minion_of_either_side():
    state = position("We4 mf4", hand="fester")
    assert board(state, "attack e4f4", "cast fester f4")["f4"].damage == 2
    own = position("We4 Wf3 sf4", hand="fester", side=1)  # a damaged minion of one's own too
    assert "no damage" in refused(own, "cast fester e4")
    assert "no damage" in refused(state, "cast fester f4")
    assert "not for necromancers" in refused(position("We4 nf4", hand="fester"), "attack e4f4", "cast fester f4")


def test_fester_kills_and_pays_the_rebate():
    state = position("We4 sf4", hand="fester", money="0|0")
    after = during(state, "attack e4f4", "cast fester f4")
    assert after.boards[0]["f4"] is None
    assert after.money == (0, 2)


def test_unsummon_returns_a_damaged_minion_of_either_side_to_its_owner():
    state = position("We4 mf4", hand="unsummon", money="0|0")
    after = during(state, "attack e4f4", "cast unsummon f4")
    assert after.boards[0].reinforcements(1) == {by_letter()["M"]: 1}
    assert after.money == (0, 0)
    assert "no damage" in refused(state, "cast unsummon f4")
    assert "persistent" in refused(position("We4 gf4", hand="unsummon"), "attack e4f4", "cast unsummon f4")


def test_reposition_puts_a_friendly_minion_beside_itself_and_it_is_done():
    state = position("Ze4 Nc2", hand="reposition", zones=("Z", ""))
    after = board(state, "cast reposition e4e5")
    assert after["e5"].spells.done
    assert "no friendly unit with spawn" in refused(state, "cast reposition e4e5", "spawn Z f5")
    assert "not next to" in refused(state, "cast reposition e4e6")
    assert "own" in refused(position("Ze4 zf4 Nc2", hand="reposition"), "cast reposition f4f5")
    assert "may not stand" in refused(
        position("Zc0 Nc2", hand="reposition", maps="MidnightLake"), "cast reposition c0d0"
    )


def test_reposition_is_a_spell_of_the_spawn_phase():
    # however the parts are mixed, it runs after the moves
    state = position("Ze4 Nc2", hand="reposition")
    assert board(state, "cast reposition e5e6", "move e4e5")["e6"] is not None
    assert "no spawn phase" in refused(
        position("Ze4 Nc2", hand="reposition", state="f", open_spawn_phase=False), "cast reposition e4e5"
    )


def test_shield_doubles_the_defense_and_binds_the_soul():
    state = position("Me4 df4", hand="shield", money="0|0")
    assert board(state, "cast shield e4")["e4"].defense == 14
    after = play(state, "cast shield e4")
    assert "h" in extended_fen(after)
    hit = after.dealt(generator(1)).during(GameTurn.parse("board 0 attack f4e4", 1))
    assert hit.boards[0]["e4"].damage == 7  # which would have killed it
    dying = position("Ze4 df4", hand="shield", money="0|0")
    home = play(dying, "cast shield e4").dealt(generator(1)).during(GameTurn.parse("board 0 attack f4e4", 1))
    assert home.boards[0].reinforcements(0) == {by_letter()["Z"]: 1}
    assert home.money[0] == 2  # its income, no rebate


def test_shield_keeps_a_minion_from_deathtouch_too():
    state = play(position("Se4 lf4 Nc2 nh7", hand="shield"), "cast shield e4").dealt(generator(1))
    after = state.during(GameTurn.parse("board 0 attack f4e4", 1))
    assert after.boards[0].reinforcements(0) == {by_letter()["S"]: 1}


def test_stumble_puts_a_damaged_enemy_on_an_adjacent_hex():
    state = position("We4 mf4", hand="stumble")
    after = board(state, "attack e4f4", "cast stumble f4g4")
    assert after["g4"].damage == 1
    assert "no damage" in refused(state, "cast stumble f4g4")
    assert "for enemies" in refused(position("We4 sf4", hand="stumble"), "attack e4f4", "cast stumble e4e3")


def test_dismember_deals_three_damage_and_is_a_sorcery():
    state = position("We4 df4", hand="dismember,shield")
    after = board(state, "attack e4f4", "cast dismember f4")
    assert after["f4"].damage == 4
    assert after.mana == -1
    assert "mana" in refused(position("We4 df4", hand="dismember"), "attack e4f4", "cast dismember f4")


def test_unholy_might_gives_the_necromancer_two_attacks_this_turn():
    state = position("Ne4 zf4 ze5", hand="unholy_might")
    after = board(state, "cast unholy_might e4", "attack e4f4", "attack e4e5")
    assert after["f4"] is None
    assert after["e5"] is None
    assert "no attack left" in refused(state, "attack e4f4", "attack e4e5")
    assert "necromancer" in refused(position("Ze4", hand="unholy_might"), "cast unholy_might e4")
    assert not play(state, "cast unholy_might e4").boards[0]["e4"].spells.mighty


def test_protection_adds_two_defense_and_gives_a_mana():
    after = board(position("Ze4", hand="protection"), "cast protection e4")
    assert after["e4"].defense == 3
    assert after.mana == 1


def test_protection_and_shield_count_in_the_order_in_which_they_came():
    state = position("Ze4", hand="protection,shield")
    assert board(state, "cast protection e4", "cast shield e4")["e4"].defense == 6
    assert board(state, "cast shield e4", "cast protection e4")["e4"].defense == 4


def test_protection_lasts_to_the_start_of_the_casters_next_turn():
    state = play(position("Ze4 Nc2 nh7", hand="protection"), "cast protection e4")
    assert state.boards[0]["e4"].defense == 3
    after = play(state.dealt(generator(0)), "tech 0")
    assert after.boards[0]["e4"].defense == 1


def test_freeze_ray_keeps_an_enemy_from_attacking_in_its_next_turn():
    state = play(position("Ze4 wf4 Nc2 nh7", hand="freeze_ray,shield"), "cast freeze_ray f4").dealt(generator(0))
    assert "keeps the unit from attacking" in refused(state, "attack f4e4")
    later = play(state, "tech 0").dealt(generator(0))
    assert not later.boards[0]["f4"].spells.frozen
    assert "for enemies" in refused(position("Ze4", hand="freeze_ray,shield"), "cast freeze_ray e4")


def test_weaken_takes_one_damage_or_one_attack_of_a_flurry():
    state = play(position("Me4 cf4 kf3 Nc2 nh7", hand="weaken,weaken"), "cast weaken f4", "cast weaken f3")
    state = state.dealt(generator(0))
    assert "no attack left" in refused(state, "attack f4e4", "attack f4e4")  # two attacks less one
    assert board(state, "attack f3e4")["e4"].damage == 2  # three less one


def test_weaken_that_leaves_less_than_one_forbids_to_attack():
    state = play(position("Ze4 wf4 Nc2 nh7", hand="weaken"), "cast weaken f4").dealt(generator(0))
    assert "keeps the unit from attacking" in refused(state, "attack f4e4")


def test_weaken_does_nothing_to_unsummon_and_deathtouch():
    state = play(position("De4 lf4 Nc2 nh7", hand="weaken"), "cast weaken f4").dealt(generator(0))
    assert board(state, "attack f4e4")["e4"] is None


def test_lumbering_keeps_an_enemy_from_attacking_after_a_move():
    state = play(position("Ze4 wg4 Nc2 nh7", hand="lumbering"), "cast lumbering g4").dealt(generator(0))
    assert "lumbering" in refused(state, "move g4f4", "attack f4e4")


def test_shackle_leaves_speed_and_range_one():
    state = play(position("Zc4 hf4 Nc2 nh7", hand="shackle"), "cast shackle f4").dealt(generator(0))
    assert "out of range" in refused(state, "attack f4c4")
    assert "no free path" in refused(state, "move f4d4")
    assert board(state, "move f4e4")["e4"] is not None


def test_spawn_gives_a_minion_the_keyword_for_this_turn():
    state = position("We4 Nc2", hand="spawn,shield", zones=("Z", ""))
    assert "no friendly unit with spawn" in refused(state, "spawn Z e5")
    assert board(state, "cast spawn e4", "spawn Z e5")["e5"].spawned
    assert not play(state, "cast spawn e4").boards[0]["e4"].spells.supporting
    fresh = position("Ze4 Nc2", hand="spawn,shield", zones=("W", ""))
    assert "spawned this turn" in refused(fresh, "spawn W e5", "cast spawn e5")


def test_raise_zombie_spawns_one_free_next_to_any_friendly_unit_in_either_phase():
    state = position("We4 Nc2", hand="raise_zombie", money="0|0")
    after = board(state, "cast raise_zombie e5", "move e4e3")
    assert after["e5"].spawned
    assert after.mana == 1
    assert "no friendly unit" in refused(state, "cast raise_zombie h5")
    assert "not empty" in refused(state, "cast raise_zombie c2")


def test_double_cantrip_gives_two_mana_and_nothing_else():
    state = position("We4 df4", hand="doubleCantrip,dismember,dismember")
    assert board(state, "cast doubleCantrip").mana == 2
    assert board(state, "discard doubleCantrip").mana == 2
    after = board(state, "attack e4f4", "cast doubleCantrip", "cast dismember f4", "cast dismember f4")
    assert after["f4"].damage == 7
    assert after.mana == 0


@pytest.mark.parametrize(("kind", "enters", "stays_out"), [
    ("earthquake", "P", "Z"), ("firestorm", "G", "Z"), ("flood", "S", "Z"), ("whirlwind", "A", "Z"),
])  # fmt: skip
def test_earthquake_firestorm_flood_and_whirlwind_move_their_terrain(kind, enters, stays_out):
    state = position(f"Ze4 {enters}f3", hand=f"{kind},{kind}")
    after = board(state, f"cast {kind} f4")
    assert after.terrain == {kind: "f4"}
    assert board(state, f"cast {kind} f4", f"cast {kind} e5").terrain == {kind: "e5"}
    later = play(play(state, f"cast {kind} f4").dealt(generator(0)), "tech 0").dealt(generator(1))
    assert "f4" in later.boards[0].reach("f3")
    assert "f4" not in later.boards[0].reach("e4")
    assert stays_out == "Z"


def test_earthquake_asks_for_empty_ground_beside_a_friendly_unit():
    state = position("Zc1 zb0", hand="earthquake", maps="MidnightLake")  # b0 is a graveyard, d0 water
    assert "not empty" in refused(state, "cast earthquake b0")
    assert "plain ground" in refused(position("Za1", hand="earthquake", maps="MidnightLake"), "cast earthquake b0")
    assert "no friendly unit" in refused(state, "cast earthquake h5")


def test_firestorm_comes_back_to_its_start_when_the_board_is_reset():
    state = position("Ze4 Nc2 nh7", hand="firestorm", maps="TreacherousPathways")
    moved = play(state, "cast firestorm f4")
    assert moved.boards[0].terrain["firestorm"] == "f4"
    after = play(moved.dealt(generator(0)), "resign")
    assert after.boards[0].terrain == position("", maps="TreacherousPathways").boards[0].terrain


def test_flood_lets_flyers_pass():
    state = play(position("Ze4 Nc2 nh7 xg4", hand="flood"), "cast flood f4").dealt(generator(0))
    assert "f4" in state.boards[0].reach("g4")


def test_whirlwind_does_not_lie_where_other_terrain_lies():
    state = position("Ze4", hand="flood,whirlwind")
    assert "plain ground" in refused(state, "cast flood f4", "cast whirlwind f4")


def test_normalize_removes_movable_terrain_even_from_under_a_unit():
    state = position("Ze4 sh2", hand="normalize", maps="TreacherousPathways")
    after = board(state, "cast normalize h2")
    assert "flood" not in after.terrain
    assert after.mana == 1
    assert "no movable terrain" in refused(state, "cast normalize f6")
    native = position("Ze4", hand="normalize", maps="TreacherousPathways")
    assert "no movable terrain" in refused(native, "cast normalize a5")  # native water


def test_terraform_moves_any_terrain_and_is_a_sorcery():
    state = position("Ze4", hand="terraform,shield")
    after = board(state, "cast terraform whirlwind f4")
    assert after.terrain == {"whirlwind": "f4"}
    assert after.mana == -1


def test_cleave_needs_a_minion_in_range_that_has_attacked_another_enemy():
    state = position("We4 zf4 ze5 Nc2", hand="cleave")
    after = board(state, "attack e4f4", "cast cleave e5")
    assert after["e5"] is None
    assert "has attacked another enemy" in refused(state, "cast cleave e5")
    alone = position("We4 mf4", hand="cleave")
    assert "has attacked another enemy" in refused(alone, "attack e4f4", "cast cleave f4")


def test_cleave_does_not_count_the_necromancer():
    state = position("Ne4 zf4 ze5", hand="cleave")
    assert "has attacked another enemy" in refused(state, "attack e4f4", "cast cleave e5")


def test_cleave_follows_an_enemy_that_stumbles():
    state = position("Ce4 mf4", hand="cleave,stumble")
    parts = ["attack e4f4", "cast stumble f4e5", "cast cleave e5"]
    assert "has attacked another enemy" in refused(state, *parts)  # it is the same one still


def test_sunder_deals_two_damage_that_way_and_is_a_sorcery():
    state = position("We4 zf4 me5 Nc2", hand="sunder,shield")
    after = board(state, "attack e4f4", "cast sunder e5")
    assert after["e5"].damage == 2
    assert after.mana == -1


def test_lightning_bolt_deals_one_damage_to_any_enemy_minion():
    state = position("We4 zh5 Nc2", hand="lightning_bolt,shield")
    assert board(state, "cast lightning_bolt h5")["h5"] is None
    assert "for enemies" in refused(state, "cast lightning_bolt e4")


def test_displace_puts_an_unhurt_enemy_on_an_adjacent_hex():
    state = position("We4 zf4 Nc2", hand="displace")
    assert board(state, "cast displace f4g4")["g4"] is not None
    assert "not next to" in refused(state, "cast displace f4h4")


def test_rising_horde_gives_all_friendly_units_the_spawn_keyword():
    state = position("We4 Wg6 Nc2", hand="rising_horde,shield", zones=("ZZ", ""))
    after = board(state, "cast rising_horde", "spawn Z e5", "spawn Z g5")
    assert after["e5"].spawned
    assert after["g5"].spawned


def test_blink_as_coded_hurts_a_persistent_minion_and_takes_others_home():
    state = position("We4 Gf4 Nc2", hand="blink,blink")
    after = board(state, "cast blink e4", "cast blink f4")
    assert after.reinforcements(0) == {by_letter()["W"]: 1}
    assert after["f4"].damage == 1
    meant = position("Gf4 Nc2", hand="blink", blink_as_meant=True)
    assert board(meant, "cast blink f4").reinforcements(0) == {by_letter()["G"]: 1}


# ------------------------------------------------------------------------------------------------- mana and discards


def test_a_discard_gives_a_mana_that_pays_a_sorcery():
    state = position("We4 df4", hand="dismember,shield")
    after = board(state, "attack e4f4", "discard shield", "cast dismember f4")
    assert after.mana == 0
    assert after.hand(0) == ()
    assert "does not hold" in refused(state, "discard fester")


def test_a_debt_is_paid_by_the_oldest_cards_at_the_end_of_the_turn():
    state = position("We4 df4 Nc2 nh7", hand="fester,dismember,shield")
    after = play(state, "attack e4f4", "cast dismember f4", "give_spell 0 shield")
    assert after.boards[0].hand(0) == ("shield", "shield")  # the fester paid; the shield drawn came in


def test_no_card_is_played_that_a_debt_needs():
    state = position("We4 df4", hand="dismember,fester")
    parts = ["attack e4f4", "cast dismember f4"]
    assert board(state, *parts).mana == -1
    assert "mana" in refused(state, *parts, "cast fester f4")


def test_a_mana_necromancer_brings_ten_mana_and_a_sorcery_node_one():
    state = position("Ne4 nh7", extra="necromancers=0e4:ManaNecromancer")
    assert state.boards[0].mana == 10
    assert position("Ze4 Za0", maps="SorcerersLair").boards[0].mana == 2
    assert position("ze4 Nc2", maps="SorcerersLair").boards[0].mana == 0


# ------------------------------------------------------------------------------------------------------------ decks


def test_a_side_draws_one_more_than_there_are_boards_and_sees_its_next_draw_and_ten_ahead():
    config = GameConfig.make(("MidnightLake",) * 3, profile="server")
    state, rng = GameState.start(config), generator(2)
    known = []
    for _ in range(4):
        state = state.dealt(rng)
        assert len(state.drawn) == 4
        known.append(len(state.known(state.side)))
        state = state.play(GameTurn.parse("tech 0", 3))
    assert known == [4 + 10, 4 + 3 + 11, 4 + 3 + 11, 4 + 3 + 11]  # Yellow in its first turn only ten


def test_nothing_happens_before_spells_are_dealt():
    state = GameState.start(GameConfig.make(("MidnightLake",), profile="server"))
    assert state.awaits_deal
    with pytest.raises(IllegalMove, match="not been dealt"):
        state.play(GameTurn.parse("tech 0", 1))
    with pytest.raises(IllegalMove, match="cannot be dealt"):
        state.deal([1, 2, 3])
    with pytest.raises(IllegalMove, match="to be dealt now"):
        state.dealt(generator(0)).deal([1])


def test_a_deck_has_each_spell_as_often_as_the_table_says_and_is_then_replaced():
    config = GameConfig.make(("MidnightLake",), profile="server")
    state, rng = GameState.start(config), generator(4)
    dealt: list[int] = []
    while len(dealt) < 86 * 2:
        if state.side == 0:
            cards = state.random_deal(rng)
            dealt += cards
            state = state.deal(cards)
        state = state.dealt(rng).play(GameTurn.parse("tech 0", 1))
    for deck in (dealt[:86], dealt[86:172]):
        assert all(deck.count(spell.number) == spell.copies for spell in spells())


def test_a_board_takes_one_spell_and_one_that_took_none_is_given_the_first():
    state = position("Nc2 nh7", drawn="fester.shield")
    assert play(state, "give_spell 0 shield").boards[0].hand(0) == ("shield",)
    assert play(state, "tech 0").boards[0].hand(0) == ("fester",)
    assert "one spell a turn" in refused(state, "give_spell 0 shield", "give_spell 0 fester")
    assert "not among the spells drawn" in refused(state, "give_spell 0 stumble")


def test_a_spell_taken_may_be_cast_at_once():
    assert board(position("Ze4"), "give_spell 0 shield", "cast shield e4")["e4"].defense == 2


def test_extra_spells_bought_draw_cards_to_choose_from():
    state = position("Nc2 nh7", drawn="fester.shield.stumble.weaken")
    assert "not among the spells drawn" in refused(state, "give_spell 0 stumble")
    after = play(state, "tech 2", "give_spell 0 stumble")
    assert after.boards[0].hand(0) == ("stumble",)
    assert after.known(0) == ("weaken",)
    assert "known ahead" in refused(state, "tech 4")


def test_metamagic_lets_a_board_take_more_but_not_more_than_there_are_boards_in_all():
    line = "U" * 24 + "A"
    config = GameConfig.make(("AllLand", "AllLand"), profile="server")
    rows = "0/0/2N7/0/0/0/0/7n2/0/0"
    text = f"0|0 0|0 {line}|{LOCKED} n|||||{rows} n|||||{rows} 0 9 + ahead=0:fester.shield.stumble drawn=3"
    state = parse_fen(text, config)
    parts = ["tech 0", "give_spell 1 fester", "give_spell 1 shield"]
    after = state.play(GameTurn.parse(parts, 2))
    assert after.boards[1].hand(0) == ("fester", "shield")
    assert after.boards[0].hand(0) == ()  # two of two have been taken
    given = parse_fen(text, GameConfig.make(("AllLand", "AllLand"), profile="server", gift_to_all=True))
    assert given.play(GameTurn.parse(parts, 2)).boards[0].hand(0) == ("stumble",)
    plain = parse_fen(text.replace("A|", "U|", 1), config)
    with pytest.raises(IllegalMove, match="one spell a turn"):
        plain.play(GameTurn.parse(parts, 2))
    with pytest.raises(IllegalMove, match="as many spells as there are boards"):
        state.play(GameTurn.parse([*parts, "give_spell 0 stumble"], 2))


def test_thaumaturgy_sells_the_free_spell():
    state = position("Nc2 nh7", cards=("U" * 23 + "A" + "L", LOCKED), money="10|0", drawn="fester.shield.weaken")
    after = during(state, "sell_spell")
    assert after.money[0] == 11
    paid = during(state, "sell_spell", "tech 1")
    assert paid.money[0] == 10 + 1 - 4  # every spell placed is bought then
    assert "Thaumaturgy" in refused(position("Nc2"), "sell_spell")
    assert play(state, "sell_spell").cards(0)[24] == "L"  # and does not march by itself


def test_the_hand_limit_is_a_switch():
    hand = ",".join(["fester"] * 8)
    full = position("Nc2 nh7", hand=hand, hand_limit=8)
    assert "full" in refused(full, "give_spell 0 shield")
    assert len(play(full, "tech 0").boards[0].hand(0)) == 8
    with pytest.raises(ParseError, match="at most 8"):
        position("Nc2", hand=hand + ",fester", hand_limit=8)


def test_hands_survive_a_reset():
    after = play(position("Nc2 nh7", hand="fester,stumble"), "resign")
    assert after.boards[0].hand(0) == ("fester", "stumble", "fester")


# ------------------------------------------------------------------------------------------------------------- tiles


def test_a_sorcery_node_gives_mana_to_the_side_that_stands_on_it_when_its_turn_begins():
    state = position("Za0 Nc2 nh7", maps="SorcerersLair", side=1)
    assert state.boards[0].mana == 0
    assert play(state, "tech 0").boards[0].mana == 1


def test_a_teleporter_puts_a_unit_that_began_its_turn_there_anywhere():
    state = position("Wh1 Wg1 Nc2 nh7", maps="ChaosDiamond")
    after = board(state, "teleport h1c8")
    assert after["c8"].spells.done
    assert "done for this turn" in refused(state, "teleport h1c7", "move c7c6")
    assert "does not stand on a teleporter" in refused(state, "teleport g1c7")
    assert "may not stand" in refused(state, "teleport h1d0")  # water
    assert "not empty" in refused(state, "teleport h1c2")


def test_a_unit_that_came_to_a_teleporter_this_turn_stays():
    state = position("Wg1 Nc2 nh7", maps="ChaosDiamond")
    assert "done nothing yet" in refused(state, "move g1h1", "teleport h1c7")


def test_a_teleported_unit_does_not_support_spawning():
    state = position("Zh1 nh7", maps="ChaosDiamond", zones=("Z", ""))
    assert "no friendly unit with spawn" in refused(state, "teleport h1c7", "spawn Z d7")


def test_a_teleporter_works_in_the_attack_phase_unless_the_switch_says_more():
    parts = ["buy Z", "teleport h1c7"]
    assert during(position("Wh1 Nc2", maps="ChaosDiamond"), *parts).boards[0]["c7"]  # run before the purchase
    late = during(position("Wh1 Nc2", maps="ChaosDiamond", teleport_late=True), "buy Z")
    assert late.during(GameTurn.parse("board 0 teleport h1c7", 1)).boards[0]["c7"]
    with pytest.raises(IllegalMove, match="in which it may come is over"):
        during(position("Wh1 Nc2", maps="ChaosDiamond"), "buy Z").during(GameTurn.parse("board 0 teleport h1c7", 1))


def test_a_zombie_spawner_gives_one_free_zombie_a_turn():
    state = position("Nc2 nh7", maps="Apocalypse", money="0|0")
    assert board(state, "rise j0")["j0"].spawned
    assert "was used" in refused(state, "rise j0", "rise a9")
    assert "no spawner" in refused(state, "rise e4")
    assert "not empty" in refused(position("Nc2 zj0", maps="Apocalypse"), "rise j0")
    assert play(state, "rise j0").dealt(generator(0)).boards[0].words is not None


def test_mist_sends_units_that_are_not_persistent_home_at_the_end_of_every_turn():
    state = position("Zb1 Gh1 zi2 Nc2 nh7", maps="TreacherousPathwaysMist")
    after = play(state, "tech 0")
    assert after.boards[0].reinforcements(0) == {by_letter()["Z"]: 1}
    assert after.boards[0].reinforcements(1) == {by_letter()["Z"]: 1}
    assert after.boards[0]["h1"].unit.name == "Ghost"


@pytest.mark.parametrize(("unit", "kind"), [
    ("I", "flood"), ("H", "earthquake"), ("O", "whirlwind"), ("C", "firestorm"), ("E", "flood"), ("E", "firestorm"),
])  # fmt: skip
def test_abilities_move_terrain_for_a_mana(unit, kind):
    state = position(f"{unit}e3 Za0 Nc2", maps="SorcerersLair")
    after = board(state, f"ability e3 {kind} f3")
    assert after.terrain == {kind: "f3"}
    assert after.mana == 0
    broke = position(f"{unit}e5 Nc2")
    assert "mana" in refused(broke, f"ability e5 {kind} f4")


def test_an_ability_needs_the_right_unit_empty_ground_beside_it_and_one_not_spawned_this_turn():
    state = position("He3 Za0 Nc2", maps="SorcerersLair", zones=("H", ""))
    assert "cannot move that terrain" in refused(state, "ability e3 flood f3")
    assert "not next to" in refused(state, "ability e3 earthquake g3")
    assert "spawned this turn" in refused(state, "spawn H c3", "ability c3 earthquake d3")


def test_an_ability_may_be_used_again_unless_the_switch_says_once():
    parts = ["ability e3 earthquake f3", "ability e3 earthquake d3"]
    pieces = "He3 Za0 Ze4 Nc2"
    assert board(position(pieces, maps="SorcerersLair"), *parts).terrain == {"earthquake": "d3"}
    assert "used its ability" in refused(position(pieces, maps="SorcerersLair", ability_once=True), *parts)


def test_an_ability_may_be_paid_by_cards():
    after = play(position("He4 Nc2 nh7", hand="fester,stumble"), "ability e4 earthquake f4", "give_spell 0 shield")
    assert after.boards[0].hand(0) == ("stumble", "shield")


# -------------------------------------------------------------------------------------------- switches of the server


def test_split_moves_spend_the_speed_bit_by_bit():
    state = position("We4 zh4")
    after = board(state, "move e4f4", "move f4g4", "attack g4h4")
    assert after["h4"] is None
    assert "moved already" in refused(state, "move e4f4", "move f4g4", "move g4g5", "move g5g6")
    assert "no free path" in refused(state, "move e4f4", "move f4f7")
    assert "attacked" in refused(state, "move e4g4", "attack g4h4", "move g4g5")


def test_in_the_first_turn_all_of_the_spawn_phase_but_spawning_is_open():
    state = position("Nc2 nh7", state="f", zones=("Z", ""))
    assert during(state, "buy Z").money[0] == 18
    assert "first turn on a board" in refused(state, "spawn Z c3")


def test_an_unused_free_spell_marches():
    assert play(position("Nc2 nh7"), "tech 0").cards(0).startswith("UL")
    assert play(position("Nc2 nh7", cards=("U", LOCKED)), "tech 0 0").cards(0).startswith("AL")


def test_a_setup_that_names_nothing_keeps_the_dearest():
    state = position("Nc2 nh7", state="1", zones=("ZDY", ""))
    assert board(state, "setup N").reinforcements(0) == {by_letter()["D"]: 1, by_letter()["Z"]: 1}
    assert {"setup N", "setup N D", "resign"} <= {str(action) for action in board_actions(state.boards[0])}


def test_the_killer_wins_the_board_though_the_enemy_keeps_eight_graveyards():
    graves = "zb0 zi0 zj1 za3 zd3 zb6 zg6 zd8"
    after = play(position(f"Nc2 Dg7 nh7 {graves}", maps="MidnightLake"), "attack g7h7")
    assert after.points == (1, 0)


def test_of_two_sides_at_the_target_the_one_credited_last_wins():
    config = GameConfig.make(("AllLand", "AllLand"), profile="server", points=1)
    rows = "0/0/2N7/0/0/0/6D3/7n2/0/0"
    text = f"0|0 0|0 {LOCKED}|{LOCKED} n|||||{rows} n|||||{rows} 0 9 + ahead=0:fester.shield.stumble drawn=3"
    parts = ["tech 0", "board 0 move g6g7", "board 0 attack g7h7", "board 1 resign"]
    assert parse_fen(text, config).play(GameTurn.parse(parts, 2)).winner == 1
    mover = GameConfig.make(("AllLand", "AllLand"), profile="server", points=1, last_board_decides=False)
    assert parse_fen(text, mover).play(GameTurn.parse(parts, 2)).winner == 0


def test_the_live_servers_units_have_its_statistics():
    units = {unit.name: unit for unit in GameConfig.make(("AllLand",), profile="server").units}
    assert (units["Sorcerer"].speed, units["Sorcerer"].range, units["Sorcerer"].flying) == (2, 1, True)
    assert units["Banshee"].blink
    assert units["ArcaneNecromancer"].soul == 2
    assert units["TerrainNecromancer"].absent


def test_a_zombie_necromancer_brings_a_zombie_a_turn():
    state = position("Nc2 nh7", side=1, extra="necromancers=0c2:ZombieNecromancer")
    assert play(state, "tech 0").boards[0].reinforcements(0) == {by_letter()["Z"]: 1}


# ---------------------------------------------------------------------------------------------------------- the book


def book(pieces: str, **more: object) -> GameState:
    return position(pieces, profile="book", **more)


def test_the_book_sells_extra_spells_for_eight_a_board():
    assert during(book("Nc2 nh7"), "tech 2").money[0] == 12


def test_in_the_book_the_loser_of_a_killed_necromancer_passes_and_the_winner_sets_up_first():
    state = book("Dg7 nh7 Nc2", points=3)
    after = play(state, "attack g7h7")
    assert after.boards[0].state == "0"
    assert "passes" in refused(after, "move h8h9")
    assert fen(parse_fen(fen(after), after.config)) == fen(after)
    then = play(after, "tech 0")
    assert then.boards[0].state == "1"
    assert then.side == 0
    assert play(book("Nc2 nh7", points=3), "resign").boards[0].state == "1"  # the winner comes next anyway


def test_in_the_book_a_setup_names_an_advanced_necromancer_never_one_used_before():
    state = book("Nc2 nh7", state="1", extra="used=0:ArcaneNecromancer")
    assert "advanced" in refused(state, "setup N")
    assert "used that necromancer" in refused(state, "setup ArcaneNecromancer")
    after = board(state, "setup DeadlyNecromancer")
    assert after["c2"].unit.name == "DeadlyNecromancer"
    assert after.reinforcements(0) == {by_letter()["I"]: 1}
    later = play(state, "setup DeadlyNecromancer")
    assert "used=0:ArcaneNecromancer,0:DeadlyNecromancer" in extended_fen(later)
    assert parse_fen(extended_fen(later), later.config) == later


def test_in_the_book_the_basic_necromancer_comes_when_all_are_used():
    names = [u.name for u in GameConfig.make(("AllLand",)).units if u.group == "necromancer_advanced"]
    state = book("Nc2 nh7", state="1", extra="used=" + ",".join(f"0:{name}" for name in names))
    assert board(state, "setup N")["c2"].unit.name == "BasicNecromancer"


def test_spells_are_of_the_server_alone():
    with pytest.raises(IllegalMove, match="no spells"):
        play(book("Ze4 Nc2"), "cast shield e4")
    with pytest.raises(IllegalMove, match="no spells"):
        play(position("Ze4 Nc2", spells=False), "cast shield e4")
    with pytest.raises(Exception, match="has no spells"):
        GameConfig.make(("AllLand",), spells=True)


def test_the_picture_of_a_turn_marks_where_spells_are_cast():
    state = position("De4 Nc2 nh7", hand="protection")
    drawn = draw(state, GameTurn.parse("tech 0;board 0 cast protection e4", 1))
    assert re.search("<title>cast protection e4</title><path", drawn)


# --------------------------------------------------------------------------------------------- modifiers in the text


@pytest.mark.parametrize(("mark", "name"), [
    ("x", "done"), ("b4", "bonus"), ("h", "shielded"), ("f", "frozen"), ("l", "slowed"), ("c", "shackled"), ("w2", "weakened"),
    ("p", "supporting"), ("u", "mighty"), ("vf4", "struck"), ("v*", "struck"), ("n1", "steps"),
])  # fmt: skip
def test_each_modifier_is_written_and_read(mark, name):
    state = position("De4 zf4 Nc2 nh7", extra=f"pieces=0e4:{mark}")
    assert getattr(state.boards[0]["e4"].spells, name)
    assert f"0e4:{mark}" in extended_fen(state)
    assert parse_fen(extended_fen(state), state.config) == state


@pytest.mark.parametrize("extra", [
    "pieces=0e4:b99999", "pieces=0e4:w99", "pieces=0e4:t", "terrain=0:lavae4", "terrain=0:floodc2.floodc3", "mana=0:x",
    "seen=0:sleep3", "decks=0:x:", "decks=0:5:fester99", "used=0:ArcaneNecromancer", "drawn=9",
])  # fmt: skip
def test_a_bad_extension_is_refused(extra):
    with pytest.raises(ParseError):
        position("De4 Nc2", extra=extra)


def test_modifiers_of_other_rules_are_refused():
    plain = GameConfig.make(("AllLand",))
    text = f"0|0 0|0 {LOCKED}|{LOCKED} n|||||4D5/0/2N7/0/0/0/0/7n2/0/0 0 9 + "
    for extra in ("pieces=0e0:h", "pieces=0e0:n1", "pieces=0e0:x", "terrain=0:floode4", "mana=0:3", "drawn=2"):
        with pytest.raises(ParseError):
            parse_fen(text + extra, plain)


def test_equal_positions_with_modifiers_have_equal_keys_and_others_do_not():
    marks = ("b4", "h", "f", "l", "c", "w2", "w3", "b4h")
    keys = {position("De4 Nc2", extra=f"pieces=0e4:{mark}").key() for mark in marks}
    keys |= {
        position("De4 Nc2", hand=hand).key() for hand in ("", "fester", "shield", "fester,shield", "shield,fester")
    }
    assert len(keys) == len(marks) + 5


def test_a_resigned_board_is_given_a_spell_unless_the_switch_says_none():
    for takes_none, cards in ((False, 1), (True, 0)):
        state = position("Nc2 nh7", resigned_takes_none=takes_none)
        assert len(play(state, "resign").boards[0].hand(0)) == cards


def test_a_board_on_which_the_loser_passes_pays_unless_the_switch_says_not():
    for unpaid, money in ((False, 3), (True, 0)):
        state = position("Nc2 nh7", profile="book", state="0", money="0|0", passing_unpaid=unpaid)
        assert play(state, "tech 0").money == (money, 0)


# ---------------------------------------------------------------------------------------- nothing is without its test

TILE_TESTS = {  # by letter of the tile: words of a test's name
    ".": "abilities_move_terrain",
    "g": "eight_graveyards_win",
    "w": "terrain_asks_for_printed",
    "e": "terrain_asks_for_printed",
    "a": "terrain_asks_for_printed",
    "f": "terrain_asks_for_printed",
    "s": "a_sorcery_node_gives",
    "t": "a_teleporter_puts",
    "z": "a_zombie_spawner_gives",
    "m": "mist_sends",
    "W": "flood_lets",
    "E": "earthquake_asks",
    "A": "whirlwind_does",
    "F": "firestorm_comes",
}
MODIFIER_TESTS = {  # by field of a piece's spells: words of a test's name
    "done": "and_it_is_done",
    "bonus": "protection_adds",
    "shielded": "shield_doubles",
    "frozen": "freeze_ray_keeps",
    "slowed": "lumbering_keeps",
    "shackled": "shackle_leaves",
    "weakened": "weaken_takes",
    "supporting": "spawn_gives",
    "mighty": "unholy_might_gives",
    "struck": "cleave_needs",
    "steps": "split_moves_spend",
    "tapped": "may_be_used_again",
}


def names_of_tests() -> list[str]:
    files = (Path(__file__), Path(__file__).parent / "test_rules.py")
    return [name for file in files for name in re.findall(r"^def (test_\w+)", file.read_text(), re.MULTILINE)]


def test_every_tile_has_a_named_test():
    assert set(TILE_TESTS) == set(TILES)
    for words in TILE_TESTS.values():
        assert any(words in name for name in names_of_tests()), words


def test_every_modifier_has_a_named_test():
    assert set(MODIFIER_TESTS) == {field.name for field in fields(Modifiers)}
    for words in MODIFIER_TESTS.values():
        assert any(words in name for name in names_of_tests()), words
