"""Joint values that the page sends: by sliders, as named poses, and typed into fields."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest

import robots
from harness.fake_node import FakeNode
from harness.page_here import page_of, page_with, panel_of, until
from ik_node.support.exceptions import InputError
from ik_node.viewer import goal_panel
from ik_node.viewer.draft import Draft
from ik_node.viewer.latest_value import LatestValue


@pytest.fixture
def page():
    with page_with('planar_3r', start_pose=[0.1, 0.2, 0.3]) as made:
        yield made


def sliders(page):
    return [np.radians(page.widget('Joints', f'{name}, °').value)
            for name in page.robot_view.space.joint_names]


def slide(page, name, value):
    """Move the slider of a joint to a value, rad."""
    page.choose('Joints', f'{name}, °', value=np.degrees(value))


def test_only_the_latest_value_is_handled_and_a_dropped_one_is_not_once_that_in_hand_is():
    handled, begun, free, last = [], threading.Event(), threading.Event(), threading.Event()

    def handle(value):
        handled.append(value)
        begun.set()
        free.wait(60.0)
        if value == 5:
            last.set()
    newest = LatestValue(handle, [].append)
    newest.give(1)
    assert begun.wait(60.0)
    newest.give(2)
    newest.give(3)
    dropping = threading.Thread(target=newest.drop)
    dropping.start()
    assert until(lambda: not newest._waiting)
    assert dropping.is_alive()  # it waits for what is in hand
    free.set()
    dropping.join(60.0)
    assert not dropping.is_alive()
    newest.give(4)
    newest.give(5)
    assert last.wait(60.0)
    assert handled[0] == 1
    assert 2 not in handled
    newest.close()


def test_a_value_that_waits_at_the_end_is_not_handled_and_none_is_waited_for():
    handled, begun, free = [], threading.Event(), threading.Event()

    def handle(value):
        handled.append(value)
        begun.set()
        free.wait(60.0)
    newest = LatestValue(handle, [].append)
    newest.give(1)
    assert begun.wait(60.0)
    newest.give(2)
    newest.close()
    free.set()
    assert until(lambda: not newest.busy)
    assert handled == [1]


def test_a_defect_in_the_handling_of_a_value_is_reported_and_the_next_one_is_handled(caplog):
    told, handled = [], []

    def handle(value):
        handled.append(1 // value)
    newest = LatestValue(handle, told.append)
    newest.give(0)
    assert until(lambda: told)
    newest.drop()
    newest.give(1)
    assert until(lambda: handled == [1])
    newest.close()
    assert 'ZeroDivisionError' in told[0]
    assert 'Traceback' in caplog.text


def test_a_slider_moves_its_joint_alone_and_the_start_pose_stays(page):
    slide(page, 'joint_2', 0.5)
    assert page.q() == pytest.approx([0.1, 0.5, 0.3])
    assert sliders(page) == pytest.approx([0.1, 0.5, 0.3])
    assert page.node.get('start_pose') == [0.1, 0.2, 0.3]
    page.press('Goal', 'Home')
    assert page.q() == pytest.approx([0.1, 0.2, 0.3])


def test_the_page_can_be_closed_while_joint_values_are_on_their_way(page, monkeypatch):
    begun, release = threading.Event(), page.view.page.release

    def late():
        begun.set()
        release()  # it waits for the painter
    monkeypatch.setattr(page.view.page, 'release', late)
    with page.view.page.painting:
        page.put('Joints', 'joint_2, °', value=5.0)
        assert begun.wait(60.0)
        panel_of(page.view, 'Joints').close()


def test_a_number_beside_a_slider_moves_its_joint_by_less_than_a_step_and_at_most_to_its_limit():
    with page_with('arm_6r') as page:
        slider, upper = page.widget('Joints', 'joint_2, °'), page.robot_view.chain.upper[1]
        assert slider.precision == pytest.approx(2 - np.log10(slider.step))
        for degrees, value in (-25.125, np.radians(-25.125)), (slider.max, upper):
            slide(page, 'joint_2', np.radians(degrees))
            assert page.q()[1] == pytest.approx(value, abs=1e-12)


def test_a_slider_sends_no_other_joint_back_where_the_page_lags(page):
    page.node.stand({'joint_1': 0.7, 'joint_2': 0.2, 'joint_3': 0.3})  # not on the sliders yet
    page.choose('Joints', 'joint_2, °', value=10.0)
    assert page.q() == pytest.approx([0.7, np.radians(10.0), 0.3])


def test_a_slider_that_is_dragged_is_one_step(page):
    for value in (0.3, 0.4, 0.5):
        slide(page, 'joint_2', value)
    page.undo()
    assert page.q() == pytest.approx([0.1, 0.2, 0.3])
    page.redo()
    assert page.q() == pytest.approx([0.1, 0.5, 0.3])


def test_a_slider_ends_the_goal_and_releases_the_handle(page):
    T = page.handle().T.copy()
    T[0, 3] -= 0.01
    page.drag(T)
    assert 'reached' in page.text()
    slide(page, 'joint_1', 0.6)
    assert 'no goal yet' in page.text()
    tip = page.robot_view.chain.tip_link
    assert page.handle().T == pytest.approx(page.robot_view.pose(tip), abs=1e-5)


def test_a_refused_value_is_reported_and_the_slider_follows_the_robot(page):
    page.node.refusal = 'it is busy'
    slide(page, 'joint_1', 0.6)
    assert page.told == ['it is busy']
    assert sliders(page)[0] == pytest.approx(0.1)


def test_a_slider_stays_where_the_user_has_set_it_until_the_robot_is_there(page, monkeypatch):
    monkeypatch.setattr(goal_panel, '_ARRIVAL', 1e9)
    monkeypatch.setattr(page.node, 'publish', lambda: None)  # the robot has not moved yet
    slide(page, 'joint_1', 0.5)
    assert sliders(page)[0] == pytest.approx(0.5)
    arrived = dict(page.robot_view.values) | {'joint_1': 0.5}
    page.robot_view.on_joints(arrived)
    page.settle()
    page.robot_view.on_joints(arrived | {'joint_1': 0.2})  # by another node
    page.settle()
    assert sliders(page)[0] == pytest.approx(0.2)


def test_a_slider_follows_a_robot_that_does_not_go_where_it_was_sent(page, monkeypatch):
    monkeypatch.setattr(goal_panel, '_ARRIVAL', 0.0)
    monkeypatch.setattr(page.node, 'publish', lambda: None)
    slide(page, 'joint_1', 0.5)
    assert sliders(page)[0] == pytest.approx(0.1)


def test_joints_without_limits_have_a_turn_to_either_side(tmp_path):
    file = tmp_path / 'wheel.urdf'
    file.write_text(robots.robot(robots.joint('wheel', 'continuous', 'base', 'rim'),
                                 robots.joint('t', 'fixed', 'rim', 'tip')))
    with page_of(FakeNode(model_path=str(file))) as page:
        slider = page.widget('Joints', 'wheel, °')
        assert (slider.min, slider.max) == pytest.approx((-360.0, 360.0))


def test_named_poses_are_offered_and_gone_to(tmp_path):
    file = tmp_path / 'poses.yaml'
    file.write_text('angle_unit: rad\nposes:\n  up: {joint_1: 0.7}\n  down: {joint_1: -0.7}\n')
    with page_with('planar_3r', poses=str(file)) as page:
        assert page.widget('Joints', 'pose').options == ('up', 'down')
        page.choose('Joints', 'pose', value='down')
        page.press('Joints', 'Go to the pose')
        assert page.q() == pytest.approx([-0.7, 0.0, 0.0])
        assert page.node.get('start_pose') == 'none'
        file.write_text('poses: [')
        page.choose('robot', value='scara')
        assert not page.shows('Joints', 'pose')
        assert page.shows('Joints', 'joint_4, °')


@pytest.mark.parametrize('leaves', [
    lambda page: page.view._home(), lambda page: page.robot_view.go_to(
        {'joint_1': 0.0})],
    ids=['home', 'joint values'])
def test_no_drag_from_before_reaches_the_node_after_the_robot_was_sent_elsewhere(
        page, monkeypatch, leaves):
    node, begun, free = page.node, threading.Event(), threading.Event()
    send_goal, start = node.send_goal, page.handle().T

    def send_slowly(T, *arguments):
        begun.set()
        free.wait(60.0)
        send_goal(T, *arguments)
    monkeypatch.setattr(node, 'send_goal', send_slowly)
    drags = page.handle().drags
    node.sent.clear()
    for x in (-0.1, -0.2):
        T = start.copy()
        T[0, 3] += x
        page.drag_on(T)
        assert begun.wait(60.0)  # the first is being sent, and the second waits
    leaving = threading.Thread(target=leaves, args=(page,))
    leaving.start()
    assert until(lambda: not drags._waiting)
    free.set()
    leaving.join(60.0)
    assert not leaving.is_alive()
    sent = ['left' if one == 'reset' or one[0] == 'joints' else one[2][0, 3] for one in node.sent
            if one == 'reset' or one[0] in ('goal', 'joints')]
    assert sent == [pytest.approx(start[0, 3] - 0.1), 'left']


def test_sliders_come_again_after_a_time_without_joints(page):
    chain = page.robot_view._chain
    for shown in (None, chain, None, chain):
        page.robot_view._chain = shown
        page.settle()
    assert page.shows('Joints', f'{chain.joint_names[0]}, °')


class Field:
    """A field that keeps all texts it was given."""

    def __init__(self):
        self.texts = []

    def __setattr__(self, name, value):
        if name == 'value':
            self.texts.append(value)
        else:
            super().__setattr__(name, value)

    def on_update(self, _):
        """Be typed into by the test."""


def committed(commit):
    """Return the texts that a field with "1" is given after "2" was typed into it and committed."""
    field = Field()
    draft = Draft(SimpleNamespace(add_form=lambda _: SimpleNamespace(on_submit=lambda _: None),
                                  add_text=lambda *_, **__: field), commit, print)
    draft.add('a', 'a', '1')
    draft._on_typed('a', '2')
    draft.commit()
    assert until(lambda: not draft.worker.busy)
    draft.worker.close()
    return field.texts


def test_what_was_there_before_is_shown_after_a_refusal_alone():
    def refuse(_):
        raise InputError('no')
    assert committed(lambda _: None) == ['2']
    assert committed(refuse) == ['1']
