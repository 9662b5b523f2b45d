"""Draw the pictures of the searches' pages and of two games: `python -m benchmarks.search_pictures`, about a minute.

`--only NAME` draws one of them. Seeds are fixed, and no clock decides anything. The pictures go into docs/pictures.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import statistics
import subprocess
import sys
from collections.abc import Callable

import stratagem
from benchmarks.experiments import PAGES, ROOT
from stratagem import Choice, Clock
from stratagem.arena.plots import curves_plot, intervals_plot
from stratagem.search.alphabeta import AlphaBeta

PICTURES = PAGES / "pictures"
DRAWN = {  # pictures that a command draws, each with its arguments and the flag that names the file
    "table": ("trace", "nim", "1,2,1", "--engine", "alphabeta", "--table", "--svg"),
    "drafts": ("draft", "solve", "examples/draft.json", "--method", "exact", "--svg"),
    "bids": ("solve", "bidding", "--over", "tictactoe", "--payment", "allpay", "--chips", "3,3", "--svg"),
    "marginals": ("blotto", "solve", "--units", "10,8", "--values", "1,2,3,4", "--marginals"),
    "asmacag": ("draw", "asmacag", "--seed", "1", "--out"),
    "roborally": ("draw", "roborally", "--seed", "1", "--out"),
    "attack": ("minions", "attacks", "examples/attack.txt", "--maps", "AllLand", "--remove", "c0", "--svg"),
}


def drawn(name: str) -> None:
    """Draw a picture by the command line."""
    command = [sys.executable, "-m", "stratagem", *DRAWN[name], str(PICTURES / f"{name}.svg")]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def position_after(game: stratagem.ArrayGame, plies: int, rng: random.Random) -> stratagem.ArrayPosition:
    """Return a position after random moves at which the game goes on."""
    while True:
        position = game.start()
        while not position.over and len(position.history) < plies:
            position = position.play(rng.choice(position.moves()))
        if not position.over:
            return position


def samplers() -> str:
    """How often tree search and flat Monte-Carlo choose a best move, by simulations."""
    game, rng = stratagem.game("connect4", width=5, height=4), random.Random(1)
    asked = []
    while len(asked) < 100:
        position = position_after(game, 6, rng)
        best = stratagem.solve(position).best
        if len(best) < len(position.moves()):
            asked.append((position, best))
    curves = {}
    for name in ("mcts", "montecarlo"):
        curves[name] = points = []
        for doublings in range(4, 15):
            player = f"{name}:simulations={2**doublings}"
            right = [
                stratagem.player(game, player, seed=k).choose(position, Clock()).move in best
                for k, (position, best) in enumerate(asked)
            ]
            points.append((float(doublings), 100 * statistics.mean(right)))
    axes = ("simulations of a move, as a power of 2", "positions in which a best move is chosen, %")
    return curves_plot("Connect four on 5 x 4, after 6 random moves", axes, curves)


def solved() -> str:
    """How many positions the solver searches, with and without the kernel `safe`, by stones on the board."""
    game, rng = stratagem.game("connect4"), random.Random(1)
    curves: dict[str, list[tuple[float, float]]] = {"safe moves only": [], "all moves": []}
    for stones in range(22, 37, 2):
        asked = [position_after(game, stones, rng) for _ in range(60)]
        for name, safe in (("safe moves only", True), ("all moves", False)):
            nodes = [AlphaBeta(game, safe=safe).solve(position).nodes or 1 for position in asked]
            curves[name].append((float(stones), math.log10(statistics.mean(nodes))))
    axes = ("stones on the board", "mean of positions searched, as a power of 10")
    return curves_plot("The solver on connect four", axes, curves)


def candidates(title: str, choice: Choice) -> str:
    """The turns that a search compared, each with its value, standard error and number of visits."""
    rows = []
    for line in choice.lines:
        value, error = line.value or 0.0, line.error or 0.0
        rows.append(("; ".join(line.moves), f"{value:+.3f}, {line.visits} visits", value, value - error, value + error))
    low, high = min(row[3] for row in rows), max(row[4] for row in rows)
    return intervals_plot(title, "value for the mover, with the standard error", rows, low, high)


def campaign() -> str:
    """The intents of one turn of Risk after halving."""
    game, rng = stratagem.game("risk"), stratagem.generator(5)
    position, seats = game.start(seed=3), [stratagem.player(game, "expected:draft=random", seed=k) for k in range(3)]
    while len(position.history) <= 200 or "phase=reinforce" not in str(position):
        seat = position.turn
        move = position.sample(rng) if seat < 0 else seats[seat].choose(position.view(seat), Clock(), seat=seat).move
        position = position.play(move)
    player = stratagem.player(game, "campaign:samples=2000", seed=1)
    found = player.choose(position.view(position.turn), Clock(), lines=12)
    return candidates("A turn of Risk: twelve intents, 2,000 samples", found)


def stages() -> str:
    """The turns of ASMACAG that search by stages compared at the start."""
    game = stratagem.game("asmacag")
    player = stratagem.player(game, "staged:simulations=3000", seed=1)
    found = player.choose(game.start(seed=1).view(0), Clock(), lines=10)
    return candidates("The first turn of ASMACAG: the ten turns most looked at, of 3,000 walks", found)


def standings() -> str:
    """The round robin of the page on whole turns, from its table."""
    text = (PAGES / "search" / "whole-turns.md").read_text()
    table = text.partition("### Everybody against everybody: ASMACAG, 9 actions")[2].partition("###")[0]
    rows = []
    for name, elo, error in re.findall(r"^\| `(\S+)` \| ([+-]\d+) \| (\d+) \|", table, re.M):
        middle, half = float(elo), float(error)
        rows.append((name, f"{middle:+.0f} ± {half:.0f}", middle, middle - half, middle + half))
    low, high = min(row[3] for row in rows), max(row[4] for row in rows)
    return intervals_plot("ASMACAG, 9 actions, 0.1 s a turn: ratings", "Elo, 95% intervals", rows, low, high)


PLOTTED: dict[str, Callable[[], str]] = {
    "samplers": samplers,
    "solved": solved,
    "campaign": campaign,
    "stages": stages,
    "standings": standings,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=[*DRAWN, *PLOTTED], help="draw this picture alone")
    only = parser.parse_args().only
    for name in [only] if only else [*DRAWN, *PLOTTED]:
        if name in DRAWN:
            drawn(name)
        else:
            (PICTURES / f"{name}.svg").write_text(PLOTTED[name]() + "\n")
        print(f"wrote docs/pictures/{name}.svg", flush=True)


if __name__ == "__main__":
    main()
