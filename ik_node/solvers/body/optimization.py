"""Several tasks by a minimizer [Bařinka & Berka 3.2.2; Zhao & Badler 1994].

    E(q) = Σ weight · |W r|²,   ∂E/∂q = −2 Aᵀ e

over the tasks that count, with A and e of `LevelRows`. Strict tasks weigh more, or are constraints
of a minimizer that can keep them.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ik_node.model.body import Body, BodyFrames
from ik_node.solvers.body.attempts import BodyProblem
from ik_node.solvers.body.base import LeastSquaresSolver
from ik_node.solvers.body.result import BodyResult
from ik_node.solvers.codes import CONVERGED
from ik_node.solvers.kernel.body.compiled_tasks import LevelRows, TaskLevel
from ik_node.solvers.optimization import nullspace
from ik_node.solvers.optimization.minimizers import check_minimizer, run
from ik_node.solvers.optimization.objective import ErrorRows, Objective, unit_of
from ik_node.solvers.optimization.options import MinimizerOptions, constraint_rows
from ik_node.solvers.optimization.space import Space, Variables
from ik_node.solvers.optimization.terms import WEIGHT, Term, TermSum, terms_of
from ik_node.solvers.options import BodyOptions
from ik_node.solvers.result import REASONS, StopReason
from ik_node.solvers.solver_output import Attempt, Budget, VerifiedAttempt
from ik_node.support.exceptions import UnsupportedError
from ik_node.support.options import option

STRICT = 10.0   # what a row of a strict task counts over others in |V|
_HELD = 300.0   # where it is a constraint: the best configuration is the one that keeps it
_ACTIVE = 1e-6  # rad or m: a one-sided row that holds by less can be broken by a small step
_FAR = 100.0  # rad or lengths: how far from the start a result may be, where there are no limits


@dataclass(frozen=True)
class BodyMinimizerOptions(MinimizerOptions, BodyOptions):
    """Options of `optimization` for a body."""

    terms: Any = option(
        None, 'what the null space of the tasks serves: nearness to a reference configuration, '
        'distance from the limits; in Python functions of q, or pairs of a function and its '
        'gradient, too; none: nothing', kind=str, choices=('reference', 'limits'), listed=True,
        optional=True)


class BodyOptimizationSolver(LeastSquaresSolver):
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

    def __init__(self, body: Body, tasks: Any, **options: Any) -> None:
        super().__init__(body, tasks, **options)
        check_minimizer(self.options.minimizer)
        self._whole = Space(body.lower, body.upper, self._scale, *constraint_rows(
            self.options.linear_constraints, body.n_joints))
        self._size = float(np.linalg.norm(body.arrays.placement[:, :3, 3], axis=1).sum())

    @property
    def _region(self) -> Space:
        """Limits and constraints of the search."""
        return self._whole._replace(lower=self._space.lower, upper=self._space.upper)

    def closest(self, q0: Any = None) -> BodyResult:
        """Return the joint values closest to the tasks; see `BodySolver`.

        Raises UnsupportedError with linear constraints, which it would ignore.
        """
        if len(self._region.A):
            raise UnsupportedError('closest ignores linear_constraints: make a solver without')
        return super().closest(q0)

    def _attempt(self, levels: list[TaskLevel], q: np.ndarray, budget: Budget,
                 thorough: bool) -> Attempt:
        if not len(q):  # no joint moves
            return Attempt(q, StopReason.STALLED, 0)
        counted = [level for level in levels if level.tasks[0].counts]
        others = [level for level in levels if not level.tasks[0].counts]
        terms = self._terms(q, others)
        if not counted:
            assert self._records is not None
            return self._minimised(TaskLevel(self._records, []), q, budget, 0, terms)._replace(
                reason=StopReason.CONVERGED)
        level = counted[0].records.merged(counted)
        strict = sum(len(one.one_sided) for one in counted if one.tasks[0].priority == 0)
        found = self._minimised(level, q, budget, strict, terms)
        if terms is None:
            return found
        if len(self._region.A):
            return self._minimised(level, found.q, budget, strict, None)
        return self._in_null_space(level, found, budget, terms)

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

    def _minimised(self, level: TaskLevel, q: np.ndarray, budget: Budget, strict: int,
                   terms: TermSum | None) -> Attempt:
        """Run the minimizer from q (n,); again where it has not kept its constraints."""
        options, iterations, about = self.options, 0, self._about(q)
        unit = unit_of(options.position_tolerance, options.orientation_tolerance)
        constrains = strict > 0 and options.minimizer in ('slsqp', 'trust-constr')
        for held in (True, False) if constrains else (False,):
            objective = TaskObjective(self._region, about, level, strict, held, terms, budget,
                                      unit)
            end = run(options.minimizer, objective, q)
            iterations += objective.iterations
            if objective.value < np.inf:
                q = objective.q.copy()
            if end == CONVERGED or terms is not None or (held and objective.keeps_strict(
                    q, min(options.position_tolerance, options.orientation_tolerance))):
                break
        return Attempt(q, StopReason.TIMEOUT if budget.is_over() else REASONS[end], iterations)

    def _in_null_space(self, level: TaskLevel, found: Attempt, budget: Budget,
                       terms: TermSum) -> Attempt:
        """Meet the tasks from what was found with terms, and reduce these while they are met."""
        def restored(q: np.ndarray) -> np.ndarray | None:
            met = level.descend(q, budget.deadline)
            return met.q if met.reason is StopReason.CONVERGED else None
        met = level.descend(found.q, budget.deadline)
        iterations = found.iterations + met.iterations
        if met.reason is not StopReason.CONVERGED:
            return Attempt(met.q, met.reason, iterations)
        q, steps = nullspace.descend(
            self._region, lambda q: active_rows(level, q), terms, restored, met.q)
        return Attempt(q, StopReason.CONVERGED, iterations + steps)

    def _terms(self, q0: np.ndarray, others: list[TaskLevel]) -> TermSum | None:
        """Return the terms of the options and of tasks that do not count; None without any."""
        terms = terms_of(self.options, self._region, q0, {})
        terms += [level_term(level, WEIGHT) for level in others]
        return TermSum(terms) if terms else None


class TaskObjective(Objective):
    """E of the tasks of a level, the rows of strict ones first, and the terms."""

    def __init__(self, space: Space, about: Space, level: TaskLevel, strict: int, held: bool,
                 terms: TermSum | None, budget: Budget, unit: float) -> None:
        """Prepare for one attempt.

        about: the space, with limits of results for what has none, which would change the first
        step of a minimizer. strict: number of rows of strict tasks; held: whether these are
        constraints.
        """
        super().__init__(space, terms, budget.max_iterations, unit, budget.deadline)
        self._about, self._level = about, level
        self._strict = slice(strict if held else 0)
        self._factors = np.ones(len(level.one_sided))
        self._factors[:strict] = _HELD if held else STRICT
        self._level_rows: LevelRows

    def constraints(self, variables: Variables) -> list[Any]:
        """Return the strict tasks as one constraint of scipy: r = 0, r ≥ 0 where one-sided."""
        rows = self._strict
        if not rows.stop:
            return []
        from scipy import optimize  # late: a quarter of a node's start

        def residuals(x: np.ndarray) -> np.ndarray:
            self._move_to(variables.joint_values(x))
            return -self._level_rows.e[rows]

        def jacobian(x: np.ndarray) -> np.ndarray:
            self._move_to(variables.joint_values(x))
            return variables.slope(self._level_rows.A[rows])
        return [optimize.NonlinearConstraint(
            residuals, 0.0, np.where(self._level.one_sided[rows], np.inf, 0.0), jac=jacobian)]

    def keeps_strict(self, q: np.ndarray, tolerance: float) -> bool:
        """Tell whether the constraints hold at q (n,), to a tolerance of each row."""
        rows = self._level.evaluate(q)
        e = rows.missed()[self._strict]
        return bool((np.abs(e) <= tolerance).all())

    def _allows(self, q: np.ndarray) -> bool:
        return self._about.allows(q)

    def _evaluate(self, q: np.ndarray) -> ErrorRows:
        """Return the rows at q (n,); those of one-sided tasks that hold are zero."""
        self._level_rows = rows = self._level.evaluate(q)
        V, factors = self._factors * rows.missed(), self._factors
        if self._level.any_one_sided:
            factors = np.where(rows.one_sided & (rows.e < 0.0), 0.0, factors)
        return ErrorRows(V, factors[:, None] * rows.A, float(V @ V), rows.met)


def level_term(level: TaskLevel, weight: float) -> Term:
    """Return the energy of the tasks of a level as a term."""
    def value(q: np.ndarray) -> float:
        return level.evaluate(q).cost

    def gradient(q: np.ndarray) -> np.ndarray:
        rows = level.evaluate(q)
        return -rows.A.T @ rows.missed()
    return Term(value, gradient, weight)


def active_rows(level: TaskLevel, q: np.ndarray) -> np.ndarray:
    """Return the rows (m, n) of a level at q (n,) that a small step could break."""
    rows = level.evaluate(q)
    return rows.A[~rows.one_sided | (rows.e > -_ACTIVE)]
