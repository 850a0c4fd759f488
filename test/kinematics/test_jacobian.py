import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import KinematicTree
from ik_node.spatial import rotation_log
from plain_kernels import plain


def central_differences(chain, q, step=1e-6):
    """Return the Jacobian (6, n) by its definition: how the tip moves when one joint does."""
    J = np.empty((6, chain.n_joints))
    R = chain.forward(q)[:3, :3]
    for k in range(chain.n_joints):
        d = step * np.eye(chain.n_joints)[k]
        ahead, behind = chain.forward(q + d), chain.forward(q - d)
        J[:3, k] = (ahead[:3, 3] - behind[:3, 3]) / (2.0 * step)
        J[3:, k] = (np.array(rotation_log(np.ascontiguousarray(ahead[:3, :3] @ R.T)))
                    - np.array(rotation_log(np.ascontiguousarray(behind[:3, :3] @ R.T)))) / (
                        2.0 * step)
    return J


@pytest.mark.parametrize('name', robots.REAL)
def test_it_is_how_the_tip_moves_when_a_joint_does(name):
    chain = robots.chain(name)
    rng = np.random.default_rng(3)
    for _ in range(robots.samples(50)):
        q = robots.random_q(chain, rng)
        assert chain.jacobian(q) == pytest.approx(central_differences(chain, q), abs=1e-7)


def test_a_planar_arm_has_the_textbooks_columns():
    # Parent 5.17: z × (E − P_i).
    chain = robots.planar(15.0, 10.0, 5.0)
    J = chain.jacobian([np.pi / 2, 0.0, 0.0])
    assert J[:, 0] == pytest.approx([-30, 0, 0, 0, 0, 1], abs=1e-12)
    assert J[:, 2] == pytest.approx([-5, 0, 0, 0, 0, 1], abs=1e-12)


def test_a_mimic_adds_to_the_column_of_its_source():
    # A parallel lift: the second joint turns back what the first turned, the tip keeps upright.
    limit = 'lower="-1" upper="1" effort="1" velocity="1"'
    chain = KinematicTree.from_urdf(robots.robot(
        robots.joint('lift', 'revolute', 'base', 'bar', axis='0 -1 0', limit=limit),
        robots.joint('level', 'revolute', 'bar', 'plate', xyz='2 0 0', axis='0 -1 0', limit=limit,
                     mimic='joint="lift" multiplier="-1"'))).chain()
    assert chain.joint_names == ('lift',)
    q = np.array([0.6])
    assert chain.forward(q)[:3, :3] == pytest.approx(np.eye(3))
    assert chain.jacobian(q) == pytest.approx(central_differences(chain, q), abs=1e-8)
    assert chain.jacobian(q)[:, 0] == pytest.approx(
        [-2 * np.sin(0.6), 0, 2 * np.cos(0.6), 0, 0, 0], abs=1e-12)


pose_error = plain('solvers.kernel.task')[0].pose_error


@pytest.mark.parametrize('angle', [0.0, 1e-12, 1e-8, 1e-5, 1e-3, 1.0, np.pi - 1e-6, np.pi])
def test_turning_by_the_error_leads_to_the_goal_at_every_angle(angle):
    rng = np.random.default_rng(4)
    for _ in range(20):
        T_tip, T_goal = np.eye(4), np.eye(4)
        T_tip[:3, :3] = Rotation.random(random_state=rng.integers(1 << 30)).as_matrix()
        axis = rng.normal(size=3)
        turn = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()
        T_goal[:3, :3] = turn @ T_tip[:3, :3]
        T_goal[:3, 3] = rng.normal(size=3)
        e = [0.0] * 6
        pose_error(T_goal.tolist(), T_tip.tolist(), np.empty((3, 3)).tolist(), e)
        e = np.array(e)
        assert e[:3] == pytest.approx(T_goal[:3, 3])
        assert np.linalg.norm(e[3:]) == pytest.approx(angle, rel=1e-7, abs=1e-15)
        assert Rotation.from_rotvec(e[3:]).as_matrix() @ T_tip[:3, :3] == pytest.approx(
            T_goal[:3, :3], abs=1e-14)
