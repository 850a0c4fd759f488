import numpy as np
import pytest
from geometry_msgs.msg import PointStamped, PoseStamped
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

import robots
from harness.node_here import running
from harness.ros_harness import pose
from ik_node import KinematicTree, make_solver
from ik_node.ros.conversions import array_to_point, matrix_to_pose
from ik_node.ros.publishing.status import seconds

PLANAR = robots.OWN / 'planar_3r.urdf'
CHAIN = robots.chain('planar_3r')
Q = np.array([0.4, 0.9, -0.3])
GOAL = CHAIN.forward(Q)


@pytest.fixture(scope='module')
def node():
    with running(urdf_path=PLANAR, solver='analytic', publish_solutions=True) as node:
        node.solutions = node.listen(JointTrajectory, 'ik_node/solutions')
        yield node


def branches(node):
    """Return the only solutions that were published since (k, n)."""
    (message,) = node.solutions
    node.solutions.clear()
    assert message.joint_names == list(CHAIN.joint_names)
    return np.array([point.positions for point in message.points])


def solve_all(node):
    response = node.call(Trigger, 'ik_node/solve_all', Trigger.Request())
    return response.success, response.message


@pytest.mark.parametrize('elbow', [1.0, -1.0])
def test_the_branch_of_the_arm_is_the_first(node, elbow):
    node.stand(Q * [1.0, elbow, 1.0])
    goal = CHAIN.forward((Q + 0.05) * [1.0, elbow, 1.0])
    response = node.client.send(goal)
    assert response.met
    header = node.solutions[0].header
    assert (seconds(header.stamp), header.frame_id) == (response.values['joint_stamp'], 'base_link')
    found = branches(node)
    assert found[0] == pytest.approx(list(response.joints.values()), abs=1e-9)
    assert np.sign(found[:, 1]).tolist() == [elbow, -elbow]
    for q in found:
        assert CHAIN.forward(q) == pytest.approx(goal, abs=1e-6)


def test_branches_are_those_of_the_goal_in_its_own_frame_and_have_its_prefix(node):
    T = CHAIN.tree.forward(node.client.send(GOAL).joints)['link_1']
    goal = pose(12.0, 7.0, yaw=1.0)
    node.solutions.clear()
    assert node.set(frame_prefix='left/') == (True, '')
    try:
        assert node.client.send(goal, frame='left/link_1').met
        assert node.solutions[0].header.frame_id == 'left/base_link'
        found = branches(node)
        assert len(found) == 2
        for q in found:
            assert CHAIN.forward(q) == pytest.approx(T @ goal, abs=1e-6)
    finally:
        assert node.set(frame_prefix='') == (True, '')


def test_branches_of_a_point_meet_it_at_many_angles_the_nearest_first(node):
    node.stand(Q)
    p = CHAIN.forward(Q + 0.02)[:3, 3]
    node.send('goal_point', PointStamped(point=array_to_point(p)))
    found = branches(node)
    assert len(found) > 20
    for q in found:
        assert CHAIN.forward(q)[:3, 3] == pytest.approx(p, abs=1e-5)
    apart = np.linalg.norm(found - node.q(CHAIN), axis=1)
    assert (np.diff(apart) >= 0.0).all()
    assert apart[0] < 0.1


def test_out_of_reach_there_are_none(node):
    assert not node.client.send(pose(99.0, 0.0)).met
    assert len(branches(node)) == 0


def test_branches_of_a_continuous_joint_are_those_nearest_to_its_value(tmp_path):
    file = tmp_path / 'arm.urdf'
    file.write_text(robots.planar(1.0, 0.8).tree.to_urdf())
    chain = KinematicTree.from_urdf(file).chain()
    start = np.array([0.4 + 4.0 * np.pi, -0.9])
    with running(urdf_path=file, solver='analytic', publish_solutions=True,
                 start_pose=str(start.tolist())) as node:
        heard = node.listen(JointTrajectory, 'ik_node/solutions')
        assert node.client.send(chain.forward(start + 0.05)).met
        found = np.array([point.positions for point in heard[0].points])
        assert found[0] == pytest.approx(start + 0.05, abs=1e-6)
        assert (np.abs(found - start) < np.pi + 0.1).all()


def test_a_goal_that_has_no_closed_form_is_solved_and_the_reason_is_given(node):
    assert node.set(solver='auto', task_weights=[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]) == (True, '')
    try:
        response = node.client.send(pose(0.0, 0.0, yaw=0.7))
        assert (response.met, response.values['solver']) == (True, 'auto (dls)')
        assert sum(response.joints.values()) == pytest.approx(0.7, abs=1e-5)
        assert node.solutions == []
        assert 'no solutions published: analytic on a planar arm needs' in node.log()
        success, message = solve_all(node)
        assert (success, 'leaves it free' in message) == (False, True)
    finally:
        assert node.set(task_weights=[1.0] * 6) == (True, '')
    assert node.client.send(GOAL).met
    assert len(branches(node)) == 2
    assert node.set(solver='analytic') == (True, '')


def test_the_branches_of_the_last_goal_are_published_on_request_whatever_solver_is_selected():
    with running(urdf_path=PLANAR, solver='analytic') as node:
        node.solutions = node.listen(JointTrajectory, 'ik_node/solutions')
        assert solve_all(node) == (False, 'there is no goal yet')
        assert node.client.send(GOAL).met
        assert node.solutions == []  # without a request
        for solver, message in (('analytic', '2 branches inside the limits; planar 3R'),
                                ('dls', '2 branches inside the limits'), ('auto', '2 branches')):
            assert node.set(solver=solver) == (True, '')  # the goal is still the last one
            success, found = solve_all(node)
            assert (success, found.startswith(message)) == (True, True)
            for q in branches(node):
                assert CHAIN.forward(q) == pytest.approx(GOAL, abs=1e-6)
        assert node.set(tip_link='link_3', solver='dls')[0]  # but not of another tip
        assert solve_all(node) == (False, 'there is no goal yet')
        assert node.transition('deactivate')
        assert solve_all(node) == (False, 'the node is not active')


def test_each_arm_has_its_own_last_goal():
    file = robots.OWN / 'torso.urdf'
    chain = KinematicTree.from_urdf(file).chain('torso_link', 'left_tool0')
    with running(urdf_path=file, arms='[left, right]', **{
            f'{arm}__{name}': value for arm in ('left', 'right') for name, value in (
                ('base_link', 'torso_link'), ('tip_link', f'{arm}_tool0'),
                ('solver', 'auto'))}) as node:
        node.send('left/goal_pose', PoseStamped(
            pose=matrix_to_pose(chain.forward(0.3 * np.ones(chain.n_joints)))))
        lines = solve_all(node)[1].split('; ')
        assert lines[-1] == 'right: there is no goal yet'
        assert lines[0].startswith('left: ')
        assert make_solver('auto', chain).refusal in '; '.join(lines)
