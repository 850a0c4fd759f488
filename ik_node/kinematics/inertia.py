"""Centre of mass of a tree, and its Jacobian.

The frames and axes are those of `forward.tree_frames`. While no other joint moves, a joint carries
one rigid body: the mass, first moment and inertia of subtrees are added up from the leaves to the
root, in one pass for all joints [Featherstone, Rigid Body Dynamics Algorithms, 2008, 6.2].
"""

from typing import Annotated, NamedTuple

from ik_node._jit import Matrix, Shape, Stack, Vector, entry
from ik_node.kinematics.forward import PRISMATIC, TreeArrays


class InertiaArrays(NamedTuple):
    """Mass, centre of mass and inertia of every link of a `TreeArrays`; zero where it has none."""

    mass: Annotated[Vector, Shape('m')]
    """(k,) kg."""
    center: Annotated[Matrix, Shape('m', 3)]
    """(k, 3) centre of mass, link frame, m."""
    inertia: Annotated[Stack, Shape('m', 3, 3)]
    """(k, 3, 3) about the centre of mass, link axes, kg m²."""


@entry
def center_of_mass(tree: TreeArrays, inertias: InertiaArrays, T_world_link: Stack, axes: Matrix,
                   moments: Matrix, com: Vector, J: Matrix) -> None:
    """Write the centre of mass into com (3,), world frame, m, and its Jacobian into J (3, n).

    moments (k, 4) is scratch: mass and first moment m·c of each link with all it carries. A
    revolute joint moves the centre c of its subtree, of mass m, by (m / total) a × (c − r), a
    prismatic one by (m / total) a. The total mass must not be 0.
    """
    F, W, S = T_world_link, axes, moments
    parents, kinds, moved = tree.parent, tree.kind, tree.moved
    columns, ratios = tree.column, tree.ratio
    masses, centers = inertias.mass, inertias.center
    count = parents.shape[0]
    for k in range(count):
        m, cx, cy, cz = masses[k], centers[k, 0], centers[k, 1], centers[k, 2]
        S[k, 3] = m
        for i in range(3):
            S[k, i] = m * (F[k, i, 0] * cx + F[k, i, 1] * cy + F[k, i, 2] * cz + F[k, i, 3])
    for k in range(count - 1, 0, -1):
        parent = parents[k]
        for i in range(4):
            S[parent, i] += S[k, i]
    total = S[0, 3]
    for i in range(3):
        com[i] = S[0, i] / total
        for column in range(J.shape[1]):
            J[i, column] = 0.0
    for k in range(count):
        column = columns[k]
        if column < 0:
            continue
        s = moved[k]
        m, scale = S[s, 3], ratios[k] / total
        ax, ay, az = scale * W[k, 0], scale * W[k, 1], scale * W[k, 2]
        if kinds[k] == PRISMATIC:
            J[0, column] += m * ax
            J[1, column] += m * ay
            J[2, column] += m * az
        else:
            x, y, z = S[s, 0] - m * F[s, 0, 3], S[s, 1] - m * F[s, 1, 3], S[s, 2] - m * F[s, 2, 3]
            J[0, column] += ay * z - az * y
            J[1, column] += az * x - ax * z
            J[2, column] += ax * y - ay * x
