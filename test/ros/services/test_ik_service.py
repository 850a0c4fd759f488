"""~/compute_ik on a running node: with MoveIt's messages, or plainly without."""

import importlib.util

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from sensor_msgs.msg import JointState

from harness.bent_arm import ARM, CHAIN
from harness.node_here import running
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.services.ik_request import Code

HAVE_MOVEIT = importlib.util.find_spec('moveit_msgs') is not None
with_moveit = pytest.mark.skipif(
    not HAVE_MOVEIT, reason='moveit_msgs comes with MoveIt, not from PyPI')


@pytest.mark.skipif(HAVE_MOVEIT, reason='moveit_msgs is installed')
def test_without_moveits_messages_the_node_says_so_once_and_goes_on():
    with running(urdf_path=ARM) as node:
        assert node.transition('deactivate')
        assert node.transition('cleanup')
        assert node.transition('configure')
        assert node.transition('activate')
        missing = 'there is no service ~/compute_ik: moveit_msgs is not'
        assert node.log().count(missing) == 1
        assert missing not in node.log().split('\n')[0]  # a robot is what comes first
        assert node.client.send(CHAIN.forward([0.3, -0.4, 0.6, 0.2, -0.7, -0.1])).met


@pytest.fixture(scope='module')
def node():
    with running(urdf_path=ARM, frame_prefix='a/', **{
            'dls.max_restarts': 5000, 'publish_rate': 0.0}) as running_node:
        yield running_node.ready()


def ask(node, **fields):
    from moveit_msgs.srv import GetPositionIK
    request = GetPositionIK.Request()
    for name, value in fields.items():
        setattr(request.ik_request, name, value)
    return node.call(GetPositionIK, 'ik_node/compute_ik', request)


def stamped(T, frame=''):
    from geometry_msgs.msg import PoseStamped
    message = PoseStamped(pose=matrix_to_pose(T))
    message.header.frame_id = frame
    return message


@with_moveit
def test_the_codes_are_moveits():
    from moveit_msgs.msg import MoveItErrorCodes
    assert {code.name: int(code) for code in Code} == {
        code.name: getattr(MoveItErrorCodes, code.name) for code in Code}


@with_moveit
def test_a_request_has_a_solution_and_nothing_moves(node):
    from moveit_msgs.msg import RobotState
    start = np.array([0.3, -0.4, 0.6, 0.2, -0.7, -0.1])
    states = node.listen(JointState, 'joint_states')
    statuses = node.listen(DiagnosticStatus, 'ik_node/status')
    closer = np.eye(4)
    closer[0, 3] = -0.02
    response = ask(node, pose_stamped=stamped(closer, 'a/tool0'), ik_link_name='tool0',
                   robot_state=RobotState(joint_state=JointState(
                       name=list(CHAIN.joint_names), position=start.tolist())))
    assert response.error_code.val == response.error_code.SUCCESS, response.error_code.message
    assert response.error_code.source == '/ik_node'
    found = response.solution.joint_state
    assert found.header.frame_id == 'a/base_link'
    assert found.name == list(CHAIN.joint_names)
    assert CHAIN.forward(list(found.position)) == pytest.approx(
        CHAIN.forward(start) @ closer, abs=2e-6)
    node.settle()
    assert (states, statuses) == ([], [])
    off = CHAIN.forward([0.1] * 6)
    off[0, 3] = 9.0
    refused = node.client.send(off)  # its joint states tell where the robot is
    assert [refused.joints[name] for name in CHAIN.joint_names] == CHAIN.neutral().tolist()


@with_moveit
def test_what_cannot_be_solved_has_its_code_and_no_solution(node):
    far = np.eye(4)
    far[0, 3] = 9.0
    response = ask(node, pose_stamped=stamped(far))
    assert response.error_code.val == response.error_code.NO_IK_SOLUTION
    assert 'out of reach' in response.error_code.message
    assert list(response.solution.joint_state.name) == []
    response = ask(node, pose_stamped=stamped(np.eye(4), 'nowhere'))
    assert response.error_code.val == response.error_code.FRAME_TRANSFORM_FAILURE
    for mode, code in (('check', 'SUCCESS'), ('report', 'COLLISION_CHECKING_UNAVAILABLE'),
                       ('ignore', 'SUCCESS')):
        assert node.set(avoid_collisions=mode)[0]
        response = ask(node, avoid_collisions=True, pose_stamped=stamped(CHAIN.forward([0.1] * 6)))
        assert response.error_code.val == getattr(response.error_code, code)
    assert node.set(avoid_collisions='check')[0]
    assert node.alive()


@with_moveit
def test_a_node_that_is_not_active_responds_with_a_failure(node):
    assert node.transition('deactivate')
    response = ask(node, pose_stamped=stamped(CHAIN.forward([0.1] * 6)))
    assert response.error_code.val == response.error_code.FAILURE
    assert response.error_code.message == 'the node is not active'
    assert node.transition('activate')
    response = ask(node, pose_stamped=stamped(CHAIN.forward([0.1] * 6)))
    assert response.error_code.val == response.error_code.SUCCESS
