import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import KinematicTree


def test_a_planar_arm_stands_where_the_textbook_says():
    # Parent, figs 5.20–5.25: lengths 15, 10, 5 at (π/8, π/4, π/4).
    tip = robots.planar(15.0, 10.0, 5.0).forward([np.pi / 8, np.pi / 4, np.pi / 4])
    assert tip[:3, 3] == pytest.approx([15.7716, 19.5984, 0.0], abs=5e-5)
    assert tip[:3, :3] == pytest.approx(Rotation.from_euler('z', 5 * np.pi / 8).as_matrix())


def test_a_prismatic_joint_moves_along_its_axis_and_turns_nothing():
    chain = robots.scara()
    T = chain.forward([0.0, 0.0, 0.15, 0.0])
    assert pytest.approx(np.array(
        [[1, 0, 0, 0.55], [0, 1, 0, 0], [0, 0, 1, 0.25], [0, 0, 0, 1.0]]), abs=1e-15) == T


def test_a_revolute_joint_turns_about_any_axis_by_the_right_hand():
    axis = np.array([1.0, -2.0, 0.5])
    tree = KinematicTree.from_urdf(robots.robot(robots.joint(
        'j', 'continuous', 'base', 'tip', xyz='1 2 3', rpy='0.1 0.2 0.3', axis='1 -2 0.5')))
    T = tree.forward({'j': 0.7})['tip']
    expected = (Rotation.from_euler('xyz', [0.1, 0.2, 0.3])
                * Rotation.from_rotvec(0.7 * axis / np.linalg.norm(axis))).as_matrix()
    assert T[:3, :3] == pytest.approx(expected, abs=1e-15)
    assert T[:3, 3] == pytest.approx([1.0, 2.0, 3.0])


@pytest.mark.parametrize('name', robots.REAL)
def test_a_chain_and_its_tree_agree(name):
    tree, chain = robots.tree(name), robots.chain(name)
    rng = np.random.default_rng(1)
    for _ in range(robots.samples(100)):
        q = robots.random_q(chain, rng)
        T = tree.forward(dict(zip(chain.joint_names, q)))
        expected = np.linalg.inv(T[chain.base_link]) @ T[chain.tip_link]
        assert chain.forward(q) == pytest.approx(expected, abs=1e-12)
