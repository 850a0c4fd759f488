"""Every branch of a goal, with its answer and on demand."""

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Point, PointStamped, PoseStamped
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

import robots
from ik_node import KinematicTree, make_solver
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.publishing.status import seconds
from node_here import NodeHere, running
from ros_harness import pose

PLANAR = robots.OWN / 'planar_3r.urdf'
CONFIGURATION = np.array([0.4, 0.9, -0.3])
ANGLE_ONLY = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]


@pytest.fixture(scope='module')
def chain():
    return KinematicTree.from_urdf(PLANAR).chain()


@pytest.fixture(scope='module')
def node():
    with running(urdf_path=PLANAR, solver='analytic', publish_solutions=True) as running_node:
        running_node.solutions = solutions_of(running_node)
        yield running_node


def solutions_of(node):
    """Return the list that what comes on ~/solutions goes to, the node being ready to answer."""
    node.ready()
    heard = node.listen(JointTrajectory, 'ik_node/solutions')
    assert node.until(lambda: node.node.count_publishers('ik_node/solutions') > 0), node.log()
    node.settle()
    return heard


def forget(node):
    """Let what is on its way arrive, and forget it."""
    node.settle()
    node.solutions.clear()


def branches(message):
    return np.array([point.positions for point in message.points])


def solve_all(node):
    return node.call(Trigger, 'ik_node/solve_all', Trigger.Request())


def next_of(node, heard):
    assert node.until(lambda: heard), node.log()
    node.settle()
    assert len(heard) == 1
    return heard.pop()


@pytest.mark.parametrize('elbow', [1.0, -1.0])
def test_the_branch_the_arm_stands_in_is_the_first(node, chain, elbow):
    node.stand(CONFIGURATION * [1.0, elbow, 1.0])
    goal = chain.forward((CONFIGURATION + 0.05) * [1.0, elbow, 1.0])
    forget(node)
    answer = node.client.send(goal)
    assert answer.met
    message = next_of(node, node.solutions)
    assert message.joint_names == list(chain.joint_names)
    found = branches(message)
    assert len(found) == 2
    assert found[0] == pytest.approx([answer.joints[name] for name in chain.joint_names], abs=1e-9)
    assert np.sign(found[:, 1]).tolist() == [elbow, -elbow]
    for q in found:
        assert chain.forward(q) == pytest.approx(goal, abs=1e-6)
    assert seconds(message.header.stamp) == answer.values['joint_stamp']
    assert message.header.frame_id == 'base_link'


def test_branches_are_those_of_the_goal_in_its_own_frame(node, chain):
    before = node.client.send(chain.forward(CONFIGURATION)).joints
    T = chain.tree.forward(before)['link_1']
    goal = pose(12.0, 7.0, yaw=1.0)
    forget(node)
    assert node.client.send(goal, frame='link_1').met
    found = branches(next_of(node, node.solutions))
    assert len(found) == 2
    for q in found:
        assert chain.forward(q) == pytest.approx(T @ goal, abs=1e-6)


def test_a_prefix_of_frames_is_that_of_the_branches_too(node, chain):
    assert node.set(frame_prefix='left/') == (True, '')
    try:
        forget(node)
        assert node.client.send(chain.forward(CONFIGURATION), frame='left/base_link').met
        assert next_of(node, node.solutions).header.frame_id == 'left/base_link'
    finally:
        assert node.set(frame_prefix='') == (True, '')


def test_branches_of_a_point_meet_it_at_many_angles_the_nearest_first(node, chain):
    node.stand(CONFIGURATION)
    x, y, z = map(float, chain.forward(CONFIGURATION + 0.02)[:3, 3])
    forget(node)
    node.publish(PointStamped, 'goal_point', PointStamped(point=Point(x=x, y=y, z=z)))
    found = branches(next_of(node, node.solutions))
    assert len(found) > 20
    for q in found:
        assert chain.forward(q)[:3, 3] == pytest.approx([x, y, z], abs=1e-5)
    now = np.array(node.joint_states()[0].position)
    apart = np.linalg.norm(found - now, axis=1)
    assert (np.diff(apart) >= 0.0).all()
    assert apart[0] < 0.1


def test_of_a_goal_out_of_reach_there_are_none(node, chain):
    forget(node)
    assert not node.client.send(pose(99.0, 0.0)).met
    message = next_of(node, node.solutions)
    assert message.joint_names == list(chain.joint_names)
    assert len(message.points) == 0


def test_branches_of_a_joint_that_turns_for_ever_are_those_nearest_to_where_it_stands(tmp_path):
    file = tmp_path / 'arm.urdf'
    file.write_text(robots.planar(1.0, 0.8).tree.to_urdf())
    chain = KinematicTree.from_urdf(file).chain()
    start = np.array([0.4 + 4.0 * np.pi, -0.9])
    with running(urdf_path=file, solver='analytic', publish_solutions=True,
                 start_pose=str(start.tolist())) as node:
        heard = solutions_of(node)
        for step in (0.05, 0.06, 0.07):  # what is published before it knows of us is lost
            assert node.client.send(chain.forward(start + step)).met
            if node.until(lambda: heard, 10.0):
                break
        found = branches(next_of(node, heard))
        assert found[0] == pytest.approx(start + step, abs=1e-6)
        assert (np.abs(found - start) < np.pi + 0.1).all()


def test_a_goal_that_has_no_closed_form_is_answered_all_the_same(chain):
    with running(urdf_path=PLANAR, solver='auto', publish_solutions=True,
                 task_weights=str(ANGLE_ONLY)) as node:
        heard = solutions_of(node)
        statuses = node.listen(DiagnosticStatus, 'ik_node/status')
        states = node.listen(JointState, 'joint_states')
        answer = node.client.send(pose(0.0, 0.0, yaw=0.7))
        assert answer.met
        assert answer.values['solver'] == 'auto (dls)'
        assert sum(answer.joints.values()) == pytest.approx(0.7, abs=1e-5)
        states.clear()
        assert node.until(lambda: len(states) > 3)
        assert node.until(lambda: statuses)
        assert len(statuses) == 1
        assert heard == []
        assert 'no solutions published: analytic on a planar arm needs' in node.log()
        response = solve_all(node)
        assert not response.success
        assert 'leaves it free' in response.message
        assert node.set(task_weights=[1.0] * 6) == (True, '')
        answer = node.client.send(chain.forward(CONFIGURATION))
        assert answer.values['solver'] == 'auto (dls)'
        assert len(next_of(node, heard).points) == 2
        assert node.alive()


def test_the_closed_form_lists_the_branches_whatever_solver_is_selected():
    with running(urdf_path=PLANAR, publish_solutions=True) as node:
        heard = solutions_of(node)
        assert node.client.send(pose(20.0, 5.0)).met
        assert len(next_of(node, heard).points) == 2
        assert node.alive()


def test_the_branches_of_the_last_goal_can_be_asked_for(chain):
    with running(urdf_path=PLANAR, solver='analytic') as node:
        heard = solutions_of(node)
        response = solve_all(node)
        assert (response.success, response.message) == (False, 'there is no goal yet')
        goal = chain.forward(CONFIGURATION)
        assert node.client.send(goal).met
        node.settle()
        assert heard == []  # not asked for yet
        response = solve_all(node)
        assert response.success
        assert response.message.startswith('2 branches inside the limits; planar 3R')
        for q in branches(next_of(node, heard)):
            assert chain.forward(q) == pytest.approx(goal, abs=1e-6)

        assert node.set(solver='dls') == (True, '')
        response = solve_all(node)
        assert (response.success, response.message) == (True, '2 branches inside the limits')
        assert len(next_of(node, heard).points) == 2
        assert node.set(solver='auto') == (True, '')  # the goal is still the last one
        assert solve_all(node).success
        assert len(next_of(node, heard).points) == 2

        assert node.set(tip_link='link_3', solver='dls')[0]  # but not of another tip
        assert solve_all(node).message == 'there is no goal yet'
        assert node.transition('deactivate')
        response = solve_all(node)
        assert (response.success, response.message) == (False, 'the node is not active')
        assert node.alive()


def test_each_arm_has_its_own_last_goal():
    file = robots.OWN / 'torso.urdf'
    chain = KinematicTree.from_urdf(file).chain('torso_link', 'left_tool0')
    with NodeHere('-p', f'urdf_path:={file}', '-p', 'arms:=[left, right]',
                       *(word for arm in ('left', 'right') for word in (
                           '-p', f'{arm}.base_link:=torso_link', '-p',
                           f'{arm}.tip_link:={arm}_tool0', '-p', f'{arm}.solver:=auto'))) as node:
        statuses = node.listen(DiagnosticStatus, 'ik_node/status')
        assert node.until(lambda: node.node.count_publishers('ik_node/status') > 0, 90.0)
        node.publish(PoseStamped, 'left/goal_pose', PoseStamped(
            pose=matrix_to_pose(chain.forward(0.3 * np.ones(chain.n_joints)))))
        assert node.until(lambda: statuses, 240.0), node.log()
        lines = solve_all(node).message.split('; ')
        assert lines[-1] == 'right: there is no goal yet'
        assert lines[0].startswith('left: ')
        assert make_solver('auto', chain).refusal in '; '.join(lines)
        assert node.alive()
