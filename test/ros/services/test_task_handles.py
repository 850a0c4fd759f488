"""The handles of tasks: each at its target, in its frame, with the controls of its axes."""

import math
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from visualization_msgs.msg import InteractiveMarkerFeedback

from handle_rig import Rig, Server, TaskRig, modes, reachable, titles
from ik_node import body_solver_names
from ik_node.control.options import NodeOptions
from ik_node.control.robot import Robot
from ik_node.control.task_group import GOAL
from ik_node.control.task_options import TaskOptions
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.services.interaction.handles import (
    HOME,
    POSITION_ONLY,
    SOLVER,
    Handles,
)
from ik_node.spatial import pose_from_rpy

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
MOVE = ['move_x', 'move_y', 'move_z']
ROTATE = ['rotate_x', 'rotate_y', 'rotate_z']


def raised(T, by=0.1):
    raised = np.array(T)
    raised[2, 3] += by
    return raised


def turned(T, yaw=0.5):
    return T @ pose_from_rpy(np.zeros(3), np.array([0.1, 0.2, yaw]))


def test_each_task_with_a_target_that_goals_move_has_a_handle():
    rig = TaskRig(**TASKS, **OTHERS)
    assert set(rig.server.shown) == set(TASKS)
    rig.handles.update(rig.robot, rig.options, active=False)
    assert rig.server.shown == {}


@pytest.mark.parametrize(('root', 'world', 'frame'), [
    ('fixed', '', 'p/base_link'), ('fixed', 'map', 'p/base_link'), ('floating', '', 'world'),
    ('floating', 'map', 'map')])
def test_handles_of_tasks_are_in_the_world_or_their_reference(root, world, frame):
    rig = TaskRig('p/', root, world, **TASKS)
    frames = {name: marker.header.frame_id for name, marker in rig.server.shown.items()}
    assert frames == {**dict.fromkeys(TASKS, frame), 'relative': 'p/right_palm'}


def test_a_renamed_world_frame_is_used_and_moves_nothing():
    rig = TaskRig(root='floating', a=PALM)
    T = raised(rig.place('a'))
    rig.drag(T, marker_name='a')
    rig.options = NodeOptions(world_frame='map')
    rig.update(rig.robot)
    assert rig.server.shown['a'].header.frame_id == 'map'
    assert rig.place('a') == pytest.approx(T)


@pytest.mark.parametrize('root', ['fixed', 'floating'])
def test_handles_of_tasks_begin_at_the_targets(root):
    rig = TaskRig(root=root, **TASKS)
    chest, target = rig.link('chest'), rig.task('look').target
    palm, other = rig.link('left_palm'), rig.link('right_palm')
    assert rig.place('pose') == pytest.approx(palm)
    assert rig.place('orientation') == pytest.approx(chest)
    assert rig.place('relative') == pytest.approx(np.linalg.inv(other) @ palm)
    points = {'position': other[:3, :3] @ [0.1, 0.0, 0.0] + other[:3, 3], 'look': target,
              'mass': [0.1, 0.2, rig.mass()[2]]}
    for name, p in points.items():
        assert rig.place(name)[:3, 3] == pytest.approx(p), name
        assert rig.place(name)[:3, :3] == pytest.approx(np.eye(3)), name
    sent = rig.server.poses_sent
    rig.follow()
    assert rig.server.poses_sent == sent


@pytest.mark.parametrize(('fields', 'controls'), [
    (PALM, ['move', *MOVE, *ROTATE]),
    ({**PALM, 'weights': np.array([1.0, 0, 2, 0, 0, 1])},
     ['move', 'move_x', 'move_z', 'rotate_z']),
    (TASKS['relative'], ['move', *MOVE, *ROTATE]),
    (TASKS['orientation'], ['menu', *ROTATE]),
    (TASKS['position'], ['move', *MOVE]), (TASKS['look'], ['move', *MOVE]),
    (TASKS['mass'], ['move', 'move_x', 'move_y']),
    ({'type': 'center_of_mass'}, ['move', *MOVE])])
def test_tasks_have_controls_for_what_goals_can_move(fields, controls):
    rig = TaskRig(a=fields)
    assert rig.controls() == controls
    assert rig.server.shown['a'].scale == pytest.approx(0.2 * rig.robot.groups[''].size)


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


def test_the_handle_of_a_task_stays_where_it_is_dragged_while_its_target_is_set_back():
    rig = TaskRig(a=PALM, b=TASKS['position'])
    start, T = rig.place('a'), raised(rig.place('a'), 9.0)
    rig.refuses = True
    rig.drag(T, marker_name='a')
    rig.drag(raised(rig.place('b')), marker_name='b')
    sent = rig.server.poses_sent
    for _ in range(3):
        rig.follow()
    assert rig.task().target == pytest.approx(start)
    assert rig.place('a') == pytest.approx(T)
    assert rig.server.poses_sent == sent


def test_a_released_handle_goes_back_to_its_target_from_afar_except_that_of_a_gaze():
    rig = TaskRig(a=PALM, b=TASKS['look'])
    rig.refuses = True
    start, far = rig.place('a'), raised(rig.place('a'), 9.0)
    for name, place in (('a', start), ('b', far)):
        for event in (InteractiveMarkerFeedback.POSE_UPDATE, InteractiveMarkerFeedback.MOUSE_UP):
            rig.drag(far, event, marker_name=name)
        assert rig.place(name) == pytest.approx(place)


def test_a_target_that_others_move_takes_its_handle_along_and_no_other():
    rig = TaskRig(**TASKS)
    dragged = raised(rig.place('pose'))
    rig.drag(dragged, marker_name='pose')
    look, R = np.array([2.0, 1.0, 0.5]), turned(np.eye(4))
    rig.task('look').target, rig.task('orientation').target = look, R[:3, :3]
    rig.follow()
    assert rig.place('look')[:3, 3] == pytest.approx(look)
    assert rig.place('orientation')[:3, :3] == pytest.approx(R[:3, :3])
    assert rig.place('pose') == pytest.approx(dragged)
    rig.task('pose').target = R
    rig.follow()
    assert rig.place('pose') == pytest.approx(R)
    assert len(rig.sent) == 1


@pytest.mark.parametrize('refuses', [False, True])
def test_after_a_reset_the_handle_of_a_task_is_at_its_target_again(refuses):
    rig = TaskRig(a=PALM)
    start = rig.place('a')
    rig.refuses = refuses
    rig.drag(raised(start), marker_name='a')
    # Before the targets are set back, as the node does.
    rig.handles.go_with_tips(rig.robot.groups[''])
    rig.robot.groups[''].reset_targets(rig.robot.groups[''].start)
    rig.robot.reset()
    rig.follow()
    assert rig.place('a') == pytest.approx(start)


def test_an_orientation_is_shown_at_its_link_wherever_that_goes():
    rig = TaskRig(root='floating', a=TASKS['orientation'])
    T = turned(rig.place('a'))
    rig.drag(T, marker_name='a')
    rig.move_joints(0.3)
    rig.follow()
    assert not np.allclose(rig.link('chest')[:3, 3], T[:3, 3], atol=0.1)
    assert rig.place('a')[:3, 3] == pytest.approx(rig.link('chest')[:3, 3])
    assert rig.place('a')[:3, :3] == pytest.approx(T[:3, :3])
    # In RViz the marker that is held has not moved.
    rig.drag(T, event=InteractiveMarkerFeedback.MOUSE_UP, marker_name='a')
    assert len(rig.sent) == 1
    rig.drag(turned(T), event=InteractiveMarkerFeedback.MOUSE_UP, marker_name='a')
    assert len(rig.sent) == 2


def test_free_axes_of_a_centre_of_mass_are_those_of_the_robot():
    rig = TaskRig(root='floating', a=TASKS['mass'])
    T = rig.place('a')
    T[:2, 3] = 0.3, 0.4
    rig.drag(T, marker_name='a')
    rig.move_joints(0.3)
    rig.follow()
    assert abs(rig.mass()[2] - T[2, 3]) > 0.01
    assert rig.place('a')[:3, 3] == pytest.approx([0.3, 0.4, rig.mass()[2]])
    rig.task().target = [0.0, 0.1, np.nan]
    rig.follow()
    assert rig.place('a')[:3, 3] == pytest.approx([0.0, 0.1, rig.mass()[2]])


def test_bad_feedback_reaches_the_goals_of_tasks_and_moves_nothing():
    rig = TaskRig(a=PALM, b=TASKS['position'])
    for name, other_frame in (('a', 'chest'), ('b', 'chest')):
        T = np.linalg.inv(rig.link('chest')) @ raised(rig.place(name))
        rig.drag(T, frame=other_frame, marker_name=name)
        rig.follow()
        assert rig.place(name)[:3, 3] == pytest.approx((rig.link('chest') @ T)[:3, 3])
        assert not rig.refused
        before = rig.place(name)
        bad = matrix_to_pose(before)
        bad.position.x = math.nan
        rig.drag(bad, marker_name=name)
        rig.follow()
        assert rig.place(name) == pytest.approx(before)
        assert [(task, 'finite' in reason) for task, reason in rig.refused] == [(name, True)]
        rig.refused.clear()


def test_the_menu_of_a_task_has_body_solvers_and_no_position_only():
    rig = TaskRig(a=PALM, b=TASKS['position'])
    for name in ('a', 'b'):
        entries = titles(rig.server.shown[name])
        assert [entry.title for entry in rig.server.shown[name].menu_entries
                if entry.parent_id == SOLVER] == [
            f'[{"x" if solver == "least_squares" else " "}] {solver}'
            for solver in body_solver_names()]
        assert POSITION_ONLY not in entries
        assert HOME in entries
    for entry in (*titles(rig.server.shown['a']), POSITION_ONLY, 1000):
        rig.choose(entry, 'a')
    assert rig.sent == [*(('solver', name) for name in body_solver_names()), 'home']
    rig.drag(raised(rig.place('a')), marker_name='a')
    assert rig.sent[-1][:2] == ('a', 'pose')
    assert rig.controls() == ['move', *MOVE, *ROTATE]


def test_another_body_solver_is_ticked_and_moves_no_handle():
    rig = TaskRig(a=PALM)
    T = raised(rig.place('a'), 9.0)
    rig.refuses = True
    rig.drag(T, marker_name='a')
    rig.to_tasks('hierarchy', a=PALM)
    rig.follow()
    assert '[x] hierarchy' in titles(rig.server.shown['a']).values()
    assert rig.place('a') == pytest.approx(T)


def test_tasks_come_and_go_and_the_handles_of_others_are_not_sent_again():
    rig = TaskRig(a=PALM, b=TASKS['position'])
    T = raised(rig.place('a'), 9.0)
    rig.refuses = True
    rig.drag(T, marker_name='a')
    rig.server.inserted.clear()
    sent = rig.server.poses_sent
    rig.to_tasks(a=PALM, b=TASKS['position'], c=TASKS['look'])
    rig.to_tasks(a=PALM, c=TASKS['look'])
    rig.to_tasks(a={**PALM, 'weight': 2.0}, c=TASKS['look'])
    rig.follow()
    assert rig.server.inserted == ['c']
    assert rig.server.poses_sent == sent
    assert set(rig.server.shown) == {'a', 'c'}
    assert rig.place('a') == pytest.approx(T)
    rig.to_arm(tip_link='gaze')
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


def test_changed_weights_of_a_task_change_its_controls_and_not_its_pose():
    rig = TaskRig(a=PALM)
    T = raised(rig.place('a'), 9.0)
    rig.refuses = True
    rig.drag(T, marker_name='a')
    rig.to_tasks(a={**PALM, 'weights': np.array([1.0, 1, 1, 0, 0, 0])})
    rig.follow()
    assert rig.controls() == ['move', *MOVE]
    assert rig.place('a') == pytest.approx(T)


def test_without_tasks_a_figure_has_the_handle_of_its_tip():
    rig = Rig('arm_7r')
    rig.to_figure()
    start = rig.robot.groups[''].tasks[GOAL].target
    assert (rig.handle.name, rig.handle.header.frame_id) == ('tip', 'base_link')
    assert rig.place() == pytest.approx(start)
    T = turned(raised(start, -0.1))
    rig.drag(T)
    assert rig.sent[0][:2] == (GOAL, 'pose')
    assert rig.robot.groups[''].tasks[GOAL].target == pytest.approx(T)
    rig.choose(POSITION_ONLY)
    assert titles(rig.handle)[POSITION_ONLY] == '[x] Position only'
    assert [name for name, _ in modes(rig.handle)] == ['move', *MOVE]
    rig.drag(turned(start))
    assert rig.sent[-1][:2] == (GOAL, 'point')
    assert rig.robot.groups[''].tasks[GOAL].weights.tolist() == [1, 1, 1, 0, 0, 0]
    rig.choose(POSITION_ONLY)
    assert len(rig.handle.controls) == 7
    rig.choose(next(iter(key for key, title in titles(rig.handle).items() if 'lag' in title)))
    assert rig.sent[-1] == ('solver', 'lagrange')


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


def test_the_handle_of_the_tip_stays_while_solvers_of_arms_and_bodies_change():
    rig = Rig('arm_7r')
    T = raised(rig.place(), -5.0)
    rig.refuses = True
    rig.drag(T)
    rig.choose(POSITION_ONLY)
    rig.to_figure()
    rig.follow()
    assert rig.place() == pytest.approx(T)
    assert '[x] least_squares' in titles(rig.handle).values()
    assert titles(rig.handle)[POSITION_ONLY] == '[x] Position only'
    rig.choose(POSITION_ONLY)
    rig.drag(raised(T))
    assert rig.sent[-1][:2] == (GOAL, 'pose')
    rig.to_arm('ccd')
    rig.follow()
    assert rig.place() == pytest.approx(raised(T))
    assert '[x] ccd' in titles(rig.handle).values()
    rig.drag(T)
    assert rig.sent[-1][:2] == ('', 'pose')


def test_an_unmoved_handle_is_at_the_tip_after_every_change_of_solver():
    rig = Rig('arm_7r')
    rig.robot.move(rig.arm, rig.arm.start + 0.1)
    rig.to_figure()
    tip = rig.robot.groups[''].tasks[GOAL].target
    assert rig.place() == pytest.approx(tip)
    rig.to_arm()
    rig.robot.move(rig.arm, rig.arm.start + 0.2)
    rig.follow()
    assert rig.place() == pytest.approx(rig.arm.chain.forward(rig.arm.start + 0.2))


def test_of_another_base_link_the_handle_begins_anew():
    rig = Rig('arm_7r', base_link='link_1')
    rig.drag(raised(rig.place(), -0.2))
    rig.to_figure(base_link='link_1')
    assert rig.handle.header.frame_id == 'base_link'
    assert rig.place() == pytest.approx(rig.robot.groups[''].tasks[GOAL].target)


def test_a_task_named_like_the_handle_of_the_tip_has_its_own():
    rig = Rig('arm_7r')
    rig.choose(POSITION_ONLY)
    rig.to_figure({'tip': TaskOptions(type='pose', link='tool0')})
    assert len(rig.handle.controls) == 7
    rig.drag(raised(rig.place(), -0.2))
    assert rig.sent[-1][:2] == ('tip', 'pose')


def test_an_unchanged_arm_is_not_sent_again():
    rig = Rig()
    T = reachable(rig)
    rig.drag(T)
    rig.server.inserted.clear()
    rig.update(Robot(rig.robot.tree, rig.robot.groups, previous=rig.robot))
    rig.follow()
    assert rig.server.inserted == []
    assert rig.place() == pytest.approx(T)


def test_the_node_serves_handles_while_it_is_active_and_sets_the_parameter_of_the_solver(
        monkeypatch):
    server, parameters = Server(), []
    module = ModuleType('interactive_markers')
    module.InteractiveMarkerServer = lambda node, namespace: server
    monkeypatch.setitem(sys.modules, 'interactive_markers', module)
    rig = TaskRig(a=PALM)
    node = SimpleNamespace(set_parameters_atomically=parameters.extend)
    handles = Handles(node, lambda task, pose: rig.sent.append((task, pose)), None,
                      lambda: (True, ''))
    handles.update(rig.robot, rig.options, active=False)
    assert server.shown == {}
    handles.update(rig.robot, rig.options, active=True)
    assert list(server.shown) == ['a']
    server.inserted.clear()
    handles.update(rig.robot, NodeOptions(show_branches=True), active=True)
    assert server.inserted == []  # somebody may be dragging it
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
