"""A closed loop of six revolute joints: opened at a joint, in either sense, and closed again.

e₁(q₁) … e₆(q₆) M⁻¹ = 1 is the loop. In each opening the joints are θ₁ … θ₆ of `elimination`. Its
lines are rows (6,), a point and a unit direction, of a table (11, 6): the axes by their places, the
sixth where the goal puts it, a line across the sixth at a right angle, the same where the goal puts
it, and two of scratch.
"""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython

from ik_node.spatial.vector3 import Motion, Vector3
from ik_node.support.arrays import Columns, Fours, Points, Vector

if not cython.compiled:
    from ik_node.spatial.vector3 import (
        along,
        cross,
        dot,
        minus,
        moved,
        moved_back,
        norm,
        rotated,
        rotated_back,
        times,
    )

FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, GOAL, ACROSS, ACROSS_GOAL, ONE, OTHER = range(11)


def point(lines: Columns, line: int) -> Vector3:
    """Return the point of a line."""
    return lines[line][0], lines[line][1], lines[line][2]


def axis(lines: Columns, line: int) -> Vector3:
    """Return the direction of a line."""
    return lines[line][3], lines[line][4], lines[line][5]


def _write(lines: Columns, line: int, p: Vector3, h: Vector3) -> None:
    lines[line][0], lines[line][1], lines[line][2] = p
    lines[line][3], lines[line][4], lines[line][5] = h


def _move(M: Motion, inverse: bool, lines: Columns, line: int, target: int) -> None:
    """Write a motion, or its inverse, times a line into another row of lines."""
    p, h = point(lines, line), axis(lines, line)
    if inverse:
        _write(lines, target, moved_back(M, p), rotated_back(M, h))
    else:
        _write(lines, target, moved(M, p), rotated(M, h))


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
    v = (0.0, z, -y) if math.fabs(x) < 0.6 else (-z, 0.0, x)
    length = norm(v)
    _write(lines, target, point(lines, line), times(1.0 / length if length > 0.0 else 1.0, v))


def to_coefficients(row: Vector, first: int, stride: int) -> None:
    """Replace samples at 0, 2π/3 and 4π/3 by the coefficients of 1, cos and sin: Fourier's."""
    x, y, z = row[first], row[first + stride], row[first + 2 * stride]
    row[first] = (x + y + z) / 3.0
    row[first + stride] = (2.0 * x - y - z) / 3.0
    row[first + 2 * stride] = (y - z) / math.sqrt(3.0)


def arrange(axes: Points, points: Points, M: Motion, first: int, backward: bool,
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
    frame = (ex, cross(ez, ex), ez, origin)
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


def close(lines: Columns, A: Fours, theta: Vector) -> float:
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


def _write_invariants(lines: Columns, line: int, about: int, A: Fours, column: int) -> None:
    """Write the invariants of a line under rotation about an axis, six of the fourteen, into A."""
    h, v, x = axis(lines, about), axis(lines, line), minus(point(lines, line), point(lines, about))
    xx, xv, hv, hx = dot(x, x), dot(x, v), dot(h, v), dot(h, x)
    A[0][column], A[1][column], A[2][column] = hv, hx, dot(h, cross(x, v))
    A[3][column], A[4][column], A[5][column] = xx * hv - 2.0 * xv * hx, xx, xv
