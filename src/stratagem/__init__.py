"""Stratagem: search in games whose single move is a whole plan."""

from stratagem import _former
from stratagem.contract.game import (
    CHANCE,
    NOBODY,
    OVER,
    TOGETHER,
    ArrayGame,
    ArrayPosition,
    Game,
    Option,
    Parts,
    Position,
)
from stratagem.contract.player import Choice, Clock, Entry, Line, Player, RandomPlayer
from stratagem.errors import (
    CompileError,
    GameOver,
    IllegalMove,
    MissingKernel,
    OptionError,
    ParseError,
    StratagemError,
    UnknownName,
    Unlistable,
    UnsuitableSearch,
)
from stratagem.registry import game, game_names, player, players, register

__version__ = "0.1.0"

_former.install()

__all__ = [
    "CHANCE", "NOBODY", "OVER", "TOGETHER", "ArrayGame", "ArrayPosition", "Choice", "Clock", "CompileError", "Entry",
    "Game", "GameOver", "IllegalMove", "Line", "MissingKernel", "Option", "OptionError", "ParseError", "Parts",
    "Player", "Position", "RandomPlayer", "StratagemError", "UnknownName", "Unlistable", "UnsuitableSearch",
    "__version__", "game", "game_names", "player", "players", "register",
]  # fmt: skip
