"""How far a chain's tip, and its wrist, can get from the first joint, whatever the joint values."""

from typing import NamedTuple

import numpy as np

from ik_node.kinematics.axes import axes_at_zero
from ik_node.kinematics.forward import SLIDE, TURN


class WristBall(NamedTuple):
    """A point of the last axis that is fixed in the tip's frame, and the ball it cannot leave."""

    wrist: np.ndarray
    """(3,) m, tip frame."""
    centre: np.ndarray
    """(3,) m, base frame."""
    radius: float
    """m; infinite where there is no bound."""


def reach(chain):
    """Return (centre (3,), radius) of a ball, base frame, m, that holds every position of the tip.

    chain: `ChainArrays`. On a revolute axis any point is as good as another: it stands still in
    both links the axis joins. The points are slid along their axes until the way over all of them
    is shortest, so that the bound does not depend on where a file puts its frames. Prismatic arcs
    add their travel, without limits an infinite one.
    """
    arcs = len(chain.column)
    points, axes = axes_at_zero(chain)
    _shorten(chain, points, axes, arcs)
    return points[0], _length(points) + _travel(chain, arcs)


def wrist_ball(chain):
    """Return the `WristBall` of a chain: a pose of the tip says where its wrist has to be.

    On a spherical wrist the point is its centre. chain: `ChainArrays`.
    """
    arcs = len(chain.column)
    points, axes = axes_at_zero(chain)
    tip = np.eye(4)
    for placement in chain.placement:
        tip = tip @ placement
    last = arcs - 1
    if chain.kind[last] != TURN:
        return WristBall(np.zeros(3), points[0], np.inf)
    _shorten(chain, points, axes, last)
    points[last] += axes[last] * ((points[last - 1] - points[last]) @ axes[last])
    return WristBall(tip[:3, :3].T @ (points[last] - tip[:3, 3]), points[0],
                     _length(points[:arcs]) + _travel(chain, last))


def _shorten(chain, points, axes, count):
    """Slide points, in place, along the first `count` revolute axes to make the way shortest.

    The axis after those, if there is one, is slid along, too.
    """
    for _ in range(20):
        for k in range(count):
            if chain.kind[k] != SLIDE:
                before = points[k - 1] if k else None
                points[k] += axes[k] * _shortest(points[k], axes[k], before, points[k + 1])
        if 0 < count < len(axes):
            points[count] += axes[count] * ((points[count - 1] - points[count]) @ axes[count])


def _length(points):
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def _travel(chain, count):
    """Return how far the first `count` arcs slide at most, together, m."""
    travel = 0.0
    for k in np.flatnonzero(chain.kind[:count] == SLIDE):
        limits = chain.ratio[k] * np.array([chain.lower[chain.column[k]],
                                            chain.upper[chain.column[k]]])
        travel += float(np.abs(limits).max())
    return travel


def _shortest(point, axis, before, after):
    """Return how far to slide a point along its axis to make before–point–after shortest."""
    t_after = (after - point) @ axis
    if before is None:
        return t_after
    t_before = (before - point) @ axis
    d_after = np.linalg.norm(after - point - t_after * axis)
    d_before = np.linalg.norm(before - point - t_before * axis)
    if d_before + d_after < 1e-12:
        return 0.5 * (t_before + t_after)
    return (t_before * d_after + t_after * d_before) / (d_before + d_after)
