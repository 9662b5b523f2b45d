"""The games that a server offers, by name: those of the library, and files named when it was started.

Options come from strangers here. A game's own `Option.check` judges their values; text that could name a file is refused
before a game sees it, since some options take a file on the command line.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from stratagem.contract.companions.editing import Editing
from stratagem.contract.companions.panels import Panels
from stratagem.contract.game import CHANCE, OVER, TOGETHER, Game, Option, Position
from stratagem.contract.player import LEVELS
from stratagem.drawing import night
from stratagem.errors import OptionError, UnknownName
from stratagem.puzzles import shipped
from stratagem.registry import OPENSPIEL, default_engine, game_class, game_names
from stratagem.rng import generator
from stratagem.search import browser
from stratagem.web.engines import engines
from stratagem.web.people import called

LONGEST_TEXT = 200  # characters of one option
PICTURED = 40  # plies of random moves, at most, before a game's picture
MOST_ITEMS = 64  # numbers in one option
FILE = re.compile(
    r"(?<!\d)/|/(?!\d)|\\|\.[A-Za-z_]|\.\.|^~|\bfile\s*="
)  # what a file's name has, or names one inside a base game; numbers pass


class Catalogue:
    """Games by name, made once for each set of options."""

    def __init__(self, files: Sequence[str] = ()) -> None:
        self.files = {file if file.startswith(OPENSPIEL) else Path(file.partition(":")[0]).stem: file for file in files}
        self._made: dict[Any, Game] = {}
        self._pictures: dict[str, str] = {}
        self._lock = threading.Lock()
        for file in files:
            game_class(file)  # a file that holds no game is a mistake now, not later

    def names(self) -> list[str]:
        return [*game_names(), *self.files]

    def kind(self, name: str) -> type[Game]:
        if name in self.files:
            return game_class(self.files[name])
        if name not in game_names():
            raise UnknownName("game", name[:80], self.names())
        return game_class(name)

    def game(self, name: str, options: Mapping[str, Any] | None = None) -> Game:
        """A game with options that may come from anywhere."""
        kind = self.kind(name)
        chosen = {}
        for key, value in (options or {}).items():
            declared = next((option for option in kind.options if option.name == key), None)
            if declared is None:
                raise UnknownName(f"option of {name}", str(key)[:80], [option.name for option in kind.options])
            if value == "" and declared.type is not str:
                continue
            chosen[key] = declared.check(tame(declared, value))
        made = (kind, repr(sorted(chosen.items(), key=lambda item: item[0])))
        with self._lock:
            found = self._made.get(made)
        if found is None:
            found = kind(**chosen)
            with self._lock:
                if len(self._made) >= 256:
                    self._made.clear()
                self._made[made] = found
        return found

    def brief(self, name: str) -> dict[str, Any]:
        kind = self.kind(name)
        about = {
            "name": name,
            "title": kind.title,
            "summary": kind.summary,
            "plan": kind.plan.name,
            "family": kind.family,
        }
        return {**about, "presets": {preset: dict(options) for preset, options in kind.presets}}

    def picture(self, name: str, *, dark: bool = False) -> str:
        """The middle of a game, drawn as a spectator sees it, once; `dark`: in the colours of dark themes."""
        with self._lock:
            found = self._pictures.get(name)
        if found is None:
            found = in_the_middle(self.game(name)).view(None).svg()
            with self._lock:
                self._pictures[name] = found
        return night(found) if dark else found

    def start(self, name: str) -> str:
        """The start of a game, drawn as a spectator sees it."""
        return self.game(name).start(seed=1).view(None).svg()

    def describe(self, name: str) -> dict[str, Any]:
        """A game's page as data: rules in brief, options, seats, engines."""
        game = self.game(name)
        known = engines(game)
        return {
            **self.brief(name),
            "rules": game.brief or game.summary,
            "idea": game.plan.idea,
            "players": game.players,
            "seats": [called(game, p) for p in range(game.players)],
            "hidden": game.hidden,
            "options": [
                {**option_json(option), "suggested": list(game.suggested(option.name))} for option in game.options
            ],
            "panels": [asdict(panel) for panel in Panels.of(game).panels],
            "edited": can_be_set_up(game),
            "here": browser.offered(game),
            "engines": {name: entry.summary for name, entry in known.items()},
            "levels": [level for level in LEVELS if level in known] or list(known),
            "engine": default_engine(game, known),
        }


def in_the_middle(game: Game) -> Position:
    """A position from the middle of a game: that of a puzzle, which engines have played, or one of random moves."""
    puzzle = next((one for one in shipped() if one.game == game.name and not one.options), None)
    if puzzle is not None:
        return puzzle.position()
    rng, positions = generator(1), [game.start(seed=1)]
    while not positions[-1].over and len(positions) <= PICTURED:
        at = positions[-1]
        if at.turn == TOGETHER:
            at = at.play([at.sample(rng, seat) if seat in at.asked else "-" for seat in range(game.players)])
        else:
            at = at.play(at.sample(rng))
        positions.append(at)
    decided = [at for at in positions if at.turn not in (CHANCE, OVER)]  # a deal is no game yet
    return decided[len(decided) // 2] if positions[-1].over and len(positions) > 3 else positions[-1]


def can_be_set_up(game: Game) -> bool:
    """Whether positions are laid out for editing; a start that chance decides is judged by the game's having sheets at all."""
    start = game.start(seed=1)
    return isinstance(game, Editing) and (start.turn == CHANCE or game.sheet(start) is not None)


def tame(option: Option, value: Any) -> Any:
    """The value, if it can do no harm before the option's own check sees it."""
    for item in value if isinstance(value, list) else [value]:
        if item is not None and not isinstance(item, (str, int, float, bool)):
            raise OptionError(f"option {option.name} takes a text, a number or a list of numbers")
        if isinstance(item, float) and not abs(item) < 1e15:
            raise OptionError(f"option {option.name} is {item!r}, which is no number to play with")
    if isinstance(value, list) and len(value) > MOST_ITEMS:
        raise OptionError(f"option {option.name} has {len(value)} items; at most {MOST_ITEMS} are taken")
    if isinstance(value, str):
        if len(value) > LONGEST_TEXT:
            raise OptionError(f"option {option.name} has {len(value)} characters; at most {LONGEST_TEXT} are taken")
        named = option.outside and value  # a bare name is a file's too
        if option.type is str and value not in option.choices and (named or FILE.search(value)):
            raise OptionError(f"option {option.name} is {value!r}; files are not read for the web")
    return value


def option_json(option: Option) -> dict[str, Any]:
    default = option.default
    return {
        "name": option.name,
        "help": option.help,
        "kind": option.type.__name__,
        "default": ",".join(map(str, default)) if isinstance(default, tuple) else default,
        "choices": [str(choice) for choice in option.choices],
        "minimum": option.minimum,
        "maximum": option.maximum,
    }


def follow(game: Game, origin: str | None, moves: Sequence[str]) -> Position:
    """The position after moves from a text; every one is checked."""
    return game.replay(moves, origin or None)
