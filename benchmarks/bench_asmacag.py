"""Claims about ASMACAG beside its authors' own players: the same rules, their published table, 100 times their turns a second.

The public test bed (GitHub VizCo1/ASMACAG, commit of 2022) is found through the variable ASMACAG, the path of a checkout;
nothing of it is part of this project. Everything runs in one process, alternating.

`parity`: random games, move by move, scores equal to theirs, by the published and by the clean rules (their cards then
compared as they should be). `speed`: turns evaluated a second by their online evolution and by ours with the same settings,
processor time. `rows`: their published table (1,000 games a pairing) by our engines of their algorithms at their number of
evaluations; all but the bandit, which draws codes, list the cards they hold, as theirs do. `pairs`: our online evolution (or
another player of ours) against theirs at equal processor time a turn, so that a busy machine alters nothing, deals swapped.
Pairs are written to a file as they end; the same command goes on where it stopped.

Without `--only` it is parity and speed. Rows need no checkout.

    ASMACAG=~/asmacag python -m benchmarks.bench_asmacag [--only parity,speed,rows,pairs] [--games 1000]
    ASMACAG=~/asmacag python -m benchmarks.bench_asmacag --only pairs --pairs 200 --actions 9 --seconds 0.1 --limit 3000
        --results asmacag.jsonl
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import statistics
import sys
import time
import types
from dataclasses import replace
from pathlib import Path
from typing import Any

import stratagem
from benchmarks.clocks import use_clock
from stratagem.compile import Bound
from stratagem.contract.player import PlayerText
from stratagem.games.asmacag.game import Asmacag
from stratagem.games.asmacag.kernels import EXPONENT, HAND, KINDS, LEFT, NUMBERS, SEAT, allowed
from stratagem.games.asmacag.players import atoms
from stratagem.kernel import Ground, Moves, State
from stratagem.search.whole_turns import WholeTurnPlayer

MARGIN = 0.05  # seconds that their online evolution leaves of its budget
BETWEEN_LINES = 20.0  # seconds between two lines of progress
EVALUATIONS = {"mcts": 7_000, "oe": 15_000, "ntboe": 15_000}  # of theirs in a second, about; measured at 2.8 GHz
SETTINGS = "population=125,kept=0.15,mutation=0.15"

# wins, losses and ties of the first, of 1,000 games, as published
PUBLISHED = {
    ("random", "osla"): (35, 956, 9),
    ("random", "mcts"): (41, 949, 10),
    ("random", "oe"): (11, 988, 1),
    ("random", "ntboe"): (12, 988, 0),
    ("osla", "mcts"): (405, 570, 25),
    ("osla", "oe"): (282, 706, 12),
    ("osla", "ntboe"): (253, 728, 19),
    ("mcts", "oe"): (346, 640, 14),
    ("mcts", "ntboe"): (246, 729, 25),
    ("oe", "ntboe"): (392, 590, 18),
}


def ours(name: str, game: Asmacag) -> str:
    """Our engine of one of their algorithms with their settings; a point is the unit of exploration."""
    point, evaluations = 1.0 / game.payoff_range[1], EVALUATIONS.get(name, 0)
    return {
        "random": "random",
        "osla": "greedy-action",
        "mcts": f"atom-mcts:exploration=8,spread={point!r},rollout=0,turns={evaluations}",
        "oe": f"oe:{SETTINGS},turns={evaluations}",
        "ntboe": f"ntboe:exploration=8,spread={point!r},neighbours=5,change=0.55,starts=1000,turns={evaluations}",
    }[name]


def held(g: Ground, s: State, p: int, out: Moves) -> int:
    """The moves that their searches list: special cards as the kind they are, where the published rules allow either."""
    n = 0
    for m in range(NUMBERS * NUMBERS + 2):
        special = m - NUMBERS * NUMBERS
        if (special < 0 and allowed(g, s, p, m)) or (special >= 0 and s[HAND + p * KINDS + NUMBERS + special] > 0):
            out[n] = m
            n += 1
    return n


def seated(name: str, game: Asmacag, seed: int) -> Any:
    """One of their players by ours. Only the bandit's codes name what is not held; evolution meets it in a crossover alone."""
    text = PlayerText.parse(ours(name, game))
    if name in ("random", "ntboe"):
        return stratagem.player(game, str(text), seed=seed)
    own = atoms(game)
    listing = {"moves": Bound(held, game.names["turn"].names)}
    return WholeTurnPlayer(
        game, text.name, atoms=replace(own, names={**own.names, **listing}), seed=seed, **text.options
    )


class Theirs:
    """Their code: rules and players, behind our own positions."""

    def __init__(self, path: Path) -> None:
        if not (path / "Game" / "GameState.py").is_file():
            sys.exit(f"{path} is no checkout of ASMACAG: it lacks Game/GameState.py")
        sys.modules.setdefault("func_timeout", types.ModuleType("func_timeout"))  # used only where stops are forced
        sys.path.insert(0, str(path))
        import Game
        import Heuristics
        import Players

        self.game, self.players, self.heuristics = Game, Players, Heuristics
        self.oe_module = sys.modules["Players.OE.OEPlayer"]
        self.equal = Game.Card.__eq__

    def compare_cards(self, *, as_published: bool) -> None:
        """Cards are compared by number alone, as published, or by kind and number."""
        if as_published:
            self.game.Card.__eq__ = self.equal
        else:
            self.game.Card.__eq__ = lambda a, b: a.card_type == b.card_type and a.number == b.number

    def by_processor_time(self) -> None:
        self.oe_module.time = types.SimpleNamespace(time=time.process_time)

    def parameters(self, game: Asmacag) -> Any:
        decks = game["decks"] or -(-game.actions // 3)
        return self.game.GameParameters(
            amount_cards_on_hand=game.hand,
            amount_cards_on_board=game.on_board,
            amount_action_points=game.actions,
            amount_cards_limit_number=game["outer"] * decks,
            amount_cards_normal_number=game["inner"] * decks,
            amount_cards_mult2=game["doubles"] * decks,
            amount_cards_div2=game["halves"] * decks,
        )

    def card(self, letter: str) -> Any:
        kinds = self.game.CardType
        if letter.isdecimal():
            return self.game.Card(kinds.NUMBER, int(letter))
        return self.game.Card(kinds.MULT2 if letter == "D" else kinds.DIV2)

    def state(self, position: Any) -> Any:
        """Their state of a position."""
        game, s = position.game, position.state
        state = self.game.GameState(self.parameters(game))
        state.current_turn, state.action_points_left = int(s[SEAT]), int(s[LEFT])
        state.factor = 2.0 ** int(s[EXPONENT])
        state.player_0_score, state.player_1_score = (float(game.score(s, p)) for p in range(2))
        for p, hand in enumerate((state.player_0_hand, state.player_1_hand)):
            for letter in game.hand_text(s, p).replace("-", ""):
                hand.add_card(self.card(letter))
        for letter in game.cards(s, game.board_at, game.numbers):
            state.board.add_card(self.card(letter))
        for letter in game.cards(s, game.rest_at, game.kinds):
            state.main_deck.add_card(self.card(letter))
        return state

    def action(self, move: str) -> Any:
        if move in ("double", "half"):
            return self.game.Action(self.card("D" if move == "double" else "H"))
        mine, other = move.split("-")
        return self.game.Action(self.card(mine), self.card(other))

    def text(self, action: Any) -> str:
        kinds = self.game.CardType
        played = action.get_played_card()
        if played.get_type() == kinds.NUMBER:
            return f"{played.get_number()}-{action.get_board_card().get_number()}"
        return "double" if played.get_type() == kinds.MULT2 else "half"

    def oe(self) -> Any:
        return self.players.OEPlayer(self.heuristics.SimpleHeuristic(), 125, 0.15, 0.15)


# ----------------------------------------------------------------------------------------------------------- parity


def parity(theirs: Theirs, games: int) -> None:
    for profile in ("clean", "published"):
        theirs.compare_cards(as_published=profile == "published")
        game, luck, moves = stratagem.game("asmacag", profile=profile), random.Random(1), 0
        for number in range(games):
            position = game.start(seed=number)
            state = theirs.state(position)
            if profile == "published":  # hands in the order of the deal: the first special of a hand goes
                n = 2 * game.hand
                for p, hand in enumerate((state.player_0_hand, state.player_1_hand)):
                    hand.clear()
                    for letter in position.history[p:n:2]:
                        hand.add_card(theirs.card(letter))
            model = state.game_parameters.forward_model
            while not position.over:
                assert not model.is_terminal(state)
                move = luck.choice(position.moves())
                position = position.play(move)
                model.step(state, theirs.action(move))
                model.on_turn_ended(state)
                scores = tuple(float(game.score(position.state, p)) for p in range(2))
                assert scores == (state.player_0_score, state.player_1_score), (number, str(position))
                moves += 1
            assert model.is_terminal(state)
        print(f"parity, {profile}: {games} random games, {moves} moves, every score equal to theirs")


# ------------------------------------------------------------------------------------------------------------ speed


def speed(theirs: Theirs, game: Asmacag, seconds: float, repeats: int = 5) -> None:
    """Turns evaluated a second of processor time; the same deals, alternating."""
    theirs.compare_cards(as_published=False)
    theirs.by_processor_time()
    mine = stratagem.player(game, f"oe:{SETTINGS}")
    mine.choose(game.start(seed=0).view(0), stratagem.Clock(0.05))
    heuristic = theirs.heuristics.SimpleHeuristic
    plain, counted = heuristic.get_reward, [0]

    def counting(self: Any, observation: Any) -> float:
        counted[0] += 1
        return float(plain(self, observation))

    heuristic.get_reward = counting
    rates: list[tuple[float, float]] = []
    for k in range(repeats):
        position = game.start(seed=k)
        player, counted[0] = theirs.oe(), 0
        began = time.process_time()
        player.think(theirs.state(position).get_observation(), seconds + MARGIN)
        theirs_a_second = counted[0] / (time.process_time() - began)
        began = time.process_time()
        choice = mine.choose(position.view(0), stratagem.Clock(seconds))
        assert choice.nodes is not None
        rates.append((theirs_a_second, choice.nodes / (time.process_time() - began)))
    heuristic.get_reward = plain
    slow, fast = (statistics.median(rate[i] for rate in rates) for i in (0, 1))
    ratios = sorted(b / a for a, b in rates)
    print(
        f"speed, {game.actions} actions: theirs {slow:,.0f} turns a second, ours {fast:,.0f}; "
        f"{statistics.median(ratios):.0f} times (from {ratios[0]:.0f} to {ratios[-1]:.0f}, {repeats} alternations)"
    )


# ------------------------------------------------------------------------------------------------------------- rows


def compete(game: Asmacag, players: tuple[Any, Any], deal: int, seat: int) -> float:
    """The score of the first player on a seat, from a deal."""
    position = game.start(seed=deal)
    while not position.over:
        p = position.turn
        position = position.play(players[p != seat].choose(position.view(p), stratagem.Clock()).move)
    return 0.5 if position.payoff[0] == 0 else float(position.payoff[seat] > 0)


def rows(games: int, profile: str, only: str = "", without: str = "") -> None:
    """Their table, by ours: deals independent and seats alternating, as theirs were."""
    game = stratagem.game("asmacag", profile=profile, payoff="points")
    assert isinstance(game, Asmacag)
    print(f"rows, {profile} rules, evaluations a turn {EVALUATIONS}, {games} games each (score of the second)")
    for (a, b), (wins, losses, ties) in PUBLISHED.items():
        if (only and only not in (a, b)) or (without and without in (a, b)):
            continue
        mine = tuple(seated(name, game, k) for k, name in enumerate((a, b)))
        scores = [1 - compete(game, mine, deal, deal % 2) for deal in range(games)]
        found, said = statistics.mean(scores), (losses + ties / 2) / 1000
        both = (games * found + 1000 * said) / (games + 1000)  # were they the same: few games all won prove nothing
        error = 1.96 * math.sqrt(both * (1 - both) * (1 / games + 1 / 1000))
        agrees = "within error" if abs(found - said) <= error else "NOT within error"
        print(
            f"  {a:7} v {b:6} {found:.3f}, published {wins}-{losses}-{ties}: {said:.3f}; "
            f"apart {found - said:+.3f} ± {error:.3f} {agrees}",
            flush=True,
        )


# ------------------------------------------------------------------------------------------------------------ pairs


class Match:
    """Ours against theirs at equal time a turn, every deal from both seats; pairs are read from a file and written to it."""

    def __init__(self, theirs: Theirs, game: Asmacag, player: str, seconds: float, results: Path | None) -> None:
        self.theirs, self.game, self.player, self.seconds, self.results = theirs, game, player, seconds, results
        self.what = {"actions": game.actions, "ours": player, "seconds": seconds}
        self.done: dict[int, dict[str, Any]] = {}
        for text in results.read_text().splitlines() if results is not None and results.exists() else []:
            try:
                line = json.loads(text)
            except json.JSONDecodeError:
                continue  # a run that was killed while it wrote
            if {name: line.get(name) for name in self.what} == self.what:
                self.done[line["deal"]] = line

    def play(self, number: int, limit: float) -> None:
        """So many pairs in all, unless the time is up before."""
        self.theirs.compare_cards(as_published=False)
        self.theirs.by_processor_time()
        stratagem.player(self.game, self.player).choose(self.game.start(seed=0).view(0), stratagem.Clock(0.05))  # loads
        began = shown = time.monotonic()
        for deal in range(number):
            if deal in self.done:
                continue
            if time.monotonic() - began > limit:
                break
            games = [self.game_of(deal, seat) for seat in range(2)]
            line = {
                **self.what,
                "deal": deal,
                "scores": [game[0] for game in games],
                "illegal": sum(game[1] for game in games),
            }
            self.done[deal] = line
            if self.results is not None:
                with self.results.open("a") as file:
                    file.write(json.dumps(line) + "\n")
            if time.monotonic() - shown > BETWEEN_LINES:
                shown = time.monotonic()
                print(self.reported(), flush=True)
        print(self.reported(), flush=True)

    def game_of(self, deal: int, seat: int) -> tuple[float, int]:
        """The score of ours on a seat, and how many actions of theirs were illegal and replaced at random."""
        position, other, illegal = self.game.start(seed=deal), self.theirs.oe(), 0
        luck, mine = random.Random(2 * deal + seat), stratagem.player(self.game, self.player, seed=deal)
        while not position.over:
            if position.turn == seat:
                position = position.play(mine.choose(position.view(seat), stratagem.Clock(self.seconds)).move)
                continue
            action = other.think(self.theirs.state(position).get_observation(), self.seconds + MARGIN)
            move = "" if action is None else self.theirs.text(action)
            if move not in position.moves():
                illegal += 1
                move = luck.choice(position.moves())
            position = position.play(move)
        return 0.5 if position.payoff[0] == 0 else float(position.payoff[seat] > 0), illegal

    def reported(self) -> str:
        scores = [sum(line["scores"]) / 2 for line in self.done.values()]
        if not scores:
            return "pairs: none were played"
        half = 1.96 * max(statistics.pstdev(scores), 0.01) / math.sqrt(len(scores))
        return (
            f"pairs, {self.game.actions} actions, {self.seconds:g} s of processor time a turn: {len(scores)} pairs, "
            f"{self.player} {statistics.mean(scores):.3f} ± {half:.3f}; "
            f"{sum(line['illegal'] for line in self.done.values())} illegal actions of theirs replaced at random"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="ASMACAG beside its authors' players.")
    parser.add_argument("--only", default="parity,speed", help="which of parity, speed, rows, pairs")
    parser.add_argument("--games", type=int, default=1000, help="of parity and of each row")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=0.2, help="a turn")
    parser.add_argument("--actions", type=int, default=3)
    parser.add_argument("--profile", default="published", choices=("published", "clean"), help="of rows")
    parser.add_argument("--ours", default=f"oe:{SETTINGS}", help="our player in pairs")
    parser.add_argument(
        "--limit", type=float, default=math.inf, help="seconds until pairs end; the same command goes on"
    )
    parser.add_argument("--results", type=Path, default=None, help="the file that pairs are written to as they end")
    parser.add_argument("--of", default="", choices=("", "mcts", "oe", "ntboe"), help="rows of one alone")
    parser.add_argument("--without", default="", choices=("", "mcts", "oe", "ntboe"), help="leave out rows of one")
    given = parser.parse_args()
    parts, game = given.only.split(","), stratagem.game("asmacag", actions=given.actions)
    assert isinstance(game, Asmacag)
    if "rows" in parts:
        rows(given.games, given.profile, given.of, given.without)
    if parts == ["rows"]:
        return
    path = os.environ.get("ASMACAG")
    if not path:
        print("set ASMACAG to a checkout of the public test bed to compare with its players; skipped")
        return
    theirs = Theirs(Path(path).expanduser())
    if "parity" in parts:
        parity(theirs, given.games)
    if "speed" in parts:
        speed(theirs, game, given.seconds)
    if "pairs" in parts:
        use_clock("processor")
        Match(theirs, game, given.ours, given.seconds, given.results).play(given.pairs, given.limit)


if __name__ == "__main__":
    main()
