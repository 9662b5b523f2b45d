"""The default staging: any game whose turn is a row of decisions, without stages of its own."""

import itertools
from pathlib import Path

import numpy as np
import pytest

import stratagem
from stratagem.contract.player import Clock
from stratagem.errors import OptionError, UnsuitableSearch
from stratagem.rng import below, generator
from stratagem.search.staged import Settings, Staged
from stratagem.search.staged.atomic import ANY, UNIT_ORDERS, AtomicStaging, StagedPlayer

LOTS = str(Path(__file__).parents[3] / "examples" / "lots.py")


def lots():
    return stratagem.game(LOTS)


def middle(seed, turns=1):
    """A position of lots after some random turns."""
    position, rng = lots().start(), generator(seed)
    for _ in range(3 * turns):
        position = position.play(position.sample(rng))
    return position


def own_turns(position):
    """Every turn of three claims and what the rules judge it to be worth to its mover, by plain play."""
    game, seat = position.game, position.turn
    free = position.moves()
    found = {}
    for claims in itertools.permutations(free, min(3, len(free))):
        after = position
        for claim in claims:
            after = after.play(claim)
        out = np.zeros(2)
        game.run("payoff" if after.over else "value", game.g, after.state.copy(), out)
        found[claims] = float(out[seat])
    return found


def test_the_best_turn_is_found_where_greed_misses_it():
    missed = 0
    for seed in range(8):
        position = middle(seed, turns=2)
        worths = own_turns(position)
        staging = AtomicStaging(position.game)
        state = position.state.copy()
        search = Staged(staging, Settings(simulations=300), seed=seed)
        found = search.consider(state)
        assert found.best.values[position.turn] == pytest.approx(max(worths.values()))
        greedy = tuple(f"lot{m + 1}" for m in staging.moves_of(state, ()))
        missed += worths[greedy] < max(worths.values()) - 1e-9
    assert missed >= 2


def test_whatever_is_ordered_the_turn_is_legal():
    game, rng = lots(), generator(5)
    staging = AtomicStaging(game)
    for n in range(400):
        position = middle(n % 7, turns=n % 4)
        orders = tuple(int(below(rng, 14)) - 1 for _ in range(3))
        played = staging.moves_of(position.state.copy(), orders)
        assert len(played) == 3
        for m in played:
            position = position.play(f"lot{m + 1}")  # raises where it is illegal
    # a order that can be kept is kept
    assert staging.moves_of(game.start().state.copy(), (4, 0, 9)) == (4, 0, 9)


def test_interpreted_and_compiled_trials_agree():
    game = lots()
    here, there = AtomicStaging(game), AtomicStaging(game, target="python")
    rng = generator(2)
    for seed in range(10):
        state = middle(seed).state.copy()
        orders = tuple(int(below(rng, 14)) - 1 for _ in range(3))
        a = here.sample(state, orders, None, range(2), 7)
        b = there.sample(state, orders, None, range(2), 7)
        np.testing.assert_allclose(a, b)
        assert here.moves_of(state, orders) == there.moves_of(state, orders)


def test_the_first_decision_is_exhausted_when_every_move_was_wished_for():
    state = middle(1, turns=3).state.copy()
    search = Staged(AtomicStaging(lots(), actions=1), Settings(simulations=60), seed=1)
    search.consider(state)
    sub = search.root.sub["decision 1", ()]
    assert sub.exhausted and {c.part for c in sub.candidates} == {
        (ANY,),
        *((m,) for m in sub.proposals.generator.possible),
    }
    longer = Staged(AtomicStaging(lots()), Settings(simulations=60), seed=1)
    longer.consider(state)
    assert not any(stage.exhausted for stage in longer.report().stages[1:])  # later ones depend on the earlier


def parity(g, s, p, m):
    """Lots of one parity belong to one unit."""
    return m % 2


def test_units_follow_their_wishes_rest_or_are_left_to_greed():
    position = middle(3, turns=2)
    staging = AtomicStaging(position.game, by_unit=parity, units=2)
    search = Staged(staging, Settings(simulations=300), seed=1)
    state = position.state.copy()
    found = search.consider(state)
    assert [stage.name for stage in search.root.stages] == ["unit 1", "unit 2"]
    worths = own_turns(position)
    assert tuple(f"lot{m + 1}" for m in staging.moves_of(state, found.best.turn)) in worths
    assert found.best.values[position.turn] >= worths[tuple(f"lot{m + 1}" for m in staging.moves_of(state, ()))] - 1e-9
    state = middle(3).state.copy()
    staging.stages(state)
    even = staging.possible[staging.key(state)][0]
    assert all(m % 2 == 0 for m in even)
    orders = (even[-1], even[0], -2, ANY)  # unit 1 by order, unit 2 at rest
    assert len(orders) == 2 * UNIT_ORDERS
    played = staging.moves_of(state, orders)
    assert played[:2] == (even[-1], even[0]) and played[2] % 2 == 0


def test_dice_inside_a_turn_are_thrown_anew_at_every_visit():
    game = stratagem.game("pig", target=20)
    search = Staged(AtomicStaging(game, actions=3), Settings(simulations=120, samples=8), seed=1)
    position = game.start()
    found = search.consider(position.state.copy())
    assert found.best.error > 0
    assert found.best.visits > 100 and -1 <= found.best.values[0] <= 1


def test_a_deeper_search_sees_the_reply():
    position = middle(2)
    search = Staged(AtomicStaging(position.game), Settings(simulations=300, depth=2), seed=1)
    search.consider(position.state.copy())
    assert len(search.nodes) > 3
    assert {node.seat for node in search.nodes.values()} == {0, 1}


def test_the_player_finishes_games_and_keeps_its_clock():
    game = lots()
    player = StagedPlayer(game, simulations=40, seed=1)
    position = game.start()
    while not position.over:
        choice = player.choose(position, Clock())
        assert choice.move in position.moves()
        position = position.play(choice.move)
    late = [player.choose(game.start(), Clock(0.05)).seconds for _ in range(3)]
    assert min(late) < 2.0  # of a machine that may be busy
    assert "decision 1" in player.show(game.start(), choice, 0)


def test_the_player_is_offered_where_a_turn_is_several_decisions():
    assert "staged" in stratagem.players(lots())
    assert "staged" not in stratagem.players(stratagem.game("connect4"))


def test_what_cannot_be_staged_is_said():
    with pytest.raises(UnsuitableSearch, match="decide at once"):
        AtomicStaging(stratagem.game("goofspiel"))
    with pytest.raises(UnsuitableSearch, match="kernels"):
        AtomicStaging(stratagem.game("blotto"))
    with pytest.raises(OptionError):
        AtomicStaging(lots(), actions=0)


def test_any_whole_number_is_a_seed():
    """The arena's seeds have 63 bits."""
    position = middle(1, turns=2)
    for seed in (2**63 - 1, -(10**30)):
        search = Staged(AtomicStaging(position.game, target="python"), Settings(simulations=5), seed=seed)
        assert search.consider(position.state.copy()).made


def test_values_of_parts_are_in_the_units_of_the_lines():
    game = stratagem.game("asmacag", payoff="points")
    position = game.start(seed=1)
    player = StagedPlayer(game, target="python", simulations=12, seed=1)
    choice = player.choose(position.view(position.turn), Clock(), lines=20)
    high = game.payoff_range[1]
    reported = [part.value for stage in choice.stages for part in stage.best]
    counted = [part.value for stage in player.search.proposals() for part in stage.best]
    assert high > 1 and reported == pytest.approx([high * value for value in counted])
