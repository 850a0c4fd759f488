"""Handles: their controls and menus, and what other robots, tasks and solvers leave of them."""

import dataclasses
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from geometry_msgs.msg import Pose
from visualization_msgs.msg import InteractiveMarkerControl, InteractiveMarkerFeedback

from harness.handle_rig import (
    MOVE,
    PALM,
    ROTATE,
    TASKS,
    Rig,
    Server,
    TaskRig,
    along,
    arm,
    body,
    modes,
    raised,
    titles,
)
from harness.marker_checks import check_pose
from ik_node import body_solver_names, solver_names
from ik_node.control.options import NodeOptions
from ik_node.control.task_group import GOAL
from ik_node.control.task_options import TaskOptions
from ik_node.ros.services.interaction.handles import HOME, POSITION_ONLY, SOLVER, Handles

PLANAR = (1.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize('make', [arm, body])
def test_position_only_makes_points_of_drags_and_takes_the_rings_away(make):
    rig = make()
    assert [name for name, _ in modes(rig.handle)] == ['move', *MOVE, *ROTATE]
    rig.choose(POSITION_ONLY)
    assert titles(rig.handle)[POSITION_ONLY] == '[x] Position only'
    assert [name for name, _ in modes(rig.handle)] == ['move', *MOVE]
    rig.drag(T := raised(rig.place(), -0.1))
    (sent,) = rig.sent
    assert (sent[1], sent[2].header.frame_id) == ('point', 'base_link')
    assert (sent[2].point.x, sent[2].point.y, sent[2].point.z) == pytest.approx(tuple(T[:3, 3]))
    rig.follow()
    assert rig.place() == pytest.approx(T)  # it keeps its orientation
    rig.choose(POSITION_ONLY)
    rig.drag(T)
    assert rig.sent[-1][1] == 'pose'
    assert len(rig.handle.controls) == 7


def test_the_menu_has_every_solver_and_choosing_does_what_an_entry_says(rig):
    solvers = body_solver_names() if rig.robot.groups[''].chain is None else solver_names()
    entries = rig.handle.menu_entries
    assert len({entry.id for entry in entries}) == len(entries)
    assert all(entry.id > 0 for entry in entries)
    assert [entry.title for entry in entries if entry.parent_id == SOLVER] == [
        f'[{"x" if name == rig.robot.groups[""].solver.name else " "}] {name}' for name in solvers]
    assert HOME in titles(rig.handle)
    assert (POSITION_ONLY in titles(rig.handle)) is not isinstance(rig, TaskRig)
    for entry in (*titles(rig.handle), POSITION_ONLY, 1000):
        rig.choose(entry)
    assert sorted(map(str, rig.sent)) == sorted(
        map(str, [*(('solver', name) for name in solvers), 'home']))


def test_another_solver_is_ticked_and_moves_no_handle(rig):
    rig.refuses = True
    rig.drag(T := raised(rig.place(), -5.0))
    if isinstance(rig, TaskRig):
        rig.to_tasks('hierarchy', tip=PALM)
    elif rig.robot.groups[''].chain is None:
        rig.to_figure(solver='hierarchy')
    else:
        rig.choose(POSITION_ONLY)
        rig.to_arm('ccd')
        assert titles(rig.handle)[POSITION_ONLY] == '[x] Position only'
    rig.follow()
    ticked = [title for title in titles(rig.handle).values() if title.startswith('[x]')]
    assert f'[x] {rig.robot.groups[""].solver.name}' in ticked
    assert '[ ] lagrange' in titles(rig.handle).values() or '[ ] dls' in titles(rig.handle).values()
    assert rig.place() == pytest.approx(T)


def test_the_handle_of_the_tip_stays_while_solvers_of_arms_and_bodies_change():
    rig = arm()
    rig.robot.move(rig.arm, rig.arm.start + 0.1)
    rig.to_figure()
    assert rig.place() == pytest.approx(rig.target())  # at rest it is at the tip
    rig.to_arm()
    rig.robot.move(rig.arm, rig.arm.start + 0.2)
    rig.follow()
    assert rig.place() == pytest.approx(rig.arm.chain.forward(rig.arm.start + 0.2))
    rig.refuses = True
    rig.drag(T := raised(rig.place(), -5.0))
    rig.choose(POSITION_ONLY)
    rig.to_figure()
    rig.follow()
    assert rig.place() == pytest.approx(T)
    assert titles(rig.handle)[POSITION_ONLY] == '[x] Position only'
    rig.choose(POSITION_ONLY)
    rig.drag(raised(T))
    assert rig.sent[-1][:2] == (GOAL, 'pose')
    rig.to_arm('ccd')
    rig.follow()
    assert rig.place() == pytest.approx(raised(T))
    rig.drag(T)
    assert rig.sent[-1][:2] == ('', 'pose')


def test_another_robot_base_link_or_task_of_the_name_has_another_handle():
    rig = Rig()
    rig.drag(raised(rig.place(), -0.1))
    rig.load('planar_3r', prefix='p/', task_weights=PLANAR)
    assert rig.handle.header.frame_id == 'p/base_link'
    assert rig.place() == pytest.approx(rig.arm.chain.forward(rig.arm.start))
    rig = Rig('arm_7r', base_link='link_1')
    rig.drag(raised(rig.place(), -0.2))
    rig.to_figure(base_link='link_1')
    assert rig.handle.header.frame_id == 'base_link'
    assert rig.place() == pytest.approx(rig.target())
    rig.choose(POSITION_ONLY)
    rig.to_figure({'tip': TaskOptions(type='pose', link='tool0')})
    assert len(rig.handle.controls) == 7
    rig.drag(raised(rig.place(), -0.2))
    assert rig.sent[-1][:2] == ('tip', 'pose')


def test_each_arm_has_its_own():
    rig = Rig('torso', arms=('left', 'right'))
    assert set(rig.server.shown) == {'left', 'right'}
    T = rig.robot.groups['right'].chain.forward(np.full(7, 0.2))
    rig.drag(T, marker_name='right')
    assert rig.sent[0][0] == 'right'
    assert rig.place('right') == pytest.approx(T)
    assert not np.allclose(rig.place('left'), T)
    rig.load('arm_6r')
    assert set(rig.server.shown) == {'tip'}


def test_tasks_come_and_go_and_the_handles_of_others_are_not_sent_again():
    rig = TaskRig(a=PALM, b=TASKS['position'])
    rig.refuses = True
    rig.drag(T := raised(rig.place('a'), 9.0), marker_name='a')
    rig.server.inserted.clear()
    sent = rig.server.poses_sent
    rig.to_tasks(a=PALM, b=TASKS['position'], c=TASKS['look'])
    rig.to_tasks(a=PALM, c=TASKS['look'])
    rig.to_tasks(a={**PALM, 'weight': 2.0}, c=TASKS['look'])
    rig.follow()
    assert rig.server.inserted == ['c']
    assert rig.server.poses_sent == sent
    assert set(rig.server.shown) == {'a', 'c'}
    rig.to_tasks(a={**PALM, 'weights': np.array([1.0, 1, 1, 0, 0, 0])})
    rig.follow()
    assert rig.controls() == ['move', *MOVE]
    assert rig.place('a') == pytest.approx(T)
    rig.to_arm(tip_link='gaze')
    assert set(rig.server.shown) == {'tip'}


def test_servo_which_refuses_goals_has_no_handles():
    rig = Rig()
    rig.options = dataclasses.replace(rig.options, motion='servo')
    rig.update(rig.robot)
    assert not rig.server.shown
    rig.options = dataclasses.replace(rig.options, motion='jump')
    rig.update(rig.robot)
    assert set(rig.server.shown) == {'tip'}


@pytest.mark.parametrize('other', [
    {**PALM, 'link': 'right_palm'}, TASKS['position'], TASKS['orientation'], TASKS['relative'],
    {**PALM, 'target': np.array([0.5, 0.0, 0.2, 0.0, 0.0, 0.0])}])
def test_a_changed_task_has_its_handle_at_its_own_target(other):
    rig = TaskRig(a=PALM)
    rig.drag(raised(rig.place('a')), marker_name='a')
    rig.to_tasks(a=other)
    rig.follow()
    new = TaskRig(a=other)
    assert rig.place('a') == pytest.approx(new.place('a'))
    assert rig.controls() == new.controls()
    assert rig.server.shown['a'].header.frame_id == new.server.shown['a'].header.frame_id


@pytest.mark.parametrize(('fields', 'controls'), [
    (PALM, ['move', *MOVE, *ROTATE]),
    ({**PALM, 'weights': np.array([1.0, 0, 2, 0, 0, 1])},
     ['move', 'move_x', 'move_z', 'rotate_z']),
    (TASKS['relative'], ['move', *MOVE, *ROTATE]), (TASKS['orientation'], ['menu', *ROTATE]),
    (TASKS['position'], ['move', *MOVE]), (TASKS['look'], ['move', *MOVE]),
    (TASKS['mass'], ['move', 'move_x', 'move_y']), ({'type': 'center_of_mass'}, ['move', *MOVE])])
def test_tasks_have_controls_for_what_goals_can_move(fields, controls):
    rig = TaskRig(a=fields)
    assert rig.controls() == controls
    assert rig.server.shown['a'].scale == pytest.approx(0.2 * rig.robot.groups[''].size)


@pytest.mark.parametrize(('weights', 'mode', 'names'), [
    (PLANAR, 'MOVE_PLANE', ['move', 'move_x', 'move_y', 'rotate_z']),
    ((1.0,) * 6, 'MOVE_3D', ['move', *MOVE, *ROTATE]),
    ((1.0, 0.0, 0.0, 0.0, 0.0, 1.0), 'MENU', ['menu', 'move_x', 'rotate_z']),
    ((0.0, 0.0, 0.0, 1.0, 1.0, 1.0), 'MENU', ['menu', *ROTATE])])
def test_controls_are_those_of_task_weights_and_act_along_their_axes(weights, mode, names):
    handle = Rig(task_weights=weights).handle
    assert [name for name, _ in modes(handle)] == names
    assert handle.controls[0].interaction_mode == getattr(InteractiveMarkerControl, mode)
    if mode == 'MOVE_PLANE':  # whose normal is the x axis of its control
        assert np.abs(along(handle.controls[0])) == pytest.approx([0.0, 0.0, 1.0])
    for control in handle.controls[1:]:
        assert control.interaction_mode == getattr(InteractiveMarkerControl, (
            'MOVE_AXIS' if 'move' in control.name else 'ROTATE_AXIS'))
        check_pose(Pose(orientation=control.orientation))
        assert np.abs(along(control)) == pytest.approx(np.eye(3)['xyz'.index(control.name[-1])])
    (ball,) = handle.controls[0].markers
    assert handle.controls[0].always_visible
    assert min(ball.scale.x, ball.scale.y, ball.scale.z) > 0.0
    assert 0.0 < ball.color.a < 1.0


def test_controls_of_the_tip_are_those_of_task_weights_whatever_the_last_goal_was():
    rig = Rig('arm_7r')
    rig.to_figure(task_weights=(1.0, 1.0, 0.0, 1.0, 0.0, 0.0))
    controls = ['move', 'move_x', 'move_y', 'rotate_x']
    assert [name for name, _ in modes(rig.handle)] == controls
    rig.choose(POSITION_ONLY)
    rig.drag(rig.place())
    rig.choose(POSITION_ONLY)
    rig.options = NodeOptions(frame_prefix='p/')
    rig.update(rig.robot)
    assert [name for name, _ in modes(rig.handle)] == controls


def test_the_node_serves_handles_while_it_is_active_and_sets_the_parameter_of_the_solver(
        monkeypatch):
    server, parameters = Server(), []
    module = ModuleType('interactive_markers')
    module.InteractiveMarkerServer = lambda node, namespace: server
    monkeypatch.setitem(sys.modules, 'interactive_markers', module)
    rig = TaskRig(a=PALM)
    handles = Handles(SimpleNamespace(set_parameters_atomically=parameters.extend),
                      lambda task, pose: rig.sent.append((task, pose)), None, lambda: (True, ''))
    handles.update(rig.robot, rig.options, active=False)
    assert server.shown == {}
    handles.update(rig.robot, rig.options, active=True)
    assert list(server.shown) == ['a']
    server.inserted.clear()
    handles.update(rig.robot, NodeOptions(show_branches=True), active=True)
    assert server.inserted == []  # it may be dragged at this moment
    handles.update(rig.robot, NodeOptions(frame_prefix='p/'), active=True)
    assert server.shown['a'].header.frame_id == 'p/base_link'
    (hierarchy,) = (entry.id for entry in server.shown['a'].menu_entries
                    if 'hierarchy' in entry.title)
    server.feedback(event_type=InteractiveMarkerFeedback.MENU_SELECT, menu_entry_id=hierarchy,
                    marker_name='a')
    assert [(parameter.name, parameter.value) for parameter in parameters] == [
        ('solver', 'hierarchy')]
    server.feedback(event_type=InteractiveMarkerFeedback.POSE_UPDATE, marker_name='a')
    assert [task for task, _ in rig.sent] == ['a']
    handles.update(rig.robot, NodeOptions(interactive_marker=False), active=True)
    assert server.shown == {}
