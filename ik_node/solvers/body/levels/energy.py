"""The motion of least energy among those that levels leave free, as one more level.

x = x₀ + Tᵀ z minimises xᵀ M x / 2 − fᵀ x. With L Lᵀ = T M Tᵀ and y = Lᵀ z it is |y − y_u|² / 2 +
constant, y_u = L⁻¹ T (f − M x₀): within constraints it is a step of `nearest`.
"""

from ik_node.solvers.body.levels import level as levels
from ik_node.solvers.body.levels import nearest
from ik_node.solvers.body.levels.level import Level
from ik_node.support import linear_systems
from ik_node.support.arrays import Matrix, Vector

FLOOR = 1e-16  # of the energy of z over that of the heaviest joint


def factor(own: Level, M: Matrix, A: Matrix, T: Matrix, width: int) -> None:
    """Factor the energy, M (n, n) positive definite, over the first `width` rows of T."""
    n, MT, L, heaviest = own.n, own.Q, own.L, 0.0
    levels.begin(own, width)
    for k in range(n):
        heaviest = max(heaviest, M[k][k])
    for j in range(width):
        for k in range(n):
            MT[j][k] = 0.0
        for i in range(n):
            share = T[j][i]
            if share != 0.0:
                for k in range(n):
                    MT[j][k] += share * M[i][k]
        for i in range(j + 1):
            L[j][i] = nearest.dot(MT[j], T[i], n)
        L[j][j] += FLOOR * heaviest
    linear_systems.factor(L, width)
    for j in range(width):
        for k in range(n):
            own.Y[j][k] = T[j][k]
    linear_systems.forward_rows(L, width, own.Y, n)
    levels.measure_sides(own, A)
    nearest.write_reach(own, A, T)
    own.spanned = True


def unbound(own: Level, M: Matrix, f: Vector, x: Vector) -> None:
    """Write y_u of the motion from x (n,), and the x (n,) there."""
    n, pull = own.n, own.moved
    for k in range(n):
        own.x[k] = x[k]
        pull[k] = f[k] - nearest.dot(M[k], x, n)
    for j in range(own.width):
        own.y[j] = nearest.dot(own.Y[j], pull, n)
        for k in range(n):
            own.x[k] += own.y[j] * own.Y[j][k]
