"""The handle of one task: where it is, which of its axes move, and the goals that it sends."""

import math
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from geometry_msgs.msg import Point, PointStamped, Pose, PoseStamped
from std_msgs.msg import Header

from ik_node import tasks
from ik_node.control.group import Group
from ik_node.control.options import NodeOptions
from ik_node.control.robot import Robot
from ik_node.control.task_group import GOAL
from ik_node.kinematics.reach import extent
from ik_node.model.body import BodyFrames
from ik_node.model.chain import Chain
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.publishing.markers.shapes import frame_of, shown_size
from ik_node.solvers.goal import Goal
from ik_node.tasks.base import POINT

LastGoal = Callable[[Group], Goal | None]

_ONLY_TIP = 'tip'   # the name of the handle of a robot with one tip
_MOST_SENT = 64     # poses of a drag that are kept until they become goals
_NEAR = 2.0         # of the size of a body: handles of its targets stay within
_LINEAR = np.array([1.0] * 3 + [0.0] * 3)


class Look(NamedTuple):
    """What a handle is shown with, besides its pose."""

    frame: str
    size: float  # of the group, m
    weights: tuple[float, ...]
    """(6,) along the handle's axes, linear first; axes of weight 0 have no control."""
    solvers: tuple[str, ...]  # the names to choose from
    solver: str
    position_only: bool | None  # None where there is no choice


class Handle:
    """The handle of a task, at its target.

    An orientation is at its link, and the free coordinates of a centre of mass are the present.

    Attributes:
    - `name`: of the handle; `task`: of the task; `group`: whose task it is.
    - `frame`: of poses and goals.
    - `pose`: of the handle; `placed`: whether a drag or a goal has placed it; else it rests.
    - `sent`: poses that were dragged to and have not become goals yet, the oldest first.
    - `position_only`: whether drags leave the orientation free.
    - `shown`: the look that the server has; None before.
    """

    def __init__(self, robot: Robot, group: Group, task: str, options: NodeOptions) -> None:
        self.name = _ONLY_TIP if task in ('', GOAL) else task
        self.group, self.task = group, task
        self._own: Any = group.tasks[task]
        link = group.target_links[task]
        self.frame = frame_of(link, robot, options)
        if link is None and not robot.moves_root:
            link = robot.tree.root
        # Poses of handles of equal places are comparable.
        self._place = robot.tree, link, getattr(self._own, 'place', self._own.links[:1])
        self._size = shown_size(group.size)
        tip = group.tips.get(task)
        # Goals of a tip change the weights of its task.
        self._weights = self._own.target_weights if tip is None else tip.weights
        self.may_free_orientation = tip is not None
        # (3,) the coordinates of the position that are those of the robot, not dragged
        self._tracks = (self._weights[:3] == 0.0) & isinstance(
            self._own, tasks.Orientation | tasks.CenterOfMass)
        self.pose, self.placed, self.position_only = self.rest_pose(robot), False, False
        self.sent: deque[Pose] = deque(maxlen=_MOST_SENT)
        self.shown: Look | None = None
        self._seen = self._version()

    def replace(self, previous: 'Handle') -> None:
        """Take over from the handle of the same name what is still valid."""
        self.position_only = previous.position_only and self.may_free_orientation
        self.shown, self.sent = previous.shown, previous.sent
        if previous._place == self._place:
            if previous.placed:
                self.pose, self.placed = previous.pose, True
            if type(previous) is type(self):
                self._seen = previous._seen

    @property
    def look(self) -> Look:
        """What it is to be shown with."""
        weights = self._weights
        if self.position_only:
            weights = _LINEAR * weights if weights[:3].any() else _LINEAR
        return Look(self.frame, self._size, tuple(weights.tolist()), self.group.solvers,
                    self.group.solver.name,
                    self.position_only if self.may_free_orientation else None)

    def follow(self, robot: Robot) -> None:
        """Move to a target from another source, or with the robot."""
        version, seen = self._version(), self._seen
        # A goal that is sent again is another one, even with the same numbers.
        if version is not None and (version != seen if isinstance(version, bytes)
                                    else version is not seen):
            self._seen, pose = version, self._target_pose()
            if not self._was_sent(pose):
                self.sent.clear()
                self.placed = self.is_in_reach(robot, pose)
                if self.placed:
                    self.pose = pose
        self.pose = self._tracked(robot, self.pose) if self.placed else self.rest_pose(robot)

    def rest(self) -> None:
        """Rest from now on: the group has left its last goal."""
        self._seen, self.placed = self._version(), False
        self.sent.clear()

    def goal(self, header: Header, pose: Pose) -> PoseStamped | PointStamped:
        """Return the goal that a drag to a pose is."""
        if self.position_only or self._own.target_kind == POINT:
            return PointStamped(header=header, point=pose.position)
        return PoseStamped(header=header, pose=pose)

    def rest_pose(self, robot: Robot) -> Pose:
        """Return the pose of a handle that nothing has placed."""
        return self._tracked(robot, self._target_pose())

    def is_in_reach(self, robot: Robot, pose: Pose) -> bool:
        """Return whether it may rest at a pose; elsewhere it would be lost from sight.

        Nothing limits the distance of a point to look at, and of a relative pose.
        """
        if isinstance(self._own, tasks.LookAt | tasks.RelativePose):
            return True
        p, (centre, distance) = pose.position, self._reach(robot)
        return math.dist((p.x, p.y, p.z), centre) <= distance

    def _reach(self, robot: Robot) -> tuple[Any, float]:
        """Return the ball in which the handle may rest: its centre (3,) and its radius, m."""
        return self._position(robot), _NEAR * self._size

    def is_same_pose(self, pose: Pose, other: Pose) -> bool:
        """Return whether two poses differ by no more than RViz's single precision."""
        a, b = (np.array([p.x, p.y, p.z, o.x, o.y, o.z, o.w]) for p, o in (
            (each.position, each.orientation) for each in (pose, other)))
        compared = np.append(~self._tracks, [True] * 4)
        return bool(np.allclose(a[compared], b[compared], rtol=1e-6, atol=1e-6))

    def _target(self) -> Any:
        return self._own.target

    def _version(self) -> Any:
        """Return what changes with every target that others have set."""
        target = self._target()
        return target.tobytes() if isinstance(target, np.ndarray) else target

    def _target_pose(self) -> Pose:
        target, T = self._target(), np.eye(4)
        if target.ndim == 1:
            T[:3, 3] = target
        else:
            T[:len(target), :len(target)] = target
        return matrix_to_pose(T)

    def _was_sent(self, pose: Pose) -> bool:
        """Return whether a target is from a drag of the handle; older drags are then forgotten."""
        for count, sent in enumerate(self.sent):
            if self.is_same_pose(pose, sent):
                for _ in range(count):
                    self.sent.popleft()
                return True
        return False

    def _tracked(self, robot: Robot, pose: Pose) -> Pose:
        """Return a pose with the present values of the tracked coordinates."""
        if not self._tracks.any():
            return pose
        p = pose.position
        x, y, z = np.where(self._tracks, self._position(robot), [p.x, p.y, p.z]).tolist()
        return Pose(position=Point(x=x, y=y, z=z), orientation=pose.orientation)

    def _position(self, robot: Robot) -> np.ndarray:
        """Return the present position (3,), m, of the link of a body, or its centre of mass."""
        body: Any = self.group.space
        frames = BodyFrames(body, robot.joint_configuration(self.group))
        if isinstance(self._own, tasks.CenterOfMass):
            return frames.center_of_mass()[0]
        return frames.position(self._own.link)


class TipHandle(Handle):
    """The handle of an arm: at its last goal, or where the tip is."""

    def __init__(self, robot: Robot, group: Group, chain: Chain, task: str, options: NodeOptions,
                 last_goal: LastGoal) -> None:
        """Make a handle at rest. last_goal: returns that of a chain, in the frame of its base."""
        self._chain, self._last_goal = chain, last_goal
        super().__init__(robot, group, task, options)

    def rest_pose(self, robot: Robot) -> Pose:
        return matrix_to_pose(self._chain.forward(robot.joint_configuration(self.group)))

    def _reach(self, robot: Robot) -> tuple[Any, float]:
        return extent(self._chain.arrays)[:2]

    def _target(self) -> Any:
        return self._last_goal(self.group)

    def _target_pose(self) -> Pose:
        goal = self._target()
        pose = matrix_to_pose(goal.pose)
        if goal.orientation is None:
            pose.orientation = self.pose.orientation
        return pose
