"""Games on paper and in a database: records that replay. `open_store` opens a database by its address."""

from __future__ import annotations

import os
from pathlib import Path

from stratagem.store.records import Records

__all__ = ["POSTGRES", "Records", "open_store"]

POSTGRES = ("postgresql://", "postgres://")


def open_store(address: str | Path | None = None, *, create: bool = True) -> Records:
    """The store of an address: `postgresql://USER@HOST/DATABASE`, or a file, which is SQLite; the user's own if left out."""
    named = str(address) if address is not None else os.environ.get("STRATAGEM_STORE", "")
    if named.startswith(POSTGRES):
        from stratagem.store.postgres import PostgresStore  # an extra that most people do not need

        return PostgresStore(named, create=create)
    from stratagem.store.sqlite import Store

    return Store(address, create=create)
