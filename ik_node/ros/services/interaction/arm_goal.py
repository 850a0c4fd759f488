"""The goal of an arm, as a handle drags it: at the last goal, or at the tip."""

import math
from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import Pose

from ik_node.control.group import Group
from ik_node.control.robot import Robot
from ik_node.kinematics.reach import reach
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.publishing.markers.arm_markers import shown_size
from ik_node.ros.services.interaction.draggable import ONLY_TIP, Draggable, GoalSink
from ik_node.solvers.goal import Goal
from ik_node.solvers.registry import solver_names

LastGoal = Callable[[Group], Goal | None]


class ArmGoal(Draggable):
    """The goal of an arm, in the frame of its base."""

    def __init__(self, arm: Any, frame_prefix: str, sink: GoalSink, last_goal: LastGoal) -> None:
        """Take an arm. last_goal: returns that of an arm, in the frame of its base."""
        chain = arm.chain
        self.name, self.goal_name, self.sink = arm.name or ONLY_TIP, arm.name, sink
        self.frame = frame_prefix + chain.base_link
        self.place = chain.tree, chain.base_link, chain.tip_link
        self.group, self.solvers = arm, solver_names()
        self.weights, self.size = arm.tips[arm.name].weights, shown_size(arm.size)
        self._arm, self._last_goal = arm, last_goal
        self._centre, self._reach = reach(chain.arrays)

    def last_goal(self) -> Goal | None:
        """Return the last goal; None without one."""
        return self._last_goal(self._arm)

    def goal_pose(self, pose: Pose) -> Pose:
        """Return the pose of the last goal; without an orientation it has that of a pose."""
        goal = self.last_goal()
        if goal is None:
            return pose
        found = matrix_to_pose(goal.pose)
        if goal.orientation is None:
            found.orientation = pose.orientation
        return found

    def rest_pose(self, robot: Robot) -> Pose:
        """Return the pose of the tip."""
        return matrix_to_pose(self._arm.chain.forward(robot.joint_configuration(self._arm)))

    def is_in_reach(self, robot: Robot, pose: Pose) -> bool:
        """Return whether the tip could get to the position of a pose."""
        p = pose.position
        return math.dist((p.x, p.y, p.z), self._centre) <= self._reach


def arm_goals(robot: Robot, frame_prefix: str, sink: GoalSink,
              last_goal: LastGoal) -> list[ArmGoal]:
    """Return the goals of all arms of a robot."""
    return [ArmGoal(arm, frame_prefix, sink, last_goal) for arm in robot.groups.values()
            if arm.chain is not None]
