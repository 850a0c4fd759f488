"""The state of the node and of its last goal on the page: shown while it holds, and no longer."""

import signal

import numpy as np
import pytest

import robots
from browser import (
    arrow_length,
    choose,
    drag_handle,
    first_picture,
    open_folder,
    open_tab,
    page_of,
    pixel,
    press_home,
    until,
    view_of,
)
from ros_harness import running

pytestmark = pytest.mark.slow

MET, SAID = 'reached', 'the goal is met'  # on the panel, in the scene
NO_GOAL = 'no goal yet'
SILENT = 'the node does not respond'


class Shown:
    """A node, and the page on it."""

    def __init__(self, node, view, robot_view, server, page):
        self.node, self.view, self.robot_view, self.page = node, view, robot_view, page
        self.server = server

    def says(self, *words, timeout=60.0):
        """Wait for words on the page; return whether they have come."""
        return until(lambda: all(word in self.page.inner_text('body') for word in words), timeout,
                     self.page)

    def texts_in_scene(self):
        """Return the texts of the markers that are drawn."""
        return [shown.marker.text for shown in list(self.robot_view.markers._shown.values())
                if shown.marker.text]

    def meet_a_goal(self):
        """Drag the handle to a goal that is met, and wait until panel and scene say so."""
        client, T = next(iter(self.server.get_clients().values())), self.view.page.handle_pose
        far = arrow_length(self.page, self.view)

        def ends():
            T = self.view.page.handle_pose
            return [pixel(self.page, client, T[:3, 3] + length * T[:3, 2])
                    for length in (far, far - 0.12)]
        drag_handle(self.page, self.view, ends)
        assert self.says(MET)
        assert until(lambda: any(SAID in text for text in self.texts_in_scene()), 60, self.page)
        assert NO_GOAL not in self.page.inner_text('body')
        assert np.linalg.norm(self.view.page.handle_pose - T) > 0.05

    def home(self):
        """Press Home, and wait until the arm is there without a goal."""
        press_home(self.page, self.view)
        assert until(lambda: np.allclose(list(self.robot_view.values.values()), 0.0), 60, self.page)
        assert self.is_without_goal()

    def handle_is_at_the_tip(self):
        """Tell whether the goal's handle is shown, at the tip; there is none between two robots."""
        gizmo = self.view.page.handles.named('')
        return (gizmo is not None and self.robot_view.is_placed
                and np.allclose(gizmo.T, self.robot_view.pose(
                    self.robot_view.chain.tip_link), atol=1e-4))

    def is_without_goal(self):
        """Wait until nothing is left of a goal: in the panel, in the scene, and of its handle."""
        assert self.says(NO_GOAL)
        assert until(lambda: self.texts_in_scene() and not any(
            SAID in text or text == 'CONVERGED' for text in self.texts_in_scene()), 60, self.page)
        assert until(self.handle_is_at_the_tip, 60, self.page)
        assert MET not in self.page.inner_text('body')
        return True


@pytest.fixture(scope='module')
def shown():
    with (running(urdf_path=robots.OWN / 'arm_6r.urdf') as node,
          view_of(node._domain.id) as (server, view, (robot_view,)),
          page_of(server.get_port()) as (page, _)):
        first_picture(page, view)
        open_folder(page, 'Joints', page.get_by_role('slider'))
        yield Shown(node, view, robot_view, server, page)


def test_home_ends_the_goal(shown):
    shown.meet_a_goal()
    shown.home()


def test_a_reset_by_another_node_ends_the_goal(shown):
    shown.meet_a_goal()
    shown.node.stand(np.zeros(6))
    assert shown.says(NO_GOAL)


def test_a_slider_ends_the_goal(shown):
    shown.home()
    shown.meet_a_goal()
    slider = shown.page.get_by_role('slider').first
    slider.focus()
    for _ in range(5):
        slider.press('ArrowRight')
    assert shown.is_without_goal()


def test_the_goal_is_solved_again_by_another_solver(shown):
    shown.home()
    shown.meet_a_goal()
    open_tab(shown.page, 'Solver')
    choose(shown.page, 'solver', 'ccd')
    assert until(lambda: shown.robot_view.reports[-1].values['solver'] == 'ccd', 60, shown.page)
    assert shown.says(MET)
    assert shown.node.set(solver='dls')[0]
    assert until(lambda: shown.page.locator('input[value="dls"]').count(), 60, shown.page)


def test_an_inactive_node_is_shown_as_such_and_an_active_one_is_not(shown):
    assert shown.node.transition('deactivate')
    assert shown.says('the node is inactive')
    assert shown.node.transition('activate')
    assert shown.says(MET)


def test_a_node_that_is_killed_and_started_again_is_shown_as_such(shown):
    shown.home()
    shown.meet_a_goal()
    shown.node.process.kill()
    assert shown.says(SILENT)
    assert MET not in shown.page.inner_text('body')
    assert until(lambda: shown.texts_in_scene() == [], 60, shown.page)
    shown.node.restart()
    assert shown.says('responds again', timeout=60.0)
    assert shown.is_without_goal()
    assert SILENT not in shown.page.inner_text('body')
    shown.meet_a_goal()


def test_a_node_that_was_busy_keeps_the_handle_where_it_was_dragged(shown):
    shown.home()
    shown.meet_a_goal()
    T = shown.view.page.handle_pose
    shown.node.process.send_signal(signal.SIGSTOP)
    assert shown.says(SILENT)
    shown.node.process.send_signal(signal.SIGCONT)
    assert until(lambda: SILENT not in shown.page.inner_text('body'), 60, shown.page)
    assert until(lambda: any(SAID in text for text in shown.texts_in_scene()), 60, shown.page)
    assert MET in shown.page.inner_text('body')
    assert shown.view.page.handle_pose == pytest.approx(T)


def test_another_robot_ends_the_goal(shown):
    open_tab(shown.page, 'Robot')
    choose(shown.page, 'robot', 'arm_7r')
    assert until(lambda: shown.robot_view.tree.name == 'arm_7r', 60, shown.page)
    assert shown.is_without_goal()
