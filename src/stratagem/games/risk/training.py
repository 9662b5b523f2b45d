"""Learning the evaluation of drafts from self-play, in rounds that can be stopped and gone on with.

Round 0 plays games from random drafts and fits the paper's linear regression and the logistic model. Each later round
drafts with what was learned so far (and at random, by preference and by the linear one, at mixed strengths and straying
now and then), plays those drafts out, and fits to all games again: random drafts hardly ever hold a whole continent, good
ones do. Work is cut into chunks, each a file named by all that decides it; a chunk that is there is not played again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import OptionError
from stratagem.games.risk.drafting import (
    FEATURES,
    PLACE,
    PREFERENCE_DRAFTER,
    RANDOM_DRAFTER,
    Card,
    Evaluation,
    described,
    fit_linear,
    fit_logistic,
    make_drafts,
    measures,
    predicted,
    rules_of,
)
from stratagem.games.risk.game import Risk
from stratagem.games.risk.scripted import STYLES
from stratagem.games.risk.simulation import positions, random_drafts, simulate

Rows = NDArray[np.float64]
Ints = NDArray[np.int64]

TEACHERS = ("border", "continent", "expected")  # the players of the games, the same on all seats of one
CHUNK = 2500
TURN_CAP = 400


@dataclass(frozen=True)
class Plan:
    """What to learn, and from how much."""

    options: tuple[tuple[str, Any], ...]  # of the game
    games: int = 20_000  # of a round with learned drafts
    rounds: int = 2  # of those
    random_games: int = 40_000  # of the round before them, with random drafts
    simulations: int = 300  # a pick
    seed: int = 1

    def __post_init__(self) -> None:
        if min(self.games, self.random_games) < 1000:
            raise OptionError(f"{min(self.games, self.random_games)} games a round teach nothing; give 1000 or more")
        if self.rounds < 0 or self.simulations < 1:
            raise OptionError("rounds go from 0 and simulations from 1")

    def game(self) -> Risk:
        game = Risk(**{**dict(self.options), "turn_cap": TURN_CAP})
        if game.dealt:
            raise OptionError("territories are dealt with these options: there is no draft to learn")
        return game

    def games_in(self, round_number: int) -> int:
        return self.games if round_number else self.random_games

    def chunks(self, round_number: int) -> int:
        return -(-self.games_in(round_number) // CHUNK)

    def name(self) -> str:
        # how many rounds does not matter to the first ones: a longer plan goes on with the chunks of a shorter one
        weights = [STYLES[name].tolist() for name in TEACHERS]
        said = {**asdict(self), "rounds": 0, "teachers": TEACHERS, "weights": weights, "chunk": CHUNK}
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:12]


def play_chunk(plan: Plan, round_number: int, chunk: int, rows: Rows, path: Path) -> int:
    """Draft and play one chunk of games into a file; returns how many. It runs in a process of its own."""
    game = plan.game()
    n, seats = min(CHUNK, plan.games_in(round_number) - chunk * CHUNK), game.players
    stream = (round_number << 20) + chunk
    rng = np.random.default_rng((plan.seed, stream))
    if round_number == 0:
        drafts = random_drafts(game, n, int(rng.integers(2**31)))
    else:
        # rows: linear, then the logistic models of the rounds before; each weak, and strong
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
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["STRATAGEM_QUIET"] = "1"


def load_games(plan: Plan, folder: Path, rounds: range) -> tuple[Ints, Ints]:
    """Drafts and winners of the rounds played, undecided games left out."""
    parts = [np.load(chunk_file(plan, folder, k, c)) for k in rounds for c in range(plan.chunks(k))]
    drafts = np.concatenate([part["drafts"] for part in parts]).astype(np.int64)
    winners = np.concatenate([part["winners"] for part in parts]).astype(np.int64)
    return drafts[winners >= 0], winners[winners >= 0]


def chunk_file(plan: Plan, folder: Path, round_number: int, chunk: int) -> Path:
    return folder / f"{plan.name()}-{round_number}-{chunk}.npz"


Progress = Callable[[str], None]


def train(
    plan: Plan, folder: Path, *, workers: int | None = None, say: Progress = print
) -> tuple[Evaluation, Evaluation]:
    """Learn the logistic evaluation and the linear baseline; goes on with what is in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    workers = workers or os.cpu_count() or 1
    rows: list[Rows] = []
    linear = logistic = np.zeros(1 + FEATURES)
    for k in range(plan.rounds + 1):
        _play_round(plan, folder, k, np.array(rows) if rows else np.zeros((1, 1 + FEATURES)), workers, say)
        drafts, winners = load_games(plan, folder, range(k + 1))
        x = described(drafts, plan.game().players)
        test = _held_out(len(x))
        if k == 0:
            linear = fit_linear(x[~test], winners[~test])
            rows.append(linear)
        logistic = fit_logistic(x[~test], winners[~test])
        rows.append(logistic)
        say(f"round {k}: {len(x):,} games; on those held out, {_short(measures(logistic, x[test], winners[test]))}, "
            f"linear {_short(measures(linear, x[test], winners[test]))}")  # fmt: skip
    return (
        _with_card(plan, folder, logistic, plan.rounds, measured_on=plan.rounds),
        _with_card(plan, folder, linear, 0, measured_on=plan.rounds),
    )


def _held_out(n: int) -> NDArray[np.bool_]:
    return np.arange(n) % 10 == 9


def _short(found: dict[str, float]) -> str:
    return f"log loss {found['log_loss']:.4f}, favourite wins {found['top_1']:.1%}"


def _play_round(plan: Plan, folder: Path, k: int, rows: Rows, workers: int, say: Progress) -> None:
    missing = [c for c in range(plan.chunks(k)) if not chunk_file(plan, folder, k, c).exists()]
    chunks, games = plan.chunks(k), plan.games_in(k)
    done = chunks - len(missing)
    if not missing:
        return
    say(f"round {k}: {games:,} games" + (f", {done} of {chunks} chunks are there" if done else ""))
    pool = ProcessPoolExecutor(min(workers, len(missing)), mp_context=get_context("spawn"), initializer=_quietly)
    waiting: set[Future[int]] = {
        pool.submit(play_chunk, plan, k, c, rows, chunk_file(plan, folder, k, c)) for c in missing
    }
    try:
        while waiting:
            finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in finished:
                future.result()
                done += 1
                say(f"round {k}: {min(done * CHUNK, games):,} of {games:,} games")
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


def _with_card(plan: Plan, folder: Path, row: Rows, rounds: int, measured_on: int) -> Evaluation:
    """An evaluation with its card; measured on games of the last round that were held out."""
    game = plan.game()
    drafts, winners = load_games(plan, folder, range(measured_on, measured_on + 1))
    test = _held_out(len(drafts))
    x, won = described(drafts[test], game.players), winners[test]
    place = np.zeros_like(row)
    place[0] = row[0]
    if rounds == measured_on:  # the baseline that knows the turn order alone, fitted to the same games
        all_x = described(drafts[~test], game.players)
        place = fit_logistic(all_x, winners[~test], columns=np.arange(PLACE, PLACE + 6))
    found: dict[str, Any] = {
        "test_games": int(test.sum()), **measures(row, x, won), "log_loss_of_1/n": round(float(np.log(game.players)), 4),
    }  # fmt: skip
    if rounds == measured_on:
        found["log_loss_of_turn_order_alone"] = measures(place, x, won)["log_loss"]
        found["calibration"] = _calibration(predicted(row, x), won)
    played = sum(plan.games_in(k) for k in range(rounds + 1))
    card = Card(game.players, rules_of(game), TEACHERS, played, (plan.seed, plan.seed + 1), found)
    return Evaluation(row, card)


def _calibration(share: Rows, winners: Ints) -> list[list[float]]:
    """By deciles of what was foretold: [foretold, what came], each a mean."""
    flat = share.reshape(-1)
    came = (np.arange(share.shape[1])[None, :] == winners[:, None]).reshape(-1)
    return [
        [round(float(flat[part].mean()), 3), round(float(came[part].mean()), 3)]
        for part in np.array_split(np.argsort(flat, kind="stable"), 10)
    ]


# ------------------------------------------------------------------------------------- the worth of positions in play


def train_value(players: int, games: int = 4000, seed: int = 5) -> dict[str, Any]:
    """Fit the worth of positions (`valuation`) to games of mixed scripted seats from random drafts, with its card."""
    from stratagem.games.risk import valuation

    game = Risk(players=players, two_player="pure", turn_cap=TURN_CAP)
    weights = np.array([STYLES[name] for name in TEACHERS])
    seats = np.random.default_rng(seed).choice(len(TEACHERS), (games, players), p=[0.2, 0.3, 0.5])
    x, winners = positions(game, weights, seats, random_drafts(game, games, seed), seed=seed, every=3)
    cut = len(x) * 4 // 5
    row, _ = valuation.fit(x[:cut], winners[:cut])
    u = np.where(x[cut:].any(axis=2), x[cut:] @ row, -np.inf)
    share = np.exp(u - u.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    right = share[np.arange(len(share)), winners[cut:]]
    return {
        "weights": [round(float(w), 4) for w in row], "rules": rules_of(game), "learned_with": TEACHERS, "games": games,
        "seed": seed, "positions": len(x), "log_loss": round(float(-np.log(np.maximum(right, 1e-9)).mean()), 4),
        "log_loss_of_1/n": round(float(np.log(players)), 4),
    }  # fmt: skip
