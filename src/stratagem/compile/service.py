"""The compile service: hands out functions, and knows which of them are compiled.

A `Function` is one template for one game and target. Its `state` is one of four: absent, being compiled (here or by another
process), ready, failed. Who has one calls it. It loads what the cache holds, or compiles, and says so where that takes long.
A `GradualFunction` is answered by the interpreter until compiling is worth while. `answer_now` is for answers that must not wait:
what is missing is compiled in a thread.
"""

from __future__ import annotations

import contextlib
import enum
import gc
import linecache
import math
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

from stratagem.compile.cache import (
    CODE,
    NothingKept,
    cache_folder,
    code_stem,
    expected_seconds,
    make_room,
    note_time,
    note_use,
    throw_away,
    usable_folder,
)
from stratagem.compile.notices import announced, say_once
from stratagem.compile.records import Record, by_fields, check_records
from stratagem.compile.shipped import shipped
from stratagem.errors import CompileError

PATIENCE = 1.0  # seconds in the interpreter before it is asked whether compiling pays
LOOK_AGAIN = 1.0  # seconds between two looks for code that another process may have compiled
SECONDS_A_STEP = 0.6e-6  # of an innermost loop, in the interpreter

# The versions of Numba whose private parts `inside_numba` was tested with: from the first up to, not including, the second.
TESTED = ((0, 65), (0, 69))


def inside_numba() -> Any:
    """The module of private parts, or None where this version of Numba is not one that it was tested with."""
    import numba

    version = tuple(int(part) for part in re.findall(r"\d+", numba.__version__)[:2])
    if not TESTED[0] <= version < TESTED[1]:
        return None
    from stratagem.compile import inside_numba as found

    return found


class State(enum.Enum):
    """What the service knows of a function."""

    ABSENT = "absent"
    COMPILING = "being compiled"
    READY = "ready"
    FAILED = "failed"


_listeners: list[Callable[[], None]] = []  # who does something before anything is compiled
_impatient = 0  # how many are under way who compile ahead
_building = False  # whether code is made that is to be shipped
_now = threading.local()  # what this thread wants: `interpreting`, and what `missing` is to be compiled besides

T = TypeVar("T")


class Unneeded(Exception):
    """Raised by one who listens `before_compiling`: what the compiled code was for is known already."""


class NotYet(Exception):
    """Raised inside `answer_now`: an answer would have to wait for a compiler."""


@contextlib.contextmanager
def before_compiling(do: Callable[[], None]) -> Iterator[None]:
    """Do something once, when something is about to be compiled that the cache does not hold: a first answer without it."""
    _listeners.append(do)
    try:
        yield
    finally:
        if do in _listeners:
            _listeners.remove(do)


@contextlib.contextmanager
def interpreting() -> Iterator[None]:
    """Meanwhile the interpreter answers in this thread whatever the cache does not hold: for answers that must come soon."""
    before, _now.interpreting = _interprets(), True
    try:
        yield
    finally:
        _now.interpreting = before


def _interprets() -> bool:
    return getattr(_now, "interpreting", False)


def answer_now(ask: Callable[[], T], otherwise: Callable[[], T] | None = None) -> T:
    """Return what `ask` returns; where it would wait for a compiler, what `otherwise` returns.

    A thread then compiles what was missing, for the next time. `otherwise` is run by the interpreter; without it, `ask` is."""
    before = _missing()
    missing: Missing = {}
    _now.missing = missing
    try:
        return ask()
    except NotYet:
        with interpreting():
            return (otherwise or ask)()
    finally:
        _now.missing = before
        if missing:
            threading.Thread(target=_compile_all, args=(missing,), daemon=True, name="compiler").start()


def _missing() -> Missing | None:
    """What this thread leaves to be compiled; None where it waits for the compiler itself."""
    found: Missing | None = getattr(_now, "missing", None)
    return found


def _compile_all(missing: Missing) -> None:
    for function, args in missing.items():
        with contextlib.suppress(CompileError):  # the next call says what is wrong
            function.prepare(*args)


@contextlib.contextmanager
def impatient() -> Iterator[None]:
    """Whatever is called is compiled, also what the interpreter would answer at first: for who compiles ahead."""
    global _impatient
    _impatient += 1
    try:
        yield
    finally:
        _impatient -= 1


@contextlib.contextmanager
def building() -> Iterator[None]:
    """Compile meanwhile for a package: with the same bytes whatever this process did before, and wherever its files lie.

    Numba counts what it compiles in a process, and the number is part of each name. So a copy of the process compiles each
    function, and the process itself only loads. Calling code has one thread."""
    global _building
    _building = True
    try:
        yield
    finally:
        _building = False


def is_building() -> bool:
    """Whether code is made that is to be shipped: no file's place may be in it."""
    return _building


def _in_a_copy(work: Callable[[], object]) -> None:
    """Do something in a copy of this process, and wait; only what it leaves on disk stays."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)  # an error comes again where the work is done next
    os.waitpid(child, 0)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Compiling makes a great many objects that stay: to look through them for garbage takes a tenth of its time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@contextlib.contextmanager
def _one_at_a_time(path: Path) -> Iterator[None]:
    """Of several processes that want the same compiled, one compiles it while the others wait, and load it then. A process that
    dies lets go of the lock; where files cannot be locked each process compiles for itself."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError):
            if fcntl is not None:
                file = held.enter_context(path.open("rb"))
                fcntl.flock(file, fcntl.LOCK_EX)
                held.callback(fcntl.flock, file, fcntl.LOCK_UN)  # closing does not suffice: a child may have it too
        yield


def _compiled_elsewhere(path: Path) -> bool:
    """Whether another process compiles a generated module now."""
    if fcntl is None:
        return False
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            fcntl.flock(file, fcntl.LOCK_UN)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


class Template:
    """How a template is called: which of its parameters are records."""

    def __init__(self, function: Callable[..., Any], records: Mapping[str, Record]) -> None:
        self.function, self.records = function, records

    def check(self, args: tuple[Any, ...]) -> None:
        check_records(self.function, self.records, args)

    def calling(self, run: Callable[..., Any]) -> Callable[..., Any]:
        return by_fields(self.function, self.records, run)


class Generated(Protocol):
    """A generated module, whose text is made when it is needed."""

    path: Path  # of the module in the cache folder

    @property
    def text(self) -> str: ...

    @property
    def entry(self) -> str:
        """The name of the template's function in it."""

    def bare(self) -> Any:
        """A dispatcher that can only load."""

    def whole(self) -> tuple[Any, bool]:
        """A dispatcher that can compile, and whether the module lies in the cache folder."""


class Function:
    """A template compiled for one game; called like the template. Its first call announces a compilation.

    Where its code is kept or shipped it is only loaded, and no text is made."""

    def __init__(self, generated: Generated, template: Template, label: str, *, plain: Callable[..., Any]) -> None:
        self.template = template
        self.plain = plain  # the same in the interpreter
        self.label = label
        self.generated = generated
        self._ready = False
        self._absent = -math.inf  # when the cache was last seen not to hold it
        self._failed: CompileError | None = None
        self._lock = threading.Lock()
        self._inside = inside_numba()
        self._whole = False  # whether it can be compiled
        self._stored = False  # whether the module lies in the cache folder, and compiled code may lie beside it
        self.dispatcher: Any = None
        self._run: Callable[..., Any]
        if self._inside is not None and self.kept:
            self._take(generated.bare())
        else:
            self._make_whole()

    @property
    def path(self) -> Path:
        """Of the generated module."""
        return self.generated.path

    def _take(self, dispatcher: Any) -> None:
        self.dispatcher, self._run = dispatcher, self.template.calling(dispatcher)

    def _make_whole(self) -> None:
        """Make the text, so that it can be compiled."""
        if self._whole:
            return
        dispatcher, self._stored = self.generated.whole()
        if self._stored and self._inside is None:
            dispatcher.enable_caching()
        elif self._stored:
            self._inside.keep(dispatcher, self.path)
        self._whole = True
        self._take(dispatcher)

    def __call__(self, *args: Any) -> Any:
        if not self._ready:
            self.template.check(args)
            if _interprets() and self._is_absent():
                return self.plain(*args)
            missing = _missing()
            if missing is not None and self.state in (State.ABSENT, State.COMPILING):
                missing.setdefault(self, args)
                if _interprets():  # the cache holds it, and another thread is about to have it
                    return self.plain(*args)
                raise NotYet
            self.template.calling(self._compile)(*args)
        try:
            return self._run(*args)
        except NothingKept:  # arguments of other types than those of the first call
            self._ready = False
            return self(*args)

    def prepare(self, *args: Any) -> None:
        """Load or compile it for arguments like these, and do not run it; at once where another thread does so already."""
        if not self._lock.locked():
            self.template.calling(self._compile)(*args)

    def _is_absent(self) -> bool:
        """Whether it would have to be compiled, by a look at the cache now and then."""
        if time.monotonic() - self._absent > LOOK_AGAIN and not self.kept:
            self._absent = time.monotonic()
        return time.monotonic() - self._absent <= LOOK_AGAIN

    @property
    def expected_seconds(self) -> float:
        """About how long its compilation takes on this machine."""
        return expected_seconds(self.label, self.generated.entry, self.generated.text.count("\n"))

    @property
    def state(self) -> State:
        """Whether it is absent, being compiled, ready to be called at once, or failed."""
        if self._failed is not None:
            return State.FAILED
        if self._ready:
            return State.READY
        if self._lock.locked() or _compiled_elsewhere(self.path):
            return State.COMPILING
        return State.READY if self.kept else State.ABSENT

    @property
    def kept(self) -> bool:
        """Whether the cache holds what is compiled, or it was shipped."""
        return (self._inside is not None and shipped().holds(self.path.stem)) or bool(self._files())

    def _files(self) -> list[Path]:
        if usable_folder() is None:
            return []
        if self._inside is not None:
            return list(self.path.parent.glob(f"{code_stem(self.path)}*{CODE}"))
        return list((self.path.parent / "__pycache__").glob(f"{self.path.stem}.*.nb[ic]"))

    def _compile(self, *args: Any) -> None:
        """Compile for arguments like these, or load what is compiled."""
        with self._lock:
            if self._failed is not None:
                raise CompileError(str(self._failed))
            if not self._ready:
                self._load_or_compile(args)
                self._ready = True

    def _load_or_compile(self, args: tuple[Any, ...]) -> None:
        import numba
        from numba.core.errors import NumbaError

        wanted = tuple(numba.typeof(a) for a in args)
        if not self._whole:
            with contextlib.suppress(NothingKept):
                self.dispatcher.compile(wanted)
                return
        compiled = bool(self._files())
        self._make_whole()
        if not compiled:
            shipped().say_why_not()
        while not compiled and _listeners:
            _listeners.pop()()
        name, lines = self.generated.entry, self.generated.text.count("\n")
        expected = None if compiled else self.expected_seconds
        with contextlib.nullcontext() if compiled else announced(self.label, expected):
            if self.dispatcher.signatures:
                return
            quickly = contextlib.nullcontext() if self._inside is None else self._inside.quickly()
            try:
                with _one_at_a_time(self.path), _uncollected(), quickly:
                    began = time.perf_counter()
                    if self._inside is None:
                        self._compile_plainly(wanted)
                    else:
                        if _building and not compiled:
                            _in_a_copy(lambda: self.dispatcher.compile(wanted))
                        self.dispatcher.compile(wanted)
                    if self._inside is None and self._stored:
                        make_room()
                    if self.dispatcher.stats.cache_misses and self._stored:
                        note_time(self.label, name, lines, time.perf_counter() - began)
            except NumbaError as error:
                self._failed = CompileError(_why_not_compiled(str(error), self.path, self.label))
                raise self._failed from error

    def _compile_plainly(self, wanted: tuple[Any, ...]) -> None:
        """By Numba's own cache, whose damaged files end in any kind of error, and which a full disk breaks off."""
        from numba.core.errors import NumbaError

        files = self._files()
        for path in files:
            note_use(path)
        try:
            self.dispatcher.compile(wanted)
        except NumbaError:
            raise
        except Exception as error:
            if isinstance(error, OSError) and self.dispatcher.signatures:  # compiled, and not kept
                folder = self.path.parent
                say_once(
                    f"{folder} {error.errno}", f"the cache folder {folder} cannot be written to ({error.strerror})"
                )
                return
            if not files:
                raise
            for path in files:
                throw_away(path)
            self.dispatcher.compile(wanted)


class GradualFunction:
    """A template that is called often, a moment each: the interpreter answers until it has cost about as much as compiling
    would, so that who asks little never waits for a compiler. What the cache holds is used at once. `steps` says for the
    arguments of a call about how often its innermost loop turns; infinity is too long for the interpreter."""

    def __init__(
        self,
        make: Callable[[], Callable[..., Any]],
        plain: Callable[..., Any],
        steps: Callable[..., float],
        name: str,
    ) -> None:
        self._make, self._plain, self._steps, self._name = make, plain, steps, name
        self._compiled: Callable[..., Any] | None = None
        self._made: Any = None
        self._spent = 0.0  # seconds in the interpreter
        # whether the cache was asked: once, since a folder of thousands takes milliseconds to go through
        self._looked = False

    def waits(self, *args: Any) -> bool:
        """Whether the interpreter answers such a call."""
        if self._compiled is None and not self._looked and not _impatient:
            self._looked = True
            somewhere = shipped().names(self._name) or any(cache_folder().glob(f"{self._name}_*.py"))
            if somewhere and getattr(self._function(), "kept", False):
                self._compiled = self._function()
        if self._compiled is None and _missing() is not None:
            if getattr(self._made, "state", None) in (State.READY, State.FAILED):
                self._compiled = self._made
        elif self._compiled is None and not _interprets():
            costs = self._spent + self._steps(*args) * SECONDS_A_STEP
            if _impatient or (costs > PATIENCE and costs > getattr(self._function(), "expected_seconds", 0.0)):
                self._compiled = self._function()
        return self._compiled is None

    def _function(self) -> Any:
        self._made = self._made or self._make()
        return self._made

    def prepare(self, *args: Any) -> None:
        """Load or compile it for arguments like these."""
        self._function().prepare(*args)

    @property
    def dispatcher(self) -> Any:
        """Of the compiled template, once there is one."""
        return getattr(self._compiled, "dispatcher", None)

    def __call__(self, *args: Any) -> Any:
        if self._compiled is not None or not self.waits(*args):
            assert self._compiled is not None
            return self._compiled(*args)
        missing, alone = _missing(), self._steps(*args) * SECONDS_A_STEP
        if missing is not None and self._spent + alone > PATIENCE:
            missing.setdefault(self, args)
            if alone > PATIENCE and not _interprets():
                raise NotYet
        began = time.perf_counter()
        try:
            return self._plain(*args)
        finally:
            self._spent += time.perf_counter() - began


Missing = dict[Function | GradualFunction, tuple[Any, ...]]  # to be compiled, each for such arguments


def origin(path: Path, line: int) -> tuple[str, str] | None:
    """The function and the file that a line of a generated module was made from; lines count from 1."""
    above = [text.rstrip() for text in linecache.getlines(str(path))[:line] if text.startswith("# ") and "." in text]
    module, _, function = (above[-1][2:] if above else "").rpartition(".")
    file = getattr(sys.modules.get(module), "__file__", None)
    return (function, file or module) if function else None


def _why_not_compiled(message: str, path: Path, label: str) -> str:
    """A compiler's complaint about generated text, in terms of the function that the text was made from."""
    passing = ("Failed in nopython", "During:", "File ")
    said = [line.strip() for line in message.splitlines() if line.strip() and not line.strip().startswith(passing)]
    reason = said[0].rstrip(".:") if said else "the compiler does not say why"
    if "NRT required" in message:
        reason = "it creates an object: a list, a dict, a string or an array"
    where = label
    if found := re.search(rf"{re.escape(str(path))}\W+(?:line )?(\d+)", message.replace("\n", "")):
        line = int(found[1])
        if of := origin(path, line):
            where = f"{of[0]} of {of[1]}, at `{linecache.getline(str(path), line).strip()}`"
    allowed = "kernels use whole numbers, floats, loops and cells of arrays, and allocate nothing"
    return f"{where}, cannot be compiled: {reason}; {allowed}"
