"""Stands in for what admits and carries out goals: at once, without a node and without threads."""

from ik_node.control.searches import run
from ik_node.ros.execution.history import History
from ik_node.ros.intake.frames import Frames
from ik_node.ros.intake.goals import Goals
from ik_node.ros.intake.targets import Targets
from ik_node.support.exceptions import IkError


class HandlingHere:
    """Admits every goal whose age is accepted; keeps outcomes and refusals."""

    def __init__(self, robot, options, check_age=lambda header: None):
        self.robot, self.options, self._check_age = robot, options, check_age
        self.outcomes, self.refused = [], []

    def admit(self, arrival, find, accept, again, arrives=True):
        try:
            self._check_age(arrival.header)
            controller = find(self.robot, arrival.name)
            accept(self.robot, controller)
        except IkError as error:
            self.refuse(arrival, error)
            return None
        return controller

    def begin(self, controller, goal):
        run(goal)

    def start(self, robot, controller):
        pass

    def publish(self, robot, controller, outcome, arrival):
        self.outcomes.append(outcome)

    def refuse(self, arrival, error):
        self.refused.append((arrival.name, str(error)))


class ExecutionHere:
    """Has one controller, that of a figure, whose motions need no clock."""

    def __init__(self, controller):
        self.controllers = {'': controller}

    def follow(self, robot):
        pass


def goals_here(handling, controller):
    """Return the goals of a node without ROS and tf2, carried out by one controller."""
    frames = Frames.__new__(Frames)
    frames._buffer, frames.missing, frames._history = None, 'there is no tf2', History()
    return Goals(None, (), handling, ExecutionHere(controller), Targets(frames))
