"""Players of Risk, the draft's evaluation and its training. One set of options, so that little is compiled."""

from __future__ import annotations

import numpy as np
import pytest

import stratagem
from stratagem.bits import popcount
from stratagem.cli import main
from stratagem.contract.player import Clock
from stratagem.errors import OptionError
from stratagem.games.risk import Risk, draft_features, drafting, scripted
from stratagem.games.risk import kernels as k
from stratagem.games.risk import players as decided
from stratagem.games.risk.atlas import CAPTURES, CONTINENT, IDS, LANDS, NEIGHBOURS, TERRITORIES
from stratagem.games.risk.decisions import atoms as decisions_of
from stratagem.games.risk.draft_worth import predicted, shipped
from stratagem.games.risk.players import RiskPlayer, players
from stratagem.games.risk.scripted import SCRATCH, STYLES
from stratagem.games.risk.simulation import random_drafts, simulate
from stratagem.games.risk.training import DraftStudy, train
from stratagem.games.risk.turns import Searching, campaign_names, described, search_games
from stratagem.rng import generator
from stratagem.search.campaign import Campaign, CampaignSettings

GAME = Risk(turn_cap=400)
ROWS = np.array([STYLES[name] for name in ("border", "continent", "expected")])
BOARD = ",".join("ABC"[CONTINENT[t] % 3] + "3" for t in range(TERRITORIES))


def lent(text: str) -> np.ndarray:
    s = np.zeros(k.STATE_SIZE + SCRATCH, np.int64)
    s[: k.STATE_SIZE] = GAME.parse(text).state
    return s


# -- scripted players


def test_scripted_seats_play_whole_games_that_the_seed_decides():
    seats = np.tile(np.arange(3), (40, 1))
    drafts = random_drafts(GAME, 40, 1)
    one, other = (simulate(GAME, ROWS, seats, drafts=drafts, seed=3) for _ in range(2))
    assert (one.winners == other.winners).all() and (one.turns == other.turns).all()
    assert (one.winners >= 0).mean() > 0.8
    # the games of a batch do not depend on where it begins
    late = simulate(GAME, ROWS, seats[10:], drafts=drafts[10:], seed=3, first=10)
    assert (late.winners == one.winners[10:]).all()
    # those who want continents beat those who do not: 3 of 4 games of such pairs and more
    assert np.isin(one.winners, (1, 2)).mean() > 0.6


def test_simulations_refuse_what_makes_no_game():
    seats = np.zeros((2, 3), np.int64)
    with pytest.raises(OptionError, match="need a turn_cap"):
        simulate(Risk(), ROWS, seats)
    with pytest.raises(OptionError, match="3 columns"):
        simulate(GAME, ROWS, seats[:, :2])


@pytest.mark.parametrize("style", ["border", "continent", "expected"])
def test_every_scripted_move_is_legal(style):
    """A few turns of a game in the interpreter, with every phase that comes up."""
    position, player = GAME.start(seed=1), RiskPlayer(GAME, style=style, draft="preference", seed=2)
    rng, met = generator(9), set()
    for _ in range(260):
        met.add(int(position.state[k.PHASE]))
        if position.turn >= 0:
            position = position.play(player.choose(position.view(position.turn), Clock()).move)  # an illegal one raises
        else:
            position = position.play(position.sample(rng))
        if position.over:
            break
    assert {k.CLAIM, k.PLACE, k.REINFORCE, k.ADD, k.ATTACK, k.FORTIFY} <= met


def test_the_battle_tables_are_those_of_single_rolls():
    assert CAPTURES[3, 3] == pytest.approx(511817135 / 1088391168)
    assert CAPTURES[10, 10] == pytest.approx(0.568, abs=5e-4)


def before_a_continent():
    """A position in which A lacks Indonesia alone for a continent, and may attack it."""
    owners = [
        "A" if t in np.flatnonzero([LANDS[5] >> x & 1 for x in range(42)])[1:] else "B" for t in range(TERRITORIES)
    ]
    board = ",".join(f"{owner}{4 if owner == 'A' else 2}" for owner in owners)
    return GAME.parse(f"phase=attack seat=A turn=3 board={board.replace('B2', 'C2', 5)}")


def test_a_completed_continent_is_worth_an_attack():
    position = before_a_continent()
    move = RiskPlayer(GAME, style="continent", draft="preference").choose(position.view(0), Clock()).move
    assert move.endswith(">indonesia")


# -- campaigns, interpreted


def test_moves_are_weighed_with_the_same_random_numbers(monkeypatch):
    monkeypatch.setattr(decided, "WEIGHED", 16)
    monkeypatch.setattr(decided, "EACH_WEIGHING", 16)
    position = before_a_continent()
    moves = ["new_guinea>indonesia", "stop", "new_guinea>indonesia"]
    player = RiskPlayer(GAME, draft="preference", seed=4)
    names = campaign_names(GAME)
    player._weigher = Campaign(names, STYLES["expected"], CampaignSettings(1, 0), target="python")
    found = player.weigh(position.view(0), moves[:2], Clock())
    assert found["new_guinea>indonesia"] > found["stop"]
    assert player.weigh(position.view(0), moves[::2], Clock()) == {moves[0]: found[moves[0]]}
    assert player.weigh(GAME.start(), [IDS[0]], Clock()) == {}, "a draft has values of its own"


def test_a_campaign_judges_whole_turns_and_the_seed_decides():
    text = f"phase=reinforce seat=A turn=4 board={BOARD} pool=5 hands=peru/siam+japan/-"
    root = lent(text)
    names = campaign_names(GAME)
    found = [
        Campaign(names, STYLES["expected"], CampaignSettings(14, 0), seed=1, target="python").consider(GAME.g, root, 0)
        for _ in range(2)
    ]
    assert [(j.index, j.value) for j in found[0]] == [(j.index, j.value) for j in found[1]]
    words = [described(j.plan, STYLES["expected"]) for j in found[0]]
    assert len(set(words)) == len(words) >= 10 and "stay at home" in words and "against B" in words
    assert all(-0.5 <= j.value <= 1.0 for j in found[0] if j.samples)
    assert found[0][0].samples == max(j.samples for j in found[0])
    assert (root[: k.STATE_SIZE] == lent(text)[: k.STATE_SIZE]).all()


def test_settings_of_a_campaign_are_checked():
    with pytest.raises(OptionError, match="judge nothing"):
        CampaignSettings(0)
    with pytest.raises(OptionError, match="horizon"):
        CampaignSettings(10, -1)


# -- drafting


def test_without_weights_for_the_rules_a_level_drafts_by_preference():
    assert RiskPlayer(Risk(cards="fixed")).draft == "preference"
    assert RiskPlayer(GAME).draft == "uct"


def test_two_draft_by_the_kth_best_pick_and_more_by_uct():
    two = Risk(players=2, two_player="pure")
    start = two.start(seed=1)
    drafted = RiskPlayer(two, seed=1).choose(start.view(start.turn), Clock())
    ranked = RiskPlayer(two, draft="kth", ranking="pick", seed=1).choose(start.view(start.turn), Clock())
    assert drafted.move == ranked.move and drafted.details == ranked.details and "from here" in drafted.details["why"]
    assert RiskPlayer(two, draft="uct").picker is None and RiskPlayer(GAME).picker is None


def test_the_draft_analysis_values_every_free_territory():
    position = GAME.start().play("siam").play("brazil").play("alaska").play("indonesia")
    choice = RiskPlayer(GAME, simulations=300, seed=1).choose(position.view(1), Clock())
    free = [name for name in IDS if name not in ("siam", "brazil", "alaska", "indonesia")]
    assert sorted(choice.values) == sorted(free) and choice.move in free
    assert all(-0.5 <= x <= 1 for x in choice.values.values())
    again = RiskPlayer(GAME, simulations=300, seed=1).choose(position.view(1), Clock())
    assert again.values == choice.values


@pytest.mark.slow
def test_compiled_drafts_are_whole_and_the_seed_decides():
    row = shipped(GAME).row
    kinds = np.array([[0, drafting.RANDOM_DRAFTER, drafting.PREFERENCE_DRAFTER]] * 6)
    one, other = (drafting.make_drafts(GAME, row[None], np.array([60]), kinds, seed=8) for _ in range(2))
    assert (one == other).all() and not (one[0] == one[1]).all()
    assert (np.sort(one, axis=1) == np.sort(np.arange(42) % 3)).all()
    share = np.array([predicted(row, draft_features.described(one, 3))]).mean(axis=(0, 1))
    assert share[0] > 0.4  # the seat that drafts by the evaluation has the best draft by it


# -- players as others see them


def test_every_player_of_the_list_can_be_made():
    for name in players(GAME):
        assert stratagem.player(GAME, name).name


def test_bad_options_of_players_say_what_would_be_right():
    with pytest.raises(OptionError, match="none of random, border"):
        stratagem.player(GAME, "campaign:style=napoleon")
    with pytest.raises(OptionError, match="samples go from 0"):
        stratagem.player(GAME, "campaign:samples=-3")


def test_training_refuses_what_teaches_nothing(capsys):
    for arguments, said in (
        (["train", "risk-draft", "--games", "10"], "10 games a round teach nothing"),
        (["train", "risk-draft", "--players", "7"], "it goes from 2 to 6"),
        (["train", "risk-value", "--games", "3"], "3 games teach nothing"),
    ):
        with pytest.raises(SystemExit) as end:
            main(arguments)
        err = capsys.readouterr().err
        assert end.value.code == 2 and said in err and "Traceback" not in err


def test_neighbours_of_the_scripts_are_those_of_the_map():
    assert all(scripted.lowest(1 << t) == t for t in range(TERRITORIES))
    assert all(popcount(int(k.TOUCHES[t])) == len(NEIGHBOURS[t]) for t in range(TERRITORIES))


# -- slow ones


@pytest.mark.slow
def test_training_goes_on_with_what_is_there_and_comes_to_the_same(tmp_path):
    plan = DraftStudy((("players", 3),), games=1000, rounds=1, random_games=1000, simulations=20)
    said: list[str] = []
    one, linear = train(plan, tmp_path, workers=1, say=said.append)
    assert linear.kind == "linear" and one.card.games == 2000 and any("round 1" in text for text in said)
    (played,) = tmp_path.glob("*-1-0.npz")
    written = played.stat().st_mtime_ns
    again, _ = train(plan, tmp_path, workers=1, say=said.append)
    assert played.stat().st_mtime_ns == written and (again.row == one.row).all()
    played.unlink()
    once_more, _ = train(plan, tmp_path, workers=1, say=said.append)
    assert (once_more.row == one.row).all()
    one.save(tmp_path / "weights.json")
    assert stratagem.player(GAME, f"medium:draft={tmp_path / 'weights.json'}").name == "medium"


@pytest.mark.slow
def test_the_campaign_player_beats_the_player_whose_turns_it_varies():
    seats = np.full((90, 3), 2)
    seat_of = np.arange(90) % 3
    seats[np.arange(90), seat_of] = 3
    drafts = random_drafts(GAME, 30, 2).repeat(3, axis=0)
    found = search_games(GAME, ROWS, Searching([30], horizon=2), seats, drafts=drafts, seed=1)
    assert found.share(seat_of)[0] > 0.55  # chance is a third
    again = search_games(GAME, ROWS, Searching([30], horizon=2), seats[:9], drafts=drafts[:9], seed=1)
    assert (again.winners == found.winners[:9]).all()


@pytest.mark.slow
def test_a_learned_draft_wins_most_games_against_random_drafts():
    row = shipped(GAME).row[None]
    n = 600
    kinds, seat_of = np.full((n, 3), drafting.RANDOM_DRAFTER), np.arange(n) % 3
    kinds[np.arange(n), seat_of] = 0
    drafts = drafting.make_drafts(GAME, row, np.array([300]), kinds, seed=3)
    share, half = simulate(GAME, ROWS, np.full((n, 3), 2), drafts=drafts, seed=4).share(seat_of)
    assert share - half > 0.5


def test_a_baseline_made_again_for_the_same_rules_finds_what_was_compiled():
    """A player is made for every game of a match; its kernels are the very same objects, which is what compilation goes by."""
    again = decisions_of(Risk(**GAME.chosen))
    assert again is decisions_of(GAME) and again.names["value"] is decisions_of(GAME).names["value"]
    assert decisions_of(Risk(cards="fixed")) is not again


def test_a_view_shows_ones_own_cards_alone():
    position = GAME.start(seed=1)
    position.history = ("A draws peru", "B draws siam", "peru>brazil")
    assert position.game_history(0) == ("A draws peru", "B draws ?", "peru>brazil")
    assert position.game_history(None) == ("A draws ?", "B draws ?", "peru>brazil")
