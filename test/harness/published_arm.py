"""An arm in simulated time, whose planning takes time, and a controller that follows it."""

from typing import NamedTuple

import numpy as np

from harness.controller_rig import Rig
from harness.followed import Followed
from harness.goal_runs import WorkerHere
from harness.played_trajectory import nanoseconds
from harness.trajectory_controller import TrajectoryController
from ik_node import Goal
from ik_node.control.controller import Controller
from ik_node.control.group import TaskGoal
from ik_node.control.worker import NOTHING, ended
from ik_node.motion.limits import MotionLimits
from ik_node.motion.trajectory import State
from ik_node.ros.execution.command_outputs import CommandOutputs
from ik_node.ros.execution.motion_clock import Instant
from ik_node.support.exceptions import IkError

TOPIC = '/controller/joint_trajectory'
PERIOD = 0.01  # s, of joint states, of the controller, and at most from point to point
PHASE = 0.0037  # s, of the controller
BEGIN = 1000   # s, of ROS time: the moment 0 here


MOST = {'velocity': 1.0001, 'acceleration': 1.0001, 'commanded velocity': 1.0001,
        'commanded acceleration': 1.0001, 'rad outside': 1e-7, 'rad from the plan': 1e-9,
        'rad from joint states': 1e-4, 'rad from one to the next': 1e-4}
"""By how much published trajectories may deviate, as of `PublishedArm.worst`."""


class Received(NamedTuple):
    """A trajectory, when it is received, s, what was planned (k, n), and under which limits."""

    time: float
    trajectory: Followed
    planned: State
    limits: MotionLimits


class PublishedArm(Rig):
    """An arm whose joint states and published trajectories are kept: `states`, `received`.

    The stand-in of joint_trajectory_controller, `follower`, gets the trajectories, too.
    planning: returns how long a search takes, s. delay: after which a trajectory is received, s,
    and delay_of_point: for each of its points, besides.
    """

    def __init__(self, motion, tree, start, planning, delay=0.004, delay_of_point=0.0, **options):
        super().__init__(motion, tree, start, trajectory_topic=TOPIC, **options)
        self.planning, self.options = planning, options
        self.delay, self.delay_of_point = delay, delay_of_point
        self.states, self.received, self.errors = [], [], []
        self._topics = CommandOutputs(None, self, WorkerHere(lambda: None))
        self._topics._period, self._topics._publishers = PERIOD, {('trajectory', TOPIC): self}
        self.controller = Controller(self.robot, self.robot.groups[''], lambda: self.now, self)
        self.follower = TrajectoryController(self.controller.group.space.joint_names, start,
                                             round(PERIOD * 1e9))
        self._messages, self._next = [], 0.0

    def read(self):
        """Return motion time, as its clock."""
        return Instant(self.now, self.stamp())

    def stamp(self):
        return round((BEGIN + self.now) * 1e9)

    def handover(self, motion):
        return self._topics.handover(motion)

    def publish(self, *what):
        """Receive a motion from the controller; its message then comes from the topics."""
        if len(what) > 1:
            self._motion, self._limits = what[1], what[0].limits
            self._topics.publish(*what)
            return
        (message,) = what
        assert tuple(message.joint_names) == self.controller.group.space.joint_names
        trajectory = Followed.of(message)._replace(
            stamp=1e-9 * (nanoseconds(message.header.stamp) - BEGIN * 10 ** 9))
        received = self.now + self.delay + self.delay_of_point * len(trajectory.times)
        self.received.append(Received(received, trajectory,
                                      self._motion.sample(trajectory.times), self._limits))
        self._messages.append((received, message))

    def elapse(self, duration):
        """Let time pass; joint states are published in every period."""
        end = self.now + duration
        while self._next <= end:
            self.now = max(self._next, self.now)
            self.controller.advance(self.now)
            self.states.append((self.now, self.q))
            cycle = self._next + PHASE
            while self._messages and self._messages[0][0] <= cycle:
                time, message = self._messages.pop(0)
                self.follower.receive(message, round((BEGIN + time) * 1e9))
            self.follower.update(round((BEGIN + cycle) * 1e9))
            self._next += PERIOD
        self.now = end

    def go(self, T):
        """Send the tip to a pose (4, 4), m; time passes while that is planned."""
        goal, end = self.controller.go([TaskGoal('', Goal.from_pose(T))]), NOTHING
        try:
            while True:
                work = goal.send(end.result) if end.error is None else goal.throw(end.error)
                end = NOTHING
                if work is not None:
                    end = ended(work)
                    self.elapse(self.planning())
        except StopIteration:
            pass
        except IkError as error:
            self.errors.append(str(error))

    def change(self, motion, **options):
        """Change options of the arm, such as its limits."""
        self.options |= options
        self.replace(motion, self.robot.tree, trajectory_topic=TOPIC, **self.options)

    def worst(self):
        """Return by how much published trajectories deviate at most, by what from.

        Velocities and accelerations are parts of what is allowed: the limits, and after these were
        reduced as much as the motion before would have used from then on.
        """
        worst, allowed = {}, {}

        def note(name, *values):
            worst[name] = max(worst.get(name, -np.inf), *map(np.max, values))
        stamps = np.array([t for t, _ in self.states])
        q_of_states = np.array([q for _, q in self.states])
        commanded = np.array([1e-9 * (t - BEGIN * 10 ** 9) for t, _ in self.follower.commands])
        commands = np.array([q for _, q in self.follower.commands])
        assert self.follower.refused == []
        for k, (time, one, planned, limits) in enumerate(self.received):
            assert one.times[0] == 0.0
            assert (np.diff(one.times) > 0.0).all()
            assert not one.points.velocity[-1].any()
            assert one.stamp + one.times[-1] > time
            note('points', len(one.times))
            note('rad from the plan', *(np.abs(x - y) for x, y in zip(one.points, planned)))
            q, *rates = one.at(one.dense())
            note('rad outside', limits.lower - q, q - limits.upper)
            present = [np.zeros((1, q.shape[1]))] * 2
            if k:
                before = self.received[k - 1].trajectory
                t = before.dense()
                present = before.at(np.append(one.stamp, t[t > one.stamp]))[1:]
                note('rad from one to the next', np.abs(np.subtract(
                    before.at([time]).position, one.at([time]).position)))
            end = self.received[k + 1].time if k + 1 < len(self.received) else np.inf
            ours = np.flatnonzero((commanded >= time) & (commanded < end))
            for order, name, own_rates, limit, others in zip(
                    (1, 2), ('velocity', 'acceleration'), rates,
                    (limits.velocity, limits.acceleration), present):
                before_allowed = allowed.get(name, limit)
                allowed[name] = np.maximum(limit, np.abs(others).max(axis=0))
                note(name, np.abs(own_rates) / allowed[name])
                # The first commands follow some of the trajectory before.
                for k in ours[ours >= 2]:
                    note(f'commanded {name}', np.abs(np.diff(commands[k - 2:k + 1], order, axis=0))
                         / PERIOD ** order / np.maximum(
                             allowed[name], before_allowed if k < ours[0] + 2 else 0.0))
            here = (stamps >= time) & (stamps < end)
            if here.any():
                note('rad from joint states',
                     np.abs(one.at(stamps[here]).position - q_of_states[here]))
        return worst


def move(arm, mode, q, count, rng):
    """Send an arm to goals near q (n,) and farther, often before it is there; limits change."""
    chain = arm.controller.group.chain
    T0 = chain.forward(q)
    while len(arm.received) < count:
        T = T0.copy()
        T[:3, 3] += rng.uniform(-0.12, 0.12, 3)
        if rng.random() < 0.4:
            T = chain.forward(q + rng.uniform(-0.7, 0.7, chain.n_joints))
        arm.go(T)
        arm.elapse(5.0 if rng.random() < 0.05 else rng.choice([0.01, 0.1, 0.3, 0.7]) * rng.random())
        if rng.random() < 0.1:
            arm.change(mode, **({'speed': float(rng.choice([1.0, 1.0, 0.6, 0.3, 0.1, 0.02]))}
                                if rng.random() < 0.7 else
                                {'velocity_limits': float(rng.choice([0.5, 1.0, 2.0]))}))
