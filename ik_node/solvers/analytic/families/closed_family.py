"""Families of arms with a closed form: every branch of the nominal arm."""

import math
from typing import Any

import cython
import numpy as np

from ik_node.kinematics import kinds
from ik_node.solvers.analytic.subproblems import elimination, point_3r
from ik_node.solvers.analytic.subproblems.elimination import EliminationData
from ik_node.spatial.vector3 import Transform, Vector3
from ik_node.support import arrays, checks
from ik_node.support.arrays import InPoses, InVector, Memory, Pose, Vector, taken

if not cython.compiled:
    from ik_node.spatial.angles import *
    from ik_node.spatial.vector3 import *

INF = math.inf
_JOINTS = 7  # that are solved for, at most
EXACT_SLACK = 1e-8  # of an arm that equals its nominal geometry up to rounding
MOST_BRANCHES = elimination.MOST_BRANCHES


class ClosedForm:
    """The joints that are solved for, e₁ … e₆ = M, and scratch arrays.

    M is T_goal T_tip⁻¹, the tip's pose at zero, without the motion of the locked joints; axes and
    points are displaced by these. `parameter` is the family's own redundancy parameter, rad.
    """

    def __init__(self, n: int) -> None:
        """Make the arrays for n joint values."""
        self.memory = memory = Memory()
        self.n, self.count, self.parameter = n, 0, 0.0
        self.M: Transform = identity()
        self.kind, self.column = memory.integers([0] * _JOINTS), memory.integers([0] * _JOINTS)
        self.axes = memory.points(np.zeros((_JOINTS, 3)))
        self.points = memory.points(np.zeros((_JOINTS, 3)))
        # For joints whose value makes no difference the reference value and the limits; and the
        # reference values of the three beside the triple. A direction across the triple's axis.
        self.ranges = memory.points(np.zeros((_JOINTS, 3)))
        self.beside_start = memory.zeros(3)
        self.across: Vector3 = (0.0, 0.0, 0.0)
        self.lower, self.upper = memory.vector([-INF] * n), memory.vector([INF] * n)
        self.rotations = memory.pose(np.zeros((5, 4)))  # of a conic
        self.found = memory.columns(np.zeros((point_3r.MOST_VALUES, 6)))  # beside the triple
        self.wrist = memory.columns(np.zeros((2, 6)))  # of the triple
        self.values = memory.pairs(np.zeros((6, 2)))  # of one branch
        self.elimination = EliminationData()
        # The pose, the parameters and the reference values of a call from Python, and branches
        self.T, self.parameters = memory.pose(np.zeros((4, 4))), memory.vector(np.zeros(n))
        self.q0 = memory.vector(np.zeros(n))
        self.branches = memory.rows(np.zeros((MOST_BRANCHES, n)))
        # (cos, sin) of every revolute joint of a branch; not of families with their own parameter
        self.directions = memory.rows(np.zeros((MOST_BRANCHES, 2 * n)))

    def write_value(self, i: int, j: int, c: float, s: float) -> None:
        """Write the value of joint j, one of those solved for, into branch i.

        A rotation (c, s), or the translation c. Values of virtual joints are left out.
        """
        column = self.column[j]
        if column >= 0:
            self.directions[i][2 * column], self.directions[i][2 * column + 1] = c, s
            self.branches[i][column] = c if self.kind[j] == kinds.PRISMATIC else angle_of(c, s)


class ClosedFamily:
    """A family, with the nominal arm; subclasses override `solve`.

    Threads may use it at the same time: each call has its own `ClosedForm`.
    """

    def __init__(self, structure: Any) -> None:
        """Copy a recognised `Structure`, of `count` joints and `n` joint values."""
        self.memory = memory = Memory()
        self.place, self.span = structure.place, structure.span
        self.count = len(structure.kind)
        self.n = int(structure.column.max()) + 1
        self.locks, self.parameters = int(structure.locked.max()) + 1, structure.parameters
        self.size, self.slack = structure.size, structure.slack
        self.may_be_off = structure.may_be_off
        self.T_tip_base = memory.pose(structure.T_tip_base)
        self.kind = memory.integers(structure.kind)
        self.column = memory.integers(structure.column)
        self.locked = memory.integers(structure.locked)
        self.axes, self.points = memory.points(structure.axes), memory.points(structure.points)
        self.idle: list[ClosedForm] = []

    def solve(self, work: ClosedForm) -> int:
        """Write every branch into `work`, by `write_value`, but the values of locked joints.

        work: the joints that are solved for, and M. Returns the number of branches.
        """
        return 0

    def own_parameter(self, q: Vector) -> float:
        """Return the family's own redundancy parameter at q (n,), rad."""
        return 0.0

    def motion_to(self, T_base_goal: Pose) -> Transform:
        """Return the motion T_goal T_tip⁻¹ of the tip from its pose at zero to a goal."""
        return composed(transform_of(T_base_goal), transform_of(self.T_tip_base))

    def parameters_of(self, q: Vector, parameters: Vector) -> None:
        """Write the redundancy parameters of a configuration q (n,) into parameters, rad or m."""
        column, locked, locks = self.column, self.locked, self.locks
        for j in range(self.count):
            if locked[j] >= 0:
                parameters[locked[j]] = q[column[j]]
        if self.parameters > locks:
            parameters[locks] = self.own_parameter(q)

    def write_branches(self, T_base_goal: Pose, work: ClosedForm) -> int:
        """Write every branch into `work.branches` and `work.directions`; return how many.

        Its parameters are the redundancy parameters, rad or m; its q0 is the reference for joints
        whose value makes no difference. Branches are not verified: they are initial guesses for the
        true arm, which may differ from the nominal one.
        """
        kind, column, locked = self.kind, self.column, self.locked
        axes, points, count = self.axes, self.points, self.count
        M, parameters = self.motion_to(T_base_goal), work.parameters
        lock, free, has_locks = identity(), 0, self.locks > 0
        for j in range(count):
            h, p = row(axes, j), row(points, j)
            if has_locks:
                h, p = rotated(lock, h), transform_point(lock, p)
            if locked[j] >= 0:
                value = parameters[locked[j]]
                if kind[j] == kinds.PRISMATIC:
                    lock = translated(lock, value, h)
                else:
                    lock = composed(rotation_about(h, p, math.cos(value), math.sin(value)), lock)
                continue
            work.kind[free], work.column[free] = kind[j], column[j]
            ranges, own = work.ranges[free], column[j]
            ranges[0] = work.q0[own] if own >= 0 else 0.0
            ranges[1] = work.lower[own] if own >= 0 else -INF
            ranges[2] = work.upper[own] if own >= 0 else INF
            work.axes[free][0], work.axes[free][1], work.axes[free][2] = h
            work.points[free][0], work.points[free][1], work.points[free][2] = p
            free += 1
        work.count = free
        if self.parameters > self.locks:
            work.parameter = parameters[self.locks]
        work.M = composed(M, inverse_transform(lock)) if has_locks else M
        solutions = self.solve(work)
        for j in range(count):
            if locked[j] >= 0:
                value = parameters[locked[j]]
                c, s = math.cos(value), math.sin(value)
                for i in range(solutions):
                    work.branches[i][column[j]] = value
                    work.directions[i][2 * column[j]] = c
                    work.directions[i][2 * column[j] + 1] = s
        return solutions

    def parameters_at(self, q: InVector) -> np.ndarray:
        """Return the redundancy parameters (p,) of a configuration q (n,), rad or m."""
        checks.check_lengths(q.shape[0] == self.n)
        work, found = self.take(), np.empty((1, self.parameters))
        arrays.read_vector(q, work.q0)
        self.parameters_of(work.q0, work.branches[0])
        arrays.copy_matrix(work.branches, found)
        self.idle.append(work)
        return found[0]

    def branches(self, T_base_goal: InPoses, parameters: InVector,
                 q0: InVector) -> np.ndarray:
        """Return the branches (k, n) for poses (m, 4, 4), m, one after the other; rad or m.

        parameters (p,): of all poses; q0 (n,): see `write_branches`. Raises ValueError for arrays
        of other lengths.
        """
        n, total, m = self.n, 0, T_base_goal.shape[0]
        checks.check_lengths(
            T_base_goal.shape[1] == 4 and T_base_goal.shape[2] == 4 and q0.shape[0] == n
            and parameters.shape[0] == self.parameters)
        work, out = self.take(), np.empty((m * MOST_BRANCHES, n))
        arrays.read_vector(q0, work.q0)
        arrays.read_vector(parameters, work.parameters)
        for i in range(m):
            arrays.read_pose(T_base_goal[i], work.T)
            count = self.write_branches(work.T, work)
            arrays.copy_matrix(work.branches, out[total:total + count])
            total += count
        self.idle.append(work)
        return out[:total]

    def take(self) -> ClosedForm:
        """Return scratch that no other thread uses."""
        work: ClosedForm = taken(self.idle, ClosedForm, self.n)
        return work
