"""Motion of the node's arms: started by goals, sampled at the publish rate, stopped when asked."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from rclpy.lifecycle import LifecycleNode

from ik_node.model.chain import Chain
from ik_node.motion.braking import brake
from ik_node.motion.joint_motion import joint_motion, stopping
from ik_node.motion.trajectory import Rest, Trajectory, left_of
from ik_node.motion.waypoints import joint_motion_through
from ik_node.ros.configuration import Configuration
from ik_node.ros.motion_clock import MotionClock
from ik_node.ros.options import CARTESIAN, JOINT, JUMP
from ik_node.ros.robot import Arm, Robot
from ik_node.ros.trajectory_topics import TrajectoryTopics
from ik_node.solvers.goal import Goal
from ik_node.solvers.result import Result


class Aim(NamedTuple):
    """A goal, and what the solver found for it."""

    goal: Goal
    result: Result


class _Running(NamedTuple):
    """A motion that has begun at a time of the motion clock, s."""

    motion: Trajectory
    began: float
    chain: Chain


class Motions:
    """What moves, by the name of its arm; where the parameter motion is jump, nothing ever does."""

    def __init__(self, node: LifecycleNode, configuration: Configuration) -> None:
        """Move nothing yet."""
        self._configuration = configuration
        self._clock = MotionClock(node)
        self._topics = TrajectoryTopics(node)
        self._running: dict[str, _Running] = {}
        self._at = 0.0  # when the robot was last brought to where its motions are

    def destroy(self) -> None:
        """Take the publishers down."""
        self._topics.destroy()

    def take_up(self, robot: Robot) -> None:
        """Go on with the robot there is now: its motions, where the arms are still the same."""
        robot.tells_velocities = self._mode != JUMP
        self._topics.keep(tuple(robot.arms.values()))
        for name, running in list(self._running.items()):
            arm = robot.arms.get(name)
            if arm is None or not _same(arm.chain, running.chain):
                del self._running[name]
        self.advance(robot)

    def moves(self, arm: Arm) -> bool:
        """Tell whether an arm is on its way."""
        return arm.name in self._running

    def time_left(self, arm: Arm) -> float:
        """Return how long an arm that moves will go on, s."""
        running = self._running[arm.name]
        return max(running.motion.duration - (self._at - running.began), 0.0)

    def advance(self, robot: Robot) -> None:
        """Bring the robot to where its motions are now."""
        self._at = now = self._clock.now()
        for name, (motion, began, _) in list(self._running.items()):
            state = motion.at(now - began)
            robot.move(robot.arms[name], state.position, state.velocity)
            if now - began >= motion.duration:
                del self._running[name]

    def go(self, robot: Robot, arm: Arm, aims: Sequence[Aim]) -> tuple[float | None, Result]:
        """Set out for goals, through all in order, to rest at the last; blend with what moves.

        Returns how long it takes, s, None where joints jump, and the result that holds at the end.
        Raises IkError where there is no such motion; what moves then goes on as it did.
        """
        last = aims[-1]
        if self._mode == JUMP:
            self._running.pop(arm.name, None)
            robot.move(arm, last.result.q)
            return None, last.result
        present = self._present(robot, arm)
        result = last.result
        if self._mode == CARTESIAN and arm.follower is not None:
            # What could not be met is replaced by the closest pose, which can.
            goals = [aim.goal if aim.result.success else
                     aim.goal.moved_to(arm.chain.forward(aim.result.q)) for aim in aims]
            from ik_node.motion.cartesian_motion import cartesian_motion  # late: see Arm
            motion = cartesian_motion(arm.follower, arm.limits, present, goals)
            if result.success:
                result = arm.solver.solve(last.goal, motion.end)
        elif len(aims) == 1:
            motion = joint_motion(arm.chain, arm.limits, present, result.q)
        else:
            motion = joint_motion_through(arm.chain, arm.limits, present,
                                          np.array([aim.result.q for aim in aims]))
        self._begin(arm, motion)
        self.advance(robot)
        return motion.duration, result

    def go_to_start(self, robot: Robot) -> float:
        """Set out for the start pose, in joint space; return how long it takes, s."""
        longest = 0.0
        for arm in robot.arms.values():
            present = self._present(robot, arm)
            if self._mode == JOINT:
                motion = joint_motion(arm.chain, arm.limits, present, arm.start)
            else:
                from ik_node.motion.cartesian_motion import straight_motion  # late: see Arm
                motion = straight_motion(arm.limits, present, arm.start)
            self._begin(arm, motion)
            longest = max(longest, motion.duration)
        return longest

    def halt(self, robot: Robot, arm: Arm) -> float:
        """Brake on the way; return how long it takes, s."""
        present = self._present(robot, arm)
        motion = present
        if present.duration:
            motion = (stopping if self._mode == JOINT else brake)(present, arm.limits)
        self._begin(arm, motion)
        return motion.duration

    def freeze(self, robot: Robot) -> None:
        """Stand at once where everything is."""
        self.advance(robot)
        moved, self._running = list(self._running), {}
        for name in moved:
            arm = robot.arms[name]
            q = robot.posture(arm)
            robot.move(arm, q)
            self._topics.hold(arm, q, self._period)

    @property
    def _mode(self) -> str:
        return self._configuration.options.motion

    @property
    def _period(self) -> float:
        return 1.0 / (self._configuration.options.publish_rate or 1.0)

    def _present(self, robot: Robot, arm: Arm) -> Trajectory:
        """Return what an arm does from now on."""
        self.advance(robot)
        running = self._running.get(arm.name)
        if running is None:
            return Rest(robot.posture(arm))
        return left_of(running.motion, self._at - running.began)

    def _begin(self, arm: Arm, motion: Trajectory) -> None:
        """Let a motion begin at the time for which `_present` was asked, however long it took."""
        self._running[arm.name] = _Running(motion, self._at, arm.chain)
        self._topics.publish(arm, left_of(motion, self._clock.now() - self._at), self._period)


def _same(chain: Chain, other: Chain) -> bool:
    """Tell whether what was planned for one chain can be gone on with on another."""
    return (chain.joint_names == other.joint_names and np.array_equal(chain.lower, other.lower)
            and np.array_equal(chain.upper, other.upper))
