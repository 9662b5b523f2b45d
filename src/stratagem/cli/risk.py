"""`stratagem risk`: the odds of battles, and what territories are worth in the draft."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from stratagem.errors import OptionError, StratagemError

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Compute odds of battles and worths of territories in Risk."
)


@app.callback()
def _root() -> None:
    """Risk: odds of battles, worths of territories; the game itself is `stratagem play risk`."""


@app.command()
def odds(
    attackers: Annotated[str, typer.Argument(help="armies that may fight (those on the territory less one), or -")],
    defenders: Annotated[str | None, typer.Argument(help="armies that defend; a chain of territories: 3,2,4")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Compute exactly what an attack carried to the end does; with `-`, one `A D` a line on standard input.

    Both sides roll the most dice they may. Through a chain all that may fight move on, one army stays each time.
    """
    from stratagem.games.risk.odds import odds as worked_out

    if attackers != "-":
        if defenders is None:
            raise OptionError("odds need two numbers: armies that may fight, and armies that defend, such as 5 3")
        found = worked_out(_whole(attackers), [_whole(item) for item in defenders.split(",")])
        print(json.dumps(found.json()) if as_json else _words(found))
        return
    bad = False
    for line in sys.stdin:
        given = line.split()
        try:
            if len(given) != 2:
                raise OptionError(f"{line.strip()[:40]!r} is not two numbers such as 5 3, or 12 3,2,4")
            answer = worked_out(_whole(given[0]), [_whole(item) for item in given[1].split(",")]).json()
        except StratagemError as error:
            answer, bad = {"attack": line.strip(), "error": str(error)}, True
        print(json.dumps(answer), flush=True)
    if bad:
        raise typer.Exit(2)


@app.command()
def ranking(
    players: Annotated[int, typer.Option(help="seats of the game: 2 to 6")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Rank the territories by what each adds to a seat's chance to win, on the empty map.

    The chance comes from the learned worth of finished drafts; drafts are finished at random.
    """
    from rich.table import Table

    import stratagem
    from stratagem.cli.options import console
    from stratagem.cli.terminal import captioned
    from stratagem.games.risk.atlas import CONTINENT, CONTINENT_NAMES, IDS, NAMES, TERRITORIES
    from stratagem.games.risk.draft_picking import Picker
    from stratagem.games.risk.draft_worth import shipped
    from stratagem.games.risk.game import Risk

    game = stratagem.game("risk", players=players, **({"two_player": "pure"} if players == 2 else {}))
    assert isinstance(game, Risk)
    worths = Picker(game, shipped(game), "greedy").static
    means = worths.mean(axis=0)
    ranked = sorted(range(TERRITORIES), key=lambda t: -means[t])
    if as_json:
        rows = [{"territory": IDS[t], "mean": float(means[t]), "seats": worths[:, t].tolist()} for t in ranked]
        print(json.dumps({"players": players, "territories": rows}))
        return
    table = Table("", "territory", "continent", "mean", *(game.seat_name(p) for p in range(players)))
    for place, t in enumerate(ranked, 1):
        shares = (f"{x:+.1%}" for x in (means[t], *worths[:, t]))
        table.add_row(str(place), NAMES[t], CONTINENT_NAMES[CONTINENT[t]], *shares)
    console().print(captioned(f"risk, {players} seats: what a territory adds to the chance to win", table))


def _whole(text: str) -> int:
    if not text.strip().isascii() or not text.strip().isdecimal() or len(text) > 9:
        raise OptionError(f"{text[:20]!r} is not a number of armies, such as 5")
    return int(text)


def _words(found: object) -> str:
    from stratagem.games.risk.odds import Odds

    assert isinstance(found, Odds)
    exact = f" = {found.exact}" if found.exact is not None and len(str(found.exact)) <= 60 else ""
    rows = [
        f"{found.attackers} that may fight against {', then '.join(map(str, found.defenders))}",
        f"captures{' all' if len(found.defenders) > 1 else ''}: {found.win:.6f}{exact}",
    ]
    if len(found.defenders) > 1:
        rows.append("captures each: " + ", ".join(f"{x:.4f}" for x in found.reached))
    rows.append(f"expected left: {found.attacker_left:.3f} attackers, {found.defender_left:.3f} defenders")
    rows.append("")
    rows.append(f"{'taken':>5} {'attackers':>9} {'defenders':>9} {'chance':>7}")
    listed = [end for end in found.distribution if end.probability >= 5e-5]
    rows += [f"{end.taken:5} {end.attacker:9} {end.defender:9} {end.probability:7.4f}" for end in listed[:40]]
    rest = sum(end.probability for end in found.distribution) - sum(end.probability for end in listed[:40])
    return "\n".join([*rows, f"{'others':>25} {rest:7.4f}"] if rest >= 5e-5 else rows)
