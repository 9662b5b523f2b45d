"""The tools for other programs, used through the SDK's own client."""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the SDK of MCP is not installed (pip install 'stratagem[mcp]')")

import anyio
from mcp import Client, StdioServerParameters

from stratagem.errors import StratagemError
from stratagem.web import mcp as tools
from stratagem.web.mcp import create_server

Call = Callable[..., Awaitable[Any]]


def talk(conversation: Callable[[Call], Awaitable[None]], server: Any = None) -> None:
    """A conversation with the server, in this process unless another is given."""

    async def main() -> None:
        made, aside = create_server() if server is None else (server, None)
        try:
            async with Client(made) as client:

                async def call(tool: str, **asked: Any) -> Any:
                    found = await client.call_tool(tool, asked)
                    if found.is_error:
                        raise RuntimeError(found.content[0].text)
                    return found.structured_content if found.structured_content is not None else found.content

                call.client = client  # type: ignore[attr-defined]
                await conversation(call)
        finally:
            if aside is not None:
                aside.close()

    with ThreadPoolExecutor(1) as thread:  # where no other test of this process has left a loop that runs
        thread.submit(anyio.run, main).result()


def refusal(call: Call, tool: str, **asked: Any) -> Awaitable[str]:
    async def said() -> str:
        with pytest.raises(RuntimeError) as found:
            await call(tool, **asked)
        return str(found.value)

    return said()


def test_a_game_is_found_shown_and_played_to_its_end() -> None:
    async def conversation(call: Call) -> None:
        named = {tool.name for tool in (await call.client.list_tools()).tools}  # type: ignore[attr-defined]
        assert named >= {"list_games", "show_position", "check_plan", "play_plan", "analyse", "solve", "equilibrium"}
        games = (await call("list_games"))["games"]
        assert {"connect4", "minions", "blotto"} <= {game["name"] for game in games}
        about = await call("describe_game", game="tictactoe")
        assert about["seats"] == ["X", "O"] and {o["name"] for o in about["options"]} >= {"rows", "columns"}
        text, picture = await call("show_position", game="tictactoe", moves=["b2", "a1"])
        at = json.loads(text.text)
        assert at["decides"] == "seat" and at["asked"] == [0] and at["plans"]["0"]["count"] == 7 and "O" in at["board"]
        drawn = base64.b64decode(picture.data)
        assert picture.mime_type.startswith("image/") and (drawn.startswith((b"<svg", b"\x89PNG")))
        moves: list[str] = []
        for plan in ("a1", "b1", "a2", "b2", "a3"):
            found = await call("play_plan", game="tictactoe", moves=moves, plans=[plan])
            moves = found["moves"]
        assert found["decides"] == "over" and found["outcome"] == "X wins" and found["payoff"] == [1.0, -1.0]

    talk(conversation)


def test_plans_are_checked_in_words_and_part_by_part() -> None:
    async def conversation(call: Call) -> None:
        legal = await call("check_plan", game="connect4", plan="4")
        assert legal["legal"] is True
        wrong = await call("check_plan", game="connect4", plan="9")
        assert wrong["legal"] is False and "9" in wrong["why"]
        begun = await call("check_plan", game="minions", plan="tech 1")
        assert begun["legal"] and len(begun["next_parts"]) > 3
        secret = await call("play_plan", game="bidding", options={"chips": "3,3"}, plans=["1", "2"], chance_seed=1)
        assert secret["added"] and secret["decides"] in ("seat", "together")
        assert "give 2 plans" in await refusal(call, "play_plan", game="bidding", plans=["1"])
        dealt = await call("draw_chance", game="asmacag", seed=3)
        assert dealt["decides"] == "seat" and len(dealt["moves"]) == 38

    talk(conversation)


def test_positions_are_analysed_and_solved_and_matrices_have_equilibria() -> None:
    async def conversation(call: Call) -> None:
        solved = await call("solve", game="tictactoe", position="XX_OO____")
        assert solved["value"] == 1 and solved["best"] == ["c1"] and solved["moves_to_end"] == 1
        found = await call("analyse", game="tictactoe", position="XX_OO____", engine="minimax", seconds=0.2)
        assert found["best"] == "c1" and len(found["lines"]) <= 3
        one = await call("equilibrium", payoffs=[[0, -1, 2], [1, 0, -1], [-2, 1, 0]])
        assert one["equilibria"][0]["strategies"][0] == [0.25, 0.5, 0.25]
        reported = await call("equilibrium", payoffs=[[[6, 2], [7, 0]], [[6, 7], [2, 0]]], concept="ce")
        assert reported["values"] == pytest.approx([5.25, 5.25])
        advice = await call("advise_draft", picks=["Belian Millson"], slot=2, seconds=0.2)
        assert advice["team"] == 1 and advice["picks_made"] == 1 and advice["recommendations"]

    talk(conversation)


def test_what_comes_from_outside_is_bounded() -> None:
    async def conversation(call: Call) -> None:
        for tool, asked, wrong in (
            ("show_position", {"game": "/etc/passwd"}, "unknown game"),
            ("show_position", {"game": "draft", "options": {"file": "/etc/passwd"}}, "files are not read"),
            ("show_position", {"game": "connect4", "options": {"width": 10**9}}, "width"),
            ("show_position", {"game": "connect4", "position": "4" * 100_000}, "at most"),
            ("play_plan", {"game": "connect4", "plans": ["99"]}, "column"),
            ("analyse", {"game": "connect4", "engine": "program:command=touch x"}, "no engine 'program'"),
            ("analyse", {"game": "connect4", "engine": "alphabeta:depth=40"}, "by their names alone"),
            ("analyse", {"game": "connect4", "seconds": 10_000}, "60"),
            ("equilibrium", {"payoffs": [[0] * 100] * 100}, "too many"),
            ("equilibrium", {"payoffs": [[1, 2], [3]]}, "equal rows"),
            ("advise_draft", {"picks": ["Nobody At All"]}, "Nobody At All"),
        ):
            assert wrong in await refusal(call, tool, **asked), (tool, asked)

    talk(conversation)


def _sleeps(catalogue: object, seconds: float) -> dict[str, Any]:
    import time

    print("this is no message of the protocol")
    time.sleep(seconds)
    return {"slept": seconds, "pid": os.getpid()}


def test_a_search_that_takes_too_long_is_ended_and_the_next_one_has_a_new_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tools, "COMPILING", 240.0)  # a busy machine takes long to start a process
    aside = tools.Aside(())
    try:
        first = aside(_sleeps, {"seconds": 0.0}, 1.0)["pid"]
        monkeypatch.setattr(tools, "COMPILING", 0.0)
        with pytest.raises(Exception, match="no answer after"):
            aside(_sleeps, {"seconds": 60.0}, 0.2)
        monkeypatch.setattr(tools, "COMPILING", 240.0)
        assert aside(_sleeps, {"seconds": 0.0}, 1.0)["pid"] != first
    finally:
        aside.close()


def _dies(catalogue: object) -> dict[str, Any]:
    os.kill(os.getpid(), 9)
    return {}


def test_a_search_whose_process_is_killed_says_so_and_the_next_one_has_a_new_process() -> None:
    aside = tools.Aside(())
    try:
        for _ in range(2):
            with pytest.raises(StratagemError, match="ended with status -9 before it had answered"):
                aside(_dies, {}, 600.0)
            assert aside(_sleeps, {"seconds": 0.0}, 60.0)["slept"] == 0.0
        aside._process.kill()  # between two searches
        aside._process.join()
        assert aside(_sleeps, {"seconds": 0.0}, 60.0)["slept"] == 0.0
    finally:
        aside.close()


def test_the_command_speaks_over_standard_input_and_output(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    command = StdioServerParameters(command=sys.executable, args=["-m", "stratagem", "mcp"], env=environment)

    async def conversation(call: Call) -> None:
        solved = await call("solve", game="tictactoe", position="XX_OO____")
        assert solved["best"] == ["c1"]

    talk(conversation, command)
