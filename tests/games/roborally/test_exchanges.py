"""Card equivalence by register (level 2) against brute force, and the mixed-radix numbering as it was printed."""

import os
import random

import numpy as np
import pytest
from command import run
from references.roborally_exchanges import neighbours, orbits

import stratagem
from stratagem import Clock
from stratagem.errors import OptionError
from stratagem.games.roborally import layout as k
from stratagem.games.roborally.equivalence import Locked, MixedNumbers, Numbering
from stratagem.games.roborally.players import MonteCarloRally, numbering

HANDS = int(os.environ.get("STRATAGEM_HANDS", "25"))  # 2000 were compared, and the figures are in the documentation
EXAMPLE = (49, 51, 7, 9, 67, 8, 83, 84, 43)


def random_case(rng, most=9):
    """A hand and locks, close enough together that locks matter: cards from a few runs of the deck."""
    n = rng.randint(1, most)
    registers = min(5, n)
    near = sorted(
        {first + j for first in (rng.randint(1, 79), rng.randint(43, 79)) for j in range(9) if first + j <= 84}
    )
    cards = rng.sample(near, min(len(near), n + rng.randint(0, 6)))
    while len(cards) < n:
        cards = list(dict.fromkeys([*cards, rng.randint(1, 84)]))
    hand, rest = tuple(cards[:n]), cards[n:]
    locked = []
    for card in rest:
        own = registers < 5 and rng.random() < 0.2
        locked.append((rng.randint(registers + 1, 5) if own else rng.randint(1, 5), card, own))
    return hand, registers, locked


def test_the_programmes_of_level_2_are_the_orbits_of_allowed_exchanges():
    rng, joined = random.Random(6), 0
    for _ in range(HANDS):
        hand, registers, locked = random_case(rng, 9 if HANDS > 100 else 7)
        of = Numbering(hand, registers, tuple(Locked(*lock) for lock in locked), level=2)
        expected = orbits(hand, registers, locked)
        assert of.count == len(expected)
        joined += of.count < Numbering(hand, registers, tuple(Locked(*lock) for lock in locked)).count
        numbers = []
        some = expected if len(expected) <= 60 else rng.sample(expected, 12)
        for orbit in some:
            members = rng.sample(sorted(orbit), min(len(orbit), 4))
            ranks = {of.rank(cards) for cards in members}
            assert len(ranks) == 1  # all members have one number
            numbers += ranks
            assert tuple(of.realise(of.unrank(numbers[-1]))) in orbit
        assert len(set(numbers)) == len(some) and max(numbers) < of.count
    assert joined > 0


def test_the_filter_of_single_exchanges_would_keep_too_many():
    """Three cards in a row of gaps: two members of one orbit are both least among what one exchange makes of them."""
    hand, locked = (49, 51, 53), [(1, 50, False), (3, 52, False)]
    of = Numbering(hand, 3, tuple(Locked(*lock) for lock in locked), level=2)
    least = [
        cards
        for orbit in orbits(hand, 3, locked)
        for cards in orbit
        if all(cards < other for other in neighbours(cards, hand, locked))
    ]
    assert of.count == len(orbits(hand, 3, locked)) < len(least)


def test_the_counts_of_the_example():
    assert Numbering(EXAMPLE, 5).count == 5070
    assert Numbering(EXAMPLE, 5, (Locked(5, 50),)).count == 5070
    assert Numbering(EXAMPLE, 5, (Locked(5, 50),), level=2).count == 3486
    assert Numbering(EXAMPLE, 4, (Locked(5, 50),), level=2).count == 738  # level 1 does it all there
    of = Numbering(EXAMPLE, 5, (Locked(5, 50),), level=2)
    assert of.rank([51, 7, 49, 67, 83]) == of.rank([49, 7, 51, 67, 83])
    assert of.rank([7, 8, 9, 67, 51]) != of.rank(
        [7, 8, 9, 67, 49]
    )  # in register 5 the order of the cards is played out
    listed = of.all()
    assert len(listed) == of.count and listed[17] == of.realise(of.unrank(17))


@pytest.fixture(scope="module")
def locked_race():
    """The example's hand against a robot with card 50 locked in its fifth register."""
    game = stratagem.game("roborally", course="Checkmate", robots=2)
    state = game.start(seed=1).state.copy()  # a race whose cells are then set by hand
    a, b = (state[k.ROBOTS + k.ROBOT * p : k.ROBOTS + k.ROBOT * (p + 1)] for p in (0, 1))
    for robot, space in ((a, 0), (b, 30)):
        robot[k.AT], robot[k.ARCHIVE], robot[k.FACING], robot[k.STATUS], robot[k.LIVES] = space, space, 0, k.RACING, 3
        robot[k.NEXT], robot[k.FELL], robot[k.DOWN], robot[k.ANNOUNCED] = 1, -1, 0, 0
    a[k.DAMAGE], b[k.DAMAGE] = 0, 5
    a[k.REGISTER : k.HAND] = 0
    b[k.REGISTER : k.HAND] = 0
    b[k.REGISTER + 4] = 50
    a[k.HAND : k.HAND + 9] = sorted(EXAMPLE)
    b[k.HAND : k.HAND + 9] = [1, 2, 3, 4, 0, 0, 0, 0, 0]
    state[k.PHASE], state[k.WHO], state[k.TURN] = k.PROGRAMMING, -1, 1
    return game.position(state).view(0)


def test_the_player_takes_one_programme_of_each(locked_race):
    view, game = locked_race, locked_race.game
    assert numbering(view, 0).count == 3486
    levels = {}
    for reduce in (1, 2):
        player = MonteCarloRally(game, reduce=reduce, keep=0, evaluator="walk", seed=1)
        levels[reduce] = player.kept(view, 0)
    assert len(levels[1]) == 5070 and len(levels[2]) == 3486 and set(levels[2]) <= set(levels[1])


@pytest.mark.slow
def test_the_player_decides_at_level_2(locked_race):
    player = stratagem.player(locked_race.game, "montecarlo:reduce=2,simulations=2000", seed=1)
    assert player.choose(locked_race, Clock(None), seat=0).move in locked_race.moves(0)


def test_the_printed_numbering_collides_and_the_repaired_one_has_gaps():
    of = Numbering((11, 83, 57, 49, 35, 21, 3, 50, 4), 5)
    mixed = MixedNumbers(of)
    assert mixed.figures() == {"programmes": 1250, "printed": 726, "largest": 2780}
    cards = [49, 35, 50, 83, 3]
    assert (mixed.rank(cards), mixed.printed(cards)) == (432, 693)
    assert mixed.unrank(432) == [2, 1, 2, 4, 0]
    two = MixedNumbers(Numbering((43, 44, 49), 2))  # classes A (two cards) and B (one): AB and BA share a number
    assert two.printed([43, 49]) == two.printed([49, 43]) == 1
    assert two.rank([49, 43]) != two.rank([43, 49])
    taken = {mixed.rank(cards) for cards in of.all()}
    gap = next(n for n in range(2780) if n not in taken)
    with pytest.raises(OptionError, match="gap"):
        mixed.unrank(gap)
    with pytest.raises(OptionError, match="level 0 or 1"):
        MixedNumbers(Numbering(EXAMPLE, 5, (), level=2))


def test_the_command_knows_level_2_and_the_mixed_numbering():
    hand = [str(card) for card in EXAMPLE]
    assert "3486" in run("roborally", "number", *hand, "--level", "2", "--locked", "5:50").out
    worked = [str(card) for card in (11, 83, 57, 49, 35, 21, 3, 50, 4)]
    found = run("roborally", "number", *worked, "--numbering", "mixed", "--rank", "49,35,50,83,3")
    assert "726" in found.out and "432" in found.out and "693" in found.out
    for arguments, reason in (
        (("--level", "3"), "0, 1 and 2"),
        (("--numbering", "octal"), "dense or mixed"),
        (("--numbering", "mixed", "--unrank", "99999"), "gap"),
    ):
        refused = run("roborally", "number", *hand, *arguments)
        assert refused.code == 2 and reason in refused.err


def test_lists_of_programmes_are_those_of_their_numbers():
    rng = random.Random(9)
    for _ in range(5):
        hand, registers, locked = random_case(rng, 6)
        of = Numbering(hand, registers, tuple(Locked(*lock) for lock in locked))
        assert of.all() == [of.realise(of.unrank(n)) for n in range(of.count)]
        assert np.unique([of.rank(cards) for cards in of.all()]).size == of.count
