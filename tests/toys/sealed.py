"""Sealed: twice both bid 0 to 2 in secret, then the first player says stop; nothing is opened before the end."""

import stratagem
from stratagem import OVER, TOGETHER, Ground, Moves, Payoffs, Rng, State, below
from stratagem.contract.companions.drawing import Drawing

ROUND, BIDS, UNSEEN = 0, 1, -1  # state: [decisions made, both bids of the first round, both of the second]


def turn(g: Ground, s: State) -> int:
    return TOGETHER if s[ROUND] < 2 else 0 if s[ROUND] == 2 else OVER


def count(g: Ground, s: State, p: int) -> int:
    return 3


def move(g: Ground, s: State, p: int, k: int) -> int:
    return k


def play(g: Ground, s: State, p: int, m: int) -> None:
    s[ROUND] += 1


def play_together(g: Ground, s: State, joint: Moves) -> None:
    for p in range(2):
        s[BIDS + 2 * s[ROUND] + p] = joint[p]
    s[ROUND] += 1


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    out[0] = 1.0 if s[BIDS] + s[BIDS + 2] > s[BIDS + 1] + s[BIDS + 3] else -1.0
    out[1] = -out[0]


def hide(g: Ground, s: State, p: int) -> None:
    for k in range(4):
        if k % 2 != p and k < 2 * s[ROUND]:
            s[BIDS + k] = UNSEEN


def guess(g: Ground, s: State, p: int, r: Rng) -> None:
    for k in range(4):
        if s[BIDS + k] == UNSEEN:
            s[BIDS + k] = below(r, 3)


class Sealed(stratagem.ArrayGame, Drawing):
    name, title, summary = "sealed", "Sealed", "two secret bids each, opened at the end"
    plan = stratagem.Plan("bid", "A bid of 0 to 2, in secret.")
    hidden, size, max_moves, max_length = True, 5, 3, 3

    def move_text(self, s: State, p: int, m: int) -> str:
        return f"bid{m}"

    def art(self, position: stratagem.ArrayPosition) -> str:
        return " ".join("?" if bid == UNSEEN else str(bid) for bid in position.state[BIDS:])
