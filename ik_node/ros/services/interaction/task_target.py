"""The target of a task, as a handle drags it."""

import math
from typing import Any

import numpy as np
from geometry_msgs.msg import Pose

from ik_node import tasks
from ik_node.control.options import BODY_SOLVERS, NodeOptions
from ik_node.control.robot import Robot
from ik_node.control.task_group import GOAL
from ik_node.control.task_options import takes_point, takes_pose
from ik_node.model.body import BodyFrames
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.publishing.markers.arm_markers import shown_size
from ik_node.ros.services.interaction.draggable import ONLY_TIP, Draggable, GoalSink

_NEAR = 2.0  # of the figure's size: handles of pose targets stay within
_LINEAR = np.array([1.0] * 3 + [0.0] * 3)


class PresentFrames:
    """The frames of a figure at the present joint values, computed again where these change."""

    def __init__(self, figure: Any) -> None:
        """Begin without frames."""
        self._figure = figure
        self._frames: BodyFrames | None = None

    def at(self, robot: Robot) -> BodyFrames:
        """Return the frames of the links in the world."""
        q = robot.joint_configuration(self._figure)
        if self._frames is None:
            self._frames = BodyFrames(self._figure.body, q)
        elif not np.array_equal(q, self._frames.q):
            self._frames.update(q)
        return self._frames


class TaskTarget(Draggable):
    """The target of a task, in the world frame of the tasks, or in that of its reference.

    An orientation is at its link, and the free coordinates of a centre of mass are the present.
    """

    def __init__(self, figure: Any, name: str, frame: str, place: tuple[Any, ...],
                 sink: GoalSink, frames: PresentFrames) -> None:
        """Take a task of a figure by name. frame, place: see `Draggable`."""
        self._task: Any = figure.tasks[name]
        tip = figure.tips.get(name)
        self.name, self.goal_name, self.sink = ONLY_TIP if name == GOAL else name, name, sink
        self.frame, self.place = frame, place
        self.group, self.solvers = figure, BODY_SOLVERS
        self.size = shown_size(figure.size)
        self.takes_points, self.may_free_orientation = takes_point(self._task), tip is not None
        # Goals of a tip change the weights of its task.
        self.weights = _weights(self._task) if tip is None else tip.weights
        if isinstance(self._task, tasks.Orientation | tasks.CenterOfMass):
            self.tracks = self.weights[:3] == 0.0
        self._frames = frames

    def last_goal(self) -> bytes:
        """Return the numbers of the target; a goal that is not met leaves them unchanged."""
        numbers: bytes = self._task.target.tobytes()
        return numbers

    def goal_pose(self, pose: Pose) -> Pose:
        """Return the pose of the target, whose tracked coordinates are not set."""
        target = self._task.target
        if target.shape == (4, 4):
            return matrix_to_pose(target)
        T = np.eye(4)
        if target.shape == (3, 3):
            T[:3, :3] = target
        else:
            T[:3, 3] = target
        return matrix_to_pose(T)

    def rest_pose(self, robot: Robot) -> Pose:
        """Return the pose of the target."""
        return self.tracked(robot, self.goal_pose(Pose()))

    def position(self, robot: Robot) -> np.ndarray:
        """Return the present position (3,), m, of the link or the centre of mass."""
        frames = self._frames.at(robot)
        if isinstance(self._task, tasks.CenterOfMass):
            return frames.center_of_mass()[0]
        return frames.position(self._task.link)

    def is_in_reach(self, robot: Robot, pose: Pose) -> bool:
        """Return whether a pose is near the link: within twice the size of the figure.

        Nothing limits the distance of a point to look at.
        """
        if isinstance(self._task, tasks.LookAt | tasks.RelativePose):
            return True
        p = pose.position
        return math.dist((p.x, p.y, p.z), self.position(robot)) <= _NEAR * self.size


def task_targets(robot: Robot, options: NodeOptions, sink: GoalSink) -> list[TaskTarget]:
    """Return the targets of a robot's tasks that goals can move."""
    figure = next((group for group in robot.groups.values() if group.chain is None), None)
    if figure is None:
        return []
    frames, root = PresentFrames(figure), robot.tree.root
    made = []
    for name, task in figure.tasks.items():
        if not (takes_pose(task) or takes_point(task)):
            continue
        link: str | None = root
        if isinstance(task, tasks.RelativePose):
            link = task.reference
        elif robot.moves_root:
            link = None
        frame = options.world if link is None else options.frame_prefix + link
        made.append(TaskTarget(figure, name, frame, (robot.tree, link, *task.links[:1]), sink,
                               frames))
    return made


def _weights(task: Any) -> np.ndarray:
    """Return the weights (6,) of the axes along and about which a target can move."""
    if isinstance(task, tasks.Pose):
        return task.weights
    if isinstance(task, tasks.Orientation):
        return 1.0 - _LINEAR
    if isinstance(task, tasks.CenterOfMass):
        return np.where(np.append(np.isnan(task.target), [True] * 3), 0.0, 1.0)
    return _LINEAR if takes_point(task) else np.ones(6)
