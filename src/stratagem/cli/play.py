"""`stratagem play`: a game in the terminal, against engines or among people at one keyboard."""

from __future__ import annotations

import secrets
import shlex
import time
from pathlib import Path
from typing import Annotated

import platformdirs
import typer

from stratagem.cli.ahead import Ahead
from stratagem.cli.options import given_options, load_game, seat_of
from stratagem.contract.game import CHANCE, TOGETHER, Position
from stratagem.contract.growing import GrowingPlan
from stratagem.contract.player import Choice, Clock, Player, PlayerText
from stratagem.contract.words import in_words
from stratagem.errors import IllegalMove, OptionError, StratagemError, Unlistable
from stratagem.registry import player, players
from stratagem.rng import generator
from stratagem.store.record import Record

HELP = "a move in the game's notation, or: hint, back, moves, board, save FILE, help, quit"
PART_HELP = (
    "a part of the plan, or the whole plan with ; between its parts, or: parts (what may come next), drop (the last part), "
    "done (play it), hint, back, moves, board, save FILE, help, quit; lines pasted from an engine are read too"
)
YOU = "you"
FRESH_SEEDS = 1_000_000  # few enough to be typed again


def play(
    game: Annotated[str, typer.Argument(help="a game")],
    position: Annotated[str, typer.Argument(help="a position to start from")] = "",
    seats: Annotated[
        str | None, typer.Option(help="who plays each seat, with commas: you,strong or easy,mcts:time=1")
    ] = None,
    level: Annotated[
        str | None, typer.Option(help="the player on the other seats, if --seats is not given; medium if left out")
    ] = None,
    seat: Annotated[int, typer.Option(help="your seat, counted from 0, if --seats is not given")] = 0,
    seconds: Annotated[float | None, typer.Option(help="thinking time of engines, a move")] = None,
    seed: Annotated[
        int | None, typer.Option(help="for dice, cards and engines: repeats a game; a fresh one if left out")
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="go on with a saved game")] = None,
) -> None:
    """Play a game in the terminal. Type `help` for what can be typed."""
    clock = Clock(seconds)
    if resume is not None:
        if given_options() or position:
            raise OptionError("a resumed game brings its own options and position; leave them out")
        record = Record.load(resume)
        if record.game != game:
            raise OptionError(
                f"{resume} holds a game of {record.game}; use: stratagem play {record.game} --resume {resume}"
            )
        at = record.position()
        names = [str(who) for who in PlayerText.parse_list(seats)] if seats is not None else record.seats
        seed = record.seed
    else:
        of = load_game(game)
        if seed is None:
            seed = secrets.randbelow(FRESH_SEEDS)
        at = of.parse(position) if position else of.start(seed=seed)
        if seats is not None:
            names = [str(who) for who in PlayerText.parse_list(seats)]
        else:
            seat_of(of, seat)
            other = level or ("medium" if "medium" in players(of) else "random")
            names = [YOU if p == seat else other for p in range(of.players)]
    if len(names) != at.game.players:
        raise OptionError(f"--seats names {len(names)} players; {at.game.name} has {at.game.players} seats")
    table = {p: player(at.game, name, seed=seed + p) for p, name in enumerate(names) if name != YOU}
    print(f"seed {seed} (--seed {seed} repeats dice, cards and lots)")
    Session(at, names, table, clock, seed, resume or _free_file(at.game.name)).run()


def _free_file(name: str) -> Path:
    """Where a game is kept that nobody has named a file for: by the time, and never over another game."""
    folder = Path(platformdirs.user_data_dir("stratagem", appauthor=False))
    stem = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    file, again = folder / f"{stem}.json", 2
    while file.exists():
        file, again = folder / f"{stem}-{again}.json", again + 1
    return file


class Session:
    """One game at the keyboard. Every change is saved, so that nothing is lost when the terminal closes."""

    def __init__(
        self, position: Position, names: list[str], engines: dict[int, Player], clock: Clock, seed: int, file: Path
    ) -> None:
        self.position = position
        self.names = names
        self.engines = engines
        self.clock = clock
        self.file = file
        self.seed = seed
        self.rng = generator(seed, len(position.history))
        self.past: list[Position] = []  # positions in which a person was asked, for taking back
        self.parts: tuple[str, ...] = ()  # of a plan that is being typed
        self.mover = position.turn  # who decided last
        known = players(position.game)
        hints = [name for name in ("strong",) if name in known and len(engines) < len(names)]
        self.ahead = Ahead(position, [*(names[p] for p in engines), *hints])

    def run(self) -> None:
        if all(seat in self.engines for seat in range(self.position.game.players)):
            print("engines play all seats; watch")
        try:
            self.show()
            while not self.position.over:
                self.step()
        except (KeyboardInterrupt, EOFError) as end:
            self.leave()
            raise typer.Exit(130 if isinstance(end, KeyboardInterrupt) else 0) from None
        except StratagemError:  # an engine that cannot go on: the game can, with another
            self.leave()
            raise
        finally:
            self.ahead.stop()
        print(f"the game is over: {self.position.game.outcome(self.position)}")

    def leave(self) -> None:
        """Save, and say how to go on."""
        self.save(self.file)
        if self.parts:
            print(f"\nthe plan so far: {';'.join(self.parts)}")
        game, file = shlex.quote(self.position.game.address), shlex.quote(str(self.file))
        print(f"\nsaved; go on with: stratagem play {game} --resume {file}")

    def save(self, file: Path) -> None:
        Record.of(self.position, self.names, self.seed).save(file)

    @property
    def viewer(self) -> int | None:
        """The seat of the one person at the keyboard; None: people who share it, and see all."""
        people = [p for p in range(self.position.game.players) if p not in self.engines]
        return people[0] if len(people) == 1 else None

    def seen(self) -> Position:
        """The position as the person at the keyboard may see it."""
        return (
            self.position if self.viewer is None or not self.position.game.hidden else self.position.view(self.viewer)
        )

    def told(self, before: Position) -> tuple[str, ...]:
        """What was decided since, as far as the game tells the person at the keyboard of its record."""
        true, record = self.position.history, self.seen().history
        return (record if len(record) == len(true) else true)[len(before.history) :]

    def worth_showing(self) -> bool:
        """Not before chance has done its part, nor again and again while engines are at it."""
        turn, among_engines = self.position.turn, self.mover in self.engines and len(self.engines) < len(self.names)
        return turn != CHANCE and not (turn in self.engines and (among_engines or turn == self.mover))

    def show(self) -> None:
        """The position, with the parts of a plan that is being typed carried out."""
        seen, turn = self.seen(), self.position.turn
        print(seen.text_sketch(self.parts, turn) if self.parts else seen.text_art())

    def step(self) -> None:
        before, game = self.position, self.position.game
        if before.turn == CHANCE:
            self.position = before.play(before.sample(self.rng))
            if told := self.seen().history[-1:]:  # where something is secret, as far as the game tells it
                print(f"chance: {told[0]}{self.words(before, told[0])}")
        else:
            chosen: dict[int, str] = {}
            thoughts = {}
            for seat in before.asked:
                if seat in self.engines:
                    thoughts[seat] = self.think(seat, before)
                move = thoughts[seat].move if seat in thoughts else self.ask(seat, before)
                if move is None:
                    return  # the position was changed by hand
                chosen[seat] = move
            if before.turn == TOGETHER:
                self.position = before.play([chosen.get(p, "-") for p in range(game.players)])
                revealed = self.position.history[-1]
                print(f"revealed: {revealed}{self.words(before, revealed)}")
            else:
                self.position = before.play(chosen[before.turn])
                if before.turn in thoughts:
                    self.announce(before, thoughts[before.turn])
            if any(seat not in self.engines for seat in before.asked):
                self.past.append(before)
        self.save(self.file)
        self.mover = before.turn if before.turn != CHANCE else self.mover
        if self.worth_showing():
            self.show()

    def announce(self, before: Position, choice: Choice) -> None:
        """Tell what an engine has played: its text as far as it is known, what that does, and its worth to the engine."""
        played, told = self.position.history[len(before.history) :], self.told(before)
        at, said = before, []
        for true, text in zip(played, told, strict=True):  # an engine may play several moves of the record at once
            said.append(self.words(at, text))
            at = at.play(true) if len(played) > 1 else at
        text = choice.move if told == played else "; ".join(told)
        print(f"{before.game.seat_name(before.turn)} plays {text}{''.join(said)}{worth(choice)}")

    def words(self, before: Position, text: str) -> str:
        """What a decision does, where the game has words for it, to be put behind its text."""
        said = in_words(before, text, self.viewer)
        return f": {said}" if said else ""

    def think(self, seat: int, before: Position) -> Choice:
        self.ahead.wait(self.names[seat])
        choice = self.engines[seat].choose(before.view(seat), self.clock, seat=seat)
        if not choice.finished:  # Ctrl-C ends a search, and here the game with it
            raise KeyboardInterrupt
        return choice

    def ask(self, seat: int, before: Position) -> str | None:
        game = before.game
        while True:
            typed = f" ({len(self.parts)} part{'s' * (len(self.parts) > 1)})" if self.parts else ""
            text = input(f"{game.seat_name(seat)}{typed}> ").strip()
            word, _, rest = text.partition(" ")
            try:
                if text == "quit":
                    raise EOFError
                if text in ("", "help", "?"):
                    print(PART_HELP if game.plan.by_parts else HELP)
                elif text == "moves":
                    print(self.listing(before, seat))
                elif text == "board":
                    self.show()
                elif text == "hint":
                    self.hint(before, seat)
                elif word == "save":
                    file = Path(rest.strip() or self.file)
                    self.save(file)
                    print(f"saved to {file}")
                elif text in ("back", "undo"):
                    if not self.past:
                        print("there is nothing to take back")
                        continue
                    self.position = self.past.pop()
                    self.parts = ()
                    self.save(self.file)
                    self.show()
                    return None
                elif game.plan.by_parts and ";" not in text:
                    move = self.compose(before, seat, text)
                    if move is not None:
                        return move
                else:
                    return self.settle(before, GrowingPlan.of(before.view(seat), seat, text))
            except StratagemError as error:
                print(error)
            except OSError as error:
                print(f"that cannot be saved: {error}")

    def compose(self, before: Position, seat: int, text: str) -> str | None:
        """A line of a plan that is typed part by part; the whole plan once it is done. An illegal part is not kept."""
        plan = GrowingPlan(before.view(seat), seat, self.parts)
        opens, closes = before.game.plan.opens, before.game.plan.closes
        if text == "parts":
            print("; ".join(plan.following.next))
        elif text == "drop":
            print(f"dropped {self.parts[-1]}" if self.parts else "there is no part to drop")
            self.parts = plan.drop().parts
        elif opens and text == opens:
            self.parts = ()
        elif text == "done" or (closes and text == closes):
            return self.settle(before, plan)
        else:
            plan = plan.add(text)
            if plan.full and len(plan.parts) == 1:  # a move of one part needs no last word
                return self.settle(before, plan)
            self.parts = plan.parts
        return None

    def settle(self, before: Position, plan: GrowingPlan) -> str:
        """The text of a plan that is whole and legal, before anybody else is asked."""
        plan.settled()
        if plan.view is not before and before.turn != TOGETHER:
            try:
                before.play(plan.text)
            except StratagemError:  # the rules may refuse on grounds that the seat cannot see, so their words stay here
                raise IllegalMove("the rules do not allow this move here") from None
        self.parts = ()
        return plan.text

    def listing(self, before: Position, seat: int) -> str:
        try:
            moves = before.moves(seat)
            return " ".join(moves[:200]) + (f" ... ({len(moves)} in all)" if len(moves) > 200 else "")
        except Unlistable as error:
            return f"{error}; for example: {before.sample(generator(0), seat)}"

    def hint(self, before: Position, seat: int) -> None:
        known = players(before.game)
        name = "strong" if "strong" in known else next(iter(known))
        self.ahead.wait(name)
        choice = player(before.game, name, seed=self.seed).choose(before.view(seat), self.clock, seat=seat)
        print(f"{name} would play {choice.move}{worth(choice)}")


def worth(choice: Choice) -> str:
    return "" if choice.value is None else f" (value {choice.value:+.2f})"
