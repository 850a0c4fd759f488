"""Goals in, joint states out, on a running node."""

import math
import re

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Point, PointStamped, Pose, PoseArray, PoseStamped, Quaternion
from nav_msgs.msg import Path
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger
from visualization_msgs.msg import Marker, MarkerArray

import robots
from ik_node import KinematicTree
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.publishing.status import KEYS
from node_here import NodeHere, running
from ros_harness import pose, seconds

ARM, PLANAR = robots.OWN / 'arm_6r.urdf', robots.OWN / 'planar_3r.urdf'


@pytest.fixture(scope='module')
def node():
    with running(urdf_path=ARM, publish_rate=20.0) as running_node:
        yield running_node


@pytest.fixture(scope='module')
def chain():
    return KinematicTree.from_urdf(ARM).chain()


def reachable(chain, seed):
    return chain.forward(robots.random_q(chain, np.random.default_rng(seed), inside=0.5))


def test_the_joint_states_of_an_answer_put_the_tip_where_the_goal_said(node, chain):
    for seed in range(5):
        goal = reachable(chain, seed)
        answer = node.client.send(goal)
        assert answer.met
        assert list(answer.joints) == list(chain.joint_names)
        q = [answer.joints[name] for name in chain.joint_names]
        assert chain.forward(q) == pytest.approx(goal, abs=2e-6)


def test_a_status_comes_with_every_goal_and_has_all_its_keys(node, chain):
    answer = node.client.send(reachable(chain, 7))
    assert tuple(answer.values) == KEYS
    assert answer.values['solver'] == 'dls'
    assert answer.values['reason'] == 'CONVERGED'
    assert float(answer.values['position_error']) <= 1e-6
    assert float(answer.values['orientation_error']) <= 1e-6
    assert int(answer.values['iterations']) > 0
    assert float(answer.values['solve_time']) > 0.0


def test_the_joint_states_go_on_at_the_publish_rate(node):
    states = node.joint_states(5)
    stamps = [seconds(state.header.stamp) for state in states]
    assert np.diff(stamps) == pytest.approx(0.05, abs=1e-3)


def test_without_a_publish_rate_joint_states_come_with_answers_only(chain):
    with running(urdf_path=ARM, publish_rate=0.0) as node:
        states = node.listen(JointState, 'joint_states')
        node.spin(2.0)
        assert states == []
        assert node.client.send(reachable(chain, 6)).met
        node.spin(2.0)
        assert len(states) == 1


def test_a_point_asks_for_the_position_only(node, chain):
    goal = reachable(chain, 8)[:3, 3]
    statuses = node.listen(DiagnosticStatus, 'ik_node/status')
    x, y, z = map(float, goal)
    node.publish(PointStamped, 'goal_point', PointStamped(point=Point(x=x, y=y, z=z)))
    assert node.until(lambda: statuses)
    assert statuses[0].level == DiagnosticStatus.OK
    state = node.joint_states()[0]
    tip = chain.forward(np.array(state.position))
    assert tip[:3, 3] == pytest.approx(goal, abs=2e-6)
    values = {pair.key: pair.value for pair in statuses[0].values}
    assert values['orientation_error'] == '0'


def test_a_goal_in_the_frame_of_a_link_is_taken_from_where_the_link_is_now(node, chain):
    before = node.client.send(reachable(chain, 9)).joints
    links = chain.tree.forward(before)
    closer = pose(-0.05, 0.0, -0.02)
    answer = node.client.send(closer, frame='tool0')
    assert answer.met
    tip = chain.forward([answer.joints[name] for name in chain.joint_names])
    assert tip == pytest.approx(links['tool0'] @ closer, abs=2e-6)


def test_an_unnormalised_quaternion_is_normalised(node, chain):
    goal = reachable(chain, 10)
    x, y, z = map(float, goal[:3, 3])
    from ik_node.spatial import quaternion_from_matrix
    a, b, c, d = (3.0 * float(v) for v in quaternion_from_matrix(goal[:3, :3]))
    statuses = node.listen(DiagnosticStatus, 'ik_node/status')
    node.publish(PoseStamped, 'goal_pose', PoseStamped(pose=Pose(
        position=Point(x=x, y=y, z=z), orientation=Quaternion(x=a, y=b, z=c, w=d))))
    assert node.until(lambda: statuses)
    assert statuses[0].level == DiagnosticStatus.OK


BAD = [
    ('NaN in the position', {'position': Point(x=math.nan)}, '', r'the position \(nan, 0, 0\)'),
    ('an infinite position', {'position': Point(z=math.inf)}, '', r'the position \(0, 0, inf\)'),
    ('a zero quaternion', {'orientation': Quaternion(w=0.0)}, '',
     r'the orientation \(0, 0, 0, 0\) is not a quaternion'),
    ('NaN in the quaternion', {'orientation': Quaternion(y=math.nan)}, '', 'is not a quaternion'),
    ('an unknown frame', {}, 'nowhere', "unknown frame 'nowhere': it is not a link of the robot")]


@pytest.mark.parametrize(('what', 'fields', 'frame', 'words'), BAD, ids=[bad[0] for bad in BAD])
def test_bad_goals_are_refused_and_the_last_good_state_stands(node, chain, what, fields, frame,
                                                              words):
    good = node.client.send(reachable(chain, 11)).joints
    statuses = node.listen(DiagnosticStatus, 'ik_node/status')
    message = PoseStamped(pose=Pose(**fields))
    message.header.frame_id = frame
    node.publish(PoseStamped, 'goal_pose', message)
    assert node.until(lambda: statuses), node.log()
    assert statuses[0].level == DiagnosticStatus.ERROR
    assert {pair.key: pair.value for pair in statuses[0].values}['reason'] == 'REFUSED'
    assert re.search(words, statuses[0].message)
    assert re.search('goal refused: .*' + words, node.log())
    state = node.joint_states()[0]
    assert dict(zip(state.name, state.position)) == pytest.approx(good)
    assert node.alive()


def test_the_same_trouble_a_hundred_times_is_logged_about_once_a_second(node):
    before = node.log().count('goal refused: the position (0, nan')
    message = PoseStamped(pose=Pose(position=Point(y=math.nan)))
    statuses = node.listen(DiagnosticStatus, 'ik_node/status', 200)
    publisher = node.publish(PoseStamped, 'goal_pose', message)
    for _ in range(99):
        node.spin(0.03)
        publisher.publish(message)
    assert len(statuses) == 100
    times = [float(time) for time in re.findall(
        r'\[(\d+\.\d+)\] .*goal refused: the position \(0, nan', node.log())]
    assert before == 0
    assert len(times) == 3
    assert np.diff(times) == pytest.approx(1.0, abs=0.04)
    assert node.alive()


def test_of_many_different_troubles_ten_a_second_are_logged(node):
    node.spin(1.0)
    before = node.log().count('goal refused: the position')
    for k in range(15):
        message = PoseStamped(pose=Pose(position=Point(x=float(k), y=math.nan)))
        node.publish(PoseStamped, 'goal_pose', message)
    assert node.log().count('goal refused: the position') == before + 10
    node.spin(1.0)


def test_a_goal_beyond_reach_is_told_so_and_the_arm_holds(node, chain):
    good = node.client.send(reachable(chain, 12)).joints
    answer = node.client.send(pose(5.0, 0.0, 0.5))
    assert not answer.met
    assert answer.values['reason'] == 'UNREACHABLE'
    assert float(answer.values['position_error']) > 1.0
    assert answer.joints == pytest.approx(good)
    assert node.until(lambda: 'goal not met' in node.log(), 60.0)  # said after the status is sent
    assert node.alive()


def test_the_closest_configuration_is_published_when_asked_for(node, chain):
    good = node.client.send(reachable(chain, 12)).joints
    assert node.set(on_failure='closest') == (True, '')
    try:
        answer = node.client.send(pose(5.0, 0.0, 0.5))
        assert not answer.met
        assert answer.values['reason'] == 'UNREACHABLE'
        assert answer.joints != pytest.approx(good)
        q = np.array([answer.joints[name] for name in chain.joint_names])
        assert (chain.lower <= q).all()
        assert (q <= chain.upper).all()
        error = np.linalg.norm(chain.forward(q)[:3, 3] - [5.0, 0.0, 0.5])
        assert float(answer.values['position_error']) == pytest.approx(error, abs=1e-6)
    finally:
        assert node.set(on_failure='hold') == (True, '')


def test_a_path_is_followed_waypoint_by_waypoint(node, chain):
    rng = np.random.default_rng(13)
    start, end = robots.random_q(chain, rng, 0.4), robots.random_q(chain, rng, 0.4)
    message = Path()
    for share in np.linspace(0.0, 1.0, 5):
        message.poses.append(PoseStamped(pose=matrix_to_pose(
            chain.forward((1 - share) * start + share * end))))
    statuses = node.listen(DiagnosticStatus, 'ik_node/status')
    node.publish(Path, 'goal_path', message)
    assert node.until(lambda: len(statuses) == 5), node.log()
    assert [status.level for status in statuses] == [DiagnosticStatus.OK] * 5
    assert statuses[2].message.startswith('waypoint 3 of 5: ')
    state = node.joint_states()[0]
    assert chain.forward(np.array(state.position)) == pytest.approx(chain.forward(end), abs=2e-6)


def test_a_path_goes_on_when_parameters_change_that_do_not_concern_it(node, chain):
    rng = np.random.default_rng(14)
    start, end = robots.random_q(chain, rng, 0.4), robots.random_q(chain, rng, 0.4)
    message = Path(poses=[
        PoseStamped(pose=matrix_to_pose(chain.forward((1 - share) * start + share * end)))
        for share in np.linspace(0.0, 1.0, 12)])
    statuses = node.listen(DiagnosticStatus, 'ik_node/status')
    assert node.set(publish_rate=4.0) == (True, '')
    try:
        node.publish(Path, 'goal_path', message)
        assert node.until(lambda: len(statuses) >= 2), node.log()
        assert node.set(dls__max_restarts=37, on_failure='closest') == (True, '')
        assert node.set(speed=0.7) == (True, '')
        assert len(statuses) < 12
        assert node.until(lambda: len(statuses) == 12), node.log()
    finally:
        assert node.set(publish_rate=30.0, on_failure='hold', speed=1.0) == (True, '')
    assert statuses[-1].message.startswith('waypoint 12 of 12: ')
    state = node.joint_states()[0]
    assert chain.forward(np.array(state.position)) == pytest.approx(chain.forward(end), abs=2e-6)


def test_a_waypoint_that_is_not_met_ends_the_path(node, chain):
    statuses = node.listen(DiagnosticStatus, 'ik_node/status')
    goals = [reachable(chain, 20), pose(5.0, 0.0, 0.5), reachable(chain, 21), reachable(chain, 22)]
    node.publish(Path, 'goal_path', Path(poses=[
        PoseStamped(pose=matrix_to_pose(T)) for T in goals]))
    node.spin(1.0)
    assert [status.level for status in statuses] == [DiagnosticStatus.OK, DiagnosticStatus.ERROR]
    state = node.joint_states()[0]
    assert chain.forward(np.array(state.position)) == pytest.approx(goals[0], abs=2e-6)


def test_waypoints_without_a_frame_are_in_that_of_the_path(node, chain):
    before = node.client.send(reachable(chain, 23)).joints
    T = chain.tree.forward(before)['link_1']
    message = Path(poses=[PoseStamped(pose=matrix_to_pose(
        np.linalg.inv(T) @ reachable(chain, 24)))])
    message.header.frame_id = 'link_1'
    statuses = node.listen(DiagnosticStatus, 'ik_node/status')
    node.publish(Path, 'goal_path', message)
    assert node.until(lambda: statuses), node.log()
    assert statuses[0].level == DiagnosticStatus.OK, statuses[0].message
    state = node.joint_states()[0]
    assert chain.forward(np.array(state.position)) == pytest.approx(reachable(chain, 24), abs=2e-6)


def begin_path(node, chain):
    """Send a path of 12 waypoints, and return the statuses, of which three have come."""
    statuses = node.listen(DiagnosticStatus, 'ik_node/status')
    node.publish(Path, 'goal_path', Path(poses=[
        PoseStamped(pose=matrix_to_pose(chain.forward(np.full(6, 0.1 + 0.02 * k))))
        for k in range(12)]))
    assert node.until(lambda: len(statuses) == 3), node.log()
    return statuses


@pytest.mark.parametrize('end', ['disable', 'deactivate'])
def test_a_path_ends_where_goals_are_not_handled(node, chain, end):
    statuses = begin_path(node, chain)
    if end == 'disable':
        for enabled in (False, True):
            assert node.call(SetBool, 'ik_node/enable', SetBool.Request(data=enabled)).success
    else:
        assert node.transition('deactivate')
        assert node.transition('activate')
    node.spin(1.0)
    assert len(statuses) == 3, [status.message for status in statuses]


def test_a_new_goal_ends_the_path(node, chain):
    statuses = begin_path(node, chain)
    goal = reachable(chain, 15)
    answer = node.client.send(goal)
    assert answer.met
    node.spin(1.0)
    assert len(statuses) == 4, [status.message for status in statuses]
    state = node.joint_states()[0]
    assert chain.forward(np.array(state.position)) == pytest.approx(goal, abs=2e-6)


@pytest.mark.parametrize('frame', ['', 'base_link', 'link_1', '/link_1'])
def test_long_paths_are_followed_in_any_frame(node, chain, frame):
    T = chain.tree.forward(node.client.send(reachable(chain, 23)).joints).get(
        frame.strip('/'), np.eye(4))
    message = Path(poses=[PoseStamped(pose=matrix_to_pose(np.linalg.inv(T) @ chain.forward(
        np.full(6, 0.1 + 0.002 * k)))) for k in range(50)])
    message.header.frame_id = frame
    statuses = node.listen(DiagnosticStatus, 'ik_node/status')
    node.publish(Path, 'goal_path', message)
    assert node.until(lambda: len(statuses) == 50), node.log()
    assert statuses[-1].message.startswith('waypoint 50 of 50: ')
    state = node.joint_states()[0]
    assert chain.forward(np.array(state.position)) == pytest.approx(
        chain.forward(np.full(6, 0.198)), abs=2e-6)


@pytest.mark.parametrize(('count', 'reason'), [
    (100, 'waypoint 70 of 100: the position'), (10_001, 'at most 10000 poses, not 10001')])
def test_long_paths_are_refused_as_a_whole_and_leave_the_present_one_alone(
        node, chain, count, reason):
    begun = begin_path(node, chain)
    poses = [matrix_to_pose(reachable(chain, 14)) for _ in range(69)]
    poses += [Pose(position=Point(x=math.nan))] * (count - 69)
    node.publish(PoseArray, 'goal_poses', PoseArray(poses=poses))
    assert node.until(lambda: len(begun) == 13), node.log()
    refused, = (status for status in begun if status.level == DiagnosticStatus.ERROR)
    assert reason in refused.message
    assert begun[-1].message.startswith('waypoint 12 of 12: ')


def test_a_path_with_a_bad_waypoint_is_refused_as_a_whole_with_its_place(node, chain):
    good = node.client.send(reachable(chain, 14)).joints
    message = Path(poses=[PoseStamped(), PoseStamped(pose=Pose(position=Point(x=math.nan)))])
    statuses = node.listen(DiagnosticStatus, 'ik_node/status')
    node.publish(Path, 'goal_path', message)
    assert node.until(lambda: statuses)
    assert statuses[0].message.startswith('waypoint 2 of 2: the position (nan, 0, 0)')
    state = node.joint_states()[0]
    assert dict(zip(state.name, state.position)) == pytest.approx(good)


def test_reset_goes_back_to_the_start(node, chain):
    node.client.send(reachable(chain, 15))
    assert node.call(Trigger, 'ik_node/reset', Trigger.Request()).success
    state = node.joint_states()[0]
    assert np.array(state.position) == pytest.approx(chain.neutral())


def test_a_disabled_node_refuses_goals_and_stays_where_it_is(node, chain):
    good = node.client.send(reachable(chain, 16)).joints
    assert node.call(SetBool, 'ik_node/enable', SetBool.Request(data=False)).success
    try:
        answer = node.client.send(reachable(chain, 17))
        assert answer.values['reason'] == 'REFUSED'
        assert 'disabled' in answer.message
        assert answer.joints == pytest.approx(good)
    finally:
        assert node.call(SetBool, 'ik_node/enable', SetBool.Request(data=True)).success
    assert node.client.send(reachable(chain, 17)).met


def test_markers_show_the_goal_in_the_colour_of_its_fate_and_the_tips_trail(node, chain):
    heard = node.listen(MarkerArray, 'ik_node/markers')
    near = reachable(chain, 18)
    node.client.send(near)
    near[2, 3] -= 0.01
    node.client.send(near)
    markers = {}

    def shown():
        markers.update({(m.ns, m.id): m for m in heard[-1].markers} if heard else {})
        return ('trail', 0) in markers and markers['goal', 4].text == 'CONVERGED'
    assert node.until(shown), node.log()
    green = markers['goal', 0].color
    assert green.g > green.r
    assert markers['trail', 0].type == Marker.LINE_LIST
    assert markers['status', 0].text == 'dls: the goal is met'
    node.client.send(pose(5.0, 0.0, 0.5))
    assert node.until(lambda: {(m.ns, m.id): m for m in heard[-1].markers}['goal', 0].color.r > 0.8)
    assert node.call(Trigger, 'ik_node/reset', Trigger.Request()).success
    heard.clear()
    assert node.until(lambda: heard)
    assert not any(m.ns == 'goal' and m.action == Marker.ADD for m in heard[-1].markers)


@pytest.mark.parametrize(('robot', 'weights', 'goal'), [
    ('planar_3r', [1.0, 1.0, 0.0, 0.0, 0.0, 1.0], pose(12.0, 9.0, z=3.0, yaw=1.0)),
    ('scara', [1.0, 1.0, 1.0, 0.0, 0.0, 1.0], None)])
def test_task_weights_let_an_arm_take_poses_it_cannot_serve_whole(robot, weights, goal):
    chain = KinematicTree.from_urdf(robots.OWN / f'{robot}.urdf').chain()
    if goal is None:
        goal = chain.forward([0.3, 0.4, 0.1, 0.2])
        tilt = np.eye(4)
        tilt[:3, :3] = [[1, 0, 0], [0, np.cos(0.2), -np.sin(0.2)], [0, np.sin(0.2), np.cos(0.2)]]
        goal = goal @ tilt
    with running(urdf_path=robots.OWN / f'{robot}.urdf') as node:
        assert not node.client.send(goal).met
        assert node.set(task_weights=weights) == (True, '')
        answer = node.client.send(goal)
        assert answer.met
        tip = chain.forward([answer.joints[name] for name in chain.joint_names])
        asked = goal[:3, :3].T @ (tip[:3, 3] - goal[:3, 3])
        assert asked[np.array(weights[:3]) > 0.0] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(('weights', 'z'), [
    ([1.0, 1.0, 0.0, 0.0, 0.0, 1.0], 3.0), ([0.0, 0.0, 0.0, 0.0, 0.0, 1.0], 0.0)])
def test_task_weights_select_the_axes_of_a_point_but_where_they_select_none_all_count(weights, z):
    chain = KinematicTree.from_urdf(PLANAR).chain()
    with running(urdf_path=PLANAR, task_weights=weights) as node:
        statuses = node.listen(DiagnosticStatus, 'ik_node/status')
        node.publish(PointStamped, 'goal_point', PointStamped(point=Point(x=12.0, y=9.0, z=z)))
        assert node.until(lambda: statuses)
        assert statuses[0].level == DiagnosticStatus.OK
        tip = chain.forward(np.array(node.joint_states()[0].position))
        assert tip[:2, 3] == pytest.approx([12.0, 9.0], abs=2e-6)


def test_mimics_are_published_with_the_joints_they_follow():
    with running(urdf_path=robots.path('panda')) as node:
        state = node.joint_states()[0]
        assert state.name == [joint.name for joint in robots.tree('panda').joints.values()
                              if joint.moves]
        assert 'panda_finger_joint2' in state.name


def test_two_arms_have_their_own_goals_and_one_joint_state(tmp_path):
    file = tmp_path / 'arms.yaml'
    file.write_text('/**:\n  ros__parameters:\n    arms: [left, right]\n'
                    '    left: {base_link: torso_link, tip_link: left_tool0}\n'
                    '    right: {base_link: torso_link, tip_link: right_tool0, solver: ccd}\n'
                    '    ccd: {position_tolerance: 0.001, orientation_tolerance: 0.001}\n')
    tree = KinematicTree.from_urdf(robots.OWN / 'torso.urdf')
    with NodeHere('--params-file', str(file), '-p',
                                   f'urdf_path:={robots.OWN / "torso.urdf"}') as node:
        statuses = node.listen(DiagnosticStatus, 'ik_node/status')
        assert node.until(lambda: node.node.count_publishers('ik_node/status') > 0, 90.0)
        for name in ('left', 'right'):
            chain = tree.chain('torso_link', f'{name}_tool0')
            goal = reachable(chain, 60)
            node.publish(PoseStamped, f'{name}/goal_pose', PoseStamped(pose=matrix_to_pose(goal)))
            assert node.until(lambda: statuses), node.log()
            status = statuses.pop()
            values = {pair.key: pair.value for pair in status.values}
            assert status.level == DiagnosticStatus.OK, status
            assert values['arm'] == name
            assert values['solver'] == ('ccd' if name == 'right' else 'dls')
            state = node.joint_states()[0]
            joints = dict(zip(state.name, state.position))
            tip = chain.forward([joints[joint] for joint in chain.joint_names])
            assert tip == pytest.approx(goal, abs=2e-3)
        assert node.alive()
