"""Linear systems for kernels: Cholesky's factor of any size, LU of six rows [Parent 5.22]."""

import math

from ik_node.support.arrays import Matrix, Square, Vector

SINGULAR = 1e-15         # pivot over the largest diagonal entry that counts as zero,
SINGULAR_DAMPED = 1e-14  # in `damped_solve`
# A pivot below this fraction of the largest entry counts as zero. J Jᵀ has the
# squares of J's singular values: one of 3e-7 of the largest still passes.
NO_PIVOT = 1e-13


def factor(G: Matrix, size: int) -> None:
    """Replace the lower triangle of G by that of L, G = L Lᵀ [Golub & Van Loan, alg. 4.2.1].

    The diagonal has 1 / L_ii. Where rounding has left G indefinite, the pivot is a small one.
    """
    largest = 0.0
    for i in range(size):
        largest = max(largest, G[i][i])
    least = max(SINGULAR * largest, 1e-300)
    for j in range(size):
        for i in range(j, size):
            total = G[i][j]
            for k in range(j):
                total -= G[i][k] * G[j][k]
            G[i][j] = total
        pivot = 1.0 / math.sqrt(max(G[j][j], least))
        G[j][j] = pivot
        for i in range(j + 1, size):
            G[i][j] *= pivot


def forward(L: Matrix, size: int, b: Vector) -> None:
    """Replace b by L⁻¹ b."""
    for i in range(size):
        total = b[i]
        for j in range(i):
            total -= L[i][j] * b[j]
        b[i] = total * L[i][i]


def backward(L: Matrix, size: int, b: Vector) -> None:
    """Replace b by L⁻ᵀ b."""
    for i in range(size - 1, -1, -1):
        value = b[i] * L[i][i]
        b[i] = value
        for j in range(i):
            b[j] -= L[i][j] * value


def forward_rows(L: Matrix, size: int, B: Matrix, n: int) -> None:
    """Replace B (size, n) by L⁻¹ B."""
    for i in range(size):
        for j in range(i):
            value = L[i][j]
            if value != 0.0:
                for k in range(n):
                    B[i][k] -= value * B[j][k]
        value = L[i][i]
        for k in range(n):
            B[i][k] *= value


def damped_solve(G: Matrix, y: Vector, size: int, damping2: float) -> None:
    """Replace y by (G + λ²)⁻¹ y; G = L Lᵀ takes its place [Golub & Van Loan, alg. 4.2.1].

    Zeros are left out: rows of arms and legs that share no joints have no entry in common.
    """
    largest = 0.0
    for i in range(size):
        G[i][i] += damping2
        largest = max(largest, G[i][i])
    for j in range(size):
        pivot = 1.0 / math.sqrt(max(G[j][j], SINGULAR_DAMPED * largest))
        G[j][j] = pivot
        for i in range(j + 1, size):
            if G[i][j] != 0.0:
                G[i][j] *= pivot
        for i in range(j + 1, size):
            value = G[i][j]
            if value != 0.0:
                for k in range(j + 1, i + 1):
                    G[i][k] -= value * G[k][j]
        y[j] *= pivot
        value = y[j]
        if value != 0.0:
            for i in range(j + 1, size):
                y[i] -= G[i][j] * value
    for j in range(size - 1, -1, -1):
        value = y[j] * G[j][j]
        y[j] = value
        if value != 0.0:
            for i in range(j):
                y[i] -= G[j][i] * value


def lu_solve(A: Square, b: Vector, x: Vector) -> bool:
    """Solve A x = b for x (6,) by LU with partial pivoting; return False where A is singular.

    A (6, 6) is symmetric, given by its lower triangle, and overwritten. Rows of zeros are left
    out: their entry of x is that of b. L is not kept, b is eliminated along with A.
    """
    largest = 0.0
    for i in range(6):
        x[i] = b[i]
        if A[i][i] == 0.0:
            A[i][i] = 1.0
        else:
            largest = max(largest, A[i][i])  # of a Gram matrix no entry is larger
        for j in range(i):
            A[j][i] = A[i][j]
    for k in range(6):
        pivot = k
        for i in range(k + 1, 6):
            if math.fabs(A[i][k]) > math.fabs(A[pivot][k]):
                pivot = i
        if not math.fabs(A[pivot][k]) > NO_PIVOT * largest:
            return False
        if pivot != k:
            x[k], x[pivot] = x[pivot], x[k]
            for j in range(k, 6):
                A[k][j], A[pivot][j] = A[pivot][j], A[k][j]
        for i in range(k + 1, 6):
            factor = A[i][k] / A[k][k]
            x[i] -= factor * x[k]
            for j in range(k + 1, 6):
                A[i][j] -= factor * A[k][j]
    for i in range(5, -1, -1):
        for j in range(i + 1, 6):
            x[i] -= A[i][j] * x[j]
        x[i] /= A[i][i]
    return True
