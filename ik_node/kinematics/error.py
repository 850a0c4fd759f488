"""The pose error that the iterative methods reduce."""

from ik_node._jit import Matrix, Vector, njit
from ik_node.kinematics.spatial_kernels import rotation_log


@njit
def pose_error(T_base_goal: Matrix, T_base_tip: Matrix, R: Matrix, e: Vector) -> None:
    """Write [p_goal − p; log(R_goal Rᵀ)] into e (6,): base frame, m and rad.

    R (3, 3) is scratch and holds R_goal Rᵀ afterwards. The rotation is right at every angle in
    [0, π], at 0 and π too.
    """
    for i in range(3):
        e[i] = T_base_goal[i, 3] - T_base_tip[i, 3]
        for j in range(3):
            R[i, j] = (T_base_goal[i, 0] * T_base_tip[j, 0]
                       + T_base_goal[i, 1] * T_base_tip[j, 1]
                       + T_base_goal[i, 2] * T_base_tip[j, 2])
    e[3], e[4], e[5] = rotation_log(R)
