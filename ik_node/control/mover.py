"""What every controller does: moves the joints of a group, by jumps or by motions."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from ik_node.control.group import Group
from ik_node.control.options import JOINT, JUMP
from ik_node.control.robot import Robot
from ik_node.model.joint_space import JointSpace
from ik_node.motion.braking import brake
from ik_node.motion.joint_motion import joint_motion, stopping
from ik_node.motion.trajectory import Rest, Trajectory, left_of


class MotionSink(Protocol):
    """Receives the motions of a group, for controllers of a real robot."""

    def publish(self, group: Group, motion: Trajectory) -> None:
        """Receive a motion, from now on."""

    def hold(self, group: Group, q: np.ndarray) -> None:
        """Receive the configuration q (n,), rad or m, in which a group stops at once."""


class JointOutcome(NamedTuple):
    """The outcome of joint values that were set as a goal."""

    arm: str
    """The name of the arm; '' for the only one, and for a figure."""
    duration: float | None
    """Of the motion, s; None where joints jump."""


class Mover(ABC):
    """Moves the joints of a group; times are those of a clock of motions, s.

    Attributes:
    - `accept_closest`: whether the closest configuration stands in for a goal that is not met.
    - `has_moved`: whether a goal has moved the group.
    - `motion`: the current one; None at rest.
    """

    def __init__(self, clock: Callable[[], float], sink: MotionSink) -> None:
        """Begin at rest. clock: returns the time of motions, s."""
        self.accept_closest = self.has_moved = False
        self._clock, self._sink = clock, sink
        self.motion: Trajectory | None = None
        self._began = self._at = 0.0  # of the motion, and the time of the joint values

    @property
    @abstractmethod
    def group(self) -> Group:
        """What is moved."""

    @abstractmethod
    def begin_at_present(self, robot: Robot) -> None:
        """Begin from the present joint values of a robot, if no goal has moved the group yet."""

    @abstractmethod
    def drop_waypoints(self) -> None:
        """Drop the rest of the path; a motion continues."""

    def go_to_start(self, robot: Robot) -> float:
        """Begin a motion to the start pose, in joint space; return its duration, s."""
        return self._move_to(robot, self.group.start) or 0.0

    def go_to(self, robot: Robot, q: np.ndarray) -> float | None:
        """Move to q (n,), rad or m, in joint space; the current path ends.

        Joints with the period of a whole turn go to this value, not to an equivalent one. Return
        the duration of the motion, s, None for a jump. Raises InputError for q outside the limits.
        """
        duration = self._move_to(robot, q, to_nearest_turn=False)
        self.drop_waypoints()
        self.has_moved = True
        return duration

    def halt(self, robot: Robot) -> float:
        """Brake on the current path; return the duration, s."""
        motion = present = self._present(robot)
        if present.duration:
            motion = (stopping if self.group.motion == JOINT else brake)(
                present, self.group.limits)
        self._begin(motion)
        return motion.duration

    def freeze(self, robot: Robot) -> None:
        """Stop the motion at once."""
        if self.motion is not None:
            self.motion = None
            q = robot.joint_configuration(self.group)
            robot.move(self.group, q)
            self._sink.hold(self.group, q)

    def advance(self, robot: Robot, now: float) -> None:
        """Set the joint values to those of the motion at a time, s."""
        self._at = now
        if self.motion is not None:
            state = self.motion.at(now - self._began)
            robot.move(self.group, state.position, state.velocity)
            if now - self._began >= self.motion.duration:
                self.motion = None

    def _stop_for(self, robot: Robot, space: JointSpace) -> None:
        """Stop the motion at its present values where it is not valid for other joints."""
        if self.motion is not None and not _same_joints(space, self.group.space):
            state = self.motion.at(self._clock() - self._began)
            robot.place(dict(zip(self.group.space.joint_names, state.position.tolist())))
            self.motion = None

    def _move_to(self, robot: Robot, q: np.ndarray, to_nearest_turn: bool = True) -> float | None:
        """Move to q (n,) in joint space; return the duration, s, None for a jump.

        to_nearest_turn: see `joint_motion`.
        """
        group = self.group
        if group.motion == JUMP:
            self.motion = None
            robot.move(group, q)
            return None
        present = self._present(robot)
        if group.motion == JOINT:
            motion = joint_motion(group.space, group.limits, present, q, to_nearest_turn)
        else:
            from ik_node.motion.cartesian_motion import straight_motion  # late: see Arm
            motion = straight_motion(group.limits, present, q)
        self._begin(motion)
        self.advance(robot, self._clock())
        return motion.duration

    def _present(self, robot: Robot) -> Trajectory:
        """Return the rest of the motion from now on."""
        self.advance(robot, self._clock())
        if self.motion is None:
            return Rest(robot.joint_configuration(self.group))
        return left_of(self.motion, self._at - self._began)

    def _begin(self, motion: Trajectory) -> None:
        """Begin a motion: from rest, now; else at the time of the last call of `_present`.

        However long planning took, a moving group has moved on by then, and one at rest has not.
        """
        if self.motion is None:
            self._at = self._clock()
        self.motion, self._began = motion, self._at
        self._sink.publish(self.group, left_of(motion, self._clock() - self._at))


def _same_joints(space: JointSpace, other: JointSpace) -> bool:
    """Return whether a motion planned for one is valid for the other."""
    return (space.joint_names == other.joint_names and np.array_equal(space.lower, other.lower)
            and np.array_equal(space.upper, other.upper))
