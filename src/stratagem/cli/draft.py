"""`stratagem draft`: studies of drafts, the live assistant, mock drafts and the report afterwards."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratagem.cli.draft_files import AgainFlag, check_same, goes_on, kept_in
from stratagem.cli.draft_import import import_command
from stratagem.cli.options import TrustFlag, check_writable, grouped
from stratagem.errors import OptionError, ParseError, StratagemError, UnknownName
from stratagem.numbers import whole
from stratagem.plans.draft import TIES, Draft

if TYPE_CHECKING:
    from stratagem.fantasy.presets import Setup

app = typer.Typer(no_args_is_help=True, help="Drafts: who takes what when, and what will come back to you.")

app.command(name="import")(import_command)

METHODS = ("kth", "ascending", "exact", "greedy", "back-to-front", "reply", "uct")  # of `search.drafts.methods`


# ---------------------------------------------------------------------------------------------------------------- solve


@app.command()
def solve(
    file: Annotated[str, typer.Argument(help="a JSON file with items, worths and order; - for one draft a line")],
    method: Annotated[str, typer.Option(help=f"one of {', '.join(METHODS)}")] = "exact",
    seat: Annotated[int | None, typer.Option(help="the seat that replies, from 0, for --method reply")] = None,
    seed: Annotated[int, typer.Option(help="seed of uct")] = 0,
    simulations: Annotated[int, typer.Option(help="simulations of a pick, for uct")] = 3000,
    ties: Annotated[str | None, typer.Option(help=f"the order of items of equal worth: {', '.join(TIES)}")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object a line")] = False,
    svg: Annotated[Path | None, typer.Option(help="also draw who takes what when into this file")] = None,
    trust: TrustFlag = False,
) -> None:
    """Work out a whole draft by one method."""
    if method not in METHODS:
        raise UnknownName("method", method, METHODS)
    if seat is not None and method != "reply":
        raise OptionError(f"--seat says who replies, and belongs to --method reply, not {method}")
    check_writable(svg)
    if file == "-":
        _solve_lines(method, seat, seed, simulations, ties)
        return
    draft = _tied(Draft.read(file, trust=trust), ties, seed)
    found = _solve(draft, method, seat, seed, simulations)
    if svg is not None:
        from stratagem.fantasy.pictures import board_svg

        names = [name or "pass" for name in found.names]
        kinds = None
        if draft.positions is not None:
            kinds = ["" if x < 0 else draft.positions[x] for x in found.picks]
        svg.write_text(
            board_svg(f"Draft by {method}", draft.players, draft.order, names, None, kinds), encoding="utf-8"
        )
    if as_json:
        print(json.dumps(found.json()))
        return
    from stratagem.fantasy.pictures import board_text

    print(board_text(draft.players, draft.order, [name or "pass" for name in found.names]))
    for i, total in enumerate(found.totals):
        print(f"team {i + 1}: {total:g}")
    if found.first:
        print(f"optimal first picks: {', '.join(sorted(draft.items[x] for x in found.first))}")
    if found.note:
        print(found.note)


def _solve(draft: Draft, method: str, seat: int | None, seed: int, simulations: int) -> Any:
    from stratagem.search.drafts.methods import solve_draft

    return solve_draft(draft, method, seat=seat, seed=seed, simulations=simulations)


def _tied(draft: Draft, ties: str | None, seed: int) -> Draft:
    return draft if ties is None else replace(draft, ties=ties, tie_seed=seed)


def _solve_lines(method: str, seat: int | None, seed: int, simulations: int, ties: str | None) -> None:
    bad = False
    for line in sys.stdin:
        text = line.rstrip("\r\n")
        found: dict[str, Any]
        try:
            try:
                data = json.loads(text)
            except json.JSONDecodeError as error:
                raise ParseError(f"not JSON: column {error.colno}: {error.msg}") from None
            found = _solve(_tied(Draft.from_json(data), ties, seed), method, seat, seed, simulations).json()
        except StratagemError as error:
            found, bad = {"error": str(error)}, True
        print(json.dumps({"position": text, **found}), flush=True)
    if bad:
        raise typer.Exit(2)


# ---------------------------------------------------------------------------------------------------------------- audit


@app.command()
def audit(
    file: Annotated[Path, typer.Argument(help="a JSON file with items, worths and order")],
    rule: Annotated[str, typer.Option(help="kth, ascending, greedy, or strict: equals do not count as better")] = "kth",
    ties: Annotated[str | None, typer.Option(help=f"the order of items of equal worth: {', '.join(TIES)}")] = None,
    seed: Annotated[int, typer.Option(help="seed of random ties")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
    trust: TrustFlag = False,
) -> None:
    """Test whether a rule is optimal in this draft: whether one other pick gains at any node, and by how much."""
    from stratagem.search.drafts.audit import examine

    draft = _tied(Draft.read(file, trust=trust), ties, seed)
    found = examine(draft, rule)
    if as_json:
        print(json.dumps(found.json(draft)))
        return
    where = f"{found.nodes:,} of {found.sets:,} nodes"
    if found.perfect:
        print(f"{rule} is subgame perfect here: at none of {found.sets:,} nodes another pick gains")
    elif not found.path:
        print(f"{rule} is an equilibrium as it is played, but not subgame perfect: another pick gains at {where}")
    else:
        print(f"{rule} is no equilibrium here: another pick gains at {where}, {len(found.path)} of them reached")
    for one in found.path:
        rule_pick, better = (draft.items[x] for x in one.picks)
        print(f"turn {one.turn + 1}: player {one.player} takes {rule_pick}, and would gain {one.gain:g} by {better}")
    if not found.perfect:
        print(f"the largest gain at any node is {found.largest:g}")
    print(f"picks: {', '.join(draft.items[x] for x in found.picks)}")
    print(f"totals: {', '.join(f'{total:g}' for total in found.totals)}")


@app.command()
def ties(
    drafts: Annotated[int, typer.Option(help="random drafts, the same for all orders")] = 6000,
    seed: Annotated[int, typer.Option(help="seed of the drafts")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object an order")] = False,
) -> None:
    """Try the kth-best pick under six orders of items of equal worth: how often it is an equilibrium, and what all get."""
    from rich.progress import Progress
    from rich.table import Table

    from stratagem.cli.options import console
    from stratagem.search.drafts.audit import tie_study

    with Progress(transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("drafting", total=drafts)
        rows = tie_study(drafts, seed, lambda done: bar.update(task, completed=done))
    if as_json:
        for row in rows:
            print(json.dumps(vars(row)))
        return
    table = Table(box=None, pad_edge=False)
    for column in ("order of equals", "equilibrium everywhere", "of drafts", "all players together"):
        table.add_column(column, justify="left" if column == "order of equals" else "right")
    for row in rows:
        table.add_row(row.ties, f"{row.perfect:,}", f"{row.drafts:,}", f"{row.total:.2f}")
    console().print(table)


# --------------------------------------------------------------------------------------------------------------- league

Seed = Annotated[int, typer.Option(help="seed of simulated drafts")]
Json = Annotated[bool, typer.Option("--json", help="print one JSON object a line")]


@dataclass(frozen=True)
class LeagueFlags:
    """The league of `live`, `mock` and `league`, and your place in it: flags count before what a league file says."""

    file: Annotated[
        Path | None,
        typer.Argument(help="players: a CSV file, a site's export, or a league file (.toml); the sample if not given"),
    ] = None
    preset: Annotated[
        str | None, typer.Option(help="roster and teams of a site's league; draft presets lists them")
    ] = None
    teams: Annotated[int | None, typer.Option(help="teams in the league; 12 if nothing is said")] = None
    slot: Annotated[int | None, typer.Option(help="your place in the first round, from 1")] = None
    roster: Annotated[
        str | None, typer.Option(help="slots, such as QB:1,RB:2,WR:2,TE:1,FLEX:1,BENCH:6; RB/WR:1 takes both")
    ] = None
    order: Annotated[
        str | None, typer.Option(help="snake, round-robin, third-round-reversal, or the teams of all picks: 1,2,2,1")
    ] = None
    trade: Annotated[
        list[str] | None, typer.Option(help="a traded pick, PICK=TEAM, such as 3.05=7; may be repeated")
    ] = None
    keeper: Annotated[list[str] | None, typer.Option(help="a kept item, PICK=NAME; may be repeated")] = None
    limits: Annotated[str, typer.Option(help="the most of a position a team may hold, such as QB:2,K:1")] = ""
    opponents: Annotated[
        str | None,
        typer.Option(help="model of the other drafters: learnt (from their picks), adp, vor, need, slots, points"),
    ] = None

    def setup(self, opponents: str = "adp") -> Setup:
        """The league's file with these flags in it; a league of its own where no file is named."""
        from stratagem.fantasy.league import parse_limits
        from stratagem.fantasy.presets import Setup, preset_of, read_setup
        from stratagem.fantasy.sample import SAMPLE

        if self.file is not None and self.file.suffix == ".toml":
            found = read_setup(self.file)
        else:
            found = Setup(self.file or SAMPLE, opponents=opponents)
        changes: dict[str, Any] = {}
        if self.preset is not None:
            chosen = preset_of(self.preset)
            changes |= {"preset": self.preset, "teams": chosen.teams, "roster": chosen.slots}
            changes["best_ball"] = chosen.best_ball
        for name, value in (("teams", self.teams), ("you", self.slot), ("roster", self.roster)):
            if value is not None:
                changes[name] = value
        if self.order is not None:
            parts = self.order.split(",")
            listed = len(parts) > 1 and all(part.strip().isdecimal() for part in parts)
            changes["order"] = tuple(whole(part) for part in parts) if listed else self.order
        if self.opponents is not None:
            changes["opponents"] = self.opponents
        for name, texts in (("trades", self.trade), ("keepers", self.keeper)):
            pairs = [text.partition("=") for text in texts or []]
            for text, (_, equals, right) in zip(texts or [], pairs, strict=True):
                number = name == "trades" and not right.strip().isdecimal()
                if not equals or number:
                    wanted = "PICK=TEAM, such as 3.05=7" if name == "trades" else "PICK=NAME, such as 5.01=Some Name"
                    raise ParseError(f"{name[:-1]} {text!r} is not {wanted}")
            if pairs:
                kept = {left.strip(): whole(right) if name == "trades" else right.strip() for left, _, right in pairs}
                changes[name] = {**getattr(found, name), **kept}
        if self.limits:
            changes["limits"] = {**found.limits, **parse_limits(self.limits)}
        return replace(found, **changes)

    def league(self) -> tuple[Path, Any]:
        """The table of items, and the league that drafts them."""
        setup = self.setup()
        return setup.table, setup.league()

    def team(self) -> int:
        setup = self.setup()
        if not 1 <= setup.you <= setup.teams:
            raise OptionError(f"there is no slot {setup.you}; slots go from 1 to {setup.teams}")
        return setup.you - 1


@app.command()
def presets(as_json: Json = False) -> None:
    """List the leagues of the sites, with their rosters."""
    from stratagem.fantasy.presets import PRESETS

    for preset in PRESETS.values():
        if as_json:
            print(json.dumps({"preset": preset.name, "teams": preset.teams, "roster": preset.slots}))
        else:
            print(f"{preset.name:22} {preset.teams:2} teams  {preset.slots}")


@app.command()
@grouped
def league(
    flags: LeagueFlags,
    out: Annotated[Path, typer.Option(help="the league file to write")] = Path("league.toml"),
    budget: Annotated[
        int, typer.Option(help="dollars of each team in an auction; 0: picks by turns", min=0, max=100_000)
    ] = 0,
    force: Annotated[bool, typer.Option(help="write over a file that is there")] = False,
) -> None:
    """Write a league file that you can edit: players, roster, order, keepers, traded picks."""
    setup = flags.setup("learnt")
    if budget:
        setup = replace(setup, budget=budget)
    made = setup.league()
    if out.exists() and not force:
        raise OptionError(f"{out} is there already; --force writes over it")
    table = setup.table.resolve()
    if table.parent == out.resolve().parent:
        table = Path(table.name)
    out.write_text(replace(setup, table=table).text(), encoding="utf-8")
    kind = f"an auction with {setup.budget} a team" if setup.budget else f"{made.turns} picks"
    print(f"{out}: {setup.teams} teams, {kind}, {len(made.items)} players; draft with: stratagem draft live {out}")


@app.command()
@grouped
def live(
    flags: LeagueFlags,
    seconds: Annotated[float, typer.Option(help="thinking time for one recommendation")] = 0.8,
    seed: Seed = 0,
    save: Annotated[
        Path | None, typer.Option(help="file of the draft; FILE.draft.json in the data folder if not given")
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="go on with a saved draft")] = None,
    again: AgainFlag = False,
    as_json: Json = False,
) -> None:
    """Advise one team through a draft: type each pick as it is made, and see whom to take when it is your turn. A second run
    goes on with the draft."""
    from stratagem.cli.draft_live import Live
    from stratagem.fantasy.league import Room
    from stratagem.fantasy.learning import prior
    from stratagem.fantasy.session import Session

    if resume is not None:
        if flags.file is not None:
            raise OptionError("a resumed draft brings its own table; leave the file out")
        session, target = Session.load(resume), resume
    else:
        setup = flags.setup("learnt")
        prior(setup.opponents)  # an unknown model is reported before anything else
        if setup.budget:
            raise OptionError("this league is an auction; use: stratagem draft auction, or stratagem draft serve")
        session = Session(setup.table.resolve(), Room(setup.league()), flags.team(), setup.opponents, seed)
        target = kept_in(save, flags.file, ".draft.json")
        if goes_on(target, again):
            begun = Session.load(target)
            check_same(target, begun.json(), session.json())
            session = begun
    Live(session, target, seconds, as_json).run()


@app.command()
@grouped
def mock(
    flags: LeagueFlags,
    policy: Annotated[
        str, typer.Option(help="policy of your team: assistant, waiting, kth, uct, need, slots, vor, points or adp")
    ] = "assistant",
    drafts: Annotated[int, typer.Option(help="more than 1: a league of mock drafts, your place rotating")] = 1,
    simulations: Annotated[int, typer.Option(help="simulated drafts a recommendation")] = 96,
    seed: Seed = 0,
    save: Annotated[Path | None, typer.Option(help="keep the draft in this file, for report")] = None,
    svg: Annotated[Path | None, typer.Option(help="draw the board into this file")] = None,
    believed: Annotated[
        str | None,
        typer.Option(help="your team's first model of the others, from which it learns on: learnt (none) or a model"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Draft without a room: one whole mock draft, or the standing of a policy over many."""
    from stratagem.fantasy.learning import prior
    from stratagem.fantasy.mock import POLICIES, mock_draft, mock_league
    from stratagem.fantasy.mock import others as room_of
    from stratagem.fantasy.pictures import room_svg, room_text
    from stratagem.fantasy.report import report, report_text
    from stratagem.fantasy.session import Session

    if policy not in POLICIES:
        raise UnknownName("policy", policy, POLICIES)
    if drafts < 1 or simulations < 1:
        raise OptionError("drafts and simulations are at least 1")
    setup = flags.setup()
    model = "adp" if setup.opponents == "learnt" else setup.opponents
    others = room_of(model, setup.teams)
    if believed is not None:
        prior(believed)
    table, league, team = setup.table, setup.league(), flags.team()
    if drafts > 1:
        from rich.progress import Progress

        with Progress(transient=True, disable=not sys.stderr.isatty()) as bar:
            task = bar.add_task("drafting", total=drafts)
            found = mock_league(
                league,
                policy,
                others,
                drafts=drafts,
                seed=seed,
                simulations=simulations,
                believed=believed,
                progress=lambda done: bar.update(task, completed=done),
            )
        if as_json:
            print(json.dumps({"opponents": model, **found.json()}))
        else:
            print(
                f"{policy} against {model}, {drafts} drafts: "
                f"line-up {found.points:.1f} +- {found.points_interval:.1f}, "
                f"{found.ahead:+.1f} +- {found.ahead_interval:.1f} to the other teams, "
                f"rank {found.rank:.2f} +- {found.rank_interval:.2f} of {setup.teams}"
            )
        return
    room = mock_draft(league, team, policy, others, seed=seed, simulations=simulations, believed=believed)
    if save is not None:
        Session(table.resolve(), room, team, model, seed).save(save)
    if svg is not None:
        svg.write_text(room_svg(room), encoding="utf-8")
    if as_json:
        lineups = [round(room.lineup(k)[0], 2) for k in range(setup.teams)]
        names = [league.items[x].name for x in room.picks]
        print(json.dumps({"team": team, "policy": policy, "seed": seed, "picks": names, "points": lineups}))
        return
    print(room_text(room))
    print(report_text(room, report(room, seed=seed), team))


@app.command()
@grouped
def auction(
    flags: LeagueFlags,
    budget: Annotated[
        int | None, typer.Option(help="dollars of each team; 200 if not given", min=1, max=100_000)
    ] = None,
    mock_: Annotated[bool, typer.Option("--mock", help="play a whole auction by itself, your team as advised")] = False,
    against: Annotated[str, typer.Option(help="bidders of a mock auction: value (of the moment) or table")] = "value",
    simulations: Annotated[int, typer.Option(help="simulated auctions a bid, in a mock auction", min=1)] = 32,
    seed: Seed = 0,
    save: Annotated[
        Path | None, typer.Option(help="file of the auction; FILE.auction.json in the data folder if not given")
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="go on with a saved auction")] = None,
    again: AgainFlag = False,
    as_json: Json = False,
) -> None:
    """Advise one team through an auction: type who comes up, see how far to bid. Or play a mock one."""
    from stratagem.cli.draft_auction import LiveAuction, auction_data, auction_text, begin_auction, load_auction
    from stratagem.fantasy.auction import BIDDERS, BUDGET, Bidder, mock_auction

    if resume is not None:
        if flags.file is not None:
            raise OptionError("a resumed auction brings its own table; leave the file out")
        going, setup = load_auction(resume)
        LiveAuction(going, setup, resume, as_json).run()
        return
    setup = flags.setup()
    setup = replace(setup, budget=budget or setup.budget or BUDGET)
    if mock_:
        if against not in BIDDERS:
            raise UnknownName("bidder", against, BIDDERS)
        bidders = [Bidder(against)] * setup.teams
        bidders[flags.team()] = Bidder("assistant")
        done = mock_auction(setup.league(), bidders, budget=setup.budget, seed=seed, simulations=simulations)
        if as_json:
            points = [round(done.lineup(t)[0], 1) for t in range(setup.teams)]
            items = done.league.items
            print(
                json.dumps({"points": points, "sales": [[items[s.item].name, s.team + 1, s.price] for s in done.sales]})
            )
        else:
            print(auction_text(done))
        return
    target, auction = kept_in(save, flags.file, ".auction.json"), begin_auction(setup)
    if goes_on(target, again):
        begun, terms = load_auction(target)
        check_same(target, auction_data(begun, terms), auction_data(auction, setup))
        auction = begun
    LiveAuction(auction, setup, target, as_json).run()


def _is_auction(file: Path) -> bool:
    try:
        return '"auction"' in file.read_text(encoding="utf-8")[:200]
    except (OSError, UnicodeDecodeError):
        return False  # whoever reads it says what is wrong


@app.command(name="report")
def report_command(
    file: Annotated[Path, typer.Argument(help="a draft saved by live or mock, or a saved auction")],
    seed: Seed = 0,
    svg: Annotated[Path | None, typer.Option(help="draw the board into this file")] = None,
    html: Annotated[Path | None, typer.Option(help="write a report to share, as one HTML file")] = None,
    as_json: Json = False,
) -> None:
    """Look back at a draft: line-ups, grades, steals and reaches, and what each pick cost."""
    from stratagem.fantasy.pictures import room_svg, room_text
    from stratagem.fantasy.report import report, report_json, report_text
    from stratagem.fantasy.session import Session

    if _is_auction(file):
        from stratagem.cli.draft_auction import auction_text, load_auction
        from stratagem.fantasy.html_report import auction_html

        done, setup = load_auction(file)
        if html is not None:
            html.write_text(auction_html(done, team=setup.you - 1, seed=seed), encoding="utf-8")
        print(auction_text(done))
        return
    session = Session.load(file)
    teams = report(session.room, seed=seed)
    if svg is not None:
        svg.write_text(room_svg(session.room), encoding="utf-8")
    if html is not None:
        from stratagem.fantasy.html_report import report_html

        html.write_text(report_html(session.room, team=session.team, seed=seed), encoding="utf-8")
    if as_json:
        for line in report_json(session.room, teams):
            print(json.dumps(line))
        return
    print(room_text(session.room))
    print(report_text(session.room, teams, session.team))


@app.command()
@grouped
def serve(
    flags: LeagueFlags,
    host: Annotated[str, typer.Option(help="the address to listen on; 0.0.0.0 lets friends in")] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(help="the port, 0: any free one; 8710 or the next free one if left out", min=0, max=65535),
    ] = None,
    store: Annotated[
        Path | None, typer.Option(help="file of the rooms; FILE.rooms.sqlite in the data folder if not given")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="begin a new live draft, instead of going on")] = False,
    name: Annotated[list[str] | None, typer.Option(help="a host name to answer to besides this machine's")] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            help="the address of a reverse proxy, whose X-Forwarded-For names the visitors; nobody else's is believed"
        ),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="open the browser")] = True,
) -> None:
    """Open the draft room in the browser: one click a pick, advice beside it, rooms by link for mock drafts."""
    import socket
    import threading
    import webbrowser

    import uvicorn

    from stratagem.cli.serve import listening
    from stratagem.fantasy.learning import prior
    from stratagem.store.sqlite import Store
    from stratagem.web.connections import settings
    from stratagem.web.draft import create_draft_app

    setup = flags.setup("learnt")
    prior(setup.opponents)
    names = [*(name or []), *([host] if host not in ("0.0.0.0", "::") else [socket.gethostname()])]
    kept = kept_in(store, flags.file, ".rooms.sqlite")
    rooms = Store(kept, durable=True)
    guarded, path, note = create_draft_app(rooms, setup, names=tuple(names), fresh=fresh)
    with listening(host, port, 8710) as listener:
        shown = f"[{host}]" if ":" in host else {"0.0.0.0": "127.0.0.1"}.get(host, host)
        url = f"http://{shown}:{listener.getsockname()[1]}{path}"
        if note:
            print(note, file=sys.stderr)
        print(f"The draft is at {url} (kept in {kept}); Ctrl-C ends it", flush=True)
        if open_browser:
            threading.Timer(0.5, webbrowser.open, (url,)).start()
        uvicorn.Server(settings(guarded, tuple(proxy or ()))).run(sockets=[listener])
    rooms.close()
