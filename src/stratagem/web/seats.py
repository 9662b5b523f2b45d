"""What people sit at, a table or a draft room: who holds which seat, who follows it, and the store that it is written to.

A seat is held by whoever has its token; only hashes are kept. Everything is in the store before it counts.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from stratagem.store import Records
from stratagem.store.stored import Conflict, StoredGame, StoreError
from stratagem.web.refusals import Forbidden, NotFound, Outdated

MOST_KEYS = 20  # tokens that open a seat besides its own
PERSON = "person"  # in `seats` of the store; anything else names an engine, or the model of a bot


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def new_token() -> str:
    return secrets.token_urlsafe(24)


def kept(store: Records, key: str, kind: str) -> StoredGame:
    """What the store has under a key, if it is of that kind."""
    try:
        found = store.game(store.find(key))
    except StoreError as error:
        if type(error) is not StoreError:
            raise  # it may be there, but cannot be read now
        found = None
    if found is None or kind not in found.meta:
        called = "game" if kind == "web" else kind
        raise NotFound(f"there is no {called} {key!r} here; the link may be incomplete")
    return found


class Seated(ABC):
    """One game or draft under way. All methods may be called from any thread."""

    kind: str  # in the store's metadata: what tells tables, rooms and games of matches apart

    def __init__(self, store: Records, key: str) -> None:
        self.store, self.key = store, key
        self.found = kept(store, key, self.kind)
        self.number = self.found.id
        self.lock = threading.RLock()
        self.listeners: set[Callable[[], None]] = set()
        self.looking: dict[Callable[[], None], int | None] = {}  # the seats of those who follow it; None: a spectator
        self._views: dict[int | None, dict[str, Any]] = {}  # as each seat sees it, until something changes
        self.take_seats(self.found)

    def take_seats(self, found: StoredGame) -> None:
        """Know who holds which seat, as the store says."""
        # counts what the store was given, so that it is the same in every process, and after a server was started again
        self.version = found.changes
        self.tokens: dict[str, str] = {  # seat: hash of its token
            **found.meta.get("tokens", {}),
            **{str(seat): token for seat, token in found.claims.items()},
        }
        self.keys: dict[str, int] = found.meta.get(
            "keys", {}
        )  # hashes of tokens that open a seat besides its own: the seats
        self.invited: dict[str, str] = found.meta.get("invitations", {})  # seat: hash of its invitation
        self.invitations = {
            seat: known for seat, known in self.invited.items() if int(seat) not in found.claims
        }  # open ones

    @abstractmethod
    def reload(self) -> None:
        """Be as the store says, for somebody else was quicker."""

    @abstractmethod
    def snapshot(self, seat: int | None) -> dict[str, Any]:
        """All that a seat (None: a spectator) is shown, made anew."""

    @contextmanager
    def writing(self, rows: int = 1) -> Iterator[None]:
        """Count the rows that are written; if somebody else was quicker, look again and say so."""
        try:
            yield
        except Conflict:
            self.reload()
            raise Outdated("somebody else was quicker, and the game has moved on: look again") from None
        self.version += rows

    # -- seats

    def seat_of(self, token: str | None) -> int | None:
        """The seat that a token opens; None for a spectator, who has none."""
        if not token:
            return None
        given = digest(token)
        for known, seat in [*((known, int(seat)) for seat, known in self.tokens.items()), *self.keys.items()]:
            if hmac.compare_digest(given, known):
                return seat
        raise Forbidden("this token opens no seat here")

    def open_with(self, token: str, seat: int) -> None:
        """Let a token open a seat besides those that do already, of which the last ones stay."""
        with self.lock, self.writing():
            self.keys = dict([*self.keys.items(), (digest(token), seat)][-MOST_KEYS:])
            self.store.annotate(self.number, keys=self.keys)

    def join(self, invitation: str, token: str | None = None) -> tuple[int, str]:
        """The seat of an invitation and its new token; an invitation works once, and again for whoever chose the token."""
        given, chosen = digest(invitation), token or new_token()
        with self.lock:
            for seat, known in self.invited.items():
                if hmac.compare_digest(given, known):
                    if seat in self.invitations:
                        with suppress(Outdated), self.writing():  # somebody else, or the same one elsewhere
                            self.store.claim(self.number, int(seat), digest(chosen))
                            self.tokens = {**self.tokens, seat: digest(chosen)}
                            self.invitations = {s: h for s, h in self.invitations.items() if s != seat}
                        self.changed()
                    if hmac.compare_digest(self.tokens.get(seat, ""), digest(chosen)):
                        return int(seat), chosen
        raise Forbidden("this invitation has been used, or was never given out")

    def held(self) -> dict[str, dict[str, str]]:
        """Hashes of what opens each seat: tokens, and invitations that nobody has used."""
        return {"tokens": self.tokens, "invitations": self.invitations}

    # -- who follows it

    def shown(self, seat: int | None) -> dict[str, Any]:
        """All that a seat is shown, with what is true of this moment alone."""
        return self.seen(seat)

    def seen(self, seat: int | None) -> dict[str, Any]:
        """What a seat is shown, made once for all who look as that seat, until something changes."""
        with self.lock:
            found = self._views.get(seat)
            if found is None:
                found = self._views[seat] = self.snapshot(seat)
            return found

    def listen(self, ring: Callable[[], None], seat: int | None = None) -> None:
        with self.lock:
            self.listeners.add(ring)
            self.looking[ring] = seat
            self.changed(but=ring)

    def leave(self, ring: Callable[[], None]) -> None:
        with self.lock:
            self.listeners.discard(ring)
            self.looking.pop(ring, None)
            self.changed(but=ring)

    def changed(self, but: Callable[[], None] | None = None) -> None:
        """Tell all who follow it, or all but one who knows."""
        self._views.clear()
        for ring in list(self.listeners):
            if ring is not but:
                ring()


def opened(people: list[int]) -> tuple[dict[int, str], dict[int, str], dict[str, Any]]:
    """The token of the first person's seat, invitations for the others', and their hashes for the store."""
    tokens = {seat: new_token() for seat in people[:1]}
    invitations = {seat: new_token() for seat in people[1:]}
    hashes = {
        "tokens": {str(seat): digest(token) for seat, token in tokens.items()},
        "invitations": {str(seat): digest(token) for seat, token in invitations.items()},
    }
    return tokens, invitations, hashes
