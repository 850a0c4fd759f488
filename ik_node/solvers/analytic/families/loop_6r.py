"""Arms of six revolute joints of any geometry: up to sixteen solutions for a pose.

e₁(q₁) … e₆(q₆) M⁻¹ = 1 is a closed loop, which can be opened at any joint, and read in both senses.
In each opening the joints are θ₁ … θ₆ of `elimination`: θ₁ and θ₂ are eliminated, θ₃ is an
eigenvalue, θ₄ and θ₅ follow from its eigenvector, the others one by one.

The lines of an opening are rows (6,), a point and a unit direction, of a table (11, 6): the axes by
their places, the sixth where the goal puts it, a line across the sixth at a right angle, the same
where the goal puts it, and two of scratch.
"""

import math

import cython

from ik_node.solvers.analytic.families import closed_family
from ik_node.solvers.analytic.families.closed_family import ClosedFamily, ClosedForm
from ik_node.solvers.analytic.subproblems import elimination
from ik_node.solvers.analytic.subproblems.elimination import EliminationData
from ik_node.spatial.vector3 import Transform, Vector3
from ik_node.support import eigenvalues
from ik_node.support.arrays import Columns, Matrix, Points, Vector

if not cython.compiled:
    from ik_node.spatial.vector3 import *

FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, GOAL, ACROSS, ACROSS_GOAL, ONE, OTHER = range(11)

_DISTURBANCE = 1e-6  # rad, and of the arm's size; grows tenfold from try to try
_SLIGHT = 1e-9       # the same beside a self-motion
_REFERENCES = 3      # values of θ₃ tried for a regular matrix
_SINGULAR = 1e-10    # a pivot below this fraction of the largest is none
# |exp(iθ₃)|² gives the imaginary part. Up to 0.1 rad two roots may be about to coincide, so both
# give a candidate; one below 1e-4 rad counts as real, and must close the loop.
_NEARLY_REAL, _REAL = math.exp(0.2), math.exp(2e-4)
_CLOSED, _HOPELESS = 1e-5, 0.1  # remaining gap of the loop, rad and of the arm's size
_SAME = 1e-5         # rad


class GeneralArm(ClosedFamily):
    """Six revolute joints without any structure that a closed form could use."""

    def solve(self, work: ClosedForm) -> int:
        """Write every branch; see `ClosedFamily`."""
        solutions = _candidates(work.axes, work.points, work.M, work.elimination)
        for i in range(solutions):
            for j in range(6):
                value = work.elimination.found[i][j]
                work.write_value(i, j, math.cos(value), math.sin(value))
        return solutions


def _candidates(axes: Points, points: Points, M: Transform, work: EliminationData) -> int:
    """Write candidates into work.found (MOST_BRANCHES, 6), rad; return their number.

    The arm is e₁(q₁) … e₆(q₆) = M, eᵢ(q) the turn by q about the line through points[i] (6, 3), m,
    along the unit vector axes[i] (6, 3), in the base frame at q = 0; M moves the tip from its pose
    at q = 0 to the goal.

    The first opening usually succeeds. Where its roots coincide, as they always do with a spherical
    wrist, or no pair can be eliminated, others follow, each also for a slightly perturbed arm,
    whose roots are distinct, until two succeed: either may lose a pair of nearly equal roots.
    Beside a self-motion every θ₃ is nearly a root. Disturbances that hardly move isolated solutions
    separate them; all are tried, and find different ones.
    """
    arrange(axes, points, M, 0, False, work.lines)
    best, second = best_pairs(work.lines)
    count, sounds = 0, 0
    for attempt in range(6):
        side, power = attempt // 2, 10.0 ** (attempt // 2)
        disturbance = _DISTURBANCE * power if attempt % 2 == 1 else 0.0
        if work.beside_motion:
            side, disturbance = attempt % 3, _SLIGHT * power
        backward = side == 1
        first: int = second if side == 2 else (best + 2) % 6 if backward else best
        arrange(axes, points, M, first, backward, work.lines)
        normalise(work.lines, disturbance)
        count, sound = _configurations(work, first, backward, count)
        if sound:
            sounds += 1
            if not work.beside_motion and (attempt == 0 or (count > 0 and sounds == 2)):
                break
    return count


def _configurations(work: EliminationData, first: int, backward: bool,
                    count: int) -> tuple[int, bool]:
    """Add the real solutions of one opening to work.found, rad.

    Return their new number, and whether every real root gave one that closes the loop.
    """
    theta, before = work.theta, count
    bilinear(work.lines, SIXTH, 4, 3, 1.0, work.P)
    bilinear(work.lines, GOAL, 0, 1, -1.0, work.Q)
    elimination.left_null_space(work.Q, work.N)
    elimination.six_equations(work)
    # A root at φ would be an infinite eigenvalue: take the most regular of a few.
    quality, phi = 0.0, 0.0
    for k in range(_REFERENCES + 1):
        angle = 0.5 + 2.0 * math.pi * k / _REFERENCES if k < _REFERENCES else phi
        elimination.twelve_equations(work, angle)
        regular = elimination.sixteen_roots(work, angle)
        if regular > quality:
            quality, phi = regular, angle
    if not quality > _SINGULAR:
        return count, False
    roots = eigenvalues.eigenvalues(work.K, work.real, work.imaginary)
    sound = roots == 16
    for k in range(roots):
        # exp(iδ) = (cot(δ/2) + i)/(cot(δ/2) − i)
        x, y = work.real[k], work.imaginary[k]
        large, small = x * x + (y + 1.0) * (y + 1.0), x * x + (y - 1.0) * (y - 1.0)
        if y < 0.0 or not large <= _NEARLY_REAL * small:
            continue
        theta[2] = phi + math.atan2(y + 1.0, x) - math.atan2(y - 1.0, x)
        elimination.twelve_equations(work, theta[2])
        single = elimination.null_vector(work.M, work.order, work.v) > _SINGULAR
        elimination.split(work.v, theta)
        residual = close(work.lines, work.A, theta)
        if large <= _REAL * small and not (single and residual <= _CLOSED):
            sound = False
        if (residual <= _HOPELESS and count < closed_family.MOST_BRANCHES
                and _add(work, first, backward, before, count)):
            count += 1
    return count, sound


def _add(work: EliminationData, first: int, backward: bool, before: int, count: int) -> bool:
    """Write a solution into row count of work.found; return whether the first `before` lack it."""
    found = work.found
    for part in range(6):
        angle = work.theta[part]
        if not math.isfinite(angle):
            return False
        joint = (first + (5 - part if backward else part)) % 6
        found[count][joint] = angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)
    for k in range(before):
        apart = 0.0
        for i in range(6):
            off = math.fabs(found[k][i] - found[count][i])
            apart = max(apart, min(off, 2.0 * math.pi - off))
        if apart < _SAME:
            return False
    return True


def point(lines: Columns, line: int) -> Vector3:
    """Return the point of a line."""
    return lines[line][0], lines[line][1], lines[line][2]


def axis(lines: Columns, line: int) -> Vector3:
    """Return the direction of a line."""
    return lines[line][3], lines[line][4], lines[line][5]


def _write(lines: Columns, line: int, p: Vector3, h: Vector3) -> None:
    lines[line][0], lines[line][1], lines[line][2] = p
    lines[line][3], lines[line][4], lines[line][5] = h


def _move(M: Transform, inverse: bool, lines: Columns, line: int, target: int) -> None:
    """Write a motion, or its inverse, times a line into another row of lines."""
    p, h = point(lines, line), axis(lines, line)
    if inverse:
        _write(lines, target, inverse_transform_point(M, p), rotated_back(M, h))
    else:
        _write(lines, target, transform_point(M, p), rotated(M, h))


def rotate(lines: Columns, line: int, about: int, angle: float, target: int) -> None:
    """Write a line rotated about another by an angle, rad, into a row of lines [Rodrigues]."""
    c, s, o, h = math.cos(angle), math.sin(angle), point(lines, about), axis(lines, about)
    x, v = minus(point(lines, line), o), axis(lines, line)
    _write(lines, target, along(along(along(o, c, x), (1.0 - c) * dot(h, x), h), s, cross(h, x)),
           along(along(times(c, v), (1.0 - c) * dot(h, v), h), s, cross(h, v)))


def _rotation_between(lines: Columns, line: int, goal: int, about: int) -> float:
    """Return the angle, rad, about an axis that best turns a line, its point too, into another."""
    o, h = point(lines, about), axis(lines, about)
    x, y = minus(point(lines, line), o), minus(point(lines, goal), o)
    u, v = axis(lines, line), axis(lines, goal)
    return math.atan2(dot(h, cross(x, y)) + dot(h, cross(u, v)),
                      dot(x, y) - dot(h, x) * dot(h, y) + (dot(u, v) - dot(h, u) * dot(h, v)))


def _to_foot(lines: Columns, line: int, x: Vector3) -> None:
    """Move the point of a line to where it is nearest to x."""
    p, h = point(lines, line), axis(lines, line)
    _write(lines, line, along(p, dot(minus(x, p), h), h), h)


def _write_across(lines: Columns, line: int, target: int) -> None:
    """Write into a row of lines one that crosses a line at a right angle, at its point."""
    x, y, z = axis(lines, line)
    v: Vector3 = (0.0, z, -y) if math.fabs(x) < 0.6 else (-z, 0.0, x)
    length = norm(v)
    _write(lines, target, point(lines, line), times(1.0 / length if length > 0.0 else 1.0, v))


def to_coefficients(row: Vector, first: int, stride: int) -> None:
    """Replace samples at 0, 2π/3 and 4π/3 by the coefficients of 1, cos and sin: Fourier's."""
    x, y, z = row[first], row[first + stride], row[first + 2 * stride]
    row[first] = (x + y + z) / 3.0
    row[first + stride] = (2.0 * x - y - z) / 3.0
    row[first + 2 * stride] = (y - z) / math.sqrt(3.0)


def bilinear(lines: Columns, line: int, inner: int, outer: int, sense: float, F: Matrix) -> None:
    """Write the coefficients of the fourteen in (1, c, s)⊗(1, c, s) into F (14, 9).

    The line turns about the inner axis, then the outer, the major index; sense −1: backwards.
    """
    third = sense * 2.0 * math.pi / 3.0
    for j in range(3):
        rotate(lines, line, inner, j * third, ONE)
        for i in range(3):
            rotate(lines, ONE, outer, i * third, OTHER)
            _write_fourteen(lines, OTHER, F, 3 * i + j)
    for row in range(14):
        for k in range(3):
            to_coefficients(F[row], 3 * k, 1)
        for k in range(3):
            to_coefficients(F[row], k, 3)


def _write_fourteen(lines: Columns, line: int, F: Matrix, column: int) -> None:
    """Write the fourteen quantities of a line (p, l) that are equated into a column of F (14, k).

    Vectors l, p, p×l and (p·p) l − 2 (p·l) p, scalars p·p and p·l. Under a turn about any axis none
    of them gets a square of its sine or cosine [Raghavan & Roth 1993]. A turn about z leaves rows
    0 … 5 as they are; rows 6 … 9 are x, rows 10 … 13 are y of the vectors.
    """
    px, py, pz = point(lines, line)
    lx, ly, lz = axis(lines, line)
    pp, pl = px * px + py * py + pz * pz, px * lx + py * ly + pz * lz
    F[0][column], F[6][column], F[10][column] = lz, lx, ly
    F[1][column], F[7][column], F[11][column] = pz, px, py
    F[2][column], F[3][column] = px * ly - py * lx, pp * lz - 2.0 * pl * pz
    F[8][column], F[9][column] = py * lz - pz * ly, pp * lx - 2.0 * pl * px
    F[12][column], F[13][column] = pz * lx - px * lz, pp * ly - 2.0 * pl * py
    F[4][column], F[5][column] = pp, pl


def arrange(axes: Points, points: Points, M: Transform, first: int, backward: bool,
            lines: Columns) -> None:
    """Write the lines (11, 6) of an opening: the first joint of six, and the sense, in the base.

    Joints behind the sixth are those of the next round, seen from where M takes them:
    M⁻¹ eᵢ M instead of eᵢ. Backwards, eᵢ(q)⁻¹ turns by q about the opposite axis.
    """
    for k in range(6):
        joint, row = (first + k) % 6, 5 - k if backward else k
        for i in range(3):
            lines[row][i], lines[row][3 + i] = points[joint][i], axes[joint][i]
        if first + k >= 6:
            _move(M, True, lines, row, row)
        if backward:
            for i in range(3, 6):
                lines[row][i] = -lines[row][i]
    _to_foot(lines, SIXTH, point(lines, FIFTH))
    _write_across(lines, SIXTH, ACROSS)
    _move(M, backward, lines, SIXTH, GOAL)
    _move(M, backward, lines, ACROSS, ACROSS_GOAL)


def best_pairs(lines: Columns) -> tuple[int, int]:
    """Return the joints that begin the two pairs of neighbours that are best eliminated.

    Where the eliminated two are parallel or meet, M(θ₃) is singular for every θ₃. |(p₂ − p₁) ·
    (l₁ × l₂)| = a |sin α|, of their common normal and twist, tells how far from both they are.
    """
    best, second, most, next_most = 0, 1, -1.0, -1.0
    for joint in range(6):
        a, b = joint, joint + 1
        if joint == 5:
            a, b = GOAL, 0
        moment = math.fabs(dot(minus(point(lines, b), point(lines, a)),
                               cross(axis(lines, a), axis(lines, b))))
        if moment > most:
            second, next_most = best, most
            best, most = joint, moment
        elif moment > next_most:
            second, next_most = joint, moment
    return best, second


def normalise(lines: Columns, disturbance: float) -> None:
    """Bring the lines (11, 6) into the frame of the third axis, in units of their mean distance.

    A disturbance, rad and units, moves all but the third and sixth axis, each otherwise.
    """
    x, y, z = 0.0, 0.0, 0.0
    for k in range(7):
        x, y, z = x + lines[k][0] / 7.0, y + lines[k][1] / 7.0, z + lines[k][2] / 7.0
    for k in range(5):
        _to_foot(lines, k, (x, y, z))
    origin, size = point(lines, THIRD), 0.0
    for k in range(7):
        size += norm(minus(point(lines, k), origin)) / 6.0
    scale = 1.0 / size if size > 0.0 else 1.0
    _write_across(lines, THIRD, ONE)
    ex, ez = axis(lines, ONE), axis(lines, THIRD)
    frame: Transform = (ex, cross(ez, ex), ez, origin)
    for k in range(9):
        _write(lines, k, times(scale, rotated(frame, minus(point(lines, k), origin))),
               rotated(frame, axis(lines, k)))
        if disturbance > 0.0 and k < 7 and k != THIRD and k != SIXTH:
            _disturb(lines, k, disturbance)


def _disturb(lines: Columns, line: int, disturbance: float) -> None:
    """Move a line by a disturbance, rad and units, that differs from line to line."""
    for i in range(6):
        lines[line][i] += disturbance * math.sin(11.0 * line + 5.0 * i + 1e6 * disturbance)
    length = norm(axis(lines, line))
    for i in range(3, 6):
        lines[line][i] /= length


def close(lines: Columns, A: Matrix, theta: Vector) -> float:
    """Write θ₁, θ₂ and θ₆, given the others; return by how much the loop stays open.

    A (6, 4) is scratch: A (1, c₁, s₁, −1)ᵀ = 0 equates the invariants of the second axis.
    """
    for k in range(3):
        rotate(lines, GOAL, FIRST, -2.0 * math.pi / 3.0 * k, ONE)
        _write_invariants(lines, ONE, SECOND, A, k)
    for i in range(6):
        to_coefficients(A[i], 0, 1)
    rotate(lines, SIXTH, FIFTH, theta[4], ONE)
    rotate(lines, ONE, FOURTH, theta[3], ONE)
    rotate(lines, ONE, THIRD, theta[2], ONE)
    _write_invariants(lines, ONE, SECOND, A, 3)
    cc, cs, ss, cb, sb = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(6):
        b = A[i][3] - A[i][0]
        cc, cs, ss = cc + A[i][1] * A[i][1], cs + A[i][1] * A[i][2], ss + A[i][2] * A[i][2]
        cb, sb = cb + A[i][1] * b, sb + A[i][2] * b
    # Least squares by the normal equations, whose determinant, never negative, cancels.
    theta[0] = math.atan2(cc * sb - cs * cb, ss * cb - cs * sb)
    rotate(lines, GOAL, FIRST, -theta[0], OTHER)
    theta[1] = _rotation_between(lines, ONE, OTHER, SECOND)
    rotate(lines, ONE, SECOND, theta[1], ONE)
    residual = 0.0
    for i in range(6):
        residual += math.fabs(lines[ONE][i] - lines[OTHER][i])
    rotate(lines, ACROSS_GOAL, FIRST, -theta[0], ONE)
    for k in range(1, 5):
        rotate(lines, ONE, k, -theta[k], ONE)
    theta[5] = _rotation_between(lines, ACROSS, ONE, SIXTH)
    return residual


def _write_invariants(lines: Columns, line: int, about: int, A: Matrix, column: int) -> None:
    """Write the invariants of a line under rotation about an axis, six of the fourteen, into A."""
    h, v, x = axis(lines, about), axis(lines, line), minus(point(lines, line), point(lines, about))
    xx, xv, hv, hx = dot(x, x), dot(x, v), dot(h, v), dot(h, x)
    A[0][column], A[1][column], A[2][column] = hv, hx, dot(h, cross(x, v))
    A[3][column], A[4][column], A[5][column] = xx * hv - 2.0 * xv * hx, xx, xv
