"""Axes that point along a direction, or at a point."""

import math
from typing import Any

import numpy as np

from ik_node.kernels.body_task import BodyTask
from ik_node.kernels.direction_tasks import AlignTask, LookTask
from ik_node.model.body import Body
from ik_node.model.body_frames import BodyFrames
from ik_node.tasks import checks
from ik_node.tasks.base import Rows, Task, perpendicular, rows

_SMALL_ANGLE = 1e-3  # rad; below it a series is as exact as the closed form
_OPPOSITE = 1e-12    # sine below which two opposite axes say not which way to turn


class AlignAxis(Task):
    """An axis of a link along a direction: r = (θ / sin θ) B a (2,), rad, |r| = θ.

    a: the axis in the world, θ the angle between it and the direction, B (2, 3) two unit vectors at
    right angles to the direction. The axis moves by ȧ = ω × a. The turn about the direction is
    free.

    - `link`; `axis`: (3,) in its frame; `direction`: (3,) world axes. Both are kept as unit
      vectors.
    """

    axis = checks.Checked(checks.direction)
    direction = checks.Checked(checks.direction)

    def __init__(self, link: str, axis: Any, direction: Any, *, weight: float = 1.0,
                 priority: int = 1, name: str | None = None) -> None:
        """Make the task. Raises InputError for malformed arguments, zero axes included."""
        super().__init__((link,), weight, priority, name)
        self.link = link
        self.axis, self.direction = axis, direction

    def rows(self, body: Body) -> Rows:
        """Return what the rows are: two angles."""
        return rows([False] * 2)

    def record(self, body: Body, index: int) -> BodyTask:
        """Return what kernels evaluate it by; see `Task.record`."""
        return AlignTask(index, body.link_index(self.link), self.axis, self.direction,
                         perpendicular(self.direction))

    def evaluate(self, frames: BodyFrames) -> tuple[np.ndarray, np.ndarray]:
        """Return the residual (2,) and its Jacobian (2, n)."""
        a = frames.pose(self.link)[:3, :3] @ self.axis
        return angle_between(a, _turning(frames.jacobian(self.link)[3:], a), self.direction)


class LookAt(Task):
    """The ray from a link's origin along an axis of it meets a point: r = (θ / sin θ) B u (2,).

    u: the direction to the point in the link's frame, θ (rad) the angle between it and the axis,
    B (2, 3) two unit vectors at right angles to the axis; |r| = θ. With v = target − p in the
    world, u = Rᵀ v/|v|, and v seen from the link moves by −(ṗ + ω × v). Where the link's origin is
    at the target, r = 0.

    - `link`; `axis`: (3,) in its frame, kept as a unit vector.
    - `target`: (3,) m, world frame, or None.
    """

    axis = checks.Checked(checks.direction)
    target = checks.Checked(checks.optional(checks.point))

    def __init__(self, link: str, axis: Any, target: Any = None, *, weight: float = 1.0,
                 priority: int = 1, name: str | None = None) -> None:
        """Make the task. Raises InputError for malformed arguments, a zero axis included."""
        super().__init__((link,), weight, priority, name)
        self.link = link
        self.axis, self.target = axis, target

    def rows(self, body: Body) -> Rows:
        """Return what the rows are: two angles."""
        return rows([False] * 2)

    def record(self, body: Body, index: int) -> BodyTask:
        """Return what kernels evaluate it by; see `Task.record`."""
        return LookTask(index, body.link_index(self.link), self.axis, perpendicular(self.axis))

    def put_target(self, record: BodyTask) -> None:
        """Write the target into what kernels evaluate the task by."""
        record.set_point(self.target)

    def target_in(self, frames: BodyFrames) -> np.ndarray:
        """Return the point of the ray (3,) that is 1 m from the link's origin, m."""
        T = frames.pose(self.link)
        p: np.ndarray = T[:3, 3] + T[:3, :3] @ self.axis
        return p

    def evaluate(self, frames: BodyFrames) -> tuple[np.ndarray, np.ndarray]:
        """Return the residual (2,) and its Jacobian (2, n)."""
        T, J = frames.pose(self.link), frames.jacobian(self.link)
        v = self.target - T[:3, 3]
        distance = math.sqrt(v @ v)
        if distance < 1e-12:
            return np.zeros(2), np.zeros((2, J.shape[1]))
        unit = v / distance
        J_v = -(J[:3] + _turning(J[3:], v)) / distance
        J_v -= unit[:, None] * (unit @ J_v)
        R = T[:3, :3]
        return angle_between(R.T @ unit, R.T @ J_v, self.axis)


def _turning(J_w: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return ω × v (3, n) for each column ω of J_w (3, n)."""
    return np.array([J_w[1] * v[2] - J_w[2] * v[1], J_w[2] * v[0] - J_w[0] * v[2],
                     J_w[0] * v[1] - J_w[1] * v[0]])


def angle_between(a: np.ndarray, J_a: np.ndarray,
                  direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (θ / sin θ) B a (2,), rad, and its Jacobian (2, n), of unit vectors (3,).

    J_a (3, n) is that of a. With c = cos θ = a · direction and g(c) = θ / sin θ, the derivative is
    g B ȧ + B a g'(c) ċ, where g' = (θ cos θ / sin θ − 1) / sin² θ. At θ = π, where every turn
    serves, the first row of B says which.
    """
    B = perpendicular(direction)
    across, c = B @ a, float(direction @ a)
    s = math.hypot(across[0], across[1])
    angle = math.atan2(s, c)
    if c < 0.0 and s < _OPPOSITE:
        return (np.array([math.pi, 0.0]),
                np.array([-B[0] @ J_a, np.zeros(J_a.shape[1])]))
    if angle < _SMALL_ANGLE:
        g, slope = 1.0 + angle * angle / 6.0, -1.0 / 3.0 - 2.0 * angle * angle / 15.0
    else:
        g = angle / s
        slope = (g * c - 1.0) / (s * s)
    return g * across, g * (B @ J_a) + np.outer(across, slope * (direction @ J_a))
