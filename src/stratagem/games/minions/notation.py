"""Text of positions and of games.

The state string (FEN) is the one that Minions engines exchange: money, points, cards, boards, side, ply. It describes
positions between turns and knows one kind of necromancer. The extended form adds what is missing behind the ply, where
other readers ignore it: ` + ` and fields `name=value`, namely `necromancers`, `tech`, `phases` and `pieces`. A state that
needs none of them has no extension, so the two forms are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from stratagem.errors import ParseError
from stratagem.games.minions import kernels as rules
from stratagem.games.minions.config import LARGEST, GameConfig, Switches
from stratagem.games.minions.maps import HEXES, WIDTH, hex_index
from stratagem.games.minions.state import BOARD_STATES, CARD_LETTERS, SIDES, GameState, Piece
from stratagem.games.minions.turn import GameTurn
from stratagem.games.minions.units import by_letter, units
from stratagem.kernel import State

MOST_REINFORCEMENTS = 4096  # in one zone, when read from text
SPELL_NAMES = ("blank", "unknown", "shield", "reposition")
PHASE_LETTERS = "-uase"  # untouched, set up, attacking, spawning, ended

# -------------------------------------------------------------------------------------------------------- writing


def _row(cells: list[int]) -> str:
    text, gap = "", 0
    for cell in cells:
        if cell == 0:
            gap += 1
            continue
        text += (str(gap) if gap else "") + Piece.of(cell).letter
        gap = 0
    if gap == WIDTH:
        return "0"
    return text + (str(gap) if gap else "")


def _zone(state: GameState, k: int, side: int) -> str:
    letters = "".join(unit.letter * n for unit, n in state.boards[k].reinforcements(side).items())
    return "".join(sorted(letters if side == 0 else letters.lower()))


def fen(state: GameState) -> str:
    """The state string, as other engines write and read it."""
    fields = ["|".join(map(str, state.money)), "|".join(map(str, state.points))]
    fields.append("|".join(state.cards(side) for side in range(2)))
    for k, board in enumerate(state.boards):
        cells = board.words[rules.CELL : rules.CELL + HEXES].tolist()
        rows = "/".join(_row(cells[y * WIDTH : (y + 1) * WIDTH]) for y in range(WIDTH))
        fields.append(f"{board.state}|{_zone(state, k, 0)}|{_zone(state, k, 1)}|||{rows}")
    return " ".join([*fields, str(state.side), str(state.ply)])


def extended_fen(state: GameState) -> str:
    """The state string and, where it does not say all, the extension."""
    s = state.array
    fields = {
        "necromancers": [
            f"{board.index}{name}:{piece.unit.name}"
            for board in state.boards for name, piece in board
            if piece.unit.necromancer and by_letter()["N"] != piece.unit
        ],
        "tech": [_tech(s)] if s[rules.TECHED] else [],
        "phases": [
            f"{k}{PHASE_LETTERS[b.words[rules.PHASE]]}{'k' * int(b.words[rules.KILLED])}{'r' * int(b.words[rules.RESIGNED])}"
            for k, b in enumerate(state.boards)
            if b.words[rules.PHASE] or b.words[rules.RESIGNED]
        ],
        "pieces": [
            f"{board.index}{name}:{marks}" for board in state.boards for name, piece in board if (marks := _marks(piece))
        ],
    }  # fmt: skip
    said = [f"{name}={','.join(items)}" for name, items in fields.items() if items]
    return fen(state) + ("" if not said else " + " + " ".join(said))


def _tech(s: State) -> str:
    fresh = ".".join(str(c) for c in range(rules.CARDS) if s[rules.FRESH] >> c & 1)
    return f"{s[rules.SPELLS]}:{fresh}"


def _marks(piece: Piece) -> str:
    text = "m" * piece.moved + "s" * piece.spawned
    return (
        text + (f"a{piece.attacks_used}" if piece.attacks_used else "") + (f"d{piece.damage}" if piece.damage else "")
    )


# -------------------------------------------------------------------------------------------------------- reading


def _bad(where: str, value: str, right: str) -> NoReturn:
    shown = value if len(value) <= 40 else value[:37] + "..."
    raise ParseError(f"FEN field {where}: {shown!r}; {right}")


def _int(text: str, where: str, low: int = 0) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 10 and low <= int(text) <= LARGEST):
        _bad(where, text, f"it is a whole number from {low} to {LARGEST}")
    return int(text)


def _pair(text: str, where: str) -> tuple[str, str]:
    if text.count("|") != 1:
        _bad(where, text, "it has two values, Yellow's and Blue's, with | between")
    yellow, _, blue = text.partition("|")
    return yellow, blue


def parse_fen(text: str, config: GameConfig) -> GameState:
    """A position from the state string of a configuration, with or without an extension."""
    need = 5 + config.boards
    words = text.split(None, need + 1)
    if len(words) < need:
        names = ["money", "points", "cards", *(f"board {k}" for k in range(config.boards)), "side", "ply"]
        raise ParseError(
            f"FEN ends before field {names[len(words)]}: it has {len(words)} of {need} fields, "
            f"namely money, points, cards, a board for each of {config.boards} maps, side and ply"
        )
    s = GameState.blank(config)
    for at, where, word in ((rules.MONEY, "money", words[0]), (rules.POINTS, "points", words[1])):
        s[at : at + 2] = [_int(number, where) for number in _pair(word, where)]
    for side, letters in enumerate(_pair(words[2], "cards")):
        if len(letters) != rules.CARDS or set(letters) - set(CARD_LETTERS):
            _bad(f"cards of {SIDES[side]}", letters, "it is 25 letters L, U or A, one a card of the techline")
        at = rules.CARD + side * rules.CARDS
        s[at : at + rules.CARDS] = [CARD_LETTERS.index(letter) for letter in letters]
    with np.errstate(over="ignore"):
        for k in range(config.boards):
            _read_board(s, k, words[3 + k])
        if words[need - 2] not in ("0", "1"):
            _bad("side", words[need - 2], "it is 0 for Yellow or 1 for Blue")
        s[rules.SIDE] = int(words[need - 2])
        s[rules.PLY] = _int(words[need - 1], "ply")
        if len(words) > need and words[need] == "+":
            _extend(s, config, words[need + 1] if len(words) > need + 1 else "")
    # who has won is not in the string, but the points say it: the side that moved comes first
    side = int(s[rules.SIDE])
    for who in (side, 1 - side):
        if s[rules.POINTS + who] >= config.points:
            s[rules.WINNER] = who
            break
    return GameState(config, s)


def _read_board(s: State, k: int, text: str) -> None:
    where = f"board {k}"
    fields = text.split("|", 6)
    if len(fields) != 6:
        _bad(where, text, "it has six parts with | between: state, two reinforcements, two spells, position")
    mode, *zones, spells_yellow, spells_blue, position = fields
    b = s[rules.board_of(k) : rules.board_of(k) + rules.BOARD_SIZE]
    if len(mode) != 1 or mode not in BOARD_STATES:
        _bad(f"{where} state", mode, "it is f, n, 1 or 2")
    b[rules.MODE] = BOARD_STATES.index(mode)
    for side, zone in enumerate(zones):
        name = f"{where} reinforcements of {SIDES[side]}"
        if len(zone) > MOST_REINFORCEMENTS:
            _bad(name, zone, f"{len(zone)} units are too many: up to {MOST_REINFORCEMENTS} are read")
        for letter in sorted(set(zone)):
            unit = by_letter().get(letter.upper())
            if unit is None or unit.necromancer:
                _bad(name, letter, "it holds letters of units, and no necromancer")
            rules.stock(b, side, unit.index, zone.count(letter))
    for side, spells in enumerate((spells_yellow, spells_blue)):
        for name in filter(None, spells.split(",", 64)):
            if name not in SPELL_NAMES:
                _bad(
                    f"{where} spells of {SIDES[side]}", name, f"spells are {', '.join(SPELL_NAMES)}, and have no effect"
                )
    _read_position(b, position, where)


def _read_position(b: State, text: str, where: str) -> None:
    rows = text.split("/", WIDTH)
    if len(rows) != WIDTH:
        _bad(f"{where} position", text, f"it has {WIDTH} rows with / between, not {text.count('/') + 1}")
    necromancers = [0, 0]
    for y, row in enumerate(rows):
        name = f"{where} row {y}"
        if row == "0":
            continue
        x = 0
        for letter in row:
            if letter in "123456789":
                x += int(letter)
            else:
                unit = by_letter().get(letter.upper()) if letter.isascii() else None
                if unit is None:
                    _bad(name, row, f"{letter!r} is neither a unit letter nor a digit 1..9 (0 stands alone)")
                if x < WIDTH:
                    side = int(letter.islower())
                    necromancers[side] += unit.necromancer
                    rules.put(b, y * WIDTH + x, (unit.index + 1) | side << rules.SIDE_SHIFT)
                x += 1
            if x > WIDTH:
                break
        if x != WIDTH:
            _bad(name, row, f"it has {f'more than {WIDTH}' if x > WIDTH else x} hexes; a row has {WIDTH}")
    for side in range(2):
        if necromancers[side] > 1:
            _bad(
                f"{where} position",
                text,
                f"{SIDES[side]} has {necromancers[side]} necromancers; a side has at most one",
            )


# ------------------------------------------------------------------------------------------------------ the extension

_PLACE = re.compile(r"(\d{1,3})([a-j][0-9]):(.+)")
_MARKS = re.compile(r"(m?)(s?)(?:a([1-9]\d?))?(?:d([1-9]\d?))?")
_PHASE = re.compile(r"(\d{1,3})([-uase])(k?)(r?)")
_TECH = re.compile(r"(\d{1,9}):((?:\d{1,2}(?:\.\d{1,2})*)?)")


def _extend(s: State, config: GameConfig, text: str) -> None:
    seen: set[str] = set()
    readers = {"necromancers": _read_necromancer, "tech": _read_tech, "phases": _read_phase, "pieces": _read_piece}
    for item in text.split():
        name, equals, value = item.partition("=")
        if not equals or name not in readers or name in seen:
            _bad("extension", item, f"it has the fields {', '.join(readers)}, each as name=value and once")
        seen.add(name)
        for entry in value.split(",", 100 * config.boards + 1):
            readers[name](s, config, entry)


def _place(s: State, config: GameConfig, entry: str, where: str) -> tuple[State, int, str]:
    match = _PLACE.fullmatch(entry) if entry.isascii() else None
    if match is None or int(match[1]) >= config.boards:
        _bad(where, entry, "an entry is the index of a board, a hex, a colon and a value, such as 0c2:m")
    b = s[rules.board_of(int(match[1])) : rules.board_of(int(match[1])) + rules.BOARD_SIZE]
    h = hex_index(match[2])
    if b[rules.CELL + h] == 0:
        _bad(where, entry, f"no unit stands on {match[2]}")
    return b, h, match[3]


def _read_necromancer(s: State, config: GameConfig, entry: str) -> None:
    b, h, name = _place(s, config, entry, "necromancers")
    kinds = {unit.name: unit for unit in units() if unit.necromancer}
    if name not in kinds or Piece.of(int(b[rules.CELL + h])).unit.letter != "N":
        _bad("necromancers", entry, f"it names a necromancer on the board: {', '.join(kinds)}")
    rules.put(b, h, int(b[rules.CELL + h]) & ~rules.TYPE_MASK | kinds[name].index + 1)


def _read_piece(s: State, config: GameConfig, entry: str) -> None:
    b, h, marks = _place(s, config, entry, "pieces")
    match = _MARKS.fullmatch(marks)
    unit = Piece.of(int(b[rules.CELL + h])).unit
    if match is None or int(match[3] or 0) > unit.attacks or int(match[4] or 0) >= unit.defense:
        _bad("pieces", entry, "marks are m moved, s spawned, a and attacks used, d and damage below the defense")
    side = rules.owner(int(b[rules.CELL + h]))
    piece = Piece(unit, side, bool(match[1]), bool(match[2]), int(match[3] or 0), int(match[4] or 0))
    rules.put(b, h, piece.cell)


def _read_phase(s: State, config: GameConfig, entry: str) -> None:
    match = _PHASE.fullmatch(entry) if entry.isascii() else None
    if match is None or int(match[1]) >= config.boards:
        _bad(
            "phases", entry, "an entry is the index of a board and one of - u a s e, then k if it is won, r if resigned"
        )
    at = rules.board_of(int(match[1]))
    s[at + rules.PHASE] = PHASE_LETTERS.index(match[2])
    s[at + rules.KILLED] = bool(match[3])
    s[at + rules.RESIGNED] = bool(match[4])


def _read_tech(s: State, config: GameConfig, entry: str) -> None:
    match = _TECH.fullmatch(entry) if entry.isascii() else None
    fresh = [int(c) for c in match[2].split(".") if c] if match else [rules.CARDS]
    if match is None or any(c >= rules.CARDS for c in fresh):
        _bad(
            "tech",
            entry,
            "it is the number of spells placed, a colon, and positions of cards acquired with dots between",
        )
    s[rules.TECHED] = 1
    s[rules.SPELLS] = int(match[1])
    s[rules.FRESH] = sum(1 << c for c in set(fresh))


# --------------------------------------------------------------------------------------------------------- records

MAGIC = "minions record 1"


@dataclass(frozen=True)
class RecordedTurn:
    """A turn of a record, with how long it took and what was said about it."""

    turn: GameTurn
    seconds: float | None = None
    comment: str = ""


@dataclass
class Record:
    """A game from its start to its end, in a text of one item a line.

    `config`, `start`, `player` lines come first, then `turn SECONDS TEXT` lines, each with `comment` lines behind it, then
    `result` and `final`. Reading plays every turn again, and the final position has to be the one written down.
    """

    config: GameConfig
    start: GameState
    players: tuple[str, str] = ("?", "?")
    turns: list[RecordedTurn] = field(default_factory=list)
    result: str = "*"  # Yellow, Blue, draw, or * where the game was not finished
    reason: str = ""  # why, where the rules alone do not say: a forfeit, a limit of plies
    lenient: bool = False  # whether turns are judged as those of other engines

    def states(self) -> Iterable[GameState]:
        """Every position of the game, the start first."""
        state = self.start
        yield state
        for number, item in enumerate(self.turns, 1):
            try:
                state = state.play(item.turn, lenient=self.lenient)
            except ValueError as error:
                raise ParseError(f"record: turn {number}: {error}") from None
            yield state

    def final(self) -> GameState:
        *_, last = self.states()
        return last

    def __str__(self) -> str:
        plain = Switches()
        changed = [
            f"{n}={getattr(self.config.switches, n)}"
            for n in vars(plain)
            if getattr(self.config.switches, n) != getattr(plain, n)
        ]
        lines = [MAGIC, f"config {self.config}", f"profile {self.config.profile}"]
        lines += [f"switches {' '.join(changed)}"] if changed else []
        lines += ["lenient"] if self.lenient else []
        lines.append(f"start {self.start}")
        lines += [f"player {side} {_one_line(name)}" for side, name in enumerate(self.players)]
        for item in self.turns:
            lines.append(f"turn {'-' if item.seconds is None else f'{item.seconds:.3f}'} {item.turn}")
            lines += [f"comment {line}" for line in item.comment.splitlines()]
        lines.append(f"result {self.result} {_one_line(self.reason)}".rstrip())
        lines.append(f"final {self.final()}")
        return "\n".join(lines) + "\n"

    @classmethod
    def parse(cls, text: str) -> Record:
        """Read a record, play it again and verify that it ends as it says."""
        lines = [line for line in text.splitlines() if line.strip()]
        if not lines or lines[0].strip() != MAGIC:
            raise ParseError(f"record: the first line is {(lines or [''])[0][:40]!r}; it is {MAGIC!r}")
        head: dict[str, str] = {}
        players = ["?", "?"]
        body: list[tuple[str, str]] = []
        for line in lines[1:]:
            word, _, rest = line.partition(" ")
            if word == "player":
                side, _, name = rest.partition(" ")
                if side not in ("0", "1"):
                    raise ParseError(f"record: player {side[:20]!r}; it is 0 or 1 and a name")
                players[int(side)] = name
            elif word in ("turn", "comment"):
                body.append((word, rest))
            elif word in ("config", "profile", "switches", "lenient", "start", "result", "final") and word not in head:
                head[word] = rest
            else:
                raise ParseError(f"record: line {line[:40]!r} has an unknown or repeated first word")
        for word in ("config", "start", "result", "final"):
            if word not in head:
                raise ParseError(f"record: there is no {word} line")
        config = GameConfig.parse(
            head["config"], head.get("profile", "spooky").strip(), **_switches(head.get("switches", ""))
        )
        record = cls(config, parse_fen(head["start"], config), (players[0], players[1]), lenient="lenient" in head)
        for word, rest in body:
            if word == "turn":
                record.turns.append(_recorded(rest, config.boards))
            elif record.turns:
                last = record.turns[-1]
                record.turns[-1] = RecordedTurn(last.turn, last.seconds, f"{last.comment}\n{rest}".lstrip("\n"))
            else:
                raise ParseError("record: a comment line stands before the first turn")
        record.result, _, record.reason = head["result"].partition(" ")
        if record.result not in (*SIDES, "draw", "*"):
            raise ParseError(f"record: result is {record.result[:20]!r}; it is Yellow, Blue, draw or *")
        final = record.final()
        if str(final) != head["final"]:
            raise ParseError(f"record: the turns lead to {final}, not to the final position given")
        if final.winner is not None and record.result != SIDES[final.winner]:
            raise ParseError(f"record: result is {record.result}, but the turns end with {SIDES[final.winner]} winning")
        return record


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _switches(text: str) -> dict[str, Any]:
    plain, found = vars(Switches()), {}
    for item in text.split():
        name, _, value = item.partition("=")
        if name not in plain:
            raise ParseError(f"record: switches names {name[:40]!r}; there are {', '.join(plain)}")
        kind = type(plain[name])
        right = value in ("True", "False") if kind is bool else value.isdecimal() if kind is int else len(value) == 1
        if not right or len(value) > 9:
            raise ParseError(f"record: switch {name} is {value[:20]!r}; it is like {plain[name]!r}")
        found[name] = value == "True" if kind is bool else kind(value)
    return found


def _recorded(text: str, boards: int) -> RecordedTurn:
    seconds, _, turn = text.partition(" ")
    if seconds != "-" and not re.fullmatch(r"\d{1,9}(\.\d{1,6})?", seconds):
        raise ParseError(f"record: the time of a turn is {seconds[:20]!r}; it is a number of seconds, or -")
    return RecordedTurn(GameTurn.parse(turn, boards), None if seconds == "-" else float(seconds))
