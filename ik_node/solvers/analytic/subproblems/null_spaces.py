"""Quotients and null spaces of the matrices of an elimination, in the memory of the caller."""

import math

from ik_node.support.arrays import Fourteens, Integers, Nines, Twelves, Vector

INF = math.inf


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


def left_null_space(Q: Nines, N: Fourteens) -> None:
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
