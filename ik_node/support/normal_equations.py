"""Damped normal equations of any size."""

import math

from ik_node.support.arrays import Matrix, Vector

SINGULAR = 1e-14  # pivot over the largest diagonal entry that is as good as none


def damped_solve(G: Matrix, y: Vector, size: int, damping2: float) -> None:
    """Replace y by (G + λ²)⁻¹ y; G = L Lᵀ takes its place [Golub & Van Loan, alg. 4.2.1].

    Zeros are left out: rows of arms and legs that share no joints have no entry in common.
    """
    largest = 0.0
    for i in range(size):
        G[i][i] += damping2
        largest = max(largest, G[i][i])
    for j in range(size):
        pivot = 1.0 / math.sqrt(max(G[j][j], SINGULAR * largest))
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
