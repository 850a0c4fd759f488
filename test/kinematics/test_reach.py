import numpy as np
import pytest

import robots
from ik_node import KinematicTree
from ik_node.kinematics.reach import reach, wrist_ball


def test_of_a_planar_arm_it_is_the_sum_of_its_links():
    centre, radius = reach(robots.planar(15.0, 10.0, 5.0).arrays)
    assert radius == pytest.approx(30.0)
    assert centre == pytest.approx([0.0, 0.0, 0.0])


def test_it_does_not_depend_on_where_a_file_puts_its_frames_on_the_axes():
    # The same 2R arm twice, the second with frames slid far up and down the joint axes.
    slid = KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'continuous', 'base', 'l1', xyz='0 0 5'),
        robots.joint('b', 'continuous', 'l1', 'l2', xyz='1 0 -9'),
        robots.joint('t', 'fixed', 'l2', 'tip', xyz='0.8 0 4'))).chain()
    assert reach(slid.arrays)[1] == pytest.approx(1.8, rel=1e-6)


def test_a_prismatic_joint_adds_its_travel():
    assert reach(robots.scara().arrays)[1] == pytest.approx(0.55 + 0.2, abs=1e-9)


@pytest.mark.parametrize('name', robots.REAL)
def test_no_posture_leaves_it_and_it_is_no_idle_bound(name):
    chain = robots.chain(name)
    centre, radius = reach(chain.arrays)
    rng = np.random.default_rng(5)
    q = [rng.uniform(-np.pi, np.pi, chain.n_joints) for _ in range(robots.samples(2000))]
    farthest = max(np.linalg.norm(chain.forward(posture)[:3, 3] - centre) for posture in q)
    assert farthest <= radius * (1.0 + 1e-12)
    assert farthest > 0.6 * radius


@pytest.mark.parametrize('name', robots.SERIAL)
def test_no_posture_takes_the_wrist_out_of_its_ball(name):
    chain, rng = robots.chain(name), np.random.default_rng(0)
    ball = wrist_ball(chain.arrays)
    assert ball.radius < reach(chain.arrays)[1] + 1e-12
    for _ in range(robots.samples(500)):
        T = chain.forward(rng.uniform(-np.pi, np.pi, chain.n_joints))
        wrist = T[:3, :3] @ ball.wrist + T[:3, 3]
        assert np.linalg.norm(wrist - ball.centre) <= ball.radius + 1e-9


def test_the_wrist_of_a_spherical_one_is_its_centre():
    ball = wrist_ball(robots.chain('iiwa14').arrays)
    assert ball.wrist == pytest.approx([0.0, 0.0, -0.126], abs=1e-9)
    assert ball.centre == pytest.approx([0.0, 0.0, 0.36], abs=1e-9)
    assert ball.radius == pytest.approx(0.42 + 0.4, abs=1e-3)  # as the file has it


def test_a_tip_that_slides_last_has_no_wrist():
    from ik_node import KinematicTree
    slides = KinematicTree.from_urdf(robots.robot(
        robots.joint('turn', 'continuous', 'base', 'arm'),
        robots.joint('quill', 'prismatic', 'arm', 'tip', limit='lower="0" upper="1"'))).chain()
    assert wrist_ball(slides.arrays).radius == np.inf
