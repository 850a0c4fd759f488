"""Constraints held by Lagrange multipliers, on a figure that has mass [Grassia; Welman]."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ik_node.bounds import MAX_NUMBER
from ik_node.exceptions import OptionError, names, shown
from ik_node.kernels.limits import Limits
from ik_node.kernels.motion import Mass, Motion
from ik_node.kernels.tree import Tree
from ik_node.model.body import Body
from ik_node.model.body_frames import BodyFrames
from ik_node.model.inertial import inertia_arrays
from ik_node.model.shape_inertia import with_shape_inertials
from ik_node.options import option
from ik_node.solvers.body.attempts import Verified
from ik_node.solvers.body.base import BodySolver
from ik_node.solvers.body.multipliers import move, with_mass
from ik_node.solvers.body.options import BodyOptions
from ik_node.solvers.body.problem import Level, LevelRows
from ik_node.solvers.body.pursuit import search
from ik_node.solvers.body.space import Attempt, Space
from ik_node.solvers.result import StopReason
from ik_node.tasks.base import Task
from ik_node.tasks.force import Force

_MASSES = ('inertia', 'uniform')
_PSEUDO_TIME = 1e3  # s, the step of `solve`: long, so that springs come to rest in a few


@dataclass(frozen=True)
class LagrangeOptions(BodyOptions):
    """What the lagrange solver takes."""

    mass: Any = option(
        'inertia', 'what resists motion: "inertia", the mass matrix of the inertials, for links '
        'without one of their shapes at 1000 kg/m³; "uniform", the same for every joint; or one '
        'number for each joint', 'kg m² or kg', kind=float, listed=True,
        named=True, low=0.0, positive=True)
    feedback: float = option(
        1.0, 'which part of an error a constraint corrects in one step', low=0.0, high=MAX_NUMBER)


class LagrangeSolver(BodySolver):
    """Moves a figure that has mass but no momentum, M q̇ = f + Jᵀ λ; see `multipliers`.

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
        """Take a body and tasks. Raises an IkError for malformed tasks and options."""
        super().__init__(body, tasks, **options)
        self._inertias = inertia_arrays(
            body.links, with_shape_inertials(body.tree),
            len(body.arrays.parent) - len(body.links)) if self._has_inertia() else None
        self._heavy = None if self._inertias is None else Tree(body.arrays, self._inertias,
                                                               body.n_joints)
        mass = self.options.mass
        if isinstance(mass, str):
            if mass not in _MASSES:
                raise OptionError(f'lagrange.mass must be one of {names(_MASSES)}, or a list of '
                                  f'{body.n_joints} numbers above 0, not {shown(mass)}')
        elif len(mass) != body.n_joints:
            raise OptionError(f'lagrange.mass must have {body.n_joints} entries, one for each '
                              f'joint, not {len(mass)}')

    def _levels(self) -> list[list[Task]]:
        """Return the constraints, and what acts as a force."""
        constraints = [task for task in self.tasks if task.is_necessary]
        return [constraints, [task for task in self.tasks if not task.is_necessary]]

    def _attempt(self, levels: list[Level], frames: BodyFrames, q: np.ndarray,
                 space: Space, thorough: bool) -> Attempt:
        """Search from q (n,): steps of the motion, each constraint's error corrected in part."""
        return search(levels, frames, q, space, lambda rows, frames, lower, upper: self._motion(
            levels, rows, frames, lower, upper, _PSEUDO_TIME, at_rest=True), thorough, self._merges)

    def _search(self, levels: list[Level], q: np.ndarray, start: np.ndarray, space: Space,
                thorough: bool) -> tuple[Attempt, Verified]:
        """Search from q (n,), and verify; from a random start where that meets the constraints.

        Least motion matters from where the figure is. Whether the constraints can be met from a
        random start, the kernels' descent tells in a hundredth of the time.
        """
        if q is start or thorough or not levels[0].is_necessary:
            return super()._search(levels, q, start, space, thorough)
        found = levels[0].descend(q, space.end)
        if found.reason is StopReason.CONVERGED:
            return super()._search(levels, found.q, start, space, thorough)
        return found, self._verified(levels, found.q, start)

    def _differential_steps(self) -> Motion:
        """Return what takes motions for the levels as they are now."""
        n, levels, weights = self.body.n_joints, self._kept, self.options.joint_weights
        mass = self.options.mass
        heavier = np.zeros(n) if weights is None else np.broadcast_to(
            weights, (n,)) / np.min(weights) - 1.0
        constant = [isinstance(task, Force) for level in levels
                    for task, part in zip(level.tasks, level.slices)
                    for _ in range(part.start, part.stop)]
        has_constraints = bool(levels) and levels[0].is_necessary
        space = self._space
        return Motion(
            self.body.record, self._stacked(),
            Limits(space.lower, space.upper, self.body.velocity_limits, space.step, np.ones(n)),
            Mass(self._inertias, np.ones(n) if isinstance(mass, str) else mass, heavier),
            len(levels[0].one_sided) if has_constraints else 0, constant, self.options.feedback)

    def _motion(self, levels: Sequence[Level], rows: Sequence[LevelRows], frames: BodyFrames,
                lower: np.ndarray, upper: np.ndarray, dt: float, at_rest: bool) -> np.ndarray:
        """Return Δq (n,) in a time dt, s.

        at_rest: whether a constant force counts as a spring a metre ahead, so that a long step
        ends where forces balance.
        """
        n = len(lower)
        M, f = self._mass_matrix(frames) / dt, np.zeros(n)
        A, e, one_sided = np.empty((0, n)), np.empty(0), np.empty(0, dtype=bool)
        for level, one in zip(levels, rows):
            if level.is_necessary:
                A, one_sided = one.A, one.one_sided
                e = np.where(one_sided & (one.e < 0.0), one.e, self.options.feedback * one.e)
                continue
            pulls = ~one.one_sided | (one.e > 0.0)
            f += one.A[pulls].T @ one.e[pulls]
            for task, part in zip(level.tasks, level.slices):
                if at_rest or not isinstance(task, Force):
                    J = one.A[part][pulls[part]]
                    M = M + J.T @ J
        return move(M, f, A, e, one_sided, lower, upper).x

    def _mass_matrix(self, frames: BodyFrames) -> np.ndarray:
        """Return M (n, n), positive definite, at the frames.

        joint_weights add to the diagonal: of two alike joints, one of twice the weight resists as
        with twice the mass.
        """
        mass = self.options.mass
        if self._has_inertia():
            M = with_mass(frames.mass_matrix(self._heavy))
        else:
            M = np.diag(np.ones(self.body.n_joints) if isinstance(mass, str) else mass)
        weights = self.options.joint_weights
        if weights is None:
            return M
        heavier = np.broadcast_to(weights, (len(M),)) / np.min(weights) - 1.0
        return M + np.diag(heavier * M.diagonal())

    def _has_inertia(self) -> bool:
        mass = self.options.mass
        return isinstance(mass, str) and mass == 'inertia'
