"""Weighted damped least squares over several tasks, with strict ones of priority 0."""

from ik_node.solvers.body.base import BodySolver
from ik_node.tasks.base import Task


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
