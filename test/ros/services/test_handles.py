"""The handles of tips and of tasks: dragging sends goals, the menu changes settings."""

import dataclasses
import math
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from geometry_msgs.msg import Pose
from visualization_msgs.msg import InteractiveMarkerControl, InteractiveMarkerFeedback

from harness.handle_rig import Rig, Server, TaskRig, along, modes, titles
from harness.marker_checks import check_pose
from ik_node import Goal, body_solver_names, solver_names
from ik_node.control.options import NodeOptions
from ik_node.control.task_group import GOAL
from ik_node.control.task_options import TaskOptions
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.services.interaction.handles import HOME, POSITION_ONLY, SOLVER, Handles
from ik_node.spatial import pose_from_rpy

RELEASED = InteractiveMarkerFeedback.MOUSE_UP
PLANAR = (1.0, 1.0, 0.0, 0.0, 0.0, 1.0)
PALM = {'type': 'pose', 'link': 'left_palm'}
TASKS = {
    'pose': PALM,
    'position': {'type': 'position', 'link': 'right_palm', 'point': np.array([0.1, 0.0, 0.0])},
    'orientation': {'type': 'orientation', 'link': 'chest'},
    'look': {'type': 'look_at', 'link': 'gaze', 'axis': np.array([1.0, 0.0, 0.0])},
    'mass': {'type': 'center_of_mass', 'target': np.array([0.1, 0.2])},
    'relative': {'type': 'relative_pose', 'link': 'left_palm', 'reference': 'right_palm'}}
OTHERS = {
    'polygon': {'type': 'center_of_mass', 'polygon': np.array([0.0, 0, 1, 0, 0, 1])},
    'axis': {'type': 'align_axis', 'link': 'gaze', 'axis': np.ones(3), 'direction': np.ones(3)},
    'joints': {'type': 'posture'}, 'undefined': {},
    'apart': {'type': 'distance', 'link_a': 'left_palm', 'link_b': 'right_palm'}}
MOVE, ROTATE = ([f'{kind}_{axis}' for axis in 'xyz'] for kind in ('move', 'rotate'))


def arm():
    return Rig('arm_7r')


def body():
    """Return the handle of a tip that a solver of bodies moves."""
    rig = Rig('arm_7r')
    rig.to_figure()
    return rig


def task():
    return TaskRig(tip=PALM)


@pytest.fixture(params=[arm, body, task], ids=lambda make: make.__name__)
def rig(request):
    """Return a robot with the handle 'tip' of an arm, of a body's tip, and of a task."""
    return request.param()


def raised(T, by=0.1):
    raised = np.array(T)
    raised[2, 3] += by
    return raised


def turned(T, yaw=0.5):
    return T @ pose_from_rpy(np.zeros(3), np.array([0.1, 0.2, yaw]))


def test_the_handle_of_an_arm_is_at_its_tip_in_the_frame_of_its_base_until_it_is_dragged():
    rig = Rig(prefix='left/')
    assert (rig.handle.name, rig.handle.header.frame_id) == ('tip', 'left/base_link')
    assert rig.handle.header.stamp.sec == rig.handle.header.stamp.nanosec == 0
    assert rig.handle.scale > 0.0
    assert rig.place() == pytest.approx(rig.arm.chain.forward(rig.arm.start))
    for dragged in (False, True):
        if dragged:
            rig.drag(T := raised(rig.place(), -0.1))
        rig.robot.move(rig.arm, rig.arm.start + (0.2 if dragged else 0.1))
        rig.follow()
        assert rig.place() == pytest.approx(T if dragged else rig.arm.chain.forward(
            rig.arm.start + 0.1))


@pytest.mark.parametrize('root', ['fixed', 'floating'])
def test_handles_of_tasks_begin_at_the_targets(root):
    rig = TaskRig(root=root, **TASKS)
    palm, other = rig.link('left_palm'), rig.link('right_palm')
    assert rig.place('pose') == pytest.approx(palm)
    assert rig.place('orientation') == pytest.approx(rig.link('chest'))
    assert rig.place('relative') == pytest.approx(np.linalg.inv(other) @ palm)
    points = {'position': other[:3, :3] @ [0.1, 0.0, 0.0] + other[:3, 3],
              'look': rig.task('look').target, 'mass': [0.1, 0.2, rig.mass()[2]]}
    for name, p in points.items():
        assert rig.place(name)[:3, 3] == pytest.approx(p), name
        assert rig.place(name)[:3, :3] == pytest.approx(np.eye(3)), name


@pytest.mark.parametrize(('root', 'world', 'frame'), [
    ('fixed', '', 'p/base_link'), ('fixed', 'map', 'p/base_link'), ('floating', '', 'world'),
    ('floating', 'map', 'map')])
def test_handles_of_tasks_are_in_the_world_or_their_reference(root, world, frame):
    rig = TaskRig('p/', root, world, **TASKS, **OTHERS)
    frames = {name: marker.header.frame_id for name, marker in rig.server.shown.items()}
    assert frames == {**dict.fromkeys(TASKS, frame), 'relative': 'p/right_palm'}
    rig.drag(T := raised(rig.place('pose')), frame=frame, marker_name='pose')
    rig.options = NodeOptions(frame_prefix='p/', world_frame='hall')
    rig.update(rig.robot)
    assert (rig.server.shown['pose'].header.frame_id == 'hall') is (root == 'floating')
    assert rig.place('pose') == pytest.approx(T)
    rig.handles.update(rig.robot, rig.options, active=False)
    assert rig.server.shown == {}


def test_dragging_sends_a_goal_with_the_header_of_the_feedback(rig):
    rig.drag(T := turned(raised(rig.place(), -0.1)))
    (sent,) = rig.sent
    assert sent[1] == 'pose'
    assert sent[2].header.frame_id == rig.frame
    assert rig.target() == pytest.approx(T)


@pytest.mark.parametrize('root', ['fixed', 'floating'])
@pytest.mark.parametrize('name', TASKS)
def test_dragging_the_handle_of_a_task_moves_its_target_there(name, root):
    rig = TaskRig('p/', root, **TASKS)
    rig.move_joints()  # the root, too: the world stays
    rig.follow()
    frame = rig.server.shown[name].header.frame_id
    T = raised(rig.place(name)) if name in ('position', 'look') else rig.place(name)
    T[0, 3] += 0.0 if name == 'orientation' else 0.1
    if name in ('pose', 'orientation', 'relative'):
        T = turned(T)
    rig.drag(T, frame=frame, marker_name=name)
    (sent,) = rig.sent
    is_point = name in ('position', 'look', 'mass')
    assert sent[:2] == (name, 'point' if is_point else 'pose')
    assert sent[2].header.frame_id == frame
    wanted = {'orientation': T[:3, :3], 'mass': [*T[:2, 3], np.nan]}.get(
        name, T[:3, 3] if is_point else T)
    assert rig.task(name).target == pytest.approx(wanted, nan_ok=True)
    sent = rig.server.poses_sent
    rig.follow()
    assert rig.place(name) == pytest.approx(T)
    assert rig.server.poses_sent == sent


@pytest.mark.parametrize('refuses', [False, True])
def test_during_a_drag_a_handle_stays_whatever_happens_to_the_goal(rig, refuses):
    rig.refuses = refuses
    rig.drag(T := raised(rig.place(), 9.0))
    sent = rig.server.poses_sent
    for _ in range(3):
        rig.follow()
    assert rig.place() == pytest.approx(T)
    assert rig.server.poses_sent == sent  # nothing is sent repeatedly


def test_a_handle_released_out_of_reach_goes_back_and_one_in_reach_stays(rig):
    rig.refuses = True
    start = rig.place()
    for T, end in ((raised(start, 19.7), start), (near := raised(start, -0.1), near)):
        rig.drag(T)
        assert rig.place() == pytest.approx(T)
        rig.drag(T, RELEASED)
        assert rig.place() == pytest.approx(end)


def test_the_handle_of_a_gaze_stays_where_it_is_released():
    rig = TaskRig(tip=TASKS['look'])
    rig.drag(far := raised(rig.place(), 9.0))
    rig.drag(far, RELEASED)
    assert rig.place() == pytest.approx(far)


def test_a_target_from_another_source_takes_its_handle_along(rig):
    rig.drag(raised(rig.place(), -0.1))
    rig.set_target(T := turned(raised(rig.place(), -0.05)))
    rig.follow()
    assert rig.place() == pytest.approx(T)
    assert len(rig.sent) == 1  # which is no goal of its own


def test_the_handle_of_one_task_moves_with_its_own_target_only():
    rig = TaskRig(**TASKS)
    rig.drag(dragged := raised(rig.place('pose')), marker_name='pose')
    look, R = np.array([2.0, 1.0, 0.5]), turned(np.eye(4))
    rig.task('look').target, rig.task('orientation').target = look, R[:3, :3]
    rig.follow()
    assert rig.place('look')[:3, 3] == pytest.approx(look)
    assert rig.place('orientation')[:3, :3] == pytest.approx(R[:3, :3])
    assert rig.place('pose') == pytest.approx(dragged)


def test_a_goal_of_an_arm_that_is_sent_again_moves_the_handle_again():
    rig = Rig()
    T, elsewhere = raised(rig.place(), -0.1), raised(rig.place(), -0.2)
    rig.refuses = True
    for _ in range(2):  # the same numbers, from another client
        rig.goals[''] = Goal.from_pose(T)
        rig.follow()
        assert rig.place() == pytest.approx(T)
        rig.drag(elsewhere)
        rig.follow()
        assert rig.place() == pytest.approx(elsewhere)


def test_the_handle_stays_at_the_tip_where_a_goal_is_out_of_reach():
    rig = Rig()
    for known in (False, True):  # without a goal before, and with one
        rig.goals[''] = Goal.from_pose(raised(rig.place(), 19.7))
        for q in (rig.arm.start, rig.arm.start + 0.1):
            rig.robot.move(rig.arm, q)
            rig.follow()
            assert rig.place() == pytest.approx(rig.arm.chain.forward(q))
        rig.robot.reset()
        if not known:
            rig.goals[''] = Goal.from_pose(T := raised(rig.place(), -0.1))
            rig.follow()
            assert rig.place() == pytest.approx(T)


def test_a_handle_keeps_its_orientation_where_a_goal_has_none():
    rig = Rig()
    before = rig.place()
    rig.goals[''] = Goal([0.3, 0.2, 0.5])
    rig.follow()
    assert rig.place()[:3, :3] == pytest.approx(before[:3, :3])
    assert rig.place()[:3, 3] == pytest.approx([0.3, 0.2, 0.5])


@pytest.mark.parametrize('refuses', [False, True])
def test_after_a_reset_a_handle_is_at_its_target_again(rig, refuses):
    start, group = rig.place(), rig.robot.groups['']
    rig.refuses = refuses
    rig.drag(raised(start, -0.1))
    rig.handles.go_with_tips(group)  # before the targets are set back, as the node does
    if group.chain is None:
        group.reset_targets(group.start)
    rig.robot.reset()
    rig.follow()
    assert rig.place() == pytest.approx(start)


def test_the_end_of_a_drag_counts_where_its_last_pose_was_lost(rig):
    rig.drag(T := raised(rig.place(), -0.1), RELEASED)
    rounded = T.copy()
    rounded[:3, 3] = np.float32(T[:3, 3])  # as RViz has it
    for same in (rounded, T):
        rig.drag(same, RELEASED)
        assert len(rig.sent) == 1
        assert rig.place() == pytest.approx(T)


@pytest.mark.parametrize('event', [
    InteractiveMarkerFeedback.KEEP_ALIVE, InteractiveMarkerFeedback.MOUSE_DOWN,
    InteractiveMarkerFeedback.BUTTON_CLICK])
def test_other_feedback_is_no_goal(rig, event):
    rig.drag(raised(rig.place()), event=event)
    rig.drag(raised(rig.place()), marker_name='of_another_node', event=event)
    assert rig.sent == []


def test_an_invalid_pose_reaches_the_node_and_moves_nothing(rig):
    before = rig.place()
    rig.refuses = rig.robot.groups[''].chain is not None
    for bad in (math.nan, math.inf):
        pose = matrix_to_pose(before)
        pose.position.x = bad
        rig.drag(pose)
        check_pose(rig.handle.pose)
        rig.follow()
        assert rig.place() == pytest.approx(before)
    assert len(rig.sent) == 2
    assert all('finite' in reason for _, reason in rig.refused)


def test_feedback_in_another_frame_puts_the_handle_where_the_goal_is():
    rig = Rig()
    rig.drag(T := raised(rig.place(), -0.1), frame='camera')
    rig.goals[''] = Goal.from_pose(seen := raised(T, 0.05))  # as the node converts it
    rig.follow()
    assert rig.handle.header.frame_id == 'base_link'
    assert rig.place() == pytest.approx(seen)
    for fields in (PALM, TASKS['position']):
        rig = TaskRig(tip=fields)
        T = np.linalg.inv(rig.link('chest')) @ raised(rig.place())
        rig.drag(T, frame='chest')
        rig.follow()
        assert rig.place()[:3, 3] == pytest.approx((rig.link('chest') @ T)[:3, 3])
        assert not rig.refused


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


def test_an_orientation_is_shown_at_its_link_wherever_that_goes():
    rig = TaskRig(root='floating', tip=TASKS['orientation'])
    rig.drag(T := turned(rig.place()))
    rig.move_joints(0.3)
    rig.follow()
    assert not np.allclose(rig.link('chest')[:3, 3], T[:3, 3], atol=0.1)
    assert rig.place()[:3, 3] == pytest.approx(rig.link('chest')[:3, 3])
    assert rig.place()[:3, :3] == pytest.approx(T[:3, :3])
    # In RViz the marker that is held has not moved.
    for released, count in ((T, 1), (turned(T), 2)):
        rig.drag(released, RELEASED)
        assert len(rig.sent) == count


def test_free_axes_of_a_centre_of_mass_are_those_of_the_robot():
    rig = TaskRig(root='floating', tip=TASKS['mass'])
    T = rig.place()
    T[:2, 3] = 0.3, 0.4
    rig.drag(T)
    rig.move_joints(0.3)
    rig.follow()
    assert abs(rig.mass()[2] - T[2, 3]) > 0.01
    assert rig.place()[:3, 3] == pytest.approx([0.3, 0.4, rig.mass()[2]])
    rig.task('tip').target = [0.0, 0.1, np.nan]
    rig.follow()
    assert rig.place()[:3, 3] == pytest.approx([0.0, 0.1, rig.mass()[2]])


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
