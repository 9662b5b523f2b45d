"""Learning the evaluation of drafts from self-play, in rounds that can be stopped and gone on with.

Round 0 plays games from random drafts and fits the paper's linear regression and the model that is wanted. Each later
round drafts with what that model has learned so far (and at random, by preference and by the linear one, at mixed strengths
and straying now and then), plays those drafts out, and fits to all games again: random drafts hardly ever hold a whole
continent, good ones do. Work is cut into chunks, each a file named by all that decides it; a chunk that is there is not
played again.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import OptionError
from stratagem.games.risk import position_worth
from stratagem.games.risk.draft_features import PLACE, described
from stratagem.games.risk.draft_fitting import FITS, fit_linear, fit_logistic
from stratagem.games.risk.draft_worth import (
    MODELS,
    Card,
    Evaluation,
    calibration,
    measures,
    predicted,
    rules_of,
)
from stratagem.games.risk.drafting import PREFERENCE_DRAFTER, RANDOM_DRAFTER, make_drafts
from stratagem.games.risk.game import Risk
from stratagem.games.risk.scripted import STYLES
from stratagem.games.risk.simulation import positions, random_drafts, simulate

Rows = NDArray[np.float64]
Ints = NDArray[np.int64]

TEACHERS = ("border", "continent", "expected")  # the players of the games, the same on all seats of one
CHUNK = 2500
TURN_CAP = 400


@dataclass(frozen=True)
class DraftStudy:
    """What to learn, and from how much."""

    options: tuple[tuple[str, Any], ...]  # of the game
    games: int = 20_000  # of a round with learned drafts
    rounds: int = 2  # of those
    random_games: int = 40_000  # of the round before them, with random drafts
    simulations: int = 300  # a pick
    seed: int = 1
    model: str = "logistic"

    def __post_init__(self) -> None:
        if min(self.games, self.random_games) < 1000:
            raise OptionError(f"{min(self.games, self.random_games)} games a round teach nothing; give 1000 or more")
        if self.rounds < 0 or self.simulations < 1:
            raise OptionError("rounds go from 0 and simulations from 1")
        if self.model not in MODELS:
            raise OptionError(f"model {self.model!r} is none of {', '.join(MODELS)}")

    def game(self) -> Risk:
        game = Risk(**{**dict(self.options), "turn_cap": TURN_CAP})
        if game.dealt:
            raise OptionError("territories are dealt with these options: there is no draft to learn")
        return game

    def games_in(self, round_number: int) -> int:
        return self.games if round_number else self.random_games

    def chunks(self, round_number: int) -> int:
        return -(-self.games_in(round_number) // CHUNK)

    def name(self, round_number: int) -> str:
        # how many rounds does not matter to the first ones: a longer plan goes on with the chunks of a shorter one; and
        # games from random drafts serve every model
        weights = [STYLES[name].tolist() for name in TEACHERS]
        said = {**asdict(self), "rounds": 0, "teachers": TEACHERS, "weights": weights, "chunk": CHUNK}
        if round_number == 0:
            del said["model"]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:12]


def play_chunk(plan: DraftStudy, round_number: int, chunk: int, rows: Rows, path: Path) -> int:
    """Draft and play one chunk of games into a file; returns how many. It runs in a process of its own."""
    game = plan.game()
    n, seats = min(CHUNK, plan.games_in(round_number) - chunk * CHUNK), game.players
    stream = (round_number << 20) + chunk
    rng = np.random.default_rng((plan.seed, stream))
    if round_number == 0:
        drafts = random_drafts(game, n, int(rng.integers(2**31)))
    else:
        # rows: linear, then what the model was after each round; each weak, and strong
        both = np.concatenate([rows, rows])
        simulations = np.repeat([max(plan.simulations // 6, 1), plan.simulations], len(rows))
        newest = len(rows) - 1
        choice = rng.choice(
            [RANDOM_DRAFTER, PREFERENCE_DRAFTER, len(rows), newest, len(rows) + newest],
            (n, seats),
            p=[0.12, 0.08, 0.2, 0.15, 0.45],
        )
        drafts = make_drafts(game, both, simulations, choice, stray=0.25, seed=plan.seed, first=stream * CHUNK)
    teacher = np.arange(n) % len(TEACHERS)
    weights = np.array([STYLES[name] for name in TEACHERS])
    found = simulate(
        game, weights, np.tile(teacher[:, None], (1, seats)), drafts=drafts, seed=plan.seed + 1, first=stream * CHUNK
    )
    temporary = path.with_suffix(f".{os.getpid()}.tmp.npz")
    np.savez_compressed(temporary, drafts=drafts.astype(np.int8), winners=found.winners.astype(np.int8))
    os.replace(temporary, path)
    return n


def _quietly() -> None:
    """Workers leave Ctrl-C to the process that started them, and compile without a word."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["STRATAGEM_QUIET"] = "1"


def load_games(plan: DraftStudy, folder: Path, rounds: range) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Drafts and winners of the rounds played, undecided games left out; and which games no model is fitted to, every tenth
    as they were played."""
    parts = [np.load(chunk_file(plan, folder, k, c)) for k in rounds for c in range(plan.chunks(k))]
    drafts = np.concatenate([part["drafts"] for part in parts]).astype(np.int64)
    winners = np.concatenate([part["winners"] for part in parts]).astype(np.int64)
    test = np.concatenate([np.arange(len(part["winners"])) % 10 == 9 for part in parts])
    decided = winners >= 0
    return drafts[decided], winners[decided], test[decided]


def chunk_file(plan: DraftStudy, folder: Path, round_number: int, chunk: int) -> Path:
    return folder / f"{plan.name(round_number)}-{round_number}-{chunk}.npz"


Progress = Callable[[str], None]
Spread = Callable[[str, Sequence[Any]], Iterator[Any]]


def train(
    plan: DraftStudy, folder: Path, *, workers: int | None = None, say: Progress = print, spread: Spread | None = None
) -> tuple[Evaluation, Evaluation]:
    """Learn the evaluation that is wanted and the linear baseline; goes on with what is in the folder.

    `spread` calls a function by its name for each of many tasks, as a cluster that shares the folder does; else processes do.
    """
    folder.mkdir(parents=True, exist_ok=True)
    workers = workers or os.cpu_count() or 1
    rows: list[Rows] = []
    for k in range(plan.rounds + 1):
        _play_round(
            plan, folder, k, np.array(rows) if rows else np.zeros((1, 1)), spread or _in_processes(workers), say
        )
        drafts, winners, test = load_games(plan, folder, range(k + 1))
        x = described(drafts, plan.game().players)
        if k == 0:
            rows.append(fit_linear(x[~test], winners[~test]))
        rows.append(FITS[plan.model](x[~test], winners[~test]))
        say(
            f"round {k}: {len(x):,} games; on those held out, {plan.model} {_short(measures(rows[-1], x[test], winners[test]))}; "
            f"linear of round 0 {_short(measures(rows[0], x[test], winners[test]))}"
        )
    return (
        _with_card(plan, folder, rows[-1], plan.rounds, measured_on=plan.rounds),
        _with_card(plan, folder, rows[0], 0, measured_on=plan.rounds),
    )


def _short(found: dict[str, float]) -> str:
    return f"log loss {found['log_loss']:.4f}, favourite wins {found['top_1']:.1%}"


def _in_processes(workers: int) -> Spread:
    def spread(function: str, tasks: Sequence[Any]) -> Iterator[Any]:
        work = globals()[function.partition(":")[2]]
        with get_context("spawn").Pool(min(workers, len(tasks)), _quietly) as pool:  # leaving ends the workers at once
            yield from pool.imap_unordered(work, tasks)

    return spread


def _play_round(plan: DraftStudy, folder: Path, k: int, rows: Rows, spread: Spread, say: Progress) -> None:
    missing = [c for c in range(plan.chunks(k)) if not chunk_file(plan, folder, k, c).exists()]
    chunks, games = plan.chunks(k), plan.games_in(k)
    done = chunks - len(missing)
    if not missing:
        return
    say(f"round {k}: {games:,} games" + (f", {done} of {chunks} chunks are there" if done else ""))
    tasks = [(plan, k, c, rows, chunk_file(plan, folder, k, c)) for c in missing]
    for _ in spread(f"{__name__}:_one_chunk", tasks):
        done += 1
        say(f"round {k}: {min(done * CHUNK, games):,} of {games:,} games")


def _one_chunk(task: tuple[DraftStudy, int, int, Rows, Path]) -> int:
    return play_chunk(*task)


def _with_card(plan: DraftStudy, folder: Path, row: Rows, rounds: int, measured_on: int) -> Evaluation:
    """An evaluation with its card; measured on games of the last round that were held out."""
    game = plan.game()
    drafts, winners, test = load_games(plan, folder, range(measured_on, measured_on + 1))
    x, won = described(drafts[test], game.players), winners[test]
    found: dict[str, Any] = {
        "test_games": int(test.sum()),
        **measures(row, x, won),
        "log_loss_of_1/n": round(float(np.log(game.players)), 4),
    }
    if rounds == measured_on:
        # the baseline that knows the turn order alone, fitted to the same games
        others = described(drafts[~test], game.players)
        place = fit_logistic(others, winners[~test], columns=np.arange(PLACE, PLACE + 6))
        found["log_loss_of_turn_order_alone"] = measures(place, x, won)["log_loss"]
        found["calibration"] = calibration(predicted(row, x), won)
    played = sum(plan.games_in(k) for k in range(rounds + 1))
    card = Card(game.players, rules_of(game), TEACHERS, played, (plan.seed, plan.seed + 1), found)
    return Evaluation(row, card)


# ------------------------------------------------------------------------------------- the worth of positions in play


VALUE_PART = 500  # games
EVERY = 3  # one turn's beginning in so many is noted
MOST_NOTED = 30  # of a game, on average

ValuePart = tuple[int, Ints, Ints, int, int]  # players, seats, drafts, seed and the number of the first game


def value_part(task: ValuePart) -> tuple[int, Rows, Ints]:
    """The number of a part's first game, features of positions in its games, and who won each."""
    players, seats, drafts, seed, first = task
    weights = np.array([STYLES[name] for name in TEACHERS])
    return first, *positions(_value_game(players), weights, seats, drafts, seed=seed, first=first, every=EVERY)


def _value_game(players: int) -> Risk:
    return Risk(players=players, two_player="pure", turn_cap=TURN_CAP)


def _here(_: str, tasks: Sequence[Any]) -> Iterator[Any]:
    yield from map(value_part, tasks)


def _value_parts(
    tasks: Sequence[ValuePart], folder: Path | None, spread: Spread, say: Progress
) -> dict[int, tuple[Rows, Ints]]:
    """All parts by the number of their first game; those that the folder has are not played again."""
    found: dict[int, tuple[Rows, Ints]] = {}
    files: dict[int, Path] = {}
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        rules = json.dumps([[STYLES[name].tolist() for name in TEACHERS], TURN_CAP, EVERY])
        for players, seats, _, seed, first in tasks:
            said = hashlib.sha256(f"{players} {seed} {first} {len(seats)} {rules}".encode()).hexdigest()[:12]
            files[first] = folder / f"value-{said}.npz"
            if files[first].exists():
                with np.load(files[first]) as part:
                    found[first] = part["x"], part["winners"]
    games = sum(len(task[1]) for task in tasks)
    missing = [task for task in tasks if task[-1] not in found]
    for first, x, winners in spread(f"{__name__}:value_part", missing) if missing else ():
        found[first] = x, winners
        if folder is not None:
            temporary = files[first].with_suffix(f".{os.getpid()}.tmp.npz")
            np.savez_compressed(temporary, x=x, winners=winners)
            os.replace(temporary, files[first])
        say(f"{min(len(found) * VALUE_PART, games):,} of {games:,} games")
    return found


def train_value(
    players: int,
    games: int = 4000,
    seed: int = 5,
    *,
    folder: Path | None = None,
    workers: int = 1,
    say: Progress = print,
    spread: Spread | None = None,
) -> dict[str, Any]:
    """Fit the worth of positions (`position_worth`) to games of mixed scripted seats from random drafts, with its card.

    Parts played go into the folder, if there is one, and are found there; `spread` is as in `train`."""
    game = _value_game(players)
    seats = np.random.default_rng(seed).choice(len(TEACHERS), (games, players), p=[0.2, 0.3, 0.5])
    drafts = random_drafts(game, games, seed)
    parts = [slice(first, first + VALUE_PART) for first in range(0, games, VALUE_PART)]
    tasks = [(players, seats[part], drafts[part], seed, part.start) for part in parts]
    found = _value_parts(tasks, folder, spread or (_in_processes(workers) if workers > 1 else _here), say)
    x, winners = (np.concatenate([found[part.start][k] for part in parts])[: MOST_NOTED * games] for k in (0, 1))
    x, winners = x[winners >= 0], winners[winners >= 0]
    cut = len(x) * 4 // 5
    row, _ = position_worth.fit(x[:cut], winners[:cut])
    u = np.where(x[cut:].any(axis=2), x[cut:] @ row, -np.inf)
    share = np.exp(u - u.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    right = share[np.arange(len(share)), winners[cut:]]
    return {
        "weights": [round(float(w), 4) for w in row],
        "rules": rules_of(game),
        "learned_with": TEACHERS,
        "games": games,
        "seed": seed,
        "positions": len(x),
        "log_loss": round(float(-np.log(np.maximum(right, 1e-9)).mean()), 4),
        "log_loss_of_1/n": round(float(np.log(players)), 4),
    }
