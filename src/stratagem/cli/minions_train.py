"""`stratagem train minions`: networks for the engine of Minions, learned by self-play."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from stratagem.cli.options import grouped
from stratagem.cli.train_network import RunFlags, command, stoppable, trial_words
from stratagem.games.minions.networks.learning import NETWORKS, Files, Learned, Means, MinionsPlan, learn
from stratagem.games.minions.networks.records import SelfPlay
from stratagem.networks.plan import Trial
from stratagem.networks.rounds import Tell, write_whole
from stratagem.registry import game as make_game

OPENINGS = 200  # positions that pairs of a trial begin from, in turn
OPENING_TURNS = 4  # wild turns of the script before one, and one more or none


@grouped
def train_minions(
    networks: Annotated[
        str, typer.Option(help=f"what is trained, with commas between: {', '.join(NETWORKS)}")
    ] = "oracle",
    games: Annotated[int, typer.Option(help="games of self-play in a round")] = SelfPlay.games,
    rounds: Annotated[int, typer.Option(help="rounds of self-play, training and trials")] = 1,
    visits: Annotated[int, typer.Option(help="simulations a turn of self-play")] = SelfPlay.visits,
    opening: Annotated[int, typer.Option(help="wild turns at the start of a game, at most")] = SelfPlay.opening,
    astray: Annotated[float, typer.Option(help="the share of turns that are not the best")] = SelfPlay.astray,
    part: Annotated[int, typer.Option(help="games that are written together")] = SelfPlay.part,
    passes: Annotated[int | None, typer.Option(help="passes over all turns; each network has its usual number")] = None,
    batch: Annotated[int | None, typer.Option(help="turns learned from at once")] = None,
    rate: Annotated[float | None, typer.Option(help="learning rate")] = None,
    dropped: Annotated[float | None, typer.Option(help="the share of features left out at random (oracle)")] = None,
    decay: Annotated[float | None, typer.Option(help="weight decay; higher values forget rare features")] = None,
    searched: Annotated[
        float | None, typer.Option(help="the share of searches' values in what is learned (oracle)")
    ] = None,
    seconds: Annotated[float, typer.Option(help="seconds of a turn in the trial")] = 0.1,
    pairs: Annotated[
        int, typer.Option(help="the most pairs of games in a trial; 0: no trial, and nothing passes")
    ] = 400,
    *,
    run: RunFlags,  # its options of the game hold in trials; the profile in self-play too
) -> None:
    """Train networks for the engine of Minions. Stop it whenever you like: the same command goes on where it was."""
    count, spread, options = run.processes(), run.spread(), run.options()
    course = {"passes": passes, "batch": batch, "rate": rate, "dropped": dropped, "decay": decay, "searched": searched}
    profile = str(options.get("profile", SelfPlay.profile))
    plan = MinionsPlan(
        "minions",
        options,
        rounds=rounds,
        recipe=SelfPlay(
            games, opening=opening, astray=astray, part=part, seed=run.seed, visits=visits, profile=profile
        ),
        trial=Trial(seconds, max(pairs, 1)),
        networks=tuple(name.strip() for name in networks.split(",") if name.strip()),
        taught={name: value for name, value in course.items() if value is not None},
    )
    make_game(plan.game, **plan.options)  # whatever is wrong with options is reported before anything is played
    place = run.place(plan.game)
    with stoppable(place) as screen:
        gate = MinionsGate(plan, count) if pairs > 0 else None
        learned = learn(plan, place, Means(gate, count, run.device, screen.tell, spread))
    report(place, learned)


class MinionsGate:
    """A trial in the arena until a sequential test is settled: the engine with a network against the engine without it, by pairs
    of games from the same position with seats swapped."""

    def __init__(self, plan: MinionsPlan, workers: int) -> None:
        self.plan, self.workers = plan, workers

    def __call__(self, name: str, ours: Files, theirs: Files, place: Path, tell: Tell) -> dict[str, Any]:
        from stratagem.cli.trials import trial_config, tried  # which take a moment to load

        config = trial_config(
            self.plan,
            (entrant(ours), entrant(theirs)),
            openings=openings(self.plan, min(self.plan.trial.pairs, OPENINGS)),
        )
        return tried(config, place / f"{name}-trial.db", "the engine as it is", self.workers, tell)


def entrant(files: Files) -> str:
    """The engine with networks."""
    return ":".join(["engine", *filter(None, [",".join(f"{name}={file}" for name, file in files.items())])])


def openings(plan: MinionsPlan, count: int) -> tuple[str, ...]:
    """Positions that pairs begin from: some wild turns of the script after the start."""
    from stratagem.games.minions.game import Minions
    from stratagem.games.minions.notation import extended_fen
    from stratagem.games.minions.state import GameState
    from stratagem.games.minions.wizard import scripted_turn
    from stratagem.rng import generator

    game = make_game(plan.game, **plan.options)
    assert isinstance(game, Minions)
    found = []
    for k in range(count):
        rng, state = generator(plan.recipe.seed, k), GameState.start(game.config)
        for _ in range(OPENING_TURNS + k % 2):
            state = state.dealt(rng)
            state = state.play(scripted_turn(state, rng, wild=True))
        found.append(extended_fen(state))
    return tuple(found)


def report(place: Path, learned: Learned) -> None:
    """The curves and the cards beside the weights, and what to do with them."""
    from stratagem.arena.plots import curves_plot

    curves: dict[str, list[tuple[float, float]]] = {}
    for number, said in enumerate(learned.rounds, start=1):
        for name, one in said.items():
            for key in [key for key in one["passes"][0] if key != "pass"]:
                curves[f"{name} {number}, {key}"] = [(p["pass"], p[key]) for p in one["passes"]]
    drawn = curves_plot("minions: learning", ("pass", "loss"), curves)
    (place / "curves.svg").write_text(drawn, encoding="utf-8")
    last = learned.rounds[-1]
    reported = {
        name: {"weights": str(learned.best.get(name, "")) or None, "last pass": one["passes"][-1], "trial": words(one)}
        for name, one in last.items()
    }
    for file in learned.best.values():
        card = file.with_suffix(".json")
        write_whole(card, {**json.loads(card.read_text(encoding="utf-8")), "command": command(sys.argv[1:])})
    print(json.dumps(reported))
    if learned.best:
        print(f"play with it: stratagem play minions --level {shlex.quote(entrant(learned.best))}", file=sys.stderr)
    else:
        print(f"nothing passed a trial, so nothing is to be used; what there is lies in {place}", file=sys.stderr)


def words(said: dict[str, Any]) -> str:
    return trial_words(said["trial"]) if said["trial"]["pairs"] else "none"
