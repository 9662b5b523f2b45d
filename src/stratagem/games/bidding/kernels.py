"""Rules of a bidding game: before every move of the base game both players bid, in secret, for the right to make it.

The base game's kernels come in by name (`base_turn` and so on), each bound to the base game's own names, so that one
specialisation holds a search, this wrapper and the base game. A move that changes nothing on the base board, or the lack of
any move, is a pass; after PASSES_ALLOWED passes in a row the game is a draw, since some could go on for ever.
"""

from __future__ import annotations

from typing import NoReturn

from stratagem.errors import MissingKernel
from stratagem.kernel import CHANCE, OVER, TOGETHER, Ground, Moves, Payoffs, State
from stratagem.plans.bid import COIN, MARKER, RICHMAN, least_bid, most_bid, pay
from stratagem.rng import Rng, below, mix

# state: [phase, purse of 0, purse of 1, holder of the marker or token, who won the auction, the bid that tied, passes in a
#         row, and the base game's state]; scratch: the base game's, then a copy of the base board
PHASE, PURSE, HOLDER, WHO, BID, PASSES, BASE = 0, 1, 3, 4, 5, 6, 7

# phases
BIDS, TIE, FLIP, CHOOSE, MOVE, DRAWN = 0, 1, 2, 3, 4, 5
LEAVE, TAKE = 0, 1  # what the holder of the advantage may do with a tie

PASSES_ALLOWED = 4
NO_CELL = -1

# bound for each game
TIE_RULE = MARKER
PAYMENT = RICHMAN
MIN_BID, CAP = 0, 0
TIES_WAIT = False  # whether a tie is settled only after the bids: by the holder's choice, or by a coin
WINNER_CHOOSES = False  # whether the winner of an auction chooses who must move
BASE_SIZE, BASE_COPY = 12, 19  # cells of the base state; where its copy is
TURN_CELL = 0  # the cell of the base state that says whose turn it is, or NO_CELL


def _unbound() -> NoReturn:
    raise MissingKernel("a bidding game runs only with the kernels of a base game")


def base_turn(g: Ground, s: State) -> int:
    _unbound()


def base_count(g: Ground, s: State, p: int) -> int:
    _unbound()


def base_move(g: Ground, s: State, p: int, k: int) -> int:
    _unbound()


def base_moves(g: Ground, s: State, p: int, out: Moves) -> int:
    _unbound()


def base_sample(g: Ground, s: State, p: int, r: Rng) -> int:
    _unbound()


def base_play(g: Ground, s: State, p: int, m: int) -> None:
    _unbound()


def base_payoff(g: Ground, s: State, out: Payoffs) -> None:
    _unbound()


def base_value(g: Ground, s: State, out: Payoffs) -> None:
    _unbound()


def turn(g: Ground, s: State) -> int:
    if base_turn(g, s[BASE:]) == OVER or s[PHASE] == DRAWN:
        return OVER
    if s[PHASE] == BIDS:
        return TOGETHER
    if s[PHASE] == FLIP:
        return CHANCE
    if s[PHASE] == TIE:
        return s[HOLDER]
    return s[WHO]


def count(g: Ground, s: State, p: int) -> int:
    if s[PHASE] == BIDS:
        return most_bid(s[PURSE + p], CAP) - least_bid(s[PURSE + p], MIN_BID) + 1
    if s[PHASE] == MOVE:
        return base_count(g, s[BASE:], p)
    return 2


def move(g: Ground, s: State, p: int, k: int) -> int:
    """Bids from the least up; whether to take a tie; who moves; a move of the base game."""
    if s[PHASE] == BIDS:
        return least_bid(s[PURSE + p], MIN_BID) + k
    if s[PHASE] == MOVE:
        return base_move(g, s[BASE:], p, k)
    return k


def moves(g: Ground, s: State, p: int, out: Moves) -> int:
    if s[PHASE] == MOVE:
        return base_moves(g, s[BASE:], p, out)
    n = count(g, s, p)
    for k in range(n):
        out[k] = move(g, s, p, k)
    return n


def sample(g: Ground, s: State, p: int, r: Rng) -> int:
    if s[PHASE] == MOVE:
        return base_sample(g, s[BASE:], p, r)
    return move(g, s, p, below(r, count(g, s, p)))


def play_together(g: Ground, s: State, joint: Moves) -> None:
    """Open the bids."""
    winner = 0 if joint[0] > joint[1] else 1
    if joint[0] == joint[1]:
        if TIES_WAIT:  # for the holder's choice, or for the coin
            s[BID] = joint[0]
            s[PHASE] = FLIP if TIE_RULE == COIN else TIE
            return
        winner = s[HOLDER]
        if TIE_RULE == MARKER:
            s[HOLDER] = 1 - winner
    award(g, s, winner, joint[winner], joint[1 - winner])


def award(g: Ground, s: State, winner: int, winning: int, losing: int) -> None:
    """Give the auction to a player: money moves, and it may move or choose who does."""
    pay(PAYMENT, s, PURSE, winner, winning, losing)
    s[BID] = 0
    s[WHO] = winner
    s[PHASE] = CHOOSE
    if not WINNER_CHOOSES:
        ask(g, s, winner)


def ask(g: Ground, s: State, p: int) -> None:
    """Let a player move in the base game; without a legal move it passes."""
    s[WHO] = p
    s[PHASE] = MOVE
    if base_count(g, s[BASE:], p) == 0:
        passed(s)


def passed(s: State) -> None:
    s[WHO] = 0
    s[PASSES] += 1
    s[PHASE] = DRAWN if s[PASSES] == PASSES_ALLOWED else BIDS


def play(g: Ground, s: State, p: int, m: int) -> None:
    if TIES_WAIT and s[PHASE] in (FLIP, TIE):
        winner = m
        if s[PHASE] == TIE:
            winner = s[HOLDER] if m == TAKE else 1 - s[HOLDER]
            if m == TAKE:
                s[HOLDER] = 1 - s[HOLDER]
        award(g, s, winner, s[BID], s[BID])
        return
    if WINNER_CHOOSES and s[PHASE] == CHOOSE:
        ask(g, s, m)
        return
    for i in range(BASE_SIZE):
        s[BASE_COPY + i] = s[BASE + i]
    base_play(g, s[BASE:], p, m)
    nobodys_turn(g, s[BASE:])
    for i in range(BASE_SIZE):
        if s[BASE_COPY + i] != s[BASE + i]:
            s[PASSES] = 0
            s[WHO] = 0
            s[PHASE] = BIDS
            return
    passed(s)


def nobodys_turn(g: Ground, base: State) -> None:
    """Boards that differ only in whose turn it would be are one board here."""
    if TURN_CELL != NO_CELL and base_turn(g, base) != OVER:
        base[TURN_CELL] = 0


def odds(g: Ground, s: State, k: int) -> float:
    return 0.5


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    out[0] = 0.0
    out[1] = 0.0
    if s[PHASE] != DRAWN:
        base_payoff(g, s[BASE:], out)


def value(g: Ground, s: State, out: Payoffs) -> None:
    """The base game's own estimate, for a position in which nobody is short of money."""
    base_value(g, s[BASE:], out)


def key(g: Ground, s: State) -> int:
    h = mix(s[PHASE])
    for i in range(1, BASE + BASE_SIZE):
        h = mix(h ^ s[i])
    return h
