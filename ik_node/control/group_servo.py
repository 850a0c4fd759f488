"""Servo of a group: it follows the newest command until its deadline, and brakes then."""

import threading
from collections import deque
from typing import Any

import numpy as np

from ik_node.control.group import Group
from ik_node.control.options import JOINTS, POSE, TRAJECTORY, TWIST
from ik_node.motion.rolling_window import LEAD, RollingWindow
from ik_node.motion.servo import Servo
from ik_node.motion.trajectory import State, Trajectory

INVALID, NO_WARNING, JOINT_BOUND = 'INVALID', 'NO_WARNING', 'JOINT_BOUND'
SINGULARITY = 'DECELERATE_FOR_APPROACHING_SINGULARITY'
COLLISION, HALTED = 'DECELERATE_FOR_COLLISION', 'HALT_FOR_COLLISION'
"""Names of codes of moveit_msgs/ServoStatus."""
_REST = 1e-6  # of the largest velocities, below which a joint rests


class GroupServo:
    """A servo with a command; commands come in one thread, samples are taken in another.

    - `group`: what it moves; `lead`: s, by how much samples are computed before their time.
    - `servo`: the law, which somebody else advances.
    - `window`: of the samples whose times are still to come; None where no controller needs it.
    - `silent`: why it follows no command; '' where it does.
    """

    def __init__(self, group: Group, period: float, present: Trajectory) -> None:
        """Begin where the motion of the joints of a chain leads to; period: s, of a sample."""
        assert group.chain is not None
        ahead = round(LEAD / period) if group.output[0] == TRAJECTORY else 0
        self.lead = ahead * period
        self._states = deque((present.at(k * period) for k in range(ahead + 1)), ahead + 1)
        start = self._states[-1]
        weights = group.tips[group.name].weights
        self.group, self.silent, self._deadline = group, 'no command has been received', 0.0
        self.servo = Servo(group.chain, group.limits, period, start.position, start.velocity,
                           weights if weights.all() and (weights != 1.0).any() else None,
                           start.acceleration)
        self.window = RollingWindow(self.servo) if ahead else None
        self._lock = threading.Lock()  # of what a command consists of
        self._follow = {TWIST: self.servo.follow_twist, JOINTS: self.servo.follow_joints,
                        POSE: self.servo.follow_pose}

    def follow(self, kind: str, command: Any, deadline: float) -> None:
        """Follow a command until a time, s: of `COMMAND_TYPES`, in the base and SI units.

        Raises InputError for an invalid one.
        """
        with self._lock:
            self._follow[kind](command)
            self.silent, self._deadline = '', deadline

    def stop(self, reason: str) -> None:
        """Brake, and follow no command until the next one."""
        with self._lock:
            self._stop(reason)

    def _stop(self, reason: str) -> None:
        self.servo.stop()
        self.silent = reason

    def expire(self, now: float) -> None:
        """Brake where the command is over at a time, s."""
        with self._lock:
            if not self.silent and now > self._deadline:
                self._stop('there is no newer command')

    def keep(self, stamp: int) -> None:
        """Keep the last sample, of the cycle at a ROS time, ns."""
        self._states.append(self.servo.state())
        if self.window is not None:
            self.window.add(stamp + round(1e9 * self.lead))

    def state(self) -> State:
        """Return the sample that is valid now, (n,) each; in any thread."""
        return self._states[0]

    @property
    def rests(self) -> bool:
        """Whether it follows no command, and no joint moves any more."""
        speeds = np.abs([self._states[0].velocity, self._states[-1].velocity])
        return bool(self.silent and (speeds <= _REST * self.group.limits.velocity).all())

    def reason(self) -> tuple[str, str]:
        """Return a code of MoveIt Servo's status, and why the arm does not move as commanded."""
        servo = self.servo
        code = (HALTED if servo.clear == 0.0 else COLLISION if servo.clear < 1.0 else
                JOINT_BOUND if servo.blocked else SINGULARITY if servo.singular else NO_WARNING)
        return (NO_WARNING, self.silent) if self.silent else (code, servo.reason)
