"""A table on standard error that commands draw again while they work."""

from __future__ import annotations

from typing import Self

from rich.console import Console
from rich.live import Live


class LiveScreen:
    """How far long work is, on standard error: drawn again and again on a terminal, elsewhere a line now and then."""

    def __init__(self) -> None:
        self.console = Console(stderr=True, highlight=False)
        self.live = Live(console=self.console, transient=True, auto_refresh=False) if self.console.is_terminal else None

    def __enter__(self) -> Self:
        if self.live:
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self.live:
            self.live.stop()
