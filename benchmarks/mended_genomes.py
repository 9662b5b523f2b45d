"""A claim of docs/search/whole-turns.md: whatever stands in a genome, what is carried out is a legal, whole turn.

Genomes are random rows of decisions that are listed somewhere in the game, and of numbers that are none. Each is mended and
carried out from one of some positions of a game that was played at random; then it is gone through again from the same position
with the same dice, and every decision is looked for in the list of those that may be made (the kernel `moves`, where mending asks
`allowed`), and the turn must be over behind the last. Turns of Minions are also written down as moves, one in `--by-rules`, and
played by the rules that know no single decisions.

    python -m benchmarks.mended_genomes [--only asmacag,skirmish,minions,risk] [--genomes 100000] [--mending random]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import stratagem
from stratagem.compile import specialise
from stratagem.games.asmacag.players import atoms as asmacag_atoms
from stratagem.games.minions.decisions import atoms as minions_atoms
from stratagem.games.risk.decisions import atoms as risk_atoms
from stratagem.games.skirmish.players import atoms as skirmish_atoms
from stratagem.kernel import Ground, Moves, State, moves, play
from stratagem.rng import generator
from stratagem.search.rivals import RIVALS, Settings
from stratagem.search.rivals.core import LONGEST, MENDED, Room, Rows, Terms, begun, enter, goes_on, set_out, weigh
from stratagem.search.rivals.player import names_of, new_room, terms_of
from stratagem.search.rivals.settings import MENDINGS

POSITIONS = 24  # of a game
JUNK = 0.2  # of the genes: numbers that are no decision
# a game's atoms, its options, moves before the first position, and the share of junk; none in Minions, where whatever is written
# behind the code of an end is an end too, which no list has
GAMES: dict[str, tuple[Any, dict[str, Any], int, float]] = {
    "asmacag": (asmacag_atoms, {"actions": 9}, 0, JUNK),
    "skirmish": (skirmish_atoms, {}, 0, JUNK),
    "minions": (minions_atoms, {"maps": "BlackenedShores", "plies": 40}, 0, 0.0),
    "risk": (risk_atoms, {"players": 2, "claim": "deal"}, 90, JUNK),
}


def wrong_at(g: Ground, p: int, row: int, room: Room, terms: Terms) -> int:
    """Where a row that was carried out is no legal turn: the first decision that is not listed, its length where the turn is not
    over behind it, or -1."""
    enter(0, room.s, room.worlds, room.dice, terms.seed)
    which = begun(g, room.s)
    for k in range(room.lengths[row]):
        if not goes_on(g, room.s, p, which, room.dice):
            return k
        found = False
        for i in range(moves(g, room.s, p, room.listed)):
            found = found or room.listed[i] == room.genes[row, k]
        if not found:
            return k
        play(g, room.s, p, room.genes[row, k])
    if room.lengths[row] < LONGEST and goes_on(g, room.s, p, which, room.dice):
        return room.lengths[row]
    return -1


def mend_all(g: Ground, root: State, p: int, genomes: Rows, turns: Rows, room: Room, terms: Terms) -> int:
    """Mend and check genomes; turns: [genomes, 1 + LONGEST], what was carried out. Returns the first that is wrong, or -1."""
    set_out(g, root, p, room, terms)
    for i in range(genomes.shape[0]):
        for k in range(genomes.shape[1]):
            room.genes[0, k] = genomes[i, k]
        room.lengths[0] = genomes.shape[1]
        weigh(g, p, 0, room, terms)
        turns[i, 0] = room.lengths[0]
        for k in range(room.lengths[0]):
            turns[i, 1 + k] = room.genes[0, k]
        if wrong_at(g, p, 0, room, terms) >= 0:
            return i
    return -1


def listed(g: Ground, s: State, p: int, out: Moves) -> int:
    return moves(g, s, p, out)


def positions(game: Any, before: int) -> Iterator[Any]:
    """Positions in which somebody decides, of a game that is played at random."""
    lots, found, number = generator(7), 0, 0
    while found < POSITIONS:
        position, number = game.start(seed=number), number + 1
        for _ in range(before + number % 12):
            if not position.over:
                position = position.play(position.sample(lots))
        while not position.over and position.turn < 0:
            position = position.play(position.sample(lots))
        if not position.over:
            found += 1
            yield position


def check(name: str, number: int, mending: str, by_rules: int) -> None:
    make, options, before, junk = GAMES[name]
    game = stratagem.game(name, **options)
    atoms, began = make(game), time.monotonic()
    settings = Settings(population=2, mending=mending)
    names = names_of(atoms, RIVALS["oep"])
    run = specialise(mend_all, names, label=f"{name}, genomes mended")
    ask = specialise(listed, names, label=f"{name}, decisions listed")
    room = new_room(atoms, RIVALS["oep"], settings, 1)
    lots, places = np.random.default_rng(1), list(positions(game, before))
    pool = decisions(atoms, places, ask)
    mended, played, lengths = 0.0, 0, []
    for k, position in enumerate(places):
        n = number // len(places) + (k < number % len(places))
        genomes = lots.choice(pool, (n, min(atoms.longest, 3 * atoms.actions)))
        spoilt = lots.random(genomes.shape) < junk
        genomes[spoilt] = lots.integers(-3, 2 * int(pool.max()) + 3, spoilt.sum())
        turns = np.zeros((n, 1 + atoms.longest), np.int64)
        terms = terms_of(settings, turns=1, seed=k)
        wrong = run(atoms.ground, atoms.state(position), position.turn, genomes, turns, room, terms)
        if wrong >= 0:
            sys.exit(f"{name}: the genome {genomes[wrong].tolist()} became no legal turn in {position}")
        mended += room.tally[MENDED]
        lengths += turns[:, 0].tolist()
        for i in range(0, n, by_rules) if atoms.whole else ():
            turn = [int(m) for m in turns[i, 1 : 1 + turns[i, 0]]]
            position.play(atoms.text(position, turn))  # raises where it is illegal
            played += 1
    told = f", {played:,} of them played by the rules as whole moves" if played else ""
    print(
        f"{name}, {mending} mending: {number:,} genomes in {len(places)} positions, {mended:,.0f} genes mended, turns of "
        f"{min(lengths)} to {max(lengths)} decisions: all legal{told} ({time.monotonic() - began:.0f} s)",
        flush=True,
    )


def decisions(atoms: Any, places: list[Any], ask: Any) -> NDArray[np.int64]:
    """The decisions that are listed at the beginning of a turn in any of the positions."""
    found: set[int] = set()
    for position in places:
        out = np.zeros(atoms.most_moves, np.int64)
        n = ask(atoms.ground, atoms.state(position), position.turn, out)
        found.update(out[:n].tolist())
    return np.array(sorted(found))


def main() -> None:
    parser = argparse.ArgumentParser(description="Whatever stands in a genome, what is carried out is a legal turn.")
    parser.add_argument("--only", default=",".join(GAMES), help="which games")
    parser.add_argument("--genomes", type=int, default=100_000, help="of each game")
    parser.add_argument("--mending", default="random", choices=tuple(MENDINGS))
    parser.add_argument("--by-rules", type=int, default=500, help="of Minions: one in so many is played by the rules")
    given = parser.parse_args()
    for name in given.only.split(","):
        if name not in GAMES:
            sys.exit(f"there is no game {name!r} here; there are {', '.join(GAMES)}")
        check(name, given.genomes, given.mending, given.by_rules)


if __name__ == "__main__":
    main()
