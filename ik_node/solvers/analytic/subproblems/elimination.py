"""Elimination of two angles of a loop of six revolute joints, down to an eigenvalue problem.

A loop is opened so that the sixth axis L and where the goal puts it, L′ = T L, stand alone:

    e₃(θ₃) e₄(θ₄) e₅(θ₅) L = e₂(θ₂)⁻¹ e₁(θ₁)⁻¹ L′

Raghavan & Roth, J. Mechanical Design 115 (1993) 502, make fourteen equations of it that are linear
in the products of sines and cosines, and eliminate θ₁ and θ₂; Manocha & Canny, IEEE Trans. Robotics
and Automation 10 (1994) 648, take θ₃ from an eigenvalue. Lines are those of `opening`, in a
frame whose z axis is the third axis; lengths are in units of the arm.
"""

import math

import numpy as np

from ik_node.solvers.analytic.subproblems import null_spaces, opening, sizes
from ik_node.support.arrays import Columns, Memory, Nines, Twelves, Vector


class EliminationWork:
    """Matrices of one opening of the loop; their names are those of the functions below."""

    def __init__(self) -> None:
        """Make the arrays."""
        self.memory = memory = Memory()
        self.beside_motion = False  # whether the goal is near one with a self-motion
        self.lines = memory.columns(np.zeros((11, 6)))  # see `opening`
        self.P = memory.nines(np.zeros((14, 9)))  # coefficients of the side of θ₄ and θ₅
        self.Q = memory.nines(np.zeros((14, 9)))  # and of that of θ₁ and θ₂
        self.N = memory.fourteens(np.zeros((6, 14)))  # annihilates the unknowns of Q
        self.fixed = memory.nines(np.zeros((6, 9)))
        self.cosine, self.sine = memory.nines(np.zeros((6, 9))), memory.nines(np.zeros((6, 9)))
        self.M, self.V = memory.twelves(np.zeros((12, 12))), memory.twelves(np.zeros((16, 12)))
        self.K, self.A = memory.sixteens(np.zeros((16, 16))), memory.fours(np.zeros((6, 4)))
        # The eigenvalues of K
        self.real, self.imaginary = memory.vector(np.zeros(16)), memory.vector(np.zeros(16))
        self.order, self.v = memory.integers(np.zeros(12)), memory.vector(np.zeros(12))
        self.theta = memory.vector(np.zeros(6))  # rad
        self.found = memory.columns(np.zeros((sizes.MOST_BRANCHES, 6)))  # rad


def bilinear(lines: Columns, line: int, inner: int, outer: int, sense: float, F: Nines) -> None:
    """Write the coefficients of the fourteen in (1, c, s)⊗(1, c, s) into F (14, 9).

    The line turns about the inner axis, then the outer, the major index; sense −1: backwards.
    """
    third = sense * 2.0 * math.pi / 3.0
    for j in range(3):
        opening.rotate(lines, line, inner, j * third, opening.ONE)
        for i in range(3):
            opening.rotate(lines, opening.ONE, outer, i * third, opening.OTHER)
            _write_fourteen(lines, opening.OTHER, F, 3 * i + j)
    for row in range(14):
        for k in range(3):
            opening.to_coefficients(F[row], 3 * k, 1)
        for k in range(3):
            opening.to_coefficients(F[row], k, 3)


def _write_fourteen(lines: Columns, line: int, F: Nines, column: int) -> None:
    """Write the fourteen quantities of a line (p, l) that are equated into a column of F (14, k).

    Vectors l, p, p×l and (p·p) l − 2 (p·l) p, scalars p·p and p·l. Under a turn about any axis none
    of them gets a square of its sine or cosine [Raghavan & Roth 1993]. A turn about z leaves rows
    0 … 5 as they are; rows 6 … 9 are x, rows 10 … 13 are y of the vectors.
    """
    px, py, pz = opening.point(lines, line)
    lx, ly, lz = opening.axis(lines, line)
    pp, pl = px * px + py * py + pz * pz, px * lx + py * ly + pz * lz
    F[0][column], F[6][column], F[10][column] = lz, lx, ly
    F[1][column], F[7][column], F[11][column] = pz, px, py
    F[2][column], F[3][column] = px * ly - py * lx, pp * lz - 2.0 * pl * pz
    F[8][column], F[9][column] = py * lz - pz * ly, pp * lx - 2.0 * pl * px
    F[12][column], F[13][column] = pz * lx - px * lz, pp * ly - 2.0 * pl * py
    F[4][column], F[5][column] = pp, pl


def six_equations(work: EliminationWork) -> None:
    """Write the six equations in θ₄ and θ₅, fixed + cosine · cos θ₃ + sine · sin θ₃, (6, 9) each.

    P and Q (14, 9) are the coefficients of both sides, N (6, 14) annihilates Q's unknowns.
    """
    P, Q, N = work.P, work.Q, work.N
    for r in range(6):
        for m in range(9):
            fixed, cosine, sine = 0.0, 0.0, 0.0
            for i in range(6):
                fixed += N[r][i] * P[i][m]
            for i in range(6, 10):
                cosine += N[r][i] * P[i][m] + N[r][i + 4] * P[i + 4][m]
                sine += N[r][i + 4] * P[i][m] - N[r][i] * P[i + 4][m]
            work.fixed[r][m], work.cosine[r][m], work.sine[r][m] = fixed, cosine, sine
        for i in range(14):
            work.fixed[r][0] -= N[r][i] * Q[i][0]


def twelve_equations(work: EliminationWork, theta3: float) -> None:
    """Write M(θ₃) (12, 12), with M v = 0 for v = (cos a, sin a, cos 3a, sin 3a)⊗(1, c₅, s₅).

    The six times cos a and times sin a, a = θ₄/2. Raghavan & Roth multiply by 1 and by tan a,
    which spans the same, but has no place for θ₄ = π.
    """
    fixed, cosine, sine = work.fixed, work.cosine, work.sine
    c, s = math.cos(theta3), math.sin(theta3)
    for r in range(6):
        for j in range(3):
            f = fixed[r][j] + c * cosine[r][j] + s * sine[r][j]
            g = 0.5 * (fixed[r][3 + j] + c * cosine[r][3 + j] + s * sine[r][3 + j])
            h = 0.5 * (fixed[r][6 + j] + c * cosine[r][6 + j] + s * sine[r][6 + j])
            _double(work.M, r, 6 + r, j, f, g, h)


def _double(M: Twelves, row: int, other: int, j: int, f: float, g: float, h: float) -> None:
    """Write (f + 2g cos 2a + 2h sin 2a) times cos a into a row of M, times sin a into another."""
    M[row][j], M[row][3 + j], M[row][6 + j], M[row][9 + j] = f + g, h, g, h
    M[other][j], M[other][3 + j], M[other][6 + j], M[other][9 + j] = h, f - g, -h, g


def sixteen_roots(work: EliminationWork, phi: float) -> float:
    """Write K (16, 16), whose eigenvalues are cot(δ/2) where M(φ + δ) is singular.

    M (12, 12) is M(φ), and overwritten; V (16, 12) is scratch; P (14, 9) and N (6, 14) as for
    `six_equations`. Return the smallest pivot of M(φ) over the largest: 0 where it is singular.

    Only the four pairs x, y of the fourteen turn with θ₃. Doubled as the equations are, that is
    M(φ + δ) = M(φ) + U (R(δ) − 1) V, U of N, V of P turned by φ, R(δ) a turn in eight planes with
    the generator J. By R(δ) − 1 = 2 sin(δ/2) J R(δ/2), M(φ + δ) v = 0 becomes, for
    y = R(δ/2) V v,  (1 − 2 V M(φ)⁻¹ U) J y = cot(δ/2) y. These are the sixteen roots, without
    the eight at tan(θ₃/2) = ±i that come besides from the 24 × 24 problem of Manocha & Canny.
    """
    P, N, V, K = work.P, work.N, work.V, work.K
    c, s = math.cos(phi), math.sin(phi)
    for r in range(4):
        for j in range(3):
            x, y = P[6 + r][j], P[10 + r][j]
            gx, gy = 0.5 * P[6 + r][3 + j], 0.5 * P[10 + r][3 + j]
            hx, hy = 0.5 * P[6 + r][6 + j], 0.5 * P[10 + r][6 + j]
            _double(V, r, 4 + r, j, c * x - s * y, c * gx - s * gy, c * hx - s * hy)
            _double(V, 8 + r, 12 + r, j, s * x + c * y, s * gx + c * gy, s * hx + c * hy)
    quality = null_spaces.divide_by(work.M, V)
    for k in range(16):
        for half in range(2):
            for r in range(4):
                x, y = 0.0, 0.0
                for i in range(6):
                    x += V[k][6 * half + i] * N[i][6 + r]
                    y += V[k][6 * half + i] * N[i][10 + r]
                # J turns x into y and y into −x: so it does with the columns.
                K[k][4 * half + r], K[k][8 + 4 * half + r] = -2.0 * y, 2.0 * x
    for k in range(8):
        K[8 + k][k] += 1.0
        K[k][8 + k] -= 1.0
    return quality


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
