"""Learning Minions in rounds: self-play over processes or a cluster, training of each network of the plan, and a trial of each.

The steps, their files and what may stop them are those of `stratagem.networks.rounds`: every file appears whole or not at all and
follows from the plan, and the same command goes on with what is missing. In a folder are, for each round, the parts of
self-play, a checkpoint, the weights and the trial of each network; and beside the rounds the weights that passed.

A network is a module with

- `train(records, course, checkpoint, tell, device)`: weights, learned from all records below a folder, with a `card`;
- `save(weights, file)`: into a file that appears whole or not at all;
- `USUAL`: the `TrainingCourse` where nothing is said; and, if it likes, `prepare(records, workers, tell)`, asked before;

and an option of the engine by its name, whose value may be such a file.
"""

from __future__ import annotations

import importlib
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from stratagem.errors import OptionError, StratagemError
from stratagem.games.minions.networks.records import PLAIN, SelfPlay, play_part, record_bytes
from stratagem.networks.plan import TrainingCourse, TrainingPlan, Trial
from stratagem.networks.rounds import Spread, Tell, alone_in, keep_plan, play_parts, write_whole
from stratagem.networks.selfplay import arrow

NETWORKS = {
    "oracle": "stratagem.games.minions.networks.oracle_training",
    "prophet": "stratagem.games.minions.networks.prophet_training",
}  # the modules of all that can be trained
OTHERS_OWN = ("by", "simulations", "solved")  # of a recipe, that say nothing about games of Minions
Files = Mapping[str, Path]  # weights by the name of the network
Gate = Callable[[str, Files, Files, Path, Tell], dict[str, Any]]
# (the network tried, its side's networks, the other side's, where it is kept, tell) -> the verdict, with "passed"


@dataclass(frozen=True)
class MinionsPlan(TrainingPlan):
    """What is to be learned of Minions."""

    rounds: int = 1
    recipe: SelfPlay = field(default_factory=SelfPlay)
    trial: Trial = field(default_factory=lambda: Trial(seconds=0.1, pairs=400))
    networks: tuple[str, ...] = ("oracle",)
    taught: Mapping[str, Any] = field(default_factory=dict)  # changes of the usual course of each network

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.networks:
            if name not in NETWORKS:
                raise OptionError(f"{name!r} is no network of minions; there are {', '.join(NETWORKS)}")
        if "prophet" in self.networks and self.recipe.profile != PLAIN:
            raise OptionError(
                f"the prophet learns from games without spells: profile {PLAIN}, not {self.recipe.profile}"
            )
        if not self.networks or len(set(self.networks)) < len(self.networks):
            raise OptionError("networks are named once each, with commas between")

    def json(self) -> dict[str, Any]:
        """What decides the records, and so what a folder belongs to; networks and trials may follow one another in it."""
        return {"game": self.game, "recipe": asdict(self.recipe)}

    def course_of(self, name: str) -> TrainingCourse:
        usual: TrainingCourse = module_of(name).USUAL
        return replace(usual, seed=self.recipe.seed, **self.taught)


@dataclass(frozen=True)
class Means:
    """With what a plan is carried out; it decides nothing about the result."""

    gate: Gate | None  # None: no trial, and nothing passes
    workers: int = 1
    device: str = "auto"
    tell: Tell = lambda step, news: None
    spread: Spread | None = None  # plays parts elsewhere: a cluster; None: on processes of this machine


@dataclass(frozen=True)
class Learned:
    """What came of a plan."""

    best: dict[str, Path]  # of each network the one that passed last
    rounds: list[dict[str, Any]]  # of each, by network, its passes and its verdict


def module_of(name: str) -> Any:
    """The module that trains a network, which an extra brings what it needs."""
    try:
        return importlib.import_module(NETWORKS[name])
    except ImportError:
        raise StratagemError("training needs PyTorch: pip install 'stratagem[train]'") from None


def learn(plan: MinionsPlan, folder: Path, means: Means) -> Learned:
    """Carry out a plan in a folder, or go on with it."""
    arrow()
    for name in plan.networks:
        module_of(name)  # both before anything is played
    folder.mkdir(parents=True, exist_ok=True)
    with alone_in(folder):
        keep_plan(folder, plan)
        best: dict[str, Path] = {}
        rounds: list[dict[str, Any]] = []
        for number in range(1, plan.rounds + 1):
            place = folder / f"round-{number}"
            place.mkdir(exist_ok=True)
            play_missing(replace(plan.recipe, seed=plan.recipe.seed + number - 1), place, best, means)
            for name in plan.networks:
                train_one(plan, name, folder, place, means)
            said = {name: tried(plan, name, place, best, means) for name in plan.networks}
            best |= {name: weights_file(place, name) for name, one in said.items() if one["trial"]["passed"]}
            rounds.append(said)
        for name, file in best.items():
            said = {key: json.loads((file.parent / f"{name}{key}.json").read_text()) for key in ("", "-trial")}
            write_whole(folder / f"{name}.json", {**said[""], "trial": said["-trial"]})
            unfinished = (folder / file.name).with_suffix(".unfinished")
            shutil.copyfile(file, unfinished)
            unfinished.replace(folder / file.name)
    return Learned({name: folder / file.name for name, file in best.items()}, rounds)


def weights_file(place: Path, name: str) -> Path:
    return place / f"{name}.safetensors"


def play_missing(recipe: SelfPlay, place: Path, best: Files, means: Means) -> None:
    """Play the parts of a round that are not there yet."""
    networks = {name: file.read_bytes() for name, file in best.items()}
    play_parts("stratagem.games.minions.networks.learning:played", (recipe, networks), recipe, place, means)


def played(recipe: SelfPlay, networks: Mapping[str, bytes], number: int) -> bytes:
    """Part `number` as the bytes of its file, by the engine with networks, whose files need not be where it is played."""
    with TemporaryDirectory() as folder:
        files = {name: Path(folder) / f"{name}.safetensors" for name in networks}
        for name, content in networks.items():
            files[name].write_bytes(content)
        return record_bytes(play_part(recipe, number, {name: str(file) for name, file in files.items()}))


def train_one(plan: MinionsPlan, name: str, folder: Path, place: Path, means: Means) -> None:
    """Train a network of a round on the records of all rounds so far."""
    file = weights_file(place, name)
    if file.exists():
        return
    module, course = module_of(name), plan.course_of(name)
    begun = place / f"{name}-course.json"
    if not begun.exists():
        write_whole(begun, asdict(course))
    elif (known := json.loads(begun.read_text(encoding="utf-8"))) != json.loads(json.dumps(asdict(course))):
        raise StratagemError(
            f"{name} was begun in {str(place)!r} with another course ({known}): remove {begun.name}, {name}.pt"
        )
    if hasattr(module, "prepare"):
        module.prepare(folder, means.workers, means.tell)
    weights = module.train(folder, course, place / f"{name}.pt", means.tell, means.device)
    rounds = int(place.name.removeprefix("round-"))
    recipe = {name: value for name, value in asdict(plan.recipe).items() if name not in OTHERS_OWN}
    weights.card.update(round=rounds, recipe=recipe, course=asdict(course))
    module.save(weights, file)
    write_whole(place / f"{name}.json", weights.card)


def tried(plan: MinionsPlan, name: str, place: Path, best: Files, means: Means) -> dict[str, Any]:
    """What a network's passes came to, and its trial against those that play without it."""
    card = json.loads((place / f"{name}.json").read_text(encoding="utf-8"))
    file = place / f"{name}-trial.json"
    if not file.exists() and means.gate is not None:
        verdict = means.gate(name, {**best, name: weights_file(place, name)}, best, place, means.tell)
        write_whole(file, verdict)
    trial = (
        json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"passed": False, "pairs": 0, "elo": None}
    )
    return {"passes": card["passes"], "trial": trial}
