"""Claim: at least 300,000 turns of RoboRally a second on one core: 4 robots, random programmes, deals and re-entries included.

Beside the same kernels in the interpreter, and beside a peer engine in Python: STRATAGEM_ROBORALLY_PEER names a checkout of
PyLadiesCZ/roboprojekt (it needs PyYAML), which plays rounds of simplified rules on floors of its own, programmes drawn from the
hands likewise; without it that column is left out.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from alternate import pin, rates

import stratagem
from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame
from stratagem.games.roborally import layout
from stratagem.games.roborally.heuristics import any_cards, quick_entry
from stratagem.kernel import (
    CHANCE,
    OVER,
    PLAYERS,
    SIZE,
    TOGETHER,
    Ground,
    Moves,
    State,
    draw,
    play,
    play_together,
    turn,
)
from stratagem.rng import Rng, generator

COURSES = ("Risky Exchange", "Island Hop", "Dizzy Dash", "Lost Bearings")


def race_on(g: Ground, start: State, s: State, r: Rng, joint: Moves, turns: int) -> None:
    """So many turns, one race after another."""
    done = 0
    while done < turns:
        t = turn(g, s)
        if t == OVER:
            for i in range(SIZE):
                s[i] = start[i]
        elif t == CHANCE:
            draw(g, s, r)
        elif t == TOGETHER:
            for p in range(PLAYERS):
                joint[p] = any_cards(s, p, r) if layout.is_awake(s, p) else -1
            play_together(g, s, joint)
            done += 1
        elif s[layout.PHASE] == layout.STAYING:
            play(g, s, t, 0)
        else:
            play(g, s, t, quick_entry(g, s, t))


def peer_turns() -> Callable[[], int] | None:
    """Rounds of the peer, a new race where one has ended; None where no checkout is named."""
    folder = os.environ.get("STRATAGEM_ROBORALLY_PEER")
    if not folder:
        return None
    sys.path.insert(0, folder)
    with contextlib.chdir(folder):  # it opens its files from there
        backend: Any = __import__("backend")
    random.seed(1)
    race: list[Any] = []

    def work(rounds: int = 200) -> int:
        with contextlib.chdir(folder):
            for _ in range(rounds):
                if not race or race[0].winners or len(race[0].robots) < 2:
                    race[:] = [backend.State.get_start_state("maps/chop_shop.json", 4)]
                race[0].play_round()
                race[0].log.clear()  # it would only grow
        return rounds

    return work


def main() -> None:
    pin()
    peer = peer_turns()
    r, joint = generator(1), np.zeros(4, np.int64)
    for course in COURSES:
        game: Any = stratagem.game("roborally", course=course, robots=4)
        assert isinstance(game, ArrayGame)
        names = {**game.names["turn"].names, **game.names}
        works = {}
        for target, turns in (("cpu", 100_000), ("python", 20)):
            run = specialise(race_on, names, target=target, label="roborally turns")
            start = game.start().state

            def work(run: Any = run, turns: int = turns, g: Any = game.g, start: Any = start) -> int:
                with np.errstate(over="ignore"):
                    run(g, start.copy(), start.copy(), r, joint, turns)
                return turns

            works[target] = work
        if peer is not None:
            works["peer"] = peer
        found = rates(works, rounds=5)
        print(f"{course:16}" + "".join(f"   {name} {rate:>10,.0f} turns/s" for name, rate in found.items()), flush=True)


if __name__ == "__main__":
    main()
