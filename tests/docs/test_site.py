"""The site has a place for every page and every public name; `make docs` builds it."""

import inspect
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import stratagem
from stratagem import equilibrium, testing
from stratagem.arena import exploit

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def test_every_page_stands_once_in_the_sections_of_the_site():
    beside = {"contributing.md", "changelog.md"}  # added by docs/site_pages.py
    named = re.findall(r"(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M)
    assert sorted(named) == sorted({str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")} | beside)


@pytest.mark.parametrize("page", sorted((DOCS / "search").glob("*.md")), ids=lambda page: page.stem)
def test_every_page_of_a_search_has_a_picture_drawn_by_the_program(page):
    shown = re.findall(r"!\[[^]]+\]\((\S+\.svg)\)", page.read_text())
    assert shown and all((page.parent / name).exists() for name in shown)


@pytest.mark.parametrize(("module", "within"), [(stratagem, "stratagem."), (equilibrium, "stratagem.equilibrium.")])
def test_the_reference_has_every_public_name(module, within):
    text = "".join(page.read_text() for page in (DOCS / "reference").glob("*.md"))
    shown = {name.removeprefix(within) for name in re.findall(r"^::: (\S+)$", text, re.M)}
    shown |= set(re.findall(r"`([A-Z_a-z]+)`", text))  # constants and types, in a table
    assert set(module.__all__) - shown <= {"__version__"}


KERNELS = {stratagem.below, stratagem.unit}  # one line, with shapes in their names
PUBLIC = [
    *(getattr(module, name) for module in (stratagem, equilibrium) for name in module.__all__),
    *(exploit.exploit, exploit.opponents_of, testing.conform),
]


@pytest.mark.parametrize(
    "function", [f for f in PUBLIC if inspect.isfunction(f) and f not in KERNELS], ids=lambda f: f.__name__
)
def test_help_on_a_public_function_says_what_it_returns_and_every_argument(function):
    lines = inspect.getdoc(function).splitlines()
    assert lines[0].startswith(("Return", "Yield", "Make", "Find", "Check", "Solve")) and lines[0].endswith(".")
    named = {line.partition(":")[0].strip(" *") for line in lines if line.startswith("    ")}
    assert set(inspect.signature(function).parameters) <= named


METHODS = {
    f"{kind.__name__}.{name}": member
    for module in (stratagem, equilibrium)
    for kind in map(vars(module).get, module.__all__)
    if inspect.isclass(kind) and kind.__module__.startswith("stratagem.")
    for name, member in inspect.getmembers_static(kind)
    if not name.startswith("_") and name in vars(kind)
}


def test_help_on_a_method_of_a_public_class_says_its_arguments():
    bare = []
    for name, member in METHODS.items():
        function = getattr(member, "__func__", None) or getattr(member, "fget", None) or getattr(member, "func", member)
        if inspect.isfunction(function):
            text = function.__doc__ or ""
            named = {line.partition(":")[0].strip(" *") for line in text.splitlines()}
            if not text or set(inspect.signature(function).parameters) - named - {"self", "cls"}:
                bare.append(name)
    assert not bare


def test_long_sentences_and_lines_of_a_page_are_counted_but_not_those_of_code_and_tables():
    measure = runpy.run_path(str(DOCS / "site_language.py"))["measure"]
    table, code = "| a " + "word " * 50 + "|", "```\n" + "word " * 50 + "\n```"
    page = f"# Title\n\nTwo words. {'word ' * 39}end.\n\n{table}\n\n{code}\n"
    assert measure(page) == (21.0, 40, 1, 1)


def test_the_warning_ends_quietly_when_its_reader_has_seen_enough():
    command = f"{sys.executable} {DOCS / 'site_language.py'} --all | head -1"
    found = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=60)
    assert (found.returncode, found.stderr, found.stdout.count("\n")) == (0, "", 1)
