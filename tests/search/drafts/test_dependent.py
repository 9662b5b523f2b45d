"""Worths that depend on who holds what, orders of ties, and the audit on the command line."""

import json
import random
from dataclasses import replace

import pytest
from command import run
from references.draft import random_draft

import stratagem
from stratagem.errors import OptionError, ParseError, UnknownName
from stratagem.plans.draft import TIES, Draft, Synergy
from stratagem.search.drafts import solve_exact
from stratagem.search.drafts.audit import STUDIED, audit, examine, tie_study
from stratagem.search.drafts.dependent import Dependent, plain_draft, solve_dependent
from stratagem.search.drafts.methods import solve_draft
from stratagem.search.drafts.solution import TooLarge

PAIR = Draft(("A", "B", "C", "D"), ((4, 3, 2, 1), (4, 3, 2, 1)), (0, 1, 0, 1), synergies=(Synergy((2, 3), 10),))


def with_synergies(rng, players, items):
    base = random_draft(rng, players, items, ties=False)  # without ties there is one equilibrium
    sets = tuple(
        Synergy(tuple(rng.sample(range(items), rng.randint(2, 3))), rng.uniform(-3, 9), rng.choice([None, 0, 1]))
        for _ in range(rng.randint(1, 3))
    )
    return replace(base, synergies=sets)


def as_function(draft):
    """The same worths by a Python function."""

    def worth(owned, player):
        mine = owned[player]
        total = sum(draft.worths[player][draft.items.index(x)] for x in mine)
        for one in draft.synergies:
            if one.player in (None, player) and {draft.items[x] for x in one.items} <= mine:
                total += one.worth
        return total

    return replace(draft, synergies=(), function=worth)


def end_worths(draft, picks):
    return draft.totals(draft.after(picks))


def exact_by_recursion(draft, node):
    """The subgame perfect end by trying everything."""
    if node.turn == draft.turns:
        return node
    i = draft.order[node.turn]
    return max(
        (exact_by_recursion(draft, draft.apply(node, x)) for x in draft.free(node)),
        key=lambda end: draft.worth_of(i, end.owned),
    )


def test_exact_play_with_a_function_or_a_table_is_that_of_full_recursion():
    rng = random.Random(3)
    for _ in range(25):
        draft = with_synergies(rng, 2, rng.randint(3, 6))
        expected = draft.totals(exact_by_recursion(draft, draft.start()))
        for made in (draft, as_function(draft)):
            assert solve_dependent(made, "exact").totals == pytest.approx(expected)
        greedy = Dependent(as_function(draft)).picks("greedy")
        assert solve_dependent(as_function(draft), "greedy").totals == pytest.approx(end_worths(draft, greedy))


def test_a_function_that_adds_up_plays_as_static_worths_do():
    rng = random.Random(4)
    for _ in range(20):
        static = random_draft(rng, rng.randint(2, 3), rng.randint(3, 7))
        draft = as_function(static)
        for method in ("kth", "ascending", "greedy"):
            assert solve_dependent(draft, method).picks == solve_draft(static, method).picks
        assert solve_dependent(draft, "exact").totals == solve_exact(static).totals
        seat = rng.randrange(static.players)
        assert (
            solve_dependent(draft, "reply", seat).totals[seat] == solve_draft(static, "reply", seat=seat).totals[seat]
        )


def test_a_pair_that_belongs_together_is_taken_together():
    assert solve_draft(PAIR, "exact").names[0] == "C" and solve_draft(PAIR, "exact").totals == (13, 7)
    assert solve_draft(as_function(PAIR), "exact").totals == (13, 7)
    assert solve_draft(as_function(PAIR), "greedy").names == (
        "A",
        "B",
        "C",
        "D",
    )  # a pair adds nothing until it is whole
    assert PAIR.totals(PAIR.after("ACBD")) == (7, 13)
    for_one = replace(PAIR, synergies=(Synergy((2, 3), 10, player=1),))
    assert for_one.totals(for_one.after("CADB")) == (3, 7)


@pytest.mark.slow
def test_uct_takes_synergies_too():
    assert solve_draft(PAIR, "uct", simulations=2000).totals[0] >= 13


def test_the_static_methods_refuse_such_drafts_and_say_who_takes_them():
    for method in (solve_exact, audit, lambda d: d.lists, lambda d: d.cut([0, 1])):
        with pytest.raises(OptionError, match="who holds what"):
            method(PAIR)
    with pytest.raises(OptionError, match="kth, ascending, exact, greedy, reply"):
        solve_draft(PAIR, "back-to-front")
    with pytest.raises(OptionError, match="limits"):
        Draft(PAIR.items, PAIR.worths, PAIR.order, ("Q",) * 4, {"Q": 2}, PAIR.synergies)
    assert plain_draft(PAIR).lists.shape == (2, 4)


def test_a_function_is_asked_at_so_many_nodes_and_no_more():
    draft = as_function(random_draft(random.Random(1), 2, 9))
    with pytest.raises(TooLarge, match="synergies"):
        Dependent(draft, most_nodes=50).picks("exact")
    wrong = replace(PAIR, synergies=(), function=lambda owned, player: "much")
    with pytest.raises(OptionError, match="must give a number"):
        solve_draft(wrong, "greedy")


# ---------------------------------------------------------------------------------------------------------- files


FILE = {"items": ["A", "B", "C", "D"], "worths": [[4, 3, 2, 1], [4, 3, 2, 1]], "order": [0, 1, 0, 1]}


def test_a_file_holds_synergies_or_names_a_function(tmp_path):
    sets = [{"items": ["C", "D"], "worth": 10}]
    draft = Draft.from_json(FILE | {"synergies": sets, "ties": "index"})
    assert draft.synergies == (Synergy((2, 3), 10),) and Draft.from_json(draft.json()) == draft
    (tmp_path / "worths.py").write_text(
        "def worth(owned, player):\n    return 10 * ({'C', 'D'} <= owned[player]) + len(owned[player])\n"
    )
    file = tmp_path / "draft.json"
    file.write_text(json.dumps(FILE | {"function": "worths.py:worth"}))
    found = run("draft", "solve", str(file), "--method", "exact", "--json", "--trust")
    assert json.loads(found.out)["totals"][0] in (2, 12) and found.code == 0
    with pytest.raises(OptionError, match="draft solve"):
        stratagem.game("draft", file=str(file))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"synergies": {"C": 1}}, "take a list"),
        ({"synergies": [{"items": ["C"], "worth": 1}]}, "two different items"),
        ({"synergies": [{"items": ["C", "C"], "worth": 1}]}, "two different items"),
        ({"synergies": [{"items": ["C", "Z"], "worth": 1}]}, "Z"),
        ({"synergies": [{"items": ["C", "D"]}]}, "looks like"),
        ({"synergies": [{"items": ["C", "D"], "worth": "much"}]}, "takes a number"),
        ({"synergies": [{"items": ["C", "D"], "worth": 1, "player": 7}]}, "players go from 0 to 1"),
        ({"ties": "alphabetical"}, "alphabetical"),
        ({"function": "worths"}, "FILE.py:NAME"),
        ({"function": "nowhere.py:worth"}, "No such file"),
        ({"function": "broken.py:worth"}, "does not load"),
        ({"function": "empty.py:worth"}, "has no function"),
    ],
)
def test_files_that_are_wrong_are_refused_in_a_line(tmp_path, change, reason):
    (tmp_path / "broken.py").write_text("def worth(:\n")
    (tmp_path / "empty.py").write_text("")
    file = tmp_path / "draft.json"
    file.write_text(json.dumps(FILE | change))
    found = run("draft", "solve", str(file), "--trust")
    assert found.code == 2 and reason in found.err and "Traceback" not in found.err
    with pytest.raises(ParseError):
        Draft.read(file, trust=True)


# ----------------------------------------------------------------------------------------------------------- ties


def test_orders_of_ties_are_what_they_say():
    draft = Draft(tuple("ABCD"), ((2, 2, 2, 1), (0, 3, 1, 2)), (0, 1, 0, 1))
    orders = {ties: "".join(draft.items[x] for x in replace(draft, ties=ties).lists[0]) for ties in TIES[:4]}
    assert orders == {
        "least-contested": "ACBD",
        "most-contested": "BCAD",
        "index": "ABCD",
        "index-down": "CBAD",
    }
    draws = {tuple(replace(draft, ties="random", tie_seed=k).lists[0].tolist()) for k in range(30)}
    assert len(draws) == 6 and all(order[-1] == 3 for order in draws)
    with pytest.raises(UnknownName):
        replace(draft, ties="alphabet")


def test_the_study_of_ties_finds_the_least_contested_first_best_of_the_orders():
    rows = {row.ties: row for row in tie_study(300, seed=1)}
    assert list(rows) == list(STUDIED)
    assert rows["least-contested"].total == max(row.total for row in rows.values())
    assert rows["most-contested"].total == min(rows[ties].total for ties in TIES)
    assert tie_study(20, seed=1) == tie_study(20, seed=1)
    with pytest.raises(OptionError, match="1 or more"):
        tie_study(0)
    assert "least-contested" in run("draft", "ties", "--drafts", "10").out


# ---------------------------------------------------------------------------------------------------------- audit


def test_the_audit_tells_who_would_gain_by_what(tmp_path):
    """The smallest failure: a > b > c > d > e against c > a > d > e > b."""
    file = tmp_path / "draft.json"
    file.write_text(
        json.dumps({"items": list("ABCDE"), "worths": [[5, 4, 3, 2, 1], [4, 1, 5, 3, 2]], "order": [0, 1, 0, 1, 0]})
    )
    found = run("draft", "audit", str(file))
    assert "no equilibrium here" in found.out and "player 0 takes B, and would gain 1 by A" in found.out
    reported = json.loads(run("draft", "audit", str(file), "--json").out)
    assert reported["nodes_with_gain"] == 1 and reported["largest_gain"] == 1 and not reported["subgame_perfect"]
    assert "Traceback" not in run("draft", "audit", str(file), "--rule", "best").err
    shared = tmp_path / "shared.json"
    shared.write_text(json.dumps(FILE))
    assert "subgame perfect here" in run("draft", "audit", str(shared)).out


def test_the_audit_agrees_with_the_counting_one_and_with_a_function():
    rng = random.Random(6)
    for _ in range(15):
        draft = random_draft(rng, 2, rng.randint(3, 6))
        for rule in ("kth", "greedy", "ascending"):
            reported, counted = examine(draft, rule), audit(draft, rule)
            assert (reported.nodes > 0, bool(reported.path)) == (counted.imperfect == 1, counted.on_path == 1)
            assert reported.nodes == counted.nodes and (reported.largest > 0) == (reported.nodes > 0)
            by_function = examine(as_function(draft), rule)
            assert by_function.picks == reported.picks and by_function.path == reported.path
            assert by_function.largest == pytest.approx(reported.largest)
