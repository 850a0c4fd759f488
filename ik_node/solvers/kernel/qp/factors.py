"""The rows of one level, factored over what the levels before it leave free.

With T (p, n) the directions that are free, rows of unit length when nothing is singular, a level
minimises |A x − e|² + λ² |z|² over x = x₀ + Tᵀ z. Its rows, as unit vectors, are factored,
(D⁻¹ A Tᵀ)ᵀ = Q [R; 0], so that with z = Q c the cost is that of c₁ alone,
c₁ᵀ (R D² Rᵀ + λ²) c₁ / 2 − c₁ᵀ R D (e − A x₀) + λ² |c₂|² / 2 + constant.
With L Lᵀ = R D² Rᵀ + λ² and y = (Lᵀ c₁, λ c₂) it is |y − y_u|² / 2: within constraints the step is
the point nearest to y_u.
"""

import math

from ik_node.solvers.kernel.qp import level as levels
from ik_node.solvers.kernel.qp.level import Level
from ik_node.support import arrays, linear_systems
from ik_node.support.arrays import Integers, Matrix, Vector

FLOOR = 1e-12     # of λ² over the squared length of the longest row
NOISE = 1e-5      # part of a joint in free directions below which it is scaled to 0
RANK = 1e-8       # length below which what is left of a unit row counts as zero
SWEEPS = 30
ORTHOGONAL = 1e-15
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
    triangularise(own)
    own.inverse2 = inverse2(own)
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
    """Write y_u of the step from x (n,), and x (n,) there: the unconstrained minimiser."""
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
    arrays.copy_to(own.x, x, own.n)
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
        rotate(own)
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
        rotate(own)
    left = 0
    if own.inverse2 * SINGULAR * SINGULAR > 1.0:
        left = partly_free(own, SINGULAR)
    for j in range(own.rank, own.width):
        arrays.copy_to(own.free[left], own.Q[j], own.n)
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


def triangularise(own: Level) -> None:
    """Factor B = Q R by reflections, the longest column first [Golub & Van Loan, alg. 5.4.1]."""
    B, p, m, norms = own.B, own.width, own.count, own.norms
    for c in range(m):
        norms[c] = 0.0
    for j in range(p):
        for c in range(m):
            norms[c] += B[j][c] * B[j][c]
    i = 0
    while i < min(p, m):
        chosen = i
        for c in range(i + 1, m):
            if norms[c] > norms[chosen]:
                chosen = c
        if chosen != i:
            own.order[i], own.order[chosen] = own.order[chosen], own.order[i]
            norms[chosen] = norms[i]
            for j in range(p):
                value = B[j][i]
                B[j][i] = B[j][chosen]
                B[j][chosen] = value
        length2 = 0.0
        for j in range(i, p):
            length2 += B[j][i] * B[j][i]
        if length2 <= RANK * RANK:
            break
        reflect(own, i, math.sqrt(length2))
        for c in range(i + 1, m):
            value = norms[c] - B[i][c] * B[i][c]
            if value < 1e-6 * norms[c]:  # of the difference no digits are left
                value = 0.0
                for j in range(i + 1, p):
                    value += B[j][c] * B[j][c]
            norms[c] = value
        i += 1
    own.rank = i


def reflect(own: Level, i: int, length: float) -> None:
    """Reflect column i of B, of a length below the diagonal, to the diagonal; the others alike."""
    B, p, m, w = own.B, own.width, own.count, own.values
    head = B[i][i]
    end = -length if head > 0.0 else length
    own.tau[i] = (end - head) / end
    inverse = 1.0 / (head - end)
    B[i][i] = end
    for c in range(i + 1, m):
        w[c] = B[i][c]
    for j in range(i + 1, p):
        value = B[j][i] * inverse
        B[j][i] = value
        if value != 0.0:
            for c in range(i + 1, m):
                w[c] += value * B[j][c]
    for c in range(i + 1, m):
        w[c] *= own.tau[i]
        B[i][c] -= w[c]
    for j in range(i + 1, p):
        value = B[j][i]
        if value != 0.0:
            for c in range(i + 1, m):
                B[j][c] -= value * w[c]


def inverse2(own: Level) -> float:
    """Return |R⁻¹|², Frobenius norm, of the first columns: σ_min of the rows is 1/|R⁻¹| or more."""
    B, r, w, total = own.B, own.rank, own.values, 0.0
    for c in range(r):  # column c of the inverse
        for i in range(c, -1, -1):
            value = 1.0 if i == c else 0.0
            for j in range(i + 1, c + 1):
                value -= B[i][j] * w[j]
            w[i] = value / B[i][i]
            total += w[i] * w[i]
    return total


def rotate(own: Level) -> None:
    """Write Qᵀ T into Q."""
    B, Q, w, n = own.B, own.Q, own.moved, own.n
    own.rotated = True
    for j in range(own.width):
        arrays.copy_to(Q[j], own.T[j], n)
    for i in range(own.rank):
        arrays.copy_to(w, Q[i], n)
        for j in range(i + 1, own.width):
            value = B[j][i]
            if value != 0.0:
                for k in range(n):
                    w[k] += value * Q[j][k]
        for k in range(n):
            w[k] *= own.tau[i]
            Q[i][k] -= w[k]
        for j in range(i + 1, own.width):
            value = B[j][i]
            if value != 0.0:
                for k in range(n):
                    Q[j][k] -= value * w[k]


def turn(M: Matrix, a: int, b: int, first: int, end: int, cosine: float, sine: float) -> None:
    """Rotate rows a and b of M into each other, from a column to another [Golub & Van Loan 5.1]."""
    for c in range(first, end):
        value = M[a][c]
        M[a][c] = cosine * value + sine * M[b][c]
        M[b][c] = cosine * M[b][c] - sine * value


def partly_free(own: Level, singular: float) -> int:
    """Write directions that the level hardly moves into `free`, in part; return their number.

    Rotations make the rows of R orthogonal, whose lengths are its singular values then, and turn
    the first rows of Q along [Hestenes 1958].
    """
    B, Q, r, m, n = own.B, own.Q, own.rank, own.count, own.n
    R, turned = own.normals, own.triangle
    for a in range(r):
        for c in range(m):
            R[a][c] = B[a][c] if c >= a else 0.0
        arrays.copy_to(turned[a], Q[a], n)
    for _ in range(SWEEPS):
        rotated = False
        for a in range(r - 1):
            for b in range(a + 1, r):
                aa, ab, bb = 0.0, 0.0, 0.0
                for c in range(m):
                    aa += R[a][c] * R[a][c]
                    ab += R[a][c] * R[b][c]
                    bb += R[b][c] * R[b][c]
                if math.fabs(ab) <= ORTHOGONAL * math.sqrt(aa * bb):
                    continue
                rotated = True
                zeta = 0.5 * (bb - aa) / ab
                t = (1.0 if zeta >= 0.0 else -1.0) / (math.fabs(zeta) + math.sqrt(
                    1.0 + zeta * zeta))
                cosine = 1.0 / math.sqrt(1.0 + t * t)
                sine = t * cosine
                turn(R, a, b, 0, m, cosine, -sine)
                turn(turned, a, b, 0, n, cosine, -sine)
        if not rotated:
            break
    left = 0
    for a in range(r):
        sigma2 = 0.0
        for c in range(m):
            sigma2 += R[a][c] * R[a][c]
        part = 1.0 - sigma2 / (singular * singular)
        if part > 0.0:
            for k in range(n):
                own.free[left][k] = part * turned[a][k]
            left += 1
    return left
