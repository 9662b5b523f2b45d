"""What each technique of alpha-beta is worth: nodes and time with all of them and with each left out in turn, then with each
added alone to the bare form.

No peer here: this is our own ablation. The words `without`, `alone` and `review`, and titles of cases, choose parts of it.
Positions of random games are searched by iterative deepening to a fixed depth, the
table empty at first; `deeper=False`, so that every value must be the same in all rows, which is asserted. Times are
processor time on one core; the two rows of a comparison alternate.
"""

from __future__ import annotations

import random
import sys
import time

import stratagem
from stratagem import Clock
from stratagem.search.alphabeta.deepening import PLAIN, AlphaBeta, AlphaBetaSettings

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
ALL = AlphaBetaSettings(deeper=False, table_bits=BITS)
WITHOUT = ("two_tier", "ordered", "history", "scout", "safe", "left")
KERNELS = {"without ordered": "order", "without safe": "safe", "without left": "left"}
ROWS = {
    "all": ALL,
    **{f"without {name}": AlphaBetaSettings(**{"deeper": False, "table_bits": BITS, name: False}) for name in WITHOUT},
    "with killers": AlphaBetaSettings(deeper=False, table_bits=BITS, killers=True),
    "without killers": AlphaBetaSettings(deeper=False, table_bits=BITS, killers=False),
    "without table": AlphaBetaSettings(deeper=False, table_bits=0),
    "aspiration": AlphaBetaSettings(deeper=False, table_bits=BITS, driver="aspiration"),
    "mtdf": AlphaBetaSettings(deeper=False, table_bits=BITS, driver="mtdf"),
    "plain, with table": AlphaBetaSettings(**{**vars(PLAIN), "table_bits": BITS}),
}

# each alone: without the others' cuts the trees grow faster, so depths are smaller
ALONE_CASES = (
    ("connect four", "connect4", {}, 12, 8, range(8, 18)),
    ("othello", "othello", {}, 8, 8, range(8, 40)),
    ("breakthrough", "breakthrough", {}, 6, 8, range(4, 30)),
    ("hex 7 x 7", "hex", {"size": 7}, 5, 6, range(2, 12)),
    ("hex 4 x 4, solved", "hex", {"size": 4}, None, 6, range(1, 2)),
)
BARE = {**vars(PLAIN), "table_bits": BITS, "ordered": False}
ALONE = {
    "bare": BARE,
    **{f"with {name}": {**BARE, name: True} for name in ("ordered", "killers", "history", "scout", "safe", "two_tier")},
    "with aspiration": {**BARE, "driver": "aspiration"},
    "with mtdf": {**BARE, "driver": "mtdf"},
}
KERNELS |= {"with ordered": "order", "with safe": "safe"}

# `left` pays where a table is kept: each position of a game is solved, one after the other
REVIEWS = (
    ("tic-tac-toe", "tictactoe", {}, 6, range(0, 2)),
    ("tic-tac-toe 4 x 4", "tictactoe", {"columns": 4, "rows": 4, "line": 4}, 6, range(5, 7)),
    ("othello, endings", "othello", {}, 8, range(49, 53)),
)


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


def compare(title, game, batch, depth, rows):
    """One line a row: nodes and time against the first row, whose values all must share."""
    print(f"{title}, {len(batch)} positions to {f'depth {depth}' if depth else 'the end'}")
    base = None
    for label, settings in rows.items():
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


def review(title, game, batch):
    """Nodes to solve every position of games played well, the table kept, without and with `left`."""
    nodes = []
    for left in (False, True):
        search, total = AlphaBeta(game, table_bits=18, left=left), 0
        for position in batch:
            search.clear()
            while not position.over:
                found = search.solve(position)
                total += found.nodes
                position = position.play(found.best[0])
        nodes.append(total)
    print(
        f"{title}, {len(batch)} games reviewed: {nodes[0]:,} nodes, with left {nodes[1]:,}: x{nodes[1] / nodes[0]:.2f}"
    )


def main():
    parts = [word for word in sys.argv[1:] if word in ("without", "alone", "review")] or ["without", "alone", "review"]
    wanted = [word for word in sys.argv[1:] if word not in parts]
    for part, cases, rows in (("without", CASES, ROWS), ("alone", ALONE_CASES, ALONE)):
        for title, name, options, depth, n, lengths in cases:
            if part in parts and (not wanted or title in wanted):
                game = stratagem.game(name, **options)
                made = {
                    label: row if isinstance(row, AlphaBetaSettings) else AlphaBetaSettings(**row)
                    for label, row in rows.items()
                }
                compare(f"{part}: {title}", game, positions(game, n, lengths), depth, made)
    for title, name, options, n, lengths in REVIEWS:
        if "review" in parts and (not wanted or title in wanted):
            game = stratagem.game(name, **options)
            review(title, game, positions(game, n, lengths))


if __name__ == "__main__":
    main()
