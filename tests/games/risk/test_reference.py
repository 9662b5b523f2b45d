"""The kernels of Risk against the plain reference, move by move through random games of every option."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from references.risk import Reference
from toys.risk_cases import case, some_move

from stratagem.compile import specialise
from stratagem.contract.game import CHANCE, OVER
from stratagem.games.risk import Risk


def follow(options: dict, seed: int, kind: type[Risk] = Risk) -> Counter[str]:
    """Play one random game with both, comparing everything at every step; how often each phase was met."""
    rng = random.Random(seed)
    game, reference = kind(**options), Reference(**options)
    position = game.start()
    met: Counter[str] = Counter()
    while True:
        assert str(position) == reference.text()
        met[reference.phase] += 1
        met["after elimination"] += reference.after_elimination
        who = reference.decider()
        if who == "over":
            assert position.turn == OVER
            assert position.payoff == pytest.approx([float(x) for x in reference.payoff()])
            met["won"] += reference.winner() is not None
            return met
        if who == "chance":
            assert position.turn == CHANCE
            listed = position.moves()
            expected = reference.chance()
            assert set(listed) == set(expected) and len(listed) == len(expected)
            for k, text in enumerate(listed):
                assert game.run("odds", game.g, position.state, k) == pytest.approx(float(expected[text]))
            choice = rng.choices(list(expected), [float(p) for p in expected.values()])[0]
        else:
            assert position.turn == reference.seats.index(who)
            listed = position.moves()
            assert set(listed) == reference.moves() and len(listed) == len(set(listed))
            choice = some_move(rng, sorted(listed))
        position = position.play(choice)
        reference.play(choice)


def test_cases_cover_all_options_and_pairs_of_setup_and_turn() -> None:
    cases = [case(k) for k in range(540)]
    for name, values in (
        ("players", 5),
        ("claim", 2),
        ("draft_order", 2),
        ("cards", 3),
        ("fortify", 3),
        ("defence", 2),
    ):
        assert len({c[name] for c in cases}) == values
    assert sum(c.get("two_player") == "pure" for c in cases) > 20
    pairs = {(c["players"], c["claim"], c["draft_order"], c["cards"], c["fortify"], c["defence"]) for c in cases[:270]}
    assert len(pairs) >= 90


def test_random_games_agree_with_the_reference() -> None:
    met: Counter[str] = Counter()
    for k in range(36):
        met += follow(case(k), seed=k)
    assert all(
        met[phase] for phase in ("deal", "claim", "place", "trade", "bonus", "reinforce", "add", "attack", "dice")
    )
    assert all(met[phase] for phase in ("defend", "roll", "occupy", "fortify", "shift", "card", "over", "won"))


class Compiled(Risk):
    """The same rules, each kernel compiled."""

    def run(self, name, *args):
        if name != "play":  # positions are read-only, and compiled kernels are made for arrays that are not
            args = tuple(a.copy() if isinstance(a, np.ndarray) and not a.flags.writeable else a for a in args)
        if name not in self._face:
            bound = self.names[name]
            self._face[name] = specialise(bound.function, bound.names, label=f"{self.name} {name}")
        return super().run(name, *args)


@pytest.mark.slow
def test_compiled_kernels_agree_with_the_reference() -> None:
    options = {"players": 4, "draft_order": "snake", "defence": "choose", "fortify": "connected", "turn_cap": 60}
    met: Counter[str] = Counter()
    for seed in range(12):
        met += follow(options, seed, Compiled)
    assert met["over"] == 12 and met["after elimination"] and met["bonus"] and met["defend"]


@pytest.mark.slow
def test_many_random_games_of_all_options_agree_with_the_reference() -> None:
    met: Counter[str] = Counter()
    for k in range(36, 186):
        met += follow(case(k), seed=k)
    assert met["over"] == 150 and met["after elimination"] > 7 and met["won"] > 5
    assert sum(met.values()) > 50_000
