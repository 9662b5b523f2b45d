"""Positions of Skirmish as text, and back: what cannot be is refused with the reason."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stratagem.errors import ParseError
from stratagem.games.skirmish import kernels as k
from stratagem.kernel import State

if TYPE_CHECKING:
    from stratagem.games.skirmish.game import Skirmish

LETTERS = "GBHMSFDECPV"  # of cards
PIECES = "GBHMST"
EXAMPLE = "first 1 3 c2T4500,g2t4500 GGBFDE/?6 GBHHMM/GGBBHH"
DEAL, DRAW, DRAWN = "deal", "draw", "drawn"
WON = ("first-won", "second-won")
NONE = "-"
PIECE = re.compile(r"([a-z]\d{1,2})([GBHMSTghbmst])(\d{1,4})([ECPV]*)")


def write(game: Skirmish, s: State) -> str:
    phase = int(s[k.PHASE])
    if phase == k.PLAYING:
        left = str(int(s[k.LEFT]))
    elif phase == k.ENDED:
        left = WON[int(s[k.WINNER]) - 1] if s[k.WINNER] else DRAWN
    else:
        left = DEAL if phase == k.DEALING else DRAW
    pieces = [
        piece_text(game.board.names[square], int(x)) for square, x in enumerate(s[k.BOARD : game.size].tolist()) if x
    ]
    hands = "/".join(hand_text(s, p) for p in range(2))
    decks = "/".join(cards_text(s, k.DECK + p * k.CARDS) for p in range(2))
    return f"{game.seats[int(s[k.SEAT])]} {int(s[k.TURN])} {left} {','.join(pieces) or NONE} {hands} {decks}"


def piece_text(square: str, x: int) -> str:
    letter = PIECES[k.kind_of(x)]
    kit = "".join(LETTERS[k.EDGE + i] for i in range(4) if k.kit_of(x) >> i & 1)
    return f"{square}{letter.lower() if k.side_of(x) else letter}{k.health_of(x)}{kit}"


def cards_text(s: State, at: int) -> str:
    return "".join(letter * int(s[at + c]) for c, letter in enumerate(LETTERS)) or NONE


def hand_text(s: State, p: int) -> str:
    """A hand, or how many cards of it are not seen."""
    at, held = k.HAND + p * k.CARDS, int(s[k.HELD + p])
    return f"?{held}" if held and not s[at : at + k.CARDS].any() else cards_text(s, at)


def read(game: Skirmish, text: str) -> State:
    words = text.split()
    if len(words) != 6 or words[0] not in game.seats or any(words[i].count("/") != 1 for i in (4, 5)):
        raise ParseError(
            f"position {text[:200]!r} is not like {EXAMPLE!r}: who is on turn, the turn, points left, the board, hands, decks"
        )
    s = game.blank()
    s[k.SEAT] = game.seats.index(words[0])
    s[k.TURN] = _turn(game, words[1], int(s[k.SEAT]), text)
    if words[3] != NONE:
        for word in words[3].split(","):
            _piece(game, s, word, text)
    for p, word in enumerate(words[4].split("/")):
        _hand(s, p, word, text)
    for p, word in enumerate(words[5].split("/")):
        _cards(s, k.DECK + p * k.CARDS, word, text)
    _phase(game, s, words[2], text)
    _check(game, s, text)
    return s


def _turn(game: Skirmish, word: str, seat: int, text: str) -> int:
    cap = game["turn_cap"]
    if not word.isascii() or not word.isdecimal() or not 1 <= int(word[:6]) <= cap:
        raise ParseError(f"position {text!r}: the turn is {word!r}; it goes from 1 to {cap}")
    if int(word) % 2 == seat:
        raise ParseError(f"position {text!r}: turn {word} is not {game.seats[seat]}'s; odd ones are the first side's")
    return int(word)


def _piece(game: Skirmish, s: State, word: str, text: str) -> None:
    found = PIECE.fullmatch(word)
    square = game.board.numbers.get(found[1], k.NOWHERE) if found else k.NOWHERE
    if found is None or square == k.NOWHERE:
        raise ParseError(
            f"position {text!r}: {word!r} is no piece; one is like c2G900EP: a square, a letter of {PIECES}, health, and "
            "what it carries of ECPV"
        )
    kind, side = PIECES.index(found[2].upper()), int(found[2].islower())
    kit = sum(1 << (LETTERS.index(letter) - k.EDGE) for letter in set(found[4]))
    x = k.piece(kind, side, kit, int(found[3]))
    if s[k.BOARD + square]:
        raise ParseError(f"position {text!r}: two pieces are on {found[1]}")
    if len(set(found[4])) != len(found[4]):
        raise ParseError(f"position {text!r}: {word!r} carries something twice")
    if k.health_of(x) > k.full_health(x):
        raise ParseError(f"position {text!r}: {word!r} has more health than the {int(k.full_health(x))} it can have")
    if kind == k.TOWER:
        if square not in game.board.towers[side] or kit or not k.health_of(x):
            raise ParseError(
                f"position {text!r}: {word!r} is no tower where it was built, with health and nothing else"
            )
        s[k.TOWERS + side] |= 1 << square
    elif square in game.board.gates[1 - side]:
        raise ParseError(f"position {text!r}: {word!r} is on a gate of the other side, which no unit can enter")
    k.put(s, square, x)


def _hand(s: State, p: int, word: str, text: str) -> None:
    if word.startswith("?"):
        if not word[1:].isascii() or not word[1:].isdecimal() or not 1 <= int(word[1:4]) <= k.HAND_SIZE:
            raise ParseError(
                f"position {text!r}: {word!r} is no hand; ?1 to ?{k.HAND_SIZE} are cards that are not seen"
            )
        s[k.HELD + p] = int(word[1:4])
        return
    s[k.HELD + p] = _cards(s, k.HAND + p * k.CARDS, word, text)
    if s[k.HELD + p] > k.HAND_SIZE:
        raise ParseError(f"position {text!r}: the hand {word!r} has more than {k.HAND_SIZE} cards")


def _cards(s: State, at: int, word: str, text: str) -> int:
    for letter in "" if word == NONE else word:
        if letter not in LETTERS:
            raise ParseError(f"position {text!r}: {letter!r} in {word!r} is no card; cards are letters of {LETTERS}")
        s[at + LETTERS.index(letter)] += 1
    return 0 if word == NONE else len(word)


def _phase(game: Skirmish, s: State, word: str, text: str) -> None:
    points = game.first_points if s[k.TURN] == 1 else game.points
    if word in WON:
        s[k.PHASE], s[k.WINNER] = k.ENDED, WON.index(word) + 1
    elif word in (DEAL, DRAW, DRAWN):
        s[k.PHASE] = {DEAL: k.DEALING, DRAW: k.DRAWING, DRAWN: k.ENDED}[word]
    elif word.isascii() and word.isdecimal() and 1 <= int(word[:4]) <= points:
        s[k.PHASE], s[k.LEFT] = k.PLAYING, int(word)
    else:
        raise ParseError(
            f"position {text!r}: points left are {word!r}; they go from 1 to {points}, or it is {DEAL}, {DRAW}, "
            f"{', '.join(WON)} or {DRAWN}"
        )


def _check(game: Skirmish, s: State, text: str) -> None:
    """As far as counting tells, the position can be reached."""
    for p in range(2):
        board = [int(x) for x in s[k.BOARD : game.size] if x and k.side_of(int(x)) == p]
        for c, letter in enumerate(LETTERS):
            there = int(s[k.HAND + p * k.CARDS + c] + s[k.DECK + p * k.CARDS + c])
            if c < k.UNITS:
                there += sum(k.kind_of(x) == c for x in board)
            elif c >= k.EDGE:
                there += sum(k.kit_of(x) >> (c - k.EDGE) & 1 for x in board)
            if there > game.deck[c]:
                raise ParseError(
                    f"position {text!r}: {game.seats[p]} has {there} cards {letter}, and the deck {game.deck[c]}"
                )
        covered = int(s[k.HELD + p]) - int(s[k.HAND + p * k.CARDS : k.HAND + (p + 1) * k.CARDS].sum())
        if covered > int(s[k.DECK + p * k.CARDS : k.DECK + (p + 1) * k.CARDS].sum()):
            raise ParseError(f"position {text!r}: {game.seats[p]}'s unseen cards are more than its deck has")
        if s[k.PHASE] != k.ENDED and not s[k.TOWERS + p]:
            raise ParseError(f"position {text!r}: {game.seats[p]} has no tower, so the game would be over")
    if s[k.PHASE] == k.DEALING:
        _check_deal(game, s, text)
    seat = int(s[k.SEAT])
    empty = not s[k.DECK + seat * k.CARDS : k.DECK + (seat + 1) * k.CARDS].any()
    if s[k.PHASE] == k.DRAWING and (s[k.HELD + seat] == k.HAND_SIZE or empty):
        raise ParseError(f"position {text!r}: {game.seats[seat]} has nothing to draw")


def _check_deal(game: Skirmish, s: State, text: str) -> None:
    held = [int(s[k.HELD + p]) for p in range(2)]
    whole = [game.deck[c] for c in range(k.CARDS)]
    seen = [[int(s[k.HAND + p * k.CARDS + c] + s[k.DECK + p * k.CARDS + c]) for c in range(k.CARDS)] for p in range(2)]
    fresh = game.start().state[k.BOARD : game.size]
    begun = s[k.TURN] != 1 or seen != [whole, whole] or (s[k.BOARD : game.size] != fresh).any()
    if begun or held[1] >= k.HAND_SIZE or (held[1] and held[0] < k.HAND_SIZE):
        raise ParseError(f"position {text!r} is in the midst of the deal, which gives six cards to each side in turn")
