"""The settings of alpha-beta, and the functions that each of them chooses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stratagem.contract.game import ArrayGame
from stratagem.errors import OptionError, UnknownName
from stratagem.search.alphabeta import negamax, ordering, score, table
from stratagem.search.alphabeta.traits import killers_pay
from stratagem.search.budget import check_threads

DRIVERS = ("full", "aspiration", "mtdf")


@dataclass(frozen=True)
class AlphaBetaSettings:
    """What alpha-beta uses. Every technique leaves values as they are; docs/search/alphabeta.md says what each is worth."""

    table_bits: int = 20  # log2 of the table's entries, 0 to 30; 0: no table
    two_tier: bool = True  # a deep entry stays, and newer ones go beside it; else they displace each other
    deeper: bool = True  # entries of greater depth are used too; False: results equal those of no table
    prune: bool = True  # False: minimax with a table
    ordered: bool = True  # the game's `order` kernel
    killers: bool | None = None  # moves that cut at the same ply come early; None: where the game says that this pays
    history: bool = True  # moves that cut often come before others of the same order
    scout: bool = True  # principal variation search: null windows for all but the first move
    safe: bool = True  # the game's `safe` kernel, two plies and more above the horizon
    left: bool = True  # the game's `left` kernel: what was searched to the end is good for any depth
    driver: str = "full"  # how the root's window is chosen: full, aspiration (around the last value), mtdf
    threads: int = 1  # that share the table, 1 to 64; the first one answers
    distances: bool = True  # wins carry their distance in plies; False: the bare values of the textbooks
    evaluate: Any = None  # a kernel value(g, s, out) in place of the game's; None: the game's, or a draw
    target: str = "cpu"  # what it is compiled for; "python" is the interpreter

    def __post_init__(self) -> None:
        if not 0 <= self.table_bits <= 30:
            raise OptionError(f"a table of 2**{self.table_bits} entries cannot be made; table_bits goes from 0 to 30")
        if self.driver not in DRIVERS:
            raise UnknownName("driver", self.driver, DRIVERS)
        if self.driver == "mtdf" and not self.table_bits:
            raise OptionError("mtdf searches the same tree again and again, so it needs a table")
        check_threads(self.threads)
        if self.threads > 1 and not self.table_bits:
            raise OptionError("threads help each other only through the table; give table_bits")


PLAIN = AlphaBetaSettings(
    two_tier=False, killers=False, history=False, scout=False, safe=False, left=False, deeper=False
)  # alpha-beta as in the books


def parts(game: ArrayGame, use: AlphaBetaSettings) -> dict[str, Any]:
    """The functions that a search is made of: for each technique the one that the settings choose.

    Those that `negamax` names itself are the usual ones; here stand the others, each in the place of a usual one.
    """
    found: dict[str, Any] = {}
    ordered = use.ordered and game.gives("order")
    killers = use.prune and (killers_pay(game) if use.killers is None else use.killers)
    history = use.prune and use.history
    if not use.distances:
        found["distance"] = score.no_distance
    if use.evaluate is not None:
        found["value"] = use.evaluate
    elif not game.gives("value"):
        found["heuristic_score"] = score.no_heuristic_score
    if not use.prune:
        found["child_window"] = negamax.whole_window
    if not (use.prune and use.scout):
        found["scout"] = negamax.scout_never
    if not (use.prune and use.safe and game.gives("safe")):
        found["foresee"] = negamax.foresee_nothing
    if not (use.left and game.gives("left")):
        found["reach_of"] = negamax.reach_plainly
    if not use.deeper:
        found["serves"] = table.serves_alike
    if not use.table_bits:
        found |= {"key": table.no_key, "find": table.find_nowhere, "place": table.place_nowhere}
    elif not use.two_tier:
        found |= {"find": table.find_in_one, "place": table.place_in_one}
    if not ordered:
        found["order"] = ordering.no_order
    if not killers:
        found |= {"killer_units": ordering.no_killer_units, "keep_killer": ordering.keep_no_killer}
    if not history:
        found |= {"history_rank": ordering.no_history_rank, "credit": ordering.credit_nobody}
    if not (use.table_bits or ordered or killers or history):
        found["sort_moves"] = ordering.keep_moves
    return found
