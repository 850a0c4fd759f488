"""Forward kinematics of a whole tree and of one chain [Parent 5.4–5.5, fig. 5.13].

What an arc does with its value is its kind. Most turn or slide. A ball joint by exponential map is
three arcs whose values are a rotation vector: the first two stand still, the last does the turn.
"""

import math
from typing import NamedTuple

import numpy as np

from ik_node._jit import inline, njit
from ik_node.spatial import compose, copy_pose, rotation_series

TURN, SLIDE, BALL_X, BALL_Y, BALL_Z = range(5)


class TreeArrays(NamedTuple):
    """A hierarchy as flat arrays, one entry per link, depth first; entry 0 is the root arc."""

    parent: np.ndarray
    """(k,) index of the parent link, always smaller than the link's own; −1 for the root."""
    kind: np.ndarray
    """(k,) what the arc into the link does: TURN, SLIDE, BALL_X, BALL_Y or BALL_Z."""
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
    kind: np.ndarray
    """(m,) what the arc does: TURN, SLIDE, or BALL_X, BALL_Y and BALL_Z in a row."""
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
        kind = tree.kind[link]
        if kind >= BALL_X:
            if kind == BALL_Z:
                second = tree.parent[link]
                _turn_by_vector(T, values[tree.parent[second]], values[second], q)
            continue
        if q == 0.0:
            continue
        ax, ay, az = tree.axis[link]
        if kind == SLIDE:
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
def _turn_by_vector(T, wx, wy, wz):
    """Turn the frame T in place: R ← R exp(w), w a rotation vector in its own axes, rad.

    Row by row, r + s r×w + c (r×w)×w, which is Rodrigues' formula without its matrices.
    """
    s, c, _ = rotation_series(wx * wx + wy * wy + wz * wz)
    for i in range(3):
        x, y, z = T[i, 0], T[i, 1], T[i, 2]
        u, v, w = y * wz - z * wy, z * wx - x * wz, x * wy - y * wx
        T[i, 0] = x + s * u + c * (v * wz - w * wy)
        T[i, 1] = y + s * v + c * (w * wx - u * wz)
        T[i, 2] = z + s * w + c * (u * wy - v * wx)


@njit
def turn_ball(T_first, T_second, T, wx, wy, wz):
    """Turn the frame T of a ball in place by a rotation vector, and leave its three axes behind.

    What the tip does when one component of w changes is no turn about an axis of any frame, but
    about R J_l(w) eᵢ, the left Jacobian's columns [Solà, A micro Lie theory, eq. 145]. The first
    is left in the third column of T_first, the others in the third and the first of T_second.
    """
    _, b, d = rotation_series(wx * wx + wy * wy + wz * wz)
    for i in range(3):
        x, y, z = T[i, 0], T[i, 1], T[i, 2]
        u, v, w = y * wz - z * wy, z * wx - x * wz, x * wy - y * wx
        T_first[i, 2] = x + b * u + d * (v * wz - w * wy)
        T_second[i, 2] = y + b * v + d * (w * wx - u * wz)
        T_second[i, 0] = z + b * w + d * (u * wy - v * wx)
    _turn_by_vector(T, wx, wy, wz)


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
    frames_beyond(chain, q, 0, T_base_frame)


@inline
def frames_beyond(chain, q, first, T_base_frame):
    """Do as `chain_frames` for the arcs from `first` on; the frames of those before are right."""
    # Here as in all kernels that solvers run often, arrays are taken out of their tuples first and
    # indexed in full: a field or a slice within a loop costs as much as its arithmetic.
    F, L = T_base_frame, chain.placement
    kinds, columns, ratios = chain.kind, chain.column, chain.ratio
    arcs = columns.shape[0]
    if first == 0:
        for i in range(3):
            for j in range(4):
                F[0, i, j] = L[0, i, j]
    for k in range(first, arcs + 1):
        if k > 0:
            for i in range(3):
                x, y, z = F[k - 1, i, 0], F[k - 1, i, 1], F[k - 1, i, 2]
                for j in range(4):
                    F[k, i, j] = x * L[k, 0, j] + y * L[k, 1, j] + z * L[k, 2, j]
                F[k, i, 3] += F[k - 1, i, 3]
        if k == arcs:
            break
        value = ratios[k] * q[columns[k]]
        if kinds[k] == TURN:
            c, s = math.cos(value), math.sin(value)
            for i in range(3):
                x, y = F[k, i, 0], F[k, i, 1]
                F[k, i, 0] = c * x + s * y
                F[k, i, 1] = c * y - s * x
        elif kinds[k] == SLIDE:
            for i in range(3):
                F[k, i, 3] += value * F[k, i, 2]
        elif kinds[k] == BALL_Z:
            turn_ball(F[k - 2], F[k - 1], F[k], q[columns[k - 2]], q[columns[k - 1]], value)
