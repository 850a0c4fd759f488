"""What a solver returns."""

from enum import Enum
from typing import Any, NamedTuple

import numpy as np


class StopReason(Enum):
    """Why a solver stopped; the value says it in words."""

    CONVERGED = 'the goal is met'
    UNREACHABLE = 'no joint values meet the goal, with or without the joint limits'
    LIMITS = 'only joint values outside the limits meet the goal'
    SINGULAR = 'stuck in a singular posture: no joint moves the tip towards the goal'
    STALLED = 'the error stopped shrinking before the goal was met'
    ITERATIONS = 'the iterations ran out while the error was still shrinking'
    TIMEOUT = 'the time ran out'


class Result(NamedTuple):
    """The best joint values found, and how good they are. Of a batch, every field is an array."""

    q: np.ndarray
    """(n,) rad or m, always inside the limits; of a batch (m, n)."""
    success: Any
    """bool: whether the errors below are within the tolerances."""
    reason: Any
    """StopReason."""
    position_error: Any
    """m, over the axes asked for, from forward kinematics at q; 0.0 where none is."""
    orientation_error: Any
    """rad, likewise."""
    iterations: Any
    """Iterations of the attempt that found q."""
    restarts: Any
    """How many attempts were made after the first."""
    solve_time: Any
    """s; of a batch the time of the whole divided by its length."""
