"""Minions: a turn is a campaign over several boards, with one purse."""

from stratagem.games.minions.attack import AttackAnswer, AttackSolver, attacks
from stratagem.games.minions.config import GameConfig, Profile, Switches, Techline
from stratagem.games.minions.game import Minions, MinionsPosition
from stratagem.games.minions.maps import Map, hex_index, hex_name
from stratagem.games.minions.state import Board, GameState, Piece
from stratagem.games.minions.turn import BoardAction, GameTurn, Tech
from stratagem.games.minions.units import Unit

__all__ = [
    "AttackAnswer", "AttackSolver", "Board", "BoardAction", "GameConfig", "GameState", "GameTurn", "Map", "Minions",
    "MinionsPosition", "Piece", "Profile", "Switches", "Tech", "Techline", "Unit", "attacks", "hex_index", "hex_name",
]  # fmt: skip
