"""Stands in for what admits and carries out goals: at once, without a node and without threads."""

from ik_node.control.searches import run
from ik_node.exceptions import IkError


class HandlingHere:
    """Admits every goal whose age is accepted; keeps outcomes and refusals."""

    def __init__(self, robot, options, check_age=lambda header: None):
        self.robot, self.options, self._check_age = robot, options, check_age
        self.outcomes, self.refused = [], []

    def admit(self, name, header, find, accept, again, arrives=True):
        try:
            self._check_age(header)
            accept(self.robot, find())
        except IkError as error:
            self.refuse(name, header, error)
            return False
        return True

    def begin(self, mover, goal):
        run(goal)

    def publish(self, robot, mover, outcome, arrival):
        self.outcomes.append(outcome)

    def refuse(self, name, header, error):
        self.refused.append((name, str(error)))


class ExecutionHere:
    """Has one controller, that of a figure, whose motions need no clock."""

    def __init__(self, figure):
        self.figure = figure

    def follow(self, robot):
        pass
