"""Arrays of the kernels: C memory when compiled, nested lists in plain Python.

Both are indexed alike, `J[k][i]`. A matrix of six rows, such as a Jacobian, is stored column by
column, so that every array has a fixed size but for its first index.
"""

from collections.abc import Callable
from typing import Any

import cython
import numpy as np

from ik_node.support import plain

if not cython.compiled:
    plain.warn()

Vector = list[float]     # (n,)
Integers = list[int]     # (n,)
Points = list[Any]       # (k, 3)
Rotation = list[Any]     # (3, 3)
Pose = list[Any]         # (4, 4)
Square = list[Any]       # (6, 6)
Rotations = list[Any]    # (k, 3, 3)
Poses = list[Any]        # (k, 4, 4)
Columns = list[Any]      # (n, 6)
Pairs = list[Any]        # (k, 2)
Rows = list[Any]         # (k, n), both variable
Fours = list[Any]        # (k, 4)
Twelves = list[Any]      # (k, 12)
Sixteens = list[Any]     # (k, 16)
Matrix = list[Any]       # (n, m), of any size
Objects = list[Any]      # (k,) instances of one class
Long = int               # 64 bits
# Of callers, by their types in C
InVector = np.ndarray     # const double[::1]
InMatrix = np.ndarray     # const double[:, ::1]
InPoses = np.ndarray      # const double[:, :, ::1]
OutVector = np.ndarray    # double[::1]
OutMatrix = np.ndarray    # double[:, ::1]
OutPoses = np.ndarray     # double[:, :, ::1]
OutIntegers = np.ndarray  # long long[::1]
OutFloats = np.ndarray    # float[::1]


class Memory:
    """Keeps the arrays of one object, which live as long as this does."""

    def __init__(self) -> None:
        self.blocks: list[Any] = []

    def vector(self, values: Any) -> Vector:
        """Return a copy of numbers (n,)."""
        block = np.array(values, dtype=np.float64)
        return cython.cast('vector', self.keep(block)) if cython.compiled else block.tolist()

    def integers(self, values: Any) -> Integers:
        """Return a copy of integers (n,)."""
        block = np.array(values, dtype=np.intc)
        return cython.cast('integers', self.keep(block)) if cython.compiled else block.tolist()

    def zeros(self, count: int) -> Vector:
        """Return zeros (count,)."""
        return self.vector(np.zeros(count))

    def integer_zeros(self, count: int) -> Integers:
        """Return integers (count,), all 0."""
        return self.integers(np.zeros(count))

    def points(self, values: Any) -> Points:
        """Return a copy of points (k, 3)."""
        return cython.cast('points', self.vector(values))

    def rotations(self, values: Any) -> Rotations:
        """Return a copy of matrices (k, 3, 3)."""
        return cython.cast('rotations', self.vector(values))

    def pairs(self, values: Any) -> Pairs:
        """Return a copy of pairs (k, 2)."""
        return cython.cast('pairs', self.vector(values))

    def pose(self, values: Any) -> Pose:
        """Return a copy of rows of four (k, 4)."""
        return cython.cast('pose', self.vector(values))

    def rows(self, values: Any) -> Rows:
        """Return a copy of a matrix (k, n): row by row, so that rows are taken as `M[i]`."""
        block = np.array(values, dtype=np.float64)
        if not cython.compiled:
            return block.tolist()
        first, step = self.keep(block), block.strides[0]
        table = np.array([first + i * step for i in range(len(block))], dtype=np.uintp)
        return cython.cast('rows', self.keep(table))

    def poses(self, values: Any) -> Poses:
        """Return a copy of poses (k, 4, 4)."""
        return cython.cast('poses', self.vector(values))

    def columns(self, values: Any) -> Columns:
        """Return a copy of a matrix of six rows, given by its columns (n, 6)."""
        return cython.cast('columns', self.vector(values))

    def fours(self, values: Any) -> Fours:
        """Return a copy of rows of four numbers (k, 4)."""
        return cython.cast('fours', self.vector(values))

    def matrix(self, rows: int, columns: int) -> Matrix:
        """Return zeros (rows, columns)."""
        block = np.zeros((rows, columns))
        if not cython.compiled:
            return block.tolist()
        first = self.keep(block)
        return cython.cast('matrix', self.keep(
            np.arange(first, first + max(8 * rows * columns, 1), max(8 * columns, 1),
                      dtype=np.uintp)))

    def objects(self, values: Any) -> Objects:
        """Return instances of one class (k,), which are kept."""
        if not cython.compiled:
            return list(values)
        self.blocks.append(list(values))
        return cython.cast('objects', self.keep(np.array([id(one) for one in values], np.uintp)))

    def keep(self, block: np.ndarray) -> Long:
        """Keep a block of numbers; return where it lies."""
        self.blocks.append(block)
        return block.ctypes.data


def taken(idle: list[Any], make: Callable[..., Any], *arguments: Any) -> Any:
    """Return what no other thread uses: one of those that are idle, else a new one."""
    try:
        return idle.pop()
    except IndexError:
        return make(*arguments)


def copy_to(target: Vector, source: Vector, n: int) -> None:
    """Copy a vector (n,) into another one."""
    for k in range(n):
        target[k] = source[k]


def read_vector(values: InVector, v: Vector) -> None:
    """Copy an array (n,) into a vector."""
    for i in range(values.shape[0]):
        v[i] = float(values[i])


def read_pose(values: InMatrix, T: Pose) -> None:
    """Copy an array (4, 4) into a pose."""
    for i in range(4):
        for j in range(4):
            T[i][j] = float(values[i, j])


def copy_vector(v: Vector, out: OutVector) -> None:
    """Copy a vector into an array (n,)."""
    for i in range(out.shape[0]):
        out[i] = v[i]


def copy_pose(T: Pose, out: OutMatrix) -> None:
    """Copy a pose, of which only the upper three rows count, into an array (4, 4)."""
    for i in range(3):
        for j in range(4):
            out[i, j] = T[i][j]
        out[3, i] = 0.0
    out[3, 3] = 1.0


def copy_columns(J: Columns, out: OutMatrix) -> None:
    """Copy the first rows of a matrix of six, stored column by column, into an array (r, n)."""
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = J[k][i]


def copy_matrix(M: Matrix, out: OutMatrix) -> None:
    """Copy a matrix into an array (n, m)."""
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = M[i][k]
