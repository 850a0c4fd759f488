"""Directions that a level hardly moves, which become free by degrees."""

import math

from ik_node.solvers.body.levels.level import Level

SWEEPS = 30
ORTHOGONAL = 1e-15


def directions(own: Level, singular: float) -> int:
    """Write directions that are free in part into `free`; return their number.

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
                for c in range(m):
                    value = R[a][c]
                    R[a][c] = cosine * value - sine * R[b][c]
                    R[b][c] = sine * value + cosine * R[b][c]
                for k in range(n):
                    value = turned[a][k]
                    turned[a][k] = cosine * value - sine * turned[b][k]
                    turned[b][k] = sine * value + cosine * turned[b][k]
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
