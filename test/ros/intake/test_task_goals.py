"""Goals of several tasks: solved together, reported by task, changed while the node runs."""

from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped
from std_srvs.srv import Trigger
from visualization_msgs.msg import MarkerArray

import robots
from ik_node import KinematicTree
from ik_node.ros.conversions import matrix_to_pose, pose_to_matrix
from node_here import running
from ros_harness import pose, seconds

TREE = KinematicTree.from_urdf(robots.OWN / 'humanoid.urdf')
TASKS = {
    'left__type': 'pose', 'left__link': 'left_palm',
    'right__type': 'position', 'right__link': 'right_palm',
    'left_foot__type': 'pose', 'left_foot__link': 'left_sole', 'left_foot__priority': 0,
    'right_foot__type': 'pose', 'right_foot__link': 'right_sole', 'right_foot__priority': 0,
    'look__type': 'look_at', 'look__link': 'gaze', 'look__axis': '[1.0, 0.0, 0.0]',
    'balance__type': 'center_of_mass', 'balance__polygon':
        '[0.12, -0.16, 0.12, 0.16, -0.08, 0.16, -0.08, -0.16]'}
NAMES = ['left', 'right', 'left_foot', 'right_foot', 'look', 'balance']


class Figure:
    """A running node with tasks, and what it has published."""

    def __init__(self, node, root='floating'):
        self.node, self.body = node, TREE.body(root=root)
        self.statuses = node.listen(DiagnosticStatus, 'ik_node/status')
        self.roots = node.listen(PoseStamped, 'ik_node/root_pose')
        self.stamp = 10_000  # s, after the last joint state: links have their present poses

    def send(self, task, target, frame=''):
        """Send a goal, a pose (4, 4) or a point (3,), and return its status as a mapping."""
        self.stamp += 1
        if np.shape(target) == (4, 4):
            message = PoseStamped(pose=matrix_to_pose(target))
        else:
            message = PointStamped()
            message.point.x, message.point.y, message.point.z = map(float, target)
        message.header.frame_id, message.header.stamp.sec = frame, self.stamp
        kind = 'goal_pose' if isinstance(message, PoseStamped) else 'goal_point'
        self.node.publish(type(message), f'{task}/{kind}', message)
        mine = f'{self.stamp}.000000000'
        assert self.node.until(lambda: self.status(mine) is not None), self.node.log()
        return self.status(mine)

    def status(self, stamp):
        for status in self.statuses:
            values = {pair.key: pair.value for pair in status.values}
            if values['goal_stamp'] == stamp:
                return {**values, 'level': status.level, 'message': status.message}
        return None

    def frames(self, joint_stamp):
        """Return the pose of every link in the world, from what was published with a stamp."""
        joints = self.node.client._joints
        assert self.node.until(lambda: joint_stamp in joints), self.node.log()
        assert self.node.until(lambda: any(text(root) == joint_stamp for root in self.roots))
        root = next(root for root in self.roots if text(root) == joint_stamp)
        T = pose_to_matrix(root.pose)
        message = joints[joint_stamp][0]
        return {link: T @ T_root_link for link, T_root_link in TREE.forward(
            dict(zip(message.name, message.position))).items()}


def text(message):
    stamp = message.header.stamp
    return f'{stamp.sec}.{stamp.nanosec:09d}'


@pytest.fixture(scope='module')
def figure():
    with running(urdf_path=robots.OWN / 'humanoid.urdf', solver='least_squares', root='floating',
                 tasks=f'[{", ".join(NAMES)}]', publish_rate=0.0, **TASKS) as node:
        yield Figure(node.ready())


def test_a_goal_moves_one_task_and_the_others_hold(figure):
    start = figure.frames(figure.send('look', [5.0, 0.0, 1.0])['joint_stamp'])
    goal = start['left_palm'].copy()
    goal[:3, 3] += [0.1, 0.05, 0.15]
    status = figure.send('left', goal)
    assert status['level'] == DiagnosticStatus.OK, status
    assert (status['task'], status['arm']) == ('left', '')
    after = figure.frames(status['joint_stamp'])
    assert after['left_palm'] == pytest.approx(goal, abs=2e-6)
    for link in ('left_sole', 'right_sole'):
        assert after[link] == pytest.approx(start[link], abs=2e-6)
    assert after['right_palm'][:3, 3] == pytest.approx(start['right_palm'][:3, 3], abs=2e-6)


def test_the_gaze_follows_its_target_and_the_balance_is_kept(figure):
    target = np.array([2.0, 1.0, 0.5])
    after = figure.frames(figure.send('look', target)['joint_stamp'])
    seen = after['gaze'][:3, :3].T @ (target - after['gaze'][:3, 3])
    assert np.linalg.norm(seen[1:]) < 1e-5 * seen[0]


def test_frames_of_goals_are_the_world_links_and_the_frame_named_world(figure):
    start = figure.frames(figure.send('look', [5.0, 0.0, 1.0])['joint_stamp'])
    goal = start['right_palm'][:3, 3] + [0.05, 0.0, 0.1]
    in_chest = (np.linalg.inv(start['chest']) @ [*goal, 1.0])[:3]
    for frame, target in (('chest', in_chest), ('world', goal), ('', goal)):
        after = figure.frames(figure.send('right', target, frame)['joint_stamp'])
        assert after['right_palm'][:3, 3] == pytest.approx(goal, abs=5e-6)
        figure.send('right', start['right_palm'][:3, 3])


def test_a_goal_out_of_reach_moves_nothing_and_the_former_target_stands(figure):
    before = figure.frames(figure.send('look', [5.0, 0.0, 1.0])['joint_stamp'])
    status = figure.send('left', pose(9.0, 0.0, 1.0))
    assert status['level'] == DiagnosticStatus.ERROR
    assert status['reason'] == 'STALLED'
    assert "'left' misses by" in status['message']
    after = figure.frames(status['joint_stamp'])
    assert all(np.array_equal(after[link], before[link]) for link in before)
    assert figure.send('look', [5.0, 0.5, 1.0])['level'] == DiagnosticStatus.OK


def test_what_is_no_goal_is_refused_by_the_name_of_its_task(figure):
    status = figure.send('left', np.diag([1.0, 1.0, 1.0, 1.0]), 'nowhere')
    assert (status['reason'], status['task']) == ('REFUSED', 'left')
    assert "unknown frame 'nowhere'" in status['message']
    status = figure.send('look', [float('nan'), 0.0, 0.0])
    assert (status['reason'], status['task']) == ('REFUSED', 'look')
    assert figure.send('look', [5.0, 0.0, 1.0])['level'] == DiagnosticStatus.OK
    assert figure.node.alive()


def test_on_failure_closest_goes_as_near_as_it_can(figure):
    figure.node.call(Trigger, 'ik_node/reset', Trigger.Request())
    assert figure.node.set(on_failure='closest') == (True, '')
    try:
        status = figure.send('left', pose(1.5, 0.3, 1.2))
        assert status['level'] == DiagnosticStatus.WARN
        after = figure.frames(status['joint_stamp'])
        assert float(status['position_error']) == pytest.approx(np.linalg.norm(
            after['left_palm'][:3, 3] - [1.5, 0.3, 1.2]), rel=1e-3)
        assert after['left_palm'][0, 3] > 0.4
    finally:
        assert figure.node.set(on_failure='hold') == (True, '')
        figure.node.call(Trigger, 'ik_node/reset', Trigger.Request())


def test_reset_sets_the_targets_back(figure):
    figure.node.call(Trigger, 'ik_node/reset', Trigger.Request())
    start = figure.frames(figure.send('look', [5.0, 0.0, 1.0])['joint_stamp'])
    moved = start['left_palm'].copy()
    moved[:3, 3] += [0.1, 0.0, 0.1]
    figure.send('left', moved)
    assert figure.node.call(Trigger, 'ik_node/reset', Trigger.Request()).success
    after = figure.frames(figure.send('look', [5.0, 0.0, 1.0])['joint_stamp'])
    assert after['left_palm'] == pytest.approx(start['left_palm'], abs=5e-6)


def test_diagnostics_have_a_report_of_each_task(figure):
    figure.send('look', [5.0, 0.0, 1.0])
    arrays = figure.node.listen(DiagnosticArray, '/diagnostics')
    assert figure.node.until(lambda: arrays)
    reports = {status.name.rpartition(' ')[2]: status for status in arrays[-1].status[1:]}
    assert list(reports) == NAMES
    assert reports['left'].message == 'met'
    assert {pair.key: pair.value for pair in reports['left_foot'].values}['priority'] == '0'


def test_markers_show_every_task_in_the_world(figure):
    figure.send('look', [5.0, 0.0, 1.0])
    arrays = figure.node.listen(MarkerArray, 'ik_node/markers', 1)
    assert figure.node.until(lambda: arrays)
    shown = {marker.ns for marker in arrays[-1].markers}
    assert {f'{name}/goal' for name in NAMES} | {'status'} == shown
    assert {marker.header.frame_id for marker in arrays[-1].markers} == {'world'}


def test_tasks_and_their_fields_change_while_the_node_runs(figure):
    node = figure.node
    assert node.set(left__weight=0.0) == (True, '')
    try:
        ok, reason = node.set(look__axis=[0.0, 0.0, 0.0])
        assert not ok
        assert 'look' in reason
        ok, reason = node.set(look__link='nose')
        assert not ok
        assert "'nose'" in reason
        ok, reason = node.set(look__normal=[0.0, 0.0, 1.0])
        assert not ok
        assert 'look.normal must be unset' in reason
        ok, reason = node.set(balance__polygon=[0.0, 0.0, 1.0, 1.0])
        assert not ok
        assert 'balance' in reason
        assert node.set(tasks=[*NAMES, 'new']) == (True, '')
        arrays = node.listen(DiagnosticArray, '/diagnostics')
        assert node.until(lambda: any(
            status.name.endswith('task new') and 'set new.type' in status.message
            for array in arrays for status in array.status))
        assert node.set(new__link='chest') == (True, '')
        assert node.set(new__type='orientation') == (True, '')
        upright = pose(0.0, 0.0)
        status = figure.send('new', upright)
        assert status['level'] == DiagnosticStatus.OK, status
        assert figure.frames(status['joint_stamp'])['chest'][:3, :3] == pytest.approx(
            np.eye(3), abs=5e-6)
    finally:
        assert node.set(tasks=NAMES) == (True, '')
        assert node.set(left__weight=1.0) == (True, '')
    assert node.get('tasks') == NAMES
    assert node.describe('new.type') == []  # its parameters are gone


@pytest.mark.parametrize(('names', 'reason'), [
    (['left', 'left'], 'must be different names'), (['dls'], 'is the name of other parameters'),
    (['goal'], 'of the goal of a tip'),
    (['1st'], 'a letter first'), ([f't{k}' for k in range(65)], 'at most 64')])
def test_names_that_cannot_be_those_of_topics_are_refused(figure, names, reason):
    before = figure.node.get('tasks')
    ok, said = figure.node.set(tasks=names)
    assert not ok
    assert reason in said
    assert figure.node.get('tasks') == before


def test_a_solver_of_arms_is_refused_while_there_are_tasks(figure):
    ok, reason = figure.node.set(solver='dls')
    assert not ok
    assert "solver must be one of 'genetic', 'hierarchy', 'lagrange'" in reason
    ok, reason = figure.node.set(motion='cartesian', publish_rate=30.0)
    assert not ok
    assert 'motion cartesian' in reason


@pytest.mark.parametrize('solver', ['hierarchy', 'lagrange', 'genetic', 'optimization'])
def test_the_solver_changes_and_targets_stay(figure, solver):
    figure.node.call(Trigger, 'ik_node/reset', Trigger.Request())
    start = figure.frames(figure.send('look', [5.0, 0.0, 1.0])['joint_stamp'])
    goal = start['right_palm'][:3, 3] + [0.05, 0.0, 0.1]
    figure.send('right', goal)
    assert figure.node.set(solver=solver) == (True, '')
    try:
        status = figure.send('look', [5.0, 0.2, 1.0])
        assert (status['solver'], status['level']) == (solver, DiagnosticStatus.OK), status
        after = figure.frames(status['joint_stamp'])
        assert after['right_palm'][:3, 3] == pytest.approx(goal, abs=5e-6)
    finally:
        assert figure.node.set(solver='least_squares') == (True, '')


def test_options_that_arms_have_too_are_those_of_the_body(figure):
    node = figure.node
    assert node.set(solver='optimization') == (True, '')
    try:
        ok, reason = node.set(optimization__terms=['manipulability'])  # of arms only
        assert not ok
        assert "optimization.terms[0] must be one of 'reference', 'limits'" in reason
        assert node.set(optimization__max_iterations=1, optimization__max_restarts=0) == (True, '')
        node.call(Trigger, 'ik_node/reset', Trigger.Request())
        start = figure.frames(figure.send('look', [5.0, 0.0, 1.0])['joint_stamp'])
        goal = start['right_palm'][:3, 3] + [0.05, 0.0, 0.2]
        assert figure.send('right', goal)['reason'] == 'ITERATIONS'
    finally:
        for name in ('max_iterations', 'max_restarts'):
            assert node.set(**{f'optimization__{name}': 200})[0]
        assert node.set(solver='least_squares') == (True, '')


def test_with_motion_joint_the_joints_keep_their_velocity_limits(figure):
    node = figure.node
    node.call(Trigger, 'ik_node/reset', Trigger.Request())
    start = figure.frames(figure.send('look', [5.0, 0.0, 1.0])['joint_stamp'])
    assert node.set(publish_rate=100.0, motion='joint') == (True, '')
    try:
        goal = start['left_palm'].copy()
        goal[:3, 3] += [0.1, 0.05, 0.15]
        states = node.joint_states(2)
        del states
        status = figure.send('left', goal)
        assert float(status['motion_duration']) > 0.1
        end = float(status['joint_stamp']) + float(status['motion_duration'])
        joints = node.client._joints
        assert node.until(lambda: seconds(next(reversed(joints.values()))[0].header.stamp) > end)
        moving = [message for message, _ in joints.values()
                  if seconds(message.header.stamp) >= float(status['joint_stamp'])]
        fastest = max(np.abs(np.subtract(b.position, a.position)).max()
                      / (seconds(b.header.stamp) - seconds(a.header.stamp))
                      for a, b in pairwise(moving))
        assert 0.05 < fastest < 1.01 * max(TREE.joints[name].velocity for name in moving[0].name)
    finally:
        assert node.set(motion='jump', publish_rate=0.0) == (True, '')


def test_without_tasks_a_body_solver_meets_the_goals_of_the_arm():
    with running(urdf_path=robots.OWN / 'arm_7r.urdf', solver='least_squares') as node:
        chain = KinematicTree.from_urdf(robots.OWN / 'arm_7r.urdf').chain()
        goal = chain.forward(np.clip(chain.neutral() + 0.3, chain.lower, chain.upper))
        outcome = node.ready().client.send(goal)
        assert outcome.met, outcome
        assert chain.forward([outcome.joints[name] for name in chain.joint_names]) == pytest.approx(
            goal, abs=2e-6)
        point = goal[:3, 3] + [0.0, 0.05, -0.05]
        outcome = node.client.send(point)
        assert outcome.met, outcome
        reached = chain.forward([outcome.joints[name] for name in chain.joint_names])
        assert reached[:3, 3] == pytest.approx(point, abs=2e-6)
        assert node.client.send(goal).met  # its orientation counts again
        outcome = node.client.send(goal)
        reached = chain.forward([outcome.joints[name] for name in chain.joint_names])
        assert reached == pytest.approx(goal, abs=2e-6)
        assert node.set(tasks=['hand']) == (True, '')
        assert node.set(hand__link=chain.tip_link) == (True, '')
        assert node.set(hand__type='position') == (True, '')
        figure = Figure(node, 'fixed')
        assert figure.send('hand', goal[:3, 3])['level'] == DiagnosticStatus.OK
        assert 'goals are those of a task' in node.client.send(goal).message
        assert node.set(tasks='none') == (True, '')
        assert node.set(solver='dls') == (True, '')
        assert node.client.send(goal).met
