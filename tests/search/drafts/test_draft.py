"""Drafts: the rules against slow references, published values, counts of A.5, bad input."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from command import run
from references import draft as reference

import stratagem
from stratagem.compile import specialise
from stratagem.errors import IllegalMove, OptionError, StratagemError
from stratagem.games.draft import players as draft_players
from stratagem.plans.draft import PASS, Draft, round_robin, snake, third_round_reversal
from stratagem.search.drafts import (
    Evaluation,
    KthDrafter,
    OutcomeDrafter,
    TooLarge,
    audit,
    audit_all,
    back_to_front,
    best_reply,
    greedy,
    horizon,
    solve_exact,
    uct,
)
from stratagem.search.drafts.methods import draft_by_kth, solve_draft
from stratagem.search.drafts.uct import DraftUctSettings, JudgedDraft, UctDrafter, uct_drafter
from stratagem.testing import conform

BRAMS_STRAFFIN = Draft(("A", "B", "C", "D"), ((4, 3, 2, 1), (1, 4, 3, 2)), (0, 1, 0, 1))
# the smallest failure of the kth-best pick: a>b>c>d>e against c>a>d>e>b
FAILURE = Draft(("a", "b", "c", "d", "e"), ((5, 4, 3, 2, 1), (4, 1, 5, 3, 2)), (0, 1, 0, 1, 0))


def drafts(count: int, seed: int, most: int = 7, players: tuple[int, ...] = (2, 2, 3, 4)) -> list[Draft]:
    rng = random.Random(seed)
    made = []
    while len(made) < count:
        k = len(made)
        draft = reference.random_draft(
            rng, rng.choice(players), rng.randrange(2, most + 1), limits=k % 3 == 2, ties=k % 2 == 0
        )
        if draft.turns:
            made.append(draft)
    return made


# ------------------------------------------------------------------------------------------------------- against references


def test_kth_best_picks_in_all_forms_equal_the_rule_by_its_words():
    for draft in drafts(400, seed=1):
        node, want = draft.start(), reference.kth_pick(draft, draft.start())
        assert KthDrafter(draft, prune=False).pick() == want
        assert KthDrafter(draft).pick() == want
        assert OutcomeDrafter(draft, "kth").pick() == want
        assert OutcomeDrafter(draft, "kth", prune=False).pick() == want
        assert KthDrafter(draft).picks(node) == OutcomeDrafter(draft, "kth").picks(node)


def test_the_ascending_variant_equals_its_words():
    for draft in drafts(200, seed=2):
        want = reference.kth_pick(draft, draft.start(), ascending=True)
        assert KthDrafter(draft, ascending=True).pick() == want == OutcomeDrafter(draft, "kth", ascending=True).pick()


def test_gets_all_equals_its_words():
    rng = random.Random(3)
    for draft in drafts(60, seed=3):
        node = draft.start()
        wanted = {x for x in range(draft.size) if rng.random() < 0.3}
        i = rng.randrange(draft.players)
        found = KthDrafter(draft).gets_all(sum(1 << x for x in wanted), i, node)
        assert found == reference.gets_all(draft, wanted, i, node)


def test_exact_picks_equal_full_recursion_ties_included():
    for draft in drafts(200, seed=4, most=6):
        picks, end = reference.best(draft, draft.start())
        found = solve_exact(draft)
        assert found.picks == picks == OutcomeDrafter(draft, "best").picks()
        assert found.totals == draft.totals(end)
        i = draft.order[0]
        finals = {
            x: round(draft.total(i, reference.best(draft, draft.apply(draft.start(), x))[1].owned[i]), 6)
            for x in draft.legal(draft.start())
        }
        assert set(found.first) == {x for x in finals if finals[x] == max(finals.values())}


def test_best_replies_equal_full_recursion_ties_included():
    for draft in drafts(200, seed=5, most=7):
        for seat in range(draft.players):
            picks, _ = reference.best(draft, draft.start(), {seat})
            assert best_reply(draft, seat).picks == picks


def test_large_best_replies_beat_greedy_and_are_not_beaten_by_small_changes():
    rng = np.random.default_rng(6)
    draft = Draft(tuple(map(str, range(42))), tuple(tuple(rng.random(42)) for _ in range(3)), round_robin(3, 42))
    for seat in range(3):
        found = best_reply(draft, seat)
        assert found.totals[seat] >= draft.totals(draft.after(greedy(draft)))[seat]
        node = draft.start()
        for t, x in enumerate(found.picks):
            if draft.order[t] != seat:
                assert x == next(int(y) for y in draft.lists[draft.order[t]] if not node.taken >> int(y) & 1)
            node = draft.apply(node, x)


def test_two_players_taking_everything_back_to_front_is_exact_and_brute_force():
    rng = random.Random(7)
    for _ in range(80):
        m = rng.randrange(2, 7)
        worths = [rng.sample(range(100), m) for _ in range(2)]
        order = rng.choice([round_robin(2, m), snake(2, m), tuple(rng.randrange(2) for _ in range(m))])
        draft = Draft(tuple(map(str, range(m))), worths, order)  # type: ignore[arg-type]
        totals = draft.totals(reference.best(draft, draft.start())[1])
        assert draft.totals(draft.after(back_to_front(draft))) == solve_exact(draft).totals == totals


def test_the_horizon_cut_changes_no_answer():
    rng = random.Random(8)
    for k in range(60):
        n = rng.choice((2, 3))
        worths = [[rng.randrange(9) if k % 2 else rng.random() for _ in range(9)] for _ in range(n)]
        draft = Draft(tuple(map(str, range(9))), worths, tuple(rng.randrange(n) for _ in range(3)))  # type: ignore[arg-type]
        assert solve_exact(draft).totals == draft.totals(reference.best(draft, draft.start())[1])
        keep = horizon(draft, exact=False)
        cut = draft.cut(keep)
        assert [keep[x] for x in KthDrafter(cut).picks()] == list(KthDrafter(draft).picks())


# ------------------------------------------------------------------------------------------------------ the published cases


def test_with_one_shared_ranking_kth_gives_everyone_what_greedy_gives():
    rng = random.Random(9)
    for _ in range(100):
        n, m = rng.randrange(2, 6), rng.randrange(6, 13)
        common = sorted((rng.random() for _ in range(m)), reverse=True)
        # worths of one's own that respect the shared order
        worths = [[x * (1 + i) + 0.01 * (m - k) for k, x in enumerate(common)] for i in range(n)]
        turns = rng.choice((m, m - 2))
        draft = Draft(tuple(map(str, range(m))), worths, rng.choice((round_robin, snake))(n, turns))  # type: ignore[arg-type]
        kth = draft.after(KthDrafter(draft).picks())
        assert kth.owned == draft.after(greedy(draft)).owned
        assert audit(draft, "kth").imperfect == 0


def test_the_smallest_failure_of_kth_is_reproduced_and_solved():
    assert [FAILURE.items[x] for x in KthDrafter(FAILURE).picks()] == ["b", "c", "a", "d", "e"]
    found = solve_exact(FAILURE)
    assert sorted(FAILURE.items[x] for x in range(5) if found.node.owned[0] >> x & 1) == ["a", "b", "d"]
    assert {FAILURE.items[x] for x in found.first} == {"a", "d"}
    assert audit(FAILURE).on_path == 1


def test_brams_and_straffin():
    found = solve_exact(BRAMS_STRAFFIN)
    assert found.names[0] == "B"
    assert found.totals == (7, 5)
    assert BRAMS_STRAFFIN.totals(BRAMS_STRAFFIN.after(greedy(BRAMS_STRAFFIN))) == (6, 6)


def test_relabelling_the_items_relabels_the_result():
    rng = np.random.default_rng(10)
    for _ in range(40):
        n, m = int(rng.integers(2, 5)), int(rng.integers(4, 10))
        worths, names = rng.random((n, m)), np.array([f"i{x}" for x in range(m)])
        shuffle = rng.permutation(m)
        one = Draft(tuple(names), tuple(map(tuple, worths)), round_robin(n, m))
        two = Draft(tuple(names[shuffle]), tuple(map(tuple, worths[:, shuffle])), round_robin(n, m))
        for method in ("kth", "ascending", "exact", "greedy", "reply"):
            assert solve_draft(one, method).names == solve_draft(two, method).names


@pytest.mark.parametrize(
    ("items", "imperfect", "on_path", "snake_imperfect"), [(4, 0, 0, 0), (5, 1, 1, 0), (6, 31, 19, 0), (7, 604, 291, 0)]
)
def test_all_two_player_profiles(items, imperfect, on_path, snake_imperfect):
    found = audit_all(2, items, round_robin(2, items))
    assert (found.imperfect, found.on_path) == (imperfect, on_path)
    assert audit_all(2, items, snake(2, items)).imperfect == snake_imperfect


@pytest.mark.parametrize(("items", "profiles", "imperfect"), [(4, 576, 16), (5, 14_400, 2_550)])
def test_all_three_player_profiles(items, profiles, imperfect):
    found = audit_all(3, items, round_robin(3, items))
    assert (found.profiles, found.imperfect) == (profiles, imperfect)


@pytest.mark.slow
def test_all_profiles_of_eight_items_and_of_three_players_with_six():
    eight = audit_all(2, 8, round_robin(2, 8))
    assert (eight.imperfect, eight.on_path, audit_all(2, 8, snake(2, 8)).imperfect) == (9_696, 3_828, 192)
    six = audit_all(3, 6, round_robin(3, 6))
    assert (six.profiles, six.imperfect, six.on_path) == (518_400, 238_076, 54_926)
    assert audit_all(3, 6, snake(3, 6)).imperfect == 30_816


def shared(players: int, items: int) -> Draft:
    worths = (tuple(range(items, 0, -1)),) * players
    return Draft(tuple(map(str, range(items))), worths, round_robin(players, items))


STATES = {
    2: {12: 144, 24: 46_368, 30: 832_040},
    3: {12: 41, 24: 4_023, 30: 39_865, 42: 3_914_488},
    4: {12: 19, 24: 907, 30: 6_272, 42: 299_915},
    5: {12: 11, 24: 325, 30: 1_757, 42: 51_320},
    6: {12: 7, 24: 153, 30: 686, 42: 13_917},
}


@pytest.mark.parametrize(
    ("players", "items"),
    [
        pytest.param(n, m, marks=[pytest.mark.slow] if states > 500_000 else [])
        for n, row in STATES.items()
        for m, states in row.items()
    ],
)
def test_states_of_the_plain_rule_with_a_memo(players, items):
    drafter = KthDrafter(shared(players, items), prune=False)
    drafter.pick()
    assert drafter.states == STATES[players][items]


def test_pruning_keeps_the_picks_of_large_drafts_and_needs_few_states():
    rng = np.random.default_rng(11)
    common = rng.random(24)
    draft = Draft(
        tuple(map(str, range(24))),
        tuple(tuple(0.7 * common + 0.3 * rng.random(24)) for _ in range(3)),
        round_robin(3, 24),
    )
    plain, pruned = KthDrafter(draft, prune=False), KthDrafter(draft)
    assert plain.picks() == pruned.picks()
    assert pruned.states * 10 < plain.states
    large = KthDrafter(shared(3, 42))
    assert large.picks() == greedy(shared(3, 42))
    assert large.states == 42


# --------------------------------------------------------------------------------------------------- worths by the state

# items 2k and 2k+1 are a pair: whoever has one wants the other more, and a whole pair has a bonus


def pair_worth(g, owned, i, x):
    return float(g[i * 8 + x]) + 6.0 * (owned[i] >> (x ^ 1) & 1)


def pair_final(g, owned, i):
    total = 0.0
    for x in range(8):
        if owned[i] >> x & 1:
            total += float(g[i * 8 + x])
            if x & 1 == 0 and owned[i] >> (x + 1) & 1:
                total += 9.0
    return total


def test_worths_that_depend_on_the_state_equal_a_slow_reference():
    rng = random.Random(12)
    for _ in range(40):
        n = rng.choice((2, 3))
        worths = [[rng.randrange(8) for _ in range(8)] for _ in range(n)]
        order = rng.choice((round_robin, snake))(n, rng.choice((6, 7)))
        draft = Draft(tuple(map(str, range(8))), worths, order)  # type: ignore[arg-type]
        ground = np.array([x for row in worths for x in row], np.int64)
        evaluation = Evaluation(pair_worth, pair_final, ground)

        def ranked(node, i, draft=draft, ground=ground):
            owned = np.array(node.owned)
            worth = [[pair_worth(ground, owned, j, x) for x in range(8)] for j in range(draft.players)]
            contest = [sum(worth[j][x] for j in range(draft.players) if j != i) for x in range(8)]
            return sorted(draft.free(node), key=lambda x: (-worth[i][x], contest[x], x))

        def kth(node, draft=draft, ranked=ranked):
            i = draft.order[node.turn]
            items = ranked(node, i)
            for k in range(min(draft.order[node.turn :].count(i), len(items)) - 1, 0, -1):
                wanted, at = set(items[:k]), draft.apply(node, items[k])
                while wanted and at.turn < draft.turns:
                    p = kth(at)
                    if p in wanted and draft.order[at.turn] != i:
                        break
                    wanted.discard(p)
                    at = draft.apply(at, p)
                if not wanted:
                    return items[k]
            return items[0]

        def best(node, draft=draft, ranked=ranked, ground=ground):
            if node.turn == draft.turns:
                return node
            i = draft.order[node.turn]
            ends = [best(draft.apply(node, x)) for x in ranked(node, i)]
            finals = [pair_final(ground, np.array(after.owned), i) for after in ends]
            return ends[finals.index(max(finals))]

        node = draft.after(greedy(draft)[:2])
        want = kth(node)
        assert KthDrafter(draft, evaluation=evaluation).pick(node) == want
        assert OutcomeDrafter(draft, "kth", evaluation=evaluation).pick(node) == want
        late = draft.after(greedy(draft)[: draft.turns - 2])
        outcome = OutcomeDrafter(draft, "best", evaluation=evaluation).outcome(late)
        end = best(late)
        assert tuple(a | b for a, b in zip(late.owned, outcome, strict=True)) == end.owned


# -------------------------------------------------------------------------------------------------------------------- UCT


def test_uct_finds_the_equilibrium_opening_and_repeats_itself():
    drafters = [uct_drafter(BRAMS_STRAFFIN, seed=5) for _ in range(2)]
    assert drafters[0].consider() == drafters[1].consider()
    assert BRAMS_STRAFFIN.items[drafters[0].choose()] == "B"
    assert uct_drafter(BRAMS_STRAFFIN, seed=6).picks()[0] == 1


def test_uct_against_drafters_by_ranking_comes_close_to_the_best_reply_and_keeps_its_tree():
    got = best = 0.0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        draft = Draft(tuple(map(str, range(12))), tuple(tuple(rng.random(12)) for _ in range(3)), round_robin(3, 12))
        drafter = uct_drafter(draft, models=("search", "ranking", "ranking"), settings=DraftUctSettings(slip=0.0))
        while not drafter.over:
            x = drafter.choose()
            kept = next(c.visits for c in drafter.consider(simulations=1) if c.item == x)
            drafter.play(x)
            assert drafter.over or drafter.visits == kept > 0
        got += draft.totals(drafter.node)[0]
        best += best_reply(draft, 0).totals[0]
        with pytest.raises(StratagemError, match="over"):
            drafter.choose()
    assert 0.97 * best < got <= best


def share_of_first(g, owned, out):
    """Who holds item 0 has all there is to have."""
    for i in range(owned.shape[0]):
        out[i] = owned[i] & 1


@pytest.mark.parametrize(
    "settings", [DraftUctSettings(flat=True, simulations=300), DraftUctSettings(rollout="ranking", simulations=300)]
)
def test_any_evaluation_of_finished_drafts_up_to_six_players(settings):
    lists = np.tile(np.arange(42, dtype=np.int64)[::-1], (6, 1)).copy()
    drafter = UctDrafter(JudgedDraft(42, snake(6, 42), 6, share_of_first, lists=lists), settings=settings, seed=1)
    assert drafter.choose() == 0


@pytest.mark.parametrize("players", [1, 2, 3, 5])
def test_uct_compiled_and_interpreted_come_to_the_same(players):
    rng = np.random.default_rng(players)
    worths = tuple(tuple(rng.random(12)) for _ in range(players))
    draft = Draft(tuple(map(str, range(12))), worths, round_robin(players, 12))
    models = ("search", "ranking", "random", "search", "ranking")[:players]
    compiled, interpreted = (uct_drafter(draft, models=models, seed=4, simulations=200) for _ in range(2))
    interpreted._search = specialise(
        uct.draft_template, uct.composed(uct.additive, uct.seats_for(players)), target="python"
    )
    for _ in range(3):
        assert compiled.consider() == interpreted.consider()
        assert compiled.visits == interpreted.visits
        item = compiled.consider(simulations=1)[0].item
        assert item == interpreted.consider(simulations=1)[0].item
        compiled.play(item)
        interpreted.play(item)


def share_by_arrays(g, owned, out):
    """The same as `share_of_first`, by an array of its own and a reduction."""
    held = np.zeros(owned.shape[0])
    for i in range(owned.shape[0]):
        held[i] = owned[i] & 1
    for i in range(owned.shape[0]):
        out[i] = held[i] / max(held.max(), 1.0)


def share_out_of_range(g, owned, out):
    for i in range(owned.shape[0]):
        out[i] = 2.0 * (owned[i] & 1)


@pytest.mark.slow
def test_an_evaluation_that_makes_arrays_is_the_same_evaluation():
    plain, making = (
        UctDrafter(JudgedDraft(9, snake(3, 9), 3, evaluate), simulations=100, seed=2).consider()
        for evaluate in (share_of_first, share_by_arrays)
    )
    assert plain == making


def test_an_evaluation_out_of_its_range_is_refused():
    drafter = UctDrafter(JudgedDraft(9, snake(3, 9), 3, share_out_of_range))
    with pytest.raises(StratagemError, match="a value out of 0 to 1"):
        drafter.choose()


def test_a_flat_search_knows_nothing_below_the_first_picks():
    drafter = uct_drafter(shared(3, 9), flat=True)
    item = drafter.choose()
    assert sum(c.visits for c in drafter.consider(simulations=1)) == drafter.visits == 3001
    drafter.play(item)
    assert drafter.visits > 0
    assert sum(c.visits for c in drafter.consider(simulations=50)) == 50


def test_few_simulations_favour_no_item():
    """After one simulation the pick is the item that it tried, any of them."""
    draft = Draft(tuple(map(str, range(12))), ((1.0,) * 12,) * 2, round_robin(2, 12))
    assert len({uct_drafter(draft, seed=seed).choose(simulations=1) for seed in range(200)}) == 12


def test_settings_that_make_no_search_are_refused():
    for change, message in (
        ({"simulations": 0}, "0 simulations decide nothing"),
        ({"exploration": -1.0}, "is no constant"),
        ({"rollout": "sincere"}, "it is random or ranking"),
        ({"slip": 1.0}, "is no chance below 1"),
        ({"nodes": 62}, "give more than 62"),
        ({"colour": 3}, "takes no option 'colour'"),
    ):
        with pytest.raises(OptionError, match=message):
            uct_drafter(BRAMS_STRAFFIN, **change)
    with pytest.raises(OptionError, match="needs `lists`"):
        UctDrafter(JudgedDraft(9, snake(3, 9), 3, share_of_first), rollout="ranking")
    with pytest.raises(OptionError, match="give one of search, ranking, random a player"):
        uct_drafter(BRAMS_STRAFFIN, models=("search",))


def test_where_kth_is_too_dear_uct_picks_and_the_note_says_so():
    rng = np.random.default_rng(14)
    draft = Draft(tuple(map(str, range(20))), tuple(tuple(rng.random(20)) for _ in range(2)), round_robin(2, 20))
    found = draft_by_kth(draft, most_states=600)
    assert "UCT" in found.note
    assert sorted(found.picks) == list(range(20))
    assert draft_by_kth(draft).note == ""


# -------------------------------------------------------------------------------------------------- orders and bad input


def test_orders():
    assert round_robin(3, 7) == (0, 1, 2, 0, 1, 2, 0)
    assert snake(3, 7) == (0, 1, 2, 2, 1, 0, 0)
    assert third_round_reversal(3, 12) == (0, 1, 2, 2, 1, 0, 2, 1, 0, 0, 1, 2)


def test_a_player_without_a_legal_item_passes():
    draft = Draft(("q1", "q2", "r"), ((3, 2, 1), (3, 2, 1)), (0, 1, 0), ("Q", "Q", "R"), {"Q": 1})
    node = draft.after(("q1", "r"))
    assert draft.legal(node) == []
    assert greedy(draft, node) == (PASS,) == KthDrafter(draft).picks(node)
    assert draft.apply(node, PASS).turn == 3
    with pytest.raises(IllegalMove, match="holds 1 Q"):
        draft.apply(node, "q2")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"worths": [[1, 2, 3], [1, 2]]}, "player 1 has 2 worths for 3 items"),
        ({"order": [0, 1, 2]}, "turn 3 of the order names player 2; players go from 0 to 1"),
        ({"order": [0, 1, 0, 1]}, "4 turns, but there are only 3 items"),
        ({"items": ["a", "a", "b"]}, "'a' is listed twice"),
        ({"worths": [[1, 2, "x"], [1, 2, 3]]}, "'x'; it takes a number"),
        ({"positions": ["Q", "Q", "R"], "limits": {"Q": 1, "R": 0}}, "hold only 1"),
        ({"positions": ["Q", "Q", "R"], "limits": {"Z": 1}}, "unknown position in limits 'Z'"),
        ({"limits": {"Q": 1}}, "limits need positions"),
        ({"colour": 3}, "unknown field of a draft 'colour'"),
        ({"items": None}, "lacks 'items'|it takes a list"),
    ],
)
def test_bad_drafts_are_refused_in_one_line(change, message):
    data = {"items": ["a", "b", "c"], "worths": [[1, 2, 3], [3, 2, 1]], "order": [0, 1, 0], **change}
    with pytest.raises(StratagemError, match=message):
        Draft.from_json(data)


def test_picks_that_cannot_be_made_are_refused():
    with pytest.raises(StratagemError, match="unknown item 'Q'"):
        BRAMS_STRAFFIN.after(("Q",))
    with pytest.raises(IllegalMove, match="'A' is already taken, by player 0"):
        BRAMS_STRAFFIN.after(("A", "A"))


def test_what_is_too_large_is_refused_with_the_reason():
    with pytest.raises(TooLarge, match=r"30 items and 3 players needs .* GB"):
        solve_exact(shared(3, 30))
    with pytest.raises(TooLarge, match="states are needed"):
        KthDrafter(shared(2, 30), prune=False, most_states=10_000).pick()
    with pytest.raises(OptionError, match="two players, not 3"):
        back_to_front(shared(3, 6))
    with pytest.raises(OptionError, match="kth does not mix"):
        OutcomeDrafter(shared(2, 4), ("kth", "best"))


def test_the_command_line_solves_a_file_and_lines(tmp_path: Path):
    file = tmp_path / "draft.json"
    file.write_text(json.dumps(BRAMS_STRAFFIN.json()))
    done = run("draft", "solve", str(file), "--method", "exact", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["picks"][0], found["totals"], found["first"]) == ("B", [7, 5], ["B"])
    text = json.dumps(BRAMS_STRAFFIN.json()) + "\nnonsense\n"
    done = run("draft", "solve", "-", "--method", "greedy", stdin=text)
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 2
    assert lines[0]["totals"] == [6, 6]
    assert "not JSON" in lines[1]["error"]
    file.write_text('{"items": ["A"], "worths": [[1]], "order": [3]}')
    done = run("draft", "solve", str(file))
    assert done.code == 2
    assert done.err.count("\n") == 1 and "turn 1 of the order names player 3" in done.err


# --------------------------------------------------------------------------------------------------------------- the game


def test_the_game_keeps_the_contract_and_its_players_play(tmp_path: Path):
    conform(stratagem.game("draft"), games=2, compiled=False)
    limited = tmp_path / "limited.json"
    data = {"items": ["q1", "q2", "r"], "worths": [[3, 2, 1]] * 2, "order": [0, 1, 0]}
    limited.write_text(json.dumps({**data, "positions": ["Q", "Q", "R"], "limits": {"Q": 1}}))
    game = stratagem.game("draft", file=str(limited))
    conform(game, games=2, compiled=False)
    position = game.parse("q1, r")
    assert position.moves() == ["pass"]
    assert position.play("pass").payoff == (3, 1)
    of = stratagem.game("draft")
    for name in ("greedy", "medium", "strong", "uct"):
        at = of.start()
        while not at.over:
            at = at.play(stratagem.player(of, name).choose(at, stratagem.Clock()).move)
        assert sum(len(text) > 0 for text in at.history) == 9
    assert at.game.players == 3
    with pytest.raises(StratagemError, match="already taken"):
        of.parse("apple, apple")


def test_the_uct_player_draws_by_its_seed():
    game = stratagem.game("draft")
    first, same, other = (
        stratagem.player(game, "uct", seed=seed).choose(game.start(), stratagem.Clock()).lines for seed in (1, 1, 2)
    )
    assert first == same != other


def test_a_player_by_the_kth_best_pick_keeps_its_table_between_picks(monkeypatch):
    game = stratagem.game("draft")
    made = []
    monkeypatch.setattr(
        draft_players, "KthDrafter", lambda *given, **named: made.append(KthDrafter(*given, **named)) or made[-1]
    )
    position, kept = game.start(), stratagem.player(game, "kth")
    while not position.over:
        pick = kept.choose(position, stratagem.Clock()).move
        assert game.draft.index(pick) == KthDrafter(game.draft).pick(game.node(position.state))
        position = position.play(pick)
    assert len(made) == 1


def test_a_full_table_of_kth_best_picks_is_begun_anew(monkeypatch):
    game = stratagem.game("draft")
    monkeypatch.setattr(draft_players, "FEW_STATES", 60)
    rule, nodes = draft_players.KthBest(), []
    node = game.draft.start()
    while node.turn < game.draft.turns:
        nodes.append(node)
        node = node.plus(game.draft.order[node.turn], KthDrafter(game.draft).pick(node))
    late = nodes[-3]  # a question that a fresh table answers, after one that fills the table
    alone = draft_players.KthBest()(game.draft, late, None, 0, 1)
    rule(game.draft, nodes[0], None, 0, 1)
    assert rule(game.draft, late, None, 0, 1) == alone
