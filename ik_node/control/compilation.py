"""Compiles the kernels of a robot, and bounds the time of a goal while they run as plain Python."""

import contextlib
import threading
from contextlib import AbstractContextManager

from ik_node import _jit
from ik_node.control.robot import Robot

LIMIT = 0.2  # s for which kernels may run as plain Python for one message
COMPILING = 'the kernels are being compiled'
PLAIN = 'the kernels run as plain Python'


def begin_compilation(robot: Robot) -> int:
    """Load the kernels of a robot, or compile them in the background; return how many wait."""
    if _jit.are_on_disk(robot.kernels):
        _jit.prepare(robot.kernels)
    else:
        _jit.begin(robot.kernels)
        _jit.make_plain(robot.kernels)  # now, not during the first goal
        # Nor during a parameter call that selects another solver.
        threading.Thread(target=lambda: _jit.make_plain(_jit.all_entries()), daemon=True).start()
    return len(_jit.waiting_for(robot.kernels))


def is_compiled(robot: Robot) -> bool:
    """Return whether no kernel of a robot waits for the compiler."""
    return not _jit.waiting_for(robot.kernels)


def limited(robot: Robot | None) -> AbstractContextManager[None]:
    """Return a context to handle a message in, with a time limit without machine code."""
    if robot is None or not _jit.runs_plain(robot.kernels):
        return contextlib.nullcontext()
    return _jit.time_limit(0.9 * LIMIT)


def explanation(robot: Robot) -> str:
    """Return the reason of a timeout; '' where kernels did not cause it."""
    if not _jit.time_is_over():
        return ''
    return COMPILING if _jit.waiting_for(robot.kernels) else PLAIN
