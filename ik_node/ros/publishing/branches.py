"""All branches of goals: published with each result, on demand, or shown as markers."""

from collections.abc import Callable

import numpy as np
from builtin_interfaces.msg import Time

from ik_node.control.arm import Arm
from ik_node.control.options import NodeOptions
from ik_node.control.robot import Robot
from ik_node.exceptions import IkError
from ik_node.ros.publishing.log import internal_error
from ik_node.ros.publishing.markers.ghosts import BranchList
from ik_node.ros.publishing.outputs import Outputs
from ik_node.solvers.goal import Goal

_NO_GOAL = 'there is no goal yet'


class Branches:
    """Publishes the branches that `Arm.branches` finds; an error there stops nothing else."""

    def __init__(self, options: NodeOptions, outputs: Outputs,
                 last_goal: Callable[[Arm], Goal | None], log: Callable[[str], None]) -> None:
        """Begin with the present options of the node.

        last_goal: of an arm, in the frame of its base. log: called with a line when there is
        nothing to publish.
        """
        self._options, self._outputs = options, outputs
        self._last_goal, self._log = last_goal, log
        self._listed: dict[str, tuple[Arm, Goal, BranchList]] = {}

    def take_up(self, options: NodeOptions) -> None:
        """Use changed options."""
        self._options = options

    def of_last(self, robot: Robot, arm: Arm) -> BranchList:
        """Return the branches of an arm's last goal; they are computed once for each goal."""
        goal = self._last_goal(arm)
        if goal is None:
            return BranchList(np.empty((0, arm.chain.n_joints)), _NO_GOAL)
        cached = self._listed.get(arm.name)
        if cached is not None and cached[0] is arm and cached[1] is goal:
            return cached[2]
        branches, words = self._find(robot, arm, goal)
        if branches is None:
            branches, words = np.empty((0, arm.chain.n_joints)), f'no branches shown: {words}'
            self._log(words)
        self._listed[arm.name] = arm, goal, BranchList(branches, words)
        return self._listed[arm.name][2]

    def publish(self, robot: Robot, arm: Arm, goal: Goal,
                stamp: Time | None = None) -> tuple[bool, str]:
        """Publish the branches of a goal, the nearest to the present joint values first.

        stamp: of the result they belong to; by default now. Return whether a closed form lists
        them, and their number, or the reason why not; then nothing is published.
        """
        found, words = self._find(robot, arm, goal)
        if found is None:
            self._log(f'no solutions published: {words}')
            return False, words
        self._outputs.solutions(arm, found, self._options.frame_prefix, stamp)
        return True, f'{words}; {arm.family}'

    def publish_last(self, robot: Robot) -> tuple[bool, str]:
        """Publish the branches of each arm's last goal; return whether any are, and a message."""
        published, lines = False, []
        for arm in robot.arms.values():
            goal = self._last_goal(arm)
            if goal is None:
                listed, line = False, _NO_GOAL
            else:
                listed, line = self.publish(robot, arm, goal)
            published = published or listed
            lines.append(f'{arm.name}: {line}' if arm.name else line)
        return published, '; '.join(lines)

    def _find(self, robot: Robot, arm: Arm, goal: Goal) -> tuple[np.ndarray | None, str]:
        """Return the branches (k, n) of a goal and their number; None and the reason on failure."""
        try:
            found = arm.branches(goal, robot.joint_configuration(arm))
        except IkError as error:
            return None, str(error)
        except Exception as error:  # a defect must not stop the node
            return None, internal_error(error, self._log)
        return found, f'{len(found)} branch{"" if len(found) == 1 else "es"} inside the limits'
