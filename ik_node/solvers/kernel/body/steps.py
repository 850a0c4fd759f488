"""Limits of a body's joint values, the bounds of a step that they make, and its scratch."""

import math
from typing import Any

import numpy as np

from ik_node.kinematics.joint_limits import JointLimits
from ik_node.support.arrays import Integers, Matrix, Memory, Vector

INF = math.inf


class Limits(JointLimits):
    """Limits of q and of its steps, (n,) each.

    - `speed`: velocity limits, rad/s or m/s.
    - `step`: largest change in one step; infinite for entries in metres.
    - `scale`: 1/√weight of each joint, in which steps are measured.
    - `floats`: whether q[3:6] is the rotation vector of a floating root.
    """

    def __init__(self, body: Any, step: Any, scale: Any) -> None:
        super().__init__(body)
        self.floats = body.root == 'floating'
        self.speed = self.memory.vector(body.velocity_limits)
        self.step, self.scale = self.memory.vector(step), self.memory.vector(scale)


class StepWork:
    """Scratch for steps: m rows over n entries of q.

    - `A` (n, m), `e` (m,): the rows, A x = e is wanted; `A_trial`, `e_trial`: those after a step.
    - `x`: (n,) the step; `lower`, `upper` (n,) are its bounds.
    """

    def __init__(self, n: int, m: int) -> None:
        self.memory = memory = Memory()
        self.n, larger = n, max(n, m)
        self.A, self.A_trial = memory.matrix(n, m), memory.matrix(n, m)
        self.G = memory.matrix(larger, larger)
        self.e, self.e_trial, self.e_wanted = self.row(m), self.row(m), self.row(m)
        self.left, self.rest, self.values = self.row(m), self.row(m), self.row(m)
        self.e_here, self.y, self.x = self.row(m), self.row(larger), self.row(n)
        self.trial, self.lower, self.upper = self.row(n), self.row(n), self.row(n)
        self.active, self.rows, self.places = self.indices(m), self.indices(m), self.indices(m)
        self.columns, self.free, self.freed = self.indices(n), self.indices(n), self.indices(n)

    def row(self, count: int) -> Vector:
        """Return zeros (count,)."""
        return self.memory.vector(np.zeros(count))

    def indices(self, count: int) -> Integers:
        """Return integers (count,)."""
        return self.memory.integers(np.zeros(count))


def set_bounds(limits: Limits, work: StepWork, q: Vector, dt: float, most: float) -> None:
    """Write the bounds of a step of dt seconds from q (n,), no longer than `most`, into work."""
    for k in range(work.n):
        own = min(limits.speed[k] * dt, limits.step[k])
        low = min(max(limits.lower[k] - q[k], -own), own)
        high = min(max(limits.upper[k] - q[k], -own), own)
        low = max(low, -most)
        work.lower[k] = low / limits.scale[k]
        work.upper[k] = max(min(high, most), low) / limits.scale[k]


def set_region(limits: Limits, work: StepWork, q: Vector, radius: float) -> None:
    """Write the bounds of a step from q (n,), inside the limits, within a trust region."""
    for k in range(work.n):
        most = min(limits.step[k], radius)
        work.lower[k] = max(limits.lower[k] - q[k], -most) / limits.scale[k]
        work.upper[k] = min(limits.upper[k] - q[k], most) / limits.scale[k]


def scale_columns(limits: Limits, A: Matrix, m: int) -> None:
    """Multiply the rows A (n, m) of joint values by the scale of the joints."""
    for k in range(limits.n):
        if limits.scale[k] != 1.0:
            for i in range(m):
                A[k][i] *= limits.scale[k]


def subtract(A: Matrix, x: Vector, n: int, m: int, left: Vector) -> None:
    """Subtract A x from left (m,)."""
    for k in range(n):
        if x[k] != 0.0:
            for i in range(m):
                left[i] -= A[k][i] * x[k]


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
