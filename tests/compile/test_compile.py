"""The compiler of templates: nothing stale, nothing shared by mistake, and it works where the cache does not."""

import os
import random
import subprocess
import sys
import textwrap
import types
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import stratagem
from stratagem.bits import popcount
from stratagem.compile import Bound, intrinsics, specialise
from stratagem.compile import specialiser as compiling
from stratagem.errors import CompileError, MissingKernel
from stratagem.hints import index, nth, rare
from stratagem.kernel import SIZE, count

HELPER = """
OFFSET = {offset}

def helper(x):
    return x + OFFSET
"""
TEMPLATE = """
from helper import helper

def template(x):
    return helper(x) * FACTOR

FACTOR = 0
"""
RUN = """
import sys
from stratagem.compile import specialise
from template import template
run = specialise(template, {"FACTOR": int(sys.argv[1])})
print(run(10), len(run.dispatcher.stats.cache_hits), len(run.dispatcher.stats.cache_misses))
"""


@pytest.fixture
def project(tmp_path):
    """A template and its helper in files of their own, and a way to run them in a fresh process."""
    (tmp_path / "helper.py").write_text(HELPER.format(offset=1))
    (tmp_path / "template.py").write_text(TEMPLATE)
    (tmp_path / "run.py").write_text(RUN)

    def run(factor, cache=None):
        environment = {
            **os.environ,
            "STRATAGEM_CACHE": str(cache or tmp_path / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        found = subprocess.run(
            [sys.executable, str(tmp_path / "run.py"), str(factor)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert found.returncode == 0, found.stderr
        return found.stdout.split(), found.stderr

    run.folder = tmp_path
    return run


def test_an_edited_callee_is_seen_and_nothing_stale_is_loaded(project):
    assert project(3)[0] == ["33", "0", "1"]
    assert project(3)[0] == ["33", "1", "0"]  # from the disk cache
    (project.folder / "helper.py").write_text(HELPER.format(offset=5))
    assert project(3)[0] == ["45", "0", "1"]
    (project.folder / "helper.py").write_text(HELPER.format(offset=5).replace("x +", "2 * x +"))
    assert project(3)[0] == ["75", "0", "1"]


def test_two_constants_on_one_template_do_not_collide(project):
    assert project(3)[0][0] == "33"
    assert project(4)[0][0] == "44"
    assert project(3)[0] == ["33", "1", "0"]


def test_of_several_processes_at_once_one_compiles_and_the_others_load(project):
    with ThreadPoolExecutor(3) as pool:
        found = [out for out, _ in pool.map(project, (7, 7, 7))]
    assert sorted(found) == [["77", "0", "1"], ["77", "1", "0"], ["77", "1", "0"]]


def test_where_files_cannot_be_locked_each_process_compiles(project):
    run = project.folder / "run.py"
    run.write_text("from stratagem.compile import service\nservice.fcntl = None\n" + RUN)
    assert [project(7)[0] for _ in range(2)] == [["77", "0", "1"], ["77", "1", "0"]]


def test_a_missing_cache_folder_is_made_for_its_owner_only(project):
    folder = project.folder / "deep" / "cache"
    assert project(3, folder)[0][0] == "33"
    assert folder.stat().st_mode & 0o077 == 0


def test_an_unusable_cache_folder_is_said_and_not_needed(project):
    (project.folder / "file").write_text("in the way")
    out, err = project(3, project.folder / "file" / "cache")
    assert out[0] == "33"
    assert "compiling for this run only" in err


def test_a_folder_that_others_can_write_to_is_not_used(project):
    folder = project.folder / "open"
    folder.mkdir()
    folder.chmod(0o777)
    out, err = project(3, folder)
    assert out[0] == "33"
    assert "others than its owner" in err
    assert not list(folder.iterdir())


def test_two_games_on_one_template_in_one_process():
    def sizes(game):
        return specialise(size_template, game.names)(game.g, np.zeros(game.size, np.int64))

    nim = stratagem.game("nim")
    state = nim.start().state
    assert sizes(stratagem.game("tictactoe")) == 3 * 1000 + 9
    assert sizes(stratagem.game("connect4")) == 3 * 1000 + 7
    assert specialise(size_template, nim.names)(nim.g, state) == 5 * 1000 + 12


def size_template(g, s):
    return SIZE * 1000 + count(g, s, 0)


def test_specialisation_nests():
    inner = Bound(double, {"STEP": 3})
    for target in ("python", "cpu"):
        run = specialise(outer, {"inner": inner, "STEP": 100}, target=target)
        assert run(1) == (1 * 2 + 3) + 100


def double(x):
    return 2 * x + STEP


def outer(x):
    return inner(x) + STEP


STEP = 0
inner = None


FACTOR = 2


def times(x):
    return x * FACTOR


RULES = types.ModuleType("rules")
vars(RULES).update(times=times, FACTOR=FACTOR)


def scaled(x):
    return RULES.times(x) + RULES.FACTOR


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_names_read_from_a_module_are_bound_too(target):
    assert specialise(scaled, {"FACTOR": 10}, target=target)(3) == 40
    assert specialise(scaled, target=target)(3) == 8


def test_a_missing_kernel_is_named():
    with pytest.raises(MissingKernel, match="count"):
        specialise(size_template, {"SIZE": 3})
    with pytest.raises(MissingKernel, match="SIZE"):
        specialise(size_template, {"count": double})


@pytest.mark.parametrize("of_module", [False, True])
def test_what_a_constant_rules_out_is_not_looked_at(of_module):
    template = choosy_by_module if of_module else choosy
    run = specialise(template, {"USE": False})
    assert run(3) == 3
    with pytest.raises(CompileError, match="nowhere"):
        specialise(template, {"USE": True})


def choosy(x):
    if USE:
        return nowhere(x)  # noqa: F821
    return x


def choosy_by_module(x):
    if RULES.USE:
        return nowhere(x)  # noqa: F821
    return x


USE = RULES.USE = True


def test_closures_and_large_tables_are_refused():
    y = 3
    with pytest.raises(CompileError, match="closure"):
        specialise(lambda x: x + y)
    with pytest.raises(CompileError, match="ground"):
        specialise(outer, {"inner": double, "STEP": np.zeros(5000, np.int64)})


def test_bounds_are_checked_in_the_test_build(monkeypatch):
    monkeypatch.setenv("STRATAGEM_BOUNDSCHECK", "1")
    with pytest.raises(IndexError):
        specialise(reads_past_the_end)(np.zeros(2, np.int64))


def reads_past_the_end(x):
    return x[5]


def test_kernels_run_within_bounds(monkeypatch):
    """The searches of two games in the build that checks every index."""
    from stratagem.search.alphabeta.deepening import AlphaBeta

    monkeypatch.setenv("STRATAGEM_BOUNDSCHECK", "1")
    for name, depth in (("connect4", 7), ("nim", 8)):
        game = stratagem.game(name)
        assert AlphaBeta(game, table_bits=8).search(game.start(), depth).nodes > 0


def test_nothing_compiles_at_import_and_import_is_light():
    code = "import sys, stratagem, stratagem.registry; print('numba' in sys.modules, 'scipy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert found.stdout.split() == ["False", "False"]


def test_the_cuda_target_on_the_simulator():
    code = """
        import numpy as np
        from numba import cuda
        import stratagem
        from stratagem.compile import specialise
        from stratagem.kernel import OVER, play, sample, turn, payoff
        from stratagem.rng import seed_stream

        game = stratagem.game("connect4")
        from cuda_playouts import playouts
        run = specialise(playouts, {**game.names, "cuda": cuda}, target="cuda")
        results = np.zeros(8)
        run[2, 4](cuda.to_device(game.g), game.start().state.copy(), 7, results)
        cpu = []
        for i in range(8):
            s, r, out = game.start().state.copy(), np.zeros(2, np.int64), np.zeros(2)
            with np.errstate(over="ignore"):
                seed_stream(r, 7, i)
            while game.run("turn", game.g, s) != OVER:
                p = game.run("turn", game.g, s)
                game.run("play", game.g, s, p, game.run("sample", game.g, s, p, r))
            game.run("payoff", game.g, s, out)
            cpu.append(out[0])
        assert results.tolist() == cpu, (results, cpu)
        print("same", len(set(cpu)))
    """
    here = os.path.join(os.path.dirname(__file__), os.pardir, "search", "sampling")
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": here}
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.split()[0] == "same"


def pick_template(sets: Any, out: Any) -> int:
    """Every member of every set in turn, by `nth`; the highest of all, which is rare, as 0."""
    n = 0
    for i in range(sets.shape[0]):
        for k in range(popcount(sets[i])):
            out[n] = nth(sets[i], k)
            if rare(out[index(n)] < 0):
                out[n] = 0
            n += 1
    return n


@pytest.mark.parametrize("has_it", [True, False])
def test_hints_and_single_instructions_mean_what_their_plain_forms_say(has_it, monkeypatch):
    monkeypatch.setattr(intrinsics, "available", lambda name: has_it)
    rng = random.Random(5)
    words = [rng.getrandbits(64) & rng.getrandbits(64) for _ in range(200)] + [0, 1, 1 << 63, (1 << 64) - 1]
    sets = np.array(words, np.uint64).view(np.int64)
    found = []
    for target in ("python", "cpu"):
        out = np.zeros(64 * len(words), np.int64)
        n = specialise(pick_template, {"has_it": has_it}, target=target)(sets, out)
        found.append(out[:n].tolist())
    plain = [1 << c if c < 63 else 0 for word in words for c in range(64) if word >> c & 1]
    assert found[0] == found[1] == plain


def roots(x):
    return np.sqrt(np.log(x)) + np.floor(x)


def test_for_a_gpu_roots_and_logarithms_come_from_math():
    """Releases of the CUDA target know no NumPy function of a number; on the CPU the text stays as it was written."""
    module = compiling._Module("cuda")
    entry = module.function(compiling._Scope(roots, {}))
    text = module.text(entry, "cuda", "", frozenset())
    assert "math.sqrt(math.log(x)) + np.floor(x)" in text and "import math as math" in text
    plain = compiling._Module("cpu")
    assert "np.sqrt(np.log(x))" in plain.text(plain.function(compiling._Scope(roots, {})), "cpu", "", frozenset())


def test_a_cuda_target_that_cannot_be_loaded_is_one_line(monkeypatch):
    import numba

    monkeypatch.delattr(numba, "cuda", raising=False)
    monkeypatch.setitem(sys.modules, "numba.cuda", None)
    with pytest.raises(CompileError, match=r"Numba's CUDA target cannot be loaded \(.*Error: "):
        compiling.cuda_target()
