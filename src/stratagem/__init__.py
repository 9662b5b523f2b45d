"""Stratagem: search in games whose single move is a whole plan. Names for authors of games and players are all here."""

from stratagem import bits, drawing
from stratagem.contract.companions.drawing import Drawing
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import ArrayGame, ArrayPosition, Form, Game, Option, Parts, Position
from stratagem.contract.player import (
    Choice,
    Clock,
    Entry,
    Line,
    Player,
    PlayerText,
    RandomPlayer,
    Report,
    Request,
    Solution,
    Solver,
)
from stratagem.errors import (
    CompileError,
    GameOver,
    IllegalMove,
    MissingKernel,
    NotOver,
    OptionError,
    ParseError,
    StratagemError,
    UnknownName,
    Unlistable,
    UnsuitableSearch,
)
from stratagem.kernel import CHANCE, OVER, TOGETHER, Ground, Moves, Payoffs, State
from stratagem.plans.plan import Plan
from stratagem.questions import analyse, analyse_many, analysing, solve, solve_many, trace
from stratagem.registry import game, game_names, general_players, player, players, register
from stratagem.rng import Rng, below, generator, unit

__version__ = "0.3.0"


__all__ = [
    "CHANCE",
    "OVER",
    "TOGETHER",
    "ArrayGame",
    "ArrayPosition",
    "Choice",
    "Clock",
    "CompileError",
    "Drawing",
    "Entry",
    "Form",
    "Game",
    "GameOver",
    "Ground",
    "IllegalMove",
    "Line",
    "MissingKernel",
    "Moves",
    "NotOver",
    "Option",
    "OptionError",
    "ParseError",
    "Parts",
    "Payoffs",
    "Plan",
    "Player",
    "PlayerText",
    "Position",
    "RandomPlayer",
    "Report",
    "Request",
    "Rng",
    "Solution",
    "Solver",
    "State",
    "StratagemError",
    "UnknownName",
    "Unlistable",
    "UnsuitableSearch",
    "Wording",
    "__version__",
    "analyse",
    "analyse_many",
    "analysing",
    "below",
    "bits",
    "drawing",
    "game",
    "game_names",
    "general_players",
    "generator",
    "player",
    "players",
    "register",
    "solve",
    "solve_many",
    "trace",
    "unit",
]
