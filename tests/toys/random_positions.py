"""Positions of random games that are not over, for searches to be compared on."""

import random


def random_positions(game, n, seed, lengths):
    rng = random.Random(seed)
    while n:
        position = game.start()
        for _ in range(rng.choice(lengths)):
            if not position.over:
                position = position.play(rng.choice(position.moves()))
        if not position.over:
            n -= 1
            yield position
