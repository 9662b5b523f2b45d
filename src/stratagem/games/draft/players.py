"""Players of drafts and their levels: greedy, kth-best picks, exact play where it fits, UCT."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from stratagem.contract.game import ArrayPosition, Game
from stratagem.contract.player import Choice, Clock, Entry, Line, Player, RandomPlayer, Report
from stratagem.errors import GameOver, OptionError
from stratagem.games.draft.game import DraftGame
from stratagem.plans.draft import PASS_TEXT, Draft, Node, Picks
from stratagem.search.drafts import KthDrafter, TooLarge, greedy, greedy_pick, solve_exact
from stratagem.search.drafts.methods import FEW_STATES
from stratagem.search.drafts.uct import Settings, uct_drafter
from stratagem.search.players import general_players

EXACT_ITEMS = 20  # free items up to which the strong level plays exactly
MOST_SHOWN = 8  # items that UCT tells of


class Considered(NamedTuple):
    """A pick that was considered, and the rest of the draft where it was looked at."""

    picks: Picks
    value: float | None = None  # of the finished draft, or its estimate, to who picks
    visits: int | None = None


# (draft, node, seconds, seed, how many to compare) -> the pick, and the others that were compared with it
Rule = Callable[[Draft, Node, float | None, int, int], list[Considered]]


class DraftPlayer(Player[ArrayPosition]):
    """Picks by a rule."""

    def __init__(self, game: Game, name: str, rule: Rule, seed: int = 0) -> None:
        if not isinstance(game, DraftGame):
            raise OptionError(f"{name} plays drafts, not {game.name}")
        self.name, self.rule, self.draft, self.seed = name, rule, game.draft, seed

    def at_once(self, view: ArrayPosition, seat: int | None, lines: int = 1) -> Choice | None:
        """As if everybody took the best that is free."""
        found = DraftPlayer(view.game, "greedy", _greedy).choose(view, Clock(), lines=max(lines, 2))
        return replace(found, engine="greedy picks")

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
        draft = self.draft
        node = draft.after(draft.parse(str(view)))
        if not draft.legal(node):
            return Choice(PASS_TEXT, engine=self.name)
        found = self.rule(draft, node, clock.seconds, self.seed, lines)
        shown = tuple(Line(tuple(draft.text((x,)) for x in c.picks), c.value, visits=c.visits) for c in found)
        known = shown[0].value is not None or len(shown) > 1
        return Choice(
            shown[0].moves[0],
            shown[0].value,
            shown if known else (),
            seconds=time.perf_counter() - began,
            engine=self.name,
        )


def _compared(draft: Draft, node: Node, pick: int, rest: Callable[[Node], Picks], lines: int) -> list[Considered]:
    """A pick and, where several are asked for, the next items of the picker's own list, each with the rest of the draft."""
    if lines < 2:
        return [Considered((pick,))]
    seat, legal = draft.order[node.turn], set(draft.legal(node))
    others = [int(x) for x in draft.lists[seat] if int(x) in legal and x != pick]
    found = [_followed(draft, node, x, rest) for x in (pick, *others[: lines - 1])]
    return [found[0], *sorted(found[1:], key=lambda c: -math.inf if c.value is None else c.value, reverse=True)]


def _followed(draft: Draft, node: Node, pick: int, rest: Callable[[Node], Picks]) -> Considered:
    """What a pick comes to if the draft goes on by a rule; the pick alone where that is too large a question."""
    seat = draft.order[node.turn]
    at = node.plus(seat, pick)
    try:
        later = rest(at) if at.turn < draft.turns else ()
    except TooLarge:
        return Considered((pick,))
    for x in later:
        at = at.plus(draft.order[at.turn], x)
    return Considered((pick, *later), draft.total(seat, at.owned[seat]))


def _greedy(draft: Draft, node: Node, seconds: float | None, seed: int, lines: int) -> list[Considered]:
    return _compared(draft, node, greedy_pick(draft, node), lambda at: greedy(draft, at), lines)


def _kth(draft: Draft, node: Node, seconds: float | None, seed: int, lines: int) -> list[Considered]:
    drafter = KthDrafter(draft, most_states=FEW_STATES)
    try:
        pick = drafter.pick(node)
    except TooLarge:
        return (_greedy if draft.limits else _uct)(draft, node, seconds, seed, lines)
    return _compared(draft, node, pick, drafter.picks, lines)


def _exact(draft: Draft, node: Node, seconds: float | None, seed: int, lines: int) -> list[Considered]:
    def rest(at: Node) -> Picks:
        return solve_exact(draft, at).picks

    return _compared(draft, node, rest(node)[0], rest, lines)


def _uct(draft: Draft, node: Node, seconds: float | None, seed: int, lines: int) -> list[Considered]:
    found = uct_drafter(draft, node=node, seed=seed, settings=Settings()).consider(seconds=seconds)
    return [Considered((c.item,), c.value, c.visits) for c in found[: max(lines, MOST_SHOWN)]]


def _strong(draft: Draft, node: Node, seconds: float | None, seed: int, lines: int) -> list[Considered]:
    if len(draft.free(node)) <= EXACT_ITEMS and not draft.limits:
        return _exact(draft, node, seconds, seed, lines)
    return _kth(draft, node, seconds, seed, lines)


def players(game: Game) -> dict[str, Entry]:
    def entry(name: str, rule: Rule, summary: str) -> Entry:
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
