"""How the executables run their node, and end."""

import contextlib
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator

import rclpy
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

try:  # since Kilted: takes what has come without asking every entity, which is quicker
    from rclpy.experimental.events_executor import EventsExecutor as NodeExecutor
except ImportError:
    from rclpy.executors import SingleThreadedExecutor as NodeExecutor

_WAIT = 1.0  # s at most for something to come: the executor of events busily waits for ever
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run(make_node: Callable[[], Node], arguments: list[str] | None) -> int:
    """Make a node and spin it until SIGINT or SIGTERM; return the exit code 0.

    A signal interrupts nothing: what is under way is done, then the node is destroyed while its
    context still holds. rclpy's own handlers shut that down in the middle of callbacks.
    """
    stopped = threading.Event()
    rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    try:
        executor = NodeExecutor()
        with _signals(lambda: _stop(executor, stopped)):
            node = make_node()
            try:
                executor.add_node(node)
                _spin(executor, node, stopped)
            finally:
                executor.shutdown()
                node.destroy_node()
    finally:
        rclpy.try_shutdown()
    return 0


def _stop(executor: Executor, stopped: threading.Event) -> None:
    stopped.set()
    executor.create_task(lambda: None)  # something to do, so that it looks


@contextlib.contextmanager
def _signals(told: Callable[[], None]) -> Iterator[None]:
    """Call `told`, in a thread, when a signal to end comes.

    Python's own handlers wait until the executor comes back from waiting; the pipe does not.
    """
    outlet, inlet = os.pipe()
    os.set_blocking(inlet, False)
    before = signal.set_wakeup_fd(inlet)
    handlers = {number: signal.signal(number, lambda *_: None) for number in _SIGNALS}

    def listen() -> None:
        while number := os.read(outlet, 1):
            if number[0] in _SIGNALS:
                told()
    listener = threading.Thread(target=listen, name='signals', daemon=True)
    listener.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(inlet)
        listener.join()
        os.close(outlet)
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _spin(executor: Executor, node: Node, stopped: threading.Event) -> None:
    """Spin until stopped. An exception ends the callback it comes from, but not the node.

    ROS's own services raise too, as of a parameter whose type is none.
    """
    while rclpy.ok() and not stopped.is_set():
        try:
            executor.spin_once(_WAIT)
        except ExternalShutdownException:
            return
        except Exception:
            if not rclpy.ok():
                raise
            node.get_logger().error(f'internal error, going on:\n{traceback.format_exc()}')
