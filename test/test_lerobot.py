"""LeRobot's interface: degrees, values of other joints kept, starts outside the limits kept."""

import pickle
import threading

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node.lerobot import RobotKinematics
from ik_node.support.exceptions import InputError, ModelError

MOTORS = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper']
NEAR = 5.0  # degrees


@pytest.fixture(scope='module')
def arm():
    return RobotKinematics(str(robots.path('so101')), joint_names=MOTORS)


def values(arm, rng, count=1, inside=0.0):
    """Return random joint values of the arm (count, 6), degrees, inside its limits by a margin."""
    low, high = np.rad2deg(arm.chain.lower) + inside, np.rad2deg(arm.chain.upper) - inside
    return np.c_[rng.uniform(low, high, (count, 5)), rng.uniform(0.0, 50.0, count)]


def off(arm, q, T):
    """Return by how much the frame at joint values is off a pose, m."""
    return np.linalg.norm(arm.forward_kinematics(q)[:3, 3] - T[:3, 3])


def cost(arm, q, T, weights=(1.0, 0.01)):
    there = arm.forward_kinematics(q)
    turn = Rotation.from_matrix(T[:3, :3] @ there[:3, :3].T).magnitude()
    return (weights[0] * np.linalg.norm(there[:3, 3] - T[:3, 3])) ** 2 + (weights[1] * turn) ** 2


def test_forward_kinematics_is_that_of_the_chain_at_degrees(arm):
    assert arm.joint_names == MOTORS
    for q in values(arm, np.random.default_rng(0), 5):
        expected = robots.chain('so101').forward(np.radians(q[:5]))
        assert arm.forward_kinematics(q) == pytest.approx(expected, abs=1e-12)
        assert arm.forward_kinematics([*q, 7.0]) == pytest.approx(expected, abs=1e-12)
        assert arm.forward_kinematics(q.astype(np.float32)) == pytest.approx(expected, abs=1e-6)


def test_one_call_from_near_a_pose_comes_within_a_millimetre_of_it(arm):
    rng = np.random.default_rng(1)
    for q in values(arm, rng, robots.samples(1000)):
        T = arm.forward_kinematics(q)
        found = arm.inverse_kinematics(q + rng.uniform(-NEAR, NEAR, 6), T)
        assert off(arm, found, T) < 1e-3


def test_the_gripper_and_further_values_are_returned_as_they_are(arm):
    q = values(arm, np.random.default_rng(2))[0]
    T = arm.forward_kinematics(q)
    start = np.append(q + 2.0, [11.0, -3.5])
    before = start.copy()
    found = arm.inverse_kinematics(start, T)
    assert found.shape == (8,)
    assert found[5:].tolist() == before[5:].tolist()
    assert found[:5] == pytest.approx(q[:5], abs=1e-3)
    assert start.tolist() == before.tolist()
    whole = arm.inverse_kinematics(np.array([10, 20, -30, 5, 0, 45]), T)
    assert whole.dtype == float
    assert whole[5] == 45.0


@pytest.mark.parametrize('joint', range(5))
@pytest.mark.parametrize('side', ['lower', 'upper'])
def test_a_start_outside_the_limits_is_kept_where_it_meets_the_pose(arm, joint, side):
    q = values(arm, np.random.default_rng(3), inside=20.0)[0]
    q[joint] = np.rad2deg(getattr(arm.chain, side)[joint]) + (4.0 if side == 'upper' else -4.0)
    assert arm.inverse_kinematics(q, arm.forward_kinematics(q)) == pytest.approx(q, abs=1e-6)


def test_a_joint_outside_its_limits_goes_no_farther(arm):
    rng = np.random.default_rng(4)
    low, high = np.rad2deg(arm.chain.lower), np.rad2deg(arm.chain.upper)
    farther = 0
    for start in values(arm, rng, robots.samples(100)):
        start[:5] += rng.uniform(-1.0, 1.0, 5) * np.where(rng.random(5) < 0.5, 300.0, 0.0)
        start[:5] = np.clip(start[:5], low - 6.0, high + 6.0)
        wanted = start + rng.uniform(-15.0, 15.0, 6)
        found = arm.inverse_kinematics(start, arm.forward_kinematics(wanted))[:5]
        assert (found >= np.minimum(low, start[:5]) - 1e-9).all()
        assert (found <= np.maximum(high, start[:5]) + 1e-9).all()
        farther += int(((wanted[:5] < low - 6.0) | (wanted[:5] > high + 6.0)).any())
    assert farther > 0


def test_what_cannot_be_met_ends_at_a_minimum_of_the_weighted_error(arm):
    rng = np.random.default_rng(5)
    for q in values(arm, rng, robots.samples(50), inside=10.0):
        T = arm.forward_kinematics(q)
        T[:3, :3] = Rotation.from_rotvec(rng.uniform(-0.3, 0.3, 3)).as_matrix() @ T[:3, :3]
        T[:3, 3] += rng.uniform(-0.02, 0.02, 3)
        found = arm.inverse_kinematics(q, T)
        least = cost(arm, found, T)
        for change in rng.normal(0.0, 0.05, (30, 5)):
            other = found.copy()
            other[:5] = np.clip(other[:5] + change, np.rad2deg(arm.chain.lower),
                                np.rad2deg(arm.chain.upper))
            assert cost(arm, other, T) > 0.99 * least - 1e-12


def test_weights_decide_between_position_and_orientation(arm):
    q = values(arm, np.random.default_rng(6), inside=30.0)[0]
    T = arm.forward_kinematics(q)
    T[:3, :3] = Rotation.from_rotvec([0.0, 0.0, 0.6]).as_matrix() @ T[:3, :3]
    position = arm.inverse_kinematics(q, T, orientation_weight=0.0)
    assert off(arm, position, T) < 1e-5
    T[:3, 3] += 0.05
    little, much = (arm.inverse_kinematics(q, T, 1.0, weight) for weight in (0.01, 1.0))
    assert off(arm, little, T) < off(arm, much, T)
    assert cost(arm, much, T, (0.0, 1.0)) < cost(arm, little, T, (0.0, 1.0))


def test_names_in_another_order_and_joints_that_are_not_named():
    file = str(robots.path('so101'))
    rng = np.random.default_rng(7)
    usual, turned = RobotKinematics(file), RobotKinematics(file, joint_names=MOTORS[::-1])
    q = values(usual, rng, inside=10.0)[0]
    T = usual.forward_kinematics(q)
    assert turned.forward_kinematics(q[::-1]) == pytest.approx(T, abs=1e-12)
    assert turned.inverse_kinematics(q[::-1] + 1.0, T)[:0:-1] == pytest.approx(q[:5], abs=1e-3)
    some = RobotKinematics(file, joint_names=['elbow_flex', 'shoulder_pan'])
    q = np.zeros(6)
    q[[2, 0]] = 25.0, -40.0
    T = some.forward_kinematics([25.0, -40.0])
    assert T == pytest.approx(usual.forward_kinematics(q), abs=1e-12)
    assert some.inverse_kinematics([20.0, -35.0], T) == pytest.approx([25.0, -40.0], abs=1e-3)


def test_other_robots_and_formats_are_read(tmp_path):
    file = tmp_path / 'arm.yaml'
    file.write_text('convention: standard\nangle_unit: deg\njoints:\n' + ''.join(
        f'  - {{name: j{k}, type: revolute, a: 0.2, alpha: {90 * (k % 2)}, d: 0.1, theta: 0}}\n'
        for k in range(6)))
    arm = RobotKinematics(file, 'tool')
    q = np.array([10.0, 20.0, -30.0, 40.0, 25.0, 5.0])
    T = arm.forward_kinematics(q)
    assert off(arm, arm.inverse_kinematics(q + 3.0, T), T) < 1e-5


def test_threads_may_share_it(arm):
    q = values(arm, np.random.default_rng(8), 40, inside=10.0)
    poses = [arm.forward_kinematics(one) for one in q]
    wrong = []

    def work(weight):
        for one, T in zip(q, poses):
            found = arm.inverse_kinematics(one + 1.0, T, 1.0, weight)
            if off(arm, found, T) > 1e-4:
                wrong.append(weight)
    threads = [threading.Thread(target=work, args=(weight,)) for weight in (0.01, 0.0, 0.5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize('change', [
    np.asfortranarray, np.ndarray.tolist, lambda T: np.repeat(T, 2, axis=0)[::2],
    lambda T: T + 1e-8 * np.eye(4)[[1, 0, 2, 3]] * np.array([1.0, 1.0, 1.0, 0.0])],
    ids=['column by column', 'list', 'view', 'rounded'])
def test_poses_and_values_in_any_memory_or_slightly_rounded_are_taken_alike(arm, change):
    q = values(arm, np.random.default_rng(9), inside=10.0)[0]
    T = arm.forward_kinematics(q)
    expected = arm.inverse_kinematics(q + 1.0, T)
    reached = arm.inverse_kinematics(q + 1.0, change(T))
    assert reached == pytest.approx(expected, abs=1e-3)
    for same in ((q + 1.0)[::-1].copy()[::-1], (q + 1.0).tolist(), (q + 1.0).astype('>f8')):
        assert arm.inverse_kinematics(same, T).tolist() == expected.tolist()
    fixed = q + 1.0
    fixed.flags.writeable = T.flags.writeable = False
    assert arm.inverse_kinematics(fixed, T).tolist() == expected.tolist()


def test_a_pickled_one_returns_the_same(arm):
    q = values(arm, np.random.default_rng(10))[0]
    T = arm.forward_kinematics(q)
    again = pickle.loads(pickle.dumps(arm))
    assert (again.inverse_kinematics(q + 2.0, T).tolist()
            == arm.inverse_kinematics(q + 2.0, T).tolist())


def test_malformed_arguments_are_refused_with_the_reason(arm):
    file, T = str(robots.path('so101')), np.eye(4)
    with pytest.raises(ModelError, match='no_such_frame'):
        RobotKinematics(file, 'no_such_frame')
    with pytest.raises(ModelError, match='nowhere'):
        RobotKinematics('nowhere.urdf')
    for wrong in (['elbow'], ['elbow_flex', 'elbow_flex'], [3], 5):
        with pytest.raises(InputError, match='joint_names'):
            RobotKinematics(file, joint_names=wrong)
    with pytest.raises(ModelError, match='moves'):
        RobotKinematics(file, joint_names=['gripper'])
    for wrong in ([1.0] * 5, [[1.0] * 6], 'text', [float('nan')] * 6, None, np.ones(5),
                  np.ones((1, 6)), np.full(6, np.inf), np.ma.masked_array(np.ones(6), True)):
        with pytest.raises(InputError, match='q0|joint values'):
            arm.inverse_kinematics(wrong, T)
    for wrong in (np.eye(3), 2.0 * np.eye(4), None, np.full((4, 4), np.nan),
                  np.ma.masked_array(np.eye(4), True)):
        with pytest.raises(InputError, match='a goal pose'):
            arm.inverse_kinematics(np.zeros(6), wrong)
    for wrong in ((-1.0, 1.0), (0.0, 0.0), (float('nan'), 1.0), ('a', 1.0)):
        with pytest.raises(InputError, match='weight|axis'):
            arm.inverse_kinematics(np.zeros(6), T, *wrong)
