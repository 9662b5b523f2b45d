"""The slow and obvious side of drafts: the rules by their words, exact play by full recursion."""

from __future__ import annotations

import random

from stratagem.plans.draft import PASS, Draft, Node, round_robin, snake


def ranked(draft: Draft, node: Node, i: int) -> list[int]:
    """Legal free items of player i, best first: own worth, then least contested, then index."""

    def key(x: int) -> tuple[float, float, int]:
        contest = sum(draft.worths[j][x] for j in range(draft.players) if j != i)
        return (-round(draft.worths[i][x], 9), round(contest, 9), x)

    return sorted((x for x in draft.free(node) if draft.fits(node, i, x)), key=key)


def kth_pick(draft: Draft, node: Node, ascending: bool = False) -> int:
    i = draft.order[node.turn]
    r = sum(1 for u in range(node.turn, draft.turns) if draft.order[u] == i)
    L = ranked(draft, node, i)
    if not L:
        return PASS
    if ascending:
        k = 1
        while k < min(r, len(L)) and gets_all(draft, set(L[:k]), i, draft.apply(node, L[k]), True):
            k += 1
        return L[k - 1]
    for k in range(min(r, len(L)) - 1, 0, -1):
        if gets_all(draft, set(L[:k]), i, draft.apply(node, L[k])):
            return L[k]
    return L[0]


def gets_all(draft: Draft, wanted: set[int], i: int, node: Node, ascending: bool = False) -> bool:
    wanted = set(wanted)
    while wanted:
        if node.turn == draft.turns:
            return False
        p = kth_pick(draft, node, ascending)
        if p in wanted:
            if draft.order[node.turn] != i:
                return False
            wanted.remove(p)
        node = draft.apply(node, p)
    return True


def best(draft: Draft, node: Node, seats: set[int] | None = None) -> tuple[tuple[int, ...], Node]:
    """Exact play: picks to the end and the final node; seats not in `seats` take their best free item."""
    if node.turn == draft.turns:
        return (), node
    i = draft.order[node.turn]
    options = ranked(draft, node, i) or [PASS]
    if seats is not None and i not in seats:
        options = options[:1]
    found = None
    for x in options:
        picks, end = best(draft, draft.apply(node, x), seats)
        value = round(draft.total(i, end.owned[i]), 6)
        if found is None or value > found[0]:
            found = (value, (x, *picks), end)
    assert found is not None
    return found[1], found[2]


def random_draft(rng: random.Random, players: int, items: int, *, limits: bool = False, ties: bool = True) -> Draft:
    turns = rng.choice([items, items, max(1, items - rng.randrange(3))])
    order = rng.choice(
        [
            round_robin(players, turns),
            snake(players, turns),
            tuple(rng.randrange(players) for _ in range(turns)),
        ]
    )
    if ties:
        worths = [[rng.randrange(6) for _ in range(items)] for _ in range(players)]
    else:
        worths = [[rng.random() for _ in range(items)] for _ in range(players)]
    names = tuple(f"i{x}" for x in range(items))
    if not limits:
        return Draft(names, worths, order)  # type: ignore[arg-type]
    positions = tuple(rng.choice("ABC") for _ in range(items))
    while True:
        chosen = {p: rng.randrange(1, 4) for p in sorted(set(positions)) if rng.random() < 0.7}
        try:
            return Draft(names, worths, order, positions, chosen)  # type: ignore[arg-type]
        except ValueError:
            order = order[:-1]
