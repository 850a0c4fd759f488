"""All branches of goals: published with each result, on demand, or shown as markers."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from builtin_interfaces.msg import Time

from ik_node.control.group import Group
from ik_node.control.robot import Robot
from ik_node.control.worker import START, CancelledError, Job, Worker
from ik_node.ros.configuration import Configuration
from ik_node.ros.log import reason_of
from ik_node.ros.publishing.markers.chain_markers import BranchList
from ik_node.ros.publishing.outputs import Outputs
from ik_node.solvers.goal import Goal

_NO_GOAL = 'there is no goal yet'


class _Listed(NamedTuple):
    """The branches of a group's goal, as far as they are known."""

    group: Group
    goal: Goal
    branches: BranchList


class Branches:
    """Publishes the branches that `Group.branches` finds; an error there stops nothing else."""

    def __init__(self, configuration: Configuration, outputs: Outputs,
                 last_goal: Callable[[Group], Goal | None], worker: Worker,
                 log: Callable[[str], None]) -> None:
        """Begin without branches.

        last_goal: of a group, in the frame of its base. log: called with the reason for none.
        """
        self._configuration, self._outputs = configuration, outputs
        self._last_goal, self._worker, self._log = last_goal, worker, log
        self._listed: dict[str, _Listed] = {}

    def of_last(self, robot: Robot, group: Group) -> BranchList:
        """Return the branches of a group's last goal; they are looked for once for each goal."""
        goal = self._last_goal(group)
        none = np.empty((0, group.space.n_joints))
        if goal is None:
            return BranchList(none, _NO_GOAL)
        listed = self._listed.get(group.name)
        if listed is None or listed.group is not group or listed.goal is not goal:
            listed = _Listed(group, goal, BranchList(none, 'looking for branches'))
            self._listed[group.name] = listed
            self._worker.begin(('shown branches', group.name), self._list(robot, listed))
        return self._listed.get(group.name, listed).branches

    def _list(self, robot: Robot, listed: _Listed) -> Job[None]:
        """Look for the branches to be shown, unless others are looked for by then."""
        group = listed.group
        try:
            yield START
            found = yield from self._find(robot, group, listed.goal)
        except CancelledError:
            if self._listed.get(group.name) is listed:
                del self._listed[group.name]
            raise
        branches, text = found
        if branches is None:
            branches, text = listed.branches.branches, f'no branches shown: {text}'
            self._log(text)
        if self._listed.get(group.name) is listed:
            self._listed[group.name] = listed._replace(branches=BranchList(branches, text))

    def publish_later(self, robot: Robot, group: Group, goal: Goal, stamp: Time) -> None:
        """Publish the branches of a goal, once they are found; stamp: of its result."""
        def publish() -> Job[None]:
            yield START
            yield from self.publish(robot, group, goal, stamp)
        self._worker.begin(('branches', group.name), publish())

    def publish(self, robot: Robot, group: Group, goal: Goal,
                stamp: Time | None = None) -> Job[tuple[bool, str]]:
        """Publish the branches of a goal, the nearest to the present joint values first.

        stamp: of their result; by default now. Return whether a closed form lists them, and their
        number, or the reason why not; then nothing is published.
        """
        found, text = yield from self._find(robot, group, goal)
        if found is None:
            self._log(f'no solutions published: {text}')
            return False, text
        self._outputs.solutions(group, found, self._configuration.options.frame_prefix, stamp)
        return True, f'{text}; {group.family}'.removesuffix('; ')

    def publish_last(self, robot: Robot) -> Job[tuple[bool, str]]:
        """Publish the branches of each group's last goal; return whether any are, and a message."""
        published, lines = False, []
        for group in robot.groups.values():
            if group is robot.side:
                continue
            goal = self._last_goal(group)
            if goal is None:
                listed, line = False, _NO_GOAL
            else:
                listed, line = yield from self.publish(robot, group, goal)
            published = published or listed
            lines.append(f'{group.name}: {line}' if group.name else line)
        return published, '; '.join(lines)

    def _find(self, robot: Robot, group: Group, goal: Goal) -> Job[tuple[np.ndarray | None, str]]:
        """Return the branches (k, n) of a goal and their number; None and the reason on failure."""
        q0 = robot.joint_configuration(group)
        try:
            found = yield lambda: group.branches(goal, q0)
        except Exception as error:  # a defect must not stop the node
            return None, reason_of(error, self._log)
        return found, f'{len(found)} branch{"" if len(found) == 1 else "es"} inside the limits'
