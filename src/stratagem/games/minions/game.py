"""The face of Minions: a position is its configuration's state string, a move is a whole turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from stratagem.contract.game import OVER, Finding, Game, Option, Panel, Parts, Position
from stratagem.errors import GameOver, IllegalMove, OptionError, StratagemError, Unlistable
from stratagem.games.minions import kernels as rules
from stratagem.games.minions.config import GameConfig, Techline, hexes_of
from stratagem.games.minions.maps import hex_name
from stratagem.games.minions.notation import extended_fen, parse_fen
from stratagem.games.minions.state import SIDES, Board, GameState
from stratagem.games.minions.turn import GameTurn, Tech, parse_part
from stratagem.games.minions.units import units
from stratagem.games.minions.view import draw
from stratagem.plans.plan import CAMPAIGN
from stratagem.rng import Rng


class Minions(Game["MinionsPosition"]):
    name = "minions"
    title = "Minions"
    summary = "a turn is a campaign: general a techline, fight on several boards, share one purse"
    brief = (
        "Two sides fight on several boards at once with one purse. In a turn spells on the techline unlock unit "
        "types, and on each board units move, attack, are bought and spawned. A board is won by killing the enemy "
        "necromancer, or by holding eight graveyards through the opponent's next turn; it gives a point and is laid "
        "out anew. The first side with enough points wins."
    )
    plan = replace(CAMPAIGN, opens="turn", closes="endturn")  # as the engine protocol frames a turn
    seats = SIDES
    options = (
        Option("maps", "BlackenedShores,MidnightLake", "the map of each board, with commas between"),
        Option("points", 0, "board points to win; 0: one a board, less one for every four boards", minimum=0),
        Option("techline", "standard", "order of the cards: standard, random:SEED, or letters with commas between"),
        Option("profile", "spooky", "the rules: spooky", choices=("spooky", "server", "book")),
        Option("money", "", "starting money of Yellow and Blue, such as 0|12; empty: 0 and 6 a board"),
        Option("plies", 400, "a draw after this many plies; 0: never", minimum=0),
        Option("start_unit", "I", "letter of the unit that each side's reinforcements hold at the start"),
        Option("kill_beats_graveyards", False, "killing the necromancer of a side with 8 graveyards wins the board"),
        Option("other_maps", False, "maps that the profile does not know, if the rules cover their tiles"),
        Option("lenient", False, "judge turns as those of other engines: six irregularities are accepted"),
    )

    panels = (
        Panel(
            "attacks",
            "Attacks",
            "Can these enemies all be removed this turn? The answer is proved. Without names: can anybody be removed?",
            (("remove", "hexes, such as e5,d4"), ("keep", "enemies that have to stay"), ("board", "0")),
        ),
    )

    def setup(self) -> None:
        switches = {name: self[name] for name in ("start_unit", "kill_beats_graveyards", "other_maps")}
        line = self["techline"]
        if line == "standard":
            techline = Techline.standard()
        elif line.startswith("random:"):
            seed = line.removeprefix("random:")
            if not seed.isdecimal() or len(seed) > 18:
                raise OptionError(f"option techline is {line!r}; random takes a seed, such as random:7")
            techline = Techline.randomised(int(seed))
        else:
            techline = Techline.parse(line)
        self.config = GameConfig.make(
            tuple(self["maps"].split(",")), points=self["points"], techline=techline, profile=self["profile"],
            money=self._money(), **switches,
        )  # fmt: skip
        self.max_length = self["plies"] or None

    def _money(self) -> tuple[int, int] | None:
        text = self["money"]
        if not text:
            return None
        yellow, _, blue = text.partition("|")
        if not (yellow.isdecimal() and blue.isdecimal() and len(text) < 20):
            raise OptionError(f"option money is {text!r}; it is two whole numbers, such as 0|12")
        return int(yellow), int(blue)

    def start(self, seed: int | None = None) -> MinionsPosition:
        return MinionsPosition(self, GameState.start(self.config))

    def parse(self, text: str) -> MinionsPosition:
        if text.strip() in ("", "startpos"):
            return self.start()
        state = parse_fen(text, self.config)
        return MinionsPosition(self, state, (), extended_fen(state))

    def next_seat(self, position: MinionsPosition) -> int:
        return position.state.side

    def draw(self, position: MinionsPosition) -> str:
        return draw(position.state)


class MinionsPosition(Position):
    def __init__(
        self, game: Minions, state: GameState, history: tuple[str, ...] = (), origin: str | None = None
    ) -> None:
        self.game: Minions = game
        self.state = state
        self.history = history
        self.origin = origin

    @property
    def turn(self) -> int:
        limit = self.game["plies"]
        return OVER if self.state.winner is not None or (limit and self.state.ply > limit) else self.state.side

    def _decide(self, seat: int | None) -> None:
        if self.over:
            raise GameOver(f"the game is over ({self.game.outcome(self)}): there is no turn to play")
        if seat is not None and seat != self.turn:
            raise IllegalMove(f"{self.game.seat_name(seat)} has nothing to decide: {SIDES[self.turn]} is to move")

    def moves(self, seat: int | None = None) -> list[str]:
        self._decide(seat)
        raise Unlistable("the turns of minions are too many to list: `sample` gives random ones, `parts` builds one")

    def play(self, text: str | Sequence[str]) -> MinionsPosition:
        self._decide(None)
        if not (text if isinstance(text, str) else "".join(text)).strip():
            raise IllegalMove("the turn is empty: to do nothing, write tech 0")
        turn = GameTurn.parse(text, self.game.config.boards)
        after = self.state.play(turn, lenient=self.game["lenient"])
        return MinionsPosition(self.game, after, (*self.history, str(turn)), self.origin)

    def sample(self, rng: Rng, seat: int | None = None) -> str:
        self._decide(seat)
        return str(self.state.random_turn(rng))

    @property
    def payoff(self) -> tuple[float, ...]:
        if not self.over:
            raise StratagemError("the game is not over, so nobody has a payoff yet")
        winner = self.state.winner
        return (0.0, 0.0) if winner is None else (1.0, -1.0) if winner == 0 else (-1.0, 1.0)

    def parts(self, prefix: Sequence[str] = (), seat: int | None = None) -> Parts:
        """The actions that may come next, one at a time; cyclic moves only those of two units, the rest can be typed."""
        self._decide(seat)
        given = [part for part in prefix if parse_part(part, self.game.config.boards) is not None]
        turn = GameTurn.parse(given, self.game.config.boards)
        lenient = self.game["lenient"]
        now = self.state.during(turn, lenient=lenient)
        found: list[str] = []
        if not any(part.split()[0] == "tech" for part in (p.strip().removeprefix("action ") for p in given)):
            # tech comes first when the turn runs, so what it costs must be left over by the purchases
            spent = self.state.money[self.state.side] - now.money[self.state.side]
            found += tech_parts(self.state, self.state.money[self.state.side] - spent)
        for board in now.boards:
            found += [f"board {board.index} {text}" for text in board_parts(board)]
        complete = int(rules.unready(self.game.config.ground, now.array)) < 0
        return Parts(tuple(found), complete, "further actions, and move_cyclic with several hexes, may be typed")

    def answer(self, panel: str, given: Mapping[str, str], seconds: float) -> Finding:
        if panel != "attacks":
            return super().answer(panel, given, seconds)
        from stratagem.games.minions.attack import (
            panel_answer,
        )  # which knows states, and whose solver loads when asked for

        return panel_answer(self.state, given, seconds)

    def sketch(self, prefix: Sequence[str], seat: int | None = None) -> str:
        given = [part for part in prefix if parse_part(part, self.game.config.boards) is not None]
        turn = GameTurn.parse(given, self.game.config.boards)
        return draw(self.state.during(turn, lenient=self.game["lenient"]))

    def text_art(self) -> str:
        return art(self.state)

    def __str__(self) -> str:
        return extended_fen(self.state)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MinionsPosition) and self.game == other.game and self.state == other.state

    def __hash__(self) -> int:
        return hash((self.game, self.state))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self.game), self.game.chosen, str(self), self.history, self.origin)


def _restore(
    kind: type[Minions], chosen: dict[str, Any], text: str, history: tuple[str, ...], origin: str | None
) -> MinionsPosition:
    game = kind(**chosen)
    return MinionsPosition(game, parse_fen(text, game.config), history, origin)


def tech_parts(state: GameState, money: int) -> list[str]:
    """The general's turns of one spell, and of two where the money allows it."""
    most = 1 + money // state.config.spell_price
    line = state.cards(state.side)
    single = [Tech(), Tech(1), *(Tech(0, (c,)) for c in range(rules.CARDS) if line[c] == "U")]
    double = [Tech(2), *(Tech(1, (c,)) for c in range(rules.CARDS) if line[c] == "U" or c == line.find("L"))]
    found = []
    for tech in single + (double if most >= 2 else []):
        try:
            state.during(GameTurn(tech, ((),) * state.config.boards))
        except StratagemError:
            continue
        found.append(str(tech))
    return found


def board_parts(board: Board) -> list[str]:
    """The single actions that are legal on a board now."""
    state = board.game
    _s, b, g, side, k = state.array, board.words, state.config.ground, state.side, board.index
    tiles = rules.tiles_of(k)
    if b[rules.RESIGNED]:
        return []
    found: list[str] = []
    untouched = b[rules.PHASE] == rules.UNTOUCHED
    if untouched and board.state in "12":
        zone = board.reinforcements(side)
        return [*(f"setup N {unit.letter}" for unit in zone), *([] if zone else ["setup N"]), "resign"]
    own = hexes_of(b[rules.UNITS + 2 * side], b[rules.UNITS + 2 * side + 1])
    enemy = rules.foes(b, side)
    if b[rules.PHASE] != rules.SPAWNING:
        wanted: dict[int, list[int]] = {}
        for h in own:
            if rules.can_move(g, b, h):
                wanted[h] = hexes_of(*rules.reach(g, tiles, b, h, *enemy))
        for h, goals in wanted.items():
            for to in goals:
                if b[rules.CELL + to] == 0:
                    found.append(f"move {hex_name(h)}{hex_name(to)}")
                elif h < to and h in wanted.get(to, ()):
                    found.append(f"move_cyclic {hex_name(h)} {hex_name(to)}")
        for h in own:
            if rules.can_attack(g, b, h):
                found += [f"attack {hex_name(h)}{hex_name(y)}" for y in hexes_of(*rules.targets(g, b, h, h))]
            if rules.unit(g, b[rules.CELL + h], rules.BLINK):
                found.append(f"blink {hex_name(h)}")
    if board.state in "n2":
        money = state.money[side]
        found += [f"buy {unit.letter}" for unit in state.for_sale() if unit.cost <= money]
        places = rules.spawn_places(g, b, side)
        for unit in board.reinforcements(side):
            at = tiles + 2 + 2 * unit.index
            fitting = hexes_of(places[0] & int(g[at]), places[1] & int(g[at + 1]))
            found += [f"spawn {unit.letter} {hex_name(h)}" for h in fitting]
    if untouched:
        found.append("resign")
    return found


# ------------------------------------------------------------------------------------------------------------ in text


def art(state: GameState) -> str:
    """The boards for the terminal: rank 9 on top, ranks slanting to the right as the hexes do."""
    lines = [
        f"{SIDES[state.side]} to move, ply {state.ply}; money {state.money[0]}|{state.money[1]}, "
        f"points {state.points[0]}|{state.points[1]} of {state.config.points}",
        "techline " + " ".join(state.config.techline.letters),
        *(f"  {SIDES[side]:<6} " + " ".join(state.cards(side).replace("L", ".")) for side in range(2)),
    ]
    if state.winner is not None:
        lines.insert(0, f"{SIDES[state.winner]} has won")
    for board in state.boards:
        zones = ", ".join(
            f"{SIDES[side]} {' '.join(u.letter * n for u, n in board.reinforcements(side).items()) or '-'}"
            for side in range(2)
        )
        held = "|".join(str(board.graveyards(side)) for side in range(2))
        lines.append(
            f"board {board.index} {board.map.name}, state {board.state}, graveyards {held}; reinforcements: {zones}"
        )
        for y in range(9, -1, -1):
            cells = []
            for x in range(10):
                piece = board.pieces.get(hex_name(10 * y + x))
                tile = board.map.tiles[10 * y + x]
                mark = {"g": "+", "w": "~", ".": "."}.get(tile, tile)
                cells.append((piece.letter if piece else mark) + ("+" if piece and tile == "g" else " "))
            lines.append((f"{y} " + "  " * y + "  ".join(cells)).rstrip())
        lines.append("  " + "   ".join("abcdefghij"))
    return "\n".join(lines)


assert len(units()) == rules.TYPES, "the kernels and the data file disagree on the number of unit types"
