"""Minions by profile and map: the varied script against itself on one board, one point to win. Lengths, winners, spells cast.

    python -m benchmarks.experiments.minions_selfplay --write

With spells and tiles that act the script runs in the interpreter: all maps of both profiles take some minutes of one core.
"""

from __future__ import annotations

import statistics
from collections import Counter

from benchmarks.experiments import Result, Task, arguments, parts, publish, run
from stratagem.games.minions import GameConfig, GameState
from stratagem.games.minions.config import profile_of
from stratagem.games.minions.spells import spells
from stratagem.games.minions.wizard import scripted_turn
from stratagem.rng import generator

NAME, PAGE = "minions_selfplay", "games/minions.md"
PROFILES = ("spooky", "server", "book")
PLIES = 300  # after which a game is a draw
EACH = 10  # games of a part
ACTS = ("teleport", "rise", "ability", "discard")
COLUMNS = 4  # of the table of spells


def play(profile: str, name: str, first: int, games: int) -> Result:
    """Games by the seeds first .. first + games - 1."""
    config = GameConfig.make((name,), profile=profile, points=1)
    lengths, winners, casts, acts = [], Counter[str](), Counter[str](), Counter[str]()
    for seed in range(first, first + games):
        state, rng = GameState.start(config), generator(seed)
        while state.winner is None and state.ply <= PLIES:
            state = state.dealt(rng)
            turn = scripted_turn(state, rng, wild=True)
            state = state.play(turn)
            for action in turn.boards[0]:
                if action.kind == "cast" and action.spell is not None:
                    casts[action.spell.key] += 1
                elif action.kind in ACTS:
                    acts[action.kind] += 1
        lengths.append(state.ply)
        winners["drawn" if state.winner is None else ("Yellow", "Blue")[state.winner]] += 1
    return {"lengths": lengths, "winners": winners, "casts": casts, "acts": acts}


def row(name: str, results: list[Result]) -> str:
    lengths = [n for result in results for n in result["lengths"]]
    games = len(lengths)
    totals: dict[str, Counter[str]] = {
        field: sum((Counter(result[field]) for result in results), Counter()) for field in ("winners", "casts", "acts")
    }
    acts = ", ".join(f"{kind} {totals['acts'][kind] / games:.1f}" for kind in ACTS if totals["acts"][kind])
    middle, longest = statistics.median(lengths), max(lengths)
    won, drawn = totals["winners"]["Yellow"], totals["winners"]["drawn"]
    return f"| {name} | {games} | {middle:.0f}, {longest} | {won} | {drawn} | {totals['casts'].total() / games:.1f} | {acts} |"


def casts_table(cast: Counter[str]) -> list[str]:
    """How often each spell was cast, by columns of falling numbers; and what of the deck never was."""
    never = [f"`{spell.key}`" for spell in spells() if spell.copies and not cast[spell.key]]
    cells = [f"`{key}` | {n}" for key, n in cast.most_common()]
    rows = -(-len(cells) // COLUMNS)
    cells += [" | "] * (rows * COLUMNS - len(cells))
    return [
        f"Never cast: {', '.join(never)}." if never else "Every spell of the deck was cast, so often:",
        "",
        f"| {' | '.join(['spell | casts'] * COLUMNS)} |",
        "|---|---" * COLUMNS + "|",
        *(f"| {' | '.join(cells[row::rows])} |" for row in range(rows)),
    ]


def main() -> None:
    parser = arguments(NAME, "self-play of the script on every map", games=20)
    given = parser.parse_args()
    tasks: list[Task] = [
        (profile, name, first, count)
        for profile in PROFILES
        for name in profile_of(profile).maps
        for first, count in parts(given.games, EACH)
    ]
    found = run(play, tasks, given)
    for profile in PROFILES:
        lines = [
            f"| `{profile}`: map | games | plies (median, most) | Yellow won | drawn | casts a game | other acts a game |",
            "|---" * 7 + "|",
        ]
        cast: Counter[str] = Counter()
        for name in profile_of(profile).maps:
            results = [result for task, result in found.items() if task[:2] == (profile, name)]
            if results:
                lines.append(row(name, results))
                cast += sum((Counter(result["casts"]) for result in results), Counter())
        if profile_of(profile).switches.spells:
            lines += ["", *casts_table(cast)]
        publish(f"self play {profile}", PAGE, lines, given.write)


if __name__ == "__main__":
    main()
