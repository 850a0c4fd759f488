"""A closed path of the targets of a group's tasks, for demonstrations."""

import math
from collections.abc import Collection, Mapping

import numpy as np

from ik_node.control.task_group import TaskGroup
from ik_node.tasks import LookAt, Pose, Position

# Of the size.
_FORWARD = 0.16
_UP = 0.2
_ASIDE = 0.05
_GAZE = 0.25


class TargetPath:
    """Moves poses, positions and gazes of a group round from where they are and back.

    - `names`: of the tasks that it moves. Tasks of priority 0 hold, such as those of feet.
    """

    def __init__(self, size: float, starts: Mapping[str, np.ndarray],
                 gazes: Collection[str] = ()) -> None:
        """Begin at targets, poses (4, 4) and points (3,), m, by the names of their tasks.

        size: of the group, m. gazes: the names of tasks that look at a point.
        """
        self._size, self._starts, self._gazes = size, dict(starts), frozenset(gazes)
        self.names = tuple(self._starts)

    @classmethod
    def of(cls, group: TaskGroup) -> 'TargetPath':
        """Return the path of a group from its present targets, which must be set."""
        moved = {name: task for name, task in group.tasks.items()
                 if isinstance(task, (Pose, Position, LookAt)) and task.priority > 0}
        return cls(group.size, {name: np.array(task.target) for name, task in moved.items()},
                   [name for name, task in moved.items() if isinstance(task, LookAt)])

    def targets(self, phase: float) -> dict[str, np.ndarray]:
        """Return the targets at a phase, 0 to 1: poses (4, 4), and points (3,), m, world frame.

        Hands follow each other by a quarter of a round.
        """
        found = {}
        for number, (name, start) in enumerate(self._starts.items()):
            angle = 2.0 * math.pi * phase
            if name in self._gazes:
                found[name] = start + self._size * _GAZE * np.array(
                    [0.0, math.sin(angle), 0.5 * math.sin(2.0 * angle)])
                continue
            raised = 0.5 - 0.5 * math.cos(angle)
            offset = self._size * np.array([
                _FORWARD * raised, _ASIDE * math.sin(angle + 0.5 * math.pi * number) * raised,
                _UP * raised + _ASIDE * math.sin(2.0 * angle) * raised])
            found[name] = start.copy()
            if start.shape == (4, 4):
                found[name][:3, 3] += offset
            else:
                found[name] += offset
        return found
