"""Players of Minions and their levels: the engine, which searches by stages, and scripts to compare it with."""

from __future__ import annotations

import time
from collections.abc import Sequence

from stratagem.contract.game import Game
from stratagem.contract.player import Choice, Clock, Entry, Line, Player, RandomPlayer, Request
from stratagem.errors import OptionError
from stratagem.games.minions.attack.answers import winning_turn
from stratagem.games.minions.decisions import atoms
from stratagem.games.minions.engine.player import OPTIONS, easy, engine, medium, strong
from stratagem.games.minions.game import Minions, MinionsPosition
from stratagem.games.minions.wizard import answered, scripted_turn
from stratagem.rng import generator
from stratagem.search.whole_turns import entries


class GreedyPlayer(Player[MinionsPosition]):
    """Spends its money, takes kills, holds graveyards; casts spells, where there are any, unless asked not to."""

    def __init__(self, game: Game, *, seed: int = 0, spells: bool = True) -> None:
        self.name = "greedy" if spells else "greedy:spells=false"
        self.spells = spells
        self._rng = generator(seed)

    def answer(self, request: Request[MinionsPosition]) -> Choice:
        state = request.view.state
        began = time.perf_counter()
        turn = scripted_turn(state, self._rng, casts=self.spells)
        value = 2 * state.play(turn).chance(state.side) - 1
        return Choice(str(turn), value=value, nodes=1, seconds=time.perf_counter() - began, engine=self.name)


class ScriptPlayer(Player[MinionsPosition]):
    """The script's turn alone, without what it is worth: the quickest answer there is."""

    def __init__(self, game: Game, *, seed: int = 0) -> None:
        self.name, self.seed = "the script", seed

    def answer(self, request: Request[MinionsPosition]) -> Choice:
        state = request.view.state
        return Choice(str(scripted_turn(state, generator(self.seed, state.ply))), nodes=1, engine=self.name)


class FinisherPlayer(Player[MinionsPosition]):
    """Wins the game this turn where the attack solver finds how; else plays the script's turn."""

    def __init__(self, game: Game, *, seed: int = 0) -> None:
        self.name, self.seed = "finisher", seed

    def answer(self, request: Request[MinionsPosition]) -> Choice:
        state = request.view.state
        win, script = winning_turn(state), str(scripted_turn(state, generator(self.seed, state.ply)))
        if win is None:
            return Choice(script, nodes=1, engine=self.name)
        lines = (Line((str(win),), 1.0), Line((script,), self._worth(request.view, script)))
        return Choice(str(win), value=1.0, lines=lines, nodes=1, engine=self.name)

    def weigh(
        self, view: MinionsPosition, moves: Sequence[str], clock: Clock, *, seat: int | None = None
    ) -> dict[str, float]:
        """Return 1 for turns that win at once, and 0 for others."""
        return {move: self._worth(view, move) for move in moves}

    def _worth(self, view: MinionsPosition, move: str) -> float:
        return float(view.play(move).state.winner == view.state.side)


class AnsweredPlayer(Player[MinionsPosition]):
    """Makes several scripted turns and takes the one that stands best after the scripted answer to it."""

    def __init__(self, game: Game, *, seed: int = 0, turns: int = 8, spells: bool = True) -> None:
        if not isinstance(turns, int) or not 1 <= turns <= 10_000:
            raise OptionError(f"option turns is {turns!r}; it goes from 1 to 10000")
        self.name = f"answered:turns={turns}" + ("" if spells else ",spells=false")
        self.turns, self.spells = turns, spells
        self._rng = generator(seed)

    def answer(self, request: Request[MinionsPosition]) -> Choice:
        state = request.view.state
        began = time.perf_counter()
        seconds = request.clock.seconds
        values: dict[str, float] = {}
        answers: dict[str, str] = {}
        for k in range(self.turns):
            if values and seconds is not None and time.perf_counter() - began > seconds:
                break
            turn = scripted_turn(state, self._rng, wild=k > 0, casts=self.spells)
            if str(turn) in values:
                continue
            after, answer = answered(state, turn, self._rng)
            if answer is not None:
                answers[str(turn)] = str(answer)
            values[str(turn)] = 2 * after.chance(state.side) - 1
        ranked = sorted(values, key=lambda text: -values[text])
        compared = tuple(Line((text, *filter(None, [answers.get(text)])), values[text]) for text in ranked)
        return Choice(
            ranked[0], value=values[ranked[0]], lines=compared, nodes=2 * len(values), depth=2,
            seconds=time.perf_counter() - began, engine=self.name,
        )  # fmt: skip


def _umi(game: Game, *, command: str | bool = "", seconds: float = 10.0, seed: int = 0) -> Player:
    from stratagem.protocols.umi import UmiEngine  # which knows Minions, and imports it

    if isinstance(command, bool):  # the programs `true` and `false`, which a player's text gives as values
        command = str(command).lower()
    return UmiEngine(game, command=str(command), seconds=seconds)


def players(game: Game) -> dict[str, Entry]:
    plain_rules = isinstance(game, Minions) and not game.config.magical
    return {
        **(entries(atoms, dice=False) if plain_rules else {}),
        "easy": Entry(easy, "the best of the first three turns that the engine proposes", OPTIONS, quick=ScriptPlayer),
        "medium": Entry(
            medium,
            "the engine with 60 simulations, looking at a short answer to each turn",
            OPTIONS,
            quick=ScriptPlayer,
        ),
        "strong": Entry(
            strong, "the engine, searching turns and answers for as long as it may", OPTIONS, quick=ScriptPlayer
        ),
        "random": Entry(RandomPlayer, "any legal turn"),
        "greedy": Entry(GreedyPlayer, "spends its money, takes kills, holds graveyards", ("seed", "spells")),
        "finisher": Entry(FinisherPlayer, "wins this turn where a proof finds how, else plays the script"),
        "answered": Entry(
            AnsweredPlayer, "the best of several scripted turns after the answer to each", ("seed", "turns", "spells")
        ),
        "engine": Entry(
            engine, "a search by stages over whole turns, judged by fitted weights", OPTIONS, quick=ScriptPlayer
        ),
        "umi": Entry(
            _umi,
            "an engine of the Minions protocol in a subprocess; without a command our own",
            ("command", "seconds", "seed"),
            external=True,
        ),
    }
