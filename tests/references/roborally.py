"""RoboRally's registers once more, slowly and plainly: robots are dictionaries, the floor a dictionary of spaces.

Written from the rules alone; it shares nothing with the kernels but the reading of courses.
"""

DIRECTIONS = {0: (0, -1), 1: (1, 0), 2: (0, 1), 3: (-1, 0)}


def effect(card):
    """(quarter turns clockwise, steps)."""
    if card in range(1, 7):
        return 2, 0
    if card in range(7, 43):
        return (-1, 0) if card % 2 else (1, 0)
    if card in range(43, 49):
        return 0, -1
    if card in range(49, 67):
        return 0, 1
    if card in range(67, 79):
        return 0, 2
    return 0, 3


class Race:
    """robots: list of dicts with at (x, y) or None, facing, damage, lives, archive, next, down, registers, dock."""

    def __init__(self, course, robots):
        self.course = course
        self.robots = robots
        self.fallen = []  # in the order of destruction
        self.winners = []

    # -- small questions

    def living(self):
        return sorted((r for r in self.robots if r["at"] is not None), key=lambda r: r["dock"])

    def on(self, space):
        found = [r for r in self.robots if r["at"] == space]
        assert len(found) <= 1
        return found[0] if found else None

    def ahead(self, space, d):
        return space[0] + DIRECTIONS[d][0], space[1] + DIRECTIONS[d][1]

    def wall(self, space, d):
        return (*space, d) in self.course.walls or (*self.ahead(space, d), (d + 2) % 4) in self.course.walls

    def deadly(self, space):
        return self.course.cells.get(space, "()") == "()"

    def belt(self, space):
        """(direction, speed) or None."""
        token = self.course.cells.get(space, "..")
        return ("^>v<".index(token[0]), int(token[1])) if token[0] in "^>v<" else None

    def destroy(self, r):
        r.update(at=None, damage=0, registers=[0] * 5, down=False)
        r["lives"] -= 1
        self.fallen.append(r)

    # -- a register

    def step(self, r, d):
        line = [r]
        while (other := self.on(self.ahead(line[-1]["at"], d))) is not None:
            line.append(other)
        if any(self.wall(member["at"], d) for member in line):
            return False
        for member in reversed(line):
            target = self.ahead(member["at"], d)
            if self.deadly(target):
                self.destroy(member)
            else:
                member["at"] = target
        return r["at"] is not None

    def card(self, r, card):
        turn, steps = effect(card)
        r["facing"] = (r["facing"] + turn) % 4
        if steps == -1:
            self.step(r, (r["facing"] + 2) % 4)
        for _ in range(max(steps, 0)):
            if not self.step(r, r["facing"]):
                break

    def carry(self, speeds):
        intents = {}
        for r in self.living():
            belt = self.belt(r["at"])
            if belt and belt[1] in speeds and not self.wall(r["at"], belt[0]):
                intents[r["dock"]] = (r, self.ahead(r["at"], belt[0]), belt[0])
        cancelled = set()
        for i, (r, to, _) in intents.items():
            for j, (q, other, _) in intents.items():
                if i != j and ((to == other and not self.deadly(to)) or (to == q["at"] and other == r["at"])):
                    cancelled |= {i, j}
        while True:
            blocked = set()
            for i, (_, to, _) in intents.items():
                q = self.on(to)
                if i not in cancelled and q is not None and (q["dock"] not in intents or q["dock"] in cancelled):
                    blocked.add(i)
            if not blocked:
                break
            cancelled |= blocked
        moving = [intents[i] for i in sorted(intents) if i not in cancelled]
        for r, to, d in moving:
            if self.deadly(to):
                self.destroy(r)
                continue
            r["at"] = to
            onto = self.belt(to)
            if onto and (onto[0] - d) % 4 in (1, 3):
                r["facing"] = (r["facing"] + onto[0] - d) % 4

    def pushers(self, number):
        for r in self.living():
            if r["at"] in self.course.pushers:
                d, registers = self.course.pushers[r["at"]]
                if number in registers:
                    self.step(r, d)

    def gears(self):
        for r in self.living():
            token = self.course.cells[r["at"]]
            if token in ("g+", "g-"):
                r["facing"] = (r["facing"] + (1 if token == "g+" else -1)) % 4

    def ray(self, space, d):
        """The spaces that a ray from a space sees, that space left out."""
        while not self.wall(space, d) and self.ahead(space, d) in self.course.cells:
            space = self.ahead(space, d)
            yield space

    def first(self, spaces):
        return next((r for space in spaces if (r := self.on(space)) is not None), None)

    def lasers(self):
        hits = {r["dock"]: 0 for r in self.robots}
        for x, y, d, beams in self.course.lasers:
            target = self.first([(x, y), *self.ray((x, y), d)])
            if target:
                hits[target["dock"]] += beams
        for r in self.living():
            target = None if r["down"] else self.first(self.ray(r["at"], r["facing"]))
            if target:
                hits[target["dock"]] += 1
        for r in self.living():
            r["damage"] += hits[r["dock"]]
            if r["damage"] >= 10:
                self.destroy(r)

    def touch(self):
        for r in self.living():
            if r["at"] in self.course.flags or self.course.cells[r["at"]] in ("w1", "w2"):
                r["archive"] = r["at"]
            if r["next"] <= len(self.course.flags) and r["at"] == self.course.flags[r["next"] - 1]:
                r["next"] += 1
                if r["next"] > len(self.course.flags):
                    self.winners.append(r)

    def register(self, number):
        """number from 1; True if somebody has won."""
        acting = sorted((r for r in self.living() if not r["down"]), key=lambda r: -r["registers"][number - 1])
        revealed = [(r, r["registers"][number - 1]) for r in acting]
        for r, card in revealed:
            if r["at"] is not None:
                self.card(r, card)
        self.carry((2,))
        self.carry((1, 2))
        self.pushers(number)
        self.gears()
        self.lasers()
        self.touch()
        return bool(self.winners)

    def clean_up(self):
        for r in self.living():
            if r["at"] in self.course.flags or self.course.cells[r["at"]] in ("w1", "w2"):
                if r["damage"] >= 5:
                    r["registers"][10 - r["damage"] - 1] = 0
                r["damage"] = max(r["damage"] - 1, 0)
            for number in range(1, 6):
                locked = r["damage"] >= 5 and number >= 10 - r["damage"]
                if not locked:
                    r["registers"][number - 1] = 0

    def turn(self):
        for number in range(1, 6):
            if self.register(number):
                return
        self.clean_up()

    # -- between two turns

    def locked(self, r):
        """Numbers of the locked registers."""
        return [number for number in range(1, 6) if r["damage"] >= 5 and number >= 10 - r["damage"]]

    def to_fill(self):
        """(robot, register) of locked registers without a card, by dock."""
        return [(r, number) for r in self.living() for number in self.locked(r) if r["registers"][number - 1] == 0]

    def left(self):
        return [r for r in self.robots if r["lives"] > 0]

    def waiting(self):
        """Robots that come back, in the order in which they fell."""
        return [r for r in self.fallen if r["lives"] > 0 and r["at"] is None]

    def sees_nobody(self, space, d):
        return self.first(list(self.ray(space, d))[:3]) is None

    def entries(self, r):
        """Places and facings for a robot to come back with."""
        if self.on(r["archive"]) is None:
            return [(r["archive"], d) for d in range(4)]
        x, y = r["archive"]
        for ring in range(1, 100):
            around = [
                (cx, cy)
                for cy in range(y - ring, y + ring + 1)
                for cx in range(x - ring, x + ring + 1)
                if max(abs(cx - x), abs(cy - y)) == ring and not self.deadly((cx, cy)) and self.on((cx, cy)) is None
            ]
            found = [(space, d) for space in around for d in range(4) if self.sees_nobody(space, d)]
            if found:
                return found
        raise AssertionError("nowhere to come back")

    def come_back(self, r, space, d, down):
        r.update(at=space, facing=d, damage=2, announced=down)

    def to_stay(self):
        """Powered-down robots that have not decided whether they stay so, by dock."""
        return [r for r in self.living() if r["down"] and r.get("stays") is None and not r["announced"]]

    def power(self):
        """At the beginning of a turn."""
        for r in self.living():
            r["down"] = bool(r["announced"] or r.get("stays"))
            if r["down"]:
                r.update(damage=0, registers=[0] * 5)
            r["announced"] = False
