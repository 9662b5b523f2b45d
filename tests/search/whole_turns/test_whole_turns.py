"""The searches of the literature on whole turns: each finds what it can, plays by the rules, and does the same twice."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from toys.fields import BEGUN, FIELDS, FRUIT, SCORE, Fields

import stratagem
from stratagem.compile import specialise
from stratagem.contract.player import Clock
from stratagem.errors import OptionError, UnsuitableSearch
from stratagem.games.asmacag.players import atoms as asmacag_atoms
from stratagem.games.minions.decisions import atoms as minions_atoms
from stratagem.kernel import OVER
from stratagem.registry import game_class
from stratagem.rng import below, generator, seed_stream
from stratagem.search.whole_turns import BASELINES, WholeTurnPlayer, WholeTurnSearch, atoms_of
from stratagem.search.whole_turns.core import breed, weigh
from stratagem.search.whole_turns.evolution import EvolutionaryPlanningSettings
from stratagem.search.whole_turns.player import core_names
from stratagem.search.whole_turns.settings import MENDINGS

LOTS = str(Path(__file__).parents[3] / "examples" / "lots.py")
SURE = [name for name in BASELINES if name not in ("greedy-action", "ne-mcts")]  # those that can find every turn
OWN_TURN = [name for name in SURE if not BASELINES[name].ahead]


def search(game, name, **options):
    """A search that runs in the interpreter."""
    atoms = atoms_of(game, dice=False) if not game.chosen.get("dice") else None
    return WholeTurnSearch(game, name, atoms=atoms, **{"target": "python", **options})


def position_of(game, seed, begun=None):
    """A position with random fruit; `begun`: the number of the turn."""
    s, draws = game.start().state.copy(), generator(seed)
    with np.errstate(over="ignore"):
        s[FRUIT : FRUIT + FIELDS] = [int(below(draws, 7)) for _ in range(FIELDS)]
    s[BEGUN] = begun or 1
    s[0] = (s[BEGUN] + 1) % 2
    return game.position(s)


def all_turns(game, s, seat):
    """Every turn from a state with the state it leads to, by plain play."""
    found = {}
    for length in (1, 2, 3):
        for turn in itertools.product(range(FIELDS + 1), repeat=length):
            after, fits = s.copy(), True
            for k, m in enumerate(turn):
                if game.run("turns", game.g, after) != game.run("turns", game.g, s) or m not in game.legal(after, seat):
                    fits = False
                    break
                game.run("play", game.g, after, seat, m)
                fits = k + 1 == length or game.run("turns", game.g, after) == game.run("turns", game.g, s)
            if fits and game.run("turns", game.g, after) != game.run("turns", game.g, s):
                found[turn] = after
    return found


def lead(game, s, seat):
    return float(s[SCORE + seat] - s[SCORE + 1 - seat]) / game.payoff_range[1]


@pytest.mark.parametrize("name", SURE)
def test_the_best_of_all_turns_is_found_when_it_is_the_last_of_the_game(name):
    game = Fields()
    for seed in range(2):
        position = position_of(game, seed, begun=6)
        seat = position.turn
        best = max(lead(game, s, seat) for s in all_turns(game, position.state.copy(), seat).values())
        found = search(game, name, seed=seed).consider(position.state.copy(), seat, turns=1500)
        assert found.value == pytest.approx(best), found
        assert lead(game, all_turns(game, position.state.copy(), seat)[found.turn], seat) == pytest.approx(best)


def test_greed_misses_what_a_search_finds():
    game = stratagem.game(LOTS)
    missed = 0
    for position in midway(game, 6, 1):
        best = search(game, "greedy-turn").consider(position.state.copy(), 0, turns=10_000).value
        missed += search(game, "greedy-action").consider(position.state.copy(), 0, turns=1).value < best - 1e-9
    assert missed >= 1


@pytest.mark.parametrize("name", OWN_TURN)
def test_more_turns_are_no_worse(name):
    game = Fields()
    position = position_of(game, 5)
    values = [search(game, name, seed=3).consider(position.state.copy(), 0, turns=n).value for n in (150, 1500)]
    best = max(lead(game, s, 0) for s in all_turns(game, position.state.copy(), 0).values())
    assert values[0] <= values[1] + 1e-9 and values[1] == pytest.approx(best)


def test_a_horizon_judges_a_turn_after_the_greedy_reply_by_its_own_eyes():
    """One's own best turn leaves the other something to pick; the best after its reply is another."""
    game, differ = Fields(), 0
    for seed in range(4):
        position = position_of(game, seed)
        replier = search(game, "greedy-action")
        after_reply = {}
        for turn, s in all_turns(game, position.state.copy(), 0).items():
            reply = replier.consider(s.copy(), 1, turns=1).turn
            for m in reply:
                game.run("play", game.g, s, 1, m)
            after_reply[turn] = lead(game, s, 0)
        found = search(game, "fh-emcts", seed=1, samples=1).consider(position.state.copy(), 0, turns=500)
        # greedy replies break ties at random: a little slack
        assert found.value >= max(after_reply.values()) - 2 / 200
        own = search(game, "greedy-turn").consider(position.state.copy(), 0, turns=10_000)
        differ += after_reply[found.turn] > after_reply[own.turn] + 1e-9
    assert differ >= 1


def test_the_tree_of_turns_answers_for_the_other_side_too():
    """The value at the root is no more than the best own turn is worth before any reply."""
    game = Fields(turns=2)
    position = position_of(game, 2)
    found = search(game, "tbets", seed=1).consider(position.state.copy(), 0, turns=3000)
    turns = all_turns(game, position.state.copy(), 0)

    def replied(s):
        if game.run("turn", game.g, s) < 0:
            return lead(game, s, 0)
        return min(lead(game, x, 0) for x in all_turns(game, s, 1).values())

    exact = {turn: replied(s) for turn, s in turns.items()}
    assert exact[found.turn] == pytest.approx(max(exact.values()), abs=1.5 / 200)


def repaired(atoms, room, genomes, seed, spoil, play):
    """Carry out random genomes and hand each turn to `play`, which raises where it is illegal."""
    draws = generator(seed)
    run = specialise(weigh, core_names(atoms), target=play.target, label="a genome")
    for k in range(genomes):
        state, seat = play.root(k)
        searched = play.search
        searched._run(state, seat, 1, np.ones(1, np.int64), k % 1000)  # makes the worlds and stops at once
        with np.errstate(over="ignore"):
            n = int(below(draws, atoms.longest)) + 1
            room.genes[0, :n] = [spoil(draws) for _ in range(n)]
        room.lengths[0] = n
        terms = searched.settings.terms(1, int(generator(0, k % 1000)[0]), searched.samples)
        run(atoms.ground, seat, 0, room, terms)
        play(state, seat, [int(m) for m in room.genes[0, : room.lengths[0]]])


class Rules:
    """Turns checked by the game's own kernels in the interpreter."""

    def __init__(self, game, atoms, positions, target, **options):
        self.game, self.positions, self.target, self.atoms = game, positions, target, atoms
        self.search = WholeTurnSearch(game, "oep", atoms=atoms, target=target, population=2, **options)
        self.lengths = set()

    def root(self, k):
        position = self.positions[k % len(self.positions)]
        return self.atoms.state(position), position.turn

    def __call__(self, state, seat, turn):
        game, s = self.game, self.search.room.worlds[0].copy()
        dice = self.search.room.dice.copy()
        self.lengths.add(len(turn))
        assert turn
        if self.atoms.dice:
            assert turn[0] in game.legal(s, seat)
            return
        before = game.run("turns", game.g, s) if game.gives("turns") else None
        for m in turn:
            assert game.run("turn", game.g, s) == seat
            assert before is None or game.run("turns", game.g, s) == before
            assert game.run("allowed", game.g, s, seat, m)
            game.run("play", game.g, s, seat, m)
        over = game.run("turn", game.g, s) != seat
        assert over or game.run("turns", game.g, s) != before, "the turn is whole"
        assert dice is not None


def midway(game, number, plies):
    """Positions after some random moves."""
    found = []
    for k in range(number):
        position, draws = game.start(seed=k), generator(k, 1)
        for _ in range(k % plies):
            if not position.over:
                position = position.play(position.sample(draws))
        while position.turn == -2:
            position = position.play(position.sample(draws))
        if not position.over:
            found.append(position.view(position.turn))
    return found


def check_mending(which, mending, genomes, target):
    game, spread = {
        "fields": (Fields(), 9),
        "fields with dice": (Fields(dice=True), 9),
        "asmacag": (stratagem.game("asmacag"), 42),
        "lots": (stratagem.game(LOTS), 14),
    }[which]
    atoms = asmacag_atoms(game) if which == "asmacag" else atoms_of(game)
    rules = Rules(game, atoms, midway(game, 20, 12), target, mending=mending)
    repaired(atoms, rules.search.room, genomes, 1, lambda draws: int(below(draws, spread)) - 1, rules)
    assert len(rules.lengths) > 1 or which in ("asmacag", "lots")


@pytest.mark.parametrize("mending", list(MENDINGS))
@pytest.mark.parametrize("which", ["fields", "fields with dice", "asmacag", "lots"])
def test_a_repaired_genome_is_a_legal_turn(which, mending):
    check_mending(which, mending, genomes=60, target="python")


@pytest.mark.slow
def test_repaired_genomes_of_minions_are_turns_that_the_rules_play():
    """Every turn is written down as a move and played whole by the rules, which know no atoms."""
    game = stratagem.game("minions", maps="BlackenedShores", plies=40)
    positions, draws, made = [game.start()], generator(4), minions_atoms(game)
    for _ in range(11):
        positions.append(positions[-1].play(positions[-1].sample(draws)))
    seen = [m for position in positions for m in listed_atoms(made, position)]

    class Whole(Rules):
        def __call__(self, state, seat, turn):
            self.lengths.add(len(turn))
            position = next(p for p in self.positions if np.array_equal(p.state.array, state))
            assert position.play(made.text(position, turn)).turn in (OVER, 1 - seat)

    rules = Whole(game, made, positions, "python")
    repaired(made, rules.search.room, 120, 1, lambda draws: seen[int(below(draws, len(seen)))], rules)
    assert len(rules.lengths) > 5


def listed_atoms(atoms, position):
    out = np.zeros(atoms.most_moves, np.int64)
    moves = specialise(atoms.names["moves"].function, atoms.names["moves"].names, target="python")
    n = int(moves(atoms.ground, atoms.state(position), position.turn, out))
    return [int(m) for m in out[:n]]


@pytest.mark.slow
@pytest.mark.parametrize("which", ["fields", "fields with dice", "asmacag", "lots"])
def test_a_hundred_thousand_repaired_genomes_are_legal_turns(which):
    check_mending(which, "random", genomes=100_000, target="cpu")


@pytest.mark.parametrize("name", BASELINES)
def test_the_same_seed_finds_the_same_turn_and_another_may_not(name):
    game = Fields()
    position = position_of(game, 1)
    first, again = (search(game, name, seed=7).consider(position.state.copy(), 0, turns=120) for _ in range(2))
    assert (first.turn, first.value, first.turns) == (again.turn, again.value, again.turns)


def test_any_whole_number_is_a_seed():
    game = Fields()
    for seed in (-1, 2**63 - 1, 10**30):
        assert search(game, "oep", seed=seed).consider(position_of(game, 1).state.copy(), 0, turns=60).turn


@pytest.mark.parametrize("name", [name for name in BASELINES if BASELINES[name].dice])
def test_with_dice_inside_the_turn_a_plan_is_judged_by_its_mean(name):
    """Betting is worth 1 on average, and picking a field with 9 fruits more."""
    game = Fields(dice=True)
    s = game.start().state.copy()
    s[FRUIT : FRUIT + FIELDS] = (9, 0, 0, 0, 9)
    samples, turns = (6, 60) if name == "fh-emcts" else (24, 700)  # replies cost most in the interpreter
    found = search(game, name, samples=samples, seed=2).consider(s, 0, turns=turns)
    assert {0, 4} <= set(found.turn) or found.turn[0] in (0, 4)
    assert game.legal(s, 0).count(found.turn[0]) == 1


def test_greedy_turn_is_refused_with_dice_inside_the_turn():
    with pytest.raises(UnsuitableSearch, match="chance falls inside"):
        WholeTurnSearch(Fields(dice=True), "greedy-turn", target="python")


def agree(game, name, state, seat, turns, atoms=None):
    options = {"seed": 5, "atoms": atoms or atoms_of(game)}
    here = WholeTurnSearch(game, name, target="python", **options).consider(state, seat, turns=turns)
    there = WholeTurnSearch(game, name, **options).consider(state, seat, turns=turns)
    assert here.turn == there.turn and here.value == pytest.approx(there.value) and here.turns == there.turns


def test_interpreted_and_compiled_greed_agree():
    """One family stands for all where tests have to be quick; the rest are slow ones."""
    agree(Fields(), "greedy-turn", position_of(Fields(), 3).state.copy(), 0, 300, atoms_of(Fields(), dice=False))


@pytest.mark.slow
@pytest.mark.parametrize("name", BASELINES)
def test_every_baseline_agrees_with_its_compiled_build(name):
    for game in (Fields(), Fields(dice=True)):
        if BASELINES[name].dice or not game["dice"]:
            atoms = atoms_of(game, dice=game["dice"])
            agree(game, name, position_of(game, 3).state.copy(), 0, 400, atoms)


def test_a_decision_that_is_put_in_pushes_the_others_on():
    game = stratagem.game("asmacag", actions=2, hand=4, board=7, highest=4, doubles=2, halves=2)
    position = game.parse("first 2 1 0/0 124D/1233 1112344 222223333344DHH")
    number = dict(zip(position.moves(), position.move_numbers(), strict=True))
    atoms = asmacag_atoms(game)
    room = WholeTurnSearch(game, "oep", atoms=atoms, target="python", population=3).room
    room.worlds[0], room.lengths[:2] = position.state, 2
    room.genes[:2] = number["4-1"], number["double"]
    run = specialise(breed, core_names(atoms, inserts=True), target="python")
    terms = EvolutionaryPlanningSettings().terms(1, 0)
    put_in = set()
    for seed in range(30):
        seed_stream(room.r, seed, 0)
        run(atoms.ground, 0, 0, 1, 0, 1, 2, room, terms)
        first, second = (game.move_text(position.state, 0, int(m)) for m in room.genes[2])
        put_in.add(first)
        assert first != "4-1"
        assert second == ("double" if first.startswith("4") else "4-1")
    assert len(put_in) > 5


@pytest.mark.parametrize("options", [{"population": 2}, {"kept": 1.0}], ids=str)
def test_where_all_turns_survive_the_worst_makes_room(options):
    found = search(Fields(), "oep", turns=300, **options).consider(position_of(Fields(), 1).state.copy(), 0)
    assert found.turns == 300


def test_a_population_of_unique_values_is_not_filled_by_orders_of_the_same_actions():
    """In this deal the double belongs before the 5 and the 4; a population that has filled up with orders of 5-1 4-1 4-2 never
    finds it."""
    game = stratagem.game("asmacag", payoff="points")
    position, made = game.start(seed=1), asmacag_atoms(game)
    values = []
    for unique in (True, False):
        searched = WholeTurnSearch(game, "oep", atoms=made, target="python", unique=unique, seed=3)
        values.append(searched.consider(position.view(0).state.copy(), 0, turns=2500).value * game.payoff_range[1])
    assert values[0] == pytest.approx(11.0) and values[1] <= values[0]


def test_a_plan_is_followed_to_the_end_of_the_turn_and_costs_nothing_more():
    game = stratagem.game(LOTS)
    player = WholeTurnPlayer(game, "oep", target="python", turns=200, seed=1)
    position, thoughts = game.start(), []
    first = player.choose(position, Clock())
    planned = first.lines[0].moves
    for text in planned:
        choice = first if not thoughts else player.choose(position, Clock())
        thoughts.append(choice.nodes)
        assert choice.move == text
        position = position.play(choice.move)
    assert thoughts == [first.nodes, None, None]
    assert position.turn == 1


def test_a_plan_is_dropped_where_something_else_has_happened():
    game = stratagem.game(LOTS)
    player = WholeTurnPlayer(game, "oep", target="python", turns=100, seed=1)
    position = game.start()
    planned = player.choose(position, Clock()).lines[0].moves
    other = next(text for text in position.moves() if text not in planned)
    assert player.choose(position.play(other), Clock()).nodes, "thought over again"


def test_every_game_with_turns_of_several_decisions_has_them_by_name():
    for name in (LOTS, "asmacag", "minions", "risk"):
        known = stratagem.registry.players(stratagem.game(name))
        dice = name == "risk"
        assert {baseline for baseline in BASELINES if BASELINES[baseline].dice or not dice} <= set(known), name
    assert "oep" not in stratagem.registry.players(stratagem.game("connect4"))
    assert "oep" not in stratagem.registry.players(stratagem.game("minions", profile="server"))


def test_settings_are_checked_and_named():
    game = stratagem.game(LOTS)
    for text, message in (
        ("oep:population=1", "it goes from 2"),
        ("oep:mending=no", "one of random, greedy, tail"),
        ("emcts:burning=all", "one of best, mean, own"),
        ("oep:kept=2", "from 0 to 1"),
        ("oep:phases=3", "option of player oep"),
    ):
        with pytest.raises((OptionError, stratagem.StratagemError), match=message):
            stratagem.player(game, text)


def test_each_baseline_names_its_paper_and_how_it_deals_with_dice():
    for baseline in BASELINES.values():
        assert baseline.paper and baseline.model and baseline.summary, baseline.name


def test_a_search_takes_its_own_options_and_no_others():
    game = Fields()
    assert search(game, "oe").settings.population == 125 and search(game, "oep").settings.population == 100
    assert BASELINES["naive"].options == ("time", "turns", "seed", "samples", "distinct", "local")
    for name, option in (("naive", "population"), ("atom-mcts", "phases"), ("emcts", "horizon"), ("oep", "spread")):
        with pytest.raises(OptionError, match=f"a search takes no option '{option}'"):
            search(game, name, **{option: 1})


def test_a_search_holds_the_arrays_that_it_uses_in_their_true_shapes():
    game = Fields()
    (evolution,) = search(game, "oep", population=7).records
    assert evolution.ranks.shape == (7,)
    (tree,) = search(game, "tbets").records
    assert tree.nodes.shape[1] == 5 and tree.stats.shape == (len(tree.nodes), 1 + game.players)
    assert search(game, "greedy-action").records == () and len(search(game, "greedy-action").room.genes) == 4


def test_a_game_of_ones_own_in_a_file_has_them():
    assert game_class(LOTS)().actions == 3
    assert stratagem.player(stratagem.game(LOTS), "naive:turns=50,local=0.5").search.settings.local == 0.5


def test_the_page_names_every_baseline_with_its_paper():
    page = (Path(__file__).parents[3] / "docs" / "search" / "whole-turns.md").read_text()
    for baseline in BASELINES.values():
        assert f"| `{baseline.name}` |" in page and baseline.paper in page, baseline.name
