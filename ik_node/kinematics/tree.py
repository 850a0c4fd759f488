"""Forward kinematics of a whole tree, and its centre of mass."""

import math
from typing import Any

from ik_node.kinematics import kinds
from ik_node.spatial import so3
from ik_node.support.arrays import Columns, Fours, Memory, Points, Pose, Poses, Vector


class Tree:
    """A tree: the arrays of `TreeArrays`, with n joint values."""

    def __init__(self, arrays: Any, n: int) -> None:
        self.memory = memory = Memory()
        self.links, self.n = len(arrays.parent), n
        self.parent, self.kind = memory.integers(arrays.parent), memory.integers(arrays.kind)
        self.placement, self.axis = memory.poses(arrays.placement), memory.points(arrays.axis)
        self.column, self.moved = memory.integers(arrays.column), memory.integers(arrays.moved)
        self.ratio, self.offset = memory.vector(arrays.ratio), memory.vector(arrays.offset)
        self.mass, self.center = memory.vector(arrays.mass), memory.points(arrays.center)
        self.inertia = memory.rotations(arrays.inertia)
        self.idle: list[Any] = []  # frames that no thread uses


def tree_frames(tree: Tree, q: Vector, F: Poses, W: Points) -> None:
    """Write the pose of every link into F (k, 4, 4), and the joints' axes into W (k, 3).

    q (n,), rad or m. One pass from the root: `T_world_child = T_world_parent · L · A(q)`. Only the
    upper three rows are written. Axes, in the world: along or about which link `moved[k]` moves
    when the value of joint k changes by one unit. For a spherical joint these are the columns of
    R J_l(w), see `forward.turn_spherical`, all through the origin of the last.
    """
    L, A, parents, kind = tree.placement, tree.axis, tree.parent, tree.kind
    for k in range(tree.links):
        parent = parents[k]
        for i in range(3):
            if parent < 0:
                for j in range(4):
                    F[k][i][j] = L[k][i][j]
                continue
            x, y, z = F[parent][i][0], F[parent][i][1], F[parent][i][2]
            for j in range(4):
                F[k][i][j] = x * L[k][0][j] + y * L[k][1][j] + z * L[k][2][j]
            F[k][i][3] += F[parent][i][3]
        value = joint_value(tree, q, k)
        if kind[k] >= kinds.SPHERICAL_X:
            if kind[k] == kinds.SPHERICAL_Z:
                first = parents[parent]
                wx, wy = joint_value(tree, q, first), joint_value(tree, q, parent)
                _, b, d = so3.rotation_series(wx * wx + wy * wy + value * value)
                for i in range(3):
                    W[first][i], W[parent][i], W[k][i] = so3.left_jacobian_row(
                        F[k][i][0], F[k][i][1], F[k][i][2], wx, wy, value, b, d)
                so3.rotate_by_vector(F[k], wx, wy, value)
            continue
        ax, ay, az = A[k][0], A[k][1], A[k][2]
        for i in range(3):
            W[k][i] = F[k][i][0] * ax + F[k][i][1] * ay + F[k][i][2] * az
        if value == 0.0:
            continue
        if kind[k] == kinds.PRISMATIC:
            for i in range(3):
                F[k][i][3] += value * W[k][i]
        else:
            rotate(F[k], ax, ay, az, value)


def joint_value(tree: Tree, q: Vector, k: int) -> float:
    """Return the value of the joint into link k, rad or m."""
    column = tree.column[k]
    return tree.offset[k] + tree.ratio[k] * q[column] if column >= 0 else tree.offset[k]


def rotate(T: Pose, ax: float, ay: float, az: float, angle: float) -> None:
    """Rotate the frame T in place about its axis (ax, ay, az): R ← R exp(angle · a) [Rodrigues]."""
    c, s = math.cos(angle), math.sin(angle)
    for i in range(3):
        x, y, z = T[i][0], T[i][1], T[i][2]
        along = (1.0 - c) * (x * ax + y * ay + z * az)
        T[i][0] = c * x + along * ax + s * (y * az - z * ay)
        T[i][1] = c * y + along * ay + s * (z * ax - x * az)
        T[i][2] = c * z + along * az + s * (x * ay - y * ax)


def center_of_mass(tree: Tree, F: Poses, W: Points, S: Fours, com: Vector, J: Columns) -> None:
    """Write the centre of mass into com (3,), world frame, m, and its Jacobian into J, (3, n).

    S (k, 4) is scratch: first moment m·c and mass of each link with all it carries. A revolute
    joint moves the centre c of its subtree, of mass m, by (m / total) a × (c − r), a prismatic one
    by (m / total) a. The total mass must not be 0.
    """
    kind, columns, centers = tree.kind, tree.column, tree.center
    for k in range(tree.links):
        m, cx, cy, cz = tree.mass[k], centers[k][0], centers[k][1], centers[k][2]
        S[k][3] = m
        for i in range(3):
            S[k][i] = m * (F[k][i][0] * cx + F[k][i][1] * cy + F[k][i][2] * cz + F[k][i][3])
    for k in range(tree.links - 1, 0, -1):
        parent = tree.parent[k]
        for i in range(4):
            S[parent][i] += S[k][i]
    total = S[0][3]
    for i in range(3):
        com[i] = S[0][i] / total
    for k in range(tree.n):
        for i in range(3):
            J[k][i] = 0.0
    for k in range(tree.links):
        column = columns[k]
        if column < 0:
            continue
        s = tree.moved[k]
        m, scale = S[s][3], tree.ratio[k] / total
        ax, ay, az = scale * W[k][0], scale * W[k][1], scale * W[k][2]
        if kind[k] == kinds.PRISMATIC:
            J[column][0] += m * ax
            J[column][1] += m * ay
            J[column][2] += m * az
        else:
            x, y, z = S[s][0] - m * F[s][0][3], S[s][1] - m * F[s][1][3], S[s][2] - m * F[s][2][3]
            J[column][0] += ay * z - az * y
            J[column][1] += az * x - ax * z
            J[column][2] += ax * y - ay * x
