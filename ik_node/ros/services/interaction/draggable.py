"""The base of what handles drag: where it is, which of its axes move, and who takes its goals."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from geometry_msgs.msg import Point, PointStamped, Pose, PoseStamped
from std_msgs.msg import Header

from ik_node.control.group import Group
from ik_node.control.robot import Robot

ONLY_TIP = 'tip'
"""The name of the handle of a robot with one tip: an arm without a name, a figure without tasks."""


GoalSink: TypeAlias = Callable[[str, PoseStamped | PointStamped], None]
"""Takes goals, by the names of arms or tasks."""


class Draggable(ABC):
    """The goal of an arm, or the target of a task, as a handle drags it.

    Attributes:
    - `name`: of the handle; `goal_name`: of the arm or task; `sink`: takes its goals.
    - `frame`: of poses and goals. `place`: the tree, the link of the frame and the link that is
      moved; poses of equal places are comparable.
    - `group`: the arm or the figure; `solvers`: the names of those that it can have.
    - `weights`: (6,) of the axes that can be dragged, linear first.
    - `tracks`: (3,) bool, the coordinates of the position that are those of the robot, not dragged.
    - `takes_points`: whether its goals are points, not poses.
    - `may_free_orientation`: whether goals can leave the orientation free.
    - `size`: of the group, m.
    """

    name: str
    goal_name: str
    sink: GoalSink
    frame: str
    place: tuple[Any, ...]
    group: Group
    solvers: tuple[str, ...]
    weights: np.ndarray
    tracks: np.ndarray = np.zeros(3, dtype=bool)
    takes_points: bool = False
    may_free_orientation: bool = True
    size: float

    @abstractmethod
    def last_goal(self) -> object:
        """Return what changes with every goal that others have sent; None before the first."""

    @abstractmethod
    def goal_pose(self, pose: Pose) -> Pose:
        """Return the pose of the last goal; an orientation that it leaves free is that of `pose`.

        Tracked coordinates are set by `tracked`.
        """

    @abstractmethod
    def rest_pose(self, robot: Robot) -> Pose:
        """Return the pose of a handle that neither a drag nor a goal has placed."""

    def is_in_reach(self, robot: Robot, pose: Pose) -> bool:
        """Return whether a handle may rest at a pose; elsewhere it would be lost from sight."""
        return True

    def position(self, robot: Robot) -> np.ndarray:
        """Return the present position (3,), m, whose coordinates are tracked."""
        return np.zeros(3)

    def tracked(self, robot: Robot, pose: Pose) -> Pose:
        """Return a pose with the present values of the tracked coordinates."""
        if not self.tracks.any():
            return pose
        p = pose.position
        x, y, z = np.where(self.tracks, self.position(robot), [p.x, p.y, p.z]).tolist()
        return Pose(position=Point(x=x, y=y, z=z), orientation=pose.orientation)

    def send(self, header: Header, pose: Pose, position_only: bool) -> None:
        """Send a pose, or only its position, as a goal."""
        if self.takes_points or position_only:
            self.sink(self.goal_name, PointStamped(header=header, point=pose.position))
        else:
            self.sink(self.goal_name, PoseStamped(header=header, pose=pose))

    def shown_weights(self, position_only: bool) -> np.ndarray:
        """Return the weights (6,) of the axes that have controls."""
        if not position_only:
            return self.weights
        linear = self.weights[:3] if self.weights[:3].any() else np.ones(3)
        return np.concatenate([linear, np.zeros(3)])

    def is_same_pose(self, pose: Pose, other: Pose) -> bool:
        """Return whether two poses differ by no more than RViz's single precision."""
        a, b = (np.array([p.x, p.y, p.z, o.x, o.y, o.z, o.w]) for p, o in (
            (each.position, each.orientation) for each in (pose, other)))
        compared = np.append(~self.tracks, [True] * 4)
        return bool(np.allclose(a[compared], b[compared], rtol=1e-6, atol=1e-6))
