"""Nominal geometry: nearly intersecting or nearly parallel axes are made exact.

Files contain 1.5708 and 3.14159, and calibration moves every axis by a millimetre. Closed forms
need the nominal geometry; its deviation from the file is reported, and corrected by Newton's
method afterwards.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np

from ik_node.kinematics.kinds import PRISMATIC, REVOLUTE
from ik_node.solvers.analytic.recognition.joints import Joints, nearest_point
from ik_node.solvers.analytic.structure import EXACT_SLACK

ANGLE_TOLERANCE = 1e-2   # rad: larger angles are taken as intended
LENGTH_TOLERANCE = 3e-3  # m, or this fraction of the size of a larger arm
_ROUNDING = 1e-12        # rad or m: deviations that are not reported


class Nominal(NamedTuple):
    """Joints with a property made exact."""

    joints: Joints
    angle: float
    """The largest angle between axes that count as parallel, rad."""
    length: float
    """The largest shift, m."""


def parallel(a: np.ndarray, b: np.ndarray, tolerance: float = ANGLE_TOLERANCE) -> bool:
    """Tell whether two axes are parallel, either way round."""
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()
    return math.hypot(y * w - z * v, z * u - x * w, x * v - y * u) <= tolerance


def _is_negligible(length: float, size: float) -> bool:
    """Tell whether a distance, m, is zero up to rounding or calibration."""
    return length <= min(LENGTH_TOLERANCE * max(size, 1.0), 3.0 * LENGTH_TOLERANCE * size)


def common_point(joints: Joints, place: int, span: int = 3) -> tuple[np.ndarray, float]:
    """Return the point (3,) nearest to three axes, or two, from `place` on, and their miss, m.

    Infinite unless they are revolute, and neighbours not nearly parallel.
    """
    some, last = slice(place, place + span), place + span - 1
    h = joints.axes[some]
    if (joints.kind[some] != REVOLUTE).any() or any(
            parallel(a, b, 0.05) for a, b in itertools.pairwise(h)):
        return joints.points[place], math.inf
    feet = np.array([nearest_point(joints, place, place + 1),
                     nearest_point(joints, last, last - 1)])
    centre = feet.mean(axis=0)
    offset = joints.points[some] - centre
    away = offset - h * (h * offset).sum(axis=1)[:, None]
    return centre, max(float(np.linalg.norm(away, axis=1).max()),
                       float(np.linalg.norm(feet[0] - centre)))


def with_common_point(joints: Joints, place: int, size: float, span: int = 3) -> Nominal | None:
    """Return joints whose axes from `place` on meet; None where they are far from it."""
    centre, miss = common_point(joints, place, span)
    if not _is_negligible(miss, size):
        return None
    points = joints.points.copy()
    points[place:place + span] = centre
    return Nominal(joints._replace(points=points), 0.0, miss)


def with_common_direction(joints: Joints, indices: list[int]) -> Nominal | None:
    """Return joints with the axes at some indices parallel; None where they are far from it."""
    first = joints.axes[indices[0]]
    if not all(parallel(first, joints.axes[i]) for i in indices):
        return None
    signs = np.sign(joints.axes[indices] @ first)
    mean = (signs[:, None] * joints.axes[indices]).sum(axis=0)
    mean /= np.linalg.norm(mean)
    axes = joints.axes.copy()
    axes[indices] = signs[:, None] * mean
    worst = float(np.linalg.norm(np.cross(first, joints.axes[indices]), axis=1).max())
    return Nominal(joints._replace(axes=axes), worst, 0.0)


def with_simple_neighbours(nominal: Nominal, pairs: list[tuple[int, int]], size: float) -> Nominal:
    """Make relations of pairs (i, j) of neighbours exact: parallel, perpendicular, intersecting.

    Joint j of a pair is moved, joint i stays.
    """
    joints, angle, length = nominal
    axes, points = joints.axes.copy(), joints.points.copy()
    for still, moving in pairs:
        h, g = axes[still], axes[moving]
        prismatic = PRISMATIC in (joints.kind[still], joints.kind[moving])
        cosine = float(h @ g)
        if parallel(h, g):
            wanted = np.sign(cosine) * h
        elif prismatic and abs(cosine) <= ANGLE_TOLERANCE:
            wanted = g - cosine * h
            wanted /= np.linalg.norm(wanted)
        else:
            wanted = g
        angle = max(angle, float(np.linalg.norm(np.cross(wanted, g))))
        axes[moving] = wanted
        if prismatic or parallel(h, wanted):
            continue
        between = points[moving] - points[still]
        normal = np.cross(h, wanted)
        normal /= np.linalg.norm(normal)
        gap = float(between @ normal)
        if _is_negligible(abs(gap), size):
            points[moving] = points[moving] - gap * normal
            length = max(length, abs(gap))
    return Nominal(joints._replace(axes=axes, points=points), angle, length)


def deviation_text(angle: float, length: float) -> str:
    """Return the deviation of a file from the nominal geometry as text; '' for rounding only."""
    parts = [f'{off:.1e} {unit}' for off, unit in ((angle, 'rad'), (length, 'm'))
             if off > _ROUNDING]
    return f'; to within {" and ".join(parts)}' if parts else ''


def slack_of(angle: float, length: float, size: float) -> float:
    """Return the slack of a nominal arm that deviates by an angle, rad, and a length, m."""
    off = angle + length / size
    return EXACT_SLACK if off < 1e-9 else 10.0 * off + EXACT_SLACK


def is_exact(nominal: Nominal, size: float) -> bool:
    """Tell whether an arm equals its nominal geometry up to rounding."""
    return slack_of(nominal.angle, nominal.length, size) <= EXACT_SLACK
