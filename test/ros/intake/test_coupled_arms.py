"""Arms of a node that share joints: goals, statuses, changes of parameters, refusals."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Path
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

import robots
from ik_node import KinematicTree
from ik_node.ros.conversions import array_to_point, matrix_to_pose
from node_here import NodeHere
from ros_harness import given

TORSO = robots.OWN / 'torso.urdf'
TREE = KinematicTree.from_urdf(TORSO)
NAMES = ('left', 'right')
BODY = TREE.body(joints=[name for name, joint in TREE.joints.items() if joint.moves
                         and name.startswith(('lift', 'waist', 'left_joint', 'right_joint'))])


@pytest.fixture(scope='module')
def shared():
    with NodeHere('-p', f'urdf_path:={TORSO}', '-p', 'arms:=[left, right]', *(
            word for name in NAMES for word in ('-p', f'{name}.tip_link:={name}_tool0'))) as node:
        node.statuses = node.listen(DiagnosticStatus, 'ik_node/status')
        assert node.until(lambda: node.node.count_publishers('ik_node/status') > 0, 90.0)
        node.ready()
        yield node


@pytest.fixture
def node(shared):
    assert shared.call(Trigger, 'ik_node/reset', Trigger.Request()).success
    shared.settle()
    shared.statuses.clear()
    return shared


def goals(seed):
    """Return poses of both tips that one configuration has."""
    rng = np.random.default_rng(seed)
    q = np.clip(BODY.neutral() + 0.25 * rng.uniform(-1.0, 1.0, BODY.n_joints), BODY.lower,
                BODY.upper)
    frames = BODY.forward(q)
    return {name: frames[f'{name}_tool0'] for name in NAMES}


def send(node, name, T):
    """Send a goal pose to an arm; return level and values of its status."""
    node.statuses.clear()
    node.publish(PoseStamped, f'{name}/goal_pose', PoseStamped(pose=matrix_to_pose(T)))
    return status(node)


def status(node):
    assert node.until(lambda: node.statuses), node.log()
    message = node.statuses[-1]
    return message, {pair.key: pair.value for pair in message.values}


def tips(node):
    """Return the poses of the tips in the joint states that come from now on."""
    state = node.joint_states(1)[-1]
    frames = TREE.forward({name: value for name, value in zip(state.name, state.position)
                           if TREE.joints[name].mimic is None})
    return {name: frames[f'{name}_tool0'] for name in NAMES}


def test_goals_of_both_are_met_and_stay_met(node):
    wanted = goals(1)
    before = tips(node)
    message, values = send(node, 'left', wanted['left'])
    assert message.level == DiagnosticStatus.OK, message.message
    assert (values['arm'], values['task'], values['solver']) == ('left', '', 'least_squares')
    assert tips(node)['right'] == pytest.approx(before['right'], abs=1e-5)
    message, values = send(node, 'right', wanted['right'])
    assert (message.level, values['arm']) == (DiagnosticStatus.OK, 'right')
    for name, T in tips(node).items():
        assert T == pytest.approx(wanted[name], abs=1e-5)


def test_a_goal_point_leaves_the_orientation_free(node):
    before = tips(node)
    p = before['left'][:3, 3] + [-0.2, 0.1, -0.3]
    node.publish(PointStamped, 'left/goal_point', PointStamped(point=array_to_point(p)))
    assert status(node)[0].level == DiagnosticStatus.OK
    now = tips(node)
    assert now['left'][:3, 3] == pytest.approx(p, abs=1e-5)
    assert not np.allclose(now['left'][:3, :3], before['left'][:3, :3], atol=1e-2)
    assert now['right'] == pytest.approx(before['right'], abs=1e-5)


def test_a_goal_out_of_reach_is_reported_for_its_arm_and_the_other_holds(node):
    before = tips(node)
    far = before['left'].copy()
    far[:3, 3] = [0.0, 0.0, 9.0]
    message, values = send(node, 'left', far)
    assert (message.level, values['arm']) == (DiagnosticStatus.ERROR, 'left')
    assert 'left' in message.message
    assert tips(node)['left'] == pytest.approx(before['left'], abs=1e-9)
    assert node.set(on_failure='closest') == (True, '')
    message, _ = send(node, 'left', far)
    assert message.level == DiagnosticStatus.WARN
    assert tips(node)['left'][2, 3] > before['left'][2, 3] + 0.05
    assert node.set(on_failure='hold') == (True, '')


def test_goals_are_in_the_frames_of_links(node):
    wanted, before = goals(2)['left'], tips(node)
    frames = TREE.forward({})
    node.statuses.clear()
    goal = PoseStamped(pose=matrix_to_pose(np.linalg.inv(frames['torso_link']) @ wanted))
    goal.header.frame_id = 'torso_link'
    node.publish(PoseStamped, 'left/goal_pose', goal)
    assert status(node)[0].level == DiagnosticStatus.OK
    assert tips(node)['left'] == pytest.approx(wanted, abs=1e-5)
    assert tips(node)['right'] == pytest.approx(before['right'], abs=1e-5)


def test_one_of_them_moves_through_a_path_while_the_other_stays(node):
    before, wanted = tips(node), goals(3)['left']
    middle = before['left'].copy()
    middle[:3, 3] = 0.5 * (before['left'][:3, 3] + wanted[:3, 3])
    path = Path(poses=[PoseStamped(pose=matrix_to_pose(T)) for T in (middle, wanted)])
    node.publish(Path, 'left/goal_path', path)
    assert node.until(lambda: len(node.statuses) == 2), node.log()
    for number, message in enumerate(node.statuses, 1):
        assert message.message == f'waypoint {number} of 2: the goal is met'
    assert status(node)[1]['arm'] == 'left'
    assert tips(node)['left'] == pytest.approx(wanted, abs=1e-5)
    assert tips(node)['right'] == pytest.approx(before['right'], abs=1e-5)


def test_solver_and_base_can_be_changed_while_it_runs(node):
    wanted = goals(3)
    assert node.set(left__solver='hierarchy') == (True, '')
    assert send(node, 'right', wanted['right'])[1]['solver'] == 'hierarchy'
    accepted, reason = node.set(right__solver='lagrange')
    assert not accepted
    assert "'left.solver', 'right.solver' must be the same" in reason
    accepted, reason = node.set(right__solver='ccd')
    assert not accepted
    assert "the arms 'left', 'right' share joints and are solved together" in reason
    assert node.set(left__solver='dls') == (True, '')
    assert node.set(left__base_link='torso_link') == (True, '')  # the right one lifts both alone
    before = tips(node)
    T = np.linalg.inv(TREE.forward({})['torso_link']) @ before['left']
    T[2, 3] += 0.02
    message, values = send(node, 'left', T)
    assert (message.level, values['solver']) == (DiagnosticStatus.OK, 'dls'), message.message
    assert node.set(left__base_link='') == (True, '')
    assert send(node, 'left', wanted['left'])[1]['solver'] == 'least_squares'
    assert node.alive()


@pytest.mark.parametrize('name', NAMES)
def test_with_an_invalid_topic_at_the_start_that_of_the_other_arm_is_used(name):
    pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')
    other, = set(NAMES) - {name}
    with NodeHere(*given({
            'urdf_path': TORSO, 'arms': '[left, right]', 'motion': 'joint',
            'left__tip_link': 'left_tool0', 'right__tip_link': 'right_tool0',
            f'{name}__trajectory_topic': 'no topic!',
            f'{other}__trajectory_topic': 'motions'})) as node:
        node.ready()
        assert f"parameter {name}.trajectory_topic: " in node.log()
        assert "'' is used instead" in node.log()
        motions = node.listen(JointTrajectory, 'motions')
        goal = {one: BODY.forward(BODY.neutral() + 0.1)[f'{one}_tool0'] for one in NAMES}[name]
        assert node.client.send(goal, task=name).met
        assert motions[-1].joint_names == list(BODY.joint_names)
