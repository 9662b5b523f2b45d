"""The parts of playouts, flat Monte-Carlo and information sets one by one, interpreted."""

import math

import numpy as np
import pytest
from toys import luck_trees
from toys.kuhn import Kuhn
from toys.luck_trees import LuckTree
from toys.matrix_game import MatrixGame

import stratagem
from stratagem import Clock, OptionError, StratagemError, UnsuitableSearch
from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame
from stratagem.kernel import CHANCE, NO_MOVE, OVER
from stratagem.rng import generator
from stratagem.search.budget import Budget
from stratagem.search.minimax import Expectimax, Minimax
from stratagem.search.sampling.montecarlo import MonteCarlo, _Run, estimate
from stratagem.search.sampling.playouts import ENDLESS, cap_of, playout, playout_names, roll_together
from stratagem.search.tree import decisions
from stratagem.search.tree.determinised import Determinised
from stratagem.search.tree.infosets import InformationSets
from stratagem.search.tree.mcts import MCTS

TICTACTOE = stratagem.game("tictactoe")
PIG = stratagem.game("pig", target=10)
GOOFSPIEL = stratagem.game("goofspiel", cards=3, order="ascending")


# ---------------------------------------------------------------------------------------------------------- playouts


def stones(g, s, out):
    """A value that tells how many stones lie on a board of tic-tac-toe."""
    n = 0
    for cell in range(9):
        n += (s[0] | s[1]) >> cell & 1
    out[0] = n / 10
    out[1] = -n / 10


def cut_at(depth, **more):
    names = {**playout_names(TICTACTOE, depth=depth, evaluate=stones), **more}
    out, s = np.zeros(2), TICTACTOE.start().state.copy()
    run = specialise(playout, names, target="python")
    plies = run(TICTACTOE.g, s, generator(1), np.zeros(2, np.int64), depth, 100, out)
    return plies, round(10 * float(out[0]))


def test_a_playout_ends_at_its_depth():
    assert [cut_at(depth) for depth in (0, 1, 3)] == [(0, 0), (1, 1), (3, 3)]


def seldom(t):
    return 1 if t == 1 else 0


def test_a_game_may_count_plies_otherwise():
    assert cut_at(2, counted=seldom) == (4, 4)  # only the second player's decisions count


def first_card(g, s, out):
    """Whether the first joint move of goofspiel is made: a player has fewer cards than prizes were."""
    out[0] = float(s[0] * 1000003 + s[1] != GOOFSPIEL_START)
    out[1] = 0.0


GOOFSPIEL_START = int(GOOFSPIEL.start().state[0] * 1000003 + GOOFSPIEL.start().state[1])


def test_a_playout_of_joint_moves_ends_at_its_depth():
    for depth, made in ((0, 0.0), (1, 1.0)):
        names, out = playout_names(GOOFSPIEL, depth=depth, evaluate=first_card), np.zeros(2)
        run = specialise(playout, names, target="python")
        s = GOOFSPIEL.start().state.copy()
        assert run(GOOFSPIEL.g, s, generator(1), np.zeros(2, np.int64), depth, 100, out) == depth
        assert out[0] == made


def test_a_chance_event_is_drawn_before_a_judgement_unless_the_value_may_be_asked_there():
    for judges, plies in ((False, 1), (True, 0)):
        names = {**playout_names(PIG, depth=0), "JUDGES_CHANCE": judges}
        s, out = PIG.parse("5,3 second 2*").state.copy(), np.zeros(2)
        run = specialise(playout, names, target="python")
        assert run(PIG.g, s, generator(1), np.zeros(2, np.int64), 0, 100, out) == plies
        assert (PIG.run("turn", PIG.g, s) == CHANCE) == judges


def test_the_cap_is_the_longest_playout():
    names, s = playout_names(TICTACTOE, strategy=in_order), np.zeros(2)
    run = specialise(playout, names, target="python")
    plies = run(TICTACTOE.g, TICTACTOE.start().state.copy(), generator(1), np.zeros(2, np.int64), 0, 100, s)
    for cap, found in ((plies, plies), (plies - 1, ENDLESS)):
        assert run(TICTACTOE.g, TICTACTOE.start().state.copy(), generator(1), np.zeros(2, np.int64), 0, cap, s) == found
    assert (cap_of(TICTACTOE, None), cap_of(TICTACTOE, 7), cap_of(Kuhn(), None)) == (64, 7, 64)
    assert cap_of(stratagem.game("hex", size=11), None) == 4 * 121


def in_order(g, s, p, r):
    for cell in range(9):
        if (s[0] | s[1]) >> cell & 1 == 0:
            return cell
    return -1


def asked_but_one(g, s, p):
    return 0 if p == 1 else 5


def own_number(g, s, p, r):
    return 10 + p


def kept(g, s, joint):
    s[:] = joint


def test_only_those_asked_decide_each_for_itself():
    names = {"PLAYERS": 3, "count": asked_but_one, "rollout": own_number, "play_together": kept}
    s = np.zeros(3, np.int64)
    specialise(roll_together, names, target="python")(None, s, None, np.zeros(3, np.int64))
    assert s.tolist() == [10, NO_MOVE, 12]


def too_much(g, s, out):
    out[0] = 1.5
    out[1] = 0.0


def test_a_value_above_the_range_is_an_error():
    with pytest.raises(StratagemError, match="NaN or a number out of the range of payoffs, -1 to 1"):
        MonteCarlo(TICTACTOE, evaluate=too_much, target="python").estimates(TICTACTOE.start(), simulations=10)


@pytest.mark.parametrize("search", [MCTS, MonteCarlo, InformationSets])
@pytest.mark.parametrize(("low", "high"), [(0, 100), (-100, 0)])
def test_a_game_that_pays_more_than_it_says_is_an_error(search, low, high):
    class Generous(LuckTree):
        rules = luck_trees

        def setup(self):
            super().setup()
            self.payoff_range = (-1.0, 1.0)

    game = Generous(players=2, low=low, high=high)
    with pytest.raises(StratagemError, match=r"payoffs of luck tree gave .* -1 to 1: .* payoff_range must hold"):
        search(game, target="python").analyse(game.start(), Clock(), simulations=10)


# -------------------------------------------------------------------------------------------------------- Monte-Carlo


def test_an_estimate_is_the_mean_with_its_standard_error():
    samples = np.array([1.0, -1.0, 0.0, 0.5, 1.0])
    found = estimate(3, np.array([len(samples), samples.sum(), (samples**2).sum()]))
    assert (found.move, found.samples, found.value) == (3, 5, pytest.approx(samples.mean()))
    assert found.error == pytest.approx(samples.std(ddof=1) / math.sqrt(5))
    assert found.interval == pytest.approx((found.value - 1.96 * found.error, found.value + 1.96 * found.error))
    assert estimate(3, np.array([1.0, 1.0, 1.0])).interval == (-math.inf, math.inf)


def test_squares_are_added_up_sample_by_sample():
    search = MonteCarlo(GOOFSPIEL, share="uniform", target="python", seed=1)
    run, samples = _Run(search, GOOFSPIEL.start(), 0, np.array([1]), 0), []
    for _ in range(30):
        before = run.stats[0][0, 1]
        run.sample(range(1), Budget(), 1, 1)
        samples.append(run.stats[0][0, 1] - before)
    assert len(set(samples)) > 3  # points, not only wins and losses
    np.testing.assert_allclose(run.stats[0][0], [30, sum(samples), sum(x * x for x in samples)])


def test_ninety_five_intervals_of_a_hundred_hold_the_truth():
    """Of playouts shared out evenly; the truth is all of random play gone through."""
    position = TICTACTOE.parse("XOXXO____")

    def exact(at):
        return at.payoff[1] if at.over else float(np.mean([exact(at.play(move)) for move in at.moves()]))

    search, held = MonteCarlo(TICTACTOE, share="uniform", seed=1), []
    truth = [exact(position.play(TICTACTOE.move_text(position.state, 1, m))) for m in position.move_numbers()]
    for _ in range(300):
        for one, mean in zip(search.estimates(position, simulations=1600), truth, strict=True):
            low, high = one.interval
            held.append(low - 1e-9 <= mean <= high + 1e-9)
    assert 0.93 < np.mean(held) < 0.97


def test_threads_draw_playouts_of_their_own():
    search = MonteCarlo(TICTACTOE, share="uniform", threads=2, target="python", seed=1)
    run = _Run(search, TICTACTOE.start(), 0, np.array(TICTACTOE.start().move_numbers()), 0)
    run.sample(range(9), Budget(), 0, 720)
    apart = np.abs(run.stats[0] - run.stats[1])
    assert apart[:, 0].max() == 0
    assert apart[:, 1].max() > 2  # overlapping streams would agree but for their ends


def test_every_search_draws_afresh():
    search = MonteCarlo(TICTACTOE, share="uniform", target="python", seed=1)
    one, other = (search.estimates(TICTACTOE.start(), simulations=90) for _ in range(2))
    assert one != other


def test_no_time_at_all_tries_every_move_once():
    for threads, most in ((1, 1), (3, 27)):
        search = MonteCarlo(TICTACTOE, threads=threads, seed=1)
        assert all(1 <= one.samples <= most for one in search.estimates(TICTACTOE.start(), Clock(0.0)))


def test_replies_that_are_kept_change_nothing():
    for options in ({"cards": 3}, {"cards": 4, "players": 3}):
        game = stratagem.game("goofspiel", order="ascending", **options)
        kept, drawn = (
            MonteCarlo(game, share="uniform", seed=2, remember=remember, target="python").estimates(
                game.start(), seat=1, simulations=120
            )
            for remember in (True, False)
        )
        assert kept == drawn


def test_others_do_not_copy_the_first_move():
    game = MatrixGame.of([[1, -1], [-1, 1]])
    for one in MonteCarlo(game, share="uniform", target="python").estimates(game.start(), seat=1, simulations=400):
        assert abs(one.value) < 0.3


# --------------------------------------------------------------------------------------------------- information sets


def test_the_bound_of_an_arm_is_its_mean_and_a_bonus():
    arms = np.zeros((3, 4))
    arms[:, decisions.VISITS] = 50, 5, 45
    arms[:, decisions.TOTAL] = 30, 2, 9
    by_ucb = specialise(decisions.by_ucb, {}, target="python")
    for c in (0.01, 0.3, 5.0):
        bounds = arms[:, 1] / arms[:, 0] + c * np.sqrt(np.log(100) / arms[:, 0])
        assert by_ucb(arms, 0, 3, 100, c, generator(1)) == int(np.argmax(bounds))
    arms[2] = 0
    assert by_ucb(arms, 0, 3, 100, 0.01, generator(1)) == 2  # never tried


@pytest.mark.parametrize("rule", ["rm", "exp3"])
@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (0.0, 100.0)])
def test_what_is_learned_follows_the_formulas(rule, low, high):
    """One joint moment of two players, in words: regrets by values corrected for who explored, and the value handed up."""
    names = {**decisions.RULES[rule], "LOW": low, "HIGH": high}
    learn, mixture = (specialise(f, names, target="python") for f in (decisions.learn, decisions.mixture))
    draws, gamma, explorer = np.random.default_rng(3), 0.2, decisions.explorer(GOOFSPIEL, 0)
    for _ in range(50):
        sizes = 3, 2
        arms = np.zeros((5, 4))
        arms[:, decisions.VISITS] = draws.integers(0, 4, 5)
        arms[:, decisions.TOTAL] = arms[:, decisions.VISITS] * draws.uniform(low, high, 5)
        arms[:, decisions.REGRET] = draws.uniform(0, 2, 5)
        table = np.array([[1, 0, 3, 9], [2, 3, 2, 9]])
        taken = [int(draws.integers(n)) for n in sizes]
        path = np.array([[0, taken[0], 0, 1], [1, taken[1], 1, 1]])
        u = draws.uniform(low, high, 2)
        sigmas, ratios, before = [], [], arms.copy()
        for row, n in enumerate(sizes):
            sigma = np.zeros(n)
            mixture(arms, int(table[row, 1]), n, int(table[row, 3]), sigma)
            sigmas.append(sigma)
            ratios.append(sigma[taken[row]] / ((1 - gamma) * sigma[taken[row]] + gamma / n))
        out = u.copy()
        known = decisions.Decisions(table, arms, np.zeros(5, np.int64), np.zeros(3, np.int64))
        learn(known, explorer._replace(path=path, out=out, sigma=np.zeros(3)), 0, 2, gamma)
        for row, n in enumerate(sizes):
            span, a, sigma = slice(table[row, 1], table[row, 1] + n), taken[row], sigmas[row]
            visits, totals = before[span, decisions.VISITS], before[span, decisions.TOTAL]
            means = np.where(visits > 0, totals / np.maximum(visits, 1), (low + high) / 2)
            baseline = means[a] if visits[a] > 0 else u[row]
            means[a] = baseline + ratios[1 - row] * (u[row] - baseline) / ((1 - gamma) * sigma[a] + gamma / n)
            worth = float(sigma @ means)
            gains = (means - low) / (high - low) if rule == "exp3" else means - worth
            regrets = before[span, decisions.REGRET] + gains
            np.testing.assert_allclose(
                arms[span, decisions.REGRET], regrets if rule == "exp3" else np.maximum(regrets, 0), atol=1e-9
            )
            assert out[row] == pytest.approx(worth)
            assert arms[span, decisions.VISITS].sum() == visits.sum() + 1
            assert arms[span, decisions.TOTAL].sum() == pytest.approx(totals.sum() + u[row])


def test_later_strategies_weigh_more():
    choose_arm = specialise(decisions.choose_arm, decisions.SECRET | decisions.RULES["rm"], target="python")
    arms, table = np.zeros((2, 4)), np.array([[1, 0, 2, 0]])
    known = decisions.Decisions(table, arms, np.zeros(2, np.int64), np.zeros(3, np.int64))
    explorer, limits = decisions.explorer(GOOFSPIEL, 1), decisions.DecisionLimits(1.4, 0.2, 0, 0)
    for regrets in ((1.0, 0.0), (1.0, 1.0), (0.0, 1.0)):
        arms[:, decisions.REGRET] = regrets
        choose_arm(0, known, 0, explorer._replace(rng=generator(1)), limits)
    assert arms[:, decisions.STRATEGY].tolist() == [1 * 1 + 2 * 0.5, 2 * 0.5 + 3 * 1]


SECOND_ROW = [[0.0, 0.1, 0.0], [0.5, 0.6, 0.7]]  # better whatever the other does


@pytest.mark.parametrize("rule", ["rm", "exp3", "duct"])
def test_the_strategy_is_what_was_learned_and_not_what_was_tried(rule):
    game = MatrixGame.of(SECOND_ROW)
    search = InformationSets(game, rule=rule, gamma=1.0, seed=1, pool=64, target="python")
    search.search(game.start(), simulations=1500)
    first, second = (search.decision(game.start(), seat) for seat in (0, 1))
    assert (len(first.moves), len(second.moves)) == (2, 3)
    assert sum(first.visits) == sum(second.visits) == 1500
    assert first.strategy[1] > 0.9
    assert second.strategy[0] > 0.5
    if rule == "duct":
        assert first.strategy == tuple(n / 1500 for n in first.visits)
    else:
        assert abs(first.visits[0] - 750) < 100  # gamma 1: tried evenly


@pytest.mark.parametrize("rule", ["rm", "exp3"])
def test_what_is_learned_does_not_depend_on_where_payoffs_begin(rule):
    """Rock, paper, scissors paid 50 to 52 in place of -1 to 1: the same strategies from the same draws."""
    found = []
    for added in (0, 51):
        game = MatrixGame.of([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], added)
        search = InformationSets(game, rule=rule, seed=3, pool=64, target="python")
        search.search(game.start(), simulations=200)
        found.append(search.decision(game.start(), 0))
    assert found[0].visits == found[1].visits
    assert found[0].strategy == pytest.approx(found[1].strategy)


def test_one_simulation_makes_the_decisions_of_one_moment():
    search = InformationSets(GOOFSPIEL, seed=1, pool=1000, target="python")
    for n in (1, 2):
        search.search(GOOFSPIEL.start(), simulations=1)
        assert search.known.room[decisions.ROWS_USED] <= 2 * n


def test_a_full_pool_teaches_whole_moments_only():
    """Nine arms: the root's six, and two of the first player's next decision, beside which the second one's has no room."""
    search = InformationSets(GOOFSPIEL, seed=1, pool=9, target="python")
    search.search(GOOFSPIEL.start(), simulations=200)
    assert search.known.arms[:, decisions.VISITS].sum() == 2 * 200


def test_a_pool_that_cannot_keep_what_it_knows_and_the_root_forgets():
    late = GOOFSPIEL.start().play("1 | 1").play("2 | 2")
    search = InformationSets(GOOFSPIEL, seed=1, pool=7, target="python")
    search.search(late, simulations=20)
    assert search.known.room[decisions.ARMS_USED] == 2
    search.search(GOOFSPIEL.start(), simulations=20)
    assert sum(search.decision(GOOFSPIEL.start(), 1).visits) == 20


def test_players_in_turn_who_see_everything_do_not_mix():
    position = TICTACTOE.parse("XX_OO_X__")  # O to play wins at c2
    for rule in ("rm", "duct"):
        search = InformationSets(TICTACTOE, rule=rule, seed=1, pool=5000, target="python")
        choice = search.analyse(position, Clock(), simulations=150)
        assert (choice.move, choice.strategy) == ("c2", None)
        assert choice.value > 0.5
        assert not search.known.arms[:, decisions.REGRET :].any()
        assert sum(search.values()[0]) == pytest.approx(0)


def test_the_error_of_a_value_is_that_of_its_samples():
    search = InformationSets(GOOFSPIEL, pool=1000, target="python")
    samples = np.array([[1.0, -1.0], [3.0, -3.0], [0.0, 0.0], [5.0, -5.0]])
    search._explorer.sums[:] = np.r_[samples.sum(axis=0), (samples**2).sum(axis=0)]
    search.done = 4
    means, errors = search.values()
    assert means == tuple(samples.mean(axis=0))
    assert errors == pytest.approx(tuple(samples.std(axis=0) / 2))


# ----------------------------------------------------------------------------------------------------- sampled worlds


def test_worlds_are_guessed_for_the_seat_that_decides():
    """The middle card that must answer a bet: against the low and the high card alike, calling is worth about nothing."""
    game = Kuhn()
    position = game.start().play("0").play("bet").view(1)  # the second holds 2
    assert position.state[1] == 2
    search = Determinised(game, worlds=40, seed=1, target="python")
    choice = search.analyse(position, Clock(), seat=1, simulations=400, lines=2)
    assert choice.details["worlds"] == 40
    values = {line.moves[0]: line.value for line in choice.lines}
    assert values["pass"] == -1  # and there are worlds that vote for it
    assert values["bet"] == 2  # the worlds that vote for a call are those in which it wins


@pytest.mark.parametrize(("worlds", "simulations"), [(16, 100), (16, 5), (3, 100), (1, 7)])
def test_worlds_share_out_exactly_the_simulations_asked_for(worlds, simulations):
    game = Kuhn()
    search = Determinised(game, worlds=worlds, seed=1, solve=False, target="python")
    choice = search.analyse(game.start().play("2").view(0), Clock(), seat=0, simulations=simulations)
    assert (choice.nodes, choice.details["worlds"]) == (simulations, min(worlds, simulations))


def test_the_value_of_a_move_is_the_mean_over_the_worlds():
    game = Kuhn()
    asked = game.start().play("2").play("bet").view(1)
    search = Determinised(game, worlds=7, seed=1, solve=False, target="python")
    choice = search.analyse(asked, Clock(), seat=1, simulations=70, lines=2)
    assert {line.moves[0]: line.value for line in choice.lines}["pass"] == pytest.approx(-1)


@pytest.mark.parametrize("search", [InformationSets, Determinised, MonteCarlo])
def test_no_search_sees_what_is_hidden(search):
    """The true position, one with another hidden card, and the player's view of both: the same answer to the last digit."""
    game = Kuhn()
    for one, other in ((2, 3), (4, 5)):  # deals that give the first seat the same card
        for acts in ((), ("pass", "bet")):
            positions = [game.start().play(str(deal)) for deal in (one, other)]
            for act in acts:
                positions = [position.play(act) for position in positions]
            assert positions[0].state.tolist() != positions[1].state.tolist()
            found = [
                search(game, seed=3, target="python").analyse(at, Clock(), seat=0, simulations=80, lines=2)
                for position in positions
                for at in (position, position.view(0))
            ]
            assert len({(choice.move, choice.value, choice.lines) for choice in found}) == 1


def test_a_world_begins_only_while_there_is_time():
    game = Kuhn()
    search = Determinised(game, worlds=50, seed=1, target="python")
    assert search.analyse(game.start().play("2").view(0), Clock(0.0), seat=0).details["worlds"] == 1


def test_a_world_proven_at_once_has_as_much_to_say_as_one_that_is_not():
    """In half of the worlds the first door wins and the second loses at once; in the others the second is a little better."""
    game = Doors()
    choice = Determinised(game, worlds=40, seed=1, target="python").analyse(
        game.start().view(0), Clock(), seat=0, simulations=4000, lines=2
    )
    assert choice.move == "0"


# --------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("search", [Minimax, Expectimax, Determinised, InformationSets, MonteCarlo])
def test_a_game_without_kernels_is_refused_in_words(search):
    with pytest.raises(UnsuitableSearch, match="needs kernels, and blotto has none; use the players of blotto"):
        search(stratagem.game("blotto"))


def test_worlds_are_for_games_with_secrets():
    with pytest.raises(UnsuitableSearch, match="nothing is hidden in pig, so all worlds are one; use MCTS"):
        Determinised(PIG)
    with pytest.raises(
        UnsuitableSearch, match="nothing is hidden in goofspiel, so all worlds are one; use InformationS"
    ):
        Determinised(GOOFSPIEL)


def test_chance_without_odds_is_no_expectation():
    class Blind(type(PIG)):
        def gives(self, name):
            return name != "odds" and super().gives(name)

    blind = Blind(target=10)
    blind.names["draw"] = blind.names["play"]  # a draw of its own
    with pytest.raises(UnsuitableSearch, match="cannot number the chance outcomes of pig"):
        Expectimax(blind)


def test_the_unasked_seat_is_refused():
    for search in (InformationSets(TICTACTOE, target="python"), MonteCarlo(TICTACTOE, target="python")):
        with pytest.raises(StratagemError, match="nothing to decide"):
            search.analyse(TICTACTOE.start(), Clock(), seat=1, simulations=5)


def test_the_values_of_moves_are_not_those_of_the_seats():
    choice = MCTS(LuckTree(), target="python", pool=500).analyse(LuckTree().start(), Clock(), simulations=60, lines=3)
    assert len(choice.details["seats"]) == 3  # one a seat
    assert choice.values == {line.moves[0]: line.value for line in choice.lines}


def test_a_flag_is_true_or_false():
    for player in ("mcts:reuse=no", "mcts:solve=maybe", "montecarlo:common=off"):
        with pytest.raises(OptionError, match="it is true or false"):
            stratagem.player(TICTACTOE, player)


# Two doors and a secret: behind them lies an end, or a long walk that proves nothing soon.
# state: [secret + 1 or 0 if not seen, plies, first door]


def turn(g, s):
    if s[1] == 0:
        return 0
    return OVER if s[0] == 1 or s[1] == 8 else s[1] % 2


def count(g, s, p):
    return 2 if s[1] == 0 else 3


def move(g, s, p, k):
    return k


def play(g, s, p, m):
    if s[1] == 0:
        s[2] = m
    s[1] += 1


def payoff(g, s, out):
    out[0] = (1.0 - 2.0 * s[2]) if s[0] == 1 else 0.2 * s[2]
    out[1] = -out[0]


def hide(g, s, p):
    s[0] = 0


def guess(g, s, p, r):
    s[0] = 1 + (r[1] & 1)
    r[1] += 1


class Doors(ArrayGame):
    name = "doors"
    title = "Doors"
    hidden = True
    size, max_moves, max_length = 3, 3, 9

    def first(self, s):
        s[0] = 1
