"""Minions by profile and map: scripted self-play, and what spells are worth to the script.

    python benchmarks/bench_minions_profiles.py selfplay server 20   games on each map of a profile, or on those named behind
    python benchmarks/bench_minions_profiles.py spells 200           greedy with spells against greedy without

Self-play is between two varied scripts on one board; a pair of games of the second table has the same deals and swapped
seats. Without arguments both run with few games.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections import Counter

import stratagem
from stratagem.contract.player import Clock
from stratagem.games.minions import GameConfig, GameState, Minions
from stratagem.games.minions.config import profile_of
from stratagem.games.minions.spells import spells
from stratagem.games.minions.wizard import scripted_turn
from stratagem.protocols.umi import match
from stratagem.rng import generator

PLIES = 300  # after which a game is a draw
MAPS = ("MidnightLake", "Apocalypse", "SorcerersLair", "TreacherousPathways")


def self_play(profile: str, games: int, maps: tuple[str, ...] = ()) -> None:
    """A row for each map: games, median length, wins of Yellow, draws, casts a game; then spells that were never cast."""
    cast: Counter[str] = Counter()
    print(
        "| map | games | plies (median, most) | Yellow won | drawn | casts a game | other acts a game |\n"
        "|---|---|---|---|---|---|---|"
    )
    for name in maps or profile_of(profile).maps:
        config = GameConfig.make((name,), profile=profile, points=1)
        lengths, winners, casts, acts = [], Counter[int | None](), 0, Counter[str]()
        for seed in range(games):
            state, rng = GameState.start(config), generator(seed)
            while state.winner is None and state.ply <= PLIES:
                state = state.dealt(rng)
                turn = scripted_turn(state, rng, wild=True)
                state = state.play(turn)
                for action in turn.boards[0]:
                    if action.kind == "cast" and action.spell is not None:
                        cast[action.spell.key] += 1
                        casts += 1
                    elif action.kind in ("teleport", "rise", "ability", "discard"):
                        acts[action.kind] += 1
            lengths.append(state.ply)
            winners[state.winner] += 1
        others = ", ".join(f"{kind} {n / games:.1f}" for kind, n in acts.items()) or "-"
        print(
            f"| {name} | {games} | {statistics.median(lengths):.0f}, {max(lengths)} | {winners[0]} | {winners[None]} | "
            f"{casts / games:.1f} | {others} |",
            flush=True,
        )
    if profile_of(profile).switches.spells:
        print("casts:", ", ".join(f"{key} {n}" for key, n in cast.most_common()))
        print("never cast:", [spell.key for spell in spells() if spell.copies and not cast[spell.key]])


def worth(games: int) -> None:
    """Pairs of games with the same deals and swapped seats."""
    print("| map | pairs | greedy with spells won | without | drawn |\n|---|---|---|---|---|")
    scores: list[float] = []
    for name in MAPS:
        game = Minions(profile="server", maps=name, points=1, plies=PLIES)
        found = Counter[str]()
        for pair in range(games // (2 * len(MAPS))):
            won = 0.0
            for side in range(2):
                names = ["greedy", "greedy:spells=false"][:: 1 if side == 0 else -1]
                seats = [stratagem.player(game, each, seed=2 * pair + k) for k, each in enumerate(names)]
                result = match(game, seats, Clock(), plies=PLIES, seed=pair).result
                winner = {"Yellow": 0, "Blue": 1}.get(result)
                found["drawn" if winner is None else names[winner]] += 1
                won += 0.5 if winner is None else float(names[winner] == "greedy")
            scores.append(won / 2)
        pairs = games // (2 * len(MAPS))
        print(
            f"| {name} | {pairs} | {found['greedy']} | {found['greedy:spells=false']} | {found['drawn']} |", flush=True
        )
    mean = statistics.mean(scores)
    half = 1.96 * statistics.stdev(scores) / math.sqrt(len(scores)) if len(scores) > 1 else 0.0
    print(f"with spells: {mean:.3f} of the points, plus or minus {half:.3f} (95 %, {len(scores)} pairs)")


def main() -> None:
    if sys.argv[1:2] == ["spells"]:
        worth(int(sys.argv[2]))
    elif sys.argv[1:2] == ["selfplay"]:
        self_play(sys.argv[2], int(sys.argv[3]), tuple(sys.argv[4:]))
    else:
        self_play("server", 1)
        worth(8)


if __name__ == "__main__":
    main()
