"""Learning in rounds: self-play over processes, training, a trial against whoever was best before.

Every step leaves files that appear whole or not at all, and each follows from the plan alone: parts of games, a checkpoint a
pass, the network, the verdict. So work that was stopped anywhere, politely or not, goes on with what is missing, and no game is
lost or counted twice.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from stratagem.errors import StratagemError
from stratagem.networks.features import columns_of, fingerprint
from stratagem.networks.plan import Plan, Recipe
from stratagem.networks.selfplay import Positions, arrow, joined, missing, play_part, read_parts, write_part
from stratagem.networks.weights import Network, load, save

NAME = "network.safetensors"
TRIES = 3  # times that workers may die without having played a part
Tell = Callable[[str, Mapping[str, Any]], None]  # the step, and how far it has come
Gate = Callable[[Path, Path | None, Path, Tell], dict[str, Any]]
# (candidate, best so far or None for the game's own players, folder, tell) -> the verdict, with "passed"


@dataclass(frozen=True)
class Means:
    """With what a plan is carried out; it decides nothing about the result."""

    make: Callable[..., Any]  # finds a game by its name: the registry's `game`
    gate: Gate
    workers: int = 1
    device: str = "auto"
    tell: Tell = lambda step, news: None


@dataclass(frozen=True)
class Learned:
    """What came of a plan."""

    best: Path | None  # the network that passed its trial last; None: none did
    rounds: list[dict[str, Any]]  # of each its passes and its verdict


def learn(plan: Plan, folder: Path, means: Means) -> Learned:
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


def recipe_of(plan: Plan, number: int) -> Recipe:
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


def keep_plan(folder: Path, plan: Plan) -> None:
    """A folder belongs to one plan; only its rounds may become more."""
    file = folder / "plan.json"
    said = {**json.loads(json.dumps(plan.json())), "rounds": 0}
    if file.exists():
        known = json.loads(file.read_text(encoding="utf-8"))
        if known != said:
            changed = sorted(
                f"{name}: {known.get(name)!r}, now {said[name]!r}" for name in said if known.get(name) != said[name]
            )
            raise StratagemError(
                f"{str(folder)!r} was begun with another plan ({'; '.join(changed)}): give another --folder"
            )
    else:
        write_whole(file, said)


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


def play_missing(plan: Plan, recipe: Recipe, place: Path, best: Path | None, means: Means) -> None:
    """Play the parts of a round that are not there yet, over processes. One that dies costs its part, which is played again."""
    tries = 0
    while left := missing(place, recipe):
        began, played = time.monotonic(), 0
        try:
            with workers(min(means.workers, len(left))) as pool:
                given = [pool.submit(_part, means.make, plan, recipe, n, place, best) for n in left]
                for one in as_completed(given):
                    one.result()
                    played += 1
                    means.tell(
                        "self-play",
                        {
                            "parts": recipe.parts - len(left) + played,
                            "of": recipe.parts,
                            "games a second": played * recipe.part / (time.monotonic() - began),
                        },
                    )
        except BrokenProcessPool:
            tries = 0 if played else tries + 1
            if tries >= TRIES:
                raise StratagemError(
                    f"processes that play games died {TRIES} times in a row (out of memory?)"
                ) from None


@contextlib.contextmanager
def workers(count: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that leave Ctrl-C to this one and end with it."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_begin, initargs=(os.getpid(),))
    try:
        yield pool
    finally:
        for process in list((pool._processes or {}).values()):
            process.kill()  # what it was at is played again
        pool.shutdown(wait=True, cancel_futures=True)


def _begin(parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["STRATAGEM_QUIET"] = "1"
    threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()


def _leave_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _part(make: Callable[..., Any], plan: Plan, recipe: Recipe, number: int, place: Path, best: Path | None) -> None:
    """Runs in a process of its own."""
    network = None if best is None else load(best)
    write_part(place, number, play_part(plan.rules(make), recipe, number, network))


# ------------------------------------------------------------------------------------------------------------- training


def train_round(plan: Plan, folder: Path, number: int, means: Means) -> list[dict[str, float]]:
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


def columned(game: Any, plan: Plan, folder: Path, number: int) -> Positions:
    """The positions of all rounds so far, by columns in place of features."""
    parts: list[Positions] = []
    for k in range(1, number + 1):
        found = read_parts(folder / f"round-{k}", plan.recipe, game.features_at_once)
        parts.append(replace(found, game=found.game + np.int32((k - 1) * plan.recipe.games)))
    positions = joined(parts)
    columns = columns_of(game)
    for seen in (positions.own, positions.other):
        if seen.max(initial=-1) >= len(columns):
            raise StratagemError(
                f"feature {seen.max()} in the games of {str(folder)!r} is out of range; "
                f"the features of {game.name} are numbered from 0 to {len(columns) - 1}"
            )
    shared = np.concatenate([columns, [-1]]).astype(np.int32)  # -1 behind the last feature stays
    return replace(positions, own=shared[positions.own], other=shared[positions.other])


def card_of(plan: Plan, game: Any, number: int, positions: Positions, said: list[dict[str, float]]) -> dict[str, Any]:
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
