"""Runs the node and other commands as child processes."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path

_PATIENCE = 10.0  # s that a process may take to end


def avoiding(solver: str, obstacles: str | PathLike[str]) -> list[str]:
    """Return the arguments of a node whose solver keeps away from the obstacles of a file."""
    return ['-p', f'obstacles_path:={obstacles}', '-p', f'{solver}.avoid_collisions:=true']


def node_command(file: str | PathLike[str], solver: str, base_link: str = '', tip_link: str = '',
                 ros_arguments: Sequence[str] = ()) -> list[str]:
    """Return the command of a node with a robot from a file; ros_arguments: further ones."""
    parameters = {'model_path': Path(file).resolve(), 'solver': solver, 'base_link': base_link,
                  'tip_link': tip_link}
    return [sys.executable, '-m', 'ik_node.ros.node', '--ros-args', *ros_arguments, *(
        part for name, value in parameters.items() if value != ''  # rcl rejects empty values
        for part in ('-p', f'{name}:={value}'))]


@contextlib.contextmanager
def running(command: Sequence[str], stdout: int | None = None) -> Iterator[subprocess.Popen[str]]:
    """Run a process in a context and end it with SIGTERM.

    SIGINT would print a traceback while the interpreter starts.
    """
    process = subprocess.Popen(command, start_new_session=True, stdout=stdout, text=True, env={
        **os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))})
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
