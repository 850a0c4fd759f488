"""The page in a real browser, in the short run of the tests: the rest of this folder is slow.

The node is not there, as in the tests of the panels; its solver and its robot are.
"""

import numpy as np
import pytest

import robots
from harness.browser import (
    arrow_length,
    choose,
    drag_handle,
    first_picture,
    frame,
    open_tab,
    page_of,
    picture,
    pixel,
    until,
    view_on,
)
from harness.fake_node import FakeNode
from ik_node import KinematicTree

ARM = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()

# Of the picture, pixels: between the notifications and the panel.
_MISS = 6.0  # pixels beside the middle of the arrow, which is upright
SCENE = {'x': 320, 'y': 0, 'width': 440, 'height': 700}


def test_the_page_shows_the_robot_and_the_arm_follows_the_handle_that_a_mouse_drags():
    node = FakeNode(model_path=str(robots.OWN / 'arm_6r.urdf'))
    with (view_on(node) as (server, view, robot_view), page_of(server.get_port()) as (page, said)):
        first_picture(page, view)
        assert 'arm_6r, 6 joints from base_link to tool0' in page.inner_text('body')

        (client,) = server.get_clients().values()
        robot_view.frame.visible = False
        page.wait_for_function("!window.__viserMutable.nodeRefFromName['/ik_node'].visible")
        frame(page)
        hidden = picture(page, **SCENE)
        robot_view.frame.visible = True

        def changed():
            return (np.abs(picture(page, **SCENE) - hidden).max(axis=2) > 30.0).sum()
        assert until(lambda: changed() > 3000, 120.0, page), (
            f'{changed()} pixels change when the robot is shown')

        start = view.page.handle_pose
        arrow, camera = arrow_length(page, view), client.camera.position

        def ends():  # a near miss of the arrow
            T = view.page.handle_pose
            return [pixel(page, client, T[:3, 3] + far * T[:3, 2]) + (_MISS, 0.0)
                    for far in (arrow, arrow - 0.12)]
        drag_handle(page, view, ends)
        assert client.camera.position == pytest.approx(camera)

        def tip():
            return ARM.forward([robot_view.values[name] for name in ARM.joint_names])
        assert until(lambda: np.allclose(tip(), view.page.handle_pose, atol=1e-4), 120.0, page), (
            tip(), view.page.handle_pose)
        assert np.linalg.norm(tip()[:3, 3] - start[:3, 3]) > 0.05
        assert until(lambda: 'reached' in page.inner_text('body'), 120.0, page)
        open_tab(page, 'Solver')
        choose(page, 'solver', 'ccd')  # by the mouse
        assert until(lambda: node.get('solver') == 'ccd', 120.0, page)
        assert [text for kind, text in said if kind == 'error'] == []
