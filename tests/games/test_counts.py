"""Perft for every game: the numbers and their sources are in counts/."""

from pathlib import Path

import pytest

import stratagem
from stratagem.search.perft import Perft

FILES = sorted((Path(__file__).parent / "counts").glob("*.txt"))


def cases():
    for file in FILES:
        game = position = None
        for line in file.read_text().splitlines():
            words = line.partition("#")[0].split()
            if not words:
                continue
            if words[0] == "game":
                options = dict(word.split("=") for word in words[2:])
                game = (words[1], options)
            elif words[0] == "position":
                position = " ".join(words[1:])
            elif words[0] == "count":
                depth, n = int(words[1]), int(words[2])
                marks = [pytest.mark.slow] if n > 50_000_000 else []
                yield pytest.param(
                    *game, position, depth, n, marks=marks, id=f"{game[0]}-{position or 'start'}-{depth}"
                )
            else:
                raise ValueError(f"{file}: {line}")


@pytest.mark.parametrize(("name", "options", "position", "depth", "expected"), list(cases()))
def test_the_number_of_move_sequences(name, options, position, depth, expected):
    game = stratagem.game(name, **options)
    assert Perft(game).count(game.parse(position), depth) == expected
