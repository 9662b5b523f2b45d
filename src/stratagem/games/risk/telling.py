"""Moves of Risk in words, what is asked of a seat, and the chance that an attack takes its goal."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from stratagem.games.risk import dice
from stratagem.games.risk import kernels as k
from stratagem.games.risk.atlas import IDS, LETTERS, NAMES
from stratagem.games.risk.odds import odds, roll
from stratagem.kernel import CHANCE

if TYPE_CHECKING:
    from stratagem.games.risk.game import RiskPosition


MANY = 300  # armies beyond which where an attack stops hardly matters


def taking(armies: int, defenders: int, least: int) -> float:
    """The chance that an attack takes a territory if it stops at so few armies, both sides rolling the most dice."""
    if armies + defenders > MANY:
        return odds(max(armies - max(least, 1), 1), defenders).win
    return _taking(armies, defenders, least)


@cache
def _taking(armies: int, defenders: int, least: int) -> float:
    if defenders <= 0:
        return 1.0
    if armies <= max(least, 1):
        return 0.0
    dice, defence = min(3, armies - 1), min(2, defenders)
    outcomes = roll(dice, defence)
    stake = len(outcomes) - 1
    return sum(
        n * _taking(armies - lost, defenders - (stake - lost), least) for lost, n in enumerate(outcomes)
    ) / 6 ** (dice + defence)


def named(text: str) -> str:
    """A territory or card as people call it."""
    return NAMES[IDS.index(text)] if text in IDS else text


def in_words(position: RiskPosition, move: str, mover: int) -> str:
    """One move or chance outcome; several with `;` between are worded one by one as far as they follow from each other."""
    s = position.state
    phase, pair = int(s[k.PHASE]), (int(s[k.FROM]), int(s[k.TO]))
    if ";" in move:
        return "; ".join(_plain(part.strip()) for part in move.split(";"))
    start, end = (NAMES[t] if 0 <= t < len(NAMES) else "" for t in pair)
    if mover == CHANCE:
        return _chance(position, move, start, end)
    if phase == k.ADD:
        return f"puts {_armies(move)} on {start}"
    if phase == k.OCCUPY:
        return f"moves {_armies(move)} into {end}"
    if phase == k.SHIFT:
        return f"moves {_armies(move)} from {start} to {end}"
    if ">" in move and phase == k.ATTACK:
        a, _, b = move.partition(">")
        holder = position.game.side_letter(int(s[k.OWNER + IDS.index(b)])) if b in IDS else "?"
        return f"attacks {named(b)} ({holder}) from {named(a)}"
    verbs = {
        k.CLAIM: "claims {}",
        k.PLACE: "puts an army on {}",
        k.CHOOSE_BONUS: "puts the 2 extra armies on {}",
        k.REINFORCE: "reinforces {}",
    }
    return verbs[phase].format(named(move)) if phase in verbs and move in IDS else _plain(move)


def _armies(number: str) -> str:
    return "1 army" if number == "1" else f"{number} armies"


def _plain(move: str) -> str:
    """A move by its text alone."""
    word, _, rest = move.partition(" ")
    if word == "roll":
        return f"rolls {rest} {'die' if rest == '1' else 'dice'}"
    if word == "until":
        return f"fights on until {_armies(rest)} would be left"
    if word == "defend":
        return f"defends with {rest} {'die' if rest == '1' else 'dice'}"
    if "+" in move:
        return f"trades {', '.join(named(card) for card in move.split('+'))}"
    if ">" in word:
        a, _, b = word.partition(">")
        return f"from {named(a)} to {named(b)}" + (f", {rest}" if rest else "")
    if word in IDS:
        return named(word) + (f" {rest}" if rest else "")
    return {"stop": "stops attacking", "end": "ends the turn", "keep": "keeps the cards"}.get(move, move)


def _chance(position: RiskPosition, move: str, start: str, end: str) -> str:
    s = position.state
    if move.startswith("lost "):
        lost, killed = dice.losses(move)
        roll = dice.of(move)
        rolled = "" if roll is None else " ({} to {})".format(*roll.shown)
        attacker = LETTERS[int(s[k.PLAYER])]
        defender = position.game.side_letter(int(s[k.OWNER + s[k.TO]]))
        if killed >= int(s[k.ARMIES + s[k.TO]]):
            return f"{attacker} took {end} from {defender}, lost {lost}{rolled}"
        return f"{attacker} at {start} lost {lost}, {defender} in {end} lost {killed}{rolled}"
    who, drawn, card = move.partition(" draws ")
    if drawn:
        return f"{who} draws {named(card)}" if card in IDS or card.startswith("wild") else f"{who} draws a card"
    return f"{named(move)} is dealt"


def chance_of(position: RiskPosition, move: str) -> float | None:
    """How likely an attack takes its goal, for a move that says how long to fight; None for any other."""
    s = position.state
    if s[k.PHASE] != k.HOW or not move.startswith("until "):
        return None
    return taking(int(s[k.ARMIES + s[k.FROM]]), int(s[k.ARMIES + s[k.TO]]), int(move.split()[1]))


def button(position: RiskPosition, move: str, mover: int) -> str:
    """A move in the words of a button; beside how long to fight stands how likely that takes the goal."""
    s = position.state
    said = in_words(position, move, mover)
    if (chance := chance_of(position, move)) is not None:
        return f"{said} ({chance:.0%} to take it)"
    if s[k.PHASE] == k.ATTACK and ">" in move:
        a, b = (IDS.index(name) for name in move.split(">"))
        return f"{said} ({taking(int(s[k.ARMIES + a]), int(s[k.ARMIES + b]), 1):.0%} to take it)"
    return said
