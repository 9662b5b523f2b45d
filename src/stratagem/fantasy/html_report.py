"""The report of a draft as one HTML file that a person would share: grades with reasons, best and worst picks, the engine's own.

No script and nothing from elsewhere: the file can be sent, and opens anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

import numpy as np

from stratagem.fantasy.advice import recommend
from stratagem.fantasy.auction import CHEAP, Auction, Sale, advise_bid
from stratagem.fantasy.league import Room
from stratagem.fantasy.learning import LEARNT, Learner
from stratagem.fantasy.pictures import room_svg
from stratagem.fantasy.report import GRADES, TeamReport, report

SHOWN = 5  # picks of the best and of the worst
NEAR = 0.5  # of a round, how far around a pick the average positions that make its usual value may lie

STYLE = """
body{margin:0;background:#f6f4ef;color:#1b1b1b;font:16px/1.5 system-ui,"DejaVu Sans",sans-serif}
main{max-width:70rem;margin:0 auto;padding:1rem}h1{font-size:1.6rem;margin:.3rem 0}h2{font-size:1.2rem;margin:1.4rem 0 .4rem}
table{border-collapse:collapse;width:100%;background:#fff}
th,td{text-align:left;padding:.3rem .5rem;border-bottom:1px solid #d0cbc0;vertical-align:top}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}.grade{font-weight:700;font-size:1.3rem}
.A{color:#005f46}.B{color:#1f4e8c}.C{color:#5a5a58}.D,.E{color:#a3180a}.scroll{overflow-x:auto}small{color:#5a5a58}
svg{max-width:100%;height:auto;background:#fff}.lead{color:#5a5a58}@media(max-width:500px){th,td{padding:.25rem}main{padding:.5rem}}
"""


@dataclass(frozen=True)
class Worth:
    """A pick by its value over what a pick at its place usually brings."""

    turn: int
    item: int
    over: float


@dataclass(frozen=True)
class Instead:
    """What the engine would have taken, knowing what was known then."""

    turn: int
    taken: int
    engine: int
    behind: float  # what the pick lost in the worth of the final roster, as it looked then
    error: float


def usual_values(room: Room) -> list[float]:
    """For each pick the mean value over replacement of the players that usually go about there."""
    league = room.league
    adp, vor = np.array([i.adp for i in league.items]), np.array(league.vor)
    near = max(league.teams * NEAR, 2.0)
    found = []
    for turn in range(league.turns):
        there = np.abs(adp - (turn + 1)) <= near
        found.append(float(vor[there].mean()) if there.any() else float(np.min(vor)))
    return found


def by_worth(room: Room) -> list[Worth]:
    """All picks, the best value first; what is below replacement counts as nothing, and keepers are no picks."""
    usual, league = usual_values(room), room.league
    found = [
        Worth(t, x, max(league.vor[x], 0.0) - max(usual[t], 0.0))
        for t, x in enumerate(room.picks)
        if t not in league.keepers
    ]
    return sorted(found, key=lambda w: (-w.over, w.turn))


def engine_picks(room: Room, team: int, *, simulations: int = 48, seed: int = 0) -> list[Instead]:
    """What the engine would have done at each pick of a team, with the others learnt from the picks before it."""
    league, found = room.league, []
    learner = Learner(league, team, LEARNT)
    for turn, x in enumerate(room.picks):
        if league.order[turn] != team or turn in league.keepers:
            continue
        then = Room(league, room.picks[:turn]) if turn else Room(league)
        advice = recommend(
            then, opponents=learner.believe(then), simulations=simulations, seed=seed + turn, survival_simulations=1
        )
        if not advice.recommendations:
            continue
        best = advice.recommendations[0]
        if best.item == x:
            found.append(Instead(turn, x, x, 0.0, 0.0))
            continue
        both = recommend(
            then,
            opponents=learner.believe(then),
            only=[best.item, x],
            simulations=simulations,
            seed=seed + turn,
            survival_simulations=1,
        )
        worth = {r.item: r.worth for r in both.recommendations}
        error = max(r.error for r in both.recommendations)
        found.append(Instead(turn, x, best.item, max(worth[best.item] - worth[x], 0.0), error))
    return found


def reasons(room: Room, team: TeamReport, worth: Sequence[Worth]) -> str:
    """Why a team has its grade, in sentences."""
    league = room.league
    said = (
        [f"The line-up has {team.points:.0f} points so far."]
        if not room.over
        else [
            f"The line-up has {team.points:.0f} points, {abs(team.points - team.baseline):.0f} "
            f"{'more' if team.points >= team.baseline else 'fewer'} than plain drafters get from this seat."
        ]
    )
    strength: dict[str, list[float]] = {}
    for k in range(league.teams):
        slots = room.lineup(k)[1]
        for s, slot in enumerate(league.starters):
            points = league.items[slots[s]].points if s in slots else 0.0
            strength.setdefault("/".join(slot), [0.0] * league.teams)[k] += points
    apart = {slot: values[team.team] - sum(values) / len(values) for slot, values in strength.items()}
    best, worst = max(apart, key=lambda s: apart[s]), min(apart, key=lambda s: apart[s])
    if apart[best] > 3:
        said.append(f"Strongest at {best} ({apart[best]:+.0f} to the league's mean).")
    if apart[worst] < -3:
        said.append(f"Weakest at {worst} ({apart[worst]:+.0f}).")
    own = [w for w in worth if league.order[w.turn] == team.team]
    if own and own[0].over > 0:
        said.append(f"Best value: {league.items[own[0].item].name} at {league.pick_name(own[0].turn)}.")
    if not team.complete and room.over:
        said.append(f"Open: {', '.join(room.open_slots(team.team))}.")
    return " ".join(said)


def report_html(
    room: Room, names: Sequence[str] | None = None, *, team: int | None = None, seed: int = 0, simulations: int = 48
) -> str:
    """The whole file. team: whose picks are held against the engine's; the best one's, if not said."""
    league = room.league
    names = list(names or (f"Team {k + 1}" for k in range(league.teams)))
    teams = report(room, seed=seed)
    worth = by_worth(room)
    ranked = sorted(teams, key=lambda t: t.rank)
    chosen = ranked[0].team if team is None else team
    rows = "".join(
        f'<tr><td class="n">{t.rank}</td><th scope="row">{escape(names[t.team])}</th>'
        f'<td class="grade {t.grade if room.over else "C"}">{t.grade if room.over else "–"}</td>'
        f'<td class="n">{t.points:.0f}</td><td>{escape(reasons(room, t, worth))}</td></tr>'
        for t in ranked
    )
    made = (
        f"{room.turn} of {league.turns} picks, and grades when all are made"
        if not room.over
        else f"{league.turns} picks"
    )
    parts = [
        f"<h1>Draft report</h1><p class=lead>{league.teams} teams, {made}, {escape(league.slots)}. Points are the projections "
        "of the table that was drafted from, taken as true.</p>",
        '<h2>Grades</h2><div class="scroll"><table><thead><tr><th>Rank</th><th>Team</th><th>Grade</th><th>Line-up</th>'
        f"<th>Why</th></tr></thead><tbody>{rows}</tbody></table></div>",
        _picks("Best picks by value", room, names, worth[:SHOWN]),
        _picks("Worst picks by value", room, names, worth[::-1][:SHOWN]),
        _instead(room, names[chosen], engine_picks(room, chosen, simulations=simulations, seed=seed)),
        f'<h2>The board</h2><div class="scroll">{room_svg(room)}</div>',
        "<p><small>Value is a player's points over those of a replacement, beside what players who usually go about there "
        "bring. Grades compare a line-up with those of three plain drafters from the same seat: A is a standard deviation "
        "above their mean. Made by Stratagem.</small></p>",
    ]
    return _page("Draft report", parts)


def _page(title: str, parts: Sequence[str]) -> str:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body><main>{''.join(parts)}</main></body></html>\n"
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of text; cells that are numbers stand to the right."""
    body = "".join("<tr>" + "".join(f"<td{_right(cell)}>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _right(cell: str) -> str:
    return ' class="n"' if cell.strip("+-–. ").replace(".", "").isdecimal() else ""


def auction_html(
    auction: Auction, names: Sequence[str] | None = None, *, team: int, seed: int = 0, simulations: int = 48
) -> str:
    """The report of an auction: line-ups and money, best and worst buys, and how far the engine would have gone."""
    items = auction.league.items
    names = list(names or (f"Team {k + 1}" for k in range(auction.teams)))
    lineups = [auction.lineup(t)[0] for t in range(auction.teams)]
    mean, spread = float(np.mean(lineups)), max(float(np.std(lineups)), 1e-9)
    teams = []
    for t in sorted(range(auction.teams), key=lambda t: -lineups[t]):
        grade = (
            next((name for least, name in GRADES if (lineups[t] - mean) / spread >= least), "E")
            if auction.over
            else "–"
        )
        bought = [s for s in auction.sales if s.team == t and s.value]
        saved = sum(s.value - s.price for s in bought)
        why = f"{abs(lineups[t] - mean):.0f} points {'above' if lineups[t] >= mean else 'below'} the mean line-up; "
        why += f"paid {abs(saved):.0f} {'less' if saved >= 0 else 'more'} than its players' values"
        why += f"; {auction.money(t)} left unspent" if auction.over and auction.money(t) else ""
        teams.append((names[t], grade, f"{lineups[t]:.0f}", why))
    buys = sorted((s for s in auction.sales if s.value), key=lambda s: s.price - s.value)

    def rows(chosen: Sequence[Sale]) -> list[tuple[str, ...]]:
        return [(items[s.item].name, names[s.team], f"{s.price}", f"{s.value:.0f}") for s in chosen]

    instead = []
    for k, sale in enumerate(auction.sales):
        if sale.team == team and not sale.kept and sale.value >= CHEAP:
            then = replace(auction, sales=auction.sales[:k])
            reported = advise_bid(then, team, sale.item, simulations=simulations, seed=seed + k)
            word = "bought in time" if sale.price <= reported.limit else "too dear"
            instead.append((items[sale.item].name, f"{sale.price}", f"{reported.limit}", word))
    heads = ("Player", "Team", "Price", "Value then")
    parts = [
        f"<h1>Auction report</h1><p class=lead>{auction.teams} teams with {auction.budget} each, {len(auction.sales)} players "
        "sold. Points are the projections of the table, taken as true.</p>",
        "<h2>Grades</h2>" + _table(("Team", "Grade", "Line-up", "Why"), teams),
        "<h2>Best buys</h2>" + _table(heads, rows(buys[:SHOWN])),
        "<h2>Worst buys</h2>" + _table(heads, rows(buys[::-1][:SHOWN])),
        f"<h2>How far the engine would have gone for {escape(names[team])}'s players</h2>"
        + _table(("Player", "Price", "Its limit", ""), instead),
        "<p><small>Values are those of the moment, by what the rosters needed and the money that was left. Grades compare "
        "line-ups with their mean: A is a standard deviation above it. Made by Stratagem.</small></p>",
    ]
    return _page("Auction report", parts)


def _picks(title: str, room: Room, names: Sequence[str], chosen: Sequence[Worth]) -> str:
    league = room.league
    rows = "".join(
        f'<tr><td class="n">{league.pick_name(w.turn)}</td><th scope="row">{escape(league.items[w.item].name)} '
        f"<small>{league.items[w.item].position}</small></th><td>{escape(names[league.order[w.turn]])}</td>"
        f'<td class="n">{w.over:+.0f}</td><td class="n">{league.items[w.item].adp:.0f}</td></tr>'
        for w in chosen
    )
    if not rows:
        return f"<h2>{title}</h2><p>No pick has been made.</p>"
    return (
        f'<h2>{title}</h2><div class="scroll"><table><thead><tr><th>Pick</th><th>Player</th><th>Team</th><th>Value over the '
        f"usual</th><th>Average position</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _instead(room: Room, name: str, found: Sequence[Instead]) -> str:
    league = room.league
    title = f"<h2>What the engine would have done for {escape(name)}</h2>"
    if not found:
        return title + "<p>No pick has been made.</p>"
    agreed = sum(i.taken == i.engine for i in found)
    rows = "".join(
        f'<tr><td class="n">{league.pick_name(i.turn)}</td><th scope="row">{escape(league.items[i.taken].name)}</th>'
        f"<td>{'the same' if i.taken == i.engine else escape(league.items[i.engine].name)}</td>"
        f'<td class="n">{"" if i.taken == i.engine else f"{i.behind:.1f} ± {1.96 * i.error:.1f}"}</td></tr>'
        for i in found
    )
    return (
        f"{title}<p>It agrees with {agreed} of {len(found)} picks. Beside each of the others stands what the choice cost, in "
        "points of the final line-up as far as could be known then.</p>"
        '<div class="scroll"><table><thead><tr><th>Pick</th><th>Taken</th><th>The engine</th><th>Cost</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )
