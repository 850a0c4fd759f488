"""The mass matrix of a tree, by composite rigid bodies.

While no other joint moves, a joint carries one rigid body: the mass, first moment and inertia of
subtrees are added up from the leaves to the root, in one pass for all joints [Featherstone, Rigid
Body Dynamics Algorithms, 2008, 6.2].
"""

from ik_node.kinematics import kinds
from ik_node.kinematics.tree import Tree
from ik_node.support.arrays import Matrix, Points, Pose, Poses


def mass_matrix(tree: Tree, F: Poses, W: Points, C: Poses, M: Matrix) -> None:
    """Write the mass matrix into M (n, n): the kinetic energy is q̇ᵀ M q̇ / 2.

    F and W are those of `tree_frames`. C (k, 4, 4) is scratch: of each link with all it carries,
    about the link's origin in world axes, the inertia (3, 3), beside it the first moment, and in
    the corner the mass. Entry (a, b), b between a and the root, is the component along b's axis of
    the momentum when a moves at one unit per second [Featherstone, table 6.2]; where joints share
    an entry of q, all pairs add up.
    """
    parents, kind, moved = tree.parent, tree.kind, tree.moved
    columns, ratios = tree.column, tree.ratio
    compose_subtrees(tree, F, C)
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
            b = parents[b]


def compose_subtrees(tree: Tree, F: Poses, C: Poses) -> None:
    """Write what `mass_matrix` calls C (k, 4, 4), from the leaves to the root."""
    masses, centers, inertia = tree.mass, tree.center, tree.inertia
    for k in range(tree.links):
        for i in range(4):
            for j in range(4):
                C[k][i][j] = 0.0
        for i in range(3):
            for j in range(3):
                for m in range(3):
                    for n in range(3):
                        C[k][i][j] += F[k][i][m] * inertia[k][m][n] * F[k][j][n]
        x, y, z = centers[k][0], centers[k][1], centers[k][2]
        add_point_mass(C[k], masses[k], F[k][0][0] * x + F[k][0][1] * y + F[k][0][2] * z,
                       F[k][1][0] * x + F[k][1][1] * y + F[k][1][2] * z,
                       F[k][2][0] * x + F[k][2][1] * y + F[k][2][2] * z)
    for k in range(tree.links - 1, 0, -1):
        parent = tree.parent[k]
        x = F[k][0][3] - F[parent][0][3]
        y = F[k][1][3] - F[parent][1][3]
        z = F[k][2][3] - F[parent][2][3]
        add_subtree(C[k], x, y, z, C[parent])


def add_subtree(C: Pose, x: float, y: float, z: float, P: Pose) -> None:
    """Add a rigid body C (4, 4), whose origin is at (x, y, z) from P's, to P (4, 4).

    About a point at r from the origin: I + 2 (h·r) 1 − h rᵀ − r hᵀ, and all mass as a point at r.
    """
    hx, hy, hz = C[0][3], C[1][3], C[2][3]
    dot = 2.0 * (hx * x + hy * y + hz * z)
    P[0][0] += C[0][0] + dot - 2.0 * hx * x
    P[1][1] += C[1][1] + dot - 2.0 * hy * y
    P[2][2] += C[2][2] + dot - 2.0 * hz * z
    xy, xz, yz = hx * y + hy * x, hx * z + hz * x, hy * z + hz * y
    P[0][1] += C[0][1] - xy
    P[1][0] += C[1][0] - xy
    P[0][2] += C[0][2] - xz
    P[2][0] += C[2][0] - xz
    P[1][2] += C[1][2] - yz
    P[2][1] += C[2][1] - yz
    P[0][3] += hx
    P[1][3] += hy
    P[2][3] += hz
    add_point_mass(P, C[3][3], x, y, z)


def add_point_mass(C: Pose, m: float, x: float, y: float, z: float) -> None:
    """Add to C (4, 4) a mass m, kg, at (x, y, z) from the origin, m."""
    C[0][0] += m * (y * y + z * z)
    C[1][1] += m * (x * x + z * z)
    C[2][2] += m * (x * x + y * y)
    C[0][1] -= m * x * y
    C[1][0] -= m * x * y
    C[0][2] -= m * x * z
    C[2][0] -= m * x * z
    C[1][2] -= m * y * z
    C[2][1] -= m * y * z
    C[0][3] += m * x
    C[1][3] += m * y
    C[2][3] += m * z
    C[3][3] += m
