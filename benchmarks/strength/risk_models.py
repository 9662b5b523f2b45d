"""Claim: for the draft of Risk the logistic model is the simplest within noise of the best.

Every model is fitted to the same games, those of `stratagem train risk-draft` (round 0 and the rounds on policy), and then:

`fit`: measured on the games of the last round that were held out, and on fresh drafts that are played many times each, where
chances are known but for a small noise: `error` is the root mean square between what was foretold and the share of
games won, `floor` what a model that knows the true chances would show. Differences of log loss to the logistic model are
paired, with 95% intervals. The logistic model is also fitted with each further group of features.

`games`: decisive. One seat drafts by UCT and a model among seats that draft by UCT and the logistic model, and the other way
round, and among random drafters; the scripted players in turn, the same on all seats; seats rotated. A file of
weights may be named in place of a model, such as one that was learned with rounds of its own.

    python -m benchmarks.strength.risk_models fit --folder FOLDER [--players 3]
    python -m benchmarks.strength.risk_models games --folder FOLDER [--models boosting,net,FILE] [--games 3000]

`games` spreads over `--workers` or a `--cluster` whose nodes share the folder, where the fitted models are put; parts that are
done are in the file of results, and the same command goes on after them.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.experiments import ROOT, Result, add_run_flags, parts, run
from stratagem.games.risk.draft_features import GROUPS, PLACE, SIMPLE, described
from stratagem.games.risk.draft_fitting import FITS, fit_logistic, fit_net
from stratagem.games.risk.draft_worth import Evaluation, calibration, measures, predicted, stacked
from stratagem.games.risk.drafting import RANDOM_DRAFTER, make_drafts
from stratagem.games.risk.scripted import STYLES
from stratagem.games.risk.simulation import simulate
from stratagem.games.risk.training import TEACHERS, Plan, load_games

REPEATED, REPEATS = 200, 200
WEAK, STRONG = 50, 300  # simulations a pick of the repeated drafts
PLAYED_BY = ("expected", "continent", "border")
EACH = 60  # games of a part: whole rotations for every number of seats


def plan_of(players: int, rounds: int) -> Plan:
    """The plan of `stratagem train risk-draft --players N` with nothing else said."""
    options = (
        ("players", players), ("two_player", "pure"), ("draft_order", "round_robin"), ("cards", "escalating"),
        ("fortify", "adjacent"),
    )  # fmt: skip
    return Plan(options, rounds=rounds)


def repeated(plan: Plan, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Fresh drafts at mixed strengths, and the share of games that each seat won; all players in turn."""
    game = plan.game()
    kinds = np.random.default_rng(77).choice([RANDOM_DRAFTER, 0, 1], (REPEATED, game.players), p=[0.2, 0.2, 0.6])
    rows, simulations = stacked([row, row]), np.array([WEAK, STRONG])
    drafts = make_drafts(game, rows, simulations, kinds, stray=0.25, seed=78)
    weights = np.array([STYLES[name] for name in TEACHERS])
    players = np.tile((np.arange(REPEATED * REPEATS) % len(TEACHERS))[:, None], (1, game.players))
    winners = simulate(game, weights, players, drafts=drafts.repeat(REPEATS, axis=0), seed=79).winners
    won = winners.reshape(REPEATED, REPEATS)
    shares = np.stack([(won == p).sum(axis=1) for p in range(game.players)], axis=1) / (won >= 0).sum(axis=1)[:, None]
    return drafts, shares


def fit(plan: Plan, folder: Path) -> None:
    players = plan.game().players
    drafts, winners, test = load_games(plan, folder, range(plan.rounds + 1))
    last = np.zeros(len(drafts), bool)
    last[-len(load_games(plan, folder, range(plan.rounds, plan.rounds + 1))[0]) :] = True
    x = described(drafts, players)
    learn, judge = (x[~test], winners[~test]), (x[test & last], winners[test & last])
    simple = np.arange(SIMPLE)
    place = np.arange(PLACE, PLACE + 6)
    models = {
        "turn order alone": lambda x, won: fit_logistic(x, won, columns=place),
        "linear": FITS["linear"],
        "logistic": FITS["logistic"],
        "boosting": FITS["boosting"],
        "net": FITS["net"],
        "net, turn order and territories alone": lambda x, won: fit_net(
            x, won, np.concatenate([place, GROUPS["territories"]])
        ),
        "logistic, features of the paper": lambda x, won: fit_logistic(x, won, columns=GROUPS["paper"]),
    }
    for name in ("blocks", "distance", "best rivals", "number of rivals", "territories"):
        columns = np.concatenate([simple, GROUPS[name]])
        models[f"logistic and {name}"] = lambda x, won, columns=columns: fit_logistic(x, won, columns=columns)
    base = FITS["logistic"](*learn)
    fresh, shares = repeated(plan, base)
    z = described(fresh, players)
    floor = np.sqrt((shares * (1 - shares) / REPEATS).mean())
    own = -np.log(predicted(base, judge[0])[np.arange(len(judge[0])), judge[1]])
    print(
        f"{players} seats, fitted to {len(learn[0]):,} games, {len(judge[0]):,} held out; {REPEATED} drafts of {REPEATS} games "
        f"each, floor of the error {floor:.4f}; log loss of 1/n {np.log(players):.4f}"
    )
    for name, make in models.items():
        began = time.process_time()
        row = make(*learn)
        took = time.process_time() - began
        found = measures(row, *judge)
        share = predicted(row, judge[0])
        gap = -np.log(np.clip(share[np.arange(len(share)), judge[1]], 1e-6, 1)) - own
        off = max(abs(a - b) for a, b in calibration(share, judge[1]))
        foretold = predicted(row, z)
        error = np.sqrt(((foretold - shares) ** 2).mean())
        crossed = -(shares * np.log(np.clip(foretold, 1e-6, 1))).sum(axis=1).mean()
        half = 1.96 * gap.std() / len(gap) ** 0.5
        print(
            f"{name:38} log loss {found['log_loss']:.4f} ({1e4 * gap.mean():+5.0f} ± {1e4 * half:.0f} e-4)"
            f"  Brier {found['brier']:.4f}  favourite wins {found['top_1']:.1%}  worst decile off by {off:.3f}"
            f"  repeated: log loss {crossed:.4f}, error {error:.4f}  {took:.0f} s",
            flush=True,
        )


def part(
    models: str, players: int, rounds: int, simulations: int, one: int, others: int, first: int, count: int
) -> Result:
    """Games first .. first + count - 1 of one drafter among others: rows of the file of models, or random ones."""
    game = plan_of(players, rounds).game()
    rows = np.load(models)["rows"]
    seat_of = np.arange(first, first + count) % players
    kinds = np.full((count, players), others)
    kinds[np.arange(count), seat_of] = one
    began = time.process_time()
    made = make_drafts(game, rows, np.full(len(rows), simulations), kinds, seed=31, first=first)
    found: Result = {"games": count, "cpu": round(time.process_time() - began, 3)}
    for style in PLAYED_BY:
        seats = np.zeros((count, players), np.int64)
        winners = simulate(game, np.array([STYLES[style]]), seats, drafts=made, seed=32, first=first).winners
        found[style] = int((winners == seat_of).sum())
    return found


def games(plan: Plan, given: argparse.Namespace) -> None:
    names, players = given.models.split(","), given.players
    drafts, winners, test = load_games(plan, given.folder, range(plan.rounds + 1))
    x = described(drafts, players)
    models = {"logistic": FITS["logistic"](x[~test], winners[~test])}
    for name in names:
        models[name] = FITS[name](x[~test], winners[~test]) if name in FITS else Evaluation.load(Path(name)).row
    rows = stacked(list(models.values()))
    path = given.folder.absolute() / f"models-{hashlib.sha256(rows.tobytes()).hexdigest()[:12]}.npz"
    np.savez_compressed(path, rows=rows)
    drafters = dict(zip(models, range(len(models)), strict=True)) | {"random": RANDOM_DRAFTER}
    pairs = [(one, "logistic") for one in names] + [("logistic", one) for one in names]
    pairs += [(one, "random") for one in models]
    numbers = parts(given.games // players * players, EACH)
    same = (str(path), players, plan.rounds, given.simulations)
    tasks = [(*same, drafters[one], drafters[others], *number) for number in numbers for one, others in pairs]
    found = run(part, tasks, given)
    print(f"{players} seats, {given.simulations} simulations a pick; chance {1 / players:.1%}")
    for one, others in pairs:
        done = [row for task, row in found.items() if task[4:6] == (drafters[one], drafters[others])]
        print(f"{one} among {others}: {_shares(done)}", flush=True)


def _shares(done: list[Any]) -> str:
    n = sum(row["games"] for row in done)
    if not n:
        return "not played"
    said = []
    for style in PLAYED_BY:
        share = sum(row[style] for row in done) / n
        said.append(f"{style} {share:6.1%} ± {1.96 * (share * (1 - share) / n) ** 0.5:.1%}")
    return f"{'   '.join(said)}   {1e3 * sum(row['cpu'] for row in done) / n:.0f} ms a draft   {n} games"


def main() -> None:
    parser = argparse.ArgumentParser(description="Models of the worth of drafts of Risk, compared.")
    parser.add_argument("what", choices=("fit", "games"))
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--models", default="linear,boosting,net")
    parser.add_argument("--games", type=int, default=3000)
    parser.add_argument("--simulations", type=int, default=300)
    add_run_flags(parser, ROOT / "build" / "strength-risk-models.jsonl")
    given = parser.parse_args()
    plan = plan_of(given.players, given.rounds)
    if given.what == "fit":
        fit(plan, given.folder)
    else:
        games(plan, given)


if __name__ == "__main__":
    main()
