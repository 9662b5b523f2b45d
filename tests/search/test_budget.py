"""The budget of a search: slices and reports, the clock, threads, and what stops them."""

import gc
import os
import signal
import threading
import time
import weakref
from types import SimpleNamespace

import pytest

from stratagem import Clock, OptionError
from stratagem.search import budget as budgets
from stratagem.search.budget import FIRST_SLICE, MOMENT, Budget, collect_when_due, uncollected


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still unless it is set forward: the machine that runs a test may be busy."""
    found = SimpleNamespace(now=100.0)
    monkeypatch.setattr(budgets, "time", SimpleNamespace(perf_counter=lambda: found.now))
    return found


class Counter:
    """Work that notes what it was asked for and reads the flag like a compiled loop; a unit may take a while."""

    def __init__(self, budget, each=0.0, ends_after=None):
        self.budget, self.each, self.ends_after = budget, each, ends_after
        self.asked, self.threads, self.done = [], set(), 0

    def __call__(self, at_least, at_most):
        self.asked.append((at_least, at_most))
        self.threads.add(threading.current_thread())
        new = 0
        while new < at_most and (new < at_least or not self.budget.stopped):
            if self.done == self.ends_after:
                break
            new += 1
            self.done += 1
            if self.each:
                time.sleep(self.each)
        return new


def test_a_budget_of_work_is_spent_to_the_unit():
    for most in (1, 63, 64, 65, 1000):
        for report in (None, lambda: None):
            budget = Budget(work=most, report=report)
            work = Counter(budget)
            assert budget.spend(work) == work.done == most


def test_without_reports_there_is_one_slice():
    budget = Budget(work=1000)
    work = Counter(budget)
    budget.spend(work, at_least=7)
    assert work.asked == [(7, 1000)]


def test_reports_come_between_slices_that_grow(clock):
    budget, reported = Budget(work=1000), []
    budget.report = lambda: reported.append(work.done)
    work = Counter(budget)
    budget.spend(work)
    assert work.asked[0] == (0, FIRST_SLICE)
    assert reported == [64, 192, 448, 960, 1000]  # a unit costs nothing here, so each slice is twice the last


def test_slices_stay_short_where_units_are_long():
    budget, reported = Budget(work=200, report=lambda: reported.append(time.perf_counter())), []
    budget.spend(Counter(budget, each=0.004))
    assert len(reported) == 4  # of 64 units, the fewest: a quarter of a second is no more than that


def test_work_that_has_nothing_left_to_find_ends_the_search():
    budget = Budget(work=10_000, report=lambda: None)
    assert budget.spend(Counter(budget, ends_after=100)) == 100


def test_no_time_at_all_does_the_least():
    for report in (None, lambda: None):
        budget = Budget(0.0, report=report)
        assert budget.spend(Counter(budget), at_least=9) == 9


def test_the_clock_ends_work_that_reads_no_flag_between_slices():
    """Like a GPU's launches: all that was asked for is done, so the first slice is given, and the next ones fit the clock."""
    budget, asked = Budget(0.1), []

    def launch(at_least, at_most):
        asked.append(at_most)
        time.sleep(at_most * 1e-5)
        return at_most

    done = budget.spend(launch, first=1000)
    assert 0.1 <= budget.elapsed < 10.0
    assert done == sum(asked)
    assert asked[0] == 1000 and len(asked) > 2
    assert budget.stopped


def test_a_search_needs_a_limit_of_one_kind_or_the_other():
    with pytest.raises(OptionError, match="a search needs a budget: give simulations, or a clock with seconds"):
        Budget.of(Clock(None), None)
    assert Budget.of(Clock(2.0), None).seconds == 2.0
    assert Budget.of(None, 5).work == 5


def test_what_is_paused_does_not_count(clock):
    budget = Budget(10.0)
    clock.now += 1.0
    with budget.paused():
        clock.now += 4.0
    clock.now += 2.0
    assert (budget.elapsed, budget.left, budget.idle) == (3.0, 7.0, 4.0)


def test_work_that_is_over_in_a_moment_runs_here(clock):
    budget = Budget()
    work = Counter(budget)
    assert budget.run_slice(work, 0, 200) == 200
    assert work.threads == {threading.current_thread()}


def test_long_work_runs_in_a_thread_after_a_taste_of_it():
    budget = Budget()
    work = Counter(budget, each=MOMENT / 10)
    assert budget.run_slice(work, 0, 60) == work.done == 60
    assert len(work.threads) == 2


def test_a_slice_ends_where_its_work_does():
    budget = Budget()
    for ends_after in (0, 1, 20, 50):
        assert budget.run_slice(Counter(budget, ends_after=ends_after), 0, 10_000) == ends_after


def test_works_run_at_once_and_the_first_error_is_raised():
    budget, meet = Budget(), threading.Barrier(3, timeout=20)
    assert sorted(budget.run_together([meet.wait] * 3)) == [0, 1, 2]  # nobody passes before all are there

    def fail():
        raise ValueError("in a thread")

    with pytest.raises(ValueError, match="in a thread"):
        budget.run_together([lambda: 1, fail])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    assert Budget().run(lambda: 1) == 1  # the threads of this process are there
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # where nobody does the work, this ends the wait
        os._exit(Budget().run(lambda: 7))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_an_interrupt_ends_the_work_and_keeps_what_is_done():
    budget = Budget(work=100_000)
    work = Counter(budget, each=0.001)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    done = budget.spend(lambda at_least, at_most: budget.run(work, at_least, at_most))
    assert 1 < done == work.done < 100_000
    assert budget.interrupted and budget.stopped


def test_an_interrupt_while_the_work_is_handed_over_keeps_what_is_done(monkeypatch):
    class Slow:
        """A pool that comes back only after the work has begun and Ctrl-C was pressed."""

        def submit(self, work, *args):
            future = workers.submit(work, *args)
            os.kill(os.getpid(), signal.SIGINT)
            return future

    workers = budgets._workers()
    monkeypatch.setattr(budgets, "_workers", Slow)
    budget = Budget(work=100_000)
    work = Counter(budget, each=0.001)
    assert budget.run(work, 1, 100_000) == work.done < 100_000
    assert budget.interrupted and budget.stopped


def test_an_interrupt_waits_for_the_least():
    budget = Budget()
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    assert budget.run(Counter(budget, each=0.001), 1000, 10_000) == 1000
    assert budget.interrupted


def test_no_garbage_is_collected_while_a_search_has_a_clock():
    assert gc.isenabled()
    with uncollected():
        assert not gc.isenabled()
        with uncollected():  # another search of the same process
            assert not gc.isenabled()
        assert not gc.isenabled()
        made = [[] for _ in range(5000)]
    assert gc.isenabled()
    assert gc.get_count()[0] < 1000  # what was made meanwhile is not gone through the moment it ends
    assert len(made) == 5000
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()  # it stays off where somebody else has turned it off
    finally:
        gc.enable()


def test_searches_that_are_dropped_leave_no_garbage_behind(monkeypatch):
    """Under a clock Python is kept from collecting, and trees hold themselves: what was dropped goes at the next moment with
    time, not never."""

    class Tree:
        def __init__(self):
            self.root, self.leaves = self, [[k] for k in range(5000)]

    monkeypatch.setattr(budgets, "GROWN", 1.0)
    monkeypatch.setattr(budgets, "GROWN_BY", 20_000)
    monkeypatch.setattr(budgets._Collected, "took", 0.01)
    monkeypatch.setattr(budgets._Collected, "held", 10**9)  # the process held far more once
    alive = weakref.WeakSet()
    collect_when_due()
    for _ in range(20):
        with uncollected():
            alive.add(Tree())
        collect_when_due(0.001)  # no time for it
    assert len(alive) == 20
    collect_when_due(100.0)
    assert len(alive) == 0
