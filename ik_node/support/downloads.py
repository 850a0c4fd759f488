"""Robots of the package robot_descriptions (PyPI, Stéphane Caron), downloaded on demand.

The package has the addresses of some hundred robots, which it clones with git into a cache of its
own, ~/.cache/robot_descriptions or ROBOT_DESCRIPTIONS_CACHE. A clone takes seconds to minutes: it
runs in a process of its own, which can be cancelled at any moment.
"""

import contextlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from ik_node.support.exceptions import ModelError, names

INSTALL = 'pip install robot_descriptions xacrodoc'
"""The command that installs the package, and what its robots in xacro need."""
_SUFFIX = '_description'
_PATIENCE = 5.0  # s that git may take to end
_QUOTES = ' "\'()'  # around what git says, in Python's errors
_TAIL = 4000     # characters of the output that are kept for a message
# Prints the file of a robot, which the package downloads when its module is imported. The process
# ends with the one that started it: nothing is ever sent to its input, which is closed then.
_CODE = f'''
import importlib, os, signal, sys, threading
threading.Thread(target=lambda: os.read(0, 1) or os.killpg(0, signal.SIGTERM), daemon=True).start()
robot = importlib.import_module('robot_descriptions.' + sys.argv[1])
file = getattr(robot, 'URDF_PATH', None)
if file is None:
    from robot_descriptions._xacro import get_urdf_path
    file = get_urdf_path(robot)
print('\\n{_SUFFIX}:' + file)
'''


def described_robots() -> dict[str, str]:
    """Return the robots with a URDF, name → maker and model; empty without the package."""
    if importlib.util.find_spec('robot_descriptions') is None:
        return {}
    from robot_descriptions import DESCRIPTIONS
    return {name: ' '.join(filter(None, (one.maker, one.robot)))
            for name, one in sorted(DESCRIPTIONS.items()) if one.has_urdf}


def is_described(name: str) -> bool:
    """Return whether a name is written as those of the package are, or is one of them."""
    return bool(re.fullmatch(rf'\w+{_SUFFIX}', name)) or name in described_robots()


def described_place(file: Path) -> Path:
    """Return the folder of a downloaded robot's meshes: the cache, or that of a file elsewhere."""
    file = file.resolve()
    cache = Path(os.environ.get('ROBOT_DESCRIPTIONS_CACHE', '~/.cache/robot_descriptions')
                 ).expanduser().resolve()
    return cache if cache in file.parents else file.parent


class Download:
    """The download of a robot, in a process that `cancel` ends."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._cancelled = threading.Event()
        self._process: subprocess.Popen[str] | None = None
        available = described_robots()
        if not available:
            raise ModelError(f'{name!r} is a robot of the package robot_descriptions, which is not '
                             f'installed: {INSTALL}')
        if name not in available:
            raise ModelError(f'robot_descriptions has no URDF {name!r}; it has {names(available)}')
        if shutil.which('git') is None:
            raise ModelError('robot_descriptions downloads with git, which is not installed '
                             '(Debian and Ubuntu: sudo apt install git)')

    def wait(self, progress: Callable[[str], None] = lambda words: None) -> Path:
        """Return the file, when it is there. Raises ModelError, also where it was cancelled.

        progress: called with a few words whenever there is progress.
        """
        process = self._process = subprocess.Popen(
            [sys.executable, '-c', _CODE, self.name], text=True, errors='replace',
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.PIPE,
            start_new_session=True,  # git and all that it starts end with it
            env={**os.environ, 'GIT_TERMINAL_PROMPT': '0',  # no question for a password
                 'PYTHONUNBUFFERED': '1', 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))})
        with process:
            if self._cancelled.is_set():
                self.cancel()
            try:
                output = _followed(process.stdout or (), progress)
                status = process.wait()
            finally:
                self._end()
        found = re.search(rf'^{_SUFFIX}:(.+)$', output, re.MULTILINE)
        if self._cancelled.is_set():
            raise ModelError(f'the download of {self.name} was cancelled')
        if status or found is None:
            raise ModelError(f'{self.name} cannot be downloaded: {_reason(output)}')
        if not Path(found[1]).is_file():
            raise ModelError(f'{self.name} was downloaded, but it has no file {found[1]}')
        return Path(found[1])

    def cancel(self) -> None:
        """End the download; `wait` then raises. The next one uses what is already downloaded."""
        self._cancelled.set()
        self._end()

    def _end(self) -> None:
        process = self._process
        for number in (signal.SIGTERM, signal.SIGKILL):  # on SIGTERM, git removes its lock files
            if process is not None and process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_PATIENCE)


def _followed(lines: Iterable[str], progress: Callable[[str], None]) -> str:
    """Report the progress in the output of a download; return the end of the output."""
    output, last = '', ''
    for line in lines:  # a carriage return ends a line, too
        output = (output + line)[-_TAIL:]
        percent = re.match(r'\s*(\d+)%\|', line)
        words = (f'{percent[1]} %' if percent else
                 'cloning …' if line.startswith('Cloning') else last)
        if words != last:
            progress(words)
            last = words
    return output


def _reason(output: str) -> str:
    fatal = re.findall(r'(?:fatal|error): ([^\n]+)', output)
    if fatal:
        hint = ('; is there a connection to the network?'
                if re.search(r'resolve|connect|timed out|unreachable', ' '.join(fatal)) else '')
        return f'git says: {fatal[0].strip(_QUOTES)}{hint}'
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else 'no reason was given'
