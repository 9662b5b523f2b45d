"""Three Gates: each holds five of twelve cards; both send a card to each of three gates, at once and in secret.

The higher card takes its gate, and whoever takes more gates wins. One move is a plan of three parts, such as `4;11;7`. Try
`stratagem play examples/three_gates.py`; docs/write-a-game-of-plans.md goes through it part by part.
"""

import stratagem
from stratagem import CHANCE, OVER, TOGETHER, Choice, Entry, Ground, Moves, Payoffs, Request, Rng, State, below

DEALT, PLANNED, CARDS, GATES = 0, 1, 2, 14  # state: [cards dealt, plans made, owner of each card, six cards at gates]
HAND, OUT, UNSEEN = 5, 2, -1  # cards in a hand; owner of the two out of sight; what a view shows of others' cards


def room(s: State, owner: int) -> int:
    """How many more cards an owner takes."""
    left = HAND if owner < OUT else 12 - 2 * HAND
    for card in range(s[DEALT]):
        left -= s[CARDS + card] == owner
    return left


def take(s: State, p: int, nth: int, used: int) -> int:
    """The nth card of a hand, those in the set `used` left out."""
    for card in range(12):
        if s[CARDS + card] == p and used >> card & 1 == 0:
            nth -= 1
            if nth < 0:
                return card
    return 0


def turn(g: Ground, s: State) -> int:
    return CHANCE if s[DEALT] < 12 else TOGETHER if s[PLANNED] == 0 else OVER


def count(g: Ground, s: State, p: int) -> int:
    return 3 if p == CHANCE else 5 * 4 * 3


def move(g: Ground, s: State, p: int, k: int) -> int:
    first = take(s, p, k // 12, 0)
    second = take(s, p, k // 3 % 4, 1 << first)
    return first * 144 + second * 12 + take(s, p, k % 3, 1 << first | 1 << second)


def play(g: Ground, s: State, p: int, m: int) -> None:
    s[CARDS + s[DEALT]] = m  # only chance plays alone: the next card goes to owner m
    s[DEALT] += 1


def odds(g: Ground, s: State, k: int) -> float:
    return room(s, k) / (12 - s[DEALT])


def play_together(g: Ground, s: State, joint: Moves) -> None:
    s[PLANNED] = 1
    for gate in range(3):
        for p in range(2):
            s[GATES + 3 * p + gate] = joint[p] // (144, 12, 1)[gate] % 12


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    taken = 0
    for gate in range(3):
        taken += 1 if s[GATES + gate] > s[GATES + 3 + gate] else -1
    out[0] = 1.0 if taken > 0 else -1.0
    out[1] = -out[0]


def hide(g: Ground, s: State, p: int) -> None:
    for card in range(s[DEALT]):
        if s[CARDS + card] != p:
            s[CARDS + card] = UNSEEN


def guess(g: Ground, s: State, p: int, r: Rng) -> None:
    """What a seat cannot see, dealt anew: each of the seven cards to the other hand or out of sight, all ways alike."""
    theirs, unseen = HAND, 12 - HAND
    for card in range(12):
        if s[CARDS + card] != p:
            other = below(r, unseen) < theirs
            s[CARDS + card] = 1 - p if other else OUT
            theirs -= other
            unseen -= 1


class ThreeGates(stratagem.ArrayGame, stratagem.Drawing):
    name, title, summary = "three-gates", "Three Gates", "send three of five secret cards to three gates, both at once"
    plan = stratagem.Plan("assault", "A move sends a card to each gate, unseen. Engines guess the other hand.")
    hidden, size, max_moves, max_length = True, 20, 60, 13

    def move_text(self, s: State, p: int, m: int) -> str:
        if p == CHANCE:
            return f"{s[DEALT] + 1} {('to first', 'to second', 'out of sight')[m]}"
        return ";".join(str(m // base % 12 + 1) for base in (144, 12, 1))

    def art(self, position: stratagem.ArrayPosition) -> str:
        rows, s = [], position.state
        for p in range(2):
            hand = [str(card + 1) for card in range(s[DEALT]) if s[CARDS + card] == p] or ["unseen"]
            sent = [f"gate {gate + 1}: {s[GATES + 3 * p + gate] + 1}" for gate in range(3) if s[PLANNED]]
            rows.append(f"{self.seat_name(p):6}  {' '.join(hand)}  {', '.join(sent)}")
        return "\n".join(rows)


class Bold(stratagem.Player):
    name = "bold"

    def answer(self, request: Request) -> Choice:
        highest = max(request.view.moves(request.seat), key=lambda plan: [int(card) for card in plan.split(";")])
        return Choice(highest, engine=self.name)


def players(game: ThreeGates) -> dict[str, Entry]:
    own = Entry(lambda game, seed=0: Bold(), "its three highest cards, the best to the first gate")
    return {**stratagem.general_players(game), "bold": own}
