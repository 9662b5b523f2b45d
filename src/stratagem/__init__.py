"""Stratagem: search in games whose single move is a whole plan. Names for authors of games and players are all here."""

from stratagem import _former, bits, drawing
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
    Solver,
)
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
from stratagem.kernel import CHANCE, NO_MOVE, NOBODY, OVER, TOGETHER, Ground, Moves, Payoffs, State
from stratagem.plans.plan import ALLOCATION, BID, CAMPAIGN, DRAFT, MOVE, PROGRAMME, Plan
from stratagem.questions import analyse, analysing, solve, trace
from stratagem.registry import game, game_names, general_players, player, players, register
from stratagem.rng import Rng, below, generator, unit

__version__ = "0.2.0"

_former.install()

__all__ = [
    "ALLOCATION",
    "BID",
    "CAMPAIGN",
    "CHANCE",
    "DRAFT",
    "MOVE",
    "NOBODY",
    "NO_MOVE",
    "OVER",
    "PROGRAMME",
    "TOGETHER",
    "ArrayGame",
    "ArrayPosition",
    "Choice",
    "Clock",
    "CompileError",
    "Entry",
    "Form",
    "Game",
    "GameOver",
    "Ground",
    "IllegalMove",
    "Line",
    "MissingKernel",
    "Moves",
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
    "Rng",
    "Solver",
    "State",
    "StratagemError",
    "UnknownName",
    "Unlistable",
    "UnsuitableSearch",
    "__version__",
    "analyse",
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
    "trace",
    "unit",
]
