"""Runs and shuts down the nodes of the executables."""

import argparse
import contextlib
import gc
import itertools
import os
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

import rclpy
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from ik_node.support.exceptions import InputError
from ik_node.support.signals import SIGNALS

try:  # faster, since it does not poll every entity; that of Jazzy does not await callbacks
    if int(metadata.version('rclpy').partition('.')[0]) < 9:
        raise ImportError
    from rclpy.experimental.events_executor import EventsExecutor as NodeExecutor
except ImportError:
    from rclpy.executors import SingleThreadedExecutor as NodeExecutor

AnyNode = TypeVar('AnyNode', bound=Node)

WAIT = 1.0       # s, longest wait: without a limit the events executor spins
# s, after which a search in Python lets the executor go on. Kernels release the interpreter's lock
# every 0.1 ms; a thread that waits for longer between its requests hardly ever gets it back.
_SWITCH = 2e-5
# Collections of young garbage before one of all: over the objects of a long message that takes
# longer than joint states may wait, and they have no cycles.
_RARELY = 1000
_SHUTDOWN_TIMEOUT = 4.0  # s: launch sends the next signal after 5


def run(make_node: Callable[[], AnyNode], arguments: list[str] | None,
        start: Callable[[AnyNode], None] | None = None) -> int:
    """Make a node, start it, and spin it until SIGINT or SIGTERM; return the exit status 0.

    start: called with the node before it spins. A signal lets the current callback finish, then the
    node is destroyed while its context is valid; rclpy's own handlers shut that down at once. Where
    this takes longer than 4 s, the process ends with the status of the signal, 130 or 143.
    """
    stopped = threading.Event()
    sys.setswitchinterval(_SWITCH)
    gc.set_threshold(*gc.get_threshold()[:2], _RARELY)
    with _signals(stopped) as wake:
        start_ros(arguments)
        try:
            executor = NodeExecutor()
            wake.append(executor)
            node = make_node()
            try:
                if start is not None and not stopped.is_set():
                    start(node)
                executor.add_node(node)
                _spin(executor, node, stopped)
            finally:
                executor.shutdown()
                node.destroy_node()
        finally:
            rclpy.try_shutdown()
    gc.freeze()  # the interpreter's own last collections take longer than all the rest
    return 0


def show_help(command: str, what: str, arguments: list[str] | None) -> None:
    """Print the help of a node's command where its arguments ask for it; refuse others."""
    own = itertools.takewhile('--ros-args'.__ne__, sys.argv[1:] if arguments is None else arguments)
    argparse.ArgumentParser(prog=command, description=what, epilog=(
        'Arguments after --ros-args are those of ROS 2: -p PARAMETER:=VALUE, -r FROM:=TO, '
        '--params-file FILE. Parameters and topics: docs/parameters.md, docs/topics.md')
        ).parse_args([*own])


def start_ros(arguments: list[str] | None = None, **options: Any) -> None:
    """Initialise a context of ROS, without signal handlers; without log files where none can be.

    arguments: by default those of the process. options: of `rclpy.init`.
    """
    arguments = list(sys.argv) if arguments is None else arguments
    folder = Path(os.environ.get('ROS_LOG_DIR') or Path(
        os.environ.get('ROS_HOME') or '~/.ros') / 'log')
    try:
        folder.expanduser().mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder.expanduser()).close()
    except (OSError, RuntimeError) as error:  # RuntimeError: nobody's home
        sys.stderr.write(f'there are no log files: {error}; ROS_LOG_DIR names another folder\n')
        arguments = [*arguments, '--ros-args', '--disable-external-lib-logs']
    try:
        rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO, **options)
    except RuntimeError as error:
        raise InputError(f'ROS 2 refuses its arguments: {str(error).partition(", at /")[0]}'
                         ) from error


@contextlib.contextmanager
def _signals(stopped: threading.Event) -> Iterator[list[Executor]]:
    """Set `stopped` on SIGINT and SIGTERM, and wake the executors in the yielded list.

    Python's own handlers run only after the executor's wait; the pipe works at once.
    """
    outlet, inlet = os.pipe()
    os.set_blocking(inlet, False)
    before = signal.set_wakeup_fd(inlet)
    handlers = {number: signal.signal(number, lambda *_: None) for number in SIGNALS}
    executors: list[Executor] = []
    ended = threading.Event()

    def listen() -> None:
        while number := os.read(outlet, 1):
            if number[0] in SIGNALS and not stopped.is_set():
                stopped.set()
                for executor in executors:
                    executor.create_task(lambda: None)  # wakes the executor
                threading.Thread(target=_end_after_timeout, args=(ended, number[0]),
                                 daemon=True).start()
    listener = threading.Thread(target=listen, name='signals', daemon=True)
    listener.start()
    try:
        yield executors
    finally:
        ended.set()
        signal.set_wakeup_fd(before)
        os.close(inlet)
        listener.join()
        os.close(outlet)
        if stopped.is_set():
            # The process is ending. At Ctrl-C both the terminal and launch send a SIGINT.
            handlers[signal.SIGINT] = signal.SIG_IGN
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _end_after_timeout(ended: threading.Event, number: int) -> None:
    if not ended.wait(_SHUTDOWN_TIMEOUT):
        name = signal.Signals(number).name
        sys.stderr.write(f'not shut down within {_SHUTDOWN_TIMEOUT:g} s of {name}: ended at once\n')
        sys.stderr.flush()
        os._exit(128 + number)


def _spin(executor: Executor, node: Node, stopped: threading.Event) -> None:
    """Spin until stopped. An exception ends its callback, but not the node.

    ROS's own services raise too, as for a parameter without a type.
    """
    while rclpy.ok() and not stopped.is_set():
        try:
            executor.spin_once(WAIT)
        except ExternalShutdownException:
            return
        except Exception:
            if not rclpy.ok():
                raise
            node.get_logger().error(f'internal error, going on:\n{traceback.format_exc()}')
