"""What the Oracle of Minions sees, written down from the rules' objects: slow and obvious."""

from stratagem.games.minions.layout import TYPES
from stratagem.games.minions.maps import distance, hex_index, mirror
from stratagem.games.minions.networks import features as f
from stratagem.games.minions.units import COPYCAT


def sight(state):
    """All features of boards, purses and cards; what the hand-written judgement says is left out."""
    side, boards, found = state.side, state.boards, []
    for board in boards:
        graves = set(board.map.graveyards)
        found.append(f.MODE_AT + "fn120".index(board.state[0]))
        for whose, p in enumerate((side, 1 - side)):
            found.append(f.HELD_AT + whose * f.HELD + board.graveyards(p))
            for name, piece in board:
                if piece.side != p:
                    continue
                h = hex_index(name)
                kind = whose * TYPES + piece.unit.index
                turned = h if side == 0 else mirror((*board.map.symmetries, "rotation180")[0], h)
                spot = 0 if h in graves else 1 if any(distance(h, grave) == 1 for grave in graves) else 2
                found += [f.UNIT_AT + 100 * kind + turned, f.SPOT_AT + f.SPOTS * kind + spot]
            for unit, count in board.reinforcements(p).items():
                kind = whose * TYPES + unit.index
                found += [f.RESERVE_AT + f.RESERVE * kind + i for i in range(min(count, f.RESERVE))]
    for whose, p in enumerate((side, 1 - side)):
        found.append(f.PURSE_AT + whose * f.PURSE + min(state.money[p] // (2 * len(boards)), f.PURSE - 1))
        found.append(f.POINTS_AT + whose * f.TO_GO + min(state.config.points - state.points[p], f.TO_GO) - 1)
        for card, letter in zip(state.config.techline.cards, state.cards(p), strict=True):
            if letter != "L":
                kind = TYPES + (card.letter != COPYCAT) if card.unit is None else card.unit.index
                found.append(f.CARD_AT + 2 * (whose * (TYPES + f.SPECIAL) + kind) + "UA".index(letter))
    return sorted([*found, f.SIZE_AT + min(len(boards), f.SIZES) - 1])
