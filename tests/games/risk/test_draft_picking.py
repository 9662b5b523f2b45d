"""Look-ahead picking of territories by a ranking made from the learned evaluation."""

import numpy as np
import pytest
from command import run

import stratagem
from stratagem import Clock, OptionError
from stratagem.games.risk.atlas import IDS, TERRITORIES
from stratagem.games.risk.draft_features import described
from stratagem.games.risk.draft_picking import METHODS, Picker
from stratagem.games.risk.draft_worth import predicted, shipped
from stratagem.games.risk.game import Risk
from stratagem.plans.draft import Node

GAME = Risk(players=3)


@pytest.fixture(scope="module")
def pickers():
    return {method: Picker(GAME, shipped(GAME), method, seed=1) for method in METHODS}


def after(picks):
    node = Node((0, 0, 0))
    for t in picks:
        node = node.plus(GAME.claimers[node.turn], t)
    return node


def test_a_territory_is_worth_what_drafts_with_it_are_worth_more(pickers):
    """Against completions made in plain Python and judged by the model itself."""
    lots = np.random.default_rng(2)
    node = after([0, 9, 20, 3, 14, 30])
    found = pickers["kth"].worths(node, 20_000)
    free = [t for t in range(TERRITORIES) if not node.taken >> t & 1]
    owners = np.zeros((4000, TERRITORIES), np.int64)
    for row in owners:
        for t in range(TERRITORIES):
            row[t] = next((p for p in range(3) if node.owned[p] >> t & 1), 0)
        for k, t in enumerate(lots.permutation(free)):
            row[t] = GAME.claimers[node.turn + k]
    chances = predicted(shipped(GAME).row, described(owners, 3))
    for seat in range(3):
        for t in free[::5]:
            plainly = chances[owners[:, t] == seat, seat].mean() - chances[:, seat].mean()
            assert found[seat, t] == pytest.approx(plainly, abs=0.012)
    assert (found[:, [0, 9, 20]] == 0).all()


def test_every_method_drafts_to_the_end_and_the_same_seed_the_same(pickers):
    for method, picker in pickers.items():
        node = after([])
        while node.turn < TERRITORIES:
            found = picker.pick(node)
            assert not node.taken >> found.territory & 1 and IDS[found.territory] in found.why
            node = node.plus(GAME.claimers[node.turn], found.territory)
            if method == "greedy":
                assert found.worths[found.territory] == np.nanmax(found.worths)
        again = Picker(GAME, shipped(GAME), method, seed=1)
        assert again.pick(after([5, 6])).territory == picker.pick(after([5, 6])).territory


def test_rankings_made_at_the_node_see_what_is_held():
    at_start, later = after([]), after([38, 0, 9, 39, 1, 10])  # the first seat has half of Australia
    picker = Picker(GAME, shipped(GAME), "kth", "node")
    assert not np.allclose(picker.worths(at_start, 2000)[0, 41], picker.worths(later, 2000)[0, 41])
    assert picker.pick(later).why.count("from here") == 1


def test_the_player_names_its_pick_and_why():
    game = stratagem.game("risk", players=3)
    player = stratagem.player(game, "strong:draft=kth")
    start = game.start(seed=1)
    choice = player.choose(start.view(0), Clock(None), lines=4)
    assert choice.move in start.moves() and len(choice.lines) == 4 and choice.lines[0].moves[0] == choice.move
    assert choice.details["why"].startswith(choice.move) and player.show(start, choice, 0) == choice.details["why"]
    told = run("analyse", "risk", "--engine", "expected:draft=greedy,ranking=static", "--lines", "2")
    assert "to the chance to win by the ranking on the empty map" in told.out and "greedy takes the first" in told.out


@pytest.mark.parametrize(("options", "reason"), [("draft=kth,ranking=now", "static or node"), ("draft=best", "best")])
def test_ways_to_draft_that_are_not_there_are_refused(options, reason):
    game = stratagem.game("risk", players=3)
    with pytest.raises(stratagem.StratagemError, match=reason):
        stratagem.player(game, f"strong:{options}")
    with pytest.raises(OptionError, match="kth, ascending, exact, greedy"):
        Picker(GAME, shipped(GAME), "uct")
