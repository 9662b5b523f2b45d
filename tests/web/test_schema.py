"""The API against its own description: Schemathesis makes requests from it, good and bad, and looks for broken answers."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from stratagem.store.sqlite import Store
from stratagem.web.app import create_app
from stratagem.web.guard import Limits

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory):
    path = tmp_path_factory.mktemp("schema") / "games.sqlite"
    with Store(path) as store:
        app = create_app(store, limits=Limits(rate=1e6, burst=10**6, seconds=0.05), names=["*"])
        yield schemathesis.openapi.from_asgi("/api/openapi.json", app)
        app.app.state.pool.close()


def excused(path: str) -> bool:
    """Streams last as long as their table does; a client that cannot close them would wait for ever."""
    return path.endswith("/events")


@pytest.mark.parametrize("examples", [4, pytest.param(40, marks=pytest.mark.slow)])
def test_every_answer_is_as_described(schema: Any, examples: int) -> None:
    tried = []
    for found in schema.get_all_operations():
        operation = found.ok()
        if excused(operation.path):
            continue
        tried.append(operation.label)
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            with suppress(Unsatisfiable):

                @settings(max_examples=examples, deadline=None, database=None, derandomize=True,
                          suppress_health_check=list(HealthCheck))  # fmt: skip
                @given(case=operation.as_strategy(generation_mode=mode))
                def hold(case: Any) -> None:
                    case.call_and_validate(checks=CHECKS)

                hold()
    assert len(tried) >= 15, tried
