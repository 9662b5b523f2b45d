"""Options of a game: what one is, and how a value is checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stratagem.errors import OptionError
from stratagem.numbers import real, whole


@dataclass(frozen=True)
class Option:
    """One option of a game; the command line and the web build their flags and forms from these."""

    name: str
    default: Any
    help: str
    choices: tuple[Any, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    kind: type | None = (
        None  # int, float, bool, str, or tuple (comma-separated integers); the default's own type if None
    )
    outside: bool = False  # its value names a file: taken on the command line, refused from the web

    @property
    def type(self) -> type:
        """The type of the value: `kind`, or the type of the default."""
        return self.kind or type(self.default)

    def check(self, value: Any) -> Any:
        """Return a value in the option's own type.

        Args:
            value: the value, which may be a text.

        Raises:
            OptionError: the value does not fit; the message says what would.
        """
        if value is None and self.default is None:
            return None
        try:
            if self.type is tuple:
                items = value.split(",") if isinstance(value, str) else value
                value = tuple(whole(item) for item in items)
            elif self.type is bool and isinstance(value, str):
                value = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[value.lower()]
            elif self.type in (int, float):
                value = whole(value) if self.type is int else real(value)
            else:
                value = self.type(value)
        except (ValueError, KeyError, TypeError):
            expected = {"tuple": "whole numbers with commas between", "int": "a whole number", "float": "a number"}
            raise OptionError(
                f"option {self.name} is {value!r}; it takes {expected.get(self.type.__name__, 'a ' + self.type.__name__)}"
            ) from None
        if self.choices and value not in self.choices:
            raise OptionError(f"option {self.name} is {value!r}; it is one of {', '.join(map(str, self.choices))}")
        for item in value if isinstance(value, tuple) else (value,):
            if (self.minimum is not None and item < self.minimum) or (self.maximum is not None and item > self.maximum):
                if self.maximum is None:
                    bounds = f"at least {self.minimum:g}"
                elif self.minimum is None:
                    bounds = f"at most {self.maximum:g}"
                else:
                    bounds = f"from {self.minimum:g} to {self.maximum:g}"
                raise OptionError(f"option {self.name} is {item!r}; it goes {bounds}")
        return value
