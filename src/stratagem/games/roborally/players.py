"""Players of RoboRally: random, greedy for a robot alone, and Monte-Carlo to a depth of a few turns; their levels.

The Monte-Carlo player lists all reduced programmes, keeps those that serve a robot alone best (and a few others as a guard),
and shares playouts out among them: opponents' hands are dealt from what the seat cannot see, everybody follows a playout
strategy, and after a few turns an evaluator judges. The j-th playout of every programme meets the same hands and programmes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

import numpy as np

from stratagem.compile import Bound, specialise
from stratagem.contract.game import Game
from stratagem.contract.player import Choice, Clock, Entry, Line, Player, RandomPlayer, Request, deciding_seat
from stratagem.errors import OptionError
from stratagem.games.roborally import expected, heuristics, kernels
from stratagem.games.roborally import layout as k
from stratagem.games.roborally.course import Space
from stratagem.games.roborally.deal import deal_hands
from stratagem.games.roborally.elements import run_register
from stratagem.games.roborally.equivalence import Locked, Numbering
from stratagem.games.roborally.game import PHASES, RallyPosition, RoboRally, robot
from stratagem.games.roborally.heuristics import EVALUATORS, STRATEGIES, playout
from stratagem.games.roborally.kernels import write_programme
from stratagem.games.roborally.layout import AT, FACING, REGISTERS, ROBOT, ROBOTS, SEATS, is_awake
from stratagem.games.roborally.view import draw, text_art, track
from stratagem.kernel import Ground, Moves, State
from stratagem.networks.features import suits
from stratagem.networks.networked import lift, networked
from stratagem.networks.players import SHIPPED, network_of
from stratagem.rng import Rng, below, generator
from stratagem.search.budget import Budget
from stratagem.search.sampling.montecarlo import MonteCarlo
from stratagem.search.settings import settings_of

SECONDS = 0.3
WEIGHTS = "data/weights.json"
REDUCTIONS = ("none", "0", "1", "2")
SAMPLED_TURNS = 100  # for the likely path
Step = tuple[Space, int, float]  # the space, the facing and how likely they are
ALIKE = 3  # programmes that came to one worth in the first look and still count
LOOKS, FEWEST_LOOKS = 16, 4  # playouts of a programme in the first look; with fewer it is left out
FIRST_LOOK = 0.2  # the part of the clock that the first look may take
GUARD = 0.1  # share of the programmes kept that are kept whatever the prefilter says


@cache
def fitted() -> dict[str, Any]:
    """The weights of each evaluator, and the card that says how they came about."""
    found: dict[str, Any] = json.loads(files("stratagem.games.roborally").joinpath(WEIGHTS).read_text())
    return found


def constants(
    game: RoboRally, evaluator: str, strategy: str = "best", candidates: int = 0, reduce: Any = 1, **own_weights: float
) -> dict[str, Any]:
    """The names that the heuristics need: the game's own, and the choices of a player."""
    evaluator, strategy, reduce = word(evaluator, EVALUATORS), word(strategy, STRATEGIES), word(str(reduce), REDUCTIONS)
    for name in own_weights:
        if name not in heuristics.TERMS:
            raise OptionError(f"there is no option {name!r}; of weights there are {', '.join(heuristics.TERMS)}")
    if candidates < 0:
        raise OptionError(f"a playout cannot choose among {candidates} programmes; give 1 or more, or 0 for all")
    if evaluator == "turns":
        expected.provide(game)
    return {
        **game.names["turn"].names,
        "EVALUATOR": EVALUATORS.index(evaluator),
        "STRATEGY": STRATEGIES.index(strategy),
        "CANDIDATES": candidates,
        "REDUCTION": min(REDUCTIONS.index(reduce) - 1, 1),  # playouts do not look at registers
        **fitted()["weights"][evaluator],
        **own_weights,
    }


def word(given: str, known: Sequence[str]) -> str:
    """One of the words known, in any case."""
    found = given.lower()
    if found not in known:
        raise OptionError(f"{given!r} is none of {', '.join(known)}")
    return found


class Greedy(Player[RallyPosition]):
    """The programme after which a robot alone would have least to go; re-entry likewise. It never powers down by choice."""

    def __init__(self, game: RoboRally, *, evaluator: str = "registers", seed: int = 0) -> None:
        self.name = "greedy"
        own = constants(game, evaluator)
        self._alone = specialise(heuristics.score_alone, own, label="roborally programmes alone")
        self._decide = specialise(heuristics.playout, own, target="python")
        self._rng = generator(seed)

    def rank(self, view: RallyPosition, seat: int, numbers: np.ndarray[Any, np.dtype[np.int64]]) -> Any:
        scores = np.empty(len(numbers), np.int64)
        self._alone(view.game.g, view.state.copy(), seat, numbers, scores)
        return scores

    def answer(self, request: Request[RallyPosition]) -> Choice:
        view, seat = request.view, request.seat
        if seat < 0:
            return Choice(view.sample(self._rng), engine=self.name)
        if view.state[k.PHASE] != k.PROGRAMMING:
            m = int(self._decide(view.game.g, view.state.copy(), seat, self._rng))
            return Choice(view.game.move_text(view.state, seat, m), engine=self.name)
        numbers = np.array(view.move_numbers(seat), np.int64)
        numbers = numbers[numbers < k.ANNOUNCE]
        scores = self.rank(view, seat, numbers)
        best = np.flatnonzero(scores == scores.min())
        with np.errstate(over="ignore"):
            m = int(numbers[best[below(self._rng, len(best))]])
        text = view.game.move_text(view.state, seat, m)
        return Choice(text, None, (Line((text,), None),), nodes=len(numbers), engine=self.name)


def trace_turn(g: Ground, s: State, seat: int, m: int, r: Rng, way: Moves) -> None:
    """A turn with the programme m against others whose hands are dealt: where the robot is after each register."""
    deal_hands(s, seat, r)
    for p in range(SEATS):
        if is_awake(s, p):
            write_programme(s, p, m if p == seat else playout(g, s, p, r))
    at = ROBOTS + ROBOT * seat
    for register in range(REGISTERS):
        winners = run_register(g, s, register)
        way[register:] = 4 * s[at + AT] + s[at + FACING] if s[at + AT] >= 0 else -1
        if winners > 0 or s[at + AT] < 0:
            return


@dataclass(frozen=True)
class RallySettings:
    """The settings of the Monte-Carlo player; `heuristics.TERMS` by their names too."""

    time: float = SECONDS  # seconds a decision, where the clock does not say and there are no simulations
    simulations: int | None = None  # playouts a decision; None: by time
    turns: int | str = 2  # turns until the evaluator judges, the one to be programmed included; "end": play to the end
    evaluator: str = "turns"  # how far a robot has to go: straight, walk, registers or turns
    playout: str = "best"  # how playouts write programmes: any, reduced, best, straying or drawn
    candidates: int = 0  # programmes that a playout looks at; 0: all
    share: str = "halving"  # how playouts are shared out: uniform, ucb or halving
    keep: int = 60  # programmes that the prefilter keeps; 0: all
    wide: int = 480  # programmes that a first look ranks for the prefilter, the best for a lone robot; 0: no first look
    common: bool = True  # whether the j-th playouts of all programmes meet the same hands
    reduce: Any = 1  # which cards are alike: none, or level 0, 1 or 2; playouts go up to level 1
    threads: int = 1
    target: str = "cpu"
    seed: int = 0
    terms: Mapping[str, float] = field(default_factory=dict)  # weights of the score in place of those fitted

    def __post_init__(self) -> None:
        if self.turns != "end" and (not isinstance(self.turns, int) or self.turns < 1):
            raise OptionError(f"a depth of {self.turns} turns plays nothing; give 1 or more, or end")
        if self.keep < 0:
            raise OptionError(f"{self.keep} programmes cannot be kept; give 1 or more, or 0 for all")
        if self.wide < 0:
            raise OptionError(f"a first look cannot rank {self.wide} programmes; give 1 or more, or 0 for none")


class PlayoutRule(Player[RallyPosition]):
    """The programme after which a robot alone would have least to go: the decision that playouts make."""

    def __init__(self, game: Game, *, seed: int = 0) -> None:
        self.name, self.seed = "the playouts' own rule", seed

    def answer(self, request: Request[RallyPosition]) -> Choice:
        view, seat = request.view, request.seat
        decide = specialise(heuristics.playout, constants(view.game, RallySettings().evaluator), target="python")
        m = int(decide(view.game.g, view.state.copy(), seat, generator(self.seed)))
        return Choice(view.game.move_text(view.state, seat, m), engine=self.name)


class MonteCarloRally(Player[RallyPosition]):
    """Monte-Carlo over programmes, to a depth of turns."""

    def __init__(self, game: RoboRally, settings: RallySettings | None = None, **options: Any) -> None:
        weights = {name: options.pop(name) for name in heuristics.TERMS if name in options}
        own = settings_of(RallySettings, settings, options)
        self.name, self.settings = "montecarlo", own
        names = constants(game, own.evaluator, own.playout, own.candidates, own.reduce, **{**own.terms, **weights})
        self._by_register = str(own.reduce) == "2"
        whole = str(own.reduce) in ("1", "2")  # the game's own reduction, or what is joined further
        self._moves = None if whole else specialise(kernels.moves, names, label="roborally programmes")
        self._greedy = Greedy(game, evaluator=own.evaluator, seed=own.seed)
        self._rng = np.random.default_rng(own.seed)
        self._trace = specialise(trace_turn, names | {"CANDIDATES": own.candidates or heuristics.FEW}, target="python")
        self._game, self._names = game, names
        self.engine = self._sampling(own.share, own.seed, own.turns)

    def _sampling(self, share: str, seed: int, turns: int | str) -> MonteCarlo:
        own, names = self.settings, self._names
        whole = turns == "end"  # the race itself judges
        return MonteCarlo(
            self._game,
            share=share,
            common=own.common,
            threads=own.threads,
            seed=seed,
            target=own.target,
            playout_depth=None if whole else int(turns) - 1,
            strategy=Bound(heuristics.playout, names),
            evaluate=None if whole else self._judge(),
            names={"counted": heuristics.turns, "count": Bound(heuristics.asked, names), "JUDGES_CHANCE": True},
            remember=True,
            force_inline=False,
        )

    def _judge(self) -> Bound:
        """The kernel that judges where a playout ends."""
        return Bound(heuristics.value, self._names)

    @cached_property
    def _scales(self) -> MonteCarlo:
        """Playouts in equal shares, with other random draws than those of a choice, whose winner may have had luck."""
        return self._sampling("uniform", self.settings.seed + 1, self.settings.turns)

    @cached_property
    def _glances(self) -> MonteCarlo:
        """Playouts that end with this turn."""
        return self._sampling("uniform", self.settings.seed + 2, 1)

    def kept(self, view: RallyPosition, seat: int, budget: Budget | None = None) -> list[int]:
        """The moves worth playouts: the best of a first look, a few others, and power-downs of the very best.

        `budget` is the first look's clock."""
        if self._moves is None or view.state[k.PHASE] != k.PROGRAMMING:
            numbers = self._joined(view, seat, np.array(view.move_numbers(seat), np.int64))
        else:
            numbers = np.zeros(view.game.max_moves, np.int64)
            numbers = numbers[: self._moves(view.game.g, view.state.copy(), seat, numbers)]
        keep = self.settings.keep
        if view.state[k.PHASE] != k.PROGRAMMING or not 0 < keep < len(numbers):
            return [int(m) for m in numbers]
        plain = numbers[numbers < k.ANNOUNCE]
        order = plain[np.argsort(self._greedy.rank(view, seat, plain), kind="stable")]
        announces = len(plain) < len(numbers) and robot(view.state, seat)[k.DAMAGE] >= 2
        guard = int(GUARD * keep)
        order = self._looked_at(view, seat, order, budget or Budget())
        first = order[: max(keep - guard - (keep // 4 if announces else 0), 1)]
        rest = order[len(first) :]
        others = self._rng.choice(rest, min(guard, len(rest)), replace=False) if len(rest) else rest
        resting = first[: keep // 4] | k.ANNOUNCE if announces else first[:0]
        return [int(m) for m in (*first, *others, *resting)]

    def _looked_at(self, view: RallyPosition, seat: int, order: Any, budget: Budget) -> Any:
        """The same programmes, the first of them in the order of some playouts that end with this turn.

        They cost a fifth of the usual ones, and see what a robot alone does not: pushes, lasers, damage and others in the way.
        All programmes meet the same hands. So those of exactly one worth ended all these turns alike: the first of them come with
        the rest, the others behind."""
        own = self.settings
        playouts = LOOKS * own.wide if own.simulations is None else min(LOOKS * own.wide, own.simulations)
        some = order[: min(own.wide, playouts // FEWEST_LOOKS)]
        if len(some) <= own.keep:
            return order
        budget.work = min(playouts, LOOKS * len(some))
        found = self._glances.within(budget, view, seat, some)
        worth = np.array([one.value for one in found])
        ranked = np.argsort(-worth, kind="stable")
        again = np.concatenate([[False] * ALIKE, worth[ranked[ALIKE:]] == worth[ranked[:-ALIKE]]])
        return np.concatenate([some[ranked[~again]], some[ranked[again]], order[len(some) :]])

    def _joined(self, view: RallyPosition, seat: int, numbers: Any) -> Any:
        """At level 2 one of the programmes that are the same; those that power down afterwards likewise."""
        if not self._by_register or view.state[k.PHASE] != k.PROGRAMMING:
            return numbers
        of = numbering(view, seat)
        if not of.apart:
            return numbers
        first = [sum(card << (7 * r) for r, card in enumerate(cards)) for cards in of.all()]
        announced = [m | k.ANNOUNCE for m in first] if (numbers >= k.ANNOUNCE).any() else []
        return np.array([*first, *announced], np.int64)

    def answer(self, request: Request[RallyPosition]) -> Choice:
        view, seat = request.view, request.seat
        own, seconds = self.settings, request.clock.seconds
        if seconds is None and not own.simulations:
            seconds = float(own.time)
        only: Sequence[int] | None = None
        if seat >= 0:
            budget = Budget(None if seconds is None else FIRST_LOOK * seconds)
            only = self.kept(view, seat, budget)
            if budget.interrupted:
                seconds = 0.0
            elif seconds is not None:
                seconds = max(seconds - budget.elapsed, 0.0)
        choice = self.engine.analyse(
            view,
            Clock(seconds),
            seat=seat,
            simulations=own.simulations,
            lines=request.lines,
            report=request.report,
            only=only,
        )
        if seat < 0 or view.state[k.PHASE] != k.PROGRAMMING:
            return choice
        path = path_alone(view, seat, choice.move)
        return replace(choice, details={**choice.details, "path": path})

    def weigh(
        self, view: RallyPosition, moves: Sequence[str], clock: Clock, *, seat: int | None = None
    ) -> dict[str, float]:
        seat = deciding_seat(view, seat)
        if seat < 0:
            return {}
        numbers = {text: view.game.parse_move(view.state, seat, text) for text in moves}
        own, seconds = self.settings, clock.seconds
        if seconds is None and not own.simulations:
            seconds = float(own.time)
        found = self._scales.estimates(
            view, Clock(seconds), seat=seat, simulations=own.simulations, only=list(dict.fromkeys(numbers.values()))
        )
        worth = {one.move: one.value for one in found if one.samples}
        return {text: worth[m] for text, m in numbers.items() if m in worth}

    def likely_path(self, view: RallyPosition, seat: int, text: str, samples: int = SAMPLED_TURNS) -> list[Step | None]:
        """Where a programme takes a robot, register by register, most often in turns with hands dealt to the others and
        programmes written by the playout strategy: the space, the facing and the share; None: destroyed."""
        game = view.game
        m, r = game.parse_move(view.state, seat, text), generator(self.settings.seed)
        ways = np.full((samples, k.REGISTERS), -1, np.int64)
        for way in ways:
            with np.errstate(over="ignore"):
                self._trace(game.g, view.state.copy(), seat, m, r, way)
        found: list[Step | None] = []
        for column in ways.T:
            node, times = max(Counter(column.tolist()).items(), key=lambda item: item[1])
            found.append((game.course.space(node // 4), node % 4, times / samples) if node >= 0 else None)
            if node < 0:
                break
        return found

    def show(self, view: RallyPosition, choice: Choice, seat: int | None) -> str:
        """The floor with the likely path of the best programme: a register and a facing where it ends each."""
        if seat is None or view.state[k.PHASE] != k.PROGRAMMING:
            return ""
        steps = self.likely_path(view, seat, choice.move)
        marks = {step[0]: f"{r + 1}{'^>v<'[step[1]]}" for r, step in enumerate(steps) if step}
        said = [
            f"{r + 1}: {step[0][0]},{step[0][1]},{'NESW'[step[1]]} ({step[2]:.0%})" if step else f"{r + 1}: destroyed"
            for r, step in enumerate(steps)
        ]
        game = view.game
        floor = text_art(game.course, view.state, game.players, PHASES, marks).splitlines()[1 : 1 + game.course.size[1]]
        head = f"likely path of {game.seat_name(seat)} with {choice.move}, register by register:"
        return "\n".join([head, *floor, "; ".join(said)])

    def picture(self, view: RallyPosition, choice: Choice, seat: int | None) -> str:
        """The drawing of the position with the likely path of the best programme."""
        if seat is None or view.state[k.PHASE] != k.PROGRAMMING:
            return view.svg()
        game, a = view.game, robot(view.state, seat)
        steps = self.likely_path(view, seat, choice.move)
        path = track(game.course, seat, game.course.space(int(a[k.AT])), steps)
        title = f"{game.title}: {game.course.name}, likely path of {game.seat_name(seat)} with {choice.move}"
        return draw(game.course, view.state, game.players, title, str(view), path=path)


class NetworkRally(MonteCarloRally):
    """The same with a network that judges where playouts end, in a race of two robots."""

    def __init__(self, game: RoboRally, *, weights: str = SHIPPED, **options: Any) -> None:
        judged: Any = networked(game, network_of(game, weights))
        super().__init__(judged, **options)
        self.name = "network"

    def _judge(self) -> Bound:
        found: Bound = self._game.names["value"]
        return found

    def answer(self, request: Request[RallyPosition]) -> Choice:
        return super().answer(replace(request, view=self._lifted(request.view)))

    def weigh(
        self, view: RallyPosition, moves: Sequence[str], clock: Clock, *, seat: int | None = None
    ) -> dict[str, float]:
        return super().weigh(self._lifted(view), moves, clock, seat=seat)

    def _lifted(self, view: RallyPosition) -> RallyPosition:
        found: RallyPosition = lift(self._game, view)  # type: ignore[assignment]
        return found


def numbering(view: RallyPosition, seat: int, level: int = 2) -> Numbering:
    """The programmes of a seat's hand, with all registers that lie open because they are locked."""
    own = robot(view.state, seat)
    locked = []
    for p in range(view.game.players):
        a = robot(view.state, p)
        if a[k.STATUS] == k.RACING:
            for r in range(k.open_registers(int(a[k.DAMAGE])), k.REGISTERS):
                if a[k.REGISTER + r] != k.NO_CARD:
                    locked.append(Locked(r + 1, int(a[k.REGISTER + r]), own=p == seat))
    damage = int(own[k.DAMAGE])
    hand = tuple(int(card) for card in own[k.HAND : k.HAND + k.HAND_SIZE - damage])
    return Numbering(hand, k.open_registers(damage), tuple(locked), level)


def path_alone(view: RallyPosition, seat: int, text: str) -> list[list[Any]]:
    """Where a programme would take a robot register by register, were it alone: [x, y, facing] for each, until it falls."""
    game, g, a = view.game, view.game.g, robot(view.state, seat)
    m = game.parse_move(view.state, seat, text)
    cards = [m >> (7 * r) & 127 if r < min(5, 9 - a[k.DAMAGE]) else int(a[k.REGISTER + r]) for r in range(k.REGISTERS)]
    node, path = 4 * int(a[k.AT]) + int(a[k.FACING]), []
    for r, card in enumerate(cards):
        node = int(g[g[k.LONE_AT] + (r * 4 * g[k.SPACES] + node) * 7 + heuristics.effect_of(card)])
        if node < 0:
            break
        path.append([*game.course.space(node // 4), "NESW"[node % 4]])
    return path


def level(**limits: Any) -> Any:
    def make(game: RoboRally, *, seed: int = 0) -> Player:
        return MonteCarloRally(game, seed=seed, **limits)

    return make


OPTIONS = (*(option.name for option in fields(RallySettings) if option.name != "terms"), *heuristics.TERMS)


def players(game: Game) -> dict[str, Entry]:
    judged = tuple(name for name in OPTIONS if name not in ("evaluator", *heuristics.TERMS))
    network = Entry(
        NetworkRally, "montecarlo with a network as its judge: weights=FILE", ("weights", *judged), external=True
    )
    return {
        **({"network": network} if suits(game) else {}),
        "random": Entry(RandomPlayer, "any reduced programme, all alike"),
        "greedy": Entry(Greedy, "the best programme for a robot alone on the floor", ("evaluator", "seed")),
        "montecarlo": Entry(
            MonteCarloRally, "Monte-Carlo over programmes, by simulations or time", OPTIONS, quick=PlayoutRule
        ),
        "easy": Entry(
            level(simulations=200, keep=20, wide=0), "montecarlo, 200 playouts a decision", quick=PlayoutRule
        ),
        "medium": Entry(level(simulations=2000), "montecarlo, 2000 playouts a decision", quick=PlayoutRule),
        "strong": Entry(level(time=SECONDS), "montecarlo, 0.3 s a decision", quick=PlayoutRule),
    }
