"""Clicks that a turn of Minions takes on the page, by the rules of `plan.js`: pointing at every place of every part, and with
the walk from unit to unit. Turns are the engine's own.

    python -m benchmarks.clicks [TURNS] [SECONDS A TURN]
"""

from __future__ import annotations

import sys
from statistics import median

import stratagem
from stratagem.contract.growing import GrowingPlan
from stratagem.games.minions.game import MinionsPosition
from stratagem.games.minions.turn import GameTurn

Offer = dict[str, tuple[str, ...]]  # parts with the places that they are about


def offered(position: MinionsPosition, prefix: list[str], shortcuts: bool) -> tuple[Offer, tuple[str, ...]]:
    """What may come next with its places, and what stays pointed at."""
    plan = GrowingPlan(position, position.turn, tuple(prefix))
    game, following = position.game, plan.following
    more = game.shortcuts(position, prefix, following) if shortcuts else ()
    parts = {part: game.places(position, part, position.turn) for part in (*following.next, *more)}
    return parts, game.held(position, prefix, following) if shortcuts else ()


def fitting(parts: Offer, places: tuple[str, ...]) -> list[str]:
    """The parts that go on from the places pointed at, as `goesOn` of plan.js."""

    def goes_on(about: tuple[str, ...]) -> bool:
        rest = iter(about)
        return all(place in rest for place in places)

    return [part for part, about in parts.items() if goes_on(about)]


def clicks(parts: Offer, wanted: str, pointed: tuple[str, ...]) -> int:
    """Clicks for one part, when some places are pointed at already; one more where a list is left to choose from."""
    about = parts[wanted]
    if not about:
        return 1
    at = pointed if about[: len(pointed)] == pointed else ()
    done = 0
    for place in about[len(at) :]:
        at, done = (*at, place), done + 1
        left = fitting(parts, at)
        if len(left) == 1 and set(about) <= set(at):
            return done
    return done + 1


def before(position: MinionsPosition, turn: list[str]) -> int:
    """Every part by its places, and Commit."""
    found = 1
    for k, part in enumerate(turn):
        parts, _ = offered(position, turn[:k], False)
        found += clicks(parts, part, ()) if part in parts else 1 + len(part.split()) - 2
    return found


def now(position: MinionsPosition, turn: list[str]) -> int:
    """With the walk: the unit that comes next is pointed at, so that a part takes its goal alone; whoever stays is passed over by
    pointing at another one. Bought units are put down at once, and one more of the same in one click."""
    left, prefix, found, pointed = list(turn), [], 2, ()
    while left:
        parts, held = offered(position, prefix, True)
        pairs = [
            (f"{one};{two}", one, two) for one in left for two in left
            if one.split()[2:3] == ["buy"] and two.split()[:4] == [*one.split()[:2], "spawn", one.split()[3]]
        ]  # fmt: skip
        short = next((pair for pair in pairs if pair[0] in parts), None)
        pointed = held
        spawn = next((p for p in left if p in parts and pointed and parts[p][: len(pointed)] == pointed), None)
        if spawn is not None:
            part, taken = spawn, [spawn]
        elif short is not None:
            part, taken = short[0], list(short[1:])
        else:
            part = next((p for p in left if p in parts), left[0])
            taken = [part]
        if part not in parts:
            found += 1 + len(part.split()) - 2  # a longer cycle, which is typed
        else:
            acting = part.split()[2:3] in (["move"], ["attack"]) and not pointed
            mover = parts[part][:1] if acting else pointed
            # the walk goes on to the next unit in order; one click where the turn takes another one
            found += clicks(parts, part, mover)
            if acting:
                last = next((p for p in reversed(prefix) if p.split()[2:3] in (["move"], ["attack"])), "")
                passed = [
                    about[0] for p, about in parts.items()
                    if p.split()[2:3] in (["move"], ["attack"]) and p.split()[:2] == part.split()[:2] and not any(
                        about[0] == parts[q][0] for q in left if q in parts and len(parts[q]) > 1)
                ]  # fmt: skip
                found += bool(set(passed)) and bool(last) and not _follows(parts, last, part)
        prefix += taken
        for p in taken:
            left.remove(p)
    return found


def _follows(parts: Offer, last: str, part: str) -> bool:
    """Whether the unit of a part is the next one of the page's order after the one that has acted."""
    actors = list(dict.fromkeys(about[0] for about in parts.values() if len(about) > 1))
    return actors.index(parts[part][0]) == 0 if parts[part][0] in actors else False


def main(turns: int = 8, seconds: float = 1.0) -> None:
    game = stratagem.game("minions")
    position, engine = game.start(), stratagem.player(game, "medium", seed=1)
    rows = []
    for k in range(turns):
        choice = engine.choose(position, stratagem.Clock(seconds))
        parts = GameTurn.parse(choice.move, game.config.boards).parts()
        rows.append((before(position, parts), now(position, parts)))
        print(
            f"turn {k + 1}: {len(parts)} parts, {rows[-1][0]} clicks by pointing, {rows[-1][1]} with the walk",
            flush=True,
        )
        position = position.play(choice.move)
        if position.over:
            break
    first, second = ([row[i] for row in rows] for i in (0, 1))
    print(
        f"median: {median(first):g} by pointing, {median(second):g} with the walk; 'finish the rest for me': 2 at the least"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8, float(sys.argv[2]) if len(sys.argv) > 2 else 1.0)
