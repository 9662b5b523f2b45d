"""`stratagem contest`: the contest program for bidding tic-tac-toe."""

from __future__ import annotations

import sys


def contest() -> None:
    """Read one position of the bidding tic-tac-toe contest on standard input; print the bid, or `row column`."""
    from stratagem.protocols.contest import answer

    print(answer(sys.stdin.read()))
