import numpy as np
import pytest

from harness.page_here import page_with
from ik_node.viewer.gallery import robots


@pytest.fixture
def page():
    with page_with('arm_6r') as made:
        made.robot_view.load({**robots()['humanoid'], 'solver': 'least_squares', 'tasks': ['hand'],
                              'root': 'floating'})
        yield made


def drag(page, by):
    """Drag the handle, m; return the goal that the node is sent."""
    T = page.handle('hand').T.copy()
    T[:3, 3] += by
    page.drag(T, 'hand')
    return last_goal(page)


def last_goal(page):
    return [sent[2] for sent in page.node.sent if sent[0] == 'goal'][-1]


def test_a_drag_that_has_moved_the_root_is_taken_back(page):
    page.set(hand__type='position', hand__link='right_palm')
    drag(page, (0.3, 0.0, 0.0))
    assert np.abs(page.node.robot.T_world_root - np.eye(4)).max() > 1e-4
    page.undo()
    assert page.node.robot.T_world_root == pytest.approx(np.eye(4), abs=1e-9)


def test_a_goal_relative_to_a_link_is_the_same_again(page):
    page.set(hand__type='relative_pose', hand__link='right_palm', hand__reference='left_palm')
    first, second = drag(page, (0.05, 0.03, -0.04)), drag(page, (0.1, -0.1, 0.1))
    assert np.abs(second - first).max() > 0.05
    history = page.view.page.history
    for move, goal in (history.undo, first), (history.redo, second), (history.undo, first):
        page.robot_view.go_home()  # the reference is elsewhere when the goal is sent
        page.settle()
        move()
        page.settle()
        assert last_goal(page) == pytest.approx(goal, abs=1e-9)


def test_a_goal_is_the_same_where_its_handle_has_not_followed_the_robot_yet(page):
    page.set(hand__type='relative_pose', hand__link='right_palm', hand__reference='left_palm')
    goal = drag(page, (0.05, 0.03, -0.04))
    page.robot_view.go_home()
    page.view._paint()  # without `_follow`
    restore = page.view.page.snapshot()
    page.settle()
    restore()
    page.settle()
    assert last_goal(page) == pytest.approx(goal, abs=1e-9)


def test_it_is_said_that_there_is_nothing_to_undo(page):
    page.settle()
    for name in ('Undo', 'Redo'):
        page.view._on_step(name)
    assert page.told == ['There is nothing to undo.', 'There is nothing to redo.']
    assert page.browser.colors == ['blue', 'blue']
