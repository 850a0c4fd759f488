"""The handles of arms: dragging sends goals, the menu changes settings."""

import math

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from geometry_msgs.msg import Pose
from visualization_msgs.msg import InteractiveMarkerControl, InteractiveMarkerFeedback

from handle_rig import Rig, along, at, modes, reachable, titles
from ik_node import Goal, solver_names
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.services.interaction.marker import (
    HOME,
    POSITION_ONLY,
    SOLVER,
    Look,
    chosen_solver,
    handle_marker,
)
from marker_checks import check_pose

PLANAR = (1.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def test_it_begins_at_the_tip_in_the_frame_of_the_base():
    rig = Rig(prefix='left/')
    assert rig.handle.name == 'tip'
    assert rig.handle.header.frame_id == 'left/base_link'
    assert rig.handle.header.stamp.sec == rig.handle.header.stamp.nanosec == 0
    assert at(rig.handle.pose) == pytest.approx(rig.arm.chain.forward(rig.arm.start))
    assert rig.handle.scale > 0.0


def test_it_goes_with_the_tip_until_it_is_dragged():
    rig = Rig()
    q = rig.robot.joint_configuration(rig.arm) + 0.1
    rig.robot.move(rig.arm, q)
    rig.handles.follow(rig.robot)
    assert at(rig.handle.pose) == pytest.approx(rig.arm.chain.forward(q))
    T = reachable(rig)
    rig.drag(T)
    rig.robot.move(rig.arm, q)
    rig.handles.follow(rig.robot)
    assert at(rig.handle.pose) == pytest.approx(T)


def test_a_goal_that_is_sent_again_takes_it_along_again():
    rig = Rig()
    T = reachable(rig)
    elsewhere = rig.arm.chain.forward(rig.arm.start + 0.1)
    rig.goals[''] = Goal.from_pose(T)
    rig.follow()
    assert rig.place('tip') == pytest.approx(T)
    rig.refuses = True
    rig.drag(elsewhere)
    rig.follow()
    assert rig.place('tip') == pytest.approx(elsewhere)
    rig.goals[''] = Goal.from_pose(T)  # the same numbers, from another client
    rig.follow()
    assert rig.place('tip') == pytest.approx(T)


def test_dragging_sends_a_goal_with_the_feedbacks_own_header():
    rig = Rig()
    T = reachable(rig)
    rig.drag(T)
    (sent,) = rig.sent
    assert sent[:2] == ('', 'pose')
    assert sent[2].header.frame_id == 'base_link'
    assert at(sent[2].pose) == pytest.approx(T)


@pytest.mark.parametrize('refuses', [False, True])
def test_during_a_drag_it_stays_there_whatever_becomes_of_the_goal(refuses):
    rig = Rig()
    rig.refuses = refuses
    T = reachable(rig)
    T[:3, 3] *= 10.0
    rig.drag(T)
    sent = rig.server.poses_sent
    for _ in range(3):
        rig.handles.follow(rig.robot)
    assert at(rig.handle.pose) == pytest.approx(T)
    assert rig.server.poses_sent == sent  # nothing is told over and over


def test_it_stays_at_the_tip_where_a_goal_is_out_of_reach():
    rig = Rig()
    far = reachable(rig)
    far[0, 3] = 19.7
    for known in (False, True):  # without a goal before, and with one
        rig.goals[''] = Goal.from_pose(far)
        rig.follow()
        assert rig.place() == pytest.approx(rig.arm.chain.forward(rig.arm.start))
        rig.robot.move(rig.arm, rig.arm.start + 0.1)
        rig.follow()
        assert rig.place() == pytest.approx(rig.arm.chain.forward(rig.arm.start + 0.1))
        rig.robot.reset()
        if not known:
            T = reachable(rig, 2)
            rig.goals[''] = Goal.from_pose(T)
            rig.follow()
            assert rig.place() == pytest.approx(T)


def test_released_out_of_reach_it_goes_back_to_the_tip():
    rig = Rig()
    rig.refuses = True
    T = reachable(rig)
    T[0, 3] = 19.7
    rig.drag(T)
    assert rig.place() == pytest.approx(T)
    rig.drag(T, event=InteractiveMarkerFeedback.MOUSE_UP)
    assert rig.place() == pytest.approx(rig.arm.chain.forward(rig.arm.start))
    near = reachable(rig)
    rig.drag(near)
    rig.drag(near, event=InteractiveMarkerFeedback.MOUSE_UP)
    assert rig.place() == pytest.approx(near)


def test_it_goes_to_a_goal_that_comes_another_way():
    rig = Rig()
    rig.drag(reachable(rig, 1))
    T = reachable(rig, 2)
    rig.goals[''] = Goal.from_pose(T)
    rig.handles.follow(rig.robot)
    assert at(rig.handle.pose) == pytest.approx(T)
    assert len(rig.sent) == 1  # which is no goal of its own


def test_it_keeps_its_orientation_where_a_goal_has_none():
    rig = Rig()
    before = at(rig.handle.pose)
    rig.goals[''] = Goal([0.3, 0.2, 0.5])
    rig.handles.follow(rig.robot)
    assert at(rig.handle.pose)[:3, :3] == pytest.approx(before[:3, :3])
    assert at(rig.handle.pose)[:3, 3] == pytest.approx([0.3, 0.2, 0.5])


def test_after_a_reset_it_goes_with_the_tip_again():
    rig = Rig()
    rig.drag(reachable(rig))
    rig.robot.reset()
    rig.handles.go_with_tips(rig.arm)
    rig.handles.follow(rig.robot)
    assert at(rig.handle.pose) == pytest.approx(rig.arm.chain.forward(rig.arm.start))


def test_the_end_of_a_drag_counts_where_the_last_of_it_was_lost():
    rig = Rig()
    T = reachable(rig)
    rig.drag(T, event=InteractiveMarkerFeedback.MOUSE_UP)
    rounded = T.copy()
    rounded[:3, 3] = np.float32(T[:3, 3])  # as RViz has it
    rig.drag(rounded, event=InteractiveMarkerFeedback.MOUSE_UP)
    assert len(rig.sent) == 1
    assert at(rig.handle.pose) == pytest.approx(T)
    rig.drag(T, event=InteractiveMarkerFeedback.MOUSE_UP)
    assert len(rig.sent) == 1


@pytest.mark.parametrize('event', [
    InteractiveMarkerFeedback.KEEP_ALIVE, InteractiveMarkerFeedback.MOUSE_DOWN,
    InteractiveMarkerFeedback.BUTTON_CLICK])
def test_other_feedback_is_no_goal(event):
    rig = Rig()
    rig.drag(reachable(rig), event=event)
    rig.drag(reachable(rig), marker_name='somebody_elses', event=event)
    assert rig.sent == []


def test_feedback_in_another_frame_puts_it_where_the_goal_is():
    rig = Rig()
    T = reachable(rig, 3)
    rig.drag(T, frame='camera')  # the node sees the goal elsewhere in the base
    seen = T.copy()
    seen[0, 3] += 0.1
    rig.goals[''] = Goal.from_pose(seen)
    rig.handles.follow(rig.robot)
    assert rig.handle.header.frame_id == 'base_link'
    assert at(rig.handle.pose) == pytest.approx(seen)


def test_a_pose_that_is_none_reaches_the_node_and_nobody_else():
    rig = Rig()
    rig.refuses = True
    before = at(rig.handle.pose)
    for bad in (math.nan, math.inf):
        pose = matrix_to_pose(before)
        pose.position.x = bad
        rig.drag(pose)
        check_pose(rig.handle.pose)
        assert at(rig.handle.pose) == pytest.approx(before)
    assert len(rig.sent) == 2  # refused there, with a status


def test_position_only_makes_points_of_drags_and_takes_the_rings_away():
    rig = Rig()
    assert len([m for m in modes(rig.handle) if 'rotate' in m[0]]) == 3
    rig.choose(POSITION_ONLY)
    assert titles(rig.handle)[POSITION_ONLY] == '[x] Position only'
    assert [name for name, _ in modes(rig.handle)] == ['move', 'move_x', 'move_y', 'move_z']
    T = reachable(rig)
    rig.drag(T)
    (sent,) = rig.sent
    assert sent[1] == 'point'
    assert (sent[2].point.x, sent[2].point.y, sent[2].point.z) == pytest.approx(tuple(T[:3, 3]))
    assert sent[2].header.frame_id == 'base_link'
    rig.handles.follow(rig.robot)
    assert at(rig.handle.pose) == pytest.approx(T)  # it does not lose its orientation
    rig.choose(POSITION_ONLY)
    rig.drag(T)
    assert rig.sent[-1][1] == 'pose'


def test_the_menu_has_every_solver_and_ticks_the_present_one():
    look = Look('base_link', 1.0, (1.0,) * 6, solver_names(), 'ccd', False)
    entries = handle_marker('tip', Pose(), look).menu_entries
    assert len({entry.id for entry in entries}) == len(entries)
    assert all(entry.id > 0 for entry in entries)
    solvers = [entry for entry in entries if entry.parent_id == SOLVER]
    assert [entry.title for entry in solvers] == [
        f'[{"x" if name == "ccd" else " "}] {name}' for name in solver_names()]
    assert [chosen_solver(solver_names(), entry.id) for entry in solvers] == list(solver_names())
    assert [chosen_solver(solver_names(), entry)
            for entry in (HOME, POSITION_ONLY, SOLVER, 99)] == [None] * 4


def test_choosing_does_what_the_entry_says():
    rig = Rig()
    for entry in rig.handle.menu_entries:
        rig.choose(entry.id)
    rig.choose(1000)
    assert [entry for entry in rig.sent if entry != 'home'] == [
        ('solver', name) for name in solver_names()]
    assert rig.sent.count('home') == 1


def test_another_solver_is_ticked_and_moves_nothing():
    rig = Rig()
    T = reachable(rig)
    rig.drag(T)
    rig.choose(POSITION_ONLY)
    rig.to_arm('ccd')
    assert '[x] ccd' in titles(rig.handle).values()
    assert '[ ] dls' in titles(rig.handle).values()
    assert titles(rig.handle)[POSITION_ONLY] == '[x] Position only'
    assert at(rig.handle.pose) == pytest.approx(T)


def test_another_robot_has_another_handle():
    rig = Rig()
    rig.drag(reachable(rig))
    rig.load('planar_3r', prefix='p/', task_weights=PLANAR)
    assert rig.handle.header.frame_id == 'p/base_link'
    assert at(rig.handle.pose) == pytest.approx(rig.arm.chain.forward(rig.arm.start))


def test_each_arm_has_its_own():
    rig = Rig('torso', arms=('left', 'right'))
    assert set(rig.server.shown) == {'left', 'right'}
    T = rig.robot.groups['right'].chain.forward(np.full(7, 0.2))
    rig.drag(T, marker_name='right')
    assert rig.sent[0][0] == 'right'
    assert at(rig.server.shown['right'].pose) == pytest.approx(T)
    assert not np.allclose(at(rig.server.shown['left'].pose), T)
    rig.load('arm_6r')
    assert set(rig.server.shown) == {'tip'}
    rig.handles.update(rig.robot, rig.options, active=False)
    assert rig.server.shown == {}


def test_a_planar_arm_has_controls_for_what_its_goals_ask_for():
    rig = Rig('planar_3r', task_weights=PLANAR)
    assert modes(rig.handle) == [
        ('move', InteractiveMarkerControl.MOVE_PLANE),
        ('move_x', InteractiveMarkerControl.MOVE_AXIS),
        ('move_y', InteractiveMarkerControl.MOVE_AXIS),
        ('rotate_z', InteractiveMarkerControl.ROTATE_AXIS)]
    # A plane's normal is its control's x axis.
    assert np.abs(along(rig.handle.controls[0])) == pytest.approx([0.0, 0.0, 1.0])


def test_controls_act_along_the_axes_they_are_named_after():
    rig = Rig()
    for control in rig.handle.controls[1:]:
        check_pose(Pose(orientation=control.orientation))
        assert np.abs(along(control)) == pytest.approx(np.eye(3)['xyz'.index(control.name[-1])])
    names = [control.name for control in rig.handle.controls]
    assert len(set(names)) == 7
    (ball,) = rig.handle.controls[0].markers
    assert rig.handle.controls[0].always_visible
    assert min(ball.scale.x, ball.scale.y, ball.scale.z) > 0.0
    assert 0.0 < ball.color.a < 1.0


@pytest.mark.parametrize(('weights', 'mode'), [
    ((1.0,) * 6, InteractiveMarkerControl.MOVE_3D),
    ((1.0, 0.0, 0.0, 0.0, 0.0, 1.0), InteractiveMarkerControl.MENU),
    ((0.0, 0.0, 0.0, 1.0, 1.0, 1.0), InteractiveMarkerControl.MENU)])
def test_the_ball_opens_the_menu_where_there_is_no_plane_to_pull_in(weights, mode):
    assert modes(Rig(task_weights=weights).handle)[0][1] == mode
