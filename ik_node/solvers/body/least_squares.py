"""Weighted damped least squares over several tasks, of strict priorities or with strict ones."""

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

    def _tasks_by_level(self) -> list[list[Task]]:
        """Return the strict tasks, the weighted ones, and those that never count."""
        counted = [task for task in self.tasks if task.counts]
        return [[task for task in counted if task.priority == 0],
                [task for task in counted if task.priority > 0],
                [task for task in self.tasks if not task.counts]]


class HierarchySolver(BodySolver):
    """Solves priority after priority: a lower one moves only in the null space of the higher.

    Tasks of one priority are weighted against each other, but those that never count act in what
    the others of their priority leave free. One-sided rows and limits hold at every level; see
    `levels`.
    """

    name = 'hierarchy'

    def _tasks_by_level(self) -> list[list[Task]]:
        """Return two levels for each priority: the tasks that count, then those that do not."""
        return [[task for task in self.tasks
                 if task.priority == priority and task.counts == counts]
                for priority in sorted({task.priority for task in self.tasks})
                for counts in (True, False)]
