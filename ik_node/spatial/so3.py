"""SO(3), over plain arrays: rotations R are (3, 3), rotation vectors in rad."""

import math

from ik_node.support.arrays import Pose, Rotation

# Below this angle (rad) a series replaces the closed form: its first neglected term, θ⁴/720,
# is then under the rounding error of the closed form.
SMALL_ANGLE = 1e-3
# Sine of the angle to an axis (1.57 for a right angle is 8e-4 off) below which what lies along it
# has no heading about it.
NO_HEADING = 1e-3


def quaternion_from_matrix(R: Rotation) -> tuple[float, float, float, float]:
    """Return the unit quaternion (x, y, z, w) of R (3, 3), with w ≥ 0.

    Of the four ways to extract it the best conditioned is taken, so that it is accurate to the
    last digits at every angle, 0 and π included [Shepperd, J. Guidance and Control 1 (1978) 223].
    """
    trace = R[0][0] + R[1][1] + R[2][2]
    if trace >= R[0][0] and trace >= R[1][1] and trace >= R[2][2]:
        w = 0.5 * math.sqrt(1.0 + trace)
        scale = 0.25 / w
        return ((R[2][1] - R[1][2]) * scale, (R[0][2] - R[2][0]) * scale,
                (R[1][0] - R[0][1]) * scale, w)
    if R[0][0] >= R[1][1] and R[0][0] >= R[2][2]:
        x = 0.5 * math.sqrt(1.0 + 2.0 * R[0][0] - trace)
        scale = 0.25 / x
        y, z = (R[0][1] + R[1][0]) * scale, (R[0][2] + R[2][0]) * scale
        w = (R[2][1] - R[1][2]) * scale
    elif R[1][1] >= R[2][2]:
        y = 0.5 * math.sqrt(1.0 + 2.0 * R[1][1] - trace)
        scale = 0.25 / y
        x, z = (R[0][1] + R[1][0]) * scale, (R[1][2] + R[2][1]) * scale
        w = (R[0][2] - R[2][0]) * scale
    else:
        z = 0.5 * math.sqrt(1.0 + 2.0 * R[2][2] - trace)
        scale = 0.25 / z
        x, y = (R[0][2] + R[2][0]) * scale, (R[1][2] + R[2][1]) * scale
        w = (R[1][0] - R[0][1]) * scale
    if w < 0.0:
        return -x, -y, -z, -w
    return x, y, z, w


def rotation_log(R: Rotation) -> tuple[float, float, float]:
    """Return the rotation vector (wx, wy, wz) of R (3, 3), rad, with an angle in [0, π].

    By way of the quaternion: |vector part| = sin θ/2 and scalar part = cos θ/2 lose no digits
    at θ = 0 nor at θ = π, where acos((trace − 1)/2) loses half of them.
    """
    x, y, z, w = quaternion_from_matrix(R)
    sine = math.sqrt(x * x + y * y + z * z)
    # θ / sin(θ/2) → 2 as θ → 0, exact in double precision below 1e-8.
    scale = 2.0 * math.atan2(sine, w) / sine if sine > 1e-8 else 2.0
    return scale * x, scale * y, scale * z


def rotation_series(angle2: float) -> tuple[float, float, float]:
    """Return sin θ/θ, (1 − cos θ)/θ² and (θ − sin θ)/θ³ of θ², right at 0 [Rodrigues]."""
    if angle2 < SMALL_ANGLE * SMALL_ANGLE:
        return 1.0 - angle2 / 6.0, 0.5 - angle2 / 24.0, 1.0 / 6.0 - angle2 / 120.0
    angle = math.sqrt(angle2)
    s, half = math.sin(angle) / angle, math.sin(0.5 * angle) / angle
    return s, 2.0 * (half * half), (1.0 - s) / angle2


def right_jacobian_inverse(x: float, y: float, z: float, M: Rotation) -> None:
    """Write J_r⁻¹(w) (3, 3) into M: log(exp(w) exp(δ)) ≈ w + J_r⁻¹(w) δ.

    w = (x, y, z) is a rotation vector, rad, |w| ≤ π [Solà, A micro Lie theory, eq. 144].
    """
    angle2 = x * x + y * y + z * z
    if angle2 < SMALL_ANGLE * SMALL_ANGLE:
        c = 1.0 / 12.0 + angle2 / 720.0
    else:
        half = 0.5 * math.sqrt(angle2)
        c = (1.0 - half * math.cos(half) / math.sin(half)) / angle2
    diagonal = 1.0 - c * angle2
    M[0][0], M[0][1], M[0][2] = c * x * x + diagonal, c * x * y - 0.5 * z, c * x * z + 0.5 * y
    M[1][0], M[1][1], M[1][2] = c * y * x + 0.5 * z, c * y * y + diagonal, c * y * z - 0.5 * x
    M[2][0], M[2][1], M[2][2] = c * z * x - 0.5 * y, c * z * y + 0.5 * x, c * z * z + diagonal


def rotate_by_vector(T: Pose, wx: float, wy: float, wz: float) -> None:
    """Rotate the frame T in place: R ← R exp(w), w a rotation vector in its own axes, rad.

    Row by row, r + s r×w + c (r×w)×w, which is Rodrigues' formula without its matrices.
    """
    s, c, _ = rotation_series(wx * wx + wy * wy + wz * wz)
    for i in range(3):
        x, y, z = T[i][0], T[i][1], T[i][2]
        u, v, w = y * wz - z * wy, z * wx - x * wz, x * wy - y * wx
        T[i][0] = x + s * u + c * (v * wz - w * wy)
        T[i][1] = y + s * v + c * (w * wx - u * wz)
        T[i][2] = z + s * w + c * (u * wy - v * wx)


def left_jacobian_row(x: float, y: float, z: float, wx: float, wy: float, wz: float, b: float,
                       d: float) -> tuple[float, float, float]:
    """Return (x, y, z) J_l(w), a row of R J_l(w), with b and d of `rotation_series`."""
    u, v, w = y * wz - z * wy, z * wx - x * wz, x * wy - y * wx
    return (x + b * u + d * (v * wz - w * wy), y + b * v + d * (w * wx - u * wz),
            z + b * w + d * (u * wy - v * wx))


def heading(a: float, b: float, c: float) -> tuple[float, float, float, float]:
    """Return the heading of a unit vector about an axis, rad, and its derivatives.

    (a, b, c) are its components along that axis and the next two, cyclically: the heading is its
    angle about the axis from the next one, in projection. The derivatives are those by rotations
    of the vector about the three. Where there is none, see `NO_HEADING`, it is the angle to that
    next axis, a right one, and the derivatives lead there.
    """
    square = b * b + c * c
    if square < NO_HEADING * NO_HEADING:
        return 0.5 * math.pi, 0.0, 0.0, math.copysign(1.0, -a)
    return math.atan2(c, b), 1.0, -a * b / square, -a * c / square
