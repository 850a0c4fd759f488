import numpy as np
import pytest

import robots
from ik_node import KinematicTree
from ik_node.kinematics.reach import extent, wrist_ball


# The third is a 2R arm with frames slid far up and down the joint axes.
@pytest.mark.parametrize(('chain', 'reach', 'hole', 'length'), [
    (robots.planar(15.0, 10.0, 5.0), 30.0, 0.0, 30.0),
    (robots.planar(15.0, 4.0, 5.0), 24.0, 6.0, 24.0),
    (KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'continuous', 'base', 'l1', xyz='0 0 5'),
        robots.joint('b', 'continuous', 'l1', 'l2', xyz='1 0 -9'),
        robots.joint('t', 'fixed', 'l2', 'tip', xyz='0.8 0 4'))).chain(), 1.8, 0.2, 1.8),
    (robots.scara(), 0.55 + 0.2, 0.0, 0.55),
    (KinematicTree.from_urdf(robots.robot(robots.joint(
        'rail', 'prismatic', 'base', 'tip', limit='lower="0" upper="4" effort="1" velocity="1"'
        ))).chain(), 4.0, 0.0, 4.0),
    (KinematicTree.from_urdf(
        '<robot name="r"><link name="base"/><link name="a"/><link name="tip"/>'
        '<joint name="f" type="floating"><parent link="base"/><child link="a"/></joint>'
        '<joint name="t" type="fixed"><parent link="a"/><child link="tip"/>'
        '<origin xyz="0.3 0.4 1.2"/></joint></robot>', rotation='exponential').chain(),
     np.inf, 0.0, 1.3)], ids=['3R', '3R with a hole', 'slid', 'scara', 'rail', 'spherical'])
def test_reach_hole_and_length_are_those_of_the_links(chain, reach, hole, length):
    found = extent(chain.arrays)
    assert found.reach == pytest.approx(reach, rel=1e-6)
    assert found.hole == pytest.approx(hole, abs=1e-6)
    assert found.length_scale == pytest.approx(length)


@pytest.mark.parametrize('name', robots.REAL)
def test_no_configuration_leaves_it_and_it_is_no_idle_bound(name):
    chain = robots.chain(name)
    centre, radius, *_ = extent(chain.arrays)
    rng = np.random.default_rng(5)
    q = [rng.uniform(-np.pi, np.pi, chain.n_joints) for _ in range(robots.samples(2000))]
    farthest = max(np.linalg.norm(chain.forward(configuration)[:3, 3] - centre)
                   for configuration in q)
    assert farthest <= radius * (1.0 + 1e-12)
    assert farthest > 0.6 * radius


@pytest.mark.parametrize('name', robots.SERIAL)
def test_no_configuration_takes_the_wrist_out_of_its_ball(name):
    chain, rng = robots.chain(name), np.random.default_rng(0)
    ball = wrist_ball(chain.arrays)
    assert ball.radius < extent(chain.arrays).reach + 1e-12
    for _ in range(robots.samples(500)):
        T = chain.forward(rng.uniform(-np.pi, np.pi, chain.n_joints))
        wrist = T[:3, :3] @ ball.wrist + T[:3, 3]
        assert np.linalg.norm(wrist - ball.centre) <= ball.radius + 1e-9


def test_the_wrist_of_a_spherical_one_is_its_centre():
    ball = wrist_ball(robots.chain('iiwa14').arrays)
    assert ball.wrist == pytest.approx([0.0, 0.0, -0.126], abs=1e-9)
    assert ball.centre == pytest.approx([0.0, 0.0, 0.36], abs=1e-9)
    assert ball.radius == pytest.approx(0.42 + 0.4, abs=1e-3)  # as the file has it


def test_a_tip_with_a_prismatic_last_joint_has_no_wrist():
    prismatic = KinematicTree.from_urdf(robots.robot(
        robots.joint('turn', 'continuous', 'base', 'arm'),
        robots.joint('quill', 'prismatic', 'arm', 'tip', limit='lower="0" upper="1"'))).chain()
    assert wrist_ball(prismatic.arrays).radius == np.inf


@pytest.mark.parametrize('name', robots.REAL)
def test_no_tip_gets_into_the_hole(name):
    chain, rng = robots.chain(name), np.random.default_rng(1)
    centre = extent(chain.arrays).centre
    nearest = min(np.linalg.norm(chain.forward(rng.uniform(-np.pi, np.pi, chain.n_joints))[:3, 3]
                                 - centre) for _ in range(robots.samples(500)))
    assert nearest >= extent(chain.arrays).hole - 1e-9
