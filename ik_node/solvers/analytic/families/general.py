"""Arms of six revolute joints of any geometry: up to sixteen solutions for a pose.

e₁(q₁) … e₆(q₆) T⁻¹ = 1 is a closed loop of six rotations; it can be opened at any joint and read in
both senses. In each opening the joints are θ₁ … θ₆ of `elimination`: θ₁ and θ₂ are eliminated, θ₃
is an eigenvalue, θ₄ and θ₅ follow from its eigenvector, the others one by one.
"""

import math

import numpy as np

from ik_node._jit import Matrix, Vector, njit
from ik_node.solvers.analytic.subproblems.eigenvalues import (
    eigenvalues,
    left_null_space,
    null_vector,
)
from ik_node.solvers.analytic.subproblems.elimination import (
    ACROSS,
    ACROSS_GOAL,
    GOAL,
    SIXTH,
    bilinear,
    close,
    six_equations,
    sixteen_roots,
    split,
    twelve_equations,
)

GENERAL_SCRATCH, GENERAL_MOST = 1242, 64

_DISTURBANCE = 1e-6  # rad, and of the arm's size; grows tenfold from try to try
_REFERENCES = 3      # values of θ₃ tried for a regular matrix
_SINGULAR = 1e-10    # a pivot below this fraction of the largest is none
# |exp(iθ₃)|² gives the imaginary part. Up to 0.1 rad two roots may be about to coincide, so both
# give a candidate; one below 1e-4 rad counts as real, and must close the loop.
_NEARLY_REAL, _REAL = math.exp(0.2), math.exp(2e-4)
_CLOSED, _HOPELESS = 1e-5, 0.1  # remaining gap of the loop, rad and of the arm's size
_SAME = 1e-5         # rad


@njit
def general_candidates(axes: Matrix, points: Matrix, T: Matrix, scratch: Vector,
                       out: Matrix) -> int:
    """Write candidates for a pose into out (GENERAL_MOST, 6), rad; return their number.

    The arm is e₁(q₁) … e₆(q₆) = T, eᵢ(q) the turn by q about the line through points[i] (6, 3), m,
    along the unit vector axes[i] (6, 3), in the base frame at q = 0; T (4, 4) moves the tip from
    its pose at q = 0 to the goal; scratch (GENERAL_SCRATCH,).

    The first opening usually succeeds. Where its roots coincide, as they always do with a spherical
    wrist, or no pair can be eliminated, others follow, each also for a slightly perturbed arm,
    whose roots are distinct, until two succeed: either may lose a pair of nearly equal roots.
    """
    lines = scratch[0:66].reshape(11, 6)
    _arrange(axes, points, T, 0, False, lines)
    best, second = _best_pairs(lines)
    count, sounds = np.int64(0), 0  # a literal 0 would have numba compile `_postures` twice
    for attempt in range(6):
        disturbance = _DISTURBANCE * 10.0 ** (attempt // 2) if attempt % 2 == 1 else 0.0
        backward = attempt // 2 == 1
        first = second if attempt >= 4 else (best + 2) % 6 if backward else best
        _arrange(axes, points, T, first, backward, lines)
        _normalise(lines, disturbance)
        count, sound = _configurations(lines, first, backward, scratch, out, count)
        sounds += sound
        if sound and (attempt == 0 or (count > 0 and sounds == 2)):
            break
    return count


@njit
def _arrange(axes: Matrix, points: Matrix, T: Matrix, first: int, backward: bool,
             lines: Matrix) -> None:
    """Write the lines (11, 6) of an opening: the first joint of six, and the sense, in the base.

    Joints behind the sixth are those of the next round, seen from where T takes them:
    T⁻¹ eᵢ T instead of eᵢ. Backwards, eᵢ(q)⁻¹ turns by q about the opposite axis.
    """
    for k in range(6):
        joint, row = (first + k) % 6, 5 - k if backward else k
        for i in range(3):
            lines[row, i], lines[row, 3 + i] = points[joint, i], axes[joint, i]
        if first + k >= 6:
            _move(T, True, lines, row, row)
        if backward:
            for i in range(3, 6):
                lines[row, i] = -lines[row, i]
    _to_foot(lines, SIXTH, lines[4, 0], lines[4, 1], lines[4, 2])
    _cross(lines, SIXTH, ACROSS)
    _move(T, backward, lines, SIXTH, GOAL)
    _move(T, backward, lines, ACROSS, ACROSS_GOAL)


@njit
def _best_pairs(lines: Matrix) -> tuple[int, int]:
    """Return the joints that begin the two pairs of neighbours that are best eliminated.

    Where the eliminated two are parallel or meet, M(θ₃) is singular for every θ₃. |(p₂ − p₁) ·
    (l₁ × l₂)| = a |sin α|, of their common normal and twist, tells how far from both they are.
    """
    best, second, most, next_most = 0, 1, -1.0, -1.0
    for joint in range(6):
        a, b = (joint, joint + 1) if joint < 5 else (GOAL, 0)
        x, y, z = lines[a, 3], lines[a, 4], lines[a, 5]
        u, v, w = lines[b, 3], lines[b, 4], lines[b, 5]
        moment = abs((lines[b, 0] - lines[a, 0]) * (y * w - z * v)
                     + (lines[b, 1] - lines[a, 1]) * (z * u - x * w)
                     + (lines[b, 2] - lines[a, 2]) * (x * v - y * u))
        if moment > most:
            best, second, most, next_most = joint, best, moment, most
        elif moment > next_most:
            second, next_most = joint, moment
    return best, second


@njit
def _normalise(lines: Matrix, disturbance: float) -> None:
    """Bring the lines (11, 6) into the frame of the third axis, in units of their mean distance.

    A disturbance, rad and units, moves all but the third and sixth axis, each otherwise.
    """
    x, y, z = 0.0, 0.0, 0.0
    for k in range(7):
        x, y, z = x + lines[k, 0] / 7.0, y + lines[k, 1] / 7.0, z + lines[k, 2] / 7.0
    for k in range(5):
        _to_foot(lines, k, x, y, z)
    ox, oy, oz = lines[2, 0], lines[2, 1], lines[2, 2]
    size = 0.0
    for k in range(7):
        x, y, z = lines[k, 0] - ox, lines[k, 1] - oy, lines[k, 2] - oz
        size += math.sqrt(x * x + y * y + z * z) / 6.0
    scale = 1.0 / size if size > 0.0 else 1.0
    _cross(lines, 2, 9)  # a row of scratch
    xx, xy, xz = lines[9, 3], lines[9, 4], lines[9, 5]
    zx, zy, zz = lines[2, 3], lines[2, 4], lines[2, 5]
    yx, yy, yz = zy * xz - zz * xy, zz * xx - zx * xz, zx * xy - zy * xx
    for k in range(9):
        x, y, z = lines[k, 0] - ox, lines[k, 1] - oy, lines[k, 2] - oz
        lines[k, 0] = scale * (xx * x + xy * y + xz * z)
        lines[k, 1] = scale * (yx * x + yy * y + yz * z)
        lines[k, 2] = scale * (zx * x + zy * y + zz * z)
        x, y, z = lines[k, 3], lines[k, 4], lines[k, 5]
        lines[k, 3] = xx * x + xy * y + xz * z
        lines[k, 4] = yx * x + yy * y + yz * z
        lines[k, 5] = zx * x + zy * y + zz * z
        if disturbance > 0.0 and k < 7 and k != 2 and k != SIXTH:
            for i in range(6):
                lines[k, i] += disturbance * math.sin(11.0 * k + 5.0 * i + 1e6 * disturbance)
            x, y, z = lines[k, 3], lines[k, 4], lines[k, 5]
            length = math.sqrt(x * x + y * y + z * z)
            for i in range(3, 6):
                lines[k, i] /= length


@njit
def _move(T: Matrix, inverse: bool, lines: Matrix, row: int, moved: int) -> None:
    """Write T (4, 4), or its inverse, times a line into another row of lines (k, 6)."""
    px, py, pz = lines[row, 0], lines[row, 1], lines[row, 2]
    lx, ly, lz = lines[row, 3], lines[row, 4], lines[row, 5]
    if inverse:
        px, py, pz = px - T[0, 3], py - T[1, 3], pz - T[2, 3]
        for i in range(3):
            lines[moved, i] = T[0, i] * px + T[1, i] * py + T[2, i] * pz
            lines[moved, 3 + i] = T[0, i] * lx + T[1, i] * ly + T[2, i] * lz
        return
    for i in range(3):
        lines[moved, i] = T[i, 0] * px + T[i, 1] * py + T[i, 2] * pz + T[i, 3]
        lines[moved, 3 + i] = T[i, 0] * lx + T[i, 1] * ly + T[i, 2] * lz


@njit
def _to_foot(lines: Matrix, row: int, x: float, y: float, z: float) -> None:
    """Move the point of a line to where it is nearest to (x, y, z)."""
    along = ((x - lines[row, 0]) * lines[row, 3] + (y - lines[row, 1]) * lines[row, 4]
             + (z - lines[row, 2]) * lines[row, 5])
    for i in range(3):
        lines[row, i] += along * lines[row, 3 + i]


@njit
def _cross(lines: Matrix, axis: int, row: int) -> None:
    """Write into a row of lines (k, 6) one that crosses an axis at a right angle, at its point."""
    x, y, z = lines[axis, 3], lines[axis, 4], lines[axis, 5]
    u, v, w = (0.0, z, -y) if abs(x) < 0.6 else (-z, 0.0, x)
    length = math.sqrt(u * u + v * v + w * w)
    scale = 1.0 / length if length > 0.0 else 1.0
    for i in range(3):
        lines[row, i] = lines[axis, i]
    lines[row, 3], lines[row, 4], lines[row, 5] = scale * u, scale * v, scale * w


@njit
def _configurations(lines: Matrix, first: int, backward: bool, scratch: Vector, out: Matrix,
                    count: int) -> tuple[int, bool]:
    """Add the real solutions of one opening to out (GENERAL_MOST, 6), rad.

    Return their new number, and whether every real root gave one that closes the loop.
    """
    P, Q = scratch[66:192].reshape(14, 9), scratch[192:318].reshape(14, 9)
    N, S = scratch[318:402].reshape(6, 14), scratch[402:564].reshape(3, 6, 9)
    M, V = scratch[564:708].reshape(12, 12), scratch[708:900].reshape(16, 12)
    K, A = scratch[900:1156].reshape(16, 16), scratch[1156:1180].reshape(6, 4)
    real, imaginary = scratch[1180:1196], scratch[1196:1212]
    order, v, theta = scratch[1212:1224], scratch[1224:1236], scratch[1236:1242]
    bilinear(lines, SIXTH, 4, 3, 1.0, P)
    bilinear(lines, GOAL, 0, 1, -1.0, Q)
    left_null_space(Q, N)
    six_equations(P, Q, N, S)
    # A root at φ would be an infinite eigenvalue: take the most regular of a few.
    quality, phi = 0.0, 0.0
    for k in range(_REFERENCES + 1):
        angle = 0.5 + 2.0 * math.pi * k / _REFERENCES if k < _REFERENCES else phi
        twelve_equations(S, angle, M)
        regular = sixteen_roots(P, N, angle, M, V, K)
        if regular > quality:
            quality, phi = regular, angle
    if not quality > _SINGULAR:
        return count, False
    roots = eigenvalues(K, real, imaginary)
    sound, before = roots == 16, count
    for k in range(roots):
        # exp(iδ) = (cot(δ/2) + i)/(cot(δ/2) − i)
        x, y = real[k], imaginary[k]
        large, small = x * x + (y + 1.0) * (y + 1.0), x * x + (y - 1.0) * (y - 1.0)
        if y < 0.0 or not large <= _NEARLY_REAL * small:
            continue
        theta[2] = phi + math.atan2(y + 1.0, x) - math.atan2(y - 1.0, x)
        twelve_equations(S, theta[2], M)
        single = null_vector(M, order, v) > _SINGULAR
        split(v, theta)
        residual = close(lines, A, theta)
        if large <= _REAL * small and not (single and residual <= _CLOSED):
            sound = False
        if residual <= _HOPELESS and count < out.shape[0]:
            count += _add(theta, first, backward, out, before, count)
    return count, sound


@njit
def _add(theta: Vector, first: int, backward: bool, out: Matrix, before: int, count: int) -> int:
    """Write a solution into row count of out; return 1, or 0 if the first `before` rows have it."""
    for part in range(6):
        angle = theta[part]
        if not math.isfinite(angle):
            return 0
        joint = (first + (5 - part if backward else part)) % 6
        out[count, joint] = angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)
    for k in range(before):
        apart = 0.0
        for i in range(6):
            off = abs(out[k, i] - out[count, i])
            apart = max(apart, min(off, 2.0 * math.pi - off))
        if apart < _SAME:
            return 0
    return 1
