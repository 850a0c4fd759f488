"""The geometric Jacobian [Parent 5.15–5.17, fig. 5.16]."""

from ik_node._jit import inline
from ik_node.kinematics.forward import BALL_Z, SLIDE


@inline
def chain_jacobian(chain, T_base_frame, T_base_point, J):
    """Write the Jacobian at a point of the last link into J (6, n): linear rows first, base frame.

    T_base_frame (m + 1, 4, 4) are the frames of `chain_frames`. The point is the origin of
    T_base_point (4, 4): the tip's, or the goal's for the alternate Jacobian [Parent fig. 5.23]. The
    column of a revolute arc is [a × (p − r); a], of a prismatic one [a; 0]; arcs that share a
    column add up. The axes of a ball are those of `turn_ball`.
    """
    F, kinds, columns, ratios = T_base_frame, chain.kind, chain.column, chain.ratio
    px, py, pz = T_base_point[0, 3], T_base_point[1, 3], T_base_point[2, 3]
    for i in range(6):
        for column in range(J.shape[1]):
            J[i, column] = 0.0
    for k in range(columns.shape[0]):
        column, ratio = columns[k], ratios[k]
        ax, ay, az = ratio * F[k, 0, 2], ratio * F[k, 1, 2], ratio * F[k, 2, 2]
        if kinds[k] == BALL_Z:  # where turn_ball has left it
            ax, ay, az = F[k - 1, 0, 0], F[k - 1, 1, 0], F[k - 1, 2, 0]
        if kinds[k] == SLIDE:
            J[0, column] += ax
            J[1, column] += ay
            J[2, column] += az
        else:
            x, y, z = px - F[k, 0, 3], py - F[k, 1, 3], pz - F[k, 2, 3]
            J[0, column] += ay * z - az * y
            J[1, column] += az * x - ax * z
            J[2, column] += ax * y - ay * x
            J[3, column] += ax
            J[4, column] += ay
            J[5, column] += az
