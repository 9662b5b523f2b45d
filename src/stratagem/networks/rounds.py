"""Learning in rounds: self-play over processes, training, a trial against whoever was best before.

Every step leaves files that appear whole or not at all, and each follows from the plan alone: parts of games, a checkpoint a
pass, the network, the verdict. So work that was stopped anywhere, politely or not, goes on with what is missing, and no game is
lost or counted twice.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import importlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from stratagem.errors import StratagemError
from stratagem.networks.features import columns_of, fingerprint
from stratagem.networks.plan import Recipe, TrainingPlan
from stratagem.networks.selfplay import (
    Positions,
    arrow,
    joined,
    keep_part,
    missing,
    part_bytes,
    play_part,
    read_parts,
)
from stratagem.networks.weights import Network, load, save
from stratagem.processes import workers

NAME = "network.safetensors"
TRIES = 3  # times that workers may die without having made anything
Tell = Callable[[str, Mapping[str, Any]], None]  # the step, and how far it has come
Gate = Callable[[Path, Path | None, Path, Tell], dict[str, Any]]
Spread = Callable[[str, tuple[Any, ...], Sequence[Any]], Iterator[tuple[int, Any] | None]]
# ("module:function", shared, items) -> (number of the item, function(*shared, item)) as they arrive; None: a moment passed
# (candidate, best so far or None for the game's own players, folder, tell) -> the verdict, with "passed"


class Playing(Protocol):
    """With what games are played, and who hears of it."""

    @property
    def workers(self) -> int: ...
    @property
    def tell(self) -> Tell: ...
    @property
    def spread(self) -> Spread | None: ...


@dataclass(frozen=True)
class Means:
    """With what a plan is carried out; it decides nothing about the result."""

    make: Callable[..., Any]  # finds a game by its name: the registry's `game`
    gate: Gate
    workers: int = 1
    device: str = "auto"
    tell: Tell = lambda step, news: None
    spread: Spread | None = None  # plays parts elsewhere: a cluster; None: on processes of this machine


@dataclass(frozen=True)
class Learned:
    """What came of a plan."""

    best: Path | None  # the network that passed its trial last; None: none did
    rounds: list[dict[str, Any]]  # of each its passes and its verdict


def learn(plan: TrainingPlan, folder: Path, means: Means) -> Learned:
    """Carry out a plan in a folder, or go on with it."""
    game = plan.rules(means.make)
    arrow()
    trainer()  # both before anything is played
    folder.mkdir(parents=True, exist_ok=True)
    with alone_in(folder):
        keep_plan(folder, plan)
        best: Path | None = None
        rounds: list[dict[str, Any]] = []
        for number in range(1, plan.rounds + 1):
            place = folder / f"round-{number}"
            place.mkdir(exist_ok=True)
            recipe = recipe_of(plan, number)
            play_missing(plan, recipe, place, best, means)
            passes = train_round(plan, folder, number, means)
            verdict = _once(
                place / "trial.json",
                lambda at=place, now=best: means.gate(at / NAME, now, at, means.tell),  # type: ignore[misc]
            )
            if verdict["passed"]:
                best = place / NAME
            rounds.append({"round": number, "passes": passes, "trial": verdict})
            means.tell("round", rounds[-1])
        if best is not None:
            found = load(best)
            card = {**found.card, "trials": [one["trial"] for one in rounds], "features": fingerprint(game)}
            save(dataclasses.replace(found, card=card), folder / NAME)
    return Learned(folder / NAME if best is not None else None, rounds)


def recipe_of(plan: TrainingPlan, number: int) -> Recipe:
    """Every round has a seed of its own."""
    return replace(plan.recipe, seed=plan.recipe.seed + number - 1)


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Nobody else learns in this folder meanwhile; the system lets go when this process dies."""
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StratagemError(f"another process is learning in {str(folder)!r}; give another --folder") from None
        yield


def keep_plan(folder: Path, plan: TrainingPlan) -> None:
    """A folder belongs to one plan; only its rounds may become more."""
    file = folder / "plan.json"
    said = {**json.loads(json.dumps(plan.json())), "rounds": 0}
    if file.exists():
        known = json.loads(file.read_text(encoding="utf-8"))
        if known != said:
            was, now = single_points(known), single_points(said)
            changed = [
                f"{name}: {was.get(name)!r}, now {now.get(name)!r}"
                for name in sorted(was.keys() | now.keys())
                if was.get(name) != now.get(name)
            ]
            raise StratagemError(
                f"{str(folder)!r} was begun with another plan ({'; '.join(changed)}): give another --folder"
            )
    else:
        write_whole(file, said)


def single_points(plan: Mapping[str, Any]) -> dict[str, Any]:
    """What a plan says, point by point: `recipe.games` and the like."""
    found: dict[str, Any] = {}
    for name, value in plan.items():
        found |= {f"{name}.{key}": x for key, x in value.items()} if isinstance(value, dict) else {name: value}
    return found


def write_whole(file: Path, said: Any) -> None:
    unfinished = file.with_suffix(f".{os.getpid()}.unfinished")
    unfinished.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(file)


def _once(file: Path, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What a file says; it is made if it is not there."""
    if not file.exists():
        write_whole(file, make())
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


# ------------------------------------------------------------------------------------------------------------ self-play


def play_missing(plan: TrainingPlan, recipe: Recipe, place: Path, best: Path | None, means: Means) -> None:
    """Play the parts of a round that are not there yet."""
    shared = (means.make, plan, recipe, None if best is None else load(best))
    play_parts("stratagem.networks.rounds:played", shared, recipe, place, means)


def played(make: Callable[..., Any], plan: TrainingPlan, recipe: Recipe, network: Network | None, number: int) -> bytes:
    """Part `number` as the bytes of its file."""
    return part_bytes(play_part(plan.rules(make), recipe, number, network))


def play_parts(function: str, shared: tuple[Any, ...], recipe: Recipe, place: Path, means: Playing) -> None:
    """Play the parts that are not there yet, each the bytes of `function(*shared, number)`, named `module:function`, over
    processes or a cluster. A process that dies costs its part, which is played again."""
    if means.spread is not None:
        spread_parts(function, shared, recipe, place, means)
        return
    began, before = time.monotonic(), len(missing(place, recipe))

    def news(left: int) -> None:
        _tell_played(recipe, left, before - left, began, means)

    make = partial(_part, function, shared, place)
    over_processes(make, lambda: missing(place, recipe), means.workers, news, "play games")


def over_processes(
    make: Callable[[Any], None],
    missing: Callable[[], Sequence[Any]],
    count: int,
    news: Callable[[int], None],
    what: str,
) -> None:
    """Make whatever is missing, each by a call in a process of its own; `news` hears how many are left. A process that dies
    costs what it was at, which is made again."""
    tries = 0
    while left := missing():
        done = 0
        try:
            with workers(min(count, len(left))) as pool:
                for one in as_completed([pool.submit(make, item) for item in left]):
                    one.result()
                    done += 1
                    news(len(left) - done)
        except BrokenProcessPool:
            tries = 0 if done else tries + 1
            if tries >= TRIES:
                raise StratagemError(f"processes that {what} died {TRIES} times in a row (out of memory?)") from None


def spread_parts(function: str, shared: tuple[Any, ...], recipe: Recipe, place: Path, means: Playing) -> None:
    """The same on a cluster, whose hosts need not share the folder: parts come back as bytes and are written here."""
    left = missing(place, recipe)
    if not left:
        return
    assert means.spread is not None
    began, done = time.monotonic(), 0
    for arrived in means.spread("stratagem.networks.rounds:quietly", (function, shared), left):
        if arrived is not None:
            keep_part(place, left[arrived[0]], arrived[1])
            done += 1
            _tell_played(recipe, len(left) - done, done, began, means)


def quietly(function: str, shared: tuple[Any, ...], number: int) -> bytes:
    """A part, on a host of a cluster, whose terminal nobody reads."""
    os.environ["STRATAGEM_QUIET"] = "1"
    return _made(function, shared, number)


def _made(function: str, shared: tuple[Any, ...], number: int) -> bytes:
    module, name = function.split(":")
    content: bytes = getattr(importlib.import_module(module), name)(*shared, number)
    return content


def _tell_played(recipe: Recipe, left: int, done: int, began: float, means: Playing) -> None:
    means.tell(
        "self-play",
        {
            "parts": recipe.parts - left,
            "of": recipe.parts,
            "games a second": done * recipe.part / (time.monotonic() - began),
        },
    )


def _part(function: str, shared: tuple[Any, ...], place: Path, number: int) -> None:
    """Runs in a process of its own."""
    keep_part(place, number, _made(function, shared, number))


# ------------------------------------------------------------------------------------------------------------- training


def train_round(plan: TrainingPlan, folder: Path, number: int, means: Means) -> list[dict[str, float]]:
    """Train the network of a round on the games of all rounds so far; what every pass came to."""
    place = folder / f"round-{number}"
    file = place / NAME
    if not file.exists():
        game = plan.rules(means.make)
        positions = columned(game, plan, folder, number)
        training = trainer()
        model, said = training.train(
            positions,
            plan.shape(game),
            plan.course,
            place / "checkpoint.pt",
            lambda news: means.tell("training", {**news, "of": plan.course.passes}),
            training.device_of(means.device),
        )
        save(model.whole(card_of(plan, game, number, positions, said)), file)
    found: list[dict[str, float]] = load(file).card["passes"]
    return found


def trainer() -> Any:
    """The module that trains, which an extra brings what it needs."""
    try:
        from stratagem.networks import training
    except ImportError:
        raise StratagemError("training needs PyTorch: pip install 'stratagem[train]'") from None
    return training


def columned(game: Any, plan: TrainingPlan, folder: Path, number: int) -> Positions:
    """The positions of all rounds so far, by columns in place of features."""
    parts: list[Positions] = []
    for k in range(1, number + 1):
        found = read_parts(folder / f"round-{k}", plan.recipe, game.features_at_once)
        parts.append(replace(found, game=found.game + np.int32((k - 1) * plan.recipe.games)))
    positions = joined(parts)
    columns = columns_of(game)
    if hasattr(game, "feature_mirror"):
        positions = joined([positions, in_mirror(game, positions)])
    for seen in (positions.own, positions.other):
        if seen.max(initial=-1) >= len(columns):
            raise StratagemError(
                f"feature {seen.max()} in the games of {str(folder)!r} is out of range; "
                f"the features of {game.name} are numbered from 0 to {len(columns) - 1}"
            )
    shared = np.concatenate([columns, [-1]]).astype(np.int32)  # -1 behind the last feature stays
    return replace(positions, own=shared[positions.own], other=shared[positions.other])


def in_mirror(game: Any, positions: Positions) -> Positions:
    """The same positions in a mirror, under the same numbers of games."""
    of_features, of_outputs = game.feature_mirror
    turned = np.concatenate([of_features, [-1]]).astype(np.int32)
    policy = positions.policy
    return replace(
        positions,
        own=turned[np.minimum(positions.own, len(of_features) - 1)],
        other=turned[np.minimum(positions.other, len(of_features) - 1)],
        policy=None if policy is None else policy[:, of_outputs],
    )


def card_of(
    plan: TrainingPlan, game: Any, number: int, positions: Positions, said: list[dict[str, float]]
) -> dict[str, Any]:
    """What a network says about itself."""
    return {
        "game": game.name,
        "options": game.chosen,
        "features": fingerprint(game),
        "plan": plan.json(),
        "round": number,
        "games": plan.recipe.games * number,
        "positions": len(positions),
        "passes": said,
    }


def described(network: Network) -> str:
    """A card in a line."""
    card = network.card
    return (
        f"{card.get('game')}, round {card.get('round')}: {card.get('games')} games, {card.get('positions')} positions"
    )
