"""The steps of a turn for people: technology, attack and move, buy and spawn; what is left in each, and what ends it."""

from __future__ import annotations

from collections.abc import Sequence

from stratagem.contract.companions.steps import DONE, OPEN, Step
from stratagem.contract.game import Parts
from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout
from stratagem.games.minions.config import hexes_of
from stratagem.games.minions.maps import hex_name
from stratagem.games.minions.state import GameState
from stratagem.games.minions.turn import PHASES, Tech, board_action, parse_part
from stratagem.games.minions.units import Unit
from stratagem.games.minions.words import tech_in_words


def steps(before: GameState, now: GameState, prefix: Sequence[str], following: Parts) -> tuple[Step, ...]:
    """The three steps; `before` is the state before the turn, `now` after the parts so far."""
    boards = now.config.boards
    chosen: tuple[list[str], list[str], list[str]] = ([], [], [])
    for part in prefix:
        chosen[_step_of(part, boards)].append(part)
    left: tuple[list[str], list[str], list[str]] = ([], [], [])
    for part in following.next:
        if part not in following.grave and " move_cyclic " not in part:  # which is for two units that are chosen
            left[_step_of(part.rpartition(";")[2], boards)].append(part)
    single = [part for part in left[1] if ";" not in part]
    units = len({(*part.split()[:2], _actor(part, boards)) for part in single if _actor(part, boards)})
    can_act = f"{units} unit{'s' * (units != 1)} can still act" if units else "no unit can act"
    purse = f"{now.money[now.side]} money left{'' if left[2] else ', nothing to buy or spawn'}"
    moved = f"{len(chosen[1])} chosen; " if chosen[1] else ""
    spawned = f"{len(chosen[2])} chosen; " if chosen[2] else ""
    order = "comes before spawning on its board, in whatever order you choose"
    return (
        Step("Technology", OPEN if left[0] else DONE, _technology(chosen[0], before), "once a turn", tuple(left[0])),
        Step("Attack and move", OPEN if left[1] else DONE, moved + can_act, order, tuple(left[1])),
        Step(
            "Buy and spawn",
            OPEN if left[2] else DONE,
            spawned + purse,
            "new units act from your next turn on",
            tuple(left[2]),
        ),
    )


def _step_of(part: str, boards: int) -> int:
    found = board_action(part, boards)
    if found is None:
        return 0
    action = found[1]
    if action.spell is not None:
        return 2 if action.spell.spawn_phase else 1
    return 2 if PHASES.get(action.kind, 1) == 2 else 1


def _actor(part: str, boards: int) -> str:
    """The hex of the unit that a part is about."""
    found = board_action(part, boards)
    return hex_name(found[1].hexes[0]) if found and found[1].hexes else ""


def _technology(parts: Sequence[str], before: GameState) -> str:
    techs = [found for part in parts if isinstance(found := parse_part(part, before.config.boards), Tech)]
    said = [words for tech in techs for words in tech_in_words(tech, before)]
    return " and ".join(said) or ("none" if techs else "nothing chosen")


def held(now: GameState, prefix: Sequence[str], following: Parts) -> tuple[str, ...]:
    """The unit that moved, while it may still attack; the unit that was bought or spawned, while there is one more; then
    whoever else waits among the reinforcements."""
    last = board_action(prefix[-1], now.config.boards)
    if last is None:
        return ()
    k, action = last
    if action.kind in ("move", "attack"):
        place = hex_name(action.hexes[-1 if action.kind == "move" else 0])
        begun = tuple(f"board {k} {kind} {place}" for kind in ("move", "attack"))
        return (f"{k} {place}",) if any(part.startswith(begun) for part in following.next) else ()
    unit = action.unit
    if action.kind in ("buy", "spawn") and unit is not None and (_held(now, k, unit) or another(now, prefix)):
        return (f"{k} {unit.letter}",)
    if action.kind == "spawn":
        waiting = [one.letter for one, number in now.boards[k].reinforcements(now.side).items() if number]
        open_ = [x for x in waiting if any(part.startswith(f"board {k} spawn {x} ") for part in following.next)]
        return (f"{k} {open_[0]}",) if open_ else ()
    return ()


def charges(now: GameState, following: Parts) -> tuple[str, ...]:
    """For each enemy that a unit reaches only after a move: the shortest such move and the attack, in one."""
    g, side, found = now.config.ground, now.side, []
    moves: dict[tuple[int, int], list[int]] = {}
    for part in following.next:
        read = board_action(part, now.config.boards) if " move " in part else None
        if read:
            moves.setdefault((read[0], read[1].hexes[0]), []).append(read[1].hexes[1])
    for (k, h), goals in moves.items():
        words, tiles = now.boards[k].words, layout.tiles_of(k)
        cell = int(words[layout.CELL + h])
        if cell == 0 or layout.owner(cell) != side or not layout.can_attack(g, words, h) or layout.lumbers(g, cell):
            continue
        nearest = sorted(goals, key=lambda to: (rules.steps_to(g, tiles, words, h, to), to))
        near = hexes_of(*layout.targets(g, words, h, h))
        for enemy in hexes_of(*layout.threat(g, tiles, words, h)):
            to = next((to for to in nearest if enemy in hexes_of(*layout.targets(g, words, h, to))), None)
            if enemy not in near and to is not None:
                at = hex_name(to)
                found.append(f"board {k} move {hex_name(h)}{at};board {k} attack {at}{hex_name(enemy)}")
    return tuple(found)


def _held(now: GameState, k: int, unit: Unit) -> bool:
    return bool(now.boards[k].reinforcements(now.side)[unit])


def another(now: GameState, prefix: Sequence[str]) -> tuple[str, ...]:
    """Once the last unit of its kind was spawned: one more of them, bought and spawned in one."""
    last = board_action(prefix[-1], now.config.boards)
    if last is None or last[1].kind != "spawn" or last[1].unit is None:
        return ()
    k, unit = last[0], last[1].unit
    board = now.boards[k]
    if _held(now, k, unit) or unit not in now.for_sale() or unit.cost > now.money[now.side]:
        return ()
    ground, words = now.config.ground, board.words
    fitting = hexes_of(*rules.places_for(ground, layout.tiles_of(k), words, now.side, unit.index))
    return tuple(f"board {k} buy {unit.letter};board {k} spawn {unit.letter} {hex_name(h)}" for h in fitting)
