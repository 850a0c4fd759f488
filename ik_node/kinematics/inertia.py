"""Centre of mass, its Jacobian, and the mass matrix of a tree, by composite rigid bodies.

The frames and axes are those of `forward.tree_frames`. While no other joint moves, a joint carries
one rigid body: the mass, first moment and inertia of subtrees are added up from the leaves to the
root, in one pass for all joints [Featherstone, Rigid Body Dynamics Algorithms, 2008, 6.2].
"""

from typing import Annotated, NamedTuple

from ik_node._jit import Matrix, Shape, Stack, Vector, entry, njit
from ik_node.kinematics.forward import PRISMATIC, SPHERICAL_X, SPHERICAL_Z, TreeArrays


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


@entry
def mass_matrix(tree: TreeArrays, inertias: InertiaArrays, T_world_link: Stack, axes: Matrix,
                composite: Stack, M: Matrix) -> None:
    """Write the mass matrix into M (n, n): the kinetic energy is q̇ᵀ M q̇ / 2.

    composite (k, 4, 4) is scratch: of each link with all it carries, about the link's origin in
    world axes, the inertia (3, 3), beside it the first moment, and in the corner the mass. Entry
    (a, b), b between a and the root, is the component along b's axis of the momentum when a moves
    at one unit per second [Featherstone, table 6.2]; where joints share an entry of q, all pairs
    add up.
    """
    F, W, C = T_world_link, axes, composite
    parents, kinds, moved = tree.parent, tree.kind, tree.moved
    columns, ratios = tree.column, tree.ratio
    _compose_subtrees(tree, inertias, F, C)
    for i in range(M.shape[0]):
        for j in range(M.shape[1]):
            M[i, j] = 0.0
    for a in range(parents.shape[0]):
        if columns[a] < 0:
            continue
        s = moved[a]
        x, y, z = ratios[a] * W[a, 0], ratios[a] * W[a, 1], ratios[a] * W[a, 2]
        hx, hy, hz = C[s, 0, 3], C[s, 1, 3], C[s, 2, 3]
        if kinds[a] == PRISMATIC:
            fx, fy, fz = C[s, 3, 3] * x, C[s, 3, 3] * y, C[s, 3, 3] * z
            nx, ny, nz = hy * z - hz * y, hz * x - hx * z, hx * y - hy * x
        else:
            fx, fy, fz = y * hz - z * hy, z * hx - x * hz, x * hy - y * hx
            nx = C[s, 0, 0] * x + C[s, 0, 1] * y + C[s, 0, 2] * z
            ny = C[s, 1, 0] * x + C[s, 1, 1] * y + C[s, 1, 2] * z
            nz = C[s, 2, 0] * x + C[s, 2, 1] * y + C[s, 2, 2] * z
        px, py, pz = F[s, 0, 3], F[s, 1, 3], F[s, 2, 3]
        b, in_spherical = a, kinds[a] >= SPHERICAL_X
        while b >= 0:
            in_spherical = kinds[b] == SPHERICAL_Z or (in_spherical and kinds[b] >= SPHERICAL_X)
            column = columns[b]
            if column >= 0 and (in_spherical or kinds[b] < SPHERICAL_X):
                if kinds[b] == PRISMATIC:
                    value = W[b, 0] * fx + W[b, 1] * fy + W[b, 2] * fz
                else:
                    r = moved[b]
                    u, v, w = px - F[r, 0, 3], py - F[r, 1, 3], pz - F[r, 2, 3]
                    value = (W[b, 0] * (nx + v * fz - w * fy) + W[b, 1] * (ny + w * fx - u * fz)
                             + W[b, 2] * (nz + u * fy - v * fx))
                value *= ratios[b]
                M[columns[a], column] += value
                if b != a:
                    M[column, columns[a]] += value
            b = parents[b]


@njit
def _compose_subtrees(tree: TreeArrays, inertias: InertiaArrays, F: Stack, C: Stack) -> None:
    """Write what `mass_matrix` calls composite into C (k, 4, 4), from the leaves to the root."""
    parents = tree.parent
    masses, centers, inertia = inertias.mass, inertias.center, inertias.inertia
    count = parents.shape[0]
    for k in range(count):
        for i in range(4):
            for j in range(4):
                C[k, i, j] = 0.0
        for i in range(3):
            for j in range(3):
                for m in range(3):
                    for n in range(3):
                        C[k, i, j] += F[k, i, m] * inertia[k, m, n] * F[k, j, n]
        x, y, z = centers[k, 0], centers[k, 1], centers[k, 2]
        _add_point_mass(C, k, masses[k], F[k, 0, 0] * x + F[k, 0, 1] * y + F[k, 0, 2] * z,
                        F[k, 1, 0] * x + F[k, 1, 1] * y + F[k, 1, 2] * z,
                        F[k, 2, 0] * x + F[k, 2, 1] * y + F[k, 2, 2] * z)
    for k in range(count - 1, 0, -1):
        parent = parents[k]
        mass, hx, hy, hz = C[k, 3, 3], C[k, 0, 3], C[k, 1, 3], C[k, 2, 3]
        x = F[k, 0, 3] - F[parent, 0, 3]
        y = F[k, 1, 3] - F[parent, 1, 3]
        z = F[k, 2, 3] - F[parent, 2, 3]
        # About another point at r: I + 2 (h·r) 1 − h rᵀ − r hᵀ, and all mass as a point at r.
        dot = 2.0 * (hx * x + hy * y + hz * z)
        C[parent, 0, 0] += C[k, 0, 0] + dot - 2.0 * hx * x
        C[parent, 1, 1] += C[k, 1, 1] + dot - 2.0 * hy * y
        C[parent, 2, 2] += C[k, 2, 2] + dot - 2.0 * hz * z
        xy, xz, yz = hx * y + hy * x, hx * z + hz * x, hy * z + hz * y
        C[parent, 0, 1] += C[k, 0, 1] - xy
        C[parent, 1, 0] += C[k, 1, 0] - xy
        C[parent, 0, 2] += C[k, 0, 2] - xz
        C[parent, 2, 0] += C[k, 2, 0] - xz
        C[parent, 1, 2] += C[k, 1, 2] - yz
        C[parent, 2, 1] += C[k, 2, 1] - yz
        C[parent, 0, 3] += hx
        C[parent, 1, 3] += hy
        C[parent, 2, 3] += hz
        _add_point_mass(C, parent, mass, x, y, z)


@njit
def _add_point_mass(C: Stack, k: int, m: float, x: float, y: float, z: float) -> None:
    """Add to C[k] (4, 4) a mass m, kg, at (x, y, z) from the origin, m."""
    C[k, 0, 0] += m * (y * y + z * z)
    C[k, 1, 1] += m * (x * x + z * z)
    C[k, 2, 2] += m * (x * x + y * y)
    C[k, 0, 1] -= m * x * y
    C[k, 1, 0] -= m * x * y
    C[k, 0, 2] -= m * x * z
    C[k, 2, 0] -= m * x * z
    C[k, 1, 2] -= m * y * z
    C[k, 2, 1] -= m * y * z
    C[k, 0, 3] += m * x
    C[k, 1, 3] += m * y
    C[k, 2, 3] += m * z
    C[k, 3, 3] += m
