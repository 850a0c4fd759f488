"""Joints as lines in space, including virtual joints for free axes of a goal.

A goal with a free tip axis is equivalent to an arm with one more joint, along or about that axis.
An arm with fewer than six joints gets virtual joints that stay at zero; a solution that moves them
is none of the true arm.
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


def fillers(joints: Joints, tip: np.ndarray, missing: int, size: float) -> list[Joints]:
    """Return completions to six joints, by virtual joints at the end.

    Each gives the arm a spherical wrist, or one more parallel axis, where possible; tip: (3,) m.
    """
    last, point, revolute = joints.axes[-1], joints.points[-1], joints.kind[-1] == REVOLUTE
    on_axis, frame = point + last * (last @ (tip - point)), turn_z_onto(last).T
    if missing >= 3:
        return [_with_wrist(joints, tip, on_axis, missing, size)]
    ends = []
    if missing == 2 and revolute:
        ends = [(frame[:2], on_axis + shift * size * last) for shift in (0.0, 0.5, -0.5)]
    elif missing == 1 and revolute:
        common = np.cross(joints.axes[-2], last)
        if joints.kind[-2] == REVOLUTE and np.linalg.norm(common) > 1e-2:
            ends = [((common / np.linalg.norm(common))[None], nearest_point(joints, -2, -1))]
        elif joints.kind[-2] == REVOLUTE:
            ends = [(last[None], point + size * frame[0])]
        ends.append((frame[:1], on_axis))
    if missing in (1, 2):  # for a prismatic last joint, or axes that do not meet
        ends.append((frame[:missing], tip + 0.3 * size * frame[1]))
    return [joints.followed_by(virtual(REVOLUTE, *end)) for end in ends]


def _with_wrist(arm: Joints, tip: np.ndarray, on_axis: np.ndarray, missing: int,
                size: float) -> Joints:
    """Return a wrist off the last axis, after rotations that complete the positioning.

    on_axis: the point (3,) of the last axis nearest to the tip (3,), m.
    """
    wrist, at = tip, on_axis
    if arm.kind[-1] != PRISMATIC and np.linalg.norm(tip - on_axis) <= 0.05 * size:
        wrist = on_axis + size * turn_z_onto(arm.axes[-1])[:, 0]
    for _ in range(missing - 3):
        axis = turn_z_onto(arm.axes[-1])[:, 1]
        arm = arm.followed_by(virtual(REVOLUTE, axis[None], at))
        at = at + 0.5 * size * arm.axes[-2] if arm.kind[-2] == REVOLUTE else at
        wrist = at + size * turn_z_onto(axis)[:, 0]
    return arm.followed_by(virtual(REVOLUTE, turn_z_onto(arm.axes[-1]).T, wrist))


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
