"""The process that compiles entries into the cache, for one that runs them as plain Python.

It reads from its standard input, one JSON text a line: a list of [origin, key, file] of entries to
compile; or "linger": the parent ends, go on for at most two minutes. When the input ends without
that, the parent was stopped or killed, and the process ends at once. To its standard output it
writes a list for every entry: [key, what is wrong, '' for nothing].

Whoever holds the lock of the cache's folder compiles; others wait, and report what appears.
"""

import fcntl
import importlib
import json
import os
import queue
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import IO

from ik_node._jit import cache
from ik_node._jit.kernel import ENTRIES

NICE = 10
LINGER = 120.0  # s
_LOOK = 0.2     # s, from one look for files that another compiler has made to the next


class Compiler:
    """Compiles what the parent asks for, in that order."""

    def __init__(self) -> None:
        """Prepare; nothing heavy is imported before the lock is held."""
        self._requested: queue.SimpleQueue[tuple[str, str, str]] = queue.SimpleQueue()
        self._wanted: dict[str, tuple[str, Path]] = {}
        self._lock: IO[str] | None = None
        self._linger_until: float | None = None

    def run(self) -> None:
        """Work until the parent ends."""
        threading.Thread(target=self._listen, daemon=True).start()
        while True:
            idle = not self._wanted and self._linger_until is None
            if idle:
                self._release_lock()
            self._take_requests(wait=idle)
            self._report_files()
            if self._linger_until is not None and self._requested.empty() and (
                    not self._wanted or time.monotonic() > self._linger_until):
                return
            if self._wanted and not self._has_lock():
                time.sleep(_LOOK)
            elif self._wanted:
                self._compile(next(iter(self._wanted)))

    def _listen(self) -> None:
        for line in sys.stdin:
            request = json.loads(line)
            if request == 'linger':
                self._linger_until = time.monotonic() + LINGER
                threading.Timer(LINGER, os._exit, (0,)).start()
                self._requested.put(('', '', ''))
                return
            for origin, key, file in request:
                self._requested.put((origin, key, file))
        os._exit(1)

    def _take_requests(self, wait: bool) -> None:
        while wait or not self._requested.empty():
            origin, key, file = self._requested.get()
            if key:
                self._wanted[key] = origin, Path(file)
            wait = False

    def _report_files(self) -> None:
        for key in [key for key, (_, path) in self._wanted.items() if path.exists()]:
            self._report(key, '')

    def _report(self, key: str, trouble: str) -> None:
        del self._wanted[key]
        if self._linger_until is None:
            print(json.dumps([key, trouble]), flush=True)

    def _has_lock(self) -> bool:
        """Take the lock of the folder, unless another process has it."""
        if self._lock is None:
            file = (cache.folder() / 'compiler.lock').open('w')
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                file.close()
                return False
            self._lock = file
            self._report_files()  # what the one before has made meanwhile
        return True

    def _release_lock(self) -> None:
        """Let compilers of other processes work, while there is nothing to do."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _compile(self, key: str) -> None:
        if key not in self._wanted:
            return
        origin, path = self._wanted[key]
        trouble = ''
        try:
            from ik_node._jit import machine_code
            importlib.import_module(origin)
            kernel = ENTRIES[key]
            if cache.path_of(kernel) != path:
                trouble = 'its source has changed since it was imported'
            elif not cache.write(kernel, machine_code.build(kernel)):
                trouble = f'cannot write {path}'
        except Exception:  # whatever numba, or a plug-in's module, raises
            trouble = traceback.format_exc()
        self._report(key, trouble)


def main() -> None:
    """Compile for the process that started this one."""
    os.nice(NICE)
    Compiler().run()


if __name__ == '__main__':
    main()
