"""Risk: search by stages against the campaign sampler at equal time, by rounds with the seats rotated, as a sequential test.

A round is one deal and one stream of dice, played once from every seat: with two seats a pair, with more one seat of the first
player among seats of the second. The score of a round is its share of wins; a game stopped at its cap counts as a share for
everybody. The test is that of `stratagem arena test` (normal approximation by rounds), whose two hypotheses are that the first
player is no better than elo0, or at least elo1 better, wins being drawn in proportion to strengths. It ends when one is
accepted, or after `--rounds`, and is reported as it stands. Rounds are written to a file as they end; the same command goes on.

    python benchmarks/strength/risk_staged.py --players 2 [--rounds 400] [--time 0.1] [--workers 16] [--out FILE]
    python benchmarks/strength/risk_staged.py --players 3
"""

from __future__ import annotations

import argparse
import json
import math
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

import stratagem
from stratagem.contract.player import Clock
from stratagem.rng import generator

TURN_CAP = 300
FEWEST = 32  # rounds before anything is decided


def play(players: int, names: tuple[str, str], seconds: float, number: int, seat: int) -> float:
    """The share of the win of the first player on a seat, among seats of the second."""
    game = stratagem.game("risk", players=players, claim="deal", turn_cap=TURN_CAP)
    seats = [stratagem.player(game, names[0 if p == seat else 1], seed=17 * number + p) for p in range(players)]
    position, chance = game.start(), generator(number, 1)
    while not position.over:
        p = position.turn
        move = position.sample(chance) if p < 0 else seats[p].choose(position.view(p), Clock(seconds)).move
        position = position.play(move)
    payoff = position.payoff
    return 1.0 / players if max(payoff) == min(payoff) else float(payoff[seat] == max(payoff))


def played_round(job: tuple[int, tuple[str, str], float, int]) -> tuple[int, list[float]]:
    players, names, seconds, number = job
    return number, [play(players, names, seconds, number, seat) for seat in range(players)]


def share(elo: float, players: int) -> float:
    """The chance to win of one among equals that it is so much stronger than."""
    strength = 10 ** (elo / 400)
    return strength / (strength + players - 1)


def verdict(rounds: list[list[float]], players: int, elo0: float, elo1: float) -> dict[str, float | str]:
    scores = np.array([np.mean(scores) for scores in rounds])
    mean, var = float(scores.mean()), max(float(scores.var()), 1e-4)
    s0, s1 = share(elo0, players), share(elo1, players)
    llr = len(scores) * (s1 - s0) * (2 * mean - s0 - s1) / (2 * var)
    bound = math.log(0.95 / 0.05)
    decision = "continue" if abs(llr) < bound or len(scores) < FEWEST else "H1" if llr > 0 else "H0"
    half = 1.96 * math.sqrt(var / len(scores))
    inside = min(max(mean, 1e-3), 1 - 1e-3)
    elo = 400 * math.log10(inside * (players - 1) / (1 - inside))
    return {"rounds": len(scores), "share": mean, "half": half, "elo": elo, "llr": llr, "decision": decision}


def told(found: dict[str, float | str], players: int) -> str:
    return (
        f"{found['rounds']:4} rounds   {found['share']:6.1%} ± {found['half']:.1%} (equal: {1 / players:.1%})   "
        f"Elo {found['elo']:+.0f}   LLR {found['llr']:+.2f}   {found['decision']}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Risk: search by stages against the campaign sampler at equal time.")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--time", type=float, default=0.1)
    parser.add_argument("--first", default="staged:draft=random")
    parser.add_argument("--second", default="campaign:draft=random")
    parser.add_argument("--elo0", type=float, default=0.0)
    parser.add_argument("--elo1", type=float, default=30.0)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path, default=None)
    given = parser.parse_args()
    out = given.out or Path(f"risk-staged-{given.players}.jsonl")
    done: dict[int, list[float]] = {}
    if out.exists():
        done = {line["round"]: line["scores"] for line in map(json.loads, out.read_text().splitlines())}
    names = (given.first, given.second)
    print(
        f"{names[0]} against {names[1]}, {given.players} seats, {given.time} s a turn; rounds go to {out}", flush=True
    )
    played_round((given.players, names, 0.0, -1))  # compiles what the workers then load
    jobs = [(given.players, names, given.time, n) for n in range(given.rounds) if n not in done]
    judged = 0  # rounds count in order: short games arrive first, and are not like the rest
    found: dict[str, float | str] = {"decision": "continue"}
    with ProcessPoolExecutor(given.workers) as pool, out.open("a") as file:
        try:
            for number, scores in pool.map(played_round, jobs):
                done[number] = scores
                file.write(json.dumps({"round": number, "scores": scores}) + "\n")
                file.flush()
                while judged in done and found["decision"] == "continue":
                    judged += 1
                    found = verdict([done[n] for n in range(judged)], given.players, given.elo0, given.elo1)
                if judged % 20 == 0:
                    print(told(found, given.players), flush=True)
                if found["decision"] != "continue":
                    break
        except KeyboardInterrupt:
            print("stopped; the same command goes on")
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    if done:
        while judged in done and found["decision"] == "continue":
            judged += 1
            found = verdict([done[n] for n in range(judged)], given.players, given.elo0, given.elo1)
        print(told(found, given.players))


if __name__ == "__main__":
    main()
