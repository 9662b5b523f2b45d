"""One side of `two_checkouts.py`: a process that holds the rules and the players of one checkout.

It reads a JSON object a line and answers each with one. It is started with the checkout's sources alone on its path, so it
imports nothing of this folder, and only names that every version of the last year has.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

TOGETHER = -3  # what `turn` says where all decide at once; the same number in all versions
WARM_UP = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144)  # plies of a random game at which players are asked once


class Side:
    """The game under way, and this side's players in it."""

    def __init__(self) -> None:
        self.games: dict[str, Any] = {}  # rules by their options: what was compiled for them is found again
        self.players: dict[int, Any] = {}
        self.game: Any = None
        self.position: Any = None
        self.chance: Any = None

    def rules(self, name: str, options: dict[str, Any]) -> Any:
        import stratagem

        key = json.dumps([name, options])
        if key not in self.games:
            if len(self.games) >= 8:
                self.games.clear()
            self.games[key] = stratagem.game(name, **options)
        return self.games[key]

    def seen(self) -> dict[str, Any]:
        """What both sides must agree on, and who decides."""
        position = self.position
        if position.over:
            score = getattr(self.game, "score", None)
            state = getattr(position, "state", None)
            seats = range(self.game.players)
            points = [float(score(state, p)) for p in seats] if callable(score) and state is not None else None
            return {"payoff": [float(x) for x in position.payoff], "points": points}
        return {"turn": int(position.turn), "asked": [int(p) for p in position.asked], "players": self.game.players}

    # ---- what can be asked

    def begin(self, asked: dict[str, Any]) -> dict[str, Any]:
        import stratagem
        from stratagem.rng import generator

        self.game = self.rules(asked["game"], asked["options"])
        seats = range(self.game.players)
        self.players = {
            p: stratagem.player(self.game, asked["player"], seed=asked["seeds"][p % 2] + p)
            for p in seats
            if p % 2 == asked["parity"]
        }
        self.position, self.chance = self.game.start(), generator(asked["chance"], 1)
        return self.seen()

    def sample(self, asked: dict[str, Any]) -> dict[str, Any]:
        """A chance outcome or a random move, drawn by the pair's own stream."""
        position = self.position
        if position.turn != TOGETHER:
            return {"move": position.sample(self.chance)}
        deciding = position.asked
        texts = [position.sample(self.chance, p) if p in deciding else None for p in range(self.game.players)]
        return {"joint": texts}

    def choose(self, asked: dict[str, Any]) -> dict[str, Any]:
        from stratagem.contract.player import Clock

        seat = asked["seat"]
        began, wall = time.process_time(), time.monotonic()
        choice = self.players[seat].choose(self.position.view(seat), Clock(asked["seconds"]), seat=seat)
        return {
            "move": choice.move,
            "nodes": choice.nodes or 0,
            "processor": time.process_time() - began,
            "wall": time.monotonic() - wall,
        }

    def play(self, asked: dict[str, Any]) -> dict[str, Any]:
        texts = asked.get("joint")
        if texts is None:
            self.position = self.position.play(asked["move"])
        else:
            deciding = self.position.asked
            self.position = self.position.play([texts[p] for p in deciding])
        return self.seen()

    def warm_up(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Compile what a game needs: players are asked now and then along a random game, and their answers ignored."""
        seen = self.begin({**asked, "parity": 0, "seeds": [0, 0], "chance": 0})
        first = next(iter(self.players.values()))
        for ply in range(WARM_UP[-1] + 1):
            if "payoff" in seen:
                break
            if ply in WARM_UP and seen["asked"]:
                seat = seen["asked"][0]
                self.players.setdefault(seat, first)
                self.choose({"seat": seat, "seconds": asked["seconds"]})
            seen = self.play(self.sample({}))
        return {}


def main() -> None:
    checkout, clock = Path(sys.argv[1]).resolve(), sys.argv[2]
    if clock == "processor":
        time.perf_counter = time.process_time  # searches read this clock and nothing else
    import stratagem

    home = Path(stratagem.__file__).resolve()
    if not home.is_relative_to(checkout):
        raise SystemExit(f"{checkout} was asked for, and {home} was imported")
    side = Side()
    answers, sys.stdout = sys.stdout, sys.stderr  # what a player prints is no answer
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = getattr(side, asked.pop("do"))(asked)
        except (Exception, SystemExit) as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:500]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
