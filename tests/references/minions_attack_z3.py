"""The attack stage as a second model, in bit vectors for Z3: every unit has a place and a time, every enemy a time of removal.

It shares the attack graph with the package (who reaches what if whom is gone) and none of the clauses: times are numbers,
hits are numbers, and stepping aside is a place like any other.
"""

from __future__ import annotations

from collections.abc import Sequence

import z3

from stratagem.games.minions.attack.graph import MOST, UNSUMMONING, reaches
from stratagem.games.minions.attack.solver import AttackSolver, Statement
from stratagem.games.minions.config import hexes_of

PLACE, TIME, HITS, DAMAGE = 8, 5, 6, 8  # bits


class SecondModel:
    """The same contract as `AttackSolver`: satisfiable under statements, which conflict, a plan, forbid it."""

    def __init__(self, of: AttackSolver) -> None:
        self.of, self.graph = of, of.graph
        self.context = z3.Context()
        self.solver = z3.SolverFor("QF_BV", ctx=self.context)
        n, m = len(of.own), len(of.foes)
        c = self.context
        self.place = [z3.BitVec(f"place{x}", PLACE, c) for x in range(n)]
        self.time = [z3.BitVec(f"time{x}", TIME, c) for x in range(n)]
        self.fights = [z3.Bool(f"fights{x}", c) for x in range(n)]
        self.blinks = [z3.Bool(f"blinks{x}", c) for x in range(n)]
        self.killed = [z3.Bool(f"killed{y}", c) for y in range(m)]
        self.unsummoned = [z3.Bool(f"unsummoned{y}", c) for y in range(m)]
        self.removed = [z3.Bool(f"removed{y}", c) for y in range(m)]
        self.gone_at = [z3.BitVec(f"gone{y}", TIME, c) for y in range(m)]
        self.hits = {
            (x, y): z3.BitVec(f"hits{x}_{y}", HITS, c)
            for x in range(n)
            for y in range(m)
            if self.graph.harm[x * MOST + y] != 0
        }
        for x in range(n):
            self._unit(x)
        for y in range(m):
            self._enemy(y)
        for x in range(n):
            for w in range(n):
                if w != x:
                    self._hexes(x, w)

    def _at(self, x: int, h: int) -> z3.BoolRef:
        return self.place[x] == h

    def _unit(self, x: int) -> None:
        graph, add = self.graph, self.solver.add
        home, loose = self.of.own[x], int(graph.loose[x])
        options = [self._at(x, home)]
        for h in range(MOST):
            if h == home or not reaches(graph, x, h):
                continue
            start, number = (int(v) for v in graph.way[2 * (x * MOST + h) : 2 * (x * MOST + h) + 2])
            ways = []
            for i in range(start, start + number):
                blockers = [int(graph.at[z]) for z in hexes_of(int(graph.way_lo[i]), int(graph.way_hi[i]))]
                gone = [z3.And(self.removed[z], z3.ULT(self.gone_at[z], self.time[x])) for z in blockers]
                ways.append(z3.And(*gone) if gone else z3.BoolVal(True, self.context))
            options.append(z3.And(self._at(x, h), z3.Or(*ways)))
        add(z3.Or(*options))
        mine = [(y, self.hits[x, y]) for y in range(len(self.of.foes)) if (x, y) in self.hits]
        if loose & 2 == 0:
            add(z3.Not(self.blinks[x]))
        if not mine:
            add(z3.Not(self.fights[x]))
            return
        add(self.fights[x] == z3.Or(*(hit != 0 for _, hit in mine)))
        total = z3.BitVecVal(0, DAMAGE, self.context)
        for y, hit in mine:
            add(z3.ULE(hit, int(graph.hits[x * MOST + y])))
            lo, hi = (int(v) for v in graph.strike[2 * (x * MOST + y) : 2 * (x * MOST + y) + 2])
            add(z3.Implies(hit != 0, z3.Or(*(self._at(x, h) for h in hexes_of(lo, hi)))))
            add(z3.Implies(hit != 0, z3.ULE(self.time[x], self.gone_at[y])))
            total = total + z3.ZeroExt(DAMAGE - HITS, hit)
        add(z3.ULE(total, int(graph.left[x])))

    def _enemy(self, y: int) -> None:
        graph, add = self.graph, self.solver.add
        add(self.removed[y] == z3.Or(self.killed[y], self.unsummoned[y]))
        add(z3.Not(z3.And(self.killed[y], self.unsummoned[y])))
        need = int(graph.need[y])
        senders, strikers = [], []
        for x in range(len(self.of.own)):
            if (x, y) in self.hits:
                harm = int(graph.harm[x * MOST + y])
                (senders if harm == UNSUMMONING else strikers).append((self.hits[x, y], harm))
        for hit, _ in senders:
            add(z3.Implies(hit != 0, self.unsummoned[y]))
        zero, once = (z3.BitVecVal(n, DAMAGE, self.context) for n in (0, 1))
        one = [z3.If(hit != 0, once, zero) for hit, _ in senders]
        add(z3.Implies(self.unsummoned[y], _sum(one, self.context) == 1))
        damage = _sum([z3.ZeroExt(DAMAGE - HITS, hit) * harm for hit, harm in strikers], self.context)
        add(z3.Implies(self.killed[y], z3.UGE(damage, need)))
        for hit, harm in strikers:
            add(z3.Implies(hit != 0, self.killed[y]))
            add(z3.Implies(hit != 0, z3.ULT(damage - harm, need)))  # no attack is wasted

    def _hexes(self, x: int, w: int) -> None:
        """x and w on one hex: x leaves it by blinking before w comes; or x begins there and has left."""
        home = self.of.own[x]
        if not (set(self._goals(x)) | {home}) & set(self._goals(w)):
            return
        left = z3.And(self.fights[x], self.blinks[x], z3.ULT(self.time[x], self.time[w]))
        vanished = z3.And(z3.Not(self.fights[x]), self.blinks[x])
        if home in self._goals(w):
            moved = z3.And(self.place[x] != home, z3.ULE(self.time[x], self.time[w]))
            here = z3.And(self._at(x, home), left)
            self.solver.add(z3.Implies(self._at(w, home), z3.Or(moved, here, vanished)))
        if x < w:
            right = z3.And(self.fights[w], self.blinks[w], z3.ULT(self.time[w], self.time[x]))
            off = z3.And(z3.Not(self.fights[w]), self.blinks[w])
            self.solver.add(z3.Implies(self.place[x] == self.place[w], z3.Or(left, right, vanished, off)))

    def _goals(self, x: int) -> list[int]:
        return [h for h in range(MOST) if h != self.of.own[x] and reaches(self.graph, x, h)]

    # -- the contract

    def literal(self, statement: Statement) -> z3.BoolRef:
        if statement.kind == "passive":
            found = z3.Not(self.fights[self.of.own.index(statement.hex)])
        else:
            found = getattr(self, statement.kind)[self.of.foes.index(statement.hex)]
        return found if statement.holds else z3.Not(found)

    def satisfiable(self, statements: Sequence[Statement] = ()) -> bool:
        found = self.solver.check(*map(self.literal, statements))
        assert found != z3.unknown
        return found == z3.sat

    def core(self, statements: Sequence[Statement]) -> set[Statement]:
        """Of statements just refused, some that cannot hold together."""
        names = {self.literal(s).get_id(): s for s in statements}
        return {names[e.get_id()] for e in self.solver.unsat_core()}

    def forbid(self) -> None:
        """Forbid the plan just found: who fights from where, who is removed how."""
        model = self.solver.model()
        same = []
        for x in range(len(self.of.own)):
            if z3.is_true(model.eval(self.fights[x], True)):
                same += [self.fights[x], self.place[x] == model.eval(self.place[x], True)]
            else:
                same.append(z3.Not(self.fights[x]))
        for table in (self.killed, self.unsummoned):
            same += [v if z3.is_true(model.eval(v, True)) else z3.Not(v) for v in table]
        self.solver.add(z3.Not(z3.And(*same)))


def _sum(terms: list[z3.BitVecRef], context: z3.Context) -> z3.BitVecRef:
    total = z3.BitVecVal(0, DAMAGE, context)
    for term in terms:
        total = total + term
    return total
