"""Forward kinematics of a whole tree and of one chain [Parent 5.4–5.5, fig. 5.13]."""

import math
from typing import NamedTuple

import numpy as np

from ik_node._jit import inline, njit
from ik_node.spatial import compose, copy_pose


class TreeArrays(NamedTuple):
    """A hierarchy as flat arrays, one entry per link, depth first; entry 0 is the root arc."""

    parent: np.ndarray
    """(k,) index of the parent link, always smaller than the link's own; −1 for the root."""
    prismatic: np.ndarray
    """(k,) whether the arc into the link slides instead of turning."""
    placement: np.ndarray
    """(k, 4, 4) T_parent_joint, the arc's constant L; m."""
    axis: np.ndarray
    """(k, 3) unit axis of the arc's articulation A(q), joint frame; zero where nothing moves."""


class ChainArrays(NamedTuple):
    """A serial chain as flat arrays, one entry per moving arc.

    The frames are turned so that every axis is the z axis of its own frame: an articulation then
    touches two columns only, and the Jacobian reads its axes off the third.
    """

    placement: np.ndarray
    """(m + 1, 4, 4) constants: base to first joint, joint to joint, last joint to tip; m."""
    prismatic: np.ndarray
    """(m,) whether the arc slides instead of turning."""
    column: np.ndarray
    """(m,) which entry of q moves the arc; a mimic shares its source's."""
    ratio: np.ndarray
    """(m,) how far the arc moves per unit of q; 1 but for mimics, whose offset is in placement."""
    shared: np.ndarray
    """(m,) whether another arc moves by the same entry of q."""
    lower: np.ndarray
    """(n,) rad or m; −inf where there is none."""
    upper: np.ndarray
    """(n,) rad or m; +inf where there is none."""
    turns: np.ndarray
    """(n,) whether the column turns nothing but revolute arcs by whole ratios: q + 2π is q."""


@njit
def tree_forward(tree, values, T_world_link):
    """Write the pose of every link into T_world_link (k, 4, 4), given every arc's value (k,).

    One pass, parents before children: `T_world_child = T_world_parent · L · A(q)`.
    """
    for link in range(tree.parent.shape[0]):
        T = T_world_link[link]
        T[3, 0], T[3, 1], T[3, 2], T[3, 3] = 0.0, 0.0, 0.0, 1.0
        if tree.parent[link] < 0:
            copy_pose(tree.placement[link], T)
        else:
            compose(T_world_link[tree.parent[link]], tree.placement[link], T)
        q = values[link]
        if q == 0.0:
            continue
        ax, ay, az = tree.axis[link]
        if tree.prismatic[link]:
            for i in range(3):
                T[i, 3] += q * (T[i, 0] * ax + T[i, 1] * ay + T[i, 2] * az)
        else:
            _turn(T, ax, ay, az, q)


@njit
def _turn(T, ax, ay, az, angle):
    """Turn the frame T in place about its own axis (ax, ay, az): R ← R exp(angle · a) [Rodrigues].

    Row by row, r (c·I + (1 − c) a aᵀ + s [a]ₓ).
    """
    c, s = math.cos(angle), math.sin(angle)
    for i in range(3):
        x, y, z = T[i, 0], T[i, 1], T[i, 2]
        along = (1.0 - c) * (x * ax + y * ay + z * az)
        T[i, 0] = c * x + along * ax + s * (y * az - z * ay)
        T[i, 1] = c * y + along * ay + s * (z * ax - x * az)
        T[i, 2] = c * z + along * az + s * (x * ay - y * ax)


@njit
def articulate(T, prismatic, value):
    """Move the frame T in place along or about its own z axis; value in m or rad."""
    if prismatic:
        for i in range(3):
            T[i, 3] += value * T[i, 2]
        return
    c, s = math.cos(value), math.sin(value)
    for i in range(3):
        x, y = T[i, 0], T[i, 1]
        T[i, 0] = c * x + s * y
        T[i, 1] = c * y - s * x


@inline
def chain_frames(chain, q, T_base_frame):
    """Write the frames after each articulation, and the tip's, into T_base_frame (m + 1, 4, 4).

    q (n,), rad or m. Only the upper three rows are written.
    """
    arcs = chain.column.shape[0]
    for k in range(arcs + 1):
        if k == 0:
            copy_pose(chain.placement[0], T_base_frame[0])
        else:
            compose(T_base_frame[k - 1], chain.placement[k], T_base_frame[k])
        if k < arcs:
            articulate(T_base_frame[k], chain.prismatic[k], chain.ratio[k] * q[chain.column[k]])
