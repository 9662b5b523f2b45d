"""What kind of plan one move of a game is, as a game declares it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """A kind of plan. `name` is what people call one; a game may declare a kind of its own."""

    name: str
    idea: str  # what one move is and how engines think about it, in a sentence or two for people
    first: tuple[str, str, str] = ("", "", "")  # three steps that lead somebody through a first one on a page
    by_parts: bool = False  # it is built and typed part by part, with a last word that ends it
    opens: str = ""  # a line that engines of this game write before a plan's parts, so that it may be pasted
    closes: str = ""  # and one that they write after the last part

    def __str__(self) -> str:
        return self.name


MOVE = Plan(
    "move",
    "A move is one step. The engines look ahead move by move: alpha-beta proves what it can see, sampling search plays the "
    "rest out, and expectation weighs the dice.",
    first=(
        "What can be clicked is marked: a square, or a piece and then where it goes.",
        "One click plays, where a move is one step; else Commit does.",
        "Then the others answer. Hint and Take back stand below the record.",
    ),
)
ACTIONS = Plan(
    MOVE.name,
    "A move is one action of a turn that has several. The engines think about whole turns: they breed rows of actions, judge "
    "where each one leads, some of them after the other side's reply, and carry the best out.",
    first=(
        "A turn has several actions: the list below says how many are left.",
        "Click what acts, or a card, and then where it goes.",
        "After the last action it is the other side’s turn. Where there is “end”, that ends yours earlier.",
    ),
)
DRAFT = Plan(
    "draft",
    "A move takes an item that others want too. The engines ask what will still be there at the next pick, and search orders "
    "of picks rather than single ones.",
    first=(
        "Click something that is still free: it becomes yours.",
        "Think of what the others take before you choose again.",
        "Go on until nothing is left.",
    ),
)
BID = Plan(
    "bid",
    "A move is a secret price for the right to move. Both sides choose at once, so the answer is often a mixed strategy: the "
    "engines solve a small matrix game in every position.",
    first=(
        "Click a number: your secret price for the right to move.",
        "Commit it. Both bids are turned over at once, and the higher one wins.",
        "Whoever has won the bid makes the move on the board.",
    ),
)
ALLOCATION = Plan(
    "allocation",
    "A move splits a budget over fronts, and both sides choose at once. There are far too many splits to list: the engines "
    "build a mixed strategy from best answers to best answers.",
    first=(
        "Click + and − until all your units are placed.",
        "A front goes to whoever placed more there: leave some to win others.",
        "Commit. Both plans are turned over at once.",
    ),
)
PROGRAMME = Plan(
    "programme",
    "A move is a row of cards that run blind. The engines treat equal programmes as one, guess what the others hold, and "
    "play many futures out.",
    first=(
        "Click five cards; they go into the registers in order.",
        "The line on the floor shows where they take you. Drag a card to change places, click it to put it back.",
        "Commit. All robots move at once, register by register.",
    ),
)
CAMPAIGN = Plan(
    "campaign",
    "A move is a whole turn of many dependent parts, more than could ever be listed. The engines propose a few whole turns "
    "and judge each by what follows.",
    first=(
        "“Next unit” points at a unit that can act: click one of the marked places. Repeat, or stop whenever you like.",
        "With money left, click what to buy, then where it is put.",
        "Commit plays the turn. Against engines alone, “Finish the rest for me” completes it first.",
    ),
    by_parts=True,
)
