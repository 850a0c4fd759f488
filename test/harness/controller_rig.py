"""A robot of one arm, its controller, and their time, which the test moves."""

import importlib.util

import numpy as np
import pytest

import robots
from harness.goal_runs import run
from ik_node import Goal
from ik_node.control.arm import Arm
from ik_node.control.controller import Controller, Waypoint
from ik_node.control.group import TaskGoal
from ik_node.control.group_source import GroupSource
from ik_node.control.options import ArmOptions
from ik_node.control.robot import Robot

TREE = robots.tree('arm_6r')
CHAIN = TREE.chain()
START = np.array([0.4, 0.3, 0.5, 0.4, -1.2, 0.4])
FAR = Goal(position=(9.0, 0.0, 0.0))

moving = pytest.mark.parametrize('motion', ['cartesian', pytest.param(
    'joint', marks=pytest.mark.skipif(importlib.util.find_spec('ruckig') is None,
                                      reason='ruckig is not installed'))])


class Sink:
    """Keeps what a controller of a real robot would get."""

    def __init__(self):
        self.motions, self.began = [], []

    def publish(self, arm, motion, began, at_once):
        self.motions.append(motion)
        self.began.append(began)


class Rig:
    """A robot of one arm, its controller and their time."""

    def __init__(self, motion='jump', tree=TREE, start=START, **options):
        self.now, self.sink = 0.0, Sink()
        self.robot = Robot(tree, {'': self.arm(motion, tree=tree, **options)})
        self.robot.move(self.robot.groups[''], start)
        self.controller = Controller(self.robot, self.robot.groups[''], lambda: self.now, self.sink)

    @staticmethod
    def arm(motion='jump', previous=None, tree=TREE, **options):
        return Arm(GroupSource(tree, ArmOptions(**options), motion=motion), previous)

    def replace(self, motion='jump', tree=TREE, **options):
        arm = self.arm(motion, self.controller.group, tree, **options)
        self.robot = Robot(tree, {'': arm}, previous=self.robot)
        self.controller.update(self.robot, arm)
        self.controller.advance(self.now)

    def go(self, goal):
        """Carry a goal out to its end; return its outcome."""
        return run(self.controller.go([TaskGoal('', goal)]))

    def advance(self, seconds):
        self.now += seconds
        self.controller.advance(self.now)

    @property
    def q(self):
        return self.robot.joint_configuration(self.controller.group)


def near(x=0.0, y=0.0, z=0.0):
    T = CHAIN.forward(START)
    T[:3, 3] += [x, y, z]
    return Goal.from_pose(T)


def path(*goals):
    return [Waypoint(TaskGoal('', goal), f'waypoint {i + 1}') for i, goal in enumerate(goals)]
