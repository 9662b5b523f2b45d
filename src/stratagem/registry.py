"""What there is: games by name, and each game's players.

A game is named, or given as a file: `my_game.py`, or `my_game.py:MyGame` where a file holds several. `openspiel:NAME` is one of
OpenSpiel's games.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Collection, Mapping, Sequence
from operator import index
from pathlib import Path
from typing import Any

from stratagem.compile import cache_folder, origin
from stratagem.compile import service as compiling
from stratagem.contract.game import ArrayGame, Game
from stratagem.contract.player import Entry, Player, PlayerText, Recipe
from stratagem.errors import OptionError, StratagemError, UnknownName, UnsuitableSearch, Untrusted

GAMES = {
    "tictactoe": "stratagem.games.tictactoe:TicTacToe",
    "connect4": "stratagem.games.connect4:ConnectFour",
    "hex": "stratagem.games.hex:Hex",
    "breakthrough": "stratagem.games.breakthrough:Breakthrough",
    "othello": "stratagem.games.othello:Othello",
    "nim": "stratagem.games.nim:Nim",
    "pig": "stratagem.games.pig:Pig",
    "goofspiel": "stratagem.games.goofspiel:Goofspiel",
    "draft": "stratagem.games.draft:DraftGame",
    "bidding": "stratagem.games.bidding:Bidding",
    "blotto": "stratagem.games.blotto:Blotto",
    "roborally": "stratagem.games.roborally:RoboRally",
    "minions": "stratagem.games.minions:Minions",
    "risk": "stratagem.games.risk:Risk",
    "asmacag": "stratagem.games.asmacag:Asmacag",
    "skirmish": "stratagem.games.skirmish:Skirmish",
}

OPENSPIEL = "openspiel:"  # before the names of OpenSpiel's games, which an extra brings
FILE_MODULE = "stratagem_file_"  # how the modules of games read from files are called
ANALYSTS = ("alphabeta", "mcts", "expectimax", "montecarlo", "strong", "random")

_registered: dict[str, type[Game]] = {}


def register(game: type[Game]) -> type[Game]:
    """Make a game of your own known by its name; also usable as a class decorator.

    Args:
        game: the class of the game.

    Returns:
        The same class, so that the function can stand as a decorator.
    """
    _registered[game.name] = game
    return game


def game_names() -> list[str]:
    """Return the names of all games: those of the package, then those that were registered."""
    return [*GAMES, *_registered]


def game_class(name: str) -> type[Game]:
    """The class of a game by name, or out of a file."""
    if not isinstance(name, str):
        raise OptionError(f"{name!r} is no game's name; it is a text, such as 'connect4'")
    if name in _registered:
        return _registered[name]
    if name in GAMES:
        module, _, attribute = GAMES[name].partition(":")
        found: type[Game] = getattr(importlib.import_module(module), attribute)
        return found
    if name.startswith(OPENSPIEL):
        theirs: type[Game] = importlib.import_module("stratagem.games.openspiel").class_of(name)
        return theirs
    if ".py" in name:
        return _from_file(name)
    raise UnknownName("game", name, game_names())


def _from_file(name: str) -> type[Game]:
    file, _, wanted = name.partition(":")
    path = Path(file)
    if not path.is_file():
        raise StratagemError(f"there is no file {file!r} to read a game from; if it was moved, say where it is now")
    stem = _module_name(path)
    if stem not in sys.modules:
        spec = importlib.util.spec_from_file_location(stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[stem] = module
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            del sys.modules[stem]
            raise StratagemError(f"{file} cannot be read as a game: {type(error).__name__}: {error}") from error
    module = sys.modules[stem]
    found = {
        n: c
        for n, c in vars(module).items()
        if isinstance(c, type) and issubclass(c, Game) and c.__module__ == stem and not inspect.isabstract(c)
    }
    if not found:
        raise StratagemError(
            f"{file} holds no game: a class of it derives from stratagem.ArrayGame; `stratagem new NAME` writes one to begin with"
        )
    if wanted and wanted not in found:
        raise UnknownName(f"game in {file}", wanted, found)
    if not wanted and len(found) != 1:
        raise StratagemError(f"{file} holds {len(found)} games ({', '.join(found)}); name one as {file}:NAME")
    chosen = found[wanted] if wanted else next(iter(found.values()))
    # its whole path, so that records find it from anywhere
    chosen.source = str(path.resolve()) + (f":{wanted}" if wanted else "")
    return chosen


def check_harmless(name: str, options: Mapping[str, Any], seats: Sequence[str] = (), *, trust: bool = False) -> None:
    """Refuse what only data names, if using it would run code: a Python file not loaded yet, or a player that is a program.

    Args:
        name: the game as a record, a match or a puzzle names it.
        options: its options; some games take another game's name.
        seats: the players that it names.
        trust: whether whoever asks has allowed all of it.

    Raises:
        Untrusted: says what would be run.
    """
    if trust:
        return
    for text in map(str, (name, *options.values())):
        if text in _registered or ".py" not in text:
            continue
        if _module_name(Path(text.partition(":")[0])) not in sys.modules:
            raise Untrusted(f"its game is the Python file {text!r}")
    known = players(game_class(name)()) if seats else {}
    for text in seats:
        entry = known.get(str(text).partition(":")[0].strip())
        if entry is not None and entry.external:
            raise Untrusted(f"its player {text!r} is a program")


def _module_name(path: Path) -> str:
    return f"{FILE_MODULE}{path.stem}_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]}"


def file_digest(address: str) -> str:
    """Of the file that a game is read from, so that a record can tell whether it is still the same; else nothing."""
    path = Path(address.partition(":")[0])
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.suffix == ".py" and path.is_file() else ""


def own_code(error: BaseException) -> str | None:
    """Where in a game that was read from a file an error arose: its file and function; None if it did not."""
    files = {getattr(module, "__file__", None) for name, module in sys.modules.items() if name.startswith(FILE_MODULE)}
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename in files:
            return f"{frame.filename}, line {frame.lineno}, in {frame.name}"
        generated = Path(frame.filename)
        if generated.parent == cache_folder() and (made_from := origin(generated, frame.lineno or 0)):
            return f"{made_from[1]}, in {made_from[0]}, compiled" if made_from[1] in files else None
        if files and frame.filename == compiling.__file__:  # nearer to the error than any line: out of compiled code
            return f"{', '.join(sorted(map(str, files)))}, compiled"
    return None


def game(name: str, **options: Any) -> Game:
    """Return a game by name, with its options.

    Args:
        name: the name of a game, such as `"connect4"`; a file with a game, such as `"my_game.py"` or
            `"my_game.py:MyGame"`; or `"openspiel:NAME"`, for a game of OpenSpiel.
        **options: options of the game. `stratagem games NAME` lists them.

    Returns:
        The game, with its options fixed.

    Raises:
        UnknownName: there is no game or no option of this name; the message names similar ones.
        OptionError: the value of an option is out of range.
        StratagemError: the file does not exist or holds no game.

    Example:
        >>> game = stratagem.game("connect4", width=8)
        >>> position = game.start().play("4")
    """
    return game_class(name)(**options)


PROGRAM = "stratagem.protocols.program"  # any program of one's own, at any game; loaded when it is asked for


def players(of: Game) -> dict[str, Entry]:
    """Return the players of a game by name, its levels among them.

    These are the game's own players, or the searches that suit its rules; the searches of whole turns, where a turn has
    several decisions; and `program`, for engines in other programs.

    Args:
        of: the game.

    Returns:
        What each player is and how it is made, by name.
    """
    from stratagem.search.players import whole_turns  # games load without what plays them

    return {**whole_turns(of), **_players(of), "program": importlib.import_module(PROGRAM).ENTRY}


def _players(of: Game) -> dict[str, Entry]:
    home = type(of).__module__
    own = getattr(sys.modules[home], "players", None)
    if own is not None and callable(own) and not inspect.isclass(own):
        found: dict[str, Entry] = own(of)
        return found
    if home.startswith("stratagem.games."):
        room = ".".join(home.split(".")[:3]) + ".players"
        if importlib.util.find_spec(room) is not None:
            found = importlib.import_module(room).players(of)
            return found
    return general_players(of)


def general_players(of: Game) -> dict[str, Entry]:
    """Return the searches that suit a game, judged by the kernels that it gives, and the levels made of them.

    Args:
        of: the game.

    Returns:
        What each player is and how it is made, by name.
    """
    from stratagem.networks.players import network_players  # games load without what plays them
    from stratagem.search import players as searches

    return {**searches.general_players(of), **network_players(of)}


def default_engine(of: Game, known: Collection[str]) -> str:
    """Who analyses a game where nobody is named: the game's own choice, else the first of the usual ones, of those known."""
    from stratagem.search.players import blind

    own = of.engine if of.engine in known else None
    usual = ("mcts", *ANALYSTS) if isinstance(of, ArrayGame) and blind(of) else ANALYSTS
    return own or next(name for name in (*usual, *known) if name in known)


def _made_again(of: Game, text: str, seed: int) -> Player:
    return player(of, text, seed=seed)


def player(of: Game, text: str, *, seed: int = 0) -> Player:
    """Return a player of a game by name, with its options.

    Args:
        of: the game.
        text: the name and, after a colon, the options: `"strong"`, `"alphabeta:depth=6"`, `"mcts:time=0.2,threads=2"`.
        seed: the seed of the player's random numbers. An option `seed=` in the text comes first.

    Returns:
        The player.

    Raises:
        UnknownName: the game has no player, or the player no option, of this name; the message names similar ones.
        OptionError: the value of an option is wrong.
        UnsuitableSearch: the player cannot handle this kind of game.

    Example:
        >>> game = stratagem.game("othello")
        >>> engine = stratagem.player(game, "alphabeta:depth=6", seed=1)
        >>> engine.choose(game.start(), stratagem.Clock()).move
    """
    if not isinstance(of, Game):
        raise OptionError(f"{of!r} is no game; give one, such as stratagem.game('connect4')")
    if not isinstance(text, str):
        raise OptionError(f"{text!r} is no player's name; it is a text, such as 'strong' or 'mcts:time=2'")
    said = PlayerText.parse(text)
    name, known = said.name, players(of)
    if name not in known:
        if name == "staged" and isinstance(of, ArrayGame) and of.gives("play_together"):
            raise UnsuitableSearch(
                f"search by stages takes turns, and players of {of.name} decide at once; use mcts, which mixes strategies"
            )
        raise UnknownName(f"player of {of.name}", name, known)
    entry = known[name]
    for option in said.options:
        if option not in entry.options:
            raise UnknownName(f"option of player {name}", option, entry.options)
    options = dict(said.options)
    try:
        options["seed"] = index(options.get("seed", seed))
    except TypeError:
        wrong = f"{options.get('seed', seed)!r:.80}"
        raise OptionError(f"option seed of player {name} is {wrong}; it takes a whole number of 64 bits") from None
    try:
        made = entry.make(of, **options)
        made.recipe = Recipe(_made_again, of, text, seed)
        return made
    except (TypeError, ValueError) as error:
        if isinstance(error, StratagemError):
            raise
        for option, value in options.items():
            if isinstance(value, str) and repr(value) in str(error):
                raise OptionError(f"option {option} of player {name} is {value!r}; it takes a number") from None
        raise OptionError(f"player {text!r} cannot be made: {error}") from None
