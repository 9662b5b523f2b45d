"""One game at the keyboard: what is shown, what may be typed, and who decides."""

from __future__ import annotations

import secrets
import shlex
import sys
import textwrap
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import typer

from stratagem.cli.terminal import Keyboard, Screen, folded, grouped, listed
from stratagem.compile import Compilers
from stratagem.contract.companions.drawing import Drawing
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import CHANCE, NOBODY, TOGETHER, Position
from stratagem.contract.growing import GrowingPlan
from stratagem.contract.player import Choice, Clock, Player, PlayerText
from stratagem.contract.words import in_words
from stratagem.errors import IllegalMove, OptionError, StratagemError, Unlistable
from stratagem.readiness import mark, needs, preliminary
from stratagem.registry import player, players
from stratagem.rng import generator
from stratagem.store.record import Record

HELP = (
    "a move in the game's notation, or: hint, back, moves, board, rules, look THING, resign, save FILE, help, quit; "
    "Tab completes, the arrow keys bring back what was typed"
)
PART_HELP = (
    "a part of the plan, or the whole plan with ; between its parts, or: parts (what may come next), drop (the last part), "
    "done (play it), hint, back, moves, board, rules, resign, save FILE, help, quit; lines pasted from an engine are read too"
)
WORDS = ("hint", "back", "moves", "board", "rules", "resign", "save", "help", "quit")
PART_WORDS = ("parts", "drop", "done")
AGAIN = "again, swap (seats), review, save FILE, or quit"
YOU = "you"
WORTH_SAYING = 0.5  # seconds of waiting
LONGEST_WAIT = 3.0  # seconds that one waits for an engine to be ready before a cheaper way makes its move


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
        self.ended = ""  # how, once it has
        self.kept = True  # whether it could be saved the last time
        self.unready: tuple[str, int] | None = None  # the engine that was last not ready in time, and when
        self.keyboard, self.screen = Keyboard(), Screen(position.game)
        known = players(position.game)
        hints = [name for name in ("strong",) if name in known and len(engines) < len(names)]
        # nobody thinks at the other end of a pipe, so nothing can be compiled meanwhile
        used = [*(names[p] for p in engines), *hints] if sys.stdin.isatty() else []
        self.compilers = Compilers()
        self.order = self.compilers.order(needs(position, used) if used else {}, mark=mark(position.game, used))

    @classmethod
    def of(cls, record: Record, file: Path, clock: Clock) -> Session:
        """A game that begins or goes on as a record says; what a person decided in it can be taken back."""
        at, names, seed = record.position(), record.seats, record.seed
        if len(names) != at.game.players:
            raise OptionError(f"--seats names {len(names)} players; {at.game.name} has {at.game.players} seats")
        engines = {p: player(at.game, name, seed=seed + p) for p, name in enumerate(names) if name != YOU}
        print(f"seed {seed} (--seed {seed} repeats dice, cards and random draws)")
        session = cls(at, names, engines, clock, seed, file)
        before: Position = at.game.start() if at.origin is None else at.game.parse(at.origin)
        for text in at.history:
            if any(seat not in engines for seat in before.asked):
                session.past.append(before)
            before = before.play(text)
        return session

    def run(self) -> None:
        if all(seat in self.engines for seat in range(self.position.game.players)):
            print("engines play all seats; watch")
        elif self.keyboard.interactive:
            self.introduce()
        try:
            self.show()
            while not self.position.over and not self.ended:
                self.step()
        except (KeyboardInterrupt, EOFError) as end:
            self.leave()
            raise typer.Exit(130 if isinstance(end, KeyboardInterrupt) else 0) from None
        except StratagemError:  # an engine that cannot go on: the game can, with another
            self.leave()
            raise
        finally:
            self.compilers.close()
        self.ended = self.ended or Wording.of(self.position.game).outcome(self.position)
        self.keep()
        print(f"the game is over: {self.ended}")
        if self.keyboard.interactive and len(self.engines) < len(self.names):
            self.afterwards()

    def introduce(self) -> None:
        """What somebody who sits down wants to know."""
        game = self.position.game
        others = [f"{game.seat_name(p)}: {name}" for p, name in enumerate(self.names)]
        print(f"{game.title}; {', '.join(others)}. Type help for what can be typed, rules for the rules.")
        if game.guide:
            print(folded(game.guide))

    def afterwards(self) -> None:
        """When the game is over: another one, with the same seats or others, or a look back."""
        while True:
            try:
                text = self.keyboard.ask("what now> ", lambda: ("again", "swap", "review", "save", "quit"), self.show)
            except (EOFError, KeyboardInterrupt):
                return
            word, _, rest = text.strip().partition(" ")
            if word in ("again", "swap"):
                names = self.names if word == "again" else [*self.names[1:], self.names[0]]
                seed = secrets.randbelow(1_000_000)
                again = Record.of(self.position.game.start(seed=seed), names, seed)
                name = f"{self.file.stem}-{secrets.token_hex(2)}.json"
                Session.of(again, self.file.with_name(name), self.clock).run()
                return
            if word == "review":
                from stratagem.cli.review import show_review

                show_review(Record.of(self.position, self.names, self.seed))
            elif word == "save" and rest:
                self.guarded(partial(self.saved, Path(rest)))
            elif word == "quit":
                return
            else:
                print(AGAIN)

    def leave(self) -> None:
        """Save, and say how to go on."""
        kept = self.keep()
        if self.parts:
            print(f"\nthe plan so far: {';'.join(self.parts)}")
        if not kept:
            print()
            return
        game, file = shlex.quote(self.position.game.address), shlex.quote(str(self.file))
        print(f"\nsaved; go on with: stratagem play {game} --resume {file}")

    def keep(self) -> bool:
        """Save the game where it is kept; whether that went well. One that cannot be saved goes on all the same."""
        try:
            self.save(self.file)
        except OSError as error:
            if self.kept:
                print(
                    f"this game is not kept: {self.file.parent}: {error.strerror or error}; it goes on, and save FILE saves it"
                )
            self.kept = False
            return False
        self.kept = True
        return True

    def save(self, file: Path) -> None:
        Record.of(self.position, self.names, self.seed, self.ended).save(file)

    def saved(self, file: Path) -> None:
        self.save(file)
        print(f"saved to {file}")

    def guarded(self, do: Callable[[], None]) -> None:
        """A user's mistake is reported, and the game goes on."""
        try:
            do()
        except StratagemError as error:
            print(error)
        except OSError as error:
            print(f"that cannot be saved: {error}")

    # -- what is shown

    @property
    def viewer(self) -> int | None:
        """Who looks: the seat of the one person at the keyboard, NOBODY where several share it, and None, who may know
        everything, where engines play all seats."""
        people = [p for p in range(self.position.game.players) if p not in self.engines]
        return None if not people else people[0] if len(people) == 1 else NOBODY

    def seen(self, seat: int | None = None) -> Position:
        """The position as a seat may see it; else as the one who is to move or looks on at this keyboard may."""
        position, viewer = self.position, self.viewer
        if viewer is None or not position.game.hidden:
            return position
        if seat is None:
            seat = viewer if viewer >= 0 else position.turn
        return position.view(seat if seat >= 0 and seat not in self.engines else None)

    def known(self, before: Position) -> tuple[str | None, ...]:
        """What was decided since, as far as everybody at the keyboard may know it, as on a page of the web."""
        true = self.position.history
        if self.viewer is None or not self.position.game.hidden or self.position.over:
            return true[len(before.history) :]
        record = self.position.view(self.viewer if self.viewer >= 0 else None).history
        # A game that tells its seats of the record aligns it with the true one; what does not align is not shown.
        return (record if len(record) == len(true) else (None,) * len(true))[len(before.history) :]

    def worth_showing(self) -> bool:
        """Not before chance has done its part, nor again and again while engines are at it."""
        turn, among_engines = self.position.turn, self.mover in self.engines and len(self.engines) < len(self.names)
        return turn != CHANCE and not (turn in self.engines and (among_engines or turn == self.mover))

    def show(self) -> None:
        """The position, with the parts of a plan that is being typed carried out."""
        seen, turn = self.seen(), self.position.turn
        drawing = Drawing.of(seen.game)
        sketch = drawing.text_sketch(seen, self.parts, turn) if self.parts else None
        self.screen.show(sketch or seen.text_art(), drawing.decisive(self.position) if self.position.over else ())

    def announce(self, before: Position, choice: Choice) -> None:
        """Tell what an engine has played: its text as far as it is known, what that does, and its worth to the engine."""
        played, reported = self.position.history[len(before.history) :], self.known(before)
        name = before.game.seat_name(before.turn)
        known = [text for text in reported if text is not None]
        if len(known) < len(reported):
            self.say(f"{name} has decided")
            return
        at, said = before, []
        for true, text in zip(played, known, strict=True):  # an engine may play several moves of the record at once
            said.append(self.words(at, text))
            at = at.play(true) if len(played) > 1 else at
        text, words = choice.move if reported == played else "; ".join(known), "".join(said)
        if (
            words and before.game.plan.by_parts and self.keyboard.interactive
        ):  # a long plan in words alone, a line a board
            text, words = "", words.removeprefix(": ").replace("; ", "\n  ")
        secret = before.game.hidden and self.viewer is not None  # what the engine thinks tells what it holds
        self.say(f"{name} plays {text}{words}{'' if secret else worth(choice)}")

    def reveal(self, before: Position) -> None:
        """Tell what all have decided at once, as far as it is known."""
        (known,) = self.known(before)
        if known is None:
            self.say("all have decided")
            return
        self.say(f"revealed: {known}{self.words(before, known)}")
        if known == self.position.history[-1]:
            for sentence in Wording.of(before.game).story(before, known, self.viewer):
                self.say(f"  {sentence}")

    def say(self, text: str) -> None:
        """A line or a few; in a terminal words are not broken at its edge."""
        width = self.screen.console.width if self.keyboard.interactive else 0
        for line in text.split("\n"):
            if len(line) > width > 20:
                indent = " " * (len(line) - len(line.lstrip()))
                line = textwrap.fill(line.lstrip(), width, initial_indent=indent, subsequent_indent=indent + "    ")
            print(line, flush=True)

    def words(self, before: Position, text: str) -> str:
        """What a decision does, where the game has words for it, to be put behind its text."""
        said = in_words(before, text, self.viewer)
        return f": {said}" if said else ""

    # -- who decides

    def draw_chance(self) -> None:
        """What chance decides until somebody else does: a line each where there are words for it, else a whole deal in one."""
        before = []
        while self.position.turn == CHANCE:
            before.append(self.position)
            self.position = self.position.play(self.position.sample(self.rng))
        plain: list[str] = []
        for at, text in zip(before, self.known(before[0]), strict=True):
            if text is None:  # something secret
                continue
            if words := self.words(at, text):
                self.say(f"chance: {', '.join([*plain, text])}{words}")
                plain = []
            else:
                plain.append(text)
        if plain:
            self.say(f"chance: {', '.join(plain)}")

    def step(self) -> None:
        before, game = self.position, self.position.game
        if before.turn == CHANCE:
            self.draw_chance()
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
                self.reveal(before)
            else:
                self.position = before.play(chosen[before.turn])
                if before.turn in thoughts:
                    self.announce(before, thoughts[before.turn])
            if any(seat not in self.engines for seat in before.asked):
                self.past.append(before)
        self.keep()
        self.mover = before.turn if before.turn != CHANCE else self.mover
        if self.worth_showing():
            self.show()

    def ready(self, engine: str, patience: float | None = None) -> bool:
        """Wait until an engine need not compile, or so many seconds; what is compiled is reported. Ctrl-C is passed on."""
        began, said = time.perf_counter(), ""
        while not self.order.wait(engine, 0.1):
            waited, notice = time.perf_counter() - began, self.order.notice
            if patience is not None and waited > patience:
                return False
            if notice not in (said, "") and waited > WORTH_SAYING:
                said = notice
                self.say(said)
        return True

    def think(self, seat: int, before: Position) -> Choice:
        name = self.names[seat]
        again = self.unready == (name, len(before.history))  # another seat of it, which is not waited for once more
        if not self.ready(name, 0.0 if again else LONGEST_WAIT):
            found = preliminary(PlayerText.parse(name), before.view(seat), seat)
            if found is not None:
                if not again:
                    self.say(f"{name} is still being compiled; its move is made by {found.engine}, in the interpreter")
                self.unready = name, len(before.history)
                return found
            self.ready(name)
        choice = self.engines[seat].choose(before.view(seat), self.clock, seat=seat)
        if not choice.finished:  # Ctrl-C ends a search, and here the game with it
            raise KeyboardInterrupt
        return choice

    # -- what may be typed

    def ask(self, seat: int, before: Position) -> str | None:
        """A person's move; None where the position was changed, or the game ended, by hand."""
        game = before.game
        if game.hidden and self.viewer == NOBODY and before.turn == TOGETHER:  # each has seen its own cards alone
            self.screen.show(self.seen(seat).text_art())
        while True:
            typed = f" ({len(self.parts)} part{'s' * (len(self.parts) > 1)})" if self.parts else ""
            prompt = f"{game.seat_name(seat)}{typed}> "
            text = self.keyboard.ask(prompt, lambda: self.possible(before, seat), self.show).strip()
            try:
                if text == "quit":
                    raise EOFError
                if text in ("back", "undo"):
                    if self.take_back():
                        return None
                elif text == "resign":
                    self.ended = f"{game.seat_name(seat)} resigned"
                    return None
                elif not self.answered(before, seat, text):
                    if not game.plan.by_parts or ";" in text:
                        return self.settle(before, GrowingPlan.of(before.view(seat), seat, text))
                    if (move := self.compose(before, seat, text)) is not None:
                        return move
            except StratagemError as error:
                print(error)
            except OSError as error:
                print(f"that cannot be saved: {error}")

    def answered(self, before: Position, seat: int, text: str) -> bool:
        """Whether a line was a question, which is answered then."""
        word, _, rest = text.partition(" ")
        game = before.game
        if text in ("", "help", "?"):
            self.say(PART_HELP if game.plan.by_parts else HELP)
        elif text == "rules":
            print("\n".join(folded(part) for part in (game.brief, game.guide)))
        elif text == "moves":
            print(self.listing(before, seat))
        elif text == "board":
            self.show()
        elif text == "hint":
            self.hint(before, seat)
        elif word == "look" and (seen := Wording.of(game).look(before.view(seat), rest.strip())) is not None:
            print(seen)
        elif word == "save":
            self.saved(Path(rest.strip() or self.file))
        else:
            return False
        return True

    def possible(self, before: Position, seat: int) -> Iterable[str]:
        """What may be typed, for completion."""
        plan = GrowingPlan(before.view(seat), seat, self.parts)
        try:
            moves = list(plan.following.next) if before.game.plan.by_parts else before.view(seat).moves(seat)
        except StratagemError:
            moves = list(plan.following.next)
        return (*moves, *WORDS, *(PART_WORDS if before.game.plan.by_parts else ()))

    def take_back(self) -> bool:
        if not self.past:
            print("there is nothing to take back")
            return False
        self.position = self.past.pop()
        self.parts = ()
        self.keep()
        self.show()
        return True

    def compose(self, before: Position, seat: int, text: str) -> str | None:
        """A line of a plan that is typed part by part; the whole plan once it is done. An illegal part is not kept."""
        plan = GrowingPlan(before.view(seat), seat, self.parts)
        opens, closes = before.game.plan.opens, before.game.plan.closes
        if text == "parts":
            print(grouped(plan.following.next) if self.keyboard.interactive else "; ".join(plan.following.next))
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
        """The moves in order, or where they are too many what may come next and how a move is written."""
        view = before.view(seat)
        following = GrowingPlan(view, seat, self.parts).following
        if following.free is None:
            try:
                return listed(view.moves(seat))
            except Unlistable:
                pass
        shown = grouped(following.next) if before.game.plan.by_parts else "for example: " + "  ".join(following.next)
        return f"{shown}\n{following.free}; a random one: {view.sample(generator(0), seat)}"

    def hint(self, before: Position, seat: int) -> None:
        known = players(before.game)
        name = "strong" if "strong" in known else next(iter(known))
        view, choice = before.view(seat), None
        if not self.ready(name, LONGEST_WAIT):
            choice = preliminary(PlayerText.parse(name), view, seat)
        if choice is not None:
            name = f"{name} is still being compiled; meanwhile, in the interpreter, {choice.engine}"
        else:
            self.ready(name)
            choice = player(before.game, name, seed=self.seed).choose(view, self.clock, seat=seat)
        said = in_words(view, choice.move, seat) if before.turn != TOGETHER else None
        share = (choice.strategy or {}).get(choice.move, 1.0)
        often = "" if share > 0.9995 else f" {share:.1%} of the time; this time"
        self.say(f"{name} would play{often} {choice.move}{': ' + said if said else ''}{worth(choice)}")


def worth(choice: Choice) -> str:
    return "" if choice.value is None else f" (value {choice.value:+.2f})"
