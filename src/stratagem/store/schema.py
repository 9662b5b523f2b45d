"""The tables, version by version, as text for both databases.

A store of an older version is brought to the present one when it is opened, in one transaction; one of a newer version is
refused. A version that was ever released is never edited: what changes is added as the next one.
"""

from __future__ import annotations

from dataclasses import dataclass

_FIRST = """
CREATE TABLE matches(
    id {id}, name TEXT NOT NULL UNIQUE, config TEXT NOT NULL, at {real} NOT NULL);
CREATE TABLE games(
    id {id}, key TEXT UNIQUE, match {int} REFERENCES matches(id), number {int},
    game TEXT NOT NULL, options TEXT NOT NULL, origin TEXT, seats TEXT NOT NULL, seed {int} NOT NULL,
    meta TEXT, at {real} NOT NULL, UNIQUE(match, number));
CREATE TABLE moves(
    game {int} NOT NULL REFERENCES games(id), n {int} NOT NULL, ply {int} NOT NULL, seat {int}, text TEXT,
    seconds {real}, note TEXT, at {real} NOT NULL, PRIMARY KEY(game, n)){keyed};
CREATE TABLE decisions(
    game {int} NOT NULL REFERENCES games(id), n {int} NOT NULL, seat {int} NOT NULL, text TEXT NOT NULL,
    seconds {real}, at {real} NOT NULL, PRIMARY KEY(game, n, seat)){keyed};
CREATE TABLE results(
    game {int} NOT NULL REFERENCES games(id), n {int} NOT NULL, payoff TEXT NOT NULL, reason TEXT NOT NULL,
    seat {int}, detail TEXT NOT NULL, at {real} NOT NULL, PRIMARY KEY(game, n)){keyed};
CREATE TABLE notes(
    id {id}, game {int} NOT NULL REFERENCES games(id), data TEXT NOT NULL, at {real} NOT NULL);
CREATE INDEX notes_of_game ON notes(game);
"""

_CLAIMS = """
CREATE TABLE claims(
    game {int} NOT NULL REFERENCES games(id), seat {int} NOT NULL, token TEXT NOT NULL, at {real} NOT NULL,
    PRIMARY KEY(game, seat)){keyed};
"""


@dataclass(frozen=True)
class Version:
    """What a version added: its text, and which of its tables only ever grow."""

    text: str
    tables: tuple[str, ...]


VERSIONS = (
    Version(_FIRST, ("matches", "games", "moves", "decisions", "results", "notes")),
    Version(_CLAIMS, ("claims",)),
)
NOW = len(VERSIONS)
TABLES = tuple(table for version in VERSIONS for table in version.tables)  # in an order that references allow
