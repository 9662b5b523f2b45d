"""A QR code as a drawing of ours: made here, so that a link that opens a seat is sent to nobody."""

from __future__ import annotations

import segno

from stratagem.drawing import picture, tag
from stratagem.errors import OptionError

MODULE, QUIET = 4, 4  # pixels of a module, and modules of quiet around the code, as the standard asks


def qr_code(text: str) -> str:
    """The code of a text: black on white in every theme, which is what cameras expect."""
    try:
        rows = segno.make_qr(text, error="m").matrix
    except ValueError:  # too much, or no text that can be written down
        raise OptionError("this text does not fit into a QR code; a link of up to 400 characters does") from None
    side = (len(rows) + 2 * QUIET) * MODULE
    path = "".join(
        f"M{(x + QUIET) * MODULE} {(y + QUIET) * MODULE}h{MODULE}v{MODULE}h-{MODULE}z"
        for y, row in enumerate(rows)
        for x, dark in enumerate(row)
        if dark
    )
    white = tag("rect", x=0, y=0, width=side, height=side, fill="#ffffff")
    return picture(side, side, "QR code", "A QR code of the link.", [white, tag("path", d=path, fill="#000000")])
