"""Graphs of their own for nodes under test, whoever else runs tests on the machine."""

import fcntl
import itertools
import os
import tempfile
from pathlib import Path

_MOST = 100
_FOLDER = Path(tempfile.gettempdir()) / f'ik_node-domains-{os.getuid()}'


class Domain:
    """A ROS domain that nobody else takes until it is given back, or this process ends."""

    _next = itertools.count(os.getpid())

    def __init__(self):
        _FOLDER.mkdir(exist_ok=True)
        # One after the other: what another node has left in a graph takes a while to go.
        for _ in range(_MOST):
            self.id = 1 + next(self._next) % _MOST
            self._file = open(_FOLDER / str(self.id), 'w')  # noqa: SIM115 held until given back
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except OSError:
                self._file.close()
        raise RuntimeError(f'all {_MOST} ROS domains are taken')

    def give_back(self):
        """Let others have it."""
        self._file.close()
