"""The published searches of whole turns: the baselines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from stratagem.search.whole_turns.bandits import NaiveSamplingSettings, TupleBanditSettings, naive, tuple_bandit
from stratagem.search.whole_turns.evolution import (
    CoevolutionSettings,
    EvolutionaryPlanningSettings,
    OnlineEvolutionSettings,
    coevolve,
    online_evolution,
)
from stratagem.search.whole_turns.greedy import GreedyTurnSettings, greedy_action, greedy_turn
from stratagem.search.whole_turns.mutations import FlexibleHorizonSettings, MutationTreeSettings, mutation_tree
from stratagem.search.whole_turns.settings import TurnSettings
from stratagem.search.whole_turns.trees import (
    ActionTreeSettings,
    BridgeBurningSettings,
    NonExploringSettings,
    atom_tree,
)
from stratagem.search.whole_turns.turn_tree import TurnTreeSettings, turn_tree


@dataclass(frozen=True)
class Baseline:
    """A published search."""

    name: str
    title: str
    search: Callable[..., None]  # (g, root, seat, room, terms, the search's own records, stop)
    settings: type[TurnSettings]
    summary: str
    paper: str
    ahead: bool = False  # whether it looks past its own turn
    dice: bool = True  # whether it can be used with chance inside the turn
    model: str = ""  # how it deals with that

    @property
    def options(self) -> tuple[str, ...]:
        """The settings of a player by this name."""
        return ("time", *(field.name for field in fields(self.settings) if field.name != "target"))


HERO = "Justesen, Mahlmann, Togelius 2016"
OEP = "Justesen, Mahlmann, Risi, Togelius 2017"
MEAN = "each turn is an open-loop plan, judged by its mean over the same sampled worlds"
WALKS = "the tree is open-loop; each walk goes through one of the sampled worlds"

BASELINES = {
    baseline.name: baseline
    for baseline in (
        Baseline(
            "greedy-action",
            "Greedy action",
            greedy_action,
            TurnSettings,
            "the best single action, one after another",
            HERO,
            model="each action is judged by its mean over the sampled worlds",
        ),
        Baseline(
            "greedy-turn",
            "Greedy turn",
            greedy_turn,
            GreedyTurnSettings,
            "the best of all turns, as far as there is time for them",
            HERO,
            dice=False,
            model="not offered: it would choose the turn that sampled dice happen to favour",
        ),
        Baseline(
            "atom-mcts",
            "MCTS over actions",
            atom_tree,
            ActionTreeSettings,
            "a tree over single actions of the turn",
            HERO,
            model=WALKS,
        ),
        Baseline(
            "ne-mcts",
            "Non-exploring MCTS",
            atom_tree,
            NonExploringSettings,
            "a tree over actions that explores nothing",
            OEP,
            model=WALKS,
        ),
        Baseline(
            "bb-mcts",
            "Bridge-burning MCTS",
            atom_tree,
            BridgeBurningSettings,
            "a tree over actions that commits itself to one after another",
            OEP,
            model=WALKS,
        ),
        Baseline(
            "oe",
            "Online evolution",
            online_evolution,
            OnlineEvolutionSettings,
            "turns that evolve, as in the ASMACAG test bed",
            HERO,
            model=MEAN,
        ),
        Baseline(
            "oep",
            "Online evolutionary planning",
            online_evolution,
            EvolutionaryPlanningSettings,
            "turns that evolve, half of them kept",
            OEP,
            model=MEAN,
        ),
        Baseline(
            "coevolution",
            "Co-evolution",
            coevolve,
            CoevolutionSettings,
            "turns and the replies to them evolve together",
            "Liu, Perez-Liebana, Lucas 2016",
            ahead=True,
            model="each meeting is played in one of the sampled worlds",
        ),
        Baseline(
            "emcts",
            "Evolutionary MCTS",
            mutation_tree,
            MutationTreeSettings,
            "a tree of whole turns, each a mutation of its parent",
            "Baier, Cowling, CIG 2018",
            model=MEAN,
        ),
        Baseline(
            "fh-emcts",
            "Flexible-horizon EMCTS",
            mutation_tree,
            FlexibleHorizonSettings,
            "the same, judged after greedy replies",
            "Baier, Cowling, AIIDE 2018",
            ahead=True,
            model=f"{MEAN}, replies included",
        ),
        Baseline(
            "ntboe",
            "N-tuple bandit online evolution",
            tuple_bandit,
            TupleBanditSettings,
            "a model of actions and of pairs of them",
            "Lucas, Liu, Perez-Liebana 2018; ASMACAG 2022",
            model=MEAN,
        ),
        Baseline(
            "naive",
            "Naive sampling",
            naive,
            NaiveSamplingSettings,
            "each action by what it has been worth at its place",
            "Ontañón, AIIDE 2013",
            model=f"{MEAN}; actions are chosen in the first",
        ),
        Baseline(
            "tbets",
            "Turn-based evolutionary tree search",
            turn_tree,
            TurnTreeSettings,
            "a tree of whole turns of all sides",
            "Neller, Huang, Cho, ACG 2025",
            ahead=True,
            model="each walk draws its own chance, and values are means in place of maxima",
        ),
    )
}
