"""Where goals start from: what is measured of the robot, and other publishers of its joints."""


import numpy as np
import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PointStamped, PoseArray, PoseStamped
from nav_msgs.msg import Path
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from harness.bent_arm import ARM, CHAIN
from harness.node_here import running
from ik_node import make_solver
from ik_node.ros.conversions import matrix_to_pose

SOMEWHERE = [0.4, -0.5, 0.7, 0.9, -0.3, -0.3]


@pytest.fixture(scope='module')
def node():
    with running(urdf_path=ARM, solver='analytic', state_topic='measured') as node:
        measure(node.ready(), list(CHAIN.joint_names), SOMEWHERE)
        yield node


def measure(node, joints, positions):
    """Publish a joint state as a robot's driver does."""
    node.publish(JointState, 'measured', JointState(name=joints, position=positions))


def test_before_the_first_goal_the_arm_stands_where_it_was_measured_in_any_order():
    with running(urdf_path=ARM, state_topic='measured') as node:
        measure(node, [*CHAIN.joint_names[::-1], 'wheel'], [*SOMEWHERE[::-1], 7.0])
        assert node.q(CHAIN) == pytest.approx(SOMEWHERE), node.log()
        assert "are ignored: 'wheel'" in node.log()


def goals():
    """Return goals of each kind, by their topics; the last one is converted beside others."""
    pose = matrix_to_pose(CHAIN.forward(SOMEWHERE))
    return {'goal_pose': PoseStamped(pose=pose),
            'goal_point': PointStamped(point=pose.position),
            'goal_joints': JointState(name=list(CHAIN.joint_names), position=SOMEWHERE),
            'goal_path': Path(poses=[PoseStamped(pose=pose)]),
            'goal_poses': PoseArray(poses=[pose] * 50)}


@pytest.mark.parametrize('topic', goals())
def test_a_goal_waits_for_the_first_measured_values_and_starts_from_them(topic):
    pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')
    with running(urdf_path=ARM, state_topic='measured', motion='joint', tf_timeout=5.0,
                 trajectory_topic='motions') as node:
        motions, goal = node.listen(JointTrajectory, 'motions'), goals()[topic]
        assert node.reports == []
        node.publish(type(goal), topic, goal)
        node.spin(0.5)
        measure(node, list(CHAIN.joint_names[1:]), SOMEWHERE[1:])
        node.spin(0.5)
        assert node.reports == []
        start = np.subtract(SOMEWHERE, 0.2).tolist()
        measure(node, list(CHAIN.joint_names), start)
        assert node.until(lambda: node.reports)
        assert node.reports[-1].level == 0, node.reports[-1]
        node.spin(0.2)
        (motion,) = motions
        assert motion.points[0].positions.tolist() == start
        assert np.abs(np.subtract(motion.points[-1].positions, start)).max() > 0.1


@pytest.mark.parametrize('topic', goals())
@pytest.mark.parametrize('parameters', [{}, {'motion': 'cartesian', 'trajectory_topic': 'motions'}])
def test_a_goal_is_refused_where_the_arm_was_never_measured(topic, parameters):
    with running(urdf_path=ARM, state_topic='measured', **parameters) as node:
        motions, before = node.listen(JointTrajectory, 'motions'), node.q(CHAIN)
        measure(node, ['wheel'], [1.0])
        report = node.send(topic, goals()[topic])
        assert report.message == (
            f'measured has no values of {", ".join(CHAIN.joint_names)} yet: it is not known where '
            'motions begin; waited 0.2 s for it')
        assert report.values['reason'] == 'REFUSED'
        node.spin(0.5)
        assert motions == []
        assert node.q(CHAIN) == pytest.approx(before)


def test_with_a_controller_every_joint_must_have_been_measured():
    pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')
    with running(urdf_path=ARM, state_topic='measured', motion='joint', trajectory_topic='motions',
                 tf_timeout=0.0) as node:
        measure(node, list(CHAIN.joint_names[1:]), SOMEWHERE[1:])
        response = node.client.send(CHAIN.forward(SOMEWHERE))
        assert response.message == (f'measured has no values of {CHAIN.joint_names[0]} yet: it is '
                                    'not known where motions begin')
        measure(node, [CHAIN.joint_names[0]], SOMEWHERE[:1])
        assert node.client.send(CHAIN.forward(np.add(SOMEWHERE, 0.1))).met
        # So it is with another topic, of which nothing is known.
        assert node.set(state_topic='other') == (True, '')
        assert not node.client.send(CHAIN.forward(SOMEWHERE)).met


def test_a_motion_to_the_start_pose_begins_where_the_arm_is_measured():
    pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')
    with running(urdf_path=ARM, state_topic='measured', motion='joint',
                 trajectory_topic='motions') as node:
        motions = node.listen(JointTrajectory, 'motions')

        assert not node.reset().success
        assert 'it is not known where motions begin' in node.reset().message
        assert motions == []
        measure(node, list(CHAIN.joint_names), SOMEWHERE)
        assert node.client.send(CHAIN.forward(np.add(SOMEWHERE, 0.1))).met
        node.spin(3.0)
        by_hand = np.subtract(SOMEWHERE, 0.3).tolist()
        measure(node, list(CHAIN.joint_names), by_hand)
        assert node.reset().success
        assert motions[-1].points[0].positions.tolist() == by_hand


def test_goals_are_warned_of_where_the_measured_state_is_old_or_has_not_all_joints():
    goal = CHAIN.forward(SOMEWHERE)
    with running(urdf_path=ARM, state_topic='measured') as node:
        measure(node, list(CHAIN.joint_names[1:]), SOMEWHERE[1:])
        assert node.client.send(goal).met
        assert f"measured has no values of {CHAIN.joint_names[0]}" in node.log()
        measure(node, list(CHAIN.joint_names), SOMEWHERE)
        node.spin(0.9)
        assert node.client.send(goal).met
        silent = 'measured is silent: goals start from its last values'
        assert silent not in node.log()
        node.spin(0.2)
        assert node.client.send(goal).met
        assert silent in node.log()


def test_a_goal_starts_from_where_the_robot_was_measured(node):
    # Both answers are exact; which branch is the nearest depends on where the arm starts.
    goal = CHAIN.forward(SOMEWHERE)
    assert node.client.send(goal).met
    assert node.q(CHAIN) == pytest.approx(SOMEWHERE, abs=1e-6)
    branches = make_solver('analytic', CHAIN).solve_all(goal)
    flipped = max(branches, key=lambda q: np.abs(q - SOMEWHERE).max())
    measure(node, list(CHAIN.joint_names), flipped.tolist())
    # It stays where it was sent.
    assert node.q(CHAIN) == pytest.approx(SOMEWHERE, abs=1e-6)
    assert node.client.send(goal).met
    assert node.q(CHAIN) == pytest.approx(flipped, abs=1e-6)


def test_an_arm_on_its_way_goes_on_from_where_it_was_commanded():
    pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')
    with running(urdf_path=ARM, state_topic='measured', motion='joint', speed=0.5,
                 publish_rate=100.0) as node:
        states = node.listen(JointState, 'joint_states')
        measure(node, list(CHAIN.joint_names), [0.0] * 6)
        assert node.client.send(CHAIN.forward(SOMEWHERE)).met
        node.spin(0.5)
        assert any(states[-1].velocity)
        measure(node, list(CHAIN.joint_names), [0.5 * (lower + upper) - 0.3 for lower, upper in zip(
            CHAIN.lower, CHAIN.upper)])
        assert node.client.send(CHAIN.forward(np.add(SOMEWHERE, 0.1))).met
        node.spin(0.5)
        steps = np.abs(np.diff([state.position for state in states], axis=0))
        assert steps.max() < 0.03, steps.max()


def test_a_malformed_state_is_refused_with_the_reason(node):
    before = node.q(CHAIN)
    measure(node, ['joint_1', 'joint_2'], [0.1])
    assert '2 names and 1 positions' in node.log()
    assert node.q(CHAIN) == pytest.approx(before)
    assert node.alive()


@pytest.mark.parametrize(('stamp', 'words'), [
    (lambda now: Time(sec=now.sec - 2, nanosec=now.nanosec), 'more than max_goal_age allows'),
    (lambda now: Time(sec=-1), 'is not a time'), (lambda now: Time(), 'the goal is met'),
    (lambda now: now, 'the goal is met')], ids=['old', 'no time', 'without', 'now'])
def test_goals_older_than_allowed_are_refused_and_those_without_a_stamp_are_not(node, stamp, words):
    assert node.set(max_goal_age=0.5) == (True, '')
    goal = PoseStamped(pose=matrix_to_pose(CHAIN.forward(SOMEWHERE)))
    goal.header.stamp = stamp(node.node.get_clock().now().to_msg())
    assert words in node.send('goal_pose', goal).message
    assert node.set(max_goal_age=0.0) == (True, '')


def test_another_publisher_of_joint_states_is_noticed(node):
    health = node.listen(DiagnosticArray, '/diagnostics')
    other = node.node.create_publisher(JointState, 'joint_states', 10)
    assert node.until(lambda: '1 other publisher on /joint_states' in node.log()), node.log()
    assert node.until(lambda: health and 'other publisher' in health[-1].status[0].message)
    node.node.destroy_publisher(other)
    health.clear()
    assert node.until(lambda: health and 'other publisher' not in health[-1].status[0].message)
    values = {pair.key: pair.value for pair in health[-1].status[0].values}
    assert 'answer_time_p99' in values


CONTROLLED = {'urdf_path': ARM, 'state_topic': 'measured', 'motion': 'cartesian',
              'publish_rate': 100.0, 'output': 'trajectory', 'output_topic': 'motions'}


def test_a_goal_is_refused_where_the_robot_is_not_where_its_motion_is():
    first = CHAIN.joint_names[0]
    with running(**CONTROLLED, start_pose=SOMEWHERE) as node:
        states = node.listen(JointState, '/joint_states')
        measure(node, list(CHAIN.joint_names), SOMEWHERE)
        T = CHAIN.forward(SOMEWHERE)
        T[2, 3] -= 0.2
        goal = PoseStamped(pose=matrix_to_pose(T))
        assert node.send('goal_pose', goal).level == 0
        node.spin(0.6)
        q = states[-1].position.tolist()
        assert abs(q[0] - SOMEWHERE[0]) + max(map(abs, states[-1].velocity)) > 0.05
        measure(node, list(CHAIN.joint_names), [q[0] + 0.5, *q[1:]])
        report = node.send('goal_pose', goal)
        assert report.values['reason'] == 'REFUSED'
        assert f'joint {first!r} is measured at {q[0] + 0.5:.4g}, 0.' in report.message
        assert 'away from where its motion is' in report.message
        measure(node, list(CHAIN.joint_names), q)  # drives lag behind
        assert node.send('goal_pose', goal).level == 0


@pytest.mark.parametrize(('outside', 'tolerance', 'accepted'), [
    (0.02, 0.05, True), (0.2, 0.05, False), (0.2, 0.3, True), (0.2, 0.0, True)])
def test_a_motion_begins_as_far_from_a_joint_outside_its_limits_as_the_tolerance_allows(
        outside, tolerance, accepted):
    with running(**CONTROLLED, start_tolerance=tolerance) as node:
        q = [*SOMEWHERE[:2], CHAIN.upper[2] + outside, *SOMEWHERE[3:]]
        measure(node, list(CHAIN.joint_names), q)
        goal = JointState(name=list(CHAIN.joint_names), position=SOMEWHERE)
        report = node.send('goal_joints', goal)
        assert (report.level == 0) == accepted
        assert node.reset().success == accepted
        if not accepted:
            assert report.message == (
                f'joint {CHAIN.joint_names[2]!r} is measured at {q[2]:.4g}, 0.2 away from its '
                f'limits ({CHAIN.upper[2]:.4g}): a motion must begin within start_tolerance, 0.05')
