"""Bounds on the distance of a chain's tip and wrist from the first joint."""

import functools
from typing import NamedTuple

import numpy as np

from ik_node.kinematics.kinds import PRISMATIC, REVOLUTE
from ik_node.kinematics.structures import ChainArrays, axes_at_zero

_NOTHING = 1e-9  # m, or of the travel: shorter links count as zero
_SWEEPS = 20
_STILL = 1e-9  # of the farthest point: sweeps with smaller changes end the iteration


class WristBall(NamedTuple):
    """A point of the last axis that is fixed in the tip's frame, and the ball it cannot leave."""

    wrist: np.ndarray  # (3,) m, tip frame
    centre: np.ndarray  # (3,) m, base frame
    radius: float  # m; infinite where there is no bound


class Extent(NamedTuple):
    """Extent of an arm, m, independent of the points chosen on its axes."""

    centre: np.ndarray  # (3,) base frame
    reach: float
    """Radius about the centre that contains every tip position; infinite without a bound."""
    hole: float  # radius about the centre that the tip cannot enter: |L1 − L2| for a planar 2R arm
    length_scale: float
    """The total length of the links, which relates metres to radians. Of prismatic joints alone
    their travel; 1 where that is unbounded."""


def extent(chain: ChainArrays) -> Extent:
    """Return the `Extent` of a chain.

    A revolute axis is fixed in both links that it joins. The points are moved along their axes to
    minimise the length of the path through them, so that the bounds do not depend on the origins
    in a file. Prismatic joints add their travel, infinite without limits.
    """
    points, axes = axes_at_zero(chain)
    _shorten(chain, points, axes, len(axes))
    lengths = _lengths(points)
    size, travel = float(lengths.sum()), _travel(chain, len(axes))
    hole = max(0.0, float(2.0 * lengths.max()) - size - travel) if travel < np.inf else 0.0
    if np.isfinite(travel) and size <= _NOTHING * travel:
        scale = travel if travel > _NOTHING else 1.0
    else:
        scale = size if size > _NOTHING else 1.0
    return Extent(points[0], size + travel, hole, scale)


def wrist_ball(chain: ChainArrays) -> WristBall:
    """Return the `WristBall` of a chain: a tip pose determines the position of its wrist.

    On a spherical wrist the point is its centre.
    """
    points, axes = axes_at_zero(chain)
    tip = functools.reduce(np.matmul, chain.placement)
    last = len(axes) - 1
    if chain.kind[last] != REVOLUTE:
        return WristBall(np.zeros(3), points[0], np.inf)
    _shorten(chain, points, axes, last)
    points[last] += axes[last] * ((points[last - 1] - points[last]) @ axes[last])
    return WristBall(tip[:3, :3].T @ (points[last] - tip[:3, 3]), points[0],
                     float(_lengths(points[:-1]).sum()) + _travel(chain, last))


def _shorten(chain: ChainArrays, points: np.ndarray, axes: np.ndarray, count: int) -> None:
    """Move points, in place, along the first `count` revolute axes to shorten the path.

    The point on the next axis, if there is one, is moved as well.
    """
    for _ in range(_SWEEPS):
        farthest = 0.0
        for k in range(count):
            if chain.kind[k] == REVOLUTE:
                before = points[k - 1] if k else None
                shift = _shortest(points[k], axes[k], before, points[k + 1])
                points[k] += axes[k] * shift
                farthest = max(farthest, abs(shift))
        if 0 < count < len(axes):
            shift = (points[count - 1] - points[count]) @ axes[count]
            points[count] += axes[count] * shift
            farthest = max(farthest, abs(shift))
        if farthest <= _STILL * np.abs(points).max():
            return


def _lengths(points: np.ndarray) -> np.ndarray:
    return np.linalg.norm(np.diff(points, axis=0), axis=1)


def _travel(chain: ChainArrays, count: int) -> float:
    limits = np.maximum(np.abs(chain.lower), np.abs(chain.upper))
    return float(sum(abs(chain.ratio[k]) * limits[chain.column[k]]
                     for k in np.flatnonzero(chain.kind[:count] == PRISMATIC)))


def _shortest(point: np.ndarray, axis: np.ndarray, before: np.ndarray | None,
              after: np.ndarray) -> float:
    """Return the shift of a point along its axis that minimises the path before–point–after."""
    t_after = (after - point) @ axis
    if before is None:
        return t_after
    t_before = (before - point) @ axis
    d_after = np.linalg.norm(after - point - t_after * axis)
    d_before = np.linalg.norm(before - point - t_before * axis)
    if d_before + d_after < 1e-12:
        return 0.5 * (t_before + t_after)
    return (t_before * d_after + t_after * d_before) / (d_before + d_after)
