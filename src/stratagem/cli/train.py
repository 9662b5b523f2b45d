"""`stratagem train`: learn again what is shipped as learned."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import platformdirs
import typer
import typer.core

from stratagem.cli.minions_train import train_minions
from stratagem.cli.train_network import Cluster, train_network
from stratagem.errors import OptionError


class ByGame(typer.core.TyperGroup):
    """`train othello` is `train network othello`: whatever is no subcommand names a game."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["network", *args]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=ByGame,
    add_completion=False,
    no_args_is_help=True,
    help="Learn evaluations from self-play. `stratagem train othello` trains a network for a game.",
)


@app.callback()
def _train() -> None:
    pass


app.command(name="network")(train_network)
app.command(name="minions")(train_minions)


@app.command(name="risk-draft")
def risk_draft(
    players: Annotated[int, typer.Option(help="number of seats, 2 to 6; two play without a neutral side")] = 3,
    games: Annotated[int, typer.Option(help="games of a round with learned drafts")] = 20_000,
    rounds: Annotated[int, typer.Option(help="rounds with learned drafts")] = 2,
    random_games: Annotated[int, typer.Option(help="games of the round before, with random drafts")] = 40_000,
    model: Annotated[str, typer.Option(help="model: linear or logistic")] = "logistic",
    simulations: Annotated[int, typer.Option(help="simulated drafts a pick")] = 300,
    seed: Annotated[int, typer.Option(help="seed of drafts and games")] = 1,
    draft_order: Annotated[str, typer.Option(help="order of the draft: round_robin or snake")] = "round_robin",
    cards: Annotated[str, typer.Option(help="escalating, fixed or none")] = "escalating",
    fortify: Annotated[str, typer.Option(help="adjacent, connected or none")] = "adjacent",
    workers: Annotated[int, typer.Option(help="processes; 0: one a core")] = 0,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="play on a Ray cluster whose nodes share the folder: local, auto, or ADDRESS:PORT of its head"
        ),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="folder of the games played, from which the command goes on")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="the folder of the weights; the folder of the games if not said")
    ] = None,
) -> None:
    """Learn the worth of finished drafts of Risk. Stop it whenever you like: the same command goes on where it was."""
    from stratagem.games.risk.training import DraftStudy, train

    options = (
        ("players", players),
        ("two_player", "pure"),
        ("draft_order", draft_order),
        ("cards", cards),
        ("fortify", fortify),
    )
    plan = DraftStudy(options, games, rounds, random_games, simulations, seed, model)
    plan.game()
    place = folder or Path(platformdirs.user_data_dir("stratagem", appauthor=False)) / "risk-draft"
    spread = None if cluster is None else _on_cluster(cluster, workers or None)
    try:
        learned, linear = train(
            plan, place.absolute(), workers=workers or None, say=lambda text: print(text, flush=True), spread=spread
        )
    except KeyboardInterrupt:
        print(f"stopped; what was played is in {place}, and the same command goes on from there")
        raise typer.Exit(130) from None
    out = out or place
    for name, found in ((f"draft-{players}", learned), (f"draft-{players}-linear", linear)):
        found.save(out / f"{name}.json")
    print(
        f"the weights are in {out / f'draft-{players}.json'}; play with them: strong:draft={out / f'draft-{players}.json'}"
    )


def _on_cluster(address: str, workers: int | None) -> Callable[[str, Sequence[Any]], Iterator[Any]]:
    from stratagem.arena.cluster import check_address, each

    check_address(address)
    return lambda function, tasks: each(address, workers, function, (), tasks)


@app.command(name="risk-value")
def risk_value(
    players: Annotated[int, typer.Option(help="number of seats, 2 to 6")] = 3,
    games: Annotated[int, typer.Option(help="scripted games")] = 4000,
    seed: Annotated[int, typer.Option(help="seed of drafts and games")] = 5,
    workers: Annotated[int | None, typer.Option(help="processes; 1 if not given, on a cluster all its cores")] = None,
    cluster: Cluster = None,
    folder: Annotated[
        Path | None, typer.Option(help="folder of the games played, from which the command goes on")
    ] = None,
) -> None:
    """Fit the worth of positions that the searching player of Risk judges by; prints the weights with their card."""
    from stratagem.games.risk.training import train_value

    if games < 100:
        raise OptionError(f"{games} games teach nothing; give 100 or more")
    spread = None if cluster is None else _on_cluster(cluster, workers)
    try:
        found = train_value(players, games, seed, folder=folder, workers=workers or 1, say=_say_aside, spread=spread)
    except KeyboardInterrupt:
        kept = "nothing is kept without --folder" if folder is None else f"the same command goes on with {folder}"
        print(f"stopped; {kept}", file=sys.stderr)
        raise typer.Exit(130) from None
    print(json.dumps({str(players): found}))


def _say_aside(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@app.command(name="minions-value")
def minions_value(
    games: Annotated[int, typer.Option(help="games to play")] = 1000,
    seed: Annotated[int, typer.Option(help="seed of the games")] = 1,
    searched: Annotated[
        float, typer.Option(help="share of sides that search by stages; the rest take scripted turns")
    ] = 0,
    workers: Annotated[int | None, typer.Option(help="processes; 1 if not given, on a cluster all its cores")] = None,
    cluster: Cluster = None,
    seconds: Annotated[float | None, typer.Option(help="stop playing after so long, and fit to what there is")] = None,
    out: Annotated[Path | None, typer.Option(help="write the weights here; without it they are printed")] = None,
) -> None:
    """Fit the weights that the engine of Minions judges by; gives the weights with their card."""
    from stratagem.games.minions.engine.fitting import fit_weights

    if games < 20:
        raise OptionError(f"{games} games teach nothing; give 20 or more")
    if not 0 <= searched <= 1:
        raise OptionError(f"--searched is {searched}; it is a share from 0 to 1")
    spread = None if cluster is None else _on_cluster(cluster, workers)
    found = fit_weights(
        games, seed, searched=searched, workers=workers or 1, seconds=seconds, say=_say_aside, spread=spread
    )
    text = json.dumps(found, indent=1)
    print(text) if out is None else out.write_text(text + "\n", encoding="utf-8")
