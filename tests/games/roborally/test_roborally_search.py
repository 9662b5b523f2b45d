"""RoboRally's player in parts: expected turns, the search for a robot alone, remembered playouts, reductions, fitted weights."""

import itertools
import json
import math
import random

import numpy as np
import pytest

import stratagem
from stratagem.compile import Bound, specialise
from stratagem.contract.player import Choice, Clock
from stratagem.errors import OptionError
from stratagem.games.roborally import deal, expected, fitting, heuristics, kernels
from stratagem.games.roborally import layout as k
from stratagem.games.roborally.course import course_names, load_course
from stratagem.games.roborally.equivalence import Locked, Numbering
from stratagem.games.roborally.game import robot
from stratagem.games.roborally.players import EVALUATORS, MonteCarloRally, RallySettings, constants, fitted, path_alone
from stratagem.rng import generator
from stratagem.search.budget import Budget
from stratagem.search.sampling.montecarlo import MonteCarlo

TINY = {
    "cells": [".. >1 v2 ..", ".. () .. g+", ".. <1 .. .."],
    "walls": [[0, 0, "S"]],
    "docks": [[1, 0, 0, "E"], [2, 0, 2, "E"]],
    "flags": [[3, 0], [0, 1]],
}
CARDS = {0: range(1, 7), 1: range(7, 43, 2), 2: range(8, 43, 2), 3: range(43, 49), 4: range(49, 67), 5: range(67, 79),
         6: range(79, 85)}  # fmt: skip
EFFECT = {card: effect for effect, cards in CARDS.items() for card in cards}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    file = tmp_path_factory.mktemp("courses") / "tiny.json"
    file.write_text(json.dumps(TINY))
    return stratagem.game("roborally", course=str(file), robots=2)


def table(game):
    """Where the effect of a card leads: [register, node, effect]."""
    g = game.g
    return g[g[k.LONE_AT] : g[k.REACH_AT]].reshape(5, 4 * int(g[k.SPACES]), 7)


def plain_best(game, node, flag, archive, hand, locked, judge, register_worth):
    """The least that any programme leaves to go, by trying every order of cards."""
    leads, flags = table(game), [game.course.index(*space) for space in game.course.flags]
    least = math.inf
    for cards in set(itertools.permutations([EFFECT[c] for c in hand], 5 - len(locked))):
        here, due, worth = node, flag, None
        for r, effect in enumerate((*cards, *(EFFECT[c] for c in locked))):
            here = int(leads[r, here, effect])
            if here < 0:
                worth = heuristics.LOST * register_worth + min(judge(due, 4 * archive + d) for d in range(4))
                break
            if here // 4 == flags[due - 1]:
                due += 1
                if due > len(flags):
                    worth = (r + 1 - 5) * register_worth
                    break
        least = min(least, judge(due, here) if worth is None else worth)
    return least


def test_expected_turns_are_a_fixed_point_of_value_iteration(tiny):
    """One more turn with the best programme of a fresh hand, found by trying all, leaves the values where they are."""
    values = expected.compute(tiny, hands=300).reshape(2, -1)
    rng = random.Random(1)
    spaces = [tiny.course.index(*space) for space, token in tiny.course.cells.items() if token != "()"]
    nodes = [(flag, 4 * space + d) for flag in (1, 2) for space in spaces[::3] for d in (0, 2)]
    found = {node: [] for node in nodes}
    for _ in range(14):
        hand = rng.sample(range(1, 85), 9)
        for flag, node in nodes:
            best = plain_best(
                tiny,
                node,
                flag,
                node // 4,
                hand,
                (),
                lambda due, at: int(values[due - 1, at]),
                heuristics.REGISTER_UNITS,
            )
            found[flag, node].append(heuristics.TURN_UNITS + best)
    errors = [np.mean(found[flag, node]) - values[flag - 1, node] for flag, node in nodes]
    assert abs(np.mean(errors)) < 8 and np.max(np.abs(errors)) < 20  # hundredths of a turn; values are 40 to 310
    assert values[1].max() < values[0].max()  # one flag fewer to go


def test_expected_turns_of_shipped_courses_are_there():
    for name in course_names():
        g = load_course(name).ground()
        values = expected.known(g)
        where = expected.place(g)
        assert values is not None and len(values) == where.stop - where.start
        assert values.min() >= 0 and values.max() <= expected.MOST_TURNS * heuristics.TURN_UNITS


def test_the_search_for_a_robot_alone_finds_what_trying_all_finds():
    game = stratagem.game("roborally", course="Dizzy Dash", robots=2)
    own = constants(game, "registers")
    search, alone, cards_of = (
        specialise(f, own, target="python") for f in (heuristics.search_alone, heuristics.alone, heuristics.cards_of)
    )
    distance = specialise(heuristics.distance, own, target="python")
    rng = random.Random(2)
    spaces = [game.course.index(*space) for space, token in game.course.cells.items() if token != "()"]
    flags = [game.course.index(*space) for space in game.course.flags]
    for case in range(36):
        s = game.blank()
        s[: game.size] = game.start().state[: game.size]
        damage = rng.choice((0, 2, 3, 4, 5, 6, 8))
        cards = rng.sample(range(1, 85), 15)
        open_ = min(5, 9 - damage)
        a = robot(s, 0)
        near = flags[case % 3] if case % 2 else rng.choice(spaces)  # half of them beside a flag
        a[k.AT], a[k.FACING], a[k.ARCHIVE] = near - (case % 2), rng.randrange(4), spaces[0]
        a[k.NEXT], a[k.DAMAGE], a[k.STATUS] = 1 + case % 3, damage, k.RACING
        if a[k.AT] not in spaces:
            continue
        a[k.HAND : k.HAND + 9 - damage] = sorted(cards[: 9 - damage])
        a[k.REGISTER + open_ : k.REGISTER + 5] = cards[9 : 14 - open_]
        plain = plain_best(
            game, 4 * int(a[k.AT]) + int(a[k.FACING]), int(a[k.NEXT]), spaces[0], cards[: 9 - damage], cards[9 : 14 - open_],
            lambda due, at: distance(game.g, due, at // 4, at % 4), 1,
        )  # fmt: skip
        for turned in (0, 4):
            assert search(game.g, s, 0, turned) == plain
            m = cards_of(s, 0, int(s[game.size + heuristics.BEST_EFFECTS]), open_, turned % max(9 - damage, 1))
            used = [m >> (7 * r) & 127 for r in range(open_)]
            assert sorted(set(used)) == sorted(used) and set(used) <= set(cards[: 9 - damage])
            assert alone(game.g, s, 0, m) == plain


def test_turning_back_early_changes_no_programme():
    """The search with bounds finds the very programme that it finds without, by registers and by expected turns."""
    game = stratagem.game("roborally", course="Dizzy Dash", robots=2)
    deal_hands = specialise(deal.deal_hands, game.names["turn"].names, target="python")
    for evaluator in ("registers", "turns"):
        own = constants(game, evaluator)
        quick, full = (
            specialise(heuristics.search_alone, {**own, "PRUNES": prunes}, target="python") for prunes in (True, False)
        )
        r = generator(7)
        for case in range(12):
            s = game.blank()
            s[: game.size] = game.start(seed=case).state[: game.size]
            a = robot(s, 0)
            a[k.AT], a[k.FACING] = game.course.index(2 + case % 8, 3 + case // 2), case % 4
            a[k.NEXT], a[k.DAMAGE] = 1 + case % 3, (0, 0, 3)[case % 3]
            deal_hands(s, -1, r)
            found = [
                (int(search(game.g, s, 0, case % 7)), int(s[game.size + heuristics.BEST_EFFECTS]))
                for search in (quick, full)
            ]
            assert found[0] == found[1]


def test_who_has_rested_is_not_taken_to_rest_again(tiny):
    """Powered down before the deal is a turn to come without a programme, and at the end of the turn one that is over."""
    own = constants(tiny, "registers")
    terms = specialise(heuristics.terms, own, target="python")
    s = tiny.blank()
    s[: tiny.size] = tiny.start(seed=1).state[: tiny.size]
    robot(s, 0)[k.DOWN] = 1
    rests = []
    for phase in (k.DEALING, k.PROGRAMMING, k.ENTERING, k.STAYING):
        s[k.PHASE] = phase
        terms(tiny.g, s, 0)
        rests.append(int(s[tiny.size + heuristics.FOUND + heuristics.TERMS.index("PER_REST")]))
    assert rests == [1, 1, 0, 0]


def test_remembered_guesses_and_replies_give_the_same_playouts(tiny):
    view = tiny.start(seed=3).view(0)
    own = constants(tiny, "registers", "any")
    numbers = [4, 80, 200]
    moves = specialise(kernels.moves, own, target="python")
    listed = np.zeros(tiny.max_moves, np.int64)
    moves(tiny.g, view.state.copy(), 0, listed)
    found = [
        MonteCarlo(
            tiny, share="uniform", target="python", playout_depth=1, remember=remember,
            strategy=Bound(heuristics.playout, own), evaluate=Bound(heuristics.value, own),
            names={"counted": heuristics.turns, "count": Bound(heuristics.asked, own)},
        ).estimates(view, Clock(None), seat=0, simulations=36, only=[int(listed[n]) for n in numbers])
        for remember in (False, True)
    ]  # fmt: skip
    assert found[0] == found[1]
    assert len({one.value for one in found[0]}) == 3 and all(one.samples == 12 for one in found[0])


def first_looking(seed=0, **options):
    game = stratagem.game("roborally", course="Checkmate", robots=3)
    own = {"evaluator": "registers", "playout": "any", "share": "uniform", "target": "python", "keep": 10}
    return game.start(seed=5).view(0), MonteCarloRally(game, seed=seed, **{**own, **options})


def test_a_first_look_keeps_programmes_that_end_in_other_ways_and_none_that_was_better_is_lost():
    best, spread = [], []
    for wide in (0, 200):
        view, thinker = first_looking(wide=wide, simulations=800)
        kept = thinker.kept(view, 0)
        assert len(kept) == len(set(kept)) == 10
        judge = first_looking(seed=50, turns=1)[1].engine  # by other hands
        worth = [one.value for one in judge.estimates(view, Clock(None), seat=0, simulations=900, only=kept[:9])]
        best.append(max(worth))
        spread.append(max(worth) - min(worth))
    assert spread[0] < 0.03 < spread[1]
    assert best[1] > best[0] - 0.01


def test_few_playouts_leave_the_first_look_out():
    view, plain = first_looking(wide=0)
    kept = plain.kept(view, 0)
    assert first_looking(simulations=40)[1].kept(view, 0) == kept
    assert first_looking(simulations=800)[1].kept(view, 0) != kept


def test_the_first_look_takes_its_part_of_the_clock():
    view, thinker = first_looking(wide=100)
    budget = Budget(0.0)
    kept = thinker.kept(view, 0, budget)
    assert budget.work == 1600 and budget.stopped and len(kept) == 10


def test_reductions_count_what_people_count():
    game = stratagem.game("roborally", course="Checkmate", robots=2)
    rng = random.Random(5)
    counts = {
        reduce: specialise(kernels.count, constants(game, "registers", reduce=reduce), target="python")
        for reduce in ("none", 0, 1)
    }
    merged = 0
    for _ in range(40):
        damage = rng.choice((0, 2, 5, 6))
        hand_size, open_ = 9 - damage, min(5, 9 - damage)
        block = rng.choice((range(49, 67), range(67, 79), range(1, 85)))  # often neighbours
        hand = sorted(rng.sample([*block], min(hand_size, len(block))))
        hand = sorted({*hand, *rng.sample([c for c in range(1, 85) if c not in hand], hand_size - len(hand))})
        rest = [c for c in range(min(hand), max(hand)) if c not in hand] or [c for c in range(1, 85) if c not in hand]
        rest += [c for c in range(1, 85) if c not in hand and c not in rest]
        own, theirs = rest[: 5 - open_], rest[5 - open_ :][:1]
        s = game.blank()
        s[: game.size] = game.start().state[: game.size]
        s[k.PHASE] = k.PROGRAMMING
        for p, (harm, cards, locked) in enumerate(((damage, hand, own), (5, [], theirs))):
            a = robot(s, p)
            a[k.DAMAGE], a[k.STATUS], a[k.AT] = harm, k.RACING, p
            a[k.HAND : k.HAND + len(cards)] = cards
            a[k.REGISTER + 5 - len(locked) : k.REGISTER + 5] = locked
        locks = (*(Locked(open_ + 1 + j, card, True) for j, card in enumerate(own)), Locked(5, theirs[0]))
        twice = 2 if damage else 1  # with and without a power-down
        plain = counts["none"](game.g, s, 0) // twice
        assert plain == math.perm(hand_size, open_)
        levels = [counts[level](game.g, s, 0) // twice for level in (0, 1)]
        assert levels == [Numbering(tuple(hand), open_, locks, level=level).count for level in (0, 1)]
        assert plain >= levels[0] >= levels[1]
        merged += levels[0] > levels[1]
    assert merged > 3
    with pytest.raises(OptionError, match="none, 0, 1, 2"):
        constants(game, "registers", reduce=3)


def test_weights_are_recovered_from_results_drawn_by_them():
    rng = np.random.default_rng(6)
    true = np.array([-0.8, 0.5, 0.0])
    x = rng.normal(size=(6000, 4, 3))
    present = rng.random((6000, 4)) < 0.9
    present[:, 0] = True
    p = fitting.chances(x, present, true)
    assert np.allclose(p.sum(axis=1), 1) and (p[~present] == 0).all()
    y = np.array([rng.multinomial(1, row) for row in p], float)
    assert np.abs(fitting.fit(x, present, y) - true).max() < 0.08


def test_every_evaluator_has_its_weights_and_the_card_its_figures():
    data = fitted()
    assert set(data["weights"]) == set(EVALUATORS) and set(EVALUATORS) < set(data["card"])
    for name in EVALUATORS:
        assert set(data["weights"][name]) == set(heuristics.TERMS) and data["weights"][name]["PER_WAY"] < 0
        assert 0.25 < data["card"][name]["favourite_wins"] < 1
    best = min(EVALUATORS, key=lambda name: data["card"][name]["log_loss"])
    assert best == "turns"  # the default
    game = stratagem.game("roborally", course="Checkmate", robots=2)
    assert constants(game, "turns")["PER_WAY"] == data["weights"]["turns"]["PER_WAY"]
    assert constants(game, "turns", PER_WAY=-0.5)["PER_WAY"] == -0.5
    assert constants(game, "turns", PER_WAY=-1.0)["PER_WAY"] == -1.0


@pytest.mark.slow
def test_fitting_on_a_few_games_beats_even_chances():
    game, kept, y, number = fitting.self_play("Dizzy Dash", 2, 60, 1)
    assert set(number) == set(range(60)) and np.allclose(y.sum(axis=1), 1)
    found = np.zeros((len(kept), 2, len(heuristics.TERMS)))
    specialise(fitting.measure, {**game.names, **constants(game, "registers")}, target="python")(
        game.g, game.blank(), kept, found
    )
    present = kept[:, k.ROBOTS + k.STATUS : game.size : k.ROBOT] != k.GONE
    w = fitting.fit(found, present, y)
    p = fitting.chances(found, present, w)
    assert -np.mean(np.sum(y * np.log(np.maximum(p, 1e-12)), axis=1)) < math.log(2) and w[0] < 0


def test_options_of_the_player_are_checked():
    game = stratagem.game("roborally", course="Checkmate", robots=2)
    for bad in ({"turns": 0}, {"turns": "ned"}, {"keep": -1}, {"wide": -1}, {"evaluator": "E9"}, {"playout": "P7"},
                {"candidates": -1}, {"weights": "x"}, {"share": "all"}):  # fmt: skip
        with pytest.raises(OptionError):
            MonteCarloRally(game, **bad)


def test_evaluators_and_strategies_are_known_by_their_names_in_any_case():
    game = stratagem.game("roborally", course="Checkmate", robots=2)
    for n, evaluator in enumerate(("straight", "walk", "registers", "turns")):
        assert constants(game, evaluator.upper()) == constants(game, evaluator)
        assert constants(game, evaluator)["EVALUATOR"] == n
    for n, strategy in enumerate(("any", "reduced", "best", "straying", "drawn")):
        assert constants(game, "walk", strategy)["STRATEGY"] == n
    with pytest.raises(OptionError, match="'E1' is none of straight, walk, registers, turns"):
        constants(game, "E1")
    with pytest.raises(OptionError, match="'P1' is none of any, reduced, best, straying, drawn"):
        constants(game, "walk", "P1")


def test_playouts_go_to_the_end_where_they_are_reported_to():
    """No value but a result of the race: with one life each and nobody to judge, payoffs are 1 or -1."""
    game = stratagem.game("roborally", course="Checkmate", robots=2, lives=1)
    view = game.start(seed=3).view(0)
    thinker = MonteCarloRally(game, turns="end", playout="any", keep=2, share="uniform", target="python", simulations=4)
    samples = thinker.engine.estimates(view, Clock(None), seat=0, simulations=4, only=thinker.kept(view, 0))
    for one in samples:
        wins = one.samples * (one.value + 1) / 2
        assert abs(wins - round(wins)) < 1e-9, "an evaluator would give fractions"


@pytest.mark.slow
def test_settings_and_options_make_the_same_player():
    game = stratagem.game("roborally", course="Checkmate", robots=2)
    one = MonteCarloRally(game, simulations=50, evaluator="walk", turns=1, PER_WAY=-0.5)
    other = MonteCarloRally(game, RallySettings(simulations=50, evaluator="walk", terms={"PER_WAY": -0.5}), turns=1)
    view = game.start(seed=3).view(0)
    assert one.choose(view, Clock(None), seat=0).lines == other.choose(view, Clock(None), seat=0).lines


def test_the_likely_path_is_shown_and_drawn():
    game = stratagem.game("roborally", course="Checkmate", robots=2)
    thinker = MonteCarloRally(game)
    hands = "hand49,50,51,52,53,54,55,56,57", "hand7,9,11,13,15,17,19,21,23"
    at = game.parse(f"turn=1 phase=program falls=0,0 A=0,11,N:{hands[0]} B=11,0,N:{hands[1]}")
    choice = Choice("49,50,51,52,53")
    steps = thinker.likely_path(at.view(0), 0, choice.move, samples=20)
    alone = path_alone(at.view(0), 0, choice.move)
    assert [[*step[0], "NESW"[step[1]]] for step in steps] == alone and {step[2] for step in steps} == {1.0}
    shown = thinker.show(at.view(0), choice, 0)
    assert shown.startswith("likely path of A with 49,50,51,52,53") and shown.endswith("(100%)")
    assert sum(f"{register}^" in shown for register in range(1, 6)) == 5
    picture = thinker.picture(at.view(0), choice, 0)
    assert picture.count("<polyline") == 1 and "likely path of A" in picture and "<polyline" not in at.svg()
    off = game.parse(f"turn=1 phase=program falls=0,0 A=0,0,N:{hands[0]} B=11,0,N:{hands[1]}")
    assert thinker.likely_path(off.view(0), 0, choice.move, samples=5) == [None]
    assert thinker.show(off.view(0), choice, 0).endswith("1: destroyed") and "1✕" in thinker.picture(
        off.view(0), choice, 0
    )
