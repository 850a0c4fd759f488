"""The kinematic structure of a recognised arm: its family, and its nominal axes at zero."""

from typing import NamedTuple

import numpy as np

from ik_node._jit import Integers, Matrix, Vector, inline, njit
from ik_node.kinematics.forward import REVOLUTE
from ik_node.solvers.analytic.subproblems.vector3 import Motion, composed, motion_of

SPHERICAL, PARALLEL, PLANAR, PLANAR_FREE, SWIVEL, GENERAL = range(6)

EXACT_SLACK = 1e-8  # of an arm that equals its nominal geometry up to rounding
_HEAD, _NUMBERS = 5, 21  # entries of codes and numbers before the arrays


class Structure(NamedTuple):
    """The nominal arm, as its closed form reads it: real joints and virtual ones.

    A free axis of the goal, or a joint missing to six, is represented by a virtual joint, whose
    axis is one along or about which the tip is free to move.
    """

    family: int
    """SPHERICAL, PARALLEL, PLANAR, PLANAR_FREE, SWIVEL or GENERAL."""
    place: int
    """Index of the first joint of the triple, among the joints that are solved for."""
    size: float
    """Size of the arm, m."""
    slack: float
    """Fraction of the size by which a goal may exceed the nominal arm's reach."""
    T_tip_base: np.ndarray
    """(4, 4) the inverse of T_base_tip at zero, m."""
    kind: np.ndarray
    """(k,) REVOLUTE or PRISMATIC."""
    column: np.ndarray
    """(k,) entry of q, or −1 for a virtual joint."""
    locked: np.ndarray
    """(k,) index of the parameter that a joint is locked at, or −1."""
    axes: np.ndarray
    """(k, 3) at zero, base frame."""
    points: np.ndarray
    """(k, 3) m, at zero, base frame."""

    @property
    def parameters(self) -> int:
        """Number of redundancy parameters: values of locked joints, then the family's own."""
        return int(self.locked.max()) + 1 + (self.family in (PLANAR_FREE, SWIVEL))


def pack_structure(structure: Structure) -> tuple[np.ndarray, np.ndarray]:
    """Return a structure as two flat arrays, of integers and of floats; see `packing`."""
    count = len(structure.kind)
    head = [structure.family, structure.place, count, int(structure.locked.max()) + 1,
            structure.parameters]
    codes = np.concatenate([head, structure.kind, structure.column,
                            structure.locked]).astype(np.int64)
    numbers = np.concatenate([[structure.size, structure.slack], structure.T_tip_base[:3].ravel(),
                              np.zeros(7), structure.axes.ravel(), structure.points.ravel()])
    return codes, numbers


@inline
def structure_joints(codes: Integers) -> tuple[Integers, Integers, Integers]:
    """Return (kind, column, locked) of the joints, (k,) each; see `Structure`."""
    count = codes[2]
    return (codes[_HEAD:_HEAD + count], codes[_HEAD + count:_HEAD + 2 * count],
            codes[_HEAD + 2 * count:_HEAD + 3 * count])


@inline
def structure_lines(codes: Integers, numbers: Vector) -> tuple[Matrix, Matrix]:
    """Return (axes, points) of the joints, (k, 3) each, m; see `Structure`."""
    count = codes[2]
    return (numbers[_NUMBERS:_NUMBERS + 3 * count].reshape((count, 3)),
            numbers[_NUMBERS + 3 * count:_NUMBERS + 6 * count].reshape((count, 3)))


@inline
def structure_tip(numbers: Vector) -> Motion:
    """Return T_tip_base at zero, as a motion."""
    return motion_of(numbers[2:14].reshape((3, 4)))


@inline
def swivel_arm(codes: Integers, numbers: Vector,
               T_base_goal: Matrix) -> tuple[Matrix, Matrix, Motion]:
    """Return axes (7, 3), points (7, 3) and M of a SWIVEL structure; see `families.swivel`."""
    axes, points = structure_lines(codes, numbers)
    return axes, points, composed(motion_of(T_base_goal), structure_tip(numbers))


@njit
def locked_columns(codes: Integers, held: Vector) -> None:
    """Write 1 into held (n,) for locked joints, 0 for the others."""
    _, columns, locked = structure_joints(codes)
    for k in range(held.shape[0]):
        held[k] = 0.0
    for j in range(locked.shape[0]):
        if locked[j] >= 0:
            held[columns[j]] = 1.0


@njit
def may_be_off(codes: Integers, numbers: Vector) -> bool:
    """Tell whether branches may deviate by more than rounding, or may lack their twins."""
    return codes[0] == GENERAL or numbers[1] > EXACT_SLACK


@njit
def has_wrist(codes: Integers) -> bool:
    """Tell whether the arm has six revolute joints, the last three with a common point."""
    turning = codes[0] == SPHERICAL and codes[1] == 3 and codes[2] == 6 and codes[4] == 0
    kinds, columns, _ = structure_joints(codes)
    for i in range(codes[2]):
        turning = turning and kinds[i] == REVOLUTE and columns[i] == i
    return turning
