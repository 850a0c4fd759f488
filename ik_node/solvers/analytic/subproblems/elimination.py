"""Elimination of two angles of a loop of six revolute joints, down to an eigenvalue problem.

A loop is opened so that the sixth axis L and where the goal puts it, L′ = T L, stand alone:

    e₃(θ₃) e₄(θ₄) e₅(θ₅) L = e₂(θ₂)⁻¹ e₁(θ₁)⁻¹ L′

Raghavan & Roth, J. Mechanical Design 115 (1993) 502, make fourteen equations of it that are linear
in the products of sines and cosines, and eliminate θ₁ and θ₂; Manocha & Canny, IEEE Trans. Robotics
and Automation 10 (1994) 648, take θ₃ from an eigenvalue. Lines are rows (6,) of a table, a point
and a unit direction, in a frame whose z axis is the third axis; lengths are in units of the arm.
"""

import math

import numpy as np

from ik_node._jit import Matrix, Stack, Vector, inline, njit
from ik_node.solvers.analytic.subproblems.eigenvalues import divide_by

# Rows of the table of lines (11, 6): the axes by their parts, the sixth where the goal puts it, a
# line across the sixth at a right angle, the same where the goal puts it, and two of scratch. Of
# numpy's integers, for numba would compile a kernel anew for every literal it is called with.
_FIRST, _SECOND, _THIRD, _FOURTH, _FIFTH, SIXTH, GOAL, ACROSS, ACROSS_GOAL, _A, _B = np.arange(11)


@njit
def rotate_line(lines: Matrix, line: int, axis: int, angle: float, rotated: int) -> None:
    """Write a line rotated about another by an angle, rad, into a row of lines [Rodrigues]."""
    c, s = math.cos(angle), math.sin(angle)
    ox, oy, oz = lines[axis, 0], lines[axis, 1], lines[axis, 2]
    ax, ay, az = lines[axis, 3], lines[axis, 4], lines[axis, 5]
    x, y, z = lines[line, 0] - ox, lines[line, 1] - oy, lines[line, 2] - oz
    along = (1.0 - c) * (ax * x + ay * y + az * z)
    lines[rotated, 0] = ox + c * x + along * ax + s * (ay * z - az * y)
    lines[rotated, 1] = oy + c * y + along * ay + s * (az * x - ax * z)
    lines[rotated, 2] = oz + c * z + along * az + s * (ax * y - ay * x)
    x, y, z = lines[line, 3], lines[line, 4], lines[line, 5]
    along = (1.0 - c) * (ax * x + ay * y + az * z)
    lines[rotated, 3] = c * x + along * ax + s * (ay * z - az * y)
    lines[rotated, 4] = c * y + along * ay + s * (az * x - ax * z)
    lines[rotated, 5] = c * z + along * az + s * (ax * y - ay * x)


@njit
def _write_fourteen(lines: Matrix, line: int, F: Matrix, column: int) -> None:
    """Write the fourteen quantities of a line (p, l) that are equated into a column of F (14, k).

    Vectors l, p, p×l and (p·p) l − 2 (p·l) p, scalars p·p and p·l. Under a turn about any axis none
    of them gets a square of its sine or cosine [Raghavan & Roth 1993]. A turn about z leaves rows
    0 … 5 as they are; rows 6 … 9 are x, rows 10 … 13 are y of the vectors.
    """
    px, py, pz = lines[line, 0], lines[line, 1], lines[line, 2]
    lx, ly, lz = lines[line, 3], lines[line, 4], lines[line, 5]
    pp, pl = px * px + py * py + pz * pz, px * lx + py * ly + pz * lz
    F[0, column], F[6, column], F[10, column] = lz, lx, ly
    F[1, column], F[7, column], F[11, column] = pz, px, py
    F[2, column], F[3, column] = px * ly - py * lx, pp * lz - 2.0 * pl * pz
    F[8, column], F[9, column] = py * lz - pz * ly, pp * lx - 2.0 * pl * px
    F[12, column], F[13, column] = pz * lx - px * lz, pp * ly - 2.0 * pl * py
    F[4, column], F[5, column] = pp, pl


@njit
def bilinear(lines: Matrix, line: int, inner: int, outer: int, sense: float, F: Matrix) -> None:
    """Write the coefficients of the fourteen in (1, c, s)⊗(1, c, s) into F (14, 9).

    The line turns about the inner axis, then the outer, the major index; sense −1: backwards.
    """
    third = sense * 2.0 * math.pi / 3.0
    for j in range(3):
        rotate_line(lines, line, inner, j * third, _A)
        for i in range(3):
            rotate_line(lines, _A, outer, i * third, _B)
            _write_fourteen(lines, _B, F, 3 * i + j)
    for row in range(14):
        for k in range(3):
            _to_coefficients(F, row, 3 * k, 1)
        for k in range(3):
            _to_coefficients(F, row, k, 3)


@inline
def _to_coefficients(F: Matrix, row: int, first: int, stride: int) -> None:
    """Replace samples at 0, 2π/3 and 4π/3 by the coefficients of 1, cos and sin: Fourier's."""
    x, y, z = F[row, first], F[row, first + stride], F[row, first + 2 * stride]
    F[row, first] = (x + y + z) / 3.0
    F[row, first + stride] = (2.0 * x - y - z) / 3.0
    F[row, first + 2 * stride] = (y - z) / math.sqrt(3.0)


@njit
def six_equations(P: Matrix, Q: Matrix, N: Matrix, S: Stack) -> None:
    """Write the six equations in θ₄ and θ₅, S[0] + S[1] cos θ₃ + S[2] sin θ₃, into S (3, 6, 9).

    P and Q (14, 9) are the coefficients of both sides, N (6, 14) annihilates Q's unknowns.
    """
    for r in range(6):
        for m in range(9):
            fixed, cosine, sine = 0.0, 0.0, 0.0
            for i in range(6):
                fixed += N[r, i] * P[i, m]
            for i in range(6, 10):
                cosine += N[r, i] * P[i, m] + N[r, i + 4] * P[i + 4, m]
                sine += N[r, i + 4] * P[i, m] - N[r, i] * P[i + 4, m]
            S[0, r, m], S[1, r, m], S[2, r, m] = fixed, cosine, sine
        for i in range(14):
            S[0, r, 0] -= N[r, i] * Q[i, 0]


@njit
def twelve_equations(S: Stack, theta3: float, M: Matrix) -> None:
    """Write M(θ₃) (12, 12), with M v = 0 for v = (cos a, sin a, cos 3a, sin 3a)⊗(1, c₅, s₅).

    The six times cos a and times sin a, a = θ₄/2. Raghavan & Roth multiply by 1 and by tan a,
    which spans the same, but has no place for θ₄ = π.
    """
    c, s = math.cos(theta3), math.sin(theta3)
    for r in range(6):
        for j in range(3):
            f = S[0, r, j] + c * S[1, r, j] + s * S[2, r, j]
            g = 0.5 * (S[0, r, 3 + j] + c * S[1, r, 3 + j] + s * S[2, r, 3 + j])
            h = 0.5 * (S[0, r, 6 + j] + c * S[1, r, 6 + j] + s * S[2, r, 6 + j])
            _double(M, r, 6 + r, j, f, g, h)


@inline
def _double(M: Matrix, row: int, other: int, j: int, f: float, g: float, h: float) -> None:
    """Write (f + 2g cos 2a + 2h sin 2a) times cos a into a row of M, times sin a into another."""
    M[row, j], M[row, 3 + j], M[row, 6 + j], M[row, 9 + j] = f + g, h, g, h
    M[other, j], M[other, 3 + j], M[other, 6 + j], M[other, 9 + j] = h, f - g, -h, g


@njit
def sixteen_roots(P: Matrix, N: Matrix, phi: float, M: Matrix, V: Matrix, K: Matrix) -> float:
    """Write K (16, 16), whose eigenvalues are cot(δ/2) where M(φ + δ) is singular.

    M (12, 12) is M(φ), and overwritten; V (16, 12) is scratch; P (14, 9) and N (6, 14) as for
    `six_equations`. Return the smallest pivot of M(φ) over the largest: 0 where it is singular.

    Only the four pairs x, y of the fourteen turn with θ₃. Doubled as the equations are, that is
    M(φ + δ) = M(φ) + U (R(δ) − 1) V, U of N, V of P turned by φ, R(δ) a turn in eight planes with
    the generator J. By R(δ) − 1 = 2 sin(δ/2) J R(δ/2), M(φ + δ) v = 0 becomes, for
    y = R(δ/2) V v,  (1 − 2 V M(φ)⁻¹ U) J y = cot(δ/2) y. These are the sixteen roots, without
    the eight at tan(θ₃/2) = ±i that come besides from the 24 × 24 problem of Manocha & Canny.
    """
    c, s = math.cos(phi), math.sin(phi)
    for r in range(4):
        for j in range(3):
            x, y = P[6 + r, j], P[10 + r, j]
            gx, gy = 0.5 * P[6 + r, 3 + j], 0.5 * P[10 + r, 3 + j]
            hx, hy = 0.5 * P[6 + r, 6 + j], 0.5 * P[10 + r, 6 + j]
            _double(V, r, 4 + r, j, c * x - s * y, c * gx - s * gy, c * hx - s * hy)
            _double(V, 8 + r, 12 + r, j, s * x + c * y, s * gx + c * gy, s * hx + c * hy)
    quality = divide_by(M, V)
    for k in range(16):
        for half in range(2):
            for r in range(4):
                x, y = 0.0, 0.0
                for i in range(6):
                    x += V[k, 6 * half + i] * N[i, 6 + r]
                    y += V[k, 6 * half + i] * N[i, 10 + r]
                # J turns x into y and y into −x: so it does with the columns.
                K[k, 4 * half + r], K[k, 8 + 4 * half + r] = -2.0 * y, 2.0 * x
    for k in range(8):
        K[8 + k, k] += 1.0
        K[k, 8 + k] -= 1.0
    return quality


@njit
def split(v: Vector, theta: Vector) -> None:
    """Write θ₄ and θ₅ of v (12,) = h (cos a, sin a, cos 3a, sin 3a)⊗(1, c₅, s₅), a = θ₄/2."""
    column, most = 0, -1.0
    for j in range(3):
        size = v[j] * v[j] + v[3 + j] * v[3 + j]
        if size > most:
            column, most = j, size
    a = math.atan2(v[3 + column], v[column])
    c, s, c3, s3 = math.cos(a), math.sin(a), math.cos(3.0 * a), math.sin(3.0 * a)
    one = c * v[0] + s * v[3] + c3 * v[6] + s3 * v[9]
    cosine = c * v[1] + s * v[4] + c3 * v[7] + s3 * v[10]
    sine = c * v[2] + s * v[5] + c3 * v[8] + s3 * v[11]
    h = math.copysign(1.0, one)
    theta[3], theta[4] = 2.0 * a, math.atan2(h * sine, h * cosine)


@njit
def close(lines: Matrix, A: Matrix, theta: Vector) -> float:
    """Write θ₁, θ₂ and θ₆, given the others; return by how much the loop stays open.

    A (6, 4) is scratch: A (1, c₁, s₁, −1)ᵀ = 0 equates the invariants of the second axis.
    """
    for k in range(3):
        rotate_line(lines, GOAL, _FIRST, -2.0 * math.pi / 3.0 * k, _A)
        _about_axis(lines, _A, _SECOND, A, k)
    for i in range(6):
        _to_coefficients(A, i, 0, 1)
    rotate_line(lines, SIXTH, _FIFTH, theta[4], _A)
    rotate_line(lines, _A, _FOURTH, theta[3], _A)
    rotate_line(lines, _A, _THIRD, theta[2], _A)
    _about_axis(lines, _A, _SECOND, A, 3)
    cc, cs, ss, cb, sb = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(6):
        b = A[i, 3] - A[i, 0]
        cc, cs, ss = cc + A[i, 1] * A[i, 1], cs + A[i, 1] * A[i, 2], ss + A[i, 2] * A[i, 2]
        cb, sb = cb + A[i, 1] * b, sb + A[i, 2] * b
    # Least squares by the normal equations, whose determinant, never negative, cancels.
    theta[0] = math.atan2(cc * sb - cs * cb, ss * cb - cs * sb)
    rotate_line(lines, GOAL, _FIRST, -theta[0], _B)
    theta[1] = _rotation_between(lines, _A, _B, _SECOND)
    rotate_line(lines, _A, _SECOND, theta[1], _A)
    residual = 0.0
    for i in range(6):
        residual += abs(lines[_A, i] - lines[_B, i])
    rotate_line(lines, ACROSS_GOAL, _FIRST, -theta[0], _A)
    for axis in range(1, 5):
        rotate_line(lines, _A, axis, -theta[axis], _A)
    theta[5] = _rotation_between(lines, ACROSS, _A, SIXTH)
    return residual


@njit
def _about_axis(lines: Matrix, line: int, axis: int, A: Matrix, column: int) -> None:
    """Write the invariants of a line under rotation about an axis, six of the fourteen, into A."""
    ax, ay, az = lines[axis, 3], lines[axis, 4], lines[axis, 5]
    lx, ly, lz = lines[line, 3], lines[line, 4], lines[line, 5]
    ox, oy, oz = lines[axis, 0], lines[axis, 1], lines[axis, 2]
    px, py, pz = lines[line, 0] - ox, lines[line, 1] - oy, lines[line, 2] - oz
    pp, pl = px * px + py * py + pz * pz, px * lx + py * ly + pz * lz
    l_along, p_along = ax * lx + ay * ly + az * lz, ax * px + ay * py + az * pz
    A[0, column], A[1, column] = l_along, p_along
    A[2, column] = ax * (py * lz - pz * ly) + ay * (pz * lx - px * lz) + az * (px * ly - py * lx)
    A[3, column], A[4, column], A[5, column] = pp * l_along - 2.0 * pl * p_along, pp, pl


@njit
def _rotation_between(lines: Matrix, line: int, goal: int, axis: int) -> float:
    """Return the angle, rad, about an axis that best turns a line, its point too, into another."""
    ax, ay, az = lines[axis, 3], lines[axis, 4], lines[axis, 5]
    cosine, sine = 0.0, 0.0
    for j in range(0, 6, 3):
        ux, uy, uz = lines[line, j], lines[line, j + 1], lines[line, j + 2]
        vx, vy, vz = lines[goal, j], lines[goal, j + 1], lines[goal, j + 2]
        if j == 0:  # a point counts from the axis on
            x, y, z = lines[axis, 0], lines[axis, 1], lines[axis, 2]
            ux, uy, uz, vx, vy, vz = ux - x, uy - y, uz - z, vx - x, vy - y, vz - z
        cosine += (ux * vx + uy * vy + uz * vz
                   - (ax * ux + ay * uy + az * uz) * (ax * vx + ay * vy + az * vz))
        sine += ax * (uy * vz - uz * vy) + ay * (uz * vx - ux * vz) + az * (ux * vy - uy * vx)
    return math.atan2(sine, cosine)
