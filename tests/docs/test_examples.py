"""The README's code and the tutorial's game run as they are printed."""

import csv
import importlib.util
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
import typer

import stratagem
from stratagem import cli
from stratagem.fantasy.sample import SAMPLE
from stratagem.registry import game_class, game_names
from stratagem.search.alphabeta.deepening import AlphaBeta
from stratagem.testing import conform

ROOT = Path(__file__).parents[2]


def blocks(file, language="python"):
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / file).read_text(), re.S)


def test_the_readmes_game_runs(tmp_path):
    code = blocks("README.md")[0]
    assert len(code.strip().splitlines()) <= 16
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert "wins" in found.stdout or "draw" in found.stdout
    assert (tmp_path / "bids.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("page", "file"),
    [
        ("write-your-own-game", "notakto"),
        ("write-a-game-of-plans", "three_gates"),
        ("stages-for-your-own-game", "lots"),
    ],
)
def test_the_tutorials_game_is_the_file_shown(page, file):
    shown = "".join(blocks(f"docs/{page}.md"))
    code = (ROOT / "examples" / f"{file}.py").read_text().split('"""', 2)[2]
    for line in filter(str.strip, code.splitlines()):
        assert line in shown
    assert len(code.splitlines()) <= 120


def test_the_game_of_plans_keeps_the_contract_and_its_search_and_script_beat_chance():
    game = stratagem.game(str(ROOT / "examples" / "three_gates.py"))
    conform(game, games=4)
    start = game.start(seed=1)
    view = start.view(0)
    (card, *others), rest = view.parts((), 0).next, view.parts([view.parts((), 0).next[0]], 0).next
    assert card not in rest and set(rest) == set(others) and "unseen" in view.text_art()
    chance = stratagem.player(game, "random", seed=2)
    for player in (stratagem.player(game, "mcts:simulations=3000", seed=1), stratagem.player(game, "bold")):
        won = 0.0
        for seed in range(30):
            for seat in (0, 1):
                at = game.start(seed=seed)
                seats = [player if p == seat else chance for p in (0, 1)]
                plans = [who.choose(at.view(p), stratagem.Clock(), seat=p).move for p, who in enumerate(seats)]
                won += at.play(plans).payoff[seat]
        assert won > 6  # of 60


def test_the_tutorials_game_keeps_the_contract_and_is_solved():
    game = stratagem.game(str(ROOT / "examples" / "notakto.py"))
    conform(game, games=8)
    solution = AlphaBeta(game).solve(game.start())
    assert (solution.value, solution.best) == (1, ("b2",))  # the first player wins from the centre
    assert repr(game.start()).endswith(".parse('_________')")


def test_what_the_page_for_contributors_names_is_there():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    paths = re.findall(r"`((?:src|tests|docs|benchmarks)/[^`]*)`", text)
    assert len(paths) > 10 and not [path for path in paths if "NAME" not in path and not (ROOT / path).exists()]
    targets = set(re.findall(r"`make ([a-z-]+)`", text))
    assert targets and targets <= set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))


PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "CONTRIBUTING.md", ROOT / "README.md"]


def anchors(page):
    """The headings of a page as the site names them."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
    words = (re.sub(r"[^\w\s-]", "", heading).strip().lower() for heading in re.findall(r"^#+ (.*)$", prose, re.M))
    return {re.sub(r"[-\s]+", "-", name) for name in words}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda p: p.stem)
def test_links_between_pages_lead_somewhere(page):
    prose = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(), flags=re.S | re.M)
    for target, anchor in re.findall(r"\]\(\s*(?![a-z]+:)([^)#\s]*)#?([^)\s]*)\)", prose):
        found = page.parent / target if target else page
        assert found.exists(), target
        assert not anchor or anchor in anchors(found), f"{target}#{anchor}"


QUIET = {"write-your-own-game", "write-a-game-of-plans"}  # they define a game, and print nothing
APART = {"neighbours"}  # each block is a program of its own
NEEDS = {"notebooks": [("anywidget", "notebook")], "mcp": [("mcp", "mcp")]}  # modules, and the extras that bring them
COMPILED = {
    "search/attack",
    "tutorials/data-scientists",
    "arena",
    "games/minions-engine",
}  # what they run takes seconds to compile
CODE = [str(page.relative_to(ROOT / "docs").with_suffix("")) for page in PAGES if page.is_relative_to(ROOT / "docs")]
CODE = [page for page in CODE if page not in APART and blocks(f"docs/{page}.md")]


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.slow) if page in COMPILED else page for page in CODE]
)
def test_the_pages_code_runs(page, tmp_path):
    for needed, extra in NEEDS.get(page, ()):
        pytest.importorskip(needed, reason=f"{needed} is not installed (pip install 'stratagem[{extra}]')")
    code = "".join(blocks(f"docs/{page}.md"))
    (tmp_path / "page.py").write_text(code)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    here = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # where `stratagem` is
    environment = {
        **os.environ,
        "PATH": here,
        "XDG_DATA_HOME": str(tmp_path),
        "STRATAGEM_STORE": str(tmp_path / "store"),
    }
    found = subprocess.run(
        [sys.executable, "page.py"], capture_output=True, text=True, timeout=120, cwd=tmp_path, env=environment
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout or page in QUIET or "print(" not in code


def test_no_page_has_code_that_is_not_run():
    """Every language of a block is known here: commands and Python run, and the page about servers has a test of its own."""
    known = {"", "python", "json"}
    for page in PAGES:
        languages = set(re.findall(r"^```(\w*)\n.*?^```", page.read_text(), re.S | re.M))
        assert languages <= known | ({"ini", "nginx", "sh"} if page.stem == "deploy" else set()), page
        for code in re.findall(r"^```json\n(.*?)^```", page.read_text(), re.S | re.M):
            try:
                json.loads(code)
            except json.JSONDecodeError:  # else an exchange, an object a line
                assert all(json.loads(line.lstrip("<> ")) for line in code.splitlines())


@pytest.mark.slow
def test_the_code_for_other_libraries_runs(tmp_path):
    for needed in ("pettingzoo", "gymnasium", "pyspiel", "resvg_py"):
        pytest.importorskip(needed, reason=f"{needed} is not installed (pip install 'stratagem[neighbours]')")
    for number, code in enumerate(blocks("docs/neighbours.md")):
        file = tmp_path / f"page{number}.py"
        file.write_text(code)
        found = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=120, cwd=tmp_path)
        assert found.returncode == 0 and found.stdout, found.stderr


# ------------------------------------------------------------------------------- the commands that the pages print

# Words that stand for something of the reader's own, or for a choice of several; and what takes minutes or never ends.
PLACEHOLDER = re.compile(
    r"[A-Z]{4}|\b[A-Z] [A-Z]\b|[|\[]|\.\.|spooky|my_game|--resume$|--folder$|"
    r"own tree|the same of|\bmy\.jsonl"
)
LONG = re.compile(
    r"\btrain\b|^mcp\b|exploit (?:bidding|minions|risk|roborally)|--table-bits|arena run pig|"
    r"all-baselines --time (0\.1|0\.2,1)\b"
)
BARE = {
    "engines",
    "review",
    "equilibrium",
    "exploit",
    "store check",
    "arena sprt",
    "draft import",
    "draft league",
    "blotto solve",
    "roborally number",
    "contest",
}
EXPORTS = {  # as a site writes them, of the players of the sample table
    "RANKINGS.csv": ("RK,PLAYER NAME,POS,BYE WEEK", "{rank},{name},{position},{bye}"),
    "PROJECTIONS.csv": ("Player,Team,POS,FPTS", "{name},{team},{position},{points}"),
    "ADP.csv": ("Rank,Player,POS,AVG", "{rank},{name},{position},{adp}"),
}
TYPED = {"past.csv": "5,3,2\n2,2,6\n5,3,2\n", "class.csv": "Ada,1,2,3,4\nBo,4,3,2,1\nCy,0,0,5,5\n"}
# What stands for itself: an argument in brackets, and files of the reader's own, which the test provides or which are written.
ITSELF = re.compile(rf"'\[[^']*\]'|\b(?:{'|'.join([*EXPORTS, *TYPED, 'PLAYERS.csv'])})\b".replace(".csv", r"\.csv"))


def commands(page):
    """The commands on a page: whole lines of its blocks, and what stands between backquotes in its sentences."""
    text = page.read_text()
    fenced = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)
    plain = "".join(block for language, block in fenced.findall(text) if not language)
    shown = re.findall(r"^(?:\$ )?stratagem (\S.*?)(?:\s{2,}.*)?$", plain, re.M)
    return [*shown, *re.findall(r"`stratagem ([^`\n]+)`", fenced.sub("", text))]


README, START = ROOT / "README.md", ROOT / "docs" / "start.md"
PRINTED = sorted({command for page in PAGES for command in commands(page)})
WHOLE = [c for c in PRINTED if not PLACEHOLDER.search(ITSELF.sub("", c)) and c not in BARE]
SERVED = [c for c in WHOLE if re.search(r"\bserve\b", c)]
RUNNABLE = [c for c in WHOLE if c not in SERVED and not LONG.search(c)]
FIRST = [c for c in dict.fromkeys([*commands(README), *commands(START)]) if c in {*RUNNABLE, *SERVED}]


def test_there_are_commands_to_run():
    assert len(RUNNABLE) > 100 and "solve nim 3,4,5 --json" in RUNNABLE


def flags_of(words):
    """The flags that the command line knows for the words of a command, those of its game included."""
    node, rest = typer.main.get_command(cli.app), list(words)
    while rest and hasattr(node, "get_command"):
        found = node.get_command(None, rest[0])
        assert found is not None or words[0] == "train", words  # `train GAME` is `train network GAME`
        node = node.get_command(None, "network") if found is None else found
        del rest[:1]
    own = {flag for option in node.params for flag in (*option.opts, *option.secondary_opts)} | {"--help"}
    named = next((word for word in rest if not word.startswith("-")), "").split("/")[0]
    if words[0] in cli.GAME_COMMANDS or words[:2] == ["arena", "run"]:
        classes = [game_class(named)] if named in game_names() else [game_class(name) for name in game_names()]
        own |= {f"--{option.name.replace('_', '-')}" for of in classes for option in of.options}
    return own


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_printed_commands_and_their_flags_are_known(page):
    """Those too that only stand for a form, such as `solve GAME [POSITION]`, or that take too long to be run."""
    for command in commands(page):
        words = [word.strip("[]\"'") for word in re.split(r"\s+", re.split(r" [<>] ", command)[0])]
        if len(words) > 1 and "|" in words[1]:
            ways = [[words[0], way, *words[2:]] for way in words[1].split("|")]
        else:
            ways = [words]
        for way in ways:
            flags = {word.partition("=")[0] for word in way if re.fullmatch(r"--[a-z][a-z-]*(=.*)?", word)}
            assert not (flags and flags - flags_of(way)), command


def test_printed_scripts_and_targets_are_there():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    for page in PAGES:
        text = page.read_text()
        for module in re.findall(r"python3? -m (benchmarks[\w.]*)", text):
            path = ROOT / module.removesuffix(".NAME").replace(".", "/")
            assert path.is_dir() or path.with_suffix(".py").exists(), (page, module)
        assert set(re.findall(r"`make ([a-z-]+)`", text)) <= targets, page


def first_uses():
    spec = importlib.util.spec_from_file_location("bench_first_use", ROOT / "benchmarks" / "bench_first_use.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return {use.page for use in module.README}, {use.page for use in module.FIRST_STEPS}


def test_every_command_of_the_readme_and_of_the_first_steps_can_be_typed_as_it_is_and_is_timed_from_an_empty_cache():
    readme, first_steps = first_uses()
    assert len(readme) > 10 and set(commands(README)) == readme
    assert len(readme | first_steps) > 30 and first_steps <= set(commands(START))
    assert readme | first_steps <= {*RUNNABLE, *SERVED}


@pytest.fixture(scope="module")
def somewhere(tmp_path_factory):
    """A folder as a reader has it: the examples and a reader's files, games kept apart from other tests'."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "examples").symlink_to(ROOT / "examples")
    sample = list(csv.DictReader(SAMPLE.read_text().splitlines()))
    for name, (head, line) in EXPORTS.items():
        lines = [line.format(rank=k, **player) for k, player in enumerate(sample, 1)]
        (folder / name).write_text("\n".join([head, *lines, ""]))
    for name, text in TYPED.items():
        (folder / name).write_text(text)
    return folder


def as_a_reader(folder):
    return {**os.environ, "STRATAGEM_STORE": str(folder / "store"), "XDG_DATA_HOME": str(folder)}


def run_printed(command, folder, **more):
    if "openspiel:" in command:
        pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (pip install 'stratagem[neighbours]')")
    found = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m stratagem {command}"], cwd=folder, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=600, env={**as_a_reader(folder), **more},
    )  # fmt: skip
    assert found.returncode == 0, f"{command}: {found.stderr}"
    assert found.stdout or ">" in command or "--out" in command


def serve_printed(command, folder, **more):
    """A server starts, says where it is, and ends at Ctrl-C."""
    if "openspiel:" in command:
        pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (pip install 'stratagem[neighbours]')")
    quiet = " --no-open --port 0" + ("" if command.startswith("draft") else " --no-warm")
    words = shlex.split(f"{sys.executable} -m stratagem {command}{quiet}")
    environment = {**as_a_reader(folder), "PYTHONUNBUFFERED": "1", **more}
    server = subprocess.Popen(words, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    with server:
        said = next((line for line in server.stdout if "http://127.0.0.1:" in line), "")
        try:
            with urlopen(re.search(r"http://[^ ;,)#]+", said)[0], timeout=200) as page:
                assert page.status == 200
        finally:
            server.send_signal(signal.SIGINT)
    assert server.returncode in (0, 130), command


CHEAP = (
    "version",
    "solve nim",
    "risk odds",
    "roborally number",
    "blotto lotto",
    "arena sprt",
    "play nim",
    "solve tictactoe",
    "trace --tree",
    "blotto respond",
    "blotto tournament",
    "draft import",
)


@pytest.mark.parametrize("command", [c for c in RUNNABLE if c.startswith(CHEAP)])
def test_a_printed_command_does_as_it_says(command, somewhere):
    run_printed(command, somewhere)


@pytest.mark.slow
def test_every_command_of_the_readme_and_of_the_first_steps_runs_as_printed_from_an_empty_cache(somewhere, tmp_path):
    for command in FIRST:
        (serve_printed if command in SERVED else run_printed)(command, somewhere, STRATAGEM_CACHE=str(tmp_path))


IN_ORDER = (
    "demo",
    "strategy.txt",
    "games.sqlite",
    "(?:PLAYERS|league).(?:csv|toml)",
)  # commands that need another's match or file
WRITES = ("run", "--find", "--out", "draft league ")  # what those contain that write it
ELSEWHERE = [c for c in RUNNABLE if not c.startswith(CHEAP) and c not in FIRST]


@pytest.mark.slow
@pytest.mark.parametrize("command", [c for c in ELSEWHERE if not re.search("|".join(IN_ORDER), c)])
def test_every_printed_command_runs(command, somewhere):
    run_printed(command, somewhere)


@pytest.mark.slow
@pytest.mark.parametrize("command", [c for c in SERVED if c not in FIRST and not re.search("|".join(IN_ORDER), c)])
def test_every_printed_server_starts(command, somewhere):
    serve_printed(command, somewhere)


@pytest.mark.slow
@pytest.mark.parametrize("word", IN_ORDER)
def test_printed_commands_run_one_after_another(word, somewhere):
    found = [c for c in (*RUNNABLE, *SERVED) if re.search(word, c)]
    for command in sorted(found, key=lambda c: not any(part in c for part in WRITES)):
        (serve_printed if command in SERVED else run_printed)(command, somewhere)
