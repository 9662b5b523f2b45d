"""Which names mean the same player: suffixes, punctuation, accents and nicknames are forgiven, doubt is asked about.

`key` is what is left of a name when everything that sites write differently is gone. Two rows with the same key are the
same player unless their positions or clubs say otherwise; rows that are merely alike are a `Doubt`, which somebody has to
answer. Answers are kept in a small JSON file (`Answers`), so that a question is asked once.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

from stratagem.errors import ParseError

SUFFIXES = {"jr", "sr", "ii", "iii", "iv", "v"}
ALIKE = 0.84  # of the letters of two keys, from where on a pair is asked about
# letters that are not a plain letter with a mark
LETTERS = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i", "’": "'", "‘": "'"}
)
# first names, each group with the form that stands for all
NICKNAMES = {
    short: first
    for first, others in {
        "alexander": "alex",
        "anthony": "tony",
        "benjamin": "ben",
        "cameron": "cam",
        "christopher": "chris",
        "daniel": "dan danny",
        "david": "dave",
        "demetrius": "meech",
        "edward": "ed eddie",
        "gabriel": "gabe",
        "gregory": "greg",
        "jacob": "jake",
        "james": "jim jimmy",
        "jeffery": "jeff jeffrey",
        "jonathan": "jon",
        "joseph": "joe",
        "joshua": "josh",
        "kenneth": "ken kenny",
        "marquise": "hollywood",
        "matthew": "matt",
        "michael": "mike",
        "mitchell": "mitch",
        "nathaniel": "nate nathan",
        "nicholas": "nick",
        "olabisi": "bisi",
        "patrick": "pat",
        "philip": "phil phillip",
        "richard": "rich rick",
        "robert": "rob bob bobby robbie",
        "samuel": "sam",
        "stephen": "steve steven",
        "theodore": "ted teddy theo",
        "thomas": "tom tommy",
        "timothy": "tim",
        "vincent": "vince",
        "walter": "walt",
        "william": "will bill billy",
        "zachary": "zach zack",
    }.items()
    for short in others.split()
}

# the clubs of the league that most drafts are about: code, place, nickname; and other codes in use
CLUB_LIST = (
    "ARI Arizona Cardinals, ATL Atlanta Falcons, BAL Baltimore Ravens, BUF Buffalo Bills, CAR Carolina Panthers, "
    "CHI Chicago Bears, CIN Cincinnati Bengals, CLE Cleveland Browns, DAL Dallas Cowboys, DEN Denver Broncos, "
    "DET Detroit Lions, GB Green Bay Packers, HOU Houston Texans, IND Indianapolis Colts, JAX Jacksonville Jaguars, "
    "KC Kansas City Chiefs, LAC Los Angeles Chargers, LAR Los Angeles Rams, LV Las Vegas Raiders, MIA Miami Dolphins, "
    "MIN Minnesota Vikings, NE New England Patriots, NO New Orleans Saints, NYG New York Giants, NYJ New York Jets, "
    "PHI Philadelphia Eagles, PIT Pittsburgh Steelers, SEA Seattle Seahawks, SF San Francisco 49ers, "
    "TB Tampa Bay Buccaneers, TEN Tennessee Titans, WAS Washington Commanders"
)
CLUBS = {words[0]: (" ".join(words[1:-1]), words[-1]) for words in (entry.split() for entry in CLUB_LIST.split(", "))}
CODES = {
    "JAC": "JAX",
    "WSH": "WAS",
    "LA": "LAR",
    "GBP": "GB",
    "KCC": "KC",
    "LVR": "LV",
    "NEP": "NE",
    "NOS": "NO",
    "SFO": "SF",
    "TBB": "TB",
    "ARZ": "ARI",
    "BLT": "BAL",
    "CLV": "CLE",
    "HST": "HOU",
    "OAK": "LV",
    "SD": "LAC",
    "STL": "LAR",
    "PHL": "PHI",
}


def plain(text: str) -> str:
    """A text in small letters without accents; its words without punctuation."""
    flat = unicodedata.normalize("NFKD", text.casefold().translate(LETTERS))
    flat = "".join(letter for letter in flat if not unicodedata.combining(letter))
    return " ".join(re.sub(r"[^a-z0-9 ]", "", re.sub(r"[-/]", " ", flat)).split())


def words_of(name: str) -> list[str]:
    """The words of a name that tell who it is: no suffix, the first name in its long form."""
    family, comma, first = name.partition(",")
    if comma and plain(first) and plain(first) not in SUFFIXES:
        name = f"{first} {family}"  # written as in a list of names
    words = plain(name).split()
    while len(words) > 2 and words[-1] in SUFFIXES:
        words.pop()
    if words:
        words[0] = NICKNAMES.get(words[0], words[0])
    return words


def key(name: str) -> str:
    """What is left of a name when all that sites write differently is gone."""
    return "".join(words_of(name))


def club(text: str) -> str:
    """The code of a club, or the text itself in capitals where it is none that is known."""
    code = text.strip().upper()
    return CODES.get(code, code)


def defence(text: str) -> str | None:
    """The club whose defence a text names, if it names one: its place, its nickname, its code, or several of them."""
    found = re.sub(r"\b(d/st|dst|defense|defence|def|special teams)\b", "", text.casefold())
    left = plain(found)
    for code, (place, nickname) in CLUBS.items():
        here = plain(place)
        if left in (nickname.casefold(), f"{here} {nickname.casefold()}", code.casefold()):
            return code
    if left.upper() in CODES:
        return CODES[left.upper()]
    places = [code for code, (place, _) in CLUBS.items() if plain(place) == left]
    return places[0] if len(places) == 1 else None


def full_name(code: str) -> str:
    """A club's whole name."""
    place, nickname = CLUBS[code]
    return f"{place} {nickname}"


# ------------------------------------------------------------------------------------------------------------- matching


@dataclass(frozen=True)
class Person:
    """What is known of who a row is about."""

    name: str
    positions: tuple[str, ...]
    club: str = ""

    @property
    def key(self) -> str:
        if "DST" in self.positions and (code := defence(self.name) or (self.club if self.club in CLUBS else None)):
            return f"{code} defence"
        return key(self.name)


@dataclass(frozen=True)
class Doubt:
    """Two rows of different files that may be about the same player."""

    left: Person
    right: Person
    why: str

    @property
    def pair(self) -> str:
        return pair_of(self.left.name, self.right.name)


def pair_of(left: str, right: str) -> str:
    return " = ".join(sorted((" ".join(plain(left).split()), " ".join(plain(right).split()))))


@dataclass
class Answers:
    """Which doubtful pairs are the same player, kept in a file where one is named."""

    file: Path | None = None
    same: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def load(cls, file: Path) -> Answers:
        if not file.exists():
            return cls(file)
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
            if not isinstance(found, dict) or not all(isinstance(x, bool) for x in found.values()):
                raise ValueError
        except (OSError, ValueError):
            raise ParseError(f"{file} is not a file of answers; move it away, and they are asked again") from None
        return cls(file, found)

    def settle(self, pair: str, same: bool) -> None:
        """Keep an answer, at once."""
        self.same[pair] = same
        if self.file is None:
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=self.file.resolve().parent, suffix=".tmp")
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump(self.same, out, indent=1, sort_keys=True)
        os.replace(temporary, self.file)


def compare(left: Person, right: Person) -> tuple[bool, str]:
    """Whether two rows are surely about one player, and why they may be where it is not sure ('' where they are not)."""
    share = set(left.positions) & set(right.positions)
    clubs_differ = bool(left.club and right.club and left.club != right.club and "FA" not in (left.club, right.club))
    if left.key == right.key:
        if share or not left.positions or not right.positions:
            # the same name at another club: he moved, or it is somebody else
            return (not clubs_differ, "the same name at two clubs" if clubs_differ else "")
        return False, "the same name at two positions"
    if not share or "DST" in share:
        return False, ""
    a, b = words_of(left.name), words_of(right.name)
    if clubs_differ or not a or not b:
        return False, ""
    if a[-1] == b[-1] and a[0][0] == b[0][0]:
        return False, "the same family name and initial"
    if a[-1] == b[-1] and left.club and left.club == right.club:
        return False, "the same family name at one club"
    if SequenceMatcher(None, left.key, right.key).ratio() >= ALIKE:
        return False, "names that differ by a letter or two"
    if len(a) == len(b) and sorted(a) == sorted(b):
        return False, "the same words in another order"
    return False, ""


def match(known: Iterable[Person], new: Iterable[Person], answers: Answers) -> tuple[list[int | None], list[Doubt]]:
    """For each new row the known one that it is about, or None; and the doubts that nobody has settled."""
    known, new = list(known), list(new)
    by_key: dict[str, list[int]] = {}
    for k, person in enumerate(known):
        by_key.setdefault(person.key, []).append(k)
    found: list[int | None] = [None] * len(new)
    used: set[int] = set()
    doubts: list[Doubt] = []
    for n, person in enumerate(new):
        sure = [k for k in by_key.get(person.key, ()) if k not in used and compare(known[k], person)[0]]
        at_club = [k for k in sure if known[k].club and known[k].club == person.club]
        chosen = sure if len(sure) == 1 else at_club if len(at_club) == 1 else []
        if chosen:
            found[n] = chosen[0]
            used.add(chosen[0])
    for n, person in enumerate(new):
        if found[n] is not None:
            continue
        for k, other in enumerate(known):
            if k in used:
                continue
            sure_pair, why = compare(other, person)
            if sure_pair:
                why = "several rows have this name"
            if not why:
                continue
            doubt = Doubt(other, person, why)
            settled = answers.same.get(doubt.pair)
            if settled:
                found[n] = k
                used.add(k)
                break
            if settled is None:
                doubts.append(doubt)
    return found, [d for d in doubts if not _taken(d, known, new, used, found)]


def _taken(doubt: Doubt, known: list[Person], new: list[Person], used: set[int], found: list[int | None]) -> bool:
    """Whether one side of a doubt has found its pair since."""
    return known.index(doubt.left) in used or found[new.index(doubt.right)] is not None
