"""Every branch of a goal: with its answer, or of the last goals when asked or looked at."""

import traceback
from collections.abc import Callable

import numpy as np
from builtin_interfaces.msg import Time

from ik_node.exceptions import IkError
from ik_node.model.chain import Chain
from ik_node.ros.configuration import Configuration
from ik_node.ros.markers.ghosts import Found
from ik_node.ros.outputs import Outputs
from ik_node.ros.robot import Arm, Robot, same_chain
from ik_node.solvers.goal import Goal

_NO_GOAL = 'there is no goal yet'


class Branches:
    """Publishes what `Arm.branches` finds; whatever is wrong with that stops nothing else."""

    def __init__(self, configuration: Configuration, outputs: Outputs,
                 tell: Callable[[str], None]) -> None:
        """Remember no goal yet. tell: where a line goes when there is nothing to publish."""
        self._configuration, self._outputs, self._tell = configuration, outputs, tell
        self._last: dict[str, tuple[Chain, Goal]] = {}
        self._seen: dict[str, tuple[Arm, Goal, Found]] = {}

    def keep(self, arm: Arm, goal: Goal) -> None:
        """Remember the last goal of an arm, in the frame of its base."""
        self._last[arm.name] = arm.chain, goal

    def last_goal(self, arm: Arm) -> Goal | None:
        """Return the last goal of an arm; one of another robot, or for another tip, is none."""
        chain, goal = self._last.get(arm.name, (None, None))
        return goal if chain is not None and same_chain(chain, arm.chain) else None

    def of_last(self, robot: Robot, arm: Arm) -> Found:
        """Return the branches of an arm's last goal; they are looked for once for each goal."""
        goal = self.last_goal(arm)
        if goal is None:
            return Found(np.empty((0, arm.chain.n_joints)), _NO_GOAL)
        known = self._seen.get(arm.name)
        if known is not None and known[0] is arm and known[1] is goal:
            return known[2]
        branches, words = _find(robot, arm, goal)
        if branches is None:
            branches, words = np.empty((0, arm.chain.n_joints)), f'no branches shown: {words}'
            self._tell(words)
        self._seen[arm.name] = arm, goal, Found(branches, words)
        return self._seen[arm.name][2]

    def publish(self, robot: Robot, arm: Arm, goal: Goal,
                stamp: Time | None = None) -> tuple[bool, str]:
        """Publish the branches of a goal, the nearest to where the arm stands first.

        stamp: of the answer they go with; by default now. Return whether there is a closed form to
        list them by, and how many there are, or why it is not known; then nothing is published.
        """
        found, words = _find(robot, arm, goal)
        if found is None:
            self._tell(f'no solutions published: {words}')
            return False, words
        self._outputs.solutions(arm, found, self._configuration.options.frame_prefix, stamp)
        return True, f'{words}; {arm.family}'

    def publish_last(self, robot: Robot) -> tuple[bool, str]:
        """Publish the branches of each arm's last goal; return whether any are, and what of it."""
        published, lines = False, []
        for arm in robot.arms.values():
            goal = self.last_goal(arm)
            if goal is None:
                listed, line = False, _NO_GOAL
            else:
                listed, line = self.publish(robot, arm, goal)
            published = published or listed
            lines.append(f'{arm.name}: {line}' if arm.name else line)
        return published, '; '.join(lines)


def _find(robot: Robot, arm: Arm, goal: Goal) -> tuple[np.ndarray | None, str]:
    """Return the branches (k, n) of a goal, and how many; None, and why, where none are known."""
    try:
        found = arm.branches(goal, robot.posture(arm))
    except IkError as error:
        return None, str(error)
    except Exception:  # a defect of ours must not take the robot's node down
        return None, f'internal error:\n{traceback.format_exc()}'
    return found, f'{len(found)} branch{"" if len(found) == 1 else "es"} inside the limits'
