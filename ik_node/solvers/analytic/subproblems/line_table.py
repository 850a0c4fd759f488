"""Tables of lines: rows (6,), a point and a unit direction.

The lines of an opened loop of six revolute joints (11, 6) are the axes by their places, the sixth
where the goal puts it, a line across the sixth at a right angle, the same where the goal puts it,
and two of scratch.
"""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython

from ik_node.spatial.vector3 import Motion, Vector3
from ik_node.support.arrays import Columns

if not cython.compiled:
    from ik_node.spatial.vector3 import moved, moved_back, rotated, rotated_back

FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, GOAL, ACROSS, ACROSS_GOAL, ONE, OTHER = range(11)


def point(lines: Columns, line: int) -> Vector3:
    """Return the point of a line."""
    return lines[line][0], lines[line][1], lines[line][2]


def axis(lines: Columns, line: int) -> Vector3:
    """Return the direction of a line."""
    return lines[line][3], lines[line][4], lines[line][5]


def write(lines: Columns, line: int, p: Vector3, h: Vector3) -> None:
    """Write a point and a direction into a row of lines."""
    lines[line][0], lines[line][1], lines[line][2] = p
    lines[line][3], lines[line][4], lines[line][5] = h


def move(M: Motion, inverse: bool, lines: Columns, line: int, target: int) -> None:
    """Write a motion, or its inverse, times a line into another row of lines."""
    p, h = point(lines, line), axis(lines, line)
    if inverse:
        write(lines, target, moved_back(M, p), rotated_back(M, h))
    else:
        write(lines, target, moved(M, p), rotated(M, h))


def rotate(lines: Columns, line: int, about: int, angle: float, target: int) -> None:
    """Write a line rotated about another by an angle, rad, into a row of lines [Rodrigues]."""
    c, s = math.cos(angle), math.sin(angle)
    ox, oy, oz = point(lines, about)
    ax, ay, az = axis(lines, about)
    x, y, z = lines[line][0] - ox, lines[line][1] - oy, lines[line][2] - oz
    along = (1.0 - c) * (ax * x + ay * y + az * z)
    lines[target][0] = ox + c * x + along * ax + s * (ay * z - az * y)
    lines[target][1] = oy + c * y + along * ay + s * (az * x - ax * z)
    lines[target][2] = oz + c * z + along * az + s * (ax * y - ay * x)
    x, y, z = axis(lines, line)
    along = (1.0 - c) * (ax * x + ay * y + az * z)
    lines[target][3] = c * x + along * ax + s * (ay * z - az * y)
    lines[target][4] = c * y + along * ay + s * (az * x - ax * z)
    lines[target][5] = c * z + along * az + s * (ax * y - ay * x)


def rotation_between(lines: Columns, line: int, goal: int, about: int) -> float:
    """Return the angle, rad, about an axis that best turns a line, its point too, into another."""
    ax, ay, az = axis(lines, about)
    cosine, sine = 0.0, 0.0
    for j in range(0, 6, 3):
        ux, uy, uz = lines[line][j], lines[line][j + 1], lines[line][j + 2]
        vx, vy, vz = lines[goal][j], lines[goal][j + 1], lines[goal][j + 2]
        if j == 0:  # a point counts from the axis on
            x, y, z = point(lines, about)
            ux, uy, uz, vx, vy, vz = ux - x, uy - y, uz - z, vx - x, vy - y, vz - z
        cosine += (ux * vx + uy * vy + uz * vz
                   - (ax * ux + ay * uy + az * uz) * (ax * vx + ay * vy + az * vz))
        sine += ax * (uy * vz - uz * vy) + ay * (uz * vx - ux * vz) + az * (ux * vy - uy * vx)
    return math.atan2(sine, cosine)


def to_foot(lines: Columns, line: int, x: float, y: float, z: float) -> None:
    """Move the point of a line to where it is nearest to (x, y, z)."""
    along = ((x - lines[line][0]) * lines[line][3] + (y - lines[line][1]) * lines[line][4]
             + (z - lines[line][2]) * lines[line][5])
    for i in range(3):
        lines[line][i] += along * lines[line][3 + i]


def cross(lines: Columns, line: int, target: int) -> None:
    """Write into a row of lines one that crosses a line at a right angle, at its point."""
    x, y, z = axis(lines, line)
    u, v, w = (0.0, z, -y) if math.fabs(x) < 0.6 else (-z, 0.0, x)
    length = math.sqrt(u * u + v * v + w * w)
    scale = 1.0 / length if length > 0.0 else 1.0
    write(lines, target, point(lines, line), (scale * u, scale * v, scale * w))
