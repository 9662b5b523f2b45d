"""The exports under tests/data/exports, made by us: 20 players of no league, in the shapes that sites give.

    python tests/fantasy/make_exports.py

Headers are those of published samples (docs/draft-assistant.md names each); names and numbers are made up.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "data" / "exports"

# name, position, club, bye, points, average position, mark
PLAYERS = [
    ("Davian Oakshaw", "RB", "SF", 9, 331.5, 1.4, ""),
    ("Belian Millson Jr.", "WR", "CIN", 12, 318.25, 2.1, ""),
    ("D.J. Hartford", "RB", "ATL", 12, 300.0, 3.6, "Q"),
    ("Amon-Re St. Crowley", "WR", "DET", 5, 296.4, 4.2, ""),
    ("Ivin Stoneridge", "RB", "NYJ", 12, 288.0, 5.9, ""),
    ("Kelo Ironwood", "WR", "MIA", 6, 281.7, 6.4, "O"),
    ("José Langmere", "TE", "KC", 6, 240.2, 14.8, ""),
    ("Nolric Fairby III", "QB", "BUF", 12, 392.6, 21.3, ""),
    ("Per O'Kirkley", "QB", "PHI", 5, 388.1, 24.0, ""),
    ("Marus Everson", "RB", "IND", 14, 252.9, 11.7, ""),
    ("Oser Bramwell", "WR", "LV", 10, 247.3, 13.5, "IR"),
    ("Corton Dunshaw", "WR", "GB", 10, 221.8, 30.2, ""),
    ("Eriiel Northman", "TE", "BAL", 14, 205.5, 36.6, ""),
    ("Gareen Grimwood", "RB", "JAX", 12, 198.4, 41.0, ""),
    ("Holus Ashley", "WR", "WAS", 14, 190.0, 48.9, ""),
    ("Jorin Crowford", "QB", "LAC", 5, 340.7, 63.5, ""),
    ("Lorian Hartwell", "K", "DAL", 7, 151.0, 140.3, ""),
    ("Fenton Millby", "K", "HOU", 14, 147.5, 146.8, ""),
    ("Houston Texans", "DST", "HOU", 14, 130.0, 128.4, ""),
    ("San Francisco 49ers", "DST", "SF", 9, 127.0, 133.0, ""),
]
RANKED = sorted(PLAYERS, key=lambda p: p[5])
PLACE = {p[0]: k + 1 for k, p in enumerate(RANKED)}
AT_POSITION = {p[0]: f"{p[1]}{1 + sum(q[1] == p[1] and q[5] < p[5] for q in PLAYERS)}" for p in PLAYERS}


def table(rows: list[list[object]], separator: str = ",", quote: int = csv.QUOTE_ALL, end: str = "\n") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, quoting=quote, lineterminator=end).writerows(rows)  # type: ignore[arg-type]
    return text.getvalue()


def thousands(x: float) -> str:
    return f"{x:,.1f}"


def stats(points: float) -> dict[str, str]:
    return {
        "yds": thousands(points * 4.1),
        "tds": f"{points / 38:.1f}",
        "att": f"{points * 0.9:.1f}",
        "rec": f"{points / 5:.1f}",
    }


def fantasypros() -> dict[str, str | bytes]:
    found: dict[str, str | bytes] = {}
    rows: list[list[object]] = [["RK", "TIERS", "PLAYER NAME", "TEAM", "POS", "BYE WEEK", "SOS SEASON", "ECR VS. ADP"]]
    for k, p in enumerate(RANKED):
        rows.append(
            [k + 1, 1 + k // 5, p[0], p[2], AT_POSITION[p[0]], p[3], "3 out of 5 stars", f"{p[5] - k - 1:+.0f}"]
        )
    found["fantasypros-rankings-2023.csv"] = table(rows)
    rows = [["RK", "TIERS", "PLAYER NAME", "TEAM", "POS", "BYE WEEK", "UPSIDE ", "BUST ", "SOS SEASON", "ECR VS. ADP"]]
    for k, p in enumerate(RANKED):
        if k in (5, 10):
            rows.append(["", 1 + k // 5])
        rows.append(
            [k + 1, 1 + k // 5, p[0], p[2], AT_POSITION[p[0]], p[3], "4 out of 5", "-", "2 out of 5 stars", "-"]
        )
    found["fantasypros-rankings-2025.csv"] = "\ufeff" + table(rows)
    rows = [["RK", "TIERS", "PLAYER NAME", "TEAM", "POS", "BEST", "WORST", "AVG.", "STD.DEV", "ECR VS. ADP"]]
    for k, p in enumerate(RANKED):
        rows.append([k + 1, 1, p[0], p[2], AT_POSITION[p[0]], max(1, k - 3), k + 6, k + 1.4, 2.1, "0"])
    found["fantasypros-rankings-experts.csv"] = table(rows)
    rows = [["Rank", "Player", "Team", "Bye", "POS", "Yahoo", "Sleeper", "RTSports", "AVG"]]
    for k, p in enumerate(RANKED):
        rows.append([k + 1, p[0], p[2], p[3], AT_POSITION[p[0]], round(p[5]), round(p[5]) + 1, "", p[5]])
    found["fantasypros-adp-2024.csv"] = table(rows)
    rows = [["Rank", "Player Team (Bye)", "POS", "ESPN", "Sleeper", "AVG"]]
    for k, p in enumerate(RANKED):
        rows.append([k + 1, f"{p[0]} {p[2]} ({p[3]})", AT_POSITION[p[0]], round(p[5]), round(p[5]) + 2, p[5]])
    found["fantasypros-adp-page.tsv"] = table(rows, "\t", csv.QUOTE_MINIMAL)
    heads = {
        "qb": ["Player", "Team", "ATT", "CMP", "YDS", "TDS", "INTS", "ATT", "YDS", "TDS", "FL", "FPTS"],
        "rb": ["Player", "Team", "ATT", "YDS", "TDS", "REC", "YDS", "TDS", "FL", "FPTS"],
        "wr": ["Player", "Team", "REC", "YDS", "TDS", "ATT", "YDS", "TDS", "FL", "FPTS"],
        "te": ["Player", "Team", "REC", "YDS", "TDS", "FL", "FPTS"],
        "k": ["Player", "Team", "FG", "FGA", "XPT", "FPTS"],
        "dst": ["Player", "Team", "SACK", "INT", "FR", "FF", "TD", "SAFETY", "PA", "YDS_AGN", "FPTS"],
    }
    for position, head in heads.items():
        rows = [list(head), [" ", "", "", ""]]
        # 20 rows each: the players of the position, and more of no name
        of_it = [p for p in PLAYERS if p[1].lower() == position]
        clubs = [
            "ARI",
            "CAR",
            "CHI",
            "CLE",
            "DEN",
            "LAR",
            "MIN",
            "NE",
            "NO",
            "NYG",
            "PIT",
            "SEA",
            "TB",
            "TEN",
            "CIN",
            "DET",
            "IND",
            "KC",
            "MIA",
        ]
        cities = {
            "ARI": "Arizona Cardinals",
            "CAR": "Carolina Panthers",
            "CHI": "Chicago Bears",
            "CLE": "Cleveland Browns",
            "DEN": "Denver Broncos",
            "LAR": "Los Angeles Rams",
            "MIN": "Minnesota Vikings",
            "NE": "New England Patriots",
            "NO": "New Orleans Saints",
            "NYG": "New York Giants",
            "PIT": "Pittsburgh Steelers",
            "SEA": "Seattle Seahawks",
            "TB": "Tampa Bay Buccaneers",
            "TEN": "Tennessee Titans",
            "CIN": "Cincinnati Bengals",
            "DET": "Detroit Lions",
            "IND": "Indianapolis Colts",
            "KC": "Kansas City Chiefs",
            "MIA": "Miami Dolphins",
        }
        more = [
            (
                cities[c] if position == "dst" else f"Osian {c.title()}by",
                position.upper(),
                c,
                7,
                120.0 - 3 * k,
                90.0 + k,
                "",
            )
            for k, c in enumerate(clubs)
        ]
        for p in (of_it + more)[:20]:
            value = {**stats(p[4]), "cmp": "310.0", "ints": "9.0", "fl": "1.1", "fpts": p[4]}
            cells = [p[0], "" if position == "dst" else p[2]]
            cells += [str(value.get(name.lower(), "3.0")) for name in head[2:]]
            rows.append(list(cells))
        found[f"fantasypros-projections-{position}.csv"] = table(rows)
    return found


def sleeper() -> dict[str, str | bytes]:
    adps = ["Redraft PPR", "Redraft SF", "Redraft Half PPR", "Dynasty PPR", "Dynasty SF", "Dynasty Half PPR", "IDP"]
    about = "Player Team,Player First Name,Player Last Name,Fantasy Player Position,Player Id,Positional Rank"
    head = ["Date", *(f"{kind} ADP" for kind in adps), *about.split(",")]
    rows: list[list[object]] = [list(head)]
    for k, p in enumerate(RANKED):
        first, _, last = p[0].partition(" ")
        position = p[1].replace("DST", "DEF")
        rank = AT_POSITION[p[0]].replace("DST", "DEF")
        rows.append(
            [
                "August 21, 2024",
                p[5],
                p[5] + 6,
                p[5] + 0.3,
                "",
                "",
                999,
                "",
                p[2],
                first,
                last,
                position,
                4000 + k,
                rank,
            ]
        )
    adp = table(rows, quote=csv.QUOTE_MINIMAL)
    about = "player_id,full_name,position,team,depth_chart_order,pts_std,pts_half_ppr,pts_ppr,adp_std,adp_half_ppr"
    head = [*about.split(","), "adp_ppr", "tier"]
    rows = [list(head)]
    for k, p in enumerate(PLAYERS):
        position, half = p[1].replace("DST", "DEF"), p[4] + 20
        far = 999.0 if k == 19 else p[5]
        rows.append([4000 + k, p[0], position, p[2], 1, p[4], half, p[4] + 40, far, far, far, ""])
    projections = table(rows, quote=csv.QUOTE_MINIMAL)
    rows = [["Rank", "Player", "Position", "Team", "Injury Status"]]
    for k, p in enumerate(RANKED):
        rows.append([k + 1, p[0], p[1].replace("DST", "DEF"), p[2], {"Q": "Questionable", "O": "Out"}.get(p[6], p[6])])
    return {
        "sleeper-adp.csv": adp,
        "sleeper-projections.csv": projections,
        "sleeper-rankings.csv": table(rows, ";", csv.QUOTE_MINIMAL),
    }


def espn() -> dict[str, str | bytes]:
    def cell(p: tuple[str, str, str, int, float, float, str]) -> str:
        if p[1] == "DST":
            return f"{p[0].split()[-1]} D/ST, {p[2].title()} D/ST"
        return f"{p[0]}, {p[2].title()} {p[1]}" + (f"  {p[6]}" if p[6] else "")

    rows: list[list[object]] = [
        ["RNK", "PLAYER, TEAM POS", "C/A", "YDS", "TD", "INT", "RUSH", "YDS", "TD", "REC", "YDS", "TD", "PTS"]
    ]
    for k, p in enumerate(RANKED):
        rows.append([k + 1, cell(p), "--", "--", "--", "--", "200", "1,012", "8", "41", "300", "2", f"{p[4]:.1f}"])
    projections = "ESPN Fantasy Football Projections\n\n" + table(rows, "\t", csv.QUOTE_MINIMAL)
    rows = [["RNK", "PLAYER, TEAM", "POS", "AVG PICK", "+/-7 DAY", "AVG VALUE", "+/-7 DAY", "%OWN"]]
    for k, p in enumerate(RANKED):
        rows.append(
            [
                k + 1,
                f"{p[0]}, {p[2].title()}",
                p[1].replace("DST", "D/ST"),
                p[5],
                "0.1",
                f"${max(1, 60 - 3 * k)}",
                "-0.2",
                "99.1",
            ]
        )
    adp = table(rows, quote=csv.QUOTE_MINIMAL) + "Data from live drafts; updated daily.\n"
    rows = [["PLAYER", "TM", "POS", "RNK", "PTS", "BYE", "AUCTION VALUE"]]
    for k, p in enumerate(RANKED):
        rows.append([p[0], p[2], p[1], k + 1, f"{p[4]:.1f}".replace(".", ","), p[3], max(1, 60 - 3 * k)])
    return {
        "espn-projections.tsv": projections,
        "espn-adp.csv": adp,
        "espn-rankings.csv": ("\ufeff" + table(rows, ";", csv.QUOTE_MINIMAL, "\r\n")).encode("utf-16"),
    }


def yahoo() -> dict[str, str | bytes]:
    def cell(p: tuple[str, str, str, int, float, float, str]) -> str:
        name = p[0].split()[0] if p[1] == "DST" and p[0].startswith("Hou") else p[0]
        position = "DEF" if p[1] == "DST" else p[1]
        return f"{name} {p[2].title() if len(p[2]) == 3 else p[2]} - {position}" + (f" {p[6]}" if p[6] else "")

    rows: list[list[object]] = [["Player", "Avg Pick", "Avg Round", "Avg Salary", "% Drafted"]]
    for k, p in enumerate(RANKED):
        rows.append([cell(p), p[5], f"{1 + (p[5] - 1) // 12:.1f}", f"${max(1, 58 - 3 * k)}.0", "100%"])
    adp = table(rows)
    head = "player_key,player_id,full_name,display_position,editorial_team_abbr,status,average_pick,average_round"
    rows = [[*head.split(","), "average_cost", "percent_drafted"]]
    for k, p in enumerate(RANKED):
        rows.append([f"423.p.{k}", k, p[0], p[1].replace("DST", "DEF"), p[2].title(), p[6], p[5], 1.0, 40 - k, 1.0])
    analysis = table(rows, quote=csv.QUOTE_MINIMAL)
    rows = [["Rank", "Player", "Proj Pts", "Bye"]]
    for k, p in enumerate(RANKED):
        rows.append([k + 1, cell(p), thousands(p[4] * (4 if k == 0 else 1)), p[3]])
    return {
        "yahoo-adp.csv": adp,
        "yahoo-draft-analysis.csv": analysis,
        "yahoo-projections.csv": table(rows) + '"* injured reserve"\n',
        "yahoo-rankings.csv": table([[r[0], r[1]] for r in rows]),
    }


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in {**fantasypros(), **sleeper(), **espn(), **yahoo()}.items():
        (FOLDER / name).write_bytes(text if isinstance(text, bytes) else text.encode())


if __name__ == "__main__":
    main()
