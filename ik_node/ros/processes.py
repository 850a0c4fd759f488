"""The node, and what runs beside it, as processes of their own."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path

from ik_node.model.files import is_dh_file

_PATIENCE = 10.0  # s that a process may take to end


def node_command(file: str | PathLike[str], solver: str, base_link: str = '', tip_link: str = '',
                 ros_arguments: Sequence[str] = ()) -> list[str]:
    """Return how a node is started with a robot from a file; ros_arguments: more of ROS's."""
    given = {'dh_path' if is_dh_file(file) else 'urdf_path': Path(file).resolve(),
             'solver': solver, 'base_link': base_link, 'tip_link': tip_link}
    return [sys.executable, '-m', 'ik_node.ros.node', '--ros-args', *ros_arguments, *(
        part for name, value in given.items() if value != ''  # rcl takes no empty ones
        for part in ('-p', f'{name}:={value}'))]


@contextlib.contextmanager
def running(command: Sequence[str], stdout: int | None = None) -> Iterator[subprocess.Popen[str]]:
    """Have a process run for a while; end it with SIGINT as a terminal would."""
    process = subprocess.Popen(command, start_new_session=True, stdout=stdout, text=True, env={
        **os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))})
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
