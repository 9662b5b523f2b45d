"""What kind of plan one move of a game is, as a game declares it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """A kind of plan. `name` is what people call one; a game may declare a kind of its own."""

    name: str
    idea: str  # what one move is and how engines think about it, in a sentence or two for people
    by_parts: bool = False  # it is built and typed part by part, with a last word that ends it
    opens: str = ""  # a line that engines of this game write before a plan's parts, so that it may be pasted
    closes: str = ""  # and one that they write after the last part

    def __str__(self) -> str:
        return self.name


MOVE = Plan(
    "move",
    "A move is one step. The engines look ahead move by move: alpha-beta proves what it can see, sampling search plays the "
    "rest out, and expectation weighs the dice.",
)
ACTIONS = Plan(
    MOVE.name,
    "A move is one action of a turn that has several. The engines think about whole turns: they breed rows of actions, judge "
    "where each one leads, some of them after the other side's reply, and carry the best out.",
)
DRAFT = Plan(
    "draft",
    "A move takes an item that others want too. The engines ask what will still be there at the next pick, and search orders "
    "of picks rather than single ones.",
)
BID = Plan(
    "bid",
    "A move is a secret price for the right to move. Both sides choose at once, so the answer is often a mixed strategy: the "
    "engines solve a small matrix game in every position.",
)
ALLOCATION = Plan(
    "allocation",
    "A move splits a budget over fronts, and both sides choose at once. There are far too many splits to list: the engines "
    "build a mixed strategy from best answers to best answers.",
)
PROGRAMME = Plan(
    "programme",
    "A move is a row of cards that run blind. The engines treat equal programmes as one, guess what the others hold, and "
    "play many futures out.",
)
CAMPAIGN = Plan(
    "campaign",
    "A move is a whole turn of many dependent parts, more than could ever be listed. The engines propose a few whole turns "
    "and judge each by what follows.",
    by_parts=True,
)

KINDS = {plan.name: plan for plan in (MOVE, DRAFT, BID, ALLOCATION, PROGRAMME, CAMPAIGN)}
