"""`stratagem blotto`: solve allocation games, reply to an opponent, rank a class, the course's program."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from stratagem.cli.options import console, file_text, grouped
from stratagem.errors import OptionError

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Colonel Blotto: units split over fronts, both at once."
)

ValuesFlag = Annotated[str, typer.Option("--values", help="values of the fronts: 1,2,3 or 0.5,1/3,1")]
TiesFlag = Annotated[str, typer.Option("--ties", help="a tied front: split, lost, coin, first or second")]
DisposalFlag = Annotated[bool, typer.Option("--disposal", help="let units stay unspent")]
JsonFlag = Annotated[bool, typer.Option("--json", help="print one JSON object")]


def _budgets(text: str) -> tuple[int, ...]:
    items = [item.strip() for item in text.split(",")]
    if not all(item.isascii() and item.isdigit() and len(item) < 10 for item in items) or len(items) < 2:
        raise OptionError(f"--units is {text!r}; it takes the units of both players, such as 10,8")
    return tuple(int(item) for item in items)


@dataclass(frozen=True)
class GameFlags:
    """The rules of a game, as `solve` and `respond` are given them."""

    units: Annotated[str, typer.Option(help="the units of both players: 10,8")]
    values: ValuesFlag
    values_b: Annotated[str, typer.Option(help="values of the fronts to B, if not the same")] = ""
    objective: Annotated[str, typer.Option(help="objective: score, win or lottery")] = "score"
    objective_b: Annotated[str, typer.Option(help="objective of B, if not the same")] = ""
    ties: TiesFlag = "split"
    power: Annotated[str, typer.Option(help="lottery: x units count x to this power")] = "2"
    disposal: DisposalFlag = False
    worth: Annotated[str, typer.Option(help="worth of each unspent unit to its owner")] = "0"

    def rules(self) -> Any:
        from stratagem.games.blotto.rules import Rules

        rules = Rules.of(
            _budgets(self.units),
            self.values,
            self.values_b or None,
            self.objective,
            self.ties,
            objective_b=self.objective_b or None,
            power=self.power,
            disposal=self.disposal,
            worth=self.worth,
        )
        rules.needs_two()
        return rules


@contextmanager
def _progress() -> Iterator[Callable[[Any], None] | None]:
    """A line on a terminal's standard error that shows the certificate while a solver runs."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status("solving; Ctrl-C gives the best so far") as status:

        def show(now: Any) -> None:
            plans = f", {now.plans[0]} and {now.plans[1]} plans" if now.plans[0] else ""
            status.update(
                f"{now.seconds:.1f} s: between {now.low:.9g} and {now.high:.9g} (width {now.high - now.low:.2g}{plans}); "
                "Ctrl-C gives the best so far"
            )

        yield show


def _write(path: Path, svg: str) -> None:
    path.write_text(svg, encoding="utf-8")


@app.command()
@grouped
def solve(
    game: GameFlags,
    concept: Annotated[str, typer.Option(help="nash, cce (coarse correlated) or ce (correlated)")] = "nash",
    method: Annotated[str, typer.Option(help="auto, oracle, lp, flow or regret")] = "auto",
    welfare: Annotated[
        str | None, typer.Option(help="the equilibrium to find: best for the sum, first or second")
    ] = None,
    tolerance: Annotated[float | None, typer.Option(help="the most that a best reply may gain")] = None,
    exact: Annotated[bool, typer.Option("--exact", help="fractions, for small games")] = False,
    seconds: Annotated[float | None, typer.Option(help="stop after so long, with the best so far")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="the payoffs of all extreme equilibria, for small games")
    ] = False,
    top: Annotated[int, typer.Option(help="the most allocations of a player in the table")] = 12,
    marginals: Annotated[Path | None, typer.Option(help="draw the marginals into this SVG file")] = None,
    certificate: Annotated[Path | None, typer.Option(help="draw the certificate over time into this SVG file")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Find an equilibrium, with a certificate: what a best reply would gain each player."""
    from stratagem.games.blotto import view
    from stratagem.games.blotto.solve import solve as run

    rules = game.rules()
    if every:
        _print_all(rules, as_json)
        return
    with _progress() as report:
        found = run(
            rules,
            concept,
            method=method,
            tolerance=tolerance,
            exact=exact,
            welfare=welfare,
            seconds=seconds,
            report=report,
        )
    if marginals is not None:
        _write(marginals, view.marginals(rules, found.strategies))
    if certificate is not None:
        _write(
            certificate,
            view.certificate([r.seconds for r in found.trace], [r.high - r.low for r in found.trace]),
        )
    if as_json:
        print(json.dumps(found.json()), flush=True)
    else:
        _print_solution(found, top)
    if found.interrupted:
        raise typer.Exit(130)


def _print_all(rules: Any, as_json: bool) -> None:
    """All extreme equilibria, by what they pay."""
    from stratagem.games.blotto.general_sum import extreme_equilibria

    found = sorted(extreme_equilibria(rules), key=lambda e: (-sum(e.payoffs), e.payoffs))
    if as_json:
        listed = [
            {
                "payoffs": list(e.payoffs),
                "strategies": [
                    [{"allocation": list(plan[: rules.fronts]), "probability": p} for plan, p in mixture.items()]
                    for mixture in (e.first, e.second)
                ],
            }
            for e in found
        ]
        print(json.dumps({"equilibria": listed}))
        return
    print(f"{len(found)} extreme equilibria")
    table = Table("A gets", "B gets", "A mixes", "B mixes", box=None)
    for e in found:
        mixed = [
            "  ".join(f"{','.join(map(str, plan[: rules.fronts]))}: {p:.4g}" for plan, p in m.items())
            for m in (e.first, e.second)
        ]
        table.add_row(f"{e.payoffs[0]:.6g}", f"{e.payoffs[1]:.6g}", *mixed)
    console().print(table)


NAMES = {"nash": "Nash equilibrium", "cce": "coarse correlated equilibrium", "ce": "correlated equilibrium"}


def _print_solution(found: Any, top: int) -> None:
    kind = NAMES[found.concept]
    if found.concept != "nash":
        kind += " (a joint plan from a mediator, not strategies to play alone)"
    print(
        f"{kind}, by {found.method}, in {found.seconds:.3f} s" + ("" if found.finished else "; STOPPED before its end")
    )
    for k, name in enumerate("AB"):
        shown = f"{found.payoffs[k]:.9g}"
        if found.exact:
            shown += ", exactly" if str(found.exact[k]) == shown else f" = {found.exact[k]}"
        print(f"{name} gets {shown}; its best reply would gain {found.gains[k]:.3g}")
    if found.interval is not None:
        print(f"A's value is between {found.interval[0]:.12g} and {found.interval[1]:.12g}")
    if found.security is not None:
        print(f"A can guarantee {found.security[0]:.9g}, B {found.security[1]:.9g}")
    if len(found.others) > 1:
        several = "; ".join(f"({a:.6g}, {b:.6g})" for a, b in found.others)
        print(f"equilibria with different payoffs were met: {several}")
    if found.joint is not None:
        bound = "no bound is proven" if found.bound is None else f"none has more than {found.bound:.9g}"
        print(f"welfare {sum(found.payoffs):.9g}; {bound}")
        table = Table("A", "B", "probability", box=None)
        ranked = sorted(found.joint.items(), key=lambda item: -item[1])
        for (a, b), p in ranked[:top]:
            table.add_row(",".join(map(str, a)), ",".join(map(str, b)), f"{p:.6f}")
        console().print(table)
        if len(ranked) > top:
            _print_rest([p for _, p in ranked], top)
        return
    for name, mixture in zip("AB", found.strategies, strict=True):
        ranked = sorted(mixture.items(), key=lambda item: (-item[1], item[0]))
        table = Table(name, "probability", box=None)
        for plan, p in ranked[:top]:
            table.add_row(",".join(map(str, plan)), f"{p:.6f}")
        console().print(table)
        if len(ranked) > top:
            _print_rest([p for _, p in ranked], top)


def _print_rest(probabilities: list[float], top: int) -> None:
    """Which part of a mixture a table shows, where it is not all of it."""
    share, rest = sum(probabilities[:top]), len(probabilities) - top
    print(f"these are {share:.1%} of the mixture; --top {len(probabilities)} or --json shows {rest} more")


def _read(file: str) -> str:
    if file == "-":
        return sys.stdin.read()
    path = Path(file)
    if not path.is_file():
        raise OptionError(f"there is no file {file!r}")
    return file_text(path)


@app.command()
@grouped
def respond(
    file: Annotated[
        str,
        typer.Argument(
            help="the opponent: a CSV of past allocations, or of allocations and probabilities, "
            "or the JSON of `blotto solve`; - reads standard input"
        ),
    ],
    game: GameFlags,
    seat: Annotated[int, typer.Option(help="the seat that replies: 0 (A) or 1 (B)")] = 0,
    best: Annotated[int, typer.Option(help="the most replies to list, best first (score and lottery)")] = 1,
    as_json: JsonFlag = False,
) -> None:
    """Find the best answer to an opponent that is known by its past or by its mixed strategy."""
    from stratagem.games.blotto.solve import replies
    from stratagem.games.blotto.tournament import read_mixture

    rules = game.rules()
    if seat not in (0, 1):
        raise OptionError(f"--seat is {seat}; it is 0 for A or 1 for B")
    if best < 1:
        raise OptionError(f"--best is {best}; give 1 or more")
    mixture = read_mixture(_read(file), rules, 1 - seat)
    found = replies(rules, seat, mixture, best)
    if as_json:
        listed = [{"allocation": list(plan), "payoff": value} for value, plan in found]
        print(json.dumps({"allocation": listed[0]["allocation"], "payoff": listed[0]["payoff"], "replies": listed}))
        return
    print(f"against {len(mixture)} different allocations of {'BA'[seat]}:")
    for value, plan in found:
        print(f"{','.join(map(str, plan))}  pays {value:.9g}")


@app.command()
def tournament(
    file: Annotated[str, typer.Argument(help="a CSV of NAME,u1,...,un; - reads standard input")],
    values: ValuesFlag,
    units: Annotated[int | None, typer.Option(help="the budget; the first line's total if not given")] = None,
    ties: TiesFlag = "split",
    lottery: Annotated[bool, typer.Option("--lottery", help="fronts are shared by squares of the units")] = False,
    disposal: DisposalFlag = False,
    by: Annotated[str, typer.Option(help="the order: wins or score")] = "wins",
    as_json: JsonFlag = False,
) -> None:
    """Play everybody against everybody, and rank them by wins and by score."""
    from stratagem.games.blotto.rules import parse_values
    from stratagem.games.blotto.tournament import read_entries
    from stratagem.games.blotto.tournament import tournament as run

    if by not in ("wins", "score"):
        raise OptionError(f"--by is {by!r}; it is wins or score")
    worth = parse_values(values)
    entries, budget = read_entries(_read(file).splitlines(), len(worth), units, disposal)
    standings = run(entries, worth, budget, ties=ties, lottery=lottery, disposal=disposal)
    if by == "score":
        standings.sort(key=lambda s: (-s.score, -s.wins, s.name))
    if as_json:
        print(
            json.dumps(
                {
                    "units": budget,
                    "standings": [
                        {
                            "name": s.name,
                            "allocation": list(s.allocation),
                            "wins": s.wins,
                            "score": s.score,
                            "rank_by_wins": s.rank_by_wins,
                            "rank_by_score": s.rank_by_score,
                        }
                        for s in standings
                    ],
                }
            )
        )
        return
    table = Table(
        "rank", "name", "wins", "score", "rank by score" if by == "wins" else "rank by wins", "allocation", box=None
    )
    for s in standings:
        rank, other = (s.rank_by_wins, s.rank_by_score) if by == "wins" else (s.rank_by_score, s.rank_by_wins)
        table.add_row(str(rank), s.name, f"{s.wins:g}", f"{s.score:g}", str(other), ",".join(map(str, s.allocation)))
    console().print(table)


@app.command()
def course(
    values: Annotated[list[str] | None, typer.Argument(help="values of the fronts")] = None,
    find: Annotated[bool, typer.Option("--find", help="print a symmetric equilibrium strategy")] = False,
    verify: Annotated[bool, typer.Option("--verify", help="check one on standard input")] = False,
    tolerance: Annotated[float, typer.Option(help="the most that a reply may gain")] = 1e-6,
    win: Annotated[bool, typer.Option("--win", help="1 for the larger total, 1/2 for equal ones")] = False,
    score: Annotated[bool, typer.Option("--score", help="the values of the fronts won")] = False,
    lottery: Annotated[
        bool, typer.Option("--lottery", help="fronts are won with chances as the squares of the units")
    ] = False,
    units: Annotated[int | None, typer.Option(help="units of each player; needed by --find")] = None,
) -> None:
    """Run the course's program: --find prints lines of u1,...,un,probability; --verify reads such lines."""
    from stratagem.games.blotto import symmetric

    if find == verify:
        raise OptionError("give one of --find and --verify")
    chosen = [name for name, on in (("win", win), ("score", score), ("lottery", lottery)) if on]
    if len(chosen) != 1:
        raise OptionError("give one of --win, --score and --lottery")
    if not values:
        raise OptionError("values are empty: there must be at least one front, such as 1 2 3")
    if not tolerance >= 0 or tolerance == float("inf"):
        raise OptionError(f"--tolerance is {tolerance}; it is a number, 0 or more")
    if find:
        if units is None or units < 0:
            raise OptionError("--find needs --units, 0 or more")
        for line in symmetric.find(values, units, chosen[0], tolerance):
            print(line)
        return
    answer = symmetric.verify(sys.stdin.read(), values, chosen[0], tolerance)
    print(answer)
    if answer != "PASSED":
        raise typer.Exit(1)


@app.command()
def lotto(
    first: Annotated[str, typer.Argument(help="the first player's mean: 2, 2.5 or 5/2")],
    second: Annotated[str, typer.Argument(help="the second player's mean")],
    as_json: JsonFlag = False,
) -> None:
    """General Lotto: distributions of whole numbers with given means; the larger draw wins."""
    from stratagem.games.blotto.lotto import lotto as run
    from stratagem.games.blotto.lotto import lotto_value

    value, found = lotto_value(first, second), run(first, second)
    if as_json:
        print(
            json.dumps(
                {
                    "value": float(value),
                    "exact": str(value),
                    "strategies": [list(found.first), list(found.second)],
                }
            )
        )
        return
    print(f"value {value} = {float(value):.9g} (chance to be larger less chance to be smaller)")
    table = Table("number", "first", "second", box=None)
    for x, (p, q) in enumerate(zip(found.first, found.second, strict=True)):
        if p > 1e-12 or q > 1e-12:
            table.add_row(str(x), f"{p:.6f}", f"{q:.6f}")
    console().print(table)


@app.command()
def continuous(
    fronts: Annotated[int, typer.Argument(help="number of equal fronts, 3 or more")],
    first: Annotated[str, typer.Argument(help="the first player's budget")],
    second: Annotated[str, typer.Argument(help="the second player's budget")],
    as_json: JsonFlag = False,
) -> None:
    """Budgets that can be divided at will, on equal fronts: the shares of the fronts, in closed form."""
    from stratagem.games.blotto.lotto import continuous_shares

    shares = continuous_shares(fronts, first, second)
    if as_json:
        print(json.dumps({"shares": [float(x) for x in shares], "exact": [str(x) for x in shares]}))
    else:
        print(f"the first player takes {shares[0]} of the fronts, the second {shares[1]}")
