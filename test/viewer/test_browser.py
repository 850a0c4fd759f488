"""The page in a real browser: what is dragged and chosen there reaches the node, and comes back."""

import io

import numpy as np
import pytest
from PIL import Image

import robots
from browser import drag, page_of, pixel, until, view_of
from ik_node import KinematicTree
from ros_harness import running


class Seen:
    """A node, the view of it, and the page of that."""

    def __init__(self, node, server, view, station, page, said):
        self.node, self.server, self.view, self.station = node, server, view, station
        self.page, self.said = page, said
        self.chain = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()

    @property
    def client(self):
        return next(iter(self.server.get_clients().values()))

    def picture(self):
        """Return what the page shows, (height, width, 3)."""
        return np.asarray(Image.open(io.BytesIO(self.page.screenshot())).convert('RGB'), float)

    def tip(self):
        """Return where the tip is by the last joint states, (4, 4), m."""
        return self.chain.forward([self.station.values[name] for name in self.chain.joint_names])

    def handle(self, axis, far):
        """Return the pixel at a distance, m, on an axis of the gizmo."""
        T = self.view._gizmo.T
        return pixel(self.client, T[:3, 3] + far * T[:3, axis])

    def home(self):
        self.page.get_by_role('button', name='Home').click()
        start = self.chain.forward(self.chain.neutral())
        assert until(lambda: np.allclose(self.view._gizmo.T, start, atol=1e-3)
                     and not self.view._returning, 10, self.page)


    def markers(self):
        """Return the markers that are in the scene."""
        return [marker for _, _, marker in self.station._markers._shown.values()]


def is_red(color):
    return color.r > 2.0 * max(color.g, color.b) and color.a > 0.0


@pytest.fixture(scope='module')
def seen():
    with (running(urdf_path=robots.OWN / 'arm_6r.urdf') as node,
          view_of(node._domain.id) as (server, view, (station,)),
          page_of(server.get_port()) as (page, said)):
        assert until(lambda: view._gizmo is not None and server.get_clients()
                     and view._solvers[0] is not None, 40, page)
        page.wait_for_timeout(3000)  # software rendering takes its time for the first picture
        yield Seen(node, server, view, station, page, said)


def test_the_page_shows_the_robot(seen):
    with_robot = seen.picture()
    seen.station._place.visible = False
    seen.page.wait_for_timeout(1500)
    without = seen.picture()
    seen.station._place.visible = True
    changed = np.abs(with_robot - without).max(axis=2) > 30.0
    place = pixel(seen.client, seen.tip()[:3, 3]).astype(int)
    assert changed.sum() > 3000
    assert changed[place[1] - 60:place[1] + 60, place[0] - 60:place[0] + 60].any()


def test_dragging_the_goal_takes_the_arm_there(seen):
    seen.home()
    before, place = seen.tip(), seen.view._gizmo.T[:3, 3]
    size = 0.35 * seen.station.reach
    start, end = seen.handle(2, 0.85 * size), seen.handle(2, 0.85 * size - 0.12)
    drag(seen.page, start, end)
    assert until(lambda: np.linalg.norm(seen.view._gizmo.T[:3, 3] - place) > 0.05, 5, seen.page)
    assert until(lambda: np.allclose(seen.tip(), seen.view._gizmo.T, atol=1e-4), 10, seen.page)
    assert np.linalg.norm(seen.tip()[:3, 3] - before[:3, 3]) > 0.05
    assert seen.station.reports[-1].level == 0


def test_the_solver_chosen_on_the_page_is_the_nodes_parameter(seen):
    field = seen.page.get_by_label('solver', exact=True)
    if not field.count():
        field = seen.page.locator('input[value="dls"]')
    field.first.click()
    seen.page.get_by_role('option', name='ccd', exact=True).click()
    assert until(lambda: seen.node.get('solver') == 'ccd', 10, seen.page)
    assert seen.node.set(solver='dls')[0]
    assert until(lambda: seen.view._solvers[0]._shown['solver'].value == 'dls', 10, seen.page)
    assert until(lambda: seen.page.locator('input[value="dls"]').count(), 10, seen.page)


def test_a_goal_out_of_reach_turns_red_and_tells_why(seen):
    seen.home()
    handle = 0.85 * 0.35 * seen.station.reach
    for _ in range(8):
        start = seen.handle(0, handle)
        drag(seen.page, start, seen.handle(0, handle + 0.25), steps=6)
        if seen.station.reports[-1].level:
            break
    report = seen.station.reports[-1]
    assert report.level == 2, (seen.view._gizmo.T, report)
    assert until(lambda: report.message in seen.page.inner_text('body'), 10, seen.page)
    assert until(lambda: any(is_red(marker.color) for marker in seen.markers()), 10, seen.page)


def test_the_console_stays_free_of_errors(seen):
    assert [text for kind, text in seen.said if kind == 'error'] == []
