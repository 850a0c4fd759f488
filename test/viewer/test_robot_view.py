from types import SimpleNamespace

import numpy as np
import pytest
from geometry_msgs.msg import Point, Pose
from visualization_msgs.msg import Marker, MarkerArray

import robots
from harness.fake_node import FakeNode
from harness.marker_checks import marker
from harness.page_here import placed, robot_view_of
from hostile_texts import chain, texts_that_name
from ik_node.ros.clients.client import Report
from ik_node.ros.publishing.markers.group_markers import NO_GOAL
from ik_node.viewer import drawn_robot
from ik_node.viewer.marker_scene import MarkerScene
from ik_node.viewer.readout import robot_text
from ik_node.viewer.scene_nodes import matrix
from opened_files import opened_files


@pytest.mark.parametrize('kind', texts_that_name('x'))
def test_a_description_that_names_a_file_opens_none_and_is_reported(server, kind, tmp_path):
    secret = tmp_path / 'secret.xacro'
    secret.write_text(chain(2))
    robot_view = robot_view_of(server, FakeNode(), f'station_{secret.parent.name}')
    robot_view.on_description(chain(4))
    robot_view.paint()
    assert (robot_view.tree.links[-1], robot_view.problems) == ('l3', [])
    with opened_files() as opened:
        robot_view.on_description(texts_that_name(secret)[kind])
        robot_view.paint()
    assert not any(str(secret) in name for name in opened)
    assert len(robot_view.problems) == 1


TASKS = {'solver': 'least_squares', 'tasks': ['hand'], 'hand.type': 'position',
         'hand.link': 'left_palm'}


@pytest.fixture
def figure(server, request):
    """The view of a humanoid with a task, without a node."""
    robot_view = robot_view_of(server, FakeNode(), request.node.name)
    robot_view.on_description((robots.OWN / 'humanoid.urdf').read_text())
    robot_view.on_parameters(TASKS)
    return robot_view


def ball(frame, position):
    """Return the marker of the target of a position."""
    made = marker(Marker.SPHERE, 0, pose=Pose(position=position))
    made.header.frame_id, made.ns = frame, 'hand/goal'
    return MarkerArray(markers=[made])


def test_a_defect_in_the_handling_of_messages_is_shown_until_another_robot_comes(figure):
    figure.paint()
    figure.on_error('Internal error in "messages of the node"')
    assert figure.problems == ['Internal error in "messages of the node"']
    figure.on_description(chain(4))
    figure.paint()
    assert not any('Internal' in line for line in figure.problems)


def test_markers_that_arrive_while_others_are_drawn_are_for_the_next_picture(figure, monkeypatch):
    shown, show = [], MarkerScene.show
    arriving = [ball('world', Point(x=float(k))) for k in range(5)]

    def slow(scene, message, frames):
        shown.append(message)
        show(scene, message, frames)
        if arriving:
            figure.on_markers(arriving.pop(0))
    monkeypatch.setattr(MarkerScene, 'show', slow)
    figure.on_markers(arriving.pop(0))
    figure.paint()
    assert [len(shown), len(arriving)] == [1, 3]
    figure.paint()
    assert len(shown) == 2


def test_a_figure_is_shown_without_a_chain(figure):
    figure.paint()
    assert (figure.tree.name, figure.chain, figure.problems) == ('humanoid', None, [])
    assert (figure.space.n_joints, figure.follows_paths) == (32, False)
    assert robot_text(figure) == 'humanoid, 32 joints, tasks hand'
    assert 1.6 < figure.reach < 1.8


def test_it_is_not_placed_before_another_tip_is_drawn(server):
    text = (robots.OWN / 'arm_6r.urdf').read_text()
    arm = robot_view_of(server, FakeNode(), 'another_tip')
    arm.on_description(text)
    arm.on_joints({f'joint_{k}': 0.1 for k in range(1, 7)})
    arm.paint()
    assert arm.is_placed
    arm.on_parameters({'tip_link': 'link_5'})
    assert not arm.is_placed
    arm.paint()
    assert arm.is_placed


def test_links_and_markers_are_in_the_world_where_the_root_moves(figure):
    T = matrix((1.0, 2.0, 0.9), (0.8, 0.0, 0.0, 0.6))
    figure.paint()
    tree = figure.tree
    figure.on_parameters({'root': 'floating'})
    figure.on_joints(dict.fromkeys(figure.space.joint_names, 0.1))
    figure.on_markers(ball('world', Point(x=3.0)))
    figure.paint()
    assert not figure.is_placed
    figure.on_root_pose(T)
    figure.paint()
    assert figure.is_placed
    links = tree.forward(dict.fromkeys(figure.space.joint_names, 0.1))
    for link in ('pelvis', 'left_palm', 'gaze'):
        assert figure.pose(link) == pytest.approx(T @ links[link])
        assert placed(figure, link) == pytest.approx(T @ links[link], abs=1e-5)
    (hand,) = figure.targets
    assert figure.target_pose(hand)[:3, 3] == pytest.approx([3.0, 0.0, 0.0])
    figure.on_parameters({'root': 'fixed'})
    figure.on_markers(ball('pelvis', Point(x=4.0)))
    figure.paint()
    assert figure.pose('gaze') == pytest.approx(links['gaze'])
    assert figure.target_pose(hand)[:3, 3] == pytest.approx([4.0, 0.0, 0.0])


def test_what_is_as_before_does_not_wake_the_painter_and_is_drawn_with_the_next_picture(figure):
    woken = []
    figure._changed = lambda: woken.append(1)
    values = {'hip': 0.1, 'knee': 0.1}
    message, T = ball('world', Point(x=3.0)), matrix((1.0, 2.0, 0.9), (0.8, 0.0, 0.0, 0.6))
    for receive, first, other in (
            (figure.on_joints, values, {**values, 'hip': 0.2}),
            (figure.on_markers, message, ball('world', Point(x=4.0)))):
        for content, count in (first, 1), (first, 0), (other, 1), (other, 0), (first, 1):
            woken.clear()
            receive(content)
            assert len(woken) == count
    assert len(figure._new_markers) == 5
    figure.on_joints({**values, 'hip': 0.2})
    for count in 1, 0:  # they may be in the frame of a link that has moved
        woken.clear()
        figure.on_markers(message)
        assert len(woken) == count
    figure.on_parameters({'root': 'floating'})
    figure.on_root_pose(T)
    woken.clear()
    figure.on_joints({**values, 'hip': 0.3})  # the pose of the root follows
    assert not woken
    for pose, count in (T, 1), (T, 0), (np.eye(4), 1), (np.eye(4), 0):
        woken.clear()
        figure.on_root_pose(pose)
        assert len(woken) == count


def test_a_robot_at_rest_is_drawn_on_its_path_to_joint_values_that_are_far_away(
        figure, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(drawn_robot, 'time', SimpleNamespace(monotonic=lambda: clock[0]))
    for clock[0], elbow, drawn in (
            (0.0, 0.0, 0.0), (10.0, -1.0, 0.0), (10.15, -1.0, 0.5), (10.3, -1.0, 1.0),
            (20.0, -0.95, 0.95),  # near, as where a handle is dragged
            (30.0, -0.2, 0.95), (30.1, -0.6, 0.6)):  # another goal comes
        figure.on_joints({'left_elbow': elbow})
        figure.paint()
        link = figure.tree.joints['left_elbow'].child
        assert figure.pose(link) == pytest.approx(  # known at once
            figure.tree.forward({'left_elbow': elbow})[link])
        R = matrix((0.0, 0.0, 0.0), figure._frames[link].wxyz)[:3, :3]
        assert np.arccos(0.5 * (np.trace(R) - 1.0)) == pytest.approx(drawn)
        assert figure.glides is (drawn != -elbow)


def test_a_marker_that_is_locked_to_a_link_follows_it_without_another_message(figure):
    figure.paint()
    held = ball('left_palm', Point())
    held.markers[0].frame_locked = True
    figure.on_markers(held)
    figure.on_joints(dict.fromkeys(figure.space.joint_names, 0.0))
    figure.paint()
    figure.on_joints(dict.fromkeys(figure.space.joint_names, 0.2))
    figure.paint()
    assert figure.markers.pose(('hand/goal', 0)) == pytest.approx(figure.pose('left_palm'))
    assert figure.pose('left_palm')[:3, 3] != pytest.approx(
        figure.tree.forward({})['left_palm'][:3, 3], abs=0.01)


def status(words):
    return MarkerArray(markers=[Marker(ns='status', text=words)])


@pytest.mark.parametrize('task', ['hand', ''])
def test_a_reset_by_others_ends_the_goal_although_the_deletion_is_lost(figure, task):
    def report(level=0):
        figure.on_report(Report(level, 'the goal is met', {'arm': '', 'task': task}))
    name = f'{task}: ' if task else ''
    if not task:
        figure.on_parameters({'tasks': 'none', 'tip_link': 'left_palm', 'solver': 'dls'})
    figure.state.update(True, 'active')
    report()
    figure.on_markers(status('no goal yet'))  # from before the goal
    figure.on_markers(status('the goal is met'))
    assert figure.state.line().text == f'{name}reached'
    figure.on_markers(status('no goal yet'))
    assert figure.state.line().text == NO_GOAL
    report()  # of the next goal
    figure.on_markers(status('solving'))
    figure.on_markers(status('no goal yet'))  # of the change before it, late
    figure.on_markers(status('the goal is met'))
    assert figure.state.line().text == f'{name}reached'
    figure.on_markers(status('no goal yet'))
    report(2)
    figure.on_markers(status('no goal yet'))  # from before the goal
    assert figure.state.line().text == f'{name}not reached'
