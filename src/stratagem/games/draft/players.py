"""Players of drafts and their levels: greedy, kth-best picks, exact play where it fits, UCT."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

from stratagem.contract.game import ArrayPosition, Game
from stratagem.contract.player import Choice, Entry, Line, Player, RandomPlayer, Request
from stratagem.errors import OptionError
from stratagem.games.draft.game import DraftGame
from stratagem.plans.draft import PASS_TEXT, Draft, Node, Picks
from stratagem.search.drafts import KthDrafter, TooLarge, greedy, greedy_pick, solve_exact
from stratagem.search.drafts.methods import FEW_STATES
from stratagem.search.drafts.uct import DraftUctSettings, uct_drafter
from stratagem.search.players import general_players

EXACT_ITEMS = 20  # free items up to which the strong level plays exactly
MOST_SHOWN = 8  # items that UCT tells of


class ConsideredPick(NamedTuple):
    """A pick that was considered, and the rest of the draft where it was looked at."""

    picks: Picks
    value: float | None = None  # of the finished draft, or its estimate, to who picks
    visits: int | None = None


# (draft, node, seconds, seed, how many to compare) -> the pick, and the others that were compared with it
Rule = Callable[[Draft, Node, float | None, int, int], list[ConsideredPick]]


class DraftPlayer(Player[ArrayPosition]):
    """Picks by a rule."""

    def __init__(self, game: Game, name: str, rule: Rule, seed: int = 0) -> None:
        if not isinstance(game, DraftGame):
            raise OptionError(f"{name} plays drafts, not {game.name}")
        self.name, self.rule, self.game, self.draft, self.seed = name, rule, game, game.draft, seed

    def answer(self, request: Request[ArrayPosition]) -> Choice:
        began = time.perf_counter()
        draft = self.draft
        node = self.game.node(request.view.state)
        if not draft.legal(node):
            return Choice(PASS_TEXT, engine=self.name)
        found = self.rule(draft, node, request.clock.seconds, self.seed, request.lines)
        shown = tuple(Line(tuple(draft.text((x,)) for x in c.picks), c.value, visits=c.visits) for c in found)
        known = shown[0].value is not None or len(shown) > 1
        return Choice(
            shown[0].moves[0],
            shown[0].value,
            shown if known else (),
            seconds=time.perf_counter() - began,
            engine=self.name,
        )


def _compared(draft: Draft, node: Node, pick: int, rest: Callable[[Node], Picks], lines: int) -> list[ConsideredPick]:
    """A pick and, where several are asked for, the next items of the picker's own list, each with the rest of the draft."""
    if lines < 2:
        return [ConsideredPick((pick,))]
    seat, legal = draft.order[node.turn], set(draft.legal(node))
    others = [int(x) for x in draft.lists[seat] if int(x) in legal and x != pick]
    found = [_followed(draft, node, x, rest) for x in (pick, *others[: lines - 1])]
    return [found[0], *sorted(found[1:], key=lambda c: -math.inf if c.value is None else c.value, reverse=True)]


def _followed(draft: Draft, node: Node, pick: int, rest: Callable[[Node], Picks]) -> ConsideredPick:
    """What a pick comes to if the draft goes on by a rule; the pick alone where that is too large a question."""
    seat = draft.order[node.turn]
    at = node.plus(seat, pick)
    try:
        later = rest(at) if at.turn < draft.turns else ()
    except TooLarge:
        return ConsideredPick((pick,))
    for x in later:
        at = at.plus(draft.order[at.turn], x)
    return ConsideredPick((pick, *later), draft.total(seat, at.owned[seat]))


def _greedy(draft: Draft, node: Node, seconds: float | None, seed: int, lines: int) -> list[ConsideredPick]:
    return _compared(draft, node, greedy_pick(draft, node), lambda at: greedy(draft, at), lines)


class KthBest:
    """The kth-best pick. The table of a draft serves all its picks."""

    def __init__(self) -> None:
        self._drafter: KthDrafter | None = None

    def __call__(self, draft: Draft, node: Node, seconds: float | None, seed: int, lines: int) -> list[ConsideredPick]:
        fresh = self._drafter is None or self._drafter.draft is not draft
        if self._drafter is None or fresh:
            self._drafter = KthDrafter(draft, most_states=FEW_STATES)
        try:
            pick = self._drafter.pick(node)
        except TooLarge:
            self._drafter = None
            if not fresh:  # full of what other picks needed
                return self(draft, node, seconds, seed, lines)
            return (_greedy if draft.limits else _uct)(draft, node, seconds, seed, lines)
        return _compared(draft, node, pick, self._drafter.picks, lines)


def _exact(draft: Draft, node: Node, seconds: float | None, seed: int, lines: int) -> list[ConsideredPick]:
    def rest(at: Node) -> Picks:
        return solve_exact(draft, at).picks

    return _compared(draft, node, rest(node)[0], rest, lines)


def _uct(draft: Draft, node: Node, seconds: float | None, seed: int, lines: int) -> list[ConsideredPick]:
    found = uct_drafter(draft, node=node, seed=seed, settings=DraftUctSettings()).consider(seconds=seconds)
    return [ConsideredPick((c.item,), c.value, c.visits) for c in found[: max(lines, MOST_SHOWN)]]


class Strong(KthBest):
    """Exact where few items are free, else the kth-best pick."""

    def __call__(self, draft: Draft, node: Node, seconds: float | None, seed: int, lines: int) -> list[ConsideredPick]:
        if len(draft.free(node)) <= EXACT_ITEMS and not draft.limits:
            return _exact(draft, node, seconds, seed, lines)
        return super().__call__(draft, node, seconds, seed, lines)


def _greedy_picks(game: Game, *, seed: int = 0) -> Player:
    """As if everybody took the best that is free."""
    return DraftPlayer(game, "greedy picks", _greedy, seed)


def players(game: Game) -> dict[str, Entry]:
    def entry(name: str, rule: Rule | type[KthBest], summary: str) -> Entry:
        def make(of: Game, *, seed: int = 0) -> Player:
            return DraftPlayer(of, name, rule() if isinstance(rule, type) else rule, seed)

        return Entry(make, summary, quick=None if rule is _greedy else _greedy_picks)

    found = {
        "random": Entry(RandomPlayer, "any legal item, all alike"),
        "greedy": entry("greedy", _greedy, "the best free item"),
        "kth": entry("kth", KthBest, "the kth-best pick, UCT where it is too dear"),
        "exact": entry("exact", _exact, "subgame perfect play; refuses what is too large"),
        "easy": entry("easy", _greedy, "greedy"),
        "medium": entry("medium", KthBest, "the kth-best pick"),
        "strong": entry("strong", Strong, f"exact up to {EXACT_ITEMS} free items, else the kth-best pick"),
    }
    if isinstance(game, DraftGame) and not game.draft.limits and not (game.draft.points < 0).any():
        found["uct"] = entry("uct", _uct, "UCT, 3,000 simulations or by time")
    general = general_players(game)
    return found | {name: general[name] for name in ("mcts", "montecarlo") if name in general}
