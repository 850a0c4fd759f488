"""Elimination of two angles of a loop of six revolute joints, down to an eigenvalue problem.

A loop is opened so that the sixth axis L and where the goal puts it, L′ = T L, stand alone:

    e₃(θ₃) e₄(θ₄) e₅(θ₅) L = e₂(θ₂)⁻¹ e₁(θ₁)⁻¹ L′

Raghavan & Roth, J. Mechanical Design 115 (1993) 502, make fourteen equations of it that are linear
in the products of sines and cosines, and eliminate θ₁ and θ₂; Manocha & Canny, IEEE Trans. Robotics
and Automation 10 (1994) 648, take θ₃ from an eigenvalue. The frame has the third axis as its z
axis; lengths are in units of the arm. Quotients and null spaces are in the memory of the caller.
"""

import math

import cython
import numpy as np

from ik_node.support.arrays import Integers, Matrix, Memory, Twelves, Vector

INF = math.inf
MOST_BRANCHES = 96  # of a nominal arm


class EliminationData:
    """Matrices of one opening of the loop; their names are those of the functions below."""

    def __init__(self) -> None:
        """Make the arrays."""
        self.memory = memory = Memory()
        self.beside_motion = False  # whether the goal is near one with a self-motion
        self.lines = memory.columns(np.zeros((11, 6)))  # see `loop_6r`
        self.P = memory.matrix(14, 9)  # coefficients of the side of θ₄ and θ₅
        self.Q = memory.matrix(14, 9)  # and of that of θ₁ and θ₂
        self.N = memory.matrix(6, 14)  # annihilates the unknowns of Q
        self.fixed = memory.matrix(6, 9)
        self.cosine, self.sine = memory.matrix(6, 9), memory.matrix(6, 9)
        # Of columns that are known to the compiler, which makes their loops faster
        self.M = cython.cast('twelves', memory.vector(np.zeros((12, 12))))
        self.V = cython.cast('twelves', memory.vector(np.zeros((16, 12))))
        self.K = cython.cast('sixteens', memory.vector(np.zeros((16, 16))))
        self.A = memory.matrix(6, 4)
        # The eigenvalues of K
        self.real, self.imaginary = memory.vector(np.zeros(16)), memory.vector(np.zeros(16))
        self.order, self.v = memory.integers(np.zeros(12)), memory.vector(np.zeros(12))
        self.theta = memory.vector(np.zeros(6))  # rad
        self.found = memory.columns(np.zeros((MOST_BRANCHES, 6)))  # rad


def six_equations(work: EliminationData) -> None:
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


def twelve_equations(work: EliminationData, theta3: float) -> None:
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


def sixteen_roots(work: EliminationData, phi: float) -> float:
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
    quality = divide_by(work.M, V)
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


def divide_by(M: Twelves, V: Twelves) -> float:
    """Replace V (16, 12) by V M⁻¹; M (12, 12) is overwritten by its factors.

    Gaussian elimination on columns, with column pivoting. Return the smallest pivot over the
    largest; 0 where M is singular, and V then is of no use.
    """
    smallest, largest = INF, 0.0
    for k in range(12):
        pivot = k
        for j in range(k + 1, 12):
            if math.fabs(M[k][j]) > math.fabs(M[k][pivot]):
                pivot = j
        for i in range(12):
            M[i][k], M[i][pivot] = M[i][pivot], M[i][k]
        for i in range(16):
            V[i][k], V[i][pivot] = V[i][pivot], V[i][k]
        head = M[k][k]
        if not math.fabs(head) > 0.0:  # true for NaN as well
            return 0.0
        smallest, largest = min(smallest, math.fabs(head)), max(largest, math.fabs(head))
        for j in range(k + 1, 12):
            factor = M[k][j] / head
            for i in range(k + 1, 12):
                M[i][j] -= factor * M[i][k]
            for i in range(16):
                V[i][j] -= factor * V[i][k]
    for k in range(11, -1, -1):
        for i in range(16):
            V[i][k] /= M[k][k]
        for j in range(k):
            for i in range(16):
                V[i][j] -= M[k][j] * V[i][k]
    return smallest / largest


def null_vector(M: Twelves, order: Integers, v: Vector) -> float:
    """Write v (12,) with M v ≈ 0 for a singular M (12, 12), which is overwritten.

    Gaussian elimination with complete pivoting, the last pivot taken as 0; order (12,) is scratch.
    Return the eleventh pivot over the first: where it is 0 as well, v is one vector of many.
    """
    for j in range(12):
        order[j], v[j] = j, 0.0
    for k in range(11):
        best, row, column = 0.0, k, k
        for i in range(k, 12):
            for j in range(k, 12):
                if math.fabs(M[i][j]) > best:
                    best, row, column = math.fabs(M[i][j]), i, j
        if best == 0.0:  # nor does NaN compare as larger
            v[order[11]] = 1.0
            return 0.0
        order[k], order[column] = order[column], order[k]
        for j in range(k, 12):
            M[k][j], M[row][j] = M[row][j], M[k][j]
        for i in range(12):
            M[i][k], M[i][column] = M[i][column], M[i][k]
        for i in range(k + 1, 12):
            factor = M[i][k] / M[k][k]
            for j in range(k + 1, 12):
                M[i][j] -= factor * M[k][j]
    v[order[11]] = 1.0
    for k in range(10, -1, -1):
        total = 0.0
        for j in range(k + 1, 12):
            total -= M[k][j] * v[order[j]]
        v[order[k]] = total / M[k][k]
    return math.fabs(M[10][10] / M[0][0])


def left_null_space(Q: Matrix, N: Matrix) -> None:
    """Write orthonormal rows N (6, 14) with N Q = 0 but for the first column of Q (14, 9).

    QR by reflections [Golub & Van Loan 5.2.1], which are left in the other eight columns.
    """
    for k in range(8):
        length2 = 0.0
        for i in range(k, 14):
            length2 += Q[i][k + 1] * Q[i][k + 1]
        length = math.sqrt(length2)
        # u = x ± |x| e, scaled so that the reflection is 1 − u uᵀ.
        Q[k][k + 1] += math.copysign(length, Q[k][k + 1])
        square = length * math.fabs(Q[k][k + 1])
        scale = 1.0 / math.sqrt(square) if square > 0.0 else 0.0
        for i in range(k, 14):
            Q[i][k + 1] *= scale
        for j in range(k + 2, 9):
            share = 0.0
            for i in range(k, 14):
                share += Q[i][k + 1] * Q[i][j]
            for i in range(k, 14):
                Q[i][j] -= share * Q[i][k + 1]
    for r in range(6):
        for i in range(14):
            N[r][i] = 1.0 if i == r + 8 else 0.0
        for k in range(7, -1, -1):
            share = 0.0
            for i in range(k, 14):
                share += Q[i][k + 1] * N[r][i]
            for i in range(k, 14):
                N[r][i] -= share * Q[i][k + 1]
