"""Why a turn, in words: what it removes, what it holds and risks, where the money goes, and what else the values say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from stratagem.games.minions.engine.stages import MinionsStaging
from stratagem.games.minions.engine.techs import tech_words
from stratagem.games.minions.engine.threats import net, risk
from stratagem.games.minions.engine.worth import COUNT, NAMES, SURE
from stratagem.games.minions.maps import hex_index
from stratagem.games.minions.scripted import ANSWERED_TYPES
from stratagem.games.minions.state import SIDES, Board, GameState
from stratagem.games.minions.turn import GameTurn
from stratagem.games.minions.units import units
from stratagem.games.minions.words import steps

LIKELY = 0.5  # a risk from which a unit is said to be in danger
STATED = 4  # features that are named


def counted(names: Sequence[str]) -> str:
    """`2 Zombies, a Lich`."""
    found = Counter(names)
    return ", ".join(
        f"{n} {name}s" if n > 1 else f"{'an' if name[0] in 'AEIOU' else 'a'} {name}" for name, n in found.items()
    )


def removals(before: Board, after: Board, side: int) -> tuple[list[str], list[str]]:
    """The enemies of a side that are gone from a board: killed, and sent home."""
    still = {name for name, piece in after.pieces.items() if piece.side != side}
    gone = [piece.unit for name, piece in before.pieces.items() if piece.side != side and name not in still]
    came = after.reinforcements(1 - side) - before.reinforcements(1 - side)
    killed, home = [], []
    for unit in gone:
        if came[unit] > 0:
            came[unit] -= 1
            home.append(unit.name)
        else:
            killed.append(unit.name)
    return killed, home


def explain(staging: MinionsStaging, state: GameState, turn: GameTurn) -> list[str]:
    """Sentences about a turn that begins in a state."""
    side, during, after = state.side, state.during(turn), state.play(turn)
    said = [_general(staging, state, turn)]
    for before, middle, actions in zip(state.boards, during.boards, turn.boards, strict=True):
        resigned = any(action.kind == "resign" for action in actions)
        said.append(f"Board {before.index} is given up." if resigned else _board(staging, before, middle, after, side))
    said += _magic(state, turn)
    said.append(_money(state, during, after, turn))
    for p, name in enumerate(SIDES):
        if after.points[p] > state.points[p] and after.winner is None:
            said.append(f"{name} gains a point and has {after.points[p]} of {state.config.points}.")
    if after.winner is not None:
        said.append(f"It wins the game for {SIDES[after.winner]}.")
    else:
        said.append(_weights(staging, state, turn))
    return [line for line in said if line]


def _general(staging: MinionsStaging, state: GameState, turn: GameTurn) -> str:
    said = []
    if turn.tech.advance:
        said.append(f"marches {turn.tech.advance}")
    theirs = {piece.unit.index for board in state.boards for _, piece in board if piece.side != state.side}
    for c in turn.tech.acquire:
        card = state.config.techline.cards[c]
        answers = 0 if card.unit is None else int(ANSWERED_TYPES[card.unit.index])
        against = [units()[t].name for t in sorted(theirs) if answers >> t & 1]
        said.append(f"acquires {card.name}" + (f", which answers {', '.join(against)}" if against else ""))
    if not said:
        return "The general does nothing."
    aims = staging.aims(tech_words((turn.tech.advance, tuple(sorted(turn.tech.acquire)))))
    later = [state.config.techline.cards[c].name for c in aims if c not in turn.tech.acquire]
    return f"The general {' and '.join(said)}" + (f", on the way to {', then '.join(later)}." if later else ".")


def _board(staging: MinionsStaging, before: Board, middle: Board, after: GameState, side: int) -> str:
    k = before.index
    killed, home = removals(before, middle, side)
    said = []
    if killed:
        said.append(f"kills {counted(killed)}")
    if home:
        said.append(f"sends home {counted(home)}")
    held, now = before.graveyards(side), middle.graveyards(side)
    theirs, left = before.graveyards(1 - side), middle.graveyards(1 - side)
    said.append(f"holds {now} graveyards ({now - held:+d}) against {left} ({left - theirs:+d})")
    danger, lost = _dangers(staging, after, k, side)
    if danger:
        said.append(f"risks {counted(danger)}, {lost} dollars net")
    else:
        said.append("risks nobody")
    return f"Board {k} {', '.join(said)}."


def _magic(state: GameState, turn: GameTurn) -> list[str]:
    """What of spells and tiles that act a turn uses, and which spells boards take."""
    taken = [f"Board {gift.board} takes {gift.spell}." for gift in turn.spells if gift.spell is not None]
    kinds = [action.kind for actions in turn.boards for action in actions]
    reported = [words for _, words in steps(state, turn)][1:]  # the first is the general's
    acts = ("cast", "discard", "teleport", "rise", "ability")
    return taken + [f"{words}." for kind, words in zip(kinds, reported, strict=True) if kind in acts]


def _dangers(staging: MinionsStaging, after: GameState, k: int, side: int) -> tuple[list[str], int]:
    """The units of a side that the other could remove next, and what that would cost."""
    board = after.boards[k]
    if board.state != "n" or after.winner is not None:
        return [], 0
    staging.played(after.array, b"")
    staging.threaten(k)
    scratch, g = staging.scratch(), after.config.ground
    names, lost = [], 0
    for name, piece in board:
        if piece.side == side and risk(g, piece.unit.index, hex_index(name), 1 - side, scratch.threat) >= LIKELY:
            names.append(piece.unit.name)
            lost += int(net(g, piece.unit.index))
    return names, lost


def _money(state: GameState, during: GameState, after: GameState, turn: GameTurn) -> str:
    side = state.side
    spells = max(turn.tech.spells - 1, 0) * state.config.spell_price
    said = [f"{spells} to spells"] if spells else []
    for k, actions in enumerate(turn.boards):
        bought = [action.unit for action in actions if action.kind == "buy" and action.unit is not None]
        if bought:
            cost = sum(unit.cost for unit in bought)
            said.append(f"{cost} to board {k} ({counted([unit.name for unit in bought])})")
    kept, came = during.money[side], after.money[side] - during.money[side]
    return f"Of {state.money[side]} dollars {', '.join([*said, f'{kept} are kept'])}; {came} come in."


def _weights(staging: MinionsStaging, state: GameState, turn: GameTurn) -> str:
    """The features that moved the value most, beside a turn that does nothing."""
    start = staging.imagined(state.array)
    value = staging.judged(start, turn.words().tobytes())
    with_it, said = staging.scratch().judged.x[:COUNT].copy(), staging.scratch().judged.answer[0]
    idle = staging.all_setups(start)
    staging.judged(start, idle)
    gain = staging.weights[:COUNT] * (with_it - staging.scratch().judged.x[:COUNT])
    names = [*NAMES, "what the network adds"]
    both = max(abs(said), abs(staging.scratch().judged.answer[0])) < SURE and staging.oracle is not None
    odds = 2.0 * np.arctanh(np.array([said, staging.scratch().judged.answer[0]]) / SURE) if both else np.zeros(2)
    gain = np.append(gain, odds[0] - odds[1] - gain.sum() if both else 0.0)
    order = [i for i in np.argsort(-np.abs(gain)) if abs(gain[i]) > 0.005][:STATED]
    if not order:
        return f"After a short answer it is judged {value:+.3f}, as doing nothing is."
    reported = ", ".join(f"{names[i]} {gain[i]:+.2f}" for i in order)
    return f"After a short answer it is judged {value:+.3f}; beside doing nothing, in log odds: {reported}."
