"""The geometric Jacobian [Parent 5.15–5.17, fig. 5.16]."""

from ik_node.kinematics import kinds
from ik_node.kinematics.forward import ChainRecord
from ik_node.support.arrays import Columns, Pose, Poses


def chain_jacobian(chain: ChainRecord, F: Poses, T_base_point: Pose, J: Columns) -> None:
    """Write the Jacobian at a point of the last link into J, (6, n): linear rows first, base frame.

    F (m + 1, 4, 4) are the frames of `chain_frames`. The point is the origin of T_base_point
    (4, 4): the tip's, or the goal's for the alternate Jacobian [Parent fig. 5.23]. The column of a
    revolute joint is [a × (p − r); a], of a prismatic one [a; 0]; joints that share a column add
    up. The axes of a spherical joint are those of `turn_spherical`.
    """
    kind, columns, ratios = chain.kind, chain.column, chain.ratio
    px, py, pz = T_base_point[0][3], T_base_point[1][3], T_base_point[2][3]
    for k in range(chain.n):
        for i in range(6):
            J[k][i] = 0.0
    for k in range(chain.m):
        ratio = ratios[k]
        ax, ay, az = ratio * F[k][0][2], ratio * F[k][1][2], ratio * F[k][2][2]
        if kind[k] == kinds.SPHERICAL_Z:  # stored there by turn_spherical
            ax, ay, az = F[k - 1][0][0], F[k - 1][1][0], F[k - 1][2][0]
        _add_column(J, columns[k], kind[k] == kinds.PRISMATIC, ax, ay, az,
                    px - F[k][0][3], py - F[k][1][3], pz - F[k][2][3])


def _add_column(J: Columns, column: int, prismatic: bool, ax: float, ay: float, az: float, x: float,
                y: float, z: float) -> None:
    """Add the contribution of a joint with axis a to a point at (x, y, z) from it to a column."""
    if prismatic:
        J[column][0] += ax
        J[column][1] += ay
        J[column][2] += az
    else:
        J[column][0] += ay * z - az * y
        J[column][1] += az * x - ax * z
        J[column][2] += ax * y - ay * x
        J[column][3] += ax
        J[column][4] += ay
        J[column][5] += az
