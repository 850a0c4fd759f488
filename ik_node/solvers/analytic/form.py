"""The ideal arm as its closed form reads it: a family, and the axes it has at zero."""

from typing import NamedTuple

import numpy as np

from ik_node._jit import inline, njit
from ik_node.kinematics.forward import SLIDE, TURN
from ik_node.solvers.analytic.swivel import swivel_of
from ik_node.solvers.analytic.vector3 import composed, dot, motion_of, row

SPHERICAL, PARALLEL, FLAT, FLAT_FREE, SWIVEL, GENERAL = range(6)

EXACT_SLACK = 1e-8  # of an arm that is as ideal as its numbers' digits
_HEAD, _NUMBERS = 5, 21  # entries of codes and numbers before the arrays


class Form(NamedTuple):
    """The ideal arm, ready for its closed form. Joints are real ones, then those a goal adds.

    A goal that leaves an axis free, or an arm with fewer than six joints, gets joints that are not
    there: their axes stand where the tip is free to move.
    """

    family: int
    """SPHERICAL, PARALLEL, FLAT, FLAT_FREE, SWIVEL or GENERAL."""
    place: int
    """The first of the three neighbours, counted among the joints that are solved for."""
    size: float
    """The arm's, m."""
    slack: float
    """Part of the size by which a goal may be out of the ideal arm's reach."""
    T_tip_base: np.ndarray
    """(4, 4) the inverse of T_base_tip at zero, m."""
    kind: np.ndarray
    """(k,) TURN or SLIDE."""
    column: np.ndarray
    """(k,) entry of q, or −1 for a joint that is not there."""
    locked: np.ndarray
    """(k,) which of the parameters a joint is locked at, or −1."""
    axes: np.ndarray
    """(k, 3) at zero, base frame."""
    points: np.ndarray
    """(k, 3) m, at zero, base frame."""

    @property
    def parameters(self) -> int:
        """How many values have to be given: of locked joints, then the family's own."""
        return int(self.locked.max()) + 1 + (self.family in (FLAT_FREE, SWIVEL))


def pack_form(form: Form) -> tuple[np.ndarray, np.ndarray]:
    """Return a form as whole numbers and as numbers; see `packing`."""
    count = len(form.kind)
    head = [form.family, form.place, count, int(form.locked.max()) + 1, form.parameters]
    codes = np.concatenate([head, form.kind, form.column, form.locked]).astype(np.int64)
    numbers = np.concatenate([[form.size, form.slack], form.T_tip_base[:3].ravel(), np.zeros(7),
                              form.axes.ravel(), form.points.ravel()])
    return codes, numbers


@inline
def form_joints(codes):
    """Return (kind, column, locked) of a form's joints, (k,) each; see `Form`."""
    count = codes[2]
    return (codes[_HEAD:_HEAD + count], codes[_HEAD + count:_HEAD + 2 * count],
            codes[_HEAD + 2 * count:_HEAD + 3 * count])


@inline
def form_lines(codes, numbers):
    """Return (axes, points) of a form's joints, (k, 3) each, m; see `Form`."""
    count = codes[2]
    return (numbers[_NUMBERS:_NUMBERS + 3 * count].reshape((count, 3)),
            numbers[_NUMBERS + 3 * count:_NUMBERS + 6 * count].reshape((count, 3)))


@inline
def form_tip(numbers):
    """Return the motion T_tip_base at zero of a form."""
    return motion_of(numbers[2:14].reshape((3, 4)))


@njit
def parameters_of(codes, numbers, q, given):
    """Write the parameters that a posture q (n,) has into given, rad or m."""
    family = codes[0]
    kinds, columns, locked = form_joints(codes)
    axes, points = form_lines(codes, numbers)
    for j in range(kinds.shape[0]):
        if locked[j] >= 0:
            given[locked[j]] = q[columns[j]]
    if family == SWIVEL:
        given[codes[3]] = swivel_of(axes, points, q)
    elif family == FLAT_FREE:
        total, first = 0.0, -1
        for j in range(kinds.shape[0]):
            if kinds[j] != SLIDE and columns[j] >= 0:
                first = j if first < 0 else first
                total += q[columns[j]] * dot(row(axes, j), row(axes, first))
        given[codes[3]] = total


@inline
def swivel_arm(codes, numbers, T_base_goal):
    """Return axes (7, 3), points (7, 3) and M of an arm by the swivel angle; see `swivel`."""
    axes, points = form_lines(codes, numbers)
    return axes, points, composed(motion_of(T_base_goal), form_tip(numbers))


@njit
def given_columns(codes, held):
    """Write 1 into held (n,) for the joints whose values are given, 0 for the others."""
    _, columns, locked = form_joints(codes)
    for k in range(held.shape[0]):
        held[k] = 0.0
    for j in range(locked.shape[0]):
        if locked[j] >= 0:
            held[columns[j]] = 1.0


@njit
def may_be_off(codes, numbers):
    """Tell whether branches may be off by more than rounding, or one of a pair be missing."""
    return codes[0] == GENERAL or numbers[1] > EXACT_SLACK


@njit
def has_wrist(codes):
    """Tell whether the arm is six joints that turn, the last three about one point."""
    turning = codes[0] == SPHERICAL and codes[1] == 3 and codes[2] == 6 and codes[4] == 0
    kinds, columns, _ = form_joints(codes)
    for i in range(codes[2]):
        turning = turning and kinds[i] == TURN and columns[i] == i
    return turning
