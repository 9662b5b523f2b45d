"""What each technique of alpha-beta is worth: nodes and time with all of them, and with each left out in turn.

No peer here: this is our own ablation. Positions of random games are searched by iterative deepening to a fixed depth, the
table empty at first; `deeper=False`, so that every value must be the same in all rows, which is asserted. Times are
processor time on one core; the two rows of a comparison alternate.
"""

from __future__ import annotations

import random
import sys
import time

import stratagem
from stratagem import Clock
from stratagem.search.alphabeta import PLAIN, AlphaBeta, Settings

# a label, the game, its options, the depth (None: solved), how many positions, and after how many random moves
CASES = (
    ("connect four", "connect4", {}, 15, 8, range(12, 18)),
    ("othello", "othello", {}, 8, 4, range(8, 30)),
    ("othello, endings", "othello", {}, 14, 8, range(49, 53)),
    ("breakthrough", "breakthrough", {}, 7, 4, range(4, 20)),
    ("hex 7 x 7", "hex", {"size": 7}, 4, 4, range(2, 12)),
    ("hex 4 x 4, solved", "hex", {"size": 4}, None, 6, range(1, 2)),
)
BITS = 15  # small, so that replacement matters
ALL = Settings(deeper=False, table_bits=BITS)
WITHOUT = ("two_tier", "ordered", "history", "scout", "safe", "left")
KERNELS = {"without ordered": "order", "without safe": "safe", "without left": "left"}
ROWS = {
    "all": ALL,
    **{f"without {name}": Settings(**{"deeper": False, "table_bits": BITS, name: False}) for name in WITHOUT},
    "with killers": Settings(deeper=False, table_bits=BITS, killers=True),
    "without killers": Settings(deeper=False, table_bits=BITS, killers=False),
    "without table": Settings(deeper=False, table_bits=0),
    "aspiration": Settings(deeper=False, table_bits=BITS, driver="aspiration"),
    "mtdf": Settings(deeper=False, table_bits=BITS, driver="mtdf"),
    "plain, with table": Settings(**{**vars(PLAIN), "table_bits": BITS}),
}


def positions(game, n, lengths, seed=5):
    rng, found = random.Random(seed), []
    while len(found) < n:
        position = game.start()
        for _ in range(rng.choice(lengths)):
            if not position.over:
                position = position.play(rng.choice(position.moves()))
        if not position.over:
            found.append(position)
    return found


def run(search, batch, depth):
    """Nodes, seconds and values of a batch."""
    nodes, values, began = 0, [], time.process_time()
    for position in batch:
        search.clear()
        found = search.solve(position) if depth is None else search.analyse(position, Clock(None), depth=depth)
        nodes += found.nodes
        values.append(found.value)
    return nodes, time.process_time() - began, values


def main():
    wanted = sys.argv[1:]
    for title, name, options, depth, n, lengths in CASES:
        if wanted and title not in wanted:
            continue
        game = stratagem.game(name, **options)
        batch = positions(game, n, lengths)
        print(f"{title}, {n} positions to {f'depth {depth}' if depth else 'the end'}")
        base = None
        for label, settings in ROWS.items():
            if label in KERNELS and not game.gives(KERNELS[label]):
                continue
            search = AlphaBeta(game, settings)
            run(search, batch[:1], 2)
            nodes, seconds, values = min((run(search, batch, depth) for _ in range(2)), key=lambda found: found[1])
            base = base or (nodes, seconds, values)
            assert values == base[2], f"{label} changes a value: {values} {base[2]}"
            print(
                f"  {label:18} {nodes:10,} nodes {seconds:7.3f} s   x{nodes / base[0]:.2f} nodes, x{seconds / base[1]:.2f} time",
                flush=True,
            )


if __name__ == "__main__":
    main()
