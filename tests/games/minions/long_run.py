"""The long checks of Minions, run by name; the test suite runs samples of them.

    python tests/games/minions/long_run.py reference server 20000   random turns against the slow reference
    python tests/games/minions/long_run.py fuzz server 100000       mangled positions, turns and protocol lines

A fourth word is the turn to begin with, so that several processes can share the first check.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]

from test_notation import fuzz  # noqa: E402
from test_reference import run  # noqa: E402

from stratagem.games.minions.config import GameConfig, profile_of  # noqa: E402

STEP = 50  # turns between two words of progress


def configurations(profile: str, dice: random.Random) -> GameConfig:
    """A configuration of a profile at random: one to three boards of its maps."""
    names = tuple(dice.choice(profile_of(profile).maps) for _ in range(dice.choice((1, 1, 2, 3))))
    more = {"rare_spells": 2} if profile == "server" else {}
    return GameConfig.make(names, profile=profile, points=2, **more)


def against_reference(profile: str, turns: int, first: int = 0) -> None:
    """Turns `first` to `turns`, so that several processes can share the work."""
    dice, began, legal, wrong = random.Random(turns), time.time(), 0, 0
    for done in range(0, turns, STEP):
        config = configurations(profile, dice)
        if done < first:
            continue
        more = run(config, seed=1_000_000 + done, turns=STEP, spoilt_turns=1)
        legal, wrong = legal + more[0], wrong + more[1]
        print(f"\r{done + STEP} turns, {legal} legal, {wrong} illegal, {time.time() - began:.0f} s", end="", flush=True)
    print(f"\n{profile}: random turns {first} to {turns} and as many spoilt ones agree with the reference")


def main() -> None:
    what, profile, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if what == "reference":
        against_reference(profile, number, *map(int, sys.argv[4:5]))
    else:
        refused = fuzz(profile, number, seed=7)
        print(f"{profile}: {number} mangled texts were read or refused in words ({refused} refused), none crashed")


if __name__ == "__main__":
    main()
