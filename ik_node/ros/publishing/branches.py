"""All branches of goals: published with each result, on demand, or shown as markers."""

import contextlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from builtin_interfaces.msg import Time

from ik_node.control.arm import Arm
from ik_node.control.options import NodeOptions
from ik_node.control.robot import Robot
from ik_node.control.searches import CancelledError, Worker, search, turn
from ik_node.ros.publishing.log import internal_error
from ik_node.ros.publishing.markers.ghosts import BranchList
from ik_node.ros.publishing.outputs import Outputs
from ik_node.solvers.goal import Goal
from ik_node.support.exceptions import IkError

_NO_GOAL = 'there is no goal yet'


class _Listed(NamedTuple):
    """The branches of an arm's goal, as far as they are known."""

    arm: Arm
    goal: Goal
    branches: BranchList

    def is_of(self, arm: Arm, goal: Goal) -> bool:
        """Return whether these are the branches of an arm's goal."""
        return self.arm is arm and self.goal is goal


class Branches:
    """Publishes the branches that `Arm.branches` finds; an error there stops nothing else."""

    def __init__(self, options: NodeOptions, outputs: Outputs,
                 last_goal: Callable[[Arm], Goal | None], worker: Worker,
                 log: Callable[[str], None]) -> None:
        """Begin with the present options of the node.

        last_goal: of an arm, in the frame of its base. worker: runs the searches. log: called with
        a line when there is nothing to publish.
        """
        self._options, self._outputs = options, outputs
        self._last_goal, self._worker, self._log = last_goal, worker, log
        self._listed: dict[str, _Listed] = {}

    def take_up(self, options: NodeOptions) -> None:
        """Use changed options."""
        self._options = options

    def of_last(self, robot: Robot, arm: Arm) -> BranchList:
        """Return the branches of an arm's last goal; they are looked for once for each goal."""
        goal = self._last_goal(arm)
        if goal is None:
            return BranchList(np.empty((0, arm.chain.n_joints)), _NO_GOAL)
        listed = self._listed.get(arm.name)
        if listed is None or not listed.is_of(arm, goal):
            listed = _Listed(arm, goal, BranchList(np.empty((0, arm.chain.n_joints)),
                                                   'looking for branches'))
            self._listed[arm.name] = listed
            self._worker.begin(('shown branches', arm.name), self._list(robot, arm, goal))
        return self._listed.get(arm.name, listed).branches

    async def _list(self, robot: Robot, arm: Arm, goal: Goal) -> None:
        """Look for the branches to be shown, unless others are looked for by then."""
        found: _Listed | None = None
        with contextlib.suppress(CancelledError):
            await turn()
            branches, words = await self._find(robot, arm, goal)
            if branches is None:
                branches, words = np.empty((0, arm.chain.n_joints)), f'no branches shown: {words}'
                self._log(words)
            found = _Listed(arm, goal, BranchList(branches, words))
        if arm.name in self._listed and self._listed[arm.name].is_of(arm, goal):
            del self._listed[arm.name]
            if found is not None:
                self._listed[arm.name] = found

    def publish_later(self, robot: Robot, arm: Arm, goal: Goal, stamp: Time) -> None:
        """Publish the branches of a goal, once they are found; stamp: of its result."""
        self._worker.begin(('branches', arm.name), self._in_turn(robot, arm, goal, stamp))

    async def _in_turn(self, robot: Robot, arm: Arm, goal: Goal, stamp: Time) -> None:
        with contextlib.suppress(CancelledError):
            await turn()
            await self.publish(robot, arm, goal, stamp)

    async def publish(self, robot: Robot, arm: Arm, goal: Goal,
                      stamp: Time | None = None) -> tuple[bool, str]:
        """Publish the branches of a goal, the nearest to the present joint values first.

        stamp: of the result they belong to; by default now. Return whether a closed form lists
        them, and their number, or the reason why not; then nothing is published.
        """
        found, words = await self._find(robot, arm, goal)
        if found is None:
            self._log(f'no solutions published: {words}')
            return False, words
        self._outputs.solutions(arm, found, self._options.frame_prefix, stamp)
        return True, f'{words}; {arm.family}'

    async def publish_last(self, robot: Robot) -> tuple[bool, str]:
        """Publish the branches of each arm's last goal; return whether any are, and a message."""
        published, lines = False, []
        for arm in robot.arms.values():
            goal = self._last_goal(arm)
            if goal is None:
                listed, line = False, _NO_GOAL
            else:
                listed, line = await self.publish(robot, arm, goal)
            published = published or listed
            lines.append(f'{arm.name}: {line}' if arm.name else line)
        return published, '; '.join(lines)

    async def _find(self, robot: Robot, arm: Arm, goal: Goal) -> tuple[np.ndarray | None, str]:
        """Return the branches (k, n) of a goal and their number; None and the reason on failure."""
        q0 = robot.joint_configuration(arm)
        try:
            found = await search(lambda: arm.branches(goal, q0))
        except CancelledError:
            raise
        except IkError as error:
            return None, str(error)
        except Exception as error:  # a defect must not stop the node
            return None, internal_error(error, self._log)
        return found, f'{len(found)} branch{"" if len(found) == 1 else "es"} inside the limits'
