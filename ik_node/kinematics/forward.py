"""Forward kinematics of one chain [Parent 5.4–5.5, fig. 5.13].

The kind of a joint says how its value moves it. A spherical joint by exponential map consists of
three joints whose values form a rotation vector: the first two do not move, the last rotates.
"""

import math
from typing import Any

from ik_node.kinematics import kinds
from ik_node.kinematics.joint_limits import JointLimits
from ik_node.spatial import so3
from ik_node.support.arrays import Pose, Poses, Vector


class ChainRecord(JointLimits):
    """A serial chain: the arrays of `ChainArrays`, with m articulations."""

    def __init__(self, arrays: Any) -> None:
        super().__init__(arrays)
        memory, self.m = self.memory, len(arrays.column)
        self.placement = memory.poses(arrays.placement)
        self.kind = memory.integers(arrays.kind)
        self.column = memory.integers(arrays.column)
        self.ratio = memory.vector(arrays.ratio)
        self.shared = memory.integers(arrays.shared)


def chain_frames(chain: ChainRecord, q: Vector, F: Poses) -> None:
    """Write the frames after each articulation, and the tip's, into F (m + 1, 4, 4).

    q (n,), rad or m. Only the upper three rows are written.
    """
    frames_beyond(chain, q, 0, F)


def frames_beyond(chain: ChainRecord, q: Vector, first: int, F: Poses) -> None:
    """Do as `chain_frames` for articulations from `first` on; earlier frames are kept."""
    m, L, kind, column, ratio = chain.m, chain.placement, chain.kind, chain.column, chain.ratio
    for k in range(first, m + 1):
        if k < m and kind[k] == kinds.REVOLUTE:
            value = ratio[k] * q[column[k]]
            _write_rotated(F, L, k, math.cos(value), math.sin(value))
        else:
            _write_other(chain, q, k, F)


def frames_by_directions(chain: ChainRecord, q: Vector, directions: Vector, first: int,
                         F: Poses) -> None:
    """Do as `frames_beyond`, where (cos, sin) of every revolute joint are in directions (2 n,)."""
    m, L, kind, column, ratio = chain.m, chain.placement, chain.kind, chain.column, chain.ratio
    for k in range(first, m + 1):
        if k == m or kind[k] != kinds.REVOLUTE:
            _write_other(chain, q, k, F)
        elif ratio[k] == 1.0:
            _write_rotated(F, L, k, directions[2 * column[k]], directions[2 * column[k] + 1])
        else:
            value = ratio[k] * q[column[k]]
            _write_rotated(F, L, k, math.cos(value), math.sin(value))


def _write_other(chain: ChainRecord, q: Vector, k: int, F: Poses) -> None:
    """Write the frame after an articulation k that is not revolute, or the tip's."""
    kind, column = chain.kind, chain.column
    for i in range(3):
        F[k][i][0], F[k][i][1], F[k][i][2], F[k][i][3] = _placed_row(F, chain.placement, k, i)
    if k == chain.m:
        return
    value = chain.ratio[k] * q[column[k]]
    if kind[k] == kinds.PRISMATIC:
        for i in range(3):
            F[k][i][3] += value * F[k][i][2]
    elif kind[k] == kinds.SPHERICAL_Z:
        turn_spherical(F[k - 2], F[k - 1], F[k], q[column[k - 2]], q[column[k - 1]], value)


def _write_rotated(F: Poses, L: Poses, k: int, c: float, s: float) -> None:
    """Write the frame after a revolute articulation k that is rotated by (c, s)."""
    for i in range(3):
        x, y, z, p = _placed_row(F, L, k, i)
        F[k][i][0], F[k][i][1], F[k][i][2], F[k][i][3] = c * x + s * y, c * y - s * x, z, p


def _placed_row(F: Poses, L: Poses, k: int, i: int) -> tuple[float, float, float, float]:
    """Return row i of the frame of articulation k before it moves: of F[k − 1] · L[k]."""
    if k == 0:
        return L[0][i][0], L[0][i][1], L[0][i][2], L[0][i][3]
    x, y, z, p = F[k - 1][i][0], F[k - 1][i][1], F[k - 1][i][2], F[k - 1][i][3]
    return (x * L[k][0][0] + y * L[k][1][0] + z * L[k][2][0],
            x * L[k][0][1] + y * L[k][1][1] + z * L[k][2][1],
            x * L[k][0][2] + y * L[k][1][2] + z * L[k][2][2],
            x * L[k][0][3] + y * L[k][1][3] + z * L[k][2][3] + p)


def turn_spherical(T_first: Pose, T_second: Pose, T: Pose, wx: float, wy: float,
                   wz: float) -> None:
    """Rotate the frame T of a spherical joint in place by a rotation vector; store its three axes.

    A change of one component of w rotates the tip not about an axis of any frame, but about
    R J_l(w) eᵢ, the left Jacobian's columns [Solà, A micro Lie theory, eq. 145]. The first is
    stored in the third column of T_first, the others in the third and the first of T_second.
    """
    _, b, d = so3.rotation_series(wx * wx + wy * wy + wz * wz)
    for i in range(3):
        T_first[i][2], T_second[i][2], T_second[i][0] = so3.left_jacobian_row(
            T[i][0], T[i][1], T[i][2], wx, wy, wz, b, d)
    so3.rotate_by_vector(T, wx, wy, wz)
