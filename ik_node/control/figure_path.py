"""A closed path of the targets of a figure's tasks, for demonstrations."""

import math

import numpy as np

from ik_node.control.figure import Figure
from ik_node.tasks import LookAt, Pose, Position

# Of the figure's size.
_FORWARD = 0.16
_UP = 0.2
_ASIDE = 0.05
_GAZE = 0.25


class FigurePath:
    """Moves poses, positions and gazes of a figure round from its present targets and back.

    - `names`: of the tasks that it moves. Tasks of priority 0 hold, such as those of feet.
    """

    def __init__(self, figure: Figure) -> None:
        """Begin at the present targets, which must be set."""
        self._size = figure.size
        self._start = {name: (task, np.array(task.target)) for name, task in figure.tasks.items()
                       if isinstance(task, (Pose, Position, LookAt)) and task.priority > 0}
        self.names = tuple(self._start)

    def targets(self, phase: float) -> dict[str, np.ndarray]:
        """Return the targets at a phase, 0 to 1: poses (4, 4), and points (3,), m, world frame.

        Hands follow each other by a quarter of a round.
        """
        found = {}
        for number, (name, (task, start)) in enumerate(self._start.items()):
            angle = 2.0 * math.pi * phase
            if isinstance(task, LookAt):
                found[name] = start + self._size * _GAZE * np.array(
                    [0.0, math.sin(angle), 0.5 * math.sin(2.0 * angle)])
                continue
            raised = 0.5 - 0.5 * math.cos(angle)
            offset = self._size * np.array([
                _FORWARD * raised, _ASIDE * math.sin(angle + 0.5 * math.pi * number) * raised,
                _UP * raised + _ASIDE * math.sin(2.0 * angle) * raised])
            found[name] = start.copy()
            if isinstance(task, Pose):
                found[name][:3, 3] += offset
            else:
                found[name] += offset
        return found
