"""Claim: for the draft of Risk the logistic model is the simplest within noise of the best.

Every model is fitted to the same games, those of `stratagem train risk-draft` (round 0 and the rounds on policy), and then:

`fit`: measured on the games of the last round that were held out, and on fresh drafts that are played many times each, where
chances are known but for a small noise: `error` is the root mean square between what was foretold and the share of
games won, `floor` what a model that knows the true chances would show. Differences of log loss to the logistic model are
paired, with 95% intervals. The logistic model is also fitted with each further group of features.

`games`: decisive. One seat drafts by UCT and a model among seats that draft by UCT and the logistic model, and the other way
round, and among random drafters; the scripted players in turn, the same on all seats; seats rotated. A file of
weights may be named in place of a model, such as one that was learned with rounds of its own.

    python benchmarks/strength/risk_models.py fit --folder FOLDER [--players 3]
    python benchmarks/strength/risk_models.py games --folder FOLDER [--models boosting,net,FILE] [--games 3000]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from stratagem.games.risk.draft_features import GROUPS, PLACE, SIMPLE, described
from stratagem.games.risk.draft_fitting import FITS, fit_logistic, fit_net
from stratagem.games.risk.draft_worth import Evaluation, calibration, measures, predicted, stacked
from stratagem.games.risk.drafting import RANDOM_DRAFTER, make_drafts
from stratagem.games.risk.scripted import STYLES
from stratagem.games.risk.simulation import simulate
from stratagem.games.risk.training import TEACHERS, Plan, load_games

REPEATED, REPEATS = 200, 200
WEAK, STRONG = 50, 300  # simulations a pick of the repeated drafts


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


def games(plan: Plan, folder: Path, names: list[str], count: int, simulations: int) -> None:
    game = plan.game()
    drafts, winners, test = load_games(plan, folder, range(plan.rounds + 1))
    x = described(drafts, game.players)
    n = count // game.players * game.players
    seat_of = np.arange(n) % game.players
    rows = {"logistic": FITS["logistic"](x[~test], winners[~test])}
    for name in names:
        rows[name] = FITS[name](x[~test], winners[~test]) if name in FITS else Evaluation.load(Path(name)).row
    drafters = dict(zip(rows, range(len(rows)), strict=True)) | {"random": RANDOM_DRAFTER}
    print(f"{game.players} seats, {n} games a row, {simulations} simulations a pick; chance {1 / game.players:.1%}")
    pairs = [(one, "logistic") for one in names] + [("logistic", one) for one in names]
    for one, others in pairs + [(one, "random") for one in rows]:
        kinds = np.full((n, game.players), drafters[others])
        kinds[np.arange(n), seat_of] = drafters[one]
        began = time.process_time()
        made = make_drafts(game, stacked(list(rows.values())), np.full(len(rows), simulations), kinds, seed=31)
        took = 1e3 * (time.process_time() - began) / n
        said = []
        for style in ("expected", "continent", "border"):
            found = simulate(
                game, np.array([STYLES[style]]), np.zeros((n, game.players), np.int64), drafts=made, seed=32
            )
            share, half = found.share(seat_of)
            said.append(f"{style} {share:6.1%} ± {half:.1%}")
        print(f"{one} among {others}: {'   '.join(said)}   {took:.0f} ms a draft", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Models of the worth of drafts of Risk, compared.")
    parser.add_argument("what", choices=("fit", "games"))
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--models", default="linear,boosting,net")
    parser.add_argument("--games", type=int, default=3000)
    parser.add_argument("--simulations", type=int, default=300)
    given = parser.parse_args()
    plan = plan_of(given.players, given.rounds)
    if given.what == "fit":
        fit(plan, given.folder)
    else:
        games(plan, given.folder, given.models.split(","), given.games, given.simulations)


if __name__ == "__main__":
    main()
