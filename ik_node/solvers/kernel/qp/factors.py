"""The rows of one level, factored over what the levels before it leave free.

With T (p, n) the directions that are free, rows of unit length when nothing is singular, a level
minimises |A x − e|² + λ² |z|² over x = x₀ + Tᵀ z. Its rows, as unit vectors, are factored,
(D⁻¹ A Tᵀ)ᵀ = Q [R; 0], so that with z = Q c the cost is that of c₁ alone,
c₁ᵀ (R D² Rᵀ + λ²) c₁ / 2 − c₁ᵀ R D (e − A x₀) + λ² |c₂|² / 2 + constant.
With L Lᵀ = R D² Rᵀ + λ² and y = (Lᵀ c₁, λ c₂) it is |y − y_u|² / 2: within constraints the step is
the point nearest to y_u.
"""

import math

from ik_node.solvers.kernel.qp import householder
from ik_node.solvers.kernel.qp import level as levels
from ik_node.solvers.kernel.qp.level import Level
from ik_node.support import linear_systems
from ik_node.support.arrays import Integers, Matrix, Vector

FLOOR = 1e-12     # of λ² over the squared length of the longest row
NOISE = 1e-5      # part of a joint in free directions below which it is scaled to 0
SINGULAR = 1e-5   # singular values of unit rows below which a direction becomes free


def factor(own: Level, A: Matrix, one_sided: Integers, T: Matrix, width: int,
           damping2: float, free2: float, singular: float) -> None:
    """Factor the rows of a level, A (n, …) transposed, over the first `width` rows of T.

    damping2: λ². To it come a floor, and σ² − σ_min² where the smallest singular value of the unit
    rows is below `singular`, σ [Nakamura & Hanafusa 1986], both over the longest row. free2: the
    least λ² of the directions that no row moves, c₂.
    """
    levels.begin(own, A, T, width)
    longest = levels.row_lengths(own, one_sided)
    for j in range(width):
        for c in range(own.count):
            own.B[j][c] = 0.0
        for k in range(own.n):
            share = T[j][k]
            if share != 0.0:
                for c in range(own.count):
                    own.B[j][c] += share * A[k][own.order[c]]
    for c in range(own.count):
        own.values[c] = 1.0 / own.lengths[own.order[c] - own.first]
    for j in range(width):
        for c in range(own.count):
            own.B[j][c] *= own.values[c]
    householder.triangularise(own)
    own.inverse2 = householder.inverse2(own)
    near = max(singular * singular - 1.0 / max(own.inverse2, 1e-300), 0.0)
    own.damping2 = max(damping2 + (FLOOR + near) * longest * longest, 1e-200)
    own.free2 = max(own.damping2, free2)
    damped_gram(own)
    linear_systems.factor(own.L, own.rank)


def damped_gram(own: Level) -> None:
    """Write R D² Rᵀ + λ² into L, lower triangle."""
    B, L = own.B, own.L
    for c in range(own.count):
        length = own.lengths[own.order[c] - own.first]
        own.values[c] = length * length
    for a in range(own.rank):
        for b in range(a + 1):
            total = 0.0
            for c in range(a, own.count):
                total += B[a][c] * B[b][c] * own.values[c]
            L[a][b] = total
        L[a][a] += own.damping2


def unbound(own: Level, e: Vector, x: Vector) -> None:
    """Write y_u of the step from x (n,), and the x (n,) there, as if nothing were in its way."""
    B, y, values, z, w = own.B, own.y, own.norms, own.values, own.wanted
    own.e = e
    for c in range(own.count):
        values[c] = e[own.order[c]]
    for k in range(own.n):
        if x[k] != 0.0:
            for c in range(own.count):
                values[c] -= x[k] * own.A[k][own.order[c]]
    for c in range(own.count):
        values[c] *= own.lengths[own.order[c] - own.first]
    for a in range(own.rank):
        total = 0.0
        for c in range(a, own.count):
            total += B[a][c] * values[c]
        w[a] = total
    linear_systems.forward(own.L, own.rank, w)
    for a in range(own.width):
        y[a] = w[a] if a < own.rank else 0.0
        z[a] = y[a]
    linear_systems.backward(own.L, own.rank, z)
    for k in range(own.n):
        own.x[k] = x[k]
    for i in range(own.rank - 1, -1, -1):
        total = z[i]
        for j in range(i + 1, own.width):
            total += B[j][i] * z[j]
        total *= own.tau[i]
        z[i] -= total
        for j in range(i + 1, own.width):
            z[j] -= B[j][i] * total
    for j in range(own.width):
        if z[j] != 0.0:
            for k in range(own.n):
                own.x[k] += z[j] * own.T[j][k]


def span(own: Level) -> None:
    """Write Y, so that bounds have normals."""
    if not own.rotated:
        householder.rotate(own)
    own.spanned = True
    inverse = 1.0 / math.sqrt(own.free2)
    for j in range(own.width):
        factor_of_row = 1.0 if j < own.rank else inverse
        for k in range(own.n):
            own.Y[j][k] = factor_of_row * own.Q[j][k]
    linear_systems.forward_rows(own.L, own.rank, own.Y, own.n)


def leave_free(own: Level) -> int:
    """Write what the two-sided rows leave free into `free`; return the number of directions.

    Exactly what they do not move. Near a singularity, a direction v whose singular value σ of the
    unit rows is below ε becomes free in part: v (1 − σ²/ε²), so that steps are continuous.
    """
    if not own.rotated:
        householder.rotate(own)
    left = 0
    if own.inverse2 * SINGULAR * SINGULAR > 1.0:
        left = householder.partly_free(own, SINGULAR)
    for j in range(own.rank, own.width):
        for k in range(own.n):
            own.free[left][k] = own.Q[j][k]
        left += 1
    clear_noise(own.free, left, own.n)
    return left


def clear_noise(T: Matrix, width: int, n: int) -> None:
    """Scale joints that free directions T (width, n) hardly move to 0, by a smooth function.

    Where a joint should not move at all, rounding errors would couple it to motions that nothing
    but damping opposes.
    """
    for k in range(n):
        part = 0.0
        for j in range(width):
            part += T[j][k] * T[j][k]
        part = math.sqrt(part) / NOISE
        if part < 1.0:
            share = part * part * (3.0 - 2.0 * part)
            for j in range(width):
                T[j][k] *= share
