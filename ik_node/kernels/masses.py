"""The mass matrix of a tree, by composite rigid bodies.

While no other joint moves, a joint carries one rigid body: the mass, first moment and inertia of
subtrees are added up from the leaves to the root, in one pass for all joints [Featherstone, Rigid
Body Dynamics Algorithms, 2008, 6.2].
"""

from typing import Any

import numpy as np

from ik_node.kernels import cholesky, kinds
from ik_node.kernels.arrays import Matrix, Memory, Points, Poses, Rotations, Vector
from ik_node.kernels.tree import Tree


class Masses:
    """Mass, centre of mass and inertia of every link of a tree; zero where it has none."""

    mass: Vector
    """(k,) kg."""
    center: Points
    """(k, 3) link frame, m."""
    inertia: Rotations
    """(k, 3, 3) about the centre of mass, link axes, kg m²."""

    def __init__(self, inertias: Any) -> None:
        """Copy arrays of a body."""
        self.memory = memory = Memory()
        self.mass, self.center = memory.vector(inertias.mass), memory.points(inertias.center)
        self.inertia = memory.rotations(inertias.inertia)


class Composite:
    """Scratch: of each link with all it carries, about the link's origin in world axes."""

    bodies: Poses
    """(k, 4, 4) the inertia (3, 3), beside it the first moment, and in the corner the mass."""

    L: Matrix
    """(n, n)"""

    def __init__(self, tree: Tree) -> None:
        """Make room."""
        self.memory = Memory()
        self.bodies = self.memory.poses(np.zeros((tree.links, 4, 4)))
        self.L = self.memory.matrix(tree.n, tree.n)


def mass_matrix(tree: Tree, masses: Masses, F: Poses, W: Points, C: Poses, M: Matrix) -> None:
    """Write the mass matrix into M (n, n): the kinetic energy is q̇ᵀ M q̇ / 2.

    F and W are those of `tree_frames`, C (k, 4, 4) is scratch. Entry (a, b), b between a and the
    root, is the component along b's axis of the momentum when a moves at one unit per second
    [Featherstone, table 6.2]; where joints share an entry of q, all pairs add up.
    """
    kind, moved, columns, ratios = tree.kind, tree.moved, tree.column, tree.ratio
    compose(tree, masses, F, C)
    for i in range(tree.n):
        for j in range(tree.n):
            M[i][j] = 0.0
    for a in range(tree.links):
        if columns[a] < 0:
            continue
        s = moved[a]
        x, y, z = ratios[a] * W[a][0], ratios[a] * W[a][1], ratios[a] * W[a][2]
        hx, hy, hz = C[s][0][3], C[s][1][3], C[s][2][3]
        if kind[a] == kinds.PRISMATIC:
            fx, fy, fz = C[s][3][3] * x, C[s][3][3] * y, C[s][3][3] * z
            nx, ny, nz = hy * z - hz * y, hz * x - hx * z, hx * y - hy * x
        else:
            fx, fy, fz = y * hz - z * hy, z * hx - x * hz, x * hy - y * hx
            nx = C[s][0][0] * x + C[s][0][1] * y + C[s][0][2] * z
            ny = C[s][1][0] * x + C[s][1][1] * y + C[s][1][2] * z
            nz = C[s][2][0] * x + C[s][2][1] * y + C[s][2][2] * z
        px, py, pz = F[s][0][3], F[s][1][3], F[s][2][3]
        b, in_spherical = a, kind[a] >= kinds.SPHERICAL_X
        while b >= 0:
            in_spherical = kind[b] == kinds.SPHERICAL_Z or (
                in_spherical and kind[b] >= kinds.SPHERICAL_X)
            column = columns[b]
            if column >= 0 and (in_spherical or kind[b] < kinds.SPHERICAL_X):
                if kind[b] == kinds.PRISMATIC:
                    value = W[b][0] * fx + W[b][1] * fy + W[b][2] * fz
                else:
                    r = moved[b]
                    u, v, w = px - F[r][0][3], py - F[r][1][3], pz - F[r][2][3]
                    value = (W[b][0] * (nx + v * fz - w * fy) + W[b][1] * (ny + w * fx - u * fz)
                             + W[b][2] * (nz + u * fy - v * fx))
                value *= ratios[b]
                M[columns[a]][column] += value
                if b != a:
                    M[column][columns[a]] += value
            b = tree.parent[b]


def compose(tree: Tree, masses: Masses, F: Poses, C: Poses) -> None:
    """Write composite bodies into C (k, 4, 4), from the leaves to the root."""
    inertia, centers = masses.inertia, masses.center
    for k in range(tree.links):
        for i in range(4):
            for j in range(4):
                C[k][i][j] = 0.0
        for i in range(3):
            for m in range(3):
                x = 0.0
                for j in range(3):
                    x += F[k][i][j] * inertia[k][j][m]
                for j in range(3):
                    C[k][i][j] += x * F[k][j][m]
        x, y, z = centers[k][0], centers[k][1], centers[k][2]
        add_point_mass(C, k, masses.mass[k], F[k][0][0] * x + F[k][0][1] * y + F[k][0][2] * z,
                       F[k][1][0] * x + F[k][1][1] * y + F[k][1][2] * z,
                       F[k][2][0] * x + F[k][2][1] * y + F[k][2][2] * z)
    for k in range(tree.links - 1, 0, -1):
        parent = tree.parent[k]
        mass, hx, hy, hz = C[k][3][3], C[k][0][3], C[k][1][3], C[k][2][3]
        x = F[k][0][3] - F[parent][0][3]
        y = F[k][1][3] - F[parent][1][3]
        z = F[k][2][3] - F[parent][2][3]
        # About another point at r: I + 2 (h·r) 1 − h rᵀ − r hᵀ, and all mass as a point at r.
        dot = 2.0 * (hx * x + hy * y + hz * z)
        C[parent][0][0] += C[k][0][0] + dot - 2.0 * hx * x
        C[parent][1][1] += C[k][1][1] + dot - 2.0 * hy * y
        C[parent][2][2] += C[k][2][2] + dot - 2.0 * hz * z
        xy, xz, yz = hx * y + hy * x, hx * z + hz * x, hy * z + hz * y
        C[parent][0][1] += C[k][0][1] - xy
        C[parent][1][0] += C[k][1][0] - xy
        C[parent][0][2] += C[k][0][2] - xz
        C[parent][2][0] += C[k][2][0] - xz
        C[parent][1][2] += C[k][1][2] - yz
        C[parent][2][1] += C[k][2][1] - yz
        C[parent][0][3] += hx
        C[parent][1][3] += hy
        C[parent][2][3] += hz
        add_point_mass(C, parent, mass, x, y, z)


def add_point_mass(C: Poses, k: int, m: float, x: float, y: float, z: float) -> None:
    """Add to C[k] (4, 4) a mass m, kg, at (x, y, z) from the origin, m."""
    C[k][0][0] += m * (y * y + z * z)
    C[k][1][1] += m * (x * x + z * z)
    C[k][2][2] += m * (x * x + y * y)
    C[k][0][1] -= m * x * y
    C[k][1][0] -= m * x * y
    C[k][0][2] -= m * x * z
    C[k][2][0] -= m * x * z
    C[k][1][2] -= m * y * z
    C[k][2][1] -= m * y * z
    C[k][0][3] += m * x
    C[k][1][3] += m * y
    C[k][2][3] += m * z
    C[k][3][3] += m


def add_least(M: Matrix, L: Matrix, n: int, part: float) -> None:
    """Add to M (n, n) what makes it positive definite: mass for joints that move next to none.

    part: of the largest entry of the diagonal, that the smallest eigenvalue should have. It is
    1/tr M⁻¹ or more, of which the addition is a continuous function. Where nothing has mass, all
    joints are alike. L (n, n) is scratch.
    """
    heaviest, inverse = 0.0, 0.0
    for k in range(n):
        heaviest = max(heaviest, M[k][k])
    if not heaviest > 0.0:
        for k in range(n):
            M[k][k] = 1.0
        return
    for i in range(n):
        for j in range(i + 1):
            L[i][j] = M[i][j]
    cholesky.factor(L, n)
    for c in range(n):  # row c of the upper triangle takes column c of L⁻¹: |L⁻¹|² = tr M⁻¹
        own = L[c][c]
        inverse += own * own
        for i in range(c + 1, n):
            value = L[i][c] * own
            for j in range(c + 1, i):
                value += L[i][j] * L[c][j]
            value *= -L[i][i]
            L[c][i] = value
            inverse += value * value
    least = max(part * heaviest - 1.0 / inverse, 0.0)
    for k in range(n):
        M[k][k] += least
