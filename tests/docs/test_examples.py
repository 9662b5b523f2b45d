"""The README's code and the tutorial's game run as they are printed."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import stratagem
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


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda p: p.stem)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:\s]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize(
    "page",
    [
        "games/blotto",
        "games/minions",
        "puzzles",
        pytest.param("search/attack", marks=pytest.mark.slow),  # it compiles the attack stage
        "search/drafts",
        "search/equilibrium",
        "search/staged",
        "stages-for-your-own-game",
    ],
)
def test_the_pages_code_runs(page, tmp_path):
    file = tmp_path / "page.py"
    file.write_text("".join(blocks(f"docs/{page}.md")))
    found = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert found.stdout


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
    r"[A-Z]{4}|\b[A-Z] [A-Z]\b|[|\[]|\.\.|spooky|players\.csv|past\.csv|class\.csv|my_game|--resume$|--folder$"
)
LONG = ("serve", "train", "--table-bits", "arena run pig", "all-rivals")
BARE = {
    "engines",
    "store check",
    "arena sprt",
    "draft import",
    "blotto solve",
    "roborally number",
    "contest",
}  # named in a sentence: alone they lack their arguments


def commands(page):
    """The commands on a page: whole lines of its blocks, and what stands between backquotes in its sentences."""
    text = page.read_text()
    fenced = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)
    plain = "".join(block for language, block in fenced.findall(text) if not language)
    shown = re.findall(r"^(?:\$ )?stratagem (\S.*?)(?:\s{2,}.*)?$", plain, re.M)
    return [*shown, *re.findall(r"`stratagem ([^`\n]+)`", fenced.sub("", text))]


PRINTED = sorted(
    {command for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")) for command in commands(page)}
)
RUNNABLE = [c for c in PRINTED if not PLACEHOLDER.search(c) and c not in BARE and not any(word in c for word in LONG)]


def first_uses():
    spec = importlib.util.spec_from_file_location("bench_first_use", ROOT / "benchmarks" / "bench_first_use.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.README


def test_every_command_of_the_readme_is_run_here_and_timed_from_an_empty_cache():
    """What takes a reader's own file, never ends or takes minutes is run in another form, or timed to its first answer only."""
    printed = commands(ROOT / "README.md")
    timed = {use.page for use in first_uses()}
    assert len(printed) > 30 and set(printed) == timed
    unlike = {
        "games GAME",
        "minions attacks STATE --remove e5,d4",
        "serve",
        "draft serve",
        "arena run asmacag/all-rivals --time 0.2,1",
    }
    assert {c for c in printed if c not in RUNNABLE} == unlike


def test_there_are_commands_to_run():
    assert len(RUNNABLE) > 40 and "solve nim 3,4,5 --json" in RUNNABLE


@pytest.fixture(scope="module")
def somewhere(tmp_path_factory):
    """A folder as a reader has it: the examples beside, games kept apart from other tests'."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "examples").symlink_to(ROOT / "examples")
    return folder


def run_printed(command, folder):
    if "openspiel:" in command:
        pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (pip install 'stratagem[neighbours]')")
    environment = {**os.environ, "STRATAGEM_STORE": str(folder / "store"), "XDG_DATA_HOME": str(folder)}
    found = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m stratagem {command}"], cwd=folder, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=280, env=environment,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert found.stdout or ">" in command or "--out" in command


CHEAP = (
    "version",
    "solve nim",
    "risk odds",
    "roborally number",
    "blotto lotto",
    "arena sprt",
    "play nim",
    "solve tictactoe",
)


@pytest.mark.parametrize("command", [c for c in RUNNABLE if c.startswith(CHEAP)])
def test_a_printed_command_does_as_it_says(command, somewhere):
    run_printed(command, somewhere)


@pytest.mark.slow
@pytest.mark.parametrize("use", [use for use in first_uses() if use.printed and "serve" not in use.page], ids=str)
def test_what_the_readme_prints_for_something_of_the_readers_own_runs(use, somewhere):
    run_printed(use.command, somewhere)


IN_ORDER = ("demo", "strategy.txt", "games.sqlite")  # commands that need another's match or file


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [c for c in RUNNABLE if not c.startswith(CHEAP) and not any(word in c for word in IN_ORDER)]
)
def test_every_printed_command_runs(command, somewhere):
    run_printed(command, somewhere)


@pytest.mark.slow
@pytest.mark.parametrize("word", IN_ORDER)
def test_printed_commands_run_one_after_another(word, somewhere):
    for command in sorted((c for c in RUNNABLE if word in c), key=lambda c: "run" not in c and "--find" not in c):
        run_printed(command, somewhere)
