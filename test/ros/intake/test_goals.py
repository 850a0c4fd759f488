"""Goals in, joint states and a status out, on a running node.

What a goal does to an arm is decided in `control`; hostile goals are those of test_hostile_inputs.
"""

import math
import re

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, PointStamped, Pose, PoseArray, PoseStamped
from nav_msgs.msg import Path
from sensor_msgs.msg import JointState

import robots
from harness.bent_arm import ARM, BENT, CHAIN
from harness.node_here import running
from harness.ros_harness import pose, seconds
from ik_node.ros.conversions import array_to_point, matrix_to_pose
from ik_node.ros.publishing.status import KEYS

FAR = pose(5.0, 0.0, 0.5)


@pytest.fixture(scope='module')
def shared():
    with running(urdf_path=ARM, publish_rate=20.0, frame_prefix='a/', tf_timeout=0.0) as node:
        yield node


@pytest.fixture
def node(shared):
    assert shared.set(on_failure='hold') == (True, '')
    assert shared.reset().success
    return shared


def reachable(seed):
    return CHAIN.forward(robots.random_q(CHAIN, np.random.default_rng(seed), inside=0.5))


def goal(T, frame='', stamp=None):
    message = PoseStamped(pose=matrix_to_pose(T))
    message.header.frame_id, message.header.stamp = frame, stamp or Time()
    return message


def path(*poses, frame=''):
    message = Path(poses=[goal(T) for T in poses])
    message.header.frame_id = frame
    return message


def line(count, by=0.02, T_frame=None):
    """Return the poses of a path on which every joint turns."""
    inverse = np.eye(4) if T_frame is None else np.linalg.inv(T_frame)
    return [inverse @ CHAIN.forward(np.full(6, 0.1 + by * k)) for k in range(count)]


def waypoints(node):
    return node.subject._session._execution.controllers[''].waypoints


def test_the_joint_states_of_a_solution_put_the_tip_at_the_goal_and_its_status_has_all_keys(node):
    for seed in range(5):
        T = reachable(seed)
        response = node.client.send(T)
        assert response.met
        assert list(response.joints) == list(CHAIN.joint_names)
        assert CHAIN.forward(list(response.joints.values())) == pytest.approx(T, abs=2e-6)
        values = response.values
        assert tuple(values) == KEYS
        assert (values['solver'], values['reason']) == ('dls', 'CONVERGED')
        assert max(float(values['position_error']), float(values['orientation_error'])) <= 1e-6
        assert int(values['iterations']) > 0
        assert float(values['solve_time']) > 0.0


def test_joint_states_continue_at_the_publish_rate_and_without_one_come_with_solutions_only(node):
    stamps = [seconds(state.header.stamp) for state in node.joint_states(5)]
    assert np.diff(stamps) == pytest.approx(0.05, abs=1e-3)
    assert node.set(publish_rate=0.0) == (True, '')
    states = node.listen(JointState, 'joint_states')
    try:
        node.spin(2.0)
        assert states == []
        assert node.client.send(reachable(6)).met
        node.spin(2.0)
        assert len(states) == 1
    finally:
        assert node.set(publish_rate=20.0) == (True, '')


def test_a_point_leaves_the_orientation_free(node):
    p = reachable(8)[:3, 3]
    report = node.send('goal_point', PointStamped(point=array_to_point(p)))
    assert (report.level, report.values['orientation_error']) == (0, '0')
    assert node.tip(CHAIN)[:3, 3] == pytest.approx(p, abs=2e-6)


def test_an_unnormalised_quaternion_is_normalised(node):
    message = goal(reachable(10))
    for axis in 'xyzw':
        o = message.pose.orientation
        setattr(o, axis, 3.0 * getattr(o, axis))
    assert node.send('goal_pose', message).level == 0


def test_the_same_error_is_logged_once_a_second_and_of_different_ones_ten(node):
    message = PoseStamped(pose=Pose(position=Point(y=math.nan)))
    for _ in range(100):
        node.send('goal_pose', message)
        node.spin(0.03)
    times = [float(time) for time in re.findall(
        r'\[(\d+\.\d+)\] .*goal refused: the position \(0, nan', node.log())]
    assert len(times) == 3
    assert np.diff(times) == pytest.approx(1.0, abs=0.04)
    node.spin(1.0)
    before = node.log().count('goal refused: the position')
    for k in range(15):
        message.pose.position.x = 1.0 + k
        node.send('goal_pose', message)
    assert node.log().count('goal refused: the position') == before + 10
    node.spin(1.0)


def test_out_of_reach_the_arm_holds_or_goes_to_the_closest_configuration(node):
    start = node.client.send(reachable(12)).joints
    response = node.client.send(FAR)
    assert (response.met, response.values['reason']) == (False, 'UNREACHABLE')
    assert response.joints == start
    assert node.until(lambda: 'goal not met' in node.log())  # logged after the status is sent
    assert node.set(on_failure='closest') == (True, '')
    response = node.client.send(FAR)  # the same goal is solved again
    assert (response.met, response.values['accepted']) == (False, 'true')
    q = np.array(list(response.joints.values()))
    assert (CHAIN.lower <= q).all()
    assert (q <= CHAIN.upper).all()
    error = np.linalg.norm(CHAIN.forward(q)[:3, 3] - FAR[:3, 3])
    assert float(response.values['position_error']) == pytest.approx(error, abs=1e-6)
    closest = node.subject._configuration.robot.groups[''].solver.closest(
        FAR, np.array(list(start.values())))
    assert error == pytest.approx(closest.position_error, rel=1e-6)


@pytest.mark.parametrize('frame', ['', 'a/base_link', 'a/link_1', '/a/link_1'])
@pytest.mark.parametrize('count', [5, 50])
def test_paths_of_any_length_are_followed_waypoint_by_waypoint_in_any_frame(node, frame, count):
    T = CHAIN.tree.forward(node.client.send(reachable(23)).joints).get(
        frame.strip('/').removeprefix('a/'), np.eye(4))
    report = node.send('goal_path', path(*line(count, 0.002, T), frame=frame), count)
    assert report.message.startswith(f'waypoint {count} of {count}: ')
    assert {one.level for one in node.reports[-count:]} == {0}
    assert node.tip(CHAIN) == pytest.approx(line(count, 0.002)[-1], abs=2e-6)


def test_a_waypoint_that_is_not_met_ends_the_path(node):
    poses = [reachable(20), FAR, reachable(21), reachable(22)]
    before = len(node.reports)
    node.send('goal_path', path(*poses), 2)
    node.spin(1.0)
    assert [report.level for report in node.reports[before:]] == [0, 2]
    assert node.tip(CHAIN) == pytest.approx(poses[0], abs=2e-6)


@pytest.mark.parametrize(('change', 'ends'), [
    (lambda node: node.set(dls__max_restarts=37, speed=0.7), False),
    (lambda node: node.send('goal_pose', goal(pose(math.inf, 0.0))), False),
    (lambda node: node.send('goal_pose', goal(np.eye(4), 'nowhere')), False),
    (lambda node: node.send('goal_pose', goal(np.eye(4), 'tool0')), False),
    (lambda node: node.send('goal_pose', goal(CHAIN.forward(BENT))), True),
    (lambda node: (node.enable(False), node.enable(True)), True),
    (lambda node: (node.transition('deactivate'), node.transition('activate')), True)],
    ids=['parameters', 'no pose', 'no frame', 'frame without prefix', 'goal', 'disable',
         'deactivate'])
def test_what_ends_a_path_and_what_does_not(node, change, ends):
    node.send('goal_path', path(*line(12)), 3)
    assert waypoints(node)
    change(node)
    assert bool(waypoints(node)) is not ends
    before = len(node.reports)
    node.spin(1.0)
    assert (len(node.reports) > before) is not ends
    if not ends:
        assert node.tip(CHAIN) == pytest.approx(line(12)[-1], abs=2e-6)
        assert node.set(dls__max_restarts=100, speed=1.0) == (True, '')


@pytest.mark.parametrize(('count', 'reason'), [
    (2, 'waypoint 2 of 2: the position'), (100, 'waypoint 70 of 100: the position'),
    (10_001, 'at most 10000 poses, not 10001')])
def test_a_path_with_an_invalid_waypoint_is_refused_as_a_whole_and_leaves_the_present_one_alone(
        node, count, reason):
    node.send('goal_path', path(*line(12)), 3)
    poses = [matrix_to_pose(reachable(14))] * min(count - 1, 69)
    poses += [Pose(position=Point(x=math.nan))] * (count - len(poses))
    before = len(node.reports)
    node.send('goal_poses', PoseArray(poses=poses), 10)
    refused, = (report for report in node.reports[before:] if report.level == 2)
    assert reason in refused.message
    assert node.reports[-1].message.startswith('waypoint 12 of 12: ')


def test_a_disabled_node_refuses_goals_joint_values_and_the_start_pose(node):
    start = node.client.send(reachable(16)).joints
    node.enable(False)
    try:
        response = node.client.send(reachable(17))
        assert response.values['reason'] == 'REFUSED'
        assert 'disabled' in response.message
        assert node.send('goal_joints', JointState(name=['joint_1'], position=[0.3])).level == 2
        refused = node.reset()
        assert (refused.success, 'disabled' in refused.message) == (False, True)
        assert node.values() == start
    finally:
        node.enable(True)
    assert node.client.send(reachable(17)).met
    assert node.reset().success
    assert node.q(CHAIN) == pytest.approx(CHAIN.neutral())


def test_a_solver_that_raises_is_reported_in_one_line_and_the_next_goal_is_met(node, monkeypatch):
    def fail(*_):
        raise np.linalg.LinAlgError('Singular\nmatrix ' + 500 * 'x')
    with monkeypatch.context() as patch:
        patch.setattr(type(node.subject._configuration.robot.groups[''].solver), 'solve', fail)
        report = node.send('goal_pose', goal(CHAIN.forward(BENT)))
    assert report.level == 2
    assert report.message.startswith('internal error: LinAlgError: Singular matrix x')
    assert len(report.message) < 250
    assert (report.values['accepted'], report.values['reason']) == ('false', 'REFUSED')
    assert node.send('goal_pose', goal(CHAIN.forward(BENT))).level == 0


def test_two_arms_have_their_own_goals_and_options_and_one_joint_state(tmp_path):
    file = tmp_path / 'arms.yaml'
    file.write_text('/**:\n  ros__parameters:\n    arms: [left, right]\n'
                    '    left: {base_link: torso_link, tip_link: left_tool0}\n'
                    '    right: {base_link: torso_link, tip_link: right_tool0, solver: ccd}\n'
                    '    ccd: {position_tolerance: 0.001, orientation_tolerance: 0.001}\n')
    tree = robots.tree('torso')
    with running('--params-file', str(file), urdf_path=robots.OWN / 'torso.urdf') as node:
        for name, solver in (('left', 'dls'), ('right', 'ccd')):
            chain = tree.chain('torso_link', f'{name}_tool0')
            T = chain.forward(robots.random_q(chain, np.random.default_rng(60), inside=0.5))
            report = node.send(f'{name}/goal_pose', goal(T))
            assert report.level == 0, report
            assert (report.values['arm'], report.values['solver']) == (name, solver)
            assert node.tip(chain) == pytest.approx(T, abs=2e-3)
