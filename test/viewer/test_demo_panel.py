import threading

import numpy as np
import pytest
from visualization_msgs.msg import MarkerArray

from harness.page_here import page_with, panel_of, until
from ik_node.viewer import demo_panel


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    monkeypatch.setattr(demo_panel, '_RATE', 100.0)


@pytest.fixture
def page():
    """The page of an arm without markers, which would come faster than they are drawn."""
    with page_with('arm_6r') as made:
        made.node._scene.message = lambda *_: MarkerArray()
        yield made
        panel_of(made.view, 'Demo').close()


def goals(page):
    return [sent for sent in page.node.sent if sent[0] == 'goal']


def button(page):
    return next(path[-1] for path, widget, _ in page.widgets() if path[0] == 'Demo'
                and path[-1] in ('Play the demo', 'Stop the demo'))


def test_the_goal_goes_round_until_the_button_is_pressed_again_and_the_robot_goes_home(page):
    home = page.robot_view.values
    page.choose('Demo', 's per round', value=4.0)
    page.begin('Demo', 'Play the demo')
    assert button(page) == 'Stop the demo'
    assert until(lambda: len(goals(page)) > 20)
    page.begin('Demo', 'Stop the demo')
    assert button(page) == 'Play the demo'
    assert until(lambda: not panel_of(page.view, 'Demo')._work.busy)
    page.settle()
    assert all(report.level == 0 for report in page.robot_view.reports)
    places = np.array([T[:3, 3] for _, _, T, _ in goals(page)])
    assert np.ptp(places, axis=0).max() > 0.01
    assert page.robot_view.values == pytest.approx(home)
    assert page.handle().T == pytest.approx(page.robot_view.tip_pose(page.robot_view.chain))


def test_it_stops_when_the_user_drags_the_handle(page):
    page.begin('Demo', 'Play the demo')
    assert until(lambda: len(goals(page)) > 5)

    def drags():
        """Drag on, and return whether the demo has stopped."""
        T = page.handle().T
        T[2, 3] += 0.2
        page.drag_on(T, phase='update')
        return button(page) == 'Play the demo'
    assert until(drags)


@pytest.mark.parametrize('other', [
    lambda page: page.node.set(model_path=page.node.get('model_path').replace('6r', '7r')),
    lambda page: panel_of(page.view, 'Demo').update(False)], ids=['robot', 'hidden'])
def test_it_stops_for_another_robot_and_where_there_is_nothing_to_lead(page, other):
    page.begin('Demo', 'Play the demo')
    assert until(lambda: len(goals(page)) > 5)
    other(page)
    page.until(lambda: button(page) == 'Play the demo')


def test_a_robot_that_is_stopped_is_not_led_round_and_that_is_said(page):
    page.press('Stop')
    sent = len(page.node.sent)
    page.press('Demo', 'Play the demo')
    assert button(page) == 'Play the demo'
    assert page.told == ['the robot is stopped; press Continue first']
    assert len(page.node.sent) == sent


def test_it_begins_again_only_when_its_last_goal_has_been_sent(page):
    panel = panel_of(page.view, 'Demo')
    handles, begun, go_on = page.view.page.handles, threading.Event(), threading.Event()
    drag_to = handles.drag_to

    def late(*goal):
        begun.set()
        go_on.wait(60.0)
        drag_to(*goal)
    handles.drag_to = late
    page.begin('Demo', 'Play the demo')
    assert begun.wait(60.0)
    page.begin('Demo', 'Stop the demo')
    page.begin('Demo', 'Play the demo')
    count = len(goals(page))
    assert not count
    go_on.set()  # that goal was still on its way
    assert until(lambda: len(goals(page)) > count + 5)
    assert panel._player.plays


def test_tasks_are_led_round_together_and_those_of_priority_0_stay():
    with page_with('humanoid', solver='least_squares', tasks=['hand', 'look', 'foot'],
                   hand__type='position', hand__link='right_palm', look__type='look_at',
                   look__link='gaze', look__axis=[1.0, 0.0, 0.0], foot__type='pose',
                   foot__link='left_sole', foot__priority=0) as page:
        page.begin('Demo', 'Play the demo')
        assert until(lambda: len(goals(page)) > 6)
        panel_of(page.view, 'Demo').close()
        assert {name for _, name, _, _ in goals(page)} == {'hand', 'look'}
        assert until(lambda: not panel_of(page.view, 'Demo')._work.busy)
        page.settle()
