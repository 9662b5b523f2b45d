"""Positions of one board of Minions, written as pieces on hexes: `Nc2 nh7 Ze4`, and turns played in them. Yellow's letters are
capitals."""

from __future__ import annotations

import pytest

from stratagem.errors import IllegalMove
from stratagem.games.minions import Board, GameConfig, GameState, GameTurn
from stratagem.games.minions.maps import hex_index
from stratagem.games.minions.notation import extended_fen, parse_fen

LOCKED = "L" * 25


def rows(men: dict[int, str]) -> str:
    """The ten rows of a board."""
    found = []
    for y in range(10):
        row = "".join(men.get(10 * y + x, ".") for x in range(10))
        for gap in range(10, 0, -1):
            row = row.replace("." * gap, str(gap) if gap < 10 else "0")
        found.append(row)
    return "/".join(found)


def position(
    pieces: str,
    *,
    hand: str = "",
    maps: str = "AllLand",
    state: str = "n",
    zones: tuple[str, str] = ("", ""),
    money: str = "20|20",
    cards: tuple[str, str] = (LOCKED, LOCKED),
    side: int = 0,
    drawn: str = "fester.shield",
    extra: str = "",
    enemy_hand: str = "",
    profile: str = "spooky",
    points: int = 2,
    **switches: object,
) -> GameState:
    """A position of one board; where there are spells, they are dealt."""
    men = {hex_index(word[1:]): word[0] for word in pieces.split()}
    line = [letters.ljust(25, "L") for letters in cards]
    config = GameConfig.make((maps,), profile=profile, points=points, **switches)
    hands = (hand, enemy_hand) if side == 0 else (enemy_hand, hand)
    board = f"{state}|{zones[0]}|{zones[1]}|{hands[0]}|{hands[1]}|{rows(men)}"
    deal = f" ahead={side}:{drawn} drawn=2" if config.switches.spells else ""
    said = f" +{deal}{' ' + extra if extra else ''}" if deal or extra else ""
    return parse_fen(f"{money} 0|0 {line[0]}|{line[1]} {board} {side} 9{said}", config)


def play(state: GameState, *parts: str, lenient: bool = False) -> GameState:
    return state.play(GameTurn.parse(parts, state.config.boards), lenient=lenient)


def during(state: GameState, *parts: str) -> GameState:
    return state.during(GameTurn.parse(parts, state.config.boards))


def board(state: GameState, *parts: str) -> Board:
    return during(state, *parts).boards[0]


def refused(state: GameState, *parts: str, lenient: bool = False) -> str:
    """Why a turn is illegal; the state is left as it was."""
    before = extended_fen(state)
    with pytest.raises(IllegalMove) as caught:
        play(state, *parts, lenient=lenient)
    assert extended_fen(state) == before
    return str(caught.value)
