"""RoboRally: kernels against a plain reference, every ruling by name, card equivalence, and what views hide."""

import json
import os
import random
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import typer
from references.roborally import Race
from references.roborally_exchanges import neighbours
from typer.testing import CliRunner

import stratagem
from stratagem.compile import specialise
from stratagem.contract.player import Clock
from stratagem.errors import IllegalMove, OptionError, ParseError, UnknownName
from stratagem.games.roborally import deal, elements, kernels, telling
from stratagem.games.roborally import layout as k
from stratagem.games.roborally.course import STEPS, course_names, load_course, read_floor, validate
from stratagem.games.roborally.equivalence import Locked, Numbering
from stratagem.games.roborally.game import robot
from stratagem.games.roborally.players import MonteCarloRally
from stratagem.games.roborally.scenario import run
from stratagem.registry import player
from stratagem.rng import below, generator
from stratagem.testing import conform

SEATS = 8  # one specialisation for all numbers of robots: those that do not race are out
SIZE = k.ROBOTS + k.ROBOT * SEATS
NAMES = {"SEATS": SEATS, "SIZE": SIZE, "STARTING_LIVES": 3, "MAX_TURNS": 200}


def turn_and_decisions(g, s, r, log):
    """A turn, and random decisions up to the next deal, as far as there are rows in the log: phase, seat, choices, move."""
    kernels.run_turn(g, s)
    n = 0
    while n < log.shape[0] and s[k.PHASE] in (k.FILLING, k.ENTERING, k.STAYING):
        log[n, 0] = s[k.PHASE]
        if s[k.PHASE] == k.FILLING:
            deal.fill_registers(g, s, r)
            kernels.go_on(g, s)
        else:
            log[n, 1] = s[k.WHO]
            log[n, 2] = kernels.count(g, s, s[k.WHO])
            log[n, 3] = kernels.move(g, s, s[k.WHO], below(r, log[n, 2]))
            kernels.play(g, s, s[k.WHO], log[n, 3])
        n += 1
    return n


@pytest.fixture(scope="module")
def turns():
    return specialise(turn_and_decisions, NAMES, label="roborally turn")


@pytest.fixture(scope="module")
def turn(turns):
    return lambda g, s: turns(g, s, generator(0), np.zeros((0, 4), np.int64))


@pytest.fixture(scope="module")
def courses():
    return [(course, course.ground()) for course in map(load_course, course_names())]


# ------------------------------------------------------------------------------------------------ random turns


def random_race(course, rng):
    """Robots near each other, in any condition, with programmes."""
    spaces = [space for space, token in course.cells.items() if token != "()"]
    x, y = rng.choice(spaces)
    near = sorted(spaces, key=lambda space: abs(space[0] - x) + abs(space[1] - y) + 3 * rng.random())
    count = rng.randint(2, 8)
    deck = rng.sample(range(1, 85), 40)
    docks = rng.sample(range(count), count)
    robots = []
    for p in range(count):
        down = rng.random() < 0.1
        robots.append(
            {
                "at": near.pop(rng.randrange(min(12, len(near)))), "facing": rng.randrange(4),
                "damage": 0 if down else rng.randrange(10), "lives": rng.randint(1, 3), "archive": rng.choice(spaces),
                "next": rng.randint(1, len(course.flags)), "down": down, "dock": docks[p],
                "announced": not down and rng.random() < 0.2,
                "registers": [0] * 5 if down else [deck.pop() for _ in range(5)],
            }
        )  # fmt: skip
    return robots


def to_state(course, robots):
    s = np.zeros(SIZE + k.SCRATCH, np.int64)
    s[k.PHASE], s[k.TURN], s[k.WHO] = k.PROGRAMMING, 1, -1
    for p in range(SEATS):
        a = robot(s, p)
        a[[k.AT, k.ARCHIVE, k.FELL]] = -1
        a[k.DOCK], a[k.STATUS] = p, k.GONE
    for p, r in enumerate(robots):
        a = robot(s, p)
        a[k.AT], a[k.ARCHIVE] = course.index(*r["at"]), course.index(*r["archive"])
        a[k.FACING], a[k.DAMAGE], a[k.LIVES], a[k.NEXT] = r["facing"], r["damage"], r["lives"], r["next"]
        a[k.DOWN], a[k.DOCK], a[k.STATUS] = r["down"], r["dock"], k.RACING
        a[k.ANNOUNCED] = r.get("announced", False)
        a[k.REGISTER : k.HAND] = r["registers"]
    return s


def from_state(course, s, n):
    found = []
    for p in range(n):
        a = [int(x) for x in robot(s, p)]
        at = course.space(a[k.AT]) if a[k.AT] >= 0 else None
        found.append(
            {
                "at": at, "damage": a[k.DAMAGE], "lives": a[k.LIVES], "archive": course.space(a[k.ARCHIVE]),
                "next": a[k.NEXT], "registers": a[k.REGISTER : k.HAND],
                **({"facing": a[k.FACING], "down": bool(a[k.DOWN])} if at else {"fell": a[k.FELL]}),
            }
        )  # fmt: skip
    return found


def expect(race):
    """What `from_state` should find."""
    found = []
    for r in race.robots:
        kept = {name: r[name] for name in ("at", "damage", "lives", "archive", "next", "registers")}
        fell = next((i for i, q in enumerate(race.fallen) if q is r), -1)
        found.append(kept | ({"facing": r["facing"], "down": r["down"]} if r["at"] else {"fell": fell}))
    return found


def settle(race, course, s, log):
    """The decisions of the log, checked and made in the reference; returns how many of each phase there were."""
    made = {k.FILLING: 0, k.ENTERING: 0, k.STAYING: 0}
    for phase, seat, choices, m in log.tolist():
        made[phase] += 1
        if phase == k.FILLING:
            empty = race.to_fill()
            assert empty
            undealt = set(range(1, 85)) - {card for r in race.robots for card in r["registers"]}
            for r, number in empty:  # chance decides which: cards of the undealt deck
                card = int(robot(s, race.robots.index(r))[k.REGISTER + number - 1])
                if card:  # else the robot powered down since
                    assert card in undealt
                    undealt.remove(card)
                    r["registers"][number - 1] = card
                else:
                    r["registers"][number - 1] = -1
            continue
        assert not race.to_fill()
        if phase == k.ENTERING:
            r = race.waiting()[0]
            listed = race.entries(r)
            assert seat == race.robots.index(r) and choices == len(listed) * (2 if r["announced"] else 1)
            place = course.space(m // 8), m // 2 % 4
            assert place in listed and (r["announced"] or m % 2 == 0)
            race.come_back(r, *place, bool(m % 2))
        else:
            assert not race.waiting()
            r = race.to_stay()[0]
            assert seat == race.robots.index(r) and choices == 2
            r["stays"] = bool(m)
    return made


def compare(turns, courses, number_of_turns, seed):
    rng = random.Random(seed)
    seen = {"falls": 0, "wins": 0, k.FILLING: 0, k.ENTERING: 0, k.STAYING: 0}
    for number in range(number_of_turns):
        course, g = courses[number % len(courses)]
        robots = random_race(course, rng)
        s, stopped = to_state(course, robots), to_state(course, robots)
        log = np.zeros((20, 4), np.int64)
        turns(g, stopped, generator(0), log[:0])
        log = log[: turns(g, s, generator(seed, number), log)]
        race = Race(course, robots)
        race.turn()
        ended = bool(race.winners) or (len(race.left()) <= 1 and not race.to_fill())
        if ended or race.to_fill() or race.waiting() or race.to_stay():  # the next deal is not reached at once
            assert from_state(course, stopped, len(robots)) == expect(race), (number, course.name)
        made = settle(race, course, s, log)
        if len(race.left()) <= 1 or race.winners:
            assert s[k.PHASE] == k.ENDED
        else:
            assert s[k.PHASE] == k.DEALING and not (race.to_fill() or race.waiting() or race.to_stay())
            race.power()
        assert from_state(course, s, len(robots)) == expect(race), (number, course.name)
        assert bool(race.winners) == (s[k.PHASE] == k.ENDED and any(r["next"] > len(course.flags) for r in robots))
        seen["falls"] += len(race.fallen)
        seen["wins"] += bool(race.winners)
        for phase, times in made.items():
            seen[phase] += times
    return seen


def test_random_turns_and_decisions_are_those_of_the_reference(turns, courses):
    seen = compare(turns, courses, 1800, 1)
    assert seen["falls"] > 1000 and seen["wins"] > 15  # the turns were worth comparing
    assert seen[k.FILLING] > 10 and seen[k.ENTERING] > 500 and seen[k.STAYING] > 100


@pytest.mark.slow
def test_many_random_turns_and_decisions_are_those_of_the_reference(turns, courses):
    compare(turns, courses, 20_000, 2)


def test_interpreted_kernels_are_the_compiled_ones(turn, courses):
    plain = specialise(kernels.run_turn, NAMES, target="python")
    rng = random.Random(3)
    for number in range(36):
        course, g = courses[number % len(courses)]
        one = to_state(course, random_race(course, rng))
        other = one.copy()
        turn(g, one)
        plain(g, other)
        assert np.array_equal(one[:SIZE], other[:SIZE])


# ----------------------------------------------------------------------------------------------------- rulings


def play(cells, robots, program, **more):
    return run({"cells": cells, "robots": robots, "program": program, **more}).answer


def test_ruling_1_left_turns_are_odd():
    found = play([".. .. .."], {"A": [0, 0, "N"], "B": [2, 0, "N"]}, {"A": [7], "B": [8]})
    assert (found["A"]["at"][2], found["B"]["at"][2]) == ("W", "E")


def test_ruling_2_powered_down_robots_do_not_fire():
    robots = {"A": [0, 0, "E", {"pd": True}], "B": [2, 0, "W"]}
    found = play([".. .. .."], robots, {"A": None, "B": [1]})
    assert found["B"]["damage"] == 0  # and B, turned away, hits nobody either
    assert found["A"]["damage"] == 0
    robots = {"A": [0, 0, "E", {"pd": True}], "B": [2, 0, "E"]}
    assert play([".. .. .."], robots, {"A": None, "B": [1]})["A"]["damage"] == 1


def interpreted(*compiled, **options):
    """A game that needs no compiler, but for the kernels named."""
    game = stratagem.game("roborally", **options)
    for name in {"moves", "sample", "play_together"} - set(compiled):
        game._face[name] = specialise(game.names[name].function, game.names[name].names, target="python")
    return game


def race(game, *robots, phase="program", turn=1, falls="0,0"):
    words = " ".join(f"{name}={text}" for name, text in zip("ABCDEFGH", robots, strict=False))
    return game.parse(f"turn={turn} phase={phase} falls={falls} {words}")


HAND = "1,3,5,7,9,11,13,15,17"  # turns only
OTHER = "2,4,6,8,10,12,14,16,18"


def test_ruling_3_an_undamaged_robot_may_not_announce():
    at = race(interpreted(course="Checkmate", robots=2), f"0,0,N:hand{HAND}", f"5,5,N:damage1:hand{OTHER[:-3]}")
    with pytest.raises(IllegalMove, match="undamaged"):
        at.play(["7,9,11,13,15 down", "8,10,12,14,16"])
    assert at.play(["7,9,11,13,15", "8,10,12,14,16 down"])
    allowed = race(interpreted(course="Checkmate", robots=2, rest=True), f"0,0,N:hand{HAND}", f"5,5,N:hand{OTHER}")
    assert allowed.play(["7,9,11,13,15 down", "8,10,12,14,16"])


def test_ruling_4_a_flag_repairs_at_clean_up():
    robots = {"A": [0, 0, "N", {"damage": 3, "next": 2}]}
    found = play([".. .. .."], robots, {"A": [7]}, flags=[[0, 0], [2, 0]], cleanup=True)
    assert found["A"]["damage"] == 2


@pytest.mark.parametrize("token", ["w1", "w2"])
def test_ruling_5_wrench_and_hammer_repair_one(token):
    found = play([f"{token} .."], {"A": [0, 0, "N", {"damage": 3}]}, {"A": [7]}, cleanup=True)
    assert found["A"]["damage"] == 2 and found["A"]["archive"] == [0, 0]


def test_ruling_6_two_belts_into_one_pit_drop_both():
    found = play([">1 () <1"], {"A": [0, 0, "N"], "B": [2, 0, "N"]}, {"A": [7], "B": [9]})
    assert not found["A"]["alive"] and not found["B"]["alive"]
    onto_floor = play([">1 .. <1"], {"A": [0, 0, "N"], "B": [2, 0, "N"]}, {"A": [7], "B": [9]})
    assert onto_floor["A"]["at"][:2] == [0, 0] and onto_floor["B"]["at"][:2] == [2, 0]


def test_ruling_7_a_ring_turns_and_a_swap_does_not():
    ring = [">1 v1", "^1 <1"]
    robots = {"A": [0, 0, "N"], "B": [1, 0, "N"], "C": [1, 1, "N"], "D": [0, 1, "N"]}
    found = play(ring, robots, {"A": [7], "B": [9], "C": [11], "D": [13]})
    assert [found[name]["at"][:2] for name in "ABCD"] == [[1, 0], [1, 1], [0, 1], [0, 0]]
    swap = play([">1 <1"], {"A": [0, 0, "N"], "B": [1, 0, "N"]}, {"A": [7], "B": [9]})
    assert swap["A"]["at"][:2] == [0, 0] and swap["B"]["at"][:2] == [1, 0]


def test_ruling_8_pushers_act_by_dock():
    floor = {"pushers": [[1, 0, "E", [1]], [2, 0, "W", [1]]], "cells": [".. pE pW .."]}
    program = {"A": [7], "B": [9]}
    first = run({**floor, "robots": {"A": [1, 0, "N"], "B": [2, 0, "N"]}, "program": program}).answer
    assert [first[name]["at"][0] for name in "AB"] == [2, 3]  # A pushes the line east; B is off its pusher
    second = run({**floor, "robots": {"B": [2, 0, "N"], "A": [1, 0, "N"]}, "program": program}).answer
    assert [second[name]["at"][0] for name in "AB"] == [0, 1]
    idle = run({**floor, "robots": {"A": [1, 0, "N"]}, "program": {"A": [49, 7]}, "registers": 0}).answer
    assert idle["A"]["at"] == [1, 0, "N"]


def test_ruling_9_lasers_hit_from_one_snapshot():
    """Two robots with nine damage that face each other destroy each other; the one behind is still covered."""
    robots = {"A": [0, 0, "N", {"damage": 9}], "B": [2, 0, "S", {"damage": 9}], "C": [3, 0, "N"]}
    found = play([".. .. .. .."], robots, {"A": [8], "B": [10], "C": [12]})
    assert not found["A"]["alive"] and not found["B"]["alive"] and found["C"]["damage"] == 0


def test_ruling_10_robots_that_fall_together_fall_by_dock():
    game = interpreted(course="Risky Exchange", robots=2)
    at = race(game, f"0,5,N:dock2:archive1,0:hand{HAND}", f"0,8,N:dock1:archive2,0:hand{OTHER}")  # belts off the edge
    at = at.play(["7,9,11,13,15", "8,10,12,14,16"])
    assert [int(robot(at.state, p)[k.FELL]) for p in (0, 1)] == [1, 0]
    assert at.turn == 1  # dock 1 re-enters first


def test_ruling_11_a_register_locked_while_powered_down_is_filled_from_the_undealt_deck():
    game = interpreted(course="Checkmate", robots=2)
    at = race(game, f"5,5,N:hand{HAND}", "5,1,N:down")
    for _ in range(1):
        at = at.play("7,9,11,13,15 | -")
    assert at.asked == (1,) and at.moves() == ["wake", "stay"]
    hurt = race(game, f"0,0,N:hand{HAND}", "5,1,N:down:damage6", phase="fill")
    text = hurt.sample(generator(5))
    cards = [int(c) for c in text.removeprefix("fill ").split(",")]
    assert len(cards) == 2 and not set(cards) & set(map(int, HAND.split(",")))
    assert robot(hurt.play(text).state, 1)[k.REGISTER : k.HAND].tolist() == [0, 0, 0, *cards]
    with pytest.raises(IllegalMove, match="not in the undealt deck"):
        hurt.play("fill 1,2")


def test_ruling_12_nine_damage_runs_the_locked_cards_again():
    game = interpreted(course="Checkmate", robots=2)
    at = race(game, "0,0,N:damage9:registers2,4,6,8,10", f"5,5,N:hand{HAND}")
    assert at.moves(0) == ["locked", "locked down"]
    after = at.play("locked | 7,9,11,13,15")
    assert robot(after.state, 0)[k.REGISTER : k.HAND].tolist() == [2, 4, 6, 8, 10]


def test_ruling_13_the_last_robot_wins_and_all_dead_is_a_draw():
    game = interpreted(course="Risky Exchange", robots=2)
    alone = race(game, f"0,5,N:lives1:hand{HAND}", f"5,1,N:hand{OTHER}").play(["7,9,11,13,15", "8,10,12,14,16"])
    assert alone.over and alone.payoff == (0.0, 1.0)
    both = race(game, f"0,5,N:lives1:hand{HAND}", f"0,8,N:lives1:hand{OTHER}").play(["7,9,11,13,15", "8,10,12,14,16"])
    assert both.over and both.payoff == (0.5, 0.5)


def test_ruling_14_an_announced_power_down_is_a_choice_at_re_entry():
    game = interpreted(course="Risky Exchange", robots=2)
    at = race(game, f"0,5,N:damage1:archive2,11:hand{HAND[:-3]}", f"5,1,N:hand{OTHER}")
    at = at.play(["7,9,11,13,15 down", "8,10,12,14,16"])
    assert at.turn == 0 and len(at.moves()) == 8 and "2,11,E down" in at.moves()
    down = robot(at.play("2,11,E down").state, 0)
    assert (down[k.DOWN], down[k.DAMAGE]) == (1, 0)
    awake = robot(at.play("2,11,E").state, 0)
    assert (awake[k.DOWN], awake[k.DAMAGE]) == (0, 2)


def test_ruling_15_re_entry_on_a_belt_is_allowed():
    game = interpreted(course="Risky Exchange", robots=2)
    at = race(game, "waiting:archive0,5:lives2:fell0", "5,1,N", phase="enter", falls="1,0")
    assert at.game.question(at, 0) == "A was destroyed, 2 lives left; choose where it comes back and which way it faces"
    assert at.play("0,5,N").turn == stratagem.game("roborally").start().turn  # chance: the deal


def test_re_entry_beside_an_occupied_archive_sees_no_robot_within_three_spaces():
    game = interpreted(course="Checkmate", robots=2)
    at = race(game, "waiting:archive5,5:lives2:fell0", "5,5,N", phase="enter", falls="1,0")
    listed = at.moves()
    assert "5,5,N" not in listed and "5,4,N" in listed and "5,4,S" not in listed and "4,4,S" in listed
    around = [(x, y) for x in (4, 5, 6) for y in (4, 5, 6) if (x, y) != (5, 5) and game.course.cells[x, y] != "()"]
    assert len(listed) == 4 * len(around) - sum(x == 5 or y == 5 for x, y in around)


def test_ruling_16_a_dock_is_no_archive_later():
    course = load_course("Checkmate")
    x, y, _ = course.docks[0]
    assert course.cells[x, y] == ".."
    s = to_state(course, [{"at": (x, y), "facing": 0, "damage": 0, "lives": 3, "archive": (0, 0), "next": 1, "down": False,
                           "dock": 0, "registers": [7, 9, 11, 13, 15]}])  # fmt: skip
    specialise(kernels.run_turn, NAMES, target="python")(course.ground(), s)
    assert course.space(int(robot(s, 0)[k.ARCHIVE])) == (0, 0)


def test_ruling_17_the_turn_limit_counts_flags_then_distance():
    game = interpreted(course="Checkmate", robots=2, max_turns=1)
    ahead = race(game, f"7,8,N:flag1:hand{HAND}", f"1,1,N:flag2:hand{OTHER}").play(["7,9,11,13,15", "8,10,12,14,16"])
    assert ahead.payoff == (0.0, 1.0)
    nearer = race(game, f"7,3,N:hand{HAND}", f"1,11,N:hand{OTHER}").play(["7,9,11,13,15", "8,10,12,14,16"])
    assert nearer.over and max(nearer.payoff) == 1.0


def test_ruling_18_walls_of_touching_boards_all_count():
    course = load_course("Pilgrimage")
    for x, y, side in course.walls:
        dx, dy = ((0, -1), (1, 0), (0, 1), (-1, 0))[side]
        assert (x + dx, y + dy, (side + 2) % 4) in course.walls


def test_a_wall_between_members_of_a_line_stops_the_push():
    robots = {"A": [0, 0, "E"], "B": [1, 0, "N"]}
    found = play([".. .. .."], robots, {"A": [49], "B": [7]}, walls=[[1, 0, "E"]])
    assert [found[name]["at"][0] for name in "AB"] == [0, 1]


def test_one_who_pushes_another_into_a_pit_goes_on():
    found = play([".. .. () .."], {"A": [0, 0, "E"], "B": [1, 0, "N"]}, {"A": [67], "B": [7]})
    assert not found["B"]["alive"] and found["B"]["lives"] == 2 and not found["A"]["alive"]
    found = play([".. .. ()"], {"A": [0, 0, "E"], "B": [1, 0, "N"]}, {"A": [49], "B": [7]})
    assert found["A"]["at"] == [1, 0, "E"]


# ------------------------------------------------------------------------------------------------- equivalence

PAIRS = 10_000


def test_the_worked_example():
    of = Numbering((11, 83, 57, 49, 35, 21, 3, 50, 4), 5)
    assert of.classes == [[3, 4], [11, 21, 35], [49, 50], [57], [83]] and of.count == 1250
    assert of.rank([49, 35, 50, 83, 3]) == 766 and of.unrank(625) == [1, 4, 2, 2, 0]
    hand = (49, 51, 7, 9, 67, 8, 83, 84, 43)
    assert (Numbering(hand, 4).count, Numbering(hand, 4, (Locked(5, 50),)).count) == (1206, 738)
    assert Numbering(hand, 4, (Locked(5, 50),), level=0).count == 1206


def test_two_realisations_of_one_class_sequence_end_the_turn_alike(turn, courses):
    rng = random.Random(4)
    pairs = 0
    while pairs < PAIRS:
        course, g = courses[pairs % len(courses)]
        robots = random_race(course, rng)
        me = robots[0]
        damage = 0 if me["down"] else me["damage"] % 5
        used = {c for r in robots[1:] for c in r["registers"]}
        hand = tuple(rng.sample([c for c in range(1, 85) if c not in used], 9 - damage))
        locked = tuple(
            Locked(n + 1, r["registers"][n])
            for r in robots[1:]
            for n in range(min(5, 9 - r["damage"]), 5)
            if r["registers"][n]
        )
        of = Numbering(hand, 5, locked)
        action = of.unrank(rng.randrange(of.count))
        left = [rng.sample(group, len(group)) for group in of.classes]
        me |= {"down": False, "damage": damage, "registers": of.realise(action)}
        one = to_state(course, robots)
        me["registers"] = [left[c].pop() for c in action]
        other = to_state(course, robots)
        turn(g, one)
        turn(g, other)
        where = {card: c for c, group in enumerate(of.classes) for card in group}
        for s in (one, other):
            mine = robot(s, 0)[k.REGISTER : k.HAND]
            mine[:] = [where.get(int(c), -1) if c else -2 for c in mine]
        assert np.array_equal(one[:SIZE], other[:SIZE])
        pairs += 1


EXCHANGED = int(os.environ.get("STRATAGEM_EXCHANGED", "2000"))  # 20,000 pairs were compared


def test_programmes_that_exchanges_lead_to_from_one_another_end_the_turn_alike(turn, courses):
    """Level 2: a run of cards in hand around one that is locked in a register of somebody else's, which we programme too."""
    rng = random.Random(14)
    pairs = 0
    while pairs < EXCHANGED:
        course, g = courses[pairs % len(courses)]
        robots = random_race(course, rng)
        holders = [r for r in robots[1:] if not r["down"] and 5 <= r["damage"] <= 8]
        if not holders:
            continue
        holder, first = rng.choice(holders), rng.choice((44, *range(50, 63), *range(68, 75), 80))
        register = rng.randrange(9 - holder["damage"], 5)
        run_of = [first - 1, first + 1, *range(first + 2, first + 1 + rng.randint(1, 3))]
        run_of = [card for card in run_of if k.steps_of(card) == k.steps_of(first)]
        deck = [card for card in rng.sample(range(1, 85), 84) if card != first and card not in run_of]
        for r in robots:
            r["registers"] = [0] * 5 if r["down"] else [deck.pop() for _ in range(5)]
        holder["registers"][register] = first
        hand = (*run_of, *(deck.pop() for _ in range(9 - len(run_of))))
        locked = [
            (n + 1, r["registers"][n], False)
            for r in robots[1:]
            if not r["down"]
            for n in range(min(5, 9 - r["damage"]), 5)
        ]
        me = robots[0] | {"down": False, "damage": 0}
        one = tuple(rng.sample(hand, 5))
        other = one
        for _ in range(rng.randint(1, 6)):
            other = rng.choice([other, *neighbours(other, hand, locked)])
        if one == other:
            continue
        of = Numbering(hand, 5, tuple(Locked(*lock) for lock in locked), level=2)
        if pairs % 20 == 0:
            assert of.rank(one) == of.rank(other)
        ends = []
        for cards in (one, other):
            s = to_state(course, [me | {"registers": list(cards)}, *robots[1:]])
            turn(g, s)
            robot(s, 0)[k.REGISTER : k.HAND] = 0  # which of the cards stays locked may differ
            ends.append(s[:SIZE])
        assert np.array_equal(*ends)
        pairs += 1


def test_the_kernels_number_programmes_as_people_do():
    game = interpreted(course="Checkmate", robots=2)
    rng = random.Random(5)
    for _ in range(6):
        damage = rng.randint(2, 6)
        cards = rng.sample(range(1, 85), 20)
        locked = [cards.pop() for _ in range(2)]
        hand = tuple(cards.pop() for _ in range(9 - damage))
        open_ = min(5, 9 - damage)
        own = [cards.pop() for _ in range(5 - open_)]
        mine = f"0,0,N:damage{damage}:hand{','.join(map(str, hand))}:registers{','.join(map(str, [0] * open_ + own))}"
        other = f"5,5,N:damage6:registers0,0,0,{locked[0]},{locked[1]}:hand{','.join(map(str, cards[:3]))}"
        at = race(game, mine, other)
        locks = [Locked(4, locked[0]), Locked(5, locked[1])]
        locks += [Locked(open_ + 1 + j, card, True) for j, card in enumerate(own)]
        of = Numbering(hand, open_, tuple(locks))
        plain = [text for text in at.moves(0) if not text.endswith("down")]
        assert plain == [",".join(map(str, of.realise(of.unrank(n)))) for n in range(of.count)]
        assert at.sample(generator(1), 0) in at.moves(0)
        numbers = at.move_numbers(0)
        for n in (0, of.count - 1, of.count, 2 * of.count - 1):
            assert game.run("move", game.g, at.state, 0, n) == numbers[n]
        for n in range(0, of.count, 7):
            assert of.rank([int(c) for c in plain[n].split(",")]) == n


# ------------------------------------------------------------------------------------------------ game and text


def test_it_keeps_the_contract():
    conform(interpreted("moves", robots=2, course="Dizzy Dash", lives=1, max_turns=4), games=1, compiled=False)


def test_nothing_a_player_is_given_reveals_another_hand():
    game = stratagem.game("roborally", robots=2)
    at = game.start(seed=3)
    hand = [str(int(c)) for c in robot(at.state, 1)[k.HAND :]]
    view = at.view(0)
    own = ",".join(str(int(c)) for c in robot(at.state, 0)[k.HAND :])
    assert view.history == (at.history[0], f"deal {own}/?") and at.view(None).history[1] == "deal ?/?"
    assert str(view).count("hand") == 1
    assert not any(robot(view.state, 1)[k.HAND :])
    assert not set(hand) & set(str(view).partition("hand")[2].split(" ")[0].split(","))
    other = at.state.copy()
    deck = [c for c in range(1, 85) if c not in at.state]
    robot(other, 1)[k.HAND :] = deck[:9]
    assert game.position(other).view(0) == view and view.svg() == game.position(other).view(0).svg()
    assert "hand" not in str(at.view(None))


def test_playing_in_the_terminal_tells_no_deal(tmp_path, monkeypatch, capsys):
    from stratagem.cli.play import Session

    game = interpreted(course="Checkmate", robots=2, max_turns=2)
    table = {1: player(game, "random")}
    answers = iter(["nonsense", "board", "quit"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    session = Session(game.start(), ["you", "random"], table, Clock(None), 5, tmp_path / "game.json")
    with pytest.raises(typer.Exit):
        session.run()
    theirs = [f" {int(c)}=" for c in robot(session.position.state, 1)[k.HAND :]]
    shown = capsys.readouterr().out
    deals = [line for line in shown.splitlines() if "deal " in line]
    assert len(deals) == 1 and "/?: cards are dealt: " in deals[0], "one's own cards are shown, and no others"
    assert shown.count("hand ") == 2 and not any(card in shown for card in theirs)


def test_guesses_deal_from_the_unseen_cards():
    game = stratagem.game("roborally", robots=2)
    view = game.start(seed=3).view(0)
    mine = set(robot(view.state, 0)[k.HAND :].tolist())
    guess = specialise(game.names["guess"].function, game.names["guess"].names, target="python")
    seen = set()
    r = generator(7)
    for _ in range(60):
        s = view.state.copy()
        with np.errstate(over="ignore"):
            guess(game.g, s, 0, r)
        theirs = set(robot(s, 1)[k.HAND :].tolist())
        assert len(theirs) == 9 and not theirs & mine and set(robot(s, 0)[k.HAND :].tolist()) == mine
        seen |= theirs
    assert len(seen) == 84 - 9


def test_any_cards_of_the_hand_are_accepted():
    at = race(interpreted(course="Checkmate", robots=2), f"0,0,N:hand{HAND}", f"5,5,N:hand{OTHER}")
    assert at.play(["17,15,13,11,9", "2,4,6,8,10"]).history[-1] == "17,15,13,11,9 | 2,4,6,8,10"
    for bad in ("17,15,13,11", "17,17,13,11,9", "84,15,13,11,9", "x", "17,15,13,11,9 up"):
        with pytest.raises(IllegalMove):
            at.play([bad, "2,4,6,8,10"])


def test_bad_games_and_positions_are_explained():
    with pytest.raises(UnknownName, match="Risky Exchange"):
        stratagem.game("roborally", course="Risky Exchang")
    with pytest.raises(OptionError, match="too many for Death Trap"):
        stratagem.game("roborally", course="Death Trap", robots=5)
    game = stratagem.game("roborally", robots=2)
    for text, message in (
        ("nonsense", "NAME=VALUE"),
        ("turn=1 phase=program A=0,0,N:hand1 B=5,5,N", "cards in hand"),
        ("turn=1 phase=deal A=0,0,N B=0,0,S", "two robots"),
        ("turn=1 phase=deal A=0,0,N B=99,0,S", "no space"),
        ("turn=1 phase=deal A=0,0,N:damage10 B=1,0,S", "damage"),
        ("turn=1 phase=stay A=0,0,N B=1,0,S", "no robot"),
    ):
        with pytest.raises((ParseError, IllegalMove), match=message):
            game.parse(text)


def test_floors_of_ones_own_are_checked(tmp_path):
    with pytest.raises(ParseError, match="row 1 has 1 spaces"):
        read_floor({"cells": [".. ..", ".."]}, "mine")
    for token, message in (("g*", "no space: one is"), ("pX", "no pusher: one is pN, pE, pS or pW")):
        with pytest.raises(ParseError, match=message):
            read_floor({"cells": [f".. {token}"]}, "mine")
    course = read_floor({"cells": [">1 <1"], "flags": [[0, 0]]}, "mine")
    assert any("head-on" in fault for fault in validate(course))
    walled = read_floor({"cells": [">1 .."], "walls": [[0, 0, "E"]], "flags": [[1, 0]]}, "mine")
    assert any("(0, 0) runs into the wall on its E side" in fault for fault in validate(walled))
    off = read_floor(
        {"cells": [".. <1", "^2 .."], "flags": [[0, 0]], "docks": [[1, 1, 1, "N"], [2, 1, 0, "N"]]}, "mine"
    )
    assert validate(off) == []  # as on the printed floors: it destroys
    file = tmp_path / "tiny.json"
    file.write_text(json.dumps({"cells": [".. .. .."], "flags": [[1, 0]], "docks": [[1, 0, 0, "E"], [2, 2, 0, "W"]]}))
    assert stratagem.game("roborally", course=str(file), robots=2).course.flags == [(1, 0)]


@pytest.mark.parametrize("token", ["?1", ">3", ">", ">0", "v", "x2", ">>", "^12"])
def test_a_belt_without_a_direction_or_a_speed_is_refused(token, tmp_path):
    data = {"cells": [".. ..", f".. {token}"], "docks": [[1, 0, 0, "E"], [2, 0, 1, "E"]], "flags": [[1, 0]]}
    message = re.escape(
        f"{token!r} at (1, 1) is no belt: a belt is its direction, one of ^ > v <, and its speed, 1 or 2"
    )
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(data))
    with pytest.raises(ParseError, match=f"mine: {message}"):
        load_course(str(file))
    with pytest.raises(ParseError, match=f"scenario: {message}"):
        run({"cells": data["cells"], "robots": {"A": [0, 0, "E"]}, "program": {"A": [70]}})


def test_belts_off_the_floor_are_printed_ones_too():
    """Why a belt that leads off the course is no fault: shipped courses have them."""
    course = load_course("Risky Exchange")
    ahead = [
        (x + STEPS["^>v<".index(token[0])][0], y + STEPS["^>v<".index(token[0])][1])
        for (x, y), token in course.cells.items()
        if token[0] in "^>v<"
    ]
    assert any(space not in course.cells for space in ahead)


def test_all_shipped_courses_are_sound():
    assert len(course_names()) == 12
    assert [fault for name in course_names() for fault in validate(load_course(name))] == []


# ------------------------------------------------------------------------------------------------ command line


def stratagem_command(*arguments, given=None):
    from stratagem.cli.roborally import app

    return CliRunner().invoke(app, list(arguments), input=given)


def test_scenarios_run_one_a_line(tmp_path):
    good = {
        "cells": [".. .. ..", ".. g+ .."], "walls": [[2, 0, "E"]],
        "robots": {"A": [0, 0, "E"], "B": [1, 1, "N", {"damage": 2}]}, "program": {"A": [70], "B": [8]},
    }  # fmt: skip
    bad = [
        {**good, "cells": [".. ..", ".."]},
        {**good, "robots": {"A": [0, 0, "E"], "B": [0, 0, "N"]}},
        {**good, "program": {"A": [85], "B": [8]}},
        {**good, "program": {"A": [8], "B": [8]}},
        {**good, "robots": {"A": [0, 0, "E"], "B": [1, 1, "N", {"locked": {"5": 50}}]}},
        {**good, "colour": 1},
        [],
    ]
    found = stratagem_command("run", "-", "--json", given="\n".join(map(json.dumps, [good, *bad])) + "\n")
    answers = [json.loads(line) for line in found.stdout.splitlines()]
    assert found.exit_code == 2 and all(set(answer) == {"error"} for answer in answers[1:])
    assert answers[0]["A"] == {
        "at": [2, 0, "E"], "alive": True, "damage": 0, "lives": 3, "next": 1, "archive": [0, 0], "locked": {},
    }  # fmt: skip
    assert answers[0]["B"]["at"] == [1, 1, "S"] and answers[0]["winner"] == []
    file, film = tmp_path / "s.json", tmp_path / "film.svg"
    file.write_text(json.dumps(good))
    assert stratagem_command("run", str(file), "--json", "--animate", str(film)).exit_code == 0
    assert film.read_text().count("<animate") == 2


def test_numbers_on_the_command_line():
    hand = ["11", "83", "57", "49", "35", "21", "3", "50", "4"]
    found = json.loads(
        stratagem_command("number", *hand, "--rank", "49,35,50,83,3", "--unrank", "766", "--json").stdout
    )
    assert (found["count"], found["rank"], found["cards"], found["action"]) == (
        1250,
        766,
        [49, 11, 50, 83, 3],
        [2, 1, 2, 4, 0],
    )
    for bad in (["5", "5"], ["85"], ["0"], ["5", "6", "--registers", "3"], ["5", "--unrank", "9"], ["5", "--rank", "6"],
                ["5", "--locked", "x"], ["5", "6", "--level", "3"]):  # fmt: skip
        assert isinstance(stratagem_command("number", *bad).exception, OptionError)


# ------------------------------------------------------------------------------------------------ alone, and players


def test_the_tables_of_a_lone_robot_are_the_kernels(courses):
    """Where the tables say a card leads is where the rules take a robot that is alone."""
    register = specialise(elements.run_register, NAMES, target="python")
    rng = random.Random(6)
    cards = (1, 7, 8, 43, 49, 67, 79)
    for number in range(1500):
        course, g = courses[number % len(courses)]
        space = rng.choice([at for at, token in course.cells.items() if token != "()"])
        facing, r, e = rng.randrange(4), rng.randrange(5), rng.randrange(7)
        one = {
            "at": space,
            "facing": facing,
            "damage": 0,
            "lives": 3,
            "archive": space,
            "next": 1,
            "down": False,
            "dock": 0,
        }
        s = to_state(course, [{**one, "registers": [cards[e]] * 5}])
        register(g, s, r)
        node = 4 * course.index(*space) + facing
        expected = int(g[g[k.LONE_AT] + (r * 4 * g[k.SPACES] + node) * 7 + e])
        a = robot(s, 0)
        assert expected == (4 * a[k.AT] + a[k.FACING] if a[k.AT] >= 0 else -1), (course.name, space, facing, r, e)


def test_the_register_distance_is_the_length_of_a_shortest_run():
    course = load_course("Dizzy Dash")
    g = course.ground()
    n = int(g[k.SPACES])
    nodes = g[g[k.LONE_AT] : g[k.REACH_AT]].reshape(5, 4 * n, 7)
    reach = g[g[k.REACH_AT] : g[k.REACH_AT] + 4 * n]
    flag = course.index(*course.flags[0])
    for start in range(0, 4 * n, 37):
        edge, seen, length, r = {start}, set(), 0, 0
        while edge and length < 60:
            length += 1
            after = {int(x) for node in edge for x in nodes[r, node] if x >= 0}
            if any(x // 4 == flag for x in after):
                break
            r = (r + 1) % 5
            edge = {x for x in after if (r, x) not in seen}
            seen |= {(r, x) for x in edge}
        assert reach[start] == length


def test_the_cards_of_a_programme_are_named_as_the_drawing_names_them():
    view = interpreted(course="Checkmate", robots=2).start(seed=1).view(0)
    programme = view.sample(generator(1), 0)
    cards = view.game.named(programme)
    assert len(cards) == 5 and all(f'data-piece="{card}"' in view.svg() for card in cards)


def test_a_turn_is_drawn_card_by_card_and_what_acts_is_named():
    at = race(interpreted(course="Checkmate", robots=2), f"0,0,N:hand{HAND}", f"5,5,N:hand{OTHER}")
    frames = at.game.frames(at, "7,9,11,13,15 | 8,10,12,14,16")
    reported = [frame.words for frame in frames]
    assert reported[:3] == ["The programmes are in", "Register 1: B turns right", "Register 1: A turns left"]
    assert sum(words.startswith("Register 5: ") for words in reported) == 2
    assert len({frame.svg for frame in frames}) == len(frames)


def test_the_steps_of_a_turn_end_where_the_turn_ends():
    game = interpreted(course="Risky Exchange", robots=4)
    for seed in range(4):
        position = game.start(seed=seed)
        rng = generator(seed)
        joint = " | ".join(position.sample(rng, p) for p in range(4))
        written, _ = position._written(joint)
        whole = written.copy()
        for register in range(5):
            if game.rule(elements.run_register, game.g, whole, register):
                break
        *_, last = telling.steps(game, written)
        assert np.array_equal(last.state[: game.size], whole[: game.size])


GPU = """
    import stratagem
    from stratagem.contract.player import Clock
    from stratagem.games.roborally.players import MonteCarloRally
    game = stratagem.game("roborally", course="Dizzy Dash", robots=2)
    view = game.start(seed=1).view(0)
    from stratagem.compile import specialise
    game._face["moves"] = specialise(game.names["moves"].function, game.names["moves"].names, target="python")
    numbers = view.move_numbers(0)[:3]
    found = [
        MonteCarloRally(game, share="uniform", target=target, turns=2).engine.estimates(
            view, Clock(None), seat=0, simulations=12, only=numbers
        )
        for target in ("python", "cuda")
    ]
    assert found[0] == found[1], found
"""


def test_the_gpu_plays_the_same_playouts_on_the_simulator():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(GPU)], capture_output=True, text=True, check=False,
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}, timeout=280,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.slow
def test_players_choose_legal_programmes_and_repeat_themselves():
    game = stratagem.game("roborally", course="Dizzy Dash", robots=2)
    view = game.start(seed=2).view(1)
    for name in ("greedy", "montecarlo:simulations=300", "random"):
        one, other = (player(game, name, seed=4).choose(view, Clock(None), seat=1) for _ in range(2))
        assert one.move == other.move and one.move in view.moves(1)
    numbers = view.move_numbers(1)[:5]
    plain, compiled = (
        MonteCarloRally(game, share="uniform", target=target, turns=2, simulations=300).engine.estimates(
            view, Clock(None), seat=1, simulations=40, only=numbers
        )
        for target in ("python", "cpu")
    )
    assert [(one.move, one.samples) for one in plain] == [(one.move, one.samples) for one in compiled]
    assert [one.value for one in plain] == pytest.approx([one.value for one in compiled])
    choice = player(game, "strong").choose(view, Clock(0.05), seat=1)
    assert 1 <= len(choice.details["path"]) <= 5 and 0 < choice.value < 1
    assert player(game, "strong").choose(view, Clock(0), seat=1).move in view.moves(1)


@pytest.mark.parametrize(("lives", "gone"), [(1, True), (0, False)])
def test_lives_without_end_bring_a_robot_back_every_time(lives, gone):
    destroy = specialise(elements.destroy, NAMES | {"STARTING_LIVES": lives}, target="python")
    s = np.zeros(SIZE + k.SCRATCH, np.int64)
    robot(s, 0)[k.LIVES] = lives
    for _ in range(3 if not gone else 1):
        destroy(s, 0)
        assert (robot(s, 0)[k.STATUS] == k.GONE) == gone
    assert robot(s, 0)[k.LIVES] == 0
    game = interpreted(course="Checkmate", robots=2, lives=lives)
    assert "lives without end" in game.start(seed=1).svg() if lives == 0 else True
