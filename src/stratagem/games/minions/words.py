"""A turn in words: what each part does to whom, as far as somebody may know it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout
from stratagem.games.minions.maps import hex_name
from stratagem.games.minions.spells import TERRAINS
from stratagem.games.minions.state import SIDES, Board, GameState
from stratagem.games.minions.turn import BoardAction, GameTurn, Gift, Tech
from stratagem.games.minions.turns import interpreted
from stratagem.games.minions.units import spaced


def in_words(state: GameState, turn: GameTurn, *, hidden: bool = False) -> str:
    """The turn, played on the state part by part; `hidden`: without what the other side does not see."""
    said = ["sells the free spell"] if turn.sold else []
    said += tech_in_words(turn.tech, state, "unlocks", "acquires")
    for gift in turn.spells:
        what = "a spell" if hidden or gift.spell is None else str(gift.spell)
        said.append(f"board {gift.board} takes {what}")
    doings: dict[int, list[str]] = {}
    for k, doing, _ in _played(state, turn):
        doings.setdefault(k, []).append(doing)
    said += [f"board {k}: {', '.join(reported)}" for k, reported in doings.items()]
    return "; ".join(said) or "does nothing"


def steps(state: GameState, turn: GameTurn, *, hidden: bool = False) -> Iterator[tuple[GameState, str]]:
    """The states of a turn after each of its parts but the last, and what that part does; `hidden`: without the general's
    part that the other side does not see."""
    said = in_words(state, replace(turn, boards=((),) * len(turn.boards)), hidden=hidden)
    yield GameState(state.config, _begun(state, turn)), f"{SIDES[state.side]} {said}"
    for k, doing, after in _played(state, turn):
        yield after, f"Board {k}: {doing}"


def _played(state: GameState, turn: GameTurn) -> Iterator[tuple[int, str, GameState]]:
    """For each action on a board: the board, what the action does in words, and the state after it."""
    now = GameState(state.config, _begun(state, turn))
    for k, actions in enumerate(turn.boards):
        for action in actions:
            s = now.array.copy()
            interpreted(rules.act)(state.config.ground, s, np.array(action.words(k), np.int64))
            after = GameState(state.config, s)
            yield k, _reported(action, now.boards[k], after.boards[k]), after
            now = after


def teched(state: GameState, tech: Tech) -> tuple[range, tuple[int, ...]]:
    """The cards that the side to move unlocks, which are the next ones that are locked, and those that it acquires."""
    cards = state.cards(state.side)
    locked = cards.find("L") if "L" in cards else len(cards)
    return range(locked, min(locked + tech.advance, len(cards))), tuple(c for c in tech.acquire if c < len(cards))


def tech_in_words(tech: Tech, before: GameState, unlock: str = "unlock", acquire: str = "acquire") -> list[str]:
    """What the general does on the techline, which is as it was before."""
    line = before.config.techline.cards
    unlocked, acquired = teched(before, tech)
    return [f"{unlock} {line[c].name}" for c in unlocked] + [f"{acquire} {line[c].name}" for c in acquired]


def part_in_words(part: Tech | Gift | str | tuple[int, BoardAction], now: GameState) -> str:
    """One part of a turn that may come next, in the words of a button; asked of the state before it."""
    if isinstance(part, str):
        return "sell the free spell"
    if isinstance(part, Gift):
        return f"board {part.board} takes {part.spell or 'a spell'}"
    if isinstance(part, Tech):
        return " and ".join(tech_in_words(part, now)) or "no technology"
    k, action = part
    board = now.boards[k]
    return f"board {k}: {_reported(action, board, board)}"


def _begun(state: GameState, turn: GameTurn) -> layout.Stream:
    """The state with the general's part played, as far as it is known."""
    s = state.array.copy()
    parts = [[layout.SELL, 0, 0]] * turn.sold + [turn.tech.words(), *(gift.words() for gift in turn.spells)]
    for words in parts:
        interpreted(rules.act)(state.config.ground, s, np.array(words, np.int64))
    return s


def named(board: Board, h: int) -> str:
    piece = board.pieces.get(hex_name(h))
    return f"{spaced(piece.unit.name)} {hex_name(h)}" if piece else hex_name(h)


def _fate(before: Board, after: Board, h: int) -> str:
    """What became of the unit on a hex."""
    was, now = before.pieces.get(hex_name(h)), after.pieces.get(hex_name(h))
    if was is None or now is not None:
        return ""
    home = after.reinforcements(was.side)[was.unit] > before.reinforcements(was.side)[was.unit]
    return ", who goes home" if home else ", who dies"


def _reported(action: BoardAction, before: Board, after: Board) -> str:
    names = [named(before, h) for h in action.hexes]
    places = [hex_name(h) for h in action.hexes]
    if action.spell is not None:
        terrain = f" {TERRAINS[action.terrain]}" if action.terrain is not None else ""
        aim = f" on {names[0]}" if names else ""
        to = f" to {places[1]}" if len(places) > 1 else ""
        fate = _fate(before, after, action.hexes[0]) if len(places) == 1 else ""
        return f"{'casts' if action.kind == 'cast' else 'discards'} {action.spell}{terrain}{aim}{to}{fate}"
    if action.kind in ("move", "teleport"):
        return f"{names[0]} {'goes' if action.kind == 'move' else 'is teleported'} to {places[1]}"
    if action.kind == "move_cyclic":
        return f"{' and '.join(names)} change places"
    if action.kind == "attack":
        return f"{names[0]} attacks {names[1]}{_fate(before, after, action.hexes[1])}"
    if action.kind == "ability":
        return f"{names[0]} moves the {TERRAINS[action.terrain or 0]} to {places[1]}"
    if action.kind in ("buy", "spawn"):
        return f"{action.kind}s {action.unit}" + (f" on {places[0]}" if places else "")
    if action.kind == "setup":
        return f"sets up with {action.unit}" + (f" and keeps {action.keep}" if action.keep else "")
    return {"blink": f"{names[0] if names else ''} blinks", "rise": f"a Zombie rises on {''.join(places)}"}.get(
        action.kind, "resigns"
    )
