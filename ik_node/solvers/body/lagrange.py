"""Constraints held by Lagrange multipliers, on a body with inertia [Grassia; Welman]."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ik_node.kinematics.tree import Tree
from ik_node.model.body import Body
from ik_node.model.parts import with_inertials
from ik_node.model.substitutes import with_shape_inertials
from ik_node.solvers.body.attempts import BodyProblem
from ik_node.solvers.body.base import BodySolver
from ik_node.solvers.body.compiled_tasks import TaskLevel
from ik_node.solvers.kernel.body.constrained_dynamics import Mass, Motion
from ik_node.solvers.options import BodyOptions
from ik_node.solvers.result import StopReason
from ik_node.solvers.solver_output import VerifiedAttempt
from ik_node.support.bounds import MAX_NUMBER
from ik_node.support.exceptions import OptionError, names, shown
from ik_node.support.options import option
from ik_node.tasks.base import Task
from ik_node.tasks.distance import Force

_MASSES = ('inertia', 'uniform')


@dataclass(frozen=True)
class LagrangeOptions(BodyOptions):
    """Options of the lagrange solver."""

    mass: Any = option(
        'inertia', 'what resists motion: "inertia", the mass matrix of the inertials, for links '
        'without one of their shapes at 1000 kg/m³; "uniform", the same for every joint; or one '
        'number for each joint', 'kg m² or kg', kind=float, listed=True,
        named=True, low=0.0, positive=True)
    feedback: float = option(
        1.0, 'which part of an error a constraint corrects in one step', low=0.0, high=MAX_NUMBER)


class LagrangeSolver(BodySolver):
    """Moves a body with inertia but no momentum, M q̇ = f + Jᵀ λ; see `constrained_dynamics`.

    Tasks of priority 0 and 1 are constraints, alike, with ṗ = −feedback · r / dt. `Posture`,
    `Spring`, `Force` and tasks of higher numbers are forces, f = −Σ weight · Jᵀ W² r: they move the
    figure within its constraints. They are taken at the end of the step, M/dt + JᵀW²J in M's place,
    so that stiff springs are stable for any dt; a constant force is the same at both ends. Links
    without inertials get those of their shapes at uniform density; see `with_shape_inertials`.
    Those of the body, which balance is about, stay as they are.
    """

    name = 'lagrange'
    Options = LagrangeOptions
    _merges = False
    options: LagrangeOptions

    def __init__(self, body: Body, tasks: Sequence[Task], **options: Any) -> None:
        super().__init__(body, tasks, **options)
        mass = self.options.mass
        self._heavy: Tree | None = None
        if not isinstance(mass, str):
            if len(mass) != body.n_joints:
                raise OptionError(f'lagrange.mass must have {body.n_joints} entries, one for each '
                                  f'joint, not {len(mass)}')
        elif mass == 'inertia':
            self._heavy = Tree(with_inertials(body.arrays, body.links, with_shape_inertials(
                body.tree)), body.n_joints)
        elif mass not in _MASSES:
            raise OptionError(f'lagrange.mass must be one of {names(_MASSES)}, or a list of '
                              f'{body.n_joints} numbers above 0, not {shown(mass)}')

    def _tasks_by_level(self) -> list[list[Task]]:
        """Return the constraints, and what acts as a force."""
        constraints = [task for task in self.tasks if task.is_necessary]
        return [constraints, [task for task in self.tasks if not task.is_necessary]]

    def _search(self, problem: BodyProblem, q: np.ndarray, thorough: bool) -> VerifiedAttempt:
        """Search from q (n,), and verify; from another start only if a descent from it converges.

        Least motion matters from the start, and the descent takes a hundredth of the time.
        """
        levels, start, budget = problem
        if q is start or thorough or not levels[0].is_necessary:
            return super()._search(problem, q, thorough)
        found = levels[0].descend(q, budget.deadline)
        if found.reason is StopReason.CONVERGED:
            return super()._search(problem, found.q, thorough)
        return self._verified(problem, found, start)

    def _make_velocity(self, levels: Sequence[TaskLevel]) -> Motion:
        n, mass, weights = self.body.n_joints, self.options.mass, self.options.joint_weights
        heavier = np.zeros(n) if weights is None else np.broadcast_to(
            weights, (n,)) / np.min(weights) - 1.0
        constant = [isinstance(task, Force) for level in levels
                    for task, part in zip(level.tasks, level.slices)
                    for _ in range(part.start, part.stop)]
        has_constraints = bool(levels) and levels[0].is_necessary
        return Motion(
            self.body.record, self._stacked(levels), self._limits_of(np.ones(n)),
            Mass(self._heavy, np.ones(n) if isinstance(mass, str) else mass, heavier),
            len(levels[0].one_sided) if has_constraints else 0, constant, self.options.feedback)
