"""An anonymous visitor without manners: requests from the API's own description, with hostile numbers, texts and sizes.

    python tests/web/fuzz.py --requests 100000 --seed 1
    python tests/web/fuzz.py --requests 10000 --serves auction

Every operation, and every option of every game, is tried. Requests are sane for the most part, so that they come far. A
server error, a request that takes over two seconds of processor time, or memory that grows fails the run, which names the
requests that did it. Engines are replaced by a random move: their time is limited elsewhere. With `--log FILE` the request at
hand stands in a file before it is sent, for one that never returns. `--serves draft` and `--serves auction` are the server of
one live draft, whose seat the visitor has.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from itertools import islice, product
from pathlib import Path
from typing import Any

import stratagem
from stratagem.contract.player import Choice
from stratagem.errors import StratagemError
from stratagem.fantasy.advice import recommend
from stratagem.fantasy.auction import BIDDERS
from stratagem.fantasy.league import League, Room
from stratagem.fantasy.presets import PRESETS, Setup
from stratagem.fantasy.sample import SAMPLE
from stratagem.fantasy.table import Item
from stratagem.rng import generator
from stratagem.store.sqlite import Store
from stratagem.web import app as module
from stratagem.web.draft import create_draft_app
from stratagem.web.engines import Job, NoEngines
from stratagem.web.guard import Limits
from stratagem.web.refusals import PUBLIC
from stratagem.web.rooms import BOTS

PROCESSOR_SECONDS = 2.0
MEMORY = 600 << 20  # bytes that the server may grow by
JSON = {"content-type": "application/json"}
FULL = 64 << 20  # free bytes below which a disk may be called full
MOST_REPLIES = 100  # of engines, to one request
POSITIONS = ("QB", "RB", "WR", "TE", "K", "DST")
TEAMS = 12  # of the league of which rooms are made where none is named

NUMBERS: list[Any] = [
    "1e400000000", "1e999", "-1e999", "1e-400000000", "1e5000", "1/0", "nan", "inf", "-inf", "-0", "9" * 60, "9" * 5000, "0x10",
    "1_000", "\u0663", "\u00bd", "\u00b2", "1/" + "9" * 40, "1e30", "1e15", "100000", "100000,100000", "1000000,1000000,1000000",
    "1,1e999", "1;1", ",", "", "1," * 60, -1, 0, 1, 2, 3, 7, 63, 64, 1000, 10**6, 2**31, 2**63, 2**64, -(2**63), 10**40, 1e308,
    0.1, -0.5, 1e15, True, None, [0], [10**9] * 64, [-1, -1], [1] * 65, [],
]  # fmt: skip
TEXTS: list[Any] = [
    "", " ", "\n", "\0", "a" * 79, "a" * 200, "a" * 1000, "a" * 19_999, ";" * 5000, "|" * 500, "-", "?", "[" * 2000, "{}", "../x",
    "/etc", "%s%n", "<script>alert(1)</script>", "\u202e\u0627", "\U0001f600" * 20, "\ud800", "a\u0301" * 50, "taxman:1e5000",
    "'; DROP TABLE", "hex:size=1000", "bidding:over=bidding", "tictactoe:rows=999", "1e999", "9" * 4000, "e4 " * 900, "0" * 300,
    "x=1,y=2",
]  # fmt: skip
MOVES = "/api/tables/{key}/moves"


class Visitor:
    """Makes requests, with a good number of right ones among them."""

    def __init__(self, client: Any, seed: int, teams: int, bots: Sequence[str], live: str = "") -> None:
        """`teams` of the league of which rooms are made where none is named, `bots` that sit there; `live`: the path of a live
        draft's page, with the token of a seat."""
        self.client, self.dice, self.teams, self.bots = client, random.Random(seed), teams, tuple(bots)
        description = client.get("/api/openapi.json").json()
        self.schemas = description["components"]["schemas"]
        self.operations = [
            (path, method, operation)
            for path, methods in description["paths"].items()
            for method, operation in methods.items()
            if not path.endswith("/events")  # lasts as long as its table does
        ]
        self.tables_too = not live
        moves = [one for one in self.operations if one[0] == MOVES]
        self.operations += moves * (len(self.operations) // 6)  # a right one needs its table, its token and its turn
        catalogue = module.Catalogue()
        self.games = {name: catalogue.describe(name) for name in catalogue.names()}
        self.pages = [
            "/",
            "/games/{game}",
            "/analyse/{game}",
            "/edit/{game}",
            "/play/{key}",
            "/review/{key}",
            "/puzzles",
        ]
        self.pages += ["/puzzles/{number}", "/games/{game}/picture.svg", "/puzzles/{number}/picture.svg"]
        self.pages += ["/drafts", "/room/{room}", "/room/{room}/report"]
        self.tables: list[dict[str, Any]] = []
        self.rooms: list[dict[str, Any]] = []  # with their seats' tokens, and the turn that they were last seen at
        self.table: dict[str, Any] | None = None  # that a request is about; or
        self.room: dict[str, Any] | None = None
        self.export = SAMPLE.read_text(encoding="utf-8")
        self.lines: dict[str, tuple[list[str], str]] = {}
        if live:
            key, _, token = live.removeprefix("/room/").partition("#")
            self.rooms = [{"room": key, "tokens": [token], "invitations": [], "turn": 0}]
        for name, about in self.games.items() if self.tables_too else ():
            self.game = name
            others = ["person" if self.dice.random() < 0.5 else "random" for _ in about["seats"][1:]]
            wanted = {"game": self.game, "seats": ["person", *others]}
            self.heard("/api/tables", client.post("/api/tables", json=wanted))
        for bot in self.bots:
            self.heard("/api/rooms", client.post("/api/rooms", json={"seats": ["person", *[bot] * (teams - 1)]}))

    def one(self) -> tuple[str, str, dict[str, Any]]:
        """A method, a path, and what goes with it."""
        dice = self.dice
        self.game = dice.choice(list(self.games))
        self.room = dice.choice(self.rooms) if self.rooms and dice.random() < 0.9 else None
        self.table = None
        self.operation = ""
        if dice.random() < 0.05:
            return "GET", self.filled(dice.choice(self.pages)), {"headers": {"accept": "text/html"}}
        if self.tables_too and dice.random() < 0.15:  # an option
            option = self.options(hostile=True)
            path = dice.choice(["/api/games", "/api/position", "/api/sheet"])
            return "POST", path, {"content": json.dumps({"game": self.game, "options": option}), "headers": JSON}
        path, method, operation = dice.choice(self.operations)
        self.operation = f"{method.upper()} {path}"
        given: dict[str, Any] = {"headers": {}, "params": {}}
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "query" and dice.random() < 0.5:
                given["params"][parameter["name"]] = str(self.number())
        if path.startswith("/api/rooms/{key}"):
            if self.room is not None:
                path = path.replace("{key}", self.room["room"])
                if dice.random() < 0.8:
                    given["headers"]["authorization"] = f"Bearer {dice.choice(self.room['tokens'])}"
        elif self.tables and dice.random() < 0.8 and "{key}" in path:
            self.table = dice.choice(self.tables)
            path = path.replace("{key}", self.table["table"])
            self.game = self.table["game"]
            tokens = list(self.table["tokens"].values())
            if tokens and dice.random() < 0.8:
                given["headers"]["authorization"] = f"Bearer {dice.choice(tokens)}"
        if dice.random() < 0.03:
            given["headers"]["origin"] = dice.choice(["http://[", "null", "http://127.0.0.1", "x" * 200])
        body = operation.get("requestBody")
        if body is not None:
            made = self.body(body["content"]["application/json"]["schema"])
            given["content"] = json.dumps(made) if dice.random() < 0.97 else json.dumps(made)[: dice.randrange(40)]
            given["headers"].update(JSON)
        return method.upper(), self.filled(path), given

    def heard(self, path: str, answer: Any) -> None:
        if path == "/api/tables" and answer.status_code == 201:
            made = answer.json()
            made["game"] = self.game
            self.tables = [*self.tables[-60:], made]
        elif path == "/api/rooms" and answer.status_code == 201:
            made = answer.json()
            about = {"room": made["room"], "tokens": [made["token"]], "invitations": [*made["invitations"].values()]}
            self.rooms = [*self.rooms[:1], *self.rooms[1:][-30:], {**about, "turn": 0}]
        elif path.startswith("/api/rooms/") and self.room is not None and answer.status_code == 200:
            reported = answer.json()
            self.room["turn"] = reported.get("turn", self.room["turn"])
            if path.endswith("/join"):
                self.room["tokens"].append(reported["token"])

    def filled(self, path: str) -> str:
        for name in ("key", "room", "game", "name", "number", "ply", "seat"):
            if "{" + name + "}" in path:
                right = {
                    "key": "nothere",
                    "room": "nothere" if self.room is None else self.room["room"],
                    "game": self.game,
                    "name": self.game,
                    "number": "3",
                    "ply": str(self.dice.randrange(4)),
                    "seat": str(self.dice.randrange(2)),
                }
                wrong = self.dice.choice(["%00", "1e9", "-1", "9" * 30, "%F0%9F%98%80", "a" * 300, "..%2f", "%5b"])
                path = path.replace("{" + name + "}", right[name] if self.dice.random() < 0.8 else wrong)
        return path

    def number(self) -> Any:
        return self.dice.choice(NUMBERS)

    def text(self) -> Any:
        return self.dice.choice(TEXTS)

    def options(self, hostile: bool = False) -> dict[str, Any]:
        declared = self.games[self.game]["options"]
        if not declared or (not hostile and self.dice.random() < 0.7):
            return {}
        found = {}
        for option in self.dice.sample(declared, min(len(declared), self.dice.choice((1, 1, 1, 2, 3)))):
            edges = [option["minimum"], option["maximum"], option["default"], *option["choices"], *option["suggested"]]
            known = [edge for edge in edges if edge is not None]
            found[option["name"]] = self.dice.choice(known) if known and self.dice.random() < 0.4 else self.hostile()
        return found

    def hostile(self) -> Any:
        return self.number() if self.dice.random() < 0.6 else self.text()

    def line(self) -> tuple[list[str], str]:
        """Some moves from the start of the game, and the text of the position after them."""
        if self.game not in self.lines:
            position, rng, moves = stratagem.game(self.game).start(), generator(self.dice.randrange(1000)), []
            for _ in range(6):
                if position.over:
                    break
                seats = position.asked
                together = [position.sample(rng, p) if p in seats else "-" for p in range(position.game.players)]
                position = position.play(together if len(seats) > 1 else position.sample(rng))
                moves.append(position.history[-1])
            self.lines[self.game] = moves, str(position)
        return self.lines[self.game]

    def bent(self, text: str) -> str:
        """A text that was right, with something wrong put into it."""
        at = self.dice.randrange(len(text) + 1)
        return text[:at] + str(self.hostile())[:3000] + text[self.dice.choice((at, at + 1, len(text))) :]

    def body(self, schema: dict[str, Any]) -> Any:
        if "$ref" in schema:
            schema = self.schemas[schema["$ref"].rpartition("/")[2]]
        if "league" in schema.get("properties", {}):
            return self.new_room(schema)
        made = {}
        for name, about in schema.get("properties", {}).items():
            if name in schema.get("required", ()) or self.dice.random() < 0.6:
                made[name] = self.value(name, about)
        if self.dice.random() < 0.02:
            made[str(self.text())] = self.hostile()
        return made

    def new_room(self, schema: dict[str, Any]) -> Any:
        """A room: of the sample's league for twelve, or of a league of one's own for two kinds of seats."""
        dice = self.dice
        league = next(one for one in schema["properties"]["league"]["anyOf"] if "$ref" in one)
        own = self.body(league) if dice.random() < 0.7 else None
        count = self.teams if own is None else dice.choice((2, 2, 2, self.teams, 1, 20))
        seats = ["person", *(dice.choice(("person", *self.bots)) for _ in range(count - 1))]
        if dice.random() < 0.1:
            seats[dice.randrange(count)] = str(self.hostile())[:80]
        return {"seats": seats, **({} if own is None else {"league": own})}

    def table_of_players(self) -> str:
        """An export of players: the sample, the sample with something wrong in it, or very many players."""
        kind = self.dice.random()
        if kind < 0.2:
            return self.export
        if kind < 0.8:
            return self.bent(self.export)
        return self.dice.choice(
            [
                players(self.dice.choice((300, 4990, 60_000))),
                "name,pos,adp\n" + "A B,QB,1\n" * self.dice.choice((4990, 100_000)),
                "name,pos,points\n" + "A " * 400_000 + ",QB,1",
                "\n" * 900_000,
                "name," * 200_000,
                '"' * 900_000,
                "Player,POS,ADP\n" + "Ab C SF (9),RB/WR/TE,1\n" * 2000,
            ]
        )

    def value(self, name: str, about: dict[str, Any]) -> Any:
        dice = self.dice
        if dice.random() < 0.08:
            return dice.choice([self.hostile(), [self.hostile()] * dice.choice((1, 30)), {"x": self.hostile()}])
        moves, text = self.line()
        if name == "game":
            return self.game
        if name == "options":
            return self.options()
        if name == "seats":
            return [dice.choice(("person", "person", "random", "easy")) for _ in self.games[self.game]["seats"]]
        if name == "moves":
            kept = moves[: dice.randrange(len(moves) + 1)]
            return [*kept, self.bent(dice.choice(moves))] if moves and dice.random() < 0.4 else kept
        if name == "position":
            return dice.choice(["", "", text, self.bent(text)])
        if name == "prefix":
            parts = dice.choice(moves).split(";") if moves else []
            return [*parts[: dice.randrange(4)], *([self.bent("a1")] if dice.random() < 0.4 else [])]
        if name == "move":
            return dice.choice([*moves, self.bent("a1"), str(self.text())]) if moves else ""
        if name == "engine":
            return "random"
        if name == "preset":
            return dice.choice(("", "", *PRESETS))
        if name == "table":
            return self.table_of_players()
        if name == "turn" and self.room is not None and dice.random() < 0.8:
            return self.room["turn"]
        if name == "item" and dice.random() < 0.8:
            return dice.randrange(300)
        if name in ("team", "price", "limit") and dice.random() < 0.8:
            return dice.randrange(4)
        if name == "invitation":
            known = self.table["invitations"].values() if self.table else self.room["invitations"] if self.room else ()
            return dice.choice([*known, "s" * 40])
        if name in ("token", "session"):
            return f"{dice.randrange(10**9):040d}"
        if name == "panel" and (panels := self.games[self.game]["panels"]) and dice.random() < 0.8:
            return dice.choice(panels)["name"]
        if name == "clock":
            return {
                "seconds": dice.choice((1, 60, 1e308, -1)),
                "increment": dice.choice((0, 5, 1e9)),
                "each_move": True,
            }
        kind = about.get("type")
        if kind in ("integer", "number") or {"integer", "number"} & {one.get("type") for one in about.get("anyOf", ())}:
            return dice.choice([0, 1, 2, 3, self.number()])
        if kind == "object":
            return {
                str(self.text())[:80] if dice.random() < 0.5 else "a1": str(self.hostile())[:900]
                for _ in range(dice.choice((0, 1, 3)))
            }
        if kind == "boolean":
            return dice.random() < 0.5
        return self.text() if dice.random() < 0.5 else dice.choice(["a1", "b2", "0", "1"])


def players(count: int) -> str:
    """An export with so many players, all of different names."""
    letters = ("".join(five) for five in product("abcdefghijk", repeat=5))
    rows = (f"A {name.title()},{POSITIONS[k % len(POSITIONS)]},{k % 800}\n" for k, name in enumerate(letters))
    return "name,pos,adp\n" + "".join(islice(rows, count))


class Replies(threading.local):
    """An engine that plays at random and at once, up to so many decisions a request: engines may play among themselves."""

    left = MOST_REPLIES  # of all threads

    def __init__(self) -> None:
        self.waiting: list[Job] = []

    def submit(self, job: Job) -> None:
        self.waiting.append(job)
        if len(self.waiting) > 1:
            return  # asked while a reply is shown: whoever tells that one goes on with this
        while self.waiting:
            Replies.left -= 1
            try:
                self.reply(self.waiting[0])
            finally:
                self.waiting.pop(0)

    def reply(self, job: Job) -> None:
        view, seat = job.question.view, job.question.seat
        try:
            if Replies.left < 0:
                job.tell("failed", "this engine has done enough")
            elif job.question.compare:
                job.tell("done", dict.fromkeys(job.question.compare, 0.0))
            else:
                job.tell("done", Choice(view.sample(generator(1), seat), engine="random").json())
        except StratagemError as error:
            job.tell("failed", str(error))


def memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def expected(answer: Any, folder: str) -> bool:
    """Whether an answer above 500 was given on purpose: 503 where much is under way, 507 where the disk is full."""
    if answer.status_code == 507:
        return shutil.disk_usage(folder).free < FULL
    return answer.status_code == 503 and answer.json()["error"] not in PUBLIC.values()


def compile_advice() -> None:
    """Compile what rooms need, which is no visitor's doing: the smallest league calls every template that larger ones do."""
    room = Room(League(tuple(Item(f"{k}", ("A",), 9.0 - k, k + 1.0, 1.0) for k in range(6)), 2, "A:1,BENCH:1"))
    recommend(room, simulations=1, survival_simulations=1)
    room.lineup(0)


def served(serves: str, store: Store, limits: Limits) -> tuple[Any, str]:
    """The application, and the path of a live draft's page with its token, if there is one."""
    if serves == "games":
        return module.create_app(store, limits=limits, workers=0), ""
    budget = 30 if serves == "auction" else 0
    setup = Setup(SAMPLE, teams=3, you=1, roster="QB:1,RB:1,BENCH:1", budget=budget)
    return create_draft_app(store, setup, limits=limits)[:2]


def run(requests: int, seed: int, log: Path | None = None, serves: str = "games") -> dict[str, Any]:
    """Make so many requests; what came of them, with what did harm."""
    from starlette.testclient import TestClient

    replies = Replies()
    NoEngines.submit = lambda _, job: replies.submit(job)  # type: ignore[method-assign,misc]
    compile_advice()
    limits = Limits(rate=1e9, burst=10**9, tables=10**6, new_tables=10**9, new_rooms=10**9, seconds=0.05)
    statuses: Counter[int] = Counter()
    reached: set[str] = set()  # operations that were answered well
    slowest, began, base, harm = (0.0, ""), time.process_time(), 0, []
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "games.sqlite") as store:
        app, live = served(serves, store, limits)
        with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
            visitor = Visitor(client, seed, 3 if live else TEAMS, BIDDERS if serves == "auction" else BOTS, live)
            for number in range(requests):
                Replies.left = MOST_REPLIES
                method, path, given = visitor.one()
                reported = f"{number}: {method} {path} {json.dumps(given)}"
                if log is not None:
                    log.write_text(reported)
                before, size = time.process_time(), memory()
                answer = client.request(method, path, **given)
                seconds, grown = time.process_time() - before, memory() - size
                statuses[answer.status_code] += 1
                if answer.status_code < 300:
                    reached.add(visitor.operation)
                slowest = max(slowest, (seconds, reported[:2000]))
                visitor.heard(path, answer)
                if answer.status_code >= 500 and not expected(answer, folder):
                    harm.append(f"status {answer.status_code}: {reported[:3000]}")
                if seconds > PROCESSOR_SECONDS:
                    harm.append(f"{seconds:.1f} s of processor time: {reported[:3000]}")
                if grown > MEMORY // 2:
                    harm.append(f"{grown >> 20} MB more: {reported[:3000]}")
                if number == min(300, requests // 4):
                    base = memory()
            grown = memory() - base
            if grown > MEMORY:
                harm.append(f"after {requests} requests there are {grown >> 20} MB more")
    return {
        "requests": requests,
        "operations": len({(path, method) for path, method, _ in visitor.operations}),
        "unreached": sorted({f"{method.upper()} {path}" for path, method, _ in visitor.operations} - reached),
        "statuses": dict(sorted(statuses.items())),
        "slowest_seconds": round(slowest[0], 2),
        "slowest": slowest[1][:300],
        "grown_mb": grown >> 20,
        "processor_seconds": round(time.process_time() - began, 1),
        "harm": harm,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--serves", choices=["games", "draft", "auction"], default="games")
    asked = parser.parse_args()
    found = run(asked.requests, asked.seed, asked.log, asked.serves)
    print(json.dumps(found, indent=1))
    sys.exit(1 if found["harm"] else 0)
