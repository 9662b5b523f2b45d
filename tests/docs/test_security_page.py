"""The page about security: each line names a test that there is."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "security.md"


def test_every_test_that_the_page_names_is_there() -> None:
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE.read_text())
    assert len(named) > 25
    missing = [f"{file}::{name}" for file, name in named if f"def {name}(" not in (TESTS / file).read_text()]
    assert not missing
    rows = [row for row in PAGE.read_text().splitlines() if row.startswith("| cannot")]
    assert all("::" in row for row in rows), "what cannot be done is tested"
