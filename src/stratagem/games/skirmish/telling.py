"""Skirmish in words: what a move does, and why another is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stratagem.games.skirmish import kernels as k
from stratagem.kernel import CHANCE, State

if TYPE_CHECKING:
    from stratagem.games.skirmish.game import Skirmish

CARD_NAMES = ("guard", "bowman", "healer", "mage", "scout", "fire", "draught", "edge", "charm", "plate", "veil")
PIECE_NAMES = (*CARD_NAMES[: k.UNITS], "tower")
END = "end"
BESIDES = (
    "strikes at 1; a guard pushes what it strikes", "strikes at 1 to 3, half at 1", "strikes at 1 to 2; heals at 1 to 2",
    "strikes at 1 to 2, and its strike leaps on", "strikes at 1 to 2, double at 1; changes places with a unit",
)  # fmt: skip
CARDS_DO = (
    ("fire", "350 damage to every enemy on a square and around it"),
    ("draught", "an own unit has 1,000 more health, or 100 if it has fallen"),
    ("edge", "half as much power again"),
    ("charm", "three times the power, until the next strike or healing"),
    ("plate", "20 more against physical damage, and a tenth more health"),
    ("veil", "20 more against magical damage, and a tenth more health"),
    ("gates 1, 2", "units enter on their own gate; no enemy walks there"),
    ("banner !", "a unit on it adds 300 to whatever hits a tower"),
    ("wall #", "20 more against physical damage"),
    ("spring *", "100 more power"),
)


def pieces() -> list[tuple[str, str]]:
    """The units with their numbers, the cards and the squares with what they do."""
    units = [
        (name, f"health {k.HEALTH[i]}, speed {k.SPEED[i]}, power {k.POWER[i]}; {BESIDES[i]}")
        for i, name in enumerate(PIECE_NAMES[: k.UNITS])
    ]
    return [*units, ("tower", f"health {k.HEALTH[k.TOWER]}; lose both and the game is lost"), *CARDS_DO]


def called(s: State, square: int) -> str:
    """A piece in a word or two."""
    x = int(s[k.BOARD + square])
    name = PIECE_NAMES[k.kind_of(x)]
    return name if k.health_of(x) else f"fallen {name}"


def describe(game: Skirmish, s: State, move: str, mover: int, viewer: int | None) -> str:
    """A move in words, of which the mover is the subject; without what the viewer cannot know: which cards the other side
    draws and puts back."""
    if mover == CHANCE:
        taker = int(game.rule(k.taker, s))
        return f"{game.seats[taker]} draws {f'a {move}' if viewer in (None, taker) else 'a card'}"
    if move == END:
        return "ends the turn"
    word, _, rest = move.partition(" ")
    if word == "back":
        return f"puts {f'a {rest}' if viewer in (None, mover) else 'a card'} back"
    if word in CARD_NAMES:
        return _card(game, s, mover, CARD_NAMES.index(word), game.board.numbers[rest])
    m = game.parse_move(s, mover, move)
    a, b = divmod(m, game.board.squares)
    return _action(game, s, mover, a, b)


def _card(game: Skirmish, s: State, p: int, c: int, square: int) -> str:
    at = game.board.names[square]
    if c < k.UNITS:
        return f"brings a {CARD_NAMES[c]} in at {at}"
    if c == k.FIRE:
        there = int(game.g[k.TABLES + k.AROUND * game.board.squares + square])
        there &= int(s[k.STANDING + 1 - p] | s[k.FALLEN + 1 - p])
        hit = [b for b in range(game.board.squares) if there >> b & 1]
        return f"plays fire on {at}, " + (
            f"which hits {', '.join(_with_square(game, s, b) for b in hit)}" if hit else "in vain"
        )
    if c == k.DRAUGHT:
        return f"gives the {_with_square(game, s, square)} a draught"
    return f"gives the {_with_square(game, s, square)} {'an edge' if c == k.EDGE else f'a {CARD_NAMES[c]}'}"


def _with_square(game: Skirmish, s: State, square: int) -> str:
    return f"{called(s, square)} on {game.board.names[square]}"


def _action(game: Skirmish, s: State, p: int, a: int, b: int) -> str:
    unit, to = _with_square(game, s, a), game.board.names[b]
    deed = game.deed(s, p, a, b)
    if deed == 1:
        points = int(game.rule(k.damage, game.g, s, a, b)) + int(game.rule(k.bonus, game.g, s, p, b))
        left = max(k.health_of(int(s[k.BOARD + b])) - points, 0)
        falls = "is destroyed" if k.kind_of(int(s[k.BOARD + b])) == k.TOWER else "falls"
        return f"{unit} strikes the {_with_square(game, s, b)} for {points}: it {f'keeps {left}' if left else falls}"
    if deed == 2:
        return f"{unit} {'revives' if s[k.FALLEN + p] >> b & 1 else 'heals'} the {_with_square(game, s, b)}"
    if deed == 3:
        return f"{unit} changes places with the {_with_square(game, s, b)}"
    over = f" over the {called(s, b)}" if s[k.BOARD + b] else ""
    return f"{unit} goes to {to}{over}"


def why_not(game: Skirmish, s: State, p: int, text: str, m: int | None) -> str:
    """Why a text is no move here; `m` is the move it would be elsewhere, if it is one at all."""
    shape = "write a1-c1 for a unit, guard a1 for a card, back guard, or end"
    if m is None:
        return f"{text[:60]!r} is no action; {shape}"
    squares, hand = game.board.squares, k.HAND + p * k.CARDS
    a, b = divmod(m, squares)
    if m == game.end:
        return "in the published profile a turn is ended early only where nothing else is possible"
    c = b if a == squares + k.CARDS else a - squares
    if a >= squares and not s[hand + c]:
        held = [name for i, name in enumerate(CARD_NAMES) if s[hand + i]]
        return f"{text!r}: {game.seats[p]} holds no {CARD_NAMES[c]}; its hand: {', '.join(held) or 'none'}"
    if a == squares + k.CARDS:
        return f"{text!r}: no card can be put back, for the deck is empty"
    if a >= squares:
        return f"{text!r}: a {CARD_NAMES[c]} cannot be played on {game.board.names[b]}; {_where(game, s, p, c)}"
    if not int(game.rule(k.acting, s, p)) >> a & 1:
        return f"{text!r}: no living unit of {game.seats[p]} is on {game.board.names[a]}"
    there = int(game.rule(k.targets, game.g, s, p, a))
    shown = ", ".join(game.board.names[x] for x in range(squares) if there >> x & 1)
    return f"{text!r}: the {_with_square(game, s, a)} cannot do anything on {game.board.names[b]}; it can on {shown or 'none'}"


def _where(game: Skirmish, s: State, p: int, c: int) -> str:
    there = int(game.rule(k.landing, game.g, s, p, c))
    shown = ", ".join(game.board.names[x] for x in range(game.board.squares) if there >> x & 1)
    return f"it can on {shown}" if shown else "it can nowhere now"
