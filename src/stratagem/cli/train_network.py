"""`stratagem train GAME`: a network for a game that declares features, learned by self-play."""

from __future__ import annotations

import dataclasses
import json
import os
import shlex
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import platformdirs
import typer
from rich.table import Table

from stratagem.cli.live_screen import LiveScreen
from stratagem.cli.options import grouped
from stratagem.errors import OptionError
from stratagem.networks.plan import WAYS, Recipe, TrainingCourse, TrainingPlan, Trial
from stratagem.networks.rounds import Learned, Means, Spread, Tell, learn, write_whole
from stratagem.networks.weights import load
from stratagem.registry import game as make_game
from stratagem.registry import game_class

TRAINING = "training"

Cluster = Annotated[str | None, typer.Option(help="play on a Ray cluster: local, auto, or ADDRESS:PORT of its head")]


@dataclasses.dataclass(frozen=True)
class RunFlags:
    """Options of both commands that train: where and on what it runs."""

    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", help="an option of the game, NAME=VALUE; may be repeated")
    ] = None
    seed: Annotated[int, typer.Option(help="seed of games and training")] = 1
    workers: Annotated[int, typer.Option(help="processes that play; 0: one a core")] = 0
    cluster: Cluster = None
    device: Annotated[str, typer.Option(help="device of the training: auto, cpu or cuda")] = "auto"
    folder: Annotated[Path | None, typer.Option(help="folder of all results, from which the command goes on")] = None

    def options(self) -> dict[str, str]:
        """The options of the game that were given."""
        found: dict[str, str] = {}
        for item in self.option or []:
            key, equals, value = item.partition("=")
            if not equals:
                raise OptionError(f"{item!r} is not an option NAME=VALUE")
            found[key.replace("-", "_")] = value
        return found

    def processes(self) -> int:
        """How many play."""
        if self.workers < 0:
            raise OptionError(f"{self.workers} processes play nothing; give 1 or more, or 0 for one a core")
        return self.workers or os.cpu_count() or 1

    def spread(self) -> Spread | None:
        """How parts are given to the hosts of a cluster, if one is named."""
        return None if self.cluster is None else on_cluster(self.cluster, self.workers or None)

    def place(self, game: str) -> Path:
        """Where everything is kept: the folder that was given, or the game's own."""
        home = Path(platformdirs.user_data_dir("stratagem", appauthor=False)) / "networks" / game
        return (self.folder or home).absolute()


def _unless_said(usual: Any, text: str) -> Any:
    """An option that a game may have a value of its own for."""
    return typer.Option(show_default=f"{usual}, or what the game says", help=text)


@dataclasses.dataclass(frozen=True)
class PlanFlags:
    """What is played and learned; None where neither the command nor perhaps the game says."""

    games: Annotated[int | None, _unless_said(Recipe.games, "games of self-play in a round")] = None
    rounds: Annotated[int | None, _unless_said(TrainingPlan.rounds, "rounds of self-play, training and trial")] = None
    depth: Annotated[int | None, _unless_said(Recipe.depth, "depth of the searches that play these games")] = None
    opening: Annotated[int | None, _unless_said(Recipe.opening, "random plies at the start of a game")] = None
    by: Annotated[str | None, _unless_said(Recipe.by, f"who plays these games: {', '.join(WAYS)}")] = None
    simulations: Annotated[
        int | None, _unless_said(Recipe.simulations, "simulations a move, where tree search plays these games")
    ] = None
    solved: Annotated[int | None, _unless_said(Recipe.solved, "plies before the end from which a game is solved")] = (
        None
    )
    part: Annotated[int | None, _unless_said(Recipe.part, "games that are written together")] = None
    views: Annotated[
        int | None, _unless_said(TrainingPlan.views, "1: through the mover's eyes; 2: through both sides'")
    ] = None
    passes: Annotated[int | None, _unless_said(TrainingCourse.passes, "passes over all positions")] = None
    rate: Annotated[float | None, _unless_said(TrainingCourse.rate, "learning rate")] = None
    dropped: Annotated[
        float | None,
        _unless_said(TrainingCourse.dropped, "the share of features that are left out at random while learning"),
    ] = None
    decay: Annotated[
        float | None,
        _unless_said(TrainingCourse.decay, "weight decay of feature columns; higher values forget rare features"),
    ] = None
    searched: Annotated[
        float | None,
        _unless_said(
            TrainingCourse.searched, "the share of the search's value in what is learned; the rest is the result"
        ),
    ] = None


@grouped
def train_network(
    game: Annotated[str, typer.Argument(help="a game that declares features, by name or in a file of your own")],
    flags: PlanFlags,
    width: Annotated[int, typer.Option(help="width of a column; 32 suits vector instructions")] = TrainingPlan.width,
    hidden: Annotated[int, typer.Option(help="numbers between the two small layers")] = TrainingPlan.hidden,
    batch: Annotated[int, typer.Option(help="positions learned from at once")] = TrainingCourse.batch,
    seconds: Annotated[float, typer.Option(help="seconds of a move in the trial")] = Trial.seconds,
    pairs: Annotated[int, typer.Option(help="the most pairs of games in a trial")] = Trial.pairs,
    *,
    run: RunFlags,
) -> None:
    """Train a network by self-play, and let it prove itself. Stop it whenever you like: the same command goes on where it was."""
    count = run.processes()
    asked = dict(getattr(game_class(game), "trained_by", {}))
    asked |= {name: value for name, value in dataclasses.asdict(flags).items() if value is not None}
    recipe, course = (
        {field.name: asked[field.name] for field in dataclasses.fields(kind) if field.name in asked}
        for kind in (Recipe, TrainingCourse)
    )
    plan = TrainingPlan(
        game,
        {**asked.get("options", {}), **run.options()},
        asked.get("rounds", TrainingPlan.rounds),
        width,
        hidden,
        asked.get("views", TrainingPlan.views),
        Recipe(**recipe, seed=run.seed),
        TrainingCourse(**course, batch=batch, seed=run.seed),
        Trial(seconds, pairs),
    )
    spread = run.spread()
    rules = plan.rules(make_game)
    place = run.place(rules.name)
    with stoppable(place) as screen:
        gate = Gatekeeper(plan, count)
        learned = learn(plan, place, Means(make_game, gate, count, run.device, screen.tell, spread))
    report(plan, place, learned)


@contextmanager
def stoppable(place: Path) -> Iterator[TrainingScreen]:
    """A screen to tell on; Ctrl-C says how to go on."""
    try:
        with TrainingScreen() as screen:
            yield screen
    except KeyboardInterrupt:
        print(f"stopped; everything so far is in {place}, and the same command goes on from there", file=sys.stderr)
        raise typer.Exit(130) from None


def on_cluster(address: str, workers: int | None) -> Spread:
    """Parts over the hosts of a Ray cluster."""
    from stratagem.arena.cluster import as_done, check_address

    check_address(address)
    return lambda function, shared, items: as_done(address, workers, function, shared, items)


class Gatekeeper:
    """A trial in the arena until a sequential test is settled: the candidate against the best network so far, or against what the
    game has without one."""

    def __init__(self, plan: TrainingPlan, workers: int) -> None:
        self.plan, self.workers = plan, workers

    def __call__(self, candidate: Path, best: Path | None, place: Path, tell: Tell) -> dict[str, Any]:
        from stratagem.cli.trials import trial_config, tried  # which take a moment to load

        rules = self.plan.rules(make_game)
        usual = "alphabeta" if rules.gives("value") else "mcts"
        plain = getattr(rules, "trained_by", {}).get("against", usual)
        theirs = plain if best is None else f"network:weights={best}"
        config = trial_config(
            self.plan, (f"network:weights={candidate}", theirs), opening_plies=self.plan.recipe.opening
        )
        against = plain if best is None else f"the network of {best.parent.name}"
        return tried(config, place / "trial.db", against, self.workers, tell)


class TrainingScreen(LiveScreen):
    """How far training has come: a row for each step."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, str] = {}
        self.next = 0.0

    def tell(self, step: str, news: Mapping[str, Any]) -> None:
        if step == "round":
            trial = news["trial"]
            words = "passed" if trial["passed"] else "not passed"
            self.rows = {}
            self._print(f"round {news['round']}: {trial_words(trial)}: {words}")
            return
        text = ", ".join(f"{name} {_short(value)}" for name, value in news.items() if name != "of")
        self.rows[step] = f"{text} (of {news['of']})"
        now = time.monotonic()
        if self.live:
            table = Table(show_header=False, box=None)
            for name, words in self.rows.items():
                table.add_row(name, words)
            self.live.update(table, refresh=True)
        elif now >= self.next or step == TRAINING:
            self.next = now + 10.0
            self._print(f"{step}: {self.rows[step]}")

    def _print(self, text: str) -> None:
        (self.live.console if self.live else self.console).print(text, soft_wrap=True)


def _short(value: Any) -> str:
    return "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def trial_words(trial: Mapping[str, Any]) -> str:
    """A verdict in a line."""
    if trial["elo"] is None:
        elo = "no game" if not trial["pairs"] else "every game won" if trial["counts"][-1] else "every game lost"
    else:
        elo = f"{trial['elo']:+.0f} ± {trial['elo_error'] or 0:.0f} Elo"
    return f"{elo} against {trial['against']} at {trial['seconds']:g} s a move, {trial['pairs']} pairs"


def command(arguments: list[str]) -> str:
    """What was typed, without the folder, which is one's own and decides nothing."""
    kept, skip = ["stratagem"], False
    for argument in arguments:
        if not skip and argument != "--folder" and not argument.startswith("--folder="):
            kept.append(argument)
        skip = argument == "--folder"
    return shlex.join(kept)


def report(plan: TrainingPlan, place: Path, learned: Learned) -> None:
    """The curves and the card beside the weights, and what to do with them."""
    from stratagem.arena.plots import curves_plot

    curves = {
        f"round {one['round']}, {name}": [(p["pass"], p[key]) for p in one["passes"] if key in p]
        for one in learned.rounds
        for key, name in (("error", "learned"), ("held", "held back"))
    }
    drawn = curves_plot(f"{plan.game}: learning", ("pass", "mean square error of the value"), curves)
    (place / "curves.svg").write_text(drawn, encoding="utf-8")
    if learned.best is None:
        print(json.dumps({"network": None, "trial": trial_words(learned.rounds[-1]["trial"])}))
        print(f"no network passed its trial, so none is to be used; what there is lies in {place}", file=sys.stderr)
        return
    card = {**load(learned.best).card, "command": command(sys.argv[1:])}
    write_whole(place / "card.json", card)
    best = [one for one in learned.rounds if one["trial"]["passed"]][-1]
    print(json.dumps({"network": str(learned.best), "trial": trial_words(best["trial"])}))
    print(
        f"play with it: stratagem play {plan.game} --level network:weights={shlex.quote(str(learned.best))}",
        file=sys.stderr,
    )
