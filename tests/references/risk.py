"""Classic Risk once more, slowly and plainly: names and dictionaries instead of arrays, rules in the order of the rule book.

Written from the rules, not from the kernels. It asks the same questions one after another (`decider`, `moves`, `chance`,
`play`) and writes the same texts, so that a game can be followed by both, move by move, and compared by text.
"""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from importlib.resources import files
from itertools import combinations, product

MAP = json.loads((files("stratagem.games.risk") / "data" / "map.json").read_text(encoding="utf-8"))
NAMES = [entry["id"] for entry in MAP["territories"]]
TOUCHES = {entry["id"]: entry["neighbours"] for entry in MAP["territories"]}
CONTINENTS = {entry["id"]: (entry["bonus"], entry["territories"]) for entry in MAP["continents"]}
SYMBOL = {name: ("infantry", "cavalry", "artillery")[i % 3] for i, name in enumerate(NAMES)}
CARDS = [*NAMES, "wild1", "wild2"]
SYMBOL.update(wild1="wild", wild2="wild")
SETUP = {2: 40, 3: 35, 4: 30, 5: 25, 6: 20}
LETTERS = "ABCDEF"


def is_set(cards) -> bool:
    symbols = [SYMBOL[card] for card in cards]
    return "wild" in symbols or len(set(symbols)) in (1, 3)


def fixed_worth(cards) -> int:
    """The best that wilds can make of a set."""
    each = {"infantry": 4, "cavalry": 6, "artillery": 8}
    best = 0
    choices = [list(each) if SYMBOL[card] == "wild" else [SYMBOL[card]] for card in cards]
    for made in product(*choices):
        if len(set(made)) == 3:
            best = max(best, 10)
        elif len(set(made)) == 1:
            best = max(best, each[made[0]])
    return best


def escalating_worth(k: int) -> int:
    return [4, 6, 8, 10, 12, 15][k - 1] if k <= 6 else 15 + 5 * (k - 6)


def dice_outcomes(attack: int, defence: int) -> dict[int, Fraction]:
    """By armies that the attacker loses."""
    found: Counter[int] = Counter()
    for dice in product(range(1, 7), repeat=attack + defence):
        mine = sorted(dice[:attack])[::-1]
        theirs = sorted(dice[attack:])[::-1]
        found[sum(1 for x, y in zip(mine, theirs, strict=False) if x <= y)] += 1
    return {lost: Fraction(n, 6 ** (attack + defence)) for lost, n in found.items()}


ROLLS = {(a, d): dice_outcomes(a, d) for a in (1, 2, 3) for d in (1, 2)}


class Reference:
    """A game under way. Seats are letters; neutral is N."""

    def __init__(
        self, players=3, claim="draft", draft_order="round_robin", two_player="neutral", cards="escalating",
        fortify="adjacent", defence="max", turn_cap=None,
    ):  # fmt: skip
        self.seats = list(LETTERS[:players])
        self.neutral = players == 2 and two_player == "neutral"
        self.sides = [*self.seats, "N"] if self.neutral else list(self.seats)
        self.claiming = "deal" if self.neutral else claim
        self.snake = draft_order == "snake" and self.claiming == "draft"
        self.cards, self.fortify, self.defence, self.turn_cap = cards, fortify, defence, turn_cap
        self.owner = dict.fromkeys(NAMES)
        self.armies = dict.fromkeys(NAMES, 0)
        self.reserve = dict.fromkeys(self.sides, SETUP[players])
        self.hand = {seat: set() for seat in self.seats}
        self.deck = set(CARDS) if cards != "none" else set()
        self.discard = set()
        self.sets_traded = 0
        self.turn = 0
        self.picks = 0
        self.seat = self.seats[0]
        self.phase = "deal" if self.claiming == "deal" else "claim"
        self.order = self.claim_order()
        # of a turn
        self.pool = 0
        self.captured = self.bonus_taken = self.after_elimination = False
        self.placed = 0  # of a placement with neutral
        self.source = self.target = self.loser = None
        self.dice = self.until = self.defence_dice = 0
        self.shown = ()

    # -- what can be said of the board

    def lands(self, side):
        return [name for name in NAMES if self.owner[name] == side]

    def claim_order(self):
        order = []
        while len(order) < 42:
            forward = not (self.snake and len(order) // len(self.sides) % 2)
            order += self.sides if forward else self.sides[::-1]
        return order[:42]

    def income(self, seat):
        own = set(self.lands(seat))
        return max(3, len(own) // 3) + sum(bonus for bonus, lands in CONTINENTS.values() if own.issuperset(lands))

    def connected(self, start):
        own, reached, edge = set(self.lands(self.owner[start])), {start}, [start]
        while edge:
            for other in TOUCHES[edge.pop()]:
                if other in own and other not in reached:
                    reached.add(other)
                    edge.append(other)
        return reached - {start}

    def winner(self):
        if self.picks < 42:
            return None
        if self.neutral:
            alive = [seat for seat in self.seats if self.lands(seat)]
            return alive[0] if len(alive) == 1 else None
        return next((seat for seat in self.seats if len(self.lands(seat)) == 42), None)

    # -- who decides, and what

    def decider(self):
        if self.phase in ("deal", "roll", "card"):
            return "chance"
        if self.phase == "over":
            return "over"
        return self.owner[self.target] if self.phase == "defend" else self.seat

    def chance(self):
        """The outcomes with their probabilities."""
        if self.phase == "roll":
            stake = min(self.dice, self.defence_dice)
            return {f"lost {k}:{stake - k}": p for k, p in ROLLS[self.dice, self.defence_dice].items()}
        if self.phase == "card":
            return {f"{self.seat} draws {card}": Fraction(1, len(self.deck)) for card in self.deck}
        free = self.lands(None)
        return {name: Fraction(1, len(free)) for name in free}

    def moves(self):
        return set(getattr(self, f"moves_in_{self.phase}")())

    def moves_in_claim(self):
        return self.lands(None)

    def moves_in_place(self):
        return self.lands("N" if self.neutral and self.placed == 2 else self.seat)

    def moves_in_trade(self):
        hand = sorted(self.hand[self.seat], key=CARDS.index)
        found = ["+".join(three) for three in combinations(hand, 3) if is_set(three)]
        must = self.after_elimination or len(hand) >= 5
        return found if must else [*found, "keep"]

    def moves_in_bonus(self):
        return [card for card in self.shown if self.owner.get(card) == self.seat]

    def moves_in_reinforce(self):
        return self.lands(self.seat)

    def moves_in_add(self):
        return [str(n) for n in range(1, self.pool + 1)]

    def moves_in_attack(self):
        return ["stop"] + [
            f"{a}>{b}"
            for a in self.lands(self.seat)
            if self.armies[a] >= 2
            for b in TOUCHES[a]
            if self.owner[b] != self.seat
        ]

    def moves_in_dice(self):
        most = self.armies[self.source] - 1
        return [f"roll {n}" for n in range(1, min(3, most) + 1)] + [f"until {n}" for n in range(1, most + 1)]

    def moves_in_defend(self):
        return [f"defend {n}" for n in range(1, min(2, self.armies[self.target]) + 1)]

    def moves_in_occupy(self):
        return [str(n) for n in range(self.dice, self.armies[self.source])]

    def moves_in_fortify(self):
        found = ["end"]
        for a in self.lands(self.seat):
            if self.armies[a] >= 2:
                if self.fortify == "adjacent":
                    found += [f"{a}>{b}" for b in TOUCHES[a] if self.owner[b] == self.seat]
                else:
                    found += [f"{a}>{b}" for b in self.connected(a)]
        return found

    def moves_in_shift(self):
        return [str(n) for n in range(1, self.armies[self.source])]

    # -- what happens

    def play(self, text):
        getattr(self, f"play_{self.phase}")(text)

    def play_deal(self, name):
        self.play_claim(name)

    def play_claim(self, name):
        side = self.order[self.picks]
        self.owner[name], self.armies[name] = side, 1
        self.reserve[side] -= 1
        self.picks += 1
        if self.picks < 42:
            self.seat = self.order[self.picks] if self.phase == "claim" else self.seats[0]
            return
        self.phase = "place"
        self.seat = self.sides[(self.sides.index(side) + 1) % len(self.sides)]

    def play_place(self, name):
        self.armies[name] += 1
        self.reserve[self.owner[name]] -= 1
        if self.neutral:
            self.placed = (self.placed + 1) % 3
            if self.placed:
                return
        at = self.seats.index(self.seat)
        for seat in self.seats[at + 1 :] + self.seats[: at + 1]:
            if self.reserve[seat]:
                self.seat = seat
                return
        self.begin_turn(self.seats[0])

    def begin_turn(self, seat):
        if self.turn_cap is not None and self.turn == self.turn_cap:
            self.phase = "over"
            return
        self.turn += 1
        self.seat = seat
        self.captured = self.bonus_taken = False
        self.pool = self.income(seat)
        self.phase = "trade" if len(self.hand[seat]) >= 3 else "reinforce"

    def play_trade(self, text):
        if text == "keep":
            self.phase = "reinforce"
            return
        three = text.split("+")
        assert len(three) == 3 and is_set(three) and self.hand[self.seat].issuperset(three)
        self.hand[self.seat] -= set(three)
        self.discard |= set(three)
        self.sets_traded += 1
        self.pool += escalating_worth(self.sets_traded) if self.cards == "escalating" else fixed_worth(three)
        own = [card for card in three if self.owner.get(card) == self.seat]
        if self.bonus_taken or not own:
            self.another_set()
        elif len(own) == 1:
            self.take_bonus(own[0])
        else:
            self.shown = tuple(sorted(three, key=CARDS.index))
            self.phase = "bonus"

    def play_bonus(self, name):
        self.shown = ()
        self.take_bonus(name)

    def take_bonus(self, name):
        self.armies[name] += 2
        self.bonus_taken = True
        self.another_set()

    def another_set(self):
        held = len(self.hand[self.seat])
        if self.after_elimination:
            self.phase = "trade" if held > 4 else "reinforce"
        else:
            self.phase = "trade" if held >= 3 else "reinforce"

    def play_reinforce(self, name):
        self.source = name
        self.phase = "add"

    def play_add(self, text):
        self.armies[self.source] += int(text)
        self.pool -= int(text)
        self.source = None
        self.phase = "reinforce" if self.pool else "attack"
        if not self.pool:
            self.after_elimination = False

    def play_attack(self, text):
        if text == "stop":
            if self.fortify == "none":
                self.end_turn()
            else:
                self.phase = "fortify"
        else:
            self.source, self.target = text.split(">")
            self.phase = "dice"

    def play_dice(self, text):
        word, number = text.split()
        if word == "roll":
            self.roll_with(int(number))
        else:
            self.until = int(number)
            self.roll_with(min(3, self.armies[self.source] - 1))

    def roll_with(self, dice):
        self.dice = dice
        if self.defence == "choose" and self.owner[self.target] != "N" and self.armies[self.target] > 1:
            self.defence_dice = 0
            self.phase = "defend"
        else:
            self.defence_dice = min(2, self.armies[self.target])
            self.phase = "roll"

    def play_defend(self, text):
        self.defence_dice = int(text.split()[1])
        self.phase = "roll"

    def play_roll(self, text):
        mine, theirs = map(int, text.split()[1].split(":"))
        assert mine + theirs == min(self.dice, self.defence_dice)
        self.armies[self.source] -= mine
        self.armies[self.target] -= theirs
        self.defence_dice = 0
        if self.armies[self.target] == 0:
            self.loser, self.owner[self.target] = self.owner[self.target], self.seat
            self.captured = True
            self.until = 0
            self.phase = "occupy"
        elif self.until and self.armies[self.source] > self.until:
            self.roll_with(min(3, self.armies[self.source] - 1))
        else:
            self.source = self.target = None
            self.dice = self.until = 0
            self.phase = "attack"

    def play_occupy(self, text):
        self.armies[self.source] -= int(text)
        self.armies[self.target] += int(text)
        loser = self.loser
        self.source = self.target = self.loser = None
        self.dice = 0
        self.phase = "attack"
        if loser in self.seats and not self.lands(loser):
            self.hand[self.seat] |= self.hand[loser]
            self.hand[loser] = set()
            if self.winner():
                self.phase = "over"
            elif len(self.hand[self.seat]) >= 6:
                self.after_elimination = True
                self.phase = "trade"

    def play_fortify(self, text):
        if text == "end":
            self.end_turn()
        else:
            self.source, self.target = text.split(">")
            self.phase = "shift"

    def play_shift(self, text):
        self.armies[self.source] -= int(text)
        self.armies[self.target] += int(text)
        self.source = self.target = None
        self.end_turn()

    def end_turn(self):
        if self.captured and self.cards != "none":
            if not self.deck:
                self.deck, self.discard = self.discard, set()
            if self.deck:
                self.phase = "card"
                return
        self.next_seat()

    def play_card(self, text):
        card = text.split()[2]
        self.deck.remove(card)
        self.hand[self.seat].add(card)
        self.next_seat()

    def next_seat(self):
        at = self.seats.index(self.seat)
        following = self.seats[at + 1 :] + self.seats[: at + 1]
        self.begin_turn(next(seat for seat in following if self.lands(seat)))

    # -- the end, and the text

    def payoff(self):
        """The winner takes one, from the others in equal parts; without a winner nobody gets anything."""
        won = self.winner()
        if won is None:
            return [Fraction(0)] * len(self.seats)
        return [Fraction(1) if seat == won else Fraction(-1, len(self.seats) - 1) for seat in self.seats]

    def text(self):
        board = ",".join(f"{self.owner[name]}{self.armies[name]}" if self.owner[name] else "." for name in NAMES)
        words = [f"phase={self.phase}", f"seat={self.seat}", f"turn={self.turn}", f"board={board}"]
        for name, value in (("sets", self.sets_traded), ("pool", self.pool)):
            words += [f"{name}={value}"] if value else []
        for name, flag in (
            ("captured", self.captured),
            ("bonus", self.bonus_taken),
            ("midturn", self.after_elimination),
        ):
            words += [name] if flag else []
        words += ["cards=" + "+".join(self.shown)] if self.shown else []
        words += [f"from={self.source}"] if self.source else []
        words += [f"to={self.target}"] if self.target else []
        for name, value in (("dice", self.dice), ("until", self.until), ("defence", self.defence_dice)):
            words += [f"{name}={value}"] if value else []
        words += [f"was={self.loser}"] if self.loser else []
        words += [f"step={self.placed}"] if self.placed else []
        if any(self.hand.values()):
            words.append("hands=" + "/".join(self.listed(self.hand[seat]) or "-" for seat in self.seats))
        words += ["discard=" + self.listed(self.discard)] if self.discard else []
        return " ".join(words)

    @staticmethod
    def listed(cards):
        return "+".join(sorted(cards, key=CARDS.index))
