"""The face of RoboRally.

A position is a header and one word a robot: `turn=3 phase=program falls=0 A=4,7,N:dock1:flag2:damage1:lives3:archive4,15
:hand3,8,..`; what is not said is nothing. A programme is its cards in the order of the registers, `70,8,49,50,3`, and
`70,8,49,50,3 down` announces a power-down. Any cards of the hand may be given; the moves listed are one for each class of
programmes that end the turn alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from stratagem.compile import specialise
from stratagem.contract.companions.drawing import Drawing, Frame
from stratagem.contract.companions.editing import Editing, Field, Sheet, Sign
from stratagem.contract.companions.puzzling import Puzzles, Puzzling
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import CHANCE, JOINT, ArrayGame, ArrayPosition, Form, Option, Parts
from stratagem.errors import IllegalMove, OptionError, ParseError
from stratagem.games.roborally import choices, deal, elements, features, kernels, telling
from stratagem.games.roborally import layout as k
from stratagem.games.roborally.course import PIT, SIDES, Course, course_names, load_course
from stratagem.games.roborally.heuristics import IN_TURNS
from stratagem.games.roborally.view import card_face, draw, floor, meaning, pieces, text_art, track
from stratagem.kernel import NOBODY, Ground, State
from stratagem.plans.plan import PROGRAMME
from stratagem.rng import Rng

NAMES = "ABCDEFGH"
EMPTY, FACES = ".", "^>v<"  # of a sheet: no robot, and which way one faces
PHASES = ("dock", "stay", "deal", "program", "fill", "enter", "over")
DOWN, NO_CARDS, NOBODY_THERE = "down", "locked", "-"
HIDDEN = "?"  # a hand in a deal that is not one's own
MOST_PROGRAMMES = 2 * 15120  # ordered choices of 5 cards of 9, with and without the announcement
# what is compiled, unless it is asked for a few times only, and about how many steps of the interpreter it takes
COMPILED = {"moves": 1e6, "sample": 1e5, "play_together": 2e5}


@cache
def course_of(name: str) -> tuple[Course, Ground]:
    course = load_course(name)
    return course, course.ground()


class RoboRally(ArrayGame["RallyPosition"], Drawing, Editing, Puzzles, Wording):
    """RoboRally: robots race, and a move is a programme of five cards; see docs/games/roborally.md."""

    name = "roborally"
    title = "RoboRally"
    summary = "robots race over a factory floor; a move is a programme of five cards"
    brief = (
        "Robots race to touch numbered flags in order. Each turn every robot is dealt nine cards, less one for "
        "each point of damage, and puts five of them in secret into its registers. Registers are revealed one "
        "after another: robots move by the priority of their cards and push one another, then belts, pushers and "
        "gears act and lasers fire. Ten damage, a pit or the edge costs a life. The first robot at the last flag "
        "wins. Option cards are left out: a wrench-and-hammer repairs one damage, as a wrench does."
    )
    guide = (
        "Robots are letters with their facing, A^ looks up; F1 a flag, >1 and >2 belts, g+ and g- gears, () pits, "
        "w1 a repair site, | a wall. A programme is the cards of the registers in order, by number or by name, "
        "with commas or spaces between: 61 8 m2 left u; names are m1 m2 m3 back left right u, and of equal cards "
        "the one of higher priority goes first. down behind it announces a power-down."
    )
    inks = (
        (r"A[\^>v<]", "red"),
        (r"B[\^>v<]", "blue"),
        (r"C[\^>v<]", "green"),
        (r"D[\^>v<]", "yellow"),
        (r"E[\^>v<]", "magenta"),
        (r"F[\^>v<]", "cyan"),
        (r"F\d", "bold green"),
    )
    plan = PROGRAMME
    presets = (("two robots", {"robots": 2}), ("eight robots", {"robots": 8}))
    puzzles = (
        Puzzling(
            "programme the registers so that the race goes best for you",
            player="easy",
            judge="montecarlo:simulations=3000",
            referee="montecarlo:simulations=12000",
            decoy="greedy",
            margin=0.06,
            options={"robots": 2},
            stray=0.1,
            alike=3,
            share=2,
        ),
    )
    options = (
        Option("course", "Risky Exchange", "a course by name, or a file of your own in the same grammar"),
        Option("robots", 4, "robots in the race", minimum=2, maximum=8),
        Option("lives", 3, "lives of each robot; 0: without end", minimum=0, maximum=9),
        Option("max_turns", 200, "turns after which flags, then distance decide", minimum=1, maximum=10_000),
        Option("rest", False, "whether an undamaged robot may power down"),
    )
    rules = kernels
    hidden = True
    zero_sum = False
    payoff_range = (0.0, 1.0)
    engine = "strong"
    feature_rules = features  # what a network sees of a race of two
    trained_by = MappingProxyType(
        {"by": "playouts", "options": {"robots": 2}, "opening": 0, "rounds": 1, "against": "montecarlo"}
        | {"views": 2, "dropped": 0.1}
    )

    def setup(self) -> None:
        self.players = self["robots"]
        self.course, self._ground = course_of(self["course"])
        least, most = self.course.players
        most = min(most, len(self.course.docks))
        if self.players > most:
            raise OptionError(
                f"{self.players} robots are too many for {self.course.name}; it takes {min(least, most)} to {most}"
            )
        self.seats = tuple(NAMES[: self.players])
        self.size = k.ROBOTS + k.ROBOT * self.players
        self.scratch = k.SCRATCH
        self.max_moves = max(MOST_PROGRAMMES, 8 * len(self.course.cells))
        if self.players == 2:
            self.constant_sum = True  # the shares of a win
            self.feature_count, self.features_at_once = features.COUNT, features.AT_ONCE

    @classmethod
    def suggested(cls, option: str) -> tuple[str, ...]:
        return tuple(course_names()) if option == "course" else ()

    @property
    def constants(self) -> dict[str, Any]:
        return {
            "SEATS": self.players,
            "STARTING_LIVES": self["lives"],
            "MAX_TURNS": self["max_turns"],
            "UNDAMAGED_MAY_REST": self["rest"],
        }

    def ground(self) -> Ground:
        return self._ground.copy()

    def ready_features(self) -> dict[str, Any]:
        """Features see the expected turns, which are put into the ground."""
        from stratagem.games.roborally.expected import provide  # which makes games itself

        provide(self)
        return {"EVALUATOR": IN_TURNS}

    def first(self, s: State) -> None:
        s[k.WHO] = -1
        for p in range(self.players):
            robot(s, p)[[k.AT, k.ARCHIVE, k.DOCK, k.FELL]] = -1

    def run(self, name: str, *args: Any) -> Any:
        """Kernels write to the scratch cells behind a state, so positions lend them a copy."""
        lent = tuple(
            a.copy() if isinstance(a, np.ndarray) and not a.flags.writeable and a is not self.g else a for a in args
        )
        if name in COMPILED and name not in self._face:
            bound = self.names[name]
            steps = COMPILED[name]
            self._face[name] = specialise(
                bound.function, bound.names, label=f"{self.name} {name}", meanwhile=lambda *_: steps
            )
        return super().run(name, *lent)

    def position(self, state: State, history: tuple[str, ...] = (), origin: str | None = None) -> RallyPosition:
        return RallyPosition(self, state, history, origin)

    # -- moves

    def move_text(self, s: State, p: int, m: int) -> str:
        if s[k.PHASE] == k.STAYING:
            return "stay" if m else "wake"
        if s[k.PHASE] == k.ENTERING:
            return self._place(m // 8, m // 2 % 4) + (f" {DOWN}" if m % 2 else "")
        cards = [m >> (7 * r) & 127 for r in range(open_registers(s, p))]
        return (listed(cards) or NO_CARDS) + (f" {DOWN}" if m & k.ANNOUNCE else "")

    def parse_move(self, s: State, p: int, text: str) -> int:
        if s[k.PHASE] != k.PROGRAMMING:
            return super().parse_move(s, p, text)
        words = text.lower().replace(",", " ").split()
        announced = len(words) > 1 and words[-1] == DOWN
        if announced:
            words.pop()
        if not words:
            raise IllegalMove(
                f"{text!r} is no programme; one is like 70,8,49,50,3, with ' {DOWN}' to announce a power-down"
            )
        hand = hand_of(s, p)
        cards = [] if words == [NO_CARDS] else cards_named(words, hand, text)
        wanted = open_registers(s, p)
        if not hand and wanted:
            raise IllegalMove(f"the hand of {self.seat_name(p)} is not known here, so {text!r} cannot be played")
        if len(cards) != wanted:
            raise IllegalMove(f"{text!r} has {len(cards)} cards; {wanted} registers are open")
        if len(set(cards)) < len(cards):
            raise IllegalMove(f"{text!r} has a card twice")
        for card in cards:
            if card not in hand:
                raise IllegalMove(f"card {card} is not in the hand; it holds {listed(hand)}")
        if announced and not self.rule(choices.may_announce, s, p):
            raise IllegalMove("an undamaged robot may not announce a power-down")
        return sum(card << (7 * r) for r, card in enumerate(cards)) | (k.ANNOUNCE if announced else 0)

    def _place(self, space: int, facing: int) -> str:
        x, y = self.course.space(space)
        return f"{x},{y},{SIDES[facing]}"

    # -- positions

    def state_text(self, position: RallyPosition) -> str:
        s = position.state
        words = [f"turn={s[k.TURN]}", f"phase={PHASES[s[k.PHASE]]}", f"falls={s[k.FALLS]},{s[k.UNDER_WAY]}"]
        if s[k.PHASE] == k.DOCKING:
            return "start"
        for p in range(self.players):
            words.append(f"{NAMES[p]}={self._robot_text(robot(s, p))}")
        return " ".join(words)

    def _robot_text(self, a: State) -> str:
        place = (
            self._place(int(a[k.AT]), int(a[k.FACING]))
            if a[k.AT] >= 0
            else ("out" if a[k.STATUS] == k.GONE else "waiting")
        )
        x, y = self.course.space(int(a[k.ARCHIVE]))
        parts = [place, f"dock{a[k.DOCK] + 1}", f"flag{a[k.NEXT]}", f"lives{a[k.LIVES]}", f"archive{x},{y}"]
        parts += [f"damage{a[k.DAMAGE]}"] * bool(a[k.DAMAGE]) + ["down"] * bool(a[k.DOWN])
        parts += [{1: "announced", -1: "waking"}[int(a[k.ANNOUNCED])]] if a[k.ANNOUNCED] else []
        parts += [f"fell{a[k.FELL]}"] * bool(a[k.FELL] >= 0) + ["won"] * bool(a[k.SHARE])
        if a[k.REGISTER : k.REGISTER + 5].any():
            parts.append("registers" + listed(a[k.REGISTER : k.REGISTER + 5]))
        if a[k.HAND]:
            parts.append("hand" + listed([c for c in a[k.HAND :] if c]))
        return ":".join(parts)

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        fields = {}
        for word in text.split():
            name, equals, value = word.partition("=")
            if not equals or name in fields:
                raise ParseError(f"{word!r} in the position is not a new NAME=VALUE; see docs/games/roborally.md")
            fields[name] = value
        missing = {"turn", "phase", *NAMES[: self.players]} ^ (set(fields) - {"falls"})
        if missing:
            raise ParseError(
                f"a position of {self.players} robots gives turn, phase and each robot; look at {', '.join(sorted(missing))}"
            )
        if fields["phase"] not in PHASES[1:]:
            raise ParseError(f"phase {fields['phase']!r} is none of {', '.join(PHASES[1:])}")
        s = self.blank()
        self.first(s)
        s[k.TURN] = whole(fields["turn"], "turn", 1, self["max_turns"] + 1)
        s[k.PHASE] = PHASES.index(fields["phase"])
        falls = numbers(fields.get("falls", "0,0"), "falls")
        if len(falls) != 2 or max(falls) > 9 * 8:
            raise ParseError(
                f"falls {fields['falls']!r} is not like 2,1: robots destroyed so far, and before this turn"
            )
        s[k.FALLS], s[k.UNDER_WAY] = falls
        for p in range(self.players):
            self._parse_robot(robot(s, p), NAMES[p], fields[NAMES[p]], int(s[k.PHASE]))
        self._check(s)
        return s, ()

    def _parse_robot(self, a: State, name: str, text: str, phase: int) -> None:
        place, *parts = text.split(":")
        a[k.NEXT], a[k.LIVES] = 1, self["lives"]
        if place in ("waiting", "out"):
            a[k.STATUS] = k.GONE if place == "out" else k.WAITING
        else:
            x, y, facing = [*place.split(","), "", ""][:3]
            a[k.AT] = self._space(f"{x},{y}", f"robot {name}")
            if facing not in tuple(SIDES):
                raise ParseError(f"robot {name} is at {place!r}; its place is like 4,7,N, or waiting, or out")
            a[k.FACING] = SIDES.index(facing)
        for part in parts:
            word = part.rstrip("0123456789,-")
            value = part[len(word) :]
            if word == "dock":
                a[k.DOCK] = whole(value, f"dock of {name}", 1, self.players) - 1
            elif word == "flag":
                a[k.NEXT] = whole(value, f"next flag of {name}", 1, len(self.course.flags) + 1)
            elif word == "lives":
                a[k.LIVES] = whole(value, f"lives of {name}", 0, 9)
            elif word == "damage":
                a[k.DAMAGE] = whole(value, f"damage of {name}", 0, 9)
            elif word == "fell":
                a[k.FELL] = whole(value, f"fall of {name}", 0, 72)
            elif word == "archive":
                a[k.ARCHIVE] = self._space(value, f"the archive of {name}")
            elif word == "registers" and len(numbers(value, "registers")) == 5:
                a[k.REGISTER : k.REGISTER + 5] = numbers(value, "registers")
            elif word == "hand" and 1 <= len(numbers(value, "hand")) <= 9:
                cards = sorted(numbers(value, "hand"))
                a[k.HAND : k.HAND + len(cards)] = cards
            elif part in ("down", "announced", "waking", "won"):
                a[k.DOWN] |= part == "down"
                a[k.SHARE] |= part == "won"
                a[k.ANNOUNCED] = {"announced": 1, "waking": -1}.get(part, a[k.ANNOUNCED])
            else:
                raise ParseError(f"{part!r} of robot {name} is not understood; see docs/games/roborally.md")
        if a[k.ARCHIVE] < 0:
            a[k.ARCHIVE] = a[k.AT]
        if a[k.ARCHIVE] < 0:
            raise ParseError(f"robot {name} is off the course and has no archive")
        hand, held = int(np.count_nonzero(a[k.HAND :])), k.HAND_SIZE - int(a[k.DAMAGE])
        if phase == k.PROGRAMMING and a[k.AT] >= 0 and not a[k.DOWN]:
            if hand not in (0, held):
                raise ParseError(f"robot {name} has {hand} cards in hand; with {a[k.DAMAGE]} damage it is dealt {held}")
            open_ = min(5, held)
            if not all((a[k.REGISTER + r] > 0) == (r >= open_) for r in range(5)):
                raise ParseError(
                    f"robot {name} has {a[k.DAMAGE]} damage: registers above {open_} are locked and hold a card"
                )
        elif hand and phase not in (k.PROGRAMMING, k.FILLING):
            raise ParseError(f"robot {name} has a hand, but cards are not dealt yet")

    def _space(self, text: str, what: str) -> int:
        try:
            x, y = (int(n) for n in text.split(","))
        except ValueError:
            raise ParseError(f"{what} is at {text!r}; a space is like 4,7") from None
        if self.course.cells.get((x, y), "()") == "()":
            raise ParseError(f"{what} is at {x},{y}, which is no space of {self.course.name} to stand on")
        return self.course.index(x, y)

    def _check(self, s: State) -> None:
        """What only all robots together tell."""
        robots = [robot(s, p) for p in range(self.players)]
        if sorted(int(a[k.DOCK]) for a in robots) != list(range(self.players)):
            if any(a[k.DOCK] >= 0 for a in robots):
                raise ParseError(f"the robots have docks 1 to {self.players}, each once")
            for p, a in enumerate(robots):
                a[k.DOCK] = p
        spaces = [int(a[k.AT]) for a in robots if a[k.AT] >= 0]
        for space in spaces:
            if spaces.count(space) > 1:
                raise ParseError(f"two robots stand on {self._place(space, 0)[:-2]}")
        phase = s[k.PHASE]
        cards = [int(c) for a in robots for c in a[k.REGISTER : k.HAND] if c]
        cards += [int(c) for a in robots for c in a[k.HAND :] if c and (phase == k.PROGRAMMING or c not in cards)]
        if any(not 1 <= c <= k.CARDS for c in cards):
            raise ParseError(f"a card is out of range; they are numbered 1 to {k.CARDS}")
        twice = [c for c in cards if cards.count(c) > 1]
        if twice:
            raise ParseError(f"card {twice[0]} is there twice")
        if phase == k.STAYING:
            s[k.WHO] = self.rule(kernels.next_to_stay, s)
        if phase == k.ENTERING:
            s[k.WHO] = self.rule(kernels.next_to_enter, s)
        if phase in (k.STAYING, k.ENTERING) and s[k.WHO] < 0:
            raise ParseError(f"phase {PHASES[phase]}: no robot has that to decide")
        if phase == k.FILLING and self.rule(kernels.unfilled, s) < 0:
            raise ParseError("phase fill: no locked register is empty")
        if phase == k.PROGRAMMING and not any(self.rule(k.is_awake, s, p) for p in range(self.players)):
            raise ParseError("phase program: no robot is awake")
        if (phase == k.ENDED) != any(a[k.SHARE] for a in robots):
            raise ParseError("a robot has won if and only if the race is over")
        if any(a[k.NEXT] > len(self.course.flags) for a in robots) and phase != k.ENDED:
            raise ParseError("a robot that has touched all flags has won: the race is over")

    def sheet(self, position: RallyPosition) -> Sheet | None:
        """Where each robot stands and which way it faces, its flag, damage and lives; cards are dealt anew."""
        s = position.state
        if s[k.PHASE] == k.DOCKING:
            return None
        there = {int(robot(s, p)[k.AT]): p for p in range(self.players) if robot(s, p)[k.AT] >= 0}
        cells = {}
        for (x, y), token in self.course.cells.items():
            if token != PIT:
                p = there.get(self.course.index(x, y))
                cells[f"{x},{y}"] = EMPTY if p is None else f"{NAMES[p]}{FACES[int(robot(s, p)[k.FACING])]}"
        signs = [Sign(EMPTY, "nobody")]
        fields = [Field("turn", "turn", str(int(s[k.TURN])), most=self["max_turns"])]
        for p, name in enumerate(self.seats):
            a = robot(s, p)
            signs += [
                Sign(f"{name}{face}", f"{name} facing {way}", only=name)
                for face, way in zip(FACES, telling.FACINGS, strict=True)
            ]
            fields.append(
                Field(f"flag {name}", f"next flag of {name}", str(int(a[k.NEXT])), most=len(self.course.flags))
            )
            fields.append(Field(f"damage {name}", f"damage of {name}", str(int(a[k.DAMAGE])), most=4))
            fields.append(Field(f"lives {name}", f"lives of {name}", str(int(a[k.LIVES])), most=9))
        return Sheet(cells, tuple(signs), tuple(fields))

    def written(self, position: RallyPosition, cells: Mapping[str, str], fields: Mapping[str, str]) -> str:
        words = [f"turn={fields['turn']}", "phase=deal"]
        at = {sign[0]: (place, SIDES[FACES.index(sign[1])]) for place, sign in cells.items() if sign != EMPTY}
        for p, name in enumerate(self.seats):
            place, facing = at.get(name, ("", ""))
            stands = f"{place},{facing}" if place else "out"
            x, y = self.course.space(int(robot(position.state, p)[k.ARCHIVE]))
            parts = [stands, f"dock{robot(position.state, p)[k.DOCK] + 1}", f"flag{fields[f'flag {name}']}"]
            parts += [f"lives{fields[f'lives {name}']}", f"archive{place or f'{x},{y}'}"]
            parts += [f"damage{fields[f'damage {name}']}"] if fields[f"damage {name}"] != "0" else []
            words.append(f"{name}={':'.join(parts)}")
        return " ".join(words)

    def next_seat(self, position: RallyPosition) -> int:
        return 0

    def art(self, position: RallyPosition) -> str:
        return text_art(self.course, position.state, self.players, PHASES)

    @cached_property
    def floor(self) -> str:
        """The drawing of the floor, which is the same all race long."""
        return "".join(floor(self.course))

    def draw(self, position: RallyPosition) -> str:
        title = f"{self.title}: {self.course.name}"
        return draw(self.course, position.state, self.players, title, str(position), self.floor)

    def pieces(self) -> list[tuple[str, str]]:
        return pieces()

    def first_steps(self, position: RallyPosition) -> Sequence[str]:
        """Of a programme; what else is decided explains itself."""
        return self.plan.first if position.state[k.PHASE] == k.PROGRAMMING else ()

    def describe(self, position: RallyPosition, move: str, mover: int, viewer: int | None = None) -> str:
        phase = position.state[k.PHASE]
        if mover == CHANCE:
            word, _, rest = move.partition(" ")
            if word == "docks":
                return "docks are drawn: " + ", ".join(f"{name} on {dock + 1}" for dock, name in enumerate(rest))
            if word == "fill":
                return f"locked registers are filled: {telling.programme(numbers(rest, 'fill'))}"
            hands = rest.split("/")
            own = hands[viewer] if viewer is not None and 0 <= viewer < len(hands) else ""
            return "cards are dealt" + (
                f": {telling.hand(numbers(own, 'hand'))}" if own and own not in (HIDDEN, NOBODY_THERE) else ""
            )
        if phase == k.STAYING:
            return "stays powered down" if move == "stay" else "wakes up"
        if phase == k.ENTERING:
            place, _, rest = move.partition(" ")
            x, y, facing = place.split(",")
            return f"comes back at {x},{y} facing {telling.FACINGS[SIDES.index(facing)]}" + (
                ", powered down" if rest else ""
            )
        cards, _, rest = move.partition(" ")
        said = "keeps its locked cards" if cards == NO_CARDS else telling.programme(numbers(cards, "programme"))
        return said + (", and announces a power-down" if rest else "")

    def heading(self, position: RallyPosition) -> str:
        return f"Turn {position.state[k.TURN]}" if position.state[k.PHASE] != k.DOCKING else "Setting up"

    def question(self, position: RallyPosition, seat: int) -> str:
        name, phase = self.seat_name(seat), position.state[k.PHASE]
        if phase == k.ENTERING:
            lives = int(robot(position.state, seat)[k.LIVES])
            left = "its last life" if lives == 1 else f"{lives} lives left"
            return f"{name} was destroyed, {left}; choose where it comes back and which way it faces"
        if phase == k.STAYING:
            return f"{name} is powered down; does it stay so?"
        return ""

    def story(self, position: RallyPosition, text: str, viewer: int | None = None) -> list[str]:
        """The turn of a joint move, register by register: who goes where, is hurt, reaches a flag."""
        if position.state[k.PHASE] != k.PROGRAMMING:
            return []
        game, s, reported = self, position.state.copy(), []
        for p, programme in enumerate(text.split(JOINT)):
            if game.rule(k.is_awake, s, p):
                game.rule(kernels.write_programme, s, p, game.parse_move(position.state, p, programme))
        for register in range(k.REGISTERS):
            before = s.copy()
            winners = game.rule(elements.run_register, game.g, s, register)
            happened = [said for p in range(game.players) if (said := position._happened(before, s, p, register))]
            reported.append(f"register {register + 1}: {'; '.join(happened) or 'nothing moves'}")
            if winners:
                break
        return reported

    def frames(self, position: RallyPosition, text: str, seat: int | None = None) -> list[Frame]:
        """The turn of a joint move as a seat sees it: before it, and after each card and element that acts.

        Hands of others stay hidden, and so do their registers that are still to come."""
        if position.state[k.PHASE] != k.PROGRAMMING:
            return []
        game = self
        s, fresh = position._written(text)
        title = f"{game.title}: {game.course.name}"

        def drawn(state: State, revealed: int, words: str) -> Frame:
            shown = state.copy()
            game.run("hide", game.g, shown, NOBODY if seat is None else seat)
            for p, r in fresh:
                if r >= revealed and p != seat:
                    robot(shown, p)[k.REGISTER + r] = k.NO_CARD
            return Frame(draw(game.course, shown, game.players, title, words, game.floor), words)

        first = drawn(s, 0, "The programmes are in")
        return [first, *(drawn(step.state, step.register + 1, step.words) for step in telling.steps(game, s))]

    def named(self, move: str) -> tuple[str, ...]:
        return tuple(card.strip() for card in move.split(","))

    def sketch(self, position: RallyPosition, prefix: Sequence[str], seat: int | None = None) -> str:
        """The way that the cards picked so far lead if nobody interferes."""
        if position.state[k.PHASE] != k.PROGRAMMING or not prefix:
            return position.svg()
        game, p = self, position._decider(seat)
        s = position.state.copy()
        for other in range(game.players):
            if other != p:
                robot(s, other)[k.AT] = -1
        cards = picked(prefix[0])
        cells = s[k.ROBOTS + k.ROBOT * p : k.ROBOTS + k.ROBOT * (p + 1)]
        start, way = game.course.space(int(cells[k.AT])), list[tuple[tuple[int, int], int, float] | None]()
        for register in range(k.REGISTERS):
            if register < open_registers(position.state, p):
                if register >= len(cards):
                    break
                cells[k.REGISTER + register] = cards[register]
            game.rule(elements.run_register, game.g, s, register)
            alive = cells[k.STATUS] == k.RACING
            way.append((game.course.space(int(cells[k.AT])), int(cells[k.FACING]), 1.0) if alive else None)
            if not alive:
                break
        shown = position.state.copy()
        for register, card in enumerate(cards):
            robot(shown, p)[k.REGISTER + register] = card
        title = f"{game.title}: {game.course.name}"
        words = f"{game.seat_name(p)} if nobody interferes: {telling.programme(cards)}"
        path = track(game.course, p, start, way) if way else []
        return draw(game.course, shown, game.players, title, words, game.floor, path)


# what people call cards, by the sign of what they do
CARD_WORDS = {
    "m1": "1",
    "move1": "1",
    "m2": "2",
    "move2": "2",
    "m3": "3",
    "move3": "3",
    "back": "B",
    "b": "B",
    "backup": "B",
    "left": "L",
    "l": "L",
    "right": "R",
    "r": "R",
    "u": "U",
    "uturn": "U",
    "u-turn": "U",
    "around": "U",
}
SHORT_WORDS = ("m1", "m2", "m3", "back", "left", "right", "u")


class RallyPosition(ArrayPosition):
    """Deals are too many to number: a chance event's text says what was dealt."""

    game: RoboRally

    def _draw(self, rng: Rng) -> str:
        s = self.state.copy()
        with np.errstate(over="ignore"):
            if s[k.PHASE] == k.DOCKING:
                self.game.rule(kernels.draw, self.game.g, s, rng)
                docks = {int(robot(s, p)[k.DOCK]): NAMES[p] for p in range(self.game.players)}
                return "docks " + "".join(docks[d] for d in range(self.game.players))
            if s[k.PHASE] == k.DEALING:
                self.game.rule(deal.deal_hands, s, -1, rng)
                return "deal " + "/".join(listed(hand_of(s, p)) or NOBODY_THERE for p in range(self.game.players))
            empty = self._to_fill()
            self.game.rule(deal.fill_registers, self.game.g, s, rng)
            return "fill " + listed([int(s[cell]) for cell in empty])

    def _to_fill(self) -> list[int]:
        """The cells of the empty locked registers, in the order in which they are filled."""
        s, cells = self.state, []
        for dock in range(self.game.players):
            p = int(self.game.rule(k.by_dock, s, dock))
            if robot(s, p)[k.STATUS] == k.RACING:
                start = k.ROBOTS + k.ROBOT * p + k.REGISTER
                cells += [start + r for r in range(open_registers(s, p), 5) if s[start + r] == k.NO_CARD]
        return cells

    def _apply_chance(self, s: State, text: str) -> str:
        game, g = self.game, self.game.g
        word, _, rest = text.strip().partition(" ")
        expected = {k.DOCKING: "docks", k.DEALING: "deal", k.FILLING: "fill"}[int(s[k.PHASE])]
        if word != expected:
            raise IllegalMove(f"{text!r} is not what chance decides here: '{expected} ...'")
        if expected == "docks":
            if sorted(rest) != sorted(NAMES[: game.players]):
                raise IllegalMove(
                    f"{text!r}: give the robots in the order of docks, like docks {NAMES[: game.players]}"
                )
            for dock, name in enumerate(rest):
                robot(s, NAMES.index(name))[k.DOCK] = dock
            game.rule(deal.place_on_docks, g, s)
        elif expected == "deal":
            self._deal(s, rest)
            game.rule(kernels.begin_programming, g, s)
        else:
            empty = self._to_fill()
            cards = numbers(rest, "fill")
            known = {int(c) for p in range(game.players) for c in robot(s, p)[k.REGISTER :]}
            if len(cards) != len(empty) or len(set(cards)) < len(cards) or not all(1 <= c <= k.CARDS for c in cards):
                raise IllegalMove(f"{text!r}: {len(empty)} different cards are needed")
            if known & set(cards):
                raise IllegalMove(f"{text!r}: card {min(known & set(cards))} is not in the undealt deck")
            s[empty] = cards
            game.rule(kernels.go_on, g, s)
        return f"{word} {rest.strip()}"

    def _deal(self, s: State, text: str) -> None:
        hands = text.split("/")
        if len(hands) != self.game.players:
            raise IllegalMove(f"the deal has {len(hands)} hands; {self.game.players} robots take part")
        locked = {int(c) for p in range(self.game.players) for c in robot(s, p)[k.REGISTER : k.HAND]}
        for p, hand in enumerate(hands):
            cards = [] if hand.strip() == NOBODY_THERE else sorted(numbers(hand, "deal"))
            wanted = k.HAND_SIZE - int(robot(s, p)[k.DAMAGE]) if self.game.rule(k.is_awake, s, p) else 0
            if len(cards) != wanted:
                raise IllegalMove(f"robot {NAMES[p]} is dealt {wanted} cards, not {len(cards)}")
            for card in cards:
                if not 1 <= card <= k.CARDS or card in locked:
                    raise IllegalMove(f"card {card} is not in the deck, or dealt twice")
                locked.add(card)
            robot(s, p)[k.HAND : k.HAND + len(cards)] = cards

    def _written(self, text: str) -> tuple[State, list[tuple[int, int]]]:
        """The state with the programmes of a joint move in the registers, and the registers that were not known before."""
        game, s = self.game, self.state.copy()
        fresh = []
        for p, programme in enumerate(text.split(JOINT)):
            if game.rule(k.is_awake, s, p):
                game.rule(kernels.write_programme, s, p, game.parse_move(self.state, p, programme))
                fresh += [(p, r) for r in range(open_registers(s, p))]
        return s, fresh

    def _happened(self, before: State, after: State, p: int, register: int) -> str:
        """What one register did to a robot."""
        was, now, name = robot(before, p), robot(after, p), NAMES[p]
        if was[k.AT] < 0:
            return ""
        card = int(was[k.REGISTER + register])
        said = [meaning(card)] if card > 0 and not was[k.DOWN] else []
        if now[k.AT] < 0:
            return f"{name} {' and '.join([*said, 'is destroyed'])}"
        if (was[k.AT], was[k.FACING]) != (now[k.AT], now[k.FACING]):
            said.append(f"to {self.game._place(int(now[k.AT]), int(now[k.FACING]))}")
        if now[k.DAMAGE] > was[k.DAMAGE]:
            said.append(f"takes {int(now[k.DAMAGE] - was[k.DAMAGE])} damage")
        if now[k.NEXT] > was[k.NEXT]:
            said.append(f"touches flag {int(was[k.NEXT])}")
        return f"{name} {', '.join(said)}" if said else ""

    def parts(self, prefix: Any = (), seat: int | None = None) -> Parts:
        """Programmes are too many to offer: one is written, and it is a whole move. The rest is listed."""
        if self.state[k.PHASE] != k.PROGRAMMING:
            return super().parts(prefix, seat)
        p = self._decider(seat)
        registers = open_registers(self.state, p)
        free = f"{registers} cards of the hand with commas, in the order of registers"
        if not prefix:
            game, s = self.game, self.state
            few = min(6, int(game.run("count", game.g, s, p)))
            examples = (game.move_text(s, p, int(game.run("move", game.g, s, p, k))) for k in range(few))
            form = Form("pieces", tuple(f"register {r + 1}" for r in range(registers)))
            return Parts(tuple(examples), False, free, form if registers else None)
        if len(prefix) > 1:
            raise IllegalMove("a programme has one part: its cards with commas between")
        if 0 < len(picked(prefix[0])) < registers:  # some registers are still open
            wrong = [card for card in picked(prefix[0]) if card not in hand_of(self.state, p)]
            if wrong:
                raise IllegalMove(f"card {wrong[0]} is not in the hand; it holds {listed(hand_of(self.state, p))}")
            return Parts((), False, free, Form("pieces", tuple(f"register {r + 1}" for r in range(registers))))
        self.game.parse_move(self.state, p, prefix[0])
        return Parts((), True, free, Form("pieces", tuple(f"register {r + 1}" for r in range(registers))))

    def game_history(self, seat: int | None) -> tuple[str, ...]:
        """Programmes, docks and locked cards are open to all once they are played; of a deal a seat sees its own hand."""
        return tuple(text if not text.startswith("deal ") else own_deal(text, seat) for text in self.history)


def cards_named(words: list[str], hand: list[int], text: str) -> list[int]:
    """The cards that words name: numbers, or what cards do; of several that do the same, the one of highest priority left."""
    named = [int(word) for word in words if word.isascii() and word.isdecimal() and len(word) < 6]
    cards = []
    for word in words:
        if word.isascii() and word.isdecimal() and len(word) < 6:
            cards.append(int(word))
            continue
        face = CARD_WORDS.get(word)
        if face is None:
            raise IllegalMove(f"{word!r} in {text!r} is no card: cards go by number, or as {' '.join(SHORT_WORDS)}")
        left = [card for card in hand if card_face(card) == face and card not in cards and card not in named]
        if not left:
            raise IllegalMove(f"{word!r} in {text!r}: no such card is left in the hand; it holds {faces(hand)}")
        cards.append(max(left))
    return cards


def faces(cards: list[int]) -> str:
    return " ".join(f"{card}={card_face(card)}" for card in cards)


def own_deal(text: str, seat: int | None) -> str:
    """The text of a deal with the hands of others left out."""
    hands = text.removeprefix("deal ").split("/")
    return "deal " + "/".join(hand if p == seat else HIDDEN for p, hand in enumerate(hands))


def robot(s: State, p: int) -> State:
    """The cells of robot p."""
    start = k.ROBOTS + k.ROBOT * p
    return s[start : start + k.ROBOT]


def open_registers(s: State, p: int) -> int:
    return min(k.REGISTERS, k.HAND_SIZE - int(robot(s, p)[k.DAMAGE]))


def hand_of(s: State, p: int) -> list[int]:
    return [int(c) for c in robot(s, p)[k.HAND :] if c]


def picked(text: str) -> list[int]:
    """The cards of a programme, whole or not."""
    cards = text.split()[0] if text.split() else ""
    return [] if cards in ("", NO_CARDS) else numbers(cards.strip(","), "programme")


def listed(cards: Any) -> str:
    return ",".join(str(int(c)) for c in cards)


def numbers(text: str, what: str) -> list[int]:
    """Whole numbers with commas between."""
    items = text.split(",")
    if not all(item.strip().isascii() and item.strip().isdecimal() and len(item) < 6 for item in items):
        raise IllegalMove(f"{text!r} in {what} is not a list of cards like 70,8,49")
    return [int(item) for item in items]


def whole(text: str, what: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 9) or not low <= int(text) <= high:
        raise ParseError(f"the {what} is {text!r}; it goes from {low} to {high}")
    return int(text)
