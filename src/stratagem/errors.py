"""Every error that a user's input can cause is a StratagemError: one line, what is wrong and what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class StratagemError(Exception):
    """The family: the command line prints its message in one line and exits with status 2."""


class ParseError(StratagemError, ValueError):
    """Text that is not a position, a move or a record."""


class IllegalMove(StratagemError, ValueError):
    """A move that the rules do not allow here."""


class OptionError(StratagemError, ValueError):
    """An option of a game, a player or a search that is unknown or out of range."""


class UnknownName(StratagemError, ValueError):
    """A game, player or engine that does not exist; the message names the nearest ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        known = sorted(known)
        self._arguments = kind, name, known
        near = get_close_matches(name, known, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(known)}"
        super().__init__(f"unknown {kind} {name!r}; {hint}")

    def __reduce__(self) -> tuple[type[UnknownName], tuple[str, str, list[str]]]:
        """From its arguments, not from its message: a worker process that cannot hand its error on leaves its pool waiting."""
        return UnknownName, self._arguments


class Untrusted(StratagemError):
    """Data, such as a saved game, that would run code or a program if it were used; whoever trusts it says so."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what}; a file from elsewhere could run anything that way: add --trust (in Python trust=True) if you trust it"
        )


class GameOver(StratagemError):
    """Something was asked of a finished game that needs a move to be made."""


class NotOver(StratagemError, AttributeError):
    """A payoff was asked for before the end; an AttributeError too, so that `hasattr(position, "payoff")` is False."""


class Unlistable(StratagemError):
    """The moves are too many to list; `sample` or `parts` gives them one at a time."""


class MissingKernel(StratagemError):
    """A search needs a kernel that the game does not give."""


class UnsuitableSearch(StratagemError):
    """A search was asked about a kind of game that it cannot handle; the message names one that can."""


class CompileError(StratagemError):
    """A kernel or template uses something that cannot be specialised."""
