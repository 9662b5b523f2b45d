"""`stratagem arena`: matches, ratings, sequential tests, records."""

from __future__ import annotations

import json
import math
import shlex
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.table import Table

from stratagem.arena.config import DRAW, GAUNTLET, ROUND_ROBIN, Config, split_names
from stratagem.arena.playing import replay as replay_game
from stratagem.arena.ratings import Outcome, by_seat, pair_counts, rate
from stratagem.arena.report import (
    crosstable,
    fresh_outcomes,
    game_json,
    games_of_lines,
    outcomes,
    reasons,
    write_plots,
)
from stratagem.arena.runner import Progress, open_match, run_match
from stratagem.arena.sequential import SequentialTest
from stratagem.arena.sprt import Hypotheses, SprtVerdict, judge
from stratagem.cli.live_screen import LiveScreen
from stratagem.cli.options import TrustFlag, console, file_text, grouped
from stratagem.cli.terminal import captioned
from stratagem.errors import OptionError, ParseError, StratagemError, Untrusted
from stratagem.store import Records, open_store
from stratagem.store.stored import Match, Played, StoredGame

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Matches between players, their ratings and records."
)

Players = Annotated[
    list[str] | None, typer.Argument(help="players as GAME/PLAYER:OPTION=VALUE, such as connect4/mcts:time=0.2")
]
StoreFile = Annotated[
    str | None,
    typer.Option("--store", help="the records: a file, or postgresql://USER@HOST/DATABASE; the user's own if left out"),
]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON, one object a line")]


@dataclass(frozen=True)
class MatchTerms:
    """What `run` and `test` both ask about a match."""

    store: StoreFile = None
    name: Annotated[str | None, typer.Option(help="the match's name; made of its terms if left out")] = None
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", help="an option of the game, NAME=VALUE; may be repeated")
    ] = None
    seed: Annotated[int, typer.Option(help="seed of openings, of chance and of the players' random draws")] = 0
    seconds: Annotated[
        str | None,
        typer.Option(
            "--time",
            help="seconds a move; each player's own if left out. `arena run` plays a match for each of several: 0.2,1",
        ),
    ] = None
    grace: Annotated[float, typer.Option(help="seconds a player may be late before it loses")] = 2.0
    patience: Annotated[float, typer.Option(help="seconds before a player without a clock is taken to hang")] = 60.0
    first_move: Annotated[
        float, typer.Option(help="seconds more for a player's first move in a process, and for moves that compile")
    ] = 60.0
    opening_plies: Annotated[
        int, typer.Option(help="random moves at the start, the same for every rotation of the seats")
    ] = 0
    openings: Annotated[Path | None, typer.Option(help="a file of positions to start from, one a line")] = None
    turn_limit: Annotated[int | None, typer.Option(help="stop a game after so many plies")] = None
    at_limit: Annotated[
        str, typer.Option(help="result of a stopped game: draw, or value (the rules' own estimate)")
    ] = DRAW
    adjudicate: Annotated[
        str | None, typer.Option(help="VALUE:N, stop when both sides' last N values agree on a winner")
    ] = None
    workers: Annotated[int | None, typer.Option(help="processes; as many as there are cores if left out")] = None
    cluster: Annotated[
        str | None, typer.Option(help="play on a Ray cluster: local, auto, or ADDRESS:PORT of its head")
    ] = None
    resume: Annotated[
        bool,
        typer.Option("--resume", help="go on with a match that is there: its name alone is enough; never begin one"),
    ] = False
    again: Annotated[bool, typer.Option("--again", help="play a match of these terms anew, under another name")] = False
    trust: TrustFlag = False
    as_json: AsJson = False

    def __post_init__(self) -> None:
        if self.resume and self.again:
            raise OptionError("--resume goes on with a match and --again plays another one; give one of them")
        if self.workers is not None and self.workers < 1:
            raise OptionError(f"{self.workers} processes play nothing; give 1 or more")
        for text in (self.seconds or "0").split(","):
            try:
                float(text)
            except ValueError:
                raise OptionError(f"option time is {self.seconds!r}; it takes seconds, such as 0.2, or 0.2,1") from None

    def by_time(self) -> list[MatchTerms]:
        """These terms for each of the times, the match's name telling which."""
        times = [] if self.seconds is None else self.seconds.split(",")
        if len(times) < 2:
            return [self]
        named = [None if self.name is None else f"{self.name}-{text}s" for text in times]
        return [replace(self, seconds=text, name=name) for text, name in zip(times, named, strict=True)]

    def match(self, store: Records, players: list[str] | None, *, later: bool = False, **more: Any) -> Match:
        """The match of these terms: one to go on with, or a new one; see `open_match`. A `later` one of several may be begun
        where the first is resumed."""
        store.check()
        if not players and self.resume and self.name:
            found = store.match(self.name)
            Config.from_json(found.config).check_harmless(trust=self.trust, playing=True)
            return found
        config = self._config(players, **more)
        if config.sprt is not None:
            SequentialTest.of(config)  # refuses what cannot be tested before anything is recorded
        match = open_match(store, config, self.name, resume=self.resume and not later, again=self.again)
        done = len(store.numbers(match.id))
        if done and not self.resume:
            state = "is complete" if done >= config.total else f"goes on: {done} of {config.total} games are on record"
            print(f"match {match.name!r} {state}; --again plays it anew, under another name", file=sys.stderr)
        return match

    def _one_time(self) -> float | None:
        if self.seconds is not None and "," in self.seconds:
            raise OptionError(f"option time is {self.seconds!r}; here it takes one number of seconds")
        return None if self.seconds is None else float(self.seconds)

    def _config(self, players: list[str] | None, **more: Any) -> Config:
        game, names = split_names(players or [])
        options: dict[str, Any] = {}
        for item in self.option or []:
            key, equals, value = item.partition("=")
            if not equals:
                raise OptionError(f"{item!r} is not an option NAME=VALUE")
            options[key.replace("-", "_")] = value
        config = Config(
            game,
            names,
            options,
            seed=self.seed,
            time=self._one_time(),
            grace=self.grace,
            patience=self.patience,
            first_move=self.first_move,
            opening_plies=self.opening_plies,
            openings=_openings(self.openings),
            turn_limit=self.turn_limit,
            at_limit=self.at_limit,
            adjudicate=_adjudicate(self.adjudicate),
            **more,
        )
        return replace(config, options=dict(config.rules.chosen))  # so that equal terms in other words are equal


@app.command()
@grouped
def run(
    players: Players = None,
    games: Annotated[int, typer.Option(help="games in all; rounded up so that everybody meets from every seat")] = 100,
    gauntlet: Annotated[
        bool, typer.Option("--gauntlet", help="the first player meets the others, who do not meet")
    ] = False,
    *,
    terms: MatchTerms,
) -> None:
    """Play a round robin or a gauntlet of players of one game; every game is recorded as it ends. GAME/all-baselines are all the
    searches of whole turns that a game has."""
    with open_store(terms.store) as store:
        times = terms.by_time()
        for each in times:  # those behind the one that was interrupted have not begun
            match = each.match(
                store, players, later=each is not times[0], games=games, format=GAUNTLET if gauntlet else ROUND_ROBIN
            )
            config = Config.from_json(match.config)
            if config.sprt is not None:
                raise OptionError(
                    f"match {match.name!r} is a sequential test: "
                    f"go on with stratagem arena test --resume --name {match.name}"
                )
            with MatchScreen(match, config, outcomes(store, match)) as screen:
                _play(store, match, each, screen, several=len(times) > 1)
            _show_match(store, match, each.as_json)


@app.command("test")
@grouped
def sequential_test(
    players: Players = None,
    elo0: Annotated[float, typer.Option(help="the Elo difference to be refuted")] = 0.0,
    elo1: Annotated[float, typer.Option(help="the Elo difference to be shown")] = 5.0,
    alpha: Annotated[float, typer.Option(help="accepted risk that elo1 is accepted though elo0 is true")] = 0.05,
    beta: Annotated[float, typer.Option(help="accepted risk that elo0 is accepted though elo1 is true")] = 0.05,
    games: Annotated[int, typer.Option(help="the most games")] = 100_000,
    *,
    terms: MatchTerms,
) -> None:
    """Play A against B until a sequential test tells whether A is stronger, by pairs of games from both sides."""
    with open_store(terms.store) as store:
        sprt = {"elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta}
        match = terms.match(store, players, games=games, sprt=sprt)
        config = Config.from_json(match.config)
        if config.sprt is None:
            raise OptionError(
                f"match {match.name!r} is no sequential test: go on with stratagem arena run --resume --name {match.name}"
            )
        sequence = SequentialTest.of(config)
        known = outcomes(store, match)
        if not sequence.add(known):
            with MatchScreen(match, config, known, sequence) as screen:
                _play(store, match, terms, screen)
        _print_verdict(
            sequence.verdict,
            terms.as_json,
            {"match": match.name, "games": len(outcomes(store, match)), "pairs": sequence.next},
        )


@app.command()
def sprt(
    wins: Annotated[int | None, typer.Option(help="games won")] = None,
    draws: Annotated[int | None, typer.Option(help="games drawn")] = None,
    losses: Annotated[int | None, typer.Option(help="games lost")] = None,
    pairs: Annotated[
        str | None, typer.Option(help="pairs of games as LL,LD,DD_or_WL,WD,WW, in place of single games")
    ] = None,
    elo0: Annotated[float, typer.Option(help="the Elo difference to be refuted")] = 0.0,
    elo1: Annotated[float, typer.Option(help="the Elo difference to be shown")] = 5.0,
    alpha: Annotated[float, typer.Option(help="accepted risk that elo1 is accepted though elo0 is true")] = 0.05,
    beta: Annotated[float, typer.Option(help="accepted risk that elo0 is accepted though elo1 is true")] = 0.05,
    as_json: AsJson = False,
) -> None:
    """Judge results that are at hand: the log-likelihood ratio, its bounds, the decision, Elo and its 95% error."""
    hypotheses = Hypotheses(elo0, elo1, alpha, beta)
    single = [losses or 0, draws or 0, wins or 0]
    if min(single) < 0:
        raise OptionError(f"results are counted from 0: wins {wins}, draws {draws}, losses {losses}")
    given = (wins, draws, losses) != (None, None, None)
    if pairs is None:
        if not given:
            raise OptionError("give the results: --wins W --draws D --losses L, or --pairs LL,LD,DD,WD,WW")
        _print_verdict(judge(single, hypotheses), as_json, {})
        return
    try:
        double = [int(item) for item in pairs.split(",")]
    except ValueError:
        double = []
    if len(double) != 5 or min(double) < 0:
        raise ParseError(f"pairs {pairs!r} are not five counts with commas between: LL,LD,DD_or_WL,WD,WW")
    if sum(single):
        points = sum(k * count for k, count in enumerate(double))
        if sum(single) != 2 * sum(double) or single[1] + 2 * single[2] != points:
            raise OptionError(
                f"{sum(double)} pairs with {points / 2:g} points do not add up to {sum(single)} games with "
                f"{single[1] / 2 + single[2]:g}; leave out --wins, --draws and --losses, or correct them"
            )
    _print_verdict(judge(double, hypotheses), as_json, {})


@app.command()
def show(
    name: Annotated[str | None, typer.Argument(help="a match; all are listed if left out")] = None,
    store: StoreFile = None,
    plots: Annotated[Path | None, typer.Option(help="a folder to write plots to, as SVG")] = None,
    trust: TrustFlag = False,
    as_json: AsJson = False,
) -> None:
    """Show matches, or one match's ratings, results by seat and faults."""
    with open_store(store, create=False) as opened:
        if name is not None:
            match = opened.match(name)
            Config.from_json(match.config).check_harmless(trust=trust)
            _show_match(opened, match, as_json)
            if plots is not None:
                for file in write_plots(opened, match, plots):
                    print(f"wrote {file}", file=sys.stderr)
            return
        if plots is not None:
            raise OptionError("name the match that is to be plotted")
        table = Table(box=None, pad_edge=False)
        for column in ("match", "game", "players", "games", "of", "begun"):
            table.add_column(column, overflow="fold")  # names are whole, on several lines
        for match in opened.matches():
            given, done = match.config, len(opened.numbers(match.id))
            begun = time.strftime("%Y-%m-%d %H:%M", time.localtime(match.at))
            try:
                config = Config.from_json(given)
                config.check_harmless(trust=trust)
                total: int | None = config.total
            except StratagemError as error:  # a game of somebody's own, not trusted or gone, hides no other match
                total = None
                print(f"{match.name}: {error}", file=sys.stderr)
            if as_json:
                print(json.dumps({"match": match.name, "games": done, "of": total, "at": match.at, **given}))
            of = "?" if total is None else str(total)
            table.add_row(match.name, given["game"], " ".join(given["players"]), str(done), of, begun)
        if not as_json:
            console().print(table)


@app.command()
def export(
    name: Annotated[str | None, typer.Argument(help="a match; everything if left out")] = None,
    store: StoreFile = None,
    out: Annotated[Path | None, typer.Option(help="the file to write; standard output if left out")] = None,
) -> None:
    """Export games as JSON, one object a line."""
    with open_store(store, create=False) as opened:
        found = opened.games(None if name is None else opened.match(name).id)
        if out is None:
            for game in found:
                print(json.dumps(game_json(game)))
            return
        count = 0
        with out.open("w") as file:
            for game in found:
                file.write(json.dumps(game_json(game)) + "\n")
                count += 1
        print(f"{count} games written to {out}", file=sys.stderr)


@app.command()
def replay(
    name: Annotated[str | None, typer.Argument(help="a match; everything if left out")] = None,
    store: StoreFile = None,
    game: Annotated[int | None, typer.Option(help="one game by its id, shown move by move")] = None,
    number: Annotated[int | None, typer.Option(help="one game by its number in the match, shown move by move")] = None,
    file: Annotated[
        Path | None, typer.Option(help="exported games in place of the store; - for standard input")
    ] = None,
    trust: TrustFlag = False,
    as_json: AsJson = False,
) -> None:
    """Play recorded games again and check them against the rules; one game alone is shown move by move."""
    if file is not None:
        lines = sys.stdin if str(file) == "-" else file_text(file).splitlines()
        _verify((g for g in games_of_lines(lines) if game is None or g.id == game), as_json, trust)
        return
    with open_store(store, create=False) as opened:
        if number is not None:
            if name is None:
                raise OptionError("say of which match the number is")
            match = opened.match(name)
            found = [g.id for g in opened.games(match.id) if g.number == number]
            if not found:
                raise StratagemError(f"match {name!r} has no game {number} on record")
            game = found[0]
        if game is not None:
            _walk(opened.game(game), trust)
            return
        _verify(opened.games(None if name is None else opened.match(name).id), as_json, trust)


# ------------------------------------------------------------------------------------------------ reading arguments


def _openings(file: Path | None) -> tuple[str, ...]:
    if file is None:
        return ()
    lines = tuple(line.strip() for line in file_text(file).splitlines() if line.strip() and not line.startswith("#"))
    if not lines:
        raise ParseError(f"{file} holds no positions")
    return lines


def _adjudicate(text: str | None) -> tuple[float, int] | None:
    if text is None:
        return None
    value, _, count = text.partition(":")
    try:
        return float(value), int(count)
    except ValueError:
        raise ParseError(f"{text!r} is not VALUE:N, such as 0.9:4") from None


# ---------------------------------------------------------------------------------------------------------- showing


def _play(store: Records, match: Match, terms: MatchTerms, screen: MatchScreen, *, several: bool = False) -> None:
    try:
        run_match(store, match, workers=terms.workers, watch=screen.watch, stop=screen.stop, cluster=terms.cluster)
    except KeyboardInterrupt:
        screen.close()
        config = Config.from_json(match.config)
        done, total = len(store.numbers(match.id)), config.total
        verb = "run" if screen.sequence is None else "test"
        this = f"stratagem arena {verb} --resume --name {shlex.quote(match.name)} --store {shlex.quote(store.address)}"
        this += " --trust" if config.runs_code else ""
        how = f"go on with: {this}"
        if several:
            how = f"the same command goes on with this time and the others; with this one alone: {this}"
        print(f"stopped: {done} of {total} games are recorded; {how}", file=sys.stderr)
        raise typer.Exit(130) from None


class MatchScreen(LiveScreen):
    """The state of a running match."""

    def __init__(
        self, match: Match, config: Config, known: list[Outcome], sequence: SequentialTest | None = None
    ) -> None:
        super().__init__()
        self.match, self.config, self.sequence = match, config, sequence
        self.found = known
        self.next = time.monotonic() + (0.3 if self.live else 10.0)

    def watch(self, progress: Progress, games: list[Played]) -> None:
        self.found += fresh_outcomes(self.config, games)
        now = time.monotonic()
        if now < self.next:
            return
        if self.live:
            self.live.update(self._table(progress), refresh=True)
        else:
            print(self._line(progress), file=sys.stderr, flush=True)
        # drawing takes a twentieth of the time at most, however many games there are
        self.next = time.monotonic() + max(0.3 if self.live else 10.0, 20 * (time.monotonic() - now))

    def stop(self, games: list[Played]) -> bool:
        return self.sequence is not None and self.sequence.add(fresh_outcomes(self.config, games))

    def _line(self, progress: Progress) -> str:
        left = progress.seconds_left
        line = f"{self.match.name}: {progress.done} of {progress.total} games, {60 * progress.speed:,.0f} a minute"
        if self.sequence is not None:
            verdict = self.sequence.verdict
            return f"{line}, llr {verdict.llr:+.2f} of {verdict.lower:.2f} .. {verdict.upper:.2f}"
        line += "" if left is None else f", {_duration(left)} left"
        return line + (f", {progress.faults} faults" if progress.faults else "")

    def _table(self, progress: Progress) -> Group:
        table = Table(box=None, pad_edge=False)
        _rating_rows(table, self.found)
        return captioned(self._line(progress), table)


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


NAMES = ("seat", "player", "against")  # columns of names
LONGEST = "better than the next"  # a heading that may take two lines


def _columns(table: Table, *names: str) -> None:
    """Columns of a table of results: names are whole, on several lines where the terminal is narrow, and numbers unbroken."""
    for name in names:
        if name in NAMES:
            table.add_column(name, overflow="fold")
        else:
            table.add_column(name, justify="right", no_wrap=name != LONGEST)


def _rating_rows(table: Table, found: list[Outcome]) -> None:
    _columns(table, "player", "Elo", "±", "games", "score", "payoff", LONGEST)
    if not found:
        return
    ratings = rate(found)
    for k, rating in enumerate(ratings.table):
        los = f"{ratings.superiority[k, k + 1]:.1%}" if k + 1 < len(ratings.table) else ""
        mark = "" if ratings.certain else "*"
        payoff = f"{rating.payoff:+.3f} ± {rating.payoff_error:.3f}"
        table.add_row(
            rating.player,
            f"{rating.elo:+.1f}{mark}",
            f"{rating.error:.1f}",
            str(rating.games),
            f"{rating.score:.1%}",
            payoff,
            los,
        )


def _show_match(store: Records, match: Match, as_json: bool) -> None:
    found = outcomes(store, match)
    config = Config.from_json(match.config)
    if as_json:
        for row in rate(found).json():
            seated = [vars(r) for r in by_seat(found, row["player"])]
            print(json.dumps({"match": match.name, **row, "seats": seated}))
        return
    screen = console()
    screen.print(f"{match.name}: {len(found)} of {config.total} games of {config.game}, seed {config.seed}")
    if not found:
        return
    ratings = Table(box=None, pad_edge=False)
    _rating_rows(ratings, found)
    screen.print(ratings)
    if not rate(found).certain:
        screen.print("* somebody has only won or only lost: ratings are held in by one virtual draw each")
    distinct = store.distinct(match.id)
    if distinct < len(found) / 2:
        screen.print(
            f"note: only {distinct} of these games differ, so the errors are too small: give more --opening-plies"
        )
    screen.print()
    seats = Table(box=None, pad_edge=False)
    _columns(seats, "seat", "player", "games", "wins", "ties", "win rate", "95% interval")
    for player in (None, *config.players):
        for r in by_seat(found, player):
            seats.add_row(
                config.rules.seat_name(r.seat),
                player or "all",
                str(r.games),
                str(r.wins),
                str(r.ties),
                f"{r.rate:.1%}",
                f"{r.low:.1%} .. {r.high:.1%}",
            )
    screen.print(seats)
    screen.print()
    met = Table(box=None, pad_edge=False)
    _columns(met, "player", "against", "won", "drawn", "lost")
    for (a, b), (won, drawn, lost) in crosstable(found).items():
        met.add_row(a, b, str(won), str(drawn), str(lost))
    screen.print(met)
    if config.rules.players == 2 and len(config.players) == 2:
        _, pairs = pair_counts(found, config.players[0])
        screen.print(f"\npairs of {config.players[0]}, as arena sprt --pairs takes them: {','.join(map(str, pairs))}")
    if config.sprt is not None:
        sequence = SequentialTest.of(config)
        sequence.add(found)
        screen.print(
            f"\nsequential test, elo0 {config.sprt['elo0']:g}, elo1 {config.sprt['elo1']:g}, {sequence.next} pairs judged:"
        )
        _print_verdict(sequence.verdict, False, {})
    ended, faults = reasons(store, match)
    screen.print("\nended: " + ", ".join(f"{reason} {count}" for reason, count in ended.most_common()))
    for (player, reason), count in faults.most_common():
        screen.print(f"fault: {player} lost {count} by {reason}")


def _print_verdict(verdict: SprtVerdict, as_json: bool, more: dict[str, Any]) -> None:
    if as_json:
        print(json.dumps({**more, **verdict.json()}))
        return
    for key, value in more.items():
        print(f"{key}: {value}")
    words = {"H0": "H0: elo0 is accepted", "H1": "H1: elo1 is accepted"}.get(
        verdict.decision, "continue: more games are needed"
    )
    print(f"llr {verdict.llr:+.3f} between {verdict.lower:.3f} and {verdict.upper:.3f}: {words}")
    if verdict.elo is not None:
        error = (
            f" ± {verdict.elo_error:.1f}" if verdict.elo_error is not None and math.isfinite(verdict.elo_error) else ""
        )
        print(f"Elo {verdict.elo:+.1f}{error} (95%), likelihood of superiority {verdict.los:.1%}")
    print(f"counts, worst first: {', '.join(map(str, verdict.counts))}")


def _verify(games: Iterable[StoredGame], as_json: bool, trust: bool) -> None:
    count = bad = 0
    for game in games:
        count += 1
        try:
            replay_game(game, trust=trust)
            error = None
        except Untrusted:
            raise
        except StratagemError as found:
            error, bad = str(found), bad + 1
        if as_json:
            print(
                json.dumps(
                    {"id": game.id, "number": game.number, "ok": error is None, **({"error": error} if error else {})}
                )
            )
        elif error:
            print(error if error.startswith("game ") else f"game {game.id}: {error}")
    if bad:
        raise StratagemError(f"{bad} of {count} records do not replay")
    if not count:
        raise StratagemError("there are no such games to replay")
    if not as_json:
        print(f"{count} games replayed: every move is legal and every result is as recorded")


def _walk(game: StoredGame, trust: bool) -> None:
    end = replay_game(game, trust=trust)
    rules = end.game
    print(f"game {game.id}: {game.game}, {' against '.join(game.seats)}")
    position = rules.start() if game.origin is None else rules.parse(game.origin)
    print(position.text_art())
    for ply, move in enumerate(game.moves, 1):
        who = (
            "chance"
            if position.turn < 0 and not position.asked
            else ", ".join(rules.seat_name(s) for s in position.asked)
        )
        spent = "" if move.seconds is None else f"  ({move.seconds:.3g} s)"
        position = position.play(move.text)
        print(f"\n{ply}. {who}: {move.text}{spent}\n{position.text_art()}")
    result = game.result
    if result is not None:
        who = "" if result.seat is None else f", {rules.seat_name(result.seat)} at fault"
        detail = f": {result.detail}" if result.detail else ""
        print(f"\n{result.reason}{who}{detail}; payoffs {list(result.payoff)}")
