"""Vectors of three as tuples, for kernels: nothing is allocated, and formulas read as printed.

A line is an axis h, a unit vector, through a point p. A rotation is given by its cosine and sine
(c, s) instead of its angle, so that chains of closed forms need no trigonometric functions. A
transform is a tuple of the three rows of its rotation, and its translation.

This is a module of inline functions: they become part of every module that uses them.
"""

import math

from ik_node.support.arrays import Points, Pose

Vector3 = tuple[float, float, float]
Transform = tuple[Vector3, Vector3, Vector3, Vector3]  # the rows of R, and p


def row(array: Points, i: int) -> Vector3:
    """Return row i of an array (k, 3) as a vector."""
    return array[i][0], array[i][1], array[i][2]


def column_of(T: Pose, j: int) -> Vector3:
    """Return the upper three entries of column j of a matrix of rows of four as a vector."""
    return T[0][j], T[1][j], T[2][j]


def dot(a: Vector3, b: Vector3) -> float:
    """Return a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector3, b: Vector3) -> Vector3:
    """Return a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def plus(a: Vector3, b: Vector3) -> Vector3:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def minus(a: Vector3, b: Vector3) -> Vector3:
    """Return a − b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def times(k: float, a: Vector3) -> Vector3:
    """Return k a."""
    return k * a[0], k * a[1], k * a[2]


def norm(a: Vector3) -> float:
    """Return |a|."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


def along(p: Vector3, k: float, a: Vector3) -> Vector3:
    """Return p + k a."""
    return p[0] + k * a[0], p[1] + k * a[1], p[2] + k * a[2]


def rotated_by(h: Vector3, c: float, s: float, v: Vector3) -> Vector3:
    """Return v rotated about the unit vector h by (c, s): c v + s h×v + (1 − c)(h·v) h."""
    k = (1.0 - c) * (h[0] * v[0] + h[1] * v[1] + h[2] * v[2])
    return (c * v[0] + s * (h[1] * v[2] - h[2] * v[1]) + k * h[0],
            c * v[1] + s * (h[2] * v[0] - h[0] * v[2]) + k * h[1],
            c * v[2] + s * (h[0] * v[1] - h[1] * v[0]) + k * h[2])


def rotated_about(h: Vector3, p: Vector3, c: float, s: float, x: Vector3) -> Vector3:
    """Return the point x rotated by (c, s) about the line through p along h."""
    return plus(p, rotated_by(h, c, s, minus(x, p)))


def perpendicular(h: Vector3, a: Vector3) -> Vector3:
    """Return the part of a that is perpendicular to the unit vector h."""
    return along(a, -dot(h, a), h)


def rotated(T: Transform, v: Vector3) -> Vector3:
    """Return R v of a transform."""
    return dot(T[0], v), dot(T[1], v), dot(T[2], v)


def rotated_back(T: Transform, v: Vector3) -> Vector3:
    """Return Rᵀ v of a transform."""
    return along(along(times(v[0], T[0]), v[1], T[1]), v[2], T[2])


def transform_point(T: Transform, x: Vector3) -> Vector3:
    """Return the point R x + p of a transform."""
    return plus(rotated(T, x), T[3])


def inverse_transform_point(T: Transform, x: Vector3) -> Vector3:
    """Return the point Rᵀ (x − p) of a transform."""
    return rotated_back(T, minus(x, T[3]))


def transform_of(T: Pose) -> Transform:
    """Return a pose (4, 4) as a transform."""
    return ((T[0][0], T[0][1], T[0][2]), (T[1][0], T[1][1], T[1][2]),
            (T[2][0], T[2][1], T[2][2]), (T[0][3], T[1][3], T[2][3]))


def composed(a: Transform, b: Transform) -> Transform:
    """Return the transform a after b."""
    return (rotated_back(b, a[0]), rotated_back(b, a[1]), rotated_back(b, a[2]),
            transform_point(a, b[3]))


def inverse_transform(a: Transform) -> Transform:
    """Return the inverse of a transform."""
    return ((a[0][0], a[1][0], a[2][0]), (a[0][1], a[1][1], a[2][1]), (a[0][2], a[1][2], a[2][2]),
            times(-1.0, rotated_back(a, a[3])))


def rotation_about(h: Vector3, p: Vector3, c: float, s: float) -> Transform:
    """Return the transform that rotates by (c, s) about the line through p along h."""
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    return (rotated_by(h, c, -s, x), rotated_by(h, c, -s, y), rotated_by(h, c, -s, z),
            minus(p, rotated_by(h, c, s, p)))


def translated(a: Transform, k: float, h: Vector3) -> Transform:
    """Return a transform followed by a translation by k h."""
    return a[0], a[1], a[2], along(a[3], k, h)


def identity() -> Transform:
    """Return the identity."""
    return (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
