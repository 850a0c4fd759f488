"""Goals of several tasks: solved together, reported by task, changed while the node runs."""

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PointStamped, PoseStamped
from visualization_msgs.msg import MarkerArray

import robots
from harness.node_here import running
from harness.ros_harness import elapse, pose
from ik_node.ros.conversions import array_to_point, matrix_to_pose, pose_to_matrix

TREE = robots.tree('humanoid')
TASKS = {
    'left__type': 'pose', 'left__link': 'left_palm',
    'right__type': 'position', 'right__link': 'right_palm',
    'left_foot__type': 'pose', 'left_foot__link': 'left_sole', 'left_foot__priority': 0,
    'right_foot__type': 'pose', 'right_foot__link': 'right_sole', 'right_foot__priority': 0,
    'look__type': 'look_at', 'look__link': 'gaze', 'look__axis': '[1.0, 0.0, 0.0]',
    'balance__type': 'center_of_mass', 'balance__polygon':
        '[0.12, -0.16, 0.12, 0.16, -0.08, 0.16, -0.08, -0.16]'}
NAMES = ['left', 'right', 'left_foot', 'right_foot', 'look', 'balance']
AHEAD = [5.0, 0.0, 1.0]


@pytest.fixture(scope='module')
def shared():
    with running(urdf_path=robots.OWN / 'humanoid.urdf', solver='least_squares', root='floating',
                 tasks=f'[{", ".join(NAMES)}]', publish_rate=20.0, **TASKS) as node:
        node.roots = node.listen(PoseStamped, 'ik_node/root_pose')
        yield node


@pytest.fixture
def node(shared):
    assert shared.set(on_failure='hold', solver='least_squares') == (True, '')
    assert shared.reset().success
    assert send(shared, 'look', AHEAD).level == 0
    return shared


def send(node, task, target, frame=''):
    """Send a goal, a pose (4, 4) or a point (3,); return its report."""
    if np.shape(target) == (4, 4):
        message = PoseStamped(pose=matrix_to_pose(target))
    else:
        message = PointStamped(point=array_to_point(np.array(target, dtype=float)))
    message.header.frame_id = frame
    kind = 'goal_pose' if isinstance(message, PoseStamped) else 'goal_point'
    return node.send(f'{task}/{kind}', message)


def frames(node):
    """Return the pose of every link in the world, from what the node publishes next."""
    (state,) = node.joint_states()
    root = next(root for root in reversed(node.roots) if root.header.stamp == state.header.stamp)
    return {link: pose_to_matrix(root.pose) @ T for link, T in TREE.forward(
        dict(zip(state.name, state.position))).items()}


def test_a_goal_moves_one_task_and_the_others_hold(node):
    start = frames(node)
    goal = start['left_palm'].copy()
    goal[:3, 3] += [0.1, 0.05, 0.15]
    report = send(node, 'left', goal)
    assert report.level == 0, report
    assert (report.values['task'], report.values['arm']) == ('left', '')
    after = frames(node)
    assert after['left_palm'] == pytest.approx(goal, abs=2e-6)
    for link in ('left_sole', 'right_sole'):
        assert after[link] == pytest.approx(start[link], abs=2e-6)
    assert after['right_palm'][:3, 3] == pytest.approx(start['right_palm'][:3, 3], abs=2e-6)
    target = np.array([2.0, 1.0, 0.5])
    assert send(node, 'look', target).level == 0
    gaze = frames(node)['gaze']
    seen = gaze[:3, :3].T @ (target - gaze[:3, 3])
    assert np.linalg.norm(seen[1:]) < 1e-5 * seen[0]
    assert node.reset().success  # which sets the targets back
    assert send(node, 'look', AHEAD).level == 0
    assert frames(node)['left_palm'] == pytest.approx(start['left_palm'], abs=5e-6)


def test_frames_of_goals_are_the_world_links_and_the_frame_named_world(node):
    start = frames(node)
    goal = start['right_palm'][:3, 3] + [0.05, 0.0, 0.1]
    in_chest = (np.linalg.inv(start['chest']) @ [*goal, 1.0])[:3]
    for frame, target in (('chest', in_chest), ('world', goal), ('', goal)):
        assert send(node, 'right', target, frame).level == 0
        assert frames(node)['right_palm'][:3, 3] == pytest.approx(goal, abs=5e-6)
        send(node, 'right', start['right_palm'][:3, 3])


def test_out_of_reach_everything_holds_or_the_body_goes_as_near_as_it_can(node):
    before = frames(node)
    report = send(node, 'left', pose(9.0, 0.0, 1.0))
    assert (report.level, report.values['reason']) == (2, 'STALLED')
    assert "'left' misses by" in report.message
    after = frames(node)
    assert all(np.array_equal(after[link], before[link]) for link in before)
    assert send(node, 'look', [5.0, 0.5, 1.0]).level == 0
    assert node.set(on_failure='closest') == (True, '')
    report = send(node, 'left', pose(1.5, 0.3, 1.2))
    assert report.level == 1
    palm = frames(node)['left_palm'][:3, 3]
    assert palm[0] > 0.4
    assert float(report.values['position_error']) == pytest.approx(
        np.linalg.norm(palm - [1.5, 0.3, 1.2]), rel=1e-3)


@pytest.mark.parametrize(('task', 'target', 'frame', 'words'), [
    ('left', np.eye(4), 'nowhere', "unknown frame 'nowhere'"),
    ('look', [float('nan'), 0.0, 0.0], '', 'finite')])
def test_an_invalid_goal_is_refused_by_the_name_of_its_task(node, task, target, frame, words):
    report = send(node, task, target, frame)
    assert (report.values['reason'], report.values['task']) == ('REFUSED', task)
    assert words in report.message
    assert send(node, 'look', AHEAD).level == 0


def test_diagnostics_and_markers_have_every_task(node):
    arrays, markers = (node.listen(kind, topic, 1) for kind, topic in (
        (DiagnosticArray, '/diagnostics'), (MarkerArray, 'ik_node/markers')))
    assert node.until(lambda: arrays and markers)
    reports = {status.name.rpartition(' ')[2]: status for status in arrays[-1].status[1:]}
    assert list(reports) == NAMES
    assert reports['left'].message == 'met'
    assert {pair.key: pair.value for pair in reports['left_foot'].values}['priority'] == '0'
    assert {f'{name}/goal' for name in NAMES} | {'status'} == {
        marker.ns for marker in markers[-1].markers}
    assert {marker.header.frame_id for marker in markers[-1].markers} == {'world'}


def test_tasks_and_their_fields_change_while_the_node_runs(node):
    assert node.set(left__weight=0.0) == (True, '')
    try:
        assert node.set(tasks=[*NAMES, 'new']) == (True, '')
        arrays = node.listen(DiagnosticArray, '/diagnostics')
        assert node.until(lambda: any(
            status.name.endswith('task new') and 'set new.type' in status.message
            for array in arrays for status in array.status))
        assert node.set(new__link='chest') == (True, '')
        assert node.set(new__type='orientation') == (True, '')
        assert send(node, 'new', pose(0.0, 0.0)).level == 0
        assert frames(node)['chest'][:3, :3] == pytest.approx(np.eye(3), abs=5e-6)
    finally:
        assert node.set(tasks=NAMES, left__weight=1.0) == (True, '')
    assert node.get('tasks') == NAMES
    assert node.describe('new.type') == []  # its parameters are gone


@pytest.mark.parametrize(('values', 'words'), [
    ({'tasks': ['left', 'left']}, 'must be different names'),
    ({'tasks': ['dls']}, 'is the name of other parameters'),
    ({'tasks': ['goal']}, 'of the goal of a tip'), ({'tasks': ['1st']}, 'a letter first'),
    ({'tasks': [f't{k}' for k in range(65)]}, 'at most 64'),
    ({'look__axis': [0.0, 0.0, 0.0]}, 'look'),
    ({'solver': 'dls'}, "solver must be one of 'genetic', 'hierarchy', 'lagrange'")], ids=str)
def test_values_that_do_not_fit_are_refused_and_the_old_ones_stand(node, values, words):
    name = next(iter(values)).replace('__', '.')
    before = node.get(name)
    accepted, reason = node.set(**values)
    assert not accepted
    assert words in reason
    assert node.get(name) == before


@pytest.mark.parametrize('solver', ['hierarchy', 'lagrange', 'genetic', 'optimization'])
def test_the_solver_changes_and_targets_stay(node, solver):
    goal = frames(node)['right_palm'][:3, 3] + [0.05, 0.0, 0.1]
    send(node, 'right', goal)
    assert node.set(solver=solver) == (True, '')
    report = send(node, 'look', [5.0, 0.2, 1.0])
    assert (report.values['solver'], report.level) == (solver, 0), report
    assert frames(node)['right_palm'][:3, 3] == pytest.approx(goal, abs=5e-6)


def test_with_motion_joint_the_joints_keep_their_velocity_limits(node):
    goal = frames(node)['left_palm'].copy()
    goal[:3, 3] += [0.1, 0.05, 0.15]
    assert node.set(publish_rate=100.0, motion='joint') == (True, '')
    try:
        report, states = send(node, 'left', goal), node.joint_states(1)
        assert float(report.values['motion_duration']) > 0.1
        states = node.listen(type(states[0]), 'joint_states', 1000)
        elapse(node, states, float(report.values['motion_duration']))
        fastest = np.abs(np.diff([state.position for state in states], axis=0)).max() / 0.01
        assert 0.05 < fastest < 1.01 * max(TREE.joints[name].velocity for name in states[0].name)
    finally:
        assert node.set(motion='jump', publish_rate=20.0) == (True, '')


def test_without_tasks_a_body_solver_meets_the_goals_of_the_arm():
    chain = robots.chain('arm_7r')
    goal = chain.forward(np.clip(chain.neutral() + 0.3, chain.lower, chain.upper))
    point = goal[:3, 3] + [0.0, 0.05, -0.05]
    with running(urdf_path=robots.OWN / 'arm_7r.urdf', solver='least_squares') as node:
        for target in (goal, point, goal):  # its orientation counts again
            assert node.client.send(target).met
            part = np.s_[:] if target is goal else np.s_[:3, 3]
            assert node.tip(chain)[part] == pytest.approx(target, abs=2e-6)
        assert node.set(tasks=['hand']) == (True, '')
        assert node.set(hand__link=chain.tip_link, hand__type='position') == (True, '')
        assert send(node, 'hand', goal[:3, 3]).level == 0
        assert 'goals are those of a task' in node.client.send(goal).message
        assert node.set(tasks='none', solver='dls') == (True, '')
        assert node.client.send(goal).met
