"""The kernel `allowed` of Risk against the list of moves."""

import random

import pytest

import stratagem
from stratagem.games.risk import kernels as k
from stratagem.rng import generator


def compare(options, decisions, seed):
    """Random play; at every decision what is listed is allowed, and codes that are not listed are not."""
    game, draws, luck = stratagem.game("risk", **options), random.Random(seed), generator(seed)
    s, phases, seen = game.start().state.copy(), set(), 0
    while seen < decisions:
        p = int(game.run("turn", game.g, s))
        if p < -1:
            game.run("draw", game.g, s, luck)
            continue
        if p == -1:
            s = game.start().state.copy()
            continue
        seen += 1
        phases.add(k.PHASES[s[k.PHASE]])
        listed = game.legal(s, p)
        others = [
            draws.choice((draws.randrange(-2, 60), draws.randrange(k.STOP + 2), draws.randrange(k.KEEP + 2)))
            for _ in range(12)
        ]
        for m in {*listed[:30], *others}:
            assert bool(game.run("allowed", game.g, s, p, m)) == (m in listed), (k.PHASES[s[k.PHASE]], m)
        stops = [m for m in listed if m in (k.STOP, k.KEEP)]
        m = draws.choice(stops) if stops and draws.random() < 0.1 else draws.choice(listed)
        game.run("play", game.g, s, p, m)
    return phases


def test_what_is_listed_is_allowed_and_nothing_else():
    phases = compare({"players": 3, "claim": "deal", "defence": "choose"}, 900, 1)
    assert {"place", "reinforce", "add", "attack", "dice", "defend", "occupy", "fortify", "shift"} <= phases


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"players": 2}, {"players": 4, "fortify": "connected"}, {"players": 6}], ids=str)
def test_the_same_in_long_games_with_cards(options):
    phases = compare(options, 12_000, 2)
    assert {"trade", "claim"} - ({"claim"} if options["players"] == 2 else set()) <= phases  # two are dealt theirs
