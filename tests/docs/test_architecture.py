"""The layout on the architecture page is the real one."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "stratagem"


def shown():
    """The paths that the page's tree names, folders with a slash at their end."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    tree = re.search(r"^src/stratagem/\n(.*?)^```", text, re.S | re.M).group(1)
    found, folders = set(), []
    for line in tree.splitlines():
        indent, name = re.match(r"( +)(\S+)", line).groups()
        depth = len(indent) // 2 - 1
        folders[depth:] = [name]
        found.add("".join(folders))
    return found


def test_every_module_and_folder_of_the_package_is_shown_and_no_other():
    modules = {path.name for path in PACKAGE.glob("[a-z]*.py")}
    folders = {f"{path.name}/" for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert {name for name in shown() if "/" not in name.rstrip("/")} == modules | folders


def test_every_room_of_search_is_shown_and_no_other():
    rooms = {f"search/{path.name}/" for path in (PACKAGE / "search").iterdir() if (path / "__init__.py").exists()}
    assert {name for name in shown() if name.startswith("search/") and name != "search/"} == rooms


def test_folders_with_more_than_a_dozen_modules_have_rooms():
    for folder in (PACKAGE / "search", PACKAGE / "plans", PACKAGE / "contract"):
        assert len(list(folder.glob("[a-z]*.py"))) <= 12, folder
