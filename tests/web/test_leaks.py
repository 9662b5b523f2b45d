"""Nothing that a seat or a spectator receives depends on what it may not know.

Two ways to see it. By name: the small game's animals are words that no page holds by accident. By two worlds: from a seat's
side, the true position and one in which everything that the seat cannot see was drawn anew must give the same bytes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from toys.otters import ANIMALS
from web.serving import KUHN, bearer, new_table, until

import stratagem
from stratagem import CHANCE, TOGETHER, ArrayGame, ArrayPosition
from stratagem.contract.game import NOBODY
from stratagem.games.minions import MinionsPosition
from stratagem.games.minions.notation import deal_text
from stratagem.games.roborally.game import hand_of, listed
from stratagem.registry import game_names
from stratagem.rng import generator
from stratagem.store.sqlite import Store
from stratagem.web.app import create_app
from stratagem.web.guard import Limits
from stratagem.web.seats import digest
from stratagem.web.streams import event
from stratagem.web.table import Table, plain_options


def everything(client: TestClient, table: str, token: str | None) -> str:
    """All that one side can ask for."""
    head = bearer(token) if token else {}
    got = [client.get(f"/api/tables/{table}", headers=head).text]
    ply = json.loads(got[0])["ply"]
    got += [client.get(f"/api/tables/{table}/frames/{k}", headers=head).text for k in range(ply + 1)]
    got.append(client.get(f"/api/tables/{table}/record", headers=head).text)
    for prefix in ([], ["raise"], ["nonsense"]):
        got.append(client.post(f"/api/tables/{table}/parts", json={"prefix": prefix}, headers=head).text)
    for move in ("nonsense", "raise", "fold;3"):
        body = {"move": move, "ply": ply}
        got.append(client.post(f"/api/tables/{table}/moves", json=body, headers=head).text)
    got.append(client.get(f"/play/{table}", headers=head).text)
    return "\n".join(got)


@pytest.mark.parametrize("games", [8, pytest.param(100, marks=pytest.mark.slow)])
def test_no_secret_of_another_seat_is_sent_in_fuzzed_games(client: TestClient, games: int) -> None:
    rng = generator(games)
    for _ in range(games):
        made = new_table(client, "otters", ["person", "person"])
        table, tokens = made["table"], [made["tokens"]["0"]]
        joined = client.post(f"/api/tables/{table}/join", json={"invitation": made["invitations"]["1"]}).json()
        tokens.append(joined["token"])
        true = client.app.app.state.tables.get(table)
        animals = true.position.held
        for seat in (0, 1, None):
            seen = everything(client, table, None if seat is None else tokens[seat])
            secrets = {animal for p, animal in enumerate(animals) if p != seat} | set(tokens) | {str(true.seed)}
            assert not [word for word in secrets if word in seen], seat
            assert seat is None or animals[seat] in seen
        stake = true.position.sample(rng, 0)
        body = {"move": stake, "ply": 1}
        assert client.post(f"/api/tables/{table}/moves", json=body, headers=bearer(tokens[0])).status_code == 200
        for token in (tokens[1], None):
            seen = client.get(f"/api/tables/{table}", headers=bearer(token) if token else {}).json()
            assert seen["ready"] == [0] and seen["mine"] is None
            said = json.dumps({**seen, "parts": None})
            assert f'"{stake}"' not in said and animals[0] not in said
        body = {"move": true.position.sample(rng, 1), "ply": 1}
        end = client.post(f"/api/tables/{table}/moves", json=body, headers=bearer(tokens[1])).json()
        assert end["turn"] == "over" and all(animal in end["text"] for animal in animals)


# ---------------------------------------------------------------------------------------- two worlds, for every game

PLIES = 14  # moves of a fuzzed game; fewer where it ends
DEEPEST = 240  # moves before a fuzzed game begins, so that secrets which come late are there too
TRIES = 6  # other outcomes of chance that are tried to find one which a seat could not tell from the true one


def secretive_games() -> dict[str, Any]:
    """Every game of the library in which something is secret: hidden from a seat, or decided by all at once. One of the
    tests' own is always there."""
    known = {name: stratagem.game(name) for name in game_names()} | {"kuhn": stratagem.game(KUHN)}
    known["minions"] = stratagem.game("minions", profile="server", maps="Apocalypse", plies=50)  # hands of spells
    return {name: game for name, game in known.items() if game.hidden or TOGETHER in turns(game)}


def turns(game: Any) -> set[int]:
    rng, position, seen = generator(0), game.start(seed=1), set()
    for _ in range(30):
        seen.add(position.turn)
        if position.over:
            break
        position = after_at_random(position, rng)
    return seen


def after_at_random(position: Any, rng: Any) -> Any:
    with np.errstate(over="ignore"):
        if position.turn == TOGETHER:
            asked, players = position.asked, range(position.game.players)
            return position.play([position.sample(rng, p) if p in asked else "-" for p in players])
        return position.play(position.sample(rng))


class Caller:
    """Asks an ASGI application directly, without a network; of a stream it reads the first event."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, method: str, path: str, body: Any = None, token: str | None = None) -> tuple[int, bytes]:
        headers = [(b"host", b"127.0.0.1"), (b"accept", b"*/*"), (b"content-type", b"application/json")]
        headers += [(b"authorization", b"Bearer " + token.encode())] if token else []
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "", "headers": headers,
            "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
        }  # fmt: skip
        sent, gone, status, got = False, asyncio.Event(), 0, [b""]

        async def receive() -> Any:
            nonlocal sent
            if not sent:
                sent = True
                return {"type": "http.request", "body": b"" if body is None else json.dumps(body).encode()}
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                got.extend(name + b": " + value + b"\n" for name, value in message["headers"])
            else:
                got.append(message.get("body", b""))
                gone.set()

        await self.app(scope, receive, send)
        return status, b"".join(got)


class Fuzzed:
    """A table of people, and what each of them is shown."""

    def __init__(self, ask: Caller, game: Any) -> None:
        self.ask, self.game = ask, game

    async def begin(self, tables: Any, name: str, origin: Any) -> None:
        ask, game = self.ask, self.game
        body = {"game": name, "options": plain_options(game), "seats": ["person"] * game.players}
        status, answer = await ask("POST", "/api/tables", body | ({"position": str(origin)} if origin else {}))
        assert status == 201, answer
        made = json.loads(answer[answer.index(b"{") :])
        self.table = tables.get(made["table"])
        self.path = f"/api/tables/{made['table']}"
        self.tokens = {int(seat): token for seat, token in made["tokens"].items()}
        self.keys = [*made["tokens"].values(), *made["invitations"].values(), str(self.table.seed)]
        for seat, invitation in made["invitations"].items():
            status, answer = await ask("POST", f"{self.path}/join", {"invitation": invitation})
            self.tokens[int(seat)] = json.loads(answer[answer.index(b"{") :])["token"]
        self.keys += [*self.tokens.values(), *(digest(token) for token in self.tokens.values())]

    def questions(self, everything: bool) -> list[tuple[str, str, Any]]:
        """What is asked for: all that there is, or only what the stream says. Moves that are wrong, or another's, are tried
        too: a refusal must say as little."""
        ply, asked = self.table.ply, []
        if everything:
            asked = [("GET", f"{self.path}/events", None)]
            asked += [
                ("GET", self.path, None),
                ("GET", f"{self.path}/record", None),
                ("POST", f"{self.path}/hint", None),
            ]
            asked += [("GET", f"{self.path}/frames/{k}", None) for k in {0, ply}]
            asked += [("GET", f"{self.path}/review/{k}", None) for k in {0, ply}]
            asked += [("GET", f"{self.path}/review", None), ("POST", f"{self.path}/review", None)]
            asked += [("GET", f"/play/{self.table.key}", None), ("POST", f"{self.path}/back", {"ply": ply})]
            looks = [("POST", f"{self.path}/look", {"place": place}) for place in ("0 c1", "1 d4", "nonsense")]
            asked += [*looks, ("POST", f"{self.path}/panel", {"panel": "removable"})]
            prefixes = ([], ["nonsense"], *([move] for move in self.moves()))
            asked += [("POST", f"{self.path}/parts", {"prefix": prefix}) for prefix in prefixes]
            asked += [("POST", f"{self.path}/moves", {"move": move, "ply": ply}) for move in ("nonsense", "0 | 0", ";")]
        return asked

    async def reported(self, seat: int | None, questions: list[tuple[str, str, Any]]) -> list[bytes]:
        """What a seat or a spectator receives: what the stream says anyway, then the answers."""
        token = None if seat is None else self.tokens[seat]
        found = [event("table", self.table.shown(seat)).encode()]
        for method, path, body in questions:
            if path.endswith("/back") and self.table._may_take_back(seat):
                continue  # it would be done, and the game would be another one
            status, answer = await self.ask(method, path, body, token)
            assert status < 500, (path, answer)
            mine = token.encode() if token else b""
            assert not [key for key in self.keys if key.encode() != mine and key.encode() in answer], path
            found.append(answer)
        return found

    def moves(self) -> list[str]:
        """A move of each seat that decides, by somebody who knows its hand."""
        with np.errstate(over="ignore"):
            return [self.table.position.sample(generator(self.table.ply, p), p) for p in self.table.position.asked]

    async def move(self, seat: int, text: str) -> None:
        status, answer = await self.ask(
            "POST", f"{self.path}/moves", {"move": text, "ply": self.table.ply}, self.tokens[seat]
        )
        assert status == 200, (text, answer)


async def fuzz(ask: Caller, tables: Any, name: str, game: Any, games: int) -> int:
    """Random games, each from its start or from deep in another; at every ply each side is shown the same whatever it may
    not know. How often two worlds were compared."""
    rng, compared = generator(games), 0
    origins = [None, *(deep(game, seed) for seed in range(1, 5))]
    for number in range(games):
        fuzzed = Fuzzed(ask, game)
        await fuzzed.begin(tables, name, origins[number % len(origins)])
        looked_into = number % PLIES  # the ply at which everything is asked for; the stream is compared at all of them
        for ply in range(PLIES):
            table = fuzzed.table
            if table.position.over:
                break
            everything = ply == looked_into or (number == 0 and ply < 4)
            if game.hidden:
                for seat in (*range(game.players), None):
                    compared += await in_another_world(fuzzed, seat, everything, rng)
            if table.position.turn == TOGETHER:
                compared += await decide_in_secret(fuzzed, everything, rng)
            else:
                with np.errstate(over="ignore"):
                    await fuzzed.move(table.position.turn, table.position.view(table.position.turn).sample(rng))
    return compared


def deep(game: Any, seed: int) -> Any:
    """A position some way into a random game in which it is not over."""
    rng, path = generator(seed), [game.start(seed=seed)]
    for _ in range(DEEPEST * seed // 4):
        if path[-1].over:
            break
        path.append(after_at_random(path[-1], rng))
    going = [position for position in path if not position.over and position.turn != CHANCE]
    return going[-1 - seed % min(len(going), 3)]


async def in_another_world(fuzzed: Fuzzed, seat: int | None, everything: bool, rng: Any) -> int:
    """Compare what a seat is shown with what it would be shown if all that it cannot see were otherwise."""
    table, game = fuzzed.table, fuzzed.game
    position, first, origin = table.position, table.positions[0], table.origin
    other, questions = another_world(game, position, table.positions, seat, rng), fuzzed.questions(everything)
    reported = await fuzzed.reported(seat, questions)
    table.positions[-1] = other
    if table.ply > 1 and origin is not None:  # what the table began with is as secret
        table.positions[0] = another_world(game, first, [first], seat, rng)
        table.origin = str(table.positions[0])
    try:
        assert await fuzzed.reported(seat, questions) == reported, f"{game.name}, seat {seat}: {position}"
    finally:
        table.positions[-1], table.origin = position, origin
        if table.ply > 1:
            table.positions[0] = first
    return 1


async def decide_in_secret(fuzzed: Fuzzed, everything: bool, rng: Any) -> int:
    """All decide in some order; what the first ones chose is nobody's business until the last one has."""
    table, game, compared = fuzzed.table, fuzzed.game, 0
    position, ply = table.position, table.ply
    asked = sorted(position.asked, key=lambda p: hash((p, int(rng[0]))))
    for p in asked:
        with np.errstate(over="ignore"):
            mine, others = position.sample(rng, p), [position.sample(rng, p) for _ in range(TRIES)]
        await fuzzed.move(p, mine)
        other = next((text for text in others if text != mine), None)
        if table.ply != ply or other is None:
            continue
        for seat in (*(q for q in range(game.players) if q != p), None):
            questions, pending = fuzzed.questions(everything), table.pending
            reported = await fuzzed.reported(seat, questions)
            table.pending = {**pending, p: other}
            assert await fuzzed.reported(seat, questions) == reported, (
                f"{game.name}, seat {seat} sees the choice of {p}: {position}"
            )
            table.pending = pending
            compared += 1
    return compared


def another_world(game: ArrayGame, position: Any, positions: list[Any], seat: int | None, rng: Any) -> ArrayPosition:
    """The position with all that a seat cannot see drawn anew, in its record too."""
    if isinstance(position, MinionsPosition):
        return another_campaign(position, positions, seat, rng)
    assert isinstance(position, ArrayPosition) and game.gives("guess"), (
        f"{game.name} hides something but has no guess kernel: give this test another way to see its secrets"
    )
    s = position.state.copy()
    with np.errstate(over="ignore"):
        for known in (0, 1) if seat is None else (seat,):  # a spectator knows neither: what each cannot see is drawn
            game.run("guess", game.g, s, known, rng)
        return game.position(s, retold(game, position, positions, s, seat, rng), position.origin)


def another_campaign(position: MinionsPosition, positions: list[Any], seat: int | None, rng: Any) -> Any:
    """The same for Minions: other hands and decks, other cards dealt to the others, other spells taken by them."""
    other, reported = position, list(position.history)
    for known in (0, 1) if seat is None else (seat,):
        other = other.guess(known, rng)
    for k, before in enumerate(positions[:-1]):
        at = len(reported) - len(positions) + 1 + k
        words = reported[at].split(";")
        if before.state.side != seat and before.turn == CHANCE:
            reported[at] = deal_text(range(1, len(reported[at].split())))
        elif before.state.side != seat:
            taken = [" ".join([*w.split()[:2], "terraform"]) if w.startswith("give_spell") else w for w in words]
            reported[at] = ";".join(taken)
    return MinionsPosition(position.game, other.state, tuple(reported), position.origin)


def retold(
    game: ArrayGame, position: ArrayPosition, positions: list[Any], s: Any, seat: int | None, rng: Any
) -> tuple[str, ...]:
    """The record of the other world: where chance could have decided otherwise and left the seat with the same sight, it
    did. Whether the sight is the same is asked of the rules (`hide`), not of the texts that are tested here."""
    reported = list(position.history)
    if game.name == "roborally":  # a seat's own hand is in the text of a deal, so the others' in it are exchanged
        deals = [k for k, text in enumerate(reported) if text.startswith("deal ")]
        for k in deals:
            hands = reported[k].removeprefix("deal ").split("/")
            last = k == deals[-1] and k == len(reported) - 1
            drawn = [listed(hand_of(s, p)) if last else ",".join(map(str, range(1, 10))) for p in range(len(hands))]
            reported[k] = "deal " + "/".join(hand if p == seat else drawn[p] or hand for p, hand in enumerate(hands))
        return tuple(reported)
    begun = len(reported) - len(positions) + 1
    for k, before in enumerate(positions[:-1]):
        dice = game.name == "risk" and reported[begun + k].startswith(
            "lost "
        )  # they lie open, and the state does not hold them
        if before.turn == CHANCE and not dice:
            true = seen(before.play(reported[begun + k]), seat)
            for _ in range(TRIES):
                text = before.sample(rng)
                if text != reported[begun + k] and np.array_equal(seen(before.play(text), seat), true):
                    reported[begun + k] = text
                    break
    return tuple(reported)


def seen(position: Any, seat: int | None) -> Any:
    s = position.state.copy()
    position.game.run("hide", position.game.g, s, NOBODY if seat is None else seat)
    return s


def run(work: Any) -> Any:
    """The result of a coroutine, on a thread of its own: a browser's tests may have left a loop running on this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Caller, Any]]:
    limits = Limits(rate=1e9, burst=10**9, tables=10**6, new_tables=10**6)
    with Store(tmp_path_factory.mktemp("leaks") / "games.sqlite") as store:
        app = create_app(store, limits=limits, files=[KUHN])
        yield Caller(app), app.app.state.tables
        app.app.state.pool.close()


@pytest.mark.parametrize("name", secretive_games())
@pytest.mark.parametrize("games", [2, pytest.param(30, marks=pytest.mark.slow)])
def test_what_a_side_receives_is_the_same_in_every_world_it_cannot_tell_apart(
    caller: tuple[Caller, Any], name: str, games: int
) -> None:
    assert run(fuzz(*caller, name, secretive_games()[name], games)) >= games


def test_an_engine_is_given_the_view_alone(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[bytes] = []
    import stratagem.web.engines as module

    real = module.pickle.dumps
    monkeypatch.setattr(module.pickle, "dumps", lambda work: given.append(real(work)) or given[-1])
    made = new_table(client, "otters", ["person", "random"])
    true = client.app.app.state.tables.get(made["table"])
    held = true.position.held
    client.post(
        f"/api/tables/{made['table']}/moves", json={"move": "raise;3", "ply": 1}, headers=bearer(made["tokens"]["0"])
    )
    until(client, made["table"], made["tokens"]["0"], lambda s: s["turn"] == "over")
    assert len(given) == 1 and held[1].encode() in given[0] and held[0].encode() not in given[0]
    assert len(set(held)) == 2 and set(held) <= set(ANIMALS)


def test_the_two_worlds_differ_and_a_leak_would_be_seen(
    caller: tuple[Caller, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ArrayPosition, "view", lambda self, seat: self)
    with pytest.raises(AssertionError, match="kuhn, seat"):
        run(fuzz(*caller, "kuhn", stratagem.game(KUHN), 5))


def test_a_record_that_tells_of_other_hands_would_be_seen(
    caller: tuple[Caller, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from stratagem.games.roborally.game import RallyPosition

    monkeypatch.setattr(RallyPosition, "game_history", lambda self, seat: self.history)
    with pytest.raises(AssertionError, match="roborally, seat"):
        run(fuzz(*caller, "roborally", stratagem.game("roborally"), 1))


def test_a_view_of_minions_that_tells_of_spells_taken_or_held_would_be_seen(
    caller: tuple[Caller, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = secretive_games()["minions"]
    with monkeypatch.context() as patched:
        patched.setattr(MinionsPosition, "_reported", lambda self, who: self.history)
        with pytest.raises(AssertionError, match="minions, seat"):
            run(fuzz(*caller, "minions", game, 1))
    monkeypatch.setattr(MinionsPosition, "view", lambda self, seat: self)
    with pytest.raises(AssertionError, match="minions, seat"):
        run(fuzz(*caller, "minions", game, 1))


def test_a_choice_that_is_reported_before_all_have_chosen_would_be_seen(
    caller: tuple[Caller, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Table.shown
    monkeypatch.setattr(Table, "shown", lambda self, seat: real(self, seat) | {"chosen": list(self.pending.values())})
    with pytest.raises(AssertionError, match="sees the choice"):
        run(fuzz(*caller, "goofspiel", stratagem.game("goofspiel"), 1))
