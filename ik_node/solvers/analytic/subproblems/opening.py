"""A closed loop of six revolute joints: opened at a joint, in either sense, and closed again.

e₁(q₁) … e₆(q₆) M⁻¹ = 1 is the loop. In each opening the joints are θ₁ … θ₆ of `elimination`.
"""

import math

from ik_node.solvers.analytic.subproblems import elimination, line_table
from ik_node.spatial.vector3 import Motion
from ik_node.support.arrays import Columns, Fours, Points, Vector


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
            line_table.move(M, True, lines, row, row)
        if backward:
            for i in range(3, 6):
                lines[row][i] = -lines[row][i]
    line_table.to_foot(lines, line_table.SIXTH, lines[4][0], lines[4][1], lines[4][2])
    line_table.cross(lines, line_table.SIXTH, line_table.ACROSS)
    line_table.move(M, backward, lines, line_table.SIXTH, line_table.GOAL)
    line_table.move(M, backward, lines, line_table.ACROSS, line_table.ACROSS_GOAL)


def best_pairs(lines: Columns) -> tuple[int, int]:
    """Return the joints that begin the two pairs of neighbours that are best eliminated.

    Where the eliminated two are parallel or meet, M(θ₃) is singular for every θ₃. |(p₂ − p₁) ·
    (l₁ × l₂)| = a |sin α|, of their common normal and twist, tells how far from both they are.
    """
    best, second, most, next_most = 0, 1, -1.0, -1.0
    for joint in range(6):
        a, b = joint, joint + 1
        if joint == 5:
            a, b = line_table.GOAL, 0
        x, y, z = line_table.axis(lines, a)
        u, v, w = line_table.axis(lines, b)
        moment = math.fabs((lines[b][0] - lines[a][0]) * (y * w - z * v)
                           + (lines[b][1] - lines[a][1]) * (z * u - x * w)
                           + (lines[b][2] - lines[a][2]) * (x * v - y * u))
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
        line_table.to_foot(lines, k, x, y, z)
    ox, oy, oz = line_table.point(lines, line_table.THIRD)
    size = 0.0
    for k in range(7):
        x, y, z = lines[k][0] - ox, lines[k][1] - oy, lines[k][2] - oz
        size += math.sqrt(x * x + y * y + z * z) / 6.0
    scale = 1.0 / size if size > 0.0 else 1.0
    line_table.cross(lines, line_table.THIRD, line_table.ONE)
    xx, xy, xz = line_table.axis(lines, line_table.ONE)
    zx, zy, zz = line_table.axis(lines, line_table.THIRD)
    yx, yy, yz = zy * xz - zz * xy, zz * xx - zx * xz, zx * xy - zy * xx
    for k in range(9):
        x, y, z = lines[k][0] - ox, lines[k][1] - oy, lines[k][2] - oz
        lines[k][0] = scale * (xx * x + xy * y + xz * z)
        lines[k][1] = scale * (yx * x + yy * y + yz * z)
        lines[k][2] = scale * (zx * x + zy * y + zz * z)
        x, y, z = line_table.axis(lines, k)
        lines[k][3] = xx * x + xy * y + xz * z
        lines[k][4] = yx * x + yy * y + yz * z
        lines[k][5] = zx * x + zy * y + zz * z
        if disturbance > 0.0 and k < 7 and k != line_table.THIRD and k != line_table.SIXTH:
            _disturb(lines, k, disturbance)


def _disturb(lines: Columns, line: int, disturbance: float) -> None:
    """Move a line by a disturbance, rad and units, that differs from line to line."""
    for i in range(6):
        lines[line][i] += disturbance * math.sin(11.0 * line + 5.0 * i + 1e6 * disturbance)
    x, y, z = line_table.axis(lines, line)
    length = math.sqrt(x * x + y * y + z * z)
    for i in range(3, 6):
        lines[line][i] /= length


def close(lines: Columns, A: Fours, theta: Vector) -> float:
    """Write θ₁, θ₂ and θ₆, given the others; return by how much the loop stays open.

    A (6, 4) is scratch: A (1, c₁, s₁, −1)ᵀ = 0 equates the invariants of the second axis.
    """
    for k in range(3):
        line_table.rotate(lines, line_table.GOAL, line_table.FIRST, -2.0 * math.pi / 3.0 * k,
                          line_table.ONE)
        _write_invariants(lines, line_table.ONE, line_table.SECOND, A, k)
    for i in range(6):
        elimination.to_coefficients(A[i], 0, 1)
    line_table.rotate(lines, line_table.SIXTH, line_table.FIFTH, theta[4], line_table.ONE)
    line_table.rotate(lines, line_table.ONE, line_table.FOURTH, theta[3], line_table.ONE)
    line_table.rotate(lines, line_table.ONE, line_table.THIRD, theta[2], line_table.ONE)
    _write_invariants(lines, line_table.ONE, line_table.SECOND, A, 3)
    cc, cs, ss, cb, sb = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(6):
        b = A[i][3] - A[i][0]
        cc, cs, ss = cc + A[i][1] * A[i][1], cs + A[i][1] * A[i][2], ss + A[i][2] * A[i][2]
        cb, sb = cb + A[i][1] * b, sb + A[i][2] * b
    # Least squares by the normal equations, whose determinant, never negative, cancels.
    theta[0] = math.atan2(cc * sb - cs * cb, ss * cb - cs * sb)
    line_table.rotate(lines, line_table.GOAL, line_table.FIRST, -theta[0], line_table.OTHER)
    theta[1] = line_table.rotation_between(lines, line_table.ONE, line_table.OTHER,
                                           line_table.SECOND)
    line_table.rotate(lines, line_table.ONE, line_table.SECOND, theta[1], line_table.ONE)
    residual = 0.0
    for i in range(6):
        residual += math.fabs(lines[line_table.ONE][i] - lines[line_table.OTHER][i])
    line_table.rotate(lines, line_table.ACROSS_GOAL, line_table.FIRST, -theta[0], line_table.ONE)
    for axis in range(1, 5):
        line_table.rotate(lines, line_table.ONE, axis, -theta[axis], line_table.ONE)
    theta[5] = line_table.rotation_between(lines, line_table.ACROSS, line_table.ONE,
                                           line_table.SIXTH)
    return residual


def _write_invariants(lines: Columns, line: int, about: int, A: Fours, column: int) -> None:
    """Write the invariants of a line under rotation about an axis, six of the fourteen, into A."""
    ax, ay, az = line_table.axis(lines, about)
    lx, ly, lz = line_table.axis(lines, line)
    ox, oy, oz = line_table.point(lines, about)
    px, py, pz = lines[line][0] - ox, lines[line][1] - oy, lines[line][2] - oz
    pp, pl = px * px + py * py + pz * pz, px * lx + py * ly + pz * lz
    l_along, p_along = ax * lx + ay * ly + az * lz, ax * px + ay * py + az * pz
    A[0][column], A[1][column] = l_along, p_along
    A[2][column] = ax * (py * lz - pz * ly) + ay * (pz * lx - px * lz) + az * (px * ly - py * lx)
    A[3][column], A[4][column], A[5][column] = pp * l_along - 2.0 * pl * p_along, pp, pl
