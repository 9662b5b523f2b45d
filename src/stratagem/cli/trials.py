"""A network's trial in the arena: pairs of games until a sequential test is settled, kept in a file and gone on with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stratagem.arena.config import Config
from stratagem.arena.report import fresh_outcomes, outcomes, reasons
from stratagem.arena.runner import Progress, open_match, run_match
from stratagem.arena.sequential import SequentialTest
from stratagem.arena.sprt import H1
from stratagem.errors import StratagemError
from stratagem.networks.plan import TrainingPlan
from stratagem.networks.rounds import Tell
from stratagem.store import open_store
from stratagem.store.stored import CRASH

TRIAL = "trial"
PATIENCE = 30.0  # seconds that a player may be late in a trial: machines that train are busy


def trial_config(plan: TrainingPlan, entrants: tuple[str, str], **openings: Any) -> Config:
    """The match of a plan's trial: the first of the entrants is the one that is tried."""
    trial = plan.trial
    return Config(
        plan.game,
        entrants,
        plan.options,
        games=2 * trial.pairs,
        seed=plan.recipe.seed,
        time=trial.seconds,
        grace=PATIENCE,
        sprt={"elo0": trial.elo0, "elo1": trial.elo1, "alpha": 0.05, "beta": 0.05},
        **openings,
    )


def tried(config: Config, file: Path, against: str, workers: int, tell: Tell) -> dict[str, Any]:
    """Play a trial, or go on with it; the verdict."""
    sequence, pairs = SequentialTest.of(config), config.games // 2
    with open_store(file) as store:
        begun = any(match.name == TRIAL for match in store.matches())
        match = open_match(store, config, TRIAL, resume=begun)

        def news(progress: Progress, games: list[Any]) -> None:
            found = sequence.verdict
            tell(TRIAL, {"pairs": sequence.next, "of": pairs, "elo": found.elo, "likelihood": found.llr})

        if not sequence.add(outcomes(store, match)):
            run_match(
                store,
                match,
                workers=workers,
                watch=news,
                stop=lambda games: sequence.add(fresh_outcomes(config, games)),
            )
        faults = reasons(store, match)[1]
        if any(reason == CRASH for _, reason in faults):
            raise StratagemError(f"players crashed in the trial ({file}): {dict(faults)}")
    found = sequence.verdict
    return {
        "passed": found.decision == H1,
        "against": against,
        "seconds": config.time,
        "pairs": sequence.next,
        **found.json(),
    }
