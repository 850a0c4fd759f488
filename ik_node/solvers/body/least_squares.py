"""Weighted damped least squares over several tasks, with strict ones of priority 0."""

import numpy as np

from ik_node.model.body_frames import BodyFrames
from ik_node.solvers.body.base import BodySolver
from ik_node.solvers.body.bounded_step import bounded_step
from ik_node.solvers.body.levels import cascade, differential_step
from ik_node.solvers.body.problem import Level, missed
from ik_node.solvers.body.pursuit import search
from ik_node.solvers.body.space import Attempt, Space
from ik_node.tasks.base import Task

_DAMPING = 1e-3   # λ² over the cost, of levels and velocities


class LeastSquaresSolver(BodySolver):
    """Minimises Σ weight · |W r|² of the tasks, those of priority 0 strictly first.

    Tasks of priority 0 are met first, and the others act in the null space of theirs. Those others
    are weighted against each other, whatever their priority; but those that do not count, `Spring`,
    `Force` and a `Posture` of another priority than 0, act in what the tasks that count leave free.
    Where all tasks are of one kind each iteration is a single bounded least-squares step.
    """

    name = 'least_squares'

    def _levels(self) -> list[list[Task]]:
        """Return the strict tasks, the weighted ones, and those that never count."""
        counted = [task for task in self.tasks if task.counts]
        return [[task for task in counted if task.priority == 0],
                [task for task in counted if task.priority > 0],
                [task for task in self.tasks if not task.counts]]

    def _attempt(self, levels: list[Level], frames: BodyFrames, q: np.ndarray,
                 space: Space, thorough: bool) -> Attempt:
        """Search from q (n,)."""
        return search(levels, frames, q, space, lambda rows, frames, lower, upper: cascade(
            rows, lower, upper, _DAMPING, space.scale), thorough)

    def _step(self, levels: list[Level], frames: BodyFrames, lower: np.ndarray,
              upper: np.ndarray, dt: float) -> np.ndarray:
        """Return one differential step Δq (n,) within bounds (n,)."""
        if len(levels) != 1:
            return differential_step(levels, frames, lower, upper, _DAMPING, self._scale)
        A, e, one_sided, *_ = levels[0].evaluate(frames)
        scale = np.ones(len(lower)) if self._scale is None else self._scale
        weighted = missed(e, one_sided)
        return scale * bounded_step(A * scale, e, one_sided if one_sided.any() else None,
                                    lower / scale, upper / scale,
                                    _DAMPING * 0.5 * float(weighted @ weighted) + 1e-14)
