"""perft against brute force: the definition, played out move by move."""

from __future__ import annotations

import random
from itertools import combinations, permutations

import pytest
from references.minions import apart, around, enters, on_board, read

from stratagem.errors import StratagemError
from stratagem.games.minions import GameConfig, GameState
from stratagem.games.minions.notation import fen, parse_fen
from stratagem.games.minions.perft import perft
from stratagem.games.minions.units import by_letter

LINES = "L" * 25 + "|" + "L" * 25


def outcomes(tiles, team, foes):
    """All (destinations, killed, unsummoned) that a team alone on the board with its enemies can bring about.

    team: [(unit, hex)], foes: [(unit, hex)]. A state: for each fighter (hex, moved, attacks used), for each enemy its
    damage, or "k" or "u" once it is gone.
    """

    def reachable(unit, start, standing):
        found, edge = set(), {start}
        for _ in range(unit.speed):
            edge = {to for h in edge for to in around(h) if on_board(to) and enters(unit, tiles[to])
                    and (unit.flying or to not in standing)}  # fmt: skip
            found |= edge
        return found - standing - {start}

    def following(state):
        fighters, enemies = state
        standing = {foes[k][1] for k, e in enumerate(enemies) if e not in ("k", "u")}
        held = {h for h, _, _ in fighters}
        goals = {
            k: reachable(team[k][0], h, standing)
            for k, (h, moved, used) in enumerate(fighters)
            if not moved and not used
        }
        for k, places in goals.items():
            for to in places - held:
                yield (*fighters[:k], (to, True, 0), *fighters[k + 1 :]), enemies
        for n in range(2, len(goals) + 1):
            for group in combinations(goals, n):
                for rest in permutations(group[1:]):
                    ring = (group[0], *rest)
                    nexts = ring[1:] + ring[:1]
                    if all(fighters[b][0] in goals[a] for a, b in zip(ring, nexts, strict=True)):
                        new = list(fighters)
                        for a, b in zip(ring, nexts, strict=True):
                            new[a] = (fighters[b][0], True, 0)
                        yield tuple(new), enemies
        for k, (h, moved, used) in enumerate(fighters):
            unit = team[k][0]
            if used >= unit.attacks or (moved and unit.lumbering):
                continue
            for y, damage in enumerate(enemies):
                foe, at = foes[y]
                if (
                    damage in ("k", "u")
                    or apart(h, at) > unit.range
                    or (unit.attack == "deathtouch" and foe.necromancer)
                ):
                    continue
                if unit.attack == "unsummon" and not foe.persistent:
                    result = "u"
                else:
                    result = damage + {"unsummon": 1, "deathtouch": 99}.get(unit.attack, unit.damage)
                    result = "k" if result >= foe.defense else result
                new = (*fighters[:k], (h, moved, used + 1), *fighters[k + 1 :])
                yield new, (*enemies[:y], result, *enemies[y + 1 :])

    start = (tuple((h, False, 0) for _, h in team), (0,) * len(foes))
    seen, stack = {start}, [start]
    found = set()
    while stack:
        state = stack.pop()
        fighters, enemies = state
        gone = tuple(e if e in ("k", "u") else "" for e in enemies)
        found.add((tuple(h for h, _, _ in fighters), gone))
        for new in following(state):
            if new not in seen:
                seen.add(new)
                stack.append(new)
    return found


def brute(tiles, team, foes):
    every = {group: outcomes(tiles, [team[k] for k in group], foes)
             for n in range(len(team) + 1) for group in combinations(range(len(team)), n)}  # fmt: skip
    total = 0
    for group, found in every.items():
        for places, gone in found:
            smaller = (
                (tuple(g for g in group if g != x), tuple(p for g, p in zip(group, places, strict=True) if g != x))
                for x in group
            )
            total += not any((rest, gone) in every[g] for g, rest in smaller)
    return total


def board_text(men):
    rows = []
    for y in range(10):
        row = "".join(men.get((x, y), ".") for x in range(10))
        for gap in range(10, 0, -1):
            row = row.replace("." * gap, str(gap) if gap < 10 else "0")
        rows.append(row)
    return "/".join(rows)


def position(dice: random.Random, config: GameConfig, attackers: int, defenders: int, slow: bool):
    """A few units close together, speed up to 2 (1 if not slow)."""
    kinds = [u for u in by_letter().values() if u.speed <= (2 if slow else 1) and u.letter != "N"]
    tiles = config.lands[0].tiles
    x, y = dice.randrange(7), dice.randrange(7)
    spots = [(x + dx, y + dy) for dx in range(4) for dy in range(4)]
    men: dict[tuple[int, int], str] = {}
    while len(men) < attackers + defenders:
        spot, unit = dice.choice(spots), dice.choice(kinds if len(men) < attackers else list(by_letter().values()))
        taken = unit.letter == "N" and "n" in men.values()
        if spot not in men and not taken and enters(unit, tiles[10 * spot[1] + spot[0]]):
            men[spot] = unit.letter if len(men) < attackers else unit.letter.lower()
    return parse_fen(f"0|0 0|0 {LINES} n|||||{board_text(men)} 0 1", config)


def check(state: GameState) -> int:
    tiles = {(h % 10, h // 10): tile for h, tile in enumerate(state.config.lands[0].tiles)}
    team = [(p.unit, read(name)) for name, p in state.boards[0] if p.side == 0]
    foes = [(p.unit, read(name)) for name, p in state.boards[0] if p.side == 1]
    expected = brute(tiles, team, foes)
    assert perft(state.boards[0]) == expected, fen(state)
    return expected


@pytest.mark.parametrize("name", ["AllLand", "BlackenedShores", "MidnightLake"])
def test_perft_agrees_with_brute_force(name: str) -> None:
    dice, config = random.Random(name), GameConfig.make((name,))
    counts = [check(position(dice, config, 3, 3, slow=False)) for _ in range(12)]
    counts += [check(position(dice, config, 2, 3, slow=True)) for _ in range(12)]
    assert max(counts) > 10
    assert len(set(counts)) > 5


@pytest.mark.slow
@pytest.mark.parametrize("name", ["AllLand", "BlackenedShores", "MidnightLake"])
def test_perft_agrees_with_brute_force_at_speed_two(name: str) -> None:
    dice, config = random.Random(name + "2"), GameConfig.make((name,))
    for _ in range(12):
        check(position(dice, config, 3, 3, slow=True))


def test_nothing_to_attack_leaves_the_empty_turn() -> None:
    assert perft(GameState.start(GameConfig.make(("AllLand",))).boards[0]) == 1


def test_killing_the_blocker_opens_the_way() -> None:
    # the Warg on a0 is shut in by zombies on a1 and b0; the Witch on d0 can remove the one on b0
    config = GameConfig.make(("AllLand",))
    state = parse_fen(f"0|0 0|0 {LINES} n|||||Wz1J6/z9/2s7/0/0/0/0/0/0/0 0 1", config)
    assert perft(state.boards[0]) > 4


def test_a_board_too_large_to_count_is_refused() -> None:
    config = GameConfig.make(("AllLand",))
    row = "KkKkKkKkKk"
    state = parse_fen(f"0|0 0|0 {LINES} n|||||{'/'.join([row] * 6)}/0/0/0/0 0 1", config)
    with pytest.raises(StratagemError, match="combinations"):
        perft(state.boards[0])
