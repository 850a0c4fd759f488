"""Joints as lines in space, including virtual joints for free axes of a goal.

A goal with a free tip axis is equivalent to an arm with one more joint, along or about that axis.
"""

from typing import NamedTuple

import numpy as np

from ik_node.kinematics.kinds import PRISMATIC, REVOLUTE
from ik_node.kinematics.structures import axes_at_zero
from ik_node.model.chain import Chain
from ik_node.spatial import inverse, turn_z_onto

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
