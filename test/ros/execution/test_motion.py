"""Motion of a running node: within the limits, blended, through waypoints, stopped when asked."""

import re

import numpy as np
import pytest

pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseArray, PoseStamped
from nav_msgs.msg import Path
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory

import robots
from followed import Followed
from ik_node import KinematicTree
from ik_node.motion.limits import motion_limits
from ik_node.ros.conversions import matrix_to_pose
from node_here import NodeHere
from ros_harness import elapse, seconds
from ros_motion import (
    CONTROLLER,
    RATE,
    START,
    arrays,
    arrive,
    assert_kept,
    chain,
    goal,
    in_one_mode,
    limits,
    moving_node,
    rests,
    under_way,
)


@pytest.fixture(scope='module')
def node():
    with moving_node() as running_node:
        yield running_node.ready()


def test_a_motion_starts_with_its_status_and_ends_at_the_goal_at_rest(node, heard, mode):
    wanted = goal(0.0, 0.2, -0.1)
    answer = node.client.send(wanted)
    assert answer.met, node.log()
    duration = float(answer.values['motion_duration'])
    assert re.search(rf'; moving for {duration:.3f} s$', answer.message)
    assert duration > 0.5
    at_start = [answer.joints[name] for name in chain.joint_names]
    assert at_start == pytest.approx(START, abs=0.05)
    arrive(node, heard, duration)
    _, q, v = arrays(heard)
    assert chain.forward(q[-1]) == pytest.approx(wanted, abs=5e-6)
    assert_kept(heard)
    moving = np.flatnonzero(np.abs(v).max(axis=1) > 0.0)
    assert len(moving) > 10
    assert not v[-1].any()
    if mode == 'cartesian':
        p0, p1 = chain.forward(START)[:3, 3], wanted[:3, 3]
        path = (p1 - p0) / np.linalg.norm(p1 - p0)
        for configuration in q[::10]:
            p = chain.forward(configuration)[:3, 3] - p0
            assert np.linalg.norm(p - (p @ path) * path) <= 1e-4


def test_a_new_goal_during_a_motion_blends_without_a_step_or_a_stop(node, heard):
    assert node.client.send(goal(0.0, 0.2, 0.0)).met
    under_way(node, heard)
    moving = len(heard) - 1  # before, the arm starts from rest
    wanted = goal(0.0, 0.2, -0.15)
    second = node.client.send(wanted)
    assert second.met, node.log()
    elapse(node, heard, 0.15)
    _, _, v = arrays(heard[moving:])
    assert np.abs(v).max(axis=1).min() > 0.02
    arrive(node, heard, float(second.values['motion_duration']))
    assert_kept(heard)
    _, q, v = arrays(heard)
    assert chain.forward(q[-1]) == pytest.approx(wanted, abs=5e-6)
    # No velocity changes faster than accelerations allow, here over many periods.
    span = 20
    t = arrays(heard)[0]
    rates = np.abs(v[span:] - v[:-span]) / (t[span:] - t[:-span])[:, None]
    assert (rates <= 1.3 * limits.acceleration).all()


@pytest.mark.parametrize(('mode', 'topic'), [('joint', 'goal_path'), ('cartesian', 'goal_poses')])
def test_waypoints_are_all_reached_with_one_status(node, heard, topic):
    wanted = [goal(0.0, 0.1, 0.0), goal(0.0, 0.1, -0.1), goal(0.0, 0.0, -0.1)]
    poses = [matrix_to_pose(T) for T in wanted]
    statuses = node.listen(DiagnosticStatus, 'ik_node/status')
    if topic == 'goal_path':
        node.publish(Path, topic, Path(poses=[PoseStamped(pose=pose) for pose in poses]))
    else:
        node.publish(PoseArray, topic, PoseArray(poses=poses))
    assert node.until(lambda: statuses), node.log()
    assert statuses[0].level == DiagnosticStatus.OK
    assert statuses[0].message.startswith('all waypoints: the goal is met; moving for ')
    values = {pair.key: pair.value for pair in statuses[0].values}
    arrive(node, heard, float(values['motion_duration']))
    assert len(statuses) == 1
    assert_kept(heard)
    tips = np.array([chain.forward(state.position) for state in heard])
    nearest = [int(np.argmin(np.abs(tips - T).max(axis=(1, 2)))) for T in wanted]
    assert nearest == sorted(nearest)
    for k, T in zip(nearest, wanted):  # as near as samples come to it
        assert tips[k] == pytest.approx(T, abs=0.01)
    assert chain.forward(heard[-1].position) == pytest.approx(wanted[-1], abs=5e-6)


@in_one_mode
def test_a_waypoint_out_of_reach_refuses_the_path_before_anything_moves(node, heard):
    statuses = node.listen(DiagnosticStatus, 'ik_node/status')
    far = goal(3.0, 0.0, 0.0)
    node.publish(PoseArray, 'goal_poses', PoseArray(
        poses=[matrix_to_pose(goal(0.0, 0.1, 0.0)), matrix_to_pose(far)]))
    assert node.until(lambda: statuses)
    assert statuses[0].level == DiagnosticStatus.ERROR
    assert statuses[0].message.startswith('waypoint 2 of 2: ')
    elapse(node, heard, 0.2)
    assert heard[-1].position == pytest.approx(START)


@in_one_mode
def test_a_goal_out_of_reach_leaves_a_motion_as_it_is(node, heard):
    wanted = goal(0.0, 0.2, 0.0)
    duration = float(node.client.send(wanted).values['motion_duration'])
    assert not node.client.send(goal(3.0, 0.0, 0.0)).met
    arrive(node, heard, duration)
    assert chain.forward(heard[-1].position) == pytest.approx(wanted, abs=5e-6)


@in_one_mode
def test_to_disable_freezes_the_arm_at_once(node, heard):
    assert node.client.send(goal(0.0, 0.2, 0.0)).met
    under_way(node, heard)
    assert any(heard[-1].velocity)
    assert node.call(SetBool, 'ik_node/enable', SetBool.Request(data=False)).success
    frozen = len(heard)
    assert node.until(lambda: len(heard) > frozen + 10)
    stood = heard[frozen:]
    assert all(not any(state.velocity) for state in stood[5:])
    assert stood[-1].position == stood[5].position
    assert stood[-1].position != pytest.approx(START, abs=0.01)
    assert not node.client.send(goal(0.0, 0.2, 0.0)).met
    assert not node.call(Trigger, 'ik_node/reset', Trigger.Request()).success
    elapse(node, heard, 0.1)
    assert heard[-1].position == stood[-1].position


def test_the_motion_goes_out_as_a_trajectory_for_a_controller(node, heard):
    trajectories = node.listen(JointTrajectory, CONTROLLER)
    assert node.until(lambda: node.node.count_publishers(CONTROLLER) > 0)
    node.settle()
    wanted = goal(0.0, 0.2, -0.1)
    duration = float(node.client.send(wanted).values['motion_duration'])
    assert node.until(lambda: trajectories)
    sent = trajectories[0]
    assert list(sent.joint_names) == list(chain.joint_names)
    times = np.array([seconds(point.time_from_start) for point in sent.points])
    assert times[0] == 0.0
    assert (np.diff(times) > 0.0).all()
    assert (np.diff(times) <= 1.0 / RATE + 1e-6).all()
    assert times[-1] == pytest.approx(duration, abs=0.05)
    assert chain.forward(sent.points[-1].positions) == pytest.approx(wanted, abs=5e-6)
    assert not any(sent.points[-1].velocities)
    trajectory = Followed.of(sent)
    q, v, a = trajectory.at(trajectory.dense())
    assert (q >= limits.lower).all()
    assert (q <= limits.upper).all()
    assert (np.abs(v) <= limits.velocity * 1.00001).all()
    assert (np.abs(a) <= limits.acceleration * 1.00001).all()
    # It begins at its stamp: the joint states are where it leads to.
    under_way(node, heard)
    stamps, positions, _ = arrays(heard)
    assert trajectory.at(stamps).position == pytest.approx(positions, abs=1e-6)
    # To disable tells the controller to stand where the arm is.
    node.call(SetBool, 'ik_node/enable', SetBool.Request(data=False))
    assert node.until(lambda: len(trajectories) > 1)
    hold, still = trajectories[-1].points
    assert seconds(hold.time_from_start) == pytest.approx(1.0 / RATE)
    assert seconds(still.time_from_start) > 1.0  # the controller may be late, but must stop
    assert still.positions == hold.positions
    assert not any(still.velocities)
    assert node.until(lambda: rests(heard))
    assert list(hold.positions) == pytest.approx(list(heard[-1].position))
    assert not any(hold.velocities)


@in_one_mode
def test_a_goal_in_the_frame_of_a_moving_link_is_taken_from_where_it_is_at_that_moment(node, heard):
    trajectories = node.listen(JointTrajectory, CONTROLLER)
    assert node.client.send(goal(0.0, 0.2, -0.1)).met
    began = node.now
    under_way(node, heard)
    before = len(heard)
    assert node.until(lambda: len(heard) > before)
    node.spin(0.007)  # between two joint states
    now = node.now - began
    answer = node.client.send(np.eye(4), frame='tool0')
    assert answer.met, answer.message
    arrive(node, heard, float(answer.values['motion_duration']))
    points = trajectories[0].points
    times = [seconds(point.time_from_start) for point in points]
    q = [np.interp(now, times, values)
         for values in np.transpose([point.positions for point in points])]
    # Nobody can stop at once: it goes back to where it was.
    assert chain.forward(heard[-1].position)[:3, 3] == pytest.approx(
        chain.forward(q)[:3, 3], abs=3e-4)


def test_an_empty_path_stops_the_arm_on_its_way(node, heard):
    publisher = node.node.create_publisher(PoseArray, 'goal_poses', 1)
    assert node.until(lambda: publisher.get_subscription_count() > 0)
    node.settle()  # it knows of the publisher, too
    assert node.client.send(goal(0.0, 0.25, -0.1)).met
    under_way(node, heard)
    publisher.publish(PoseArray())
    arrive(node, heard, 0.2)
    assert_kept(heard)
    assert chain.forward(heard[-1].position) != pytest.approx(goal(0.0, 0.25, -0.1), abs=1e-2)


def test_the_closest_configuration_is_moved_to_where_that_is_wanted(node, heard):
    far = goal(3.0, 0.0, 0.0)
    try:
        assert node.set(on_failure='closest') == (True, '')
        answer = node.client.send(far)
        assert not answer.met
        assert 'the closest is published; moving for' in answer.message, answer.message
        error = float(answer.values['position_error'])
        arrive(node, heard, float(answer.values['motion_duration']))
    finally:
        assert node.set(on_failure='hold') == (True, '')
    assert_kept(heard)
    tip = chain.forward(heard[-1].position)
    assert np.linalg.norm(tip[:3, 3] - far[:3, 3]) == pytest.approx(error, abs=1e-4)
    assert error < 0.9 * np.linalg.norm(chain.forward(START)[:3, 3] - far[:3, 3])


def test_a_reset_moves_to_the_start_pose(node, heard):
    arrive(node, heard, float(node.client.send(goal(0.0, 0.1, 0.0)).values['motion_duration']))
    response = node.call(Trigger, 'ik_node/reset', Trigger.Request())
    assert response.success
    duration = float(re.fullmatch(r'moving to the start pose for ([\d.]+) s', response.message)[1])
    assert duration > 0.2
    arrive(node, heard, duration)
    assert_kept(heard)
    assert heard[-1].position == pytest.approx(START)


@in_one_mode
def test_to_deactivate_stops_the_arm_where_it_is(node, heard):
    assert node.client.send(goal(0.0, 0.2, 0.0)).met
    under_way(node, heard)
    assert node.transition('deactivate')
    assert node.until(lambda: not any(heard[-1].velocity)), node.log()
    last = heard[-1]
    reset = node.call(Trigger, 'ik_node/reset', Trigger.Request())
    assert (reset.success, reset.message) == (
        False, 'the node is not active, or disabled: motions are not allowed')
    assert node.transition('activate')
    elapse(node, heard, 0.2)
    assert heard[-1].position == last.position
    assert node.alive()


def test_several_arms_move_at_once_each_by_its_own_limits():
    given = {'arms': '[left,right]', 'motion': 'cartesian', 'publish_rate': 50.0,
             'urdf_path': robots.OWN / 'torso.urdf', 'right.speed': 0.5,
             **{f'{side}.{end}_link': f'{f"{side}_tool0" if end == "tip" else "torso_link"}'
                for side in ('left', 'right') for end in ('base', 'tip')},
             **{f'{side}.start_pose': f'{[0.4] * 7}' for side in ('left', 'right')}}
    torso = KinematicTree.from_urdf(robots.OWN / 'torso.urdf')
    with NodeHere(*(part for name, value in given.items()
                         for part in ('-p', f'{name}:={value}'))) as node:
        node.ready()
        states = node.listen(JointState, 'joint_states', 1000)
        statuses = node.listen(DiagnosticStatus, 'ik_node/status')
        for side in ('left', 'right'):
            arm = torso.chain('torso_link', f'{side}_tool0')
            node.publish(PoseStamped, f'{side}/goal_pose', PoseStamped(
                pose=matrix_to_pose(arm.forward([0.5] * 7))))
        assert node.until(lambda: len(statuses) == 2), node.log()
        durations = {}
        for status in statuses:
            values = {pair.key: pair.value for pair in status.values}
            durations[values['arm']] = float(values['motion_duration'])
        assert set(durations) == {'left', 'right'}
        arrive(node, states, max(durations.values()))
        q, v = (dict(zip(states[-1].name, part))
                for part in (states[-1].position, states[-1].velocity))
        fastest = dict(zip(states[-1].name, np.abs([state.velocity for state in states]).max(0)))
        for side, speed in (('left', 1.0), ('right', 0.5)):
            arm = torso.chain('torso_link', f'{side}_tool0')
            end = arm.forward([q[name] for name in arm.joint_names])
            assert end == pytest.approx(arm.forward([0.5] * 7), abs=5e-6)
            most = motion_limits(arm, speed=speed).velocity * 1.00001
            assert all(0.0 < fastest[name] <= limit
                       for name, limit in zip(arm.joint_names, most))
        assert not any(v.values())
        both = [state for state in states if all(any(
            abs(speed) > 0.01 for name, speed in zip(state.name, state.velocity)
            if name.startswith(side)) for side in ('left', 'right'))]
        assert len(both) > 5
