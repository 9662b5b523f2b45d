"""What a rival can be told, and which rivals there are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from stratagem.errors import OptionError
from stratagem.search.rivals.bandits import naive, tuple_bandit
from stratagem.search.rivals.core import AT_RANDOM, GREEDILY, WHOLE_TAIL
from stratagem.search.rivals.evolution import coevolve, evolve
from stratagem.search.rivals.greedy import greedy_action, greedy_turn
from stratagem.search.rivals.mutations import BY_BEST, BY_MEAN, BY_OWN, mutation_tree
from stratagem.search.rivals.trees import atom_tree
from stratagem.search.rivals.turn_tree import turn_tree
from stratagem.search.settings import number, whole

MENDINGS = {"random": AT_RANDOM, "greedy": GREEDILY, "tail": WHOLE_TAIL}
BURNINGS = {"best": BY_BEST, "mean": BY_MEAN, "own": BY_OWN}
MOST_ROWS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the searches of turns can be told; each reads some of these."""

    turns: int | None = None  # turns to judge, 1 or more; None: by the clock alone
    samples: int | None = None  # worlds with chance and guesses of their own; None: 1, and 8 with dice inside the turn
    mending: str = "random"  # of genes that cannot be played: random, greedy, or tail (all that follows, greedily)
    greedy_start: int = 0  # turns of the first population that are greedy
    population: int = 100  # 2 or more
    unique: bool = (
        False  # whether one turn of each value survives, where orders of the same actions would fill a population
    )
    kept: float = 0.5  # share of a population that survives
    mutation: float = 0.1  # how often a child is mutated
    exploration: float = 0.3  # weight of the bonus for what was tried little, in units of the spread
    spread: float = 0.0  # what values are divided by; 0: the spread of those seen
    rollout: float = 0.5  # how often a rollout takes the best action by the rules' order
    phases: int = 1  # parts of the budget after which bridges are burnt; 0: as many as a turn has actions
    children: int = 100  # of a node of an evolutionary tree
    horizon: int = 0  # turns of all players after one's own until the judgement
    narrow: int = 10  # actions that a greedy reply looks at, the best by the rules' order; 0: all
    neighbours: int = 5  # of the current turn, of which one is tried
    change: float = 0.55  # how often a neighbour differs at a place
    starts: int = 1000  # random turns that a model begins with
    meetings: int = 30  # of a host in a generation
    local: float = 0.3  # how often naive sampling takes any action
    burning: str = "best"  # which child becomes the root: by the best value below it, its mean, or its own
    distinct: bool = False  # whether different outcomes are counted, which costs time
    seed: int = 0
    target: str = "cpu"  # what it is compiled for; "python" is the interpreter

    def __post_init__(self) -> None:
        if self.mending not in MENDINGS:
            raise OptionError(f"option mending is {self.mending!r}; it is one of {', '.join(MENDINGS)}")
        if self.burning not in BURNINGS:
            raise OptionError(f"option burning is {self.burning!r}; it is one of {', '.join(BURNINGS)}")
        for name in ("distinct", "unique"):
            if getattr(self, name) not in (True, False):
                raise OptionError(f"option {name} is {getattr(self, name)!r}; it is true or false")
        for name, low, high in (
            ("turns", 1, 1 << 50),
            ("samples", 1, 10_000),
            ("greedy_start", 0, MOST_ROWS),
            ("population", 2, MOST_ROWS),
            ("phases", 0, 10_000),
            ("children", 1, MOST_ROWS),
            ("horizon", 0, 100),
            ("narrow", 0, MOST_ROWS),
            ("neighbours", 1, 10_000),
            ("starts", 1, 1 << 30),
            ("meetings", 1, 10_000),
        ):
            given = getattr(self, name)
            if given is not None and not low <= whole(name, given) <= high:
                raise OptionError(f"option {name} is {given!r}; it goes from {low} to {high}")
        for name in ("kept", "mutation", "rollout", "change", "local"):
            if not 0.0 <= number(name, getattr(self, name)) <= 1.0:
                raise OptionError(f"option {name} is {getattr(self, name)!r}; it goes from 0 to 1")
        for name in ("exploration", "spread"):
            given = number(name, getattr(self, name))
            if not (math.isfinite(given) and given >= 0.0):
                raise OptionError(f"option {name} is {given!r}; it is a number from 0")


@dataclass(frozen=True)
class Rival:
    """A search of the literature."""

    name: str
    title: str
    search: Callable[..., None]  # (g, seat, room, terms, stop): what `think` calls
    summary: str
    paper: str
    defaults: Mapping[str, Any] = field(default_factory=dict)
    reads: tuple[str, ...] = ()  # settings that mean something to it, beside those of all
    ahead: bool = False  # whether it looks past its own turn
    dice: bool = True  # whether it can be used with chance inside the turn
    model: str = ""  # how it deals with that


FOR_ALL = ("time", "turns", "seed", "samples", "distinct")
EVOLVES = ("population", "kept", "unique", "mutation", "mending", "greedy_start")
TREE = ("exploration", "spread", "rollout")
HERO = "Justesen, Mahlmann, Togelius 2016"
OEP = "Justesen, Mahlmann, Risi, Togelius 2017"
MEAN = "each turn is an open-loop plan, judged by its mean over the same sampled worlds"
WALKS = "the tree is open-loop; each walk goes through one of the sampled worlds"

RIVALS = {
    rival.name: rival
    for rival in (
        Rival(
            "greedy-action",
            "Greedy action",
            greedy_action,
            "the best single action, one after another",
            HERO,
            model="each action is judged by its mean over the sampled worlds",
        ),
        Rival(
            "greedy-turn",
            "Greedy turn",
            greedy_turn,
            "the best of all turns, as far as there is time for them",
            HERO,
            dice=False,
            model="not offered: it would choose the turn that sampled dice happen to favour",
        ),
        Rival(
            "atom-mcts",
            "MCTS over actions",
            atom_tree,
            "a tree over single actions of the turn",
            HERO,
            reads=TREE,
            model=WALKS,
        ),
        Rival(
            "ne-mcts",
            "Non-exploring MCTS",
            atom_tree,
            "a tree over actions that explores nothing",
            OEP,
            defaults={"exploration": 0.0, "rollout": 1.0},
            reads=TREE,
            model=WALKS,
        ),
        Rival(
            "bb-mcts",
            "Bridge-burning MCTS",
            atom_tree,
            "a tree over actions that commits itself to one after another",
            OEP,
            defaults={"phases": 0},
            reads=(*TREE, "phases"),
            model=WALKS,
        ),
        Rival(
            "oe",
            "Online evolution",
            evolve,
            "turns that evolve, as in the ASMACAG test bed",
            HERO,
            defaults={"population": 125, "kept": 0.15, "mutation": 0.15},
            reads=EVOLVES,
            model=MEAN,
        ),
        Rival(
            "oep",
            "Online evolutionary planning",
            evolve,
            "turns that evolve, half of them kept",
            OEP,
            defaults={"unique": True},
            reads=EVOLVES,
            model=MEAN,
        ),
        Rival(
            "coevolution",
            "Co-evolution",
            coevolve,
            "turns and the replies to them evolve together",
            "Liu, Perez-Liebana, Lucas 2016",
            defaults={"population": 40, "mutation": 0.3},
            reads=("population", "mutation", "meetings", "mending"),
            ahead=True,
            model="each meeting is played in one of the sampled worlds",
        ),
        Rival(
            "emcts",
            "Evolutionary MCTS",
            mutation_tree,
            "a tree of whole turns, each a mutation of its parent",
            "Baier, Cowling, CIG 2018",
            defaults={"exploration": 0.15, "phases": 30, "mending": "greedy"},
            reads=("exploration", "spread", "phases", "children", "mending", "burning"),
            model=MEAN,
        ),
        Rival(
            "fh-emcts",
            "Flexible-horizon EMCTS",
            mutation_tree,
            "the same, judged after greedy replies",
            "Baier, Cowling, AIIDE 2018",
            defaults={"exploration": 0.15, "phases": 30, "mending": "greedy", "horizon": 1},
            reads=("exploration", "spread", "phases", "children", "mending", "burning", "horizon", "narrow"),
            ahead=True,
            model=f"{MEAN}, replies included",
        ),
        Rival(
            "ntboe",
            "N-tuple bandit online evolution",
            tuple_bandit,
            "a model of actions and of pairs of them",
            "Lucas, Liu, Perez-Liebana 2018; ASMACAG 2022",
            reads=("exploration", "spread", "neighbours", "change", "starts", "mending"),
            defaults={"exploration": 0.2},
            model=MEAN,
        ),
        Rival(
            "naive",
            "Naive sampling",
            naive,
            "each action by what it has been worth at its place",
            "Ontañón, AIIDE 2013",
            reads=("local",),
            model=f"{MEAN}; actions are chosen in the first",
        ),
        Rival(
            "tbets",
            "Turn-based evolutionary tree search",
            turn_tree,
            "a tree of whole turns of all sides",
            "Neller, Huang, Cho, ACG 2025",
            defaults={"exploration": 1.414},
            reads=("exploration", "spread", "mending"),
            ahead=True,
            model="each walk draws its own chance, and values are means in place of maxima",
        ),
    )
}
