"""Servo of a group: it follows the newest command until its deadline, and brakes then.

A controller gets its next samples as a trajectory that always ends at rest.
"""

import math
import threading
from collections import deque
from typing import Any

import numpy as np

from ik_node.control.group import Group
from ik_node.control.options import JOINTS, POSE, TRAJECTORY, TWIST
from ik_node.motion.body_servo import BodyServo
from ik_node.motion.servo import Servo
from ik_node.motion.trajectory import State, Trajectory

INVALID, NO_WARNING, JOINT_BOUND = 'INVALID', 'NO_WARNING', 'JOINT_BOUND'
SINGULARITY = 'DECELERATE_FOR_APPROACHING_SINGULARITY'
COLLISION, HALTED = 'DECELERATE_FOR_COLLISION', 'HALT_FOR_COLLISION'
"""Names of codes of moveit_msgs/ServoStatus."""
_THERE = 1e-6   # rad or m
_REST = 1e-6  # of the largest velocities, below which a joint rests
LEAD = 0.05      # s from the computation of a sample to its time
_APART = 0.01    # s between two points, between which a controller interpolates
_BEHIND = 0.02   # s of points that are kept behind the present: a controller begins between two


class GroupServo:
    """A servo with commands; commands come in one thread, samples are taken in another.

    - `group`: what it moves; `lead`: s, by how much samples are computed before their time.
    - `servo`: the law of the joints, which somebody else advances, after `prepare`.
    - `window`: of the samples whose times are still to come; None where no controller needs it.
    - `silent`: why it follows no command; '' where it does.
    """

    def __init__(self, group: Group, period: float, present: Trajectory) -> None:
        """Begin where the motion of the joints leads to; period: s, of a sample."""
        ahead = round(LEAD / period) if group.output[0] == TRAJECTORY else 0
        self.lead = ahead * period
        self._states = deque((present.at(k * period) for k in range(ahead + 1)), ahead + 1)
        start = self._states[-1]
        self.group, self.silent = group, 'no command has been received'
        self._deadlines: dict[str, float] = {}  # of the commands that are followed, by task
        self.servo: Servo
        law: Any
        self._body: BodyServo | None = None
        if group.chain is None and group.tasks:
            law = self._body = BodyServo(group.solver, group.limits, period, *start)
            self.servo = law.joints
        else:
            weights = group.tips[group.name].weights if group.tips else np.ones(6)
            law = self.servo = Servo(
                group.space, group.limits, period, start.position, start.velocity,
                weights if weights.all() and (weights != 1.0).any() else None, start.acceleration)
        self._law = law
        self._target: np.ndarray | None = None
        self.window = RollingWindow(self.servo) if ahead else None
        self._lock = threading.Lock()  # of what a command consists of
        self._follow = {TWIST: law.follow_twist, POSE: law.follow_pose}

    def follow(self, kind: str, command: Any, deadline: float, task: str = '') -> None:
        """Follow a command until a time, s: of `COMMAND_TYPES`, in SI units.

        task: whose it is, of a body. Twists and poses have the frame of its target. Raises
        InputError for an invalid one.
        """
        with self._lock:
            self._target = None
            if kind == JOINTS:
                self._law.follow_joints(command)
                self._deadlines.clear()
            else:
                self._follow[kind](command, *([] if self._body is None else [task]))
            self._deadlines[task] = deadline
            self.silent = ''

    def go_to(self, q: np.ndarray) -> None:
        """Move joints without tasks to q (n,), inside the limits, rad or m, until a command."""
        with self._lock:
            self.silent, self._deadlines, self._target = '', {'': math.inf}, q

    def _approach(self, target: np.ndarray) -> None:
        """Command velocities towards joint values (n,) from which the joints stop there."""
        limits, state = self.group.limits, self.servo.state()
        d = target - state.position
        if np.abs(d).max() <= _THERE and (np.abs(state.velocity) <= _REST * limits.velocity).all():
            self._stop('the joint values are reached')
            return
        speed = limits.stopping_speeds(np.abs(d), self.servo.period)
        part = min(1.0, float((limits.velocity / np.maximum(speed, 1e-12)).min()))
        self.servo.follow_joints(np.sign(d) * part * speed)

    def stop(self, reason: str) -> None:
        """Brake, and follow no command until the next one."""
        with self._lock:
            self._stop(reason)

    def _stop(self, reason: str) -> None:
        self._law.stop()
        self._deadlines.clear()
        self.silent, self._target = reason, None

    def prepare(self, now: float) -> None:
        """Drop the commands that are over at a time, s, and let the joints of a body follow."""
        with self._lock:
            if self._target is not None:
                self._approach(self._target)
            over = [task for task, deadline in self._deadlines.items() if now > deadline]
            if over and len(over) == len(self._deadlines):
                self._stop('there is no newer command')
            for task in over:
                self._deadlines.pop(task, None)
                if self._body is not None:
                    self._body.release(task)
        if self._body is not None:
            self._body.prepare()

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
        return (NO_WARNING, self.silent) if self.silent else (code, self._law.reason)


class RollingWindow:
    """Samples of a servo whose times are still to come, and the stop from the last of them.

    A controller that gets no further window comes to rest within the limits.
    """

    def __init__(self, servo: Servo) -> None:
        """Begin with the state of a servo."""
        self._servo, self._every = servo, max(round(_APART / servo.period), 1)
        self._step, self._count, self._stamp = round(1e9 * self._every * servo.period), -1, 0
        most = round((LEAD + _BEHIND) / (self._every * servo.period)) + 2
        self._points: deque[tuple[int, State]] = deque(maxlen=most)

    def add(self, stamp: int) -> None:
        """Add the last sample of the servo; stamp: its time, ns.

        Accelerations are those of the step to a sample; at it they are between that and the next.
        """
        self._count, self._stamp, state = self._count + 1, stamp, self._servo.state()
        if self._points and (self._count - 1) % self._every == 0:
            before, point = self._points[-1]
            self._points[-1] = before, point._replace(
                acceleration=0.5 * (point.acceleration + state.acceleration))
        if self._count % self._every == 0:
            self._points.append((stamp, state))

    def trajectory(self) -> tuple[np.ndarray, State]:
        """Return times (k,), ns, and the states (k, n) at them, the last of which rests.

        Position, velocity and acceleration are those of the servo: a quintic between two of them
        leads to the samples between.
        """
        ramp, last = self._servo.ramp(self._every), self._stamp
        points = list(self._points)
        if points[-1][0] < last:
            points.append((last, self._servo.state()))
        stamps = [stamp for stamp, _ in points]
        stamps += [last + k * self._step for k in range(1, len(ramp) + 1)]
        states = np.concatenate([[np.array(state) for _, state in points], ramp])
        return np.array(stamps), State(*states.transpose(1, 0, 2))
