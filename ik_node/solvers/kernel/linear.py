"""Linear algebra on six rows, written out: J⁺ by J Jᵀ, or by an SVD that rotates rows.

J is always (6, n), stored column by column. Unconstrained rows, and rows that no joint can move,
are zero; so are the columns of locked joints. Zero rows drop out of every factor below.
"""

import math

from ik_node.solvers import codes
from ik_node.solvers.kernel.settings import ArmData
from ik_node.support import linear_systems
from ik_node.support.arrays import Columns, Square, Vector

# Above this pivot ratio J Jᵀ is solved as it is; below it the SVD decides what counts as zero. The
# ratio is about a square of singular values, and they must be well above the rank's tolerance.
WELL_CONDITIONED = 1e-7
WELL_ABOVE = 1e3


def shortest_step(J: Columns, n: int, V: Vector, factorization: int, tolerance: float,
                  work: ArmData, dq: Vector) -> None:
    """Write J⁺ V into dq (n,): the shortest least-squares step for V (6,).

    With full row rank `(J Jᵀ) β = V`, `Δq = Jᵀ β` [Parent 5.22, 5.23]; otherwise by the SVD
    without small singular values, below a tolerance times the largest (the text's 5.20 mixes both
    sides up). factorization: AUTO, LU or SVD.
    """
    A, beta = work.A, work.beta
    solved = False
    if factorization == codes.AUTO:
        gram(J, n, A)
        solved = cholesky(A) > max(WELL_CONDITIONED, WELL_ABOVE * tolerance * tolerance)
        if solved:
            cholesky_solve(A, V, beta)
    elif factorization == codes.LU:
        gram(J, n, A)
        solved = linear_systems.lu_solve(A, V, beta)
    if solved:
        times_transpose(J, n, beta, dq)
    else:
        truncated_solve(J, n, V, tolerance, work.W, work.U, dq)


def damped_step(J: Columns, n: int, V: Vector, along: float, about: float, work: ArmData,
                dq: Vector) -> bool:
    """Write `Jᵀ (J Jᵀ + D)⁻¹ V` into dq (n,) [Parent 5.24]; tell whether J Jᵀ + D is definite.

    D has `along` for the rows of the position, and `about` for those of the orientation.
    """
    A, beta = work.A, work.beta
    gram(J, n, A)
    for i in range(6):
        A[i][i] += along if i < 3 else about
    if cholesky(A) == 0.0:
        return False
    cholesky_solve(A, V, beta)
    times_transpose(J, n, beta, dq)
    return True


def gram(J: Columns, n: int, A: Square) -> None:
    """Write J Jᵀ into the lower triangle of A (6, 6)."""
    for i in range(6):
        for j in range(i + 1):
            total = 0.0
            for k in range(n):
                total += J[k][i] * J[k][j]
            A[i][j] = total


def cholesky(A: Square) -> float:
    """Factor A = L Lᵀ in the lower triangle of A (6, 6), the diagonal inverted.

    Rows of zeros are left out. Return the smallest pivot over its diagonal entry, which is about
    1/condition² of J for A = J Jᵀ; 0 where A is not positive definite.
    """
    weakest = 1.0
    for j in range(6):
        diagonal = A[j][j]
        if diagonal == 0.0:
            A[j][j] = 1.0
            continue
        pivot = diagonal
        for k in range(j):
            pivot -= A[j][k] * A[j][k]
        if not pivot > 0.0:
            return 0.0
        if pivot < weakest * diagonal:
            weakest = pivot / diagonal
        inverse = 1.0 / math.sqrt(pivot)
        A[j][j] = inverse
        for i in range(j + 1, 6):
            total = A[i][j]
            for k in range(j):
                total -= A[i][k] * A[j][k]
            A[i][j] = total * inverse
    return weakest


def cholesky_solve(L: Square, b: Vector, x: Vector) -> None:
    """Solve L Lᵀ x = b for x (6,), given the factor of `cholesky`."""
    for i in range(6):
        total = b[i]
        for k in range(i):
            total -= L[i][k] * x[k]
        x[i] = total * L[i][i]
    for i in range(5, -1, -1):
        total = x[i]
        for k in range(i + 1, 6):
            total -= L[k][i] * x[k]
        x[i] = total * L[i][i]


def volume(L: Square) -> float:
    """Return √det A, given the factor of `cholesky`; rows of zeros do not count."""
    product = 1.0
    for i in range(6):
        product /= L[i][i]
    return product


def times_transpose(J: Columns, n: int, x: Vector, dq: Vector) -> None:
    """Write Jᵀ x into dq (n,)."""
    for k in range(n):
        total = 0.0
        for i in range(6):
            total += J[k][i] * x[i]
        dq[k] = total


def row_svd(J: Columns, n: int, W: Columns, U: Square) -> float:
    """Write Uᵀ J into W, (6, n), whose rows are orthogonal, and U (6, 6); return the largest σ.

    The rows of W are σᵢ vᵢᵀ. One-sided Jacobi: pairs of rows are rotated until they are at right
    angles. Unlike an SVD by way of J Jᵀ it keeps the small singular values accurate
    [Hestenes 1958; Golub & Van Loan 8.6.3].
    """
    for i in range(6):
        for k in range(n):
            W[k][i] = J[k][i]
        for j in range(6):
            U[i][j] = 1.0 if i == j else 0.0
    for _ in range(30):
        rotated = False
        for i in range(5):
            for j in range(i + 1, 6):
                aa, bb, ab = 0.0, 0.0, 0.0
                for k in range(n):
                    aa += W[k][i] * W[k][i]
                    bb += W[k][j] * W[k][j]
                    ab += W[k][i] * W[k][j]
                if math.fabs(ab) <= 1e-15 * math.sqrt(aa * bb):
                    continue
                rotated = True
                zeta = (bb - aa) / (2.0 * ab)
                t = math.copysign(1.0, zeta) / (math.fabs(zeta) + math.sqrt(1.0 + zeta * zeta))
                c = 1.0 / math.sqrt(1.0 + t * t)
                s = c * t
                for k in range(n):
                    a, b = W[k][i], W[k][j]
                    W[k][i], W[k][j] = c * a - s * b, s * a + c * b
                for k in range(6):
                    a, b = U[k][i], U[k][j]
                    U[k][i], U[k][j] = c * a - s * b, s * a + c * b
        if not rotated:
            break
    largest = 0.0
    for i in range(6):
        largest = max(largest, row_length(W, n, i))
    return largest


def truncated_solve(J: Columns, n: int, V: Vector, tolerance: float, W: Columns, U: Square,
                    dq: Vector) -> None:
    """Write J⁺ V into dq (n,), singular values below `tolerance` times the largest dropped.

    W, (6, n), and U (6, 6) are scratch.
    """
    largest = row_svd(J, n, W, U)
    for k in range(n):
        dq[k] = 0.0
    for i in range(6):
        sigma = row_length(W, n, i)
        if sigma <= tolerance * largest:
            continue
        share = 0.0
        for j in range(6):
            share += U[j][i] * V[j]
        share /= sigma * sigma
        for k in range(n):
            dq[k] += share * W[k][i]


def row_length(W: Columns, n: int, row: int) -> float:
    """Return the length of a row of W: a singular value, after `row_svd`."""
    total = 0.0
    for k in range(n):
        total += W[k][row] * W[k][row]
    return math.sqrt(total)
