"""Players of Risk and their levels: scripted ones, and one that samples whole turns; how they draft.

In the draft a player takes territories at random, by preference of continents, or with a learned evaluation of finished
drafts (`draft_worth`): by kth-best picks where two draft, by UCT where more do. Everything else is decided by a row of
weights (`scripted`), which the searching player chooses anew in each turn from what `turns` proposes.
"""

from __future__ import annotations

import time as clocks
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from stratagem.contract.game import Game
from stratagem.contract.player import Choice, Clock, Entry, Line, Player, RandomPlayer, Request
from stratagem.errors import OptionError
from stratagem.games.risk import kernels as k
from stratagem.games.risk.atlas import IDS, TERRITORIES
from stratagem.games.risk.draft_picking import METHODS, Picker, check_ranking
from stratagem.games.risk.draft_worth import Evaluation, by_weights, shipped
from stratagem.games.risk.game import Risk, RiskPosition
from stratagem.games.risk.scripted import SCRATCH, STYLES, Weights, decide
from stratagem.games.risk.turns import campaign_names, described, two_rounds
from stratagem.kernel import State
from stratagem.plans.draft import Ints, Node
from stratagem.rng import generator
from stratagem.search.budget import Budget
from stratagem.search.campaign import Campaign, JudgedTurn
from stratagem.search.campaign import CampaignSettings as TurnSettings
from stratagem.search.drafts.uct import DraftUctSettings as DraftSettings
from stratagem.search.drafts.uct import JudgedDraft, UctDrafter
from stratagem.search.settings import settings_of

LEARNED = "learned"  # drafts by what won with so many seats
TRIAL = 64  # samples by which a time is turned into a number of samples
WEIGHED, EACH_WEIGHING = (
    4096,
    512,
)  # samples of each move that is compared with others, and how many between two looks at the clock


@dataclass(frozen=True)
class RiskSettings:
    """The settings of a player of Risk."""

    style: str = "expected"  # the scripted player, and the base of proposed turns
    # learned: kth with two seats, uct with more; or kth, ascending, exact, greedy, uct, preference, random, a file of weights
    draft: str = "learned"
    # of territories, for kth and its kin: static; pick, node: made anew at every pick, at every node; empty: what won, `pick`,
    # where learned drafts by kth, static where kth was asked for
    ranking: str = ""
    simulations: int = 1000  # simulated drafts a pick
    samples: int = 0  # sampled turns a choice; 0: play as scripted
    horizon: int | None = None  # turns after one's own until the judgement; None: two rounds, see `two_rounds`
    again: bool = False  # whether the intent is chosen anew before each attack
    seed: int = 0
    name: str = ""  # what it is called; empty: by what it does

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise OptionError(f"style {self.style!r} is none of {', '.join(STYLES)}")
        if self.samples < 0 or self.simulations < 1:
            raise OptionError("samples go from 0 and simulations from 1")


class RiskPlayer(Player[RiskPosition]):
    """Drafts, then plays by a row of weights: the same throughout, or with `samples` the best intent for each turn."""

    def __init__(self, game: Risk, settings: RiskSettings | None = None, **options: Any) -> None:
        own = settings_of(RiskSettings, settings, options)
        self.settings, self.game = own, game
        self.name = own.name or (f"campaign:samples={own.samples}" if own.samples else own.style)
        self.draft, self.evaluation = _drafter(game, own.draft)
        self.picker = None
        ranking = own.ranking or ("pick" if own.draft == LEARNED else "static")
        check_ranking(ranking)
        if self.draft in METHODS and self.evaluation is not None:
            self.picker = Picker(game, self.evaluation, self.draft, ranking, own.seed)
        self.rng = generator(own.seed)
        self._weighed = WEIGHED
        self.campaign = self._campaign() if own.samples else None
        self._intent: Weights = STYLES[own.style]
        self._planned: RiskPosition | None = None  # where the intent was chosen, as the seat saw it

    def _campaign(self) -> Campaign:
        own = self.settings
        horizon = two_rounds(self.game) if own.horizon is None else own.horizon
        names, limits = campaign_names(self.game, own.style), TurnSettings(max(own.samples, 1), horizon)
        return Campaign(names, STYLES[own.style], limits, seed=own.seed, label="risk")

    @cached_property
    def _weigher(self) -> Campaign:
        return self.campaign or self._campaign()

    def weigh(
        self, view: RiskPosition, moves: Sequence[str], clock: Clock, *, seat: int | None = None
    ) -> dict[str, float]:
        """Return what moves are worth: each is played, the game goes on by a style, and positions two rounds on are judged.

        Nothing is returned in the draft, where `choose` says what territories are worth."""
        if view.turn < 0 or view.state[k.PHASE] == k.CLAIM:
            return {}
        numbers = [self.game.parse_move(view.state, view.turn, move) for move in moves]
        root, sums, done, first = self._lent(view), np.zeros(len(moves)), 0, self.settings.seed * WEIGHED
        self._weigher.weigh(self.game.g, root, view.turn, numbers[:1], samples=1, seed=0)  # loads what is compiled
        began = clocks.perf_counter()
        while done < self._weighed:
            sums += self._weigher.weigh(self.game.g, root, view.turn, numbers, samples=EACH_WEIGHING, seed=first + done)
            done += EACH_WEIGHING
            if clock.seconds is not None and clocks.perf_counter() - began > clock.seconds:
                break
        return dict(zip(moves, (sums * EACH_WEIGHING / done).tolist(), strict=True))

    def answer(self, request: Request[RiskPosition]) -> Choice:
        view, clock, lines = request.view, request.clock, request.lines
        began = clocks.perf_counter()
        if view.turn < 0:
            return Choice(view.sample(self.rng), engine=self.name)
        if view.state[k.PHASE] == k.CLAIM:
            choice = self._claim(view, clock, lines)
        elif self.campaign is None or view.state[k.PHASE] in (k.PLACE, k.DEFEND):
            choice = self._move(view, STYLES[self.settings.style])
        else:
            choice = self._turn(view, self.campaign, clock, lines)
        return replace(choice, seconds=clocks.perf_counter() - began, engine=self.name)

    # -- the draft

    def _claim(self, view: RiskPosition, clock: Clock, lines: int) -> Choice:
        if self.draft == "random":
            return Choice(view.sample(self.rng))
        if self.evaluation is None:
            return self._move(view, STYLES["border"])
        if self.picker is not None:
            return self._pick(self.picker, view, lines)
        game, players = self.game, self.game.players
        owner = view.state[k.OWNER : k.OWNER + TERRITORIES]
        owned = tuple(sum(1 << int(t) for t in np.flatnonzero(owner == p)) for p in range(players))
        nodes = 1 << 18 if clock.seconds is not None else 42 * (self.settings.simulations + 4) + 64
        picks = int(view.state[k.PICKS])
        drafter = UctDrafter(
            JudgedDraft(TERRITORIES, game.claimers, players, by_weights, self.evaluation.row),
            settings=DraftSettings(nodes=max(nodes, 1 << 12)),
            seed=self.settings.seed + picks,
            node=Node(owned, picks),
        )
        simulations = None if clock.seconds is not None else self.settings.simulations
        budget = Budget(clock.seconds)
        found = drafter.consider(simulations=simulations, budget=budget)
        values = {IDS[c.item]: self._payoff(c.value) for c in found if c.visits}
        shown = tuple(Line((IDS[c.item],), values.get(IDS[c.item]), visits=c.visits) for c in found[:lines])
        best = found[0]
        return Choice(
            IDS[best.item],
            self._payoff(best.value),
            shown,
            nodes=sum(c.visits for c in found),
            by_move={name: round(x, 4) for name, x in values.items()},
            finished=not budget.interrupted,
        )

    def _pick(self, picker: Picker, view: RiskPosition, lines: int) -> Choice:
        """By the ranking of territories; values are what each adds, as payoffs."""
        scale = self.game.players / (self.game.players - 1)  # from chances to payoffs
        owner = view.state[k.OWNER : k.OWNER + TERRITORIES]
        owned = tuple(sum(1 << int(t) for t in np.flatnonzero(owner == p)) for p in range(self.game.players))
        found = picker.pick(Node(owned, int(view.state[k.PICKS])))
        order = sorted(np.flatnonzero(~np.isnan(found.worths)), key=lambda t: (t != found.territory, -found.worths[t]))
        by_move = {IDS[t]: round(scale * float(found.worths[t]), 4) for t in order}
        shown = tuple(Line((IDS[t],), by_move[IDS[t]]) for t in order[:lines])
        return Choice(IDS[found.territory], shown[0].value, shown, by_move=by_move, details={"why": found.why})

    def show(self, view: RiskPosition, choice: Choice, seat: int | None) -> str | None:
        """Why a territory is taken, where the draft is by a ranking."""
        why = choice.details.get("why")
        return None if why is None else str(why)

    def _payoff(self, chance: float) -> float:
        """A chance to win as a payoff."""
        return (self.game.players * chance - 1) / (self.game.players - 1)

    # -- turns

    def _move(self, view: RiskPosition, intent: Weights) -> Choice:
        # interpreted: one decision takes milliseconds, and compiling it would take seconds
        m = int(self.game.rule(decide, self.game.g, self._lent(view), view.turn, intent, self.rng))
        return Choice(self.game.move_text(view.state, view.turn, m))

    def _lent(self, view: RiskPosition) -> State:
        """The state with room behind it, which the kernels write to."""
        s = np.zeros(k.STATE_SIZE + SCRATCH, np.int64)
        s[: k.STATE_SIZE] = view.state[: k.STATE_SIZE]
        return s

    def _turn(self, view: RiskPosition, campaign: Campaign, clock: Clock, lines: int) -> Choice:
        if self._goes_on(view) and not (self.settings.again and view.state[k.PHASE] == k.ATTACK):
            return self._move(view, self._intent)
        found, finished = self._judged(view, campaign, clock.seconds)
        self._intent, self._planned = found[0].plan, view
        texts = [self._move(view, judged.plan).move for judged in found[:lines]]
        shown = tuple(
            Line(
                (text, f"({described(judged.plan, STYLES[self.settings.style])})"),
                judged.value,
                judged.error,
                judged.samples,
            )
            for text, judged in zip(texts, found, strict=False)
        )
        return Choice(
            texts[0],
            found[0].value,
            shown,
            nodes=sum(judged.samples for judged in found),
            details={"intent": described(found[0].plan, STYLES[self.settings.style])},
            finished=finished,
        )

    def _goes_on(self, view: RiskPosition) -> bool:
        """Whether this is a later moment of the turn that was planned, in the same game."""
        begun = self._planned
        if begun is None or (begun.state[k.TURN], begun.turn) != (view.state[k.TURN], view.turn):
            return False
        n = len(begun.history)
        return len(view.history) > n and view.history[:n] == begun.history and view.origin == begun.origin

    def _judged(self, view: RiskPosition, campaign: Campaign, seconds: float | None) -> tuple[list[JudgedTurn], bool]:
        """The proposals, best first, and whether they were sampled as long as was asked for."""
        root = self._lent(view)

        def consider(samples: int | None = None, stop: Ints | None = None) -> list[JudgedTurn]:
            return list(campaign.consider(self.game.g, root, view.turn, samples=samples, stop=stop))

        if seconds is None:
            return consider(), True
        consider(samples=1)  # loads what is compiled
        began = clocks.perf_counter()
        found = consider(samples=TRIAL)
        took = max(clocks.perf_counter() - began, 1e-6)
        samples = int(TRIAL * (seconds - took) / took)
        if samples <= TRIAL:
            return found, True
        watch = Budget(seconds - took)
        return watch.run(consider, samples, watch.flag), not watch.interrupted


class WeighingPlayer(RiskPlayer):
    """Weighs every legal move of a turn; drafts and sets up like the others."""

    def __init__(self, game: Risk, *, samples: int = EACH_WEIGHING, seed: int = 0) -> None:
        super().__init__(game, seed=seed, draft="preference", name=f"weighing:samples={samples}")
        if not isinstance(samples, int) or samples < 1:
            raise OptionError(f"option samples is {samples!r}; it goes from 1")
        self._weighed = samples

    def answer(self, request: Request[RiskPosition]) -> Choice:
        view, began = request.view, clocks.perf_counter()
        if view.turn < 0 or view.state[k.PHASE] in (k.CLAIM, k.PLACE, k.DEFEND):
            return super().answer(request)
        worth = self.weigh(view, view.moves(), request.clock)
        ranked = sorted(worth, key=lambda move: -worth[move])
        lines = tuple(Line((move,), worth[move]) for move in ranked[: request.lines])
        took = clocks.perf_counter() - began
        return Choice(ranked[0], worth[ranked[0]], lines, by_move=worth, seconds=took, engine=self.name)


def _drafter(game: Risk, draft: str) -> tuple[str, Evaluation | None]:
    """How to draft: a learned evaluation, or without one the preference; a file must fit the rules, the shipped need not."""
    if draft in ("preference", "random") or game.dealt:
        return draft, None
    if draft in (*METHODS, "uct"):
        return draft, shipped(game)
    if draft != LEARNED:
        found = Evaluation.load(Path(draft))
        found.check(game)
        return draft, found
    try:
        return "kth" if game.players == 2 else "uct", shipped(game)
    except OptionError:
        return "preference", None


OPTIONS = ("style", "draft", "ranking", "simulations", "samples", "horizon", "again", "seed")
LEVEL_OPTIONS = ("draft", "ranking", "simulations", "seed")


def level(name: str, **settings: Any) -> Any:
    def make(game: Risk, **options: Any) -> Player:
        return RiskPlayer(game, **{**settings, **options, "name": name})

    return make


def players(game: Game) -> dict[str, Entry]:
    from stratagem.games.risk import decisions, planner  # which stand on this module

    def entry(name: str, summary: str, **settings: Any) -> Entry:
        return Entry(level(name, **settings), summary, LEVEL_OPTIONS, quick=script(settings["style"]))

    def script(style: str) -> Any:
        """The moves of a style, in the draft too."""
        return level(f"the script {style}", style=style, draft="preference")

    return {
        **decisions.whole_turns(),
        "random": Entry(RandomPlayer, "any legal move, all alike"),
        "border": entry(
            "border", "guards its border, attacks where it is not outnumbered", style="border", draft="preference"
        ),
        "continent": entry("continent", "wants continents", style="continent", draft="preference"),
        "expected": entry("expected", "weighs each attack by the battle tables", style="expected"),
        "campaign": Entry(
            level("", samples=200), "samples whole turns that it proposes", OPTIONS, quick=script("expected")
        ),
        "weighing": Entry(
            WeighingPlayer,
            "weighs every move of a turn by games that go on from it",
            ("samples", "seed"),
            quick=script("expected"),
        ),
        "staged": Entry(
            planner.staged, "plans whole turns by stages and refines them", planner.OPTIONS, quick=script("expected")
        ),
        "easy": entry("easy", "continent: wants continents", style="continent", draft="preference"),
        "medium": entry("medium", "expected: the battle tables, a learned draft", style="expected"),
        "strong": Entry(
            planner.strong, "staged: whole turns by stages; a learned draft", LEVEL_OPTIONS, quick=script("expected")
        ),
    }
