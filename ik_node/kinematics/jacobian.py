"""The geometric Jacobian [Parent 5.15–5.17, fig. 5.16]."""

from ik_node._jit import Matrix, Stack, Vector, entry, inline
from ik_node.kinematics.forward import PRISMATIC, SPHERICAL_X, SPHERICAL_Z, ChainArrays, TreeArrays


@entry
@inline
def chain_jacobian(chain: ChainArrays, T_base_frame: Stack, T_base_point: Matrix,
                   J: Matrix) -> None:
    """Write the Jacobian at a point of the last link into J (6, n): linear rows first, base frame.

    T_base_frame (m + 1, 4, 4) are the frames of `chain_frames`. The point is the origin of
    T_base_point (4, 4): the tip's, or the goal's for the alternate Jacobian [Parent fig. 5.23]. The
    column of a revolute joint is [a × (p − r); a], of a prismatic one [a; 0]; joints that share a
    column add up. The axes of a spherical joint are those of `turn_spherical`.
    """
    F, kinds, columns, ratios = T_base_frame, chain.kind, chain.column, chain.ratio
    px, py, pz = T_base_point[0, 3], T_base_point[1, 3], T_base_point[2, 3]
    for i in range(6):
        for column in range(J.shape[1]):
            J[i, column] = 0.0
    for k in range(columns.shape[0]):
        column, ratio = columns[k], ratios[k]
        ax, ay, az = ratio * F[k, 0, 2], ratio * F[k, 1, 2], ratio * F[k, 2, 2]
        if kinds[k] == SPHERICAL_Z:  # stored there by turn_spherical
            ax, ay, az = F[k - 1, 0, 0], F[k - 1, 1, 0], F[k - 1, 2, 0]
        _add_column(J, column, kinds[k] == PRISMATIC, ax, ay, az,
                    px - F[k, 0, 3], py - F[k, 1, 3], pz - F[k, 2, 3])


@inline
def _add_column(J: Matrix, column: int, prismatic: bool, ax: float, ay: float, az: float, x: float,
                y: float, z: float) -> None:
    """Add the contribution of a joint with axis a to a point at (x, y, z) from it to a column."""
    if prismatic:
        J[0, column] += ax
        J[1, column] += ay
        J[2, column] += az
    else:
        J[0, column] += ay * z - az * y
        J[1, column] += az * x - ax * z
        J[2, column] += ax * y - ay * x
        J[3, column] += ax
        J[4, column] += ay
        J[5, column] += az


@entry
def point_jacobian(tree: TreeArrays, T_world_link: Stack, axes: Matrix, link: int, point: Vector,
                   J: Matrix) -> None:
    """Write the Jacobian at a point of a link into J (6, n): linear rows first, world axes.

    tree: `TreeArrays`; T_world_link and axes are those of `tree_frames`; link is an index, point
    (3,) in its frame, m. Only the joints between the link and the root are visited. The column of
    a revolute joint is [a × (p − r); a], of a prismatic one [a; 0] [Parent 5.15–5.17]; joints that
    share an entry of q add up.
    """
    F, W = T_world_link, axes
    parents, kinds, moved = tree.parent, tree.kind, tree.moved
    columns, ratios = tree.column, tree.ratio
    px, py, pz = point[0], point[1], point[2]
    x, y, z = F[link, 0, 3], F[link, 1, 3], F[link, 2, 3]
    x += F[link, 0, 0] * px + F[link, 0, 1] * py + F[link, 0, 2] * pz
    y += F[link, 1, 0] * px + F[link, 1, 1] * py + F[link, 1, 2] * pz
    z += F[link, 2, 0] * px + F[link, 2, 1] * py + F[link, 2, 2] * pz
    for i in range(6):
        for column in range(J.shape[1]):
            J[i, column] = 0.0
    k, in_spherical = link, False
    while k >= 0:
        # The first two of a spherical joint move only the links after the third.
        in_spherical = kinds[k] == SPHERICAL_Z or (in_spherical and kinds[k] >= SPHERICAL_X)
        column = columns[k]
        if column >= 0 and (in_spherical or kinds[k] < SPHERICAL_X):
            ax, ay, az = ratios[k] * W[k, 0], ratios[k] * W[k, 1], ratios[k] * W[k, 2]
            r = moved[k]
            _add_column(J, column, kinds[k] == PRISMATIC, ax, ay, az,
                        x - F[r, 0, 3], y - F[r, 1, 3], z - F[r, 2, 3])
        k = parents[k]
