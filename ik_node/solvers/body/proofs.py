"""Proofs that a task of a body cannot be met: balls that its points cannot leave, and limits."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ik_node.kinematics.kinds import PRISMATIC
from ik_node.kinematics.tree_frames import frames_at
from ik_node.model.body import ORIGIN, Body
from ik_node.solvers.result import StopReason
from ik_node.tasks.base import Task, perpendicular
from ik_node.tasks.center_of_mass import CenterOfMass
from ik_node.tasks.distance import Distance
from ik_node.tasks.point_on import HalfSpace, PointOnLine, PointOnPlane
from ik_node.tasks.pose import Pose, Position, RelativePose
from ik_node.tasks.posture import Posture

_ROUNDING = 1e-9  # of a radius, and m


class Proof(NamedTuple):
    """Why a task cannot be met."""

    reason: StopReason
    text: str


class _Ball(NamedTuple):
    """The centre (3,), world frame, and the radius, m; infinite where there is no bound."""

    centre: np.ndarray
    radius: float


def proof(body: Body, task: Task, position_tolerance: float,
          orientation_tolerance: float) -> Proof | None:
    """Return why a task cannot be met at any q, None where nothing is proved.

    UNREACHABLE: a point would have to leave the ball that the lengths of the links before it and
    the travel of prismatic joints allow, whatever the revolute joints do. LIMITS: a posture that
    has to be met is outside the limits.
    """
    if isinstance(task, Posture):
        return _beyond_limits(body, task, position_tolerance, orientation_tolerance)
    least = max((miss for miss in _least_misses(body, task) if math.isfinite(miss)), default=0.0)
    if not least > position_tolerance:
        return None
    return Proof(StopReason.UNREACHABLE, f'it is out of reach by at least {least:.3g} m')


def _beyond_limits(body: Body, task: Posture, position_tolerance: float,
                   orientation_tolerance: float) -> Proof | None:
    columns, wanted = task.wanted(body)
    over = wanted - np.clip(wanted, body.lower[columns], body.upper[columns])
    metres = task.rows(body).metres
    if (np.linalg.norm(over[metres]) <= position_tolerance
            and np.linalg.norm(over[~metres]) <= orientation_tolerance):
        return None
    joints = ', '.join(repr(body.joint_names[k]) for k in columns[over != 0.0])
    return Proof(StopReason.LIMITS, f'it is outside the limits of {joints}')


def _least_misses(body: Body, task: Task) -> Iterator[float]:
    """Yield bounds, m, on how far a task stays from being met; not positive ones prove nothing."""
    if isinstance(task, Pose):
        across = task.target[:3, :3].T[task.weights[:3] > 0.0]
        yield _least(_ball_at(body, task), task.target[:3, 3], across)
    elif isinstance(task, Position):
        yield _least(_ball_at(body, task), task.target, np.eye(3))
    elif isinstance(task, PointOnLine):
        yield _least(_ball_at(body, task), task.origin, perpendicular(task.direction))
    elif isinstance(task, HalfSpace):
        yield _least_outside(_ball_at(body, task), task.origin, task.normal)
    elif isinstance(task, PointOnPlane):
        yield _least(_ball_at(body, task), task.origin, task.normal[None, :])
    elif isinstance(task, CenterOfMass):
        ball = _mass_ball(body)
        if task.target is not None:
            targeted = np.isfinite(task.target)
            yield _least(ball, np.where(targeted, task.target, 0.0), np.eye(3)[targeted])
        for normal, corner in zip(*task.edges()):
            yield _least_outside(ball, corner, normal)
    elif isinstance(task, RelativePose):
        yield float(np.linalg.norm(task.target[:3, 3])) - _span(
            body, task.link, ORIGIN, task.reference, ORIGIN)
    elif isinstance(task, Distance) and task.link_b is not None and task.lower > 0.0:
        yield task.lower - _span(body, task.link_a, task.point_a, task.link_b, task.point_b)


def _least(ball: _Ball, origin: np.ndarray, across: np.ndarray) -> float:
    """Return how far a point in a ball stays from one at the origin along orthonormal rows."""
    return float(np.linalg.norm(across @ (ball.centre - origin))) - ball.radius


def _least_outside(ball: _Ball, origin: np.ndarray, normal: np.ndarray) -> float:
    """Return how far a ball stays behind a plane, or seen from above a line, of a unit normal."""
    return -float(normal @ (ball.centre[:len(normal)] - origin)) - ball.radius


def _ball_at(body: Body, task: Any) -> _Ball:
    """Return a ball that the point of a task's link cannot leave."""
    return _ball(body, body.link_index(task.link), task.point)


def _ball(body: Body, link: int, point: np.ndarray) -> _Ball:
    """Return a ball about the first joint that moves a point (3,) of a link, in its frame."""
    path, arrays = _to_root(body, link), body.arrays
    first = next((k for k, at in enumerate(path) if arrays.column[at] >= 0), len(path))
    frames = frames_at(body.record, body.neutral())
    T = frames.T_world_link[path[first - 1]] if first > 0 else np.eye(4)
    if first == len(path):  # nothing moves it
        return _Ball(T[:3, :3] @ point + T[:3, 3], _ROUNDING)
    centre = T[:3, :3] @ arrays.placement[path[first]][:3, 3] + T[:3, 3]
    radius = _travel(body, path[first]) + float(np.linalg.norm(point))
    radius += sum(_length(body, at) for at in path[first + 1:])
    return _Ball(centre, radius * (1.0 + _ROUNDING) + _ROUNDING)


def _mass_ball(body: Body) -> _Ball:
    """Return a ball that holds the centre of mass."""
    mass, centers = body.arrays.mass, body.arrays.center
    balls = [(mass[k], _ball(body, k, centers[k])) for k in map(int, np.flatnonzero(mass))]
    centre = np.asarray(sum(m * ball.centre for m, ball in balls)) / body.mass
    return _Ball(centre, float(sum(abs(m) * ball.radius for m, ball in balls)) / body.mass)


def _span(body: Body, link: str, point: np.ndarray, other: str,
          other_point: np.ndarray) -> float:
    """Return a distance, m, that points of two links cannot exceed."""
    own, others = (_to_root(body, body.link_index(name)) for name in (link, other))
    length = sum(_length(body, at) for at in [*own, *others] if at not in set(own) & set(others))
    length += float(np.linalg.norm(point) + np.linalg.norm(other_point))
    return length * (1.0 + _ROUNDING) + _ROUNDING


def _to_root(body: Body, link: int) -> list[int]:
    """Return the links from the root to one, this included."""
    path = [link]
    while body.arrays.parent[path[-1]] >= 0:
        path.append(int(body.arrays.parent[path[-1]]))
    return path[::-1]


def _length(body: Body, at: int) -> float:
    """Return how far a link's origin can be from its parent's, m."""
    return float(np.linalg.norm(body.arrays.placement[at][:3, 3])) + _travel(body, at)


def _travel(body: Body, at: int) -> float:
    """Return how far a prismatic joint moves its link from its placement, m; 0 of others."""
    arrays, column = body.arrays, body.arrays.column[at]
    if arrays.kind[at] != PRISMATIC:
        return 0.0
    if column < 0:
        return abs(float(arrays.offset[at]))
    ends = arrays.offset[at] + arrays.ratio[at] * np.array([body.lower[column], body.upper[column]])
    return float(np.abs(ends).max())
