"""Who holds a process or a file: it is closed by hand, at the end of a `with`, or when nobody has its holder any more."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    @abstractmethod
    def close(self) -> None:
        """Let go of it; a second time does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.close()
