"""The page: what is dragged and chosen on it reaches the node, and what the node says is shown."""

import inspect
import threading
import time
from unittest.mock import patch

import numpy as np
import pytest

import robots
from harness.fake_node import FakeNode
from harness.page_here import Browser, FakePlayer, moved, page_of, page_with, panel_of, until
from ik_node import KinematicTree
from ik_node.ros.clients.connection import Connection
from ik_node.ros.clients.player_link import PlayerLink
from ik_node.viewer import node_state

CHAIN = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()
MET, NO_GOAL = 'reached', 'no goal yet'


@pytest.mark.parametrize(('fake', 'real'), [(FakeNode, Connection), (FakePlayer, PlayerLink)])
def test_the_substitute_of_the_link_to_a_node_has_the_same_interface(fake, real):
    for name, member in vars(real).items():
        if not name.startswith('_') and callable(member):
            assert hasattr(fake, name), name
            wanted, found = (list(inspect.signature(one).parameters)
                             for one in (member, getattr(fake, name)))
            assert found == wanted, name
        elif not name.startswith('_'):
            assert hasattr(fake(), name), name
    wanted, found = (list(inspect.signature(one).parameters)
                     for one in (real.__init__, fake.connect))
    assert found == wanted


def test_the_goal_that_is_dragged_is_sent_and_the_arm_is_drawn_there(page):
    T = moved(page)
    (hint,) = page.drawn('/ik_node/goal_label').values()
    assert (hint.text, hint.visible) == ('drag me', True)
    page.drag(T)
    assert not hint.visible
    kind, arm, sent, position_only = page.node.sent[-1]
    assert (kind, arm, position_only) == ('goal', '', False)
    assert sent == pytest.approx(T)
    assert page.robot_view.pose('tool0') == pytest.approx(T, abs=1e-5)
    assert MET in page.text()
    assert page.handle().T == pytest.approx(T)


def test_markers_of_a_goal_are_drawn_only_where_there_is_no_handle(page):
    page.drag(moved(page))
    assert not page.drawn('/ik_node/markers/goal')
    far = moved(page)
    far[0, 3] += 5.0
    page.node.send_goal(far, '', False)  # by another client
    page.press('Goal', 'Handle to tip')
    assert len(page.drawn('/ik_node/markers/goal')) == 4  # a ball and three axes


def test_position_only_sends_points_and_hides_the_rotations_of_the_handle(page):
    page.choose('Goal', 'position only', value=True)
    assert page.handle()._handle.disable_rotations
    page.drag(moved(page))
    assert page.node.sent[-1][3] is True
    assert '°' not in page.text()  # there is no orientation error
    page.choose('Goal', 'position only', value=False)
    assert not page.handle()._handle.disable_rotations
    page.drag(moved(page, 0.02))
    assert page.node.sent[-1][3] is False
    assert '°' in page.text()


def test_a_goal_out_of_reach_is_shown_in_red_and_the_arm_stays(page):
    before = page.q()
    far = moved(page)
    far[0, 3] += 5.0
    page.drag(far)
    assert 'out of reach' in page.text()
    assert page.robot_view.status.color == '#d0342c'
    assert page.q() == pytest.approx(before)
    assert page.handle().T == pytest.approx(far)  # where the user wants it


def test_a_goal_that_is_dragged_while_another_chain_is_drawn_stays_dragged(page):
    T, paint = moved(page), page.robot_view.paint

    def painted():
        other = paint()
        if other:
            page.drag_on(T)
        return other
    page.robot_view.paint = painted
    page.set(tip_link='link_5')
    assert page.handle().is_dragged
    assert page.handle().T == pytest.approx(T)


def test_home_sends_the_robot_to_its_start_pose_and_ends_the_goal(page):
    page.drag(moved(page))
    page.press('Goal', 'Home')
    assert page.node.sent[-1] == 'reset'
    assert page.q() == pytest.approx(np.zeros(6))
    assert page.handle().T == pytest.approx(CHAIN.forward(np.zeros(6)), abs=1e-5)
    assert NO_GOAL in page.text()
    assert MET not in page.text()


@pytest.mark.parametrize(('leave', 'way'), [
    (lambda page: page.press('Goal', 'Home'), 'reset'),
    (lambda page: page.choose('Joints', 'joint_1, °', value=5.0), 'send_joints')])
def test_a_goal_is_not_solved_again_once_the_robot_has_left_it(page, monkeypatch, leave, way):
    page.drag(moved(page))
    page.node.set(solver='ccd')
    go = getattr(page.node, way)

    def slow(*where):
        go(*where)
        page.update()  # it sees the other solver now
    monkeypatch.setattr(page.node, way, slow)
    page.node.sent.clear()
    leave(page)
    assert page.node.sent[-1] == 'reset' or page.node.sent[-1][0] == 'joints'
    assert NO_GOAL in page.text()


def test_stop_freezes_the_robot_until_continue(page):
    page.press('Stop')
    assert page.node.sent[-1] == ('enable', False)
    assert not page.shows('Stop')
    page.press('Continue')
    assert page.node.sent[-1] == ('enable', True)
    assert page.shows('Stop')


def test_stop_waits_neither_for_a_silent_node_nor_for_a_goal_on_its_way(page):
    silent, sent, view, calls = threading.Event(), threading.Event(), page.robot_view, []
    enable = view.enable

    def late(enabled):
        calls.append(enabled)
        silent.wait(60.0)
        enable(enabled)
    send_goal = page.node.send_goal

    def slow(*goal):
        sent.wait(60.0)
        send_goal(*goal)
    page.node.send_goal = slow
    demo = panel_of(page.view, 'Demo')
    page.begin('Demo', 'Play the demo')
    with patch.object(view, 'enable', late):
        stopping = threading.Thread(target=page.begin, args=('Stop',))
        stopping.start()
        assert until(lambda: calls == [False] and not demo._player.plays)
        sent.set()
        silent.set()
        stopping.join(60.0)
    page.settle()
    assert view.state.is_stopped
    assert page.handle().T == pytest.approx(view.pose('tool0'))


def test_a_robot_that_is_stopped_goes_nowhere_and_that_is_said(page):
    page.drag(moved(page))
    tip = page.robot_view.pose('tool0')
    page.press('Stop')
    assert page.handle().T == pytest.approx(tip)
    assert MET not in page.text()
    page.node.sent.clear()
    page.drag(moved(page))
    assert page.handle().T == pytest.approx(tip)
    page.type('Goal', 'x, m', value='0.3')
    page.press('Goal', 'Home')
    page.choose('Joints', 'joint_1, °', value=5.0)
    page.view._on_step('Undo')
    assert page.told == 4 * ['the robot is stopped; press Continue first']
    assert page.node.sent == []
    page.press('Continue')
    assert page.handle().T == pytest.approx(tip)
    page.view._on_step('Undo')
    page.settle()
    assert page.q() == pytest.approx(np.zeros(6))


def test_what_the_node_refuses_is_reported_to_every_browser(page):
    page.browsers[2] = Browser()
    page.node.refusal = 'it is busy'
    page.press('Goal', 'Home')
    page.choose('robot', value='scara')
    for browser in page.browsers.values():
        assert browser.notifications == ['it is busy', 'ik_node: it is busy']
    assert page.widget('robot').value == 'arm_6r'


def test_a_robot_of_the_gallery_becomes_the_nodes_and_ends_the_goal(page):
    page.drag(moved(page))
    page.choose('robot', value='scara')
    assert page.node.get('model_path').endswith('scara.urdf')
    assert page.robot_view.tree.name == 'scara'
    assert page.handle().T == pytest.approx(page.robot_view.pose(page.robot_view.chain.tip_link))
    assert NO_GOAL in page.text()
    assert 'scara, 4 joints' in page.text()
    assert not page.drawn('/ik_node/robot/base_link/link_1/link_2/link_3')  # of the arm before


@pytest.mark.parametrize('change', [
    {'solver': 'ccd'}, {'dls__max_iterations': 77}, {'task_weights': [1.0] * 3 + [0.0] * 3},
    {'on_failure': 'closest'}, {'tip_link': 'link_5'}])
def test_a_goal_is_solved_again_after_a_change_of_what_it_is_solved_with(page, change):
    T = moved(page)
    page.drag(T)
    page.node.sent.clear()
    page.set(**change)
    (again,) = [sent for sent in page.node.sent if sent[0] == 'goal']
    assert again[2] == pytest.approx(T, abs=1e-9)
    assert page.handle().T == pytest.approx(T, abs=1e-9)
    assert NO_GOAL not in page.text()
    page.node.sent.clear()
    page.set(publish_rate=20.0)
    assert page.node.sent == []


def test_nothing_is_solved_again_that_is_not_dragged_or_while_the_robot_is_stopped(page):
    page.set(solver='ccd')
    assert page.node.sent == []
    page.drag(moved(page))
    page.press('Stop')
    assert 'stopped' in page.text()
    page.node.sent.clear()
    page.set(solver='dls')
    assert page.node.sent == []


def test_a_goal_that_takes_long_is_said_to_be_solved(page):
    page.drag(moved(page))
    now = time.monotonic() + 1.0
    with patch('ik_node.viewer.node_state.time.monotonic', lambda: now):
        state = page.robot_view.state
        assert state.line().text == MET
        state._sent = now - 1.0
        assert state.line().text == 'solving …'
        state.update(False, '')  # it is busy
        assert state.line().text == 'solving …'


def test_a_line_shows_the_true_gap_of_the_arm_as_it_is_drawn(page):
    tip, far = page.robot_view.pose('tool0'), moved(page)
    far[0, 3] += 5.0
    page.drag(far)  # the node holds
    (line,) = [node for name, node in page.drawn('/ik_node/gap/').items() if 'line' in name]
    assert line.points[0] == pytest.approx(np.array([tip[:3, 3], far[:3, 3]]), abs=1e-6)
    gap = float(np.linalg.norm(far[:3, 3] - tip[:3, 3]))
    assert f'not reached: {gap:.3g} m' in page.text()
    page.set(on_failure='closest')
    nearer = float(np.linalg.norm(far[:3, 3] - page.robot_view.pose('tool0')[:3, 3]))
    assert nearer < gap
    assert f'as near as possible: {nearer:.3g} m' in page.text()
    assert line.visible
    page.press('Home')
    assert not line.visible


def test_the_handle_of_a_planar_arm_has_the_axes_that_it_can_serve():
    with page_with('planar_3r') as page:
        assert tuple(page.handle()._handle.active_axes) == (True, True, False)
        assert not page.handle()._handle.disable_rotations
    with page_with('arm_6r') as page:
        assert tuple(page.handle()._handle.active_axes) == (True, True, True)


def test_views_show_the_robot_a_handle_that_is_far_away_and_an_obstacle_from_any_direction(page):
    far, box = moved(page), np.eye(4)
    far[1, 3] += 6.0
    size = page.handle()._handle.scale
    page.drag(far)
    assert page.handle()._handle.scale < 0.9 * size
    assert not page.browser.sees(far)
    page.choose('Obstacles', 'add', value='box')
    page.type('Obstacles', 'size x, m', value='9')
    (made,) = page.node.robot.world.obstacles
    box[:3, 3] = made.pose[:3, 3] + [4.5, 0.0, 0.0]
    buttons = next(widget for _, widget, _ in page.widgets()
                   if 'Fit view' in getattr(widget, 'options', ()))
    camera = page.browser.camera
    for start in ((9.0, 0.0, 0.0), (0.0, 0.0, 9.0), (0.1, 0.1, -9.0)):
        for view in buttons.options:
            camera.position, camera.look_at = np.array(start), np.zeros(3)
            buttons._impl.value = view
            page._fire(buttons)
            assert camera.position[2] > 0.0
            assert all(map(page.browser.sees, (
                far, box, page.robot_view.pose('tool0'), page.robot_view.pose('base_link'))))


def test_long_work_has_a_state_that_says_what_it_is(page, monkeypatch):
    monkeypatch.setattr(node_state, '_LONG', -1.0)
    states = []

    def observed(work):
        def call(*arguments):
            states.append(page.text())
            return work(*arguments)
        return call

    def slow(values, set_parameters=page.node.set_parameters):
        page.update()
        observed(set_parameters)(values)
    monkeypatch.setattr(page.node, 'set_parameters', slow)
    monkeypatch.setattr(page.robot_view, 'draw', observed(page.robot_view.draw))
    page.choose('avoid collisions', value=True)
    page.choose('robot', value='arm_7r')
    for what in ('preparing collision shapes, 1 s', 'loading the robot, 1 s', 'drawing the robot'):
        assert any(what in text for text in states), (what, states)


@pytest.mark.parametrize('count', [1, 3])
def test_meshes_that_are_missing_have_substitutes_and_one_line(count):
    text = robots.robot(robots.joint('a', 'revolute', 'base', 'la', xyz='0 0 1',
                                     limit='lower="-1" upper="1"'))
    visual = '<visual><geometry><mesh filename="package://none/of.stl"/></geometry></visual>'
    with page_of(FakeNode(robot_description=text.replace(
            '<link name="base"/>', f'<link name="base">{count * visual}</link>'))) as page:
        assert page.text().count('⚠') == 1
        assert ('3 meshes are missing' in page.text()) is (count == 3)
        assert 'none/of.stl' in page.text()
        assert [name for name in page.drawn('/ik_node/robot/') if '/base/stand_in' in name]
