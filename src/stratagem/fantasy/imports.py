"""Exports of fantasy sites as they come: rankings, projections and average draft positions, read without a flag.

The separator, the line of the header and the meaning of its columns are found, not asked for; `Export` says what was
understood. Where each header set was seen is written in `docs/draft-assistant.md`. What cannot be understood is refused with
its line and column.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from stratagem.errors import ParseError
from stratagem.fantasy.names import CLUBS, CODES, Person, club, defence, full_name
from stratagem.fantasy.scoring import CATEGORIES
from stratagem.numbers import real

SEPARATORS = ",;\t|"
HEADER_WITHIN = 15  # lines above the header that may be titles
LARGEST = 8 * 1024 * 1024  # bytes; tables of players are some hundred kilobytes
UNRANKED = 900.0  # average positions from here on mean that nobody drafts him

# what a column means, by its heading in small letters without anything but letters, digits and %
MEANINGS = {
    "name": "player name fullname playername playerfullname athlete overall item",
    "first": "firstname playerfirstname namefirst",
    "last": "lastname playerlastname namelast surname",
    "position": "pos position positions fantasyplayerposition playerposition eligiblepositions displayposition eligibility",
    "points": "points fpts fantasypoints projectedpoints proj projection projpts projectedpts projfpts fantasypts fanpts pts "
    "projected projtotal seasonprojection total ptsproj",
    "adp": "adp avgpick averagepick averagedraftposition avgdraftposition averagepos adpavg avgadp overalladp draftaverage "
    "preseasonaveragepick",
    "rank": "rk rank rnk overallrank ecr rankecr ovr ovrrank orank expertrank prerank",
    "sd": "sd stddev std stdev adpsd rankstd spread standarddeviation",
    "tier": "tier tiers",
    "bye": "bye byeweek",
    "team": "team tm club nflteam proteam playerteam editorialteamabbr teamabbrev teamabbr mlbteam nbateam",
    "status": "status injury injurystatus inj injurydesignation injured",
    "price": "price auctionvalue avgsalary averagecost avgcost salary avgvalue auctionvalueaverage averageauctionvalue "
    "auction avgauctionvalue dollars value$",
    "behind": "ecrvsadp vsadp",  # by how much the average position is behind the rank
    "mean": "avg average",  # average position, average rank or batting average: the others tell which
    "playerteambye": "playerteambye playerbye playerteam playerteampos playerposteam namepos",
}
MEANING = {heading: meaning for meaning, headings in MEANINGS.items() for heading in headings.split()}
# columns that a site gives once a scoring: none, half a point, a point a reception
BY_SCORING = {
    "adp": {
        "adpstd": "standard",
        "adphalfppr": "half",
        "adpppr": "ppr",
        "adp2qb": "superflex",
        "redraftppradp": "ppr",
        "redrafthalfppradp": "half",
        "redraftsfadp": "superflex",
    },
    "points": {"ptsstd": "standard", "ptshalfppr": "half", "ptsppr": "ppr"},
}
# statistics that a projection is made of: the heading, and after which headings it belongs to throws, runs and catches
BEGINS = ("att", "rec", "car", "c/a", "rush")  # of a group
STATS = {"att", "yds", "tds", "td", "cmp", "ints", "int", "rec", "fl", "car", "c/a"}

FOOTBALL_POSITIONS = "QB RB WR TE K DST FB DL LB DB DE DT CB S EDGE IDP"
BASEBALL_POSITIONS = "C 1B 2B 3B SS OF LF CF RF DH UTIL SP RP P CI MI"
OTHER_POSITIONS = "PG SG SF PF G F LW RW D W"  # basketball, hockey
POSITIONS = frozenset(f"{FOOTBALL_POSITIONS} {BASEBALL_POSITIONS} {OTHER_POSITIONS}".split())
SAME_POSITION = {
    "DEF": "DST",
    "D/ST": "DST",
    "DS": "DST",
    "PK": "K",
    "HB": "RB",
    "TQB": "QB",
    "UT": "UTIL",
    "OLB": "LB",
    "ILB": "LB",
    "FS": "S",
    "SS/FS": "S",
    "NT": "DT",
    "DEFENSE": "DST",
    "KICKER": "K",
}
MARKS = {
    "Q": "questionable",
    "D": "doubtful",
    "O": "out",
    "IR": "injured reserve",
    "PUP": "unable to perform",
    "P": "probable",
    "PUP-R": "unable to perform",
    "PUP-P": "unable to perform",
    "NFI": "not playing",
    "NFI-R": "not playing",
    "SUSP": "suspended",
    "SUS": "suspended",
    "SSPD": "suspended",
    "DTD": "day to day",
    "NA": "inactive",
    "IR-R": "injured reserve",
    "IL": "injured list",
    "IL10": "injured list",
    "IL60": "injured list",
    "GTD": "day to day",
    "OUT": "out",
    "INJ": "injured",
}
NOTHING = {"", "-", "--", "—", "–", "n/a", "na", "nr", "none", "null", "nan", "?", "??", "∞"}


def heading(cell: str) -> str:
    return re.sub(r"[^a-z0-9%$/]", "", cell.casefold()).replace("/", "" if cell.casefold() != "c/a" else "/")


@dataclass(frozen=True)
class ExportRow:
    """A row as it was understood; None where the file says nothing."""

    line: int
    name: str
    positions: tuple[str, ...]
    team: str = ""
    points: float | None = None
    adp: float | None = None
    rank: float | None = None
    position_rank: int | None = None
    sd: float | None = None
    tier: int = 0
    bye: str = ""
    status: str = ""
    price: float | None = None
    stats: Mapping[str, float] = field(default_factory=dict, hash=False)

    @property
    def person(self) -> Person:
        return Person(self.name, self.positions, self.team)


@dataclass(frozen=True)
class Export:
    """A file as it was understood."""

    source: str
    kind: str  # projections, average positions or rankings
    entries: tuple[ExportRow, ...]
    columns: tuple[tuple[str, str], ...]  # heading, and what it was taken for
    ignored: tuple[str, ...]
    notes: tuple[str, ...]
    separator: str
    header_line: int


@dataclass(frozen=True)
class FilePlace:
    """Where something is wrong."""

    source: str
    line: int
    column: int  # from 1
    heading: str = ""

    def refuse(self, what: str) -> ParseError:
        named = f" ({self.heading})" if self.heading else ""
        return ParseError(f"{self.source}, line {self.line}, column {self.column}{named}: {what}")


# -------------------------------------------------------------------------------------------------------------- reading


def read_export(path: str | Path, scoring: str | None = None) -> Export:
    """An export of a site, of any of the kinds that are known; scoring chooses where a file has several."""
    file = Path(path)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ParseError(f"{path} cannot be read: {error.strerror or error}") from None
    return parse_export(text_of(data, file.name), file.name, scoring)


def text_of(data: bytes, source: str) -> str:
    """The text of a file: UTF-8 or UTF-16 with or without a mark, else the old Western code page."""
    if len(data) > LARGEST:
        raise ParseError(f"{source} has {len(data)} bytes; a table of players has fewer than {LARGEST}")
    if not data.strip():
        raise ParseError(f"{source}, line 1, column 1: the file is empty")
    if data[:2] in (b"PK", b"\xd0\xcf"):
        raise ParseError(f"{source}, line 1, column 1: this is a spreadsheet; save it as CSV, and give that file")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            text = data.decode("utf-16")
        except UnicodeDecodeError as error:
            raise ParseError(f"{source}, line 1, column {error.start + 1}: this is not text in UTF-16") from None
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            try:
                text = data.decode("cp1252")
            except UnicodeDecodeError:
                before = data[: error.start]
                row, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
                raise FilePlace(source, row, column).refuse("this is no text in UTF-8") from None
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ")
    for number, line in enumerate(text.split("\n"), 1):
        bad = next((k for k, c in enumerate(line) if ord(c) < 32 and c != "\t"), None)
        if bad is not None:
            raise FilePlace(source, number, bad + 1).refuse(f"{line[bad]!r} is no character of a table")
    start = text.lstrip()[:15].casefold()
    if start.startswith(("<!doctype", "<html", "<?xml", "{", "[")):
        raise ParseError(f"{source}, line 1, column 1: this is a web page or JSON, not a table; export it as CSV")
    return text


def parse_export(text: str, source: str, scoring: str | None = None) -> Export:
    lines = text.split("\n")
    at, separator = _find_header(lines, source)
    header = [cell.strip() for cell in next(csv.reader([lines[at]], delimiter=separator))]
    columns = _meanings(header, scoring, source, at + 1)
    reader = _Reader(source, header, columns, separator)
    rows = reader.rows(lines, at)
    entries, notes = reader.entries(rows)
    if not entries:
        raise ParseError(f"{source}, line {at + 1}, column 1: there are no players below the header")
    kind = "rankings"
    if any(e.points is not None for e in entries):
        kind = "projections"
    elif "adp" in columns.values() and any(e.adp is not None for e in entries):
        kind = "average positions"
    elif not any(e.rank is not None for e in entries):
        entries = [replace(e, rank=float(k + 1)) for k, e in enumerate(entries)]
        notes.append("no column of numbers was understood: the order of the rows was taken as the ranking")
    stated = tuple((header[k], meaning) for k, meaning in sorted(columns.items()))
    ignored = tuple(h for k, h in enumerate(header) if k not in columns and h)
    return Export(source, kind, tuple(entries), stated, ignored, tuple(notes), separator, at + 1)


def _find_header(lines: Sequence[str], source: str) -> tuple[int, str]:
    """The line of the header, and the separator: those under which most headings mean something."""
    best, best_score = (0, ","), 0
    for at, line in enumerate(lines[:HEADER_WITHIN]):
        for separator in SEPARATORS:
            try:
                cells = next(csv.reader([line], delimiter=separator), [])
            except csv.Error:
                continue
            known = {heading(cell) for cell in cells}
            meanings = {MEANING[h] for h in known if h in MEANING}
            meanings |= {"scoring" for named in BY_SCORING.values() for h in known if h in named}
            named = "name" in meanings or {"first", "last"} <= meanings or "playerteambye" in meanings
            score = len(meanings) + len(known & STATS) if named and len(cells) > 1 else 0
            if score > best_score:
                best, best_score = (at, separator), score
    if best_score < 2:
        first = next((k for k, line in enumerate(lines) if line.strip()), 0)
        raise ParseError(
            f"{source}, line {first + 1}, column 1: no header was found: a column of players (PLAYER NAME, Player, Name) and "
            "one of numbers (FPTS, ADP, AVG, RK ..) are needed within the first lines"
        )
    return best


def _meanings(header: Sequence[str], scoring: str | None, source: str, line: int) -> dict[int, str]:
    """What each column is, by its number."""
    names = [heading(cell) for cell in header]
    columns: dict[int, str] = {}
    baseball = bool({"hr", "rbi", "era", "whip"} & set(names))
    basketball = bool({"reb", "trb"} & set(names)) and bool({"ast", "stl", "blk"} & set(names))
    for k, name in enumerate(names):
        meaning = MEANING.get(name)
        if meaning == "mean":
            meaning = "stat avg" if baseball else "adp"
        if name in ("pts", "total") and basketball:
            meaning = "stat pts"
        if meaning == "playerteambye":
            apart = "playerfirstname" in names or "player" in names
            meaning = "team" if apart and name == "playerteam" else "name"
        if meaning is None and (baseball or basketball) and name in {c for cs in CATEGORIES.values() for c in cs}:
            meaning = f"stat {name}"
        if meaning is not None:
            columns[k] = meaning
    # average of ranks, beside best and worst ones, is a ranking; average positions stand beside sites
    if {"best", "worst"} & set(names):
        columns.update({k: "rank" for k, m in columns.items() if m == "adp" and names[k] in ("avg", "average")})
    for meaning, given in BY_SCORING.items():
        there = {given[name]: k for k, name in enumerate(names) if name in given}
        wanted = next((s for s in (scoring, "half", "ppr", "standard", "superflex") if s in there), None)
        if wanted is not None and meaning not in columns.values():
            columns[there[wanted]] = meaning
    if not baseball and not basketball:
        columns.update(_football_stats(names))
    return _without_doubles(columns, header, source, line)


def _football_stats(names: Sequence[str]) -> dict[int, str]:
    """Columns of throws, runs and catches: the same headings stand for each in turn, after the one that tells which."""
    found: dict[int, str] = {}
    for k, name in enumerate(names):
        if name not in STATS:
            continue
        if name == "fl":
            found[k] = "stat fumbles"
            continue
        # the group is named by a heading of its own from the last ATT or REC on
        begin = max((j for j in range(k + 1) if names[j] in BEGINS), default=k)
        group = "rec" if names[begin] == "rec" else "rush"
        if names[begin] == "c/a" or {"cmp", "ints", "int"} & set(names[begin : begin + 5]):
            group = "pass"
        what = {
            "yds": "yards",
            "tds": "touchdowns",
            "td": "touchdowns",
            "ints": "interceptions",
            "int": "interceptions",
        }
        if name == "rec":
            found[k] = "stat rec catches"
        elif name in what:
            found[k] = f"stat {group} {what[name]}"
    return found if any("yards" in meaning for meaning in found.values()) else {}


def _without_doubles(columns: dict[int, str], header: Sequence[str], source: str, line: int) -> dict[int, str]:
    """One column a meaning: the first counts; two with the same heading are refused."""
    seen: dict[str, int] = {}
    kept: dict[int, str] = {}
    for k, meaning in sorted(columns.items()):
        if not meaning.startswith("stat"):
            first = seen.setdefault(heading(header[k]), k)
            if first != k:
                place = FilePlace(source, line, k + 1, header[k])
                raise place.refuse(f"there is a column {header[first]!r} already, column {first + 1}")
        if meaning not in kept.values():
            kept[k] = meaning
    return kept


class _Reader:
    """The rows of one file."""

    def __init__(self, source: str, header: Sequence[str], columns: Mapping[int, str], separator: str) -> None:
        self.source, self.header, self.columns, self.separator = source, list(header), dict(columns), separator
        self.at = {meaning: k for k, meaning in columns.items()}
        self.decimal_comma: dict[int, bool] = {}
        self.position = _position_of(self.header, source)

    def place(self, line: int, column: int) -> FilePlace:
        return FilePlace(self.source, line, column + 1, self.header[column] if column < len(self.header) else "")

    def rows(self, lines: Sequence[str], at: int) -> list[tuple[int, list[str]]]:
        """The rows below the header that are about somebody: separators, repeated headers and footers left out."""
        rows: list[tuple[int, list[str]]] = []
        reader = csv.reader(lines[at + 1 :], delimiter=self.separator, strict=True)
        line = at + 1
        while True:
            began = at + 1 + reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                break
            except csv.Error as error:
                text = lines[min(began, len(lines)) - 1]
                column = max(text.rfind('"') + 1, 1)
                raise FilePlace(self.source, began, column).refuse(
                    f"a quotation mark is not closed ({error})"
                ) from None
            line = began
            if at + 1 + reader.line_num > began:
                raise FilePlace(self.source, began, 1).refuse(
                    "a quotation mark is not closed: a row goes over several lines"
                )
            rows.append((line, [cell.strip() for cell in cells]))
        return self._players(rows)

    def _players(self, rows: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
        head = [heading(cell) for cell in self.header]
        found = [
            (line, cells)
            for line, cells in rows
            if any(cell not in NOTHING for cell in cells) and [heading(c) for c in cells] != head
        ]
        # a footer: words alone in the first cell of the last rows
        while (
            found
            and sum(bool(cell) for cell in found[-1][1]) == 1
            and (len(self.header) > 1 and (len(found[-1][1]) == 1 or found[-1][1][0]))
        ):
            found.pop()
        # lines between tiers hold a number or `Tier 2`, and nobody's name
        return [(line, cells) for line, cells in found if not self._separates(cells)]

    def _separates(self, cells: list[str]) -> bool:
        filled = [cell for cell in cells if cell not in NOTHING]
        return len(filled) <= 1 and (not filled or bool(re.fullmatch(r"(tier\s*)?\d+", filled[0].casefold())))

    def entries(self, rows: list[tuple[int, list[str]]]) -> tuple[list[ExportRow], list[str]]:
        for line, cells in rows:
            if len(cells) > len(self.header) and any(cells[len(self.header) :]):
                extra = next(k for k in range(len(self.header), len(cells)) if cells[k])
                what = f"{cells[extra]!r} is one cell too many: the header has {len(self.header)} columns"
                raise FilePlace(self.source, line, extra + 1).refuse(what)
        for k in self.columns:
            # 12,5 tells that commas are decimal points in this column; 1,337 alone does not
            column = [cells[k] for _, cells in rows if k < len(cells)]
            self.decimal_comma[k] = any(re.fullmatch(r"[-+$]?[\d.]*,(\d{1,2}|\d{4,})", cell) for cell in column)
        entries = [self._entry(line, cells) for line, cells in rows]
        return self._differ(entries)

    def _differ(self, entries: list[ExportRow]) -> tuple[list[ExportRow], list[str]]:
        """Each player once: a row that is there twice word by word is dropped, two that contradict are refused."""
        kept: list[ExportRow] = []
        notes: list[str] = []
        seen: dict[tuple[str, tuple[str, ...], str], ExportRow] = {}
        for entry in entries:
            who = (entry.person.key, entry.positions, entry.team)
            if who not in seen:
                seen[who] = entry
                kept.append(entry)
            elif replace(entry, line=0) == replace(seen[who], line=0):
                notes.append(
                    f"line {entry.line}: {entry.name} stands in line {seen[who].line} already, and was left out"
                )
            else:
                place = self.place(entry.line, self.at.get("name", self.at.get("first", 0)))
                raise place.refuse(f"{entry.name!r} stands in line {seen[who].line} already, with other numbers")
        return kept, notes

    def _cell(self, cells: Sequence[str], meaning: str) -> str:
        k = self.at.get(meaning)
        return cells[k] if k is not None and k < len(cells) else ""

    def _number(
        self, line: int, cells: Sequence[str], meaning: str, least: float = -1e6, most: float = 1e6
    ) -> float | None:
        text = self._cell(cells, meaning)
        if text.casefold() in NOTHING:
            return None
        k = self.at[meaning]
        bare = text.strip("$% ").replace("'", "").replace(" ", "")
        if self.decimal_comma.get(k) and "," in bare and bare.rfind(",") > bare.rfind("."):
            bare = bare.replace(".", "").replace(",", ".")
        elif re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", bare):
            bare = bare.replace(",", "")
        if not re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", bare, re.IGNORECASE):
            raise self.place(line, k).refuse(f"{text!r} is not a number")
        try:
            value = real(bare)
        except ParseError:
            value = math.inf
        if not least <= value <= most:
            raise self.place(line, k).refuse(f"{text!r} is out of range; {least:g} to {most:g} would be right")
        return value

    def _entry(self, line: int, cells: Sequence[str]) -> ExportRow:
        name, stated = self._name(line, cells)
        positions, position_rank = self._positions(line, cells, stated)
        adp = self._number(line, cells, "adp", 0.0, 1e5)
        tier = self._number(line, cells, "tier", 0.0, 1000.0)
        if tier is not None and tier != int(tier):
            raise self.place(line, self.at["tier"]).refuse(f"{self._cell(cells, 'tier')!r} is not a whole number")
        rank = self._number(line, cells, "rank", 0.0, 1e5)
        behind = self._number(line, cells, "behind")
        if adp is None and rank is not None and behind is not None:
            adp = max(rank + behind, 1.0)
        team = club(self._cell(cells, "team") or stated.get("team", ""))
        if "DST" in positions and (code := defence(name) or (team if team in CLUBS else None)):
            name, team = full_name(code), code
        return ExportRow(
            line=line,
            name=name,
            positions=positions,
            team=team,
            points=self._number(line, cells, "points"),
            adp=None if adp is None or adp >= UNRANKED or adp == 0 else adp,
            rank=rank,
            position_rank=position_rank,
            sd=self._number(line, cells, "sd", 0.0, 1e5),
            tier=int(tier or 0),
            bye=self._bye(line, cells) or stated.get("bye", ""),
            status=self._status(cells) or stated.get("status", ""),
            price=self._number(line, cells, "price", 0.0, 1e5),
            stats={
                m.removeprefix("stat "): value
                for m in self.at
                if m.startswith("stat ") and (value := self._number(line, cells, m)) is not None
            },
        )

    def _bye(self, line: int, cells: Sequence[str]) -> str:
        text = self._cell(cells, "bye")
        if text.casefold() in NOTHING:
            return ""
        if not text.isdecimal() or len(text) > 2 or int(text) > 30:
            raise self.place(line, self.at["bye"]).refuse(f"{text!r} is no week; a number up to 30 would be right")
        return text

    def _status(self, cells: Sequence[str]) -> str:
        text = self._cell(cells, "status")
        if text.casefold() in NOTHING or text.casefold() in ("active", "false", "healthy"):
            return ""
        return MARKS.get(text.upper(), text.casefold())

    def _name(self, line: int, cells: Sequence[str]) -> tuple[str, dict[str, str]]:
        """The name, and what else stands in its cell."""
        k = self.at.get("name")
        if k is None:
            k = self.at["first"]
            text = f"{self._cell(cells, 'first')} {self._cell(cells, 'last')}".strip()
        else:
            text = self._cell(cells, "name")
        if text.casefold() in NOTHING:
            raise self.place(line, k).refuse("there is no player's name")
        name, stated = split_name(text)
        if not re.search(r"[^\W\d_]", name) or len(name) > 60:
            raise self.place(line, k).refuse(f"{text[:60]!r} is no player's name")
        return name, stated

    def _positions(
        self, line: int, cells: Sequence[str], stated: Mapping[str, str]
    ) -> tuple[tuple[str, ...], int | None]:
        text = self._cell(cells, "position")
        if not text or text in NOTHING:
            text = stated.get("position", "") or self.position or ""
        k = self.at.get("position", self.at.get("name", self.at.get("first", 0)))
        if not text:
            what = "the position is missing" if "position" in self.at else "the file has no column of positions (POS)"
            raise self.place(line, k).refuse(f"{what}; RB, RB1 or RB/WR would be right")
        found, rank = positions_of(text)
        if not found:
            raise self.place(line, k).refuse(f"{text!r} is no position; RB, RB1 or RB/WR would be right")
        return found, rank


def positions_of(text: str) -> tuple[tuple[str, ...], int | None]:
    """`RB1` as a position with its rank, `RB/WR` or `1B,OF` as several; nothing where it is none."""
    whole = text.strip().upper().replace("D/ST", "DST")
    rank = None
    found = []
    for part in filter(None, re.split(r"[/,;|\s]+", whole)):
        digits = re.fullmatch(r"([A-Z]{1,4}|[123]B)-?(\d{1,4})", part)
        if digits and part not in POSITIONS:
            part, rank = digits[1], int(digits[2])
        part = SAME_POSITION.get(part, part)
        if part not in POSITIONS:
            return (), None
        found.append(part)
    return tuple(dict.fromkeys(found)), rank


def split_name(text: str) -> tuple[str, dict[str, str]]:
    """A name, and the club, position, bye and injury mark that sites write into the same cell.

    `Name SF - RB`, `Name, SF RB`, `Name SF (9)`, `Name (SF - RB)`, each with a mark such as `Q` behind it.
    """
    stated: dict[str, str] = {}
    left = re.sub(r"[*^†]+$", "", " ".join(text.split())).strip()
    marks = re.search(r"[\s(]+(" + "|".join(sorted(map(re.escape, MARKS), key=len, reverse=True)) + r")\)?$", left)
    if marks and len(left[: marks.start()].split()) >= 2:
        stated["status"] = MARKS[marks[1]]
        left = left[: marks.start()].rstrip(" ,-(")
    shapes = (
        r"(?P<name>.+?)[,\s]+\(?(?P<team>[A-Za-z]{2,3})\s*-\s*(?P<position>[A-Z0-9/,]{1,12})\)?",
        r"(?P<name>.+?),\s*(?P<team>[A-Za-z]{2,3})\s+(?P<position>[A-Z0-9/,]{1,12})",
        r"(?P<name>.+?)\s+\(?(?P<team>[A-Z]{2,3})\)?\s*\((?P<bye>\d{1,2})\)",
        r"(?P<name>.+?)\s+\((?P<bye>\d{1,2})\)",
        r"(?P<name>.+?)\s+\((?P<team>[A-Z]{2,3})\)",
        r"(?P<name>.+?)(,\s*(?P<team>[A-Za-z]{2,3})|\s+(?P<code>[A-Z]{2,3}))",
    )
    for shape in shapes:
        found = re.fullmatch(shape, left)
        if not found:
            continue
        parts = found.groupdict()
        if "position" in parts and not positions_of(parts["position"])[0]:
            continue
        parts["team"] = parts.get("team") or parts.pop("code", None)
        code = (parts["team"] or "").upper()
        if shape == shapes[-1] and code not in CLUBS and code not in CODES:
            continue
        stated.update({name: value for name, value in parts.items() if name != "name" and value})
        if "team" in stated:
            stated["team"] = code
        return parts["name"].rstrip(" ,"), stated
    return left, stated


def _position_of(header: Sequence[str], source: str) -> str | None:
    """The one position of a file that has no column for it: by its statistics, or by its name."""
    names = [heading(cell) for cell in header]
    there = set(names)
    if {"sack", "safety"} <= there or {"sack", "fr"} <= there:
        return "DST"
    if {"fg", "fga"} <= there or "xpt" in there:
        return "K"
    if {"cmp", "ints"} <= there or {"cmp", "int"} <= there:
        return "QB"
    if "rec" in there and "fpts" in there:
        if "att" not in there:
            return "TE"
        return "RB" if names.index("att") < names.index("rec") else "WR"
    found = re.search(r"(?:^|[_\W])(QB|RB|WR|TE|K|DST|DEF)(?=[_\W]|$)", source.upper())
    return positions_of(found[1])[0][0] if found else None
