"""Several tasks by a minimizer [Bařinka & Berka 3.2.2; Zhao & Badler 1994].

Strict tasks weigh more, or are constraints of a minimizer that can keep them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ik_node.model.body import Body, BodyFrames
from ik_node.solvers.body.attempts import BodyProblem
from ik_node.solvers.body.base import LeastSquaresSolver
from ik_node.solvers.kernel.body.compiled_tasks import TaskLevel
from ik_node.solvers.optimization.attempt import Minimizing, attempt, minimised
from ik_node.solvers.optimization.minimizer_options import (
    MinimizerOptions,
    constraint_rows,
    read_terms,
)
from ik_node.solvers.optimization.objective import Problem, unit_of
from ik_node.solvers.optimization.space import Space
from ik_node.solvers.optimization.terms import WEIGHT, Term, TermSum, terms_of
from ik_node.solvers.options import BodyOptions
from ik_node.solvers.result import StopReason
from ik_node.solvers.solver_output import Attempt, Budget, VerifiedAttempt
from ik_node.support.options import option
from ik_node.tasks.base import Task

_FAR = 100.0  # rad or lengths: how far from the start a result may be, where there are no limits


@dataclass(frozen=True)
class BodyMinimizerOptions(MinimizerOptions, BodyOptions):
    """Options of `optimization` for a body."""

    terms: Any = option(
        None, 'what the null space of the tasks serves: nearness to a reference configuration, '
        'distance from the limits; in Python functions of q, or pairs of a function and its '
        'gradient, too; none: nothing', kind=str, choices=('reference', 'limits'), listed=True,
        optional=True, python=read_terms)


class BodyOptimizationSolver(Minimizing, LeastSquaresSolver):
    """Minimises Σ weight · |W r|² of the tasks by a minimizer, with terms of one's own.

    Tasks of priority 0 are constraints of SLSQP and trust-constr, and weigh 100 times as much for
    the others. Where that misses them, the attempt is repeated with such weights. Tasks that do
    not count, and terms, act in the null space of those that do. Velocities are those of
    `least_squares`.
    """

    name = 'optimization'
    Options: ClassVar[type[BodyOptions]] = BodyMinimizerOptions
    options: BodyMinimizerOptions
    _merges = False

    def __init__(self, body: Body, tasks: Sequence[Task], **options: Any) -> None:
        super().__init__(body, tasks, **options)
        self._whole = Space(body.lower, body.upper, self._scale, *constraint_rows(
            self.options.linear_constraints, body.n_joints))
        self._size = float(np.linalg.norm(body.arrays.placement[:, :3, 3], axis=1).sum())

    @property
    def _region(self) -> Space:
        """Limits and constraints of the search."""
        return self._whole._replace(lower=self._space.lower, upper=self._space.upper)

    def _attempt(self, levels: list[TaskLevel], q: np.ndarray, budget: Budget,
                 thorough: bool) -> Attempt:
        if not len(q):  # no joint moves
            return Attempt(q, StopReason.STALLED, 0)
        counted = [level for level in levels if level.tasks[0].affects_success]
        terms = terms_of(self.options, self._region, q, {})
        terms += [level_term(level, WEIGHT) for level in levels
                  if not level.tasks[0].affects_success]
        total = TermSum(terms) if terms else None
        assert self._records is not None
        level = self._records.merged(counted) if counted else TaskLevel(self._records, [])
        problem = Problem(
            level.evaluate, self._region, self._about(q),
            unit_of(self.options.position_tolerance, self.options.orientation_tolerance),
            self.options, budget.deadline, np.concatenate([np.zeros(0, bool), *(
                one.one_sided for one in counted if one.tasks[0].priority == 0)]))
        if not counted:
            return minimised(problem, total, q)._replace(reason=StopReason.CONVERGED)
        return attempt(problem, total, lambda q: level.descend(q, budget.deadline), q)

    def _verified(self, problem: BodyProblem, attempt: Attempt,
                  start: np.ndarray) -> VerifiedAttempt:
        """Return an attempt with its errors; a success keeps the linear constraints."""
        for about in (start, attempt.q):  # a whole turn may break a constraint
            found = super()._verified(problem, attempt, about)
            if not found.success or self._region.keeps_constraints(found.q):
                return found
        return found._replace(success=False)

    def _about(self, q: np.ndarray) -> Space:
        """Return the region, with limits about q (n,) for entries that have none.

        A force would carry a root that no task holds beyond all numbers. Lengths are the size of
        the body and what tasks miss at q: the tasks need a fraction of them.
        """
        frames = BodyFrames(self.body, q)
        far = self._size + sum(float(np.abs(task.evaluate(frames)[0]).sum())
                               for task in self.tasks)
        if self.options.reference is not None:
            far += float(np.abs(q - self.options.reference).max())
        room = np.where(self.body.prismatic, _FAR * far, _FAR)
        lower, upper = self._space.lower, self._space.upper
        return self._region._replace(lower=np.where(np.isfinite(lower), lower, q - room),
                                     upper=np.where(np.isfinite(upper), upper, q + room))


def level_term(level: TaskLevel, weight: float) -> Term:
    """Return the energy of the tasks of a level as a term."""
    def value(q: np.ndarray) -> float:
        return level.evaluate(q).cost

    def gradient(q: np.ndarray) -> np.ndarray:
        rows = level.evaluate(q)
        return -rows.A.T @ rows.missed()
    return Term(value, gradient, weight)
