"""The long checks of the attack stage, as commands: CI runs a sample of each, and the full runs are in docs/search/attack.md.

python tests/games/minions/attack_checks.py boards 5000      # what can be removed, against brute force
python tests/games/minions/attack_checks.py spells 2000      # the same with spells in hand
python tests/games/minions/attack_checks.py split 500       # the same with moves in several parts
python tests/games/minions/attack_checks.py perft 400        # counts of minimal attacks
python tests/games/minions/attack_checks.py plans 100000     # plans played by the rules
python tests/games/minions/attack_checks.py statements 1000  # against the second model, in Z3
python tests/games/minions/attack_checks.py greedy 1000      # what is kept of prophecies, against one by one
"""

from __future__ import annotations

import random
import sys
import time
from itertools import combinations
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from references.minions_attacks import BruteForce, crowd, melee

from stratagem.games.minions import GameConfig, GameState
from stratagem.games.minions.attack import AttackSolver, Plan, Prophecy, Statement
from stratagem.games.minions.attack.prophecy import Kept, greedy
from stratagem.games.minions.notation import extended_fen, parse_fen
from stratagem.games.minions.perft import perft
from stratagem.rng import generator

CONFIGS = [GameConfig.make((name,)) for name in ("AllLand", "BlackenedShores", "MidnightLake")]
BLINKERS = "HUOQZSPWKCLTA"  # letters with much blinking among them


def small_board(seed: int) -> GameState:
    dice = random.Random(seed)
    return crowd(dice, CONFIGS[seed % 3], dice.choice((2, 3, 3)), dice.choice((2, 3, 3)), "" if seed % 2 else BLINKERS)


SPELLS = GameConfig.make(("MidnightLake",), profile="server", split_moves=False, hand_limit=8, rare_spells=1)
SPLIT = GameConfig.make(("MidnightLake",), profile="server", spells=False)
SPLITTERS = "PWKUCLOHYD"
CARDS = ["fester"] * 4 + ["unsummon"] * 4 + ["dismember"] * 3 + ["lightning_bolt"] * 2 + ["unholy_might"] * 2
CARDS += ["cleave", "sunder", "protection", "doubleCantrip"] + ["stumble"] * 4


def board_with_spells(seed: int) -> GameState:
    """A small board with a hand of one to three cards, most of them of use in attacks."""
    dice = random.Random(seed)
    hand = ",".join(dice.choice(CARDS) for _ in range(dice.choice((1, 2, 2, 3))))
    return crowd(dice, SPELLS, 2, dice.choice((2, 3)), "" if seed % 2 else BLINKERS, hand)


def contact(seed: int) -> GameState:
    """A synthetic board in mid-game: 10 to 20 units against 8 to 18."""
    dice = random.Random(seed)
    return melee(dice, CONFIGS[seed % 3], dice.randint(10, 20), dice.randint(8, 18))


def self_play(seed: int, plies: int = 60) -> list[GameState]:
    """The positions of a game between varied scripts on one board."""
    rng = generator(seed, 7)
    state = GameState.start(CONFIGS[seed % 3])
    found = []
    for _ in range(plies):
        if state.winner is not None:
            break
        if state.boards[0].state in "fn":
            found.append(state)
        state = state.play(state.greedy_turn(rng, wild=True))
    return found


def removed_sets(state: GameState) -> set[tuple[frozenset[int], frozenset[int]]]:
    """All that can be removed on a board, by the solver: each result found is forbidden, whoever brings it about."""
    found = set()
    with AttackSolver(state) as of:
        while of.solve([]):
            of.read()
            plan = of.plan()
            found.add((frozenset(plan.killed), frozenset(plan.unsummoned)))
            of.forbid([x for x in of.key() if abs(x) in of.fates])
    return found


def check_spells(number: int, seed: int = 0) -> str:
    """With spells: what can be removed is equal, or, where an action is outside the model, no more than there is."""
    brute = BruteForce(SPELLS)
    sets = cast = open_ended = missed = 0
    for k in range(seed, seed + number):
        state = board_with_spells(k)
        want = brute(state)
        if want is None:  # too many states
            continue
        with AttackSolver(state) as of:
            outside = of.outside
        found = removed_sets(state)
        assert found <= want and (outside or found == want), f"board {k}: {state}: {found ^ want}"
        sets += len(want)
        open_ended += bool(outside)
        missed += len(want - found)
        cast += len(want) > len(removed_sets(bare_handed(state)))
    more = f"{cast} boards where spells add to them, {open_ended} with Stumble, Cleave or Sunder ({missed} sets not found there)"
    return f"{number} boards with spells, {sets} sets of enemies killed and unsummoned, {more}: all equal else"


def check_split(number: int, seed: int = 0) -> str:
    """With moves in several parts: plans remove no more than brute force, and what is refuted nobody can remove."""
    brute = BruteForce(SPLIT)
    sets = proved = undecided = missed = asked = 0
    for k in range(seed, seed + number):
        dice = random.Random(k)
        state = crowd(dice, SPLIT, dice.choice((2, 2, 3)), dice.choice((1, 2)), SPLITTERS if k % 2 else BLINKERS)
        want = brute(state)
        if want is None:  # too many states
            continue
        asked += 1
        found = removed_sets(state)
        assert found <= want, f"board {k}: {state}: {found - want}"
        sets += len(want)
        missed += len(want - found)
        with AttackSolver(state) as of:
            for n in range(1, len(of.foes) + 1):
                for gone in combinations(of.foes, n):
                    statements = [Statement("removed", y, y in gone) for y in of.foes]
                    there = any(killed | unsummoned == {*gone} for killed, unsummoned in want)
                    if of.satisfiable(statements):
                        continue
                    if of.refuted(statements):
                        assert not there, f"board {k}: {state}: {gone} is refuted, and can be removed"
                        proved += 1
                    else:
                        undecided += 1
    found_all = f"{sets} sets of enemies killed and unsummoned, all but {missed} of them found"
    return f"{asked} boards with moves in several parts, {found_all}; {proved} sets refuted, {undecided} undecided"


def bare_handed(state: GameState) -> GameState:
    """The same without a hand."""
    fields = extended_fen(state).split(" ")
    men = fields[3].split("|")
    fields[3] = "|".join([*men[:3], "", "", *men[5:]])
    return parse_fen(" ".join(fields), state.config)


def check_boards(number: int, seed: int = 0) -> str:
    brute = BruteForce(CONFIGS[0])
    sets = blocked = 0
    for k in range(seed, seed + number):
        state = small_board(k)
        want = brute(state)
        assert want is not None, f"board {k} is too large: {state}"
        assert removed_sets(state) == want, f"board {k}: {state}"
        sets += len(want)
        with AttackSolver(state) as of:
            blocked += bool((of.model.opened > 0).any())
    behind = f"{blocked} boards with attacks behind enemies"
    return f"{number} boards, {sets} sets of enemies killed and unsummoned, {behind}: all equal"


def minimal(of: AttackSolver, plans: list[Plan]) -> int:
    """How many plans cannot do with one fighter fewer, the others in their places and the result the same."""
    done = {(plan.fighters, plan.killed, plan.unsummoned) for plan in plans}
    total = 0
    for plan in plans:
        smaller = (
            tuple(f for f in plan.fighters if f not in out)
            for n in range(1, len(plan.fighters) + 1)
            for out in combinations(plan.fighters, n)
        )
        total += not any((rest, plan.killed, plan.unsummoned) in done for rest in smaller)
    return total


def check_perft(number: int, seed: int = 0) -> str:
    plans_seen = counted = 0
    for k in range(seed, seed + number):
        state = small_board(k)
        with AttackSolver(state, alone=True) as of:
            plans = of.outlines()
            count = minimal(of, plans)
        assert count == perft(state.boards[0]), f"board {k}: {state}"
        plans_seen += len(plans)
        counted += count
    return f"{number} boards, {plans_seen} plans, {counted} of them minimal: as many as perft counts"


def check_plans(number: int, seed: int = 0) -> str:
    played = boards = games = 0
    while played < number:
        games += 1
        states = [contact(seed + games), *self_play(seed + games)[::6]]
        for state in states:
            boards += 1
            before = state.boards[0].pieces
            with AttackSolver(state) as of:
                for plan in of.plans(most=min(200, number - played)):
                    check_plan(state, before, of, plan)
                    played += 1
    return f"{played} plans on {boards} boards: none refused, each removes what it claims"


def check_plan(state: GameState, before: dict, of: AttackSolver, plan: Plan) -> None:
    """Play a plan as people would, from its text, and look at the board."""
    turn = type(of.turn(plan)).parse(str(of.turn(plan)), 1)
    after = state.during(turn)
    assert state.allows(turn)
    names = {h for h, piece in before.items() if piece.side != state.side}
    now = {h for h, piece in after.boards[0] if piece.side != state.side}
    from stratagem.games.minions import hex_name

    assert names - now == {hex_name(h) for h in plan.removed}
    came = after.boards[0].reinforcements(1 - state.side)
    came.subtract(state.boards[0].reinforcements(1 - state.side))
    back = [before[hex_name(h)].unit.letter for h in plan.unsummoned]
    assert sorted(unit.letter for unit in came.elements()) == sorted(back)


def random_statements(of: AttackSolver, dice: random.Random) -> list[Statement]:
    """Statements about some enemies and own units."""
    found = []
    for y in of.foes:
        if dice.random() < 0.4:
            found.append(Statement(dice.choice(("removed", "removed", "killed", "unsummoned")), y, dice.random() < 0.7))
    for x in of.own:
        if dice.random() < 0.25:
            found.append(Statement("passive", x, dice.random() < 0.5))
    dice.shuffle(found)
    return found


def check_statements(number: int, seed: int = 0) -> str:
    from references.minions_attack_z3 import SecondModel

    asked = yes = blinks = k = 0
    while asked < number:
        k += 1
        dice = random.Random(seed + k)
        sizes = (dice.randint(3, 8), dice.randint(2, 7))
        state = crowd(dice, CONFIGS[k % 3], *sizes, "" if k % 2 else BLINKERS)
        with AttackSolver(state) as of:
            second = SecondModel(of)
            for _ in range(5):
                statements = random_statements(of, dice)
                found = of.satisfiable(statements)
                assert found == second.satisfiable(statements), f"board {k}: {state}, {[*map(str, statements)]}"
                asked += 1
                yes += bool(found)
                blinks += bool((of.model.leave > 0).any())
    verdicts = f"{yes} yes, {asked - yes} no"
    return f"{asked} sets of statements on {k} boards, {blinks} with units that blink: {verdicts}, Z3 agrees on all"


def random_prophecy(of: AttackSolver, dice: random.Random) -> Prophecy:
    """Some enemies removed, some not, some own units passive, some not, in a random order of probabilities."""
    foes = [y for y, v in zip(of.foes, of.model.gone, strict=False) if v]
    own = [x for x, v in zip(of.own, of.model.passive, strict=False) if v]

    def some(hexes: list[int], share: float, likely: float) -> dict[int, float]:
        chosen = [h for h in hexes if dice.random() < share]
        return {h: dice.uniform(0.5, 1) if dice.random() < likely else dice.uniform(0, 0.5) for h in chosen}

    removed = some(foes, 0.6, 0.75)
    passive = some(own, 0.35, 0.57)
    return Prophecy(passive, removed)


def one_by_one(solver: AttackSolver, literals: list[int]) -> Kept:
    """The definition of what `greedy` keeps, a call a statement."""
    kept: list[int] = []
    if not solver.solve([]):
        return Kept([], True, False)
    for k, literal in enumerate(literals):
        if literal != 0 and solver.solve([*(literals[i] for i in kept), literal]):
            kept.append(k)
    solver.solve([literals[k] for k in kept])
    return Kept(kept, True, True)


def check_greedy(number: int, seed: int = 0) -> str:
    asked = calls = ones = kept = k = 0
    while asked < number:
        k += 1
        dice = random.Random(seed + k)
        with AttackSolver(contact(seed + k), solver=dice.choice(("minisat22", "glucose4"))) as of:
            for _ in range(5):
                literals = of.literals(item.statement for item in random_prophecy(of, dice).statements())
                of.calls = 0
                mine = greedy(of, literals)
                calls += of.calls
                of.calls = 0
                theirs = one_by_one(of, literals)
                ones += of.calls
                assert mine == theirs, f"board {seed + k}"
                asked += 1
                kept += len(mine.kept)
                if not mine.possible:  # every plan of this board has been forbidden by now
                    break
                of.solve([literals[i] for i in mine.kept])
                of.read()
                of.forbid(of.key())
    rates = f"{calls / asked:.2f} calls each against {ones / asked:.2f}"
    return f"{asked} prophecies: the same kept ({kept} statements) as one by one, {rates}"


CHECKS = {
    "boards": check_boards,
    "spells": check_spells,
    "split": check_split,
    "perft": check_perft,
    "plans": check_plans,
    "statements": check_statements,
    "greedy": check_greedy,
}

if __name__ == "__main__":
    name, number = sys.argv[1], int(sys.argv[2])
    began = time.time()
    print(CHECKS[name](number, int(sys.argv[3]) if len(sys.argv) > 3 else 0), f"({time.time() - began:.0f} s)")
