"""Players of drafts and their levels: greedy, kth-best picks, exact play where it fits, UCT."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from stratagem.contract.game import ArrayPosition, Game
from stratagem.contract.player import Choice, Clock, Entry, Line, Player, RandomPlayer, Report
from stratagem.errors import GameOver, OptionError
from stratagem.games.draft.game import DraftGame
from stratagem.plans.draft import PASS_TEXT, Draft, Node
from stratagem.search.drafts import KthDrafter, TooLarge, greedy_pick, solve_exact
from stratagem.search.drafts.methods import FEW_STATES
from stratagem.search.drafts.uct import Settings, uct_drafter
from stratagem.search.players import general_players

EXACT_ITEMS = 20  # free items up to which the strong level plays exactly

Pick = Callable[[Draft, Node, float | None, int], tuple[int, tuple[tuple[int, float | None, int | None], ...]]]


class DraftPlayer(Player[ArrayPosition]):
    """Picks by a rule: `rule(draft, node, seconds, seed)` gives the item and what was considered: (item, value, visits)."""

    def __init__(self, game: Game, name: str, rule: Pick, seed: int = 0) -> None:
        if not isinstance(game, DraftGame):
            raise OptionError(f"{name} plays drafts, not {game.name}")
        self.name, self.rule, self.draft, self.seed = name, rule, game.draft, seed

    def choose(
        self,
        view: ArrayPosition,
        clock: Clock,
        *,
        seat: int | None = None,
        report: Report | None = None,
        lines: int = 1,
    ) -> Choice:
        if view.over:
            raise GameOver(f"the draft is over in {str(view)!r}: there is no pick to make")
        began = time.perf_counter()
        node = self.draft.after(self.draft.parse(str(view)))
        if not self.draft.legal(node):
            return Choice(PASS_TEXT, engine=self.name)
        item, considered = self.rule(self.draft, node, clock.seconds, self.seed)
        compared = tuple(Line((self.draft.items[x],), value, visits=visits) for x, value, visits in considered)
        return Choice(
            self.draft.items[item],
            compared[0].value if compared else None,
            compared,
            seconds=time.perf_counter() - began,
            engine=self.name,
        )


def _greedy(draft: Draft, node: Node, seconds: float | None, seed: int) -> Any:
    return greedy_pick(draft, node), ()


def _kth(draft: Draft, node: Node, seconds: float | None, seed: int) -> Any:
    try:
        return KthDrafter(draft, most_states=FEW_STATES).pick(node), ()
    except TooLarge:
        return (_greedy if draft.limits else _uct)(draft, node, seconds, seed)


def _exact(draft: Draft, node: Node, seconds: float | None, seed: int) -> Any:
    return solve_exact(draft, node).picks[0], ()


def _uct(draft: Draft, node: Node, seconds: float | None, seed: int) -> Any:
    found = uct_drafter(draft, node=node, seed=seed, settings=Settings()).consider(seconds=seconds)
    return found[0].item, tuple((c.item, c.value, c.visits) for c in found[:8])


def _strong(draft: Draft, node: Node, seconds: float | None, seed: int) -> Any:
    if len(draft.free(node)) <= EXACT_ITEMS and not draft.limits:
        return _exact(draft, node, seconds, seed)
    return _kth(draft, node, seconds, seed)


def players(game: Game) -> dict[str, Entry]:
    def entry(name: str, rule: Pick, summary: str) -> Entry:
        def make(of: Game, *, seed: int = 0) -> Player:
            return DraftPlayer(of, name, rule, seed)

        return Entry(make, summary)

    found = {
        "random": Entry(RandomPlayer, "any legal item, all alike"),
        "greedy": entry("greedy", _greedy, "the best free item"),
        "kth": entry("kth", _kth, "the kth-best pick, UCT where it is too dear"),
        "exact": entry("exact", _exact, "subgame perfect play; refuses what is too large"),
        "easy": entry("easy", _greedy, "greedy"),
        "medium": entry("medium", _kth, "the kth-best pick"),
        "strong": entry("strong", _strong, f"exact up to {EXACT_ITEMS} free items, else the kth-best pick"),
    }
    if isinstance(game, DraftGame) and not game.draft.limits and not (game.draft.points < 0).any():
        found["uct"] = entry("uct", _uct, "UCT, 3,000 simulations or by time")
    general = general_players(game)
    return found | {name: general[name] for name in ("mcts", "montecarlo") if name in general}
