"""Where goals start from: what the real robot tells, and who else speaks of the joints."""

import math

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseArray, PoseStamped
from nav_msgs.msg import Path
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

import robots
from ik_node import KinematicTree, make_solver
from ik_node.ros.conversions import matrix_to_pose
from node_here import running

ARM = robots.OWN / 'arm_6r.urdf'
CHAIN = KinematicTree.from_urdf(ARM).chain()
SOMEWHERE = [0.4, -0.5, 0.7, 0.9, -0.3, -0.3]


@pytest.fixture(scope='module')
def node():
    with running(urdf_path=ARM, solver='analytic', state_topic='measured') as node:
        yield node.ready()


@pytest.fixture(scope='module')
def chain():
    return KinematicTree.from_urdf(ARM).chain()


def tell(node, joints, positions):
    """Publish a joint state as a robot's driver does."""
    node.publish(JointState, 'measured', JointState(name=joints, position=positions))


def configuration(node, chain):
    """Return what the next joint states say of the arm."""
    state = node.joint_states()[-1]
    known = dict(zip(state.name, state.position))
    return np.array([known[name] for name in chain.joint_names])


def test_before_the_first_goal_the_arm_stands_where_it_was_measured_in_any_order(node, chain):
    tell(node, [*chain.joint_names[::-1], 'wheel'], [*SOMEWHERE[::-1], 7.0])
    assert configuration(node, chain) == pytest.approx(SOMEWHERE), node.log()
    assert "are ignored: 'wheel'" in node.log()


def goals(chain):
    """Return goals of each kind, by their topics; the last one is converted beside others."""
    pose = matrix_to_pose(chain.forward(SOMEWHERE))
    return {'goal_pose': PoseStamped(pose=pose),
            'goal_point': PointStamped(point=pose.position),
            'goal_joints': JointState(name=list(chain.joint_names), position=SOMEWHERE),
            'goal_path': Path(poses=[PoseStamped(pose=pose)]),
            'goal_poses': PoseArray(poses=[pose] * 50)}


@pytest.mark.parametrize('topic', goals(CHAIN))
def test_a_goal_waits_for_the_first_measured_values_and_starts_from_them(chain, topic):
    pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')
    with running(urdf_path=ARM, state_topic='measured', motion='joint', tf_timeout=5.0,
                 trajectory_topic='motions') as node:
        statuses = node.listen(DiagnosticStatus, 'ik_node/status')
        motions, goal = node.listen(JointTrajectory, 'motions'), goals(chain)[topic]
        node.publish(type(goal), topic, goal)
        node.spin(0.5)
        tell(node, list(chain.joint_names[1:]), SOMEWHERE[1:])
        node.spin(0.5)
        assert statuses == []
        start = np.subtract(SOMEWHERE, 0.2).tolist()
        tell(node, list(chain.joint_names), start)
        assert node.until(lambda: statuses)
        assert statuses[-1].level == DiagnosticStatus.OK, statuses[-1].message
        node.spin(0.2)
        (motion,) = motions
        assert motion.points[0].positions.tolist() == start
        assert np.abs(np.subtract(motion.points[-1].positions, start)).max() > 0.1


@pytest.mark.parametrize('topic', goals(CHAIN))
@pytest.mark.parametrize('parameters', [{}, {'motion': 'cartesian', 'trajectory_topic': 'motions'}])
def test_a_goal_is_refused_where_the_arm_was_never_measured(chain, topic, parameters):
    with running(urdf_path=ARM, state_topic='measured', **parameters) as node:
        statuses = node.listen(DiagnosticStatus, 'ik_node/status')
        motions, goal = node.listen(JointTrajectory, 'motions'), goals(chain)[topic]
        before = configuration(node, chain)
        tell(node, ['wheel'], [1.0])
        node.publish(type(goal), topic, goal)
        assert node.until(lambda: statuses)
        assert statuses[-1].message == (
            f'measured has no values of {", ".join(chain.joint_names)} yet: it is not known where '
            'motions begin; waited 0.2 s for it')
        assert {pair.key: pair.value for pair in statuses[-1].values}['reason'] == 'REFUSED'
        node.spin(0.5)
        assert motions == []
        assert configuration(node, chain) == pytest.approx(before)


def test_with_a_controller_every_joint_must_have_been_measured(chain):
    pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')
    with running(urdf_path=ARM, state_topic='measured', motion='joint', trajectory_topic='motions',
                 tf_timeout=0.0) as node:
        tell(node, list(chain.joint_names[1:]), SOMEWHERE[1:])
        response = node.client.send(chain.forward(SOMEWHERE))
        assert response.message == (f'measured has no values of {chain.joint_names[0]} yet: it is '
                                    'not known where motions begin')
        tell(node, [chain.joint_names[0]], SOMEWHERE[:1])
        assert node.client.send(chain.forward(np.add(SOMEWHERE, 0.1))).met
        # So it is with another topic, of which nothing is known.
        assert node.set(state_topic='other') == (True, '')
        assert not node.client.send(chain.forward(SOMEWHERE)).met


def test_a_motion_to_the_start_pose_begins_where_the_arm_is_measured(chain):
    pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')
    with running(urdf_path=ARM, state_topic='measured', motion='joint',
                 trajectory_topic='motions') as node:
        motions = node.listen(JointTrajectory, 'motions')

        def reset():
            return node.call(Trigger, 'ik_node/reset', Trigger.Request())
        assert not reset().success
        assert 'it is not known where motions begin' in reset().message
        assert motions == []
        tell(node, list(chain.joint_names), SOMEWHERE)
        assert node.client.send(chain.forward(np.add(SOMEWHERE, 0.1))).met
        node.spin(3.0)
        by_hand = np.subtract(SOMEWHERE, 0.3).tolist()
        tell(node, list(chain.joint_names), by_hand)
        assert reset().success
        assert motions[-1].points[0].positions.tolist() == by_hand


def test_goals_are_warned_of_where_the_measured_state_is_old_or_has_not_all_joints(chain):
    goal = chain.forward(SOMEWHERE)
    with running(urdf_path=ARM, state_topic='measured') as node:
        tell(node, list(chain.joint_names[1:]), SOMEWHERE[1:])
        assert node.client.send(goal).met
        assert f"measured has no values of {chain.joint_names[0]}" in node.log()
        tell(node, list(chain.joint_names), SOMEWHERE)
        node.spin(0.9)
        assert node.client.send(goal).met
        silent = 'measured is silent: goals start from its last values'
        assert silent not in node.log()
        node.spin(0.2)
        assert node.client.send(goal).met
        assert silent in node.log()


def test_a_goal_starts_from_where_the_robot_was_measured(node, chain):
    # Both answers are exact; which branch is the nearest depends on where the arm starts.
    goal = chain.forward(SOMEWHERE)
    assert node.client.send(goal).met
    assert configuration(node, chain) == pytest.approx(SOMEWHERE, abs=1e-6)
    branches = make_solver('analytic', chain).solve_all(goal)
    flipped = max(branches, key=lambda q: np.abs(q - SOMEWHERE).max())
    tell(node, list(chain.joint_names), flipped.tolist())
    # It stays where it was sent.
    assert configuration(node, chain) == pytest.approx(SOMEWHERE, abs=1e-6)
    assert node.client.send(goal).met
    assert configuration(node, chain) == pytest.approx(flipped, abs=1e-6)


def test_a_state_that_tells_of_some_joints_leaves_the_others(node, chain):
    tell(node, [chain.joint_names[0]], [SOMEWHERE[0] + 0.2])
    answer = node.client.send(chain.forward(SOMEWHERE))
    assert answer.met
    assert node.alive()


def test_an_arm_on_its_way_goes_on_from_where_it_was_commanded(chain):
    pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')
    with running(urdf_path=ARM, state_topic='measured', motion='joint', speed=0.5,
                 publish_rate=100.0) as node:
        states = node.listen(JointState, 'joint_states')
        tell(node, list(chain.joint_names), [0.0] * 6)
        assert node.client.send(chain.forward(SOMEWHERE)).met
        node.spin(0.5)
        assert any(states[-1].velocity)
        tell(node, list(chain.joint_names), [0.5 * (lower + upper) - 0.3 for lower, upper in zip(
            chain.lower, chain.upper)])
        assert node.client.send(chain.forward(np.add(SOMEWHERE, 0.1))).met
        node.spin(0.5)
        steps = np.abs(np.diff([state.position for state in states], axis=0))
        assert steps.max() < 0.03, steps.max()


@pytest.mark.parametrize(('joints', 'positions', 'why'), [
    (['joint_1', 'joint_2'], [0.1], '2 names and 1 positions'),
    (['joint_1'], [math.nan], 'not a finite number'),
    (['joint_1'], [math.inf], 'not a finite number')])
def test_a_malformed_state_is_refused_with_the_reason(node, chain, joints, positions, why):
    before = configuration(node, chain)
    tell(node, joints, positions)
    assert why in node.log(), node.log()
    assert configuration(node, chain) == pytest.approx(before)
    assert node.alive()


def test_its_own_joint_states_are_no_measurement(node):
    accepted, reason = node.set(state_topic='joint_states')
    assert not accepted
    assert 'its own joint states' in reason
    assert not node.set(state_topic='not a name')[0]


def test_goals_older_than_allowed_are_refused_and_those_without_a_stamp_are_not(node, chain):
    statuses = node.listen(DiagnosticStatus, 'ik_node/status')
    goal = PoseStamped(pose=matrix_to_pose(chain.forward(SOMEWHERE)))
    assert node.set(max_goal_age=0.5) == (True, '')
    goal.header.stamp = node.node.get_clock().now().to_msg()
    goal.header.stamp.sec -= 2
    node.publish(PoseStamped, 'goal_pose', goal)
    assert node.until(lambda: statuses)
    assert 'more than max_goal_age allows' in statuses.pop().message
    goal.header.stamp.sec = -1
    node.publish(PoseStamped, 'goal_pose', goal)
    assert node.until(lambda: statuses)
    assert 'is not a time' in statuses.pop().message
    goal.header.stamp.sec = goal.header.stamp.nanosec = 0
    node.publish(PoseStamped, 'goal_pose', goal)
    assert node.until(lambda: statuses)
    assert statuses.pop().level == DiagnosticStatus.OK
    assert node.client.send(chain.forward(SOMEWHERE)).met  # stamped just now
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
