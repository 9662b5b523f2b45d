"""What is to be seen about a turn, and about one unit: where it can go, whom it can attack, and all that it could attack."""

from __future__ import annotations

from stratagem.contract.companions.drawing import Mark
from stratagem.errors import StratagemError
from stratagem.games.minions import layout
from stratagem.games.minions.config import hexes_of
from stratagem.games.minions.maps import hex_index, hex_name
from stratagem.games.minions.state import SIDES, Board, GameState
from stratagem.games.minions.turn import BoardAction, GameTurn
from stratagem.games.minions.units import spaced


def overlay(board: Board, name: str) -> tuple[Mark, ...]:
    """Marks about the unit on a hex, and what they show in words."""
    g, b, h = board.game.config.ground, board.words, hex_index(name)
    piece = board.pieces[name]
    cell = b[layout.CELL + h]
    goes = [hex_index(to) for to in board.reach(name) if to not in board.pieces]
    attacks = bool(layout.can_attack(g, b, h))
    from_ = {h} if not attacks or layout.lumbers(g, cell) or not layout.can_move(g, b, h) else {h, *goes}
    zone = (
        {x for at in from_ for x in hexes_of(*layout.within(g, at, layout.reaching(g, cell)))} - {h}
        if attacks
        else set()
    )
    struck = hexes_of(*layout.threat(g, layout.tiles_of(board.index), b, h))
    targets = ", ".join(f"{spaced(board.pieces[hex_name(x)].unit.name)} {hex_name(x)}" for x in struck)
    words = f"{SIDES[piece.side]}'s {spaced(piece.unit.name)} {name} "
    words += f"can go to {len(goes)} hexes" if goes else "stays where it is"
    words += f" and attack {targets}" if targets else " and reaches no enemy" if attacks else " and attacks nobody"

    def places(hexes: list[int]) -> tuple[str, ...]:
        return tuple(f"{board.index} {hex_name(x)}" for x in hexes)

    return (
        Mark("zone", places(sorted(zone)), words),
        Mark("reach", places(goes)),
        Mark("threat", places(struck)),
    )


def trace(state: GameState, turn: GameTurn) -> tuple[Mark, ...]:
    """A turn about to be played: arrows for moves, strikes for attacks, letters where units come, crosses where enemies go."""
    try:
        during: GameState | None = state.during(turn)
    except StratagemError:
        during = None  # not legal yet: what is meant is seen, and nobody goes
    marks = []
    for board in state.boards:
        marks += [mark for action in turn.boards[board.index] if (mark := _of_action(board.index, action)) is not None]
        now = during.boards[board.index].pieces if during is not None else board.pieces
        for name, piece in board:
            if piece.side != state.side and (name not in now or now[name].side == state.side):
                marks.append(Mark("gone", (f"{board.index} {name}",), f"{spaced(piece.unit.name)} {name} is removed"))
    return tuple(marks)


def _of_action(board: int, action: BoardAction) -> Mark | None:
    places = tuple(f"{board} {hex_name(h)}" for h in action.hexes)
    if action.kind in ("move", "teleport"):
        return Mark("arrow", places, str(action))
    if action.kind == "move_cyclic":
        return Mark("arrow", (*places, places[0]), str(action))
    if action.kind == "attack":
        return Mark("strike", places, str(action))
    if action.kind == "spawn" and action.unit is not None:
        return Mark("sign", places, action.unit.letter)
    return Mark("last", places, str(action)) if places else None
