"""The conformance test: what every game must do. Authors of games call it too:

    from stratagem.testing import conform
    conform(MyGame())

It plays seeded random games and checks at every position:

- Texts read back, and records replay.
- The moves that are counted are those that are accepted.
- States keep whole numbers. Equal keys mean equal states where the game says so.
- Views hide what their seat may not see.
- Interpreted and compiled kernels agree, and so do optional kernels and the plain ones.
- Payoffs are in range and add up, and the random game ends.

A failure is a `ConformanceError` that names the game, the check and the position.
"""

from __future__ import annotations

import pickle
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagem import kernel
from stratagem.compile import specialise
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import CHANCE, OVER, TOGETHER, ArrayGame, ArrayPosition, Game, Position
from stratagem.errors import IllegalMove, StratagemError, Unlistable
from stratagem.kernel import Moves, State
from stratagem.rng import Rng, generator

MOST_TRIED = 64  # numbers that may be no moves
NONSENSE = ("", "zz9", "-1", "9" * 50, "a1;b2;;", "\x00", "½")


class ConformanceError(AssertionError):
    """A game breaks the contract; the message names the game, the check and the position."""


@dataclass
class Conformance:
    """What was checked of a game that kept the contract. `print` shows it in sentences."""

    game: str
    games: int = 0
    positions: int = 0
    longest: int = 0  # plies of the longest game
    kernels: tuple[str, ...] = ()  # whose compiled and plain forms were compared
    optional: tuple[str, ...] = ()  # kernels that were compared with the plain ones
    left_out: tuple[str, ...] = ()  # what could not be checked, and why

    def __str__(self) -> str:
        rows = [
            f"{self.game} conforms: {self.games} random games, {self.positions} positions, the longest of {self.longest} plies",
            "checked: texts and records read back, equal positions hash alike and pickle, drawings are well-formed, views keep",
            "the turn, nonsense is refused, listed and sampled moves are the accepted ones, payoffs are in range and add up",
        ]
        if self.kernels:
            rows.append(f"compiled and interpreted rules agree: {', '.join(self.kernels)}")
        if self.optional:
            rows.append(f"compared with the plain kernels: {', '.join(self.optional)}")
        rows += [f"not checked: {what}" for what in self.left_out]
        return "\n".join(rows)


def conform(game: Game, *, games: int = 10, seed: int = 0, longest: int = 5000, compiled: bool = True) -> Conformance:
    """Check a game on seeded random play, and return what was checked.

    The checks cover texts, records, moves, payoffs, hidden information, drawings, and whether interpreted and compiled
    kernels agree. Call it from the tests of your own game.

    Args:
        game: the game.
        games: how many random games are played. The first three are checked most closely.
        seed: the seed of the games.
        longest: the most plies of one game; a longer game is a failure.
        compiled: whether kernels are compiled and compared with their interpreted form.

    Returns:
        What was checked and what could not be, to be printed.

    Raises:
        ConformanceError: the game breaks the contract.

    Example:
        >>> from stratagem.testing import conform
        >>> print(conform(stratagem.game("nim"), games=4))
    """
    check = _Check(game, compiled and isinstance(game, ArrayGame))
    for k in range(games):
        check.one_game(generator(seed, k), k, longest)
    check.done.games = games
    return check.done


def own_kernel(game: ArrayGame, name: str) -> bool:
    """Whether the rules give a kernel that would be derived otherwise."""
    return game.names[name].function.__module__ != kernel.__name__


class _CutOff(Exception):
    """A number that is not whole was written into a state."""


class _Whole(np.ndarray[Any, Any]):
    """Cells that refuse a number that they would cut off: an array of whole numbers makes 1 of 1.5 in silence."""

    def __setitem__(self, place: Any, given: Any) -> None:
        if np.asarray(given).dtype.kind == "f" and np.any(np.trunc(given) != given):
            raise _CutOff(
                f"writes {given} into cell {place} of the state, which keeps whole numbers: write // or int()"
            )
        super().__setitem__(place, given)


class _Check:
    def __init__(self, game: Game, compiled: bool) -> None:
        self.game = game
        self.keys: dict[int, bytes] = {}
        self.compiled: dict[str, Any] = {}
        self.done = Conformance(game.name)
        if not isinstance(game, ArrayGame):
            self.done.left_out = ("kernels, for the game has none",)
        else:
            self.done.optional = tuple(name for name in ("order", "left", "safe", "rank") if game.gives(name))
            self.done.optional += ("allowed",) * own_kernel(game, "allowed")
            if not game.gives("value"):
                self.done.left_out = ("value, which the game does not give: levels are made of tree search",)
        if compiled and isinstance(game, ArrayGame):
            for name in ("turn", "count", "move", "moves", "play", "payoff", "key", "odds", "play_together", "value"):
                if game.gives(name):
                    bound = game.names[name]
                    self.compiled[name] = specialise(
                        bound.function, bound.names, label=f"{game.name} {name}", lean=True
                    )
            self.done.kernels = tuple(
                name for name in ("turn", "count", "move", "play", "key") if name in self.compiled
            )

    def fail(self, what: str, position: Position) -> None:
        raise ConformanceError(f"{self.game.name}: {what}, in {str(position)!r}")

    def require(self, holds: bool, what: str, position: Position) -> None:
        if not holds:
            self.fail(what, position)

    def one_game(self, rng: Rng, k: int, longest: int) -> None:
        position = self.game.start()
        most = longest if self.game.max_length is None else self.game.max_length
        for ply in range(longest):
            if ply > most:
                self.fail(f"a random game goes on after the {most} plies that max_length says are the most", position)
            self.done.positions += 1
            self.done.longest = max(self.done.longest, ply)
            thorough = k < 3 and (ply < 200 or ply % 100 == 0)
            self.position(position, rng, thorough)
            if position.over:
                self.ended(position)
                return
            after = self.step(position, rng)
            if thorough:
                self.keeps_whole(position, after.history[-1])
            position = after
        self.fail(f"a random game did not end within {longest} plies", position)

    def step(self, position: Position, rng: Rng) -> Position:
        if position.turn == TOGETHER:
            asked = position.asked
            self.require(bool(asked), "all decide at once, but nobody is asked", position)
            joint = [position.sample(rng, p) if p in asked else "-" for p in range(self.game.players)]
            after = position.play(joint)
            self.require(after == position.play(after.history[-1]), "a joint move's text plays otherwise", position)
            return after
        text = position.sample(rng)
        after = position.play(text)
        self.require(position.play(text) == after, "the same move twice gives two positions", position)
        return after

    def keeps_whole(self, position: Position, text: str) -> None:
        """What is played writes whole numbers into the state; compiled, others would be cut off without a word."""
        if isinstance(position, ArrayPosition):
            state: Any = position.state.view(_Whole)
            try:
                position.game.position(state, position.history, position.origin).play(text)
            except _CutOff as error:
                self.fail(f"the move {text!r} {error}", position)

    def position(self, position: Position, rng: Rng, thorough: bool) -> None:
        game = self.game
        _ = position.turn  # refuses what is no turn, before anything else is judged by it
        self.require(game.parse(str(position)) == position, "its text does not parse back to it", position)
        if not thorough:
            return
        replayed = game.replay(position.history, position.origin)
        self.require(replayed == position, "its record does not replay to it", position)
        self.require(pickle.loads(pickle.dumps(position)) == position, "it does not survive pickling", position)
        self.require(hash(game.parse(str(position))) == hash(position), "equal positions hash differently", position)
        try:
            ElementTree.fromstring(position.svg())
        except ElementTree.ParseError as error:
            self.fail(f"its drawing is not well-formed ({error})", position)
        for seat in range(game.players):
            view = position.view(seat)
            self.require(position.over or view.turn == position.turn, "a view has another turn", position)
        for text in NONSENSE:
            if not position.over:
                self.rejects(position, text)
        if position.turn not in (OVER, CHANCE):
            for seat in position.asked:
                self.moves(position, seat, rng)
        if isinstance(position, ArrayPosition) and isinstance(game, ArrayGame):
            self.kernels(game, position, rng)

    def rejects(self, position: Position, text: str) -> None:
        try:
            position.play(text)
        except StratagemError:
            return
        except Exception as error:
            self.fail(
                f"the nonsense move {text!r} raises {type(error).__name__} in place of a StratagemError", position
            )
        if position.turn not in (CHANCE, TOGETHER):
            legal = position.parts().free is not None or text in position.moves()
            self.require(legal, f"the nonsense move {text!r} is accepted", position)

    def moves(self, position: Position, seat: int, rng: Rng) -> None:
        try:
            texts = position.moves(seat)
        except Unlistable:
            return
        self.require(len(set(texts)) == len(texts), "two moves have one text", position)
        self.require(bool(texts), "a seat is asked but has no move", position)
        parts = position.parts((), seat)
        firsts = {text.split(";")[0] for text in texts}
        self.require(parts.free is not None or set(parts.next) == firsts, "parts and moves differ", position)
        self.require(position.sample(rng, seat) in texts, "a sampled move is not among the moves", position)
        if position.turn == seat:
            for text in texts[:50]:
                position.play(text)

    def kernels(self, game: ArrayGame, position: ArrayPosition, rng: Rng) -> None:
        g, s = game.g, position.state
        if game.gives("key") or game.exact_key:
            key = int(game.run("key", g, s))
            cells = s[: game.size].tobytes()
            if game.exact_key:
                self.require(self.keys.setdefault(key, cells) == cells, "two states have one key", position)
        if position.turn >= 0:
            p = position.turn
            numbers = game.legal(s, p)
            counted = int(game.run("count", g, s, p))
            self.require(counted == len(numbers) <= game.max_moves, "count and moves differ", position)
            listed = [int(game.run("move", g, s, p, k)) for k in range(counted)]
            self.require(sorted(listed) == sorted(numbers), "move and moves differ", position)
            for m in numbers:
                text = game.move_text(s, p, m)
                self.require(game.parse_move(s, p, text) == m, f"move {text!r} does not parse back", position)
            self.optional(game, position, numbers)
        if position.turn == CHANCE and game.gives("odds"):
            n = int(game.run("count", g, s, CHANCE))
            total = sum(float(game.run("odds", g, s, k)) for k in range(n))
            self.require(abs(total - 1.0) < 1e-9, f"the odds add up to {total}", position)
        if self.compiled:
            self.agree(game, position)

    def optional(self, game: ArrayGame, position: ArrayPosition, numbers: list[int]) -> None:
        g, s, p = game.g, position.state, position.turn
        if own_kernel(game, "allowed"):
            most = max(numbers) if game.move_bound is None else game.move_bound - 1
            for m in {*numbers, *range(-1, min(most, MOST_TRIED) + 2)}:
                said = bool(game.run("allowed", g, s, p, m))
                self.require(said == (m in numbers), f"allowed gives {said} for move {m}", position)
        if game.gives("order"):
            for m in numbers:
                rank = int(game.run("order", g, s, p, m))
                self.require(0 <= rank < 1 << 15, f"order gives {rank}", position)
        if game.gives("left"):
            left = int(game.run("left", g, s))
            self.require(left >= 1, f"left gives {left} before the end", position)
            for m in numbers[:8]:
                after = self.after(game, s, p, m)
                if int(game.run("turn", g, after)) != OVER:
                    self.require(int(game.run("left", g, after)) < left, "left does not fall with a move", position)
        if game.gives("safe"):
            out = np.zeros(max(game.max_moves, 1), np.int64)
            n = int(game.run("safe", g, s, p, out))
            wins = any(self.won(game, self.after(game, s, p, m), p) for m in numbers)
            self.require((n == -1) == wins, "safe is wrong about a win at once", position)
            states = [self.after(game, s, p, m) for m in numbers]
            turns = {int(game.run("turn", g, x)) for x in states} - {OVER}
            self.require(turns <= {1 - p}, "safe is given, but players do not take turns", position)
            self.require(not any(self.won(game, x, 1 - p) for x in states), "safe is given, but a move loses", position)
            if not wins:
                expected = {m for m in numbers if not self.loses(game, s, p, m)}
                self.require(
                    {int(m) for m in out[:n]} == expected, "safe lists other moves than those that are", position
                )
                if game.gives("rank"):
                    self.ranked(game, position, out, expected)

    def ranked(self, game: ArrayGame, position: ArrayPosition, out: Moves, moves: set[int]) -> None:
        """Where no safe move ends the game, `rank` sorts them or says that one leaves the opponent no safe move."""
        s, p = position.state, position.turn
        states = [self.after(game, s, p, m) for m in moves]
        if any(int(game.run("turn", game.g, x)) == OVER for x in states):
            return
        traps = any(all(self.loses(game, x, 1 - p, m) for m in game.legal(x, 1 - p)) for x in states)
        said = bool(game.run("rank", game.g, s, p, out, len(moves)))
        self.require(said == traps, "rank is wrong about a move that leaves the opponent no safe move", position)
        kept = traps or {int(m) for m in out[: len(moves)]} == moves
        self.require(kept, "rank lists other moves than the safe ones", position)

    def after(self, game: ArrayGame, s: State, p: int, m: int) -> State:
        after = s.copy()
        game.run("play", game.g, after, p, m)
        return after

    def won(self, game: ArrayGame, s: State, p: int) -> bool:
        if int(game.run("turn", game.g, s)) != OVER:
            return False
        out = np.zeros(game.players)
        game.run("payoff", game.g, s, out)
        return bool(out[p] >= game.payoff_range[1])

    def loses(self, game: ArrayGame, s: State, p: int, m: int) -> bool:
        after = self.after(game, s, p, m)
        q = int(game.run("turn", game.g, after))
        return q >= 0 and q != p and any(self.won(game, self.after(game, after, q, x), q) for x in game.legal(after, q))

    def agree(self, game: ArrayGame, position: ArrayPosition) -> None:
        """Interpreted and compiled kernels give the same."""
        g, s, p = game.g, position.state.copy(), position.turn
        same = int(self.compiled["turn"](g, s)) == p
        if p >= 0:
            n = int(self.compiled["count"](g, s, p))
            same &= [int(self.compiled["move"](g, s, p, k)) for k in range(n)] == [
                int(game.run("move", g, s, p, k)) for k in range(n)
            ]
            for m in game.legal(s, p)[:20]:
                one, other = s.copy(), s.copy()
                game.run("play", g, one, p, m)
                self.compiled["play"](g, other, p, m)
                same &= np.array_equal(one[: game.size], other[: game.size])
                same &= int(self.compiled["key"](g, one)) == int(game.run("key", g, one))
        self.require(same, "interpreted and compiled kernels differ", position)

    def ended(self, position: Position) -> None:
        payoff, (low, high) = position.payoff, self.game.payoff_range
        self.require(len(payoff) == self.game.players, "there is not one payoff a player", position)
        wrong = f"payoffs {payoff} are beyond payoff_range, which is ({low:g}, {high:g})"
        self.require(all(low - 1e-9 <= x <= high + 1e-9 for x in payoff), wrong, position)
        if self.game.zero_sum:
            self.require(abs(sum(payoff)) < 1e-9, f"payoffs {payoff} do not sum to zero", position)
        self.require(bool(Wording.of(self.game).outcome(position)), "there is no outcome in words", position)
        try:
            position.play("1")
        except (StratagemError, IllegalMove):
            return
        self.fail("a finished game accepts a move", position)
