"""Nominal geometry: nearly intersecting or nearly parallel axes are made exact.

Files contain 1.5708 and 3.14159, and calibration moves every axis by a millimetre. Closed forms
need the nominal geometry; its deviation from the file is reported, and corrected by Newton's
method afterwards.

Joints are lines in space, including virtual joints for free axes of a goal: a goal with a free tip
axis is equivalent to an arm with one more joint, along or about that axis.
"""

import itertools
import math
from typing import Any, NamedTuple

import numpy as np

from ik_node.kinematics.kinds import PRISMATIC, REVOLUTE
from ik_node.kinematics.structures import axes_at_zero
from ik_node.model.chain import Chain
from ik_node.solvers.analytic.families.closed_family import EXACT_SLACK
from ik_node.solvers.analytic.families.loop_6r import GeneralArm
from ik_node.solvers.analytic.families.swivel import Swivel
from ik_node.solvers.analytic.families.triples import (
    FreePlanarTriple,
    ParallelTriple,
    SphericalTriple,
)
from ik_node.spatial import inverse, turn_z_onto

ANGLE_TOLERANCE = 1e-2   # rad: larger angles are taken as intended
LENGTH_TOLERANCE = 3e-3  # m, or this fraction of the size of a larger arm
_ROUNDING = 1e-12        # rad or m: deviations that are not reported

SPHERICAL, PARALLEL, PLANAR, PLANAR_FREE, SWIVEL, GENERAL = range(6)
_FAMILIES = (
    SphericalTriple, ParallelTriple, ParallelTriple, FreePlanarTriple, Swivel, GeneralArm)
# Time of the preferred solution of each in iterations of dls on six joints, 0.7 µs where 100 arms
# were measured; these are the medians.
COSTS = 7.5, 7.0, 10.0, 30.0, 30.0, 70.0
NOT_THERE = -1  # column of a virtual joint


class Joints(NamedTuple):
    """k joints from base to tip, at zero, base frame."""

    kind: np.ndarray
    """(k,) REVOLUTE or PRISMATIC."""
    axes: np.ndarray
    """(k, 3) unit vectors."""
    points: np.ndarray
    """(k, 3) m."""
    column: np.ndarray
    """(k,) entry of q, or NOT_THERE."""

    def followed_by(self, other: 'Joints') -> 'Joints':
        """Return these joints followed by others."""
        return Joints(*(np.concatenate(pair) for pair in zip(self, other)))

    def without(self, indices: tuple[int, ...]) -> 'Joints':
        """Return all joints except those at some indices."""
        keep = np.setdiff1d(np.arange(len(self.kind)), indices)
        return Joints(*(field[keep] for field in self))


def joints_of(chain: Chain) -> Joints | str:
    """Return a chain's joints, or the reason why closed forms do not support them."""
    arrays, n = chain.arrays, chain.n_joints
    if (arrays.kind > PRISMATIC).any():
        return f'{n} joints, spherical joints among them'
    if len(arrays.column) != n or (arrays.ratio != 1.0).any():
        return f'{n} joints, mimics among them'
    points, axes = axes_at_zero(arrays)
    return Joints(arrays.kind.copy(), axes, points[:n], arrays.column.copy())


def free_joints(T_base_tip: np.ndarray, constrained: np.ndarray,
                along_goal: bool) -> tuple[Joints, Joints] | None:
    """Return the virtual joints before and after the arm's that represent free axes of a goal.

    T_base_tip: at zero. constrained (6,): which axes the goal constrains; along_goal: whether they
    are its own axes, else the base's. None where a single rotation is constrained: the rest is no
    motion of a joint.
    """
    translations, rotations = np.flatnonzero(~constrained[:3]), np.flatnonzero(~constrained[3:])
    if len(rotations) == 2:
        return None
    tip, R = T_base_tip[:3, 3], T_base_tip[:3, :3]
    before = virtual(PRISMATIC, np.eye(3)[[] if along_goal else translations], tip)
    after = virtual(REVOLUTE, R.T[rotations], tip).followed_by(
        virtual(PRISMATIC, R.T[translations if along_goal else []], tip))
    return before, after


def virtual(kind: int, axes: np.ndarray, point: np.ndarray) -> Joints:
    """Return virtual joints along or about some axes (k, 3) through a point (3,), m."""
    count = len(axes)
    return Joints(np.full(count, kind), axes.reshape(count, 3), np.tile(point, (count, 1)),
                  np.full(count, NOT_THERE))


def nearest_point(joints: Joints, i: int, j: int) -> np.ndarray:
    """Return the point (3,) of line j that is nearest line i, which is not parallel to it."""
    a, b = joints.axes[i], joints.axes[j]
    between, cosine = joints.points[j] - joints.points[i], joints.axes[i] @ joints.axes[j]
    return joints.points[j] + b * ((cosine * (between @ a) - between @ b) / (1.0 - cosine * cosine))


def motions(joints: Joints, values: np.ndarray) -> np.ndarray:
    """Return the motions 1, e₁, e₁ e₂ … (k + 1, 4, 4) of joints by values (k,), rad or m."""
    found = [np.eye(4)]
    for kind, axis, point, value in zip(joints.kind, joints.axes, joints.points, values):
        T, frame = np.eye(4), np.eye(4)
        if kind == PRISMATIC:
            T[:3, 3] = value * axis
        else:
            c, s = np.cos(value), np.sin(value)
            T[:2, :2] = [[c, -s], [s, c]]
            frame[:3, :3], frame[:3, 3] = turn_z_onto(axis), point
            T = frame @ T @ inverse(frame)
        found.append(found[-1] @ T)
    return np.array(found)


def twists(joints: Joints, values: np.ndarray) -> np.ndarray:
    """Return the twists (6, k) of joints at values (k,), of the point at the origin; base frame."""
    T = motions(joints, values)[:-1]
    along = np.einsum('kij,kj->ki', T[:, :3, :3], joints.axes)
    at = np.einsum('kij,kj->ki', T[:, :3, :3], joints.points) + T[:, :3, 3]
    return np.where(joints.kind[:, None] == PRISMATIC, np.hstack([along, 0.0 * along]),
                    np.hstack([np.cross(at, along), along])).T


class Structure(NamedTuple):
    """The nominal arm, as its closed form reads it: k real joints and virtual ones.

    A free axis of the goal is represented by a virtual joint, whose axis is one along or about
    which the tip is free to move.
    """

    family: int
    """SPHERICAL, PARALLEL, PLANAR, PLANAR_FREE, SWIVEL or GENERAL."""
    place: int
    """Index of the first joint of the triple, among the joints that are solved for."""
    size: float
    """Size of the arm, m."""
    slack: float
    """Fraction of the size by which a goal may exceed the nominal arm's reach."""
    T_tip_base: np.ndarray
    """(4, 4) the inverse of T_base_tip at zero, m."""
    kind: np.ndarray
    """(k,) REVOLUTE or PRISMATIC."""
    column: np.ndarray
    """(k,) entry of q, or −1 for a virtual joint."""
    locked: np.ndarray
    """(k,) index of the parameter that a joint is locked at, or −1."""
    axes: np.ndarray
    """(k, 3) at zero, base frame."""
    points: np.ndarray
    """(k, 3) m, at zero, base frame."""
    span: int = 3
    """Number of joints of the triple: fewer only for arms of five joints and fewer."""

    @property
    def parameters(self) -> int:
        """Number of redundancy parameters: values of locked joints, then the family's own."""
        return int(self.locked.max()) + 1 + (self.family in (PLANAR_FREE, SWIVEL))

    @property
    def may_be_off(self) -> bool:
        """Whether branches may deviate by more than rounding, or may lack their twins."""
        return self.family == GENERAL or self.slack > EXACT_SLACK

    def closed_form(self) -> Any:
        """Return the `ClosedFamily` of the arm."""
        return _FAMILIES[self.family](self)


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
