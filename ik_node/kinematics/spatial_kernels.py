"""Rotations and poses for the kernels that numba compiles."""

import math

from ik_node._jit import Matrix, Vector, entry, njit

# Below this angle (rad) a series replaces the closed form: its first neglected term, θ⁴/720,
# is then under the rounding error of the closed form.
SMALL_ANGLE = 1e-3


@njit
def compose(T_a_b: Matrix, T_b_c: Matrix, T_a_c: Matrix) -> None:
    """Write `T_a_b @ T_b_c` into T_a_c; only the upper three rows are read and written."""
    for i in range(3):
        x, y, z = T_a_b[i, 0], T_a_b[i, 1], T_a_b[i, 2]
        for j in range(4):
            T_a_c[i, j] = x * T_b_c[0, j] + y * T_b_c[1, j] + z * T_b_c[2, j]
        T_a_c[i, 3] += T_a_b[i, 3]


@njit
def copy_pose(T: Matrix, T_copy: Matrix) -> None:
    """Write the upper three rows of T (4, 4) into T_copy."""
    for i in range(3):
        for j in range(4):
            T_copy[i, j] = T[i, j]


@njit
def quaternion_from_matrix(R: Matrix) -> tuple[float, float, float, float]:
    """Return the unit quaternion (x, y, z, w) of R (3, 3), with w ≥ 0.

    Of the four ways to extract it the best conditioned is taken, so that it is accurate to the
    last digits at every angle, 0 and π included [Shepperd, J. Guidance and Control 1 (1978) 223].
    """
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    if trace >= R[0, 0] and trace >= R[1, 1] and trace >= R[2, 2]:
        w = 0.5 * math.sqrt(1.0 + trace)
        scale = 0.25 / w
        return ((R[2, 1] - R[1, 2]) * scale, (R[0, 2] - R[2, 0]) * scale,
                (R[1, 0] - R[0, 1]) * scale, w)
    if R[0, 0] >= R[1, 1] and R[0, 0] >= R[2, 2]:
        x = 0.5 * math.sqrt(1.0 + 2.0 * R[0, 0] - trace)
        scale = 0.25 / x
        y, z = (R[0, 1] + R[1, 0]) * scale, (R[0, 2] + R[2, 0]) * scale
        w = (R[2, 1] - R[1, 2]) * scale
    elif R[1, 1] >= R[2, 2]:
        y = 0.5 * math.sqrt(1.0 + 2.0 * R[1, 1] - trace)
        scale = 0.25 / y
        x, z = (R[0, 1] + R[1, 0]) * scale, (R[1, 2] + R[2, 1]) * scale
        w = (R[0, 2] - R[2, 0]) * scale
    else:
        z = 0.5 * math.sqrt(1.0 + 2.0 * R[2, 2] - trace)
        scale = 0.25 / z
        x, y = (R[0, 2] + R[2, 0]) * scale, (R[1, 2] + R[2, 1]) * scale
        w = (R[1, 0] - R[0, 1]) * scale
    if w < 0.0:
        return -x, -y, -z, -w
    return x, y, z, w


@njit
def rotation_log(R: Matrix) -> tuple[float, float, float]:
    """Return the rotation vector (wx, wy, wz) of R (3, 3), rad, with an angle in [0, π].

    By way of the quaternion: |vector part| = sin θ/2 and scalar part = cos θ/2 lose no digits
    at θ = 0 nor at θ = π, where acos((trace − 1)/2) loses half of them.
    """
    x, y, z, w = quaternion_from_matrix(R)
    sine = math.sqrt(x * x + y * y + z * z)
    # θ / sin(θ/2) → 2 as θ → 0, exact in double precision below 1e-8.
    scale = 2.0 * math.atan2(sine, w) / sine if sine > 1e-8 else 2.0
    return scale * x, scale * y, scale * z


@njit
def rotation_series(angle2: float) -> tuple[float, float, float]:
    """Return sin θ/θ, (1 − cos θ)/θ² and (θ − sin θ)/θ³ of θ², right at 0 [Rodrigues]."""
    if angle2 < SMALL_ANGLE * SMALL_ANGLE:
        return 1.0 - angle2 / 6.0, 0.5 - angle2 / 24.0, 1.0 / 6.0 - angle2 / 120.0
    angle = math.sqrt(angle2)
    s = math.sin(angle) / angle
    return s, 2.0 * (math.sin(0.5 * angle) / angle) ** 2, (1.0 - s) / angle2


@njit
def right_jacobian_inverse(w: Vector, M: Matrix) -> None:
    """Write J_r⁻¹(w) (3, 3) into M: log(exp(w) exp(δ)) ≈ w + J_r⁻¹(w) δ.

    w (3,) is a rotation vector, rad, |w| ≤ π [Solà, A micro Lie theory, eq. 144].
    """
    angle2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    if angle2 < SMALL_ANGLE * SMALL_ANGLE:
        c = 1.0 / 12.0 + angle2 / 720.0
    else:
        half = 0.5 * math.sqrt(angle2)
        c = (1.0 - half * math.cos(half) / math.sin(half)) / angle2
    for i in range(3):
        for j in range(3):
            M[i, j] = c * w[i] * w[j]
        M[i, i] += 1.0 - c * angle2
    M[0, 1] -= 0.5 * w[2]
    M[1, 0] += 0.5 * w[2]
    M[0, 2] += 0.5 * w[1]
    M[2, 0] -= 0.5 * w[1]
    M[1, 2] -= 0.5 * w[0]
    M[2, 1] += 0.5 * w[0]


@entry
def rotation_defect(R: Matrix) -> float:
    """Return how far R (3, 3) is off SO(3): the largest of |R Rᵀ − I|, or 2 for a mirror image.

    NaN where R holds one.
    """
    worst = 0.0
    for i in range(3):
        for j in range(i + 1):
            dot = R[i, 0] * R[j, 0] + R[i, 1] * R[j, 1] + R[i, 2] * R[j, 2]
            defect = abs(dot - (1.0 if i == j else 0.0))
            if not defect <= worst:  # also true for NaN
                worst = defect
    determinant = (R[0, 0] * (R[1, 1] * R[2, 2] - R[1, 2] * R[2, 1])
                   - R[0, 1] * (R[1, 0] * R[2, 2] - R[1, 2] * R[2, 0])
                   + R[0, 2] * (R[1, 0] * R[2, 1] - R[1, 1] * R[2, 0]))
    return worst if determinant > 0.0 or worst != worst else 2.0


@entry
def is_pose(T: Matrix, tolerance: float) -> bool:
    """Tell whether T (4, 4) is finite, ends in 0 0 0 1, and is within a tolerance of SE(3)."""
    return (T[3, 0] == 0.0 and T[3, 1] == 0.0 and T[3, 2] == 0.0 and T[3, 3] == 1.0
            and math.isfinite(T[0, 3] + T[1, 3] + T[2, 3]) and rotation_defect(T) <= tolerance)
