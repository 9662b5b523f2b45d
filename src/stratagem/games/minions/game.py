"""The face of Minions: a position is its configuration's state string, a move is a whole turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from stratagem.contract.companions.drawing import Drawing, Frame, Mark, Overlays
from stratagem.contract.companions.editing import Editing, Sheet
from stratagem.contract.companions.panels import Finding, Panel, Panels
from stratagem.contract.companions.puzzling import Puzzles, Puzzling
from stratagem.contract.companions.steps import Step, Steps
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import CHANCE, NOBODY, OVER, Game, Option, Parts, Position
from stratagem.errors import GameOver, IllegalMove, NotOver, OptionError, Unlistable
from stratagem.games.minions import atoms, layout, stepping
from stratagem.games.minions import kernels as rules
from stratagem.games.minions.board_marks import overlay, trace
from stratagem.games.minions.config import GameConfig, Techline, parse_switches, profile_of
from stratagem.games.minions.editing import sheet, written
from stratagem.games.minions.maps import hex_name
from stratagem.games.minions.notation import deal_text, extended_fen, parse_deal, parse_fen
from stratagem.games.minions.spells import by_key, spells
from stratagem.games.minions.state import SIDES, Board, GameState
from stratagem.games.minions.turn import (
    MOVING,
    SOLD,
    BoardAction,
    GameTurn,
    Gift,
    Tech,
    before_spawning,
    board_action,
    parse_part,
)
from stratagem.games.minions.turns import specialised
from stratagem.games.minions.units import spaced, units
from stratagem.games.minions.view import SIDE_FILL, draw, stats
from stratagem.games.minions.words import in_words, named, part_in_words, steps, teched
from stratagem.plans.plan import CAMPAIGN
from stratagem.rng import Rng, generator


class Minions(Game["MinionsPosition"], Drawing, Editing, Overlays, Panels, Puzzles, Steps, Wording):
    """Minions: a turn is a campaign on several boards with one purse; see docs/games/minions.md."""

    name = "minions"
    title = "Minions"
    summary = "command armies on several boards with one purse: unlock units, move, attack, buy more"
    brief = (
        "Two sides fight on several boards at once with one purse. In a turn spells on the techline unlock unit "
        "types, and on each board units move, attack, are bought and spawned. A board is won by killing the enemy "
        "necromancer, or by holding eight graveyards through the opponent's next turn; it gives a point and is laid "
        "out anew. The first side with enough points wins."
    )
    guide = (
        "Capitals are Yellow's units and small letters Blue's, by their letters on the techline; Z zombies, N "
        "necromancers. ~ is water, + a graveyard, which is held by whoever stands on it. A turn is typed part by "
        "part, as `parts` lists them: tech 1, board 0 move c1c0, board 0 attack c1d1; done plays it."
    )
    inks = (
        (r"[A-Z]\+?", "yellow"),
        (r"[a-z]\+?", "cyan"),
        ("~", "blue"),
        (r"\+", "green"),
    )
    plan = replace(CAMPAIGN, opens="turn", closes="endturn")  # as the engine protocol frames a turn
    seats = SIDES
    seat_colours = SIDE_FILL
    presets = (("one board", {"maps": "BlackenedShores"}),)
    puzzles = (
        Puzzling(
            "win the game this turn",
            player="answered",
            judge="finisher",
            decoy="greedy",
            margin=1.0,
            options={"maps": "BlackenedShores"},
            plies=(4, 80),
            goal=True,
        ),
    )
    options = (
        Option("maps", "BlackenedShores,MidnightLake", "the map of each board, with commas between"),
        Option("points", 0, "board points to win; 0: one a board, less one for every four boards", minimum=0),
        Option("techline", "standard", "order of the cards: standard, random:SEED, or letters with commas between"),
        Option("profile", "spooky", "the rules: spooky, server, book", choices=("spooky", "server", "book")),
        Option("money", "", "starting money of Yellow and Blue, such as 0|12; empty: 0 and 6 a board"),
        Option("plies", 400, "a draw after this many plies; 0: never", minimum=0),
        Option("start_unit", "", "letter of the unit in each side's reinforcements at the start; empty: the profile's"),
        Option("kill_beats_graveyards", False, "killing the necromancer of a side with 8 graveyards wins the board"),
        Option(
            "spells",
            "profile",
            "whether there are spells: as the profile has it, on, off",
            choices=("profile", "on", "off"),
        ),
        Option("switches", "", "further switches of the rules, such as ability_once=true,hand_limit=20"),
        Option("other_maps", False, "maps that the profile does not know, if the rules cover their tiles"),
        Option("lenient", False, "judge turns as those of other engines: six irregularities are accepted"),
    )

    panels = (
        Panel("removable", "What can be removed", "Marks every enemy that can be removed this turn, taken alone."),
        Panel(
            "attacks",
            "Attacks",
            "Can these enemies all be removed this turn? The answer is proved. Without names: can anybody be removed?",
            (("remove", "hexes, such as e5,d4"), ("keep", "enemies that have to stay"), ("board", "0")),
        ),
    )

    def setup(self) -> None:
        switches = parse_switches(self["switches"])
        if self["start_unit"]:
            switches["start_unit"] = self["start_unit"]
        switches |= {name: True for name in ("kill_beats_graveyards", "other_maps") if self[name]}
        if self["spells"] != "profile":
            switches["spells"] = self["spells"] == "on"
        larger = switches.get("larger_pack", profile_of(self["profile"]).switches.larger_pack)
        line = self["techline"]
        if line == "standard":
            techline = Techline.standard()
        elif line.startswith("random:"):
            seed = line.removeprefix("random:")
            if not seed.isdecimal() or len(seed) > 18:
                raise OptionError(f"option techline is {line!r}; random takes a seed, such as random:7")
            techline = Techline.randomised(int(seed), larger=larger)
        else:
            techline = Techline.parse(line)
        self.config = GameConfig.make(
            tuple(self["maps"].split(",")), points=self["points"], techline=techline, profile=self["profile"],
            money=self._money(), **switches,
        )  # fmt: skip
        self.hidden = self.config.switches.spells
        self.max_length = self["plies"] * (2 if self.hidden else 1) or None  # before each turn chance deals spells

    def _money(self) -> tuple[int, int] | None:
        text = self["money"]
        if not text:
            return None
        yellow, _, blue = text.partition("|")
        if not (yellow.isdecimal() and blue.isdecimal() and len(text) < 20):
            raise OptionError(f"option money is {text!r}; it is two whole numbers, such as 0|12")
        return int(yellow), int(blue)

    def start(self, seed: int | None = None) -> MinionsPosition:
        position = MinionsPosition(self, GameState.start(self.config))
        return position if seed is None or position.turn != CHANCE else position.play(position.sample(generator(seed)))

    def parse(self, text: str) -> MinionsPosition:
        if text.strip() in ("", "startpos"):
            return self.start()
        state = parse_fen(text, self.config)
        return MinionsPosition(self, state, (), extended_fen(state))

    def next_seat(self, position: MinionsPosition) -> int:
        return position.state.side

    def draw(self, position: MinionsPosition) -> str:
        return draw(position.state, over=position.over)

    def sheet(self, position: MinionsPosition) -> Sheet:
        return sheet(position.state)

    def written(self, position: MinionsPosition, cells: Mapping[str, str], fields: Mapping[str, str]) -> str:
        return written(position.state, cells, fields)

    def answer(self, position: MinionsPosition, panel: str, given: Mapping[str, str], seconds: float) -> Finding:
        # which knows states, and whose solver loads when asked for
        from stratagem.games.minions.attack import panel_answer, removable

        state = position.state
        return removable(state, seconds) if panel == "removable" else panel_answer(state, given, seconds)

    def tally(self, position: MinionsPosition) -> list[float]:
        return [float(points) for points in position.state.points]

    def describe(self, position: MinionsPosition, move: str, mover: int, viewer: int | None = None) -> str:
        """A turn in words; which spells boards took is for the mover alone, and so are the cards dealt."""
        hidden = self.hidden and viewer is not None and viewer != mover
        if position.turn == CHANCE:
            own = viewer is None or viewer == position.state.side
            cards = parse_deal(move) if own else ()
            names = ", ".join(str(spells()[card - 1]) for card in cards) or f"{len(move.split()) - 1} cards"
            return f"{SIDES[position.state.side]} is shown {names}"
        return in_words(position.state, GameTurn.parse(move, self.config.boards), hidden=hidden)

    def phrases(
        self, position: MinionsPosition, parts: Sequence[str], prefix: Sequence[str] = (), seat: int | None = None
    ) -> list[str]:
        now, boards = position._during(prefix), self.config.boards
        reported = []
        for part in parts:
            first, last = _ends(part, boards)
            if first and last and first[1].kind == "move" and last != first:
                struck = named(now.boards[last[0]], last[1].hexes[1])
                reported.append(f"{part_in_words(first, now)} and attacks {struck}")
            else:  # of a purchase and where it is put, the place
                found = parse_part(part.rpartition(";")[2], boards)
                reported.append(part if found is None else part_in_words(found, now))
        return reported

    def group(self, position: MinionsPosition, part: str) -> str:
        found = board_action(part, self.config.boards)
        return f"Board {found[0]}" if found else "Technology"

    def pieces(self) -> list[tuple[str, str]]:
        found = [(spaced(unit.name), stats(unit).partition(": ")[2]) for unit in self.config.units if not unit.absent]
        return found + [(spell.name, spell.effect) for spell in spells() if self.config.switches.spells]

    def steps(
        self, position: MinionsPosition, prefix: Sequence[str], following: Parts, seat: int | None = None
    ) -> tuple[Step, ...]:
        if position.turn == CHANCE:
            return ()
        return stepping.steps(position.state, position._during(prefix), prefix, following)

    def held(self, position: MinionsPosition, prefix: Sequence[str], following: Parts) -> tuple[str, ...]:
        return stepping.held(position._during(prefix), prefix, following) if prefix else ()

    def shortcuts(self, position: MinionsPosition, prefix: Sequence[str], following: Parts) -> tuple[str, ...]:
        if position.turn == CHANCE:
            return ()
        now = position._during(prefix)
        return (*stepping.charges(now, following), *(stepping.another(now, prefix) if prefix else ()))

    def midway(self, position: MinionsPosition, prefix: Sequence[str]) -> MinionsPosition:
        return MinionsPosition(self, position._during(prefix), position.history, position.origin, position.seat)

    def frames(self, position: MinionsPosition, text: str, seat: int | None = None) -> list[Frame]:
        """A turn part by part, as a side may see it."""
        if position.turn == CHANCE or position.over:
            return []
        turn = GameTurn.parse(text, self.config.boards)
        who = NOBODY if seat is None else seat
        secret = self.hidden and who != position.state.side
        reported = steps(position.state, turn, hidden=secret)
        return [Frame(draw(now.hidden_from(who) if self.hidden else now), words) for now, words in reported]

    def overlay(
        self, position: MinionsPosition, place: str, prefix: Sequence[str] = (), seat: int | None = None
    ) -> tuple[Mark, ...]:
        """Where the unit on a hex can go, whom it can attack, and all that it could attack: in the middle of a turn that is
        planned, and an enemy's as if it were to move now."""
        board, _, name = place.partition(" ")
        if not board.isdecimal() or len(board) > 3 or int(board) >= self.config.boards:
            return ()
        now = position._during(prefix, moving=True).boards[int(board)]
        if name not in now.pieces:
            now = position._during(prefix).boards[int(board)]  # spawned
        return overlay(now, name) if name in now.pieces else ()

    def trace(self, position: MinionsPosition, move: str, mover: int) -> tuple[Mark, ...]:
        """A turn as marks over the boards; a deal has none."""
        return () if position.turn == CHANCE else trace(position.state, GameTurn.parse(move, self.config.boards))

    def places(self, position: MinionsPosition, part: str, mover: int) -> tuple[str, ...]:
        first, found = _ends(part, self.config.boards)
        if found is None:
            return ()
        board, action = found
        unit = (f"{board} {action.unit.letter}",) if action.kind == "spawn" and action.unit else ()
        hexes = action.hexes
        if first and first[1].kind == "move" and action.kind == "attack":
            hexes = (first[1].hexes[0], hexes[1])  # who goes and attacks, and whom
        return (*unit, *(f"{board} {hex_name(h)}" for h in hexes))

    def sketch(self, position: MinionsPosition, prefix: Sequence[str], seat: int | None = None) -> str:
        chosen = None  # the part about technology, on the cards that it is about
        for part in prefix:
            tech = parse_part(part, self.config.boards)
            if isinstance(tech, Tech):
                unlocked, acquired = teched(position.state, tech)
                chosen = dict.fromkeys((*unlocked, *acquired), part)
        return draw(position._during(prefix), teched=chosen)

    def text_sketch(self, position: MinionsPosition, prefix: Sequence[str], seat: int | None = None) -> str:
        return art(position._during(prefix))

    def art(self, position: MinionsPosition) -> str:
        return art(position.state)


def _ends(part: str, boards: int) -> list[tuple[int, BoardAction] | None]:
    """The first and the last of the actions that a part is made of: mostly one."""
    return [board_action(one, boards) for one in (part.partition(";")[0], part.rpartition(";")[2])]


@lru_cache(maxsize=4096)
def as_others_see(turn: str, boards: int) -> str:
    """A turn without what its mover alone knows. Every view tells all turns so far, so that they are remembered."""
    return str(GameTurn.parse(turn, boards).hidden())


class MinionsPosition(Position):
    def __init__(
        self, game: Minions, state: GameState, history: tuple[str, ...] = (), origin: str | None = None,
        seat: int | None = None,
    ) -> None:  # fmt: skip
        self.game: Minions = game
        self.state = state
        self.history = history
        self.origin = origin
        self.seat = seat

    @property
    def turn(self) -> int:
        limit = self.game["plies"]
        if self.state.winner is not None or (limit and self.state.ply > limit):
            return OVER
        return CHANCE if self.state.awaits_deal else self.state.side

    def _decide(self, seat: int | None) -> None:
        if self.over:
            raise GameOver(f"the game is over ({self.game.outcome(self)}): there is no turn to play")
        if seat is not None and seat != self.turn:
            now = "spells are dealt" if self.turn == CHANCE else f"{SIDES[self.turn]} is to move"
            raise IllegalMove(f"{self.game.seat_name(seat)} has nothing to decide: {now}")

    def moves(self, seat: int | None = None) -> list[str]:
        self._decide(seat)
        raise Unlistable("the turns of minions are too many to list: `sample` gives random ones, `parts` builds one")

    def play(self, text: str | Sequence[str]) -> MinionsPosition:
        self._decide(None)
        if not (text if isinstance(text, str) else "".join(text)).strip("; \t\n"):
            raise IllegalMove("the turn is empty: to do nothing, write tech 0")
        if self.turn == CHANCE:
            cards = parse_deal(text if isinstance(text, str) else " ".join(text))
            dealt = self.state.deal(cards)
            return MinionsPosition(self.game, dealt, (*self.history, deal_text(cards)), self.origin, self.seat)
        turn = GameTurn.parse(text, self.game.config.boards)
        after = self.state.play(turn, lenient=self.game["lenient"])
        return MinionsPosition(self.game, after, (*self.history, str(turn)), self.origin, self.seat)

    def sample(self, rng: Rng, seat: int | None = None) -> str:
        self._decide(seat)
        if self.turn == CHANCE:
            return deal_text(self.state.random_deal(rng))
        return str(self.state.random_turn(rng))

    def view(self, seat: int | None) -> MinionsPosition:
        """Hands, decks and what is known of them are each side's own; a spell is seen when it is played or discarded."""
        if not self.game.hidden:
            return self
        who = NOBODY if seat is None else seat
        origin = self.origin and extended_fen(parse_fen(self.origin, self.game.config).hidden_from(who))
        return MinionsPosition(self.game, self.state.hidden_from(who), self._reported(who), origin, who)

    def _reported(self, who: int) -> tuple[str, ...]:
        """The record as a side may know it."""
        side = 0 if self.origin is None else parse_fen(self.origin, self.game.config).side
        reported = []
        for text in self.history:
            if text.startswith("deal"):
                reported.append(text if side == who else "deal" + " unknown" * (len(text.split()) - 1))
            else:
                reported.append(text if side == who else as_others_see(text, self.game.config.boards))
                side = 1 - side
        return tuple(reported)

    def _turn(self, prefix: Sequence[str]) -> GameTurn:
        return GameTurn.parse(prefix, self.game.config.boards)

    def _during(self, prefix: Sequence[str], *, moving: bool = False) -> GameState:
        """The state after the parts of a turn so far; with `moving` before anything is bought or spawned."""
        turn = self._turn(prefix)
        if moving:
            turn = replace(turn, boards=tuple(before_spawning(actions) for actions in turn.boards))
        return self.state.during(turn, lenient=self.game["lenient"])

    def _fits(self, turn: GameTurn) -> bool:
        return self.state.reaches(turn, lenient=self.game["lenient"])

    def _moves_before(self, board: Board, turn: GameTurn) -> list[BoardAction]:
        """The moves and attacks of a board that still fit in front of the purchases and spawns of a turn."""
        found, boards, k = [], turn.boards, board.index
        for action in board_actions(board):
            longer = replace(turn, boards=(*boards[:k], (*boards[k], action), *boards[k + 1 :]))
            if action.kind in MOVING and self._fits(longer):
                found.append(action)
        return found

    def _general_parts(self, turn: GameTurn) -> list[str]:
        """What the general may do beside the techline: sell the free spell, give a board one of the spells drawn."""
        state = self.state
        kinds = [by_key()[word] for word in dict.fromkeys(state.known(state.side)) if word in by_key()]
        gifts = [Gift(k, spell) for k in range(state.config.boards) for spell in kinds]
        found = [SOLD] if not turn.sold and self._fits(replace(turn, sold=True)) else []
        return found + [str(gift) for gift in gifts if self._fits(replace(turn, spells=(*turn.spells, gift)))]

    def _tech_parts(self, turn: GameTurn) -> list[str]:
        """The general's turns of one spell or two that leave what the rest of a turn costs."""
        line = self.state.cards(self.state.side)
        techs = [Tech(), Tech(1), *(Tech(0, (c,)) for c in range(layout.CARDS) if line[c] == "U")]
        techs += [Tech(2), *(Tech(1, (c,)) for c in range(layout.CARDS) if line[c] == "U" or c == line.find("L"))]
        return [str(tech) for tech in techs if self._fits(replace(turn, tech=tech))]

    def guess(self, seat: int, rng: Rng) -> MinionsPosition:
        """A position that may be the true one as far as a seat can tell."""
        return MinionsPosition(self.game, self.state.guessed(seat, rng), self.history, self.origin)

    @property
    def payoff(self) -> tuple[float, ...]:
        if not self.over:
            raise NotOver("the game is not over, so nobody has a payoff yet")
        winner = self.state.winner
        return (0.0, 0.0) if winner is None else (1.0, -1.0) if winner == 0 else (-1.0, 1.0)

    def parts(self, prefix: Sequence[str] = (), seat: int | None = None) -> Parts:
        """The actions that may come next, one at a time; cyclic moves only those of two units, the rest can be typed."""
        self._decide(seat)
        turn, now, moving = self._turn(prefix), self._during(prefix), self._during(prefix, moving=True)
        found: list[str] = []
        if not any(isinstance(parse_part(part, self.game.config.boards), Tech) for part in prefix):
            found += self._tech_parts(turn)
        found += self._general_parts(turn)
        for board in now.boards:
            offered = board_actions(board)
            if board.words[layout.PHASE] == layout.SPAWNING:  # moves run before purchases, whenever they are chosen
                offered = [*self._moves_before(moving.boards[board.index], turn), *offered]
            found += [f"board {board.index} {action}" for action in offered]
        complete = int(rules.unready(self.game.config.ground, now.array)) < 0
        grave = tuple(text for text in found if text.endswith(" resign"))
        free = "further actions, and move_cyclic with several hexes, may be typed"
        return Parts(tuple(found), complete, free, grave=grave)

    def __str__(self) -> str:
        return extended_fen(self.state)

    def __eq__(self, other: object) -> bool:
        alike = isinstance(other, MinionsPosition) and self.game == other.game and self.seat == other.seat
        return alike and isinstance(other, MinionsPosition) and self.state == other.state

    def __hash__(self) -> int:
        return hash((self.game, self.state))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self.game), self.game.chosen, str(self), self.history, self.origin, self.seat)


def _restore(
    kind: type[Minions], chosen: dict[str, Any], text: str, history: tuple[str, ...], origin: str | None,
    seat: int | None = None,
) -> MinionsPosition:  # fmt: skip
    game = kind(**chosen)
    return MinionsPosition(game, parse_fen(text, game.config), history, origin, seat)


def board_actions(board: Board) -> list[BoardAction]:
    """The single actions that are legal on a board now; those of its spawn phase too while that is still to come."""
    s, k, magical = board.game.array.copy(), board.index, board.game.config.magical
    g, out = board.game.config.ground, np.zeros(atoms.MAX_ATOMS, np.int64)
    list_board, write = (specialised(f, "python", magical) for f in (atoms.list_board, atoms.write))
    found = out[: list_board(g, s, k, out)].tolist()
    phase = board.words[layout.PHASE]
    if phase < layout.SPAWNING and not atoms.needs_setup(board.words) and rules.spawn_phase(g, board.words):
        s[layout.board_of(k) + layout.PHASE] = layout.SPAWNING
        found += out[: list_board(g, s, k, out)].tolist()
    actions = []
    for m in dict.fromkeys(found):
        length = write(m, out)
        actions.append(BoardAction.of(int(out[0]), out[3:length].tolist()))
    if phase == layout.UNTOUCHED and board.state != "0" and not board.words[layout.RESIGNED]:
        actions.append(BoardAction("resign"))
    return actions


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
    if state.config.switches.spells:
        lines += [f"  {SIDES[side]} sees " + (" ".join(state.known(side)) or "no cards") for side in range(2)]
        lines += ["spells drawn: " + " ".join(state.drawn)] if state.drawn else []
    for board in state.boards:
        zones = ", ".join(
            f"{SIDES[side]} {' '.join(u.letter * n for u, n in board.reinforcements(side).items()) or '-'}"
            for side in range(2)
        )
        held = "|".join(str(board.graveyards(side)) for side in range(2))
        lines.append(
            f"board {board.index} {board.map.name}, state {board.state}, graveyards {held}; reinforcements: {zones}"
        )
        if state.config.switches.spells:
            hands = ", ".join(f"{SIDES[side]} {' '.join(board.hand(side)) or '-'}" for side in range(2))
            lines.append(f"  hands: {hands}; mana {board.mana}")
        for y in range(9, -1, -1):
            cells = []
            for x in range(10):
                piece = board.pieces.get(hex_name(10 * y + x))
                tile = board.tiles[10 * y + x]
                mark = {"g": "+", "w": "~", ".": "."}.get(tile, tile)
                cells.append((piece.letter if piece else mark) + ("+" if piece and tile == "g" else " "))
            lines.append((f"{y} " + "  " * y + "  ".join(cells)).rstrip())
        lines.append("  " + "   ".join("abcdefghij"))
    return "\n".join(lines)


assert len(units()) == layout.TYPES, "the kernels and the data file disagree on the number of unit types"
