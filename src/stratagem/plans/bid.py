"""Bids: a secret price for the right to move.

An auction has a *payment* (who pays whom), a *tie* rule and a range of bids. The kernels below settle auctions of whole
chips; the formulas at the end are the theory of real-valued money: from what share of all money a goal can be forced.

| payment | the winner pays | the loser pays |
|---|---|---|
| richman | its bid to the loser | nothing |
| poorman | its bid to the bank | nothing |
| taxman:T | its bid, the share T of it to the bank and the rest to the loser (real-valued money only) | nothing |
| allpay | its bid to the bank | its bid to the bank |
| allpay-swap | its bid to the loser | its bid to the winner |

| tie | equal bids are won by |
|---|---|
| marker | the holder of the marker, who must take the auction and then hands the marker over |
| advantage | the holder if it likes, handing the token over; or it lets the other win and pay, and keeps the token |
| coin | either, by a fair coin |
| fixed | the holder, always |

Sources: Lazarus, Loeb, Propp, Ullman, "Richman games" (1996); Lazarus and others, "Combinatorial games under auction play"
(1999); Develin and Payne, "Discrete bidding games" (2010); Avni, Henzinger, Zikelic, "Bidding mechanisms in graph games"
(2019) for taxman.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import OptionError, ParseError
from stratagem.kernel import State
from stratagem.numbers import fraction

Purses = NDArray[np.int64] | list[int]

RICHMAN, POORMAN, ALLPAY, SWAP, TAXMAN = 0, 1, 2, 3, 4
PAYMENTS = ("richman", "poorman", "allpay", "allpay-swap")
MARKER, ADVANTAGE, COIN, FIXED = 0, 1, 2, 3
TIES = ("marker", "advantage", "coin", "fixed")


def least_bid(purse: int, minimum: int) -> int:
    """The least bid allowed: the minimum, or all one has if that is less."""
    return min(minimum, purse)


def most_bid(purse: int, cap: int) -> int:
    """The highest bid allowed: all one has, or the cap if there is one (0: none)."""
    return purse if cap == 0 else min(purse, cap)


def pay(payment: int, purses: Purses, at: int, winner: int, winning: int, losing: int) -> None:
    """Move the money of an auction; purses[at] is the first player's, purses[at + 1] the second's."""
    if payment == RICHMAN:
        purses[at + winner] -= winning
        purses[at + 1 - winner] += winning
    elif payment == POORMAN:
        purses[at + winner] -= winning
    elif payment == ALLPAY:
        purses[at + winner] -= winning
        purses[at + 1 - winner] -= losing
    else:
        purses[at + winner] += losing - winning
        purses[at + 1 - winner] += winning - losing


# ------------------------------------------------------------------------------------- what a game may declare to auctions


@dataclass(frozen=True)
class Boards:
    """A game's positions with nobody's turn, as they are in an auction, where either side may move several times in a row."""

    # texts; None: those of positions
    text: Callable[[State], str] | None = None
    parse: Callable[[str], State] | None = None  # any order of moves may have led to the board
    # the cell that holds whose turn it is, where one cell does and all else ignores it
    turn_cell: int | None = None
    # permutations of a state's cells, one a row, that change nothing for either player; the first is the identity
    symmetries: NDArray[np.int64] | None = None
    # so many leading cells are bitboards, and symmetries permute the bits of each of those instead
    words: int = 0


@runtime_checkable
class DeclaresBoards(Protocol):
    """A game that says what its boards are. Others can be bid over too, but more boards are distinguished."""

    def boards(self) -> Boards: ...


# ---------------------------------------------------------------------------------------------- payments, as people write


@dataclass(frozen=True)
class Payment:
    """A payment rule; `tax` is the bank's share of what the winner pays, for first-price auctions."""

    kind: int
    tax: Fraction = Fraction(0)

    @property
    def conserves(self) -> bool:
        """Whether no money ever leaves the table."""
        return self.kind in (RICHMAN, SWAP)

    @property
    def first_price(self) -> bool:
        """Whether only the winner pays."""
        return self.kind in (RICHMAN, POORMAN, TAXMAN)


def parse_payment(text: str) -> Payment:
    """A payment of its text: richman, poorman, allpay, allpay-swap, or taxman:T with T a fraction from 0 to 1."""
    name, colon, share = text.strip().lower().partition(":")
    if name == "taxman":
        try:
            tax = fraction(share)
        except ParseError:
            raise OptionError(f"payment {text!r} lacks its tax; write taxman:T, for example taxman:1/2") from None
        if not 0 <= tax <= 1:
            raise OptionError(f"payment {text!r} has a tax of {tax}; it goes from 0 (richman) to 1 (poorman)")
        return Payment(TAXMAN, tax)
    if colon or name not in PAYMENTS:
        raise OptionError(f"payment {text!r} is unknown; it is one of {', '.join(PAYMENTS)} or taxman:T")
    return Payment(PAYMENTS.index(name), Fraction(1) if name == "poorman" else Fraction(0))


# --------------------------------------------------------------------------------------------------- real-valued money

Number = TypeVar("Number", float, Fraction)


def critical_bid(a: Number, b: Number, tax: Number) -> Number:
    """The bid, as a share of all money, that makes both outcomes of an auction equally good for its player.

    a is the share that the first player must exceed after a best move of its own, b after the opponent's, `tax` the bank's
    share of what the winner pays (0: richman, 1: poorman). Where a > b nobody wants the move, and the bid is 0.
    """
    if a >= b:
        return a - a
    return (b - a) / (2 - tax + tax * (b - a))


def threshold(a: Number, b: Number, tax: Number) -> Number:
    """The share of all money that the first player must exceed to force its goal, by those after either side's best move.

    Where a > b (zugzwang) both bid 0 and the tie rule says who has to move: the share that is enough in either case is a.
    """
    if a >= b:
        return a
    return a + critical_bid(a, b, tax) * (1 - tax * a)


# ------------------------------------------------------------------------------------ the discrete Richman function
#
# Purses with the advantage token are ordered 0, 0*, 1, 1*, ...: chips * 2, plus 1 with the token.


def discrete_threshold(mine: int, other: int) -> int:
    """The least purse that forces a goal, from those needed after one's own best move and after the opponent's.

    All as chips * 2 + 1 with the token (Develin and Payne 2010, theorem 3.3): half the sum of the chips rounded down, and
    then nothing, the token or a chip more.
    """
    if mine >= other:
        return mine
    total = mine // 2 + other // 2
    if total % 2 == 0 and mine % 2 == 0:
        return total // 2 * 2
    if total % 2 == 1 and mine % 2 == 1:
        return total // 2 * 2 + 2
    return total // 2 * 2 + 1
