"""Risk's turn by stages: rows carried out by the rules, proposals, and the player that plans by them."""

import numpy as np
import pytest

import stratagem
from stratagem.contract.player import Clock
from stratagem.games.risk import kernels as k
from stratagem.games.risk.atlas import IDS, NEIGHBOURS
from stratagem.games.risk.planner import StagedRisk
from stratagem.games.risk.players import RiskPlayer
from stratagem.games.risk.scripted import SCRATCH, STYLES, WEIGHTS
from stratagem.games.risk.stages import EVERYONE, Assault, Assaults, Placement, Placements, RiskStaging, carried
from stratagem.rng import generator
from stratagem.search.staged import Context

BASE = tuple(float(w) for w in STYLES["expected"])
AS_USUAL = {"attack": Assault(BASE), "place": Placement(), "occupy": 0, "fortify": (0, 0, 0)}


@pytest.fixture(scope="module")
def game():
    return stratagem.game("risk", players=3, claim="deal", turn_cap=300)


@pytest.fixture(scope="module")
def plain(game):
    return RiskStaging(game, target="python")


def turn_of(game, seed, turns):
    """The beginning of a turn of a scripted game."""
    script = RiskPlayer(game, style="expected", draft="random", seed=seed)
    position, chance = game.start(), generator(seed, 1)
    while position.state[k.TURN] < turns or position.state[k.PHASE] not in (k.REINFORCE, k.TRADE):
        if position.over:
            return None
        if position.turn < 0:
            position = position.play(position.sample(chance))
        else:
            position = position.play(script.choose(position, Clock()).move)
    return position


def lent(position):
    s = np.zeros(k.STATE_SIZE + SCRATCH, np.int64)
    s[: k.STATE_SIZE] = position.state[: k.STATE_SIZE]
    return s


def carried_out(game, position, row, seed=1):
    """The texts of a turn carried out by the rules, which refuse what is illegal."""
    seat, turn, chance, texts = position.turn, position.state[k.TURN], generator(seed), []
    while not position.over and position.state[k.TURN] == turn:
        if position.turn < 0:
            position = position.play(position.sample(chance))
            continue
        m = int(game.rule(carried, game.g, lent(position), position.turn, row, chance))
        text = game.move_text(position.state, position.turn, m)
        if position.turn == seat:
            texts.append(text)
        position = position.play(text)
    return texts, position


def test_a_row_without_a_plan_is_the_scripted_player(game, plain):
    position = turn_of(game, 1, 5)
    row = plain.join(lent(position), AS_USUAL)
    script = RiskPlayer(game, style="expected", draft="random")
    for seed in range(3):
        texts, _ = carried_out(game, position, row, seed)
        script.rng = generator(seed)
        assert texts[0] == script.choose(position, Clock()).move


def test_armies_go_where_the_placement_says_and_the_route_is_taken_in_order(game, plain):
    position = turn_of(game, 2, 4)
    s, seat = lent(position), position.turn
    pool = int(s[k.POOL])
    starts = [(t, n) for t in range(42) if s[k.OWNER + t] == seat for n in NEIGHBOURS[t] if s[k.OWNER + n] != seat]
    here, there = starts[0]
    parts = {
        **AS_USUAL,
        "attack": Assault(BASE, (there,), 0.0, True),
        "place": Placement(False, ((here, pool),)),
        "occupy": EVERYONE,
        "fortify": (1, 0, 0),
    }
    texts, _ = carried_out(game, position, plain.join(s, parts))
    assert texts[:2] == [IDS[here], str(pool)]
    attacks = [text for text in texts if ">" in text]
    assert attacks and all(text.endswith(f">{IDS[there]}") for text in attacks)
    assert texts[-1] == "end"


def test_a_route_is_given_up_below_its_chance(game, plain):
    position = turn_of(game, 2, 4)
    s, seat = lent(position), position.turn
    foes = [t for t in range(42) if s[k.OWNER + t] != seat and any(s[k.OWNER + n] == seat for n in NEIGHBOURS[t])]
    parts = {**AS_USUAL, "attack": Assault(BASE, (foes[0],), 1.1, True)}
    texts, _ = carried_out(game, position, plain.join(s, parts))
    assert not any(">" in text for text in texts if text in {f"{IDS[a]}>{IDS[b]}" for a in range(42) for b in foes})


def test_random_rows_are_always_legal(game, plain):
    """Every combination of proposals, refined several times, is carried out by the rules."""
    played = 0
    for seed, turns in ((1, 3), (2, 9), (3, 20), (4, 33)):
        position = turn_of(game, seed, turns)
        if position is None:
            continue
        s, seat, rng = lent(position), position.turn, np.random.default_rng(seed)
        assaults = Assaults(plain, Context(s, seat, {}, generator(seed)))
        parts = [assaults.first().part for _ in range(12)]
        for _ in range(12):
            base = parts[int(rng.integers(len(parts)))]
            found = assaults.finer(base) if rng.uniform() < 0.5 else assaults.coarser(base, 1.0)
            parts += [found.part] if found else []
        assert len(set(parts)) == len(parts)
        for assault in parts[::2]:
            placements = Placements(plain, Context(s, seat, {"attack": assault}, generator(seed)))
            placed = [p.part for p in (placements.first() for _ in range(5)) if p]
            placed += [p.part for p in map(placements.finer, placed) if p]
            place = placed[int(rng.integers(len(placed)))]
            march = (2, int(rng.integers(42)), int(rng.integers(42)))
            chosen = {"attack": assault, "place": place, "occupy": int(rng.integers(4)), "fortify": march}
            carried_out(game, position, plain.join(s, chosen), seed)
            played += 1
    assert played > 25


def test_routes_lead_from_own_land_step_by_step(game, plain):
    seen = 0
    for seed in range(4):
        position = turn_of(game, seed, 7)
        s, seat = lent(position), position.turn
        for route in Assaults(plain, Context(s, seat, {}, generator(1))).routes():
            held = {t for t in range(42) if s[k.OWNER + t] == seat}
            for t in route:
                assert t not in held and held & set(NEIGHBOURS[t])
                held.add(t)
            seen += 1
    assert seen > 10


def test_words_name_what_a_turn_does(game, plain):
    position = turn_of(game, 2, 4)
    s = lent(position)
    parts = {
        **AS_USUAL,
        "attack": Assault(BASE, (0, 1), 0.55, True),
        "place": Placement(False, ((3, 2),)),
        "fortify": (1, 0, 0),
    }
    text = plain.text(s, plain.join(s, parts))
    assert text == f"place 2 in {IDS[3]}; take {IDS[0]} > {IDS[1]} while the chance is 55%; no march"


def test_a_row_of_weights_is_where_the_scripted_player_reads_them(plain, game):
    row = plain.join(lent(turn_of(game, 1, 3)), AS_USUAL)
    assert tuple(row[:WEIGHTS]) == BASE


def test_a_plan_is_carried_on_in_its_own_game_only(game):
    begun, elsewhere = turn_of(game, 1, 5), turn_of(game, 2, 5)
    player, seat = RiskPlayer(game, draft="random"), begun.turn
    player._planned = begun.view(seat)
    later = begun.play(player.choose(begun, Clock()).move)
    assert player._goes_on(later.view(seat))
    assert not player._goes_on(begun.view(seat))  # asked again, it plans again
    assert elsewhere.turn == seat
    later = elsewhere.play(player.choose(elsewhere, Clock()).move)
    while len(later.history) <= len(begun.history):
        later = later.play(player.choose(later, Clock()).move)
    assert later.state[k.TURN] == begun.state[k.TURN] and not player._goes_on(later.view(seat))


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3])
def test_trials_agree_with_the_campaigns_and_the_player_keeps_its_clock(players):
    game = stratagem.game("risk", players=players, claim="deal", turn_cap=300)
    position = turn_of(game, 5, 6)
    s, seat = lent(position.view(position.turn)), position.turn
    sampler = RiskPlayer(game, samples=20_000, draft="random", seed=3)
    judged = {judged.index: judged for judged in sampler.campaign.consider(game.g, s, seat)}[0]
    staging = RiskStaging(game)
    values = staging.sample(s, staging.join(s, AS_USUAL), seat, range(4000), 7)[:, seat]
    assert judged.value == pytest.approx(values.mean(), abs=5 * (values.std() / 60 + judged.error))
    few = RiskStaging(game, target="python").sample(s, staging.join(s, AS_USUAL), seat, range(4), 7)
    np.testing.assert_allclose(few, staging.sample(s, staging.join(s, AS_USUAL), seat, range(4), 7))

    player = StagedRisk(game, draft="random", seed=1)
    view = position.view(seat)
    first = player.choose(view, Clock(0.1), lines=8)
    assert first.nodes > 0 and len(first.lines) > 1
    assert [stage.name for stage in first.stages] == [stage.name for stage in player.search.root.stages]
    assert all(stage.best[0].visits > 0 for stage in first.stages)
    late = []
    for _ in range(4):
        player._row = None
        late.append(player.choose(view, Clock(0.1)).seconds - 0.1)
    assert min(late) < 1.0  # of a machine that may be busy; 40 ms are usual: the clock, and the texts of the lines
    player._row = None
    assert position.play(player.choose(view, Clock(0.001)).move)
    same = [StagedRisk(game, draft="random", seed=4, visits=20).choose(view, Clock()).details for _ in range(2)]
    assert same[0] == same[1]


@pytest.mark.slow
def test_a_whole_game_is_played_by_stages(game):
    seats = [StagedRisk(game, draft="random", visits=10, seed=1), *(RiskPlayer(game, draft="random") for _ in range(2))]
    position, chance = game.start(), generator(3)
    while not position.over:
        p = position.turn
        move = position.sample(chance) if p < 0 else seats[p].choose(position.view(p), Clock()).move
        position = position.play(move)
    assert position.over
