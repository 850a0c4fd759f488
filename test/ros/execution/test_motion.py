"""Motions of a running node: what is published of them, and what begins and ends them.

How motions are planned, joined and limited is tested in `control`.
"""

import re

import numpy as np
import pytest

pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')

from geometry_msgs.msg import PoseArray, PoseStamped
from nav_msgs.msg import Path
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

import robots
from harness.bent_arm import ARM, CHAIN, START
from harness.followed import Followed
from harness.node_here import running
from harness.ros_harness import elapse, seconds
from ik_node.motion.limits import motion_limits
from ik_node.ros.conversions import matrix_to_pose

RATE, SLOW = 100.0, 0.8  # Hz; so that every motion takes a second or so
CONTROLLER = '/arm_controller/joint_trajectory'
LIMITS = motion_limits(CHAIN, speed=SLOW)

either = pytest.mark.parametrize('mode', ['joint', 'cartesian'])


@pytest.fixture(scope='module')
def shared():
    with running(urdf_path=ARM, publish_rate=RATE, motion='cartesian', speed=SLOW,
                 start_pose=f'{START}', trajectory_topic=CONTROLLER) as node:
        node.states = node.listen(JointState, 'joint_states', 1000)
        yield node


@pytest.fixture
def mode():
    return 'joint'


@pytest.fixture
def node(shared, mode):
    """Return the node, at rest at its start; `states`: the joint states from then on."""
    shared.enable(True)
    assert shared.set(motion='jump') == (True, '')
    assert shared.reset().success
    assert shared.set(motion=mode) == (True, '')
    shared.joint_states(2)
    shared.states.clear()
    return shared


def goal(x, y, z):
    T = CHAIN.forward(START)
    T[:3, 3] += [x, y, z]
    return T


def begin(node, T):
    """Send a goal, and wait until the arm is on its way; return how long the motion takes, s."""
    response = node.client.send(T)
    assert response.met, node.log()
    assert node.until(lambda: node.states and any(node.states[-1].velocity) and np.abs(
        np.subtract(node.states[-1].position, START)).max() > 0.02), node.log()
    return float(response.values['motion_duration'])


def arrive(node, duration):
    """Wait until a motion of that duration, s, is over; check all states; return the last q."""
    elapse(node, node.states, duration)
    assert node.until(lambda: not any(node.states[-1].velocity)), node.log()
    t = np.array([seconds(state.header.stamp) for state in node.states])
    q, v = (np.array([getattr(state, name) for state in node.states])
            for name in ('position', 'velocity'))
    assert (q >= LIMITS.lower).all()
    assert (q <= LIMITS.upper).all()
    assert (np.abs(v) <= LIMITS.velocity * 1.00001).all()
    by_velocity = 0.5 * (v[1:] + v[:-1]) * np.diff(t)[:, None]
    assert np.diff(q, axis=0) == pytest.approx(by_velocity, abs=1e-4)
    return q[-1]


@either
def test_a_motion_is_published_as_joint_states_and_as_a_trajectory_and_brakes_when_disabled(node):
    trajectories = node.listen(JointTrajectory, CONTROLLER)
    wanted = goal(0.0, 0.2, -0.1)
    response = node.client.send(wanted)
    duration = float(response.values['motion_duration'])
    assert re.search(rf'; moving for {duration:.3f} s$', response.message)
    assert list(response.joints.values()) == pytest.approx(START, abs=0.05)
    (sent,) = trajectories
    assert list(sent.joint_names) == list(CHAIN.joint_names)
    times = np.array([seconds(point.time_from_start) for point in sent.points])
    assert times[0] == 0.0
    assert 0.0 < np.diff(times).min() <= np.diff(times).max() <= 1.0 / RATE + 1e-6
    assert times[-1] == pytest.approx(duration, abs=0.05)
    trajectory = Followed.of(sent)
    q, v, a = trajectory.at(trajectory.dense())
    assert (LIMITS.lower <= q).all()
    assert (q <= LIMITS.upper).all()
    assert (np.abs(v) <= LIMITS.velocity * 1.00001).all()
    assert (np.abs(a) <= LIMITS.acceleration * 1.00001).all()
    assert CHAIN.forward(arrive(node, duration)) == pytest.approx(wanted, abs=5e-6)
    # It begins at its stamp: the joint states are where it leads to.
    assert trajectory.at([seconds(state.header.stamp) for state in node.states]).position == (
        pytest.approx(np.array([state.position for state in node.states]), abs=1e-6))
    begin(node, goal(0.0, 0.0, 0.0))
    node.states.clear()
    node.enable(False)
    end = arrive(node, 0.1)  # within the limits
    ramp = Followed.of(trajectories[-1])
    assert ramp.at([ramp.stamp + ramp.times[-1]]).position[0] == pytest.approx(end, abs=1e-9)
    assert not any(trajectories[-1].points[-1].velocities)
    assert ramp.at([seconds(state.header.stamp) for state in node.states[1:]]).position == (
        pytest.approx(np.array([state.position for state in node.states[1:]]), abs=1e-6))
    assert not node.client.send(wanted).met
    assert not node.reset().success


@pytest.mark.parametrize(('mode', 'kind'), [('joint', Path), ('cartesian', PoseArray)])
def test_waypoints_are_all_reached_with_one_status_or_none_where_one_is_out_of_reach(node, kind):
    def send(*wanted):
        poses = [matrix_to_pose(T) for T in wanted]
        if kind is Path:
            return node.send('goal_path', Path(poses=[PoseStamped(pose=pose) for pose in poses]))
        return node.send('goal_poses', PoseArray(poses=poses))
    report = send(goal(0.0, 0.1, 0.0), goal(3.0, 0.0, 0.0))
    assert report.level == 2
    assert report.message.startswith('waypoint 2 of 2: ')
    assert node.q(CHAIN) == pytest.approx(START)
    wanted = [goal(0.0, 0.1, 0.0), goal(0.0, 0.1, -0.1), goal(0.0, 0.0, -0.1)]
    report, count = send(*wanted), len(node.reports)
    assert report.message.startswith('all waypoints: the goal is met; moving for ')
    arrive(node, float(report.values['motion_duration']))
    assert len(node.reports) == count
    tips = np.array([CHAIN.forward(state.position) for state in node.states])
    nearest = [int(np.argmin(np.abs(tips - T).max(axis=(1, 2)))) for T in wanted]
    assert nearest == sorted(nearest)
    for k, T in zip(nearest, wanted):  # as near as samples come to it
        assert tips[k] == pytest.approx(T, abs=0.01)
    assert tips[-1] == pytest.approx(wanted[-1], abs=5e-6)


def test_a_goal_in_the_frame_of_a_moving_link_is_taken_from_where_it_is_at_that_moment(node):
    trajectories = node.listen(JointTrajectory, CONTROLLER)
    began = node.now
    begin(node, goal(0.0, 0.2, -0.1))
    node.joint_states()
    node.spin(0.007)  # between two joint states
    now = node.now - began
    response = node.client.send(np.eye(4), frame='tool0')
    assert response.met, response.message
    points = trajectories[0].points
    q = [np.interp(now, [seconds(point.time_from_start) for point in points], values)
         for values in np.transpose([point.positions for point in points])]
    # No arm can stop at once: it goes back to where it was.
    end = arrive(node, float(response.values['motion_duration']))
    assert CHAIN.forward(end)[:3, 3] == pytest.approx(CHAIN.forward(q)[:3, 3], abs=3e-4)


@either
def test_an_empty_path_brakes_and_so_does_deactivation(node):
    begin(node, goal(0.0, 0.25, -0.1))
    node.publish(PoseArray, 'goal_poses', PoseArray())
    assert CHAIN.forward(arrive(node, 0.2)) != pytest.approx(goal(0.0, 0.25, -0.1), abs=1e-2)
    begin(node, goal(0.0, 0.25, -0.1))
    assert node.transition('deactivate')
    assert node.reset().message == 'the node is not active, or disabled: motions are not allowed'
    assert node.transition('activate')
    states = node.joint_states(100)
    assert not any(states[-1].velocity)
    assert np.abs(np.diff([state.position for state in states], axis=0)).max() < 0.05


def test_a_reset_moves_to_the_start_pose(node):
    arrive(node, begin(node, goal(0.0, 0.1, 0.0)))
    duration = float(re.fullmatch(r'moving to the start pose for ([\d.]+) s',
                                  node.reset().message)[1])
    assert duration > 0.2
    assert arrive(node, duration) == pytest.approx(START)


def test_with_motion_jump_there_are_no_velocities(node):
    assert node.set(motion='jump') == (True, '')
    assert node.client.send(goal(0.0, 0.1, 0.0)).values['motion_duration'] == ''
    assert node.tip(CHAIN) == pytest.approx(goal(0.0, 0.1, 0.0), abs=5e-6)
    assert not len(node.states[-1].velocity)


def test_several_arms_move_at_the_same_time_each_by_its_own_limits():
    tree = robots.tree('torso')
    arms = {side: tree.chain('torso_link', f'{side}_tool0') for side in ('left', 'right')}
    with running(urdf_path=robots.OWN / 'torso.urdf', arms='[left, right]', motion='cartesian',
                 publish_rate=50.0, right__speed=0.5, **{
                     f'{side}__{name}': value for side in arms for name, value in (
                         ('base_link', 'torso_link'), ('tip_link', f'{side}_tool0'),
                         ('start_pose', f'{[0.4] * 7}'))}) as node:
        states = node.listen(JointState, 'joint_states', 1000)
        durations = [float(node.send(f'{side}/goal_pose', PoseStamped(pose=matrix_to_pose(
            arm.forward([0.5] * 7)))).values['motion_duration']) for side, arm in arms.items()]
        elapse(node, states, max(durations))
        assert node.until(lambda: not any(states[-1].velocity))
        speeds = np.abs([state.velocity for state in states])
        at = {side: [states[0].name.index(name) for name in arm.joint_names]
              for side, arm in arms.items()}
        for (side, arm), speed in zip(arms.items(), (1.0, 0.5)):
            assert node.tip(arm) == pytest.approx(arm.forward([0.5] * 7), abs=5e-6)
            most = motion_limits(arm, speed=speed).velocity * 1.00001
            assert (0.0 < speeds[:, at[side]].max(axis=0)).all()
            assert (speeds[:, at[side]].max(axis=0) <= most).all()
        moving = [(speeds[:, at[side]] > 0.01).any(axis=1) for side in arms]
        assert (moving[0] & moving[1]).sum() > 5


def test_a_node_that_cannot_publish_motions_is_not_configured(node):
    assert node.transition('deactivate')
    assert node.transition('cleanup')
    assert node.set(publish_rate=0.0) == (True, '')
    assert not node.transition('configure')
    assert 'cannot configure: publish_rate must be above 0' in node.log()
    assert node.set(publish_rate=RATE) == (True, '')  # tries again by itself
    assert node.until(lambda: node.state() == 'active'), node.log()
    assert node.alive()
