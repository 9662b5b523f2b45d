"""A program for stratagem's tables, in plain Python without stratagem: `program:command=python3 program.py`.

It plays any game. It takes the centre-most of the moves that are listed, builds a move part by part where they are too many to
list, and shows all there is to the protocol. The protocol is described in docs/programs.md.
"""

import json
import random
import sys
from typing import Any

rng = random.Random()


def say(**message: Any) -> None:
    print(json.dumps(message), flush=True)


def hear() -> dict[str, Any]:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)  # the game is over, and whoever asked has gone
    message: dict[str, Any] = json.loads(line)
    return message


def built(asked: int) -> str:
    """A move put together part by part, each a random one of those that may come next."""
    prefix: list[str] = []
    while True:
        say(type="parts", id=asked, prefix=prefix)
        answer = hear()
        ways = answer.get("next") or []
        if answer.get("error") or answer.get("free") or len(prefix) > 200:
            say(type="sample", id=asked)  # free text: let the rules propose a move
            return str(hear()["move"])
        if answer["complete"] and (not ways or rng.random() < 0.3):
            return ";".join(prefix)
        prefix.append(rng.choice(ways))


while True:
    message = hear()
    if message["type"] == "hello":
        rng.seed(message["seed"])
        say(type="ready", name="the example")
    elif message["type"] == "choose":
        moves = message["moves"]
        move = moves[len(moves) // 2] if moves else built(message["id"])
        say(type="info", id=message["id"], move=move, value=0.0)
        say(type="move", id=message["id"], move=move)
