"""Orthogonal factors of the unit rows of a level, by reflections."""

import math

from ik_node.solvers.kernel.qp.level import Level
from ik_node.support.arrays import Matrix

RANK = 1e-8      # length of what is left of a unit row that is none
SWEEPS = 30
ORTHOGONAL = 1e-15


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
        for k in range(n):
            Q[j][k] = own.T[j][k]
    for i in range(own.rank):
        for k in range(n):
            w[k] = Q[i][k]
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
        for k in range(n):
            turned[a][k] = Q[a][k]
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
