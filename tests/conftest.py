"""For all tests: children take over an ignored interrupt, as a job in the background has, and could not be stopped."""

import signal
from collections.abc import Iterator

import pytest
from postgres import Server, missing

signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server of PostgreSQL for these tests; they are skipped, with a line, where there is none."""
    if why := missing():
        pytest.skip(why)
    server = Server()
    yield server
    server.close()


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """PyTorch with one thread: threads that wait for one another take longer than the small work of tests."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
