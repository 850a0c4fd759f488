"""How the executables run their node, and end."""

import signal
import traceback
from collections.abc import Callable

import rclpy
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.node import Node

try:  # since Kilted: takes what has come without asking every entity, which is quicker
    from rclpy.experimental.events_executor import EventsExecutor as NodeExecutor
except ImportError:
    from rclpy.executors import SingleThreadedExecutor as NodeExecutor

_WAIT = 1.0  # s at most for something to come: the executor of events busily waits for ever


def run(make_node: Callable[[], Node], arguments: list[str] | None) -> int:
    """Make a node and spin it until SIGINT or SIGTERM; return the exit code 0."""
    rclpy.init(args=arguments)
    node = None
    try:
        # Before the node: a signal that comes while the node is made finds everything in place.
        executor = NodeExecutor()
        node = make_node()
        executor.add_node(node)
        _spin(executor, node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except Exception:
        if rclpy.ok():  # otherwise a signal has shut ROS down in the middle of something
            raise
    finally:
        # The first signal ends the node; another must not interrupt its ending.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


def _spin(executor: Executor, node: Node) -> None:
    """Spin for ever. An exception ends the callback it comes from, but not the node.

    ROS's own services raise too, as of a parameter whose type is none.
    """
    while rclpy.ok():
        try:
            executor.spin_once(_WAIT)
        except ExternalShutdownException:
            raise
        except Exception:
            if not rclpy.ok():
                raise
            node.get_logger().error(f'internal error, going on:\n{traceback.format_exc()}')
