"""The best assignment of units to hexes: the Hungarian method by shortest augmenting paths (Jonker and Volgenant 1987)."""

from __future__ import annotations

from stratagem.games.minions.engine.scratch import COLUMNS, Posts

LOWEST = -1e6  # a score below which nothing is considered: the unit cannot be there
FAR = 1e18


def assign(n: int, columns: int, posts: Posts) -> None:
    """Give each of n rows of `posts.score` a column of its own, into `posts.to`, so that the sum of scores is greatest.

    Every row must have a column that can be its own whatever the others take; a unit that may stay has one.
    """
    score, to = posts.score, posts.to
    # potentials of rows and of columns, the shortest way to each column so far
    rows, cols, least = 0, n + 1, n + 1 + columns + 1
    taken, via, seen, which = 0, columns + 1, 2 * (columns + 1), 3 * (columns + 1)
    for j in range(columns):  # most hexes are out of everybody's reach: they are left out
        posts.match[seen + j] = 0
    for i in range(n):
        for j in range(columns):
            posts.match[seen + j] |= int(score[i * COLUMNS + j] > LOWEST)
    count = 0
    for j in range(columns):
        if posts.match[seen + j] == 1:
            count += 1
            posts.match[which + count] = j
    columns = count
    for i in range(n + 1):
        posts.duals[rows + i] = 0.0
    for j in range(columns + 1):
        posts.duals[cols + j] = 0.0
    for j in range(columns + 1):
        posts.match[taken + j] = 0
    for i in range(1, n + 1):
        posts.match[taken] = i
        j0 = 0
        for j in range(columns + 1):
            posts.duals[least + j] = FAR
            posts.match[seen + j] = 0
        while posts.match[taken + j0] != 0:
            posts.match[seen + j0] = 1
            i0 = posts.match[taken + j0]
            delta, j1 = FAR, 0
            base = (i0 - 1) * COLUMNS
            for j in range(1, columns + 1):
                if posts.match[seen + j] == 0:
                    cost = -score[base + posts.match[which + j]] - posts.duals[rows + i0] - posts.duals[cols + j]
                    if cost < posts.duals[least + j]:
                        posts.duals[least + j] = cost
                        posts.match[via + j] = j0
                    if posts.duals[least + j] < delta:
                        delta = posts.duals[least + j]
                        j1 = j
            for j in range(columns + 1):
                if posts.match[seen + j] == 1:
                    posts.duals[rows + posts.match[taken + j]] += delta
                    posts.duals[cols + j] -= delta
                else:
                    posts.duals[least + j] -= delta
            j0 = j1
        while j0 != 0:
            j1 = posts.match[via + j0]
            posts.match[taken + j0] = posts.match[taken + j1]
            j0 = j1
    for i in range(n):
        to[i] = -1
    for j in range(1, columns + 1):
        i = posts.match[taken + j]
        if i != 0:
            to[i - 1] = posts.match[which + j]
