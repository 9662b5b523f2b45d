"""The contract between games, searches and people; read this first.

A `Game` is one set of rules with its options fixed; a `Position` is an immutable point in it. The command line, the web page,
the arena and players see nothing else. Positions and moves have text, and positions draw themselves. A record of a game is its
options and the texts of all moves, chance outcomes included.

Most games are an `ArrayGame`: kernels over flat arrays (`stratagem.kernel`) with a thin face on top. A one-shot game or a
game whose moves cannot be listed may subclass `Game` and `Position` alone and give only text moves and payoffs.

Where the players decide one after another, `position.turn` is a seat. At `TOGETHER` every seat of `position.asked`
decides in secret, and the joint move's text has ` | ` between the seats' moves, `-` for seats that are not asked. At
`CHANCE` nobody is asked, and outcomes are played like moves. A move of many parts has `;` between them.
"""

from stratagem.contract.array_game import ArrayGame
from stratagem.contract.array_position import ArrayPosition
from stratagem.contract.options import Option
from stratagem.contract.parts import Form, Parts
from stratagem.contract.position import COMPANIONS, JOINT, UNASKED, Position
from stratagem.contract.rules import Game
from stratagem.kernel import CHANCE, NOBODY, OVER, TOGETHER
from stratagem.plans.plan import Plan

__all__ = [
    "CHANCE",
    "COMPANIONS",
    "JOINT",
    "NOBODY",
    "OVER",
    "TOGETHER",
    "UNASKED",
    "ArrayGame",
    "ArrayPosition",
    "Form",
    "Game",
    "Option",
    "Parts",
    "Plan",
    "Position",
]
