"""Residual of a pose in the axes of its target, and how the rotation's part changes."""

from ik_node._jit import Matrix, Vector, entry
from ik_node.kinematics.spatial_kernels import right_jacobian_inverse, rotation_log


@entry
def pose_rows(T_a_goal: Matrix, T_a_b: Matrix, R: Matrix, r: Vector, M: Matrix) -> None:
    """Write [R_goalᵀ (p − p_goal); log(R_goalᵀ R)] into r (6,), m and rad, and M (3, 3).

    An angular velocity ω of b in the axes of a changes the last three rows by M ω, with
    M = J_l⁻¹(r_o) R_goalᵀ, as log(exp(δ) exp(r)) ≈ r + J_l⁻¹(r) δ [Solà, A micro Lie theory,
    eq. 146]. T_a_goal, T_a_b (4, 4), m; R (3, 3) is scratch.
    """
    G, T = T_a_goal, T_a_b
    for i in range(3):
        r[i] = 0.0
        for k in range(3):
            r[i] += G[k, i] * (T[k, 3] - G[k, 3])
        for j in range(3):
            R[i, j] = G[0, i] * T[0, j] + G[1, i] * T[1, j] + G[2, i] * T[2, j]
    r[3], r[4], r[5] = rotation_log(R)
    # J_l⁻¹(w) is the transpose of J_r⁻¹(w).
    right_jacobian_inverse(r[3:], R)
    for i in range(3):
        for j in range(3):
            M[i, j] = R[0, i] * G[j, 0] + R[1, i] * G[j, 1] + R[2, i] * G[j, 2]
