"""The rules of Risk, one test a rule or ruling; positions are given as text, moves as people write them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from stratagem.contract.game import CHANCE
from stratagem.errors import IllegalMove, StratagemError, UnknownName
from stratagem.games.risk import Risk
from stratagem.games.risk import kernels as k
from stratagem.games.risk.atlas import CONTINENT, CONTINENT_NAMES, IDS, territory
from stratagem.games.risk.odds import odds, roll
from stratagem.rng import generator


def at(phase, lands, rest="B1", seat="A", words="", game=None, turn=7, **options):
    """A position: territories as `alaska=A3 ural=C2`, all others `rest`."""
    game = game or Risk(**{"players": 3, **options})
    held = dict(item.split("=") for item in lands.split())
    for name in list(held):  # a continent stands for its territories
        if name not in IDS:
            c = [n.lower().replace(" ", "_") for n in CONTINENT_NAMES].index(name)
            for t, one in enumerate(IDS):
                if CONTINENT[t] == c:
                    held.setdefault(one, held[name])
            del held[name]
    board = ",".join(held.get(name, rest) for name in IDS)
    return game.parse(f"phase={phase} seat={seat} turn={turn} board={board} {words}")


def owner(position, name):
    return position.game.side_letter(int(position.state[k.OWNER + territory(name)]))


def armies(position, name):
    return int(position.state[k.ARMIES + territory(name)])


def phase(position):
    return k.PHASES[int(position.state[k.PHASE])]


def hand(position, seat):
    return {c for c in range(k.DECK) if position.state[k.CARD + c] == k.HAND + seat}


def through(position, *texts):
    for text in texts:
        position = position.play(text)
    return position


def setup(seed=1, until="reinforce", **options):
    """Random play up to the first position of a phase; the seats asked on the way, with their phases."""
    game, rng, asked = Risk(**options), generator(seed), []
    position = game.start()
    while phase(position) != until:
        asked.append((phase(position), position.turn))
        position = position.play(position.sample(rng))
    return position, asked


# ------------------------------------------------------------------------------------------------------- 3: the setup


@pytest.mark.parametrize(
    ("seats", "picks", "left"),
    [
        (2, [21, 21], [19, 19]), (3, [14] * 3, [21] * 3), (4, [11, 11, 10, 10], [19, 19, 20, 20]),
        (5, [9, 9, 8, 8, 8], [16, 16, 17, 17, 17]), (6, [7] * 6, [13] * 6),
    ],
)  # fmt: skip
@pytest.mark.parametrize("order", ["round_robin", "snake"])
@pytest.mark.parametrize("claim", ["draft", "deal"])
def test_picks_and_armies_left_by_seats(seats, picks, left, order, claim):
    position, _ = setup(until="place", players=seats, two_player="pure", draft_order=order, claim=claim)
    assert [int(x) for x in position.state[k.OWNS : k.OWNS + seats]] == picks
    assert [int(x) for x in position.state[k.LEFT : k.LEFT + seats]] == left
    assert all(x == 1 for x in position.state[k.ARMIES : k.ARMIES + 42])


def test_a_draft_goes_round_and_a_snake_turns_at_its_ends():
    def order(**options):
        return [seat for where, seat in setup(until="place", **options)[1] if where == "claim"]

    assert order(players=3) == [0, 1, 2] * 14
    assert order(players=3, draft_order="snake") == [0, 1, 2, 2, 1, 0] * 7
    assert order(players=4, draft_order="snake")[-4:] == [1, 0, 0, 1]
    assert order(players=5, draft_order="snake")[-4:] == [1, 0, 0, 1]


def test_only_a_free_territory_can_be_claimed_and_nobody_passes():
    position = Risk(players=3).start().play("alaska")
    assert len(position.moves()) == 41 and "alaska" not in position.moves()
    with pytest.raises(IllegalMove, match="alaska is taken by A"):
        position.play("alaska")
    with pytest.raises(StratagemError):
        position.play("keep")


def test_placement_goes_on_after_the_seat_that_claimed_last_and_is_round_robin_even_after_a_snake():
    for players, order, first in ((3, "round_robin", 0), (4, "round_robin", 2), (5, "round_robin", 2), (3, "snake", 1)):
        position, asked = setup(players=players, draft_order=order)
        placing = [seat for where, seat in asked if where == "place"]
        assert placing[:players] == [(first + i) % players for i in range(players)]
        assert position.turn == 0 and len(placing) == sum(placing.count(seat) for seat in range(players))


def test_a_seat_without_armies_left_is_skipped_in_placement():
    _, asked = setup(players=4)
    placing = [seat for where, seat in asked if where == "place"]
    assert Counter(placing) == {0: 19, 1: 19, 2: 20, 3: 20}
    assert placing[-2:] == [2, 3]


def test_a_placement_puts_one_army_on_an_own_territory():
    position, _ = setup(until="place", players=3)
    own = [IDS[t] for t in range(42) if position.state[k.OWNER + t] == position.turn]
    assert sorted(position.moves()) == sorted(own)
    assert armies(position.play(own[0]), own[0]) == 2


def test_the_first_turn_is_seat_0s():
    for options in (
        {"players": 4},
        {"players": 3, "draft_order": "snake"},
        {"players": 5, "claim": "deal"},
        {"players": 2},
    ):
        position, _ = setup(**options)
        assert (position.turn, int(position.state[k.TURN])) == (0, 1)


def test_two_seats_with_neutral_are_dealt_14_each_and_place_two_own_and_one_neutral():
    position, asked = setup(players=2)
    dealt = [x for x in asked if x[0] == "deal"]
    placing = [seat for where, seat in asked if where == "place"]
    assert len(dealt) == 42 and all(seat == CHANCE for _, seat in dealt)
    assert placing == [0, 0, 0, 1, 1, 1] * 13
    assert [int(x) for x in position.state[k.OWNS : k.OWNS + 3]] == [14, 14, 14]
    held = Counter()
    for t in range(42):
        held[int(position.state[k.OWNER + t])] += int(position.state[k.ARMIES + t])
    assert held == {0: 40, 1: 40, 2: 40}


def test_the_third_army_of_a_placement_with_neutral_goes_to_neutral():
    position, _ = setup(until="place", players=2)
    own = next(IDS[t] for t in range(42) if position.state[k.OWNER + t] == 0)
    position = through(position, own, own)
    assert armies(position, own) == 3
    assert {owner(position, name) for name in position.moves()} == {"N"}
    with pytest.raises(IllegalMove, match="not neutral"):
        position.play(own)


def test_with_neutral_the_wild_cards_are_in_the_deck_of_play():
    position = at("card", "alaska=A2 peru=B1", "N1", words="captured", players=2)
    assert {"A draws wild1", "A draws wild2"} <= set(position.moves()) and len(position.moves()) == 44


def test_neutral_always_defends_with_the_most_dice():
    position = at("attack", "alaska=A4 kamchatka=N3 peru=B1", "N1", players=2, defence="choose")
    assert phase(through(position, "alaska>kamchatka", "roll 1")) == "roll"
    assert int(through(position, "alaska>kamchatka", "roll 3").state[k.DEFENCE]) == 2


def test_neutral_never_has_a_turn():
    position = at("fortify", "alaska=A2 peru=B1", "N1", seat="B", players=2)
    assert position.play("end").turn == 0


def test_taking_a_neutral_territory_earns_the_card():
    position = at("attack", "alaska=A4 peru=B1", "N1", players=2)
    position = through(position, "alaska>kamchatka", "roll 3", "lost 0:1", "3", "stop", "end")
    assert phase(position) == "card"


def test_with_neutral_the_game_is_won_when_the_other_seat_has_nothing():
    position = at("attack", "alaska=A4 kamchatka=B1", "N1", players=2)
    position = through(position, "alaska>kamchatka", "roll 3", "lost 0:1", "3")
    assert position.over and position.payoff == (1.0, -1.0)


def test_wiping_neutral_out_gives_no_cards_and_ends_nothing():
    position = at("attack", "alaska=A4 kamchatka=N1", "B1", players=2, words="hands=peru/japan")
    position = through(position, "alaska>kamchatka", "roll 3", "lost 0:1", "3")
    assert phase(position) == "attack" and len(hand(position, 0)) == 1 and not position.over


def test_pure_has_two_sides_and_is_won_by_owning_everything():
    position = at("attack", "alaska=A4 kamchatka=B1", "A1", players=2, two_player="pure")
    position = through(position, "alaska>kamchatka", "roll 3", "lost 0:1", "3")
    assert position.over and position.payoff == (1.0, -1.0) and position.game.outcome(position) == "A wins"


# ----------------------------------------------------------------------------------------------- 4, 5: reinforcement


@pytest.mark.parametrize(
    ("own", "continents", "expected"),
    [
        (11, "", 3),
        (12, "", 4),
        (14, "", 4),
        (17, "australia south_america", 9),
        (8, "africa", 6),
        (1, "", 3),
        (42, "all", 38),
    ],
)
def test_reinforcement_is_a_third_of_the_territories_at_least_three_and_continents(own, continents, expected):
    wanted = [c.lower().replace(" ", "_") for c in CONTINENT_NAMES] if continents == "all" else continents.split()
    mine = {t for t in range(42) if CONTINENT_NAMES[CONTINENT[t]].lower().replace(" ", "_") in wanted}
    # the rest is taken from one continent after another, leaving the last of each, so that no bonus comes with it
    for t in range(42):
        later = any(CONTINENT[u] == CONTINENT[t] for u in range(t + 1, 42))
        if len(mine) < own and later:
            mine.add(t)
    assert len(mine) == own
    s = Risk(players=3).blank()
    s[k.OWNER : k.OWNER + 42] = [0 if t in mine else 1 for t in range(42)]
    s[k.OWNS : k.OWNS + 2] = own, 42 - own
    assert k.reinforcement(s, 0) == expected


def test_all_armies_are_placed_before_attacking_and_may_be_split_freely():
    position = at("reinforce", "alaska=A2 peru=A1", "B1", words="pool=5")
    position = through(position, "alaska", "2", "peru", "1")
    assert phase(position) == "reinforce" and int(position.state[k.POOL]) == 2
    position = through(position, "peru", "2")
    assert phase(position) == "attack" and (armies(position, "alaska"), armies(position, "peru")) == (4, 4)


def test_more_armies_than_the_pool_holds_cannot_be_placed():
    position = at("reinforce", "alaska=A2", "B1", words="pool=5").play("alaska")
    with pytest.raises(IllegalMove, match="from 1 to 5"):
        position.play("6")


# ----------------------------------------------------------------------------------------------------------- 6: cards


def trades(cards, **more):
    return at("trade", "peru=A2", words=f"pool=3 hands={'+'.join(cards)}/-/-", **more)


@pytest.mark.parametrize(
    ("cards", "is_set"),
    [
        (["alaska", "alberta", "western_united_states"], True),
        (["alaska", "northwest_territory", "greenland"], True),
        (["alaska", "alberta", "northwest_territory"], False),
        (["alaska", "alberta", "wild1"], True),
        (["alaska", "northwest_territory", "wild2"], True),
        (["alaska", "wild1", "wild2"], True),
    ],
)  # fmt: skip
def test_what_is_a_set(cards, is_set):
    position = trades(cards)
    assert ("+".join(cards) in position.moves()) == is_set
    if not is_set:
        with pytest.raises(IllegalMove, match="is no set"):
            position.play("+".join(cards))


@pytest.mark.parametrize(
    ("traded", "worth"), list(enumerate([4, 6, 8, 10, 12, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60]))
)
def test_escalating_values(traded, worth):
    words = (
        f"pool=3 hands=alaska+alberta+wild1/-/- sets={traded}" if traded else "pool=3 hands=alaska+alberta+wild1/-/-"
    )
    position = at("trade", "peru=A2", words=words).play("alaska+alberta+wild1")
    assert int(position.state[k.POOL]) == 3 + worth and int(position.state[k.SETS]) == traded + 1


def test_escalating_values_count_sets_of_all_seats():
    position = at("trade", "peru=A2", words="pool=3 hands=alaska+alberta+wild1/greenland+quebec+wild2/-")
    position = through(position, "alaska+alberta+wild1", "peru", "7", "stop", "end")
    assert position.turn == 1 and phase(position) == "trade"
    before = int(position.state[k.POOL])
    assert int(position.play("greenland+quebec+wild2").state[k.POOL]) == before + 6


@pytest.mark.parametrize(
    ("cards", "worth"),
    [
        ("alaska+alberta+western_united_states", 4), ("northwest_territory+ontario+eastern_united_states", 6),
        ("greenland+quebec+central_america", 8), ("alaska+northwest_territory+greenland", 10),
        ("alaska+alberta+wild1", 4), ("northwest_territory+ontario+wild1", 6), ("greenland+quebec+wild2", 8),
        ("alaska+greenland+wild1", 10), ("alaska+wild1+wild2", 10),
    ],
)  # fmt: skip
def test_fixed_values_with_wilds_for_the_best(cards, worth):
    position = at("trade", "peru=A2", words=f"pool=3 hands={cards}/-/-", cards="fixed").play(cards)
    assert int(position.state[k.POOL]) == 3 + worth


def test_a_traded_card_of_an_own_territory_puts_two_armies_on_it_at_once():
    position = at("trade", "alaska=A2", words="pool=3 hands=alaska+alberta+wild1/-/-").play("alaska+alberta+wild1")
    assert armies(position, "alaska") == 4 and int(position.state[k.POOL]) == 7


def test_with_several_own_territories_on_the_cards_the_trader_chooses():
    position = at("trade", "alaska=A2 alberta=A1", words="pool=3 hands=alaska+alberta+wild1/-/-").play(
        "alaska+alberta+wild1"
    )
    assert sorted(position.moves()) == ["alaska", "alberta"]
    position = position.play("alberta")
    assert (armies(position, "alaska"), armies(position, "alberta"), phase(position)) == (2, 3, "reinforce")


def test_the_territory_bonus_comes_once_a_turn_however_many_sets():
    words = "pool=3 hands=alaska+alberta+western_united_states+greenland+quebec+wild1/-/-"
    position = at("trade", "alaska=A2 greenland=A1", words=words)
    position = through(position, "alaska+alberta+western_united_states", "greenland+quebec+wild1")
    assert (armies(position, "alaska"), armies(position, "greenland")) == (4, 1)


def test_five_cards_must_be_traded_and_four_need_not():
    five = trades(["alaska", "alberta", "northwest_territory", "ontario", "greenland"])
    assert "keep" not in five.moves() and five.moves()
    with pytest.raises(IllegalMove, match="a set must be traded"):
        five.play("keep")
    assert "keep" in trades(["alaska", "alberta", "wild1", "ontario"]).moves()


def test_any_five_cards_contain_a_set():
    from itertools import combinations_with_replacement

    for cards in combinations_with_replacement([0, 1, 2, k.WILD], 5):
        threes = [(cards[a], cards[b], cards[c]) for a in range(5) for b in range(a + 1, 5) for c in range(b + 1, 5)]
        assert any(k.is_set(*three) for three in threes), cards


def test_two_cards_are_no_question_of_trading():
    position = at("fortify", "peru=A2 japan=B1", seat="C", rest="C1", words="hands=alaska+alberta/-/-")
    assert phase(position.play("end")) == "reinforce"


def test_cards_are_traded_only_in_the_first_step_of_the_own_turn():
    position = at("attack", "peru=A2", words="hands=alaska+alberta+wild1/-/-")
    with pytest.raises(StratagemError):
        position.play("alaska+alberta+wild1")


def test_traded_cards_become_the_deck_when_it_is_empty():
    listed = [*IDS, "wild1", "wild2"]
    words = f"captured hands={'+'.join(listed[:10])}/{'+'.join(listed[10:40])}/- discard={'+'.join(listed[40:])}"
    position = at("fortify", "peru=A2", words=words).play("end")
    assert {text.removeprefix("A draws ") for text in position.moves()} == set(listed[40:])
    assert not (position.state[k.CARD : k.CARD + k.DECK] == k.DISCARDED).any()


def test_if_deck_and_discards_are_empty_no_card_is_drawn():
    listed = [*IDS, "wild1", "wild2"]
    words = f"captured hands={'+'.join(listed[:4])}/{'+'.join(listed[4:])}/-"
    position = at("fortify", "peru=A2 japan=C1", words=words).play("end")
    assert position.turn == 1 and len(hand(position, 0)) == 4


def test_without_cards_nothing_is_drawn():
    position = at("fortify", "peru=A2 japan=C1", words="captured", cards="none").play("end")
    assert position.turn == 1


# ---------------------------------------------------------------------------------------------------------- 7: attack


@pytest.mark.parametrize(("held", "dice"), [(2, 1), (3, 2), (4, 3), (9, 3)])
def test_the_attacker_rolls_up_to_three_dice_and_one_army_stays(held, dice):
    position = at("attack", f"alaska=A{held}").play("alaska>kamchatka")
    assert [text for text in position.moves() if text.startswith("roll")] == [f"roll {n}" for n in range(1, dice + 1)]


@pytest.mark.parametrize(("held", "dice"), [(1, 1), (2, 2), (5, 2)])
def test_the_defender_rolls_up_to_two_dice(held, dice):
    position = through(at("attack", f"alaska=A9 kamchatka=B{held}"), "alaska>kamchatka", "roll 3")
    assert int(position.state[k.DEFENCE]) == dice


def test_a_defender_who_may_choose_knows_the_attackers_dice():
    position = through(at("attack", "alaska=A9 kamchatka=B2", defence="choose"), "alaska>kamchatka", "roll 2")
    assert (phase(position), position.turn, position.moves()) == ("defend", 1, ["defend 1", "defend 2"])
    assert "dice=2" in str(position.view(1))
    assert int(position.play("defend 1").state[k.DEFENCE]) == 1
    alone = through(at("attack", "alaska=A9 kamchatka=B1", defence="choose"), "alaska>kamchatka", "roll 2")
    assert phase(alone) == "roll"


@pytest.mark.parametrize(("attack", "defence"), [(a, d) for a in (1, 2, 3) for d in (1, 2)])
def test_a_roll_has_the_exact_odds(attack, defence):
    position = through(at("attack", f"alaska=A{attack + 1} kamchatka=B{defence}"), "alaska>kamchatka", f"roll {attack}")
    game, stake = position.game, min(attack, defence)
    assert position.moves() == [f"lost {lost}:{stake - lost}" for lost in range(stake + 1)]
    for lost, outcomes in enumerate(roll(attack, defence)):
        assert game.run("odds", game.g, position.state, lost) == pytest.approx(
            outcomes / 6 ** (attack + defence), abs=1e-15
        )


def test_after_a_roll_the_attacker_may_stop_go_on_or_attack_elsewhere():
    position = through(at("attack", "alaska=A5 peru=A3 kamchatka=B3"), "alaska>kamchatka", "roll 3", "lost 1:1")
    assert phase(position) == "attack"
    assert {"stop", "alaska>kamchatka", "peru>brazil"} <= set(position.moves())


def test_after_a_capture_at_least_the_dice_rolled_move_in_and_at_most_all_but_one():
    position = through(at("attack", "alaska=A6"), "alaska>kamchatka", "roll 2", "lost 0:1")
    assert position.moves() == ["2", "3", "4", "5"]
    for wrong in ("1", "6"):
        with pytest.raises(IllegalMove, match="from 2 to 5"):
            position.play(wrong)
    position = position.play("4")
    assert (armies(position, "alaska"), armies(position, "kamchatka"), owner(position, "kamchatka")) == (2, 4, "A")


def test_the_armies_moved_in_may_attack_at_once():
    position = through(at("attack", "alaska=A6"), "alaska>kamchatka", "roll 3", "lost 0:1", "5")
    assert "kamchatka>japan" in position.moves() and "alaska>alberta" not in position.moves()


@pytest.mark.parametrize(
    ("held", "defenders", "keep"), [(4, 2, 1), (6, 3, 1), (6, 3, 3), (9, 5, 4), (3, 1, 2), (12, 9, 1)]
)
def test_until_gives_exactly_the_distribution_of_single_rolls(held, defenders, keep):
    def ends(position):
        """(attackers, defenders) to probability, through chance nodes only."""
        found: Counter = Counter()
        stack = [(position, Fraction(1))]
        while stack:
            at_, p = stack.pop()
            if at_.turn != CHANCE:
                found[armies(at_, "alaska"), armies(at_, "kamchatka")] += p
                continue
            dice, defence = int(at_.state[k.DICE]), int(at_.state[k.DEFENCE])
            for text, n in zip(at_.moves(), roll(dice, defence), strict=True):
                stack.append((at_.play(text), p * Fraction(n, 6 ** (dice + defence))))
        return found

    def singly(a, d):
        """The same by the definition: the most dice, again and again."""
        found, open_ = Counter(), Counter({(a, d): Fraction(1)})
        while open_:
            (a, d), p = max(open_.items(), key=lambda item: sum(item[0]))
            del open_[a, d]
            if d == 0 or a <= keep:
                found[a, d] += p
                continue
            dice = min(3, a - 1), min(2, d)
            for lost, n in enumerate(roll(*dice)):
                open_[a - lost, d - min(dice) + lost] += p * Fraction(n, 6 ** sum(dice))
        return found

    position = through(at("attack", f"alaska=A{held} kamchatka=B{defenders}"), "alaska>kamchatka", f"until {keep}")
    found = ends(position)
    assert found == singly(held, defenders)
    if keep == 1:
        assert sum(p for (_, d), p in found.items() if d == 0) == odds(held - 1, defenders).exact


# ----------------------------------------------------------------------------------------------------- 8: elimination


def wiped_out(own, theirs, lands="alaska=A6 kamchatka=B1", more=""):
    """A takes B's last territory; both hold cards."""
    words = f"hands={own or '-'}/{theirs or '-'}/- {more}"
    return through(at("attack", lands, "C1", words=words), "alaska>kamchatka", "roll 3", "lost 0:1", "3")


def test_the_cards_of_a_seat_wiped_out_go_to_its_captor():
    position = wiped_out("peru", "japan+siam")
    assert len(hand(position, 0)) == 3 and not hand(position, 1) and phase(position) == "attack"


def test_with_six_cards_or_more_the_captor_trades_at_once_until_four_or_fewer():
    own = "alaska+alberta+western_united_states+venezuela"
    position = wiped_out(own, "greenland+quebec+central_america+brazil")  # 8 cards
    assert phase(position) == "trade" and "keep" not in position.moves()
    position = position.play("alberta+western_united_states+venezuela")  # 5 left: still more than four
    assert phase(position) == "trade" and "keep" not in position.moves()
    position = position.play("greenland+quebec+central_america")  # 2 left
    assert phase(position) == "reinforce" and int(position.state[k.POOL]) == 4 + 6
    position = through(position, "kamchatka", "10")
    assert phase(position) == "attack" and armies(position, "kamchatka") == 13


def test_trading_after_an_elimination_stops_at_four_cards_even_with_another_set():
    position = wiped_out(
        "alaska+alberta+western_united_states+venezuela", "greenland+quebec+central_america"
    )  # 7 cards
    position = position.play("alberta+western_united_states+venezuela")  # 4 left, three of them a set
    assert phase(position) == "reinforce"


def test_the_territory_bonus_of_a_turn_counts_both_occasions_of_trading():
    own, theirs = "alaska+alberta+western_united_states", "greenland+quebec+central_america"
    again = wiped_out(own, theirs, more="bonus").play("alaska+alberta+western_united_states")
    fresh = wiped_out(own, theirs).play("alaska+alberta+western_united_states")
    assert (armies(again, "alaska"), armies(fresh, "alaska")) == (3, 5)


def test_a_seat_that_is_out_is_skipped():
    position = at("fortify", "alaska=A3 kamchatka=C1", "C1").play("end")
    assert position.turn == 2


# --------------------------------------------------------------------------------------------------- 9, 10: the end

CHAIN = "alaska=A3 northwest_territory=A1 greenland=A1 peru=A2 kamchatka=C1"


def test_an_adjacent_fortification_goes_to_a_neighbour_and_leaves_one_army():
    position = at("fortify", CHAIN)
    assert set(position.moves()) == {"end", "alaska>northwest_territory"}
    assert position.play("alaska>northwest_territory").moves() == ["1", "2"]


def test_a_connected_fortification_goes_along_own_territories():
    position = at("fortify", CHAIN, fortify="connected")
    assert set(position.moves()) == {"end", "alaska>northwest_territory", "alaska>greenland"}
    position = through(position, "alaska>greenland", "2")
    assert (armies(position, "alaska"), armies(position, "greenland"), position.turn) == (1, 3, 1)


def test_without_fortification_the_turn_ends_with_the_attacks():
    assert at("attack", CHAIN, fortify="none").play("stop").turn == 1


def test_one_fortification_ends_the_turn():
    position = through(at("fortify", CHAIN), "alaska>northwest_territory", "1")
    assert position.turn == 1 and phase(position) == "reinforce"


def test_owning_everything_wins_at_once_after_the_occupation():
    position = at("attack", "alaska=A6 kamchatka=C1", "A1", words="hands=peru/-/japan")
    position = through(position, "alaska>kamchatka", "roll 3", "lost 0:1", "5")
    assert position.over and position.payoff == (1.0, -0.5, -0.5)


def test_a_game_stopped_by_the_cap_has_no_winner_and_says_how_all_stand():
    position = at("fortify", "alaska=A3 kamchatka=C1", turn=9, turn_cap=9).play("end")
    assert position.over and position.payoff == (0.0, 0.0, 0.0)
    assert position.game.outcome(position).startswith("undecided after 9 turns: A 1 territories and 3 armies, B 40")


# --------------------------------------------------------------------------------------------------------- 12: rulings


def test_ruling_1_captures_of_the_same_turn_never_add_to_reinforcement():
    lands = "indonesia=A5 western_australia=A1 eastern_australia=A1 new_guinea=B1 peru=B1 kamchatka=C1"
    position = at("reinforce", lands, "C1", words="pool=3")
    position = through(position, "indonesia", "3", "indonesia>new_guinea", "roll 3", "lost 0:1", "3")
    assert phase(position) == "attack" and int(position.state[k.POOL]) == 0
    assert k.reinforcement(position.state, 0) == 5  # the next turn's


def test_ruling_2_a_set_may_be_traded_though_no_armies_are_needed():
    position = at("trade", "kamchatka=B1 japan=C1", "A9", words="pool=30 hands=alaska+alberta+wild1/-/-")
    assert "alaska+alberta+wild1" in position.moves()


def test_ruling_3_bonus_armies_stand_on_the_territory_and_not_in_the_pool():
    position = at("trade", "alaska=A2 peru=A1", words="pool=3 hands=alaska+alberta+wild1/-/-").play(
        "alaska+alberta+wild1"
    )
    assert (armies(position, "alaska"), int(position.state[k.POOL])) == (4, 3 + 4)


def test_ruling_4_armies_of_a_set_join_the_pool():
    position = at("trade", "peru=A2", words="pool=3 hands=alaska+alberta+wild1/-/-").play("alaska+alberta+wild1")
    assert position.play("peru").moves() == [str(n) for n in range(1, 8)]


def test_ruling_5_two_sets_in_one_turn_take_consecutive_values():
    words = "pool=3 hands=alaska+alberta+western_united_states+greenland+quebec+wild1/-/- sets=4"
    position = at("trade", "peru=A2", words=words)
    position = through(position, "alaska+alberta+western_united_states", "greenland+quebec+wild1")
    assert int(position.state[k.POOL]) == 3 + 12 + 15


def test_ruling_6_an_adjacent_fortification_does_not_go_two_hops():
    with pytest.raises(IllegalMove, match="touches"):
        at("fortify", CHAIN).play("alaska>greenland")


def test_ruling_7_no_attack_from_one_army_nor_against_an_own_territory():
    position = at("attack", "alaska=A1 peru=A3 brazil=A1")
    with pytest.raises(IllegalMove, match="alaska has 1 army"):
        position.play("alaska>kamchatka")
    with pytest.raises(IllegalMove, match="brazil is A's own"):
        position.play("peru>brazil")
    with pytest.raises(StratagemError):  # an empty territory does not exist
        at("attack", "alaska=A0")


def test_ruling_8_the_occupation_comes_before_the_cards_of_the_seat_wiped_out():
    words = "hands=peru/japan+siam/-"
    position = through(
        at("attack", "alaska=A6 kamchatka=B1", "C1", words=words), "alaska>kamchatka", "roll 3", "lost 0:1"
    )
    assert phase(position) == "occupy" and len(hand(position, 0)) == 1 and len(hand(position, 1)) == 2
    assert len(hand(position.play("3"), 0)) == 3


def test_ruling_9_the_card_is_drawn_after_fortifying_once_however_many_captures():
    position = through(at("attack", "alaska=A9"), "alaska>kamchatka", "roll 3", "lost 0:1", "8")
    position = through(position, "kamchatka>japan", "roll 3", "lost 0:1", "7", "stop")
    assert phase(position) == "fortify" and not hand(position, 0)
    position = position.play("end")
    assert phase(position) == "card"
    position = position.play("A draws peru")
    assert len(hand(position, 0)) == 1 and position.turn == 1


def test_ruling_10_five_cards_after_an_elimination_wait_and_six_begin_the_next_turn():
    position = wiped_out("alaska+alberta+northwest_territory", "greenland+quebec")
    assert phase(position) == "attack" and len(hand(position, 0)) == 5
    position = through(position, "stop", "end", "A draws peru", "iceland", "25", "stop", "end")
    assert position.turn == 0 and phase(position) == "trade" and len(hand(position, 0)) == 6
    assert "keep" not in position.moves()


def test_ruling_11_a_single_territory_still_brings_three_armies():
    position = at("fortify", "alaska=A1 kamchatka=C1", seat="C").play("end")
    assert position.turn == 0 and int(position.state[k.POOL]) == 3


def test_ruling_12_the_last_pick_is_reported_though_there_is_no_choice():
    position, _ = setup(until="place", players=3)
    before = Risk(players=3).replay(position.history[:-1])
    assert len(position.history) == 42 and before.moves() == [position.history[-1]]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("atlantis>alaska", UnknownName), ("alaska>china", IllegalMove), ("alaska>kamchatka;roll 9", IllegalMove),
        ("northwest_territory>alberta", IllegalMove), ("", StratagemError), ("alaska", IllegalMove), ("3", StratagemError),
    ],
)  # fmt: skip
def test_ruling_13_illegal_input_is_reported_and_changes_nothing(text, error):
    position = at("attack", "alaska=A3 northwest_territory=A1")
    before = str(position), position.state.tobytes()
    with pytest.raises(error) as caught:
        position.play(text)
    assert len(str(caught.value).splitlines()) == 1 and str(caught.value)
    assert (str(position), position.state.tobytes()) == before and position.turn == 0


def test_ruling_14_nothing_passes_between_seats_but_by_conquest():
    for where, words in (("reinforce", "pool=3"), ("fortify", "")):
        position = at(where, CHAIN, words=words)
        targets = {text.split(">")[-1] for text in position.moves()} - {"end"}
        assert {owner(position, name) for name in targets} == {"A"}


# ---------------------------------------------------------------------------------------------------- 13: determinism


def test_equal_seeds_give_equal_games_and_a_record_replays():
    def played(seed):
        game, rng = Risk(players=3, turn_cap=12), generator(seed)
        position = game.start()
        while not position.over:
            position = position.play(position.sample(rng))
        return position

    one, two, other = played(5), played(5), played(6)
    assert one.history == two.history and one == two and one.history != other.history
    again = one.game.replay(one.history)
    assert again == one and hash(again) == hash(one) and str(again) == str(one)


# ------------------------------------------------------------------------------------------------ chance, large numbers


@pytest.mark.parametrize(("attack", "defence"), [(a, d) for a in (1, 2, 3) for d in (1, 2)])
def test_drawn_dice_have_the_odds_of_the_roll(attack, defence):
    position = through(
        at("attack", f"alaska=A{attack + 1} kamchatka=B{defence + 1}"), "alaska>kamchatka", f"roll {attack}"
    )
    s = position.state.copy()
    s[k.DEFENCE] = defence
    game, rng, lost, rounds = position.game, generator(9), Counter(), 3000
    for _ in range(rounds):
        after = s.copy()
        game.run("draw", game.g, after, rng)
        lost[attack + 1 - int(after[k.ARMIES])] += 1
    for n, outcomes in enumerate(roll(attack, defence)):
        p = outcomes / 6 ** (attack + defence)
        assert abs(lost[n] / rounds - p) < 4.5 * (p * (1 - p) / rounds) ** 0.5


def test_drawn_cards_are_all_unseen_ones_alike():
    held = "+".join(IDS[:30])
    position = at("card", "peru=A2", words=f"captured hands={held}/{'+'.join(IDS[30:40])}/-")
    game, rng, drawn, rounds = position.game, generator(4), Counter(), 2000
    for _ in range(rounds):
        s = position.state.copy()
        game.run("draw", game.g, s, rng)
        drawn[next(c for c in range(40, 44) if s[k.CARD + c] == k.HAND)] += 1
    assert set(drawn) == {40, 41, 42, 43} and all(abs(n / rounds - 0.25) < 0.045 for n in drawn.values())


def test_numbers_too_many_to_list_can_still_be_played():
    position = at("reinforce", "peru=A2", words="pool=5000").play("peru")
    listed = position.moves()
    assert len(listed) <= k.LISTED and listed[0] == "1" and listed[-1] == "5000"
    assert armies(position.play("4321"), "peru") == 4323
    attack = at("attack", "alaska=A5000 kamchatka=B3000").play("alaska>kamchatka")
    assert len(attack.moves()) <= k.LISTED and {"roll 1", "roll 3", "until 1", "until 4999"} <= set(attack.moves())
    assert phase(attack.play("until 2345")) == "roll"
    with pytest.raises(IllegalMove):
        attack.play("until 5000")


def test_a_placement_with_neutral_out_of_turn_is_refused():
    position, _ = setup(until="place", players=2)
    for _ in range(40):
        text = str(position)
        assert position.game.parse(text) == position
        for wrong in ("A1,", "B1,", "N1,"):
            if wrong in text:
                with pytest.raises(StratagemError):  # one army more than there can be
                    position.game.parse(text.replace(wrong, f"{wrong[0]}2,", 1))
        position = position.play(position.moves()[0])
