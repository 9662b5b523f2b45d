"""Clicks that a turn of Minions takes on the page, by the rules of `plan.js`: pointing at every place of every part, and with
the walk from unit to unit, by somebody who knows the turn. Turns are the engine's own.

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


class Walk:
    """From unit to unit, as `Walk` of steps.js; nobody is passed over by hand here."""

    def __init__(self) -> None:
        self.on = False
        self.before: list[str] = []
        self.at: tuple[str, ...] = ()

    def go(self, actors: list[str], last: str | None) -> tuple[str, ...]:
        known = self.before or actors
        since = known.index(last) + 1 if last in known else 0
        found = next((unit for unit in [*known[since:], *known[:since], *actors] if unit in actors), None)
        self.before, self.at = actors, () if found is None else (found,)
        self.on = found is not None
        return self.at

    def goes(self, parts: Offer, actors: list[str], wanted: str) -> bool:
        """Whether a click on where a part leads is enough, since the next unit that can go there is its own."""
        if not self.on or not self.at or self.at[0] not in actors:
            return False
        goal = parts[wanted][-1]
        since = actors.index(self.at[0])
        order = [*actors[since:], *actors[:since]]
        return next((unit for unit in order if fitting(parts, (unit, goal))), None) == parts[wanted][0] and (
            len(fitting(parts, (parts[wanted][0], goal))) == 1
        )


def acts(part: str) -> bool:
    return part.split()[2:3] in (["move"], ["attack"], ["move_cyclic"])


def now(position: MinionsPosition, turn: list[str]) -> int:
    """With the walk, by somebody who takes the units in its order where that is possible, then buys and spawns: several parts
    that are offered as one take the clicks of one."""
    left, prefix, found, pointed, walk = list(turn), [], 1, (), Walk()
    while left:
        parts, _ = offered(position, prefix, True)
        actors = list(dict.fromkeys(about[0] for part, about in parts.items() if acts(part) and len(about) > 1))
        ways = []  # (rank, clicks, parts taken, how it is offered)
        for part in parts:
            taken = part.split(";")
            if any(one not in left for one in taken):
                continue
            about, cost = parts[part], clicks(parts, part, pointed)
            if acts(part) and walk.goes(parts, actors, part):
                cost = 1
            rank = 0 if not about and " buy " not in part else 1 if acts(part) else 2 if len(taken) > 1 else 3
            rank += 2 * (" spawn " in taken[0] and cost > 1)  # whoever waits is pointed at after the last purchase
            ahead = (
                (actors.index(about[0]) - actors.index(pointed[0])) % len(actors)
                if (acts(part) and pointed and pointed[0] in actors and about[0] in actors)
                else 0
            )
            ways.append((rank + (" buy " in part and len(taken) == 1), cost - len(taken), ahead, cost, taken, part))
        if not ways:
            found += 1 + len(left[0].split()) - 2  # a longer cycle, which is typed
            prefix.append(left.pop(0))
            pointed = ()
            continue
        _, _, _, cost, taken, part = min(ways, key=lambda way: way[:4])
        if acts(part) and not walk.before:
            pointed, found = walk.go(actors, None), found + 1
            continue
        found += cost
        acted = parts[part][0] if parts[part] else None
        prefix += taken
        for one in taken:
            left.remove(one)
        after, held = offered(position, prefix, True)
        able = list(dict.fromkeys(about[0] for one, about in after.items() if acts(one) and len(about) > 1))
        if held and fitting(after, held):
            walk.at = pointed = held
        elif walk.on:
            pointed = walk.go(able, acted if acted in walk.before else walk.at[0] if walk.at else None)
        else:
            pointed = ()
    return found


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
