import numpy as np
import pytest

import robots
from harness.browser import (
    arrow_length,
    drag_handle,
    field,
    first_picture,
    open_tab,
    page_of,
    pixel,
    until,
    view_on,
)
from harness.fake_node import FakeNode
from harness.gallery_switches import page_errors
from harness.page_here import panel_of

pytestmark = pytest.mark.slow

PHONE = {'width': 390, 'height': 844}
TURNED = {'width': 844, 'height': 390}
_TAB = '() => document.querySelector("[role=tab][aria-selected=true]")?.textContent'
_HEIGHT = '() => window.__viserMutable.canvas.clientHeight'


def test_robot_and_handle_are_above_the_panel_and_on_the_whole_page_when_it_is_closed():
    with (view_on(FakeNode(model_path=str(robots.OWN / 'arm_6r.urdf'))) as (server, view, shown),
          page_of(server.get_port(), PHONE, scale=3.0) as (page, said)):
        first_picture(page, view)
        (client,) = server.get_clients().values()
        panel = page.locator('.mantine-Paper-root:has(#ik-status)').bounding_box()
        assert page.evaluate(_HEIGHT) == pytest.approx(panel['y'], abs=1.0)

        def lowest():
            return max(pixel(page, client, point)[1] for point in shown.corners())
        assert until(lambda: 0.7 * panel['y'] < lowest() < panel['y'], 60.0, page)
        start, length = view.page.handle_pose, arrow_length(page, view)
        drag_handle(page, view, lambda: [
            pixel(page, client, view.page.handle_pose[:3, 3] + far * start[:3, 2])
            for far in (length, length - 0.15)])
        assert np.linalg.norm(view.page.handle_pose[:3, 3] - start[:3, 3]) > 0.05

        page.get_by_text('ik_view').first.click()
        assert until(lambda: page.evaluate(_HEIGHT) == PHONE['height'], 60.0, page)
        assert until(lambda: lowest() > panel['y'], 60.0, page)
        assert page_errors(said) == []


@pytest.mark.parametrize(('size', 'turned', 'tab'), [
    (PHONE, TURNED, 'Scene'), (TURNED, PHONE, 'Robot')])
def test_the_same_tab_is_open_when_the_phone_is_turned(size, turned, tab):
    with (view_on(FakeNode(model_path=str(robots.OWN / 'arm_6r.urdf'))) as (server, view, _),
          page_of(server.get_port(), size, scale=3.0) as (page, _)):
        first_picture(page, view)
        open_tab(page, tab)
        assert until(lambda: page.evaluate(_TAB) == tab, 60.0, page)
        tabs = page.query_selector('[role=tablist]')
        page.set_viewport_size(turned)
        assert until(lambda: not tabs.evaluate('one => one.isConnected'), 60.0, page)
        assert until(lambda: page.evaluate(_TAB) == tab, 60.0, page)


def test_a_list_is_chosen_from_by_touch():
    with (view_on(FakeNode(model_path=str(robots.OWN / 'arm_6r.urdf'))) as (server, view, _),
          page_of(server.get_port(), PHONE, scale=3.0, is_phone=True) as (page, _)):
        first_picture(page, view)
        open_tab(page, 'Learn')
        field(page, 'lesson').tap()
        page.get_by_role('option', name='5.25').tap()
        lesson = panel_of(view, 'Lessons')
        assert until(lambda: lesson._choice.value.startswith('5.25'), 60.0, page)
        assert page.evaluate('innerHeight') == PHONE['height']
