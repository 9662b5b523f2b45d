"""Whole turns as one stage: bred, refined, and judged after the replies."""

import itertools

import numpy as np
import pytest
from toys.fields import BEGUN, FIELDS, FRUIT, SCORE, Fields

import stratagem
from stratagem.contract.player import Clock
from stratagem.errors import OptionError, UnsuitableSearch
from stratagem.games.asmacag.players import planned
from stratagem.rng import below, generator
from stratagem.search.staged import Settings, Staged
from stratagem.search.staged.atomic import StagedPlayer
from stratagem.search.staged.turns import TurnStaging
from stratagem.search.whole_turns import atoms_of


def staging(game, **options):
    """One that runs in the interpreter."""
    usual = {"target": "python", "bred": 120, "replies": 60, "polish": 30, "population": 20}
    return TurnStaging(game, atoms=atoms_of(game, dice=False), **{**usual, **options})


def state_of(game, seed, begun=1):
    """Random fruit, at the beginning of a turn."""
    s, draws = game.start().state.copy(), generator(seed)
    with np.errstate(over="ignore"):
        s[FRUIT : FRUIT + FIELDS] = [int(below(draws, 7)) for _ in range(FIELDS)]
    s[BEGUN] = begun
    s[0] = (begun + 1) % 2
    return s


def all_turns(game, s):
    """Every turn from a state with the state that it leads to, by plain play."""
    seat, begun, found = int(s[0]), s[BEGUN], {}
    for length in (1, 2, 3):
        for turn in itertools.product(range(FIELDS + 1), repeat=length):
            after = s.copy()
            for k, m in enumerate(turn):
                if after[BEGUN] != begun or m not in game.legal(after, seat):
                    break
                game.run("play", game.g, after, seat, m)
                if k + 1 == length and after[BEGUN] != begun:
                    found[turn] = after
    return found


def lead(s, seat):
    return (s[SCORE + seat] - s[SCORE + 1 - seat]) / 200


def considered(own, state, simulations, seed=1, **settings):
    search = Staged(own, Settings(**{**own.usual, **settings}, simulations=simulations), seed=seed)
    own.begin(state, None, seed)
    return search.consider(state)


def test_the_best_turn_of_all_is_found_when_nobody_replies():
    game = Fields()
    for seed in range(3):
        s = state_of(game, seed, begun=6)
        worths = {turn: lead(after, s[0]) for turn, after in all_turns(game, s).items()}
        found = considered(staging(game, horizon=0), s, 20, seed)
        assert worths[found.best.turn] == pytest.approx(max(worths.values()))
        assert found.best.values[s[0]] == pytest.approx(max(worths.values()))


def test_a_turn_is_worth_what_the_best_reply_leaves():
    """Of every turn against all replies, each listed, the best is found and judged as it is."""
    game = Fields()
    for seed in range(3):
        s = state_of(game, seed)
        exact = {
            turn: min(lead(x, 0) for x in all_turns(game, after).values()) for turn, after in all_turns(game, s).items()
        }
        found = considered(staging(game, horizon=1), s, 40, seed)
        assert exact[found.best.turn] == pytest.approx(max(exact.values()))
        assert found.best.values[0] == pytest.approx(max(exact.values()), abs=1 / 200)


def test_every_proposal_is_a_whole_legal_turn_with_an_outcome_of_its_own():
    game = Fields()
    s = state_of(game, 4)
    own = staging(game)
    own.begin(s, None, 1)
    turns, outcomes = all_turns(game, s), set()
    first = own.root.first()
    given = [first] + [own.root.first() for _ in range(6)] + [own.root.finer(first.part) for _ in range(6)]
    given = [proposal.part for proposal in given if proposal is not None]
    assert len(given) > 6
    for turn in given:
        outcomes.add(turns[turn].tobytes())  # raises KeyError where it is no turn
    assert len(outcomes) == len(given)


def test_equal_seeds_give_equal_trees_and_others_other_ones():
    game = Fields()
    s = state_of(game, 2)
    runs = [considered(staging(game), s, 25, seed) for seed in (5, 5, 6)]
    reported = [[(judged.turn, judged.visits, judged.values) for judged in found.turns] for found in runs]
    assert reported[0] == reported[1] != reported[2]


def test_a_new_world_begins_with_the_reply_that_was_best_in_the_first():
    game = Fields()
    s = state_of(game, 3)
    own = staging(game, horizon=1, replies=4, polish=0, worlds=6)
    own.begin(s, None, 1)
    own.sample(s, own.root.first().part, None, range(6), 7)
    first, *others = own.known.tolist()
    assert first[0] > 0 and all(other == first for other in others)


def test_a_players_first_search_tries_the_turns_that_were_bred_for_it():
    """What is compiled before it asks for proposals, too; the best ones must not be lost to that."""
    game = Fields()
    player = StagedPlayer(game, stages="turns", simulations=3, bred=200, target="python")
    player.choose(game.position(state_of(game, 1)), Clock())
    assert player.search.root.sub["turn", ()].proposals.generator is player.staging.root


def test_dice_inside_a_turn_leave_a_plan_whose_first_decision_is_made():
    game = Fields(dice=True)
    own = TurnStaging(game, target="python", bred=60, replies=40, population=10)
    s = state_of(game, 1)
    found = considered(own, s, 10)
    assert own.moves_of(s, found.best.turn) == found.best.turn[:1]
    assert found.best.turn[0] in game.legal(s, 0)


def test_what_cannot_be_is_refused_with_a_reason():
    game = Fields()
    with pytest.raises(OptionError, match="horizon is 99; it goes from 0"):
        staging(game, horizon=99)
    with pytest.raises(OptionError, match=r"share is 1\.5; it lies between 0 and 1"):
        staging(game, share=1.5)
    with pytest.raises(OptionError, match="stages is 'units'; it is one of decisions, turns"):
        stratagem.player(stratagem.game("asmacag"), "staged:stages=units")
    with pytest.raises(UnsuitableSearch, match="use stages=decisions"):
        TurnStaging(stratagem.game("tictactoe"))
    with pytest.raises(UnsuitableSearch, match="goofspiel decide at once; use mcts"):
        TurnStaging(stratagem.game("goofspiel"))


@pytest.mark.slow
def test_interpreted_and_compiled_turns_agree():
    game = stratagem.game("asmacag")
    reported = []
    for target in ("python", "cpu"):
        own = TurnStaging(game, atoms=planned(game), bred=150, replies=40, polish=10, horizon=2, target=target)
        found = considered(own, game.start(seed=3).state.copy(), 12)
        reported.append([(judged.turn, judged.visits, judged.values) for judged in found.turns])
    assert reported[0] == reported[1]


@pytest.mark.slow
def test_the_player_finishes_games_and_keeps_its_clock():
    game = stratagem.game("asmacag")
    player = stratagem.player(game, "staged:stages=turns,whole=true", seed=1)
    position, took = game.start(seed=1), []
    while not position.over:
        choice = player.choose(position.view(position.turn), Clock(0.05))
        took.append(choice.seconds or 0)
        assert choice.move in position.moves()
        position = position.play(choice.move)
    assert sorted(took)[len(took) // 2] < 2.0  # of a machine that may be busy
