"""What is to be seen about one unit: where it can go, whom it can attack, and all that it could attack from there."""

from __future__ import annotations

from stratagem.contract.showing import Mark
from stratagem.games.minions import kernels as rules
from stratagem.games.minions.config import hexes_of
from stratagem.games.minions.maps import hex_index, hex_name
from stratagem.games.minions.state import SIDES, Board


def overlay(board: Board, name: str) -> tuple[Mark, ...]:
    """Marks about the unit on a hex, and what they show in words."""
    g, b, h = board.game.config.ground, board.words, hex_index(name)
    piece = board.pieces[name]
    cell = b[rules.CELL + h]
    goes = [hex_index(to) for to in board.reach(name) if to not in board.pieces]
    attacks = bool(rules.can_attack(g, b, h))
    from_ = {h} if not attacks or rules.lumbers(g, cell) or not rules.can_move(g, b, h) else {h, *goes}
    zone = (
        {x for at in from_ for x in hexes_of(*rules.within(g, at, rules.reaching(g, cell)))} - {h} if attacks else set()
    )
    struck = hexes_of(*rules.threat(g, rules.tiles_of(board.index), b, h))
    targets = ", ".join(f"{board.pieces[hex_name(x)].unit.name} {hex_name(x)}" for x in struck)
    words = f"{SIDES[piece.side]}'s {piece.unit.name} {name} "
    words += f"can go to {len(goes)} hexes" if goes else "stays where it is"
    words += f" and attack {targets}" if targets else " and reaches no enemy" if attacks else " and attacks nobody"

    def places(hexes: list[int]) -> tuple[str, ...]:
        return tuple(f"{board.index} {hex_name(x)}" for x in hexes)

    return (
        Mark("zone", places(sorted(zone)), words),
        Mark("reach", places(goes)),
        Mark("threat", places(struck)),
    )
