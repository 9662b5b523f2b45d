"""The face of Risk: options, the texts of positions and moves (stated in `kernels`), whole turns on one line.

A line of moves with `;` between them is played one after another, dice and cards included, and a choice and its number may
stand together: `alaska 3; alaska>kamchatka until 1`. `turn_lines` writes a game so, one line a turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from stratagem.contract.companions.drawing import Drawing, Mark
from stratagem.contract.companions.editing import Editing, Field, Sheet, Sign
from stratagem.contract.companions.puzzling import Puzzles, Puzzling
from stratagem.contract.companions.steps import DONE, LATER, OPEN, Step, Steps
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import ArrayGame, ArrayPosition, Option, Parts
from stratagem.errors import IllegalMove, OptionError
from stratagem.games.risk import dice, telling
from stratagem.games.risk import kernels as k
from stratagem.games.risk.atlas import (
    BONUS,
    CARD_NAMES,
    CONTINENT_NAMES,
    IDS,
    LETTERS,
    NEIGHBOURS,
    NEUTRAL_LETTER,
    SYMBOLS,
    TERRITORIES,
    territory,
)
from stratagem.games.risk.position_text import FLAGS, read
from stratagem.games.risk.view import draw, headline, heat_text, scene_of, text_art
from stratagem.kernel import CHANCE, Ground, State
from stratagem.plans.plan import DRAFT
from stratagem.rng import Rng

FREE = "."
STOP_TEXT = {k.ATTACK: "stop", k.FORTIFY: "end"}
UNKNOWN = "?"
PLACING_STEPS = (
    "Click a marked territory: an army goes there.",
    "Put them where others touch you, or where you mean to attack.",
    "When all armies are placed, the turns begin.",
)
ATTACKING_STEPS = (
    "Place your new armies: click a territory of yours, then say how many.",
    "Attack: click a territory of yours and a neighbour that is not, then choose how long. “stop” ends it.",
    "Move armies once, or choose “end”: it is the next seat’s turn.",
)
SET_UP_PHASES = ("claim", "place", "reinforce", "attack", "fortify")  # that a position may be set up in
KEPT_WORDS = ("sets", "hands", "discard")  # of a position, whatever is decided next
SCHEDULES, FORTIFYING = ("escalating", "fixed", "none"), ("adjacent", "connected", "none")


class Risk(ArrayGame["RiskPosition"], Drawing, Editing, Puzzles, Steps, Wording):
    """Risk: draft territories, then conquer the world; see docs/games/risk.md."""

    name = "risk"
    title = "Risk"
    summary = "draft territories, then conquer the world: a turn is trade, reinforce, attack, fortify"
    brief = (
        "Seats take the 42 territories one by one, then place their armies. A turn: trade sets of cards, place new armies "
        "(a third of your territories, at least 3, and the bonus of each continent you hold), attack neighbours with up to "
        "three dice against two, move armies once, and draw a card if you captured something. Who loses the last territory "
        "is out; who owns the world wins."
    )
    guide = (
        "A line a territory: its owner and armies. Type a territory to claim or reinforce it, alaska 3 (or "
        "alaska, then place 3) to place armies, alaska>kamchatka to attack, then roll 3 or until 2 for how long; "
        "stop ends a phase. look alaska shows its neighbours."
    )
    inks = (
        ("A", "red"),
        ("B", "blue"),
        ("C", "green"),
        ("D", "yellow"),
        ("E", "magenta"),
        ("F", "cyan"),
    )
    plan = DRAFT
    family = "armies"
    puzzles = (
        Puzzling(
            "find the step of this turn that is worth most",
            player="medium",
            judge="weighing:samples=512",
            decoy="border",
            margin=0.05,
            referee="weighing:samples=4096",
            stray=0.0,
            plies=(110, 400),
            alike=2,
        ),
    )
    presets = (("territories dealt", {"claim": "deal"}), ("two seats", {"players": 2}))
    options = (
        Option("players", 3, "seats", minimum=2, maximum=6),
        Option("claim", "draft", "territories are picked one by one, or dealt", choices=("draft", "deal")),
        Option("draft_order", "round_robin", "seat order of the picks", choices=("round_robin", "snake")),
        Option(
            "two_player",
            "neutral",
            "with 2 seats: a passive third side (always dealt), or none",
            choices=("neutral", "pure"),
        ),
        Option("cards", "escalating", "worth of card sets", choices=SCHEDULES),
        Option("fortify", "adjacent", "the move at the end of a turn", choices=FORTIFYING),
        Option("defence", "max", "defenders roll all the dice they may, or choose", choices=("max", "choose")),
        Option("turn_cap", None, "player turns after which the game stops undecided", minimum=1, kind=int),
    )
    rules = k
    hidden = True
    size = k.STATE_SIZE
    max_moves = k.MOST_MOVES
    engine = "strong"

    def setup(self) -> None:
        self.players = self["players"]
        self.seats = tuple(LETTERS[: self.players])
        self.neutral = self.players == 2 and self["two_player"] == "neutral"
        self.dealt = self.neutral or self["claim"] == "deal"
        self.sides = self.players + self.neutral
        self.payoff_range = (-1.0 / (self.players - 1), 1.0)
        self.hidden = self["cards"] != "none"
        if self["turn_cap"] is not None and self["turn_cap"] > 10**6:
            raise OptionError(f"option turn_cap is {self['turn_cap']}; it goes from 1 to 1000000")

    @property
    def constants(self) -> dict[str, Any]:
        return {
            "SEATS": self.players,
            "SIDES": self.sides,
            "NEUTRAL": self.neutral,
            "DEALT": self.dealt,
            "SNAKE": self["draft_order"] == "snake" and not self.dealt,
            "CARDS": SCHEDULES.index(self["cards"]),
            "FORTIFYING": FORTIFYING.index(self["fortify"]),
            "DEFENDER_CHOOSES": self["defence"] == "choose",
        }

    def ground(self) -> Ground:
        return np.array([self["turn_cap"] or 0], np.int64)

    def first(self, s: State) -> None:
        s[k.PHASE] = k.DEALING if self.dealt else k.CLAIM
        s[k.OWNER : k.OWNER + TERRITORIES] = -1
        s[k.LEFT : k.LEFT + self.sides] = k.SETUP_ARMIES[self.players]

    @cached_property
    def claimers(self) -> tuple[int, ...]:
        """The side that takes each territory, in order of the picks."""
        return tuple(int(self.rule(k.claimer, n)) for n in range(TERRITORIES))

    def position(self, state: State, history: tuple[str, ...] = (), origin: str | None = None) -> RiskPosition:
        return RiskPosition(self, state, history, origin)

    def side_letter(self, side: int) -> str:
        return NEUTRAL_LETTER if side >= self.players else LETTERS[side]

    # -- moves

    def move_text(self, s: State, p: int, m: int) -> str:
        phase = int(s[k.PHASE])
        if phase == k.DEALING:
            return IDS[int(np.flatnonzero(s[k.OWNER : k.OWNER + TERRITORIES] < 0)[m])]
        if phase == k.DRAW:
            card = int(np.flatnonzero(s[k.CARD : k.CARD + k.DECK] == k.UNSEEN)[m])
            return f"{LETTERS[int(s[k.PLAYER])]} draws {CARD_NAMES[card]}"
        if phase == k.ROLL:
            return f"lost {m}:{min(int(s[k.DICE]), int(s[k.DEFENCE])) - m}"
        if phase in (k.CLAIM, k.PLACE, k.CHOOSE_BONUS, k.REINFORCE):
            return IDS[m]
        if phase == k.TRADE:
            return "keep" if m == k.KEEP else "+".join(CARD_NAMES[c] for c in cards_of(m))
        if phase in STOP_TEXT:
            return STOP_TEXT[phase] if m == k.STOP else f"{IDS[m // TERRITORIES]}>{IDS[m % TERRITORIES]}"
        if phase == k.HOW:
            return f"roll {m}" if m <= k.DICE_MOVES else f"until {m - k.DICE_MOVES}"
        return f"defend {m}" if phase == k.DEFEND else str(m)

    def parse_move(self, s: State, p: int, text: str) -> int:
        """The move of a text, or the reason why it is none."""
        text, phase = text.strip().lower(), int(s[k.PHASE])
        if p == CHANCE:
            return self._parse_chance(s, text)
        if phase in STOP_TEXT and text == STOP_TEXT[phase]:
            return k.STOP
        if phase == k.TRADE:
            return self._parse_trade(s, p, text)
        if phase in (k.CLAIM, k.PLACE, k.CHOOSE_BONUS, k.REINFORCE):
            return self._parse_territory(s, p, text)
        if phase in (k.ATTACK, k.FORTIFY):
            return self._parse_pair(s, p, text)
        if phase == k.DEFEND:
            if text not in ("defend 1", "defend 2"):
                raise IllegalMove(f"{text!r}: the defender rolls 1 or 2 dice; write defend 1 or defend 2")
            return int(text[-1])
        least, most = (int(x) for x in divmod(int(self.rule(k.numbers, s)), 1 << 32)[::-1])
        if phase == k.HOW:
            word, _, number = text.partition(" ")
            n = _number(number) if word in ("roll", "until") and number else 0
            if word == "roll" and 1 <= n <= min(k.DICE_MOVES, most - k.DICE_MOVES):
                return n
            if word == "until" and 1 <= n <= most - k.DICE_MOVES:
                return n + k.DICE_MOVES
            raise IllegalMove(
                f"{text[:40]!r}: with {most - k.DICE_MOVES + 1} armies write roll 1 to roll "
                f"{min(k.DICE_MOVES, most - k.DICE_MOVES)}, or until 1 to until {most - k.DICE_MOVES}"
            )
        word, _, number = text.rpartition(" ")  # people say what they do: place 5, move 3
        n = _number(number if word in ("place", "add", "move", "occupy", "shift") else text)
        if not least <= n <= most:
            what = {k.ADD: "armies to place", k.OCCUPY: "armies that move in", k.SHIFT: "armies to move"}[phase]
            raise IllegalMove(f"{text!r}: the number of {what} goes from {least} to {most}")
        return n

    def _parse_chance(self, s: State, text: str) -> int:
        texts = [self.move_text(s, CHANCE, m).lower() for m in self.legal(s, CHANCE)]
        if text not in texts:
            shown = ", ".join(texts[:6]) + (", ..." if len(texts) > 6 else "")
            raise IllegalMove(f"{text!r} is not what chance can bring here: {shown}")
        return texts.index(text)

    def _parse_territory(self, s: State, p: int, text: str) -> int:
        t = territory(text)
        if t in self.legal(s, p):
            return t
        holder = int(s[k.OWNER + t])
        if s[k.PHASE] == k.CLAIM:
            raise IllegalMove(f"{IDS[t]} is taken by {self.side_letter(holder)}; claim a free territory")
        if s[k.PHASE] == k.CHOOSE_BONUS:
            raise IllegalMove(f"{IDS[t]} is not an own territory on the cards traded")
        if self.neutral and s[k.PHASE] == k.PLACE and s[k.STEP] == 2:
            raise IllegalMove(f"{IDS[t]} is not neutral; this army goes to a neutral territory")
        raise IllegalMove(f"{IDS[t]} belongs to {self.side_letter(holder)}, not to {self.side_letter(p)}")

    def _parse_pair(self, s: State, p: int, text: str) -> int:
        attacks = s[k.PHASE] == k.ATTACK
        one, arrow, other = text.partition(">")
        if not arrow:
            example = "alaska>kamchatka or stop" if attacks else "alaska>alberta or end"
            if text.replace(" ", "_") in IDS or not text:
                raise IllegalMove(f"{text!r} is no {'attack' if attacks else 'move'}; write {example}")
            raise IllegalMove(f"{text[:60]!r} is not understood in phase {k.PHASES[int(s[k.PHASE])]}; write {example}")
        a, b = territory(one), territory(other)
        if s[k.OWNER + a] != p:
            raise IllegalMove(f"{IDS[a]} belongs to {self.side_letter(int(s[k.OWNER + a]))}, not to {LETTERS[p]}")
        if s[k.ARMIES + a] < 2:
            raise IllegalMove(f"{IDS[a]} has 1 army, which must stay; {'attacking' if attacks else 'moving'} takes 2")
        if attacks and b not in NEIGHBOURS[a]:
            raise IllegalMove(
                f"{IDS[b]} does not touch {IDS[a]}, which touches {', '.join(IDS[n] for n in NEIGHBOURS[a])}"
            )
        if attacks and s[k.OWNER + b] == p:
            raise IllegalMove(f"{IDS[b]} is {LETTERS[p]}'s own; an attack goes against another side")
        m = a * TERRITORIES + b
        if m not in self.legal(s, p):
            raise IllegalMove(
                f"{IDS[b]} is not an own territory that "
                + ("touches" if self["fortify"] == "adjacent" else "is joined by own territories to")
                + f" {IDS[a]}"
            )
        return m

    def _parse_trade(self, s: State, p: int, text: str) -> int:
        if text == "keep":
            if k.KEEP in self.legal(s, p):
                return k.KEEP
            raise IllegalMove(f"with {int(s[k.HELD + p])} cards a set must be traded")
        cards = sorted(self._card(name) for name in text.split("+"))
        held = [c for c in range(k.DECK) if s[k.CARD + c] == k.HAND + p]
        for c in cards:
            if c not in held:
                raise IllegalMove(f"{CARD_NAMES[c]} is not in the hand of {LETTERS[p]}: {_listed(held)}")
        if len(set(cards)) != 3 or not k.is_set(*cards):
            raise IllegalMove(
                f"{text!r} is no set: three of one symbol, one of each, or two with a wild; the hand is {_listed(held)}"
            )
        return cards[0] + k.DECK * (cards[1] + k.DECK * cards[2])

    def _card(self, name: str) -> int:
        name = name.strip().lower()
        return CARD_NAMES.index(name) if name in CARD_NAMES else territory(name)

    # -- positions

    def state_text(self, position: RiskPosition) -> str:
        s = position.state
        phase = int(s[k.PHASE])
        board = ",".join(
            FREE if s[k.OWNER + t] < 0 else f"{self.side_letter(int(s[k.OWNER + t]))}{s[k.ARMIES + t]}"
            for t in range(TERRITORIES)
        )
        words = [f"phase={k.PHASES[phase]}", f"seat={LETTERS[int(s[k.PLAYER])]}", f"turn={s[k.TURN]}", f"board={board}"]
        words += [f"{name}={s[cell]}" for name, cell in (("sets", k.SETS), ("pool", k.POOL)) if s[cell]]
        words += [name for name, cell in FLAGS.items() if s[cell]]
        if phase == k.CHOOSE_BONUS:
            words.append("cards=" + "+".join(CARD_NAMES[s[k.FROM + i]] for i in range(3)))
        elif phase == k.ADD:
            words.append(f"from={IDS[s[k.FROM]]}")
        elif phase in PAIRED:
            words += [f"from={IDS[s[k.FROM]]}", f"to={IDS[s[k.TO]]}"]
            words += [f"{name}={s[cell]}" for name, cell in DICE_WORDS if s[cell]]
            words += [f"was={self.side_letter(int(s[k.STEP]))}"] if phase == k.OCCUPY else []
        elif s[k.STEP]:
            words.append(f"step={s[k.STEP]}")
        if s[k.HELD : k.HELD + 6].any():
            words.append("hands=" + "/".join(self._hand_text(s, p) for p in range(self.players)))
        discarded = [c for c in range(k.DECK) if s[k.CARD + c] == k.DISCARDED]
        words += ["discard=" + "+".join(CARD_NAMES[c] for c in discarded)] if discarded else []
        return " ".join(words)

    def _hand_text(self, s: State, p: int) -> str:
        cards = [c for c in range(k.DECK) if s[k.CARD + c] == k.HAND + p]
        if not s[k.HELD + p]:
            return "-"
        return "+".join(CARD_NAMES[c] for c in cards) if cards else f"{UNKNOWN}{s[k.HELD + p]}"

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        return read(self, text), ()

    def sheet(self, position: RiskPosition) -> Sheet:
        """Who holds what with how many armies, whose turn it is and what it has to place."""
        said = dict(word.partition("=")[::2] for word in str(position).split())
        cells = dict(zip(IDS, said["board"].split(","), strict=True))
        sides = [Sign(self.side_letter(p), self._side_name(p), counted=True) for p in range(self.sides)]
        fields = (
            Field("phase", "what is decided", said["phase"], SET_UP_PHASES),
            Field("seat", "to move", said["seat"], self.seats),
            Field("turn", "turn", said["turn"], most=self["turn_cap"] or 9999),
            Field("pool", "armies to place", said.get("pool", "0"), most=9999),
        )
        return Sheet(cells, (Sign(FREE, "free"), *sides), fields)

    def _side_name(self, side: int) -> str:
        return f"armies of {LETTERS[side]}" if side < self.players else "neutral armies"

    def written(self, position: RiskPosition, cells: Mapping[str, str], fields: Mapping[str, str]) -> str:
        """Cards stay where they are; an attack or a move under way is over, where something else is decided."""
        board = ",".join(cells[name] for name in IDS)
        words = [f"phase={fields['phase']}", f"seat={fields['seat']}", f"turn={fields['turn']}", f"board={board}"]
        words += [f"pool={fields['pool']}"] if fields["pool"] not in ("", "0") else []
        same = fields["phase"] == k.PHASES[int(position.state[k.PHASE])]
        kept = KEPT_WORDS if not same else None
        for word in str(position).split():
            name = word.partition("=")[0]
            if name not in ("phase", "seat", "turn", "board", "pool") and (kept is None or name in kept):
                words.append(word)
        return " ".join(words)

    def outcome(self, position: RiskPosition) -> str:
        won = int(self.rule(k.winner, position.state))
        if won >= 0:
            return f"{LETTERS[won]} wins"
        s = position.state
        standing = ", ".join(
            f"{LETTERS[p]} {s[k.OWNS + p]} territories and {k.armies(s, p)} armies" for p in range(self.players)
        )
        return f"undecided after {s[k.TURN]} turns: {standing}"

    def next_seat(self, position: RiskPosition) -> int:
        return int(position.state[k.PLAYER])

    def draw(self, position: RiskPosition) -> str:
        return draw(scene_of(position))

    def heat(self, position: RiskPosition, values: Mapping[str, float]) -> str | None:
        known = self._territory_values(position, values)
        words = f"chance of {LETTERS[int(position.state[k.PLAYER])]} to win after each pick"
        return draw(scene_of(position, known, words)) if known else None

    def heat_text(self, position: RiskPosition, values: Mapping[str, float]) -> str | None:
        known = self._territory_values(position, values)
        return heat_text(known) if known else None

    def _territory_values(self, position: ArrayPosition, values: Mapping[str, float]) -> dict[int, float]:
        """Payoffs of picks as chances to win, by territory; nothing where picks are not what is decided."""
        if position.state[k.PHASE] != k.CLAIM:
            return {}
        chance = {name: (1 + (self.players - 1) * value) / self.players for name, value in values.items()}
        return {IDS.index(name): x for name, x in chance.items() if name in IDS}

    def art(self, position: RiskPosition) -> str:
        return text_art(position, [self._hand_text(position.state, p) for p in range(self.players)])

    def look(self, position: RiskPosition, word: str) -> str | None:
        """A territory: who holds it with how many armies, and its neighbours."""
        name = word.strip().lower().replace(" ", "_")
        if name not in IDS:
            return None
        held = [position._held(t) for t in (IDS.index(name), *NEIGHBOURS[IDS.index(name)])]
        return f"{held[0]}; next to it: {', '.join(held[1:])}"

    def describe(self, position: RiskPosition, move: str, mover: int, viewer: int | None = None) -> str:
        return telling.in_words(position, move, mover)

    def phrases(
        self, position: RiskPosition, parts: Sequence[str], prefix: Sequence[str] = (), seat: int | None = None
    ) -> list[str]:
        mover = position.turn if seat is None else seat
        return [telling.button(position, part, mover) for part in parts] if not prefix else list(parts)

    def heading(self, position: RiskPosition) -> str:
        s = position.state
        return f"Turn {s[k.TURN]}, {LETTERS[int(s[k.PLAYER])]}" if s[k.PHASE] >= k.TRADE else "Setting up"

    def question(self, position: RiskPosition, seat: int) -> str:
        asked = headline(position).partition(": ")[2] if position.state[k.PHASE] >= k.TRADE else ""
        return asked.removeprefix(f"{LETTERS[seat]}: ")

    def first_steps(self, position: RiskPosition) -> Sequence[str]:
        """Of picking territories, of placing armies before the first turn, and of a turn."""
        phase = position.state[k.PHASE]
        if phase == k.CLAIM:
            return (*self.plan.first[:2], "Then all place their armies, and the turns begin.")
        return PLACING_STEPS if phase == k.PLACE else ATTACKING_STEPS

    def pieces(self) -> list[tuple[str, str]]:
        return [
            *(
                (name, f"{BONUS[i]} armies a turn for whoever holds all of it")
                for i, name in enumerate(CONTINENT_NAMES)
            ),
            ("attack", "up to three dice against two, pair by pair; a tie is the defender's"),
            ("cards", "three alike, three different or wild ones are traded for armies"),
        ]

    def steps(
        self, position: RiskPosition, prefix: Sequence[str], following: Parts, seat: int | None = None
    ) -> tuple[Step, ...]:
        """The phases of a turn; before the first one there are none."""
        phase = int(position.state[k.PHASE])
        now = next((i for i, (_, phases) in enumerate(TURN_STEPS) if phase in phases), None)
        if now is None:
            return ()
        return tuple(
            Step(name, DONE if i < now else LATER if i > now else OPEN, self.question(position, position.turn) * (i == now),
                 "", following.next if i == now else ())
            for i, (name, _) in enumerate(TURN_STEPS)
        )  # fmt: skip

    def trace(self, position: RiskPosition, move: str, mover: int) -> tuple[Mark, ...]:
        """Where it happens; an attack or a move as an arrow."""
        first = move.split(";")[0].split()[0] if move.strip() else ""
        ends = tuple(first.split(">"))
        if set(ends) == {"alaska", "kamchatka"}:  # whose way leaves the map: no line goes across it
            return (Mark("last", ends),)
        if len(ends) == 2 and all(name in IDS for name in ends):
            return (Mark("strike" if position.state[k.PHASE] == k.ATTACK else "arrow", ends),)
        return (Mark("last", (first,)),) if first in IDS else ()

    def places(self, position: RiskPosition, part: str, mover: int) -> tuple[str, ...]:
        first = part.split()[0] if part.strip() else ""
        return tuple(name for name in first.replace("+", ">").split(">") if name in CARD_NAMES)


TURN_STEPS = (
    ("Trade cards", (k.TRADE, k.CHOOSE_BONUS)),
    ("Reinforce", (k.REINFORCE, k.ADD)),
    ("Attack", (k.ATTACK, k.HOW, k.OCCUPY)),
    ("Fortify", (k.FORTIFY, k.SHIFT)),
)

# what a position's text says besides the board: words and the cells they stand for
DICE_WORDS = (("dice", k.DICE), ("until", k.UNTIL), ("defence", k.DEFENCE))
PAIRED = (k.HOW, k.DEFEND, k.ROLL, k.OCCUPY, k.SHIFT)


class RiskPosition(ArrayPosition):
    """Lines of several moves are played one after another; a view's record hides the cards that others drew."""

    game: Risk

    def play(self, text: str | Sequence[str]) -> ArrayPosition:
        if not isinstance(text, str):
            (text,) = text
        parts = text.split(";")
        if len(parts) == 1:
            return self._play_part(text)
        position = self
        for part in parts:
            position = position._play_part(part)
        return position

    def _play_part(self, text: str) -> RiskPosition:
        """One move, or a choice and its number in one."""
        choice, blank, number = text.strip().partition(" ")
        compound = blank and self.turn >= 0 and self.state[k.PHASE] in (k.REINFORCE, k.ATTACK, k.FORTIFY)
        position: RiskPosition
        if compound and (">" in choice or choice in IDS):
            position = ArrayPosition.play(super().play(choice), number)
        else:
            position = super().play(text)
        return position

    def sample(self, rng: Rng, seat: int | None = None) -> str:
        """Of a roll the record tells the dice too, drawn among those that cost these armies."""
        text = super().sample(rng, seat)
        if self.turn != CHANCE or self.state[k.PHASE] != k.ROLL:
            return text
        return dice.reported(text, dice.drawn(int(self.state[k.DICE]), int(self.state[k.DEFENCE]), text, rng))

    def _apply_chance(self, s: State, text: str) -> str:
        """A roll may be given with its dice, which must be those that cost so much."""
        outcome, faces = dice.read(text, int(self.state[k.DICE]), int(self.state[k.DEFENCE]))
        return dice.reported(super()._apply_chance(s, outcome), faces)

    def _held(self, t: int) -> str:
        owner, armies = int(self.state[k.OWNER + t]), int(self.state[k.ARMIES + t])
        return f"{IDS[t]} ({'nobody' if owner < 0 else f'{LETTERS[owner]} {armies}'})"

    def _decider(self, seat: int | None) -> int:
        p = super()._decider(seat)
        if not self.trade_known:
            raise IllegalMove(f"the cards of {LETTERS[p]} are not known here, so what it may trade cannot be said")
        return p

    @property
    def trade_known(self) -> bool:
        """Whether the cards of a seat that is to trade are seen; in the views of others they are not."""
        s, p = self.state, int(self.state[k.PLAYER])
        seen = int((s[k.CARD : k.CARD + k.DECK] == k.HAND + p).sum())
        return s[k.PHASE] != k.TRADE or seen == s[k.HELD + p]

    def game_history(self, seat: int | None) -> tuple[str, ...]:
        own = (
            "" if seat is None else self.game.seat_name(seat)
        )  # a list: views are made at every decision of a long record
        return tuple(
            [
                text if " draws " not in text or text[0] == own else f"{text.split()[0]} draws {UNKNOWN}"
                for text in self.history
            ]
        )

    def turn_lines(self) -> list[str]:
        """The record, one line a turn; the setup is the first line. Each line can be played as it stands."""
        lines: list[list[str]] = [[]]
        position: ArrayPosition = self.game.start() if self.origin is None else self.game.parse(self.origin)
        for text in self.history:
            before = int(position.state[k.TURN])
            position = position.play(text)
            lines[-1].append(text)
            if position.state[k.TURN] != before:
                lines.append([])
        return ["; ".join(line) for line in lines if line]


def cards_of(m: int) -> tuple[int, int, int]:
    """The cards of a trade."""
    return m % k.DECK, m // k.DECK % k.DECK, m // k.DECK**2


def _listed(cards: list[int]) -> str:
    return ", ".join(f"{CARD_NAMES[c]} ({SYMBOLS[3 if c >= k.WILD else c % 3]})" for c in cards) or "empty"


def _number(text: str) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdecimal() and len(text) < 12):
        raise IllegalMove(f"{text[:40]!r} is not a number of armies")
    return int(text)
