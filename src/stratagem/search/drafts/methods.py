"""Whole drafts by a method named in words: what `stratagem draft solve` does."""

from __future__ import annotations

from stratagem.errors import UnknownName
from stratagem.plans.draft import Draft, Ints
from stratagem.search.drafts.dependent import solve_dependent, uct_with_synergies
from stratagem.search.drafts.exact import best_reply, solve_exact
from stratagem.search.drafts.lookahead import KthDrafter, back_to_front, greedy
from stratagem.search.drafts.solution import DraftSolution, TooLarge
from stratagem.search.drafts.uct import DraftUctSettings, UctDrafter, uct_drafter

METHODS = ("kth", "ascending", "exact", "greedy", "back-to-front", "reply", "uct")
FEW_STATES = 1 << 19  # that a kth-best pick may cost before UCT picks in its place: a moment's work


def solve_draft(
    draft: Draft, method: str, *, seat: int | None = None, seed: int = 0, simulations: int = 3000
) -> DraftSolution:
    """A whole draft by one of METHODS; `reply` is one seat's to greedy others."""
    if draft.dependent:
        if method == "uct" and draft.function is None:
            found = uct_with_synergies(draft, seed=seed, settings=DraftUctSettings(simulations=simulations))
            return DraftSolution(
                "uct", draft, found.picks(), draft.turns * simulations, note=f"{simulations} simulations a pick"
            )
        return solve_dependent(draft, method, 0 if seat is None else seat)
    if method in ("kth", "ascending"):
        return draft_by_kth(draft, ascending=method == "ascending", seed=seed)
    if method == "exact":
        return solve_exact(draft)
    if method == "greedy":
        return DraftSolution("greedy", draft, greedy(draft))
    if method == "back-to-front":
        return DraftSolution("back-to-front", draft, back_to_front(draft))
    if method == "reply":
        return best_reply(draft, 0 if seat is None else seat)
    if method == "uct":
        return draft_by_uct(draft, seed=seed, settings=DraftUctSettings(simulations=simulations))
    raise UnknownName("method", method, METHODS)


def draft_by_uct(draft: Draft, *, seed: int = 0, settings: DraftUctSettings | None = None) -> DraftSolution:
    """A whole draft, every seat by UCT."""
    drafter = uct_drafter(draft, seed=seed, settings=settings)
    simulations = drafter.settings.simulations
    return DraftSolution(
        "uct", draft, drafter.picks(), draft.turns * simulations, note=f"{simulations} simulations a pick"
    )


def draft_by_kth(
    draft: Draft, *, ascending: bool = False, most_states: int = FEW_STATES, seed: int = 0, stop: Ints | None = None
) -> DraftSolution:
    """A whole draft by kth-best picks; where one would cost too many states, UCT picks instead, and the note says so."""
    name = "ascending" if ascending else "kth"
    drafter = KthDrafter(draft, ascending=ascending, most_states=most_states, stop=stop)
    uct: UctDrafter | None = None
    node, picks = draft.start(), []
    again, last = 0, 0  # the turn from which the rule is tried again, a round after it failed; the last UCT pick
    while node.turn < draft.turns:
        x = None
        if node.turn >= again:
            try:
                x = drafter.pick(node)
            except TooLarge:
                if draft.limits or (draft.points < 0).any():
                    raise
                # what was found on the way does not help where the picks are others
                drafter = KthDrafter(draft, ascending=ascending, most_states=most_states, stop=stop)
                again = node.turn + draft.players
                uct = uct or uct_drafter(draft, seed=seed, node=node)
        if x is None:
            assert uct is not None
            x = uct.choose()
            last = node.turn + 1
        if uct is not None:
            uct.play(x)
        picks.append(x)
        node = node.plus(draft.order[node.turn], x)
    note = f"picks up to {last} are by UCT: the {name} rule needs over {most_states:,} states there" if last else ""
    return DraftSolution(name, draft, tuple(picks), drafter.states, note=note)
