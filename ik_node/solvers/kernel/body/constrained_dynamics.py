"""Motion of least kinetic energy under constraints, by Lagrange multipliers [Grassia].

A figure without momentum moves as it is pulled, f + f_c = M q̇, and constraints pull along their
gradients, f_c = Jᵀ λ. So q̇ minimises q̇ᵀ M q̇ / 2 − fᵀ q̇ among the motions that the constraints
allow: they are the first level of a cascade, the energy the second.
"""

import math
from typing import Any

from ik_node.kinematics import mass_matrix as masses
from ik_node.kinematics.tree import Tree
from ik_node.solvers.kernel.body import stacked_tasks as stacks
from ik_node.solvers.kernel.body import steps
from ik_node.solvers.kernel.body import velocity as velocities
from ik_node.solvers.kernel.body.stacked_tasks import StackedTasks
from ik_node.solvers.kernel.body.steps import Limits
from ik_node.solvers.kernel.body.velocity import Velocity, VelocityData
from ik_node.solvers.kernel.qp import hierarchical_qp as cascades
from ik_node.support import linear_systems
from ik_node.support.arrays import Matrix, Memory

SINGULAR = 1e-2   # singular value of the constraints below which they are damped,
VANISHING = 0.1   # and over what they miss: near a solution damping would delay it
MASSLESS = 1e-6   # part of the largest entry of M's diagonal that counts as no mass
PSEUDO_TIME = 1e3  # s, of steps of a search: springs come to rest in a few
INF = math.inf


class Mass:
    """The inertia of a figure: that of its links, or a mass of each joint."""

    def __init__(self, tree: Any, diagonal: Any, heavier: Any) -> None:
        """Take a `Tree` with the inertials of the links, or None for a mass of each joint.

        diagonal: (n,) mass of each joint, kg m² or kg; heavier: (n,) what is added to the diagonal,
        over the diagonal.
        """
        self.memory = Memory()
        self.tree, self.has_inertia = tree, tree is not None
        self.diagonal, self.heavier = self.memory.vector(diagonal), self.memory.vector(heavier)


class Motion(Velocity):
    """The motions of a figure; the first level of its tasks are constraints, the rest pulls."""

    def __init__(self, tree: Tree, stack: StackedTasks, limits: Limits, mass: Mass,
                 constraints: int, constant: Any, feedback: float) -> None:
        """Prepare for motions.

        constraints: number of rows of the constraints; constant: (m,) whether a row is a force that
        is the same at both ends of the step; feedback: which part of an error a constraint corrects
        in one step.
        """
        super().__init__(tree, stack, limits)
        self.mass, self.constraints, self.feedback = mass, constraints, feedback
        self.rows, self.energy = [constraints] if constraints > 0 else [], True
        self.memory = Memory()
        self.constant = self.memory.integers(constant)

    def step(self, work: VelocityData, dt: float) -> None:
        """Write the motion of dt seconds into work.step.x (n,); curved one-sided rows hold then."""
        steps.set_bounds(self.limits, work.step, work.q, dt, INF)
        velocities.rows_at(self, work)
        motion(self, work, self.stack.levels, dt, False)
        if self.constraints > 0 and self.stack.some_one_sided[0] and self.feedback > 0.0:
            velocities.correct(self, work, dt, False)

    def direction(self, work: VelocityData, count: int) -> None:
        """Write the motion of the first levels in a long time, in which springs come to rest."""
        motion(self, work, count, PSEUDO_TIME, True)


def motion(own: Motion, work: VelocityData, count: int, dt: float, at_rest: bool) -> None:
    """Write the motion of dt seconds for the rows of the first levels and the frames in work.

    M/dt + Σ Jᵀ J takes the place of M, J of the pulls, which so are those at the end of the step.
    at_rest: whether a constant force counts as a spring a metre ahead, so that a long step ends
    where forces balance.
    """
    M, f, A, e, n = work.cascade.M, work.cascade.f, work.step.A, work.step.e, own.tree.n
    write_mass(own, work)
    for i in range(n):
        f[i] = 0.0
        for j in range(n):
            M[i][j] /= dt
    for i in range(own.constraints, own.stack.first_row[count]):
        if own.stack.one_sided[i] and not e[i] > 0.0:
            continue
        for k in range(n):
            pull = A[k][i]
            if pull == 0.0:
                continue
            f[k] += pull * e[i]
            if at_rest or not own.constant[i]:
                for j in range(n):
                    M[k][j] += pull * A[j][i]
    for i in range(own.constraints):
        if not (own.stack.one_sided[i] and e[i] < 0.0):
            e[i] *= own.feedback
    missed = stacks.missed2(own.stack, 0, e) if own.constraints > 0 else 0.0
    cascades.factor(work.cascade, work.cascade.count, A, e, velocities.DAMPING,
                    min(SINGULAR, VANISHING * math.sqrt(missed)))
    cascades.solve(work.cascade, e, work.step.lower, work.step.upper, work.step.x)


def write_mass(own: Motion, work: VelocityData) -> None:
    """Write M (n, n) at the frames, positive definite: joints that move next to none have some."""
    M, n = work.cascade.M, own.tree.n
    if own.mass.has_inertia:
        masses.mass_matrix(own.mass.tree, work.frames, work.axes, work.composite, M)
        add_least(M, work.L, n)
    else:
        for i in range(n):
            for j in range(n):
                M[i][j] = own.mass.diagonal[i] if i == j else 0.0
    for k in range(n):
        M[k][k] *= 1.0 + own.mass.heavier[k]


def add_least(M: Matrix, L: Matrix, n: int) -> None:
    """Add to M (n, n) what makes it positive definite: mass for joints that move next to none.

    The smallest eigenvalue is 1/tr M⁻¹ or more, of which the addition is a continuous function.
    Where nothing has mass, all joints are alike. L (n, n) is scratch.
    """
    heaviest, inverse = 0.0, 0.0
    for k in range(n):
        heaviest = max(heaviest, M[k][k])
    if not heaviest > 0.0:
        for k in range(n):
            M[k][k] = 1.0
        return
    for i in range(n):
        for j in range(i + 1):
            L[i][j] = M[i][j]
    linear_systems.factor(L, n)
    for c in range(n):  # row c of the upper triangle takes column c of L⁻¹: |L⁻¹|² = tr M⁻¹
        own = L[c][c]
        inverse += own * own
        for i in range(c + 1, n):
            value = L[i][c] * own
            for j in range(c + 1, i):
                value += L[i][j] * L[c][j]
            value *= -L[i][i]
            L[c][i] = value
            inverse += value * value
    least = max(MASSLESS * heaviest - 1.0 / inverse, 0.0)
    for k in range(n):
        M[k][k] += least
