"""Strict priorities by successive projections into null spaces."""

from ik_node.solvers.body.base import BodySolver
from ik_node.tasks.base import Task


class HierarchySolver(BodySolver):
    """Solves priority after priority: a lower one moves only in the null space of the higher.

    Tasks of one priority are weighted against each other, but those that never count act in what
    the others of their priority leave free. One-sided rows and limits hold at every level; see
    `levels`.
    """

    name = 'hierarchy'

    def _levels(self) -> list[list[Task]]:
        """Return two levels for each priority: the tasks that count, then those that do not."""
        return [[task for task in self.tasks
                 if task.priority == priority and task.counts == counts]
                for priority in sorted({task.priority for task in self.tasks})
                for counts in (True, False)]
