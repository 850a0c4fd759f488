"""Every branch of a goal: with its answer, or of the last goals when asked."""

import traceback
from collections.abc import Callable

from builtin_interfaces.msg import Time

from ik_node.exceptions import IkError
from ik_node.model.chain import Chain
from ik_node.ros.configuration import Configuration
from ik_node.ros.outputs import Outputs
from ik_node.ros.robot import Arm, Robot
from ik_node.solvers.goal import Goal


class Branches:
    """Publishes what `Arm.branches` finds; whatever is wrong with that stops nothing else."""

    def __init__(self, configuration: Configuration, outputs: Outputs,
                 tell: Callable[[str], None]) -> None:
        """Remember no goal yet. tell: where a line goes when there is nothing to publish."""
        self._configuration, self._outputs, self._tell = configuration, outputs, tell
        self._last: dict[str, tuple[Chain, Goal]] = {}

    def keep(self, arm: Arm, goal: Goal) -> None:
        """Remember the last goal of an arm, in the frame of its base."""
        self._last[arm.name] = arm.chain, goal

    def publish(self, robot: Robot, arm: Arm, goal: Goal,
                stamp: Time | None = None) -> tuple[bool, str]:
        """Publish the branches of a goal, the nearest to where the arm stands first.

        stamp: of the answer they go with; by default now. Return whether there is a closed form to
        list them by, and how many there are, or why it is not known; then nothing is published.
        """
        try:
            found = arm.branches(goal, robot.posture(arm))
            self._outputs.solutions(arm, found, self._configuration.options.frame_prefix, stamp)
        except IkError as error:
            trouble = str(error)
        except Exception:  # a defect of ours must not take the robot's node down
            trouble = f'internal error:\n{traceback.format_exc()}'
        else:
            count = f'{len(found)} branch{"" if len(found) == 1 else "es"}'
            return True, f'{count} inside the limits; {arm.family}'
        self._tell(f'no solutions published: {trouble}')
        return False, trouble

    def publish_last(self, robot: Robot) -> tuple[bool, str]:
        """Publish the branches of each arm's last goal; return whether any were, and what of each.

        A goal of another robot, or for another tip, is none.
        """
        published, lines = False, []
        for arm in robot.arms.values():
            chain, goal = self._last.get(arm.name, (None, None))
            if goal is None or chain is None or not _same(chain, arm.chain):
                listed, line = False, 'there is no goal yet'
            else:
                listed, line = self.publish(robot, arm, goal)
            published = published or listed
            lines.append(f'{arm.name}: {line}' if arm.name else line)
        return published, '; '.join(lines)


def _same(chain: Chain, other: Chain) -> bool:
    return chain.tree is other.tree and chain.links == other.links
