"""The parameter `tool`: goals of arms are of the tool, in every kind of motion."""

import numpy as np
import pytest

from harness.controller_rig import CHAIN, START, TREE, Rig, near, path
from ik_node import Goal
from ik_node.control.options import ArmOptions
from ik_node.spatial import pose_from_rpy
from ik_node.support.exceptions import InputError

TOOL = (0.05, -0.02, 0.13, 0.4, -1.1, 2.0)
T_TOOL = pose_from_rpy(TOOL[:3], TOOL[3:])


def test_a_goal_of_an_arm_is_met_by_its_tool():
    rig = Rig(tool=TOOL)
    T = near(0.02, -0.03, 0.05).pose @ T_TOOL
    assert rig.go(Goal.from_pose(T)).accepted
    assert CHAIN.forward(rig.q) @ T_TOOL == pytest.approx(T, abs=2e-6)
    assert Rig().robot.groups[''].chain.forward(START) == pytest.approx(CHAIN.forward(START))


def test_a_straight_motion_is_that_of_the_tool():
    rig = Rig('cartesian', tool=TOOL)
    begin, end = CHAIN.forward(START) @ T_TOOL, near(0.0, 0.1, 0.05).pose @ T_TOOL
    assert rig.go(Goal.from_pose(end)).accepted
    motion, line = rig.controller.motion, end[:3, 3] - begin[:3, 3]
    for t in np.linspace(0.0, motion.duration, 20):
        p = (CHAIN.forward(motion.at(t).position) @ T_TOOL)[:3, 3] - begin[:3, 3]
        assert np.linalg.norm(np.cross(p, line)) / np.linalg.norm(line) < 2e-4


def test_another_tool_ends_the_goal_and_the_path_of_the_arm():
    rig = Rig(tool=TOOL)
    assert rig.go(Goal.from_pose(near().pose @ T_TOOL)).accepted
    rig.controller.waypoints.extend(path(near(0.01)))
    rig.replace(tool=TOOL)
    assert rig.controller.goal is not None
    assert rig.controller.waypoints
    before = rig.q
    rig.replace(tool=(0.0,) * 6)
    assert rig.controller.goal is None
    assert not rig.controller.waypoints
    assert np.array_equal(rig.q, before)


def test_a_tool_beyond_all_bounds_is_refused():
    with pytest.raises(InputError, match='tool: its position must be at most'):
        ArmOptions(tool=(1e200, 0.0, 0.0, 0.0, 0.0, 0.0)).chain(TREE)
