"""The engine as a player: a search by stages over whole turns, its report, and its reasons in words."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from typing import Any

from stratagem.compile import in_parallel
from stratagem.contract.game import Game
from stratagem.contract.player import PARTS_ARE_MEANS, Choice, Clock, Line, Player, Report, Request
from stratagem.errors import GameOver, OptionError, StratagemError
from stratagem.games.minions.attack.answers import compile_ahead, winning_turn
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.engine.conjuring import FullStaging, outside
from stratagem.games.minions.engine.explain import explain
from stratagem.games.minions.engine.stages import EngineOptions, MinionsStaging
from stratagem.games.minions.game import MinionsPosition
from stratagem.games.minions.networks.oracle import NETWORK, oracle_of
from stratagem.games.minions.networks.prophet import vision_of
from stratagem.games.minions.state import GameState
from stratagem.games.minions.turn import GameTurn
from stratagem.games.minions.view import draw
from stratagem.games.minions.wizard import plain_rules
from stratagem.kernel import State
from stratagem.rng import generator
from stratagem.search.budget import collect_when_due, uncollected
from stratagem.search.settings import settings_of, switch, whole
from stratagem.search.staged import Considered, Settings, Staged
from stratagem.search.staged.blotto import Splitter
from stratagem.search.staged.settings import MEAN
from stratagem.search.staged.templates import compiled

VISITS = 1000  # simulations for one turn where no clock is given
RESERVE = 0.002  # seconds of a clock that telling the turn takes
ENDLESS = 1 << 62  # simulations
TURNS = 60_000  # that a tree holds at the most
TRUST = 30.0
SHOWN = 5  # parts that each stage proposed, of those reported
LATE = 0.02  # of a clock: the share kept back beside that
ASKED = 0.02  # seconds, below which the attack solver is not asked for a win
ASKING = 0.5  # of a clock, that the answer may take
HURRIED = 0.5  # seconds, below which the attack solver is not asked where there are spells
FEW = 5  # simulations that are not worth a minute of compiling, where there are spells
_loaded = False  # whether the kernels with spells are compiled and loaded


@dataclass(frozen=True)
class EngineSettings(EngineOptions):
    """The settings of the engine: how it searches, and of its parts what to leave out, to see what it is worth."""

    visits: int = VISITS  # simulations for one turn, where no clock is given
    depth: int = 2  # turns of both sides that a walk may join
    capped: bool = False  # visits are the most with a clock too: for weaker levels
    exploration: float = 1.0
    turn_exploration: float = 1.4
    pruning: float = 2.0
    backup: str = MEAN  # what a turn is worth: the mean of its trials, or what the best reply leaves
    trust: float = TRUST  # trials of a turn from which on the best reply counts for more than the mean; 0: never
    reuse: bool = True
    oracle: str = NETWORK
    prophet: str = NETWORK

    def __post_init__(self) -> None:
        for field in fields(self):
            if isinstance(field.default, bool):
                switch(field.name, getattr(self, field.name))
        if whole("visits", self.visits) < 1:
            raise OptionError(f"option visits is {self.visits!r}; give 1 or more")
        oracle_of(self.oracle)  # whatever is wrong with a file is reported at once
        vision_of(self.prophet)


class EnginePlayer(Player[MinionsPosition]):
    """Searches whole turns by stages and judges them by fitted weights after a short answer."""

    def __init__(
        self, game: Game, settings: EngineSettings | None = None, *, seed: int = 0, name: str = "", **changes: Any
    ) -> None:
        own = settings_of(EngineSettings, settings, changes)
        self.game, self.seed, self.name, self.capped = game, whole("seed", seed), name or "engine", own.capped
        self.options = EngineOptions(**{name: getattr(own, name) for name in EngineOptions.__dataclass_fields__})
        self.settings = Settings(
            depth=own.depth,
            simulations=own.visits,
            exploration=own.exploration,
            turn_exploration=own.turn_exploration,
            pruning=own.pruning,
            backup=own.backup,
            trust=own.trust,
            reuse=own.reuse,
            turns=TURNS,
        )
        self.staging: MinionsStaging
        self._search: Staged[State, bytes] | None = None
        self._config: GameConfig | None = None
        self._script: Player | None = None
        self._target = "cpu"
        self._note = ""  # what is to be said about the position

    def answer(self, request: Request[MinionsPosition]) -> Choice:
        return self.think(request.view, request.clock.seconds, report=request.report, lines=request.lines)

    def think(
        self,
        view: MinionsPosition,
        seconds: float | None = None,
        *,
        simulations: int | None = None,
        endless: bool = False,  # until `stop` is called
        report: Report | None = None,
        lines: int = 1,
        reasons: bool = True,  # reports tell what stages proposed as well, and the choice why it was made
    ) -> Choice:
        """A choice by a clock, by a number of simulations, by both, or until it is stopped. What must be loaded first is not
        thinking."""
        if view.over:
            raise GameOver("the game is over: there is no turn to choose")
        state = view.state
        if state.mid_turn:
            return self._scripted(view, Clock(1.0 if endless else seconds), lines)
        if state.config.switches.spells:  # whatever the caller shows: what a side cannot see plays no part
            state = state.hidden_from(state.side)
        self._note = "" if plain_rules(state.config) else outside(state)
        if endless:
            simulations = ENDLESS
        elif simulations is None and (self.capped or seconds is None):
            simulations = self.settings.simulations
        few = simulations is not None and simulations <= FEW
        search = self.search_for(state.config, few=few)
        collect_when_due(seconds)
        # from here to the answer no collection of garbage, which takes longer than many a turn
        with contextlib.nullcontext() if seconds is None else uncollected():
            began = time.perf_counter()
            if seconds is not None:
                seconds = max(seconds * (1.0 - LATE) - RESERVE, 0.0)
            won = self._won_at_once(state, seconds)
            if won is not None:
                why = tuple(self.explain(view, won)) if report is not None and reasons else ()
                return self._winning(str(won), why, began)
            if seconds is not None:
                seconds = max(seconds - (time.perf_counter() - began), 0.0)
            self.staging.begin(state.array)
            if isinstance(self.staging, FullStaging):
                self.staging.hurried = seconds is not None and seconds < HURRIED
            tick: Callable[[Considered], None] | None = None
            if report is not None:
                reported = report

                def tick(found: Considered) -> None:
                    choice = self._reported(found, lines, began)
                    reported(replace(choice, stages=search.proposals()) if reasons else choice)

            found = search.consider(state.array, seconds=seconds, simulations=simulations, tick=tick)
            self.staging.intent = self.staging.aims(found.best.parts["general"])
            choice = self._reported(found, lines, began)
            if report is not None and reasons:  # somebody looks on
                choice = replace(
                    choice, stages=search.proposals(), why=tuple(self.explain(view, self.staging.turn(found.best.turn)))
                )
            return choice

    def _won_at_once(self, state: GameState, seconds: float | None) -> GameTurn | None:
        """A turn that wins now, by the attack solver, which is asked wherever it would be asked in the search."""
        if not self.options.solver:
            return None
        if seconds is not None and seconds < (HURRIED if state.config.magical else ASKED):
            return None
        with contextlib.suppress(StratagemError):  # PySAT is not installed, or a board is too large
            return winning_turn(state, None if seconds is None else seconds * ASKING)
        return None

    def _winning(self, text: str, why: tuple[str, ...], began: float) -> Choice:
        note = "this turn wins the game at once, which the attack solver proves; nothing else was searched"
        return Choice(
            text, 1.0, (Line((text,), 1.0, 0.0, 1),), depth=1, nodes=1, seconds=time.perf_counter() - began,
            engine=self.name, why=why, details={"note": note},
        )  # fmt: skip

    def stop(self) -> None:
        """End the search that is under way; it chooses from what it has."""
        if self._search is not None:
            self._search.stop()

    def is_ready(self, config: GameConfig) -> bool:
        """Whether a search for the configuration was made, so that the next one begins at once."""
        return self._search is not None and self._config == config and self._target == "cpu"

    def prepare(self, config: GameConfig) -> None:
        """Load all that a search calls."""
        _warm(config, self.options)

    def search_for(self, config: GameConfig, *, few: bool = False) -> Staged[State, bytes]:
        """The search, which is kept from turn to turn; compiled or loaded before the clock starts. Where there are spells and
        few simulations are wanted, the interpreter has made them sooner than the compiler would be done."""
        target = "python" if few and config.magical and not _loaded else "cpu"
        if self._search is None or self._config != config or (self._target == "python" and target == "cpu"):
            self._config, self._target = config, target
            if target == "cpu":
                _warm(config, self.options)
            self.staging = staging_of(config, self.options, target=target)
            settings = self.settings
            if not self.staging.certain:
                settings = replace(settings, backup=MEAN, trust=0.0, turn_exploration=Settings.turn_exploration)
            self._search = Staged(self.staging, settings, seed=self.seed)
        return self._search

    def _reported(self, found: Considered, lines: int, began: float) -> Choice:
        seat = found.seat
        shown = tuple(
            Line((judged.text,), judged.values[seat], judged.error, judged.visits)
            for judged in found.listed(max(lines, 1))
        )
        return Choice(
            found.best.text,
            found.best.values[seat],
            shown,
            depth=self.settings.depth,
            nodes=found.simulations,
            seconds=time.perf_counter() - began,
            engine=self.name,
            finished=found.finished,
            details={"turns": found.made, **({"note": self._note} if self._note else {})},
        )

    def _scripted(self, view: MinionsPosition, clock: Clock, lines: int) -> Choice:
        """The rest of a turn that has begun: the script plays."""
        from stratagem.games.minions.players import AnsweredPlayer  # which imports this module

        if self._script is None:
            self._script = AnsweredPlayer(self.game, seed=self.seed, turns=64)
        choice = self._script.choose(view, clock, lines=lines)
        why = "this turn has begun, and the engine searches whole turns; the best of scripted ones was taken"
        return replace(choice, details={**choice.details, "note": why})

    def explain(self, view: MinionsPosition, move: str | GameTurn) -> list[str]:
        """Why a turn, in sentences."""
        self.search_for(view.state.config, few=True)
        turn = move if isinstance(move, GameTurn) else GameTurn.parse(move, view.state.config.boards)
        return explain(self.staging, view.state, turn)

    def show(self, view: MinionsPosition, choice: Choice, seat: int | None) -> str | None:
        """Why the turn, and what each stage proposed for it."""
        if self._search is None or self._search.root is None or "turns" not in choice.details:  # it was not asked
            return choice.details.get("note")
        reported = [
            *(choice.why or self.explain(view, choice.move)),
            "",
            f"proposed by the stages of this turn ({PARTS_ARE_MEANS}):",
        ]
        for stage in self._search.proposals(SHOWN):
            made = f"{stage.proposed} proposed, {stage.refined} of them refined, {stage.passed_over} passed over"
            reported.append(f"{stage.name}: {made}")
            for part in stage.best:
                value = "       " if part.value is None else f"{part.value:+.3f} "
                reported.append(f"  {value} {part.visits:6d}  {part.words}")
        return "\n".join([*reported, *filter(None, [choice.details.get("note")])])

    def picture(self, view: MinionsPosition, choice: Choice, seat: int | None) -> str | None:
        """The turn drawn over the boards: arrows, and marks for what is removed and spawned."""
        return draw(view.state, GameTurn.parse(choice.move, view.state.config.boards))


def staging_of(config: GameConfig, options: EngineOptions, *, target: str = "cpu") -> MinionsStaging:
    """The stages for a configuration: plain ones where they know all its rules."""
    if plain_rules(config):
        return MinionsStaging(config, options, target=target)
    return FullStaging(config, options, target=target)


def _think_once(config: GameConfig, options: EngineOptions) -> None:
    staging = staging_of(config, options)
    staging.played(GameState.start(config).array, b"")
    staging.look()


def _advise_once(config: GameConfig, options: EngineOptions) -> None:
    staging_of(config, options).advisers.warm(GameState.start(config).array)


def _play_once(config: GameConfig, options: EngineOptions) -> None:
    staging_of(config, options).played(GameState.start(config).array, b"", whole=True)


def _solve_once() -> None:
    with contextlib.suppress(StratagemError):  # PySAT is not installed: the compiled attacks must do
        compile_ahead()


def _split_once() -> None:
    splitter = Splitter(2, 2, generator(0))
    found = splitter.first()
    assert found is not None
    splitter.finer(found.part)
    splitter.learn(found.part, 0.0, 1.0)


@lru_cache(maxsize=64)
def _warm(config: GameConfig, options: EngineOptions) -> None:
    """Compile or load all that a search calls, once a process: the first turn of a further game waits for none of it."""
    global _loaded
    jobs: list[Callable[[], object]] = [
        partial(_think_once, config, options),
        partial(_play_once, config, options),
        _split_once,
        compiled,
    ]
    in_parallel(*jobs, *([_solve_once] if options.solver and not config.magical else []))
    _advise_once(config, options)
    start = GameState.start(config).dealt(generator(0))
    Staged(staging_of(config, options), Settings(depth=2)).consider(start.array, simulations=3)
    _loaded = _loaded or config.magical


OPTIONS = ("seed", *EngineSettings.__dataclass_fields__)


def engine(game: Game, **options: Any) -> EnginePlayer:
    return EnginePlayer(game, **options)


def easy(game: Game, **options: Any) -> EnginePlayer:
    """Hardly looks: the first turns that it makes."""
    return EnginePlayer(game, **{"visits": 3, "depth": 1, "capped": True, "solver": False, "name": "easy", **options})


def medium(game: Game, **options: Any) -> EnginePlayer:
    """Looks at some turns and a short answer to each."""
    return EnginePlayer(
        game, **{"visits": 60, "depth": 1, "capped": True, "solver": False, "name": "medium", **options}
    )


def strong(game: Game, **options: Any) -> EnginePlayer:
    return EnginePlayer(game, **{"name": "strong", **options})
