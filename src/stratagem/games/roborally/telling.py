"""A race in words, and a turn step by step: which card or element acts, and what it does to whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from stratagem.games.roborally import elements
from stratagem.games.roborally import layout as k
from stratagem.games.roborally.view import meaning
from stratagem.kernel import State

if TYPE_CHECKING:
    from stratagem.games.roborally.game import RoboRally

NAMES = "ABCDEFGH"
FACINGS = ("north", "east", "south", "west")
ELEMENTS: tuple[
    tuple[Callable[..., Any], str, str], ...
] = (  # the function, what acts, what it does to a robot that moves
    (lambda game, s, r: game.rule(elements.belts, game.g, s, 2), "express belts", "is carried"),
    (lambda game, s, r: game.rule(elements.belts, game.g, s, 1), "belts", "is carried"),
    (lambda game, s, r: game.rule(elements.pushers, game.g, s, r), "pushers", "is pushed"),
    (lambda game, s, r: game.rule(elements.gears_and_crushers, game.g, s, r), "gears and crushers", "is turned"),
    (lambda game, s, r: game.rule(elements.lasers, game.g, s), "lasers", ""),
)


class Step(NamedTuple):
    """One thing that happens while registers run."""

    state: State  # after it
    register: int  # from 0
    words: str


def steps(game: RoboRally, s: State) -> Iterator[Step]:
    """The registers of programmes that are written, run one card and one element at a time; what changes nothing is left out,
    but every card is described. It ends after the register in which a robot wins, or after the last."""
    for register in range(k.REGISTERS):
        head = f"Register {register + 1}"
        order = [
            (int(a[k.REGISTER + register]), p)
            for p in range(game.players)
            if (a := _robot(s, p))[k.STATUS] == k.RACING and not a[k.DOWN]
        ]
        for card, p in sorted(order, reverse=True):
            if _robot(s, p)[k.STATUS] == k.RACING:
                before = s.copy()
                game.rule(elements.act, game.g, s, p, card)
                said = _changes(game, before, s, "is pushed", but=p)
                own = [] if _robot(s, p)[k.STATUS] == k.RACING else [f"{NAMES[p]} is destroyed"]
                yield Step(
                    s.copy(), register, f"{head}: {', '.join([f'{NAMES[p]} {_did(before, s, p, card)}', *own, *said])}"
                )
        for act, name, does in ELEMENTS:
            before = s.copy()
            act(game, s, register)
            if said := _changes(game, before, s, does):
                yield Step(s.copy(), register, f"{head}, {name}: {', '.join(said)}")
        before = s.copy()
        winners = game.rule(elements.touch, game.g, s)
        if said := _changes(game, before, s, ""):
            yield Step(s.copy(), register, f"{head}: {', '.join(said)}")
        if winners:
            return


def _robot(s: State, p: int) -> State:
    return s[k.ROBOTS + k.ROBOT * p : k.ROBOTS + k.ROBOT * (p + 1)]


def _did(before: State, after: State, p: int, card: int) -> str:
    moved = _robot(before, p)[k.AT] != _robot(after, p)[k.AT]
    turned = _robot(before, p)[k.FACING] != _robot(after, p)[k.FACING]
    return card_words(card) + ("" if moved or turned else ", and is stopped")


def card_words(card: int) -> str:
    """What a card makes a robot do."""
    verb, _, rest = meaning(card).partition(" ")
    return f"{verb}s {rest}"


def _changes(game: RoboRally, before: State, after: State, does: str, but: int = -1) -> list[str]:
    """What became of each robot: destroyed, moved or turned, damaged, a flag touched."""
    said = []
    for p in range(game.players):
        was, now, name = _robot(before, p), _robot(after, p), NAMES[p]
        if p == but:
            continue
        if was[k.STATUS] != now[k.STATUS]:
            last = " for good" if now[k.STATUS] == k.GONE else ""
            said.append(f"{name} is destroyed{last}")
        elif was[k.AT] != now[k.AT] or was[k.FACING] != now[k.FACING]:
            said.append(f"{name} {does}")
        elif now[k.DAMAGE] > was[k.DAMAGE]:
            said.append(f"{name} takes {now[k.DAMAGE] - was[k.DAMAGE]} damage")
        elif now[k.NEXT] > was[k.NEXT]:
            said.append(f"{name} touches flag {was[k.NEXT]}")
    return said


def hand(cards: Sequence[int]) -> str:
    """Cards in no order, in words: `3 move 1, back up`."""
    held = Counter(map(meaning, cards))
    return ", ".join(f"{count} {words}" if count > 1 else words for words, count in held.items())


def programme(cards: Sequence[int]) -> str:
    """Cards in the order of registers, in words: `move 2, then turn right`."""
    return ", then ".join(meaning(card) for card in cards)
