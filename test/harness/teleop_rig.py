"""Runs ik_teleop in the test's own process."""

from harness.node_here import NodeHere
from ik_node.ros.clients.teleop import Teleop


class TeleopHere(Teleop):
    def __init__(self, steady=None, **arguments):  # it has no timers
        super().__init__(**arguments)


def teleop(**parameters):
    arguments = [part for name, value in parameters.items()
                 for part in ('-p', f'{name}:={value}')]
    return NodeHere(*arguments, make=TeleopHere, start=None)
