"""What always holds in Risk, under Hypothesis; and that nothing a player is given tells another's cards."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toys.risk_cases import some_move

import stratagem
from stratagem.contract.game import CHANCE, NOBODY
from stratagem.errors import IllegalMove, StratagemError
from stratagem.games.risk import Risk
from stratagem.games.risk import kernels as k
from stratagem.games.risk.atlas import IDS
from stratagem.rng import generator
from stratagem.testing import conform

CARD_NAMES = [*IDS, "wild1", "wild2"]
OPTIONS = st.fixed_dictionaries(
    {
        "players": st.integers(2, 6), "claim": st.sampled_from(["draft", "deal"]),
        "draft_order": st.sampled_from(["round_robin", "snake"]), "two_player": st.sampled_from(["neutral", "pure"]),
        "cards": st.sampled_from(["escalating", "fixed", "none"]),
        "fortify": st.sampled_from(["adjacent", "connected", "none"]), "defence": st.sampled_from(["max", "choose"]),
        "turn_cap": st.integers(1, 30),
    }
)  # fmt: skip
QUICK = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def total(s) -> int:
    """Armies on the board and in hand."""
    return int(s[k.ARMIES : k.ARMIES + 42].sum() + s[k.LEFT : k.LEFT + 6].sum() + s[k.POOL])


def check(game: Risk, s) -> None:
    """The invariants of one state."""
    owner, armies = s[k.OWNER : k.OWNER + 42], s[k.ARMIES : k.ARMIES + 42]
    free = int((owner < 0).sum())
    assert free == 42 - s[k.PICKS]
    if s[k.PHASE] in (k.DEALING, k.CLAIM):
        assert (armies[owner >= 0] == 1).all() and (armies[owner < 0] == 0).all()
    else:
        empty = 1 if s[k.PHASE] == k.OCCUPY else 0
        assert free == 0 and int((armies == 0).sum()) == empty and (armies >= 0).all()
        assert not empty or armies[s[k.TO]] == 0
    sides = game.players + game.neutral
    assert (owner < sides).all() and [int((owner == p).sum()) for p in range(sides)] == [
        int(s[k.OWNS + p]) for p in range(sides)
    ]
    where = s[k.CARD : k.CARD + k.DECK]
    held = [int((where == k.HAND + p).sum()) for p in range(game.players)]
    assert held == [int(s[k.HELD + p]) for p in range(game.players)]
    assert int((where == k.UNSEEN).sum() + (where == k.DISCARDED).sum()) + sum(held) == 44
    if game["cards"] == "none":
        assert not where.any()
    assert all(s[k.OWNS + p] > 0 or held[p] == 0 or s[k.PHASE] == k.OCCUPY for p in range(game.players))
    if s[k.PHASE] in (k.ATTACK, k.FORTIFY, k.DRAW) or s[k.PHASE] == k.ENDED:
        assert s[k.POOL] == 0 and s[k.FROM] == 0 and s[k.DICE] == 0 and not s[k.MIDTURN]


@QUICK
@given(options=OPTIONS, seed=st.integers(0, 10**6))
def test_armies_cards_and_ownership_keep_their_laws(options, seed):
    import random

    game, rng, dice = Risk(**options), random.Random(seed), generator(seed)
    position = game.start()
    start = total(position.state)
    assert start == game.sides * {2: 40, 3: 35, 4: 30, 5: 25, 6: 20}[game.players]
    while not position.over:
        before = position.state
        text = position.sample(dice) if position.turn == CHANCE else some_move(rng, sorted(position.moves()))
        position = position.play(text)
        after = position.state
        check(game, after)
        change = total(after) - total(before)
        was = int(before[k.PHASE])
        began = int(after[k.TURN]) > int(before[k.TURN])
        income = int(k.reinforcement(after, int(after[k.PLAYER]))) if began else 0
        if was == k.ROLL:
            assert change == -min(int(before[k.DICE]), int(before[k.DEFENCE]))
        elif was == k.TRADE and text != "keep":
            worth = k.escalated(int(before[k.SETS]) + 1)
            low, high = (worth, worth + 2) if game["cards"] == "escalating" else (4, 12)
            assert low <= change <= high
        elif was == k.CHOOSE_BONUS:
            assert change == 2
        else:
            assert change == income  # nothing else makes or takes armies
    assert sum(position.payoff) == pytest.approx(0)


@QUICK
@given(options=OPTIONS, seed=st.integers(0, 10**6), steps=st.integers(0, 900))
def test_texts_and_pickles_of_reached_positions_round_trip(options, seed, steps):
    game, rng = Risk(**options), generator(seed)
    position = game.start()
    for _ in range(steps):
        if position.over:
            break
        position = position.play(position.sample(rng))
    assert game.parse(str(position)) == position
    assert pickle.loads(pickle.dumps(position)) == position
    assert game.parse(str(position)).moves() == position.moves() if not position.over else True


@pytest.mark.parametrize(
    "options",
    [
        {"players": 6, "claim": "deal", "turn_cap": 2, "defence": "choose"},
        {"players": 2, "turn_cap": 2, "cards": "fixed", "fortify": "connected"},
    ],
    ids=str,
)
def test_risk_keeps_the_contract(options):
    conform(stratagem.game("risk", **options), games=1, compiled=False)


@pytest.mark.slow
def test_risk_keeps_the_contract_when_compiled():
    conform(stratagem.game("risk", players=3, turn_cap=3), games=1)


# ----------------------------------------------------------------------------------------------------------- secrets


def dealt(seed: int, shuffle: int, players: int = 3, turns: int = 14):
    """A position of a random game, and the same with the other hands and the deck exchanged at random."""
    import random

    game, rng, dice = Risk(players=players, turn_cap=60), random.Random(seed), generator(seed)
    position = game.start()
    while not position.over and position.state[k.TURN] < turns:
        text = position.sample(dice) if position.turn == CHANCE else some_move(rng, sorted(position.moves()))
        position = position.play(text)
    return position


def twin(position, seat: int, seed: int):
    """Another true position that the seat cannot tell from this one: other hands, same sizes, same discards."""
    s = position.state.copy()
    position.game.run("guess", position.game.g, s, seat, generator(seed))
    return position.game.position(s, position.history)


def given_to(view) -> list[str]:
    """Everything a player or a page can be given of a view."""
    found = [str(view), repr(view), view.text_art(), view.svg(), str(view.state.tolist()), "|".join(view.history)]
    if view.turn >= 0 and view.turn == view.seat:
        found += ["|".join(view.moves()), str(view.parts())]
    return found


@pytest.mark.parametrize("seed", range(12))
def test_a_seats_view_is_the_same_whatever_the_others_hold(seed):
    position = dealt(seed, 0)
    seat = seed % 3
    other = twin(position, seat, seed + 100)
    mine = given_to(position.view(seat))
    theirs = given_to(other.view(seat))
    assert mine == theirs
    if any(position.state[k.HELD + p] for p in range(3) if p != seat):
        assert any(not np.array_equal(position.state, twin(position, seat, n).state) for n in range(5))
    assert given_to(position.view(None)) == given_to(twin(position, NOBODY, seed).view(None))


@pytest.mark.parametrize("seed", range(12))
def test_a_record_shown_to_a_seat_names_only_its_own_draws(seed):
    position = dealt(seed, 0)
    for seat in (0, 1, 2, None):
        shown = position.view(seat).history
        assert len(shown) == len(position.history)
        for text, true in zip(shown, position.history, strict=True):
            if " draws " in true:
                own = seat is not None and true[0] == "ABC"[seat]
                assert text == (true if own else f"{true[0]} draws ?")
            else:
                assert text == true


@pytest.mark.parametrize("seed", range(6))
def test_guesses_keep_what_a_seat_knows_and_deal_the_rest_fairly(seed):
    position = dealt(seed, 0)
    seat = seed % 3
    seen = position.view(seat).state
    tally = np.zeros(k.DECK)
    rounds = 400
    rng = generator(seed)
    for _ in range(rounds):
        s = position.state.copy()
        position.game.run("guess", position.game.g, s, seat, rng)
        check(position.game, s)
        hidden = s.copy()
        position.game.run("hide", position.game.g, hidden, seat)
        assert np.array_equal(hidden, seen)
        tally += (s[k.CARD : k.CARD + k.DECK] >= k.HAND) & (seen[k.CARD : k.CARD + k.DECK] == k.UNSEEN)
    unseen = seen[k.CARD : k.CARD + k.DECK] == k.UNSEEN
    others = sum(int(seen[k.HELD + p]) for p in range(3) if p != seat)
    share = others / unseen.sum()
    assert tally[~unseen].sum() == 0
    assert (abs(tally[unseen] / rounds - share) < 5 * (share * (1 - share) / rounds) ** 0.5 + 0.01).all()


def test_a_view_of_anothers_trade_offers_no_sets():
    position = Risk(players=3).parse(
        "phase=trade seat=A turn=9 board=" + ",".join(["A1"] * 14 + ["B1"] * 14 + ["C1"] * 14)
        + " pool=4 hands=alaska+alberta+wild1/peru/-"
    )  # fmt: skip
    assert "alaska+alberta+wild1" in position.view(0).moves()
    for seat in (1, 2, None):
        view = position.view(seat)
        with pytest.raises(IllegalMove, match="cards of A are not known"):
            view.moves()
        assert all(name not in str(view) + view.svg() + view.text_art().lower() for name in ("wild1", "alaska+"))


@settings(max_examples=120, deadline=None)
@given(text=st.text(max_size=60))
def test_any_text_is_a_move_or_a_clear_error(text):
    position = Risk(players=3).parse(
        "phase=attack seat=A turn=9 board=" + ",".join(["A3"] * 14 + ["B1"] * 14 + ["C1"] * 14)
    )  # fmt: skip
    for act in (position.play, position.game.parse):
        try:
            act(text)
        except StratagemError as error:
            refused = str(error)
        else:
            refused = "accepted"
        assert refused and len(refused.splitlines()) == 1
