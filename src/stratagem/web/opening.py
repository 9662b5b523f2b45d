"""The tables of a store, opened as the store allows: alone, or beside other processes that serve the same games."""

from __future__ import annotations

from collections.abc import Callable

from stratagem.store import Records
from stratagem.web.catalogue import Catalogue
from stratagem.web.engines import Engines
from stratagem.web.tables import Tables


def open_tables(
    store: Records, pool: Engines, catalogue: Catalogue, *, workers: int, kept: int = 1000
) -> tuple[Tables, Callable[[], None]]:
    """The tables, and what closes them with the pool. Where several processes serve, questions to engines wait in the store,
    `workers` of them are answered here at a time, and what the others change is heard of."""
    if not store.shared:
        return Tables(store, pool, catalogue, kept=kept), pool.close
    from stratagem.store.postgres import PostgresStore
    from stratagem.store.queue import Queue
    from stratagem.web.dispatch import Dispatcher

    assert isinstance(store, PostgresStore)
    queue = Queue(store)
    tables = Tables(store, pool, catalogue, kept=kept, queue=queue)
    dispatcher = Dispatcher(tables, queue, workers)

    def heard(game: int | None) -> None:
        dispatcher.wake()
        tables.heard(game)

    stop_following = store.follow(heard)

    def close() -> None:
        stop_following()
        pool.close()
        dispatcher.close()
        tables.close()

    return tables, close
