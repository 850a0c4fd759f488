"""Stands in for what admits and carries out goals: at once, without a node and without threads."""

import time
from types import SimpleNamespace

from harness.goal_runs import run
from ik_node.control.options import NodeOptions
from ik_node.ros.execution.history import History
from ik_node.ros.intake.dispatcher import Received
from ik_node.ros.intake.frames import Frames
from ik_node.ros.intake.goals import Goals
from ik_node.ros.publishing.status import Arrival
from ik_node.support.exceptions import IkError


class DispatcherHere:
    """Admits every goal whose age is accepted, for one controller; keeps outcomes and refusals."""

    def __init__(self, robot, options, controller, check_age=lambda header: None):
        self.robot, self.options, self._check_age = robot, options, check_age
        self.controller, self.outcomes, self.refused = controller, [], []
        self.measured = SimpleNamespace(topic='')

    def receive(self, name, message, convert, again):
        arrival = Arrival(name, message.header, time.perf_counter())
        try:
            self._check_age(message.header)
            content = convert(self.robot, self.controller.group, name, message)
        except IkError as error:
            self.refuse(arrival, error)
            return None
        return Received(arrival, self.controller, content)

    @property
    def worker(self):
        return self

    def begin(self, key, goal):
        run(goal)

    def publish(self, robot, group, outcome, arrival):
        self.outcomes.append(outcome)

    def refuse(self, arrival, error):
        self.refused.append((arrival.name, str(error)))


def frames_here(options=None):
    """Return the frames of a node without ROS and tf2."""
    frames = Frames.__new__(Frames)
    frames._buffer, frames.missing = None, 'there is no tf2'
    frames._execution = SimpleNamespace(history=History(), follow=lambda robot: None)
    frames._configuration = SimpleNamespace(options=options or NodeOptions())
    return frames


def goals_here(dispatcher):
    """Return the goals of a node without ROS and tf2."""
    outcomes = SimpleNamespace(publish=dispatcher.publish)
    configuration = SimpleNamespace(
        options=dispatcher.options, robot=dispatcher.robot, arm_names=())
    node = SimpleNamespace(create_subscription=lambda *_: None, destroy_subscription=int)
    goals = Goals(node, configuration, dispatcher, outcomes, frames_here(dispatcher.options))
    goals._subscriptions.clear()  # from which newer messages would be taken
    return goals
