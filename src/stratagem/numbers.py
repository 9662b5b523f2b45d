"""Numbers that come from outside: from a web request, a file, a position's text or the command line.

Python's own readers do any amount of work that a short text asks for: `Fraction("1e400000000")` never returns. These three
refuse such a text before they compute anything. Each raises a `ParseError`, which is a ValueError too; a caller that knows
where the number stood says so in its own words.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from stratagem.errors import ParseError

LONGEST = 60  # characters of a number
LARGEST_EXPONENT = 30  # of ten
LARGEST = 10**40  # of a numerator and of a denominator
LARGEST_WHOLE = 2**63 - 1

_FRACTION = re.compile(r"[-+]?(\d+/\d+|(\d+\.?\d*|\.\d+)(e(?P<exponent>[-+]?\d{1,4}))?)", re.IGNORECASE | re.ASCII)
_WHOLE = re.compile(r"[-+]?\d+", re.ASCII)


def fraction(value: object) -> Fraction:
    """The exact number of a text such as `2`, `0.5`, `1e-3` or `1/3`, of an int, a float or a Fraction.

    A float counts as the shortest decimal that reads back as it: 0.1 is 1/10.

    Raises:
        ParseError: if it is no number, or has over 60 characters, an exponent beyond 30, or a numerator or denominator
            above 10^40.
    """
    if isinstance(value, int | Fraction):
        found = Fraction(value)
    else:
        text = _text(value)
        match = _FRACTION.fullmatch(text)
        if match is None:
            raise ParseError(f"{text!r} is no number; write one such as 2, 0.5 or 1/3")
        if abs(int(match["exponent"] or 0)) > LARGEST_EXPONENT:
            raise ParseError(f"{text!r} has an exponent beyond {LARGEST_EXPONENT}")
        try:
            found = Fraction(text)
        except ZeroDivisionError:
            raise ParseError(f"{text!r} divides by zero") from None
    if abs(found.numerator) > LARGEST or found.denominator > LARGEST:
        raise ParseError("a number is too large or too fine; numerator and denominator go up to 10^40")
    return found


def whole(value: object) -> int:
    """The whole number of a text, an int, or a float without a fraction; all fit 64 bits.

    Raises:
        ParseError: if it is no whole number, or does not fit.
    """
    if isinstance(value, float):
        found = int(value) if math.isfinite(value) and value == math.floor(value) else LARGEST
    elif isinstance(value, int):
        found = int(value)
    else:
        text = _text(value)
        if _WHOLE.fullmatch(text) is None:
            raise ParseError(f"{text!r} is no whole number")
        found = int(text)
    if abs(found) > LARGEST_WHOLE:
        raise ParseError("a number is not whole, or does not fit 64 bits")
    return found


def real(value: object) -> float:
    """The finite float of a text or a number.

    Raises:
        ParseError: if it is no number, or infinite.
    """
    try:
        found = float(value if isinstance(value, int | float) else _text(value))
    except (ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise ParseError("it is no finite number; write one such as 2, 0.5 or 1e-3")
    return found


def _text(value: object) -> str:
    text = str(value).strip() if isinstance(value, str | float) else ""
    if not text or len(text) > LONGEST:
        raise ParseError(f"{text[:20]!r} is no number, or has over {LONGEST} characters")
    return text
