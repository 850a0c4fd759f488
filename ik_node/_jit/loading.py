"""Loads machine code of entries, and has it made by a process of its own where there is none."""

import atexit
import contextlib
import importlib.metadata
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

from ik_node._jit import cache
from ik_node._jit.kernel import Kernel
from ik_node._jit.plain import plain_function

_log = logging.getLogger('ik_node')
_LEAST_NUMBA = '0.57'
_TRIES = 2  # compilers that may die before their entries stay plain Python


class _Loader:
    """What is wanted, and the thread that gets it.

    - `in_background`: whether machine code on disk, too, is loaded without waiting for it.
    - `waiting`: entries still to come, by key. `changed`: notified of every change.
    """

    def __init__(self) -> None:
        self.in_background = False
        self.changed = threading.Condition()
        self.loading = threading.Lock()  # of one entry, by one thread
        self.waiting: dict[str, Kernel] = {}
        self._requested: set[str] = set()  # those of them that the compiler knows of
        self._reports: list[tuple[str, str]] = []
        self._process: subprocess.Popen[str] | None = None
        self._thread: threading.Thread | None = None
        self._deaths = 0

    def want(self, kernels: Iterable[Kernel]) -> None:
        """Begin to get entries, in this order."""
        with self.changed:
            new = [kernel for kernel in kernels
                   if not kernel.is_ready and kernel.key not in self.waiting]
            if not new:
                return
            self.waiting.update((kernel.key, kernel) for kernel in new)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name='kernels', daemon=True)
                self._thread.start()
            self.changed.notify_all()

    def settle(self, kernel: Kernel, code: Callable[..., Any] | None) -> None:
        """Let an entry run machine code, or plain Python for good."""
        with self.changed:
            kernel.use(code)
            self.waiting.pop(kernel.key, None)
            self._requested.discard(kernel.key)
            self.changed.notify_all()

    def stop(self, linger: bool) -> None:
        """End the compiler; linger: it may go on for a while with what it was asked for."""
        with self.changed:
            process, self._process = self._process, None
            kernels = list(self.waiting.values())
            self.waiting.clear()
            self._requested.clear()
            self.changed.notify_all()
        if process is not None and process.stdin is not None:
            with contextlib.suppress(OSError):
                if linger:
                    process.stdin.write('"linger"\n')
                process.stdin.close()
            if not linger:
                process.kill()
                process.wait()
        for kernel in kernels:
            kernel.await_machine_code()

    def start_anew(self) -> None:
        """Forget thread and compiler: a forked process has neither."""
        process, kernels = self._process, list(self.waiting.values())
        if process is not None:
            # Else the compiler would not notice the end of its parent.
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        os.close(stream.fileno())
            process.returncode = 0  # it is not a child of this process
        in_background = self.in_background
        self.__init__()  # type: ignore[misc]
        self.in_background = in_background
        for kernel in kernels:
            kernel.await_machine_code()

    def _work(self) -> None:
        while True:
            with self.changed:
                fresh = [kernel for kernel in self.waiting.values()
                         if kernel.key not in self._requested]
                reports, self._reports = self._reports, []
                if not self.waiting:
                    self._thread = None
                    return
                if not fresh and not reports:
                    self.changed.wait()
                    continue
            for key, trouble in reports:
                self._take_up(key, trouble)
            fresh = [kernel for kernel in fresh if kernel.key in self.waiting]
            if fresh:
                self._get(fresh)

    def _get(self, kernels: list[Kernel]) -> None:
        """Load entries, and ask the compiler for those that are not on disk."""
        if not _have_compiler():
            for kernel in kernels:
                self.settle(kernel, None)
            return
        missing = [kernel for kernel in kernels if not load_from_disk(kernel)]
        here = [kernel for kernel in missing if kernel.origin is None]
        if self._deaths >= _TRIES or not cache.is_writable() or not sys.executable:
            here = missing
        if here:
            compile_here(here[0])
        elif missing:
            self._ask_for(missing)

    def _ask_for(self, kernels: list[Kernel]) -> None:
        line = json.dumps([[kernel.origin, kernel.key, str(cache.path_of(kernel))]
                           for kernel in kernels])
        with self.changed:
            kernels = [kernel for kernel in kernels if kernel.key in self.waiting]
            if not kernels:  # stopped meanwhile
                return
            self._requested.update(kernel.key for kernel in kernels)
            if self._process is None:
                self._process = self._start()
            with contextlib.suppress(OSError):  # it has died: its reader notices
                assert self._process.stdin is not None
                self._process.stdin.write(line + '\n')
                self._process.stdin.flush()

    def _start(self) -> subprocess.Popen[str]:
        code = (f'import sys; sys.path[:] = {sys.path!r}; '
                'from ik_node._jit.compiler import main; main()')
        # A session of its own: what interrupts the parent at a terminal is not for it.
        process = subprocess.Popen(
            [sys.executable, '-c', code], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, start_new_session=True,
            env={**os.environ, 'NUMBA_CACHE_DIR': str(cache.folder().parent)})
        threading.Thread(target=self._read, args=(process,), name='kernels', daemon=True).start()
        return process

    def _read(self, process: subprocess.Popen[str]) -> None:
        """Take the reports of a compiler until it ends."""
        assert process.stdout is not None
        for line in process.stdout:
            key, trouble = json.loads(line)
            with self.changed:
                self._reports.append((key, trouble))
                self.changed.notify_all()
        process.wait()
        with self.changed:
            if self._process is process:  # nobody has stopped it
                self._process = None
                self._requested.clear()
                self._deaths += 1
                self.changed.notify_all()

    def _take_up(self, key: str, trouble: str) -> None:
        kernel = self.waiting.get(key)
        if kernel is not None and (trouble or not load_from_disk(kernel)):
            _log.error('%s cannot be compiled and stays plain Python: %s', kernel.name,
                       trouble or 'its file cannot be read')
            self.settle(kernel, None)


def _have_compiler() -> bool:
    """Tell whether numba can be imported; say so once where it cannot."""
    try:
        from ik_node._jit import machine_code  # noqa: F401
    except Exception as error:  # a numba that does not fit Python, numpy or llvmlite
        _log.error('numba %s cannot be used, the solvers stay plain Python: %s (%s or newer fits)',
                   importlib.metadata.version('numba'), error, _LEAST_NUMBA)
        return False
    return True


def load_from_disk(kernel: Kernel) -> bool:
    """Load an entry, and its group, if its machine code is on disk; return whether it was."""
    from ik_node._jit import machine_code
    with _loader.loading:
        if kernel.is_ready:
            return True
        code = cache.read(kernel)
        if code is None:
            return False
        try:
            functions = machine_code.load(code)
        except Exception:  # a file of which a part is missing
            functions = {}
        if kernel.key not in functions:
            cache.remove(kernel)
            return False
        _settle_group(kernel, functions)
        return True


def _settle_group(kernel: Kernel, functions: dict[str, Callable[..., Any]]) -> None:
    for one in kernel.group:
        if not one.is_ready:
            _loader.settle(one, functions.get(one.key))


def compile_here(kernel: Kernel) -> None:
    """Compile an entry and its group in this process, and keep that where it can be done."""
    from ik_node._jit import machine_code
    try:
        code = machine_code.build(kernel)
        cache.write(kernel, code)
        _settle_group(kernel, machine_code.load(code))
    except Exception as error:
        _log.error('%s cannot be compiled and stays plain Python: %s', kernel.name, error)
        _loader.settle(kernel, None)


def need(kernel: Kernel) -> None:
    """Get an entry that is called: at once where that takes no compiling, else later."""
    if not _loader.in_background and cache.is_on_disk(kernel) and _have_compiler():
        load_from_disk(kernel)
    _loader.want([kernel])


def prepare(kernels: Iterable[Kernel],
            progress: Callable[[int, int, str], None] | None = None) -> None:
    """Return when entries run machine code; those that cannot be compiled stay plain Python.

    progress: called as progress(done, total, name), name of the one that comes next, '' at the end.
    """
    wanted = list({kernel.key: kernel for kernel in kernels if kernel.is_entry}.values())
    begin(wanted)
    shown = -1
    while True:
        with _loader.changed:
            left = [kernel for kernel in wanted if not kernel.is_ready]
            if left and shown == len(wanted) - len(left):
                _loader.changed.wait()
                left = [kernel for kernel in wanted if not kernel.is_ready]
        done = len(wanted) - len(left)
        if progress is not None and done != shown:
            progress(done, len(wanted), left[0].name if left else '')
        shown = done
        if not left:
            return


def begin(kernels: Iterable[Kernel]) -> None:
    """Begin to get entries, and return at once."""
    _loader.want(kernel for kernel in kernels if kernel.is_entry)


def make_plain(kernels: Iterable[Kernel]) -> None:
    """Make the plain form of those that run in it, which else the first call of each does."""
    for kernel in kernels:
        if kernel.is_plain:
            plain_function(kernel)


def are_on_disk(kernels: Iterable[Kernel]) -> bool:
    """Tell whether nothing has to be compiled, so that `prepare` takes a moment only."""
    return all(kernel.is_ready or cache.is_on_disk(kernel) for kernel in kernels)


def waiting_for(kernels: Iterable[Kernel]) -> list[str]:
    """Return the names of those that are not machine code yet."""
    return [kernel.name for kernel in kernels if not kernel.is_ready]


def runs_plain(kernels: Iterable[Kernel]) -> bool:
    """Tell whether any of some kernels runs as plain Python."""
    return any(kernel.is_plain for kernel in kernels)


def load_in_background() -> None:
    """Never wait for machine code in this process, not even while it is read from disk."""
    _loader.in_background = True


def stop() -> None:
    """End the compiler, if one runs; the kernels it was asked for stay plain Python for now."""
    _loader.stop(linger=False)


Kernel.get_machine_code = need
_loader = _Loader()
atexit.register(lambda: _loader.stop(linger=not cache.is_temporary()))
os.register_at_fork(after_in_child=lambda: _loader.start_anew())
