"""Threads that report an exception, rather than end without a word, and child processes."""

import contextlib
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from pathlib import Path

Notify = Callable[[str], None]  # shows a line where users see it
_LOG = logging.getLogger(__name__)
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


def start_thread(work: Callable[[], object], name: str,
                 notify: Notify | None = None) -> threading.Thread:
    """Start a thread that ends with the process; what ends its work is reported."""
    def run() -> None:
        with reported(name, notify):
            work()
    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread


@contextlib.contextmanager
def reported(what: str, notify: Notify | None = None) -> Iterator[None]:
    """Log an exception of the block with its traceback, show it in a line, and go on after it.

    For defects: errors that are expected are handled where they occur.
    """
    try:
        yield
    except Exception as error:
        _LOG.exception('internal error in "%s", going on', what)
        if notify is not None:
            try:
                notify(f'Internal error in "{what}": {type(error).__name__}: {error}')
            except Exception:  # the page may be closed
                _LOG.exception('"%s" cannot be reported on the page', what)
