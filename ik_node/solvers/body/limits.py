"""Limits of a body's joint values, and the bounds of a step that they make."""

import math
from typing import Any

from ik_node.solvers.body.step_work import StepWork
from ik_node.support.arrays import Memory, Vector

INF = math.inf


class Limits:
    """Limits of q and of its steps."""

    lower: Vector
    """(n,) rad or m."""
    upper: Vector
    speed: Vector
    """(n,) velocity limits, rad/s or m/s."""
    step: Vector
    """(n,) largest change in one step; infinite for entries in metres."""
    scale: Vector
    """(n,) 1/√weight of each joint."""

    def __init__(self, lower: Any, upper: Any, speed: Any, step: Any, scale: Any) -> None:
        """Copy limits (n,)."""
        self.memory = memory = Memory()
        self.lower, self.upper = memory.vector(lower), memory.vector(upper)
        self.speed, self.step, self.scale = (memory.vector(speed), memory.vector(step),
                                             memory.vector(scale))


def set_bounds(limits: Limits, work: StepWork, q: Vector, dt: float, most: float) -> None:
    """Write the bounds of a step of dt seconds from q (n,), no longer than `most`, into work."""
    for k in range(work.n):
        own = min(limits.speed[k] * dt, limits.step[k])
        low = min(max(limits.lower[k] - q[k], -own), own)
        high = min(max(limits.upper[k] - q[k], -own), own)
        low = max(low, -most)
        work.lower[k] = low / limits.scale[k]
        work.upper[k] = max(min(high, most), low) / limits.scale[k]


def inside(limits: Limits, k: int, q: float, x: float, dt: float) -> float:
    """Return the velocity of joint k for a step x: q + dt · velocity is inside its limits.

    It is no last digit beyond them; where q is beyond one itself, it stays as it is.
    """
    own, scale, speed = min(limits.speed[k] * dt, limits.step[k]), limits.scale[k], limits.speed[k]
    lower, upper = limits.lower[k], limits.upper[k]
    step = max(scale * x, min(max(lower - q, -own), own))
    step = min(step, min(max(upper - q, -own), own))
    velocity = min(max(step / dt, -speed), speed)
    digits = 1.0
    for _ in range(3):
        end = q + dt * velocity
        last = digits * (math.nextafter(math.fabs(end), INF) - math.fabs(end)) / dt
        if end > upper and q <= upper:
            velocity -= last
        elif end < lower and q >= lower:
            velocity += last
        else:
            break
        digits *= 2.0
    return velocity
