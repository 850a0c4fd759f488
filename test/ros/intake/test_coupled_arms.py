"""Arms of a node that share joints: goals, statuses, changes of parameters, refusals.

How they are solved together is tested in `control`.
"""

import numpy as np
import pytest
from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Path
from trajectory_msgs.msg import JointTrajectory

import robots
from harness.node_here import running
from ik_node.ros.conversions import array_to_point, matrix_to_pose

TORSO = robots.OWN / 'torso.urdf'
TREE = robots.tree('torso')
NAMES = ('left', 'right')
TIPS = {f'{name}__tip_link': f'{name}_tool0' for name in NAMES}
BODY = TREE.body(joints=[name for name, joint in TREE.joints.items() if joint.moves
                         and name.startswith(('lift', 'waist', 'left_joint', 'right_joint'))])


@pytest.fixture(scope='module')
def shared():
    with running(urdf_path=TORSO, arms='[left, right]', **TIPS) as node:
        yield node


@pytest.fixture
def node(shared):
    assert shared.reset().success
    return shared


def goals(seed):
    """Return poses of both tips that one configuration has."""
    rng = np.random.default_rng(seed)
    q = np.clip(BODY.neutral() + 0.25 * rng.uniform(-1.0, 1.0, BODY.n_joints), BODY.lower,
                BODY.upper)
    frames = BODY.forward(q)
    return {name: frames[f'{name}_tool0'] for name in NAMES}


def send(node, name, T, frame=''):
    message = PoseStamped(pose=matrix_to_pose(T))
    message.header.frame_id = frame
    return node.send(f'{name}/goal_pose', message)


def tips(node):
    """Return the poses of the tips in the next joint states."""
    frames = TREE.forward({name: value for name, value in node.values().items()
                           if TREE.joints[name].mimic is None})
    return {name: frames[f'{name}_tool0'] for name in NAMES}


def test_goals_of_each_kind_are_met_and_the_other_arm_stays(node):
    wanted, before = goals(1), tips(node)
    report = send(node, 'left', wanted['left'])
    assert report.level == 0, report.message
    assert [report.values[key] for key in ('arm', 'task', 'solver')] == [
        'left', '', 'least_squares']
    assert tips(node)['right'] == pytest.approx(before['right'], abs=1e-5)
    report = send(node, 'right', np.linalg.inv(TREE.forward({})['torso_link']) @ wanted['right'],
                  'torso_link')  # the joints between have moved
    assert (report.level, report.values['arm']) == (0, 'right')
    assert tips(node)['left'] == pytest.approx(wanted['left'], abs=1e-5)
    p = tips(node)['left'][:3, 3] + [-0.05, 0.1, -0.1]
    assert node.send('left/goal_point', PointStamped(point=array_to_point(p))).level == 0
    assert tips(node)['left'][:3, 3] == pytest.approx(p, abs=1e-5)
    path = Path(poses=[PoseStamped(pose=matrix_to_pose(goals(seed)['left'])) for seed in (1, 2)])
    report = node.send('left/goal_path', path, 2)
    assert (report.message, report.values['arm']) == ('waypoint 2 of 2: the goal is met', 'left')
    assert tips(node)['left'] == pytest.approx(goals(2)['left'], abs=1e-5)


@pytest.mark.parametrize('name', NAMES)
def test_with_an_invalid_topic_at_the_start_that_of_the_other_arm_is_used(name):
    pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')
    other, = set(NAMES) - {name}
    with running(urdf_path=TORSO, arms='[left, right]', motion='joint', **TIPS, **{
            f'{name}__trajectory_topic': 'no topic!',
            f'{other}__trajectory_topic': 'motions'}) as node:
        assert f"parameter {name}.trajectory_topic: " in node.log()
        assert "'' is used instead" in node.log()
        motions = node.listen(JointTrajectory, 'motions')
        T = BODY.forward(BODY.neutral() + 0.1)[f'{name}_tool0']
        assert node.client.send(T, task=name).met
        assert motions[-1].joint_names == list(BODY.joint_names)
