"""The parts of the search tree one by one, interpreted: what is selected, drawn, backed up, proven, kept."""

import math

import numpy as np
import pytest
from toys.luck_trees import LuckTree
from toys.node_rows import rows

import stratagem
from stratagem import Clock, StratagemError
from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame
from stratagem.kernel import CHANCE, NO_MOVE, OVER
from stratagem.search.tree import cell, mcts, proofs, selection, traffic
from stratagem.search.tree import templates as walking
from stratagem.search.tree.mcts import MCTS
from stratagem.search.tree.records import Walk, plant, ready, walker

TICTACTOE = stratagem.game("tictactoe")
PIG = stratagem.game("pig", target=10)


def grown(children, low, *, solve, seat):
    """A root with children of (visits, mean, prior, exact value to seat 0 or None), as a search would have left it."""
    found = plant(len(children) + 1, proofs=True, priors=True)
    names = {**(proofs.WITH if solve else proofs.WITHOUT), "LOW": low}
    refresh = specialise(selection.refresh, names, target="python")
    table = rows(found)
    table.nodes[cell.ROOT, cell.KIND] = len(children) << cell.FLAG_BITS
    table.firsts[cell.ROOT, cell.FIRST] = 1
    table.stats[cell.ROOT, cell.VISITS] = sum(visits for visits, *_ in children)
    refresh(found, cell.ROOT, NO_MOVE)
    for node, (visits, mean, prior, exact) in enumerate(children, 1):
        table.stats[node] = visits, visits * (mean - low)
        found.priors[node] = prior
        if exact is not None:
            table.nodes[node, cell.KIND] |= cell.PROVEN
            found.exact[node] = exact
        refresh(found, node, seat)
    return found


@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (0.0, 10.0), (-7.0, -3.0)])
def test_selection_follows_the_formulas(low, high):
    """UCT and PUCT as the papers write them, with proven children worth exactly their value and no bonus."""
    draws = np.random.default_rng(4)
    names = {"LOW": low, "HIGH": high, **proofs.WITH}
    uct, puct = (specialise(f, names, target="python") for f in (selection.select_uct, selection.select_puct))
    for trial in range(200):
        seat, c, n = trial % 2, float(draws.uniform(0.1, 2)), int(draws.integers(2, 6))
        children = []
        for _ in range(n):
            visits, exact = int(draws.integers(1, 200)), None
            if low == -high and draws.random() < 0.3:
                exact = float(draws.choice([low, 0.0, high]))
            children.append((visits, float(draws.uniform(low, high)), float(draws.uniform(0.01, 1)), exact))
        total = sum(visits for visits, *_ in children)

        def score(child, bonus, seat=seat):
            _, mean, _, exact = child
            return mean + bonus if exact is None else (exact if seat == 0 else -exact)

        found = grown(children, low, solve=True, seat=seat)
        by_uct = [score(child, c * math.sqrt(math.log(total) / child[0])) for child in children]
        chosen, below = uct(found, cell.ROOT, 1, seat, c)
        assert by_uct[chosen - 1] == pytest.approx(max(by_uct), abs=1e-4 * (high - low))
        assert below == 0  # none of them has children
        by_puct = [score(child, c * child[2] * math.sqrt(total) / (1 + child[0])) for child in children]
        assert puct(found, cell.ROOT, 1, seat, c)[0] - 1 == int(np.argmax(by_puct))


def test_a_child_never_tried_comes_first_by_uct_and_counts_as_its_siblings_by_puct():
    found = grown([(50, 0.9, 0.2, None), (50, -0.9, 0.2, None), (1, 0.0, 0.6, None)], -1.0, solve=False, seat=0)
    rows(found).stats[3] = 0.0
    rows(found).quick[3, cell.SPREAD] = cell.UNTRIED
    names = {"LOW": -1.0, "HIGH": 1.0, **proofs.WITHOUT}
    uct, puct = (specialise(f, names, target="python") for f in (selection.select_uct, selection.select_puct))
    assert uct(found, cell.ROOT, 1, 0, 1.4) == (3, selection.FRESH)
    # the mean of its siblings is 0: a bonus below 0.9 is not enough, one above it is
    for c, chosen in ((0.1, 1), (0.16, 3)):  # 0.6 c sqrt(100) against 0.9 and the favourite's own small bonus
        assert puct(found, cell.ROOT, 1, 0, c)[0] == chosen


# ------------------------------------------------------------------------------------------------------- growing


def expanded(end, weight=lambda g, s, p, m: float(m + 1)):
    names = {**TICTACTOE.names, "give_priors": selection.kernel_priors, "prior": weight}
    found, worker = plant(40, proofs=False, priors=True), ready(walker(TICTACTOE, 0, 0), 9, 1, end)
    s = TICTACTOE.parse("XO_______").state.copy()
    first = specialise(walking.expand, names, target="python")(TICTACTOE.g, s, 0, found, worker, cell.ROOT)
    return first, rows(found), worker.pool


def test_children_get_their_moves_and_priors_that_add_up_to_one():
    first, found, pool = expanded(40)
    assert first == 1
    assert pool[0] == 8
    assert sorted(found.nodes[1:8, 0]) == [2, 3, 4, 5, 6, 7, 8]
    np.testing.assert_allclose(found.priors[1:8], (found.nodes[1:8, 0] + 1) / (found.nodes[1:8, 0] + 1).sum())


def test_a_thread_never_leaves_its_range_of_the_pool():
    assert expanded(8)[0] == 1  # seven children, nodes 1 to 7
    first, found, pool = expanded(7)
    assert (first, pool[0], found.nodes[cell.ROOT, cell.KIND]) == (walking.NO_ROOM, 1, 0)


def infinite(g, s, p, m):
    return np.inf if m == 5 else 1.0


def test_an_infinite_prior_is_an_error():
    assert expanded(40, infinite)[0] == selection.BAD_PRIOR


def test_chance_is_drawn_by_its_odds():
    game = LuckTree(seed=3, first=CHANCE, width=4)
    search = MCTS(game, seed=1, target="python", pool=2000)
    search.search(game.start(), simulations=3000)
    for k, arm in enumerate(search.arms()):
        odds = game.run("odds", game.g, game.start().state, k)
        assert abs(arm.visits / 3000 - odds) < 4 * math.sqrt(odds * (1 - odds) / 3000) + 1e-9
    assert max(arm.visits for arm in search.arms()) > 2 * min(arm.visits for arm in search.arms())


def test_deep_trees_end_at_the_longest_path(monkeypatch):
    monkeypatch.setattr(cell, "PATH", 12)
    game = Corridor(length=30)
    search = MCTS(game, target="python", pool=100)
    search.search(game.start(), simulations=60)
    assert search.nodes_used == 12  # eleven plies below the root: deeper nodes stay leaves
    assert search.trees[0].visits(11) > 40


def test_a_player_without_a_move_is_an_error_of_the_rules():
    game = Corridor(length=5, wall=3)
    with pytest.raises(StratagemError, match="a player who must decide has no move, so its rules are at fault"):
        MCTS(game, target="python", pool=100, evaluate=level).search(game.start(), simulations=60)


# -------------------------------------------------------------------------------------------------------- backing up


def test_payoffs_reach_the_seat_that_moved_and_errors_come_from_the_samples():
    game = LuckTree(seed=1, players=3, low=0, high=100)
    back_up = specialise(walking.back_up, {**game.names, **proofs.WITHOUT, **traffic.ALONE}, target="python")
    found, worker = plant(10, proofs=False, priors=False), ready(walker(game, 0, 0), 2, 1, 10)
    stats, arms, sums = found.stats, worker.arms, worker.sums
    rows(found).firsts[cell.ROOT, cell.FIRST] = 1
    payoffs = np.array([[10.0, 20.0, 70.0], [40.0, 0.0, 60.0], [5.0, 90.0, 5.0]])
    walk = Walk(game.blank(), np.array([0, 1, 4, 7]), np.array([2, CHANCE, 1, OVER]))
    for out in payoffs:
        back_up(found, worker, walk, 3, out)
    assert stats[cell.VISITS :: 2][[0, 1, 4, 7]].tolist() == [3, 3, 3, 3]
    assert [found.total(node) for node in (1, 4, 7)] == [135.0, 55.0, 110.0]  # to seats 2, 0 (chance) and 1
    assert sums.tolist() == payoffs.sum(axis=0).tolist()
    own = payoffs[:, 2]
    for row in (arms[: cell.ARM], arms[-cell.ARM :]):  # of the move, and of the root
        assert (row[cell.SAMPLES], row[cell.SUM], row[cell.SQUARES]) == (3, own.sum(), (own**2).sum())
    assert mcts.standard_error(arms[: cell.ARM], 3) == pytest.approx(own.std(ddof=1) / math.sqrt(3))
    assert mcts.standard_error(arms[: cell.ARM], 12) == pytest.approx(
        own.std(ddof=1) / math.sqrt(12)
    )  # nine visits from before


@pytest.mark.parametrize("first", [0, 1, CHANCE])
def test_proofs_with_chance_agree_with_brute_force(first):
    proven = chances = 0
    for seed in range(60):
        game = LuckTree(seed=seed, players=2, layers=2, width=2, coarse=True, chance=0.5, first=first)
        search = MCTS(game, seed=seed, target="python", pool=200)
        search.search(game.start(), simulations=60)
        exact, children = game.brute_force()
        for arm in search.arms():
            if arm.proven:
                assert arm.value == children[arm.move][max(first, 0)]
                chances += game.start().play(str(arm.move)).turn == CHANCE
        if search.proven() is not None:
            proven += 1
            assert search.proven() == exact[max(first, 0)]
            assert search.arms()[0].value == exact[max(first, 0)]
    assert proven > 3
    assert chances > 3 or first == CHANCE


def even(states, movers, lists, counts):
    return np.ones(lists.shape), np.zeros((len(states), 2))


def fine(seed, first=0):
    """A tree without luck whose payoffs are all different: its proofs are seldom wins, so searches come back to them."""
    return LuckTree(seed=seed, players=2, layers=3, chance=0.0, first=first)


@pytest.mark.parametrize("options", [{}, {"network": even, "batch": 3}], ids=["uct", "network"])
def test_a_proven_node_pays_its_exact_value_and_is_not_searched_again(options):
    returned = 0
    for seed in range(12):
        game = fine(seed, seed % 2)
        search = MCTS(game, seed=seed, target="python", pool=200, **options)
        search.search(game.start(), simulations=30)
        if search.proven() is not None:
            continue
        old = search.trees[0]
        before = {child: below(old, child) for child in old.children(cell.ROOT) if old.proven(child) is not None}
        search.search(game.start(), simulations=30)
        new, moved = search.trees[0], {old.move(child): found for child, found in before.items()}
        for child in new.children(cell.ROOT):
            if new.move(child) in moved:
                visits, inside = moved[new.move(child)]
                again, still = below(new, child)
                assert still == inside
                returned += again > visits
        assert sum(search.values()[0]) == pytest.approx(0)
    assert returned > 2


def below(found, node):
    """The visits of a node, and those of all nodes below it."""

    def all_of(at):
        return sum(found.visits(child) + all_of(child) for child in found.children(at))

    return found.visits(node), all_of(node)


def proven_means(found, game):
    """Check what UCT compares of every proven node; returns how many there were."""

    def walk(node, position):
        checked = 0
        for child in found.children(node):
            after = position.play(str(found.move(child)))
            if (exact := found.proven(child)) is not None and found.visits(child) > 1:
                own = exact if position.turn == 0 else -exact
                assert rows(found).quick[child, cell.MEAN] == np.float32(own - game.payoff_range[0])
                checked += 1
            checked += walk(child, after)
        return checked

    return walk(cell.ROOT, game.start())


def test_what_uct_compares_of_a_proven_node_is_its_value_to_who_moved_there():
    checked = 0
    for seed in range(6):
        game = fine(seed, seed % 2)
        search = MCTS(game, seed=seed, target="python", pool=200)
        search.search(game.start(), simulations=60)
        checked += proven_means(search.trees[0], game)
    assert checked > 20


# ---------------------------------------------------------------------------------------------------------- networks


def test_walks_of_one_batch_spread_out():
    """A walk under way counts as lost, so that the next one goes elsewhere."""
    batches = []

    def network(states, movers, lists, counts):
        batches.append({tuple(s) for s in states.tolist()})
        return even(states, movers, lists, counts)

    MCTS(TICTACTOE, network=network, batch=9, pool=2000, target="python").search(TICTACTOE.start(), simulations=9)
    assert [len(batch) for batch in batches] == [1, 9]  # the root, and after it every move once


def test_threads_count_a_walk_under_way_as_lost():
    search = MCTS(TICTACTOE, threads=2, parallel="tree", pool=2000, target="python")
    root = search._begin(TICTACTOE.start())
    search._simulate(*search._arguments(root, 0, 100, 100, np.zeros(1, np.int64)))
    w, found = search.workers[0], search.trees[0]
    descend = specialise(walking.descend, search._names, target="python")
    taken = set()
    for _ in range(9):
        w.walk.state[: len(root.state)] = root.state
        descend(TICTACTOE.g, found, w, w.walk, search.limits.exploration)
        taken.add(int(w.walk.path[1]))
    assert len(taken) > 2  # the same walk nine times, if nothing were counted on the way


def shared(game, solve, walks):
    """The tree that threads share, after walks of one of them; enough for batches of several."""
    search = MCTS(game, seed=5, threads=2, parallel="tree", pool=9000, target="python", solve=solve)
    root = search._begin(game.start())
    assert search._simulate(*search._arguments(root, 0, walks, walks, np.zeros(1, np.int64))) == walks or solve
    return search, search.trees[0]


@pytest.mark.parametrize("slots", [cell.SLOTS, 2])
def test_walks_by_batches_lose_no_visit_and_no_payoff(slots, monkeypatch):
    """Also where nodes of one path meet in one slot."""
    monkeypatch.setattr(cell, "SLOTS", slots)
    search, found = shared(TICTACTOE, solve=False, walks=2500)
    assert (search.workers[0].batches[cell.NODE :: cell.BATCH] == cell.NO_NODE).all()
    inner = [node for node in range(search.nodes_used) if found.children(node)]
    assert len(inner) > 50
    for node in inner:
        visits, total = rows(found).stats[list(found.children(node))].sum(axis=0)
        if node == cell.ROOT:
            assert (found.visits(cell.ROOT), visits) == (2500, 2500)
            assert total - visits == pytest.approx(search.workers[0].sums[0])
        else:  # one walk ended here before there were children; it gave 0, 1 or 2 above the least payoff
            assert found.visits(node) == visits + 1
            assert round(found.total(node) + total - 2 * visits, 6) in (0, 1, 2)
    for node in range(1, search.nodes_used):
        if found.visits(node):
            assert rows(found).quick[node, cell.MEAN] == np.float32(found.total(node) / found.visits(node))


def test_walks_by_parcels_compare_proven_nodes_rightly():
    checked = 0
    for seed in range(4):
        game = LuckTree(seed=seed, players=2, layers=4, chance=0.0, first=seed % 2)
        _, found = shared(game, solve=True, walks=600)
        checked += proven_means(found, game)
    assert checked > 20


def test_every_leaf_of_a_network_is_counted_once():
    position = TICTACTOE.parse("XOXXO_O__")  # X to play, three cells left
    search = MCTS(TICTACTOE, network=even, batch=8, pool=2000, target="python", solve=False)
    search.search(position, simulations=100)
    found = search.trees[0]
    assert found.visits(cell.ROOT) == sum(found.visits(child) for child in found.children(cell.ROOT)) == 100
    assert search.nodes_used <= 1 + 3 + 6 + 6  # a leaf that waits twice in a batch grows once


def test_values_of_a_network_search_add_up_to_nothing():
    position = TICTACTOE.parse("XOXXO____")
    search = MCTS(TICTACTOE, network=even, batch=4, pool=2000, target="python")
    search.search(position, simulations=150)
    assert sum(search.values()[0]) == pytest.approx(0)  # also where a proof stands for a leaf
    for child in search.trees[0].children(cell.ROOT):
        visits, total = rows(search.trees[0]).stats[child]
        assert 0 <= total <= 2 * visits


def test_priors_of_a_network_are_in_the_tree():
    def network(states, movers, lists, counts):
        return lists + 1.0, np.zeros((len(states), 2))

    search = MCTS(TICTACTOE, network=network, batch=4, pool=2000, target="python")
    search.search(TICTACTOE.start(), simulations=60)
    found, checked = search.trees[0], 0
    for node in (cell.ROOT, *found.children(cell.ROOT)):
        if children := found.children(node):
            weights = rows(found).nodes[list(children), 0] + 1.0
            np.testing.assert_allclose(found.priors[list(children)], weights / weights.sum())
            checked += 1
    assert checked > 5


def test_a_network_is_reported_of_chance_by_its_mover_and_asked_for_no_priors_there():
    asked = []

    def network(states, movers, lists, counts):
        asked.extend(zip(movers.tolist(), counts.tolist(), strict=True))
        return even(states, movers, lists, counts)

    search = MCTS(PIG, network=network, batch=4, pool=2000, target="python")
    search.search(PIG.parse("3,4 first 2"), simulations=60)
    assert {count for mover, count in asked if mover == CHANCE} == {0}
    assert {mover for mover, _ in asked} == {CHANCE, 0, 1}


# ------------------------------------------------------------------------------------------------------------ keeping


def same(old, a, new, b):
    """Whether two trees are alike below two nodes, in all but the numbers of nodes."""
    one, other = rows(old), rows(new)
    assert one.stats[a].tolist() == other.stats[b].tolist()
    assert one.quick[a, :3].tolist() == other.quick[b, :3].tolist()
    assert one.nodes[a].tolist() == other.nodes[b].tolist()
    assert old.exact[a] == new.exact[b]
    assert old.priors[a] == new.priors[b]
    assert len(old.children(a)) == len(new.children(b))
    return 1 + sum(same(old, c, new, d) for c, d in zip(old.children(a), new.children(b), strict=True))


def uneven(g, s, p, m):
    return float(m % 4)


def test_all_of_a_subtree_is_kept():
    position = TICTACTOE.parse("XOX______")
    search = MCTS(TICTACTOE, seed=1, pool=3000, prior=uneven, target="python")
    search.search(position, simulations=500)
    old = search.trees[0]
    node = max(old.children(cell.ROOT), key=old.visits)
    search._begin(position.play(TICTACTOE.move_text(position.state, position.turn, old.move(node))))
    new = search.trees[0]
    assert same(old, node, new, cell.ROOT) == search._kept > 30
    assert rows(new).nodes[: search._kept, cell.KIND].astype(int).sum() > 0
    assert any(int(kind) & cell.PROVEN for kind in rows(new).nodes[: search._kept, cell.KIND])


def test_what_does_not_fit_is_cut_off_and_stays_proven():
    position = TICTACTOE.parse("XOXXO____")
    search = MCTS(TICTACTOE, seed=1, pool=3000, target="python")
    search.search(position, simulations=400)
    old = search.trees[0]
    copy = specialise(walking.copy_subtree, search._names, target="python")
    new, end = plant(3000, proofs=True, priors=False), 1 + len(old.children(cell.ROOT))
    assert copy(old, cell.ROOT, new, np.zeros(3000, np.int64), end) == end
    for a, b in zip(old.children(cell.ROOT), new.children(cell.ROOT), strict=True):
        assert old.proven(a) == new.proven(b)
        assert len(new.children(b)) == 0
    assert any(new.proven(b) is not None for b in new.children(cell.ROOT))


@pytest.mark.parametrize("line", [(), ("b2",), ("b2", "a1"), ("b2", "a1", "c3", "b3")], ids=len)
def test_a_tree_is_kept_over_any_number_of_plies_and_not_for_another_position(line):
    search = MCTS(TICTACTOE, seed=1, pool=3000, target="python")
    search.search(TICTACTOE.start(), simulations=400)
    old, node = search.trees[0], cell.ROOT
    position = TICTACTOE.start()
    for move in line:
        number = TICTACTOE.parse_move(position.state, position.turn, move)
        below = [] if node is None else old.children(node)
        node = next((child for child in below if old.move(child) == number), None)
        position = position.play(move)
    known = 0 if node is None else old.visits(node)
    assert search.analyse(position, Clock(), simulations=1).details["visits"] == known + 1
    # the same stones in another order, reached by another history, are no way down from here; nor is the way back
    for other in (TICTACTOE.start(), TICTACTOE.parse("X_O______")):
        fresh = MCTS(TICTACTOE, seed=1, pool=3000, target="python")
        fresh.search(TICTACTOE.start().play("a1"), simulations=50)
        assert fresh.analyse(other, Clock(), simulations=3).details["visits"] == 3


# A corridor: one way on, to the end, or to a wall where the rules forget to give a move.


def turn(g, s):
    return OVER if s[0] == g[0] else s[0] % 2


def count(g, s, p):
    return 0 if s[0] == g[1] else 1


def move(g, s, p, k):
    return 0


def play(g, s, p, m):
    s[0] += 1


def payoff(g, s, out):
    out[0] = 0.0
    out[1] = 0.0


def level(g, s, out):
    out[0] = 0.0
    out[1] = 0.0


class Corridor(ArrayGame):
    name = "corridor"
    title = "Corridor"
    options = (stratagem.Option("length", 5, "steps"), stratagem.Option("wall", -1, "where no move is given"))
    size = 1

    def ground(self):
        return np.array([self["length"], self["wall"]], np.int64)
