"""Trees and chains as flat arrays, from which kernels copy their records."""

from typing import NamedTuple

import numpy as np

from ik_node.kinematics.kinds import SPHERICAL_Z

_NONE = np.empty(0)


class TreeArrays(NamedTuple):
    """A tree as flat arrays, one entry per link, depth first; entry 0 has no parent.

    The value of the joint into link k is `offset[k] + ratio[k] · q[column[k]]`, or `offset[k]`
    where column[k] is −1: fixed and held joints.
    """

    parent: np.ndarray
    """(k,) index of the parent link, always smaller than the link's own; −1 for the root."""
    kind: np.ndarray
    """(k,) kind of the joint into the link: REVOLUTE, PRISMATIC or SPHERICAL_X, _Y, _Z."""
    placement: np.ndarray  # (k, 4, 4) T_parent_joint, constant; m
    axis: np.ndarray  # (k, 3) unit axis of the joint, joint frame; of no meaning for a fixed joint
    column: np.ndarray
    """(k,) entry of q that moves the joint, for mimics that of their source; −1 for none."""
    ratio: np.ndarray  # (k,) change of the joint's value per unit of q; 1 except for mimics
    offset: np.ndarray  # (k,) the joint's value at q = 0, rad or m
    moved: np.ndarray
    """(k,) first link that the joint moves: k, for spherical joints the last of the three."""
    mass: np.ndarray = _NONE
    """(k,) kg, zero without an inertial, as the two below; these are empty where none counts."""
    center: np.ndarray = _NONE  # (k, 3) centre of mass, link frame, m
    inertia: np.ndarray = _NONE  # (k, 3, 3) about the centre of mass, link axes, kg m²


def first_moved(parent: np.ndarray, kind: np.ndarray) -> np.ndarray:
    """Return `moved` (k,) of `TreeArrays`: the link itself, for spherical joints the last link."""
    moved = np.arange(len(parent))
    for last in np.flatnonzero(kind == SPHERICAL_Z):
        second = parent[last]
        moved[second] = moved[parent[second]] = last
    return moved


class ChainArrays(NamedTuple):
    """A serial chain as flat arrays, one entry per articulation: a moving joint or mimic.

    The frames are rotated so that every axis is the z axis of its own frame: an articulation then
    changes two columns only, and the Jacobian takes its axes from the third.
    """

    placement: np.ndarray
    """(m + 1, 4, 4) constants: base to first joint, joint to joint, last joint to tip; m."""
    kind: np.ndarray
    """(m,) kind of the articulation: REVOLUTE, PRISMATIC, or SPHERICAL_X, _Y and _Z in a row."""
    column: np.ndarray  # (m,) entry of q that moves the articulation; a mimic shares its source's
    ratio: np.ndarray
    """(m,) motion per unit of q; 1 except for mimics, whose offset is in placement."""
    shared: np.ndarray  # (m,) whether another articulation moves by the same entry of q
    lower: np.ndarray  # (n,) rad or m; −inf without a limit
    upper: np.ndarray  # (n,) rad or m; +inf without a limit
    turns: np.ndarray
    """(n,) whether q + 2π is equivalent to q: only revolute joints, with integer ratios."""


def axes_at_zero(chain: ChainArrays) -> tuple[np.ndarray, np.ndarray]:
    """Return (points, directions): a point on every axis, and the tip, (m + 1, 3), and (m, 3).

    At q = 0, base frame, m.
    """
    T, frames = np.eye(4), []
    for placement in chain.placement:
        T = T @ placement
        frames.append(T)
    F = np.array(frames)
    return F[:, :3, 3].copy(), F[:-1, :3, 2].copy()
