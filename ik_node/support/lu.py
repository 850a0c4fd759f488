"""Gaussian elimination on six rows, as the text has it [Parent 5.22]."""

import math

from ik_node.support.arrays import Square, Vector

# A pivot below this fraction of the largest entry counts as zero. J Jᵀ has the
# squares of J's singular values: one of 3e-7 of the largest still passes.
NO_PIVOT = 1e-13


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
