"""Games from one store into another: between SQLite and PostgreSQL, or two of a kind."""

from __future__ import annotations

from collections.abc import Callable

from stratagem.store.records import Records
from stratagem.store.stored import Conflict


def copy(
    source: Records, target: Records, *, watch: Callable[[int, int], None] = lambda done, here: None
) -> tuple[int, int]:
    """Copy every game with all rows it ever had, one transaction a game; how many were copied, and how many were there.

    Games are known by their key or by their number in a match of the same name, so a copy that was interrupted goes on when
    it is asked for again. A game that went on in one of the two since is left as it is.
    """
    known = {match.name: match for match in target.matches()}
    matches: dict[int | None, int | None] = {None: None}
    for match in source.matches():
        other = known.get(match.name) or target.open_match(match.name, match.config)
        if other.config != match.config:
            raise Conflict(f"match {match.name!r} has other terms in {target.address}; nothing of it was copied")
        matches[match.id] = other.id
    done = here = 0
    for game in source.ids():
        rows = source.rows(game)
        match_id = matches[rows["games"][0][2]]
        if target.has(match_id, rows):
            here += 1
        else:
            target.insert_rows(match_id, rows)
            done += 1
        watch(done, here)
    return done, here
