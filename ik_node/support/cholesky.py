"""Cholesky's factor of matrices of any size, and solves with it."""

import math

from ik_node.support.arrays import Matrix, Vector

SINGULAR = 1e-15  # pivot over the largest diagonal entry that is as good as none


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
