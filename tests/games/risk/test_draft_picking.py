"""Look-ahead picking of territories by a ranking made from the learned evaluation."""

import numpy as np
import pytest
from command import run

import stratagem
from stratagem import Clock, OptionError
from stratagem.games.risk import draft_picking
from stratagem.games.risk.atlas import IDS, TERRITORIES
from stratagem.games.risk.draft_features import described
from stratagem.games.risk.draft_picking import METHODS, Picker, states_from
from stratagem.games.risk.draft_ranking import FALLS, NODE_COMPLETIONS
from stratagem.games.risk.draft_worth import predicted, shipped
from stratagem.games.risk.game import Risk
from stratagem.plans.draft import Draft, Node
from stratagem.search.drafts import KthDrafter, lookahead

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
    sampled = np.random.default_rng(2)
    node = after([0, 9, 20, 3, 14, 30])
    found = pickers["kth"].worths(node, 20_000)
    free = [t for t in range(TERRITORIES) if not node.taken >> t & 1]
    owners = np.zeros((4000, TERRITORIES), np.int64)
    for row in owners:
        for t in range(TERRITORIES):
            row[t] = next((p for p in range(3) if node.owned[p] >> t & 1), 0)
        for k, t in enumerate(sampled.permutation(free)):
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


def test_rankings_made_at_the_pick_see_what_is_held():
    at_start, later = after([]), after([38, 0, 9, 39, 1, 10])  # the first seat has half of Australia
    picker = Picker(GAME, shipped(GAME), "kth", "pick")
    assert not np.allclose(picker.worths(at_start, 2000)[0, 41], picker.worths(later, 2000)[0, 41])
    assert picker.pick(later).why.count("from here") == 1


# ------------------------------------------------------------------------------------------ a ranking at every node


@pytest.fixture(scope="module")
def by_node():
    return {method: Picker(GAME, shipped(GAME), method, "node", seed=3) for method in METHODS}


def late(free, seed):
    """A node at which so many territories are left."""
    return after(np.random.default_rng(seed).permutation(TERRITORIES)[: TERRITORIES - free].tolist())


def chances_plainly(picker, node, seat, x):
    """The seat's chances over the same draws, in which it gets x in exchange for what falls to its next turn."""
    falls = (
        picker.sampled.ground[FALLS : FALLS + NODE_COMPLETIONS * TERRITORIES]
        .astype(int)
        .reshape(NODE_COMPLETIONS, TERRITORIES)
    )
    owners = np.zeros((NODE_COMPLETIONS, TERRITORIES), np.int64)
    for row, order in zip(owners, falls, strict=True):
        for p in range(3):
            row[[t for t in range(TERRITORIES) if node.owned[p] >> t & 1]] = p
        free = [t for t in order if not node.taken >> t & 1]
        turns = list(GAME.claimers[node.turn :])
        row[free] = turns
        if x is not None and row[x] != seat and seat in turns:
            row[free[turns.index(seat)]], row[x] = row[x], seat
    return predicted(shipped(GAME).row, described(owners, 3))[:, seat].mean()


def test_the_chance_with_a_territory_is_that_of_completions_in_which_the_seat_gets_it(by_node):
    for node in (late(30, 1), late(9, 2), late(2, 3)):
        chances, alone = by_node["kth"].sampled.chances(node)
        for seat in range(3):
            assert alone[seat] == pytest.approx(chances_plainly(by_node["kth"], node, seat, None), abs=1e-9)
            for x in [t for t in range(TERRITORIES) if not node.taken >> t & 1][::3]:
                assert chances[seat, x] == pytest.approx(chances_plainly(by_node["kth"], node, seat, x), abs=1e-9)


def test_few_exchanged_completions_estimate_what_many_by_lot_do(by_node):
    node, seeds = late(30, 4), 60
    found = np.zeros((3, TERRITORIES))
    for seed in range(seeds):
        chances, alone = Picker(GAME, shipped(GAME), "kth", "node", seed=seed).sampled.chances(node)
        found += (chances - alone[:, None]) / seeds
    free = [t for t in range(TERRITORIES) if not node.taken >> t & 1]
    assert found[:, free] == pytest.approx(by_node["kth"].worths(node, 40_000)[:, free], abs=0.015)


def ranked_at(picker, node):
    """The free territories of the seat to move, best first."""
    chances, i = np.rint(picker.sampled.chances(node)[0] * 1e9), GAME.claimers[node.turn]
    free = [t for t in range(TERRITORIES) if not node.taken >> t & 1]
    return sorted(free, key=lambda t: (-chances[i, t], chances[:, t].sum() - chances[i, t], t))


def kth_plainly(picker, node, ascending=False, width=TERRITORIES):
    """The rule by brute force, whoever is to move ranking anew wherever he is, and trying so many of his best."""
    i, best = int(GAME.claimers[node.turn]), ranked_at(picker, node)

    def gets(k):
        wanted, at = set(best[:k]), node.plus(i, best[k])
        while wanted and at.turn < TERRITORIES:
            x, mover = kth_plainly(picker, at, ascending, width), int(GAME.claimers[at.turn])
            if x in wanted and mover != i:
                return False
            wanted.discard(x)
            at = at.plus(mover, x)
        return not wanted

    most = min(list(GAME.claimers[node.turn :]).count(i), width)
    if ascending:
        return best[next((k for k in range(1, most) if not gets(k)), most) - 1]
    return best[next((k for k in range(most - 1, 0, -1) if gets(k)), 0)]


def test_look_ahead_by_the_ranking_of_every_node_equals_brute_force(by_node):
    """Also where a ranking frozen at the root would pick something else, which some of these nodes must show."""
    apart = 0
    for seed in range(24):
        node = late(8, seed)
        found = by_node["kth"].pick(node)
        assert found.territory == kth_plainly(by_node["kth"], node)
        assert by_node["ascending"].pick(node).territory == kth_plainly(by_node["kth"], node, ascending=True)
        assert by_node["greedy"].pick(node).territory == ranked_at(by_node["kth"], node)[0]
        chances, free = (
            by_node["kth"].sampled.chances(node)[0],
            [t for t in range(TERRITORIES) if not node.taken >> t & 1],
        )
        frozen = Draft(
            tuple(IDS[t] for t in free), tuple(tuple(row[free]) for row in chances), tuple(GAME.claimers[node.turn :])
        )
        apart += free[KthDrafter(frozen).pick()] != found.territory
    assert apart > 0


def test_a_look_ahead_at_fewer_territories_equals_brute_force(by_node):
    """And it is not that at all of them, which some of these nodes must show."""
    picker, apart = by_node["kth"], 0
    for seed in (1, 9, 37):
        node = late(12, seed)
        narrow = KthDrafter(picker.whole, evaluation=picker.sampled.evaluation, longest=2)
        assert narrow.pick(node) == kth_plainly(picker, node, width=2)
        apart += narrow.pick(node) != picker.pick(node).territory
    assert apart > 0


def test_a_dear_pick_looks_at_the_first_few_territories_and_says_so(by_node, monkeypatch):
    node = late(24, 0)
    monkeypatch.setattr(draft_picking, "NODE_STATES", 300)
    monkeypatch.setattr(lookahead, "SLOTS", 256)
    poor = Picker(GAME, shipped(GAME), "kth", "node", seed=3).pick(node)
    drafter = KthDrafter(by_node["kth"].whole, evaluation=by_node["kth"].sampled.evaluation, longest=2)
    assert poor.territory == drafter.pick(node) and drafter.states > 1
    assert "the first 2" in poor.why and "too dear" not in poor.why


@pytest.mark.slow
def test_exact_play_by_the_evaluation_equals_brute_force(by_node):
    def ends(node):
        """The finished draft if everybody picks what ends best for him."""
        if node.turn == TERRITORIES:
            return node
        i = int(GAME.claimers[node.turn])
        return max((ends(node.plus(i, x)) for x in ranked_at(by_node["kth"], node)), key=lambda end: chance(end, i))

    def chance(end, i):
        owners = np.array([[next(p for p in range(3) if end.owned[p] >> t & 1) for t in range(TERRITORIES)]])
        return round(float(predicted(shipped(GAME).row, described(owners, 3))[0, i]), 9)

    for seed in range(4):
        node = late(5, seed)
        i, found = int(GAME.claimers[node.turn]), by_node["exact"].pick(node)
        assert found.why.endswith(("exact play takes it", "played out to the end it leaves most"))
        assert chance(ends(node.plus(i, found.territory)), i) == chance(ends(node), i)


def test_states_are_counted_before_exact_play_begins(by_node):
    def below(node, seen):
        seen.add(node.owned)
        for x in range(5 if node.turn < 5 else 0):
            if not node.taken >> x & 1:
                below(node.plus((0, 1, 2, 0, 1)[node.turn], x), seen)
        return len(seen)

    assert states_from((0, 1, 2, 0, 1)) == below(Node((0, 0, 0)), set())
    assert by_node["exact"].pick(late(14, 1)).why.endswith("(by the ascending rule)")


def test_the_same_seed_gives_the_same_pick_and_too_dear_look_ahead_is_greedy(by_node, monkeypatch):
    node = late(20, 5)
    again = Picker(GAME, shipped(GAME), "kth", "node", seed=3).pick(node)
    assert again.territory == by_node["kth"].pick(node).territory and again.why == by_node["kth"].pick(node).why
    assert "by the ranking of this node" in again.why
    monkeypatch.setattr(draft_picking, "NODE_STATES", 1)
    monkeypatch.setattr(lookahead, "SLOTS", 2)  # or nobody would look at the number of states so soon
    poor = Picker(GAME, shipped(GAME), "kth", "node", seed=3)
    dear = [node for node in map(late, [20] * 12, range(12)) if "too dear" in poor.pick(node).why]
    assert dear and all(poor.pick(at).territory == by_node["greedy"].pick(at).territory for at in dear)


def test_the_player_names_its_pick_and_why():
    game = stratagem.game("risk", players=3)
    player = stratagem.player(game, "strong:draft=kth")
    start = game.start(seed=1)
    choice = player.choose(start.view(0), Clock(None), lines=4)
    assert choice.move in start.moves() and len(choice.lines) == 4 and choice.lines[0].moves[0] == choice.move
    assert choice.details["why"].startswith(choice.move) and player.show(start, choice, 0) == choice.details["why"]
    reported = run("analyse", "risk", "--engine", "expected:draft=greedy,ranking=static", "--lines", "2")
    assert (
        "to the chance to win by the ranking on the empty map" in reported.out
        and "greedy takes the first" in reported.out
    )
    reported = run("analyse", "risk", "--engine", "strong:draft=kth,ranking=node", "--lines", "2")
    assert "to the chance to win by the ranking of this node" in reported.out


@pytest.mark.parametrize(
    ("options", "reason"), [("draft=kth,ranking=now", "static, pick or node"), ("draft=best", "best")]
)
def test_ways_to_draft_that_are_not_there_are_refused(options, reason):
    game = stratagem.game("risk", players=3)
    with pytest.raises(stratagem.StratagemError, match=reason):
        stratagem.player(game, f"strong:{options}")
    with pytest.raises(OptionError, match="kth, ascending, exact, greedy"):
        Picker(GAME, shipped(GAME), "uct")
