import numpy as np
import pytest

import robots
from ik_node import KinematicTree, make_solver
from ik_node.control.group_source import configured_start
from ik_node.control.options import ArmOptions
from ik_node.mocap.key_poses import KeyConfigurations
from ik_node.model.joint_space import check_inside
from ik_node.model.pose_library import PoseLibrary
from ik_node.motion.joint_motion import joint_motion
from ik_node.motion.limits import motion_limits
from ik_node.motion.trajectory import State
from ik_node.support.exceptions import InputError, ModelError

UPPER = 2.96706
TREE = KinematicTree.from_urdf(robots.robot(robots.joint(
    'waist', 'revolute', 'base', 'arm', limit=f'lower="-{UPPER}" upper="{UPPER}" effort="1" '
    'velocity="1"')))
CHAIN = TREE.chain()
LIMITS = [UPPER, -UPPER]


def single(value):
    rounded = float(np.float32(value))
    assert abs(rounded) > UPPER
    return rounded


@pytest.mark.parametrize('value', LIMITS)
def test_named_poses(value):
    poses = PoseLibrary.from_yaml({'poses': {'home': {'waist': single(value)}}}, TREE)
    assert poses['home']['waist'] == value
    assert poses.configuration('home', CHAIN) == [value]
    with pytest.raises(ModelError, match='outside its limits'):
        PoseLibrary.from_yaml({'poses': {'home': {'waist': value * (1.0 + 1e-6)}}}, TREE)


@pytest.mark.parametrize('value', LIMITS)
def test_start_poses_key_poses_and_motions(value):
    options = ArmOptions(start_pose=np.array([single(value)]))
    assert configured_start(options, CHAIN, None, CHAIN.neutral()) == [value]
    keys = KeyConfigurations(CHAIN, [0.0, 1.0], [[0.0], [single(value)]])
    assert keys.configurations[1] == [value]
    motion = joint_motion(CHAIN, motion_limits(CHAIN), State.at_rest(np.zeros(1)), [single(value)])
    assert abs(motion.end[0]) <= UPPER + 1e-12


def test_limits_of_a_solver():
    solver = make_solver('dls', CHAIN, lower=[single(-UPPER)], upper=[single(UPPER)])
    assert solver.solve(CHAIN.forward([UPPER])).q == pytest.approx([UPPER], abs=1e-6)


def test_what_is_farther_beyond_is_outside_and_what_is_inside_stays():
    values = np.array([[0.1], [np.nextafter(UPPER, 0.0)], [UPPER]])
    assert check_inside(CHAIN, values, str).tolist() == [[0.1], [UPPER - 4.44e-16], [UPPER]]
    with pytest.raises(InputError, match='outside the limits'):
        check_inside(CHAIN, np.array([[UPPER + 1e-6]]), str)
