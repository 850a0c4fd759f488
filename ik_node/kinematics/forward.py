"""Forward kinematics of a whole tree and of one chain [Parent 5.4–5.5, fig. 5.13].

The kind of a joint says how its value moves it. A spherical joint by exponential map consists of
three joints whose values form a rotation vector: the first two do not move, the last rotates.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np

from ik_node._jit import Booleans, Integers, Matrix, Shape, Stack, Vector, entry, inline, njit, rare
from ik_node.kinematics.spatial_kernels import rotation_series

REVOLUTE, PRISMATIC, SPHERICAL_X, SPHERICAL_Y, SPHERICAL_Z = range(5)


class TreeArrays(NamedTuple):
    """A tree as flat arrays, one entry per link, depth first; entry 0 has no parent.

    The value of the joint into link k is `offset[k] + ratio[k] · q[column[k]]`, or `offset[k]`
    where column[k] is −1: fixed and held joints.
    """

    parent: Annotated[Integers, Shape('m')]
    """(k,) index of the parent link, always smaller than the link's own; −1 for the root."""
    kind: Annotated[Integers, Shape('m')]
    """(k,) kind of the joint into the link: REVOLUTE, PRISMATIC or SPHERICAL_X, _Y, _Z."""
    placement: Annotated[Stack, Shape('m', 4, 4)]
    """(k, 4, 4) T_parent_joint, constant; m."""
    axis: Annotated[Matrix, Shape('m', 3)]
    """(k, 3) unit axis of the joint, joint frame; of no meaning for a fixed joint."""
    column: Annotated[Integers, Shape('m')]
    """(k,) entry of q that moves the joint, for mimics that of their source; −1 for none."""
    ratio: Annotated[Vector, Shape('m')]
    """(k,) change of the joint's value per unit of q; 1 except for mimics."""
    offset: Annotated[Vector, Shape('m')]
    """(k,) the joint's value at q = 0, rad or m."""
    moved: Annotated[Integers, Shape('m')]
    """(k,) first link that the joint moves: k, for spherical joints the last of the three."""


def first_moved(parent: Integers, kind: Integers) -> Integers:
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

    placement: Annotated[Stack, Shape('m + 1', 4, 4)]
    """(m + 1, 4, 4) constants: base to first joint, joint to joint, last joint to tip; m."""
    kind: Annotated[Integers, Shape('m')]
    """(m,) kind of the articulation: REVOLUTE, PRISMATIC, or SPHERICAL_X, _Y and _Z in a row."""
    column: Annotated[Integers, Shape('m')]
    """(m,) entry of q that moves the articulation; a mimic shares its source's."""
    ratio: Annotated[Vector, Shape('m')]
    """(m,) motion per unit of q; 1 except for mimics, whose offset is in placement."""
    shared: Annotated[Booleans, Shape('m')]
    """(m,) whether another articulation moves by the same entry of q."""
    lower: Annotated[Vector, Shape('n')]
    """(n,) rad or m; −inf where there is none."""
    upper: Annotated[Vector, Shape('n')]
    """(n,) rad or m; +inf where there is none."""
    turns: Annotated[Booleans, Shape('n')]
    """(n,) whether q + 2π is equivalent to q: only revolute joints, with integer ratios."""


@entry
def tree_frames(tree: TreeArrays, q: Vector, T_world_link: Stack, axes: Matrix) -> None:
    """Write the pose of every link into T_world_link (k, 4, 4), and the joints' axes.

    q (n,), rad or m. One pass from the root: `T_world_child = T_world_parent · L · A(q)`.
    axes (k, 3), world axes: the axis along or about which link `moved[k]` moves when the value of
    joint k changes by one unit. For a spherical joint these are the columns of R J_l(w), see
    `turn_spherical`, all through the origin of the last.
    """
    F, L, A, W = T_world_link, tree.placement, tree.axis, axes
    parents, kinds = tree.parent, tree.kind
    for k in range(parents.shape[0]):
        parent = parents[k]
        if parent < 0:
            for i in range(3):
                for j in range(4):
                    F[k, i, j] = L[k, i, j]
        else:
            for i in range(3):
                x, y, z = F[parent, i, 0], F[parent, i, 1], F[parent, i, 2]
                for j in range(4):
                    F[k, i, j] = x * L[k, 0, j] + y * L[k, 1, j] + z * L[k, 2, j]
                F[k, i, 3] += F[parent, i, 3]
        F[k, 3, 0], F[k, 3, 1], F[k, 3, 2], F[k, 3, 3] = 0.0, 0.0, 0.0, 1.0
        value = _joint_value(tree, q, k)
        if kinds[k] >= SPHERICAL_X:
            if kinds[k] == SPHERICAL_Z:
                first = parents[parent]
                wx, wy = _joint_value(tree, q, first), _joint_value(tree, q, parent)
                _, b, d = rotation_series(wx * wx + wy * wy + value * value)
                for i in range(3):
                    W[first, i], W[parent, i], W[k, i] = _left_jacobian_row(
                        F[k, i, 0], F[k, i, 1], F[k, i, 2], wx, wy, value, b, d)
                _rotate_by_vector(F[k], wx, wy, value)
            continue
        ax, ay, az = A[k, 0], A[k, 1], A[k, 2]
        for i in range(3):
            W[k, i] = F[k, i, 0] * ax + F[k, i, 1] * ay + F[k, i, 2] * az
        if value == 0.0:
            continue
        if kinds[k] == PRISMATIC:
            for i in range(3):
                F[k, i, 3] += value * W[k, i]
        else:
            _rotate(F[k], ax, ay, az, value)


@inline
def _joint_value(tree: TreeArrays, q: Vector, k: int) -> float:
    """Return the value of the joint into link k, rad or m."""
    column = tree.column[k]
    return tree.offset[k] + tree.ratio[k] * q[column] if column >= 0 else tree.offset[k]


@njit
def _rotate(T: Matrix, ax: float, ay: float, az: float, angle: float) -> None:
    """Rotate the frame T in place about its axis (ax, ay, az): R ← R exp(angle · a) [Rodrigues].

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
def _rotate_by_vector(T: Matrix, wx: float, wy: float, wz: float) -> None:
    """Rotate the frame T in place: R ← R exp(w), w a rotation vector in its own axes, rad.

    Row by row, r + s r×w + c (r×w)×w, which is Rodrigues' formula without its matrices.
    """
    s, c, _ = rotation_series(wx * wx + wy * wy + wz * wz)
    for i in range(3):
        x, y, z = T[i, 0], T[i, 1], T[i, 2]
        u, v, w = y * wz - z * wy, z * wx - x * wz, x * wy - y * wx
        T[i, 0] = x + s * u + c * (v * wz - w * wy)
        T[i, 1] = y + s * v + c * (w * wx - u * wz)
        T[i, 2] = z + s * w + c * (u * wy - v * wx)


@rare
def turn_spherical(T_first: Matrix, T_second: Matrix, T: Matrix, wx: float, wy: float,
                   wz: float) -> None:
    """Rotate the frame T of a spherical joint in place by a rotation vector; store its three axes.

    A change of one component of w rotates the tip not about an axis of any frame, but about
    R J_l(w) eᵢ, the left Jacobian's columns [Solà, A micro Lie theory, eq. 145]. The first is
    stored in the third column of T_first, the others in the third and the first of T_second.
    """
    _, b, d = rotation_series(wx * wx + wy * wy + wz * wz)
    for i in range(3):
        T_first[i, 2], T_second[i, 2], T_second[i, 0] = _left_jacobian_row(
            T[i, 0], T[i, 1], T[i, 2], wx, wy, wz, b, d)
    _rotate_by_vector(T, wx, wy, wz)


@inline
def _left_jacobian_row(x: float, y: float, z: float, wx: float, wy: float, wz: float, b: float,
                       d: float) -> tuple[float, float, float]:
    """Return (x, y, z) J_l(w), a row of R J_l(w), with b and d of `rotation_series`."""
    u, v, w = y * wz - z * wy, z * wx - x * wz, x * wy - y * wx
    return (x + b * u + d * (v * wz - w * wy), y + b * v + d * (w * wx - u * wz),
            z + b * w + d * (u * wy - v * wx))


@njit
def articulate(T: Matrix, prismatic: bool, value: float) -> None:
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


@entry
@inline
def chain_frames(chain: ChainArrays, q: Vector, T_base_frame: Stack) -> None:
    """Write the frames after each articulation, and the tip's, into T_base_frame (m + 1, 4, 4).

    q (n,), rad or m. Only the upper three rows are written.
    """
    frames_beyond(chain, q, 0, T_base_frame)


@inline
def frames_beyond(chain: ChainArrays, q: Vector, first: int, T_base_frame: Stack) -> None:
    """Do as `chain_frames` for articulations from `first` on; earlier frames are kept."""
    # As in all frequently used kernels, arrays are taken out of their tuples first and indexed in
    # full: a field access or a slice within a loop costs as much as its arithmetic. A row is
    # written once, when it is complete: after a store every constant is read again.
    F, L = T_base_frame, chain.placement
    kinds, columns, ratios = chain.kind, chain.column, chain.ratio
    n_articulations = columns.shape[0]
    for k in range(first, n_articulations + 1):
        if k < n_articulations and kinds[k] == REVOLUTE:
            value = ratios[k] * q[columns[k]]
            c, s = math.cos(value), math.sin(value)
            for i in range(3):
                x, y, z, p = _placed_row(F, L, k, i)
                F[k, i, 0], F[k, i, 1], F[k, i, 2], F[k, i, 3] = c * x + s * y, c * y - s * x, z, p
            continue
        for i in range(3):
            F[k, i, 0], F[k, i, 1], F[k, i, 2], F[k, i, 3] = _placed_row(F, L, k, i)
        if k == n_articulations:
            break
        value = ratios[k] * q[columns[k]]
        if kinds[k] == PRISMATIC:
            for i in range(3):
                F[k, i, 3] += value * F[k, i, 2]
        elif kinds[k] == SPHERICAL_Z:
            turn_spherical(F[k - 2], F[k - 1], F[k], q[columns[k - 2]], q[columns[k - 1]], value)


@inline
def _placed_row(F: Stack, L: Stack, k: int, i: int) -> tuple[float, float, float, float]:
    """Return row i of the frame of articulation k before it moves: of F[k − 1] · L[k]."""
    if k == 0:
        return L[0, i, 0], L[0, i, 1], L[0, i, 2], L[0, i, 3]
    x, y, z, p = F[k - 1, i, 0], F[k - 1, i, 1], F[k - 1, i, 2], F[k - 1, i, 3]
    return (x * L[k, 0, 0] + y * L[k, 1, 0] + z * L[k, 2, 0],
            x * L[k, 0, 1] + y * L[k, 1, 1] + z * L[k, 2, 1],
            x * L[k, 0, 2] + y * L[k, 1, 2] + z * L[k, 2, 2],
            x * L[k, 0, 3] + y * L[k, 1, 3] + z * L[k, 2, 3] + p)
