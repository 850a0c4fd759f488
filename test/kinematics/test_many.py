"""Forward kinematics at many joint configurations at once."""

import numpy as np
import pytest

import robots
from ik_node import KinematicTree
from ik_node.kinematics.structures import tip_poses
from ik_node.model.joints import BALL, ComplexJoint, Joint


def checked(chain):
    rng = np.random.default_rng(0)
    q = np.array([robots.random_q(chain, rng) for _ in range(20)])
    T = tip_poses(chain.arrays, q)
    assert T.shape == (20, 4, 4)
    assert np.allclose(T, [chain.forward(one) for one in q], rtol=0.0, atol=1e-12)


@pytest.mark.parametrize('name', ['panda', 'pr2', 'baxter', 'allegro'])
def test_poses_are_those_of_the_chain_one_by_one(name):
    checked(robots.chain(name))


def test_prismatic_joints_and_mimics_are_included():
    checked(robots.scara())
    checked(robots.mimicking())


@pytest.mark.parametrize('rotation', ['exponential', 'zxz'])
def test_spherical_joints_are_included(rotation):
    placement = np.eye(4)
    placement[:3, 3] = 0.3, 0.1, 0.2
    checked(KinematicTree(['base', 'arm', 'tool'], [
        ComplexJoint('hip', BALL, 'base', 'arm', placement, rotation=rotation),
        Joint('tool_joint', 'fixed', 'arm', 'tool', placement, lower=0.0, upper=0.0)]).chain())
