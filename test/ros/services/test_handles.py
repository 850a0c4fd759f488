"""The handles of tips and of tasks: dragging sends goals, the menu changes settings."""

import math

import numpy as np
import pytest
from visualization_msgs.msg import InteractiveMarkerFeedback

from harness.handle_rig import PALM, TASKS, Rig, TaskRig, raised, turned
from harness.marker_checks import check_pose
from ik_node import Goal
from ik_node.control.options import NodeOptions
from ik_node.ros.conversions import matrix_to_pose

RELEASED = InteractiveMarkerFeedback.MOUSE_UP
OTHERS = {
    'polygon': {'type': 'center_of_mass', 'polygon': np.array([0.0, 0, 1, 0, 0, 1])},
    'axis': {'type': 'align_axis', 'link': 'gaze', 'axis': np.ones(3), 'direction': np.ones(3)},
    'joints': {'type': 'posture'}, 'undefined': {},
    'apart': {'type': 'distance', 'link_a': 'left_palm', 'link_b': 'right_palm'}}


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
