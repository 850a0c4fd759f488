"""Graphs of their own for nodes under test, whoever else runs nodes or tests on the machine."""

import fcntl
import importlib.metadata
import itertools
import os
import tempfile
from pathlib import Path

_MOST = 100
_FOLDER = Path(tempfile.gettempdir()) / f'ik_node-domains-{os.getuid()}'
_FIRST_PORT, _PORTS = 7400, 250  # of domain 0, and of each domain: PB and DG of the RTPS standard
_SOCKETS = (Path('/proc/net/udp'), Path('/proc/net/udp6'))


def stay_on_this_machine():
    """Have ROS processes that start from now on find each other on this machine only, and soon."""
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    os.environ[_profiles_variable()] = str(Path(__file__).with_name('discovery.xml'))


def _profiles_variable():
    """Return what names the file of profiles: Fast DDS 2 (Jazzy) and 3 (Kilted) differ."""
    try:
        importlib.metadata.version('ros-jazzy-std-msgs')
    except importlib.metadata.PackageNotFoundError:
        if os.environ.get('ROS_DISTRO') != 'jazzy':
            return 'FASTDDS_DEFAULT_PROFILES_FILE'
    return 'FASTRTPS_DEFAULT_PROFILES_FILE'


class Domain:
    """A ROS domain in which nobody is, and that no other test takes until it is given back.

    A lock keeps other tests out. Other nodes take no lock, but every DDS participant has UDP
    sockets at the ports of its domain: a domain with such a socket is passed over.
    """

    _next = itertools.count(os.getpid())

    def __init__(self):
        _FOLDER.mkdir(exist_ok=True)
        inhabited = inhabited_domains()
        # One after the other: what another node has left in a graph takes a while to go.
        for _ in range(_MOST):
            self.id = 1 + next(self._next) % _MOST
            if self.id in inhabited:
                continue
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


def inhabited_domains():
    """Return the domains at whose ports this machine has UDP sockets, where it tells of them."""
    ports = [int(line.split()[1].rpartition(':')[2], 16)
             for file in _SOCKETS if file.is_file() for line in file.read_text().splitlines()[1:]]
    return {(port - _FIRST_PORT) // _PORTS for port in ports if port >= _FIRST_PORT}
