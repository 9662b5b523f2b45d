"""Reading the text of a position, and refusing with one line what no game of Risk can have come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stratagem.errors import ParseError, StratagemError
from stratagem.games.risk import kernels as k
from stratagem.games.risk.atlas import CARD_NAMES, IDS, NEIGHBOURS, TERRITORIES, territory
from stratagem.kernel import State

if TYPE_CHECKING:
    from stratagem.games.risk.game import Risk

VALUES = {
    "phase",
    "seat",
    "turn",
    "board",
    "sets",
    "pool",
    "cards",
    "from",
    "to",
    "dice",
    "until",
    "defence",
    "was",
    "step",
    "hands",
    "discard",
}
FLAGS = {"captured": k.CAPTURED, "bonus": k.BONUS, "midturn": k.MIDTURN}
SETTING_UP = (k.DEALING, k.CLAIM, k.PLACE)
MOST = 10**9


def read(game: Risk, text: str) -> State:
    fields: dict[str, str] = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if name in fields or not (name in VALUES if equals else name in FLAGS):
            raise ParseError(
                f"{word[:60]!r} in the position is not a new NAME=VALUE that Risk knows; see docs/games/risk.md"
            )
        fields[name] = value
    missing = [name for name in ("phase", "seat", "turn", "board") if name not in fields]
    if missing:
        raise ParseError(f"a position of risk says phase, seat, turn and board; {', '.join(missing)} is missing")
    s = game.blank()
    if fields["phase"] not in k.PHASES:
        raise ParseError(f"phase {fields['phase']!r} is none of {', '.join(k.PHASES)}")
    s[k.PHASE] = phase = k.PHASES.index(fields["phase"])
    s[k.PLAYER] = _seat(game, fields["seat"], "seat")
    s[k.TURN] = _whole(fields["turn"], "turn", 0 if phase in SETTING_UP else 1, game["turn_cap"] or MOST)
    _board(game, s, fields["board"])
    _cards(game, s, fields)
    for name, cell in FLAGS.items():
        s[cell] = name in fields
    s[k.SETS] = _whole(fields.get("sets", "0"), "sets", 0, MOST)
    s[k.POOL] = _whole(fields.get("pool", "0"), "pool", 0, MOST)
    _under_way(game, s, fields)
    _consistent(game, s)
    return s


def _whole(text: str, what: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 12) or not low <= int(text) <= high:
        raise ParseError(f"the {what} is {text[:40]!r}; it goes from {low} to {high}")
    return int(text)


def _seat(game: Risk, text: str, what: str, sides: bool = False) -> int:
    letters = [game.side_letter(p) for p in range(game.sides if sides else game.players)]
    if text not in letters:
        raise ParseError(f"the {what} is {text[:40]!r}; there are {', '.join(letters)}")
    return letters.index(text)


def _territory(text: str, what: str) -> int:
    try:
        return territory(text)
    except StratagemError as error:
        raise ParseError(f"{what}: {error}") from None


def _board(game: Risk, s: State, text: str) -> None:
    cells = text.split(",")
    if len(cells) != TERRITORIES:
        raise ParseError(f"the board has {len(cells)} territories; it is {TERRITORIES} like A3, with commas between")
    free = s[k.PHASE] in (k.DEALING, k.CLAIM)
    for t, cell in enumerate(cells):
        if cell == ".":
            if not free:
                raise ParseError(f"{IDS[t]} is free, but in phase {k.PHASES[int(s[k.PHASE])]} every territory is owned")
            s[k.OWNER + t] = -1
            continue
        side = _seat(game, cell[:1], f"owner of {IDS[t]}", sides=True)
        # a captured territory is empty until it is occupied
        s[k.ARMIES + t] = _whole(cell[1:], f"number of armies of {IDS[t]}", s[k.PHASE] != k.OCCUPY, MOST)
        s[k.OWNER + t] = side
        s[k.OWNS + side] += 1
        s[k.PICKS] += 1
    if s[k.PHASE] in SETTING_UP:
        _setting_up(game, s)


def _setting_up(game: Risk, s: State) -> None:
    """In the setup the board tells who is next and what is left to place."""
    if s[k.TURN]:
        raise ParseError("turns begin after the setup: turn is 0 in deal, claim and place")
    if (s[k.PHASE] == k.CLAIM and game.dealt) or (s[k.PHASE] == k.DEALING and not game.dealt):
        raise ParseError(f"territories are {'dealt' if game.dealt else 'claimed'} with these options")
    picked = game.claimers[: int(s[k.PICKS])]
    for side in range(game.sides):
        if picked.count(side) != s[k.OWNS + side]:
            raise ParseError(
                f"after {s[k.PICKS]} picks {game.side_letter(side)} has {picked.count(side)} territories, not {s[k.OWNS + side]}"
            )
        s[k.LEFT + side] = k.SETUP_ARMIES[game.players] - k.armies(s, side)
        if s[k.LEFT + side] < 0:
            raise ParseError(
                f"{game.side_letter(side)} has more than its {k.SETUP_ARMIES[game.players]} armies on the board"
            )
    if s[k.PHASE] == k.PLACE:
        return
    if s[k.PICKS] == TERRITORIES:
        raise ParseError("all territories are claimed: the phase is place")
    expected = game.claimers[int(s[k.PICKS])] if s[k.PHASE] == k.CLAIM else 0
    if (s[k.ARMIES : k.ARMIES + TERRITORIES] > 1).any():
        raise ParseError("while territories are free, each that is claimed has 1 army")
    if s[k.PLAYER] != expected:
        raise ParseError(f"after {s[k.PICKS]} picks it is the turn of {game.side_letter(expected)}")


def _cards(game: Risk, s: State, fields: dict[str, str]) -> None:
    def put(names: str, place: int, what: str) -> int:
        listed = names.split("+")
        for name in listed:
            if name not in CARD_NAMES:
                raise ParseError(f"{what}: {name[:40]!r} is no card; one is a territory's id, wild1 or wild2")
            cell = k.CARD + CARD_NAMES.index(name)
            if s[cell] != k.UNSEEN:
                raise ParseError(f"{what}: card {name} is there twice")
            s[cell] = place
        return len(listed)

    if "hands" in fields:
        hands = fields["hands"].split("/")
        if len(hands) != game.players:
            raise ParseError(f"hands has {len(hands)} hands; there are {game.players} seats")
        for p, hand in enumerate(hands):
            if hand.startswith("?"):
                s[k.HELD + p] = _whole(hand[1:], f"hand of {game.side_letter(p)}", 1, k.DECK)
            elif hand != "-":
                s[k.HELD + p] = put(hand, k.HAND + p, f"hand of {game.side_letter(p)}")
    if "discard" in fields:
        put(fields["discard"], k.DISCARDED, "discard")
    hidden = sum(int(s[k.HELD + p]) for p in range(game.players)) - int((s[k.CARD : k.CARD + k.DECK] >= k.HAND).sum())
    if hidden > (s[k.CARD : k.CARD + k.DECK] == k.UNSEEN).sum():
        raise ParseError(f"there are {k.DECK} cards; more are held")
    if game["cards"] == "none" and (s[k.CARD : k.CARD + k.DECK].any() or hidden):
        raise ParseError("there are no cards with these options")


def _under_way(game: Risk, s: State, fields: dict[str, str]) -> None:
    """What is being decided: an attack, an occupation, a move, armies to add, cards traded."""
    phase = int(s[k.PHASE])
    wanted = {
        k.CHOOSE_BONUS: {"cards"},
        k.ADD: {"from"},
        k.HOW: {"from", "to"},
        k.DEFEND: {"from", "to", "dice"},
        k.ROLL: {"from", "to", "dice", "defence"},
        k.OCCUPY: {"from", "to", "dice", "was"},
        k.SHIFT: {"from", "to"},
    }.get(phase, set())
    given = set(fields) & {"cards", "from", "to", "dice", "until", "defence", "was", "step"}
    allowed = (
        wanted
        | ({"until"} if phase in (k.DEFEND, k.ROLL) else set())
        | ({"step"} if phase == k.PLACE and game.neutral else set())
    )
    if not wanted <= given <= allowed:
        raise ParseError(
            f"phase {k.PHASES[phase]} says {', '.join(sorted(wanted)) or 'nothing more'}; "
            f"look at {', '.join(sorted(given ^ wanted))}"
        )
    if phase == k.CHOOSE_BONUS:
        cards = fields["cards"].split("+")
        if len(cards) != 3 or not set(cards) <= set(CARD_NAMES):
            raise ParseError(f"cards {fields['cards']!r} is not three cards like alaska+peru+wild1")
        s[[k.FROM, k.TO, k.DICE]] = sorted(CARD_NAMES.index(c) for c in cards)
        return
    if "from" in wanted:
        s[k.FROM] = _territory(fields["from"], "from")
    if "to" in wanted:
        s[k.TO] = _territory(fields["to"], "to")
    if "was" in wanted:
        s[k.STEP] = _seat(game, fields["was"], "side that lost the territory", sides=True)
    for name, cell, most in (
        ("dice", k.DICE, 3),
        ("defence", k.DEFENCE, 2),
        ("until", k.UNTIL, MOST),
        ("step", k.STEP, 2),
    ):
        if name in fields:
            s[cell] = _whole(fields[name], name, 1, most)


def _require(s: State, holds: object, what: str) -> None:
    if not holds:
        raise ParseError(f"phase {k.PHASES[int(s[k.PHASE])]}: {what}")


def _consistent(game: Risk, s: State) -> None:
    phase, p = int(s[k.PHASE]), int(s[k.PLAYER])
    if phase in SETTING_UP:
        _consistent_setup(game, s, p)
        return
    won = int(game.rule(k.winner, s))
    capped = bool(game["turn_cap"]) and s[k.TURN] >= game["turn_cap"]
    over = (won >= 0 or capped) if phase == k.ENDED else (won < 0 or phase == k.OCCUPY)
    _require(s, over, "a game is over when a seat has won or at the cap of turns")
    _require(s, s[k.OWNS + p] > 0, f"{game.side_letter(p)} has no territory left")
    if phase in (k.REINFORCE, k.ADD):
        _require(s, s[k.POOL] > 0, "there is a pool of armies to place")
    elif phase not in (k.TRADE, k.CHOOSE_BONUS):
        _require(s, not s[k.POOL], "the pool is placed before anything else is done")
    if s[k.MIDTURN]:
        placing = phase in (k.TRADE, k.CHOOSE_BONUS, k.REINFORCE, k.ADD)
        _require(s, placing and s[k.CAPTURED], "midturn is said while trading or placing after an elimination")
    if phase in (k.TRADE, k.CHOOSE_BONUS, k.DRAW):
        _consistent_cards(game, s, p)
    elif phase in (k.HOW, k.DEFEND, k.ROLL):
        _consistent_attack(game, s, p)
    elif phase in (k.ADD, k.OCCUPY, k.SHIFT):
        _consistent_move(game, s, p)


def _consistent_setup(game: Risk, s: State, p: int) -> None:
    later = s[k.POOL] or s[k.SETS] or s[[k.CAPTURED, k.BONUS, k.MIDTURN]].any() or s[k.HELD : k.HELD + 6].any()
    _require(s, not later, "there are no cards, sets or pool yet")
    if s[k.PHASE] != k.PLACE:
        return
    side = game.players if game.neutral and s[k.STEP] == 2 else p
    _require(s, s[k.LEFT + side] > 0, f"{game.side_letter(side)} has no armies left to place")
    if game.neutral:  # A and B take turns of two own armies and a neutral one, A first
        mine, theirs = int(s[k.LEFT + p] + s[k.STEP]), int(s[k.LEFT + 1 - p])
        fits = mine == theirs + 2 * p and mine % 2 == 0 and s[k.LEFT + 2] == (mine + theirs) // 2
        _require(s, fits, "the armies on the board are not those of placements in turn, two own and a neutral one")


def _consistent_cards(game: Risk, s: State, p: int) -> None:
    place = s[k.CARD : k.CARD + k.DECK]
    if s[k.PHASE] == k.TRADE:
        known = int((place == k.HAND + p).sum()) == s[k.HELD + p]
        _require(s, s[k.HELD + p] >= (5 if s[k.MIDTURN] else 3), "there are too few cards")
        _require(s, not known or game.legal(s, p), "there is no set to trade")
    elif s[k.PHASE] == k.CHOOSE_BONUS:
        cards = [int(c) for c in s[[k.FROM, k.TO, k.DICE]]]
        own = [c for c in cards if c < k.WILD and s[k.OWNER + c] == p]
        traded = len(set(cards)) == 3 and k.is_set(*cards) and all(place[c] == k.DISCARDED for c in cards)
        _require(s, traded and len(own) > 1, "the cards are a set just traded, two of them own territories")
    else:
        drawn = s[k.CAPTURED] and (place == k.UNSEEN).any()
        _require(s, drawn, "a card is drawn after a capture, if there is one")


def _consistent_attack(game: Risk, s: State, p: int) -> None:
    phase, a, b = s[k.PHASE], int(s[k.FROM]), int(s[k.TO])
    owner, armies = s[k.OWNER : k.OWNER + TERRITORIES], s[k.ARMIES : k.ARMIES + TERRITORIES]
    _require(s, owner[a] == p and owner[b] != p and b in NEIGHBOURS[a], f"{IDS[a]} cannot attack {IDS[b]}")
    _require(s, armies[a] > max(1, s[k.DICE]), f"{IDS[a]} has too few armies")
    goes_on = s[k.UNTIL] == 0 or (s[k.UNTIL] < armies[a] and s[k.DICE] == min(3, armies[a] - 1))
    _require(s, phase == k.HOW or goes_on, "until goes on with the most dice while more armies are there")
    free = game["defence"] == "choose" and owner[b] < game.players
    if phase == k.ROLL:
        rolls = s[k.DEFENCE] == min(2, armies[b]) or (free and s[k.DEFENCE] <= armies[b])
        _require(s, rolls, "the defender rolls as many dice as it may")
    _require(s, phase != k.DEFEND or (free and armies[b] >= 2), "the defender has no choice")


def _consistent_move(game: Risk, s: State, p: int) -> None:
    phase, a, b = s[k.PHASE], int(s[k.FROM]), int(s[k.TO])
    owner, armies = s[k.OWNER : k.OWNER + TERRITORIES], s[k.ARMIES : k.ARMIES + TERRITORIES]
    if phase == k.ADD:
        _require(s, owner[a] == p, f"{IDS[a]} is not {game.side_letter(p)}'s")
    elif phase == k.OCCUPY:
        captured = s[k.CAPTURED] and owner[a] == p and owner[b] == p and b in NEIGHBOURS[a] and armies[b] == 0
        _require(s, captured and s[k.STEP] != p, f"{IDS[b]} was not just captured from {IDS[a]}")
        _require(s, armies[a] > s[k.DICE] and np.count_nonzero(armies) == TERRITORIES - 1, "too few armies")
    else:
        moves = game.legal(_as_fortify(s), p)
        _require(s, a * TERRITORIES + b in moves, f"armies cannot move from {IDS[a]} to {IDS[b]}")


def _as_fortify(s: State) -> State:
    other = s.copy()
    other[k.PHASE] = k.FORTIFY
    return other
